/* first_code.c - --first: breakpoints at the entries of functions
 *
 * All breakpoints of a mapping are written at once, page by page: the text is read, patched and written back. Each is
 * taken away where it is met first. What a process has of a file stands in a rec_module, for each entry one state.
 */
#include "first.h"

#if defined(REC_SOFTWARE)

/* Whether code is read as data, or is a breakpoint of the program's: that through which signal handlers return. */
static int rec_is_left_alone(const unsigned char *code, size_t size)
{
    static const unsigned char restore[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
    return code[0] == 0xcc || (size >= sizeof restore && memcmp(code, restore, sizeof restore) == 0);
}

/* Writes the pages from begin to end, of what was read at base. */
static void rec_write_pages(const recorder *r, const rec_module *d, uint64_t base, uint64_t begin, uint64_t end)
{
    ssize_t n;
    if (begin == end) return;
    n = pwrite(r->space.memory, r->traces->chunk + (begin - base), (size_t)(end - begin), (off_t)begin);
    if (n != 0 && n != (ssize_t)(end - begin)) rec_die(r->tool, r->traces->file[d->file]->path);  /* 0: it was killed */
}

/*
 * Plants those entries of a chunk of memory that are bare, from number i on. Pages with breakpoints that follow one
 * another are written at once. Returns the next entry behind the chunk.
 */
static size_t rec_plant_chunk(const recorder *r, rec_module *d, size_t i, uint64_t base, size_t size)
{
    const rec_file *const f = r->traces->file[d->file];
    unsigned char *const chunk = r->traces->chunk;
    uint64_t begin = base, end = base;
    for (; i < f->count && f->entry[i].address + d->bias < base + size; i++) {
        const uint64_t address = f->entry[i].address + d->bias, page = address & ~(uint64_t)(REC_PAGE - 1);
        const size_t at = (size_t)(address - base);
        if (d->state[i] != REC_BARE || rec_is_left_alone(chunk + at, size - at)) continue;
        if (page > end) {
            rec_write_pages(r, d, base, begin, end);
            begin = page;
        }
        end = page + REC_PAGE;
        d->code[i] = chunk[at];
        d->state[i] = REC_PLANTED;
        chunk[at] = 0xcc;
    }
    rec_write_pages(r, d, base, begin, end);
    return i;
}

/* A mapping may be longer than its file: what is behind that cannot be read, and is no code. */
static void rec_plant_module(const recorder *r, rec_module *d, uint64_t begin, uint64_t end)
{
    const rec_file *const f = r->traces->file[d->file];
    size_t i = rec_entry_from(f, begin - d->bias), next = i;
    d->begin = begin;
    d->end = end;
    for (; i < f->count && f->entry[i].address + d->bias < end; i = next) {
        const uint64_t base = (f->entry[i].address + d->bias) & ~(uint64_t)(REC_PAGE - 1);
        const size_t size = end - base < REC_CHUNK ? (size_t)(end - base) : REC_CHUNK;
        const ssize_t n = pread(r->space.memory, r->traces->chunk, size, (off_t)base);
        if (n > 0) next = rec_plant_chunk(r, d, i, base, (size_t)n & ~(size_t)(REC_PAGE - 1));
        if (next == i) return;
    }
}

/* Where a file begins in memory, by a mapping of it; returns 0 if the file has no such segment. */
static int rec_bias_of(const elf_image *e, const rec_map *m, uint64_t *bias)
{
    elf_segment s;
    uint32_t i;
    for (i = 0; i < e->segment_count; i++) {
        if (!elf_segment_at(e, i, &s) || s.type != ELF_LOAD || (s.flags & ELF_FLAG_X) == 0) continue;
        if (m->offset < (s.offset & ~(uint64_t)(REC_PAGE - 1)) || m->offset >= s.offset + s.file_size) continue;
        *bias = m->begin - m->offset + s.offset - s.address;
        return 1;
    }
    return 0;
}

/* The module of a file at this place, made if it is new. */
static rec_module *rec_module_of(const recorder *r, rec_first *first, uint32_t file, uint64_t bias)
{
    const size_t n = r->traces->file[file]->count + 1;
    rec_module *d;
    size_t i;
    for (i = 0; i < first->count; i++)
        if (first->module[i].file == file && first->module[i].bias == bias) return &first->module[i];
    if (first->count == first->room)
        first->module = (rec_module *)rec_grown(r->tool, first->module, &first->room, sizeof *d);
    d = &first->module[first->count++];
    memset(d, 0, sizeof *d);
    d->file = file;
    d->bias = bias;
    d->state = (unsigned char *)calloc(n, 1);
    d->code = (unsigned char *)calloc(n, 1);
    if (d->state == NULL || d->code == NULL) rec_die(r->tool, "out of memory");
    return d;
}

/* What is known of the process at hand. One that ignores SIGTRAP would lose that at the first breakpoint. */
static rec_first *rec_first_of(recorder *r)
{
    rec_first *first = r->space.first;
    if (first != NULL) return first;
    first = r->space.first = (rec_first *)calloc(1, sizeof *first);
    if (first == NULL) rec_die(r->tool, "out of memory");
    first->users = 1;
    first->owner = r->process;
    first->linker = rec_auxiliary(r->pid, 7);              /* AT_BASE */
    first->barren = (rec_status(r->pid, "SigIgn", 16) >> (SIGTRAP - 1) & 1) != 0;
    if (first->barren) warn(r->tool, "process %ld ignores SIGTRAP: it is not recorded", (long)r->process);
    return first;
}

/*
 * The modules that a mapping overlaps are still there, whatever it is called now: the file may have been deleted, or
 * the text copied to other memory at the same place, with the breakpoints.
 */
static void rec_see_modules(const rec_first *first, const rec_map *m)
{
    size_t i;
    for (i = 0; i < first->count; i++)
        if (first->module[i].begin < m->end && m->begin < first->module[i].end) first->module[i].seen = 1;
}

void rec_free_module(rec_module *d)
{
    free(d->state);
    free(d->code);
}

/* A file is mapped here: other modules are not there any more. */
static void rec_drop_others(rec_first *first, uint32_t file, uint64_t bias, const rec_map *m)
{
    size_t i, n = 0;
    for (i = 0; i < first->count; i++) {
        rec_module *const d = &first->module[i];
        if ((d->file == file && d->bias == bias) || d->begin >= m->end || m->begin >= d->end) first->module[n++] = *d;
        else rec_free_module(d);
    }
    first->count = n;
}

void rec_first_on_map(recorder *r, const rec_map *m, const char *path)
{
    char opened[REC_NAME];
    unsigned long inode;
    rec_first *first;
    rec_module *d;
    uint64_t bias;
    uint32_t file;
    if (r->traces == NULL) return;
    first = rec_first_of(r);
    rec_see_modules(first, m);
    if (first->barren || m->access[1] == 'w' || m->access[2] != 'x' || m->access[3] != 'p') return;
    if (!rec_open_path(r->pid, path, opened, sizeof opened, &inode)) return;
    file = rec_file_of(r, opened, inode, m->begin >= first->linker && m->begin - first->linker < REC_LINKER);
    if (r->traces->file[file]->count == 0) return;
    if (!rec_bias_of(&r->traces->file[file]->program.elf, m, &bias)) return;
    rec_drop_others(first, file, bias, m);
    d = rec_module_of(r, first, file, bias);
    d->seen = 1;
    if (m->begin < d->begin || m->end > d->end) rec_plant_module(r, d, m->begin, m->end);
}

void rec_first_all_mapped(recorder *r)
{
    rec_first *const first = r->space.first;
    size_t i, n = 0;
    for (i = 0; first != NULL && i < first->count; i++) {
        if (first->module[i].seen) first->module[n++] = first->module[i];
        else rec_free_module(&first->module[i]);
        if (n != 0) first->module[n - 1].seen = 0;
    }
    if (first != NULL) first->count = n;
}

/* The module and the entry at an address of the process at hand, NULL: none. */
static rec_module *rec_find_entry(const recorder *r, uint64_t address, size_t *entry)
{
    const rec_first *const first = r->space.first;
    size_t i;
    for (i = 0; first != NULL && i < first->count; i++) {
        rec_module *const d = &first->module[i];
        const rec_file *const f = r->traces->file[d->file];
        *entry = rec_entry_from(f, address - d->bias);
        if (*entry < f->count && f->entry[*entry].address == address - d->bias) return d;
    }
    return NULL;
}

int rec_first_take(recorder *r, uint64_t address)
{
    rec_first *const first = r->space.first;
    size_t i;
    rec_module *const d = rec_find_entry(r, address, &i);
    const rec_file *const f = d != NULL ? r->traces->file[d->file] : NULL;
    if (d == NULL || d->state[i] == REC_BARE) return 0;
    if (d->state[i] != REC_PLANTED) return i == f->hook ? REC_AT_HOOK : REC_MET;
    d->state[i] = rec_in_setters(f, i) ? REC_OPEN : REC_RAN;
    r->traces->traps++;
    if (i != f->hook && pwrite(r->space.memory, &d->code[i], 1, (off_t)address) != 1) return REC_MET;   /* killed */
    if (!first->silent && f->wanted) {
        if (first->ran_count == first->ran_room)
            first->ran = (rec_ran *)rec_grown(r->tool, first->ran, &first->ran_room, sizeof *first->ran);
        first->ran[first->ran_count].file = d->file;
        first->ran[first->ran_count++].entry = (uint32_t)i;
    }
    return i == f->hook ? REC_AT_HOOK : d->state[i] == REC_OPEN ? REC_AT_SETTER : REC_MET;
}

void rec_first_plant_again(recorder *r)
{
    const rec_first *const first = r->space.first;
    const unsigned char int3 = 0xcc;
    size_t i, k;
    for (i = 0; first != NULL && i < first->count; i++) {
        const rec_module *const d = &first->module[i];
        const rec_file *const f = r->traces->file[d->file];
        for (k = 0; k < f->setters; k++) {
            const size_t at = f->setter[k];
            if (d->state[at] != REC_OPEN) continue;
            if (pwrite(r->space.memory, &int3, 1, (off_t)(f->entry[at].address + d->bias)) == 1)
                d->state[at] = REC_PLANTED;
        }
    }
}

void rec_first_set_trap(recorder *r, const uint64_t *action)
{
    if (r->space.first != NULL && r->space.first->owner == r->process)
        memcpy(r->space.first->trap, action, sizeof r->space.first->trap);
}

const uint64_t *rec_first_trap(const recorder *r)
{
    return r->space.first->trap[0] != 0 ? r->space.first->trap : NULL;
}

void rec_first_give_up_hook(recorder *r, uint64_t address)
{
    size_t i;
    rec_module *const d = rec_find_entry(r, address, &i);
    if (d != NULL && pwrite(r->space.memory, &d->code[i], 1, (off_t)address) != 1) return;
}

static int rec_stands(const rec_file *f, const rec_module *d, size_t i)
{
    return d->state[i] == REC_PLANTED || (d->state[i] == REC_RAN && i == f->hook);
}

/* Takes the breakpoints out of the pages from that of entry i on. Returns the next entry behind them. */
static size_t rec_restore_chunk(const recorder *r, const rec_module *d, size_t i)
{
    const rec_file *const f = r->traces->file[d->file];
    const uint64_t base = (f->entry[i].address + d->bias) & ~(uint64_t)(REC_PAGE - 1);
    unsigned char *const chunk = r->traces->chunk;
    const ssize_t n = pread(r->space.memory, chunk, REC_CHUNK, (off_t)base);
    size_t end = 0;
    if (n <= 0) return i + 1;
    for (; i < f->count && f->entry[i].address + d->bias < base + (size_t)n; i++) {
        const size_t at = (size_t)(f->entry[i].address + d->bias - base);
        if (!rec_stands(f, d, i)) continue;
        chunk[at] = d->code[i];
        end = at + 1;
    }
    if (pwrite(r->space.memory, chunk, end, (off_t)base) < 0 && errno != ESRCH) rec_die(r->tool, "cannot restore code");
    return i;
}

void rec_first_restore(const recorder *r)
{
    const rec_first *const first = r->space.first;
    size_t k, i;
    for (k = 0; first != NULL && k < first->count; k++) {
        const rec_module *const d = &first->module[k];
        const rec_file *const f = r->traces->file[d->file];
        for (i = 0; i < f->count;) i = rec_stands(f, d, i) ? rec_restore_chunk(r, d, i) : i + 1;
        for (i = 0; i < f->count; i++) if (d->state[i] != REC_BARE) d->state[i] = REC_RAN;
    }
}

#endif
