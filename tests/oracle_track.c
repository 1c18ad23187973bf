/*
 * oracle_track.c - for oracle_track.sh: random profiles of data/tracker/loader's programs, and what the library's
 * inliner makes of them, in the words of opt's remarks.
 *
 *     oracle_track gen basic|indirect SEED      a profile on stdout
 *     oracle_track run basic|indirect PROFILE   decisions and entry counts, one a line
 */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

#include <stdlib.h>

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
        printf(" 1: %u\n 2: %u leaf:%u\n 3: %u\n 4: %u ext:%u\n 5: %u\n !CFGChecksum: 563003850888502\n", n, n, n, n, n, n,
               n);
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
    csspgo_callable f[32];
    csspgo_call     call[32][4];
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
    csspgo_callable *f = &g->f[caller.id];
    g->call[caller.id][f->call_count].loc = csspgo_at(probe, 0);
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
static void say(const program *g, csspgo_func f, const csspgo_decision *d, uint32_t i)
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
    g.p = csspgo_profile_new(NULL);
    if (g.p == NULL || csspgo_read_file(g.p, path, &e) != CSSPGO_OK) return 1;
    describe(&g, indirect);
    t = csspgo_tracker_new(g.p, NULL, &e);
    if (t == NULL || csspgo_tracker_order(t, NULL, 0, order, 32, &n) != CSSPGO_OK) return 1;
    for (i = 0; i < n; i++) {
        csspgo_decision out[16];
        csspgo_node base;
        size_t made, k;
        if (csspgo_tracker_inline(t, order[i], g.f, 32, NULL, out, 16, &made, &base) != CSSPGO_OK) return 1;
        for (k = 0; k < made; k++)
            if (out[k].inlined) say(&g, order[i], out, (uint32_t)k);
        if (base.id != 0)
            printf("entry %s %llu\n", name_of(g.p, order[i]),
                   (unsigned long long)csspgo_head(csspgo_tracker_profile(t), base));
    }
    csspgo_tracker_free(t);
    csspgo_profile_free(g.p);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    if (strcmp(argv[1], "run") == 0) return run(strcmp(argv[2], "indirect") == 0, argv[3]);
    seed = strtoull(argv[3], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15);
    generate(strcmp(argv[2], "indirect") == 0);
    return 0;
}
