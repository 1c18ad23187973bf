/* window_code.c - windows: which instructions may make way for a jump, and the code that it leads to
 *
 * A counter is at one instruction, so no thread can be inside of what the jump replaces and no branch can lead there,
 * whether it is known or not. A jump has five bytes; where the instruction has fewer, the last bytes of the jump are
 * those of the code behind it, which stay. They say more or less where the trampoline must be.
 *
 * The trampoline counts with `inc`, which changes flags, carries out the instruction and jumps back: so it stands only
 * where the code ahead sets all flags before it looks at one. Nothing is pushed and no register is used. A call is made
 * to call its trampoline, which jumps to what was called: what lies on the stack is as ever.
 */
#include "window.h"

#if defined(REC_SOFTWARE)

/* What an instruction does with flags: which it reads, before it sets others. What is not known reads all of them. */
enum { REC_CARRY = 1, REC_OTHERS = 2, REC_READS = 3, REC_NEUTRAL = 0, REC_SETS = REC_READS << 2,
       REC_COUNTS = REC_OTHERS << 2, REC_WITH_CARRY = REC_SETS | REC_CARRY };
enum { REC_FLAGS_AHEAD = 64, REC_CALLS_AHEAD = 4, REC_BRANCHES_AHEAD = 8, REC_IN_RANGE = 128 };

/* Of a condition. */
static int rec_flags_asked(unsigned opcode)
{
    const unsigned which = opcode >> 1 & 7;
    return which == 1 ? REC_CARRY : which == 3 ? REC_READS : REC_OTHERS;
}

static int rec_flags_of_second(const rec_decoded *d)
{
    const unsigned op = d->opcode;
    if ((op >= 0x40 && op < 0x50) || (op >= 0x90 && op < 0xa0)) return rec_flags_asked(op);
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
    if (op >= 0x80 && op <= 0x83) return what == 2 || what == 3 ? REC_WITH_CARRY : REC_SETS;
    if (op == 0xf6 || op == 0xf7) return what == 2 || what >= 6 ? REC_NEUTRAL : REC_SETS;
    if (op == 0xfe || op == 0xff) return what < 2 ? REC_COUNTS : what == 6 ? REC_NEUTRAL : REC_READS;
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
    if (op < 0x40) return (op & 7) >= 6 ? REC_READS : (op >> 3) == 2 || (op >> 3) == 3 ? REC_WITH_CARRY : REC_SETS;
    if (op == 0x69 || op == 0x6b || op == 0x84 || op == 0x85 || op == 0xa8 || op == 0xa9) return REC_SETS;
    if ((op >= 0x80 && op <= 0x83) || (op & 0xf6) == 0xf6) return rec_flags_of_group(d);
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

typedef struct rec_path {         /* what is looked through                                                          */
    unsigned open;                /* flags that are neither set nor read yet                                         */
    int      left, calls;         /* instructions to look at, at most; calls that are open                           */
    uint64_t back[REC_CALLS_AHEAD];   /* where these return                                                          */
    uint64_t been[REC_BRANCHES_AHEAD];   /* conditional branches on it: a loop that reads none is fine              */
    unsigned with[REC_BRANCHES_AHEAD];   /* what was open there                                                      */
    int      at[REC_BRANCHES_AHEAD], turns;   /* calls that were open there                                          */
} rec_path;

static int rec_follow_flags(recorder *r, uint64_t address, rec_path *p);

/* The path goes on at a branch. Returns as rec_follow_flags does. */
static int rec_follow_branch(recorder *r, const rec_decoded *d, const csspgo_insn *insn, rec_path *p)
{
    const uint64_t next = d->address + d->size;
    if (insn->kind == CSSPGO_RET) return p->calls > 0 && rec_follow_flags(r, p->back[--p->calls], p);
    if (insn->kind == CSSPGO_CALL) {
        if (!insn->has_target || p->calls == REC_CALLS_AHEAD) return 1;
        p->back[p->calls++] = next;
        return rec_follow_flags(r, insn->target, p);
    }
    if (insn->kind == CSSPGO_JMP) return insn->has_target ? rec_follow_flags(r, insn->target, p) : p->calls > 0;
    if (insn->kind == CSSPGO_COND && insn->has_target && (d->opcode & 0xe0) != 0xe0) {
        rec_path other;
        int i;
        if ((p->open & (unsigned)rec_flags_asked(d->opcode)) != 0) return 0;
        for (i = 0; i < p->turns; i++) {
            if (p->been[i] == d->address && p->at[i] == p->calls && (p->open & ~p->with[i]) == 0) return 1;
        }
        if (p->turns == REC_BRANCHES_AHEAD) return 0;
        p->been[p->turns] = d->address;
        p->at[p->turns] = p->calls;
        p->with[p->turns++] = p->open;
        other = *p;
        if (!rec_follow_flags(r, next, p)) return 0;
        other.left = p->left;
        return rec_follow_flags(r, insn->target, &other);
    }
    return 0;
}

/*
 * Whether the flags are set before they are read, from address on. Where a call goes that cannot be followed, they are:
 * no calling convention hands them over, and the stubs of linkers change them.
 */
static int rec_follow_flags(recorder *r, uint64_t address, rec_path *p)
{
    rec_decoded d;
    csspgo_insn insn;
    for (; p->left-- > 0; address += d.size) {
        int does;
        if (rec_decode_at(r, address, &d, &insn) == 0) return 0;
        if (insn.kind != CSSPGO_NONE) return rec_follow_branch(r, &d, &insn, p);
        if (d.size == 4 && memcmp(d.code, "\xf3\x0f\x1e\xfa", 4) == 0) continue;     /* endbr64                       */
        does = rec_flags_of(&d);
        if ((p->open & (unsigned)does) != 0) return 0;
        p->open &= ~(unsigned)does >> 2;
        if (p->open == 0) return 1;
    }
    return 0;
}

static int rec_flags_are_dead(recorder *r, uint64_t address)
{
    rec_path p;
    memset(&p, 0, sizeof p);
    p.open = REC_READS;
    p.left = REC_FLAGS_AHEAD;
    return rec_follow_flags(r, address, &p);
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
 * the *span - 1 behind it. 0: nowhere. Prefixes that mean nothing move the jump on: then others of its bytes are given.
 */
uint64_t rec_punned(uint64_t address, size_t size, const unsigned char *code, uint64_t *span, uint8_t *prefixes)
{
    size_t free;
    if (size >= REC_JUMP) return 0;
    for (free = size - 1; free > 0; free--) {
        const size_t before = size - 1 - free;
        unsigned char distance[4] = { 0 };
        int32_t low;
        uint64_t to;
        memcpy(distance + free, code + size, 4 - free);
        memcpy(&low, distance, sizeof low);
        to = address + before + REC_JUMP + (uint64_t)(int64_t)low;
        *span = (uint64_t)1 << 8 * free;
        *prefixes = (uint8_t)before;
        if (to >= 1 << 20 && to + *span < ((uint64_t)1 << 47) - (1 << 20)) return to;
    }
    return 0;
}

/* Whether a jump can be at an instruction. */
static int rec_has_room(recorder *r, const rec_decoded *d)
{
    unsigned char code[REC_INSN];
    uint64_t span;
    uint8_t prefixes;
    if (d->size >= REC_JUMP) return 1;
    return rec_fetch_code(r, d->address, code) == REC_INSN &&
           rec_punned(d->address, d->size, code, &span, &prefixes) != 0;
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
int rec_make_counter(recorder *r, rec_counter *c, uint64_t slot, uint64_t value)
{
    unsigned char *const t = c->trampoline;
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
    memcpy(c->jump, "\x26\x26\x48", 3);
    if (c->prefixes != 0) c->jump[c->prefixes - 1] = 0x48;
    c->jump[c->prefixes] = c->call ? 0xe8 : 0xe9;
    if (!rec_put_distance(c->jump + c->prefixes + 1, c->address + c->prefixes + 1, slot)) return 0;
    c->jump_size = (uint8_t)(c->prefixes + REC_JUMP);
    if (d.size < REC_JUMP && memcmp(c->jump + d.size, code + d.size, (size_t)c->jump_size - d.size) != 0) return 0;
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
