/* profgen_llvm.c - profgen --llvm-compat: what llvm-profgen 19 says of a program without probes, in its words */
#include "profgen_lines.h"

/* 1 if messages are LLVM's. */
int as_llvm(const profgen *g)
{
    return g->tool->compat && g->lines != NULL;
}

/* A share with a sentence behind it; nothing for none. Source: unwinding spec 2.5. */
static void llvm_share(const profgen *g, uint64_t n, uint64_t of, const char *what)
{
    if (n != 0 && of != 0)
        warn(g->tool, "%.2f%%(%llu/%llu) %s", 100.0 * (double)n / (double)of, (unsigned long long)n,
             (unsigned long long)of, what);
}

void llvm_no_mapping(const profgen *g)
{
    const char *name = strrchr(g->binary, '/');
    name = name != NULL ? name + 1 : g->binary;
    warn(g->tool, "No relevant mmap event is matched for %s, will use preferred address (0x%llx) as the base loading "
         "address!", name, (unsigned long long)csspgo_code_base(g->image.code, g->image.module));
}

/* ----- functions ----- */

static int index_cmp(const void *a, const void *b)
{
    const line_range *const *x = (const line_range *const *)a, *const *y = (const line_range *const *)b;
    return (*x)->index < (*y)->index ? -1 : (*x)->index > (*y)->index;
}

/* Two functions at one address, in the order of the debug information. Returns 0 if there is no memory. */
static int llvm_twins(const profgen *g, const line_work *w, const debug_range *r)
{
    const line_range **const v = (const line_range **)malloc((w->twins + 1) * sizeof *v);
    size_t i, addresses = 0;
    if (v == NULL) return 0;
    for (i = 0; i < w->twins; i++) {
        v[i] = &w->twin[i];
        addresses += i == 0 || v[i]->begin != v[i - 1]->begin;
    }
    qsort(v, w->twins, sizeof *v, index_cmp);
    for (i = 0; g->o[O_DETAILS].number && i < w->twins; i++)
        warn(g->tool, "Duplicated symbol start address at %8llx %s and %s", (unsigned long long)v[i]->begin,
             r[range_at(w, v[i]->begin)->index].name, r[v[i]->index].name);
    if (addresses != 0) warn(g->tool, "Found %zu start addresses with multiple symbols", addresses);
    free(v);
    return 1;
}

/* Functions without entry: no range of theirs begins where a symbol of their name is. */
static void llvm_entries(const profgen *g, const line_work *w, const debug_range *r)
{
    unsigned char *const entered = (unsigned char *)calloc(w->names + 1, 1);
    uint64_t none = 0;
    size_t i;
    for (i = 0; entered != NULL && i < w->ranges; i++) entered[w->range[i].function] |= w->range[i].entry != 0;
    for (i = 0; entered != NULL && i < w->twins; i++)
        entered[w->twin[i].function] |= range_at(w, w->twin[i].begin)->entry != 0;
    for (i = 0; entered != NULL && i < w->ranges + w->twins; i++) {
        const line_range *const v = i < w->ranges ? &w->range[i] : &w->twin[i - w->ranges];
        if (entered[v->function]) continue;
        entered[v->function] = 1;
        none++;
        if (g->o[O_DETAILS].number)
            warn(g->tool, "Failed to determine function entry for %s due to inconsistent name from symbol table and "
                 "dwarf info.", r[v->index].name);
    }
    llvm_share(g, none, w->names,
               "of functions failed to determine function entry due to inconsistent name from symbol table and dwarf "
               "info.");
    free(entered);
}

/* What was found in the debug information. Returns 0 if there is no memory. */
int llvm_functions(const profgen *g, const line_work *w)
{
    size_t count;
    const debug_range *const r = debug_info_ranges(w->functions, &count);
    const uint64_t skipped = csspgo_code_get_stats(g->image.code).skipped;
    if (w->ranges == 0)
        warn(g->tool, "Loading of DWARF info completed, but no binary functions have been retrieved.");
    if (!llvm_twins(g, w, r)) return 0;
    if (skipped != 0 && g->o[O_DETAILS].number && !g->tool->quiet && !llvm_bytes(g)) return 0;
    if (skipped != 0) warn(g->tool, "Found %llu invalid instructions", (unsigned long long)skipped);
    llvm_entries(g, w, r);
    return 1;
}

/* ----- samples ----- */

/* What is wrong with a range, as bits of the sentences of llvm_ranges. */
static uint32_t llvm_range(const profgen *g, const detail *d)
{
    const csspgo_code *const code = g->image.code;
    const uint64_t start = d->start + g->bias, end = d->end + g->bias;
    const int has_start = d->start != 1, has_end = d->end != 1;
    const line_range *const at = range_at(g->lines, d->start);
    uint32_t bits = 0;
    if (!has_start && !has_end) return 0;
    if (!has_start || !has_end || csspgo_code_kind(code, end) == CSSPGO_NONE) bits |= 1;
    if (at == NULL) return bits | 2;
    if (d->end >= at->end) bits |= 4;
    if (has_start && has_end && csspgo_code_runs_straight(code, start, end) != 1) bits |= 8;
    return bits;
}

/* Source: unwinding spec 2.5. The ranges that ran are sorted, return addresses behind them. */
static void llvm_ranges(const profgen *g, size_t ranges)
{
    static const char *const all[] = {
        "of samples are from ranges that are not on instruction boundary.",
        "of samples are from ranges that do not belong to any functions.",
        "of samples are from ranges that do cross function boundaries.",
        "of samples are from ranges that have range start after or too far from range end acrossing the unconditinal "
        "jmp." };
    static const char *const one[] = {
        "Range is not on instruction boundary, likely due to profile and binary mismatch.",
        "Range does not belong to any functions, likely from PLT, .init or .fini section.",
        "Fall through range should not cross function boundaries, likely due to profile and binary mismatch.",
        "Range start is after or too far from range end." };
    uint64_t sum[4] = { 0, 0, 0, 0 }, total = 0;
    size_t i, k;
    for (i = 0; i < ranges; i++) {
        const detail *const d = &g->detail[i];
        const uint32_t bits = llvm_range(g, d);
        total += d->count;
        for (k = 0; k < 4; k++) {
            if (!(bits >> k & 1)) continue;
            sum[k] += d->count;
            if (g->o[O_DETAILS].number)
                warn(g->tool, "[%8llx,%8llx]: %s", (unsigned long long)d->start, (unsigned long long)d->end, one[k]);
        }
    }
    if (ranges == 0) warn(g->tool, "No samples in perf script!");
    for (k = 0; k < 4; k++) llvm_share(g, sum[k], total, all[k]);
}

/* What was found in the samples; raw counters have none. */
void llvm_samples(profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    size_t ranges, i;
    if (g->unsymbolized != NULL) return;
    details_settle(g);
    for (ranges = g->details; ranges != 0 && g->detail[ranges - 1].start == UINT64_MAX; ranges--) {}
    llvm_share(g, g->external, g->attempts, "of samples have leaf external frame in call stack.");
    for (i = ranges; g->o[O_DETAILS].number && i < g->details; i++)
        warn(g->tool, "Truncated stack sample due to invalid return address at 0x%llx, likely caused by frame pointer "
             "omission", (unsigned long long)g->detail[i].end);
    llvm_share(g, g->details - ranges, s.unwound,
               "of truncated stack samples due to invalid return address, likely caused by frame pointer omission.");
    llvm_ranges(g, ranges);
    if (!csspgo_collector_has_contexts(g->collector)) return;
    if (s.truncated_contexts != 0 && g->o[O_DETAILS].number)
        warn(g->tool, "Profile context truncated due to missing probe for call instruction at 0x1");
    llvm_share(g, s.truncated_contexts != 0, s.named_contexts,
               "of profiled contexts are truncated due to missing probe for call instruction.");
    llvm_share(g, s.mismatched_external, s.branches,
               "of branches'source is a call instruction but doesn't match call frame stack, likely due to unwinding "
               "error of external frame.");
    llvm_share(g, 2 * s.paired_external, s.branches, "of branches containing paired external address.");
    llvm_share(g, s.unpaired_external, s.branches,
               "of branches containing external address but doesn't have another external address to pair, likely due "
               "to interrupt jmp or broken perf script.");
    llvm_share(g, s.mismatched_leaf, s.branches,
               "of branches'source is a call instruction but doesn't match call frame stack, likely due to frame in "
               "prolog/epilog.");
}

/* density, least: samples per location, as it is and as it ought to be. Source: profile generation spec 12.1. */
void llvm_density(const profgen *g, double density, double least)
{
    if (density == 0)
        warn(g->tool, "The output profile is empty or the --profile-density-cutoff-hot option is set too low. Please "
             "check your command.");
    else if (density > 0 && density < least)
        warn(g->tool, "Sample PGO is estimated to optimize better with %.1fx more samples. Please consider increasing "
             "sampling rate or profiling for longer duration to get more samples.", least / density);
}
