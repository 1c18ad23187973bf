/* show_text.c - show: records as text */
#include "views.h"

static csspgo_func show_func(const show *s, size_t row)
{
    return csspgo_node_func(s->p, s->row[row].node);
}

int same_loc(csspgo_loc a, csspgo_loc b)
{
    return a.line == b.line && a.discriminator == b.discriminator;
}

int loc_before(csspgo_loc a, csspgo_loc b)
{
    return a.line != b.line ? a.line < b.line : a.discriminator < b.discriminator;
}

/* The count of the first location: a body count or the calls of the inlinees there; at least 1 if there are samples. */
static uint64_t show_entries(const show *s, const show_row *r, uint64_t of_inlinees)
{
    const uint64_t head = csspgo_head(s->p, r->node);
    size_t n;
    const csspgo_body *b = csspgo_get_bodies(s->p, r->node, &n);
    uint64_t c = 0;
    if (head != 0 && csspgo_profile_flags(s->p) & CSSPGO_IS_CS) return head;
    if (n != 0 && (!r->inlinees || loc_before(b[0].loc, r->first))) c = b[0].count;
    else if (r->inlinees) c = of_inlinees;
    return c != 0 ? c : csspgo_total(s->p, r->node) != 0;
}

/* Sums that need the inlinees first: from the last row to the first. row.entries gathers the inlinees at row.first. */
static void show_sums(show *s)
{
    size_t i = s->rows, n;
    while (i-- > 0) {
        show_row *r = &s->row[i], *up = r->up != 0 ? &s->row[r->up - 1] : NULL;
        const csspgo_body *b = csspgo_get_bodies(s->p, r->node, &n);
        while (n-- > 0)
            if (b[n].count > r->max) r->max = b[n].count;
        r->entries = show_entries(s, r, r->entries);
        if (up == NULL) continue;
        if (r->max > up->max) up->max = r->max;
        if (!up->inlinees || !same_loc(up->first, csspgo_node_loc(s->p, r->node))) up->entries = 0;
        up->inlinees = 1;
        up->first = csspgo_node_loc(s->p, r->node);
        up->entries += r->entries;
    }
}

/* Makes the rows. Returns 0 after saying why not. */
int show_list(show *s)
{
    const size_t n = csspgo_record_count(s->p);
    csspgo_node *node = (csspgo_node *)malloc((n + 1) * sizeof *node);
    size_t i, up;
    s->row = (show_row *)calloc(n + 1, sizeof *s->row);
    if (node == NULL || s->row == NULL || csspgo_file_order(s->p, node, NULL) != CSSPGO_OK) {
        free(node);
        return fail(s->tool, "out of memory"), 0;
    }
    for (i = 0; i < n; i++) {
        show_row *r = &s->row[i];
        r->node = node[i];
        if (csspgo_node_kind_of(s->p, node[i]) != CSSPGO_INLINEE) continue;
        for (up = i; up != 0 && node[up - 1].id != csspgo_node_parent(s->p, node[i]).id;) up = s->row[up - 1].up;
        r->up = up;
        r->nest = up != 0 ? s->row[up - 1].nest + 1 : 0;
    }
    s->rows = n;
    free(node);
    show_sums(s);
    return 1;
}

static int show_target_order(const void *a, const void *b, void *ctx)
{
    const csspgo_target *x = (const csspgo_target *)a, *y = (const csspgo_target *)b;
    if (!same_loc(x->loc, y->loc)) return loc_before(x->loc, y->loc) ? -1 : 1;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return name_order((csspgo_profile *)ctx, x->func, y->func);
}

/* The call targets of a record into s->target: by location, largest first, then by name. Returns 0: out of memory. */
int show_targets(show *s, csspgo_node node)
{
    const csspgo_target *t = csspgo_get_targets(s->p, node, &s->targets);
    free(s->target);
    s->target = (csspgo_target *)malloc((s->targets + 1) * sizeof *s->target);
    if (s->target == NULL) return fail(s->tool, "out of memory"), 0;
    if (s->targets == 0) return 1;
    memcpy(s->target, t, s->targets * sizeof *t);
    qsort_r(s->target, s->targets, sizeof *t, show_target_order, s->p);
    return 1;
}

void indent(FILE *out, unsigned n)
{
    fprintf(out, "%*s", (int)n, "");
}

static int show_type_order(const void *a, const void *b, void *ctx)
{
    return name_order((csspgo_profile *)ctx, ((const csspgo_target *)a)->func, ((const csspgo_target *)b)->func);
}

/* The counts of object types at a location of a record, by name, if there are any. Returns 0: out of memory. */
static int show_types(show *s, csspgo_node node, csspgo_loc loc, unsigned in)
{
    size_t n, i, k;
    const csspgo_target *v = csspgo_get_vtables(s->p, node, &n);
    csspgo_target *t;
    while (n != 0 && loc_before(v->loc, loc)) v++, n--;
    for (k = 0; k < n && same_loc(v[k].loc, loc);) k++;
    if (k == 0) return 1;
    t = (csspgo_target *)malloc(k * sizeof *t);
    if (t == NULL) return fail(s->tool, "out of memory"), 0;
    memcpy(t, v, k * sizeof *t);
    qsort_r(t, k, sizeof *t, show_type_order, s->p);
    indent(s->out, in);
    put_loc(loc, s->out);
    fputs(": vtables: ", s->out);
    for (i = 0; i < k; i++) {
        put_name_shown(s->tool, s->p, t[i].func, s->out);
        fprintf(s->out, ":%" PRIu64 " ", t[i].count);
    }
    putc('\n', s->out);
    free(t);
    return 1;
}

/* The same where inlinee `row` ends, unless the row behind it, `next`, is one of the same call site. */
static int show_site_types(show *s, size_t row, size_t next, unsigned in)
{
    const show_row *r = &s->row[row], *behind = next < s->rows ? &s->row[next] : NULL;
    const csspgo_loc loc = csspgo_node_loc(s->p, r->node);
    if (behind != NULL && behind->up == r->up && same_loc(csspgo_node_loc(s->p, behind->node), loc)) return 1;
    return show_types(s, s->row[r->up - 1].node, loc, in);
}

static int show_record(show *s, csspgo_node node, unsigned in)
{
    size_t n, i, k = 0;
    const csspgo_body *b = csspgo_get_bodies(s->p, node, &n);
    const uint64_t checksum = csspgo_checksum(s->p, node);
    if (!show_targets(s, node)) return 0;
    if (checksum != 0) fprintf(s->out, "CFG checksum %" PRIu64 "\n", checksum);
    fprintf(s->out, "%" PRIu64 ", %" PRIu64 ", %zu sampled lines\n", csspgo_total(s->p, node), csspgo_head(s->p, node),
            n);
    indent(s->out, in);
    fputs(n != 0 ? "Samples collected in the function's body {\n" : "No samples collected in the function's body\n",
          s->out);
    for (i = 0; i < n; i++) {
        indent(s->out, in + 2);
        put_loc(b[i].loc, s->out);
        fprintf(s->out, ": %" PRIu64, b[i].count);
        if (k < s->targets && same_loc(s->target[k].loc, b[i].loc)) fputs(", calls:", s->out);
        for (; k < s->targets && same_loc(s->target[k].loc, b[i].loc); k++) {
            putc(' ', s->out);
            put_name_shown(s->tool, s->p, s->target[k].func, s->out);
            fprintf(s->out, ":%" PRIu64, s->target[k].count);
        }
        putc('\n', s->out);
        if (!show_types(s, node, b[i].loc, in + 2)) return 0;
    }
    if (n == 0) return 1;
    indent(s->out, in);
    fputs("}\n", s->out);
    return 1;
}

/* A row with all that is nested in it, in the words of llvm-profdata. Returns the row behind them; 0: out of memory. */
static size_t show_function(show *s, size_t i)
{
    const unsigned nest = s->row[i].nest;
    fputs("Function: ", s->out);
    put_context_shown(s->tool, s->p, s->row[i].node, s->out);
    fputs(": ", s->out);
    for (;;) {
        const show_row *r = &s->row[i];
        const unsigned in = 4 * (r->nest - nest);
        size_t ended = i;
        unsigned k, next;
        if (!show_record(s, r->node, in)) return 0;
        indent(s->out, in);
        fputs(r->inlinees ? "Samples collected in inlined callsites {\n" : "No inlined callsites in this function\n",
              s->out);
        i++;
        next = i < s->rows && s->row[i].nest > nest ? s->row[i].nest : nest;
        for (k = r->nest; k > nest && k >= next; k--, ended = s->row[ended].up - 1) {
            if (!show_site_types(s, ended, i, 4 * (k - 1 - nest) + 2)) return 0;
            if (k == next) break;
            indent(s->out, 4 * (k - 1 - nest));
            fputs("}\n", s->out);
        }
        if (next == nest) return i;
        indent(s->out, 4 * (next - 1 - nest) + 2);
        put_loc(csspgo_node_loc(s->p, s->row[i].node), s->out);
        fputs(": inlined callee: ", s->out);
        put_name_shown(s->tool, s->p, show_func(s, i), s->out);
        fputs(": ", s->out);
    }
}

int show_all(show *s)
{
    size_t i = 0;
    while (i < s->rows)
        if ((i = show_function(s, i)) == 0) return 0;
    return 1;
}

/* LLVM's --function prints an empty record for what is not there, and for anything in a profile with contexts. */
static int show_one_compat(show *s, csspgo_func f)
{
    size_t i;
    for (i = 0; i < s->rows && !(csspgo_profile_flags(s->p) & CSSPGO_IS_CS); i++)
        if (s->row[i].nest == 0 && show_func(s, i).id == f.id) return show_function(s, i) != 0;
    fputs("Function: : 0, 0, 0 sampled lines\nNo samples collected in the function's body\n"
          "No inlined callsites in this function\n", s->out);
    return 1;
}

/* --function: every context of it; where it has no record of its own, every inlined copy. */
int show_one(show *s, csspgo_func f, const char *name)
{
    size_t i, found = 0;
    unsigned any;
    if (s->tool->compat) return show_one_compat(s, f);
    for (any = 0; any < 2 && found == 0; any++)
        for (i = 0; i < s->rows && f.id != 0; i++) {
            if (show_func(s, i).id != f.id || (any == 0 && s->row[i].nest != 0)) continue;
            found++;
            if (show_function(s, i) == 0) return 0;
        }
    return found != 0 || (fail(s->tool, "the profile has no function '%s'", name), 0);
}
