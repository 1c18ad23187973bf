/* load.h - fills a csspgo_code from an ELF file with pseudo probes: code bytes, functions, probes, descriptors
 *
 * Symbols and unwind tables say where code begins and ends (load_region.h). Whose it is, the probes in it say, whatever
 * its symbol is called (load_owner.h). Where symbols are missing or have other names, the code itself says which records
 * of probes are of it (load_find.h). Symbols, debug information and probes may be in other files than the
 * code.
 * Include it after csspgo.h with CSSPGO_WITH_DECODE and CSSPGO_WITH_LLVM (probe sections are read as leniently as LLVM
 * reads them); one source file of a program defines LOAD_IMPLEMENTATION before it and so holds the code.
 * Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_LOAD_H
#define CSSPGO_EXAMPLES_LOAD_H
#if !defined(CSSPGO_WITH_DECODE) || !defined(CSSPGO_WITH_PROBES) || !defined(CSSPGO_WITH_LLVM)
#  error "include csspgo.h, with CSSPGO_WITH_DECODE, CSSPGO_WITH_PROBES and CSSPGO_WITH_LLVM, before load.h"
#endif

#include "elf.h"
#include "elf_object.h"
#include "pe.h"
#include "file.h"

#define LOAD_NOWHERE UINT64_MAX   /* an address that is not known */

typedef struct load_text {        /* an executable section */
    uint64_t begin, end;
    const unsigned char *code;    /* of the file                            */
    size_t   mark;                /* of its first byte in load_search.mark  */
    uint32_t section;
    int      is_plt;
} load_text;

typedef struct load_name {        /* a symbol of code */
    uint64_t    address, size;
    const char *name;             /* name_size bytes of the file                      */
    uint32_t    name_size, index; /* index: in load_symbols; UINT32_MAX: in .dynsym   */
    int         is_function;      /* it has the type of one                           */
} load_name;

typedef struct load_region {      /* code that begins and ends together */
    uint64_t begin, end;
    size_t   name, names;         /* the symbols at its begin, in load_regions.name */
} load_region;

typedef struct load_regions {     /* by address; regions and texts are disjoint */
    load_text   *text;
    load_name   *name;
    load_region *region;
    size_t texts, names, regions;
} load_regions;

typedef struct load_hint {        /* for LOAD_HINTS: a name of the function that begins at an address */
    uint64_t address, guid;
} load_hint;

typedef struct load_range {       /* code of a function that has probes, or of a part of it: a region */
    uint64_t    begin, end, guid;
    const char *name;             /* of the function, name_size bytes, as long as what is loaded; NULL: not known */
    uint32_t    name_size, symbol;   /* symbol: an index in load_symbols; 0 or UINT32_MAX: none                   */
    uint32_t    region, part;     /* part: the function's entry is elsewhere                                      */
    int         entry, suffix;    /* private                                                                      */
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
    const char    *path;          /* as the caller gave it: borrowed */
    elf_image      elf;           /* has the code */
    load_other     other[LOAD_OTHERS];
    unsigned       others;
    unsigned char  from[LOAD_KINDS];   /* who has it: 0 elf (or nobody), i: other[i - 1] */
    char          *missing;       /* NULL, or the separate file that the program names and that was not found */
    char          *alt;           /* NULL, or the file with what several programs' debug information shares (dwz) */
    csspgo_code   *code;
    int            object;        /* it is a kernel module, which elf_object.h linked */
    int            borrowed;      /* the code map is another one's */
    int            kernel;        /* set by the caller, for load_code: code is as the kernel changes its own */
    int            llvm;          /* set by the caller, for all that follows: symbols tell as much as to LLVM 19 */
    csspgo_module  module;
    uint64_t       first_loadable;   /* of the first loadable segment (LLVM up to 21: above 4095), rounded down to 4096 */
    load_regions  *regions;       /* all code; NULL: not looked for yet */
    load_range    *range;         /* by address: code of functions that have probes */
    char          *names;         /* of some ranges */
    size_t         ranges, functions, probes;
    size_t         unnamed, found;   /* records whose symbol does not say where they are; of these, found all the same */
    csspgo_probe_set_stats probe_stats;
} loaded;

typedef struct load_start {       /* where decoding starts, in a section */
    uint64_t address;
    uint32_t section, reserved;
} load_start;

int load_files(loaded *l, const char *path, const char *debug_path, char *why, size_t why_size);
int load_placed(loaded *l, const char *path, char *why, size_t why_size);
int load_elf(file_bytes *f, elf_image *e, char *why, size_t why_size);
int load_link(file_bytes *f, elf_image *e, char *why, size_t why_size);
int load_more(loaded *l, csspgo_code *code, uint64_t bias, const char *path, char *why, size_t why_size);
int load_probes(loaded *l, char *why, size_t why_size);
int load_image(loaded *l, const char *path, const char *debug_path, char *why, size_t why_size);
int load_opened(loaded *l, const char *path, char *why, size_t why_size);
int load_module(loaded *l, const char *path, char *why, size_t why_size);
int load_code(loaded *l, char *why, size_t why_size);
load_start *load_starts(loaded *l, size_t *count);
int load_decodes(const loaded *l);
int load_fail(char *why, size_t why_size, const char *text);
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
const load_regions *load_regions_of(loaded *l);
void load_regions_free(loaded *l);
const load_text *load_text_at(const load_regions *r, uint64_t address);
load_region *load_region_at(const load_regions *r, uint64_t address);
int load_owners(loaded *l, const csspgo_probe_set *probes);
int load_range_cmp(const void *a, const void *b);
const load_range *load_range_at(const loaded *l, uint64_t address);
csspgo_inline_node *load_inlines(const loaded *l, const csspgo_probe_tables *t);
size_t load_strip(const char *name, size_t size, const char *suffix);
size_t load_stem(const char *name, size_t size);
csspgo_descriptor *load_descriptors(const csspgo_probe_tables *t);
const csspgo_descriptor *load_descriptor(const csspgo_descriptor *v, size_t n, uint64_t guid);
csspgo_probe_set *load_sections_at(const loaded *l, const csspgo_probe_section *where, char *why, size_t why_size);
csspgo_probe_set *load_sections(loaded *l, char *why, size_t why_size);
int load_debug(loaded *l, const char *path, char *why, size_t why_size);
int load_is_linked(const elf_image *e, char *why, size_t why_size);

#ifdef LOAD_IMPLEMENTATION

int load_fail(char *why, size_t why_size, const char *text)
{
    snprintf(why, why_size, "%s", text);
    return 0;
}

/* Puts other bytes in the place of a file's. */
static void load_replace(file_bytes *f, unsigned char *bytes, size_t size)
{
    file_close(f);
    f->read = bytes;
    f->data = bytes;
    f->size = size;
}

/* Opens a program, also one of Windows, which becomes an ELF file. Returns 0 with a sentence in why. */
int load_elf(file_bytes *f, elf_image *e, char *why, size_t why_size)
{
    static const uint32_t mach_o[] = { 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xbebafeca };
    size_t i, size;
    for (i = 0; f->size >= 4 && i < sizeof mach_o / sizeof *mach_o; i++)
        if (elf__32(f->data) == mach_o[i])
            return load_fail(why, why_size, "a Mach-O file, of macOS; ELF files and programs of Windows are read");
    if (pe_is(f->data, f->size)) {
        unsigned char *const bytes = pe_to_elf(f->data, f->size, &size, why, why_size);
        if (bytes == NULL) return 0;
        load_replace(f, bytes, size);
    }
    return elf_open(f->data, f->size, e, why, why_size);
}

/* Puts an object file as linked in the place of its bytes; others stay. Returns 0 with a sentence in why. */
int load_link(file_bytes *f, elf_image *e, char *why, size_t why_size)
{
    unsigned char *linked;
    size_t size;
    if (e->type != ELF_REL) return 1;
    linked = elf_object_link(e, &size, why, why_size);
    if (linked == NULL) return 0;
    load_replace(f, linked, size);
    return elf_open(f->data, f->size, e, why, why_size);
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
        if (n == 0 || (l->llvm != 0 && l->llvm < 22 && l->first_loadable == 0)) l->first_loadable = s.address & ~(uint64_t)4095;
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

int load_has(const uint64_t *v, size_t n, uint64_t guid)
{
    return bsearch(&guid, v, n, sizeof *v, load_u64_cmp) != NULL;
}

#include "load_region.h"
#include "load_code.h"
#include "load_find.h"
#include "load_owner.h"

/*
 * LOAD_KNOWN, if the user defines it, names a function int LOAD_KNOWN(loaded *l) that removes code from l->range, for a
 * tool that must know as little as another one. It returns 0 without memory.
 */
#ifdef LOAD_KNOWN
int LOAD_KNOWN(loaded *l);
#endif

static int load_known(loaded *l)
{
#ifdef LOAD_KNOWN
    return LOAD_KNOWN(l);
#else
    (void)l;
    return 1;
#endif
}

static int load_functions(loaded *l)
{
    csspgo_status status = CSSPGO_OK;
    size_t k;
    for (k = 0; k < l->ranges && status == CSSPGO_OK; k++) {
        const load_range *const r = &l->range[k];
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = r->begin;
        f.end = r->end;
        f.guid = r->guid;
        f.name = r->name;
        f.name_size = r->name_size;
        f.fragment = r->part;
        status = csspgo_code_add_function(l->code, l->module, &f, NULL);
        l->functions += status == CSSPGO_OK;
        if (status == CSSPGO_E_ARGUMENT) status = CSSPGO_OK;   /* outside executable sections */
    }
    return status == CSSPGO_OK;
}

static void load_bases_of(const elf_image *e, csspgo_symbol_base *v, size_t *count)
{
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED || y.name_size == 0) continue;
        v[*count].guid = csspgo_guid(y.name, y.name_size);
        v[(*count)++].address = y.value;
    }
}

/* Symbols' GUIDs and values: where probe records count their addresses from. LLVM knows those of .symtab only. */
static csspgo_symbol_base *load_bases(const loaded *l, size_t *count)
{
    const elf_image *const e = load_symbols(l), dynamic = elf_dynamic(&l->elf);
    csspgo_symbol_base *v =
        (csspgo_symbol_base *)malloc(((size_t)e->symbol_count + dynamic.symbol_count + 1) * sizeof *v);
    *count = 0;
    if (v == NULL) return NULL;
    if (!l->llvm) load_bases_of(&dynamic, v, count);
    load_bases_of(e, v, count);
    return v;
}

static int load_tables(loaded *l, const csspgo_probe_set *probes)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(probes);
    csspgo_inline_node *inlines = NULL;
    int ok;
    l->probes = t.probe_count;
    l->probe_stats = csspgo_probe_set_get_stats(probes);
    ok = csspgo_code_add_descriptors(l->code, t.descriptors, t.descriptor_count, NULL) == CSSPGO_OK &&
         load_owners(l, probes) && load_known(l) && load_functions(l) && (inlines = load_inlines(l, &t)) != NULL &&
         csspgo_code_add_probes(l->code, l->module, inlines, t.inline_count, t.probes, t.probe_count, NULL) == CSSPGO_OK;
    free(inlines);
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

/*
 * The probe sections as tables, for csspgo_probe_set_free. NULL after saying why not.
 *
 *   where   what says where records are: bases or addresses
 */
csspgo_probe_set *load_sections_at(const loaded *l, const csspgo_probe_section *where, char *why, size_t why_size)
{
    const char *bad = NULL, *name = ".pseudo_probe";
    csspgo_options lenient = *seeded();
    csspgo_probe_section in = *where;
    csspgo_probe_set *probes = NULL;
    csspgo_error e;
    elf_section s, d;
    lenient.llvm = 19;
    if (!elf_section_named(load_from(l, LOAD_PROBES), ".pseudo_probe", &s) ||
        !elf_section_named(load_from(l, LOAD_DESCRIPTORS), ".pseudo_probe_desc", &d))
        return load_no_probes(l, why, why_size);
    if (s.contents == NULL || d.contents == NULL || s.compressed || d.compressed)
        bad = "its probe sections are compressed or not in the file";
    else if ((probes = csspgo_probe_set_new(&lenient, NULL)) == NULL) bad = "out of memory";
    if (bad != NULL) return load_fail(why, why_size, bad), NULL;
    in.data = s.contents;
    in.size = (size_t)s.size;
    if (csspgo_probe_set_decode(probes, &in, &e) == CSSPGO_OK) {
        name = ".pseudo_probe_desc";
        if (csspgo_probe_set_decode_descriptors(probes, d.contents, (size_t)d.size, &e) == CSSPGO_OK) return probes;
    }
    snprintf(why, why_size, "%s, byte %llu: %s", name, (unsigned long long)e.offset, e.message);
    csspgo_probe_set_free(probes);
    return NULL;
}

/* The tables again with the addresses that the code tells; bases: as load_bases gives them. NULL after saying why. */
static csspgo_probe_set *load_sections_found(loaded *l, csspgo_symbol_base *bases, size_t count, size_t records,
                                             char *why, size_t why_size)
{
    uint64_t *const address = (uint64_t *)calloc(records + 1, sizeof *address);
    csspgo_probe_set *set = NULL;
    csspgo_probe_section in;
    int ok;
    memset(&in, 0, sizeof in);
    in.addresses = address;
    in.address_count = records;
    if (address == NULL) return load_fail(why, why_size, "out of memory"), NULL;
    set = load_sections_at(l, &in, why, why_size);         /* all records at the address 0 */
    ok = set != NULL && (load_find(l, set, bases, count, address) || load_fail(why, why_size, "out of memory"));
    csspgo_probe_set_free(set);
    set = ok ? load_sections_at(l, &in, why, why_size) : NULL;
    free(address);
    return set;
}

/* The same with the addresses that symbols tell or, if there are regions of code, the code. */
csspgo_probe_set *load_sections(loaded *l, char *why, size_t why_size)
{
    csspgo_probe_section in;
    csspgo_probe_set *probes;
    csspgo_symbol_base *bases;
    int again = 0;
    memset(&in, 0, sizeof in);
    l->unnamed = l->found = 0;
    in.bases = bases = load_bases(l, &in.base_count);
    if (bases == NULL) return load_fail(why, why_size, "out of memory"), NULL;
    probes = load_sections_at(l, &in, why, why_size);
    if (probes != NULL && (again = load_must_find(l, probes, bases, in.base_count)) != 0) {
        const size_t records = csspgo_probe_set_tables(probes).record_count;
        csspgo_probe_set_free(probes);
        probes = again > 0 ? load_sections_found(l, bases, in.base_count, records, why, why_size) : NULL;
        if (again < 0) load_fail(why, why_size, "out of memory");
    }
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
    free(l->alt);
    load_regions_free(l);
    free(l->range);
    free(l->names);
    memset(l, 0, sizeof *l);
}

/* The addresses of an object file are not those of a program; load_placed gives it some. */
int load_is_linked(const elf_image *e, char *why, size_t why_size)
{
    static const char says[] = "an object file, not a linked program or library: give what it was linked into "
                               "(kernel modules are for profgen, without --llvm-compat)";
    return e->type != ELF_REL || load_fail(why, why_size, says);
}

/*
 * The files, open: path has the code, debug_path, if it is not NULL, what that lacks. Returns 0 with a sentence in why.
 */
int load_files(loaded *l, const char *path, const char *debug_path, char *why, size_t why_size)
{
    memset(l, 0, sizeof *l);
    l->path = path;
    if (!file_open(path, &l->file)) return load_fail(why, why_size, file_why());
    return load_elf(&l->file, &l->elf, why, why_size) && load_is_linked(&l->elf, why, why_size) &&
           (debug_path == NULL || load_debug(l, debug_path, why, why_size));
}

/* What load_files opens without another file, and object files, placed as kernel modules are. */
int load_placed(loaded *l, const char *path, char *why, size_t why_size)
{
    if (load_files(l, path, NULL, why, why_size)) return 1;
    l->object = l->elf.type == ELF_REL;
    return l->object && load_link(&l->file, &l->elf, why, why_size);
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
    if (ok && (!load_segments(l, path) || csspgo_code_set_bias(code, l->module, bias, NULL) != CSSPGO_OK))
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
