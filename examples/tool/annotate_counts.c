/* annotate_counts.c - annotate: how often each instruction executed, in each context */
#include "annotate.h"
#include "match.h"

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
    const size_t most = (size_t)a->b.o[N_CONTEXTS].number;
    size_t i;
    qsort(v, n, sizeof *v, note_ranked_cmp);
    while (n != 0 && v[n - 1].weight == 0) n--;
    for (i = 0; i < n; i++) a->all_weight = sum_of(a->all_weight, v[i].weight);
    a->all_contexts = n;
    a->contexts = n < most ? n : most;
    a->context = (csspgo_node *)malloc((a->contexts + 1) * sizeof *a->context);
    a->weight = (uint64_t *)malloc((a->contexts + 1) * sizeof *a->weight);
    a->count = (uint64_t *)calloc((a->insns + 1) * (a->contexts + 1), sizeof *a->count);
    if (a->context == NULL || a->weight == NULL || a->count == NULL) return 0;
    for (i = 0; i < a->contexts; i++) a->context[i] = v[i].node, a->weight[i] = v[i].weight;
    return 1;
}

/* The first instruction at or behind an address: they are sorted. */
static size_t note_first(const annotate_run *a, uint64_t address)
{
    return first_from(a->insn, a->insns, sizeof *a->insn, address);
}

/* ----- by probe: counts of blocks, that fit the flow through the function's code ---------------------------------- */

/* A column of counts. Returns 0: out of memory. */
static int note_column(annotate_run *a, hot_counts *c, csspgo_code_graph *g, const csspgo_node *node, size_t nodes,
                       size_t column)
{
    csspgo_error e;
    csspgo_status s;
    size_t i, b;
    hot_count(c, a->b.p, node, nodes);
    s = hot_solve(c, g, &e);
    if (s == CSSPGO_E_NOMEM) return 0;
    for (b = 2; b < g->cfg.blocks; b++)
        for (i = note_first(a, g->code[b].begin); i < a->insns && a->insn[i].address < g->code[b].end; i++)
            a->count[i * (a->contexts + 1) + column] = s == CSSPGO_OK ? g->cfg.block[b].count : c->block[b];
    return 1;
}

/* Returns 0: out of memory. */
static int note_graph(annotate_run *a, csspgo_code_graph *g, const hot_inlined *in)
{
    hot_counts c;
    note_ranked *v;
    size_t i, b;
    int ok;
    if (!hot_counts_open(&c, &a->b, in, g)) return 0;
    v = (note_ranked *)calloc(c.nodes + 1, sizeof *v);
    for (i = 0; v != NULL && i < c.nodes; i++) {
        v[i].node = c.node[i];
        hot_count(&c, a->b.p, &c.node[i], 1);
        for (b = 0; b < g->cfg.blocks; b++) v[i].weight = sum_of(v[i].weight, c.block[b]);
    }
    ok = v != NULL && note_choose(a, v, c.nodes) && note_column(a, &c, g, c.node, c.nodes, 0);
    for (i = 0; ok && i < a->contexts; i++) ok = note_column(a, &c, g, &a->context[i], 1, i + 1);
    free(v);
    hot_counts_close(&c);
    return ok;
}

static int note_by_probe(annotate_run *a)
{
    csspgo_block_finder *finder = csspgo_block_finder_new(a->b.image.code, seeded(), NULL);
    hot_inlined in = { NULL, 0, 0 };
    csspgo_code_graph g;
    csspgo_status s = CSSPGO_E_ARGUMENT;
    hot_function *f = NULL;
    size_t n, i;
    int ok = finder != NULL && (f = hot_functions(&a->b, finder, &in, &n)) != NULL;
    for (i = 0; ok && i < a->ranges && s != CSSPGO_OK; i++) s = csspgo_code_cfg(finder, a->begin[i], &g, NULL);
    if (ok && s != CSSPGO_OK) {
        fail(a->b.tool, "%s: '%s' has no pseudo probes", a->binary, a->name);
    } else if (!ok || !note_graph(a, &g, &in)) {
        fail(a->b.tool, "out of memory");
        s = CSSPGO_E_NOMEM;
    }
    free(f);
    free(in.hash);
    csspgo_block_finder_free(finder);
    return s == CSSPGO_OK;
}

/* ----- by line: the count of the line that an instruction is of --------------------------------------------------- */

/* The count of a row in a context of the function; 0 also where the code is another function's. */
static uint64_t note_row(const annotate_run *a, const debug_lines *l, const csspgo_line_row *r, csspgo_node node)
{
    csspgo_profile *const p = a->b.p;
    uint32_t chain[64];
    size_t n = 0;
    uint32_t i;
    for (i = r->inline_node; i != 0 && n < 64; i = l->node[i - 1].parent) chain[n++] = i - 1;
    if (i != 0 || n == 0) return 0;
    for (n--; n > 0 && node.id != 0; n--) {
        const csspgo_line_inline *const in = &l->node[chain[n - 1]];
        const csspgo_func f = csspgo_func_add_guid(p, csspgo_guid(in->name, in->name_size));
        const csspgo_node x = csspgo_child(p, node, in->site, CSSPGO_INLINEE, f);
        node = x.id != 0 ? x : csspgo_child(p, node, in->site, CSSPGO_CONTEXT, f);
    }
    return node.id != 0 ? csspgo_body_count(p, node, r->loc) : 0;
}

static void note_unit(annotate_run *a, const debug_lines *l, const note_ranked *v, size_t nodes)
{
    size_t i, k, c;
    for (k = 0; k + 1 < l->rows; k++)
        for (i = note_first(a, l->row[k].address); i < a->insns && a->insn[i].address < l->row[k + 1].address; i++) {
            uint64_t *const count = &a->count[i * (a->contexts + 1)];
            *count = 0;
            for (c = 0; c < nodes; c++) *count = sum_of(*count, note_row(a, l, &l->row[k], v[c].node));
            for (c = 0; c < a->contexts; c++) count[c + 1] = note_row(a, l, &l->row[k], a->context[c]);
        }
}

static int note_units(annotate_run *a, debug_info *d, const note_ranked *v, size_t nodes)
{
    const size_t units = debug_info_units(d);
    unsigned char *const mark = (unsigned char *)calloc(units + 1, 1);
    debug_area area[NOTE_RANGES];
    debug_areas in;
    debug_lines l;
    size_t i;
    int ok = mark != NULL;
    for (i = 0; i < a->ranges; i++) area[i].begin = a->begin[i], area[i].end = a->end[i];
    in.v = area;
    in.n = a->ranges;
    if (ok) debug_info_units_in(d, &in, mark);
    for (i = 0; ok && i < units; i++) {
        if (!mark[i]) continue;
        ok = debug_info_lines(d, i, &in, &l);
        if (ok) note_unit(a, &l, v, nodes);
    }
    free(mark);
    return ok || (fail(a->b.tool, "out of memory"), 0);
}

static int note_by_line(annotate_run *a)
{
    char why[PROGRAM_WHY];
    debug_info *d = match_debug(&a->b.image, a->binary, why, sizeof why);
    note_ranked *v = (note_ranked *)malloc((csspgo_node_count(a->b.p) + (size_t)1) * sizeof *v);
    csspgo_node n;
    size_t nodes = 0;
    int ok;
    for (n = csspgo_func_nodes(a->b.p, a->func); v != NULL && n.id != 0; n = csspgo_node_next_same(a->b.p, n)) {
        if (csspgo_node_kind_of(a->b.p, n) == CSSPGO_INLINEE) continue;
        v[nodes].node = n;
        v[nodes++].weight = csspgo_total(a->b.p, n);
    }
    if (d == NULL) ok = (fail(a->b.tool, "%s: %s", a->binary, why), 0);
    else if (v == NULL || !note_choose(a, v, nodes)) ok = (fail(a->b.tool, "out of memory"), 0);
    else ok = note_units(a, d, v, nodes);
    free(v);
    debug_info_close(d);
    return ok;
}

int note_counts(annotate_run *a)
{
    return csspgo_profile_flags(a->b.p) & CSSPGO_IS_PROBE ? note_by_probe(a) : note_by_line(a);
}
