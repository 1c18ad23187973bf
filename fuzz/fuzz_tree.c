/* fuzz_tree.c - bytes become operations on three profiles; adding them commutes and associates, all stay valid. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

enum { PROFILES = 3 };

static uint64_t count(input *in)
{
    const unsigned b = byte(in);
    return b == 255 ? UINT64_MAX : b >= 250 ? UINT64_MAX - byte(in) : b;
}

static csspgo_func func(csspgo_profile *p, unsigned b)
{
    static const char *const names[] = { "", "a", "b", "main", "a b", "aaaaaaaaa", "aaaaaaaab", "_Z1fv" };
    if (b & 8) return csspgo_func_add_guid(p, b & 7);
    return csspgo_func_add(p, names[b & 7], strlen(names[b & 7]));
}

/* One byte: two bits of line, one of discriminator; wide ones in a lenient profile. */
static csspgo_loc loc(unsigned b)
{
    return csspgo_loc_at((b & 3) + (b & 64 ? 65536u : 0) + (b & 128 ? 65000u : 0), b >> 2 & 1);
}

/* Some operation; bad arguments are refused and change nothing. */
static void operate(csspgo_profile *p, input *in, uint32_t *node)
{
    const unsigned op = byte(in), b = byte(in);
    csspgo_node n, made;
    csspgo_status s = CSSPGO_OK;
    n.id = *node;
    switch (op % 11) {
    case 0:
    case 1: {
        const csspgo_node_kind kind = (csspgo_node_kind)(b & 3);
        if (b & 4) n = csspgo_root(p);
        made = csspgo_node_add(p, n, n.id == 1 ? csspgo_loc_at(0, 0) : loc(op >> 4 | (b & 0xc0)), kind,
                               func(p, b >> 3));
        if (made.id != 0) *node = made.id;
        return;
    }
    case 2: *node = 1 + b % (csspgo_node_count(p) + 1); return;
    case 3: s = csspgo_add_total(p, n, count(in)); break;
    case 4: s = csspgo_add_head(p, n, count(in)); break;
    case 5: s = csspgo_set_checksum(p, n, b & 3); break;
    case 6: s = csspgo_set_attributes(p, n, b); break;
    case 7: s = csspgo_add_target(p, n, loc(b), func(p, byte(in)), count(in)); break;
    case 8: s = csspgo_add_vtable(p, n, loc(b), func(p, byte(in)), count(in)); break;
    default: s = csspgo_add_body(p, n, loc(b), count(in)); break;
    }
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT);
}

static csspgo_profile *fresh(uint32_t lenient)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    p = csspgo_profile_new(&o, NULL);
    REQUIRE(p != NULL);
    return p;
}

/* Well formed; the order of files has each record once, and inlinees right behind what they are nested in. */
static void check(csspgo_profile *p)
{
    const uint32_t n = csspgo_record_count(p);
    csspgo_node *order = (csspgo_node *)calloc((size_t)n + 1, sizeof *order);
    uint8_t *seen = (uint8_t *)calloc((size_t)csspgo_node_count(p) + 2, 1);
    csspgo_error e;
    uint32_t i;
    REQUIRE(order != NULL && seen != NULL && csspgo_validate(p, &e) == CSSPGO_OK && csspgo_file_order(p, order, NULL) == CSSPGO_OK);
    for (i = 0; i < n; i++) {
        const csspgo_node up = csspgo_node_parent(p, order[i]);
        REQUIRE(csspgo_has_record(p, order[i]) && !seen[order[i].id]);
        seen[order[i].id] = 1;
        if (csspgo_node_kind_of(p, order[i]) == CSSPGO_INLINEE) REQUIRE(!csspgo_has_record(p, up) || seen[up.id]);
        else if (i != 0 && csspgo_node_kind_of(p, order[i - 1]) != CSSPGO_INLINEE)
            REQUIRE(csspgo_total(p, order[i - 1]) >= csspgo_total(p, order[i]));
    }
    free(seen);
    free(order);
}

static csspgo_profile *sum(const csspgo_profile *a, const csspgo_profile *b, uint32_t lenient)
{
    csspgo_profile *p = fresh(lenient);
    REQUIRE(csspgo_add_profile(p, a, NULL) == CSSPGO_OK && csspgo_equal(p, a));
    REQUIRE(csspgo_add_profile(p, b, NULL) == CSSPGO_OK);
    check(p);
    return p;
}

static void same(csspgo_profile *a, csspgo_profile *b)
{
    REQUIRE(csspgo_equal(a, b) && csspgo_equal(b, a));
    csspgo_profile_free(a);
    csspgo_profile_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csspgo_profile *p[PROFILES], *ab, *bc;
    uint32_t node[PROFILES], lenient, k;
    input in;
    in.p = data;
    in.end = data + size;
    lenient = byte(&in) & 1;
    for (k = 0; k < PROFILES; k++) {
        p[k] = fresh(lenient);
        node[k] = 1;
    }
    while (in.p < in.end) {
        k = byte(&in) % PROFILES;
        operate(p[k], &in, &node[k]);
    }
    for (k = 0; k < PROFILES; k++) check(p[k]);
    ab = sum(p[0], p[1], lenient);
    bc = sum(p[1], p[2], lenient);
    same(sum(p[0], p[1], lenient), sum(p[1], p[0], lenient));
    same(sum(ab, p[2], lenient), sum(p[0], bc, lenient));
    REQUIRE(csspgo_add_profile(p[0], p[0], NULL) == CSSPGO_OK);
    check(p[0]);
    csspgo_profile_free(ab);
    csspgo_profile_free(bc);
    for (k = 0; k < PROFILES; k++) csspgo_profile_free(p[k]);
    return 0;
}
