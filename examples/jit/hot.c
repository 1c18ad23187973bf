/* hot.c - what binds the hottest loop of tier-2 code
 *
 * Every instruction of the loop becomes one of a generic machine (csspgo_sim_generic_ooo), registers are those of the
 * unit: structs in, structs out. That ranks the loops' chains; it does not predict times, because the generator makes up
 * to four machine instructions of one, and no real processor is like this one.
 */
#include "jit.h"

#if JIT_MACHINE

static csspgo_sim_class class_of(const insn *n)
{
    return n->op == OP_MUL ? CSSPGO_SIM_MULTIPLY : n->op == OP_LOAD ? CSSPGO_SIM_READ
         : n->op == OP_STORE ? CSSPGO_SIM_WRITE : CSSPGO_SIM_INTEGER;
}

/*
 * The hot path of the loop that ends with the jump at `end`: instructions that run at least half as often as the jump.
 * Returns their number; 0 if the jump leads forwards, or if the path has calls, another loop or too many instructions.
 */
static uint32_t hot_path(const unit *u, uint32_t end, uint32_t *path)
{
    uint32_t begin, i, k, n = 0;
    for (begin = 0; begin < end; begin++)
        if (u->code[begin].op == OP_BLOCK && u->code[begin].target == u->code[end].target) break;
    for (i = begin; i < end + (begin < end); i++) {
        const insn *x = &u->code[i];
        if (u->weight[i] < u->weight[end] / 2 || x->op == OP_BLOCK) continue;
        if (x->op == OP_CALL || x->op == OP_ICALL || x->op == OP_RET || n == MAX_HOT) return 0;
        for (k = begin; i != end && x->op >= OP_JMP && x->op <= OP_JEQ && k < i; k++)
            if (u->code[k].op == OP_BLOCK && u->code[k].target == x->target) return 0;
        path[n++] = i;
    }
    return n;
}

/* The analysis of a loop. Returns 0 if memory is exhausted. */
static int analyze(hot_loop *h)
{
    const csspgo_sim_machine machine = csspgo_sim_generic_ooo();
    csspgo_sim_instruction x[MAX_HOT];
    csspgo_sim_def def[MAX_HOT];
    uint32_t read[MAX_HOT][MAX_PARAMS + 1], i, k;
    csspgo_bottleneck *b;
    int ok;
    for (i = 0; i < h->count; i++) {
        uint16_t reads[MAX_PARAMS + 1];
        x[i] = csspgo_sim_generic_instruction(class_of(&h->code[i]));
        x[i].reads = op_reads(&h->code[i], reads);
        for (k = 0; k < x[i].reads; k++) read[i][k] = reads[k];
        x[i].read = read[i];
        def[i].reg = h->code[i].d;
        def[i].latency = x[i].latency;
        x[i].def = &def[i];
        x[i].defs = op_writes(h->code[i].op);
    }
    ok = csspgo_bottleneck_find_bounds(&machine, x, h->count, NULL, &h->bounds, h->chain, MAX_HOT, NULL) == CSSPGO_OK;
    b = ok ? csspgo_bottleneck_simulate(&machine, x, h->count, HOT_ITERATIONS, NULL, NULL) : NULL;
    if (b == NULL) return 0;
    h->cycles = csspgo_bottleneck_get_stats(b).cycles;
    csspgo_bottleneck_free(b);
    return 1;
}

/* Takes the hottest loop of a unit that was built from a profile, if it is hotter than h. */
void hot_look(hot_loop *h, const unit *u, uint32_t func)
{
    uint32_t path[MAX_HOT], end, n, i, best = 0;
    for (end = 0; end < u->count; end++) {
        uint64_t weight = 0;
        if (u->code[end].op < OP_JMP || u->code[end].op > OP_JEQ || (n = hot_path(u, end, path)) == 0) continue;
        for (i = 0; i < n; i++) weight += u->weight[path[i]];
        if (weight <= h->weight) continue;
        h->weight = weight;
        h->func = func;
        h->count = best = n;
        for (i = 0; i < n; i++) h->code[i] = u->code[path[i]];
    }
    if (best != 0 && !analyze(h)) h->count = 0;
}

/* "fold: hottest loop in main, 5 instructions: bound by the latency chain ...", and the chain, to text. */
void hot_say(const hot_loop *h, const program *p, const char *name, char *to, size_t cap)
{
    static const char *const by[] = { "nothing", "the latency chain", "the ports", "issue" };
    const csspgo_bottleneck_bounds *b = &h->bounds;
    char text[64];
    size_t i, at;
    if (h->count == 0) {
        snprintf(to, cap, "%s: no hot loop without calls\n", name);
        return;
    }
    at = (size_t)snprintf(to, cap,
                          "%s: hottest loop in %s, %u instructions: bound by %s\n"
                          "    latency chain %.1f, ports %.1f, issue %.1f cycles per iteration; simulated %.1f\n",
                          name, p->f[h->func].name, (unsigned)h->count, by[b->largest],
                          (double)b->latency.cycles / (double)b->latency.iterations,
                          (double)b->ports.cycles / (double)b->ports.iterations,
                          (double)b->issue.cycles / (double)b->issue.iterations, (double)h->cycles / HOT_ITERATIONS);
    for (i = 0; i < b->steps && at < cap && b->largest == CSSPGO_BOTTLENECK_BY_LATENCY; i++) {
        op_text(&h->code[h->chain[i].instruction], text, sizeof text);
        at += (size_t)snprintf(to + at, cap - at, "    %-32s %u cycle%s%s\n", text, (unsigned)h->chain[i].latency,
                               h->chain[i].latency == 1 ? "" : "s", h->chain[i].carried ? ", to the next iteration" : "");
    }
}

#endif
