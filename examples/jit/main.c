/* main.c - a small JIT compiler that profiles its own code with csspgo and inlines by calling context
 *
 *     jit [check [quick]]    runs everything in every way and compares; quick: each in one way, fewer random programs
 *     jit bench [OPTIONS]    measures six programs: no inlining, inlining without and with contexts
 *         --source=S         of samples: lbr, clock, timer (the first that works, in this order), trap
 *         --seconds=N        of sampling per program [1]       --runs=N   measurements of each code [15]
 *         --instrument       instead: tier 1 that counts by contexts beside tier 1 that is sampled
 *     jit run FILE [N] [OPTIONS]   both for a program of your own: setup(12345) if there is one, then main(N) [1000]
 *
 * Programs are in the language of jit.h. They start as tier-1 code: every function on its own, with probes. While
 * that runs, samples arrive (samples.c), and csspgo makes of them one tree of calling contexts, in this process.
 * Then tier 2 compiles what ran again: csspgo_tracker_decide decides on a copy of the profile what to inline where and
 * which targets of indirect calls to try first. Both tiers use one generator (unit.c, instructions.c), and tier-2 code
 * takes the addresses of the tier-1 code that it replaces.
 *
 * Tier 1 can count by contexts instead (count.c, emit_count.c): every function then counts its blocks, apart for each
 * path of calls, with csspgo's runtime for contextual instrumentation. The counts become the same kind of profile, and
 * the same inliner works on it.
 *
 * Of the three ways that `bench` compares the two that inline differ in one field of csspgo_inliner_options: profile,
 * budget, policy and generator are the same, but without contexts the inliner sees the counts of a function as the sum
 * over all its callers. The third, no inlining, has the profile for its registers only.
 *
 * Below its table `bench` says of the hottest loop of each program what binds it: the chain of instructions, the ports
 * or the width of a generic machine (hot.c).
 *
 * Machine code is for x86-64 Linux; elsewhere programs are interpreted.
 */
#include "jit.h"

#if !JIT_MACHINE

/* Interprets all programs. */
int check_all(uint32_t share)
{
    program *p = new_program();
    int64_t *array = new_array();
    uint32_t i;
    (void)share;
    check_language();
    puts("machine code is for x86-64 Linux only: programs are interpreted here");
    for (i = 0; i < WORKLOADS; i++) {
        outcome out;
        if (!load(p, workloads[i].text, 3, workloads[i].name)) return 1;
        set_up(p, array, 1);
        out = interpret(p, array, func_named(p, "main"), 10, NULL, NULL);
        check(!out.trapped, "does not trap", workloads[i].name);
        check_interpreter(p, workloads[i].name, 10);
        printf("%-8s main(10) = %" PRId64 "\n", workloads[i].name, out.value);
    }
    free(array);
    free(p);
    puts(checks_failed() == 0 ? "all is as it should be" : "NOT as it should be");
    return checks_failed() != 0;
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

static int run(const char *path, int argc, char **argv)
{
    char *text = read_file(path);
    const char *part = text;
    program *p = new_program();
    int64_t *array = new_array();
    outcome out = { 0, 1 };
    int64_t n = 1000;
    int i, ok = text != NULL && load(p, &part, 1, path);
#if JIT_MACHINE
    bench_options o = { SOURCE_LBR, 1.0, BENCH_RUNS, 0 };
    for (i = 0; i < argc; i++)
        if (!bench_option(&o, argv[i])) n = strtoll(argv[i], NULL, 10);
#else
    for (i = argc; i-- > 0;)
        if (argv[i][0] != '-') n = strtoll(argv[i], NULL, 10);
#endif
    if (ok) {
        set_up(p, array, 0);
        out = interpret(p, array, func_named(p, "main"), n, NULL, NULL);
        if (out.trapped) printf("main(%" PRId64 ") traps\n", n);
        else printf("main(%" PRId64 ") = %" PRId64 "\n", n, out.value);
    }
#if JIT_MACHINE
    if (ok && !out.trapped) {
        static char hot[HOT_TEXT];
        workload w;
        memset(&w, 0, sizeof w);
        w.name = w.what = path;
        w.text[0] = text;
        w.rounds = n;
        for (o.instrument = 0; o.instrument < 2; o.instrument++) {
            if (o.instrument) puts("");
            say_machine(&o);
            bench_head(&o);
            bench_one(&w, &o, hot, sizeof hot);
            fputs(hot, stdout);
        }
    }
#endif
    free(array);
    free(p);
    free(text);
    return !ok || checks_failed() != 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "check";
#if JIT_MACHINE
    sampler.fd = -1;
    if (strcmp(what, "bench") == 0) return bench(argc - 2, argv + 2);
#else
    if (strcmp(what, "bench") == 0) return check_all(1);
#endif
    if (strcmp(what, "check") == 0 && (argc <= 2 || (argc == 3 && strcmp(argv[2], "quick") == 0)))
        return check_all(argc == 3 ? 20 : 1);
    if (strcmp(what, "run") == 0 && argc >= 3) return run(argv[2], argc - 3, argv + 3);
    fputs("usage: jit [check [quick]] | bench [--instrument] [--source=lbr|clock|timer|trap] [--seconds=N] [--runs=N] "
          "[PROGRAM] | run FILE [N] [OPTIONS]\n",
          stderr);
    return 2;
}
