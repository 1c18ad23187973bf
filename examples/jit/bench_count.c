/* bench_count.c - measures tier 1 that counts beside tier 1 that is sampled: cost, decisions, speed, time to peak */
#include "jit.h"

#if JIT_MACHINE

typedef struct quartiles {
    double low, median, high;         /* seconds */
} quartiles;

static quartiles quartiles_of(double *seconds, int runs)
{
    quartiles q;
    qsort(seconds, (size_t)runs, sizeof *seconds, by_value);
    q.low = seconds[runs / 4];
    q.median = seconds[runs / 2];
    q.high = seconds[3 * runs / 4];
    return q;
}

static void put_quartiles(quartiles q)
{
    printf(" %.2f ms (%.2f to %.2f) |", 1e3 * q.median, 1e3 * q.low, 1e3 * q.high);
}

/* One measurement; with samples, to hand them over is part of it. */
static double timed_run(engine *g, const expected *x, int64_t rounds, int sampled, source from, outcome *out)
{
    double begin, seconds;
    memcpy(g->array, x->before, WORDS * 8);
    if (sampled) sampler_open(g, from, 1);
    begin = cpu_seconds();
    *out = engine_run(g, x->main, rounds, 0);
    if (sampled && sampler_drain(g) != CSSPGO_OK) abort();
    seconds = cpu_seconds() - begin;
    if (sampled) sampler_close();
    return seconds;
}

/* Measures n engines in turn; the first round does not count. sampled: the one that is sampled meanwhile, -1: none. */
static void measure(engine **g, int n, int sampled, const expected *x, const bench_options *o, int64_t rounds, int runs,
                    quartiles *q)
{
    static double seconds[WATCHES][MAX_RUNS];
    outcome out, first = { 0, 1 };
    int i, k;
    for (k = -1; k < runs; k++)
        for (i = 0; i < n; i++) {
            const double s = timed_run(g[i], x, rounds, i == sampled, o->from, &out);
            if (k >= 0) seconds[i][k] = s;
            if (k < 0 && i == 0) first = out;
            check(outcome_equal(out, first), "all ways compute the same", x->name);
        }
    for (i = 0; i < n; i++) q[i] = quartiles_of(seconds[i], runs);
}

/* Tier-2 code of a profile; *seconds: how long it took to make. */
static engine *tier2_engine(const expected *x, csspgo_profile *profile, uint32_t budget, tier2 *r, double *seconds)
{
    engine *g = engine_new(x->p, UNWATCHED, NULL);
    const double begin = cpu_seconds();
    if (g == NULL || tier_up(g, profile, CONTEXTS, budget, r) != CSSPGO_OK) abort();
    *seconds = cpu_seconds() - begin;
    return g;
}

/*
 * How long tier 1 must be observed until its profile makes code that is at most 5 % slower than the best engine's; with
 * the time to compile it. Negative: it did not get there.
 */
static double time_to_peak(const expected *x, int watch, const workload *w, const bench_options *o, engine *best)
{
    static const double steps[] = { 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5 };
    static tier2 r;
    double compiling = 0;
    size_t i;
    for (i = 0; i < sizeof steps / sizeof *steps && steps[i] <= o->seconds; i++) {
        csspgo_profile *profile = csspgo_profile_new(NULL, NULL);
        quartiles q[2];
        engine *g[2];
        if (profile == NULL) abort();
        observe(x, watch, profile, o->from, steps[i], w->rounds);
        g[0] = tier2_engine(x, profile, budget_of(w, x->p), &r, &compiling);
        g[1] = best;
        measure(g, 2, -1, x, o, w->rounds, o->runs < 9 ? o->runs : 9, q);
        engine_free(g[0]);
        csspgo_profile_free(profile);
        if (q[0].median <= q[1].median * 1.05) return steps[i] + compiling;
    }
    return -1;
}

static void put_time_to_peak(const expected *x, int watch, const workload *w, const bench_options *o, engine *best)
{
    double seconds[3];
    int i;
    for (i = 0; i < 3; i++) seconds[i] = time_to_peak(x, watch, w, o, best);
    qsort(seconds, 3, sizeof *seconds, by_value);
    if (seconds[1] < 0) printf(" not in %.1f s |", o->seconds);
    else printf(" %.1f ms |", 1e3 * seconds[1]);
}

/* How many keys two lists, in order, have in common. */
static uint32_t keys_in_both(const tier2 *a, const tier2 *b)
{
    uint32_t i = 0, k = 0, n = 0;
    while (i < a->keys && k < b->keys) {
        if (a->key[i] == b->key[k]) n++, i++, k++;
        else if (a->key[i] < b->key[k]) i++;
        else k++;
    }
    return n;
}

void bench_count_head(void)
{
    puts("| program | tier 1 | tier 1, sampled | tier 1, counting | decisions: sampled, counted, the same | "
         "tier 2 by samples | tier 2 by counts | peak by samples | peak by counts |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
}

/* Measures one program and prints its row of the table. */
void bench_count_one(const workload *w, const program *p, const bench_options *o)
{
    static tier2 r[2];
    csspgo_profile *profile[2];
    engine *g[WATCHES];
    quartiles q[WATCHES];
    engine *best;
    double ignored;
    expected x;
    int i;
    expect(&x, p, w->name, 1, 0);
    for (i = 0; i < WATCHES; i++)
        if ((g[i] = engine_new(p, i, NULL)) == NULL) abort();
    measure(g, WATCHES, SAMPLED, &x, o, w->rounds, o->runs, q);
    printf("| %s |", w->name);
    for (i = 0; i < WATCHES; i++) put_quartiles(q[i]);
    for (i = 0; i < WATCHES; i++) engine_free(g[i]);
    for (i = 0; i < 2; i++) {
        profile[i] = csspgo_profile_new(NULL, NULL);
        if (profile[i] == NULL) abort();
        observe(&x, i == 0 ? SAMPLED : COUNTED, profile[i], o->from, o->seconds, w->rounds);
        g[i] = tier2_engine(&x, profile[i], budget_of(w, p), &r[i], &ignored);
    }
    printf(" %u, %u, %u |", (unsigned)r[0].keys, (unsigned)r[1].keys, (unsigned)keys_in_both(&r[0], &r[1]));
    measure(g, 2, -1, &x, o, w->rounds, o->runs, q);
    for (i = 0; i < 2; i++) put_quartiles(q[i]);
    best = g[q[0].median < q[1].median ? 0 : 1];
    fflush(stdout);
    for (i = 0; i < 2; i++) put_time_to_peak(&x, i == 0 ? SAMPLED : COUNTED, w, o, best);
    for (i = 0; i < 2; i++) {
        engine_free(g[i]);
        csspgo_profile_free(profile[i]);
    }
    puts("");
    fflush(stdout);
    expected_free(&x);
}

#endif
