/* test_ctxone.c - layer ctxprof: exact counts in the tree of contexts: blocks from counted edges, exact and sampled counts in
 * one profile, the questions of an inliner. */
#include "t.h"
#include "ctx_nodes.h"

/* ----- helpers ----- */

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static csspgo_ctx *made(const csspgo_options *o)
{
    csspgo_ctx *c = csspgo_ctx_new(o, NULL);
    if (c == NULL) abort();
    return c;
}

static csspgo_node add(csspgo_ctx *c, csspgo_node up, enum ctx_kind kind, uint32_t site, uint64_t guid,
                           const uint64_t *v, size_t n)
{
    const csspgo_node node = ctx_add(c, up, kind, site, guid, v, n, NULL);
    T_CHECK(node.id != 0);
    return node;
}

static csspgo_node top_of(csspgo_profile *p, uint64_t guid)
{
    return csspgo_child(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, csspgo_func_add_guid(p, guid));
}

/* ----- counts of blocks from counted edges ----- */

enum { MOST = 24 };

typedef struct graph {
    csspgo_cfg_block block[MOST];
    csspgo_cfg_edge  edge[3 * MOST];
    uint64_t         runs[MOST], passes[3 * MOST];   /* what a run of the function did */
    uint64_t         counter[3 * MOST + 1];
    csspgo_cfg       cfg;
    size_t           counters;
} graph;

static void graph_edge(graph *g, uint32_t from, uint32_t to)
{
    csspgo_cfg_edge *e = &g->edge[g->cfg.edges++];
    e->from = from;
    e->to = to;
}

/* A chain of blocks to the last one, which is the only end, and edges across. */
static void graph_make(graph *g, uint32_t n)
{
    uint32_t i;
    memset(g, 0, sizeof *g);
    g->cfg.block = g->block;
    g->cfg.edge = g->edge;
    g->cfg.blocks = n;
    for (i = 0; i + 1 < n; i++) graph_edge(g, i, i + 1);
    for (i = 0; n > 1 && i < n + n / 2; i++) graph_edge(g, rnd(n - 1), 1 + rnd(n - 1));
}

/* Walks of the graph from the entry to the end. */
static void graph_run(graph *g, unsigned times)
{
    size_t i, k, steps;
    for (; times != 0; times--) {
        uint32_t at = 0;
        g->runs[0]++;
        for (steps = 0; at + 1 < g->cfg.blocks; steps++) {
            k = steps < 200 ? rnd((uint32_t)g->cfg.edges) : 0;
            for (i = 0; g->edge[(k + i) % g->cfg.edges].from != at; i++) {}
            k = (k + i) % g->cfg.edges;
            g->passes[k]++;
            at = g->edge[k].to;
            g->runs[at]++;
        }
    }
}

/* Counters as LLVM places them: none on the edges of a spanning tree; counter 0 is the entry. Some stand for blocks. */
static void graph_count(graph *g, int blocks_too)
{
    uint32_t up[MOST], i, a, b;
    for (i = 0; i < MOST; i++) up[i] = i;
    g->counters = 1;
    g->counter[0] = g->runs[0];
    g->block[0].known = 1;
    for (i = 0; i < g->cfg.edges; i++) {
        for (a = g->edge[i].from; up[a] != a; a = up[a]) {}
        for (b = g->edge[i].to; up[b] != b; b = up[b]) {}
        if (a != b) {
            up[a] = b;
            continue;
        }
        if (blocks_too && rnd(4) == 0 && !g->block[g->edge[i].to].known) {
            g->block[g->edge[i].to].known = 1;      /* more than need be */
            g->block[g->edge[i].to].count = g->counters;
            g->counter[g->counters++] = g->runs[g->edge[i].to];
        }
        g->edge[i].known = 1;
        g->edge[i].count = g->counters;
        g->counter[g->counters++] = g->passes[i];
    }
}

static void graph_is_solved(const graph *g)
{
    csspgo_ctx_function f;
    csspgo_ctx *c = made(NULL);
    csspgo_profile *p = t_profile(0);
    csspgo_error e;
    csspgo_node n;
    size_t i;
    memset(&f, 0, sizeof f);
    f.guid = 5;
    f.cfg = &g->cfg;
    add(c, ctx_top(c), CTX_ROOT, 0, 5, g->counter, g->counters);
    T_EQ(csspgo_ctx_profile(c, &f, 1, p, &e), CSSPGO_OK);
    T_CHECK(t_valid(p));
    n = top_of(p, 5);
    T_EQ(csspgo_head(p, n), g->runs[0]);
    for (i = 0; i < g->cfg.blocks; i++) T_EQ(csspgo_body_count(p, n, csspgo_loc_at((uint32_t)i + 1, 0)), g->runs[i]);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

static void blocks_follow_from_edges(void)
{
    graph g;
    int i;
    for (i = 0; i < 300; i++) {
        graph_make(&g, 1 + rnd(MOST));
        graph_run(&g, 1 + rnd(9));
        graph_count(&g, i & 1);
        graph_is_solved(&g);
    }
}

/* A function that ends in the middle; a call that did not return; locations that are nowhere; sites behind the blocks. */
static void graphs_have_ends_and_holes(void)
{
    static const uint64_t root[3] = { 10, 4, 7 }, callee[1] = { 3 };
    csspgo_cfg_block block[3];
    csspgo_cfg_edge edge[2];
    csspgo_loc loc[3];
    csspgo_ctx_function f;
    csspgo_cfg cfg;
    csspgo_ctx *c = made(NULL);
    csspgo_profile *p = t_profile(0);
    csspgo_node root_node;
    csspgo_node n;
    memset(block, 0, sizeof block);
    memset(edge, 0, sizeof edge);
    memset(&cfg, 0, sizeof cfg);
    memset(&f, 0, sizeof f);
    cfg.block = block;
    cfg.blocks = 3;
    cfg.edge = edge;
    cfg.edges = 2;
    edge[0].to = edge[1].from = 1;                    /* 0 -> 1 -> 2, and 1 may end */
    edge[1].to = 2;
    block[0].known = block[1].is_exit = block[2].known = 1;
    block[2].count = 1;
    f.guid = 1;
    f.cfg = &cfg;
    root_node = add(c, ctx_top(c), CTX_ROOT, 0, 1, root, 3);
    add(c, root_node, CTX_CALLEE, 2, 9, callee, 1);
    T_EQ(csspgo_ctx_profile(c, &f, 1, p, NULL), CSSPGO_OK);
    n = top_of(p, 1);
    T_EQ(csspgo_body_count(p, n, csspgo_loc_at(2, 0)), 10);
    T_EQ(csspgo_body_count(p, n, csspgo_loc_at(3, 0)), 4);
    T_EQ(csspgo_body_count(p, n, csspgo_loc_at(3 + 1 + 2, 0)), 3);
    csspgo_profile_free(p);
    p = t_profile(0);
    edge[1].from = edge[1].to = 1;                    /* 0 -> 1 -> 1, 10 times and 7, and ends */
    edge[1].known = 1;
    edge[1].count = 2;
    block[2].known = 0;
    loc[0] = csspgo_loc_at(UINT32_MAX, 0);
    loc[1] = csspgo_loc_at(70, 1);
    loc[2] = csspgo_loc_at(8, 0);
    f.counter = loc;
    f.counters = 3;
    T_EQ(csspgo_ctx_profile(c, &f, 1, p, NULL), CSSPGO_OK);
    n = top_of(p, 1);
    T_EQ(csspgo_body_count(p, n, csspgo_loc_at(70, 1)), 17);
    T_EQ(csspgo_body_count(p, n, csspgo_loc_at(8, 0)), 0);   /* nothing leads to block 2 */
    T_EQ(csspgo_total(p, n), 17 + 3);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

/* No count falls below 0 where counters do not fit. */
static void torn_counters_do_no_harm(void)
{
    graph g;
    uint64_t most = 0;
    csspgo_ctx_function f;
    csspgo_ctx *c = made(NULL);
    csspgo_profile *p = t_profile(0);
    const csspgo_body *b;
    size_t i, n;
    graph_make(&g, MOST);
    graph_run(&g, 5);
    graph_count(&g, 0);
    for (i = 0; i < g.counters; i++) {
        g.counter[i] = i % 3 == 0 ? 0 : g.counter[i] + i;
        most += g.counter[i];
    }
    g.counter[0] = 1;
    memset(&f, 0, sizeof f);
    f.guid = 5;
    f.cfg = &g.cfg;
    add(c, ctx_top(c), CTX_ROOT, 0, 5, g.counter, g.counters);
    T_EQ(csspgo_ctx_profile(c, &f, 1, p, NULL), CSSPGO_OK);
    b = csspgo_get_bodies(p, top_of(p, 5), &n);
    for (i = 0; i < n; i++) T_CHECK(b[i].count <= (most + 1) * MOST);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

static void refused(const csspgo_ctx *c, const csspgo_ctx_function *f, const char *says)
{
    csspgo_profile *p = t_profile(0);
    csspgo_error e;
    T_EQ(csspgo_ctx_profile(c, f, 1, p, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, says) != NULL && strstr(e.message, "GUID 5") != NULL);
    T_EQ(csspgo_node_count(p), 0);
    csspgo_profile_free(p);
}

static void graphs_that_are_none_are_refused(void)
{
    graph g;
    csspgo_ctx_function f;
    csspgo_ctx *c = made(NULL);
    graph_make(&g, 4);
    graph_run(&g, 2);
    graph_count(&g, 0);
    memset(&f, 0, sizeof f);
    f.guid = 5;
    f.cfg = &g.cfg;
    add(c, ctx_top(c), CTX_ROOT, 0, 5, g.counter, 1);
    refused(c, &f, "counter");
    g.edge[1].to = 4;
    refused(c, &f, "leads from block");
    g.edge[1].to = 0;
    g.cfg.blocks = 0;
    g.cfg.edges = 0;
    refused(c, &f, "no block");
    csspgo_ctx_free(c);
}

/* ----- exact and sampled counts in one profile ----- */

static const char *const names[] = { "run", "work", "cb", "job" };

enum { NAMES = sizeof names / sizeof *names };

static void name_all(csspgo_ctx_function *f)
{
    size_t i;
    memset(f, 0, NAMES * sizeof *f);
    for (i = 0; i < NAMES; i++) {
        f[i].name = names[i];
        f[i].name_size = strlen(names[i]);
        f[i].guid = csspgo_guid(f[i].name, f[i].name_size);
    }
}

static uint64_t guid_of(const char *name)
{
    return csspgo_guid(name, strlen(name));
}

/* run (2 counters, 1 site) calls work n times; each takes its second block every other time. */
static csspgo_ctx *runs(uint64_t entries, uint64_t n)
{
    csspgo_ctx *c = made(NULL);
    csspgo_node root;
    uint64_t v[2];
    v[0] = 1 * entries;
    v[1] = n * entries;
    root = add(c, ctx_top(c), CTX_ROOT, 0, guid_of("run"), v, 2);
    v[0] = n * entries;
    v[1] = n * entries / 2;
    add(c, root, CTX_CALLEE, 0, guid_of("work"), v, 2);
    return c;
}

static csspgo_profile *read_samples(const char *text)
{
    csspgo_profile *p = t_profile(0);
    csspgo_error e;
    T_EQ(csspgo_read(p, text, strlen(text), &e), CSSPGO_OK);
    return p;
}

/* Samples of the same program, a tenth of its counts: run is called from two places, and main calls work as well. */
static const char samples[] = "[main]:30:1\n 1: 10\n 2: 10 run:10\n 3: 10 work:10\n"
                              "[main:2 @ run]:550:10\n 1: 50\n 2: 500\n"
                              "[main:2 @ run:3 @ work]:750:500\n 1: 500\n 2: 250\n"
                              "[main:2 @ run:3 @ work:7 @ cb]:4:4\n 1: 4\n"
                              "[main:4 @ job:1 @ run]:550:10\n 1: 50\n 2: 500\n"
                              "[main:4 @ job:1 @ run:3 @ work]:750:500\n 1: 500\n 2: 250\n"
                              "[main:3 @ work]:10:10\n 1: 10\n";

static void expect(csspgo_profile *p, const char *context, uint64_t total, uint64_t head)
{
    const csspgo_node n = csspgo_find(p, context);
    if (n.id == 0) fprintf(stderr, "    no context %s\n", context);
    T_CHECK(n.id != 0);
    T_EQ(csspgo_total(p, n), total);
    T_EQ(csspgo_head(p, n), head);
}

static void exact_counts_take_the_place_of_samples(void)
{
    csspgo_ctx_function f[NAMES];
    csspgo_ctx_combine_stats s;
    csspgo_ctx *c = runs(1000, 10);
    csspgo_profile *p = read_samples(samples);
    csspgo_error e;
    name_all(f);
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, &s, &e), CSSPGO_OK);
    T_CHECK(t_valid(p));
    T_CHECK(s.num == 10 && s.den == 1);
    T_CHECK(s.exact == 2 && s.replaced == 2 && s.common == 2 && s.conflicts == 0 && s.sampled == 3);
    expect(p, "run", 1000 + 10000 + 10000, 1000);
    expect(p, "run:3 @ work", 15000, 10000);
    expect(p, "run:3 @ work:7 @ cb", 40, 40);        /* nothing exact there */
    expect(p, "main", 300, 10);
    expect(p, "main:3 @ work", 100, 100);
    T_EQ(csspgo_find(p, "main:2 @ run").id, 0);
    T_EQ(csspgo_find(p, "main:4 @ job").id, 0);            /* a frame that led to the root only */
    T_EQ(csspgo_record_count(p), 5);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

/* The other way round: samples count more, so the exact counts grow. One context of ten is far off. */
static void the_factor_is_a_median(void)
{
    csspgo_ctx_function f[1];
    csspgo_ctx_combine_options how;
    csspgo_ctx_combine_stats s;
    csspgo_ctx *c = made(NULL);
    csspgo_profile *p = t_profile(0), *q;
    csspgo_node root;
    csspgo_error e;
    uint64_t v[1];
    uint32_t i;
    memset(f, 0, sizeof f);
    memset(&how, 0, sizeof how);
    f[0].guid = guid_of("a");
    f[0].name = "a";
    f[0].name_size = 1;
    v[0] = 3;
    root = add(c, ctx_top(c), CTX_ROOT, 0, f[0].guid, v, 1);
    for (i = 0; i < 10; i++) {
        csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT,
                                        csspgo_func_add(p, "a", 1));
        v[0] = 4 * (i + 1);
        add(c, root, CTX_CALLEE, i, f[0].guid, v, 1);
        n = csspgo_node_add(p, n, csspgo_loc_at(2 + i, 0), CSSPGO_CONTEXT, csspgo_func_add(p, "a", 1));
        T_EQ(csspgo_add_body(p, n, csspgo_loc_at(1, 0), i == 4 ? 499 : 10 * (i + 1)), CSSPGO_OK);
    }
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    q = csspgo_profile_clone(p, NULL);
    T_EQ(csspgo_ctx_combine(c, f, 1, NULL, p, &s, &e), CSSPGO_OK);
    T_CHECK(s.num == 2 && s.den == 5);                /* 499 of 999 samples are at 20 / 499: less than half */
    csspgo_profile_free(p);
    p = q;
    T_EQ(csspgo_add_body(p, csspgo_find(p, "a:6 @ a"), csspgo_loc_at(1, 0), 1), CSSPGO_OK);
    T_EQ(csspgo_ctx_combine(c, f, 1, NULL, p, &s, &e), CSSPGO_OK);
    T_CHECK(s.num == 1 && s.den == 25);
    csspgo_profile_free(p);
    p = read_samples("[a:2 @ a]:10:0\n 1: 10\n[a:3 @ a]:20:0\n 1: 20\n[a:6 @ a]:29:0\n 1: 29\n[b]:7:7\n 1: 7\n");
    T_EQ(csspgo_ctx_combine(c, f, 1, NULL, p, &s, &e), CSSPGO_OK);
    T_CHECK(s.num == 2 && s.den == 5 && s.common == 3);
    T_EQ(csspgo_total(p, csspgo_find(p, "b")), 7);
    T_EQ(csspgo_body_count(p, csspgo_find(p, "a:3 @ a"), csspgo_loc_at(1, 0)), 20);
    T_EQ(csspgo_body_count(p, csspgo_find(p, "a"), csspgo_loc_at(1, 0)), 8);   /* 7.5 */
    csspgo_profile_free(p);
    how.num = 7;
    how.den = 2;
    p = read_samples("[b]:7:3\n 1: 7\n 2: 18446744073709551615\n");
    T_EQ(csspgo_ctx_combine(c, f, 1, NULL, p, &s, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, "factor") != NULL);
    T_EQ(csspgo_head(p, csspgo_find(p, "b")), 3);
    T_EQ(csspgo_ctx_combine(c, f, 1, &how, p, &s, &e), CSSPGO_OK);
    T_EQ(csspgo_head(p, csspgo_find(p, "b")), 11);    /* 10.5 */
    T_EQ(csspgo_body_count(p, csspgo_find(p, "b"), csspgo_loc_at(1, 0)), 25);  /* 24.5 */
    T_EQ(csspgo_body_count(p, csspgo_find(p, "b"), csspgo_loc_at(2, 0)), UINT64_MAX);
    T_EQ(csspgo_body_count(p, csspgo_find(p, "a"), csspgo_loc_at(1, 0)), 3);
    how.den = 0;
    T_EQ(csspgo_ctx_combine(c, f, 1, &how, p, &s, &e), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

/* Only one kind of counts: nothing is scaled. */
static void one_kind_stays_as_it_is(void)
{
    csspgo_ctx_function f[NAMES];
    csspgo_ctx_combine_stats s;
    csspgo_ctx *c = runs(7, 3), *none = made(NULL);
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    name_all(f);
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, &s, NULL), CSSPGO_OK);
    T_EQ(csspgo_ctx_profile(c, f, NAMES, q, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q) && s.num == 1 && s.den == 1 && s.sampled == 0 && s.exact == 2);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    p = read_samples(samples);
    q = read_samples(samples);
    T_EQ(csspgo_ctx_combine(none, f, NAMES, NULL, p, NULL, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_ctx_free(c);
    csspgo_ctx_free(none);
}

/* Entries that nobody counted; checksums that differ; a profile of GUIDs. */
static void roots_and_names_fit(void)
{
    csspgo_ctx_function f[NAMES];
    csspgo_ctx_combine_stats s;
    csspgo_ctx *c = runs(100, 10);
    csspgo_profile *p = read_samples(samples);
    csspgo_node n;
    name_all(f);
    T_EQ(csspgo_ctx_set_entry_count(c, ctx_first_child(c, ctx_top(c)), 1000), CSSPGO_OK);
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, &s, NULL), CSSPGO_OK);
    T_CHECK(s.num == 10 && s.den == 1);
    expect(p, "run", 1000 + 10000 + 10000, 1000);
    expect(p, "run:3 @ work", 15000, 10000);
    csspgo_profile_free(p);
    name_all(f);
    p = read_samples("[main:2 @ run]:550:100\n 1: 50\n 2: 500\n !CFGChecksum: 4\n"
                     "[main:2 @ run:3 @ work]:2:500\n 1: 2\n !CFGChecksum: 5\n");
    f[0].checksum = 4;
    f[1].checksum = 6;
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, &s, NULL), CSSPGO_OK);
    T_CHECK(s.num == 20 && s.den == 1 && s.conflicts == 1 && s.common == 1 && s.replaced == 2);
    T_EQ(csspgo_checksum(p, csspgo_find(p, "run:3 @ work")), 6);
    expect(p, "run:3 @ work", 15000, 10000);
    csspgo_profile_free(p);
    f[0].checksum = f[1].checksum = 0;
    p = t_profile(0);
    csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_MD5);
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT,
                        csspgo_func_add_guid(p, guid_of("run")));
    csspgo_add_body(p, n, csspgo_loc_at(1, 0), 100);
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, &s, NULL), CSSPGO_OK);
    T_CHECK(s.common == 1 && s.replaced == 1 && (csspgo_profile_flags(p) & CSSPGO_IS_MD5));
    T_EQ(csspgo_head(p, top_of(p, guid_of("run"))), 1000);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

/* Unhandled and flat nodes have no callers: samples of the function that have them go first. */
static void samples_with_callers_beat_bases(void)
{
    static const uint64_t counts[1] = { 60 };
    csspgo_ctx_function f[NAMES];
    csspgo_ctx_combine_stats s;
    csspgo_ctx *c = runs(1000, 10);
    csspgo_profile *p = read_samples(samples);
    name_all(f);
    add(c, ctx_top(c), CTX_FLAT, 0, guid_of("work"), counts, 1);
    add(c, ctx_top(c), CTX_FLAT, 0, guid_of("job"), counts, 1);
    add(c, ctx_first_child(c, ctx_top(c)), CTX_UNHANDLED, 0, guid_of("run"), counts, 1);
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, &s, NULL), CSSPGO_OK);
    T_CHECK(s.exact == 3 && s.sampled == 3);
    T_EQ(csspgo_find(p, "work").id, 0);
    expect(p, "job", 60, 60);
    expect(p, "run", 21000 + 60, 1060);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

/* Nodes and records in another order: the same profile. */
static void no_order_matters(void)
{
    csspgo_ctx_function f[NAMES], g[NAMES];
    csspgo_ctx *c = made(NULL), *d = made(NULL);
    csspgo_profile *p = t_profile(0), *q = t_profile(0), *part;
    csspgo_ctx_combine_stats a, b;
    const char *line = samples + strlen(samples);
    uint64_t v[2];
    uint32_t i;
    name_all(f);
    for (i = 0; i < NAMES; i++) g[i] = f[NAMES - 1 - i];
    for (i = 0; i < 6; i++) {
        csspgo_ctx *const to = i < 3 ? c : d;
        const uint32_t k = i < 3 ? i : 5 - i;          /* run, job, job's callee */
        csspgo_node up = ctx_top(to);
        v[0] = v[1] = 40 + 7 * k;
        if (k == 2) up = ctx_child(to, up, CTX_ROOT, 0, guid_of("job"));
        if (k == 2 && up.id == 0) {
            v[0] = v[1] = 47;
            up = add(to, ctx_top(to), CTX_ROOT, 0, guid_of("job"), v, 2);
            v[0] = v[1] = 54;
        } else if (k == 1 && i > 3) continue;
        add(to, up, k == 2 ? CTX_CALLEE : CTX_ROOT, 0, guid_of(k == 0 ? "run" : k == 1 ? "job" : "work"), v, 2);
    }
    T_EQ(csspgo_read(p, samples, strlen(samples), NULL), CSSPGO_OK);
    while (line != samples) {                         /* the last record first */
        const char *const end = line;
        do line--;
        while (line != samples && !(line[0] == '[' && line[-1] == '\n'));
        part = t_profile(0);
        T_EQ(csspgo_read(part, line, (size_t)(end - line), NULL), CSSPGO_OK);
        T_EQ(csspgo_add_profile(q, part, NULL), CSSPGO_OK);
        csspgo_profile_free(part);
    }
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, &a, NULL), CSSPGO_OK);
    T_EQ(csspgo_ctx_combine(d, g, NAMES, NULL, q, &b, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q));
    T_CHECK(memcmp(&a, &b, sizeof a) == 0);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_ctx_free(c);
    csspgo_ctx_free(d);
}

static void other_kinds_are_refused(void)
{
    static const char plain[] = "main:3:1\n 1: 3\n";
    csspgo_ctx_function f[NAMES];
    csspgo_ctx *c = runs(3, 3);
    csspgo_profile *p = read_samples(plain), *q = read_samples(plain);
    csspgo_error e;
    name_all(f);
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, NULL, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, "contexts") != NULL && csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    p = read_samples(samples);
    f[0].checksum = 5;
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p, NULL, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, "probes") != NULL);
    csspgo_profile_free(p);
    csspgo_ctx_free(c);
}

static void combining_survives_every_failing_allocation(void)
{
    static const uint64_t counts[1] = { 60 };
    csspgo_ctx_function f[NAMES];
    csspgo_cfg cfg;
    csspgo_cfg_edge edge[1];
    csspgo_cfg_block block[2];
    csspgo_ctx *c = runs(1000, 10);
    csspgo_profile *same = read_samples(samples);
    csspgo_error e;
    long nth;
    name_all(f);
    memset(&cfg, 0, sizeof cfg);
    memset(edge, 0, sizeof edge);
    memset(block, 0, sizeof block);
    edge[0].to = block[0].known = block[1].known = 1;
    block[1].count = 1;
    cfg.block = block;
    cfg.blocks = 2;
    cfg.edge = edge;
    cfg.edges = 1;
    f[1].cfg = &cfg;
    add(c, ctx_top(c), CTX_FLAT, 0, guid_of("job"), counts, 1);
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_status s = p != NULL ? csspgo_read(p, samples, strlen(samples), &e) : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) {
            s = csspgo_ctx_combine(c, f, NAMES, NULL, p, NULL, &e);
            T_EQ(s, e.status);
            T_EQ(csspgo_equal(p, same), s != CSSPGO_OK);
        }
        csspgo_profile_free(p);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 20);
    csspgo_profile_free(same);
    csspgo_ctx_free(c);
}

/* ----- the questions of an inliner ----- */

/* The same questions and decisions on exact, on sampled and on combined counts: the answers differ in scale only. */
static void a_tracker_answers_for_both_kinds(void)
{
    csspgo_ctx_function f[NAMES];
    csspgo_ctx *c = runs(1000, 10);
    csspgo_profile *p[3];
    uint64_t scale;
    int i;
    name_all(f);
    p[0] = t_profile(0);
    T_EQ(csspgo_ctx_profile(c, f, NAMES, p[0], NULL), CSSPGO_OK);
    p[1] = read_samples("[run]:1100:100\n 1: 100\n 2: 1000\n 3: 1000 work:1000\n[run:3 @ work]:1500:1000\n 1: 1000\n 2: 500\n");
    p[2] = read_samples(samples);
    T_EQ(csspgo_ctx_combine(c, f, NAMES, NULL, p[2], NULL, NULL), CSSPGO_OK);
    for (i = 0; i < 3; i++) {
        csspgo_tracker *t = csspgo_tracker_new(p[i], NULL, NULL);
        const csspgo_profile *q = csspgo_tracker_profile(t);
        csspgo_frame frame[2];
        csspgo_func run = csspgo_tracker_func(t, "run", 3), any;
        csspgo_node at, work[2], base;
        size_t n = 0;
        scale = i == 1 ? 1 : 10;
        memset(frame, 0, sizeof frame);
        any.id = 0;
        frame[0].func = run;
        frame[0].loc = csspgo_loc_at(3, 0);
        frame[1].func = csspgo_tracker_func(t, "work", 4);
        for (at = csspgo_tracker_contexts(t, frame[1].func); at.id != 0; at = csspgo_tracker_next(t, at)) n++;
        T_EQ(n, i == 2 ? 2 : 1);                      /* contexts of a function */
        at = csspgo_tracker_find(t, frame, 2);        /* counts for an inline stack */
        T_EQ(csspgo_body_count(q, at, csspgo_loc_at(2, 0)), 500 * scale);
        T_EQ(csspgo_tracker_base(t, run, 1, &base, NULL), CSSPGO_OK);
        T_EQ(csspgo_tracker_get_callees(t, base, csspgo_loc_at(3, 0), work, 2), 1); /* callees with counts */
        T_EQ(work[0].id, at.id);
        T_EQ(csspgo_tracker_callee(t, base, csspgo_loc_at(3, 0), any).id, at.id);
        T_EQ(csspgo_tracker_entry_count(t, at) / csspgo_tracker_entry_count(t, base),
             10); /* entries, relative to the root */
        T_EQ(csspgo_target_count(q, base, csspgo_loc_at(3, 0), frame[1].func), 1000 * scale);
        T_EQ(csspgo_tracker_mark_inlined(t, at, NULL), CSSPGO_OK);
        T_EQ(csspgo_tracker_base(t, frame[1].func, 1, &base, NULL), CSSPGO_OK);
        T_EQ(csspgo_total(q, base), i == 2 ? 100 : 0);
        T_EQ(csspgo_tracker_unmark(t, at, NULL), CSSPGO_OK);
        T_EQ(csspgo_tracker_promote(t, at, &base, NULL), CSSPGO_OK);
        T_EQ(csspgo_total(q, base), 1500 * scale + (i == 2 ? 100 : 0));
        csspgo_tracker_free(t);
        csspgo_profile_free(p[i]);
    }
    csspgo_ctx_free(c);
}

int main(void)
{
    blocks_follow_from_edges();
    graphs_have_ends_and_holes();
    torn_counters_do_no_harm();
    graphs_that_are_none_are_refused();
    exact_counts_take_the_place_of_samples();
    the_factor_is_a_median();
    one_kind_stays_as_it_is();
    roots_and_names_fit();
    samples_with_callers_beat_bases();
    no_order_matters();
    other_kinds_are_refused();
    T_FAILING(combining_survives_every_failing_allocation());
    a_tracker_answers_for_both_kinds();
    return t_end();
}
