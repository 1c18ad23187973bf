/* t.h - the tests' harness: checks, counts, a heap that fails on purpose, files. One test program includes it once. */
#ifndef T_H
#define T_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CSSPGO__COMMIT_CHECKS       /* as in lib.c */
#define CSSPGO_IMPLEMENTATION       /* cc test_tree.c is a whole program; the Makefile compiles the library only once */
#define CSSPGO_ALL
#include "../csspgo.h"

#ifndef T_DIR
#define T_DIR "build"               /* for files: programs of one test made by different compilers run at a time */
#endif

#if defined(__GNUC__)
#define T_UNUSED __attribute__((unused))
#else
#define T_UNUSED
#endif

static unsigned long t_passed, t_failed, t_skipped;

static int t_report(int ok, const char *file, int line, const char *what)
{
    if (ok) t_passed++;
    else if (++t_failed <= 20) fprintf(stderr, "%s:%d: FAILED: %s\n", file, line, what);
#ifdef T_FIRST                      /* mutants.pl needs to know one */
    if (!ok) _Exit(1);
#endif
    return ok;
}

static int t_report_eq(unsigned long long a, unsigned long long b, const char *file, int line, const char *what)
{
    if (t_report(a == b, file, line, what) == 0 && t_failed <= 20) fprintf(stderr, "    %llu and %llu\n", a, b);
    return a == b;
}

#define T_CHECK(x) t_report((x) != 0, __FILE__, __LINE__, #x)
#define T_EQ(a, b) t_report_eq((unsigned long long)(a), (unsigned long long)(b), __FILE__, __LINE__, #a " == " #b)
#define T_MSG(x, text) t_report((x) != 0, __FILE__, __LINE__, text)

/* An oracle is missing: said aloud and counted; .ci/run turns it into a failure. */
#define T_SKIP(why) (t_skipped++, (void)fprintf(stderr, "%s: SKIPPED: %s\n", __FILE__, (why)))

T_UNUSED static csspgo_cfg t_cfg(csspgo_cfg_block *block, size_t blocks, csspgo_cfg_edge *edge, size_t edges)
{
    csspgo_cfg cfg;
    cfg.block = block;
    cfg.blocks = blocks;
    cfg.edge = edge;
    cfg.edges = edges;
    return cfg;
}

T_UNUSED static csspgo_status t_solve(csspgo_cfg cfg, const csspgo_flow_costs *costs, const csspgo_options *options,
                                      uint64_t *cost, csspgo_error *err)
{
    return csspgo_flow_solve(&cfg, costs, options, cost, err);
}

/* The last statement of main. */
T_UNUSED static int t_end(void)
{
    printf("%lu passed, %lu failed, %lu skipped\n", t_passed, t_failed, t_skipped);
    return t_failed != 0;
}

/* How many random cases: what the environment variable says, or the number for a quick or (FULL is set) a full run. */
T_UNUSED static unsigned long t_cases(const char *variable, unsigned long quick, unsigned long full)
{
    const char *s = getenv(variable), *all = getenv("FULL");
    return s != NULL ? strtoul(s, NULL, 10) : all != NULL && all[0] != '\0' ? full : quick;
}

/* How large: more in a full run. */
T_UNUSED static unsigned long t_size(unsigned long quick, unsigned long full)
{
    const char *all = getenv("FULL");
    return all != NULL && all[0] != '\0' ? full : quick;
}

/* ----- a heap that counts what lives, and can fail at the nth allocation ----- */

typedef struct t_heap {
    long   nth, calls;            /* the nth call (from 1) and those after it fail; 0 = never */
    size_t live, peak, live_bytes;
} t_heap;

/*
 * Tests of failing allocations raise nth until what they test succeeds. With t_once only the nth call fails, and the
 * code may do without what it asked for; then the test ends too early. T_FAILING runs it a first time with all calls
 * from the nth on failing, and then with single ones, again and again behind the failures that were survived.
 */
static int  t_once, t_survived;   /* t_survived: the call that had to fail did, and the test goes on with t_nth */
static long t_skipped_calls;      /* failures that earlier runs went through */
static long t_first, t_nth;       /* nth at the begin of a loop and now      */
static long t_least;              /* the earliest failure that was survived  */

static void t_loop_ends(void)
{
    const long at = t_nth - t_first + 1;
    if (t_survived && (t_least == 0 || at < t_least)) t_least = at;
    t_survived = 0;
}

/* 1 if a call has to fail. */
static int t_fails(long nth, long call)
{
    if (nth == 0) return 0;
    if (!t_once) return call >= nth;
    if (nth != t_nth) {
        if (nth != t_nth + 1) {
            t_loop_ends();
            t_first = nth;
        }
        t_nth = nth;
        t_survived = 0;
    }
    if (call != nth + t_skipped_calls) return 0;
    t_survived = 1;
    return 1;
}

#define T_FAILING(test)                                                                                               \
    do {                                                                                                              \
        t_once = 0;                                                                                                   \
        test;                                                                                                         \
        t_once = 1;                                                                                                   \
        for (t_skipped_calls = 0, t_least = 1; t_least != 0; t_skipped_calls += t_least) {                            \
            t_least = t_nth = t_survived = 0;                                                                         \
            test;                                                                                                     \
            t_loop_ends();                                                                                            \
        }                                                                                                             \
        t_once = 0;                                                                                                   \
    } while (0)

/* A loop over failing calls went on for long enough; not in the runs behind a failure that was survived. */
#define T_LONG(x) T_CHECK(t_once || (x))

static void *t_heap_alloc(void *ctx, size_t size)
{
    t_heap *h = (t_heap *)ctx;
    void *p;
    if (t_fails(h->nth, ++h->calls)) return NULL;
    p = malloc(size);
    if (p == NULL) return NULL;
    h->live++;
    h->live_bytes += size;
    if (h->live_bytes > h->peak) h->peak = h->live_bytes;
    return p;
}

static void t_heap_free(void *ctx, void *ptr, size_t size)
{
    t_heap *h = (t_heap *)ctx;
    h->live--;
    h->live_bytes -= size;
    if (h->live == 0 && h->live_bytes != 0) t_report(0, __FILE__, __LINE__, "blocks come back with the size they were made with");
    free(ptr);
}

/* Options whose allocator is h; nth as in t_heap. h must outlive what is made with them. */
T_UNUSED static csspgo_options t_options(t_heap *h, long nth)
{
    csspgo_options o;
    memset(h, 0, sizeof *h);
    memset(&o, 0, sizeof o);
    h->nth = nth;
    o.allocator.alloc_fn = t_heap_alloc;
    o.allocator.free_fn = t_heap_free;
    o.allocator.ctx = h;
    return o;
}

/* ----- profiles ----- */

T_UNUSED static csspgo_profile *t_profile(uint32_t lenient)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    return p;
}

T_UNUSED static int t_valid(const csspgo_profile *p)
{
    csspgo_error e;
    if (csspgo_validate(p, &e) == CSSPGO_OK) return 1;
    fprintf(stderr, "    not valid: %s\n", e.message);
    return 0;
}

/* The profile as text, for free(), with a 0 that does not count. */
T_UNUSED static char *t_text(csspgo_profile *p, size_t *size)
{
    char *text;
    csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, NULL);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    text[*size] = '\0';
    t_report_eq(csspgo_write(p, CSSPGO_TEXT, text, *size, size, NULL), CSSPGO_OK, __FILE__, __LINE__, "it is written");
    return text;
}

/* ----- bytes and files ----- */

/* A block of exactly n bytes (a sanitizer sees one byte too far), for free(). */
T_UNUSED static unsigned char *t_copy(const void *data, size_t n)
{
    unsigned char *p = (unsigned char *)malloc(n != 0 ? n : 1);
    if (p == NULL) abort();
    if (n != 0) memcpy(p, data, n);
    return p;
}

/* The whole file, terminated by a 0 that does not count; NULL (and a failed check) if it cannot be read. */
T_UNUSED static char *t_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *p = NULL;
    long n;
    *size = 0;
    if (f != NULL && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0) {
        rewind(f);
        p = (char *)malloc((size_t)n + 1);
        if (p != NULL) {
            *size = fread(p, 1, (size_t)n, f);
            p[*size] = '\0';
        }
    }
    if (f != NULL) fclose(f);
    t_report(p != NULL, path, 0, "the file can be read");
    return p;
}

/* Compares bytes; on a difference says at which line. */
T_UNUSED static int t_same(const char *what, const void *got, size_t got_size, const void *want, size_t want_size)
{
    const char *g = (const char *)got, *w = (const char *)want;
    size_t i, line = 1, start = 0;
    for (i = 0; i < got_size && i < want_size && g[i] == w[i]; i++)
        if (g[i] == '\n') {
            line++;
            start = i + 1;
        }
    if (i == got_size && i == want_size) {
        t_passed++;
        return 1;
    }
    if (++t_failed <= 20)
        fprintf(stderr, "%s: FAILED: differs at line %lu\n    got:  %.*s\n    want: %.*s\n", what, (unsigned long)line,
                (int)(got_size > start ? strcspn(g + start, "\n") : 0), g + start,
                (int)(want_size > start ? strcspn(w + start, "\n") : 0), w + start);
    return 0;
}

/* A parser that reads scripts as llvm-profgen 19 does; code: as in csspgo_script_options. */
T_UNUSED static csspgo_script *t_llvm_script(const csspgo_code *code, const csspgo_options *options)
{
    csspgo_script_options how;
    memset(&how, 0, sizeof how);
    how.code = code;
    how.llvm = 19;
    return csspgo_script_new(&how, options, NULL);
}

#endif
