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

#endif
