/* match.c - the command match */
#include "match.h"

static const option match_options[] = {
    OPTION("old-profile", OPT_LIST, NULL, 0, "FILE", "the profile of the older build; several profiles add up"),
    OPTION("p", OPT_ALIAS, "old-profile", 0, NULL, NULL),
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the new program, with pseudo probes, or else debug information if the profile is by source line; also its "
           "libraries"),
    DEBUG_BINARY,
    OPTION("output", OPT_TEXT, NULL, 0, "FILE",
           "where the new profile is written; without it there is only the report"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("mode", OPT_CHOICE, "align|lexical|llvm19|llvm-main", 0, NULL,
           "how code is matched; all modes except align are those of LLVM"),
    OPTION("rename", OPT_SWITCH, NULL, 1, NULL,
           "looks for renamed functions; the modes align and llvm-main do so by default"),
    OPTION("fit", OPT_SWITCH, NULL, 0, NULL, "makes the counts fit the new program's control flow"),
    OPTION("min-confidence", OPT_PERCENT, NULL, 0, "PERCENT",
           "align: a stale function that was matched with less confidence gets no profile (default 0)"),
    OPTION("format", OPT_CHOICE, "extbinary|text|binary", 0, NULL, "form of the output"),
    OPTION("use-md5", OPT_SWITCH, NULL, 0, NULL, "writes GUIDs instead of names"),
    OPTION("top", OPT_COUNT, NULL, 10, "N", "functions to list that lost samples"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no report and no warnings"),
    OPTION("min-kept", OPT_PERCENT, NULL, 0, "PERCENT",
           "status 3 if a smaller share of the samples than this is kept"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "prints the report as JSON"),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    DEMANGLER,
    OPTIONS_END
};

static int match_write(match_run *m)
{
    static const uint32_t forms[] = { CSSPGO_EXTBINARY, CSSPGO_TEXT, CSSPGO_BINARY };
    const char *path = m->o[MT_OUTPUT].text;
    uint32_t form = forms[m->o[MT_FORMAT].number];
    csspgo_error e;
    if (path == NULL) return 0;
    if (m->o[MT_MD5].number && form == CSSPGO_EXTBINARY) form |= CSSPGO_MD5;
    else if (m->o[MT_MD5].number) warn(m->tool, "--use-md5 is ignored. Specify --format=extbinary to enable it");
    return write_profile(m->out, path, form, &e) == CSSPGO_OK ? 0 : fail_at(m->tool, path, &e);
}

static int match_spares(const match_run *m)
{
    const char *path = m->o[MT_OUTPUT].text;
    return output_spares_all(m->tool, path, &m->o[MT_OLD]) && output_spares_all(m->tool, path, &m->o[MT_BINARY]) &&
           output_spares_all(m->tool, path, &m->o[MT_DEBUG_BINARY]);
}

/* Makes the counts fit the new program's control flow. Returns 0 after saying what is wrong. */
static int match_fit(match_run *m)
{
    csspgo_error e;
    size_t n;
    const csspgo_match_cfg *cfg = match_cfgs(m, &n, &e);
    if (cfg != NULL && csspgo_matcher_complete(m->matcher, cfg, n, NULL, m->out, NULL, &e) == CSSPGO_OK) return 1;
    return fail(m->tool, "%s: %s", m->shown, plain(&e)), 0;
}

/* Returns the exit status. */
static int match_do(match_run *m)
{
    const char *path = m->profile;
    const int to_stdout = m->o[MT_OUTPUT].text != NULL && strcmp(m->o[MT_OUTPUT].text, "-") == 0;
    const int quiet = m->tool->quiet && !m->o[MT_JSON].number;
    csspgo_match_options how;
    csspgo_error e;
    int status;
    memset(&how, 0, sizeof how);
    how.llvm = llvm_of_mode[m->o[MT_MODE].number];
    how.rename = m->o[MT_RENAME].text == NULL ? 0 : m->o[MT_RENAME].number ? 1 : 2;
    how.near_is_unknown = (uint32_t)m->o[MT_FIT].number;
    if (m->o[MT_DOUBT].text != NULL) how.min_confidence = (uint32_t)option_percent(&m->o[MT_DOUBT]);
    m->old = profiles_read(m->tool, m->o[MT_OLD].list, m->o[MT_OLD].count);
    if (m->old == NULL) return 1;
    if (m->o[MT_FIT].number && !(csspgo_profile_flags(m->old) & CSSPGO_IS_PROBE))
        return fail(m->tool, "%s: a profile by source lines; --fit needs one by probes", path);
    if (!match_load(m, &m->o[MT_BINARY])) return 1;
    m->out = profile_new(m->tool);
    if (m->out == NULL) return 1;
    m->matcher = csspgo_matcher_new(&how, seeded(), NULL);
    if (m->matcher == NULL) return fail(m->tool, "out of memory");
    if (csspgo_matcher_module(m->matcher, m->old, m->code, m->codes, &m->report, &e) != CSSPGO_OK ||
        csspgo_matcher_apply(m->matcher, m->old, m->out, NULL, &e) != CSSPGO_OK)
        return fail(m->tool, "%s: %s", path, plain(&e));
    if (m->o[MT_FIT].number && !match_fit(m)) return 1;
    status = match_write(m);
    return status != 0 ? status : match_print(m, quiet ? NULL : to_stdout ? stderr : stdout);
}

static int match_main(tool_context *tool, int argc, char **argv)
{
    match_run m;
    int status = 2, files;
    memset(&m, 0, sizeof m);
    m.tool = tool;
    files = options_parse(tool, match_options, argc, argv);
    m.o = tool->o;
    if (files >= 0 && m.o[MT_OLD].count != 0) m.profile = m.o[MT_OLD].list[0];
    if (files > 0) usage(tool, "'%s' is no option; give --old-profile and --binary", argv[0]);
    else if (files == 0 && m.profile == NULL) usage(tool, "--old-profile is missing");
    else if (files == 0 && m.o[MT_BINARY].count == 0) usage(tool, "--binary is missing");
    else if (files == 0 && m.o[MT_JSON].number && m.o[MT_OUTPUT].text != NULL &&
             !json_goes(tool, m.o[MT_OUTPUT].text, "the profile"))
        status = 2;
    else if (files == 0 && match_spares(&m)) status = output_ready(tool, m.o[MT_OUTPUT].text) ? match_do(&m) : 1;
    match_free(&m);
    return status;
}

const command match_command = {
    "match", match_main, match_options, NULL,
    "csspgo match --old-profile=FILE --binary=FILE [-o FILE]\n"
    "             [--mode=align|llvm19|llvm-main|lexical]\n",
    "carries a profile over to changed code, and tells how much fits",
    NULL
};
