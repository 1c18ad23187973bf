/* first_code.c - --first: the functions of files, breakpoints at their entries, and the traces of what ran
 *
 * All breakpoints of a mapping are written at once, page by page: the text is read, patched and written back. Each is
 * taken away where it is met first. What a process has of a file stands in a rec_module, for each entry one state; a
 * process that fork makes begins with copies, as its memory is one, and what vfork makes uses those of its parent.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_CHUNK = 1 << 20, REC_NAME = 4096, REC_SETTERS = 16, REC_LINKER = 1 << 20 };
/* rec_module.state. Bare: there is nothing, and nothing is to be there; open: a breakpoint that is taken away for now. */
enum { REC_BARE, REC_PLANTED, REC_RAN, REC_OPEN };

typedef struct rec_entry {        /* where a function, or a part of one, begins                                     */
    uint64_t address;             /* as the file has it                                                             */
    const char *name;             /* of the file, name_size bytes; NULL: it has none                                */
    uint32_t name_size;
    uint32_t trace;               /* the last one that has it                                                       */
} rec_entry;

typedef struct rec_file {         /* a file that a process has mapped as code                                       */
    char    *path;
    unsigned long inode;
    loaded   program;
    rec_entry *entry;             /* by address                                                                     */
    size_t   count, hook;         /* hook: the entry of _dl_debug_state, or count                                   */
    size_t   setter[REC_SETTERS], setters; /* the entries of functions that set what a signal does                  */
    int      wanted;
} rec_file;

typedef struct rec_module {       /* a file in a process                                                            */
    uint32_t file;
    uint64_t bias, begin, end;    /* of the mapping that was planted last                                           */
    unsigned char *state, *code;  /* of each entry; the byte that a breakpoint has replaced                         */
    int      seen;
} rec_module;

typedef struct rec_ran { uint32_t file, entry; } rec_ran;

struct rec_first {
    unsigned users;               /* processes that share the memory                                                */
    int      forked, silent;      /* silent: no trace is made of it                                                 */
    int      barren;              /* it is left as it is                                                            */
    pid_t    owner;
    uint64_t linker;              /* where the dynamic linker begins; 0: there is none                              */
    uint64_t trap[4];             /* what the program does with SIGTRAP, as the kernel was told                     */
    rec_module *module;
    size_t   count, room;
    rec_ran *ran;                 /* in the order of time                                                           */
    size_t   ran_count, ran_room;
};

struct rec_traces {
    rec_file **file;
    size_t   count, room;
    csspgo_layout *l;             /* traces of processes that have ended                                            */
    uint32_t traces, said;
    uint64_t functions, traps;
    unsigned char chunk[REC_CHUNK];
};

static void *rec_grown(const tool_context *tool, void *v, size_t *room, size_t size)
{
    const size_t more = *room != 0 ? 2 * *room : 16;
    void *const grown = realloc(v, more * size);
    if (grown == NULL) rec_die(tool, "out of memory");
    *room = more;
    return grown;
}

/* ----- the functions of a file ------------------------------------------------------------------------------------ */

/* How good a name is: of a function, global before weak before local, the program's symbols before dynamic ones. */
static int rec_name_rank(const elf_image *e, const load_name *n)
{
    elf_symbol y;
    if (n->index == UINT32_MAX) return 1;
    if (!elf_symbol_at(e, n->index, &y) || (y.type != ELF_FUNC && y.type != ELF_IFUNC)) return 0;
    return y.bind == ELF_GLOBAL ? 4 : y.bind == ELF_WEAK ? 3 : 2;
}

/* Whether a name can stand in a trace: LLVM's text divides names by commas, and reads digits as a number. */
static int rec_can_be_written(const char *name, size_t size)
{
    size_t i, digits = 0;
    for (i = 0; i < size; i++) {
        if (name[i] == ',' || name[i] == '\n' || name[i] == '\r') return 0;
        digits += name[i] >= '0' && name[i] <= '9';
    }
    return digits != size && name[0] != '#' && name[0] != ':';
}

/* The name of code that begins at a region; sets *data where only symbols that are no functions' stand there. */
static const load_name *rec_best_name(const elf_image *e, const load_regions *g, const load_region *at, int *data)
{
    const load_name *best = NULL;
    int rank = 0;
    size_t i;
    for (i = at->name; i < at->name + at->names; i++) {
        const int its = rec_name_rank(e, &g->name[i]);
        if (its <= rank) continue;
        best = &g->name[i];
        rank = its;
    }
    *data = best == NULL && at->names != 0;
    return best;
}

/* The dynamic linker calls this function, which is empty, when it has mapped or unmapped files. */
static const char rec_hook[] = "_dl_debug_state";
enum { REC_HOOK = sizeof rec_hook - 1 };

static int rec_is_hook(const load_regions *g, const load_region *at)
{
    size_t i;
    for (i = at->name; i < at->name + at->names; i++)
        if (g->name[i].name_size == REC_HOOK && memcmp(g->name[i].name, rec_hook, REC_HOOK) == 0) return 1;
    return 0;
}

static int rec_is_setter(const load_regions *g, const load_region *at)
{
    static const char names[] = " sigaction __sigaction __libc_sigaction __GI___libc_sigaction signal bsd_signal "
                                "__bsd_signal ssignal sysv_signal __sysv_signal sigset ";
    size_t i;
    for (i = at->name; i < at->name + at->names; i++) {
        const load_name *const n = &g->name[i];
        const char *const found = n->name_size < 6 || n->name_size > 22 || (n->name[0] == '_' && n->name[1] == 'Z') ? NULL :
                                  (const char *)memmem(names, sizeof names, n->name, n->name_size);
        if (found != NULL && found[-1] == ' ' && found[n->name_size] == ' ') return 1;
    }
    return 0;
}

/* Of a file whose functions are not asked for, the one where the dynamic linker says what it has mapped. */
static void rec_list_hook(const tool_context *tool, rec_file *f)
{
    const elf_image dynamic = elf_dynamic(&f->program.elf);
    elf_section names;
    elf_symbol y;
    uint32_t i;
    if (!elf_section_named(&f->program.elf, ".dynstr", &names) || names.contents == NULL ||
        memmem(names.contents, (size_t)names.size, rec_hook, sizeof rec_hook) == NULL) return;
    for (i = 1; i < dynamic.symbol_count; i++) {
        if (!elf_symbol_at(&dynamic, i, &y) || y.section == ELF_UNDEFINED || y.type != ELF_FUNC) continue;
        if (y.name_size != REC_HOOK || memcmp(y.name, rec_hook, REC_HOOK) != 0) continue;
        f->entry = (rec_entry *)calloc(1, sizeof *f->entry);
        if (f->entry == NULL) rec_die(tool, "out of memory");
        f->entry->address = y.value;
        f->count = 1;
        return;
    }
}

/* Where code begins, by symbols of functions and unwind tables: stubs of the linker are no functions. */
static void rec_list_entries(const tool_context *tool, rec_file *f)
{
    const elf_image *const e = load_symbols(&f->program);
    const load_regions *const g = load_regions_of(&f->program);
    size_t i;
    if (g == NULL) rec_die(tool, "out of memory");
    f->entry = (rec_entry *)calloc(g->regions + 1, sizeof *f->entry);
    if (f->entry == NULL) rec_die(tool, "out of memory");
    f->hook = g->regions;
    for (i = 0; i < g->regions; i++) {
        const load_region *const at = &g->region[i];
        const int hook = rec_is_hook(g, at);
        int data;
        const load_name *const n = rec_best_name(e, g, at, &data);
        if (data || load_text_at(g, at->begin)->is_plt) continue;
        if (hook) f->hook = f->count;
        if (f->setters < REC_SETTERS && rec_is_setter(g, at)) f->setter[f->setters++] = f->count;
        f->entry[f->count].address = at->begin;
        f->entry[f->count].name = n != NULL ? n->name : NULL;
        f->entry[f->count++].name_size = n != NULL ? n->name_size : 0;
    }
    if (f->hook > f->count) f->hook = f->count;
}

/* Whether the options ask for this file: it is one of them, or of the same build. */
static int rec_is_wanted(const recorder *r, const char *path)
{
    struct stat its, named;
    rec_build_id id, other;
    size_t i;
    if (r->o.binaries == 0) return 1;
    for (i = 0; i < r->o.binaries; i++) {
        if (stat(path, &its) == 0 && stat(r->o.binary[i], &named) == 0 && its.st_dev == named.st_dev &&
            its.st_ino == named.st_ino) return 1;
    }
    rec_find_build_id(getpid(), path, &id);
    for (i = 0; id.size != 0 && i < r->o.binaries; i++) {
        rec_find_build_id(getpid(), r->o.binary[i], &other);
        if (other.size == id.size && memcmp(other.bytes, id.bytes, id.size) == 0) return 1;
    }
    return 0;
}

/* What a process calls a file, as this one can open it. Returns 0 if it is not there any more. */
static int rec_open_path(pid_t pid, const char *path, char *to, size_t size, unsigned long *inode)
{
    struct stat its, here;
    const int n = snprintf(to, size, "/proc/%ld/root%s", (long)pid, path);
    if (path[0] != '/' || path[1] == '/' || n <= 0 || (size_t)n >= size || stat(to, &its) != 0) return 0;
    *inode = (unsigned long)its.st_ino;
    if (stat(path, &here) == 0 && here.st_dev == its.st_dev && here.st_ino == its.st_ino) strcpy(to, path);
    return 1;
}

/* Reads the functions of a file; of the dynamic linker, at least the one. */
static void rec_read_file(const recorder *r, rec_file *f, const char *path, int linker)
{
    char why[PROGRAM_WHY];
    f->path = strdup(path);
    if (f->path == NULL) rec_die(r->tool, "out of memory");
    f->wanted = rec_is_wanted(r, path);
    if (f->wanted && !program_open(r->tool, &f->program, f->path, why, sizeof why))
        warn(r->tool, "%s: its functions are not recorded: %s", path, why);
    else if (f->wanted) rec_list_entries(r->tool, f);
    else if (linker && load_files(&f->program, f->path, NULL, why, sizeof why)) rec_list_hook(r->tool, f);
}

/* The number of the file of a mapping. */
static uint32_t rec_file_of(const recorder *r, const char *path, unsigned long inode, int linker)
{
    rec_traces *const t = r->traces;
    rec_file *f;
    size_t i;
    for (i = 0; i < t->count; i++)
        if (t->file[i]->inode == inode && strcmp(t->file[i]->path, path) == 0) return (uint32_t)i;
    if (t->count == t->room) t->file = (rec_file **)rec_grown(r->tool, t->file, &t->room, sizeof *t->file);
    f = t->file[t->count] = (rec_file *)calloc(1, sizeof *f);
    if (f == NULL) rec_die(r->tool, "out of memory");
    f->inode = inode;
    rec_read_file(r, f, path, linker);
    return (uint32_t)t->count++;
}

/* ----- breakpoints ------------------------------------------------------------------------------------------------ */

/* The first entry that is not below an address of the file. */
static size_t rec_entry_from(const rec_file *f, uint64_t address)
{
    size_t a = 0, b = f->count;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (f->entry[m].address < address) a = m + 1;
        else b = m;
    }
    return a;
}

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

static void rec_plant_module(const recorder *r, rec_module *d, uint64_t begin, uint64_t end)
{
    const rec_file *const f = r->traces->file[d->file];
    size_t i = rec_entry_from(f, begin - d->bias);
    d->begin = begin;
    d->end = end;
    while (i < f->count && f->entry[i].address + d->bias < end) {
        const uint64_t base = (f->entry[i].address + d->bias) & ~(uint64_t)(REC_PAGE - 1);
        const size_t size = end - base < REC_CHUNK ? (size_t)(end - base) : REC_CHUNK;
        if (pread(r->space.memory, r->traces->chunk, size, (off_t)base) != (ssize_t)size) return;
        i = rec_plant_chunk(r, d, i, base, size);
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

static void rec_free_module(rec_module *d)
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

static int rec_in_setters(const rec_file *f, size_t entry)
{
    size_t i;
    for (i = 0; i < f->setters; i++) if (f->setter[i] == entry) return 1;
    return 0;
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

/* ----- processes -------------------------------------------------------------------------------------------------- */

rec_first *rec_first_of_child(const recorder *r, rec_first *parent, pid_t process, int shared, int silent)
{
    rec_first *child;
    size_t i;
    if (parent == NULL) return NULL;
    if (shared) return parent->users++, parent;
    child = (rec_first *)malloc(sizeof *child);
    if (child == NULL) rec_die(r->tool, "out of memory");
    *child = *parent;
    child->users = 1;
    child->owner = process;
    child->forked = 1;
    child->silent |= silent;
    child->module = (rec_module *)malloc((parent->room + 1) * sizeof *child->module);
    child->ran = (rec_ran *)malloc((parent->ran_room + 1) * sizeof *child->ran);
    if (child->module == NULL || child->ran == NULL) rec_die(r->tool, "out of memory");
    if (parent->ran_count != 0) memcpy(child->ran, parent->ran, parent->ran_count * sizeof *child->ran);
    for (i = 0; i < parent->count; i++) {
        rec_module *const d = &child->module[i];
        const size_t n = r->traces->file[parent->module[i].file]->count + 1;
        *d = parent->module[i];
        d->state = (unsigned char *)malloc(n);
        d->code = (unsigned char *)malloc(n);
        if (d->state == NULL || d->code == NULL) rec_die(r->tool, "out of memory");
        memcpy(d->state, parent->module[i].state, n);
        memcpy(d->code, parent->module[i].code, n);
    }
    return child;
}

/* The id of a function, whose name the traces know. */
static uint64_t rec_entry_id(const recorder *r, const rec_file *f, const rec_entry *e)
{
    const char *const slash = strrchr(f->path, '/');
    const char *name = e->name != NULL && rec_can_be_written(e->name, e->name_size) ? e->name : NULL;
    size_t size = e->name_size, i;
    char made[NAME_MAX + 32];
    if (name == NULL) {
        size = (size_t)snprintf(made, sizeof made, "%.*s+0x%" PRIx64, NAME_MAX, slash != NULL ? slash + 1 : f->path,
                                e->address);
        for (i = 0; i < size; i++) if (made[i] == ',' || (unsigned char)made[i] < ' ' || made[i] == '#') made[i] = '_';
        name = made;
    }
    if (csspgo_layout_add_name(r->traces->l, name, size, NULL) != CSSPGO_OK) rec_die(r->tool, "out of memory");
    return csspgo_guid(name, size);
}

/* Adds what ran in a process to the traces; a function that is mapped twice counts once. */
static void rec_add_trace(const recorder *r, const rec_first *first)
{
    rec_traces *const t = r->traces;
    uint64_t *const id = (uint64_t *)malloc((first->ran_count + 1) * sizeof *id);
    csspgo_trace trace;
    size_t i, n = 0;
    if (id == NULL) rec_die(r->tool, "out of memory");
    t->traces++;
    for (i = 0; i < first->ran_count; i++) {
        const rec_file *const f = t->file[first->ran[i].file];
        rec_entry *const e = &f->entry[first->ran[i].entry];
        if (e->trace == t->traces) continue;
        e->trace = t->traces;
        id[n++] = rec_entry_id(r, f, e);
    }
    memset(&trace, 0, sizeof trace);
    trace.id = id;
    trace.count = n;
    trace.weight = 1;
    t->functions += n;
    if (csspgo_layout_add(t->l, &trace, 1, 0, NULL) != CSSPGO_OK) rec_die(r->tool, "out of memory");
    free(id);
}

void rec_first_end(const recorder *r, rec_first *first, int exec)
{
    size_t i;
    if (first == NULL || --first->users != 0) return;
    if (!first->silent && first->ran_count != 0 && !(exec && first->forked)) rec_add_trace(r, first);
    for (i = 0; i < first->count; i++) rec_free_module(&first->module[i]);
    free(first->module);
    free(first->ran);
    free(first);
}

/* ----- all ---------------------------------------------------------------------------------------------------------- */

int rec_first_begin(recorder *r)
{
    csspgo_layout_options how;
    memset(&how, 0, sizeof how);
    how.limit_traces = how.limit_length = 1;               /* to so many, which is all */
    how.max_traces = how.max_length = UINT32_MAX;
    r->traces = (rec_traces *)calloc(1, sizeof *r->traces);
    if (r->traces != NULL) r->traces->l = csspgo_layout_new(&how, NULL, NULL);
    return (r->traces != NULL && r->traces->l != NULL) || (fail(r->tool, "out of memory"), 0);
}

int rec_first_write(recorder *r)
{
    csspgo_error e;
    csspgo_status s;
    size_t size = 0;
    char *text;
    csspgo_layout_write(r->traces->l, NULL, 0, &size, &e);
    text = (char *)malloc(size + 1);
    if (text == NULL) return fail(r->tool, "out of memory"), 0;
    s = csspgo_layout_write(r->traces->l, text, size, &size, &e);
    if (s == CSSPGO_OK) fwrite(text, 1, size, r->out);
    else fail(r->tool, "%s", plain(&e));
    free(text);
    return s == CSSPGO_OK;
}

rec_first_counts rec_first_count(const recorder *r)
{
    rec_first_counts n;
    size_t i;
    memset(&n, 0, sizeof n);
    n.traces = r->traces->traces;
    n.functions = r->traces->functions;
    for (i = 0; i < r->traces->count; i++) n.files += r->traces->file[i]->wanted && r->traces->file[i]->count != 0;
    return n;
}

void rec_first_free(recorder *r)
{
    rec_traces *const t = r->traces;
    size_t i;
    for (i = 0; t != NULL && i < t->count; i++) {
        load_free(&t->file[i]->program);
        free(t->file[i]->path);
        free(t->file[i]->entry);
        free(t->file[i]);
    }
    if (t == NULL) return;
    free(t->file);
    csspgo_layout_free(t->l);
    free(t);
    r->traces = NULL;
}

#endif
