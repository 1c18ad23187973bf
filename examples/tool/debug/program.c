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
