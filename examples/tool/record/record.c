/* record.c - `csspgo record`: runs a program and writes samples of it, as perf script text or perf.data
 *
 * Three sources of samples:
 *
 *   LBR            the CPU's own record of its last taken branches (Intel LBR, AMD LbrExtV2 or BRS, Arm BRBE), through
 *                  perf_event_open, where the machine has one (hardware.c).
 *                  (Written after the kernel's documentation and never run against real records: the machines it was
 *                  developed on have none. What reads the kernel's ring buffers is tested on buffers made by hand.)
 *   bursts         on x86-64 Linux everywhere: the program runs, and at random times a thread of it is stopped and its
 *                  next branches are followed under ptrace (burst.c, watch.c).
 *   software LBR   with --exact, also there: the whole run under ptrace, and every taken branch is noted.
 *
 * How the software LBR keeps its speed. A stop under ptrace costs some ten microseconds, a single step in a virtual
 * machine twice that. So what only needs registers and memory is computed on copies of them (ahead.c). Where
 * that ends, or where no memory may be executed that was written, the program is run but not stepped: code is decoded
 * from where it stands up to the next branch, an int3 is put there, the program runs, and at the stop the branch is
 * carried out by the recorder: it has the registers and flags, and reads or writes the one stack or table slot that a
 * call, return or indirect jump needs. That is one stop per branch instead of one per instruction, and exact: the
 * records are those of a single-stepped run. What the recorder does not carry out (loop, far transfers, operands whose
 * memory is not there) is stepped over, and so is all code that can change unseen: writable or shared pages, and
 * everything once a second thread shares the memory. --step asks for it everywhere; programs that read their own code
 * as data need that.
 *
 * The call stack is kept by the recorder: a call pushes its return address and where that lies, whatever is below the
 * stack pointer is dropped (returns, exceptions, longjmp), stacks of signal handlers and coroutines are told apart by
 * their mapping, and when a sample is taken, each return address must still be where it was put.
 *
 * A signal's handler begins with an empty branch record: no branch led there. System calls are no branches.
 * SIGTRAP is kept unblocked while recording, or the kernel would reset its handler at the first stop.
 */
#include "record.h"

enum {
    ARG_OUTPUT, ARG_START, ARG_PERIOD, ARG_JITTER, ARG_SEED, ARG_COUNT, ARG_BRANCHES, ARG_DEPTH, ARG_STACK,
    ARG_SOFTWARE, ARG_STEP, ARG_ASLR, ARG_STOP, ARG_FRAME_POINTERS, ARG_QUIET, ARG_HELP, ARG_EXACT, ARG_RATE,
    ARG_OVERHEAD, ARG_DURATION, ARG_TIMER, ARG_NO_COUNTING, ARG_PID, ARG_FOLLOW, ARG_JSON, ARG_FIRST, ARG_BINARY
};

/* What options of perf are answered with, where several have the same answer. */
#define NO_CHILDREN "children are not recorded unless --follow-forks is given; leave it out"
#define ALL_THREADS "all threads of a program are recorded; --pid=PID attaches to one that runs"
#define NO_FIELDS "what it adds or leaves out makes no difference to a profile; leave it out"

static const option record_options[] = {
    OPTION("output", OPT_TEXT, "-", 0, "FILE",
           "where the recording is written: as perf.data if the name ends in .data, else as text of perf script. By "
           "default it goes to standard output, and the program's own output to standard error"),
    OPTION("start", OPT_TEXT, NULL, 0, "SYMBOL",
           "exact: begins when this function is reached (main, or the entry point if there is none)"),
    OPTION("period", OPT_COUNT, NULL, 0, "N",
           "exact: taken branches between two samples; by default 1000, with branch records of the CPU 100003"),
    OPTION("jitter", OPT_COUNT, NULL, 10, "PERCENT",
           "exact: how much the distance between two samples varies at random, in percent of the period"),
    OPTION("seed", OPT_COUNT, NULL, 1, "N",
           "exact: the start of the random sequence of --jitter; equal seeds give equal sequences"),
    OPTION("count", OPT_COUNT, NULL, 0, "N", "exact: stops recording after N samples; the program runs on"),
    OPTION("max-branches", OPT_COUNT, NULL, 0, "N",
           "exact: stops recording after N taken branches; the program runs on"),
    OPTION("depth", OPT_COUNT, NULL, 32, "N", "how many branch records a sample has"),
    OPTION("max-stack", OPT_COUNT, NULL, REC_STACK, "N", "how many frames of the stack a sample has, innermost first"),
    OPTION("software", OPT_SWITCH, NULL, 0, NULL, "the same as --exact"),
    OPTION("step", OPT_SWITCH, NULL, 0, NULL,
           "exact: single-steps every instruction (slow; leaves the program's code untouched)"),
    OPTION("aslr", OPT_SWITCH, NULL, 0, NULL,
           "leaves address space randomisation on. It is off by default, so that equal runs give equal files"),
    OPTION("stop", OPT_SWITCH, NULL, 0, NULL, "exact: kills the program where recording stops"),
    OPTION("frame-pointers", OPT_SWITCH, NULL, 0, NULL,
           "exact: follows frame pointers, as perf does, instead of keeping an exact call stack"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no messages except errors"),
    OPTION("help", OPT_SWITCH, NULL, 0, NULL, "prints this"),
    OPTION("exact", OPT_SWITCH, NULL, 0, NULL,
           "follows every branch, the same at each run: hundreds of times slower (about a microsecond a branch)"),
    OPTION("frequency", OPT_COUNT, NULL, 8000, "N", "takes at most N samples per second of CPU time of a thread"),
    OPTION("overhead", OPT_COUNT, NULL, 80, "PERCENT",
           "how much CPU time sampling may take, in percent; samples become rarer to keep to it. With --pid the "
           "default is 10"),
    OPTION("duration", OPT_TEXT, NULL, 0, "SECONDS", "stops recording after this time; the program runs on"),
    OPTION("timer", OPT_SWITCH, NULL, 0, NULL,
           "samples by a timer, not by the kernel's cpu-clock events; the default where there are no such events"),
    OPTION("no-counting", OPT_SWITCH, NULL, 0, NULL,
           "does not have the program count: what runs slowly may count too often"),
    OPTION("pid", OPT_COUNT, NULL, 0, "PID",
           "attaches to all threads of a running process, and detaches when recording ends"),
    OPTION("follow-forks", OPT_SWITCH, NULL, 0, NULL, "also records child processes, and the programs that they run"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL,
           "prints what was recorded as JSON on standard output; the program's own output goes to standard error"),
    OPTION("first", OPT_SWITCH, NULL, 0, NULL,
           "writes no samples, but which functions ran, in the order of their first execution: traces for csspgo order "
           "and llvm-profdata, one for each process"),
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "first: only functions of this file, the program or a library; all files are the default"),
    OPTION("p", OPT_ALIAS, "pid", 0, NULL, NULL),
    OPTION("F", OPT_ALIAS, "frequency", 0, NULL, NULL),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("h", OPT_ALIAS, "help", 0, NULL, NULL),
    OPTION("b", OPT_ELSEWHERE, "branch records are always taken; leave it out", 0, NULL, NULL),
    OPTION("j", OPT_ELSEWHERE, "all taken branches of user space are recorded; leave it out", 0, NULL, NULL),
    OPTION("g", OPT_ELSEWHERE, "call stacks are always taken; leave it out", 0, NULL, NULL),
    OPTION("call-graph", OPT_ELSEWHERE, "call stacks are always taken; leave it out", 0, NULL, NULL),
    OPTION("a", OPT_ELSEWHERE, "one program is recorded, not the whole system; give its command, or --pid=PID", 0, NULL,
           NULL),
    OPTION("e", OPT_ELSEWHERE, "the event cannot be chosen; leave it out: taken branches or CPU time are sampled", 0,
           NULL, NULL),
    OPTION("c", OPT_ELSEWHERE, "--period=N takes a sample every N taken branches, and implies --exact", 0, NULL, NULL),
    OPTION("i", OPT_ELSEWHERE, NO_CHILDREN, 0, NULL, NULL),
    OPTION("no-inherit", OPT_ELSEWHERE, NO_CHILDREN, 0, NULL, NULL),
    OPTION("C", OPT_ELSEWHERE, "a program is recorded on all CPUs that it runs on; leave it out", 0, NULL, NULL),
    OPTION("t", OPT_ELSEWHERE, ALL_THREADS, 0, NULL, NULL),
    OPTION("tid", OPT_ELSEWHERE, ALL_THREADS, 0, NULL, NULL),
    OPTION("per-thread", OPT_ELSEWHERE, ALL_THREADS, 0, NULL, NULL),
    OPTION("u", OPT_ELSEWHERE, "--pid=PID names a process; run csspgo as the user whose program it is", 0, NULL, NULL),
    OPTION("G", OPT_ELSEWHERE, "one program is recorded, no control group; give its command, or --pid=PID", 0, NULL,
           NULL),
    OPTION("m", OPT_ELSEWHERE, "buffers have the size that they need; leave it out", 0, NULL, NULL),
    OPTION("D", OPT_ELSEWHERE,
           "start the program first and give --pid=PID; or --exact --start=SYMBOL begins at a function", 0, NULL, NULL),
    OPTION("z", OPT_ELSEWHERE, "the recording is not compressed; gzip or zstd does it, and all commands read that", 0,
           NULL, NULL),
    OPTION("q", OPT_ELSEWHERE, "it is --quiet here", 0, NULL, NULL),
    OPTION("all-user", OPT_ELSEWHERE, "user space alone is recorded; leave it out", 0, NULL, NULL),
    OPTION("all-kernel", OPT_ELSEWHERE, "user space alone is recorded: the kernel needs perf", 0, NULL, NULL),
    OPTION("d", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("s", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("v", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("n", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("N", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("B", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("P", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("R", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("T", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("W", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("k", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTION("r", OPT_ELSEWHERE, NO_FIELDS, 0, NULL, NULL),
    OPTIONS_END
};

/* The numbers that were given lie in their ranges. Returns 0 after saying which one does not. */
static int rec_check_numbers(const tool_context *tool, const option *o)
{
    static const struct { int option; uint64_t lowest, highest; } ranges[] = {
        { ARG_PERIOD, 1, (uint64_t)1 << 40 }, { ARG_JITTER, 0, 100 },        { ARG_COUNT, 1, UINT64_MAX },
        { ARG_BRANCHES, 1, UINT64_MAX },      { ARG_DEPTH, 1, 4096 },        { ARG_STACK, 1, 65536 },
        { ARG_RATE, 1, 100000 },              { ARG_OVERHEAD, 1, 1000 },     { ARG_PID, 1, INT32_MAX },
    };
    size_t i;
    for (i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const option *n = &o[ranges[i].option];
        if (n->text == NULL || ((uint64_t)n->number >= ranges[i].lowest && (uint64_t)n->number <= ranges[i].highest))
            continue;
        return usage(tool, "--%s: '%s' is not a number from %" PRIu64 " to %" PRIu64, n->name, n->text,
                     ranges[i].lowest, ranges[i].highest), 0;
    }
    return 1;
}

/* The number of seconds after which recording ends. Returns 0 after saying that it is none. */
static int rec_take_duration(const tool_context *tool, const option *o, double *seconds)
{
    char *end;
    *seconds = 0;
    if (o->text == NULL) return 1;
    *seconds = strtod(o->text, &end);
    if (end != o->text && *end == '\0' && *seconds > 0 && *seconds < 1e9) return 1;
    return usage(tool, "--duration: '%s' is not a number of seconds", o->text), 0;
}

static void rec_take(rec_options *r, const option *o)
{
    memset(r, 0, sizeof *r);
    r->output = strcmp(o[ARG_OUTPUT].text, "-") != 0 ? o[ARG_OUTPUT].text : NULL;
    r->start = o[ARG_START].text;
    r->period = (uint64_t)o[ARG_PERIOD].number;
    r->jitter = (uint64_t)o[ARG_JITTER].number;
    r->seed = (uint64_t)o[ARG_SEED].number;
    r->count = (uint64_t)o[ARG_COUNT].number;
    r->max_branches = (uint64_t)o[ARG_BRANCHES].number;
    r->depth = (uint64_t)o[ARG_DEPTH].number;
    r->max_stack = (uint64_t)o[ARG_STACK].number;
    r->step = o[ARG_STEP].number != 0;
    r->software = r->step || o[ARG_SOFTWARE].number || o[ARG_EXACT].number;
    r->aslr = o[ARG_ASLR].number != 0;
    r->stop = o[ARG_STOP].number != 0;
    r->frame_pointers = o[ARG_FRAME_POINTERS].number != 0;
    r->quiet = o[ARG_QUIET].number != 0;
    r->exact = r->software || r->frame_pointers || r->stop || r->start != NULL || r->period != 0 || r->count != 0 ||
               r->max_branches != 0 || o[ARG_JITTER].text != NULL || o[ARG_SEED].text != NULL;
    r->rate = (uint64_t)o[ARG_RATE].number;
    r->timer = o[ARG_TIMER].number != 0;
    r->counting = o[ARG_NO_COUNTING].number == 0;
    r->pid = (pid_t)o[ARG_PID].number;
    r->overhead = r->pid != 0 && o[ARG_OVERHEAD].text == NULL ? 10 : (uint64_t)o[ARG_OVERHEAD].number;
    r->follow = o[ARG_FOLLOW].number != 0;
    r->json = o[ARG_JSON].number != 0;
    r->first = o[ARG_FIRST].number != 0;
}

/* The files of --binary, as realpath names them. Returns 0 after saying what is wrong. */
static int rec_take_binaries(const tool_context *tool, const option *o, rec_options *r)
{
    size_t i;
    if (o->count == 0) return 1;
    if (!r->first) return usage(tool, "--binary: only with --first"), 0;
    r->binary = (const char **)calloc(o->count, sizeof *r->binary);
    if (r->binary == NULL) return fail(tool, "out of memory"), 0;
    for (i = 0; i < o->count; i++) {
        r->binary[i] = realpath(o->list[i], NULL);
        if (r->binary[i] == NULL) return usage(tool, "--binary: %s: %s", o->list[i], strerror(errno)), 0;
        r->binaries++;
    }
    return 1;
}

static void rec_free_binaries(rec_options *r)
{
    size_t i;
    for (i = 0; i < r->binaries; i++) free((void *)(uintptr_t)r->binary[i]);
    free(r->binary);
}

/* Refuses what is of bursts beside what takes none. Returns 0 after saying which option it is. */
static int rec_agrees(const tool_context *tool, const option *o, const char *with)
{
    static const int of_bursts[] = { ARG_RATE, ARG_OVERHEAD, ARG_TIMER, ARG_NO_COUNTING };
    size_t i;
    for (i = 0; i < sizeof of_bursts / sizeof *of_bursts; i++) {
        const option *const x = &o[of_bursts[i]];
        if (x->given && (x->kind != OPT_SWITCH || x->number != 0))
            return usage(tool, "--%s: not with %s", x->name, with), 0;
    }
    return 1;
}

/* Refuses what --first does not have. Returns 0 after saying which option it is. */
static int rec_is_first_alone(const tool_context *tool, const rec_options *r, const option *o)
{
    static const int of_samples[] = { ARG_DEPTH, ARG_STACK };
    size_t i;
    if (!r->first) return 1;
    if (r->exact) return usage(tool, "--first: not with --exact or an option that implies it"), 0;
    if (r->pid != 0) return usage(tool, "--first: not with --pid: what ran before is not known"), 0;
    for (i = 0; i < sizeof of_samples / sizeof *of_samples; i++)
        if (o[of_samples[i]].given) return usage(tool, "--%s: not with --first", o[of_samples[i]].name), 0;
    return rec_agrees(tool, o, "--first");
}

/* Reads the command line; returns 1 if there is something to run, else 0 with the exit status. */
static int rec_parse(tool_context *tool, int argc, char **argv, rec_options *r, int *status)
{
    const int at = options_before(tool, record_options, argc, argv);
    const option *o = tool->o;
    *status = 2;
    if (at < 0 || !rec_check_numbers(tool, o)) return 0;
    if (o[ARG_HELP].number) return *status = help_print(tool, &record_command), 0;
    rec_take(r, o);
    if (at >= argc && r->pid == 0) return usage(tool, "which program?"), 0;
    if (at < argc && r->pid != 0) return usage(tool, "a program or --pid, not both"), 0;
    if (r->exact && r->pid != 0) return usage(tool, "--pid: not with --exact or an option that implies it"), 0;
    if (!rec_is_first_alone(tool, r, o)) return 0;
    if (r->exact && !rec_agrees(tool, o, "--exact or an option that implies it")) return 0;
    if (r->exact && r->follow) return usage(tool, "--follow-forks: not with --exact"), 0;
    if (r->json && !json_goes(tool, r->output, "the recording")) return 0;
    if (!rec_take_duration(tool, &o[ARG_DURATION], &r->duration)) return 0;
    if (!rec_take_binaries(tool, &o[ARG_BINARY], r)) return 0;
    if (rec_is_data(r) && r->depth > 2000) return usage(tool, "--depth: perf.data takes at most 2000 records"), 0;
    r->program = argv + at;
    return 1;
}

#if defined(REC_LINUX)

/* Chooses the source and runs it: an exit status, or -1 for the program's. */
static int rec_run(recorder *r, int hardware)
{
    if (hardware) return rec_hardware(r);
#if defined(REC_SOFTWARE)
    if (r->o.first && !rec_first_begin(r)) return 1;
    return r->o.exact ? rec_software(r) : rec_bursts(r);
#else
    if (r->o.first) return fail(r->tool, "--first needs x86-64 Linux");
    return fail(r->tool, "this CPU gives no branch records, and the software LBR needs x86-64");
#endif
}

/* Whether the CPU's own records are taken: where there are some and no other way is asked for. */
static int rec_takes_hardware(const recorder *r)
{
    if (r->o.software || r->o.timer || r->o.first) return 0;
    if (rec_has_hardware(&r->o)) return 1;
    note(r->tool, "no branch records of the CPU here (%s)",
         errno == ENOENT || errno == EOPNOTSUPP ? "this CPU or virtual machine has none" : strerror(errno));
    return 0;
}

static void rec_json(const recorder *r, const char *path)
{
    json j = json_to(r->tool->out);
    json_begin(&j, NULL, '{');
    json_text(&j, "output", path);
    json_count(&j, "samples", r->samples);
    json_count(&j, "taken_branches", r->branches);
    json_real(&j, "seconds", rec_seconds() - r->run.began);
    json_count(&j, "counting_windows", r->counted.windows);
    json_count(&j, "bursts_counted", r->counted.bursts);
    json_count(&j, "bursts_not_counted", r->counted.others);
    json_count(&j, "threads_not_recorded", r->threads);
    json_count(&j, "children_not_recorded", r->children);
    json_count(&j, "threads_let_go_for_another_tracer", r->released);
    json_flag(&j, "stopped_by_signal", rec_interrupted());
    json_end(&j);
}

#if defined(REC_SOFTWARE)

/* The same of --first. */
static void rec_first_json(const recorder *r, const char *path)
{
    const rec_first_counts n = rec_first_count(r);
    json j = json_to(r->tool->out);
    json_begin(&j, NULL, '{');
    json_text(&j, "output", path);
    json_count(&j, "traces", n.traces);
    json_count(&j, "functions", n.functions);
    json_count(&j, "files", n.files);
    json_real(&j, "seconds", rec_seconds() - r->run.began);
    json_count(&j, "children_not_recorded", r->children);
    json_count(&j, "threads_let_go_for_another_tracer", r->released);
    json_flag(&j, "stopped_by_signal", rec_interrupted());
    json_end(&j);
}

static void rec_first_summary(const recorder *r)
{
    const rec_first_counts n = rec_first_count(r);
    char others[128] = "";
    if (r->children != 0) snprintf(others, sizeof others, "; not recorded: %" PRIu64 " child processes "
                                   "(--follow-forks records them)", r->children);
    note(r->tool, "%" PRIu64 " functions in %" PRIu64 " traces, of %" PRIu64 " files, in %.1f s%s%s", n.functions,
         n.traces, n.files, rec_seconds() - r->run.began, others, rec_interrupted() ? "; stopped by a signal" : "");
    if (n.functions == 0) warn(r->tool, "no function ran of those that were asked for");
}

static void rec_free_software(recorder *r)
{
    rec_drop_pages(r, 0, UINT64_MAX, 0);
    free(r->space.pages);
    free(r->calls.frames);
    rec_free_held(r);
    free(r->space.maps);
    free(r->waiting.v);
    rec_ahead_end(r);
    if (r->space.memory >= 0) close(r->space.memory);
}
#endif

/* Ends the output. Returns -1, or an exit status after a message. */
static int rec_finish(recorder *r)
{
#if defined(REC_SOFTWARE)
    if (r->traces != NULL) return rec_first_write(r) ? -1 : 1;
#endif
    rec_output_end(r);
    return -1;
}

/* What was recorded, for people and as JSON. */
static void rec_tell(const recorder *r, const char *path)
{
#if defined(REC_SOFTWARE)
    if (r->traces != NULL) {
        rec_first_summary(r);
        if (r->o.json) rec_first_json(r, path);
        return;
    }
#endif
    rec_summary(r);
    if (r->o.json) rec_json(r, path);
}

static int record_main(tool_context *tool, int argc, char **argv)
{
    struct sigaction interrupt;
    const char *path;
    output out;
    recorder r;
    int status, written, hardware;
    memset(&r, 0, sizeof r);
    if (!rec_parse(tool, argc, argv, &r.o, &status)) return rec_free_binaries(&r.o), status;
    r.tool = tool;
#if defined(REC_SOFTWARE)
    r.space.memory = -1;
#endif
    path = r.o.output != NULL ? r.o.output : "-";
    if (!rec_spares_program(tool, &r.o, path)) return rec_free_binaries(&r.o), 2;
    hardware = rec_takes_hardware(&r);
#if defined(REC_SOFTWARE)
    r.run.guarded = !hardware;
    if (r.run.guarded && !rec_guard(tool, r.o.pid != 0, &status)) return rec_free_binaries(&r.o), status;
#endif
    r.lbr.random = r.o.seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    if (r.lbr.random == 0) r.lbr.random = 1;
    r.run.terminal = !r.o.quiet && isatty(2);
    r.run.began = rec_seconds();
    r.lbr.ring = (csspgo_branch *)calloc((size_t)r.o.depth, sizeof *r.lbr.ring);
    r.lbr.newest = (csspgo_branch *)calloc((size_t)r.o.depth, sizeof *r.lbr.newest);
    r.stack = (uint64_t *)calloc((size_t)r.o.max_stack, sizeof *r.stack);
    if (r.lbr.ring == NULL || r.lbr.newest == NULL || r.stack == NULL) return fail(tool, "out of memory");
    memset(&interrupt, 0, sizeof interrupt);
    interrupt.sa_handler = rec_on_interrupt;               /* no SA_RESTART: waiting is to be interrupted */
    sigaction(SIGINT, &interrupt, &r.run.interrupt);
    sigaction(SIGTERM, &interrupt, &r.run.terminate);
    r.out = output_begin(&out, path) ? output_stream(&out) : NULL;
    if (r.out == NULL) status = fail(tool, "%s: %s", path, strerror(errno));
    else status = rec_output_begin(&r) ? rec_run(&r, hardware) : 1;
    if (status < 0) status = rec_finish(&r);
    written = output_end(&out, status < 0);
    if (!written && status < 0) fail(tool, "%s: %s", path, strerror(errno));
    if (status < 0) {
        rec_tell(&r, path);
        status = r.o.pid != 0 ? 0 : r.gone ? rec_exit_status(r.status) : rec_wait_for_end(&r);
        if (!written) status = 1;
    }
#if defined(REC_SOFTWARE)
    rec_free_software(&r);
    rec_first_free(&r);
#endif
    rec_free_binaries(&r.o);
    free(r.lbr.ring);
    free(r.lbr.newest);
    free(r.stack);
    free(r.bounce);
    free(r.data.record);
    return status;
}

#else /* not Linux */

static int record_main(tool_context *tool, int argc, char **argv)
{
    rec_options o;
    int status;
    if (!rec_parse(tool, argc, argv, &o, &status)) return status;
    return fail(tool, "record needs Linux (an LBR through perf_event_open, or x86-64 for the software LBR)");
}

#endif

const command record_command = {
    "record", record_main, record_options, NULL,
    "csspgo record [options] [--] PROGRAM [arguments]\n"
    "csspgo record [options] --pid=PID\n"
    "csspgo record --first -o FILE [--binary=FILE...] [--follow-forks] [--]\n"
    "              PROGRAM [arguments]\n",
    "runs a program and records its branches and call stacks",
    "Where the CPU has branch records of its own, these are written. Elsewhere the program runs at full speed; at "
    "random times a thread is stopped, and its next branches are followed. Compile with -fno-omit-frame-pointer.\n"
    "Random times hit slow code more often. So each sample is written as often as it counts, by where execution was "
    "seen to go: some samples not at all, others several times. Until then up to 64 MB of samples are kept in "
    "memory.\n"
    "A program of one thread also counts by itself: in windows of some milliseconds, at random times, up to 96 "
    "instructions of its files are jumps to code that counts and carries them out. That says how fast each phase of "
    "the program runs. The program keeps some more pages; one that reads its own code may see the jumps. "
    "--no-counting leaves it as it is. With several threads, in programs that filter system calls, call ptrace or have "
    "restartable sequences, in children and without cpu-clock events there are no windows: phases of milliseconds "
    "then count by their time.\n"
    "The options marked \"exact\" imply --exact: every branch of the first thread is followed; other threads run "
    "freely.\n"
    "With --first no samples are taken: a breakpoint stands at the entry of every function, of the program and of each "
    "library as soon as it is mapped, until the function runs. That takes about ten microseconds for each function that "
    "runs and some milliseconds for each megabyte of code. It sees no function without a symbol and unwind information, "
    "no linker's stubs, no code that is made at run time, nothing inlined; a function without a name is FILE+0xADDRESS. "
    "A process that fork makes begins with the trace of its parent. A program that reads its own code sees the "
    "breakpoints, and one that ignores SIGTRAP when it begins is not recorded; one that blocks SIGTRAP but not the "
    "signals of other faults finds it unblocked. The traces of several runs add up: csspgo order takes as many files as "
    "there are.\n"
    "A program may use ptrace itself. Its system calls then take longer, and a thread that it traces is not recorded "
    "from then on. Such programs are recognised by their import of ptrace from the C library or, if they are "
    "statically linked, by their symbols.\n"
    "A signal that ends the recorder, even SIGKILL, ends the recording only: the program runs on. (A second process "
    "does the recording. If that one is killed, too, a program that it started ends with it.)\n"
    "The exit status is that of the program, or 128 plus the number of the signal that killed it. Errors of the "
    "recorder end with 1 or 2.\n"
};
