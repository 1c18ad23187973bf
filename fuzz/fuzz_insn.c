/* fuzz_insn.c - any bytes as code: the decoders stay inside, agree with themselves on any longer input, and a sweep of
 * the code map finds exactly the instructions that they give one after the other, and the control-flow graph of the
 * whole is that of a plain model. Byte 0: bit 0 AArch64. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

static uint32_t decode(int a64, const uint8_t *p, size_t n, uint64_t at, csspgo_insn *out)
{
    return a64 ? csspgo_decode_aarch64(p, n, at, out) : csspgo_decode_x86_64(p, n, at, out);
}

/* Number of legacy prefixes among the size bytes at p. */
static uint32_t prefixes(const uint8_t *p, uint32_t size)
{
    uint32_t n = 0;
    while (n < size && p[n] != 0 && strchr("\xf0\xf2\xf3\x26\x2e\x36\x3e\x64\x65\x66\x67", p[n]) != NULL) n++;
    return n;
}

static void check(int a64, const uint8_t *p, size_t n, uint64_t at)
{
    csspgo_insn x, y;
    uint8_t exact[256];
    const uint32_t size = decode(a64, p, n, at, &x);
    REQUIRE(size == x.size && size <= n && (!a64 || size == 0 || size == 4));
    REQUIRE(x.kind <= CSSPGO_RET && size <= sizeof exact);
    if (size == 0) {
        REQUIRE(x.skip >= 1 && x.kind == CSSPGO_NONE && !x.has_target);
        return;
    }
    if (!a64 && prefixes(p, size) == size) return; /* lock and repeat are instructions before some others only */
    memcpy(exact, p, size);                           /* else what follows an instruction does not matter to it */
    REQUIRE(decode(a64, exact, size, at, &y) == size && y.kind == x.kind && y.target == x.target &&
            y.has_target == x.has_target);
    REQUIRE(size == 1 || a64 || decode(0, exact, size - 1, at, &y) != size);
    if (x.has_target) {                               /* targets move along */
        decode(a64, p, n, at + 4096, &y);
        REQUIRE(y.target == x.target + 4096 || y.target == x.target);   /* jmpabs stays */
    }
}

/* ----- the control-flow graph of the code as one function, by a plain model ----- */

enum { LIMIT = 4096 };

typedef struct flow {             /* per byte of the code; block: number of the block that holds it, 0 = none */
    csspgo_insn insn[LIMIT];
    uint8_t     leader[LIMIT], entered[LIMIT + 2], exits[LIMIT + 2];
    uint32_t    block[LIMIT], last[LIMIT + 2];
    uint32_t    blocks;
    size_t      edge;             /* edges that were compared so far */
} flow;

static void is_edge(flow *f, const csspgo_code_graph *g, uint32_t from, uint32_t to, uint32_t fallthrough)
{
    const csspgo_cfg_edge *e = &g->cfg.edge[f->edge++];
    if (to == 0) {
        f->edge--;
        f->exits[from] = 1;
        return;
    }
    REQUIRE(f->edge <= g->cfg.edges && e->from == from && e->to == to && e->is_fallthrough == fallthrough);
    f->entered[to] = 1;
}

static void find_blocks(flow *f, size_t size, uint64_t base)
{
    size_t at, next, k;
    f->leader[0] = 1;
    for (at = 0; at < size; at++) {
        const csspgo_insn *x = &f->insn[at];
        if (x->size == 0 || x->kind == CSSPGO_NONE || x->kind == CSSPGO_CALL) continue;
        for (next = at + 1; next < size && f->insn[next].size == 0; next++) {}
        if (next < size) f->leader[next] = 1;
        if (x->has_target && x->target - base < size) f->leader[x->target - base] = 1;
    }
    f->blocks = 2;
    for (at = 0; at < size; at = next) {
        uint32_t insns = 0;
        for (next = at; next < size && (next == at || !f->leader[next]); next++) {
            if (f->insn[next].size == 0) continue;
            insns++;
            f->last[f->blocks] = (uint32_t)next;
        }
        for (k = at; insns != 0 && k < next; k++) f->block[k] = f->blocks;
        f->blocks += insns != 0;
    }
}

static void check_flow(const csspgo_code *code, flow *f, size_t size, uint64_t base)
{
    csspgo_block_finder *finder = csspgo_block_finder_new(code, NULL, NULL);
    csspgo_code_graph g;
    uint32_t b, jumps = 0;
    size_t probes = 0;
    if (finder == NULL) return;
    find_blocks(f, size, base);
    REQUIRE(csspgo_code_cfg(finder, base + size, &g, NULL) == CSSPGO_E_ARGUMENT && g.cfg.blocks == 0);
    REQUIRE(csspgo_code_cfg(finder, base + size / 2, &g, NULL) == CSSPGO_OK);
    REQUIRE(g.cfg.blocks == f->blocks && g.guid == 1 && !g.no_jumps);
    if (f->block[0] != 0) is_edge(f, &g, 0, f->block[0], 1);
    for (b = 2; b < f->blocks; b++) {
        const csspgo_code_block *v = &g.code[b];
        const csspgo_insn *x = &f->insn[f->last[b]];
        const size_t end = (size_t)(v->end - base);
        REQUIRE(f->block[v->begin - base] == b && f->block[end - 1] == b && v->last == base + f->last[b]);
        REQUIRE(v->kind == x->kind && v->first_probe == probes && v->probe_count == v->end - v->begin);
        REQUIRE(g.probe[probes].address == v->begin && g.probe[probes].index == 0 && g.probe[probes].guid == 2);
        probes += v->probe_count;
        if (x->kind == CSSPGO_COND || x->kind == CSSPGO_JMP)
            is_edge(f, &g, b, x->has_target && x->target - base < size ? f->block[x->target - base] : 0, 0);
        if (x->kind == CSSPGO_IJMP) is_edge(f, &g, b, 1, 0), is_edge(f, &g, b, 0, 0), jumps++;
        if (x->kind == CSSPGO_RET) is_edge(f, &g, b, 0, 0);
        if (x->kind == CSSPGO_NONE || x->kind == CSSPGO_COND || x->kind == CSSPGO_CALL)
            is_edge(f, &g, b, end < size ? f->block[end] : 0, 1);
    }
    for (b = 2; b < f->blocks; b++)
        if (!f->entered[b]) is_edge(f, &g, 1, b, 0);
    if (jumps == 0) is_edge(f, &g, 0, 1, 0);
    REQUIRE(f->edge == g.cfg.edges && probes == g.probes);
    for (b = 0; b < f->blocks; b++) REQUIRE(g.cfg.block[b].is_exit == f->exits[b] && g.cfg.block[b].count == 0);
    csspgo_block_finder_free(finder);
}

/* The whole code is a function, with an inlined copy of function 2 that has a probe at each byte. */
static void check_graph(csspgo_code *code, flow *f, size_t size, uint64_t base)
{
    const csspgo_module none = { 0 };
    static csspgo_probe probe[LIMIT];
    csspgo_inline_node tree[2];
    csspgo_code_function function;
    size_t i;
    memset(&function, 0, sizeof function);
    function.begin = base;
    function.end = base + size;
    function.guid = tree[0].guid = 1;
    tree[0].parent = tree[0].site = 0;
    tree[1].guid = 2;
    tree[1].parent = tree[1].site = 1;
    memset(probe, 0, sizeof probe);
    for (i = 0; i < size; i++) {
        probe[i].address = base + i;
        probe[i].id = 1;
        probe[i].inline_node = 2;
    }
    REQUIRE(csspgo_code_add_function(code, none, &function, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_code_add_probes(code, none, tree, 2, probe, size, NULL) == CSSPGO_OK);
    check_flow(code, f, size, base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t base = 0x401000;
    const csspgo_module none = { 0 };
    static flow f;
    csspgo_code *code;
    csspgo_code_bytes b;
    csspgo_insn x;
    size_t at;
    int a64;
    if (size < 2 || size > LIMIT) return 0;
    a64 = data[0] & 1;
    data++;
    size--;
    code = csspgo_code_new(NULL, NULL);
    if (code == NULL) return 0;
    memset(&b, 0, sizeof b);
    b.arch = a64 ? CSSPGO_AARCH64 : CSSPGO_X86_64;
    b.address = base;
    b.bytes = data;
    b.size = size;
    REQUIRE(csspgo_code_add_bytes(code, none, &b, NULL) == CSSPGO_OK);
    memset(&f, 0, sizeof f);
    for (at = 0; at < size;) {
        const uint64_t before = csspgo_code_call_before(code, base + at);
        check(a64, data + at, size - at, base + at);
        decode(a64, data + at, size - at, base + at, &x);
        REQUIRE(csspgo_code_transfer_kind(code, base + at) == x.kind);
        REQUIRE(before == 0 || (before < base + at && csspgo_code_transfer_kind(code, before) == CSSPGO_CALL));
        f.insn[at] = x;
        at += x.size != 0 ? x.size : x.skip;
    }
    check_graph(code, &f, size, base);
    csspgo_code_free(code);
    return 0;
}
