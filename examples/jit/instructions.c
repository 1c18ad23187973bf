/* instructions.c - instructions and functions */
#include "jit.h"

#if JIT_MACHINE

static int place_of(const emitter *e, uint16_t reg)
{
    return e->u->place[reg];
}

static void emit_arithmetic(emitter *e, const insn *n)
{
    static const struct { uint32_t opcode; int group; } how[] = {
        { 0x03, 0 }, { 0x2b, 5 }, { 0x1af, 0 }, { 0x23, 4 }, { 0x0b, 1 }, { 0x33, 6 }, { 0xd3, 4 }, { 0xd3, 5 }
    };
    const uint32_t opcode = how[n->op - OP_ADD].opcode;
    const int group = how[n->op - OP_ADD].group;
    const int d = place_of(e, n->d), shift = n->op == OP_SHL || n->op == OP_SHR;
    const int a = place_of(e, n->a), b = n->has_value ? RDX : place_of(e, n->b);
    int t;
    if (d >= 0 && a >= 0 && d != a && n->op == OP_ADD && n->has_value && fits32(n->value)) {
        emit8(e, 0x48u | (d >= 8 ? 4u : 0) | (a >= 8 ? 1u : 0));      /* lea d, [a + value] */
        emit8(e, 0x8d);
        emit8(e, 0x80u | (uint32_t)(d & 7) << 3 | (uint32_t)(a & 7));
        if ((a & 7) == RSP) emit8(e, 0x24);
        emit32(e, (uint64_t)n->value);
        return;
    }
    if (shift && !n->has_value) emit_move(e, RCX, b);
    if (n->has_value && !shift && !fits32(n->value)) emit_load_number(e, RDX, n->value);
    t = d >= 0 && (n->has_value || shift || d != b || d == a) ? d : RAX;
    emit_move(e, t, a);
    if (shift && n->has_value) {
        emit_rm(e, 0xc1, group, t);
        emit8(e, (uint32_t)n->value & 63);
    } else if (shift) emit_rm(e, 0xd3, group, t);
    else if (!n->has_value || !fits32(n->value)) emit_rm(e, opcode, t, b);
    else if (n->op == OP_MUL) {
        emit_rm(e, 0x69, t, t);
        emit32(e, (uint64_t)n->value);
    } else emit_number(e, group, t, n->value);
    emit_move(e, d, t);
}

/* cmp a, b */
static void emit_compare(emitter *e, const insn *n)
{
    const int a = place_of(e, n->a), b = n->has_value ? RDX : place_of(e, n->b);
    if (n->has_value && fits32(n->value)) {
        emit_number(e, 7, a, n->value);
        return;
    }
    if (n->has_value) emit_load_number(e, RDX, n->value);
    emit_move(e, a >= 0 ? a : RAX, a);
    emit_rm(e, 0x3b, a >= 0 ? a : RAX, b);
}

/* The register that holds the index of an element, which is in the array. */
static int emit_index(emitter *e, const insn *n)
{
    int at = place_of(e, n->a);
    if (at < 0 || n->value != 0) {
        emit_move(e, RAX, at);
        at = RAX;
        if (n->value != 0 && fits32(n->value)) emit_number(e, 0, RAX, n->value);
        else if (n->value != 0) {
            emit_load_number(e, RDX, n->value);
            emit_rm(e, 0x03, RAX, RDX);
        }
    }
    emit_number(e, 7, at, WORDS);
    emit_trap_if(e, JAE);
    return at;
}

static void emit_memory(emitter *e, const insn *n)
{
    const int at = emit_index(e, n), value = place_of(e, n->op == OP_LOAD ? n->d : n->b);
    if (n->op == OP_STORE) {
        emit_move(e, value >= 0 ? value : RCX, value);
        emit_element(e, 0x89, value >= 0 ? value : RCX, at);
        return;
    }
    emit_element(e, 0x8b, value >= 0 ? value : RCX, at);
    if (value < 0) emit_move(e, value, RCX);
}

/* The reference that an indirect call goes to, in rbx. */
static void emit_reference(emitter *e, const insn *n)
{
    emit_move(e, RBX, place_of(e, n->a));
    emit_number(e, 7, RBX, MAX_FUNCS);
    emit_trap_if(e, JAE);
}

static void emit_call(emitter *e, const insn *n)
{
    const int indirect = n->op == OP_ICALL, counted = e->u->counted;
    uint32_t i;
    size_t at;
    if (indirect && counted) emit_reference(e, n);
    if (counted) emit_announce(e, n);
    for (i = 0; i < n->args; i++) emit_move(e, RAX + (int)i, place_of(e, n->arg[i]));
    if (indirect && !counted) emit_reference(e, n);
    at = e->count;
    emit_probe(e, n->op == OP_CALL ? CSSPGO_PROBE_DIRECT_CALL : CSSPGO_PROBE_INDIRECT_CALL, n->site, n->copy);
    if (n->op == OP_CALL) e->calls |= reg_bit(n->target);
    emit8(e, 0xff);
    emit8(e, 0x14);
    emit8(e, n->op == OP_CALL ? 0x25 : 0xdd);
    emit32(e, e->e->table + (n->op == OP_CALL ? 8 * n->target : (uint32_t)TABLE_ICALL * (1u + n->args)));
    emit_transfer(e, CSSPGO_CALL, at, 0);
    if (place_of(e, n->d) < MACHINE_REGS * 2) emit_move(e, place_of(e, n->d), RAX);
}

static void emit_push(emitter *e, uint32_t opcode, int reg)
{
    if (reg >= 8) emit8(e, 0x41);
    emit8(e, opcode | (uint32_t)(reg & 7));
}

static void emit_prologue(emitter *e, uint32_t params)
{
    uint32_t i;
    int r;
    emit_push(e, 0x50, RBP);
    emit8(e, 0x48); emit8(e, 0x89); emit8(e, 0xe5);
    for (r = 0; r < 16; r++) if (e->u->used >> r & 1) emit_push(e, 0x50, r);
    if (e->u->slots != 0) emit_number(e, 5, RSP, 8 * (int64_t)e->u->slots);
    emit_number(e, 7, RSP, (int64_t)(e->e->stack + STACK_SPARE));
    emit_trap_if(e, JB);
    for (i = 0; i < params; i++)
        if (e->u->place[i] < MACHINE_REGS * 2) emit_move(e, e->u->place[i], RAX + (int)i);
    if (e->u->counted) emit_enter(e);
}

static void emit_return(emitter *e, const insn *n)
{
    int r;
    size_t at;
    if (e->u->counted) emit_leave(e);
    emit_move(e, RAX, place_of(e, n->a));
    if (e->u->slots != 0) emit_number(e, 0, RSP, 8 * (int64_t)e->u->slots);
    for (r = 15; r >= 0; r--) if (e->u->used >> r & 1) emit_push(e, 0x58, r);
    emit_push(e, 0x58, RBP);
    at = e->count;
    emit8(e, 0xc3);
    emit_transfer(e, CSSPGO_RET, at, 0);
}

/* 1 if a jump from instruction i goes to what follows it. */
static int jumps_to_next(const unit *u, size_t i)
{
    const uint32_t label = u->code[i].target;
    while (++i < u->count && u->code[i].op == OP_BLOCK) if (u->code[i].target == label) return 1;
    return 0;
}

static void emit_insn(emitter *e, size_t i)
{
    const insn *n = &e->u->code[i];
    size_t at;
    const int d = op_writes(n->op) ? place_of(e, n->d) : 0;
    if (d == MACHINE_REGS * 2) {                      /* never read */
        if (n->op == OP_CALL || n->op == OP_ICALL) emit_call(e, n);
        if (n->op == OP_LOAD) emit_index(e, n);
        return;
    }
    switch (n->op) {
    case OP_MOV:   emit_move(e, d, place_of(e, n->a)); break;
    case OP_CONST: emit_load_number(e, d, n->value); break;
    case OP_FREF:  emit_load_number(e, d, n->target); break;
    case OP_LOAD: case OP_STORE: emit_memory(e, n); break;
    case OP_JMP:
        if (jumps_to_next(e->u, i)) break;
        at = e->count;
        emit8(e, 0xe9);
        emit32(e, 0);
        emit_transfer(e, CSSPGO_JMP, at, n->target + 1);
        break;
    case OP_JLT: case OP_JEQ:
        emit_compare(e, n);
        emit_branch(e, n->op == OP_JLT ? JL : JE, n->target);
        break;
    case OP_GUARD:
        emit_number(e, 7, place_of(e, n->a), n->value);
        emit_branch(e, JNE, n->target);
        break;
    case OP_CALL: case OP_ICALL: emit_call(e, n); break;
    case OP_RET: emit_return(e, n); break;
    default: emit_arithmetic(e, n); break;
    }
}

/* ----- functions -------------------------------------------------------------------------------------------------- */

/* Per block of every copy: how long it is, and where its probe is. */
typedef struct block_facts {
    uint64_t address;
    uint32_t length;
} block_facts;

static uint32_t block_of(const unit *u, const insn *n)
{
    return u->copy[n->copy].first_block + n->block;
}

/* A label. Where it can be jumped to, the block before it must not be empty: its probe would count the jumps too. */
static void emit_label(emitter *e, const insn *n, const unsigned char *used, block_facts *facts)
{
    if (used[n->target] && e->probes != 0 && e->probe[e->probes - 1].address == e->count) emit8(e, 0x90);
    e->label[n->target] = e->count;
    if (!n->leads) return;
    emit_probe(e, CSSPGO_PROBE_BLOCK, n->block, n->copy);
    facts[block_of(e->u, n)].address = e->count;
    if (e->u->counted && n->counter != 0) emit_count(e, n->counter);
}

static void emit_segment(emitter *e, const block_facts *f)
{
    segment *s = e->segments == 0 ? NULL : &e->segment[e->segments - 1];
    if (s != NULL && s->block == f->address) return;
    if (s == NULL || s->address != e->count) {
        e->segment = (segment *)room(e->segment, e->segments, &e->segment_cap, sizeof *e->segment);
        s = &e->segment[e->segments++];
    }
    s->address = e->count;
    s->block = f->address;
    s->length = f->length;
}

/* Emits all of the unit; labels get their addresses. */
void emit_unit(emitter *e, uint32_t params)
{
    const unit *u = e->u;
    unsigned char *used = (unsigned char *)calloc(u->labels + 1, 1);
    block_facts *facts = (block_facts *)calloc(u->blocks + 1, sizeof *facts);
    size_t i;
    e->label = (uint64_t *)calloc(u->labels + 1, sizeof *e->label);
    if (used == NULL || facts == NULL || e->label == NULL) abort();
    for (i = 0; i < u->count; i++) {
        const insn *n = &u->code[i];
        if ((n->op >= OP_JMP && n->op <= OP_JEQ) || n->op == OP_GUARD) used[n->target] = 1;
        if (n->op != OP_BLOCK) facts[block_of(u, n)].length++;
    }
    emit_prologue(e, params);
    for (i = 0; i < u->count; i++) {
        if (u->code[i].op == OP_BLOCK) emit_label(e, &u->code[i], used, facts);
        if (u->code[i].op != OP_BLOCK || u->code[i].leads) emit_segment(e, &facts[block_of(u, &u->code[i])]);
        if (u->code[i].op != OP_BLOCK) emit_insn(e, i);
    }
    free(used);
    free(facts);
}

void put32(unsigned char *at, uint64_t v)
{
    int i;
    for (i = 0; i < 4; i++) at[i] = (unsigned char)(v >> 8 * i);
}

/* The code goes to address `to`. */
void relocate(emitter *e, uint64_t to)
{
    size_t i;
    for (i = 0; i < e->transfers; i++) {
        csspgo_transfer *t = &e->transfer[i];
        const uint64_t end = t->address + t->size;
        if (e->wants[i] != 0) {
            t->target = to + e->label[e->wants[i] - 1];
            put32(e->byte + end - 4, t->target - (to + end));
        }
        t->address += to;
    }
    for (i = 0; i < e->traps; i++) put32(e->byte + e->trap[i] - 4, e->e->trap - (to + e->trap[i]));
    for (i = 0; i < e->probes; i++) e->probe[i].address += to;
    for (i = 0; i < e->segments; i++) {
        e->segment[i].address += to;
        e->segment[i].block += to;
    }
}

void emitter_free(emitter *e)
{
    free(e->byte);
    free(e->transfer);
    free(e->probe);
    free(e->inlined);
    free(e->trap);
    free(e->segment);
    free(e->label);
    free(e->wants);
}

#endif
