/* contexts.c - how often the contexts of a hot path execute and repeat it */
#include "bottleneck.h"

int no_memory(const bottleneck_run *r)
{
    return fail(r->in.tool, "out of memory"), 0;
}

/*
 * Marks the blocks that can be reached from the entry without passing through block `without`. Block 1 stands for
 * unknown sources: from there only blocks with probes are, for others may be the padding between blocks.
 */
void hot_reach(hot_graph *h, uint32_t without)
{
    size_t n = 0;
    uint32_t e;
    memset(h->reached, 0, h->g.cfg.blocks);
    h->stack[n++] = 0;
    h->reached[0] = 1;
    while (n != 0)
        for (e = h->out[h->stack[--n]]; e != 0; e = h->next[e - 1]) {
            const csspgo_cfg_edge *x = &h->g.cfg.edge[e - 1];
            if (x->to == without || h->reached[x->to] || (x->from == 1 && h->g.code[x->to].probe_count == 0)) continue;
            h->reached[x->to] = 1;
            h->stack[n++] = x->to;
        }
}

/* Executions of the first block, and for a loop how often it was entered from outside. */
static void hot_trips(hot_graph *h, const hot_path *p, hot_context *c)
{
    const uint32_t header = p->block[0];
    double trips;
    size_t i;
    c->count = h->g.cfg.block[header].count;
    c->entries = p->loop ? 0 : c->count;
    if (p->loop) hot_reach(h, header);
    for (i = 0; p->loop && i < h->g.cfg.edges; i++) {
        const csspgo_cfg_edge *e = &h->g.cfg.edge[i];
        if (e->to == header && h->reached[e->from]) c->entries = sum_of(c->entries, e->count);
    }
    trips = c->entries != 0 ? (double)c->count / (double)c->entries : HOT_TRIPS;
    c->iterations = trips < 1 ? 1 : trips >= HOT_TRIPS ? HOT_TRIPS : (uint32_t)(trips + 0.5);
}

typedef struct hot_ranked { csspgo_node node; uint64_t count; } hot_ranked;

static int hot_ranked_cmp(const void *a, const void *b)
{
    const hot_ranked *x = (const hot_ranked *)a, *y = (const hot_ranked *)b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->node.id < y->node.id ? -1 : x->node.id > y->node.id;
}

/* Counts of a path in n contexts together; how->count is 0 if it was not executed there. Returns 0 as hot_find. */
static int hot_in(hot_graph *h, const hot_path *p, const csspgo_node *node, size_t n, hot_context *c)
{
    csspgo_error e;
    csspgo_status s;
    probed_count(&h->c, h->r->in.p, node, n);
    s = probed_solve(&h->c, &h->g, &e);
    if (s == CSSPGO_E_NOMEM) return no_memory(h->r);
    if (s != CSSPGO_OK) {
        warn(h->r->in.tool, "%s: %s: its trip counts are not known", p->name, plain(&e));
        h->g.cfg.block[p->block[0]].count = h->c.block[p->block[0]];
    }
    hot_trips(h, p, c);
    return 1;
}

/* The contexts of a path: the hottest --contexts of them, and all others together. */
int hot_contexts(hot_graph *h, hot_path *p)
{
    const size_t most = (size_t)h->r->o[B_CONTEXTS].number;
    hot_ranked *v = (hot_ranked *)malloc((h->c.nodes + 1) * sizeof *v);
    csspgo_node *rest = (csspgo_node *)malloc((h->c.nodes + 1) * sizeof *rest);
    size_t i, k, n = 0, others = 0;
    int ok = v != NULL && rest != NULL;
    for (i = 0; ok && i < h->c.nodes; i++) {
        uint64_t count = 0;
        probed_count(&h->c, h->r->in.p, &h->c.node[i], 1);
        for (k = 0; k < p->blocks; k++) count = sum_of(count, h->c.block[p->block[k]]);
        if (count == 0) continue;
        v[n].node = h->c.node[i];
        v[n++].count = count;
    }
    p->context = (hot_context *)calloc((n < most ? n : most) + 1, sizeof *p->context);
    if (!ok || p->context == NULL) ok = no_memory(h->r);
    if (ok) qsort(v, n, sizeof *v, hot_ranked_cmp);
    for (i = 0; ok && i < n; i++) {
        hot_context *c = &p->context[p->contexts];
        if (i >= most) {
            rest[others++] = v[i].node;
            continue;
        }
        c->node = v[i].node;
        ok = hot_in(h, p, &c->node, 1, c);
        p->contexts += c->count != 0;
    }
    if (ok && others != 0) {
        hot_context *c = &p->context[p->contexts];
        c->node.id = 0;
        c->others = others;
        ok = hot_in(h, p, rest, others, c);
        p->contexts += c->count != 0;
    }
    free(v);
    free(rest);
    return ok;
}
