/* profgen.c - the command profgen: its options */
#include "profgen.h"

/* Checks the inputs, of which LLVM takes the last one. Returns 0 after saying what is wrong. */
static int profgen_check_inputs(profgen *g)
{
    const char *path;
    size_t i, stdins = 0;
    if (g->tool->compat) return 1;
    for (i = 0; (path = profgen_input(g->o, i)) != NULL; i++) stdins += strcmp(path, "-") == 0;
    if (stdins > 1) return usage(g->tool, "standard input can be read only once"), 0;
    if (i > 1 && flat_asked(g))
        return usage(g->tool, "--leading-ip-only and --sample-period take one --perfscript"), 0;
    return 1;
}

/* What several images do not go with. Returns 0 after saying so. */
static int images_check(const profgen *g)
{
    static const int others[] = { O_KERNEL, O_SKIP, O_UNSYMBOLIZED, O_PREAGG, O_PPROF, O_PROFILE, O_DETAILS,
                                  O_IMAGE_BASE };
    const option *o = g->o;
    size_t i;
    if (g->tool->compat || o[O_BINARY].count < 2) return 1;
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        const option *x = &o[others[i]];
        if (x->kind == OPT_SWITCH ? x->number != 0 : x->text != NULL)
            return usage(g->tool, "--%s takes one --binary", x->name), 0;
    }
    if (preagg_wanted(o)) return usage(g->tool, "--format=preagg takes one --binary"), 0;
    return 1;
}

/* In compat mode inputs that are missing, too many, or not there are told in LLVM's words. Returns 0 after that. */
static int llvm_inputs(const profgen *g, int inputs_given)
{
    static const int kinds[] = { O_PERFSCRIPT, O_PERFDATA, O_UNSYMBOLIZED, O_PROFILE };
    const option *const o = g->o;
    size_t i;
    if (!g->tool->compat) return 1;
    if (inputs_given == 0)
        return usage(g->tool, "Perf input file is missing, please use one of `--perfscript`, `--perfdata` and "
                              "`--unsymbolized-profile` for the input."), 0;
    if (inputs_given > 1)
        return usage(g->tool, "`--perfscript`, `--perfdata` and `--unsymbolized-profile` cannot be used together."), 0;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *const file = o[kinds[i]].text;
        if (file != NULL && strcmp(file, "-") != 0 && access(file, F_OK) != 0)
            return usage(g->tool, "Input perf file(%s) doesn't exist.", file), 0;
    }
    return access(g->in.binary, F_OK) == 0 || (usage(g->tool, "Input binary(%s) doesn't exist.", g->in.binary), 0);
}

/* Checks what the options say together. Returns 0 after saying what is wrong. */
static int profgen_check(profgen *g)
{
    const option *o = g->o;
    int recorded;                 /* kinds of recordings: LLVM's tool takes one only */
    g->in.binary = o[O_BINARY].count > 1 && !g->tool->compat ? o[O_BINARY].list[0] : o[O_BINARY].text;
    g->in.perfscript = o[O_PERFSCRIPT].text;
    g->in.perfdata = o[O_PERFDATA].text;
    g->in.unsymbolized = o[O_UNSYMBOLIZED].text;
    g->in.preagg = o[O_PREAGG].text;
    g->in.pprof = o[O_PPROF].text;
    g->in.sampled = o[O_PROFILE].text;
    g->in.output = o[O_OUTPUT].text;
    recorded = (g->in.perfscript != NULL) + (g->in.perfdata != NULL);
    if (!g->tool->compat && recorded == 2) recorded = 1;
    if (g->in.binary == NULL && !jit_asked(o)) return usage(g->tool, "--binary is missing"), 0;
    if (g->in.output == NULL) return usage(g->tool, "--output is missing"), 0;
    recorded += (g->in.unsymbolized != NULL) + (g->in.preagg != NULL) + (g->in.pprof != NULL) + (g->in.sampled != NULL);
    if (!llvm_inputs(g, recorded)) return 0;
    if (recorded != 1)
        return usage(g->tool, "give one of --perfscript, --perfdata, --unsymbolized-profile, --preagg, --pprof and "
                              "--llvm-sample-profile"),
               0;
    if (preagg_wanted(o) && (g->in.sampled != NULL || o[O_SKIP].number || jit_asked(o)))
        return usage(g->tool, "--format=preagg is made of --binary and recordings or raw counters"), 0;
    if (!profgen_check_inputs(g) || !jit_check(g->tool, o) || !images_check(g)) return 0;
    if (g->tool->compat && g->in.perfdata != NULL && (o[O_LEADING].number || o[O_PERIOD].text != NULL))
        return usage(g->tool, "--%s needs --perfscript", o[O_LEADING].number ? "leading-ip-only" : "sample-period"), 0;
    if ((uint64_t)o[O_PAGE].number == 0 || ((uint64_t)o[O_PAGE].number & ((uint64_t)o[O_PAGE].number - 1)) != 0)
        return usage(g->tool, g->tool->compat ? "Number in -page-size=<num> must be positive power of two"
                                              : "--page-size: '%s' is not a power of two", o[O_PAGE].text), 0;
    if (o[O_COMPRESS].number < -1)
        return usage(g->tool, g->tool->compat ? "Value of --compress-recursion should >= -1"
                                              : "--compress-recursion: the number is -1, 0 or larger"), 0;
    if (o[O_COLD_DEPTH].number == 0)
        return usage(g->tool, "--csprof-max-cold-context-depth=0 would leave contexts without function"), 0;
    if (!pids_parse(o)) return usage(g->tool, "--pid: '%s' is no process, or list of these", o[O_PID].text), 0;
    if (!o[O_LOAD_SYMBOLS].number && g->tool->compat < 22)
        return usage(g->tool, "--load-function-from-symbol: only with --llvm-compat=22 it may be 0; else functions with "
                              "probes are found by symbols, too"), 0;
    if (o[O_CUTOFF_HOT].number > 999999 || o[O_CUTOFF_COLD].number > 999999)
        return usage(g->tool, "Desired percentile exceeds the maximum cutoff"), 0;
    return 1;
}

/*
 * By source line there are no contexts unless an option asks for them. Programs built with them executed more
 * instructions in most measurements (bench/README.md): what the pre-inliner gains is lost where exceptions pass through
 * functions that it made large. Raw counters keep what was recorded.
 */
static void lines_defaults(const profgen *g)
{
    static const int asks[] = {
        O_COMPRESS, O_DEPTH, O_INFER, O_SEARCH_DEPTH, O_PREINLINER, O_SIZES, O_REPLAY, O_HOT_INLINE, O_COLD_INLINE,
        O_GROWTH, O_LIMIT_MIN, O_LIMIT_MAX, O_AGAIN, O_MERGE_COLD, O_COLD_DEPTH, O_NESTED, O_KEEP_BASE, O_SORT,
        O_DEBUG_SIZES, O_PREINLINED
    };
    option *const o = g->o;
    int asked = 0;
    size_t i;
    if (g->lines == NULL || g->tool->compat || o[O_SKIP].number || o[O_IGNORE_STACK].text != NULL) return;
    for (i = 0; i < sizeof asks / sizeof *asks; i++) asked |= o[asks[i]].text != NULL;
    o[O_IGNORE_STACK].number = is_for_gcc(g) || !asked;
}

/*
 * Says what became of the input, now that it is known what is written; p: that profile, or NULL. Returns 0 after saying
 * what is wrong.
 */
static int profgen_tell(profgen *g, const csspgo_profile *p)
{
    const int has_density = g->loss != NULL && !g->loss->settled && p != NULL;
    if (!loss_end(g->loss, p, has_density ? profgen_density_of(g->o, p) : -1)) return fail(g->tool, "out of memory"), 0;
    loss_warnings(g);
    return g->health != NULL ? health_report(g) : counts_report(g, NULL);
}

/* Writes the raw counters. Returns the exit status. */
static int profgen_write_raw(profgen *g)
{
    csspgo_error e;
    csspgo_status s = CSSPGO_OK;
    profgen_idle(g, csspgo_collector_has_contexts(g->count.collector));
    if (as_llvm(g) && csspgo_collector_has_contexts(g->count.collector)) s = profgen_name(g, &e);
    if (s == CSSPGO_OK && llvm_tells(g)) profgen_warnings(g);
    if (s == CSSPGO_OK && !profgen_tell(g, NULL)) return 1;
    if (s != CSSPGO_OK || profgen_write_to(g, NULL, &e) != CSSPGO_OK) return fail_at(g->tool, g->in.output, &e);
    return profgen_worth(g, NULL);
}

/* From what was counted to the profile that is written. Returns 0 after saying what is wrong. */
static int profgen_complete(profgen *g, csspgo_profile *p)
{
    csspgo_status s;
    if (llvm_tells(g)) profgen_warnings(g);
    if (is_flow_sensitive(g->image)) csspgo_profile_set_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
    if (csspgo_record_count(p) != 0) profgen_idle(g, (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0);
    s = profgen_finish(g, p);
    if (s == CSSPGO_OK && g->o[O_FORMAT].number == FORMAT_EXTBINARY) s = profgen_list_symbols(g, p);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    if ((csspgo_record_count(p) != 0 || g->tool->compat) && (!g->tool->quiet || g->o[O_SHOW_DENSITY].number)) profgen_density(g, p);
    return 1;
}

/* Makes the profile and writes it. Returns the exit status. */
static int profgen_write_profile(profgen *g, csspgo_profile *p)
{
    const char *path = g->in.output;
    csspgo_error e;
    csspgo_status s = profgen_profile(g, p, &e);
    const int told = s == CSSPGO_OK && g->in.sampled != NULL ? counts_report(g, p) : 1;
    if (s != CSSPGO_OK && g->in.sampled != NULL) path = g->in.sampled;
    if (s == CSSPGO_E_ARGUMENT && g->in.unsymbolized != NULL) path = g->in.unsymbolized;
    if (s == CSSPGO_OK && g->in.sampled == NULL && !objects_count(g, p)) return 1;
    if (!told || (s == CSSPGO_OK && !profgen_complete(g, p))) return 1;
    if (!profgen_tell(g, s == CSSPGO_OK ? p : NULL)) return 1;
    if (s == CSSPGO_OK) {
        s = profgen_write_to(g, p, &e);
        if (s == CSSPGO_E_UNSUPPORTED && g->tool->compat)
            return fail(g->tool, "%s: Profile encoding format unsupported for writing operations", path), 1;
    }
    if (s == CSSPGO_OK) return profgen_worth(g, p);
    return path == g->in.sampled ? kind_fail_at(g->tool, path, KIND_PROFILE, &e) : fail_at(g->tool, path, &e);
}

/* Returns the exit status. */
static int profgen_write(profgen *g)
{
    csspgo_profile *p;
    int status;
    if (g->o[O_SKIP].number && g->in.sampled == NULL) return profgen_write_raw(g);
    if (g->in.sampled == NULL && !objects_goes(g)) return 1;
    if (g->o[O_SHOW_PROBES].number && !profgen_show_probes(g)) return 1;
    p = g->jit_only ? jit_take_samples(g->jit) : NULL;
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
    g->events.o = tool->o;
    if (files < 0) return usage_status(tool);
    if (files > 0) return usage(tool, "'%s' is not an option", argv[0]);
    if (g->o[O_HELP].number) return help_print(tool, &profgen_command);
    if (g->o[O_DISASSEMBLE].number && g->o[O_BINARY].count == 0 && g->o[O_BINARY].text == NULL)
        return usage(tool, "--binary is missing");
    if (g->o[O_DISASSEMBLE].number) return profgen_disassemble(tool, g->o);
    if (!profgen_check(g) || !health_wanted(g) || !profgen_spares(g) || !filter_open(tool, &g->filter))
        return usage_status(tool);
    if (jit_asked(g->o)) jit_defaults(g->o);
    return output_ready(tool, g->in.output) ? -1 : 1;
}

/* Says that what is profiled, of which g->in.binary names the file, cannot be read. Returns the exit status. */
static int profgen_load_failed(const profgen *g, const char *why)
{
    size_t i;
    for (i = 0; i < g->o[O_JITDUMP].count; i++)
        if (g->o[O_JITDUMP].list[i] == g->in.binary) return kind_fail(g->tool, g->in.binary, KIND_JITDUMP, why);
    for (i = 0; i < g->o[O_PERF_MAP].count; i++)
        if (g->o[O_PERF_MAP].list[i] == g->in.binary) return kind_fail(g->tool, g->in.binary, KIND_OTHER, why);
    return kind_program_fail(g->tool, g->in.binary, &g->o[O_DEBUG_BINARY], why);
}

/* Counts what becomes of the samples, but in compat mode. Returns 0 after saying what is wrong. */
static int loss_begin(profgen *g)
{
    if (g->tool->compat || g->in.sampled != NULL || g->jit_only) return 1;
    g->loss = loss_new(&g->programs, g->lines, g->tally);
    if (g->loss == NULL) return fail(g->tool, "out of memory"), 0;
    g->loss->keep = g->o[O_BOGUS].number != 0;
    g->loss->leading = g->o[O_LEADING].number != 0;
    return 1;
}

/* All samples are counted: what is to be said of them. Returns 0 after saying what is wrong. */
static int profgen_counted(profgen *g)
{
    const int quiet = g->tool->quiet && g->o[O_REPORT].text == NULL;
    csspgo_status s;
    if (csspgo_collector_flush(g->count.collector, NULL) != CSSPGO_OK || !details_flush(&g->details))
        return fail(g->tool, "out of memory"), 0;
    s = loss_runs(g->loss, g->count.collector, quiet);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    if (g->jit != NULL) jit_report(g->jit);
    if (!llvm_tells(g)) profgen_warnings(g);                  /* LLVM's count contexts, which the profile has */
    if (g->o[O_BINARY].count > 1 || g->o[O_IMAGES].number) tally_show(g->tool, g->tally);
    if (!llvm_tells(g)) details_show(g->tool, &g->details, &g->programs);
    return 1;
}

/* From the program and its samples to the output. Returns the exit status. */
static int profgen_run(profgen *g)
{
    const tool_context *tool = g->tool;
    csspgo_collector_options how;
    char why[PROGRAM_WHY];
    int ok, status = 1;
    if (g->in.sampled == NULL) catch_interrupt(0);            /* else it ends the program until the profile is read */
    if (!profgen_load(g, why, sizeof why)) return profgen_load_failed(g, why);
    if (!g->jit_only && g->image->functions == 0 && load_symbols(g->image)->symbol_count <= 1 && !tool->compat)
        return program_lacks(g->image, "symbols", why, sizeof why), fail(tool, "%s: %s", g->in.binary, why);
    if (!profgen_load_more(g, why, sizeof why)) return profgen_load_failed(g, why);
    lines_defaults(g);
    if (!health_begin(g) || !loss_begin(g)) return 1;
    how = profgen_how(g);
    g->count.collector = csspgo_collector_new(g->image->code, &how, seeded(), NULL);
    if (g->jit != NULL) g->jit->collector = g->count.collector;
    ok = profgen_spaces(g) && (g->count.collector != NULL || (fail(tool, "out of memory"), 0));
    ok = ok && profgen_read_inputs(g) && (g->jit == NULL || jit_settle(g->jit));
    if (!interrupted() && g->in.sampled == NULL) catch_interrupt(SA_RESTART);    /* the input is read */
    ok = ok && profgen_counted(g);
    if (ok && g->reader.partial && !g->o[O_LEADING].number &&
        csspgo_collector_get_stats(g->count.collector).samples == 0)
        ok = (fail(tool, "interrupted before the first sample: %s is not written", g->in.output), 0);
    if (ok) status = profgen_write(g);
    if (status == 0 && interrupted() && !g->reader.partial)
        warn(tool, "interrupted when all input was read: %s is complete", g->in.output);
    return interrupted() ? 128 + SIGINT : status;
}

static void profgen_free(profgen *g)
{
    csspgo_collector_free(g->count.collector);
    csspgo_aggregator_free(g->count.aggregator);
    tally_free(g->tally);
    health_free(g->health);
    loss_free(g->loss);
    events_free(&g->events);
    details_free(&g->details);
    fit_free(&g->fit);
    csspgo_size_table_free(g->sizes);
    jit_work_free(g->jit);
    reader_free(&g->reader);
    filter_free(g->filter);
    lines_free(g->lines, g->programs.count);
    lines_free(g->words, 1);
    programs_free(&g->programs);
}

static int profgen_main(tool_context *tool, int argc, char **argv)
{
    profgen g;
    int status;
    memset(&g, 0, sizeof g);
    g.tool = g.events.tool = g.reader.tool = tool;
    g.reader.programs = &g.programs;
    status = profgen_begin(tool, &g, argc, argv);
    if (status < 0) status = preagg_wanted(g.o) ? preagg_run(&g) : profgen_run(&g);
    profgen_free(&g);
    return status;
}

const command profgen_command = {
    "profgen", profgen_main, profgen_options, NULL,
    "csspgo profgen --binary=FILE (--perfscript=FILE | --perfdata=FILE |\n"
    "               --pprof=FILE | --preagg=FILE |\n"
    "               --unsymbolized-profile=FILE) --output=FILE [options]\n"
    "csspgo profgen [--binary=FILE] --jitdump=FILE|auto ... --perfdata=FILE\n"
    "               --output=FILE [options]\n"
    "csspgo profgen --perf-map=FILE ... --perfdata=FILE --output=FILE\n"
    "               [options]\n",
    "turns samples of a program into a profile for clang or gcc",
    "As FILE, - means standard input or output.\n"
};
