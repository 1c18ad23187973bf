/* jitdump.h - reads what a JIT tells perf of its code: jit-PID.dump, in either byte order, and perf-PID.map
 *
 * One header, static functions, no allocation, nothing kept but pointers into the caller's bytes. The bytes may be
 * anything: every size is checked against what is there. A record that makes no sense is skipped and counted; where
 * records end inside a record, they end there, and what came before is good.
 *
 *     jitdump d;
 *     jitdump_record r;
 *     if (!jitdump_open(&d, data, size, why, sizeof why)) return fail(why);
 *     while (jitdump_next(&d, &r))
 *         if (r.kind == JITDUMP_LOAD) use(r.time, r.address, r.code, r.size, r.name, r.name_size);
 *
 * Times are those of the machine's monotonic clock in nanoseconds. Several threads may write a dump, so records may be
 * out of order by a little. Names and files are not terminated. Part of csspgo, same licence.
 *
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt and tools/perf/util/symbol.c (maps)
 */
#ifndef CSSPGO_EXAMPLES_JITDUMP_H
#define CSSPGO_EXAMPLES_JITDUMP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__)
#  define JITDUMP__UNUSED __attribute__((unused))
#else
#  define JITDUMP__UNUSED
#endif

enum { /* jitdump_record.kind; others are skipped */
    JITDUMP_LOAD = 0,             /* code is there                                                  */
    JITDUMP_MOVE = 1,             /* ... and now elsewhere                                          */
    JITDUMP_DEBUG = 2,            /* source lines of the code that the next JITDUMP_LOAD tells of   */
    JITDUMP_CLOSE = 3,            /* the writer has ended                                           */
    JITDUMP_UNWIND = 4            /* unwind tables of the code that the next JITDUMP_LOAD tells of  */
};

#define JITDUMP_RECORD_LIMIT (16u << 20)   /* bytes; larger records are skipped and counted          */
#define JITDUMP_NAME_LIMIT 4096u           /* bytes; names are cut there                             */

typedef struct jitdump {
    const unsigned char *data;    /* the caller's bytes, borrowed as long as the dump is used         */
    size_t   size;
    size_t   at;                  /* offset of the next record                                        */
    int      big_endian;
    uint32_t machine, pid;        /* ELF's number: 62 x86-64, 183 AArch64; process as it knows itself */
    uint64_t bad, first_bad;      /* records skipped as they make no sense; offset of the first one   */
    uint64_t unknown;             /* records skipped: of other kinds                                  */
    int      cut;                 /* 1: the bytes from `at` on are no whole record                    */
} jitdump;

typedef struct jitdump_record {
    uint32_t kind, pid, tid;
    uint64_t time;                /* nanoseconds                                                      */
    uint64_t offset;              /* of the record in the dump                                        */
    uint64_t address;             /* JITDUMP_LOAD, _DEBUG: of the code; _MOVE: where it is now        */
    uint64_t old;                 /* JITDUMP_MOVE: where it was                                       */
    uint64_t size;                /* of the code, bytes; JITDUMP_DEBUG: of the entries                */
    uint64_t index;               /* number of the code; JITDUMP_DEBUG: how many entries there are    */
    const char *name;             /* JITDUMP_LOAD: name_size bytes                                    */
    size_t   name_size;
    const unsigned char *code;    /* JITDUMP_LOAD: size bytes; JITDUMP_DEBUG: the entries             */
} jitdump_record;

typedef struct jitdump_line {
    uint64_t address;             /* the line's code begins here                                      */
    uint32_t line, discriminator; /* from 1; the discriminator is V8's column                         */
} jitdump_line;

typedef struct perfmap_line { uint64_t begin, end, offset; const char *name; size_t name_size; } perfmap_line;

static uint32_t jitdump__32(const jitdump *d, size_t at)
{
    const unsigned char *p = d->data + at;
    if (d->big_endian) return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t jitdump__64(const jitdump *d, size_t at)
{
    const uint64_t a = jitdump__32(d, at), b = jitdump__32(d, at + 4);
    return d->big_endian ? a << 32 | b : b << 32 | a;
}

static int jitdump__why(char *why, size_t why_size, uint64_t offset, const char *text)
{
    snprintf(why, why_size, "byte %llu: %s", (unsigned long long)offset, text);
    return 0;
}

/* Reads the header; d is then before the first record. Returns 1; 0 with a sentence in why. */
static JITDUMP__UNUSED int jitdump_open(jitdump *d, const void *data, size_t size, char *why, size_t why_size)
{
    static const unsigned char magic[4] = { 'J', 'i', 'T', 'D' };
    uint64_t header, flags;
    memset(d, 0, sizeof *d);
    d->data = (const unsigned char *)data;
    d->size = size;
    if (size < 4) return jitdump__why(why, why_size, size, "no jitdump: it ends here");
    d->big_endian = memcmp(data, magic, 4) == 0;
    if (jitdump__32(d, 0) != 0x4a695444) return jitdump__why(why, why_size, 0, "no jitdump: another magic");
    if (size < 40) return jitdump__why(why, why_size, size, "the jitdump ends inside its header");
    if (jitdump__32(d, 4) != 1) return jitdump__why(why, why_size, 4, "a jitdump of another version than 1");
    header = jitdump__32(d, 8);
    if (header < 40 || header > size) return jitdump__why(why, why_size, 8, "the header has no such size");
    d->machine = jitdump__32(d, 12);
    d->pid = jitdump__32(d, 20);
    flags = jitdump__64(d, 32);
    if (flags & 1)
        return jitdump__why(why, why_size, 32, "times of the CPU's counter are not supported, only the clock's");
    if (flags != 0) return jitdump__why(why, why_size, 32, "the jitdump has flags that are not known");
    d->at = (size_t)header;
    return 1;
}

static int jitdump__load(const jitdump *d, size_t at, size_t end, jitdump_record *r)
{
    const unsigned char *nul;
    if (end - at < 57) return 0;
    r->pid = jitdump__32(d, at + 16);
    r->tid = jitdump__32(d, at + 20);
    r->address = jitdump__64(d, at + 32);
    r->size = jitdump__64(d, at + 40);
    r->index = jitdump__64(d, at + 48);
    if (r->size > end - at - 57 || r->address > UINT64_MAX - r->size) return 0;
    r->code = d->data + (end - (size_t)r->size);
    r->name = (const char *)d->data + at + 56;
    nul = (const unsigned char *)memchr(r->name, 0, end - at - 56 - (size_t)r->size);
    if (nul == NULL) return 0;
    r->name_size = (size_t)(nul - (const unsigned char *)r->name);
    if (r->name_size > JITDUMP_NAME_LIMIT) r->name_size = JITDUMP_NAME_LIMIT;
    return 1;
}

static int jitdump__move(const jitdump *d, size_t at, size_t end, jitdump_record *r)
{
    if (end - at < 64) return 0;
    r->pid = jitdump__32(d, at + 16);
    r->tid = jitdump__32(d, at + 20);
    r->old = jitdump__64(d, at + 32);
    r->address = jitdump__64(d, at + 40);
    r->size = jitdump__64(d, at + 48);
    r->index = jitdump__64(d, at + 56);
    return r->address <= UINT64_MAX - r->size;
}

static int jitdump__debug(const jitdump *d, size_t at, size_t end, jitdump_record *r)
{
    if (end - at < 32) return 0;
    r->address = jitdump__64(d, at + 16);
    r->index = jitdump__64(d, at + 24);
    r->code = d->data + at + 32;
    r->size = end - at - 32;
    return r->index <= r->size / 17;
}

/* The bytes of the record at an offset; 0: no whole one is there. */
static uint32_t jitdump__size(const jitdump *d, size_t at)
{
    uint32_t size;
    if (at > d->size || d->size - at < 16) return 0;
    size = jitdump__32(d, at + 4);
    return size >= 16 && size <= d->size - at ? size : 0;
}

/* Reads the record at an offset. Returns 1; 0: it makes no sense; -1: it is of a kind that is not known. */
static JITDUMP__UNUSED int jitdump_at(const jitdump *d, size_t at, jitdump_record *r)
{
    const uint32_t size = jitdump__size(d, at);
    memset(r, 0, sizeof *r);
    if (size == 0 || size > JITDUMP_RECORD_LIMIT) return 0;
    r->kind = jitdump__32(d, at);
    r->time = jitdump__64(d, at + 8);
    r->offset = at;
    switch (r->kind) {
    case JITDUMP_LOAD: return jitdump__load(d, at, at + size, r);
    case JITDUMP_MOVE: return jitdump__move(d, at, at + size, r);
    case JITDUMP_DEBUG: return jitdump__debug(d, at, at + size, r);
    case JITDUMP_CLOSE: case JITDUMP_UNWIND: return 1;
    default: return -1;
    }
}

/* The next record that makes sense. Returns 0 at the end, or where records end inside a record (d->cut). */
static JITDUMP__UNUSED int jitdump_next(jitdump *d, jitdump_record *r)
{
    while (d->at != d->size) {
        const size_t at = d->at;
        const uint32_t size = jitdump__size(d, at);
        int ok;
        if (size == 0) {
            d->cut = 1;
            return 0;
        }
        d->at += size;
        ok = jitdump_at(d, at, r);
        if (ok == 1) return 1;
        d->unknown += ok == -1;
        if (ok == 0 && d->bad++ == 0) d->first_bad = at;
    }
    return 0;
}

/*
 * The next line of a JITDUMP_DEBUG record. V8 may write file names from memory that has moved, with NULs in them, so
 * an entry ends where an address of the code follows a NUL, or where the next such address is.
 *
 *   low, high   addresses that entries may have, inclusive
 *   at          offset in the entries, 0 at first; moves on
 *
 * Returns 1, or 0 at the end. Reads every byte a constant number of times.
 */
static JITDUMP__UNUSED int jitdump_next_line(const jitdump *d, const jitdump_record *r, uint64_t low, uint64_t high,
                                             size_t *at, jitdump_line *line)
{
    const size_t base = (size_t)(r->code - d->data), size = (size_t)r->size;
    for (; *at <= size && size - *at >= 17; (*at)++) {
        const unsigned char *nul;
        line->address = jitdump__64(d, base + *at);
        if (line->address < low || line->address > high) continue;
        line->line = jitdump__32(d, base + *at + 8);
        line->discriminator = jitdump__32(d, base + *at + 12);
        *at += 16;
        nul = (const unsigned char *)memchr(d->data + base + *at, 0, size - *at);
        *at = nul != NULL ? (size_t)(nul - (d->data + base)) + 1 : size;
        return 1;
    }
    return 0;
}

/* ----- perf-PID.map: lines "START SIZE NAME" ---------------------------------------------------------------------- */

/* A hexadecimal number, 0x before it or not, and the blanks behind it. Returns 0 if none is there that fits. */
static int perfmap__number(const char **p, const char *end, uint64_t *value)
{
    const char *q = *p;
    int n = 0;
    *value = 0;
    if (end - q > 2 && q[0] == '0' && (q[1] == 'x' || q[1] == 'X')) q += 2;
    for (; q != end; q++, n++) {
        const unsigned c = (unsigned char)*q;
        const unsigned v = c - '0' < 10 ? c - '0' : (c | 32) - 'a' < 6 ? (c | 32) - 'a' + 10 : 16;
        if (v == 16) break;
        if (*value >> 60 != 0) return 0;
        *value = *value << 4 | v;
    }
    if (n == 0 || (q != end && *q != ' ' && *q != '\t')) return 0;
    while (q != end && (*q == ' ' || *q == '\t')) q++;
    *p = q;
    return 1;
}

/* Reads the line that begins at an offset. Returns 1; 0: it makes no sense or has no code; -1: it is blank. */
static JITDUMP__UNUSED int perfmap_at(const char *text, size_t size, size_t at, perfmap_line *l)
{
    const char *p = text + at, *end = (const char *)memchr(p, '\n', size - at);
    uint64_t bytes;
    if (end == NULL) end = text + size;
    while (end != p && (end[-1] == '\r' || end[-1] == ' ')) end--;
    if (p == end) return -1;
    l->offset = at;
    if (!perfmap__number(&p, end, &l->begin) || !perfmap__number(&p, end, &bytes)) return 0;
    if (bytes == 0 || l->begin > UINT64_MAX - bytes) return 0;
    l->end = l->begin + bytes;
    l->name = p;
    l->name_size = (size_t)(end - p) < JITDUMP_NAME_LIMIT ? (size_t)(end - p) : JITDUMP_NAME_LIMIT;
    return 1;
}

/* The next line that makes sense; *at moves on; *bad counts others. Returns 0 at the end. */
static JITDUMP__UNUSED int perfmap_next(const char *text, size_t size, size_t *at, perfmap_line *l, uint64_t *bad)
{
    while (*at < size) {
        const char *end = (const char *)memchr(text + *at, '\n', size - *at);
        const int ok = perfmap_at(text, size, *at, l);
        *at = end != NULL ? (size_t)(end - text) + 1 : size;
        if (ok == 1) return 1;
        *bad += ok == 0;
    }
    return 0;
}

#endif
