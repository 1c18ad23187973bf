/* fuzz_edit.c - a script of operations, then a profile: what comes out is valid, laws hold, failures change nothing. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

static counted heap;

static csspgo_profile *fresh(uint32_t lenient, uint64_t max_bytes)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    o.limits.max_bytes = max_bytes;
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    p = csspgo_profile_new(&o, NULL);
    REQUIRE(p != NULL);
    return p;
}

/* lenient: as p is */
static csspgo_profile *copy_of(const csspgo_profile *p, uint32_t lenient)
{
    csspgo_profile *q = fresh(lenient, 0);
    REQUIRE(csspgo_add_profile(q, p, NULL) == CSSPGO_OK);
    csspgo_profile_set_flags(q, csspgo_profile_flags(p));
    return q;
}

static csspgo_status rename_some(csspgo_profile *p, unsigned b)
{
    csspgo_rename_options how;
    csspgo_rename r[3];
    size_t i;
    for (i = 0; i < 3; i++) {
        csspgo_func f;
        size_t n;
        f.id = 1 + (b >> i) % (csspgo_func_count(p) + 1);
        r[i].from = csspgo_func_name(p, f, &n);
        r[i].from_size = n;
        f.id = 1 + (b >> 2 >> i) % (csspgo_func_count(p) + 1);
        r[i].to = csspgo_func_name(p, f, &n);
        r[i].to_size = n;
        if (r[i].from == NULL) r[i].from = "main", r[i].from_size = 4;
        if (r[i].to == NULL) r[i].to = "foo", r[i].to_size = 3;
    }
    how.llvm = b & 1;
    return csspgo_rename_functions(p, r, 3, &how, NULL);
}

static csspgo_status remove_one(csspgo_profile *p, unsigned b)
{
    csspgo_node n;
    n.id = 1 + b % (csspgo_node_count(p) + 2);
    return csspgo_remove(p, &n, 1, NULL);
}

/* In slices. */
static csspgo_status shrink_in_slices(csspgo_profile *p, uint64_t most, uint64_t budget)
{
    csspgo_status s;
    do s = csspgo_shrink_step(p, most, budget, NULL);
    while (s == CSSPGO_MORE);
    return s;
}

/* Into less memory than it has: the sum of all counts stays, and slices of any size do the same. */
static csspgo_status shrink(csspgo_profile *p, unsigned b)
{
    const uint64_t most = csspgo_profile_memory(p) / 256 * (b + 1), samples = csspgo_profile_get_stats(p).samples;
    csspgo_profile *at_once = csspgo_profile_clone(p, NULL), *sliced = csspgo_profile_clone(p, NULL);
    csspgo_status s = CSSPGO_E_NOMEM, of_slices = s;
    if (at_once != NULL && sliced != NULL) {
        s = csspgo_shrink(at_once, most, NULL);
        of_slices = shrink_in_slices(sliced, most, b % 64);
    }
    if (s != CSSPGO_E_NOMEM && of_slices != CSSPGO_E_NOMEM) {
        REQUIRE(s == of_slices && csspgo_equal(at_once, sliced));
        REQUIRE(csspgo_profile_memory(at_once) == csspgo_profile_memory(sliced));
    }
    csspgo_profile_free(at_once);
    csspgo_profile_free(sliced);
    s = csspgo_shrink(p, most, NULL);
    if (s == CSSPGO_OK) REQUIRE(csspgo_profile_memory(p) <= most || most == 0);
    REQUIRE(s != CSSPGO_OK || csspgo_profile_get_stats(p).samples <= samples);
    return s;
}

static csspgo_status preinline(csspgo_profile *p, unsigned b)
{
    csspgo_preinline_options how;
    csspgo_preinline_stats stats;
    memset(&how, 0, sizeof how);
    how.llvm = b & 1 ? 19 : 0;
    how.replay = b >> 1 & 1;
    how.unsorted_cycles = b >> 2 & 1;
    how.hot_threshold = b >> 3 & 1 ? b : 0;
    how.growth_limit = b >> 4 & 1;
    how.hottest_count = b >> 5;
    how.cold_count = b >> 7 ? CSSPGO_ZERO : 0;
    return csspgo_preinline(p, &how, &stats, NULL);
}

static csspgo_status operate(csspgo_profile *p, unsigned op, unsigned b)
{
    csspgo_cold_options o;
    csspgo_merge_options how;
    uint64_t count;
    if (op >= 240) return shrink(p, b);
    if (op >= 232) return preinline(p, b);
    switch (op % 10) {
    case 0: return csspgo_flatten(p, NULL);
    case 1: return csspgo_nest(p, b & 1, NULL);
    case 2: return csspgo_compress_recursion(p, b & 1 ? UINT32_MAX : b >> 1, NULL);
    case 3: return rename_some(p, b);
    case 4: return csspgo_scale(p, b >> 4, b & 15, NULL);
    case 5: return remove_one(p, b);
    case 6: return csspgo_count_threshold(p, (uint64_t)b * 4000, &count, NULL);
    case 7:
        memset(&how, 0, sizeof how);
        how.weight = b >> 1;
        how.llvm = b & 1;
        return csspgo_merge(p, p, &how, NULL, NULL);
    default:
        memset(&o, 0, sizeof o);
        o.merge = b & 1;
        o.trim = b >> 1 & 1;
        o.base_only = b >> 2 & 1;
        o.frames = b >> 3 & 3;
        o.threshold = b >> 5;
        return csspgo_trim_cold(p, &o, NULL);
    }
}

/* Merging commutes and associates (bit for bit), with what operations made of it. */
static void laws(csspgo_profile *p, csspgo_profile *q, uint32_t lenient)
{
    csspgo_profile *pq = copy_of(p, lenient), *qp = copy_of(q, lenient), *ppq, *pqp;
    const csspgo_status s = csspgo_merge(pq, q, NULL, NULL, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT);
    REQUIRE(csspgo_merge(qp, p, NULL, NULL, NULL) == s);
    if (s == CSSPGO_OK && !lenient) {
        REQUIRE(csspgo_equal(pq, qp) && csspgo_equal(qp, pq));
        ppq = copy_of(p, lenient);
        pqp = copy_of(pq, lenient);
        REQUIRE(csspgo_merge(ppq, pq, NULL, NULL, NULL) == CSSPGO_OK && csspgo_merge(pqp, p, NULL, NULL, NULL) == CSSPGO_OK);
        REQUIRE(csspgo_equal(ppq, pqp));
        csspgo_profile_free(ppq);
        csspgo_profile_free(pqp);
    }
    REQUIRE(csspgo_validate(pq, NULL) == CSSPGO_OK && csspgo_validate(qp, NULL) == CSSPGO_OK);
    csspgo_profile_free(pq);
    csspgo_profile_free(qp);
}

/* A tracker's profile is one: it can be merged into another one, and edited there. */
static void track(const csspgo_profile *p, uint32_t lenient, unsigned op, unsigned b)
{
    csspgo_profile *q = copy_of(p, lenient);
    csspgo_tracker *t = promoted(q, b);
    if (t != NULL) {
        is_a_profile(csspgo_tracker_profile(t), lenient ? 19 : 0);
        REQUIRE(csspgo_merge(q, csspgo_tracker_profile(t), NULL, NULL, NULL) == CSSPGO_OK);
        operate(q, op, b);
        REQUIRE(csspgo_validate(q, NULL) == CSSPGO_OK);
    }
    csspgo_profile_free(q);
    csspgo_tracker_free(t);
}

/* First byte: bit 0 lenient, bit 1 little memory, bits 2 to 4 the number of operations, of two bytes each, bit 5:
 * allocations fail in them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csspgo_profile *p, *before, *was;
    csspgo_profile_stats depths;
    size_t ops, i;
    uint32_t lenient;
    if (size == 0 || size < 1 + 2 * (ops = data[0] >> 2 & 7)) return 0;
    lenient = data[0] & 1;
    p = fresh(lenient, data[0] & 2 ? 30000 : 0);
    if (csspgo_read(p, data + 1 + 2 * ops, size - 1 - 2 * ops, NULL) == CSSPGO_OK) {
        was = copy_of(p, lenient);
        for (i = 0; i < ops; i++) {
            csspgo_status s;
            before = copy_of(p, lenient);
            if (data[0] & 32) heap.fail_at = heap.calls + 1 + data[2 + 2 * i] % 32;
            s = operate(p, data[1 + 2 * i], data[2 + 2 * i]);
            heap.fail_at = 0;
            REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
            REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT || s == CSSPGO_E_LIMIT || s == CSSPGO_E_NOMEM);
            REQUIRE(s != CSSPGO_E_NOMEM || (data[0] & 32));
            if (s != CSSPGO_OK) REQUIRE(csspgo_equal(p, before) && csspgo_func_count(p) == csspgo_func_count(before));
            csspgo_profile_free(before);
        }
        depths = csspgo_profile_get_stats(p);
        REQUIRE(depths.records == csspgo_record_count(p) && depths.deep <= depths.samples);
        laws(p, was, lenient);
        if (ops != 0) track(p, lenient, data[1], data[2]);
        csspgo_profile_free(was);
    }
    csspgo_profile_free(p);
    return 0;
}
