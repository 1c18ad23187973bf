/*
 * meter.h - how long single calls take: CPU time of each, without the time in which the machine ran other programs.
 *
 * Wall time costs little to read, CPU time costs a system call. A call that takes up to QUIET_NS of wall time was not
 * interrupted for longer than that, so its wall time is its CPU time. Only after a longer one is the CPU clock read:
 * the call used the CPU time since the last reading, less the wall time of all that was short in between.
 */
#ifndef METER_H
#define METER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUIET_NS = 5000, RESYNC_NS = 1000000, GOAL_NS = 50000, OCTAVE = 16, LARGE = 1 << 10 };

typedef struct stopwatch {
    uint64_t begin, end;              /* wall time of the call; end is that of the last one */
    uint64_t read_wall, read_cpu;     /* both clocks when the CPU clock was last read       */
    uint64_t wall, cpu;               /* results: what the last call took, in ns            */
    size_t   asked;                   /* bytes that it asked the allocator for              */
    uint64_t heap;                    /* ns in the allocator, for blocks of LARGE and more  */
} stopwatch;

typedef struct latency {              /* a row of the table */
    char      name[48];
    uint64_t  calls, sum;             /* of this run; sum of CPU time, ns                                 */
    uint64_t  least_sum;              /* of the run that took least                                       */
    uint64_t  wall, cpu;              /* the longest call of any run                                      */
    uint64_t  asked;                  /* most bytes that one call asked for                               */
    uint64_t  uneven;                 /* runs with another number of calls than the first: a fault        */
    uint32_t *least;                  /* CPU time of each call in the run where it took least (packed_ns); or NULL */
    uint32_t *own;                    /* the same without the allocator's time; or NULL                   */
    uint64_t  cap, stored;            /* elements of least and own; calls of the first run                */
    uint64_t  over;                   /* calls above GOAL_NS                                              */
    uint64_t  share[64 * OCTAVE];     /* calls by CPU time, OCTAVE steps for a factor of 2                */
} latency;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void watch_read(stopwatch *w)
{
    w->read_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    w->read_wall = clock_ns(CLOCK_MONOTONIC);
}

static inline void watch_start(stopwatch *w)
{
    uint64_t t = clock_ns(CLOCK_MONOTONIC);
    if (t - w->end > QUIET_NS || t - w->read_wall > RESYNC_NS) {
        watch_read(w);
        t = w->read_wall;
    }
    w->asked = 0;
    w->heap = 0;
    w->begin = t;
}

static inline void watch_stop(stopwatch *w)
{
    const uint64_t t = clock_ns(CLOCK_MONOTONIC);
    w->wall = w->cpu = t - w->begin;
    w->end = t;
    if (w->wall > QUIET_NS) {
        const uint64_t before = w->read_cpu + (w->begin - w->read_wall);
        watch_read(w);
        w->cpu = w->read_cpu > before ? w->read_cpu - before : 0;
        if (w->cpu > w->wall) w->cpu = w->wall;
        w->end = w->read_wall;
    }
}

/* Number of the step that holds ns; steps are OCTAVE to a factor of 2. */
static unsigned share_of(uint64_t ns)
{
    unsigned octave = 0;
    uint64_t v = ns;
    while (v >= 2 * OCTAVE) v >>= 1, octave++;
    return octave * OCTAVE + (unsigned)v;
}

/* The least time above step i. */
static uint64_t share_end(unsigned i)
{
    const unsigned octave = i < 2 * OCTAVE ? 0 : i / OCTAVE - 1;
    return (uint64_t)(i - octave * OCTAVE + 1) << octave;
}

/* Nanoseconds in 32 bits: exact below 2 s, else 256 to a step. Packed ones compare as they are. */
static uint32_t packed_ns(uint64_t ns)
{
    const uint32_t coarse = 0x80000000u;
    return ns < coarse ? (uint32_t)ns : ns >> 8 < coarse ? coarse | (uint32_t)(ns >> 8) : UINT32_MAX;
}

static uint64_t unpacked_ns(uint32_t packed)
{
    return packed >> 31 ? (uint64_t)(packed & 0x7fffffffu) << 8 : packed;
}

static inline void latency_put(latency *l, const stopwatch *w)
{
    const uint64_t i = l->calls++;
    l->sum += w->cpu;
    if (w->wall > l->wall) l->wall = w->wall;
    if (w->cpu > l->cpu) l->cpu = w->cpu;
    if (w->asked > l->asked) l->asked = w->asked;
    if (l->least == NULL) {
        l->share[share_of(w->cpu)]++;
        l->over += w->cpu > GOAL_NS;
    } else if (i < l->cap && packed_ns(w->cpu) < l->least[i]) l->least[i] = packed_ns(w->cpu);
    if (l->own != NULL && i < l->cap) {
        const uint32_t own = packed_ns(w->cpu > w->heap ? w->cpu - w->heap : 0);
        if (own < l->own[i]) l->own[i] = own;
    }
}

/* Memory of a bench: a large block's time counts as the allocator's. */
static inline void *metered_alloc(void *ctx, size_t size)
{
    stopwatch *w = (stopwatch *)ctx;
    const uint64_t begin = size >= LARGE ? clock_ns(CLOCK_MONOTONIC) : 0;
    void *p = malloc(size);
    w->asked += size;
    if (begin != 0) w->heap += clock_ns(CLOCK_MONOTONIC) - begin;
    return p;
}

static inline void metered_free(void *ctx, void *p, size_t size)
{
    stopwatch *w = (stopwatch *)ctx;
    const uint64_t begin = size >= LARGE ? clock_ns(CLOCK_MONOTONIC) : 0;
    free(p);
    if (begin != 0) w->heap += clock_ns(CLOCK_MONOTONIC) - begin;
}

/* A run has ended. */
static void latency_end_run(latency *l)
{
    if (l->calls == 0) return;
    if (l->stored == 0) l->stored = l->calls;
    l->uneven += l->calls != l->stored;
    if (l->least_sum == 0 || l->sum < l->least_sum) l->least_sum = l->sum;
    l->calls = l->sum = 0;
}

static void print_ns(uint64_t ns)
{
    if (ns < 10000) printf(" %u ns |", (unsigned)ns);
    else if (ns < 10000000) printf(" %.1f us |", 1e-3 * (double)ns);
    else printf(" %.0f ms |", 1e-6 * (double)ns);
}

static void latency_heading(void)
{
    printf("| call | calls | mean | 99.99 %% | longest | its own | of one run | wall time | above 50 us | most memory |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

/*
 * Prints a row: the mean of the run that took least; then of each call the time of the run in which it took least: the
 * time that 99.99 % do not exceed, the longest, the longest without what allocating and freeing of large blocks took;
 * the longest CPU time and wall time of a call in any run, with all that the machine did meanwhile; calls above the
 * goal; most bytes asked for by one call.
 */
static void latency_print(latency *l)
{
    uint64_t i, most = 0, own = 0, seen = 0;
    unsigned k = 0;
    const uint64_t calls = l->stored;
    if (calls == 0) return;
    for (i = 0; l->least != NULL && i < calls && i < l->cap; i++) {
        const uint64_t ns = unpacked_ns(l->least[i]);
        l->share[share_of(ns)]++;
        l->over += ns > GOAL_NS;
        if (ns > most) most = ns;
        if (l->own != NULL && unpacked_ns(l->own[i]) > own) own = unpacked_ns(l->own[i]);
    }
    if (l->least == NULL) most = l->cpu;
    if (l->own == NULL) own = most;
    while (k + 1 < 64 * OCTAVE && (seen += l->share[k]) < calls - calls / 10000) k++;
    printf("| %s | %llu |", l->name, (unsigned long long)calls);
    print_ns(l->least_sum / calls);
    print_ns(share_end(k) < most ? share_end(k) : most);
    print_ns(most);
    print_ns(own);
    print_ns(l->cpu);
    print_ns(l->wall);
    printf(" %llu | ", (unsigned long long)l->over);
    if (l->asked < 10000) printf("%u B |%s\n", (unsigned)l->asked, l->uneven ? " UNEVEN" : "");
    else printf("%.0f KB |%s\n", 1e-3 * (double)l->asked, l->uneven ? " UNEVEN" : "");
    fflush(stdout);
}

#endif
