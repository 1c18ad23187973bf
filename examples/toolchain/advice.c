/* advice.c - probes, and what a profile says: counts of blocks, what to inline where, which blocks follow each other
 *
 * Probes are numbered before anything is optimised, so that a profile fits whatever the compiler does later. A profile
 * of older source is carried over first (the matcher). Then the tracker knows for each call how often it was made in
 * this very context: decisions are the tracker's, the counts of an inlined copy are those of its context.
 */
#include "minic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 5, CALL = 5 };     /* what an instruction costs, as LLVM counts it; instructions that a call needs */

struct advice {
    const unit           *u;
    csspgo_tracker       *t;
    const csspgo_profile *p;      /* the tracker's */
    unsigned              how;
    csspgo_func          *func;   /* of each function */
    int                  *order;
    csspgo_inliner_code  *code;   /* by number of a csspgo_func */
    csspgo_inliner_call  *call;
    size_t                count;
    uint64_t              budget; /* by which the program may still grow */
};

/* ----- probes ----- */

static void put_probes(unit *u, function *f, const csspgo_cfg_probes *probe, const uint32_t *eq, const uint32_t *under)
{
    int b, i;
    for (b = 0; b < f->blocks; b++) {
        block *at = &f->block[b];
        uint32_t call = probe[b].first_call;
        insn first;
        for (i = 0; i < at->n; i++) {
            csspgo_match_loc *loc;
            if (at->v[i].op != OP_CALL) continue;
            at->v[i].imm = call;
            loc = &f->loc[f->locs++];
            loc->loc = csspgo_loc_at(call++, 0);
            loc->kind = CSSPGO_MATCH_CALL;
            loc->callee = u->f[at->v[i].symbol].guid;
            loc->eq = eq[b];
            loc->under = under[eq[b]];
        }
        first = *append(at, OP_PROBE);
        first.imm = probe[b].id;
        memmove(at->v + 1, at->v, (size_t)(at->n - 1) * sizeof *at->v);
        at->v[0] = first;
        f->loc[f->locs].loc = csspgo_loc_at(probe[b].id, 0);
        f->loc[f->locs].eq = eq[b];
        f->loc[f->locs++].under = under[eq[b]];
        f->size += at->n;
    }
}

/* Ids and checksum as LLVM has them, and which blocks run equally often. */
void number_probes(unit *u)
{
    int k, b, i, s, to[2];
    for (k = 0; k < u->functions; k++) {
        function *f = &u->f[k];
        csspgo_cfg_edge *edge = (csspgo_cfg_edge *)zeros((size_t)f->blocks * 2, sizeof *edge);
        csspgo_cfg_probes *probe = (csspgo_cfg_probes *)zeros((size_t)f->blocks, sizeof *probe);
        uint32_t *eq = (uint32_t *)zeros((size_t)f->blocks, sizeof *eq);
        uint32_t *under = (uint32_t *)zeros((size_t)f->blocks + 1, sizeof *under);
        csspgo_cfg cfg;
        csspgo_error e;
        memset(&cfg, 0, sizeof cfg);
        cfg.edge = edge;
        cfg.blocks = (size_t)f->blocks;
        for (b = 0; b < f->blocks; b++) {
            f->locs++;
            for (i = 0; i < f->block[b].n; i++) probe[b].call_count += f->block[b].v[i].op == OP_CALL;
            f->locs += (int)probe[b].call_count;
            for (i = 0, s = successors(&f->block[b], to); i < s; i++, cfg.edges++) {
                edge[cfg.edges].from = (uint32_t)b;
                edge[cfg.edges].to = (uint32_t)to[i];
            }
        }
        f->loc = (csspgo_match_loc *)zeros((size_t)f->locs, sizeof *f->loc);
        f->locs = 0;
        if (f->defined) {
            must(csspgo_cfg_checksum(&cfg, NULL, NULL, probe, &f->checksum, &e), &e);
            must(csspgo_cfg_classes(&cfg, NULL, eq, &e), &e);
            must(csspgo_cfg_under(&cfg, eq, NULL, under, &e), &e);
            put_probes(u, f, probe, eq, under);
        }
        free(under);
        free(eq);
        free(probe);
        free(edge);
    }
}

/* ----- the profile, and what it says of this source ----- */

/* Of older source: in terms of this one. */
static csspgo_profile *carried_over(const unit *u, csspgo_profile *old, unsigned how)
{
    csspgo_match_code *code = (csspgo_match_code *)zeros((size_t)u->functions, sizeof *code);
    csspgo_error e;
    csspgo_matcher *m = csspgo_matcher_new(NULL, NULL, &e);
    csspgo_profile *fresh;
    csspgo_match_report r;
    uint64_t lost;
    size_t n = 0;
    int i;
    if (m == NULL) must(e.status, &e);
    fresh = csspgo_profile_new(NULL, &e);
    if (fresh == NULL) must(e.status, &e);
    for (i = 0; i < u->functions; i++) {
        const function *f = &u->f[i];
        if (!f->defined) continue;
        code[n].name = f->name;
        code[n].name_size = strlen(f->name);
        code[n].checksum = f->checksum;
        code[n].loc = f->loc;
        code[n++].locs = (size_t)f->locs;
    }
    must(csspgo_matcher_module(m, old, code, n, &r, &e), &e);
    must(csspgo_matcher_apply(m, old, fresh, &lost, &e), &e);
    if (how & ADVICE_REPORT)
        printf("profile: %u of %u functions have changed, %u were renamed; %llu of %llu samples lost\n",
               (unsigned)r.stale_functions, (unsigned)r.functions, (unsigned)r.renamed_functions,
               (unsigned long long)lost, (unsigned long long)r.samples);
    csspgo_matcher_free(m);
    csspgo_profile_free(old);
    free(code);
    return fresh;
}

/* What the tracker's inliner must know: how large functions are, and what they call where. */
static void describe(advice *a)
{
    const unit *u = a->u;
    csspgo_inliner_call *call;
    size_t calls = 0;
    int i, k;
    for (i = 0; i < u->functions; i++) calls += (size_t)u->f[i].locs;
    a->count = csspgo_func_count(a->p) + 1;
    a->code = (csspgo_inliner_code *)zeros(a->count, sizeof *a->code);
    a->call = call = (csspgo_inliner_call *)zeros(calls, sizeof *a->call);
    for (i = 0; i < u->functions; i++) {
        csspgo_inliner_code *c = &a->code[a->func[i].id];
        if (!u->f[i].defined) continue;
        c->cost = (uint32_t)u->f[i].size * UNITS;
        c->size = u->f[i].size > CALL ? (uint32_t)(u->f[i].size - CALL) * UNITS : 1;
        if (u->f[i].size <= SMALL) c->flags = CSSPGO_ALWAYS_INLINE;
        c->calls = call;
        for (k = 0; k < u->f[i].locs; k++) {
            const csspgo_match_loc *l = &u->f[i].loc[k];
            if (l->kind != CSSPGO_MATCH_CALL) continue;
            call->loc = l->loc;
            (call++)->target = csspgo_func_find_guid(a->p, l->callee);
            c->call_count++;
        }
    }
}

advice *advice_new(const unit *u, const char *path, unsigned how, unsigned growth)
{
    advice *a = (advice *)zeros(1, sizeof *a);
    csspgo_tracker_options options;
    csspgo_error e;
    csspgo_profile *p = csspgo_load_file(path, NULL, &e);
    size_t count, i;
    csspgo_func *order;
    csspgo_node base;
    int k, n = 0;
    if (p == NULL) fail(path, (int)e.line, e.message, "");
    if (!(how & ADVICE_NO_MATCH)) p = carried_over(u, p, how);
    a->u = u;
    a->how = how;
    a->func = (csspgo_func *)zeros((size_t)u->functions, sizeof *a->func);
    for (k = 0; k < u->functions; k++) {
        a->func[k] = csspgo_func_add(p, u->f[k].name, strlen(u->f[k].name));
        if (a->func[k].id == 0) fail(NULL, 0, "out of memory", "");
    }
    memset(&options, 0, sizeof options);
    options.take = 1;
    a->t = csspgo_tracker_new(p, &options, &e);
    if (a->t == NULL) must(e.status, &e);
    a->p = csspgo_tracker_profile(a->t);
    for (k = 0; k < u->functions && how & ADVICE_FLAT; k++)       /* all contexts become one */
        must(csspgo_tracker_base(a->t, a->func[k], 1, &base, &e), &e);
    describe(a);
    for (k = 0; k < u->functions; k++) a->budget += (uint64_t)u->f[k].size * UNITS * growth / 100;
    must(csspgo_tracker_compile_order(a->t, a->func, (size_t)u->functions, NULL, 0, &count, &e), &e);
    order = (csspgo_func *)zeros(count, sizeof *order);
    must(csspgo_tracker_compile_order(a->t, a->func, (size_t)u->functions, order, count, &count, &e), &e);
    a->order = (int *)zeros(count, sizeof *a->order);
    for (i = 0; i < count; i++)
        for (k = 0; k < u->functions; k++)
            if (a->func[k].id == order[i].id) a->order[n++] = k;
    free(order);
    return a;
}

const int *advice_order(const advice *a) { return a->order; }

void advice_free(advice *a)
{
    if (a == NULL) return;
    csspgo_tracker_free(a->t);
    free(a->func);
    free(a->order);
    free(a->code);
    free(a->call);
    free(a);
}

/* ----- a function's own code ----- */

/* Counts are of this source, not of what it was once. */
static int fits(const advice *a, const function *f, csspgo_node n)
{
    return n.id != 0 && csspgo_total(a->p, n) != 0 && csspgo_checksum(a->p, n) == f->checksum;
}

/* The blocks of an inlined copy, or with copy 0 of the function itself, get their counts. */
static void set_counts(const advice *a, function *f, int copy)
{
    const inlinee *x = &f->node[copy];
    uint64_t count;
    int b;
    for (b = 0; b < f->blocks; b++) {
        const insn *n = f->block[b].n != 0 ? f->block[b].v : NULL;
        if (n == NULL || n->op != OP_PROBE || n->node != copy) continue;
        count = csspgo_body_count(a->p, x->counts, csspgo_loc_at((uint32_t)n->imm, 0));
        f->block[b].count = (uint64_t)(x->scale * (double)count + 0.5);
    }
}

/* Without contexts all that is known of a copy is the function's own profile, in proportion to the calls here. */
static double share_of(const advice *a, const csspgo_inliner_decision *d)
{
    const uint64_t entries = csspgo_tracker_entry_count(a->t, d->node);
    return a->how & ADVICE_FLAT && entries > d->count ? (double)d->count / (double)entries : 1;
}

/* The tracker's decisions, into an array that is large enough. */
static csspgo_inliner_result decided(advice *a, csspgo_func func)
{
    csspgo_inliner_options how;
    csspgo_inliner_result made;
    csspgo_error e;
    csspgo_status s = CSSPGO_E_SHORT;
    memset(&how, 0, sizeof how);
    memset(&made, 0, sizeof made);
    how.context_less = a->how & ADVICE_FLAT ? 1 : 0;
    how.budget = &a->budget;
    while (s == CSSPGO_E_SHORT) {
        free(made.decision);
        made.cap = 2 * made.cap + 100;
        made.decision = (csspgo_inliner_decision *)zeros(made.cap, sizeof *made.decision);
        s = csspgo_tracker_decide(a->t, func, a->code, a->count, &how, &made, &e);
    }
    must(s, &e);
    return made;
}

/* A call is inlined if the tracker says so, and the counts of the copy are of this source. */
void advice_inline(advice *a, function *f)
{
    const csspgo_inliner_result made = decided(a, a->func[f->node[0].function]);
    int *copy = (int *)zeros(made.count, sizeof *copy), by;   /* of decision i - 1; copy 0 is the function */
    size_t i;
    f->node[0].counts = made.base;
    f->node[0].scale = 1;
    f->has_counts = fits(a, f, made.base);
    if (f->has_counts) set_counts(a, f, 0);
    for (i = 0; i < made.count && f->has_counts; i++) {
        const csspgo_inliner_decision *d = &made.decision[i];
        copy[i + 1] = NONE;
        if (!d->inlined || copy[d->parent] == NONE) continue;
        for (by = 0; a->func[by].id != d->callee.id; by++) {}
        if (!fits(a, &a->u->f[by], d->node)) continue;
        copy[i + 1] = inline_call(f, a->u, copy[d->parent], (int)d->loc.line);
        if (copy[i + 1] == NONE) continue;
        f->node[copy[i + 1]].counts = d->node;
        f->node[copy[i + 1]].scale = share_of(a, d);
        set_counts(a, f, copy[i + 1]);
    }
    free(made.decision);
    free(copy);
}

/* ----- the order of blocks ----- */

typedef struct edge { int from, to, number, jumps; uint64_t count; } edge;

static int by_count(const void *x, const void *y)
{
    const edge *a = (const edge *)x, *b = (const edge *)y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    if (a->jumps != b->jumps) return b->jumps - a->jumps;
    return a->number - b->number;
}

/* How often the k-th way out of a block is taken, as far as counts of blocks tell. */
static uint64_t taken(const function *f, const int *preds, const block *b, const int to[2], int ways, int k)
{
    const uint64_t count = f->block[to[k]].count, other = f->block[to[ways - 1 - k]].count;
    if (ways == 1) return b->count;
    if (preds[to[k]] == 1) return count;
    if (preds[to[1 - k]] == 1) return b->count > other ? b->count - other : 0;
    return count < b->count ? count : b->count;
}

/* Chains of blocks that mostly follow each other, from the hottest edge on (Pettis and Hansen); hot chains first. */
int lay_out(const function *f, int *order)
{
    const size_t n = (size_t)f->blocks;
    edge *edges = (edge *)zeros(n * 2, sizeof *edges);
    int *preds = (int *)zeros(n, sizeof *preds), *next = (int *)zeros(n, sizeof *next);
    int *chain = (int *)zeros(n, sizeof *chain);      /* the first block of the one that this is in; NONE: placed */
    int count = 0, placed = 0, b, k, s, to[2], best;
    for (b = 0; b < f->blocks; b++)
        for (k = successors(&f->block[b], to); k-- > 0;) preds[to[k]]++;
    for (b = 0; b < f->blocks; b++) {
        next[b] = NONE;
        chain[b] = b;
        if (!f->has_counts) continue;
        for (k = 0, s = successors(&f->block[b], to); k < s; k++, count++) {
            edges[count].from = b;
            edges[count].to = to[k];
            edges[count].number = count;
            edges[count].jumps = s == 1;
            edges[count].count = taken(f, preds, &f->block[b], to, s, k);
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, by_count);
    for (k = 0; k < count; k++) {
        const int first = chain[edges[k].from], second = edges[k].to;
        if (next[edges[k].from] != NONE || chain[second] != second || first == second || second == 0) continue;
        next[edges[k].from] = second;
        for (b = second; b != NONE; b = next[b]) chain[b] = first;
    }
    for (best = 0; best != NONE;) {                   /* chains are used up: the one of the entry, the hottest ... */
        uint64_t hottest = 0;
        for (b = best; b != NONE; b = next[b]) {
            chain[b] = NONE;
            if (f->block[b].reached) order[placed++] = b;
        }
        best = NONE;
        for (b = 0; b < f->blocks; b++)
            if (chain[b] != NONE && (best == NONE || f->block[b].count > hottest)) {
                best = chain[b];
                hottest = f->block[b].count;
            }
    }
    free(edges);
    free(preds);
    free(next);
    free(chain);
    return placed;
}
