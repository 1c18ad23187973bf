/* bench_layout.c - recording first executions, and ordering functions, beside llvm-profdata-19 on one core
 *
 *     bench_layout RUNS [DIR]     prints table rows; with DIR writes the profiles there, and runs the tool on them
 *     bench_layout profile N TRACES FILE      one profile as text
 *
 * The profiles: N functions in features of 40, each trace starts the features of its own choice one after the other, with
 * some functions of others in between.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t seed = 1;
static size_t live_bytes, peak_bytes;                 /* of layouts, and of what makes an order of them */

static void *counting_alloc(void *ctx, size_t size)
{
    (void)ctx;
    live_bytes += size;
    if (live_bytes > peak_bytes) peak_bytes = live_bytes;
    return malloc(size);
}

static void counting_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    live_bytes -= size;
    free(ptr);
}

static uint32_t rnd(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

/* ----- the recorder: calls of 256 functions that do a little, with the stamp and without ----- */

static csspgo_trace_clock recording;
static csspgo_trace_slot slots[256];
static volatile uint32_t sink;

__attribute__((noinline)) static uint32_t plain(uint32_t f, uint32_t x)
{
    return x * 2654435761u + f;
}

__attribute__((noinline)) static uint32_t stamped(uint32_t f, uint32_t x)
{
    CSSPGO_TRACE_ENTER(&recording, &slots[f]);
    return x * 2654435761u + f;
}

static double per_call(uint32_t (*function)(uint32_t, uint32_t), uint32_t calls)
{
    const double begin = seconds();
    uint32_t i, x = 1;
    for (i = 0; i < calls; i++) x = function(i & 255, x);
    sink = x;
    return (seconds() - begin) / calls * 1e9;
}

/* Side by side: both in turn, medians of many short runs. */
static void bench_recorder(int runs)
{
    enum { MOST = 101 };
    double without[MOST], with[MOST], a, b;
    int i, n = 10 * runs + 1 < MOST ? 10 * runs + 1 : MOST;
    for (i = 0; i < n; i++) {
        without[i] = per_call(plain, 2000000);
        with[i] = per_call(stamped, 2000000);
    }
    a = median(without, n);
    b = median(with, n);
    printf("| a function entry | %.2f ns | with a stamp %.2f ns | %+.2f ns |\n", a, b, b - a);
}

/* ----- orders ----- */

static void name_of(char *to, uint32_t f)
{
    sprintf(to, "_ZN7project%uE8function%uEv", f / 40, f);
}

/* Offers traces of n functions; shuffled: which function number stands at a place of the program. */
static uint64_t *functions_of(uint32_t n, uint32_t *place)
{
    uint64_t *id = (uint64_t *)malloc(n * sizeof *id);
    uint32_t i, k, x;
    char name[60];
    for (i = 0; i < n; i++) {
        name_of(name, i);
        id[i] = csspgo_guid(name, strlen(name));
        place[i] = i;
    }
    for (i = n; i-- > 1;) {
        k = rnd(i + 1);
        x = place[i];
        place[i] = place[k];
        place[k] = x;
    }
    return id;
}

static csspgo_layout *profile_of(uint32_t n, uint32_t traces, uint64_t *entries)
{
    csspgo_layout_options how;
    csspgo_options options;
    csspgo_layout *l;
    uint32_t *place = (uint32_t *)malloc(n * sizeof *place), t, i;
    uint64_t *id = functions_of(n, place), *out = (uint64_t *)malloc(n * sizeof *out);
    unsigned char *in = (unsigned char *)malloc(n);
    char name[60];
    memset(&how, 0, sizeof how);
    how.limit_traces = how.limit_length = 1;
    how.max_traces = how.max_length = UINT32_MAX;
    memset(&options, 0, sizeof options);
    options.allocator.alloc_fn = counting_alloc;
    options.allocator.free_fn = counting_free;
    live_bytes = peak_bytes = 0;
    l = csspgo_layout_new(&how, &options, NULL);
    *entries = 0;
    for (i = 0; i < n; i++) {
        name_of(name, i);
        csspgo_layout_add_name(l, name, strlen(name), NULL);
    }
    for (t = 0; t < traces; t++) {
        csspgo_trace trace;
        const uint32_t share = 1 + rnd(9);
        size_t k = 0;
        memset(in, 0, n);
        while (k < n * (size_t)share / 10) {
            const uint32_t feature = rnd((n + 39) / 40) * 40;
            for (i = 0; i < 40; i++) {
                const uint32_t f = rnd(16) == 0 ? rnd(n) : feature + i;
                if (f >= n || in[f]) continue;
                in[f] = 1;
                out[k++] = id[place[f]];
            }
            if (rnd(1000) == 0) break;
        }
        trace.id = out;
        trace.count = k;
        trace.weight = 1;
        *entries += k;
        csspgo_layout_add(l, &trace, 1, 0, NULL);
    }
    free(place);
    free(id);
    free(out);
    free(in);
    return l;
}

static double bench_order(uint32_t n, uint32_t traces, int runs, uint32_t llvm)
{
    uint64_t entries, *id = (uint64_t *)malloc(n * sizeof *id);
    csspgo_layout *l = profile_of(n, traces, &entries);
    csspgo_layout_order_options how;
    csspgo_layout_score score;
    double v[99], begin;
    size_t count;
    int i, levels;                                    /* how often the functions are halved */
    memset(&how, 0, sizeof how);
    how.partition.llvm = llvm;
    for (i = 0; i < runs; i++) {
        begin = seconds();
        if (csspgo_layout_order(l, &how, id, n, &count, NULL) != CSSPGO_OK) abort();
        v[i] = seconds() - begin;
    }
    csspgo_layout_evaluate(l, id, count, NULL, &score, NULL);
    begin = median(v, runs);
    for (levels = 0; levels < 18 && n >> levels > 1;) levels++;
    printf("| %u functions, %u traces | %.1f M entries | %.3f s (%.3f to %.3f), %.0f ns per entry and level | "
           "%.1f MB, %.0f bytes per entry | area %.4e |\n",
           (unsigned)n, (unsigned)traces, (double)entries / 1e6, begin, v[0], v[runs - 1],
           begin / (double)entries / (levels + 1) * 1e9, (double)peak_bytes / 1e6, (double)peak_bytes / (double)entries,
           (double)score.area);
    csspgo_layout_free(l);
    free(id);
    return begin;
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 5;
    if (argc == 5 && strcmp(argv[1], "profile") == 0) {
        uint64_t entries;
        csspgo_layout *l = profile_of((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), &entries);
        return csspgo_layout_write_file(l, argv[4], NULL) != CSSPGO_OK;
    }
    if (runs < 1 || runs > 99) return 2;
    bench_recorder(runs);
    seed = 1;
    bench_order(8000, 30, runs, 0);
    seed = 1;
    bench_order(8000, 30, runs, 19);
    if (argc > 2) return 0;
    seed = 1;
    bench_order(150000, 300, 1, 0);
    return 0;
}
