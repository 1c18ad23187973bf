/* pprof.h - reads profiles of pprof, plain or compressed with gzip, as samples for csspgo.h
 *
 * In ONE source file, behind csspgo.h:          Elsewhere:
 *     #define CSSPGO_WITH_PERF                      #define CSSPGO_WITH_PERF
 *     #include "csspgo.h"                           #include "csspgo.h"
 *     #define CSSPGO_PPROF_IMPLEMENTATION           #include "pprof.h"
 *     #include "pprof.h"
 *
 * With CSSPGO_USE_ZLIB (link zlib) it also reads what is compressed, as most profiles are.
 *
 * HOW TO read a profile of pprof
 *
 *     Mappings come first: where the code map has modules, they and the samples go through csspgo_processes.
 *
 *     static int how_to_read_pprof(void)
 *     {
 *         static const char file[] = "\x22\x04\x08\x01\x18\x10\x12\x04\x08\x01\x10\x05";
 *         csspgo_error e;
 *         csspgo_pprof *d = csspgo_pprof_new(NULL, NULL, &e);  // with a code map, addresses of callers are corrected
 *         csspgo_sample sample;
 *         csspgo_mmap map;
 *         csspgo_item item;
 *         if (d == NULL) return 1;
 *
 *         csspgo_pprof_feed(d, file, sizeof file - 1, &e);     // pieces of any size, with gzip or without
 *         csspgo_pprof_end(d);
 *         while ((item = csspgo_pprof_next(d, &sample, &map, &e)) != CSSPGO_ITEM_NONE) {
 *             if (item != CSSPGO_ITEM_SAMPLE) continue;        // csspgo_processes_event(s, item, &sample, &map, &e)
 *             printf("%u samples in 0x%llx\n", (unsigned)sample.count, (unsigned long long)sample.stack[0]);
 *         }                                                    // csspgo_collector_add(c, &sample, 1, &e)
 *         csspgo_pprof_free(d);
 *         return e.status != CSSPGO_OK;
 *     }
 *
 * Memory comes from options.allocator; without one from CSSPGO_MALLOC, where that is defined, else from malloc.
 *
 * It uses only what csspgo.h shows to everyone: copy this file and change it. Part of csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_PPROF_H
#define CSSPGO_SHARE_PPROF_H

#if !defined(CSSPGO_VERSION) || !defined(CSSPGO_WITH_PERF)
#  error "include csspgo.h, with CSSPGO_WITH_PERF, before pprof.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A push parser of pprof profiles (profile.proto of google/pprof), plain or compressed with gzip: call stacks without
 * branch records, from any profiler that writes code addresses. Its use is that of csspgo_perfdata: feed pieces of any
 * size, say end, and call next until it gives CSSPGO_ITEM_NONE. Nothing comes out before the end, because a profile's
 * strings may stand behind everything else.
 *
 *   - The mappings come first, as CSSPGO_ITEM_MMAP. Everything is of one process, with pid and tid 1. Where mappings
 *     overlap, as in a profile that was merged from several processes, later ones and the addresses of their locations
 *     are moved to addresses of their own. Memory without a file stays: csspgo_processes knows what is there.
 *   - A sample is the addresses of its locations, and its value is its count. Of several values it is that of the type
 *     options.type; else of the type "samples" or "count"; else of the profile's default type; else of the first whose
 *     name begins with "cpu"; else the last one. Types that count something other than what ran (memory, locks,
 *     goroutines, threads, exceptions) are only taken if they are asked for; a profile of nothing else is refused.
 *     Values of the default type, and of the type in which sampling periods are measured, are divided by the period,
 *     rounded up; "samples" and "count" are not. Samples whose value is 0 or less are skipped.
 *   - Callers may stand with their return addresses or, as Go and gperftools write them, with addresses one less. With
 *     options.code the parser finds out from the first 1000 callers in known code, and corrects such addresses.
 *   - A location without address (of names alone) ends its stack. Functions and lines are not looked at.
 *
 * Memory    16 bytes per byte of the unpacked profile (6, of strings), which may have 1 GiB and, compressed,
 *           limits.max_inflated bytes; 256 bytes per mapping
 * Threads   calls on different parsers may overlap, calls on one may not
 * Source    github.com/google/pprof: proto/profile.proto
 */
typedef struct csspgo_pprof csspgo_pprof;

/* All zero: the value's type by the rule above, callers as they are. */
typedef struct csspgo_pprof_options {
    const csspgo_code *code;      /* must outlive the parser                                    */
    const char *type;             /* name of a sample type, type_size bytes, copied; NULL: rule */
    size_t      type_size;
} csspgo_pprof_options;

typedef struct csspgo_pprof_stats {
    uint64_t samples;             /* handed out                                                       */
    uint64_t not_positive;        /* skipped: their value is 0 or less                                */
    uint64_t no_address;          /* skipped: their innermost location has no address                 */
    uint64_t cut_stacks;          /* cut at a caller without address, or to 512 frames                */
    uint64_t mappings, locations;
    uint64_t moved_mappings;      /* they overlap others                                              */
    uint64_t unpacked;            /* bytes                                                            */
    uint64_t period;              /* what values are divided by                                       */
    uint32_t call_addresses;      /* 1: callers are one less than return addresses, and are corrected */
    uint32_t type_size;           /* bytes of type                                                    */
    char     type[64];            /* the name of the type of value that counts, cut to so many bytes  */
} csspgo_pprof_stats;

/*
 * Makes a parser.
 *
 *   how       NULL = defaults; copied
 *   options   memory and limits, NULL = defaults
 *   err       NULL, or filled in every case
 *
 * Returns   the parser, for csspgo_pprof_free; NULL: E_NOMEM, E_LIMIT, E_ARGUMENT
 */
CSSPGO_DEF csspgo_pprof *csspgo_pprof_new(const csspgo_pprof_options *how, const csspgo_options *options,
                                          csspgo_error *err);

/* Frees a parser; NULL is fine. */
CSSPGO_DEF void csspgo_pprof_free(csspgo_pprof *d);

/*
 * Gives the parser its next piece.
 *
 *   data, size   size in bytes; not needed any more when the call returns
 *   err          NULL, or filled in every case
 *
 * Returns   CSSPGO_OK, also if the input has an error, which csspgo_pprof_next then tells; E_ARGUMENT, and nothing is
 *           taken, after csspgo_pprof_end
 */
CSSPGO_DEF csspgo_status csspgo_pprof_feed(csspgo_pprof *d, const void *data, size_t size, csspgo_error *err);

/* Says that no piece follows. */
CSSPGO_DEF void csspgo_pprof_end(csspgo_pprof *d);

/*
 * The next item.
 *
 *   sample, map   filled in for their kind; what they point to is valid until the next call on d
 *   err           NULL, or filled in every case; offsets count from the beginning of the unpacked profile, but those of
 *                 errors in the compression from the beginning of the input
 *
 * Returns   CSSPGO_ITEM_MMAP, _SAMPLE. CSSPGO_ITEM_NONE: more input is needed, nothing is left, or there is an error,
 *           which stays: E_SYNTAX (ids that are there twice or not at all; no address in any sample; no type of that
 *           name), E_TRUNCATED, E_RANGE, E_LIMIT, E_NOMEM, E_UNSUPPORTED (gzip, without zlib; a profile of memory,
 *           locks and so on). Items that were handed out before are good
 * Cost      O(bytes)
 */
CSSPGO_DEF csspgo_item csspgo_pprof_next(csspgo_pprof *d, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err);

/* Statistics of what was read so far. */
CSSPGO_DEF csspgo_pprof_stats csspgo_pprof_get_stats(const csspgo_pprof *d);

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_PPROF_H */

/* ===== implementation ============================================================================================= */

#if defined(CSSPGO_PPROF_IMPLEMENTATION) && !defined(CSSPGO_PPROF_IMPLEMENTATION_INCLUDED)
#define CSSPGO_PPROF_IMPLEMENTATION_INCLUDED

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A growable array: count elements, room for cap. All zero: empty. */
#define CSSPGO__PPROF_LIST(type) struct { type *v; size_t count, cap; }

enum {                            /* numbers of fields */
    CSSPGO__PROFILE_TYPE = 1, CSSPGO__PROFILE_SAMPLE = 2, CSSPGO__PROFILE_MAPPING = 3, CSSPGO__PROFILE_LOCATION = 4,
    CSSPGO__PROFILE_STRING = 6, CSSPGO__PROFILE_PERIOD_TYPE = 11, CSSPGO__PROFILE_PERIOD = 12,
    CSSPGO__PROFILE_DEFAULT_TYPE = 14
};
enum {                            /* csspgo_pprof.state */
    CSSPGO__PPROF_START = 0, CSSPGO__PPROF_PLAIN = 1, CSSPGO__PPROF_GZIP = 2, CSSPGO__PPROF_MAPPINGS = 3,
    CSSPGO__PPROF_SAMPLES = 4
};
enum { CSSPGO__PPROF_FRAMES = 512, CSSPGO__PPROF_LOOKED_AT = 1000, CSSPGO__PPROF_MOST = 1 << 30 };

typedef struct csspgo__pprof_bytes {   /* what is left of a message, all of it inside csspgo_pprof.in */
    const unsigned char *p, *end;
} csspgo__pprof_bytes;

/* A field of a protobuf message: number and wire type, and the bytes behind its tag (and size). */
typedef struct csspgo__pprof_field {
    uint32_t number, wire;
    uint64_t value;               /* wire type 0                                          */
    csspgo__pprof_bytes bytes;    /* wire type 0: those of the number; 2: the content     */
} csspgo__pprof_field;

enum {                            /* wire types */
    CSSPGO__PPROF_NUMBER = 0, CSSPGO__PPROF_64 = 1, CSSPGO__PPROF_BYTES = 2, CSSPGO__PPROF_32 = 5
};

typedef struct csspgo__pprof_id { /* what a mapping or location begins with                   */
    uint64_t id;
    uint32_t end;                 /* of its message: an offset in the profile                 */
    uint32_t module;              /* of a mapping: where the code map has it; 0: not known    */
} csspgo__pprof_id;

typedef struct csspgo__pprof_mapping {
    csspgo__pprof_id id;
    uint64_t begin, end, offset;
    uint64_t path, build_id;      /* numbers of strings                                       */
    uint64_t moved;               /* what is added to addresses                               */
    uint64_t shift;               /* address in the code map - run-time address, in a module  */
    uint32_t unsized, reserved;   /* unsized: 1: it does not say where it ends                */
} csspgo__pprof_mapping;

typedef struct csspgo__pprof_location {
    csspgo__pprof_id id;
    uint64_t address;
    uint64_t mapping;             /* its id; once all are known its number from 1; 0: none */
} csspgo__pprof_location;

/* Elements by id. Ids are 1, 2, 3 and so on in what most writers make: that needs no table. */
typedef struct csspgo__pprof_index {
    uint32_t *by_id;              /* `count` indices of elements, ascending by id; NULL: the ids are 1 to count */
    size_t    count;
} csspgo__pprof_index;

struct csspgo_pprof {
    csspgo_allocator a;
    uint64_t       used, most;    /* bytes that it has, and may have                    */
    uint64_t       max_inflated;
    csspgo_status  why;           /* of the last allocation that failed                 */
    const csspgo_code *code;
    CSSPGO__PPROF_LIST(unsigned char) in;           /* the unpacked profile             */
    CSSPGO__PPROF_LIST(char) type;                  /* the name that was asked for      */
    CSSPGO__PPROF_LIST(uint32_t) string;   /* where they begin in `in`, with their sizes: 1 GiB at most */
    CSSPGO__PPROF_LIST(uint64_t) types;             /* names of the values of a sample  */
    CSSPGO__PPROF_LIST(csspgo__pprof_mapping) mapping;
    CSSPGO__PPROF_LIST(csspgo__pprof_location) location;
    csspgo__pprof_index by_mapping, by_location;    /* ids                              */
    csspgo__pprof_bytes r;        /* of in: behind the last sample                      */
    uint64_t       fed;
    uint64_t       period, period_type, default_type;
    uint64_t       value;         /* number of the value that counts                    */
    size_t         next;          /* mapping to hand out                                */
    uint32_t       state, ended;
    uint64_t       frame[CSSPGO__PPROF_FRAMES];
    unsigned char  build_id[20];
    csspgo_error   error;         /* sticky                                             */
    csspgo_pprof_stats stats;
#ifdef CSSPGO_USE_ZLIB
    z_stream       z;
    uint32_t       inflating, inside;   /* z is to be ended; inside: a member has begun  */
#endif
};

/* ----- errors ----- */

/* Fills an error in. Returns its status. */
static csspgo_status csspgo__pprof_error(csspgo_error *err, csspgo_status status, uint64_t offset, const char *form,
                                         ...)
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

/* What is wrong with the profile; the first failure wins. Returns 0. */
static int csspgo__pprof_fail(csspgo_pprof *d, csspgo_status status, uint64_t at, const char *text)
{
    if (d->error.status == CSSPGO_OK) csspgo__pprof_error(&d->error, status, at, "%s", text);
    return 0;
}

/* The same with a number, where p points to. */
static int csspgo__pprof_fail_number(csspgo_pprof *d, csspgo_status status, const unsigned char *p, const char *text,
                                     uint64_t number)
{
    if (d->error.status == CSSPGO_OK)
        csspgo__pprof_error(&d->error, status, (uint64_t)(p - d->in.v), "%s%llu", text, (unsigned long long)number);
    return 0;
}

static int csspgo__pprof_memory(csspgo_pprof *d)
{
    return csspgo__pprof_fail(d, d->why, d->in.count, csspgo_status_text(d->why));
}

/* At most 60 bytes of the input in quotes. Bytes that are no printable ASCII are escaped. `to` has room for 256. */
static const char *csspgo__pprof_quote(char *to, const char *text, size_t size)
{
    const size_t shown = size > 60 ? 57 : size;
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

/* ----- memory ----- */

static void *csspgo__pprof_malloc(void *ctx, size_t size)
{
    (void)ctx;
#ifdef CSSPGO_MALLOC
    return CSSPGO_MALLOC(size);
#else
    return malloc(size);
#endif
}

static void csspgo__pprof_mfree(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
#ifdef CSSPGO_FREE
    CSSPGO_FREE(p);
#else
    free(p);
#endif
}

/* Memory that counts. NULL: d->why says why. */
static void *csspgo__pprof_alloc(csspgo_pprof *d, size_t size)
{
    void *p;
    d->why = CSSPGO_E_LIMIT;
    if (d->used > d->most || size > d->most - d->used) return NULL;
    d->why = CSSPGO_E_NOMEM;
    p = d->a.alloc_fn(d->a.ctx, size);
    if (p != NULL) d->used += size;
    return p;
}

static void csspgo__pprof_release(csspgo_pprof *d, void *p, size_t size)
{
    if (p == NULL) return;
    d->used -= size;
    d->a.free_fn(d->a.ctx, p, size);
}

/* For CSSPGO__PPROF_ROOM. array: the address of the pointer to *cap elements, of which count are in use. */
static int csspgo__pprof_room(csspgo_pprof *d, void *array, size_t count, size_t *cap, size_t more, size_t element)
{
    size_t n = *cap + *cap / 2 > 8 ? *cap + *cap / 2 : 8;
    void *p, *old;
    d->why = CSSPGO_E_LIMIT;
    if (more > SIZE_MAX / element - count) return 0;
    if (n < count + more) n = count + more;
    memcpy(&old, array, sizeof old);
    if (old != NULL && count + more <= *cap) return 1;
    if (n > SIZE_MAX / element) return 0;
    p = csspgo__pprof_alloc(d, n * element);
    if (p == NULL) return 0;
    if (count != 0) memcpy(p, old, count * element);
    csspgo__pprof_release(d, old, *cap * element);
    memcpy(array, &p, sizeof p);
    *cap = n;
    return 1;
}

/* Makes room for n more elements of a list, whose v is then not NULL. 0: d->why says why not. */
#define CSSPGO__PPROF_ROOM(d, l, n) csspgo__pprof_room((d), &(l).v, (l).count, &(l).cap, (n), sizeof *(l).v)
#define CSSPGO__PPROF_DROP(d, l) csspgo__pprof_release((d), (l).v, (l).cap * sizeof *(l).v)

/* What options make of a parser; E_ARGUMENT, or CSSPGO_OK. */
static csspgo_status csspgo__pprof_options(csspgo_pprof *d, const csspgo_options *o, csspgo_error *err)
{
    memset(d, 0, sizeof *d);
    if (o != NULL && o->llvm != 0 && o->llvm != 19)
        return csspgo__pprof_error(err, CSSPGO_E_ARGUMENT, 0,
                                   "csspgo_pprof_new: csspgo_options.llvm must be 0 or 19");
    if (o != NULL && (o->allocator.alloc_fn == NULL) != (o->allocator.free_fn == NULL))
        return csspgo__pprof_error(err, CSSPGO_E_ARGUMENT, 0,
                                   "csspgo_pprof_new: an allocator needs both alloc_fn and free_fn");
    if (o != NULL) d->a = o->allocator;
    if (d->a.alloc_fn == NULL) {
        d->a.alloc_fn = csspgo__pprof_malloc;
        d->a.free_fn = csspgo__pprof_mfree;
    }
    d->most = o != NULL && o->limits.max_bytes != 0 ? o->limits.max_bytes : (uint64_t)1 << 34;
    d->max_inflated = o != NULL ? o->limits.max_inflated : 0;
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_pprof *csspgo_pprof_new(const csspgo_pprof_options *how, const csspgo_options *options,
                                          csspgo_error *err)
{
    csspgo_pprof made, *d;
    if (err != NULL) memset(err, 0, sizeof *err);
    if (csspgo__pprof_options(&made, options, err) != CSSPGO_OK) return NULL;
    d = (csspgo_pprof *)csspgo__pprof_alloc(&made, sizeof *d);
    if (d == NULL) {
        csspgo__pprof_error(err, made.why, 0, "%s", csspgo_status_text(made.why));
        return NULL;
    }
    *d = made;
    if (how == NULL) return d;
    d->code = how->code;
    if (how->type == NULL) return d;
    if (CSSPGO__PPROF_ROOM(d, d->type, how->type_size)) {
        if (how->type_size != 0) memcpy(d->type.v, how->type, how->type_size);
        d->type.count = how->type_size;
        return d;
    }
    csspgo__pprof_error(err, d->why, 0, "%s", csspgo_status_text(d->why));
    csspgo_pprof_free(d);
    return NULL;
}

CSSPGO_DEF void csspgo_pprof_free(csspgo_pprof *d)
{
    if (d == NULL) return;
#ifdef CSSPGO_USE_ZLIB
    if (d->inflating) inflateEnd(&d->z);
#endif
    CSSPGO__PPROF_DROP(d, d->in);
    CSSPGO__PPROF_DROP(d, d->type);
    CSSPGO__PPROF_DROP(d, d->string);
    CSSPGO__PPROF_DROP(d, d->types);
    CSSPGO__PPROF_DROP(d, d->mapping);
    CSSPGO__PPROF_DROP(d, d->location);
    csspgo__pprof_release(d, d->by_mapping.by_id, d->by_mapping.count * sizeof *d->by_mapping.by_id);
    csspgo__pprof_release(d, d->by_location.by_id, d->by_location.count * sizeof *d->by_location.by_id);
    d->a.free_fn(d->a.ctx, d, sizeof *d);
}

/* ----- input ----- */

/* How many bytes the unpacked profile may have. */
static uint64_t csspgo__pprof_limit(const csspgo_pprof *d)
{
    const uint64_t rule = d->fed < CSSPGO__PPROF_MOST ? 64 * d->fed + (8u << 20) : UINT64_MAX;
    const uint64_t asked = d->max_inflated != 0 ? d->max_inflated : rule;
    const uint64_t most = d->state == CSSPGO__PPROF_PLAIN ? UINT64_MAX : asked;
    return most < (uint64_t)CSSPGO__PPROF_MOST ? most : (uint64_t)CSSPGO__PPROF_MOST;
}

static int csspgo__pprof_full(csspgo_pprof *d)
{
    return csspgo__pprof_fail(d, CSSPGO_E_LIMIT, d->in.count,
                              d->state == CSSPGO__PPROF_PLAIN ? "a profile above 1 GiB"
                                                              : "the profile unpacks to more than limits.max_inflated");
}

#ifdef CSSPGO_USE_ZLIB
/* zlib's memory counts, too; it does not say the size of what it frees, which is kept in front. */
static void *csspgo__pprof_z_alloc(void *ctx, unsigned items, unsigned size)
{
    const uint64_t bytes = (uint64_t)items * size + 16;
    unsigned char *p = NULL;
    if (bytes <= SIZE_MAX) p = (unsigned char *)csspgo__pprof_alloc((csspgo_pprof *)ctx, (size_t)bytes);
    if (p == NULL) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    return p + 16;
}

static void csspgo__pprof_z_free(void *ctx, void *address)
{
    unsigned char *p = (unsigned char *)address - 16;
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    csspgo__pprof_release((csspgo_pprof *)ctx, p, (size_t)bytes);
}

/* One call of inflate, from the *n bytes at *p to what there is room for below `most`. zlib counts in 32 bits. */
static int csspgo__pprof_z_step(csspgo_pprof *d, const unsigned char **p, size_t *n, size_t most)
{
    const size_t piece = 1u << 30, fed = *n < piece ? *n : piece;
    const size_t left = (d->in.cap < most ? d->in.cap : most) - d->in.count, room = left < piece ? left : piece;
    int s;
    memcpy(&d->z.next_in, p, sizeof *p);              /* zlib's input is not const */
    d->z.avail_in = (uInt)fed;
    d->z.next_out = d->in.v + d->in.count;
    d->z.avail_out = (uInt)room;
    s = inflate(&d->z, Z_NO_FLUSH);
    d->in.count += room - d->z.avail_out;
    *p += fed - d->z.avail_in;
    *n -= fed - d->z.avail_in;
    return s;
}

/* Unpacks a piece. One gzip member may follow another. */
static int csspgo__pprof_inflate(csspgo_pprof *d, const unsigned char *p, size_t size)
{
    int s = Z_OK;
    if (!d->inflating) {
        d->z.zalloc = csspgo__pprof_z_alloc;
        d->z.zfree = csspgo__pprof_z_free;
        d->z.opaque = d;
        if (inflateInit2(&d->z, 15 + 16) != Z_OK) return csspgo__pprof_memory(d);
        d->inflating = 1;
    }
    while (size != 0 || d->z.avail_out == 0) {
        const size_t most = (size_t)csspgo__pprof_limit(d) + 1;
        if (d->in.count >= most) return csspgo__pprof_full(d);
        if (!CSSPGO__PPROF_ROOM(d, d->in, 4096)) return csspgo__pprof_memory(d);
        if (size != 0) d->inside = 1;
        s = csspgo__pprof_z_step(d, &p, &size, most);
        if (s == Z_STREAM_END) {
            d->inside = 0;
            s = inflateReset(&d->z);
            d->z.avail_out = 1;                       /* nothing is left in it */
        }
        if (s == Z_MEM_ERROR) return csspgo__pprof_memory(d);
        if (s == Z_BUF_ERROR) break;                  /* nothing more comes of what there is */
        if (s != Z_OK)
            return csspgo__pprof_fail(d, CSSPGO_E_SYNTAX, d->fed - size, "the profile's gzip data is damaged");
    }
    return d->in.count <= csspgo__pprof_limit(d) || csspgo__pprof_full(d);
}
#endif

/* Takes a piece that is known to be plain or packed. */
static int csspgo__pprof_take(csspgo_pprof *d, const unsigned char *p, size_t size)
{
    if (d->state == CSSPGO__PPROF_GZIP) {
#ifdef CSSPGO_USE_ZLIB
        return csspgo__pprof_inflate(d, p, size);
#else
        return csspgo__pprof_fail(d, CSSPGO_E_UNSUPPORTED, 0, "the profile is compressed with gzip, and zlib support "
                                                              "(CSSPGO_USE_ZLIB) is left out: gunzip it");
#endif
    }
    if (size > csspgo__pprof_limit(d) - d->in.count) return csspgo__pprof_full(d);
    if (!CSSPGO__PPROF_ROOM(d, d->in, size)) return csspgo__pprof_memory(d);
    if (size != 0) memcpy(d->in.v + d->in.count, p, size);
    d->in.count += size;
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_pprof_feed(csspgo_pprof *d, const void *data, size_t size, csspgo_error *err)
{
    const unsigned char *const p = (const unsigned char *)data;
    if (d->ended)
        return csspgo__pprof_error(err, CSSPGO_E_ARGUMENT, 0,
                                   "csspgo_pprof_feed: the end of the input was said already");
    if (err != NULL) memset(err, 0, sizeof *err);
    if (size == 0 || d->error.status != CSSPGO_OK) return CSSPGO_OK;
    d->fed = d->fed < UINT64_MAX - size ? d->fed + size : UINT64_MAX;
    /* gzip begins with 1f 8b; no profile with 1f: that would be field 3 of no wire type */
    if (d->state == CSSPGO__PPROF_START) d->state = *p == 0x1f ? CSSPGO__PPROF_GZIP : CSSPGO__PPROF_PLAIN;
    csspgo__pprof_take(d, p, size);
    return CSSPGO_OK;
}

CSSPGO_DEF void csspgo_pprof_end(csspgo_pprof *d)
{
    d->ended = 1;
}

/* ----- messages ----- */

/* A ULEB128 number of at most 32 bytes; padding is taken. 0 if something is wrong: d->error. */
static uint64_t csspgo__pprof_uleb(csspgo_pprof *d, csspgo__pprof_bytes *r)
{
    const unsigned char *const start = r->p;
    uint64_t v = 0;
    unsigned shift, byte = 128;
    for (shift = 0; byte & 128; shift += 7) {
        if (shift == 32 * 7 || r->p == r->end) break;
        byte = *r->p++;
        if (shift < 64) v |= (uint64_t)(byte & 127) << shift;
        if ((shift > 63 ? byte & 127 : shift == 63 ? byte & 126 : 0) == 0) continue;
        csspgo__pprof_fail(d, CSSPGO_E_RANGE, (uint64_t)(start - d->in.v), "a LEB128 number does not fit 64 bits");
        return 0;
    }
    if (!(byte & 128)) return v;
    if (shift == 32 * 7)
        csspgo__pprof_fail(d, CSSPGO_E_RANGE, (uint64_t)(start - d->in.v), "a LEB128 number is longer than 32 bytes");
    else csspgo__pprof_fail(d, CSSPGO_E_TRUNCATED, (uint64_t)(r->p - d->in.v), "input ends inside a field");
    return 0;
}

/* Reads the next field of a message. Returns 0 at its end, or if something is wrong: d->error. */
static int csspgo__pprof_next_field(csspgo_pprof *d, csspgo__pprof_bytes *r, csspgo__pprof_field *f)
{
    const unsigned char *const start = r->p;
    uint64_t tag, size;
    if (d->error.status != CSSPGO_OK || r->p == r->end) return 0;
    tag = csspgo__pprof_uleb(d, r);
    f->number = tag >> 3 <= UINT32_MAX ? (uint32_t)(tag >> 3) : 0;
    f->wire = (uint32_t)(tag & 7);
    f->value = 0;
    f->bytes = *r;
    if (d->error.status != CSSPGO_OK) return 0;
    if (f->number == 0)
        return csspgo__pprof_fail(d, CSSPGO_E_SYNTAX, (uint64_t)(start - d->in.v),
                                  "a field with an impossible number");
    switch (f->wire) {
    case CSSPGO__PPROF_NUMBER:
        f->value = csspgo__pprof_uleb(d, r);
        size = (uint64_t)(r->p - f->bytes.p);
        break;
    case CSSPGO__PPROF_BYTES:
        size = csspgo__pprof_uleb(d, r);
        f->bytes.p = r->p;
        break;
    case CSSPGO__PPROF_64: size = 8; break;
    case CSSPGO__PPROF_32: size = 4; break;
    default: return csspgo__pprof_fail_number(d, CSSPGO_E_SYNTAX, start, "a field of unknown wire type ", f->wire);
    }
    if (d->error.status != CSSPGO_OK) return 0;
    if (size > (uint64_t)(r->end - f->bytes.p))
        return csspgo__pprof_fail(d, CSSPGO_E_TRUNCATED, (uint64_t)(start - d->in.v),
                                  "a field is longer than what it stands in");
    r->p = f->bytes.end = f->bytes.p + (size_t)size;
    return 1;
}

/*
 * The numbers in a message by their fields, which are below n: of each the last one, or 0 where the message has none.
 * Returns 0 if something is wrong.
 */
static int csspgo__pprof_numbers(csspgo_pprof *d, csspgo__pprof_bytes r, uint64_t *v, uint32_t n)
{
    csspgo__pprof_field f;
    memset(v, 0, n * sizeof *v);
    while (csspgo__pprof_next_field(d, &r, &f))
        if (f.wire == CSSPGO__PPROF_NUMBER && f.number < n) v[f.number] = f.value;
    return d->error.status == CSSPGO_OK;
}

/* ----- elements by number ----- */

/* A number in an element of an array whose elements are `stride` bytes apart. */
static uint64_t csspgo__pprof_key(const void *keys, size_t stride, size_t i)
{
    uint64_t key;
    memcpy(&key, (const char *)keys + i * stride, sizeof key);
    return key;
}

/* Merge sort from the bottom up: the indices 0 to n - 1 by their keys, of equal keys ascending. spare: n elements. */
static uint32_t *csspgo__pprof_sort(uint32_t *v, uint32_t *spare, size_t n, const void *keys, size_t stride)
{
    size_t width, at;
    for (at = 0; at < n; at++) v[at] = (uint32_t)at;
    for (width = 1; width < n; width *= 2) {
        uint32_t *const from = v;
        for (at = 0; at < n; at += 2 * width) {
            const size_t middle = n - at < width ? n : at + width, end = n - at < 2 * width ? n : at + 2 * width;
            size_t i = at, j = middle, k;
            for (k = at; k < end; k++) {
                const int right = i == middle || (j < end && csspgo__pprof_key(keys, stride, from[j]) <
                                                                 csspgo__pprof_key(keys, stride, from[i]));
                spare[k] = right ? from[j++] : from[i++];
            }
        }
        v = spare;
        spare = from;
    }
    return v;
}

/* The indices of n elements, n > 0, by a key; for csspgo__pprof_release. NULL when memory is exhausted. */
static uint32_t *csspgo__pprof_order(csspgo_pprof *d, size_t n, const void *keys, size_t stride)
{
    uint32_t *v = (uint32_t *)csspgo__pprof_alloc(d, n * sizeof *v), *sorted = NULL;
    uint32_t *spare = v != NULL ? (uint32_t *)csspgo__pprof_alloc(d, n * sizeof *v) : NULL;
    if (spare != NULL) sorted = csspgo__pprof_sort(v, spare, n, keys, stride);
    csspgo__pprof_release(d, sorted == spare ? v : spare, n * sizeof *v);
    return sorted;
}

/*
 * Makes the index of the count elements at v. *twice gets the first one whose id was there before, if it ends before
 * *twice does. Returns 0 when memory is exhausted.
 */
static int csspgo__pprof_index_ids(csspgo_pprof *d, csspgo__pprof_index *x, const void *v, size_t stride, size_t count,
                                   const csspgo__pprof_id **twice)
{
    size_t i;
    x->count = count;
    for (i = 0; i < count && csspgo__pprof_key(v, stride, i) == i + 1; i++) {}
    if (i == count) return 1;
    x->by_id = csspgo__pprof_order(d, count, v, stride);
    if (x->by_id == NULL) return csspgo__pprof_memory(d);
    for (i = 1; i < count; i++) {
        const csspgo__pprof_id *e = (const csspgo__pprof_id *)(const void *)((const char *)v + x->by_id[i] * stride);
        if (e->id != csspgo__pprof_key(v, stride, x->by_id[i - 1])) continue;
        if (*twice == NULL || e->end < (*twice)->end) *twice = e;
    }
    return 1;
}

/* The number of an element, from 1 on, by its id; 0 if it is not there. */
static uint32_t csspgo__pprof_find(const csspgo__pprof_index *x, const void *v, size_t stride, uint64_t id)
{
    size_t low = 0, high = x->count;
    if (x->by_id == NULL) return id != 0 && id <= x->count ? (uint32_t)id : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (csspgo__pprof_key(v, stride, x->by_id[middle]) < id) low = middle + 1;
        else high = middle;
    }
    return low < x->count && csspgo__pprof_key(v, stride, x->by_id[low]) == id ? x->by_id[low] + 1 : 0;
}

/* ----- tables ----- */

/* Where the size and the bytes of a field begin. */
static uint32_t csspgo__pprof_place(const csspgo_pprof *d, const csspgo__pprof_field *f)
{
    const unsigned char *p = f->bytes.p - 1;      /* the last byte of its size, the only one without the bit for more */
    while (p[-1] & 0x80) p--;
    return (uint32_t)(p - d->in.v);
}

/* The text of a string. */
static const char *csspgo__pprof_string(const csspgo_pprof *d, uint64_t number, size_t *size)
{
    const unsigned char *p;
    uint64_t n = 0;
    unsigned shift = 0;
    *size = 0;
    if (number >= d->string.count) return "";
    p = d->in.v + d->string.v[(size_t)number];
    do {                                          /* it is sound, and fits: all was read before */
        if (shift < 63) n |= (uint64_t)(*p & 127) << shift;
        shift += 7;
    } while (*p++ & 128);
    *size = (size_t)n;
    return (const char *)p;
}

/* Counts the fields of each kind, so that the large tables need not grow. */
static int csspgo__pprof_measure(csspgo_pprof *d)
{
    csspgo__pprof_bytes r = d->r;
    csspgo__pprof_field f;
    size_t strings = 0, mappings = 0, locations = 0;
    while (csspgo__pprof_next_field(d, &r, &f)) {
        strings += f.number == CSSPGO__PROFILE_STRING;
        mappings += f.number == CSSPGO__PROFILE_MAPPING;
        locations += f.number == CSSPGO__PROFILE_LOCATION;
    }
    if (d->error.status != CSSPGO_OK) return 0;
    if (locations > 1 << 24 || mappings > 1 << 24)
        return csspgo__pprof_fail(d, CSSPGO_E_LIMIT, 0, "more than 2^24 locations or mappings");
    return (CSSPGO__PPROF_ROOM(d, d->string, strings) && CSSPGO__PPROF_ROOM(d, d->mapping, mappings) &&
            CSSPGO__PPROF_ROOM(d, d->location, locations)) || csspgo__pprof_memory(d);
}

/* Begins an element with its id. Returns 0 if that is none. */
static int csspgo__pprof_begin_id(csspgo_pprof *d, csspgo__pprof_id *e, uint64_t id, const csspgo__pprof_bytes *r,
                                  const char *text)
{
    e->id = id;
    e->end = (uint32_t)(r->end - d->in.v);
    return id != 0 || csspgo__pprof_fail_number(d, CSSPGO_E_SYNTAX, r->end, text, 0);
}

#define CSSPGO__PPROF_BAD_MAPPING "a mapping's id is 0 or there twice: "
#define CSSPGO__PPROF_BAD_LOCATION "a location's id is 0 or there twice: "

/* Mapping: id, start, limit, file offset, file name, build id. */
static int csspgo__pprof_mapping_read(csspgo_pprof *d, csspgo__pprof_bytes r)
{
    csspgo__pprof_mapping m;
    uint64_t v[7];
    if (!csspgo__pprof_numbers(d, r, v, 7)) return 0;
    memset(&m, 0, sizeof m);
    m.begin = v[2];
    m.unsized = v[3] <= v[2];
    m.end = m.unsized ? v[2] : v[3];
    m.offset = v[4];
    m.path = v[5];
    m.build_id = v[6];
    if (!csspgo__pprof_begin_id(d, &m.id, v[1], &r, CSSPGO__PPROF_BAD_MAPPING)) return 0;
    d->mapping.v[d->mapping.count++] = m;             /* has room */
    return 1;
}

/* Location: id, mapping id, address. */
static int csspgo__pprof_location_read(csspgo_pprof *d, csspgo__pprof_bytes r)
{
    csspgo__pprof_location l;
    uint64_t v[4];
    if (!csspgo__pprof_numbers(d, r, v, 4)) return 0;
    memset(&l, 0, sizeof l);
    l.mapping = v[2];
    l.address = v[3];
    if (!csspgo__pprof_begin_id(d, &l.id, v[1], &r, CSSPGO__PPROF_BAD_LOCATION)) return 0;
    d->location.v[d->location.count++] = l;           /* has room */
    return 1;
}

/* The name of a type: a ValueType's first field, the number of a string. */
static int csspgo__pprof_type_read(csspgo_pprof *d, csspgo__pprof_bytes r, uint64_t *name)
{
    uint64_t v[2];
    const int ok = csspgo__pprof_numbers(d, r, v, 2);
    *name = v[1];
    return ok;
}

/* Fills the tables; d->r stays at the beginning. */
static void csspgo__pprof_fill(csspgo_pprof *d)
{
    csspgo__pprof_bytes r = d->r;
    csspgo__pprof_field f;
    int ok = 1;
    while (ok && csspgo__pprof_next_field(d, &r, &f)) {
        const int number = f.wire == CSSPGO__PPROF_NUMBER;
        uint64_t name;
        if (number && f.number == CSSPGO__PROFILE_PERIOD) d->period = f.value;
        if (number && f.number == CSSPGO__PROFILE_DEFAULT_TYPE) d->default_type = f.value;
        if (f.wire != CSSPGO__PPROF_BYTES) continue;
        switch (f.number) {
        case CSSPGO__PROFILE_STRING: d->string.v[d->string.count++] = csspgo__pprof_place(d, &f); break;
        case CSSPGO__PROFILE_MAPPING: ok = csspgo__pprof_mapping_read(d, f.bytes); break;
        case CSSPGO__PROFILE_LOCATION: ok = csspgo__pprof_location_read(d, f.bytes); break;
        case CSSPGO__PROFILE_TYPE:
            ok = csspgo__pprof_type_read(d, f.bytes, &name) &&
                 (CSSPGO__PPROF_ROOM(d, d->types, 1) || csspgo__pprof_memory(d));
            if (ok) d->types.v[d->types.count++] = name;
            break;
        case CSSPGO__PROFILE_PERIOD_TYPE: ok = csspgo__pprof_type_read(d, f.bytes, &d->period_type); break;
        default: break;
        }
    }
}

/*
 * Fills the tables and indexes them. That an id is there twice is seen at the end only; where the tables ended at
 * something else that is wrong, which stands behind it, the id is the first failure all the same.
 */
static int csspgo__pprof_tables(csspgo_pprof *d)
{
    const csspgo__pprof_id *mapping = NULL, *location = NULL, *twice;
    csspgo__pprof_fill(d);
    if (!csspgo__pprof_index_ids(d, &d->by_mapping, d->mapping.v, sizeof *d->mapping.v, d->mapping.count, &mapping))
        return 0;
    if (!csspgo__pprof_index_ids(d, &d->by_location, d->location.v, sizeof *d->location.v, d->location.count,
                                 &location))
        return 0;
    twice = location == NULL || (mapping != NULL && mapping->end < location->end) ? mapping : location;
    if (twice == NULL) return d->error.status == CSSPGO_OK;
    memset(&d->error, 0, sizeof d->error);
    return csspgo__pprof_fail_number(d, CSSPGO_E_SYNTAX, d->in.v + twice->end,
                                     twice == mapping ? CSSPGO__PPROF_BAD_MAPPING : CSSPGO__PPROF_BAD_LOCATION,
                                     twice->id);
}

/* 1 if string `number` is this text. */
static int csspgo__pprof_is(const csspgo_pprof *d, uint64_t number, const char *text, size_t size)
{
    size_t n;
    const char *s = csspgo__pprof_string(d, number, &n);
    return n == size && (n == 0 || memcmp(s, text, n) == 0);
}

/* 1 if two strings are equal and not empty. */
static int csspgo__pprof_same(const csspgo_pprof *d, uint64_t a, uint64_t b)
{
    size_t n;
    const char *text = csspgo__pprof_string(d, a, &n);
    return n != 0 && csspgo__pprof_is(d, b, text, n);
}

/* 1 if string `number` begins with a text. */
static int csspgo__pprof_begins(const csspgo_pprof *d, uint64_t number, const char *text)
{
    size_t n;
    const char *s = csspgo__pprof_string(d, number, &n);
    return n >= strlen(text) && memcmp(s, text, strlen(text)) == 0;
}

/*
 * What a type counts if that is not what ran; NULL: it may be that. Names are those of Go, jemalloc, V8,
 * async-profiler, Datadog and gperftools.
 */
static const char *csspgo__pprof_other(const csspgo_pprof *d, uint64_t type)
{
    static const struct { char begins[12], what[20]; } others[] = {
        { "inuse", "memory" }, { "alloc", "memory" }, { "heap", "memory" }, { "object", "memory" },
        { "space", "memory" }, { "live", "memory" }, { "bytes", "memory" }, { "contention", "waiting for locks" },
        { "delay", "waiting for locks" }, { "lock", "waiting for locks" }, { "mutex", "waiting for locks" },
        { "block", "waiting" }, { "offcpu", "waiting" }, { "off-cpu", "waiting" }, { "off_cpu", "waiting" },
        { "goroutine", "goroutines" }, { "thread", "threads" }, { "exception", "exceptions" }
    };
    size_t i;
    for (i = 0; i < sizeof others / sizeof *others; i++)
        if (csspgo__pprof_begins(d, type, others[i].begins)) return others[i].what;
    return NULL;
}

/* Refuses a profile of which no value counts: none is of the type asked for, or all are of something else. */
static int csspgo__pprof_refuse(csspgo_pprof *d)
{
    const uint64_t type = d->types.count != 0 ? d->types.v[d->types.count - 1] : 0;
    size_t n;
    const char *name = csspgo__pprof_string(d, type, &n);
    char quoted[256];
    if (d->type.v != NULL) {
        csspgo__pprof_error(&d->error, CSSPGO_E_SYNTAX, 0, "the profile has no sample type %s",
                            csspgo__pprof_quote(quoted, d->type.v, d->type.count));
        return 0;
    }
    csspgo__pprof_error(&d->error, CSSPGO_E_UNSUPPORTED, 0,
                        "a profile of %s (%s), not of what ran: give one of the CPU (Go: /debug/pprof/profile)",
                        csspgo__pprof_other(d, csspgo__pprof_other(d, type) != NULL ? type : d->period_type),
                        csspgo__pprof_quote(quoted, name, n));
    return 0;
}

enum { CSSPGO__RANK_ANY = 1, CSSPGO__RANK_CPU, CSSPGO__RANK_DEFAULT, CSSPGO__RANK_SAMPLES, CSSPGO__RANK_REQUESTED };

/* Decides which value counts, and by what it is divided. */
static int csspgo__pprof_choose(csspgo_pprof *d)
{
    uint64_t chosen = 0, best = 0;
    size_t i, n;
    const char *name;
    for (i = 0; i < d->types.count; i++) {
        const uint64_t type = d->types.v[i];
        uint64_t rank = CSSPGO__RANK_ANY;
        const int plain = csspgo__pprof_is(d, type, "samples", 7) || csspgo__pprof_is(d, type, "count", 5);
        if (d->type.v != NULL) rank = csspgo__pprof_is(d, type, d->type.v, d->type.count) ? CSSPGO__RANK_REQUESTED : 0;
        else if (plain)           /* samples of so many bytes each are not what ran */
            rank = csspgo__pprof_other(d, d->period_type) == NULL ? CSSPGO__RANK_SAMPLES : 0;
        else if (csspgo__pprof_other(d, type) != NULL) rank = 0;
        else if (csspgo__pprof_same(d, type, d->default_type)) rank = CSSPGO__RANK_DEFAULT;
        else if (csspgo__pprof_begins(d, type, "cpu")) rank = CSSPGO__RANK_CPU;
        if (rank > best || (rank == CSSPGO__RANK_ANY && best == CSSPGO__RANK_ANY)) {
            best = rank;
            chosen = type;
            d->value = i;
        }
    }
    if (best == 0 && (d->type.v != NULL || d->types.count != 0)) return csspgo__pprof_refuse(d);
    name = csspgo__pprof_string(d, chosen, &n);
    d->stats.type_size = n < sizeof d->stats.type ? (uint32_t)n : (uint32_t)sizeof d->stats.type;
    memcpy(d->stats.type, name, d->stats.type_size);
    d->stats.period = 1;
    if (d->period != 0 && d->period >> 63 == 0 &&
        (best == CSSPGO__RANK_DEFAULT ||
         (best != CSSPGO__RANK_SAMPLES && csspgo__pprof_same(d, chosen, d->period_type))))
        d->stats.period = d->period;
    return 1;
}

/* ----- mappings and addresses ----- */

/* Mappings of locations by number; those that do not say where they end do so behind their last location. */
static int csspgo__pprof_resolve(csspgo_pprof *d)
{
    size_t i;
    for (i = 0; i < d->location.count; i++) {
        csspgo__pprof_location *l = &d->location.v[i];
        csspgo__pprof_mapping *m;
        const uint32_t number = csspgo__pprof_find(&d->by_mapping, d->mapping.v, sizeof *d->mapping.v, l->mapping);
        if (l->mapping != 0 && number == 0) {
            csspgo__pprof_fail_number(d, CSSPGO_E_SYNTAX, d->in.v, "a location is in a mapping that is not there: ",
                                      l->mapping);
            return 0;
        }
        l->mapping = number;
        if (number == 0) continue;
        m = &d->mapping.v[number - 1];
        if (m->unsized && l->address >= m->end && l->address < UINT64_MAX - 1) m->end = l->address + 2;
    }
    return 1;
}

/* 1 for memory without a file: what it overlaps goes on there, see csspgo_processes. */
static int csspgo__pprof_fileless(const csspgo_pprof *d, const csspgo__pprof_mapping *m)
{
    size_t n;
    const char *const path = csspgo__pprof_string(d, m->path, &n);
    return n != 0 && csspgo_path_is_fileless(path, n);
}

/* Moves mappings of files that overlap others to where nothing is. Returns 0 when memory is exhausted. */
static int csspgo__pprof_part(csspgo_pprof *d)
{
    const size_t n = d->mapping.count;
    uint64_t end = 0, fresh = (uint64_t)1 << 62;
    uint32_t *order;
    size_t i;
    if (n == 0) return 1;
    order = csspgo__pprof_order(d, n, &d->mapping.v->begin, sizeof *d->mapping.v);
    if (order == NULL) return csspgo__pprof_memory(d);
    for (i = 0; i < n; i++) {
        csspgo__pprof_mapping *const m = &d->mapping.v[order[i]];
        const uint64_t size = m->end - m->begin;
        if (size == 0 || csspgo__pprof_fileless(d, m)) continue;
        if (m->begin >= end) {
            end = m->end;
            continue;
        }
        if (size > ((uint64_t)1 << 63) - fresh) continue;    /* nonsense, or too many of them: it stays */
        m->moved = fresh - m->begin;
        fresh += size + 4096;
        d->stats.moved_mappings++;
    }
    csspgo__pprof_release(d, order, n * sizeof *order);
    return 1;
}

/* The value of a hexadecimal digit; 16: it is none. */
static unsigned csspgo__pprof_digit(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0')
         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

/* A mapping as an event; the build id, hexadecimal in the profile, goes to the parser. */
static void csspgo__pprof_event(csspgo_pprof *d, const csspgo__pprof_mapping *m, csspgo_mmap *map)
{
    size_t n, i;
    const char *hex = csspgo__pprof_string(d, m->build_id, &n);
    memset(map, 0, sizeof *map);
    map->address = m->begin + m->moved;
    map->size = m->end - m->begin;
    map->file_offset = m->offset;
    map->path = csspgo__pprof_string(d, m->path, &map->path_size);
    map->pid = 1;
    map->executable = 1;
    for (i = 0; i + 1 < n && map->build_id_size < sizeof d->build_id; i += 2) {
        const unsigned high = csspgo__pprof_digit(hex[i]), low = csspgo__pprof_digit(hex[i + 1]);
        if (high > 15 || low > 15) break;
        d->build_id[map->build_id_size++] = (unsigned char)(high << 4 | low);
    }
    if (map->build_id_size != 0) map->build_id = d->build_id;
}

/* Where the code map has mappings: for csspgo__pprof_call. */
static void csspgo__pprof_modules(csspgo_pprof *d)
{
    size_t i;
    for (i = 0; d->code != NULL && i < d->mapping.count; i++) {
        csspgo__pprof_mapping *m = &d->mapping.v[i];
        csspgo_mmap map;
        csspgo__pprof_event(d, m, &map);
        m->id.module = csspgo_code_mapped(d->code, &map, &m->shift).id;
        m->shift += m->moved;
    }
}

/* 1 if a call ends at an address of the location plus `more`, 0 if not, -1 if it is not in known code. */
static int csspgo__pprof_call(const csspgo_pprof *d, const csspgo__pprof_location *l, uint64_t more)
{
    const csspgo__pprof_mapping *m = l->mapping != 0 ? &d->mapping.v[l->mapping - 1] : NULL;
    csspgo_code_place place;
    uint64_t at;
    if (m == NULL || m->id.module == 0) return -1;
    at = l->address + m->shift + more;
    if (!csspgo_code_find(d->code, at, &place) || place.module.id != m->id.module) return more != 0 ? 0 : -1;
    return csspgo_code_call_before(d->code, at) != 0;
}

/* The location whose id is the next number; NULL if something is wrong. */
static const csspgo__pprof_location *csspgo__pprof_next_location(csspgo_pprof *d, csspgo__pprof_bytes *r)
{
    const unsigned char *const at = r->p;
    const uint64_t id = csspgo__pprof_uleb(d, r);
    const uint32_t number = d->error.status == CSSPGO_OK
                          ? csspgo__pprof_find(&d->by_location, d->location.v, sizeof *d->location.v, id) : 0;
    if (number != 0) return &d->location.v[number - 1];
    csspgo__pprof_fail_number(d, CSSPGO_E_SYNTAX, at, "a sample has a location that is not there: ", id);
    return NULL;
}

/*
 * Looks at callers until CSSPGO__PPROF_LOOKED_AT of them are in known code: at most of them that tell, does the call
 * end one byte behind? Returns 0 if something is wrong.
 */
static int csspgo__pprof_callers(csspgo_pprof *d)
{
    csspgo__pprof_bytes r = d->r;
    csspgo__pprof_field f, g;
    uint64_t seen = 0, exact = 0, less = 0;
    while (d->code != NULL && seen < CSSPGO__PPROF_LOOKED_AT && csspgo__pprof_next_field(d, &r, &f)) {
        uint64_t n = 0;
        if (f.number != CSSPGO__PROFILE_SAMPLE || f.wire != CSSPGO__PPROF_BYTES) continue;
        while (csspgo__pprof_next_field(d, &f.bytes, &g)) {
            if (g.number != 1 || (g.wire != CSSPGO__PPROF_BYTES && g.wire != CSSPGO__PPROF_NUMBER)) continue;
            while (seen < CSSPGO__PPROF_LOOKED_AT && g.bytes.p != g.bytes.end) {
                const csspgo__pprof_location *l = csspgo__pprof_next_location(d, &g.bytes);
                const int here = l != NULL && n++ != 0 ? csspgo__pprof_call(d, l, 0) : -1;
                if (l == NULL) return 0;
                seen += here >= 0;
                exact += here > 0;
                less += here == 0 && csspgo__pprof_call(d, l, 1) > 0;
            }
        }
        if (d->error.status != CSSPGO_OK) return 0;
    }
    d->stats.call_addresses = less > exact;
    return 1;
}

/* The input is over: everything but the samples. */
static int csspgo__pprof_begin(csspgo_pprof *d)
{
#ifdef CSSPGO_USE_ZLIB
    if (d->inside) return csspgo__pprof_fail(d, CSSPGO_E_TRUNCATED, d->fed, "the profile's gzip data ends too soon");
#endif
    if (d->in.count == 0) return csspgo__pprof_fail(d, CSSPGO_E_TRUNCATED, 0, "the profile is empty");
    d->r.p = d->in.v;
    d->r.end = d->in.v + d->in.count;
    if (!csspgo__pprof_measure(d) || !csspgo__pprof_tables(d) || !csspgo__pprof_choose(d) ||
        !csspgo__pprof_resolve(d) || !csspgo__pprof_part(d))
        return 0;
    csspgo__pprof_modules(d);
    if (!csspgo__pprof_callers(d)) return 0;
    d->stats.mappings = d->mapping.count;
    d->stats.locations = d->location.count;
    d->stats.unpacked = d->in.count;
    d->state = CSSPGO__PPROF_MAPPINGS;
    return 1;
}

/* ----- samples ----- */

/* The address of a location in a stack; caller: it is not innermost. */
static uint64_t csspgo__pprof_address(const csspgo_pprof *d, const csspgo__pprof_location *l, int caller)
{
    const uint64_t moved = l->mapping != 0 ? d->mapping.v[l->mapping - 1].moved : 0;
    const int less = caller && d->stats.call_addresses && csspgo__pprof_call(d, l, 0) == 0 &&
                     csspgo__pprof_call(d, l, 1) > 0;
    return l->address + moved + (uint64_t)less;
}

/* Frames of a stack from one field; *cut: no more of them count. */
static int csspgo__pprof_frames(csspgo_pprof *d, csspgo__pprof_bytes r, uint32_t *n, int *cut)
{
    while (r.p != r.end) {
        const csspgo__pprof_location *l = csspgo__pprof_next_location(d, &r);
        if (l == NULL) return 0;
        *cut |= l->address == 0 || *n == CSSPGO__PPROF_FRAMES;
        if (*cut) continue;
        d->frame[*n] = csspgo__pprof_address(d, l, *n != 0);
        ++*n;
    }
    return 1;
}

/* The value that counts, if it stands in a field; *index: number of the next value. */
static int csspgo__pprof_value(csspgo_pprof *d, csspgo__pprof_bytes r, uint64_t *index, uint64_t *value)
{
    while (r.p != r.end) {
        const uint64_t v = csspgo__pprof_uleb(d, &r);
        if (d->error.status != CSSPGO_OK) return 0;
        if ((*index)++ == d->value) *value = v;
    }
    return 1;
}

/* A sample. Returns CSSPGO_ITEM_NONE if it does not count or is wrong. */
static csspgo_item csspgo__pprof_sample(csspgo_pprof *d, csspgo__pprof_bytes r, csspgo_sample *sample)
{
    csspgo__pprof_field f;
    uint64_t index = 0, value = 0;
    uint32_t n = 0;
    int cut = 0;
    while (csspgo__pprof_next_field(d, &r, &f)) {
        if (f.wire != CSSPGO__PPROF_BYTES && f.wire != CSSPGO__PPROF_NUMBER) continue;
        if ((f.number == 1 && !csspgo__pprof_frames(d, f.bytes, &n, &cut)) ||
            (f.number == 2 && !csspgo__pprof_value(d, f.bytes, &index, &value)))
            return CSSPGO_ITEM_NONE;
    }
    if (d->error.status != CSSPGO_OK) return CSSPGO_ITEM_NONE;
    if (value == 0 || value >> 63 != 0) {
        d->stats.not_positive++;
        return CSSPGO_ITEM_NONE;
    }
    if (n == 0) {
        d->stats.no_address++;
        return CSSPGO_ITEM_NONE;
    }
    d->stats.cut_stacks += cut != 0;
    d->stats.samples++;
    memset(sample, 0, sizeof *sample);
    sample->stack = d->frame;
    sample->stack_count = n;
    sample->count = (value - 1) / d->stats.period + 1;
    sample->pid = sample->tid = 1;
    return CSSPGO_ITEM_SAMPLE;
}

/* The next item of a whole profile: its mappings, then its samples. */
static csspgo_item csspgo__pprof_step(csspgo_pprof *d, csspgo_sample *sample, csspgo_mmap *map)
{
    csspgo__pprof_field f;
    while (d->state == CSSPGO__PPROF_MAPPINGS && d->next < d->mapping.count) {
        const csspgo__pprof_mapping *m = &d->mapping.v[d->next++];
        if (m->begin == m->end) continue;
        csspgo__pprof_event(d, m, map);
        return CSSPGO_ITEM_MMAP;
    }
    d->state = CSSPGO__PPROF_SAMPLES;
    while (csspgo__pprof_next_field(d, &d->r, &f)) {
        csspgo_item item = CSSPGO_ITEM_NONE;
        if (f.number != CSSPGO__PROFILE_SAMPLE || f.wire != CSSPGO__PPROF_BYTES) continue;
        item = csspgo__pprof_sample(d, f.bytes, sample);
        if (item != CSSPGO_ITEM_NONE || d->error.status != CSSPGO_OK) return item;
    }
    if (d->stats.samples == 0 && d->stats.no_address != 0)
        csspgo__pprof_fail(d, CSSPGO_E_SYNTAX, d->in.count, "the profile has no addresses, only names: write one with "
                                                            "addresses (pprof -proto, not symbolized by name alone)");
    return CSSPGO_ITEM_NONE;
}

CSSPGO_DEF csspgo_item csspgo_pprof_next(csspgo_pprof *d, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err)
{
    csspgo_item item = CSSPGO_ITEM_NONE;
    if (err != NULL) memset(err, 0, sizeof *err);
    if (d->error.status == CSSPGO_OK && d->ended && (d->state >= CSSPGO__PPROF_MAPPINGS || csspgo__pprof_begin(d)))
        item = csspgo__pprof_step(d, sample, map);
    if (item == CSSPGO_ITEM_NONE && err != NULL) *err = d->error;
    return item;
}

CSSPGO_DEF csspgo_pprof_stats csspgo_pprof_get_stats(const csspgo_pprof *d)
{
    return d->stats;
}

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_PPROF_IMPLEMENTATION */
