// apart_b.cpp - calls of the other file's functions and local functions that have the same names
#include "apart.h"
#include <cstdio>

static unsigned seed = 3;
NOINLINE static unsigned step(unsigned x) { return (seed ^= x << 3) >> 2; }
namespace {
struct Walker {
    unsigned n;
    NOINLINE unsigned go(unsigned x)
    {
        if (x == 0) return n;
        n += step(x);
        return go(x / 2) + 1;
    }
};
}
static unsigned walk(unsigned x)
{
    Walker w = { x };
    return w.go(x) + a_mix(x);
}
static unsigned pick(unsigned x) { return x % 3 ? step(x) : a_shuffle(x); }
static unsigned (*volatile op[4])(unsigned) = { a_mix, a_caught, walk, pick };

int main(int argc, char **)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 6000u * (unsigned)argc; i++) s += op[i % 4](i) + a_caught(i) + walk(i);
    std::printf("%u\n", s);
    return 0;
}
