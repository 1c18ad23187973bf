/* jit_files.c - code that JITs made: the files that tell of it */
#include "jit.h"

enum { FILES = 1 << 12 };

/* Room for one more element of an array that has `count`. Returns the array; NULL: out of memory, it is as before. */
void *jit_room(void *v, size_t count, size_t *cap, size_t size)
{
    const size_t more = *cap * 2 + 16;
    void *w;
    if (count < *cap) return v;
    w = more <= SIZE_MAX / size ? realloc(v, more * size) : NULL;
    if (w != NULL) *cap = more;
    return w;
}

const char *jit_last_component(const char *path, size_t size)
{
    size_t n = size;
    while (n != 0 && path[n - 1] != '/') n--;
    return path + n;
}

/* The N of the last component of a path that is BEFORE N AFTER; 0: it is none. */
static uint32_t jit_number_in(const char *path, size_t size, const char *before, const char *after)
{
    const char *p = jit_last_component(path, size), *end = path + size;
    uint64_t n = 0;
    if ((size_t)(end - p) <= strlen(before) || memcmp(p, before, strlen(before)) != 0) return 0;
    for (p += strlen(before); p != end && *p >= '0' && *p <= '9'; p++) {
        n = n * 10 + (uint64_t)(*p - '0');
        if (n > UINT32_MAX) return 0;
    }
    return (size_t)(end - p) == strlen(after) && memcmp(p, after, strlen(after)) == 0 ? (uint32_t)n : 0;
}

uint32_t jit_dump_of(const csspgo_mmap *map)
{
    return jit_number_in(map->path, map->path_size, "jit-", ".dump");
}

/* Adds a record. Returns 0: out of memory. */
static int jit_push(jit_code *j, uint32_t kind, uint64_t time, uint64_t offset, uint64_t debug)
{
    jit_function *v = (jit_function *)jit_room(j->function, j->functions, &j->function_cap, sizeof *v), *f;
    if (v == NULL || j->functions >= JIT_AMBIGUOUS - 1) return 0;
    j->function = v;
    f = &v[j->functions++];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->time = time;
    f->offset = offset;
    f->debug = debug != 0 && offset - debug <= UINT32_MAX ? (uint32_t)(offset - debug) : 0;
    f->file = (uint32_t)j->files - 1;
    return 1;
}

/* Lists the records of a dump: in time's order if they are in the file. Returns 0: out of memory. */
static int jit_read_dump(jit_code *j, jit_file *f)
{
    jitdump_record r;
    uint64_t debug = 0;
    size_t late = 0, not_late = 0;
    while (jitdump_next(&f->dump, &r)) {
        if (r.kind == JITDUMP_DEBUG && r.index != 0) {
            const int is_late = jitdump__64(&f->dump, (size_t)r.offset + 32) - r.address >= 0x40;
            debug = r.offset;
            late += is_late != 0;
            not_late += !is_late;
        }
        if (r.kind == JITDUMP_LOAD && r.size != 0 && !jit_push(j, JITDUMP_LOAD, r.time, r.offset, debug)) return 0;
        if (r.kind == JITDUMP_MOVE && !jit_push(j, JITDUMP_MOVE, r.time, r.offset, 0)) return 0;
        if (r.kind == JITDUMP_LOAD) debug = 0;
    }
    f->columns = late != 0 && not_late == 0;
    return 1;
}

static int jit_read_map(jit_code *j, jit_file *f)
{
    const char *text = (const char *)f->bytes.data;
    size_t at = 0;
    perfmap_line l;
    while (perfmap_next(text, f->bytes.size, &at, &l, &f->bad_lines))
        if (!jit_push(j, JIT_MAP, 0, l.offset, 0)) return 0;
    return 1;
}

static int jit_order(const void *a, const void *b)
{
    const jit_function *x = (const jit_function *)a, *y = (const jit_function *)b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorts what is not applied yet, if it is not in order. */
void jit_sort(jit_code *j)
{
    size_t i = j->applied + 1;
    while (i < j->functions && jit_order(&j->function[i - 1], &j->function[i]) < 0) i++;
    if (i < j->functions) qsort(j->function + j->applied, j->functions - j->applied, sizeof *j->function, jit_order);
    free(j->by_index);
    j->by_index = NULL;
}

static int jit_open(jit_code *j, jit_file *f, char *why, size_t why_size)
{
    size_t known;
    if (!file_open(f->path, &f->bytes)) return load_fail(why, why_size, file_why());
    if (f->is_map) f->pid = jit_number_in(f->path, strlen(f->path), "perf-", ".map");
    else if (!jitdump_open(&f->dump, f->bytes.data, f->bytes.size, why, why_size)) return 0;
    else f->pid = f->pid_inside = f->dump.pid;
    known = j->functions;
    if (!(f->is_map ? jit_read_map(j, f) : jit_read_dump(j, f))) return load_fail(why, why_size, "out of memory");
    if (f->is_map && j->functions == known && f->bad_lines != 0)
        return load_fail(why, why_size, "no line is one of a perf map: START SIZE NAME");
    return 1;
}

int jit_add_file(jit_code *j, const char *path, int is_map, char *why, size_t why_size)
{
    jit_file *v = (jit_file *)jit_room(j->file, j->files, &j->file_cap, sizeof *v), *f;
    if (v == NULL) return load_fail(why, why_size, "out of memory");
    j->file = v;
    if (j->files == FILES) return load_fail(why, why_size, "too many files of JITs");
    f = &v[j->files++];
    memset(f, 0, sizeof *f);
    f->is_map = is_map;
    f->path = strdup(path);
    if (f->path == NULL) return load_fail(why, why_size, "out of memory");
    if (!jit_open(j, f, why, why_size)) return 0;
    jit_sort(j);
    return 1;
}

uint64_t jit_file_bad(const jit_file *f)
{
    return f->is_map ? f->bad_lines : f->dump.bad + (uint64_t)f->dump.cut;
}

void jit_free(jit_code *j)
{
    size_t i;
    if (j == NULL) return;
    for (i = 0; i < j->files; i++) {
        file_close(&j->file[i].bytes);
        free(j->file[i].path);
    }
    for (i = 0; i < j->processes; i++) live_clear(&j->process[i].live);
    free(j->file);
    free(j->function);
    free(j->by_index);
    free(j->process);
    free(j->place);
    free(j);
}

int jit_load(const jit_code *j, uint32_t function, jitdump_record *r)
{
    const jit_function *f = &j->function[function];
    const jit_file *file = &j->file[f->file];
    perfmap_line l;
    if (f->kind != JIT_MAP) return jitdump_at(&file->dump, (size_t)f->offset, r) == 1;
    memset(r, 0, sizeof *r);
    if (perfmap_at((const char *)file->bytes.data, file->bytes.size, (size_t)f->offset, &l) != 1) return 0;
    r->kind = JIT_MAP;
    r->pid = file->pid;
    r->address = l.begin;
    r->size = l.end - l.begin;
    r->name = l.name;
    r->name_size = l.name_size;
    return 1;
}
