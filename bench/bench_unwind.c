/* bench_unwind.c - unwinding from memory: samples parsed before the clock starts, no text, no files
 *
 *     bench_unwind BINARY SCRIPT [RUNS]
 *
 * Prints LBR entries/s of csspgo_collector_add + flush over all samples, for all samples as they come and for the
 * distinct ones alone (each unwound once: the cost of the unwinder itself), and the time of csspgo_collector_profile.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "../examples/load.h"
#include <time.h>

typedef struct samples { csspgo_sample *v; size_t n, cap; uint64_t entries; } samples;

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *copy(const void *p, size_t n)
{
    void *q = malloc(n != 0 ? n : 1);
    if (q == NULL) exit(1);
    return memcpy(q, p, n);
}

static void keep(samples *s, const csspgo_sample *x)
{
    csspgo_sample *y;
    if (s->n == s->cap) {
        s->cap = s->cap != 0 ? s->cap * 2 : 1024;
        s->v = (csspgo_sample *)realloc(s->v, s->cap * sizeof *s->v);
        if (s->v == NULL) exit(1);
    }
    y = &s->v[s->n++];
    *y = *x;
    y->stack = (const uint64_t *)copy(x->stack, x->stack_count * sizeof *x->stack);
    y->branches = (const csspgo_branch *)copy(x->branches, x->branch_count * sizeof *x->branches);
    s->entries += x->branch_count;
}

static void read_samples(loaded *image, const char *path, samples *s)
{
    csspgo_script *script = csspgo_script_new(NULL, NULL, NULL);
    file_bytes text;
    csspgo_sample x;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    if (script == NULL || !file_open(path, &text)) exit(1);
    csspgo_script_feed(script, text.data, text.size, NULL);
    while ((item = csspgo_script_next(script, &x, &map, &e)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_SAMPLE) keep(s, &x);
        if (item == CSSPGO_ITEM_MMAP) csspgo_code_mmap(image->code, &map, NULL, NULL);
    }
    csspgo_script_free(script);
    file_close(&text);
}

static int sample_cmp(const void *a, const void *b)
{
    const csspgo_sample *x = (const csspgo_sample *)a, *y = (const csspgo_sample *)b;
    int c;
    if (x->stack_count != y->stack_count) return x->stack_count < y->stack_count ? -1 : 1;
    if (x->branch_count != y->branch_count) return x->branch_count < y->branch_count ? -1 : 1;
    c = memcmp(x->branches, y->branches, x->branch_count * sizeof *x->branches);
    return c != 0 ? c : memcmp(x->stack, y->stack, x->stack_count * sizeof *x->stack);
}

static void once(loaded *image, const samples *s, int profile, double *add, double *generate)
{
    csspgo_collector *c = csspgo_collector_new(image->code, NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    double t = cpu_now();
    if (c == NULL || p == NULL || csspgo_collector_add(c, s->v, s->n, NULL) != CSSPGO_OK ||
        csspgo_collector_flush(c, NULL) != CSSPGO_OK)
        exit(1);
    *add = cpu_now() - t;
    t = cpu_now();
    if (profile && csspgo_collector_profile(c, NULL, p, NULL, NULL) != CSSPGO_OK) exit(1);
    *generate = cpu_now() - t;
    if (profile)
        printf("contexts %u, collector %.1f MiB, profile %.1f MiB, generated in %.3f s\n", csspgo_record_count(p),
               (double)csspgo_collector_memory(c) / 1048576, (double)csspgo_profile_memory(p) / 1048576, *generate);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void report(const char *what, loaded *image, const samples *s, int runs)
{
    double t[25], g;
    int r;
    for (r = 0; r < runs; r++) once(image, s, 0, &t[r], &g);
    qsort(t, (size_t)runs, sizeof *t, by_value);
    printf("%-17s %9zu samples, %10llu entries: %7.3f s (%.3f to %.3f), %6.1f M entries/s, %5.2f M samples/s\n", what,
           s->n, (unsigned long long)s->entries, t[runs / 2], t[0], t[runs - 1], (double)s->entries / t[runs / 2] / 1e6,
           (double)s->n / t[runs / 2] / 1e6);
}

int main(int argc, char **argv)
{
    loaded image;
    samples all, distinct;
    char why[256];
    double a, g;
    size_t i;
    int runs = argc > 3 ? atoi(argv[3]) : 5;
    if (argc < 3 || runs < 1 || runs > 25) {
        fprintf(stderr, "usage: bench_unwind BINARY SCRIPT [RUNS]\n");
        return 2;
    }
    if (!load_image(&image, argv[1], NULL, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", argv[1], why);
        return 1;
    }
    memset(&all, 0, sizeof all);
    memset(&distinct, 0, sizeof distinct);
    read_samples(&image, argv[2], &all);
    report("all samples", &image, &all, runs);
    qsort(all.v, all.n, sizeof *all.v, sample_cmp);
    for (i = 0; i < all.n; i++)
        if (i == 0 || sample_cmp(&all.v[i - 1], &all.v[i]) != 0) keep(&distinct, &all.v[i]);
    report("distinct samples", &image, &distinct, runs);
    once(&image, &distinct, 1, &a, &g);
    load_free(&image);
    return 0;
}
