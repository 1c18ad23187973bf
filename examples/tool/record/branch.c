/* branch.c - software LBR: carrying out a branch */
#include "record.h"

#if defined(REC_SOFTWARE)

typedef struct rec_operand {
    uint64_t value;               /* a register's value or the word in memory */
    size_t   size;                /* ModRM, SIB and displacement bytes        */
} rec_operand;

uint64_t rec_register(const struct user_regs_struct *a, unsigned number)
{
    switch (number & 15) {
    case 0: return a->rax;
    case 1: return a->rcx;
    case 2: return a->rdx;
    case 3: return a->rbx;
    case 4: return a->rsp;
    case 5: return a->rbp;
    case 6: return a->rsi;
    case 7: return a->rdi;
    case 8: return a->r8;
    case 9: return a->r9;
    case 10: return a->r10;
    case 11: return a->r11;
    case 12: return a->r12;
    case 13: return a->r13;
    case 14: return a->r14;
    default: return a->r15;
    }
}

static uint64_t rec_signed(const unsigned char *p, size_t size)
{
    int32_t v;
    if (size == 1) return (uint64_t)(int64_t)(int8_t)p[0];
    memcpy(&v, p, sizeof v);
    return (uint64_t)(int64_t)v;
}

/* Condition code 0 to 15 of a conditional jump. */
static int rec_condition(uint64_t flags, unsigned code)
{
    const int cf = (flags & 1) != 0, pf = (flags & 4) != 0, zf = (flags & 0x40) != 0, sf = (flags & 0x80) != 0;
    const int of = (flags & 0x800) != 0;
    int holds;
    switch (code >> 1) {
    case 0: holds = of; break;
    case 1: holds = cf; break;
    case 2: holds = zf; break;
    case 3: holds = cf || zf; break;
    case 4: holds = sf; break;
    case 5: holds = pf; break;
    case 6: holds = sf != of; break;
    default: holds = zf || sf != of; break;
    }
    return holds != (int)(code & 1);
}

/* The operand of an indirect call or jump: p at its ModRM byte, which stands at the address `here`. */
static int rec_indirect_operand(const recorder *r, const unsigned char *p, unsigned rex, uint64_t segment,
                                uint64_t here, rec_operand *out)
{
    const struct user_regs_struct *a = &r->regs;
    const unsigned mode = p[0] >> 6, rm = p[0] & 7;
    size_t n = 1, displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    uint64_t address = 0;
    if (mode == 3) {
        out->value = rec_register(a, rm | (rex & 1) << 3);
        out->size = 1;
        return 1;
    }
    if (rm == 4) {
        const unsigned scale = p[1] >> 6, index = (p[1] >> 3 & 7) | (rex & 2) << 2, base = p[1] & 7;
        if (index != 4) address += rec_register(a, index) << scale;
        if (base == 5 && mode == 0) displacement = 4;
        else address += rec_register(a, base | (rex & 1) << 3);
        n = 2;
    } else if (rm == 5 && mode == 0) {
        displacement = 4;
        address = here + 1 + 4;                            /* nothing follows the displacement */
    } else {
        address = rec_register(a, rm | (rex & 1) << 3);
    }
    if (displacement != 0) address += rec_signed(p + n, displacement);
    out->size = n + displacement;
    return rec_read(r, address + segment, &out->value, 8);
}

/* Goes to target, with a return address pushed for a call; 0 if the CPU has to do it. */
static int rec_go(recorder *r, uint64_t target, int call, uint64_t next)
{
    const uint64_t slot = r->regs.rsp - 8;
    if (target >= (uint64_t)1 << 47) return 0;
    if (call) {
        if (!rec_write(r, slot, &next, 8)) return 0;
        r->regs.rsp = slot;
        r->regs_changed |= REC_SP;
    }
    r->regs.rip = target;
    r->regs_changed |= REC_IP;
    return 1;
}

static int rec_return(recorder *r, uint64_t pop)
{
    uint64_t target;
    if (!rec_read(r, r->regs.rsp, &target, 8) || target >= (uint64_t)1 << 47) return 0;
    r->regs.rip = target;
    r->regs.rsp += 8 + pop;
    r->regs_changed |= REC_IP | REC_SP;
    return 1;
}

static int rec_is_prefix(unsigned char b)
{
    return b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x3e || b == 0x64 || b == 0x65;
}

/*
 * Carries out the branch at r->regs.rip and notes it if it was taken. 0: the CPU has to do it, nothing was changed.
 * The forms are those of compilers; prefixes that change operand or address size are left to the CPU. Of the code there
 * are n bytes, and a zero behind them.
 */
int rec_emulate_code(recorder *r, const unsigned char *code, size_t n)
{
    const uint64_t from = r->regs.rip;
    uint64_t segment = 0, next;
    unsigned rex = 0, op;
    size_t i = 0;
    csspgo_transfer_kind kind = CSSPGO_JMP;
    int taken = 1;
    for (; i < 4 && rec_is_prefix(code[i]); i++) {
        if (code[i] == 0x64) segment = r->regs.fs_base;
        if (code[i] == 0x65) segment = r->regs.gs_base;
    }
    if ((code[i] & 0xf0) == 0x40) rex = code[i++];
    op = code[i++];
    if (n < REC_INSN && n < i + 7) return 0;               /* at the very end of the mapping */
    if ((r->regs.eflags & REC_TRAP_FLAG) != 0) return 0;   /* the program steps itself       */
    if ((op >= 0x70 && op <= 0x7f) || op == 0xeb) {
        next = from + i + 1;
        taken = op == 0xeb || rec_condition(r->regs.eflags, op & 15);
        if (!rec_go(r, taken ? next + rec_signed(code + i, 1) : next, 0, 0)) return 0;
    } else if (op == 0x0f && (code[i] & 0xf0) == 0x80) {
        next = from + i + 5;
        taken = rec_condition(r->regs.eflags, code[i] & 15);
        if (!rec_go(r, taken ? next + rec_signed(code + i + 1, 4) : next, 0, 0)) return 0;
    } else if (op == 0xe8 || op == 0xe9) {
        next = from + i + 4;
        if (op == 0xe8) kind = CSSPGO_CALL;
        if (!rec_go(r, next + rec_signed(code + i, 4), kind == CSSPGO_CALL, next)) return 0;
    } else if (op == 0xff && ((code[i] >> 3 & 7) == 2 || (code[i] >> 3 & 7) == 4)) {
        rec_operand operand;
        if (!rec_indirect_operand(r, code + i, rex, segment, from + i, &operand)) return 0;
        next = from + i + operand.size;
        if ((code[i] >> 3 & 7) == 2) kind = CSSPGO_CALL;
        if (!rec_go(r, operand.value, kind == CSSPGO_CALL, next)) return 0;
    } else if (op == 0xc3 || op == 0xc2) {
        next = 0;
        kind = CSSPGO_RET;
        if (!rec_return(r, op == 0xc2 ? (uint64_t)(code[i] | code[i + 1] << 8) : 0)) return 0;
    } else {
        return 0;
    }
    if (taken) rec_branch(r, from, kind, next);
    return 1;
}

/* The same, of the code that stands there. */
int rec_emulate(recorder *r)
{
    unsigned char code[REC_INSN + 1] = { 0 };
    const size_t n = rec_fetch(r, r->regs.rip, code);
    return rec_emulate_code(r, code, n);
}

#endif
