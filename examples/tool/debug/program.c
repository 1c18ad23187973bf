/* program.c - the debug information of a program, and names of functions out of it for load_find.h */
#include "debug.h"

enum { HINTS_WHY = 4096 + 256 };   /* a sentence that may name a file; nobody sees it */

debug_info *debug_program(const loaded *image, const char *path, char *why, size_t why_size)
{
    debug_info *d;
    debug_options how;
    elf_segment s;
    uint32_t i;
    memset(&how, 0, sizeof how);
    for (i = image->elf.segment_count; i-- > 0;)
        if (elf_segment_at(&image->elf, i, &s) && s.type == ELF_LOAD && s.flags & ELF_FLAG_X)
            how.first = s.address & ~(uint64_t)4095;
    how.symbols = load_symbols(image);
    how.program = path;
    how.alt = image->alt;
    d = debug_info_open(load_from_path(image, LOAD_LINES, path), &how, why, why_size);
    if (d == NULL || debug_info_units(d) != 0) return d;
    debug_info_close(d);
    if (image->missing == NULL)
        load_fail(why, why_size, "the profile is by source lines, and there is no debug information: build it with "
                                 "-g1 -fdebug-info-for-profiling, or name the file that has it: --debug-binary=FILE");
    else snprintf(why, why_size, "the profile is by source lines, and there is no debug information: %s, which its "
                  ".gnu_debuglink names, was not found: --debug-binary=FILE", image->missing);
    return NULL;
}

/* For free(); NULL: there are none, or no memory, and the code is all that tells. */
load_hint *debug_hints(const loaded *l, size_t *count)
{
    char why[HINTS_WHY];
    debug_info *const d = debug_program(l, l->path, why, sizeof why);
    size_t ranges = 0, i;
    const debug_range *const r = d != NULL ? debug_info_ranges(d, &ranges) : NULL;
    load_hint *const v = ranges != 0 ? (load_hint *)malloc(ranges * sizeof *v) : NULL;
    *count = 0;
    for (i = 0; v != NULL && i < ranges; i++) {
        v[*count].address = r[i].begin;
        v[*count].guid = csspgo_guid(r[i].name, strlen(r[i].name));
        *count += r[i].first != 0;
    }
    debug_info_close(d);
    return v;
}

/* Makes l->range of what the debug information has. Returns 0 without memory. */
static int ranges_of_places(loaded *l, const debug_places *p, const debug_info *d)
{
    load_range *const v = (load_range *)calloc(p->ranges + 1, sizeof *v);
    size_t n, i, size = 1;
    const debug_range *r = debug_info_ranges(d, &n);
    char *names;
    for (i = 0; i < p->ranges; i++) size += strlen(r[p->range[i].index].name);
    names = (char *)malloc(size);
    if (v == NULL || names == NULL) {
        free(v);
        free(names);
        return 0;
    }
    for (i = 0, size = 0; i < p->ranges; i++) {
        const char *const name = r[p->range[i].index].name;
        v[i].begin = p->range[i].begin;
        v[i].end = p->range[i].end;
        v[i].name = names + size;
        v[i].name_size = (uint32_t)strlen(name);
        v[i].guid = csspgo_guid(name, v[i].name_size);
        v[i].part = !p->range[i].entry;
        memcpy(names + size, name, v[i].name_size);
        size += v[i].name_size;
    }
    free(l->range);
    free(l->names);
    l->range = v;
    l->ranges = p->ranges;
    l->names = names;
    return 1;
}

/*
 * Up to LLVM 21 a function is what the debug information has, whether it has probes or not, under the name there:
 * clang's -g1 leaves out functions with nothing inlined, and linkage names without -fdebug-info-for-profiling; their
 * probes are lost. Without any debug information all are lost: then they stay. Returns 0 without memory.
 */
int debug_known(loaded *l)
{
    char why[HINTS_WHY];
    debug_options how;
    debug_places p;
    debug_info *d;
    int ok = 1;
    if (l->llvm == 0 || l->llvm >= 22) return 1;
    memset(&how, 0, sizeof how);
    memset(&p, 0, sizeof p);
    how.llvm = l->llvm;
    how.first = csspgo_code_base(l->code, l->module);
    d = debug_info_open(load_from_path(l, LOAD_LINES, l->path), &how, why, sizeof why);
    if (d != NULL) {
        ok = debug_places_make(&p, d);
        if (ok) debug_places_enter_llvm(&p, d, load_symbols(l));
        if (ok) ok = ranges_of_places(l, &p, d);
    }
    debug_places_free(&p);
    debug_info_close(d);
    return ok;
}
