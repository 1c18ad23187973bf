/* health.c - profgen: what became of the samples, and what to do better when recording */
#include "profgen.h"

enum { KERNEL_FRAMES = 127 };     /* of a call stack: the most that Linux takes by default */

int health_wanted(profgen *g)
{
    static const int printed[] = { O_SHOW_MMAP, O_SHOW_DENSITY, O_SHOW_PROBES, O_SHOW_JIT };
    option *const o = g->o;
    size_t i;
    if (!o[O_JSON].number) return 1;
    if (g->tool->compat) return usage(g->tool, "--json does not go with --llvm-compat"), 0;
    for (i = 0; i < sizeof printed / sizeof *printed; i++)
        if (o[printed[i]].number)
            return usage(g->tool, "--%s prints to standard output, too: --report=FILE instead of --json",
                         o[printed[i]].name), 0;
    if (o[O_REPORT].text == NULL) o[O_REPORT].text = "-";
    return json_goes(g->tool, g->in.output, "the profile");
}

/* Prepares the report if one is wanted: of a file's name, or on a terminal. */
int health_begin(profgen *g)
{
    if (g->tool->compat || g->jit_only) return 1;
    if (g->in.unsymbolized != NULL || g->in.sampled != NULL || g->in.preagg != NULL) return 1;
    if (g->o[O_REPORT].text == NULL && (g->tool->quiet || !isatty(fileno(g->tool->err)))) return 1;
    g->health = (health *)calloc(1, sizeof *g->health);
    return g->health != NULL || (fail(g->tool, "out of memory"), 0);
}

void health_free(health *h)
{
    if (h != NULL) free(h->process);
    free(h);
}

/* ----- gathering -------------------------------------------------------------------------------------------------- */

static health_counts *process_of(health *h, uint32_t pid)
{
    size_t a = 0, b = h->processes;
    if (h->last < b && h->process[h->last].pid == pid) return &h->process[h->last].n;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (h->process[mid].pid < pid) a = mid + 1;
        else b = mid;
    }
    h->last = a;
    if (a < h->processes && h->process[a].pid == pid) return &h->process[a].n;
    if (h->processes == HEALTH_PROCESSES) return &h->others;
    if (h->process == NULL) h->process = (health_process *)malloc(HEALTH_PROCESSES * sizeof *h->process);
    if (h->process == NULL) return &h->others;
    memmove(h->process + a + 1, h->process + a, (h->processes++ - a) * sizeof *h->process);
    memset(&h->process[a], 0, sizeof *h->process);
    h->process[a].pid = pid;
    return &h->process[a].n;
}

static int has_probes(const programs *p, uint64_t address)
{
    const loaded *l = programs_at(p, &address);
    size_t a = 0, b = l->ranges;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (l->range[mid].end <= address) a = mid + 1;
        else b = mid;
    }
    return a < l->ranges && l->range[a].begin <= address;
}

/* A sample in the program; flat: the recording has no call stacks. */
static void health_here(health *h, const programs *p, const csspgo_sample *s, uint64_t at, int flat)
{
    const uint64_t n = s->count != 0 ? s->count : 1;
    if (has_probes(p, at)) h->probed += n;
    if (s->stack_count == 0 || flat) return;
    h->stacks += n;
    if (s->stack_count == 1) h->bare += n;
    if (s->stack_count > h->deepest) h->ends = 0;
    if (s->stack_count > h->deepest) h->deepest = s->stack_count;
    if (s->stack_count == h->deepest) h->ends += n;
}

/* A sample at link-time addresses that the collector got; added: what it counted then; in_file: NULL, or its row. */
void health_sample(health *h, const programs *p, const csspgo_sample *s, const health_counts *added,
                   health_counts *in_file, int flat)
{
    const uint64_t n = s->count != 0 ? s->count : 1;
    const uint64_t at = sampled_address(p, s);
    const int here = is_code(p, at);
    health_counts *to[3];
    size_t i;
    to[0] = &h->all;
    to[1] = process_of(h, s->pid);
    to[2] = in_file;
    for (i = 0; i < 3 && to[i] != NULL; i++) {
        if (i != 2) to[i]->samples += n;               /* the table of files has counted it */
        to[i]->here += here ? n : 0;
        health_add(to[i], added);
    }
    if (here) health_here(h, p, s, at, flat);
}

/* Build ids and stacks of offsets: those of this recording and of the ones before. */
csspgo_processes_stats health_builds(const health *h, const csspgo_processes *spaces)
{
    csspgo_processes_stats s, sum = h->before;
    if (spaces == NULL) return sum;
    s = csspgo_processes_get_stats(spaces);
    sum.builds += s.builds;
    if (sum.other_builds == 0) {
        memcpy(sum.other_build, s.other_build, sizeof sum.other_build);
        sum.other_build_size = s.other_build_size;
    }
    sum.other_builds += s.other_builds;
    sum.offset_stacks += s.offset_stacks;
    return sum;
}

void health_next(health *h, const csspgo_processes *spaces)
{
    if (h != NULL) h->before = health_builds(h, spaces);
}

/* Samples in mappings of programs that are given, at no instruction of theirs. */
static uint64_t astray(const tally *t)
{
    uint64_t n = 0;
    size_t i;
    for (i = 0; t != NULL && i < t->files; i++) {
        const tallied *f = &t->file[i];
        if (f->given) n += f->n.samples - f->n.here;
    }
    return n;
}

/*
 * 1 if the program is the one recorded, as build ids say, or as the branches and addresses sampled in it are its own:
 * then samples at none of its instructions are in code of no function, such as a procedure linkage table.
 */
static int is_what_ran(const fit *f, int has_builds)
{
    uint64_t n = 0, bad = 0;
    size_t i;
    for (i = 0; i < 2; i++) {
        n += f->all[i].n;
        bad += f->all[i].bad;
    }
    return has_builds ||
           (n >= 100 && bad <= n / 100);
}

/* ----- judging ---------------------------------------------------------------------------------------------------- */

/* 1 if the call stacks are bytes for another unwinder, and say nothing here. */
static int has_copies(const health *h, int user_stacks)
{
    return user_stacks && h->bare >= h->stacks / 2;
}

/* Percent of the samples that are lost for a reason, or in other code. */
static double lost_to(const loss *l, int why)
{
    const loss_unit *const u = &l->samples[0];
    return percent(why <= LOSS_NOWHERE ? u->outside[why] : u->lost[why], loss_all(u));
}

/* What should be recorded or built otherwise. Returns how many there are. */
size_t health_advise(const profgen *g, const health *h, health_advice *a)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->count.collector);
    const csspgo_processes_stats builds = health_builds(h, g->programs.spaces);
    const int has_builds = builds.builds != 0 && !renamed_forced(&g->reader);
    const uint64_t broken = s.mismatched_leaf + s.mismatched_external;
    const int copies = has_copies(h, g->reader.user_stacks), bare = !copies && h->bare > h->stacks / 2;
    const struct { int holds; health_advice it; } rule[] = {
        { s.branches == 0 && s.addresses != 0,
          { "perf record -b, or csspgo record", "there are no branch records: counts are estimates" } },
        { copies,
          { "perf record --call-graph fp, or --perfscript with what perf script prints of the recording",
            "call stacks are copies of memory (--call-graph dwarf), which are not unwound here" } },
        { h->all.here != 0 && h->stacks == 0 && !copies && !g->o[O_IGNORE_STACK].number,
          { "perf record -g", "there are no call stacks: the profile is without contexts" } },
        { bare, { "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer", "most call stacks have one frame" } },
        { !bare && s.cut_stacks > s.unwound / 4,
          { "-mno-omit-leaf-frame-pointer", "many call stacks lack the caller of the leaf" } },
        { h->deepest >= KERNEL_FRAMES && h->ends > h->stacks / 100,
          { "sysctl kernel.perf_event_max_stack=1024", "call stacks end at the most frames that the kernel takes" } },
        { broken > s.branches / 100,
          { "-fno-optimize-sibling-calls", "branches do not fit the call stacks: tail calls remove frames" } },
        { builds.other_builds != 0, { "--binary", "another build of the program was recorded" } },
        { builds.offset_stacks != 0,
          { "--perfdata=perf.data", "call stacks are offsets in files: frames of other files are guessed or lost" } },
        { g->fit.path != NULL, { "--binary", "samples do not fit the program: another build of it was recorded" } },
        { g->fit.path == NULL && astray(g->tally) > h->all.samples / 50 && !is_what_ran(&g->fit, has_builds),
          { "--binary, perf record --buildid-mmap",
            "samples are where the program has no instructions: was another build recorded?" } },
        { h->all.here < h->all.samples / 10, { "--binary", "few samples are in this program" } },
        { lost_to(g->loss, LOSS_NO_PLACES) > 10,
          { g->lines != NULL ? "-g1 -fdebug-info-for-profiling" : "-fpseudo-probe-for-profiling",
            g->lines != NULL ? "many samples are in functions without line information"
                             : "many samples are in functions without probes" } },
        { lost_to(g->loss, LOSS_FILES) > 10,
          { "--binary, once more for each library", "many samples are in files that are not given" } },
        { lost_to(g->loss, LOSS_KERNEL) > 10,
          { "--kernel --binary=vmlinux, in a run of its own", "many samples are in the kernel" } },
        { g->reader.lost > h->all.samples / 100,
          { "perf record -m 16M, or a lower -F", "the kernel lost more than 1% of the samples" } },
    };
    size_t i, n = 0;
    for (i = 0; i < sizeof rule / sizeof *rule && n < HEALTH_ADVICE; i++)
        if (rule[i].holds) a[n++] = rule[i].it;
    return n;
}

/* What was mended or cut among distinct samples, of whatever process; ends with a NULL key. */
void health_distinct(const csspgo_collector *collector, health_count *v)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(collector);
    const health_count c[HEALTH_DISTINCT + 1] = {
        { "truncated_contexts", "contexts cut at other code", s.truncated_contexts },
        { "deep_contexts", "contexts cut as too deep", s.deep_contexts },
        { "wrong_path_records", "branch records of a wrong path left out", s.wrong_paths },
        { "doubled_records", "doubled branch records left out", s.doubled },
        { "moved_records", "branch records moved to the branch", s.fused },
        { NULL, NULL, 0 }
    };
    memcpy(v, c, sizeof c);
}
