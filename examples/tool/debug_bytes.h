/* debug_bytes.h - numbers of debug information, out of bytes that may end anywhere */
#ifndef CSSPGO_TOOL_DEBUG_BYTES_H
#define CSSPGO_TOOL_DEBUG_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct debug_bytes {
    const unsigned char *p, *end;
    int bad;                      /* a read went beyond the end */
} debug_bytes;

static inline debug_bytes debug_bytes_of(const unsigned char *p, size_t size)
{
    debug_bytes b;
    b.p = p;
    b.end = p + size;
    b.bad = 0;
    return b;
}

static inline void debug_skip(debug_bytes *b, uint64_t size)
{
    if ((uint64_t)(b->end - b->p) >= size) {
        b->p += size;
        return;
    }
    b->bad = 1;
    b->p = b->end;
}

/* An unsigned number of `size` bytes; of more than 8 the low ones count. */
static inline uint64_t debug_fixed(debug_bytes *b, size_t size)
{
    const unsigned char *const p = b->p;
    uint64_t v = 0;
    size_t i;
    debug_skip(b, size);
    if (b->bad) return 0;
    for (i = 0; i < size && i < 8; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static inline uint64_t debug_leb(debug_bytes *b, int is_signed)
{
    uint64_t v = 0;
    unsigned shift = 0;
    unsigned char byte = 0x80;
    while (byte & 0x80) {
        if (b->p == b->end) {
            b->bad = 1;
            return 0;
        }
        byte = *b->p++;
        if (shift < 64) v |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (is_signed && byte & 0x40 && shift < 64) v |= ~(uint64_t)0 << shift;
    return v;
}

/* The length at the beginning of a unit or table; narrows b to it. *wide: bytes of an offset. Returns 0: damaged. */
static inline int debug_length(debug_bytes *b, unsigned *wide)
{
    uint64_t length = debug_fixed(b, 4);
    *wide = length == 0xffffffff ? 8 : 4;
    if (*wide == 8) length = debug_fixed(b, 8);
    if (b->bad || length > (uint64_t)(b->end - b->p)) return 0;
    b->end = b->p + length;
    return 1;
}

#endif
