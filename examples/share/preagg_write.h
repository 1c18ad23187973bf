/* preagg_write.h - adds up branches and ranges for csspgo.h and writes them as the pre-aggregated text of BOLT
 *
 * In ONE source file, behind csspgo.h:               Elsewhere:
 *     #define CSSPGO_WITH_PREAGG                         #define CSSPGO_WITH_PREAGG
 *     #include "csspgo.h"                                #include "csspgo.h"
 *     #define CSSPGO_PREAGG_WRITE_IMPLEMENTATION         #include "preagg_write.h"
 *     #include "preagg_write.h"
 *
 * HOW TO give samples to BOLT
 *
 *     static int how_to_write_preaggregated_text(void)
 *     {
 *         const csspgo_branch taken[2] = { { 0x1010, 0x1000, 0 }, { 0x1010, 0x1000, 1 } };     // newest first
 *         csspgo_error e;
 *         csspgo_code *code = csspgo_code_new(NULL, &e);
 *         csspgo_aggregator *t = NULL;
 *         csspgo_sample sample;
 *         char text[100];
 *         size_t size = 0;
 *         csspgo_status s = CSSPGO_E_NOMEM;
 *
 *         memset(&sample, 0, sizeof sample);
 *         sample.branches = taken;
 *         sample.branch_count = 2;
 *         if (code != NULL) s = csspgo_code_add_area(code, csspgo_no_module(), 0x1000, 32, &e);
 *         if (s == CSSPGO_OK) t = csspgo_aggregator_new(code, csspgo_no_module(), NULL, &e);   // or a program's module
 *         if (t == NULL) s = CSSPGO_E_NOMEM;
 *         if (s == CSSPGO_OK) s = csspgo_aggregator_add(t, &sample, 1, &e);
 *         if (s == CSSPGO_OK) s = csspgo_write_preagg(t, 0, text, sizeof text, &size, &e);     // perf2bolt -pa
 *         printf("%.*s", (int)size, text);
 *         csspgo_aggregator_free(t);
 *         csspgo_code_free(code);
 *         return s != CSSPGO_OK;
 *     }
 *
 * csspgo.h has the kinds of lines, csspgo_preagg_line, and reads them (csspgo_preagg_next).
 *
 * Memory comes from options.allocator; without one from CSSPGO_MALLOC, where that is defined, else from malloc.
 *
 * It uses only what csspgo.h shows to everyone: copy this file and change it. Part of csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_PREAGG_WRITE_H
#define CSSPGO_SHARE_PREAGG_WRITE_H

#if !defined(CSSPGO_VERSION) || !defined(CSSPGO_WITH_PREAGG)
#  error "include csspgo.h, with CSSPGO_WITH_PREAGG, before preagg_write.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Adds up branches and ranges of one module and writes them as that text. So BOLT gets recordings that perf2bolt does
 * not read, such as those with call stacks.
 *
 * Memory    about 60 bytes per distinct branch and range; twice that while it grows, and four times while it is written
 * Threads   calls on one object may not overlap, except of functions that take it const
 */
typedef struct csspgo_aggregator csspgo_aggregator;

typedef struct csspgo_aggregator_stats {
    uint64_t samples, branches;   /* added; their branch records                                    */
    uint64_t no_branches;         /* samples without branch records: the sampled address counts (S) */
    uint64_t outside;             /* branches with neither end in the module: not counted           */
    uint64_t crossing;            /* ranges that do not lie in one function of it: not counted      */
} csspgo_aggregator_stats;

/*
 * Makes an object without counts.
 *
 *   code      tells modules and functions apart; must outlive the object. Functions that BOLT sees should be in it:
 *             where none is known all code counts as one function
 *   module    whose addresses are written; id 0: code without a module
 *   options   memory and limits, NULL = defaults
 *
 * Returns   the object, for csspgo_aggregator_free; NULL: E_NOMEM, E_LIMIT, E_ARGUMENT (an unknown module)
 */
CSSPGO_DEF csspgo_aggregator *csspgo_aggregator_new(const csspgo_code *code, csspgo_module module,
                                                    const csspgo_options *options, csspgo_error *err);

/* Frees an object; NULL is fine. */
CSSPGO_DEF void csspgo_aggregator_free(csspgo_aggregator *t);

/*
 * Adds the branch records of samples as perf2bolt does: every record is a branch, and the code between two records is a
 * range if it lies in one function. Call stacks are not looked at. Records flagged as not taken are ignored.
 *
 *   samples, count   only read during the call; their addresses are looked up at once, in the current code map
 *   err              NULL, or filled in every case
 *
 * Returns   CSSPGO_OK; E_NOMEM, E_LIMIT: samples from the failing one on were not taken
 * Cost      a few look-ups per branch record
 */
CSSPGO_DEF csspgo_status csspgo_aggregator_add(csspgo_aggregator *t, const csspgo_sample *samples, size_t count,
                                               csspgo_error *err);

/* Adds lines. Returns and cost as csspgo_aggregator_add; also E_ARGUMENT for an unknown kind. */
CSSPGO_DEF csspgo_status csspgo_aggregator_count(csspgo_aggregator *t, const csspgo_preagg_line *line, size_t count,
                                                 csspgo_error *err);

/* Statistics of what was added so far. */
CSSPGO_DEF csspgo_aggregator_stats csspgo_aggregator_get_stats(const csspgo_aggregator *t);

enum { CSSPGO_PREAGG_TRACES = 1 };   /* csspgo_write_preagg */

/*
 * Writes the sums: ranges by address, then branches by address. Lines are equal, whatever order the counts came in.
 *
 *   form       0: lines B, F and f, which every BOLT reads; S and E are left out. CSSPGO_PREAGG_TRACES: for BOLT 21
 *              and later, T and B for branches, and R, r, S and E as they were added; only B lines have mispredictions
 *   buf, cap   the output, cap bytes; NULL and 0 to ask for the size
 *   size       NULL, or gets the bytes needed
 *
 * Returns   CSSPGO_OK; E_SHORT if buf is too short (its first cap bytes are filled); E_NOMEM
 * Cost      O(counts log counts)
 */
CSSPGO_DEF csspgo_status csspgo_write_preagg(const csspgo_aggregator *t, uint32_t form, void *buf, size_t cap,
                                             size_t *size, csspgo_error *err);

#ifndef CSSPGO_NO_STDIO
/* As csspgo_write_preagg, to a file, path as fopen takes it. Returns as that; also E_IO. */
CSSPGO_DEF csspgo_status csspgo_write_preagg_file(const csspgo_aggregator *t, const char *path, uint32_t form,
                                                  csspgo_error *err);
#endif

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_PREAGG_WRITE_H */

/* ===== implementation ============================================================================================= */

#if defined(CSSPGO_PREAGG_WRITE_IMPLEMENTATION) && !defined(CSSPGO_PREAGG_WRITE_IMPLEMENTATION_INCLUDED)
#define CSSPGO_PREAGG_WRITE_IMPLEMENTATION_INCLUDED

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CSSPGO__AGG_OTHER ((uint64_t)1)    /* the address that stands for other code */

/* The lines: the kind, then its fields: f(rom), t(o), e(nd), c(ount), m(ispredicted), n(ame). */
static const char csspgo__agg_forms[][8] = { "Bftcm", "Ftec", "ftec", "Tftec", "Rftec", "rtec", "Stc", "En" };

/*
 * A sum: a line at link-time addresses. Beside the kinds of lines there is M, the mispredictions of a branch, and
 * t, a T that enters its function from elsewhere. Of E, from is the name's GUID, to its number in the order in which
 * names came, end where it begins in csspgo_aggregator.text, and count its size.
 */
typedef struct csspgo__aggregated {
    uint64_t from, to, end, count;
    uint32_t kind, group;         /* group: order of lines in the text */
} csspgo__aggregated;

enum {                            /* csspgo__aggregated.group */
    CSSPGO__OF_EVENTS = 0, CSSPGO__OF_RANGES = 1, CSSPGO__OF_BRANCHES = 2, CSSPGO__OF_ADDRESSES = 3
};

typedef struct csspgo__aggregated_list {
    csspgo__aggregated *v;
    size_t count, cap;
} csspgo__aggregated_list;

/*
 * Sums are found where one of the CSSPGO__AGG_TRIES places behind their hash has their number. Where all of these are
 * taken, the sum comes a second time, which costs memory but no time: once more than half of the sums may be there
 * twice, they are sorted and joined.
 */
struct csspgo_aggregator {
    csspgo_allocator   a;
    uint64_t           used, most;   /* bytes that it has, and may have                           */
    uint64_t           max_name, seed;
    csspgo_status      why;       /* of the last allocation that failed                        */
    const char        *limit;     /* and which limit that was                                  */
    const csspgo_code *code;
    csspgo_module      module;
    csspgo__aggregated_list sum;
    uint32_t          *place;     /* index of sum + 1 by hash, 0: none; a power of two of them */
    size_t             places, twice;   /* twice: sums that may be there twice                 */
    char              *text;      /* names of events, one after the other                      */
    size_t             text_size, text_cap;
    uint64_t           events;
    csspgo_aggregator_stats stats;
};

enum { CSSPGO__AGG_TRIES = 8 };

/* ----- errors ----- */

/* Fills an error in. Returns its status. */
static csspgo_status csspgo__agg_error(csspgo_error *err, csspgo_status status, uint64_t offset, const char *form, ...)
{
    va_list ap;
    if (err == NULL) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->offset = offset;
    va_start(ap, form);
    vsnprintf(err->message, sizeof err->message, form, ap);
    va_end(ap);
    return status;
}

/* The same without a detail; CSSPGO_OK clears it. */
static csspgo_status csspgo__agg_plain(csspgo_error *err, csspgo_status status)
{
    if (status != CSSPGO_OK) return csspgo__agg_error(err, status, 0, "%s", csspgo_status_text(status));
    if (err != NULL) memset(err, 0, sizeof *err);
    return status;
}

/* Why no memory is left. */
static csspgo_status csspgo__agg_full(const csspgo_aggregator *t, csspgo_error *err)
{
    if (t->why != CSSPGO_E_LIMIT) return csspgo__agg_plain(err, t->why);
    if (t->limit != NULL)
        return csspgo__agg_error(err, t->why, 0, "a name is longer than limits.max_name, %llu",
                                 (unsigned long long)t->max_name);
    return csspgo__agg_error(err, t->why, 0, "the aggregator has reached its limits.max_bytes, %llu: take less in or "
                             "raise it", (unsigned long long)t->most);
}

#ifndef CSSPGO_NO_STDIO
/* At most 60 bytes of a path in quotes. Bytes that are no printable ASCII are escaped. `to` has room for 256. */
static const char *csspgo__agg_quote(char *to, const char *text)
{
    const size_t size = strlen(text), shown = size > 60 ? 57 : size;
    char *p = to;
    size_t i;
    *p++ = '\'';
    for (i = 0; i < shown; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c > 0x7e) p += sprintf(p, "\\x%02x", (unsigned)c);
        else *p++ = (char)c;
    }
    strcpy(p, shown < size ? "...'" : "'");
    return to;
}
#endif

/* ----- memory ----- */

static void *csspgo__agg_malloc(void *ctx, size_t size)
{
    (void)ctx;
#ifdef CSSPGO_MALLOC
    return CSSPGO_MALLOC(size);
#else
    return malloc(size);
#endif
}

static void csspgo__agg_mfree(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
#ifdef CSSPGO_FREE
    CSSPGO_FREE(p);
#else
    free(p);
#endif
}

/* Memory that counts. NULL: t->why says why. */
static void *csspgo__agg_alloc(csspgo_aggregator *t, size_t size)
{
    void *p;
    t->why = CSSPGO_E_LIMIT;
    if (t->used > t->most || size > t->most - t->used) return NULL;
    t->why = CSSPGO_E_NOMEM;
    p = t->a.alloc_fn(t->a.ctx, size);
    if (p != NULL) t->used += size;
    return p;
}

static void csspgo__agg_release(csspgo_aggregator *t, void *p, size_t size)
{
    if (p == NULL) return;
    t->used -= size;
    t->a.free_fn(t->a.ctx, p, size);
}

/* Room for `more` elements in an array at *array of *cap elements, of which count are in use. 0: there is none. */
static int csspgo__agg_grow(csspgo_aggregator *t, void *array, size_t count, size_t *cap, size_t more, size_t element)
{
    size_t n = *cap + *cap / 2 > 8 ? *cap + *cap / 2 : 8;
    void *p, *old;
    if (count <= *cap && more <= *cap - count) return 1;
    t->why = CSSPGO_E_LIMIT;
    if (more > SIZE_MAX / element - count) return 0;
    if (n < count + more) n = count + more;
    if (n > SIZE_MAX / element) return 0;
    p = csspgo__agg_alloc(t, n * element);
    if (p == NULL) return 0;
    memcpy(&old, array, sizeof old);
    if (count != 0) memcpy(p, old, count * element);
    csspgo__agg_release(t, old, *cap * element);
    memcpy(array, &p, sizeof p);
    *cap = n;
    return 1;
}

CSSPGO_DEF csspgo_aggregator *csspgo_aggregator_new(const csspgo_code *code, csspgo_module module,
                                                    const csspgo_options *options, csspgo_error *err)
{
    static const char name[] = "csspgo_aggregator_new";
    const csspgo_options *o = options;
    csspgo_aggregator made, *t = NULL;
    memset(&made, 0, sizeof made);
    if (o != NULL) made.a = o->allocator;
    if (made.a.alloc_fn == NULL) made.a.alloc_fn = csspgo__agg_malloc, made.a.free_fn = csspgo__agg_mfree;
    made.most = o != NULL && o->limits.max_bytes != 0 ? o->limits.max_bytes : (uint64_t)1 << 34;
    made.max_name = o != NULL && o->limits.max_name != 0 ? o->limits.max_name : 1u << 20;
    made.seed = o != NULL ? o->hash_seed : 0;
    made.code = code;
    made.module = module;
    if (module.id > csspgo_code_get_stats(code).modules)
        csspgo__agg_error(err, CSSPGO_E_ARGUMENT, 0, "%s: no such module: %u", name, (unsigned)module.id);
    else if (o != NULL && o->llvm != 0 && o->llvm != 19)
        csspgo__agg_error(err, CSSPGO_E_ARGUMENT, 0, "%s: csspgo_options.llvm must be 0 or 19", name);
    else if (o != NULL && (o->allocator.alloc_fn == NULL) != (o->allocator.free_fn == NULL))
        csspgo__agg_error(err, CSSPGO_E_ARGUMENT, 0, "%s: an allocator needs both alloc_fn and free_fn", name);
    else {
        t = (csspgo_aggregator *)csspgo__agg_alloc(&made, sizeof made);
        csspgo__agg_plain(err, t != NULL ? CSSPGO_OK : made.why);
    }
    if (t != NULL) *t = made;
    return t;
}

CSSPGO_DEF void csspgo_aggregator_free(csspgo_aggregator *t)
{
    if (t == NULL) return;
    csspgo__agg_release(t, t->sum.v, t->sum.cap * sizeof *t->sum.v);
    csspgo__agg_release(t, t->place, t->places * sizeof *t->place);
    csspgo__agg_release(t, t->text, t->text_cap);
    t->a.free_fn(t->a.ctx, t, sizeof *t);
}

/* ----- order ----- */

static int csspgo__agg_cmp(const csspgo__aggregated *a, const csspgo__aggregated *b)
{
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind != b->kind;
}

/* 1 if two are of one line; an event is its name. */
static int csspgo__agg_same(const csspgo__aggregated *a, const csspgo__aggregated *b)
{
    return a->from == b->from && a->kind == b->kind && (a->kind == 'E' || (a->to == b->to && a->end == b->end));
}

/* Adds up two counts, up to 2^64 - 1. */
static uint64_t csspgo__agg_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Merge sort from the bottom up, stable. spare: n elements. Returns which of the two is sorted. */
static csspgo__aggregated *csspgo__agg_sort(csspgo__aggregated *v, csspgo__aggregated *spare, size_t n)
{
    size_t width, at;
    for (width = 1; width < n; width *= 2) {
        csspgo__aggregated *const from = v;
        for (at = 0; at < n; at += 2 * width) {
            const size_t middle = n - at < width ? n : at + width, end = n - at < 2 * width ? n : at + 2 * width;
            size_t i = at, j = middle, k;
            for (k = at; k < end; k++) {
                const int right = i == middle || (j < end && csspgo__agg_cmp(&from[j], &from[i]) < 0);
                spare[k] = right ? from[j++] : from[i++];
            }
        }
        v = spare;
        spare = from;
    }
    return v;
}

/* Joins sorted sums of one line. Returns how many are left. */
static size_t csspgo__agg_join(csspgo__aggregated *v, size_t n)
{
    size_t i, out = 0;
    for (i = 0; i < n; i++) {
        if (out == 0 || !csspgo__agg_same(&v[out - 1], &v[i])) v[out++] = v[i];
        else if (v[i].kind != 'E') v[out - 1].count = csspgo__agg_sum(v[out - 1].count, v[i].count);
    }
    return out;
}

/* ----- adding up ----- */

static size_t csspgo__agg_hash(const csspgo_aggregator *t, const csspgo__aggregated *v)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = (t->seed ^ v->from ^ v->kind) * odd;
    if (v->kind != 'E') {
        h = (h ^ h >> 29 ^ v->to) * odd;
        h = (h ^ h >> 29 ^ v->end) * odd;
    }
    return (size_t)(h ^ h >> 32);
}

/*
 * A sum of the same line; NULL where none is found. *at gets where the number of a new sum goes: an empty place, else
 * the first one, whose sum is then found no more.
 */
static csspgo__aggregated *csspgo__agg_find(const csspgo_aggregator *t, const csspgo__aggregated *v, size_t *at)
{
    const size_t hash = csspgo__agg_hash(t, v), mask = t->places - 1;
    size_t i;
    for (i = 0; i < CSSPGO__AGG_TRIES; i++) {
        const uint32_t id = t->place[(hash + i) & mask];
        *at = (hash + i) & mask;
        if (id == 0) return NULL;
        if (csspgo__agg_same(&t->sum.v[id - 1], v)) return &t->sum.v[id - 1];
    }
    *at = hash & mask;
    return NULL;
}

/* Fills the places anew. */
static void csspgo__agg_fill(csspgo_aggregator *t)
{
    size_t i, at;
    if (t->places != 0) memset(t->place, 0, t->places * sizeof *t->place);
    for (i = 0; t->places != 0 && i < t->sum.count; i++)
        if (csspgo__agg_find(t, &t->sum.v[i], &at) == NULL) t->place[at] = (uint32_t)i + 1;
}

/* Makes twice as many places as there is room for sums, at least. Returns 0 when memory is exhausted. */
static int csspgo__agg_places(csspgo_aggregator *t)
{
    size_t places = t->places != 0 ? t->places : 16;
    uint32_t *place;
    while (places / 2 < t->sum.cap && places < SIZE_MAX / 8) places *= 2;
    if (places == t->places) return 1;
    place = (uint32_t *)csspgo__agg_alloc(t, places * sizeof *place);
    if (place == NULL) return 0;
    csspgo__agg_release(t, t->place, t->places * sizeof *t->place);
    t->place = place;
    t->places = places;
    csspgo__agg_fill(t);
    return 1;
}

/* Sorts the sums and joins those that are there twice. Returns 0 when memory is exhausted. */
static int csspgo__agg_tidy(csspgo_aggregator *t)
{
    csspgo__aggregated *spare = (csspgo__aggregated *)csspgo__agg_alloc(t, t->sum.cap * sizeof *spare), *sorted;
    if (spare == NULL) return 0;
    sorted = csspgo__agg_sort(t->sum.v, spare, t->sum.count);
    csspgo__agg_release(t, sorted == spare ? t->sum.v : spare, t->sum.cap * sizeof *spare);
    t->sum.v = sorted;
    t->sum.count = csspgo__agg_join(sorted, t->sum.count);
    t->twice = 0;
    csspgo__agg_fill(t);
    return 1;
}

/* Room for n sums. Returns 0 when memory is exhausted, or there would be 2^32 sums. */
static int csspgo__agg_room(csspgo_aggregator *t, size_t n)
{
    t->limit = NULL;
    if (n > t->sum.cap - t->sum.count && t->twice > t->sum.count / 2 && !csspgo__agg_tidy(t)) return 0;
    if (n <= t->sum.cap - t->sum.count && t->place != NULL) return 1;
    t->why = CSSPGO_E_LIMIT;
    if (n > UINT32_MAX - 1 - t->sum.count) return 0;
    return csspgo__agg_grow(t, &t->sum.v, t->sum.count, &t->sum.cap, n, sizeof *t->sum.v) && csspgo__agg_places(t);
}

/* Adds to a sum, for which there is room. Returns 1 if it is a new one. */
static int csspgo__agg_add(csspgo_aggregator *t, const csspgo__aggregated *more)
{
    size_t at;
    csspgo__aggregated *v = csspgo__agg_find(t, more, &at);
    if (v != NULL) {
        if (v->kind != 'E') v->count = csspgo__agg_sum(v->count, more->count);
        return 0;
    }
    t->twice += t->place[at] != 0;
    t->sum.v[t->sum.count++] = *more;
    t->place[at] = (uint32_t)t->sum.count;
    return 1;
}

/* Adds a count, for which there is room. */
static void csspgo__agg_put(csspgo_aggregator *t, uint32_t kind, uint64_t from, uint64_t to, uint64_t end,
                            uint64_t count)
{
    csspgo__aggregated v;
    v.from = from;
    v.to = to;
    v.end = end;
    v.count = count;
    v.kind = kind;
    v.group = kind == 'S' ? CSSPGO__OF_ADDRESSES
            : strchr("Ffr", (int)kind) != NULL ? CSSPGO__OF_RANGES : CSSPGO__OF_BRANCHES;
    if (count != 0) csspgo__agg_add(t, &v);
}

/* Adds the name of an event; there is room for a sum. Returns 0 when memory for its text is exhausted. */
static int csspgo__agg_event(csspgo_aggregator *t, const char *name, size_t size)
{
    csspgo__aggregated v;
    t->why = CSSPGO_E_LIMIT;
    t->limit = "max_name";
    if (size > t->max_name) return 0;
    t->limit = NULL;
    if (!csspgo__agg_grow(t, &t->text, t->text_size, &t->text_cap, size, 1)) return 0;
    v.from = csspgo_guid(name, size);
    v.to = t->events;
    v.end = t->text_size;
    v.count = size;
    v.kind = 'E';
    v.group = CSSPGO__OF_EVENTS;
    if (!csspgo__agg_add(t, &v)) return 1;
    if (size != 0) memcpy(t->text + t->text_size, name, size);
    t->text_size += size;
    t->events++;
    return 1;
}

/* An address as the aggregator sees it. */
typedef struct csspgo__agg_place {
    uint64_t address;             /* link-time address, CSSPGO__AGG_OTHER outside the module */
    uint64_t begin, end;          /* of the function's code there; both 0: none              */
} csspgo__agg_place;

static csspgo__agg_place csspgo__agg_look_up(const csspgo_aggregator *t, uint64_t address)
{
    csspgo_code_place place;
    csspgo__agg_place v = { CSSPGO__AGG_OTHER, 0, 0 };
    if (!csspgo_code_find(t->code, address, &place) || place.module.id != t->module.id) return v;
    v.address = place.address;
    v.begin = place.begin;
    v.end = place.end;
    return v;
}

/* 1 if two addresses are in one function, or both in none. */
static int csspgo__agg_together(const csspgo__agg_place *a, const csspgo__agg_place *b)
{
    return a->begin == b->begin && a->end == b->end;
}

/* 1 if code ran from `to` up to `end`, in one function; crossing ranges are counted as such. */
static int csspgo__agg_range(csspgo_aggregator *t, const csspgo__agg_place *to, const csspgo__agg_place *end)
{
    if (to->address == CSSPGO__AGG_OTHER || end->address == CSSPGO__AGG_OTHER) return 0;
    if (to->address <= end->address && csspgo__agg_together(to, end)) return 1;
    t->stats.crossing++;
    return 0;
}

/* One branch, with the range behind it if there is an end; kind: T, or R for a return. Room for two sums is there. */
static void csspgo__agg_branch(csspgo_aggregator *t, uint32_t kind, const csspgo__agg_place *from,
                               const csspgo__agg_place *to, const csspgo__agg_place *end, uint64_t count,
                               uint64_t mispredicted)
{
    const int range = end != NULL && csspgo__agg_range(t, to, end);
    if (from->address == CSSPGO__AGG_OTHER && to->address == CSSPGO__AGG_OTHER) {
        t->stats.outside = csspgo__agg_sum(t->stats.outside, count);
        return;
    }
    if (!range) kind = 'B';
    else if (kind == 'T' && (from->end == 0 || !csspgo__agg_together(from, to))) kind = 't';
    csspgo__agg_put(t, kind, from->address, to->address, range ? end->address : 0, count);
    csspgo__agg_put(t, 'M', from->address, to->address, 0, mispredicted);
}

/* The records of a sample, newest first: a range runs from where a record leads to the source of the newer one. */
static int csspgo__agg_sample(csspgo_aggregator *t, const csspgo_sample *s)
{
    const uint64_t count = s->count != 0 ? s->count : 1;
    csspgo__agg_place newer, from, to;
    uint32_t i, n = 0;
    if (!csspgo__agg_room(t, 2 * (size_t)s->branch_count + 1)) return 0;
    memset(&newer, 0, sizeof newer);
    for (i = 0; i < s->branch_count; i++) {
        const csspgo_branch *b = &s->branches[i];
        if (b->flags >> 33 & 1) continue;             /* not taken */
        from = csspgo__agg_look_up(t, b->from);
        to = csspgo__agg_look_up(t, b->to);
        csspgo__agg_branch(t, 'T', &from, &to, n++ != 0 ? &newer : NULL, count, b->flags & 1 ? count : 0);
        newer = from;
    }
    t->stats.samples = csspgo__agg_sum(t->stats.samples, count);
    t->stats.branches = csspgo__agg_sum(t->stats.branches, n != 0 && count > UINT64_MAX / n ? UINT64_MAX : n * count);
    if (s->branch_count != 0) return 1;
    t->stats.no_branches = csspgo__agg_sum(t->stats.no_branches, count);
    to = csspgo__agg_look_up(t, s->stack_count != 0 ? s->stack[0] : 0);
    if (to.address != CSSPGO__AGG_OTHER) csspgo__agg_put(t, 'S', 0, to.address, 0, count);
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_aggregator_add(csspgo_aggregator *t, const csspgo_sample *samples, size_t count,
                                               csspgo_error *err)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (!csspgo__agg_sample(t, &samples[i])) return csspgo__agg_full(t, err);
    return csspgo__agg_plain(err, CSSPGO_OK);
}

/* The fields of a kind, NULL for an unknown one. */
static const char *csspgo__agg_fields(uint32_t kind)
{
    size_t i;
    for (i = 0; i < sizeof csspgo__agg_forms / sizeof *csspgo__agg_forms; i++)
        if ((unsigned char)csspgo__agg_forms[i][0] == kind) return csspgo__agg_forms[i] + 1;
    return NULL;
}

/* Adds one line, for which there is room. Returns 0 when memory for the name of an event is exhausted. */
static int csspgo__agg_line(csspgo_aggregator *t, const csspgo_preagg_line *a)
{
    const csspgo__agg_place from = csspgo__agg_look_up(t, a->from), to = csspgo__agg_look_up(t, a->to);
    const csspgo__agg_place end = csspgo__agg_look_up(t, a->end);
    switch (a->kind) {
    case 'E': return csspgo__agg_event(t, a->event, a->event_size);
    case 'S':
        if (to.address != CSSPGO__AGG_OTHER) csspgo__agg_put(t, 'S', 0, to.address, 0, a->count);
        return 1;
    case 'F':
    case 'f':
    case 'r':
        if (csspgo__agg_range(t, &to, &end)) csspgo__agg_put(t, a->kind, 0, to.address, end.address, a->count);
        return 1;
    default:
        csspgo__agg_branch(t, a->kind, &from, &to, a->kind != 'B' ? &end : NULL, a->count, a->mispredicted);
        return 1;
    }
}

CSSPGO_DEF csspgo_status csspgo_aggregator_count(csspgo_aggregator *t, const csspgo_preagg_line *line, size_t count,
                                                 csspgo_error *err)
{
    size_t i;
    for (i = 0; i < count; i++) {
        if (csspgo__agg_fields(line[i].kind) == NULL)
            return csspgo__agg_error(err, CSSPGO_E_ARGUMENT, i,
                                     "csspgo_aggregator_count: an unknown kind, character %u", line[i].kind & 255u);
        if (!csspgo__agg_room(t, 2) || !csspgo__agg_line(t, &line[i])) return csspgo__agg_full(t, err);
    }
    return csspgo__agg_plain(err, CSSPGO_OK);
}

CSSPGO_DEF csspgo_aggregator_stats csspgo_aggregator_get_stats(const csspgo_aggregator *t)
{
    return t->stats;
}

/* ----- writing ----- */

/* The lines that a sum becomes in a text without traces, S and E. There is room for two. */
static void csspgo__agg_split(csspgo__aggregated_list *out, const csspgo__aggregated *v)
{
    const int trace = v->kind == 'T' || v->kind == 't' || v->kind == 'R';
    csspgo__aggregated *to;
    if (v->kind == 'S' || v->kind == 'E') return;
    if (trace) {
        to = &out->v[out->count++];
        *to = *v;
        to->from = 0;
        to->kind = v->kind == 'T' ? 'F' : 'f';
        to->group = CSSPGO__OF_RANGES;
    }
    to = &out->v[out->count++];
    *to = *v;
    if (trace) to->kind = 'B', to->end = 0;
    else if (v->kind == 'r') to->kind = 'f';
}

/*
 * Where lines go: a buffer that keeps what fits, or, in front of a file, one that is emptied when it is full. `total`
 * counts all.
 */
typedef struct csspgo__agg_sink {
    unsigned char *buf;
    size_t   cap, used;
    uint64_t total;
    FILE    *file;
    int      bad;                 /* the file cannot be written */
} csspgo__agg_sink;

static void csspgo__agg_flush(csspgo__agg_sink *s)
{
    if (s->file != NULL && s->used != 0 && !s->bad) s->bad = fwrite(s->buf, 1, s->used, s->file) != s->used;
    if (s->file != NULL) s->used = 0;
}

static void csspgo__agg_bytes(csspgo__agg_sink *s, const char *p, size_t size)
{
    s->total += size;
    while (size != 0) {
        const size_t room = s->cap - s->used, k = size < room ? size : room;
        if (k != 0) memcpy(s->buf + s->used, p, k);
        s->used += k;
        p += k;
        size -= k;
        if (size != 0 && s->file == NULL) return;
        if (size != 0) csspgo__agg_flush(s);
    }
}

/* A line; mispredicted: the sum behind it. */
static void csspgo__agg_put_line(csspgo__agg_sink *s, const csspgo__aggregated *v, uint64_t mispredicted)
{
    const char *form = csspgo__agg_fields(v->kind);
    char text[100], *p = text;                        /* at most 4 fields of 20 characters */
    *p++ = (char)v->kind;
    for (; *form != '\0'; form++) {
        const int counts = *form == 'c' || *form == 'm';
        const uint64_t n = *form == 'c' ? v->count : *form == 'm' ? mispredicted
                         : *form == 'f' ? v->from : *form == 't' ? v->to : v->end;
        if (counts) p += sprintf(p, " %llu", (unsigned long long)(n <= INT64_MAX ? n : INT64_MAX));
        else if (n == CSSPGO__AGG_OTHER) p += sprintf(p, " X:0");
        else p += sprintf(p, " %llx", (unsigned long long)n);
    }
    *p++ = '\n';
    csspgo__agg_bytes(s, text, (size_t)(p - text));
}

/* The lines of the text, as many as there may be, in `out` of room for them. */
static void csspgo__agg_gather(const csspgo_aggregator *t, uint32_t form, csspgo__aggregated_list *out)
{
    size_t i;
    for (i = 0; i < t->sum.count; i++) {
        if (!(form & CSSPGO_PREAGG_TRACES)) {
            csspgo__agg_split(out, &t->sum.v[i]);
            continue;
        }
        out->v[out->count] = t->sum.v[i];
        if (out->v[out->count].kind == 't') out->v[out->count].kind = 'T';
        out->count++;
    }
}

/* Sorts and joins the lines in all->v; names of events, which come first, go back to the order in which they came. */
static void csspgo__agg_arrange(csspgo__aggregated_list *all, csspgo__aggregated *spare)
{
    csspgo__aggregated *sorted = csspgo__agg_sort(all->v, spare, all->count);
    size_t events = 0;
    if (sorted != all->v && all->count != 0) memcpy(all->v, sorted, all->count * sizeof *sorted);
    all->count = csspgo__agg_join(all->v, all->count);
    for (; events < all->count && all->v[events].kind == 'E'; events++) all->v[events].from = 0;
    sorted = csspgo__agg_sort(all->v, spare, events);
    if (sorted != all->v) memcpy(all->v, sorted, events * sizeof *sorted);
}

/* Names of events, then sums; mispredictions stand behind their branch. What it needs meanwhile is not limited. */
static csspgo_status csspgo__agg_write(const csspgo_aggregator *t, uint32_t form, csspgo__agg_sink *s)
{
    csspgo__aggregated_list all = { NULL, 0, 2 * t->sum.count + 1 };
    const size_t bytes = all.cap * sizeof *all.v;
    csspgo__aggregated *spare = NULL;
    size_t i;
    if (t->sum.count > SIZE_MAX / (3 * sizeof *all.v)) return CSSPGO_E_LIMIT;
    all.v = (csspgo__aggregated *)t->a.alloc_fn(t->a.ctx, bytes);
    if (all.v != NULL) spare = (csspgo__aggregated *)t->a.alloc_fn(t->a.ctx, bytes);
    if (spare != NULL) {
        csspgo__agg_gather(t, form, &all);
        csspgo__agg_arrange(&all, spare);
        t->a.free_fn(t->a.ctx, spare, bytes);
    } else all.count = 0;
    for (i = 0; i < all.count; i++) {
        const csspgo__aggregated *v = &all.v[i], *m = i + 1 < all.count ? v + 1 : v;
        const int own = m->kind == 'M' && m->from == v->from && m->to == v->to;
        if (v->kind == 'E') {
            csspgo__agg_bytes(s, "E ", 2);
            csspgo__agg_bytes(s, t->text + v->end, (size_t)v->count);
            csspgo__agg_bytes(s, "\n", 1);
        } else if (v->kind != 'M') {
            csspgo__agg_put_line(s, v, !own ? 0 : m->count < v->count ? m->count : v->count);
        }
    }
    if (all.v != NULL) t->a.free_fn(t->a.ctx, all.v, bytes);
    return spare != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
}

CSSPGO_DEF csspgo_status csspgo_write_preagg(const csspgo_aggregator *t, uint32_t form, void *buf, size_t cap,
                                             size_t *size, csspgo_error *err)
{
    csspgo__agg_sink s;
    csspgo_status status;
    memset(&s, 0, sizeof s);
    s.buf = (unsigned char *)buf;
    s.cap = buf != NULL ? cap : 0;
    status = csspgo__agg_write(t, form, &s);
    if (status == CSSPGO_OK && s.total > SIZE_MAX) status = CSSPGO_E_LIMIT;
    if (size != NULL) *size = status == CSSPGO_OK ? (size_t)s.total : 0;
    if (status == CSSPGO_OK && buf != NULL && s.total > cap)
        return csspgo__agg_error(err, CSSPGO_E_SHORT, cap, "the buffer has room for %llu of %llu bytes",
                                 (unsigned long long)cap, (unsigned long long)s.total);
    return csspgo__agg_plain(err, status);
}

#ifndef CSSPGO_NO_STDIO
/* Makes a file. *memory: 1 if memory is exhausted, which POSIX tells from other reasons; some allocators do not. */
static FILE *csspgo__agg_create(const char *path, int *memory)
{
    const int before = errno;
    FILE *f;
    errno = ENOMEM;
    f = fopen(path, "wb");
#if defined(__unix__) || defined(__APPLE__)
    *memory = f == NULL && errno == ENOMEM;
#else
    *memory = 0;
#endif
    if (f != NULL) errno = before;
    return f;
}

CSSPGO_DEF csspgo_status csspgo_write_preagg_file(const csspgo_aggregator *t, const char *path, uint32_t form,
                                                  csspgo_error *err)
{
    unsigned char buf[4096];
    char quoted[256];
    csspgo__agg_sink s;
    csspgo_status status;
    int memory;
    memset(&s, 0, sizeof s);
    s.buf = buf;
    s.cap = sizeof buf;
    s.file = csspgo__agg_create(path, &memory);
    if (memory) return csspgo__agg_plain(err, CSSPGO_E_NOMEM);
    if (s.file != NULL) {
        setvbuf(s.file, NULL, _IONBF, 0);
        status = csspgo__agg_write(t, form, &s);
        csspgo__agg_flush(&s);
        if (fclose(s.file) != 0) s.bad = 1;
        if (status != CSSPGO_OK || !s.bad) return csspgo__agg_plain(err, status);
    }
    return csspgo__agg_error(err, CSSPGO_E_IO, 0, "cannot write %s", csspgo__agg_quote(quoted, path));
}
#endif

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_PREAGG_WRITE_IMPLEMENTATION */
