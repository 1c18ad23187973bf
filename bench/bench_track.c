/* bench_track.c - the tracker on a profile of a million contexts: queries, marks, bases, memory. Argument: runs. */
#define _POSIX_C_SOURCE 199309L
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CONTEXTS = 1000000, FUNCS = 20000, QUERIES = 10000000, DEPTH = 12, BODIES = 8 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t seed = 88172645463325252u;

static uint32_t rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % n);
}

static void *must(void *p)
{
    if (p != NULL) return p;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

/* A tree of contexts: each node hangs below a random earlier one that is not too deep; function 1 is called last. */
static csspgo_profile *make(void)
{
    csspgo_profile *p = (csspgo_profile *)must(csspgo_profile_new(NULL));
    csspgo_node *node = (csspgo_node *)must(malloc((CONTEXTS + 1) * sizeof *node));
    unsigned char *depth = (unsigned char *)must(malloc(CONTEXTS + 1));
    uint32_t i, k, n = 0;
    char name[32];
    csspgo_set_profile_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    for (i = 0; i < FUNCS; i++) csspgo_func_add(p, name, (size_t)sprintf(name, "_Z9function%05uv", i));
    node[0] = csspgo_root(p);
    depth[0] = 0;
    while (n < CONTEXTS) {
        const uint32_t up = n < 2000 ? 0 : 1 + rnd(n - 1);
        csspgo_func f;
        csspgo_node c;
        if (depth[up] >= DEPTH) continue;
        f.id = n < 2000 ? 1 + n : 1 + rnd(FUNCS);
        c = csspgo_node_add(p, node[up], csspgo_at(up == 0 ? 0 : 1 + rnd(40), 0), CSSPGO_CONTEXT, f);
        if (c.id == 0 || csspgo_has_record(p, c)) continue;
        node[++n] = c;
        depth[n] = (unsigned char)(depth[up] + 1);
        csspgo_add_total(p, c, 1 + rnd(1000));
        csspgo_add_head(p, c, 1 + rnd(100));
        for (k = 0; k < BODIES; k++) csspgo_add_body(p, c, csspgo_at(1 + 5 * k, 0), rnd(1000));
    }
    free(node);
    free(depth);
    return p;
}

typedef struct query {
    csspgo_node caller;
    csspgo_loc  loc;
    csspgo_func func;
} query;

/* Calls that exist, in random order; every eighth one is of a function that is not called there. */
static query *make_queries(const csspgo_profile *p)
{
    query *q = (query *)must(malloc(QUERIES * sizeof *q));
    uint32_t i;
    for (i = 0; i < QUERIES; i++) {
        csspgo_node n;
        do n.id = 2 + rnd(csspgo_node_count(p));
        while (csspgo_node_parent(p, n).id == 1);
        q[i].caller = csspgo_node_parent(p, n);
        q[i].loc = csspgo_node_loc(p, n);
        q[i].func = csspgo_node_func(p, n);
        if (i % 8 == 7) q[i].func.id = 1 + rnd(FUNCS);
    }
    return q;
}

static void rate(const char *what, double seconds, double n)
{
    printf("  %-44s %8.1f M/s  %7.1f ns\n", what, n / seconds / 1e6, seconds / n * 1e9);
}

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? atoi(argv[1]) : 3;
    csspgo_profile *p = make();
    query *q = make_queries(p);
    csspgo_tracker_options how;
    csspgo_error e;
    int run;
    memset(&how, 0, sizeof how);
    printf("tracker: %u contexts of %u functions, %u counts each\n", csspgo_node_count(p), FUNCS, BODIES);
    for (run = 0; run < runs; run++) {
        uint64_t sum = 0, before;
        uint32_t i, marked = 0, mark;
        csspgo_func any, f;
        csspgo_node n;
        csspgo_tracker_stats s;
        double t0 = now(), t1;
        csspgo_tracker *t = (csspgo_tracker *)must(csspgo_tracker_new(p, &how, &e));
        t1 = now();
        before = csspgo_profile_memory(p);
        printf("run %d\n  %-44s %8.0f ms; %.0f bytes a context, the tracker's own: %.0f\n", run + 1,
               "new (copy, index, summary)", (t1 - t0) * 1e3, (double)before / CONTEXTS,
               (double)t->heap.used / CONTEXTS);
        t0 = now();
        for (i = 0; i < QUERIES; i++) sum += csspgo_tracker_callee(t, q[i].caller, q[i].loc, q[i].func).id;
        rate("callee of a call (random)", now() - t0, QUERIES);
        t0 = now();
        for (i = 0; i < QUERIES; i++)
            sum += csspgo_tracker_entry(t, csspgo_tracker_callee(t, q[i].caller, q[i].loc, q[i].func));
        rate("callee and its entry count", now() - t0, QUERIES);
        any.id = 0;
        t0 = now();
        for (i = 0; i < QUERIES / 10; i++) sum += csspgo_tracker_callee(t, q[i].caller, q[i].loc, any).id;
        rate("hottest callee of a call", now() - t0, QUERIES / 10);
        t0 = now();
        for (i = 0; i < QUERIES / 10; i++) {
            n = csspgo_tracker_callee(t, q[i].caller, q[i].loc, q[i].func);
            if (i % 4 == 0 && n.id != 0) marked += csspgo_tracker_mark_inlined(t, n) == CSSPGO_OK;
        }
        rate("callee, every fourth one marked", now() - t0, QUERIES / 10);
        t0 = now();
        if (csspgo_tracker_checkpoint(t, &mark) != CSSPGO_OK) return 1;
        for (f.id = 1; f.id <= FUNCS; f.id++)
            if (csspgo_tracker_base(t, f, 1, &n) != CSSPGO_OK) return 1;
        t1 = now();
        s = csspgo_tracker_statistics(t);
        printf("  %-44s %8.0f ms; %.0f moved, %.0f merged, %.2f us each\n", "base of every function, with a checkpoint",
               (t1 - t0) * 1e3, (double)s.moved, (double)s.merged, (t1 - t0) * 1e6 / (double)(s.moved + s.merged));
        t0 = now();
        if (csspgo_tracker_rollback(t, mark) != CSSPGO_OK) return 1;
        printf("  %-44s %8.0f ms\n", "roll-back of it", (now() - t0) * 1e3);
        printf("  (checksum %llu, %u marked)\n", (unsigned long long)sum, marked);
        csspgo_tracker_free(t);
    }
    free(q);
    csspgo_profile_free(p);
    return 0;
}
