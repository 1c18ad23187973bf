/* ctxprof.c - csspgo ctxprof: contextual profiles, from one form into another, merged, and their tables */
#include "../shared/tool.h"

enum { CT_OUTPUT, CT_O, CT_FORMAT, CT_KEEP_EMPTY, CT_DUPLICATES, CT_KEEP_LARGER, CT_QUIET, CT_JSON, CT_INPUT };

static const option ctxprof_options[] = {
    OPTION("output", OPT_TEXT, NULL, 0, "FILE", "where the output goes; standard output is the default"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("format", OPT_CHOICE, "v4|v1|yaml|v20", -1, NULL,
           "form of the output. v1, v20: for LLVM 19 and 20, roots and their callees only"),
    OPTION("keep-empty", OPT_SWITCH, NULL, 0, NULL, "version 4: also writes contexts that were never entered"),
    OPTION("merge-duplicates", OPT_SWITCH, NULL, 0, NULL, "adds up a function that occurs twice in one place"),
    OPTION("keep-larger", OPT_SWITCH, NULL, 0, NULL,
           "if two profiles have different numbers of counters for a function, keeps the one entered more often"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL,
           "prints the tables as JSON; for to-yaml, from-yaml and merge those of the result, on standard output"),
    OPTION("input", OPT_LIST, NULL, 0, "FILE",
           "an input, as llvm-ctxprof-util takes it: YAML strictly, with its messages"),
    LLVM_COMPAT,
    OPTIONS_END
};

/* What can be done: the word behind "ctxprof". */
typedef struct ctxprof_action {
    const char     *name;
    csspgo_ctx_form form;         /* of what is written, unless --format says another                                */
    int             many;         /* 1: any number of inputs                                                         */
    int             tables;       /* 1: prints tables instead                                                        */
    int             blank;        /* 1: a text of comments and blanks is a profile without roots                     */
    int             llvm;         /* 1: it is called as llvm-ctxprof-util calls it                                   */
} ctxprof_action;

static const ctxprof_action ctxprof_actions[] = {
    { "to-yaml", CSSPGO_CTX_YAML, 0, 0, 0, 0 },
    { "from-yaml", CSSPGO_CTX_V4, 0, 0, 1, 0 },
    { "merge", CSSPGO_CTX_V4, 1, 0, 0, 0 },
    { "show", CSSPGO_CTX_V4, 1, 1, 0, 0 },
    { "toYAML", CSSPGO_CTX_YAML, 0, 0, 0, 1 },
    { "fromYAML", CSSPGO_CTX_V4, 0, 0, 1, 1 }
};
enum { CTXPROF_ACTIONS = sizeof ctxprof_actions / sizeof *ctxprof_actions };

/* 1 if a text has nothing but comments, blanks and marks of a document. */
static int ctxprof_is_blank(const file_bytes *f)
{
    const char *p = (const char *)f->data, *const end = p + f->size;
    while (p < end) {
        const char *stop = (const char *)memchr(p, '\n', (size_t)(end - p));
        size_t n;
        if (stop == NULL) stop = end;
        while (p < stop && (*p == ' ' || *p == '\t')) p++;
        n = (size_t)(stop - p);
        while (n != 0 && (p[n - 1] == '\r' || p[n - 1] == ' ' || p[n - 1] == '\t')) n--;
        if (n != 0 && *p != '#' && !(n == 3 && (memcmp(p, "---", 3) == 0 || memcmp(p, "...", 3) == 0))) return 0;
        p = stop + 1;
    }
    return 1;
}

/* The release whose llvm-ctxprof-util is followed: how strictly it reads YAML, its messages. 0: none. */
static uint32_t ctxprof_llvm(const tool_context *tool)
{
    if (tool->compat != 0) return tool->compat >= 20 ? (uint32_t)tool->compat : 0;   /* 19 has no such tool */
    return tool->o[CT_INPUT].count != 0 ? 22 : 0;
}

/* A line of YAML that was refused, as LLVM prints it. */
static void ctxprof_quote(const tool_context *tool, const file_bytes *f, const csspgo_error *e)
{
    const char *p = (const char *)f->data, *const end = p + f->size, *stop;
    uint32_t line;
    for (line = 1; line < e->line && p < end; line++) {
        stop = (const char *)memchr(p, '\n', (size_t)(end - p));
        p = stop != NULL ? stop + 1 : end;
    }
    stop = p < end ? (const char *)memchr(p, '\n', (size_t)(end - p)) : NULL;
    if (stop == NULL) stop = end;
    fprintf(tool->err, "YAML:%u:%u: error: %s\n", (unsigned)e->line, (unsigned)e->column, plain(e));
    put_safe(p, (size_t)(stop - p), tool->err);
    fprintf(tool->err, "\n%*s\n", (int)e->column, "^");
}

/* Says why an input was refused. Returns the exit status. */
static int ctxprof_refused(const tool_context *tool, const char *path, const file_bytes *f, const csspgo_error *e)
{
    if (ctxprof_llvm(tool) == 0 || e->line == 0)
        return kind_fail_at(tool, path, KIND_PROFILE | KIND_CONTEXTUAL, e);
    ctxprof_quote(tool, f, e);
    return 1;
}

/* Adds an input to c. Returns the exit status. */
static int ctxprof_read(const tool_context *tool, csspgo_ctx *c, const char *path, const ctxprof_action *action)
{
    csspgo_ctx_merge_options how;
    csspgo_error e;
    file_bytes f;
    csspgo_status s;
    int status = 0;
    memset(&how, 0, sizeof how);
    how.llvm = ctxprof_llvm(tool);
    how.merge_duplicates = tool->o[CT_DUPLICATES].number != 0;
    how.keep_larger = tool->o[CT_KEEP_LARGER].number != 0;
    if (!file_open(path, &f)) return fail(tool, how.llvm != 0 ? "'%s': %s" : "%s: %s", path, file_why());
    s = action->blank && ctxprof_is_blank(&f) ? CSSPGO_OK : csspgo_ctx_read(c, f.data, f.size, &how, &e);
    if (s != CSSPGO_OK) status = ctxprof_refused(tool, path, &f, &e);
    file_close(&f);
    return status;
}

/* Writes c to --output. Returns the exit status. */
static int ctxprof_write(const tool_context *tool, const csspgo_ctx *c, const ctxprof_action *action)
{
    const option *o = tool->o;
    csspgo_ctx_write_options how;
    memset(&how, 0, sizeof how);
    how.form = o[CT_FORMAT].number >= 0 ? (csspgo_ctx_form)o[CT_FORMAT].number : action->form;
    if (o[CT_FORMAT].number < 0 && action->form == CSSPGO_CTX_V4 && (tool->compat == 19 || tool->compat == 20))
        how.form = tool->compat == 19 ? CSSPGO_CTX_V1 : CSSPGO_CTX_V20;
    how.keep_empty = o[CT_KEEP_EMPTY].number != 0;
    return contextual_write(tool, o[CT_OUTPUT].text != NULL ? o[CT_OUTPUT].text : "-", c, &how);
}

static void ctxprof_json(const csspgo_ctx *c, int inputs, FILE *out)
{
    const csspgo_ctx_stats s = csspgo_ctx_get_stats(c);
    json j = json_to(out);
    unsigned i;
    json_begin(&j, NULL, '{');
    json_count(&j, "inputs", (uint64_t)inputs);
    json_count(&j, "roots", s.roots);
    json_count(&j, "contexts", s.roots + s.callees);
    json_count(&j, "unhandled_functions", s.unhandled);
    json_count(&j, "flat_functions", s.flat);
    json_count(&j, "counters", s.counters);
    json_count(&j, "counters_not_0", s.nonzero);
    json_count(&j, "max_counter", s.max_counter);
    json_count(&j, "max_per_entry", s.max_relative);
    json_count(&j, "max_depth", s.max_depth);
    json_count(&j, "call_sites", s.sites);
    json_begin(&j, "call_sites_with", '[');           /* 1 to 7 callees, and 8 or more */
    for (i = 1; i <= 8; i++) json_count(&j, NULL, s.sites_with[i & 7]);
    json_end(&j);
    json_count(&j, "entries", s.entries);
    json_count(&j, "entries_not_counted", s.uncounted);
    json_end(&j);
}

/* The tables: size, range and shape. Returns the exit status. */
static int ctxprof_show(const tool_context *tool, const csspgo_ctx *c, int inputs)
{
    const csspgo_ctx_stats s = csspgo_ctx_get_stats(c);
    const char *path = tool->o[CT_OUTPUT].text != NULL ? tool->o[CT_OUTPUT].text : "-";
    output to;
    FILE *out = stream_begin(tool, &to, path);
    unsigned i;
    if (out == NULL) return 1;
    if (tool->o[CT_JSON].number) return ctxprof_json(c, inputs, out), stream_end(tool, &to, path, 1);
    fprintf(out, "roots:                  %" PRIu64 "\n", s.roots);
    fprintf(out, "contexts:               %" PRIu64 "\n", s.roots + s.callees);
    fprintf(out, "unhandled functions:    %" PRIu64 "\n", s.unhandled);
    fprintf(out, "flat functions:         %" PRIu64 "\n", s.flat);
    fprintf(out, "counters:               %" PRIu64 "\n", s.counters);
    fprintf(out, "counters that are not 0: %" PRIu64 "\n", s.nonzero);
    fprintf(out, "largest counter:        %" PRIu64 "\n", s.max_counter);
    fprintf(out, "largest per entry:      %" PRIu64 "\n", s.max_relative);
    fprintf(out, "deepest context:        %" PRIu64 "\n", s.max_depth);
    fprintf(out, "call sites with callees: %" PRIu64 "\n", s.sites);
    for (i = 1; i < 8; i++)
        if (s.sites_with[i] != 0) fprintf(out, "  with %u:               %" PRIu64 "\n", i, s.sites_with[i]);
    if (s.sites_with[0] != 0) fprintf(out, "  with 8 or more:       %" PRIu64 "\n", s.sites_with[0]);
    fprintf(out, "entries of roots:       %" PRIu64 "\n", s.entries);
    if (s.uncounted != 0) fprintf(out, "  not counted there:    %" PRIu64 "\n", s.uncounted);
    return stream_end(tool, &to, path, 1);
}

/* Reads the inputs and writes or shows what they make. Returns the exit status. */
static int ctxprof_do(const tool_context *tool, const ctxprof_action *action, int files, const char *const *file)
{
    csspgo_ctx *c = contextual_new(tool);
    int i, status = 0;
    if (c == NULL) return 1;
    for (i = 0; i < files && status == 0; i++) status = ctxprof_read(tool, c, file[i], action);
    if (status == 0) status = action->tables ? ctxprof_show(tool, c, files) : ctxprof_write(tool, c, action);
    if (status == 0 && !action->tables && tool->o[CT_JSON].number) ctxprof_json(c, files, tool->out);
    csspgo_ctx_free(c);
    return status;
}

/* The action of a word; NULL after saying that there is none. */
static const ctxprof_action *ctxprof_action_named(const tool_context *tool, const char *word)
{
    nearest n = nearest_to(word, strlen(word));
    int i;
    for (i = 0; i < CTXPROF_ACTIONS; i++) {
        if (strcmp(word, ctxprof_actions[i].name) == 0) return &ctxprof_actions[i];
        nearest_try(&n, ctxprof_actions[i].name, strlen(ctxprof_actions[i].name));
    }
    if (n.name != NULL) usage(tool, "ctxprof: Unknown subcommand '%s'; did you mean '%s'?", word, n.name);
    else usage(tool, "ctxprof: Unknown subcommand '%s': to-yaml, from-yaml, merge or show", word);
    return NULL;
}

/* Runs an action on its inputs, when the command line is right. Returns the exit status. */
static int ctxprof_begin(const tool_context *tool, const ctxprof_action *action, int files, const char *const *file)
{
    int i;
    if (tool->o[CT_JSON].number && !action->tables && !json_goes(tool, tool->o[CT_OUTPUT].text, "the profile"))
        return 2;
    for (i = 0; i < files; i++)
        if (!output_spares(tool, tool->o[CT_OUTPUT].text, file[i])) return 2;
    if (!output_ready(tool, tool->o[CT_OUTPUT].text))
        return ctxprof_llvm(tool) != 0 ? fail(tool, "failed to open output") : 1;
    return ctxprof_do(tool, action, files, file);
}

static int ctxprof_main(tool_context *tool, int argc, char **argv)
{
    const int words = options_parse(tool, ctxprof_options, argc, argv);
    const ctxprof_action *action;
    if (words < 0) return 2;
    if (words == 0) return usage(tool, "ctxprof: to-yaml, from-yaml, merge or show?");
    action = ctxprof_action_named(tool, argv[0]);
    if (action == NULL) return 2;
    if (tool->o[CT_INPUT].count != 0) {               /* llvm-ctxprof-util knows it in this way only */
        if (words != 1 || tool->o[CT_INPUT].count != 1)
            return usage(tool, "ctxprof %s: one input only, --input=%s", action->name, tool->o[CT_INPUT].list[0]);
        return ctxprof_begin(tool, action, 1, tool->o[CT_INPUT].list);
    }
    if (words > 1 && action->llvm && tool->o[CT_INPUT].count == 0)
        return usage(tool, "ctxprof %s: Unknown command line argument '%s'. Its input is --input=%s; %s takes a file",
                     action->name, argv[1], argv[1], action->blank ? "from-yaml" : "to-yaml");
    if (words == 1) return usage(tool, "ctxprof %s: no input", action->name);
    if (words > 2 && !action->many)
        return usage(tool, "ctxprof %s: one input only, not also '%s'", action->name, argv[2]);
    return ctxprof_begin(tool, action, words - 1, (const char *const *)argv + 1);
}

const command ctxprof_command = {
    "ctxprof", ctxprof_main, ctxprof_options, "to-yaml|from-yaml|merge|show",
    "csspgo ctxprof to-yaml|from-yaml FILE [-o FILE]\n"
    "csspgo ctxprof merge|show FILE... [-o FILE]\n",
    "handles contextual profiles: exact counts per calling context",
    "An input (.ctxprof) is a bitstream of LLVM 19 or later, YAML or a dump of the runtime, whatever the action. "
    "show, merge, overlap, folded and flame take contextual profiles, too.\n"
    "to-yaml prints YAML, as llvm-ctxprof-util toYAML does. from-yaml makes a bitstream of version 4, as fromYAML "
    "does. merge adds up inputs. show prints their size, their shape and the range of their counters.\n"
};
