/* profgen.c - the command profgen: its options */
#include "profgen.h"

const option profgen_options[] = {
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the program, with pseudo probes, or else with debug information: then counts are of source lines "
           "(ELF, x86-64 or AArch64), or a kernel module. Several times: libraries of it, or programs of one system, in one profile "
           "with contexts through all of them, and a table of the samples in each"),
    OPTION("perfscript", OPT_LIST, NULL, 0, "FILE",
           "text of csspgo record, or of perf script --show-mmap-events with any -F, such as -F ip,brstack or, "
           "for several processes, -F pid,ip,brstack --show-task-events. This and the next four several times, "
           "also mixed: they add up"),
    OPTION("ps", OPT_ALIAS, "perfscript", 0, NULL, NULL),
    OPTION("perfdata", OPT_LIST, NULL, 0, "FILE", "what perf record -b --call-graph fp wrote, to a file or a pipe"),
    OPTION("pd", OPT_ALIAS, "perfdata", 0, NULL, NULL),
    OPTION("unsymbolized-profile", OPT_LIST, NULL, 0, "FILE",
           "what --skip-symbolization wrote, or simpleperf inject --output autofdo"),
    OPTION("up", OPT_ALIAS, "unsymbolized-profile", 0, NULL, NULL),
    OPTION("llvm-sample-profile", OPT_LIST, NULL, 0, "FILE", "works on a profile with contexts instead of samples"),
    OPTION("output", OPT_TEXT, NULL, 0, "FILE", "where to"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("format", OPT_CHOICE, "extbinary|text|binary|gcc|gcov|preagg|preagg-traces", 0, NULL,
           "form of the output. gcc, gcov: for gcc -fauto-profile=FILE, by source line, without contexts; preagg: "
           "no profile but pre-aggregated text, for perf2bolt --pa, of any recording; preagg-traces: shorter, for "
           "BOLT 21 and later"),
    OPTION("gcov-version", OPT_CHOICE, GCOV_VERSIONS, GCOV_DEFAULT, NULL,
           "... as LLVM reads it, GCC up to 11, GCC 12 to 15, or newer ones"),
    OPTION("use-md5", OPT_SWITCH, NULL, 0, NULL, "GUIDs instead of names"),
    OPTION("compress-all-sections", OPT_SWITCH, NULL, 0, NULL, "compressed sections; needs a build with zlib"),
    OPTION("gen-partial-profile", OPT_SWITCH, NULL, 0, NULL, "marked as covering part of the program"),
    OPTION("split-layout", OPT_SWITCH, NULL, 0, NULL, "functions without inlinees in sections of their own"),
    OPTION("skip-symbolization", OPT_SWITCH, NULL, 0, NULL,
           "writes raw counters per context of addresses instead of a profile"),
    OPTION("use-offset", OPT_SWITCH, NULL, 1, NULL,
           "... with offsets from the base of the program, not plain addresses"),
    OPTION("use-first-loadable-segment-as-base", OPT_SWITCH, NULL, 0, NULL,
           "... the base is the first segment that is loaded"),
    OPTION("ignore-stack-samples", OPT_SWITCH, NULL, 0, "0|1",
           "no contexts (default 1 by source line without options for contexts, else 0)"),
    OPTION("compress-recursion", OPT_NUMBER, NULL, -1, "N",
           "longest cycle of frames that is folded; -1 any (default), 0 none"),
    OPTION("csprof-max-context-depth", OPT_NUMBER, NULL, -1, "N", "innermost frames kept; -1 all (default)"),
    OPTION("infer-missing-frames", OPT_SWITCH, NULL, 1, NULL, "looks for frames that tail calls lost"),
    OPTION("max-search-depth", OPT_NUMBER, NULL, 0, "N", "... through at most N tail calls"),
    OPTION("fill-zero-for-all-funcs", OPT_SWITCH, NULL, 0, NULL,
           "zero counts for functions without samples too; so too if there are no samples at all"),
    OPTION("csspgo-preinliner", OPT_SWITCH, NULL, 1, NULL, "chooses contexts to inline"),
    OPTION("use-context-cost-for-preinliner", OPT_SWITCH, NULL, 1, NULL,
           "the size of a function is that of its code, else the number of its locations"),
    OPTION("csspgo-replay-preinline", OPT_SWITCH, NULL, 0, NULL, "the pre-inliner repeats what was inlined"),
    OPTION("sample-profile-hot-inline-threshold", OPT_COUNT, NULL, 1500, "N",
           "pre-inliner: size up to which hot contexts are inlined"),
    OPTION("sample-profile-cold-inline-threshold", OPT_COUNT, NULL, 0, "N", "pre-inliner: the same for cold ones"),
    OPTION("sample-profile-inline-growth-limit", OPT_COUNT, NULL, 12, "N",
           "pre-inliner: how many times as large a function may become"),
    OPTION("sample-profile-inline-limit-min", OPT_COUNT, NULL, 100, "N", "pre-inliner: ... at least"),
    OPTION("sample-profile-inline-limit-max", OPT_COUNT, NULL, 50000, "N", "pre-inliner: ... at most"),
    OPTION("csspgo-preinliner-multiplier-for-previous-inlining", OPT_COUNT, NULL, 100, "N",
           "pre-inliner: the hot threshold times N where the context was inlined"),
    OPTION("csprof-merge-cold-context", OPT_SWITCH, NULL, 1, NULL,
           "cold contexts go into shorter ones; with the pre-inliner only if asked for"),
    OPTION("csprof-max-cold-context-depth", OPT_COUNT, NULL, 1, "N", "frames of these shorter ones"),
    OPTION("trim-cold-profile", OPT_SWITCH, NULL, 0, NULL, "what stays cold is dropped"),
    OPTION("gen-cs-nested-profile", OPT_SWITCH, NULL, 1, NULL,
           "contexts become nested inlinees; else they stay contexts"),
    OPTION("generate-merged-base-profiles", OPT_SWITCH, NULL, 0, NULL,
           "... and what is nested counts in its function too"),
    OPTION("profile-summary-cutoff-hot", OPT_COUNT, NULL, 990000, "PPM",
           "hot is what makes up this share of all counts"),
    OPTION("profile-summary-cutoff-cold", OPT_COUNT, NULL, 999999, "PPM",
           "cold is what lies behind this share of all counts"),
    OPTION("profile-summary-hot-count", OPT_COUNT, NULL, 0, "N",
           "a count from which a function is hot, in place of the cutoff"),
    OPTION("profile-summary-cold-count", OPT_COUNT, NULL, 0, "N",
           "a count up to which a context is cold, in place of the cutoff"),
    OPTION("profile-density-threshold", OPT_COUNT, NULL, 50, "N",
           "samples per location below which more are asked for"),
    OPTION("profile-density-cutoff-hot", OPT_COUNT, NULL, 990000, "PPM",
           "... of the functions that make up this share of the samples"),
    OPTION("show-density", OPT_SWITCH, NULL, 0, NULL, "prints samples per location of the hot functions"),
    OPTION("sort-profiled-scc-member", OPT_SWITCH, NULL, 1, NULL,
           "pre-inliner: functions that call each other in the order of their calls"),
    OPTION("populate-profile-symbol-list", OPT_SWITCH, NULL, 0, NULL,
           "extbinary: lists the program's functions, with and without samples"),
    OPTION("update-total-samples", OPT_SWITCH, NULL, 0, NULL, "without contexts: totals are sums of the counts"),
    OPTION("pid", OPT_NUMBER, NULL, -1, "N", "only mapping events of this process"),
    OPTION("show-mmap-events", OPT_SWITCH, NULL, 0, NULL, "prints where the program was mapped"),
    DEBUG_BINARY,
    OPTION("kernel", OPT_SWITCH, NULL, 0, NULL, "the program is the kernel (a module, NAME.ko, is known by itself)"),
    OPTION("show-detailed-warning", OPT_SWITCH, NULL, 0, NULL, "says what makes no sense in the samples"),
    OPTION("show-pseudo-probe", OPT_SWITCH, NULL, 0, NULL, "prints the probe descriptors"),
    OPTION("use-dwarf-correlation", OPT_SWITCH, NULL, 0, NULL, "by source line although there are probes"),
    OPTION("dwp", OPT_TEXT, NULL, 0, "FILE", "split debug information of the program"),
    OPTION("debug-sizes", OPT_SWITCH, NULL, 0, NULL,
           "the pre-inliner takes sizes from debug information, not from probes"),
    OPTION("leading-ip-only", OPT_SWITCH, NULL, 0, NULL, "the sampled address counts, branch records do not"),
    OPTION("perf-event", OPT_LIST, NULL, 0, "NAME",
           "only samples of this event: cycles, cycles:u, r20c4, cpu/event=0xc4,umask=0x20/, {a,b}; several times: of "
           "any of them (default: of the event that counts taken branches if there is one, else of all)"),
    OPTION("perf-events", OPT_LIST, NULL, 0, "NAME,...",
           "the same, names between commas"),
    OPTION("sample-period", OPT_COUNT, NULL, 1, "N", "... its samples count N / (branch records - 1)"),
    OPTION("jitdump", OPT_LIST, NULL, 0, "FILE",
           "a JIT's code, of its jit-PID.dump (record with -k mono), auto: of all dumps that the recording names; "
           "with --binary besides the program's, by source line. The pre-inliner is off. Several times, too"),
    OPTION("perf-map", OPT_LIST, NULL, 0, "FILE", "the same per function, of perf-PID.map, without --binary"),
    OPTION("show-jit-samples", OPT_SWITCH, NULL, 0, NULL,
           "prints time, process, address and function of each sample"),
    OPTION("preagg", OPT_LIST, NULL, 0, "FILE",
           "pre-aggregated text of BOLT: branches and ranges with counts, no contexts"),
    OPTION("report", OPT_TEXT, NULL, 0, "FILE", "what became of the samples, as JSON"),
    OPTION("spe-branch-profile", OPT_SWITCH, NULL, 0, NULL,
           "branch records of Arm SPE: each sample is one branch (perf script --itrace=bl1 -F pid,ip,brstack); "
           "counts it and the code up to the next one"),
    OPTION("bogus-stacks", OPT_CHOICE, "drop|records", 0, NULL,
           "call stacks that are later than the branch records, as on AArch64: drop the sample, or use its "
           "records without contexts"),
    OPTION("image-base", OPT_COUNT, NULL, 0, "ADDR",
           "where the program was, of recordings without mapping events, as SEP's"),
    OPTION("pprof", OPT_LIST, NULL, 0, "FILE",
           "profile.proto of pprof, plain or with gzip: call stacks without branches"),
    OPTION("pprof-type", OPT_TEXT, NULL, 0, "NAME",
           "the type of value that counts; else samples, count, the default type, or cpu. Memory, locks and so on "
           "count only so"),
    OPTION("perf-binary", OPT_TEXT, NULL, 0, "NAME",
           "what the program was called when it was recorded, or its path there, or the end of that"),
    OPTION("show-images", OPT_SWITCH, NULL, 0, NULL,
           "a table of where the samples fell, in files that were given or not"),
    OPTION("max-dropped", OPT_PERCENT, NULL, 0, "PERCENT",
           "status 3 if a larger share of the samples is not in the profile; 50 by default"),
    OPTION("min-density", OPT_COUNT, NULL, 0, "N",
           "status 3 if there are fewer samples per location, as --show-density prints them"),
    ALLOW_EMPTY,
    OPTION("llvm-compat", OPT_SWITCH, NULL, 0, NULL, "bytes, messages and exit statuses of LLVM 19's tool"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "no warnings, no progress, no report on the terminal"),
    OPTION("help", OPT_SWITCH, NULL, 0, NULL, "prints this"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "the same as --report=-: on standard output"),
    DEBUG_DIRECTORY,
    /* What llvm-profgen 19 has and this tool refuses. */
    OPTION("show-disassembly-only", OPT_REFUSED, "code is decoded but not printed; use llvm-objdump", 1, NULL, NULL),
    OPTION("show-source-locations", OPT_REFUSED, "it is of --show-disassembly-only", 1, NULL, NULL),
    OPTION("show-canonical-fname", OPT_REFUSED, "it is of --show-disassembly-only", 1, NULL, NULL),
    OPTION("disassemble-functions", OPT_REFUSED, "it is of --show-disassembly-only", 0, NULL, NULL),
    OPTIONS_END
};

/* Recordings, or files of counters: number i of all; NULL behind the last. Those of perf.data come first. */
const char *profgen_input(const profgen *g, size_t i)
{
    static const int lists[] = { O_PERFDATA, O_PERFSCRIPT, O_PREAGG, O_PPROF, O_UNSYMBOLIZED };
    size_t k;
    for (k = 0; k < sizeof lists / sizeof *lists; k++) {
        const option *in = &g->o[lists[k]];
        if (i < in->count) return in->list[i];
        i -= in->count;
    }
    return NULL;
}

/* 1 if there is one of the options that are for scripts without call stacks; events are, too, for LLVM's tool. */
int flat_asked(const profgen *g)
{
    const option *o = g->o;
    return g->perfscript != NULL &&
           (o[O_LEADING].number || o[O_PERIOD].text != NULL || (g->tool->compat && events_asked(g)));
}

/* Checks the inputs, of which LLVM takes the last one. Returns 0 after saying what is wrong. */
static int profgen_check_inputs(profgen *g)
{
    const char *path;
    size_t i, stdins = 0;
    if (g->tool->compat) return 1;
    for (i = 0; (path = profgen_input(g, i)) != NULL; i++) stdins += strcmp(path, "-") == 0;
    if (stdins > 1) return usage(g->tool, "standard input can be read only once"), 0;
    if (i > 1 && flat_asked(g))
        return usage(g->tool, "--leading-ip-only and --sample-period take one --perfscript"), 0;
    return 1;
}

/* Checks what the options say together. Returns 0 after saying what is wrong. */
static int profgen_check(profgen *g)
{
    const option *o = g->o;
    int recorded;                 /* kinds of recordings: LLVM's tool takes one only */
    g->binary = o[O_BINARY].count > 1 && !g->tool->compat ? o[O_BINARY].list[0] : o[O_BINARY].text;
    g->perfscript = o[O_PERFSCRIPT].text;
    g->perfdata = o[O_PERFDATA].text;
    g->unsymbolized = o[O_UNSYMBOLIZED].text;
    g->preagg = o[O_PREAGG].text;
    g->pprof = o[O_PPROF].text;
    g->sampled = o[O_PROFILE].text;
    g->output = o[O_OUTPUT].text;
    recorded = (g->perfscript != NULL) + (g->perfdata != NULL);
    if (!g->tool->compat && recorded == 2) recorded = 1;
    if (g->binary == NULL && !jit_asked(o)) return usage(g->tool, "--binary is missing"), 0;
    if (g->output == NULL) return usage(g->tool, "--output is missing"), 0;
    if (recorded + (g->unsymbolized != NULL) + (g->preagg != NULL) + (g->pprof != NULL) + (g->sampled != NULL) != 1)
        return usage(g->tool, "give one of --perfscript, --perfdata, --unsymbolized-profile, --preagg, --pprof and "
                              "--llvm-sample-profile"),
               0;
    if (preagg_wanted(g) && (g->sampled != NULL || o[O_SKIP].number || jit_asked(o)))
        return usage(g->tool, "--format=preagg is made of --binary and recordings or raw counters"), 0;
    if (!profgen_check_inputs(g) || !jit_check(g) || !images_check(g)) return 0;
    if (g->tool->compat && g->perfdata != NULL && (o[O_LEADING].number || o[O_PERIOD].text != NULL))
        return usage(g->tool, "--%s needs --perfscript", o[O_LEADING].number ? "leading-ip-only" : "sample-period"), 0;
    if (o[O_COMPRESS].number < -1) return usage(g->tool, "Value of --compress-recursion should >= -1"), 0;
    if (o[O_COLD_DEPTH].number == 0)
        return usage(g->tool, "--csprof-max-cold-context-depth=0 would leave contexts without function"), 0;
    if (o[O_CUTOFF_HOT].number > 999999 || o[O_CUTOFF_COLD].number > 999999)
        return usage(g->tool, "Desired percentile exceeds the maximum cutoff"), 0;
    return 1;
}

csspgo_collector_options profgen_how(const profgen *g)
{
    const option *o = g->o;
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.ignore_stack = (uint32_t)o[O_IGNORE_STACK].number;
    how.llvm = g->tool->compat ? 19 : 0;
    how.single_branches = (uint32_t)o[O_SPE].number;
    how.keep_records = (uint32_t)o[O_BOGUS].number;
    how.judge_fn = g->health != NULL ? csspgo_judge : NULL;
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

csspgo_unsymbolized_options profgen_raw(const profgen *g)
{
    csspgo_unsymbolized_options raw;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image.module;
    if (!g->o[O_USE_OFFSET].number) return raw;
    raw.base = g->o[O_FIRST_LOADABLE].number ? g->image.first_loadable
                                             : csspgo_code_base(g->image.code, g->image.module);
    return raw;
}

/*
 * Says what became of the input, now that it is known what is written; p: that profile, or NULL. Returns 0 after saying
 * what is wrong.
 */
static int profgen_tell(profgen *g, const csspgo_profile *p)
{
    if (!loss_end(g, p)) return 0;
    loss_warnings(g);
    return g->health != NULL ? health_report(g) : counts_report(g, NULL);
}

/* Writes the raw counters. Returns the exit status. */
static int profgen_write_raw(profgen *g)
{
    csspgo_error e;
    csspgo_status s = CSSPGO_OK;
    profgen_idle(g, csspgo_collector_has_contexts(g->collector));
    if (as_llvm(g) && csspgo_collector_has_contexts(g->collector)) s = lines_name(g, &e);
    if (s == CSSPGO_OK && as_llvm(g)) profgen_warnings(g);
    if (s == CSSPGO_OK && !profgen_tell(g, NULL)) return 1;
    if (s != CSSPGO_OK || profgen_write_to(g, NULL, &e) != CSSPGO_OK) return fail_at(g->tool, g->output, &e);
    return profgen_worth(g, NULL);
}

/* From what was counted to the profile that is written. Returns 0 after saying what is wrong. */
static int profgen_complete(profgen *g, csspgo_profile *p)
{
    csspgo_status s;
    if (as_llvm(g)) profgen_warnings(g);
    if (is_flow_sensitive(&g->image)) csspgo_set_profile_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
    if (csspgo_record_count(p) != 0) profgen_idle(g, (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0);
    s = profgen_finish(g, p);
    if (s == CSSPGO_OK && g->o[O_SYMBOLS].number && g->o[O_FORMAT].number == 0) s = profgen_list_symbols(g, p);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    if (csspgo_record_count(p) == 0 && as_llvm(g)) llvm_density(g, 0, 0);
    else if (csspgo_record_count(p) == 0 && g->tool->compat)
        warn(g->tool, "the profile is empty: no sample hit a probe of %s", g->binary);
    else if (csspgo_record_count(p) != 0 && (!g->tool->quiet || g->o[O_SHOW_DENSITY].number)) profgen_density(g, p);
    return 1;
}

/* Makes the profile and writes it. Returns the exit status. */
static int profgen_write_profile(profgen *g, csspgo_profile *p)
{
    const char *path = g->output;
    csspgo_error e;
    csspgo_status s = profgen_profile(g, p, &e);
    const int told = s == CSSPGO_OK && g->sampled != NULL ? counts_report(g, p) : 1;
    if (s != CSSPGO_OK && g->sampled != NULL) path = g->sampled;
    if (s == CSSPGO_E_ARGUMENT && g->unsymbolized != NULL) path = g->unsymbolized;
    if (!told || (s == CSSPGO_OK && !profgen_complete(g, p))) return 1;
    if (!profgen_tell(g, s == CSSPGO_OK ? p : NULL)) return 1;
    if (s == CSSPGO_OK) s = profgen_write_to(g, p, &e);
    if (s == CSSPGO_OK) return profgen_worth(g, p);
    return path == g->sampled ? kind_fail_at(g->tool, path, KIND_PROFILE, &e) : fail_at(g->tool, path, &e);
}

/* Returns the exit status. */
static int profgen_write(profgen *g)
{
    csspgo_profile *p;
    int status;
    if (g->o[O_SKIP].number && g->sampled == NULL) return profgen_write_raw(g);
    if (g->o[O_SHOW_PROBES].number && !profgen_show_probes(g)) return 1;
    p = g->jit_only ? jit_take_samples(g) : NULL;
    if (p == NULL && (p = profile_new(g->tool)) == NULL) return 1;
    status = profgen_write_profile(g, p);
    csspgo_profile_free(p);
    return status;
}

/* Reads the options and checks them. Returns the exit status if the program is to end, else -1. */
static int profgen_begin(tool_context *tool, profgen *g, int argc, char **argv)
{
    const int files = options_parse(tool, profgen_options, argc, argv);
    g->o = tool->o;
    if (files < 0) return usage_status(tool);
    if (files > 0) return usage(tool, "'%s' is not an option", argv[0]);
    if (g->o[O_HELP].number) return help_print(tool, &profgen_command);
    if (!profgen_check(g) || !health_wanted(g) || !profgen_spares(g)) return usage_status(tool);
    if (jit_asked(g->o)) jit_defaults(g->o);
    return output_ready(tool, g->output) ? -1 : 1;
}

/* Says that what is profiled, of which g->binary names the file, cannot be read. Returns the exit status. */
static int profgen_load_failed(const profgen *g, const char *why)
{
    size_t i;
    for (i = 0; i < g->o[O_JITDUMP].count; i++)
        if (g->o[O_JITDUMP].list[i] == g->binary) return kind_fail(g->tool, g->binary, KIND_JITDUMP, why);
    for (i = 0; i < g->o[O_PERF_MAP].count; i++)
        if (g->o[O_PERF_MAP].list[i] == g->binary) return kind_fail(g->tool, g->binary, KIND_OTHER, why);
    return kind_program_fail(g->tool, g->binary, &g->o[O_DEBUG_BINARY], why);
}

/* From the program and its samples to the output. Returns the exit status. */
static int profgen_run(profgen *g)
{
    const tool_context *tool = g->tool;
    csspgo_collector_options how;
    char why[PROGRAM_WHY];
    int ok, status = 1;
    if (g->sampled == NULL) catch_interrupt(0);            /* else it ends the program until the profile is read */
    if (!profgen_load(g, why, sizeof why)) return profgen_load_failed(g, why);
    if (!g->jit_only && g->image.functions == 0 && load_symbols(&g->image)->symbol_count <= 1 && !tool->compat)
        return program_lacks(&g->image, "symbols", why, sizeof why), fail(tool, "%s: %s", g->binary, why);
    if (!images_load(g, why, sizeof why)) return profgen_load_failed(g, why);
    lines_defaults(g);
    if (!health_begin(g) || !loss_begin(g)) return 1;
    how = profgen_how(g);
    g->collector = csspgo_collector_new(g->image.code, &how, seeded(), NULL);
    ok = profgen_spaces(g) && (g->collector != NULL || (fail(tool, "out of memory"), 0));
    ok = ok && profgen_read_inputs(g) && (g->jit == NULL || jit_settle(g));
    if (!interrupted() && g->sampled == NULL) catch_interrupt(SA_RESTART);    /* the input is read */
    if (ok && csspgo_collector_flush(g->collector, NULL) != CSSPGO_OK) ok = (fail(tool, "out of memory"), 0);
    ok = ok && details_flush(g) && loss_runs(g);
    if (ok && g->jit != NULL) jit_report(g);
    if (ok && !as_llvm(g)) profgen_warnings(g);            /* LLVM's count contexts, which the profile has */
    if (ok) images_show(g);
    if (ok) details_show(g);
    if (ok && g->partial && !g->o[O_LEADING].number && csspgo_collector_get_stats(g->collector).samples == 0)
        ok = (fail(tool, "interrupted before the first sample: %s is not written", g->output), 0);
    if (ok) status = profgen_write(g);
    if (status == 0 && interrupted() && !g->partial)
        warn(tool, "interrupted when all input was read: %s is complete", g->output);
    return interrupted() ? 128 + SIGINT : status;
}

static int profgen_main(tool_context *tool, int argc, char **argv)
{
    profgen g;
    int status;
    memset(&g, 0, sizeof g);
    g.tool = tool;
    status = profgen_begin(tool, &g, argc, argv);
    if (status < 0) status = preagg_wanted(&g) ? preagg_run(&g) : profgen_run(&g);
    csspgo_collector_free(g.collector);
    csspgo_aggregator_free(g.aggregator);
    csspgo_spaces_free(g.spaces);
    mapped_forget(&g);
    images_free(g.images);
    health_free(g.health);
    loss_free(g.loss);
    events_free(g.events);
    renamed_free(g.renamed);
    lines_free(g.lines);
    inlined_free(g.inlined);
    free(g.detail);
    free(g.fit.area);
    free(g.noted);
    csspgo_sizes_free(g.sizes);
    jit_work_free(g.jit);
    load_free(&g.image);
    return status;
}

const command profgen_command = {
    "profgen", profgen_main, profgen_options, NULL,
    "csspgo profgen --binary=FILE (--perfscript=FILE | --perfdata=FILE | --pprof=FILE |\n"
    "               --preagg=FILE | --unsymbolized-profile=FILE) --output=FILE [options]\n"
    "csspgo profgen [--binary=FILE] --jitdump=FILE|auto ... --perfdata=FILE --output=FILE [options]\n"
    "csspgo profgen --perf-map=FILE ... --perfdata=FILE --output=FILE [options]\n",
    "samples of a program become a profile for clang -fprofile-sample-use",
    "FILE -: standard input or output.\n"
};
