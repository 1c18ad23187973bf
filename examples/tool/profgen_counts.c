/* profgen_counts.c - profgen: the report on what is no sample of a program: what was read, what was dropped */
#include "profgen_jit.h"
#include "profgen_loss.h"

/* Lines are [CONTEXT], a number of entries, FROM-TO:COUNT, FROM->TO:COUNT. */
void counts_text(profgen *g, const file_bytes *text)
{
    const char *p = (const char *)text->data, *const end = p + text->size;
    while (p != end) {
        const char *const lf = (const char *)memchr(p, '\n', (size_t)(end - p));
        const char *const line_end = lf != NULL ? lf : end;
        const char *dash;
        while (p != line_end && (*p == ' ' || *p == '\t')) p++;
        dash = (const char *)memchr(p, '-', (size_t)(line_end - p));
        if (p != line_end && *p == '[') g->read.contexts++;
        else if (dash != NULL && dash[1] == '>') g->read.branches++;
        else if (dash != NULL) g->read.ranges++;
        p = lf != NULL ? lf + 1 : end;
    }
}

/* In which files symbols, lines and probes of the programs are. */
static void sources_json(const profgen *g, json *j)
{
    size_t i, k;
    json_begin(j, "programs", '[');
    for (i = 0; i <= images_more(g->images); i++) {
        json_begin(j, NULL, '{');
        json_text(j, "program", images_path(g, i));
        for (k = 0; k < LOAD_DESCRIPTORS; k++)
            if (images_source(g, i, k) != NULL) json_text(j, source_keys[k], images_source(g, i, k));
        json_end(j);
    }
    json_end(j);
}

/* g: NULL, or what has programs. */
static void begin(json *j, const char *input, const profgen *g)
{
    json_begin(j, NULL, '{');
    json_text(j, "input", input);
    if (g != NULL) sources_json(g, j);
    json_begin(j, "read", '{');
}

static void between(json *j)
{
    json_end(j);
    json_begin(j, "dropped", '{');
}

/* Lines of pre-aggregated text and entries of raw counters. */
static void counted_json(const profgen *g, json *j)
{
    begin(j, g->preagg != NULL ? "preagg" : "counters", g);
    if (g->preagg != NULL) json_count(j, "lines", g->read.lines);
    else {
        json_count(j, "contexts", g->read.contexts);
        json_count(j, "ranges", g->read.ranges);
        json_count(j, "branches", g->read.branches);
    }
    between(j);
    if (g->preagg != NULL) json_count(j, "reversed", g->read.reversed);
    if (g->collector == NULL) return;
    json_count(j, "not_in_program", csspgo_collector_get_stats(g->collector).unplaced);
    if (g->preagg != NULL) json_count(j, "across_branches", csspgo_collector_get_stats(g->collector).invalid_ranges);
}

static void added_up_json(const profgen *g, json *j)
{
    const csspgo_aggregator_stats s = csspgo_aggregator_get_stats(g->aggregator);
    begin(j, "samples", g);
    json_count(j, "samples", s.samples);
    json_count(j, "branches", s.branches);
    between(j);
    json_count(j, "lost", g->lost);
    if (g->o[O_FORMAT].number == FORMAT_PREAGG) json_count(j, "no_branches", s.no_branches);
    json_count(j, "not_in_program", s.outside);
    json_count(j, "ranges_across_functions", s.crossing);
}

static void jit_json(const profgen *g, json *j)
{
    const struct jit_work *w = g->jit;
    begin(j, "jit", NULL);
    json_count(j, "samples", w->addresses);
    json_count(j, "functions", w->hits);
    between(j);
    json_count(j, "lost", g->lost);
    json_count(j, "not_in_jit", w->addresses - w->known - w->ambiguous);
    json_count(j, "ambiguous", w->ambiguous);
}

static int counts_json(void *what, FILE *out)
{
    const profgen *const g = (const profgen *)what;
    json j = json_to(out);
    if (g->jit_only) jit_json(g, &j);
    else if (g->preagg != NULL || g->unsymbolized != NULL) counted_json(g, &j);
    else added_up_json(g, &j);
    json_end(&j);
    if (g->loss != NULL) loss_json(g, &j);
    json_end(&j);
    return 1;
}

static int profile_json(void *what, FILE *out)
{
    const csspgo_profile *const p = (const csspgo_profile *)what;
    json j = json_to(out);
    begin(&j, "profile", NULL);
    json_count(&j, "functions", profile_functions(p));
    json_count(&j, "records", csspgo_record_count(p));
    json_count(&j, "samples", profile_samples(p));
    between(&j);
    json_end(&j);
    json_end(&j);
    return 1;
}

int counts_report(profgen *g, csspgo_profile *p)
{
    const char *const path = g->o[O_REPORT].text;
    if (path == NULL || g->tool->compat || g->health != NULL || (p == NULL) != (g->sampled == NULL)) return 1;
    return stream_made(g->tool, path, p != NULL ? profile_json : counts_json, p != NULL ? (void *)p : g) == 0;
}
