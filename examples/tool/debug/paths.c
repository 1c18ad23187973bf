/* paths.c - names of functions with the source file that each is in: FILE;NAME
 *
 * Static functions of one name in two files are different functions, which only their files tell apart. Files are called
 * as the compiler was called with them: the line table's path, without the directory of the compilation.
 */
#include "private.h"

struct debug_paths {              /* the files of a line table                                        */
    const debug_file *file;       /* that has the table at this offset of .debug_line                 */
    uint64_t offset;
    char   **path;                /* by number as DW_AT_decl_file has it; NULL: none                  */
    size_t   count, cap;
    debug_paths *next;
};

struct debug_joined {             /* a function's name with its file                                  */
    const char *path, *name;      /* what it is made of: both live as long as debug_info              */
    char       *text;
};

/* The contents of an entry of a table of directories or files. */
typedef struct path_entry {
    const char *name;
    uint64_t    directory;
} path_entry;

enum { PATH_NAME = 1, PATH_DIRECTORY = 2, PATH_FORMATS = 16 };

static const char *text_at(const debug_section *in, uint64_t offset)
{
    if (offset >= in->size || memchr(in->data + offset, 0, in->size - (size_t)offset) == NULL) return NULL;
    return (const char *)in->data + offset;
}

static const char *text_here(debug_bytes *b)
{
    const unsigned char *const at = b->p;
    const unsigned char *const nul = at != b->end ? (const unsigned char *)memchr(at, 0, (size_t)(b->end - at)) : NULL;
    if (nul == NULL) return b->bad = 1, b->p = b->end, NULL;
    b->p = nul + 1;
    return (const char *)at;
}

/* A value of DWARF 5's tables: a text, or a number. */
static const char *entry_value(debug_bytes *b, const debug_file *f, uint64_t form, unsigned wide, uint64_t *number)
{
    *number = 0;
    switch (form) {
    case 0x08: return text_here(b);
    case 0x0e: return text_at(&f->section[SECTION_STR], debug_fixed(b, wide));
    case 0x1f: return text_at(&f->section[SECTION_LINE_STR], debug_fixed(b, wide));
    case 0x0b: *number = debug_fixed(b, 1); return NULL;
    case 0x05: *number = debug_fixed(b, 2); return NULL;
    case 0x0f: *number = debug_leb(b, 0); return NULL;
    case 0x1e: debug_skip(b, 16); return NULL;
    case 0x09: debug_skip(b, debug_leb(b, 0)); return NULL;
    default: b->bad = 1; return NULL;                      /* its size is not known */
    }
}

/* The next entry of DWARF 5, by the formats that stand before all of them. */
static path_entry entry_read(debug_bytes *b, const debug_file *f, const uint64_t *format, size_t formats, unsigned wide)
{
    path_entry e = { NULL, 0 };
    size_t i;
    for (i = 0; i < formats; i++) {
        uint64_t number;
        const char *const text = entry_value(b, f, format[2 * i + 1], wide, &number);
        if (format[2 * i] == PATH_NAME) e.name = text;
        if (format[2 * i] == PATH_DIRECTORY) e.directory = number;
    }
    return e;
}

static size_t formats_read(debug_bytes *b, uint64_t *format)
{
    const size_t n = (size_t)debug_fixed(b, 1);
    size_t i;
    if (n > PATH_FORMATS) b->bad = 1;
    for (i = 0; i < 2 * n && !b->bad; i++) format[i] = debug_leb(b, 0);
    return b->bad ? 0 : n;
}

/* DIRECTORY/NAME without the directory of the compilation in front; for free(). NULL: out of memory. */
static char *path_join(const char *home, const char *directory, const char *name)
{
    const size_t home_size = home != NULL ? strlen(home) : 0;
    char *path;
    size_t size;
    if (*name == '/' || directory == NULL) directory = "";
    size = strlen(directory) + strlen(name) + 2;
    path = (char *)malloc(size);
    if (path == NULL) return NULL;
    snprintf(path, size, "%s%s%s", directory, *directory != '\0' ? "/" : "", name);
    if (home_size != 0 && strncmp(path, home, home_size) == 0 && path[home_size] == '/')
        memmove(path, path + home_size + 1, strlen(path + home_size + 1) + 1);
    return path;
}

/* Adds a file; an empty path where there is no name. A path costs of d->path_room. Returns 0 where reading ends. */
static int path_add(debug_info *d, debug_paths *t, const char *home, const char *directory, const char *name)
{
    const size_t size = (name != NULL ? strlen(name) : 0) + (directory != NULL ? strlen(directory) : 0) + 16;
    if (size > d->path_room || !debug_room(&t->path, t->count, &t->cap, sizeof *t->path)) return 0;
    d->path_room -= size;
    t->path[t->count] = name != NULL ? path_join(home, directory, name) : NULL;
    return t->path[t->count++] != NULL || name == NULL;
}

/* The tables of DWARF 5. Directory 0 is that of the compilation. */
static void tables_read(debug_info *d, debug_paths *t, debug_bytes *b, unsigned wide)
{
    uint64_t format[2 * PATH_FORMATS], n, i;
    size_t formats = formats_read(b, format);
    const char **directory = NULL;
    size_t directories = 0, cap = 0;
    for (n = debug_leb(b, 0); n != 0 && !b->bad && b->p != b->end; n--) {
        if (!debug_room(&directory, directories, &cap, sizeof *directory)) break;
        directory[directories++] = entry_read(b, t->file, format, formats, wide).name;
    }
    formats = formats_read(b, format);
    n = debug_leb(b, 0);
    for (i = 0; i < n && !b->bad && b->p != b->end; i++) {
        const path_entry e = entry_read(b, t->file, format, formats, wide);
        const char *const in = e.directory != 0 && e.directory < directories ? directory[e.directory] : NULL;
        if (b->bad || !path_add(d, t, directories != 0 ? directory[0] : NULL, in, e.name)) break;
    }
    free(directory);
}

/* Those of earlier versions: files are numbered from 1, directories too; 0 is that of the compilation, home. */
static void lists_read(debug_info *d, debug_paths *t, debug_bytes *b, const char *home)
{
    const char **directory = NULL, *name;
    size_t directories = 0, cap = 0;
    int ok = path_add(d, t, NULL, NULL, NULL);
    while ((name = text_here(b)) != NULL && *name != '\0') {
        if (!debug_room(&directory, directories, &cap, sizeof *directory)) break;
        directory[directories++] = name;
    }
    while (ok && !b->bad && (name = text_here(b)) != NULL && *name != '\0') {
        const uint64_t at = debug_leb(b, 0);
        debug_leb(b, 0);
        debug_leb(b, 0);
        ok = path_add(d, t, home, at != 0 && at <= directories ? directory[at - 1] : NULL, name);
    }
    free(directory);
}

/* The files of the line table of a unit, read when they are first asked for. NULL: out of memory. */
static const debug_paths *paths_of(debug_info *d, const debug_source *s)
{
    const debug_section *const in = &s->file->section[SECTION_LINE];
    debug_paths *t = d->paths;
    debug_bytes b;
    unsigned version, wide;
    while (t != NULL && (t->file != s->file || t->offset != s->lines)) t = t->next;
    if (t != NULL) return t;
    t = (debug_paths *)calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->file = s->file;
    t->offset = s->lines;
    t->next = d->paths;
    d->paths = t;
    if (s->lines >= in->size) return t;
    b = debug_bytes_of(in->data + s->lines, in->size - (size_t)s->lines);
    if (!debug_length(&b, &wide)) return t;
    version = (unsigned)debug_fixed(&b, 2);
    if (version < 2 || version > 5) return t;
    if (version == 5) debug_fixed(&b, 2);
    debug_fixed(&b, wide);
    debug_skip(&b, version >= 4 ? 5 : 4);                   /* up to opcode_base */
    debug_skip(&b, (debug_fixed(&b, 1) - 1) & 255);
    if (b.bad) return t;
    if (version == 5) tables_read(d, t, &b, wide);
    else lists_read(d, t, &b, s->directory);
    return t;
}

static size_t joined_slot(const debug_info *d, const char *path, const char *name)
{
    const size_t mask = d->joined_cap - 1;
    size_t at = (((uintptr_t)path >> 3) * 31 + (uintptr_t)name) * (size_t)0x9E3779B1u & mask;
    while (d->joined[at].text != NULL && (d->joined[at].path != path || d->joined[at].name != name)) at = (at + 1) & mask;
    return at;
}

/* Keeps the table of joined names at most half full. Returns 0: out of memory. */
static int joined_room(debug_info *d)
{
    debug_joined *const old = d->joined;
    const size_t cap = d->joined_cap;
    size_t i;
    if (2 * d->joineds < cap) return 1;
    d->joined = (debug_joined *)calloc(cap != 0 ? 2 * cap : 1024, sizeof *d->joined);
    if (d->joined == NULL) return d->joined = old, 0;
    d->joined_cap = cap != 0 ? 2 * cap : 1024;
    for (i = 0; i < cap; i++)
        if (old[i].text != NULL) d->joined[joined_slot(d, old[i].path, old[i].name)] = old[i];
    free(old);
    return 1;
}

/*
 * FILE;NAME of a name of the function that n tells of, if its file is known, else the name. Lives as long as d. Names that
 * would be longer than a file of its size has stay without a file.
 */
const char *debug_with_file(debug_info *d, const debug_named *n, const char *name)
{
    const debug_paths *t;
    const char *path;
    debug_joined *j;
    size_t size;
    if (!d->how.files || name == NULL || n->source == NULL || n->decl_file == UINT32_MAX) return name;
    t = paths_of(d, n->source);
    path = t != NULL && n->decl_file < t->count ? t->path[n->decl_file] : NULL;
    if (path == NULL || *path == '\0') return d->no_memory |= t == NULL, name;
    if (!joined_room(d)) return d->no_memory = 1, name;
    j = &d->joined[joined_slot(d, path, name)];
    if (j->text != NULL) return j->text;
    size = strlen(path) + strlen(name) + 2;
    if (size > d->path_room) return name;
    d->path_room -= size;
    if ((j->text = (char *)malloc(size)) == NULL) return d->no_memory = 1, name;
    snprintf(j->text, size, "%s;%s", path, name);
    j->path = path;
    j->name = name;
    d->joineds++;
    return j->text;
}

void debug_paths_free(debug_info *d)
{
    size_t i;
    for (i = 0; i < d->joined_cap; i++) free(d->joined[i].text);
    free(d->joined);
    while (d->paths != NULL) {
        debug_paths *const next = d->paths->next;
        for (i = 0; i < d->paths->count; i++) free(d->paths->path[i]);
        free(d->paths->path);
        free(d->paths);
        d->paths = next;
    }
}
