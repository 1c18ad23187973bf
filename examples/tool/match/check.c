/* check.c - the command check: what of a profile still fits a program, function by function */
#include "match.h"

enum { CK_BINARY, CK_DEBUG, CK_OUTPUT, CK_O_ALIAS, CK_JSON, CK_TOP, CK_MIN_FIT, CK_QUIET };

static const option check_options[] = {
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the program, with pseudo probes, or else debug information if the profile is by source line; also its "
           "libraries: what fits one of them fits"),
    DEBUG_BINARY,
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where the output goes; standard output is the default"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "prints JSON, for programs"),
    OPTION("top", OPT_COUNT, NULL, 10, "N", "how many of the functions that lost samples are listed"),
    OPTION("min-fit", OPT_PERCENT, NULL, 0, "PERCENT", "status 3 if a smaller share of the samples than this fits"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    DEMANGLER,
    OPTIONS_END
};

/* What became of a function of the profile; the order is that of the tables. */
typedef enum check_state { CHECK_FITS, CHECK_PART, CHECK_CHANGED, CHECK_GONE, CHECK_STATES } check_state;

static const char *const state_text[] = { "fit as they are", "fit in part", "changed", "not in the program" };
static const char *const state_key[] = { "fit", "part", "changed", "gone" };

typedef struct check_place {      /* a location of a function of the program */
    size_t            code;       /* of match_run.code */
    csspgo_loc        loc;
    csspgo_match_kind kind;
} check_place;

typedef struct check_func {       /* a function of the profile; by its id */
    csspgo_func func;
    uint64_t    samples, lost;
    size_t      code;             /* of match_run.code; SIZE_MAX: the program has none */
    uint32_t    records, changed; /* changed: those of another control flow */
} check_func;

typedef struct check_run {
    match_run    m;
    match_old   *guid;            /* functions of the program by GUID; func.id is the place in m.code */
    check_place *place;           /* of all functions, sorted */
    size_t       places;
    check_func  *func;
    unsigned char *reached;       /* by node id: 1 if all call sites of its context are there */
    uint64_t     contexts, contexts_here, context_samples, context_samples_here;
    uint64_t     functions[CHECK_STATES], samples[CHECK_STATES], lost;
} check_run;

/* ----- the program ------------------------------------------------------------------------------------------------ */

static int guid_order(const void *a, const void *b)
{
    const match_old *x = (const match_old *)a, *y = (const match_old *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->func.id < y->func.id ? -1 : x->func.id > y->func.id;
}

static int check_place_order(const void *a, const void *b)
{
    const check_place *x = (const check_place *)a, *y = (const check_place *)b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    if (x->loc.line != y->loc.line) return x->loc.line < y->loc.line ? -1 : 1;
    return x->loc.discriminator < y->loc.discriminator ? -1 : x->loc.discriminator > y->loc.discriminator;
}

/* Returns 0: out of memory. */
static int check_index(check_run *c)
{
    const match_run *const m = &c->m;
    size_t i, k, n = 0;
    for (i = 0; i < m->codes; i++) n += m->code[i].locs;
    c->guid = (match_old *)calloc(m->codes + 1, sizeof *c->guid);
    c->place = (check_place *)calloc(n + 1, sizeof *c->place);
    c->func = (check_func *)calloc(csspgo_func_count(m->old) + (size_t)1, sizeof *c->func);
    c->reached = (unsigned char *)calloc(csspgo_node_count(m->old) + (size_t)2, 1);
    if (c->guid == NULL || c->place == NULL || c->func == NULL || c->reached == NULL) return 0;
    for (i = 0; i < m->codes; i++) {
        c->guid[i].guid = m->code[i].guid;
        c->guid[i].func.id = (uint32_t)i;
        for (k = 0; k < m->code[i].locs; k++) {
            check_place *const p = &c->place[c->places++];
            p->code = i;
            p->loc = m->code[i].loc[k].loc;
            p->kind = m->code[i].loc[k].kind;
        }
    }
    if (m->codes != 0) qsort(c->guid, m->codes, sizeof *c->guid, guid_order);
    if (c->places != 0) qsort(c->place, c->places, sizeof *c->place, check_place_order);
    return 1;
}

static size_t code_of(const check_run *c, uint64_t guid)
{
    match_old key;
    size_t a = 0, b = c->m.codes;
    memset(&key, 0, sizeof key);
    key.guid = guid;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (guid_order(&c->guid[mid], &key) < 0) a = mid + 1;
        else b = mid;
    }
    return a < c->m.codes && c->guid[a].guid == guid ? c->guid[a].func.id : SIZE_MAX;
}

/* The location of a function of the program; NULL: it has none there. */
static const check_place *place_of(const check_run *c, size_t code, csspgo_loc loc)
{
    check_place key;
    key.code = code;
    key.loc = loc;
    return code == SIZE_MAX ? NULL
                            : (const check_place *)bsearch(&key, c->place, c->places, sizeof key, check_place_order);
}

/* ----- the profile ------------------------------------------------------------------------------------------------ */

/* 1 if a record was made of another control flow. Lines have no checksum. */
static int is_changed(const check_run *c, csspgo_node node, size_t code)
{
    const uint64_t checksum = csspgo_checksum(c->m.old, node);
    if (code == SIZE_MAX || c->m.lines != NULL || !csspgo_has_record(c->m.old, node)) return 0;
    return checksum != c->m.code[code].checksum && !(c->m.code[code].flags & CSSPGO_MATCH_NO_CHECKSUM);
}

/* 1 if the caller of a node has the call site, and is reached itself. */
static int is_reached(const check_run *c, csspgo_node node)
{
    const csspgo_profile *const p = c->m.old;
    const csspgo_node up = csspgo_node_parent(p, node);
    const check_place *at;
    size_t caller;
    if (up.id == csspgo_root(p).id) return 1;
    caller = c->func[csspgo_node_func(p, up).id].code;
    at = place_of(c, caller, csspgo_node_loc(p, node));
    return c->reached[up.id] && at != NULL && at->kind != CSSPGO_MATCH_BLOCK && !is_changed(c, up, caller);
}

/* Counts a node's samples, and those that nothing of the program takes: an inlinee needs its call sites, too. */
static void check_node(check_run *c, csspgo_node node)
{
    const csspgo_profile *const p = c->m.old;
    check_func *const f = &c->func[csspgo_node_func(p, node).id];
    const int inlinee = csspgo_node_kind_of(p, node) == CSSPGO_INLINEE, changed = is_changed(c, node, f->code);
    const int here = c->reached[node.id] || !inlinee;
    uint64_t samples = 0, lost = 0;
    size_t n, i;
    const csspgo_body *b = csspgo_get_bodies(p, node, &n);
    if (!csspgo_has_record(p, node)) return;
    for (i = 0; i < n; i++) {
        samples = sum_of(samples, b[i].count);
        if (changed || !here || place_of(c, f->code, b[i].loc) == NULL) lost = sum_of(lost, b[i].count);
    }
    f->records++;
    f->changed += (uint32_t)changed;
    f->samples = sum_of(f->samples, samples);
    f->lost = sum_of(f->lost, lost);
    if (csspgo_node_parent(p, node).id == csspgo_root(p).id || inlinee) return;
    c->contexts++;
    c->contexts_here += c->reached[node.id];
    c->context_samples = sum_of(c->context_samples, samples);
    if (c->reached[node.id]) c->context_samples_here = sum_of(c->context_samples_here, samples);
}

static check_state state_of(const check_func *f)
{
    if (f->code == SIZE_MAX) return CHECK_GONE;
    if (f->changed != 0 && f->changed == f->records) return CHECK_CHANGED;
    return f->lost != 0 ? CHECK_PART : CHECK_FITS;
}

static void check_all(check_run *c)
{
    const csspgo_profile *const p = c->m.old;
    csspgo_node node = csspgo_root(p);
    uint32_t i;
    for (i = 1; i <= csspgo_func_count(p); i++) {
        c->func[i].func.id = i;
        c->func[i].code = code_of(c, csspgo_func_guid(p, c->func[i].func));
    }
    while ((node = csspgo_node_next(p, csspgo_root(p), node)).id != 0) {
        c->reached[node.id] = (unsigned char)is_reached(c, node);
        check_node(c, node);
    }
    for (i = 1; i <= csspgo_func_count(p); i++) {
        const check_state s = state_of(&c->func[i]);
        if (c->func[i].records == 0) continue;
        c->functions[s]++;
        c->samples[s] = sum_of(c->samples[s], c->func[i].samples);
        c->lost = sum_of(c->lost, c->func[i].lost);
    }
}

/* ----- the report ------------------------------------------------------------------------------------------------- */

static int lost_order(const void *a, const void *b)
{
    const check_func *x = (const check_func *)a, *y = (const check_func *)b;
    if (x->lost != y->lost) return x->lost > y->lost ? -1 : 1;
    return x->func.id < y->func.id ? -1 : x->func.id > y->func.id;
}

static uint64_t all_samples(const check_run *c)
{
    return sum_of(sum_of(c->samples[0], c->samples[1]), sum_of(c->samples[2], c->samples[3]));
}

/* What fits, in percent; an empty profile fits nothing. */
static double fit_of(const check_run *c)
{
    return percent(all_samples(c) - c->lost, all_samples(c));
}

static void report_text(check_run *c, size_t rows, FILE *out)
{
    const uint64_t all = all_samples(c);
    size_t i;
    fprintf(out, "%-20s %9s %16s %7s\n", "profiled functions", "number", "samples", "share");
    for (i = 0; i < CHECK_STATES; i++)
        fprintf(out, "%-20s %9" PRIu64 " %16" PRIu64 " %6.1f%%\n", state_text[i], c->functions[i], c->samples[i],
                percent(c->samples[i], all));
    fprintf(out, "samples that fit: %.2f%%, %" PRIu64 " of %" PRIu64 "\n", fit_of(c), all - c->lost, all);
    if (c->contexts != 0)
        fprintf(out,
                "contexts whose call sites are all there: %" PRIu64 " of %" PRIu64 ", with %.2f%% of their samples\n",
                c->contexts_here, c->contexts, percent(c->context_samples_here, c->context_samples));
    if (rows != 0) fprintf(out, "%16s %16s  %s\n", "lost samples", "of", "function");
    for (i = 0; i < rows; i++) {
        fprintf(out, "%16" PRIu64 " %16" PRIu64 "  ", c->func[i].lost, c->func[i].samples);
        put_name_safe(c->m.tool, c->m.old, c->func[i].func, out);
        fprintf(out, ": %s\n", state_of(&c->func[i]) == CHECK_CHANGED ? "its control flow has changed"
                               : state_of(&c->func[i]) == CHECK_GONE  ? "not in the program"
                               : c->func[i].changed != 0              ? "some records are of another control flow"
                                                                      : "some locations or callers are gone");
    }
}

static void json_groups(const char *key, const uint64_t *v, FILE *out)
{
    size_t i;
    fprintf(out, "  \"%s\": {", key);
    for (i = 0; i < CHECK_STATES; i++) fprintf(out, "%s\"%s\": %" PRIu64, i != 0 ? ", " : " ", state_key[i], v[i]);
    fputs(" },\n", out);
}

static void report_json(check_run *c, size_t rows, FILE *out)
{
    size_t i, n;
    fputs("{\n", out);
    json_groups("functions", c->functions, out);
    json_groups("samples", c->samples, out);
    fprintf(out, "  \"lost_samples\": %" PRIu64 ",\n  \"fit_percent\": %.4f,\n", c->lost, fit_of(c));
    fprintf(out, "  \"contexts\": { \"all\": %" PRIu64 ", \"here\": %" PRIu64 ", \"samples\": %" PRIu64
            ", \"samples_here\": %" PRIu64 " },\n  \"lost\": [", c->contexts, c->contexts_here, c->context_samples,
            c->context_samples_here);
    for (i = 0; i < rows; i++) {
        const char *name = csspgo_func_name(c->m.old, c->func[i].func, &n);
        fprintf(out, "%s\n    { \"function\": ", i != 0 ? "," : "");
        if (name != NULL) json_string(out, name, n);
        else fprintf(out, "\"%" PRIu64 "\"", csspgo_func_guid(c->m.old, c->func[i].func));
        fprintf(out, ", \"state\": \"%s\", \"samples\": %" PRIu64 ", \"lost\": %" PRIu64 " }",
                state_key[state_of(&c->func[i])], c->func[i].samples, c->func[i].lost);
    }
    fputs(rows != 0 ? "\n  ]\n}\n" : "]\n}\n", out);
}

/* Returns the exit status. */
static int check_report(check_run *c)
{
    const tool_context *const tool = c->m.tool;
    const char *path = c->m.o[CK_OUTPUT].text;
    const uint64_t top = (uint64_t)c->m.o[CK_TOP].number;
    size_t rows = 0, n = csspgo_func_count(c->m.old);
    output o;
    FILE *out = stream_begin(tool, &o, path);
    int status;
    if (out == NULL) return 1;
    memmove(c->func, c->func + 1, n * sizeof *c->func);
    qsort(c->func, n, sizeof *c->func, lost_order);
    while (rows < n && rows < top && c->func[rows].lost != 0) rows++;
    (c->m.o[CK_JSON].number ? report_json : report_text)(c, rows, out);
    status = stream_end(tool, &o, path, 1);
    if (status != 0) return status;
    if (all_samples(c) == 0) return hopeless(tool, "%s: the profile is empty", c->m.profile);
    if (c->lost == all_samples(c))
        return hopeless(tool, "nothing of %s fits: is it a profile of %s?", c->m.profile, c->m.shown);
    if (fit_of(c) < option_percent(&c->m.o[CK_MIN_FIT]))
        return missed(tool, "%.2f%% of the samples of %s fit %s, less than --min-fit=%s", fit_of(c), c->m.profile,
                        c->m.shown, c->m.o[CK_MIN_FIT].text);
    return 0;
}

/* ----- the command ------------------------------------------------------------------------------------------------ */

/* Returns 0 after saying what is wrong. */
static int check_arguments(check_run *c, int files, char **argv)
{
    match_run *const m = &c->m;
    const char *const to = m->o[CK_OUTPUT].text;
    if (files == 0) return usage(m->tool, "which profile?"), 0;
    if (files > 1) return usage(m->tool, "one profile, not '%s' too", argv[1]), 0;
    m->profile = argv[0];
    if (m->o[CK_BINARY].count == 0) return usage(m->tool, "which program? --binary is missing"), 0;
    return output_spares(m->tool, to, m->profile) && output_spares_all(m->tool, to, &m->o[CK_BINARY]) &&
           output_spares_all(m->tool, to, &m->o[CK_DEBUG]);
}

/* Returns the exit status. */
static int check_do(check_run *c)
{
    match_run *const m = &c->m;
    if (!output_ready(m->tool, m->o[CK_OUTPUT].text)) return 1;
    m->old = profiles_read(m->tool, &m->profile, 1);
    if (m->old == NULL || !match_load(m, &m->o[CK_BINARY])) return 1;
    if (!check_index(c)) return fail(m->tool, "out of memory");
    check_all(c);
    return check_report(c);
}

static int check_main(tool_context *tool, int argc, char **argv)
{
    check_run c;
    int status = 2, files;
    memset(&c, 0, sizeof c);
    c.m.tool = tool;
    files = options_parse(tool, check_options, argc, argv);
    c.m.o = tool->o;
    if (files >= 0 && check_arguments(&c, files, argv)) status = check_do(&c);
    match_free(&c.m);
    free(c.guid);
    free(c.place);
    free(c.func);
    free(c.reached);
    return status;
}

const command check_command = {
    "check", check_main, check_options, NULL,
    "csspgo check --binary=FILE [--min-fit=PERCENT] [--json] [-o FILE] PROFILE\n",
    "tells how much of a profile fits a program, function by function",
    "What does not fit, csspgo match carries over to the new code.\n"
};
