// apart_a.cpp - local functions, which ThinLTO makes global, and handlers of exceptions with code inlined into them
#include "apart.h"

static unsigned state = 7;
NOINLINE static unsigned step(unsigned x)
{
    for (unsigned i = 0; i < (x & 7); i++) state = state * 31 + (i ^ x);
    return state;
}
NOINLINE static unsigned shuffle(unsigned x)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 5; i++) s += step(x + i);
    return s;
}
static inline unsigned mix(unsigned x) { return x & 1 ? step(x) : shuffle(x) + 1; }
__attribute__((always_inline)) static inline void note(unsigned x) { state ^= x; }
NOINLINE static unsigned risky(unsigned x)
{
    if (x % 64 == 9) throw x;
    return x + 1;
}

unsigned a_mix(unsigned x) { return mix(x) + step(x + 3); }
unsigned a_shuffle(unsigned x) { return shuffle(x ^ 5); }
unsigned a_caught(unsigned x)
{
    unsigned s = 0;
    try {
        s = risky(x);
    } catch (...) {
        note(x);
        s = step(x);
    }
    try {
        return s + risky(x ^ 1);
    } catch (...) {
        note(x + 1);
        return s;
    }
}
