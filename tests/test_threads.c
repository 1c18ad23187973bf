/* test_threads.c - what the header promises about threads. Build it with -fsanitize=thread to see data races. */
#ifndef _POSIX_C_SOURCE
#  define _POSIX_C_SOURCE 200809L
#endif
#define CSSPGO_WITH_LAYOUT
#define CSSPGO_WITH_CTXPROF
#include "t.h"
#include "table.h"

#include <pthread.h>

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
        j->sum += (uint64_t)csspgo_code_kind(j->map, at) + csspgo_code_call_before(j->map, at);
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
    csspgo_sizes *sizes = csspgo_sizes_new(NULL, NULL);
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
        expect(j, csspgo_collector_profile(j->collector, profile, NULL, NULL, NULL) == CSSPGO_OK);
        expect(j, csspgo_sizes_add_code(sizes, j->map, NULL) == CSSPGO_OK);
        expect(j, csspgo_preinline(profile, &how, NULL, NULL) == CSSPGO_OK);
        csspgo_write(profile, CSSPGO_TEXT, NULL, 0, &j->out_size, NULL);
        j->out = (char *)calloc(j->out_size + 1, 1);
        expect(j, j->out != NULL && j->out_size > 100);
        if (j->out != NULL) csspgo_write(profile, CSSPGO_TEXT, j->out, j->out_size, &j->out_size, NULL);
    }
    csspgo_sizes_free(sizes);
    csspgo_profile_free(profile);
    csspgo_script_free(script);
    return NULL;
}

/* Functions, transfers and probes that come in descending order: nothing may be left to be put in order by readers. */
static void add_descending(csspgo_code *code)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_inline in;
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
        j->sum = j->sum * 31 + csspgo_total(profile, node) + csspgo_tracker_state(t, node);
        j->sum += csspgo_tracker_entry(t, csspgo_tracker_resolve(t, node));
    }
    n = csspgo_tracker_children(t, csspgo_root(profile), out, 16);
    for (i = 0; i < n && i < 16; i++)
        for (line = 0; line < 8; line++) {
            j->sum += csspgo_tracker_callee(t, out[i], csspgo_at(line, 0), frame.func).id;
            j->sum += csspgo_tracker_callees(t, out[i], csspgo_at(line, 0), NULL, 0);
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
    job jobs[THREADS];
    size_t i, n, once;
    memset(jobs, 0, sizeof jobs);
    for (i = 0; i < RECORDED; i++) id[i] = recorded_function[i].id = i;
    for (i = 0; i < THREADS; i++) jobs[i].size = i;
    in_threads(enter_functions, jobs);
    T_EQ(csspgo_trace_collect(&recorded_function[0].slot, sizeof(recorded), id, RECORDED, 0, 0, NULL, out, &n, NULL),
         CSSPGO_OK);
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

/* Reads the trees of the root while they are counted in: 1 to 8 of them. */
static void threads_count_under_one_root(uint32_t shards)
{
    context_job jobs[CONTEXT_THREADS];
    pthread_t thread[CONTEXT_THREADS];
    csspgo_ctx_root_options how;
    csspgo_ctx_runtime *r = csspgo_ctx_runtime_new(NULL, NULL);
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    csspgo_ctx_node root, leaf;
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
    root = csspgo_ctx_first_child(c, csspgo_ctx_top(c));
    leaf = csspgo_ctx_child(c, root, CSSPGO_CTX_CALLEE, 0, 2);
    T_EQ(csspgo_ctx_entries(c, root), (uint64_t)CONTEXT_THREADS * CONTEXT_CALLS);
    T_CHECK(counted != 0 && csspgo_ctx_counters(c, root, &n)[0] == counted);
    T_CHECK(csspgo_ctx_counters(c, leaf, &n)[0] == counted && csspgo_ctx_counters(c, leaf, &n)[1] == 2 * counted);
    leaf = csspgo_ctx_child(c, root, CSSPGO_CTX_UNHANDLED, 0, 3);
    T_CHECK(csspgo_ctx_counters(c, leaf, &n)[0] == counted && csspgo_ctx_counters(c, leaf, &n)[1] == counted);
    leaf = csspgo_ctx_child(c, csspgo_ctx_top(c), CSSPGO_CTX_FLAT, 0, 3);
    T_EQ(csspgo_ctx_counters(c, leaf, &n)[0], (uint64_t)CONTEXT_THREADS * CONTEXT_CALLS);
    T_EQ(csspgo_ctx_counters(c, leaf, &n)[1], (uint64_t)CONTEXT_THREADS * CONTEXT_CALLS);
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
    csspgo_ctx_node root;
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
    root = csspgo_ctx_first_child(c, csspgo_ctx_top(c));
    if (csspgo_ctx_entries(c, root) != (inside ? 100 : 200)) return 6;
    if (!inside && csspgo_ctx_counters(c, root, &n)[0] != 200) return 7;
    if (csspgo_ctx_dump(j->runtime, &how, dump, sizeof dump, &n, &busy, NULL) != CSSPGO_OK || busy != 0) return 8;
    if (csspgo_ctx_read(d, dump, n, NULL, NULL) != CSSPGO_OK) return 9;
    root = csspgo_ctx_first_child(d, csspgo_ctx_top(d));
    if (csspgo_ctx_entries(d, root) != (inside ? 100 : 200)) return 10;
    if (inside) csspgo_ctx_root_leave(inherited);
    csspgo_ctx_thread_free(&t);
    csspgo_ctx_thread_free(inherited);
    csspgo_ctx_runtime_free(j->runtime);
    return 0;
}

/* Forks under four threads, in each of the places in turn. */
static void a_child_counts_and_returns(uint32_t shards)
{
    const int rounds = (int)t_size(12, 400);
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

static void children_count_for_themselves(void)
{
    a_child_counts_and_returns(1);
    a_child_counts_and_returns(4);
}
#else
static void children_count_for_themselves(void)
{
}
#endif

int main(void)
{
    collectors_and_parsers_read_one_map();
    trackers_are_asked_by_several_threads();
    objects_share_nothing();
    functions_are_recorded_by_several_threads();
    threads_count_under_one_root(1);
    threads_count_under_one_root(3);
    flat_nodes_are_reset_while_threads_count();
    children_count_for_themselves();
    return t_end();
}
