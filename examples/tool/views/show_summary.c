/* show_summary.c - show: summary and hot functions */
#include "views.h"

/* The summary that stood in the file, else a new one. Returns the number of cutoffs. */
static size_t show_summary_of(csspgo_profile *p, csspgo_summary *sum, csspgo_cutoff *own, csspgo_status *status)
{
    size_t n = CSSPGO_CUTOFFS;
    *status = CSSPGO_OK;
    if (csspgo_stored_summary(p, sum, &n)) return n;
    csspgo_default_cutoffs(own);
    *status = csspgo_compute_summary(p, own, CSSPGO_CUTOFFS, sum, NULL);
    return CSSPGO_CUTOFFS;
}

static csspgo_cutoff show_cutoff(const csspgo_profile *p, const csspgo_cutoff *own, size_t i)
{
    csspgo_summary sum;
    size_t n;
    return csspgo_stored_summary(p, &sum, &n) ? csspgo_stored_cutoff(p, i) : own[i];
}

static void json_summary(show *s, const csspgo_summary *sum, const csspgo_cutoff *own, size_t n)
{
    size_t i;
    putc('{', s->out);
    json_number(s->out, 1, 4, "functions", sum->functions);
    json_number(s->out, 0, 4, "max_function_count", sum->max_head);
    json_number(s->out, 0, 4, "max_block_count", sum->max_count);
    json_number(s->out, 0, 4, "blocks", sum->counts);
    json_number(s->out, 0, 4, "total_count", sum->total);
    json_line(s->out, 0, 4);
    fputs("\"cutoffs\": [", s->out);
    for (i = 0; i < n; i++) {
        const csspgo_cutoff c = show_cutoff(s->p, own, i);
        json_line(s->out, i == 0, 6);
        fprintf(s->out, "{ \"ppm\": %" PRIu64 ", \"min_count\": %" PRIu64 ", \"blocks\": %" PRIu64 " }", c.ppm,
                c.min_count, c.counts);
    }
    json_line(s->out, 1, 4);
    fputs("]\n  }", s->out);
}

static int show_summary(show *s, int json)
{
    const int newer = s->tool->compat >= 20;      /* LLVM 20 and later: a maximum of instrumented blocks, and shares */
    csspgo_cutoff own[CSSPGO_CUTOFFS];
    csspgo_summary sum;
    csspgo_status status;
    const size_t n = show_summary_of(s->p, &sum, own, &status);
    size_t i;
    if (status != CSSPGO_OK) return fail(s->tool, "%s", csspgo_status_text(status)), 0;
    if (json) return json_summary(s, &sum, own, n), 1;
    fprintf(s->out, "Total functions: %" PRIu64 "\nMaximum function count: %" PRIu64 "\nMaximum %s: %" PRIu64
            "\nTotal number of blocks: %" PRIu64 "\nTotal count: %" PRIu64 "\nDetailed summary:\n",
            sum.functions, sum.max_head, newer ? "internal block count" : "block count", newer ? 0 : sum.max_count,
            sum.counts, sum.total);
    for (i = 0; i < n; i++) {
        const csspgo_cutoff c = show_cutoff(s->p, own, i);
        fprintf(s->out, "%" PRIu64 " blocks ", c.counts);
        if (newer) fprintf(s->out, "(%.2f%%) ", percent(c.counts, sum.counts));
        fprintf(s->out, "with count >= %" PRIu64 " account for %0.6g%s of the total counts.\n", c.min_count,
                (double)((float)c.ppm / 1000000 * 100), newer ? "%" : " percentage");
    }
    return 1;
}

/* A cell of a table whose next column begins at `column`, with one space before it at least. */
unsigned cell_pad(FILE *out, unsigned at, unsigned column)
{
    const unsigned n = at < column ? column - at : 1;
    indent(out, n);
    return at + n;
}

static uint64_t show_hot_threshold(show *s, csspgo_status *status)
{
    csspgo_cutoff own[CSSPGO_CUTOFFS];
    csspgo_summary sum;
    size_t i, n = show_summary_of(s->p, &sum, own, status);
    for (i = 0; i < n && *status == CSSPGO_OK; i++) {
        const csspgo_cutoff c = show_cutoff(s->p, own, i);
        if (c.ppm == 990000) return c.min_count;
    }
    return 0;
}

static void show_hot_row(show *s, const show_row *r, double all)
{
    const uint64_t total = csspgo_total(s->p, r->node);
    unsigned at =
        (unsigned)fprintf(s->out, " %" PRIu64 " (%.2f%%)", total, all > 0 ? (double)total * 100.0 / all : 0);
    at = cell_pad(s->out, at, 24);
    at += (unsigned)fprintf(s->out, "%" PRIu64, r->max);
    at = cell_pad(s->out, at, 42);
    at += (unsigned)fprintf(s->out, "%" PRIu64, r->entries);
    cell_pad(s->out, at, 58);
    put_context_shown(s->tool, s->p, r->node, s->out);
    putc('\n', s->out);
}

typedef struct hot_figures {
    uint64_t least;               /* the count from which on a function is hot */
    uint64_t hot, functions;      /* functions that are, all                   */
    uint64_t hot_total, total;    /* samples of these; saturate                */
    double   hot_sum, sum;        /* the same, for shares                      */
} hot_figures;

/* Adds to a sum; LLVM's are mod 2^64. */
static void show_hot_add(const show *s, uint64_t *total, double *sum, uint64_t more)
{
    *total = s->tool->compat ? *total + more : sum_of(*total, more);
    *sum = s->tool->compat ? (double)*total : *sum + (double)more;
}

static hot_figures show_hot_figures(show *s, csspgo_status *status)
{
    hot_figures h;
    size_t i;
    memset(&h, 0, sizeof h);
    h.least = show_hot_threshold(s, status);
    for (i = 0; i < s->rows; i++) {
        const uint64_t t = csspgo_total(s->p, s->row[i].node);
        if (s->row[i].nest != 0) continue;
        h.functions++;
        show_hot_add(s, &h.total, &h.sum, t);
        if (s->row[i].max < h.least) continue;
        h.hot++;
        show_hot_add(s, &h.hot_total, &h.hot_sum, t);
    }
    return h;
}

static void show_hot_head(const show *s, const hot_figures *h)
{
    char share[32];
    snprintf(share, sizeof share, h->functions == 0 && s->tool->compat ? "-nan%%" : "%.2f%%",
             percent(h->hot, h->functions));
    fprintf(s->out,
            "%" PRIu64 " out of %" PRIu64
            " functions with profile (%s) are considered hot functions (max sample >= %" PRIu64 ").\n",
            h->hot, h->functions, share, h->least);
    fprintf(s->out, "%" PRIu64 " out of %" PRIu64 " profile counts (%.2f%%) are from hot functions.\n", h->hot_total,
            h->total, h->sum > 0 ? 100.0 * h->hot_sum / h->sum : 0);
    fputs(" Total sample (%)       Max sample        Entry sample    Function name\n", s->out);
}

static void json_hot_head(const show *s, const hot_figures *h)
{
    putc('{', s->out);
    json_number(s->out, 1, 4, "threshold", h->least);
    json_number(s->out, 0, 4, "hot_functions", h->hot);
    json_number(s->out, 0, 4, "functions", h->functions);
    json_number(s->out, 0, 4, "hot_total", h->hot_total);
    json_number(s->out, 0, 4, "total", h->total);
    json_line(s->out, 0, 4);
    fputs("\"list\": [", s->out);
}

static int json_hot_row(const show *s, const show_row *r, int first)
{
    char *context = context_text(s->p, r->node);
    if (context == NULL) return fail(s->tool, "out of memory"), 0;
    json_line(s->out, first, 6);
    fputs("{ \"function\": ", s->out);
    json_string(s->out, context, strlen(context));
    fprintf(s->out, ", \"total\": %" PRIu64 ", \"max\": %" PRIu64 ", \"entries\": %" PRIu64 " }",
            csspgo_total(s->p, r->node), r->max, r->entries);
    free(context);
    return 1;
}

static int show_hot(show *s, int json)
{
    const uint64_t top = (uint64_t)s->o[S_TOP].number, most = top != 0 ? top : (uint64_t)s->o[S_TOPN].number;
    csspgo_status status;
    const hot_figures h = show_hot_figures(s, &status);
    const uint64_t least = top != 0 ? 0 : h.least;
    uint64_t printed = 0;
    size_t i;
    if (status != CSSPGO_OK) return fail(s->tool, "%s", csspgo_status_text(status)), 0;
    if (json) json_hot_head(s, &h);
    else show_hot_head(s, &h);
    for (i = 0; i < s->rows && (most == 0 || printed < most); i++) {
        if (s->row[i].nest != 0 || s->row[i].max < least) continue;
        if (!json) show_hot_row(s, &s->row[i], h.sum);
        else if (!json_hot_row(s, &s->row[i], printed == 0)) return 0;
        printed++;
    }
    if (json) fputs("\n    ]\n  }", s->out);
    return 1;
}

int show_wants_hot(const option *o)
{
    return o[S_HOT].number || o[S_TOPN].number || o[S_TOP].number;
}

int show_others(show *s, int json, int first)
{
    static const char *const keys[] = { "symbols", "summary", "hot" };
    static int (*const print[])(show *s, int json) = { show_symbols, show_summary, show_hot };
    const option *o = s->o;
    const int asked[] = { o[S_SYMBOLS].number != 0, o[S_SUMMARY].number || o[S_ONLY].number, show_wants_hot(o) };
    size_t i;
    for (i = 0; i < 3; i++) {
        if (!asked[i]) continue;
        if (json) fprintf(s->out, "%s\n  \"%s\": ", first ? "" : ",", keys[i]);
        if (!print[i](s, json)) return 0;
        first = 0;
    }
    return 1;
}
