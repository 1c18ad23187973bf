/* optimise.c - inlining, and what becomes simpler by it: copies, constants, branches, code without use */
#include "minic.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };

/* ----- blocks ----- */

int successors(const block *b, int to[2])
{
    const insn *last = b->n != 0 ? &b->v[b->n - 1] : NULL;
    if (last == NULL || last->op < OP_JUMP || last->op == OP_RETURN) return 0;
    to[0] = last->to[0];
    to[1] = last->to[1];
    return last->op == OP_BRANCH ? 2 : 1;
}

void mark_reached(function *f)
{
    int *todo = (int *)zeros((size_t)f->blocks * 2, sizeof *todo), n = 0, to[2], i, k;
    for (i = 0; i < f->blocks; i++) f->block[i].reached = 0;
    todo[n++] = 0;
    while (n != 0) {
        block *b = &f->block[todo[--n]];
        if (b->reached) continue;
        b->reached = 1;
        for (k = successors(b, to); k-- > 0;)
            if (!f->block[to[k]].reached) todo[n++] = to[k];
    }
    free(todo);
}

/* Blocks that only jump are passed by; a block that is entered by one jump only becomes part of the one before it. */
static void merge_blocks(function *f)
{
    int *preds = (int *)zeros((size_t)f->blocks, sizeof *preds), to[2], b, k, n;
    for (b = 0; b < f->blocks; b++) {
        insn *last = f->block[b].n != 0 ? &f->block[b].v[f->block[b].n - 1] : NULL;
        for (k = successors(&f->block[b], to); k-- > 0;)
            for (n = 0; n < f->blocks && f->block[last->to[k]].n == 1 && f->block[last->to[k]].v[0].op == OP_JUMP; n++)
                last->to[k] = f->block[last->to[k]].v[0].to[0];
        if (last != NULL && last->op == OP_BRANCH && last->to[0] == last->to[1]) last->op = OP_JUMP;
    }
    mark_reached(f);
    for (b = 0; b < f->blocks; b++)
        for (k = f->block[b].reached ? successors(&f->block[b], to) : 0; k-- > 0;) preds[to[k]]++;
    for (b = 0; b < f->blocks; b++) {
        block *from = &f->block[b], *next;
        while (from->reached && successors(from, to) == 1 && preds[to[0]] == 1 && to[0] != 0 && to[0] != b) {
            next = &f->block[to[0]];
            from->n--;
            for (k = 0; k < next->n; k++) *append(from, OP_JUMP) = next->v[k];
            if (next->count > from->count) from->count = next->count;
            next->n = next->reached = 0;
        }
    }
    for (b = 0; b < f->blocks; b++)
        if (!f->block[b].reached) f->block[b].n = 0;
    free(preds);
}

/* ----- inlining ----- */

function clone_of(const function *f, int number)
{
    function c = *f;
    int i;
    c.block = (block *)zeros((size_t)f->blocks, sizeof *c.block);
    c.block_cap = f->blocks;
    for (i = 0; i < f->blocks; i++) {
        c.block[i] = f->block[i];
        c.block[i].v = (insn *)zeros((size_t)f->block[i].cap, sizeof *c.block[i].v);
        memcpy(c.block[i].v, f->block[i].v, (size_t)f->block[i].n * sizeof *c.block[i].v);
    }
    c.node = NULL;
    c.nodes = c.node_cap = 0;
    c.node = (inlinee *)room(c.node, 0, &c.node_cap, sizeof *c.node);
    c.node[c.nodes++].function = number;
    return c;
}

static insn renamed(insn n, int node, int registers, int frame, int blocks)
{
    int k;
    if (n.dst != NONE) n.dst += registers;
    for (k = 0; k < ARGUMENTS; k++)
        if (n.use[k] != NONE) n.use[k] += registers;
    if (n.place == IN_FRAME) n.symbol += frame;
    if (n.op == OP_PROBE || n.op == OP_CALL) n.node = node;
    n.to[0] += blocks;
    n.to[1] += blocks;
    return n;
}

/* The call is replaced by the callee's blocks, which come behind block b, and then by what was left of b. */
static void inline_at(function *f, const function *callee, int b, int at, int node)
{
    const insn call = f->block[b].v[at];
    const int more = callee->blocks + 1, rest = b + more, registers = f->registers;
    block *from, *to;
    insn *n;
    int i, k;
    for (i = 0; i < more; i++) add_block(f);
    memmove(&f->block[b + 1 + more], &f->block[b + 1], (size_t)(f->blocks - b - 1 - more) * sizeof *f->block);
    memset(&f->block[b + 1], 0, (size_t)more * sizeof *f->block);
    for (i = 0; i < f->blocks; i++)
        for (k = f->block[i].n - 1; k >= 0 && f->block[i].v[k].op >= OP_JUMP; k--) {
            if (f->block[i].v[k].to[0] > b) f->block[i].v[k].to[0] += more;
            if (f->block[i].v[k].to[1] > b) f->block[i].v[k].to[1] += more;
        }
    from = &f->block[b];
    to = &f->block[rest];
    to->depth = from->depth;
    to->count = from->count;
    for (i = at + 1; i < from->n; i++) *append(to, OP_JUMP) = from->v[i];
    from->n = at;
    for (i = 0; i < callee->params; i++) {
        if (call.use[i] == NONE) continue;
        n = append(from, OP_COPY);
        n->dst = registers + i;
        n->use[0] = call.use[i];
    }
    append(from, OP_JUMP)->to[0] = b + 1;
    for (i = 0; i < callee->blocks; i++) {
        to = &f->block[b + 1 + i];
        to->depth = callee->block[i].depth + f->block[b].depth;
        for (k = 0; k < callee->block[i].n; k++) {
            n = append(to, OP_JUMP);
            *n = renamed(callee->block[i].v[k], node, registers, f->frame, b + 1);
            if (n->op != OP_RETURN) continue;
            n->op = OP_COPY;
            n->dst = call.dst;
            append(to, OP_JUMP)->to[0] = rest;
        }
    }
    f->registers += callee->registers;
    f->frame += callee->frame;
}

int inline_call(function *f, const unit *u, int node, int site)
{
    int b, i, k;
    for (b = 0; b < f->blocks; b++)
        for (i = 0; i < f->block[b].n; i++) {
            const insn *n = &f->block[b].v[i];
            if (n->op != OP_CALL || n->node != node || n->imm != site || !u->f[n->symbol].defined) continue;
            if (f->frame + u->f[n->symbol].frame > MOST_FRAME) return NONE;
            f->node = (inlinee *)room(f->node, f->nodes, &f->node_cap, sizeof *f->node);
            k = f->nodes++;
            f->node[k].function = n->symbol;
            f->node[k].parent = node;
            f->node[k].site = site;
            inline_at(f, &u->f[n->symbol], b, i, k);
            return k;
        }
    return NONE;
}

/* Without a profile: small functions, except into themselves. */
void inline_small(function *f, const unit *u)
{
    int b, i;
    for (b = 0; b < f->blocks; b++)
        for (i = 0; i < f->block[b].n; i++) {
            const insn n = f->block[b].v[i];
            int up = n.node;
            if (n.op != OP_CALL || !u->f[n.symbol].defined || u->f[n.symbol].size > SMALL) continue;
            while (up != 0 && f->node[up].function != n.symbol) up = f->node[up].parent;
            if (f->node[up].function != n.symbol) inline_call(f, u, n.node, (int)n.imm);
        }
}

/* ----- constants and copies ----- */

int fold(op o, int wide, int64_t a, int64_t b, int64_t *result)
{
    const uint64_t x = wide ? (uint64_t)a : (uint32_t)a, y = wide ? (uint64_t)b : (uint32_t)b;
    const unsigned shift = (unsigned)(y & (wide ? 63 : 31));
    uint64_t r;
    if (o >= OP_DIV && (b == 0 || b == -1)) return 0;
    switch (o) {
    case OP_ADD: r = x + y; break;
    case OP_SUB: r = x - y; break;
    case OP_MUL: r = x * y; break;
    case OP_AND: r = x & y; break;
    case OP_OR: r = x | y; break;
    case OP_XOR: r = x ^ y; break;
    case OP_SHL: r = x << shift; break;
    case OP_SHR: r = x >> shift; break;
    case OP_SAR: r = (uint64_t)(a >> shift); break;
    case OP_DIV: r = (uint64_t)(a / b); break;
    case OP_MOD: r = (uint64_t)(a % b); break;
    case OP_UDIV: r = x / y; break;
    case OP_UMOD: r = x % y; break;
    default: return 0;
    }
    *result = wide ? (int64_t)r : (int32_t)(uint32_t)r;
    return 1;
}

static int holds(int cc, int wide, int64_t a, int64_t b)
{
    const uint64_t x = wide ? (uint64_t)a : (uint32_t)a, y = wide ? (uint64_t)b : (uint32_t)b;
    const int less = cc >= CC_LESS ? a < b : x < y;
    if (cc == CC_EQUAL || cc == CC_UNEQUAL) return (x == y) == (cc == CC_EQUAL);
    if (cc == CC_BELOW || cc == CC_BELOW + 1 || cc == CC_LESS || cc == CC_LESS + 1) return less == !(cc & 1);
    return (less || x == y) == !(cc & 1);
}

/* What a register holds: a constant (from == NONE), or what another one holds. */
typedef struct known { int is, from; int64_t imm; } known;

static int constant_in(const known *v, int r, int64_t *imm)
{
    if (r == NONE || !v[r].is || v[r].from != NONE) return 0;
    *imm = v[r].imm;
    return 1;
}

static void becomes(insn *n, op o, int use, int64_t imm)
{
    n->op = o;
    n->use[0] = use;
    n->use[1] = NONE;
    n->imm = imm;
}

static void simplify_binary(insn *n, const known *v)
{
    int64_t a, r;
    int k = 0;
    if (n->op <= OP_XOR && n->op != OP_SUB && n->use[1] != NONE && constant_in(v, n->use[0], &a)) {
        n->use[0] = n->use[1];
        n->use[1] = NONE;
        n->imm = a;
    }
    if (n->use[1] != NONE) return;
    if (constant_in(v, n->use[0], &a) && fold(n->op, n->wide, a, n->imm, &r)) {
        becomes(n, OP_CONST, NONE, r);
        return;
    }
    while (k < 31 && (int64_t)1 << k < n->imm) k++;
    if ((int64_t)1 << k == n->imm && n->op == OP_MUL) becomes(n, OP_SHL, n->use[0], k);
    if ((int64_t)1 << k == n->imm && n->op == OP_UDIV) becomes(n, OP_SHR, n->use[0], k);
    if ((int64_t)1 << k == n->imm && n->op == OP_UMOD) becomes(n, OP_AND, n->use[0], n->imm - 1);
    if (n->imm == 0 && n->op < OP_DIV && n->op != OP_MUL && n->op != OP_AND) becomes(n, OP_COPY, n->use[0], 0);
}

static void simplify(insn *n, const known *v)
{
    int64_t a;
    int i;
    for (i = 0; i < ARGUMENTS; i++) {
        if (n->use[i] == NONE || !v[n->use[i]].is) continue;
        if (v[n->use[i]].from != NONE) n->use[i] = v[n->use[i]].from;
        if (i != 1 || !constant_in(v, n->use[1], &a)) continue;
        if (n->op == OP_LOAD || n->op == OP_STORE) {
            if (n->imm + a * size_of(n->type) != (int32_t)(n->imm + a * size_of(n->type))) continue;
            n->imm += a * size_of(n->type);
            n->use[1] = NONE;
        } else if (n->op != OP_CALL) {
            n->imm = a;
            n->use[1] = NONE;
        }
    }
    if (n->op >= OP_ADD && n->op <= OP_UMOD) simplify_binary(n, v);
    else if ((n->op == OP_COPY || n->op == OP_EXTEND) && constant_in(v, n->use[0], &a)) becomes(n, OP_CONST, NONE, a);
    else if ((n->op == OP_SET || n->op == OP_BRANCH) && n->use[1] == NONE && constant_in(v, n->use[0], &a)) {
        const int yes = holds(n->cc, n->wide, a, n->imm);
        if (n->op == OP_BRANCH) n->to[0] = n->to[!yes];
        becomes(n, n->op == OP_SET ? OP_CONST : OP_JUMP, NONE, n->op == OP_SET ? yes : 0);
    }
}

/*
 * A register that is set in one place holds the same everywhere; another one until it, or the one that it is a copy
 * of, is set again in this block.
 */
static void propagate(function *f)
{
    known *v = (known *)zeros((size_t)f->registers, sizeof *v);
    int *sets = (int *)zeros((size_t)f->registers, sizeof *sets);
    int *local = (int *)zeros((size_t)f->registers, sizeof *local), locals, b, i, k;
    for (i = 0; i < f->params; i++) sets[i]++;
    for (b = 0; b < f->blocks; b++)
        for (i = 0; i < f->block[b].n; i++)
            if (f->block[b].v[i].dst != NONE) sets[f->block[b].v[i].dst]++;
    for (b = 0; b < f->blocks; b++) {
        for (i = locals = 0; i < f->block[b].n; i++) {
            insn *n = &f->block[b].v[i];
            int only, keep = 0;
            simplify(n, v);
            if (n->dst == NONE) continue;
            for (k = 0; k < locals; k++) {            /* what this changes is not known any more */
                if (local[k] == n->dst || v[local[k]].from == n->dst) v[local[k]].is = 0;
                if (v[local[k]].is) local[keep++] = local[k];
            }
            locals = keep;
            if ((n->op != OP_CONST && n->op != OP_COPY) || n->use[0] == n->dst) continue;
            only = sets[n->dst] == 1 && (n->op == OP_CONST || sets[n->use[0]] == 1);
            v[n->dst].is = 1;
            v[n->dst].from = n->use[0];
            v[n->dst].imm = n->imm;
            if (!only) local[locals++] = n->dst;
        }
        for (k = 0; k < locals; k++) v[local[k]].is = 0;
    }
    free(local);
    free(sets);
    free(v);
}

/* ----- live registers ----- */

static int get(const uint64_t *set, int i) { return (int)(set[i / 64] >> i % 64 & 1); }
static void put(uint64_t *set, int i) { set[i / 64] |= (uint64_t)1 << i % 64; }
static void drop(uint64_t *set, int i) { set[i / 64] &= ~((uint64_t)1 << i % 64); }

/* From behind an instruction to before it. */
static void step_back(uint64_t *live, const insn *n)
{
    int k;
    if (n->dst != NONE) drop(live, n->dst);
    for (k = 0; k < ARGUMENTS; k++)
        if (n->use[k] != NONE) put(live, n->use[k]);
}

/* Registers that live at the end of each block, words of 64 bits for each. */
static uint64_t *live_ends(const function *f, int words)
{
    uint64_t *end = (uint64_t *)zeros((size_t)f->blocks * (size_t)words, sizeof *end);
    uint64_t *begin = (uint64_t *)zeros((size_t)f->blocks * (size_t)words, sizeof *begin);
    uint64_t *now = (uint64_t *)zeros((size_t)words, sizeof *now);
    int changed = 1, b, i, k, to[2];
    while (changed) {
        changed = 0;
        for (b = f->blocks; b-- > 0;) {
            for (k = successors(&f->block[b], to); k-- > 0;)
                for (i = 0; i < words; i++) end[b * words + i] |= begin[to[k] * words + i];
            memcpy(now, end + b * words, (size_t)words * sizeof *now);
            for (i = f->block[b].n; i-- > 0;) step_back(now, &f->block[b].v[i]);
            changed |= memcmp(begin + b * words, now, (size_t)words * sizeof *now) != 0;
            memcpy(begin + b * words, now, (size_t)words * sizeof *now);
        }
    }
    free(begin);
    free(now);
    return end;
}

static void drop_unused(function *f)
{
    const int words = f->registers / 64 + 1;
    uint64_t *end = live_ends(f, words);
    int b, i, n;
    for (b = 0; b < f->blocks; b++) {
        block *at = &f->block[b];
        for (i = at->n; i-- > 0;) {
            insn *x = &at->v[i];
            if (x->op == OP_CALL && !get(end + b * words, x->dst == NONE ? 0 : x->dst)) x->dst = NONE;
            if (x->op < OP_STORE && (x->dst == NONE || !get(end + b * words, x->dst))) x->op = OP_PROBE, x->imm = 0;
            else if (x->op == OP_COPY && x->dst == x->use[0]) x->op = OP_PROBE, x->imm = 0;
            if (x->op != OP_PROBE) step_back(end + b * words, x);
        }
        for (i = n = 0; i < at->n; i++)               /* probe 0 marks what goes */
            if (at->v[i].op != OP_PROBE || at->v[i].imm != 0) at->v[n++] = at->v[i];
        at->n = n;
    }
    free(end);
}

void optimise(function *f)
{
    int i;
    for (i = 0; i < ROUNDS; i++) {
        merge_blocks(f);
        propagate(f);
        drop_unused(f);
    }
    merge_blocks(f);
}

/*
 * Where each register lives, as a set of positions. Each block begins with two of them, each instruction has two: while
 * it works, and behind it. What an instruction uses last and what it sets may be in one place.
 */
uint64_t *live_ranges(function *f, int *words, int *positions)
{
    const int sets = f->registers / 64 + 1;
    uint64_t *live = live_ends(f, sets), *range;
    int b, i, r, at, begin = 0;
    for (b = *positions = 0; b < f->blocks; b++) *positions += 2 * (f->block[b].n + 1);
    *words = *positions / 64 + 1;
    range = (uint64_t *)zeros((size_t)f->registers * (size_t)*words, sizeof *range);
    for (b = 0; b < f->blocks; b++) {
        uint64_t *now = live + b * sets;
        for (i = f->block[b].n; i >= 0; i--) {
            const insn *n = i != 0 ? &f->block[b].v[i - 1] : NULL;
            at = begin + 2 * i;
            if (n != NULL && n->dst != NONE) put(range + n->dst * *words, at + 1);
            for (r = 0; r < f->registers; r++) {
                if (!get(now, r)) continue;
                put(range + r * *words, at + 1);
                if (n == NULL || n->dst != r) put(range + r * *words, at);
            }
            if (n == NULL) continue;
            step_back(now, n);
        }
        begin += 2 * (f->block[b].n + 1);
    }
    free(live);
    return range;
}
