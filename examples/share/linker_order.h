/* linker_order.h - an order of functions as a file for linkers or as offsets for a JIT; chunks in an order to compress
 *
 * In ONE source file, behind csspgo.h:              Elsewhere:
 *     #define CSSPGO_WITH_LAYOUT                        #define CSSPGO_WITH_LAYOUT
 *     #include "csspgo.h"                               #include "csspgo.h"
 *     #define CSSPGO_LINKER_ORDER_IMPLEMENTATION        #include "linker_order.h"
 *     #include "linker_order.h"
 *
 * HOW TO give an order to a linker, to a JIT, to a compressor
 *
 *     static int how_to_use_an_order(void)
 *     {
 *         const uint64_t bytes[3] = { 100, 3000, 500 };    // of a JIT's functions
 *         const uint32_t first[1] = { 2 };                 // those that an order has; others follow
 *         const csspgo_layout_chunk chunk[2] = { { "mov eax, 1; ret", 15 }, { "mov eax, 2; ret", 15 } };
 *         const uint64_t id[1] = { csspgo_guid("init", 4) };   // of csspgo_layout_order
 *         csspgo_error e;
 *         csspgo_layout *l = csspgo_layout_new(NULL, NULL, &e);
 *         uint64_t offset[3], end = 0;
 *         uint32_t packed[2];
 *         char text[200];
 *         size_t size = 0;
 *         csspgo_status s = l != NULL ? csspgo_layout_add_name(l, "init", 4, &e) : CSSPGO_E_NOMEM;
 *
 *         if (s == CSSPGO_OK) s = csspgo_layout_write_order(l, id, 1, NULL, text, sizeof text, &size, &e);
 *         if (s == CSSPGO_OK) s = csspgo_layout_place(bytes, 3, first, 1, 16, offset, &end, &e);
 *         if (s == CSSPGO_OK) s = csspgo_layout_order_chunks(chunk, 2, NULL, NULL, packed, &e);
 *         if (s == CSSPGO_OK)
 *             printf("ld.lld --symbol-ordering-file:\n%.*s%llu bytes of code\n", (int)size, text,
 *                    (unsigned long long)end);
 *         csspgo_layout_free(l);
 *         return s != CSSPGO_OK;
 *     }
 *
 * Memory comes from options.allocator; without one from CSSPGO_MALLOC, where that is defined, else from malloc.
 *
 * It uses only what csspgo.h shows to everyone: copy this file and change it. Part of csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_LINKER_ORDER_H
#define CSSPGO_SHARE_LINKER_ORDER_H

#if !defined(CSSPGO_VERSION) || !defined(CSSPGO_WITH_LAYOUT)
#  error "include csspgo.h, with CSSPGO_WITH_LAYOUT, before linker_order.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Places a JIT's functions: sizes in bytes become offsets, in the order given, each aligned.
 *
 *   order     indices of size and offset; those that are not in it follow, ascending. A second time does not count
 *   offset    gets n offsets
 *   end       NULL, or gets the bytes needed
 *
 * Returns   CSSPGO_OK; E_ARGUMENT: alignment is 0, or an index is too large; E_RANGE: more than 2^64 bytes. After a
 *           failure offset is undefined
 */
CSSPGO_DEF csspgo_status csspgo_layout_place(const uint64_t *size, size_t n, const uint32_t *order, size_t ordered,
                                             uint64_t alignment, uint64_t *offset, uint64_t *end, csspgo_error *err);

/* Bytes that are to be stored or sent: the code of a function, an asset, a part of a file. */
typedef struct csspgo_layout_chunk {
    const void *data;
    size_t      size;             /* bytes */
} csspgo_layout_chunk;

/*
 * Orders chunks such that those with much in common stand close together, within the window of a compressor. Chunks
 * belong to a group if they share 4 bytes in a row, or one of their last 3; chunks that are nearly equal follow the
 * first of them. For functions without place in a start-up order, say; what the code does at start-up goes first.
 *
 *   how       NULL: defaults
 *   options   memory; NULL: defaults
 *   order     gets count indices of chunks, each once
 *
 * Returns   CSSPGO_OK; E_ARGUMENT: as csspgo_balanced_partition; E_LIMIT: 2^31 bytes or more; E_NOMEM. After a failure
 *           order is as before
 * Cost      that of csspgo_balanced_partition, for less than one entry per byte; before it 16 bytes per byte
 * Source    LLVM main: lld's --bp-compression-sort, but that chunks without any frequent bytes are not taken for equal
 */
CSSPGO_DEF csspgo_status csspgo_layout_order_chunks(const csspgo_layout_chunk *chunk, size_t count,
                                                    const csspgo_bipartite_options *how, const csspgo_options *options,
                                                    uint32_t *order, csspgo_error *err);

enum {                            /* forms of orders                                                              */
    CSSPGO_ORDER_LLD = 0,         /* --symbol-ordering-file of lld, one symbol per line                           */
    CSSPGO_ORDER_GOLD = 1,        /* --section-ordering-file of gold: .text.NAME                                  */
    CSSPGO_ORDER_MACHO = 2,       /* -order_file: names with the underscore of C                                  */
    CSSPGO_ORDER_MSVC = 3,        /* /ORDER:@file. The linker cannot order local functions: they become comments  */
    CSSPGO_ORDER_GNULD = 4        /* a fragment of a linker script for GNU ld: *(.text.NAME)                      */
};

typedef struct csspgo_layout_format {
    uint32_t form;                /* CSSPGO_ORDER_...                                                             */
    uint32_t llvm;                /* 19: byte for byte what llvm-profdata-19 order writes (form 0 only); 23: the same,
                                     but an area is not cut to 32 bits                                            */
    uint32_t has_area, reserved;  /* 1: the head says the area                                                    */
    uint64_t area;                /* of csspgo_layout_score                                                       */
} csspgo_layout_format;

/*
 * Writes an order for a linker. With the symbols of the binary (csspgo_layout_add_symbols), names are those of the
 * binary, and a function that is not in it becomes a comment. So does a function without a name.
 *
 *   id, count  the order
 *   how        NULL: defaults
 *   buf, cap   the output, cap bytes; NULL and 0 to ask for the size
 *   size       NULL, or gets the bytes needed
 *
 * Returns   CSSPGO_OK; E_ARGUMENT: an unknown form; E_SHORT if buf is too short (its first cap bytes are filled);
 *           E_LIMIT: more bytes than size_t can say
 */
CSSPGO_DEF csspgo_status csspgo_layout_write_order(const csspgo_layout *l, const uint64_t *id, size_t count,
                                                   const csspgo_layout_format *how, void *buf, size_t cap,
                                                   size_t *size, csspgo_error *err);

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_LINKER_ORDER_H */

/* ===== implementation ============================================================================================= */

#if defined(CSSPGO_LINKER_ORDER_IMPLEMENTATION) && !defined(CSSPGO_LINKER_ORDER_IMPLEMENTATION_INCLUDED)
#define CSSPGO_LINKER_ORDER_IMPLEMENTATION_INCLUDED

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills an error in. Returns its status. */
static csspgo_status csspgo__order_error(csspgo_error *err, csspgo_status status, uint64_t offset, const char *form,
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

/* The same without a detail; CSSPGO_OK clears it. */
static csspgo_status csspgo__order_plain(csspgo_error *err, csspgo_status status)
{
    if (status != CSSPGO_OK) return csspgo__order_error(err, status, 0, "%s", csspgo_status_text(status));
    if (err != NULL) memset(err, 0, sizeof *err);
    return status;
}

/* ----- places for a JIT's code ----- */

CSSPGO_DEF csspgo_status csspgo_layout_place(const uint64_t *size, size_t n, const uint32_t *order, size_t ordered,
                                             uint64_t alignment, uint64_t *offset, uint64_t *end, csspgo_error *err)
{
    uint64_t at = 0;
    size_t i;
    if (alignment == 0)
        return csspgo__order_error(err, CSSPGO_E_ARGUMENT, 0, "csspgo_layout_place: the alignment is 0");
    for (i = 0; i < n; i++) offset[i] = UINT64_MAX;   /* not placed yet */
    for (i = 0; i < ordered + n; i++) {
        const size_t k = i < ordered ? order[i] : i - ordered;
        const uint64_t rest = at % alignment, gap = rest != 0 ? alignment - rest : 0;
        if (k >= n)
            return csspgo__order_error(err, CSSPGO_E_ARGUMENT, i,
                                       "csspgo_layout_place: the order has an index that is too large: %llu",
                                       (unsigned long long)k);
        if (offset[k] != UINT64_MAX) continue;
        if (at > UINT64_MAX - 1 - gap || size[k] > UINT64_MAX - 1 - gap - at)
            return csspgo__order_error(err, CSSPGO_E_RANGE, i, "the code is larger than 64 bits can say");
        offset[k] = at + gap;
        at += gap + size[k];
    }
    if (end != NULL) *end = at;
    return csspgo__order_plain(err, CSSPGO_OK);
}

/* ----- chunks of bytes, for compression --------------------------------------------------------------------------- */

typedef struct csspgo__chunks {
    csspgo_allocator a;
    uint64_t  left;               /* of limits.max_bytes                                                         */
    void     *block[10];          /* of memory, all arrays below                                                 */
    size_t    bytes_of[10], blocks;
    csspgo_status why;            /* the last one failed                                                         */
    const csspgo_layout_chunk *chunk;
    size_t    count, bytes;
    uint64_t *key, *scratch;      /* a hash above the number of its chunk, each pair once, ascending             */
    size_t    keys;
    uint64_t *same;               /* a chunk's mark above its number; see csspgo__chunks_same                    */
    uint32_t *first, *next;       /* per chunk: the one that it is placed behind, itself: none; the next of them */
    uint32_t *node, *of;          /* per chunk: its node; per node: its chunk                                    */
    uint32_t *begin, *group, *order;   /* of the bipartite graph                                                 */
    size_t    nodes, groups;
} csspgo__chunks;

static void *csspgo__chunks_malloc(void *ctx, size_t size)
{
    (void)ctx;
#ifdef CSSPGO_MALLOC
    return CSSPGO_MALLOC(size);
#else
    return malloc(size);
#endif
}

static void csspgo__chunks_mfree(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
#ifdef CSSPGO_FREE
    CSSPGO_FREE(p);
#else
    free(p);
#endif
}

/* An array of n elements, which lives until csspgo__chunks_free. NULL, also where c->why has a reason before. */
static void *csspgo__chunks_array(csspgo__chunks *c, size_t n, size_t element)
{
    const size_t size = n * element;                  /* n is below 2^33 */
    void *p = NULL;
    if (c->why != CSSPGO_OK) return NULL;
    if (n > SIZE_MAX / element || size > c->left) c->why = CSSPGO_E_LIMIT;
    else if ((p = c->a.alloc_fn(c->a.ctx, size)) == NULL) c->why = CSSPGO_E_NOMEM;
    if (p == NULL) return NULL;
    c->left -= size;
    c->bytes_of[c->blocks] = size;
    return c->block[c->blocks++] = p;
}

static void csspgo__chunks_free(csspgo__chunks *c)
{
    while (c->blocks-- != 0) c->a.free_fn(c->a.ctx, c->block[c->blocks], c->bytes_of[c->blocks]);
}

static csspgo_status csspgo__chunks_new(csspgo__chunks *c, const csspgo_options *options)
{
    const size_t n = c->count + 1;
    if (options != NULL) c->a = options->allocator;
    if (c->a.alloc_fn == NULL) c->a.alloc_fn = csspgo__chunks_malloc, c->a.free_fn = csspgo__chunks_mfree;
    c->left = options != NULL && options->limits.max_bytes != 0 ? options->limits.max_bytes : (uint64_t)1 << 34;
    c->key = (uint64_t *)csspgo__chunks_array(c, c->bytes + 1, sizeof *c->key);
    c->scratch = (uint64_t *)csspgo__chunks_array(c, c->bytes + n, sizeof *c->scratch);
    c->same = (uint64_t *)csspgo__chunks_array(c, n, sizeof *c->same);
    c->first = (uint32_t *)csspgo__chunks_array(c, n, sizeof *c->first);
    c->next = (uint32_t *)csspgo__chunks_array(c, n, sizeof *c->next);
    c->node = (uint32_t *)csspgo__chunks_array(c, n, sizeof *c->node);
    c->of = (uint32_t *)csspgo__chunks_array(c, n, sizeof *c->of);
    c->begin = (uint32_t *)csspgo__chunks_array(c, n, sizeof *c->begin);
    c->order = (uint32_t *)csspgo__chunks_array(c, n, sizeof *c->order);
    c->group = (uint32_t *)csspgo__chunks_array(c, c->bytes + 1, sizeof *c->group);
    return c->why;
}

/* The 4 bytes at p as a number, the first one lowest. */
static uint32_t csspgo__chunks_word(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Sorts keys by their high words, stable. Few by insertion, many by digits; digits that are all equal cost nothing. */
static void csspgo__chunks_sort(uint64_t *v, uint64_t *scratch, size_t n)
{
    uint64_t *from = v, *to = scratch;
    uint32_t count[4][256], sum, c;
    size_t i, j, d;
    if (n < 64) {
        for (i = 1; i < n; i++) {
            const uint64_t x = v[i];
            for (j = i; j > 0 && v[j - 1] >> 32 > x >> 32; j--) v[j] = v[j - 1];
            v[j] = x;
        }
        return;
    }
    memset(count, 0, sizeof count);
    for (i = 0; i < n; i++)
        for (d = 0; d < 4; d++) count[d][v[i] >> (32 + 8 * d) & 255]++;
    for (d = 0; d < 4; d++) {
        if (count[d][v[0] >> (32 + 8 * d) & 255] == n) continue;
        for (sum = 0, i = 0; i < 256; i++, sum += c) {
            c = count[d][i];
            count[d][i] = sum;
        }
        for (i = 0; i < n; i++) to[count[d][from[i] >> (32 + 8 * d) & 255]++] = from[i];
        from = to;
        to = from == v ? scratch : v;
    }
    if (from != v) memcpy(v, from, n * sizeof *v);
}

/*
 * A chunk's hashes: every 4 bytes of it in a row as a number, and each of its last 3 bytes alone. They are the bytes
 * themselves, so chunks that have one in common do share something that a compressor finds.
 */
static void csspgo__chunks_hash(csspgo__chunks *c)
{
    size_t i, k, n = 0;
    for (i = 0; i < c->count; i++) {
        const unsigned char *p = (const unsigned char *)c->chunk[i].data;
        const size_t size = c->chunk[i].size;
        for (k = 0; k < size; k++) {
            const uint32_t hash = size - k >= 4 ? csspgo__chunks_word(p + k) : p[k];
            c->key[n++] = (uint64_t)hash << 32 | (uint32_t)i;
        }
    }
    csspgo__chunks_sort(c->key, c->scratch, n);           /* stable: a hash's chunks stay ascending */
    for (i = 0; i < n; i++)
        if (i == 0 || c->key[i] != c->key[i - 1]) c->scratch[c->keys++] = c->key[i];
    if (c->keys != 0) memcpy(c->key, c->scratch, c->keys * sizeof *c->key);
}

/* Where the pairs of the hash at i end. *nodes gets how many of its chunks are nodes. */
static size_t csspgo__chunks_run(const csspgo__chunks *c, size_t i, size_t *nodes)
{
    const uint64_t hash = c->key[i] >> 32;
    for (*nodes = 0; i < c->keys && c->key[i] >> 32 == hash; i++)
        *nodes += c->first[(uint32_t)c->key[i]] == (uint32_t)c->key[i];
    return i;
}

/*
 * Chunks that agree in everything that is frequent, in more than 5 chunks, are taken for equal: their mark is the
 * exclusive or of those hashes. The first one takes part in the ordering, the others follow it. Mark 0 says that
 * nothing in a chunk is frequent.
 */
static void csspgo__chunks_same(csspgo__chunks *c)
{
    size_t i, end, k, nodes;
    for (i = 0; i < c->count; i++) {
        c->same[i] = (uint32_t)i;
        c->first[i] = (uint32_t)i;
        c->next[i] = UINT32_MAX;
    }
    for (i = 0; i < c->keys; i = end) {
        end = csspgo__chunks_run(c, i, &nodes);
        for (k = i; end - i > 5 && k < end; k++) c->same[(uint32_t)c->key[k]] ^= c->key[k] >> 32 << 32;
    }
    csspgo__chunks_sort(c->same, c->scratch, c->count);
    for (i = 1; i < c->count; i++) {
        const uint32_t before = (uint32_t)c->same[i - 1], now = (uint32_t)c->same[i];
        if (c->same[i] >> 32 == 0 || c->same[i] >> 32 != c->same[i - 1] >> 32) continue;
        c->first[now] = c->first[before];
        c->next[before] = now;
    }
}

/* Groups are hashes that more than one and at most half of the nodes have; others do not tell nodes apart. */
static void csspgo__chunks_graph(csspgo__chunks *c)
{
    size_t i, end, k, nodes, sum = 0;
    int filling;
    for (i = 0; i < c->count; i++) {
        if (c->first[i] != i) continue;
        c->of[c->nodes] = (uint32_t)i;
        c->node[i] = (uint32_t)c->nodes++;
    }
    memset(c->begin, 0, (c->nodes + 1) * sizeof *c->begin);
    for (filling = 0; filling < 2; filling++) {
        for (i = c->groups = 0; i < c->keys; i = end) {
            end = csspgo__chunks_run(c, i, &nodes);
            if (nodes <= 1 || 2 * nodes > c->nodes) continue;
            for (k = i; k < end; k++) {
                const uint32_t chunk = (uint32_t)c->key[k];
                if (c->first[chunk] != chunk) continue;
                if (filling) c->group[c->begin[c->node[chunk]]] = (uint32_t)c->groups;
                c->begin[c->node[chunk]]++;
            }
            c->groups++;
        }
        for (i = c->nodes; filling && i > 0; i--) c->begin[i] = c->begin[i - 1];   /* ends become begins */
        for (i = 0; !filling && i <= c->nodes; i++) {                              /* counts become begins */
            const uint32_t n = c->begin[i];
            c->begin[i] = (uint32_t)sum;
            sum += n;
        }
    }
    c->begin[0] = 0;
}

/* What csspgo_balanced_partition says of an argument is said of this function's. */
static void csspgo__chunks_blame(csspgo_error *err, csspgo_status s)
{
    const char *const own = "csspgo_layout_order_chunks", *colon;
    char text[sizeof err->message];
    if (err == NULL || s != CSSPGO_E_ARGUMENT) return;
    colon = strchr(err->message, ':');
    strcpy(text, colon != NULL ? colon : err->message);
    snprintf(err->message, sizeof err->message, "%s%.*s", own, (int)(sizeof text - 1 - strlen(own)), text);
}

CSSPGO_DEF csspgo_status csspgo_layout_order_chunks(const csspgo_layout_chunk *chunk, size_t count,
                                                    const csspgo_bipartite_options *how, const csspgo_options *options,
                                                    uint32_t *order, csspgo_error *err)
{
    csspgo__chunks c;
    csspgo_bipartite g;
    csspgo_status s;
    size_t i, n = 0;
    memset(&c, 0, sizeof c);
    memset(&g, 0, sizeof g);
    c.chunk = chunk;
    c.count = count;
    for (i = 0; i < count && c.bytes >> 31 == 0; i++)
        c.bytes = chunk[i].size >> 31 == 0 ? c.bytes + chunk[i].size : (size_t)1 << 31;
    if (c.bytes >> 31 != 0 || count >> 31 != 0) return csspgo__order_plain(err, CSSPGO_E_LIMIT);
    s = csspgo__chunks_new(&c, options);
    if (s == CSSPGO_OK) {
        csspgo__chunks_hash(&c);
        csspgo__chunks_same(&c);
        csspgo__chunks_graph(&c);
        g.begin = c.begin;
        g.group = c.group;
        g.nodes = c.nodes;
        g.groups = c.groups;
        s = csspgo_balanced_partition(&g, how, options, c.order, err);
        for (i = 0; s == CSSPGO_OK && i < c.nodes; i++) {
            uint32_t at = c.of[c.order[i]];
            for (; at != UINT32_MAX; at = c.next[at]) order[n++] = at;
        }
        csspgo__chunks_blame(err, s);
    } else csspgo__order_plain(err, s);
    csspgo__chunks_free(&c);
    return s;
}

/* ----- orders for linkers ----------------------------------------------------------------------------------------- */

/* Where text goes: buf keeps what fits, total counts all. */
typedef struct csspgo__order_sink {
    char    *buf;
    size_t   cap;
    uint64_t total;
} csspgo__order_sink;

static void csspgo__order_put(csspgo__order_sink *out, const char *text, size_t size)
{
    const size_t room = out->total < out->cap ? out->cap - (size_t)out->total : 0, n = size < room ? size : room;
    if (n != 0) memcpy(out->buf + (size_t)out->total, text, n);
    out->total += size;
}

static void csspgo__order_put_text(csspgo__order_sink *out, const char *text)
{
    csspgo__order_put(out, text, strlen(text));
}

static void csspgo__order_put_char(csspgo__order_sink *out, char c)
{
    csspgo__order_put(out, &c, 1);
}

static void csspgo__order_put_number(csspgo__order_sink *out, uint64_t v)
{
    char text[24];
    csspgo__order_put(out, text, (size_t)sprintf(text, "%llu", (unsigned long long)v));
}

static void csspgo__order_put_id(csspgo__order_sink *out, uint64_t id)
{
    char text[24];
    csspgo__order_put(out, text, (size_t)sprintf(text, "0x%llx", (unsigned long long)id));
}

/*
 * v rounded to the 24 bits of single precision, half to even; 2^64 becomes 2^64 - 1. LLVM prints the area as a float;
 * done with integers the result does not depend on the C library.
 */
static uint64_t csspgo__layout_single(uint64_t v)
{
    unsigned cut = 0;
    uint64_t rest, m;
    while (v >> cut >> 24 != 0) cut++;
    if (cut == 0) return v;
    m = v >> cut;
    rest = v - (m << cut);
    m += rest > (uint64_t)1 << (cut - 1) || (rest == (uint64_t)1 << (cut - 1) && (m & 1));
    return m > UINT64_MAX >> cut ? UINT64_MAX : m << cut;
}

/* As printf's %e of a number that was rounded to single precision. */
static void csspgo__layout_put_area(csspgo__order_sink *out, uint64_t area)
{
    uint64_t v = csspgo__layout_single(area), unit = 1, digits;
    unsigned e = 0;
    for (; e < 19 && v / 10 >= unit; e++) unit *= 10;
    if (e > 6) {                                      /* seven digits, the rest is rounded, half to even */
        const uint64_t cut = unit / 1000000, rest = v % cut;
        digits = v / cut;
        digits += rest > cut / 2 || (rest == cut / 2 && (digits & 1));
        if (digits == 10000000) digits = 1000000, e++;
    } else {
        for (digits = v; unit < 1000000; unit *= 10) digits *= 10;
    }
    csspgo__order_put_number(out, digits / 1000000);
    csspgo__order_put_char(out, '.');
    for (unit = 100000; unit != 0; unit /= 10) csspgo__order_put_char(out, (char)('0' + digits / unit % 10));
    csspgo__order_put_text(out, e < 10 ? "e+0" : "e+");
    csspgo__order_put_number(out, e);
}

typedef struct csspgo__layout_form {
    char comment[4], before[12], after[4];  /* around a name */
} csspgo__layout_form;

/* The comments in front of an order. */
static void csspgo__layout_put_head(csspgo__order_sink *out, const csspgo_layout_format *how, size_t count,
                                    const char *comment)
{
    const int fragment = how->form == CSSPGO_ORDER_GNULD;
    csspgo__order_put_text(out, comment);
    csspgo__order_put_text(out, "Ordered ");
    csspgo__order_put_number(out, count);
    csspgo__order_put_text(out, fragment ? " functions */\n" : " functions\n");
    if (how->has_area) {
        csspgo__order_put_text(out, comment);
        csspgo__order_put_text(out, "Total area under the page fault curve: ");
        csspgo__layout_put_area(out, how->llvm != 0 && how->llvm < 23 ? how->area & UINT32_MAX : how->area);
        csspgo__order_put_text(out, fragment ? " */\n" : "\n");
    }
    if (how->llvm != 0)
        csspgo__order_put_text(out, "# Warning: Mach-O may prefix symbols with \"_\" depending on the linkage and this "
                                    "output does not take that into account. Some post-processing may be required "
                                    "before passing to the linker via -order_file.\n");
}

/* A comment: what, and the bytes of a name; line ends in it become blanks, and "* /" loses its slash. */
static void csspgo__layout_put_comment(csspgo__order_sink *out, const csspgo_layout_format *how, const char *comment,
                                       const char *what, const char *name, size_t size)
{
    size_t i;
    csspgo__order_put_text(out, comment);
    csspgo__order_put_text(out, what);
    for (i = 0; i < size; i++) {
        const int bad = name[i] == '\n' || name[i] == '\r' || (name[i] == '/' && how->form == CSSPGO_ORDER_GNULD);
        csspgo__order_put_char(out, bad && how->llvm == 0 ? ' ' : name[i]);
    }
    csspgo__order_put_text(out, how->form == CSSPGO_ORDER_GNULD ? " */\n" : "\n");
}

/* The name that a function has in its file: of "file;name" what follows the first semicolon, if anything does. */
static const char *csspgo__layout_in_file(const char *name, size_t *size)
{
    const char *semicolon = *size != 0 ? (const char *)memchr(name, ';', *size) : NULL;
    const size_t skip = semicolon != NULL ? (size_t)(semicolon - name) + 1 : 0;
    if (skip == 0 || skip == *size) return name;
    *size -= skip;
    return name + skip;
}

/*
 * One function of an order: its symbols in the binary, or its name, or a comment. LLVM has the names of functions with
 * counters only. any: 1: there are symbols.
 */
static void csspgo__layout_put_function(const csspgo_layout *l, csspgo__order_sink *out,
                                        const csspgo_layout_format *how, const csspgo__layout_form *form, uint64_t id,
                                        int any)
{
    size_t size = 0, plain_size, i;
    const char *const name = csspgo_layout_name(l, id, &size), *plain, *symbol;
    if (name == NULL || (how->llvm != 0 && !csspgo_layout_has_counters(l, id))) {
        if (how->llvm == 0) {
            csspgo__order_put_text(out, form->comment);
            csspgo__order_put_id(out, id);
            csspgo__order_put_text(out, how->form == CSSPGO_ORDER_GNULD ? " */" : "");
        }
        csspgo__order_put_char(out, '\n');
        return;
    }
    plain_size = size;
    plain = csspgo__layout_in_file(name, &plain_size);
    if (how->form == CSSPGO_ORDER_MSVC && plain != name) {
        csspgo__layout_put_comment(out, how, form->comment, "local: ", name, size);
        return;
    }
    if (plain != name && plain - name > 1)
        csspgo__layout_put_comment(out, how, form->comment, "", name, (size_t)(plain - name) - 1);
    if (!any || how->llvm != 0) {
        csspgo__order_put_text(out, form->before);
        csspgo__order_put(out, plain, plain_size);
        csspgo__order_put_text(out, form->after);
        return;
    }
    for (i = 0; (symbol = csspgo_layout_get_symbol(l, id, i, &size, NULL)) != NULL; i++) {
        csspgo__order_put_text(out, form->before);
        csspgo__order_put(out, symbol, size);
        csspgo__order_put_text(out, form->after);
    }
    if (i == 0) csspgo__layout_put_comment(out, how, form->comment, "not in the binary: ", plain, plain_size);
}

CSSPGO_DEF csspgo_status csspgo_layout_write_order(const csspgo_layout *l, const uint64_t *id, size_t count,
                                                   const csspgo_layout_format *how, void *buf, size_t cap,
                                                   size_t *size, csspgo_error *err)
{
    static const csspgo__layout_form forms[] = { { "# ", "", "\n" }, { "# ", ".text.", "\n" }, { "# ", "_", "\n" },
                                                 { "; ", "", "\n" }, { "/* ", "*(.text.", ")\n" } };
    const int any = csspgo_layout_get_stats(l).symbols != 0;
    csspgo_layout_format f;
    csspgo__order_sink out;
    size_t i;
    memset(&f, 0, sizeof f);
    if (how != NULL) f = *how;
    if (size != NULL) *size = 0;
    if (f.form > CSSPGO_ORDER_GNULD || (f.llvm != 0 && f.form != 0))
        return csspgo__order_error(err, CSSPGO_E_ARGUMENT, 0,
                                   "csspgo_layout_write_order: there is no such form of an order");
    out.buf = (char *)buf;
    out.cap = buf != NULL ? cap : 0;
    out.total = 0;
    csspgo__layout_put_head(&out, &f, count, forms[f.form].comment);
    for (i = 0; i < count; i++) csspgo__layout_put_function(l, &out, &f, &forms[f.form], id[i], any);
    if (out.total > SIZE_MAX) return csspgo__order_plain(err, CSSPGO_E_LIMIT);
    if (size != NULL) *size = (size_t)out.total;
    if (buf != NULL && out.total > cap)
        return csspgo__order_error(err, CSSPGO_E_SHORT, cap, "the buffer has room for %llu of %llu bytes",
                                   (unsigned long long)cap, (unsigned long long)out.total);
    return csspgo__order_plain(err, CSSPGO_OK);
}

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_LINKER_ORDER_IMPLEMENTATION */
