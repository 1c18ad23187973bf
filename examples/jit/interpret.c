/* interpret.c - the interpreter, and the true counts by calling context */
#include "jit.h"

static uint32_t truth_child(truth *t, const program *p, uint32_t parent, uint32_t site, uint32_t f)
{
    uint32_t id;
    truth_node *n;
    for (id = t->count == 0 ? 0 : t->node[parent].child; id != 0; id = t->node[id].next)
        if (t->node[id].site == site && t->node[id].func == f) return id;
    if (t->count + 2 > t->cap) {
        t->cap = t->cap == 0 ? 64 : t->cap * 2;
        t->node = (truth_node *)realloc(t->node, t->cap * sizeof *t->node);
        if (t->node == NULL) abort();
    }
    if (t->count == 0) memset(&t->node[t->count++], 0, sizeof *t->node);
    n = &t->node[t->count];
    memset(n, 0, sizeof *n);
    n->count = (uint64_t *)calloc(p->f[f].probes + 1, sizeof *n->count);
    if (n->count == NULL) abort();
    n->parent = parent;
    n->site = site;
    n->func = f;
    n->next = t->node[parent].child;
    t->node[parent].child = t->count;
    return t->count++;
}

static uint32_t truth_enter(truth *t, const program *p, uint32_t parent, uint32_t site, uint32_t f)
{
    const uint32_t id = truth_child(t, p, parent, site, f);
    t->node[id].count[0]++;
    return id;
}

/* ----- interpreter ------------------------------------------------------------------------------------------------ */

static int64_t arithmetic(uint32_t o, int64_t x, int64_t y)
{
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (o) {
    case OP_ADD: return (int64_t)(a + b);
    case OP_SUB: return (int64_t)(a - b);
    case OP_MUL: return (int64_t)(a * b);
    case OP_AND: return (int64_t)(a & b);
    case OP_OR:  return (int64_t)(a | b);
    case OP_XOR: return (int64_t)(a ^ b);
    case OP_SHL: return (int64_t)(a << (b & 63));
    default:     return (int64_t)(a >> (b & 63));
    }
}

/* Enters a function whose arguments are registers of the frame below. 0: too deep. */
static int interpret_call(const program *p, frame *stack, uint32_t *depth, uint32_t callee, const insn *n, truth *t,
                          counting *c)
{
    frame *from = &stack[*depth], *to;
    uint32_t k;
    if (*depth + 1 == MAX_FRAMES) return 0;
    to = &stack[++*depth];
    for (k = 0; k < n->args; k++) to->r[k] = from->r[n->arg[k]];
    to->f = &p->f[callee];
    to->at = 0;
    if (t != NULL) to->node = truth_enter(t, p, from->node, n->site, callee);
    if (c != NULL) {
        csspgo_ctx_call(&c->thread, from->counters, &c->fn[from->f - p->f], n->call, &c->token[callee]);
        to->counters = counting_enter(c, callee);
    }
    return 1;
}

/* Runs function f on one argument. t: NULL, or counts what runs; c: the same with csspgo's runtime. */
outcome interpret(const program *p, int64_t *array, uint32_t f, int64_t argument, truth *t, counting *c)
{
    frame *stack = (frame *)calloc(MAX_FRAMES, sizeof *stack);
    outcome out = { 0, 1 };
    uint32_t depth = 0;
    csspgo_ctx_mark mark;
    if (stack == NULL) abort();
    memset(&mark, 0, sizeof mark);
    if (c != NULL) mark = csspgo_ctx_thread_mark(&c->thread);
    stack[0].r[0] = argument;
    stack[0].f = &p->f[f];
    if (t != NULL) stack[0].node = truth_enter(t, p, 0, 0, f);
    if (c != NULL) stack[0].counters = counting_enter(c, f);
    for (;;) {
        frame *now = &stack[depth];
        int64_t *r = now->r;
        const insn *n = &now->f->code[now->at++];
        const int64_t y = n->has_value ? n->value : r[n->b];
        uint64_t at;
        if (t != NULL && n->leads) t->node[now->node].count[n->block]++;
        if (t != NULL && n->site != 0) t->node[now->node].count[n->site]++;
        if (c != NULL && n->leads && n->counter != 0) csspgo_ctx_count(now->counters, n->counter, 1);
        switch (n->op) {
        case OP_MOV:   r[n->d] = r[n->a]; break;
        case OP_CONST: r[n->d] = n->value; break;
        case OP_FREF:  r[n->d] = (int64_t)n->target; break;
        case OP_LOAD: case OP_STORE:
            at = (uint64_t)r[n->a] + (uint64_t)n->value;
            if (at >= WORDS) goto done;
            if (n->op == OP_LOAD) r[n->d] = array[at]; else array[at] = r[n->b];
            break;
        case OP_JMP: now->at = n->target; break;
        case OP_JLT: if (r[n->a] < y) now->at = n->target; break;
        case OP_JEQ: if (r[n->a] == y) now->at = n->target; break;
        case OP_CALL:
            if (!interpret_call(p, stack, &depth, n->target, n, t, c)) goto done;
            break;
        case OP_ICALL:
            at = (uint64_t)r[n->a];
            if (at >= p->count || p->f[at].params != n->args || !p->f[at].referred) goto done;
            if (!interpret_call(p, stack, &depth, (uint32_t)at, n, t, c)) goto done;
            break;
        case OP_RET:
            out.value = r[n->a];
            if (c != NULL) counting_leave(c, (uint32_t)(now->f - p->f));
            if (depth-- == 0) { out.trapped = 0; goto done; }
            stack[depth].r[stack[depth].f->code[stack[depth].at - 1].d] = out.value;
            break;
        default: r[n->d] = arithmetic(n->op, r[n->a], y); break;
        }
    }
done:
    if (c != NULL) csspgo_ctx_thread_unwind(&c->thread, mark);
    free(stack);
    return out;
}
