/* elf_object.h - a kernel module, which is an object file, as if it were linked: sections placed, relocations applied
 *
 * Sections get addresses as the kernel's loader lays a module out: those of code in the order of the file, each at its
 * alignment, from ELF_OBJECT_BASE on, so that one distance leads from there to where a module was loaded. Code of
 * .init* sections, which the kernel places apart and frees, and data follow at addresses that no such distance moves
 * into another module. Debug information and probes, of which an object file may have several sections of one name,
 * become one section each. Calls of what the module does not define lead to ELF_OBJECT_OUTSIDE, where there is no code.
 * Not known are sections that the kernel makes larger at load time (.plt of AArch64 modules, if it is before .text).
 *
 * Include it after csspgo.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_ELF_OBJECT_H
#define CSSPGO_EXAMPLES_ELF_OBJECT_H

#include "elf.h"

#include <stdio.h>
#include <stdlib.h>

#define ELF_OBJECT_BASE    ((uint64_t)0x10000)        /* of the code, but that of .init* sections  */
#define ELF_OBJECT_OUTSIDE ((uint64_t)0x1000)
#define ELF_OBJECT_INIT    ((uint64_t)0x70000000)     /* a signed 32-bit distance from the code    */
#define ELF_OBJECT_DATA    ((uint64_t)0x78000000)
#define ELF_OBJECT_MOST    ((uint64_t)0x04000000)     /* bytes of code, of .init* code and of data */
#define ELF_OBJECT_ALIGN   ((uint64_t)0x10000)        /* the most that a section may ask for       */

typedef enum elf_object_kind {    /* of a section */
    ELF_OBJECT_OTHER, ELF_OBJECT_CODE, ELF_OBJECT_INIT_CODE, ELF_OBJECT_OF_DATA, ELF_OBJECT_JOINED
} elf_object_kind;

typedef struct elf_object_place { /* of a section */
    elf_object_kind kind;
    uint64_t address;             /* of JOINED: its offset in the section that its name's first one becomes */
    uint32_t first;               /* JOINED: the first section of its name                                  */
} elf_object_place;

typedef struct elf_object {
    const elf_image  *from;
    elf_object_place *place;      /* of each section                                              */
    unsigned char    *to;         /* the file as linked: that of `from`, then what was put together */
    size_t            size, cap;
    uint64_t          end[4];     /* of code, .init* code, data: by kind; 0: there is none        */
    uint64_t          bytes[4];   /* up to where the file has bytes of them, from their base on   */
} elf_object;

static void elf__put(unsigned char *p, uint64_t v, unsigned bytes)
{
    unsigned i;
    for (i = 0; i < bytes; i++) p[i] = (unsigned char)(v >> 8 * i);
}

static int elf__begins(const elf_section *s, const char *with)
{
    const size_t n = strlen(with);
    return s->name_size >= n && memcmp(s->name, with, n) == 0;
}

/* ----- places ----------------------------------------------------------------------------------------------------- */

static elf_object_kind elf__object_kind(const elf_section *s)
{
    if (s->flags & ELF_SECTION_ALLOC && s->flags & ELF_SECTION_EXEC)
        return elf__begins(s, ".init") ? ELF_OBJECT_INIT_CODE : ELF_OBJECT_CODE;
    if (elf__begins(s, ".debug_") || elf__begins(s, ".pseudo_probe")) return ELF_OBJECT_JOINED;
    return s->flags & ELF_SECTION_ALLOC ? ELF_OBJECT_OF_DATA : ELF_OBJECT_OTHER;
}

/* The next place of its kind. Returns 0: no loader would take it. */
static int elf__object_place_at(elf_object *o, elf_object_place *place, const elf_section *s)
{
    const uint64_t align = elf__64(o->from->data + (size_t)(o->from->sections_at + 64 * (uint64_t)s->index + 48));
    const uint64_t base = place->kind == ELF_OBJECT_CODE ? ELF_OBJECT_BASE
                          : place->kind == ELF_OBJECT_INIT_CODE ? ELF_OBJECT_INIT : ELF_OBJECT_DATA;
    uint64_t *const end = &o->end[place->kind];
    if ((align & (align - 1)) != 0 || align > ELF_OBJECT_ALIGN) return 0;
    if (*end == 0) *end = base;
    if (align != 0) *end = (*end + align - 1) & ~(align - 1);
    place->address = *end;
    if (s->size > ELF_OBJECT_MOST || *end - base > ELF_OBJECT_MOST - s->size) return 0;
    *end += s->size;
    if (s->type != ELF_NOBITS) o->bytes[place->kind] = *end - base;
    return 1;
}

/* Joins a section to those of its name. There are fewer names than 32: of others nothing is read. */
static void elf__object_join(elf_object *o, const elf_section *s, uint32_t *named, uint64_t *sizes, uint32_t *names)
{
    elf_object_place *const place = &o->place[s->index];
    elf_section first;
    uint32_t i;
    for (i = 0; i < *names; i++) {
        elf_section_at(o->from, named[i], &first);
        if (first.name_size == s->name_size && memcmp(first.name, s->name, s->name_size) == 0) break;
    }
    if (i == 32) place->kind = ELF_OBJECT_OTHER;
    if (i == 32) return;
    if (i == *names) named[(*names)++] = s->index, sizes[i] = 0;
    place->first = named[i];
    place->address = sizes[i];
    sizes[i] += s->size;
}

/* Places all sections. Returns NULL, or what is wrong. */
static const char *elf__object_lay_out(elf_object *o)
{
    uint32_t named[32], names = 0, i;
    uint64_t sizes[32], all = 0;
    elf_section s;
    for (i = 1; i < o->from->section_count; i++) {
        elf_object_place *const place = &o->place[i];
        elf_section_at(o->from, i, &s);
        place->kind = elf__object_kind(&s);
        if (s.contents == NULL && s.type != ELF_NOBITS && s.size != 0) place->kind = ELF_OBJECT_OTHER;
        if (s.type == ELF_NOBITS && place->kind == ELF_OBJECT_JOINED) place->kind = ELF_OBJECT_OTHER;
        if (place->kind == ELF_OBJECT_OTHER) continue;
        if (s.type != ELF_NOBITS) all += s.size;
        if (all > o->from->size) return "its sections overlap";
        if (place->kind == ELF_OBJECT_JOINED) elf__object_join(o, &s, named, sizes, &names);
        else if (!elf__object_place_at(o, place, &s)) return "an object file with sections that no kernel module has";
    }
    return NULL;
}

/* ----- relocations ------------------------------------------------------------------------------------------------ */

typedef struct elf_object_field { /* what a type of relocation changes */
    uint16_t machine, type;
    uint8_t  bytes, relative;     /* relative: to its own place                                */
    uint8_t  bits, shift;         /* bits: 0: all; else a distance in instructions at a bit    */
} elf_object_field;

static const elf_object_field *elf__object_field(uint16_t machine, uint32_t type)
{
    static const elf_object_field fields[] = {
        { ELF_X86_64, 1, 8, 0, 0, 0 },    { ELF_X86_64, 2, 4, 1, 0, 0 },    { ELF_X86_64, 4, 4, 1, 0, 0 },
        { ELF_X86_64, 10, 4, 0, 0, 0 },   { ELF_X86_64, 11, 4, 0, 0, 0 },   { ELF_X86_64, 24, 8, 1, 0, 0 },
        { ELF_AARCH64, 257, 8, 0, 0, 0 }, { ELF_AARCH64, 258, 4, 0, 0, 0 }, { ELF_AARCH64, 260, 8, 1, 0, 0 },
        { ELF_AARCH64, 261, 4, 1, 0, 0 }, { ELF_AARCH64, 279, 4, 1, 14, 5 }, { ELF_AARCH64, 280, 4, 1, 19, 5 },
        { ELF_AARCH64, 282, 4, 1, 26, 0 }, { ELF_AARCH64, 283, 4, 1, 26, 0 },
    };
    size_t i;
    for (i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].machine == machine && fields[i].type == type) return &fields[i];
    return NULL;
}

/* The value of a symbol as linked. */
static uint64_t elf__object_value(const elf_object *o, const elf_symbol *y)
{
    return y->value + (y->section < o->from->section_count ? o->place[y->section].address : 0);
}

/* Changes a field in the code or data at p, which has an address. What does not fit stays as it is. */
static void elf__object_apply(const elf_object_field *f, unsigned char *p, uint64_t address, uint64_t value)
{
    const uint64_t v = f->relative ? value - address : value, mask = ((uint64_t)1 << f->bits) - 1;
    const int64_t far = (int64_t)v;
    if (f->bits == 0) {
        if (!f->relative || f->bytes == 8 || far == (int32_t)far) elf__put(p, v, f->bytes);
        return;
    }
    if (far < -((int64_t)2 << f->bits) || far >= (int64_t)2 << f->bits) return;
    elf__put(p, (elf__32(p) & ~(mask << f->shift)) | (v >> 2 & mask) << f->shift, 4);
}

/* Applies a section of relocations to the copy of the section that they are of. */
static void elf__object_relocate(elf_object *o, const elf_section *rela, const elf_section *s)
{
    const elf_object_place *const place = &o->place[s->index];
    const int code = place->kind == ELF_OBJECT_CODE || place->kind == ELF_OBJECT_INIT_CODE;
    uint64_t i;
    for (i = 0; i + 24 <= rela->size; i += 24) {
        const unsigned char *const r = rela->contents + (size_t)i;
        const uint64_t at = elf__64(r);
        const elf_object_field *const f = elf__object_field(o->from->machine, elf__32(r + 8));
        elf_symbol y;
        uint64_t value;
        if (f == NULL || at > s->size || s->size - at < f->bytes) continue;
        if (!elf_symbol_at(o->from, elf__32(r + 12), &y)) continue;
        value = elf__object_value(o, &y) + elf__64(r + 16);
        if (code && f->relative && y.section == ELF_UNDEFINED)       /* x86-64 counts from behind the field */
            value = ELF_OBJECT_OUTSIDE - (o->from->machine == ELF_X86_64 ? f->bytes : 0);
        elf__object_apply(f, o->to + (size_t)(s->offset + at), place->address + at, value);
    }
}

/* Applies all. Returns NULL, or what is wrong. */
static const char *elf__object_relocate_all(elf_object *o)
{
    elf_section rela, s;
    uint32_t i;
    for (i = 1; i < o->from->section_count; i++) {
        elf_section_at(o->from, i, &rela);
        if (rela.type != ELF_RELA || rela.contents == NULL || rela.compressed) continue;
        if (!elf_section_at(o->from, rela.info, &s) || s.contents == NULL) continue;
        if (o->place[s.index].kind == ELF_OBJECT_OTHER) continue;
        if (s.compressed)
            return "an object file with compressed debug information: objcopy --decompress-debug-sections";
        elf__object_relocate(o, &rela, &s);
    }
    return NULL;
}

/* ----- the file --------------------------------------------------------------------------------------------------- */

/* The header of a section in the copy. */
static unsigned char *elf__object_header(const elf_object *o, uint32_t section)
{
    return o->to + (size_t)(o->from->sections_at + 64 * (uint64_t)section);
}

/* Puts the sections of a name together behind the file: the first becomes them all, the others become empty. */
static void elf__object_gather(elf_object *o, uint32_t first)
{
    const size_t begin = o->size;
    elf_section s;
    uint32_t i;
    for (i = first; i < o->from->section_count; i++) {
        if (o->place[i].kind != ELF_OBJECT_JOINED || o->place[i].first != first) continue;
        elf_section_at(o->from, i, &s);
        if (s.size != 0) memcpy(o->to + o->size, o->to + (size_t)s.offset, (size_t)s.size);
        o->size += (size_t)s.size;
        if (i != first) elf__put(elf__object_header(o, i) + 4, ELF_NOBITS, 4);
        if (i != first) elf__put(elf__object_header(o, i) + 32, 0, 8);
    }
    elf__put(elf__object_header(o, first) + 24, begin, 8);
    elf__put(elf__object_header(o, first) + 32, o->size - begin, 8);
}

/* Puts code of a kind at the end of the file, as it is laid out, with the header of a segment at `segment`. */
static void elf__object_segment(elf_object *o, elf_object_kind kind, uint64_t base, unsigned char *segment)
{
    const uint64_t size = o->bytes[kind];
    elf_section s;
    uint32_t i;
    memset(o->to + o->size, 0, (size_t)size);
    for (i = 1; i < o->from->section_count; i++) {
        const uint64_t at = o->size + (o->place[i].address - base);
        if (o->place[i].kind != kind) continue;
        elf_section_at(o->from, i, &s);
        if (s.type == ELF_NOBITS || s.size == 0) continue;      /* an empty one may have any offset */
        memcpy(o->to + (size_t)at, o->to + (size_t)s.offset, (size_t)s.size);
        elf__put(elf__object_header(o, i) + 24, at, 8);
    }
    elf__put(segment, ELF_LOAD, 4);
    elf__put(segment + 4, ELF_FLAG_R | ELF_FLAG_X, 4);
    elf__put(segment + 8, o->size, 8);
    elf__put(segment + 16, base, 8);
    elf__put(segment + 24, base, 8);
    elf__put(segment + 32, size, 8);
    elf__put(segment + 40, o->end[kind] - base, 8);
    elf__put(segment + 48, 4096, 8);
    o->size += (size_t)size;
}

/* Addresses of sections and symbols. */
static void elf__object_addresses(elf_object *o)
{
    elf_symbol y;
    uint32_t i;
    for (i = 1; i < o->from->section_count; i++)
        if (o->place[i].kind != ELF_OBJECT_OTHER && o->place[i].kind != ELF_OBJECT_JOINED)
            elf__put(elf__object_header(o, i) + 16, o->place[i].address, 8);
    for (i = 1; elf_symbol_at(o->from, i, &y); i++)
        elf__put(o->to + (size_t)(o->from->symbols_at + 24 * (uint64_t)i + 8), elf__object_value(o, &y), 8);
}

/* Writes the copy. Returns NULL, or what is wrong. */
static const char *elf__object_write(elf_object *o)
{
    size_t segments;
    const char *bad;
    uint32_t i;
    o->cap = 2 * o->from->size + 112;                      /* what is joined is no larger than the file */
    o->cap += (size_t)(o->bytes[ELF_OBJECT_CODE] + o->bytes[ELF_OBJECT_INIT_CODE]);
    o->to = (unsigned char *)malloc(o->cap);
    if (o->to == NULL) return "out of memory";
    memcpy(o->to, o->from->data, o->from->size);
    o->size = o->from->size;
    if ((bad = elf__object_relocate_all(o)) != NULL) return bad;
    segments = o->size;
    memset(o->to + segments, 0, 112);
    o->size += 112;
    for (i = 1; i < o->from->section_count; i++)
        if (o->place[i].kind == ELF_OBJECT_JOINED && o->place[i].first == i) elf__object_gather(o, i);
    elf__object_segment(o, ELF_OBJECT_CODE, ELF_OBJECT_BASE, o->to + segments);
    if (o->end[ELF_OBJECT_INIT_CODE] != 0)
        elf__object_segment(o, ELF_OBJECT_INIT_CODE, ELF_OBJECT_INIT, o->to + segments + 56);
    elf__object_addresses(o);
    elf__put(o->to + 16, ELF_DYN, 2);
    elf__put(o->to + 32, segments, 8);
    elf__put(o->to + 54, 56, 2);
    elf__put(o->to + 56, o->end[ELF_OBJECT_INIT_CODE] != 0 ? 2 : 1, 2);
    return NULL;
}

/*
 * Links an object file that stands alone.
 *
 *   from    opened, of the type ELF_REL; it and its bytes are only read
 *   size    gets the size of the result
 *   why     gets one terminated sentence after a failure
 *
 * Returns   the bytes of a file of the type ELF_DYN, for free; NULL: memory is exhausted, or it is no module
 * Cost      O(bytes of the file + symbols + relocations)
 */
ELF__UNUSED static unsigned char *elf_object_link(const elf_image *from, size_t *size, char *why, size_t why_size)
{
    const char *bad = NULL;
    elf_object o;
    memset(&o, 0, sizeof o);
    o.from = from;
    if (from->machine != ELF_X86_64 && from->machine != ELF_AARCH64) bad = "neither x86-64 nor AArch64";
    else if ((o.place = (elf_object_place *)calloc((size_t)from->section_count + 1, sizeof *o.place)) == NULL)
        bad = "out of memory";
    if (bad == NULL) bad = elf__object_lay_out(&o);
    if (bad == NULL && o.end[ELF_OBJECT_CODE] == 0) bad = "an object file without code";
    if (bad == NULL) bad = elf__object_write(&o);
    free(o.place);
    *size = o.size;
    if (bad == NULL) return o.to;
    free(o.to);
    elf__fail(why, why_size, bad);
    return NULL;
}

#endif /* CSSPGO_EXAMPLES_ELF_OBJECT_H */
