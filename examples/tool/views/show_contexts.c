/* show_contexts.c - show --contexts: the tree of contexts */
#include "views.h"

typedef struct tree_row {
    csspgo_node node;
    size_t      up, child, children;   /* rows: the parent's; the first child's; how many                  */
    uint64_t    self, sum;        /* samples in it and not in its inlinees; with everything below; saturate */
    double      real;             /* sum, for shares                                                      */
    unsigned    depth;            /* frames                                                               */
} tree_row;

/* What has most below it first, then by call site and name. */
static int tree_order(const void *a, const void *b, void *ctx)
{
    csspgo_profile *p = (csspgo_profile *)ctx;
    const tree_row *x = (const tree_row *)a, *y = (const tree_row *)b;
    const csspgo_loc s = csspgo_node_loc(p, x->node), t = csspgo_node_loc(p, y->node);
    int c;
    if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
    if (!same_loc(s, t)) return loc_before(s, t) ? -1 : 1;
    c = name_order(p, csspgo_node_func(p, x->node), csspgo_node_func(p, y->node));
    return c != 0 ? c : (int)csspgo_node_kind_of(p, x->node) - (int)csspgo_node_kind_of(p, y->node);
}

/* All nodes level by level, siblings side by side; row 0 is the root. NULL when memory is exhausted. */
static tree_row *tree_rows(csspgo_profile *p, size_t *rows)
{
    tree_row *v = (tree_row *)calloc(csspgo_node_count(p) + (size_t)1, sizeof *v);
    size_t n = 1, i;
    if (v == NULL) return NULL;
    v[0].node = csspgo_root(p);
    for (i = 0; i < n; i++) {
        csspgo_node c = csspgo_node_first_child(p, v[i].node);
        v[i].child = n;
        for (; c.id != 0; c = csspgo_node_next_sibling(p, c)) {
            v[n].node = c;
            v[n].up = i;
            v[n].depth = v[i].depth + 1;
            v[n++].self = views_self(p, c);
        }
        v[i].children = n - v[i].child;
    }
    for (i = n; i-- > 0;) {
        v[i].sum = sum_of(v[i].sum, v[i].self);
        v[i].real += (double)v[i].self;
        if (i == 0) break;
        v[v[i].up].sum = sum_of(v[v[i].up].sum, v[i].sum);
        v[v[i].up].real += v[i].real;
    }
    for (i = 0; i < n; i++) qsort_r(v + v[i].child, v[i].children, sizeof *v, tree_order, p);
    *rows = n;
    return v;
}

static double tree_percent(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

static void tree_print_row(show *s, const tree_row *r, double all)
{
    const uint32_t a = csspgo_attributes(s->p, r->node);
    const int inlinee = csspgo_node_kind_of(s->p, r->node) == CSSPGO_INLINEE;
    fprintf(s->out, "%14" PRIu64 " %7.2f%% %7.2f%% %12" PRIu64 "  %c%c%c  ", csspgo_total(s->p, r->node),
            tree_percent((double)r->self, all), tree_percent(r->real, all), csspgo_head(s->p, r->node),
            a & CSSPGO_WAS_INLINED || inlinee ? 'i' : '-', a & CSSPGO_SHOULD_BE_INLINED ? 's' : '-',
            a & CSSPGO_DUPLICATED_INTO_BASE ? 'd' : '-');
    indent(s->out, 2 * (r->depth - 1));
    if (r->depth > 1) {
        put_loc(csspgo_node_loc(s->p, r->node), s->out);
        fputs(" @ ", s->out);
    }
    put_name_safe(s->tool, s->p, csspgo_node_func(s->p, r->node), s->out);
    putc('\n', s->out);
}

typedef struct tree_figures {
    uint64_t records, depths, deep;   /* contexts, the sum of their depths, samples deeper than 1 */
    double   deep_real;               /* the latter, for shares                                   */
    size_t   functions;
    unsigned depth;
} tree_figures;

static tree_figures tree_figures_of(show *s, const tree_row *v, size_t n)
{
    tree_figures t;
    csspgo_func f;
    size_t k;
    memset(&t, 0, sizeof t);
    for (k = 1; k < n; k++) {
        if (!csspgo_has_record(s->p, v[k].node)) continue;
        t.records++;
        t.depths += v[k].depth;
        if (v[k].depth > t.depth) t.depth = v[k].depth;
        if (v[k].depth == 1) continue;
        t.deep = sum_of(t.deep, v[k].self);
        t.deep_real += (double)v[k].self;
    }
    for (f.id = 1; f.id <= csspgo_func_count(s->p); f.id++) {
        csspgo_node node = csspgo_func_nodes(s->p, f);
        while (node.id != 0 && !csspgo_has_record(s->p, node)) node = csspgo_node_next_same(s->p, node);
        t.functions += node.id != 0;
    }
    return t;
}

static const char *tree_form(const reading *how)
{
    static const char *const forms[] = { "?", "text", "binary 103", "extbinary 103", "gcov", "compact binary 103" };
    return forms[how->form < 6 ? how->form : 0];
}

/* The name of a flag of the profile, by its bit; NULL: it has none, or the profile does not have the flag. */
static const char *tree_flag(const csspgo_profile *p, unsigned bit)
{
    static const char *const flags[] = { "cs", "probe", "preinlined", "fs", "md5", NULL, "partial" };
    return bit < 7 && csspgo_profile_flags(p) >> bit & 1 ? flags[bit] : NULL;
}

/* Form and flags of the file; how many functions and contexts; how deep these are and how much is in them. */
static void tree_print_head(show *s, const reading *how, const tree_figures *t, const tree_row *all)
{
    unsigned i;
    fprintf(s->out, "%s;", tree_form(how));
    for (i = 0; i < 7; i++)
        if (tree_flag(s->p, i) != NULL) fprintf(s->out, " %s", tree_flag(s->p, i));
    fprintf(s->out, "%s%zu functions, %" PRIu64 " contexts, depth at most %u, %.2f on average, %.2f%% of %" PRIu64
            " samples deeper than 1\n", csspgo_profile_flags(s->p) & ~(uint32_t)CSSPGO_HAS_UNIQ ? "; " : " ",
            t->functions, t->records, t->depth, t->records != 0 ? (double)t->depths / (double)t->records : 0,
            tree_percent(t->deep_real, all->real), all->sum);
    fputs("         total    share    cum.           head  isd  context"
          "     (i inlined, s should be, d duplicated into base)\n", s->out);
}

static void json_tree_head(show *s, const reading *how, const tree_figures *t, uint64_t all)
{
    unsigned i, n = 0;
    fprintf(s->out, "{\n  \"format\": \"%s\",\n  \"flags\": [", tree_form(how));
    for (i = 0; i < 7; i++)
        if (tree_flag(s->p, i) != NULL) fprintf(s->out, "%s\"%s\"", n++ != 0 ? ", " : "", tree_flag(s->p, i));
    putc(']', s->out);
    json_number(s->out, 0, 2, "functions", t->functions);
    json_number(s->out, 0, 2, "records", t->records);
    json_number(s->out, 0, 2, "max_depth", t->depth);
    json_number(s->out, 0, 2, "samples", all);
    json_number(s->out, 0, 2, "samples_deeper_than_1", t->deep);
    json_line(s->out, 0, 2);
    fputs("\"contexts\": [", s->out);
}

/* A row stands behind its parent, the last one before it with a smaller depth: no parser has to nest as contexts do. */
static void json_tree_row(show *s, const tree_row *r, int first)
{
    const uint32_t a = csspgo_attributes(s->p, r->node);
    const csspgo_loc loc = csspgo_node_loc(s->p, r->node);
    const int inlinee = csspgo_node_kind_of(s->p, r->node) == CSSPGO_INLINEE;
    json_line(s->out, first, 4);
    fprintf(s->out, "{ \"depth\": %u, ", r->depth);
    if (r->depth > 1) fprintf(s->out, "\"line\": %u, ", loc.line);
    if (r->depth > 1 && loc.discriminator != 0) fprintf(s->out, "\"discriminator\": %u, ", loc.discriminator);
    fputs("\"function\": ", s->out);
    json_name(s, csspgo_node_func(s->p, r->node));
    fprintf(s->out, ", \"total\": %" PRIu64 ", \"self\": %" PRIu64 ", \"cumulative\": %" PRIu64
            ", \"head\": %" PRIu64 ", \"inlined\": %s, \"should_inline\": %s, \"duplicated\": %s }",
            csspgo_total(s->p, r->node), r->self, r->sum, csspgo_head(s->p, r->node),
            a & CSSPGO_WAS_INLINED || inlinee ? "true" : "false", a & CSSPGO_SHOULD_BE_INLINED ? "true" : "false",
            a & CSSPGO_DUPLICATED_INTO_BASE ? "true" : "false");
}

int show_contexts(show *s, const reading *how, int json)
{
    const unsigned long long most = (unsigned long long)s->o[S_CONTEXTS].number;   /* -1: all */
    size_t n, i, top = 0;
    int first = 1;
    tree_figures t;
    tree_row *v = tree_rows(s->p, &n);
    size_t *stack = v != NULL ? (size_t *)malloc(n * sizeof *stack) : NULL;
    if (stack == NULL) {
        free(v);
        return fail(s->tool, "out of memory"), 0;
    }
    t = tree_figures_of(s, v, n);
    if (json) json_tree_head(s, how, &t, v[0].sum);
    else tree_print_head(s, how, &t, &v[0]);
    for (stack[top++] = 0; top != 0;) {
        const tree_row *r = &v[stack[--top]];
        if (r->depth != 0 && json) json_tree_row(s, r, first), first = 0;
        else if (r->depth != 0) tree_print_row(s, r, v[0].real);
        if (r->depth < most)
            for (i = r->children; i-- > 0;) stack[top++] = r->child + i;
    }
    if (json) fputs("\n  ]", s->out);
    free(stack);
    free(v);
    if (!show_list(s) || !show_others(s, json, 0)) return 0;
    if (json) fputs("\n}\n", s->out);
    return 1;
}
