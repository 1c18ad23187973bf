/* registers.c - registers of a unit */
#include "jit.h"

#if JIT_MACHINE

/* Where a register lives, in half instructions: what an instruction reads at 2i, it writes at 2i + 1. */
typedef struct interval {
    uint32_t begin, end, reg, hint;   /* hint: a register that it is copied from or to */
    uint64_t weight;                  /* of its uses                                   */
} interval;

typedef struct liveness {
    uint64_t *at_label, *now;         /* sets of registers */
    size_t    words;
    interval *v;
} liveness;

static int live_merge(uint64_t *to, const uint64_t *from, size_t words)
{
    int changed = 0;
    size_t i;
    for (i = 0; i < words; i++) {
        changed |= (from[i] & ~to[i]) != 0;
        to[i] |= from[i];
    }
    return changed;
}

static void interval_extend(interval *v, uint32_t at)
{
    if (v->end == 0) v->begin = at;
    if (at < v->begin) v->begin = at;
    if (at + 1 > v->end) v->end = at + 1;
}

static void live_record(liveness *l, uint32_t at)
{
    size_t i;
    uint32_t k;
    for (i = 0; i < l->words; i++) {
        if (l->now[i] == 0) continue;
        for (k = 0; k < 64; k++) if (l->now[i] >> k & 1) interval_extend(&l->v[i * 64 + k], at);
    }
}

/* One walk backwards over the unit; the sets at labels grow. record 1: intervals are taken down. Returns 1 if a set
   grew. */
static int live_walk(const unit *u, liveness *l, int record)
{
    uint16_t reads[MAX_PARAMS + 1];
    uint32_t i = (uint32_t)u->count, k;
    int changed = 0;
    memset(l->now, 0, l->words * 8);
    while (i-- > 0) {
        const insn *n = &u->code[i];
        if (op_is_last(n->op)) memset(l->now, 0, l->words * 8);
        if ((n->op >= OP_JMP && n->op <= OP_JEQ) || n->op == OP_GUARD)
            live_merge(l->now, l->at_label + n->target * l->words, l->words);
        if (record) live_record(l, 2 * i + 1);
        if (op_writes(n->op)) {
            l->now[n->d / 64] &= ~reg_bit(n->d % 64);
            l->v[n->d].weight += record ? u->weight[i] : 0;
            interval_extend(&l->v[n->d], 2 * i + 1);
        }
        for (k = op_reads(n, reads); k-- > 0;) {
            l->now[reads[k] / 64] |= reg_bit(reads[k] % 64);
            l->v[reads[k]].weight += record ? u->weight[i] : 0;
        }
        if (record) live_record(l, 2 * i);
        if (n->op == OP_BLOCK) changed |= live_merge(l->at_label + n->target * l->words, l->now, l->words);
    }
    return changed;
}

static int interval_order(const void *a, const void *b)
{
    const interval *x = (const interval *)a, *y = (const interval *)b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* 1 if no interval before v[i] has the machine register while v[i] lives. */
static int register_is_free(const unit *u, const interval *v, size_t i, int machine)
{
    size_t k;
    for (k = 0; k < i; k++)
        if (u->place[v[k].reg] == machine && v[k].begin < v[i].end && v[i].begin < v[k].end) return 0;
    return 1;
}

/* Machine registers for the registers of the largest weight, one after the other; stack slots for the rest. */
static void allocate_registers(unit *u, uint32_t params)
{
    const size_t machine = MACHINE_REGS - (u->counted ? 1u : 0u);
    liveness l;
    size_t i, k;
    l.words = u->regs / 64 + 1;
    l.at_label = (uint64_t *)calloc((u->labels + 1) * l.words, 8);
    l.now = (uint64_t *)calloc(l.words, 8);
    l.v = (interval *)calloc(u->regs + 64, sizeof *l.v);
    u->place = (int *)calloc(u->regs + 1, sizeof *u->place);
    if (l.at_label == NULL || l.now == NULL || l.v == NULL || u->place == NULL) abort();
    while (live_walk(u, &l, 0)) {}
    for (i = 0; i < u->regs; i++) l.v[i].reg = l.v[i].hint = (uint32_t)i;
    live_walk(u, &l, 1);
    for (i = 0; i < u->count; i++) {
        if (u->code[i].op != OP_MOV) continue;
        l.v[u->code[i].d].hint = u->code[i].a;
        l.v[u->code[i].a].hint = u->code[i].d;
    }
    for (i = 0; i < params; i++) if (l.v[i].end != 0) l.v[i].begin = 0;      /* written before the first instruction */
    qsort(l.v, u->regs, sizeof *l.v, interval_order);
    if (u->counted) u->used |= 1u << machine_regs[machine];
    for (i = 0; i < u->regs; i++) u->place[i] = MACHINE_REGS * 2;          /* not decided */
    for (i = 0; i < u->regs && l.v[i].weight != 0; i++) {
        int *place = &u->place[l.v[i].reg];
        const int hint = u->place[l.v[i].hint];
        if (hint >= 0 && hint < MACHINE_REGS * 2 && register_is_free(u, l.v, i, hint)) *place = hint;
        for (k = 0; k < machine && *place == MACHINE_REGS * 2; k++)
            if (register_is_free(u, l.v, i, machine_regs[k])) *place = machine_regs[k];
        if (*place == MACHINE_REGS * 2) *place = -1 - (int)u->slots++;
        else u->used |= 1u << *place;
    }
    free(l.at_label);
    free(l.now);
    free(l.v);
}

/* Builds the unit of a function. */
void build_unit(unit *u, const program *p, uint32_t f, const plan *how)
{
    uint16_t map[MAX_REGS];
    builder b;
    uint32_t r;
    memset(u, 0, sizeof *u);
    b.u = u;
    b.p = p;
    b.plan = how;
    for (r = 0; r < MAX_REGS; r++) map[r] = (uint16_t)r;
    u->regs = MAX_REGS;
    u->counted = how->counted;
    unit_copy_add(u, p, f, 0, 0);
    u->copy[0].node = how->base;
    append_body(&b, 0, map, 0, 0);
    allocate_registers(u, p->f[f].params);
}

#endif
