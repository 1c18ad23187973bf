/*
 * gen_stale.c - a corpus for bench_match: random functions, changed at random, with what became of every location
 *
 *   gen_stale SEED PAIRS >CORPUS
 *   gen_stale -c SEED VERSION >C     a program made of such functions, in version 1 or 2, for stale.sh
 *
 * A function is a tree of statements. Its locations are what clang 19 numbers when it lowers them: each block, in
 * layout order, then the calls in it. Shapes: few (a call in three blocks, callees repeat), many (about one per block,
 * mostly different ones), cold (half of the branches never taken), flat (long rows of small ifs, hardly any calls).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STMTS = 400, MAX_TOKENS = 4000 };
enum kind { CALL, PLAIN, IF, IF_ELSE, WHILE, FOR, SWITCH, LEAVE };

typedef struct stmt {
    enum kind kind;
    unsigned  id, callee;         /* id: the same in both versions */
    double    p;                  /* share that enters, or times round */
    struct stmt *child[3], *next; /* lists */
} stmt;

typedef struct token {
    int      is_call;
    unsigned callee, eq;
    uint64_t count, key;          /* key: statement and role */
} token;

typedef struct shape {
    const char *name;
    unsigned call, iff, loop, other;   /* weights of statements */
    unsigned callees, cold, size;      /* cold: percent of branches never taken */
} shape;

static const shape shapes[] = { { "few", 20, 40, 14, 16, 4, 10, 14 }, { "many", 70, 25, 8, 12, 60, 10, 16 },
                                { "cold", 40, 45, 8, 12, 25, 50, 18 }, { "flat", 3, 70, 10, 10, 3, 20, 16 } };

static uint64_t state;
static stmt pool[2 * MAX_STMTS];
static unsigned used, ids;
static token tokens[2][MAX_TOKENS];
static unsigned count[2];
static unsigned classes;
static int has_leave;

static unsigned rnd(unsigned n)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * UINT64_C(2685821657736338717)) >> 33) % n;
}

static stmt *make(const shape *s, enum kind k)
{
    stmt *t = &pool[used++];
    memset(t, 0, sizeof *t);
    t->kind = k;
    t->id = ++ids;
    t->callee = rnd(s->callees);
    t->p = k == WHILE || k == FOR ? 1 + rnd(12) : rnd(100) < s->cold ? 0 : (1 + rnd(99)) / 100.0;
    return t;
}

static stmt *list(const shape *s, unsigned n, unsigned depth);

static stmt *statement(const shape *s, unsigned depth)
{
    unsigned r = rnd(s->call + s->iff + s->loop + s->other);
    stmt *t;
    if (depth > 3 || r < s->call) return make(s, r < s->call || rnd(2) ? CALL : PLAIN);
    r -= s->call;
    if (r < s->iff) t = make(s, rnd(3) ? IF : IF_ELSE);
    else if ((r -= s->iff) < s->loop) t = make(s, rnd(2) ? WHILE : FOR);
    else t = make(s, rnd(3) ? PLAIN : SWITCH);
    if (t->kind == PLAIN) return t;
    t->child[0] = list(s, 1 + rnd(3), depth + 1);
    if (t->kind == IF && rnd(9) == 0 && used < MAX_STMTS) {
        stmt *last = t->child[0];
        while (last != NULL && last->next != NULL) last = last->next;
        if (last != NULL) last->next = make(s, LEAVE);
    }
    if (t->kind == IF_ELSE || t->kind == SWITCH) t->child[1] = list(s, 1 + rnd(2), depth + 1);
    if (t->kind == SWITCH) t->child[2] = list(s, 1 + rnd(2), depth + 1);
    return t;
}

static stmt *list(const shape *s, unsigned n, unsigned depth)
{
    stmt *first = NULL, **at = &first;
    while (n-- != 0 && used < MAX_STMTS - 8) {
        *at = statement(s, depth);
        at = &(*at)->next;
    }
    return first;
}

/* ----- lowering ----- */

static void put(int v, int is_call, unsigned callee, uint64_t n, unsigned eq, uint64_t key)
{
    token *t = &tokens[v][count[v]++];
    if (count[v] >= MAX_TOKENS) exit(1);
    t->is_call = is_call;
    t->callee = callee;
    t->count = n;
    t->eq = eq;
    t->key = key;
}

static uint64_t part(uint64_t n, double p)
{
    return (uint64_t)((double)n * p);
}

/* Lowers a list that is entered n times; returns how often it ends. *eq is the class of the current block. */
static uint64_t lower(int v, const stmt *s, uint64_t n, unsigned *eq)
{
    for (; s != NULL; s = s->next) {
        const uint64_t key = (uint64_t)s->id << 4;
        uint64_t out = n, in, left;
        unsigned inner;
        if (s->kind == CALL) put(v, 1, s->callee, n, *eq, key);
        if (s->kind == LEAVE) return has_leave = 1, (uint64_t)0;
        if (s->kind == CALL || s->kind == PLAIN) continue;
        if (s->kind == WHILE || s->kind == FOR) {
            const uint64_t round = part(n, s->p);
            unsigned test = ++classes;
            put(v, 0, 0, n + round, test, key | 1);
            inner = ++classes;
            put(v, 0, 0, round, inner, key | 2);
            left = lower(v, s->child[0], round, &inner);
            if (s->kind == FOR) put(v, 0, 0, left, inner, key | 3);
            out = n - (round - left < n ? round - left : n);
        } else {
            uint64_t rest = n;
            unsigned i, arms = s->kind == IF ? 1 : s->kind == IF_ELSE ? 2 : 3;
            out = 0;
            for (i = 0; i < arms; i++) {
                in = i + 1 == arms && arms > 1 ? rest : part(rest, s->p);
                rest -= in;
                inner = ++classes;
                put(v, 0, 0, in, inner, key | (4 + i));
                out += lower(v, s->child[i], in, &inner);
            }
            if (arms == 1) out += rest;
        }
        if (out != n) *eq = ++classes;                 /* some left the function: what follows is another class */
        n = out;
        put(v, 0, 0, n, *eq, key | 8);
    }
    return n;
}

static void lower_function(int v, const stmt *s, uint64_t n)
{
    unsigned eq = 1;
    count[v] = 0;
    classes = 1;
    has_leave = 0;
    put(v, 0, 0, n, 1, 1);
    lower(v, s, n, &eq);
    if (has_leave) put(v, 0, 0, n, 1, 2);
}

/* ----- edits ----- */

static stmt *copy(const stmt *s)
{
    stmt *first = NULL, **at = &first;
    unsigned i;
    for (; s != NULL; s = s->next) {
        stmt *t = &pool[used++];
        *t = *s;
        t->next = NULL;
        for (i = 0; i < 3; i++) t->child[i] = copy(s->child[i]);
        *at = t;
        at = &t->next;
    }
    return first;
}

/* All places where a statement could stand. */
static unsigned slots(stmt **at, stmt ***out, unsigned n)
{
    unsigned i;
    for (; *at != NULL; at = &(*at)->next) {
        out[n++] = at;
        for (i = 0; i < 3; i++) n = slots(&(*at)->child[i], out, n);
    }
    out[n++] = at;
    return n;
}

static void rename_callee(stmt *s, unsigned from, unsigned to)
{
    unsigned i;
    for (; s != NULL; s = s->next) {
        if (s->kind == CALL && s->callee == from) s->callee = to;
        for (i = 0; i < 3; i++) rename_callee(s->child[i], from, to);
    }
}

static void edit(const shape *s, stmt **body)
{
    static stmt **slot[4 * MAX_STMTS];
    const unsigned n = slots(body, slot, 0);
    stmt **at = slot[rnd(n)], *t = NULL, *old = *at;
    const unsigned what = rnd(100);
    if (used > 2 * MAX_STMTS - 20) return;
    if (what < 22) t = make(s, CALL);
    else if (what < 34) t = make(s, IF);
    else if (what < 46) (t = make(s, IF))->child[0] = make(s, CALL);
    else if (what < 52) (t = make(s, rnd(2) ? WHILE : FOR))->child[0] = make(s, rnd(2) ? CALL : PLAIN);
    else if (what < 60) {
        t = make(s, IF);
        t->p /= 50;
        t->child[0] = make(s, LEAVE);
    }
    if (t != NULL) {                                   /* something new */
        t->next = old;
        *at = t;
    } else if (old == NULL) {
        ;
    } else if (what < 72) {                            /* something goes */
        *at = old->next;
    } else if (what < 80) {                            /* put under a condition */
        t = make(s, IF);
        t->p = 0.5 + t->p / 2;
        t->next = old->next;
        old->next = NULL;
        t->child[0] = old;
        *at = t;
    } else if (what < 85 && old->kind == IF && old->child[0] != NULL) {
        stmt *last = old->child[0];                    /* a condition goes */
        while (last->next != NULL) last = last->next;
        last->next = old->next;
        *at = old->child[0];
    } else if (what < 93 && old->next != NULL) {       /* neighbours change places */
        t = old->next;
        old->next = t->next;
        t->next = old;
        *at = t;
    } else {
        rename_callee(*body, rnd(s->callees), 1000 + rnd(1000));
    }
}

static uint64_t origin(uint64_t key)
{
    unsigned i;
    for (i = 0; i < count[0]; i++)
        if (tokens[0][i].key == key) return i + 1;
    return 0;
}

static void print(int v)
{
    unsigned i;
    printf("%d", v + 1);
    for (i = 0; i < count[v]; i++) {
        const token *t = &tokens[v][i];
        if (t->is_call) printf(" Cf%u,%llu", t->callee, (unsigned long long)t->count);
        else printf(" B%llu", (unsigned long long)t->count);
        if (v == 1) printf("/%llu/%u", (unsigned long long)origin(t->key), t->eq);
    }
    putchar('\n');
}

/* ----- a program ----- */

enum { LAYERS = 5, PER_LAYER = 8 };                    /* functions call those of the next layer */
static double layer_cost[LAYERS + 1][PER_LAYER];
static double total_cost;

/* Statements run per n entries of a list, about; returns how often it ends. */
static double cost_of(const stmt *s, unsigned layer, double n)
{
    for (; s != NULL; s = s->next) {
        double out = 0, p = s->kind == IF || s->kind == IF_ELSE || s->kind == SWITCH ? s->p : 1;
        total_cost += 5 * n;
        if (s->kind == CALL) total_cost += n * layer_cost[layer + 1][s->callee % PER_LAYER];
        if (s->kind == LEAVE) return 0;
        if (s->kind == CALL || s->kind == PLAIN) continue;
        if (s->kind == WHILE || s->kind == FOR) {
            cost_of(s->child[0], layer, n * s->p);
            continue;
        }
        out = cost_of(s->child[0], layer, n * p);
        if (s->kind == IF) out += n * (1 - p);
        if (s->kind == IF_ELSE) out += cost_of(s->child[1], layer, n * (1 - p));
        if (s->kind == SWITCH)
            out += cost_of(s->child[1], layer, n * (1 - p) / 2) + cost_of(s->child[2], layer, n * (1 - p) / 2);
        n = out;
    }
    return n;
}

static void write_list(const stmt *s, unsigned layer, unsigned depth)
{
    for (; s != NULL; s = s->next) {
        const unsigned odds = (unsigned)(s->p * 65536), k = s->id * 37 % 113 + 3;
        const unsigned cases = (unsigned)(s->p * 14 + 1), arms = s->kind == SWITCH ? 3 : s->kind == IF_ELSE ? 2 : 1;
        unsigned i;
        printf("%*s", (int)(4 * depth), "");
        switch (s->kind) {
        case CALL:
            if (layer + 1 < LAYERS) printf("x += f%u_%u(x ^ %u, %u);\n", layer + 1, s->callee % PER_LAYER, k, k % 7);
            else printf("x = x * %u + (x >> mode);\n", 2 * k + 1);
            continue;
        case PLAIN:
            printf("x = (x ^ x >> %u) + (mode == %u ? x / %u : mode * %u);\n", 1 + k % 30, k % 7, k, k);
            continue;
        case LEAVE: printf("return x;\n"); continue;
        case IF: case IF_ELSE: printf("if ((roll() & 65535) < %u) {\n", odds); break;
        case WHILE: printf("while (roll() %% %u != 0) {\n", (unsigned)s->p + 1); break;
        case FOR:
            printf("for (unsigned i%u = 0, n = roll() %% %u; i%u < n; i%u++) {\n", s->id, 2 * (unsigned)s->p + 1, s->id,
                   s->id);
            break;
        case SWITCH:
            printf("switch (roll() %% 16) {\n%*s", (int)(4 * depth), "");
            for (i = 0; i < cases; i++) printf("case %u: ", i);
            putchar('\n');
            break;
        }
        write_list(s->child[0], layer, depth + 1);
        for (i = 1; i < arms; i++) {
            if (s->kind == IF_ELSE) printf("%*s} else {\n", (int)(4 * depth), "");
            else if (i == 1) printf("%*s    break;\n%*scase 15:\n", (int)(4 * depth), "", (int)(4 * depth), "");
            else printf("%*s    break;\n%*sdefault:\n", (int)(4 * depth), "", (int)(4 * depth), "");
            write_list(s->child[i], layer, depth + 1);
        }
        if (s->kind == SWITCH) printf("%*s    break;\n", (int)(4 * depth), "");
        printf("%*s}\n", (int)(4 * depth), "");
    }
}

/* A function of a layer: nothing much in the last one, nothing too long. */
static stmt *body_of(const shape *s, unsigned layer, unsigned i)
{
    unsigned k;
    double limit = 100;
    stmt *v;
    for (k = layer + 1; k < LAYERS; k++) limit *= 5;
    do {
        used = ids = 0;
        v = list(s, 2 + rnd(5), 2);
        total_cost = 0;
        cost_of(v, layer, 1);
    } while (total_cost > limit);
    layer_cost[layer][i] = total_cost + 5;
    return v;
}

static void write_program(int version)
{
    unsigned layer, i, k;
    double all = 0;
    printf("#include <stdio.h>\n#include <stdlib.h>\nstatic unsigned long long state = 1;\n"
           "static inline unsigned roll(void)\n{\n"
           "    state = state * 6364136223846793005u + 1442695040888963407u;\n"
           "    return (unsigned)(state >> 33);\n}\n");
    for (layer = LAYERS; layer-- != 0;)
        for (i = 0; i < PER_LAYER; i++) {
            const shape *s = &shapes[rnd(4)];
            stmt *v1 = body_of(s, layer, i), *v2;
            const unsigned edits = rnd(3) == 0 ? 0 : 2u << rnd(4);
            used = MAX_STMTS / 2 > used ? MAX_STMTS / 2 : used;
            v2 = copy(v1);
            for (k = 0; k < edits; k++) edit(s, &v2);
            printf("\nunsigned f%u_%u(unsigned x, unsigned mode)\n{\n", layer, i);
            write_list(version == 1 ? v1 : v2, layer, 1);
            printf("    return x;\n}\n");
        }
    for (i = 0; i < PER_LAYER; i++) all += layer_cost[0][i];
    printf("\nint main(int argc, char **argv)\n{\n    unsigned i, x = 1;\n"
           "    for (i = atoi(argv[argc - 1]) * %u; i-- != 0;) {\n", (unsigned)(3e5 / all) + 1);
    for (i = 0; i < PER_LAYER; i++) printf("        x += f0_%u(x, %u);\n", i, i % 7);
    printf("    }\n    printf(\"%%u\\n\", x);\n    return 0;\n}\n");
}

int main(int argc, char **argv)
{
    unsigned i, k;
    const int program = argc == 4 && strcmp(argv[1], "-c") == 0;
    if (argc != 3 && !program) return fprintf(stderr, "usage: gen_stale SEED PAIRS, gen_stale -c SEED VERSION\n"), 2;
    state = strtoull(argv[1 + program], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    if (program) return write_program(atoi(argv[3])), 0;
    for (i = 0; i < (unsigned)atoi(argv[2]); i++) {
        const shape *s = &shapes[i % 4];
        const unsigned edits = 1u << i / 4 % 5;
        stmt *v1, *v2;
        uint64_t n = 100 + rnd(100000);
        used = ids = 0;
        do {
            used = ids = 0;
            v1 = list(s, 3 + rnd(s->size), 0);
            lower_function(0, v1, n);
        } while (count[0] < 6 || count[0] > 250);
        used = MAX_STMTS / 2 > used ? MAX_STMTS / 2 : used;
        v2 = copy(v1);
        for (k = 0; k < edits; k++) edit(s, &v2);
        lower_function(1, v2, n);
        printf("F %u %s-mix%u\n", i + 1, s->name, edits);
        print(0);
        print(1);
    }
    return 0;
}
