/* bench_recordings.c - recordings of many processes of one binary: what a sample costs
 *
 *     bench_recordings BINARY SCRIPT [SAMPLES [RUNS]]
 *
 * The samples of SCRIPT, which is of one process that has BINARY at its first mapping event's place, are printed again
 * and again as those of 1, 10, 100, 1,000 and 10,000 processes, each with a mapping event of its own at another place,
 * in turns. The text is read into a collector. Then those of 1,000 processes as perf.data, as perf writes it to a file and
 * into a pipe, plain and (built with zstd) compressed. All rows must give the same counters, or the bench fails.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "../examples/load.h"
#include <time.h>
#ifdef CSSPGO_USE_ZSTD
#include <zstd.h>
#endif
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
    csspgo_collector *collector;  /* of the run                               */
    csspgo_processes *spaces;
    char       *want;             /* the counters of all                      */
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

/* ----- perf.data -------------------------------------------------------------------------------------------------- */

enum { PIPE = 1, PACKED = 2, ROUND = 60 };    /* forms; samples in a round, which is one compressed record */

static void put_bytes(bench *b, const void *p, size_t n)
{
    if (b->room - b->size < n) b->text = (char *)must(realloc(b->text, b->room = 2 * b->room + n + (1 << 20)));
    memcpy(b->text + b->size, p, n);
    b->size += n;
}

static void put64(bench *b, uint64_t v) { put_bytes(b, &v, 8); }

/* A record's header; its size comes with end_record. */
static size_t begin_record(bench *b, uint32_t type)
{
    put64(b, (uint64_t)2 << 32 | type);
    return b->size - 8;
}

static void end_record(bench *b, size_t at)
{
    const uint16_t size = (uint16_t)(b->size - at);
    memcpy(b->text + at + 6, &size, 2);
}

static void put_map(bench *b, unsigned p)
{
    const char *base = strrchr(b->path, '/');
    const size_t at = begin_record(b, 1), n = strlen(base != NULL ? base + 1 : b->path);
    put64(b, (uint64_t)(p + 1) << 32 | (p + 1));
    put64(b, b->map.address + place(p));
    put64(b, b->map.size);
    put64(b, b->map.file_offset);
    put_bytes(b, "/x/", 3);
    put_bytes(b, base != NULL ? base + 1 : b->path, n);
    put_bytes(b, "\0\0\0\0\0\0\0\0", 8 - (n + 3) % 8);
    put64(b, 0);                                           /* sample_id_all: pid and tid, time */
    put64(b, 1 + p);
    end_record(b, at);
}

static void put_record(bench *b, const template *t, unsigned p, uint64_t time)
{
    const size_t at = begin_record(b, 9);
    uint32_t i;
    put64(b, moved(b, t->stack[0], place(p)));
    put64(b, (uint64_t)(p + 1) << 32 | (p + 1));
    put64(b, time);
    put64(b, t->stacks + 1);
    put64(b, (uint64_t)-512);
    for (i = 0; i < t->stacks; i++) put64(b, moved(b, t->stack[i], place(p)));
    put64(b, t->branches);
    for (i = 0; i < t->branches; i++) {
        put64(b, moved(b, t->branch[i].from, place(p)));
        put64(b, moved(b, t->branch[i].to, place(p)));
        put64(b, 2);
    }
    end_record(b, at);
}

/* Packs what was put from `at` on into a record of its own. */
static void pack(bench *b, size_t at, void *stream)
{
#ifdef CSSPGO_USE_ZSTD
    static char out[1 << 16];
    ZSTD_inBuffer from = { b->text + at, b->size - at, 0 };
    ZSTD_outBuffer to = { out, 65000, 0 };
    if (ZSTD_compressStream2((ZSTD_CStream *)stream, &to, &from, ZSTD_e_flush) != 0) fputs("too large\n", stderr), exit(1);
    b->size = at;
    at = begin_record(b, 81);
    put_bytes(b, out, to.pos);
    end_record(b, at);
#else
    (void)b, (void)at, (void)stream;
#endif
}

static void make_data(bench *b, unsigned processes, int form)
{
    const uint64_t attr[16] = { (uint64_t)128 << 32, 0, 1000, 1 | 2 | 4 | 32 | 2048, 0, 1 << 18, 0, 0, 0, 9 };
    const uint64_t header[12] = { 104, 144, 104, 144, 248 };
    void *stream = NULL;
    unsigned p;
    size_t i, at;
#ifdef CSSPGO_USE_ZSTD
    stream = must(ZSTD_createCStream());
#endif
    b->size = 0;
    put_bytes(b, "PERFILE2", 8);
    if (form & PIPE) {
        put64(b, 16);
        at = begin_record(b, 64);
        put_bytes(b, attr, sizeof attr);
        end_record(b, at);
    } else {
        put_bytes(b, header, sizeof header);
        put_bytes(b, attr, sizeof attr);
        put64(b, 0);
        put64(b, 0);
    }
    for (p = 0; p < processes; p++) put_map(b, p);
    for (i = 0, at = b->size; i < b->samples; i++) {
        p = (unsigned)(i % processes);
        put_record(b, &b->v[i % b->n], p, 1000000 + i);
        if ((i + 1) % ROUND != 0 && i + 1 != b->samples) continue;
        if (form & PACKED) pack(b, at, stream);
        end_record(b, begin_record(b, 68));
        at = b->size;
    }
    i = b->size - 248;
    if (!(form & PIPE)) memcpy(b->text + 48, &i, 8);
#ifdef CSSPGO_USE_ZSTD
    ZSTD_freeCStream((ZSTD_CStream *)stream);
#endif
}

/* ----- reading ---------------------------------------------------------------------------------------------------- */

static void take(bench *b, csspgo_item item, csspgo_sample *x, const csspgo_mmap *map)
{
    if (item != CSSPGO_ITEM_SAMPLE) csspgo_processes_event(b->spaces, item, x, map, NULL);
    else if (csspgo_processes_sample(b->spaces, x, NULL) == CSSPGO_OK) csspgo_collector_add(b->collector, x, 1, NULL);
}

/* The whole recording: text, or perf.data in the pieces of a pipe or of a reader of files. */
static void read_all(bench *b, int form)
{
    csspgo_script *s = form < 0 ? (csspgo_script *)must(csspgo_script_new(NULL, NULL, NULL)) : NULL;
    csspgo_perfdata *d = form < 0 ? NULL : (csspgo_perfdata *)must(csspgo_perfdata_new(NULL, NULL));
    const size_t piece = form < 0 ? b->size : form & PIPE ? 1 << 16 : 1 << 18;
    size_t at;
    csspgo_sample x;
    csspgo_mmap map;
    csspgo_item item;
    for (at = 0; at <= b->size; at += piece) {
        const size_t n = b->size - at < piece ? b->size - at : piece;
        if (s != NULL && n != 0) csspgo_script_feed(s, b->text + at, n, NULL);
        else if (s != NULL) csspgo_script_end(s);
        else if (n != 0) csspgo_perfdata_feed(d, b->text + at, n, NULL);
        while (s != NULL && (item = csspgo_script_next(s, &x, &map, NULL)) != CSSPGO_ITEM_NONE) take(b, item, &x, &map);
        while (d != NULL && (item = csspgo_perfdata_next(d, &x, &map, NULL)) != CSSPGO_ITEM_NONE) take(b, item, &x, &map);
    }
    if (d != NULL) csspgo_perfdata_end(d);
    while (d != NULL && (item = csspgo_perfdata_next(d, &x, &map, NULL)) != CSSPGO_ITEM_NONE) take(b, item, &x, &map);
    csspgo_script_free(s);
    csspgo_perfdata_free(d);
}

/* Reads the recording into a collector; its raw counters, for free(). form: of perf.data, -1 text. */
static char *once(bench *b, int form, double *seconds, double *map_mib, uint64_t *places)
{
    csspgo_collector *c = b->collector = (csspgo_collector *)must(csspgo_collector_new(b->image.code, NULL, NULL, NULL));
    csspgo_processes *spaces = b->spaces = (csspgo_processes *)must(csspgo_processes_new(b->image.code, NULL, NULL));
    char *raw;
    size_t size;
    const double t = cpu_now();
    read_all(b, form);
    csspgo_collector_flush(c, NULL);
    *seconds = cpu_now() - t;
    *map_mib = (double)csspgo_code_get_stats(b->image.code).memory / 1048576;
    *places = csspgo_processes_get_stats(spaces).places;
    csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL);
    raw = (char *)must(calloc(size + 1, 1));
    csspgo_write_unsymbolized(c, NULL, raw, size, NULL, NULL);
    csspgo_processes_free(spaces);
    csspgo_collector_free(c);
    return raw;
}

/* One row of a table, under a name. Returns 0 if its counters are not those of the rows before. */
static int row(bench *b, int form, int runs, const char *name, unsigned processes)
{
    double t[MAX_RUNS], mib = 0;
    uint64_t places = 0;
    int r, same = 1;
    for (r = 0; r < runs; r++) {
        char *raw = once(b, form, &t[r], &mib, &places);
        if (b->want == NULL) b->want = (char *)copy(raw, strlen(raw) + 1);
        same &= strcmp(raw, b->want) == 0;
        free(raw);
    }
    qsort(t, (size_t)runs, sizeof *t, by_value);
    printf("%6u processes at %6llu places, %-22s %6.0f ns a sample (%.0f to %.0f), %4.0f MB/s, code map %.2f MiB%s\n",
           processes, (unsigned long long)places, name, 1e9 * t[runs / 2] / (double)b->samples,
           1e9 * t[0] / (double)b->samples, 1e9 * t[runs - 1] / (double)b->samples,
           (double)b->size / t[runs / 2] / 1e6, mib, same ? "" : ": OTHER COUNTERS");
    return same;
}

int main(int argc, char **argv)
{
    static const char *const forms[] = { "perf.data:", "pipe:", "perf.data, compressed:", "pipe, compressed:" };
    static bench b;
    const int runs = argc > 4 ? atoi(argv[4]) : 5;
    char why[256];
    unsigned processes;
    int form, most = PIPE;
    if (argc < 3 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_recordings BINARY SCRIPT [SAMPLES [RUNS]]\n");
        return 2;
    }
#ifdef CSSPGO_USE_ZSTD
    most |= PACKED;
#endif
    b.path = argv[1];
    b.samples = argc > 3 ? (size_t)atol(argv[3]) : 200000;
    if (!load_image(&b.image, b.path, NULL, why, sizeof why)) return fprintf(stderr, "%s: %s\n", b.path, why), 1;
    read_templates(&b, argv[2]);
    printf("%zu samples, %zu different ones; median of %d runs (lowest to highest)\n", b.samples, b.n, runs);
    for (processes = 1; processes <= 10000; processes *= 10) {
        make_text(&b, processes);
        if (!row(&b, -1, runs, "text:", processes)) return 1;
    }
    for (form = 0; form <= most; form++) {
        make_data(&b, 1000, form);
        if (!row(&b, form, runs, forms[form], 1000)) return 1;
    }
    return 0;
}
