/* merge_contextual.c - merge: contextual profiles into a contextual profile */
#include "views.h"

/* 1 if an option says something that a contextual output cannot have. */
static int is_for_samples(const option *o)
{
    static const char *const others[] = { "output", "weighted-input", "input-files", "failure-mode", "num-threads",
                                          "quiet", "names", "profiled-binary", "max-skipped",
                                          "allow-empty", "json", "debug-file-directory" };
    size_t i;
    if (o->kind == OPT_SET || o->kind == OPT_IGNORED || o->kind == OPT_LATER) return 0;
    if (o->kind == OPT_SWITCH ? o->number == 0 : o->text == NULL) return 0;
    for (i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(o->name, others[i]) == 0) return 0;
    return 1;
}

/* Returns 0 after refusing what does not go with a contextual output. */
static int merge_applies(const merge *m)
{
    const option *o;
    size_t i;
    for (o = m->o; o->name != NULL; o++)
        if (is_for_samples(o)) return usage(m->tool, "--%s does not go with a contextual output", o->name), 0;
    for (i = 0; i < m->inputs; i++)
        if (m->input[i].weight != 1)
            return usage(m->tool, "a weight does not go with a contextual output: %s", m->input[i].path), 0;
    return 1;
}

/* Adds one input to c. Returns 0 after an error. */
static int merge_contextual_input(merge *m, csspgo_ctx *c, const char *path, const reading *how)
{
    csspgo_status s;
    csspgo_error e;
    file_bytes f;
    int fatal = 0;
    if (!profile_open(m->tool, path, how, &f)) return merge_skip(m, how);
    if (!is_contextual(m->tool, &f)) {
        file_close(&f);
        if (how->go_on) warn(m->tool, "%s is no contextual profile and is left out", path);
        else fail(m->tool, "%s is no contextual profile, which the output is to be; see --extbinary, --text", path);
        return merge_skip(m, how);
    }
    s = csspgo_ctx_read(c, f.data, f.size, NULL, &e);
    if (s != CSSPGO_OK) reading_failed(m->tool, how, path, &f, &e, &fatal);
    file_close(&f);
    return s == CSSPGO_OK || merge_skip(m, how);
}

static void merge_contextual_json(const merge *m, const csspgo_ctx_stats *s)
{
    json j = json_to(m->tool->out);
    json_begin(&j, NULL, '{');
    json_text(&j, "output", m->o[M_OUTPUT].text);
    json_text(&j, "form", "ctxprof");
    json_count(&j, "inputs", m->inputs);
    json_count(&j, "skipped", m->skipped);
    json_count(&j, "roots", s->roots);
    json_count(&j, "records", s->roots + s->callees + s->flat + s->unhandled);
    json_count(&j, "counters", s->counters);
    json_end(&j);
}

int merge_contextual(merge *m)
{
    csspgo_ctx_write_options form;
    csspgo_ctx_stats stats;
    csspgo_ctx *c;
    reading how;
    size_t i;
    int ok = 1, status = 1;
    memset(&how, 0, sizeof how);
    memset(&form, 0, sizeof form);
    if (!merge_applies(m)) return usage_status(m->tool);
    c = contextual_new(m->tool);
    if (c == NULL) return 1;
    how.go_on = m->o[M_FAILURE].number != 0;
    for (i = 0; i < m->inputs && ok; i++) ok = merge_contextual_input(m, c, m->input[i].path, &how);
    if (ok) status = contextual_write(m->tool, m->o[M_OUTPUT].text, c, &form);
    stats = csspgo_ctx_get_stats(c);
    csspgo_ctx_free(c);
    if (status == 0 && m->o[M_JSON].number) merge_contextual_json(m, &stats);
    if (status == 0 && stats.roots + stats.flat == 0)
        return hopeless(m->tool, "%s: the profile is empty", m->o[M_OUTPUT].text);
    if (status == 0 && merge_skipped(m)) return missed(m->tool, "%zu inputs were left out", m->skipped);
    return status;
}
