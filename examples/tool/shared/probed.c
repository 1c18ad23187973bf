/* probed.c - how often each block of a function executed in each of its calling contexts, by its pseudo probes */
#include "probed.h"

enum { PROBED_FRAMES = 64 };         /* of an inline stack, or of a context as far as inlining is looked for in it */

/* A path of inlining: hashes of its first frames; the location of the last one is left out. */
static uint64_t probed_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t probed_call(uint64_t h, uint64_t guid, csspgo_loc loc)
{
    return probed_mix(probed_mix(h, guid), (uint64_t)loc.line << 32 | loc.discriminator);
}

/* The paths of inlining that one inline stack has, outermost function first. Returns 0: out of memory. */
int probed_inlined_put(probed_inlined *in, const csspgo_frame *f, size_t n)
{
    uint64_t h = 0;
    size_t k;
    if (in->count + n > in->cap) {
        const size_t cap = 2 * in->cap + n + 1024;
        uint64_t *v = (uint64_t *)realloc(in->hash, cap * sizeof *v);
        if (v == NULL) return 0;
        in->hash = v;
        in->cap = cap;
    }
    for (k = 0; k + 1 < n; k++) {
        h = probed_call(h, f[k].guid, f[k].loc);
        in->hash[in->count++] = probed_mix(h, f[k + 1].guid);
    }
    return 1;
}

static uint64_t probed_stack_hash(const csspgo_frame *f, size_t n)
{
    uint64_t h = 0;
    for (; n != 0; n--, f++) h = probed_call(h, f->guid, f->loc);
    return h;
}

static int probed_stray_put(probed_inlined *in, uint64_t hash)
{
    if (in->strays == in->stray_cap) {
        const size_t cap = 2 * in->stray_cap + 64;
        uint64_t *v = (uint64_t *)realloc(in->stray, cap * sizeof *v);
        if (v == NULL) return 0;
        in->stray = v;
        in->stray_cap = cap;
    }
    in->stray[in->strays++] = hash;
    return 1;
}

/* Adds the paths of inlining of a function's probes, again and again where several probes have them. */
int probed_inlined_add(probed_inlined *in, const csspgo_code *code, const csspgo_code_graph *g)
{
    csspgo_frame f[PROBED_FRAMES];
    size_t i;
    for (i = 0; i < g->probes; i++) {
        const size_t n = csspgo_code_probe_stack(code, g->probe[i].address, g->probe[i].index, f, PROBED_FRAMES, NULL);
        if (n > PROBED_FRAMES || n == 0) continue;
        if (!probed_inlined_put(in, f, n)) return 0;
        if (f->guid != g->guid && !probed_stray_put(in, probed_stack_hash(f, n))) return 0;
    }
    return 1;
}

void probed_inlined_sort(probed_inlined *in)
{
    size_t i, n = 0;
    if (in->strays != 0) qsort(in->stray, in->strays, sizeof *in->stray, load_u64_cmp);
    if (in->count == 0) return;
    qsort(in->hash, in->count, sizeof *in->hash, load_u64_cmp);
    for (i = 1; i < in->count; i++)
        if (in->hash[i] != in->hash[n]) in->hash[++n] = in->hash[i];
    in->count = n + 1;
}

void probed_inlined_free(probed_inlined *in)
{
    free(in->hash);
    free(in->stray);
}

/*
 * 1 if the counts of a context belong to code inside a caller: it was inlined there, so that the function's own code
 * does not execute in this context. Whether its record is nested in its caller's does not tell: the pre-inliner nests,
 * too, what it wants inlined.
 */
int probed_is_inlined(const probed_inlined *in, const csspgo_profile *p, csspgo_node node)
{
    csspgo_node v[PROBED_FRAMES];
    size_t n = 0, i, k;
    csspgo_node x;
    for (x = node; x.id > 1 && n < PROBED_FRAMES; x = csspgo_node_parent(p, x)) v[n++] = x;
    for (i = 1; i < n; i++) {                         /* from v[i] down to v[0] */
        uint64_t h = 0;
        for (k = i; k > 0; k--) {
            h = probed_call(h, csspgo_func_guid(p, csspgo_node_func(p, v[k])), csspgo_node_loc(p, v[k - 1]));
        }
        h = probed_mix(h, csspgo_func_guid(p, csspgo_node_func(p, v[0])));
        if (in->count != 0 && bsearch(&h, in->hash, in->count, sizeof h, load_u64_cmp) != NULL) return 1;
    }
    return 0;
}

/* How many of n sorted numbers are below x; 0 stands for 2^64. */
static uint64_t probed_below(const uint64_t *v, size_t n, uint64_t x)
{
    size_t low = 0;
    if (x == 0) return n;
    while (n > low) {
        const size_t at = low + (n - low) / 2;
        if (v[at] < x) low = at + 1;
        else n = at;
    }
    return low;
}

/* The inline stacks of all probes of the graph, and how often each probe occurs. */
static int probed_stacks(probed_counts *c, csspgo_profile *p, const csspgo_code *code)
{
    const csspgo_code_graph *g = c->graph;
    uint64_t *sorted;
    size_t i, k, n = 0;
    for (i = 0; i < g->probes; i++)
        n += csspgo_code_probe_stack(code, g->probe[i].address, g->probe[i].index, NULL, 0, NULL);
    c->frame = (csspgo_frame *)malloc((n + 1) * sizeof *c->frame);
    sorted = (uint64_t *)malloc((g->probes + 1) * sizeof *sorted);
    for (i = n = 0; c->frame != NULL && sorted != NULL && i < g->probes; i++) {
        csspgo_frame *f = c->frame + n;
        c->first[i] = n;
        n += csspgo_code_probe_stack(code, g->probe[i].address, g->probe[i].index, f, SIZE_MAX, NULL);
        for (k = c->first[i]; k < n; k++) {
            c->frame[k].func = csspgo_func_add_guid(p, c->frame[k].guid);
            if (c->frame[k].func.id == 0) return free(sorted), 0;
        }
        c->hash[i] = sorted[i] = probed_stack_hash(f, n - c->first[i]);
    }
    if (c->frame == NULL || sorted == NULL) return free(sorted), 0;
    c->first[g->probes] = n;
    qsort(sorted, g->probes, sizeof *sorted, load_u64_cmp);
    for (i = 0; i < g->probes; i++)
        c->copies[i] = probed_below(sorted, g->probes, c->hash[i] + 1) - probed_below(sorted, g->probes, c->hash[i]);
    free(sorted);
    return 1;
}

static int probed_checksum_cmp(const void *a, const void *b)
{
    return load_u64_cmp(&((const probed_checksum *)a)->guid, &((const probed_checksum *)b)->guid);
}

/* 1 if the node was recorded of a function with another control flow: its probes are not those of this binary. */
static int probed_is_stale(const probed *r, csspgo_node n)
{
    probed_checksum key;
    const probed_checksum *at;
    key.guid = csspgo_func_guid(r->p, csspgo_node_func(r->p, n));
    key.checksum = csspgo_checksum(r->p, n);
    if (key.checksum == 0 || r->checksums == 0) return 0;
    at = (const probed_checksum *)bsearch(&key, r->checksum, r->checksums, sizeof key, probed_checksum_cmp);
    return at != NULL && at->checksum != key.checksum;
}

/* Checksums of the binary's functions; a warning if some in the profile differ. */
int probed_checksums(probed *r)
{
    csspgo_error e;
    csspgo_match_input *input = csspgo_match_input_new(r->image.code, seeded(), &e);
    const csspgo_match_code *f;
    csspgo_node n;
    uint64_t stale = 0;
    size_t count = 0, i;
    if (input == NULL) return fail(r->tool, "%s", plain(&e)), 0;
    f = csspgo_match_input_functions(input, &count);
    r->checksum = (probed_checksum *)malloc((count + 1) * sizeof *r->checksum);
    for (i = 0; r->checksum != NULL && i < count; i++) {
        if (f[i].flags & CSSPGO_MATCH_NO_CHECKSUM || f[i].checksum == 0) continue;
        r->checksum[r->checksums].guid = f[i].name != NULL ? csspgo_guid(f[i].name, f[i].name_size) : f[i].guid;
        r->checksum[r->checksums++].checksum = f[i].checksum;
    }
    csspgo_match_input_free(input);
    if (r->checksum == NULL) return fail(r->tool, "out of memory"), 0;
    qsort(r->checksum, r->checksums, sizeof *r->checksum, probed_checksum_cmp);
    for (n.id = 2; n.id <= csspgo_node_count(r->p) + 1; n.id++) stale += (uint64_t)probed_is_stale(r, n);
    if (stale != 0)
        warn(r->tool, "%s: contexts left out, because their functions have another control flow in %s: %" PRIu64
             "; see csspgo match", r->profile, r->binary, stale);
    return 1;
}

/* The counts of a function; g stays the block finder's. */
int probed_counts_open(probed_counts *c, probed *r, const probed_inlined *in, const csspgo_code_graph *g)
{
    const csspgo_func func = csspgo_func_add_guid(r->p, g->guid);
    csspgo_node n;
    size_t all = 0;
    memset(c, 0, sizeof *c);
    c->graph = g;
    if (func.id == 0) return 0;
    for (n = csspgo_func_nodes(r->p, func); n.id != 0; n = csspgo_node_next_same(r->p, n)) all++;
    c->first = (size_t *)malloc((g->probes + 1) * sizeof *c->first);
    c->copies = (uint64_t *)malloc((g->probes + 1) * sizeof *c->copies);
    c->hash = (uint64_t *)malloc((g->probes + 1) * sizeof *c->hash);
    c->node = (csspgo_node *)malloc((all + 1) * sizeof *c->node);
    c->block = (uint64_t *)calloc(g->cfg.blocks + 1, sizeof *c->block);
    if (c->first == NULL || c->copies == NULL || c->hash == NULL || c->node == NULL || c->block == NULL ||
        !probed_stacks(c, r->p, r->image.code))
        return probed_counts_close(c), 0;
    for (n = csspgo_func_nodes(r->p, func); n.id != 0; n = csspgo_node_next_same(r->p, n))
        if (!probed_is_inlined(in, r->p, n) && !probed_is_stale(r, n)) c->node[c->nodes++] = n;
    return 1;
}

void probed_counts_close(probed_counts *c)
{
    free(c->frame);
    free(c->first);
    free(c->copies);
    free(c->hash);
    free(c->node);
    free(c->block);
    memset(c, 0, sizeof *c);
}

/*
 * 1 if the probe's inline stack begins with the function whose code it is in. Where tails of several calls were merged,
 * LLVM may have left out the stack: the counts of such a probe are of another function's code.
 */
int probed_is_own(const probed_counts *c, size_t i)
{
    return c->first[i] != c->first[i + 1] && c->frame[c->first[i]].guid == c->graph->guid;
}

/* Adds the count of a probe in a context of the function whose code it is in. Returns 0: there is no such record. */
int probed_sum(const probed_counts *c, const csspgo_profile *p, size_t i, csspgo_node node, uint64_t *sum)
{
    size_t k;
    if (!probed_is_own(c, i)) return 0;
    for (k = c->first[i]; k + 1 < c->first[i + 1] && node.id != 0; k++) {
        const csspgo_frame *f = &c->frame[k];
        const csspgo_node x = csspgo_child(p, node, f->loc, CSSPGO_CONTEXT, f[1].func);
        node = x.id != 0 ? x : csspgo_child(p, node, f->loc, CSSPGO_INLINEE, f[1].func);
    }
    if (node.id == 0) return 0;
    *sum = sum_of(*sum, csspgo_body_count(p, node, c->frame[k].loc));
    return 1;
}

/* The fewest copies that a probe of block b has in the function; 0: the block has no block probe. */
uint64_t probed_copies(const probed_counts *c, size_t b)
{
    const csspgo_code_block *x = &c->graph->code[b];
    uint64_t fewest = 0;
    size_t i;
    for (i = x->first_probe; i < x->first_probe + x->probe_count; i++)
        if (c->graph->probe[i].kind == CSSPGO_PROBE_BLOCK && probed_is_own(c, i) &&
            (fewest == 0 || c->copies[i] < fewest))
            fewest = c->copies[i];
    return fewest;
}

/*
 * Counts of all blocks in the given contexts together. The profile has one count for all copies of a probe: those that
 * the compiler made of a loop's condition, for example, or of an unrolled loop. So the probes of a block that have the
 * fewest copies tell its count, the largest one as a probe may be missing in a profile. If all of them have several,
 * each copy gets the same share.
 */
void probed_count(probed_counts *c, const csspgo_profile *p, const csspgo_node *node, size_t nodes)
{
    size_t b, i, k;
    memset(c->block, 0, c->graph->cfg.blocks * sizeof *c->block);
    for (b = 0; b < c->graph->cfg.blocks; b++) {
        const csspgo_code_block *x = &c->graph->code[b];
        const uint64_t copies = probed_copies(c, b);
        for (i = x->first_probe; i < x->first_probe + x->probe_count; i++) {
            uint64_t sum = 0;
            if (c->graph->probe[i].kind != CSSPGO_PROBE_BLOCK || !probed_is_own(c, i)) continue;
            if (c->copies[i] != copies) continue;
            for (k = 0; k < nodes; k++) probed_sum(c, p, i, node[k], &sum);
            if (sum / copies > c->block[b]) c->block[b] = sum / copies;
        }
    }
}

/* Puts the counts into the graph and makes them fit: then edges have counts, too. Blocks without probes are unknown. */
csspgo_status probed_solve(const probed_counts *c, csspgo_code_graph *g, csspgo_error *e)
{
    size_t i;
    for (i = 0; i < g->cfg.edges; i++) {
        csspgo_cfg_edge *x = &g->cfg.edge[i];
        x->count = 0;
        x->known = x->from == 1 && g->code[x->to].probe_count == 0;     /* padding is not executed */
    }
    for (i = 0; i < g->cfg.blocks; i++) {
        g->cfg.block[i].count = c->block[i];
        g->cfg.block[i].known = probed_copies(c, i) != 0;
    }
    return csspgo_flow_solve(&g->cfg, NULL, seeded(), NULL, e);
}

static int probed_function_by_guid(const void *a, const void *b)
{
    const probed_function *x = (const probed_function *)a, *y = (const probed_function *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* One entry for each function of the binary: a graph has all ranges of its function. */
probed_function *probed_functions(probed *r, csspgo_block_finder *finder, probed_inlined *in, size_t *count)
{
    probed_function *f = (probed_function *)calloc(r->image.ranges + 1, sizeof *f);
    csspgo_code_graph g;
    size_t i, n = 0, k = 0;
    if (f == NULL) return NULL;
    for (i = 0; i < r->image.ranges; i++) {
        if (r->image.range[i].part) continue;
        if (csspgo_code_cfg(finder, r->image.range[i].begin, &g, NULL) != CSSPGO_OK) continue;
        f[n].address = r->image.range[i].begin;
        f[n++].guid = g.guid;
        if (!probed_inlined_add(in, r->image.code, &g)) return free(f), NULL;
    }
    probed_inlined_sort(in);
    qsort(f, n, sizeof *f, probed_function_by_guid);
    for (i = 0; i < n; i++)
        if (i == 0 || f[i].guid != f[i - 1].guid) f[k++] = f[i];
    *count = k;
    return f;
}

int probed_open(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size)
{
    if (!program_open(tool, l, path, why, why_size)) return load_free(l), 0;
    if (load_symbols(l)->symbol_count <= 1 && l->missing != NULL) {
        program_lacks(l, "symbols", why, why_size);
        return load_free(l), 0;
    }
    return load_opened(l, path, why, why_size);
}
