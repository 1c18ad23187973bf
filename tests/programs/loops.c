/* loops.c - loops whose iterations take times as unlike as a cycle and a cache miss: what samples in time get wrong
 *
 *     loops [ROUNDS [THREADS]]
 *
 * A round enters each of the 20 loops once. Ten run 2,048 iterations, longer than any burst of samples, the others 24
 * to 300. With several threads, each enters the loops in another order, and the number of rounds is divided by theirs.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
/* keeps the compiler from making one iteration of several, and vectors of scalars */
#define ITERATION(x) __asm__ volatile("" : "+r"(x))

enum { MISSES = 1 << 16, TABLE = 1 << 12, THREADS = 64 };

typedef struct work {
    uint64_t  seed, sum;
    uint64_t  table[TABLE];
    uint32_t *next;               /* a cycle through MISSES places */
    long      rounds;
    unsigned  first;
} work;

static uint64_t mixed(uint64_t x)
{
    x ^= x >> 31;
    return x * UINT64_C(0x9E3779B97F4A7C15);
}

APART uint64_t divide(work *w, unsigned n)
{
    uint64_t a = w->seed | 1, i;
    for (i = 0; i < n; i++) { a = UINT64_C(0xfedcba9876543210) / (a | 3); ITERATION(a); }
    return a;
}

APART uint64_t divide_short(work *w, unsigned n)
{
    uint32_t a = (uint32_t)w->seed | 1, i;
    for (i = 0; i < n; i++) { a = UINT32_C(0xfedcba98) / (a | 3); ITERATION(a); }
    return a;
}

APART uint64_t add_chain(work *w, unsigned n)
{
    uint64_t a = w->seed, i;
    for (i = 0; i < n; i++) {
        a += i; ITERATION(a); a ^= 5; ITERATION(a); a += 3; ITERATION(a);
        a ^= i; ITERATION(a); a += 9; ITERATION(a); a ^= 7; ITERATION(a);
    }
    return a;
}

APART uint64_t add_one(work *w, unsigned n)
{
    uint64_t a = w->seed, i;
    for (i = 0; i < n; i++) { a += i; ITERATION(a); }
    return a;
}

APART uint64_t add_many(work *w, unsigned n)
{
    uint64_t a = w->seed, b = a, c = a, d = a, i;
    for (i = 0; i < n; i++) {
        a += i; b ^= i; c += 3; d -= i;
        ITERATION(a); ITERATION(b); ITERATION(c); ITERATION(d);
    }
    return a + b + c + d;
}

APART uint64_t multiply(work *w, unsigned n)
{
    uint64_t a = w->seed | 1, i;
    for (i = 0; i < n; i++) { a *= a | 1; ITERATION(a); }
    return a;
}

APART uint64_t float_chain(work *w, unsigned n)
{
    volatile double out;
    double a = 1.0 + (double)(w->seed & 7);
    unsigned i;
    for (i = 0; i < n; i++) { a = a * 0.999 + 0.25; a = a * 1.001 - 0.25; }
    out = a;
    return (uint64_t)out;
}

APART uint64_t float_many(work *w, unsigned n)
{
    volatile double out;
    double a = 1.0, b = 2.0, c = 3.0;
    uint64_t i;
    for (i = 0; i < n; i++) { a += 1.5; b += a; c += 0.5; ITERATION(i); }
    out = a + b + c + (double)(w->seed & 1);
    return (uint64_t)out;
}

APART uint64_t float_divide(work *w, unsigned n)
{
    volatile double out;
    double a = 3.0 + (double)(w->seed & 3);
    unsigned i;
    for (i = 0; i < n; i++) a = 7.5 / (a + 0.5);
    out = a;
    return (uint64_t)out;
}

APART uint64_t miss(work *w, unsigned n)
{
    uint32_t at = (uint32_t)(w->seed % MISSES);
    unsigned i;
    for (i = 0; i < n; i++) at = w->next[at];
    w->seed += at;
    return at;
}

APART uint64_t hit(work *w, unsigned n)
{
    uint64_t a = w->seed, i;
    for (i = 0; i < n; i++) { a += w->table[(a >> 3 ^ i) % TABLE]; ITERATION(a); }
    return a;
}

APART uint64_t store(work *w, unsigned n)
{
    uint64_t i;
    for (i = 0; i < n; i++) { w->table[i * 9 % TABLE] += i; __asm__ volatile("" : : : "memory"); }
    return w->table[5];
}

APART uint64_t guess(work *w, unsigned n)
{
    uint64_t a = w->seed, up = 0, i;
    for (i = 0; i < n; i++) {
        a = mixed(a + i);
        if ((a >> 40 & 1) != 0) { up += 3; ITERATION(up); }
        else { up ^= a; ITERATION(up); }
    }
    return up;
}

APART uint64_t foresee(work *w, unsigned n)
{
    uint64_t up = w->seed, i;
    for (i = 0; i < n; i++) {
        if ((i & 3) != 0) { up += 3; ITERATION(up); }
        else { up ^= i; ITERATION(up); }
    }
    return up;
}

APART static uint64_t leaf(uint64_t x) { ITERATION(x); return x + 1; }

APART uint64_t call(work *w, unsigned n)
{
    uint64_t a = w->seed;
    unsigned i;
    for (i = 0; i < n; i++) a = leaf(a);
    return a;
}

APART static uint64_t down(uint64_t x, unsigned depth)
{
    x = depth != 0 ? down(x + depth, depth - 1) : x;
    ITERATION(x);
    return x;
}

APART uint64_t recurse(work *w, unsigned n)
{
    uint64_t a = w->seed;
    unsigned i;
    for (i = 0; i < n; i += 16) a = down(a, 15);
    return a;
}

APART uint64_t through(work *w, unsigned n)
{
    static uint64_t (*volatile const to[])(uint64_t) = { leaf, mixed };
    uint64_t a = w->seed;
    unsigned i;
    for (i = 0; i < n; i++) a = to[i & 1](a);
    return a;
}

APART uint64_t copy(work *w, unsigned n)
{
    unsigned char *b = (unsigned char *)w->table;
    unsigned i;
    for (i = 0; i < n; i++) { b[i] = (unsigned char)(b[i + 1] + 1); __asm__ volatile("" : : : "memory"); }
    return b[7];
}

APART uint64_t choose(work *w, unsigned n)
{
    uint64_t a = w->seed, i;
    for (i = 0; i < n; i++) {
        switch (mixed(a + i) >> 61) {
        case 0: a += 1; break;
        case 1: a ^= i; break;
        case 2: a *= 3; break;
        case 3: a -= 9; break;
        case 4: a += a >> 3; break;
        case 5: a ^= a << 5; break;
        default: a += i; break;
        }
        ITERATION(a);
    }
    return a;
}

APART uint64_t nested(work *w, unsigned n)
{
    uint64_t a = w->seed;
    unsigned i, k;
    for (i = 0; i < n; i += 8) {
        for (k = 0; k < 8; k++) { a += k * i; ITERATION(a); }
        a ^= a >> 7;
    }
    return a;
}

typedef struct entry {
    uint64_t (*run)(work *, unsigned);
    unsigned iterations;
} entry;

static const entry loops[] = {
    { divide, 2048 },     { add_many, 2048 }, { divide_short, 200 }, { add_one, 2048 },  { float_chain, 2048 },
    { add_chain, 300 },   { miss, 2048 },     { multiply, 2048 },    { hit, 150 },       { store, 2048 },
    { guess, 2048 },      { foresee, 120 },   { call, 2048 },        { recurse, 128 },   { float_many, 2048 },
    { through, 24 },      { copy, 256 },      { choose, 100 },       { nested, 64 },     { float_divide, 48 },
};
enum { LOOPS = sizeof loops / sizeof *loops };

APART void *work_off(void *data)
{
    work *w = (work *)data;
    long round;
    for (round = 0; round < w->rounds; round++) {
        unsigned i;
        for (i = 0; i < LOOPS; i++) {
            const entry *e = &loops[(w->first + i * (w->first % 2 != 0 ? 3 : 1)) % LOOPS];
            w->sum += e->run(w, e->iterations);
            w->seed = mixed(w->seed + i);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static work w[THREADS];
    pthread_t thread[THREADS];
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
    long threads = argc > 2 ? strtol(argv[2], NULL, 10) : 1, i;
    uint32_t *next = (uint32_t *)malloc(MISSES * sizeof *next);
    uint64_t sum = 0;
    if (next == NULL || threads < 1 || threads > THREADS) return 2;
    for (i = 0; i < MISSES; i++) next[i] = (uint32_t)(i * 5 + 12345) % MISSES; /* one cycle: a full-period generator */
    for (i = 0; i < threads; i++) {
        w[i].seed = 88172645463325252u + (uint64_t)i;
        w[i].next = next;
        w[i].rounds = rounds / threads;
        w[i].first = (unsigned)i;
    }
    for (i = 1; i < threads; i++) pthread_create(&thread[i], NULL, work_off, &w[i]);
    work_off(&w[0]);
    for (i = 1; i < threads; i++) pthread_join(thread[i], NULL);
    for (i = 0; i < threads; i++) sum += w[i].sum;
    printf("%d loops, %ld rounds: %llx\n", LOOPS, rounds, (unsigned long long)sum);
    return 0;
}
