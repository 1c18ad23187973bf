/* health_report.c - profgen: what became of the input, on a terminal and as JSON */
#include "profgen.h"

enum { HEALTH_SHOWN = 3 };

/* ----- on a terminal: ten lines at most --------------------------------------------------------------------------- */

/* ": 3 of this, 4 of that": those that are there. Returns what comes before the next one. */
static const char *put_counts(const char *between, const health_count *c, FILE *out)
{
    for (; c->key != NULL; c++)
        if (c->n != 0) {
            fprintf(out, "%s%" PRIu64 " %s", between, c->n, c->text);
            between = ", ";
        }
    return between;
}

/* What became of the samples of processes. */
static void text_processes(const health *h, FILE *out)
{
    size_t i;
    for (i = 0; h->processes > 1 && i < h->processes && i < HEALTH_SHOWN; i++) {
        const health_counts *n = &h->process[i].n;
        fprintf(out, "health: process %" PRIu32 ": %" PRIu64 " of %" PRIu64 " samples used, %" PRIu64
                " in the program\n", h->process[i].pid, health_used(n), n->samples, n->here);
    }
    if (h->processes > HEALTH_SHOWN) fprintf(out, "health: and %zu more\n", h->processes - HEALTH_SHOWN);
}

static void health_text(const profgen *g, const health *h, FILE *out)
{
    health_count d[HEALTH_DROPPED + 1], m[HEALTH_MENDED + 1], distinct[HEALTH_DISTINCT + 1];
    health_advice a[HEALTH_ADVICE];
    const size_t n = health_advise(g, h, a);
    size_t i, more = 0;
    health_name_counts(&h->all, d, m);
    health_distinct(g->count.collector, distinct);
    fprintf(out, "health: %" PRIu64 " of %" PRIu64 " samples used", health_used(&h->all), h->all.samples);
    put_counts(": ", d, out);
    putc('\n', out);
    loss_text(g->loss, out);
    text_processes(h, out);
    for (i = 0; m[i].key != NULL; i++) more |= m[i].n != 0;
    for (i = 0; distinct[i].key != NULL; i++) more |= distinct[i].n != 0;
    if (more != 0) {
        fputs("health: repaired or cut", out);
        put_counts(put_counts(": ", m, out), distinct, out);
        putc('\n', out);
    }
    for (i = 0; i < n && i < 3; i++) fprintf(out, "health: %s (%s)\n", a[i].why, a[i].flag);
}

/* ----- JSON ------------------------------------------------------------------------------------------------------- */

static void json_processes(const health *h, FILE *out)
{
    size_t i;
    fputs("  \"processes\": [", out);
    for (i = 0; i < h->processes; i++) {
        fprintf(out, "%s\n    { \"pid\": %" PRIu32 ",", i != 0 ? "," : "", h->process[i].pid);
        health_json_counts(&h->process[i].n, out);
        fputs(" }", out);
    }
    fprintf(out, "%s],\n  \"other_processes\": {", h->processes != 0 ? "\n  " : "");
    health_json_counts(&h->others, out);
    fputs(" },\n", out);
}

static void json_builds(const csspgo_processes_stats *s, FILE *out)
{
    char id[41];
    fprintf(out, "  \"build_ids\": { \"fit\": %" PRIu64 ", \"other\": %" PRIu64 ", \"first_other\": \"%s\" },\n",
            s->builds, s->other_builds, build_text(s->other_build, s->other_build_size, id));
}

static const char *const source_keys[] = { "symbols", "lines", "probes" };      /* by LOAD_SYMBOLS ... */

/* The file that has something of a program; NULL: none has. */
static const char *source_of(const program_image *m, size_t kind)
{
    return load_lacks(&m->loaded) & 1u << kind ? NULL : load_from_path(&m->loaded, (unsigned)kind, m->path);
}

/* In which files symbols, lines and probes of the programs are. */
static void json_sources(const programs *p, FILE *out)
{
    size_t i, k;
    fputs("  \"programs\": [", out);
    for (i = 0; p != NULL && i < p->count; i++) {
        const program_image *const m = &p->v[i];
        fprintf(out, "%s\n    { \"program\": ", i != 0 ? "," : "");
        json_string(out, m->path, strlen(m->path));
        for (k = 0; k < LOAD_DESCRIPTORS; k++) {
            const char *const from = source_of(m, k);
            if (from == NULL) continue;
            fprintf(out, ", \"%s\": ", source_keys[k]);
            json_string(out, from, strlen(from));
        }
        fputs(" }", out);
    }
    fputs(p == NULL ? "],\n" : "\n  ],\n", out);
}

/* The whole recording. */
static void json_sums(const profgen *g, const health *h, FILE *out)
{
    health_count d[HEALTH_DROPPED + 1], m[HEALTH_MENDED + 1], distinct[HEALTH_DISTINCT + 1];
    health_name_counts(&h->all, d, m);
    health_distinct(g->count.collector, distinct);
    fprintf(out, "{\n  \"samples\": { \"read\": %" PRIu64 ", \"used\": %" PRIu64 ", \"in_program\": %" PRIu64,
            h->all.samples, health_used(&h->all), h->all.here);
    if (g->lines == NULL) fprintf(out, ", \"in_functions_with_probes\": %" PRIu64, h->probed);
    fprintf(out, ", \"lost\": %" PRIu64 ", \"of_guests\": %" PRIu64 " },\n  \"dropped\": {", g->reader.lost,
            g->reader.guests);
    health_json_keys(d, "", out);
    fputs(" },\n  \"repaired_or_cut\": {", out);
    health_json_keys(m, "", out);
    health_json_keys(distinct, ",", out);
    fprintf(out, " },\n  \"stacks\": { \"all\": %" PRIu64 ", \"of_one_frame\": %" PRIu64 ", \"most_frames\": %" PRIu32
            ", \"of_most_frames\": %" PRIu64 ", \"copies_of_memory\": %s },\n",
            h->stacks, h->bare, h->deepest, h->ends, g->reader.user_stacks ? "true" : "false");
}

static int health_json(void *what, FILE *out)
{
    const profgen *const g = (const profgen *)what;
    const health *const h = g->health;
    health_advice a[HEALTH_ADVICE];
    const size_t n = health_advise(g, h, a);
    const csspgo_processes_stats builds = health_builds(h, g->programs.spaces);
    size_t i;
    json j;
    json_sums(g, h, out);
    json_processes(h, out);
    json_sources(g->jit_only ? NULL : &g->programs, out);
    tally_json(g->tally, out);
    json_builds(&builds, out);
    fit_json(&g->fit, out);
    events_json(&g->events, out);
    filter_json(g->filter, out);
    fputs("  \"advice\": [", out);
    for (i = 0; i < n; i++) {
        fprintf(out, "%s\n    { \"why\": ", i != 0 ? "," : "");
        json_string(out, a[i].why, strlen(a[i].why));
        fputs(", \"use\": ", out);
        json_string(out, a[i].flag, strlen(a[i].flag));
        fputs(" }", out);
    }
    fputs(n != 0 ? "\n  ]" : "]", out);
    json_goes_on(&j, out);
    loss_json(g->loss, &j);
    json_end(&j);
    return 1;
}

/* Returns 0 after saying what is wrong. */
int health_report(profgen *g)
{
    const char *const path = g->o[O_REPORT].text;
    if (!g->tool->quiet && isatty(fileno(g->tool->err))) health_text(g, g->health, g->tool->err);
    return path == NULL || stream_made(g->tool, path, health_json, g) == 0;
}

/* ----- what is no sample of a program: what was read, what was dropped -------------------------------------------- */

/* In which files symbols, lines and probes of the programs are. */
static void sources_json(const programs *p, json *j)
{
    size_t i, k;
    json_begin(j, "programs", '[');
    for (i = 0; i < p->count; i++) {
        const program_image *const m = &p->v[i];
        json_begin(j, NULL, '{');
        json_text(j, "program", m->path);
        for (k = 0; k < LOAD_DESCRIPTORS; k++)
            if (source_of(m, k) != NULL) json_text(j, source_keys[k], source_of(m, k));
        json_end(j);
    }
    json_end(j);
}

/* p: NULL, or the programs. */
static void begin(json *j, const char *input, const programs *p)
{
    json_begin(j, NULL, '{');
    json_text(j, "input", input);
    if (p != NULL) sources_json(p, j);
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
    csspgo_collector_stats s;
    begin(j, g->in.preagg != NULL ? "preagg" : "counters", &g->programs);
    if (g->in.preagg != NULL) json_count(j, "lines", g->read.lines);
    else {
        json_count(j, "contexts", g->read.contexts);
        json_count(j, "ranges", g->read.ranges);
        json_count(j, "branches", g->read.branches);
    }
    between(j);
    if (g->in.preagg != NULL) json_count(j, "reversed", g->read.reversed);
    if (g->count.collector == NULL) return;
    s = csspgo_collector_get_stats(g->count.collector);
    json_count(j, "not_in_program", s.unplaced);
    if (g->in.preagg != NULL) json_count(j, "across_branches", s.invalid_ranges);
}

static void added_up_json(const profgen *g, json *j)
{
    const csspgo_aggregator_stats s = csspgo_aggregator_get_stats(g->count.aggregator);
    begin(j, "samples", &g->programs);
    json_count(j, "samples", s.samples);
    json_count(j, "branches", s.branches);
    between(j);
    json_count(j, "lost", g->reader.lost);
    if (g->o[O_FORMAT].number == FORMAT_PREAGG) json_count(j, "no_branches", s.no_branches);
    json_count(j, "not_in_program", s.outside);
    json_count(j, "ranges_across_functions", s.crossing);
}

static void jit_json(const profgen *g, json *j)
{
    const jit_work *w = g->jit;
    begin(j, "jit", NULL);
    json_count(j, "samples", w->addresses);
    json_count(j, "functions", w->hits);
    between(j);
    json_count(j, "lost", g->reader.lost);
    json_count(j, "not_in_jit", w->addresses - w->known - w->ambiguous);
    json_count(j, "ambiguous", w->ambiguous);
}

static int counts_json(void *what, FILE *out)
{
    const profgen *const g = (const profgen *)what;
    json j = json_to(out);
    if (g->jit_only) jit_json(g, &j);
    else if (g->in.preagg != NULL || g->in.unsymbolized != NULL) counted_json(g, &j);
    else added_up_json(g, &j);
    json_end(&j);
    if (g->loss != NULL) loss_json(g->loss, &j);
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
    if (path == NULL || g->tool->compat || g->health != NULL || (p == NULL) != (g->in.sampled == NULL)) return 1;
    return stream_made(g->tool, path, p != NULL ? profile_json : counts_json, p != NULL ? (void *)p : g) == 0;
}
