/* annotate_code.c - annotate: instructions and source */
#include "views.h"

static int note_no_memory(const annotate_run *a)
{
    return fail(a->in.tool, "out of memory"), 0;
}

static char *note_copy(const char *text, size_t size)
{
    char *copy = (char *)malloc(size + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

/* Adds an instruction. Returns 0: out of memory. */
static int note_add(annotate_run *a, uint64_t address, const char *text, size_t size, size_t file, uint32_t line)
{
    note_insn *n;
    if (a->insns == a->cap) {
        const size_t cap = 2 * a->cap + 256;
        n = (note_insn *)realloc(a->insn, cap * sizeof *n);
        if (n == NULL) return 0;
        a->insn = n;
        a->cap = cap;
    }
    n = &a->insn[a->insns];
    n->address = address;
    n->text = note_copy(text, size);
    n->file = file;
    n->line = line;
    n->stretch = 0;
    return n->text != NULL && ++a->insns;
}

/* The place of a file + 1; 0: out of memory. */
static size_t note_file_of(annotate_run *a, const char *name, size_t size)
{
    note_file *f;
    size_t i;
    for (i = 0; i < a->files; i++)
        if (strlen(a->file[i].name) == size && memcmp(a->file[i].name, name, size) == 0) return i + 1;
    f = (note_file *)realloc(a->file, (a->files + 1) * sizeof *f);
    if (f == NULL) return 0;
    a->file = f;
    memset(&f[a->files], 0, sizeof *f);
    f[a->files].name = note_copy(name, size);
    return f[a->files].name != NULL ? ++a->files : 0;
}

/* ----- from a disassembler ---------------------------------------------------------------------------------------- */

typedef struct note_at { size_t file; uint32_t line; } note_at;

/* "; FILE:LINE" or "FILE:LINE", maybe with " (discriminator N)". Returns 0: out of memory. */
static int note_source_line(annotate_run *a, char *line, note_at *at)
{
    char *const text = line[0] == ';' && line[1] == ' ' ? line + 2 : line, *colon;
    char *const more = strstr(text, " (discriminator ");
    if (more != NULL) *more = '\0';
    colon = strrchr(text, ':');
    if (colon == NULL || colon == text || colon[1] < '0' || colon[1] > '9') return 1;
    if (colon[1 + strspn(colon + 1, "0123456789")] != '\0') return 1;
    at->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    at->file = at->line != 0 ? note_file_of(a, text, (size_t)(colon - text)) : 0;
    return at->line == 0 || at->file != 0;
}

/* A line of the output: of source, or "    1234:      \tINSTRUCTION". Returns 0: out of memory. */
static int note_line(annotate_run *a, char *line, note_at *at)
{
    char *end, *p;
    uint64_t address;
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] != ' ') return note_source_line(a, line, at);
    address = strtoull(line, &end, 16);
    if (*end != ':') return 1;
    end += 1 + strspn(end + 1, " \t");
    for (p = end; *p != '\0'; p++)
        if (*p == '\t') *p = ' ';
    while (p > end && p[-1] == ' ') p--;
    return p == end || note_add(a, address, end, (size_t)(p - end), at->file, at->line);
}

/* Returns 0 after saying what is wrong; *done: 1 if the disassembler gave instructions. */
static int note_disassemble(annotate_run *a, const char *disassembler, const char *binary, int *done)
{
    char line[4096], *command = (char *)malloc(strlen(binary) + 300);
    size_t i;
    int ok = command != NULL;
    for (i = 0; ok && i < a->ranges; i++) {
        note_at at = { 0, 0 };
        FILE *f;
        sprintf(command, "%s -d -l --no-show-raw-insn --start-address=0x%llx --stop-address=0x%llx %s 2>/dev/null",
                disassembler, (unsigned long long)a->range[i].begin, (unsigned long long)a->range[i].end, binary);
        f = popen(command, "r");
        while (f != NULL && ok && fgets(line, sizeof line, f) != NULL) ok = note_line(a, line, &at);
        if (f != NULL) pclose(f);
    }
    free(command);
    *done = a->insns != 0;
    return ok || note_no_memory(a);
}

/* ----- from the decoder ------------------------------------------------------------------------------------------- */

int note_section(const annotate_run *a, uint64_t address, elf_section *s)
{
    uint32_t i;
    for (i = 1; i < a->in.image.elf.section_count; i++)
        if (elf_section_at(&a->in.image.elf, i, s) && s->contents != NULL && s->address <= address &&
            address - s->address < s->size && s->address != 0)
            return 1;
    return 0;
}

/* Bytes, and what a transfer of control is. Returns 0: out of memory. */
static int note_bytes(annotate_run *a, uint64_t address, const unsigned char *p, size_t size, const csspgo_insn *insn)
{
    char text[120];
    size_t n = 0, i;
    for (i = 0; i < size && i < 16; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%02x ", p[i]);
    n--;
    if (insn->size != 0 && insn->kind != CSSPGO_NONE) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%*s", (int)(n < 30 ? 30 - n : 1), "");
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", insn->kind == CSSPGO_CALL   ? "call"
                                                               : insn->kind == CSSPGO_RET  ? "return" : "jump");
        if (insn->has_target)
            n += (size_t)snprintf(text + n, sizeof text - n, " 0x%llx", (unsigned long long)insn->target);
    }
    return note_add(a, address, text, n, 0, 0);
}

/* Returns 0 after saying what is wrong. */
static int note_decode(annotate_run *a)
{
    elf_section s;
    size_t i;
    for (i = 0; i < a->ranges; i++) {
        uint64_t at = a->range[i].begin;
        while (at < a->range[i].end && note_section(a, at, &s)) {
            const unsigned char *const p = s.contents + (size_t)(at - s.address);
            const size_t left = (size_t)(s.size - (at - s.address));
            csspgo_insn insn;
            size_t size;
            if (a->in.image.elf.machine == ELF_AARCH64) csspgo_decode_aarch64(p, left, at, &insn);
            else csspgo_decode_x86_64(p, left, at, &insn);
            size = insn.size != 0 ? insn.size : insn.skip != 0 ? insn.skip : 1;
            if (size > left) size = left;
            if (!note_bytes(a, at, p, size, &insn)) return note_no_memory(a);
            at += size;
        }
    }
    return 1;
}

/* The line of an instruction, of a separate file. Returns 0: out of memory. */
static int note_take_line(void *what, size_t number, const char *file, uint32_t line)
{
    annotate_run *const a = (annotate_run *)what;
    note_insn *const n = &a->insn[number];
    n->file = note_file_of(a, file, strlen(file));
    n->line = line;
    return n->file != 0;
}

/* Lines that a separate file has, of all instructions. Returns 0 after saying what is wrong. */
static int note_other_lines(annotate_run *a)
{
    uint64_t *const address = (uint64_t *)malloc((a->insns + 1) * sizeof *address);
    size_t i;
    int ok = address != NULL;
    if (a->in.image.from[LOAD_LINES] == 0) return free(address), 1;
    for (i = 0; ok && i < a->insns; i++) {
        address[i] = a->insn[i].address;
        a->insn[i].file = 0;
        a->insn[i].line = 0;
    }
    ok = ok && source_lines(&a->in.image, address, a->insns, note_take_line, a);
    free(address);
    return ok || note_no_memory(a);
}

/* The function symbol at an address, or NULL. */
static const load_range *note_symbol(const load_range *v, size_t n, uint64_t address)
{
    size_t a = 0, b = n;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (v[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a != 0 && address < v[a - 1].end ? &v[a - 1] : NULL;
}

/* A copy in which a target, "0x1234 <.text+0x34>", has its function's name, for free(). NULL: no target, no memory. */
static char *note_renamed(const char *text, const load_range *v, size_t n)
{
    const char *const mark = strrchr(text, '<'), *p = mark;
    const load_range *f;
    uint64_t address;
    char *copy, *end;
    size_t head, size;
    if (mark == NULL || mark - text < 2 || mark[-1] != ' ' || mark[1] != '.') return NULL;
    for (p--; p > text && p[-1] != ' '; p--) {}
    address = strtoull(p, &end, 16);
    f = *end == ' ' ? note_symbol(v, n, address) : NULL;
    if (f == NULL) return NULL;
    head = (size_t)(mark - text) + 1;
    size = head + f->name_size + 32;
    copy = (char *)malloc(size);
    if (copy == NULL) return NULL;
    snprintf(copy, size, address != f->begin ? "%.*s%.*s+0x%llx>" : "%.*s%.*s>", (int)head, text, (int)f->name_size,
             f->name, (unsigned long long)(address - f->begin));
    return copy;
}

/* Targets of a stripped program, which its disassembler names by sections, by the symbols of a separate file. */
static int note_targets(const annotate_run *a)
{
    load_range *v;
    size_t i, n;
    if (a->in.image.from[LOAD_SYMBOLS] == 0) return 1;
    v = load_symbol_functions(&a->in.image, &n);
    for (i = 0; v != NULL && i < a->insns; i++) {
        char *const named = note_renamed(a->insn[i].text, v, n);
        if (named == NULL) continue;
        free(a->insn[i].text);
        a->insn[i].text = named;
    }
    free(v);
    return v != NULL || note_no_memory(a);
}

static int note_order(const void *a, const void *b)
{
    const note_insn *x = (const note_insn *)a, *y = (const note_insn *)b;
    return x->address < y->address ? -1 : x->address > y->address;
}

int note_code(annotate_run *a)
{
    static const char *const names[] = { "llvm-objdump-19", "llvm-objdump", "objdump" };
    char *const binary = shell_word(a->binary);
    size_t i;
    int done = 0, ok = binary != NULL || note_no_memory(a);
    for (i = 0; ok && !done && i < sizeof names / sizeof *names; i++)
        if (in_path(names[i])) ok = note_disassemble(a, names[i], binary, &done);
    free(binary);
    if (ok && !done) ok = note_decode(a);
    if (a->insns != 0) qsort(a->insn, a->insns, sizeof *a->insn, note_order);
    return ok && note_targets(a) && note_other_lines(a);
}

enum { SOURCE_MOST = 64 << 20 };  /* bytes of a file of source */

/* ----- source ----------------------------------------------------------------------------------------------------- */

/*
 * The name of a file of source with all links followed, for free(). NULL: with --source-dir, if it is not below that
 * (EACCES), or another error.
 */
static char *source_path(const annotate_run *a, const char *name)
{
    const char *const below = a->o[N_SOURCE_DIR].text;
    char *const dir = below != NULL ? realpath(below, NULL) : NULL;
    const size_t n = dir != NULL ? strlen(dir) : 0, size = n + strlen(name) + 2;
    char *joined = NULL, *path = NULL;
    if (below == NULL) return strdup(name);
    if (dir != NULL) joined = (char *)malloc(size);
    if (joined != NULL) {
        snprintf(joined, size, name[0] == '/' ? "%.0s%s" : "%s/%s", dir, name);
        path = realpath(joined, NULL);
        if (path != NULL && n > 1 && (strncmp(path, dir, n) != 0 || path[n] != '/')) {
            free(path);
            path = NULL;
            errno = EACCES;
        }
    }
    free(joined);
    free(dir);
    return path;
}

/* The name comes from the program: what is no source is refused, and said so. */
void note_read_source(const annotate_run *a, note_file *f)
{
    char *const path = source_path(a, f->name);
    file_bytes bytes;
    size_t i, n = 0;
    const int ok = path != NULL && file_open_named(path, &bytes);
    free(path);
    if (!ok) {
        if (errno == EACCES && a->o[N_SOURCE_DIR].text != NULL)
            warn(a->in.tool, "source file %s is not shown: it is not below %s, or may not be read", f->name,
                 a->o[N_SOURCE_DIR].text);
        else if (errno != ENOENT) warn(a->in.tool, "source file %s is not shown: %s", f->name, file_why());
        return;
    }
    if (bytes.size > SOURCE_MOST) {
        warn(a->in.tool, "source file %s is not shown: over %u MiB", f->name, (unsigned)SOURCE_MOST >> 20);
        file_close(&bytes);
        return;
    }
    f->text = note_copy((const char *)bytes.data, bytes.size);
    for (i = 0; i < bytes.size; i++) n += ((const char *)bytes.data)[i] == '\n';
    f->line = f->text != NULL ? (char **)malloc((n + 2) * sizeof *f->line) : NULL;
    if (f->line != NULL) {
        char *p = f->text, *const end = f->text + bytes.size;
        while (p < end) {
            char *stop = (char *)memchr(p, '\n', (size_t)(end - p));
            f->line[f->lines++] = p;
            if (stop == NULL) break;
            *stop = '\0';
            if (stop > p && stop[-1] == '\r') stop[-1] = '\0';     /* lines of Windows */
            p = stop + 1;
        }
    }
    file_close(&bytes);
}
