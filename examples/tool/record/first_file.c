/* first_file.c - --first: the files that processes have mapped as code, and where functions begin in them */
#include "first.h"

#if defined(REC_SOFTWARE)

void *rec_grown(const tool_context *tool, void *v, size_t *room, size_t size)
{
    const size_t more = *room != 0 ? 2 * *room : 16;
    void *const grown = realloc(v, more * size);
    if (grown == NULL) rec_die(tool, "out of memory");
    *room = more;
    return grown;
}

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
        const char *found = NULL;
        if (n->name_size >= 6 && n->name_size <= 22 && memcmp(n->name, "_Z", 2) != 0)
            found = (const char *)memmem(names, sizeof names, n->name, n->name_size);
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
int rec_open_path(pid_t pid, const char *path, char *to, size_t size, unsigned long *inode)
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
uint32_t rec_file_of(const recorder *r, const char *path, unsigned long inode, int linker)
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

/* The first entry that is not below an address of the file. */
size_t rec_entry_from(const rec_file *f, uint64_t address)
{
    size_t a = 0, b = f->count;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (f->entry[m].address < address) a = m + 1;
        else b = m;
    }
    return a;
}

int rec_in_setters(const rec_file *f, size_t entry)
{
    size_t i;
    for (i = 0; i < f->setters; i++) if (f->setter[i] == entry) return 1;
    return 0;
}

/* What a trace calls an entry, *size bytes; made: room for REC_MADE. */
const char *rec_entry_name(const rec_file *f, const rec_entry *e, char *made, size_t *size)
{
    const char *const slash = strrchr(f->path, '/');
    size_t i;
    *size = e->name_size;
    if (e->name != NULL && rec_can_be_written(e->name, e->name_size)) return e->name;
    *size = (size_t)snprintf(made, REC_MADE, "%.*s+0x%" PRIx64, NAME_MAX, slash != NULL ? slash + 1 : f->path,
                             e->address);
    for (i = 0; i < *size; i++) if (made[i] == ',' || (unsigned char)made[i] < ' ' || made[i] == '#') made[i] = '_';
    return made;
}

#endif
