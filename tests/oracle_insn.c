/* oracle_insn.c - compares the instruction decoders with llvm-objdump, line by line.
 *
 *     llvm-objdump-19 -D -z -j .text FILE | oracle_insn x86_64 [LIMIT]   (or aarch64; stops behind LIMIT instructions)
 *     oracle_insn random SEED BYTES > FILE                               (x86-64 code, most of it unusual encodings)
 *     oracle_insn random-aarch64 SEED BYTES > FILE                       (words, most of them branches)
 *
 * Every line is decoded from its address on, with the bytes that follow in the dump: size, bytes skipped where
 * llvm-objdump says <unknown>, kind of control transfer by mnemonic, and target must be the same. Prints "INSTRUCTIONS
 * UNDECODABLE TRANSFERS DIFFERENCES" and, on stderr, the first differences. Exit status 1 if there are any.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

enum { LINES = 8192, AHEAD = 64, LINE_BYTES = 64, TEXT = 80 };

typedef struct line {
    uint64_t address;
    uint32_t size;
    char     text[TEXT];                       /* mnemonic and operands */
} line;

typedef struct state {
    int      aarch64;
    uint64_t limit, instructions, undecodable, transfers, differences;
    uint64_t base;                             /* address of bytes[0] */
    size_t   line_count, byte_count;
    line          lines[LINES];
    unsigned char bytes[(LINES + 1) * LINE_BYTES];
} state;

static int starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static size_t word_size(const char *s)
{
    return strcspn(s, " \t");
}

static int is_word(const char *s, const char *words)
{
    const size_t n = word_size(s);
    const char *w;
    for (w = words; *w != '\0'; w += strcspn(w, " "), w += strspn(w, " "))
        if (strcspn(w, " ") == n && memcmp(w, s, n) == 0) return 1;
    return 0;
}

/* The kind that x86-64 assembly names; *s moves to the operands. */
static csspgo_transfer_kind x86_kind(const char **s)
{
    const char *m = *s;
    while (is_word(m, "lock rep repe repz repne repnz notrack data16 data32 addr32 cs ds es fs gs ss rex64 bnd") &&
           m[word_size(m)] != '\0')
        m += word_size(m), m += strspn(m, " \t");
    *s = m + word_size(m);
    *s += strspn(*s, " \t");
    if (starts(m, "call") || starts(m, "lcall")) return CSSPGO_CALL;
    if (starts(m, "jmp") || starts(m, "ljmp")) return **s == '*' ? CSSPGO_IJMP : CSSPGO_JMP;
    if (starts(m, "ret") || starts(m, "lret") || starts(m, "iret")) return CSSPGO_RET;
    if (m[0] == 'j' || starts(m, "loop") || starts(m, "xbegin")) return CSSPGO_COND;
    return CSSPGO_NONE;
}

static csspgo_transfer_kind aarch64_kind(const char **s)
{
    const char *m = *s, *comma;
    *s = m + word_size(m);
    *s += strspn(*s, " \t");
    while ((comma = strchr(*s, ',')) != NULL) *s = comma + 1 + strspn(comma + 1, " ");
    if (is_word(m, "b")) return CSSPGO_JMP;
    if (starts(m, "b.") || starts(m, "bc.") || is_word(m, "cbz cbnz tbz tbnz")) return CSSPGO_COND;
    if (is_word(m, "bl blr blraa blrab blraaz blrabz")) return CSSPGO_CALL;
    if (is_word(m, "br braa brab braaz brabz")) return CSSPGO_IJMP;
    if (starts(m, "ret") || starts(m, "eret") || is_word(m, "drps")) return CSSPGO_RET;
    return CSSPGO_NONE;
}

static int differs(state *s, const line *l, const unsigned char *code, size_t size)
{
    const char *text = l->text;
    const int unknown = starts(text, "<unknown>");
    csspgo_transfer_kind kind;
    csspgo_insn insn;
    if (s->aarch64) {
        csspgo_decode_aarch64(code, size, l->address, &insn);
        if (unknown && (code[3] & 0x7e) == 0x74) return 0;   /* cb<cc> is newer than LLVM 19 */
        kind = aarch64_kind(&text);
        if (insn.size != l->size) return 1;
    } else {
        csspgo_decode_x86_64(code, size, l->address, &insn);
        kind = x86_kind(&text);
        if (unknown) return insn.size != 0 || insn.skip != l->size;
        if (insn.size != l->size) return 1;
    }
    if (insn.kind != kind) return 1;
    if (kind == CSSPGO_NONE) return 0;
    s->transfers++;
    if (kind == CSSPGO_RET) return insn.has_target != 0;
    if (*text == '$') text++;                             /* jmpabs has a signed immediate */
    if (insn.has_target != (uint32_t)(starts(text, "0x") || starts(text, "-0x"))) return 1;
    return insn.has_target && insn.target != strtoull(text, NULL, 16);
}

static void compare(state *s, const line *l)
{
    const size_t at = (size_t)(l->address - s->base);
    size_t i;
    s->instructions++;
    if (starts(l->text, "<unknown>")) s->undecodable++;
    if (!differs(s, l, s->bytes + at, s->byte_count - at)) return;
    if (++s->differences > 10) return;
    fprintf(stderr, "differs at %" PRIx64 ":", l->address);
    for (i = 0; i < l->size; i++) fprintf(stderr, " %02x", s->bytes[at + i]);
    fprintf(stderr, "  llvm-objdump: %u bytes, %s\n", (unsigned)l->size, l->text);
}

/* Compares what is there but the last keep lines. */
static void flush(state *s, size_t keep)
{
    size_t i, done = s->line_count > keep ? s->line_count - keep : 0;
    for (i = 0; i < done; i++) compare(s, &s->lines[i]);
    s->line_count -= done;
    memmove(s->lines, s->lines + done, s->line_count * sizeof *s->lines);
    if (s->line_count == 0) {
        s->byte_count = 0;
        return;
    }
    i = (size_t)(s->lines[0].address - s->base);
    s->byte_count -= i;
    s->base += i;
    memmove(s->bytes, s->bytes + i, s->byte_count);
}

/* "  ADDRESS: 48 89 e5   \tmnemonic\toperands"; AArch64 prints one word of eight digits. 0 if it is no such line. */
static int parse(state *s, char *text)
{
    unsigned char bytes[LINE_BYTES];
    char *p = text + strspn(text, " "), *end;
    const uint64_t address = strtoull(p, &end, 16);
    size_t n = 0, at;
    line *l;
    if (end == p || *end != ':' || end[1] != ' ') return 0;
    for (p = end + 2; *p != ' ' && *p != '\t' && *p != '\0' && n + 4 < LINE_BYTES; p = end + (*end == ' ')) {
        const unsigned long v = strtoul(p, &end, 16);
        if (end == p) return 0;
        bytes[n++] = (unsigned char)v;
        if (s->aarch64)
            for (at = 1; at < 4; at++) bytes[n++] = (unsigned char)(v >> (8 * at));
    }
    p += strspn(p, " \t");
    if (n == 0 || *p == '\0') return 0;
    if (s->line_count == LINES) flush(s, AHEAD);
    if (s->line_count != 0 && (address <= s->base || address > s->base + s->byte_count)) flush(s, 0);
    if (s->line_count == 0) s->base = address;
    at = (size_t)(address - s->base);
    memcpy(s->bytes + at, bytes, n);
    if (s->byte_count < at + n) s->byte_count = at + n;
    l = &s->lines[s->line_count++];
    l->address = address;
    l->size = (uint32_t)n;
    memset(l->text, 0, sizeof l->text);
    memcpy(l->text, p, strcspn(p, "\n") < TEXT ? strcspn(p, "\n") : TEXT - 1);
    return 1;
}

static int compare_dump(state *s)
{
    char text[4096];
    while (s->instructions < s->limit && fgets(text, sizeof text, stdin) != NULL)
        if (!parse(s, text) && starts(text, "Disassembly of section")) flush(s, 0);
    flush(s, s->instructions < s->limit ? 0 : AHEAD);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s->instructions, s->undecodable, s->transfers,
           s->differences);
    return s->differences != 0;
}

/* ----- random code ------------------------------------------------------------------------------------------------ */

static uint32_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return (uint32_t)(*x >> 24);
}

/* The first bytes of an unusual instruction; the rest is random anyway. */
static size_t unusual(unsigned char *p, uint64_t *x)
{
    static const unsigned char prefixes[] = {0x66, 0xf2, 0xf3, 0x67, 0x2e, 0x64, 0xf0, 0x48, 0x40, 0x4f, 0x41, 0xd5};
    static const char escapes[4][3] = {"", "\x0f", "\x0f\x38", "\x0f\x3a"};
    const char *escape = escapes[next_random(x) % 4];
    uint32_t r = next_random(x), i;
    size_t n = 0;
    for (i = r >> 8 & 3; i > 0; i--) p[n++] = prefixes[next_random(x) % sizeof prefixes];
    switch (r % 5) {
    case 0:                                               /* EVEX with mostly sound reserved bits */
        n = 0;
        p[n++] = 0x62;
        p[n++] = (unsigned char)((r >> 16 & 0xf0) | (r >> 10 & 7) | (r & 0x8000 ? 0 : 8));
        p[n++] = (unsigned char)(next_random(x) | 4 | (r & 0x4000 ? 0x78 : 0));
        p[n++] = (unsigned char)(next_random(x) & (r & 0x2000 ? 0x68 : 0xff));
        return n;
    case 1:                                               /* VEX */
        p[n++] = 0xc4;
        p[n++] = (unsigned char)((r >> 16 & 0xe0) | (1 + (r >> 10) % 3));
        p[n++] = (unsigned char)(next_random(x) | (r & 0x4000 ? 0x78 : 0));
        return n;
    case 2:                                               /* XOP */
        p[n++] = 0x8f;
        p[n++] = (unsigned char)((r >> 16 & 0xe0) | (8 + (r >> 10) % 3));
        p[n++] = (unsigned char)(next_random(x) & 0xfc);
        return n;
    default:
        while (*escape != '\0') p[n++] = (unsigned char)*escape++;
        return n;
    }
}

static void random_x86(uint64_t seed, size_t size)
{
    unsigned char chunk[32];
    uint64_t x = seed * 2654435769u + 88172645463325252u;
    size_t done, i;
    for (done = 0; done + sizeof chunk <= size; done += sizeof chunk) {
        for (i = 0; i < sizeof chunk; i++) chunk[i] = (unsigned char)next_random(&x);
        if (next_random(&x) % 4 != 0) unusual(chunk, &x);
        fwrite(chunk, 1, sizeof chunk, stdout);
    }
    memset(chunk, 0x90, sizeof chunk);                    /* a truncated prefix at the end is an instruction to LLVM */
    fwrite(chunk, 1, sizeof chunk, stdout);
}

static void random_aarch64(uint64_t seed, size_t size)
{
    static const uint32_t branches[] = {
        0x14000000, 0x94000000, 0x54000000, 0x34000000, 0x36000000, 0xb5000000, 0xd61f0000, 0xd63f0000, 0xd65f0000,
        0xd65f0be0, 0xd61f0800, 0xd63f0800, 0xd71f0800, 0xd73f0800, 0xd69f03e0, 0xd69f0be0, 0xd6bf03e0, 0x5500001f,
        0xd4000001, 0xd4200000, 0xd5000000
    };
    static const uint32_t noise[] = {0, 0x3ff, 0x1f, 0x3e0, 0xffff, 0x3fffff, 0xffffff, 0x3ffffff};
    uint64_t x = seed * 2654435769u + 88172645463325252u;
    size_t done;
    for (done = 0; done + 4 <= size; done += 4) {
        uint32_t w = next_random(&x), i;
        if (next_random(&x) % 4 != 0)
            w = branches[next_random(&x) % (sizeof branches / sizeof branches[0])] ^ (w & noise[next_random(&x) % 8]);
        for (i = 0; i < 4; i++) putchar((int)(w >> (8 * i) & 255));
    }
}

int main(int argc, char **argv)
{
    static state s;
    if (argc == 4 && starts(argv[1], "random")) {
        (strcmp(argv[1], "random") == 0 ? random_x86 : random_aarch64)(strtoull(argv[2], NULL, 10),
                                                                       (size_t)strtoull(argv[3], NULL, 10));
        return 0;
    }
    if (argc < 2 || (strcmp(argv[1], "x86_64") != 0 && strcmp(argv[1], "aarch64") != 0)) {
        fprintf(stderr, "usage: oracle_insn x86_64|aarch64 [LIMIT] < DUMP\n"
                        "       oracle_insn random|random-aarch64 SEED BYTES > FILE\n");
        return 2;
    }
    s.aarch64 = strcmp(argv[1], "aarch64") == 0;
    s.limit = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
    return compare_dump(&s);
}
