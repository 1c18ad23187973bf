/*
 * bench_track.c - the tracker on a profile of a million contexts: queries, marks, moves, bases, memory.
 *
 *     bench_track [RUNS]     median of RUNS (5), and the smallest and largest; CPU time of this one thread
 *
 * Ends with status 1 if a query or a mark allocated memory.
 */
#define _POSIX_C_SOURCE 199309L
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
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
static csspgo_profile *make(const csspgo_options *o)
{
    csspgo_profile *p = (csspgo_profile *)must(csspgo_profile_new(o, NULL));
    csspgo_node *node = (csspgo_node *)must(malloc((CONTEXTS + 1) * sizeof *node));
    unsigned char *depth = (unsigned char *)must(malloc(CONTEXTS + 1));
    uint32_t i, k, n = 0;
    char name[32];
    csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    for (i = 0; i < FUNCS; i++) csspgo_func_add(p, name, (size_t)sprintf(name, "_Z9function%05uv", i));
    node[0] = csspgo_root(p);
    depth[0] = 0;
    while (n < CONTEXTS) {
        const uint32_t up = n < 2000 ? 0 : 1 + rnd(n - 1);
        csspgo_func f;
        csspgo_node c;
        if (depth[up] >= DEPTH) continue;
        f.id = n < 2000 ? 1 + n : 1 + rnd(FUNCS);
        c = csspgo_node_add(p, node[up], csspgo_loc_at(up == 0 ? 0 : 1 + rnd(40), 0), CSSPGO_CONTEXT, f);
        if (c.id == 0 || csspgo_has_record(p, c)) continue;
        node[++n] = c;
        depth[n] = (unsigned char)(depth[up] + 1);
        csspgo_add_total(p, c, 1 + rnd(1000));
        csspgo_add_head(p, c, 1 + rnd(100));
        for (k = 0; k < BODIES; k++) csspgo_add_body(p, c, csspgo_loc_at(1 + 5 * k, 0), rnd(1000));
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

/* An allocator that counts. */
static unsigned long allocations;

static void *counting_alloc(void *ctx, size_t size)
{
    (void)ctx;
    allocations++;
    return malloc(size);
}

static void counting_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    (void)size;
    free(ptr);
}

/* ----- results: one row per measurement, one value per run ----- */

enum { ROWS = 24, MOST_RUNS = 99 };

typedef struct row {
    const char   *what, *unit;
    double        value[MOST_RUNS];
    unsigned long allocations;
} row;

static row table[ROWS];
static int rows;

static void add(const char *what, const char *unit, double value)
{
    int r = 0, i = 0;
    while (r < rows && strcmp(table[r].what, what) != 0) r++;
    if (r == rows) rows++;
    table[r].what = what;
    table[r].unit = unit;
    while (table[r].value[i] != 0) i++;
    table[r].value[i] = value;
}

static double began;
static unsigned long allocated;

static void begin(void)
{
    allocated = allocations;
    began = now();
}

/* Ends what begin began: n operations. free_of: they must not allocate. */
static void end(const char *what, double n, int free_of)
{
    const double ns = (now() - began) / n * 1e9;
    add(what, "ns", ns);
    if (free_of) table[rows - 1].allocations += allocations - allocated;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int print_table(int runs)
{
    int r, bad = 0;
    printf("%-52s %9s %9s %9s %12s\n", "", "median", "least", "most", "");
    for (r = 0; r < rows; r++) {
        double *v = table[r].value;
        qsort(v, (size_t)runs, sizeof *v, by_value);
        printf("%-52s %9.1f %9.1f %9.1f %-6s", table[r].what, v[runs / 2], v[0], v[runs - 1], table[r].unit);
        if (strcmp(table[r].unit, "ns") == 0) printf("%8.1f M/s", 1e3 / v[runs / 2]);
        if (table[r].allocations != 0) printf("  %lu allocations", table[r].allocations);
        bad |= table[r].allocations != 0;
        printf("\n");
    }
    return bad;
}

/* Nodes in order of the tree: as an inliner asks, that goes through a function's calls and on into what it inlined. */
static query *in_order(const csspgo_profile *p, size_t *count)
{
    query *q = (query *)must(malloc(CONTEXTS * sizeof *q));
    csspgo_node n = csspgo_node_first_child(p, csspgo_root(p)), down;
    *count = 0;
    while (n.id != 0) {
        if (csspgo_node_parent(p, n).id != 1) {
            q[*count].caller = csspgo_node_parent(p, n);
            q[*count].loc = csspgo_node_loc(p, n);
            q[(*count)++].func = csspgo_node_func(p, n);
        }
        down = csspgo_node_first_child(p, n);
        while (down.id == 0 && n.id != 0) {
            down = csspgo_node_next_sibling(p, n);
            if (down.id == 0) n = csspgo_node_parent(p, n);
        }
        n = down;
    }
    return q;
}

static uint64_t sum;              /* of all answers: printed, so that no query is left out */

static void queries(csspgo_tracker *t, const query *q, const query *ordered, size_t n)
{
    csspgo_frame frame[2];
    csspgo_func any;
    size_t i;
    any.id = 0;
    begin();
    for (i = 0; i < QUERIES; i++) sum += csspgo_tracker_callee(t, q[i].caller, q[i].loc, q[i].func).id;
    end("callee of a call, calls in random order", QUERIES, 1);
    begin();
    for (i = 0; i < QUERIES; i++)
        sum += csspgo_tracker_entry_count(t, csspgo_tracker_callee(t, q[i].caller, q[i].loc, q[i].func));
    end("callee and its entry count, random", QUERIES, 1);
    begin();
    for (i = 0; i < QUERIES; i++) {
        const query *x = &ordered[i % n];
        sum += csspgo_tracker_entry_count(t, csspgo_tracker_callee(t, x->caller, x->loc, x->func));
    }
    end("callee and its entry count, in order of the tree", QUERIES, 1);
    begin();
    for (i = 0; i < QUERIES / 10; i++) sum += csspgo_tracker_callee(t, q[i].caller, q[i].loc, any).id;
    end("hottest callee of a call, random", QUERIES / 10, 1);
    memset(frame, 0, sizeof frame);
    begin();
    for (i = 0; i < QUERIES / 10; i++) {
        frame[0].func.id = 1 + (uint32_t)i % FUNCS;
        frame[0].loc = q[i].loc;
        frame[1].func = q[i].func;
        sum += csspgo_tracker_find(t, frame, 2).id;
    }
    end("context of an inline stack of two", QUERIES / 10, 1);
}

/* Marks of n contexts, and taking them back. */
static void marks(csspgo_tracker *t, const query *q)
{
    csspgo_node *node = (csspgo_node *)must(malloc(QUERIES / 10 * sizeof *node));
    size_t i, n = 0;
    for (i = 0; i < QUERIES / 10; i++) {
        node[n] = csspgo_tracker_callee(t, q[i].caller, q[i].loc, q[i].func);
        n += node[n].id != 0;
    }
    begin();
    for (i = 0; i < n; i++) sum += csspgo_tracker_mark_inlined(t, node[i], NULL);
    end("mark, random", (double)n, 1);
    begin();
    for (i = 0; i < n; i++) sum += csspgo_tracker_unmark(t, node[i], NULL);
    end("unmark, random", (double)n, 1);
    for (i = 0; i < n; i += 4) sum += csspgo_tracker_mark_inlined(t, node[i], NULL);
    free(node);
}

static size_t size_of(const csspgo_profile *p, csspgo_node top)
{
    csspgo_node n = top, down;
    size_t size = 1;
    for (;;) {
        down = csspgo_node_first_child(p, n);
        while (down.id == 0) {
            if (n.id == top.id) return size;
            down = csspgo_node_next_sibling(p, n);
            if (down.id == 0) n = csspgo_node_parent(p, n);
        }
        size++;
        n = down;
    }
}

enum { MOST_MOVED = 100000 };

/* Subtrees of about `size` contexts go to another caller, where there is nothing, and back: per context that moved. */
static void moves(csspgo_tracker *t, size_t size, const char *what)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_node *node = (csspgo_node *)must(malloc(MOST_MOVED * sizeof *node)), n, at;
    size_t count = 0, moved = 0, i;
    for (n.id = 2; n.id < CONTEXTS && count < MOST_MOVED && moved < MOST_MOVED; n.id++) {
        const csspgo_node up = csspgo_node_parent(p, n);
        const size_t k = up.id == 1 || csspgo_node_parent(p, up).id == 1 ? 0 : size_of(p, n);
        if (k == 0 || k < size * 9 / 10 || k > size + size / 10) continue;
        node[count++] = n;
        moved += k;
    }
    begin();
    for (i = 0; i < count; i++) {
        const csspgo_node up = csspgo_node_parent(p, node[i]);
        const csspgo_loc loc = csspgo_node_loc(p, node[i]);
        if (csspgo_tracker_move(t, node[i], csspgo_node_parent(p, up), csspgo_loc_at(1000, 7), &at, NULL) != CSSPGO_OK)
            exit(1);
        if (csspgo_tracker_move(t, at, up, loc, &at, NULL) != CSSPGO_OK) exit(1);
    }
    if (count != 0) end(what, 2 * (double)moved, 0);
    free(node);
}

static void bases(csspgo_tracker *t)
{
    csspgo_tracker_stats before = csspgo_tracker_get_stats(t), s;
    csspgo_node n;
    csspgo_func f;
    uint32_t mark;
    double t0 = now(), ms;
    if (csspgo_tracker_checkpoint(t, &mark, NULL) != CSSPGO_OK) exit(1);
    for (f.id = 1; f.id <= FUNCS; f.id++)
        if (csspgo_tracker_base(t, f, 1, &n, NULL) != CSSPGO_OK) exit(1);
    ms = (now() - t0) * 1e3;
    s = csspgo_tracker_get_stats(t);
    add("base of every function, with a checkpoint", "ms", ms);
    add("  the same per subtree moved or record merged", "ns",
        ms * 1e6 / (double)(s.moved - before.moved + s.merged - before.merged));
    begin();
    for (f.id = 1; f.id <= FUNCS; f.id++)
        if (csspgo_tracker_base(t, f, 1, &n, NULL) != CSSPGO_OK) exit(1);
    end("base once more, nothing is left to merge", FUNCS, 1);
    t0 = now();
    if (csspgo_tracker_rollback(t, mark, NULL) != CSSPGO_OK) exit(1);
    add("roll-back of all bases", "ms", (now() - t0) * 1e3);
}

int main(int argc, char **argv)
{
    const int runs = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) % MOST_RUNS : 5;
    csspgo_options o;
    csspgo_profile *p;
    query *q, *ordered;
    csspgo_tracker_options how;
    csspgo_error e;
    size_t n;
    int run;
    memset(&how, 0, sizeof how);
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counting_alloc;
    o.allocator.free_fn = counting_free;
    p = make(&o);
    q = make_queries(p);
    printf("%u contexts of %u functions, %u counts each; %u queries; %d runs\n", csspgo_node_count(p), FUNCS, BODIES,
           QUERIES, runs);
    for (run = 0; run < runs; run++) {
        const double t0 = now();
        csspgo_tracker *t = (csspgo_tracker *)must(csspgo_tracker_new(p, &how, &e));
        add("new: copy, index, summary", "ms", (now() - t0) * 1e3);
        ordered = in_order(csspgo_tracker_profile(t), &n);
        queries(t, q, ordered, n);
        moves(t, 1, "move, a context without callees");
        moves(t, 10, "move of 10 contexts, each");
        moves(t, 100, "move of 100 contexts, each");
        moves(t, 1000, "move of 1000 contexts, each");
        marks(t, q);
        add("memory: the tracker's, a context", "bytes", (double)t->m.heap.used / CONTEXTS);
        add("memory: the copied profile's, a context", "bytes",
            (double)csspgo_profile_memory(csspgo_tracker_profile(t)) / CONTEXTS);
        add("  of that, node and record without counts", "bytes",
            (double)csspgo_profile_memory(csspgo_tracker_profile(t)) / CONTEXTS - BODIES * sizeof(csspgo_body));
        bases(t);
        csspgo_tracker_free(t);
        free(ordered);
    }
    run = print_table(runs);
    printf("(sum of all answers %llu)\n", (unsigned long long)sum);
    free(q);
    csspgo_profile_free(p);
    return run;
}
