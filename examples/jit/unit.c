/* unit.c - what is compiled at once: a function with what is inlined into it, and where its registers live
 *
 * Inlining is renaming: the callee's instructions are copied with registers and
 * labels of their own. Both tiers build units; tier 1 inlines nothing and guesses how often blocks run.
 */
#include "jit.h"

#if JIT_MACHINE

const int machine_regs[MACHINE_REGS] = { RSI, RDI, R8, R8 + 1, R8 + 2, R8 + 3, R8 + 4, R8 + 5, R8 + 6, R8 + 7 };

void *room(void *old, size_t count, size_t *cap, size_t size)
{
    if (count < *cap) return old;
    *cap = count < 32 ? 64 : count * 2;
    old = realloc(old, *cap * size);
    if (old == NULL) abort();
    return old;
}

void unit_free(unit *u)
{
    free(u->code);
    free(u->weight);
    free(u->copy);
    free(u->place);
    memset(u, 0, sizeof *u);
}

/* ----- building --------------------------------------------------------------------------------------------------- */

/* How often the instruction runs per call if every loop runs 8 times. */
uint64_t guess(const func *f, uint32_t at)
{
    uint64_t times = 1;
    uint32_t i;
    for (i = at; i < f->count; i++)
        if (f->code[i].op >= OP_JMP && f->code[i].op <= OP_JEQ && f->code[i].target <= at && times < 1 << 18)
            times *= 8;
    return times;
}

/* How often a block of a copy runs, without a profile per call. */
static uint64_t block_weight(const builder *b, const unit_copy *c, uint32_t at)
{
    const func *f = &b->p->f[c->func];
    uint64_t count;
    if (b->plan->profile != NULL) {
        count = csspgo_body_count(b->plan->profile, c->node, csspgo_loc_at(f->code[at].block, 0));
        return 1 + (c->den == 0 ? count : (uint64_t)((double)count * (double)c->num / (double)c->den));
    }
    return guess(f, at);
}

static insn *unit_add(unit *u, uint32_t o, const insn *like, uint64_t weight)
{
    size_t cap = u->cap;
    insn *n;
    u->weight = (uint64_t *)room(u->weight, u->count, &cap, sizeof *u->weight);
    u->code = (insn *)room(u->code, u->count, &u->cap, sizeof *u->code);
    u->weight[u->count] = weight;
    n = &u->code[u->count++];
    memset(n, 0, sizeof *n);
    n->op = (uint8_t)o;
    n->copy = like->copy;
    n->block = like->block;
    n->counter = like->counter;
    return n;
}

/* Decision number k (from 0) at a call of a copy; callee MAX_FUNCS: any. Its number from 1, or 0. */
static uint32_t decision_at(const builder *b, uint32_t copy, uint32_t site, uint32_t callee, uint32_t k)
{
    const uint32_t parent = b->u->copy[copy].decision;
    uint32_t i;
    for (i = 0; i < b->plan->decisions; i++) {
        const csspgo_inliner_decision *d = &b->plan->decision[i];
        if (d->parent != parent || d->loc.line != site) continue;
        if (callee != MAX_FUNCS && b->plan->func[callee].id != d->callee.id) continue;
        if (k-- == 0) return i + 1;
    }
    return 0;
}

static uint32_t func_of(const builder *b, csspgo_func f)
{
    uint32_t i = 0;
    while (b->plan->func[i].id != f.id) i++;
    return i;
}

uint32_t unit_copy_add(unit *u, const program *p, uint32_t func, uint32_t parent, uint32_t site)
{
    unit_copy *c;
    u->copy = (unit_copy *)room(u->copy, u->copies, &u->copy_cap, sizeof *u->copy);
    c = &u->copy[u->copies];
    memset(c, 0, sizeof *c);
    c->func = func;
    c->parent = parent;
    c->site = site;
    c->first_block = u->blocks;
    u->blocks += p->f[func].probes + 1;
    return (uint32_t)u->copies++;
}

static void unit_label(unit *u, uint32_t label, const insn *like, uint64_t weight)
{
    unit_add(u, OP_BLOCK, like, weight)->target = label;
}

/* The callee's code in place of a call (n, renamed), whose weight is w. A parameter that it never writes is the
   caller's register. Goes on at label `end`, which the caller of this sets. */
static void append_inlined(builder *b, const insn *n, uint32_t decision, uint32_t end, uint64_t w)
{
    const csspgo_inliner_decision *d = &b->plan->decision[decision - 1];
    const uint32_t callee = func_of(b, d->callee), copy = unit_copy_add(b->u, b->p, callee, n->copy, n->site);
    const func *f = &b->p->f[callee];
    unit_copy *c = &b->u->copy[copy];
    uint16_t map[MAX_REGS];
    uint32_t r;
    c->decision = decision;
    c->node = d->node;
    if (csspgo_node_parent(b->plan->profile, d->node).id == csspgo_root(b->plan->profile).id) {
        c->num = d->count;
        c->den = csspgo_tracker_entry_count(b->plan->tracker, d->node);
        if (c->den < c->num) c->den = 0;
    }
    for (r = 0; r < MAX_REGS; r++) {
        if (r < f->params && !(f->written & reg_bit(r))) { map[r] = n->arg[r]; continue; }
        map[r] = (uint16_t)b->u->regs;
        if (r < f->params || f->written & reg_bit(r)) b->u->regs++;
        if (r < f->params) {
            insn *move = unit_add(b->u, OP_MOV, n, w);
            move->d = map[r];
            move->a = n->arg[r];
        }
    }
    append_body(b, copy, map, n->d, end);
}

/* What follows when an indirect call is not to the target that was tried first. */
typedef struct slow_path {
    insn     call;                    /* renamed */
    uint64_t weight;
    uint32_t label, end, tried;
} slow_path;

/* One target of an indirect call, or the call itself. Returns 1 if another one must be tried at s->label. */
static int append_target(builder *b, slow_path *s)
{
    const uint32_t decision = decision_at(b, s->call.copy, s->call.site, MAX_FUNCS, s->tried++);
    insn *n;
    if (decision == 0) {
        n = unit_add(b->u, OP_ICALL, &s->call, s->weight);
        *n = s->call;
        return 0;
    }
    s->label = b->u->labels++;
    n = unit_add(b->u, OP_GUARD, &s->call, s->weight);
    n->a = s->call.a;
    n->value = func_of(b, b->plan->decision[decision - 1].callee);
    n->target = s->label;
    if (b->plan->decision[decision - 1].inlined) append_inlined(b, &s->call, decision, s->end, s->weight);
    else {
        n = unit_add(b->u, OP_CALL, &s->call, s->weight);
        *n = s->call;
        n->op = OP_CALL;
        n->target = func_of(b, b->plan->decision[decision - 1].callee);
    }
    return 1;
}

static void append_jump(unit *u, uint32_t label, const insn *like, uint64_t weight)
{
    unit_add(u, OP_JMP, like, weight)->target = label;
}

enum { MAX_SLOW = 32 };

static void append_call(builder *b, const insn *n, uint64_t weight, slow_path *slow, uint32_t *slows)
{
    const uint32_t end = b->u->labels++;
    const uint32_t direct = n->op == OP_CALL ? decision_at(b, n->copy, n->site, n->target, 0) : 0;
    if (direct != 0 && b->plan->decision[direct - 1].inlined) {
        append_inlined(b, n, direct, end, weight);
    } else if (n->op == OP_ICALL && *slows < MAX_SLOW && decision_at(b, n->copy, n->site, MAX_FUNCS, 0) != 0) {
        slow_path *s = &slow[*slows];
        memset(s, 0, sizeof *s);
        s->call = *n;
        s->weight = weight;
        s->end = end;
        append_target(b, s);
        ++*slows;
    } else *unit_add(b->u, n->op, n, weight) = *n;
    unit_label(b->u, end, n, weight);
}

/*
 * The code of a copy: registers renamed by map, its result to register `result` and on at label `end`; copy 0 returns.
 * Behind it stands what its indirect calls do when the guess was wrong.
 */
void append_body(builder *b, uint32_t copy, const uint16_t *map, uint16_t result, uint32_t end)
{
    unit *u = b->u;
    const func *f = &b->p->f[u->copy[copy].func];
    const uint32_t labels = u->labels;
    uint64_t weight = 0;
    slow_path *slow = (slow_path *)calloc(MAX_SLOW, sizeof *slow);
    uint32_t i, k, slows = 0;
    if (slow == NULL) abort();
    u->labels += f->count;
    for (i = 0; i < f->count; i++) {
        insn n = f->code[i];
        n.copy = copy;
        n.d = map[n.d];
        n.a = map[n.a];
        n.b = map[n.b];
        for (k = 0; k < n.args; k++) n.arg[k] = map[n.arg[k]];
        if (n.op >= OP_JMP && n.op <= OP_JEQ) n.target += labels;
        if (n.leads) {
            weight = block_weight(b, &u->copy[copy], i);
            unit_label(u, labels + i, &n, weight);
            u->code[u->count - 1].leads = 1;
        }
        if (n.op == OP_CALL || n.op == OP_ICALL) append_call(b, &n, weight, slow, &slows);
        else if (n.op == OP_RET && copy != 0) {
            insn *move = unit_add(u, OP_MOV, &n, weight);
            move->d = result;
            move->a = n.a;
            append_jump(u, end, &n, weight);
        } else *unit_add(u, n.op, &n, weight) = n;
    }
    for (i = 0; i < slows; i++) {
        int more = 1;
        while (more) {
            unit_label(u, slow[i].label, &slow[i].call, 1);
            slow[i].weight = 1 + slow[i].weight / 8;
            more = append_target(b, &slow[i]);
            append_jump(u, slow[i].end, &slow[i].call, 1);
        }
    }
    free(slow);
}

#endif
