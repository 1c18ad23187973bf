/* merge.c - the command merge: options, writing */
#include "views.h"
#include "../shared/limit.h"

static const option merge_options[] = {
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where the profile is written; - is standard output, the default"),
    OPTION("output-form", OPT_LATER, NULL, 0, NULL, NULL),   /* set by --text, --binary ... */
    OPTION("weighted-input", OPT_LIST, NULL, 0, "N,FILE", "an input whose counts are multiplied by N"),
    OPTION("input-files", OPT_TEXT, NULL, 0, "FILE",
           "a file with the names of inputs, one a line: [N,]FILE; N multiplies their counts"),
    OPTION("dump-input-file-list", OPT_SWITCH, NULL, 0, NULL, "prints the names of all inputs instead"),
    OPTION("failure-mode", OPT_CHOICE, "any|all|warn", 0, NULL,
           "what happens if an input is bad or does not fit the others. any: merging stops; all: it goes on without "
           "the input and ends with status 3; warn: it goes on"),
    OPTION("prof-sym-list", OPT_TEXT, NULL, 0, "FILE", "symbols to list in an ExtBinary profile, one a line"),
    OPTION("drop-profile-symbol-list", OPT_SWITCH, NULL, 0, NULL, "leaves out the symbol lists of the inputs"),
    OPTION("use-md5", OPT_SWITCH, NULL, 0, NULL, "writes GUIDs instead of names"),
    OPTION("compress-all-sections", OPT_SWITCH, NULL, 0, NULL, "compresses all sections; needs a build with zlib"),
    OPTION("gen-partial-profile", OPT_SWITCH, NULL, 0, NULL,
           "marks the profile as covering only a part of the program"),
    OPTION("split-layout", OPT_SWITCH, NULL, 0, NULL,
           "ExtBinary: puts functions without inlinees in sections of their own; text: marks them, for newer LLVM"),
    EXTBINARY_NEWER,
    OPTION("md5-indexed-tables", OPT_SWITCH, NULL, 0, NULL,
           "writes GUIDs, with tables in which the main branch of LLVM finds a function without reading the others"),
    OPTION("md5-prof-sym-list", OPT_SWITCH, NULL, 0, NULL, "the symbol list as GUIDs, for LLVM's main branch"),
    OPTION("convert-sample-profile-layout", OPT_CHOICE, "none|nest|flat", 0, NULL,
           "nest: contexts become inlinees; flat: no contexts and no inlinees"),
    OPTION("gen-cs-nested-profile", OPT_SWITCH, NULL, 0, NULL, "the same as --convert-sample-profile-layout=nest"),
    OPTION("generate-merged-base-profiles", OPT_SWITCH, NULL, 0, NULL,
           "a nested inlinee also counts in its own function"),
    OPTION("sample-merge-cold-context", OPT_SWITCH, NULL, 0, NULL, "merges cold contexts into shorter ones"),
    OPTION("sample-trim-cold-context", OPT_SWITCH, NULL, 0, NULL, "removes cold contexts"),
    OPTION("sample-frame-depth-for-cold-context", OPT_COUNT, NULL, 1, "N",
           "how many frames the shorter contexts of --sample-merge-cold-context keep"),
    OPTION("profile-summary-cold-count", OPT_COUNT, NULL, 0, "N",
           "a context is cold up to this count, whatever the cutoff"),
    OPTION("profile-summary-cutoff-cold", OPT_COUNT, NULL, 999999, "PPM",
           "the counts beyond this share of the sum are cold"),
    OPTION("compress-recursion", OPT_NUMBER, NULL, 0, "N",
           "folds cycles of up to N frames in contexts; -1: any cycle"),
    OPTION("function", OPT_TEXT, NULL, 0, "REGEX", "keeps only functions whose context matches"),
    OPTION("no-function", OPT_TEXT, NULL, 0, "REGEX", "removes functions whose context matches"),
    OPTION("remapping-file", OPT_TEXT, NULL, 0, "FILE", "renames functions: OLD NEW, one pair a line"),
    OPTION("output-size-limit", OPT_COUNT, NULL, 0, "BYTES", "drops the coldest functions until the output fits"),
    OPTION("gcov-version", OPT_CHOICE, GCOV_VERSIONS, GCOV_DEFAULT, NULL,
           "version of GCC's form: as LLVM reads it, for GCC up to 11, for GCC 12 to 15, or for GCC 16, with source "
           "files of functions and times of their first samples"),
    OPTION("profile-isfs", OPT_SWITCH, NULL, 0, NULL, "discriminators are flow-sensitive, whatever the profile says"),
    OPTION("fs-discriminator-pass", OPT_CHOICE, pass_names, PASSES - 1, NULL,
           "keeps the bits of discriminators that passes up to this one set"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    OPTION("names", OPT_LIST, NULL, 0, "FILE", "names of functions that are GUIDs in the profile, one a line"),
    OPTION("profiled-binary", OPT_LIST, NULL, 0, "FILE",
           "the instrumented program of a contextual profile: its names, and where each block has a counter also "
           "checksums and probes"),
    OPTION("mix", OPT_CHOICE, "combine|add", 0, NULL,
           "how contextual inputs are added to samples. combine: contexts that have exact counts have only these, "
           "others have their samples, scaled by the contexts that had both; add: both are summed as they are"),
    OPTION("max-skipped", OPT_COUNT, NULL, 0, "N",
           "status 3 if more inputs than this were left out; by default none may be left out with "
           "--failure-mode=all, any number with warn"),
    OPTION("max-dropped", OPT_PERCENT, NULL, 0, "PERCENT",
           "status 3 if a larger share of the samples is lost because checksums differ"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "prints what was merged as JSON on standard output"),
    NUM_THREADS("read profiles", "the inputs have"),
    ALLOW_EMPTY,
    OPTION("text", OPT_SET, "output-form", CSSPGO_TEXT, NULL, "form of the output: text"),
    OPTION("binary", OPT_SET, "output-form", CSSPGO_BINARY, NULL, "form of the output: raw binary"),
    OPTION("extbinary", OPT_SET, "output-form", CSSPGO_EXTBINARY, NULL, "form of the output: ExtBinary, the default"),
    OPTION("gcc", OPT_SET, "output-form", CSSPGO_GCOV, NULL, "form of the output: GCC's"),
    OPTION("ctxprof", OPT_SET, "output-form", MERGE_CONTEXTUAL, NULL,
           "form of the output: contextual (version 4), from contextual inputs only; also if the name of the output "
           "ends in .ctxprof. csspgo ctxprof merge writes the other versions"),
    OPTION("f", OPT_ALIAS, "input-files", 0, NULL, NULL),
    OPTION("r", OPT_ALIAS, "remapping-file", 0, NULL, NULL),
    OPTION("j", OPT_ALIAS, "num-threads", 0, NULL, NULL),
    PROFDATA_COMMON,
    DEBUG_DIRECTORY,
    /* LLVM takes these too; on sample profiles they do nothing. */
    OPTION("sparse", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("keep-vtable-symbols", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("memprof-full-schema", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("instr-prof-cold-threshold", OPT_COUNT, NULL, 0, NULL, NULL),
    OPTION("max-debug-info-correlation-warnings", OPT_COUNT, NULL, 0, NULL, NULL),
    OPTION("memprof-version", OPT_COUNT, NULL, 0, NULL, NULL),
    OPTION("suppl-min-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL),
    OPTION("temporal-profile-max-trace-length", OPT_COUNT, NULL, 10000, "N",
           "instrumentation profiles, whose traces and counters merge adds up: how many functions of each trace are "
           "kept"),
    OPTION("temporal-profile-trace-reservoir-size", OPT_COUNT, NULL, 100, "N",
           "instrumentation profiles: how many traces are kept"),
    OPTION("zero-counter-threshold", OPT_TEXT, NULL, 0, NULL, NULL),
    OPTION("eytzinger-tables", OPT_ALIAS, "md5-indexed-tables", 0, NULL, NULL),   /* its earlier names in LLVM */
    OPTION("sample-profile-write-eytzinger-name-tables", OPT_ALIAS, "md5-indexed-tables", 0, NULL, NULL),
    OPTION("memprof-random-hotness", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("memprof-random-hotness-seed", OPT_COUNT, NULL, 0, NULL, NULL),
    OPTION("random-seed", OPT_COUNT, NULL, 0, "N", "determines which traces are kept"),
    OPTION("write-prev-version", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("extbinary-profile-type-buffer-limit", OPT_COUNT, NULL, 0, NULL, NULL),
    OPTION("debuginfod", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("correlate", OPT_TEXT, NULL, 0, NULL, NULL),
    OPTION("binary-file", OPT_LATER, NULL, 0, NULL, NULL),
    OPTION("debug-info", OPT_LATER, NULL, 0, NULL, NULL),
    OPTION("supplement-instr-with-sample", OPT_LATER, NULL, 0, NULL, NULL),
    OPTION("compbinary", OPT_LATER, NULL, 0, NULL, NULL),
    OPTIONS_END
};

/* ----- merge: writing --------------------------------------------------------------------------------------------- */

/* 1 if the profile has the pre-inliner's mark and nothing else that shows it. */
static int merge_mark_alone(csspgo_profile *p)
{
    csspgo_node n;
    if (!(csspgo_profile_flags(p) & CSSPGO_IS_PREINLINED)) return 0;
    for (n.id = 2; n.id <= csspgo_node_count(p) + 1; n.id++)
        if (csspgo_attributes(p, n) & CSSPGO_SHOULD_BE_INLINED) return 0;
    return 1;
}

/* Says what other forms than ExtBinary have no place for and lose, rather than refuse. */
static void merge_losses(merge *m, uint32_t form)
{
    const uint32_t flags = csspgo_profile_flags(m->p);
    char what[200] = "";
    csspgo_func f;
    if (flags & CSSPGO_IS_FS) strcat(what, ", that discriminators are flow-sensitive");
    if (flags & CSSPGO_IS_PARTIAL) strcat(what, ", that the profile is partial");
    if (flags & CSSPGO_IS_MD5) strcat(what, ", that names are GUIDs");
    if (merge_mark_alone(m->p)) strcat(what, ", the pre-inliner's mark");
    if (what[0] != '\0' && !m->tool->compat)
        warn(m->tool, "%s does not carry%s",
             form == CSSPGO_TEXT ? "text" : form == CSSPGO_BINARY ? "raw binary" : "GCC's form", what + 1);
    for (f.id = 1; f.id <= csspgo_func_count(m->p); f.id++)
        if (csspgo_is_listed(m->p, f)) {
            warn(m->tool, "Profile Symbol list is not empty but the output format is not ExtBinary format. "
                 "The list will be lost in the output. ");
            break;
        }
}

/* 1 if the list of symbols has a GUID that no name is known of: it can only be written as GUIDs again. */
static int merge_lists_guids(const merge *m)
{
    csspgo_func f;
    size_t size;
    for (f.id = 1; f.id <= csspgo_func_count(m->p); f.id++)
        if (csspgo_is_listed(m->p, f) && csspgo_func_name(m->p, f, &size) == NULL) return 1;
    return 0;
}

/* The form with what is added to it; says what does not apply. */
static uint32_t merge_form(merge *m)
{
    static const struct { int option; uint32_t bit; const char *name; } added[] = {
        { M_COMPRESS, CSSPGO_COMPRESS, "-compress-all-section" }, { M_MD5, CSSPGO_MD5, "-use-md5" },
        { M_PARTIAL, CSSPGO_PARTIAL, "-gen-partial-profile" }, { M_SPLIT, CSSPGO_SPLIT, "-split-layout" },
        { M_COMPOSITE, CSSPGO_COMPOSITE, "-extbinary-composite-prof" },
        { M_INDEXED, CSSPGO_INDEXED, "-md5-indexed-tables" },
        { M_MD5_SYMBOLS, CSSPGO_MD5_SYMBOLS, "-md5-prof-sym-list" },
        { M_VERSION, 0, "-sample-profile-format-version" }
    };
    uint32_t form = (uint32_t)m->o[M_FORM].number;
    const int ext = form == CSSPGO_EXTBINARY;
    size_t i;
    if (!ext) merge_losses(m, form);
    for (i = 0; i < sizeof added / sizeof *added; i++) {
        if (!m->o[added[i].option].number) continue;
        if (ext || (form == CSSPGO_TEXT && added[i].bit == CSSPGO_SPLIT)) form |= added[i].bit;
        else warn(m->tool, "%s is ignored. Specify -extbinary to enable it", added[i].name);
    }
    if (ext) form |= extbinary_newer(m->tool, &m->o[M_VERSION]);
    if (ext && merge_lists_guids(m)) form |= CSSPGO_MD5_SYMBOLS;
    if (form == CSSPGO_GCOV) form = gcov_form((int)m->o[M_GCOV_VERSION].number);
    return form;
}

static int merge_write_failed(const merge *m, const csspgo_error *e)
{
    const char *path = m->o[M_OUTPUT].text;
    if (e->status == CSSPGO_E_UNSUPPORTED && m->tool->compat)
        return fail(m->tool, "%s: Profile encoding format unsupported for writing operations", path);
    return fail(m->tool, "%s: %s", path, plain(e));
}

/* Writes what fits of a profile that is too large. Returns the exit status. */
static int merge_write_limited(merge *m, uint32_t form, uint64_t limit)
{
    const char *path = m->o[M_OUTPUT].text;
    unsigned char *bytes;
    size_t size = 0;
    csspgo_error e;
    output o;
    FILE *out;
    int status = 1;
    if (write_limited(m->p, form, limit, m->tool->compat, &bytes, &size, &e) == CSSPGO_OK) status = 0;
    else if (e.status == CSSPGO_E_LIMIT) fail(m->tool, "Too much profile data");
    else merge_write_failed(m, &e);
    out = status == 0 ? stream_begin(m->tool, &o, path) : NULL;
    if (out == NULL) status = 1;
    else fwrite(bytes, 1, size, out), status = stream_end(m->tool, &o, path, 1);
    free(bytes);
    return status;
}

static int merge_write(merge *m)
{
    const char *path = m->o[M_OUTPUT].text;
    const uint64_t limit = (uint64_t)m->o[M_SIZE].number;
    const int refused = m->tool->compat && m->o[M_FORM].number == CSSPGO_BINARY &&   /* LLVM does so before it warns */
                        csspgo_profile_flags(m->p) & (CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    const uint32_t form = refused ? CSSPGO_BINARY : merge_form(m);
    const int keeps = (form & (CSSPGO_V105 | CSSPGO_COMPOSITE)) != 0;
    csspgo_error e;
    size_t size = 0;
    blocks_lost(m->tool, path, csspgo_skipped_blocks(m->p) - (keeps ? csspgo_kept_blocks(m->p) : 0));
    memset(&e, 0, sizeof e);
    e.status = CSSPGO_E_UNSUPPORTED;
    if (m->tool->compat && (form & 0xff) == CSSPGO_GCOV) return merge_write_failed(m, &e);
    if (limit != 0 && csspgo_write(m->p, form, NULL, 0, &size, &e) != CSSPGO_OK) return merge_write_failed(m, &e);
    if (limit != 0 && (size > limit || (m->tool->compat && csspgo_record_count(m->p) == 0)))
        return merge_write_limited(m, form, size > limit ? limit : size);
    return write_profile(m->p, path, form, &e) == CSSPGO_OK ? 0 : merge_write_failed(m, &e);
}

/* Returns 0 after refusing an output that would replace an input. LLVM's tool writes where it has read. */
static int merge_spares(const merge *m)
{
    const char *path = m->o[M_OUTPUT].text;
    size_t i;
    for (i = 0; i < m->inputs && !m->tool->compat; i++)
        if (!output_spares(m->tool, path, m->input[i].path)) return 0;
    return m->tool->compat ||
           (output_spares(m->tool, path, m->o[M_LIST].text) && output_spares(m->tool, path, m->o[M_SYMBOLS].text) &&
            output_spares(m->tool, path, m->o[M_REMAP].text));
}

/* The form of the output if no option says it: by its name. */
static int merge_default_form(const merge *m)
{
    const char *dot = strrchr(m->o[M_OUTPUT].text, '.');
    return !m->tool->compat && dot != NULL && strcmp(dot, ".ctxprof") == 0 ? MERGE_CONTEXTUAL : CSSPGO_EXTBINARY;
}

/* --json: what was read and written. */
static void merge_json(const merge *m)
{
    static const char *const forms[] = { "text", "binary", "extbinary", "gcc" };
    const uint32_t form = (uint32_t)m->o[M_FORM].number;
    json j = json_to(m->tool->out);
    json_begin(&j, NULL, '{');
    json_text(&j, "output", m->o[M_OUTPUT].text);
    json_text(&j, "form", form == CSSPGO_TEXT ? forms[0] : form == CSSPGO_BINARY ? forms[1]
                          : form == CSSPGO_EXTBINARY ? forms[2] : forms[3]);
    json_count(&j, "inputs", m->inputs);
    json_count(&j, "skipped", m->skipped);
    json_count(&j, "functions", profile_functions(m->p));
    json_count(&j, "records", csspgo_record_count(m->p));
    json_count(&j, "samples", profile_samples(m->p));
    json_count(&j, "dropped_samples", m->dropped);
    json_end(&j);
}

/* The exit status once all is written. */
static int merge_worth(const merge *m, uint64_t samples)
{
    const option *most = &m->o[M_MAX_DROPPED];
    const double lost = percent(m->dropped, sum_of(samples, m->dropped));
    if (!m->tool->compat && is_blank(m->p))
        return hopeless(m->tool, "%s: the profile is empty", m->o[M_OUTPUT].text);
    if (merge_skipped(m))
        return missed(m->tool, "%zu input%s left out", m->skipped, m->skipped == 1 ? " was" : "s were");
    if (most->text == NULL || lost <= option_percent(most)) return 0;
    return missed(m->tool, "%.2f%% of the samples are lost as checksums differ, more than --max-dropped=%s", lost,
                  most->text);
}

/* Returns the exit status. */
static int merge_run(merge *m)
{
    csspgo_status s;
    uint64_t samples;
    if (m->o[M_JSON].number && !json_goes(m->tool, m->o[M_OUTPUT].text, "the profile")) return usage_status(m->tool);
    if (!merge_spares(m)) return usage_status(m->tool);
    if (!output_ready(m->tool, m->o[M_OUTPUT].text)) return 1;
    if (m->o[M_FORM].number == MERGE_CONTEXTUAL) return merge_contextual(m);
    if (m->inputs != 0 && is_traces(m->input[0].path)) return merge_traces(m);
    m->remaps = m->o[M_REMAP].text != NULL && *m->o[M_REMAP].text != '\0';
    if (m->remaps && !merge_read_renames(m, m->o[M_REMAP].text)) return 1;
    if (!merge_read(m)) return m->usage != 0 ? m->usage : 1;
    samples = m->o[M_MAX_DROPPED].text != NULL ? profile_samples(m->p) : 0;
    s = merge_shape(m);
    if (s != CSSPGO_OK) return fail(m->tool, "%s", csspgo_status_text(s));
    if (!merge_filter(m) || !merge_symbols(m) || merge_write(m) != 0) return 1;
    if (m->o[M_JSON].number) merge_json(m);
    return merge_worth(m, samples);
}

static int merge_main(tool_context *tool, int argc, char **argv)
{
    name_table names;
    merge m;
    int files, status = 0;
    size_t i;
    memset(&names, 0, sizeof names);
    memset(&m, 0, sizeof m);
    m.tool = tool;
    m.names = &names;
    files = options_parse(tool, merge_options, argc, argv);
    m.o = tool->o;
    if (files >= 0 && m.o[M_FORM].number == 0) m.o[M_FORM].number = merge_default_form(&m);
    if (files < 0) status = usage_status(tool);
    else if (m.o[M_COLD_FRAMES].number == 0)
        status = usage(tool, "--sample-frame-depth-for-cold-context=0 would leave no frame");
    else if (!merge_inputs(&m, files, argv)) status = m.usage != 0 ? m.usage : 1;
    else if (m.inputs + m.skipped == 0 && files > 0 && !tool->compat)
        status = usage(tool, "%s: the directory has no files", argv[0]);
    else if (m.inputs + m.skipped == 0)
        status =
            usage(tool, "no input files specified. See %s merge -help",
                  tool->compat == 19 ? "llvm-profdata-19" : tool->compat ? "llvm-profdata" : "csspgo");
    else if (m.o[M_DUMP].number)
        for (i = 0; i < m.inputs; i++) printf("%" PRIu64 ",%s\n", m.input[i].weight, m.input[i].path);
    else status = merge_run(&m);
    for (i = 0; i < m.inputs; i++) free(m.input[i].path), file_close(&m.input[i].file);
    names_free(&names);
    free(m.input);
    free(m.rename);
    file_close(&m.remap);
    csspgo_profile_free(m.p);
    return status;
}

const command merge_command = {
    "merge", merge_main, merge_options, NULL,
    "csspgo merge [options] PROFILE... [-o FILE]\n",
    "adds up profiles, and converts between their forms",
    "PROFILE may be text, binary, ExtBinary, CompactBinary or GCC's form. If it is a directory, all files in it are "
    "inputs.\n"
    "Contextual profiles (.ctxprof: bitstreams, YAML, dumps) "
    "are read as profiles with contexts whose samples are the counts. Their functions have GUIDs, and names if another "
    "profile, --names or --profiled-binary has these.\n"
};
