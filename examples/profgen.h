/* profgen.h - the command profgen: samples of a program become a profile (llvm-profgen)
 *
 * Include it after csspgo.h, load.h and tool.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_PROFGEN_H
#define CSSPGO_EXAMPLES_PROFGEN_H

#include <signal.h>

/* ----- profgen ---------------------------------------------------------------------------------------------------- */

enum { /* places in the table below */
    O_BINARY, O_PERFSCRIPT, O_PS_ALIAS, O_PERFDATA, O_PD_ALIAS, O_UNSYMBOLIZED, O_UP_ALIAS, O_PROFILE, O_OUTPUT,
    O_O_ALIAS, O_FORMAT, O_MD5, O_COMPRESS_ALL, O_PARTIAL, O_SPLIT, O_SKIP, O_USE_OFFSET, O_FIRST_LOADABLE,
    O_IGNORE_STACK, O_COMPRESS, O_DEPTH, O_INFER, O_SEARCH_DEPTH, O_FILL, O_PREINLINER, O_SIZES, O_REPLAY,
    O_HOT_INLINE, O_COLD_INLINE, O_GROWTH, O_LIMIT_MIN, O_LIMIT_MAX, O_AGAIN, O_MERGE_COLD, O_COLD_DEPTH, O_TRIM,
    O_NESTED, O_KEEP_BASE, O_CUTOFF_HOT, O_CUTOFF_COLD, O_HOT_COUNT, O_COLD_COUNT, O_DENSITY, O_DENSITY_CUTOFF,
    O_SHOW_DENSITY, O_SORT, O_SYMBOLS, O_TOTALS, O_PID, O_SHOW_MMAP, O_DEBUG_BINARY, O_KERNEL, O_DETAILS,
    O_SHOW_PROBES, O_LEADING, O_EVENT, O_EVENTS, O_PERIOD, O_COMPAT, O_QUIET, O_HELP
};

static const option profgen_options[] = {
    { "binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "perfscript", OPT_LIST, NULL, 0, NULL, NULL, 0 },
    { "ps", OPT_ALIAS, "perfscript", 0, NULL, NULL, 0 },
    { "perfdata", OPT_LIST, NULL, 0, NULL, NULL, 0 },
    { "pd", OPT_ALIAS, "perfdata", 0, NULL, NULL, 0 },
    { "unsymbolized-profile", OPT_LIST, NULL, 0, NULL, NULL, 0 },
    { "up", OPT_ALIAS, "unsymbolized-profile", 0, NULL, NULL, 0 },
    { "llvm-sample-profile", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "output", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "o", OPT_ALIAS, "output", 0, NULL, NULL, 0 },
    { "format", OPT_CHOICE, "extbinary|text|binary|gcc", 0, NULL, NULL, 0 },
    { "use-md5", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "compress-all-sections", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "gen-partial-profile", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "split-layout", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "skip-symbolization", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "use-offset", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "use-first-loadable-segment-as-base", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "ignore-stack-samples", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "compress-recursion", OPT_NUMBER, NULL, -1, NULL, NULL, 0 },
    { "csprof-max-context-depth", OPT_NUMBER, NULL, -1, NULL, NULL, 0 },
    { "infer-missing-frames", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "max-search-depth", OPT_NUMBER, NULL, 0, NULL, NULL, 0 },
    { "fill-zero-for-all-funcs", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "csspgo-preinliner", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "use-context-cost-for-preinliner", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "csspgo-replay-preinline", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "sample-profile-hot-inline-threshold", OPT_COUNT, NULL, 1500, NULL, NULL, 0 },
    { "sample-profile-cold-inline-threshold", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "sample-profile-inline-growth-limit", OPT_COUNT, NULL, 12, NULL, NULL, 0 },
    { "sample-profile-inline-limit-min", OPT_COUNT, NULL, 100, NULL, NULL, 0 },
    { "sample-profile-inline-limit-max", OPT_COUNT, NULL, 50000, NULL, NULL, 0 },
    { "csspgo-preinliner-multiplier-for-previous-inlining", OPT_COUNT, NULL, 100, NULL, NULL, 0 },
    { "csprof-merge-cold-context", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "csprof-max-cold-context-depth", OPT_COUNT, NULL, 1, NULL, NULL, 0 },
    { "trim-cold-profile", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "gen-cs-nested-profile", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "generate-merged-base-profiles", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "profile-summary-cutoff-hot", OPT_COUNT, NULL, 990000, NULL, NULL, 0 },
    { "profile-summary-cutoff-cold", OPT_COUNT, NULL, 999999, NULL, NULL, 0 },
    { "profile-summary-hot-count", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "profile-summary-cold-count", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "profile-density-threshold", OPT_COUNT, NULL, 50, NULL, NULL, 0 },
    { "profile-density-cutoff-hot", OPT_COUNT, NULL, 990000, NULL, NULL, 0 },
    { "show-density", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "sort-profiled-scc-member", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "populate-profile-symbol-list", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "update-total-samples", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "pid", OPT_NUMBER, NULL, -1, NULL, NULL, 0 },
    { "show-mmap-events", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "debug-binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "kernel", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "show-detailed-warning", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "show-pseudo-probe", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "leading-ip-only", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "perf-event", OPT_LIST, NULL, 0, NULL, NULL, 0 },
    { "perf-events", OPT_LIST, NULL, 0, NULL, NULL, 0 },
    { "sample-period", OPT_COUNT, NULL, 1, NULL, NULL, 0 },
    { "llvm-compat", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "quiet", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "help", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    /* What llvm-profgen 19 has and this tool refuses. */
    { "use-dwarf-correlation", OPT_REFUSED, "profiles are by probe, debug information is not read", 1, NULL, NULL, 0 },
    { "show-disassembly-only", OPT_REFUSED, "code is decoded but not printed; use llvm-objdump", 1, NULL, NULL, 0 },
    { "show-source-locations", OPT_REFUSED, "it is of --show-disassembly-only", 1, NULL, NULL, 0 },
    { "show-canonical-fname", OPT_REFUSED, "it is of --show-disassembly-only", 1, NULL, NULL, 0 },
    { "disassemble-functions", OPT_REFUSED, "it is of --show-disassembly-only", 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

static int help_main(int argc, char **argv);

typedef struct profgen {
    option            o[sizeof profgen_options / sizeof *profgen_options];
    const char       *binary, *perfscript, *perfdata, *unsymbolized, *sampled, *output;   /* inputs: the last ones */
    const option     *inputs;     /* all recordings or files of counters           */
    const char       *path;       /* the input that is read now                    */
    int               last;       /* ... and none follows                          */
    loaded            image;
    csspgo_collector *collector;
    csspgo_spaces    *spaces;     /* who moves samples to link-time addresses; NULL: the code map is moved instead */
    int               mapped;     /* a mapping event for the binary was seen */
    uint64_t          bias;       /* run-time - link-time address in the code map */
    int               ids_read;   /* the build ids behind the data were read before it */
    int               pidless;    /* some sample does not say of which process it is */
    int               branches, stacks;      /* some sample has branch records; besides a call stack */
    int               partial;    /* SIGINT came before the end of the input */
    int               flat;       /* the script has branch records and no call stacks */
    struct detail    *detail;     /* for --show-detailed-warning */
    size_t            details, detail_cap;
} profgen;

/* 1 if there is one of the options that are for scripts without call stacks. */
static int flat_asked(const profgen *g)
{
    const option *o = g->o;
    return g->perfscript != NULL &&
           (o[O_LEADING].number || o[O_PERIOD].text != NULL || o[O_EVENT].count + o[O_EVENTS].count != 0);
}

/* Checks the inputs, of which LLVM takes the last one. Returns 0 after saying what is wrong. */
static int profgen_check_inputs(profgen *g)
{
    const option *in = g->inputs;
    size_t i, stdins = 0;
    if (compat) return 1;
    for (i = 0; i < in->count; i++) stdins += strcmp(in->list[i], "-") == 0;
    if (stdins > 1) return usage("--%s=-: standard input can be read only once", in->name), 0;
    if (in->count > 1 && flat_asked(g))
        return usage("--leading-ip-only, --perf-event, --perf-events and --sample-period take one --perfscript"), 0;
    return 1;
}

/* Checks what the options say together. Returns 0 after saying what is wrong. */
static int profgen_check(profgen *g)
{
    const option *o = g->o;
    g->binary = o[O_BINARY].text;
    g->perfscript = o[O_PERFSCRIPT].text;
    g->perfdata = o[O_PERFDATA].text;
    g->unsymbolized = o[O_UNSYMBOLIZED].text;
    g->sampled = o[O_PROFILE].text;
    g->output = o[O_OUTPUT].text;
    quiet = (int)o[O_QUIET].number;
    if (g->binary == NULL) return usage("--binary is missing"), 0;
    if (g->output == NULL) return usage("--output is missing"), 0;
    if ((g->perfscript != NULL) + (g->perfdata != NULL) + (g->unsymbolized != NULL) + (g->sampled != NULL) != 1)
        return usage("give one of --perfscript, --perfdata, --unsymbolized-profile and --llvm-sample-profile"), 0;
    g->inputs = &o[g->perfscript != NULL ? O_PERFSCRIPT : g->perfdata != NULL ? O_PERFDATA : O_UNSYMBOLIZED];
    if (!profgen_check_inputs(g)) return 0;
    if (compat && g->perfdata != NULL && (o[O_LEADING].number || o[O_PERIOD].text != NULL))
        return usage("--%s needs --perfscript", o[O_LEADING].number ? "leading-ip-only" : "sample-period"), 0;
    if (o[O_COMPRESS].number < -1) return usage("Value of --compress-recursion should >= -1"), 0;
    if (o[O_COLD_DEPTH].number == 0)
        return usage("--csprof-max-cold-context-depth=0 would leave contexts without function"), 0;
    if (o[O_CUTOFF_HOT].number > 999999 || o[O_CUTOFF_COLD].number > 999999)
        return usage("Desired percentile exceeds the maximum cutoff"), 0;
    return 1;
}

static int profgen_spares(const profgen *g)
{
    size_t i;
    for (i = 0; i < g->inputs->count; i++)
        if (!output_spares(g->output, g->inputs->list[i])) return 0;
    return output_spares(g->output, g->binary) && output_spares(g->output, g->o[O_DEBUG_BINARY].text) &&
           output_spares(g->output, g->sampled);
}

static csspgo_collector_options profgen_how(const profgen *g)
{
    const option *o = g->o;
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.ignore_stack = (uint32_t)o[O_IGNORE_STACK].number;
    how.llvm = compat ? 19 : 0;
    if (o[O_COMPRESS].number >= 0) {
        how.limit_recursion = 1;
        how.max_recursion = (uint32_t)o[O_COMPRESS].number;
    }
    if (o[O_DEPTH].number >= 0) {
        how.limit_depth = 1;
        how.max_depth = (uint32_t)o[O_DEPTH].number;
    }
    return how;
}

static csspgo_unsymbolized_options profgen_raw(const profgen *g)
{
    csspgo_unsymbolized_options raw;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image.module;
    if (!g->o[O_USE_OFFSET].number) return raw;
    raw.base = g->o[O_FIRST_LOADABLE].number ? g->image.first_loadable
                                             : csspgo_code_base(g->image.code, g->image.module);
    return raw;
}

/* ----- --show-detailed-warning: what makes no sense, address by address ----- */

typedef struct detail {           /* of distinct samples: a range between two branches, both inclusive; with start */
    uint64_t start, end;          /* UINT64_MAX: a return address without a call before it                         */
} detail;

static int detail_order(const void *a, const void *b)
{
    const detail *x = (const detail *)a, *y = (const detail *)b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* Sorts, and drops what is there twice. */
static void details_settle(profgen *g)
{
    size_t i, n = 0;
    if (g->details != 0) qsort(g->detail, g->details, sizeof *g->detail, detail_order);
    for (i = 0; i < g->details; i++)
        if (n == 0 || detail_order(&g->detail[n - 1], &g->detail[i]) != 0) g->detail[n++] = g->detail[i];
    g->details = n;
}

/* Room for one more. Returns 0 after saying what is wrong. */
static int details_room(profgen *g)
{
    const size_t cap = g->detail_cap * 2 + 4096;
    detail *more;
    if (g->details < g->detail_cap) return 1;
    details_settle(g);
    if (g->details < g->detail_cap / 2) return 1;
    more = (detail *)realloc(g->detail, cap * sizeof *more);
    if (more == NULL) return fail("out of memory"), 0;
    g->detail = more;
    g->detail_cap = cap;
    return 1;
}

static int details_push(profgen *g, uint64_t start, uint64_t end)
{
    if (!details_room(g)) return 0;
    g->detail[g->details].start = start;
    g->detail[g->details++].end = end;
    return 1;
}

static int is_code(const profgen *g, uint64_t address)
{
    return csspgo_code_runs_straight(g->image.code, address, address) == 1;
}

/* Notes a sample, in link-time addresses; 1 stands for other code. taken: by the collector. */
static int details_add(profgen *g, const csspgo_sample *s, int taken)
{
    uint64_t end = 0;
    uint32_t i;
    for (i = 0; taken && i < s->branch_count; i++) {
        const int from = is_code(g, s->branches[i].from), to = is_code(g, s->branches[i].to);
        if (!from && !to) continue;
        if (end != 0 && !details_push(g, to ? s->branches[i].to - g->bias : 1, end)) return 0;
        end = from ? s->branches[i].from - g->bias : 1;
    }
    for (i = 1; i < s->stack_count; i++) {
        if (!is_code(g, s->stack[i]) || csspgo_code_call_before(g->image.code, s->stack[i]) != 0) continue;
        return details_push(g, UINT64_MAX, s->stack[i] - g->bias);
    }
    return 1;
}

/* The end of the function's code around an address, 0 if there is none. */
static uint64_t function_end(const profgen *g, uint64_t address)
{
    const load_range *r = g->image.range;
    size_t a = 0, b = g->image.ranges;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (r[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a != 0 && address < r[a - 1].end ? r[a - 1].end : 0;
}

static void detail_range(const profgen *g, const detail *d)
{
    const int start = d->start != 1, end = d->end != 1;
    const csspgo_code *code = g->image.code;
    const uint64_t stop = function_end(g, d->start);
    const char *what[4] = { NULL, NULL, NULL, NULL };
    size_t i;
    if (!start && !end) return;
    if (!start || !end || csspgo_code_kind(code, d->end + g->bias) == CSSPGO_NONE)
        what[0] = "does not lead from code of the program to a branch of it";
    if (stop == 0) what[1] = "begins in no function with probes";
    else if (d->end >= stop) what[2] = "leaves its function";
    if (stop != 0 && start && end && csspgo_code_runs_straight(code, d->start + g->bias, d->end + g->bias) != 1)
        what[3] = "cannot run straight";
    for (i = 0; i < 4; i++)
        if (what[i] != NULL)
            warn("[%8llx,%8llx] %s", (unsigned long long)d->start, (unsigned long long)d->end, what[i]);
}

static void details_show(profgen *g)
{
    size_t i;
    details_settle(g);
    for (i = 0; i < g->details; i++)
        if (g->detail[i].start != UINT64_MAX) detail_range(g, &g->detail[i]);
        else warn("0x%llx is a return address without a call before it", (unsigned long long)g->detail[i].end);
    free(g->detail);
}

/* ----- input ----- */

/* Run-time - link-time addresses after a mapping; old: if it is not of the first executable segment. */
static uint64_t profgen_bias(const profgen *g, const csspgo_mmap *map, uint64_t old)
{
    const uint64_t base = csspgo_code_base(g->image.code, g->image.module);
    elf_segment s;
    uint32_t i;
    for (i = 0; i < g->image.elf.segment_count; i++)
        if (elf_segment_at(&g->image.elf, i, &s) && s.type == ELF_LOAD && s.flags & ELF_FLAG_X)
            return g->o[O_KERNEL].number || (s.offset & ~(uint64_t)4095) == map->file_offset ? map->address - base
                                                                                             : old;
    return old;
}

/* A mapping of the kernel, for --kernel: it is where the binary is, whatever its offset. */
static int profgen_map_kernel(profgen *g, const csspgo_mmap *map)
{
    static const char *const names[] = { "[kernel.kallsyms]", "[kernel.kallsyms]_stext", "[kernel.kallsyms]_text" };
    const uint64_t base = csspgo_code_base(g->image.code, g->image.module);
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == map->path_size && memcmp(names[i], map->path, map->path_size) == 0)
            return csspgo_code_map(g->image.code, g->image.module, map->address - base) == CSSPGO_OK ? 1 : -1;
    return 0;
}

static uint64_t profgen_dropped(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    return s.no_stack + s.no_branches + s.prologue_leaves;
}

/* --leading-ip-only: address and stack of a sample count, its branches do not. Returns 0 after saying what is wrong. */
static int profgen_address(profgen *g, const csspgo_sample *sample)
{
    csspgo_sample s = *sample;
    csspgo_status status;
    if (s.count == 0) return 1;                       /* a text that says so; a collector takes 0 for 1 */
    s.branch_count = 0;
    status = csspgo_collector_add(g->collector, &s, 1);
    return status == CSSPGO_OK || (fail("%s", csspgo_status_text(status)), 0);
}

/* --sample-period: what a sample with so many equal ones counts, by the ranges between its branches. */
static uint64_t flat_weight(const profgen *g, const csspgo_sample *s)
{
    const uint64_t period = (uint64_t)g->o[O_PERIOD].number;
    const uint64_t all = s->count != 0 && period > UINT64_MAX / s->count ? UINT64_MAX : s->count * period;
    uint64_t n = 0;
    uint32_t i;
    for (i = 0; i < s->branch_count; i++) n += is_code(g, s->branches[i].from) || is_code(g, s->branches[i].to);
    return n > 1 ? all / (n - 1) : all;
}

/* A mapping event, when the code map follows the last one. Returns 0 after saying what is wrong. */
static int profgen_follow(profgen *g, const csspgo_mmap *map)
{
    const int hit = g->o[O_KERNEL].number ? profgen_map_kernel(g, map) : csspgo_code_mmap(g->image.code, map);
    if (hit == -2) return fail("%s", csspgo_status_text(CSSPGO_E_NOMEM)), 0;
    if (hit < 0)
        warn("a mapping of %s at 0x%llx fits none of its segments", g->binary, (unsigned long long)map->address);
    if (hit > 0) g->bias = profgen_bias(g, map, g->bias);
    g->mapped |= hit > 0;
    return 1;
}

/* An item that is no sample. Returns 0 after saying what is wrong. */
static int profgen_event(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    const long long pid = g->o[O_PID].number;
    csspgo_status s;
    if (item == CSSPGO_ITEM_MMAP && g->o[O_SHOW_MMAP].number)
        printf("Mmap: Binary %.*s loaded at 0x%llx: \n", (int)map->path_size, map->path,
               (unsigned long long)map->address);
    if (item == CSSPGO_ITEM_MMAP && pid >= 0 && map->pid != (uint32_t)pid) return 1;
    if (g->spaces == NULL && item == CSSPGO_ITEM_MMAP) return profgen_follow(g, map);
    if (g->spaces == NULL || (item == CSSPGO_ITEM_BUILD_ID && g->ids_read)) return 1;
    s = csspgo_spaces_event(g->spaces, item, sample, map);
    if (s != CSSPGO_OK) return fail("%s", csspgo_status_text(s)), 0;
    g->mapped = csspgo_spaces_get_stats(g->spaces).mappings != 0;
    return 1;
}

/* Moves a sample to link-time addresses. Returns 0 after saying what is wrong. */
static int profgen_place(profgen *g, csspgo_sample *sample)
{
    csspgo_status s;
    g->pidless |= sample->pid == 0;
    if (g->spaces == NULL) return 1;
    s = csspgo_spaces_sample(g->spaces, sample);
    return s == CSSPGO_OK || (fail("%s", csspgo_status_text(s)), 0);
}

/* One item of a recording. Returns 0 after saying what is wrong. */
static int profgen_item(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    csspgo_sample placed, weighted;
    uint64_t dropped;
    csspgo_status s;
    if (item != CSSPGO_ITEM_SAMPLE) return profgen_event(g, item, sample, map);
    if (sample->count == 0 && !compat) return 1;      /* a text that says so; a collector takes 0 for 1 */
    placed = *sample;
    if (!profgen_place(g, &placed)) return 0;
    if (g->o[O_LEADING].number && !compat) return profgen_address(g, &placed);
    if (g->o[O_LEADING].number && g->o[O_IGNORE_STACK].number) return 1;    /* LLVM leaves nothing */
    g->branches |= placed.branch_count != 0;
    g->stacks |= placed.branch_count != 0 && placed.stack_count != 0;
    weighted = placed;
    if (g->flat && g->o[O_PERIOD].text != NULL) weighted.count = flat_weight(g, &placed);
    dropped = g->o[O_DETAILS].number ? profgen_dropped(g) : 0;
    s = csspgo_collector_add(g->collector, &weighted, 1);
    if (s != CSSPGO_OK) return fail("%s", csspgo_status_text(s)), 0;
    return !g->o[O_DETAILS].number || details_add(g, &placed, profgen_dropped(g) == dropped);
}

/* A recording: perf script's text, or perf.data. */
typedef struct recording {
    const char      *path;
    csspgo_script   *script;
    csspgo_perfdata *data;
} recording;

/* any: a script may have any fields; else it is read as LLVM does. */
static int recording_open(profgen *g, recording *r, int any)
{
    memset(r, 0, sizeof *r);
    r->path = g->path;
    if (g->perfscript != NULL) r->script = csspgo_script_new(seeded(), NULL);
    else r->data = csspgo_perfdata_new(seeded(), NULL);
    if (r->script == NULL && r->data == NULL) return fail("out of memory"), 0;
    if (r->script != NULL && any) csspgo_script_set_any_fields(r->script, g->image.code);
    if (r->script != NULL && compat) csspgo_script_set_code(r->script, g->image.code);   /* broken stacks as LLVM's */
    return 1;
}

static void recording_close(recording *r)
{
    csspgo_script_free(r->script);
    csspgo_perfdata_free(r->data);
}

static unsigned long long recording_samples(const recording *r)
{
    return r->script != NULL ? csspgo_script_get_stats(r->script).samples : csspgo_perfdata_get_stats(r->data).samples;
}

/* What was in it that made no sense. */
static void recording_warnings(const recording *r)
{
    if (r->script != NULL) {
        const csspgo_script_stats s = csspgo_script_get_stats(r->script);
        const unsigned long long bad = s.bad_frame_lines + s.bad_records + s.bad_mmaps;
        if (bad != 0)
            warn("%s:%llu: and %llu more lines make no sense", r->path, (unsigned long long)s.first_bad_line, bad - 1);
    } else {
        const csspgo_perfdata_stats s = csspgo_perfdata_get_stats(r->data);
        const unsigned long long bad = s.bad_records + s.unknown_events;
        if (bad != 0) warn("%s: byte %llu: and %llu more records make no sense", r->path,
                           (unsigned long long)s.first_bad_offset, bad - 1);
        if (s.lost != 0) warn("%s: the kernel lost %llu samples", r->path, (unsigned long long)s.lost);
    }
}

/* A piece of it, none at the end; then everything that the parser has ready. Returns 0 after saying what is wrong. */
static int recording_feed(profgen *g, recording *r, const void *piece, size_t size)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    if (r->script != NULL && size != 0) csspgo_script_feed(r->script, piece, size); /* the last piece was read up: */
    else if (r->script != NULL) csspgo_script_end(r->script);                           /* cannot fail */
    else if (size != 0) csspgo_perfdata_feed(r->data, piece, size);
    else csspgo_perfdata_end(r->data);
    for (;;) {
        const csspgo_item item = r->script != NULL ? csspgo_script_next(r->script, &sample, &map, &e)
                                                   : csspgo_perfdata_next(r->data, &sample, &map, &e);
        if (item == CSSPGO_ITEM_NONE) break;
        if (!profgen_item(g, item, &sample, &map)) return 0;
    }
    if (e.status == CSSPGO_E_TRUNCATED && r->data != NULL && recording_samples(r) != 0) {
        warn("%s: byte %llu: %s: the profile is of the %llu samples before", r->path, (unsigned long long)e.offset,
             e.message, recording_samples(r));
        return 1;
    }
    return e.status == CSSPGO_OK || (fail_at(r->path, &e), 0);
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* The first SIGINT ends the input, the second one the program. flags: whether system calls go on after the first. */
static void catch_interrupt(int flags)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_interrupt;
    a.sa_flags = (int)SA_RESETHAND | flags;
    sigaction(SIGINT, &a, NULL);
}

/* While a file is written even a second SIGINT has to wait: no output is left half-written. */
static void hold_interrupt(int how)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGINT);
    sigprocmask(how, &one, NULL);
}

static void recording_interrupted(profgen *g, const recording *r, unsigned long long bytes)
{
    g->partial = 1;
    warn("%s: interrupted after %llu bytes: the profile is of what came before", r->path, bytes);
}

/* Reads it from f. Returns 0 after saying what is wrong. */
static int recording_read(profgen *g, recording *r, FILE *f, unsigned long long total)
{
    enum { CHUNK = 1 << 18 };
    static char chunk[CHUNK];
    unsigned long long bytes = 0;
    progress p = progress_begin();
    size_t n;
    int ok = 1;
    p.total = total;
    while (ok && !interrupted && (n = fread(chunk, 1, CHUNK, f)) != 0) {
        ok = recording_feed(g, r, chunk, n);
        bytes += n;
        progress_show(&p, bytes, recording_samples(r));
    }
    progress_end(&p);
    if (ok && interrupted && !feof(f) && (total == 0 || bytes < total)) recording_interrupted(g, r, bytes);
    else if (ok && ferror(f)) ok = (fail("%s: %s", r->path, strerror(errno)), 0);
    else if (ok) ok = recording_feed(g, r, NULL, 0);
    return ok;
}

/* ----- scripts of branch records alone, for --leading-ip-only, --perf-event and --sample-period ----- */

enum { FLAT_BATCH = 4096, FLAT_LINE = 80 };

typedef struct flat_reader {
    recording   r;
    char       *lines;            /* counters of sampled addresses, still to be read */
    size_t      size, count;      /* bytes, lines of it                              */
    int         counted;          /* the last line was a count: `times`              */
    uint64_t    times, samples;
} flat_reader;

/* What the branch records of a script are with: 1 call stacks, 0 no call stacks, -1 nothing, it is no script. */
static int flat_kind(const file_bytes *text)
{
    csspgo_script *s = csspgo_script_new(seeded(), NULL);
    csspgo_item item = CSSPGO_ITEM_OTHER;
    csspgo_sample sample;
    csspgo_mmap map;
    int kind = -1;
    if (s == NULL) return -1;
    csspgo_script_feed(s, text->data, text->size);
    csspgo_script_end(s);
    while (kind < 0 && item != CSSPGO_ITEM_NONE) {
        item = csspgo_script_next(s, &sample, &map, NULL);
        if (csspgo_script_get_stats(s).hybrid) kind = 1;
        else if (item == CSSPGO_ITEM_SAMPLE) kind = 0;
    }
    csspgo_script_free(s);
    return kind;
}

/* The word at p: what lies between blanks. Returns its size. */
static size_t flat_word(const char **p, const char *end)
{
    size_t n = 0;
    while (*p != end && **p == ' ') ++*p;
    while (*p + n != end && (*p)[n] != ' ') n++;
    return n;
}

/* 1 if the word is among those of a list; split: an entry holds several, between commas. */
static int flat_listed(const option *o, int split, const char *word, size_t size)
{
    size_t i;
    for (i = 0; i < o->count; i++) {
        const char *v = o->list[i];
        for (;;) {
            const size_t n = split ? strcspn(v, ",") : strlen(v);
            if (n == size && memcmp(v, word, n) == 0) return 1;
            if (v[n] == '\0') break;
            v += n + 1;
        }
    }
    return 0;
}

/* A number that is all of a word. Returns 0 if it is none. */
static int flat_number(const char *word, size_t size, unsigned base, uint64_t *number)
{
    size_t i;
    *number = 0;
    for (i = 0; i < size; i++) {
        const int c = word[i] | 32;
        const unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                             : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
        if (digit >= base || *number > (UINT64_MAX - digit) / base) return 0;
        *number = *number * base + digit;
    }
    return size != 0;
}

/* Hands on the counters that wait. Returns 0 after saying what is wrong. */
static int flat_flush(profgen *g, flat_reader *f)
{
    csspgo_unsymbolized_options raw;
    csspgo_error e;
    char head[FLAT_LINE];
    const size_t n = (size_t)snprintf(head, sizeof head, "%zu\n", f->count);
    char *const text = f->lines + FLAT_LINE - n;           /* room for the head is in front of the lines */
    if (f->count == 0) return 1;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image.module;
    memcpy(text, head, n);
    memcpy(f->lines + f->size, "0\n", 2);
    e.status = csspgo_read_unsymbolized(g->collector, &raw, text, f->size - FLAT_LINE + n + 2, &e);
    f->size = FLAT_LINE;
    f->count = 0;
    return e.status == CSSPGO_OK || (fail_at(f->r.path, &e), 0);
}

/* A sampled address: by default as a sample without branches, in compat mode as LLVM's range of one instruction. */
static int flat_address(profgen *g, flat_reader *f, uint64_t ip, uint64_t times)
{
    csspgo_sample s;
    if (!compat) {
        memset(&s, 0, sizeof s);
        s.stack = &ip;
        s.stack_count = 1;
        s.count = times;
        return profgen_place(g, &s) && profgen_address(g, &s);
    }
    if (!is_code(g, ip)) return 1;
    f->size += (size_t)sprintf(f->lines + f->size, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", ip - g->bias, ip - g->bias,
                               times);
    return ++f->count < FLAT_BATCH || flat_flush(g, f);
}

static int flat_is_map(const char *p, size_t size)
{
    return size >= 50 && (*p < '0' || *p > '9') && memmem(p, size, "PERF_RECORD_MMAP", 16) != NULL;
}

/* A line, [p, end), with its line feed. Returns 0 after saying what is wrong. */
static int flat_line(profgen *g, flat_reader *f, const char *p, const char *end)
{
    const option *o = g->o;
    const int filter = o[O_EVENT].count + o[O_EVENTS].count != 0, leading = o[O_LEADING].number != 0;
    const char *last = end, *word = p;
    csspgo_sample s;
    uint64_t ip;
    size_t n, name;
    while (last != p && (last[-1] == '\n' || last[-1] == '\r')) last--;
    if (!f->counted && flat_is_map(p, (size_t)(last - p))) return recording_feed(g, &f->r, p, (size_t)(end - p));
    memset(&s, 0, sizeof s);
    s.count = f->counted ? f->times : 1;
    f->counted = !f->counted && flat_number(p, (size_t)(last - p), 10, &f->times);
    if (f->counted) return leading || recording_feed(g, &f->r, p, (size_t)(end - p));
    n = flat_word(&word, last);
    if (n != 0 && word[n - 1] == ':') {
        for (name = n; name != 0 && word[name - 1] == ':'; name--) {}
        if (filter && !flat_listed(&o[O_EVENT], 0, word, name) && !flat_listed(&o[O_EVENTS], 1, word, name))
            return leading || recording_feed(g, &f->r, "\n", 1);        /* uses up the count */
        word += n;
        n = flat_word(&word, last);
    }
    if (!leading) return recording_feed(g, &f->r, p, (size_t)(end - p));
    if (!flat_number(word, n, 16, &ip)) return 1;
    f->samples++;
    return flat_address(g, f, ip, o[O_PERIOD].text != NULL ? flat_weight(g, &s) : s.count);
}

/* Scripts without samples decide nothing; --skip-symbolization is to write that there are no counters. */
static int profgen_no_contexts(profgen *g)
{
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    csspgo_error e;
    return csspgo_read_unsymbolized(g->collector, &raw, "0\n0\n", 4, &e) == CSSPGO_OK || (fail("%s", e.message), 0);
}

/* A build id in hexadecimal digits; to has room for 41 bytes. */
static const char *build_text(const unsigned char *id, size_t size, char *to)
{
    size_t i;
    *to = '\0';
    for (i = 0; i < size && i < 20; i++) sprintf(to + 2 * i, "%02x", id[i]);
    return to;
}

/* What became of mappings and addresses. Returns 0 if the recording is of another program, after saying so. */
static int recording_spaces(const profgen *g, const recording *r)
{
    const csspgo_spaces_stats s = csspgo_spaces_get_stats(g->spaces);
    char recorded[41], given[41];
    size_t size;
    const unsigned char *id = elf_build_id(&g->image.elf, &size);
    build_text(s.other_build, s.other_build_size, recorded);
    build_text(id, size, given);
    if (s.other_builds != 0 && s.builds == 0)
        return fail("%s: the recorded program has build id %s, %s has %s: give the program that was recorded", r->path,
                    recorded, g->binary, given), 0;
    if (s.other_builds != 0)
        warn("%s: samples of a program of the same name with build id %s do not count: %s has %s", r->path, recorded,
             g->binary, given);
    if (s.unfit_mappings != 0)
        warn("%s: %llu mappings of %s fit none of its segments", r->path, (unsigned long long)s.unfit_mappings,
             g->binary);
    if (s.offset_stacks != 0)
        warn("%s: %llu call stacks are of offsets in files, as perf 5.16 to 6.3 prints them: %llu of their frames are "
             "in %s; perf.data itself is surer", r->path, (unsigned long long)s.offset_stacks,
             (unsigned long long)s.offset_frames, g->binary);
    if (s.places > 1 && g->pidless)
        warn("%s: %s is mapped at %llu addresses, and samples do not say of which process they are: print them with "
             "-F +pid", r->path, g->binary, (unsigned long long)s.places);
    if (s.guessed != 0)
        warn("%s: %llu samples are of processes without mapping events: they are looked up among all mappings", r->path,
             (unsigned long long)s.guessed);
    return 1;
}

/* The end of a recording: what is to be said about it. Returns 0 after saying what is wrong. */
static int recording_over(profgen *g, const recording *r, unsigned long long samples)
{
    if (r->script != NULL && g->last && csspgo_collector_get_stats(g->collector).samples == 0 &&
        (g->o[O_IGNORE_STACK].number || !csspgo_script_get_stats(r->script).hybrid) && !profgen_no_contexts(g))
        return 0;
    recording_warnings(r);
    if (g->spaces != NULL && !recording_spaces(g, r)) return 0;
    if (!g->mapped && g->o[O_KERNEL].number) return fail("%s: no mapping event is for the kernel", r->path), 0;
    if (!g->mapped && samples != 0)
        warn("no mapping event is for %s: its preferred address 0x%llx is taken", g->binary,
             (unsigned long long)csspgo_code_base(g->image.code, g->image.module));
    return 1;
}

/* Reads such a script. Returns 0 after saying what is wrong. */
static int flat_read(profgen *g, const file_bytes *text)
{
    const char *const begin = (const char *)text->data, *const end = begin + text->size, *p = begin;
    csspgo_collector_options how = profgen_how(g);
    progress shown = progress_begin();
    flat_reader f;
    int ok;
    memset(&f, 0, sizeof f);
    how.ignore_stack = 1;                                  /* the address alone is no stack */
    csspgo_collector_free(g->collector);
    g->collector = csspgo_collector_new(g->image.code, &how, seeded(), NULL);
    f.lines = (char *)malloc((FLAT_BATCH + 2) * FLAT_LINE);
    f.size = FLAT_LINE;
    g->flat = 1;
    shown.total = text->size;
    ok = recording_open(g, &f.r, 0);
    if (ok && (f.lines == NULL || g->collector == NULL)) ok = (fail("out of memory"), 0);
    while (ok && !interrupted && p != end) {
        const char *lf = (const char *)memchr(p, '\n', (size_t)(end - p));
        ok = flat_line(g, &f, p, lf != NULL ? lf + 1 : end);
        if (ok && lf == NULL) ok = recording_feed(g, &f.r, "\n", 1);
        p = lf != NULL ? lf + 1 : end;
        progress_show(&shown, (unsigned long long)(p - begin), f.samples + recording_samples(&f.r));
    }
    progress_end(&shown);
    ok = ok && flat_flush(g, &f);
    if (ok && p != end) recording_interrupted(g, &f.r, (unsigned long long)(p - begin));
    ok = ok && recording_over(g, &f.r, f.samples + recording_samples(&f.r));
    recording_close(&f.r);
    free(f.lines);
    return ok;
}

/* Tells of the build ids that stand behind the data of a perf.data file. Returns 0 after saying what is wrong. */
static int recording_build_ids(profgen *g, FILE *f)
{
    static char chunk[1 << 16];
    csspgo_perfdata *d = csspgo_perfdata_new(seeded(), NULL);
    csspgo_item item;
    csspgo_sample sample;
    csspgo_mmap map;
    uint64_t at = 0, bytes = 0;
    size_t n;
    int ok = d != NULL || (fail("out of memory"), 0);
    while (ok && (at != 0 || bytes < 1 << 20) && (n = fread(chunk, 1, sizeof chunk, f)) != 0) {
        csspgo_perfdata_feed(d, chunk, n);
        while (ok && (item = csspgo_perfdata_next(d, &sample, &map, NULL)) != CSSPGO_ITEM_NONE)
            if (item == CSSPGO_ITEM_BUILD_ID) ok = profgen_event(g, item, &sample, &map);
        bytes += n;
        if (at == 0) at = csspgo_perfdata_skip_data(d);
        if (at == 0 || at == UINT64_MAX) continue;
        ok = ok && (fseeko(f, (off_t)at, SEEK_SET) == 0 || (fail("%s: %s", g->perfdata, strerror(errno)), 0));
        at = UINT64_MAX;
    }
    g->ids_read = at != 0;
    csspgo_perfdata_free(d);
    return ok && ((!ferror(f) && fseeko(f, 0, SEEK_SET) == 0) || (fail("%s: %s", g->perfdata, strerror(errno)), 0));
}

/* Reads from f; total: its bytes if it can be read twice, else 0. Returns 0 after saying what is wrong. */
static int recording_read_from(profgen *g, FILE *f, unsigned long long total)
{
    recording r;
    int ok = recording_open(g, &r, !compat);
    if (ok && r.data != NULL && g->spaces != NULL && total != 0) ok = recording_build_ids(g, f);
    ok = ok && recording_read(g, &r, f, total) && recording_over(g, &r, recording_samples(&r));
    recording_close(&r);
    return ok;
}

static int profgen_read_recording(profgen *g)
{
    const char *const path = g->path;
    const int is_stdin = strcmp(path, "-") == 0, in_memory = flat_asked(g);
    unsigned long long total = 0;
    struct stat st;
    file_bytes text;
    FILE *f;
    int ok;
    memset(&text, 0, sizeof text);
    if (in_memory && !file_open(path, &text)) return fail("%s: %s", path, strerror(errno)), 0;
    if (in_memory && flat_kind(&text) == 0) {
        ok = flat_read(g, &text);
        file_close(&text);
        return ok;
    }
    if (in_memory) f = fmemopen((void *)(uintptr_t)text.data, text.size, "rb");
    else f = is_stdin ? stdin : fopen(path, "rb");
    if (f == NULL) return fail("%s: %s", path, strerror(errno)), file_close(&text), 0;
    setvbuf(f, NULL, _IONBF, 0);
    if (in_memory) total = text.size;
    else if (!is_stdin && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode)) total = (unsigned long long)st.st_size;
    ok = recording_read_from(g, f, total);
    if (f != stdin) fclose(f);
    file_close(&text);
    return ok;
}

static int profgen_read_raw(profgen *g)
{
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    csspgo_error e;
    file_bytes text;
    csspgo_status s;
    if (!file_open(g->path, &text)) return fail("%s: %s", g->path, strerror(errno)), 0;
    s = csspgo_read_unsymbolized(g->collector, &raw, text.data, text.size, &e);
    file_close(&text);
    if (s != CSSPGO_OK) fail_at(g->path, &e);
    return s == CSSPGO_OK;
}

/* Address spaces are followed but in compat mode and for the kernel. Returns 0 after saying what is wrong. */
static int profgen_spaces(profgen *g)
{
    size_t size;
    const unsigned char *id = elf_build_id(&g->image.elf, &size);
    if (compat || g->o[O_KERNEL].number) return 1;
    if (id != NULL) csspgo_code_set_build_id(g->image.code, g->image.module, id, size < 20 ? size : 20);
    g->spaces = csspgo_spaces_new(g->image.code, seeded(), NULL);
    return g->spaces != NULL || (fail("out of memory"), 0);
}

/* Forgets where the recording before was mapped. Returns 0 after saying what is wrong. */
static int profgen_next_recording(profgen *g)
{
    g->mapped = g->ids_read = g->pidless = 0;
    g->bias = 0;
    csspgo_spaces_free(g->spaces);
    g->spaces = NULL;
    if (csspgo_collector_flush(g->collector) != CSSPGO_OK ||
        csspgo_code_map(g->image.code, g->image.module, 0) != CSSPGO_OK)
        return fail("out of memory"), 0;
    return profgen_spaces(g);
}

/* Recordings, or files of counters, of one program: they add up. Returns 0 after saying what is wrong. */
static int profgen_read_inputs(profgen *g)
{
    const option *in = g->inputs;
    size_t i = compat && in->count != 0 ? in->count - 1 : 0;
    int ok = 1;
    for (; ok && i < in->count && !interrupted; i++) {
        g->path = in->list[i];
        g->last = i + 1 == in->count;
        if (g->unsymbolized != NULL) ok = profgen_read_raw(g);
        else ok = (i == 0 || compat || profgen_next_recording(g)) && profgen_read_recording(g);
    }
    if (!ok || i == in->count) return ok;
    g->partial = 1;
    warn("interrupted: %zu of %zu inputs were not read", in->count - i, in->count);
    return 1;
}

static void profgen_warnings(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    const struct { unsigned long long n, of; const char *what; } w[] = {
        { s.prologue_leaves, s.samples, "samples dropped: leaf in a prologue or epilogue" },
        { s.no_branches, s.samples,
          g->branches ? "samples dropped: no branch in this program"
          : compat    ? "samples dropped: they have no branch records"
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
    if (s.addresses != 0 && s.branches == 0)
        warn("no branch records: counts are estimates from %llu sampled addresses", (unsigned long long)s.addresses);
    else if (s.addresses != 0)
        warn("%llu samples without branch records do not count", (unsigned long long)s.addresses);
    for (i = 0; i < sizeof w / sizeof *w; i++)
        if (w[i].n != 0)
            warn("%.2f%% (%llu/%llu) %s", 100.0 * (double)w[i].n / (double)w[i].of, w[i].n, w[i].of, w[i].what);
}

/* ----- from the counters' profile to the one that is written ----- */

/* The counts that are hot and cold, by options or the summary. */
static csspgo_status profgen_thresholds(profgen *g, csspgo_profile *p, uint64_t *hot, uint64_t *cold)
{
    const option *o = g->o;
    csspgo_status s = csspgo_threshold(p, (uint64_t)o[O_CUTOFF_HOT].number, hot);
    if (s == CSSPGO_OK) s = csspgo_threshold(p, (uint64_t)o[O_CUTOFF_COLD].number, cold);
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
    if (s == CSSPGO_OK && o[O_SIZES].number) {
        how.sizes = sizes = csspgo_sizes_new(seeded(), NULL);
        s = sizes != NULL ? csspgo_sizes_add_code(sizes, g->image.code) : CSSPGO_E_NOMEM;
    }
    if (s == CSSPGO_OK) s = csspgo_preinline(p, &how, NULL, NULL);
    csspgo_sizes_free(sizes);
    return s;
}

/* Pre-inlines, merges and trims cold contexts, nests: what llvm-profgen does by default. */
static csspgo_status profgen_finish(profgen *g, csspgo_profile *p)
{
    const option *o = g->o;
    const int contexts = (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0, preinline = contexts && o[O_PREINLINER].number;
    csspgo_cold_options cold;
    uint64_t hot_count, cold_count;
    csspgo_status s;
    if (csspgo_record_count(p) == 0) return CSSPGO_OK;
    s = profgen_thresholds(g, p, &hot_count, &cold_count);
    if (s == CSSPGO_OK && preinline) s = profgen_preinline(g, p, cold_count);
    memset(&cold, 0, sizeof cold);
    cold.threshold = contexts ? hot_count : cold_count;
    cold.merge = contexts && (o[O_MERGE_COLD].text != NULL ? o[O_MERGE_COLD].number : !preinline);
    cold.trim = o[O_TRIM].number != 0;
    cold.frames = (uint32_t)o[O_COLD_DEPTH].number;
    cold.base_only = preinline && !cold.merge;
    if (s == CSSPGO_OK && cold.threshold != 0) s = csspgo_trim_cold(p, &cold);
    if (s == CSSPGO_OK && contexts && o[O_NESTED].number)
        s = csspgo_nest(p, o[O_KEEP_BASE].number ? (uint32_t)CSSPGO_NEST_KEEP_BASE : 0);
    return s;
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
        const csspgo_body *b = csspgo_bodies(p, node, &count);
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

static void profgen_density(const profgen *g, const csspgo_profile *p)
{
    const uint64_t cutoff = (uint64_t)g->o[O_DENSITY_CUTOFF].number;
    const double least = (double)(uint64_t)g->o[O_DENSITY].number, density = density_of(p, cutoff);
    if (density == 0) warn("the profile is empty, or --profile-density-cutoff-hot is too low");
    else if (density > 0 && density < least)
        warn("%.1f times as many samples would make a better profile: %.1f per location, wanted %.1f",
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

/* Prints the binary's probe descriptors, as llvm-profgen when it makes a profile. */
static int profgen_show_probes(const profgen *g)
{
    char why[256];
    csspgo_probes *probes = load_sections(&g->image, why, sizeof why);
    csspgo_probe_tables t;
    csspgo_descriptor *d;
    size_t i;
    if (probes == NULL) return fail("%s: %s", g->binary, why), 0;
    t = csspgo_probes_tables(probes);
    d = (csspgo_descriptor *)malloc((t.descriptor_count + 1) * sizeof *d);
    if (d != NULL) {
        if (t.descriptor_count != 0) memcpy(d, t.descriptors, t.descriptor_count * sizeof *d);
        qsort(d, t.descriptor_count, sizeof *d, descriptor_order);
        printf("Pseudo Probe Desc:\n");
        for (i = 0; i < t.descriptor_count; i++)
            printf("GUID: %llu Name: %.*s\nHash: %llu\n", (unsigned long long)d[i].guid, (int)d[i].name_size, d[i].name,
                   (unsigned long long)d[i].checksum);
    }
    free(d);
    csspgo_probes_free(probes);
    return d != NULL || (fail("out of memory"), 0);
}

/* Lists the functions of the program that have code, so that a compiler knows which are not new. */
static csspgo_status profgen_list_symbols(const profgen *g, csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; i < g->image.ranges && s == CSSPGO_OK; i++) {
        const load_range *r = &g->image.range[i];
        elf_symbol y;
        csspgo_func f;
        if (r->part || !elf_symbol_at(load_symbols(&g->image), r->symbol, &y)) continue;
        f = csspgo_func_add(p, y.name, r->name_size);
        s = f.id != 0 ? csspgo_set_listed(p, f, 1) : CSSPGO_E_NOMEM;
    }
    return s;
}

static uint32_t profgen_form(const profgen *g)
{
    static const uint32_t forms[] = { CSSPGO_EXTBINARY, CSSPGO_TEXT, CSSPGO_BINARY, CSSPGO_GCOV };
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
        else warn("--%s is ignored. Specify --format=extbinary to enable it", g->o[added[i].option].name);
    }
    return form;
}

/* What was counted, or the profile that is given. */
static csspgo_status profgen_profile(profgen *g, csspgo_profile *p, csspgo_error *e)
{
    csspgo_generate_options how;
    csspgo_status s;
    if (g->sampled != NULL) {
        s = csspgo_read_file(p, g->sampled, e);
        catch_interrupt(SA_RESTART);
        return s;
    }
    memset(&how, 0, sizeof how);
    how.no_inference = !g->o[O_INFER].number;
    how.max_search_depth = (uint32_t)g->o[O_SEARCH_DEPTH].number;
    how.llvm = 19;
    how.fill_all_functions = (uint32_t)g->o[O_FILL].number;
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
    return csspgo_write_unsymbolized_file(g->collector, &raw, name, e);
}

/* Writes the raw counters, or p if there is one. */
static csspgo_status profgen_write_to(const profgen *g, csspgo_profile *p, csspgo_error *e)
{
    const writer raw = { raw_to_bytes, raw_to_file, g };
    const int file = strcmp(g->output, "-") != 0;
    csspgo_status s;
    if (file) hold_interrupt(SIG_BLOCK);
    s = p != NULL ? write_profile(p, g->output, profgen_form(g), e) : write_output(&raw, g->output, e);
    if (file) hold_interrupt(SIG_UNBLOCK);
    return s;
}

/* ----- options that have no effect on this input or with the others ----- */

enum { /* why; the first that holds is told */
    IDLE_SAMPLED = 1, IDLE_COUNTED = 2, IDLE_RAW = 4, IDLE_NO_RAW = 8, IDLE_FLAT = 16, IDLE_CONTEXTS = 32,
    IDLE_PREINLINER = 64, IDLE_NEST = 128, IDLE_MERGE = 256, IDLE_FORMAT = 512, IDLE_INFER = 1024, IDLE_STACKS = 2048,
    IDLE_DATA = 4096, IDLE_HOT = 8192, IDLE_COLD = 16384, IDLE_HOT_GIVEN = 32768, IDLE_COLD_GIVEN = 65536,
    IDLE_NO_RECORDING = IDLE_SAMPLED | IDLE_COUNTED,
    IDLE_WITH_PREINLINER = IDLE_RAW | IDLE_FLAT | IDLE_PREINLINER
};

/* Tells options that ask for something and get nothing; in compat mode they pass in silence, as in LLVM. */
static void profgen_idle(const profgen *g, int contexts)
{
    static const char *const why[] = {
        "with --llvm-sample-profile", "with --unsymbolized-profile", "with --skip-symbolization",
        "without --skip-symbolization and --unsymbolized-profile", "without contexts", "with contexts",
        "without the pre-inliner", "with --gen-cs-nested-profile=0", "as cold contexts are not merged",
        "without --format=extbinary", "with --infer-missing-frames=0", "with call stacks", "with --perfdata",
        "as no hot contexts are told from cold ones", "as nothing cold is looked for",
        "with --profile-summary-hot-count", "with --profile-summary-cold-count" };
    static const struct { int option, idle; } rows[] = {
        { O_SKIP, IDLE_SAMPLED }, { O_PID, IDLE_NO_RECORDING }, { O_SHOW_MMAP, IDLE_NO_RECORDING },
        { O_KERNEL, IDLE_NO_RECORDING }, { O_DETAILS, IDLE_NO_RECORDING }, { O_IGNORE_STACK, IDLE_NO_RECORDING },
        { O_LEADING, IDLE_NO_RECORDING }, { O_EVENT, IDLE_NO_RECORDING | IDLE_STACKS | IDLE_DATA },
        { O_EVENTS, IDLE_NO_RECORDING | IDLE_STACKS | IDLE_DATA },
        { O_PERIOD, IDLE_NO_RECORDING | IDLE_STACKS | IDLE_DATA }, { O_FIRST_LOADABLE, IDLE_NO_RAW },
        { O_FORMAT, IDLE_RAW }, { O_MD5, IDLE_RAW }, { O_COMPRESS_ALL, IDLE_RAW }, { O_PARTIAL, IDLE_RAW },
        { O_SPLIT, IDLE_RAW }, { O_SYMBOLS, IDLE_RAW | IDLE_FORMAT }, { O_SHOW_PROBES, IDLE_RAW },
        { O_SHOW_DENSITY, IDLE_RAW }, { O_DENSITY, IDLE_RAW }, { O_DENSITY_CUTOFF, IDLE_RAW },
        { O_COMPRESS, IDLE_SAMPLED | IDLE_FLAT }, { O_DEPTH, IDLE_SAMPLED | IDLE_FLAT },
        { O_SEARCH_DEPTH, IDLE_SAMPLED | IDLE_RAW | IDLE_FLAT | IDLE_INFER },
        { O_FILL, IDLE_SAMPLED | IDLE_RAW | IDLE_CONTEXTS }, { O_TOTALS, IDLE_SAMPLED | IDLE_RAW | IDLE_CONTEXTS },
        { O_REPLAY, IDLE_WITH_PREINLINER }, { O_HOT_INLINE, IDLE_WITH_PREINLINER },
        { O_COLD_INLINE, IDLE_WITH_PREINLINER }, { O_GROWTH, IDLE_WITH_PREINLINER },
        { O_LIMIT_MIN, IDLE_WITH_PREINLINER }, { O_LIMIT_MAX, IDLE_WITH_PREINLINER }, { O_AGAIN, IDLE_WITH_PREINLINER },
        { O_SIZES, IDLE_WITH_PREINLINER }, { O_SORT, IDLE_WITH_PREINLINER }, { O_PREINLINER, IDLE_RAW | IDLE_FLAT },
        { O_INFER, IDLE_SAMPLED | IDLE_RAW | IDLE_FLAT }, { O_MERGE_COLD, IDLE_RAW | IDLE_FLAT },
        { O_COLD_DEPTH, IDLE_RAW | IDLE_FLAT | IDLE_MERGE }, { O_NESTED, IDLE_RAW | IDLE_FLAT },
        { O_KEEP_BASE, IDLE_RAW | IDLE_FLAT | IDLE_NEST }, { O_TRIM, IDLE_RAW },
        { O_CUTOFF_HOT, IDLE_RAW | IDLE_HOT | IDLE_HOT_GIVEN }, { O_HOT_COUNT, IDLE_RAW | IDLE_HOT },
        { O_CUTOFF_COLD, IDLE_RAW | IDLE_COLD | IDLE_COLD_GIVEN }, { O_COLD_COUNT, IDLE_RAW | IDLE_COLD } };
    const option *o = g->o;
    const int merge = o[O_MERGE_COLD].text != NULL ? o[O_MERGE_COLD].number != 0 : !o[O_PREINLINER].number;
    const int raw = o[O_SKIP].number && g->sampled == NULL;
    int state = 0;
    size_t i, k;
    if (compat) return;
    state |= g->sampled != NULL ? IDLE_SAMPLED : g->unsymbolized != NULL ? IDLE_COUNTED : 0;
    state |= raw ? IDLE_RAW : g->unsymbolized == NULL ? IDLE_NO_RAW : 0;
    state |= contexts ? IDLE_CONTEXTS : IDLE_FLAT;
    state |= o[O_PREINLINER].number ? 0 : IDLE_PREINLINER;
    state |= o[O_NESTED].number ? 0 : IDLE_NEST;
    state |= merge ? 0 : IDLE_MERGE;
    state |= o[O_FORMAT].number != 0 ? IDLE_FORMAT : 0;
    state |= o[O_INFER].number ? 0 : IDLE_INFER;
    state |= g->stacks ? IDLE_STACKS : 0;
    state |= g->perfdata != NULL ? IDLE_DATA : 0;
    state |= contexts && (merge || o[O_TRIM].number) ? 0 : IDLE_HOT;
    state |= (contexts ? o[O_PREINLINER].number : o[O_TRIM].number) ? 0 : IDLE_COLD;
    state |= o[O_HOT_COUNT].text != NULL ? IDLE_HOT_GIVEN : 0;
    state |= o[O_COLD_COUNT].text != NULL ? IDLE_COLD_GIVEN : 0;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const option *x = &o[rows[i].option];
        const int asks = x->kind == OPT_SWITCH ? x->text != NULL && x->number : x->kind == OPT_LIST ? x->count != 0
                                                                                                : x->text != NULL;
        const int idle = state & rows[i].idle;
        for (k = 0; !(idle >> k & 1) && k < sizeof why / sizeof *why; k++) {}
        if (asks && idle != 0) warn("--%s has no effect %s", x->name, why[k]);
    }
}

/* The exit status once all is written; p: NULL, or what was. Raw counters are of no use if every sample was dropped. */
static int profgen_worth(const profgen *g, const csspgo_profile *p)
{
    const uint64_t samples = csspgo_collector_get_stats(g->collector).samples;
    if (compat || (p != NULL ? !is_blank(p) : g->unsymbolized != NULL || profgen_dropped(g) < samples)) return 0;
    if (g->sampled != NULL) return hopeless("%s: the profile is empty", g->sampled);
    if (g->unsymbolized != NULL) return hopeless("%s: no counter is of a probe of %s", g->unsymbolized, g->binary);
    if (samples == 0) return hopeless("the profile is empty: there are no samples");
    return hopeless("the profile is empty: no sample of %" PRIu64 " hit a probe of %s", samples, g->binary);
}

/* Returns the exit status. */
static int profgen_write(profgen *g)
{
    const char *path = g->output;
    int status;
    csspgo_profile *p;
    csspgo_error e;
    csspgo_status s;
    if (g->o[O_SKIP].number && g->sampled == NULL) {
        profgen_idle(g, csspgo_collector_has_contexts(g->collector));
        if (profgen_write_to(g, NULL, &e) != CSSPGO_OK) return fail_at(path, &e);
        return profgen_worth(g, NULL);
    }
    if (g->o[O_SHOW_PROBES].number && !profgen_show_probes(g)) return 1;
    p = profile_new();
    if (p == NULL) return 1;
    s = profgen_profile(g, p, &e);
    if (s != CSSPGO_OK && g->sampled != NULL) path = g->sampled;
    if (s == CSSPGO_E_ARGUMENT && g->unsymbolized != NULL) path = g->unsymbolized;
    if (s == CSSPGO_OK) {
        if (load_is_flow_sensitive(&g->image.elf))
            csspgo_set_profile_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
        if (csspgo_record_count(p) != 0) profgen_idle(g, (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0);
        s = profgen_finish(g, p);
        if (s == CSSPGO_OK && g->o[O_SYMBOLS].number && g->o[O_FORMAT].number == 0) s = profgen_list_symbols(g, p);
        if (s != CSSPGO_OK) {
            csspgo_profile_free(p);
            return fail("%s", csspgo_status_text(s));
        }
        if (csspgo_record_count(p) == 0 && compat)
            warn("the profile is empty: no sample hit a probe of %s", g->binary);
        else if (csspgo_record_count(p) != 0 && (!quiet || g->o[O_SHOW_DENSITY].number)) profgen_density(g, p);
        s = profgen_write_to(g, p, &e);
    }
    status = s == CSSPGO_OK ? profgen_worth(g, p) : fail_at(path, &e);
    csspgo_profile_free(p);
    return status;
}

static int profgen_main(int argc, char **argv)
{
    static profgen g;
    csspgo_collector_options how;
    char why[256];
    int ok, files, status = 1;
    memcpy(g.o, profgen_options, sizeof profgen_options);
    files = options_parse(g.o, argc, argv);
    if (files < 0) return usage_status();
    if (files > 0) return usage("'%s' is not an option", argv[0]);
    if (g.o[O_HELP].number) return help_main(0, NULL);
    if (!profgen_check(&g) || !profgen_spares(&g)) return usage_status();
    if (!output_ready(g.output)) return 1;
    if (g.sampled == NULL) catch_interrupt(0);             /* else it ends the program until the profile is read */
    if (!load_image(&g.image, g.binary, g.o[O_DEBUG_BINARY].text, why, sizeof why))
        return fail("%s: %s", g.binary, why);
    if (load_symbols(&g.image)->symbol_count <= 1 && !compat)
        return fail("%s: no symbols; name the file that has them: --debug-binary=FILE", g.binary);
    how = profgen_how(&g);
    g.collector = csspgo_collector_new(g.image.code, &how, seeded(), NULL);
    ok = profgen_spaces(&g) && (g.collector != NULL || (fail("out of memory"), 0));
    ok = ok && profgen_read_inputs(&g);
    if (!interrupted && g.sampled == NULL) catch_interrupt(SA_RESTART);     /* the input is read */
    if (ok && csspgo_collector_flush(g.collector) != CSSPGO_OK) ok = (fail("out of memory"), 0);
    if (ok && !quiet && g.sampled == NULL) profgen_warnings(&g);
    if (ok) details_show(&g);
    if (ok && g.partial && !g.o[O_LEADING].number && csspgo_collector_get_stats(g.collector).samples == 0)
        ok = (fail("interrupted before the first sample: %s is not written", g.output), 0);
    if (ok) status = profgen_write(&g);
    if (status == 0 && interrupted && !g.partial) warn("interrupted when all input was read: %s is complete", g.output);
    csspgo_collector_free(g.collector);
    csspgo_spaces_free(g.spaces);
    load_free(&g.image);
    options_free(g.o);
    return interrupted ? 128 + SIGINT : status;
}

#endif
