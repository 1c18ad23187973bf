/* fuzz_insn.c - any bytes as code: the decoders stay inside, agree with themselves on any longer input, and a sweep of
 * the code map finds exactly the instructions that they give one after the other. Byte 0: bit 0 AArch64. */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include "fuzz.h"

static uint32_t decode(int a64, const uint8_t *p, size_t n, uint64_t at, csspgo_insn *out)
{
    return a64 ? csspgo_decode_aarch64(p, n, at, out) : csspgo_decode_x86_64(p, n, at, out);
}

/* Number of legacy prefixes among the size bytes at p. */
static uint32_t prefixes(const uint8_t *p, uint32_t size)
{
    uint32_t n = 0;
    while (n < size && p[n] != 0 && strchr("\xf0\xf2\xf3\x26\x2e\x36\x3e\x64\x65\x66\x67", p[n]) != NULL) n++;
    return n;
}

static void check(int a64, const uint8_t *p, size_t n, uint64_t at)
{
    csspgo_insn x, y;
    uint8_t exact[256];
    const uint32_t size = decode(a64, p, n, at, &x);
    REQUIRE(size == x.size && size <= n && (!a64 || size == 0 || size == 4));
    REQUIRE(x.kind <= CSSPGO_RET && size <= sizeof exact);
    if (size == 0) {
        REQUIRE(x.skip >= 1 && x.kind == CSSPGO_NONE && !x.has_target);
        return;
    }
    if (!a64 && prefixes(p, size) == size) return; /* lock and repeat are instructions before some others only */
    memcpy(exact, p, size);                           /* else what follows an instruction does not matter to it */
    REQUIRE(decode(a64, exact, size, at, &y) == size && y.kind == x.kind && y.target == x.target &&
            y.has_target == x.has_target);
    REQUIRE(size == 1 || a64 || decode(0, exact, size - 1, at, &y) != size);
    if (x.has_target) {                               /* targets move along */
        decode(a64, p, n, at + 4096, &y);
        REQUIRE(y.target == x.target + 4096 || y.target == x.target);   /* jmpabs stays */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t base = 0x401000;
    const csspgo_module none = { 0 };
    csspgo_code *code;
    csspgo_insn x;
    size_t at;
    int a64;
    if (size < 2 || size > 4096) return 0;
    a64 = data[0] & 1;
    data++;
    size--;
    code = csspgo_code_new(NULL, NULL);
    if (code == NULL) return 0;
    REQUIRE(csspgo_code_add_bytes(code, none, a64 ? CSSPGO_AARCH64 : CSSPGO_X86_64, base, data, size, NULL, 0) ==
            CSSPGO_OK);
    for (at = 0; at < size;) {
        const uint64_t before = csspgo_code_call_before(code, base + at);
        check(a64, data + at, size - at, base + at);
        decode(a64, data + at, size - at, base + at, &x);
        REQUIRE(csspgo_code_kind(code, base + at) == x.kind);
        REQUIRE(before == 0 || (before < base + at && csspgo_code_kind(code, before) == CSSPGO_CALL));
        at += x.size != 0 ? x.size : x.skip;
    }
    csspgo_code_free(code);
    return 0;
}
