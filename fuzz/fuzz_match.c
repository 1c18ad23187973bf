/*
 * fuzz_match.c - bytes become a profile, new code and a control-flow graph. Matching in every mode must give answers
 * that are in order, the same twice; code that did not change must change nothing; who gets which counts must not
 * depend on the order or the names of new functions; counts completed by flow must fit. Every profile that a function
 * leaves behind, also when it fails, is valid.
 */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

enum { FUNCS = 4, LOCS = 64, BLOCKS = 12, JUMPS = 20 };

static const char *const names[8] = { "a", "_ZN1n3fooEv", "_ZN1m3fooEv", "unknown.indirect.callee", "b", "c", "", "d" };

static csspgo_func func(csspgo_profile *p, unsigned b)
{
    return b & 8 ? csspgo_func_add_guid(p, csspgo_guid(names[b & 7], strlen(names[b & 7])))
                 : csspgo_func_add(p, names[b & 7], strlen(names[b & 7]));
}

/* Mostly small; some at the ends of the range, with bit 15, with a discriminator. */
static csspgo_loc loc(unsigned b)
{
    if (b >= 252) return csspgo_loc_at(0xffff - (b & 1), b >> 1 & 1);
    if (b >= 248) return csspgo_loc_at(0x8000 + (b & 3), 0);
    return csspgo_loc_at(b & 31, b >> 5 == 7 ? 1 : 0);
}

static uint64_t count(input *in)
{
    const unsigned b = byte(in);
    return b == 255 ? UINT64_MAX : b > 240 ? UINT64_MAX >> (b & 15) : b;
}

static csspgo_profile *profile(input *in, uint32_t flags)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    unsigned left = byte(in) % 48;
    csspgo_node n;
    REQUIRE(p != NULL);
    csspgo_profile_set_flags(p, flags);
    n.id = 0;
    while (left-- != 0) {
        const unsigned op = byte(in), b = byte(in);
        csspgo_node made;
        if (n.id <= 1 || op % 8 == 0) {
            n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0),
                                flags & CSSPGO_IS_CS ? CSSPGO_CONTEXT : CSSPGO_PLAIN, func(p, b));
            if (!(op & 8)) REQUIRE(csspgo_set_checksum(p, n, b >> 6) == CSSPGO_OK);   /* else: a frame without counts */
        } else if (op % 8 == 1) {
            made = csspgo_node_add(p, n, loc(b), flags & CSSPGO_IS_CS ? CSSPGO_CONTEXT : CSSPGO_INLINEE,
                                   func(p, op >> 4));
            if (made.id != 0) n = made;
            if (made.id != 0 && !(op & 8)) REQUIRE(csspgo_set_checksum(p, n, op >> 6) == CSSPGO_OK);
        } else if (op % 8 == 2) {
            REQUIRE(csspgo_add_target(p, n, loc(b), func(p, op >> 4), count(in)) == CSSPGO_OK);
        } else if (op % 8 == 3) {
            REQUIRE(csspgo_add_total(p, n, count(in)) == CSSPGO_OK && csspgo_add_head(p, n, b) == CSSPGO_OK);
        } else {
            REQUIRE(csspgo_add_body(p, n, loc(b), count(in)) == CSSPGO_OK);
        }
    }
    return p;
}

static size_t code(input *in, csspgo_match_code *c, csspgo_match_loc v[FUNCS][LOCS])
{
    const size_t n = byte(in) % (FUNCS + 1);
    uint64_t guid[8];
    size_t i, k;
    for (i = 0; i < 8; i++) guid[i] = csspgo_guid(names[i], strlen(names[i]));
    for (i = 0; i < n; i++) {
        const unsigned b = byte(in);
        memset(&c[i], 0, sizeof c[i]);
        c[i].name = names[(b & 1) + 2 * i];            /* no two the same */
        c[i].name_size = strlen(c[i].name);
        c[i].checksum = b >> 6;
        c[i].flags = b >> 1 & 7 & (b >> 4 & 3 ? 0u : 7u);
        c[i].module = b >> 4 & 3;
        c[i].loc = v[i];
        c[i].locs = byte(in) % LOCS;
        for (k = 0; k < c[i].locs; k++) {
            const unsigned kind = byte(in);
            memset(&v[i][k], 0, sizeof v[i][k]);
            v[i][k].loc = kind & 64 ? csspgo_loc_at((uint32_t)k + 1, 0) : loc(byte(in));
            if (kind == 0xaf) v[i][k].loc = csspgo_loc_at(UINT32_MAX, 0);
            v[i][k].kind = (csspgo_match_kind)(kind % 4);
            if (kind % 31 != 0) v[i][k].callee = guid[kind >> 2 & 7];
            v[i][k].eq = kind >> 5;
            if (kind % 3 == 0) v[i][k].under = kind >> 2 & 7;
            v[i][k].hash = kind & 128 ? kind & 3 : 0;
        }
    }
    return n;
}

static uint64_t loc_key(csspgo_loc loc)
{
    return (uint64_t)loc.line << 32 | loc.discriminator;
}

/* Calls and aligned blocks of ALIGN: ascending on both sides. */
static void check_order(const csspgo_matcher *m, const csspgo_match_code *c, const csspgo_match_loc *v)
{
    const uint64_t guid = csspgo_guid(c->name, c->name_size);
    uint64_t from[LOCS], to[LOCS];
    size_t i, k, n = 0;
    for (i = 0; i < c->locs; i++) {
        const csspgo_match_result a = csspgo_matcher_locate(m, guid, v[i].loc);
        if (a.how != CSSPGO_FOUND_CALL && a.how != CSSPGO_FOUND_RENAMED && a.how != CSSPGO_FOUND_ALIGNED)
            continue;
        for (k = n; k != 0 && from[k - 1] > loc_key(v[i].loc); k--) {
            from[k] = from[k - 1];
            to[k] = to[k - 1];
        }
        from[k] = loc_key(v[i].loc);
        to[k] = loc_key(a.to);
        n++;
    }
    for (i = 1; i < n; i++) REQUIRE(from[i] == from[i - 1] ? to[i] == to[i - 1] : to[i] > to[i - 1]);
}

static int same_loc(csspgo_loc a, csspgo_loc b)
{
    return loc_key(a) == loc_key(b);
}

/* 1 if the new code has at loc a call that can be that of a function that the profile calls `callee`. */
static int calls(const csspgo_matcher *m, const csspgo_match_code *c, csspgo_loc loc, uint64_t callee, int calls_only)
{
    size_t k;
    for (k = 0; k < c->locs; k++) {
        if (!same_loc(c->loc[k].loc, loc) || (calls_only && c->loc[k].kind == CSSPGO_MATCH_BLOCK)) continue;
        return c->loc[k].kind != CSSPGO_MATCH_BLOCK &&
               (c->loc[k].kind != CSSPGO_MATCH_CALL || c->loc[k].callee == 0 || c->loc[k].callee == callee ||
                csspgo_matcher_profile_of(m, c->loc[k].callee) == callee);
    }
    return 0;
}

/* 1 if a location of the new code that calls `callee` was found to be site of its function's profile. */
static int has_call(const csspgo_matcher *m, const csspgo_match_code *c, csspgo_loc site, uint64_t callee,
                    int calls_only)
{
    size_t k;
    for (k = 0; k < c->locs; k++) {
        const csspgo_match_result r = csspgo_matcher_locate(m, csspgo_guid(c->name, c->name_size), c->loc[k].loc);
        if (r.how < CSSPGO_FOUND_CLASS && same_loc(r.to, site) && c->loc[k].loc.line <= 0xffff &&
            calls(m, c, c->loc[k].loc, callee, calls_only))
            return 1;
    }
    return 0;
}

/*
 * calls_only: a mode of LLVM and a profile by lines, where only calls are locations. The law of call sites: below a
 * function whose locations moved, everything stands at a location that has its call; and if the call of a subtree was
 * found, some node of its function stands there.
 */
static void check_calls(const csspgo_matcher *m, const csspgo_profile *p, const csspgo_profile *q,
                        const csspgo_match_code *c, int calls_only)
{
    const uint64_t guid = csspgo_guid(c->name, c->name_size), was = csspgo_matcher_profile_of(m, guid);
    const csspgo_match_outcome f = csspgo_matcher_get_outcome(m, guid);
    csspgo_node n, k;
    if (!f.known || !f.mapped) return;
    for (n = csspgo_node_next(p, csspgo_root(p), csspgo_root(p)); n.id != 0;
         n = csspgo_node_next(p, csspgo_root(p), n))
        if (csspgo_func_guid(p, csspgo_node_func(p, n)) == was && csspgo_has_record(p, n) &&
            csspgo_checksum(p, n) == c->checksum) return;    /* this copy is up to date and stays as it is */
    for (n = csspgo_node_next(q, csspgo_root(q), csspgo_root(q)); n.id != 0;
         n = csspgo_node_next(q, csspgo_root(q), n)) {
        const csspgo_node up = csspgo_node_parent(q, n);
        if (up.id == csspgo_root(q).id || csspgo_func_guid(q, csspgo_node_func(q, up)) != guid) continue;
        REQUIRE(calls(m, c, csspgo_node_loc(q, n), csspgo_func_guid(q, csspgo_node_func(q, n)), calls_only));
    }
    for (n = csspgo_node_next(p, csspgo_root(p), csspgo_root(p)); n.id != 0;
         n = csspgo_node_next(p, csspgo_root(p), n)) {
        const uint64_t callee = csspgo_func_guid(p, csspgo_node_func(p, n));
        const csspgo_node up = csspgo_node_parent(p, n);
        if (up.id == csspgo_root(p).id || csspgo_func_guid(p, csspgo_node_func(p, up)) != was) continue;
        if (c->module != 0 || !has_call(m, c, csspgo_node_loc(p, n), callee, calls_only)) continue;
        for (k = csspgo_node_next(q, csspgo_root(q), csspgo_root(q)); k.id != 0;
             k = csspgo_node_next(q, csspgo_root(q), k))
            if (csspgo_func_guid(q, csspgo_node_func(q, csspgo_node_parent(q, k))) == guid &&
                same_loc(csspgo_matcher_locate(m, guid, csspgo_node_loc(q, k)).to, csspgo_node_loc(p, n))) break;
        REQUIRE(k.id != 0);
    }
}

static int is_valid(const csspgo_profile *p)
{
    csspgo_error e;
    return csspgo_validate(p, &e) == CSSPGO_OK;
}

/* Completes q by a control flow, which may be no good; then the blocks that it has fit. */
static void complete(input *in, const csspgo_matcher *m, csspgo_profile *q)
{
    csspgo_loc block[BLOCKS];
    csspgo_cfg_edge edge[JUMPS];
    csspgo_match_cfg f;
    csspgo_profile *before = csspgo_profile_new(NULL, NULL);
    csspgo_status s;
    size_t i, unfit;
    const unsigned b = byte(in);
    REQUIRE(before != NULL && csspgo_add_profile(before, q, NULL) == CSSPGO_OK);
    csspgo_profile_set_flags(before, csspgo_profile_flags(q));
    f.guid = csspgo_guid(names[b & 7], strlen(names[b & 7]));
    f.loc = block;
    f.cfg.block = NULL;
    f.cfg.edge = edge;
    f.cfg.blocks = (b >> 3) % (BLOCKS + 1);
    f.cfg.edges = byte(in) % JUMPS;
    for (i = 0; i < f.cfg.blocks; i++) {
        const unsigned k = byte(in);
        block[i] = k == 0xaf ? csspgo_loc_at(0x10000, 0) : loc(k);
    }
    memset(edge, 0, sizeof edge);
    for (i = 0; i < f.cfg.edges; i++) {
        edge[i].from = byte(in) % BLOCKS;
        edge[i].to = byte(in) % BLOCKS;
    }
    s = csspgo_matcher_complete(m, &f, 1, NULL, q, &unfit, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT || s == CSSPGO_E_RANGE);
    REQUIRE(is_valid(q) && (s == CSSPGO_OK || csspgo_equal(before, q)));
    csspgo_profile_free(before);
}

/* p in terms of the new code; what is left of in says how it is completed, if `all`. */
static csspgo_profile *completed(input in, const csspgo_profile *p, const csspgo_match_code *c, size_t n,
                                 csspgo_match_options *how, csspgo_match_loc v[FUNCS][LOCS], csspgo_match_report *r,
                                 int all)
{
    csspgo_matcher *m = csspgo_matcher_new(how, NULL, NULL);
    csspgo_profile *q = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    size_t i;
    REQUIRE(m != NULL && q != NULL);
    REQUIRE(csspgo_matcher_module(m, p, c, n, r, &e) == CSSPGO_OK && is_valid(p));
    REQUIRE(r->recovered_callsites + r->mismatched_callsites <= r->callsites);
    REQUIRE(r->mapped + r->found_by_class + r->unknown == r->locations);
    REQUIRE(csspgo_matcher_apply(m, p, q, NULL, &e) == CSSPGO_OK);
    REQUIRE(is_valid(q));
    for (i = 0; i < n; i++) check_calls(m, p, q, &c[i], how->llvm != 0 && !(csspgo_profile_flags(p) & CSSPGO_IS_PROBE));
    if (all && how->no_salvage == 0) complete(&in, m, q);
    for (i = 0; i < n; i++) {
        const csspgo_match_outcome f = csspgo_matcher_get_outcome(m, csspgo_guid(c[i].name, c[i].name_size));
        REQUIRE(f.lost_samples <= f.samples && f.lost_calls <= f.calls && f.unknown <= f.locations);
        if (how->llvm == 0) check_order(m, &c[i], v[i]);
    }
    csspgo_matcher_free(m);
    return q;
}

static csspgo_profile *matched(input in, const csspgo_profile *p, const csspgo_match_code *c, size_t n,
                               csspgo_match_options *how, csspgo_match_loc v[FUNCS][LOCS], csspgo_match_report *r)
{
    return completed(in, p, c, n, how, v, r, 1);
}

/* What became of functions c in another order, and with the names of two that p does not have swapped. */
static void check_permuted(const csspgo_profile *p, const csspgo_match_code *c, size_t n,
                           const csspgo_match_options *how, const csspgo_match_loc v[FUNCS][LOCS])
{
    static csspgo_match_loc w[FUNCS][LOCS];
    csspgo_match_code d[FUNCS];
    csspgo_matcher *m = csspgo_matcher_new(how, NULL, NULL), *k = csspgo_matcher_new(how, NULL, NULL);
    uint64_t guid[FUNCS], to[FUNCS];
    csspgo_match_report r;
    csspgo_func f;
    size_t i, j, swap = n == FUNCS;
    REQUIRE(m != NULL && k != NULL);
    memcpy(w, v, sizeof w);
    for (i = 0; i < n; i++) guid[i] = to[i] = csspgo_guid(c[i].name, c[i].name_size);
    for (f.id = 1; n == FUNCS && f.id <= csspgo_func_count(p); f.id++)
        swap &= csspgo_func_guid(p, f) != guid[2] && csspgo_func_guid(p, f) != guid[3];
    if (swap) to[2] = guid[3], to[3] = guid[2];
    for (i = 0; i < n; i++) {
        d[n - 1 - i] = c[i];
        for (j = 0; j < n; j++)
            if (to[i] == guid[j]) d[n - 1 - i].name = c[j].name, d[n - 1 - i].name_size = c[j].name_size;
        d[n - 1 - i].loc = w[i];
        for (j = 0; j < c[i].locs; j++)
            if (swap && (w[i][j].callee == guid[2] || w[i][j].callee == guid[3]))
                w[i][j].callee = w[i][j].callee == guid[2] ? guid[3] : guid[2];
    }
    REQUIRE(csspgo_matcher_module(m, p, c, n, &r, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_matcher_module(k, p, d, n, NULL, NULL) == CSSPGO_OK);
    for (i = 0; r.split_functions == 0 && i < n; i++) {    /* of two callers that lost as much the first one gives */
        csspgo_match_outcome x = csspgo_matcher_get_outcome(m, guid[i]), y = csspgo_matcher_get_outcome(k, to[i]);
        if (x.profile == guid[i]) x.profile = to[i];
        REQUIRE(memcmp(&x, &y, sizeof x) == 0);
    }
    csspgo_matcher_free(m);
    csspgo_matcher_free(k);
}

/* The n-th allocation of each call fails: then it has done nothing, and works when memory is there again. */
static void in_short_memory(input in, const csspgo_profile *p, const csspgo_match_code *c, size_t n,
                            const csspgo_match_options *how, const csspgo_profile *want)
{
    counted heap;
    csspgo_options o;
    csspgo_matcher *m;
    csspgo_profile *q;
    csspgo_status s;
    const size_t nth = 1 + byte(&in) % 64;
    memset(&heap, 0, sizeof heap);
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    m = csspgo_matcher_new(how, &o, NULL);
    q = csspgo_profile_new(&o, NULL);
    REQUIRE(m != NULL && q != NULL);
    heap.fail_at = heap.calls + nth;
    s = csspgo_matcher_module(m, p, c, n, NULL, NULL);
    heap.fail_at = 0;
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
    if (s != CSSPGO_OK) REQUIRE(csspgo_matcher_module(m, p, c, n, NULL, NULL) == CSSPGO_OK);
    heap.fail_at = heap.calls + nth;
    s = csspgo_matcher_apply(m, p, q, NULL, NULL);
    heap.fail_at = 0;
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && csspgo_node_count(q) == 0));
    if (s != CSSPGO_OK) REQUIRE(csspgo_matcher_apply(m, p, q, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_equal(q, want));
    csspgo_matcher_free(m);
    csspgo_profile_free(q);
    REQUIRE(heap.live == 0);
}

static void check_flow(input *in)
{
    csspgo_cfg_block b[BLOCKS];
    csspgo_cfg_edge j[JUMPS];
    csspgo_cfg cfg;
    uint64_t into[BLOCKS];
    const size_t n = 1 + byte(in) % BLOCKS, m = byte(in) % JUMPS;
    size_t i;
    memset(b, 0, sizeof b);
    memset(j, 0, sizeof j);
    memset(into, 0, sizeof into);
    for (i = 0; i < n; i++) {
        const unsigned k = byte(in);
        b[i].known = k & 1;
        b[i].is_exit = k >> 1 & 1;
        b[i].count = (uint64_t)(k >> 2) << (byte(in) & 31);
    }
    for (i = 0; i < m; i++) {
        const unsigned k = byte(in);
        j[i].from = byte(in) % (uint32_t)n;
        j[i].to = byte(in) % (uint32_t)n;
        j[i].known = k & 1;
        j[i].is_fallthrough = k >> 1 & 1;
        j[i].count = k >> 2;
    }
    cfg.block = b;
    cfg.blocks = n;
    cfg.edge = j;
    cfg.edges = m;
    REQUIRE(csspgo_flow_solve(&cfg, NULL, NULL, NULL, NULL) == CSSPGO_OK);
    cfg.blocks = (size_t)1 << 29;                 /* refused before a block is looked at */
    REQUIRE(csspgo_flow_solve(&cfg, NULL, NULL, NULL, NULL) == CSSPGO_E_LIMIT);
    cfg.blocks = n;
    for (i = 0; i < m; i++) into[j[i].to] += j[i].count;
    for (i = 0; i < n; i++) REQUIRE(i == 0 ? b[i].count >= into[i] : b[i].count == into[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t versions[] = { 0, 18, 19, 22 };
    static csspgo_match_loc v[FUNCS][LOCS];
    csspgo_match_code c[FUNCS];
    csspgo_match_options how;
    csspgo_match_report r, again;
    csspgo_profile *p, *q, *s;
    csspgo_tracker *t;
    input in;
    size_t n, base;
    unsigned flags;
    in.p = data;
    in.end = data + size;
    csspgo_base_name((const char *)data, size, &base);
    memset(&how, 0, sizeof how);
    flags = byte(&in);
    how.llvm = versions[flags & 3];
    how.rename = flags >> 2 & 1;
    how.min_calls = 1 + (flags >> 3 & 1);
    how.min_blocks = 1;
    how.near_is_unknown = flags >> 7;
    how.min_similarity = 50;
    p = profile(&in, (flags & 16 ? CSSPGO_IS_PROBE : 0u) | (flags & 32 ? CSSPGO_IS_CS : 0u) |
                         (flags & 64 ? CSSPGO_IS_MD5 : 0u));
    n = code(&in, c, v);
    check_flow(&in);
    q = matched(in, p, c, n, &how, v, &r);
    s = matched(in, p, c, n, &how, v, &again);
    REQUIRE(csspgo_equal(q, s) && memcmp(&r, &again, sizeof r) == 0);
    csspgo_profile_free(s);
    csspgo_profile_free(q);
    if (how.llvm == 0) check_permuted(p, c, n, &how, v);    /* LLVM's modes follow the order of functions */
    how.no_salvage = 1;                               /* nothing moves: what comes out is what went in */
    q = matched(in, p, c, n, &how, v, &r);
    REQUIRE(flags & 16 || csspgo_node_count(q) == csspgo_node_count(p));
    in_short_memory(in, p, c, n, &how, q);
    csspgo_profile_free(q);
    how.no_salvage = 0;
    q = completed(in, p, c, n, &how, v, &again, 0);
    in_short_memory(in, p, c, n, &how, q);
    csspgo_profile_free(q);
    how.no_salvage = 1;
    t = promoted(p, flags);
    if (t != NULL) {                                  /* a tracker's profile is one */
        q = matched(in, csspgo_tracker_profile(t), c, n, &how, v, &r);
        is_a_profile(q, 0);
        csspgo_profile_free(q);
    }
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
    return 0;
}
