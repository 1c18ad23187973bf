/* overlap.c - the command overlap */
#include "views.h"

enum { V_OUTPUT, V_FUNCTION, V_VALUE, V_SIMILARITY, V_QUALITY, V_ISFS, V_PASS, V_NAMES, V_PROFILED, V_LEAST, V_JSON };

static const option overlap_options[] = {
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where the output goes; standard output is the default"),
    OPTION("function", OPT_TEXT, NULL, 0, "TEXT", "lists functions whose context contains this text"),
    OPTION("value-cutoff", OPT_COUNT, NULL, -1, "N", "lists functions that have a count of at least N in TEST"),
    OPTION("similarity-cutoff", OPT_COUNT, NULL, 0, "PPM", "lists functions whose similarity is below this"),
    OPTION("quality", OPT_SWITCH, NULL, 0, NULL,
           "instead: how close the blocks of TEST come to those of BASE, within each function, in the program and in "
           "contexts"),
    OPTION("profile-isfs", OPT_SWITCH, NULL, 0, NULL, "discriminators are flow-sensitive, whatever the profile says"),
    OPTION("fs-discriminator-pass", OPT_CHOICE, pass_names, PASSES - 1, NULL,
           "keeps the bits of discriminators that passes up to this one set"),
    OPTION("names", OPT_LIST, NULL, 0, "FILE", "names of functions that are GUIDs in the profile, one a line"),
    OPTION("profiled-binary", OPT_LIST, NULL, 0, "FILE",
           "the instrumented program of a contextual profile: its names, and where each block has a counter also "
           "checksums and probes"),
    OPTION("min-overlap", OPT_PERCENT, NULL, 0, "PERCENT",
           "status 3 if less of the samples overlaps, each profile taken as shares of its sum (\"normalized\"); "
           "with --quality, of blocks within functions"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "prints JSON, for programs; shares are from 0 to 1"),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    PROFDATA_COMMON,
    DEBUG_DIRECTORY,
    OPTION("cs", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("profile-summary-cold-count", OPT_COUNT, NULL, 0, "N",
           "a context is cold up to this count, whatever the cutoff"),
    OPTION("profile-summary-cutoff-cold", OPT_COUNT, NULL, 0, "PPM",
           "the counts beyond this share of the sum are cold"),
    OPTION("generate-merged-base-profiles", OPT_IGNORED, NULL, 0, NULL, NULL),
    DEMANGLER,
    OPTIONS_END
};

typedef struct overlap {
    const tool_context *tool;
    option         *o;
    const char     *path[2];      /* base, test */
    csspgo_profile *p[2];
    int             contextual[2];   /* 1: a contextual profile */
    FILE           *out;
    double          overlap;      /* percent of the samples, normalized; with --quality of blocks */
    int             empty;        /* 1: that is of no use, as one of the two is empty         */
} overlap;

static csspgo_overlap_options overlap_how(const overlap *v)
{
    csspgo_overlap_options how;
    const option *hot = option_named(v->o, "profile-summary-hot-count", 25);
    const option *cutoff = option_named(v->o, "profile-summary-cutoff-hot", 26);
    memset(&how, 0, sizeof how);
    how.force_hot = hot->text != NULL;
    how.hot_count = (uint64_t)hot->number;
    how.hot_ppm = (uint32_t)cutoff->number;
    return how;
}

static void overlap_context(void *ctx, csspgo_node node, FILE *out)
{
    const overlap *v = (const overlap *)ctx;
    put_context_shown(v->tool, v->p[1], node, out);
}

/* What is printed and listed. */
static csspgo_overlap_table overlap_table(overlap *v)
{
    csspgo_overlap_table how;
    memset(&how, 0, sizeof how);
    how.base_name = v->path[0];
    how.test_name = v->path[1];
    how.part = v->o[V_FUNCTION].text;
    how.similarity = (double)(uint64_t)v->o[V_SIMILARITY].number / 1000000;
    how.value = (uint64_t)v->o[V_VALUE].number;
    how.by_value = 1;                                 /* by default no count is as large */
    how.llvm = v->tool->compat ? 19 : 0;
    how.context_fn = overlap_context;
    how.ctx = v;
    return how;
}

static void overlap_json_counts(json *j, const char *key, csspgo_overlap_counts n)
{
    json_begin(j, key, '{');
    json_count(j, "both", n.both);
    json_count(j, "base_only", n.base_only);
    json_count(j, "test_only", n.test_only);
    json_end(j);
}

static void overlap_json_head(const overlap *v, json *j)
{
    json_begin(j, NULL, '{');
    json_text(j, "base", v->path[0]);
    json_text(j, "test", v->path[1]);
}

static void overlap_json_program(const csspgo_overlap_figures *f, json *j)
{
    json_real(j, "similarity", f->similarity);
    json_real(j, "overlap", f->overlap);
    json_real(j, "normalized_overlap", f->normalized);
    json_count(j, "base_samples", f->base_samples);
    json_count(j, "test_samples", f->test_samples);
    json_count(j, "base_unique_samples", f->base_unique_samples);
    json_count(j, "test_unique_samples", f->test_unique_samples);
    overlap_json_counts(j, "functions", f->functions);
    overlap_json_counts(j, "hot_functions", f->hot_functions);
    overlap_json_counts(j, "hot_blocks", f->hot_blocks);
}

/* Returns 0: out of memory. */
static int overlap_json_row(const overlap *v, const csspgo_overlap_row *r, json *j)
{
    char *context = context_text(v->p[1], r->test);
    if (context == NULL) return 0;
    json_begin(j, NULL, '{');
    json_text(j, "function", context);
    json_real(j, "base_weight", r->base_weight);
    json_real(j, "test_weight", r->test_weight);
    json_real(j, "similarity", r->similarity);
    json_real(j, "overlap", r->overlap);
    json_real(j, "normalized_overlap", r->normalized);
    json_count(j, "base_samples", r->base_samples);
    json_count(j, "test_samples", r->test_samples);
    json_end(j);
    free(context);
    return 1;
}

/* Returns 0 after saying what is wrong. */
static int overlap_json(overlap *v, const csspgo_overlap_figures *f, const csspgo_overlap_row *row, size_t n)
{
    const csspgo_overlap_table table = overlap_table(v);
    json j = json_to(v->out);
    size_t i;
    overlap_json_head(v, &j);
    overlap_json_program(f, &j);
    json_begin(&j, "details", '[');
    for (i = 0; i < n; i++) {
        const int wanted = csspgo_overlap_lists(v->p[1], &row[i], &table);
        if (wanted < 0 || (wanted && !overlap_json_row(v, &row[i], &j))) return fail(v->tool, "out of memory"), 0;
    }
    json_end(&j);
    json_end(&j);
    return 1;
}

static void overlap_json_blocks(json *j, const char *key, double share, double delta)
{
    json_begin(j, key, '{');
    json_real(j, "overlap", share);
    json_real(j, "delta", delta);
    json_end(j);
}

static int overlap_json_quality(const overlap *v, const csspgo_quality *q)
{
    json j = json_to(v->out);
    overlap_json_head(v, &j);
    overlap_json_blocks(&j, "blocks_of_functions", q->overlap, q->delta);
    overlap_json_blocks(&j, "blocks_of_program", q->program_overlap, q->program_delta);
    overlap_json_blocks(&j, "blocks_of_contexts", q->context_overlap, q->context_delta);
    overlap_json_blocks(&j, "test_spread_over_base", q->spread_overlap, q->spread_delta);
    json_end(&j);
    return 1;
}

/* --quality: how close test's block counts come to base's, whatever the forms of the two. */
static int overlap_quality(overlap *v)
{
    csspgo_quality q;
    const csspgo_status s = csspgo_compare_blocks(v->p[0], v->p[1], NULL, &q, NULL, 0, NULL, NULL);
    if (s != CSSPGO_OK) return fail(v->tool, "%s", csspgo_status_text(s)), 0;
    v->overlap = q.overlap * 100;
    if (v->o[V_JSON].number) return overlap_json_quality(v, &q);
    fprintf(v->out,
            "                          overlap    delta\n"
            "blocks of functions    %9.3f%% %8.4f\nblocks of the program  %9.3f%% %8.4f\n"
            "blocks of contexts     %9.3f%% %8.4f\ntest spread over base  %9.3f%% %8.4f\n"
            "The first row compares each function by itself, however often it ran; the others, shares of all counts.\n",
            q.overlap * 100, q.delta, q.program_overlap * 100, q.program_delta, q.context_overlap * 100,
            q.context_delta, q.spread_overlap * 100, q.spread_delta);
    return 1;
}

static int overlap_print(overlap *v)
{
    const csspgo_overlap_options how = overlap_how(v);
    const csspgo_overlap_table table = overlap_table(v);
    const uint32_t differ = csspgo_profile_flags(v->p[0]) ^ csspgo_profile_flags(v->p[1]);
    const size_t most = csspgo_overlap_bound(v->p[0], v->p[1]);
    const char *base = numbering(v->p[0], v->contextual[0]), *test = numbering(v->p[1], v->contextual[1]);
    csspgo_overlap_row *row;
    csspgo_overlap_figures f;
    csspgo_status s;
    size_t n = 0;
    int ok = 1;
    if ((differ & CSSPGO_IS_PROBE) == 0) numberings_agree(v->tool, v->path[0], base, v->path[1], test);
    else if (v->contextual[0] || v->contextual[1])
        return fail(v->tool, "cannot compare a profile by %s with one by %s; see --profiled-binary", base, test), 0;
    if (v->o[V_QUALITY].number) return overlap_quality(v);
    if (differ & CSSPGO_IS_PROBE)
        return fail(v->tool, "cannot compare probe-based profile with non-probe-based profile"), 0;
    if (differ & CSSPGO_IS_CS) return fail(v->tool, "cannot compare CS profile with non-CS profile"), 0;
    row = (csspgo_overlap_row *)malloc((most + 1) * sizeof *row);
    s = row != NULL ? csspgo_overlap(v->p[0], v->p[1], &how, &f, row, most, &n, NULL) : CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK) ok = (fail(v->tool, "%s", csspgo_status_text(s)), 0);
    v->empty = s == CSSPGO_OK && (f.base_samples == 0 || f.test_samples == 0);
    if (s == CSSPGO_OK) v->overlap = f.normalized * 100;
    if (s == CSSPGO_OK && v->o[V_JSON].number) ok = overlap_json(v, &f, row, v->empty ? 0 : n);
    else if (s == CSSPGO_OK && csspgo_write_overlap(v->p[1], &f, row, n, &table, v->out, NULL) != CSSPGO_OK)
        ok = (fail(v->tool, "out of memory"), 0);
    free(row);
    return ok;
}

/* Makes profile i of its open file, with names for a contextual one. Returns 0 after saying what is wrong. */
static int overlap_take(overlap *v, int i, file_bytes *f, reading *how)
{
    const csspgo_profile *other = v->p[1 - i];
    int fatal;
    if (other != NULL && is_contextual(v->tool, f)) {
        names_profile(how->names, other);
        if (!names_sort(v->tool, how->names)) return file_close(f), 0;
    }
    v->p[i] = profile_of(v->tool, v->path[i], f, how, &fatal);
    v->contextual[i] = how->contextual;
    return v->p[i] != NULL;
}

/* Reads both, a contextual BASE behind TEST, which may have names for it. Returns 0 after saying what is wrong. */
static int overlap_read(overlap *v)
{
    reading how = reading_make(&v->o[V_ISFS], &v->o[V_PASS]);
    name_table names;
    file_bytes base, test;
    int ok = 1, held = 0;
    memset(&names, 0, sizeof names);
    how.names = &names;
    if (!v->tool->compat) ok = names_open(v->tool, &names, &v->o[V_NAMES], &v->o[V_PROFILED], 1);
    ok = ok && profile_open(v->tool, v->path[0], &how, &base);
    if (ok) held = is_contextual(v->tool, &base);
    if (ok && !held) ok = overlap_take(v, 0, &base, &how);
    ok = ok && profile_open(v->tool, v->path[1], &how, &test) && overlap_take(v, 1, &test, &how);
    if (held && ok) ok = overlap_take(v, 0, &base, &how);
    else if (held) file_close(&base);
    names_free(&names);
    return ok;
}

/* The exit status once all is printed. */
static int overlap_worth(const overlap *v)
{
    const option *least = &v->o[V_LEAST];
    if (v->empty && !v->tool->compat)
        return hopeless(v->tool, "%s and %s: nothing to compare, one of them is empty", v->path[0], v->path[1]);
    if (v->overlap >= option_percent(least)) return 0;
    return missed(v->tool, "%s and %s: the overlap is %.3f%% of normalized counts, less than --min-overlap=%s",
                  v->path[0], v->path[1], v->overlap, least->text);
}

static int overlap_main(tool_context *tool, int argc, char **argv)
{
    overlap v;
    output out;
    int files, ok, status;
    memset(&v, 0, sizeof v);
    v.tool = tool;
    files = options_parse(tool, overlap_options, argc, argv);
    v.o = tool->o;
    if (files < 0) return usage_status(tool);
    if (files != 2) return usage(tool, "overlap compares two profiles: BASE TEST");
    v.path[0] = argv[0];
    v.path[1] = argv[1];
    if (!output_spares(tool, v.o[V_OUTPUT].text, argv[0]) || !output_spares(tool, v.o[V_OUTPUT].text, argv[1]))
        return usage_status(tool);
    v.out = stream_begin(tool, &out, v.o[V_OUTPUT].text);
    if (v.out == NULL) return 1;
    ok = overlap_read(&v) && overlap_print(&v);
    csspgo_profile_free(v.p[0]);
    csspgo_profile_free(v.p[1]);
    status = stream_end(tool, &out, v.o[V_OUTPUT].text, ok);
    return status != 0 ? status : overlap_worth(&v);
}

const command overlap_command = {
    "overlap", overlap_main, overlap_options, NULL,
    "csspgo overlap [options] BASE TEST\n",
    "tells how much two profiles have in common",
    "Contextual profiles (.ctxprof: bitstreams, YAML, dumps) are read as profiles with contexts whose samples are the "
    "counts: the counters of a context and, at each call, the entries of the callees. All figures mean what they mean "
    "for samples. Their functions have GUIDs, and names if another profile, --names or --profiled-binary has these.\n"
};
