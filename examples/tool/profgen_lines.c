/* profgen_lines.c - profgen: programs without probes, by source line */
#include "profgen_lines.h"

/* 1 if a program is to be profiled by source lines: it has no probes, or they are not to be used. */
int is_by_line(const profgen *g)
{
    elf_section s;
    return g->o[O_LINES].number || !elf_section_named(load_from(&g->image, LOAD_PROBES), ".pseudo_probe", &s) ||
           !elf_section_named(load_from(&g->image, LOAD_DESCRIPTORS), ".pseudo_probe_desc", &s);
}

/* Says that counts are by source line although there may be probes. */
static void lines_instead(const profgen *g)
{
    const unsigned lacks = load_lacks(&g->image) & (1u << LOAD_PROBES | 1u << LOAD_DESCRIPTORS);
    if (g->o[O_LINES].number || g->tool->compat) return;
    if (lacks == 1u << LOAD_PROBES || lacks == 1u << LOAD_DESCRIPTORS)
        warn(g->tool, "%s: counts are by source line: of its probes %s is there and %s is not", g->binary,
             lacks == 1u << LOAD_PROBES ? ".pseudo_probe_desc" : ".pseudo_probe",
             lacks == 1u << LOAD_PROBES ? ".pseudo_probe" : ".pseudo_probe_desc");
    program_missing(g->tool, &g->image, g->binary, "counts are by source line, even if it has probes");
}

/*
 * By source line there are no contexts unless an option asks for them. Programs built with them executed more
 * instructions in most measurements (bench/README.md): what the pre-inliner gains is lost where exceptions pass through
 * functions that it made large. Raw counters keep what was recorded.
 */
void lines_defaults(const profgen *g)
{
    static const int asks[] = {
        O_COMPRESS, O_DEPTH, O_INFER, O_SEARCH_DEPTH, O_PREINLINER, O_SIZES, O_REPLAY, O_HOT_INLINE, O_COLD_INLINE,
        O_GROWTH, O_LIMIT_MIN, O_LIMIT_MAX, O_AGAIN, O_MERGE_COLD, O_COLD_DEPTH, O_NESTED, O_KEEP_BASE, O_SORT,
        O_DEBUG_SIZES
    };
    option *const o = g->o;
    int asked = 0;
    size_t i;
    if (g->lines == NULL || g->tool->compat || o[O_SKIP].number || o[O_IGNORE_STACK].text != NULL) return;
    for (i = 0; i < sizeof asks / sizeof *asks; i++) asked |= o[asks[i]].text != NULL;
    o[O_IGNORE_STACK].number = is_for_gcc(g) || !asked;
}

static const debug_range *sorted_names;       /* qsort has no argument for the order */

static int name_cmp(const void *a, const void *b)
{
    const line_range *x = (const line_range *)a, *y = (const line_range *)b;
    const int c = strcmp(sorted_names[x->index].name, sorted_names[y->index].name);
    if (c != 0) return c;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int begin_cmp(const void *a, const void *b)
{
    const line_range *x = (const line_range *)a, *y = (const line_range *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Ranges by address, disjoint: of two that begin together the first of the file stays, a later one ends an earlier. */
static int ranges_make(line_work *w)
{
    size_t n, i, k, first;
    const debug_range *r = debug_info_ranges(w->functions, &n);
    line_range *v = w->range = (line_range *)calloc(n + 1, sizeof *v);
    w->twin = (line_range *)calloc(n + 1, sizeof *v);
    w->sampled = (unsigned char *)calloc(n + 1, 1);
    if (v == NULL || w->twin == NULL || w->sampled == NULL) return 0;
    for (i = 0; i < n; i++) {
        v[i].begin = r[i].begin;
        v[i].end = r[i].end;
        v[i].index = i;
    }
    sorted_names = r;
    qsort(v, n, sizeof *v, name_cmp);
    for (i = 0; i < n;) {
        for (k = i + 1; k < n && strcmp(r[v[i].index].name, r[v[k].index].name) == 0; k++) {}
        for (first = i; i < k; i++) {
            v[i].of_name = (uint32_t)(k - first);
            v[i].function = (uint32_t)w->names;
        }
        w->names++;
    }
    qsort(v, n, sizeof *v, begin_cmp);
    for (i = 0; i < n; i++) {
        line_range *const last = w->ranges != 0 ? &v[w->ranges - 1] : NULL;
        if (last != NULL && last->begin == v[i].begin) {
            w->twin[w->twins++] = v[i];
            continue;
        }
        if (last != NULL && last->end > v[i].begin) last->end = v[i].begin;
        v[w->ranges++] = v[i];
    }
    return 1;
}

/* How many ranges begin at or before an address. */
size_t ranges_before(const line_work *w, uint64_t address)
{
    size_t a = 0, b = w->ranges;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (w->range[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a;
}

/* The range that an address is in, or NULL. */
line_range *range_at(const line_work *w, uint64_t address)
{
    const size_t n = ranges_before(w, address);
    return n != 0 && address < w->range[n - 1].end ? &w->range[n - 1] : NULL;
}

/*
 * Finds where functions begin, as LLVM does: where a symbol of that name is, or any symbol if the function has one range
 * only.
 */
static void entries_mark_llvm(const profgen *g, const line_work *w)
{
    const elf_image *e = load_symbols(&g->image);
    size_t count;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++) {
        elf_symbol y;
        line_range *at;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED) continue;
        at = range_at(w, y.value);
        if (at == NULL || at->entry) continue;
        if (at->of_name != 1) {
            const char *const name = r[at->index].name;
            const size_t size = csspgo_canonical_size(y.name, y.name_size, 1);
            if (size != strlen(name) || memcmp(y.name, name, size) != 0) continue;
        }
        at->entry = 1;
    }
}

/* Finds where functions begin: at the first range of each entry of theirs in the debug information, clones too. */
static void entries_mark(const profgen *g, const line_work *w)
{
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    if (g->tool->compat) entries_mark_llvm(g, w);
    for (i = 0; !g->tool->compat && i < w->ranges; i++) w->range[i].entry = r[w->range[i].index].first;
}

static int functions_add(profgen *g, const line_work *w)
{
    const line_range *v = w->range;
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_status s = CSSPGO_OK;
    if (g->tool->compat && load_symbols(&g->image)->symbol_count <= 1) return 1;   /* nothing is code for LLVM */
    for (i = 0; s == CSSPGO_OK && i < w->ranges; i++) {
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = v[i].begin;
        f.end = v[i].end;
        f.name = r[v[i].index].name;
        f.name_size = strlen(f.name);
        f.fragment = !v[i].entry;
        s = csspgo_code_add_function(g->image.code, g->image.module, &f, NULL);
        g->image.functions += s == CSSPGO_OK;
        if (s == CSSPGO_E_ARGUMENT) s = CSSPGO_OK;     /* outside executable sections */
    }
    return s == CSSPGO_OK;
}

/* Says that there is no debug information. Returns 0. */
static int debug_lacks(const profgen *g, char *why, size_t why_size)
{
    static const char nothing[] = "has neither probe sections nor debug information";
    if (g->image.missing == NULL)
        snprintf(why, why_size, "%s: build it with -fpseudo-probe-for-profiling or -g1 -fdebug-info-for-profiling, or "
                 "name the file that has them: --debug-binary=FILE", nothing);
    else snprintf(why, why_size, "%s, and %s, which its .gnu_debuglink names, was not found: --debug-binary=FILE",
                  nothing, g->image.missing);
    return 0;
}

/*
 * Opens what has the debug information. LLVM takes a file that is named whatever it has, and finds the lines of another
 * one that belongs to the program, but no functions. Returns 0 with a sentence in why.
 */
static int debug_open(const profgen *g, line_work *w, char *why, size_t why_size)
{
    const char *const found = load_from_path(&g->image, LOAD_LINES, g->binary);
    const char *const named = g->o[O_DEBUG_BINARY].text;
    debug_options how;
    memset(&how, 0, sizeof how);
    how.llvm = g->tool->compat;
    how.first = csspgo_code_base(g->image.code, g->image.module);
    how.symbols = load_symbols(&g->image);
    how.packed = g->o[O_DWP].text;
    if (!g->tool->compat) how.program = g->binary;
    w->functions = w->debug =
        debug_info_open(!g->tool->compat ? found : named != NULL ? named : g->binary, &how, why, why_size);
    if (w->debug == NULL || debug_info_units(w->debug) != 0) return w->debug != NULL;
    if (!g->tool->compat) return debug_lacks(g, why, why_size);
    if (named != NULL || found == g->binary) return 1;
    w->debug = debug_info_open(found, &how, why, why_size);
    return w->debug != NULL;
}

/* The debug information of a program. Returns NULL with a sentence in why. */
line_work *work_open(const profgen *g, char *why, size_t why_size)
{
    line_work *w = (line_work *)calloc(1, sizeof *w);
    int ok;
    if (w == NULL) return load_fail(why, why_size, "out of memory"), NULL;
    ok = debug_open(g, w, why, why_size);
    if (ok && !ranges_make(w)) ok = load_fail(why, why_size, "out of memory");
    if (ok) return w;
    lines_free(w);
    return NULL;
}

/* What is to be said about the debug information. */
static void debug_report(const profgen *g, const line_work *w)
{
    const debug_warnings s = debug_info_warnings(w->debug);
    if (s.no_split != 0 && g->tool->compat)
        warn(g->tool, " DWO debug information was not loaded for %zu modules. Please check the .o, .dwo or .dwp path.",
             s.no_split);
    else if (s.no_split != 0)
        warn(g->tool, "%s: %zu of %zu units have their debug information in .dwo files that are missing", g->binary,
             s.no_split, s.units);
    if (!g->tool->compat && s.functions != 0 && s.no_line == s.functions)
        warn(g->tool, "%s: its debug information has no first lines of functions: build it with "
             "-fdebug-info-for-profiling", g->binary);
}

/* The functions of a program without probes. Returns 0 with a sentence in why. */
int lines_load(profgen *g, char *why, size_t why_size)
{
    g->lines = work_open(g, why, why_size);
    if (g->lines == NULL) return 0;
    lines_instead(g);
    debug_report(g, g->lines);
    entries_mark(g, g->lines);
    return ((!g->tool->compat || llvm_functions(g, g->lines)) && functions_add(g, g->lines)) ||
           load_fail(why, why_size, "out of memory");
}

void lines_free(line_work *w)
{
    if (w == NULL) return;
    csspgo_line_table_free(w->table);
    csspgo_sizes_free(w->sizes);
    if (w->functions != w->debug) debug_info_close(w->functions);
    debug_info_close(w->debug);
    free(w->range);
    free(w->twin);
    free(w->sampled);
    free(w->frame);
    free(w->bytes);
    free(w);
}

/* ----- the lines of what ran ----- */

/* Reads what is needed of one more image into the tables of the first one. p: the profile given, or NULL. */
csspgo_status lines_join(const profgen *g, const line_work *first, const csspgo_profile *p)
{
    line_work *w = g->lines;
    csspgo_status s;
    w->table = first->table;
    w->sizes = first->sizes;
    s = p == NULL || sizes_mark(w, p) ? units_read(g, w) : CSSPGO_E_NOMEM;
    w->table = NULL;
    w->sizes = NULL;
    return s;
}

/* Reads the lines of what was counted, and fills in what of *how is of lines. */
static csspgo_status lines_read(profgen *g, csspgo_generate_options *how, csspgo_error *e)
{
    line_work *w = g->lines;
    csspgo_status s;
    how->llvm = g->tool->compat ? 19 : 0;
    how->flow_sensitive = (uint32_t)is_flow_sensitive(&g->image);
    how->update_totals = (uint32_t)g->o[O_TOTALS].number;
    how->sum_addresses = g->tool->compat && g->o[O_LEADING].number;
    memset(e, 0, sizeof *e);
    w->table = csspgo_line_table_new(seeded(), NULL);
    s = w->table != NULL ? units_read(g, w) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = images_units(g, NULL);
    if (s == CSSPGO_OK && g->jit != NULL) s = jit_tell_lines(g, w->table);
    if (s == CSSPGO_OK) return s;
    snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
    return e->status = s;
}

/* What was counted, by source line. */
csspgo_status lines_profile(profgen *g, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e)
{
    csspgo_generate_options by_line = *how;
    csspgo_status s;
    if (csspgo_collector_has_contexts(g->collector) && g->o[O_SIZES].number)
        g->lines->sizes = csspgo_sizes_new(seeded(), NULL);
    s = lines_read(g, &by_line, e);
    return s == CSSPGO_OK ? csspgo_collector_line_profile(g->collector, g->lines->table, p, &by_line, NULL, e) : s;
}

/* LLVM's raw counters have names in their contexts. */
csspgo_status lines_name(profgen *g, csspgo_error *e)
{
    csspgo_generate_options how;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    s = lines_read(g, &how, e);
    return s == CSSPGO_OK ? csspgo_collector_name_contexts(g->collector, g->lines->table, &how, e) : s;
}

/* The sizes for the pre-inliner; NULL: they are not to be used. */
const csspgo_sizes *lines_sizes(const line_work *w)
{
    return w->sizes;
}

/* Lists the functions of the program, so that a compiler knows which are not new. */
csspgo_status lines_list_symbols(const line_work *w, csspgo_profile *p)
{
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_status s = CSSPGO_OK;
    for (i = 0; s == CSSPGO_OK && i < w->ranges; i++) {
        const char *const name = r[w->range[i].index].name;
        const csspgo_func f = csspgo_func_add(p, name, strlen(name));
        s = f.id != 0 ? csspgo_set_listed(p, f, 1) : CSSPGO_E_NOMEM;
    }
    return s;
}
