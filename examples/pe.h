/* pe.h - a 64-bit program or library of Windows (PE32+, x86-64 or AArch64) as if it were an ELF file
 *
 * The result has the bytes of the file at the same offsets, but for the first 64, which become an ELF header. Behind
 * them are the tables of ELF: a segment for the headers and for each section that is loaded, the sections with their
 * whole names, so that DWARF is found, and COFF's symbols with the sizes that the table of unwinding (.pdata) has of
 * functions. Addresses are those of the preferred base, as in the file's DWARF.
 *
 * Include it after elf_object.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_PE_H
#define CSSPGO_EXAMPLES_PE_H

#include "elf_object.h"

enum {
    PE_X86_64 = 0x8664, PE_AARCH64 = 0xaa64, PE_PLUS = 0x20b,
    PE_EXECUTE = 0x20000000, PE_READ = 0x40000000, PE_WRITE = (int)0x80000000u, PE_BSS = 0x80,   /* of sections */
    PE_EXTERNAL = 2, PE_STATIC = 3,                               /* storage classes of symbols                     */
    PE_OF_PDATA = 3, PE_SECTION = 40, PE_SYMBOL = 18, PE_SECTIONS = 256,
    PE_MADE = 0xff                                                /* the system that the ELF header names */
};

typedef struct pe_file {
    const unsigned char *data;
    size_t         size;
    uint64_t       base;          /* preferred                                                                     */
    uint32_t       machine, entry, headers, type;   /* entry: relative to base; headers: their bytes; type: ELF_... */
    uint32_t       sections, symbols;
    size_t         sections_at, symbols_at, names_at, names_size;   /* names_size 0: no names longer than 8 bytes   */
    uint32_t       pdata, pdata_size;               /* relative to base                                            */
    unsigned char *to;            /* the ELF file                                                                  */
    size_t         to_size;
} pe_file;

/* 1 if an image is what pe_to_elf has made. */
ELF__UNUSED static int pe_was(const elf_image *image)
{
    return image->size > 7 && image->data[7] == PE_MADE;
}

static uint32_t pe__32(const pe_file *f, size_t at)
{
    return elf__32(f->data + at);
}

/* 1 if the file is a program of DOS or Windows. */
ELF__UNUSED static int pe_is(const void *data, size_t size)
{
    return size >= 64 && memcmp(data, "MZ", 2) == 0;
}

/* Reads the headers. Returns NULL, or what is wrong. */
static const char *pe__open(pe_file *f)
{
    const size_t at = pe__32(f, 60), optional = at + 24;
    size_t options, directories;
    if (at > f->size || f->size - at < 24 || memcmp(f->data + at, "PE\0\0", 4) != 0)
        return "a program of DOS, not of Windows";
    options = elf__16(f->data + at + 20);
    f->machine = elf__16(f->data + at + 4);
    f->sections = elf__16(f->data + at + 6);
    f->symbols_at = pe__32(f, at + 12);
    f->symbols = f->symbols_at != 0 ? pe__32(f, at + 16) : 0;
    f->type = elf__16(f->data + at + 22) & 0x2000 ? ELF_DYN : ELF_EXEC;
    if (f->machine != PE_X86_64 && f->machine != PE_AARCH64) return "a program of Windows, neither x86-64 nor AArch64";
    f->sections_at = optional + options;
    if (options < 112 || f->size - optional < options || elf__16(f->data + optional) != PE_PLUS)
        return "a program of Windows whose headers are not those of 64 bits";
    if ((f->size - f->sections_at) / PE_SECTION < f->sections) return "the section headers run over the end of the file";
    if (f->symbols_at > f->size || (f->size - f->symbols_at) / PE_SYMBOL < f->symbols)
        return "the symbol table runs over the end of the file";
    if (f->size > UINT32_MAX / 2) return "a program of Windows of more than 2 GiB";
    if (f->sections > PE_SECTIONS) return "a program of Windows with more than 256 sections";
    f->entry = pe__32(f, optional + 16);
    f->base = elf__64(f->data + optional + 24);
    f->headers = pe__32(f, optional + 60);
    directories = pe__32(f, optional + 108);
    if (directories > PE_OF_PDATA && options >= 112 + 8 * (PE_OF_PDATA + 1)) {
        f->pdata = pe__32(f, optional + 112 + 8 * PE_OF_PDATA);
        f->pdata_size = pe__32(f, optional + 116 + 8 * PE_OF_PDATA);
    }
    f->names_at = f->symbols_at + (size_t)PE_SYMBOL * f->symbols;
    if (f->symbols_at != 0 && f->size - f->names_at >= 4) f->names_size = pe__32(f, f->names_at);
    if (f->names_size > f->size - f->names_at) f->names_size = f->size - f->names_at;
    return NULL;
}

/* ----- sections --------------------------------------------------------------------------------------------------- */

typedef struct pe_section { uint32_t address, size, offset, bytes, flags; } pe_section;   /* bytes: in the file */

static pe_section pe__section(const pe_file *f, uint32_t i)
{
    const size_t at = f->sections_at + (size_t)PE_SECTION * i;
    pe_section s;
    s.size = pe__32(f, at + 8);
    s.address = pe__32(f, at + 12);
    s.bytes = pe__32(f, at + 16);
    s.offset = pe__32(f, at + 20);
    s.flags = pe__32(f, at + 36);
    if (s.size == 0) s.size = s.bytes;
    if (s.bytes > s.size) s.bytes = s.size;
    if (s.flags & PE_BSS || s.offset > f->size || s.bytes > f->size - s.offset) s.bytes = 0;
    return s;
}

/* The bytes at an address relative to base, of which the file has *left. NULL: none. */
static const unsigned char *pe__at(const pe_file *f, uint32_t address, size_t *left)
{
    uint32_t i;
    for (i = 0; i < f->sections; i++) {
        const pe_section s = pe__section(f, i);
        if (address < s.address || address - s.address >= s.bytes) continue;
        *left = s.bytes - (address - s.address);
        return f->data + s.offset + (address - s.address);
    }
    return NULL;
}

static int pe__digit(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Where a long name is, whose place in the table of names stands at p as /DECIMAL or //BASE64. 0: there is none. */
static size_t pe__long_name(const pe_file *f, const unsigned char *p)
{
    const int base64 = p[1] == '/';
    uint64_t at = 0;
    int i;
    for (i = 1 + base64; i < 8 && p[i] != 0; i++) {
        const int digit = base64 ? pe__digit(p[i]) : p[i] >= '0' && p[i] <= '9' ? p[i] - '0' : -1;
        if (digit < 0) return 0;
        at = at * (base64 ? 64 : 10) + (unsigned)digit;
    }
    return at >= 4 && at < f->names_size ? f->names_at + (size_t)at : 0;
}

/* ----- sizes of functions ----------------------------------------------------------------------------------------- */

/* The size of the function at an entry of .pdata; 0: unknown. */
static uint32_t pe__pdata_size(const pe_file *f, const unsigned char *p)
{
    const uint32_t word = elf__32(p + 4);
    const unsigned char *x;
    size_t left;
    if (f->machine == PE_X86_64) return word > elf__32(p) ? word - elf__32(p) : 0;
    if (word & 3) return (word >> 2 & 0x7ff) * 4;
    x = pe__at(f, word, &left);
    return x != NULL && left >= 4 ? (elf__32(x) & 0x3ffff) * 4 : 0;
}

/* The size of the function that begins at an address, from .pdata, which is in the order of addresses. 0: unknown. */
static uint32_t pe__function_size(const pe_file *f, const unsigned char *pdata, size_t entries, uint32_t address)
{
    const size_t entry = f->machine == PE_X86_64 ? 12 : 8;
    size_t lo = 0, hi = entries;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (elf__32(pdata + entry * mid) < address) lo = mid + 1;
        else hi = mid;
    }
    if (lo == entries || elf__32(pdata + entry * lo) != address) return 0;
    return pe__pdata_size(f, pdata + entry * lo);
}

/* ----- the ELF file ----------------------------------------------------------------------------------------------- */

/* Appends a name of up to 8 bytes; returns its place, which is its number: the table of names is the whole file. */
static size_t pe__short_name(pe_file *f, const unsigned char *p)
{
    const size_t at = f->to_size;
    memcpy(f->to + at, p, 8);
    f->to[at + 8] = 0;
    f->to_size += 9;
    return at;
}

static void pe__put_section(unsigned char *p, size_t name, uint32_t type, uint64_t flags, uint64_t address, uint64_t at,
                            uint64_t size)
{
    elf__put(p, name, 4);
    elf__put(p + 4, type, 4);
    elf__put(p + 8, flags, 8);
    elf__put(p + 16, address, 8);
    elf__put(p + 24, at, 8);
    elf__put(p + 32, size, 8);
    elf__put(p + 48, 1, 8);
}

/* Sections and segments. Debug information is not loaded, though it has addresses. */
static void pe__put_sections(pe_file *f, unsigned char *section, unsigned char *segment)
{
    uint32_t i;
    for (i = 0; i < f->sections; i++, section += 64, segment += 56) {
        const unsigned char *const name = f->data + f->sections_at + (size_t)PE_SECTION * i;
        const pe_section s = pe__section(f, i);
        const size_t whole = *name == '/' ? pe__long_name(f, name) : 0, at = whole != 0 ? whole : pe__short_name(f, name);
        const int debug = memcmp(f->to + at, ".debug", 6) == 0 || memcmp(f->to + at, ".zdebug", 7) == 0;
        const int code = !debug && s.flags & PE_EXECUTE;
        const uint64_t address = debug ? 0 : f->base + s.address;
        pe__put_section(section, at, s.bytes != 0 || s.size == 0 ? ELF_PROGBITS : ELF_NOBITS,
                        debug ? 0 : (uint64_t)(ELF_SECTION_ALLOC | (code ? ELF_SECTION_EXEC : 0)), address, s.offset,
                        s.bytes != 0 ? s.bytes : s.size);
        if (debug) continue;                               /* its segment stays empty, of no type */
        elf__put(segment, ELF_LOAD, 4);
        elf__put(segment + 4, (uint64_t)(ELF_FLAG_R | (code ? ELF_FLAG_X : 0) |
                                         (s.flags & (uint32_t)PE_WRITE ? ELF_FLAG_W : 0)), 4);
        elf__put(segment + 8, s.offset, 8);
        elf__put(segment + 16, address, 8);
        elf__put(segment + 24, address, 8);
        elf__put(segment + 32, s.bytes, 8);
        elf__put(segment + 40, s.size, 8);
        elf__put(segment + 48, 4096, 8);
    }
}

/* Symbols of sections, with an address: functions are those of that type, and those that .pdata knows. */
static void pe__put_symbols(pe_file *f, unsigned char *to, size_t nameless, size_t *count)
{
    const size_t entry = f->machine == PE_X86_64 ? 12 : 8;
    size_t left = 0, entries, i, n = 1;
    const unsigned char *const pdata = f->pdata != 0 ? pe__at(f, f->pdata, &left) : NULL;
    entries = (left < f->pdata_size ? left : f->pdata_size) / entry;
    for (i = 0; i < f->symbols; i++) {
        const unsigned char *const p = f->data + f->symbols_at + PE_SYMBOL * i;
        const uint32_t section = elf__16(p + 12), type = elf__16(p + 14), value = elf__32(p + 8);
        const unsigned kind = p[16];
        uint32_t size, function;
        pe_section s;
        size_t name;
        i += p[17];                                        /* auxiliary ones */
        if (section == 0 || section > f->sections || (kind != PE_EXTERNAL && kind != PE_STATIC)) continue;
        if (kind == PE_STATIC && p[17] != 0 && value == 0 && type == 0) continue;       /* of a whole section */
        s = pe__section(f, section - 1);
        if (value >= s.size) continue;
        size = s.flags & PE_EXECUTE ? pe__function_size(f, pdata, entries, s.address + value) : 0;
        function = (type >> 4 & 3) == 2 || size != 0;
        name = elf__32(p) != 0 ? pe__short_name(f, p) : nameless;
        if (elf__32(p) == 0 && elf__32(p + 4) >= 4 && elf__32(p + 4) < f->names_size) name = f->names_at + elf__32(p + 4);
        elf__put(to + 24 * n, name, 4);
        to[24 * n + 4] = (unsigned char)((kind == PE_EXTERNAL ? ELF_GLOBAL : ELF_LOCAL) << 4 |
                                         (function ? ELF_FUNC : ELF_NOTYPE));
        elf__put(to + 24 * n + 6, section, 2);
        elf__put(to + 24 * n + 8, f->base + s.address + value, 8);
        elf__put(to + 24 * n + 16, size, 8);
        n++;
    }
    *count = n;
}

/* Writes the ELF file. Returns NULL, or what is wrong. */
static const char *pe__write(pe_file *f)
{
    static const char last[] = "\0.symtab\0.strtab\0";
    const size_t segments = (size_t)f->sections + 1, sections = (size_t)f->sections + 3;
    const size_t tables = f->size + 56 * segments + 64 * sections, room = tables + 24 * ((size_t)f->symbols + 1);
    unsigned char *header, *segment, *section;
    size_t names, count;
    f->to = (unsigned char *)calloc(1, room + sizeof last + 9 * ((size_t)f->symbols + f->sections));
    if (f->to == NULL) return "out of memory";
    memcpy(f->to + 64, f->data + 64, f->size - 64);
    f->to_size = room;
    names = f->to_size;
    memcpy(f->to + names, last, sizeof last);
    f->to_size += sizeof last;
    header = f->to;
    segment = f->to + f->size;
    section = segment + 56 * segments;
    elf__put(segment, ELF_LOAD, 4);
    elf__put(segment + 4, ELF_FLAG_R, 4);
    elf__put(segment + 16, f->base, 8);
    elf__put(segment + 24, f->base, 8);
    elf__put(segment + 32, f->headers < f->size ? f->headers : f->size, 8);
    elf__put(segment + 40, f->headers, 8);
    elf__put(segment + 48, 4096, 8);
    pe__put_sections(f, section + 64, segment + 56);
    pe__put_symbols(f, f->to + tables, names, &count);
    section += 64 * ((size_t)f->sections + 1);
    pe__put_section(section, names + 1, ELF_SYMTAB, 0, 0, tables, 24 * count);
    elf__put(section + 40, f->sections + 2, 4);
    elf__put(section + 56, 24, 8);
    pe__put_section(section + 64, names + 9, ELF_STRTAB, 0, 0, 0, f->to_size);
    memcpy(header, "\177ELF\2\1\1\377", 8);
    elf__put(header + 16, f->type, 2);
    elf__put(header + 18, f->machine == PE_X86_64 ? ELF_X86_64 : ELF_AARCH64, 2);
    elf__put(header + 20, 1, 4);
    elf__put(header + 24, f->base + f->entry, 8);
    elf__put(header + 32, f->size, 8);
    elf__put(header + 40, f->size + 56 * segments, 8);
    elf__put(header + 52, 64, 2);
    elf__put(header + 54, 56, 2);
    elf__put(header + 56, segments, 2);
    elf__put(header + 58, 64, 2);
    elf__put(header + 60, sections, 2);
    elf__put(header + 62, sections - 1, 2);
    return NULL;
}

/*
 * Makes an ELF file of a program of Windows.
 *
 *   size, elf_size   of data; of the result
 *   why              gets one terminated sentence after a failure
 *
 * Returns   the bytes, for free; NULL: memory is exhausted, or it is no such program
 * Cost      O(size + symbols * log functions + sections * functions of AArch64)
 */
ELF__UNUSED static unsigned char *pe_to_elf(const void *data, size_t size, size_t *elf_size, char *why, size_t why_size)
{
    const char *bad = NULL;
    pe_file f;
    memset(&f, 0, sizeof f);
    f.data = (const unsigned char *)data;
    f.size = size;
    bad = pe_is(data, size) ? pe__open(&f) : "not a program of Windows";
    if (bad == NULL) bad = pe__write(&f);
    *elf_size = f.to_size;
    if (bad == NULL) return f.to;
    elf__fail(why, why_size, bad);
    return NULL;
}

#endif /* CSSPGO_EXAMPLES_PE_H */
