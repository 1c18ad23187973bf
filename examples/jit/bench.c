/* bench.c - measures */
#include "jit.h"

#if JIT_MACHINE

double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Runs a program in tier 1 while it is sampled or counts, some thousandths of a measurement at a time. */
void observe(const expected *x, int watch, csspgo_profile *profile, source from, double seconds, int64_t rounds)
{
    engine *g = engine_new(x->p, watch, NULL);
    const double end = cpu_seconds() + seconds;
    if (g == NULL || (watch == SAMPLED ? g->collector == NULL : g->counts == NULL)) abort();
    if (watch == SAMPLED) sampler_open(g, from, 1);
    memcpy(g->array, x->before, WORDS * 8);
    while (cpu_seconds() < end) {
        engine_run(g, x->main, 1 + rounds / 400, 0);
        if (watch == SAMPLED && sampler_drain(g) != CSSPGO_OK) abort();
    }
    if (take_profile(g, profile) != CSSPGO_OK) abort();
    if (watch == SAMPLED) sampler_close();
    engine_free(g);
}

void bench_head(const bench_options *o)
{
    if (o->instrument) bench_count_head();
    else
        puts("| program | no inlining | context-less | contexts | times as fast | bytes | inlined | promoted |\n"
             "| --- | --- | --- | --- | --- | --- | --- | --- |");
}

/* Measures one program and prints its row of the table. hot: gets what to say below it, of its hottest loop. */
void bench_one(const workload *w, const bench_options *o, char *hot, size_t cap)
{
    static double seconds[WAYS][MAX_RUNS];
    program *p = new_program();
    csspgo_profile *profile = csspgo_profile_new(NULL, NULL);
    engine *g[WAYS];
    static tier2 r[WAYS];
    outcome first = { 0, 1 };
    expected x;
    int way, k;
    hot[0] = '\0';
    if (profile == NULL || !load(p, w->text, 3, w->name)) exit(1);
    if (o->instrument) {
        csspgo_profile_free(profile);
        bench_count_one(w, p, o);
        free(p);
        return;
    }
    expect(&x, p, w->name, 1, 0);
    observe(&x, SAMPLED, profile, o->from, o->seconds, w->rounds);
    for (way = 0; way < WAYS; way++) {
        g[way] = engine_new(p, SAMPLED, NULL);
        if (g[way] == NULL || tier_up(g[way], profile, way, budget_of(w, p), &r[way]) != CSSPGO_OK) abort();
    }
    for (k = -1; k < o->runs; k++)            /* the ways in turn; the first round does not count */
        for (way = 0; way < WAYS; way++) {
            outcome out;
            double begin;
            memcpy(g[way]->array, x.before, WORDS * 8);
            begin = cpu_seconds();
            out = engine_run(g[way], x.main, w->rounds, 0);
            if (k >= 0) seconds[way][k] = cpu_seconds() - begin;
            if (k < 0 && way == 0) first = out;
            check(outcome_equal(out, first), "all ways compute the same", w->name);
        }
    printf("| %s |", w->name);
    for (way = 0; way < WAYS; way++) {
        qsort(seconds[way], (size_t)o->runs, sizeof **seconds, by_value);
        printf(" %.2f ms (%.2f to %.2f) |", 1e3 * seconds[way][o->runs / 2], 1e3 * seconds[way][o->runs / 4],
               1e3 * seconds[way][3 * o->runs / 4]);
    }
    printf(" %.2f | %zu, %zu, %zu | %u, %u | %u, %u |\n",
           seconds[CONTEXT_LESS][o->runs / 2] / seconds[CONTEXTS][o->runs / 2], code_bytes(g[PLAIN]),
           code_bytes(g[CONTEXT_LESS]), code_bytes(g[CONTEXTS]), (unsigned)r[CONTEXT_LESS].inlined,
           (unsigned)r[CONTEXTS].inlined, (unsigned)r[CONTEXT_LESS].promoted, (unsigned)r[CONTEXTS].promoted);
    fflush(stdout);
    hot_say(&g[CONTEXTS]->hot, p, w->name, hot, cap);
    for (way = 0; way < WAYS; way++) engine_free(g[way]);
    expected_free(&x);
    csspgo_profile_free(profile);
    free(p);
}

/* What a measurement is worth nothing without. */
void say_machine(const bench_options *o)
{
    char line[256], cpu[128] = "unknown CPU";
    FILE *f = fopen("/proc/cpuinfo", "r");
    double busy = 0;
    source from;
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "model name : %127[^\n]", cpu) == 1) break;
    if (f != NULL) fclose(f);
    f = fopen("/proc/loadavg", "r");
    if (f == NULL || fscanf(f, "%lf", &busy) != 1) busy = 0;
    if (f != NULL) fclose(f);
    from = sampler_open(NULL, o->from, 0);
    sampler_close();
    printf("%s, %ld processors, load %.1f; compiled by %s %s; thread CPU time, median and quartiles of %d runs, the "
           "ways in turn;\n",
           cpu, sysconf(_SC_NPROCESSORS_ONLN), busy, JIT_COMPILER, JIT_FLAGS, o->runs);
    if (o->instrument)
        printf("profiles: %.1f s per program, samples from \"%s\" and exact counts by contexts; decisions: inlined "
               "calls and promoted\ntargets; peak: observed so long and compiled, until tier 2 is at most 5 %% slower "
               "than the better one of the two\n\n", o->seconds, source_names[from]);
    else
        printf("profiles: %.1f s of samples from \"%s\" per program; bytes: of all machine code; inlined calls and "
               "promoted targets: context-less, contexts\n\n", o->seconds, source_names[from]);
}

/* Reads one of the options of bench and run. Returns 0 if it is none. */
int bench_option(bench_options *o, const char *arg)
{
    int k;
    if (strncmp(arg, "--seconds=", 10) == 0) o->seconds = strtod(arg + 10, NULL);
    else if (strncmp(arg, "--runs=", 7) == 0) o->runs = atoi(arg + 7);
    else if (strcmp(arg, "--instrument") == 0) o->instrument = 1;
    else if (strncmp(arg, "--source=", 9) == 0) {
        for (k = SOURCE_LBR; k <= SOURCE_TRAP && strcmp(arg + 9, source_names[k]) != 0; k++) {}
        if (k > SOURCE_TRAP) return 0;
        o->from = (source)k;
    } else return 0;
    if (o->runs < 1 || o->runs > MAX_RUNS) o->runs = BENCH_RUNS;
    return 1;
}

int bench(int argc, char **argv)
{
    bench_options o = { SOURCE_LBR, 1.0, BENCH_RUNS, 0 };
    static char hot[WORKLOADS][HOT_TEXT];
    const char *only = NULL;
    int i, k;
    for (i = 0; i < argc; i++)
        if (!bench_option(&o, argv[i])) only = argv[i];
    for (k = 0; only != NULL && k < (int)WORKLOADS && strcmp(only, workloads[k].name) != 0; k++) {}
    if (only != NULL && k == WORKLOADS) { fprintf(stderr, "jit: no such program or option: %s\n", only); return 2; }
    say_machine(&o);
    bench_head(&o);
    for (i = 0; i < (int)WORKLOADS; i++)
        if (only == NULL || strcmp(only, workloads[i].name) == 0) bench_one(&workloads[i], &o, hot[i], HOT_TEXT);
    puts("");
    for (i = 0; i < (int)WORKLOADS; i++) fputs(hot[i], stdout);
    return checks_failed() != 0;
}

#endif
