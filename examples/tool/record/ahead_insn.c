/* ahead_insn.c - computing ahead: which instruction it is, and who carries it out */
#include "record.h"

#if defined(REC_SOFTWARE)

/*
 * What is known of an opcode, by maps one and 0f:
 *   m, b    operands of ModRM in general registers: of the operand size, of one byte; q: one byte, then operand size
 *   g, h    the same, of which `reg` is a part of the opcode          i   no ModRM        e  a register in the opcode
 *   V, Z    vector registers; Z has no ModRM                          x   x87             j  a branch
 *   n, N    nothing happens, with ModRM and without                   t   m, not with memory: its bit may be far off
 *   s string stores and copies   l lea   p push   P pop   u push of a number   v leave   d their direction
 *   f, c, y  groups that are told apart below
 */
static const char rec_first_map[] =
    "bmbmii..bmbmii.." "bmbmii..bmbmii.." "bmbmii..bmbmii.." "bmbmii..bmbmii.."
    "................" "ppppppppPPPPPPPP" "...m....umum...." "jjjjjjjjjjjjjjjj"
    "hg.gbmbmbmbm.l.." "Neeeeeeeii....ii" "....ss..iiss...." "eeeeeeeeeeeeeeee"
    "hgjj..hg.v......" "hghg....xxxxxxxx" "........jj.j...." ".....ihgii..ddhf";
static const char rec_second_map[] =
    ".............n.." "VVVVVVVVnnnnnnnn" "........VVVVVVVV" "................"
    "mmmmmmmmmmmmmmmm" "VVVVVVVVVVVVVVVV" "VVVVVVVVVVVVVVVV" "VVVVVVVZ....VVVV"
    "jjjjjjjjjjjjjjjj" "hhhhhhhhhhhhhhhh" "...tmm.....tmmym" "bm.t..qmm.gtmmqm"
    "bmVmVVVceeeeeeee" "VVVVVVVVVVVVVVVV" "VVVVVVVVVVVVVVVV" "VVVVVVV.VVVVVVV.";

/* The same of maps 0f 38 and 0f 3a; w: general registers in a way of its own. */
static char rec_other_maps(const rec_decoded *d)
{
    const unsigned op = d->opcode;
    if (d->map == 3 && op == 0xf0) return 'w';
    if (d->map == 3) return op < 0x80 || op == 0xcc || op == 0xce || op == 0xcf || op == 0xdf ? 'V' : '.';
    if (d->map != 2 || op == 0x49 || op == 0x4b || op == 0x5c || op == 0x5e) return '.'; /* tiles */
    if (op < 0x80 || op == 0x8c || op == 0x8e) return 'V';
    if (op >= 0x96 && op < 0xc0) return (op & 15) >= 6 ? 'V' : '.'; /* the others gather and scatter */
    if ((op >= 0xc8 && op <= 0xcd) || op == 0xcf || (op >= 0xdb && op <= 0xdf)) return 'V';
    return op >= 0xf0 && op <= 0xf7 && op != 0xf4 ? 'w' : '.';
}

/* Prefixes up to the opcode; returns where it is, or 0. */
static size_t rec_take_prefixes(rec_decoded *d)
{
    size_t i = 0;
    for (;; i++) {
        const unsigned char b = d->code[i];
        if (b == 0x66) d->narrow = 1;
        else if (b == 0xf2 || b == 0xf3) d->repeat = b;
        else if (b == 0x64 || b == 0x65) d->segment = b;
        else if (b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26 && b != 0xf0) break;
        if (i == REC_INSN - 1) return 0;
    }
    if ((d->code[i] & 0xf0) == 0x40) {
        d->wide = 1;
        d->rex = d->code[i++] & 15;
    }
    return i;
}

/* Takes the map and the opcode, of all encodings; returns what is behind it, or 0. */
static size_t rec_take_opcode(rec_decoded *d)
{
    size_t i = rec_take_prefixes(d);
    const unsigned char *p = d->code + i;
    if (p[0] == 0xc5) {
        d->rex = (p[1] & 0x80) != 0 ? 0 : 4;
        d->vvvv = (uint8_t)(~p[1] >> 3 & 15);
        d->map = 1;
    } else if (p[0] == 0xc4) {
        d->rex = (uint8_t)((~p[1] >> 5 & 7) | (p[2] >> 7) << 3);
        d->vvvv = (uint8_t)(~p[2] >> 3 & 15);
        d->map = p[1] & 31;
    } else if (p[0] == 0x62) {
        d->rex = (uint8_t)(~p[1] >> 5 & 7);
        d->map = p[1] & 7;
    } else if (p[0] == 0x0f) {
        d->map = (uint8_t)(p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1);
        i += d->map == 1 ? 1 : 2;
        d->opcode = d->code[i];
        return i + 1;
    } else {
        d->opcode = p[0];
        return i + 1;
    }
    d->encoding = p[0];
    i += p[0] == 0xc5 ? 2 : p[0] == 0xc4 ? 3 : 4;
    if (i >= REC_INSN || d->map == 0) return 0;
    d->opcode = d->code[i];
    return i + 1;
}

static int32_t rec_number(const unsigned char *p, size_t size)
{
    int32_t v;
    if (size == 1) return (int8_t)p[0];
    memcpy(&v, p, sizeof v);
    return v;
}

/*
 * The unit of a displacement of one byte; p is at ModRM. With EVEX it is the size of the operand: that of the vector
 * for the moves, comparisons, minima, maxima, sums and logic below. Returns 0 for instructions that are not among them.
 */
static int32_t rec_displacement_unit(const rec_decoded *d, const unsigned char *p)
{
    static const unsigned char whole[3][27] = {
        { 0x28, 0x29, 0x64, 0x65, 0x66, 0x6f, 0x74, 0x75, 0x76, 0x7f, 0xd4, 0xda, 0xdb, 0xde, 0xdf, 0xe7, 0xea, 0xeb,
          0xee, 0xef, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe },
        { 0x00, 0x26, 0x27, 0x29, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f },
        { 0x00, 0x0f, 0x1e, 0x1f, 0x25, 0x3e, 0x3f },
    };
    const unsigned map = d->map - 1u, mandatory = p[-3] & 3, length = p[-2] >> 5 & 3;
    if (d->encoding != 0x62) return 1;
    if ((p[-2] & 0x10) != 0 || length == 3 || map > 2) return 0;       /* one element for all; not a length */
    if (map == 0 && (d->opcode == 0x10 || d->opcode == 0x11)) return mandatory < 2 ? 16 << length : 0;
    return memchr(whole[map], d->opcode, sizeof whole[map]) != NULL ? 16 << length : 0;
}

/* Takes ModRM, at i, and what belongs to it. Returns 0 if it cannot. */
static int rec_take_modrm(rec_decoded *d, size_t i)
{
    const unsigned char *p = d->code + i;
    const unsigned mode = p[0] >> 6, rm = p[0] & 7;
    size_t n = 1, size = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    d->modrm_at = (uint8_t)i;
    d->base = d->index = REC_NO_REGISTER;
    if (mode != 3 && i + 6 <= REC_INSN + 1) {
        d->memory = 1;
        if (rm == 4) {
            const unsigned index = (p[1] >> 3 & 7) | (d->rex & 2u) << 2, base = p[1] & 7;
            if (index != 4) d->index = (uint8_t)index;
            d->scale = p[1] >> 6;
            if (base == 5 && mode == 0) size = 4;
            else d->base = (uint8_t)(base | (d->rex & 1u) << 3);
            n = 2;
        } else if (rm == 5 && mode == 0) {
            size = 4;
            d->base = REC_RELATIVE;
        } else {
            d->base = (uint8_t)(rm | (d->rex & 1u) << 3);
        }
        if (i + n + size > d->size) return 0;
        if (size != 0) d->displacement = rec_number(p + n, size);
        if (mode == 1) {
            const int32_t unit = rec_displacement_unit(d, p);
            if (unit == 0) return 0;
            d->displacement *= unit;
        }
    } else if (mode != 3) {
        return 0;
    }
    d->after = (uint8_t)(i + n + size);
    return 1;
}

/*
 * The stack pointer as an operand: in the slot it is the recorder's own, so another register stands for it that the
 * instruction does not use. `reg`, `rm`: these fields are general registers. Returns 0 if it cannot.
 */
static int rec_replace_stack_pointer(rec_decoded *d, int reg, int rm)
{
    const unsigned modrm = d->code[d->modrm_at];
    const int in_reg = reg && (modrm >> 3 & 7) == 4 && (d->rex & 4) == 0;
    const int in_rm = rm && modrm >> 6 == 3 && (modrm & 7) == 4 && (d->rex & 1) == 0;
    if (!in_reg && !in_rm) return 1;
    if (in_reg && in_rm) return 0;
    d->stand_in = (uint8_t)(in_reg ? ((modrm & 7) == 6 ? 7 : 6) : (modrm >> 3 & 7) == 6 ? 7 : 6);
    return 1;
}

/* Fields of ModRM that hold the stack pointer although the instruction is none of general registers. */
static int rec_moves_stack_pointer(const rec_decoded *d)
{
    const unsigned modrm = d->code[d->modrm_at], op = d->opcode;
    if (modrm >> 6 != 3 || (modrm & 7) != 4 || (d->rex & 1) != 0) return 0;
    if (d->map == 1) return op == 0x6e || (op == 0x7e && d->repeat == 0) || op == 0x2a || op == 0xc4 || op == 0x92;
    return d->map == 3 && ((op >= 0x14 && op <= 0x17) || op == 0x20 || op == 0x22);
}

static rec_way rec_way_of_group(const rec_decoded *d, char what)
{
    const unsigned modrm = d->code[d->modrm_at], reg = modrm >> 3 & 7;
    if (what == 'c') return reg == 1 && d->memory && (d->rex & 8) == 0 ? REC_EXECUTE : REC_UNABLE;
    if (what == 'y' && !d->memory) return reg >= 5 && d->repeat == 0 ? REC_SKIP : REC_UNABLE;
    if (what == 'y') return reg == 2 || reg == 3 ? REC_EXECUTE : REC_UNABLE;
    if (reg == 2 || reg == 4) return REC_BRANCH;
    if (reg == 6) return d->memory && !d->narrow ? REC_PUSH_MEMORY : REC_UNABLE;
    return reg < 2 ? REC_EXECUTE : REC_UNABLE;
}

/* Instructions with ModRM. */
static rec_way rec_way_with_modrm(rec_decoded *d, char what)
{
    const unsigned modrm = d->code[d->modrm_at], reg = modrm >> 3 & 7, op = d->opcode;
    const int wide = d->wide;                              /* else the bytes 4 to 7 are ah to bh */
    rec_way way = REC_EXECUTE;
    switch (what) {
    case 'm': return rec_replace_stack_pointer(d, 1, 1) ? way : REC_UNABLE;
    case 't': return !d->memory && rec_replace_stack_pointer(d, 1, 1) ? way : REC_UNABLE;
    case 'b': return rec_replace_stack_pointer(d, wide, wide) ? way : REC_UNABLE;
    case 'q': return rec_replace_stack_pointer(d, 1, wide) ? way : REC_UNABLE;
    case 'h': case 'g':
        if (d->map == 0 && (op == 0xc6 || op == 0xc7) && reg != 0) return REC_UNABLE;
        if (d->map == 0 && op == 0xfe && reg > 1) return REC_UNABLE;
        return rec_replace_stack_pointer(d, 0, what == 'g' || wide) ? way : REC_UNABLE;
    case 'n':
        if (op == 0x1e && d->repeat != 0 && (modrm & 0xfe) != 0xfa) return REC_UNABLE;
        return REC_SKIP;
    case 'l': return d->memory && !d->narrow ? REC_LEA : REC_UNABLE;
    case 'w':
        if (d->encoding != 0 && d->vvvv == 4) return REC_UNABLE;
        if (reg == 4 || (modrm >> 6 == 3 && (modrm & 7) == 4)) return REC_UNABLE;
        return way;
    case 'x':
        d->vector = 1;
        if (d->memory && ((op == 0xd9 && (reg == 4 || reg == 6)) || (op == 0xdd && (reg == 4 || reg == 6)))) {
            return REC_UNABLE;
        }
        return way;
    case 'V':
        d->vector = 1;
        return rec_moves_stack_pointer(d) ? REC_UNABLE : way;
    default:
        d->vector = what == 'y';
        way = rec_way_of_group(d, what);
        if (what == 'f' && way == REC_EXECUTE && !rec_replace_stack_pointer(d, 0, 1)) return REC_UNABLE;
        return way;
    }
}

static rec_way rec_way_of(rec_decoded *d, size_t i)
{
    char what = d->map == 0 ? rec_first_map[d->opcode] : d->map == 1 ? rec_second_map[d->opcode] : rec_other_maps(d);
    if (d->encoding != 0 && d->map == 1 && strchr("mh", what) != NULL) what = 'V';  /* of masks */
    if (d->encoding != 0 && d->map == 1 && strchr("VZy", what) == NULL) return REC_UNABLE;
    switch (what) {
    case '.': return REC_UNABLE;
    case 'j': return REC_BRANCH;
    case 'p': return d->narrow ? REC_UNABLE : REC_PUSH;
    case 'P': return d->narrow || (d->opcode == 0x5c && (d->rex & 1) == 0) ? REC_UNABLE : REC_POP;
    case 'u': return d->narrow ? REC_UNABLE : REC_PUSH_NUMBER;
    case 'v': return d->narrow ? REC_UNABLE : REC_LEAVE;
    case 'd': return REC_DIRECTION;
    case 'N': return (d->rex & 1) != 0 ? REC_UNABLE : REC_SKIP;
    case 'i': return REC_EXECUTE;
    case 's': return d->segment == 0 ? REC_STRING : REC_UNABLE;
    case 'e':
        if ((d->opcode & 7) != 4 || (d->rex & 1) != 0) return REC_EXECUTE;
        return d->map == 0 && d->opcode == 0xb4 && !d->wide ? REC_EXECUTE : REC_UNABLE;
    case 'Z': d->vector = 1; return REC_EXECUTE;
    default: return i < d->size && rec_take_modrm(d, i) ? rec_way_with_modrm(d, what) : REC_UNABLE;
    }
}

/* Decodes what stands at address. */
void rec_decode(rec_decoded *d, uint64_t address, const unsigned char *code, size_t size)
{
    csspgo_insn insn;
    size_t i;
    memset(d, 0, sizeof *d);
    d->address = address;
    memcpy(d->code, code, size < REC_INSN ? size : REC_INSN);
    d->size = (uint8_t)csspgo_decode_x86_64(code, size < REC_INSN ? size : REC_INSN, address, &insn);
    if (d->size == 1 && (code[0] == 0xf0 || code[0] == 0xf2 || code[0] == 0xf3)) {   /* by itself for the decoder */
        const size_t left = size < REC_INSN ? size - 1 : REC_INSN - 1;
        const uint32_t rest = csspgo_decode_x86_64(code + 1, left, address + 1, &insn);
        d->size = (uint8_t)(rest != 0 ? 1 + rest : 0);
    }
    if (d->size == 0) return;
    i = rec_take_opcode(d);
    if (i != 0 && i <= d->size) d->way = (uint8_t)rec_way_of(d, i);
    if (d->way != REC_BRANCH && insn.kind != CSSPGO_NONE) d->way = REC_UNABLE;
}

/* Where the operand in memory is. */
uint64_t rec_operand_address(const rec_decoded *d, const struct user_regs_struct *a)
{
    uint64_t at = (uint64_t)(int64_t)d->displacement;
    if (d->base == REC_RELATIVE) at += d->address + d->size;
    else if (d->base != REC_NO_REGISTER) at += rec_register(a, d->base);
    if (d->index != REC_NO_REGISTER) at += rec_register(a, d->index) << d->scale;
    if (d->way == REC_LEA) return at;
    return at + (d->segment == 0x64 ? a->fs_base : d->segment == 0x65 ? a->gs_base : 0);
}

#endif
