/* lines.c - profgen: programs without probes, by source line; sizes of code, as debug information has them */
#include "profgen.h"

/* 1 if a program is to be profiled by source lines: it has no probes, or they are not to be used. */
int is_by_line(const option *o, const loaded *l)
{
    elf_section s;
    return o[O_LINES].number || !elf_section_named(load_from(l, LOAD_PROBES), ".pseudo_probe", &s) ||
           !elf_section_named(load_from(l, LOAD_DESCRIPTORS), ".pseudo_probe_desc", &s);
}

/* Says that counts are by source line although there may be probes. */
static void lines_instead(const line_work *w)
{
    const unsigned lacks = load_lacks(w->image) & (1u << LOAD_PROBES | 1u << LOAD_DESCRIPTORS);
    if (w->o[O_LINES].number || w->tool->compat) return;
    if (lacks == 1u << LOAD_PROBES || lacks == 1u << LOAD_DESCRIPTORS)
        warn(w->tool, "%s: counts are by source line: of its probes %s is there and %s is not", w->path,
             lacks == 1u << LOAD_PROBES ? ".pseudo_probe_desc" : ".pseudo_probe",
             lacks == 1u << LOAD_PROBES ? ".pseudo_probe" : ".pseudo_probe_desc");
    program_missing(w->tool, w->image, w->path, "counts are by source line, even if it has probes");
}

/* Finds where functions begin: at the first range of each entry of theirs in the debug information, clones too. */
static void entries_mark(const line_work *w)
{
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    if (w->tool->compat) debug_places_enter_llvm(&w->code, w->functions, load_symbols(w->image));
    for (i = 0; !w->tool->compat && i < w->code.ranges; i++) w->code.range[i].entry = r[w->code.range[i].index].first;
}

static int functions_add(const line_work *w)
{
    const debug_place *v = w->code.range;
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_status s = CSSPGO_OK;
    if (w->tool->compat && load_symbols(w->image)->symbol_count <= 1) return 1;   /* nothing is code for LLVM */
    for (i = 0; s == CSSPGO_OK && i < w->code.ranges; i++) {
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = v[i].begin;
        f.end = v[i].end;
        f.name = r[v[i].index].name;
        f.name_size = strlen(f.name);
        f.fragment = !v[i].entry;
        s = csspgo_code_add_function(w->image->code, w->image->module, &f, NULL);
        w->image->functions += s == CSSPGO_OK;
        if (s == CSSPGO_E_ARGUMENT) s = CSSPGO_OK;     /* outside executable sections */
    }
    return s == CSSPGO_OK;
}

/* Says that there is no debug information. Returns 0. */
static int debug_lacks(const line_work *w, char *why, size_t why_size)
{
    static const char nothing[] = "has neither probe sections nor debug information";
    if (w->image->missing == NULL)
        snprintf(why, why_size, "%s: build it with -fpseudo-probe-for-profiling or -g1 -fdebug-info-for-profiling, or "
                 "name the file that has them: --debug-binary=FILE", nothing);
    else snprintf(why, why_size, "%s, and %s, which its .gnu_debuglink names, was not found: --debug-binary=FILE",
                  nothing, w->image->missing);
    return 0;
}

/*
 * Opens what has the debug information. LLVM takes a file that is named whatever it has, and finds the lines of another
 * one that belongs to the program, but no functions. Returns 0 with a sentence in why.
 */
static int debug_open(line_work *w, char *why, size_t why_size)
{
    const char *const found = load_from_path(w->image, LOAD_LINES, w->path);
    const char *const named = w->o[O_DEBUG_BINARY].text;
    debug_options how;
    memset(&how, 0, sizeof how);
    how.llvm = w->tool->compat;
    how.first = csspgo_code_base(w->image->code, w->image->module);
    how.symbols = load_symbols(w->image);
    how.packed = w->o[O_DWP].text;
    how.files = is_gcov3(w->o) && !w->tool->compat;
    if (!w->tool->compat) how.program = w->path;
    how.alt = w->image->alt;
    w->functions = w->debug =
        debug_info_open(!w->tool->compat ? found : named != NULL ? named : w->path, &how, why, why_size);
    if (w->debug == NULL || debug_info_units(w->debug) != 0) return w->debug != NULL;
    if (!w->tool->compat) return debug_lacks(w, why, why_size);
    if (named != NULL || found == w->path) return 1;
    w->debug = debug_info_open(found, &how, why, why_size);
    return w->debug != NULL;
}

/* The debug information of a program. Returns 0 with a sentence in why; w is to be freed all the same. */
static int lines_open(line_work *w, const tool_context *tool, const option *o, program_image *m, char *why,
                      size_t why_size)
{
    size_t ranges;
    w->tool = tool;
    w->o = o;
    w->image = &m->loaded;
    w->path = m->path;
    if (!debug_open(w, why, why_size)) return 0;
    (void)debug_info_ranges(w->functions, &ranges);
    w->sampled = (unsigned char *)calloc(ranges + 1, 1);
    return (w->sampled != NULL && debug_places_make(&w->code, w->functions)) ||
           load_fail(why, why_size, "out of memory");
}

/* What is to be said about the debug information. */
static void debug_report(const line_work *w)
{
    const debug_warnings s = debug_info_warnings(w->debug);
    if (s.no_split != 0 && w->tool->compat)
        warn(w->tool, " DWO debug information was not loaded for %zu modules. Please check the .o, .dwo or .dwp path.",
             s.no_split);
    else if (s.no_split != 0)
        warn(w->tool, "%s: %zu of %zu units have their debug information in .dwo files that are missing", w->path,
             s.no_split, s.units);
    if (!w->tool->compat && s.functions != 0 && s.no_line == s.functions)
        warn(w->tool, "%s: its debug information has no first lines of functions: build it with "
             "-fdebug-info-for-profiling", w->path);
}

/* The functions of a program without probes. Returns 0 with a sentence in why. */
int lines_load(line_work *w, const tool_context *tool, const option *o, program_image *m, char *why, size_t why_size)
{
    if (!lines_open(w, tool, o, m, why, why_size)) return 0;
    m->lines = w->debug;
    lines_instead(w);
    debug_report(w);
    entries_mark(w);
    return functions_add(w) || load_fail(why, why_size, "out of memory");
}

/* The functions of a program with probes, as LLVM knows them. NULL: without debug information, or no memory. */
line_work *lines_functions(const tool_context *tool, const option *o, program_image *m)
{
    char why[PROGRAM_WHY];
    line_work *const w = (line_work *)calloc(1, sizeof *w);
    if (w == NULL) return NULL;
    if (lines_open(w, tool, o, m, why, sizeof why) && w->code.ranges != 0) {
        debug_places_enter_llvm(&w->code, w->functions, load_symbols(w->image));
        return w;
    }
    lines_free(w, 1);
    return NULL;
}

static void lines_close(line_work *w)
{
    csspgo_line_table_free(w->table);
    csspgo_size_table_free(w->sizes);
    if (w->functions != w->debug) debug_info_close(w->functions);
    debug_info_close(w->debug);
    debug_places_free(&w->code);
    free(w->sampled);
    free(w->frame);
    free(w->bytes);
}

void lines_free(line_work *w, size_t n)
{
    size_t i;
    for (i = 0; w != NULL && i < n; i++) lines_close(&w[i]);
    free(w);
}

/* Lists the functions of the program, so that a compiler knows which are not new. */
csspgo_status lines_list_symbols(const line_work *w, csspgo_profile *p)
{
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_status s = CSSPGO_OK;
    for (i = 0; s == CSSPGO_OK && i < w->code.ranges; i++) {
        const char *const name = r[w->code.range[i].index].name;
        const csspgo_func f = csspgo_func_add(p, name, strlen(name));
        s = f.id != 0 ? csspgo_set_listed(p, f, 1) : CSSPGO_E_NOMEM;
    }
    return s;
}

/* Notes when a sample was taken, which is where its address says. */
void lines_sampled(line_work *w, uint64_t address, uint64_t time)
{
    debug_place *const r = time != 0 ? debug_place_at(&w->code, address) : NULL;
    if (r != NULL && (r->first == 0 || time < r->first)) r->first = time;
}

/* Gives functions of the profile the times of their first samples. */
csspgo_status lines_first_samples(const line_work *w, csspgo_profile *p)
{
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_status s = CSSPGO_OK;
    for (i = 0; s == CSSPGO_OK && i < w->code.ranges; i++) {
        const char *const name = r[w->code.range[i].index].name;
        const csspgo_func f = csspgo_func_find(p, name, strlen(name));
        const uint64_t first = w->code.range[i].first, had = f.id != 0 ? csspgo_first_sample(p, f) : 0;
        if (f.id != 0 && first != 0 && (had == 0 || first < had)) s = csspgo_set_first_sample(p, f, first);
    }
    return s;
}

/* ----- sizes of functions by where they are inlined --------------------------------------------------------------- */

/* Adds the bytes of a node and clears them. */
static int size_add(line_work *w, const debug_lines *l, size_t node, int by_probe)
{
    size_t n = 0, i;
    uint32_t at;
    for (at = (uint32_t)node + 1; at != 0; at = l->node[at - 1].parent) n++;
    if (!debug_room(&w->frame, n, &w->frame_cap, sizeof *w->frame)) return 0;
    memset(w->frame, 0, n * sizeof *w->frame);
    for (i = n, at = (uint32_t)node + 1; at != 0; at = l->node[at - 1].parent) {
        const csspgo_line_inline_node *const in = &l->node[at - 1];
        const uint32_t d = in->site.discriminator;
        w->frame[--i].name = in->name;
        w->frame[i].name_size = in->name_size;
        if (i == 0) continue;
        w->frame[i - 1].loc = in->site;
        if (by_probe) w->frame[i - 1].loc = csspgo_loc_at(d >> 3 & (d & 0x10000000 ? 0x1fff : 0xffff), 0);
    }
    if (csspgo_size_table_add(w->sizes, w->frame, n, w->bytes[node], NULL) != CSSPGO_OK) return 0;
    w->bytes[node] = 0;
    return 1;
}

/*
 * Ranges of functions may overlap: gcc -fno-reorder-functions lets that of the hot part reach over the cold part. LLVM
 * adds up ranges; these are the bytes of [begin, end) that it counts once more.
 */
static uint64_t bytes_again(const line_work *w, uint64_t begin, uint64_t end)
{
    debug_places over;
    uint64_t n = 0;
    size_t i;
    memset(&over, 0, sizeof over);
    over.range = w->code.over;
    over.ranges = w->code.overs;
    for (i = debug_places_before(&over, end - 1); i-- > 0 && over.range[i].reach > begin;) {
        const debug_place *const r = &over.range[i];
        const uint64_t a = r->begin > begin ? r->begin : begin, b = r->end < end ? r->end : end;
        if (a < b && w->sampled[r->function]) n += b - a;
    }
    return n;
}

/* How many of the bytes [begin, end) are of functions that were sampled. */
static uint64_t bytes_sampled(const line_work *w, uint64_t begin, uint64_t end)
{
    size_t i = debug_places_before(&w->code, begin);
    uint64_t n = 0;
    for (i -= i != 0; i < w->code.ranges && w->code.range[i].begin < end; i++) {
        const debug_place *r = &w->code.range[i];
        const uint64_t a = r->begin > begin ? r->begin : begin, b = r->end < end ? r->end : end;
        if (a < b && w->sampled[r->function]) n += b - a;
    }
    return w->tool->compat ? n + bytes_again(w, begin, end) : n;
}

/* Adds the code of a unit. Returns 0: out of memory. */
static int sizes_of(line_work *w, const debug_lines *l, int by_probe)
{
    size_t i;
    for (; w->byte_cap < l->nodes;)
        if (!debug_room(&w->bytes, w->byte_cap, &w->byte_cap, sizeof *w->bytes)) return 0;
    if (l->nodes != 0) memset(w->bytes, 0, l->nodes * sizeof *w->bytes);
    for (i = 0; i + 1 < l->rows; i++)
        if (l->row[i].inline_node != 0)
            w->bytes[l->row[i].inline_node - 1] += bytes_sampled(w, l->row[i].address, l->row[i + 1].address);
    for (i = 0; i < l->nodes; i++)
        if (w->bytes[i] != 0 && !size_add(w, l, i, by_probe)) return 0;
    return 1;
}

/* The size of a copy of a function is known, and possibly 0, if the program has a probe of it. */
static int copies_know(line_work *w, const csspgo_probe_tables *t, const unsigned char *sampled)
{
    size_t i;
    for (i = 0; i < t->probe_count; i++) {
        uint32_t at, n = 0, k;
        for (at = t->probes[i].inline_node; at != 0; at = t->inlines[at - 1].parent) n++;
        if (n == 0 || (i != 0 && t->probes[i].inline_node == t->probes[i - 1].inline_node)) continue;
        if (!debug_room(&w->frame, n, &w->frame_cap, sizeof *w->frame)) return 0;
        memset(w->frame, 0, n * sizeof *w->frame);
        for (k = n, at = t->probes[i].inline_node; at != 0; at = t->inlines[at - 1].parent) {
            const csspgo_inline_node *in = &t->inlines[at - 1];
            w->frame[--k].guid = in->guid;
            if (k != 0) w->frame[k - 1].loc = csspgo_loc_at(in->site, 0);
            else if (!sampled[at - 1]) n = 0;
        }
        if (n != 0 && csspgo_size_table_add(w->sizes, w->frame, n, 0, NULL) != CSSPGO_OK) return 0;
    }
    return 1;
}

/* Marks, per inline node, the top-level functions that were sampled; for free(). NULL: out of memory. */
static unsigned char *tops_sampled(const line_work *w, const csspgo_probe_tables *t)
{
    unsigned char *mark = (unsigned char *)calloc(t->inline_count + 1, 1);
    uint64_t *guid = (uint64_t *)malloc((w->code.ranges + 1) * sizeof *guid);
    size_t count, n = 0, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    for (i = 0; guid != NULL && i < w->code.ranges; i++)
        if (w->sampled[w->code.range[i].function]) {
            const char *const name = r[w->code.range[i].index].name;
            guid[n++] = csspgo_guid(name, strlen(name));
        }
    if (guid != NULL) qsort(guid, n, sizeof *guid, load_u64_cmp);
    for (i = 0; guid != NULL && mark != NULL && i < t->inline_count; i++)
        mark[i] = (unsigned char)(t->inlines[i].parent == 0 && load_has(guid, n, t->inlines[i].guid));
    if (guid == NULL) {
        free(mark);
        mark = NULL;
    }
    free(guid);
    return mark;
}

/* Marks the functions of a profile that is given as sampled, also those that only call. Returns 0: out of memory. */
static int sizes_mark(line_work *w, const csspgo_profile *p)
{
    const uint32_t n = csspgo_func_count(p);
    uint64_t *const guid = (uint64_t *)malloc((n + (size_t)1) * sizeof *guid);
    size_t count, known = 0, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_func f;
    if (guid == NULL) return 0;
    for (f.id = 1; f.id <= n; f.id++)
        if (csspgo_func_nodes(p, f).id != 0) guid[known++] = csspgo_func_guid(p, f);
    qsort(guid, known, sizeof *guid, load_u64_cmp);
    for (i = 0; i < w->code.ranges; i++) {
        const char *const name = r[w->code.range[i].index].name;
        if (load_has(guid, known, csspgo_guid(name, strlen(name)))) w->sampled[w->code.range[i].function] = 1;
    }
    free(guid);
    return 1;
}

/* ----- the lines of what ran -------------------------------------------------------------------------------------- */

typedef csspgo_status addresses_fn(csspgo_collector *c, csspgo_module module, uint64_t *out, size_t cap, size_t *count,
                                   csspgo_error *err);

/* What list_fn lists, elements of `each` numbers, for free(). NULL: out of memory. */
static uint64_t *listed(const line_work *w, csspgo_collector *c, addresses_fn *list_fn, size_t each, size_t *count)
{
    size_t cap = 1 << 15;                                  /* to ask for the number first costs as much again */
    uint64_t *out = (uint64_t *)malloc(cap * each * sizeof *out);
    csspgo_status s = out != NULL ? list_fn(c, w->image->module, out, cap, count, NULL) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_E_SHORT) {
        free(out);
        cap = *count + 1;
        out = (uint64_t *)malloc(cap * each * sizeof *out);
        s = out != NULL ? list_fn(c, w->image->module, out, cap, count, NULL) : CSSPGO_E_NOMEM;
    }
    if (s == CSSPGO_OK) return out;
    free(out);
    return NULL;
}

static int area_cmp(const void *a, const void *b)
{
    const debug_area *x = (const debug_area *)a, *y = (const debug_area *)b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void area_add(debug_areas *to, debug_area *v, uint64_t begin, uint64_t end)
{
    v[to->n].begin = begin;
    v[to->n++].end = end;
}

/* Sorts, and joins what overlaps. */
static void areas_settle(debug_areas *a, debug_area *v)
{
    size_t i, n = 0;
    if (a->n != 0) qsort(v, a->n, sizeof *v, area_cmp);
    for (i = 0; i < a->n; i++)
        if (n == 0 || v[i].begin > v[n - 1].end) v[n++] = v[i];
        else if (v[n - 1].end < v[i].end) v[n - 1].end = v[i].end;
    a->v = v;
    a->n = n;
}

/* Adds instructions, and marks their functions as sampled. */
static void areas_at(line_work *w, const uint64_t *address, size_t n, int mark, debug_areas *out, debug_area *v)
{
    size_t i;
    for (i = 0; i < n; i++) {
        debug_place *const r = mark ? debug_place_at(&w->code, address[i]) : NULL;
        if (r != NULL) r->ran = w->sampled[r->function] = 1;
        area_add(out, v, address[i], address[i] + 1);
    }
}

/*
 * Tells of functions that have a name in common but not their place in the source, such as static ones of two files: by
 * line they are one. Clones of a function, and copies of one from a header, share their place.
 */
static void namesakes_report(const line_work *w)
{
    size_t count, i, n = 0, at = 0;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    uint32_t *const line = (uint32_t *)calloc(w->code.names + 1, sizeof *line), other = 0;
    for (i = 0; line != NULL && i < w->code.ranges; i++) {
        const debug_place *const v = &w->code.range[i];
        const uint32_t first = line[v->function], here = r[v->index].line;
        if (!v->ran || here == 0 || first == UINT32_MAX) continue;
        line[v->function] = first == 0 || first == here ? here : UINT32_MAX;
        if (line[v->function] != UINT32_MAX) continue;
        if (n++ == 0) other = first, at = i;
    }
    free(line);
    if (n != 0)
        warn(w->tool, "%s: counts of different functions of one name are added up, as of '%s' (lines %" PRIu32 " and %" PRIu32 " of "
             "their files)%s: build with -funique-internal-linkage-names (clang), %srename them", w->path,
             r[w->code.range[at].index].name, other, r[w->code.range[at].index].line, n > 1 ? " and others" : "",
             w->o[O_FORMAT].number == FORMAT_GCC || w->o[O_FORMAT].number == FORMAT_GCOV
                 ? "write --gcov-version=3 (gcc 16), or " : "or ");
}

/*
 * The code whose lines are needed: all of the functions that the counters are about, which get marked, and whatever ran
 * outside of them. Returns the areas, for free(); NULL: out of memory.
 * By line, LLVM's contexts hold no addresses: it does not know the sizes of functions that only called.
 */
static debug_area *areas_of(line_work *w, csspgo_collector *c, debug_areas *out)
{
    size_t calls, addresses, ran, i;
    uint64_t *call = listed(w, c, csspgo_collector_calls, 1, &calls);
    uint64_t *address = call != NULL ? listed(w, c, csspgo_collector_addresses, 1, &addresses) : NULL;
    uint64_t *range = address != NULL ? listed(w, c, csspgo_collector_ranges, 2, &ran) : NULL;
    debug_area *v = range != NULL ? (debug_area *)malloc((calls + addresses + ran + w->code.ranges + 1) * sizeof *v) : NULL;
    out->n = 0;
    if (v != NULL) {
        areas_at(w, call, calls, w->table == NULL || !w->tool->compat, out, v);
        areas_at(w, address, addresses, 1, out, v);
    }
    for (i = 0; v != NULL && i < ran; i++) area_add(out, v, range[2 * i], range[2 * i + 1] + 1);
    for (i = 0; v != NULL && i < w->code.ranges; i++)
        if (w->sampled[w->code.range[i].function]) area_add(out, v, w->code.range[i].begin, w->code.range[i].end);
    if (v != NULL) areas_settle(out, v);
    if (v != NULL && !w->tool->compat) namesakes_report(w);
    free(call);
    free(address);
    free(range);
    return v;
}

/* LLVM looks up what is not in the program at the address 1, where functions may be that the linker dropped. */
static csspgo_status unknown_read(const line_work *w, unsigned char *unit)
{
    static const debug_area at = { 1, 2 };
    const debug_areas in = { &at, 1 };
    const size_t units = debug_info_units(w->debug);
    debug_lines l;
    size_t i = 0;
    memset(unit, 0, units);
    debug_info_units_in(w->debug, &in, unit);
    while (i < units && !unit[i]) i++;
    if (i == units) return CSSPGO_OK;
    if (!debug_info_lines(w->debug, i, &in, &l)) return CSSPGO_E_NOMEM;
    return csspgo_line_table_add(w->table, w->image->code, w->image->module, l.node, l.nodes, l.row, l.rows != 0, NULL);
}

/* Reads the lines of the code that is needed, into the line table (if there is one) and the sizes. */
static csspgo_status units_read(line_work *w, csspgo_collector *c, int by_probe)
{
    const int all = w->o[O_UNSYMBOLIZED].text != NULL || w->o[O_FILL].number;
    const size_t units = debug_info_units(w->debug);
    unsigned char *unit = (unsigned char *)calloc(units + 1, 1);
    debug_areas in;
    debug_area *v = unit != NULL ? areas_of(w, c, &in) : NULL;
    csspgo_status s = v != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    debug_lines l;
    size_t i;
    if (v != NULL) debug_info_units_in(w->debug, &in, unit);
    for (i = 0; s == CSSPGO_OK && i < units; i++) {
        if (!all && !unit[i]) continue;
        if (!debug_info_lines(w->debug, i, all ? NULL : &in, &l)) s = CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK && w->sizes != NULL && !sizes_of(w, &l, by_probe)) s = CSSPGO_E_NOMEM;
        if (s != CSSPGO_OK || w->table == NULL) continue;
        debug_lines_join(&l);
        s = csspgo_line_table_add(w->table, w->image->code, w->image->module, l.node, l.nodes, l.row, l.rows, NULL);
    }
    if (s == CSSPGO_OK && w->table != NULL && w->tool->compat) s = unknown_read(w, unit);
    free(unit);
    free(v);
    return s;
}

/* ----- of all programs -------------------------------------------------------------------------------------------- */

/*
 * Reads what is needed of all programs into the tables of the first one. p: the profile that is given, whose functions
 * count as sampled, or NULL.
 */
static csspgo_status all_read(line_work *w, size_t n, csspgo_collector *c, const csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; s == CSSPGO_OK && i < n; i++) {
        w[i].table = w->table;
        w[i].sizes = w->sizes;
        s = p == NULL || sizes_mark(&w[i], p) ? units_read(&w[i], c, 0) : CSSPGO_E_NOMEM;
        if (i == 0) continue;
        w[i].table = NULL;
        w[i].sizes = NULL;
    }
    return s;
}

/* Reads the lines of what was counted, and fills in what of *how is of lines. */
csspgo_status lines_read(line_work *w, size_t n, csspgo_collector *c, csspgo_generate_options *how, csspgo_error *e)
{
    csspgo_status s;
    how->llvm = w->tool->compat ? 19 : 0;
    how->flow_sensitive = (uint32_t)is_flow_sensitive(w->image);
    how->update_totals = (uint32_t)w->o[O_TOTALS].number;
    how->sum_addresses = w->tool->compat && w->o[O_LEADING].number;
    memset(e, 0, sizeof *e);
    w->table = csspgo_line_table_new(seeded(), NULL);
    s = w->table != NULL ? all_read(w, n, c, NULL) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) return s;
    snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
    return e->status = s;
}

/* The sizes of the functions of a profile by source line that is given. */
csspgo_status lines_sizes(line_work *w, size_t n, csspgo_collector *c, const csspgo_profile *p)
{
    csspgo_size_table_free(w->sizes);
    w->sizes = csspgo_size_table_new(seeded(), NULL);
    return w->sizes != NULL ? all_read(w, n, c, p) : CSSPGO_E_NOMEM;
}

/*
 * The sizes that LLVM takes for a program with probes: from its debug information, if it has some. To be called before
 * the counters become a profile. p: the profile that is given in their place, or NULL. Returns NULL without any.
 */
csspgo_size_table *probe_sizes(const tool_context *tool, const option *o, program_image *m, csspgo_collector *c,
                               const csspgo_profile *p)
{
    char why[PROGRAM_WHY];
    line_work w;
    csspgo_size_table *made = NULL;
    csspgo_probe_set *probes = NULL;
    csspgo_probe_tables t;
    unsigned char *sampled = NULL;
    int ok;
    memset(&w, 0, sizeof w);
    ok = lines_open(&w, tool, o, m, why, sizeof why) && w.code.ranges != 0 &&
         (w.sizes = csspgo_size_table_new(seeded(), NULL)) != NULL && (p == NULL || sizes_mark(&w, p)) &&
         units_read(&w, c, 1) == CSSPGO_OK &&
         (probes = load_sections(&m->loaded, why, sizeof why)) != NULL;
    if (ok) {
        t = csspgo_probe_set_tables(probes);
        sampled = tops_sampled(&w, &t);
        ok = sampled != NULL && copies_know(&w, &t, sampled);
    }
    if (ok) {
        made = w.sizes;
        w.sizes = NULL;
    }
    free(sampled);
    csspgo_probe_set_free(probes);
    lines_close(&w);
    return made;
}
