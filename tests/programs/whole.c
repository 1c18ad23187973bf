/* whole.c - functions whose hot loop is that of an inlined function: none of their own blocks is in most samples */
#include <stddef.h>
#include <stdio.h>

#define ALONE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

INLINE unsigned sum_of(const unsigned char *p, size_t n)
{
    unsigned s = 0;
    size_t i;
    for (i = 0; i < n; i++) s = (s >> 3) ^ p[i] * 7u ^ (s & 1 ? 0x8005u : 0);
    return s;
}

INLINE unsigned middle(const unsigned char *p, size_t n) { return sum_of(p, n) + 1; }

ALONE unsigned direct(const unsigned char *p, size_t n) { return sum_of(p, n) + 3; }
ALONE unsigned nested(const unsigned char *p, size_t n) { return middle(p, n) + 5; }
ALONE unsigned tail(const unsigned char *p, size_t n) { return direct(p, n); }

int main(void)
{
    static unsigned char text[20000];
    unsigned s = 0, i;
    for (i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * i >> 3);
    for (i = 0; i < 6; i++) s += direct(text, sizeof text) + nested(text, sizeof text) + tail(text, sizeof text);
    printf("%u\n", s);
    return 0;
}
