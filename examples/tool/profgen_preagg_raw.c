/*
 * profgen_preagg_raw.c - profgen: pre-aggregated text of raw counters
 *
 * Contexts add up. A range that begins behind a call was entered by a return, from another function, unless a branch of
 * its own function goes there: then as often as returns were counted.
 */
#include "profgen.h"

typedef struct raw_count {
    uint64_t from, to, count;     /* of a range: its begin and end */
    int      branch;
} raw_count;

/* Ranges by begin and end; behind them branches by target. */
static int raw_cmp(const void *a, const void *b)
{
    const raw_count *x = (const raw_count *)a, *y = (const raw_count *)b;
    const uint64_t m = x->branch ? x->to : x->from, n = y->branch ? y->to : y->from;
    if (x->branch != y->branch) return x->branch - y->branch;
    if (m != n) return m < n ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* What is in lines like 1a-2b:3 and 1a->2b:3, for free(). NULL: out of memory. */
static raw_count *raw_parse(const char *text, size_t *count)
{
    const char *p;
    size_t lines = 1, n = 0, i;
    raw_count *v;
    for (p = text; *p != '\0'; p++) lines += *p == '\n';
    v = (raw_count *)calloc(lines, sizeof *v);
    for (p = text; v != NULL && p != NULL && *p != '\0'; p = strchr(p, '\n'), p += p != NULL) {
        char *at;
        const uint64_t from = strtoull(p, &at, 16);
        if (at == p || *at != '-') continue;               /* a context, or how many follow */
        v[n].branch = at[1] == '>';
        v[n].from = from;
        v[n].to = strtoull(at + 1 + v[n].branch, &at, 16);
        v[n].count = strtoull(at + 1, NULL, 10);
        n++;
    }
    if (n != 0) qsort(v, n, sizeof *v, raw_cmp);
    for (i = *count = 0; i < n; i++)
        if (*count == 0 || raw_cmp(&v[*count - 1], &v[i]) != 0) v[(*count)++] = v[i];
        else v[*count - 1].count = sum_of(v[*count - 1].count, v[i].count);
    return v;
}

/* 1 if two addresses are in one function. */
static int same_function(const profgen *g, uint64_t a, uint64_t b)
{
    const load_range *r = g->image.range;
    size_t first = 0, end = g->image.ranges;
    while (first < end) {
        const size_t m = first + (end - first) / 2;
        if (r[m].end <= a) first = m + 1;
        else end = m;
    }
    return first < g->image.ranges && r[first].begin <= a && r[first].begin <= b && b < r[first].end;
}

/* How often returns went to an address, of branches by target; UINT64_MAX: nothing else went there. */
static uint64_t raw_returns(const profgen *g, const raw_count *branch, size_t branches, uint64_t to)
{
    size_t a = 0, b = branches;
    uint64_t n = 0;
    int jumps = 0;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (branch[m].to < to) a = m + 1;
        else b = m;
    }
    for (; a < branches && branch[a].to == to; a++)
        if (same_function(g, to, branch[a].from)) jumps = 1;
        else n = sum_of(n, branch[a].count);
    return jumps ? n : UINT64_MAX;
}

static csspgo_status raw_put(profgen *g, uint32_t kind, const raw_count *c, uint64_t count)
{
    csspgo_preagg_line line;
    memset(&line, 0, sizeof line);
    line.kind = kind;
    line.from = kind == 'B' ? c->from : 0;
    line.to = kind == 'B' ? c->to : c->from;
    line.end = kind == 'B' ? 0 : c->to;
    line.count = count;
    return count != 0 ? csspgo_aggregator_count(g->aggregator, &line, 1, NULL) : CSSPGO_OK;
}

/* All counters: v has n, ranges first. */
static csspgo_status raw_put_all(profgen *g, const raw_count *v, size_t n)
{
    csspgo_status s = CSSPGO_OK;
    uint64_t returns = 0;
    size_t ranges = 0, i;
    while (ranges < n && !v[ranges].branch) ranges++;
    for (i = 0; i < n && s == CSSPGO_OK; i++) {
        const raw_count *c = &v[i];
        uint64_t returned;
        if (c->branch) {
            s = raw_put(g, 'B', c, c->count);
            continue;
        }
        if (i == 0 || v[i - 1].from != c->from)
            returns = csspgo_code_call_before(g->image.code, c->from) == 0 ? 0
                    : raw_returns(g, v + ranges, n - ranges, c->from);
        returned = returns < c->count ? returns : c->count;
        if (returns != UINT64_MAX) returns -= returned;
        s = raw_put(g, 'f', c, returned);
        if (s == CSSPGO_OK) s = raw_put(g, 'F', c, c->count - returned);
    }
    return s;
}

/* From the collector's counters to the aggregator's. Returns 0 after saying what is wrong. */
int preagg_take_raw(profgen *g)
{
    csspgo_unsymbolized_options raw;
    csspgo_status s;
    raw_count *v = NULL;
    char *text;
    size_t size = 0, n = 0;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image.module;
    s = csspgo_write_unsymbolized(g->collector, &raw, NULL, 0, &size, NULL);
    text = (char *)malloc(size + 1);
    if (text == NULL) s = CSSPGO_E_NOMEM;
    else if (size != 0) s = csspgo_write_unsymbolized(g->collector, &raw, text, size, &size, NULL);
    if (text != NULL) text[size] = '\0';
    if (s == CSSPGO_OK && (v = raw_parse(text, &n)) == NULL) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = raw_put_all(g, v, n);
    free(v);
    free(text);
    return s == CSSPGO_OK || (fail(g->tool, "%s", csspgo_status_text(s)), 0);
}
