/* match_classes.c - match: which probes execute equally often, from the branches of the machine code */
#include "match.h"

/* Of a byte: begins an instruction; a block; is jumped to. */
enum { MATCH_START = 1, MATCH_LEADER = 2, MATCH_ENTERED = 4 };

csspgo_insn match_decode(const match_run *m, const match_graph *g, size_t at)
{
    const unsigned char *p = g->section->contents + (size_t)(g->begin - g->section->address) + at;
    const size_t left = g->size - at;
    csspgo_insn insn;
    if (m->image.elf.machine == ELF_X86_64) csspgo_decode_x86_64(p, left, g->begin + at, &insn);
    else csspgo_decode_aarch64(p, left, g->begin + at, &insn);
    if (insn.size == 0) insn.size = insn.skip != 0 && insn.skip <= left ? insn.skip : (uint32_t)left;
    return insn;
}

static int match_inside(const match_graph *g, const csspgo_insn *insn)
{
    return insn->has_target && insn->target - g->begin < g->size;
}

static int match_edge_add(match_graph *g, size_t from, size_t to)
{
    if (g->edges == g->cap) {
        csspgo_cfg_edge *more = (csspgo_cfg_edge *)realloc(g->edge, (2 * g->cap + 64) * sizeof *more);
        if (more == NULL) return 0;
        g->edge = more;
        g->cap = 2 * g->cap + 64;
    }
    memset(&g->edge[g->edges], 0, sizeof *g->edge);
    g->edge[g->edges].from = (uint32_t)from;
    g->edge[g->edges++].to = (uint32_t)to;
    return 1;
}

/* Marks where blocks begin and numbers them. */
static void match_find_blocks(const match_run *m, match_graph *g)
{
    size_t at;
    memset(g->flag, 0, g->size);
    g->flag[0] = MATCH_LEADER | MATCH_ENTERED;
    for (at = 0; at < g->size;) {
        const csspgo_insn insn = match_decode(m, g, at);
        g->flag[at] |= MATCH_START;
        at += insn.size;
        if (insn.kind != CSSPGO_COND && insn.kind != CSSPGO_JMP && insn.kind != CSSPGO_IJMP && insn.kind != CSSPGO_RET)
            continue;
        if (at < g->size) g->flag[at] |= MATCH_LEADER;
        if (insn.kind != CSSPGO_RET && match_inside(g, &insn))
            g->flag[insn.target - g->begin] |= MATCH_LEADER | MATCH_ENTERED;
    }
    for (at = g->blocks = 0; at < g->size; at++) {
        g->blocks += g->flag[at] & MATCH_LEADER ? 1 : 0;
        g->block[at] = (uint32_t)g->blocks - 1;
    }
}

/* An indirect jump goes to all blocks that nothing else leads to: jump tables are not read. */
static int match_find_edges(const match_run *m, match_graph *g)
{
    size_t at, next, to, table = 0;
    int ok = 1;
    for (at = 0; ok && at < g->size; at = next) {
        const csspgo_insn insn = match_decode(m, g, at);
        const size_t from = g->block[at];
        next = at + insn.size;
        if ((insn.kind == CSSPGO_COND || insn.kind == CSSPGO_JMP) && match_inside(g, &insn))
            ok = match_edge_add(g, from, g->block[insn.target - g->begin]);
        if (insn.kind == CSSPGO_IJMP) table++;
        if (insn.kind == CSSPGO_JMP || insn.kind == CSSPGO_IJMP || insn.kind == CSSPGO_RET) continue;
        if (next >= g->size || !(g->flag[next] & MATCH_LEADER)) continue;
        g->flag[next] |= MATCH_ENTERED;
        ok = ok && match_edge_add(g, from, g->block[next]);
    }
    for (at = 0; ok && table != 0 && table < 64 && at < g->size; at = next) {
        const csspgo_insn insn = match_decode(m, g, at);
        next = at + insn.size;
        if (insn.kind != CSSPGO_IJMP) continue;
        for (to = 0; ok && to < g->size; to++)
            if ((g->flag[to] & (MATCH_LEADER | MATCH_ENTERED)) == MATCH_LEADER)
                ok = match_edge_add(g, g->block[at], g->block[to]);
    }
    return ok;
}

static int match_classes_of(match_graph *g)
{
    csspgo_cfg cfg;
    cfg.block = NULL;
    cfg.blocks = g->blocks;
    cfg.edge = g->edge;
    cfg.edges = g->edges;
    return csspgo_cfg_classes(&cfg, NULL, g->eq, NULL) == CSSPGO_OK;
}

/* Of the code of one symbol: classes, numbered on from *classes, of the probes in it that stand for their function. */
static int match_symbol_classes(const match_run *m, const match_symbol *y, const elf_section *s,
                                const uint32_t *by_address, const unsigned char *stands, uint32_t *of,
                                uint32_t *classes)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    match_graph g;
    size_t a = 0, b = t.probe_count, i;
    uint32_t most = 0;
    int ok;
    memset(&g, 0, sizeof g);
    g.section = s;
    g.begin = y->address;
    g.size = (size_t)y->size;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (t.probes[by_address[mid]].address < g.begin) a = mid + 1;
        else b = mid;
    }
    if (a == t.probe_count || t.probes[by_address[a]].address - g.begin >= g.size) return 1;
    g.flag = (unsigned char *)malloc(g.size);
    g.block = (uint32_t *)malloc(g.size * sizeof *g.block);
    ok = g.flag != NULL && g.block != NULL;
    if (ok) match_find_blocks(m, &g);
    ok = ok && match_find_edges(m, &g) && (g.eq = (uint32_t *)malloc(g.blocks * sizeof *g.eq)) != NULL &&
         match_classes_of(&g);
    for (i = a; ok && i < t.probe_count && t.probes[by_address[i]].address - g.begin < g.size; i++) {
        const csspgo_probe *p = &t.probes[by_address[i]];
        const uint32_t eq = g.eq[g.block[p->address - g.begin]];
        if (eq > most) most = eq;
        if (p->inline_node != 0 && stands[p->inline_node - 1] && eq != 0) of[by_address[i]] = *classes + eq;
    }
    *classes += most;
    free(g.flag);
    free(g.block);
    free(g.edge);
    free(g.eq);
    return ok;
}

static int match_inline_order(const void *a, const void *b)
{
    const match_site *x = (const match_site *)a, *y = (const match_site *)b;
    if (x->func != y->func) return x->func < y->func ? -1 : 1;
    if (x->id != y->id) return x->id > y->id ? -1 : 1;
    return x->eq < y->eq ? -1 : x->eq > y->eq;
}

/* Per inline node 1 if it is the copy of its function with the most probes. NULL when memory is exhausted. */
static unsigned char *match_best_copies(const csspgo_probe_tables *t)
{
    unsigned char *best = (unsigned char *)calloc(t->inline_count + 1, 1);
    match_site *v = (match_site *)calloc(t->inline_count + 1, sizeof *v);   /* id: probes, eq: node */
    size_t i;
    for (i = 0; v != NULL && i < t->inline_count; i++) {
        v[i].func = t->inlines[i].guid;
        v[i].eq = (uint32_t)i;
    }
    for (i = 0; v != NULL && i < t->probe_count; i++)
        if (t->probes[i].inline_node != 0) v[t->probes[i].inline_node - 1].id++;
    if (v != NULL) qsort(v, t->inline_count, sizeof *v, match_inline_order);
    for (i = 0; v != NULL && best != NULL && i < t->inline_count; i++)
        if (i == 0 || v[i - 1].func != v[i].func) best[v[i].eq] = 1;
    if (v == NULL) {
        free(best);
        best = NULL;
    }
    free(v);
    return best;
}

/* Per probe its class, 0 = not known; NULL when memory is exhausted. */
uint32_t *match_classes(match_run *m)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    const uint32_t *by_address = csspgo_probes_by_address(m->probes);
    uint32_t *of = (uint32_t *)calloc(t.probe_count + 1, sizeof *of), classes = 0;
    unsigned char *stands = match_best_copies(&t);
    uint64_t done = 0;
    elf_section s;
    size_t k;
    int ok = of != NULL && stands != NULL && (by_address != NULL || t.probe_count == 0);
    memset(&s, 0, sizeof s);
    for (k = 0; ok && k < m->symbols; k++) {
        const match_symbol *y = &m->symbol[k];
        if (y->size == 0 || y->size > ((uint64_t)1 << 24) || y->address < done) continue;
        if (!match_section_of(m, y->address, y->size, &s)) continue;
        ok = match_symbol_classes(m, y, &s, by_address, stands, of, &classes);
        done = y->address + y->size;
    }
    free(stands);
    if (ok) return of;
    free(of);
    return NULL;
}
