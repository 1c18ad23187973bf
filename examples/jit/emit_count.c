/* emit_count.c - machine code that counts by contexts
 *
 * The hot paths of csspgo's runtime as instructions: csspgo_ctx_call, csspgo_ctx_count, csspgo_ctx_enter. The thread's
 * state and the functions' descriptions have addresses below 2 GB that stand in the code; r15 holds where the running
 * function counts, with bit 0 set on scratch memory. What is rare goes through a stub to C.
 */
#include "jit.h"

#if JIT_MACHINE

enum { R15 = R8 + 7, MAX_SLOW_JUMPS = 8 };

/* Both halves of what tells a cell's shape are compared at once. */
typedef char shape_is_one_word[offsetof(csspgo_ctx_fn, sites) == offsetof(csspgo_ctx_fn, counters) + 4 &&
                               offsetof(csspgo_ctx_cell, sites) == offsetof(csspgo_ctx_cell, counters) + 4 ? 1 : -1];
typedef char counting_fits[sizeof(counting) <= COUNTING_BYTES ? 1 : -1];

static uint32_t low(const volatile void *p)
{
    return (uint32_t)(uintptr_t)p;
}

static void emit_bytes(emitter *e, const char *bytes, size_t n)
{
    while (n-- > 0) emit8(e, (unsigned char)*bytes++);
}

/* Instruction with a register, or an opcode's extension, and the 8 bytes at an address. */
static void emit_at(emitter *e, uint32_t opcode, int reg, uint32_t address)
{
    emit8(e, 0x48u | (reg >= 8 ? 4u : 0));
    emit8(e, opcode);
    emit8(e, 4u | (uint32_t)(reg & 7) << 3);
    emit8(e, 0x25);
    emit32(e, address);
}

/* A jump forward whose end emit_here sets. Returns where. */
static size_t emit_skip(emitter *e, uint32_t opcode)
{
    emit8(e, opcode);
    emit8(e, 0);
    return e->count;
}

static void emit_here(emitter *e, size_t skip)
{
    e->byte[skip - 1] = (unsigned char)(e->count - skip);
}

/* Calls a stub by its place in the table, with rax. */
static void emit_stub_call(emitter *e, uint32_t place)
{
    emit8(e, 0xff);
    emit8(e, 0x14);
    emit8(e, 0x25);
    emit32(e, e->e->table + place);
}

/*
 * Finds the cell of a function in the list that rax leads to: r15. Lists under a root with max_depth end with an address
 * whose bit 0 is set, not with 0. Returns how many jumps to what is rare it added.
 */
static size_t emit_search(emitter *e, const csspgo_ctx_fn *fn, size_t *slow)
{
    size_t next, found;
    emit_bytes(e, "\x4c\x8b\x38", 3);                              /* mov r15, [rax] */
    emit_at(e, 0x8b, RAX, low(&fn->guid));
    next = e->count;
    emit_bytes(e, "\x41\xf6\xc7\x01", 4);                          /* test r15b, 1 */
    slow[0] = emit_skip(e, 0x70 | JNE);
    emit_bytes(e, "\x49\x3b\x47", 3); emit8(e, offsetof(csspgo_ctx_cell, guid));       /* cmp rax, [r15 + ...] */
    found = emit_skip(e, 0x70 | JE);
    emit_bytes(e, "\x4d\x8b\x7f", 3); emit8(e, offsetof(csspgo_ctx_cell, next));       /* mov r15, [r15 + ...] */
    emit8(e, 0xeb); emit8(e, (uint32_t)(next - (e->count + 1)) & 255);
    emit_here(e, found);
    emit_at(e, 0x8b, RAX, low(&fn->counters));
    emit_bytes(e, "\x49\x3b\x47", 3); emit8(e, offsetof(csspgo_ctx_cell, counters));   /* cmp rax, [r15 + ...] */
    slow[1] = emit_skip(e, 0x70 | JNE);
    return 2;
}

/* csspgo_ctx_enter below a root. Returns how many jumps to what is rare it has. */
static size_t emit_enter_below(emitter *e, const csspgo_ctx_thread *t, const csspgo_ctx_fn *fn, size_t *slow)
{
    size_t slows = 0;
    emit_at(e, 0x8b, RAX, low(&t->site[0]));                       /* mov rax, site */
    emit_bytes(e, "\x48\x85\xc0", 3);                              /* test rax, rax */
    slow[slows++] = emit_skip(e, 0x70 | JE);
    emit_bytes(e, "\xa8\x01", 2);                                  /* test al, 1 */
    slow[slows++] = emit_skip(e, 0x70 | JNE);
    emit_at(e, 0x81, 7, low(&t->expected[0])); emit32(e, low(fn->address));            /* cmp expected, address */
    slow[slows++] = emit_skip(e, 0x70 | JNE);
    slows += emit_search(e, fn, slow + slows);
    emit_at(e, 0xc7, 0, low(&t->site[0])); emit32(e, 0);           /* mov site, 0 */
    emit_at(e, 0xc7, 0, low(&t->expected[0])); emit32(e, 0);
    emit_bytes(e, "\x49\x83\x47", 3); emit8(e, sizeof(csspgo_ctx_cell)); emit8(e, 1);   /* add [r15 + ...], 1 */
    return slows;
}

/*
 * A function's begin, where rax, rcx, rdx and rbx are free. It walks through the callees of a call site, which are many
 * at indirect calls. The root goes through a stub.
 */
void emit_enter(emitter *e)
{
    const counting *c = e->e->counts;
    const csspgo_ctx_fn *fn = &c->fn[e->func];
    size_t slow[MAX_SLOW_JUMPS], slows, outside, done, done_outside;
    if (e->func == c->main) {
        emit_at(e, 0x8b, RAX, low(&c->root));
        emit_stub_call(e, TABLE_ROOT);
        emit_bytes(e, "\x49\x89\xc7", 3);                          /* mov r15, rax */
        return;
    }
    emit_bytes(e, "\x81\x3c\x25", 3);                              /* cmp dword idle, counters */
    emit32(e, low(&c->thread.idle)); emit32(e, fn->counters);
    outside = emit_skip(e, 0x70 | JAE);
    slows = emit_enter_below(e, &c->thread, fn, slow);
    done = emit_skip(e, 0xeb);
    emit_here(e, outside);
    emit_at(e, 0x8b, R15, low(&c->thread.scratch));                /* mov r15, scratch */
    done_outside = emit_skip(e, 0xeb);
    while (slows-- > 0) emit_here(e, slow[slows]);
    emit8(e, 0xb8); emit32(e, low(fn));                            /* mov eax, fn */
    emit_stub_call(e, TABLE_ENTER);
    emit_bytes(e, "\x49\x89\xc7", 3);                              /* mov r15, rax */
    emit_here(e, done);
    emit_here(e, done_outside);
}

/* csspgo_ctx_count at a block's begin, where rax and the flags are free. */
void emit_count(emitter *e, uint32_t counter)
{
    emit_bytes(e, "\x4c\x89\xf8\x48\x83\xe0\xfe\x48\x83\x80", 10);    /* mov rax, r15; and rax, -2; add [rax + n], 1 */
    emit32(e, sizeof(csspgo_ctx_cell) + 8u * counter);
    emit8(e, 1);
}

/* csspgo_ctx_call, before arguments are in their registers; rbx is the reference of an indirect call. */
void emit_announce(emitter *e, const insn *n)
{
    const counting *c = e->e->counts;
    const csspgo_ctx_fn *fn = &c->fn[e->func];
    emit_bytes(e, "\x44\x89\xf8\x83\xe0\x01", 6);                  /* mov eax, r15d; and eax, 1 */
    if (n->op == OP_CALL) {
        emit_bytes(e, "\x48\xc7\x04\xc5", 4);                      /* mov [rax * 8 + expected], token */
        emit32(e, low(&c->thread.expected));
        emit32(e, low(&c->token[n->target]));
    } else {
        emit_bytes(e, "\x48\x8d\x8b", 3);                          /* lea rcx, [rbx + tokens] */
        emit32(e, low(c->token));
        emit_bytes(e, "\x48\x89\x0c\xc5", 4);                      /* mov [rax * 8 + expected], rcx */
        emit32(e, low(&c->thread.expected));
    }
    emit_bytes(e, "\x49\x8d\x8f", 3);                              /* lea rcx, [r15 + call site] */
    emit32(e, sizeof(csspgo_ctx_cell) + (uint64_t)8 * fn->counters + (uint64_t)8 * n->call);
    emit_bytes(e, "\x48\x89\x0c\xc5", 4);                          /* mov [rax * 8 + site], rcx */
    emit32(e, low(&c->thread.site));
}

/* csspgo_ctx_root_leave before main's result is in rax. */
void emit_leave(emitter *e)
{
    if (e->func == e->e->counts->main) emit_stub_call(e, TABLE_LEAVE);
}

/* From machine code to C: function(thread, rax). Saves what C need not save, of what belongs to callers here. */
static unsigned char *put_stub(unsigned char *b, const counting *c, uint64_t function)
{
    static const unsigned char save[] = { 0x56, 0x57, 0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53, 0x55, 0x48, 0x89,
                                          0xe5, 0x48, 0x83, 0xe4, 0xf0, 0x48, 0x89, 0xc6, 0xbf };
    static const unsigned char restore[] = { 0xff, 0xd0, 0x48, 0x89, 0xec, 0x5d, 0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59,
                                             0x41, 0x58, 0x5f, 0x5e, 0xc3 };
    memcpy(b, save, sizeof save);
    b += sizeof save;
    put32(b, low(&c->thread)); b += 4;                             /* mov edi, thread */
    *b++ = 0x48;
    *b++ = 0xb8;                                                   /* mov rax, function */
    memcpy(b, &function, 8); b += 8;
    memcpy(b, restore, sizeof restore);
    return b + sizeof restore;
}

/* The stubs, from address `at` on. Returns the address behind them. */
uint64_t emit_counting_stubs(engine *g, uint64_t at)
{
    static const uint32_t place[] = { TABLE_ENTER, TABLE_ROOT, TABLE_LEAVE };
    const uint64_t function[] = { (uint64_t)(uintptr_t)csspgo_ctx_enter_slowly,
                                  (uint64_t)(uintptr_t)csspgo_ctx_root_enter,
                                  (uint64_t)(uintptr_t)csspgo_ctx_root_leave };
    unsigned char *b = (unsigned char *)(uintptr_t)at;
    int i;
    for (i = 0; i < 3; i++) {
        *(uint64_t *)(uintptr_t)(g->table + place[i]) = (uint64_t)(uintptr_t)b;
        b = put_stub(b, g->counts, function[i]);
    }
    return ((uint64_t)(uintptr_t)b + 15) & ~(uint64_t)15;
}

#endif
