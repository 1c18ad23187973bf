/* fuzz_edit.c - a script of operations, then a profile: what comes out is valid, laws hold, failures change nothing. */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include "fuzz.h"

static csspgo_profile *fresh(uint32_t lenient, uint64_t max_bytes)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    o.limits.max_bytes = max_bytes;
    p = csspgo_profile_new(&o, NULL);
    REQUIRE(p != NULL);
    return p;
}

/* lenient: as p is */
static csspgo_profile *copy_of(const csspgo_profile *p, uint32_t lenient)
{
    csspgo_profile *q = fresh(lenient, 0);
    REQUIRE(csspgo_add_profile(q, p, NULL) == CSSPGO_OK);
    csspgo_set_profile_flags(q, csspgo_profile_flags(p));
    return q;
}

static csspgo_status rename_some(csspgo_profile *p, unsigned b)
{
    csspgo_remap_options how;
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
    return csspgo_remap(p, r, 3, &how, NULL);
}

static csspgo_status remove_one(csspgo_profile *p, unsigned b)
{
    csspgo_node n;
    n.id = 1 + b % (csspgo_node_count(p) + 2);
    return csspgo_remove(p, &n, 1, NULL);
}

static csspgo_status operate(csspgo_profile *p, unsigned op, unsigned b)
{
    csspgo_cold_options o;
    csspgo_merge_options how;
    uint64_t count;
    switch (op % 10) {
    case 0: return csspgo_flatten(p, NULL);
    case 1: return csspgo_nest(p, b & 1, NULL);
    case 2: return csspgo_compress_recursion(p, b & 1 ? UINT32_MAX : b >> 1, NULL);
    case 3: return rename_some(p, b);
    case 4: return csspgo_scale(p, b >> 4, b & 15, NULL);
    case 5: return remove_one(p, b);
    case 6: return csspgo_threshold(p, (uint64_t)b * 4000, &count, NULL);
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

/* First byte: bit 0 lenient, bit 1 little memory, the rest the number of operations, of two bytes each. */
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
            s = operate(p, data[1 + 2 * i], data[2 + 2 * i]);
            REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
            REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT || s == CSSPGO_E_LIMIT);
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
