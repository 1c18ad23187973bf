/* runtime.h - a program for csspgo_runtime, and samples of it. Include it after t.h. */
#ifndef T_RUNTIME_H
#define T_RUNTIME_H

#include "code.h"

enum { FUNCTIONS = 24, BASE = 0x100000, APART = 0x1000, SIZE = 0x100, DEEP = 6 };

/* ----- a program: every function has two blocks, a loop from +0x80 to +0x40, and a call by probe 3 at +0xa0 --------- */

typedef struct emitted {          /* a function with its tables, for csspgo_code_unit */
    char name[16];
    csspgo_code_function function;
    csspgo_transfer      transfer[3];
    csspgo_inline_node   node;
    csspgo_probe         probe[3];
    csspgo_code_unit     unit;
} emitted;

T_UNUSED static uint64_t address_of(uint32_t f) { return BASE + (uint64_t)f * APART; }

static csspgo_probe probe_at(uint64_t address, uint32_t id, uint8_t kind)
{
    csspgo_probe p;
    memset(&p, 0, sizeof p);
    p.address = address;
    p.id = id;
    p.kind = kind;
    p.inline_node = 1;
    return p;
}

static const csspgo_code_unit *make_unit(emitted *e, uint32_t f, uint64_t at)
{
    memset(e, 0, sizeof *e);
    snprintf(e->name, sizeof e->name, f == 0 ? "main" : "f%u", (unsigned)f);
    e->function = make_function(at, at + SIZE, e->name);
    e->function.checksum = 1000 + f;
    e->transfer[0] = make_transfer(at + 0xa0, 5, CSSPGO_CALL, 0);
    e->transfer[1] = make_transfer(at + 0x80, 2, CSSPGO_COND, at + 0x40);
    e->transfer[2] = make_transfer(at + 0xf0, 1, CSSPGO_RET, 0);
    e->node.guid = csspgo_guid(e->name, strlen(e->name));
    e->probe[0] = probe_at(at, 1, CSSPGO_PROBE_BLOCK);
    e->probe[1] = probe_at(at + 0x40, 2, CSSPGO_PROBE_BLOCK);
    e->probe[2] = probe_at(at + 0xa0, 3, CSSPGO_PROBE_INDIRECT_CALL);
    e->unit.functions = &e->function;
    e->unit.transfers = e->transfer;
    e->unit.inlines = &e->node;
    e->unit.probes = e->probe;
    e->unit.function_count = e->unit.inline_count = 1;
    e->unit.transfer_count = e->unit.probe_count = 3;
    return &e->unit;
}

T_UNUSED static csspgo_runtime *filled_runtime(const csspgo_runtime_options *how, const csspgo_options *o, csspgo_error *e)
{
    csspgo_runtime *r = csspgo_runtime_new(how, o, e);
    emitted unit;
    uint32_t f;
    for (f = 0; f < FUNCTIONS && r != NULL; f++)
        T_EQ(csspgo_runtime_emit(r, make_unit(&unit, f, address_of(f)), e), CSSPGO_OK);
    return r;
}

T_UNUSED static csspgo_code *same_code(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    emitted unit;
    uint32_t f;
    for (f = 0; f < FUNCTIONS; f++)
        T_EQ(csspgo_code_add_unit(code, csspgo_no_module(), make_unit(&unit, f, address_of(f)), NULL), CSSPGO_OK);
    return code;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed >> 16;
}

typedef struct made {
    csspgo_sample sample;
    uint64_t      stack[DEEP];
    csspgo_branch branch[2 * DEEP];
} made;

static void branch_before(made *m, uint64_t from, uint64_t to)
{
    csspgo_branch *b = &m->branch[2 * DEEP - 1 - m->sample.branch_count++];
    b->from = from;
    b->to = to;
    m->sample.branches = b;
}

/* main calls, ... calls the last function of the path; each one loops once before it calls. */
static const csspgo_sample *make_sample(made *m, const uint32_t *path, uint32_t n)
{
    uint32_t i;
    memset(m, 0, sizeof *m);
    for (i = 0; i < n; i++) {
        const uint64_t at = address_of(path[i]);
        if (i != 0) branch_before(m, address_of(path[i - 1]) + 0xa0, at);
        branch_before(m, at + 0x80, at + 0x40);
        m->stack[n - 1 - i] = at + (i + 1 < n ? 0xa5 : 0x44);
    }
    m->sample.stack = m->stack;
    m->sample.stack_count = n;
    m->sample.count = 1;
    return &m->sample;
}

/* A path that is likely to have been made before. */
T_UNUSED static const csspgo_sample *random_sample(made *m, uint64_t *seed, uint32_t kinds)
{
    uint32_t path[DEEP], i, n = 2 + (uint32_t)next_random(seed) % (DEEP - 1);
    path[0] = 0;
    for (i = 1; i < n; i++) path[i] = 1 + (uint32_t)(next_random(seed) % kinds);
    return make_sample(m, path, n);
}

#endif
