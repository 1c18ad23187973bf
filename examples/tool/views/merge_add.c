/* merge_add.c - merge: adds up the inputs */
#include "views.h"

/* What LLVM says while it merges, once for each function. */
static int merge_notes(const tool_context *tool, csspgo_profile *p, const unsigned char *result, const char *path)
{
    const size_t n = csspgo_record_count(p);
    csspgo_node *node = (csspgo_node *)malloc((n + 1) * sizeof *node);
    size_t i;
    if (node == NULL || csspgo_file_order(p, node, NULL) != CSSPGO_OK) {
        free(node);
        return fail(tool, "out of memory"), 0;
    }
    for (i = 0; i < n; i++) {
        if (csspgo_node_kind_of(p, node[i]) == CSSPGO_INLINEE || result[node[i].id] == 0) continue;
        fprintf(stderr, "%s: ", path);
        put_context(p, node[i], stderr);
        fputs(result[node[i].id] & CSSPGO_MERGE_CLAMPED ? ": Counter overflow\n" : ": Function hash mismatch\n",
              stderr);
    }
    free(node);
    return 1;
}

static int merge_add_up(merge *m, csspgo_profile *p, const merge_input *in)
{
    csspgo_merge_options how;
    csspgo_merge_stats stats;
    csspgo_status s;
    csspgo_error e;
    memset(&stats, 0, sizeof stats);
    memset(&how, 0, sizeof how);
    how.weight = in->weight;
    how.llvm = m->tool->compat ? 19 : 0;
    how.result = m->tool->compat ? (unsigned char *)calloc(csspgo_node_count(p) + (size_t)2, 1) : NULL;
    if (m->tool->compat && how.result == NULL) return fail(m->tool, "out of memory"), 0;
    s = csspgo_merge(m->p, p, &how, &stats, &e);
    if (s != CSSPGO_OK) fail_at(m->tool, in->path, &e);
    else if (m->tool->compat && (stats.clamped | stats.mismatched) != 0 &&
             !merge_notes(m->tool, p, how.result, in->path))
        s = CSSPGO_E_NOMEM;
    m->dropped = sum_of(m->dropped, stats.dropped);
    if (s == CSSPGO_OK && !m->tool->compat) merge_warnings(m->tool, &stats, in->path);
    free(how.result);
    return s == CSSPGO_OK;
}

/*
 * Marks of a sum are those of all inputs. LLVM keeps them in variables that its readers set: text says yes or no to
 * both, raw binary to one, ExtBinary and GCC's form only ever say yes.
 */
static void merge_marks(merge *m, uint32_t last, uint32_t form)
{
    uint32_t said = 0;
    if (form == CSSPGO_TEXT) said = CSSPGO_IS_PREINLINED | CSSPGO_IS_FS;
    if (form == CSSPGO_BINARY) said = CSSPGO_IS_FS;
    if (m->tool->compat) csspgo_profile_set_flags(m->p, csspgo_profile_flags(m->p) & ~(said & ~last));
}

/*
 * Returns 1 if the profile is of the sum's kind, else 0 after saying so. An empty profile goes with every kind, except
 * in LLVM. m->filled: the first input that is not empty.
 */
static int merge_fits(merge *m, const csspgo_profile *p, const merge_input *in, const reading *how)
{
    uint32_t differ = m->p != NULL ? csspgo_profile_flags(p) ^ csspgo_profile_flags(m->p) : 0;
    const char *theirs = numbering(p, how->contextual), *ours = m->p != NULL ? numbering(m->p, m->by_counters) : "";
    const int contexts = (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0;
    char why[128];
    if (m->tool->compat) { /* an empty ExtBinary file says only what it has */
        if (csspgo_node_count(p) == 0) differ &= csspgo_profile_flags(p);
        if (differ & CSSPGO_IS_PROBE) fail(m->tool, "cannot merge probe-based profile with non-probe-based profile");
        else if (differ & CSSPGO_IS_CS) fail(m->tool, "cannot merge CS profile with non-CS profile");
        return (differ & (CSSPGO_IS_PROBE | CSSPGO_IS_CS)) == 0;
    }
    if (csspgo_node_count(p) == 0) return 1;
    if (m->filled == NULL) m->filled = in->path;
    if (m->p == NULL || csspgo_node_count(m->p) == 0) return 1;
    if (differ & CSSPGO_IS_PROBE)
        snprintf(why, sizeof why, "one is by %s, the other by %s%s", theirs, ours,
                 how->contextual || m->by_counters ? "; see --profiled-binary" : "");
    else if (differ & CSSPGO_IS_CS)
        snprintf(why, sizeof why, "only the %s has contexts; see --convert-sample-profile-layout",
                 contexts ? "former" : "latter");
    else return numberings_agree(m->tool, in->path, theirs, m->filled, ours), 1;
    if (how->go_on) warn(m->tool, "%s cannot be merged with %s and is left out: %s", in->path, m->filled, why);
    else fail(m->tool, "%s cannot be merged with %s: %s", in->path, m->filled, why);
    return 0;
}

/* The flags of the sum after p was added: those of all inputs, except that an empty profile changes none. */
static uint32_t merge_flags(const tool_context *tool, const csspgo_profile *sum, const csspgo_profile *p)
{
    const int sum_empty = csspgo_node_count(sum) == 0, p_empty = csspgo_node_count(p) == 0;
    if (sum_empty == p_empty || tool->compat) return csspgo_profile_flags(sum) | csspgo_profile_flags(p);
    return csspgo_profile_flags(p_empty ? sum : p);
}

int merge_skipped(const merge *m)
{
    const option *most = &m->o[M_MAX_SKIPPED];
    if (m->tool->compat && most->text == NULL) return 0;
    return most->text != NULL ? m->skipped > (uint64_t)most->number : m->skipped != 0 && m->o[M_FAILURE].number == 1;
}

int merge_skip(merge *m, const reading *how)
{
    m->skipped += how->go_on != 0;
    return how->go_on;
}

/*
 * Reads one input and adds it. The first one, if its counts stay as they are, is the sum. A contextual profile is left
 * open the first time that it is met. Returns 0 after an error.
 */
static int merge_one(merge *m, merge_input *in, reading *how)
{
    int fatal, ok = 1;
    uint32_t flags;
    csspgo_profile *p;
    if (!in->open) {
        if (!profile_open(m->tool, in->path, how, &in->file)) return merge_skip(m, how);
        in->open = is_contextual(m->tool, &in->file);
        if (in->open) return 1;
    }
    in->open = 0;
    p = profile_of(m->tool, in->path, &in->file, how, &fatal);
    if (p == NULL) return !fatal && merge_skip(m, how);
    if (!merge_fits(m, p, in, how)) {
        csspgo_profile_free(p);
        return !m->tool->compat && merge_skip(m, how);
    }
    if (how->contextual && csspgo_node_count(p) != 0) m->by_counters = 1;
    if (m->renames != 0 || (m->tool->compat && m->remaps)) {   /* LLVM loses the same when there is nothing to rename */
        csspgo_rename_options remap;
        csspgo_error e;
        remap.llvm = m->tool->compat ? 19 : 0;
        if (csspgo_rename_functions(p, m->rename, m->renames, &remap, &e) != CSSPGO_OK)
            ok = (fail(m->tool, "%s: %s", in->path, plain(&e)), 0);
    }
    if (ok && m->p == NULL && in->weight == 1) {
        m->p = p;
        return 1;
    }
    if (ok && m->p == NULL) ok = (m->p = profile_new(m->tool)) != NULL;
    flags = ok ? merge_flags(m->tool, m->p, p) : 0;
    ok = ok && merge_add_up(m, p, in);
    if (ok) csspgo_profile_set_flags(m->p, flags);
    if (ok) merge_marks(m, csspgo_profile_flags(p), how->form);
    csspgo_profile_free(p);
    return ok;
}

/* ----- contextual profiles beside samples ------------------------------------------------------------------------- */

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

/* Adds what is open as --mix=combine does. Returns 0 after an error. */
static int merge_combine(merge *m, reading *how)
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

/* Adds the contextual profiles, with the names that the others have. Returns 0 after an error. */
static int merge_read_contextual(merge *m, reading *how)
{
    size_t i;
    int ok = 1, any = 0;
    for (i = 0; i < m->inputs; i++) any |= m->input[i].open;
    if (!any) return 1;
    if (m->p != NULL) names_profile(m->names, m->p);
    ok = names_sort(m->tool, m->names);
    if (ok && m->o[M_MIX].number == 0 && m->p != NULL && csspgo_node_count(m->p) != 0) return merge_combine(m, how);
    for (i = 0; i < m->inputs && ok; i++)
        if (m->input[i].open) ok = merge_one(m, &m->input[i], how);
    return ok;
}

/* ----- all inputs ------------------------------------------------------------------------------------------------- */

/* The bytes of all inputs that are files. */
static unsigned long long merge_bytes(const merge *m)
{
    unsigned long long bytes = 0;
    struct stat st;
    size_t i;
    for (i = 0; i < m->inputs; i++)
        if (stat(m->input[i].path, &st) == 0 && S_ISREG(st.st_mode)) bytes += (unsigned long long)st.st_size;
    return bytes;
}

int merge_read(merge *m)
{
    merge_ahead *ahead = NULL;
    reading how = reading_make(&m->o[M_ISFS], &m->o[M_PASS]);
    progress bar = progress_begin(m->tool);
    size_t i;
    int ok = 1;
    how.go_on = m->o[M_FAILURE].number != 0;
    how.names = m->names;
    how.takes_empty = how.keeps = 1;
    how.files = m->o[M_FORM].number == CSSPGO_GCOV && gcov_form((int)m->o[M_GCOV_VERSION].number) & CSSPGO_GCC3;
    bar.on = bar.on && m->inputs > 1;
    if (!m->tool->compat) ok = names_open(m->tool, m->names, &m->o[M_NAMES], &m->o[M_PROFILED], 1);
    if (ok && m->inputs > 1)
        ahead = merge_ahead_begin(m, threads_asked(m->tool, &m->o[M_THREADS], merge_bytes(m)));
    for (i = 0; i < m->inputs && ok; i++) {
        if (progress_due(&bar)) fprintf(stderr, "\r%zu of %zu ", i + 1, m->inputs), fflush(stderr);
        how.ready = merge_ahead_take(ahead, i);
        ok = merge_one(m, &m->input[i], &how);
        csspgo_profile_free(how.ready);                    /* one that was not asked for */
        how.ready = NULL;
    }
    merge_ahead_end(ahead);
    ok = ok && merge_read_contextual(m, &how);
    progress_end(&bar);
    if (ok && m->p == NULL && !m->tool->compat) ok = (fail(m->tool, "no profile could be read"), 0);
    if (ok && m->p == NULL) ok = (m->p = profile_new(m->tool)) != NULL;   /* LLVM writes an empty one */
    return ok;
}
