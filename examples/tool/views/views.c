/* views.c - what folded and flame share: command line, input, figures of a node */
#include "views.h"
#include "../demangle/demangle.h"
#include "../shared/recording.h"

#define VIEWS_COMMON \
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where the output goes; standard output is the default"), \
    OPTION("names", OPT_LIST, NULL, 0, "FILE", "names for GUIDs, one a line"), \
    OPTION("binary", OPT_LIST, NULL, 0, "FILE", "a program with symbols or probe descriptors: names for GUIDs")

const option folded_options[] = {
    VIEWS_COMMON,
    OPTION("mark-inlined", OPT_SWITCH, NULL, 0, NULL, "writes _[i] behind the names of inlined frames"),
    OPTION("format", OPT_CHOICE, "folded|json|speedscope|pprof", 0, NULL,
           "collapsed stacks, one a line; JSON; a file for speedscope; profile.proto for pprof, with gzip in a build "
           "with zlib"),
    OPTION("json", OPT_SET, "format", 1, NULL, "the same as --format=json"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("profiled-binary", OPT_ALIAS, "binary", 0, NULL, NULL),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    SAMPLE_FILTERS,
    SAMPLE_FILTERS_MORE,
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    DEMANGLER,
    OPTIONS_END
};

const option flame_options[] = {
    VIEWS_COMMON,
    OPTION("icicle", OPT_SWITCH, NULL, 0, NULL, "puts the outermost frame on top"),
    OPTION("title", OPT_TEXT, NULL, 0, "TEXT", "the title above the picture, in place of the profile's name"),
    OPTION("width", OPT_NUMBER, NULL, 1200, "PX", "width of the picture in a page; opened by itself it fills the window"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "the tree of frames as JSON, as d3-flame-graph takes it"),
    OPTION("diff", OPT_TEXT, NULL, 0, "OLD",
           "an older profile: colours show how the share of each stack has changed since; widths are PROFILE's"),
    OPTION("callers", OPT_SWITCH, NULL, 0, NULL, "inverted: functions that were sampled, and their callers above them"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("profiled-binary", OPT_ALIAS, "binary", 0, NULL, NULL),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    SAMPLE_FILTERS,
    SAMPLE_FILTERS_MORE,
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    DEMANGLER,
    OPTIONS_END
};

/* Returns 0 after saying what is wrong. */
int views_parse(tool_context *tool, views *v, int flame, int argc, char **argv)
{
    const int files = options_parse(tool, flame ? flame_options : folded_options, argc, argv);
    const option *o = tool->o;
    int i;
    memset(v, 0, sizeof *v);
    v->tool = tool;
    if (files < 0) return 0;
    if (files == 0) return fail(tool, "which profile?"), 0;
    if (files > 1) return fail(tool, "one profile only: %s, %s", argv[0], argv[1]), 0;
    v->input = argv[0];
    v->output = o[VIEWS_OUTPUT].text;
    if (!output_spares(tool, v->output, v->input) || !output_spares_all(tool, v->output, &o[VIEWS_NAMES]) ||
        !output_spares_all(tool, v->output, &o[VIEWS_BINARY]))
        return 0;
    if (!flame) {
        v->format = (unsigned)o[VIEWS_FORMAT].number;
        return v->mark_inlined = o[VIEWS_OWN].number != 0, 1;
    }
    v->json = o[VIEWS_JSON].number != 0;
    for (i = VIEWS_OWN; v->json && i <= VIEWS_WIDTH; i++)
        if (o[i].given) warn(v->tool, "--%s has no effect with --json", o[i].name);
    v->older = o[VIEWS_DIFF].text;
    if (!output_spares(tool, v->output, v->older)) return 0;
    v->callers = o[VIEWS_CALLERS].number != 0;
    v->icicle = o[VIEWS_OWN].number != 0;
    v->title = o[VIEWS_TITLE].text;
    v->width = (long)o[VIEWS_WIDTH].number;
    return (v->width >= 200 && v->width <= 10000) ||
           (fail(tool, "--width: '%s' is not a number of pixels from 200 to 10000", o[VIEWS_WIDTH].text), 0);
}

static void views_close(views *v)
{
    tree_close(&v->t);
    names_free(&v->names);
}

/* Reads a profile and the names; frees what was read before. Returns 0 after saying what is wrong. */
int views_read(views *v, const char *path)
{
    const option *const o = v->tool->o;
    csspgo_error e;
    csspgo_status s = CSSPGO_E_NOMEM;
    csspgo_profile *picture;
    file_bytes f;
    int ok;
    if (!file_open(path, &f)) return fail(v->tool, "%s: %s", path, file_why()), 0;
    names_free(&v->names);
    memset(&v->names, 0, sizeof v->names);
    v->recorded = picture_is(v->tool, &f);
    if (v->recorded) {
        picture = picture_read(v->tool, path, &f);
        file_close(&f);
        if (picture != NULL) v->t = tree_of(picture);
        return picture != NULL;
    }
    ok = names_open(v->tool, &v->names, &o[VIEWS_NAMES], &o[VIEWS_BINARY], is_contextual(v->tool, &f));
    if (ok) s = tree_open(&v->t, v->tool, path, &f, &v->names, &e);
    file_close(&f);
    if (ok && s != CSSPGO_OK) kind_fail_at(v->tool, path, KIND_PROFILE, &e);
    return s == CSSPGO_OK;
}

/* Reads the profile and the names. Returns 0 after saying what is wrong. */
int views_open(views *v)
{
    return views_read(v, v->input);
}

/* Begins the output. Returns 0 after saying what is wrong. */
int views_begin(views *v)
{
    v->out = stream_begin(v->tool, &v->file, v->output);
    return v->out != NULL;
}

/* Ends the output; what the commands return. */
int views_end(views *v, int ok)
{
    int status = v->out != NULL ? stream_end(v->tool, &v->file, v->output, ok) : 1;
    csspgo_node n;
    if (status == 0) {
        n = csspgo_root(v->t.p);
        while (n.id != 0 && tree_self(&v->t, n) == 0) n = tree_next(&v->t, n);
        if (n.id == 0) status = hopeless(v->tool, "%s: the profile is empty", v->input);
    }
    views_close(v);
    return status;
}

/* A name of digits only stands for a GUID in text profiles with MD5 names. */
static int views_is_guid(const char *name, size_t size, uint64_t *guid)
{
    size_t i;
    *guid = 0;
    if (size == 0 || size > 20) return 0;
    for (i = 0; i < size; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)name[i] - '0';
        if (digit > 9 || *guid > (UINT64_MAX - digit) / 10) return 0;
        *guid = *guid * 10 + digit;
    }
    return 1;
}

/* Adds a name, as people write it unless --no-demangle is given. */
static void views_add_name(const views *v, const char *name, size_t size, views_text *t)
{
    char text[DEMANGLE_MOST];
    const size_t n = shown_name(v->tool, name, size, text, sizeof text);
    if (n != 0) views_add(t, text, n);
    else views_add(t, name, size);
}

/* A function's name: its own, else one that is known for its GUID, else 0x and the GUID. */
void views_func_name(const views *v, csspgo_func func, views_text *t)
{
    size_t size;
    const char *name = csspgo_func_name(v->t.p, func, &size);
    const name_entry *known;
    uint64_t guid = 0;
    if (name != NULL && !views_is_guid(name, size, &guid)) {
        if (size == 0) views_say(t, "(no name)");
        views_add_name(v, name, size, t);
        return;
    }
    if (name == NULL) guid = csspgo_func_guid(v->t.p, func);
    known = names_find(&v->names, guid);
    if (known != NULL) views_add_name(v, v->names.text + known->begin, known->size, t);
    else if (name != NULL) views_add(t, name, size);
    else views_hex(t, guid);
}
