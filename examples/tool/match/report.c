/* report.c - match: the report */
#include "match.h"

static uint64_t match_body_sum(const csspgo_profile *p, csspgo_func f)
{
    csspgo_node v;
    uint64_t sum = 0;
    size_t i, n;
    for (v = csspgo_func_nodes(p, f); v.id != 0; v = csspgo_node_next_same(p, v)) {
        const csspgo_body *b = csspgo_get_bodies(p, v, &n);
        for (i = 0; i < n; i++) sum = sum_of(sum, b[i].count);
    }
    return sum;
}

static int match_old_order(const void *a, const void *b)
{
    const match_old *x = (const match_old *)a, *y = (const match_old *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->func.id < y->func.id ? -1 : x->func.id > y->func.id;
}

static int match_name_old(match_run *m)
{
    csspgo_func f;
    m->named = (match_old *)malloc((csspgo_func_count(m->old) + (size_t)1) * sizeof *m->named);
    for (f.id = 1; m->named != NULL && f.id <= csspgo_func_count(m->old); f.id++) {
        m->named[f.id - 1].guid = csspgo_func_guid(m->old, f);
        m->named[f.id - 1].func = f;
    }
    if (m->named != NULL) qsort(m->named, csspgo_func_count(m->old), sizeof *m->named, match_old_order);
    return m->named != NULL;
}

/* A function of the profile that has this GUID; there is one. */
static csspgo_func match_old_func(const match_run *m, uint64_t guid)
{
    size_t a = 0, b = csspgo_func_count(m->old);
    while (a + 1 < b) {
        const size_t mid = a + (b - a) / 2;
        if (m->named[mid].guid <= guid) a = mid;
        else b = mid;
    }
    return m->named[a].func;
}

static int match_row_order(const void *a, const void *b)
{
    const match_row *x = (const match_row *)a, *y = (const match_row *)b;
    if (x->lost != y->lost) return x->lost > y->lost ? -1 : 1;
    return x->old.id < y->old.id ? -1 : x->old.id > y->old.id;
}

/* csspgo_match_options.llvm of each word of --mode */
const uint32_t llvm_of_mode[] = { 0, 18, 19, 22 };

/* 1 if renamed functions are looked for: csspgo_match_options.rename */
static int match_renames(const match_run *m)
{
    const uint32_t mode = llvm_of_mode[m->o[MT_MODE].number];
    if (mode == 18) return 0;
    if (m->o[MT_RENAME].text != NULL) return m->o[MT_RENAME].number != 0;
    return mode == 0 || mode == 22;
}

/* A sentence of why a function lost samples. */
static void match_why(const match_run *m, const match_row *r, char *text, size_t size)
{
    const csspgo_match_outcome f = csspgo_matcher_get_outcome(m->matcher, r->guid);
    if (r->gone)
        snprintf(text, size, "no such function in the new program; %s",
                 match_renames(m) ? "none was found to be it under a new name" : "renamed ones were not looked for");
    else if (f.doubted)
        snprintf(text, size, "left without a profile (confidence %u%%): %u of %u call sites not found, %u of %u new "
                 "locations are not in the profile", f.confidence, f.lost_calls, f.calls, f.unknown, f.locations);
    else if (f.hurts)
        snprintf(text, size, "likelier to hurt than to help: counts contradict each other by %u%%; %u of %u call "
                 "sites not found", f.contradiction, f.lost_calls, f.calls);
    else if (f.locations == 0)
        snprintf(text, size, "the binary has no %s of it", m->lines != NULL ? "lines" : "probes");
    else if (f.lost_calls != 0)
        snprintf(text, size, "%u of %u call sites not found, %u of %u new locations are not in the profile",
                 f.lost_calls, f.calls, f.unknown, f.locations);
    else snprintf(text, size, "%u of %u new locations are not in the profile", f.unknown, f.locations);
}

static void match_worst(match_run *m, match_row *row, size_t n, FILE *out)
{
    const size_t top = (size_t)m->o[MT_TOP].number;
    char why[200];
    size_t i;
    if (n == 0 || top == 0) return;
    fprintf(out, "%16s %16s  %s\n", "lost samples", "of", "function");
    for (i = 0; i < n && i < top; i++) {
        fprintf(out, "%16" PRIu64 " %16" PRIu64 "  ", row[i].lost, row[i].samples);
        put_name_safe(m->tool, m->old, row[i].old, out);
        match_why(m, &row[i], why, sizeof why);
        fprintf(out, ": %s\n", why);
    }
    if (n > top) fprintf(out, "%zu more functions lost samples\n", n - top);
}

typedef struct match_line {       /* a row of the first table */
    const char *what;
    uint64_t    functions, samples, kept;
} match_line;

static void match_count(match_line *l, uint64_t samples, uint64_t lost)
{
    l->functions++;
    l->samples = sum_of(l->samples, samples);
    l->kept = sum_of(l->kept, samples - lost);
}

typedef struct match_claim {      /* of a function of the new code on one of the profile */
    csspgo_match_outcome about;
    size_t                code;
} match_claim;

/* By profile; its own name before a new one, then who keeps more. */
static int match_claim_order(const void *a, const void *b)
{
    const match_claim *x = (const match_claim *)a, *y = (const match_claim *)b;
    if (x->about.profile != y->about.profile) return x->about.profile < y->about.profile ? -1 : 1;
    if (x->about.renamed != y->about.renamed) return x->about.renamed < y->about.renamed ? -1 : 1;
    if (x->about.lost_samples != y->about.lost_samples)
        return x->about.lost_samples < y->about.lost_samples ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/*
 * Adds up the shares of the functions that claim one profile, claim[0..n): the first one gets the sums. By LLVM's rules
 * each has all of it; then only the first one counts.
 */
static csspgo_match_outcome match_claims_of(const match_run *m, const match_claim *claim, size_t n)
{
    csspgo_match_outcome all = claim[0].about;
    const uint64_t whole = n > 1 ? match_body_sum(m->old, match_old_func(m, all.profile)) : 0;
    size_t i;
    for (i = 1; i < n; i++) {
        const csspgo_match_outcome *const a = &claim[i].about;
        if (a->samples > whole || all.samples > whole - a->samples) continue;
        all.samples += a->samples;
        all.lost_samples += a->lost_samples;
    }
    return all;
}

/*
 * Functions of the profile that functions of the new code have, each once, even if several do. Their GUIDs, ascending:
 * to claimed; those that lost: to row. claim: room for one per function of the new code.
 */
static size_t match_rows_here(const match_run *m, match_line *line, uint64_t *claimed, match_row *row, size_t *rows,
                              match_claim *claim)
{
    size_t i, end, claims = 0, n = 0;
    for (i = 0; i < m->codes; i++) {
        claim[claims].about = csspgo_matcher_get_outcome(m->matcher, m->code[i].guid);
        claim[claims].code = i;
        claims += claim[claims].about.known != 0;
    }
    qsort(claim, claims, sizeof *claim, match_claim_order);
    for (i = 0; i < claims; i = end) {
        csspgo_match_outcome a;
        for (end = i + 1; end < claims && claim[end].about.profile == claim[i].about.profile; end++) {}
        a = match_claims_of(m, &claim[i], end - i);
        match_count(&line[a.renamed ? 2 : a.stale || (m->lines != NULL && a.mapped) ? 1 : 0], a.samples,
                    a.lost_samples);
        claimed[n++] = a.profile;
        if (a.lost_samples == 0) continue;
        row[*rows].guid = m->code[claim[i].code].guid;
        row[*rows].samples = a.samples;
        row[*rows].lost = a.lost_samples;
        row[(*rows)++].old = match_old_func(m, a.profile);
    }
    return n;
}

/* Functions of the profile that no function of the new code claims. */
static void match_rows_gone(const match_run *m, match_line *line, const uint64_t *claimed, size_t n, match_row *row,
                            size_t *rows)
{
    csspgo_func f;
    for (f.id = 1; f.id <= csspgo_func_count(m->old); f.id++) {
        const uint64_t guid = csspgo_func_guid(m->old, f), sum = match_body_sum(m->old, f);
        if (csspgo_func_nodes(m->old, f).id == 0 || load_has(claimed, n, guid)) continue;
        match_count(&line[3], sum, sum);
        row[*rows].guid = guid;
        row[*rows].samples = row[*rows].lost = sum;
        row[*rows].gone = 1;
        row[(*rows)++].old = f;
    }
}

static void match_sum_lines(match_line *line)
{
    size_t i;
    for (i = 0; i < 4; i++) {
        line[4].functions += line[i].functions;
        line[4].samples = sum_of(line[4].samples, line[i].samples);
        line[4].kept = sum_of(line[4].kept, line[i].kept);
    }
}

static void match_print_lines(const match_run *m, const match_line *line, FILE *out)
{
    size_t i;
    fprintf(out, "%-20s %9s %16s %16s %7s\n", "profiled functions", "number", "samples", "kept", "share");
    for (i = 0; i < 5; i++)
        fprintf(out, "%-20s %9" PRIu64 " %16" PRIu64 " %16" PRIu64 " %6.1f%%\n", line[i].what, line[i].functions,
                line[i].samples, line[i].kept, percent(line[i].kept, line[i].samples));
    fprintf(out, "call sites: %" PRIu64 " of %" PRIu64 " had moved or gone, %" PRIu64 " of these were found\n",
            m->report.mismatched_callsites + m->report.recovered_callsites, m->report.callsites,
            m->report.recovered_callsites);
}

/* Renamed functions, and new ones with code of a caller: these are mapped though the profile does not know them. */
static void match_print_renames(const match_run *m, FILE *out)
{
    size_t i;
    for (i = 0; i < m->codes; i++) {
        const csspgo_match_code *c = &m->code[i];
        const csspgo_match_outcome a = csspgo_matcher_get_outcome(m->matcher, c->guid);
        if (!a.renamed && (!a.mapped || a.known)) continue;
        fputs(a.renamed ? "renamed: " : "code moved: ", out);
        put_name_safe(m->tool, m->old, match_old_func(m, a.profile), out);
        fputs(a.renamed ? " is now " : " to ", out);
        if (c->name != NULL) put_shown(m->tool, c->name, c->name_size, out);
        else fprintf(out, "%" PRIu64, c->guid);
        putc('\n', out);
    }
}

static void match_json_lines(const match_run *m, const match_line *line, json *j)
{
    static const char *const keys[] = { "unchanged", "stale", "renamed", "gone", "all" };
    size_t i;
    json_text(j, "profile", m->profile);
    json_text(j, "binary", m->binary);
    for (i = 0; i < 5; i++) {
        json_begin(j, keys[i], '{');
        json_count(j, "functions", line[i].functions);
        json_count(j, "samples", line[i].samples);
        json_count(j, "kept", line[i].kept);
        json_end(j);
    }
    json_real(j, "kept_percent", percent(line[4].kept, line[4].samples));
}

static void match_json(const match_run *m, const match_line *line, const match_row *row, size_t n, FILE *out)
{
    json j = json_to(out);
    char why[200];
    size_t i;
    json_begin(&j, NULL, '{');
    match_json_lines(m, line, &j);
    json_begin(&j, "renames", '[');
    for (i = 0; i < m->codes; i++) {
        const csspgo_match_code *c = &m->code[i];
        const csspgo_match_outcome a = csspgo_matcher_get_outcome(m->matcher, c->guid);
        if (!a.renamed) continue;
        json_begin(&j, NULL, '{');
        json_func(&j, "old", m->old, match_old_func(m, a.profile));
        if (c->name != NULL) json_bytes(&j, "new", c->name, c->name_size);
        else json_bytes(&j, "new", why, (size_t)snprintf(why, sizeof why, "%" PRIu64, c->guid));
        json_end(&j);
    }
    json_end(&j);
    json_begin(&j, "lost", '[');
    for (i = 0; i < n && i < (size_t)m->o[MT_TOP].number; i++) {
        json_begin(&j, NULL, '{');
        json_func(&j, "function", m->old, row[i].old);
        json_count(&j, "samples", row[i].samples);
        json_count(&j, "lost", row[i].lost);
        match_why(m, &row[i], why, sizeof why);
        json_text(&j, "why", why);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

/* The exit status for what was kept of all. */
static int match_worth(const match_run *m, const match_line *all)
{
    const option *least = &m->o[MT_MIN_KEPT];
    if (all->samples == 0) return hopeless(m->tool, "%s: the profile is empty", m->profile);
    if (all->kept == 0)
        return hopeless(m->tool, "nothing of %s was kept: is it a profile of %s?", m->profile, m->shown);
    if (percent(all->kept, all->samples) >= option_percent(least)) return 0;
    return missed(m->tool, "%.2f%% of the samples of %s are kept, less than --min-kept=%s",
                  percent(all->kept, all->samples), m->profile, least->text);
}

/* Prints the report; out: NULL if none is wanted. Returns the exit status. */
int match_print(match_run *m, FILE *out)
{
    match_line line[] = { { "unchanged", 0, 0, 0 }, { "stale", 0, 0, 0 }, { "renamed", 0, 0, 0 },
                          { "not in the program", 0, 0, 0 }, { "all", 0, 0, 0 } };
    const size_t most = csspgo_func_count(m->old) + m->codes + (size_t)1;
    match_row *row = (match_row *)calloc(most, sizeof *row);
    uint64_t *claimed = (uint64_t *)malloc(most * sizeof *claimed);
    match_claim *claim = (match_claim *)malloc((m->codes + 1) * sizeof *claim);
    size_t rows = 0, n;
    const int ok = row != NULL && claimed != NULL && claim != NULL && match_name_old(m);
    if (ok) {
        n = match_rows_here(m, line, claimed, row, &rows, claim);
        match_rows_gone(m, line, claimed, n, row, &rows);
        match_sum_lines(line);
    }
    if (ok && rows != 0) qsort(row, rows, sizeof *row, match_row_order);
    if (ok && out != NULL && m->o[MT_JSON].number) match_json(m, line, row, rows, out);
    else if (ok && out != NULL) {
        match_print_lines(m, line, out);
        match_print_renames(m, out);
        match_worst(m, row, rows, out);
    }
    free(row);
    free(claimed);
    free(claim);
    if (!ok) return fail(m->tool, "out of memory");
    return match_worth(m, &line[4]);
}
