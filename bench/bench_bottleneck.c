/* bench_bottleneck.c - bottleneck analysis of many blocks beside llvm-mca-19, whole processes and per block
 *
 *     bench_bottleneck RUNS DIR       prints table rows; DIR gets the blocks, as assembly and as models
 *     bench_bottleneck run FILE       reads the models in FILE, prints their reports: the whole process that is timed
 *
 * Both read the same blocks from one file, simulate 100 iterations of each and print its report. llvm-mca parses
 * assembly and has its tables in itself; we read models, which examples/mca.h measured before. What llvm-mca needs per
 * block without starting up is the difference between all blocks and one block, divided by the others.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#include "../examples/share/sim_model.h"
#define CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION
#include "../examples/share/bottleneck_report.h"
#include "../examples/mca/mca.h"
#include "cost.h"

#include <time.h>

enum { BLOCKS = 300 };

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Blocks of 4 to 19 instructions of loops in integers and floating point. */
static void put_blocks(mca_text *t, unsigned blocks)
{
    static const char *const form[] = {
        "addq %%%s, %%%s\n", "imulq %%%s, %%%s\n", "xorq %%%s, %%%s\n", "cmpq %%%s, %%%s\n",
        "movq 8(%%r8,%%%s,8), %%%s\n", "movq %%%s, 16(%%%s)\n", "leaq 1(%%%s), %%%s\n"
    };
    static const char *const vector[] = { "addss %%xmm%u, %%xmm%u\n", "mulps %%xmm%u, %%xmm%u\n",
                                          "paddd %%xmm%u, %%xmm%u\n", "divss %%xmm%u, %%xmm%u\n" };
    static const char *const reg[] = { "rax", "rcx", "rdx", "rbx", "rsi", "rdi" };
    unsigned i, k;
    for (i = 0; i < blocks; i++) {
        const unsigned n = 4 + rnd(16);
        mca_put(t, "# LLVM-MCA-BEGIN b%u\n", i);
        for (k = 0; k < n; k++) {
            if (rnd(3) == 0) mca_put(t, vector[rnd(rnd(6) == 0 ? 4 : 3)], rnd(6), rnd(6));
            else mca_put(t, form[rnd(7)], reg[rnd(6)], reg[rnd(6)]);
        }
        mca_put(t, "# LLVM-MCA-END\n");
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* One block from a model's text to its report. Returns the events that it has; 0: it fails. */
static uint64_t one_block(const char *text, size_t size, FILE *out)
{
    csspgo_bottleneck_report_options form;
    csspgo_sim_model *m = csspgo_sim_model_read(text, size, NULL, NULL);
    csspgo_bottleneck *b = NULL;
    static char report[65536];
    csspgo_options o;
    uint64_t iids = 0;
    size_t n;
    memset(&o, 0, sizeof o);
    memset(&form, 0, sizeof form);
    o.llvm = 19;
    if (m != NULL) {
        const csspgo_sim_block k = csspgo_sim_model_block(m);
        form.names.instruction = k.text;
        form.names.reg = k.reg;
        form.names.regs = k.regs;
        b = csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, k.iterations, &o, NULL);
        iids = k.count * k.iterations;
    }
    if (b == NULL || csspgo_bottleneck_report(b, &form, report, sizeof report, &n, NULL) != CSSPGO_OK) iids = 0;
    else if (out != NULL) fwrite(report, 1, n, out);
    csspgo_bottleneck_free(b);
    csspgo_sim_model_free(m);
    return iids;
}

/* All models of a text; empty lines part them. Returns the instructions simulated. */
static uint64_t all_blocks(const char *text, FILE *out)
{
    uint64_t n = 0;
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        const size_t size = end != NULL ? (size_t)(end - text) + 1 : strlen(text);
        const uint64_t one = one_block(text, size, out);
        if (one == 0) return 0;
        n += one;
        text += size + (end != NULL);
    }
    return n;
}

static char *file(const char *path)
{
    FILE *f = fopen(path, "rb");
    mca_text t;
    size_t n;
    memset(&t, 0, sizeof t);
    do {
        t.v = (char *)mca_more(t.v, t.size + 65537);
        n = f != NULL ? fread(t.v + t.size, 1, 65536, f) : 0;
        t.size += n;
    } while (n != 0);
    t.v[t.size] = '\0';
    if (f != NULL) fclose(f);
    return t.v;
}

static void save(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
}

/* Writes the blocks as assembly and as models; those of which the simulator is no exact copy are left out of both. */
static int make_blocks(const char *cpu, const char *all, const char *single, const char *models)
{
    mca_options how;
    mca_text t, kept, text;
    char **model, why[200];
    const char *p;
    size_t n, i, used = 0;
    memset(&how, 0, sizeof how);
    memset(&t, 0, sizeof t);
    memset(&kept, 0, sizeof kept);
    memset(&text, 0, sizeof text);
    how.mcpu = cpu;
    seed = 1;
    put_blocks(&t, BLOCKS);
    if (!mca_models(&how, t.v, &model, &n, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return 0;
    }
    for (i = 0, p = t.v; i < n; i++) {
        const char *end = strstr(p, "# LLVM-MCA-END\n") + 15;
        if (strstr(model[i], "\nestimate") == NULL) {
            mca_put(&kept, "%.*s", (int)(end - p), p);
            mca_put(&text, "%s%s", used++ != 0 ? "\n" : "", model[i]);
            if (used == 1) save(single, kept.v);
        }
        p = end;
    }
    save(all, kept.v);
    save(models, text.v);
    mca_free(model, n);
    free(t.v);
    free(kept.v);
    free(text.v);
    return (int)used;
}

static int rows(const char *cpu, int runs, const char *dir, char *self)
{
    char all[200], single[200], models[200], mcpu[60], *text;
    char *mca_all[] = { "llvm-mca-19", "-mtriple=x86_64", mcpu, "-iterations=100", "-bottleneck-analysis",
                        "-instruction-info=0", "-resource-pressure=0", all, NULL };
    char *mca_single[] = { "llvm-mca-19", "-mtriple=x86_64", mcpu, "-iterations=100", "-bottleneck-analysis",
                           "-instruction-info=0", "-resource-pressure=0", single, NULL };
    char *ours[] = { self, "run", models, NULL };
    cost c[3], in;
    uint64_t instructions = 0;
    double whole, one, process, inside;
    int i, n;
    snprintf(all, sizeof all, "%s/%s.s", dir, cpu);
    snprintf(single, sizeof single, "%s/%s.one.s", dir, cpu);
    snprintf(models, sizeof models, "%s/%s.models", dir, cpu);
    snprintf(mcpu, sizeof mcpu, "-mcpu=%s", cpu);
    n = make_blocks(cpu, all, single, models);
    if (n < 2) return 0;
    text = file(models);
    for (i = 0; i < runs; i++) {
        measure(mca_all, i, &c[0]);
        measure(mca_single, i, &c[1]);
        measure(ours, i, &c[2]);
        in.cpu[i] = -seconds();
        instructions = all_blocks(text, NULL);
        in.cpu[i] += seconds();
    }
    free(text);
    if (!c[0].ok || !c[1].ok || !c[2].ok || instructions == 0) return 0;
    whole = median(&c[0], runs);
    one = median(&c[1], runs);
    process = median(&c[2], runs);
    inside = median(&in, runs);
    printf("| %s | %d | %llu | %.0f ms | %.1f ms | %.0f x | %.0f us | %.1f us | %.0f x | %.0f / %.1f MiB |\n", cpu, n,
           (unsigned long long)instructions, 1e3 * whole, 1e3 * process, whole / process,
           1e6 * (whole - one) / (n - 1), 1e6 * inside / n, (whole - one) / (n - 1) / (inside / n), c[0].peak_mib,
           c[2].peak_mib);
    printf("    range of the runs: llvm-mca %.0f to %.0f ms, csspgo %.1f to %.1f ms, inside %.1f to %.1f ms\n",
           1e3 * c[0].cpu[0], 1e3 * c[0].cpu[runs - 1], 1e3 * c[2].cpu[0], 1e3 * c[2].cpu[runs - 1], 1e3 * in.cpu[0],
           1e3 * in.cpu[runs - 1]);
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const cpu[] = { "skylake", "znver4", "btver2" };
    const int runs = argc > 1 ? atoi(argv[1]) : 0;
    size_t i;
    if (argc == 3 && strcmp(argv[1], "run") == 0) {
        char *text = file(argv[2]);
        const uint64_t n = all_blocks(text, stdout);
        free(text);
        return n == 0;
    }
    if (argc != 3 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_bottleneck RUNS DIR\n");
        return 2;
    }
    printf("| CPU | blocks | instructions | llvm-mca-19, process | csspgo | | llvm-mca-19, per block | csspgo | "
           "| peak |\n");
    for (i = 0; i < sizeof cpu / sizeof *cpu; i++)
        if (!rows(cpu[i], runs, argv[2], argv[0])) {
            fprintf(stderr, "%s: llvm-mca-19 is not installed, or a run failed\n", cpu[i]);
            return 1;
        }
    return 0;
}
