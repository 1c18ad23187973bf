/* file.c - files with debug information: their sections, inflated where they are compressed; .dwp files */
#include "private.h"

#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif
#ifdef CSSPGO_USE_ZSTD
#  include <zstd.h>
#endif

enum { DEBUG_INFLATED = 8 << 20 };    /* bytes that compressed sections may become in a small file */
enum { COMPRESSED_ZLIB = 1, COMPRESSED_ZSTD = 2 };           /* ch_type of ELF */

static const char *const section_names[SECTION_COUNT] = {
    "info", "abbrev", "str", "line_str", "addr", "str_offsets", "ranges", "rnglists", "line", "aranges", "cu_index"
};

/* 1 if this build reads the type. */
static int is_readable(uint32_t type)
{
#ifdef CSSPGO_USE_ZLIB
    if (type == COMPRESSED_ZLIB) return 1;
#endif
#ifdef CSSPGO_USE_ZSTD
    if (type == COMPRESSED_ZSTD) return 1;
#endif
    return (void)type, 0;
}

/* Decompresses exactly `size` bytes. Returns 0 if the stream is of anything else. */
static int decompress(uint32_t type, void *to, size_t size, const unsigned char *from, size_t n)
{
#ifdef CSSPGO_USE_ZLIB
    uLongf got = (uLongf)size;
    if (type == COMPRESSED_ZLIB) return uncompress((Bytef *)to, &got, from, (uLong)n) == Z_OK && got == size;
#endif
#ifdef CSSPGO_USE_ZSTD
    if (type == COMPRESSED_ZSTD) return ZSTD_decompress(to, size, from, n) == size;
#endif
    return (void)type, (void)to, (void)size, (void)from, (void)n, 0;
}

/*
 * Inflates `size` bytes. Returns 0 with a sentence in why. zlib cannot shrink more than 1032 times; what zstd shrank
 * more is no debug information.
 */
static int inflate_into(debug_section *s, uint32_t type, const unsigned char *from, uint64_t n, uint64_t size,
                        uint64_t *room, char *why, size_t why_size)
{
    if (!is_readable(type)) {
        if (type != COMPRESSED_ZLIB && type != COMPRESSED_ZSTD)
            return load_fail(why, why_size, "the debug information is compressed by an unknown method");
        snprintf(why, why_size, "the debug information is compressed, and this build is without %s",
                 type == COMPRESSED_ZSTD ? "zstd" : "zlib");
        return 0;
    }
    if (size > 1032 * n + 64)
        return load_fail(why, why_size, "a compressed section says that it is larger than it can be");
    if (size > *room)
        return load_fail(why, why_size, "its compressed sections are 16 times as large as the file, or larger");
    *room -= size;
    s->copy = malloc((size_t)size + 1);
    if (s->copy == NULL) return load_fail(why, why_size, "out of memory");
    if (!decompress(type, s->copy, (size_t)size, from, (size_t)n))
        return load_fail(why, why_size, "a compressed section is damaged");
    s->data = (const unsigned char *)s->copy;
    s->size = (size_t)size;
    return 1;
}

/*
 * A section with a header before its stream: of ELF, or the old one of .zdebug_ sections.
 *
 *   room   bytes that the sections of the file may still become
 */
static int section_inflate(debug_section *s, const elf_section *e, int old, uint64_t *room, char *why, size_t why_size)
{
    const unsigned char *const p = e->contents;
    uint64_t size = 0;
    unsigned i;
    if (old) {
        if (e->size < 12 || memcmp(p, "ZLIB", 4) != 0) return 1;
        for (i = 4; i < 12; i++) size = size << 8 | p[i];
        return inflate_into(s, COMPRESSED_ZLIB, p + 12, e->size - 12, size, room, why, why_size);
    }
    if (e->size < 24) return 1;
    return inflate_into(s, elf__32(p), p + 24, e->size - 24, elf__64(p + 8), room, why, why_size);
}

/* Which section of debug information a name is of; SECTION_COUNT: of none. *old: it is a .zdebug_ section. */
static unsigned section_of(const elf_section *e, int split, int *old)
{
    const char *name = e->name;
    size_t n = e->name_size;
    unsigned i;
    *old = n > 8 && memcmp(name, ".zdebug_", 8) == 0;
    if (!*old && (n <= 7 || memcmp(name, ".debug_", 7) != 0)) return SECTION_COUNT;
    name += 7 + *old;
    n -= 7 + (size_t)*old;
    for (i = 0; i < SECTION_COUNT; i++) {
        const size_t k = strlen(section_names[i]);
        const int dwo = split && i != SECTION_INDEX;
        if (n != k + (dwo ? 4 : 0) || memcmp(name, section_names[i], k) != 0) continue;
        if (!dwo || memcmp(name + k, ".dwo", 4) == 0) return i;
    }
    return SECTION_COUNT;
}

/* Finds the sections. Returns 0 with a sentence in why. */
static int sections_read(debug_file *f, int split, int llvm, char *why, size_t why_size)
{
    uint64_t room = 16 * (uint64_t)f->bytes.size + DEBUG_INFLATED;
    uint32_t i;
    for (i = 0; i < SECTION_COUNT; i++) f->section[i].data = (const unsigned char *)"";
    for (i = 1; i < f->elf.section_count; i++) {
        elf_section e;
        debug_section *s;
        unsigned which;
        int old;
        if (!elf_section_at(&f->elf, i, &e) || e.contents == NULL) continue;
        which = section_of(&e, split, &old);
        if (which == SECTION_COUNT || f->section[which].size != 0 || (old && llvm)) continue;
        s = &f->section[which];
        if (!e.compressed && !old) {
            s->data = e.contents;
            s->size = (size_t)e.size;
        } else if (!section_inflate(s, &e, old, &room, why, why_size)) return 0;
        f->work += s->size;
    }
    f->work = 64 * f->work + (1 << 20);
    return 1;
}

void debug_file_free(debug_file *f)
{
    size_t i;
    if (f == NULL) return;
    for (i = 0; i < SECTION_COUNT; i++) free(f->section[i].copy);
    for (i = 0; i < DEBUG_TABLES; i++) debug_table_free(f->table[i]);
    debug_table_free(f->last);
    file_close(&f->bytes);
    free(f->path);
    free(f);
}

/* What a file is opened for: the program, its split debug information, what programs share (an object file). */
enum { FILE_MAIN, FILE_SPLIT, FILE_ALT };

static debug_file *read_file(debug_info *d, const char *path, int what, char *why, size_t why_size)
{
    debug_file *const f = (debug_file *)calloc(1, sizeof *f);
    d->no_memory |= f == NULL;
    if (f == NULL) return load_fail(why, why_size, "out of memory"), NULL;
    if (!(what != FILE_MAIN ? file_open_named : file_open)(path, &f->bytes)) load_fail(why, why_size, file_why());
    else if (load_elf(&f->bytes, &f->elf, why, why_size) &&
             (what != FILE_MAIN || load_link(&f->bytes, &f->elf, why, why_size)) &&
             sections_read(f, what == FILE_SPLIT, d->how.llvm, why, why_size)) {
        f->next = d->file;
        d->room += (f->work >> 9) + f->bytes.size / 16;
        d->name_room += 16 * (uint64_t)f->bytes.size;
        return d->file = f;
    }
    debug_file_free(f);
    return NULL;
}

/* The program. Returns NULL with a sentence in why. d->file begins the list of what is open. */
debug_file *debug_file_open(debug_info *d, const char *path, char *why, size_t why_size)
{
    return read_file(d, path, FILE_MAIN, why, why_size);
}

debug_file *debug_file_alt(debug_info *d, const char *path)
{
    char why[256];
    return read_file(d, path, FILE_ALT, why, sizeof why);
}

/* A .dwo or .dwp file, opened once; NULL: it is missing, or damaged. */
debug_file *debug_file_split(debug_info *d, const char *path)
{
    debug_file **place, *f;
    char why[256];
    unsigned hash = 0;
    size_t i;
    for (i = 0; path[i] != '\0'; i++) hash = hash * 31 + (unsigned char)path[i];
    place = &d->split[(hash ^ hash >> 16) % DEBUG_SPLITS];
    for (f = *place; f != NULL; f = f->same)
        if (strcmp(f->path, path) == 0) return f;
    f = access(path, R_OK) == 0 ? read_file(d, path, FILE_SPLIT, why, sizeof why) : NULL;
    if (f == NULL) return NULL;
    f->path = strdup(path);
    d->no_memory |= f->path == NULL;
    if (f->path == NULL) return NULL;
    f->same = *place;
    return *place = f;
}

/* ----- .dwp: the parts of a unit, by its id ----- */

/* A 4-byte number of .debug_cu_index; 0 if that is outside. */
static uint32_t index_number(const debug_section *s, uint64_t at)
{
    return at <= s->size && s->size - at >= 4 ? elf__32(s->data + at) : 0;
}

/* The row of an id in the hash table, from 1 on; 0: none. */
static uint32_t index_row(const debug_section *s, uint64_t id, uint64_t slots)
{
    uint64_t at = id & (slots - 1), step = ((id >> 32) & (slots - 1)) | 1, i;
    for (i = 0; i < slots; i++, at = (at + step) & (slots - 1)) {
        const uint32_t row = index_number(s, 16 + 8 * slots + 4 * at);
        if (row == 0) return 0;
        if (elf__64(s->data + 16 + 8 * at) == id) return row;
    }
    return 0;
}

int debug_part_find(const debug_file *f, uint64_t id, debug_part *part)
{
    /* what the columns are, GNU's version 2 and DWARF 5 alike where it matters */
    static const unsigned char columns[] = { SECTION_COUNT, SECTION_INFO, SECTION_COUNT, SECTION_ABBREV, SECTION_COUNT,
                                             SECTION_COUNT, SECTION_OFFSETS, SECTION_COUNT, SECTION_LISTS };
    const debug_section *const s = &f->section[SECTION_INDEX];
    const uint64_t width = index_number(s, 4), rows = index_number(s, 8), slots = index_number(s, 12);
    const uint64_t version = index_number(s, 0) & 0xffff;
    uint64_t names, at, i;
    uint32_t row;
    memset(part, 0, sizeof *part);
    if ((version != 2 && version != 5) || slots == 0 || (slots & (slots - 1)) != 0) return 0;
    if (s->size < 16 + 12 * slots) return 0;
    row = index_row(s, id, slots);
    if (row == 0 || row > rows) return 0;
    names = 16 + 12 * slots;
    for (i = 0; i < width && i < 16; i++) {
        const uint32_t column = index_number(s, names + 4 * i);
        const unsigned which = column < sizeof columns ? columns[column] : SECTION_COUNT;
        if (which == SECTION_COUNT) continue;
        at = names + 4 * (width * row + i);
        part->offset[which] = index_number(s, at);
        part->size[which] = index_number(s, at + 4 * width * rows);
    }
    return part->size[SECTION_INFO] != 0 && part->offset[SECTION_INFO] <= f->section[SECTION_INFO].size &&
           part->size[SECTION_INFO] <= f->section[SECTION_INFO].size - part->offset[SECTION_INFO];
}
