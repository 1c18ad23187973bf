/* elf.h - reads ELF64 little-endian images (x86-64, AArch64 and others) that lie in memory
 *
 * One header, static functions, no allocation, no recursion, nothing kept but pointers into the caller's bytes.
 * The bytes may be anything: every offset, size and count is checked against what is there before it is used, and
 * what is asked one piece at a time (a section, a symbol) costs a constant number of reads. What makes the file as a
 * whole unusable fails in elf_open() with a sentence; what is wrong with one piece only makes that piece empty.
 *
 *     elf_image image;
 *     char why[160];
 *     if (!elf_open(data, size, &image, why, sizeof why)) return fail(why);
 *     for (i = 0; i < image.symbol_count; i++) {
 *         elf_symbol symbol;
 *         if (elf_symbol_at(&image, i, &symbol)) use(symbol.name, symbol.name_size, symbol.value);
 *     }
 *
 * Names are not terminated: they come with a length, at most ELF_NAME_LIMIT. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_ELF_H
#define CSSPGO_EXAMPLES_ELF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#  define ELF__UNUSED __attribute__((unused))
#else
#  define ELF__UNUSED
#endif

#define ELF_NAME_LIMIT 16384u   /* bytes; names are cut there, so that a million symbols cannot share one huge name */

enum {
    ELF_REL = 1, ELF_EXEC = 2, ELF_DYN = 3,                                       /* elf_image.type       */
    ELF_X86_64 = 62, ELF_AARCH64 = 183,                                           /* elf_image.machine    */
    ELF_LOAD = 1, ELF_NOTE_SEGMENT = 4, ELF_EH_FRAME = 0x6474e550,                /* elf_segment.type     */
    ELF_FLAG_X = 1, ELF_FLAG_W = 2, ELF_FLAG_R = 4,                               /* elf_segment.flags    */
    ELF_PROGBITS = 1, ELF_SYMTAB = 2, ELF_STRTAB = 3, ELF_RELA = 4, ELF_NOTE = 7, ELF_NOBITS = 8, /* elf_section.type */
    ELF_DYNSYM = 11, ELF_SHNDX = 18,
    ELF_SECTION_WRITE = 1, ELF_SECTION_ALLOC = 2, ELF_SECTION_EXEC = 4, ELF_SECTION_COMPRESSED = 0x800, /* .flags */
    ELF_NOTYPE = 0, ELF_OBJECT = 1, ELF_FUNC = 2, ELF_SECTION_SYMBOL = 3, ELF_FILE = 4, ELF_IFUNC = 10,/* of a symbol */
    ELF_LOCAL = 0, ELF_GLOBAL = 1, ELF_WEAK = 2,                                  /* symbol bind          */
    ELF_UNDEFINED = 0, ELF_ABSOLUTE = 0xfff1, ELF_COMMON = 0xfff2                 /* elf_symbol.section   */
};

/* An opened image. The fields up to symbol_count are for reading; the rest is private. */
typedef struct elf_image {
    const unsigned char *data;             /* the caller's bytes, borrowed as long as the image is used */
    size_t   size;
    uint16_t machine, type;                /* ELF_X86_64 ..., ELF_EXEC ...                              */
    uint64_t entry;                        /* virtual address                                           */
    uint32_t segment_count, section_count; /* section 0 is the empty one of the format                  */
    uint32_t symbol_count;                 /* entries of the first .symtab, the empty entry 0 included  */

    uint64_t segments_at, sections_at;     /* file offsets of the tables, which lie wholly in the file  */
    uint64_t names_at, names_size;         /* section names                                             */
    uint64_t symbols_at;
    uint64_t symbol_names_at, symbol_names_size;
    uint64_t indices_at, indices_count;    /* section numbers that do not fit a symbol's 16 bits        */
} elf_image;

typedef struct elf_segment {
    uint32_t type, flags;                  /* ELF_LOAD ..., ELF_FLAG_X ...                                       */
    uint64_t address, offset, file_size, memory_size, align;
    const unsigned char *contents;         /* file_size bytes; NULL when they are not all in the file            */
} elf_segment;

typedef struct elf_section {
    const char *name;                      /* name_size bytes, never NULL                                        */
    size_t   name_size;
    uint32_t index, type, link, info;
    uint64_t flags, address, offset, size, entry_size;
    const unsigned char *contents;         /* size bytes; NULL for ELF_NOBITS and when they are not all there    */
    int      compressed;                   /* contents are a compression header and a stream, not the bytes      */
} elf_section;

typedef struct elf_symbol {
    const char *name;                      /* name_size bytes, never NULL                                        */
    size_t   name_size;
    uint64_t value, size;                  /* address (offset in its section in a relocatable file); bytes       */
    uint8_t  type, bind;                   /* ELF_FUNC ..., ELF_LOCAL ...                                        */
    uint32_t section;                      /* index, ELF_UNDEFINED, or a reserved number such as ELF_ABSOLUTE    */
} elf_symbol;

static uint16_t elf__16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t elf__32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t elf__64(const unsigned char *p)
{
    return (uint64_t)elf__32(p) | (uint64_t)elf__32(p + 4) << 32;
}

/* The bytes [offset, offset + size) of the file, or NULL when not all of them are there. */
static const unsigned char *elf__bytes(const elf_image *image, uint64_t offset, uint64_t size)
{
    if (offset > image->size || size > image->size - offset) return NULL;
    return image->data + (size_t)offset;
}

/* A name out of a string table that lies in the file; ends at its NUL, at the table's end or at the limit. */
static const char *elf__name(const elf_image *image, uint64_t at, uint64_t size, uint64_t index, size_t *length)
{
    const unsigned char *begin, *end;
    uint64_t left;
    *length = 0;
    if (index >= size) return "";
    left = size - index < ELF_NAME_LIMIT ? size - index : ELF_NAME_LIMIT;
    begin = image->data + (size_t)(at + index);
    end = (const unsigned char *)memchr(begin, 0, (size_t)left);
    *length = end != NULL ? (size_t)(end - begin) : (size_t)left;
    return (const char *)begin;
}

static int elf__fail(char *message, size_t size, const char *text)
{
    size_t n = strlen(text);
    if (message == NULL || size == 0) return 0;
    if (n >= size) n = size - 1;
    memcpy(message, text, n);
    message[n] = '\0';
    return 0;
}

/*
 * The section with this number.
 *
 * Returns   1, or 0 when there is no such section
 */
ELF__UNUSED static int elf_section_at(const elf_image *image, uint32_t index, elf_section *out)
{
    const unsigned char *p;
    memset(out, 0, sizeof *out);
    out->name = "";
    if (index >= image->section_count) return 0;
    p = image->data + (size_t)(image->sections_at + 64 * (uint64_t)index);
    out->index = index;
    out->type = elf__32(p + 4);
    out->flags = elf__64(p + 8);
    out->address = elf__64(p + 16);
    out->offset = elf__64(p + 24);
    out->size = elf__64(p + 32);
    out->link = elf__32(p + 40);
    out->info = elf__32(p + 44);
    out->entry_size = elf__64(p + 56);
    out->compressed = (out->flags & ELF_SECTION_COMPRESSED) != 0;
    out->name = elf__name(image, image->names_at, image->names_size, elf__32(p), &out->name_size);
    if (out->type != ELF_NOBITS && index != 0) out->contents = elf__bytes(image, out->offset, out->size);
    return 1;
}

/*
 * The first section of that name (terminated).
 *
 * Returns   1, or 0 when there is none
 * Cost      O(number of sections)
 */
ELF__UNUSED static int elf_section_named(const elf_image *image, const char *name, elf_section *out)
{
    const size_t n = strlen(name);
    uint32_t i;
    for (i = 1; i < image->section_count; i++) {
        if (elf_section_at(image, i, out) && out->name_size == n && memcmp(out->name, name, n) == 0) return 1;
    }
    memset(out, 0, sizeof *out);
    out->name = "";
    return 0;
}

/*
 * The program header with this number.
 *
 * Returns   1, or 0 when there is no such header
 */
ELF__UNUSED static int elf_segment_at(const elf_image *image, uint32_t index, elf_segment *out)
{
    const unsigned char *p;
    memset(out, 0, sizeof *out);
    if (index >= image->segment_count) return 0;
    p = image->data + (size_t)(image->segments_at + 56 * (uint64_t)index);
    out->type = elf__32(p);
    out->flags = elf__32(p + 4);
    out->offset = elf__64(p + 8);
    out->address = elf__64(p + 16);
    out->file_size = elf__64(p + 32);
    out->memory_size = elf__64(p + 40);
    out->align = elf__64(p + 48);
    out->contents = elf__bytes(image, out->offset, out->file_size);
    return 1;
}

/*
 * The symbol with this number in .symtab, in the table's order.
 *
 * Returns   1, or 0 when there is no such symbol
 */
ELF__UNUSED static int elf_symbol_at(const elf_image *image, uint32_t index, elf_symbol *out)
{
    const unsigned char *p;
    memset(out, 0, sizeof *out);
    out->name = "";
    if (index >= image->symbol_count) return 0;
    p = image->data + (size_t)(image->symbols_at + 24 * (uint64_t)index);
    out->type = p[4] & 15;
    out->bind = p[4] >> 4;
    out->section = elf__16(p + 6);
    out->value = elf__64(p + 8);
    out->size = elf__64(p + 16);
    if (out->section == 0xffff) {                          /* the number stands in a table of its own */
        out->section = ELF_UNDEFINED;
        if (index < image->indices_count) {
            out->section = elf__32(image->data + (size_t)(image->indices_at + 4 * (uint64_t)index));
        }
    }
    out->name = elf__name(image, image->symbol_names_at, image->symbol_names_size, elf__32(p), &out->name_size);
    return 1;
}

/* Finds a GNU build id in a run of notes (4-byte aligned). */
static const unsigned char *elf__note_id(const unsigned char *p, uint64_t size, uint64_t *id_size)
{
    while (p != NULL && size >= 12) {
        const uint64_t name = elf__32(p), description = elf__32(p + 4), type = elf__32(p + 8);
        const uint64_t name_padded = (name + 3) & ~(uint64_t)3, padded = (description + 3) & ~(uint64_t)3;
        if (name_padded > size - 12 || description > size - 12 - name_padded) return NULL;
        if (type == 3 && name == 4 && memcmp(p + 12, "GNU", 4) == 0) {
            *id_size = description;
            return p + 12 + name_padded;
        }
        if (padded > size - 12 - name_padded) return NULL;
        p += 12 + name_padded + padded;
        size -= 12 + name_padded + padded;
    }
    return NULL;
}

/*
 * The GNU build id, from the note sections or else from the note segments.
 *
 *   size   gets its length in bytes, usually 20
 *
 * Returns   the first byte, or NULL when there is none
 * Cost      O(bytes of notes)
 */
ELF__UNUSED static const unsigned char *elf_build_id(const elf_image *image, size_t *size)
{
    const unsigned char *id = NULL;
    elf_section section;
    elf_segment segment;
    uint64_t n = 0, budget = image->size;                  /* overlapping notes must not multiply the work */
    uint32_t i;
    for (i = 1; id == NULL && i < image->section_count; i++) {
        elf_section_at(image, i, &section);
        if (section.type != ELF_NOTE || section.size > budget) continue;
        budget -= section.size;
        id = elf__note_id(section.contents, section.size, &n);
    }
    for (i = 0; id == NULL && i < image->segment_count; i++) {
        elf_segment_at(image, i, &segment);
        if (segment.type != ELF_NOTE_SEGMENT || segment.file_size > budget) continue;
        budget -= segment.file_size;
        id = elf__note_id(segment.contents, segment.file_size, &n);
    }
    *size = (size_t)n;
    return id;
}

/*
 * 1 if the names of all symbols together are not much longer than their table and their strings: symbols may share
 * ends of strings, but a file in which a hundred thousand share one would cost whoever keeps names a gigabyte.
 */
static int elf__names_fit(const elf_image *image)
{
    uint64_t left = 16 * ((uint64_t)24 * image->symbol_count + image->symbol_names_size) + ((uint64_t)1 << 20);
    uint32_t i;
    size_t n;
    for (i = 0; i < image->symbol_count; i++) {
        const unsigned char *p = image->data + (size_t)(image->symbols_at + 24 * (uint64_t)i);
        elf__name(image, image->symbol_names_at, image->symbol_names_size, elf__32(p), &n);
        if (n > left) return 0;
        left -= n;
    }
    return 1;
}

/* Finds a symbol table, its names and its table of large section numbers; leaves the counts 0 if there are none. */
static int elf__open_symbols(elf_image *image, uint32_t type, char *message, size_t message_size)
{
    elf_section table, other;
    uint32_t i, at = 0;
    for (i = 1; at == 0 && i < image->section_count; i++) {
        if (elf_section_at(image, i, &table) && table.type == type) at = i;
    }
    if (at == 0) return 1;
    elf_section_at(image, at, &table);
    if (table.contents == NULL || table.compressed) {
        return elf__fail(message, message_size, "the symbol table lies outside the file or is compressed");
    }
    if (table.entry_size != 24) return elf__fail(message, message_size, "symbol table entries are not 24 bytes long");
    if (table.size / 24 > 0xffffffffu) return elf__fail(message, message_size, "the symbol table is too long");
    image->symbols_at = table.offset;
    image->symbol_count = (uint32_t)(table.size / 24);
    if (elf_section_at(image, table.link, &other) && other.type == ELF_STRTAB && other.contents != NULL) {
        image->symbol_names_at = other.offset;
        image->symbol_names_size = other.size;
    }
    for (i = 1; i < image->section_count; i++) {
        elf_section_at(image, i, &other);
        if (other.type != ELF_SHNDX || other.link != at || other.contents == NULL) continue;
        image->indices_at = other.offset;
        image->indices_count = other.size / 4;
        break;
    }
    if (!elf__names_fit(image))
        return elf__fail(message, message_size, "its symbols share names: these would be much longer than the file");
    return 1;
}

/* Reads where the tables are; the numbers that do not fit the file header stand in section 0. */
static int elf__open_tables(elf_image *image, char *message, size_t message_size)
{
    const unsigned char *header = image->data;
    const unsigned segment_size = elf__16(header + 54), section_size = elf__16(header + 58);
    uint64_t segments = elf__16(header + 56), sections = elf__16(header + 60), names = elf__16(header + 62);
    elf_section section;
    image->segments_at = elf__64(header + 32);
    image->sections_at = elf__64(header + 40);
    if (image->sections_at != 0) {
        const unsigned char *first = elf__bytes(image, image->sections_at, 64);
        if (section_size != 64) return elf__fail(message, message_size, "section headers are not 64 bytes long");
        if (first == NULL) return elf__fail(message, message_size, "the section headers lie outside the file");
        if (sections == 0) sections = elf__64(first + 32);
        if (names == 0xffff) names = elf__32(first + 40);
        if (segments == 0xffff) segments = elf__32(first + 44);
        if (sections > (image->size - image->sections_at) / 64) {
            return elf__fail(message, message_size, "the section headers run over the end of the file");
        }
        if (sections > 0xffffffffu) return elf__fail(message, message_size, "too many sections");
        image->section_count = (uint32_t)sections;
    }
    if (segments != 0 && image->segments_at != 0) {
        if (segment_size != 56) return elf__fail(message, message_size, "program headers are not 56 bytes long");
        if (elf__bytes(image, image->segments_at, 56 * segments) == NULL) {
            return elf__fail(message, message_size, "the program headers lie outside the file");
        }
        image->segment_count = (uint32_t)segments;
    }
    if (names < image->section_count && elf_section_at(image, (uint32_t)names, &section) &&
        section.type == ELF_STRTAB && section.contents != NULL) {
        image->names_at = section.offset;
        image->names_size = section.size;
    }
    return 1;
}

/*
 * Opens the image of a whole ELF file.
 *
 *   data, size      the file, size in bytes; borrowed as long as out is used; need not be aligned
 *   out             filled in; all zero after a failure
 *   message         NULL, or gets one terminated sentence after a failure
 *
 * Returns   1, or 0 when this is not an ELF64 little-endian file whose tables lie in the file
 * Cost      O(number of sections + bytes of the symbols' names)
 */
ELF__UNUSED static int elf_open(const void *data, size_t size, elf_image *out, char *message, size_t message_size)
{
    static const unsigned char magic[4] = { 0x7f, 'E', 'L', 'F' };
    const unsigned char *header = (const unsigned char *)data;
    int ok = 0;
    memset(out, 0, sizeof *out);
    if (data == NULL || size < 4 || memcmp(header, magic, 4) != 0) {
        elf__fail(message, message_size, "not an ELF file");
    } else if (size < 64) {
        elf__fail(message, message_size, "the file ends inside the ELF header");
    } else if (header[4] != 2 || header[5] != 1) {
        elf__fail(message, message_size, "not a 64-bit little-endian ELF file");
    } else {
        out->data = header;
        out->size = size;
        out->type = elf__16(header + 16);
        out->machine = elf__16(header + 18);
        out->entry = elf__64(header + 24);
        ok = elf__open_tables(out, message, message_size) && elf__open_symbols(out, ELF_SYMTAB, message, message_size);
    }
    if (!ok) memset(out, 0, sizeof *out);
    return ok;
}

/* The same image with the symbols of .dynsym; with none where that is missing or unusable. */
ELF__UNUSED static elf_image elf_dynamic(const elf_image *image)
{
    elf_image out = *image;
    out.symbol_count = 0;
    out.symbols_at = out.symbol_names_at = out.symbol_names_size = out.indices_at = out.indices_count = 0;
    if (!elf__open_symbols(&out, ELF_DYNSYM, NULL, 0)) out.symbol_count = 0;
    return out;
}

#endif /* CSSPGO_EXAMPLES_ELF_H */
