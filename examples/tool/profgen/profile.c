/* profile.c - profgen: from the counters' profile to the one that is written */
#include "profgen.h"

/* The counts that are hot and cold, by options or the summary. */
static csspgo_status profgen_thresholds(const option *o, csspgo_profile *p, uint64_t *hot, uint64_t *cold)
{
    csspgo_status s = csspgo_count_threshold(p, (uint64_t)o[O_CUTOFF_HOT].number, hot, NULL);
    if (s == CSSPGO_OK) s = csspgo_count_threshold(p, (uint64_t)o[O_CUTOFF_COLD].number, cold, NULL);
    if (o[O_HOT_COUNT].text != NULL) *hot = (uint64_t)o[O_HOT_COUNT].number;
    if (o[O_COLD_COUNT].text != NULL) *cold = (uint64_t)o[O_COLD_COUNT].number;
    return s;
}

/* For a field of csspgo_preinline_options, where 0 stands for the default. */
static uint64_t profgen_given(const option *o)
{
    return o->number != 0 ? (uint64_t)o->number : CSSPGO_ZERO;
}

static csspgo_status profgen_preinline(profgen *g, csspgo_profile *p, uint64_t cold)
{
    const option *o = g->o;
    csspgo_size_table *sizes = NULL;
    csspgo_preinline_options how;
    csspgo_status s = CSSPGO_OK;
    memset(&how, 0, sizeof how);
    how.cold_count = cold != 0 ? cold : CSSPGO_ZERO;
    how.hot_threshold = profgen_given(&o[O_HOT_INLINE]);
    how.cold_threshold = profgen_given(&o[O_COLD_INLINE]);
    how.growth_limit = profgen_given(&o[O_GROWTH]);
    how.limit_min = profgen_given(&o[O_LIMIT_MIN]);
    how.limit_max = profgen_given(&o[O_LIMIT_MAX]);
    how.reinline_factor = profgen_given(&o[O_AGAIN]);
    how.replay = (uint32_t)o[O_REPLAY].number;
    how.unsorted_cycles = !o[O_SORT].number;
    how.llvm = g->tool->compat ? 19 : 0;
    if (g->lines != NULL) how.sizes = g->lines->sizes;
    else if (g->sizes != NULL) how.sizes = g->sizes;
    else if (o[O_SIZES].number && g->jit == NULL) {
        how.sizes = sizes = csspgo_size_table_new(seeded(), NULL);
        s = sizes != NULL ? csspgo_size_table_add_code(sizes, g->image->code, NULL) : CSSPGO_E_NOMEM;
    }
    if (s == CSSPGO_OK) s = csspgo_preinline(p, &how, NULL, NULL);
    csspgo_size_table_free(sizes);
    return s;
}

/* Marks all records, at any depth, as what should be inlined. */
static csspgo_status profgen_mark_all(csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    csspgo_node n;
    for (n.id = 2; n.id <= csspgo_node_count(p) + 1 && s == CSSPGO_OK; n.id++)
        if (csspgo_has_record(p, n))
            s = csspgo_set_attributes(p, n, csspgo_attributes(p, n) | CSSPGO_SHOULD_BE_INLINED);
    csspgo_profile_set_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_PREINLINED);
    return s;
}

/* Pre-inlines, merges and trims cold contexts, nests: what llvm-profgen does by default. */
csspgo_status profgen_finish(profgen *g, csspgo_profile *p)
{
    const option *o = g->o;
    const int contexts = (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0, preinline = contexts && o[O_PREINLINER].number;
    csspgo_cold_options cold;
    uint64_t hot_count = 0, cold_count = 0;
    csspgo_status s = CSSPGO_OK;
    if (csspgo_record_count(p) == 0) return CSSPGO_OK;
    loss_made(g->loss, p);
    memset(&cold, 0, sizeof cold);
    cold.merge = contexts && (o[O_MERGE_COLD].text != NULL ? o[O_MERGE_COLD].number : !preinline);
    cold.trim = o[O_TRIM].number != 0;
    cold.frames = (uint32_t)o[O_COLD_DEPTH].number;
    cold.base_only = preinline && !cold.merge;
    if (preinline || cold.merge || cold.trim) s = profgen_thresholds(o, p, &hot_count, &cold_count);
    if (s == CSSPGO_OK && preinline) s = profgen_preinline(g, p, cold_count);
    loss_step(g->loss, p, LOSS_CHECKSUMS);
    cold.threshold = contexts ? hot_count : cold_count;
    if (s == CSSPGO_OK && cold.threshold != 0) s = csspgo_trim_cold(p, &cold, NULL);
    loss_step(g->loss, p, LOSS_TRIMMED);
    if (s == CSSPGO_OK && contexts && o[O_NESTED].number)
        s = csspgo_nest(p, o[O_KEEP_BASE].number ? (uint32_t)CSSPGO_NEST_KEEP_BASE : 0, NULL);
    loss_step(g->loss, p, LOSS_NESTED);
    if (s == CSSPGO_OK && g->in.sampled != NULL) s = start_up_drop(p);
    if (s == CSSPGO_OK && o[O_PREINLINED].number) s = profgen_mark_all(p);
    return s;
}

/* Lists the functions of a program by probe that have code. */
static csspgo_status probes_list_symbols(const loaded *l, csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; i < l->ranges && s == CSSPGO_OK; i++) {
        const load_range *r = &l->range[i];
        csspgo_func f;
        if (r->part || r->name == NULL) continue;
        f = csspgo_func_add(p, r->name, r->name_size);
        s = f.id != 0 ? csspgo_set_listed(p, f, 1) : CSSPGO_E_NOMEM;
    }
    return s;
}

/* The probe sections of a program, for csspgo_probe_set_free. NULL after saying why not. */
csspgo_probe_set *profgen_probes(const loaded *program, char *why, size_t why_size)
{
    loaded image = *program;                              /* what is found of its code is known already */
    return load_sections(&image, why, why_size);
}

/* Lists the functions that a program has probe descriptors of: those that are inlined everywhere, too. */
static csspgo_status descriptors_list_symbols(const profgen *g, const program_image *m, csspgo_profile *p)
{
    char why[256];
    csspgo_probe_set *probes = profgen_probes(&m->loaded, why, sizeof why);
    csspgo_status s = CSSPGO_OK;
    csspgo_probe_tables t;
    size_t i;
    if (probes == NULL) return warn(g->tool, "%s: no list of symbols from probes: %s", m->path, why), CSSPGO_OK;
    t = csspgo_probe_set_tables(probes);
    for (i = 0; i < t.descriptor_count && s == CSSPGO_OK; i++) {
        const csspgo_func f = csspgo_func_add(p, t.descriptors[i].name, t.descriptors[i].name_size);
        s = f.id != 0 ? csspgo_set_listed(p, f, 1) : CSSPGO_E_NOMEM;
    }
    csspgo_probe_set_free(probes);
    return s;
}

/* Lists the functions of the programs, so that a compiler knows which are not new; those of the first at the end. */
csspgo_status profgen_list_symbols(const profgen *g, csspgo_profile *p)
{
    const size_t n = g->programs.count;
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 1; i <= n && s == CSSPGO_OK; i++) {
        if (g->o[O_SYMBOLS].number) s = g->lines != NULL ? lines_list_symbols(&g->lines[i % n], p)
                                                         : probes_list_symbols(&g->programs.v[i % n].loaded, p);
        if (s == CSSPGO_OK && g->o[O_PROBE_SYMBOLS].number) s = descriptors_list_symbols(g, &g->programs.v[i % n], p);
    }
    return s;
}

/* Reads a profile that is given into p. Files of functions stay if the output has them. */
static csspgo_status profgen_read(const profgen *g, csspgo_profile *p, csspgo_error *e)
{
    const char *const path = g->in.sampled;
    csspgo_status s = csspgo_read_file(p, path, e);
    file_bytes f;
    if (s != CSSPGO_OK || is_gcov3(g->o) || strcmp(path, "-") == 0 || !file_open_named(path, &f)) return s;
    if (has_files(&f)) s = drop_files(p, e);
    file_close(&f);
    return s;
}

/* The profiles that are given, added up. LLVM takes the last one. */
static csspgo_status profgen_sampled(profgen *g, csspgo_profile *p, csspgo_error *e)
{
    const option *const o = &g->o[O_PROFILE];
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = g->tool->compat ? o->count - 1 : 0; s == CSSPGO_OK && i < o->count; i++) {
        csspgo_merge_stats stats;
        csspgo_profile *more;
        g->in.sampled = o->list[i];
        if (o->count == 1 || g->tool->compat) return profgen_read(g, p, e);
        more = csspgo_profile_new(seeded(), e);
        s = more != NULL ? profgen_read(g, more, e) : e->status;
        memset(&stats, 0, sizeof stats);
        if (s == CSSPGO_OK) s = csspgo_merge(p, more, NULL, &stats, e);
        if (s == CSSPGO_OK) merge_warnings(g->tool, &stats, g->in.sampled);
        csspgo_profile_free(more);
    }
    return s;
}

/* The profiles that are given, and the sizes that their contexts need. */
static csspgo_status profgen_given_profile(profgen *g, csspgo_profile *p, csspgo_error *e)
{
    csspgo_status s = profgen_sampled(g, p, e);
    catch_interrupt(SA_RESTART);
    if (s != CSSPGO_OK || !(csspgo_profile_flags(p) & CSSPGO_IS_CS) || !g->o[O_PREINLINER].number ||
        !g->o[O_SIZES].number) return s;
    if (g->lines == NULL && (g->tool->compat || g->o[O_DEBUG_SIZES].number))
        g->sizes = probe_sizes(g->tool, g->o, g->programs.v, g->count.collector, p);
    if (g->lines != NULL && (s = lines_sizes(g->lines, g->programs.count, g->count.collector, p)) != CSSPGO_OK)
        snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(e->status = s));
    return s;
}

/* Reads the lines of what was counted, of code of JITs, too. */
static csspgo_status profgen_lines(profgen *g, csspgo_generate_options *how, csspgo_error *e)
{
    csspgo_status s = lines_read(g->lines, g->programs.count, g->count.collector, how, e);
    if (s == CSSPGO_OK && g->jit != NULL) s = jit_tell_lines(g->jit, g->lines->table);
    if (s == CSSPGO_OK || e->message[0] != '\0') return s;
    snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
    return e->status = s;
}

/* What was counted, by source line. */
static csspgo_status profgen_by_line(profgen *g, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e)
{
    csspgo_collector *const c = g->count.collector;
    csspgo_generate_options by_line = *how;
    csspgo_status s;
    size_t i;
    if (csspgo_collector_has_contexts(c) && g->o[O_SIZES].number) g->lines->sizes = csspgo_size_table_new(seeded(),
                                                                                                          NULL);
    s = profgen_lines(g, &by_line, e);
    if (s == CSSPGO_OK) s = csspgo_collector_line_profile(c, g->lines->table, &by_line, p, NULL, e);
    for (i = 0; s == CSSPGO_OK && is_gcov3(g->o) && i < g->programs.count; i++) {
        s = lines_first_samples(&g->lines[i], p);
        if (s != CSSPGO_OK) snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(e->status = s));
    }
    return s;
}

/* LLVM's raw counters have names in their contexts. */
csspgo_status profgen_name(profgen *g, csspgo_error *e)
{
    csspgo_generate_options how;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    s = profgen_lines(g, &how, e);
    return s == CSSPGO_OK ? csspgo_collector_name_contexts(g->count.collector, g->lines->table, &how, e) : s;
}

/* What was counted, or the profile that is given. */
csspgo_status profgen_profile(profgen *g, csspgo_profile *p, csspgo_error *e)
{
    csspgo_generate_options how;
    csspgo_status s;
    if (g->in.sampled != NULL) return profgen_given_profile(g, p, e);
    memset(&how, 0, sizeof how);
    how.no_inference = !g->o[O_INFER].number;
    how.max_search_depth = (uint32_t)g->o[O_SEARCH_DEPTH].number;
    how.llvm = g->tool->compat ? 19 : 0;
    how.fill_all_functions = (uint32_t)g->o[O_FILL].number;
    how.estimate_fn = csspgo_estimate_blocks;
    if ((g->tool->compat || g->o[O_DEBUG_SIZES].number) && g->lines == NULL && g->o[O_PREINLINER].number &&
        g->o[O_SIZES].number && csspgo_collector_has_contexts(g->count.collector))
        g->sizes = probe_sizes(g->tool, g->o, g->programs.v, g->count.collector, NULL);
    if (g->lines != NULL) return profgen_by_line(g, p, &how, e);
    if (g->jit != NULL) return jit_profile(g->jit, p, &how, e);
    s = csspgo_collector_profile(g->count.collector, &how, p, NULL, e);
    if (s == CSSPGO_OK && g->o[O_TOTALS].number && !csspgo_collector_has_contexts(g->count.collector))
        csspgo_recount_totals(p);
    return s;
}

/* ----- what GCC makes the most of --------------------------------------------------------------------------------- */

/*
 * GCC (before 16) inlines a call early if the profile has it inlined and hot. Counts of other inlinees are lost: the
 * function that is then called does not get them, nor does the block with the call, whose instructions all belonged to
 * the inlinee. So every inlinee counts for its function too, and as calls where it is called. Totals may then count
 * code more than once; GCC takes them only to tell hot from cold.
 */

typedef struct entry {            /* of a node: how often it was entered, as far as its first counts say */
    uint64_t count, at;           /* at: where these counts are; UINT64_MAX: there are none              */
} entry;

/* Orders locations; lines before the function's first one come last. */
static uint64_t entry_place(csspgo_loc loc)
{
    return (uint64_t)(loc.line & 0xffff) << 32 | loc.discriminator;
}

static void entry_offer(entry *e, csspgo_loc loc, uint64_t count)
{
    const uint64_t at = entry_place(loc);
    if (count == 0 || at >= e->at) return;
    e->count = count;
    e->at = at;
}

/* The entries of all nodes, by id. NULL: out of memory. */
static entry *entries_of(const csspgo_profile *p)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    entry *e = (entry *)malloc(nodes * sizeof *e);
    csspgo_node n;
    size_t count, i;
    if (e == NULL) return NULL;
    for (i = 0; i < nodes; i++) {
        e[i].count = 0;
        e[i].at = UINT64_MAX;
    }
    for (n.id = nodes - 1; n.id > 1; n.id--) {             /* inlinees come after what they are in */
        const csspgo_body *b = csspgo_get_bodies(p, n, &count);
        for (i = 0; i < count; i++) entry_offer(&e[n.id], b[i].loc, b[i].count);
        entry_offer(&e[csspgo_node_parent(p, n).id], csspgo_node_loc(p, n), e[n.id].count);
    }
    return e;
}

/* Counts an inlinee's entries where it is called. */
static csspgo_status sites_count(csspgo_profile *p, const entry *e)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    csspgo_status s = CSSPGO_OK;
    csspgo_node n;
    for (n.id = 2; n.id < nodes && s == CSSPGO_OK; n.id++)
        if (csspgo_node_kind_of(p, n) == CSSPGO_INLINEE)
            s = csspgo_add_body(p, csspgo_node_parent(p, n), csspgo_node_loc(p, n), e[n.id].count);
    return s;
}

/* GCC takes a function for one that never runs, whatever its counts, if its head count is 0: `main` for one. */
static csspgo_status heads_count(csspgo_profile *p, const entry *e)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    csspgo_status s = CSSPGO_OK;
    csspgo_node n;
    for (n.id = 2; n.id < nodes && s == CSSPGO_OK; n.id++)
        if (csspgo_node_kind_of(p, n) == CSSPGO_PLAIN && csspgo_head(p, n) == 0)
            s = csspgo_add_head(p, n, e[n.id].count);
    return s;
}

/* Adds the record of a node of `from` to a node of p. */
static csspgo_status profile_record_add(csspgo_profile *p, csspgo_node to, const csspgo_profile *from, csspgo_node n)
{
    size_t bodies, targets, i;
    const csspgo_body *b = csspgo_get_bodies(from, n, &bodies);
    const csspgo_target *t = csspgo_get_targets(from, n, &targets);
    csspgo_status s = CSSPGO_OK;
    for (i = 0; i < bodies && s == CSSPGO_OK; i++) s = csspgo_add_body(p, to, b[i].loc, b[i].count);
    for (i = 0; i < targets && s == CSSPGO_OK; i++) s = csspgo_add_target(p, to, t[i].loc, t[i].func, t[i].count);
    return s;
}

/* Adds an inlinee of `from`, with its inlinees, to its function in p. copy: for each node of `from` its node of p. */
static csspgo_status inlinee_add(csspgo_profile *p, const csspgo_profile *from, csspgo_node top, uint64_t entered,
                                 csspgo_node *copy)
{
    csspgo_node n = top;
    csspgo_status s;
    copy[n.id] = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, csspgo_node_func(from, n));
    if (copy[n.id].id == 0) return CSSPGO_E_NOMEM;
    s = csspgo_add_head(p, copy[n.id], entered);
    while (s == CSSPGO_OK && n.id != 0) {
        s = profile_record_add(p, copy[n.id], from, n);
        n = csspgo_node_next(from, top, n);
        if (s != CSSPGO_OK || n.id == 0) break;
        copy[n.id] = csspgo_node_add(p, copy[csspgo_node_parent(from, n).id], csspgo_node_loc(from, n), CSSPGO_INLINEE,
                                     csspgo_node_func(from, n));
        if (copy[n.id].id == 0) s = CSSPGO_E_NOMEM;
    }
    return s;
}

/* 1 for the versions of a GCC that does not look after inlinees itself. */
static int is_for_old_gcc(const profgen *g)
{
    return is_for_gcc(g) && (g->o[O_GCOV_VERSION].number == 1 || g->o[O_GCOV_VERSION].number == 2);
}

static csspgo_status profgen_for_gcc(csspgo_profile *p)
{
    entry *e = entries_of(p);
    csspgo_status s = e != NULL ? sites_count(p, e) : CSSPGO_E_NOMEM;
    csspgo_profile *from = s == CSSPGO_OK ? csspgo_profile_clone(p, NULL) : NULL;
    csspgo_node *copy = (csspgo_node *)calloc(csspgo_node_count(p) + (size_t)2, sizeof *copy);
    csspgo_node n;
    if (s == CSSPGO_OK) s = heads_count(p, e);
    free(e);
    e = from != NULL ? entries_of(from) : NULL;            /* a copy's nodes are numbered anew */
    if (s == CSSPGO_OK && (e == NULL || copy == NULL)) s = CSSPGO_E_NOMEM;
    for (n.id = 2; s == CSSPGO_OK && n.id < csspgo_node_count(from) + 2; n.id++)
        if (csspgo_node_kind_of(from, n) == CSSPGO_INLINEE) s = inlinee_add(p, from, n, e[n.id].count, copy);
    if (s == CSSPGO_OK) csspgo_recount_totals(p);
    csspgo_profile_free(from);
    free(copy);
    free(e);
    return s;
}

/* ----- output ----------------------------------------------------------------------------------------------------- */

static uint32_t profgen_form(const tool_context *tool, const option *o)
{
    const uint32_t gcc = gcov_form((int)o[O_GCOV_VERSION].number);
    const uint32_t forms[] = { CSSPGO_EXTBINARY, CSSPGO_TEXT, CSSPGO_BINARY, gcc, gcc };
    static const struct { int option; uint32_t bit;
    } added[] = { { O_MD5, CSSPGO_MD5 },
                  { O_COMPRESS_ALL, CSSPGO_COMPRESS },
                  { O_PARTIAL, CSSPGO_PARTIAL },
                  { O_SPLIT, CSSPGO_SPLIT },
                  { O_MD5_SYMBOLS, CSSPGO_MD5_SYMBOLS },
                  { O_COMPOSITE, CSSPGO_COMPOSITE },
                  { O_VERSION, 0 } };
    uint32_t form = forms[o[O_FORMAT].number];
    size_t i;
    for (i = 0; i < sizeof added / sizeof *added; i++) {
        if (!o[added[i].option].number) continue;
        if (forms[o[O_FORMAT].number] == CSSPGO_EXTBINARY) form |= added[i].bit;
        else warn(tool, "--%s is ignored. Specify --format=extbinary to enable it", o[added[i].option].name);
    }
    if (form == CSSPGO_EXTBINARY || (form & 0xff) == CSSPGO_EXTBINARY) form |= extbinary_newer(tool, &o[O_VERSION]);
    return form;
}

static csspgo_status raw_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    return csspgo_write_unsymbolized(g->count.collector, &raw, buf, cap, size, e);
}

static csspgo_status raw_to_file(const void *what, const char *name, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    return csspgo_write_unsymbolized_file(g->count.collector, name, &raw, e);
}

/* Writes the raw counters, or p if there is one. */
csspgo_status profgen_write_to(const profgen *g, csspgo_profile *p, csspgo_error *e)
{
    const writer raw = { raw_to_bytes, raw_to_file, g };
    const int file = strcmp(g->in.output, "-") != 0;
    csspgo_status s = p != NULL && is_for_old_gcc(g) ? profgen_for_gcc(p) : CSSPGO_OK;
    if (s != CSSPGO_OK) {
        memset(e, 0, sizeof *e);
        snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
        return e->status = s;
    }
    if (file) hold_interrupt(SIG_BLOCK);
    s = p != NULL ? write_profile(p, g->in.output, profgen_form(g->tool, g->o), e)
                  : write_output(&raw, g->in.output, e);
    if (file) hold_interrupt(SIG_UNBLOCK);
    return s;
}
