/*
 * steps.c - how much one call of each function on a runtime's path does at most, in basic blocks that it enters and
 * words of 16 bytes that it copies or clears: time would depend on the machine. Built by steps.sh, which has the compiler
 * count the blocks.
 *
 * Law: a call does a bounded number of them, and no more where eight times as much code is there and was counted.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern unsigned long long blocks;         /* counted by what steps.sh links */

static void *counted_copy(void *to, const void *from, size_t n)
{
    blocks += n / 16;
    return memcpy(to, from, n);
}

static void *counted_move(void *to, const void *from, size_t n)
{
    blocks += n / 16;
    return memmove(to, from, n);
}

static void *counted_set(void *to, int value, size_t n)
{
    blocks += n / 16;
    return memset(to, value, n);
}

#define memcpy  counted_copy
#define memmove counted_move
#define memset  counted_set
#include "t.h"
#include "../bench/program.h"

enum { BASE = 0x100000, BUDGET = 200, MOST = 100000, TOGETHER = 16 };

enum {
    ADD_FUNCTION, ADD_TRANSFERS, ADD_PROBES, ADD_UNIT, REMOVE, REMOVE_MANY, MOVE, MOVE_MANY, CODE_STEP, ADD,
    COLLECTOR_STEP, PUSH, DRAIN, TAKE, PROFILE_STEP, COLLECTOR_FREE, ADD_AT_LIMIT, STEP_AT_LIMIT, PROFILE_AT_LIMIT,
    SHRINK_STEP, SHRINK_GIANT, EMIT, RETIRE, RUNTIME_MOVE, RUNTIME_PUSH, RUNTIME_STEP, RUNTIME_TAKE, DECIDE, ROWS
};

static const char *const names[ROWS] = {
    "csspgo_code_add_function", "csspgo_code_add_transfers", "csspgo_code_add_probes", "csspgo_code_add_unit",
    "csspgo_code_remove", "csspgo_code_remove, many", "csspgo_code_move", "csspgo_code_move, 16 functions",
    "csspgo_code_step", "csspgo_collector_add", "csspgo_collector_step", "csspgo_queue_push", "csspgo_queue_drain, 4",
    "csspgo_collector_take", "csspgo_collector_profile_step", "csspgo_collector_free",
    "csspgo_collector_add, at its limit", "csspgo_collector_step, at its limit",
    "csspgo_collector_profile_step, at its limit", "csspgo_shrink_step", "csspgo_shrink_step, giant functions",
    "csspgo_runtime_emit", "csspgo_runtime_retire", "csspgo_runtime_move", "csspgo_runtime_push", "csspgo_runtime_step",
    "csspgo_runtime_take", "csspgo_runtime_decide"
};

typedef struct life {
    program      program;
    uint32_t     places;              /* functions and free places         */
    uint64_t     samples;
    csspgo_code *code;
    uint64_t     most[ROWS], calls[ROWS];
} life;

/* Counts what one call does. */
#define WORK(l, row, call)                                                                   \
    do {                                                                                     \
        const uint64_t before_ = blocks;                                                     \
        call;                                                                                \
        if (blocks - before_ > (l)->most[row]) (l)->most[row] = blocks - before_;            \
        (l)->calls[row]++;                                                                   \
    } while (0)

/* ----- code ----- */

static uint64_t place(uint32_t i) { return BASE + (uint64_t)i * PROGRAM_SIZE; }

static void emit(life *l, uint32_t f, uint64_t at, int unit)
{
    const csspgo_module none = csspgo_no_module();
    program_unit u;
    program_make(f, at, &u);
    l->program.where[f] = at;
    if (unit) {
        WORK(l, ADD_UNIT, T_EQ(program_add(l->code, &u, NULL), CSSPGO_OK));
        return;
    }
    WORK(l, ADD_FUNCTION, T_EQ(csspgo_code_add_function(l->code, none, &u.function, NULL), CSSPGO_OK));
    WORK(l, ADD_TRANSFERS, T_EQ(csspgo_code_add_transfers(l->code, none, u.transfers, PROGRAM_TRANSFERS, NULL), CSSPGO_OK));
    WORK(l, ADD_PROBES, T_EQ(csspgo_code_add_probes(l->code, none, &u.body, 1, u.probes, PROGRAM_PROBES, NULL), CSSPGO_OK));
}

/* Functions are emitted, then some move, or go and come again elsewhere; now and then many go. */
static void code_lives(life *l)
{
    program *p = &l->program;
    uint32_t f, i, k;
    for (f = 0; f < p->functions; f++) emit(l, f, place(f), f % 2);
    for (i = 0; i < p->functions; i++) {
        const uint64_t to = place(p->functions + i % (l->places - p->functions)), from = p->where[f = i * 7 % p->functions];
        if (from >= place(p->functions)) continue;
        if (i % 3 == 0) {
            WORK(l, MOVE, T_EQ(csspgo_code_move(l->code, from, from + PROGRAM_SIZE, to, NULL), CSSPGO_OK));
            WORK(l, MOVE, T_EQ(csspgo_code_move(l->code, to, to + PROGRAM_SIZE, from, NULL), CSSPGO_OK));
        } else {
            WORK(l, REMOVE, T_EQ(csspgo_code_remove(l->code, from, from + PROGRAM_SIZE, NULL), CSSPGO_OK));
            emit(l, f, from, i % 2);
        }
        if (i % 16 == 0) WORK(l, CODE_STEP, csspgo_code_step(l->code, BUDGET, NULL));
    }
    for (i = 0; i < 8; i++) {
        const uint64_t from = place(program_random(p, p->functions - TOGETHER)), to = place(l->places);
        const uint64_t n = (uint64_t)TOGETHER * PROGRAM_SIZE;
        WORK(l, MOVE_MANY, T_EQ(csspgo_code_move(l->code, from, from + n, to, NULL), CSSPGO_OK));
        WORK(l, MOVE_MANY, T_EQ(csspgo_code_move(l->code, to, to + n, from, NULL), CSSPGO_OK));
    }
    for (i = 0; i < 4; i++) {
        const uint32_t n = p->functions / 4, first = program_random(p, p->functions - n);
        WORK(l, REMOVE_MANY, T_EQ(csspgo_code_remove(l->code, place(first), place(first + n), NULL), CSSPGO_OK));
        for (k = first; k < first + n; k++) {
            emit(l, k, place(k), k % 2);
            if (k % 16 == 0) WORK(l, CODE_STEP, csspgo_code_step(l->code, BUDGET, NULL));
        }
    }
}

/* ----- samples ----- */

/* The profile of all samples, in slices; it shrinks in slices to a half. */
static void samples_live(life *l)
{
    csspgo_collector *c = csspgo_collector_new(l->code, NULL, NULL, NULL), *taken = NULL;
    csspgo_queue *q = csspgo_queue_new(NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_status s = CSSPGO_MORE;
    program_sample one;
    uint64_t i, bytes, before;
    for (i = 0; i < l->samples; i++) {
        program_walk(&l->program, &one);
        if (i < l->samples / 2) WORK(l, ADD, T_EQ(csspgo_collector_add(c, &one.sample, 1, NULL), CSSPGO_OK));
        else WORK(l, PUSH, T_EQ(csspgo_queue_push(q, 0, &one.sample), 1));
        if (i >= l->samples / 2 && i % 4 == 3) WORK(l, DRAIN, T_EQ(csspgo_queue_drain(q, 4, c, NULL, NULL), CSSPGO_OK));
        if (i == l->samples / 4) while (s == CSSPGO_MORE) WORK(l, COLLECTOR_STEP, s = csspgo_collector_step(c, BUDGET, NULL));
    }
    WORK(l, TAKE, taken = csspgo_collector_take(c, NULL));
    do WORK(l, PROFILE_STEP, s = csspgo_collector_profile_step(taken, BUDGET, NULL, p, NULL, NULL));
    while (s == CSSPGO_MORE);
    T_EQ(s, CSSPGO_OK);
    WORK(l, COLLECTOR_FREE, csspgo_collector_free(taken));
    csspgo_collector_free(c);
    csspgo_queue_free(q);
    bytes = csspgo_profile_memory(p) / 2;
    {
        csspgo_profile *other = csspgo_profile_clone(p, NULL);
        before = blocks;
        T_EQ(csspgo_shrink(other, bytes, NULL), CSSPGO_OK);
        T_CHECK(blocks - before > 10 * MOST);         /* at once it is seen */
        do WORK(l, SHRINK_STEP, s = csspgo_shrink_step(p, bytes, BUDGET, NULL));
        while (s == CSSPGO_MORE);
        T_CHECK(s == CSSPGO_OK && csspgo_profile_memory(p) <= bytes);
        csspgo_profile_free(other);
    }
    csspgo_profile_free(p);
}

/* Functions of so many blocks, each called by many: what their contexts have in common differs. */
static csspgo_profile *giants(uint32_t blocks)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    const csspgo_func main_func = csspgo_func_add(p, "main", 4), callee = csspgo_func_add(p, "callee", 6);
    const csspgo_node top = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, main_func);
    uint32_t f, c, i;
    int ok = 1;
    for (f = 0; f < 3; f++) {
        char name[] = "giant0";
        csspgo_func giant;
        name[5] = (char)('0' + f);
        giant = csspgo_func_add(p, name, 6);
        for (c = 0; c < 20; c++) {
            const csspgo_node node = csspgo_node_add(p, top, csspgo_loc_at(f * 20 + c, 0), CSSPGO_CONTEXT, giant);
            csspgo_add_total(p, node, 1 + c);
            for (i = 0; i < blocks; i++) {
                const csspgo_loc loc = csspgo_loc_at(1 + i % 60000, i / 60000);
                if (i % (c + 2) != f) ok &= csspgo_add_body(p, node, loc, i + c) == CSSPGO_OK;
                if (i % (c + 3) == f) ok &= csspgo_add_target(p, node, loc, callee, 1 + i) == CSSPGO_OK;
            }
        }
    }
    T_CHECK(ok);
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    return p;
}

/* Shrinks them until nothing but base profiles fits. */
static void giants_live(life *l)
{
    csspgo_profile *p = giants(4 * l->program.functions), *want = csspgo_profile_clone(p, NULL);
    const uint64_t bytes = csspgo_profile_memory(p) / 8;
    csspgo_status s;
    uint64_t before = blocks;
    T_EQ(csspgo_shrink(want, bytes, NULL), CSSPGO_OK);
    T_CHECK(blocks - before > 10 * MOST);
    do WORK(l, SHRINK_GIANT, s = csspgo_shrink_step(p, bytes, BUDGET, NULL));
    while (s == CSSPGO_MORE);
    T_CHECK(s == CSSPGO_OK && csspgo_profile_memory(p) <= bytes && csspgo_record_count(p) < 20);
    T_CHECK(csspgo_equal(p, want));
    csspgo_profile_free(p);
    csspgo_profile_free(want);
}

/* A profile of what a full collector holds, in slices. */
static void limited_drain(life *l, csspgo_collector *c, csspgo_profile *p)
{
    csspgo_status s;
    do WORK(l, PROFILE_AT_LIMIT, s = csspgo_collector_profile_step(c, BUDGET, NULL, p, NULL, NULL));
    while (s == CSSPGO_MORE);
    T_EQ(s, CSSPGO_OK);
}

/*
 * A collector that has memory for a fraction of the samples, so that it is full again and again: counts as those of one
 * that has all.
 */
static void limited_lives(life *l, uint64_t bytes)
{
    csspgo_collector *all = csspgo_collector_new(l->code, NULL, NULL, NULL), *c;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *want = csspgo_profile_new(NULL, NULL);
    csspgo_options o;
    csspgo_status s;
    program_sample one;
    uint64_t i, full = 0;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = bytes;
    c = csspgo_collector_new(l->code, NULL, &o, NULL);
    for (i = 0; i < l->samples; i++) {
        program_walk(&l->program, &one);
        T_EQ(csspgo_collector_add(all, &one.sample, 1, NULL), CSSPGO_OK);
        for (;;) {
            WORK(l, ADD_AT_LIMIT, s = csspgo_collector_add(c, &one.sample, 1, NULL));
            if (s == CSSPGO_OK) break;
            T_EQ(s, CSSPGO_E_FULL);
            full++;
            limited_drain(l, c, p);
        }
        if (i % 16 == 0) WORK(l, STEP_AT_LIMIT, s = csspgo_collector_step(c, BUDGET, NULL));
        full += s == CSSPGO_E_FULL;
        if (s == CSSPGO_E_FULL) limited_drain(l, c, p);
    }
    T_CHECK(full > 2);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_profile(all, NULL, want, NULL, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, want));
    csspgo_collector_free(c);
    csspgo_collector_free(all);
    csspgo_profile_free(p);
    csspgo_profile_free(want);
}

/* ----- the front door ----- */

static void runtime_emits(life *l, csspgo_runtime *r, uint32_t f)
{
    program_unit u;
    csspgo_code_unit unit;
    program_make(f, l->program.where[f], &u);
    unit = program_tables(&u);
    WORK(l, EMIT, T_EQ(csspgo_runtime_emit(r, &unit, NULL), CSSPGO_OK));
}

static void runtime_decides(life *l, csspgo_runtime *r)
{
    const uint32_t f = program_random(&l->program, l->program.roots);
    program_unit caller, callee;
    csspgo_frame frames[2];
    csspgo_runtime_decision d;
    program_make(f, BASE, &caller);
    program_make(program_callee(&l->program, f, 1), BASE, &callee);
    memset(frames, 0, sizeof frames);
    frames[0].name = caller.name;
    frames[1].name = callee.name;
    frames[0].name_size = frames[1].name_size = 15;
    frames[0].loc = csspgo_loc_at(3, 0);
    WORK(l, DECIDE, csspgo_runtime_decide(r, frames, 2, 10, NULL, &d));
}

/*
 * Its memory, so much for each sample, is so little that collectors are full again and again, and the profile shrinks;
 * drops: and there is no room for all functions.
 */
static void runtime_lives(life *l, uint64_t bytes, int drops)
{
    program *p = &l->program;
    csspgo_runtime_options how;
    csspgo_runtime *r;
    csspgo_runtime_stats stats;
    csspgo_status s = CSSPGO_OK;
    program_sample one;
    uint64_t i;
    uint32_t f;
    memset(&how, 0, sizeof how);
    how.code_bytes = 4000 * (uint64_t)p->functions;
    how.bytes = how.code_bytes + l->samples * bytes;
    r = csspgo_runtime_new(&how, NULL, NULL);
    if (!T_CHECK(r != NULL)) return;
    for (f = 0; f < p->functions; f++) runtime_emits(l, r, f);
    for (i = 0; i < l->samples; i++) {
        program_walk(p, &one);
        WORK(l, RUNTIME_PUSH, T_EQ(csspgo_runtime_push(r, 0, &one.sample), 1));
        do if (i % 4 == 3 || s == CSSPGO_MORE) WORK(l, RUNTIME_STEP, s = csspgo_runtime_step(r, BUDGET, NULL));
        while (csspgo_runtime_get_stats(r).waiting > 64);
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_MORE);
        if (i % 64 == 63) {
            const uint64_t at = p->where[f = program_random(p, p->functions)];
            WORK(l, RUNTIME_MOVE, T_EQ(csspgo_runtime_move(r, at, at + PROGRAM_SIZE, place(l->places), NULL), CSSPGO_OK));
            WORK(l, RUNTIME_MOVE, T_EQ(csspgo_runtime_move(r, place(l->places), place(l->places + 1), at, NULL), CSSPGO_OK));
            WORK(l, RETIRE, T_EQ(csspgo_runtime_retire(r, at, at + PROGRAM_SIZE, NULL), CSSPGO_OK));
            runtime_emits(l, r, f);
        }
        if (i % 3000 == 2999) WORK(l, RUNTIME_TAKE, csspgo_runtime_take(r, NULL));
        if (i % 8 == 0) runtime_decides(l, r);
    }
    do WORK(l, RUNTIME_STEP, s = csspgo_runtime_step(r, BUDGET, NULL));
    while (s == CSSPGO_MORE);
    T_EQ(s, CSSPGO_OK);
    stats = csspgo_runtime_get_stats(r);
    T_CHECK(stats.shrunk > 0 && stats.taken > 3 && stats.counted == l->samples);
    T_CHECK(drops ? stats.dropped_counts > 0 : stats.dropped_counts == 0);
    csspgo_runtime_free(r);
}

static void run(life *l, uint32_t functions, uint64_t samples)
{
    memset(l, 0, sizeof *l);
    l->program.functions = functions;
    l->program.roots = functions / 16;
    l->program.seed = 88172645463325252u;
    l->places = functions + functions / 4;
    l->samples = samples;
    l->program.where = (uint64_t *)calloc(functions, sizeof *l->program.where);
    l->code = csspgo_code_new(NULL, NULL);
    code_lives(l);
    samples_live(l);
    limited_lives(l, 200000 + 30 * samples);
    giants_live(l);
    runtime_lives(l, 250, 1);
    runtime_lives(l, 800, 0);
    csspgo_code_free(l->code);
    free(l->program.where);
}

int main(void)
{
    static life little, much;
    unsigned i;
    run(&little, 800, 6000);
    run(&much, 6400, 48000);
    for (i = 0; i < ROWS; i++) {
        const int bounded = much.most[i] <= MOST && much.most[i] <= 2 * little.most[i] + MOST / 20;
        if (!T_CHECK(bounded) || getenv("PRINT") != NULL)
            printf("    %s: at most %lu of %lu calls, %lu where there is more\n", names[i], (unsigned long)little.most[i],
                   (unsigned long)little.calls[i], (unsigned long)much.most[i]);
        T_CHECK(little.calls[i] != 0);
    }
    return t_end();
}
