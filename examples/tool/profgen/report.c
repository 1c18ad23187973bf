/* report.c - profgen: warnings, density, probe descriptors */
#include "profgen.h"

/* Call stacks that are not there, or not as frames: contexts need them. The report on a terminal says it, too. */
static void stack_warnings(const profgen *g)
{
    const option *const o = g->o;
    if (o[O_IGNORE_STACK].number || o[O_SPE].number || (g->health != NULL && isatty(fileno(g->tool->err))))
        return;
    if (g->reader.user_stacks && g->count.one_frame >= g->count.with_stack / 2)
        warn(g->tool, "call stacks are copies of memory (--call-graph dwarf), which are not unwound here: record with "
             "--call-graph fp, or take what perf script prints (--perfscript)");
    else if (g->count.branches && g->count.with_stack == 0)
        warn(g->tool, "there are no call stacks: the profile is without contexts (perf record -b --call-graph fp; "
             "--ignore-stack-samples if that is meant)");
}

static void makers_share(const tool_context *tool, uint64_t n, uint64_t of, const char *what)
{
    if (n != 0 && of != 0)
        warn(tool, "%.2f%% (%llu/%llu) %s", 100.0 * (double)n / (double)of, (unsigned long long)n,
             (unsigned long long)of, what);
}

/* What depends on who recorded the branches: Arm SPE, AMD, late interrupts. */
static void makers_warnings(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->count.collector);
    const int keep = g->o[O_BOGUS].number != 0, spe = g->o[O_SPE].number != 0;
    makers_share(g->tool, s.late_stacks, s.samples,
                 keep ? "call stacks dropped: leaf and newest branch target disagree (bogus trace)"
                      : "samples dropped: leaf and newest branch target disagree (bogus trace)");
    if (s.late_stacks > s.samples / 2 && !keep)
        warn(g->tool, "most stacks are later than their branch records: --bogus-stacks=records keeps the records");
    makers_share(g->tool, s.wrong_paths, s.wrong_paths + s.branches,
                 "branch records dropped: speculated on a wrong path");
    makers_share(g->tool, s.bad_targets, s.samples, "branches dropped: no instruction begins at their target");
    makers_share(g->tool, s.bad_sources, s.not_taken, "branches not taken are no conditional branches");
    if (spe && g->count.most_records > 1)
        warn(g->tool, "samples have up to %u branch records: --spe-branch-profile is for one", g->count.most_records);
    if (!spe && s.branches != 0 && g->count.most_records == 1 && !g->tool->compat)
        warn(g->tool, "no sample has two branch records: if Arm SPE made them, give --spe-branch-profile");
}

void profgen_warnings(profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->count.collector);
    const uint64_t stackless = csspgo_collector_has_contexts(g->count.collector) ? s.no_stack : 0;
    const struct { unsigned long long n, of; const char *what; } w[] = {
        { stackless, s.samples, "samples have no call stack: they count without a context" },
        { s.prologue_leaves, s.samples, "samples dropped: leaf in a prologue or epilogue" },
        { s.no_branches, s.samples,
          g->count.branches ? "samples dropped: no branch in this program"
          : g->tool->compat    ? "samples dropped: they have no branch records"
                      : "samples dropped: their address is not in this program" },
        { s.external_leaves, s.samples, "samples have an external leaf" },
        { s.bad_return_addresses, s.samples, "stacks cut at a return address without a call before it" },
        { s.unpaired_external, s.branches, "branches of distinct samples come from other code without a partner" },
        { s.mismatched_external, s.branches, "calls by other code do not match the stack" },
        { s.mismatched_leaf, s.branches, "calls do not match the stack" },
        { s.invalid_ranges, s.branches, "ranges run across a call, return or jump" },
        { s.zero_returns, s.branches, "returns go to no call site" },
    };
    size_t i;
    if (g->tool->quiet || g->in.sampled != NULL) return;
    if (g->in.preagg != NULL) {
        preagg_warnings(g);
        return;
    }
    if (llvm_tells(g)) {
        llvm_samples(g);
        return;
    }
    if (g->jit_only && s.branches == 0) return;         /* said already; counts are samples */
    if (s.addresses != 0 && s.branches == 0)
        warn(g->tool, "no branch records: counts are estimates from %llu sampled addresses",
             (unsigned long long)s.addresses);
    else if (s.addresses != 0)
        warn(g->tool, "%llu samples without branch records do not count", (unsigned long long)s.addresses);
    for (i = 0; i < sizeof w / sizeof *w; i++)
        if (w[i].n != 0)
            warn(g->tool, "%.2f%% (%llu/%llu) %s", 100.0 * (double)w[i].n / (double)w[i].of, w[i].n, w[i].of,
                 w[i].what);
    makers_warnings(g);
    stack_warnings(g);
}

/* ----- density: samples per location, of the functions that make most samples ----- */

typedef struct density_row {
    uint64_t samples;
    uint32_t locations;
} density_row;

static int density_order(const void *a, const void *b)
{
    const density_row *x = (const density_row *)a, *y = (const density_row *)b;
    const double m = (double)x->samples / x->locations, n = (double)y->samples / y->locations;
    if (m != n) return m > n ? -1 : 1;
    return x->samples < y->samples ? -1 : x->samples > y->samples;
}

/* -1: out of memory. cutoff: millionths of all samples. */
static double density_of(const csspgo_profile *p, uint64_t cutoff)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    density_row *row = (density_row *)calloc(nodes, sizeof *row);
    double density = 0, all = 0, seen = 0;
    csspgo_node node;
    size_t n = 0, i;
    if (row == NULL) return -1;
    for (node.id = nodes - 1; node.id > 1; node.id--) {    /* inlinees come after what they are in */
        size_t count;
        const csspgo_body *b = csspgo_get_bodies(p, node, &count);
        density_row *up = &row[csspgo_node_parent(p, node).id];
        row[node.id].locations += (uint32_t)count;
        for (i = 0; i < count; i++) row[node.id].samples += b[i].count;
        if (csspgo_node_kind_of(p, node) != CSSPGO_INLINEE) continue;
        up->samples += row[node.id].samples;
        up->locations += row[node.id].locations;
        row[node.id].locations = 0;
    }
    for (i = 2; i < nodes; i++)
        if (row[i].locations != 0) {
            all += (double)row[i].samples;
            row[n++] = row[i];
        }
    qsort(row, n, sizeof *row, density_order);
    for (i = 0; i < n && seen < (double)((float)all * (float)cutoff / 1000000); i++) {
        seen += (double)row[i].samples;
        density = (double)row[i].samples / row[i].locations;
    }
    free(row);
    return density;
}

double profgen_density_of(const option *o, const csspgo_profile *p)
{
    return density_of(p, (uint64_t)o[O_DENSITY_CUTOFF].number);
}

void profgen_density(const profgen *g, const csspgo_profile *p)
{
    const uint64_t cutoff = (uint64_t)g->o[O_DENSITY_CUTOFF].number;
    const double least = (double)(uint64_t)g->o[O_DENSITY].number, density = density_of(p, cutoff);
    if (g->tool->compat) llvm_density(g->tool, density, least);
    else if (density == 0 && !is_blank(p)) warn(g->tool, "--profile-density-cutoff-hot is too low: no location counts");
    else if (density > 0 && least / density >= 1.05)       /* else it would be "1.0 times as many" */
        warn(g->tool, "%.1f times as many samples would make a better profile: %.1f per location, wanted %.1f",
             least / density, density, least);
    if (g->o[O_SHOW_DENSITY].number)
        printf("Functions with density >= %.1f account for %.2f%% total sample counts.\n", density,
               (double)cutoff / 10000);
}

/* ----- output ----- */

static int descriptor_order(const void *a, const void *b)
{
    const csspgo_descriptor *x = (const csspgo_descriptor *)a, *y = (const csspgo_descriptor *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

int print_descriptors(const csspgo_probe_tables *t)
{
    csspgo_descriptor *const d = (csspgo_descriptor *)malloc((t->descriptor_count + 1) * sizeof *d);
    size_t i;
    if (d == NULL) return 0;
    if (t->descriptor_count != 0) memcpy(d, t->descriptors, t->descriptor_count * sizeof *d);
    qsort(d, t->descriptor_count, sizeof *d, descriptor_order);
    printf("Pseudo Probe Desc:\n");
    for (i = 0; i < t->descriptor_count; i++)
        printf("GUID: %llu Name: %.*s\nHash: %llu\n", (unsigned long long)d[i].guid, (int)d[i].name_size, d[i].name,
               (unsigned long long)d[i].checksum);
    free(d);
    return 1;
}

/* Prints the binary's probe descriptors, as llvm-profgen when it makes a profile. */
int profgen_show_probes(const profgen *g)
{
    char why[256];
    csspgo_probe_set *probes = profgen_probes(g->image, why, sizeof why);
    csspgo_probe_tables t;
    int ok;
    if (probes == NULL) return fail(g->tool, "%s: %s", g->in.binary, why), 0;
    t = csspgo_probe_set_tables(probes);
    ok = print_descriptors(&t) || (fail(g->tool, "out of memory"), 0);
    csspgo_probe_set_free(probes);
    return ok;
}

/* The exit status if nothing came of the samples. */
static int profgen_empty(const profgen *g)
{
    const char *const place = g->jit_only ? "function" : g->lines != NULL ? "line" : "probe";
    const uint64_t samples = csspgo_collector_get_stats(g->count.collector).samples;
    if (g->in.sampled != NULL) return hopeless(g->tool, "%s: the profile is empty", g->in.sampled);
    if (g->o[O_FILL].number && g->in.unsymbolized != NULL && g->read.ranges + g->read.branches == 0)
        return warn(g->tool, "%s: there are no counters: all counts are 0", g->in.path), 0;
    if (g->in.unsymbolized != NULL || g->in.preagg != NULL)
        return kind_of(g->tool, g->in.path, KIND_OTHER) != NULL
                   ? hopeless(g->tool, "%s: %s", g->in.path, kind_of(g->tool, g->in.path, KIND_OTHER))
                   : hopeless(g->tool, "%s: no counter is of a %s of %s", g->in.path, place, g->in.binary);
    if (samples == 0) return hopeless(g->tool, "the profile is empty: there are no samples");
    return hopeless(g->tool, "the profile is empty: no sample of %" PRIu64 " hit a %s of %s", samples, place,
                    g->in.binary);
}

/* The exit status once all is written; p: NULL, or what was. Raw counters are of no use if every sample was dropped. */
int profgen_worth(const profgen *g, const csspgo_profile *p)
{
    const uint64_t samples = csspgo_collector_get_stats(g->count.collector).samples;
    const uint64_t dropped = profgen_dropped(g->count.collector, g->tool, g->o);
    const uint64_t density = (uint64_t)g->o[O_MIN_DENSITY].number;
    const int counters = g->in.unsymbolized != NULL || g->in.preagg != NULL;
    if (fit_status(g->tool, &g->fit, g->in.binary) != 0) return 3;
    if (!g->tool->compat && (p != NULL ? is_blank(p) : !counters && dropped >= samples)) return profgen_empty(g);
    if (loss_status(g) != 0) return 3;
    if (density != 0 && p != NULL) {
        const double have = density_of(p, (uint64_t)g->o[O_DENSITY_CUTOFF].number);
        if (have < 0) return fail(g->tool, "out of memory");
        if (have < (double)density)
            return missed(g->tool, "there are %.1f samples per location, less than --min-density=%" PRIu64, have,
                          density);
    }
    return 0;
}
