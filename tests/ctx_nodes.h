/* ctx_nodes.h - nodes of contextual profiles in the terms of tests: kind, number of the call site, GUID */
#ifndef CTX_NODES_H
#define CTX_NODES_H

enum ctx_kind { CTX_ROOT, CTX_UNHANDLED, CTX_CALLEE, CTX_FLAT };

static inline csspgo_node_kind ctx_node_kind(enum ctx_kind kind)
{
    return kind == CTX_UNHANDLED ? CSSPGO_INLINEE : kind == CTX_FLAT ? CSSPGO_PLAIN : CSSPGO_CONTEXT;
}

static inline csspgo_node ctx_top(const csspgo_ctx *c)
{
    return csspgo_root(csspgo_ctx_contexts(c));
}

static inline csspgo_node ctx_parent(const csspgo_ctx *c, csspgo_node n)
{
    return csspgo_node_parent(csspgo_ctx_contexts(c), n);
}

static inline csspgo_node ctx_first_child(const csspgo_ctx *c, csspgo_node n)
{
    return csspgo_node_first_child(csspgo_ctx_contexts(c), n);
}

static inline csspgo_node ctx_next_sibling(const csspgo_ctx *c, csspgo_node n)
{
    return csspgo_node_next_sibling(csspgo_ctx_contexts(c), n);
}

/* The next node of a walk of all nodes, from the root of the tree on. */
static inline csspgo_node ctx_next(const csspgo_ctx *c, csspgo_node n)
{
    return csspgo_node_next(csspgo_ctx_contexts(c), ctx_top(c), n);
}

static inline uint64_t ctx_guid(const csspgo_ctx *c, csspgo_node n)
{
    return csspgo_func_guid(csspgo_ctx_contexts(c), csspgo_node_func(csspgo_ctx_contexts(c), n));
}

static inline uint32_t ctx_site(const csspgo_ctx *c, csspgo_node n)
{
    return csspgo_ctx_site_number(csspgo_node_loc(csspgo_ctx_contexts(c), n));
}

static inline enum ctx_kind ctx_kind_of(const csspgo_ctx *c, csspgo_node n)
{
    const csspgo_node_kind kind = csspgo_node_kind_of(csspgo_ctx_contexts(c), n);
    if (kind == CSSPGO_INLINEE) return CTX_UNHANDLED;
    if (kind == CSSPGO_PLAIN) return CTX_FLAT;
    return ctx_parent(c, n).id == ctx_top(c).id ? CTX_ROOT : CTX_CALLEE;
}

static inline csspgo_node ctx_child(const csspgo_ctx *c, csspgo_node up, enum ctx_kind kind, uint32_t site,
                                    uint64_t guid)
{
    const csspgo_profile *p = csspgo_ctx_contexts(c);
    return csspgo_child(p, up, csspgo_ctx_site(site), ctx_node_kind(kind), csspgo_func_find_guid(p, guid));
}

static inline csspgo_node ctx_add(csspgo_ctx *c, csspgo_node up, enum ctx_kind kind, uint32_t site, uint64_t guid,
                                  const uint64_t *counter, size_t count, csspgo_error *e)
{
    return csspgo_ctx_add(c, up, csspgo_ctx_site(site), ctx_node_kind(kind), guid, counter, count, e);
}

#endif
