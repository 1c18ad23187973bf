/* merge_contextual.c - merge: contextual profiles into a contextual profile, and beside profiles of samples */
#include "profdata.h"
#include "names.h"
#include "json.h"

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

/* ----- beside samples --------------------------------------------------------------------------------------------- */

/* Reads the inputs that are open into c. Returns 0 after an error. *in: the first of them. */
static int merge_open_inputs(merge *m, csspgo_ctx *c, const reading *how, const merge_input **in)
{
    csspgo_error e;
    size_t i;
    int ok = 1, fatal = 0;
    for (i = 0; i < m->inputs; i++) {
        merge_input *at = &m->input[i];
        csspgo_status s;
        if (!at->open) continue;
        if (at->weight != 1)
            return m->usage = usage(m->tool, "a weight of a contextual profile needs --mix=add: %s", at->path), 0;
        if (*in == NULL) *in = at;
        s = csspgo_ctx_read(c, at->file.data, at->file.size, NULL, &e);
        if (s != CSSPGO_OK) reading_failed(m->tool, how, at->path, &at->file, &e, &fatal);
        ok = ok && (s == CSSPGO_OK || merge_skip(m, how));
    }
    return ok;
}

/* Says what became of it. */
static void merge_combined(const merge *m, const csspgo_ctx_combine_stats *s)
{
    note(m->tool, "contexts with exact counts: %" PRIu64 ", with samples: %" PRIu64 "; a sample is worth %.4g exact "
                  "counts, by contexts that had both: %" PRIu64,
         s->exact, s->sampled, (double)s->num / (double)s->den, s->common);
}

/* Combines c with the sum of the others, if it goes with that. Returns 0 after an error. */
static int merge_combine_with(merge *m, const csspgo_ctx *c, const merge_input *in, const reading *how)
{
    csspgo_profile *alone = profile_new(m->tool);
    csspgo_ctx_combine_stats stats;
    csspgo_error e;
    csspgo_status s;
    int fatal, fits;
    if (alone == NULL) return 0;
    s = contextual_add(m->tool, in->path, c, m->names, alone, NULL, &e);
    fits = s == CSSPGO_OK && merge_fits(m, alone, in, how);
    if (fits && csspgo_node_count(alone) != 0) {
        s = contextual_add(m->tool, in->path, c, m->names, m->p, &stats, &e);
        if (s == CSSPGO_OK) merge_combined(m, &stats);
    }
    csspgo_profile_free(alone);
    if (s == CSSPGO_OK) return fits || merge_skip(m, how);
    if (s == CSSPGO_E_ARGUMENT)
        snprintf(e.message + strlen(e.message), sizeof e.message - strlen(e.message), "; see --mix=add");
    reading_failed(m->tool, how, in->path, &in->file, &e, &fatal);
    return merge_skip(m, how);
}

int merge_combine(merge *m, reading *how)
{
    const merge_input *in = NULL;
    csspgo_ctx *c = contextual_new(m->tool);
    int ok = c != NULL;
    how->contextual = 1;
    if (ok && m->renames != 0)
        ok = (m->usage = usage(m->tool, "--remapping-file beside contextual profiles needs --mix=add"), 0);
    ok = ok && merge_open_inputs(m, c, how, &in) && merge_combine_with(m, c, in, how);
    csspgo_ctx_free(c);
    return ok;
}
