/* main.c - a game that profiles itself while it runs
 *
 *     make build/sampler && build/sampler                  5000 frames
 *     build/sampler FRAMES [lbr|clock|timer|off]           so many, with that source of samples only
 *
 * The game (game.c) is an ordinary C program: a loop of frames. The sampler (this file and source.c) is what one would
 * add to it: nothing is written to disk, no other process is involved, and after hours the memory is what it was after
 * a minute.
 *
 *   start    csspgo's code map is filled from the program's own file (load.h): code, functions, probes. Only clang
 *            makes probes (-fpseudo-probe-for-profiling; the Makefile takes clang-19 if it is there). Without them
 *            blocks have no names that survive a new build: the program says so, and plays without sampling.
 *   samples  the best source that there is, in this order; what is used is said.
 *              lbr    the CPU's last branch records, by perf_event_open: exact counts of blocks and calls
 *              clock  the kernel's CPU clock, by perf_event_open: where time goes, in which calling context
 *              timer  the same by setitimer and a signal handler that follows the frame pointers, where
 *                     perf_event_open is not permitted (containers, kernel.perf_event_paranoid above 2)
 *   frame    after each frame the records in the ring buffer are handed to csspgo where they lie. Nothing is copied but
 *            the odd record that wraps around the ring's end.
 *   memory   every now and then the collector's counters go into the profile, which takes some milliseconds (most of
 *            the code map is csspgo itself here): a game would do it where a late frame is not seen. A collector that
 *            has become large is replaced by a new one, as it keeps its memory for the next samples; in a profile that
 *            has, the coldest contexts are merged into shorter ones.
 *
 * The profile is that of csspgo_collector_profile: it could be written for the next build (csspgo_write_file), or asked
 * right away. Here the hottest contexts are printed. LBR machines were not at hand: that source is written after the
 * kernel's documentation, and its decoder, csspgo_ring_next, is tested on synthetic pages.
 */
#define _GNU_SOURCE
#include "sampler.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__linux__)
int main(void)
{
    game *g = (game *)malloc(sizeof *g);
    uint32_t sum = 0, i;
    if (g == NULL) return 1;
    new_game(g);
    for (i = 0; i < 100; i++) sum += play_frame(g);
    printf("no samples: they need Linux\nthe game's checksum: %08x\n", (unsigned)sum);
    return 0;
}
#else

#include <time.h>

#define CSSPGO_IMPLEMENTATION
#include "../../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "../load.h"

enum {
    COLLECTOR_BYTES = 4 << 20,    /* beyond that the collector is replaced */
    PROFILE_BYTES = 8 << 20,      /* beyond that the profile's cold contexts are merged */
    FOLD_FRAMES = 256,            /* sampled frames between two additions to the profile */
    BLOCK = 32,                   /* frames with sampling, then as many without it: for the comparison */
    KEPT = 4096                   /* latest times of each kind that are kept */
};

typedef struct sampler {
    source            from;
    loaded            own;        /* this program's code map */
    csspgo_collector *collector;
    csspgo_profile   *profile;
    uint64_t          taken, handed;                  /* samples; handed: of collectors that are gone */
    uint64_t          folds, trims, replaced;
    uint64_t          most_collector, most_profile, half_time;   /* bytes, at ends of frames; half_time: profile */
    int               failed;
} sampler;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void failed(sampler *s, csspgo_status why)
{
    if (!s->failed) fprintf(stderr, "sampler: %s\n", csspgo_status_text(why));
    s->failed = 1;
}

static csspgo_collector *new_collector(sampler *s)
{
    csspgo_collector_options how;
    csspgo_options o;
    memset(&how, 0, sizeof how);
    memset(&o, 0, sizeof o);
    how.cache_bytes = COLLECTOR_BYTES / 8;
    o.limits.max_bytes = 8 * COLLECTOR_BYTES;         /* not reached: profiles are made in the collector's memory too */
    return csspgo_collector_new(s->own.code, &how, &o, NULL);
}

/* Counters become part of the profile; collector and profile are brought back below their limits. */
static void fold(sampler *s)
{
    csspgo_generate_options how;
    csspgo_cold_options cold;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    how.estimate_fn = csspgo_estimate;                /* for the clock and the timer, which see no branches */
    if (csspgo_collector_profile(s->collector, s->profile, &how, NULL, &e) != CSSPGO_OK) failed(s, e.status);
    s->folds++;
    if (csspgo_collector_memory(s->collector) > COLLECTOR_BYTES) {
        s->handed += csspgo_collector_get_stats(s->collector).samples;
        csspgo_collector_free(s->collector);
        s->collector = new_collector(s);
        if (s->collector == NULL) exit(1);
        s->replaced++;
    }
    memset(&cold, 0, sizeof cold);
    cold.merge = 1;
    for (cold.threshold = 64; csspgo_profile_memory(s->profile) > PROFILE_BYTES; cold.threshold *= 4) {
        if (csspgo_trim_cold(s->profile, &cold, NULL) != CSSPGO_OK || cold.threshold > UINT64_MAX / 8) break;
        s->trims++;
        cold.trim = cold.threshold > 1 << 20;
    }
}

/* At the end of a frame: all samples since the last one, from where they lie. */
static void feed(sampler *s)
{
    csspgo_sample sample;
    csspgo_error e;
    for (; source_next(&s->from, &sample); s->taken++)
        if (csspgo_collector_add(s->collector, &sample, 1, &e) != CSSPGO_OK) failed(s, e.status);
}

/* The code map of this very process: the file says where code was linked, the process where its entry is. */
static int load_own(sampler *s, char *why, size_t size)
{
    extern void _start(void);
    uint64_t entry;
    if (!load_image(&s->own, "/proc/self/exe", NULL, why, size)) return 0;
    memcpy(&entry, s->own.elf.data + 24, sizeof entry);   /* e_entry of a 64-bit ELF header */
    return csspgo_code_map(s->own.code, s->own.module, (uint64_t)(uintptr_t)_start - entry, NULL) == CSSPGO_OK;
}

static void start(sampler *s, const char *only, const void *stack_top)
{
    char why[200];
    memset(s, 0, sizeof *s);
    s->from.kind = BY_NOTHING;
    if (only != NULL && strcmp(only, "off") == 0) return;
    if (!load_own(s, why, sizeof why)) {
        printf("no samples: this program %s\n", why);
        return;
    }
    s->profile = csspgo_profile_new(NULL, NULL);
    s->collector = new_collector(s);
    if (s->profile == NULL || s->collector == NULL) return failed(s, CSSPGO_E_NOMEM);
    source_open(&s->from, only, stack_top);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double median_ms(uint64_t *v, uint64_t count)
{
    const size_t n = count < KEPT ? (size_t)count : KEPT;
    qsort(v, n, sizeof *v, by_time);
    return n != 0 ? (double)v[n / 2] / 1e6 : 0;
}

static void print_context(const csspgo_profile *p, csspgo_node node)
{
    csspgo_node path[64];
    size_t n = 0, size, i;
    for (; n < 64 && csspgo_node_parent(p, node).id != 0; node = csspgo_node_parent(p, node)) path[n++] = node;
    while (n-- > 0) {
        const char *name = csspgo_func_name(p, csspgo_node_func(p, path[n]), &size);
        for (i = 0; i < size && name[i] != '.'; i++) {}   /* static functions have a .__uniq.N */
        printf("%.*s", (int)i, name != NULL ? name : "");
        if (n != 0) printf(":%u @ ", (unsigned)csspgo_node_loc(p, path[n - 1]).line);
    }
}

static void report(sampler *s)
{
    csspgo_node *order;
    uint32_t i, records;
    fold(s);
    printf("%llu samples, %llu of them copied (wrapped around the ring), %llu lost\n", (unsigned long long)s->taken,
           (unsigned long long)s->from.copied, (unsigned long long)source_lost(&s->from));
    printf("memory: collector %llu KiB at most, profile %llu KiB (%llu half-way)\n",
           (unsigned long long)s->most_collector >> 10, (unsigned long long)s->most_profile >> 10,
           (unsigned long long)s->half_time >> 10);
    printf("counters put into the profile %llu times; collector replaced %llu times, profile trimmed %llu times\n",
           (unsigned long long)s->folds, (unsigned long long)s->replaced, (unsigned long long)s->trims);
    records = csspgo_record_count(s->profile);
    order = (csspgo_node *)malloc((records + 1) * sizeof *order);
    if (order == NULL || csspgo_order(s->profile, order, NULL) != CSSPGO_OK) return failed(s, CSSPGO_E_NOMEM);
    printf("hottest of %u contexts:\n", (unsigned)records);
    for (i = 0; i < records && i < 10; i++) {
        printf("%12llu  ", (unsigned long long)csspgo_total(s->profile, order[i]));
        print_context(s->profile, order[i]);
        printf("\n");
    }
    free(order);
}

/* What is to be seen at the end of a frame. */
static void note_memory(sampler *s)
{
    uint64_t n;
    if (s->collector == NULL) return;
    n = csspgo_collector_memory(s->collector);
    if (n > s->most_collector) s->most_collector = n;
    n = csspgo_profile_memory(s->profile);
    if (n > s->most_profile) s->most_profile = n;
}

int main(int argc, char **argv)
{
    static uint64_t time[2][KEPT], fed[KEPT];         /* of frames without and with sampling; of feeding */
    static game world;
    const unsigned long frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
    uint64_t count[2] = { 0, 0 }, most_fed = 0, a, b, c;
    uint32_t sum = 0;
    unsigned long i;
    sampler s;
    start(&s, argc > 2 ? argv[2] : NULL, (const char *)__builtin_frame_address(0) + 4 * sizeof(void *));
    new_game(&world);
    for (i = 0; i < frames; i++) {
        const int on = i / BLOCK % 2 == 1 && s.from.kind != BY_NOTHING;
        if (i % BLOCK == 0) source_enable(&s.from, on);
        a = now_ns();
        sum = sum * 31 + play_frame(&world);
        b = now_ns();
        if (on) feed(&s);
        if (on && ((count[1] + 1) % FOLD_FRAMES == 0 || csspgo_collector_memory(s.collector) > COLLECTOR_BYTES)) {
            source_enable(&s.from, 0);
            fold(&s);
            source_enable(&s.from, 1);
        }
        c = now_ns();
        time[on][count[on] % KEPT] = c - a;
        if (on) fed[count[on] % KEPT] = c - b;
        if (on && c - b > most_fed) most_fed = c - b;
        count[on]++;
        note_memory(&s);
        if (i == frames / 2) s.half_time = s.most_profile;
    }
    source_enable(&s.from, 0);
    feed(&s);
    printf("%lu frames, the game's checksum: %08x\n", i, (unsigned)sum);
    printf("frame, median: %.3f ms without sampling", median_ms(time[0], count[0]));
    if (s.from.kind != BY_NOTHING)
        printf(", %.3f ms with it; feeding: %.4f ms, at most %.3f ms", median_ms(time[1], count[1]),
               median_ms(fed, count[1]), (double)most_fed / 1e6);
    printf("\n");
    if (s.from.kind != BY_NOTHING) {
        report(&s);
        if (s.handed + csspgo_collector_get_stats(s.collector).samples != s.taken) failed(&s, CSSPGO_E_ARGUMENT);
        if (s.most_collector > COLLECTOR_BYTES || s.most_profile > PROFILE_BYTES) failed(&s, CSSPGO_E_LIMIT);
    }
    csspgo_collector_free(s.collector);
    csspgo_profile_free(s.profile);
    source_close(&s.from);
    load_free(&s.own);
    return s.failed;
}
#endif
