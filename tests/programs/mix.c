/* mix.c - recursion (direct and mutual), indirect and tail calls, callbacks through libc, setjmp, a signal handler */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static unsigned rng = 1;
NOINLINE unsigned roll(void) { return rng = rng * 1103515245u + 12345u; }

NOINLINE unsigned leaf(unsigned x, int hot)
{
    unsigned i, s = x;
    if (hot) for (i = 0; i < x % 9; i++) s += i * s;
    else s ^= x >> 3;
    return s;
}

static inline unsigned twice(unsigned x, int hot) { return leaf(x, hot) + leaf(x + 1, hot); }
NOINLINE unsigned caller_hot(unsigned x) { return twice(x, 1) + 1; }
NOINLINE unsigned caller_cold(unsigned x) { return twice(x, 0) + 2; }

NOINLINE unsigned odd(unsigned n);
NOINLINE unsigned even(unsigned n) { return n == 0 ? leaf(3, 1) : odd(n - 1) + 1; }
NOINLINE unsigned odd(unsigned n) { return n == 0 ? leaf(4, 0) : even(n - 1) + 2; }
NOINLINE unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

NOINLINE unsigned last(unsigned x) { return leaf(x, 1) ^ 5; }
NOINLINE unsigned hop(unsigned x) { return x & 1 ? last(x) : last(x + 2); }
typedef unsigned (*op)(unsigned);
static op volatile table[5] = { caller_hot, caller_cold, even, hop, fib };

static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int down(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
NOINLINE int sorted(int (*cmp)(const void *, const void *))
{
    int v[24], i;
    for (i = 0; i < 24; i++) v[i] = (int)(roll() >> 16);
    qsort(v, 24, sizeof *v, cmp);
    return v[3];
}

static jmp_buf out;
NOINLINE void deep(int n) { if (n == 0) longjmp(out, 7); deep(n - 1); leaf((unsigned)n, 0); }
NOINLINE int escape(int n) { int r = setjmp(out); if (r == 0) deep(n); return r; }

static volatile int signals;
static void on_signal(int s) { signals += s; leaf((unsigned)s, 1); }

int main(int argc, char **argv)
{
    unsigned sum = (unsigned)argc, i;
    (void)argv;
    signal(SIGUSR1, on_signal);
    for (i = 0; i < 500; i++) {
        sum += table[roll() % 4](i) + fib(i % 8);
        if (i % 4 == 0) sum += (unsigned)sorted(i % 8 ? up : down);
        if (i % 7 == 0) sum += (unsigned)escape((int)(i % 5));
        if (i % 16 == 0) raise(SIGUSR1);
    }
    printf("%u %d\n", sum, signals != 0);
    return 0;
}
