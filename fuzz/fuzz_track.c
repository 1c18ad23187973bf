/* fuzz_track.c - bytes become a profile and what an inliner does with it; nothing is lost, roll-back is exact. */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include "fuzz.h"

enum { FUNCS = 4 };

static csspgo_loc loc(unsigned b)
{
    return csspgo_at(1 + (b & 1), b >> 1 & 1);
}

/* Each byte goes one frame down (or, 0xf?, back to the root); each second one says what the record gets. */
static void fill(csspgo_profile *p, input *in, unsigned n)
{
    csspgo_node at = csspgo_root(p), next;
    while (n-- != 0) {
        const unsigned b = byte(in), what = byte(in);
        csspgo_func f;
        if (b >= 0xf0) at = csspgo_root(p);
        f.id = 1 + b % FUNCS;
        next = csspgo_node_add(p, at, at.id == 1 ? csspgo_at(0, 0) : loc(b >> 2),
                               b >> 4 == 7 ? CSSPGO_INLINEE : CSSPGO_CONTEXT, f);
        if (next.id == 0) continue;
        at = next;
        if (what & 1) csspgo_add_total(p, at, what);
        if (what & 2) csspgo_add_head(p, at, what >> 2);
        if (what & 4) csspgo_set_checksum(p, at, 1 + (what >> 6 & 1));
        if (what & 8) csspgo_set_attributes(p, at, what >> 5);
        if (what & 16) csspgo_add_body(p, at, loc(what >> 5), what);
        f.id = 1 + (what >> 5) % FUNCS;
        if (what & 32) csspgo_add_target(p, at, loc(what >> 3), f, what >> 2);
        if (what & 64) csspgo_add_vtable(p, at, loc(what >> 3), f, what);
    }
}

static csspgo_node next_node(const csspgo_profile *p, csspgo_node n)
{
    csspgo_node next = csspgo_node_first_child(p, n);
    for (; next.id == 0 && n.id != 0; n = csspgo_node_parent(p, n)) next = csspgo_node_next_sibling(p, n);
    return next;
}

/* The totals of all contexts, and the lost ones. */
static uint64_t sum(const csspgo_tracker *t)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    const csspgo_tracker_stats s = csspgo_tracker_get_stats(t);
    uint64_t total = s.lost_by_checksum + s.lost_by_saturation + s.subtracted;
    csspgo_node n = csspgo_root(p);
    while ((n = next_node(p, n)).id != 0)
        if (csspgo_node_kind_of(p, n) == CSSPGO_CONTEXT) total += csspgo_total(p, n);
    return total;
}

/* Every node is found from its parent, among all children and by what was called there. */
static void check(const csspgo_tracker *t)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_node n = csspgo_root(p), c;
    for (; n.id != 0; n = next_node(p, n)) {
        size_t children = 0;
        for (c = csspgo_node_first_child(p, n); c.id != 0; c = csspgo_node_next_sibling(p, c)) {
            const csspgo_loc at = csspgo_node_loc(p, c);
            REQUIRE(csspgo_node_parent(p, c).id == n.id && csspgo_tracker_resolve(t, c).id == c.id);
            REQUIRE(csspgo_child(p, n, at, csspgo_node_kind_of(p, c), csspgo_node_func(p, c)).id == c.id);
            if (csspgo_node_kind_of(p, c) != CSSPGO_CONTEXT) continue;
            children++;
            if (csspgo_has_record(p, c)) REQUIRE(csspgo_tracker_callee(t, n, at, csspgo_node_func(p, c)).id == c.id);
        }
        REQUIRE(csspgo_tracker_children(t, n, NULL, 0) == children);
    }
}

static void look(const csspgo_tracker *t, csspgo_node n, csspgo_loc at)
{
    csspgo_node out[3], hot;
    csspgo_func any;
    const size_t k = csspgo_tracker_callees(t, n, at, out, 3);
    any.id = 0;
    hot = csspgo_tracker_callee(t, n, at, any);
    REQUIRE(hot.id == 0 || k != 0);
    if (k != 0) REQUIRE(csspgo_tracker_callee(t, n, at, csspgo_node_func(csspgo_tracker_profile(t), out[0])).id == out[0].id);
    if (k > 1) REQUIRE(csspgo_tracker_entry(t, out[0]) >= csspgo_tracker_entry(t, out[1]));
}

static void inline_calls(csspgo_tracker *t, csspgo_func f, unsigned b)
{
    csspgo_callable callable[FUNCS + 1];
    csspgo_call calls[4];
    csspgo_inline_options how;
    csspgo_decision out[8];
    csspgo_node base;
    size_t i, n;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    memset(callable, 0, sizeof callable);
    how.context_less = b & 1;
    how.hot_cost = 1 + (b & 30);
    for (i = 0; i < 4; i++) {
        calls[i].loc = loc((unsigned)i);
        calls[i].target.id = (uint32_t)(b >> 5 & 3) == i ? 0 : 1 + (uint32_t)i;
    }
    for (i = 1; i <= FUNCS; i++) {
        callable[i].size = (uint32_t)(i * 7 & 15);
        callable[i].call_count = 4;
        callable[i].calls = calls;
    }
    s = csspgo_tracker_inline(t, f, callable, FUNCS + 1, &how, out, 8, &n, &base, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_SHORT);
    for (i = 0; i < n; i++) {
        REQUIRE(out[i].parent <= i && out[i].callee.id != 0);
        if (out[i].inlined && !how.context_less) REQUIRE(csspgo_tracker_state(t, out[i].node) & CSSPGO_INLINED);
    }
}

static void operate(csspgo_tracker *t, input *in)
{
    const unsigned op = byte(in), b = byte(in);
    const uint32_t nodes = csspgo_node_count(csspgo_tracker_profile(t)) + 1;
    csspgo_func f, order[FUNCS];
    csspgo_node n, m;
    csspgo_status s = CSSPGO_OK;
    size_t count;
    n.id = 1 + b % nodes;
    m.id = 1 + (op >> 4) * 3 % nodes;
    f.id = 1 + b % FUNCS;
    switch (op & 15) {
    case 0: case 1: case 2: s = csspgo_tracker_promote(t, n, &m, NULL); break;
    case 3: case 4: s = csspgo_tracker_move(t, n, m, loc(op >> 4), NULL, NULL); break;
    case 5: case 6: s = csspgo_tracker_base(t, f, 1, &n, NULL); break;
    case 7: case 8: s = csspgo_tracker_mark_inlined(t, n, NULL); break;
    case 9: s = csspgo_tracker_unmark(t, n, NULL); break;
    case 10: look(t, n, loc(op >> 4)); break;
    case 11: inline_calls(t, f, b); break;
    case 12: f.id = 0; s = csspgo_tracker_promote_call(t, n, loc(op >> 4), f, NULL); break;
    case 13: s = csspgo_tracker_order(t, NULL, 0, order, FUNCS, &count, NULL); break;
    default: REQUIRE(csspgo_tracker_resolve(t, n).id != 0); break;
    }
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT || s == CSSPGO_E_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[FUNCS] = { "a", "b", "c", "main" };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *before, *after;
    csspgo_tracker_options how;
    csspgo_tracker *t;
    uint64_t in_sum;
    uint32_t mark, i;
    unsigned shape;
    input in;
    REQUIRE(p != NULL);
    in.p = data;
    in.end = data + size;
    shape = byte(&in);
    memset(&how, 0, sizeof how);
    how.take = 1;
    how.subtract = shape & 1;
    csspgo_set_profile_flags(p, CSSPGO_IS_CS | (shape & 4 ? CSSPGO_IS_PREINLINED : 0u));
    for (i = 0; i < FUNCS; i++) csspgo_func_add(p, names[i], strlen(names[i]));
    fill(p, &in, shape >> 3);
    t = csspgo_tracker_new(p, &how, NULL);
    REQUIRE(t != NULL);
    in_sum = sum(t);
    for (i = byte(&in) & 7; i != 0; i--) operate(t, &in);
    check(t);
    REQUIRE(sum(t) == in_sum);
    before = csspgo_tracker_snapshot(t, NULL);
    REQUIRE(before != NULL && csspgo_equal(before, csspgo_tracker_profile(t)));
    is_a_profile(csspgo_tracker_profile(t), 0);
    REQUIRE(csspgo_tracker_checkpoint(t, &mark, NULL) == CSSPGO_OK);
    while (in.p < in.end) {
        operate(t, &in);
        REQUIRE(csspgo_validate(csspgo_tracker_profile(t), NULL) == CSSPGO_OK);
    }
    check(t);
    is_a_profile(csspgo_tracker_profile(t), 0);
    REQUIRE(sum(t) == in_sum);
    REQUIRE(csspgo_tracker_rollback(t, mark, NULL) == CSSPGO_OK);
    check(t);
    is_a_profile(csspgo_tracker_profile(t), 0);
    after = csspgo_tracker_snapshot(t, NULL);
    REQUIRE(after != NULL && csspgo_equal(before, after) && csspgo_equal(after, before));
    csspgo_profile_free(before);
    csspgo_profile_free(after);
    csspgo_tracker_free(t);
    return 0;
}
