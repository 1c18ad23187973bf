/* sections.h - ExtBinary files taken apart and put together by hand: what LLVM's SampleProf.h says of their sections.
 * To be included after csspgo.h. */
#ifndef SECTIONS_H
#define SECTIONS_H

enum { SEC_SUMMARY = 1, SEC_NAMES = 2, SEC_SYMBOLS = 3, SEC_OFFSETS = 4, SEC_META = 5, SEC_CONTEXTS = 6, SEC_RECORDS = 32 };

#define SEC_COMPRESSED ((uint64_t)1)
#define SEC_CS         ((uint64_t)2 << 32)   /* of SEC_SUMMARY */
#define SEC_ORDERED    ((uint64_t)1 << 32)   /* of SEC_OFFSETS */
#define SEC_PROBES     ((uint64_t)1 << 32)   /* of SEC_META    */
#define EXTBINARY      UINT64_C(0x5350524f46343204)

static inline uint64_t le64(const unsigned char *p)
{
    uint64_t x = 0;
    unsigned i;
    for (i = 8; i-- != 0;) x = x << 8 | p[i];
    return x;
}

/* Section i of the table, which stands at byte 18 of a file. */
static inline csspgo_section section_at(const unsigned char *table, size_t i)
{
    csspgo_section s;
    s.type = le64(table + 32 * i);
    s.flags = le64(table + 32 * i + 8);
    s.offset = le64(table + 32 * i + 16);
    s.size = le64(table + 32 * i + 24);
    return s;
}

/* A LEB128 number; *p goes behind it. */
static inline uint64_t uleb_at(const unsigned char **p)
{
    uint64_t v = 0;
    unsigned shift = 0;
    do v |= (uint64_t)(**p & 127) << shift;
    while (shift += 7, *(*p)++ & 128);
    return v;
}

/* Writes one; returns its size, at most 10 bytes. */
static inline size_t put_uleb(unsigned char *out, uint64_t v)
{
    size_t n = 0;
    for (; v > 127; v >>= 7) out[n++] = (unsigned char)((v & 127) | 128);
    out[n++] = (unsigned char)v;
    return n;
}

#endif
