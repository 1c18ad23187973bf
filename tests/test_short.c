/* test_short.c - every operation that changes a profile, a tracker's profile or a contextual profile, while memory is
 * short: each allocation of it fails, once or from then on, and limits.max_bytes has every value. It then says so, what
 * it was to change is what it was, and nothing leaks. The library is compiled with CSSPGO__COMMIT_CHECKS: no commit asks
 * for memory at all.
 */
#include "t.h"

/* ----- a heap whose allocations fail from a call on, or that one only ----- */

typedef struct short_heap {
    unsigned long calls, fail_at; /* fail_at 0: none fails */
    int lasting, failed;
    size_t live, bytes, peak;
} short_heap;

static void *short_alloc(void *ctx, size_t size)
{
    short_heap *h = (short_heap *)ctx;
    void *p;
    h->calls++;
    if (h->fail_at != 0 && (h->lasting ? h->calls >= h->fail_at : h->calls == h->fail_at)) {
        h->failed = 1;
        return NULL;
    }
    p = malloc(size);
    if (p == NULL) abort();
    h->live++;
    h->bytes += size;
    if (h->bytes > h->peak) h->peak = h->bytes;
    return p;
}

static void short_free(void *ctx, void *p, size_t size)
{
    short_heap *h = (short_heap *)ctx;
    h->live--;
    h->bytes -= size;
    free(p);
}

/* ----- what operations work on ----- */

enum { NAMES, GUIDS, MIXED, NESTED, LLVM, KINDS };    /* of profiles: with contexts, but for NESTED */

typedef struct world {
    short_heap heap;              /* of p, t and c, whose limit is that of the run */
    csspgo_options options;       /* of these                                      */
    csspgo_profile *p, *q;        /* q: another one, of the same kind              */
    csspgo_tracker *t;            /* NULL, or has p                                */
    csspgo_ctx *c, *d;            /* NULL, or instead of p and q                   */
    csspgo_matcher *m;
    uint32_t kind;
} world;

static uint32_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * n) >> 28);
}

/* A function by its name or by its GUID. */
static csspgo_func some_func(csspgo_profile *p, uint32_t kind)
{
    char name[16];
    sprintf(name, "f%lu", (unsigned long)rnd(7));
    if (kind == GUIDS || (kind == MIXED && rnd(2))) return csspgo_func_add_guid(p, csspgo_guid(name, strlen(name)));
    return csspgo_func_add(p, name, strlen(name));
}

static csspgo_loc some_loc(uint32_t kind)
{
    return csspgo_loc_at(kind == LLVM && rnd(4) == 0 ? 70000 + rnd(3) : 1 + rnd(4), 0);
}

/* Adds records at random. 1, or 0 without memory. */
static int grow(csspgo_profile *p, uint32_t kind, uint32_t records)
{
    uint32_t i;
    for (i = 0; i < records; i++) {
        const uint32_t depth = 1 + rnd(4);
        csspgo_node n = csspgo_root(p);
        csspgo_status s = CSSPGO_OK;
        csspgo_func f;
        uint32_t d;
        f.id = 0;
        for (d = 0; d < depth; d++) {
            const csspgo_loc at = d != 0 ? some_loc(kind) : csspgo_loc_at(0, 0);
            f = some_func(p, kind);
            if (f.id == 0) return 0;
            n = csspgo_node_add(p, n, at, kind != NESTED ? CSSPGO_CONTEXT : d == 0 ? CSSPGO_PLAIN : CSSPGO_INLINEE, f);
            if (n.id == 0) return 0;
        }
        for (d = 0; d < 3 && s == CSSPGO_OK; d++) s = csspgo_add_body(p, n, some_loc(kind), 1 + rnd(100));
        if (s == CSSPGO_OK) s = csspgo_add_total(p, n, 1000);
        if (s == CSSPGO_OK) s = csspgo_add_head(p, n, rnd(20));
        if (s == CSSPGO_OK && csspgo_checksum(p, n) == 0) s = csspgo_set_checksum(p, n, 1 + rnd(2));
        if (s == CSSPGO_OK) {
            const csspgo_loc at = some_loc(kind);
            const csspgo_func callee = some_func(p, kind);
            if (callee.id == 0 || csspgo_add_body(p, n, at, 1) != CSSPGO_OK) return 0;
            s = csspgo_add_target(p, n, at, callee, 1 + rnd(9));
        }
        if (s != CSSPGO_OK) return 0;
    }
    return 1;
}

static const char contexts[] =
    "Contexts:\n"
    "  - Guid: 11\n    TotalRootEntryCount: 5\n    Counters: [ 5, 40, 2 ]\n    Callsites:\n"
    "      - [ ]\n"
    "      - - Guid: 12\n          Counters: [ 40 ]\n          Callsites:\n"
    "            - - Guid: 13\n                Counters: [ 10, 15 ]\n"
    "              - Guid: 14\n                Counters: [ 15 ]\n"
    "  - Guid: 15\n    TotalRootEntryCount: 7\n    Counters: [ 7 ]\n"
    "FlatProfiles:\n  - Guid: 13\n    Counters: [ 1, 2 ]\n";
static const char more_contexts[] =
    "Contexts:\n"
    "  - Guid: 11\n    TotalRootEntryCount: 1\n    Counters: [ 1, 4, 2 ]\n    Callsites:\n"
    "      - - Guid: 16\n          Counters: [ 3 ]\n"
    "      - - Guid: 12\n          Counters: [ 9 ]\n          Callsites:\n"
    "            - - Guid: 13\n                Counters: [ 1, 1 ]\n"
    "  - Guid: 17\n    TotalRootEntryCount: 2\n    Counters: [ 2, 2, 2 ]\n";

static int open_profiles(world *w, int tracked)
{
    csspgo_options plain;
    csspgo_tracker_options how;
    memset(&plain, 0, sizeof plain);
    memset(&how, 0, sizeof how);
    plain.llvm = w->options.llvm;
    seed = 1 + w->kind;
    w->p = csspgo_profile_new(&w->options, NULL);
    if (w->p == NULL) return 0;
    csspgo_profile_set_flags(w->p, w->kind == NESTED ? 0 : CSSPGO_IS_CS);
    if (!grow(w->p, w->kind, 12)) return 0;
    how.take = 1;
    how.subtract = w->kind == GUIDS;
    if (!tracked) {
        w->q = csspgo_profile_new(&plain, NULL);
        csspgo_profile_set_flags(w->q, csspgo_profile_flags(w->p));
        return grow(w->q, w->kind, 9);
    }
    w->t = csspgo_tracker_new(w->p, &how, NULL);
    if (w->t != NULL) w->p = NULL;
    return w->t != NULL;
}

static int open_contexts(world *w)
{
    w->c = csspgo_ctx_new(&w->options, NULL);
    w->d = csspgo_ctx_new(NULL, NULL);
    return w->c != NULL && csspgo_ctx_read(w->d, more_contexts, sizeof more_contexts - 1, NULL, NULL) == CSSPGO_OK &&
           csspgo_ctx_read(w->c, contexts, sizeof contexts - 1, NULL, NULL) == CSSPGO_OK;
}

static void close_world(world *w)
{
    csspgo_tracker_free(w->t);
    csspgo_profile_free(w->p);
    csspgo_profile_free(w->q);
    csspgo_matcher_free(w->m);
    csspgo_ctx_free(w->c);
    csspgo_ctx_free(w->d);
    T_EQ(w->heap.live, 0);
}

/* ----- operations ----- */

static csspgo_status do_merge(world *w, csspgo_error *e)
{
    return csspgo_merge(w->p, w->q, NULL, NULL, e);
}

static csspgo_status do_merge_twice(world *w, csspgo_error *e)
{
    csspgo_merge_options how;
    memset(&how, 0, sizeof how);
    how.weight = 3;
    how.llvm = 19;
    return csspgo_merge(w->p, w->q, &how, NULL, e);
}

/* Exactly the functions that it has already: there is room for no more. */
static csspgo_status do_merge_same(world *w, csspgo_error *e)
{
    csspgo_options plain;
    csspgo_profile *same;
    csspgo_status s;
    memset(&plain, 0, sizeof plain);
    plain.llvm = w->options.llvm;
    same = csspgo_profile_new(&plain, NULL);
    T_EQ(csspgo_add_profile(same, w->p, NULL), CSSPGO_OK);
    s = csspgo_merge(w->p, same, NULL, NULL, e);
    csspgo_profile_free(same);
    return s;
}

static csspgo_status do_add_profile(world *w, csspgo_error *e)
{
    return csspgo_add_profile(w->p, w->q, e);
}

static csspgo_status do_scale(world *w, csspgo_error *e)
{
    return csspgo_scale(w->p, 3, 2, e);
}

static csspgo_status do_flatten(world *w, csspgo_error *e)
{
    return csspgo_flatten(w->p, e);
}

static csspgo_status do_nest(world *w, csspgo_error *e)
{
    return csspgo_nest(w->p, w->options.llvm == 0 ? 0 : CSSPGO_NEST_KEEP_BASE, e);
}

static csspgo_status do_trim(world *w, csspgo_error *e)
{
    csspgo_cold_options how;
    memset(&how, 0, sizeof how);
    how.threshold = 1500;
    how.merge = how.trim = 1;
    return csspgo_trim_cold(w->p, &how, e);
}

static csspgo_status do_shrink(world *w, csspgo_error *e)
{
    const uint64_t memory = csspgo_profile_memory(w->p);
    return csspgo_shrink(w->p, w->kind == NESTED ? memory : memory / 8 * 7, e);   /* NESTED: no context may go */
}

/* In slices: after a failure nothing of it is left. */
static csspgo_status do_shrink_slices(world *w, csspgo_error *e)
{
    const uint64_t memory = csspgo_profile_memory(w->p), bytes = w->kind == NESTED ? memory : memory / 8 * 7;
    csspgo_status s = CSSPGO_MORE;
    while (s == CSSPGO_MORE) s = csspgo_shrink_step(w->p, bytes, 100, e);
    return s;
}

static csspgo_status do_compress(world *w, csspgo_error *e)
{
    return csspgo_compress_recursion(w->p, UINT32_MAX, e);
}

static csspgo_status do_remap(world *w, csspgo_error *e)
{
    csspgo_rename names[2];
    names[0].from = "f1";
    names[0].to = "f2";
    names[1].from = "f3";
    names[1].to = "another";
    names[0].from_size = names[1].from_size = names[0].to_size = 2;
    names[1].to_size = 7;
    return csspgo_rename_functions(w->p, names, 2, NULL, e);
}

static csspgo_status do_remove(world *w, csspgo_error *e)
{
    csspgo_node drop[2];
    drop[0] = csspgo_node_next(w->p, csspgo_root(w->p), csspgo_root(w->p));
    drop[1] = csspgo_node_next(w->p, csspgo_root(w->p), drop[0]);
    return csspgo_remove(w->p, drop, 2, e);
}

/* What q is as a file is read into p. */
static csspgo_status do_read_form(world *w, uint32_t form, csspgo_error *e)
{
    size_t size = 0;
    csspgo_status s = csspgo_write(w->q, form, NULL, 0, &size, e);
    void *bytes = malloc(size + 1);
    if (bytes == NULL) abort();
    if (s == CSSPGO_OK) s = csspgo_write(w->q, form, bytes, size, &size, e);
    if (s == CSSPGO_OK) s = csspgo_read(w->p, bytes, size, e);
    free(bytes);
    return s;
}

static csspgo_status do_read_text(world *w, csspgo_error *e)
{
    return do_read_form(w, CSSPGO_TEXT, e);
}

static csspgo_status do_read_binary(world *w, csspgo_error *e)
{
    return do_read_form(w, CSSPGO_EXTBINARY, e);
}

static csspgo_status do_clone(world *w, csspgo_error *e)
{
    csspgo_profile *copy = csspgo_profile_clone(w->p, e);
    if (copy == NULL) return e->status;
    T_CHECK(csspgo_equal(copy, w->p) && t_valid(copy));
    csspgo_profile_free(copy);
    return CSSPGO_OK;
}

static csspgo_status do_order(world *w, csspgo_error *e)
{
    csspgo_node *node = (csspgo_node *)malloc((csspgo_record_count(w->p) + 1) * sizeof *node);
    const csspgo_status s = csspgo_file_order(w->p, node, e);
    free(node);
    return s;
}

/* What fits f1 and f2 is mapped to other lines, and added to p. */
static csspgo_status do_match(world *w, csspgo_error *e)
{
    csspgo_match_loc loc[4];
    csspgo_match_code code[2];
    csspgo_status s;
    uint32_t i;
    memset(loc, 0, sizeof loc);
    memset(code, 0, sizeof code);
    for (i = 0; i < 4; i++) {
        loc[i].loc = csspgo_loc_at(2 + i, 0);
        loc[i].kind = i % 2 ? CSSPGO_MATCH_CALL : CSSPGO_MATCH_BLOCK;
        loc[i].callee = csspgo_guid(i == 1 ? "f3" : "f4", 2);
    }
    code[0].name = "f1";
    code[1].name = "f2";
    for (i = 0; i < 2; i++) {
        code[i].name_size = 2;
        code[i].checksum = 99;
        code[i].loc = loc;
        code[i].locs = 4;
    }
    w->m = csspgo_matcher_new(NULL, NULL, NULL);
    s = csspgo_matcher_module(w->m, w->q, code, 2, NULL, e);
    return s == CSSPGO_OK ? csspgo_matcher_apply(w->m, w->q, w->p, NULL, e) : s;
}

/* Two functions are called where one was, and share its profile and the contexts below it. */
static csspgo_status do_match_shared(world *w, csspgo_error *e)
{
    static const char *const name[3] = { "f1", "one", "two" };
    csspgo_match_loc loc[3][8];
    csspgo_match_code code[3];
    csspgo_status s;
    uint32_t i, k;
    memset(loc, 0, sizeof loc);
    memset(code, 0, sizeof code);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 4; k++) {
            loc[i][k].loc = csspgo_loc_at(1 + k, 0);
            if (i == 0) loc[i][k].kind = CSSPGO_MATCH_CALL;
            loc[i][k].callee = i == 0 ? csspgo_guid(name[1 + k % 2], 3) : 0;
        }
        code[i].name = name[i];
        code[i].name_size = strlen(name[i]);
        code[i].checksum = i == 0 ? 99 : 1;
        code[i].loc = loc[i];
        code[i].locs = 4;
    }
    w->m = csspgo_matcher_new(NULL, NULL, NULL);
    s = csspgo_matcher_module(w->m, w->q, code, 3, NULL, e);
    return s == CSSPGO_OK ? csspgo_matcher_apply(w->m, w->q, w->p, NULL, e) : s;
}

/* Each function is a diamond, of whose blocks one has no line. */
static csspgo_status do_complete(world *w, csspgo_error *e)
{
    static const csspgo_cfg_edge edges[4] = { { 0, 1, 0, 0, 0 }, { 0, 2, 0, 0, 0 },
                                              { 1, 3, 0, 0, 0 }, { 2, 3, 0, 0, 0 } };
    csspgo_cfg_edge edge[4];
    csspgo_cfg_block block[4];
    csspgo_match_cfg cfg[3];
    csspgo_loc loc[4];
    csspgo_status s;
    uint32_t i;
    char name[8];
    memset(block, 0, sizeof block);
    memset(cfg, 0, sizeof cfg);
    memcpy(edge, edges, sizeof edge);
    for (i = 0; i < 4; i++) loc[i] = csspgo_loc_at(i == 2 ? 0 : 1 + i, 0);
    for (i = 0; i < 3; i++) {
        sprintf(name, "f%lu", (unsigned long)(1 + i));
        cfg[i].guid = csspgo_guid(name, 2);
        cfg[i].cfg.block = block;
        cfg[i].cfg.blocks = 4;
        cfg[i].cfg.edge = edge;
        cfg[i].cfg.edges = 4;
        cfg[i].loc = loc;
    }
    w->m = csspgo_matcher_new(NULL, NULL, NULL);
    s = csspgo_matcher_module(w->m, w->p, NULL, 0, NULL, e);
    return s == CSSPGO_OK ? csspgo_matcher_complete(w->m, cfg, 3, NULL, w->p, NULL, e) : s;
}

static csspgo_status do_preinline(world *w, csspgo_error *e)
{
    csspgo_preinline_options how;
    memset(&how, 0, sizeof how);
    how.cold_count = 1;
    how.hottest_count = 5;
    how.llvm = w->options.llvm;
    return csspgo_preinline(w->p, &how, NULL, e);
}

/* p is only read, but its memory is used. */
static csspgo_status do_overlap(world *w, csspgo_error *e)
{
    csspgo_overlap_figures f;
    csspgo_overlap_row row[64];
    size_t n = 0;
    const csspgo_status s = csspgo_overlap(w->p, w->q, NULL, &f, row, 64, &n, e);
    T_CHECK(s != CSSPGO_OK || n != 0);
    return s;
}

static csspgo_status do_write(world *w, csspgo_error *e)
{
    static const uint32_t forms[2] = { CSSPGO_TEXT, CSSPGO_EXTBINARY };
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; i < 2 && s == CSSPGO_OK; i++) {
        char *buf = (char *)malloc(1 << 16);
        size_t size;
        s = csspgo_write(w->p, forms[i], buf, 1 << 16, &size, e);
        free(buf);
    }
    return s;
}

/* A file whose functions are loaded one at a time, into memory like p's. What failed can be done again. */
static csspgo_status do_lazy(world *w, csspgo_error *e)
{
    static char buf[1 << 16];
    static const char *const name[4] = { "f1", "f2", "absent", "f3" };
    csspgo_profile *before;
    csspgo_lazy *l;
    csspgo_status s;
    size_t size, i;
    s = csspgo_write(w->q, CSSPGO_EXTBINARY, buf, sizeof buf, &size, e);
    if (s != CSSPGO_OK) return s;
    l = csspgo_lazy_open(buf, size, &w->options, e);
    if (l == NULL) return e->status;
    for (i = 0; i < 4 && s == CSSPGO_OK; i++) {
        before = csspgo_profile_new(NULL, NULL);
        T_EQ(csspgo_add_profile(before, csspgo_lazy_profile(l), NULL), CSSPGO_OK);
        s = csspgo_lazy_load(l, name[i], strlen(name[i]), e);
        T_CHECK(t_valid(csspgo_lazy_profile(l)));
        if (s != CSSPGO_OK) {
            T_CHECK(csspgo_equal(before, csspgo_lazy_profile(l)));
            w->heap.fail_at = 0;
            if (s == CSSPGO_E_NOMEM) T_CHECK(csspgo_lazy_load(l, name[i], strlen(name[i]), NULL) != s);
        }
        csspgo_profile_free(before);
    }
    csspgo_lazy_free(l);
    return s;
}

/* Bases of all functions, callers first or last. */
static csspgo_status bases(world *w, int backwards, csspgo_error *e)
{
    const uint32_t n = csspgo_func_count(csspgo_tracker_profile(w->t));
    csspgo_status s = CSSPGO_OK;
    uint32_t i;
    for (i = 0; i < n && s == CSSPGO_OK; i++) {
        csspgo_func f;
        csspgo_node base;
        f.id = backwards ? n - i : 1 + i;
        s = csspgo_tracker_base(w->t, f, 1, &base, e);
    }
    return s;
}

static csspgo_status do_base(world *w, csspgo_error *e)
{
    csspgo_node base;
    return csspgo_tracker_base(w->t, csspgo_tracker_func(w->t, "f2", 2), 1, &base, e);
}

/* The first context that is not at top level. */
static csspgo_node deep_node(const world *w)
{
    const csspgo_profile *p = csspgo_tracker_profile(w->t);
    csspgo_node n = csspgo_root(p);
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0)
        if (csspgo_node_parent(p, n).id != csspgo_root(p).id) break;
    return n;
}

static csspgo_status do_promote(world *w, csspgo_error *e)
{
    return csspgo_tracker_promote(w->t, deep_node(w), NULL, e);
}

static csspgo_status do_move(world *w, csspgo_error *e)
{
    const csspgo_profile *p = csspgo_tracker_profile(w->t);
    csspgo_node top = csspgo_node_first_child(p, csspgo_root(p)), n = deep_node(w), at;
    for (at = n; csspgo_node_parent(p, at).id != csspgo_root(p).id; at = csspgo_node_parent(p, at)) {}
    if (top.id == at.id) top = csspgo_node_next_sibling(p, top);
    return csspgo_tracker_move(w->t, n, top, csspgo_loc_at(9, 0), NULL, e);
}

/* All contexts but the first: marks, of which one is taken back. */
static csspgo_status do_mark(world *w, csspgo_error *e)
{
    const csspgo_node n = deep_node(w);
    csspgo_status s = csspgo_tracker_mark_inlined(w->t, n, e);
    if (s == CSSPGO_OK) s = csspgo_tracker_unmark(w->t, n, e);
    return s == CSSPGO_OK ? csspgo_tracker_mark_inlined(w->t, n, e) : s;
}

/* A context is marked after it was merged: with options.subtract its counts go. With a checkpoint that is recorded. */
static csspgo_status mark_merged(world *w, int checkpoint, csspgo_error *e)
{
    const csspgo_node n = deep_node(w);
    const csspgo_func f = csspgo_node_func(csspgo_tracker_profile(w->t), n);
    const unsigned long fail_at = w->heap.fail_at, calls = w->heap.calls;
    csspgo_node base;
    uint32_t point = 0;
    csspgo_status s;
    w->heap.fail_at = 0;          /* the merge has a test of its own */
    s = csspgo_tracker_base(w->t, f, 1, &base, e);
    if (s != CSSPGO_OK) return s;
    if (checkpoint && (s = csspgo_tracker_checkpoint(w->t, &point, e)) != CSSPGO_OK) return s;
    if (fail_at != 0) w->heap.fail_at = fail_at + (w->heap.calls - calls);
    s = csspgo_tracker_mark_inlined(w->t, n, e);
    w->heap.fail_at = 0;
    if (s == CSSPGO_E_NOMEM) {    /* and again */
        T_EQ(csspgo_tracker_mark_inlined(w->t, n, e), CSSPGO_OK);
        s = CSSPGO_OK;
    }
    return s;
}

static csspgo_status do_mark_merged(world *w, csspgo_error *e)
{
    return mark_merged(w, 0, e);
}

static csspgo_status do_mark_recorded(world *w, csspgo_error *e)
{
    return mark_merged(w, 1, e);
}

static csspgo_status do_snapshot(world *w, csspgo_error *e)
{
    csspgo_profile *copy = csspgo_tracker_snapshot(w->t, e);
    if (copy == NULL) return e->status;
    T_CHECK(t_valid(copy));
    csspgo_profile_free(copy);
    return CSSPGO_OK;
}

static csspgo_status do_tracker_order(world *w, csspgo_error *e)
{
    csspgo_func order[16];
    size_t n;
    return csspgo_tracker_compile_order(w->t, NULL, 0, order, 16, &n, e);
}

/* The inliner's view of a function; within a checkpoint and without. */
static csspgo_status do_inline(world *w, csspgo_error *e)
{
    csspgo_inliner_code callable[16];
    csspgo_inliner_call call[16];
    csspgo_inliner_decision out[64];
    csspgo_inliner_result made;
    csspgo_status s;
    uint32_t i;
    memset(callable, 0, sizeof callable);
    for (i = 0; i < 16; i++) {
        call[i].loc = csspgo_loc_at(1 + i % 4, 0);
        call[i].target.id = i < 8 ? 1 + i % 7 : 0;
        callable[i].size = 10 + i;
        callable[i].calls = call + i % 5;
        callable[i].call_count = 8;
    }
    made.decision = out;
    made.cap = 64;
    s = csspgo_tracker_decide(w->t, csspgo_node_func(csspgo_tracker_profile(w->t),
                              csspgo_node_parent(csspgo_tracker_profile(w->t), deep_node(w))),
                              callable, 16, NULL, &made, e);
    T_CHECK(s == CSSPGO_OK || made.count == 0);
    return s;
}

/* All functions are decided; what was decided before the failure is undone. */
static csspgo_status do_inline_all(world *w, csspgo_error *e)
{
    csspgo_error other;
    csspgo_func order[16];
    uint32_t point;
    size_t n, i;
    csspgo_status s = csspgo_tracker_checkpoint(w->t, &point, e);
    csspgo_inliner_decision out[64];
    csspgo_inliner_result made;
    csspgo_inliner_code callable[16];
    if (s != CSSPGO_OK) return s;
    memset(callable, 0, sizeof callable);
    for (i = 0; i < 16; i++) callable[i].size = 10;
    made.decision = out;
    made.cap = 64;
    s = csspgo_tracker_compile_order(w->t, NULL, 0, order, 16, &n, e);
    for (i = 0; i < n && s == CSSPGO_OK; i++)
        s = csspgo_tracker_decide(w->t, order[i], callable, 16, NULL, &made, e);
    if (s != CSSPGO_OK) T_EQ(csspgo_tracker_rollback(w->t, point, &other), CSSPGO_OK);
    else s = csspgo_tracker_commit(w->t, point, e);
    return s;
}

static csspgo_status do_promote_calls(world *w, csspgo_error *e)
{
    const csspgo_profile *p = csspgo_tracker_profile(w->t);
    csspgo_func any;
    const csspgo_node n = deep_node(w);
    any.id = 0;
    return csspgo_tracker_promote_call(w->t, csspgo_node_parent(p, n), csspgo_node_loc(p, n), any, e);
}

/* Whatever happens between a checkpoint and its rollback, the profile is as it was. */
static csspgo_status do_rollback(world *w, csspgo_error *e)
{
    csspgo_error other;
    uint32_t point, inner;
    csspgo_status s = csspgo_tracker_checkpoint(w->t, &point, e);
    if (s != CSSPGO_OK) return s;
    s = do_move(w, e);
    if (s == CSSPGO_OK) s = csspgo_tracker_checkpoint(w->t, &inner, e);
    if (s == CSSPGO_OK) s = bases(w, 0, e);
    T_EQ(csspgo_tracker_rollback(w->t, point, &other), CSSPGO_OK);
    return s;
}

static csspgo_status do_prune(world *w, csspgo_error *e)
{
    csspgo_ctx_prune_options how;
    memset(&how, 0, sizeof how);
    how.min_entries = 12;
    how.to_flat = 1;
    return csspgo_ctx_prune(w->c, &how, e);
}

static csspgo_status do_ctx_flatten(world *w, csspgo_error *e)
{
    return csspgo_ctx_flatten(w->c, NULL, e);
}

static csspgo_status do_ctx_merge(world *w, csspgo_error *e)
{
    return csspgo_ctx_merge(w->c, w->d, NULL, e);
}

static csspgo_status do_ctx_read(world *w, csspgo_error *e)
{
    return csspgo_ctx_read(w->c, more_contexts, sizeof more_contexts - 1, NULL, e);
}

static csspgo_ctx *exact_contexts(void)
{
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    T_EQ(csspgo_ctx_read(c, contexts, sizeof contexts - 1, NULL, NULL), CSSPGO_OK);
    return c;
}

static csspgo_status do_ctx_profile(world *w, csspgo_error *e)
{
    csspgo_ctx *c = exact_contexts();
    const csspgo_status s = csspgo_ctx_profile(c, NULL, 0, w->p, e);
    csspgo_ctx_free(c);
    return s;
}

static csspgo_status do_combine(world *w, csspgo_error *e)
{
    csspgo_ctx *c = exact_contexts();
    csspgo_ctx_combine_options how;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    how.num = 3;
    how.den = 1;
    s = csspgo_ctx_combine(c, NULL, 0, &how, w->p, NULL, e);
    csspgo_ctx_free(c);
    return s;
}

enum { PROFILE = 1, TRACKED = 2, CONTEXTS = 4 };

static const struct operation {
    const char *name;
    csspgo_status (*do_fn)(world *w, csspgo_error *e);
    uint32_t on;
} operations[] = {
    { "merge", do_merge, PROFILE },
    { "merge as LLVM", do_merge_twice, PROFILE },
    { "merge the same", do_merge_same, PROFILE },
    { "add_profile", do_add_profile, PROFILE },
    { "scale", do_scale, PROFILE },
    { "flatten", do_flatten, PROFILE },
    { "nest", do_nest, PROFILE },
    { "trim_cold", do_trim, PROFILE },
    { "shrink", do_shrink, PROFILE },
    { "shrink in slices", do_shrink_slices, PROFILE },
    { "compress_recursion", do_compress, PROFILE },
    { "remap", do_remap, PROFILE },
    { "remove", do_remove, PROFILE },
    { "read text", do_read_text, PROFILE },
    { "read binary", do_read_binary, PROFILE },
    { "clone", do_clone, PROFILE },
    { "order", do_order, PROFILE },
    { "match", do_match, PROFILE },
    { "match shared", do_match_shared, PROFILE },
    { "complete", do_complete, PROFILE },
    { "preinline", do_preinline, PROFILE },
    { "overlap", do_overlap, PROFILE },
    { "write", do_write, PROFILE },
    { "lazy_load", do_lazy, PROFILE },
    { "ctx_profile", do_ctx_profile, PROFILE },
    { "ctx_combine", do_combine, PROFILE },
    { "base", do_base, TRACKED },
    { "promote", do_promote, TRACKED },
    { "move", do_move, TRACKED },
    { "promote_call", do_promote_calls, TRACKED },
    { "rollback", do_rollback, TRACKED },
    { "mark", do_mark, TRACKED },
    { "mark merged", do_mark_merged, TRACKED },
    { "mark merged, recorded", do_mark_recorded, TRACKED },
    { "snapshot", do_snapshot, TRACKED },
    { "tracker_order", do_tracker_order, TRACKED },
    { "inline", do_inline, TRACKED },
    { "inline all", do_inline_all, TRACKED },
    { "ctx_prune", do_prune, CONTEXTS },
    { "ctx_flatten", do_ctx_flatten, CONTEXTS },
    { "ctx_merge", do_ctx_merge, CONTEXTS },
    { "ctx_read", do_ctx_read, CONTEXTS }
};

/* ----- what is there before and after ----- */

typedef struct state {
    csspgo_profile *p;            /* a copy in memory that is not short, or NULL */
    void *bytes;                  /* of a contextual profile                     */
    size_t size;
    uint64_t marks;               /* of a tracker's contexts, by their handles   */
} state;

static uint64_t marks_of(const csspgo_tracker *t)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_node n = csspgo_root(p);
    uint64_t sum = 0;
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0)
        sum += (uint64_t)csspgo_tracker_node_state(t, n) * n.id * n.id * UINT64_C(0x9e3779b97f4a7c15);
    return sum;
}

static state state_of(const world *w)
{
    const csspgo_profile *p = w->t != NULL ? csspgo_tracker_profile(w->t) : w->p;
    csspgo_options plain;
    state x;
    memset(&x, 0, sizeof x);
    memset(&plain, 0, sizeof plain);
    plain.llvm = w->options.llvm;
    if (w->t != NULL) x.marks = marks_of(w->t);
    if (p != NULL) {
        x.p = csspgo_profile_new(&plain, NULL);
        T_EQ(csspgo_add_profile(x.p, p, NULL), CSSPGO_OK);
        T_CHECK(t_valid(p));
    } else {
        T_EQ(csspgo_ctx_write(w->c, NULL, NULL, 0, &x.size, NULL), CSSPGO_OK);
        x.bytes = malloc(x.size);
        T_EQ(csspgo_ctx_write(w->c, NULL, x.bytes, x.size, &x.size, NULL), CSSPGO_OK);
    }
    return x;
}

static int same_state(const state *a, const state *b)
{
    if (a->marks != b->marks) return 0;
    if (a->p != NULL) return csspgo_equal(a->p, b->p) && csspgo_equal(b->p, a->p);
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void state_free(state *x)
{
    csspgo_profile_free(x->p);
    free(x->bytes);
}

typedef struct run {
    const struct operation *op;
    uint32_t kind;
    state after;                  /* with memory enough         */
    csspgo_status status;
    size_t made, peak;            /* bytes that what it works on took; and the operation, too */
} run;

/*
 * One run. fail_at: the allocation of the operation that fails, 0 none; limit: limits.max_bytes, 0 none. Returns 0 if
 * memory was enough, 1 if the operation failed, 2 if there was not enough for what it works on, 3 if it went on without
 * what it asked for.
 */
static int run_once(run *r, unsigned long fail_at, int lasting, size_t limit)
{
    world w;
    state before, after;
    csspgo_error e;
    csspgo_status s;
    int outcome = 2;
    memset(&w, 0, sizeof w);
    w.kind = r->kind;
    w.options.allocator.alloc_fn = short_alloc;
    w.options.allocator.free_fn = short_free;
    w.options.allocator.ctx = &w.heap;
    w.options.limits.max_bytes = limit;
    w.options.llvm = r->kind == LLVM ? 19 : 0;
    if (r->op->on == CONTEXTS ? open_contexts(&w) : open_profiles(&w, r->op->on == TRACKED)) {
        if (fail_at == 0 && limit == 0) r->made = w.heap.peak;
        before = state_of(&w);
        w.heap.fail_at = fail_at != 0 ? w.heap.calls + fail_at : 0;
        w.heap.lasting = lasting;
        s = r->op->do_fn(&w, &e);
        w.heap.fail_at = 0;
        after = state_of(&w);
        T_EQ(e.status, s);
        outcome = s == CSSPGO_E_NOMEM || s == CSSPGO_E_LIMIT ? 1 : w.heap.failed ? 3 : 0;
        if (outcome == 1) {
            T_CHECK(s == CSSPGO_E_LIMIT ? limit != 0 && strstr(e.message, "max_bytes") != NULL : fail_at != 0);
            if (!T_CHECK(same_state(&before, &after))) fprintf(stderr, "    %s, kind %u\n", r->op->name, r->kind);
        } else if (fail_at != 0 || limit != 0) {
            if (!T_CHECK(s == r->status && same_state(&r->after, &after)))
                fprintf(stderr, "    %s, kind %u: %s\n", r->op->name, r->kind, e.message);
        } else {
            r->status = s;
            r->after = after;
            r->peak = w.heap.peak;
            memset(&after, 0, sizeof after);
        }
        state_free(&before);
        state_free(&after);
    }
    close_world(&w);
    return outcome;
}

/* Every allocation fails in turn. An operation may do without some memory, but then it does all that it has to do. */
static unsigned long every_allocation(run *r, int lasting)
{
    unsigned long n = 1, failed = 0;
    int outcome;
    while ((outcome = run_once(r, n, lasting, 0)) != 0 && n < 10000) {
        failed += outcome == 1;
        n++;
    }
    T_EQ(outcome, 0);
    return failed;
}

/* Limits in steps, from one at which what is needed cannot be made to one at which all can be done. */
static void every_limit(run *r, size_t step, size_t first)
{
    size_t limit;
    int outcome = 2;
    for (limit = r->made / 8 * 5 + first % 64; limit < 8 * r->peak && (outcome != 0 || limit < r->peak); limit += step)
        outcome = run_once(r, 0, 0, limit);
    T_EQ(outcome, 0);
}

static void what_fails_for_memory_changes_nothing(void)
{
    const size_t step = t_size(1 << 11, 8);
    const uint32_t kinds = (uint32_t)t_size(2, KINDS);
    unsigned long failed = 0;
    size_t i, ran = 0;
    uint32_t k;
    for (i = 0; i < sizeof operations / sizeof *operations; i++)
        for (k = 0; k < KINDS; k++) {
            run r;
            memset(&r, 0, sizeof r);
            r.op = &operations[i];
            r.kind = k;
            if (r.op->on == TRACKED && (k == NESTED || k == LLVM)) continue;
            if (r.op->on == CONTEXTS && k != 0) continue;
            if (kinds != KINDS && (k + i) % KINDS >= kinds && k != GUIDS) continue;   /* not all in a quick run */
            T_EQ(run_once(&r, 0, 0, 0), 0);
            ran += r.status == CSSPGO_OK;
            failed += every_allocation(&r, 0) + every_allocation(&r, 1);
            every_limit(&r, step, 8 * i);
            state_free(&r.after);
        }
    T_CHECK(ran > 12 * kinds && failed > 200 * kinds);
}

int main(void)
{
    what_fails_for_memory_changes_nothing();
    return t_end();
}
