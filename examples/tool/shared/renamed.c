/* renamed.c - programs that were recorded under another name, and other files of their name
 *
 * A mapping is of a program if its build id is, or else if its last component is the program's. Before a recording is
 * read the beginning of it is looked at. A program that no mapping is of may be there under another name: where its
 * addresses are fixed and a file is mapped there, or where branches and calls recorded in a file are ones of it. Of
 * several files of its name, without build ids, those are others whose branches and calls are none of it.
 */
#include "recording.h"

enum { SEEN_BYTES = 1 << 24, SEEN_SAMPLES = 2000, SEEN_MOST = 1024, SEEN_LEAST = 10, NOT_SEEN = -1, IS_OTHER = -2 };

typedef struct seen_fit { uint64_t n, bad; } seen_fit;

typedef struct seen_file {        /* an executable file that is mapped                                       */
    char      *path;              /* ends in NUL, without " (deleted)"                                       */
    seen_fit *fit;               /* of each program: what was recorded here, and what of that is none of it */
    unsigned char id[20];
    uint32_t   id_size;           /* 0: not known                                                            */
    uint32_t   fixed;             /* 1: it is where the first program's addresses are fixed                  */
    uint64_t   hits;              /* addresses that were recorded in it                                      */
    int        image;             /* the program that it is, for the names do not tell: NOT_SEEN, IS_OTHER   */
} seen_file;

typedef struct seen_map { uint64_t begin, size, offset; uint32_t pid; size_t file; } seen_map;

struct renamed {
    seen_file *file;
    seen_map  *map;
    size_t     files, maps, map_cap, images;
    uint64_t   samples;
    int        forced;            /* a program was given an id of its own */
};

/* ----- what is mapped --------------------------------------------------------------------------------------------- */

static size_t base_at(const char *path, size_t size)
{
    while (size != 0 && path[size - 1] != '/') size--;
    return size;
}

static size_t living_size(const char *path, size_t size)
{
    return size > 10 && memcmp(path + size - 10, " (deleted)", 10) == 0 ? size - 10 : size;
}

static seen_file *seen_find(const struct renamed *x, const char *path, size_t size)
{
    size_t i;
    size = living_size(path, size);
    for (i = 0; i < x->files; i++)
        if (strlen(x->file[i].path) == size && memcmp(x->file[i].path, path, size) == 0) return &x->file[i];
    return NULL;
}

/* The entry of a file, added if it is new; NULL: there are too many, or no memory. */
static seen_file *seen_add(struct renamed *x, const char *path, size_t size)
{
    seen_file *f = seen_find(x, path, size);
    if (f != NULL || x->files == SEEN_MOST) return f;
    if (x->file == NULL) x->file = (seen_file *)calloc(SEEN_MOST, sizeof *x->file);
    if (x->file == NULL) return NULL;
    f = &x->file[x->files];
    size = living_size(path, size);
    f->path = (char *)malloc(size + 1);
    f->fit = (seen_fit *)calloc(x->images, sizeof *f->fit);
    f->image = NOT_SEEN;
    if (f->path == NULL || f->fit == NULL) {
        free(f->path);
        free(f->fit);
        return NULL;
    }
    x->files++;
    memcpy(f->path, path, size);
    f->path[size] = '\0';
    return f;
}

/* The link-time address of an offset in a file, in an executable segment. Returns 0 if it is in none. */
static int address_of(const loaded *l, uint64_t offset, uint64_t *address)
{
    elf_segment s;
    uint32_t i;
    for (i = 0; i < l->elf.segment_count; i++)
        if (elf_segment_at(&l->elf, i, &s) && s.type == ELF_LOAD && s.flags & ELF_FLAG_X &&
            offset - s.offset < s.file_size) {
            *address = offset - s.offset + s.address;
            return 1;
        }
    return 0;
}

/* 1 if a mapping has code of a program whose addresses are fixed, where it must be. */
static int is_in_place(const loaded *l, const csspgo_mmap *map)
{
    elf_segment s;
    uint32_t i;
    if (l->elf.type != ELF_EXEC) return 0;
    for (i = 0; i < l->elf.segment_count; i++)
        if (elf_segment_at(&l->elf, i, &s) && s.type == ELF_LOAD && s.flags & ELF_FLAG_X && s.file_size != 0)
            return s.offset - map->file_offset == s.address - map->address && s.address - map->address < map->size;
    return 0;
}

/* How many segments of code of programs of Windows can be what is mapped; *k, *s: the first of these. */
static size_t windows_segments(const programs *p, const csspgo_mmap *map, int in_place, size_t *k, elf_segment *s)
{
    elf_segment try;
    size_t n = 0, i;
    uint32_t at;
    for (i = 0; i < p->count; i++)
        for (at = 0; pe_was(&p->v[i].loaded.elf) && elf_segment_at(&p->v[i].loaded.elf, at, &try); at++) {
            if (try.type != ELF_LOAD || !(try.flags & ELF_FLAG_X) ||
                map->size != ((try.memory_size + 4095) & ~(uint64_t)4095)) continue;
            if (in_place ? map->address != try.address : (map->address - try.address) % 65536 != 0) continue;
            if (n++ != 0) continue;
            *k = i;
            *s = try;
        }
    return n;
}

/* 1 if a path of Windows, C:\x\NAME, ends with the name of a program; letters are the same in upper and lower case. */
static int windows_named(const csspgo_mmap *map, const char *program)
{
    const char *const name = program + base_at(program, strlen(program));
    size_t at = map->path_size, i;
    while (at != 0 && map->path[at - 1] != '\\') at--;
    if (at == 0 || map->path_size - at != strlen(name)) return 0;
    for (i = 0; name[i] != '\0'; i++) {
        const char a = map->path[at + i], b = name[i];
        if ((a >= 'A' && a <= 'Z' ? a | 32 : a) != (b >= 'A' && b <= 'Z' ? b | 32 : b)) return 0;
    }
    return 1;
}

/*
 * A mapping that profilers of Windows name by its path there: at where the code is, or at where the program begins, with
 * the distance between these or 0 as the offset. Returns 0 if it is not of program number k.
 */
static int windows_path_map(const programs *p, size_t k, const csspgo_mmap *map, csspgo_mmap *meant)
{
    const elf_image *const e = &p->v[k].loaded.elf;
    uint64_t first = UINT64_MAX;
    elf_segment s;
    uint32_t at;
    if (!pe_was(e) || !windows_named(map, p->v[k].path)) return 0;
    for (at = 0; elf_segment_at(e, at, &s); at++)
        if (s.type == ELF_LOAD && s.address < first) first = s.address;
    for (at = 0; elf_segment_at(e, at, &s); at++) {
        const uint64_t offset = map->file_offset != 0 ? map->file_offset : s.address - (first & ~(uint64_t)0xffff);
        const int whole = map->address % 65536 == 0 && (s.address - offset) % 65536 == 0;
        if (s.type != ELF_LOAD || !(s.flags & ELF_FLAG_X) || !(whole || (map->address - s.address) % 65536 == 0)) continue;
        meant->address = map->address + (whole ? offset : 0);
        meant->size = (s.memory_size + 4095) & ~(uint64_t)4095;
        meant->file_offset = s.offset;
        meant->path = p->v[k].path;
        meant->path_size = strlen(meant->path);
        return 1;
    }
    return 0;
}

/*
 * A mapping of a program of Windows, as an emulator of Windows loads it: unless the file's sections lie on pages, as
 * anonymous memory. It has the size of a section of code, and is where that is linked to, or moved by multiples of
 * 64 KB, as Windows moves programs.
 */
csspgo_mmap windows_map(const programs *p, csspgo_item item, const csspgo_mmap *map)
{
    csspgo_mmap meant = *map;
    elf_segment s;
    size_t k, n;
    if (item != CSSPGO_ITEM_MMAP || !map->executable) return meant;
    for (k = 0; k < p->count; k++)
        if (windows_path_map(p, k, map, &meant)) return meant;
    if (map->path_size != 0 && (map->path_size < 6 || memcmp(map->path, "//anon", 6) != 0)) return meant;
    n = windows_segments(p, map, 1, &k, &s);
    if (n == 0) n = windows_segments(p, map, 0, &k, &s);
    if (n != 1) return meant;
    meant.path = p->v[k].path;
    meant.path_size = strlen(meant.path);
    meant.file_offset = s.offset;
    return meant;
}

/* 1 if a build id is known: perf writes zeros where it could not read one. */
static int has_id(const csspgo_mmap *map)
{
    uint32_t i;
    for (i = 0; i < map->build_id_size && map->build_id[i] == 0; i++) {}
    return i != map->build_id_size && map->build_id_size <= 20;
}

static void seen_map_event(reader *r, struct renamed *x, const csspgo_mmap *map)
{
    seen_file *f;
    seen_map *m;
    if (!map->executable || map->size == 0 || map->path_size < 2 || map->path[0] != '/' || map->path[1] == '/') return;
    if ((f = seen_add(x, map->path, map->path_size)) == NULL) return;
    f->fixed |= (uint32_t)is_in_place(&r->programs->v->loaded, map);
    if (has_id(map)) {
        f->id_size = map->build_id_size;
        memcpy(f->id, map->build_id, f->id_size);
    }
    if (x->maps == x->map_cap) {
        const size_t cap = 2 * x->map_cap + 64;
        seen_map *const v = cap <= 1 << 16 ? (seen_map *)realloc(x->map, cap * sizeof *v) : NULL;
        if (v == NULL) return;
        x->map = v;
        x->map_cap = cap;
    }
    m = &x->map[x->maps++];
    m->begin = map->address;
    m->size = map->size;
    m->offset = map->file_offset;
    m->pid = map->pid;
    m->file = (size_t)(f - x->file);
}

/* ----- what was recorded in it ------------------------------------------------------------------------------------ */

enum { SEEN_LEAF, SEEN_CALLER, SEEN_SOURCE };

/* Counts an address that was recorded, for the file that is mapped there, whether it can be of each program. */
static void seen_address(reader *r, struct renamed *x, uint32_t pid, uint64_t address, int kind)
{
    const csspgo_code *const code = r->programs->v->loaded.code;
    size_t i = x->maps, k;
    const int leaf_tells = r->programs->v->loaded.elf.machine == ELF_X86_64;   /* else instructions are everywhere */
    while (i != 0 && (address - x->map[i - 1].begin >= x->map[i - 1].size || (pid != 0 && x->map[i - 1].pid != pid)))
        i--;
    if (i == 0) return;
    x->file[x->map[i - 1].file].hits++;
    for (k = 0; k < x->images; k++) {
        seen_fit *const fit = &x->file[x->map[i - 1].file].fit[k];
        uint64_t at;
        int good = address_of(&r->programs->v[k].loaded, address - x->map[i - 1].begin + x->map[i - 1].offset, &at);
        at += (uint64_t)k << IMAGE_BITS;
        if (good && kind == SEEN_LEAF) good = is_code(r->programs, at);
        else if (good) good = kind == SEEN_CALLER ? csspgo_code_call_before(code, at) != 0 : is_source(r->programs, at);
        fit->n += kind != SEEN_LEAF || leaf_tells || !good;
        fit->bad += !good;
    }
}

static void seen_sample(reader *r, struct renamed *x, const csspgo_sample *s)
{
    uint32_t i;
    for (i = 0; i < s->stack_count; i++) seen_address(r, x, s->pid, s->stack[i], i == 0 ? SEEN_LEAF : SEEN_CALLER);
    for (i = 0; i < s->branch_count; i++) seen_address(r, x, s->pid, s->branches[i].from, SEEN_SOURCE);
    x->samples++;
}

/* ----- judging ---------------------------------------------------------------------------------------------------- */

/* 1 if a file has another build id than a program; -1: the same; 0: one of them has none. */
static int other_build(const reader *r, const seen_file *f, size_t k)
{
    size_t size, n;
    const unsigned char *const id = elf_build_id(&r->programs->v[k].loaded.elf, &size);
    n = size < f->id_size ? size : f->id_size;
    if (id == NULL || n == 0) return 0;
    return memcmp(id, f->id, n) == 0 ? -1 : 1;
}

/* What --perf-binary names, by a path or the end of one: the program, unless a build id says that it is another one. */
static int is_perf_binary(const reader *r, const char *path, size_t size)
{
    const char *const name = r->how.perf_binary;
    const size_t n = name != NULL ? strlen(name) : 0;
    size = living_size(path, size);
    return n != 0 && size >= n && memcmp(path + size - n, name, n) == 0 && (size == n || path[size - n - 1] == '/');
}

/* 1 if a file has the name of program number k, or the one of --perf-binary. */
static int has_name(const reader *r, const seen_file *f, size_t k)
{
    const char *const name = r->programs->v[k].path;
    return strcmp(f->path + base_at(f->path, strlen(f->path)), name + base_at(name, strlen(name))) == 0 ||
           (k == 0 && is_perf_binary(r, f->path, strlen(f->path)));
}

static int fits_well(const seen_fit *c) { return c->n >= SEEN_LEAST && c->bad <= c->n / 10; }

/* 1 if more than one in `most` of what was recorded is not the program's. */
static int fits_badly(const seen_fit *c, uint64_t most) { return c->bad >= SEEN_LEAST && c->bad > c->n / most; }

/* Where a program is named by no mapping: files that it can be, as what was recorded in them says. */
static void look_for_renamed(reader *r, struct renamed *x, size_t k)
{
    size_t i;
    for (i = 0; i < x->files; i++) {
        seen_file *const f = &x->file[i];
        const seen_fit c = f->fit[k];
        if (f->image != NOT_SEEN || other_build(r, f, k) != 0) continue;
        if (fits_well(&c))
            warn(r->tool, "%s: %s is taken for %s: %" PRIu64 " of %" PRIu64 " addresses recorded there are branches "
                 "and calls of it", r->path, f->path, r->programs->v[k].path, c.n - c.bad, c.n);
        else if (k == 0 && f->fixed && f->hits != 0 && c.bad <= f->hits / 10)
            warn(r->tool, "%s: %s is taken for %s: it is where that must be", r->path, f->path, r->programs->v[k].path);
        else continue;
        f->image = (int)k;
    }
}

/* 1 if a file can be a program by its name, and no build id decides. */
static int is_namesake(const reader *r, const seen_file *f, size_t k)
{
    return f->image == NOT_SEEN && has_name(r, f, k) && other_build(r, f, k) == 0;
}

/*
 * Of several files of a program's name: leaves out those that are others, if one fits. One that fits well makes others
 * suspect that do not.
 */
static void tell_namesakes_apart(reader *r, struct renamed *x, size_t k)
{
    size_t i, named = 0, good = 0;
    uint64_t most = 2;
    for (i = 0; i < x->files; i++) {
        const seen_fit *const c = &x->file[i].fit[k];
        const int is = is_namesake(r, &x->file[i], k);
        named += is != 0;
        good += is && !fits_badly(c, 2) && c->n != 0;
        if (is && fits_well(c)) most = 4;
    }
    for (i = 0; named > 1 && good != 0 && i < x->files; i++) {
        seen_file *const f = &x->file[i];
        if (!is_namesake(r, f, k) || !fits_badly(&f->fit[k], most)) continue;
        f->image = IS_OTHER;
        warn(r->tool, "%s: %s is not %s, but another file of its name: %" PRIu64 " of %" PRIu64 " addresses "
             "recorded there are no branches and calls of it", r->path, f->path, r->programs->v[k].path, f->fit[k].bad,
             f->fit[k].n);
    }
}

/* Which of several programs of its name a file is: the one of its path, or the only one that fits well. */
static void tell_programs_apart(const reader *r, struct renamed *x, seen_file *f)
{
    size_t k, named = 0, well = 0, best = 0;
    for (k = 0; k < x->images; k++) {
        if (!is_namesake(r, f, k)) continue;
        named++;
        if (!fits_well(&f->fit[k])) continue;
        well++;
        best = k;
    }
    for (k = 0; k < x->images && named > 1; k++)
        if (is_namesake(r, f, k) && strcmp(r->programs->v[k].path, f->path) == 0 && !fits_badly(&f->fit[k], 2))
            f->image = (int)k;
    if (named > 1 && well == 1) f->image = (int)best;
}

static void renamed_decide(reader *r, struct renamed *x)
{
    size_t i, k;
    int called = r->how.perf_binary == NULL || x->files == 0 || pe_was(&r->programs->v->loaded.elf);
    for (i = 0; i < x->files; i++) {
        called |= is_perf_binary(r, x->file[i].path, strlen(x->file[i].path));
        tell_programs_apart(r, x, &x->file[i]);
    }
    if (!called)
        warn(r->tool, "%s: no file of the name of --perf-binary=%s is mapped", r->path, r->how.perf_binary);
    for (k = 0; k < x->images; k++) {
        int named = 0;
        for (i = 0; i < x->files; i++)
            named |= other_build(r, &x->file[i], k) < 0 || has_name(r, &x->file[i], k);
        if (!named) look_for_renamed(r, x, k);
        else tell_namesakes_apart(r, x, k);
    }
}

/* ----- looking ahead ---------------------------------------------------------------------------------------------- */

int renamed_begin(reader *r)
{
    renamed_free(r->renamed);
    r->renamed = NULL;
    if (r->tool->compat || r->programs->spaces == NULL) return 1;
    r->renamed = (struct renamed *)calloc(1, sizeof *r->renamed);
    if (r->renamed == NULL) return fail(r->tool, "out of memory"), 0;
    r->renamed->images = r->programs->count;
    return 1;
}

void renamed_see(reader *r, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *map)
{
    struct renamed *const x = r->renamed;
    seen_file *f;
    if (x == NULL) return;
    if (item == CSSPGO_ITEM_MMAP) seen_map_event(r, x, map);
    if (item == CSSPGO_ITEM_SAMPLE && x->samples < SEEN_SAMPLES) seen_sample(r, x, s);
    if (item != CSSPGO_ITEM_BUILD_ID || !has_id(map)) return;
    f = seen_add(x, map->path, map->path_size);
    if (f == NULL || f->id_size != 0) return;
    f->id_size = map->build_id_size;
    memcpy(f->id, map->build_id, f->id_size);
}

/* A profile of pprof, which is known when all of it was read. Returns 0 after saying what is wrong. */
static int pprof_ahead(reader *r, FILE *f)
{
    static char chunk[1 << 16];
    csspgo_pprof *const pprof = f != NULL ? programs_pprof(r->programs, r->how.pprof_type) : NULL;
    csspgo_sample s;
    csspgo_mmap map;
    csspgo_item item;
    size_t size;
    if (f == NULL) return 1;
    if (pprof == NULL) return fail(r->tool, "out of memory"), 0;
    while (!interrupted() && (size = fread(chunk, 1, sizeof chunk, f)) != 0)
        csspgo_pprof_feed(pprof, chunk, size, NULL);
    csspgo_pprof_end(pprof);
    while ((item = csspgo_pprof_next(pprof, &s, &map, NULL)) != CSSPGO_ITEM_NONE) renamed_see(r, item, &s, &map);
    csspgo_pprof_free(pprof);
    renamed_decide(r, r->renamed);
    if (ferror(f) || fseeko(f, 0, SEEK_SET) != 0) return fail(r->tool, "%s: %s", r->path, strerror(errno)), 0;
    return 1;
}

int renamed_ahead(reader *r, const void *piece, size_t size, FILE *f)
{
    static char chunk[1 << 16];
    csspgo_script *script = NULL;
    csspgo_perfdata *data = NULL;
    csspgo_script_options how;
    csspgo_sample s;
    csspgo_mmap map;
    csspgo_item item;
    size_t bytes = 0;
    if (r->renamed != NULL && r->pprof != NULL) return pprof_ahead(r, f);
    if (r->renamed == NULL || (r->script == NULL && r->data == NULL)) return 1;
    memset(&how, 0, sizeof how);
    if (r->script != NULL) script = csspgo_script_new(&how, seeded(), NULL);
    else data = csspgo_perfdata_new(seeded(), NULL);
    if (script == NULL && data == NULL) return fail(r->tool, "out of memory"), 0;
    do {
        if (script != NULL) csspgo_script_feed(script, piece, size, NULL);
        else csspgo_perfdata_feed(data, piece, size, NULL);
        while ((item = script != NULL ? csspgo_script_next(script, &s, &map, NULL)
                                      : csspgo_perfdata_next(data, &s, &map, NULL)) != CSSPGO_ITEM_NONE)
            renamed_see(r, item, &s, &map);
        bytes += size;
        piece = chunk;
    } while (f != NULL && bytes < SEEN_BYTES && r->renamed->samples < SEEN_SAMPLES && !interrupted() &&
             (size = fread(chunk, 1, sizeof chunk, f)) != 0);
    csspgo_script_free(script);
    csspgo_perfdata_free(data);
    renamed_decide(r, r->renamed);
    if (f != NULL && (ferror(f) || fseeko(f, 0, SEEK_SET) != 0))
        return fail(r->tool, "%s: %s", r->path, file_why()), 0;
    return 1;
}

/* ----- mappings as they are meant --------------------------------------------------------------------------------- */

/* The build id of a program; one that is made up if it has none. */
static void renamed_id(reader *r, size_t k, csspgo_mmap *map, unsigned char *id)
{
    const loaded *const l = &r->programs->v[k].loaded;
    size_t size;
    const unsigned char *const own = elf_build_id(&l->elf, &size);
    map->build_id_size = own != NULL ? (uint32_t)(size < 20 ? size : 20) : 20;
    if (own != NULL) memcpy(id, own, map->build_id_size);
    else {
        memset(id, 0xa5, 20);
        id[0] = (unsigned char)k;
        csspgo_code_set_build_id(l->code, l->module, id, 20, NULL);
    }
    map->build_id = id;
    r->renamed->forced = 1;
}

csspgo_mmap renamed_map(reader *r, csspgo_item item, const csspgo_mmap *map, unsigned char *id)
{
    csspgo_mmap m = *map;
    const seen_file *f;
    if (r->renamed == NULL || (item != CSSPGO_ITEM_MMAP && item != CSSPGO_ITEM_BUILD_ID)) return m;
    f = seen_find(r->renamed, map->path, map->path_size);
    if (f != NULL && f->image == IS_OTHER) {
        m.path_size = 0;
        m.build_id_size = 0;
    } else if (is_perf_binary(r, map->path, map->path_size)) {
        if (!has_id(&m) && (f == NULL || f->id_size == 0)) renamed_id(r, 0, &m, id);
        else if (!has_id(&m)) {
            memcpy(id, f->id, f->id_size);
            m.build_id = id;
            m.build_id_size = f->id_size;
        }
        if (f != NULL && other_build(r, f, 0) > 0) {       /* that is said of a file of the program's name */
            m.path = r->programs->v->path;
            m.path_size = strlen(r->programs->v->path);
        }
    } else if (f != NULL && f->image >= 0) {
        renamed_id(r, (size_t)f->image, &m, id);
    }
    return m;
}

int renamed_forced(const reader *r)
{
    return r->renamed != NULL && r->renamed->forced;
}

void renamed_free(struct renamed *x)
{
    size_t i;
    if (x == NULL) return;
    for (i = 0; i < x->files; i++) {
        free(x->file[i].path);
        free(x->file[i].fit);
    }
    free(x->file);
    free(x->map);
    free(x);
}
