/* oracle_bottleneck.c - random blocks for a CPU: our simulator and analysis, on models that examples/mca.h measures,
 * against llvm-mca-19 -bottleneck-analysis: equal reports. Blocks that a model marks as an estimate are only counted.
 * Where the latency bound is what counts, the chain that it names is proven: what makes it cheaper helps, and nothing
 * else does.
 *
 *     oracle_bottleneck CPU TRIPLE COUNT [SEED [ALIAS]]
 *     oracle_bottleneck CPU TRIPLE FILE         blocks of compiled code: nine of ten are exact, and have equal cycles
 */
#include "t.h"
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#include "../examples/share/sim_model.h"
#define CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION
#include "../examples/share/bottleneck_report.h"
#include "../examples/mca/mca.h"

static uint32_t state;

static uint32_t pick(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

/* G, V: a register; M: memory; F: one with an index; rare: parts of registers, reads in advance, moves that are
 * eliminated, and what no model can say */
static const char *const x86_forms[] = {
    "addq G, G", "subq G, G", "xorq G, G", "andq $7, G", "addq $1, G", "leaq 8(G), G", "leaq (G,G,2), G",
    "imulq G, G", "imulq $3, G, G", "shlq $3, G", "rolq $5, G", "negq G", "notq G", "cmpq G, G", "testq G, G",
    "sbbq G, G", "adcq G, G", "cmovneq G, G", "popcntq G, G", "bswapq G", "incq G", "movq M, G", "movq F, G",
    "movq G, M", "movl M, W", "addl W, W", "movzbl M, W", "addss V, V", "mulps V, V", "addpd V, V", "mulsd V, V",
    "divss V, V", "sqrtps V, V", "paddd V, V", "pmulld V, V", "pshufd $3, V, V", "unpcklps V, V", "cvtsi2sdq G, V",
    "cvttsd2si V, G", "movaps M, V", "movaps V, M", "movmskps V, G", "pand V, V", "maxps V, V", "cmpltps V, V",
    "xchgq G, G", "shldq $3, G, G", "mulq G", "cqto", "nop", "vaddps V, V, V", "vmulps Y, Y, Y", "vpaddd V, V, V",
    "vandps Y, Y, Y", "vhaddps V, V, V", "jne out"
};
static const char *const x86_rare[] = {
    "divq G", "addq M, G", "movq G, G", "xorl %eax, %eax", "movaps V, V", "setb %bl", "addss M, V", "addq G, M",
    "mfence", "vzeroupper", "pushq G", "shlq %cl, G", "popq G", "movl M, W", "movb $1, %al", "addb %cl, %dl", "movw %ax, %cx",
    "movzbl %al, W", "sete %cl", "xorps %xmm1, %xmm1", "addl $1, M", "cmpq M, G", "mulsd M, V", "movslq W, G", "addb %ah, %cl",
    "cvtsi2sdl M, V", "leaq 8(G,G,4), G", "divl W"
};
static const char *const arm_forms[] = {
    "add X, X, X", "sub X, X, #3", "and X, X, X", "orr X, X, X", "eor X, X, X, lsl #2", "mul X, X, X", "lsl X, X, #3",
    "subs X, X, #1", "cmp X, X", "csel X, X, X, ne", "adc X, X, X", "cset X, lt", "sdiv X, X, X", "umulh X, X, X",
    "clz X, X", "rbit X, X", "ldr X, M", "str X, M", "ldr D, M", "str D, M", "fadd D, D, D", "fmul D, D, D",
    "fdiv D, D, D", "fmov X, D", "fmov D, X", "scvtf D, X", "fcvtzs X, D", "fmax D, D, D", "fsqrt D, D",
    "add Q.4s, Q.4s, Q.4s", "mul Q.4s, Q.4s, Q.4s", "eor Q.16b, Q.16b, Q.16b", "fadd Q.4s, Q.4s, Q.4s", "nop",
    "add X, X, X, lsl #1", "ubfx X, X, #3, #4"
};
static const char *const arm_rare[] = {
    "madd X, X, X, X", "fmadd D, D, D, D", "mov X, X", "mov X, #1", "ldp x6, x7, M", "ldr X, [x9], #8", "dmb ish",
    "add w1, w2, w3", "fmla Q.4s, Q.4s, Q.4s", "mov w1, w2", "sxtw X, w3", "ldr w4, M", "ldr s3, M", "fadd s1, s2, s3", "ldrb w2, M",
    "ldp x2, x3, [x9], #16", "stp X, X, M", "add X, X, w2, uxtw #2", "cbz X, out", "movi Q.4s, #0", "msub X, X, X, X"
};

/* One instruction in which each capital letter becomes a register. */
static void put_instruction(mca_text *t, const char *form, int arm)
{
    static const char *const g[] = { "ax", "cx", "dx", "bx", "si", "di" };
    for (; *form != '\0'; form++) {
        const uint32_t r = pick(6);
        switch (*form) {
        case 'G': mca_put(t, "%%r%s", g[r]); break;
        case 'W': mca_put(t, "%%e%s", g[r]); break;
        case 'V': mca_put(t, "%%xmm%u", r); break;
        case 'Y': mca_put(t, "%%ymm%u", 8 + r); break;
        case 'F': mca_put(t, "(%%r8,%%r%s,8)", g[r]); break;
        case 'M':
            if (arm) mca_put(t, "[x%u]", 9 + r % 2);
            else mca_put(t, "%u(%%r%s)", 16 * r, r < 3 ? "8" : g[r]);
            break;
        case 'X': mca_put(t, "x%u", r); break;
        case 'D': mca_put(t, "d%u", r); break;
        case 'Q': mca_put(t, "v%u", 8 + r); break;
        default: mca_put(t, "%c", *form);
        }
    }
    mca_put(t, "\n");
}

#define LENGTH(a) (sizeof (a) / sizeof *(a))

static void put_programs(mca_text *t, int x86, unsigned count)
{
    unsigned i, k;
    for (i = 0; i < count; i++) {
        const unsigned n = 1 + pick(pick(4) == 0 ? 14 : 6), rare = pick(2) == 0, few = 2 + pick(6);
        const uint32_t first = pick(1000);
        mca_put(t, "# LLVM-MCA-BEGIN p%u\n", i);
        for (k = 0; k < n; k++) {
            const size_t forms = x86 ? LENGTH(x86_forms) : LENGTH(arm_forms);
            const size_t f = pick(2) ? pick((uint32_t)forms) : (first + pick(few)) % forms;
            const char *form = x86 ? x86_forms[f] : arm_forms[f];
            if (rare && pick(3) == 0)
                form = x86 ? x86_rare[pick(LENGTH(x86_rare))] : arm_rare[pick(LENGTH(arm_rare))];
            put_instruction(t, form, !x86);
        }
        mca_put(t, "# LLVM-MCA-END\n");
    }
}

/* The report of llvm-mca on the next region, behind *p: from its line of RThroughput on. Blanks are made single. */
static char *their_report(const char **p)
{
    const char *at = strstr(*p, "Block RThroughput"), *end;
    mca_text t;
    memset(&t, 0, sizeof t);
    if (at == NULL) return NULL;
    at = strchr(at, '\n');
    end = strstr(at, "] Code Region - ");
    *p = end != NULL ? end : at + strlen(at);
    if (end != NULL)
        for (end--; *end != '['; end--) continue;
    mca_put(&t, "%.*s", (int)((end != NULL ? end : *p) - at), at);
    return t.v;
}

/* Drops blanks at ends of lines and empty lines, and makes every run of blanks one. */
static void normal(char *s)
{
    char *to = s, *begin = s;
    for (; *s != '\0'; s++) {
        const char c = *s == '\t' ? ' ' : *s;
        if (c == ' ' && (s[1] == ' ' || s[1] == '\t' || s[1] == '\n')) continue;
        if (c == '\n' && (to == begin || to[-1] == '\n')) continue;
        *to++ = c;
    }
    *to = '\0';
}

static char *our_report(const csspgo_sim_model *m, int exact)
{
    const csspgo_sim_block k = csspgo_sim_model_block(m);
    csspgo_bottleneck_report_options form;
    csspgo_options o;
    csspgo_bottleneck *b;
    csspgo_error e;
    size_t size;
    char *text;
    memset(&o, 0, sizeof o);
    memset(&form, 0, sizeof form);
    o.llvm = 19;
    b = csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, k.iterations, &o, &e);
    if (b == NULL) return fprintf(stderr, "%s\n", e.message), NULL;
    T_EQ(csspgo_bottleneck_get_stats(b).ignored, 0);
    if (exact) T_EQ(csspgo_bottleneck_get_stats(b).cycles, k.cycles);
    form.names.instruction = k.text;
    form.names.reg = k.reg;
    form.names.regs = k.regs;
    csspgo_bottleneck_report(b, &form, NULL, 0, &size, NULL);
    text = (char *)mca_more(NULL, size + 1);
    csspgo_bottleneck_report(b, &form, text, size, &size, NULL);
    text[size] = '\0';
    csspgo_bottleneck_free(b);
    return text;
}

/* ----- the named chain ----- */

static uint64_t cycles_of(const csspgo_sim_machine *m, const csspgo_sim_instruction *x, size_t n)
{
    csspgo_sim_result r;
    csspgo_error e;
    memset(&r, 0, sizeof r);
    T_EQ(csspgo_sim_run(m, x, n, 100, NULL, NULL, &r, &e), CSSPGO_OK);
    return r.cycles;
}

/* Cycles of 100 iterations with the results of instruction `at` earlier by a cycle. */
static uint64_t cheaper(const csspgo_sim_block *k, uint32_t at, csspgo_bottleneck_bounds *bounds)
{
    csspgo_sim_instruction *x = (csspgo_sim_instruction *)mca_more(NULL, k->count * sizeof *x);
    csspgo_sim_def def[64];
    uint64_t cycles;
    uint32_t i;
    memcpy(x, k->instruction, k->count * sizeof *x);
    for (i = 0; i < x[at].defs; i++) {
        def[i] = x[at].def[i];
        if (def[i].latency != 0) def[i].latency--;
    }
    x[at].def = def;
    cycles = cycles_of(&k->machine, x, k->count);
    T_EQ(csspgo_bottleneck_find_bounds(&k->machine, x, k->count, NULL, bounds, NULL, 0, NULL), CSSPGO_OK);
    free(x);
    return cycles;
}

static int smaller(csspgo_bottleneck_ratio a, csspgo_bottleneck_ratio b)
{
    return a.cycles * b.iterations < b.cycles * a.iterations;
}

/* 1 if a bound does not matter beside another one. */
static int far_below(csspgo_bottleneck_ratio a, csspgo_bottleneck_ratio b)
{
    return 3 * a.cycles * b.iterations < 2 * b.cycles * a.iterations;
}

/*
 * Where a block takes what its slowest chain says: the steps of the chain whose results, if they come earlier, make the
 * block faster (proven[1]) or do not (proven[0]). Earlier results of any other instruction must not.
 */
static void prove_chain(const csspgo_sim_block *k, unsigned *proven)
{
    csspgo_bottleneck_bounds all, b;
    csspgo_bottleneck_step *chain = (csspgo_bottleneck_step *)mca_more(NULL, k->count * sizeof *chain);
    const uint64_t before = cycles_of(&k->machine, k->instruction, k->count);
    uint32_t i, s;
    T_EQ(csspgo_bottleneck_find_bounds(&k->machine, k->instruction, k->count, NULL, &all, chain, k->count, NULL),
         CSSPGO_OK);
    if (all.largest == CSSPGO_BOTTLENECK_BY_LATENCY && before * all.latency.iterations < 106 * all.latency.cycles) {
        for (s = 0; s < all.steps; s++) {
            uint64_t after;
            if (chain[s].type != CSSPGO_BOTTLENECK_ON_REGISTER || chain[s].latency == 0) continue;
            after = cheaper(k, chain[s].instruction, &b);
            if (!smaller(b.latency, all.latency)) continue;             /* another chain is as slow */
            if (!far_below(b.ports, b.latency) || !far_below(b.issue, b.latency)) continue;
            proven[after < before]++;
        }
        for (i = 0; i < k->count; i++) {
            uint64_t after;
            for (s = 0; s < all.steps && chain[s].instruction != i; s++) continue;
            if (s < all.steps) continue;
            after = cheaper(k, i, &b);
            T_CHECK(after + 50 > before);
        }
    }
    free(chain);
}

/* Compares the reports on all blocks that have a model of the class. Returns the number of these. */
static unsigned compare(const char *cpu, char **models, size_t n, const char *out)
{
    unsigned exact = 0, found = 0, proven[2] = { 0, 0 };
    size_t i;
    for (i = 0; i < n; i++) {
        char *want = their_report(&out), *got;
        csspgo_error e;
        csspgo_sim_model *m = csspgo_sim_model_read(models[i], strlen(models[i]), NULL, &e);
        const char *doubt;
        if (m == NULL) fprintf(stderr, "%u: %s\n%s", e.line, e.message, models[i]);
        if (!T_CHECK(m != NULL) || !T_CHECK(want != NULL)) break;
        doubt = csspgo_sim_model_block(m).estimate;
        if (getenv("SHOW") != NULL && doubt != NULL) printf("estimate: %s\n", doubt);
        got = our_report(m, doubt == NULL);
        if (T_CHECK(got != NULL) && doubt == NULL) {
            normal(want);
            normal(got);
            exact++;
            if (strstr(models[i], "# times only") != NULL) *got = *want = '\0';
            found += strstr(want, "Critical") != NULL;
            if (!t_same(cpu, got, strlen(got), want, strlen(want)) && t_failed <= 12)
                fprintf(stderr, "block %u\n%s\n%s\n%s\n", (unsigned)i, models[i], got, want);
        }
        if (doubt == NULL) {
            const csspgo_sim_block k = csspgo_sim_model_block(m);
            prove_chain(&k, proven);
        }
        free(want);
        free(got);
        csspgo_sim_model_free(m);
    }
    fprintf(stderr, "%s: %u blocks, %u in the class, %u of them with a critical sequence, %u of %u steps of"
            " named chains proven\n", cpu, (unsigned)n, exact, found, proven[1], proven[0] + proven[1]);
    if (n >= 200) T_CHECK(proven[1] >= 10);
    T_CHECK(10 * proven[0] <= proven[0] + proven[1]);
    return exact;
}

/* Compares the cycles of blocks of compiled code. */
static void compare_code(const char *cpu, char **models, size_t n)
{
    unsigned exact = 0, near = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        csspgo_error e;
        csspgo_sim_result r;
        csspgo_sim_block k;
        csspgo_sim_model *m = csspgo_sim_model_read(models[i], strlen(models[i]), NULL, &e);
        if (!T_CHECK(m != NULL)) continue;
        k = csspgo_sim_model_block(m);
        memset(&r, 0, sizeof r);
        csspgo_sim_run(&k.machine, k.instruction, k.count, k.iterations, NULL, NULL, &r, &e);
        if (k.estimate == NULL && T_EQ(r.cycles, k.cycles)) exact++;
        else if (k.estimate == NULL) fprintf(stderr, "%s", models[i]);
        else near += 10 * r.cycles >= 9 * k.cycles && 10 * r.cycles <= 11 * k.cycles;
        csspgo_sim_model_free(m);
    }
    fprintf(stderr, "%s: %u blocks of code, %u exact, %u of the others within 10 %%\n", cpu, (unsigned)n, exact, near);
    T_CHECK(exact >= n - n / 10);
}

static int code_main(const mca_options *how, const char *path)
{
    mca_text in;
    char line[1000], **models, why[200];
    size_t n;
    FILE *f = fopen(path, "r");
    memset(&in, 0, sizeof in);
    mca_put(&in, "%s", "");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) mca_put(&in, "%s", line);
    if (f != NULL) fclose(f);
    if (!T_CHECK(mca_models(how, in.v, &models, &n, why, sizeof why))) fprintf(stderr, "%s: %s\n", how->mcpu, why);
    else {
        compare_code(how->mcpu, models, n);
        mca_free(models, n);
    }
    free(in.v);
    return t_end();
}

int main(int argc, char **argv)
{
    mca_options how;
    mca_text in;
    mca run;
    char **models, why[200], options[100], *out;
    unsigned count;
    size_t n;
    if (argc < 4) return 2;
    memset(&how, 0, sizeof how);
    memset(&in, 0, sizeof in);
    memset(&run, 0, sizeof run);
    run.mcpu = how.mcpu = argv[1];
    run.mtriple = how.mtriple = argv[2];
    run.how = &how;
    if (argv[3][0] > '9' || argv[3][0] < '0') return code_main(&how, argv[3]);
    count = (unsigned)atoi(argv[3]);
    state = argc > 4 ? (uint32_t)atoi(argv[4]) : 1;
    how.alias = argc > 5 && atoi(argv[5]);
    how.iterations = 40;
    put_programs(&in, strncmp(how.mtriple, "x86", 3) == 0, count);
    if (!T_CHECK(mca_models(&how, in.v, &models, &n, why, sizeof why))) {
        fprintf(stderr, "%s: %s\n", how.mcpu, why);
        return t_end();
    }
    T_EQ(n, count);
    snprintf(options, sizeof options, "-iterations=40 -bottleneck-analysis -instruction-info=0 -resource-pressure=0 %s",
             how.alias ? "-noalias=false" : "");
    out = mca_run(&run, 0, options, in.v);
    T_CHECK(out != NULL && compare(how.mcpu, models, n, out) >= count / 2);
    free(out);
    free(in.v);
    mca_free(models, n);
    return t_end();
}
