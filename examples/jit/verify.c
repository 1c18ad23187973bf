/* verify.c - the verifier */
#include "jit.h"

static int op_ends_block(uint32_t o)
{
    return o == OP_JMP || o == OP_JLT || o == OP_JEQ || o == OP_RET;
}

/* 1 if control does not go on behind it. */
int op_is_last(uint32_t o)
{
    return o == OP_JMP || o == OP_RET;
}

int op_writes(uint32_t o)
{
    return o <= OP_LOAD || (o >= OP_FREF && o <= OP_ICALL);
}

/* The registers that an instruction reads; returns how many. */
uint32_t op_reads(const insn *i, uint16_t reads[MAX_PARAMS + 1])
{
    uint32_t n = 0, k;
    switch (i->op) {
    case OP_MOV: case OP_RET: case OP_ICALL: case OP_LOAD: case OP_GUARD: reads[n++] = i->a; break;
    case OP_STORE: reads[n++] = i->a; reads[n++] = i->b; break;
    case OP_CONST: case OP_JMP: case OP_FREF: case OP_CALL: case OP_BLOCK: break;
    default:
        reads[n++] = i->a;
        if (!i->has_value) reads[n++] = i->b;
        break;
    }
    for (k = 0; k < i->args; k++) reads[n++] = i->arg[k];
    return n;
}

/* Blocks, and probe ids for them and the calls. */
static void number_probes(func *f)
{
    uint32_t i;
    f->code[0].leads = 1;
    for (i = 0; i < f->count; i++) {
        if (f->code[i].op >= OP_JMP && f->code[i].op <= OP_JEQ) f->code[f->code[i].target].leads = 1;
        if (op_ends_block(f->code[i].op) && i + 1 < f->count) f->code[i + 1].leads = 1;
    }
    f->probes = f->blocks = f->calls = 0;
    for (i = 0; i < f->count; i++) {
        f->code[i].block = f->code[i].leads ? ++f->probes : f->code[i - 1].block;
        if (f->code[i].leads) f->code[i].counter = f->blocks++;
        if (f->code[i].op != OP_CALL && f->code[i].op != OP_ICALL) continue;
        f->code[i].site = ++f->probes;
        f->code[i].call = f->calls++;
    }
}

uint64_t reg_bit(uint32_t r)
{
    return (uint64_t)1 << r;
}

/* Every register is written before it is read, on every path: sets at each instruction shrink until they fit. */
static int verify_registers(program *p, func *f)
{
    uint64_t set[MAX_CODE + 1];
    uint16_t reads[MAX_PARAMS + 1];
    uint32_t i, k;
    int more = 1;
    memset(set, 0xff, sizeof set);
    set[0] = reg_bit(f->params) - 1;
    while (more) {
        more = 0;
        for (i = 0; i < f->count; i++) {
            const insn *n = &f->code[i];
            const uint64_t out = op_writes(n->op) ? set[i] | reg_bit(n->d) : set[i];
            if (n->op >= OP_JMP && n->op <= OP_JEQ && (set[n->target] & ~out) != 0) { set[n->target] &= out; more = 1; }
            if (!op_is_last(n->op) && (set[i + 1] & ~out) != 0) { set[i + 1] &= out; more = 1; }
        }
    }
    for (i = 0; i < f->count; i++)
        for (k = op_reads(&f->code[i], reads); k-- > 0;)
            if (!(set[i] & reg_bit(reads[k]))) return lang_fail(p, "reads a register that nothing wrote:", f->name);
    return 1;
}

/* Checks what the grammar cannot say and numbers the probes. Code generation and interpreter rely on it. */
int verify(program *p)
{
    uint32_t i, k;
    if (p->count == 0) return lang_fail(p, "no functions in the", "program");
    for (i = 0; i < p->count; i++) {
        func *f = &p->f[i];
        if (func_named(p, f->name) != i) return lang_fail(p, "defined twice:", f->name);
        if (f->count == 0 || !op_is_last(f->code[f->count - 1].op))
            return lang_fail(p, "runs beyond its end:", f->name);
        for (k = 0; k < f->count; k++) {
            insn *n = &f->code[k];
            if (n->op >= OP_JMP && n->op <= OP_JEQ && n->target >= f->count)
                return lang_fail(p, "a jump to no instruction in", f->name);
            if (n->op >= OP_JMP && n->op <= OP_JEQ && n->target == 0)
                return lang_fail(p, "a jump to the first instruction of", f->name);
            if (n->op == OP_CALL && n->args != p->f[n->target].params)
                return lang_fail(p, "wrong number of arguments for", p->f[n->target].name);
            if (n->op == OP_ICALL && n->args == MAX_PARAMS) return lang_fail(p, "too many arguments in", f->name);
            if (n->op == OP_SHL || n->op == OP_SHR) n->value &= 63;
            if (n->op == OP_FREF) p->f[n->target].referred = 1;
            if (op_writes(n->op)) f->written |= reg_bit(n->d);
        }
        if (!verify_registers(p, f)) return 0;
        number_probes(f);
    }
    return 1;
}
