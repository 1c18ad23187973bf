/* test_insn.c - the instruction decoders. tests/oracle_insn.sh compares them with llvm-objdump on a larger scale. */
#include "t.h"

enum { ADDRESS = 0x401000 };

typedef struct transfer {
    const char *hex;          /* the instruction's bytes */
    uint32_t size;
    csspgo_transfer_kind kind;
    uint32_t has_target;
    uint64_t target;          /* relative to ADDRESS     */
} transfer;

typedef struct length {
    const char *hex;
    uint32_t size;            /* of the instruction, or what to skip */
} length;

#define COUNT(list) (sizeof list / sizeof list[0])

/* Bytes of a hex string with spaces. */
static size_t bytes_of(const char *hex, unsigned char *out, size_t room)
{
    size_t n = 0;
    while (*hex != '\0' && n < room) {
        char *end;
        out[n++] = (unsigned char)strtoul(hex, &end, 16);
        hex = end + strspn(end, " ");
    }
    return n;
}

/* Decodes from a block of exactly n bytes. */
static csspgo_insn x86(const unsigned char *code, size_t n, uint64_t address)
{
    unsigned char *exact = t_copy(code, n);
    csspgo_insn insn;
    const uint32_t size = csspgo_decode_x86_64(exact, n, address, &insn);
    T_CHECK(size == insn.size && size <= n && (size != 0 || insn.skip >= 1));
    free(exact);
    return insn;
}

static csspgo_insn aarch64(const unsigned char *code, size_t n, uint64_t address)
{
    unsigned char *exact = t_copy(code, n);
    csspgo_insn insn;
    const uint32_t size = csspgo_decode_aarch64(exact, n, address, &insn);
    T_CHECK(size == insn.size && size <= n && (size != 0 || insn.skip >= 1));
    free(exact);
    return insn;
}

static csspgo_insn x86_hex(const char *hex)
{
    unsigned char code[64];
    return x86(code, bytes_of(hex, code, sizeof code), ADDRESS);
}

/* Every row of the table of control transfers, and what is close to one but none. */
static const transfer transfers[] = {
    {"70 10", 2, CSSPGO_COND, 1, 0x12},
    {"75 fe", 2, CSSPGO_COND, 1, 0},
    {"7f 80", 2, CSSPGO_COND, 1, (uint64_t)0 - 126},
    {"2e 74 00", 3, CSSPGO_COND, 1, 3},
    {"3e 7e 7f", 3, CSSPGO_COND, 1, 130},
    {"0f 80 00 01 00 00", 6, CSSPGO_COND, 1, 0x106},
    {"0f 8f fa ff ff ff", 6, CSSPGO_COND, 1, 0},
    {"2e 0f 84 01 00 00 00", 7, CSSPGO_COND, 1, 8},
    {"f2 0f 84 01 00 00 00", 7, CSSPGO_COND, 1, 8},
    {"48 0f 84 01 00 00 00", 7, CSSPGO_COND, 1, 8},
    {"66 0f 84 01 00", 5, CSSPGO_COND, 1, 6},
    {"e0 f0", 2, CSSPGO_COND, 1, (uint64_t)0 - 14},
    {"e1 f0", 2, CSSPGO_COND, 1, (uint64_t)0 - 14},
    {"e2 f0", 2, CSSPGO_COND, 1, (uint64_t)0 - 14},
    {"e3 02", 2, CSSPGO_COND, 1, 4},
    {"67 e3 02", 3, CSSPGO_COND, 1, 5},
    {"eb 00", 2, CSSPGO_JMP, 1, 2},
    {"e9 00 00 00 80", 5, CSSPGO_JMP, 1, 5 - (uint64_t)0x80000000u},
    {"f2 e9 01 00 00 00", 6, CSSPGO_JMP, 1, 7},
    {"66 e9 00 80", 4, CSSPGO_JMP, 1, 4 - (uint64_t)0x8000},
    {"e8 00 00 00 00", 5, CSSPGO_CALL, 1, 5},
    {"e8 ff ff ff 7f", 5, CSSPGO_CALL, 1, 0x80000004u},
    {"f2 e8 01 00 00 00", 6, CSSPGO_CALL, 1, 7},
    {"66 e8 01 00 00 00", 6, CSSPGO_CALL, 1, 7},
    {"66 66 48 e8 01 00 00 00", 8, CSSPGO_CALL, 1, 9},
    {"40 e8 01 00 00 00", 6, CSSPGO_CALL, 1, 7},
    {"ff d0", 2, CSSPGO_CALL, 0, 0},
    {"41 ff d7", 3, CSSPGO_CALL, 0, 0},
    {"3e ff d0", 3, CSSPGO_CALL, 0, 0},
    {"f2 ff d0", 3, CSSPGO_CALL, 0, 0},
    {"ff 10", 2, CSSPGO_CALL, 0, 0},
    {"ff 50 08", 3, CSSPGO_CALL, 0, 0},
    {"ff 14 c5 00 00 00 00", 7, CSSPGO_CALL, 0, 0},
    {"ff 15 10 20 30 00", 6, CSSPGO_CALL, 0, 0},
    {"ff 94 24 80 00 00 00", 7, CSSPGO_CALL, 0, 0},
    {"ff 18", 2, CSSPGO_CALL, 0, 0},
    {"48 ff 58 08", 4, CSSPGO_CALL, 0, 0},
    {"ff e0", 2, CSSPGO_IJMP, 0, 0},
    {"3e ff e0", 3, CSSPGO_IJMP, 0, 0},
    {"f2 ff e0", 3, CSSPGO_IJMP, 0, 0},
    {"ff 20", 2, CSSPGO_IJMP, 0, 0},
    {"ff 24 c5 00 10 40 00", 7, CSSPGO_IJMP, 0, 0},
    {"f2 ff 25 01 02 03 04", 7, CSSPGO_IJMP, 0, 0},
    {"ff 28", 2, CSSPGO_IJMP, 0, 0},
    {"c3", 1, CSSPGO_RET, 0, 0},
    {"f3 c3", 2, CSSPGO_RET, 0, 0},
    {"f2 c3", 2, CSSPGO_RET, 0, 0},
    {"66 c3", 2, CSSPGO_RET, 0, 0},
    {"c2 08 00", 3, CSSPGO_RET, 0, 0},
    {"cb", 1, CSSPGO_RET, 0, 0},
    {"48 cb", 2, CSSPGO_RET, 0, 0},
    {"ca 08 00", 3, CSSPGO_RET, 0, 0},
    {"cf", 1, CSSPGO_RET, 0, 0},
    {"48 cf", 2, CSSPGO_RET, 0, 0},
    {"c7 f8 01 00 00 00", 6, CSSPGO_COND, 1, 7},
    {"66 c7 f8 ff ff", 5, CSSPGO_COND, 1, 4},
    {"0f 05", 2, CSSPGO_NONE, 0, 0},
    {"0f 34", 2, CSSPGO_NONE, 0, 0},
    {"0f 07", 2, CSSPGO_NONE, 0, 0},
    {"48 0f 07", 3, CSSPGO_NONE, 0, 0},
    {"0f 35", 2, CSSPGO_NONE, 0, 0},
    {"cc", 1, CSSPGO_NONE, 0, 0},
    {"cd 80", 2, CSSPGO_NONE, 0, 0},
    {"0f 0b", 2, CSSPGO_NONE, 0, 0},
    {"f4", 1, CSSPGO_NONE, 0, 0},
    {"c6 f8 01", 3, CSSPGO_NONE, 0, 0},
    {"0f 01 d5", 3, CSSPGO_NONE, 0, 0},
    {"0f aa", 2, CSSPGO_NONE, 0, 0},
    {"0f 01 c1", 3, CSSPGO_NONE, 0, 0},
    {"0f 01 d9", 3, CSSPGO_NONE, 0, 0},
    {"f3 0f 01 ec", 4, CSSPGO_NONE, 0, 0},
    {"0f 01 d7", 3, CSSPGO_NONE, 0, 0},
    {"f3 0f 1e fa", 4, CSSPGO_NONE, 0, 0},
    {"ff 30", 2, CSSPGO_NONE, 0, 0},
    {"ff c0", 2, CSSPGO_NONE, 0, 0},
    {"c7 00 01 00 00 00", 6, CSSPGO_NONE, 0, 0},
    {"0f a1", 2, CSSPGO_NONE, 0, 0}
};

static void control_transfers_have_kind_and_target(void)
{
    size_t i;
    for (i = 0; i < COUNT(transfers); i++) {
        const csspgo_insn insn = x86_hex(transfers[i].hex);
        T_MSG(insn.size == transfers[i].size && insn.kind == transfers[i].kind, transfers[i].hex);
        T_MSG(insn.has_target == transfers[i].has_target, transfers[i].hex);
        T_MSG(insn.target == (insn.has_target ? ADDRESS + transfers[i].target : 0), transfers[i].hex);
    }
}

/* An absolute target does not depend on the address. LLVM 19 knows its length, but not that it jumps. */
static void jmpabs_has_an_absolute_target(void)
{
    static const unsigned char code[] = {0xd5, 0x00, 0xa1, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    const csspgo_insn insn = x86(code, sizeof code, ADDRESS);
    T_EQ(insn.size, 11);
    T_EQ(insn.kind, CSSPGO_JMP);
    T_CHECK(insn.has_target && insn.target == 0x1122334455667788u);
}

static void targets_wrap_around(void)
{
    static const unsigned char back[] = {0xe9, 0x00, 0x00, 0x00, 0x80}, forth[] = {0xeb, 0x7f};
    T_EQ(x86(back, sizeof back, 0).target, (uint64_t)0 - 0x7ffffffb);
    T_EQ(x86(forth, sizeof forth, UINT64_MAX).target, 0x80);
}

/* One or more of every class of operands, of every map, and of what prefixes change. */
static const length lengths[] = {
    {"90", 1}, {"f3 90", 2}, {"66 90", 2}, {"55", 1}, {"48 89 e5", 3}, {"04 01", 2}, {"05 01 02 03 04", 5},
    {"66 05 01 02", 4}, {"66 48 05 01 02 03 04", 7}, {"68 01 02 03 04", 5}, {"66 68 01 02", 4}, {"6a 01", 2},
    {"69 c0 01 02 03 04", 6}, {"66 69 c0 01 02", 5}, {"6b 45 08 01", 4}, {"b0 01", 2}, {"b8 01 02 03 04", 5},
    {"66 b8 01 02", 4}, {"48 b8 01 02 03 04 05 06 07 08", 10}, {"66 48 b8 01 02 03 04 05 06 07 08", 11},
    {"a0 01 02 03 04 05 06 07 08", 9}, {"67 a1 01 02 03 04", 6}, {"c8 01 02 03", 4}, {"c9", 1}, {"d7", 1},
    {"f6 c0 01", 3}, {"f6 d0", 2}, {"f7 c0 01 02 03 04", 6}, {"66 f7 c0 01 02", 5}, {"f7 e0", 2},
    {"80 3d 01 02 03 04 05", 7}, {"81 c4 01 02 03 04", 6}, {"66 81 c4 01 02", 5}, {"83 ec 08", 3}, {"c1 e0 05", 3},
    {"c6 00 01", 3}, {"66 c7 00 01 02", 5}, {"8f c0", 2}, {"8b 00", 2}, {"8b 40 01", 3}, {"8b 80 01 02 03 04", 6},
    {"8b 05 01 02 03 04", 6}, {"8b 04 24", 3}, {"8b 44 24 08", 4}, {"8b 84 24 01 02 03 04", 7},
    {"8b 04 25 01 02 03 04", 7}, {"41 8b 45 00", 4}, {"43 8b 04 25 01 02 03 04", 8},
    {"64 48 8b 04 25 28 00 00 00", 9}, {"67 8d 04 07", 4}, {"d9 c0", 2}, {"db 6c 24 10", 4}, {"df e0", 2},
    {"66 66 2e 0f 1f 84 00 00 00 00 00", 11}, {"0f a2", 2}, {"0f b6 c0", 3}, {"0f a4 c0 05", 4}, {"0f ba e0 03", 4},
    {"0f c7 08", 3}, {"0f ae e8", 3}, {"f3 0f b8 c0", 4}, {"66 0f 70 c0 1b", 5}, {"66 0f 78 c0 01 02", 6},
    {"0f 78 c0", 3}, {"f2 0f 38 f1 c0", 5}, {"66 0f 38 00 c1", 5}, {"0f 38 c8 c1", 4}, {"66 0f 3a 0f c1 08", 6},
    {"0f 3a cc c1 00", 5}, {"0f 0f c1 bf", 4}, {"0f 0f 44 24 08 9e", 6}, {"c5 f8 77", 3},
    {"c5 fc 28 05 01 02 03 04", 8}, {"c4 e2 7d 18 44 24 08", 7}, {"c4 e3 7d 19 c1 01", 6},
    {"c4 e2 69 90 0c 05 00 00 00 00", 10}, {"c4 e3 fb f0 c1 05", 6}, {"62 f1 7c 48 58 c1", 6},
    {"62 f1 7c 58 58 40 01", 7}, {"62 f3 fd 48 23 c1 01", 7}, {"62 f2 7d 49 90 04 05 00 00 00 00", 11},
    {"62 f5 7c 48 58 c1", 6}, {"62 f4 74 18 01 c2", 6}, {"62 f4 7c 0c f7 d8", 6},
    {"62 f4 7c 08 69 c0 01 02 03 04", 10}, {"8f e8 78 c0 c1 05", 6}, {"8f e9 78 01 c8", 5},
    {"8f ea 78 10 c1 01 02 03 04", 9}, {"d5 48 8b c0", 4}, {"d5 80 af c1", 4}, {"48 a7", 2}, {"f3 48 ab", 3},
    {"f3 a4", 2}, {"66 48 0f 6e c0", 5}, {"f2 48 0f 2a c0", 5}
};

static void lengths_are_those_of_the_manual(void)
{
    size_t i;
    for (i = 0; i < COUNT(lengths); i++) {
        const csspgo_insn insn = x86_hex(lengths[i].hex);
        T_MSG(insn.size == lengths[i].size && insn.kind == CSSPGO_NONE && !insn.has_target, lengths[i].hex);
    }
}

/* Not instructions; the number is that of the bytes to skip, as LLVM's disassembler does. */
static const length invalid[] = {
    {"06", 1}, {"0e", 1}, {"27", 1}, {"37", 1}, {"60", 1}, {"82 c0 01", 1}, {"9a 01 02 03 04 05 06", 1}, {"ce", 1},
    {"d4 0a", 1}, {"d6", 1}, {"ea 01 02 03 04 05 06", 1}, {"f1", 1}, {"48 06", 2}, {"48 40 90", 2}, {"0f 04", 2},
    {"0f ff c0", 2}, {"0f 38 ff c0", 3}, {"0f 38 10 c1", 3}, {"fe d0", 2}, {"ff f8", 2}, {"ff d8", 2}, {"8d c0", 2},
    {"8e f8", 2}, {"c7 48 01 02 03 04 05", 3}, {"0f 0f c1 00", 4}, {"c5 f9 77", 3}, {"c5 f0 28 c1", 4},
    {"c4 e0 78 58 c0", 3}, {"62 f0 7c 48 58 c1", 4}, {"62 f1 7c 48 00 c1", 5}, {"8f cb 78 00 c0", 3},
    {"c4 e2 69 90 08", 5}, {"c1 f0 05", 2}, {"d3 30", 2}, {"f7 c8 01 02 03 04", 2}, {"0f ba c0 01", 3},
    {"0f c7 c0", 3}, {"d9 d1", 2}, {"df c8", 2}, {"0f 01 cc", 3}, {"0f ae c0", 3}, {"f3 0f 1e c0", 4},
    {"0f 71 c0 01", 3}, {"c4 e2 78 f3 c0", 5}, {"62 f1 7c 58 28 00", 5}, {"62 f1 7c c8 c2 c1 00", 5},
    {"62 f4 7c 08 8f c0", 5}, {"c4 c1 7c 4a c1", 5}, {"f3 66 90", 3}, {"66 0f 09", 3}, {"0f 20 00", 3},
    {"0f 50 00", 3}, {"0f c3 c0", 3}, {"66 f3 2e 0f 10 c0", 5}, {"66 c5 fa d5 05 01 02 03 04", 9}
};

static void what_is_no_instruction_says_how_much_to_skip(void)
{
    size_t i;
    for (i = 0; i < COUNT(invalid); i++) {
        const csspgo_insn insn = x86_hex(invalid[i].hex);
        T_MSG(insn.size == 0 && insn.skip == invalid[i].size && insn.kind == CSSPGO_NONE, invalid[i].hex);
    }
}

/* LLVM prints these prefixes as instructions of their own. */
static void some_prefixes_are_instructions(void)
{
    static const length v[] = {
        {"f0 0f b1 07", 1}, {"f0 f0", 1}, {"66 f0 90", 3}, {"f2 f0 01 07", 1}, {"f3 f0 01 07", 1}, {"f2 87 07", 1},
        {"f3 91", 1}, {"f3 88 07", 1}, {"f2 88 07", 3}, {"66 f3 c7 00 01 02", 2}, {"48 66 90", 2}
    };
    size_t i;
    for (i = 0; i < COUNT(v); i++) T_MSG(x86_hex(v[i].hex).size == v[i].size, v[i].hex);
}

static void no_prefix_of(const char *hex, size_t size)
{
    unsigned char code[64];
    size_t n;
    bytes_of(hex, code, sizeof code);
    for (n = 0; n < size; n++) {
        const csspgo_insn insn = x86(code, n, ADDRESS);
        T_MSG(insn.size == 0 && insn.skip <= (n != 0 ? n : 1) && insn.kind == CSSPGO_NONE, hex);
    }
}

static void every_truncation_is_no_instruction(void)
{
    size_t i;
    for (i = 0; i < COUNT(transfers); i++) no_prefix_of(transfers[i].hex, transfers[i].size);
    for (i = 0; i < COUNT(lengths); i++) no_prefix_of(lengths[i].hex, lengths[i].size);
}

static void bytes_behind_an_instruction_do_not_matter(void)
{
    unsigned char code[64], more[64];
    size_t i, n;
    for (i = 0; i < COUNT(lengths); i++) {
        n = bytes_of(lengths[i].hex, code, sizeof code);
        memcpy(more, code, n);
        memset(more + n, 0xf0, sizeof more - n);
        T_EQ(x86(more, sizeof more, ADDRESS).size, lengths[i].size);
        memset(more + n, 0x0f, sizeof more - n);
        T_EQ(x86(more, sizeof more, ADDRESS).size, lengths[i].size);
    }
}

/* Random bytes: what was decoded from many bytes is decoded from just its own, and from no fewer. */
static void random_bytes_decode_the_same_from_an_exact_block(void)
{
    uint64_t x = 88172645463325252u;
    unsigned char code[24];
    unsigned long round, valid = 0;
    size_t i;
    for (round = 0; round < 100000; round++) {
        csspgo_insn insn, exact, shorter;
        for (i = 0; i < sizeof code; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            code[i] = (unsigned char)(x >> 24);
        }
        insn = x86(code, sizeof code, ADDRESS);
        if (insn.size == 0 || (code[insn.size - 1] & 0xfe) == 0xf2) continue;     /* F2, F3 may stand for themselves */
        exact = x86(code, insn.size, ADDRESS);
        shorter = x86(code, insn.size - 1, ADDRESS);
        T_CHECK(memcmp(&exact, &insn, sizeof insn) == 0 && shorter.size == 0);
        valid++;
    }
    T_CHECK(valid > 80000);
}

/* A run of prefixes longer than any instruction is skipped in pieces, so a sweep takes linear time. */
static void long_runs_of_prefixes_are_skipped(void)
{
    static unsigned char code[100000];
    csspgo_insn insn;
    memset(code, 0x66, sizeof code);
    insn = x86(code, sizeof code, ADDRESS);
    T_CHECK(insn.size == 0 && insn.skip > 15 && insn.skip <= 256);
    code[20] = 0x90;
    T_EQ(x86(code, sizeof code, ADDRESS).size, 21);
}

typedef struct word {
    uint32_t word;
    csspgo_transfer_kind kind;
    uint32_t has_target;
    uint64_t target;          /* relative to ADDRESS */
} word;

static const word words[] = {
    {0x14000001, CSSPGO_JMP, 1, 4},                                /* b              */
    {0x17ffffff, CSSPGO_JMP, 1, (uint64_t)0 - 4},
    {0x16000000, CSSPGO_JMP, 1, (uint64_t)0 - 0x8000000},
    {0x15ffffff, CSSPGO_JMP, 1, 0x7fffffc},
    {0x94000002, CSSPGO_CALL, 1, 8},                               /* bl             */
    {0x97fffffe, CSSPGO_CALL, 1, (uint64_t)0 - 8},
    {0x54000040, CSSPGO_COND, 1, 8},                               /* b.eq           */
    {0x54fffff1, CSSPGO_COND, 1, (uint64_t)0 - 4},                 /* bc.ne          */
    {0x54800000, CSSPGO_COND, 1, (uint64_t)0 - 0x100000},
    {0x34000040, CSSPGO_COND, 1, 8},                               /* cbz w0         */
    {0xb5ffffe1, CSSPGO_COND, 1, (uint64_t)0 - 4},                 /* cbnz x1        */
    {0x36080040, CSSPGO_COND, 1, 8},                               /* tbz w0, #1     */
    {0xb70fffe1, CSSPGO_COND, 1, (uint64_t)0 - 4},                 /* tbnz x1, #33   */
    {0x37040000, CSSPGO_COND, 1, (uint64_t)0 - 0x8000},
    {0x74000040, CSSPGO_COND, 1, 8},                               /* cbgt w0, w0    */
    {0xf5c11fe2, CSSPGO_COND, 1, 0x3fc},                           /* cbne x2, #0x2  */
    {0xd61f0020, CSSPGO_IJMP, 0, 0},                               /* br x1          */
    {0xd61f083f, CSSPGO_IJMP, 0, 0},                               /* braaz x1       */
    {0xd61f0c3f, CSSPGO_IJMP, 0, 0},                               /* brabz x1       */
    {0xd71f0822, CSSPGO_IJMP, 0, 0},                               /* braa x1, x2    */
    {0xd71f0c22, CSSPGO_IJMP, 0, 0},                               /* brab x1, x2    */
    {0xd63f0020, CSSPGO_CALL, 0, 0},                               /* blr x1         */
    {0xd63f083f, CSSPGO_CALL, 0, 0},                               /* blraaz x1      */
    {0xd63f0c3f, CSSPGO_CALL, 0, 0},                               /* blrabz x1      */
    {0xd73f0822, CSSPGO_CALL, 0, 0},                               /* blraa x1, x2   */
    {0xd73f0c22, CSSPGO_CALL, 0, 0},                               /* blrab x1, x2   */
    {0xd65f03c0, CSSPGO_RET, 0, 0},                                /* ret            */
    {0xd65f0020, CSSPGO_RET, 0, 0},                                /* ret x1         */
    {0xd65f0bff, CSSPGO_RET, 0, 0},                                /* retaa          */
    {0xd65f0fff, CSSPGO_RET, 0, 0},                                /* retab          */
    {0xd65f0be1, CSSPGO_RET, 0, 0},                                /* retaasppcr x1  */
    {0xd65f0fe1, CSSPGO_RET, 0, 0},                                /* retabsppcr x1  */
    {0x5500003f, CSSPGO_RET, 0, 0},                                /* retaasppc      */
    {0x5520003f, CSSPGO_RET, 0, 0},                                /* retabsppc      */
    {0xd69f03e0, CSSPGO_RET, 0, 0},                                /* eret           */
    {0xd69f0bff, CSSPGO_RET, 0, 0},                                /* eretaa         */
    {0xd69f0fff, CSSPGO_RET, 0, 0},                                /* eretab         */
    {0xd6bf03e0, CSSPGO_RET, 0, 0},                                /* drps           */
    {0xd4000001, CSSPGO_NONE, 0, 0},                               /* svc            */
    {0xd4000002, CSSPGO_NONE, 0, 0},                               /* hvc            */
    {0xd4000003, CSSPGO_NONE, 0, 0},                               /* smc            */
    {0xd4200020, CSSPGO_NONE, 0, 0},                               /* brk            */
    {0xd4400020, CSSPGO_NONE, 0, 0},                               /* hlt            */
    {0xd503201f, CSSPGO_NONE, 0, 0},                               /* nop            */
    {0xd503245f, CSSPGO_NONE, 0, 0},                               /* bti c          */
    {0xd50323bf, CSSPGO_NONE, 0, 0},                               /* autiasp        */
    {0xd4a00001, CSSPGO_NONE, 0, 0},                               /* dcps1          */
    {0x00000000, CSSPGO_NONE, 0, 0},                               /* udf            */
    {0xd61f0021, CSSPGO_NONE, 0, 0},                               /* br with a bit too much       */
    {0xd65f0bc0, CSSPGO_NONE, 0, 0},
    {0xd69f03e1, CSSPGO_NONE, 0, 0},
    {0xd6bf03e1, CSSPGO_NONE, 0, 0},
    {0xa9bf7bfd, CSSPGO_NONE, 0, 0}                                /* stp x29, x30   */
};

static void aarch64_words_have_kind_and_target(void)
{
    unsigned char code[4];
    char name[16];
    size_t i, n;
    for (i = 0; i < COUNT(words); i++) {
        csspgo_insn insn;
        for (n = 0; n < 4; n++) code[n] = (unsigned char)(words[i].word >> (8 * n));
        insn = aarch64(code, 4, ADDRESS);
        snprintf(name, sizeof name, "%08lx", (unsigned long)words[i].word);
        T_MSG(insn.size == 4 && insn.kind == words[i].kind && insn.has_target == words[i].has_target &&
              insn.target == (words[i].has_target ? ADDRESS + words[i].target : 0), name);
        for (n = 0; n < 4; n++) T_EQ(aarch64(code, n, ADDRESS).size, 0);
    }
}

/* ----- programs ----- */

static csspgo_transfer_kind kind_named(const char *s, size_t n)
{
    static const char *const names[] = {"-", "cond", "jmp", "ijmp", "call", "ret"};
    size_t i;
    for (i = 0; i < 6; i++)
        if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0) return (csspgo_transfer_kind)i;
    return CSSPGO_TRANSFER_KIND_FORCE_32;
}

/*
 * A table of instructions: address, size, kind, bytes (AArch64: one 32-bit word; x86-64: an instruction of 10 bytes
 * stands there as 9, the last one is 0). Returns the number of lines compared.
 */
static size_t compare_table(const char *path, int is_aarch64)
{
    size_t size, count = 0;
    char *text = t_file(path, &size), *line, *next;
    for (line = text; line != NULL && *line != '\0'; line = next) {
        const size_t line_size = strcspn(line, "\n");
        unsigned char code[32];
        const char *kind;
        csspgo_insn insn;
        char *p;
        uint64_t address;
        size_t n = 0, expected;
        next = line + line_size + (line[line_size] == '\n');
        line[line_size] = '\0';
        if (*line == '#' || *line == '\0') continue;
        address = strtoull(line, &p, 16);
        expected = (size_t)strtoul(p, &p, 10);
        kind = p + strspn(p, "\t");
        p = strchr(p + 1, '\t') + 1;
        memset(code, 0, sizeof code);
        for (; n < 16 && strcspn(p, "\t") > 1; p += 2) {
            char two[3];
            memcpy(two, p, 2);
            two[2] = '\0';
            code[is_aarch64 ? 3 - n : n] = (unsigned char)strtoul(two, NULL, 16);
            n++;
        }
        insn = is_aarch64 ? aarch64(code, 4, address) : x86(code, expected == 9 ? 10 : expected, address);
        T_MSG(insn.size == expected || (expected == 9 && insn.size == 10), line);
        T_MSG(insn.kind == kind_named(kind, strcspn(kind, "\t")), line);
        count++;
    }
    free(text);
    return count;
}

static void programs_decode_as_their_tables_say(void)
{
    T_CHECK(compare_table("data/unwind/tables/demo.probe.tsv", 0) > 150);
    T_CHECK(compare_table("data/unwind/tables/ext.probe.tsv", 0) > 200);
    T_CHECK(compare_table("data/unwind/tables/demo.pie.tsv", 0) > 150);
    T_CHECK(compare_table("data/unwind/tables/a64.probe.tsv", 1) > 50);
}

/*
 * The file has, per line, an instruction in hex digits, then what the decoder has to say of it and of what each flipped
 * bit makes of it: a size, 1 to f, or what to skip, A for 1 on.
 */
static void each_bit_of_an_instruction_means_what_it_does_to_llvm(void)
{
    size_t size, count = 0;
    char *text = t_file("data/insn/flips.txt", &size), *line, *next;
    for (line = text; *line != '\0'; line = next) {
        unsigned char code[32];
        size_t n = 0, i;
        next = line + strcspn(line, "\n");
        *next++ = '\0';
        if (*line == '#') continue;
        memset(code, 0x90, sizeof code);
        for (; line[2 * n] != ' '; n++) {
            char two[3] = "";
            memcpy(two, line + 2 * n, 2);
            code[n] = (unsigned char)strtoul(two, NULL, 16);
        }
        for (i = 0; line[2 * n + 1 + i] != '\0'; i++, count++) {
            const char expected = line[2 * n + 1 + i];
            const size_t bit = i - 1;
            csspgo_insn insn;
            if (i != 0) code[bit / 8] ^= (unsigned char)(1 << bit % 8);
            csspgo_decode_x86_64(code, sizeof code, ADDRESS, &insn);
            if (i != 0) code[bit / 8] ^= (unsigned char)(1 << bit % 8);
            T_MSG((insn.size != 0 ? "0123456789abcdef"[insn.size & 15] : (char)('A' - 1 + (int)insn.skip)) == expected, line);
        }
    }
    T_CHECK(count > 25000);
    free(text);
}

int main(void)
{
    (void)t_options;          /* the harness has more than this test uses */
    (void)t_same;
    control_transfers_have_kind_and_target();
    jmpabs_has_an_absolute_target();
    targets_wrap_around();
    lengths_are_those_of_the_manual();
    what_is_no_instruction_says_how_much_to_skip();
    some_prefixes_are_instructions();
    every_truncation_is_no_instruction();
    bytes_behind_an_instruction_do_not_matter();
    random_bytes_decode_the_same_from_an_exact_block();
    long_runs_of_prefixes_are_skipped();
    aarch64_words_have_kind_and_target();
    programs_decode_as_their_tables_say();
    each_bit_of_an_instruction_means_what_it_does_to_llvm();
    return t_end();
}
