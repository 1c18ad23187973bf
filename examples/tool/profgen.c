/* profgen.c - the command profgen: its options */
#include "profgen.h"

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

/* 1 if there is one of the options that are for scripts without call stacks. */
int flat_asked(const profgen *g)
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
    if (g->tool->compat) return 1;
    for (i = 0; i < in->count; i++) stdins += strcmp(in->list[i], "-") == 0;
    if (stdins > 1) return usage(g->tool, "--%s=-: standard input can be read only once", in->name), 0;
    if (in->count > 1 && flat_asked(g))
        return usage(g->tool,
                     "--leading-ip-only, --perf-event, --perf-events and --sample-period take one --perfscript"),
               0;
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
    if (g->binary == NULL) return usage(g->tool, "--binary is missing"), 0;
    if (g->output == NULL) return usage(g->tool, "--output is missing"), 0;
    if ((g->perfscript != NULL) + (g->perfdata != NULL) + (g->unsymbolized != NULL) + (g->sampled != NULL) != 1)
        return usage(g->tool, "give one of --perfscript, --perfdata, --unsymbolized-profile and --llvm-sample-profile"),
               0;
    g->inputs = &o[g->perfscript != NULL ? O_PERFSCRIPT : g->perfdata != NULL ? O_PERFDATA : O_UNSYMBOLIZED];
    if (!profgen_check_inputs(g)) return 0;
    if (g->tool->compat && g->perfdata != NULL && (o[O_LEADING].number || o[O_PERIOD].text != NULL))
        return usage(g->tool, "--%s needs --perfscript", o[O_LEADING].number ? "leading-ip-only" : "sample-period"), 0;
    if (o[O_COMPRESS].number < -1) return usage(g->tool, "Value of --compress-recursion should >= -1"), 0;
    if (o[O_COLD_DEPTH].number == 0)
        return usage(g->tool, "--csprof-max-cold-context-depth=0 would leave contexts without function"), 0;
    if (o[O_CUTOFF_HOT].number > 999999 || o[O_CUTOFF_COLD].number > 999999)
        return usage(g->tool, "Desired percentile exceeds the maximum cutoff"), 0;
    return 1;
}

static int profgen_spares(const profgen *g)
{
    size_t i;
    for (i = 0; i < g->inputs->count; i++)
        if (!output_spares(g->tool, g->output, g->inputs->list[i])) return 0;
    return output_spares(g->tool, g->output, g->binary) &&
           output_spares(g->tool, g->output, g->o[O_DEBUG_BINARY].text) &&
           output_spares(g->tool, g->output, g->sampled);
}

csspgo_collector_options profgen_how(const profgen *g)
{
    const option *o = g->o;
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.ignore_stack = (uint32_t)o[O_IGNORE_STACK].number;
    how.llvm = g->tool->compat ? 19 : 0;
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
    if (g->tool->compat) return;
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
        if (asks && idle != 0) warn(g->tool, "--%s has no effect %s", x->name, why[k]);
    }
}

/* The exit status once all is written; p: NULL, or what was. Raw counters are of no use if every sample was dropped. */
static int profgen_worth(const profgen *g, const csspgo_profile *p)
{
    const uint64_t samples = csspgo_collector_get_stats(g->collector).samples;
    if (g->tool->compat || (p != NULL ? !is_blank(p) : g->unsymbolized != NULL || profgen_dropped(g) < samples))
        return 0;
    if (g->sampled != NULL) return hopeless(g->tool, "%s: the profile is empty", g->sampled);
    if (g->unsymbolized != NULL)
        return hopeless(g->tool, "%s: no counter is of a probe of %s", g->unsymbolized, g->binary);
    if (samples == 0) return hopeless(g->tool, "the profile is empty: there are no samples");
    return hopeless(g->tool, "the profile is empty: no sample of %" PRIu64 " hit a probe of %s", samples, g->binary);
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
        if (profgen_write_to(g, NULL, &e) != CSSPGO_OK) return fail_at(g->tool, path, &e);
        return profgen_worth(g, NULL);
    }
    if (g->o[O_SHOW_PROBES].number && !profgen_show_probes(g)) return 1;
    p = profile_new(g->tool);
    if (p == NULL) return 1;
    s = profgen_profile(g, p, &e);
    if (s != CSSPGO_OK && g->sampled != NULL) path = g->sampled;
    if (s == CSSPGO_E_ARGUMENT && g->unsymbolized != NULL) path = g->unsymbolized;
    if (s == CSSPGO_OK) {
        if (is_flow_sensitive(&g->image.elf))
            csspgo_set_profile_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
        if (csspgo_record_count(p) != 0) profgen_idle(g, (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0);
        s = profgen_finish(g, p);
        if (s == CSSPGO_OK && g->o[O_SYMBOLS].number && g->o[O_FORMAT].number == 0) s = profgen_list_symbols(g, p);
        if (s != CSSPGO_OK) {
            csspgo_profile_free(p);
            return fail(g->tool, "%s", csspgo_status_text(s));
        }
        if (csspgo_record_count(p) == 0 && g->tool->compat)
            warn(g->tool, "the profile is empty: no sample hit a probe of %s", g->binary);
        else if (csspgo_record_count(p) != 0 && (!g->tool->quiet || g->o[O_SHOW_DENSITY].number)) profgen_density(g, p);
        s = profgen_write_to(g, p, &e);
    }
    status = s == CSSPGO_OK ? profgen_worth(g, p) : fail_at(g->tool, path, &e);
    csspgo_profile_free(p);
    return status;
}

/* Reads the options and checks them. Returns the exit status if the program is to end, else -1. */
static int profgen_begin(tool_context *tool, profgen *g, int argc, char **argv)
{
    const int files = options_parse(tool, g->o, argc, argv);
    if (files < 0) return usage_status(tool);
    if (files > 0) return usage(tool, "'%s' is not an option", argv[0]);
    if (g->o[O_HELP].number) return help_print(tool, &profgen_command);
    tool->quiet = (int)g->o[O_QUIET].number;
    if (!profgen_check(g) || !profgen_spares(g)) return usage_status(tool);
    return output_ready(tool, g->output) ? -1 : 1;
}

/* From the program and its samples to the output. Returns the exit status. */
static int profgen_run(profgen *g)
{
    const tool_context *tool = g->tool;
    csspgo_collector_options how;
    char why[256];
    int ok, status = 1;
    if (g->sampled == NULL) catch_interrupt(0);            /* else it ends the program until the profile is read */
    if (!load_image(&g->image, g->binary, g->o[O_DEBUG_BINARY].text, why, sizeof why))
        return fail(tool, "%s: %s", g->binary, why);
    if (load_symbols(&g->image)->symbol_count <= 1 && !tool->compat)
        return fail(tool, "%s: no symbols; name the file that has them: --debug-binary=FILE", g->binary);
    how = profgen_how(g);
    g->collector = csspgo_collector_new(g->image.code, &how, seeded(), NULL);
    ok = profgen_spaces(g) && (g->collector != NULL || (fail(tool, "out of memory"), 0));
    ok = ok && profgen_read_inputs(g);
    if (!interrupted() && g->sampled == NULL) catch_interrupt(SA_RESTART);    /* the input is read */
    if (ok && csspgo_collector_flush(g->collector, NULL) != CSSPGO_OK) ok = (fail(tool, "out of memory"), 0);
    if (ok && !tool->quiet && g->sampled == NULL) profgen_warnings(g);
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
    option o[sizeof profgen_options / sizeof *profgen_options];
    profgen g;
    int status;
    memset(&g, 0, sizeof g);
    memcpy(o, profgen_options, sizeof profgen_options);
    g.tool = tool;
    g.o = o;
    if ((status = profgen_begin(tool, &g, argc, argv)) < 0) status = profgen_run(&g);
    csspgo_collector_free(g.collector);
    csspgo_spaces_free(g.spaces);
    load_free(&g.image);
    options_free(g.o);
    return status;
}

const command profgen_command = {
    "profgen", profgen_main,
    "csspgo profgen --binary=FILE (--perfscript=FILE | --perfdata=FILE | --unsymbolized-profile=FILE)\n"
    "               --output=FILE [options]\n",
    "profgen: samples of a program become a profile for clang -fprofile-sample-use. FILE -: standard input or output.\n"
    "  --binary=FILE                     program with pseudo probes (ELF, x86-64 or AArch64)\n"
    "  --perfscript=FILE                 text of csspgo record, or of perf script --show-mmap-events with any -F, "
    "such as\n"
    "                                    -F ip,brstack or, for several processes, -F pid,ip,brstack "
    "--show-task-events\n"
    "  --perfdata=FILE                   what perf record -b --call-graph fp wrote, to a file or a pipe\n"
    "  --unsymbolized-profile=FILE       what --skip-symbolization wrote\n"
    "                                    any of these three several times: recordings of one program add up\n"
    "  --output=FILE, -o FILE            where to\n"
    "  --format=extbinary|binary|text    extbinary is the default, and what the next four are for\n"
    "  --use-md5                         GUIDs instead of names\n"
    "  --compress-all-sections           needs a build with zlib\n"
    "  --gen-partial-profile             marked as covering part of the program\n"
    "  --split-layout                    functions without inlinees in sections of their own\n"
    "  --skip-symbolization              write raw counters per context of addresses instead of a profile\n"
    "  --use-offset=0                    ... with plain addresses\n"
    "  --ignore-stack-samples            no contexts\n"
    "  --compress-recursion=N            longest cycle of frames that is folded; -1 any (default), 0 none\n"
    "  --csprof-max-context-depth=N      innermost frames kept; -1 all (default)\n"
    "  --infer-missing-frames=0          do not look for frames that tail calls lost\n"
    "  --max-search-depth=N              ... through at most N tail calls\n"
    "  --fill-zero-for-all-funcs         without contexts: zero counts for functions without samples too\n"
    "  --csspgo-preinliner=0             do not choose contexts to inline. Its thresholds:\n"
    "    --sample-profile-hot-inline-threshold=N (1500), --sample-profile-cold-inline-threshold=N (0),\n"
    "    --sample-profile-inline-growth-limit=N (12), --sample-profile-inline-limit-min=N (100),\n"
    "    --sample-profile-inline-limit-max=N (50000), --csspgo-replay-preinline, --sort-profiled-scc-member,\n"
    "    --csspgo-preinliner-multiplier-for-previous-inlining=N (100)\n"
    "  --use-context-cost-for-preinliner=0   functions are as large as they have locations, not as their code\n"
    "  --csprof-merge-cold-context=0|1   cold contexts go into shorter ones: off with the pre-inliner, else on\n"
    "  --csprof-max-cold-context-depth=N frames of these shorter ones; 1 is the default\n"
    "  --trim-cold-profile               what stays cold is dropped\n"
    "  --gen-cs-nested-profile=0         contexts stay contexts; else they become nested inlinees\n"
    "  --generate-merged-base-profiles   ... and what is nested counts in its function too\n"
    "  --profile-summary-hot-count=N, --profile-summary-cold-count=N, ...-cutoff-hot=PPM, ...-cutoff-cold=PPM\n"
    "  --update-total-samples            without contexts: totals are sums of the counts\n"
    "  --populate-profile-symbol-list    extbinary: lists the program's functions, with and without samples\n"
    "  --show-density                    prints samples per location of the hot functions\n"
    "  --llvm-sample-profile=FILE        works on a profile with contexts instead of samples\n"
    "  --pid=N                           only mapping events of this process\n"
    "  --kernel                          the program is the kernel\n"
    "  --debug-binary=FILE               has the symbols of a stripped program\n"
    "  --show-pseudo-probe               prints the probe descriptors; --show-detailed-warning: what makes no sense\n"
    "  --profile-density-threshold=N, --profile-density-cutoff-hot=PPM   when more samples are asked for\n"
    "  --show-mmap-events                print where the program was mapped\n"
    "  --perf-event=NAME, --perf-events=NAME,...   of a script without call stacks: only lines that begin with NAME:\n"
    "  --sample-period=N                 ... its samples count N / (branch records - 1)\n"
    "  --leading-ip-only                 the sampled address counts, branch records do not\n"
    "  --llvm-compat                     exactly what llvm-profgen 19 writes\n"
    "  --quiet                           no warnings, no progress\n"
    "\n",
    NULL
};
