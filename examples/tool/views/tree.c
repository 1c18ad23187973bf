/* tree.c - the tree that folded and flame show: a profile's, or contexts of exact counts, with the counters beside it
 *
 * Of exact counts only their sums are made. Functions without a caller, of whatever kind they are there, are the
 * outermost frames: one for each function.
 */
#include "views.h"

/* ----- exact counts ------------------------------------------------------------------------------------------------ */

/* Nobody is known to have called it. */
static int tree_outermost(const views_tree *t, csspgo_node n)
{
    return csspgo_node_kind_of(t->p, n) != CSSPGO_CONTEXT || csspgo_node_parent(t->p, n).id == csspgo_root(t->p).id;
}

/* The node in which an outermost frame is counted: the root that its function is, else the first one. */
static void tree_stand_in(views_tree *t, uint32_t *stands, csspgo_node n)
{
    uint32_t *at = &stands[csspgo_node_func(t->p, n).id];
    if (*at == 0 || csspgo_node_kind_of(t->p, n) == CSSPGO_CONTEXT) *at = n.id;
}

/* Adds what a node counted to that of node `to`: its counters, and the entries of its callees. */
static void tree_count(views_tree *t, csspgo_node n, uint32_t to)
{
    const csspgo_ctx *c = contextual_counts(t->exact);
    size_t count, i;
    const uint64_t *v = csspgo_ctx_get_counters(c, n, &count);
    t->head[to] = sum_of(t->head[to], v[0]);
    for (i = 0; i < count; i++) t->self[to] = sum_of(t->self[to], v[i]);
    for (n = csspgo_node_first_child(t->p, n); n.id != 0; n = csspgo_node_next_sibling(t->p, n))
        if (csspgo_node_kind_of(t->p, n) == CSSPGO_CONTEXT)
            t->self[to] = sum_of(t->self[to], *csspgo_ctx_get_counters(c, n, &count));
}

/*
 * Sums up the counters and links the children of each node, the youngest one first as in a profile; an outermost frame
 * is as old as the first node of its function.
 */
static void tree_counts(views_tree *t, uint32_t top, uint32_t *stands)
{
    const uint32_t root = csspgo_root(t->p).id;
    csspgo_node n;
    for (n.id = root + 1; n.id <= top; n.id++)
        if (tree_outermost(t, n)) tree_stand_in(t, stands, n);
    for (n.id = root + 1; n.id <= top; n.id++) {
        uint32_t *const stand = &stands[csspgo_node_func(t->p, n).id];
        const int outermost = tree_outermost(t, n);
        const uint32_t to = outermost ? *stand & ~TREE_LINKED : n.id, parent = tree_parent(t, n).id;
        tree_count(t, n, to);
        if (outermost && *stand & TREE_LINKED) continue;
        if (outermost) *stand |= TREE_LINKED;
        t->next[to] = t->child[parent];
        t->child[parent] = to;
    }
    for (n.id = root; n.id <= top; n.id++) t->records += t->self[n.id] != 0 || t->head[n.id] != 0;
}

/* Returns 0: out of memory. */
static int tree_exact(views_tree *t)
{
    const uint32_t top = csspgo_node_count(t->p) + 1;
    uint32_t *stands = (uint32_t *)calloc((size_t)csspgo_func_count(t->p) + 1, sizeof *stands);
    t->self = (uint64_t *)calloc((size_t)top + 1, sizeof *t->self);
    t->head = (uint64_t *)calloc((size_t)top + 1, sizeof *t->head);
    t->child = (uint32_t *)calloc((size_t)top + 1, sizeof *t->child);
    t->next = (uint32_t *)calloc((size_t)top + 1, sizeof *t->next);
    if (stands == NULL || t->self == NULL || t->head == NULL || t->child == NULL || t->next == NULL)
        return free(stands), 0;
    tree_counts(t, top, stands);
    free(stands);
    return 1;
}

/* ----- both -------------------------------------------------------------------------------------------------------- */

/* Reads a profile, or exact counts with the names that are known. */
csspgo_status tree_open(views_tree *t, const tool_context *tool, const char *path, const file_bytes *f,
                        const name_table *names, csspgo_error *e)
{
    csspgo_profile *p;
    memset(t, 0, sizeof *t);
    memset(e, 0, sizeof *e);
    if (!is_contextual(tool, f)) {
        t->p = t->own = p = csspgo_profile_new(seeded(), e);
        if (p != NULL && file_read(p, path, f, e) == CSSPGO_OK && has_files(f)) drop_files(p, e);
        return e->status;
    }
    t->exact = contextual_open(tool, path, f, names, e);
    if (t->exact == NULL) return e->status;
    t->p = csspgo_ctx_contexts(contextual_counts(t->exact));
    if (tree_exact(t)) return CSSPGO_OK;
    snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(CSSPGO_E_NOMEM));
    return e->status = CSSPGO_E_NOMEM;
}

views_tree tree_of(csspgo_profile *p)
{
    views_tree t;
    memset(&t, 0, sizeof t);
    t.p = t.own = p;
    return t;
}

void tree_close(views_tree *t)
{
    csspgo_profile_free(t->own);
    contextual_close(t->exact);
    free(t->self);
    free(t->head);
    free(t->child);
    free(t->next);
    memset(t, 0, sizeof *t);
}

csspgo_node tree_parent(const views_tree *t, csspgo_node n)
{
    return t->exact != NULL && tree_outermost(t, n) ? csspgo_root(t->p) : csspgo_node_parent(t->p, n);
}

csspgo_node tree_child(const views_tree *t, csspgo_node n)
{
    if (t->exact == NULL) return csspgo_node_first_child(t->p, n);
    n.id = t->child[n.id];
    return n;
}

csspgo_node tree_sibling(const views_tree *t, csspgo_node n)
{
    if (t->exact == NULL) return csspgo_node_next_sibling(t->p, n);
    n.id = t->next[n.id];
    return n;
}

csspgo_node tree_next(const views_tree *t, csspgo_node n)
{
    csspgo_node next = tree_child(t, n);
    while (next.id == 0 && n.id != csspgo_root(t->p).id) {
        next = tree_sibling(t, n);
        n = tree_parent(t, n);
    }
    return next;
}

csspgo_loc tree_loc(const views_tree *t, csspgo_node n)
{
    if (t->exact == NULL) return csspgo_node_loc(t->p, n);
    return tree_outermost(t, n) ? csspgo_loc_at(0, 0) : contextual_loc(t->exact, n);
}

uint64_t views_self(const csspgo_profile *p, csspgo_node n)
{
    const uint64_t total = csspgo_total(p, n);
    uint64_t inlined = 0;
    csspgo_node c;
    for (c = csspgo_node_first_child(p, n); c.id != 0; c = csspgo_node_next_sibling(p, c))
        if (csspgo_node_kind_of(p, c) == CSSPGO_INLINEE) inlined = sum_of(inlined, csspgo_total(p, c));
    return total > inlined ? total - inlined : 0;
}

uint64_t tree_self(const views_tree *t, csspgo_node n)
{
    return t->exact != NULL ? t->self[n.id] : views_self(t->p, n);
}

uint64_t tree_head(const views_tree *t, csspgo_node n)
{
    return t->exact != NULL ? t->head[n.id] : csspgo_head(t->p, n);
}

uint64_t tree_checksum(const views_tree *t, csspgo_node n)
{
    if (t->exact == NULL) return csspgo_checksum(t->p, n);
    return t->self[n.id] != 0 ? contextual_checksum(t->exact, n) : 0;
}

csspgo_node_kind tree_kind(const views_tree *t, csspgo_node n)
{
    return t->exact != NULL ? CSSPGO_CONTEXT : csspgo_node_kind_of(t->p, n);
}

int tree_is_inlined(const views_tree *t, csspgo_node n)
{
    return tree_kind(t, n) == CSSPGO_INLINEE || (csspgo_attributes(t->p, n) & CSSPGO_WAS_INLINED) != 0;
}

uint32_t tree_flags(const views_tree *t)
{
    if (t->exact == NULL) return csspgo_profile_flags(t->p);
    return CSSPGO_IS_CS | (contextual_by_probe(t->exact) ? (uint32_t)CSSPGO_IS_PROBE : 0);
}

uint64_t tree_records(const views_tree *t)
{
    return t->exact != NULL ? t->records : csspgo_record_count(t->p);
}
