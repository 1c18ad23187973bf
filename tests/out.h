/* out.h - a text that grows. To be included after <stdint.h>. */
#ifndef T_OUT_H
#define T_OUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct t_out {
    char  *at;
    size_t size, cap;
} t_out;

static void t_add(t_out *t, const void *data, size_t n)
{
    if (n + 1 > t->cap - t->size) {
        t->cap = (t->cap + n) * 2 + 256;
        t->at = (char *)realloc(t->at, t->cap);
        if (t->at == NULL) abort();
    }
    if (n != 0) memcpy(t->at + t->size, data, n);
    t->size += n;
    t->at[t->size] = '\0';
}

static void t_str(t_out *t, const char *s)
{
    t_add(t, s, strlen(s));
}

static void t_num(t_out *t, const char *before, uint64_t v, unsigned base)
{
    char digits[24];
    size_t i = sizeof digits;
    do {
        digits[--i] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v != 0);
    t_str(t, before);
    t_add(t, digits + i, sizeof digits - i);
}

static void t_out_free(t_out *t)
{
    free(t->at);
    memset(t, 0, sizeof *t);
}

#endif
