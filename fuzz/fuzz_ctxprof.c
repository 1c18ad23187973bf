/* fuzz_ctxprof.c - contextual profiles: bitstreams, YAML, dumps. What is accepted can be written and read again as the
 * same, in every form; merging commutes, flattening keeps sums, combining with samples keeps their scale; a failure
 * leaves nothing behind, and memory follows the input. The input's last byte chooses how it is read. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

static csspgo_ctx *empty(counted *c)
{
    csspgo_options o;
    csspgo_ctx *p;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = c;
    o.limits.max_depth = 60;
    p = csspgo_ctx_new(&o, NULL);
    REQUIRE(p != NULL);
    return p;
}

/* NULL: YAML would list too many call sites. */
static char *written(const csspgo_ctx *p, csspgo_ctx_form form, size_t *size)
{
    csspgo_ctx_write_options how;
    csspgo_status s;
    char *data;
    memset(&how, 0, sizeof how);
    how.form = form;
    how.keep_empty = 1;
    s = csspgo_ctx_write(p, &how, NULL, 0, size, NULL);
    if (form == CSSPGO_CTX_YAML && (s == CSSPGO_E_LIMIT || *size > 1u << 20)) return NULL;
    REQUIRE(s == CSSPGO_OK);
    data = (char *)malloc(*size + 1);
    REQUIRE(data != NULL && csspgo_ctx_write(p, &how, data, *size, size, NULL) == CSSPGO_OK);
    return data;
}

/* The same bytes, where they can be written. */
static void is_same(const csspgo_ctx *p, const csspgo_ctx *q, csspgo_ctx_form form)
{
    size_t n, k;
    char *a = written(p, form, &n), *b = written(q, form, &k);
    REQUIRE((a == NULL) == (b == NULL) && (a == NULL || (n == k && memcmp(a, b, n) == 0)));
    free(a);
    free(b);
}

static void is_read_back(counted *c, const csspgo_ctx *p, csspgo_ctx_form form)
{
    size_t n;
    char *data = written(p, form, &n);
    csspgo_ctx *q = empty(c);
    if (data != NULL) {
        REQUIRE(csspgo_ctx_read(q, data, n, NULL, NULL) == CSSPGO_OK);
        if (form != CSSPGO_CTX_V1 && form != CSSPGO_CTX_V20) is_same(p, q, CSSPGO_CTX_YAML);
        is_same(p, q, form);
    }
    free(data);
    csspgo_ctx_free(q);
}

static void handles_hold(const csspgo_ctx *p)
{
    const csspgo_ctx_stats s = csspgo_ctx_get_stats(p);
    const csspgo_profile *tree = csspgo_ctx_contexts(p);
    csspgo_node n = csspgo_root(tree), same;
    uint64_t nodes = 0;
    size_t count;
    REQUIRE(csspgo_validate(tree, NULL) == CSSPGO_OK);
    while ((n = csspgo_node_next(tree, csspgo_root(tree), n)).id != 0) {
        const csspgo_func func = csspgo_func_find_guid(tree, csspgo_func_guid(tree, csspgo_node_func(tree, n)));
        const csspgo_loc loc = csspgo_node_loc(tree, n), site = csspgo_ctx_site(csspgo_ctx_site_number(loc));
        REQUIRE(site.line == loc.line && site.discriminator == loc.discriminator);
        same = csspgo_child(tree, csspgo_node_parent(tree, n), loc, csspgo_node_kind_of(tree, n), func);
        REQUIRE(same.id == n.id);
        REQUIRE(csspgo_ctx_get_counters(p, n, &count) != NULL && count != 0);
        nodes++;
    }
    REQUIRE(nodes == s.roots + s.callees + s.unhandled + s.flat);
}

/* A copy of p with what `other` has added. NULL: they do not fit. */
static csspgo_ctx *sum(counted *c, const csspgo_ctx *p, const csspgo_ctx *other)
{
    csspgo_ctx *q = empty(c);
    csspgo_status s = csspgo_ctx_merge(q, p, NULL, NULL);
    REQUIRE(s == CSSPGO_OK);
    s = csspgo_ctx_merge(q, other, NULL, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT);
    if (s == CSSPGO_OK) return q;
    is_same(q, p, CSSPGO_CTX_YAML);
    csspgo_ctx_free(q);
    return NULL;
}

/* Only one root is kept, and a node is cut off with all below it; handles that make no sense are an error. */
static void parts_are_cut(counted *c, const csspgo_ctx *p, unsigned choice)
{
    const csspgo_profile *tree = csspgo_ctx_contexts(p);
    const uint32_t nodes = csspgo_node_count(tree);
    csspgo_ctx *q = empty(c);
    csspgo_ctx_prune_options how;
    csspgo_node cut[3];
    uint64_t root[2];
    csspgo_status s;
    uint32_t i;
    memset(&how, 0, sizeof how);
    memset(cut, 0, sizeof cut);
    REQUIRE(csspgo_ctx_merge(q, p, NULL, NULL) == CSSPGO_OK);
    tree = csspgo_ctx_contexts(q);
    for (i = 0; i < 3; i++) cut[i].id = nodes != 0 ? 2 + (choice >> i) % nodes : 2;
    root[0] = csspgo_func_guid(tree, csspgo_node_func(tree, csspgo_node_first_child(tree, csspgo_root(tree))));
    root[1] = root[0];
    root[1] += choice & 1;
    how.root = choice & 2 ? root : NULL;
    how.roots = choice & 2 ? 2 : 0;
    how.cut = cut;
    how.cuts = nodes != 0 ? choice >> 2 & 3 : 0;
    how.to_flat = choice >> 4 & 1;
    s = csspgo_ctx_prune(q, &how, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT);
    handles_hold(q);
    csspgo_ctx_free(q);
}

/* p, and what is left of it, in both orders. */
static void merging_commutes(counted *c, const csspgo_ctx *p, unsigned choice)
{
    csspgo_ctx *part = empty(c), *x, *y;
    csspgo_ctx_prune_options how;
    memset(&how, 0, sizeof how);
    how.min_entries = choice & 7;
    how.max_depth = choice >> 3 & 3;
    REQUIRE(csspgo_ctx_merge(part, p, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_ctx_prune(part, &how, NULL) == CSSPGO_OK);
    handles_hold(part);
    x = sum(c, p, part);
    y = sum(c, part, p);
    REQUIRE(x != NULL && y != NULL);
    is_same(x, y, CSSPGO_CTX_V4);
    handles_hold(x);
    csspgo_ctx_free(x);
    csspgo_ctx_free(y);
    how.to_flat = 1;
    csspgo_ctx_prune(part, &how, NULL);
    handles_hold(part);
    parts_are_cut(c, p, choice);
    csspgo_ctx_free(part);
}

/* Flattening twice is flattening once; entries are kept as long as they do not saturate. */
static void flattening_keeps_sums(counted *c, const csspgo_ctx *p, unsigned choice)
{
    csspgo_ctx_flatten_options how;
    csspgo_ctx *q = empty(c), *r = empty(c);
    memset(&how, 0, sizeof how);
    how.scale = choice & 1;
    how.contexts_only = choice >> 1 & 1;
    how.keep_larger = choice >> 2 & 1;
    REQUIRE(csspgo_ctx_merge(q, p, NULL, NULL) == CSSPGO_OK);
    if (csspgo_ctx_flatten(q, &how, NULL) == CSSPGO_OK) {
        handles_hold(q);
        how.scale = how.contexts_only = 0;
        REQUIRE(csspgo_ctx_merge(r, q, NULL, NULL) == CSSPGO_OK && csspgo_ctx_flatten(r, &how, NULL) == CSSPGO_OK);
        is_same(q, r, CSSPGO_CTX_V4);
    }
    csspgo_ctx_free(q);
    csspgo_ctx_free(r);
}

/* What becomes a profile is a valid one; numbers of probes may be too large for it. */
static void is_converted(const csspgo_ctx *p)
{
    csspgo_profile *q = csspgo_profile_new(NULL, NULL);
    csspgo_status s;
    REQUIRE(q != NULL);
    s = csspgo_ctx_profile(p, NULL, 0, q, NULL);
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_ARGUMENT && csspgo_node_count(q) == 0));
    REQUIRE(csspgo_validate(q, NULL) == CSSPGO_OK);
    csspgo_profile_free(q);
}

/* The counts of blocks by some control-flow graph: no graph does harm. */
static void blocks_are_solved(const csspgo_ctx *p, const uint8_t *data, size_t size)
{
    csspgo_cfg_block block[5];
    csspgo_cfg_edge edge[9];
    csspgo_ctx_function f;
    csspgo_cfg cfg;
    const csspgo_profile *tree = csspgo_ctx_contexts(p);
    csspgo_profile *q = csspgo_profile_new(NULL, NULL);
    csspgo_status s;
    input in;
    size_t i;
    in.p = data;
    in.end = data + size;
    memset(block, 0, sizeof block);
    memset(edge, 0, sizeof edge);
    memset(&f, 0, sizeof f);
    cfg.block = block;
    cfg.edge = edge;
    cfg.blocks = byte(&in) % 6;
    cfg.edges = cfg.blocks != 0 ? byte(&in) % 10 : 0;
    for (i = 0; i < cfg.blocks; i++) {
        const unsigned b = byte(&in);
        block[i].known = b & 1;
        block[i].is_exit = b >> 1 & 1;
        block[i].count = b >> 2 & 7;
    }
    for (i = 0; i < cfg.edges; i++) {
        const unsigned b = byte(&in), c = byte(&in);
        edge[i].from = b % 5;
        edge[i].to = b / 5 % 5;
        edge[i].known = c & 1;
        edge[i].count = c >> 1 & 7;
    }
    f.guid = csspgo_func_guid(tree, csspgo_node_func(tree, csspgo_node_first_child(tree, csspgo_root(tree))));
    f.cfg = &cfg;
    REQUIRE(q != NULL);
    s = csspgo_ctx_profile(p, &f, 1, q, NULL);
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_ARGUMENT && csspgo_node_count(q) == 0));
    REQUIRE(csspgo_validate(q, NULL) == CSSPGO_OK);
    csspgo_profile_free(q);
}

/* 1: the profile has nothing but contexts in one scale, with counts that can be multiplied. */
static int is_contexts_only(const csspgo_ctx *p)
{
    const csspgo_ctx_stats s = csspgo_ctx_get_stats(p);
    const csspgo_profile *tree = csspgo_ctx_contexts(p);
    csspgo_node n = csspgo_node_first_child(tree, csspgo_root(tree));
    size_t count;
    if (s.unhandled != 0 || s.flat != 0 || s.max_counter > UINT64_C(1) << 40) return 0;
    for (; n.id != 0; n = csspgo_node_next_sibling(tree, n))
        if (csspgo_ctx_entry_count(p, n) > csspgo_ctx_get_counters(p, n, &count)[0]) return 0;
    return 1;
}

/* Exact counts take the place of the same counts times k, in their scale: nothing changes. Other samples stay valid. */
static void combining_keeps_the_scale(const csspgo_ctx *p, unsigned choice)
{
    const uint64_t k = 1 + (choice & 15);
    csspgo_profile *q = csspgo_profile_new(NULL, NULL), *r;
    csspgo_ctx_combine_stats stats;
    csspgo_node n;
    csspgo_status s;
    REQUIRE(q != NULL);
    if (csspgo_ctx_profile(p, NULL, 0, q, NULL) == CSSPGO_OK) {
        REQUIRE(csspgo_scale(q, k, 1, NULL) == CSSPGO_OK);
        r = csspgo_profile_clone(q, NULL);
        REQUIRE(r != NULL);
        s = csspgo_ctx_combine(p, NULL, 0, NULL, r, &stats, NULL);
        REQUIRE(s == CSSPGO_OK && csspgo_validate(r, NULL) == CSSPGO_OK);
        if (is_contexts_only(p)) {
            REQUIRE(csspgo_equal(q, r) && stats.sampled == 0);
            REQUIRE(stats.exact == 0 || (stats.num == 1 && stats.den == k));
        }
        csspgo_profile_free(r);
        r = csspgo_profile_clone(q, NULL);
        REQUIRE(r != NULL);
        for (n.id = 2; n.id <= csspgo_node_count(r) + 1; n.id += 1 + (choice >> 4 & 3))
            csspgo_add_body(r, n, csspgo_loc_at(n.id % 9, 0), n.id * k);
        csspgo_profile_free(q);
        q = csspgo_profile_clone(r, NULL);
        REQUIRE(q != NULL);
        s = csspgo_ctx_combine(p, NULL, 0, NULL, r, NULL, NULL);
        REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_ARGUMENT && csspgo_equal(q, r)));
        REQUIRE(csspgo_validate(r, NULL) == CSSPGO_OK);
        csspgo_profile_free(r);
    }
    csspgo_profile_free(q);
}

/* 1 if the call failed for memory: then nothing has changed. */
static int fell_short(counted *c, csspgo_status s, const csspgo_ctx *was, const csspgo_ctx *p)
{
    c->fail_at = 0;
    if (s != CSSPGO_E_NOMEM) return 0;
    is_same(was, p, CSSPGO_CTX_YAML);
    handles_hold(p);
    return 1;
}

/* The n-th allocation of each call fails: the profile is as it was. */
static void in_short_memory(const csspgo_ctx *p, const uint8_t *data, size_t size, unsigned n)
{
    counted c;
    csspgo_ctx *q, *none;
    csspgo_ctx_prune_options prune;
    csspgo_ctx_merge_options how;
    csspgo_profile *made = csspgo_profile_new(NULL, NULL);
    csspgo_status s;
    size_t k;
    memset(&c, 0, sizeof c);
    memset(&prune, 0, sizeof prune);
    memset(&how, 0, sizeof how);
    q = empty(&c);
    none = empty(&c);
    how.merge_duplicates = how.keep_larger = 1;
    c.fail_at = c.calls + n;
    fell_short(&c, csspgo_ctx_read(q, data, size, &how, NULL), none, q);
    csspgo_ctx_free(q);
    q = empty(&c);
    c.fail_at = c.calls + n;
    if (fell_short(&c, csspgo_ctx_merge(q, p, NULL, NULL), none, q))
        REQUIRE(csspgo_ctx_merge(q, p, NULL, NULL) == CSSPGO_OK);
    c.fail_at = c.calls + n;
    csspgo_ctx_write(q, NULL, NULL, 0, &k, NULL);
    c.fail_at = c.calls + n;
    s = csspgo_ctx_merge(q, q, NULL, NULL);
    if (fell_short(&c, s, p, q)) REQUIRE(csspgo_ctx_merge(q, q, NULL, NULL) == CSSPGO_OK);
    csspgo_ctx_free(none);
    none = empty(&c);
    REQUIRE(csspgo_ctx_merge(none, q, NULL, NULL) == CSSPGO_OK);
    prune.to_flat = n & 1;
    prune.max_depth = 1;
    c.fail_at = c.calls + n;
    fell_short(&c, csspgo_ctx_prune(q, &prune, NULL), none, q);
    csspgo_ctx_free(q);
    q = empty(&c);
    REQUIRE(csspgo_ctx_merge(q, none, NULL, NULL) == CSSPGO_OK);
    c.fail_at = c.calls + n;
    fell_short(&c, csspgo_ctx_flatten(q, NULL, NULL), none, q);
    c.fail_at = c.calls + n;
    REQUIRE(made != NULL);
    s = csspgo_ctx_profile(q, NULL, 0, made, NULL);
    REQUIRE(csspgo_validate(made, NULL) == CSSPGO_OK);
    if (s == CSSPGO_OK) csspgo_ctx_combine(q, NULL, 0, NULL, made, NULL, NULL);
    REQUIRE(csspgo_validate(made, NULL) == CSSPGO_OK);
    c.fail_at = 0;
    csspgo_profile_free(made);
    csspgo_ctx_free(none);
    csspgo_ctx_free(q);
    REQUIRE(c.live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned choice = size != 0 ? data[size - 1] : 0;
    csspgo_ctx_merge_options how;
    csspgo_error e;
    csspgo_ctx *p;
    counted c;
    memset(&c, 0, sizeof c);
    memset(&how, 0, sizeof how);
    how.merge_duplicates = choice & 1;
    how.keep_larger = choice >> 1 & 1;
    if (choice >> 2 & 1) how.llvm = 20 + (choice >> 3 & 3);
    p = empty(&c);
    if (csspgo_ctx_read(p, data, size, &how, &e) != CSSPGO_OK) {
        REQUIRE(e.status != CSSPGO_OK);
        is_told(e.status, &e, size);
        REQUIRE(csspgo_node_count(csspgo_ctx_contexts(p)) == 0);
        REQUIRE(c.peak <= 16 * size + (1u << 20));
    } else {
        REQUIRE(c.peak <= 16 * size + (1u << 20));
        handles_hold(p);
        is_read_back(&c, p, CSSPGO_CTX_V4);
        is_read_back(&c, p, CSSPGO_CTX_V1);
        is_read_back(&c, p, CSSPGO_CTX_V20);
        is_read_back(&c, p, CSSPGO_CTX_YAML);
        merging_commutes(&c, p, choice);
        flattening_keeps_sums(&c, p, choice);
        is_converted(p);
        blocks_are_solved(p, data, size);
        combining_keeps_the_scale(p, choice);
        in_short_memory(p, data, size, 1 + data[size / 2] % 24);
    }
    csspgo_ctx_free(p);
    REQUIRE(c.live == 0);
    return 0;
}
