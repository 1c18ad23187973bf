/* profgen_health_report.c - profgen: its health report, on a terminal and as JSON */
#include "profgen_loss.h"
#include "profdata.h"

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
    health_distinct(g, distinct);
    fprintf(out, "health: %" PRIu64 " of %" PRIu64 " samples used", health_used(&h->all), h->all.samples);
    put_counts(": ", d, out);
    putc('\n', out);
    loss_text(g, out);
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

static void json_keys(const health_count *c, const char *between, FILE *out)
{
    for (; c->key != NULL; c++, between = ",") fprintf(out, "%s \"%s\": %" PRIu64, between, c->key, c->n);
}

void health_json_counts(const health_counts *n, FILE *out)
{
    health_count d[HEALTH_DROPPED + 1], m[HEALTH_MENDED + 1];
    health_name_counts(n, d, m);
    fprintf(out, " \"samples\": %" PRIu64 ", \"used\": %" PRIu64 ", \"in_program\": %" PRIu64 ", \"dropped\": {",
            n->samples, health_used(n), n->here);
    json_keys(d, "", out);
    fputs(" }, \"repaired_or_cut\": {", out);
    json_keys(m, "", out);
    fputs(" }", out);
}

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

static void json_builds(const profgen *g, FILE *out)
{
    const csspgo_spaces_stats s = health_builds(g, g->health);
    char id[41];
    fprintf(out, "  \"build_ids\": { \"fit\": %" PRIu64 ", \"other\": %" PRIu64 ", \"first_other\": \"%s\" },\n",
            s.builds, s.other_builds, build_text(s.other_build, s.other_build_size, id));
}

/* In which files symbols, lines and probes of the programs are. */
static void json_sources(const profgen *g, FILE *out)
{
    size_t i, k;
    fputs("  \"programs\": [", out);
    for (i = 0; !g->jit_only && i <= images_more(g->images); i++) {
        fprintf(out, "%s\n    { \"program\": ", i != 0 ? "," : "");
        json_string(out, images_path(g, i), strlen(images_path(g, i)));
        for (k = 0; k < LOAD_DESCRIPTORS; k++) {
            const char *const from = images_source(g, i, k);
            if (from == NULL) continue;
            fprintf(out, ", \"%s\": ", source_keys[k]);
            json_string(out, from, strlen(from));
        }
        fputs(" }", out);
    }
    fputs(g->jit_only ? "],\n" : "\n  ],\n", out);
}

/* The whole recording. */
static void json_all(const profgen *g, const health *h, FILE *out)
{
    health_count d[HEALTH_DROPPED + 1], m[HEALTH_MENDED + 1], distinct[HEALTH_DISTINCT + 1];
    health_name_counts(&h->all, d, m);
    health_distinct(g, distinct);
    fprintf(out, "{\n  \"samples\": { \"read\": %" PRIu64 ", \"used\": %" PRIu64 ", \"in_program\": %" PRIu64,
            h->all.samples, health_used(&h->all), h->all.here);
    if (g->lines == NULL) fprintf(out, ", \"in_functions_with_probes\": %" PRIu64, h->probed);
    fprintf(out, ", \"lost\": %" PRIu64 ", \"of_guests\": %" PRIu64 " },\n  \"dropped\": {", g->lost, g->guests);
    json_keys(d, "", out);
    fputs(" },\n  \"repaired_or_cut\": {", out);
    json_keys(m, "", out);
    json_keys(distinct, ",", out);
    fprintf(out, " },\n  \"stacks\": { \"all\": %" PRIu64 ", \"of_one_frame\": %" PRIu64 ", \"most_frames\": %" PRIu32
            ", \"of_most_frames\": %" PRIu64 ", \"copies_of_memory\": %s },\n",
            h->stacks, h->bare, h->deepest, h->ends, g->user_stacks ? "true" : "false");
}

static int health_json(void *what, FILE *out)
{
    const profgen *const g = (const profgen *)what;
    const health *const h = g->health;
    health_advice a[HEALTH_ADVICE];
    const size_t n = health_advise(g, h, a);
    size_t i;
    json j;
    json_all(g, h, out);
    json_processes(h, out);
    json_sources(g, out);
    images_json(g, out);
    json_builds(g, out);
    fit_json(g, out);
    events_json(g, out);
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
    loss_json(g, &j);
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
