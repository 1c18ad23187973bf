/* jit_code.c - code that JITs made: what is where, the files that tell of it, their records, applied as time goes on */
#include "profgen.h"

/* ----- live sets: code by address ------------------------------------------------------------------------------- */

/* The last block that begins at or before an address, 0 if there is none. */
static size_t live_block_of(const live_set *s, uint64_t address)
{
    size_t a = 0, b = s->count;
    while (b - a > 1) {
        const size_t m = a + (b - a) / 2;
        if (s->entry[m].begin <= address) a = m;
        else b = m;
    }
    return a;
}

/* How many ranges of a block begin at or before an address. */
static uint32_t live_before(const live_block *b, uint64_t address)
{
    uint32_t low = 0, high = b->count;
    while (low < high) {
        const uint32_t m = low + (high - low) / 2;
        if (b->range[m].begin <= address) low = m + 1;
        else high = m;
    }
    return low;
}

const live_range *live_at(const live_set *s, uint64_t address)
{
    const live_block *b;
    uint32_t n;
    if (s->count == 0) return NULL;
    b = s->entry[live_block_of(s, address)].block;
    n = live_before(b, address);
    return n != 0 && address < b->range[n - 1].end ? &b->range[n - 1] : NULL;
}

static void live_release(live_block *b)
{
    if (--b->sets == 0) free(b);
}

static void live_drop_block(live_set *s, size_t i)
{
    live_release(s->entry[i].block);
    memmove(s->entry + i, s->entry + i + 1, (--s->count - i) * sizeof *s->entry);
}

/* A block, to be changed: the set's own, not one that it shares. NULL: out of memory. */
static live_block *live_own(live_set *s, size_t i)
{
    live_block *b = s->entry[i].block, *copy;
    if (b->sets == 1) return b;
    copy = (live_block *)malloc(sizeof *copy);
    if (copy == NULL) return NULL;
    memcpy(copy, b, sizeof *copy);
    copy->sets = 1;
    b->sets--;
    return s->entry[i].block = copy;
}

/* The first range that overlaps [begin, end), as block and number. Returns 0: none does. */
static int live_first(const live_set *s, uint64_t begin, uint64_t end, size_t *block, uint32_t *at)
{
    const live_block *b;
    if (s->count == 0) return 0;
    b = s->entry[*block = live_block_of(s, begin)].block;
    *at = live_before(b, begin);
    if (*at != 0 && b->range[*at - 1].end > begin) --*at;
    if (*at == b->count) {
        if (++*block == s->count) return 0;
        b = s->entry[*block].block;
        *at = 0;
    }
    return b->range[*at].begin < end;
}

int live_overlaps(const live_set *s, uint64_t begin, uint64_t end)
{
    size_t block;
    uint32_t at;
    return live_first(s, begin, end, &block, &at);
}

int live_remove(live_set *s, uint64_t begin, uint64_t end)
{
    size_t i;
    uint32_t at, n;
    while (live_first(s, begin, end, &i, &at)) {
        live_block *b = live_own(s, i);
        if (b == NULL) return 0;
        for (n = at + 1; n < b->count && b->range[n].begin < end; n++) {}
        memmove(b->range + at, b->range + n, (b->count - n) * sizeof *b->range);
        b->count -= n - at;
        if (b->count == 0) live_drop_block(s, i);
        else s->entry[i].begin = b->range[0].begin;
    }
    return 1;
}

/* Puts a block before block i; begin: of its first range. Returns 0: out of memory. */
static int live_put(live_set *s, size_t i, live_block *b, uint64_t begin)
{
    if (s->count == s->cap) {
        const size_t cap = s->cap * 2 + 4;
        live_entry *more = (live_entry *)realloc(s->entry, cap * sizeof *more);
        if (more == NULL) return 0;
        s->entry = more;
        s->cap = cap;
    }
    memmove(s->entry + i + 1, s->entry + i, (s->count++ - i) * sizeof *s->entry);
    s->entry[i].begin = begin;
    s->entry[i].block = b;
    return 1;
}

/* A new, empty block before block i; begin: of what comes first in it. */
static live_block *live_block_new(live_set *s, size_t i, uint64_t begin)
{
    live_block *b = (live_block *)malloc(sizeof *b);
    if (b == NULL) return NULL;
    b->count = 0;
    b->sets = 1;
    if (live_put(s, i, b, begin)) return b;
    free(b);
    return NULL;
}

/* A full block becomes two: halves, or itself and an empty one if what comes next comes last. */
static int live_split(live_set *s, size_t i, uint64_t address)
{
    live_block *b = live_own(s, i), *next;
    uint32_t keep;
    if (b == NULL) return 0;
    keep = address > b->range[LIVE_BLOCK - 1].begin ? LIVE_BLOCK : LIVE_BLOCK / 2;
    next = live_block_new(s, i + 1, keep != LIVE_BLOCK ? b->range[keep].begin : address);
    if (next == NULL) return 0;
    memcpy(next->range, b->range + keep, (LIVE_BLOCK - keep) * sizeof *b->range);
    next->count = LIVE_BLOCK - keep;
    b->count = keep;
    return 1;
}

int live_add(live_set *s, const live_range *r)
{
    size_t i = s->count != 0 ? live_block_of(s, r->begin) : 0;
    live_block *b;
    uint32_t at;
    if (s->count == 0 && live_block_new(s, 0, r->begin) == NULL) return 0;
    if (s->entry[i].block->count == LIVE_BLOCK) {
        if (!live_split(s, i, r->begin)) return 0;
        i += s->entry[i + 1].begin <= r->begin;
    }
    b = live_own(s, i);
    if (b == NULL) return 0;
    at = live_before(b, r->begin);
    memmove(b->range + at + 1, b->range + at, (b->count++ - at) * sizeof *b->range);
    b->range[at] = *r;
    s->entry[i].begin = b->range[0].begin;
    return 1;
}

int live_copy(live_set *to, const live_set *from)
{
    size_t i;
    for (i = 0; i < from->count; i++) {
        if (!live_put(to, i, from->entry[i].block, from->entry[i].begin)) return 0;
        from->entry[i].block->sets++;
    }
    return 1;
}

void live_clear(live_set *s)
{
    while (s->count != 0) live_release(s->entry[--s->count].block);
    free(s->entry);
    memset(s, 0, sizeof *s);
}

/* ----- files ------------------------------------------------------------------------------------------------------ */

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

enum { PROCESSES = 1 << 16, INHERITED = 1 << 22 };

/* ----- processes ----- */

/* The number of processes with a smaller pid. */
static size_t jit_process_before(const jit_code *j, uint32_t pid)
{
    size_t a = 0, b = j->processes;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (j->process[m].pid < pid) a = m + 1;
        else b = m;
    }
    return a;
}

static jit_process *jit_find_process(jit_code *j, uint32_t pid)
{
    if (j->last < j->processes && j->process[j->last].pid == pid) return &j->process[j->last];
    j->last = jit_process_before(j, pid);
    return j->last < j->processes && j->process[j->last].pid == pid ? &j->process[j->last] : NULL;
}

static jit_process *jit_make_process(jit_code *j, uint32_t pid)
{
    jit_process *p = jit_find_process(j, pid), *v;
    const size_t i = j->last;
    if (p != NULL) return p;
    if (j->processes == PROCESSES) return NULL;
    v = (jit_process *)jit_room(j->process, j->processes, &j->process_cap, sizeof *v);
    if (v == NULL) return NULL;
    j->process = v;
    memmove(v + i + 1, v + i, (j->processes++ - i) * sizeof *v);
    memset(&v[i], 0, sizeof v[i]);
    v[i].pid = pid;
    return &v[i];
}

/* A process has ended, or runs another program. A map has no times: it stays. */
static void jit_end_process(jit_code *j, uint32_t pid)
{
    jit_process *p = jit_find_process(j, pid);
    if (p == NULL || p->has_map) return;
    live_clear(&p->live);
    memmove(p, p + 1, (size_t)(j->process + --j->processes - p) * sizeof *p);
}

/* ----- records ----- */

/* The process of a record, as the recording knows it. */
static uint32_t jit_pid(const jit_code *j, const jit_function *f, const jitdump_record *r)
{
    const jit_file *file = &j->file[f->file];
    return r->pid == file->pid_inside ? file->pid : r->pid;
}

/* 1 if a function is the one that is at [begin, end): written twice. */
static int jit_is_again(const jit_code *j, const live_range *at, uint32_t function)
{
    jitdump_record a, b;
    return jit_load(j, at->function, &a) && jit_load(j, function, &b) && a.size == b.size &&
           a.name_size == b.name_size && memcmp(a.name, b.name, a.name_size) == 0;
}

/*
 * Removes what overlaps [begin, end). Code of a dump is gone as a whole, as its memory was freed; a map has no such
 * thing, and only says that another function is there now (kept: 1): the ends that stick out stay. Returns 0: out of
 * memory.
 */
static int jit_make_room(live_set *live, uint64_t begin, uint64_t end, int kept)
{
    const live_range *const first = live_at(live, begin), *const last = live_at(live, end - 1);
    const int has_head = kept && first != NULL && first->begin < begin;
    const int has_tail = kept && last != NULL && last->end > end;
    live_range head, tail;
    if (has_head) head = *first;
    if (has_tail) tail = *last;
    if (!live_remove(live, begin, end)) return 0;
    if (has_head) head.end = begin;
    if (has_tail) tail.begin = end;
    return (!has_head || live_add(live, &head)) && (!has_tail || live_add(live, &tail));
}

/* From now on code of a function begins at an address; what overlaps is gone. Returns 0: out of memory. */
static int jit_put(jit_code *j, uint32_t pid, uint32_t function, uint64_t begin, uint64_t size)
{
    jit_process *p = jit_make_process(j, pid);
    live_range r;
    if (p == NULL) return j->processes == PROCESSES;
    p->has_map |= j->function[function].kind == JIT_MAP;
    memset(&r, 0, sizeof r);
    r.begin = r.base = begin;
    r.end = begin + size;
    r.function = function;
    if (j->untimed) {
        const live_range *at = live_at(&p->live, begin);
        jit_place *v;
        if (at != NULL && at->begin == begin && at->end == r.end && jit_is_again(j, at, function)) return 1;
        v = (jit_place *)jit_room(j->place, j->places, &j->place_cap, sizeof *v);
        if (v == NULL) return 0;
        j->place = v;
        v[j->places].begin = begin;
        v[j->places].end = r.end;
        v[j->places].pid = pid;
        v[j->places++].function = function;
    }
    j->function[function].now = begin;
    return jit_make_room(&p->live, begin, r.end, j->function[function].kind == JIT_MAP) && live_add(&p->live, &r);
}

/* Which file's code, and its number there. */
static uint64_t jit_index_of(const jit_code *j, uint32_t function)
{
    const jit_function *f = &j->function[function];
    return f->kind == JIT_MAP ? 0 : jitdump__64(&j->file[f->file].dump, (size_t)f->offset + 48);
}

static const jit_code *sorted_code;           /* qsort has no argument for the order */

static int jit_index_order(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t f = sorted_code->function[x].file, g = sorted_code->function[y].file;
    const uint64_t i = jit_index_of(sorted_code, x), k = jit_index_of(sorted_code, y);
    if (f != g) return f < g ? -1 : 1;
    if (i != k) return i < k ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The last JITDUMP_LOAD before a record of the same file that has a number; JIT_AMBIGUOUS: none, or no memory. */
static uint32_t jit_latest(jit_code *j, uint32_t record, uint64_t index)
{
    const uint32_t file = j->function[record].file;
    size_t a = 0, b, i;
    if (j->by_index == NULL) {
        j->by_index = (uint32_t *)malloc((j->functions + 1) * sizeof *j->by_index);
        if (j->by_index == NULL) return JIT_AMBIGUOUS;
        for (j->by_index_count = i = 0; i < j->functions; i++)
            if (j->function[i].kind == JITDUMP_LOAD) j->by_index[j->by_index_count++] = (uint32_t)i;
        sorted_code = j;
        qsort(j->by_index, j->by_index_count, sizeof *j->by_index, jit_index_order);
    }
    for (b = j->by_index_count; a < b;) {
        const size_t m = a + (b - a) / 2;
        const uint32_t x = j->by_index[m], f = j->function[x].file;
        const uint64_t k = jit_index_of(j, x);
        if (f < file || (f == file && (k < index || (k == index && x < record)))) a = m + 1;
        else b = m;
    }
    if (a == 0) return JIT_AMBIGUOUS;
    i = j->by_index[a - 1];
    return j->function[i].file == file && jit_index_of(j, (uint32_t)i) == index ? (uint32_t)i : JIT_AMBIGUOUS;
}

/* What a JITDUMP_MOVE moves: the code with that number at the old place; or with that number; or at the old place. */
static const live_range *jit_moved(jit_code *j, uint32_t record, const jitdump_record *r, const jit_process *p)
{
    const live_range *at = live_at(&p->live, r->old), *x;
    uint32_t f;
    if (at != NULL && at->begin != r->old) at = NULL;
    if (at != NULL && jit_index_of(j, at->function) == r->index) return at;
    f = jit_latest(j, record, r->index);
    x = f != JIT_AMBIGUOUS ? live_at(&p->live, j->function[f].now) : NULL;
    return x != NULL && x->function == f ? x : at;
}

/* Applies a record. Returns 0: out of memory. */
static int jit_apply(jit_code *j, uint32_t record)
{
    const jit_function *f = &j->function[record];
    jitdump_record r;
    jit_process *p;
    const live_range *at;
    live_range moved;
    uint64_t was;
    if (!jit_load(j, record, &r)) return 1;
    if (f->kind != JITDUMP_MOVE) return jit_put(j, jit_pid(j, f, &r), record, r.address, r.size);
    p = jit_find_process(j, jit_pid(j, f, &r));
    at = p != NULL ? jit_moved(j, record, &r, p) : NULL;
    if (at == NULL || r.address > UINT64_MAX - (at->end - at->begin)) return 1;
    moved = *at;
    was = j->function[moved.function].now;
    if (!live_remove(&p->live, moved.begin, moved.end) ||
        !jit_put(j, p->pid, moved.function, r.address, moved.end - moved.begin))
        return 0;
    if (j->function[moved.function].file != f->file) j->function[moved.function].now = was;   /* a child's copy */
    return 1;
}

int jit_is_due(const jit_code *j, uint64_t time)
{
    return !j->untimed && j->applied < j->functions && j->function[j->applied].time <= time;
}

int jit_advance(jit_code *j, uint64_t time)
{
    while (jit_is_due(j, time))
        if (!jit_apply(j, (uint32_t)j->applied++)) return 0;
    return 1;
}

void jit_restart(jit_code *j)
{
    size_t i;
    while (j->processes != 0) live_clear(&j->process[--j->processes].live);
    for (i = 0; i < j->functions; i++) j->function[i].hit = 0;
    j->applied = 0;
    j->untimed = 0;
    jit_sort(j);
}

/* ----- without times ----- */

typedef struct jit_end { uint64_t at; uint32_t pid, place, closes, reserved; } jit_end;

static int jit_end_order(const void *a, const void *b)
{
    const jit_end *x = (const jit_end *)a, *y = (const jit_end *)b;
    if (x->pid != y->pid) return x->pid < y->pid ? -1 : 1;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return 0;
}

/* The ends of all places, by process and address. NULL: out of memory. */
static jit_end *jit_ends(const jit_code *j)
{
    jit_end *v = (jit_end *)calloc(2 * j->places + 1, sizeof *v);
    size_t i;
    for (i = 0; v != NULL && i < 2 * j->places; i++) {
        const jit_place *p = &j->place[i / 2];
        v[i].closes = i & 1;
        v[i].at = v[i].closes ? p->end : p->begin;
        v[i].pid = p->pid;
        v[i].place = (uint32_t)(i / 2);
    }
    if (v != NULL) qsort(v, 2 * j->places, sizeof *v, jit_end_order);
    return v;
}

/* Live sets of what is at each place, JIT_AMBIGUOUS where there are several. Returns 0: out of memory. */
static int jit_unambiguous(jit_code *j)
{
    jit_end *v = jit_ends(j);
    uint64_t open = 0, sum = 0;               /* places that cover the address: how many, their numbers added up */
    size_t i;
    int ok = v != NULL;
    for (i = 0; i < j->processes; i++) live_clear(&j->process[i].live);
    for (i = 0; ok && i + 1 < 2 * j->places; i++) {
        jit_process *p = jit_find_process(j, v[i].pid);
        live_range r;
        open += v[i].closes ? UINT64_MAX : 1;
        sum += v[i].closes ? 0 - (uint64_t)v[i].place : v[i].place;
        if (p == NULL || open == 0 || v[i + 1].at == v[i].at) continue;
        memset(&r, 0, sizeof r);
        r.begin = r.base = v[i].at;
        r.end = v[i + 1].at;
        r.function = open == 1 ? j->place[sum].function : JIT_AMBIGUOUS;
        if (open == 1) r.base = j->place[sum].begin;
        ok = live_add(&p->live, &r);
    }
    free(v);
    free(j->place);
    j->place = NULL;
    j->places = j->place_cap = 0;
    return ok;
}

int jit_without_times(jit_code *j)
{
    j->untimed = 1;
    while (j->applied < j->functions)
        if (!jit_apply(j, (uint32_t)j->applied++)) return 0;
    return jit_unambiguous(j);
}

/* ----- what the kernel says ----- */

/* 1 if a mapping is of a file that holds code; else a JIT may have asked for it. */
static int jit_is_file(const csspgo_mmap *map)
{
    static const char *const others[] = { "//anon", "[", "/memfd:", "/dev/zero", "/SYSV", "anon_inode:" };
    size_t i;
    for (i = 0; i < sizeof others / sizeof *others; i++)
        if (map->path_size >= strlen(others[i]) && memcmp(map->path, others[i], strlen(others[i])) == 0) return 0;
    return map->path_size != 0 && jit_dump_of(map) == 0;
}

/* A mapping of a dump tells which process writes it. */
static void jit_meet_dump(jit_code *j, const csspgo_mmap *map)
{
    const char *name = jit_last_component(map->path, map->path_size);
    const size_t size = (size_t)(map->path + map->path_size - name);
    size_t i;
    for (i = 0; i < j->files; i++) {
        const char *own = jit_last_component(j->file[i].path, strlen(j->file[i].path));
        if (!j->file[i].is_map && strlen(own) == size && memcmp(own, name, size) == 0) j->file[i].pid = map->pid;
    }
}

/* A child gets its parent's code. */
static int jit_fork(jit_code *j, uint32_t parent, uint32_t child)
{
    jit_process *from;
    if (parent == child) return 1;
    if (!j->untimed) jit_end_process(j, child);
    from = jit_find_process(j, parent);
    if (from == NULL || jit_find_process(j, child) != NULL) return 1;
    if (j->inherited + from->live.count > INHERITED || j->processes == PROCESSES) {
        j->not_inherited++;
        return 1;
    }
    j->inherited += from->live.count;
    if (jit_make_process(j, child) == NULL) return 0;
    from = jit_find_process(j, parent);
    return live_copy(&jit_find_process(j, child)->live, &from->live);
}

int jit_event(jit_code *j, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    jit_process *p;
    if (item == CSSPGO_ITEM_FORK) return jit_fork(j, map->pid, sample->pid);
    if (item == CSSPGO_ITEM_MMAP && jit_dump_of(map) != 0) jit_meet_dump(j, map);
    if (j->untimed) return 1;
    if (item == CSSPGO_ITEM_COMM && map->executable) jit_end_process(j, sample->pid);
    if (item == CSSPGO_ITEM_EXIT && sample->pid == sample->tid) jit_end_process(j, sample->pid);
    if (item != CSSPGO_ITEM_MMAP || !map->executable || !jit_is_file(map)) return 1;
    p = jit_find_process(j, map->pid);
    if (p == NULL || p->has_map || map->size == 0 || map->address > UINT64_MAX - map->size) return 1;
    return live_remove(&p->live, map->address, map->address + map->size);
}

/* ----- look-up ----- */

const live_range *jit_at(jit_code *j, uint32_t pid, uint64_t address)
{
    const jit_process *p = jit_find_process(j, pid);
    const live_range *r = p != NULL ? live_at(&p->live, address) : NULL;
    if (r != NULL || j->processes == 0) return r;
    if (pid == 0 && j->processes == 1) return live_at(&j->process[0].live, address);
    return j->process[0].pid == 0 ? live_at(&j->process[0].live, address) : NULL;      /* of any process */
}
