/* fuzz_gcov.c - any bytes as a GCC AutoFDO profile: what is refused leaves the profile alone, what is taken is well
 * formed and comes back from all of GCC's forms, from version 3 with files and times. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

static void round_trip(csspgo_profile *p, uint32_t form)
{
    csspgo_profile *q = csspgo_profile_new(NULL, NULL);
    unsigned char *out;
    csspgo_error e;
    size_t n;
    csspgo_status s = csspgo_write(p, form, NULL, 0, &n, &e);
    REQUIRE(q != NULL);
    if (s == CSSPGO_E_UNSUPPORTED && strstr(e.message, "whose files are so long") != NULL) {   /* none could read it */
        REQUIRE(form & CSSPGO_GCC3);
        csspgo_profile_free(q);
        return;
    }
    REQUIRE(s == CSSPGO_OK);
    out = (unsigned char *)malloc(n + 1);
    REQUIRE(out != NULL && csspgo_write(p, form, out, n, &n, &e) == CSSPGO_OK);
    REQUIRE(csspgo_read(q, out, n, &e) == CSSPGO_OK && csspgo_validate(q, &e) == CSSPGO_OK && csspgo_equal(p, q));
    free(out);
    csspgo_profile_free(q);
}

/* Merging keeps the earlier time of each function, whichever profile has it; a clone and a rename keep all. */
static void times_stay(const csspgo_profile *p)
{
    csspgo_profile *q = csspgo_profile_clone(p, NULL);
    csspgo_func f;
    REQUIRE(q != NULL && csspgo_equal(p, q));
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) {
        const uint64_t time = csspgo_first_sample(p, f);
        size_t n;
        const char *name = csspgo_func_name(p, f, &n);
        const csspgo_func g = csspgo_func_find(q, name, n);
        REQUIRE(csspgo_first_sample(q, g) == time);
        if (f.id % 3 == 1) REQUIRE(csspgo_set_first_sample(q, g, time / 2) == CSSPGO_OK);
        if (f.id % 3 == 2) REQUIRE(csspgo_set_first_sample(q, g, time + (time < UINT64_MAX)) == CSSPGO_OK);
    }
    REQUIRE(csspgo_add_profile(q, p, NULL) == CSSPGO_OK);
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) {
        const uint64_t time = csspgo_first_sample(p, f);
        size_t n;
        const char *name = csspgo_func_name(p, f, &n);
        const csspgo_func g = csspgo_func_find(q, name, n);
        if (time > 1) REQUIRE(csspgo_first_sample(q, g) == (f.id % 3 == 1 ? time / 2 : time));
    }
    csspgo_profile_free(q);
}

static void forget_times(csspgo_profile *p)
{
    csspgo_func f;
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++)
        REQUIRE(csspgo_set_first_sample(p, f, 0) == CSSPGO_OK && csspgo_first_sample(p, f) == 0);
}

/* What GCC's form has no room for is refused, and said. */
static void is_refused(const csspgo_profile *p, int wide)
{
    csspgo_profile *q = csspgo_profile_clone(p, NULL);
    csspgo_func f;
    csspgo_node n;
    csspgo_error e;
    size_t size;
    REQUIRE(q != NULL);
    f = wide ? csspgo_func_add(q, "wide", 4) : csspgo_func_add(q, "a\0b", 3);
    n = csspgo_node_add(q, csspgo_root(q), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f);
    REQUIRE(csspgo_add_body(q, n, csspgo_loc_at(1, wide ? 70000 : 0), 1) == CSSPGO_OK);
    REQUIRE(csspgo_write(q, CSSPGO_GCOV, NULL, 0, &size, &e) == CSSPGO_E_UNSUPPORTED && e.message[0] != '\0');
    csspgo_profile_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csspgo_options o;
    csspgo_profile *p;
    csspgo_error e;
    csspgo_status s;
    if (csspgo_sniff(data, size) != CSSPGO_GCOV) return 0;
    memset(&o, 0, sizeof o);
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) return 0;
    s = csspgo_read(p, data, size, &e);
    is_told(s, &e, size);
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_profile_memory(p) <= 16 * (uint64_t)size + 128 * (uint64_t)csspgo_node_count(p) + (1u << 20));
    if (s != CSSPGO_OK) {
        REQUIRE(csspgo_node_count(p) == 0 && csspgo_func_count(p) == 0 && e.message[0] != '\0');
    } else {
        round_trip(p, CSSPGO_GCOV | CSSPGO_GCC3);     /* with the times of first samples */
        times_stay(p);
        forget_times(p);
        round_trip(p, CSSPGO_GCOV | CSSPGO_GCC3);
        round_trip(p, CSSPGO_GCOV);
        round_trip(p, CSSPGO_GCOV | CSSPGO_GCC);
        round_trip(p, CSSPGO_GCOV | CSSPGO_GCC1);
        is_refused(p, size & 1);
    }
    csspgo_profile_free(p);
    return 0;
}

#if defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION) && !defined(__AFL_COMPILER)
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Half of the time plain mutation, else of one 32-bit word: another value, one more, or one less. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const uint32_t odd[] = { 0,           1,           2,           3,          4,           7,
                                    20,          0xffff,      0x10000,     0x7fffffff, 0xffffffffu, 0xa8000000u,
                                    0xaa000000u, 0xac000000u, 0xae000000u, 0xaf000000u };
    const uint32_t v = odd[seed / 8 % 16];
    const size_t at = size < 8 ? 0 : seed / 128 % (size / 4 - 1) * 4;
    size_t i;
    if (seed % 2 == 0 || size < 12) return LLVMFuzzerMutate(data, size, max_size);
    if (seed / 2 % 4 == 0) {
        memmove(data + at, data + at + 4, size - at - 4);
        return size - 4;
    }
    if (seed / 2 % 4 == 1 && size + 4 <= max_size) {
        memmove(data + at + 4, data + at, size - at);
        size += 4;
    }
    for (i = 0; i < 4; i++) data[at + i] = (uint8_t)(v >> 8 * i & 255);
    return size;
}
#endif
