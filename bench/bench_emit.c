/*
 * bench_emit.c - a JIT in a steady state: functions are emitted again and again, and sampled, and profiles are taken.
 *
 *     bench_emit [ROUNDS]     1,000,000; a table row for each tenth of them
 *
 * A round removes one of 1,000 functions (4 KB of addresses each, 256 to 2,303 bytes of code, 8 to 15 probes) and emits
 * it anew; before one of 4 rounds the function is sampled, and a profile is taken every 1,000 rounds. Prints the time of
 * a round. Ends with status 1 unless memory stays flat, in every later tenth at most 1.125 times that of the first
 * tenth, and all counts arrive.
 */
#define _POSIX_C_SOURCE 199309L
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FUNCTIONS = 1000, SAMPLED = 4, TAKEN = 1000, PARTS = 10, BASE = 0x100000, SLOT = 0x1000, PROBES = 16 };

typedef struct meter { size_t live, peak; } meter;    /* bytes */

static void *meter_alloc(void *ctx, size_t size)
{
    meter *m = (meter *)ctx;
    m->live += size;
    if (m->live > m->peak) m->peak = m->live;
    return malloc(size);
}

static void meter_free(void *ctx, void *p, size_t size)
{
    ((meter *)ctx)->live -= size;
    free(p);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

/* A function with a loop of 48 bytes at its beginning. */
static void emit(csspgo_code *code, uint64_t at, uint64_t guid, uint32_t size, uint32_t n)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function f;
    csspgo_transfer x[2];
    csspgo_inline_node in;
    csspgo_probe p[PROBES];
    uint32_t i;
    memset(&f, 0, sizeof f);
    memset(x, 0, sizeof x);
    memset(&in, 0, sizeof in);
    memset(p, 0, sizeof p);
    f.begin = at;
    f.end = at + size;
    f.guid = in.guid = guid;
    x[0].address = at + 46;
    x[0].size = 2;
    x[0].kind = CSSPGO_COND;
    x[0].target = at;
    x[1].address = at + size - 1;
    x[1].size = 1;
    x[1].kind = CSSPGO_RET;
    for (i = 0; i < n; i++) {
        p[i].address = at + i * (size / n);
        p[i].id = i + 1;
        p[i].inline_node = 1;
    }
    must(csspgo_code_add_function(code, none, &f, NULL) == CSSPGO_OK, "add_function");
    must(csspgo_code_add_transfers(code, none, x, 2, NULL) == CSSPGO_OK, "add_transfers");
    must(csspgo_code_add_probes(code, none, &in, 1, p, n, NULL) == CSSPGO_OK, "add_probes");
}

static void emit_number(csspgo_code *code, uint32_t k)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    emit(code, BASE + (uint64_t)k * SLOT, 100 + k, 256 + (state >> 21), 8 + (state >> 8) % 8);
}

/* The loop of a function ran once. */
static void sample(csspgo_collector *c, uint64_t at)
{
    csspgo_branch branches[2];
    csspgo_sample s;
    memset(branches, 0, sizeof branches);
    memset(&s, 0, sizeof s);
    branches[0].from = branches[1].from = at + 46;
    branches[0].to = branches[1].to = at;
    s.stack = &at;
    s.stack_count = 1;
    s.branches = branches;
    s.branch_count = 2;
    s.count = 1;
    must(csspgo_collector_add(c, &s, 1, NULL) == CSSPGO_OK, "collector_add");
}

static uint64_t all_counts(csspgo_profile *p)
{
    uint64_t sum = 0;
    uint32_t k;
    for (k = 0; k < FUNCTIONS; k++) {
        const csspgo_func f = csspgo_func_add_guid(p, 100 + k);
        const csspgo_node node = csspgo_child(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f);
        sum += csspgo_body_count(p, node, csspgo_loc_at(1, 0));
    }
    return sum;
}

int main(int argc, char **argv)
{
    const uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000, part = rounds / PARTS;
    meter map = { 0, 0 }, own = { 0, 0 };
    size_t most = 0, first = 0, own_first = 0;
    csspgo_options o, q;
    csspgo_code *code;
    csspgo_collector *c;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    uint64_t samples = 0;
    uint32_t i, flat = 1;
    double begin;
    must(part != 0, "ROUNDS must be 10 or more");
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = meter_alloc;
    o.allocator.free_fn = meter_free;
    q = o;
    o.allocator.ctx = &map;
    q.allocator.ctx = &own;
    code = csspgo_code_new(&o, NULL);
    c = csspgo_collector_new(code, NULL, &q, NULL);
    must(code != NULL && c != NULL && p != NULL, "memory");
    for (i = 0; i < FUNCTIONS; i++) emit_number(code, i);
    printf("live code: %u functions, %.2f MB of code map\n\n", (unsigned)FUNCTIONS, 1e-6 * (double)map.live);
    printf("| rounds | ns per round | code map, most | collector, most |\n| --- | --- | --- | --- |\n");
    begin = now();
    for (i = 0; i < part * PARTS; i++) {
        const uint32_t k = (uint32_t)((uint64_t)i * 7919 % FUNCTIONS);
        const uint64_t at = BASE + (uint64_t)k * SLOT;
        if (i % SAMPLED == 0) sample(c, at), samples++;
        must(csspgo_code_remove(code, at, at + SLOT, NULL) == CSSPGO_OK, "remove");
        emit_number(code, k);
        if (i % TAKEN == TAKEN - 1) must(csspgo_collector_profile(c, NULL, p, NULL, NULL) == CSSPGO_OK, "profile");
        if (map.live > most) most = map.live;
        if ((i + 1) % part != 0) continue;
        printf("| %lu | %.0f | %.2f MB | %.2f MB |\n", (unsigned long)i + 1, (now() - begin) / part * 1e9,
               1e-6 * (double)most, 1e-6 * (double)own.peak);
        if (first == 0) first = most, own_first = own.peak;
        flat &= most <= first + first / 8 && own.peak <= own_first + own_first / 8;
        most = 0;
        own.peak = own.live;
        begin = now();
    }
    must(csspgo_collector_profile(c, NULL, p, NULL, NULL) == CSSPGO_OK, "profile");
    must(all_counts(p) == samples, "a count is missing");
    csspgo_collector_free(c);
    csspgo_code_free(code);
    csspgo_profile_free(p);
    must(map.live == 0 && own.live == 0, "memory is lost");
    must(flat == 1, "memory grows");
    return 0;
}
