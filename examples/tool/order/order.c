/* order.c - the command order: traces of first execution become an order of functions */
#include "order.h"

static const option order_options[] = {
    OPTION("output", OPT_TEXT, NULL, 0, "FILE", "where the output goes; standard output is the default"),
    OPTION("num-test-traces", OPT_COUNT, NULL, 0, "N",
           "orders without the last N traces, and evaluates with them alone"),
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the program (ELF): names and sizes of its functions and, for samples, their addresses. Functions that "
           "it does not have are left out. Also its libraries, if all of them are linked in this order"),
    DEBUG_BINARY,
    OPTION("perfdata", OPT_LIST, NULL, 0, "FILE",
           "samples with times (perf record -T): traces are then the times at which functions were seen first, "
           "one for each process"),
    OPTION("perfscript", OPT_LIST, NULL, 0, "FILE", "the same from perf script -F +time"),
    OPTION("format", OPT_CHOICE, "lld|gold|macho|msvc|gnuld", 0, NULL, "for which linker"),
    OPTION("evaluate", OPT_SWITCH, NULL, 0, NULL,
           "prints how many pages the traces touch; prints the order only with --output"),
    OPTION("page-size", OPT_COUNT, NULL, 4096, "BYTES",
           "size of a page, for --evaluate; without --binary a page is 32 functions"),
    OPTION("alignment", OPT_COUNT, NULL, 16, "BYTES", "alignment of functions, for --evaluate"),
    OPTION("use-weights", OPT_SWITCH, NULL, 0, NULL, "a trace of weight 10 counts like ten"),
    OPTION("use-sizes", OPT_SWITCH, NULL, 0, NULL, "groups functions by bytes, too, as lld does"),
    OPTION("temporal-profile-trace-reservoir-size", OPT_COUNT, NULL, UINT32_MAX, "N",
           "keeps N traces, chosen at random; by default all"),
    OPTION("temporal-profile-max-trace-length", OPT_COUNT, NULL, UINT32_MAX, "N",
           "keeps N functions of each trace; by default all"),
    OPTION("seed", OPT_COUNT, NULL, 0, "N",
           "the start of the random choice of --temporal-profile-trace-reservoir-size"),
    OPTION("in-order", OPT_SWITCH, NULL, 0, NULL,
           "samples: takes a recording without times, such as that of csspgo record, as ordered by time"),
    OPTION("start-up", OPT_TEXT, NULL, 0, "SECONDS",
           "samples: only functions first seen within this time after the start of a process"),
    OPTION("min-samples", OPT_COUNT, NULL, 0, "N", "samples: only functions seen in at least N samples"),
    OPTION("join-equal", OPT_SWITCH, NULL, 0, NULL,
           "samples: joins equal traces into one, whose weight is their number"),
    OPTION("write-traces", OPT_TEXT, NULL, 0, "FILE",
           "writes the traces of all inputs as text, for llvm-profdata and for later runs"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "prints the order and, with --evaluate, the table as JSON"),
    OPTION("trace", OPT_SWITCH, NULL, 0, NULL,
           "runs the program behind -- and traces it: each function stops it where it is executed first. Without "
           "--binary, the program is what is ordered"),
    OPTION("follow-forks", OPT_SWITCH, NULL, 0, NULL, "trace: also traces child processes, and the programs that they run"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("pd", OPT_ALIAS, "perfdata", 0, NULL, NULL),
    OPTION("ps", OPT_ALIAS, "perfscript", 0, NULL, NULL),
    LLVM_COMPAT,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    SAMPLE_FILTERS,
    SAMPLE_FILTERS_MORE,
    OPTIONS_END
};

/* Seconds of --start-up as nanoseconds. Returns 0 if the text is none. */
static int order_start_up(order_run *r)
{
    const char *text = r->o[R_START_UP].text;
    char *end;
    double seconds;
    if (text == NULL) return 1;
    seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds >= 1e-9 && seconds <= 1e9))
        return usage(r->tool, "--start-up: '%s' is not a number of seconds", text), 0;
    r->start_up = (uint64_t)(seconds * 1e9);
    return 1;
}

/* 1 if the values of these options fit 32 bits and are not below least. */
static int order_number_fits(const order_run *r, int which, uint64_t least)
{
    const uint64_t v = (uint64_t)r->o[which].number;
    if (v >= least && v <= UINT32_MAX) return 1;
    return usage(r->tool, "--%s: %" PRIu64 " is out of range", r->o[which].name, v), 0;
}

/* Checks what the options say together. Returns 0 after saying what is wrong. */
static int order_check(order_run *r, int files)
{
    const option *o = r->o;
    const size_t recordings = o[R_PERFDATA].count + o[R_PERFSCRIPT].count;
    static const struct { int option; uint64_t least; } ranges[] = {
        { R_TESTS, 0 }, { R_PAGE, 1 }, { R_ALIGNMENT, 1 }, { R_RESERVOIR, 0 }, { R_LENGTH, 0 }, { R_SEED, 0 },
        { R_SAMPLES, 0 } };
    size_t i;
    for (i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!order_number_fits(r, ranges[i].option, ranges[i].least)) return 0;
    if (o[R_TRACE].number && r->tool->compat) return usage(r->tool, "--trace: LLVM has none"), 0;
    if (o[R_TRACE].number && r->tool->behind == 0) return usage(r->tool, "which program? --trace -- PROGRAM"), 0;
    if (o[R_FOLLOW].number && !o[R_TRACE].number) return usage(r->tool, "--follow-forks: only with --trace"), 0;
    if (r->tool->compat && (files > 1 || recordings != 0))
        return usage(r->tool, "--llvm-compat: LLVM's order takes one profile and no recording"), 0;
    if (files == 0 && recordings == 0 && !o[R_TRACE].number && !r->tool->compat)
        return usage(r->tool, "which profile? or --perfdata=FILE --binary=FILE, or --trace -- PROGRAM"), 0;
    if (recordings != 0 && o[R_BINARY].text == NULL)
        return usage(r->tool, "--%s needs --binary", o[o[R_PERFDATA].count != 0 ? R_PERFDATA : R_PERFSCRIPT].name), 0;
    if (o[R_SIZES].number && o[R_BINARY].text == NULL) return usage(r->tool, "--use-sizes needs --binary"), 0;
    if (r->tool->compat && o[R_JSON].number) return usage(r->tool, "--json: LLVM has none"), 0;
    if (r->tool->compat && o[R_FORMAT].number != 0)
        return usage(r->tool, "--format: LLVM has none but lld's"), 0;
    return order_start_up(r);
}

/* Returns 0 after refusing an output that is one of the inputs. */
static int order_spares(const order_run *r, int files, char **argv)
{
    const option *o = r->o;
    const char *const to[] = { o[R_OUTPUT].text, o[R_TRACES].text };
    size_t k, i;
    for (k = 0; k < 2; k++) {
        const int skip = r->tool->compat && k == 0;   /* there LLVM has its own words */
        for (i = 0; i < (size_t)files && !skip; i++)
            if (!output_spares(r->tool, to[k], argv[i])) return 0;
        for (i = 0; i < o[R_PERFDATA].count; i++)
            if (!output_spares(r->tool, to[k], o[R_PERFDATA].list[i])) return 0;
        for (i = 0; i < o[R_PERFSCRIPT].count; i++)
            if (!output_spares(r->tool, to[k], o[R_PERFSCRIPT].list[i])) return 0;
        if (!output_spares_all(r->tool, to[k], &o[R_BINARY]) ||
            !output_spares_all(r->tool, to[k], &o[R_DEBUG_BINARY]))
            return 0;
    }
    return 1;
}

/* An object for the traces: all of them, unless the options say how many to keep. Returns 0 after an error. */
static int order_begin(order_run *r)
{
    csspgo_layout_options how;
    memset(&how, 0, sizeof how);
    how.limit_traces = how.limit_length = 1;
    how.max_traces = (uint32_t)r->o[R_RESERVOIR].number;
    how.max_length = (uint32_t)r->o[R_LENGTH].number;
    how.seed = (uint32_t)r->o[R_SEED].number;
    how.llvm = (uint32_t)r->tool->compat;
    r->l = csspgo_layout_new(&how, seeded(), NULL);
    return r->l != NULL || (fail(r->tool, "out of memory"), 0);
}

/* All inputs, in the order of the command line, recordings last. Returns 0 after saying what is wrong. */
static int order_read(order_run *r, int files, char **argv)
{
    int i;
    if (r->o[R_BINARY].text != NULL && !order_open_binaries(r)) return 0;
    for (i = 0; i < files; i++)
        if (!order_read_profile(r, argv[i])) return 0;
    if (r->trace != NULL && !order_read_profile(r, r->trace)) return 0;
    return order_read_recordings(r, &r->o[R_PERFDATA]) && order_read_recordings(r, &r->o[R_PERFSCRIPT]) &&
           (r->o[R_BINARY].text == NULL || order_add_symbols(r));
}

/* Makes the order. Returns 0 after saying what is wrong. */
static int order_make(order_run *r)
{
    const csspgo_layout_stats stats = csspgo_layout_get_stats(r->l);
    csspgo_layout_order_options how;
    csspgo_error e;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    how.partition.llvm = (uint32_t)r->tool->compat;
    how.test_traces = (uint32_t)r->o[R_TESTS].number;
    how.use_weights = order_weighs(r);
    how.use_sizes = (uint32_t)r->o[R_SIZES].number;
    how.only_symbols = r->o[R_BINARY].text != NULL && !r->tool->compat;
    if (how.test_traces != 0 && how.test_traces >= stats.traces)
        return fail(r->tool, "--num-test-traces must be smaller than the total number of traces: expected: < %" PRIu64
                             ", actual: %u", stats.traces, (unsigned)how.test_traces), 0;
    r->id = (uint64_t *)calloc((size_t)stats.functions + 1, sizeof *r->id);
    if (r->id == NULL) return fail(r->tool, "out of memory"), 0;
    s = csspgo_layout_order(r->l, &how, r->id, (size_t)stats.functions, &r->count, &e);
    return s == CSSPGO_OK || (fail(r->tool, "%s", plain(&e)), 0);
}

/* Prints the order. Returns 0 after saying what is wrong. */
static int order_print(const order_run *r, FILE *out)
{
    csspgo_layout_evaluate_options test;
    csspgo_layout_format form;
    csspgo_layout_score score;
    csspgo_error e;
    csspgo_status s = CSSPGO_OK;
    size_t size = 0;
    char *text = NULL;
    memset(&test, 0, sizeof test);
    memset(&form, 0, sizeof form);
    test.test_traces = (uint32_t)r->o[R_TESTS].number;
    form.form = (uint32_t)r->o[R_FORMAT].number;
    form.llvm = r->tool->compat >= 23 ? 23 : r->tool->compat ? 19 : 0;
    test.use_weights = order_weighs(r);
    form.has_area = test.test_traces != 0;
    if (form.has_area) s = csspgo_layout_evaluate(r->l, r->id, r->count, &test, &score, &e);
    if (s == CSSPGO_OK && form.has_area) form.area = score.area;
    if (s == CSSPGO_OK) csspgo_layout_write_order(r->l, r->id, r->count, &form, NULL, 0, &size, &e);
    if (s == CSSPGO_OK && (text = (char *)malloc(size + 1)) == NULL) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = csspgo_layout_write_order(r->l, r->id, r->count, &form, text, size, &size, &e);
    if (s == CSSPGO_OK) fwrite(text, 1, size, out);
    else fail(r->tool, "%s", csspgo_status_text(s));
    free(text);
    return s == CSSPGO_OK;
}

/* --write-traces. Returns 0 after saying what is wrong. */
static int order_write_traces(const order_run *r)
{
    const char *path = r->o[R_TRACES].text;
    csspgo_error e;
    return path == NULL || write_traces(r->l, path, &e) == CSSPGO_OK || (fail(r->tool, "%s: %s", path, plain(&e)), 0);
}

/* From inputs to the output `out`. Returns 0 after saying what is wrong. */
static int order_do(order_run *r, int files, char **argv, FILE *out)
{
    const int table = r->o[R_EVALUATE].number != 0, is_file = r->o[R_OUTPUT].text != NULL;
    if (!order_begin(r) || !order_read(r, files, argv) || !order_make(r) || !order_write_traces(r)) return 0;
    if (r->o[R_BINARY].text != NULL) order_resolution(r);
    if (r->o[R_JSON].number) return order_json(r, out);
    return (!table || order_evaluate(r, r->tool->out)) && ((table && !is_file) || order_print(r, out));
}

static int order_main(tool_context *tool, int argc, char **argv)
{
    static char none[] = "", *const nothing[] = { none };
    order_run r;
    output out;
    FILE *stream = NULL;
    const char *path;
    int files, status;
    memset(&r, 0, sizeof r);
    r.tool = tool;
    files = options_parse(tool, order_options, argc, argv);
    r.o = tool->o;
    if (files >= 0 && r.o[R_TRACE].number) files -= tool->behind;
    path = files >= 0 && r.o[R_OUTPUT].text != NULL ? r.o[R_OUTPUT].text : "-";
    if (files == 0 && tool->compat) argv = (char **)(uintptr_t)nothing, files = 1;
    if (files < 0 || !order_check(&r, files) || !order_spares(&r, files, argv) || !filter_open(tool, &r.filter))
        status = usage_status(tool);
    else if (r.o[R_TRACE].number && !order_trace(&r, tool->behind, argv + files)) status = 1;
    else if (tool->compat && strcmp(path, "-") != 0 && output_is_input(path, argv[0]))
        status = fail(tool, "%s: empty raw profile file", argv[0]);   /* LLVM has emptied it */
    else if ((stream = stream_begin(tool, &out, path)) == NULL) status = 1;
    else status = stream_end(tool, &out, path, order_do(&r, files, argv, stream));
    if (status == 0 && r.count == 0 && !tool->compat)
        status = hopeless(tool, "there is nothing to order: no trace of first execution has a function");
    order_trace_free(&r);
    free(r.id);
    csspgo_layout_free(r.l);
    programs_free(&r.programs);
    filter_free(r.filter);
    return status;
}

const command order_command = {
    "order", order_main, order_options, NULL,
    "csspgo order [options] PROFILE...\n"
    "csspgo order (--perfdata=FILE | --perfscript=FILE) --binary=FILE\n"
    "             [options]\n"
    "csspgo order --trace [options] [PROFILE...] -- PROGRAM [arguments]\n",
    "makes an order of functions that needs few page faults at start-up",
    "PROFILE is an instrumentation profile with temporal traces: text, indexed or raw; or what csspgo record "
    "--first has written.\n"
    "With --trace nothing has to be built for it: a breakpoint stands at the entry of each function until the function "
    "runs, in all threads. It sees no code without a symbol or unwind information, none that a compiler at run time "
    "makes, and nothing that was inlined. Needs x86-64 Linux. The traces of several runs add up: --write-traces keeps "
    "one, or csspgo record --first writes it.\n"
};
