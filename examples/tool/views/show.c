/* show.c - the command show */
#include "views.h"
#include "../shared/recording.h"

static const option show_options[] = {
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where the output goes; standard output is the default"),
    OPTION("all-functions", OPT_SWITCH, NULL, 0, NULL, "all functions, the default without --function"),
    OPTION("function", OPT_TEXT, NULL, 0, "NAME", "only this function"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL,
           "prints JSON: an array of functions, as LLVM does, or an object if more is asked for"),
    OPTION("show-format", OPT_CHOICE, "text|json|yaml", 0, NULL,
           "json: the same as --json; yaml is for LLVM's other kinds of profiles"),
    OPTION("detailed-summary", OPT_SWITCH, NULL, 0, NULL, "also the counts of functions and samples by hotness"),
    OPTION("hot-func-list", OPT_SWITCH, NULL, 0, NULL, "also the hot functions"),
    OPTION("topn", OPT_COUNT, NULL, 0, "N", "also the N hottest functions"),
    OPTION("show-prof-sym-list", OPT_SWITCH, NULL, 0, NULL, "also the list of symbols of an ExtBinary profile"),
    OPTION("show-sec-info-only", OPT_SWITCH, NULL, 0, NULL, "instead: the sections of an ExtBinary profile"),
    OPTION("show-composite-info-only", OPT_SWITCH, NULL, 0, NULL,
           "instead: the blocks of each record of a composite profile"),
    OPTION("contexts", OPT_MAYBE, NULL, -1, "DEPTH",
           "instead: the tree of contexts with each one's share of the samples"),
    OPTION("profile-isfs", OPT_SWITCH, NULL, 0, NULL,
           "takes discriminators as flow-sensitive, whatever the profile says"),
    OPTION("fs-discriminator-pass", OPT_CHOICE, pass_names, PASSES - 1, NULL,
           "keeps the bits of discriminators that were set by passes up to this one"),
    OPTION("names", OPT_LIST, NULL, 0, "FILE", "names of functions that are GUIDs in the profile, one a line"),
    OPTION("profiled-binary", OPT_LIST, NULL, 0, "FILE",
           "the instrumented program of a contextual profile: gives names and, if each block has a counter, "
           "checksums and probes"),
    OPTION("summary", OPT_SWITCH, NULL, 0, NULL, "instead: the counts of functions and samples by hotness"),
    OPTION("top", OPT_COUNT, NULL, 0, "N", "instead: the N hottest functions"),
    NO_DEMANGLE,
    PROFDATA_COMMON,
    DEBUG_DIRECTORY,
    OPTION("binary", OPT_ALIAS, "profiled-binary", 0, NULL, NULL),
    SAMPLE_FILTERS,
    SAMPLE_FILTERS_MORE,
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    /* LLVM takes these too; on sample profiles they do nothing. */
    OPTION("detailed-summary-cutoffs", OPT_TEXT, NULL, 0, NULL, NULL),
    OPTION("value-cutoff", OPT_COUNT, NULL, 0, NULL, NULL),
    OPTION("profile-summary-cold-count", OPT_COUNT, NULL, 0, "N",
           "a context is cold up to this count, whatever the cutoff"),
    OPTION("profile-summary-cutoff-cold", OPT_COUNT, NULL, 0, "PPM",
           "the counts beyond this share of the sum are cold"),
    OPTION("generate-merged-base-profiles", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("counts", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("covered", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("binary-ids", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("ic-targets", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("list-below-cutoff", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("memop-sizes", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("profile-version", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("show-vtables", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("showcs", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("temporal-profile-traces", OPT_SWITCH, NULL, 0, NULL,
           "instead: the temporal traces of an instrumentation profile, which order takes"),
    OPTION("text", OPT_IGNORED, NULL, 0, NULL, NULL),
    OPTION("memory", OPT_LATER, "0", 0, NULL, NULL),
    OPTION("debug-info", OPT_LATER, NULL, 0, NULL, NULL),
    OPTION("max-debug-info-correlation-warnings", OPT_COUNT, NULL, 0, NULL, NULL),
    DEMANGLER,
    OPTIONS_END
};

/* The next inlinee after n below top, in any order; id 0 at the end. */
static csspgo_node next_nested(csspgo_profile *p, csspgo_node top, csspgo_node n)
{
    csspgo_node next = csspgo_node_first_child(p, n);
    for (;;) {
        while (next.id != 0 && csspgo_node_kind_of(p, next) != CSSPGO_INLINEE) next = csspgo_node_next_sibling(p, next);
        if (next.id != 0 || n.id == top.id) return next;
        next = csspgo_node_next_sibling(p, n);
        n = csspgo_node_parent(p, n);
    }
}

/*
 * Keeps the contexts of one function, with what is nested in them, if it has any: to put a whole profile in order for
 * the sake of one function takes a third of the time that reading it does. Returns 0: out of memory.
 */
static int show_only(show *s, csspgo_func *only)
{
    csspgo_profile *p = s->p, *q = profile_new(s->tool);
    csspgo_status status = q != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    const csspgo_func f = *only;
    csspgo_node top, n;
    for (top = csspgo_func_nodes(p, f); top.id != 0; top = csspgo_node_next_same(p, top)) {
        if (csspgo_node_kind_of(p, top) == CSSPGO_INLINEE || !csspgo_has_record(p, top)) continue;
        for (n = top; n.id != 0 && status == CSSPGO_OK; n = next_nested(p, top, n))
            if (csspgo_has_record(p, n)) status = record_masked(q, p, n, UINT32_MAX);
    }
    if (status == CSSPGO_OK && csspgo_record_count(q) != 0) {
        csspgo_profile_set_flags(q, csspgo_profile_flags(p));
        *only = func_copy(q, p, f);
        s->p = q;
        q = p;
    }
    csspgo_profile_free(q);
    return status == CSSPGO_OK || (fail(s->tool, "%s", csspgo_status_text(status)), 0);
}

/* 1: no functions, only what else is asked for. */
static int show_wants_only(const option *o)
{
    return o[S_ONLY].number || o[S_TOP].number;
}

/* JSON: the functions as LLVM has them, an array; if more is asked for, an object of these. LLVM prints text then. */
static int show_as_json(show *s, int others, csspgo_func one)
{
    const int only = show_wants_only(s->o), object = others && !s->tool->compat;
    if (object) putc('{', s->out);
    if (object && !only) fputs("\n  \"functions\": ", s->out);
    if (!only && !(object && one.id != 0 ? show_json_of(s, one) : show_json(s))) return 0;
    if (!object) putc('\n', s->out);
    if (!show_others(s, object, only)) return 0;
    if (object) fputs("\n}\n", s->out);
    return 1;
}

/* Prepares JSON of one function; if that is all, only it is kept. Returns 0 after saying why not. */
static int show_json_one(show *s, csspgo_func one, const char *name, int others)
{
    csspgo_node n = csspgo_func_nodes(s->p, one);
    if (s->tool->compat)
        return fail(s->tool, "the JSON format is supported only when all functions are to be printed"), 0;
    if (show_wants_only(s->o)) return 1;
    while (n.id != 0 && (csspgo_node_kind_of(s->p, n) == CSSPGO_INLINEE || !csspgo_has_record(s->p, n)))
        n = csspgo_node_next_same(s->p, n);
    if (n.id == 0) return fail(s->tool, "'%s' is only inlined in others: JSON has it with --contexts", name), 0;
    return others || show_only(s, &one);
}

static int show_print(show *s, const reading *how)
{
    const option *o = s->o;
    const char *name = o[S_FUNCTION].text != NULL && *o[S_FUNCTION].text != '\0' ? o[S_FUNCTION].text : NULL;
    const int json = o[S_JSON].number || o[S_FORMAT].number == 1;
    const int others = show_wants_hot(o) || o[S_SYMBOLS].number || o[S_SUMMARY].number || o[S_ONLY].number;
    csspgo_func one;
    one.id = 0;
    if (o[S_CONTEXTS].text != NULL && name != NULL) warn(s->tool, "--function has no effect with --contexts");
    if (o[S_CONTEXTS].text != NULL) return show_contexts(s, how, json);
    if (o[S_ALL].number) name = NULL;
    if (json && name != NULL && s->tool->compat) return show_json_one(s, one, name, others);
    if (name != NULL && (one = func_meant(s->tool, s->p, name)).id == 0 && !s->tool->compat) return 0;
    if (json && name != NULL && !show_json_one(s, one, name, others)) return 0;
    if (!json && name != NULL && !others && !show_only(s, &one)) return 0;
    if ((name == NULL || json || show_wants_hot(o) || one.id != 0) && !show_list(s)) return 0;
    if (json) return show_as_json(s, others, one);
    if (!show_wants_only(o) && (name == NULL ? !show_all(s) : !show_one(s, one, name))) return 0;
    return show_others(s, 0, 0);
}

/*
 * A recording: its contexts, or for a list of functions what each of them has, as one count. p: NULL after saying what
 * is wrong.
 */
static csspgo_profile *show_recording(const show *s, csspgo_profile *p)
{
    csspgo_status status = CSSPGO_OK;
    csspgo_node n;
    if (p == NULL || s->o[S_CONTEXTS].text != NULL) return p;
    status = csspgo_flatten(p, NULL);
    for (n = csspgo_node_first_child(p, csspgo_root(p)); n.id != 0 && status == CSSPGO_OK;
         n = csspgo_node_next_sibling(p, n))
        status = csspgo_add_body(p, n, csspgo_loc_at(0, 0), csspgo_total(p, n));
    if (status == CSSPGO_OK) return p;
    csspgo_profile_free(p);
    return fail(s->tool, "%s", csspgo_status_text(status)), NULL;
}

/* Reads a profile, or a recording. NULL after saying what is wrong. */
static csspgo_profile *show_read(const show *s, const char *path, reading *how)
{
    file_bytes f;
    csspgo_profile *p = NULL;
    int fatal;
    if (!profile_open(s->tool, path, how, &f)) return NULL;
    if (!picture_is(s->tool, &f)) return profile_of(s->tool, path, &f, how, &fatal);
    if (s->o[S_TOP].number || s->o[S_CONTEXTS].text != NULL) p = picture_read(s->tool, path, &f);
    else if (picture_holds(s->tool, path, &f))
        fail(s->tool, "%s: this is a recording: show has --top=N and --contexts of it; profgen makes a profile", path);
    file_close(&f);
    return show_recording(s, p);
}

static int show_file(show *s, const char *path)
{
    reading how = reading_make(&s->o[S_ISFS], &s->o[S_PASS]);
    name_table names;
    int ok;
    memset(&names, 0, sizeof names);
    how.names = &names;
    how.files = 1;
    if (s->tool->compat || names_open(s->tool, &names, &s->o[S_NAMES], &s->o[S_PROFILED], 1))
        s->p = show_read(s, path, &how);
    ok = s->p != NULL && show_print(s, &how);
    names_free(&names);
    free(s->row);
    free(s->target);
    csspgo_profile_free(s->p);
    return ok;
}

/*
 * Refuses two options that each replace the list of functions, and a list of no functions. LLVM's tool has only one of
 * these options. Returns 0 after saying what is wrong.
 */
static int show_agrees(const show *s)
{
    const int instead[] = { S_ONLY, S_TOP, S_CONTEXTS, S_SECTIONS, S_BLOCKS };
    const option *first = NULL;
    size_t i;
    if (s->tool->compat && s->o[S_SECTIONS].number && s->o[S_BLOCKS].number)
        return fail(s->tool, "-show-sec-info-only and -show-composite-info-only cannot be used together"), 0;
    if (s->tool->compat) return 1;
    if (s->o[S_TOP].given && s->o[S_TOP].number == 0)
        return usage(s->tool, "--top: 0 functions are nothing to show"), 0;
    if (s->o[S_BLOCKS].number && s->o[S_JSON].number)
        return usage(s->tool, "--show-composite-info-only has no JSON"), 0;
    if (s->o[S_JSON].number && s->o[S_FORMAT].given && s->o[S_FORMAT].number == 0)
        return usage(s->tool, "--json or --show-format=text, not both"), 0;
    for (i = 0; i < sizeof instead / sizeof *instead; i++) {
        const option *const o = &s->o[instead[i]];
        if (!o->given || (o->kind == OPT_SWITCH && o->number == 0)) continue;
        if (first != NULL)
            return usage(s->tool, "--%s or --%s, not both: each is shown alone", first->name, o->name), 0;
        first = o;
    }
    return 1;
}

/* LLVM's words for an output that is the input. Returns the exit status. */
static int show_same(const tool_context *tool)
{
    fprintf(tool->err, "llvm-profdata%s show: Input file name cannot be the same as the output file name!\n",
            tool->compat == 19 ? "-19" : "");
    return 1;
}

static int show_main(tool_context *tool, int argc, char **argv)
{
    show s;
    const char *path;
    output out;
    int files, ok, json;
    memset(&s, 0, sizeof s);
    s.tool = tool;
    files = options_parse(tool, show_options, argc, argv);
    s.o = tool->o;
    if (files < 0) return usage_status(tool);
    if (files > 1) return usage(tool, "one profile only, not '%s' too", argv[1]);
    if (files == 0 && tool->compat)
        return fail(tool, "the positional argument '<profdata-file>' is required unless '--debug-info' is provided");
    if (files == 0) return usage(tool, "which profile?");
    if (!show_agrees(&s)) return usage_status(tool);
    path = s.o[S_OUTPUT].text;
    if (tool->compat && (strcmp(argv[0], path) == 0 || (strcmp(path, "-") != 0 && output_is_input(path, argv[0]))))
        return show_same(tool);
    if (!output_spares(tool, path, argv[0])) return usage_status(tool);
    if (s.o[S_FORMAT].number == 2) return usage(tool, "YAML output is not supported for sample profiles");
    if (s.o[S_ALL].number && s.o[S_FUNCTION].text != NULL)
        warn(tool, tool->compat ? "-function argument ignored: showing all functions"
                          : "--function has no effect with --all-functions");
    s.out = stream_begin(tool, &out, path);
    if (s.out == NULL) return 1;
    json = !tool->compat && (s.o[S_JSON].number || s.o[S_FORMAT].number == 1);
    if (option_named(s.o, "temporal-profile-traces", 23)->number && is_traces(argv[0]))
        ok = show_traces(tool, argv[0], s.out);
    else if (s.o[S_BLOCKS].number) ok = show_blocks(&s, argv[0]);
    else ok = s.o[S_SECTIONS].number ? show_sections(tool, argv[0], json, s.out) : show_file(&s, argv[0]);
    return stream_end(tool, &out, path, ok);
}

const command show_command = {
    "show", show_main, show_options, NULL,
    "csspgo show [options] PROFILE\n",
    "prints a profile",
    "Contextual profiles (.ctxprof: bitstreams, YAML, dumps) are read as profiles with contexts whose samples are the "
    "counts. Their functions have GUIDs, and names if --names or --profiled-binary has these.\n"
};
