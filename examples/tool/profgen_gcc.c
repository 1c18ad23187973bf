/* profgen_gcc.c - profgen: what a profile by line needs so that GCC makes the most of it
 *
 * GCC (before 16) inlines a call early if the profile has it inlined and hot. Counts of other inlinees are lost: the
 * function that is then called does not get them, nor does the block with the call, whose instructions all belonged to
 * the inlinee. So every inlinee counts for its function too, and as calls where it is called. Totals may then count
 * code more than once; GCC takes them only to tell hot from cold.
 */
#include "profgen.h"

typedef struct entry {            /* of a node: how often it was entered, as far as its first counts say */
    uint64_t count, at;           /* at: where these counts are; UINT64_MAX: there are none              */
} entry;

/* Orders locations; lines before the function's first one come last. */
static uint64_t entry_place(csspgo_loc loc)
{
    return (uint64_t)(loc.line & 0xffff) << 32 | loc.discriminator;
}

static void entry_offer(entry *e, csspgo_loc loc, uint64_t count)
{
    const uint64_t at = entry_place(loc);
    if (count == 0 || at >= e->at) return;
    e->count = count;
    e->at = at;
}

/* The entries of all nodes, by id. NULL: out of memory. */
static entry *entries_of(const csspgo_profile *p)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    entry *e = (entry *)malloc(nodes * sizeof *e);
    csspgo_node n;
    size_t count, i;
    if (e == NULL) return NULL;
    for (i = 0; i < nodes; i++) {
        e[i].count = 0;
        e[i].at = UINT64_MAX;
    }
    for (n.id = nodes - 1; n.id > 1; n.id--) {             /* inlinees come after what they are in */
        const csspgo_body *b = csspgo_bodies(p, n, &count);
        for (i = 0; i < count; i++) entry_offer(&e[n.id], b[i].loc, b[i].count);
        entry_offer(&e[csspgo_node_parent(p, n).id], csspgo_node_loc(p, n), e[n.id].count);
    }
    return e;
}

/* Counts an inlinee's entries where it is called. */
static csspgo_status sites_count(csspgo_profile *p, const entry *e)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    csspgo_status s = CSSPGO_OK;
    csspgo_node n;
    for (n.id = 2; n.id < nodes && s == CSSPGO_OK; n.id++)
        if (csspgo_node_kind_of(p, n) == CSSPGO_INLINEE)
            s = csspgo_add_body(p, csspgo_node_parent(p, n), csspgo_node_loc(p, n), e[n.id].count);
    return s;
}

/* GCC takes a function for one that never runs, whatever its counts, if its head count is 0: `main` for one. */
static csspgo_status heads_count(csspgo_profile *p, const entry *e)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    csspgo_status s = CSSPGO_OK;
    csspgo_node n;
    for (n.id = 2; n.id < nodes && s == CSSPGO_OK; n.id++)
        if (csspgo_node_kind_of(p, n) == CSSPGO_PLAIN && csspgo_head(p, n) == 0)
            s = csspgo_add_head(p, n, e[n.id].count);
    return s;
}

/* Adds the record of a node of `from` to a node of p. */
static csspgo_status record_add(csspgo_profile *p, csspgo_node to, const csspgo_profile *from, csspgo_node n)
{
    size_t bodies, targets, i;
    const csspgo_body *b = csspgo_bodies(from, n, &bodies);
    const csspgo_target *t = csspgo_targets(from, n, &targets);
    csspgo_status s = CSSPGO_OK;
    for (i = 0; i < bodies && s == CSSPGO_OK; i++) s = csspgo_add_body(p, to, b[i].loc, b[i].count);
    for (i = 0; i < targets && s == CSSPGO_OK; i++) s = csspgo_add_target(p, to, t[i].loc, t[i].func, t[i].count);
    return s;
}

/* Adds an inlinee of `from`, with its inlinees, to its function in p. copy: for each node of `from` its node of p. */
static csspgo_status inlinee_add(csspgo_profile *p, const csspgo_profile *from, csspgo_node top, uint64_t entered,
                                 csspgo_node *copy)
{
    csspgo_node n = top;
    csspgo_status s;
    copy[n.id] = csspgo_node_add(p, csspgo_root(p), csspgo_at(0, 0), CSSPGO_PLAIN, csspgo_node_func(from, n));
    if (copy[n.id].id == 0) return CSSPGO_E_NOMEM;
    s = csspgo_add_head(p, copy[n.id], entered);
    while (s == CSSPGO_OK && n.id != 0) {
        s = record_add(p, copy[n.id], from, n);
        n = csspgo_node_next(from, top, n);
        if (s != CSSPGO_OK || n.id == 0) break;
        copy[n.id] = csspgo_node_add(p, copy[csspgo_node_parent(from, n).id], csspgo_node_loc(from, n), CSSPGO_INLINEE,
                                     csspgo_node_func(from, n));
        if (copy[n.id].id == 0) s = CSSPGO_E_NOMEM;
    }
    return s;
}

/* 1 if samples become a profile in GCC's form: it has no contexts. */
int is_for_gcc(const profgen *g)
{
    const long long format = g->o[O_FORMAT].number;
    return (format == FORMAT_GCC || format == FORMAT_GCOV) && g->lines != NULL && g->sampled == NULL &&
           !g->tool->compat;
}

/* 1 for the versions of a GCC that does not look after inlinees itself. */
int is_for_old_gcc(const profgen *g)
{
    return is_for_gcc(g) && (g->o[O_GCOV_VERSION].number == 1 || g->o[O_GCOV_VERSION].number == 2);
}

csspgo_status profgen_for_gcc(csspgo_profile *p)
{
    entry *e = entries_of(p);
    csspgo_status s = e != NULL ? sites_count(p, e) : CSSPGO_E_NOMEM;
    csspgo_profile *from = s == CSSPGO_OK ? csspgo_profile_clone(p, NULL) : NULL;
    csspgo_node *copy = (csspgo_node *)calloc(csspgo_node_count(p) + (size_t)2, sizeof *copy);
    csspgo_node n;
    if (s == CSSPGO_OK) s = heads_count(p, e);
    free(e);
    e = from != NULL ? entries_of(from) : NULL;            /* a copy's nodes are numbered anew */
    if (s == CSSPGO_OK && (e == NULL || copy == NULL)) s = CSSPGO_E_NOMEM;
    for (n.id = 2; s == CSSPGO_OK && n.id < csspgo_node_count(from) + 2; n.id++)
        if (csspgo_node_kind_of(from, n) == CSSPGO_INLINEE) s = inlinee_add(p, from, n, e[n.id].count, copy);
    if (s == CSSPGO_OK) csspgo_recount_totals(p);
    csspgo_profile_free(from);
    free(copy);
    free(e);
    return s;
}
