/* profgen_health.c - profgen: what became of the samples, and what to do better when recording */
#include "profgen.h"
#include "profdata.h"

enum { HEALTH_PROCESSES = 1000, HEALTH_SHOWN = 3, HEALTH_ADVICE = 7 };

typedef struct health_process {
    uint32_t pid;                 /* 0: samples that do not say of which process they are       */
    uint64_t samples, here;       /* here: the sampled address is in the program                */
} health_process;

struct health {
    health_process *process;      /* by pid; what comes when there are HEALTH_PROCESSES: others */
    size_t          processes, room, last;
    health_process  others;
    uint64_t        here, probed; /* samples in the program; in a function that has probes      */
    uint64_t        stacks, bare; /* of samples in the program: those with a call stack; of one frame */
};

typedef struct health_count { const char *key, *text; uint64_t n; } health_count;

typedef struct health_advice { const char *flag, *why; } health_advice;

/* ----- gathering -------------------------------------------------------------------------------------------------- */

/* 1 if a report is wanted: of a file's name, or on a terminal. */
int health_wanted(const profgen *g)
{
    if (g->tool->compat || g->sampler != NULL || g->jit != NULL || g->aggregator != NULL) return 0;
    return g->o[O_REPORT].text != NULL || (!g->tool->quiet && isatty(fileno(g->tool->err)));
}

static health_process *process_of(health *h, uint32_t pid)
{
    size_t a = 0, b = h->processes;
    if (h->last < b && h->process[h->last].pid == pid) return &h->process[h->last];
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (h->process[mid].pid < pid) a = mid + 1;
        else b = mid;
    }
    h->last = a;
    if (a < h->processes && h->process[a].pid == pid) return &h->process[a];
    if (h->processes == HEALTH_PROCESSES) return &h->others;
    if (h->process == NULL) h->process = (health_process *)malloc(HEALTH_PROCESSES * sizeof *h->process);
    if (h->process == NULL) return &h->others;
    memmove(h->process + a + 1, h->process + a, (h->processes++ - a) * sizeof *h->process);
    memset(&h->process[a], 0, sizeof *h->process);
    h->process[a].pid = pid;
    return &h->process[a];
}

static int has_probes(const profgen *g, uint64_t address)
{
    size_t a = 0, b = g->image.ranges;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (g->image.range[mid].end <= address) a = mid + 1;
        else b = mid;
    }
    return a < g->image.ranges && g->image.range[a].begin <= address;
}

/* A sample at link-time addresses. */
void health_sample(profgen *g, const csspgo_sample *s)
{
    const uint64_t n = s->count != 0 ? s->count : 1;
    const uint64_t at = s->stack_count != 0 ? s->stack[0] : s->branch_count != 0 ? s->branches[0].to : 0;
    health_process *p;
    if (g->health == NULL && (g->health = (health *)calloc(1, sizeof *g->health)) == NULL) return;
    p = process_of(g->health, s->pid);
    p->samples += n;
    if (!is_code(g, at)) return;
    p->here += n;
    g->health->here += n;
    if (has_probes(g, at - g->bias)) g->health->probed += n;
    if (s->stack_count == 0) return;
    g->health->stacks += n;
    if (s->stack_count == 1) g->health->bare += n;
}

void health_free(health *h)
{
    if (h != NULL) free(h->process);
    free(h);
}

/* ----- judging ---------------------------------------------------------------------------------------------------- */

static uint64_t samples_of(const health *h)
{
    uint64_t n = h->others.samples;
    size_t i;
    for (i = 0; i < h->processes; i++) n += h->process[i].samples;
    return n;
}

/* What should be recorded or built otherwise. Returns how many there are. */
static size_t advice_of(const profgen *g, const health *h, health_advice *a)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    const uint64_t samples = samples_of(h), broken = s.mismatched_leaf + s.mismatched_external;
    struct { int holds; health_advice it; } rule[] = {
        { s.branches == 0 && s.addresses != 0,
          { "perf record -b, or csspgo record", "there are no branch records: counts are estimates" } },
        { s.branches != 0 && h->stacks == 0 && !g->o[O_IGNORE_STACK].number,
          { "perf record -g", "there are no call stacks: the profile is without contexts" } },
        { h->bare > h->stacks / 2,
          { "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer", "most call stacks have one frame" } },
        { h->bare <= h->stacks / 2 && s.cut_stacks > s.unwound / 4,
          { "-mno-omit-leaf-frame-pointer", "many call stacks lack the caller of the leaf" } },
        { broken > s.branches / 100,
          { "-fno-optimize-sibling-calls", "branches do not fit the call stacks: tail calls remove frames" } },
        { g->spaces != NULL && csspgo_spaces_get_stats(g->spaces).other_builds != 0,
          { "--binary", "another build of the program was recorded" } },
        { h->here < samples / 10, { "--binary", "few samples are in this program" } },
    };
    size_t i, n = 0;
    for (i = 0; i < sizeof rule / sizeof *rule; i++)
        if (rule[i].holds) a[n++] = rule[i].it;
    return n;
}

/* Why samples do not count, and what was mended; ends with a NULL key. */
static void counts_of(const profgen *g, health_count *dropped, health_count *repaired)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    const health_count d[] = {
        { "no_stack", "without a call stack", s.no_stack },
        { "not_in_program", "not in the program", s.no_branches },
        { "prologue", "in a prologue or epilogue", s.prologue_leaves },
        { "late_stacks", "of late stacks", g->o[O_BOGUS].number ? 0 : s.late_stacks },
        { NULL, NULL, 0 }
    };
    const health_count r[] = {
        { "missing_callers_found", "stacks with the missing caller", s.repaired_stacks },
        { "callers_not_found", "stacks without it", s.cut_stacks },
        { "bad_return_addresses", "stacks cut at no call", s.bad_return_addresses },
        { "truncated_contexts", "contexts cut at other code", s.truncated_contexts },
        { "deep_contexts", "contexts cut as too deep", s.deep_contexts },
        { "interrupts_removed", "interrupts left out", s.elided_interrupts },
        { NULL, NULL, 0 }
    };
    memcpy(dropped, d, sizeof d);
    memcpy(repaired, r, sizeof r);
}

/* ----- the two forms ---------------------------------------------------------------------------------------------- */

/* ", 3 of this, 4 of that": those that are there. */
static void put_counts(const health_count *c, FILE *out)
{
    const char *between = ": ";
    for (; c->key != NULL; c++)
        if (c->n != 0) {
            fprintf(out, "%s%" PRIu64 " %s", between, c->n, c->text);
            between = ", ";
        }
    putc('\n', out);
}

/* Ten lines at most. */
static void health_text(const profgen *g, const health *h, FILE *out)
{
    const uint64_t all = samples_of(h), dropped = profgen_dropped(g);
    health_count d[5], r[7];
    health_advice a[HEALTH_ADVICE];
    size_t i, n = advice_of(g, h, a), more = 0;
    counts_of(g, d, r);
    for (i = 0; r[i].key != NULL; i++) more |= r[i].n != 0;
    fprintf(out, "health: %" PRIu64 " of %" PRIu64 " samples used", all - (dropped < all ? dropped : all), all);
    put_counts(d, out);
    fprintf(out, "health: %.1f%% of the samples are in the program", percent(h->here, all));
    if (g->lines == NULL) fprintf(out, ", %.1f%% of these in functions with probes", percent(h->probed, h->here));
    putc('\n', out);
    for (i = 0; h->processes > 1 && i < h->processes && i < HEALTH_SHOWN; i++)
        fprintf(out, "health: process %" PRIu32 ": %" PRIu64 " of %" PRIu64 " samples in the program\n",
                h->process[i].pid, h->process[i].here, h->process[i].samples);
    if (h->processes > HEALTH_SHOWN) fprintf(out, "health: and %zu more\n", h->processes - HEALTH_SHOWN);
    if (more != 0) {
        fputs("health: repaired or cut", out);
        put_counts(r, out);
    }
    for (i = 0; i < n && i < 3; i++) fprintf(out, "health: %s (%s)\n", a[i].why, a[i].flag);
}

static void json_counts(const char *key, const health_count *c, FILE *out)
{
    const char *between = "";
    fprintf(out, "  \"%s\": {", key);
    for (; c->key != NULL; c++, between = ",") fprintf(out, "%s \"%s\": %" PRIu64, between, c->key, c->n);
    fputs(" },\n", out);
}

static void json_processes(const health *h, FILE *out)
{
    size_t i;
    fputs("  \"processes\": [", out);
    for (i = 0; i < h->processes; i++)
        fprintf(out, "%s\n    { \"pid\": %" PRIu32 ", \"samples\": %" PRIu64 ", \"in_program\": %" PRIu64 " }",
                i != 0 ? "," : "", h->process[i].pid, h->process[i].samples, h->process[i].here);
    fprintf(out, "%s],\n  \"other_processes\": { \"samples\": %" PRIu64 ", \"in_program\": %" PRIu64 " },\n",
            h->processes != 0 ? "\n  " : "", h->others.samples, h->others.here);
}

static void json_builds(const profgen *g, FILE *out)
{
    csspgo_spaces_stats s;
    char id[41];
    memset(&s, 0, sizeof s);
    if (g->spaces != NULL) s = csspgo_spaces_get_stats(g->spaces);
    fprintf(out, "  \"build_ids\": { \"fit\": %" PRIu64 ", \"other\": %" PRIu64 ", \"first_other\": \"%s\" },\n",
            s.builds, s.other_builds, build_text(s.other_build, s.other_build_size, id));
}

static void health_json(const profgen *g, const health *h, FILE *out)
{
    const uint64_t all = samples_of(h), dropped = profgen_dropped(g);
    health_count d[5], r[7];
    health_advice a[HEALTH_ADVICE];
    size_t i, n = advice_of(g, h, a);
    counts_of(g, d, r);
    fprintf(out, "{\n  \"samples\": { \"read\": %" PRIu64 ", \"used\": %" PRIu64 ", \"in_program\": %" PRIu64, all,
            all - (dropped < all ? dropped : all), h->here);
    if (g->lines == NULL) fprintf(out, ", \"in_functions_with_probes\": %" PRIu64, h->probed);
    fputs(" },\n", out);
    json_counts("dropped", d, out);
    json_counts("repaired_or_cut", r, out);
    fprintf(out, "  \"stacks\": { \"all\": %" PRIu64 ", \"of_one_frame\": %" PRIu64 " },\n", h->stacks, h->bare);
    json_processes(h, out);
    json_builds(g, out);
    fputs("  \"advice\": [", out);
    for (i = 0; i < n; i++) {
        fprintf(out, "%s\n    { \"why\": ", i != 0 ? "," : "");
        json_string(out, a[i].why, strlen(a[i].why));
        fputs(", \"use\": ", out);
        json_string(out, a[i].flag, strlen(a[i].flag));
        fputs(" }", out);
    }
    fputs(n != 0 ? "\n  ]\n}\n" : "]\n}\n", out);
}

/* Returns 0 after saying what is wrong. */
int health_report(const profgen *g)
{
    const char *const path = g->o[O_REPORT].text;
    static const health none;
    const health *const h = g->health != NULL ? g->health : &none;
    output o;
    FILE *out;
    if (!g->tool->quiet && isatty(fileno(g->tool->err))) health_text(g, h, g->tool->err);
    if (path == NULL) return 1;
    out = stream_begin(g->tool, &o, path);
    if (out == NULL) return 0;
    health_json(g, h, out);
    return stream_end(g->tool, &o, path, 1) == 0;
}
