/* fuzz_text.c - text profiles: what is read is well formed and survives writing and reading; what is not read changes
 * nothing; strict reading takes nothing that lenient reading takes for something else; memory stays in bounds. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

static csspgo_profile *fresh(counted *c, uint32_t lenient)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    memset(c, 0, sizeof *c);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = c;
    o.limits.max_depth = 40;
    o.limits.max_name = 200;
    o.llvm = lenient ? 19 : 0;
    p = csspgo_profile_new(&o, NULL);
    REQUIRE(p != NULL);
    return p;
}

static void done(csspgo_profile *p, counted *c)
{
    REQUIRE(csspgo_profile_memory(p) == c->live);
    csspgo_profile_free(p);
    REQUIRE(c->live == 0);
}

/* For free(). */
static char *written(csspgo_profile *p, size_t *size)
{
    csspgo_error e;
    char *out;
    REQUIRE(csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, &e) == CSSPGO_OK);
    out = (char *)malloc(*size + 1);
    REQUIRE(out != NULL);
    REQUIRE(csspgo_write(p, CSSPGO_TEXT, out, *size, size, &e) == CSSPGO_OK);
    return out;
}

static csspgo_status read_checked(csspgo_profile *p, counted *c, const uint8_t *data, size_t size)
{
    csspgo_error e;
    const size_t before = c->live;
    csspgo_status s;
    c->peak = c->live;
    s = csspgo_read(p, data, size, &e);
    is_told(s, &e, size);
    REQUIRE(csspgo_validate(p, &e) == CSSPGO_OK);
    if (csspgo_node_count(p) == 0 || before < 2000) REQUIRE(c->peak <= before + 16 * size + 128 * (size / 3) + (1u << 20));
    return s;
}

/* What strict reading takes, text can carry: the same profile comes back, and then the same bytes. */
static void round_trip(csspgo_profile *p)
{
    counted c;
    csspgo_profile *q = fresh(&c, 0);
    csspgo_error e;
    size_t n, m;
    char *a = written(p, &n), *b;
    REQUIRE(csspgo_read(q, a, n, &e) == CSSPGO_OK);
    b = written(q, &m);
    REQUIRE(n == m && memcmp(a, b, n) == 0);
    REQUIRE(csspgo_equal(p, q));
    free(a);
    free(b);
    done(q, &c);
}

/*
 * Strict reading differs in three things only: it drops a leaf's location, keeps the attributes of all lines, and takes
 * any checksum, 0 or of an inlinee, for a sign of probes.
 */
static void compare_modes(const csspgo_profile *strict, csspgo_profile *lenient)
{
    const uint32_t nodes = csspgo_node_count(lenient) + 1;
    csspgo_node n;
    for (n.id = 2; n.id <= nodes; n.id++)
        if (csspgo_node_kind_of(lenient, n) == CSSPGO_DUPLICATE) return;
    REQUIRE(csspgo_node_count(strict) + 1 == nodes && csspgo_record_count(strict) == csspgo_record_count(lenient));
    for (n.id = 2; n.id <= nodes; n.id++) {           /* both made their nodes in the same order */
        const uint32_t attributes = csspgo_attributes(strict, n);
        REQUIRE(csspgo_has_record(strict, n) == csspgo_has_record(lenient, n));
        REQUIRE((csspgo_attributes(lenient, n) & ~attributes) == 0);
        if (csspgo_has_record(lenient, n)) REQUIRE(csspgo_set_attributes(lenient, n, attributes) == CSSPGO_OK);
    }
    csspgo_profile_set_flags(lenient, csspgo_profile_flags(lenient) | (csspgo_profile_flags(strict) & CSSPGO_IS_PROBE));
    REQUIRE(csspgo_equal(strict, lenient) && csspgo_equal(lenient, strict));
}

static const char *const starts[3] = { "", "a:9:9\n 1: 7 b:1\n 3: a:2\n  1: 2\n", "[a:1 @ b]:9:9\n 1: 7 b:1\n" };

/* Reads on top of something: all of it is added, or nothing. fail_at: the allocation that fails, 0 = none. */
static void add_to(unsigned start, const uint8_t *data, size_t size, const csspgo_profile *strict, size_t fail_at)
{
    counted c, d;
    csspgo_profile *p = fresh(&c, 0), *before = fresh(&d, 0);
    csspgo_status s;
    if (start != 0) {
        REQUIRE(csspgo_read(p, starts[start], strlen(starts[start]), NULL) == CSSPGO_OK);
        REQUIRE(csspgo_read(before, starts[start], strlen(starts[start]), NULL) == CSSPGO_OK);
    }
    if (fail_at != 0) c.fail_at = c.calls + fail_at;
    s = read_checked(p, &c, data, size);
    c.fail_at = 0;
    REQUIRE(s != CSSPGO_E_NOMEM || fail_at != 0);
    if (s == CSSPGO_OK) {
        REQUIRE(strict != NULL && csspgo_add_profile(before, strict, NULL) == CSSPGO_OK);
    } else {
        REQUIRE(csspgo_func_count(p) == csspgo_func_count(before) && csspgo_node_count(p) == csspgo_node_count(before));
        REQUIRE(csspgo_record_count(p) == csspgo_record_count(before));
    }
    REQUIRE(csspgo_equal(p, before) && csspgo_equal(before, p));
    done(p, &c);
    done(before, &d);
}

/* 1 if the text may hold lines of newer LLVM, which 19 refuses or takes for something else. */
static int newer(const uint8_t *data, size_t size)
{
    size_t i;
    for (i = 0; i + 5 <= size; i++)
        if ((i + 8 <= size && memcmp(data + i, "vtables ", 8) == 0) || memcmp(data + i, "!Flat", 5) == 0) return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    counted c, d;
    csspgo_profile *strict, *lenient;
    csspgo_status s, l;
    size_t n;
    if (csspgo_sniff(data, size) != CSSPGO_TEXT) return 0;    /* fuzz_binary's */
    strict = fresh(&c, 0);
    lenient = fresh(&d, 1);
    s = read_checked(strict, &c, data, size);
    l = read_checked(lenient, &d, data, size);
    if (l == CSSPGO_OK) free(written(lenient, &n));
    if (s == CSSPGO_OK) {
        REQUIRE(l == CSSPGO_OK || newer(data, size));
        round_trip(strict);
        if (!newer(data, size)) compare_modes(strict, lenient);
    } else {
        REQUIRE(csspgo_node_count(strict) == 0 && csspgo_func_count(strict) == 0 && csspgo_profile_flags(strict) == 0);
    }
    add_to(1, data, size, s == CSSPGO_OK ? strict : NULL, 0);
    if (size != 0) add_to(data[size / 2] % 3, data, size, s == CSSPGO_OK ? strict : NULL, 1 + data[size - 1] % 40);
    done(strict, &c);
    done(lenient, &d);
    return 0;
}
