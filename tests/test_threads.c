/* test_threads.c - what the header promises about threads. Build it with -fsanitize=thread to see data races. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE                 /* POSIX, and Linux's SIGEV_THREAD_ID */
#endif
#include "t.h"
#include "table.h"
#include "ctx_nodes.h"
#include "../bench/program.h"
#include "runtime.h"

#include <pthread.h>
#include <sched.h>
#if defined(__linux__)
#  include <signal.h>
#  include <sys/syscall.h>
#  include <time.h>
#  include <unistd.h>
#endif

enum { THREADS = 4 };

typedef struct job {              /* of one thread                            */
    csspgo_code *map;             /* shared, only read                        */
    csspgo_collector *collector;  /* its own                                  */
    const csspgo_tracker *tracker;/* shared, only read                        */
    const char *text, *name;
    size_t      size;
    char       *out;              /* a result, for free()                     */
    size_t      out_size;
    uint64_t    sum;              /* of answers                               */
    unsigned    failed;
} job;

/* Runs a function in some threads at the same time; all of them must come to the result of the first. */
static void in_threads(void *(*run)(void *), job *jobs)
{
    pthread_t thread[THREADS];
    int started[THREADS], i;
    for (i = 0; i < THREADS; i++) {
        started[i] = pthread_create(&thread[i], NULL, run, &jobs[i]) == 0;
        T_CHECK(started[i]);
    }
    for (i = 0; i < THREADS; i++)
        if (started[i]) pthread_join(thread[i], NULL);
    for (i = 0; i < THREADS; i++) {
        T_EQ(jobs[i].failed, 0);
        T_EQ(jobs[i].sum, jobs[0].sum);
        if (jobs[0].out != NULL && jobs[i].out != NULL)
            t_same("threads", jobs[i].out, jobs[i].out_size, jobs[0].out, jobs[0].out_size);
    }
    for (i = 0; i < THREADS; i++) free(jobs[i].out);
}

/* T_CHECK is not for threads. */
static int expect(job *j, int ok)
{
    j->failed += !ok;
    return ok;
}

/* ----- several threads read one code map -------------------------------------------------------------------------- */

static void ask_map(job *j)
{
    uint64_t at;
    csspgo_frame frames[8];
    size_t i, k, n;
    for (at = 0x201000; at < 0x203000; at++) {
        j->sum += (uint64_t)csspgo_code_transfer_kind(j->map, at) + csspgo_code_call_before(j->map, at);
        j->sum += csspgo_code_runs_straight(j->map, at, at + 8) == 1;
        n = csspgo_code_probe_count(j->map, at);
        for (i = 0; i < n; i++) {
            const size_t depth = csspgo_code_probe_stack(j->map, at, i, frames, 8, NULL);
            for (k = 0; k < depth && k < 8; k++) j->sum = j->sum * 31 + frames[k].guid + frames[k].name_size;
        }
    }
    j->sum += csspgo_code_get_stats(j->map).functions;
}

/* Samples of a recording through a parser and a collector of its own to profile, text and sizes. */
static void *read_map(void *p)
{
    job *j = (job *)p;
    csspgo_script *script = t_llvm_script(j->map, NULL);
    csspgo_profile *profile = csspgo_profile_new(NULL, NULL);
    csspgo_size_table *sizes = csspgo_size_table_new(NULL, NULL);
    csspgo_preinline_options how;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    memset(&how, 0, sizeof how);
    how.sizes = sizes;
    ask_map(j);
    if (expect(j, script != NULL && profile != NULL && sizes != NULL)) {
        csspgo_script_feed(script, j->text, j->size, NULL);
        csspgo_script_end(script);
        while ((item = csspgo_script_next(script, &sample, &map, NULL)) != CSSPGO_ITEM_NONE)
            if (item == CSSPGO_ITEM_SAMPLE)
                expect(j, csspgo_collector_add(j->collector, &sample, 1, NULL) == CSSPGO_OK);
        expect(j, csspgo_collector_flush(j->collector, NULL) == CSSPGO_OK);
        expect(j, csspgo_write_unsymbolized(j->collector, NULL, NULL, 0, &j->out_size, NULL) == CSSPGO_OK);
        j->sum += j->out_size;
        expect(j, csspgo_collector_profile(j->collector, NULL, profile, NULL, NULL) == CSSPGO_OK);
        expect(j, csspgo_size_table_add_code(sizes, j->map, NULL) == CSSPGO_OK);
        expect(j, csspgo_preinline(profile, &how, NULL, NULL) == CSSPGO_OK);
        csspgo_write(profile, CSSPGO_TEXT, NULL, 0, &j->out_size, NULL);
        j->out = (char *)calloc(j->out_size + 1, 1);
        expect(j, j->out != NULL && j->out_size > 100);
        if (j->out != NULL) csspgo_write(profile, CSSPGO_TEXT, j->out, j->out_size, &j->out_size, NULL);
    }
    csspgo_size_table_free(sizes);
    csspgo_profile_free(profile);
    csspgo_script_free(script);
    return NULL;
}

/* Functions, transfers and probes that come in descending order: nothing may be left to be put in order by readers. */
static void add_descending(csspgo_code *code)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_inline_node in;
    csspgo_probe probe;
    csspgo_code_function f;
    csspgo_transfer x;
    uint64_t at;
    memset(&in, 0, sizeof in);
    memset(&probe, 0, sizeof probe);
    memset(&f, 0, sizeof f);
    memset(&x, 0, sizeof x);
    T_EQ(csspgo_code_add_area(code, none, 0x7f0000000000, 0x1000, NULL), CSSPGO_OK);
    in.guid = f.guid = 99;
    probe.id = probe.inline_node = 1;
    x.size = 1;
    x.kind = CSSPGO_RET;
    for (at = 0x7f0000000ff0; at >= 0x7f0000000000; at -= 16) {
        f.begin = probe.address = at;
        f.end = at + 16;
        x.address = at + 15;
        T_EQ(csspgo_code_add_function(code, none, &f, NULL), CSSPGO_OK);
        T_EQ(csspgo_code_add_transfers(code, none, &x, 1, NULL), CSSPGO_OK);
        T_EQ(csspgo_code_add_probes(code, none, &in, 1, &probe, 1, NULL), CSSPGO_OK);
    }
}

static void collectors_and_parsers_read_one_map(void)
{
    job jobs[THREADS];
    t_table t;
    size_t size, i;
    char *text = t_file("data/generate/mix.perfscript", &size);
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    memset(jobs, 0, sizeof jobs);
    if (T_EQ(t_table_load(&t, "data/generate/tables/mix.probe.tsv", NULL), CSSPGO_OK) && text != NULL && s != NULL) {
        csspgo_script_feed(s, text, size, NULL);
        csspgo_script_end(s);
        while ((item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE)
            if (item == CSSPGO_ITEM_MMAP) csspgo_code_mmap(t.code, &map, NULL, NULL);
        add_descending(t.code);
        for (i = 0; i < THREADS; i++) {
            jobs[i].map = t.code;
            jobs[i].collector = csspgo_collector_new(t.code, NULL, NULL, NULL);
            jobs[i].text = text;
            jobs[i].size = size;
            T_CHECK(jobs[i].collector != NULL);
        }
        in_threads(read_map, jobs);
        for (i = 0; i < THREADS; i++) csspgo_collector_free(jobs[i].collector);
    }
    csspgo_script_free(s);
    t_table_free(&t);
    free(text);
}

/* ----- collectors of one map work at the same time, while code changes and counts are handed over ----------------- */

/*
 * What csspgo_collector_new says, taken literally: calls on different collectors overlap (readers of the lock), while
 * changes of the map, and collectors that are made, taken or freed, exclude all of them (writers).
 */
enum { MOVING = 40, SPARE = 20, ADDED = 3000, HANDED = 8 };

typedef struct moving {
    pthread_rwlock_t  code;       /* the map, and `made`                                   */
    pthread_mutex_t   list;       /* the collectors that are handed over                   */
    csspgo_code      *map;
    program           made;       /* the functions, and where they are                      */
    csspgo_collector *handed[HANDED];
    unsigned          waiting;    /* of these                                              */
    unsigned          samplers;   /* that go on                                            */
    unsigned          failed;
} moving;

typedef struct moving_job {
    moving           *m;
    csspgo_collector *collector;  /* of a sampler */
    uint64_t          seed, added, turns;
    csspgo_profile   *profile;    /* of a profiler */
} moving_job;

/* A thread's own random numbers, for the program that all share. */
static program moving_program(moving_job *j)
{
    program p = j->m->made;
    p.seed = j->seed = j->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return p;
}

static void moving_expect(moving *m, int ok)
{
    if (!ok) __atomic_add_fetch(&m->failed, 1, __ATOMIC_RELAXED);
}

static void *move_code(void *arg)
{
    moving_job *j = (moving_job *)arg;
    moving *m = j->m;
    uint64_t freed[SPARE];
    uint32_t i, f, oldest = 0;
    for (i = 0; i < SPARE; i++) freed[i] = 0x10000 + (uint64_t)(MOVING + i) * PROGRAM_SIZE;
    while (__atomic_load_n(&m->samplers, __ATOMIC_ACQUIRE) != 0) {
        program p = moving_program(j);
        program_unit u;
        f = program_random(&p, MOVING);
        program_make(f, freed[oldest], &u);
        pthread_rwlock_wrlock(&m->code);
        if (program_random(&p, 2)) {
            moving_expect(m, csspgo_code_move(m->map, m->made.where[f], m->made.where[f] + PROGRAM_SIZE,
                                              u.function.begin, NULL) == CSSPGO_OK);
        } else {
            moving_expect(m, csspgo_code_remove(m->map, m->made.where[f], m->made.where[f] + PROGRAM_SIZE, NULL) ==
                                 CSSPGO_OK);
            moving_expect(m, program_add(m->map, &u, NULL) == CSSPGO_OK);
        }
        freed[oldest] = m->made.where[f];
        m->made.where[f] = u.function.begin;
        pthread_rwlock_unlock(&m->code);
        oldest = (oldest + 1) % SPARE;
        sched_yield();
    }
    return NULL;
}

/* Gives away what it has counted, unless too much waits already. */
static void hand_over(moving_job *j)
{
    moving *m = j->m;
    csspgo_collector *c;
    pthread_mutex_lock(&m->list);
    if (m->waiting < HANDED) {
        pthread_rwlock_wrlock(&m->code);
        c = csspgo_collector_take(j->collector, NULL);
        pthread_rwlock_unlock(&m->code);
        moving_expect(m, c != NULL);
        if (c != NULL) m->handed[m->waiting++] = c;
    }
    pthread_mutex_unlock(&m->list);
}

static void *sample_code(void *arg)
{
    moving_job *j = (moving_job *)arg;
    moving *m = j->m;
    uint32_t i;
    for (i = 0; i < ADDED; i++) {
        program_sample s;
        program p;
        pthread_rwlock_rdlock(&m->code);
        p = moving_program(j);
        program_walk(&p, &s);
        moving_expect(m, csspgo_collector_add(j->collector, &s.sample, 1, NULL) == CSSPGO_OK);
        if (i % 7 == 0) {
            const csspgo_status status = csspgo_collector_step(j->collector, 50, NULL);
            moving_expect(m, status == CSSPGO_OK || status == CSSPGO_MORE);
        }
        pthread_rwlock_unlock(&m->code);
        j->added++;
        j->turns += s.turns;
        if (i % 100 == 99) hand_over(j);
    }
    __atomic_sub_fetch(&m->samplers, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Makes a profile, in slices, of what was handed over; reads code meanwhile. */
static void slice(moving_job *j, csspgo_collector *c)
{
    moving *m = j->m;
    csspgo_status s = CSSPGO_MORE;
    csspgo_generate_options how;
    memset(&how, 0, sizeof how);
    how.no_inference = 1;
    while (s == CSSPGO_MORE) {
        csspgo_code_place place;
        pthread_rwlock_rdlock(&m->code);
        s = csspgo_collector_profile_step(c, 100, &how, j->profile, NULL, NULL);
        moving_expect(m, csspgo_code_find(m->map, m->made.where[0] + 9, &place) == 1 &&
                             csspgo_code_probe_count(m->map, m->made.where[0]) == 1 &&
                             csspgo_code_call_before(m->map, m->made.where[0] + PROGRAM_STEP + PROGRAM_CALL +
                                                                 PROGRAM_CALL_SIZE) != 0);
        pthread_rwlock_unlock(&m->code);
    }
    moving_expect(m, s == CSSPGO_OK);
}

static void *make_profiles(void *arg)
{
    moving_job *j = (moving_job *)arg;
    moving *m = j->m;
    int more = 1;
    while (more) {
        csspgo_collector *c = NULL;
        more = __atomic_load_n(&m->samplers, __ATOMIC_ACQUIRE) != 0;
        pthread_mutex_lock(&m->list);
        if (m->waiting != 0) {
            c = m->handed[--m->waiting];
            more = 1;
        }
        pthread_mutex_unlock(&m->list);
        if (c == NULL) {
            sched_yield();
            continue;
        }
        slice(j, c);
        pthread_rwlock_wrlock(&m->code);
        csspgo_collector_free(c);
        pthread_rwlock_unlock(&m->code);
    }
    return NULL;
}

/* The turns of all loops in a profile. */
static uint64_t all_turns(const csspgo_profile *p)
{
    uint64_t sum = 0;
    csspgo_node n = csspgo_root(p);
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0)
        sum += csspgo_body_count(p, n, csspgo_loc_at(PROGRAM_PROBES - 1, 0));
    return sum;
}

/* Two samplers, two profilers and a compiler: all counts arrive. */
static void counts_are_handed_over_while_code_changes(void)
{
    static void *(*const run[])(void *) = { sample_code, sample_code, make_profiles, make_profiles, move_code };
    enum { JOBS = sizeof run / sizeof run[0] };
    moving_job jobs[JOBS];
    pthread_t thread[JOBS];
    moving m;
    program_unit u;
    uint64_t where[MOVING], turns = 0, counted = 0;
    uint32_t i;
    memset(&m, 0, sizeof m);
    memset(jobs, 0, sizeof jobs);
    pthread_rwlock_init(&m.code, NULL);
    pthread_mutex_init(&m.list, NULL);
    m.map = csspgo_code_new(NULL, NULL);
    m.made.where = where;
    m.made.functions = m.made.roots = MOVING;
    m.samplers = 2;
    for (i = 0; i < MOVING; i++) {
        program_make(i, where[i] = 0x10000 + (uint64_t)i * PROGRAM_SIZE, &u);
        T_EQ(program_add(m.map, &u, NULL), CSSPGO_OK);
    }
    for (i = 0; i < JOBS; i++) {
        jobs[i].m = &m;
        jobs[i].seed = i;
        if (run[i] == sample_code) jobs[i].collector = csspgo_collector_new(m.map, NULL, NULL, NULL);
        if (run[i] == make_profiles) jobs[i].profile = csspgo_profile_new(NULL, NULL);
    }
    for (i = 0; i < JOBS; i++) T_EQ(pthread_create(&thread[i], NULL, run[i], &jobs[i]), 0);
    for (i = 0; i < JOBS; i++) pthread_join(thread[i], NULL);
    T_EQ(m.failed, 0);
    T_EQ(m.waiting, 0);
    for (i = 0; i < JOBS; i++) {
        turns += jobs[i].turns;
        if (jobs[i].collector != NULL) slice(&jobs[2], jobs[i].collector);
    }
    for (i = 0; i < JOBS; i++) {
        if (jobs[i].profile != NULL) {
            T_CHECK(t_valid(jobs[i].profile));
            counted += all_turns(jobs[i].profile);
        }
        csspgo_collector_free(jobs[i].collector);
        csspgo_profile_free(jobs[i].profile);
    }
    T_EQ(counted, turns);
    T_EQ(csspgo_code_validate(m.map, NULL), CSSPGO_OK);
    csspgo_code_free(m.map);
    pthread_mutex_destroy(&m.list);
    pthread_rwlock_destroy(&m.code);
}

/* ----- several threads ask one tracker ---------------------------------------------------------------------------- */

static void *ask_tracker(void *p)
{
    job *j = (job *)p;
    const csspgo_tracker *t = j->tracker;
    const csspgo_profile *profile = csspgo_tracker_profile(t);
    csspgo_profile *copy = csspgo_tracker_snapshot(t, NULL);
    csspgo_node node, out[16];
    csspgo_frame frame;
    uint32_t line;
    size_t i, n;
    j->sum += csspgo_tracker_hot_count(t) + csspgo_tracker_get_stats(t).merged;
    memset(&frame, 0, sizeof frame);
    frame.func = csspgo_tracker_func(t, "main", 4);
    j->sum += csspgo_tracker_find(t, &frame, 1).id;
    frame.func = csspgo_tracker_func(t, "foo", 3);
    for (node = csspgo_tracker_contexts(t, frame.func); node.id != 0; node = csspgo_tracker_next(t, node)) {
        j->sum = j->sum * 31 + csspgo_total(profile, node) + csspgo_tracker_node_state(t, node);
        j->sum += csspgo_tracker_entry_count(t, csspgo_tracker_resolve(t, node));
    }
    n = csspgo_tracker_get_children(t, csspgo_root(profile), out, 16);
    for (i = 0; i < n && i < 16; i++)
        for (line = 0; line < 8; line++) {
            j->sum += csspgo_tracker_callee(t, out[i], csspgo_loc_at(line, 0), frame.func).id;
            j->sum += csspgo_tracker_get_callees(t, out[i], csspgo_loc_at(line, 0), NULL, 0);
        }
    expect(j, copy != NULL);
    csspgo_profile_free(copy);
    return NULL;
}

static void trackers_are_asked_by_several_threads(void)
{
    job jobs[THREADS];
    size_t size, i;
    char *text = t_file("data/tracker/basic.prof", &size);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_tracker *t;
    memset(jobs, 0, sizeof jobs);
    T_EQ(csspgo_read(p, text, size, NULL), CSSPGO_OK);
    t = csspgo_tracker_new(p, NULL, NULL);
    T_CHECK(t != NULL);
    for (i = 0; i < THREADS; i++) jobs[i].tracker = t;
    if (t != NULL) in_threads(ask_tracker, jobs);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
    free(text);
}

/* ----- objects share nothing -------------------------------------------------------------------------------------- */

/* Everything on objects of one thread. */
static void *work_alone(void *p)
{
    job *j = (job *)p;
    csspgo_profile *a = csspgo_profile_new(NULL, NULL), *b = csspgo_profile_new(NULL, NULL), *c = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = csspgo_matcher_new(NULL, NULL, NULL);
    csspgo_perfdata *d = csspgo_perfdata_new(NULL, NULL);
    csspgo_probe_set *probes = csspgo_probe_set_new(NULL, NULL);
    csspgo_descriptor desc;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    csspgo_code_function f;
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    memset(&f, 0, sizeof f);
    f.begin = 0x1000;
    f.end = 0x2000;
    f.guid = 5;
    memset(&desc, 0, sizeof desc);
    desc.guid = 5;
    desc.name = "five";
    desc.name_size = 4;
    if (expect(j, a != NULL && b != NULL && c != NULL && m != NULL && d != NULL && probes != NULL)) {
        expect(j, csspgo_read(a, j->text, j->size, NULL) == CSSPGO_OK);
        expect(j, csspgo_read(b, j->text, j->size, NULL) == CSSPGO_OK);
        expect(j, csspgo_add_profile(a, b, NULL) == CSSPGO_OK);
        expect(j, csspgo_matcher_module(m, a, NULL, 0, NULL, NULL) == CSSPGO_OK);
        expect(j, csspgo_matcher_apply(m, a, c, NULL, NULL) == CSSPGO_OK);
        expect(j, csspgo_probe_set_add_descriptor(probes, &desc, NULL) == CSSPGO_OK);
        csspgo_perfdata_feed(d, j->text, j->size, NULL);
        csspgo_perfdata_end(d);
        while (csspgo_perfdata_next(d, &sample, &map, &err) != CSSPGO_ITEM_NONE) {}
        csspgo_write(a, CSSPGO_TEXT, NULL, 0, &j->out_size, NULL);
        j->out = (char *)calloc(j->out_size + 1, 1);
        if (j->out != NULL) csspgo_write(a, CSSPGO_TEXT, j->out, j->out_size, &j->out_size, NULL);
    }
    if (expect(j, code != NULL)) {
        expect(j, csspgo_code_add_function(code, csspgo_no_module(), &f, NULL) == CSSPGO_OK);
        expect(j, csspgo_code_add_descriptors(code, &desc, 1, NULL) == CSSPGO_OK);
        expect(j, csspgo_code_remove(code, 0x1000, 0x1800, NULL) == CSSPGO_OK);
    }
    csspgo_code_free(code);
    csspgo_probe_set_free(probes);
    csspgo_perfdata_free(d);
    csspgo_matcher_free(m);
    csspgo_profile_free(a);
    csspgo_profile_free(b);
    csspgo_profile_free(c);
    return NULL;
}

static void objects_share_nothing(void)
{
    job jobs[THREADS];
    size_t size, i;
    char *text = t_file("data/tracker/basic.prof", &size);
    memset(jobs, 0, sizeof jobs);
    for (i = 0; i < THREADS; i++) {
        jobs[i].text = text;
        jobs[i].size = size;
    }
    in_threads(work_alone, jobs);
    free(text);
}

/* ----- several threads enter functions that are recorded ----------------------------------------------------------- */

enum { RECORDED = 2000 };

typedef struct recorded {         /* a function of an engine: its slot is one of its fields */
    uint64_t id;
    csspgo_trace_slot slot;
} recorded;

static csspgo_trace_clock recording;
static recorded recorded_function[RECORDED];

/* Enters every function some times, each thread in an order of its own. */
static void *enter_functions(void *arg)
{
    job *j = (job *)arg;
    size_t i, turn;
    for (turn = 0; turn < 5; turn++)
        for (i = 0; i < RECORDED; i++)
            CSSPGO_TRACE_ENTER(&recording, &recorded_function[(i * 7 + j->size * 501) % RECORDED].slot);
    return NULL;
}

static void functions_are_recorded_by_several_threads(void)
{
    static uint64_t id[RECORDED], out[RECORDED];
    static unsigned char seen[RECORDED];
    const csspgo_trace_phase phase = { &recorded_function[0].slot, sizeof(recorded), id, RECORDED, 0, 0 };
    job jobs[THREADS];
    size_t i, n, once;
    memset(jobs, 0, sizeof jobs);
    for (i = 0; i < RECORDED; i++) id[i] = recorded_function[i].id = i;
    for (i = 0; i < THREADS; i++) jobs[i].size = i;
    in_threads(enter_functions, jobs);
    T_EQ(csspgo_trace_collect(&phase, NULL, out, &n, NULL), CSSPGO_OK);
    T_EQ(n, RECORDED);
    for (i = once = 0; i < n; i++) once += seen[out[i]]++ == 0;
    T_EQ(once, RECORDED);
    for (i = 1; i < n && recorded_function[out[i - 1]].slot.stamp < recorded_function[out[i]].slot.stamp;) i++;
    T_EQ(i, n);                                       /* stamps are distinct */
    T_CHECK(csspgo_trace_now(&recording) > RECORDED);
}

/* ----- instrumented code in eight threads under one root, read meanwhile ------------------------------------------ */

enum { CONTEXT_THREADS = 8, CONTEXT_CALLS = 3000 };

static const char context_code[4] = "";
static const csspgo_ctx_fn context_root = { 1, &context_code[1], 1, 1 }, context_leaf = { 2, &context_code[2], 2, 0 };
static const csspgo_ctx_fn context_loose = { 3, &context_code[3], 2, 1 };

typedef struct context_job {
    csspgo_ctx_runtime *runtime;
    csspgo_ctx_root    *root;
    uint64_t            counted;  /* entries that got a tree */
    unsigned            failed;
} context_job;

static void *count_contexts(void *arg)
{
    context_job *j = (context_job *)arg;
    csspgo_ctx_thread t;
    int i;
    j->failed += csspgo_ctx_thread_init(&t, j->runtime, 2, NULL) != CSSPGO_OK;
    j->failed += csspgo_ctx_thread_flat(&t, 1, NULL) != CSSPGO_OK;
    for (i = 0; i < CONTEXT_CALLS; i++) {
        csspgo_ctx_ref a, b;
        csspgo_ctx_count(csspgo_ctx_enter(&t, &context_loose), 1, 1);   /* outside roots */
        a = csspgo_ctx_root_enter(&t, j->root);
        csspgo_ctx_count(csspgo_ctx_enter(&t, &context_loose), 1, 1);   /* not announced */
        csspgo_ctx_call(&t, a, &context_root, 0, context_leaf.address);
        b = csspgo_ctx_enter(&t, &context_leaf);
        csspgo_ctx_count(b, 1, 2);
        j->failed += (a & 1) != (b & 1);
        j->counted += !(a & 1);
        csspgo_ctx_root_leave(&t);
    }
    csspgo_ctx_thread_free(&t);
    return NULL;
}

/* A snapshot or a dump, while threads count: what is in it belongs together. */
static void read_contexts(csspgo_ctx_runtime *r, int wait, int dump)
{
    csspgo_ctx_busy_options how;
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    csspgo_ctx_stats s;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    how.wait = wait != 0;
    if (dump) {
        size_t size = 0, had = 0;
        char *data = NULL;
        csspgo_status status = CSSPGO_E_SHORT;
        while (status == CSSPGO_E_SHORT) {                /* it may grow between two calls */
            had = size + 500;
            data = (char *)realloc(data, had);
            if (data == NULL) abort();
            status = csspgo_ctx_dump(r, &how, data, had, &size, NULL, &e);
        }
        T_EQ(status, CSSPGO_OK);
        if (!T_EQ(csspgo_ctx_read(c, data, size, NULL, &e), CSSPGO_OK)) fprintf(stderr, "    %s\n", e.message);
        free(data);
    } else T_EQ(csspgo_ctx_snapshot(r, &how, c, NULL, NULL), CSSPGO_OK);
    s = csspgo_ctx_get_stats(c);
    T_CHECK(s.roots <= 1 && s.callees <= 1 && s.unhandled <= 1 && s.flat <= 1);
    T_CHECK(csspgo_ctx_runtime_memory(r) > 0);
    csspgo_ctx_free(c);
}

/* Reads the trees of the root while they are counted in: 1 to 8 of them; 0: as many as are needed. */
static void threads_count_under_one_root(uint32_t shards)
{
    context_job jobs[CONTEXT_THREADS];
    pthread_t thread[CONTEXT_THREADS];
    csspgo_ctx_root_options how;
    csspgo_ctx_runtime *r = csspgo_ctx_runtime_new(NULL, NULL);
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    csspgo_node root, leaf;
    uint64_t counted = 0;
    size_t n;
    int i;
    if (r == NULL || c == NULL) abort();
    memset(jobs, 0, sizeof jobs);
    memset(&how, 0, sizeof how);
    how.shards = shards;
    jobs[0].runtime = r;
    jobs[0].root = csspgo_ctx_root_new(r, &context_root, &how, NULL);
    for (i = 1; i < CONTEXT_THREADS; i++) jobs[i] = jobs[0];
    for (i = 0; i < CONTEXT_THREADS; i++)
        T_EQ(pthread_create(&thread[i], NULL, count_contexts, &jobs[i]), 0);
    for (i = 0; i < 40; i++) read_contexts(r, i >= 8 && (i & 1), i & 2);
    for (i = 0; i < CONTEXT_THREADS; i++) {
        pthread_join(thread[i], NULL);
        T_EQ(jobs[i].failed, 0);
        counted += jobs[i].counted;
    }
    T_EQ(csspgo_ctx_snapshot(r, NULL, c, &n, NULL), CSSPGO_OK);       /* all trees are free */
    T_EQ(n, 0);
    root = ctx_first_child(c, ctx_top(c));
    leaf = ctx_child(c, root, CTX_CALLEE, 0, 2);
    T_EQ(csspgo_ctx_entry_count(c, root), (uint64_t)CONTEXT_THREADS * CONTEXT_CALLS);
    T_CHECK(counted != 0 && csspgo_ctx_get_counters(c, root, &n)[0] == counted);
    if (shards == 0) T_EQ(counted, (uint64_t)CONTEXT_THREADS * CONTEXT_CALLS);
    T_CHECK(csspgo_ctx_get_counters(c, leaf, &n)[0] == counted &&
            csspgo_ctx_get_counters(c, leaf, &n)[1] == 2 * counted);
    leaf = ctx_child(c, root, CTX_UNHANDLED, 0, 3);
    T_CHECK(csspgo_ctx_get_counters(c, leaf, &n)[0] == counted && csspgo_ctx_get_counters(c, leaf, &n)[1] == counted);
    leaf = ctx_child(c, ctx_top(c), CTX_FLAT, 0, 3);
    T_EQ(csspgo_ctx_get_counters(c, leaf, &n)[0], (uint64_t)CONTEXT_THREADS * CONTEXT_CALLS);
    T_EQ(csspgo_ctx_get_counters(c, leaf, &n)[1], (uint64_t)CONTEXT_THREADS * CONTEXT_CALLS);
    csspgo_ctx_free(c);
    csspgo_ctx_runtime_free(r);
}

/* A thread that resets what others count outside roots: nothing from before the last reset is left. */
static void flat_nodes_are_reset_while_threads_count(void)
{
    context_job jobs[CONTEXT_THREADS];
    pthread_t thread[CONTEXT_THREADS];
    csspgo_ctx_runtime *r = csspgo_ctx_runtime_new(NULL, NULL);
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    int i, j;
    if (r == NULL || c == NULL) abort();
    memset(jobs, 0, sizeof jobs);
    jobs[0].runtime = r;
    jobs[0].root = csspgo_ctx_root_new(r, &context_root, NULL, NULL);
    for (i = 1; i < CONTEXT_THREADS; i++) jobs[i] = jobs[0];
    for (i = 0; i < CONTEXT_THREADS; i++) {
        T_EQ(pthread_create(&thread[i], NULL, count_contexts, &jobs[i]), 0);
        for (j = 0; j < 20; j++) csspgo_ctx_reset(r, NULL);
    }
    for (i = 0; i < CONTEXT_THREADS; i++) {
        pthread_join(thread[i], NULL);
        T_EQ(jobs[i].failed, 0);
    }
    T_EQ(csspgo_ctx_reset(r, NULL), 0);
    T_EQ(csspgo_ctx_snapshot(r, NULL, c, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_ctx_get_stats(c).max_counter, 0);
    csspgo_ctx_free(c);
    csspgo_ctx_runtime_free(r);
}

/* ----- fork ----- */

#if defined(__unix__) && defined(__GNUC__)
#include <sys/wait.h>
#include <unistd.h>

enum { FORK_POOL = 1 << 18, FORK_FREED = 64 };

/* Memory for a runtime that needs no lock of its own: a child of a process with threads must not wait for malloc's. */
typedef struct fork_pool {
    size_t used, freed;
    void  *block[FORK_FREED];
    size_t size[FORK_FREED];
    double bytes[FORK_POOL / sizeof(double)];
} fork_pool;

static void *pool_alloc(void *ctx, size_t size)
{
    fork_pool *p = (fork_pool *)ctx;
    size_t i;
    for (i = 0; i < p->freed; i++) {
        void *block = p->block[i];
        if (p->size[i] != size) continue;
        p->freed--;
        p->block[i] = p->block[p->freed];
        p->size[i] = p->size[p->freed];
        return block;
    }
    size = (size + 15) / 16 * 2;
    if (size > FORK_POOL / sizeof(double) - p->used) return NULL;
    p->used += size;
    return p->bytes + (p->used - size);
}

static void pool_free(void *ctx, void *block, size_t size)
{
    fork_pool *p = (fork_pool *)ctx;
    if (p->freed == FORK_FREED) return;
    p->block[p->freed] = block;
    p->size[p->freed++] = size;
}

static csspgo_options pool_options(fork_pool *p)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    memset(p, 0, sizeof *p);
    o.allocator.alloc_fn = pool_alloc;
    o.allocator.free_fn = pool_free;
    o.allocator.ctx = p;
    return o;
}

static fork_pool pool_of_runtime, pool_of_child;
static int fork_stop;

/* Is under a root most of the time, and has the runtime's lock often: states come and go. */
static void *count_until_stopped(void *arg)
{
    context_job *j = (context_job *)arg;
    csspgo_ctx_thread t, other;
    j->failed += csspgo_ctx_thread_init(&t, j->runtime, 2, NULL) != CSSPGO_OK;
    while (!__atomic_load_n(&fork_stop, __ATOMIC_RELAXED)) {
        const csspgo_ctx_ref a = csspgo_ctx_root_enter(&t, j->root);
        int i;
        for (i = 0; i < 50; i++) {
            csspgo_ctx_call(&t, a, &context_root, 0, context_leaf.address);
            csspgo_ctx_count(csspgo_ctx_enter(&t, &context_leaf), 1, 2);
        }
        csspgo_ctx_root_leave(&t);
        j->failed += csspgo_ctx_thread_init(&other, j->runtime, 2, NULL) != CSSPGO_OK;
        csspgo_ctx_thread_free(&other);
    }
    csspgo_ctx_thread_free(&t);
    return NULL;
}

static int enter_100_times(csspgo_ctx_thread *t, csspgo_ctx_root *root)
{
    int i, scratch = 0;
    for (i = 0; i < 100; i++) {
        scratch += (int)(csspgo_ctx_root_enter(t, root) & 1);
        csspgo_ctx_root_leave(t);
    }
    return scratch;
}

/* A child that only counts, with the state that it has from its parent: it is turned away less than 16 times. */
static int in_a_child_that_only_counts(const context_job *j, csspgo_ctx_thread *inherited)
{
    alarm(60);
    return enter_100_times(inherited, j->root) < 16 ? 0 : 11;
}

enum { OUTSIDE, INSIDE, INSIDE_UNSEEN, ONLY_COUNTS, PLACES };   /* unseen: another thread is the first to notice the fork */

/* What a child counts is all there, in both ways to read it, and nobody waits for the parent's threads. Returns 0. */
static int in_the_child(const context_job *j, csspgo_ctx_thread *inherited, int inside)
{
    static unsigned char dump[1 << 16];
    const csspgo_options o = pool_options(&pool_of_child);
    csspgo_ctx *c = csspgo_ctx_new(&o, NULL), *d = csspgo_ctx_new(&o, NULL);
    csspgo_ctx_busy_options how;
    csspgo_node root;
    csspgo_ctx_thread t;
    size_t busy = 99, n;
    alarm(60);
    memset(&how, 0, sizeof how);
    how.wait = 1;
    if (inside) how.self = inherited;
    if (inside == INSIDE_UNSEEN && csspgo_ctx_thread_init(&t, j->runtime, 2, NULL) != CSSPGO_OK) return 3;
    if (c == NULL || d == NULL || csspgo_ctx_reset(j->runtime, &how) != 0) return 1;
    if (!inside && enter_100_times(inherited, j->root) != 0) return 2;
    if (inside != INSIDE_UNSEEN && csspgo_ctx_thread_init(&t, j->runtime, 2, NULL) != CSSPGO_OK) return 3;
    if (enter_100_times(&t, j->root) != 0 && inside != INSIDE) return 4;
    if (csspgo_ctx_snapshot(j->runtime, &how, c, &busy, NULL) != CSSPGO_OK || busy != 0) return 5;
    root = ctx_first_child(c, ctx_top(c));
    if (csspgo_ctx_entry_count(c, root) != (inside ? 100 : 200)) return 6;
    if (!inside && csspgo_ctx_get_counters(c, root, &n)[0] != 200) return 7;
    if (csspgo_ctx_dump(j->runtime, &how, dump, sizeof dump, &n, &busy, NULL) != CSSPGO_OK || busy != 0) return 8;
    if (csspgo_ctx_read(d, dump, n, NULL, NULL) != CSSPGO_OK) return 9;
    root = ctx_first_child(d, ctx_top(d));
    if (csspgo_ctx_entry_count(d, root) != (inside ? 100 : 200)) return 10;
    if (inside) csspgo_ctx_root_leave(inherited);
    csspgo_ctx_thread_free(&t);
    csspgo_ctx_thread_free(inherited);
    csspgo_ctx_runtime_free(j->runtime);
    return 0;
}

/* Forks under four threads, in each of the places in turn. */
static void a_child_counts_and_returns(uint32_t shards)
{
    const int rounds = (int)t_size(8, 240);
    const csspgo_options o = pool_options(&pool_of_runtime);
    context_job jobs[THREADS];
    pthread_t thread[THREADS];
    csspgo_ctx_root_options how;
    csspgo_ctx_thread t;
    csspgo_ctx_runtime *r = csspgo_ctx_runtime_new(&o, NULL);
    int i, status;
    if (r == NULL) abort();
    memset(jobs, 0, sizeof jobs);
    memset(&how, 0, sizeof how);
    how.shards = shards;
    jobs[0].runtime = r;
    jobs[0].root = csspgo_ctx_root_new(r, &context_root, &how, NULL);
    T_EQ(csspgo_ctx_thread_init(&t, r, 2, NULL), CSSPGO_OK);
    for (i = 1; i < THREADS; i++) jobs[i] = jobs[0];
    __atomic_store_n(&fork_stop, 0, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) T_EQ(pthread_create(&thread[i], NULL, count_until_stopped, &jobs[i]), 0);
    for (i = 0; i < rounds; i++) {
        const int inside = i % PLACES;
        pid_t child;
        if (inside) csspgo_ctx_root_enter(&t, jobs[0].root);
        if (inside == ONLY_COUNTS) csspgo_ctx_root_leave(&t);
        child = fork();
        if (child == 0)
            _exit(inside == ONLY_COUNTS ? in_a_child_that_only_counts(&jobs[0], &t) : in_the_child(&jobs[0], &t, inside));
        if (inside && inside != ONLY_COUNTS) csspgo_ctx_root_leave(&t);
        if (T_CHECK(child > 0 && waitpid(child, &status, 0) == child)) T_EQ(status, 0);
    }
    __atomic_store_n(&fork_stop, 1, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        T_EQ(jobs[i].failed, 0);
    }
    csspgo_ctx_thread_free(&t);
    csspgo_ctx_runtime_free(r);
}

/* ----- fork with a runtime for a JIT: under its locks, so the child has all of it ----- */

enum { FRONT_POOL = 1 << 26 };
static double   front_pool[FRONT_POOL / sizeof(double)];
static uint32_t front_used, front_number;

/* Memory from a pool that never ends; a thread that is in it when another one forks leaves nothing behind. */
static void *front_alloc(void *ctx, size_t size)
{
    const uint32_t n = (uint32_t)((size + 15) / 16 * 2), at = __atomic_fetch_add(&front_used, n, __ATOMIC_RELAXED);
    (void)ctx;
    return at + n <= FRONT_POOL / sizeof(double) ? front_pool + at : NULL;
}

static void front_free(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)block;
    (void)size;
}

static int push_one(csspgo_runtime *r, uint32_t writer)
{
    const csspgo_branch branches[2] = { { 0x1020, 0x1000, 0 }, { 0x1020, 0x1000, 0 } };
    const uint64_t stack[1] = { 0x1004 };
    const csspgo_sample sample = { stack, branches, 1, 2, 1, 0, 0, 0, 0, 0 };
    return csspgo_runtime_push(r, writer, &sample);
}

static void *push_and_step(void *arg)
{
    csspgo_runtime *r = (csspgo_runtime *)arg;
    const uint32_t writer = 1 + __atomic_fetch_add(&front_number, 1, __ATOMIC_RELAXED) % THREADS;
    while (!__atomic_load_n(&fork_stop, __ATOMIC_RELAXED)) {
        int i;
        for (i = 0; i < 5; i++) push_one(r, writer);
        csspgo_runtime_step(r, 100, NULL);
    }
    return NULL;
}

/* The child goes on with what it has: counts, profile, advice, new code. Returns 0. */
static int in_a_child_with_a_runtime(csspgo_runtime *r, const csspgo_code_unit *unit)
{
    csspgo_status s = CSSPGO_MORE;
    csspgo_runtime_parts parts;
    alarm(60);
    if (!push_one(r, 0)) return 1;
    while (s == CSSPGO_MORE) s = csspgo_runtime_step(r, 10000, NULL);
    if (s != CSSPGO_OK) return 2;
    s = csspgo_runtime_take(r, NULL);
    if (s != CSSPGO_OK && s != CSSPGO_MORE) return 3;
    if (csspgo_runtime_profile(r, NULL, NULL) != CSSPGO_OK) return 4;
    csspgo_runtime_lock(r);
    parts = csspgo_runtime_get_parts(r);
    if (csspgo_validate(parts.profile, NULL) != CSSPGO_OK) return 5;
    if (csspgo_total(parts.profile, csspgo_find(parts.profile, "f")) == 0) return 8;
    csspgo_runtime_unlock(r);
    if (csspgo_runtime_retire(r, 0x1000, 0x1040, NULL) != CSSPGO_OK) return 6;
    if (csspgo_runtime_emit(r, unit, NULL) != CSSPGO_OK) return 7;
    csspgo_runtime_free(r);
    return 0;
}

static void a_runtime_goes_on_in_a_child(void)
{
    static const csspgo_code_function f = { 0x1000, 0x1040, 0, 1, "f", 1, 0, 0 };
    static const csspgo_transfer loop = { 0x1020, 0x1000, 2, CSSPGO_COND };
    static const csspgo_probe probe = { 0x1000, 1, 0, 1, CSSPGO_PROBE_BLOCK, 0, 0 };
    const csspgo_inline_node body = { csspgo_guid("f", 1), 0, 0 };
    const csspgo_code_unit unit = { &f, &loop, &body, &probe, 1, 1, 1, 1 };
    const int rounds = (int)t_size(3, 40);
    pthread_t thread[THREADS];
    csspgo_runtime_options how;
    csspgo_options o;
    csspgo_runtime *r;
    int i, status;
    memset(&how, 0, sizeof how);
    memset(&o, 0, sizeof o);
    how.bytes = 8 << 20;
    how.writers = THREADS + 1;
    o.allocator.alloc_fn = front_alloc;
    o.allocator.free_fn = front_free;
    r = csspgo_runtime_new(&how, &o, NULL);
    if (r == NULL) abort();
    T_EQ(csspgo_runtime_emit(r, &unit, NULL), CSSPGO_OK);
    __atomic_store_n(&fork_stop, 0, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) T_EQ(pthread_create(&thread[i], NULL, push_and_step, r), 0);
    for (i = 0; i < rounds; i++) {
        pid_t child;
        csspgo_runtime_lock(r);
        child = fork();
        csspgo_runtime_unlock(r);
        if (child == 0) _exit(in_a_child_with_a_runtime(r, &unit));
        if (T_CHECK(child > 0 && waitpid(child, &status, 0) == child)) T_EQ(status, 0);
    }
    __atomic_store_n(&fork_stop, 1, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    csspgo_runtime_free(r);
}

static void children_count_for_themselves(void)
{
    a_runtime_goes_on_in_a_child();
    a_child_counts_and_returns(0);
    a_child_counts_and_returns(1);
    a_child_counts_and_returns(4);
}
#else
static void children_count_for_themselves(void)
{
}
#endif

/* ----- signal handlers of four threads push while another thread drains ------------------------------------------- */

#if defined(__linux__)
typedef struct pusher {
    csspgo_queue *queue;
    uint32_t      writer;
    uint64_t      by_thread[2], by_handler[2];    /* pushes that were not taken, that were */
} pusher;
enum { MOST_PUSHES = 2000000 };   /* qemu-i386 delivers one or two signals meanwhile, processors thousands */
static __thread pusher *own_pusher;
static uint32_t pushers;          /* threads that have not ended */

/* A sample with stack and branches, which must arrive as it is. */
static int push_sample(const pusher *p, uint64_t number)
{
    uint64_t stack[4];
    csspgo_branch branch[2];
    csspgo_sample s;
    memset(&s, 0, sizeof s);
    memset(branch, 0, sizeof branch);
    stack[0] = stack[3] = 0x1010;
    stack[1] = branch[0].from = stack[2] = branch[1].from = branch[0].to = branch[1].to = number;
    s.stack = stack;
    s.branches = branch;
    s.stack_count = 4;
    s.branch_count = 2;
    s.count = number;
    return csspgo_queue_push(p->queue, p->writer, &s);
}

static void on_prof(int number)
{
    (void)number;
    if (own_pusher != NULL) own_pusher->by_handler[push_sample(own_pusher, 3)]++;
}

static void *push_with_a_timer(void *argument)
{
    pusher *const p = (pusher *)argument;
    struct sigevent event;
    struct itimerspec often;
    timer_t timer;
    uint64_t i;
    int timed;
    own_pusher = p;
    memset(&event, 0, sizeof event);
    memset(&often, 0, sizeof often);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    often.it_interval.tv_nsec = often.it_value.tv_nsec = 200000;
    timed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &often, NULL) == 0;
    for (i = 0; i < 20000 || (timed && i < MOST_PUSHES && __atomic_load_n(&p->by_handler[1], __ATOMIC_RELAXED) < 50);
         i++) {
        p->by_thread[push_sample(p, 5 + i % 7)]++;
        if (i % 64 == 0) sched_yield();
    }
    if (timed) timer_delete(timer);
    own_pusher = NULL;
    __atomic_sub_fetch(&pushers, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Everything that is in the queue goes to the collector, or is compared. Returns the counts of the samples. */
static uint64_t take_out(csspgo_queue *q, csspgo_collector *c, uint64_t *samples)
{
    csspgo_sample s;
    uint64_t sum = 0;
    while (csspgo_queue_front(q, &s)) {
        const uint64_t n = s.count;
        T_CHECK(s.stack_count == 4 && s.branch_count == 2 && s.stack[0] == 0x1010 && s.stack[3] == 0x1010);
        T_CHECK(s.stack[1] == n && s.stack[2] == n && s.branches[0].from == n && s.branches[1].to == n);
        T_CHECK(csspgo_queue_drain(q, 1, c, NULL, NULL) != CSSPGO_E_NOMEM);
        sum += n;
        ++*samples;
    }
    return sum;
}

static void handlers_push_while_one_thread_drains(void)
{
    const csspgo_code_function f = make_function(0x1000, 0x1100, "f");
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_queue_options how;
    csspgo_queue_stats stats;
    pusher p[THREADS];
    pthread_t thread[THREADS];
    struct sigaction a, before;
    uint64_t sum = 0, samples = 0, tried = 0, kept = 0;
    int i;
    memset(&how, 0, sizeof how);
    memset(&a, 0, sizeof a);
    memset(p, 0, sizeof p);
    how.writers = THREADS;
    how.samples = 64;
    how.max_frames = 4;
    how.max_branches = 2;
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    a.sa_handler = on_prof;
    a.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &a, &before);
    p[0].queue = csspgo_queue_new(&how, NULL, NULL);
    __atomic_store_n(&pushers, (uint32_t)THREADS, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) {
        p[i].queue = p[0].queue;
        p[i].writer = (uint32_t)i;
        T_EQ(pthread_create(&thread[i], NULL, push_with_a_timer, &p[i]), 0);
    }
    while (__atomic_load_n(&pushers, __ATOMIC_RELAXED) != 0) {
        sum += take_out(p[0].queue, c, &samples);
        stats = csspgo_queue_get_stats(p[0].queue);
        T_CHECK(stats.pushed == samples + stats.waiting && stats.waiting <= THREADS * 64);
        sched_yield();
    }
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    sum += take_out(p[0].queue, c, &samples);
    sigaction(SIGPROF, &before, NULL);
    stats = csspgo_queue_get_stats(p[0].queue);
    for (i = 0; i < THREADS; i++) {
        tried += p[i].by_thread[0] + p[i].by_thread[1] + p[i].by_handler[0] + p[i].by_handler[1];
        kept += p[i].by_thread[1] + p[i].by_handler[1];
        T_CHECK(p[i].by_handler[1] >= 50 || p[i].by_handler[0] < 100);
    }
    T_EQ(kept, samples);
    T_EQ(stats.pushed, samples);
    T_EQ(stats.pushed + stats.dropped + stats.refused, tried);
    T_CHECK(stats.waiting == 0 && stats.cut == 0 && samples > 100);
    T_EQ(csspgo_collector_get_stats(c).samples, sum);
    csspgo_queue_free(p[0].queue);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}
#else
static void handlers_push_while_one_thread_drains(void)
{
}
#endif

/* ----- one runtime, used by all threads at the same time ---------------------------------------------------------- */

typedef struct door {
    csspgo_runtime *runtime;
    pthread_mutex_t mutex[2];     /* of lock_fn, if the runtime has one */
    uint32_t        pushing;      /* threads that still push            */
    uint32_t        tag;          /* of the thread                      */
    struct door    *all;
    uint64_t        pushed[2];    /* lost, taken in                     */
    unsigned        failed;
} door;

static void door_expect(door *d, int ok)
{
    d->failed += !ok;
}

static int door_lock(void *ctx, uint32_t lock, uint32_t action)
{
    door *d = (door *)ctx;
    if (action == 2) return pthread_mutex_trylock(&d->mutex[lock]) == 0;
    return (action == 1 ? pthread_mutex_lock(&d->mutex[lock]) : pthread_mutex_unlock(&d->mutex[lock])) == 0;
}

/* Two threads push the same sample, in main and f1. */
static void *door_pushes(void *argument)
{
    static const uint32_t path[] = { 0, 1 };
    door *d = (door *)argument;
    unsigned i;
    made m;
    make_sample(&m, path, 2);
    for (i = 0; i < t_size(5000, 20000); i++) {
        d->pushed[csspgo_runtime_push(d->all->runtime, d->tag, &m.sample)]++;
        if (i % 16 == 0) sched_yield();
    }
    __atomic_sub_fetch(&d->all->pushing, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* One emits, moves and retires code that no sample has. */
static void *door_compiles(void *argument)
{
    door *d = (door *)argument;
    csspgo_runtime *r = d->all->runtime;
    emitted unit;
    unsigned i;
    for (i = 0; i < t_size(300, 1000) || __atomic_load_n(&d->all->pushing, __ATOMIC_ACQUIRE) != 0; i++) {
        const uint64_t at = 0x7000000 + i % 100 * APART;
        csspgo_status s = csspgo_runtime_emit(r, make_unit(&unit, 5, at), NULL);
        door_expect(d, s == CSSPGO_OK);
        if (i % 3 == 0) s = csspgo_runtime_move(r, at, at + SIZE, at + 0x800, NULL);
        door_expect(d, s == CSSPGO_OK);
        s = csspgo_runtime_retire(r, i % 3 == 0 ? at + 0x800 : at, (i % 3 == 0 ? at + 0x800 : at) + SIZE, NULL);
        door_expect(d, s == CSSPGO_OK);
    }
    return NULL;
}

static void *door_steps(void *argument)
{
    door *d = (door *)argument;
    csspgo_error e;
    unsigned i;
    for (i = 0; __atomic_load_n(&d->all->pushing, __ATOMIC_ACQUIRE) != 0; i++) {
        const csspgo_status s = csspgo_runtime_step(d->all->runtime, 50 + i % 7 * 300, &e);
        door_expect(d, (s == CSSPGO_OK || s == CSSPGO_MORE) && e.status == s);
        if (i % 64 == 0) csspgo_runtime_take(d->all->runtime, &e);
    }
    return NULL;
}

/* Makes profiles and asks, all at the same time as the others. */
static void *door_asks(void *argument)
{
    door *d = (door *)argument;
    csspgo_runtime *r = d->all->runtime;
    csspgo_runtime_decision decision;
    csspgo_runtime_function hot[4];
    csspgo_frame frames[2];
    char text[4000];
    size_t size;
    uint64_t last = 0;
    memset(frames, 0, sizeof frames);
    frames[0].name = "main";
    frames[0].name_size = 4;
    frames[0].loc.line = 3;
    frames[1].name = "f1";
    frames[1].name_size = 2;
    while (__atomic_load_n(&d->all->pushing, __ATOMIC_ACQUIRE) != 0) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_runtime_parts parts;
        door_expect(d, csspgo_runtime_profile(r, p, NULL) == CSSPGO_OK);
        door_expect(d, csspgo_validate(p, NULL) == CSSPGO_OK);
        csspgo_profile_free(p);
        csspgo_runtime_decide(r, frames, 2, 100, NULL, &decision);
        door_expect(d, decision.count >= last);
        last = decision.count;
        door_expect(d, csspgo_runtime_hot(r, hot, 4) <= 2);
        door_expect(d, csspgo_runtime_save(r, CSSPGO_TEXT, text, sizeof text, &size, NULL) == CSSPGO_OK);
        door_expect(d, csspgo_runtime_report(r, text, sizeof text, &size, NULL) == CSSPGO_OK);
        door_expect(d, csspgo_runtime_get_stats(r).queue_refused == 0);
        csspgo_runtime_lock(r);
        parts = csspgo_runtime_get_parts(r);
        door_expect(d, csspgo_code_validate(parts.code, NULL) == CSSPGO_OK);
        door_expect(d, csspgo_validate(parts.profile, NULL) == CSSPGO_OK);
        csspgo_runtime_unlock(r);
    }
    return NULL;
}

static void a_runtime_is_used_by_all_threads(int own_locks)
{
    void *(*const run[])(void *) = { door_pushes, door_pushes, door_compiles, door_steps, door_asks };
    enum { DOORS = sizeof run / sizeof *run };
    csspgo_runtime_options how;
    csspgo_runtime_stats s;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    door doors[DOORS];
    pthread_t thread[DOORS];
    int i;
    memset(&how, 0, sizeof how);
    memset(doors, 0, sizeof doors);
    pthread_mutex_init(&doors[0].mutex[0], NULL);
    pthread_mutex_init(&doors[0].mutex[1], NULL);
    how.writers = 2;
    how.samples = 64;
    how.bytes = 4 << 20;
    how.lock_fn = own_locks ? door_lock : NULL;
    how.ctx = doors;
    doors[0].runtime = filled_runtime(&how, NULL, NULL);
    doors[0].pushing = 2;
    if (!T_CHECK(doors[0].runtime != NULL)) return;
    for (i = 0; i < DOORS; i++) {
        doors[i].tag = (uint32_t)i;
        doors[i].all = doors;
        T_EQ(pthread_create(&thread[i], NULL, run[i], &doors[i]), 0);
    }
    for (i = 0; i < DOORS; i++) {
        pthread_join(thread[i], NULL);
        T_EQ(doors[i].failed, 0);
    }
    T_EQ(csspgo_runtime_profile(doors[0].runtime, p, NULL), CSSPGO_OK);
    s = csspgo_runtime_get_stats(doors[0].runtime);
    T_EQ(s.counted, doors[0].pushed[1] + doors[1].pushed[1]);
    T_EQ(s.queue_dropped, doors[0].pushed[0] + doors[1].pushed[0]);
    T_EQ(csspgo_head(p, csspgo_find(p, "main:3 @ f1")), s.counted);
    T_CHECK(s.counted > 100 && s.waiting == 0 && s.unusable == 0 && s.most_bytes <= how.bytes);
    csspgo_runtime_free(doors[0].runtime);
    csspgo_profile_free(p);
    pthread_mutex_destroy(&doors[0].mutex[0]);
    pthread_mutex_destroy(&doors[0].mutex[1]);
}

int main(void)
{
    collectors_and_parsers_read_one_map();
    counts_are_handed_over_while_code_changes();
    trackers_are_asked_by_several_threads();
    objects_share_nothing();
    functions_are_recorded_by_several_threads();
    threads_count_under_one_root(0);
    threads_count_under_one_root(1);
    threads_count_under_one_root(3);
    flat_nodes_are_reset_while_threads_count();
    children_count_for_themselves();
    handlers_push_while_one_thread_drains();
    a_runtime_is_used_by_all_threads(0);
    a_runtime_is_used_by_all_threads(1);
    return t_end();
}
