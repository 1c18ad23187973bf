/* bench_recordings.c - recordings of many processes of one binary: what a sample costs
 *
 *     bench_recordings BINARY SCRIPT [SAMPLES [RUNS]]
 *
 * The samples of SCRIPT, which is of one process that has BINARY at its first mapping event's place, are printed again
 * and again as those of 1, 10, 100, 1,000 and 10,000 processes, each with a mapping event of its own at another place,
 * in turns. The text is read into a collector. All rows must give the same counters, or the bench fails.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "../examples/load.h"
#include <time.h>
#include "cost.h"

enum { MOST_TEMPLATES = 4096, LINE = 64 };

typedef struct template { uint64_t *stack; csspgo_branch *branch; uint32_t stacks, branches; } template;

typedef struct bench {
    loaded      image;
    const char *path;             /* of the binary                            */
    csspgo_mmap map;              /* where the templates have it; no path     */
    template    v[MOST_TEMPLATES];
    size_t      n, samples;
    char       *text;             /* room bytes, size of them in use          */
    size_t      size, room;
} bench;

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *must(void *p)
{
    if (p == NULL) fputs("out of memory\n", stderr), exit(1);
    return p;
}

static void *copy(const void *p, size_t n)
{
    return memcpy(must(malloc(n + 1)), p, n);
}

static void read_templates(bench *b, const char *path)
{
    csspgo_script *s = (csspgo_script *)must(csspgo_script_new(NULL, NULL, NULL));
    file_bytes text;
    csspgo_sample x;
    csspgo_mmap map;
    csspgo_item item;
    if (!file_open(path, &text)) perror(path), exit(1);
    csspgo_script_feed(s, text.data, text.size, NULL);
    csspgo_script_end(s);
    while ((item = csspgo_script_next(s, &x, &map, NULL)) != CSSPGO_ITEM_NONE && b->n < MOST_TEMPLATES) {
        template *t = &b->v[b->n];
        if (item == CSSPGO_ITEM_MMAP && b->map.size == 0) b->map = map;
        if (item != CSSPGO_ITEM_SAMPLE) continue;
        t->stack = (uint64_t *)copy(x.stack, x.stack_count * sizeof *x.stack);
        t->branch = (csspgo_branch *)copy(x.branches, x.branch_count * sizeof *x.branches);
        t->stacks = x.stack_count;
        t->branches = x.branch_count;
        b->n++;
    }
    csspgo_script_free(s);
    file_close(&text);
    if (b->n == 0 || b->map.size == 0) fputs("no samples, or no mapping event\n", stderr), exit(1);
}

static void put(bench *b, const char *format, unsigned long long x, unsigned long long y)
{
    if (b->room - b->size < LINE) b->text = (char *)must(realloc(b->text, b->room = 2 * b->room + (1 << 20)));
    b->size += (size_t)sprintf(b->text + b->size, format, x, y);
}

/* An address of the binary moves with it; others, of libraries, stay. */
static uint64_t moved(const bench *b, uint64_t address, uint64_t by)
{
    return address - b->map.address < b->map.size ? address + by : address;
}

static void put_sample(bench *b, const template *t, unsigned pid, uint64_t by)
{
    uint32_t i;
    put(b, "%5llu \n", pid, 0);
    for (i = 0; i < t->stacks; i++) put(b, "\t%16llx\n", moved(b, t->stack[i], by), 0);
    for (i = 0; i < t->branches; i++)
        put(b, " 0x%llx/0x%llx/P/-/-/0 ", moved(b, t->branch[i].from, by), moved(b, t->branch[i].to, by));
    put(b, "\n\n", 0, 0);
}

/* How far a process is from the first one: at least 16 MiB from any other, in no order. */
static uint64_t place(unsigned process)
{
    return (uint64_t)(process * 2654435761u >> 16) << 24;
}

static void make_text(bench *b, unsigned processes)
{
    const char *base = strrchr(b->path, '/');
    unsigned p;
    size_t i;
    b->size = 0;
    base = base != NULL ? base + 1 : b->path;
    for (p = 0; p < processes; p++) {
        put(b, "%5llu PERF_RECORD_MMAP2 %llu/", p + 1, p + 1);
        put(b, "%llu: [0x%llx(", p + 1, b->map.address + place(p));
        put(b, "0x%llx) @ 0x%llx 00:1d 1001 1]: r-xp /x/", b->map.size, b->map.file_offset);
        for (i = 0; base[i] != '\0'; i++) put(b, "%c", (unsigned char)base[i], 0);
        put(b, "\n", 0, 0);
    }
    for (i = 0; i < b->samples; i++) {
        p = (unsigned)(i % processes);
        put_sample(b, &b->v[i % b->n], p + 1, place(p));
    }
}

/* Reads the text into a collector; its raw counters, for free(). */
static char *once(bench *b, double *seconds, double *map_mib, uint64_t *places)
{
    csspgo_collector *c = (csspgo_collector *)must(csspgo_collector_new(b->image.code, NULL, NULL, NULL));
    csspgo_spaces *spaces = (csspgo_spaces *)must(csspgo_spaces_new(b->image.code, NULL, NULL));
    csspgo_script *s = (csspgo_script *)must(csspgo_script_new(NULL, NULL, NULL));
    csspgo_sample x;
    csspgo_mmap map;
    csspgo_item item;
    char *raw;
    size_t size;
    const double t = cpu_now();
    csspgo_script_feed(s, b->text, b->size, NULL);
    csspgo_script_end(s);
    while ((item = csspgo_script_next(s, &x, &map, NULL)) != CSSPGO_ITEM_NONE) {
        if (item != CSSPGO_ITEM_SAMPLE) csspgo_spaces_event(spaces, item, &x, &map, NULL);
        else if (csspgo_spaces_sample(spaces, &x, NULL) == CSSPGO_OK) csspgo_collector_add(c, &x, 1, NULL);
    }
    csspgo_collector_flush(c, NULL);
    *seconds = cpu_now() - t;
    *map_mib = (double)csspgo_code_get_stats(b->image.code).memory / 1048576;
    *places = csspgo_spaces_get_stats(spaces).places;
    csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL);
    raw = (char *)must(calloc(size + 1, 1));
    csspgo_write_unsymbolized(c, NULL, raw, size, NULL, NULL);
    csspgo_script_free(s);
    csspgo_spaces_free(spaces);
    csspgo_collector_free(c);
    return raw;
}

int main(int argc, char **argv)
{
    static bench b;
    const int runs = argc > 4 ? atoi(argv[4]) : 5;
    char why[256], *want = NULL;
    unsigned processes;
    if (argc < 3 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_recordings BINARY SCRIPT [SAMPLES [RUNS]]\n");
        return 2;
    }
    b.path = argv[1];
    b.samples = argc > 3 ? (size_t)atol(argv[3]) : 200000;
    if (!load_image(&b.image, b.path, NULL, why, sizeof why)) return fprintf(stderr, "%s: %s\n", b.path, why), 1;
    read_templates(&b, argv[2]);
    printf("%zu samples, %zu different ones, as text; median of %d runs (lowest to highest)\n", b.samples, b.n, runs);
    for (processes = 1; processes <= 10000; processes *= 10) {
        double t[MAX_RUNS], mib = 0;
        uint64_t places = 0;
        int r, same = 1;
        make_text(&b, processes);
        for (r = 0; r < runs; r++) {
            char *raw = once(&b, &t[r], &mib, &places);
            if (want == NULL) want = (char *)copy(raw, strlen(raw) + 1);
            same &= strcmp(raw, want) == 0;
            free(raw);
        }
        qsort(t, (size_t)runs, sizeof *t, by_value);
        printf("%6u processes at %6llu places: %6.0f ns a sample (%.0f to %.0f), %4.0f MB/s, code map %.2f MiB%s\n",
               processes, (unsigned long long)places, 1e9 * t[runs / 2] / (double)b.samples, 1e9 * t[0] / (double)b.samples,
               1e9 * t[runs - 1] / (double)b.samples, (double)b.size / t[runs / 2] / 1e6, mib,
               same ? "" : ": OTHER COUNTERS");
        if (!same) return 1;
    }
    return 0;
}
