/* annotate_counts.c - annotate: how often each instruction executed, in each context, as far as the profile tells */
#include "views.h"

enum { NOTE_FRAMES = 64 };        /* of an inline stack */

typedef struct note_ranked { csspgo_node node; uint64_t weight; } note_ranked;

static int note_ranked_cmp(const void *a, const void *b)
{
    const note_ranked *x = (const note_ranked *)a, *y = (const note_ranked *)b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->node.id < y->node.id ? -1 : x->node.id > y->node.id;
}

/* Chooses the heaviest contexts, and makes room for counts. Returns 0: out of memory. */
static int note_choose(annotate_run *a, note_ranked *v, size_t n)
{
    const size_t most = (size_t)a->o[N_CONTEXTS].number;
    size_t i;
    qsort(v, n, sizeof *v, note_ranked_cmp);
    while (n != 0 && v[n - 1].weight == 0) n--;
    for (i = 0; i < n; i++) a->all_weight = sum_of(a->all_weight, v[i].weight);
    a->all_contexts = n;
    a->contexts = n < most ? n : most;
    a->context = (csspgo_node *)malloc((a->contexts + 1) * sizeof *a->context);
    a->weight = (uint64_t *)malloc((a->contexts + 1) * sizeof *a->weight);
    a->count = (uint64_t *)malloc((a->insns + 1) * (a->contexts + 1) * sizeof *a->count);
    if (a->context == NULL || a->weight == NULL || a->count == NULL) return 0;
    memset(a->count, 0xff, a->insns * (a->contexts + 1) * sizeof *a->count);             /* NOTE_UNKNOWN */
    for (i = 0; i < a->contexts; i++) a->context[i] = v[i].node, a->weight[i] = v[i].weight;
    return 1;
}

/* The first instruction at or behind an address: they are sorted. */
static size_t note_first(const annotate_run *a, uint64_t address)
{
    return first_from(a->insn, a->insns, sizeof *a->insn, address);
}

static int note_place_cmp(const void *a, const void *b)
{
    const note_place *x = (const note_place *)a, *y = (const note_place *)b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->of < y->of ? -1 : x->of > y->of;
}

/* The end of the places that begin at v[i] and have one key. */
static size_t note_same(const note_place *v, size_t n, size_t i)
{
    const uint64_t key = v[i].key;
    while (i < n && v[i].key == key) i++;
    return i;
}

/* ----- by probe --------------------------------------------------------------------------------------------------- */

/*
 * A column of counts. Copies of a probe add up in the profile; where they execute equally often each has its share.
 */
static void note_probe_column(annotate_run *a, note_flow *w, const probed_counts *c, const note_place *v, size_t n,
                              const csspgo_node *node, size_t nodes, size_t column)
{
    size_t i, k, end;
    note_column_begin(w);
    for (i = 0; i < n; i = end) {
        uint64_t sum = 0;
        int known = 0;
        end = note_same(v, n, i);
        for (k = 0; k < nodes; k++) known |= probed_sum(c, a->in.p, v[i].of, node[k], &sum);
        if (known && (sum == 0 || sum >= end - i)) note_tell(w, v + i, end - i, note_extent_of(w, v + i, end - i), sum / (end - i));
    }
    note_column_end(w);
    for (i = 0; i < a->insns; i++) a->count[i * (a->contexts + 1) + column] = note_count_of(w, a->insn[i].stretch);
}

/* Where the probes stand of which all counts are of this code. NULL: out of memory. */
static note_place *note_probe_places(const annotate_run *a, const probed_counts *c, const probed_inlined *in,
                                     size_t *count)
{
    const csspgo_code_graph *const g = c->graph;
    note_place *v = (note_place *)calloc(g->probes + 1, sizeof *v);
    size_t i, n = 0;
    for (i = 0; v != NULL && i < g->probes; i++) {
        const size_t at = note_first(a, g->probe[i].address);
        if (at == a->insns || a->insn[at].stretch == 0 || !probed_is_own(c, i)) continue;
        if (in->strays != 0 && bsearch(&c->hash[i], in->stray, in->strays, sizeof *in->stray, load_u64_cmp) != NULL) continue;
        v[n].key = c->hash[i];
        v[n].of = i;
        v[n++].stretch = a->insn[at].stretch;
    }
    if (v != NULL) qsort(v, n, sizeof *v, note_place_cmp);
    *count = n;
    return v;
}

/* The contexts with what they weigh. NULL: out of memory. */
static note_ranked *note_contexts(const annotate_run *a, probed_counts *c)
{
    note_ranked *const v = (note_ranked *)calloc(c->nodes + 1, sizeof *v);
    size_t i, b;
    for (i = 0; v != NULL && i < c->nodes; i++) {
        v[i].node = c->node[i];
        probed_count(c, a->in.p, &c->node[i], 1);
        for (b = 0; b < c->graph->cfg.blocks; b++) v[i].weight = sum_of(v[i].weight, c->block[b]);
    }
    return v;
}

/* Returns 0: out of memory. */
static int note_graph(annotate_run *a, const csspgo_code_graph *g, const probed_inlined *in)
{
    probed_counts c;
    note_flow w;
    note_ranked *v;
    note_place *place = NULL;
    size_t i, places = 0;
    int ok;
    if (!probed_counts_open(&c, &a->in, in, g)) return 0;
    v = note_contexts(a, &c);
    ok = note_flow_make(a, &w, g) && v != NULL && note_choose(a, v, c.nodes) &&
         (place = note_probe_places(a, &c, in, &places)) != NULL;
    if (ok) note_probe_column(a, &w, &c, place, places, c.node, c.nodes, 0);
    for (i = 0; ok && i < a->contexts; i++) note_probe_column(a, &w, &c, place, places, &a->context[i], 1, i + 1);
    free(place);
    free(v);
    note_flow_free(&w);
    probed_counts_close(&c);
    return ok;
}

static int note_by_probe(annotate_run *a)
{
    csspgo_block_finder *finder = csspgo_block_finder_new(a->in.image.code, seeded(), NULL);
    probed_inlined in = { NULL, 0, 0, NULL, 0, 0 };
    csspgo_code_graph g;
    csspgo_status s = CSSPGO_E_ARGUMENT;
    probed_function *f = NULL;
    size_t n, i;
    int ok = finder != NULL && (f = probed_functions(&a->in, finder, &in, &n)) != NULL;
    for (i = 0; ok && i < a->ranges && s != CSSPGO_OK; i++) s = csspgo_code_cfg(finder, a->range[i].begin, &g, NULL);
    if (ok && s != CSSPGO_OK) {
        if (s == CSSPGO_E_NOMEM) fail(a->in.tool, "out of memory");
        else fail(a->in.tool, "%s: '%s' has no pseudo probes", a->binary, a->name);
    } else if (!ok || !note_graph(a, &g, &in)) {
        fail(a->in.tool, "out of memory");
        s = CSSPGO_E_NOMEM;
    }
    free(f);
    probed_inlined_free(&in);
    csspgo_block_finder_free(finder);
    return s == CSSPGO_OK;
}

/* ----- by line: the count of the line that an instruction is of --------------------------------------------------- */

typedef struct note_by_line_run { /* what the units are gone over with          */
    annotate_run *a;
    note_flow    *w;
    const note_ranked *v;         /* the function's contexts                    */
    size_t        nodes;
    note_place   *place;          /* of all instructions that have a location   */
    const csspgo_line_row **row;  /* of each instruction                        */
    uint64_t     *site;           /* of a unit: keys of locations where a call was inlined, sorted */
    size_t        sites;
} note_by_line_run;

/* The location as the profile has it. */
static csspgo_loc note_loc(const annotate_run *a, csspgo_loc loc, uint32_t *factor)
{
    const csspgo_loc base = csspgo_base_loc(loc, factor);
    if (!(csspgo_profile_flags(a->in.p) & CSSPGO_IS_FS)) return base;
    *factor = 1;
    return loc;
}

/* The count of a row in a context of the function; 0 also where the code is another function's. */
static uint64_t note_row(const annotate_run *a, const debug_lines *l, const csspgo_line_row *r, csspgo_node node)
{
    csspgo_profile *const p = a->in.p;
    uint32_t chain[NOTE_FRAMES], factor;
    size_t n = 0;
    uint32_t i;
    for (i = r->inline_node; i != 0 && n < NOTE_FRAMES; i = l->node[i - 1].parent) chain[n++] = i - 1;
    if (i != 0 || n == 0) return 0;
    for (n--; n > 0 && node.id != 0; n--) {
        const csspgo_line_inline_node *const in = &l->node[chain[n - 1]];
        const csspgo_loc site = note_loc(a, in->site, &factor);
        const csspgo_func f = csspgo_func_add_guid(p, csspgo_guid(in->name, in->name_size));
        const csspgo_node x = csspgo_child(p, node, site, CSSPGO_INLINEE, f);
        node = x.id != 0 ? x : csspgo_child(p, node, site, CSSPGO_CONTEXT, f);
    }
    return node.id != 0 ? csspgo_body_count(p, node, note_loc(a, r->loc, &factor)) : 0;
}

/* A number for a location in an inlined copy: equal where the profile has one count for two of them. */
static uint64_t note_key(const annotate_run *a, const debug_lines *l, uint32_t node, csspgo_loc raw, uint32_t *factor)
{
    csspgo_loc loc = note_loc(a, raw, factor);
    uint64_t h = 0;
    uint32_t i, ignored;
    for (i = node; i != 0; i = l->node[i - 1].parent) {
        h = (h ^ csspgo_guid(l->node[i - 1].name, l->node[i - 1].name_size)) * 0x9e3779b97f4a7c15u;
        h = ((h ^ h >> 29) ^ ((uint64_t)loc.line << 32 | loc.discriminator)) * 0x9e3779b97f4a7c15u;
        loc = note_loc(a, l->node[i - 1].site, &ignored);
    }
    return h ^ h >> 29;
}

/* 1 if the compiler gave the code no line: DWARF says 0. */
static int note_lineless(const debug_lines *l, const csspgo_line_row *r)
{
    return r->inline_node != 0 && r->loc.line == ((0 - l->first_line[r->inline_node - 1]) & 0xffff);
}

/* The instructions of a row. */
static size_t note_row_insns(const annotate_run *a, const debug_lines *l, size_t row, size_t *end)
{
    const size_t first = note_first(a, l->row[row].address);
    *end = row + 1 < l->rows ? note_first(a, l->row[row + 1].address) : first;
    return first;
}

/* Code without a line is not of the line before it. */
static void note_unit_lineless(annotate_run *a, const debug_lines *l)
{
    size_t k, i, end;
    for (k = 0; k < l->rows; k++) {
        if (!note_lineless(l, &l->row[k])) continue;
        for (i = note_row_insns(a, l, k, &end); i < end; i++) {
            a->insn[i].file = 0;
            a->insn[i].line = 0;
        }
    }
}

/* Where the rows' locations stand, each with the instructions of it that execute. */
static size_t note_line_places(note_by_line_run *x, const debug_lines *l)
{
    size_t k, i, end, n = 0;
    for (k = 0; k < l->rows; k++) {
        uint32_t factor;
        uint64_t key;
        if (l->row[k].inline_node == 0 || note_lineless(l, &l->row[k])) continue;
        key = note_key(x->a, l, l->row[k].inline_node, l->row[k].loc, &factor);
        for (i = note_row_insns(x->a, l, k, &end); i < end; i++) {
            note_place *const at = &x->place[n];
            if (x->a->insn[i].stretch == 0) continue;
            at->key = key;
            at->of = i;
            at->stretch = x->a->insn[i].stretch;
            at->factor = factor;
            x->row[i] = &l->row[k];
            n++;
        }
    }
    qsort(x->place, n, sizeof *x->place, note_place_cmp);
    for (k = 0; k < l->nodes; k++) {
        uint32_t factor;
        if (l->node[k].parent != 0) x->site[x->sites++] = note_key(x->a, l, l->node[k].parent, l->node[k].site, &factor);
    }
    if (x->sites != 0) qsort(x->site, x->sites, sizeof *x->site, load_u64_cmp);
    return n;
}

/*
 * The profile's count of a location is that of its most frequent instruction, times the duplication factor. Where a call
 * was inlined it may be that of the callee.
 */
static void note_line_count(note_by_line_run *x, const note_place *v, size_t n, uint64_t count, size_t column)
{
    const int is_site = x->sites != 0 && bsearch(&v->key, x->site, x->sites, sizeof v->key, load_u64_cmp) != NULL;
    const note_extent extent = is_site ? NOTE_SEVERAL : note_extent_of(x->w, v, n);
    const size_t columns = x->a->contexts + 1;
    uint64_t each;
    uint32_t factor = 1;
    size_t i;
    for (i = 0; i < n; i++)
        if (v[i].factor > factor) factor = v[i].factor;
    each = count != 0 && count / factor == 0 ? 1 : count / factor;
    note_tell(x->w, v, n, extent, each);
    for (i = 0; i < n; i++) {
        x->a->line_count[v[i].of * columns + column] = count;
        if (note_holds(extent, each)) x->a->count[v[i].of * columns + column] = each;
    }
}

static void note_line_column(note_by_line_run *x, const debug_lines *l, size_t n, size_t column)
{
    annotate_run *const a = x->a;
    size_t i, k, end;
    note_column_begin(x->w);
    for (i = 0; i < n; i = end) {
        const csspgo_line_row *const row = x->row[x->place[i].of];
        uint64_t count = 0;
        end = note_same(x->place, n, i);
        if (column != 0) count = note_row(a, l, row, a->context[column - 1]);
        else for (k = 0; k < x->nodes; k++) count = sum_of(count, note_row(a, l, row, x->v[k].node));
        note_line_count(x, x->place + i, end - i, count, column);
    }
    note_column_end(x->w);
    for (i = 0; i < a->insns; i++) {
        uint64_t *const at = &a->count[i * (a->contexts + 1) + column];
        if (*at == NOTE_UNKNOWN) *at = note_count_of(x->w, a->insn[i].stretch);
    }
}

/* Returns 0: out of memory. */
static int note_unit(note_by_line_run *x, const debug_lines *l)
{
    size_t column, n = 0;
    x->sites = 0;
    x->site = (uint64_t *)malloc((l->nodes + 1) * sizeof *x->site);
    if (x->site != NULL) n = note_line_places(x, l);
    for (column = 0; n != 0 && column <= x->a->contexts; column++) note_line_column(x, l, n, column);
    free(x->site);
    return x->site != NULL;
}

/* Goes over the units that have code of the function; x: NULL, where only code without a line is looked for. */
static int note_units(annotate_run *a, debug_info *d, note_by_line_run *x)
{
    const size_t units = debug_info_units(d);
    unsigned char *const mark = (unsigned char *)calloc(units + 1, 1);
    debug_areas in;
    debug_lines l;
    size_t i;
    int ok = mark != NULL;
    in.v = a->range;
    in.n = a->ranges;
    if (ok) debug_info_units_in(d, &in, mark);
    for (i = 0; ok && i < units; i++) {
        if (!mark[i]) continue;
        ok = debug_info_lines(d, i, &in, &l);
        if (ok) note_unit_lineless(a, &l);
        if (ok && x != NULL) ok = note_unit(x, &l);
    }
    free(mark);
    return ok;
}

/* The path on which a unit's node is inlined. Returns 0: out of memory. */
static int note_inlined_path(const annotate_run *a, const debug_lines *l, uint32_t node, probed_inlined *in)
{
    csspgo_frame f[NOTE_FRAMES];
    csspgo_loc site = csspgo_loc_at(0, 0);
    uint32_t n = 0, factor;
    for (; node != 0 && n < NOTE_FRAMES; node = l->node[node - 1].parent) {
        csspgo_frame *const x = &f[NOTE_FRAMES - ++n];
        memset(x, 0, sizeof *x);
        x->guid = csspgo_guid(l->node[node - 1].name, l->node[node - 1].name_size);
        x->loc = site;
        site = note_loc(a, l->node[node - 1].site, &factor);
    }
    return node != 0 || probed_inlined_put(in, f + NOTE_FRAMES - n, n);
}

/* Where the function is inlined, anywhere in the program. Returns 0: out of memory. */
static int note_inlined(const annotate_run *a, debug_info *d, probed_inlined *in)
{
    const uint64_t guid = csspgo_func_guid(a->in.p, a->func);
    debug_lines l;
    size_t i, k;
    for (i = 0; i < debug_info_units(d); i++) {
        if (!debug_info_lines(d, i, NULL, &l)) return 0;
        for (k = 0; k < l.nodes; k++)
            if (l.node[k].parent != 0 && csspgo_guid(l.node[k].name, l.node[k].name_size) == guid &&
                !note_inlined_path(a, &l, (uint32_t)k + 1, in))
                return 0;
    }
    probed_inlined_sort(in);
    return 1;
}

/*
 * The contexts in which the function's own code executes: not those in which it is inlined. Only a profile with
 * contexts has others than the function without one. NULL: out of memory.
 */
static note_ranked *note_line_contexts(const annotate_run *a, debug_info *d, size_t *nodes)
{
    note_ranked *const v = (note_ranked *)malloc((csspgo_node_count(a->in.p) + (size_t)1) * sizeof *v);
    probed_inlined in = { NULL, 0, 0, NULL, 0, 0 };
    csspgo_node n;
    int ok = v != NULL, looked = 0;
    *nodes = 0;
    for (n = csspgo_func_nodes(a->in.p, a->func); ok && n.id != 0; n = csspgo_node_next_same(a->in.p, n)) {
        if (csspgo_node_parent(a->in.p, n).id > 1 && !looked++) ok = note_inlined(a, d, &in);
        if (!ok || probed_is_inlined(&in, a->in.p, n)) continue;
        v[*nodes].node = n;
        v[(*nodes)++].weight = csspgo_total(a->in.p, n);
    }
    probed_inlined_free(&in);
    if (ok) return v;
    free(v);
    return NULL;
}

/* Returns 0: out of memory. */
static int note_by_rows(annotate_run *a, debug_info *d)
{
    const size_t columns = (size_t)a->o[N_CONTEXTS].number + 1;
    csspgo_block_finder *finder = csspgo_block_finder_new(a->in.image.code, seeded(), NULL);
    csspgo_code_graph g;
    note_by_line_run x;
    note_ranked *v;
    note_flow w;
    int ok;
    memset(&x, 0, sizeof x);
    memset(&w, 0, sizeof w);
    x.a = a;
    x.w = &w;
    x.v = v = note_line_contexts(a, d, &x.nodes);
    x.place = (note_place *)malloc((a->insns + 1) * sizeof *x.place);
    x.row = (const csspgo_line_row **)calloc(a->insns + 1, sizeof *x.row);
    a->line_count = (uint64_t *)calloc((a->insns + 1) * columns, sizeof *a->line_count);
    ok = finder != NULL && v != NULL && x.place != NULL && x.row != NULL && a->line_count != NULL;
    if (ok && csspgo_code_cfg(finder, a->range[0].begin, &g, NULL) == CSSPGO_OK) ok = note_flow_make(a, &w, &g);
    ok = ok && note_choose(a, v, x.nodes) && note_units(a, d, &x);
    csspgo_block_finder_free(finder);
    note_flow_free(&w);
    free(x.place);
    free(x.row);
    free(v);
    return ok;
}

/* The program's debug information, or NULL with a sentence in why. */
static debug_info *note_debug(const annotate_run *a, char *why, size_t why_size)
{
    return debug_program(&a->in.image, a->binary, why, why_size);
}

static int note_by_line(annotate_run *a)
{
    char why[PROGRAM_WHY];
    debug_info *d = note_debug(a, why, sizeof why);
    int ok = 1;
    if (d == NULL) ok = (fail(a->in.tool, "%s: %s", a->binary, why), 0);
    else if (!note_by_rows(a, d)) ok = (fail(a->in.tool, "out of memory"), 0);
    debug_info_close(d);
    return ok;
}

/* A program with probes may have lines, too. */
static int note_probes_lineless(annotate_run *a)
{
    char why[PROGRAM_WHY];
    debug_info *d = note_debug(a, why, sizeof why);
    const int ok = d == NULL || note_units(a, d, NULL);
    debug_info_close(d);
    return ok || (fail(a->in.tool, "out of memory"), 0);
}

int note_counts(annotate_run *a)
{
    if (!(csspgo_profile_flags(a->in.p) & CSSPGO_IS_PROBE)) return note_by_line(a);
    return note_by_probe(a) && note_probes_lineless(a);
}
