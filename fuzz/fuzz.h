/* fuzz.h - what the harnesses share: a check that stays in every build, a heap that is counted, input byte by byte. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(x)                                                                   \
    do {                                                                             \
        if (!(x)) {                                                                  \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #x);   \
            abort();                                                                 \
        }                                                                            \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* FNV-1a. */
static inline uint64_t hash_bytes(const void *data, size_t size, uint64_t hash)
{
    const uint8_t *p = (const uint8_t *)data;
    size_t i;
    hash ^= UINT64_C(0xcbf29ce484222325);
    for (i = 0; i < size; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

typedef struct counted {
    size_t live, peak, calls, fail_at;                /* fail_at: the call from which on all fail, 0 = none */
} counted;

static inline void *counted_alloc(void *ctx, size_t size)
{
    counted *c = (counted *)ctx;
    void *p;
    if (++c->calls >= c->fail_at && c->fail_at != 0) return NULL;
    p = malloc(size);
    if (p == NULL) return NULL;
    c->live += size;
    if (c->live > c->peak) c->peak = c->live;
    return p;
}

static inline void counted_free(void *ctx, void *ptr, size_t size)
{
    ((counted *)ctx)->live -= size;
    free(ptr);
}

typedef struct input {
    const uint8_t *p, *end;
} input;

/* The next byte; 0 at the end. */
static inline unsigned byte(input *in)
{
    return in->p < in->end ? *in->p++ : 0;
}

#ifdef CSSPGO_VERSION
/* The law of errors: a status has a sentence of printable ASCII, and a place in the input if it has one; OK has none. */
static inline void is_told(csspgo_status s, const csspgo_error *e, size_t size)
{
    size_t i;
    REQUIRE(e->status == s && e->offset <= size);
    REQUIRE((s == CSSPGO_OK) == (e->message[0] == '\0'));
    for (i = 0; e->message[i] != '\0'; i++) REQUIRE(i < sizeof e->message - 1 && e->message[i] >= ' ' && e->message[i] < 127);
    if (s == CSSPGO_OK) REQUIRE(e->line == 0 && e->offset == 0);
}

/* The law of profiles: whoever changed p last, it is valid, and every function that reads profiles takes it. */
static inline void is_a_profile(const csspgo_profile *p, uint32_t llvm)
{
    csspgo_options o;
    csspgo_profile *q, *r;
    csspgo_node *list = (csspgo_node *)calloc(csspgo_record_count(p) + (size_t)1, sizeof *list);
    csspgo_summary sum;
    csspgo_status s;
    size_t size, i;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    q = csspgo_profile_new(&o, NULL);
    r = csspgo_profile_new(&o, NULL);
    REQUIRE(q != NULL && r != NULL && list != NULL);
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK && csspgo_equal(p, p));
    REQUIRE(csspgo_file_order(p, list, NULL) == CSSPGO_OK);
    for (i = 0; i < csspgo_record_count(p); i++) REQUIRE(csspgo_has_record(p, list[i]));
    REQUIRE(csspgo_compute_summary(p, NULL, 0, &sum, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_profile_get_stats(p).records == csspgo_record_count(p));
    csspgo_write(p, CSSPGO_TEXT, NULL, 0, &size, NULL);
    REQUIRE(csspgo_add_profile(q, p, NULL) == CSSPGO_OK && csspgo_validate(q, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_record_count(q) == csspgo_record_count(p) && (llvm || csspgo_equal(p, q)));
    s = csspgo_merge(r, p, NULL, NULL, NULL);
    REQUIRE(s == CSSPGO_OK && csspgo_merge(r, q, NULL, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_validate(r, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_nest(q, 0, NULL) == CSSPGO_OK && csspgo_validate(q, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_flatten(r, NULL) == CSSPGO_OK && csspgo_validate(r, NULL) == CSSPGO_OK);
    csspgo_profile_free(q);
    csspgo_profile_free(r);
    free(list);
}

/* Promotes some contexts of a profile if it can be tracked, and hands over the tracker; or NULL. */
static inline csspgo_tracker *promoted(csspgo_profile *p, unsigned b)
{
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    unsigned i;
    for (i = 0; t != NULL && i < 4; i++) {
        csspgo_node n;
        n.id = 2 + (b >> i) % (csspgo_node_count(p) + 1);
        csspgo_tracker_promote(t, n, NULL, NULL);
    }
    return t;
}
#endif

#endif
