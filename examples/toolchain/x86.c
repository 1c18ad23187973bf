/* x86.c - code for x86-64: registers, and the bytes of instructions
 *
 * rax, rcx and rdx are for the instruction at work; the others hold virtual registers, those of the hottest blocks
 * first. Frames have a frame pointer, so that a profiler finds the callers.
 */
#include "minic.h"

#include <stdlib.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, MACHINE };
enum { FREE = 1000 };             /* no place yet */

static const int pool[] = { RSI, RDI, R8, R9, R10, R11, RBX, R12, R13, R14, R15 };   /* calls change the first CALLER */
static const int argument[ARGUMENTS] = { RDI, RSI, RDX, RCX, R8, R9 };
enum { POOL = sizeof pool / sizeof *pool, CALLER = 6 };

typedef struct branch_to { uint64_t at; int block; } branch_to;

typedef struct emitter {
    text      *t;
    function  *f;
    int       *home;              /* of each virtual register: a register, or -1 - slot of the frame */
    int        enters[ARGUMENTS]; /* 1: the parameter is used */
    int        slots, saved;      /* saved: registers that the caller wants back */
    int        saves[POOL];
    uint64_t  *begin;             /* of each block */
    branch_to *branch;
    int        branches, branch_cap;
} emitter;

/* ----- registers ----- */

/* How often a block runs: by the profile, or ten times for each loop around it. */
static double weight_of(const function *f, const block *b)
{
    double w = 1;
    int i;
    if (f->has_counts) return (double)b->count + 0.01;
    for (i = 0; i < b->depth && i < 6; i++) w *= 10;
    return w;
}

static int meet(const uint64_t *a, const uint64_t *b, int words)
{
    int i;
    for (i = 0; i < words; i++)
        if (a[i] & b[i]) return 1;
    return 0;
}

typedef struct wish { double weight; int a, b; } wish;        /* a copy: the two would like to be in one place */

static int by_weight(const void *x, const void *y)
{
    const wish *a = (const wish *)x, *b = (const wish *)y;
    if (a->weight < b->weight || a->weight > b->weight) return a->weight < b->weight ? 1 : -1;
    return a->a - b->a;
}

/* Places for virtual registers, the most used first; where they live tells which of them can share one. */
static void allocate(emitter *e)
{
    function *f = e->f;
    int words, positions, b, i, k, n = 0, copies = 0, at = 0, used = 0;
    uint64_t *live = live_ranges(f, &words, &positions), *busy;
    wish *order = (wish *)zeros((size_t)f->registers, sizeof *order);
    wish *copy = (wish *)zeros((size_t)positions, sizeof *copy);
    busy = (uint64_t *)zeros((size_t)words * MACHINE, sizeof *busy);
    e->home = (int *)zeros((size_t)f->registers, sizeof *e->home);
    for (i = 0; i < f->registers; i++) {
        e->home[i] = FREE;
        order[i].a = i;
    }
    for (b = 0; b < f->blocks; b++, at += 2)
        for (i = 0; i < f->block[b].n; i++) {
            const insn *x = &f->block[b].v[i];
            const double w = weight_of(f, &f->block[b]);
            at += 2;
            if (x->dst != NONE) order[x->dst].weight += w;
            for (k = 0; k < ARGUMENTS; k++)
                if (x->use[k] != NONE) order[x->use[k]].weight += w;
            for (k = 0; k < CALLER && x->op == OP_CALL; k++)
                busy[pool[k] * words + at / 64] |= (uint64_t)1 << at % 64;
            if (x->op != OP_COPY) continue;
            copy[copies].weight = w;
            copy[copies].a = x->dst;
            copy[copies++].b = x->use[0];
        }
    qsort(order, (size_t)f->registers, sizeof *order, by_weight);
    qsort(copy, (size_t)copies, sizeof *copy, by_weight);
    for (n = 0; n < f->registers; n++) {
        const int v = order[n].a;
        const uint64_t *range = live + (size_t)v * (size_t)words;
        int best = FREE;
        if (v < f->params) e->enters[v] = (int)(range[0] >> 1 & 1);
        for (k = 0; k < copies && best == FREE; k++) {
            const int other = copy[k].a == v ? copy[k].b : copy[k].b == v ? copy[k].a : NONE;
            if (other == NONE || e->home[other] == FREE || e->home[other] < 0) continue;
            if (!meet(range, busy + e->home[other] * words, words)) best = e->home[other];
        }
        for (k = 0; k < POOL && best == FREE; k++)
            if (!meet(range, busy + pool[k] * words, words)) best = pool[k];
        e->home[v] = best == FREE ? -1 - e->slots++ : best;
        if (best == FREE) continue;
        for (i = 0; i < words; i++) busy[best * words + i] |= range[i];
        if (order[n].weight > 0) used |= 1 << best;
    }
    for (k = CALLER; k < POOL; k++)
        if (used >> pool[k] & 1) e->saves[e->saved++] = pool[k];
    free(live);
    free(busy);
    free(order);
    free(copy);
}

/* ----- bytes ----- */

static void byte(emitter *e, int b)
{
    text *t = e->t;
    if (t->size == t->cap) {
        t->cap = 2 * t->cap + 4096;
        t->byte = (unsigned char *)realloc(t->byte, t->cap);
        if (t->byte == NULL) fail(NULL, 0, "out of memory", "");
    }
    t->byte[t->size++] = (unsigned char)b;
}

static void number(emitter *e, int64_t v, int bytes)
{
    for (; bytes-- > 0; v >>= 8) byte(e, (int)(v & 255));
}

static void opcode(emitter *e, int wide, int code, int reg, int index, int base, int rex)
{
    rex |= (wide ? 0x48 : 0) | (reg > 7 ? 0x44 : 0) | (index > 7 ? 0x42 : 0) | (base > 7 ? 0x41 : 0);
    if (rex) byte(e, rex);
    if (code > 255) byte(e, code >> 8);
    byte(e, code & 255);
}

static void registers(emitter *e, int wide, int code, int reg, int rm)
{
    opcode(e, wide, code, reg, 0, rm, 0);
    byte(e, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static void add_fixup(emitter *e, int type, int symbol, int64_t addend)
{
    text *t = e->t;
    t->fix = (fixup *)room(t->fix, t->fixes, &t->fix_cap, sizeof *t->fix);
    t->fix[t->fixes].at = t->size;
    t->fix[t->fixes].type = type;
    t->fix[t->fixes].addend = addend;
    t->fix[t->fixes++].symbol = symbol;
    number(e, 0, 4);
}

/* With a base register; without one, the address is a global's. index: NONE, or a register that is scaled by size. */
static void memory(emitter *e, int wide, int code, int reg, int base, int index, int size, int64_t disp, int symbol)
{
    const int scale = size == 8 ? 3 : size == 4 ? 2 : 0;
    const int small = base != NONE && disp == (int8_t)disp;
    const int sib = index != NONE ? (index & 7) << 3 : RSP << 3;
    opcode(e, wide, code, reg, index == NONE ? 0 : index, base == NONE ? 0 : base, code == 0x88 && reg > 3 ? 0x40 : 0);
    byte(e, (base == NONE ? 0 : small ? 0x40 : 0x80) | (reg & 7) << 3 | RSP);
    byte(e, scale << 6 | sib | (base == NONE ? RBP : base & 7));
    if (base == NONE) add_fixup(e, FIX_32S, symbol, disp);
    else number(e, disp, small ? 1 : 4);
}

static int slot(const emitter *e, int home) { return -8 * e->saved - e->f->frame + 8 * home; }

static void move(emitter *e, int to, int from)        /* places: registers, or below 0 slots; one is a register */
{
    if (to == from) return;
    if (to >= 0 && from >= 0) registers(e, 1, 0x89, from, to);
    else if (to >= 0) memory(e, 1, 0x8b, to, RBP, NONE, 1, slot(e, from), 0);
    else memory(e, 1, 0x89, from, RBP, NONE, 1, slot(e, to), 0);
}

/* Moves that all happen at the same time. */
static void move_all(emitter *e, int *to, int *from, int n)
{
    int i, k;
    while (n != 0) {
        for (i = 0; i < n; i++) {
            for (k = 0; k < n && (k == i || from[k] != to[i]); k++) {}
            if (k == n) break;
        }
        if (i == n) {                                 /* a cycle */
            i = 0;
            move(e, RAX, from[0]);
            from[0] = RAX;
            continue;
        }
        move(e, to[i], from[i]);
        to[i] = to[--n];
        from[i] = from[n];
    }
}

static int source(emitter *e, int v, int spare)
{
    if (e->home[v] >= 0) return e->home[v];
    move(e, spare, e->home[v]);
    return spare;
}

static int target(const emitter *e, int v) { return e->home[v] >= 0 ? e->home[v] : RAX; }

static void constant(emitter *e, int reg, int64_t v)
{
    if (v == 0) registers(e, 0, 0x31, reg, reg);
    else if (v < 0) {
        registers(e, 1, 0xc7, 0, reg);
        number(e, v, 4);
    } else {
        opcode(e, 0, 0xb8 + (reg & 7), 0, 0, reg, 0);
        number(e, v, 4);
    }
}

static void immediate(emitter *e, int wide, int which, int reg, int64_t v)   /* add, or, cmp ... */
{
    const int small = v == (int8_t)v;
    registers(e, wide, small ? 0x83 : 0x81, which, reg);
    number(e, v, small ? 1 : 4);
}

/* ----- instructions ----- */

static void divide(emitter *e, const insn *n)
{
    const int is_signed = n->op == OP_DIV || n->op == OP_MOD;
    int by = RCX;
    if (n->use[1] == NONE) constant(e, RCX, n->imm);
    else by = source(e, n->use[1], RCX);
    move(e, RAX, e->home[n->use[0]]);
    if (is_signed) byte(e, 0x99);
    else constant(e, RDX, 0);
    registers(e, 0, 0xf7, is_signed ? 7 : 6, by);
    move(e, e->home[n->dst], n->op == OP_DIV || n->op == OP_UDIV ? RAX : RDX);
}

static void arithmetic(emitter *e, const insn *n)
{
    static const int code[] = { 0x01, 0x29, 0x0faf, 0x21, 0x09, 0x31, 4, 5, 7 }, group[] = { 0, 5, 0, 4, 1, 6 };
    const int k = (int)n->op - (int)OP_ADD;
    int a = source(e, n->use[0], RAX), b = n->use[1] == NONE ? NONE : source(e, n->use[1], RCX), to = target(e, n->dst);
    if (n->op == OP_MUL && b == NONE) {
        registers(e, n->wide, 0x69, to, a);
        number(e, n->imm, 4);
    } else if (n->op == OP_ADD && to != a && to != b && b == NONE) memory(e, n->wide, 0x8d, to, a, NONE, 1, n->imm, 0);
    else if (n->op == OP_ADD && to != a && to != b) memory(e, n->wide, 0x8d, to, a, b, 1, 0, 0);
    else {
        if (n->op >= OP_SHL && b != NONE) move(e, b = RCX, source(e, n->use[1], RCX));
        if (to == b && to != a && n->op != OP_SUB && n->op < OP_SHL) {
            b = a;
            a = to;
        }
        if (to == b && to != a) to = RAX;
        move(e, to, a);
        if (n->op >= OP_SHL) {
            registers(e, n->wide, b == NONE ? 0xc1 : 0xd3, code[k], to);
            if (b == NONE) number(e, n->imm & 63, 1);
        } else if (b == NONE) immediate(e, n->wide, group[k], to, n->imm);
        else if (n->op == OP_MUL) registers(e, n->wide, code[k], to, b);
        else registers(e, n->wide, code[k], b, to);
    }
    move(e, e->home[n->dst], to);
}

static void load_store(emitter *e, const insn *n)
{
    static const int load[] = { 0x8b, 0x8b, 0x8b, 0x0fbe, 0x0fb6 };
    const int size = size_of(n->type);
    int64_t disp = n->imm;
    int base = NONE, index = NONE, reg;
    if (n->place == IN_REGISTER) base = source(e, n->use[0], RDX);
    if (n->place == IN_FRAME) {
        base = RBP;
        disp += -8 * e->saved - e->f->frame + n->symbol;
    }
    if (n->use[1] != NONE) registers(e, 1, 0x63, index = RCX, source(e, n->use[1], RCX));
    if (n->op == OP_STORE) {
        reg = source(e, n->use[2], RAX);
        memory(e, 0, size == 1 ? 0x88 : 0x89, reg, base, index, size, disp, n->symbol);
        return;
    }
    reg = target(e, n->dst);
    memory(e, 0, load[n->type], reg, base, index, size, disp, n->symbol);
    move(e, e->home[n->dst], reg);
}

static void compare(emitter *e, const insn *n)
{
    const int a = source(e, n->use[0], RAX);
    if (n->use[1] != NONE) registers(e, n->wide, 0x39, source(e, n->use[1], RCX), a);
    else if (n->imm == 0) registers(e, n->wide, 0x85, a, a);
    else immediate(e, n->wide, 7, a, n->imm);
}

static void add_probe(emitter *e, const insn *n, int kind)
{
    text *t = e->t;
    csspgo_probe *p;
    t->probe = (csspgo_probe *)room(t->probe, t->probes, &t->probe_cap, sizeof *t->probe);
    p = &t->probe[t->probes++];
    memset(p, 0, sizeof *p);
    p->address = t->size;
    p->id = (uint32_t)n->imm;
    p->inline_node = (uint32_t)n->node + 1;
    p->kind = (uint8_t)kind;
}

static void call(emitter *e, const insn *n)
{
    int to[ARGUMENTS], from[ARGUMENTS], count = 0, i;
    for (i = 0; i < ARGUMENTS; i++) {
        if (n->use[i] == NONE) continue;
        to[count] = argument[i];
        from[count++] = e->home[n->use[i]];
    }
    move_all(e, to, from, count);
    constant(e, RAX, 0);                              /* printf and the like: no floating-point arguments */
    if (n->imm != 0) add_probe(e, n, CSSPGO_PROBE_DIRECT_CALL);
    byte(e, 0xe8);
    add_fixup(e, FIX_CALL, n->symbol, -4);
    if (n->dst != NONE) move(e, e->home[n->dst], RAX);
}

static void leave(emitter *e)
{
    int i;
    if (e->saved != 0) {
        memory(e, 1, 0x8d, RSP, RBP, NONE, 1, -8 * e->saved, 0);
        for (i = e->saved; i-- > 0;) opcode(e, 0, 0x58 + (e->saves[i] & 7), 0, 0, e->saves[i], 0);
        byte(e, 0x5d);
    } else byte(e, 0xc9);
    byte(e, 0xc3);
}

static void jump(emitter *e, int cc, int block)       /* cc NONE: always */
{
    if (cc == NONE) byte(e, 0xe9);
    else {
        byte(e, 0x0f);
        byte(e, 0x80 + cc);
    }
    e->branch = (branch_to *)room(e->branch, e->branches, &e->branch_cap, sizeof *e->branch);
    e->branch[e->branches].at = e->t->size;
    e->branch[e->branches++].block = block;
    number(e, 0, 4);
}

static void instruction(emitter *e, const insn *n, int next)
{
    int to;
    switch (n->op) {
    case OP_CONST: to = target(e, n->dst); constant(e, to, n->imm); move(e, e->home[n->dst], to); break;
    case OP_COPY: move(e, e->home[n->dst], source(e, n->use[0], RAX)); break;
    case OP_EXTEND:
        to = target(e, n->dst);
        registers(e, 1, 0x63, to, source(e, n->use[0], RAX));
        move(e, e->home[n->dst], to);
        break;
    case OP_DIV: case OP_MOD: case OP_UDIV: case OP_UMOD: divide(e, n); break;
    case OP_SET:
        compare(e, n);
        registers(e, 0, 0x0f90 + n->cc, 0, RAX);
        to = target(e, n->dst);
        registers(e, 0, 0x0fb6, to, RAX);
        move(e, e->home[n->dst], to);
        break;
    case OP_ADDRESS:
        to = target(e, n->dst);
        if (n->place == IN_FRAME)
            memory(e, 1, 0x8d, to, RBP, NONE, 1, -8 * e->saved - e->f->frame + n->symbol, 0);
        else {
            opcode(e, 0, 0xb8 + (to & 7), 0, 0, to, 0);
            add_fixup(e, FIX_32, n->symbol, 0);
        }
        move(e, e->home[n->dst], to);
        break;
    case OP_LOAD: case OP_STORE: load_store(e, n); break;
    case OP_CALL: call(e, n); break;
    case OP_PROBE: add_probe(e, n, CSSPGO_PROBE_BLOCK); break;
    case OP_JUMP:
        if (n->to[0] != next) jump(e, NONE, n->to[0]);
        break;
    case OP_BRANCH:
        compare(e, n);
        if (n->to[0] == next) jump(e, n->cc ^ 1, n->to[1]);
        else jump(e, n->cc, n->to[0]);
        if (n->to[0] != next && n->to[1] != next) jump(e, NONE, n->to[1]);
        break;
    case OP_RETURN:
        move(e, RAX, e->home[n->use[0]]);
        leave(e);
        break;
    default: arithmetic(e, n);
    }
}

static void enter(emitter *e)
{
    int to[ARGUMENTS], from[ARGUMENTS], n = 0, i, room_for = e->f->frame + 8 * e->slots;
    room_for += (8 * e->saved + room_for) % 16;
    byte(e, 0x55);
    registers(e, 1, 0x89, RSP, RBP);
    for (i = 0; i < e->saved; i++) opcode(e, 0, 0x50 + (e->saves[i] & 7), 0, 0, e->saves[i], 0);
    if (room_for != 0) immediate(e, 1, 5, RSP, room_for);
    for (i = 0; i < e->f->params; i++) {
        if (!e->enters[i]) continue;
        to[n] = e->home[i];
        from[n++] = argument[i];
    }
    move_all(e, to, from, n);
}

/*
 * The code of a function, blocks in the order given, at the end of t; its probes replace those in t. A block without
 * code would share its address with the next one, which may run more often: it gets a nop.
 */
uint64_t emit_function(text *t, function *f, const int *order, int n)
{
    emitter e;
    int *preds = (int *)zeros((size_t)f->blocks, sizeof *preds), to[2], i, k;
    uint64_t begin;
    memset(&e, 0, sizeof e);
    e.t = t;
    e.f = f;
    t->probes = 0;
    e.begin = (uint64_t *)zeros((size_t)f->blocks, sizeof *e.begin);
    for (i = 0; i < n; i++)
        for (k = successors(&f->block[order[i]], to); k-- > 0;) preds[to[k]]++;
    allocate(&e);
    while (t->size % 16 != 0) byte(&e, 0xcc);
    begin = t->size;
    enter(&e);
    for (i = 0; i < n; i++) {
        const block *b = &f->block[order[i]];
        const int next = i + 1 < n ? order[i + 1] : NONE;
        e.begin[order[i]] = t->size;
        for (k = 0; k < b->n; k++) instruction(&e, &b->v[k], next);
        if (t->size == e.begin[order[i]] && preds[next] > 1) byte(&e, 0x90);
    }
    for (i = 0; i < e.branches; i++) {
        const uint64_t d = e.begin[e.branch[i].block] - (e.branch[i].at + 4);
        for (k = 0; k < 4; k++) t->byte[e.branch[i].at + (uint64_t)k] = (unsigned char)(d >> 8 * k & 255);
    }
    free(e.branch);
    free(e.begin);
    free(e.home);
    free(preds);
    return begin;
}
