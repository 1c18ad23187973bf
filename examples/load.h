/* load.h - fills a csspgo_code from an ELF file with pseudo probes: code bytes, functions, probes, descriptors
 *
 * Functions come from symbols and probe records, not from debug information: a FUNC symbol is a function if a top-level
 * probe record belongs to it, under its own name or under its name without a suffix that compilers append
 * (.llvm.N, .resume, .destroy, .cleanup). NAME.cold, NAME.cold.N, NAME.eh and NAME.__part.N, also with these suffixes
 * before, are further ranges of NAME. Symbols, debug information and probes may be in other files than the code.
 * Include it after csspgo.h; one source file of a program defines LOAD_IMPLEMENTATION before it and so holds the code.
 * Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_LOAD_H
#define CSSPGO_EXAMPLES_LOAD_H

#include "elf.h"
#include "file.h"

typedef struct load_range {       /* code of a function, or of a part of it, below one symbol */
    uint64_t begin, end;
    uint32_t symbol, name_size, part;
} load_range;

enum {                            /* what a separate file may have of a program: places in loaded.from */
    LOAD_SYMBOLS, LOAD_LINES, LOAD_PROBES, LOAD_DESCRIPTORS, LOAD_KINDS,
    LOAD_OTHERS = 8               /* separate files of one program, at most */
};

typedef struct load_other {       /* a separate file of the same build: its code, if it has any, is not used */
    char      *path;
    file_bytes file;
    elf_image  elf;
} load_other;

typedef struct loaded {           /* load_image's result; free it with load_free */
    file_bytes     file;
    elf_image      elf;           /* has the code */
    load_other     other[LOAD_OTHERS];
    unsigned       others;
    unsigned char  from[LOAD_KINDS];   /* who has it: 0 elf (or nobody), i: other[i - 1] */
    char          *missing;       /* NULL, or the separate file that the program names and that was not found */
    csspgo_code   *code;
    int            borrowed;      /* the code map is another one's */
    int            kernel;        /* set by the caller, for load_code: code is as the kernel changes its own */
    csspgo_module  module;
    uint64_t       first_loadable;   /* of the first loadable segment above 4095 (as LLVM), rounded down to 4096 */
    load_range    *range;         /* by address: code of functions that have probes */
    size_t         ranges, functions, probes;
    csspgo_probe_set_stats probe_stats;
} loaded;

typedef struct load_start {       /* where decoding starts, in a section */
    uint64_t address;
    uint32_t section, reserved;
} load_start;

int load_files(loaded *l, const char *path, const char *debug_path, char *why, size_t why_size);
int load_more(loaded *l, csspgo_code *code, uint64_t bias, const char *path, char *why, size_t why_size);
int load_probes(loaded *l, char *why, size_t why_size);
int load_image(loaded *l, const char *path, const char *debug_path, char *why, size_t why_size);
int load_opened(loaded *l, const char *path, char *why, size_t why_size);
int load_module(loaded *l, const char *path, char *why, size_t why_size);
int load_code(loaded *l, char *why, size_t why_size);
load_start *load_starts(const loaded *l, size_t *count);
int load_decodes(const loaded *l);
int load_fail(char *why, size_t why_size, const char *text);
int load_range_cmp(const void *a, const void *b);
void load_free(loaded *l);
int load_segments(loaded *l, const char *path);  /* the module of l->code */
const elf_image *load_from(const loaded *l, unsigned kind);   /* the image that has it, if one has: LOAD_SYMBOLS ... */
const char *load_from_path(const loaded *l, unsigned kind, const char *program);   /* its file; else program */
const elf_image *load_symbols(const loaded *l);
unsigned load_kinds(const elf_image *e);         /* what it has: bits 1 << LOAD_SYMBOLS ... */
unsigned load_lacks(const loaded *l);            /* what neither the program nor another file has */
int load_same_build(const elf_image *program, const elf_image *other, char *why, size_t why_size);
int load_open_other(load_other *f, const char *path, char *why, size_t why_size);
void load_close_other(load_other *f);
unsigned load_take(loaded *l, load_other *f, unsigned kinds, int preferred);
int load_u64_cmp(const void *a, const void *b);
int load_has(const uint64_t *v, size_t n, uint64_t guid);
size_t load_strip(const char *name, size_t size, const char *suffix);
csspgo_symbol_base *load_bases(const loaded *l, size_t *count);
csspgo_probe_set *load_sections_at(const loaded *l, const csspgo_symbol_base *bases, size_t count, char *why,
                                   size_t why_size);
csspgo_probe_set *load_sections(const loaded *l, char *why, size_t why_size);
int load_debug(loaded *l, const char *path, char *why, size_t why_size);
int load_is_linked(const elf_image *e, char *why, size_t why_size);

#ifdef LOAD_IMPLEMENTATION

int load_fail(char *why, size_t why_size, const char *text)
{
    snprintf(why, why_size, "%s", text);
    return 0;
}

#include "load_other.h"

int load_segments(loaded *l, const char *path)
{
    csspgo_segment *v = (csspgo_segment *)calloc((size_t)l->elf.segment_count + 1, sizeof *v);
    size_t n = 0;
    uint32_t i;
    if (v == NULL) return 0;
    for (i = 0; i < l->elf.segment_count; i++) {
        elf_segment s;
        if (!elf_segment_at(&l->elf, i, &s) || s.type != ELF_LOAD) continue;
        if (l->first_loadable == 0) l->first_loadable = s.address & ~(uint64_t)4095;
        v[n].address = s.address;
        v[n].file_offset = s.offset;
        v[n].size = s.file_size;
        v[n++].executable = (s.flags & ELF_FLAG_X) != 0;
    }
    l->module = csspgo_code_add_module(l->code, path, strlen(path), v, n, NULL);
    free(v);
    return l->module.id != 0;
}

int load_u64_cmp(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

#include "load_code.h"

/* GUIDs of top-level records' functions, and of the symbols that hold them: sorted, for bsearch. */
typedef struct load_owners {
    uint64_t *func, *symbol;
    size_t    count;
} load_owners;

int load_has(const uint64_t *v, size_t n, uint64_t guid)
{
    return bsearch(&guid, v, n, sizeof *v, load_u64_cmp) != NULL;
}

/* The size of name without its last suffix `suffix` (".llvm." takes what follows it along); 0 if it has none. */
size_t load_strip(const char *name, size_t size, const char *suffix)
{
    const size_t k = strlen(suffix);
    size_t i;
    for (i = size < k ? 0 : size - k; i > 0; i--) {
        size_t e = i + k;
        if (memcmp(name + i, suffix, k) != 0) continue;
        while (e < size && ((name[e] >= '0' && name[e] <= '9') || name[e] == '.')) e++;
        return e == size ? i : 0;
    }
    return 0;
}

/* The size of the function's name in name, which may end in a suffix that compilers append; 0: has no probes. */
static size_t load_renamed(const char *name, size_t size, const load_owners *o)
{
    static const char *const renames[] = { ".llvm.", ".resume", ".destroy", ".cleanup" };
    size_t i, n;
    if (load_has(o->func, o->count, csspgo_guid(name, size))) return size;
    for (i = 0; i < sizeof renames / sizeof *renames; i++) {
        n = load_strip(name, size, renames[i]);
        if (n != 0 && load_has(o->func, o->count, csspgo_guid(name, n))) return n;
    }
    return 0;
}

/* Whose code it holds: the size of the function's name in its name (0: none), *part as in csspgo_code_function. */
static size_t load_owner(const elf_symbol *y, const load_owners *o, uint32_t *part)
{
    static const char *const parts[] = { ".cold", ".eh", ".__part." };
    const uint64_t guid = csspgo_guid(y->name, y->name_size);
    size_t i, n;
    *part = 0;
    if (y->type == ELF_FUNC && load_has(o->func, o->count, guid)) return y->name_size;
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        n = load_strip(y->name, y->name_size, parts[i]);
        n = n != 0 ? load_renamed(y->name, n, o) : 0;
        if (n == 0) continue;
        *part = 1;
        return n;
    }
    if (y->type != ELF_FUNC || !load_has(o->symbol, o->count, guid)) return 0;
    return load_renamed(y->name, y->name_size, o);
}

int load_range_cmp(const void *a, const void *b)
{
    const load_range *x = (const load_range *)a, *y = (const load_range *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static int load_functions(loaded *l, const load_owners *o)
{
    const elf_image *e = load_symbols(l);
    load_range *v = (load_range *)malloc(((size_t)e->symbol_count + 1) * sizeof *v);
    size_t n = 0, k;
    uint32_t i;
    csspgo_status status = v != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    for (i = 1; v != NULL && i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.size == 0 || y.section == ELF_UNDEFINED ||
            y.value > UINT64_MAX - y.size)
            continue;
        if (y.type != ELF_FUNC && y.type != ELF_NOTYPE) continue;
        v[n].name_size = (uint32_t)load_owner(&y, o, &v[n].part);
        if (v[n].name_size == 0) continue;
        v[n].begin = y.value;
        v[n].end = y.value + y.size;
        v[n++].symbol = i;
    }
    if (v != NULL) qsort(v, n, sizeof *v, load_range_cmp);
    for (k = 0; k < n && status == CSSPGO_OK; k++) {
        csspgo_code_function f;
        elf_symbol y;
        if (k != 0 && v[k].begin < v[k - 1].end) {    /* an alias, or nonsense: the first one has the place */
            v[k].end = v[k - 1].end;
            continue;
        }
        elf_symbol_at(e, v[k].symbol, &y);
        memset(&f, 0, sizeof f);
        f.begin = v[k].begin;
        f.end = v[k].end;
        f.name = y.name;
        f.name_size = v[k].name_size;
        f.fragment = v[k].part;
        status = csspgo_code_add_function(l->code, l->module, &f, NULL);
        l->functions += status == CSSPGO_OK;
        if (status == CSSPGO_E_ARGUMENT) status = CSSPGO_OK;   /* outside executable sections */
    }
    l->range = v;
    l->ranges = n;
    return status == CSSPGO_OK;
}

/* Symbols' GUIDs and values: where probe records count their addresses from. */
csspgo_symbol_base *load_bases(const loaded *l, size_t *count)
{
    const elf_image *e = load_symbols(l);
    csspgo_symbol_base *v = (csspgo_symbol_base *)malloc(((size_t)e->symbol_count + 1) * sizeof *v);
    uint32_t i;
    *count = 0;
    for (i = 1; v != NULL && i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED || y.name_size == 0) continue;
        v[*count].guid = csspgo_guid(y.name, y.name_size);
        v[(*count)++].address = y.value;
    }
    return v;
}

static int load_tables(loaded *l, const csspgo_probe_set *probes)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(probes);
    load_owners o;
    size_t i;
    int ok;
    memset(&o, 0, sizeof o);
    o.count = t.record_count;
    o.func = (uint64_t *)malloc((t.record_count + 1) * sizeof *o.func);
    o.symbol = (uint64_t *)malloc((t.record_count + 1) * sizeof *o.symbol);
    ok = o.func != NULL && o.symbol != NULL;
    for (i = 0; ok && i < t.record_count; i++) {
        o.func[i] = t.inlines[t.records[i].first_inline].guid;
        o.symbol[i] = t.records[i].symbol;
    }
    if (ok) {
        qsort(o.func, o.count, sizeof *o.func, load_u64_cmp);
        qsort(o.symbol, o.count, sizeof *o.symbol, load_u64_cmp);
        ok =
            csspgo_code_add_descriptors(l->code, t.descriptors, t.descriptor_count, NULL) == CSSPGO_OK &&
            load_functions(l, &o) &&
            csspgo_code_add_probes(l->code, l->module, t.inlines, t.inline_count, t.probes, t.probe_count, NULL) ==
                CSSPGO_OK;
    }
    l->probes = t.probe_count;
    l->probe_stats = csspgo_probe_set_get_stats(probes);
    free(o.func);
    free(o.symbol);
    return ok;
}

/* Says why there are no probe sections. */
static csspgo_probe_set *load_no_probes(const loaded *l, char *why, size_t why_size)
{
    if (l->missing == NULL)
        load_fail(why, why_size, "has no probe sections; build it with -fpseudo-probe-for-profiling");
    else snprintf(why, why_size, "has no probe sections; %s, which its .gnu_debuglink names, was not found: "
                  "--debug-binary=FILE", l->missing);
    return NULL;
}

/* The probe sections as tables, for csspgo_probe_set_free. NULL after saying why not. */
csspgo_probe_set *load_sections_at(const loaded *l, const csspgo_symbol_base *bases, size_t count, char *why,
                                   size_t why_size)
{
    const char *bad = NULL, *name = ".pseudo_probe";
    csspgo_options lenient = *seeded();
    csspgo_probe_set *probes = NULL;
    csspgo_probe_section in;
    csspgo_error e;
    elf_section s, d;
    lenient.llvm = 19;
    if (!elf_section_named(load_from(l, LOAD_PROBES), ".pseudo_probe", &s) ||
        !elf_section_named(load_from(l, LOAD_DESCRIPTORS), ".pseudo_probe_desc", &d))
        return load_no_probes(l, why, why_size);
    if (s.contents == NULL || d.contents == NULL || s.compressed || d.compressed)
        bad = "its probe sections are compressed or not in the file";
    else if (bases == NULL || (probes = csspgo_probe_set_new(&lenient, NULL)) == NULL) bad = "out of memory";
    if (bad != NULL) return load_fail(why, why_size, bad), NULL;
    memset(&in, 0, sizeof in);
    in.data = s.contents;
    in.size = (size_t)s.size;
    in.bases = bases;
    in.base_count = count;
    if (csspgo_probe_set_decode(probes, &in, &e) == CSSPGO_OK) {
        name = ".pseudo_probe_desc";
        if (csspgo_probe_set_decode_descriptors(probes, d.contents, (size_t)d.size, &e) == CSSPGO_OK) return probes;
    }
    snprintf(why, why_size, "%s, byte %llu: %s", name, (unsigned long long)e.offset, e.message);
    csspgo_probe_set_free(probes);
    return NULL;
}

/* The same with the addresses that the symbols tell. */
csspgo_probe_set *load_sections(const loaded *l, char *why, size_t why_size)
{
    size_t count;
    csspgo_symbol_base *bases = load_bases(l, &count);
    csspgo_probe_set *probes = load_sections_at(l, bases, count, why, why_size);
    free(bases);
    return probes;
}

int load_probes(loaded *l, char *why, size_t why_size)
{
    csspgo_probe_set *probes = load_sections(l, why, why_size);
    int ok = probes != NULL;
    if (ok && !load_tables(l, probes)) ok = load_fail(why, why_size, "out of memory");
    csspgo_probe_set_free(probes);
    return ok;
}

void load_free(loaded *l)
{
    if (!l->borrowed) csspgo_code_free(l->code);
    file_close(&l->file);
    while (l->others != 0) load_close_other(&l->other[--l->others]);
    free(l->missing);
    free(l->range);
    memset(l, 0, sizeof *l);
}

/* The addresses of an object file are not those of a program. */
int load_is_linked(const elf_image *e, char *why, size_t why_size)
{
    return e->type != ELF_REL || load_fail(why, why_size, "an object file, not a linked program or library");
}

/*
 * The files, open: path has the code, debug_path, if it is not NULL, what that lacks. Returns 0 with a sentence in why.
 */
int load_files(loaded *l, const char *path, const char *debug_path, char *why, size_t why_size)
{
    memset(l, 0, sizeof *l);
    if (!file_open(path, &l->file)) return load_fail(why, why_size, strerror(errno));
    return elf_open(l->file.data, l->file.size, &l->elf, why, why_size) && load_is_linked(&l->elf, why, why_size) &&
           (debug_path == NULL || load_debug(l, debug_path, why, why_size));
}

int load_decodes(const loaded *l)
{
    return l->elf.machine == ELF_X86_64 || l->elf.machine == ELF_AARCH64;
}

/* A code map with the module. */
int load_module(loaded *l, const char *path, char *why, size_t why_size)
{
    l->code = csspgo_code_new(seeded(), NULL);
    return (l->code != NULL && load_segments(l, path)) || load_fail(why, why_size, "out of memory");
}

/*
 * What load_files opened becomes one more module of a code map, which stays the caller's and has it at its link-time
 * addresses + bias. Functions and probes are not looked for yet. Returns 0 with a sentence in why (and nothing to
 * free).
 */
int load_more(loaded *l, csspgo_code *code, uint64_t bias, const char *path, char *why, size_t why_size)
{
    int ok = load_decodes(l) || load_fail(why, why_size, "neither x86-64 nor AArch64");
    l->code = code;
    l->borrowed = 1;
    if (ok && (!load_segments(l, path) || csspgo_code_map(code, l->module, bias, NULL) != CSSPGO_OK))
        ok = load_fail(why, why_size, "out of memory");
    ok = ok && load_code(l, why, why_size);
    if (!ok) load_free(l);
    return ok;
}

/* What load_files opened, with functions and probes. Returns 0 with a sentence in why (and nothing to free). */
int load_opened(loaded *l, const char *path, char *why, size_t why_size)
{
    int ok = load_decodes(l) || load_fail(why, why_size, "neither x86-64 nor AArch64");
    ok = ok && load_module(l, path, why, why_size) && load_code(l, why, why_size) && load_probes(l, why, why_size);
    if (!ok) load_free(l);
    return ok;
}

/*
 * Opens path. debug_path: NULL, or the file that has what path lacks of symbols and probes. Returns 0 with a sentence
 * in why (and nothing to free) when it cannot be used.
 */
int load_image(loaded *l, const char *path, const char *debug_path, char *why, size_t why_size)
{
    const int ok = load_files(l, path, debug_path, why, why_size);
    if (!ok) load_free(l);
    return ok && load_opened(l, path, why, why_size);
}

#endif

#endif
