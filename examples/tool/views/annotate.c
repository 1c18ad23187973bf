/* annotate.c - the command annotate: a function's code with its counts in each context in the margin */
#include "views.h"
#include "../shared/recording.h"

static const option annotate_options[] = {
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where the output goes; standard output is the default"),
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the program (ELF), with pseudo probes, or else debug information if the profile is by source line; also "
           "its libraries"),
    DEBUG_BINARY,
    OPTION("profile", OPT_TEXT, NULL, 0, "FILE", "the profile, if it is not named without an option"),
    OPTION("function", OPT_LIST, NULL, 0, "NAME", "the function to show, as people write it or as the compiler has it"),
    OPTION("top", OPT_COUNT, NULL, 0, "N",
           "in place of --function: the N hottest functions that have code of their own"),
    OPTION("format", OPT_CHOICE, "text|html|svg", 0, NULL,
           "form of the output; html and svg (a picture of the text) are the default if the name of --output ends in .html or .svg"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "prints JSON, for programs"),
    OPTION("contexts", OPT_COUNT, NULL, 3, "N", "how many contexts have a column each, the hottest ones"),
    OPTION("source", OPT_SWITCH, NULL, 0, NULL, "shows source only, no instructions"),
    OPTION("source-dir", OPT_TEXT, NULL, 0, "DIR",
           "reads source only below DIR, and looks up relative names there; for programs of others, which may name "
           "any file"),
    OPTION("bottleneck", OPT_TEXT, NULL, 0, "FILE",
           "HTML: shows what bottleneck --json -o FILE found: the slow chains, as arrows beside the instructions"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    SAMPLE_FILTERS,
    OPTION("event", OPT_LIST, NULL, 0, "NAME", "only samples of this event, of a recording"),
    DEMANGLER,
    OPTIONS_END
};

/* The command line. Returns 0 after saying what is wrong. */
static int annotate_check(annotate_run *a, int files, char **argv)
{
    static const int inputs[] = { N_BINARY, N_DEBUG_BINARY, N_PROFILE, N_BOTTLENECK };
    const tool_context *const tool = a->in.tool;
    option *const o = a->o;
    const char *const name = o[N_OUTPUT].text;
    size_t i;
    if (files + (o[N_PROFILE].text != NULL) > 1) return usage(tool, "one profile only"), 0;
    if (files == 1) o[N_PROFILE].text = argv[0];
    if (o[N_PROFILE].text == NULL) return usage(tool, "which profile?"), 0;
    if (o[N_BINARY].count == 0) return usage(tool, "which program? --binary=FILE"), 0;
    if (o[N_TOP].given && o[N_FUNCTION].count != 0) return usage(tool, "--function or --top, not both"), 0;
    if (o[N_TOP].given && ((uint64_t)o[N_TOP].number == 0 || (uint64_t)o[N_TOP].number > 1000))
        return usage(tool, "--top: '%s' is not a number from 1 to 1000", o[N_TOP].text), 0;
    if (o[N_FUNCTION].count == 0 && !o[N_TOP].given)
        return usage(tool, "which function? --function=NAME, or --top=N for the hottest ones"), 0;
    if ((uint64_t)o[N_CONTEXTS].number > 100) return usage(tool, "--contexts: at most 100"), 0;
    for (i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (!output_spares_all(tool, name, &o[inputs[i]])) return 0;
    if (o[N_JSON].number && o[N_FORMAT].text != NULL)
        return usage(tool, "--format or --json, not both: each is a form of the output"), 0;
    i = strlen(name);
    if (o[N_FORMAT].text == NULL && i > 5 && strcmp(name + i - 5, ".html") == 0) o[N_FORMAT].number = NOTE_HTML;
    if (o[N_FORMAT].text == NULL && i > 4 && strcmp(name + i - 4, ".svg") == 0) o[N_FORMAT].number = NOTE_SVG;
    if (o[N_BOTTLENECK].text != NULL && (o[N_FORMAT].number != NOTE_HTML || o[N_JSON].number))
        return usage(tool, "--bottleneck: its arrows are in HTML only: --format=html"), 0;
    return 1;
}

/*
 * Exact counts: what the programs say of their functions tells which block each counter is of. Returns a status and
 * what failed, or CSSPGO_E_ARGUMENT and an empty message after saying what is wrong.
 */
static csspgo_status annotate_exact(annotate_run *a, const file_bytes *f, csspgo_error *e)
{
    static const option no_files;
    const tool_context *const tool = a->in.tool;
    csspgo_status s = CSSPGO_E_ARGUMENT;
    name_table names;
    memset(&names, 0, sizeof names);
    memset(e, 0, sizeof *e);
    a->exact = 1;
    if (names_open(tool, &names, &no_files, &a->o[N_BINARY], 1))
        s = contextual_read(tool, a->o[N_PROFILE].text, f, &names, a->in.p, e);
    names_free(&names);
    return s;
}

/* Of exact counts: 1 if the places of the function's counters are known, else 0 after saying why not. */
static int annotate_places(const annotate_run *a)
{
    const char *const path = a->o[N_PROFILE].text;
    csspgo_node n;
    if (!a->exact) return 1;
    if (!(csspgo_profile_flags(a->in.p) & CSSPGO_IS_PROBE))
        return fail(a->in.tool, "%s: counters have numbers, and nothing in it says where in the code they are: that "
                                "takes a program with pseudo probes, and a counter for each of its blocks; csspgo "
                                "flame, folded and show need neither", path), 0;
    for (n = csspgo_func_nodes(a->in.p, a->func); n.id != 0; n = csspgo_node_next_same(a->in.p, n))
        if (csspgo_total(a->in.p, n) != 0 && csspgo_checksum(a->in.p, n) == 0)
            return fail(a->in.tool, "%s: '%s' has other counters than one for each block: where they are, only the "
                                    "compiler knows, as with counters on edges; csspgo flame, folded and show need "
                                    "not know it", path, a->name), 0;
    return 1;
}

/* Reads the profile. Returns 0 after saying what is wrong. */
static int annotate_profile(annotate_run *a)
{
    const tool_context *const tool = a->in.tool;
    const char *const path = a->o[N_PROFILE].text;
    csspgo_error e;
    csspgo_status s;
    file_bytes f;
    a->in.p = profile_new(tool);
    if (a->in.p == NULL) return 0;
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, file_why()), 0;
    if (picture_is(tool, &f)) s = annotate_recording(tool, path, &f, a->in.p, &e);
    else s = is_contextual(tool, &f) ? annotate_exact(a, &f, &e) : file_read(a->in.p, path, &f, &e);
    if (s == CSSPGO_OK && has_files(&f)) s = drop_files(a->in.p, &e);
    file_close(&f);
    return s == CSSPGO_OK || (e.message[0] != '\0' && (kind_fail_at(tool, path, KIND_PROFILE, &e), 0));
}

/* Adds code of the function; what is there already is not added again. Returns 0 without memory. */
static int annotate_range_add(annotate_run *a, uint64_t begin, uint64_t end)
{
    debug_area *v = (debug_area *)realloc(a->range, (a->ranges + 1) * sizeof *v);
    size_t k;
    if (v == NULL) return fail(a->in.tool, "out of memory"), 0;
    a->range = v;
    for (k = 0; k < a->ranges && v[k].end <= begin; k++) continue;
    if (k < a->ranges && v[k].begin < end) return 1;
    memmove(v + k + 1, v + k, (a->ranges++ - k) * sizeof *v);
    v[k].begin = begin;
    v[k].end = end;
    return 1;
}

/* By probe: the code whose probes are the function's. */
static int ranges_by_probe(annotate_run *a)
{
    const uint64_t guid = csspgo_func_guid(a->in.p, a->func);
    const loaded *const l = &a->in.image;
    size_t i;
    for (i = 0; i < l->ranges; i++)
        if (l->range[i].guid == guid && !annotate_range_add(a, l->range[i].begin, l->range[i].end)) return 0;
    return 1;
}

/* By line: what debug information says is the function's, whatever its symbols are called. */
static int ranges_by_line(annotate_run *a)
{
    const uint64_t guid = csspgo_func_guid(a->in.p, a->func);
    const loaded *const l = &a->in.image;
    char why[PROGRAM_WHY];
    debug_info *const d = debug_program(l, a->binary, why, sizeof why);
    size_t i, n = 0;
    const debug_range *const r = d != NULL ? debug_info_ranges(d, &n) : NULL;
    int ok = 1;
    for (i = 0; ok && i < n; i++)
        if (csspgo_guid(r[i].name, strlen(r[i].name)) == guid) ok = annotate_range_add(a, r[i].begin, r[i].end);
    debug_info_close(d);
    return ok;
}

/* By name, where nothing else tells: symbols that are called as the function, perhaps with suffixes. */
static int ranges_by_name(annotate_run *a)
{
    const uint64_t guid = csspgo_func_guid(a->in.p, a->func);
    const load_regions *const r = load_regions_of(&a->in.image);
    size_t i, k, size;
    if (r == NULL) return fail(a->in.tool, "out of memory"), 0;
    for (i = 0; i < r->regions; i++)
        for (k = r->region[i].name; k < r->region[i].name + r->region[i].names; k++)
            for (size = r->name[k].name_size; size != 0; size = load_stem(r->name[k].name, size))
                if (csspgo_guid(r->name[k].name, size) == guid &&
                    !annotate_range_add(a, r->region[i].begin, r->region[i].end))
                    return 0;
    return 1;
}

/* The ranges of its code, by address; none if the program has no code of it. Returns 0 after saying what is wrong. */
static int annotate_ranges(annotate_run *a, int by_probe)
{
    char why[PROGRAM_WHY];
    if (!(by_probe ? ranges_by_probe : ranges_by_line)(a)) return 0;
    if (a->ranges == 0 && !ranges_by_name(a)) return 0;
    if (a->ranges != 0 || load_symbols(&a->in.image)->symbol_count > 1) return 1;
    program_lacks(&a->in.image, "symbols", why, sizeof why);
    return fail(a->in.tool, "%s: %s", a->binary, why), 0;
}

/* The files, and the code of what can be decoded; by line no functions are looked for in symbols. */
static int load_lines(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size)
{
    const int ok = program_open(tool, l, path, why, why_size) && load_module(l, path, why, why_size) &&
                   (!load_decodes(l) || load_code(l, why, why_size));
    if (!ok) load_free(l);
    return ok;
}

/* All ranges become one function of the code map, so that it has one control-flow graph. */
static int annotate_add_ranges(annotate_run *a)
{
    csspgo_code_function f;
    size_t i;
    memset(&f, 0, sizeof f);
    f.guid = csspgo_func_guid(a->in.p, a->func);
    for (i = 0; i < a->ranges; i++) {
        f.begin = a->range[i].begin;
        f.end = a->range[i].end;
        f.fragment = i != 0;
        if (csspgo_code_add_function(a->in.image.code, a->in.image.module, &f, NULL) == CSSPGO_E_NOMEM)
            return fail(a->in.tool, "out of memory"), 0;
    }
    return 1;
}

/* Reads the program. Returns 0 after saying what is wrong. */
static int annotate_program(annotate_run *a)
{
    const char *const path = a->binary;
    const int by_probe = (csspgo_profile_flags(a->in.p) & CSSPGO_IS_PROBE) != 0;
    char why[PROGRAM_WHY];
    if (!(by_probe ? probed_open : load_lines)(a->in.tool, &a->in.image, path, why, sizeof why))
        return kind_program_fail(a->in.tool, path, &a->o[N_DEBUG_BINARY], why), 0;
    if (load_lacks(&a->in.image) & 1u << LOAD_LINES)
        program_missing(a->in.tool, &a->in.image, path, "no source is shown");
    return 1;
}

/* Forgets the function and the program that were shown last. */
static void annotate_forget(annotate_run *a)
{
    size_t i;
    for (i = 0; i < a->insns; i++) free(a->insn[i].text);
    for (i = 0; i < a->files; i++) {
        free(a->file[i].name);
        free(a->file[i].text);
        free(a->file[i].line);
    }
    free(a->insn);
    free(a->file);
    free(a->context);
    free(a->weight);
    free(a->count);
    free(a->line_count);
    free(a->range);
    free(a->edge);
    free(a->in.checksum);
    load_free(&a->in.image);
    a->range = NULL;
    a->edge = NULL;
    a->line_count = NULL;
    a->insn = NULL;
    a->file = NULL;
    a->context = NULL;
    a->weight = a->count = NULL;
    a->in.checksum = NULL;
    a->insns = a->cap = a->files = a->ranges = a->contexts = a->all_contexts = a->in.checksums = 0;
    a->edges = 0;
    a->all_weight = 0;
}

/*
 * Shows a function in a program, if it has code of it; with --top only if that code has counts: what was sampled may be
 * inlined elsewhere. Returns 0 after saying what is wrong.
 */
static int annotate_view(annotate_run *a, FILE *out)
{
    const int by_probe = (csspgo_profile_flags(a->in.p) & CSSPGO_IS_PROBE) != 0;
    int ok = annotate_program(a) && annotate_ranges(a, by_probe);
    if (ok && a->ranges != 0) {
        ok = (by_probe ? probed_checksums(&a->in) : annotate_add_ranges(a)) && note_code(a) && note_counts(a);
        if (ok && (a->all_weight != 0 || a->o[N_TOP].number == 0)) {
            ok = note_paths_place(a) && note_print(a, out);
            a->views++;
            a->sum = sum_of(a->sum, a->all_weight);
        }
    }
    annotate_forget(a);
    return ok;
}

/* A function in each program with code of it; *shown: whether there is one. Returns 0 after saying what is wrong. */
static int annotate_function(annotate_run *a, FILE *out, int *shown)
{
    const option *const programs = &a->o[N_BINARY];
    const size_t before = a->views;
    size_t k;
    if (!annotate_places(a)) return 0;
    for (k = 0; k < programs->count; k++) {
        a->binary = programs->list[k];
        if (!annotate_view(a, out)) return 0;
    }
    *shown = a->views != before;
    return 1;
}

/* The functions of --function. Returns 0 after saying what is wrong. */
static int annotate_named(annotate_run *a, FILE *out)
{
    const option *const functions = &a->o[N_FUNCTION];
    size_t i;
    int shown;
    for (i = 0; i < functions->count; i++) {
        a->name = functions->list[i];
        a->func = func_meant(a->in.tool, a->in.p, a->name);
        if (a->func.id == 0 || !annotate_function(a, out, &shown)) return 0;
        if (!shown)
            return fail(a->in.tool, "%s has no code of '%s': it may be inlined everywhere",
                        a->o[N_BINARY].count == 1 ? a->binary : "no program", a->name), 0;
    }
    return 1;
}

typedef struct note_hot { uint64_t total; csspgo_func func; } note_hot;   /* with what is inlined into it */

static int note_hot_order(const void *x, const void *y)
{
    const note_hot *a = (const note_hot *)x, *b = (const note_hot *)y;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    return a->func.id < b->func.id ? -1 : a->func.id > b->func.id;
}

/* The functions that were sampled, hottest first; *n of them. NULL after saying that there is no memory. */
static note_hot *annotate_hot(const annotate_run *a, size_t *n)
{
    const csspgo_profile *const p = a->in.p;
    note_hot *const v = (note_hot *)calloc((size_t)csspgo_func_count(p) + 1, sizeof *v);
    csspgo_node node;
    csspgo_func f;
    *n = 0;
    if (v == NULL) return fail(a->in.tool, "out of memory"), NULL;
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) {
        v[*n].total = 0;
        for (node = csspgo_func_nodes(p, f); node.id != 0; node = csspgo_node_next_same(p, node))
            if (csspgo_node_kind_of(p, node) != CSSPGO_INLINEE)
                v[*n].total = sum_of(v[*n].total, csspgo_total(p, node));
        v[*n].func = f;
        *n += v[*n].total != 0;
    }
    qsort(v, *n, sizeof *v, note_hot_order);
    return v;
}

/* The functions of --top: as many as have code of their own. Returns 0 after saying what is wrong. */
static int annotate_top(annotate_run *a, FILE *out)
{
    uint64_t left = (uint64_t)a->o[N_TOP].number;
    size_t n, i;
    note_hot *const v = annotate_hot(a, &n);
    int ok = v != NULL, shown;
    for (i = 0; ok && i < n && left != 0; i++) {
        char *const name = note_name(a, v[i].func);
        a->name = name;
        a->func = v[i].func;
        ok = name != NULL ? annotate_function(a, out, &shown) : (fail(a->in.tool, "out of memory"), 0);
        if (ok && shown) left--;
        a->name = "its hottest functions";
        free(name);
    }
    free(v);
    if (ok && a->views == 0) fail(a->in.tool, "%s has no code of a function with samples", a->o[N_BINARY].text);
    return ok && a->views != 0;
}

/* Each function in each program with code of it. Returns 0 after saying what is wrong. */
static int annotate_views(annotate_run *a, FILE *out)
{
    return a->o[N_TOP].number > 0 ? annotate_top(a, out) : annotate_named(a, out);
}

/* A picture needs the size of the text. Returns 0 after saying what is wrong. */
static int annotate_svg(annotate_run *a, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const body = open_memstream(&text, &size);
    int ok = body != NULL && annotate_views(a, body);
    const int made = body != NULL && fclose(body) == 0;
    if (!made) fail(a->in.tool, "out of memory");
    ok = ok && made && note_svg(a, text, size, out);
    free(text);
    return ok;
}

/* HTML begins with what is known at the end: the index. Returns 0 after saying what is wrong. */
static int annotate_html(annotate_run *a, FILE *out)
{
    char *index = NULL, *text = NULL;
    size_t index_size = 0, size = 0;
    FILE *body = open_memstream(&text, &size);
    int ok = 0, made = body != NULL;
    a->index = made ? open_memstream(&index, &index_size) : NULL;
    made = a->index != NULL;
    if (made) ok = annotate_views(a, body);
    if (a->index != NULL && fclose(a->index) != 0) made = 0;
    if (body != NULL && fclose(body) != 0) made = 0;
    if (!made) fail(a->in.tool, "out of memory");
    ok = ok && made;
    if (ok) {
        note_begin(a, index, out);
        fwrite(text, 1, size, out);
    }
    free(index);
    free(text);
    free(a->title);
    return ok;
}

/* From inputs to the output. Returns 0 after saying what is wrong. */
static int annotate_make(void *what, FILE *out)
{
    annotate_run *a = (annotate_run *)what;
    const option *const programs = &a->o[N_BINARY], *const functions = &a->o[N_FUNCTION];
    const int form = a->o[N_JSON].number ? NOTE_TEXT : (int)a->o[N_FORMAT].number;
    if (!annotate_profile(a)) return 0;
    if (a->o[N_BOTTLENECK].text != NULL && !note_paths_read(a, a->o[N_BOTTLENECK].text)) return 0;
    a->in.profile = a->o[N_PROFILE].text;
    a->in.binary = programs->text;                         /* the last one that was given */
    a->several = programs->count * functions->count > 1 || a->o[N_TOP].number > 0;
    if (!(form == NOTE_HTML ? annotate_html : form == NOTE_SVG ? annotate_svg : annotate_views)(a, out)) return 0;
    note_end(a, out);
    return 1;
}

static int annotate_main(tool_context *tool, int argc, char **argv)
{
    annotate_run a;
    int files, status;
    memset(&a, 0, sizeof a);
    a.in.tool = tool;
    files = options_parse(tool, annotate_options, argc, argv);
    a.o = tool->o;
    if (files < 0 || !annotate_check(&a, files, argv)) return usage_status(tool);
    status = stream_made(tool, a.o[N_OUTPUT].text, annotate_make, &a);
    if (status == 0 && a.sum == 0)
        status = hopeless(tool, "%s has no count for the code of '%s' in %s", a.o[N_PROFILE].text, a.name, a.binary);
    csspgo_profile_free(a.in.p);
    note_paths_free(&a);
    return status;
}

const command annotate_command = {
    "annotate", annotate_main, annotate_options, NULL,
    "csspgo annotate --binary=FILE (--function=NAME | --top=N)\n"
    "                [--format=text|html|svg] [--source] [-o FILE] PROFILE\n",
    "shows a function's code with its counts, by calling context",
    "A count is shown where it is known. A line or probe that the compiler copied has one count for all its copies; "
    "the count of a single copy stays blank unless all copies execute equally often. --source shows the counts of "
    "lines as the profile has them.\n"
    "Instructions come from llvm-objdump-19, llvm-objdump or objdump, whichever is installed; without one of these, "
    "bytes and targets of branches are shown. Source is shown if the program has debug information and the files are "
    "where it says (--source-dir). Code that was inlined into the function is shown with it.\n"
    "HTML shows source and instructions side by side: a click on one brings the other into view. It has links to the "
    "targets of branches and to the hottest lines, and an index of several functions.\n"
    "A contextual profile (.ctxprof) needs a program with pseudo probes and a counter for each block: counters have "
    "numbers only, and the probes tell which block each one belongs to.\n"
};
