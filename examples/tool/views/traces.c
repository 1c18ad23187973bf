/* traces.c - show and merge of instrumentation profiles with temporal traces: what order takes */
#include "views.h"

enum { TRACES_BEGIN = 65536 };    /* bytes in which a header must begin: comments may stand before it */

/* 1 if a text begins with a word of a header, such as :ir, behind comments and empty lines. */
static int is_header(const char *p, const char *end)
{
    while (p < end && (*p == '#' || *p == '\n' || *p == '\r')) {
        while (p < end && *p != '\n') p++;
        if (p < end) p++;
    }
    return end - p > 1 && p[0] == ':' && ((p[1] >= 'a' && p[1] <= 'z') || (p[1] >= 'A' && p[1] <= 'Z'));
}

int is_traces(const char *path)
{
    static const char raw[] = "\201rforpl\377", indexed[] = "\377lprofi\201";
    static char begin[TRACES_BEGIN];
    struct stat st;
    size_t n;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;   /* a pipe is read once */
    if (f == NULL) return 0;
    n = fread(begin, 1, sizeof begin, f);
    fclose(f);
    if (n >= 8 && (memcmp(begin, raw, 8) == 0 || memcmp(begin, indexed, 8) == 0)) return 1;
    return is_header(begin, begin + n);
}

/* Adds the traces of a file to l. Returns 0 after saying what is wrong. */
static int traces_read(const tool_context *tool, csspgo_layout *l, const char *path)
{
    csspgo_error e;
    file_bytes f;
    csspgo_status s;
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, file_why()), 0;
    s = csspgo_layout_read(l, f.data, f.size, &e);
    file_close(&f);
    return s == CSSPGO_OK || (fail_at(tool, path, &e), 0);
}

/* Prints trace i. Returns 0 if there is no memory. */
static int traces_print_one(const csspgo_layout *l, size_t i, FILE *out)
{
    uint64_t weight = 0, *id;
    const size_t n = csspgo_layout_trace(l, i, NULL, 0, &weight);
    size_t k;
    id = (uint64_t *)malloc((n + 1) * sizeof *id);
    if (id == NULL) return 0;
    csspgo_layout_trace(l, i, id, n, NULL);
    fprintf(out, "  Temporal Profile Trace %zu (weight=%" PRIu64 " count=%zu):\n", i, weight, n);
    for (k = 0; k < n; k++) {
        size_t size;
        const char *name = csspgo_layout_name(l, id[k], &size);
        if (name != NULL) fprintf(out, "    %.*s\n", (int)size, name);
        else fprintf(out, "    0x%016" PRIx64 "\n", id[k]);
    }
    free(id);
    return 1;
}

/* The traces of a file, at most `most`; if it has so many, those seen are as many as the file says. NULL: it failed. */
static csspgo_layout *traces_of(const tool_context *tool, const char *path, uint64_t most)
{
    csspgo_layout_options how;
    csspgo_layout *l;
    memset(&how, 0, sizeof how);
    how.limit_traces = how.limit_length = 1;
    how.max_traces = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    how.max_length = UINT32_MAX;
    l = csspgo_layout_new(&how, seeded(), NULL);
    if (l == NULL) return fail(tool, "out of memory"), NULL;
    if (traces_read(tool, l, path)) return l;
    csspgo_layout_free(l);
    return NULL;
}

int show_traces(const tool_context *tool, const char *path, FILE *out)
{
    csspgo_layout *l = traces_of(tool, path, UINT32_MAX);
    csspgo_layout_stats stats;
    size_t i;
    int ok = 1;
    if (l == NULL) return 0;
    stats = csspgo_layout_get_stats(l);
    csspgo_layout_free(l);
    l = traces_of(tool, path, stats.traces);
    if (l == NULL) return 0;
    stats = csspgo_layout_get_stats(l);
    fprintf(out, "Temporal Profile Traces (samples=%" PRIu64 " seen=%" PRIu64 "):\n", stats.traces, stats.stream);
    for (i = 0; ok && i < stats.traces; i++) ok = traces_print_one(l, i, out) || (fail(tool, "out of memory"), 0);
    csspgo_layout_free(l);
    return ok;
}

static uint32_t traces_limit(const merge *m, const char *name, uint32_t least)
{
    const option *o = option_named(m->o, name, strlen(name));
    if (!o->given) return least;
    return (uint64_t)o->number < UINT32_MAX ? (uint32_t)o->number : UINT32_MAX;
}

/* Adds up the inputs, as LLVM's tool does in one thread. Returns 0 after saying what is wrong. */
static int traces_add(const merge *m, csspgo_layout *l)
{
    size_t i;
    for (i = 0; i < m->inputs; i++) {
        if (m->input[i].weight != 1)
            return fail(m->tool, "%s: a weight of an instrumentation profile is not implemented", m->input[i].path), 0;
        if (!traces_read(m->tool, l, m->input[i].path)) return 0;
    }
    return 1;
}

int merge_traces(merge *m)
{
    const char *path = m->o[M_OUTPUT].text;
    csspgo_layout_options how;
    csspgo_layout *l;
    csspgo_error e;
    int status = 1;
    e.message[0] = '\0';
    if (m->o[M_JSON].number) return usage(m->tool, "--json does not go with an instrumentation profile");
    if (m->o[M_FORM].number == CSSPGO_GCOV && m->tool->compat) return fail(m->tool, "unknown format is specified");
    if (m->o[M_FORM].number == CSSPGO_GCOV)
        return usage(m->tool, "%s is an instrumentation profile, of which there is no GCC form", m->input[0].path);
    memset(&how, 0, sizeof how);
    how.limit_traces = how.limit_length = 1;
    how.max_traces = traces_limit(m, "temporal-profile-trace-reservoir-size", 100);
    how.max_length = traces_limit(m, "temporal-profile-max-trace-length", 10000);
    how.seed = traces_limit(m, "random-seed", 0);
    how.indexed = m->o[M_FORM].number != CSSPGO_TEXT;
    how.llvm = (uint32_t)m->tool->compat;
    l = csspgo_layout_new(&how, seeded(), NULL);
    if (l == NULL) return fail(m->tool, "out of memory");
    if (traces_add(m, l) && write_traces(l, path, &e) == CSSPGO_OK) status = 0;
    else if (e.message[0] != '\0') fail(m->tool, "%s: %s", path, plain(&e));
    csspgo_layout_free(l);
    return status;
}
