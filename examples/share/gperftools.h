/* gperftools.h - turns CPU profiles of gperftools (libprofiler) into profiles of pprof, which pprof.h reads
 *
 * In ONE source file, behind csspgo.h:          Elsewhere:
 *     #include "csspgo.h"                           #include "csspgo.h"
 *     #define CSSPGO_GPERFTOOLS_IMPLEMENTATION      #include "gperftools.h"
 *     #include "gperftools.h"
 *
 * HOW TO read a CPU profile of gperftools
 *
 *     static int how_to_read_gperftools(void)
 *     {
 *         static const unsigned char file[] = {             // 5 words, a sample of two frames, the end; then mappings
 *             0,0,0,0, 3,0,0,0, 0,0,0,0, 16,39,0,0, 0,0,0,0,  7,0,0,0, 2,0,0,0, 0,16,0,0, 5,32,0,0,
 *             0,0,0,0, 1,0,0,0, 0,0,0,0, '1','0','0','0','-','3','0','0','0',' ','r','-','x','p',' ','0',' ',
 *             '0',':','0',' ','1',' ','/','x','\n' };
 *         unsigned char proto[200];
 *         size_t size;
 *         csspgo_error e;
 *         if (!csspgo_is_gperftools(file, sizeof file)) return 1;
 *         if (csspgo_gperftools_convert(file, sizeof file, NULL, proto, sizeof proto, &size, &e) != CSSPGO_OK) return 1;
 *         printf("%u bytes for csspgo_pprof_feed\n", (unsigned)size);
 *         return 0;
 *     }
 *
 * It uses only what csspgo.h shows to everyone: copy this file and change it. Part of csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_GPERFTOOLS_H
#define CSSPGO_SHARE_GPERFTOOLS_H

#ifndef CSSPGO_VERSION
#  error "include csspgo.h before gperftools.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if a file begins like a CPU profile of gperftools: the words 0, 3 or more, 0, PERIOD, 0, of 32 or 64 bits. */
CSSPGO_DEF int csspgo_is_gperftools(const void *data, size_t size);

/*
 * Makes a profile of pprof (profile.proto, not compressed) of a CPU profile. Words are of 32 or 64 bits in either byte
 * order. Executable mappings come from the text at the end, which is the program's /proc/self/maps. Callers stand with
 * their return addresses. If the second frame is the same address in all samples it is that of the signal handler, and
 * is left out.
 *
 *   options   for the memory of a table of addresses; NULL: malloc
 *   buf, cap  where to; NULL, 0: only *size is filled in
 *   size      the bytes of the result: at most 4 times those of the profile + 1024
 *   err       NULL, or filled in every case; offsets are of data
 *
 * Returns   CSSPGO_OK; E_SYNTAX, E_TRUNCATED; E_RANGE if buf is too short; E_NOMEM, E_LIMIT
 * Cost      O(n log n) in the frames; 8 bytes of memory per frame
 * Source    gperftools: docs/cpuprofile-fileformat.html; github.com/google/pprof: profile/legacy_profile.go
 */
CSSPGO_DEF csspgo_status csspgo_gperftools_convert(const void *data, size_t size, const csspgo_options *options,
                                                   void *buf, size_t cap, size_t *made, csspgo_error *err);

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_GPERFTOOLS_H */

/* ===== implementation ============================================================================================= */

#if defined(CSSPGO_GPERFTOOLS_IMPLEMENTATION) && !defined(CSSPGO_GPERFTOOLS_IMPLEMENTATION_INCLUDED)
#define CSSPGO_GPERFTOOLS_IMPLEMENTATION_INCLUDED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csspgo__gperf {
    const unsigned char *data;
    size_t      size, at;         /* at: where it is read                                       */
    unsigned    word;             /* bytes of a word: 4, 8                                      */
    int         big;              /* the byte order                                             */
    int         handler;          /* the second frame of each sample is left out                */
    uint64_t   *address;          /* all that are in stacks, ascending, each once               */
    size_t      addresses;
    unsigned char *out;           /* where to: made bytes so far, of which cap are written      */
    size_t      cap, made;
} csspgo__gperf;

static csspgo_status csspgo__gperf_fail(const csspgo__gperf *g, csspgo_error *err, csspgo_status status,
                                        const char *text)
{
    if (err == NULL) return status;
    err->status = status;
    err->offset = g->at < g->size ? g->at : g->size;
    snprintf(err->message, sizeof err->message, "%s", text);
    return status;
}

/* ----- words ----- */

static uint64_t csspgo__gperf_at(const csspgo__gperf *g, size_t at)
{
    uint64_t v = 0;
    unsigned i;
    for (i = 0; i < g->word; i++) v = v << 8 | g->data[at + (g->big ? i : g->word - 1 - i)];
    return v;
}

/* Returns 0 at the end. */
static int csspgo__gperf_next(csspgo__gperf *g, uint64_t *v)
{
    if (g->size - g->at < g->word) return 0;
    *v = csspgo__gperf_at(g, g->at);
    g->at += g->word;
    return 1;
}

/* Finds out how words are written. Returns 0: it is no such profile. */
static int csspgo__gperf_open(csspgo__gperf *g, const void *data, size_t size)
{
    unsigned how;
    memset(g, 0, sizeof *g);
    g->data = (const unsigned char *)data;
    g->size = size;
    for (how = 0; how < 4; how++) {
        g->word = how & 1 ? 4 : 8;
        g->big = how > 1;
        if (size < 5 * g->word || csspgo__gperf_at(g, 0) != 0) continue;
        if (csspgo__gperf_at(g, g->word) < 3 || csspgo__gperf_at(g, g->word) > 64) continue;
        if (csspgo__gperf_at(g, 2 * g->word) == 0 && csspgo__gperf_at(g, 3 * g->word) != 0) return 1;
    }
    return 0;
}

CSSPGO_DEF int csspgo_is_gperftools(const void *data, size_t size)
{
    csspgo__gperf g;
    return csspgo__gperf_open(&g, data, size);
}

/* Goes to the first sample. */
static void csspgo__gperf_begin(csspgo__gperf *g)
{
    const uint64_t words = 2 + csspgo__gperf_at(g, g->word);
    g->at = words * g->word < g->size ? (size_t)words * g->word : g->size;
}

/*
 * The next sample; its frames begin at *frames. Returns 1; 0: the end, behind which the mappings stand; -1: the file
 * ends too soon.
 */
static int csspgo__gperf_sample(csspgo__gperf *g, uint64_t *count, uint64_t *n, size_t *frames)
{
    if (!csspgo__gperf_next(g, count) || !csspgo__gperf_next(g, n)) return -1;
    *frames = g->at;
    if (*n > (g->size - g->at) / g->word) return -1;
    g->at += (size_t)*n * g->word;
    return !(*count == 0 && *n == 1 && csspgo__gperf_at(g, *frames) == 0);
}

/* ----- what is written ----- */

static void csspgo__gperf_put(csspgo__gperf *g, const void *bytes, size_t size)
{
    if (g->made <= g->cap && size <= g->cap - g->made && size != 0) memcpy(g->out + g->made, bytes, size);
    g->made += size;
}

static unsigned csspgo__gperf_width(uint64_t v)
{
    unsigned n = 1;
    while ((v >>= 7) != 0) n++;
    return n;
}

static void csspgo__gperf_uleb(csspgo__gperf *g, uint64_t v)
{
    unsigned char byte;
    do {
        byte = (unsigned char)((v & 127) | (v > 127 ? 128 : 0));
        csspgo__gperf_put(g, &byte, 1);
    } while ((v >>= 7) != 0);
}

/* A message of numbers: fields from 1 on. */
static void csspgo__gperf_message(csspgo__gperf *g, unsigned field, const uint64_t *v, unsigned n)
{
    size_t size = 0;
    unsigned i;
    for (i = 0; i < n; i++) size += 1 + csspgo__gperf_width(v[i]);
    csspgo__gperf_uleb(g, field << 3 | 2);
    csspgo__gperf_uleb(g, size);
    for (i = 0; i < n; i++) {
        csspgo__gperf_uleb(g, (i + 1) << 3);
        csspgo__gperf_uleb(g, v[i]);
    }
}

static void csspgo__gperf_string(csspgo__gperf *g, const void *bytes, size_t size)
{
    csspgo__gperf_uleb(g, 6 << 3 | 2);
    csspgo__gperf_uleb(g, size);
    csspgo__gperf_put(g, bytes, size);
}

/* ----- mappings: "BEGIN-END r-xp OFFSET DEVICE INODE PATH" ----- */

/* A hexadecimal number; *p: behind it. Returns 0: there is none. */
static int csspgo__gperf_hex(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
    const unsigned char *const first = *p;
    for (*v = 0; *p != end && *p - first < 16; ++*p) {
        const unsigned c = **p;
        if (c >= '0' && c <= '9') *v = *v << 4 | (c - '0');
        else if (c >= 'a' && c <= 'f') *v = *v << 4 | (c - 'a' + 10);
        else break;
    }
    return *p != first;
}

static int csspgo__gperf_is(const unsigned char **p, const unsigned char *end, char c)
{
    if (*p == end || **p != (unsigned char)c) return 0;
    ++*p;
    return 1;
}

static void csspgo__gperf_word(const unsigned char **p, const unsigned char *end)
{
    while (*p != end && **p != ' ') ++*p;
    while (*p != end && **p == ' ') ++*p;
}

/* An executable mapping of a line: v gets begin, end, offset. *p: its path. Returns 0: it is none. */
static int csspgo__gperf_map(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
    while (*p != end && **p == ' ') ++*p;
    if (!csspgo__gperf_hex(p, end, &v[0]) || !csspgo__gperf_is(p, end, '-') || !csspgo__gperf_hex(p, end, &v[1]) ||
        !csspgo__gperf_is(p, end, ' ') || end - *p < 5 || (*p)[2] != 'x' || v[0] >= v[1])
        return 0;
    csspgo__gperf_word(p, end);
    if (!csspgo__gperf_hex(p, end, &v[2])) return 0;
    csspgo__gperf_word(p, end);
    csspgo__gperf_word(p, end);
    csspgo__gperf_word(p, end);
    return *p != end;
}

/* The mappings from g->at on; strings: their paths, not what they are. */
static void csspgo__gperf_maps(csspgo__gperf *g, int strings)
{
    const unsigned char *p = g->data + g->at, *const end = g->data + g->size;
    uint64_t n = 0;
    while (p != end) {
        const unsigned char *stop = (const unsigned char *)memchr(p, '\n', (size_t)(end - p)), *path = p;
        uint64_t v[3], message[5];
        if (stop == NULL) stop = end;
        if (csspgo__gperf_map(&path, stop, v)) {
            message[0] = ++n;
            message[1] = v[0];
            message[2] = v[1];
            message[3] = v[2];
            message[4] = n + 2;                       /* behind "", "samples", "count" */
            if (strings) csspgo__gperf_string(g, path, (size_t)(stop - path));
            else csspgo__gperf_message(g, 3, message, 5);
        }
        p = stop != end ? stop + 1 : end;
    }
}

/* ----- addresses ----- */

static int csspgo__gperf_cmp(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The number of an address, from 1 on. */
static uint64_t csspgo__gperf_number(const csspgo__gperf *g, uint64_t address)
{
    size_t a = 0, b = g->addresses;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (g->address[m] < address) a = m + 1;
        else b = m;
    }
    return a + 1;
}

/* Goes over all samples: how many frames they have, whether the second one is that of the handler. */
static csspgo_status csspgo__gperf_look(csspgo__gperf *g, size_t *frames, csspgo_error *err)
{
    uint64_t count, n, second = 0, samples = 0;
    size_t at;
    int got;
    g->handler = 1;
    csspgo__gperf_begin(g);
    for (*frames = 0; (got = csspgo__gperf_sample(g, &count, &n, &at)) > 0; samples++) {
        *frames += (size_t)n;
        if (n < 2 || (samples != 0 && csspgo__gperf_at(g, at + g->word) != second)) g->handler = 0;
        else second = csspgo__gperf_at(g, at + g->word);
    }
    g->handler &= samples > 1;
    if (got < 0) return csspgo__gperf_fail(g, err, CSSPGO_E_TRUNCATED, "the profile ends inside its samples");
    if (samples == 0) return csspgo__gperf_fail(g, err, CSSPGO_E_SYNTAX, "the profile has no samples");
    return CSSPGO_OK;
}

/* Fills the table of addresses, which has room for all frames. */
static void csspgo__gperf_addresses(csspgo__gperf *g)
{
    uint64_t count, n, i;
    size_t at, k, all = 0;
    csspgo__gperf_begin(g);
    while (csspgo__gperf_sample(g, &count, &n, &at) > 0)
        for (i = 0; i < n; i++) g->address[all++] = csspgo__gperf_at(g, at + (size_t)i * g->word);
    if (all != 0) qsort(g->address, all, sizeof *g->address, csspgo__gperf_cmp);
    for (k = 0; k < all; k++)
        if (k == 0 || g->address[k] != g->address[g->addresses - 1]) g->address[g->addresses++] = g->address[k];
}

/* The number of the address of a sample's frame. */
static uint64_t csspgo__gperf_frame(const csspgo__gperf *g, size_t at, uint64_t i)
{
    return csspgo__gperf_number(g, csspgo__gperf_at(g, at + (size_t)i * g->word));
}

/* A sample: its locations, packed, and its count. */
static void csspgo__gperf_stack(csspgo__gperf *g, uint64_t count, uint64_t n, size_t at)
{
    uint64_t i, size = 0, all;
    for (i = 0; i < n; i++)
        if (i != 1 || !g->handler) size += csspgo__gperf_width(csspgo__gperf_frame(g, at, i));
    all = 1 + csspgo__gperf_width(size) + size + 1 + csspgo__gperf_width(count);
    csspgo__gperf_uleb(g, 2 << 3 | 2);
    csspgo__gperf_uleb(g, all);
    csspgo__gperf_uleb(g, 1 << 3 | 2);
    csspgo__gperf_uleb(g, size);
    for (i = 0; i < n; i++)
        if (i != 1 || !g->handler) csspgo__gperf_uleb(g, csspgo__gperf_frame(g, at, i));
    csspgo__gperf_uleb(g, 2 << 3);
    csspgo__gperf_uleb(g, count);
}

static void csspgo__gperf_write(csspgo__gperf *g)
{
    static const uint64_t type[2] = { 1, 2 };
    uint64_t count, n, location[3];
    size_t at, i, maps;
    csspgo__gperf_message(g, 1, type, 2);
    csspgo__gperf_begin(g);
    while (csspgo__gperf_sample(g, &count, &n, &at) > 0)
        if (n != 0) csspgo__gperf_stack(g, count, n, at);
    maps = g->at;
    csspgo__gperf_maps(g, 0);
    for (i = 0; i < g->addresses; i++) {
        location[0] = i + 1;
        location[1] = 0;
        location[2] = g->address[i];
        csspgo__gperf_message(g, 4, location, 3);
    }
    csspgo__gperf_string(g, "", 0);
    csspgo__gperf_string(g, "samples", 7);
    csspgo__gperf_string(g, "count", 5);
    g->at = maps;
    csspgo__gperf_maps(g, 1);
}

CSSPGO_DEF csspgo_status csspgo_gperftools_convert(const void *data, size_t size, const csspgo_options *options,
                                                   void *buf, size_t cap, size_t *made, csspgo_error *err)
{
    csspgo_allocator a;
    csspgo_status s;
    csspgo__gperf g;
    size_t frames;
    memset(&a, 0, sizeof a);
    if (options != NULL) a = options->allocator;
    if (err != NULL) memset(err, 0, sizeof *err);
    *made = 0;
    if (!csspgo__gperf_open(&g, data, size))
        return csspgo__gperf_fail(&g, err, CSSPGO_E_SYNTAX, "this is no CPU profile of gperftools");
    s = csspgo__gperf_look(&g, &frames, err);
    if (s != CSSPGO_OK) return s;
    if (options != NULL && options->limits.max_bytes != 0 &&
        (frames + 1) * sizeof *g.address > options->limits.max_bytes)
        return csspgo__gperf_fail(&g, err, CSSPGO_E_LIMIT, csspgo_status_text(CSSPGO_E_LIMIT));
    g.address = (uint64_t *)(a.alloc_fn != NULL ? a.alloc_fn(a.ctx, (frames + 1) * sizeof *g.address)
                                                : malloc((frames + 1) * sizeof *g.address));
    if (g.address == NULL) return csspgo__gperf_fail(&g, err, CSSPGO_E_NOMEM, csspgo_status_text(CSSPGO_E_NOMEM));
    csspgo__gperf_addresses(&g);
    g.out = (unsigned char *)buf;
    g.cap = buf != NULL ? cap : 0;
    csspgo__gperf_write(&g);
    if (a.alloc_fn != NULL) a.free_fn(a.ctx, g.address, (frames + 1) * sizeof *g.address);
    else free(g.address);
    *made = g.made;
    if (buf == NULL || g.made <= cap) return CSSPGO_OK;
    return csspgo__gperf_fail(&g, err, CSSPGO_E_RANGE, "the buffer is too short");
}

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_GPERFTOOLS_IMPLEMENTATION */
