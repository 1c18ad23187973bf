/*
 * oracle_track.c - for oracle_track.sh: random profiles of data/tracker/loader's programs and of random programs, and
 * what the library's inliner makes of them, in the words of opt's remarks.
 *
 *     oracle_track gen basic|indirect SEED      a profile on stdout
 *     oracle_track run basic|indirect PROFILE   decisions and entry counts, one a line
 *     oracle_track code SEED                    a random C program; function N begins at line 1000 * N
 *     oracle_track contexts SEED K              its Kth random profile
 *     oracle_track hot SEED PROFILE             hot calls are inlined: decisions, then counts of all code, one a line
 *     oracle_track none SEED PROFILE            nothing is inlined: counts function by function, callers first
 */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static unsigned rnd(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)((seed >> 20) % n);
}

/* 1 to about 16,000, of any magnitude. */
static unsigned count(void)
{
    return 1 + rnd(1u << (1 + rnd(14)));
}

/* One context with its counts in proportion to n; the probes of a function are those of the program. */
static void context(const char *name, char f, unsigned n)
{
    printf("[%s]:%u:%u\n", name, 5 * n, n);
    if (f == 'm') {
        printf(" 1: %u\n 2: %u\n 4: %u\n 5: %u\n 6: %u foo:%u\n 7: %u\n 8: %u foo:%u\n 9: %u\n 10: %u\n 11: %u\n"
               " !CFGChecksum: 563122283340417\n", n, n, n, n, n, n, n, n, n, n, n, n);
    } else if (f == 'f') {
        printf(" 1: %u\n 2: %u leaf:%u\n 3: %u\n 4: %u ext:%u\n 5: %u\n !CFGChecksum: 563003850888502\n", n, n, n, n, n,
               n, n);
    } else if (f == 'l') {
        printf(" 1: %u\n 2: %u\n 3: %u ext:%u\n 4: %u\n 5: %u\n !CFGChecksum: 281547602941152\n", n, n, n, n, n, n);
    } else if (f == 'd') {
        printf(" 1: %u\n 2: %u\n 4: %u\n 5: %u\n 6: %u\n 7: %u\n !CFGChecksum: 281582264815352\n", n, n, n, n, n, n);
    } else {
        printf(" 1: %u\n !CFGChecksum: 4294967295\n", n);
    }
    if (rnd(6) == 0) printf(" !Attributes: 2\n");
}

static void generate(int indirect)
{
    static const char *const basic[] = { "main_loop:6 @ foo", "main_loop:6 @ foo:2 @ leaf", "main_loop:8 @ foo",
                                         "main_loop:8 @ foo:2 @ leaf", "foo", "foo:2 @ leaf", "leaf" };
    static const char *const calls[] = { "driver:5 @ t1", "driver:5 @ t2", "driver:5 @ t3", "t1", "t2", "t3" };
    unsigned i, n, last = 0;
    context(indirect ? "driver" : "main_loop", indirect ? 'd' : 'm', count());
    for (i = 0; i < (indirect ? 6u : 7u); i++) {
        const char *name = indirect ? calls[i] : basic[i];
        const char *leaf = strrchr(name, ' ');
        const int below = !indirect && (i == 1 || i == 3 || i == 5);   /* leaf runs as often as foo: opt infers flow */
        n = below ? last : count();
        last = 0;
        if (n == 0 || rnd(4) == 0) continue;
        context(name, *(leaf != NULL ? leaf + 1 : name), n);
        last = n;
    }
}

typedef struct program {
    csspgo_profile *p;
    csspgo_inliner_code f[32];
    csspgo_inliner_call call[32][4];
} program;

static csspgo_func function(program *g, const char *name, uint32_t size, uint32_t cost)
{
    const csspgo_func f = csspgo_func_add(g->p, name, strlen(name));
    g->f[f.id].size = size;
    g->f[f.id].cost = cost;
    g->f[f.id].calls = g->call[f.id];
    return f;
}

static void call(program *g, csspgo_func caller, uint32_t probe, csspgo_func callee)
{
    csspgo_inliner_code *f = &g->f[caller.id];
    g->call[caller.id][f->call_count].loc = csspgo_loc_at(probe, 0);
    g->call[caller.id][f->call_count++].target = callee;
}

/* The functions as clang-19 makes them; costs as opt-19 says. */
static void describe(program *g, int indirect)
{
    csspgo_func a, b, c;
    if (indirect) {
        c.id = 0;
        a = function(g, "driver", 40, 0);
        function(g, "t1", 5, 1);
        function(g, "t2", 5, 1);
        function(g, "t3", 5, 1);
        call(g, a, 5, c);
        return;
    }
    a = function(g, "main_loop", 40, 0);
    b = function(g, "foo", 20, 100);
    c = function(g, "leaf", 16, 65);
    call(g, a, 6, b);
    call(g, a, 8, b);
    call(g, b, 2, c);
}

static const char *name_of(const csspgo_profile *p, csspgo_func f)
{
    static char text[2][64];
    static int which;
    size_t n;
    const char *s = csspgo_func_name(p, f, &n);
    which = !which;
    sprintf(text[which], "%.*s", (int)n, s);
    return text[which];
}

/* "leaf foo:2 @ main_loop:6" */
static void say(const program *g, csspgo_func f, const csspgo_inliner_decision *d, uint32_t i)
{
    printf("%s ", name_of(g->p, d[i].callee));
    for (;;) {
        const uint32_t up = d[i].parent;
        printf("%s:%u", name_of(g->p, up != 0 ? d[up - 1].callee : f), (unsigned)d[i].loc.line);
        if (up == 0) break;
        printf(" @ ");
        i = up - 1;
    }
    printf("\n");
}

static int run(int indirect, const char *path)
{
    program g;
    csspgo_tracker *t;
    csspgo_func order[32];
    csspgo_error e;
    size_t n, i;
    memset(&g, 0, sizeof g);
    g.p = csspgo_profile_new(NULL, NULL);
    if (g.p == NULL || csspgo_read_file(g.p, path, &e) != CSSPGO_OK) return 1;
    describe(&g, indirect);
    t = csspgo_tracker_new(g.p, NULL, &e);
    if (t == NULL || csspgo_tracker_compile_order(t, NULL, 0, order, 32, &n, NULL) != CSSPGO_OK) return 1;
    for (i = 0; i < n; i++) {
        csspgo_inliner_decision out[16];
        csspgo_inliner_result made;
        size_t k;
        made.decision = out;
        made.cap = 16;
        if (csspgo_tracker_decide(t, order[i], g.f, 32, NULL, &made, NULL) != CSSPGO_OK) return 1;
        for (k = 0; k < made.count; k++)
            if (out[k].inlined) say(&g, order[i], out, (uint32_t)k);
        if (made.base.id != 0)
            printf("entry %s %llu\n", name_of(g.p, order[i]),
                   (unsigned long long)csspgo_head(csspgo_tracker_profile(t), made.base));
    }
    csspgo_tracker_free(t);
    csspgo_profile_free(g.p);
    return 0;
}

/* ----- random programs: functions f1 ... that are one block with some calls (probe 1, then a probe a call) ----- */

enum { MOST_FUNCS = 9, MOST_CALLS = 4 };

typedef struct code {
    unsigned n, calls[MOST_FUNCS + 1];   /* functions are 1 to n, calls of one count from 0 */
    unsigned callee[MOST_FUNCS + 1][MOST_CALLS];
} code;

static code make_code(const char *text)
{
    code c;
    unsigned i, k;
    memset(&c, 0, sizeof c);
    seed = strtoull(text, NULL, 10) * UINT64_C(0x9E3779B97F4A7C15);
    c.n = 2 + rnd(MOST_FUNCS - 1);
    for (i = 1; i <= c.n; i++) {
        c.calls[i] = rnd(MOST_CALLS + 1);
        for (k = 0; k < c.calls[i]; k++) c.callee[i][k] = 1 + rnd(c.n);
    }
    return c;
}

static void print_code(const code *c)
{
    unsigned i, k;
    for (i = 1; i <= c->n; i++) printf("int f%u(int);\n", i);
    for (i = 1; i <= c->n; i++) {
        printf("#line %u\nint f%u(int x) {\n", 1000 * i, i);
        for (k = 0; k < c->calls[i]; k++) printf("  x = f%u(x);\n", c->callee[i][k]);
        printf("  return x + 1;\n}\n");
    }
}

/* The record of a function that ran n times. */
static void print_record(const code *c, unsigned f, unsigned n, int attributes)
{
    unsigned k;
    printf(":%u:%u\n 1: %u\n", n * (1 + c->calls[f]), n, n);
    for (k = 0; k < c->calls[f]; k++) printf(" %u: %u f%u:%u\n", k + 2, n, c->callee[f][k], n);
    printf(" !CFGChecksum: %llu\n", (unsigned long long)c->calls[f] << 48 | 0xffffffffu);
    if (attributes && rnd(5) == 0) printf(" !Attributes: 2\n");
}

/* Contexts below a top-level function, none with a function twice; some frames have no record. */
static void print_contexts(const code *c, int attributes, unsigned root)
{
    struct { unsigned func, call; } path[MOST_FUNCS + 1];
    unsigned depth = 0, i, f = root;
    path[0].func = root;
    path[0].call = 0;
    for (;;) {
        if (path[depth].call == 0 && (depth == 0 || rnd(4) != 0)) {
            printf("[");
            for (i = 0; i < depth; i++) printf("f%u:%u @ ", path[i].func, path[i].call + 1);
            printf("f%u]", path[depth].func);
            print_record(c, path[depth].func, count(), attributes);
        }
        f = path[depth].func;
        if (path[depth].call == c->calls[f]) {        /* call k of a frame is number k + 1 once it is on its way */
            if (depth-- == 0) return;
            continue;
        }
        f = c->callee[f][path[depth].call++];
        for (i = 0; i <= depth && path[i].func != f; i++) {}
        if (i <= depth || rnd(3) == 0) continue;
        path[++depth].func = f;
        path[depth].call = 0;
    }
}

static void print_profile(const code *c, const char *number)
{
    const unsigned which = (unsigned)strtoul(number, NULL, 10);
    unsigned i;
    for (i = 0; i < 7 * which; i++) rnd(2);
    for (i = 1; i <= c->n; i++)
        if (rnd(4) != 0) print_contexts(c, which % 2 == 0, i);
}

/* What opt says it applied: the counts at a node, but for calls that are inlined. inlined: a bit per call. */
static void print_counts(const csspgo_profile *p, csspgo_node node, unsigned inlined)
{
    size_t n, i;
    const csspgo_body *b = csspgo_get_bodies(p, node, &n);
    for (i = 0; i < n; i++)
        if (b[i].loc.line < 2 || !(inlined >> (b[i].loc.line - 2) & 1))
            printf("%s %u %llu\n", name_of(p, csspgo_node_func(p, node)), (unsigned)b[i].loc.line,
                   (unsigned long long)b[i].count);
}

/* Counts of the base (parent 0) and of all that was inlined. */
static void print_all_counts(const csspgo_tracker *t, csspgo_node base, const csspgo_inliner_decision *d, size_t n)
{
    size_t i, k;
    for (i = 0; i <= n; i++) {
        unsigned inlined = 0;
        for (k = 0; k < n; k++)
            if (d[k].parent == i) inlined |= 1u << (d[k].loc.line - 2);
        print_counts(csspgo_tracker_profile(t), i == 0 ? base : d[i - 1].node, inlined);
    }
}

enum { MOST_DECISIONS = 4096 };

static int run_code(const code *c, int hot, const char *path)
{
    static csspgo_inliner_decision out[MOST_DECISIONS];
    program g;
    csspgo_tracker *t;
    csspgo_inliner_options how;
    csspgo_func order[32], f[MOST_FUNCS + 1];
    csspgo_error e;
    size_t n, i, k;
    char name[16];
    memset(&g, 0, sizeof g);
    memset(&how, 0, sizeof how);
    how.hot_cost = hot ? 1000 : 1;                    /* every hot call, or none; no other, and no other limit */
    how.cold_cost = 1;
    how.growth = how.max_size = UINT32_MAX;
    g.p = csspgo_profile_new(NULL, NULL);
    if (g.p == NULL || csspgo_read_file(g.p, path, &e) != CSSPGO_OK) return 1;
    for (i = 1; i <= c->n; i++) {
        sprintf(name, "f%u", (unsigned)i);
        f[i] = function(&g, name, 2, 2);
    }
    for (i = 1; i <= c->n; i++)
        for (k = 0; k < c->calls[i]; k++) call(&g, f[i], (uint32_t)k + 2, f[c->callee[i][k]]);
    t = csspgo_tracker_new(g.p, NULL, &e);
    if (t == NULL || csspgo_tracker_compile_order(t, f + 1, c->n, order, 32, &n, NULL) != CSSPGO_OK) return 1;
    for (i = 0; i < n; i++) {
        csspgo_inliner_result made;
        csspgo_node base;
        made.decision = out;
        made.cap = MOST_DECISIONS;
        if (csspgo_tracker_decide(t, order[i], g.f, 32, &how, &made, NULL) != CSSPGO_OK) return 1;
        for (k = 0; k < made.count; k++) say(&g, order[i], out, (uint32_t)k);
        base = made.base;
        if (base.id != 0 && csspgo_total(csspgo_tracker_profile(t), base) != 0)
            print_all_counts(t, base, out, made.count);
    }
    csspgo_tracker_free(t);
    csspgo_profile_free(g.p);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    code c;
    if (strcmp(what, "code") == 0 || strcmp(what, "contexts") == 0 || strcmp(what, "hot") == 0 ||
        strcmp(what, "none") == 0) {
        c = make_code(argv[2]);
        if (strcmp(what, "code") == 0) print_code(&c);
        else if (argc != 4) return 2;
        else if (strcmp(what, "contexts") == 0) print_profile(&c, argv[3]);
        else return run_code(&c, strcmp(what, "hot") == 0, argv[3]);
        return 0;
    }
    if (argc != 4) return 2;
    if (strcmp(what, "run") == 0) return run(strcmp(argv[2], "indirect") == 0, argv[3]);
    seed = strtoull(argv[3], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15);
    generate(strcmp(argv[2], "indirect") == 0);
    return 0;
}
