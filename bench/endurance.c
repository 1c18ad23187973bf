/*
 * endurance.c - a runtime for a long time: four threads, little memory, exact counters beside.
 *
 *     endurance [SAMPLES [FUNCTIONS [MEGABYTES]]]      100,000,000, 1,000, 16
 *
 *     compiler   emits a function for every ten samples: it moves to another place, or is removed and made anew
 *     sampler    takes samples of what runs, as a signal handler does: into a queue
 *     profiler   gives them to a collector, takes what was counted and makes a profile of it in slices
 *     inliner    looks at the profile so far and asks a tracker about it
 *
 * One lock stands for the rule of csspgo_collector_new: whoever reads or changes the code map holds it, one short call
 * at a time. All objects share one allocator, which refuses more than MEGABYTES. A collector may have an eighth of it.
 *
 * Prints the longest call of each kind. Ends with status 1 unless every count of every context equals that of an exact
 * counter, nothing was refused, and memory at rest stays flat: in a long run at most 1.25
 * times as much in the second half as in the first. At rest nothing is left to do, so that these figures do not depend
 * on which thread ran when, as those beside do: code that is gone stays while a profile is made of its samples.
 */
#define _GNU_SOURCE
#ifndef CSSPGO_IMPLEMENTATION_INCLUDED
#  define CSSPGO_IMPLEMENTATION
#  define CSSPGO_ALL
#endif
#include "../csspgo.h"
#include "meter.h"
#include "program.h"

#include <pthread.h>
#include <sched.h>

enum {
    BASE = 0x100000, PARTS = 10, PER_EMISSION = 10, PER_TAKE = 20000, DRAIN = 8, SLOTS = 256, SLICE = 200,
    QUERIES = 1000,
    LOOP_ID = PROGRAM_PROBES - 1, LONG_RUN = 1000000
};

/* ----- memory: a budget that all objects share ----- */

typedef struct budget { size_t limit, live, most; unsigned long refused; } budget;

static void *budget_alloc(void *ctx, size_t size)
{
    budget *b = (budget *)ctx;
    const size_t live = __atomic_add_fetch(&b->live, size, __ATOMIC_RELAXED);
    size_t most = __atomic_load_n(&b->most, __ATOMIC_RELAXED);
    if (live > b->limit) {
        __atomic_sub_fetch(&b->live, size, __ATOMIC_RELAXED);
        __atomic_add_fetch(&b->refused, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    while (live > most && !__atomic_compare_exchange_n(&b->most, &most, live, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return malloc(size);
}

static void budget_free(void *ctx, void *p, size_t size)
{
    __atomic_sub_fetch(&((budget *)ctx)->live, size, __ATOMIC_RELAXED);
    free(p);
}

/* ----- what the threads share ----- */

typedef struct exact {            /* of one call, from block k of a function: what a profile has to say */
    uint64_t calls, turns;
} exact;

typedef struct engine {
    pthread_mutex_t lock;         /* the code map, and where functions are                  */
    pthread_mutex_t profile_lock; /* the profile                                            */
    budget          memory;
    csspgo_code    *code;
    csspgo_collector *collector;
    csspgo_queue   *queue;
    csspgo_profile *profile;
    program         program;      /* under `lock`                                           */
    exact          *exact;        /* PROGRAM_CALLS of each function; the sampler's          */
    uint64_t        samples;      /* to take                                                */
    uint64_t        sampled, emitted, added, taken, asked, full;   /* so far                */
    uint64_t        most[PARTS][5];   /* bytes in each tenth: all; map; a collector when taken; profile; at rest    */
    unsigned long   failed;       /* calls that failed                                      */
    int             done;         /* the sampler has taken all, and they are in the profile */
} engine;

static uint64_t load(const uint64_t *v)
{
    return __atomic_load_n(v, __ATOMIC_ACQUIRE);
}

static void store(uint64_t *v, uint64_t value)
{
    __atomic_store_n(v, value, __ATOMIC_RELEASE);
}

typedef struct worker {           /* a thread: its clock, its rows of the table, its random numbers */
    engine   *e;
    stopwatch watch;
    latency  *rows;
    size_t    count;
    uint64_t  seed;
} worker;

static uint32_t rnd(worker *w, uint32_t n)
{
    program p;
    uint32_t v;
    p.seed = w->seed;
    v = program_random(&p, n);
    w->seed = p.seed;
    return v;
}

/* Times a statement: a call of the library. */
#define TIME(w, row, statement)                  \
    do {                                         \
        watch_start(&(w)->watch);                \
        statement;                               \
        watch_stop(&(w)->watch);                 \
        latency_put(&(w)->rows[row], &(w)->watch); \
    } while (0)

/* A call has failed unless ok. Returns ok. */
static int expect(engine *e, int ok, const char *call)
{
    if (!ok && __atomic_add_fetch(&e->failed, 1, __ATOMIC_RELAXED) < 4) fprintf(stderr, "failed: %s\n", call);
    return ok;
}

/* The time until the lock is there is a row, too. */
static void hold(worker *w, size_t row)
{
    TIME(w, row, pthread_mutex_lock(&w->e->lock));
}

/* ----- the compiler ----- */

enum { C_WAIT, C_EMIT, C_REMOVE, C_MOVE, C_DRAIN, C_ROWS };

/* Some samples go from the queue to the collector. */
static csspgo_status drain(worker *w, size_t row)
{
    engine *e = w->e;
    csspgo_status s;
    uint64_t n = 0;
    TIME(w, row, s = csspgo_queue_drain(e->queue, DRAIN, e->collector, &n, NULL));
    store(&e->added, e->added + n);
    expect(e, s == CSSPGO_OK || s == CSSPGO_MORE || s == CSSPGO_E_FULL, "csspgo_queue_drain");
    return s;
}

/* Samples that were taken before a change of the code count before it. Returns 0 if the collector is full. */
static int drain_all(worker *w)
{
    csspgo_status s = CSSPGO_MORE;
    while (s == CSSPGO_MORE) s = drain(w, C_DRAIN);
    return s == CSSPGO_OK;
}

static void emit(worker *w, uint32_t f, uint64_t to)
{
    program_unit u;
    csspgo_status s;
    program_make(f, to, &u);
    TIME(w, C_EMIT, s = program_add(w->e->code, &u, NULL));
    expect(w->e, s == CSSPGO_OK, "program_add");
    w->e->program.where[f] = to;
}

static void *compiler(void *arg)
{
    worker *w = (worker *)arg;
    engine *e = w->e;
    const uint32_t spare = e->program.functions / 2 + 1;
    uint64_t *place = (uint64_t *)malloc(spare * sizeof *place);
    uint32_t i, oldest = 0;
    if (place == NULL) abort();
    for (i = 0; i < spare; i++) place[i] = BASE + (uint64_t)(e->program.functions + i) * PROGRAM_SIZE;
    while (load(&e->sampled) < e->samples) {
        const uint32_t f = rnd(w, e->program.functions);
        csspgo_status s;
        uint64_t from;
        if (load(&e->emitted) * PER_EMISSION > load(&e->sampled)) {
            sched_yield();
            continue;
        }
        hold(w, C_WAIT);
        if (!drain_all(w)) {
            pthread_mutex_unlock(&e->lock);           /* until the profiler has taken what is there */
            sched_yield();
            continue;
        }
        from = e->program.where[f];
        if (rnd(w, 2)) {
            TIME(w, C_MOVE, s = csspgo_code_move(e->code, from, from + PROGRAM_SIZE, place[oldest], NULL));
            expect(e, s == CSSPGO_OK, "csspgo_code_move");
            e->program.where[f] = place[oldest];
        } else {
            TIME(w, C_REMOVE, s = csspgo_code_remove(e->code, from, from + PROGRAM_SIZE, NULL));
            expect(e, s == CSSPGO_OK, "csspgo_code_remove");
            emit(w, f, place[oldest]);
        }
        place[oldest] = from;
        oldest = (oldest + 1) % spare;
        pthread_mutex_unlock(&e->lock);
        store(&e->emitted, e->emitted + 1);
    }
    free(place);
    return NULL;
}

/* ----- the sampler ----- */

enum { S_PUSH, S_ROWS };

/* A call from block k of function g; the loop there turns some times. */
static void make_sample(const program *p, uint32_t g, uint32_t k, uint32_t turns, program_sample *s)
{
    const uint32_t f = program_callee(p, g, k);
    const uint64_t block = p->where[g] + k * PROGRAM_STEP;
    uint32_t i;
    memset(&s->sample, 0, sizeof s->sample);
    program_branch(s, p->where[g] + 4, block);
    program_branch(s, block + PROGRAM_CALL, p->where[f]);
    program_branch(s, p->where[f] + 4, p->where[f] + PROGRAM_LOOP);
    for (i = 0; i < turns; i++) program_branch(s, p->where[f] + PROGRAM_LOOP_END, p->where[f] + PROGRAM_LOOP);
    s->stack[0] = p->where[f] + PROGRAM_LOOP + 5;
    s->stack[1] = block + PROGRAM_CALL + PROGRAM_CALL_SIZE;
    s->sample.stack = s->stack;
    s->sample.stack_count = 2;
    s->sample.branches = s->branches + (PROGRAM_BRANCHES - s->sample.branch_count);
    s->sample.count = 1;
}

/* The program stands still while its compiler moves code, so a sample is of code that is there when it is pushed. */
static void *sampler(void *arg)
{
    worker *w = (worker *)arg;
    engine *e = w->e;
    uint64_t n = 0;
    while (n < e->samples) {
        uint32_t i;
        int fits = 1;
        pthread_mutex_lock(&e->lock);
        for (i = 0; i < 16 && fits && n < e->samples; i++) {
            const uint32_t g = rnd(w, e->program.functions), k = 1 + rnd(w, 1 + rnd(w, PROGRAM_CALLS));
            const uint32_t turns = rnd(w, PROGRAM_TURNS);
            program_sample s;
            make_sample(&e->program, g, k, turns, &s);
            TIME(w, S_PUSH, fits = csspgo_queue_push(e->queue, 0, &s.sample));
            if (!fits) break;
            e->exact[g * PROGRAM_CALLS + k - 1].calls++;
            e->exact[g * PROGRAM_CALLS + k - 1].turns += turns;
            n++;
        }
        pthread_mutex_unlock(&e->lock);
        store(&e->sampled, n);
        if (!fits) sched_yield();
        if (load(&e->emitted) * PER_EMISSION + 1000 < n) sched_yield();
    }
    return NULL;
}

/* ----- the profiler ----- */

enum { P_WAIT, P_DRAIN, P_TAKE, P_SLICE, P_FREE, P_ROWS };

static void move_counts(worker *w, csspgo_collector *taken)
{
    engine *e = w->e;
    csspgo_generate_options how;
    csspgo_status s = CSSPGO_MORE;
    memset(&how, 0, sizeof how);
    how.no_inference = 1;
    while (s == CSSPGO_MORE) {
        pthread_mutex_lock(&e->profile_lock);
        hold(w, P_WAIT);
        TIME(w, P_SLICE, s = csspgo_collector_profile_step(taken, SLICE, &how, e->profile, NULL, NULL));
        pthread_mutex_unlock(&e->lock);
        pthread_mutex_unlock(&e->profile_lock);
    }
    expect(e, s == CSSPGO_OK, "csspgo_collector_profile_step");
}

static void note(engine *e, unsigned which, uint64_t bytes)
{
    uint64_t *most = &e->most[load(&e->added) * PARTS / (e->samples + 1)][which];
    if (bytes > *most) *most = bytes;
}

static void take(worker *w)
{
    engine *e = w->e;
    csspgo_collector *taken = NULL;
    hold(w, P_WAIT);
    note(e, 1, csspgo_code_get_stats(e->code).memory);
    note(e, 2, csspgo_collector_memory(e->collector));
    TIME(w, P_TAKE, taken = csspgo_collector_take(e->collector, NULL));
    pthread_mutex_unlock(&e->lock);
    if (!expect(e, taken != NULL, "csspgo_collector_take")) return;
    move_counts(w, taken);
    hold(w, P_WAIT);
    TIME(w, P_FREE, csspgo_collector_free(taken));
    pthread_mutex_unlock(&e->lock);
    store(&e->taken, e->taken + 1);
}

/*
 * Notes how large map and profile are when all that was counted is in the profile and all that was removed is gone. A
 * collector keeps its memory for the next samples, within its limit.
 */
static void rest(worker *w)
{
    engine *e = w->e;
    csspgo_generate_options how;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    how.no_inference = 1;
    pthread_mutex_lock(&e->profile_lock);
    hold(w, P_WAIT);
    s = csspgo_collector_profile(e->collector, &how, e->profile, NULL, NULL);
    expect(e, s == CSSPGO_OK, "csspgo_collector_profile");
    do s = csspgo_code_step(e->code, 1000, NULL); while (s == CSSPGO_MORE);
    expect(e, s == CSSPGO_OK, "csspgo_code_step");
    note(e, 4, csspgo_code_get_stats(e->code).memory + csspgo_profile_memory(e->profile));
    pthread_mutex_unlock(&e->lock);
    pthread_mutex_unlock(&e->profile_lock);
}

/* Takes what was counted when the collector is full, or after some samples. */
static void *profiler(void *arg)
{
    worker *w = (worker *)arg;
    engine *e = w->e;
    const uint64_t every = e->samples / (4 * PARTS) < PER_TAKE ? e->samples / (4 * PARTS) : PER_TAKE;
    uint64_t until = every;
    while (load(&e->added) < e->samples) {
        csspgo_status s;
        hold(w, P_WAIT);
        s = drain(w, P_DRAIN);
        pthread_mutex_unlock(&e->lock);
        if (s == CSSPGO_E_FULL || load(&e->added) >= until) {
            e->full += s == CSSPGO_E_FULL;
            take(w);
            note(e, 0, __atomic_exchange_n(&e->memory.most, __atomic_load_n(&e->memory.live, __ATOMIC_RELAXED), __ATOMIC_RELAXED));
            note(e, 3, csspgo_profile_memory(e->profile));
            rest(w);
            until = load(&e->added) + every;
        } else if (s == CSSPGO_OK) sched_yield();
    }
    take(w);
    __atomic_store_n(&e->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* ----- the inliner ----- */

enum { I_CLONE, I_TRACKER, I_CALLEE, I_COUNT, I_ROWS };

static void ask(worker *w, csspgo_profile *p)
{
    engine *e = w->e;
    csspgo_tracker_options how;
    csspgo_tracker *t = NULL;
    csspgo_node node;
    volatile uint64_t sum = 0;
    uint32_t i;
    memset(&how, 0, sizeof how);
    how.take = 1;
    TIME(w, I_TRACKER, t = csspgo_tracker_new(p, &how, NULL));
    if (!expect(e, t != NULL, "csspgo_tracker_new")) {
        csspgo_profile_free(p);
        return;
    }
    node = csspgo_node_first_child(csspgo_tracker_profile(t), csspgo_root(csspgo_tracker_profile(t)));
    for (i = 0; i < QUERIES && node.id != 0; i++) {
        csspgo_node callee;
        csspgo_func any;
        any.id = 0;
        TIME(w, I_CALLEE, callee = csspgo_tracker_callee(t, node, csspgo_loc_at(3 + 2 * (i % 4), 0), any));
        TIME(w, I_COUNT, sum += csspgo_tracker_entry_count(t, callee));
        if (i % 4 == 3) node = csspgo_node_next_sibling(csspgo_tracker_profile(t), node);
    }
    csspgo_tracker_free(t);
}

static void *inliner(void *arg)
{
    worker *w = (worker *)arg;
    engine *e = w->e;
    uint64_t last = 0;
    while (!__atomic_load_n(&e->done, __ATOMIC_ACQUIRE)) {
        csspgo_profile *p = NULL;
        if (load(&e->taken) == last) {
            sched_yield();
            continue;
        }
        last = load(&e->taken);
        pthread_mutex_lock(&e->profile_lock);
        TIME(w, I_CLONE, p = csspgo_profile_clone(e->profile, NULL));
        pthread_mutex_unlock(&e->profile_lock);
        if (expect(e, p != NULL, "csspgo_profile_clone")) ask(w, p);
        e->asked++;
    }
    return NULL;
}

/* ----- the end ----- */

/* 1 if every context has the counts of its exact counter. */
static int counts_are_exact(engine *e)
{
    csspgo_profile *p = e->profile;
    uint64_t wrong = 0, missing = 0;
    uint32_t g, k;
    for (g = 0; g < e->program.functions; g++)
        for (k = 1; k <= PROGRAM_CALLS; k++) {
            const exact *want = &e->exact[g * PROGRAM_CALLS + k - 1];
            program_unit u;
            csspgo_node node;
            csspgo_func f;
            program_make(g, BASE, &u);
            f = csspgo_func_find(p, u.name, 15);
            node = csspgo_child(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f);
            program_make(program_callee(&e->program, g, k), BASE, &u);
            f = csspgo_func_find(p, u.name, 15);
            node = csspgo_child(p, node, csspgo_loc_at(2 * k + 1, 0), CSSPGO_CONTEXT, f);
            missing += want->calls != 0 && node.id == 0;
            wrong += csspgo_body_count(p, node, csspgo_loc_at(1, 0)) != want->calls;
            wrong += csspgo_body_count(p, node, csspgo_loc_at(LOOP_ID, 0)) != want->turns;
        }
    if (wrong != 0) fprintf(stderr, "%llu counts are wrong, %llu contexts missing\n", (unsigned long long)wrong,
                            (unsigned long long)missing);
    return wrong == 0;
}

static int memory_is_flat(const engine *e)
{
    static const char *const name[] = { "all", "code map", "collector when taken", "profile", "at rest" };
    uint64_t half[2] = { 0, 0 };
    unsigned i, k;
    printf("\n| most MB in each tenth | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (k = 0; k < 5; k++) {
        printf("| %s |", name[k]);
        for (i = 0; i < PARTS; i++) printf(" %.2f |", 1e-6 * (double)e->most[i][k]);
        printf("\n");
    }
    for (i = 0; i < PARTS; i++)
        if (e->most[i][4] > half[2 * i / PARTS]) half[2 * i / PARTS] = e->most[i][4];
    return half[1] <= half[0] + half[0] / 4;
}

static void start(engine *e)
{
    csspgo_options o, limited;
    csspgo_queue_options slots;
    csspgo_collector_options how;
    program_unit u;
    uint32_t f;
    memset(&o, 0, sizeof o);
    memset(&slots, 0, sizeof slots);
    memset(&how, 0, sizeof how);
    o.allocator.alloc_fn = budget_alloc;
    o.allocator.free_fn = budget_free;
    o.allocator.ctx = &e->memory;
    slots.samples = SLOTS;
    slots.max_frames = PROGRAM_DEPTH;
    slots.max_branches = PROGRAM_BRANCHES;
    how.cache_bytes = 1 << 17;
    how.always_contexts = 1;
    e->code = csspgo_code_new(&o, NULL);
    limited = o;
    limited.limits.max_bytes = e->memory.limit / 8;
    e->collector = csspgo_collector_new(e->code, &how, &limited, NULL);
    e->queue = csspgo_queue_new(&slots, &o, NULL);
    e->profile = csspgo_profile_new(&o, NULL);
    e->program.where = (uint64_t *)calloc(e->program.functions, sizeof *e->program.where);
    e->exact = (exact *)calloc(e->program.functions * (size_t)PROGRAM_CALLS, sizeof *e->exact);
    if (e->collector == NULL || e->queue == NULL || e->profile == NULL || e->program.where == NULL || e->exact == NULL)
        abort();
    for (f = 0; f < e->program.functions; f++) {
        program_make(f, e->program.where[f] = BASE + (uint64_t)f * PROGRAM_SIZE, &u);
        if (program_add(e->code, &u, NULL) != CSSPGO_OK) abort();
    }
}

static void finish(engine *e)
{
    csspgo_profile_free(e->profile);
    csspgo_queue_free(e->queue);
    csspgo_collector_free(e->collector);
    csspgo_code_free(e->code);
    free(e->program.where);
    free(e->exact);
}

/* Runs the four threads until all is done, and prints their rows. */
static void run(engine *e)
{
    static const struct { void *(*run)(void *); size_t rows; const char *name[8]; } job[] = {
        { compiler, C_ROWS, { "compiler: waits for the lock", "csspgo_code_add_unit", "csspgo_code_remove",
                              "csspgo_code_move", "csspgo_queue_drain, 8" } },
        { sampler, S_ROWS, { "csspgo_queue_push" } },
        { profiler, P_ROWS, { "profiler: waits for the lock", "csspgo_queue_drain, 8", "csspgo_collector_take",
                              "csspgo_collector_profile_step, 200", "csspgo_collector_free" } },
        { inliner, I_ROWS, { "csspgo_profile_clone", "csspgo_tracker_new", "csspgo_tracker_callee",
                             "csspgo_tracker_entry_count" } }
    };
    enum { THREADS = sizeof job / sizeof job[0] };
    worker w[THREADS];
    pthread_t thread[THREADS];
    size_t i, k;
    memset(w, 0, sizeof w);
    for (i = 0; i < THREADS; i++) {
        w[i].e = e;
        w[i].count = job[i].rows;
        w[i].seed = 88172645463325252u + i;
        w[i].rows = (latency *)calloc(w[i].count, sizeof *w[i].rows);
        if (w[i].rows == NULL || pthread_create(&thread[i], NULL, job[i].run, &w[i]) != 0) abort();
    }
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    latency_heading();
    for (i = 0; i < THREADS; i++) {
        for (k = 0; k < w[i].count; k++) {
            snprintf(w[i].rows[k].name, sizeof w[i].rows[k].name, "%s", job[i].name[k]);
            latency_end_run(&w[i].rows[k]);
            latency_print(&w[i].rows[k]);
        }
        free(w[i].rows);
    }
}

int main(int argc, char **argv)
{
    static engine the_engine;
    engine *e = &the_engine;
    int good;
    e->samples = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
    e->program.functions = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000;
    e->memory.limit = (argc > 3 ? strtoul(argv[3], NULL, 10) : 16) << 20;
    pthread_mutex_init(&e->lock, NULL);
    pthread_mutex_init(&e->profile_lock, NULL);
    start(e);
    run(e);
    good = memory_is_flat(e) || e->samples < LONG_RUN;
    if (!good) fprintf(stderr, "memory grows\n");
    printf("%llu samples, %llu emissions, %llu profiles (%llu times full), %llu trackers, %lu allocations refused, "
           "%lu calls failed\n",
           (unsigned long long)e->sampled, (unsigned long long)e->emitted, (unsigned long long)e->taken,
           (unsigned long long)e->full,
           (unsigned long long)e->asked, e->memory.refused, e->failed);
    good &= counts_are_exact(e) & (e->failed == 0);
    finish(e);
    if (e->memory.live != 0) fprintf(stderr, "memory is lost\n");
    good &= e->memory.live == 0;
    printf("%s\n", good ? "1 passed, 0 failed, 0 skipped" : "0 passed, 1 failed, 0 skipped");
    return !good;
}
