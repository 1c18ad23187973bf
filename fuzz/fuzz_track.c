/* fuzz_track.c - bytes become a profile and what an inliner does with it; nothing is lost, roll-back is exact. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

enum { FUNCS = 4 };

static csspgo_loc loc(unsigned b)
{
    return csspgo_loc_at(1 + (b & 1), b >> 1 & 1);
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
        next = csspgo_node_add(p, at, at.id == 1 ? csspgo_loc_at(0, 0) : loc(b >> 2),
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
        REQUIRE(csspgo_tracker_get_children(t, n, NULL, 0) == children);
    }
}

static void look(const csspgo_tracker *t, csspgo_node n, csspgo_loc at)
{
    csspgo_node out[3], hot;
    csspgo_func any;
    const size_t k = csspgo_tracker_get_callees(t, n, at, out, 3);
    any.id = 0;
    hot = csspgo_tracker_callee(t, n, at, any);
    REQUIRE(hot.id == 0 || k != 0);
    if (k != 0) REQUIRE(csspgo_tracker_callee(t, n, at, csspgo_node_func(csspgo_tracker_profile(t), out[0])).id == out[0].id);
    if (k > 1) REQUIRE(csspgo_tracker_entry_count(t, out[0]) >= csspgo_tracker_entry_count(t, out[1]));
}

/* The stack of a context is found, and leads to the node that has its counts. */
static void find(csspgo_tracker *t, csspgo_node n, int enter)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_frame frame[64];
    csspgo_node at = csspgo_tracker_resolve(t, n), found;
    size_t depth = 0, i;
    memset(frame, 0, sizeof frame);
    for (; at.id > 1 && depth < 64; at = csspgo_node_parent(p, at)) {
        if (csspgo_node_kind_of(p, at) != CSSPGO_CONTEXT) return;
        memmove(frame + 1, frame, depth++ * sizeof *frame);
        memset(frame, 0, sizeof *frame);
        frame[0].func = csspgo_node_func(p, at);
        if (csspgo_node_parent(p, at).id > 1) frame[0].loc = csspgo_node_loc(p, at);
    }
    for (i = 0; i + 1 < depth; i++) frame[i].loc = frame[i + 1].loc;    /* a frame has the call of the next one */
    if (depth == 0 || at.id != 1) return;
    frame[depth - 1].loc = csspgo_loc_at(0, 0);
    found = csspgo_tracker_find(t, frame, depth);
    REQUIRE(found.id == csspgo_tracker_resolve(t, n).id);
    if (!enter) return;
    found = csspgo_tracker_enter(t, frame, depth);
    REQUIRE(found.id == csspgo_tracker_resolve(t, n).id);
    if (depth > 1 && csspgo_has_record(p, found)) REQUIRE(csspgo_tracker_node_state(t, found) & CSSPGO_INLINED);
}

/* A walk over the contexts of a function meets each that has counts once. */
static void contexts(const csspgo_tracker *t, csspgo_func f)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_node n = csspgo_tracker_contexts(t, f);
    uint32_t met = 0;
    for (; n.id != 0; n = csspgo_tracker_next(t, n)) {
        REQUIRE(csspgo_node_func(p, n).id == f.id && ++met <= csspgo_node_count(p));
        REQUIRE(csspgo_node_kind_of(p, n) == CSSPGO_CONTEXT);
    }
}

static void inline_calls(csspgo_tracker *t, csspgo_func f, unsigned b)
{
    csspgo_inliner_code callable[FUNCS + 1];
    csspgo_inliner_call calls[4];
    csspgo_inliner_options how;
    csspgo_inliner_decision out[8];
    csspgo_inliner_result made;
    size_t i;
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
    made.decision = out;
    made.cap = 8;
    s = csspgo_tracker_decide(t, f, callable, FUNCS + 1, &how, &made, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_SHORT);
    for (i = 0; i < made.count; i++) {
        REQUIRE(out[i].parent <= i && out[i].callee.id != 0);
        if (out[i].inlined && !how.context_less) REQUIRE(csspgo_tracker_node_state(t, out[i].node) & CSSPGO_INLINED);
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
    case 14:
        find(t, n, op >> 4 & 1);
        contexts(t, f);
        if (op >> 5 & 1) csspgo_tracker_hot_count(t);
        break;
    case 12: f.id = 0; s = csspgo_tracker_promote_call(t, n, loc(op >> 4), f, NULL); break;
    case 13: s = csspgo_tracker_compile_order(t, NULL, 0, order, FUNCS, &count, NULL); break;
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
    csspgo_profile_set_flags(p, CSSPGO_IS_CS | (shape & 4 ? CSSPGO_IS_PREINLINED : 0u));
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
    if (shape & 2) {                                        /* made final: nothing is undone */
        after = csspgo_tracker_snapshot(t, NULL);
        REQUIRE(csspgo_tracker_commit(t, mark, NULL) == CSSPGO_OK && after != NULL);
        REQUIRE(csspgo_tracker_rollback(t, mark, NULL) == CSSPGO_E_ARGUMENT);
        REQUIRE(csspgo_equal(after, csspgo_tracker_profile(t)));
        csspgo_profile_free(before);
        before = after;
    } else REQUIRE(csspgo_tracker_rollback(t, mark, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_tracker_func(t, "main.llvm.7.part.2", 11).id == FUNCS);
    check(t);
    is_a_profile(csspgo_tracker_profile(t), 0);
    after = csspgo_tracker_snapshot(t, NULL);
    REQUIRE(after != NULL && csspgo_equal(before, after) && csspgo_equal(after, before));
    csspgo_profile_free(before);
    csspgo_profile_free(after);
    csspgo_tracker_free(t);
    return 0;
}
