/* emit.c - the generator of x86-64 code, up to single instructions (instructions.c and engine.c follow it)
 *
 * Everything that code refers to is in the first 2 GB, so that an address fits an
 * instruction. Calls go through a table with an entry per function: code that moves needs no relinking.
 *
 * Convention: arguments in rax, rcx, rdx, rbx, result in rax; these four are scratch, a function saves the others that
 * it uses. Every function has a frame pointer; rbp is 0 below the first one.
 */
#include "jit.h"

#if JIT_MACHINE

void emit8(emitter *e, uint32_t v)
{
    e->byte = (unsigned char *)room(e->byte, e->count, &e->cap, 1);
    e->byte[e->count++] = (unsigned char)v;
}

void emit32(emitter *e, uint64_t v)
{
    int i;
    for (i = 0; i < 4; i++) emit8(e, (uint32_t)(v >> 8 * i & 255));
}

static void emit64(emitter *e, uint64_t v)
{
    emit32(e, v);
    emit32(e, v >> 32);
}

/* Opcode above 255: 0f before its low byte. reg: a register or the opcode's extension; rm: register or stack slot. */
void emit_rm(emitter *e, uint32_t opcode, int reg, int rm)
{
    emit8(e, 0x48u | (reg >= 8 ? 4u : 0) | (rm >= 8 ? 1u : 0));
    if (opcode > 255) emit8(e, 0x0f);
    emit8(e, opcode & 255);
    if (rm >= 0) {
        emit8(e, 0xc0u | (uint32_t)(reg & 7) << 3 | (uint32_t)(rm & 7));
        return;
    }
    emit8(e, 0x85u | (uint32_t)(reg & 7) << 3);
    emit32(e, (uint64_t)(int64_t)(-8 * (__builtin_popcount(e->u->used) - rm)));
}

/* Opcode with an element of the array: [index * 8 + array], both registers. */
void emit_element(emitter *e, uint32_t opcode, int reg, int index)
{
    emit8(e, 0x48u | (reg >= 8 ? 4u : 0) | (index >= 8 ? 2u : 0));
    emit8(e, opcode);
    emit8(e, 4u | (uint32_t)(reg & 7) << 3);
    emit8(e, 0xc5u | (uint32_t)(index & 7) << 3);
    emit32(e, (uint64_t)(uintptr_t)e->e->array);
}

/* Group 1 (0 add, 1 or, 4 and, 5 sub, 6 xor, 7 cmp) with a number of 32 bits. */
void emit_number(emitter *e, int what, int rm, int64_t value)
{
    const int small = value >= -128 && value < 128;
    emit_rm(e, small ? 0x83 : 0x81, what, rm);
    if (small) emit8(e, (uint32_t)(value & 255)); else emit32(e, (uint64_t)value);
}

int fits32(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

void emit_load_number(emitter *e, int rm, int64_t value)
{
    if (!fits32(value)) {
        const int reg = rm >= 0 ? rm : RAX;
        emit8(e, 0x48u | (reg >= 8 ? 1u : 0));
        emit8(e, 0xb8u | (uint32_t)(reg & 7));
        emit64(e, (uint64_t)value);
        if (rm < 0) emit_rm(e, 0x89, RAX, rm);
        return;
    }
    emit_rm(e, 0xc7, 0, rm);
    emit32(e, (uint64_t)value);
}

void emit_move(emitter *e, int to, int from)
{
    if (to == from) return;
    if (to >= 0) emit_rm(e, 0x8b, to, from);
    else if (from >= 0) emit_rm(e, 0x89, from, to);
    else {
        emit_rm(e, 0x8b, RAX, from);
        emit_rm(e, 0x89, RAX, to);
    }
}

/* A control transfer of `size` bytes from `at` to here; label + 1 that it goes to, 0: none. */
void emit_transfer(emitter *e, csspgo_transfer_kind kind, size_t at, uint32_t label)
{
    csspgo_transfer *t;
    e->transfer = (csspgo_transfer *)room(e->transfer, e->transfers, &e->transfer_cap, sizeof *e->transfer);
    e->wants = (uint32_t *)room(e->wants, e->transfers, &e->wants_cap, sizeof *e->wants);
    e->wants[e->transfers] = label;
    t = &e->transfer[e->transfers++];
    memset(t, 0, sizeof *t);
    t->address = at;
    t->size = (uint32_t)(e->count - at);
    t->kind = kind;
}

void emit_branch(emitter *e, int condition, uint32_t label)
{
    const size_t at = e->count;
    emit8(e, 0x0f);
    emit8(e, 0x80u | (uint32_t)condition);
    emit32(e, 0);
    emit_transfer(e, CSSPGO_COND, at, label + 1);
}

void emit_trap_if(emitter *e, int condition)
{
    const size_t at = e->count;
    emit8(e, 0x0f);
    emit8(e, 0x80u | (uint32_t)condition);
    emit32(e, 0);
    emit_transfer(e, CSSPGO_COND, at, 0);
    e->trap = (uint32_t *)room(e->trap, e->traps, &e->trap_cap, sizeof *e->trap);
    e->trap[e->traps++] = (uint32_t)e->count;
}

void emit_probe(emitter *e, uint32_t kind, uint32_t id, uint32_t copy)
{
    csspgo_probe *p;
    e->probe = (csspgo_probe *)room(e->probe, e->probes, &e->probe_cap, sizeof *e->probe);
    p = &e->probe[e->probes++];
    memset(p, 0, sizeof *p);
    p->address = e->count;
    p->id = id;
    p->kind = (uint8_t)kind;
    p->inline_node = copy + 1;
}

#endif
