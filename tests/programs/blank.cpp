// Code of which a part never runs: behind a call that throws or ends the program, in a remainder of an unrolled loop, in
// cases of a switch, in failed assertions, where spilled registers are read back (line 0). For annotate, which must show
// no counts there.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define NOINLINE __attribute__((noinline))

NOINLINE static void bad(int x)
{
    if (x > 1000000000) abort();
    fprintf(stderr, "bad %d\n", x);
}

NOINLINE int spills(const int *a, int n, int k1, int k2, int k3, int k4, int k5, int k6, int k7)
{
    int s = 0, t = 1, u = 2, v = 3, w = 4, i;
    for (i = 0; i < n; i++) {
        if (a[i] < 0)
            bad(i);
        s += a[i] * k1 ^ k2;
        t ^= s + k3;
        u += t * k4;
        if (u == 0x123456)
            bad(u);
        v ^= u - k5;
        w += v * k6 + k7 + s;
    }
    return s + t + u + v + w;
}

NOINLINE unsigned unrolled(const unsigned *a, unsigned n)         // n is a multiple of 8
{
    unsigned i, s = 0;
    for (i = 0; i < n; i++)
        s += a[i] * 3 ^ s >> 3;
    return s;
}

NOINLINE int chosen(int kind, int x)
{
    switch (kind) {
    case 0: return x + 1;
    case 1: x *= 3;                                                // goes on
    case 2: return x ^ 5;
    case 3: bad(x); return x - 7;
    case 4: return x * x + 11;
    default: return -1;
    }
}

NOINLINE static int thrown(int x)
{
    if (x >= 0) throw std::runtime_error("thrown");
    return x;
}

NOINLINE int passes_on(int x)                                      // no cleanup: nothing of it runs behind the call
{
    int y = thrown(x);
    return y * 5 + x;
}

NOINLINE int catches(int n)
{
    int i, caught = 0;
    for (i = 0; i < n; i++) {
        assert(i >= 0);
        try {
            caught += passes_on(i) + 2;
        } catch (const std::exception &e) {
            caught += e.what()[0] == 't';
        }
    }
    return caught;
}

NOINLINE static void leaves(int x)
{
    printf("%d\n", x);
    exit(0);
}

int main()
{
    static int a[256];
    static unsigned b[256];
    int i, r = 0;
    for (i = 0; i < 256; i++) {
        a[i] = i * 7 % 256;
        b[i] = (unsigned)i * 2654435761u;
    }
    for (i = 0; i < 60; i++) r += spills(a, 256, 3, i, 4, 7, 5, i ^ 5, 11);
    for (i = 0; i < 60; i++) r += (int)unrolled(b, 256);
    for (i = 0; i < 900; i++) r += chosen(i % 2 + (i % 5 == 0), i);
    r += catches(40);
    leaves(r);
    return r + 1;
}
