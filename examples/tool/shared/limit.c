/* limit.c - output of at most so many bytes */
#include "limit.h"

#include <stdlib.h>

typedef struct limiting {
    const csspgo_profile *p;
    uint32_t     form;
    uint64_t     limit;           /* bytes             */
    size_t       tops;            /* top-level records */
} limiting;

/* A profile with the first `keep` top-level records, and its size as a file. NULL: err says why. */
static csspgo_profile *limit_try(const limiting *x, size_t keep, size_t *size, csspgo_error *err)
{
    csspgo_profile *q = csspgo_profile_clone(x->p, err);
    csspgo_node *node = NULL;
    size_t i, k = 0, n = csspgo_record_count(x->p);
    if (q == NULL) return NULL;
    node = (csspgo_node *)malloc((n + 1) * sizeof *node);   /* the clone's nodes, in the same order */
    if (node == NULL) {
        err->status = CSSPGO_E_NOMEM;
    } else if (csspgo_file_order(q, node, err) == CSSPGO_OK) {
        for (i = 0; i < n; i++)
            if (csspgo_node_kind_of(q, node[i]) != CSSPGO_INLINEE) node[k++] = node[i];
        if (csspgo_remove(q, node + keep, k - keep, err) == CSSPGO_OK) csspgo_write(q, x->form, NULL, 0, size, err);
    }
    free(node);
    if (err->status == CSSPGO_OK) return q;
    csspgo_profile_free(q);
    return NULL;
}

/* LLVM's doubles: `volatile` rounds each result where a compiler would keep more digits (x87). */
static size_t limit_step(size_t tops, uint64_t limit, size_t size)
{
    volatile double share = (double)limit / (double)size, left = (double)tops * share;
    size_t fewer;
    left = left * share;
    fewer = (size_t)left;
    fewer += left - (double)fewer >= 0.5;             /* rounded, halves up */
    return fewer < tops ? fewer : tops - 1;
}

/*
 * The profile that is written: LLVM's, or by bisection the one of which one more record would not fit. There is one copy
 * at a time beside x->p. NULL: failed.
 */
static csspgo_profile *limit_search(const limiting *x, int llvm, size_t size, csspgo_error *err)
{
    csspgo_profile *q = NULL;                         /* with the first `keep` records */
    size_t low = 0, high = x->tops, keep = 0;
    while (llvm ? high != 0 && size > x->limit : low + 1 < high) {
        keep = llvm ? limit_step(high, x->limit, size) : low + (high - low) / 2;
        csspgo_profile_free(q);
        q = keep != 0 ? limit_try(x, keep, &size, err) : NULL;
        if (keep != 0 && q == NULL) return NULL;
        if (llvm || size > x->limit) high = keep;
        else low = keep;
    }
    if (!llvm && keep != low) {
        csspgo_profile_free(q);
        q = low != 0 ? limit_try(x, low, &size, err) : NULL;
    }
    if (q == NULL && err->status == CSSPGO_OK) err->status = CSSPGO_E_LIMIT;
    return q;
}

csspgo_status write_limited(const csspgo_profile *p, uint32_t form, uint64_t limit, int llvm, unsigned char **bytes,
                            size_t *size, csspgo_error *err)
{
    csspgo_profile *q = NULL;
    limiting x;
    csspgo_node n = csspgo_root(p);
    *bytes = NULL;
    x.p = p;
    x.form = form;
    x.limit = limit;
    x.tops = 0;
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0)
        x.tops += csspgo_has_record(p, n) && csspgo_node_kind_of(p, n) != CSSPGO_INLINEE;
    if (csspgo_write(p, form, NULL, 0, size, err) == CSSPGO_OK && (*size > limit || (x.tops == 0 && llvm)))
        q = limit_search(&x, llvm, *size, err);
    if (err->status == CSSPGO_OK && q != NULL) csspgo_write(q, form, NULL, 0, size, err);
    if (err->status == CSSPGO_OK) {
        *bytes = (unsigned char *)malloc(*size + 1);
        if (*bytes == NULL) err->status = CSSPGO_E_NOMEM;
        else csspgo_write(q != NULL ? q : p, form, *bytes, *size + 1, size, err);
    }
    csspgo_profile_free(q);
    if (err->status == CSSPGO_OK) return CSSPGO_OK;
    free(*bytes);
    *bytes = NULL;
    *size = 0;
    return err->status;
}
