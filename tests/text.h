/* text.h - what generators of random profiles share: random numbers and text that grows. */
#ifndef TEXT_H
#define TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long rng_state;

static unsigned rnd(unsigned n)
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(rng_state >> 33) % n;
}

typedef struct text {
    char  *data;
    size_t size, cap;
} text;

static void put(text *t, const void *s, size_t n)
{
    if (t->size + n > t->cap) {
        t->cap = 2 * t->cap + n;
        t->data = (char *)realloc(t->data, t->cap);
        if (t->data == NULL) abort();
    }
    if (n != 0) memcpy(t->data + t->size, s, n);
    t->size += n;
}

static void put_str(text *t, const char *s)
{
    put(t, s, strlen(s));
}

static void put_number(text *t, unsigned long long v)
{
    char digits[24];
    sprintf(digits, "%llu", v);
    put_str(t, digits);
}

#endif
