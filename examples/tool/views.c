/* views.c - what folded and flame share: command line, input, figures of a node */
#include "views.h"

static const option flame_options[] = {
    VIEWS_COMMON,
    { "icicle", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "title", OPT_TEXT, NULL, 0, "Flame graph", NULL, 0 },
    { "width", OPT_NUMBER, NULL, 1200, NULL, NULL, 0 },
    { "o", OPT_ALIAS, "output", 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

/* Returns 0 after saying what is wrong. */
int views_parse(const tool_context *tool, views *v, int flame, int argc, char **argv)
{
    option o[sizeof flame_options / sizeof *flame_options];
    int files;
    memset(v, 0, sizeof *v);
    v->tool = tool;
    if (flame) memcpy(o, flame_options, sizeof flame_options);
    else memcpy(o, folded_options, sizeof folded_options);
    files = options_parse(tool, o, argc, argv);
    if (files < 0) return 0;
    if (files == 0) return fail(tool, "which profile?"), 0;
    if (files > 1) return fail(tool, "one profile only: %s, %s", argv[0], argv[1]), 0;
    v->input = argv[0];
    v->output = o[VIEWS_OUTPUT].text;
    v->names_file = o[VIEWS_NAMES].text;
    v->binary = o[VIEWS_BINARY].text;
    if (!output_spares(tool, v->output, v->input) || !output_spares(tool, v->output, v->names_file) ||
        !output_spares(tool, v->output, v->binary))
        return 0;
    if (!flame) return v->mark_inlined = o[VIEWS_OWN].number != 0, 1;
    v->icicle = o[VIEWS_OWN].number != 0;
    v->title = o[VIEWS_TITLE].text;
    v->width = (long)o[VIEWS_WIDTH].number;
    return (v->width >= 200 && v->width <= 10000) ||
           (fail(tool, "--width: '%s' is not a number of pixels from 200 to 10000", o[VIEWS_WIDTH].text), 0);
}

static void views_close(views *v)
{
    csspgo_profile_free(v->p);
    free(v->names.text.data);
    free(v->names.names);
}

/* Reads the profile and the names. Returns 0 after saying what is wrong. */
int views_open(views *v)
{
    const char *path = strcmp(v->input, "-") == 0 ? "/dev/stdin" : v->input;
    csspgo_error e;
    if (v->names_file != NULL && !views_names_file(v->tool, &v->names, v->names_file)) return 0;
    if (v->binary != NULL && !views_names_elf(v->tool, &v->names, v->binary)) return 0;
    if (v->names.count != 0) qsort(v->names.names, v->names.count, sizeof *v->names.names, views_name_order);
    v->p = csspgo_profile_new(seeded(), NULL);
    if (v->p == NULL || v->names.text.failed) return fail(v->tool, "out of memory"), 0;
    if (csspgo_read_file(v->p, path, &e) != CSSPGO_OK) return fail_at(v->tool, v->input, &e), 0;
    v->out = stream_begin(v->tool, &v->file, v->output);
    return v->out != NULL;
}

/* Ends the output; what the commands return. */
int views_end(views *v, int ok)
{
    const int status = v->out != NULL ? stream_end(v->tool, &v->file, v->output, ok) : 1;
    views_close(v);
    return status;
}

/* A function's name: its own, else one that is known for its GUID, else 0x and the GUID. */
void views_func_name(const views *v, csspgo_func func, views_text *t)
{
    size_t size, known_size = 0;
    const char *name = csspgo_func_name(v->p, func, &size), *known;
    uint64_t guid = 0;
    if (name != NULL && !views_is_guid(name, size, &guid)) {
        if (size == 0) views_say(t, "(no name)");
        views_add(t, name, size);
        return;
    }
    if (name == NULL) guid = csspgo_func_guid(v->p, func);
    known = views_names_find(&v->names, guid, &known_size);
    if (known != NULL) views_add(t, known, known_size);
    else if (name != NULL) views_add(t, name, size);
    else views_hex(t, guid);
}

/* ----- the tree ------------------------------------------------------------------------------------------------- */

/* What was sampled in the node itself. */
uint64_t views_self(const csspgo_profile *p, csspgo_node node)
{
    const uint64_t total = csspgo_total(p, node);
    uint64_t inlined = 0;
    csspgo_node c;
    for (c = csspgo_node_first_child(p, node); c.id != 0; c = csspgo_node_next_sibling(p, c))
        if (csspgo_node_kind_of(p, c) == CSSPGO_INLINEE) inlined = views_plus(inlined, csspgo_total(p, c));
    return total > inlined ? total - inlined : 0;
}

int views_is_inlined(const csspgo_profile *p, csspgo_node node)
{
    return csspgo_node_kind_of(p, node) == CSSPGO_INLINEE || (csspgo_attributes(p, node) & CSSPGO_WAS_INLINED) != 0;
}

/* Behind the help of each of these commands. */
const char views_help[] =
    "folded, flame: collapsed stacks for other viewers, one a line; a self-contained SVG flame graph.\n";
