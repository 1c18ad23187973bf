/* window_code.c - windows: which instructions may make way for a jump, and the code that it leads to
 *
 * A counter is at one instruction, so no thread can be inside of what the jump replaces and no branch can lead there,
 * whether it is known or not. A jump has five bytes; where the instruction has fewer, the last bytes of the jump are
 * those of the code behind it, which stay. They say more or less where the trampoline must be. The trampoline counts with `inc`, which changes flags, carries out
 * the instruction and jumps back: so it stands only where the code ahead sets all flags before it looks at one. Nothing
 * is pushed and no register is used. A call is made to call its trampoline, which jumps to what was called: what lies on
 * the stack is as ever.
 */
#include "window.h"

#if defined(REC_SOFTWARE)

enum { REC_NEUTRAL, REC_SETS, REC_READS };   /* what an instruction does with flags; the last one also: not known     */
enum { REC_FLAGS_AHEAD = 32, REC_IN_RANGE = 128 };

static int rec_flags_of_second(const rec_decoded *d)
{
    const unsigned op = d->opcode;
    if (op == 0x2e || op == 0x2f || op == 0xaf || op == 0xb0 || op == 0xb1 || op == 0xc0 || op == 0xc1) return REC_SETS;
    if ((op >= 0x10 && op < 0x20) || (op >= 0x28 && op < 0x2e) || (op >= 0x50 && op < 0x77)) return REC_NEUTRAL;
    if ((op >= 0x78 && op < 0x80) || op == 0xa3 || op == 0xab || op == 0xb3 || op == 0xbb) return REC_NEUTRAL;
    if (op == 0xa4 || op == 0xa5 || op == 0xac || op == 0xad) return REC_NEUTRAL;
    if (op == 0xb6 || op == 0xb7 || (op >= 0xba && op <= 0xbf)) return REC_NEUTRAL;
    return (op >= 0xc2 && op <= 0xc6) || (op >= 0xc8 && op < 0xff) ? REC_NEUTRAL : REC_READS;
}

static int rec_flags_of_shift(const rec_decoded *d)
{
    const unsigned what = d->code[d->modrm_at] >> 3 & 7, op = d->opcode;
    if (what == 2 || what == 3) return REC_READS;          /* through the carry                                      */
    if (what < 2 || op >= 0xd2) return REC_NEUTRAL;
    return op >= 0xd0 || (d->code[d->size - 1] & 31) != 0 ? REC_SETS : REC_NEUTRAL;
}

static int rec_flags_of_group(const rec_decoded *d)
{
    const unsigned what = d->code[d->modrm_at] >> 3 & 7, op = d->opcode;
    if (op >= 0x80 && op <= 0x83) return what == 2 || what == 3 ? REC_READS : REC_SETS;
    if (op == 0xf6 || op == 0xf7) return what == 2 || what >= 6 ? REC_NEUTRAL : REC_SETS;
    if (op == 0xfe || op == 0xff) return what < 2 || what == 6 ? REC_NEUTRAL : REC_READS;
    return rec_flags_of_shift(d);
}

static int rec_flags_of(const rec_decoded *d)
{
    const unsigned op = d->opcode;
    if (d->way == REC_UNABLE || d->way == REC_BRANCH) return REC_READS;
    if (d->encoding != 0) return REC_NEUTRAL;
    if (d->map == 1) return rec_flags_of_second(d);
    if (d->map == 2) return op < 0xf0 || (op <= 0xf1) ? REC_NEUTRAL : REC_READS;
    if (d->map == 3) return REC_NEUTRAL;
    if (op < 0x40) return (op & 7) >= 6 || (op >> 3) == 2 || (op >> 3) == 3 ? REC_READS : REC_SETS;
    if (op == 0x69 || op == 0x6b || op == 0x84 || op == 0x85 || op == 0xa8 || op == 0xa9) return REC_SETS;
    if ((op >= 0x80 && op <= 0x83) || op == 0xf6 || op == 0xf7 || op == 0xfe || op == 0xff) return rec_flags_of_group(d);
    if (op == 0xc0 || op == 0xc1 || (op >= 0xd0 && op <= 0xd3)) return rec_flags_of_shift(d);
    if ((op >= 0x50 && op < 0x60) || op == 0x63 || op == 0x68 || op == 0x6a) return REC_NEUTRAL;
    if ((op >= 0x88 && op <= 0x8d) || (op >= 0x90 && op < 0x9a)) return REC_NEUTRAL;
    return (op >= 0xb0 && op < 0xc0) || op == 0xc6 || op == 0xc7 || op == 0xc9 ? REC_NEUTRAL : REC_READS;
}

/* Decodes what stands at address, without our breakpoints. Returns its size, or 0. */
static uint32_t rec_decode_at(recorder *r, uint64_t address, rec_decoded *d, csspgo_insn *insn)
{
    unsigned char code[REC_INSN];
    const size_t n = rec_fetch_code(r, address, code);
    memset(insn, 0, sizeof *insn);
    if (n == 0) return 0;
    rec_decode(d, address, code, n);
    if (d->size != 0) csspgo_decode_x86_64(code, n, address, insn);
    return d->size;
}

size_t rec_size_at(recorder *r, uint64_t address)
{
    rec_decoded d;
    csspgo_insn insn;
    return rec_decode_at(r, address, &d, &insn);
}

/*
 * Whether the flags are set before they are read, from address on. Where a call goes that cannot be followed, they are:
 * no calling convention hands them over, and the stubs of linkers change them.
 */
static int rec_flags_are_dead(recorder *r, uint64_t address)
{
    rec_decoded d;
    csspgo_insn insn;
    int n, called = 0;
    for (n = 0; n < REC_FLAGS_AHEAD; n++) {
        const uint32_t size = rec_decode_at(r, address, &d, &insn);
        int does;
        if (size == 0) return 0;
        if (insn.kind == CSSPGO_CALL || insn.kind == CSSPGO_JMP) {
            called |= insn.kind == CSSPGO_CALL;
            if (!insn.has_target) return called;
            address = insn.target;
            continue;
        }
        if (insn.kind != CSSPGO_NONE) return 0;
        if (size == 4 && d.code[0] == 0xf3 && d.code[1] == 0x0f && d.code[2] == 0x1e && d.code[3] == 0xfa) {
            address += size;                               /* endbr64                                                */
            continue;
        }
        does = rec_flags_of(&d);
        if (does != REC_NEUTRAL) return does == REC_SETS;
        address += size;
    }
    return 0;
}

/* Whether the instruction can be carried out elsewhere. What signal handlers return to is recognised by its bytes. */
static int rec_can_move(const rec_decoded *d)
{
    static const unsigned char restore[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0 };
    if (d->size < 2 || d->code[0] == 0xf0 || memcmp(d->code, restore, sizeof restore) == 0) return 0;
    return d->way == REC_EXECUTE || d->way == REC_LEA || d->way == REC_PUSH_NUMBER || d->way == REC_PUSH_MEMORY;
}

static int rec_is_near_call(const rec_decoded *d)
{
    return d->size == REC_JUMP && d->code[0] == 0xe8;
}

/*
 * Where a jump at `address` can lead that replaces `size` bytes of the code there: to the address that is returned and
 * the *span - 1 behind it. 0: nowhere.
 */
uint64_t rec_punned(uint64_t address, size_t size, const unsigned char *code, uint64_t *span)
{
    unsigned char distance[4] = { 0 };
    int32_t low;
    uint64_t to;
    if (size < 2 || size > 4) return 0;
    memcpy(distance + size - 1, code + size, REC_JUMP - size);
    memcpy(&low, distance, sizeof low);
    to = address + REC_JUMP + (uint64_t)(int64_t)low;
    *span = (uint64_t)1 << 8 * (size - 1);
    return to >= 1 << 20 && to + *span < (uint64_t)1 << 46 ? to : 0;
}

/* Whether a jump can be at an instruction. */
static int rec_has_room(recorder *r, const rec_decoded *d)
{
    unsigned char code[REC_INSN];
    uint64_t span;
    if (d->size >= REC_JUMP) return 1;
    return rec_fetch_code(r, d->address, code) == REC_INSN && rec_punned(d->address, d->size, code, &span) != 0;
}

/*
 * The last instruction of the code that ran from begin to the branch at end that can have a counter, or 0. One of five
 * bytes is better: its trampoline can be anywhere.
 */
uint64_t rec_find_place(recorder *r, uint64_t begin, uint64_t end)
{
    uint64_t at[REC_IN_RANGE];
    rec_decoded d;
    csspgo_insn insn;
    uint64_t address = begin, found = 0;
    size_t n = 0;
    for (; n < REC_IN_RANGE && address <= end; n++) {
        const uint32_t size = rec_decode_at(r, address, &d, &insn);
        if (size == 0) return 0;
        at[n] = address;
        address += size;
    }
    while (n-- > 0) {
        rec_decode_at(r, at[n], &d, &insn);
        if (!(rec_can_move(&d) || rec_is_near_call(&d)) || (d.size < REC_JUMP && found != 0)) continue;
        if (!rec_has_room(r, &d) || !rec_flags_are_dead(r, at[n])) continue;
        if (d.size >= REC_JUMP) return at[n];
        found = at[n];
    }
    return found;
}

/* Puts the distance from the end of four bytes, which stand at `at` in memory, to an address. Returns 0 if it is far. */
static int rec_put_distance(unsigned char *to, uint64_t at, uint64_t address)
{
    const int64_t far = (int64_t)(address - (at + 4));
    const int32_t distance = (int32_t)far;
    if (distance != far) return 0;
    memcpy(to, &distance, sizeof distance);
    return 1;
}

/*
 * Makes the counter at c->address, whose trampoline is at `slot` and counts at `value`. Returns 0 if it cannot be. The
 * trampoline: inc, the instruction (of a call: nothing), jmp.
 */
int rec_make_counter(recorder *r, rec_counter *c, uint64_t slot, uint64_t value, unsigned char *t)
{
    unsigned char code[REC_INSN];
    rec_decoded d;
    csspgo_insn insn;
    size_t n = REC_COUNT;
    if (rec_fetch_code(r, c->address, code) != REC_INSN || rec_decode_at(r, c->address, &d, &insn) == 0) return 0;
    memset(t, 0xcc, REC_TRAMPOLINE);
    memcpy(t, "\x48\xff\x05", 3);
    if (!rec_put_distance(t + 3, slot + 3, value)) return 0;
    c->call = (uint8_t)rec_is_near_call(&d);
    c->target = c->call ? insn.target : c->address + d.size;
    c->size = d.size;
    c->slot = slot;
    memcpy(c->code, code, sizeof code);
    memcpy(c->jump, c->call ? "\xe8" : "\xe9", 1);
    if (!rec_put_distance(c->jump + 1, c->address + 1, slot)) return 0;
    if (d.size < REC_JUMP && memcmp(c->jump + d.size, code + d.size, (size_t)REC_JUMP - d.size) != 0) return 0;
    if (!c->call) {
        memcpy(t + n, d.code, d.size);
        if (d.memory && d.base == REC_RELATIVE) {
            const uint64_t there = c->address + d.size + (uint64_t)(int64_t)d.displacement;
            const uint64_t behind = slot + n + d.size;
            const int64_t far = (int64_t)(there - behind);
            const int32_t displacement = (int32_t)far;
            if (displacement != far) return 0;
            memcpy(t + n + d.modrm_at + 1, &displacement, sizeof displacement);
        }
        n += d.size;
    }
    t[n] = 0xe9;
    return rec_put_distance(t + n + 1, slot + n + 1, c->target);
}

/* Where a thread in the trampoline stands in the program's own code. */
uint64_t rec_behind_counter(const rec_counter *c, uint64_t pc)
{
    return c->call || pc >= c->slot + REC_COUNT + c->size ? c->target : c->address;
}

#endif
