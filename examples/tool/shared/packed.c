/* packed.c - recordings compressed with gzip or zstd, read as what is in them
 *
 * What is read is a FILE all the same: whoever reads ahead and starts again can do so in a compressed file, too.
 */
#include "recording.h"

#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif
#ifdef CSSPGO_USE_ZSTD
#  include <zstd.h>
#  include <zstd_errors.h>
#endif

enum { PACKED_PLAIN, PACKED_GZIP, PACKED_ZSTD, PACKED_UNKNOWN };
enum { PACKED_CHUNK = 1 << 16, PACKED_TIMES = 1024 };
#define PACKED_MOST ((uint64_t)1 << 30)   /* bytes that any file may become; beyond, PACKED_TIMES its size */

struct packed {
    FILE         *from;           /* the compressed file; standard input stays open                          */
    uint64_t      at, taken;      /* bytes of what is in it, and of the file, that were read                 */
    size_t        next, size;     /* what is left of `in`                                                    */
    int           kind;           /* of a pipe UNKNOWN until something is read                               */
    int           inside, ended;  /* a member or frame has begun; the file is read                           */
    const char   *why;            /* NULL, or what is wrong                                                  */
#ifdef CSSPGO_USE_ZLIB
    z_stream      z;
#endif
#ifdef CSSPGO_USE_ZSTD
    ZSTD_DCtx    *zstd;
#endif
    unsigned char in[PACKED_CHUNK];
};

const char *packed_why(const packed *p)
{
    return p != NULL ? p->why : NULL;
}

/* ----- inflating -------------------------------------------------------------------------------------------------- */

/* Begins anew. Returns 0 without memory. */
static int packed_begin(packed *p)
{
#ifdef CSSPGO_USE_ZLIB
    if (p->kind == PACKED_GZIP) {
        inflateEnd(&p->z);
        memset(&p->z, 0, sizeof p->z);
        if (inflateInit2(&p->z, 15 + 16) != Z_OK) return 0;
    }
#endif
#ifdef CSSPGO_USE_ZSTD
    if (p->kind == PACKED_ZSTD) {
        ZSTD_freeDCtx(p->zstd);
        p->zstd = ZSTD_createDCtx();
        if (p->zstd == NULL) return 0;
        ZSTD_DCtx_setParameter(p->zstd, ZSTD_d_windowLogMax, 27);
    }
#endif
    p->at = p->taken = 0;
    p->inside = p->ended = 0;
    p->why = NULL;
    return 1;
}

#ifdef CSSPGO_USE_ZLIB
/* Bytes that `to` got; *used: of `in`. */
static size_t gzip_step(packed *p, char *to, size_t size, size_t *used)
{
    int status;
    if (!p->inside && p->at != 0 && inflateReset(&p->z) != Z_OK) return p->why = "out of memory", 0;
    p->z.next_in = p->in + p->next;
    p->z.avail_in = (uInt)(p->size - p->next);
    p->z.next_out = (Bytef *)to;
    p->z.avail_out = (uInt)size;
    status = inflate(&p->z, Z_NO_FLUSH);
    *used = p->size - p->next - p->z.avail_in;
    p->inside = status != Z_STREAM_END;
    if (status == Z_MEM_ERROR) p->why = "out of memory";
    else if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) p->why = "its gzip data is damaged";
    return size - p->z.avail_out;
}
#endif

#ifdef CSSPGO_USE_ZSTD
static size_t zstd_step(packed *p, char *to, size_t size, size_t *used)
{
    ZSTD_inBuffer in;
    ZSTD_outBuffer out;
    size_t left;
    in.src = p->in + p->next;
    in.size = p->size - p->next;
    in.pos = 0;
    out.dst = to;
    out.size = size;
    out.pos = 0;
    left = ZSTD_decompressStream(p->zstd, &out, &in);
    if (ZSTD_isError(left))
        p->why = ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? "out of memory"
               : ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge
                     ? "its zstd data needs more than 128 MiB to be read (zstd --ultra, --long): compress it anew"
                     : "its zstd data is damaged";
    p->inside = left != 0;
    *used = in.pos;
    return out.pos;
}
#endif

/* Reads on in the file; the end of it inside a member is an error. */
static void packed_fill(packed *p)
{
    p->next = 0;
    p->size = interrupted() ? 0 : fread(p->in, 1, sizeof p->in, p->from);
    p->taken += p->size;
    if (p->size != 0) return;
    p->ended = 1;
    if (interrupted()) return;
    if (ferror(p->from)) p->why = file_why();
    else if (p->inside) p->why = "its compressed data ends too soon";
}

static size_t packed_step(packed *p, char *to, size_t size)
{
    size_t n = size < p->size - p->next ? size : p->size - p->next, used = n;
    if (p->kind == PACKED_PLAIN) memcpy(to, p->in + p->next, n);
#ifdef CSSPGO_USE_ZLIB
    if (p->kind == PACKED_GZIP) n = gzip_step(p, to, size, &used);
#endif
#ifdef CSSPGO_USE_ZSTD
    if (p->kind == PACKED_ZSTD) n = zstd_step(p, to, size, &used);
#endif
    p->next += used;
    return n;
}

/* ----- as a FILE -------------------------------------------------------------------------------------------------- */

/* By the first bytes; of a build without the library: why is set. */
static int packed_kind(const unsigned char *in, size_t size, const char **why)
{
    *why = NULL;
    if (size >= 3 && in[0] == 0x1f && in[1] == 0x8b && in[2] == 8) {
#ifndef CSSPGO_USE_ZLIB
        *why = "this is compressed (gzip), and the tool was built without zlib: decompress it";
#endif
        return PACKED_GZIP;
    }
    if (size >= 4 && memcmp(in, "\050\265\057\375", 4) == 0) {
#ifndef CSSPGO_USE_ZSTD
        *why = "this is compressed (zstd), and the tool was built without zstd: decompress it";
#endif
        return PACKED_ZSTD;
    }
    return PACKED_PLAIN;
}

/* The first bytes of a pipe say what it is. */
static void packed_learn(packed *p)
{
    uint64_t taken;
    const char *why;
    packed_fill(p);
    taken = p->taken;
    p->kind = packed_kind(p->in, p->size, &why);
    if (why == NULL && !packed_begin(p)) why = "out of memory";
    p->taken = taken;
    p->ended = p->size == 0;
    p->why = why;
}

/* After SIGINT what was read is given, and then it is as if the system call had been interrupted. */
static ssize_t packed_read(void *cookie, char *to, size_t size)
{
    packed *const p = (packed *)cookie;
    size_t n = 0;
    if (p->kind == PACKED_UNKNOWN) packed_learn(p);
    while (n == 0 && p->why == NULL && !(p->ended && p->next == p->size)) {
        if (p->next == p->size && !p->ended) packed_fill(p);
        if (p->next != p->size && p->why == NULL) n = packed_step(p, to, size < 1 << 30 ? size : 1 << 30);
        if (p->kind != PACKED_PLAIN && p->at + n > PACKED_MOST + PACKED_TIMES * p->taken)
            p->why = "it inflates to more than 1024 times its size: decompress it first";
    }
    p->at += n;
    if (p->why == NULL && n == 0 && interrupted()) return errno = EINTR, -1;
    if (p->why == NULL) return (ssize_t)n;
    errno = EBADMSG;
    return -1;
}

/* Forwards by reading, backwards from the beginning. */
static int packed_seek(void *cookie, off64_t *to, int whence)
{
    packed *const p = (packed *)cookie;
    char *skipped;
    ssize_t n = 1;
    uint64_t target;
    if (whence == SEEK_CUR) *to += (off64_t)p->at;
    if (whence == SEEK_END || *to < 0) return -1;
    target = (uint64_t)*to;
    if (target < p->at) {
        if (fseeko(p->from, 0, SEEK_SET) != 0 || !packed_begin(p)) return -1;
        p->next = p->size = 0;
    }
    skipped = (char *)malloc(PACKED_CHUNK);
    while (skipped != NULL && n > 0 && p->at < target)
        n = packed_read(p, skipped, target - p->at < PACKED_CHUNK ? (size_t)(target - p->at) : PACKED_CHUNK);
    if (skipped == NULL) n = -1;
    free(skipped);
    return n < 0 ? -1 : 0;
}

static int packed_close(void *cookie)
{
    packed *const p = (packed *)cookie;
#ifdef CSSPGO_USE_ZLIB
    inflateEnd(&p->z);
#endif
#ifdef CSSPGO_USE_ZSTD
    ZSTD_freeDCtx(p->zstd);
#endif
    if (p->from != stdin) fclose(p->from);
    free(p);
    return 0;
}

FILE *packed_open(const tool_context *tool, const char *path, FILE *from, int twice, packed **made)
{
    static const cookie_io_functions_t calls = { packed_read, NULL, packed_seek, packed_close };
    const int first = twice ? getc(from) : 0;
    packed *p;
    const char *why;
    FILE *f;
    *made = NULL;
    if (first == EOF) return clearerr(from), from;
    if (twice) ungetc(first, from);
    if (twice && first != 0x1f && first != 0x28) return from;
    p = (packed *)calloc(1, sizeof *p);
    if (p == NULL) return fail(tool, "out of memory"), fclose(from), NULL;
    p->from = from;
    if (twice) p->taken = p->size = fread(p->in, 1, 4, from);
    p->kind = twice ? packed_kind(p->in, p->size, &why) : PACKED_UNKNOWN;
    if (!twice) why = NULL;
    if (why != NULL) return fail(tool, "%s: %s", path, why), packed_close(p), NULL;
    f = packed_begin(p) ? fopencookie(p, "rb", calls) : NULL;
    if (f == NULL) return fail(tool, "out of memory"), packed_close(p), NULL;
    *made = p;
    return f;
}
