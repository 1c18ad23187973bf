/* paths.c - the hottest paths of a program */
#include "bottleneck.h"

static uint64_t product(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* ----- functions -------------------------------------------------------------------------------------------------- */

static int hot_function_cmp(const void *a, const void *b)
{
    const probed_function *x = (const probed_function *)a, *y = (const probed_function *)b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* The weight of each function, and that of the program. Returns 0 after saying what is wrong. */
static int hot_weigh(bottleneck_run *r, csspgo_block_finder *finder, const probed_inlined *in, probed_function *f,
                     size_t n)
{
    csspgo_code_graph g;
    csspgo_error e;
    probed_counts c;
    size_t i, b;
    for (i = 0; i < n; i++) {
        if (csspgo_code_cfg(finder, f[i].address, &g, &e) != CSSPGO_OK) return fail(r->in.tool, "%s", plain(&e)), 0;
        if (!probed_counts_open(&c, &r->in, in, &g)) return no_memory(r);
        probed_count(&c, r->in.p, c.node, c.nodes);
        for (b = 0; b < g.cfg.blocks; b++) {
            const uint64_t w = product(c.block[b], g.code[b].insns);
            r->weight = sum_of(r->weight, w);
            f[i].weight = sum_of(f[i].weight, w);
        }
        probed_counts_close(&c);
    }
    qsort(f, n, sizeof *f, hot_function_cmp);
    return 1;
}

/* ----- paths ------------------------------------------------------------------------------------------------------ */

/* The edge out of block b (or into it) that was taken most, from a block with code to one with code. */
static const csspgo_cfg_edge *hot_edge(const hot_graph *h, uint32_t b, int into)
{
    const csspgo_cfg_edge *best = NULL;
    size_t i;
    for (i = 0; i < h->g.cfg.edges; i++) {
        const csspgo_cfg_edge *e = &h->g.cfg.edge[i];
        if ((into ? e->to : e->from) != b || e->from < 2 || e->to < 2 || e->count == 0) continue;
        if (best == NULL || e->count > best->count) best = e;
    }
    return best;
}

static void hot_put(hot_graph *h, hot_path *p, uint32_t b, int front)
{
    if (front) memmove(p->block + 1, p->block, p->blocks * sizeof *p->block);
    p->block[front ? 0 : p->blocks] = b;
    p->blocks++;
    p->insns += h->g.code[b].insns;
    h->used[b] = 2;
}

/* 1 if block b may be put to a path whose heaviest block executed `count` times. */
static int hot_fits(const hot_graph *h, const hot_path *p, uint32_t b, uint64_t count)
{
    return !h->used[b] && p->blocks < HOT_BLOCKS && p->insns + h->g.code[b].insns <= HOT_INSNS &&
           h->g.cfg.block[b].count >= count - count / 2;
}

/*
 * The path through block b: along the edges that were taken most, as long as at least half of the executions follow it.
 * If it comes back to b, it is a loop; else it also goes from b against the edges.
 */
static void hot_grow(hot_graph *h, hot_path *p, uint32_t b)
{
    const uint64_t count = h->g.cfg.block[b].count;
    const csspgo_cfg_edge *e;
    uint32_t at = b;
    hot_put(h, p, b, 0);
    while ((e = hot_edge(h, at, 0)) != NULL && hot_fits(h, p, e->to, count)) hot_put(h, p, at = e->to, 0);
    p->loop = e != NULL && e->to == b;
    at = b;
    while (!p->loop && (e = hot_edge(h, at, 1)) != NULL && hot_fits(h, p, e->from, count))
        hot_put(h, p, at = e->from, 1);
}

/* Turns a loop so that it begins with its header: the block without which no other one of it can be reached. */
static void hot_turn(hot_graph *h, hot_path *p)
{
    uint32_t turned[HOT_BLOCKS];
    size_t i, k;
    for (i = 0; i < p->blocks; i++) {
        hot_reach(h, p->block[i]);
        for (k = 0; k < p->blocks; k++)
            if (k != i && h->reached[p->block[k]]) break;
        if (k == p->blocks) break;
    }
    if (i == p->blocks) return;                       /* several entries: it stays as it is */
    for (k = 0; k < p->blocks; k++) turned[k] = p->block[(i + k) % p->blocks];
    memcpy(p->block, turned, p->blocks * sizeof *turned);
}

/* ----- all of it -------------------------------------------------------------------------------------------------- */

static char *hot_name(const bottleneck_run *r, uint64_t guid, uint64_t address)
{
    const csspgo_func f = csspgo_func_add_guid(r->in.p, guid);
    size_t size = 0;
    const char *name = csspgo_func_name(r->in.p, f, &size);
    const load_range *const at = name == NULL ? load_range_at(&r->in.image, address) : NULL;
    char *copy;
    if (at != NULL && at->name != NULL) {
        name = at->name;
        size = at->name_size;
    }
    copy = (char *)malloc(size + 1);
    if (copy == NULL) return NULL;
    if (size != 0) memcpy(copy, name, size);
    copy[size] = '\0';
    return copy;
}

/* Where the blocks of a new path are, and what it weighs. */
static int hot_finish(hot_graph *h, hot_path *p)
{
    size_t i;
    for (i = 0; i < p->blocks; i++) {
        const csspgo_code_block *b = &h->g.code[p->block[i]];
        p->begin[i] = b->begin;
        p->end[i] = b->end;
        p->weight = sum_of(p->weight, product(h->g.cfg.block[p->block[i]].count, b->insns));
        h->used[p->block[i]] = 1;
        if (probed_copies(&h->c, p->block[i]) > p->copies) p->copies = probed_copies(&h->c, p->block[i]);
    }
    p->guid = h->g.guid;
    p->name = hot_name(h->r, p->guid, p->function);
    return p->name != NULL || no_memory(h->r);
}

int hot_path_cmp(const void *a, const void *b)
{
    const hot_path *x = (const hot_path *)a, *y = (const hot_path *)b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->begin[0] < y->begin[0] ? -1 : x->begin[0] > y->begin[0];
}

/* Keeps the path if it is among the heaviest ones; it is then empty, else freed. */
static void hot_keep(bottleneck_run *r, hot_path *p, size_t top)
{
    if (r->paths < top) r->path[r->paths++] = *p;
    else if (hot_path_cmp(p, &r->path[top - 1]) < 0) {
        free(r->path[top - 1].name);
        r->path[top - 1] = *p;
    } else free(p->name);
    qsort(r->path, r->paths, sizeof *r->path, hot_path_cmp);
}

/* The heaviest paths of one function, at most top. */
static int hot_paths_of(hot_graph *h, uint64_t address, size_t top)
{
    hot_path p;
    csspgo_error e;
    size_t n, b;
    probed_count(&h->c, h->r->in.p, h->c.node, h->c.nodes);
    if (probed_solve(&h->c, &h->g, &e) != CSSPGO_OK) return fail(h->r->in.tool, "%s", plain(&e)), 0;
    for (n = 0; n < top; n++) {
        uint64_t heaviest = 0, w;
        uint32_t at = 0;
        for (b = 2; b < h->g.cfg.blocks; b++) {
            w = product(h->g.cfg.block[b].count, h->g.code[b].insns);
            if (h->used[b] || w <= heaviest) continue;
            heaviest = w;
            at = (uint32_t)b;
        }
        if (at == 0) break;
        memset(&p, 0, sizeof p);
        p.function = address;
        hot_grow(h, &p, at);
        if (p.loop) hot_turn(h, &p);
        if (!hot_finish(h, &p)) return 0;
        hot_keep(h->r, &p, top);
    }
    return 1;
}

static void hot_close(hot_graph *h)
{
    probed_counts_close(&h->c);
    free(h->used);
    free(h->reached);
    free(h->stack);
    free(h->next);
    free(h->out);
}

/* The graph of a function, with room for what is found. */
static int hot_open(hot_graph *h, bottleneck_run *r, csspgo_block_finder *finder, const probed_inlined *in, uint64_t at)
{
    csspgo_error e;
    size_t i, n;
    memset(h, 0, sizeof *h);
    h->r = r;
    if (csspgo_code_cfg(finder, at, &h->g, &e) != CSSPGO_OK) return fail(r->in.tool, "%s", plain(&e)), 0;
    n = h->g.cfg.blocks;
    if (h->g.cfg.edges != 0) {                        /* landing pads: exceptions are no way into a loop */
        const csspgo_cfg_edge *last = &h->g.cfg.edge[h->g.cfg.edges - 1];
        h->g.cfg.edges -= last->from == 0 && last->to == 1;
    }
    h->used = (unsigned char *)calloc(n, 1);
    h->reached = (unsigned char *)malloc(n);
    h->stack = (uint32_t *)malloc(n * sizeof *h->stack);
    h->out = (uint32_t *)calloc(n, sizeof *h->out);
    h->next = (uint32_t *)malloc((h->g.cfg.edges + 1) * sizeof *h->next);
    if (!probed_counts_open(&h->c, &r->in, in, &h->g) || h->used == NULL || h->reached == NULL || h->stack == NULL ||
        h->out == NULL || h->next == NULL)
        return hot_close(h), no_memory(r);
    for (i = h->g.cfg.edges; i > 0; i--) {
        h->next[i - 1] = h->out[h->g.cfg.edge[i - 1].from];
        h->out[h->g.cfg.edge[i - 1].from] = (uint32_t)i;
    }
    return 1;
}

int hot_find(bottleneck_run *r)
{
    const size_t top = (size_t)r->o[B_TOP].number;
    csspgo_block_finder *finder = csspgo_block_finder_new(r->in.image.code, seeded(), NULL);
    probed_inlined in = { NULL, 0, 0, NULL, 0, 0 };
    probed_function *f = NULL;
    hot_graph h;
    size_t n = 0, i;
    int ok;
    r->path = (hot_path *)calloc(top + 1, sizeof *r->path);
    if (finder != NULL && r->path != NULL) f = probed_functions(&r->in, finder, &in, &n);
    ok = f != NULL || no_memory(r);
    ok = ok && hot_weigh(r, finder, &in, f, n);
    for (i = 0; ok && i < n && f[i].weight != 0; i++) {
        if (r->paths == top && f[i].weight < r->path[top - 1].weight) break;
        ok = hot_open(&h, r, finder, &in, f[i].address);
        if (!ok) break;
        ok = hot_paths_of(&h, f[i].address, top);
        hot_close(&h);
    }
    for (i = 0; ok && i < r->paths; i++) {
        ok = hot_open(&h, r, finder, &in, r->path[i].function);
        if (!ok) break;
        ok = hot_contexts(&h, &r->path[i]);
        hot_close(&h);
    }
    free(f);
    probed_inlined_free(&in);
    csspgo_block_finder_free(finder);
    return ok;
}
