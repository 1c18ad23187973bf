/* jit.c - a small JIT compiler that profiles its own code with csspgo and inlines by calling context
 *
 *     jit [check]            runs everything in every way and compares; needs no quiet machine
 *     jit bench [OPTIONS]    measures six programs: no inlining, inlining without and with contexts
 *         --source=S         of samples: lbr, clock, timer (the first that works, in this order), trap
 *         --seconds=N        of sampling per program [1]       --runs=N   measurements of each code [15]
 *     jit run FILE [N]       the same for a program of your own: setup(12345) if there is one, then main(N) [1000]
 *
 * Programs are in the language of jit_lang.h. They start as tier-1 code: every function on its own, with probes. While
 * that runs, samples arrive (jit_sample.h), and csspgo makes of them one tree of calling contexts, in this process.
 * Then tier 2 compiles what ran again: csspgo_tracker_inline decides on a copy of the profile what to inline where and
 * which targets of indirect calls to try first. Both tiers use one generator (jit_unit.h, jit_x64.h), and tier-2 code
 * takes the addresses of the tier-1 code that it replaces.
 *
 * Of the three ways that `bench` compares the two that inline differ in one field of csspgo_inline_options: profile,
 * budget, policy and generator are the same, but without contexts the inliner sees the counts of a function as the sum
 * over all its callers. The third, no inlining, has the profile for its registers only.
 *
 * Machine code is for x86-64 Linux; elsewhere programs are interpreted.
 */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit_lang.h"
#include "jit_programs.h"

#if defined(__clang__) || !defined(__GNUC__)
#  define JIT_COMPILER __VERSION__
#else
#  define JIT_COMPILER "gcc " __VERSION__
#endif
#ifndef JIT_FLAGS
#  define JIT_FLAGS ""                /* what it was compiled with, to be printed with measurements */
#endif

#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__)
#  define JIT_MACHINE 1
#  include <asm/perf_regs.h>
#  include <linux/perf_event.h>
#  include <signal.h>
#  include <sys/ioctl.h>
#  include <sys/mman.h>
#  include <sys/syscall.h>
#  include <time.h>
#  include <ucontext.h>
#  include <unistd.h>
#  include "jit_unit.h"
#  include "jit_x64.h"
#  include "jit_sample.h"
#else
#  define JIT_MACHINE 0
#endif

static int failures;

/* One check: says what does not hold. */
static int check(int holds, const char *what, const char *where)
{
    if (!holds) printf("FAILED: %s: %s\n", where, what);
    failures += !holds;
    return holds;
}

/* Reads a program and runs its setup on the array. */
static int load(program *p, const char *const *text, size_t texts, const char *name)
{
    size_t size = 1, i;
    char *all;
    int ok;
    for (i = 0; i < texts && text[i] != NULL; i++) size += strlen(text[i]);
    all = (char *)calloc(size, 1);
    if (all == NULL) abort();
    for (i = 0; i < texts && text[i] != NULL; i++) strcat(all, text[i]);
    ok = assemble(p, all) && verify(p) &&
         (func_named(p, "main") < p->count ? 1 : lang_fail(p, "no function", "main"));
    if (!ok) printf("%s:%u: %s\n", name, (unsigned)p->line, p->error);
    free(all);
    return ok;
}

static void set_up(const program *p, int64_t *array, int small)
{
    const uint32_t setup = func_named(p, "setup");
    memset(array, 0, WORDS * sizeof *array);
    if (setup < p->count) interpret(p, array, setup, 12345, NULL);
    if (small) array[32100] = 10;
}

static program *new_program(void)
{
    program *p = (program *)calloc(1, sizeof *p);
    if (p == NULL) abort();
    return p;
}

static int64_t *new_array(void)
{
    int64_t *a = (int64_t *)calloc(WORDS, sizeof *a);
    if (a == NULL) abort();
    return a;
}

static const struct { const char *text, *error; } wrong_programs[] = {
    { "", "no functions" },
    { "mov r0 r1\n", "outside of a function" },
    { "func f 5\n", "number of parameters" },
    { "func f 1\n    mov r0\n    ret r0\n", "operand is missing" },
    { "func f 1\n    mov r0 r64\n    ret r0\n", "not a register" },
    { "func f 1\n    leap r0\n    ret r0\n", "not an instruction" },
    { "func f 1\n    jmp nowhere\n", "no such label" },
    { "func f 1\n    call r0 g r0\n    ret r0\n", "no such function" },
    { "func f 1\n    call r0 f\n    ret r0\n", "wrong number of arguments" },
    { "func f 1\n    ret r1\n", "nothing wrote" },
    { "func f 1\n    jeq r0 0 a\n    const r1 1\na:\n    ret r1\n", "nothing wrote" },
    { "func f 1\n    const r0 1\n", "beyond its end" },
    { "func f 1\n    jmp a\na:\n", "no instruction" },
    { "func f 1\n    jlt r0 1 a\n    ret r0\na:\n", "no instruction" },
    { "func f 1\na:\n    jlt r0 1 a\n    ret r0\n", "first instruction" },
    { "func f 1\n    ret r0\nfunc f 1\n    ret r0\n", "defined twice" },
    { "func f 1\n    add r0 r0 1x\n    ret r0\n", "not a number" },
    { "func f 1\n    ret r0 r0\n", "too many operands" },
    { "func f 4\n    icall r0 r0 r0 r1 r2 r3\n    ret r0\n", "too many arguments" },
};

static void check_language(void)
{
    program *p = new_program();
    size_t i;
    for (i = 0; i < sizeof wrong_programs / sizeof *wrong_programs; i++) {
        const int ok = assemble(p, wrong_programs[i].text) && verify(p);
        check(!ok && strstr(p->error, wrong_programs[i].error) != NULL, p->error, wrong_programs[i].text);
    }
    free(p);
}

#if JIT_MACHINE

/* ----- tier 2 ----------------------------------------------------------------------------------------------------- */

enum { PLAIN, CONTEXT_LESS, CONTEXTS, WAYS, MAX_DECISIONS = 512 };

typedef struct tier2 {
    uint32_t functions, inlined, promoted;
    uint64_t budget;                  /* what is left of it */
} tier2;

/* What the inliner must know of the program: sizes and calls of the functions, by their numbers in the profile. */
typedef struct catalog {
    csspgo_callable *callable;
    csspgo_call     *call;
    csspgo_func      func[MAX_FUNCS]; /* of the profile, by number in the program; id 0: not in the profile */
    size_t           count;
} catalog;

static void catalog_make(catalog *c, const program *p, const csspgo_profile *profile)
{
    uint32_t f, i;
    csspgo_call *call;
    c->count = csspgo_func_count(profile) + 1;
    c->callable = (csspgo_callable *)calloc(c->count, sizeof *c->callable);
    c->call = call = (csspgo_call *)calloc(MAX_FUNCS * MAX_CODE, sizeof *c->call);
    if (c->callable == NULL || c->call == NULL) abort();
    memset(c->func, 0, sizeof c->func);
    for (f = 0; f < p->count; f++) c->func[f] = csspgo_func_find(profile, p->f[f].name, strlen(p->f[f].name));
    for (f = 0; f < p->count; f++) {
        csspgo_callable *to = &c->callable[c->func[f].id];
        if (c->func[f].id == 0) continue;
        to->size = p->f[f].count;
        to->calls = call;
        for (i = 0; i < p->f[f].count; i++) {
            const insn *n = &p->f[f].code[i];
            if (n->op == OP_CALL && c->func[n->target].id != 0) call[to->call_count].target = c->func[n->target];
            else if (n->op != OP_ICALL) continue;
            call[to->call_count++].loc = csspgo_at(n->site, 0);
        }
        call += to->call_count;
    }
}

static void catalog_free(catalog *c)
{
    free(c->callable);
    free(c->call);
}

/* Compiles one function as the tracker decides. What has no counts stays as it is. */
static csspgo_status compile_hot(engine *g, csspgo_tracker *t, const catalog *c, uint32_t f, int way, tier2 *result)
{
    csspgo_inline_options how;
    csspgo_decision *d = (csspgo_decision *)calloc(MAX_DECISIONS, sizeof *d);
    csspgo_status s;
    plan plan;
    size_t i;
    if (d == NULL) abort();
    memset(&plan, 0, sizeof plan);
    memset(&how, 0, sizeof how);
    how.context_less = way == CONTEXT_LESS;
    how.budget = &result->budget;     /* is what limits growth, for all functions together */
    how.min_size = how.max_size = 1u << 20;
    if (way == PLAIN) s = csspgo_tracker_base(t, c->func[f], 1, &plan.base);
    else
        s = csspgo_tracker_inline(t, c->func[f], c->callable, c->count, &how, d, MAX_DECISIONS, &plan.decisions,
                                  &plan.base);
    plan.profile = csspgo_tracker_profile(t);
    plan.tracker = t;
    plan.func = c->func;
    plan.decision = d;
    if (s == CSSPGO_OK && csspgo_total(plan.profile, plan.base) != 0 && compile(g, f, 2, &plan)) {
        result->functions++;
        for (i = 0; i < plan.decisions; i++) {
            result->inlined += d[i].inlined;
            result->promoted += d[i].guarded;
        }
    }
    free(d);
    return s;
}

/*
 * Compiles again what ran, callers first, on a copy of the profile. If memory is exhausted the rest stays tier-1 code,
 * which is as right. Nothing of the program may be running; samples must have been handed over.
 */
static csspgo_status tier_up(engine *g, csspgo_profile *profile, int way, uint32_t budget, tier2 *result)
{
    csspgo_error e;
    csspgo_tracker *t = csspgo_tracker_new(profile, NULL, &e);
    csspgo_func order[MAX_FUNCS * 2];
    csspgo_status s;
    catalog c;
    plan nothing;
    size_t count = 0, i;
    uint32_t f;
    memset(result, 0, sizeof *result);
    memset(&nothing, 0, sizeof nothing);
    result->budget = budget;
    if (t == NULL) return e.status;
    for (f = 0; f < g->p->count; f++)
        if (!has_code(g, f) && !compile(g, f, 1, &nothing)) abort();
    s = csspgo_tracker_order(t, NULL, 0, order, MAX_FUNCS * 2, &count);
    catalog_make(&c, g->p, csspgo_tracker_profile(t));
    for (i = 0; i < count && i < MAX_FUNCS * 2 && s == CSSPGO_OK; i++)
        for (f = 0; f < g->p->count; f++)
            if (c.func[f].id == order[i].id) {
                s = compile_hot(g, t, &c, f, way, result);
                break;
            }
    drop_unreachable(g);
    catalog_free(&c);
    csspgo_tracker_free(t);
    return s;
}

static uint32_t budget_of(const workload *w, const program *p)
{
    uint32_t size = 0, f;
    for (f = 0; f < p->count; f++) size += p->f[f].count;
    return w->budget != 0 ? w->budget : 4 * size;
}

#include "jit_check.h"

/* ----- bench ------------------------------------------------------------------------------------------------------ */

enum { MAX_RUNS = 101 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct bench_options {
    source  from;
    double  seconds;
    int     runs;
} bench_options;

/* Runs a program in tier 1 while samples are taken, some thousandths of a measurement at a time. */
static void sample_run(const expected *x, csspgo_profile *profile, const bench_options *o, int64_t rounds)
{
    engine *g = engine_new(x->p, 1, NULL);
    const double end = cpu_seconds() + o->seconds;
    if (g == NULL || g->collector == NULL) abort();
    sampler_open(g, o->from, 1);
    memcpy(g->array, x->before, WORDS * 8);
    while (cpu_seconds() < end) {
        engine_run(g, x->main, 1 + rounds / 400, 0);
        if (sampler_drain(g) != CSSPGO_OK) abort();
    }
    if (take_profile(g, profile) != CSSPGO_OK) abort();
    sampler_close();
    engine_free(g);
}

static void bench_head(void)
{
    puts("| program | no inlining | context-less | contexts | times as fast | bytes | inlined | promoted |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |");
}

/* Measures one program and prints its row of the table. */
static void bench_one(const workload *w, const bench_options *o)
{
    static double seconds[WAYS][MAX_RUNS];
    program *p = new_program();
    csspgo_profile *profile = csspgo_profile_new(NULL, NULL);
    engine *g[WAYS];
    tier2 r[WAYS];
    outcome first = { 0, 1 };
    expected x;
    int way, k;
    if (profile == NULL || !load(p, w->text, 3, w->name)) exit(1);
    expect(&x, p, w->name, 1, 0);
    sample_run(&x, profile, o, w->rounds);
    for (way = 0; way < WAYS; way++) {
        g[way] = engine_new(p, 1, NULL);
        if (g[way] == NULL || tier_up(g[way], profile, way, budget_of(w, p), &r[way]) != CSSPGO_OK) abort();
    }
    for (k = -1; k < o->runs; k++)            /* the ways in turn; the first round does not count */
        for (way = 0; way < WAYS; way++) {
            outcome out;
            double begin;
            memcpy(g[way]->array, x.before, WORDS * 8);
            begin = cpu_seconds();
            out = engine_run(g[way], x.main, w->rounds, 0);
            if (k >= 0) seconds[way][k] = cpu_seconds() - begin;
            if (k < 0 && way == 0) first = out;
            check(outcome_equal(out, first), "all ways compute the same", w->name);
        }
    printf("| %s |", w->name);
    for (way = 0; way < WAYS; way++) {
        qsort(seconds[way], (size_t)o->runs, sizeof **seconds, by_value);
        printf(" %.2f ms (%.2f to %.2f) |", 1e3 * seconds[way][o->runs / 2], 1e3 * seconds[way][o->runs / 4],
               1e3 * seconds[way][3 * o->runs / 4]);
    }
    printf(" %.2f | %zu, %zu, %zu | %u, %u | %u, %u |\n",
           seconds[CONTEXT_LESS][o->runs / 2] / seconds[CONTEXTS][o->runs / 2], code_bytes(g[PLAIN]),
           code_bytes(g[CONTEXT_LESS]), code_bytes(g[CONTEXTS]), (unsigned)r[CONTEXT_LESS].inlined,
           (unsigned)r[CONTEXTS].inlined, (unsigned)r[CONTEXT_LESS].promoted, (unsigned)r[CONTEXTS].promoted);
    fflush(stdout);
    for (way = 0; way < WAYS; way++) engine_free(g[way]);
    expected_free(&x);
    csspgo_profile_free(profile);
    free(p);
}

/* What a measurement is worth nothing without. */
static void say_machine(const bench_options *o)
{
    char line[256], cpu[128] = "unknown CPU";
    FILE *f = fopen("/proc/cpuinfo", "r");
    double busy = 0;
    source from;
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "model name : %127[^\n]", cpu) == 1) break;
    if (f != NULL) fclose(f);
    f = fopen("/proc/loadavg", "r");
    if (f == NULL || fscanf(f, "%lf", &busy) != 1) busy = 0;
    if (f != NULL) fclose(f);
    from = sampler_open(NULL, o->from, 0);
    sampler_close();
    printf("%s, %ld processors, load %.1f; compiled by %s %s; thread CPU time, median and quartiles of %d runs, the "
           "ways in "
           "turn;\nprofiles: %.1f s of samples from \"%s\" per program; bytes: of all machine code; inlined calls and "
           "promoted targets: context-less, contexts\n\n",
           cpu, sysconf(_SC_NPROCESSORS_ONLN), busy, JIT_COMPILER, JIT_FLAGS, o->runs, o->seconds, source_names[from]);
}

static int bench(int argc, char **argv)
{
    bench_options o = { SOURCE_LBR, 1.0, 15 };
    const char *only = NULL;
    int i, k;
    for (i = 0; i < argc; i++) {
        if (strncmp(argv[i], "--seconds=", 10) == 0) o.seconds = strtod(argv[i] + 10, NULL);
        else if (strncmp(argv[i], "--runs=", 7) == 0) o.runs = atoi(argv[i] + 7);
        else if (strncmp(argv[i], "--source=", 9) == 0) {
            for (k = SOURCE_LBR; k <= SOURCE_TRAP && strcmp(argv[i] + 9, source_names[k]) != 0; k++) {}
            if (k > SOURCE_TRAP) { fprintf(stderr, "jit: no such source: %s\n", argv[i] + 9); return 2; }
            o.from = (source)k;
        } else only = argv[i];
    }
    for (k = 0; only != NULL && k < (int)WORKLOADS && strcmp(only, workloads[k].name) != 0; k++) {}
    if (only != NULL && k == WORKLOADS) { fprintf(stderr, "jit: no such program or option: %s\n", only); return 2; }
    if (o.runs < 1 || o.runs > MAX_RUNS) o.runs = 15;
    say_machine(&o);
    bench_head();
    for (i = 0; i < (int)WORKLOADS; i++)
        if (only == NULL || strcmp(only, workloads[i].name) == 0) bench_one(&workloads[i], &o);
    return failures != 0;
}

#endif /* JIT_MACHINE */

#if !JIT_MACHINE

/* Interprets all programs. */
static int check_all(void)
{
    program *p = new_program();
    int64_t *array = new_array();
    uint32_t i;
    check_language();
    puts("machine code is for x86-64 Linux only: programs are interpreted here");
    for (i = 0; i < WORKLOADS; i++) {
        outcome out;
        if (!load(p, workloads[i].text, 3, workloads[i].name)) return 1;
        set_up(p, array, 1);
        out = interpret(p, array, func_named(p, "main"), 10, NULL);
        check(!out.trapped, "does not trap", workloads[i].name);
        printf("%-8s main(10) = %" PRId64 "\n", workloads[i].name, out.value);
    }
    free(array);
    free(p);
    puts(failures == 0 ? "all is as it should be" : "NOT as it should be");
    return failures != 0;
}

#endif

/* Reads a file; NULL, and says why, if that fails. */
static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = (char *)calloc(1 << 20, 1);
    if (text == NULL) abort();
    if (f == NULL || fread(text, 1, (1 << 20) - 1, f) == 0) {
        perror(path);
        free(text);
        text = NULL;
    }
    if (f != NULL) fclose(f);
    return text;
}

static int run(const char *path, int64_t n)
{
    char *text = read_file(path);
    const char *part = text;
    program *p = new_program();
    int64_t *array = new_array();
    outcome out = { 0, 1 };
    int ok = text != NULL && load(p, &part, 1, path);
    if (ok) {
        set_up(p, array, 0);
        out = interpret(p, array, func_named(p, "main"), n, NULL);
        if (out.trapped) printf("main(%" PRId64 ") traps\n", n);
        else printf("main(%" PRId64 ") = %" PRId64 "\n", n, out.value);
    }
#if JIT_MACHINE
    if (ok && !out.trapped) {
        const bench_options o = { SOURCE_LBR, 1.0, 15 };
        workload w;
        say_machine(&o);
        bench_head();
        memset(&w, 0, sizeof w);
        w.name = w.what = path;
        w.text[0] = text;
        w.rounds = n;
        bench_one(&w, &o);
    }
#endif
    free(array);
    free(p);
    free(text);
    return !ok || failures != 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "check";
#if JIT_MACHINE
    sampler.fd = -1;
    if (strcmp(what, "bench") == 0) return bench(argc - 2, argv + 2);
#else
    if (strcmp(what, "bench") == 0) return check_all();
#endif
    if (strcmp(what, "check") == 0 && argc <= 2) return check_all();
    if (strcmp(what, "run") == 0 && (argc == 3 || argc == 4))
        return run(argv[2], argc == 4 ? strtoll(argv[3], NULL, 10) : 1000);
    fputs("usage: jit [check] | bench [--source=lbr|clock|timer|trap] [--seconds=N] [--runs=N] [PROGRAM] | run FILE "
          "[N]\n",
          stderr);
    return 2;
}
