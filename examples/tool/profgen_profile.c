/* profgen_profile.c - profgen: from the counters' profile to the one that is written */
#include "profgen.h"

/* The counts that are hot and cold, by options or the summary. */
static csspgo_status profgen_thresholds(profgen *g, csspgo_profile *p, uint64_t *hot, uint64_t *cold)
{
    const option *o = g->o;
    csspgo_status s = csspgo_threshold(p, (uint64_t)o[O_CUTOFF_HOT].number, hot, NULL);
    if (s == CSSPGO_OK) s = csspgo_threshold(p, (uint64_t)o[O_CUTOFF_COLD].number, cold, NULL);
    if (o[O_HOT_COUNT].text != NULL) *hot = (uint64_t)o[O_HOT_COUNT].number;
    if (o[O_COLD_COUNT].text != NULL) *cold = (uint64_t)o[O_COLD_COUNT].number;
    return s;
}

/* For a field of csspgo_preinline_options, where 0 stands for the default. */
static uint32_t profgen_given(const option *o)
{
    return o->number != 0 ? (uint32_t)o->number : CSSPGO_ZERO;
}

static csspgo_status profgen_preinline(profgen *g, csspgo_profile *p, uint64_t cold)
{
    const option *o = g->o;
    csspgo_sizes *sizes = NULL;
    csspgo_preinline_options how;
    csspgo_status s = CSSPGO_OK;
    memset(&how, 0, sizeof how);
    how.cold_count = cold != 0 ? cold : UINT64_MAX;
    how.hot_threshold = profgen_given(&o[O_HOT_INLINE]);
    how.cold_threshold = profgen_given(&o[O_COLD_INLINE]);
    how.growth_limit = profgen_given(&o[O_GROWTH]);
    how.limit_min = profgen_given(&o[O_LIMIT_MIN]);
    how.limit_max = profgen_given(&o[O_LIMIT_MAX]);
    how.again = profgen_given(&o[O_AGAIN]);
    how.replay = (uint32_t)o[O_REPLAY].number;
    how.unsorted_cycles = !o[O_SORT].number;
    how.llvm = g->tool->compat ? 19 : 0;
    if (g->lines != NULL) how.sizes = lines_sizes(g->lines);
    else if (g->sizes != NULL) how.sizes = g->sizes;
    else if (o[O_SIZES].number && g->jit == NULL) {
        how.sizes = sizes = csspgo_sizes_new(seeded(), NULL);
        s = sizes != NULL ? csspgo_sizes_add_code(sizes, g->image.code, NULL) : CSSPGO_E_NOMEM;
    }
    if (s == CSSPGO_OK) s = csspgo_preinline(p, &how, NULL, NULL);
    csspgo_sizes_free(sizes);
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
    loss_made(g, p);
    memset(&cold, 0, sizeof cold);
    cold.merge = contexts && (o[O_MERGE_COLD].text != NULL ? o[O_MERGE_COLD].number : !preinline);
    cold.trim = o[O_TRIM].number != 0;
    cold.frames = (uint32_t)o[O_COLD_DEPTH].number;
    cold.base_only = preinline && !cold.merge;
    if (preinline || cold.merge || cold.trim) s = profgen_thresholds(g, p, &hot_count, &cold_count);
    if (s == CSSPGO_OK && preinline) s = profgen_preinline(g, p, cold_count);
    loss_inlined(g, p);
    cold.threshold = contexts ? hot_count : cold_count;
    if (s == CSSPGO_OK && cold.threshold != 0) s = csspgo_trim_cold(p, &cold, NULL);
    loss_trimmed(g, p);
    if (s == CSSPGO_OK && contexts && o[O_NESTED].number)
        s = csspgo_nest(p, o[O_KEEP_BASE].number ? (uint32_t)CSSPGO_NEST_KEEP_BASE : 0, NULL);
    loss_nested(g, p);
    return s;
}

/* Lists the functions of the program that have code, so that a compiler knows which are not new. */
csspgo_status profgen_list_symbols(const profgen *g, csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    s = images_list_symbols(g, p);
    if (g->lines != NULL) return s == CSSPGO_OK ? lines_list_symbols(g->lines, p) : s;
    for (i = 0; i < g->image.ranges && s == CSSPGO_OK; i++) {
        const load_range *r = &g->image.range[i];
        csspgo_func f;
        if (r->part || r->name == NULL) continue;
        f = csspgo_func_add(p, r->name, r->name_size);
        s = f.id != 0 ? csspgo_set_listed(p, f, 1) : CSSPGO_E_NOMEM;
    }
    return s;
}

static uint32_t profgen_form(const profgen *g)
{
    const uint32_t gcc = gcov_form((int)g->o[O_GCOV_VERSION].number);
    const uint32_t forms[] = { CSSPGO_EXTBINARY, CSSPGO_TEXT, CSSPGO_BINARY, gcc, gcc };
    static const struct { int option; uint32_t bit;
    } added[] = { { O_MD5, CSSPGO_MD5 },
                  { O_COMPRESS_ALL, CSSPGO_COMPRESS },
                  { O_PARTIAL, CSSPGO_PARTIAL },
                  { O_SPLIT, CSSPGO_SPLIT } };
    uint32_t form = forms[g->o[O_FORMAT].number];
    size_t i;
    for (i = 0; i < sizeof added / sizeof *added; i++) {
        if (!g->o[added[i].option].number) continue;
        if (forms[g->o[O_FORMAT].number] == CSSPGO_EXTBINARY) form |= added[i].bit;
        else warn(g->tool, "--%s is ignored. Specify --format=extbinary to enable it", g->o[added[i].option].name);
    }
    return form;
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
        g->sampled = o->list[i];
        if (o->count == 1 || g->tool->compat) return csspgo_read_file(p, g->sampled, e);
        more = csspgo_load_file(g->sampled, seeded(), e);
        if (more == NULL) return e->status;
        memset(&stats, 0, sizeof stats);
        s = csspgo_merge(p, more, NULL, &stats, e);
        if (s == CSSPGO_OK) merge_warnings(g->tool, &stats, g->sampled);
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
    if (g->lines == NULL && (g->tool->compat || g->o[O_DEBUG_SIZES].number)) probe_sizes(g, p);
    if (g->lines != NULL && (s = profile_sizes(g, p)) != CSSPGO_OK)
        snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(e->status = s));
    return s;
}

/* What was counted, or the profile that is given. */
csspgo_status profgen_profile(profgen *g, csspgo_profile *p, csspgo_error *e)
{
    csspgo_generate_options how;
    csspgo_status s;
    if (g->sampled != NULL) return profgen_given_profile(g, p, e);
    memset(&how, 0, sizeof how);
    how.no_inference = !g->o[O_INFER].number;
    how.max_search_depth = (uint32_t)g->o[O_SEARCH_DEPTH].number;
    how.llvm = g->tool->compat ? 19 : 0;
    how.fill_all_functions = (uint32_t)g->o[O_FILL].number;
    how.estimate_fn = csspgo_estimate;
    if ((g->tool->compat || g->o[O_DEBUG_SIZES].number) && g->lines == NULL && g->o[O_PREINLINER].number &&
        g->o[O_SIZES].number && csspgo_collector_has_contexts(g->collector))
        probe_sizes(g, NULL);
    if (g->lines != NULL) return lines_profile(g, p, &how, e);
    if (g->jit != NULL) return jit_profile(g, p, &how, e);
    s = csspgo_collector_profile(g->collector, p, &how, NULL, e);
    if (s == CSSPGO_OK && g->o[O_TOTALS].number && !csspgo_collector_has_contexts(g->collector))
        csspgo_recount_totals(p);
    return s;
}

static csspgo_status raw_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    return csspgo_write_unsymbolized(g->collector, &raw, buf, cap, size, e);
}

static csspgo_status raw_to_file(const void *what, const char *name, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    return csspgo_write_unsymbolized_file(g->collector, name, &raw, e);
}

/* Writes the raw counters, or p if there is one. */
csspgo_status profgen_write_to(const profgen *g, csspgo_profile *p, csspgo_error *e)
{
    const writer raw = { raw_to_bytes, raw_to_file, g };
    const int file = strcmp(g->output, "-") != 0;
    csspgo_status s = p != NULL && is_for_old_gcc(g) ? profgen_for_gcc(p) : CSSPGO_OK;
    if (s != CSSPGO_OK) {
        memset(e, 0, sizeof *e);
        snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
        return e->status = s;
    }
    if (file) hold_interrupt(SIG_BLOCK);
    s = p != NULL ? write_profile(p, g->output, profgen_form(g), e) : write_output(&raw, g->output, e);
    if (file) hold_interrupt(SIG_UNBLOCK);
    return s;
}

/* 1 if a symbol stands in data of the program. A separate file has the section's header without the bytes. */
static int is_data(const loaded *l, const elf_image *e, const elf_symbol *y)
{
    elf_section s, t;
    uint32_t i;
    if (!elf_section_at(e, y->section, &s) || !(s.flags & ELF_SECTION_ALLOC) || s.flags & ELF_SECTION_EXEC) return 0;
    if (s.type == ELF_PROGBITS || e == &l->elf) return s.type == ELF_PROGBITS && s.size != 0;
    for (i = 1; i < l->elf.section_count; i++)
        if (elf_section_at(&l->elf, i, &t) && t.type == ELF_PROGBITS && t.address == s.address && t.size == s.size)
            return s.size != 0;
    return 0;
}

/* 1 if clang built it with flow-sensitive discriminators: the image itself has a variable that says so. */
int is_flow_sensitive(const loaded *l)
{
    static const char mark[] = "__llvm_fs_discriminator__";
    const elf_image *const e = load_symbols(l);
    elf_symbol y;
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++)
        if (elf_symbol_at(e, i, &y) && y.name_size == sizeof mark - 1 && memcmp(y.name, mark, sizeof mark - 1) == 0 &&
            is_data(l, e, &y))
            return 1;
    return 0;
}
