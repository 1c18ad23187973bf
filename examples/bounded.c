/* bounded.c - a service that samples itself for weeks in a fixed amount of memory
 *
 * Two limits: one of the collector, which gives its counts away when it is full, and one of the profile, which then
 * shrinks to half: its coldest contexts become part of their functions' base profiles. Here the samples come from a
 * random walk through 300 functions that call each other; in a service they come from a ring buffer
 * (csspgo_ring_next) or a timer. No sample is lost, and the memory never exceeds the sum of both between samples.
 *
 *     cc -O2 bounded.c -o bounded && ./bounded [samples]
 */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 300, CALLS = 4, CODE = 64, COLLECTOR_BYTES = 1 << 19, PROFILE_BYTES = 1 << 19 };

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static uint64_t begin_of(uint32_t f)
{
    return 0x100000 + (uint64_t)f * CODE;
}

/* Call k of a function goes to one of a few others; it is 5 bytes long and has the probe k + 2. */
static uint32_t callee_of(uint32_t f, uint32_t k)
{
    return (f * 7 + k * k * 31 + 1) % FUNCTIONS;
}

static csspgo_status add_function(csspgo_code *code, uint32_t f, csspgo_error *e)
{
    char name[20];
    csspgo_code_function function = { begin_of(f), begin_of(f) + CODE, 0, f + 1, name, 0, 0, 0 };
    csspgo_transfer t[CALLS + 1];
    csspgo_probe p[CALLS + 1];
    csspgo_inline_node body = { 0, 0, 0 };
    csspgo_status s;
    uint32_t k;
    memset(t, 0, sizeof t);
    memset(p, 0, sizeof p);
    function.name_size = (size_t)snprintf(name, sizeof name, "service_%u", (unsigned)f);
    body.guid = csspgo_guid(name, function.name_size);
    for (k = 0; k <= CALLS; k++) {
        t[k].address = p[k].address = begin_of(f) + 8 * k + 8;
        t[k].size = k < CALLS ? 5 : 1;
        t[k].kind = k < CALLS ? CSSPGO_CALL : CSSPGO_RET;
        t[k].target = k < CALLS ? begin_of(callee_of(f, k)) : 0;
        p[k].id = k + 2;
        p[k].kind = CSSPGO_PROBE_DIRECT_CALL;
        p[k].inline_node = 1;
    }
    p[CALLS].address = begin_of(f);
    p[CALLS].id = 1;
    p[CALLS].kind = CSSPGO_PROBE_BLOCK;
    s = csspgo_code_add_function(code, csspgo_no_module(), &function, e);
    if (s == CSSPGO_OK) s = csspgo_code_add_transfers(code, csspgo_no_module(), t, CALLS + 1, e);
    if (s == CSSPGO_OK) s = csspgo_code_add_probes(code, csspgo_no_module(), &body, 1, p, CALLS + 1, e);
    return s;
}

/* A walk of 3 to 10 calls from function 0: its stack, and the calls as branch records, newest first. */
static csspgo_sample walk(uint64_t *stack, csspgo_branch *branch)
{
    csspgo_sample s;
    const uint32_t depth = 3 + rnd(8);
    uint32_t f = 0, i;
    memset(&s, 0, sizeof s);
    for (i = depth; i-- > 0;) {
        const uint32_t k = rnd(rnd(CALLS) + 1), to = callee_of(f, k);      /* some calls are much hotter than others */
        stack[i + 1] = begin_of(f) + 8 * k + 13;
        branch[i].from = begin_of(f) + 8 * k + 8;
        branch[i].to = begin_of(to);
        branch[i].flags = 0;
        f = to;
    }
    stack[0] = begin_of(f) + 4;
    s.stack = stack;
    s.stack_count = depth + 1;
    s.branches = branch;
    s.branch_count = depth;
    return s;
}

/* The collector's counts become part of the profile, which stays within its bound. */
static csspgo_status fold(csspgo_collector *c, csspgo_profile *p, unsigned *shrunk, csspgo_error *e)
{
    csspgo_status s = csspgo_collector_profile(c, NULL, p, NULL, e);
    if (s != CSSPGO_OK || csspgo_profile_memory(p) <= PROFILE_BYTES) return s;
    ++*shrunk;
    return csspgo_shrink(p, PROFILE_BYTES / 2, e);
}

int main(int argc, char **argv)
{
    const unsigned long samples = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
    uint64_t stack[16], most = 0;
    csspgo_branch branch[16];
    csspgo_options small;
    csspgo_error e;
    csspgo_code *code = csspgo_code_new(NULL, &e);
    csspgo_profile *p = csspgo_profile_new(NULL, &e);
    csspgo_collector *c;
    csspgo_status s = CSSPGO_OK;
    unsigned long i;
    unsigned folds = 0, shrunk = 0;
    memset(&small, 0, sizeof small);
    small.limits.max_bytes = COLLECTOR_BYTES;
    c = code != NULL && p != NULL ? csspgo_collector_new(code, NULL, &small, &e) : NULL;
    if (c == NULL) s = CSSPGO_E_NOMEM;
    for (i = 0; i < FUNCTIONS && s == CSSPGO_OK; i++) s = add_function(code, (uint32_t)i, &e);
    for (i = 0; i < samples && s == CSSPGO_OK; i++) {
        const csspgo_sample sample = walk(stack, branch);
        s = csspgo_collector_add(c, &sample, 1, &e);
        if (s == CSSPGO_E_FULL) {                     /* give the counts away, take the sample again */
            s = fold(c, p, &shrunk, &e);
            folds++;
            if (s == CSSPGO_OK) s = csspgo_collector_add(c, &sample, 1, &e);
        }
        if (s == CSSPGO_OK && csspgo_collector_memory(c) + csspgo_profile_memory(p) > most)
            most = csspgo_collector_memory(c) + csspgo_profile_memory(p);
    }
    if (s == CSSPGO_OK) s = fold(c, p, &shrunk, &e);
    if (s != CSSPGO_OK) fprintf(stderr, "bounded: %s\n", e.message);
    else
        printf("%lu samples, %u folds, %u times shrunk; at most %u KB; %u contexts left\n", samples, folds, shrunk,
               (unsigned)(most / 1024), (unsigned)csspgo_record_count(p));
    csspgo_collector_free(c);
    csspgo_code_free(code);
    csspgo_profile_free(p);
    return s != CSSPGO_OK || most > COLLECTOR_BYTES + PROFILE_BYTES;
}
