/* bench_indexed.c - an indexed profile of LLVM's main branch, opened for one function
 *
 *     bench_indexed FILE FUNCTIONS    makes FILE, about 100 bytes a function, opens it, and loads one function
 *
 * Printed are the size of the file, microseconds (the lowest of 9) for mmap and csspgo_lazy_open, and for
 * csspgo_lazy_load, bytes of heap at most, and page faults of the last run, with the file in the page cache.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 9, LINES = 21 };
static const char wanted[] = "the_function_that_is_wanted";

/* ----- the file ----- */

static void put_uleb(FILE *f, uint64_t v)
{
    for (; v > 127; v >>= 7) fputc((int)(v & 127) | 128, f);
    fputc((int)v, f);
}

static void put_le(FILE *f, uint64_t v, int bytes)
{
    for (; bytes != 0; bytes--, v >>= 8) fputc((int)(v & 255), f);
}

static unsigned uleb_size(uint64_t v)
{
    unsigned n = 1;
    for (; v > 127; v >>= 7) n++;
    return n;
}

/* rank[at] of the nodes of a complete search tree of n keys, breadth first: the place of each key in their order. */
static void tree_ranks(uint32_t *rank, uint64_t n)
{
    uint64_t i = 0;
    uint32_t k = 0;
    while (2 * i + 1 < n) i = 2 * i + 1;
    for (;;) {
        rank[i] = k++;
        if (2 * i + 2 < n) {
            for (i = 2 * i + 2; 2 * i + 1 < n;) i = 2 * i + 1;
            continue;
        }
        while (i != 0 && i % 2 == 0) i = (i - 1) / 2;     /* up from right children */
        if (i == 0) return;
        i = (i - 1) / 2;
    }
}

/* The GUID of rank k: evenly spread, but for that of the wanted name. */
static uint64_t guid_of(uint64_t k, uint64_t n)
{
    const uint64_t step = UINT64_MAX / n, guid = csspgo_guid(wanted, sizeof wanted - 1);
    return guid / step == k ? guid : k * step;
}

static unsigned record_size(uint64_t at)
{
    return 1 + uleb_size(at) + 2 + 1 + LINES * 4 + 1;
}

static int make_file(const char *path, uint64_t n)
{
    static const struct { uint64_t type, flags; } kind[4] = {
        { 1, 0 }, { 2, UINT64_C(11) << 32 }, { 4, UINT64_C(2) << 32 }, { 32, 0 }
    };
    uint32_t *rank = (uint32_t *)malloc(n * sizeof *rank);
    uint64_t size[4], i, k, at = 9 + 1 + 8 + 4 * 32, offset = 0;
    FILE *f = fopen(path, "wb");
    if (rank == NULL || f == NULL) return 0;
    setvbuf(f, NULL, _IOFBF, 1 << 20);
    tree_ranks(rank, n);
    size[0] = 6;
    size[1] = uleb_size(n) + 2 + 8 * n;
    size[2] = 4 * n;
    for (size[3] = 0, i = 0; i < n; i++) size[3] += record_size(i);
    put_uleb(f, UINT64_C(0x5350524f46343204));
    put_uleb(f, 104);
    put_le(f, 4, 8);
    for (i = 0; i < 4; at += size[i++]) {
        put_le(f, kind[i].type, 8);
        put_le(f, kind[i].flags, 8);
        put_le(f, at, 8);
        put_le(f, size[i], 8);
    }
    for (i = 0; i < 6; i++) put_uleb(f, 0);           /* a summary without cutoffs */
    put_uleb(f, n);
    put_uleb(f, 0);
    put_uleb(f, 0);
    for (i = 0; i < n; i++) put_le(f, guid_of(rank[i], n), 8);
    for (i = 0; i < n; offset += record_size(i++)) put_le(f, offset, 4);
    for (i = 0; i < n; i++) {
        put_uleb(f, 1);
        put_uleb(f, i);
        put_uleb(f, 21 * 100);
        put_uleb(f, LINES);
        for (k = 1; k <= LINES; k++) {
            put_uleb(f, k);
            put_uleb(f, 0);
            put_uleb(f, 100);
            put_uleb(f, 0);
        }
        put_uleb(f, 0);
    }
    free(rank);
    return fclose(f) == 0;
}

/* ----- one function of it ----- */

typedef struct heap { size_t live, peak; } heap;

static void *heap_alloc(void *ctx, size_t size)
{
    heap *h = (heap *)ctx;
    h->live += size;
    if (h->live > h->peak) h->peak = h->live;
    return malloc(size);
}

static void heap_free(void *ctx, void *ptr, size_t size)
{
    ((heap *)ctx)->live -= ptr != NULL ? size : 0;
    free(ptr);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static long faults(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_minflt + u.ru_majflt;
}

/* Opens the file and loads the wanted function. Returns its records; microseconds go down to the lowest seen. */
static size_t load_one(const char *path, size_t size, heap *h, double *opened, double *loaded, long *pages)
{
    const int fd = open(path, O_RDONLY);
    const double t0 = now();
    const long before = faults();
    void *data = fd >= 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    csspgo_options o;
    csspgo_lazy *l;
    csspgo_error e;
    double t1, t2;
    size_t records;
    if (data == MAP_FAILED) return 0;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = heap_alloc;
    o.allocator.free_fn = heap_free;
    o.allocator.ctx = h;
    l = csspgo_lazy_open(data, size, &o, &e);
    t1 = now();
    if (l == NULL || csspgo_lazy_load(l, wanted, sizeof wanted - 1, &e) != CSSPGO_OK) {
        fprintf(stderr, "%s: %s\n", path, e.message);
        return 0;
    }
    t2 = now();
    *pages = faults() - before;
    records = csspgo_record_count(csspgo_lazy_profile(l));
    if (t1 - t0 < *opened) *opened = t1 - t0;
    if (t2 - t1 < *loaded) *loaded = t2 - t1;
    csspgo_lazy_free(l);
    munmap(data, size);
    close(fd);
    return records;
}

int main(int argc, char **argv)
{
    const uint64_t n = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    double opened = 1e9, loaded = 1e9;
    heap h = { 0, 0 };
    struct stat st;
    long pages = 0;
    int run;
    if (n == 0 || n > UINT32_MAX) return fprintf(stderr, "usage: bench_indexed FILE FUNCTIONS\n"), 2;
    if (!make_file(argv[1], n) || stat(argv[1], &st) != 0) return perror(argv[1]), 1;
    for (run = 0; run < RUNS; run++)
        if (load_one(argv[1], (size_t)st.st_size, &h, &opened, &loaded, &pages) != 1) return 1;
    printf("| %.2f GB, %llu functions | %.0f µs | %.0f µs | %zu bytes | %ld |\n", (double)st.st_size / 1e9,
           (unsigned long long)n, opened, loaded, h.peak, pages);
    return 0;
}
