/* main.c - a game that profiles itself while it runs
 *
 *     make build/sampler && build/sampler                  5000 frames
 *     build/sampler FRAMES [lbr|clock|timer|off]           so many, with that source of samples only
 *
 * The game (game.c) is an ordinary C program: a loop of frames. The sampler (this file and source.c) is what one would
 * add to it: nothing is written to disk, no other process is involved, and after hours the memory is what it was after
 * a minute.
 *
 *   start    csspgo_runtime's code map is filled from the program's own file (load.h): code, functions, probes. Only
 *            clang makes probes (-fpseudo-probe-for-profiling; the Makefile takes clang-19 if it is there). Without
 *            them blocks have no names that survive a new build: the program says so, and plays without sampling.
 *   samples  the best source that there is, in this order; what is used is said.
 *              lbr    the CPU's last branch records, by perf_event_open: exact counts of blocks and calls
 *              clock  the kernel's CPU clock, by perf_event_open: where time goes, in which calling context
 *              timer  the same by setitimer and a signal handler that follows the frame pointers, where
 *                     perf_event_open is not permitted (containers, kernel.perf_event_paranoid above 2)
 *   frame    after each frame csspgo_runtime_step does some of the work that there is. It takes counts over to the
 *            profile when that pays, and keeps everything within MEMORY.
 *
 * The profile could be written for the next build (csspgo_runtime_save), or asked right away. Here the hottest contexts
 * are printed. LBR machines were not at hand: that source is written after the kernel's documentation, and its decoder,
 * csspgo_ring_next, is tested on synthetic pages.
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
#define LOAD_IMPLEMENTATION
#include "source.h"

enum {
    MEMORY = 32 << 20,            /* bytes of everything */
    STEPS = 20000,                /* of csspgo's work after a frame */
    BLOCK = 32,                   /* frames with sampling, then as many without it: for the comparison */
    KEPT = 4096                   /* latest times of each kind that are kept */
};

typedef struct sampler {
    source          from;
    csspgo_runtime *profiler;
    uint64_t        taken;        /* samples */
    int             failed;
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

/* At the end of a frame: samples that are not in the queue yet go there, and some work is done. */
static void feed(sampler *s)
{
    csspgo_sample sample;
    csspgo_error e;
    csspgo_status status;
    for (; source_next(&s->from, &sample); s->taken++)
        if (!csspgo_runtime_push(s->profiler, 0, &sample)) {          /* many since the last frame */
            csspgo_runtime_step(s->profiler, STEPS, &e);
            csspgo_runtime_push(s->profiler, 0, &sample);
        }
    status = csspgo_runtime_step(s->profiler, STEPS, &e);
    if (status != CSSPGO_OK && status != CSSPGO_MORE) failed(s, status);
}

static void start(sampler *s, const char *only, const void *stack_top)
{
    csspgo_generate_options generate;
    csspgo_runtime_options how;
    csspgo_error e;
    char why[200];
    memset(s, 0, sizeof *s);
    memset(&how, 0, sizeof how);
    memset(&generate, 0, sizeof generate);
    generate.estimate_fn = csspgo_estimate_blocks;        /* for the clock and the timer, which see no branches */
    how.generate = &generate;
    how.bytes = MEMORY;
    s->from.kind = BY_NOTHING;
    if (only != NULL && strcmp(only, "off") == 0) return;
    s->profiler = csspgo_runtime_new(&how, NULL, &e);
    if (s->profiler == NULL) failed(s, e.status);
    else if (!source_code(csspgo_runtime_get_parts(s->profiler).code, why, sizeof why))
        printf("no samples: this program %s\n", why);
    else source_open(&s->from, only, stack_top, s->profiler);
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
    char text[4000];
    csspgo_error e;
    const csspgo_profile *p = csspgo_runtime_get_parts(s->profiler).profile;
    csspgo_runtime_stats stats;
    csspgo_node *order;
    size_t size;
    uint32_t i, records;
    if (csspgo_runtime_profile(s->profiler, NULL, &e) != CSSPGO_OK) failed(s, e.status);
    stats = csspgo_runtime_get_stats(s->profiler);
    printf("%llu samples, %llu lost\n", (unsigned long long)stats.counted,
           (unsigned long long)(source_lost(&s->from) + stats.queue_dropped));
    if (csspgo_runtime_report(s->profiler, text, sizeof text, &size, &e) == CSSPGO_OK) printf("%.*s", (int)size, text);
    if (stats.most_bytes > MEMORY || stats.counted + stats.queue_dropped < s->taken) failed(s, CSSPGO_E_LIMIT);
    records = csspgo_record_count(p);
    order = (csspgo_node *)malloc((records + 1) * sizeof *order);
    if (order == NULL || csspgo_file_order(p, order, NULL) != CSSPGO_OK) return failed(s, CSSPGO_E_NOMEM);
    printf("hottest of %u contexts:\n", (unsigned)records);
    for (i = 0; i < records && i < 10; i++) {
        printf("%12llu  ", (unsigned long long)csspgo_total(p, order[i]));
        print_context(p, order[i]);
        printf("\n");
    }
    free(order);
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
        c = now_ns();
        time[on][count[on] % KEPT] = c - a;
        if (on) fed[count[on] % KEPT] = c - b;
        if (on && c - b > most_fed) most_fed = c - b;
        count[on]++;
    }
    source_enable(&s.from, 0);
    if (s.from.kind != BY_NOTHING) feed(&s);
    printf("%lu frames, the game's checksum: %08x\n", i, (unsigned)sum);
    printf("frame, median: %.3f ms without sampling", median_ms(time[0], count[0]));
    if (s.from.kind != BY_NOTHING)
        printf(", %.3f ms with it; feeding: %.4f ms, at most %.3f ms", median_ms(time[1], count[1]),
               median_ms(fed, count[1]), (double)most_fed / 1e6);
    printf("\n");
    if (s.from.kind != BY_NOTHING) report(&s);
    source_close(&s.from);
    csspgo_runtime_free(s.profiler);
    return s.failed;
}
#endif
