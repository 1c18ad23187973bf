/* profgen_units.c - profgen: the source lines of the code that the counters are about */
#include "profgen_lines.h"

typedef csspgo_status addresses_fn(csspgo_collector *c, csspgo_module module, uint64_t *out, size_t cap, size_t *count,
                                   csspgo_error *err);

/* What list_fn lists, elements of `each` numbers, for free(). NULL: out of memory. */
static uint64_t *listed(const profgen *g, addresses_fn *list_fn, size_t each, size_t *count)
{
    size_t cap = 1 << 15;                                  /* to ask for the number first costs as much again */
    uint64_t *out = (uint64_t *)malloc(cap * each * sizeof *out);
    csspgo_status s = out != NULL ? list_fn(g->collector, g->image.module, out, cap, count, NULL) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_E_SHORT) {
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

/* LLVM looks up what is not in the program at the address 1, where functions may be that the linker dropped. */
static csspgo_status unknown_read(const profgen *g, const line_work *w, unsigned char *unit)
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
    return csspgo_line_table_add(w->table, g->image.code, g->image.module, l.node, l.nodes, l.row, l.rows != 0, NULL);
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
        if (s == CSSPGO_OK && w->sizes != NULL && !sizes_of(w, &l, g->lines == NULL)) s = CSSPGO_E_NOMEM;
        if (s != CSSPGO_OK || w->table == NULL) continue;
        debug_lines_join(&l);
        s = csspgo_line_table_add(w->table, g->image.code, g->image.module, l.node, l.nodes, l.row, l.rows, NULL);
    }
    if (s == CSSPGO_OK && w->table != NULL && g->tool->compat) s = unknown_read(g, w, unit);
    free(unit);
    free(v);
    return s;
}
