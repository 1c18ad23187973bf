/* loss_report.c - profgen: says what is not in the profile, in warnings, as JSON and by the exit status */
#include "profgen.h"

const char *const loss_keys[LOSS_REASONS] = {
    "no_stack", "prologue", "late_stacks", "in_other_files", "in_kernel", "unmapped", "no_branch_in_program",
    "no_branch_records", "no_function", "no_probes_or_lines", "no_record"
};

/* ----- numbers ---------------------------------------------------------------------------------------------------- */

uint64_t loss_all(const loss_unit *u)
{
    uint64_t n = u->kept;
    size_t i;
    for (i = 0; i < LOSS_REASONS; i++) n = sum_of(n, u->lost[i]);
    return n;
}

/* Of sums that do not saturate. */
static double loss_share(const loss_unit *u)
{
    double lost = 0;
    size_t i;
    for (i = 0; i < LOSS_REASONS; i++) lost += (double)u->lost[i];
    return lost > 0 ? 100 * lost / (lost + (double)u->kept) : 0;
}

/* Samples, or where the input is counters what ran. */
static const loss_unit *loss_main(const loss *l)
{
    return l->samples[0].read != 0 ? &l->samples[0] : &l->runs;
}

/* The first name of a reason, and how many there are. */
static const loss_name *loss_names_of(const loss *l, int why, size_t *count)
{
    size_t a = 0, b;
    while (a < l->names && l->name[a].why != why) a++;
    for (b = a; b < l->names && l->name[b].why == why; b++) {}
    *count = b - a;
    return l->name + a;
}

static int loss_file_cmp(const void *a, const void *b)
{
    const tallied *x = *(const tallied *const *)a, *y = *(const tallied *const *)b;
    if (x->n.lost != y->n.lost) return x->n.lost > y->n.lost ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* The files that are not given, most samples first. Returns NULL without memory; of `count` the first have some. */
static const tallied **loss_files(const tally *x, size_t *count)
{
    const tallied **const v = (const tallied **)malloc(((x != NULL ? x->files : 0) + 1) * sizeof *v);
    size_t i;
    *count = 0;
    for (i = 0; v != NULL && x != NULL && i < x->files; i++)
        if (x->file[i].n.lost != 0) v[(*count)++] = &x->file[i];
    if (v != NULL && *count != 0) qsort(v, *count, sizeof *v, loss_file_cmp);
    return v;
}

/* What takes a file in; empty: nothing does. Files have a path; other mappings are of JITs, or the kernel's own. */
static const char *loss_file_use(const char *path, char *use, size_t room)
{
    if (*path == '/' && path[1] != '/' && strstr(path, " (deleted)") == NULL) snprintf(use, room, "--binary=%s", path);
    else snprintf(use, room, "%s", strncmp(path, "//anon", 6) == 0 || strncmp(path, "[anon", 5) == 0 ||
                                   strncmp(path, "/memfd:", 7) == 0 ? "--jitdump or --perf-map" : "");
    return use;
}

/* ----- warnings --------------------------------------------------------------------------------------------------- */

enum { LOSS_LINE = 1400, LOSS_NAME = 200 };

/* Adds to a line what fits. */
static void line_add(char *line, const char *format, ...)
{
    const size_t n = strlen(line);
    va_list v;
    va_start(v, format);
    vsnprintf(line + n, LOSS_LINE - n, format, v);
    va_end(v);
}

/* ": --binary=FILE 12.34%, ..."; what no option takes in by its name alone */
static void line_files(const tally *t, double all, char *line)
{
    size_t n, i;
    const tallied **const v = loss_files(t, &n);
    for (i = 0; v != NULL && i < n && i < LOSS_SHOWN; i++) {
        char safe[LOSS_NAME], use[LOSS_NAME + 16];
        safe[mapped_name(safe, v[i]->path, sizeof safe - 1)] = '\0';
        loss_file_use(safe, use, sizeof use);
        line_add(line, "%s%s %.2f%%", i == 0 ? ": " : ", ",
                 *use != '\0' ? use : *safe != '\0' ? safe : "memory without a name",
                 100 * (double)v[i]->n.lost / all);
    }
    if (v != NULL && n > LOSS_SHOWN) line_add(line, " and %zu more", n - LOSS_SHOWN);
    free(v);
}

/* ": NAME 12.34%, ..."; sections, which are no functions, in brackets. */
static void line_functions(const loss *l, int why, double all, char *line)
{
    size_t n, i;
    const loss_name *const v = loss_names_of(l, why, &n);
    for (i = 0; i < n && i < LOSS_FUNCTIONS; i++) {
        char name[LOSS_NAME], safe[LOSS_NAME];
        snprintf(name, sizeof name, why == LOSS_NO_FUNCTION ? "[%.*s]" : "%.*s",
                 (int)(v[i].size < sizeof name ? v[i].size : sizeof name), v[i].text);
        safe[mapped_name(safe, name, sizeof safe - 1)] = '\0';
        line_add(line, "%s%s %.2f%%", i == 0 ? ": " : ", ", safe, 100 * (double)v[i].n / all);
    }
    if (n > LOSS_FUNCTIONS) line_add(line, " and %zu more", n - LOSS_FUNCTIONS);
}

static void loss_warn(const tool_context *tool, const loss *l, const loss_unit *u, int why)
{
    const int by_line = l->lines != NULL;
    const struct { const char *where, *then; } say[LOSS_REASONS] = {
        { NULL, NULL }, { NULL, NULL }, { NULL, NULL },
        { "in files that are not given", NULL },
        { "in the kernel", "a run with --kernel --binary=vmlinux makes its profile" },
        { "in no file that was mapped", NULL },
        { NULL, NULL }, { NULL, NULL },
        { "in code of no function", NULL },
        { by_line ? "in functions without line information" : "in functions without probes",
          by_line ? "build them with -g1 -fdebug-info-for-profiling" : "build them with -fpseudo-probe-for-profiling" },
        { "in functions without a record in the profile", NULL }
    };
    const loss_unit *const runs = &l->runs;
    const uint64_t all = loss_all(u);
    char line[LOSS_LINE] = "";
    const uint64_t n = why <= LOSS_NOWHERE ? u->outside[why] : u->lost[why];
    if (say[why].where == NULL || n == 0 || percent(n, all) < (why <= LOSS_NOWHERE ? 10 : 1)) return;
    if (why <= LOSS_NOWHERE && n == 1) return;               /* one sample tells no share */
    line_add(line, "%.2f%% (%" PRIu64 "/%" PRIu64 ") of %s", percent(n, all), n, all,
             u == runs ? "the code that ran" : "the samples");
    if (u != runs && why >= LOSS_NO_FUNCTION)
        line_add(line, ", %.2f%% of the code that ran,", percent(runs->lost[why], loss_all(runs)));
    line_add(line, " %s %s", u == runs ? "is" : "are", say[why].where);
    if (why == LOSS_FILES) line_files(l->tally, (double)all, line);
    if (why >= LOSS_NO_FUNCTION) line_functions(l, why, (double)all, line);
    warn(tool, "%s%s%s%s", line, say[why].then != NULL ? " (" : "", say[why].then != NULL ? say[why].then : "",
         say[why].then != NULL ? ")" : "");
}

/* Counts that were dropped on the way from the first profile to the one that is written. */
static void loss_warn_counts(const tool_context *tool, const option *o, const loss *l, int contexts)
{
    const option *const hot = &o[O_CUTOFF_HOT], *const cold = &o[O_CUTOFF_COLD];
    const double cut = 100 - (double)(contexts ? hot : cold)->number / 10000;
    const uint64_t other = l->step[LOSS_CHECKSUMS], trimmed = l->step[LOSS_TRIMMED];
    if (other != 0)
        warn(tool, "%.2f%% (%" PRIu64 "/%" PRIu64 ") of the counts are dropped: checksums of one function differ",
             percent(other, l->made), other, l->made);
    if (percent(trimmed, l->made) > (cut > 1 ? cut : 1))
        warn(tool, "%.2f%% (%" PRIu64 "/%" PRIu64 ") of the counts are trimmed as cold", percent(trimmed, l->made),
             trimmed, l->made);
}

/*
 * What is lost: from 1% on, and in other code, where every program spends some time, from 10% on. The collector's
 * reasons are told by profgen_warnings.
 */
void loss_warnings(const profgen *g)
{
    int why;
    if (g->loss == NULL || g->tool->quiet) return;
    for (why = 0; why < LOSS_REASONS; why++) loss_warn(g->tool, g->loss, loss_main(g->loss), why);
    loss_warn_counts(g->tool, g->o, g->loss, csspgo_collector_has_contexts(g->count.collector));
}

/* The way of the samples: each number is at most the one before, and what is between them has a reason in the JSON. */
void loss_text(const loss *l, FILE *out)
{
    const loss_unit *const u = &l->samples[0];
    const uint64_t *const lost = u->lost;
    const uint64_t places = sum_of(u->kept, lost[LOSS_NO_RECORD]), functions = sum_of(places, lost[LOSS_NO_PLACES]);
    const uint64_t program = sum_of(functions, lost[LOSS_NO_FUNCTION]), all = loss_all(u);
    fprintf(out, "health: %.1f%% of the samples count in the program, %.1f%% in its functions, "
            "%.1f%% in those with %s, %.1f%% are in the profile\n",
            percent(program, all), percent(functions, all), percent(places, all), l->lines != NULL ? "lines" : "probes",
            percent(u->kept, all));
}

/* ----- JSON ------------------------------------------------------------------------------------------------------- */

static void json_unit(json *j, const char *key, const loss_unit *u)
{
    size_t i;
    json_begin(j, key, '{');
    json_count(j, "read", u->read);
    json_count(j, "of_other_processes", u->others);
    json_count(j, "kept", u->kept);
    json_begin(j, "in_other_code", '{');
    for (i = LOSS_FILES; i <= LOSS_NOWHERE; i++) json_count(j, loss_keys[i], u->outside[i]);
    json_end(j);
    json_begin(j, "reasons", '{');
    for (i = 0; i < LOSS_REASONS; i++) json_count(j, loss_keys[i], u->lost[i]);
    json_end(j);
    json_real(j, "share", loss_share(u) / 100);
    json_end(j);
}

static void json_functions(json *j, const loss *l)
{
    size_t n, i;
    int why;
    json_begin(j, "functions", '[');
    for (why = LOSS_NO_FUNCTION; why < LOSS_REASONS; why++) {
        const loss_name *const v = loss_names_of(l, why, &n);
        for (i = 0; i < n && i < LOSS_FUNCTIONS; i++) {
            json_begin(j, NULL, '{');
            json_bytes(j, why == LOSS_NO_FUNCTION ? "section" : "function", v[i].text, v[i].size);
            json_text(j, "reason", loss_keys[why]);
            json_count(j, "count", v[i].n);
            json_end(j);
        }
    }
    json_end(j);
}

static void json_files(const tally *t, json *j)
{
    size_t n, i;
    const tallied **const v = loss_files(t, &n);
    json_begin(j, "files", '[');
    for (i = 0; v != NULL && i < n && i < LOSS_FUNCTIONS; i++) {
        char use[4096];
        json_begin(j, NULL, '{');
        json_text(j, "path", v[i]->path);
        json_count(j, "count", v[i]->n.lost);
        json_text(j, "use", loss_file_use(v[i]->path, use, sizeof use));
        json_end(j);
    }
    json_end(j);
    free(v);
}

/* A member "loss" of the document, and the density. */
void loss_json(const loss *l, json *j)
{
    json_begin(j, "loss", '{');
    json_unit(j, "samples", &l->samples[0]);
    json_unit(j, "runs", &l->runs);
    json_begin(j, "counts", '{');
    json_count(j, "made", l->made);
    json_count(j, "copied", l->copied);
    json_count(j, "other_checksums", l->step[LOSS_CHECKSUMS]);
    json_count(j, "trimmed", l->step[LOSS_TRIMMED]);
    json_count(j, "nested", l->step[LOSS_NESTED]);
    json_count(j, "written", l->written);
    json_end(j);
    json_functions(j, l);
    json_files(l->tally, j);
    json_end(j);
    if (l->density >= 0) json_real(j, "density", l->density);
}

/* ----- status ----------------------------------------------------------------------------------------------------- */

/* The exit status: 3 if more was lost than --max-dropped allows; in compat mode, of what the collector dropped. */
int loss_status(const profgen *g)
{
    const option *const most = &g->o[O_MAX_DROPPED];
    const loss_unit *const u = g->loss != NULL ? loss_main(g->loss) : NULL;
    const uint64_t all = u != NULL ? loss_all(u) : csspgo_collector_get_stats(g->count.collector).samples;
    const double share = u != NULL ? loss_share(u) : percent(profgen_dropped(g->count.collector, g->tool, g->o), all);
    const char *const what = u != NULL && u == &g->loss->runs ? "runs of code" : "samples";
    if (most->text != NULL && share > option_percent(most))
        return missed(g->tool, "%.2f%% of %" PRIu64 " %s were dropped, more than --max-dropped=%s", share, all, what,
                      most->text);
    if (u != NULL && most->text == NULL && share > LOSS_ALLOWED)
        return missed(g->tool, "%.2f%% of %" PRIu64 " %s are not in the profile; --max-dropped=100 allows that", share,
                      all, what);
    return 0;
}
