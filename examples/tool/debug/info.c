/* info.c - functions and units of a program */
#include "private.h"

/* ----- functions ----- */

static int range_add(debug_info *d, const debug_range *r)
{
    if (!debug_room(&d->range, d->ranges, &d->range_cap, sizeof *d->range)) return 0;
    d->range[d->ranges++] = *r;
    return 1;
}

/* Names the function of an entry, for its first range. Returns 0: it has no name, or memory is exhausted. */
static int function_name(debug_info *d, const debug_source *s, const debug_entry *e, debug_range *r)
{
    const debug_named n = debug_name(d, s, e);
    r->linkage = n.linkage != NULL;
    r->name = r->linkage ? n.linkage : n.plain;
    if (r->gnu) r->name = debug_function_name(d, s, e, &n, &r->linkage);
    if (r->name == NULL || *r->name == '\0') return 0;
    r->name = debug_with_file(d, &n, r->name);
    d->said.functions++;
    d->said.no_line += n.line == 0;
    r->line = n.line;
    return 1;
}

/*
 * Notes where the entry of some code is. LLVM also looks up code in functions that the linker dropped, and at the
 * address 1 all that is not known.
 */
static int function_note(debug_info *d, const debug_entry *e, uint64_t begin, uint64_t end)
{
    debug_function *f;
    if (begin >= end || (!d->how.llvm && !debug_is_code(d, begin, end))) return 1;
    if (end <= d->how.first && (begin > 1 || end <= 1)) return 1;
    if (!debug_room(&d->function, d->functions, &d->function_cap, sizeof *d->function)) return 0;
    f = &d->function[d->functions++];
    f->offset = e->offset;
    f->begin = begin;
    f->end = end;
    return 1;
}

/* noted: the unit's functions are looked up in this source. */
static int function_add(debug_info *d, const debug_source *s, const debug_entry *e, int gnu, int noted)
{
    debug_span at = debug_span_of(s, e);
    debug_range r;
    int named = -1;
    memset(&r, 0, sizeof r);
    r.gnu = gnu;
    while (debug_span_next(&at)) {
        const size_t had = d->ranges + d->functions;
        if (noted && !function_note(d, e, at.begin, at.end)) return 0;
        if (debug_is_code(d, at.begin, at.end)) {
            r.first = named < 0;
            if (named < 0) named = function_name(d, s, e, &r);
            r.begin = at.begin;
            r.end = at.end;
            if (named && !range_add(d, &r)) return 0;
        }
        if (d->ranges + d->functions != had && !debug_keep(d, &at)) return 0;
    }
    return !d->no_memory;
}

/* Goes over all entries of a unit, once. */
static int functions_of(debug_info *d, debug_unit *u, const debug_source *s)
{
    const int noted = s != &u->in || u->split == NULL;
    debug_bytes b = debug_entries(s);
    size_t depth = 0;
    debug_entry e;
    u->first = d->functions;
    while (debug_entry_read(d, s, &b, &e)) {
        if (e.tag == 0 && depth-- <= 1) break;
        if (e.tag == DEBUG_SUBPROGRAM && !(debug_keep_name(d, s, &e) && function_add(d, s, &e, u->gnu, noted)))
            return 0;
        depth += e.children;
    }
    u->functions = d->functions - u->first;
    return !d->no_memory;
}

static int functions_read(debug_info *d)
{
    size_t i;
    for (i = 0; i < d->units; i++)
        if (!functions_of(d, &d->unit[i], &d->unit[i].in)) return 0;
    for (i = 0; i < d->units; i++)
        if (d->unit[i].split != NULL && !functions_of(d, &d->unit[i], d->unit[i].split)) return 0;
    return 1;
}

/* ----- the file ----- */

/* Opens a .dwp file beside another one, if it is there. */
static debug_file *packed_beside(debug_info *d, const char *path)
{
    char packed[4096];
    return (size_t)snprintf(packed, sizeof packed, "%s.dwp", path) < sizeof packed ? debug_file_split(d, packed) : NULL;
}

/* Opens the .dwp file: the one that is named, else PROGRAM.dwp, or that of the file with the debug information. */
static void info_packed_open(debug_info *d, const char *path)
{
    const char *const program = d->how.program != NULL ? d->how.program : path;
    const char *const slash = strrchr(program, '/');
    d->packed = d->how.packed != NULL ? debug_file_split(d, d->how.packed) : packed_beside(d, program);
    if (d->packed == NULL && d->how.packed == NULL && program != path) d->packed = packed_beside(d, path);
    if (slash != NULL) snprintf(d->directory, sizeof d->directory, "%.*s", (int)(slash - program) + 1, program);
}

debug_info *debug_info_open(const char *path, const debug_options *how, char *why, size_t why_size)
{
    debug_info *d = (debug_info *)calloc(1, sizeof *d);
    if (d == NULL) return load_fail(why, why_size, "out of memory"), NULL;
    d->how = *how;
    d->room = 1 << 14;
    d->name_room = 1 << 20;
    d->path_room = 1 << 20;
    d->main = debug_file_open(d, path, why, why_size);
    if (d->main != NULL) {
        d->path_room += 4 * (uint64_t)d->main->bytes.size;
        info_packed_open(d, path);
        d->alt = how->alt != NULL && !how->llvm ? debug_file_alt(d, how->alt) : NULL;
        d->main->alt = d->alt;
        if ((how->llvm || debug_symbols_read(d, how->symbols)) && (d->alt == NULL || debug_alt_read(d)) &&
            debug_units_read(d) && functions_read(d) &&
            debug_cover_make(d))
            return d;
        load_fail(why, why_size,
                  d->no_room == 0   ? "out of memory"
                  : d->no_room == 1 ? "lists of ranges in its debug information are shared: they stand for more than a "
                                      "file of its size has"
                                    : "names in its debug information are shared: they are longer than a file of its "
                                      "size has");
    }
    debug_info_close(d);
    return NULL;
}

void debug_info_close(debug_info *d)
{
    size_t i;
    if (d == NULL) return;
    debug_scratch_free(d);
    debug_symbols_free(d);
    debug_paths_free(d);
    for (i = 0; i < d->units; i++) free(d->unit[i].split);
    free(d->unit);
    free(d->alt_unit);
    free(d->range);
    free(d->function);
    free(d->cover);
    while (d->file != NULL) {
        debug_file *const next = d->file->next;
        debug_file_free(d->file);
        d->file = next;
    }
    free(d);
}

debug_warnings debug_info_warnings(const debug_info *d)
{
    return d->said;
}

const debug_range *debug_info_ranges(const debug_info *d, size_t *count)
{
    *count = d->ranges;
    return d->range;
}

size_t debug_info_units(const debug_info *d)
{
    return d->units;
}
