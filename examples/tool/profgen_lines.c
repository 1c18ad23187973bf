/* profgen_lines.c - profgen: programs without probes, by source line */
#include "profgen_lines.h"

/* 1 if a program is to be profiled by source lines: it has no probes, or they are not to be used. */
int is_by_line(const profgen *g)
{
    elf_section s;
    return g->o[O_LINES].number || !elf_section_named(&g->image.elf, ".pseudo_probe", &s) ||
           !elf_section_named(&g->image.elf, ".pseudo_probe_desc", &s);
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

/* 1 if a symbol of gcc's names a clone that stands for the function: NAME.constprop.0, NAME.isra.0, NAME.part.0. */
static int is_clone(const elf_symbol *y, const char *name)
{
    static const char *const marks[] = { ".constprop.", ".isra.", ".part." };
    const size_t n = strlen(name);
    size_t i;
    if (y->name_size <= n || memcmp(y->name, name, n) != 0) return 0;
    for (i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t k = strlen(marks[i]);
        if (y->name_size - n >= k && memcmp(y->name + n, marks[i], k) == 0) return 1;
    }
    return 0;
}

/* Finds where functions begin: where a symbol of that name is, or any symbol if the function has one range only. */
static void entries_mark(const profgen *g, const line_work *w)
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
            const size_t size = csspgo_canonical_size(y.name, y.name_size, 0);
            if ((size != strlen(name) || memcmp(y.name, name, size) != 0) &&
                (g->tool->compat || at->begin != y.value || !is_clone(&y, name)))
                continue;
        }
        at->entry = 1;
    }
}

static int functions_add(profgen *g, const line_work *w)
{
    const line_range *v = w->range;
    size_t count, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_status s = CSSPGO_OK;
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

/*
 * Opens what has the debug information: the file that the user names, the program, or the file that belongs to it. LLVM
 * finds the lines of such a file but no functions. Returns 0 with a sentence in why.
 */
static int debug_open(const profgen *g, line_work *w, char *why, size_t why_size)
{
    const char *debug = g->o[O_DEBUG_BINARY].text;
    debug_options how;
    char path[4096];
    memset(&how, 0, sizeof how);
    how.llvm = g->tool->compat;
    how.first = csspgo_code_base(g->image.code, g->image.module);
    how.symbols = load_symbols(&g->image);
    how.packed = g->o[O_DWP].text;
    w->functions = w->debug = debug_info_open(debug != NULL ? debug : g->binary, &how, why, why_size);
    if (w->debug == NULL || debug_info_units(w->debug) != 0) return w->debug != NULL;
    if (debug == NULL && debug_info_find(&g->image.elf, g->binary, path, sizeof path)) {
        w->debug = debug_info_open(path, &how, why, why_size);
        if (w->debug == NULL) return 0;
        if (g->tool->compat) return 1;
        debug_info_close(w->functions);
        w->functions = w->debug;
        note(g->tool, "debug information is taken from %s", path);
    }
    if (g->tool->compat || debug_info_units(w->debug) != 0) return 1;
    return load_fail(why, why_size,
                     "has neither probe sections nor debug information: build it with -fpseudo-probe-for-profiling, or "
                     "with -g1 -fdebug-info-for-profiling");
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
    debug_report(g, g->lines);
    entries_mark(g, g->lines);
    if (g->tool->compat) llvm_functions(g, g->lines);
    return functions_add(g, g->lines) || load_fail(why, why_size, "out of memory");
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

typedef csspgo_status addresses_fn(csspgo_collector *c, csspgo_module module, uint64_t *out, size_t cap, size_t *count,
                                   csspgo_error *err);

/* What list_fn lists, elements of `each` numbers, for free(). NULL: out of memory. */
static uint64_t *listed(const profgen *g, addresses_fn *list_fn, size_t each, size_t *count)
{
    size_t cap = 1 << 15;                                  /* to ask for the number first costs as much again */
    uint64_t *out = (uint64_t *)malloc(cap * each * sizeof *out);
    csspgo_status s = out != NULL ? list_fn(g->collector, g->image.module, out, cap, count, NULL) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_E_LIMIT) {
        free(out);
        cap = *count + 1;
        out = (uint64_t *)malloc(cap * each * sizeof *out);
        s = out != NULL ? list_fn(g->collector, g->image.module, out, cap, count, NULL) : CSSPGO_E_NOMEM;
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
        const line_range *const r = mark ? range_at(w, address[i]) : NULL;
        if (r != NULL) w->sampled[r->function] = 1;
        area_add(out, v, address[i], address[i] + 1);
    }
}

/*
 * The code whose lines are needed: all of the functions that the counters are about, which get marked, and whatever ran
 * outside of them. Returns the areas, for free(); NULL: out of memory.
 * By line, LLVM's contexts hold no addresses: it does not know the sizes of functions that only called.
 */
static debug_area *areas_of(const profgen *g, line_work *w, debug_areas *out)
{
    size_t calls, addresses, ran, i;
    uint64_t *call = listed(g, csspgo_collector_calls, 1, &calls);
    uint64_t *address = call != NULL ? listed(g, csspgo_collector_addresses, 1, &addresses) : NULL;
    uint64_t *range = address != NULL ? listed(g, csspgo_collector_ranges, 2, &ran) : NULL;
    debug_area *v = range != NULL ? (debug_area *)malloc((calls + addresses + ran + w->ranges + 1) * sizeof *v) : NULL;
    out->n = 0;
    if (v != NULL) {
        areas_at(w, call, calls, w->table == NULL || !g->tool->compat, out, v);
        areas_at(w, address, addresses, 1, out, v);
    }
    for (i = 0; v != NULL && i < ran; i++) area_add(out, v, range[2 * i], range[2 * i + 1] + 1);
    for (i = 0; v != NULL && i < w->ranges; i++)
        if (w->sampled[w->range[i].function]) area_add(out, v, w->range[i].begin, w->range[i].end);
    if (v != NULL) areas_settle(out, v);
    free(call);
    free(address);
    free(range);
    return v;
}

/* Reads the lines of the code that is needed, into the line table (if there is one) and the sizes. */
csspgo_status units_read(const profgen *g, line_work *w)
{
    const int all = g->unsymbolized != NULL || g->o[O_FILL].number;
    const size_t units = debug_info_units(w->debug);
    unsigned char *unit = (unsigned char *)calloc(units + 1, 1);
    debug_areas in;
    debug_area *v = unit != NULL ? areas_of(g, w, &in) : NULL;
    csspgo_status s = v != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    debug_lines l;
    size_t i;
    if (v != NULL) debug_info_units_in(w->debug, &in, unit);
    for (i = 0; s == CSSPGO_OK && i < units; i++) {
        if (!all && !unit[i]) continue;
        if (!debug_info_lines(w->debug, i, all ? NULL : &in, &l)) s = CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK && w->sizes != NULL && !sizes_of(w, &l, w->table == NULL)) s = CSSPGO_E_NOMEM;
        if (s != CSSPGO_OK || w->table == NULL) continue;
        debug_lines_join(&l);
        s = csspgo_line_table_add(w->table, g->image.code, g->image.module, l.node, l.nodes, l.row, l.rows, NULL);
    }
    free(unit);
    free(v);
    return s;
}

/* Reads what is needed of one more image into the tables of the first one. */
csspgo_status lines_join(const profgen *g, const line_work *first)
{
    line_work *w = g->lines;
    csspgo_status s;
    w->table = first->table;
    w->sizes = first->sizes;
    s = units_read(g, w);
    w->table = NULL;
    w->sizes = NULL;
    return s;
}

/* What was counted, by source line. */
csspgo_status lines_profile(profgen *g, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e)
{
    line_work *w = g->lines;
    csspgo_generate_options by_line = *how;
    csspgo_status s;
    by_line.llvm = g->tool->compat ? 19 : 0;
    by_line.flow_sensitive = (uint32_t)is_flow_sensitive(&g->image.elf);
    by_line.update_totals = (uint32_t)g->o[O_TOTALS].number;
    memset(e, 0, sizeof *e);
    w->table = csspgo_line_table_new(seeded(), NULL);
    if (csspgo_collector_has_contexts(g->collector) && g->o[O_SIZES].number)
        w->sizes = csspgo_sizes_new(seeded(), NULL);
    s = w->table != NULL ? units_read(g, w) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = images_units(g);
    if (s == CSSPGO_OK && g->jit != NULL) s = jit_tell_lines(g, w->table);
    if (s == CSSPGO_OK) return csspgo_collector_line_profile(g->collector, w->table, p, &by_line, NULL, e);
    snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
    return e->status = s;
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
