/* vectors.c - branches that depend on what vector instructions read behind a displacement (EVEX, where the CPU has it) */
#include <stdio.h>
#include <string.h>
static unsigned char bytes[1024] __attribute__((aligned(64)));
/* One instruction with an operand in memory; m: what it gives, in all lanes. */
#define TRY(text, at) do { __asm__ volatile("vmovdqu8 (%1), %%zmm17\n vmovdqu8 (%1), %%zmm16\n " text "\n vmovdqu8 %%zmm16, (%2)\n vzeroupper" : "+m"(out) : "r"(at), "r"(out), "m"(bytes) : "xmm0", "k1", "k2", "memory"); s = judge(s, out); } while (0)
#define MASK(text, at) do { __asm__ volatile("vmovdqu8 (%2), %%zmm17\n " text "\n kmovq %%k1, %0" : "=r"(mask), "+m"(out) : "r"(at), "m"(bytes) : "xmm0", "k1", "memory"); memset(out, 0, sizeof out); memcpy(out, &mask, sizeof mask); s = judge(s, out); } while (0)
static unsigned char out[64];
__attribute__((noinline)) static unsigned long judge(unsigned long s, const unsigned char *v)
{
    for (int i = 0; i < 64; i++) if (v[i] & 1) s = s * 31 + v[i]; else if (v[i] & 2) s ^= s >> 9; else s += i;
    return s;
}
__attribute__((noinline, target("avx512f,avx512bw,avx512vl"))) static unsigned long evex(unsigned long s)
{
    const unsigned char *p = bytes + 256;
    unsigned long mask;
    TRY("vmovdqu64 0x40(%1), %%zmm16", p);
    TRY("vmovdqu8 -0x80(%1), %%zmm16", p);
    TRY("vmovdqu64 0x20(%1), %%ymm16", p);
    TRY("vmovdqu32 -0x30(%1), %%xmm16", p);
    TRY("vmovups 0xc0(%1), %%zmm16", p);
    TRY("vpminub 0x40(%1), %%zmm17, %%zmm16", p);
    TRY("vpmaxub 0x60(%1), %%ymm17, %%ymm16", p);
    TRY("vpandd 0x80(%1), %%zmm17, %%zmm16", p);
    TRY("vporq -0x40(%1), %%zmm17, %%zmm16", p);
    TRY("vpxorq 0x10(%1), %%xmm17, %%xmm16", p);
    TRY("vpaddb 0x40(%1), %%zmm17, %%zmm16", p);
    TRY("vpaddd 0x40(%1)%{1to16%}, %%zmm17, %%zmm16", p);
    TRY("vpternlogd $0xde, 0x40(%1), %%zmm17, %%zmm16", p);
    TRY("vpshufb 0x40(%1), %%zmm17, %%zmm16", p);
    TRY("vpalignr $3, 0x40(%1), %%zmm17, %%zmm16", p);
    TRY("vpbroadcastd 0x44(%1), %%zmm16", p);
    TRY("vpmovzxbw 0x20(%1), %%zmm16", p);
    TRY("vpermq $0x1b, 0x40(%1), %%zmm16", p);
    TRY("vaddss 0x44(%1), %%xmm17, %%xmm16", p);
    MASK("vpcmpub $1, 0x40(%2), %%zmm17, %%k1", p);
    MASK("vpcmpeqb 0x40(%2), %%zmm17, %%k1", p);
    MASK("vptestnmb 0x20(%2), %%ymm17, %%k1", p);
    MASK("vpcmpud $6, -0x40(%2), %%zmm17, %%k1", p);
    return s;
}
int main(void)
{
    unsigned long s = 1, expected = 0;
    int i, has = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    for (i = 0; i < 1024; i++) bytes[i] = (unsigned char)(s = s * 6364136223846793005u + 1442695040888963407u) ^ (unsigned char)(s >> 33);
    for (i = 0; i < 40 && has; i++) { s = evex(s); bytes[(s >> 7) % 1024] ^= (unsigned char)s; expected += s; }
    printf("%d %lu\n", has, expected);
    return 7;
}
