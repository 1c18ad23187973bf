/*
 * program.h - a made-up program for benches and tests of a runtime: functions with calls and a loop, placed anywhere,
 * and samples of walks through them. Include it after csspgo.h.
 *
 * A function is 256 bytes long. Its entry jumps to one of four blocks, each of which calls another function and returns
 * to the next block; behind them is a loop, and behind that the return.
 *
 *     +0     block probe 1; an indirect jump at +4
 *     +30 k  block k (1 to 4): block probe, call probe and call at +30 k + 8, 5 bytes long
 *     +210   the loop: block probe 10; a conditional jump at +230, 2 bytes long
 *     +250   block probe 11; the return at +255
 */
#ifndef PROGRAM_H
#define PROGRAM_H

enum {
    PROGRAM_SIZE = 256, PROGRAM_CALLS = 4, PROGRAM_PROBES = 11, PROGRAM_TRANSFERS = PROGRAM_CALLS + 3,
    PROGRAM_STEP = 30, PROGRAM_CALL = 8, PROGRAM_CALL_SIZE = 5, PROGRAM_LOOP = 210, PROGRAM_LOOP_END = 230,
    PROGRAM_DEPTH = 5, PROGRAM_TURNS = 12, PROGRAM_BRANCHES = 2 * PROGRAM_DEPTH + 1 + PROGRAM_TURNS
};

typedef struct program {
    uint64_t *where;              /* the address of each function */
    uint32_t  functions;
    uint32_t  roots;              /* walks begin in functions 0 to roots - 1 */
    uint64_t  seed;
} program;

/* A number below n. */
static inline uint32_t program_random(program *p, uint32_t n)
{
    p->seed ^= p->seed << 13;
    p->seed ^= p->seed >> 7;
    p->seed ^= p->seed << 17;
    return (uint32_t)((p->seed >> 20) % n);
}

/* The function that block k (from 1) of function f calls. */
static inline uint32_t program_callee(const program *p, uint32_t f, uint32_t k)
{
    return (uint32_t)(((uint64_t)f * PROGRAM_CALLS + k) % p->functions);
}

typedef struct program_unit {     /* tables of a function at an address */
    csspgo_code_function function;
    csspgo_inline_node   body;
    csspgo_transfer      transfers[PROGRAM_TRANSFERS];
    csspgo_probe         probes[PROGRAM_PROBES];
    char                 name[16];
} program_unit;

static inline void program_transfer(csspgo_transfer *x, uint64_t at, uint32_t size, csspgo_transfer_kind kind,
                                    uint64_t target)
{
    x->address = at;
    x->size = size;
    x->kind = kind;
    x->target = target;
}

static inline void program_probe(csspgo_probe *p, uint64_t at, uint32_t id, uint8_t kind)
{
    p->address = at;
    p->id = id;
    p->kind = kind;
    p->inline_node = 1;
}

/* Function f as it is at an address. */
static inline void program_make(uint32_t f, uint64_t at, program_unit *u)
{
    uint32_t k, v = f;
    memset(u, 0, sizeof *u);
    memcpy(u->name, "function0000000", sizeof u->name);
    for (k = 14; k > 7; k--, v /= 10) u->name[k] = (char)('0' + v % 10);
    u->function.begin = at;
    u->function.end = at + PROGRAM_SIZE;
    u->function.name = u->name;
    u->function.name_size = 15;
    u->function.guid = u->body.guid = csspgo_guid(u->name, 15);
    u->function.checksum = f + 1;
    program_probe(&u->probes[0], at, 1, CSSPGO_PROBE_BLOCK);
    program_transfer(&u->transfers[0], at + 4, 2, CSSPGO_IJMP, 0);
    for (k = 1; k <= PROGRAM_CALLS; k++) {
        const uint64_t block = at + k * PROGRAM_STEP;
        program_probe(&u->probes[2 * k - 1], block, 2 * k, CSSPGO_PROBE_BLOCK);
        program_probe(&u->probes[2 * k], block + PROGRAM_CALL, 2 * k + 1, CSSPGO_PROBE_INDIRECT_CALL);
        program_transfer(&u->transfers[k], block + PROGRAM_CALL, PROGRAM_CALL_SIZE, CSSPGO_CALL, 0);
    }
    program_probe(&u->probes[PROGRAM_PROBES - 2], at + PROGRAM_LOOP, PROGRAM_PROBES - 1, CSSPGO_PROBE_BLOCK);
    program_probe(&u->probes[PROGRAM_PROBES - 1], at + 250, PROGRAM_PROBES, CSSPGO_PROBE_BLOCK);
    program_transfer(&u->transfers[PROGRAM_CALLS + 1], at + PROGRAM_LOOP_END, 2, CSSPGO_COND, at + PROGRAM_LOOP);
    program_transfer(&u->transfers[PROGRAM_CALLS + 2], at + PROGRAM_SIZE - 1, 1, CSSPGO_RET, 0);
}

/* Its tables, which are u's, as one unit. */
static inline csspgo_code_unit program_tables(const program_unit *u)
{
    csspgo_code_unit unit;
    unit.functions = &u->function;
    unit.transfers = u->transfers;
    unit.inlines = &u->body;
    unit.probes = u->probes;
    unit.function_count = unit.inline_count = 1;
    unit.transfer_count = PROGRAM_TRANSFERS;
    unit.probe_count = PROGRAM_PROBES;
    return unit;
}

/* Adds it to a map. */
static inline csspgo_status program_add(csspgo_code *code, const program_unit *u, csspgo_error *err)
{
    const csspgo_code_unit unit = program_tables(u);
    return csspgo_code_add_unit(code, csspgo_no_module(), &unit, err);
}

typedef struct program_sample {   /* a sample and its arrays */
    csspgo_sample sample;
    uint64_t      stack[PROGRAM_DEPTH + 1];
    csspgo_branch branches[PROGRAM_BRANCHES];
    uint32_t      function;       /* that was running      */
    uint32_t      turns;          /* of its loop, 0 or more */
} program_sample;

static inline void program_branch(program_sample *s, uint64_t from, uint64_t to)
{
    csspgo_branch *b = &s->branches[PROGRAM_BRANCHES - ++s->sample.branch_count];
    b->from = from;
    b->to = to;
    b->flags = 0;
}

/*
 * A walk: PROGRAM_DEPTH calls down from a root, by random blocks; there the loop, up to PROGRAM_TURNS - 1 times. The
 * records are complete.
 */
static inline void program_walk(program *p, program_sample *s)
{
    uint32_t f = program_random(p, p->roots), i;
    memset(&s->sample, 0, sizeof s->sample);
    for (i = PROGRAM_DEPTH; i != 0; i--) {
        const uint32_t k = 1 + program_random(p, PROGRAM_CALLS), to = program_callee(p, f, k);
        const uint64_t block = p->where[f] + k * PROGRAM_STEP;
        program_branch(s, p->where[f] + 4, block);
        program_branch(s, block + PROGRAM_CALL, p->where[to]);
        s->stack[i] = block + PROGRAM_CALL + PROGRAM_CALL_SIZE;
        f = to;
    }
    program_branch(s, p->where[f] + 4, p->where[f] + PROGRAM_LOOP);
    s->turns = program_random(p, PROGRAM_TURNS);
    for (i = 0; i < s->turns; i++) program_branch(s, p->where[f] + PROGRAM_LOOP_END, p->where[f] + PROGRAM_LOOP);
    s->stack[0] = p->where[f] + PROGRAM_LOOP + 5;
    s->function = f;
    s->sample.stack = s->stack;
    s->sample.stack_count = PROGRAM_DEPTH + 1;
    s->sample.branches = s->branches + (PROGRAM_BRANCHES - s->sample.branch_count);
    s->sample.count = 1;
}

#endif
