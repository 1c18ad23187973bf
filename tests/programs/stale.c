/*
 * stale.c - one program in two versions (-DVERSION=1, -DVERSION=2): a tokenizer, a compiler to byte code, a virtual
 * machine, a hash table, a sort and a compressor. Version 2 has what a few months of work do to a program: checks,
 * counters, early exits, a split function, a renamed one, a new operator, reordered and rewritten statements.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef VERSION
#define VERSION 1
#endif
#define KEEP __attribute__((noinline))

enum { MAX_CODE = 4096, MAX_STACK = 256, SLOTS = 4096, TEXT = 1 << 16 };
enum op { OP_NUM, OP_GET, OP_SET, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_LESS, OP_JUMP_IF, OP_JUMP, OP_PRINT, OP_END, OP_MOD };

static unsigned state = 12345;
static unsigned next_random(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

#if VERSION >= 2
static uint64_t stat_tokens, stat_probes, stat_steps, stat_literals, stat_matches;
static int failures;
static KEEP void failure(const char *what)
{
    if (failures++ < 3) fprintf(stderr, "error: %s\n", what);
}
#endif

/* ----- hash table ----- */

typedef struct slot { uint64_t hash; char name[24]; long value; int used; } slot;
static slot table[SLOTS];

static KEEP uint64_t hash_of(const char *s, size_t n)
{
    uint64_t h = 1469598103934665603u;
    size_t i;
#if VERSION >= 2
    for (i = 0; i + 4 <= n; i += 4) {
        uint32_t word;
        memcpy(&word, s + i, 4);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 29;
    }
    for (; i < n; i++) h = (h ^ (unsigned char)s[i]) * 1099511628211u;
#else
    for (i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 1099511628211u;
#endif
    return h ^ h >> 31;
}

#if VERSION >= 2
static KEEP slot *lookup(const char *s, size_t n, int create)
#else
static KEEP slot *find_slot(const char *s, size_t n)
#endif
{
    uint64_t h;
    size_t i;
#if VERSION >= 2
    if (n == 0) return NULL;
    if (n > 23) {
        failure("name too long");
        n = 23;
    }
#endif
    h = hash_of(s, n);
    for (i = h % SLOTS;; i = (i + 1) % SLOTS) {
        slot *t = &table[i];
#if VERSION >= 2
        stat_probes++;
        if (!t->used && !create) return NULL;
#endif
        if (!t->used) {
            t->used = 1;
            t->hash = h;
            memcpy(t->name, s, n);
            t->name[n] = 0;
            return t;
        }
        if (t->hash != h) continue;
        if (strlen(t->name) == n && memcmp(t->name, s, n) == 0) return t;
    }
}
#if VERSION < 2
#define lookup(s, n, create) find_slot(s, n)
#endif

/* ----- tokens ----- */

typedef struct token { int kind; const char *at; size_t size; long number; } token;
typedef struct lexer { const char *p, *end; token t; int line; } lexer;

static KEEP void next_token(lexer *l)
{
    const char *p = l->p;
#if VERSION >= 2
    stat_tokens++;
#endif
    for (;;) {
        while (p < l->end && (*p == ' ' || *p == '\t' || *p == '\n')) {
            if (*p == '\n') l->line++;
            p++;
        }
#if VERSION >= 2
        if (p + 1 < l->end && p[0] == '/' && p[1] == '/') {
            while (p < l->end && *p != '\n') p++;
            continue;
        }
#endif
        if (p < l->end && *p == '#') {
            while (p < l->end && *p != '\n') p++;
            continue;
        }
        break;
    }
    l->t.at = p;
    l->t.number = 0;
    if (p == l->end) {
        l->t.kind = 0;
    } else if (*p >= '0' && *p <= '9') {
        l->t.kind = 'n';
#if VERSION >= 2
        if (p[0] == '0' && p + 1 < l->end && p[1] == 'x') {
            for (p += 2; p < l->end; p++) {
                if (*p >= '0' && *p <= '9') l->t.number = l->t.number * 16 + (*p - '0');
                else if (*p >= 'a' && *p <= 'f') l->t.number = l->t.number * 16 + (*p - 'a' + 10);
                else break;
            }
        } else
#endif
        while (p < l->end && *p >= '0' && *p <= '9') l->t.number = l->t.number * 10 + (*p++ - '0');
    } else if ((*p >= 'a' && *p <= 'z') || *p == '_') {
        l->t.kind = 'i';
        while (p < l->end && ((*p >= 'a' && *p <= 'z') || *p == '_' || (*p >= '0' && *p <= '9'))) p++;
        if (p - l->t.at == 5 && memcmp(l->t.at, "while", 5) == 0) l->t.kind = 'w';
        if (p - l->t.at == 5 && memcmp(l->t.at, "print", 5) == 0) l->t.kind = 'p';
#if VERSION >= 2
        if (p - l->t.at == 2 && memcmp(l->t.at, "if", 2) == 0) l->t.kind = 'f';
#endif
    } else {
        l->t.kind = *p++;
    }
    l->t.size = (size_t)(p - l->t.at);
    l->p = p;
}

/* ----- compiler ----- */

typedef struct program { long code[MAX_CODE]; size_t n; } program;

static KEEP void emit(program *g, long v)
{
#if VERSION >= 2
    if (g->n == MAX_CODE) {
        failure("program too long");
        return;
    }
#endif
    g->code[g->n++] = v;
}

static void expression(lexer *l, program *g);

static KEEP void primary(lexer *l, program *g)
{
    if (l->t.kind == 'n') {
        emit(g, OP_NUM);
        emit(g, l->t.number);
        next_token(l);
    } else if (l->t.kind == 'i') {
#if VERSION >= 2
        const slot *s = lookup(l->t.at, l->t.size, 1);
        emit(g, OP_GET);
        emit(g, s != NULL ? s - table : 0);
#else
        emit(g, OP_GET);
        emit(g, lookup(l->t.at, l->t.size, 1) - table);
#endif
        next_token(l);
    } else if (l->t.kind == '(') {
        next_token(l);
        expression(l, g);
        next_token(l);
#if VERSION >= 2
    } else if (l->t.kind == '-') {
        next_token(l);
        emit(g, OP_NUM);
        emit(g, 0);
        primary(l, g);
        emit(g, OP_SUB);
    } else {
        failure("expression expected");
        next_token(l);
#endif
    }
}

static KEEP void term(lexer *l, program *g)
{
    primary(l, g);
#if VERSION >= 2
    while (l->t.kind == '*' || l->t.kind == '/' || l->t.kind == '%') {
        const int k = l->t.kind;
        const long op = k == '*' ? OP_MUL : k == '/' ? OP_DIV : OP_MOD;
#else
    while (l->t.kind == '*' || l->t.kind == '/') {
        const long op = l->t.kind == '*' ? OP_MUL : OP_DIV;
#endif
        next_token(l);
        primary(l, g);
        emit(g, op);
    }
}

static KEEP void sum(lexer *l, program *g)
{
    term(l, g);
    while (l->t.kind == '+' || l->t.kind == '-') {
        const long op = l->t.kind == '+' ? OP_ADD : OP_SUB;
        next_token(l);
        term(l, g);
        emit(g, op);
    }
}

static KEEP void expression(lexer *l, program *g)
{
    sum(l, g);
#if VERSION >= 2
    if (l->t.kind == '<' || l->t.kind == '>') {
        const int greater = l->t.kind == '>';
        next_token(l);
        sum(l, g);
        if (greater) failure("> is not there yet");
        emit(g, OP_LESS);
    }
#else
    if (l->t.kind == '<') {
        next_token(l);
        sum(l, g);
        emit(g, OP_LESS);
    }
#endif
}

static KEEP void statement(lexer *l, program *g)
{
    if (l->t.kind == 'w') {
        const size_t again = g->n;
        size_t out;
        next_token(l);
        expression(l, g);
        emit(g, OP_JUMP_IF);
        out = g->n;
        emit(g, 0);
        next_token(l);
        while (l->t.kind != '}' && l->t.kind != 0) statement(l, g);
        next_token(l);
        emit(g, OP_JUMP);
        emit(g, (long)again);
        g->code[out] = (long)g->n;
#if VERSION >= 2
    } else if (l->t.kind == 'f') {
        size_t out;
        next_token(l);
        expression(l, g);
        emit(g, OP_JUMP_IF);
        out = g->n;
        emit(g, 0);
        next_token(l);
        while (l->t.kind != '}' && l->t.kind != 0) statement(l, g);
        next_token(l);
        g->code[out] = (long)g->n;
    } else if (l->t.kind == ';') {
        next_token(l);
#endif
    } else if (l->t.kind == 'p') {
        next_token(l);
        expression(l, g);
        emit(g, OP_PRINT);
        next_token(l);
    } else {
        slot *s = lookup(l->t.at, l->t.size, 1);
        next_token(l);
        next_token(l);
        expression(l, g);
        emit(g, OP_SET);
        emit(g, s - table);
        next_token(l);
    }
}

static KEEP void compile(const char *text, size_t n, program *g)
{
    lexer l;
    memset(&l, 0, sizeof l);
    l.p = text;
    l.end = text + n;
    g->n = 0;
#if VERSION >= 2
    l.line = 1;
#endif
    next_token(&l);
    while (l.t.kind != 0) statement(&l, g);
    emit(g, OP_END);
}

/* ----- virtual machine ----- */

static long printed;

#if VERSION >= 2
static KEEP void print_value(long v)
{
    if (v < 0) printed = printed * 31 - v % 7919;
    else printed = printed * 31 + v % 1009;
}
#endif

static KEEP long run(const program *g)
{
    long stack[MAX_STACK];
    size_t n = 0, at = 0;
    long steps = 0;
    for (;;) {
        const long *c = &g->code[at];
        steps++;
#if VERSION >= 2
        if (n + 2 > MAX_STACK) {
            failure("stack overflow");
            return steps;
        }
        if (steps > 100000000) {
            failure("endless");
            break;
        }
#endif
        switch (*c) {
        case OP_NUM: stack[n++] = c[1]; at += 2; break;
#if VERSION >= 2
        case OP_MOD:
            n--;
            if (stack[n] == 0) {
                failure("division by zero");
                stack[n] = 1;
            }
            stack[n - 1] %= stack[n];
            at++;
            break;
#endif
        case OP_GET: stack[n++] = table[c[1]].value; at += 2; break;
        case OP_SET: table[c[1]].value = stack[--n]; at += 2; break;
        case OP_ADD: n--; stack[n - 1] += stack[n]; at++; break;
        case OP_SUB: n--; stack[n - 1] -= stack[n]; at++; break;
        case OP_MUL: n--; stack[n - 1] = (long)((unsigned long)stack[n - 1] * (unsigned long)stack[n]); at++; break;
        case OP_DIV:
            n--;
#if VERSION >= 2
            if (stack[n] == 0) {
                failure("division by zero");
                stack[n - 1] = 0;
            } else if (stack[n] == 1) {
                ;
            } else {
                stack[n - 1] /= stack[n];
            }
#else
            stack[n - 1] = stack[n] != 0 ? stack[n - 1] / stack[n] : 0;
#endif
            at++;
            break;
        case OP_LESS: n--; stack[n - 1] = stack[n - 1] < stack[n]; at++; break;
        case OP_JUMP_IF: at = stack[--n] ? at + 2 : (size_t)c[1]; break;
        case OP_JUMP: at = (size_t)c[1]; break;
#if VERSION >= 2
        case OP_PRINT: print_value(stack[--n]); at++; break;
#else
        case OP_PRINT: printed = printed * 31 + stack[--n] % 1009; at++; break;
#endif
        default: return steps;
        }
    }
#if VERSION >= 2
    stat_steps += (uint64_t)steps;
    return steps;
#endif
}

/* ----- sort ----- */

static KEEP int compare_words(const char *a, const char *b)
{
    size_t i = 0;
#if VERSION >= 2
    if (a == b) return 0;
    if (a[0] != b[0]) return (unsigned char)a[0] < (unsigned char)b[0] ? -1 : 1;
#endif
    while (a[i] != 0 && a[i] == b[i]) i++;
    return a[i] == b[i] ? 0 : (unsigned char)a[i] < (unsigned char)b[i] ? -1 : 1;
}

static KEEP void insertion(const char **v, size_t n)
{
    size_t i, j;
    for (i = 1; i < n; i++) {
        const char *x = v[i];
        for (j = i; j > 0 && compare_words(x, v[j - 1]) < 0; j--) v[j] = v[j - 1];
        v[j] = x;
    }
}

static KEEP void sort_words(const char **v, size_t n)
{
    while (n > 12) {
        const char *pivot = v[n / 2];
        size_t i = 0, j = n - 1;
#if VERSION >= 2
        if (compare_words(v[0], pivot) > 0) { const char *t = v[0]; v[0] = v[n / 2]; v[n / 2] = t; }
        if (compare_words(v[n - 1], v[0]) < 0) { const char *t = v[0]; v[0] = v[n - 1]; v[n - 1] = t; }
        pivot = v[n / 2];
#endif
        for (;;) {
            while (compare_words(v[i], pivot) < 0) i++;
            while (compare_words(v[j], pivot) > 0) j--;
            if (i >= j) break;
            { const char *t = v[i]; v[i] = v[j]; v[j] = t; }
            i++;
            j--;
        }
        if (i == 0) i = 1;
        sort_words(v, i);
        v += i;
        n -= i;
    }
    insertion(v, n);
}

/* ----- compressor ----- */

static unsigned char packed[2 * TEXT], unpacked[TEXT];
static uint32_t last_seen[1 << 14];

#if VERSION >= 2
static KEEP size_t match_length(const unsigned char *a, const unsigned char *b, const unsigned char *end)
{
    const unsigned char *begin = b;
    while (b + 8 <= end) {
        uint64_t x, y;
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        if (x != y) break;
        a += 8;
        b += 8;
    }
    while (b < end && *a == *b) a++, b++;
    return (size_t)(b - begin);
}
#endif

static KEEP size_t pack(const unsigned char *s, size_t n)
{
    size_t i = 0, out = 0;
    memset(last_seen, 0, sizeof last_seen);
#if VERSION >= 2
    if (n > TEXT) {
        failure("too long to pack");
        return 0;
    }
#endif
    while (i < n) {
        size_t k = 0, back = 0;
        if (i + 4 <= n) {
            const uint32_t word = (uint32_t)s[i] | (uint32_t)s[i + 1] << 8 | (uint32_t)s[i + 2] << 16 | (uint32_t)s[i + 3] << 24;
            uint32_t *seen = &last_seen[(word * 2654435761u) >> 18];
            if (*seen != 0 && i + 1 - *seen < 65535) {
                const size_t from = *seen - 1;
#if VERSION >= 2
                k = match_length(s + from, s + i, s + (n - i < 250 ? n : i + 250));
#else
                while (i + k < n && k < 250 && s[from + k] == s[i + k]) k++;
#endif
                back = i - from;
            }
            *seen = (uint32_t)i + 1;
        }
        if (k >= 5) {
            packed[out++] = (unsigned char)k;
            packed[out++] = (unsigned char)(back & 255);
            packed[out++] = (unsigned char)(back >> 8);
            i += k;
#if VERSION >= 2
            stat_matches++;
#endif
        } else {
            packed[out++] = 0;
            packed[out++] = s[i++];
#if VERSION >= 2
            stat_literals++;
#endif
        }
    }
    return out;
}

static KEEP size_t unpack(size_t n)
{
    size_t i = 0, out = 0;
    while (i < n) {
#if VERSION >= 2
        if (packed[i] != 0 && i + 3 > n) {
            failure("ends inside a match");
            break;
        }
#endif
        if (packed[i] == 0) {
            unpacked[out++] = packed[i + 1];
            i += 2;
        } else {
            const size_t back = (size_t)packed[i + 1] | (size_t)packed[i + 2] << 8;
            size_t k = packed[i];
#if VERSION >= 2
            if (back > out || back == 0) {
                failure("match out of range");
                return out;
            }
#endif
            for (; k > 0; k--, out++) unpacked[out] = unpacked[out - back];
            i += 3;
        }
    }
    return out;
}

/* ----- all of it ----- */

static char text[TEXT];

static KEEP size_t make_text(int lines)
{
    size_t n = 0;
    int i;
    for (i = 0; i < lines && n + 200 < TEXT; i++) {
        n += (size_t)sprintf(text + n, "v%u = v%u * %u + v%u / (v%u + 1) - %u;\n", next_random() % 300, next_random() % 300,
                             next_random() % 1000, next_random() % 300, next_random() % 9, next_random() % 100);
        if (i % 9 == 0) n += (size_t)sprintf(text + n, "# a comment in line %d\n", i);
        if (i % 16 == 0)
            n += (size_t)sprintf(text + n, "i%d = 0; while i%d < %u { s = s + i%d * 3; i%d = i%d + 1; } print s;\n", i, i,
                                 20 + next_random() % 200, i, i, i);
    }
    return n;
}

static KEEP long words_of(size_t n)
{
    static const char *word[TEXT];
    static char copy[TEXT];
    size_t i, k = 0;
    long h = 0;
    memcpy(copy, text, n);
    for (i = 0; i < n; i++) {
        if (copy[i] <= ' ') copy[i] = 0;
        if (copy[i] != 0 && (i == 0 || copy[i - 1] == 0)) word[k++] = copy + i;
    }
    copy[n - 1] = 0;
    sort_words(word, k);
    for (i = 0; i < k; i += 7) h = h * 33 + word[i][0];
    return h + (long)k;
}

int main(int argc, char **argv)
{
    static program g;
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    long total = 0;
    int i;
    for (i = 0; i < rounds; i++) {
        const size_t n = make_text(100);
        size_t k;
        compile(text, n, &g);
        total += run(&g);
        total += words_of(n);
        k = pack((const unsigned char *)text, n);
        if (unpack(k) != n || memcmp(text, unpacked, n) != 0) return 1;
        total += (long)k;
    }
#if VERSION >= 2
    if (failures != 0) return 1;
    if (argc > 2) fprintf(stderr, "%lu tokens\n", (unsigned long)(stat_tokens + stat_probes + stat_steps + stat_literals + stat_matches));
#endif
    printf("%ld %ld\n", total, printed);
    return 0;
}
