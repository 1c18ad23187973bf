/*
 * bench_latency.c - the longest call of each function on a runtime's path, beside a loop that does nothing.
 *
 *     bench_latency [CALLS [FUNCTIONS [CONTEXTS [RUNS]]]]      10,000,000 calls, 100,000, 1,000,000, 2
 *
 * Each group of rows is a process that does its work RUNS times from the start, with the same random numbers, so call
 * number i does the same in every run. What the library does takes as long each time; the machine's own hiccups (other
 * programs, interrupts, other virtual machines) hit other calls. Both are in the table: see latency_print.
 * The thread stays on one CPU.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include "meter.h"
#include "program.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BASE = 0x100000, EQUAL = 512, RING = 1 << 20, MOST_ROWS = 12, BUDGET = 200, DRAIN = 4, TAKEN = 20000,
       MANY = 64 };

typedef struct group {
    const char  *name;
    latency     *row;             /* MOST_ROWS, shared by the runs */
    uint64_t     calls, contexts;
    program      program;
    stopwatch    watch;
    csspgo_options options;       /* with an allocator that counts what a call asks for */
    csspgo_code *code;
    csspgo_error err;
    int          more;            /* the last call has work left */
} group;

static void must(const group *g, int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "failed: %s: %s\n", what, g->err.message);
    exit(1);
}

/* A call of the library that must not fail. */
#define TIMED(g, number, call)                                                           \
    do {                                                                                 \
        csspgo_status status_;                                                           \
        watch_start(&(g)->watch);                                                        \
        status_ = (call);                                                                \
        watch_stop(&(g)->watch);                                                         \
        latency_put(&(g)->row[number], &(g)->watch);                                     \
        must(g, status_ == CSSPGO_OK || status_ == CSSPGO_MORE, #call);                  \
        g->more = status_ == CSSPGO_MORE;                                                \
    } while (0)

static void name_row(group *g, unsigned i, const char *name)
{
    snprintf(g->row[i].name, sizeof g->row[i].name, "%s", name);
}

/* ----- nothing: what the clock and the machine add ----- */

static csspgo_status nothing(volatile uint64_t *v)
{
    *v += 1;
    return CSSPGO_OK;
}

static void run_nothing(group *g)
{
    volatile uint64_t v = 0;
    uint64_t i;
    name_row(g, 0, "(nothing)");
    for (i = 0; i < g->calls; i++) TIMED(g, 0, nothing(&v));
}

/* ----- code: a JIT that emits its functions again and again, some of them sampled ----- */

enum {
    ADD_FUNCTION, ADD_TRANSFERS, ADD_PROBES, ADD_UNIT, REMOVE, MOVE, CODE_STEP, JIT_ADD, JIT_TAKE, JIT_SLICE, JIT_FREE
};

/* In one call, or in three. */
static void emit(group *g, uint32_t f, uint64_t at, int unit)
{
    const csspgo_module none = csspgo_no_module();
    program_unit u;
    program_make(f, at, &u);
    g->program.where[f] = at;
    if (unit) {
        TIMED(g, ADD_UNIT, program_add(g->code, &u, &g->err));
        return;
    }
    TIMED(g, ADD_FUNCTION, csspgo_code_add_function(g->code, none, &u.function, &g->err));
    TIMED(g, ADD_TRANSFERS, csspgo_code_add_transfers(g->code, none, u.transfers, PROGRAM_TRANSFERS, &g->err));
    TIMED(g, ADD_PROBES, csspgo_code_add_probes(g->code, none, &u.body, 1, u.probes, PROGRAM_PROBES, &g->err));
}

static void new_code(group *g)
{
    program *p = &g->program;
    uint32_t f;
    memset(&g->err, 0, sizeof g->err);
    g->code = csspgo_code_new(&g->options, &g->err);
    p->where = (uint64_t *)calloc(p->functions, sizeof *p->where);
    must(g, g->code != NULL && p->where != NULL, "memory");
    for (f = 0; f < p->functions; f++) p->where[f] = BASE + (uint64_t)f * PROGRAM_SIZE;
}

static void add_program(group *g)
{
    program_unit u;
    uint32_t f;
    new_code(g);
    for (f = 0; f < g->program.functions; f++) {
        program_make(f, g->program.where[f], &u);
        must(g, program_add(g->code, &u, &g->err) == CSSPGO_OK, "program_add");
    }
}

/* What was counted goes to a profile, in slices. */
static void take(group *g, csspgo_collector *c, csspgo_profile *profile, unsigned row)
{
    csspgo_collector *taken = NULL;
    TIMED(g, row, (taken = csspgo_collector_take(c, &g->err)) != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM);
    do TIMED(g, row + 1, csspgo_collector_profile_step(taken, BUDGET, NULL, profile, NULL, &g->err));
    while (g->more);
    TIMED(g, row + 2, (csspgo_collector_free(taken), CSSPGO_OK));
}

/* Functions move to free places, or are made anew there; a sample each time, and a profile for every TAKEN. */
static void run_code(group *g)
{
    program *p = &g->program;
    const uint32_t places = p->functions + p->functions / 2 + 1;
    csspgo_profile *profile = csspgo_profile_new(&g->options, NULL);
    csspgo_collector *c;
    program_sample s;
    uint64_t *freed = (uint64_t *)calloc(places, sizeof *freed);
    uint64_t i;
    uint32_t f, oldest = 0;
    name_row(g, ADD_FUNCTION, "csspgo_code_add_function");
    name_row(g, ADD_TRANSFERS, "csspgo_code_add_transfers");
    name_row(g, ADD_PROBES, "csspgo_code_add_probes");
    name_row(g, ADD_UNIT, "csspgo_code_add_unit");
    name_row(g, MOVE, "csspgo_code_move");
    name_row(g, CODE_STEP, "csspgo_code_step, 200");
    name_row(g, REMOVE, "csspgo_code_remove");
    name_row(g, JIT_ADD, "csspgo_collector_add, code changes");
    name_row(g, JIT_TAKE, "csspgo_collector_take, code changes");
    name_row(g, JIT_SLICE, "csspgo_collector_profile_step, code changes");
    name_row(g, JIT_FREE, "csspgo_collector_free, empty");
    new_code(g);
    c = csspgo_collector_new(g->code, NULL, &g->options, &g->err);
    must(g, c != NULL && profile != NULL && freed != NULL, "memory");
    for (f = 0; f < p->functions; f++) emit(g, f, p->where[f], f % 2);
    for (f = 0; f < places - p->functions; f++) freed[f] = BASE + (uint64_t)(p->functions + f) * PROGRAM_SIZE;
    for (i = 0; i < g->calls; i++) {
        uint64_t to = freed[oldest];
        f = program_random(p, p->functions);
        program_walk(p, &s);
        TIMED(g, JIT_ADD, csspgo_collector_add(c, &s.sample, 1, &g->err));
        freed[oldest] = p->where[f];
        oldest = (oldest + 1) % (places - p->functions);
        if (i % 3 == 2) {
            TIMED(g, MOVE, csspgo_code_move(g->code, p->where[f], p->where[f] + PROGRAM_SIZE, to, &g->err));
            p->where[f] = to;
        } else {
            TIMED(g, REMOVE, csspgo_code_remove(g->code, p->where[f], p->where[f] + PROGRAM_SIZE, &g->err));
            emit(g, f, to, i % 3);
        }
        if (i % 16 == 0) TIMED(g, CODE_STEP, csspgo_code_step(g->code, BUDGET, &g->err));
        if (i % TAKEN != TAKEN - 1) continue;
        take(g, c, profile, JIT_TAKE);
        if (csspgo_profile_memory(profile) < (uint64_t)64 << 20) continue;
        csspgo_profile_free(profile);
        profile = csspgo_profile_new(&g->options, NULL);
        must(g, profile != NULL, "memory");
    }
    csspgo_collector_free(c);
    csspgo_profile_free(profile);
    csspgo_code_free(g->code);
    free(freed);
    free(p->where);
}

/* ----- code: ranges of many functions ----- */

enum { REMOVE_MANY, ADD_AGAIN, MANY_STEP, MOVE_MANY };

/* Up to a quarter of all functions go in one call; they come back one by one, with a step now and then; some move. */
static void run_ranges(group *g)
{
    program *p = &g->program;
    const uint64_t rounds = g->calls / 10000 + 10, beside = BASE + (uint64_t)p->functions * PROGRAM_SIZE;
    uint64_t i;
    program_unit u;
    name_row(g, REMOVE_MANY, "csspgo_code_remove, up to a quarter");
    name_row(g, ADD_AGAIN, "csspgo_code_add_unit, behind it");
    name_row(g, MANY_STEP, "csspgo_code_step, 200, behind it");
    name_row(g, MOVE_MANY, "csspgo_code_move, 64 functions");
    add_program(g);
    for (i = 0; i < rounds; i++) {
        const uint32_t n = 1 + program_random(p, p->functions / 4), from = program_random(p, p->functions - n + 1);
        uint32_t f;
        TIMED(g, REMOVE_MANY, csspgo_code_remove(g->code, p->where[from], p->where[from] + (uint64_t)n * PROGRAM_SIZE,
                                                 &g->err));
        for (f = from; f < from + n; f++) {
            program_make(f, p->where[f], &u);
            TIMED(g, ADD_AGAIN, program_add(g->code, &u, &g->err));
            if (f % 16 == 0) TIMED(g, MANY_STEP, csspgo_code_step(g->code, BUDGET, &g->err));
        }
        for (f = 0; f < 20; f++) {
            const uint64_t begin = p->where[program_random(p, p->functions - MANY)];
            TIMED(g, MOVE_MANY, csspgo_code_move(g->code, begin, begin + MANY * PROGRAM_SIZE, beside, &g->err));
            TIMED(g, MOVE_MANY, csspgo_code_move(g->code, beside, beside + MANY * PROGRAM_SIZE, begin, &g->err));
        }
    }
    csspgo_code_free(g->code);
    free(p->where);
}

/* ----- samples ----- */

enum { READ_RING, READ_RECORD };
enum { ADD_DISTINCT, ADD_EQUAL, STEP, PUSH, DRAIN_ROW, PROFILE_TEN, TAKE, SLICE, FREE };

/* A record as the kernel writes it, with IP, TID, TIME, a call chain and branch records: its size in words. */
static size_t make_record(const program_sample *s, uint64_t *w)
{
    size_t n = 1, i;
    w[n++] = s->stack[0];
    w[n++] = ((uint64_t)7 << 32) | 7;
    w[n++] = 1;
    w[n++] = s->sample.stack_count + (size_t)1;
    w[n++] = (uint64_t)-512;                          /* PERF_CONTEXT_USER */
    for (i = 0; i < s->sample.stack_count; i++) w[n++] = s->stack[i];
    w[n++] = s->sample.branch_count;
    for (i = 0; i < s->sample.branch_count; i++) {
        w[n++] = s->sample.branches[i].from;
        w[n++] = s->sample.branches[i].to;
        w[n++] = 0;
    }
    w[0] = ((uint64_t)(n * 8) << 48) | ((uint64_t)2 << 32) | 9;       /* size, misc: user, PERF_RECORD_SAMPLE */
    return n;
}

/* Fills a ring and reads it, again and again; each record is read alone, too. */
static void run_readers(group *g)
{
    static uint64_t data[RING / 8], bounce[8192], record[8192];
    csspgo_ring ring;
    program_sample s;
    csspgo_sample got;
    csspgo_mmap map;
    uint64_t i = 0;
    name_row(g, READ_RING, "csspgo_ring_next");
    name_row(g, READ_RECORD, "csspgo_record_sample");
    new_code(g);
    memset(&ring, 0, sizeof ring);
    ring.data = data;
    ring.size = RING;
    ring.bounce = bounce;
    ring.bounce_size = sizeof bounce;
    ring.event.sample_type = 1 | 2 | 4 | 32 | 2048;
    ring.event.branch_sample_type = 1 | 8;
    while (i < g->calls) {
        csspgo_item item;
        while (RING - (ring.head - ring.tail) > 8192) {
            size_t n, k;
            program_walk(&g->program, &s);
            n = make_record(&s, record);
            for (k = 0; k < n; k++) data[(ring.head / 8 + k) % (RING / 8)] = record[k];
            ring.head += n * 8;
            TIMED(g, READ_RECORD, csspgo_record_sample(record + 1, (n - 1) * 8, &ring.event, &got, &g->err));
        }
        for (; i < g->calls; i++) {
            watch_start(&g->watch);
            item = csspgo_ring_next(&ring, &got, &map, &g->err);
            watch_stop(&g->watch);
            if (item != CSSPGO_ITEM_SAMPLE) break;
            latency_put(&g->row[READ_RING], &g->watch);
        }
        must(g, ring.tail == ring.head || i == g->calls, "csspgo_ring_next");
    }
    csspgo_code_free(g->code);
    free(g->program.where);
}

/* Samples on their way through a queue: some are pushed, then some drained. */
static void run_queue(group *g, csspgo_collector *c)
{
    csspgo_queue *q = csspgo_queue_new(NULL, &g->options, &g->err);
    program_sample s;
    uint64_t i;
    must(g, q != NULL, "memory");
    for (i = 0; i < g->calls / DRAIN; i++) {
        unsigned k;
        for (k = 0; k < DRAIN; k++) {
            program_walk(&g->program, &s);
            TIMED(g, PUSH, csspgo_queue_push(q, 0, &s.sample) ? CSSPGO_OK : CSSPGO_E_FULL);
        }
        TIMED(g, DRAIN_ROW, csspgo_queue_drain(q, DRAIN, c, NULL, &g->err));
    }
    csspgo_queue_free(q);
}

/* A profile of 10 samples in one call. */
static void run_tens(group *g, csspgo_collector *c)
{
    csspgo_profile *profile = csspgo_profile_new(&g->options, NULL);
    program_sample s;
    unsigned k, i;
    must(g, profile != NULL, "memory");
    for (k = 0; k < 100; k++) {
        for (i = 0; i < 10; i++) {
            program_walk(&g->program, &s);
            must(g, csspgo_collector_add(c, &s.sample, 1, &g->err) == CSSPGO_OK, "csspgo_collector_add");
        }
        TIMED(g, PROFILE_TEN, csspgo_collector_profile(c, NULL, profile, NULL, &g->err));
    }
    csspgo_profile_free(profile);
}

static void run_samples(group *g)
{
    csspgo_profile *profile = csspgo_profile_new(&g->options, NULL);
    csspgo_collector *c;
    program_sample s, *equal = (program_sample *)malloc(EQUAL * sizeof *equal);
    uint64_t i;
    unsigned k;
    name_row(g, ADD_DISTINCT, "csspgo_collector_add, distinct");
    name_row(g, ADD_EQUAL, "csspgo_collector_add, equal");
    name_row(g, STEP, "csspgo_collector_step, 200");
    name_row(g, PUSH, "csspgo_queue_push");
    name_row(g, DRAIN_ROW, "csspgo_queue_drain, 4");
    name_row(g, PROFILE_TEN, "csspgo_collector_profile, 10 samples");
    name_row(g, TAKE, "csspgo_collector_take");
    name_row(g, SLICE, "csspgo_collector_profile_step, 200");
    name_row(g, FREE, "csspgo_collector_free, empty");
    add_program(g);
    c = csspgo_collector_new(g->code, NULL, &g->options, &g->err);
    must(g, c != NULL && profile != NULL && equal != NULL, "memory");
    for (k = 0; k < EQUAL; k++) {
        program_walk(&g->program, &equal[k]);
        TIMED(g, ADD_EQUAL, csspgo_collector_add(c, &equal[k].sample, 1, &g->err));
    }
    for (i = 0; i < g->calls; i++) TIMED(g, ADD_EQUAL, csspgo_collector_add(c, &equal[i % EQUAL].sample, 1, &g->err));
    for (i = 0; i < g->calls; i++) {
        program_walk(&g->program, &s);
        TIMED(g, ADD_DISTINCT, csspgo_collector_add(c, &s.sample, 1, &g->err));
    }
    do TIMED(g, STEP, csspgo_collector_step(c, BUDGET, &g->err));
    while (g->more);
    run_queue(g, c);
    take(g, c, profile, TAKE);
    printf("(%u contexts)\n", (unsigned)csspgo_record_count(profile));
    run_tens(g, c);
    csspgo_collector_free(c);
    csspgo_profile_free(profile);
    csspgo_code_free(g->code);
    free(equal);
    free(g->program.where);
}

/* ----- the tracker ----- */

enum { CALLEE, ENTRY_COUNT, BODY_COUNT, BASE_ROW, MARK };

/* A profile of as many contexts as asked for: a tree as program_walk sees it, with all calls of all roots. */
static csspgo_profile *make_profile(group *g)
{
    csspgo_profile *p = csspgo_profile_new(&g->options, &g->err);
    uint32_t *func = (uint32_t *)malloc((g->contexts + 1) * sizeof *func), id, n = 0, done, k;
    char name[16];
    csspgo_node node;
    csspgo_func f;
    must(g, p != NULL && func != NULL, "memory");
    csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    for (id = 0; id < g->program.functions; id++) csspgo_func_add(p, name, (size_t)sprintf(name, "f%u", (unsigned)id));
    for (; n < g->program.roots; n++) {
        f.id = 1 + (func[n] = n);
        node = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f);
        must(g, node.id == n + 2 && csspgo_add_total(p, node, 1 + n % 1000) == CSSPGO_OK, "node");
    }
    for (done = 0; n < g->contexts; done++)
        for (k = 1; k <= PROGRAM_CALLS && n < g->contexts; k++) {
            csspgo_node up;
            up.id = done + 2;
            f.id = 1 + (func[n] = program_callee(&g->program, func[done], k));
            node = csspgo_node_add(p, up, csspgo_loc_at(2 * k + 1, 0), CSSPGO_CONTEXT, f);
            must(g, node.id == ++n + 1, "node");
            csspgo_add_total(p, node, 1 + n % 1000);
            csspgo_add_head(p, node, 1 + n % 100);
            csspgo_add_body(p, node, csspgo_loc_at(1, 0), 1 + n % 100);
        }
    free(func);
    return p;
}

static void run_tracker(group *g)
{
    csspgo_profile *p = make_profile(g);
    csspgo_tracker_options how;
    csspgo_tracker *t;
    volatile uint64_t sum = 0;
    uint64_t i;
    name_row(g, CALLEE, "csspgo_tracker_callee");
    name_row(g, ENTRY_COUNT, "csspgo_tracker_entry_count");
    name_row(g, BODY_COUNT, "csspgo_body_count");
    name_row(g, MARK, "csspgo_tracker_mark_inlined");
    name_row(g, BASE_ROW, "csspgo_tracker_base, merge");
    memset(&how, 0, sizeof how);
    how.take = 1;
    t = csspgo_tracker_new(p, &how, &g->err);
    must(g, t != NULL, "csspgo_tracker_new");
    for (i = 0; i < g->calls; i++) {
        csspgo_node node, callee;
        csspgo_func any;
        any.id = 0;
        node.id = 2 + program_random(&g->program, (uint32_t)g->contexts);
        watch_start(&g->watch);
        callee = csspgo_tracker_callee(t, node, csspgo_loc_at(3 + 2 * (uint32_t)(i % PROGRAM_CALLS), 0), any);
        watch_stop(&g->watch);
        latency_put(&g->row[CALLEE], &g->watch);
        if (callee.id == 0) callee = node;
        watch_start(&g->watch);
        sum += csspgo_tracker_entry_count(t, callee);
        watch_stop(&g->watch);
        latency_put(&g->row[ENTRY_COUNT], &g->watch);
        watch_start(&g->watch);
        sum += csspgo_body_count(csspgo_tracker_profile(t), callee, csspgo_loc_at(1, 0));
        watch_stop(&g->watch);
        latency_put(&g->row[BODY_COUNT], &g->watch);
        if (i % 16 == 0) TIMED(g, MARK, csspgo_tracker_mark_inlined(t, callee, &g->err));
    }
    for (i = 0; i < g->program.functions; i++) {
        csspgo_node base;
        csspgo_func f;
        f.id = 1 + (uint32_t)i;
        TIMED(g, BASE_ROW, csspgo_tracker_base(t, f, 1, &base, &g->err));
    }
    csspgo_tracker_free(t);
}

/* ----- the front door ----- */

enum { R_EMIT, R_MOVE, R_RETIRE, R_PUSH, R_STEP, R_TAKE, R_DECIDE };

static void runtime_emit(group *g, csspgo_runtime *r, uint32_t f, uint64_t at)
{
    program_unit u;
    csspgo_code_unit unit;
    program_make(f, at, &u);
    unit = program_tables(&u);
    TIMED(g, R_EMIT, csspgo_runtime_emit(r, &unit, &g->err));
    g->program.where[f] = at;
}

/* Is a call of a random function worth inlining? */
static void runtime_decide(group *g, csspgo_runtime *r)
{
    const uint32_t f = program_random(&g->program, g->program.roots);
    program_unit caller, callee;
    csspgo_frame frames[2];
    csspgo_runtime_decision d;
    memset(frames, 0, sizeof frames);
    program_make(f, BASE, &caller);
    program_make(program_callee(&g->program, f, 1), BASE, &callee);
    frames[0].name = caller.name;
    frames[1].name = callee.name;
    frames[0].name_size = frames[1].name_size = 15;
    frames[0].loc = csspgo_loc_at(3, 0);
    TIMED(g, R_DECIDE, (csspgo_runtime_decide(r, frames, 2, 10, NULL, &d), CSSPGO_OK));
}

/* Four samples, then a step; every 16th time code changes; what was counted is taken every TAKEN samples. */
static void run_runtime(group *g)
{
    static const char *const name[] = { "csspgo_runtime_emit", "csspgo_runtime_move", "csspgo_runtime_retire",
                                        "csspgo_runtime_push", "csspgo_runtime_step, 200", "csspgo_runtime_take",
                                        "csspgo_runtime_decide" };
    program *p = &g->program;
    csspgo_runtime_options how;
    csspgo_runtime *r;
    program_sample s;
    uint64_t i, to = BASE + (uint64_t)p->functions * PROGRAM_SIZE;
    uint32_t f;
    for (f = 0; f < sizeof name / sizeof name[0]; f++) name_row(g, f, name[f]);
    memset(&how, 0, sizeof how);
    how.bytes = ((uint64_t)64 << 20) + (uint64_t)p->functions * 8192 + g->contexts * 1024;
    r = csspgo_runtime_new(&how, &g->options, &g->err);
    p->where = (uint64_t *)calloc(p->functions, sizeof *p->where);
    must(g, r != NULL && p->where != NULL, "csspgo_runtime_new");
    for (f = 0; f < p->functions; f++) runtime_emit(g, r, f, BASE + (uint64_t)f * PROGRAM_SIZE);
    for (i = 0; i < g->calls; i++) {
        program_walk(p, &s);
        TIMED(g, R_PUSH, csspgo_runtime_push(r, 0, &s.sample) ? CSSPGO_OK : CSSPGO_E_FULL);
        if (i % 4 == 3) TIMED(g, R_STEP, csspgo_runtime_step(r, BUDGET, &g->err));
        while (i % 64 == 63 && csspgo_runtime_get_stats(r).waiting > MANY)      /* both collectors may be full */
            TIMED(g, R_STEP, csspgo_runtime_step(r, BUDGET, &g->err));
        if (i % 64 == 63) {
            const uint64_t from = p->where[f = program_random(p, p->functions)];
            if (i % 128 == 63) {
                TIMED(g, R_MOVE, csspgo_runtime_move(r, from, from + PROGRAM_SIZE, to, &g->err));
                p->where[f] = to;
            } else {
                TIMED(g, R_RETIRE, csspgo_runtime_retire(r, from, from + PROGRAM_SIZE, &g->err));
                runtime_emit(g, r, f, to);
            }
            to = from;
        }
        if (i % TAKEN == TAKEN - 1) TIMED(g, R_TAKE, csspgo_runtime_take(r, &g->err));
        if (i % 8 == 0) runtime_decide(g, r);
    }
    csspgo_runtime_free(r);
    free(p->where);
}

/* ----- runs ----- */

static void pin(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *shared(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (p != MAP_FAILED) return p;
    fprintf(stderr, "no memory for the table\n");
    exit(1);
}

/* Each run is a process of its own: the heap and the tables begin anew. */
static void run_once(group *g, void (*run)(group *g), int print)
{
    int status;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        pin();
        g->options.allocator.ctx = &g->watch;
        if (!print && freopen("/dev/null", "w", stdout) == NULL) exit(1);
        run(g);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "a run failed\n");
        exit(1);
    }
}

static void measure(group g, unsigned runs, void (*run)(group *g))
{
    const uint64_t cap = 2 * g.calls + g.program.functions + RING;
    const size_t least_size = cap * sizeof(uint32_t);
    unsigned r, i;
    g.row = (latency *)shared(MOST_ROWS * sizeof *g.row);
    for (i = 0; i < MOST_ROWS; i++) {
        g.row[i].cap = cap;
        g.row[i].least = (uint32_t *)shared(least_size);
        g.row[i].own = (uint32_t *)shared(least_size);
        memset(g.row[i].least, 0xff, least_size);
        memset(g.row[i].own, 0xff, least_size);
    }
    for (r = 0; r < runs; r++) {
        run_once(&g, run, r == 0);
        for (i = 0; i < MOST_ROWS; i++) latency_end_run(&g.row[i]);
    }
    for (i = 0; i < MOST_ROWS; i++) {
        latency_print(&g.row[i]);
        munmap(g.row[i].least, least_size);
        munmap(g.row[i].own, least_size);
    }
    munmap(g.row, MOST_ROWS * sizeof *g.row);
}

static uint64_t argument(int argc, char **argv, int i, uint64_t otherwise)
{
    return argc > i && strtoull(argv[i], NULL, 10) != 0 ? strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const unsigned runs = (unsigned)argument(argc, argv, 4, 2);
    uint64_t leaves = 1;
    uint32_t k;
    group g;
    memset(&g, 0, sizeof g);
    g.calls = argument(argc, argv, 1, 10000000);
    g.contexts = argument(argc, argv, 3, 1000000);
    g.program.functions = (uint32_t)argument(argc, argv, 2, 100000);
    for (k = 0; k < PROGRAM_DEPTH; k++) leaves = leaves * PROGRAM_CALLS + 1;
    g.program.roots = (uint32_t)(g.contexts / leaves) + 1;
    if (g.program.roots > g.program.functions) g.program.roots = g.program.functions;
    g.program.seed = 88172645463325252u;
    g.options.allocator.alloc_fn = metered_alloc;
    g.options.allocator.free_fn = metered_free;
    printf("%llu calls, %u functions, %llu contexts, %u runs\n\n", (unsigned long long)g.calls,
           (unsigned)g.program.functions, (unsigned long long)g.contexts, runs);
    latency_heading();
    measure(g, runs, run_nothing);
    measure(g, runs, run_code);
    measure(g, runs, run_ranges);
    measure(g, runs, run_readers);
    measure(g, runs, run_samples);
    measure(g, runs, run_tracker);
    measure(g, runs, run_runtime);
    return 0;
}
