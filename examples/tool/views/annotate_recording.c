/* annotate_recording.c - annotate takes a recording itself: profgen makes the profile, with all its contexts */
#include "picture.h"

typedef struct words {            /* a command line */
    char **v;
    size_t count, cap;
    int    failed;
} words;

/* Adds --NAME=VALUE; value NULL: --NAME. */
static void words_add(words *w, const char *name, const char *value)
{
    char *const text = (char *)malloc(strlen(name) + (value != NULL ? strlen(value) : 0) + 4);
    if (text == NULL || (w->count == w->cap)) {
        char **const v = (char **)realloc(w->v, (w->cap * 2 + 32) * sizeof *v);
        w->failed |= text == NULL || v == NULL;
        if (v != NULL) {
            w->v = v;
            w->cap = w->cap * 2 + 32;
        }
    }
    if (w->failed) {
        free(text);
        return;
    }
    sprintf(text, value != NULL ? "--%s=%s" : "--%s", name, value);
    w->v[w->count++] = text;
}

/* The same of all values of an option of this command. */
static void words_pass(words *w, const tool_context *tool, const char *name)
{
    const option *const o = option_named(tool->o, name, strlen(name));
    size_t i;
    if (o == NULL) return;
    for (i = 0; i < o->count; i++) words_add(w, name, o->list[i]);
    if (o->kind == OPT_TEXT && o->text != NULL) words_add(w, name, o->text);
    if (o->kind == OPT_SWITCH && o->number) words_add(w, name, NULL);
}

/* The command line of profgen. */
static words profgen_words(const tool_context *tool, const char *path, const char *kind, const char *to)
{
    static const char *const passed[] = { "binary", "debug-binary", "debug-file-directory", "tid", "comm", "time",
                                          "cgroup", "event", "exclude-kernel", "quiet" };
    static const char *const fixed[] = { "format=text", "csspgo-preinliner=0", "csprof-merge-cold-context=0",
                                         "trim-cold-profile=0", "gen-cs-nested-profile=0", "max-dropped=100",
                                         "allow-empty" };
    words w;
    size_t i;
    memset(&w, 0, sizeof w);
    for (i = 0; i < sizeof passed / sizeof *passed; i++) words_pass(&w, tool, passed[i]);
    for (i = 0; i < sizeof fixed / sizeof *fixed; i++) words_add(&w, fixed[i], NULL);
    words_add(&w, kind, path);
    words_add(&w, "output", to);
    return w;
}

csspgo_status annotate_recording(const tool_context *tool, const char *path, const file_bytes *f, csspgo_profile *p,
                                 csspgo_error *e)
{
    const char *const tmp = getenv("TMPDIR");
    tool_context inner = *tool;
    const char *kind;
    char to[4096];
    words w;
    int fd, status;
    memset(e, 0, sizeof *e);
    if (strcmp(path, "-") == 0)
        return fail(tool, "-: a recording is read more than once: give a file"), CSSPGO_E_ARGUMENT;
    kind = picture_option(tool, path, f);
    if (kind == NULL) return CSSPGO_E_ARGUMENT;
    snprintf(to, sizeof to, "%.4000s/csspgo-XXXXXX", tmp != NULL && *tmp != '\0' ? tmp : "/tmp");
    fd = mkstemp(to);
    if (fd < 0) return fail(tool, "%s: %s", to, file_why()), CSSPGO_E_ARGUMENT;
    close(fd);
    w = profgen_words(tool, path, kind, to);
    inner.o = NULL;
    status = w.failed ? fail(tool, "out of memory") : command_run(&inner, "profgen", (int)w.count, w.v);
    if (status == 0 || status == 3) status = csspgo_read_file(p, to, e) != CSSPGO_OK && csspgo_record_count(p) != 0;
    else e->status = CSSPGO_E_ARGUMENT;
    unlink(to);
    while (w.count != 0) free(w.v[--w.count]);
    free(w.v);
    return status == 0 ? CSSPGO_OK : CSSPGO_E_ARGUMENT;
}
