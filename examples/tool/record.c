/* record.c - `csspgo record`: runs a program and writes perf-script text of branch records and call stacks
 *
 * Two sources of samples:
 *
 *   LBR            the CPU's own record of its last taken branches, through perf_event_open, where the machine has one.
 *                  (Written after the kernel's documentation and never run against real records: the machines it was
 *                  developed on have none. What decodes the records, csspgo_ring_next, is tested on synthetic pages.)
 *   software LBR   on x86-64 Linux everywhere: the program runs under ptrace and every taken branch is noted.
 *
 * How the software LBR keeps its speed. A stop under ptrace costs some ten microseconds, a single step in a virtual
 * machine twice that. So the program is not stepped: code is decoded from where it stands up to the next branch, an
 * int3 is put there, the program runs, and at the stop the branch is carried out by the recorder: it has the registers
 * and flags, and reads or writes the one stack or table slot that a call, return or indirect jump needs. That is one
 * stop per branch instead of one per instruction, and exact: the records are those of a single-stepped run. What the
 * recorder does not carry out (loop, far transfers, operands whose memory is not there) is stepped over, and so is all
 * code that can change unseen: writable or shared pages, and everything once a second thread shares the memory. --step
 * asks for it everywhere; programs that read their own code as data need that.
 *
 * The call stack is kept by the recorder: a call pushes its return address and where that lies, whatever is below the
 * stack pointer is dropped (returns, exceptions, longjmp), stacks of signal handlers and coroutines are told apart by
 * their mapping, and when a sample is taken, each return address must still be where it was put.
 *
 * A signal's handler begins with an empty branch record: no branch led there. System calls are no branches.
 * SIGTRAP is kept unblocked while recording, or the kernel would reset its handler at the first stop.
 */
#include "record.h"

static const char rec_usage[] =
    "usage: csspgo record [options] [--] PROGRAM [ARGUMENTS]\n"
    "Runs PROGRAM and writes branch and call-stack samples as perf-script text.\n"
    "\n"
    "  -o FILE            where to; default is standard output (the program's own then goes to standard error)\n"
    "  --period=N         taken branches between two samples (1000; 100003 with a hardware LBR)\n"
    "  --jitter=PERCENT   how far a distance may lie off the period, at random (10)\n"
    "  --seed=N           of that random sequence (1); the same seed gives the same sequence\n"
    "  --start=SYMBOL     begin when this function is reached (main, or the entry point if there is none)\n"
    "  --count=N          stop recording after N samples; the program runs on\n"
    "  --max-branches=N   stop recording after N taken branches; the program runs on\n"
    "  --stop             kill the program where recording stops\n"
    "  --depth=N          branch records per sample (32)\n"
    "  --max-stack=N      frames per sample, innermost first (127)\n"
    "  --frame-pointers   follow the frame pointers as perf does, instead of keeping an exact call stack\n"
    "  --software         use the software LBR even if the CPU has one\n"
    "  --step             single-step every instruction (slow; leaves the program's code untouched)\n"
    "  --aslr             keep address space randomisation (off by default: equal runs give equal files)\n"
    "  --quiet            no messages but errors\n"
    "\n"
    "Only the first thread is recorded; other threads and child processes run freely and are counted.\n"
    "The exit status is the program's (128 + number of a signal that killed it); 1 and 2 are also our own errors.\n";

static int rec_bad_usage(const char *what, const char *detail)
{
    fprintf(stderr, "csspgo record: %s%s%s\n", detail != NULL ? detail : "", detail != NULL ? ": " : "", what);
    fputs("try: csspgo record --help\n", stderr);
    return 2;
}

/* Names the option of rec_usage that may have been meant. */
static int rec_bad_option(const char *argument)
{
    nearest n = nearest_to(argument, strcspn(argument, "="));
    const char *p = rec_usage;
    char what[80];
    while ((p = strstr(p, "\n  -")) != NULL) {
        p += 3;
        nearest_try(&n, p, strcspn(p, "= "));
    }
    if (n.name == NULL) return rec_bad_usage("unknown option", argument);
    if (n.distance == 0) return rec_bad_usage("needs a value", argument);
    snprintf(what, sizeof what, "unknown option; did you mean %.*s?", (int)n.name_size, n.name);
    return rec_bad_usage(what, argument);
}

static int rec_number(const char *text, uint64_t lowest, uint64_t highest, uint64_t *out)
{
    uint64_t v = 0;
    if (*text == '\0') return 0;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || v > (UINT64_MAX - 9) / 10) return 0;
        v = v * 10 + (uint64_t)(*text - '0');
    }
    if (v < lowest || v > highest) return 0;
    *out = v;
    return 1;
}

/* The value of option `name` at argv[*i]: behind "=", or the next argument. NULL if it is another option. */
static const char *rec_value(char **argv, int argc, int *i, const char *name)
{
    const size_t n = strlen(name);
    const char *a = argv[*i];
    if (strncmp(a, name, n) != 0) return NULL;
    if (a[n] == '=') return a + n + 1;
    if (a[n] == '\0') return *i + 1 < argc ? argv[++*i] : "";
    return NULL;
}

/* Reads the options; returns 0, or an exit status + 1 when there is nothing to run. */
static int rec_parse(int argc, char **argv, rec_options *o)
{
    const struct { const char *name; uint64_t lowest, highest, *at; } numbers[] = {
        { "--period", 1, (uint64_t)1 << 40, &o->period },   { "--jitter", 0, 100, &o->jitter },
        { "--seed", 0, UINT64_MAX, &o->seed },              { "--count", 1, UINT64_MAX, &o->count },
        { "--max-branches", 1, UINT64_MAX, &o->max_branches }, { "--depth", 1, 4096, &o->depth },
        { "--max-stack", 1, 65536, &o->max_stack },
    };
    const struct { const char *name; int *at; } flags[] = {
        { "--software", &o->software }, { "--step", &o->step }, { "--aslr", &o->aslr }, { "--stop", &o->stop },
        { "--frame-pointers", &o->frame_pointers }, { "--quiet", &o->quiet },
    };
    const char *value;
    size_t k;
    int i;
    for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        int known = 0;
        if (strcmp(argv[i], "--") == 0) { i++; break; }
        if (strcmp(argv[i], "--help") == 0) { fputs(rec_usage, stdout); return 1; }
        for (k = 0; !known && k < sizeof flags / sizeof *flags; k++) {
            if (strcmp(argv[i], flags[k].name) == 0) known = *flags[k].at = 1;
        }
        for (k = 0; !known && k < sizeof numbers / sizeof *numbers; k++) {
            if ((value = rec_value(argv, argc, &i, numbers[k].name)) == NULL) continue;
            known = 1;
            if (!rec_number(value, numbers[k].lowest, numbers[k].highest, numbers[k].at)) {
                return rec_bad_usage("bad number", argv[i]) + 1;
            }
        }
        if (known) continue;
        if ((value = rec_value(argv, argc, &i, "--start")) != NULL && *value != '\0') o->start = value;
        else if ((value = rec_value(argv, argc, &i, "--output")) != NULL && *value != '\0') o->output = value;
        else if ((value = rec_value(argv, argc, &i, "-o")) != NULL && *value != '\0') o->output = value;
        else return rec_bad_option(argv[i]) + 1;
    }
    if (i >= argc) return rec_bad_usage("no program given", NULL) + 1;
    o->program = argv + i;
    if (o->step) o->software = 1;
    if (o->output != NULL && strcmp(o->output, "-") == 0) o->output = NULL;
    return 0;
}

#if defined(__linux__)

static int rec_has_lbr(void)
{
    struct perf_event_attr attr;
    const int fd = rec_open_event(0, 1000003, &attr);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* Chooses the source and runs it: an exit status, or -1 for the program's. */
static int rec_run(recorder *r)
{
    if (!r->o.software && rec_has_lbr()) return rec_hardware(r);
#if defined(REC_SOFTWARE)
    return rec_software(r);
#else
    return rec_fail("this CPU gives no branch records, and the software LBR needs x86-64", NULL);
#endif
}

/*
 * The command `record`.
 *
 *   argc, argv   from the word "record" on
 *
 * Returns   the exit status
 */
int record_main(int argc, char **argv)
{
    struct sigaction interrupt;
    const char *path;
    output out;
    recorder r;
    int status, written;
    memset(&r, 0, sizeof r);
    r.o.jitter = 10;
    r.o.seed = 1;
    r.o.depth = 32;
    r.o.max_stack = REC_STACK;
    status = rec_parse(argc, argv, &r.o);
    if (status != 0) return status - 1;
    path = r.o.output != NULL ? r.o.output : "-";
    if (!rec_spares_program(&r.o, path)) return 2;
    r.random = r.o.seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    if (r.random == 0) r.random = 1;
    r.terminal = !r.o.quiet && isatty(2);
    r.began = rec_seconds();
    r.lbr = (csspgo_branch *)calloc((size_t)r.o.depth, sizeof *r.lbr);
    r.newest = (csspgo_branch *)calloc((size_t)r.o.depth, sizeof *r.newest);
    r.stack = (uint64_t *)calloc((size_t)r.o.max_stack, sizeof *r.stack);
    if (r.lbr == NULL || r.newest == NULL || r.stack == NULL) return rec_fail("out of memory", NULL);
    memset(&interrupt, 0, sizeof interrupt);
    interrupt.sa_handler = rec_on_interrupt;               /* no SA_RESTART: waiting is to be interrupted */
    sigaction(SIGINT, &interrupt, &r.interrupt);
    sigaction(SIGTERM, &interrupt, &r.terminate);
    r.out = output_begin(&out, path) ? output_stream(&out) : NULL;
    status = r.out != NULL ? rec_run(&r) : rec_fail(path, strerror(errno));
    written = output_end(&out, status < 0);
    if (!written && status < 0) rec_fail(path, strerror(errno));
    if (status < 0) {
        rec_summary(&r);
        status = r.gone ? rec_exit_status(r.status) : rec_wait_for_end(&r);
        if (!written) status = 1;
    }
#if defined(REC_SOFTWARE)
    rec_free_software(&r);
#endif
    free(r.lbr);
    free(r.newest);
    free(r.stack);
    free(r.bounce);
    return status;
}

#else /* not Linux */

int record_main(int argc, char **argv)
{
    rec_options o;
    int status;
    memset(&o, 0, sizeof o);
    status = rec_parse(argc, argv, &o);
    if (status != 0) return status - 1;
    fputs("csspgo record: needs Linux (an LBR through perf_event_open, or x86-64 for the software LBR)\n", stderr);
    return 1;
}

#endif
