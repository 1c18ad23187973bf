/* record.h - `csspgo record`: runs a program and writes perf-script text of branch records and call stacks
 *
 * Included once by csspgo.c, after tool.h and what that needs; needs _GNU_SOURCE on Linux. Two sources of samples:
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
#ifndef CSSPGO_EXAMPLES_RECORD_H
#define CSSPGO_EXAMPLES_RECORD_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#  if !defined(_GNU_SOURCE)
#    error "record.h: define _GNU_SOURCE before the first include"
#  endif
#  include <fcntl.h>
#  include <poll.h>
#  include <sched.h>
#  include <signal.h>
#  include <sys/mman.h>
#  include <sys/personality.h>
#  include <sys/ptrace.h>
#  include <sys/stat.h>
#  include <sys/syscall.h>
#  include <sys/uio.h>
#  include <sys/wait.h>
#  include <time.h>
#  include <unistd.h>
#  include <linux/perf_event.h>
#  if defined(__x86_64__) && !defined(__ILP32__)
#    include <sys/user.h>
#    define REC_SOFTWARE 1
#  endif
#endif

enum { REC_PAGE = 4096, REC_INSN = 15, REC_BLOCK = 2048, REC_CHAIN = 64, REC_STACK = 127 };

typedef struct rec_options {
    const char *output;           /* NULL or "-": standard output                              */
    const char *start;            /* NULL: main, or the entry point if there is no such symbol */
    uint64_t period;              /* taken branches between samples; 0 = default               */
    uint64_t jitter, seed;        /* percent of the period; of the generator                   */
    uint64_t count, max_branches; /* stop after so many; 0 = never                             */
    uint64_t depth, max_stack;    /* branch records, frames of a sample                        */
    int      software, step, aslr, stop, frame_pointers, quiet;
    char   **program;             /* its name and arguments, NULL-terminated                   */
} rec_options;

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

/* ----- what both sources share ------------------------------------------------------------------------------------ */

typedef struct rec_map {          /* a line of /proc/PID/maps                                                        */
    uint64_t begin, end, offset;
    unsigned long inode;
    char     access[5];           /* r w x and p(rivate) or s(hared)                                                 */
    char     device[16];
    int      seen;                /* its event is written                                                            */
} rec_map;

typedef struct rec_frame {        /* an open call                                                                    */
    uint64_t back;                /* return address                                                                  */
    uint64_t slot;                /* where it lies on the stack                                                      */
    uint64_t stack;               /* end of the mapping that slot is in                                              */
} rec_frame;

typedef struct rec_page rec_page;

typedef struct recorder {
    rec_options o;
    FILE    *out;
    pid_t    pid;
    int      status;              /* of the last wait                                                                */
    int      gone, done;          /* the program ended; recording is over                                            */
    cpu_set_t cpus;               /* those we were allowed before pinning                                            */
    uint64_t samples, branches, threads, children;
    uint64_t random, countdown;   /* generator; taken branches until the next sample                                 */
    double   began, shown;        /* seconds                                                                         */
    int      terminal;            /* progress is shown                                                               */
    struct sigaction interrupt, terminate; /* of SIGINT and SIGTERM as we found them                                 */

    csspgo_branch *lbr;           /* ring of o.depth records; next is where the following one goes                   */
    uint32_t lbr_next, lbr_count;
    csspgo_branch *newest;        /* scratch: the ring, newest first                                                 */
    uint64_t *stack;              /* scratch: o.max_stack addresses                                                  */
    void    *bounce;              /* scratch: one record of the kernel's ring buffer                                 */

    rec_map *maps;
    size_t   map_count, map_room;
    int      maps_stale, code_stale; /* some mapping, some executable one may have changed                           */
    int      memory;              /* /proc/PID/mem                                                                   */
#if defined(REC_SOFTWARE)
    struct user_regs_struct regs; /* as of the last stop, with what the recorder has done since                      */
    int      regs_changed;
    int      event;               /* REC_TRAP ...                                                                    */
    int      signal;              /* to be delivered when the program goes on                                        */
    int      listen;              /* in a group stop                                                                 */
    int      interrupting;
    int      in_syscall;          /* between the entry and the exit stop of one                                      */
    uint64_t syscall;
    int      moved;               /* execution went on elsewhere (exec): what was planned is void                    */
    int      step_only;
    int      trap_ignored;        /* the program's own disposition of SIGTRAP is SIG_IGN                             */
    rec_page **pages;             /* by address                                                                      */
    size_t   page_count, page_room;
    rec_page *page;               /* the last one found                                                              */
    rec_frame *frames;            /* the open calls, innermost last                                                  */
    size_t   frame_count, frame_room;
    uint64_t stack_begin, stack_end; /* mapping of the stack pointer at the last branch                              */
#endif
} recorder;

static volatile sig_atomic_t rec_interrupted;

static void rec_on_interrupt(int signal)
{
    (void)signal;
    rec_interrupted = 1;
}

static void rec_say(const recorder *r, const char *text)
{
    if (!r->o.quiet) fprintf(stderr, "csspgo record: %s\n", text);
}

static int rec_fail(const char *what, const char *detail)
{
    fprintf(stderr, "csspgo record: %s%s%s\n", what, detail != NULL ? ": " : "", detail != NULL ? detail : "");
    return 1;
}

static double rec_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* "12 s", "3 min", "2 h" */
static void rec_duration(char *text, size_t size, double seconds)
{
    const char *unit = seconds < 60 ? "s" : seconds < 3600 ? "min" : "h";
    snprintf(text, size, "%.0f %s", seconds < 60 ? seconds : seconds < 3600 ? seconds / 60 : seconds / 3600, unit);
}

/*
 * "12000000 branches, 12000 samples, 0.6 M branches/s, 20 s"; with --count or --max-branches also how long it will take
 * at that rate, by what is reached first: ", 1 min left at most".
 */
static void rec_progress_text(char *text, size_t size, const rec_options *o, uint64_t branches, uint64_t samples,
                              double seconds)
{
    const double rate = seconds >= 0.1 ? (double)branches / seconds : 0;
    double left = -1;
    char took[32];
    size_t n;
    rec_duration(took, sizeof took, seconds);
    snprintf(text, size, "%llu branches, %llu samples, %.1f M branches/s, %s", (unsigned long long)branches,
             (unsigned long long)samples, rate / 1e6, took);
    n = strlen(text);
    if (o->max_branches > branches && rate > 0) left = (double)(o->max_branches - branches) / rate;
    if (o->count > samples && samples != 0 && seconds >= 0.1) {
        const double by_count = (double)(o->count - samples) * seconds / (double)samples;
        if (left < 0 || by_count < left) left = by_count;
    }
    if (left < 0) return;
    rec_duration(took, sizeof took, left);
    snprintf(text + n, size - n, ", %s left at most", took);
}

static void rec_progress(recorder *r)
{
    const double now = r->terminal ? rec_seconds() : 0;
    char text[200];
    if (!r->terminal || now - r->shown < 0.2) return;
    r->shown = now;
    rec_progress_text(text, sizeof text, &r->o, r->branches, r->samples, now - r->began);
    fprintf(stderr, "\r\033[K%s ", text);
}

/* One sample as perf script prints it: frames innermost first, then the records newest first on one line. */
static void rec_write_sample(FILE *out, const uint64_t *stack, size_t frames, const csspgo_branch *b, size_t records)
{
    size_t i;
    for (i = 0; i < frames; i++) fprintf(out, "\t%16llx\n", (unsigned long long)stack[i]);
    for (i = 0; i < records; i++) {
        fprintf(out, " 0x%llx/0x%llx/%c/-/-/0 ", (unsigned long long)b[i].from, (unsigned long long)b[i].to,
                (b[i].flags & 1) != 0 ? 'M' : (b[i].flags & 2) != 0 ? 'P' : '-');
    }
    fputs("\n\n", out);
}

static void rec_write_map(FILE *out, pid_t pid, uint64_t begin, uint64_t size, uint64_t offset, const char *device,
                          unsigned long inode, const char *access, const char *path, size_t path_size)
{
    fprintf(out, " PERF_RECORD_MMAP2 %ld/%ld: [%#llx(%#llx) @ %#llx %s %lu 0]: %s %.*s\n", (long)pid, (long)pid,
            (unsigned long long)begin, (unsigned long long)size, (unsigned long long)offset, device, inode, access,
            (int)path_size, path);
}

/* Refuses an output that is the program: as execvp finds it, in the PATH if its name has no slash. */
static int rec_spares_program(const rec_options *o, const char *to)
{
    const char *name = o->program[0], *path = getenv("PATH");
    char file[PATH_MAX];
    size_t n;
    snprintf(file, sizeof file, "%s", name);
    for (; strchr(name, '/') == NULL && path != NULL; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s%s%s", (int)n, path, n != 0 ? "/" : "", name);
        if (access(file, X_OK) == 0 || path[n] == '\0') break;
    }
    return output_spares(to, file);
}

/* Starts the program, held before its exec until `go` is written to. Returns 1, or 0 with a message. */
static int rec_spawn(recorder *r, int *go, int *failure)
{
    int hold[2], result[2];
    if (pipe2(hold, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0) {
        rec_fail("cannot make a pipe", strerror(errno));
        return 0;
    }
    fflush(NULL);
    r->pid = fork();
    if (r->pid < 0) {
        rec_fail("cannot fork", strerror(errno));
        return 0;
    }
    if (r->pid == 0) {
        char byte;
        int error;
        close(hold[1]);
        if (read(hold[0], &byte, 1) != 1) _exit(127);
        if (!r->o.aslr) personality(ADDR_NO_RANDOMIZE | (unsigned long)personality(0xffffffff));
        if (r->o.output == NULL) dup2(2, 1);
        sigaction(SIGINT, &r->interrupt, NULL);
        sigaction(SIGTERM, &r->terminate, NULL);
        execvp(r->o.program[0], r->o.program);
        error = errno;
        if (write(result[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    close(hold[0]);
    close(result[1]);
    *go = hold[1];
    *failure = result[0];
    return 1;
}

/* Why the exec failed, or 0; waits until it has happened. */
static int rec_exec_error(int failure)
{
    int error = 0;
    ssize_t n;
    do { n = read(failure, &error, sizeof error); } while (n < 0 && errno == EINTR);
    close(failure);
    return n == (ssize_t)sizeof error ? error : 0;
}

/* The exit status a shell would show for how the program ended. */
static int rec_exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 0;
}

/* Waits for the end of a program that is not traced any more; a second interrupt gets through to us. */
static int rec_wait_for_end(recorder *r)
{
    sigaction(SIGINT, &r->interrupt, NULL);
    sigaction(SIGTERM, &r->terminate, NULL);
    if (r->o.stop) kill(r->pid, SIGKILL);
    while (waitpid(r->pid, &r->status, __WALL) < 0 && errno == EINTR) { }
    return r->o.stop ? 0 : rec_exit_status(r->status);
}

static void rec_summary(const recorder *r)
{
    char others[96] = "";
    if (r->terminal) fputs("\r\033[K", stderr);
    if (r->threads + r->children != 0) {
        snprintf(others, sizeof others, "; not recorded: %llu other threads, %llu child processes",
                 (unsigned long long)r->threads, (unsigned long long)r->children);
    }
    if (r->o.quiet) return;
    fprintf(stderr, "csspgo record: %llu samples of %llu taken branches in %.1f s%s%s\n",
            (unsigned long long)r->samples, (unsigned long long)r->branches, rec_seconds() - r->began, others,
            rec_interrupted ? "; stopped by a signal" : "");
}

/* ----- software LBR ----------------------------------------------------------------------------------------------- */

#if defined(REC_SOFTWARE)

enum { REC_GONE, REC_TRAP, REC_SYSTEM_CALL, REC_SIGNAL, REC_OTHER };   /* recorder.event */
enum { REC_IP = 1, REC_SP = 2, REC_FLAGS = 4 };                          /* recorder.regs_changed */
enum { REC_TRAP_FLAG = 0x100, REC_POPF_FLAGS = 0x244dd5 };               /* in eflags; those that popf can change */

/* How the block that begins at a byte of code ends. */
typedef struct rec_block {
    uint16_t skip;                /* bytes from its beginning to its last instruction                                */
    uint8_t  known, kind;         /* kind: csspgo_kind; CSSPGO_NONE = an instruction that must be stepped over       */
} rec_block;

/*
 * A page of the program's code. What is in memory differs from `code` in the planted bytes, which are int3.
 * `inside` marks bytes that a decoded instruction has behind its first: nothing is planted there.
 */
struct rec_page {
    uint64_t  address;
    int       plantable;
    uint32_t  planted_count;
    unsigned char code[REC_PAGE], planted[REC_PAGE / 8], inside[REC_PAGE / 8];
    rec_block block[REC_PAGE];
};

static int rec_bit(const unsigned char *bits, uint64_t i) { return bits[(i % REC_PAGE) / 8] >> (i & 7) & 1; }
static void rec_set_bit(unsigned char *bits, uint64_t i) { bits[(i % REC_PAGE) / 8] |= (unsigned char)(1u << (i & 7)); }
static void rec_clear_bit(unsigned char *bits, uint64_t i)
{
    bits[(i % REC_PAGE) / 8] &= (unsigned char)~(1u << (i & 7));
}

static void rec_die(const char *what)
{
    rec_fail(what, strerror(errno));
    exit(1);                                               /* PTRACE_O_EXITKILL takes the program along */
}

/* Reads and writes the program's data as the program itself could. */
static int rec_read(const recorder *r, uint64_t address, void *to, size_t size)
{
    struct iovec local, remote;
    local.iov_base = to;
    remote.iov_base = (void *)(uintptr_t)address;
    local.iov_len = remote.iov_len = size;
    return process_vm_readv(r->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static int rec_write(const recorder *r, uint64_t address, const void *from, size_t size)
{
    struct iovec local, remote;
    local.iov_base = (void *)(uintptr_t)from;
    remote.iov_base = (void *)(uintptr_t)address;
    local.iov_len = remote.iov_len = size;
    return process_vm_writev(r->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* ----- mappings ----- */

static int rec_known_map(const rec_map *maps, size_t count, const rec_map *m)
{
    size_t i;
    for (i = 0; i < count; i++) {
        if (maps[i].seen && maps[i].begin == m->begin && maps[i].end == m->end && maps[i].offset == m->offset &&
            maps[i].inode == m->inode) return 1;
    }
    return 0;
}

/* Reads the program's mappings again and writes the events of executable ones that are new. */
static void rec_load_maps(recorder *r)
{
    rec_map *old = r->maps, m;
    const size_t old_count = r->map_count;
    char name[64], *line = NULL;
    size_t room = 0;
    FILE *f;
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)r->pid);
    r->maps = NULL;
    r->map_count = r->map_room = 0;
    r->maps_stale = r->code_stale = 0;
    f = fopen(name, "re");
    while (f != NULL && getline(&line, &room, f) > 0) {
        unsigned long begin, end, offset;
        int path = 0;
        memset(&m, 0, sizeof m);
        if (sscanf(line, "%lx-%lx %4s %lx %15s %lu %n", &begin, &end, m.access, &offset, m.device, &m.inode,
                   &path) < 6) continue;
        m.begin = begin;
        m.end = end;
        m.offset = offset;
        line[strcspn(line, "\n")] = '\0';
        if (m.access[2] == 'x' && begin >> 63 == 0) {      /* [vsyscall] is the kernel's */
            m.seen = 1;
            if (!rec_known_map(old, old_count, &m)) {
                const char *file = line[path] != '\0' ? line + path : "//anon";
                rec_write_map(r->out, r->pid, begin, end - begin, offset, m.device, m.inode, m.access, file,
                              strlen(file));
            }
        }
        if (r->map_count == r->map_room) {
            const size_t more = r->map_room != 0 ? 2 * r->map_room : 64;
            rec_map *grown = (rec_map *)realloc(r->maps, more * sizeof *grown);
            if (grown == NULL) rec_die("out of memory");
            r->maps = grown;
            r->map_room = more;
        }
        r->maps[r->map_count++] = m;
    }
    if (f != NULL) fclose(f);
    free(line);
    free(old);
}

/* The first mapping that ends above address, or NULL. */
static const rec_map *rec_find_map(recorder *r, uint64_t address)
{
    size_t low = 0, high;
    if (r->maps_stale || r->maps == NULL) rec_load_maps(r);
    high = r->map_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->maps[middle].end > address) high = middle;
        else low = middle + 1;
    }
    return low < r->map_count ? &r->maps[low] : NULL;
}

/* ----- code pages and planted breakpoints ----- */

static size_t rec_page_index(const recorder *r, uint64_t address)
{
    size_t low = 0, high = r->page_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->pages[middle]->address < address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The page of code that holds address, read once; NULL where code can change unseen or there is none. */
static rec_page *rec_page_at(recorder *r, uint64_t address)
{
    const uint64_t begin = address & ~(uint64_t)(REC_PAGE - 1);
    const rec_map *m;
    rec_page *page;
    size_t i;
    if (r->page != NULL && r->page->address == begin) return r->page;
    i = rec_page_index(r, begin);
    if (i < r->page_count && r->pages[i]->address == begin) return r->page = r->pages[i];
    m = rec_find_map(r, address);
    if (m == NULL || m->begin > address || m->access[1] == 'w' || m->access[2] != 'x' || m->access[3] != 'p') {
        return NULL;
    }
    if (r->page_count == r->page_room) {
        const size_t more = r->page_room != 0 ? 2 * r->page_room : 64;
        rec_page **grown = (rec_page **)realloc(r->pages, more * sizeof *grown);
        if (grown == NULL) rec_die("out of memory");
        r->pages = grown;
        r->page_room = more;
    }
    page = (rec_page *)calloc(1, sizeof *page);
    if (page == NULL) rec_die("out of memory");
    page->address = begin;
    page->plantable = 1;
    if (pread(r->memory, page->code, REC_PAGE, (off_t)begin) != REC_PAGE) {
        free(page);
        return NULL;
    }
    memmove(r->pages + i + 1, r->pages + i, (r->page_count - i) * sizeof *r->pages);
    r->pages[i] = page;
    r->page_count++;
    return r->page = page;
}

/* Takes the breakpoints out of a page again, in the memory behind `memory`. */
static void rec_restore_page(const rec_page *page, int memory)
{
    if (page->planted_count == 0) return;
    if (pwrite(memory, page->code, REC_PAGE, (off_t)page->address) != REC_PAGE) rec_die("cannot restore code");
}

static void rec_unplant_page(recorder *r, rec_page *page)
{
    rec_restore_page(page, r->memory);
    page->planted_count = 0;
    memset(page->planted, 0, sizeof page->planted);
}

static void rec_unplant_all(recorder *r)
{
    size_t i;
    for (i = 0; i < r->page_count; i++) rec_unplant_page(r, r->pages[i]);
}

/* Forgets pages; `intact` = their memory is still there and gets its bytes back. */
static void rec_drop_pages(recorder *r, uint64_t begin, uint64_t end, int intact)
{
    const size_t first = rec_page_index(r, begin);
    size_t last = first;
    if (r->page_count == 0) return;
    if (first > 0 && begin - r->pages[first - 1]->address <= 2 * REC_PAGE) {
        memset(r->pages[first - 1]->block, 0, sizeof r->pages[first - 1]->block); /* blocks may run on into the first */
    }
    for (; last < r->page_count && r->pages[last]->address < end; last++) {
        if (intact) rec_unplant_page(r, r->pages[last]);
        free(r->pages[last]);
    }
    memmove(r->pages + first, r->pages + last, (r->page_count - last) * sizeof *r->pages);
    r->page_count -= last - first;
    r->page = NULL;
}

/* Two instructions share bytes: this page is stepped through from now on. */
static void rec_give_up_page(recorder *r, rec_page *page)
{
    rec_unplant_page(r, page);
    page->plantable = 0;
}

static int rec_plant(recorder *r, uint64_t address)
{
    const unsigned char int3 = 0xcc;
    rec_page *page = rec_page_at(r, address);
    if (page == NULL || !page->plantable) return 0;
    if (rec_bit(page->planted, address)) return 1;
    if (rec_bit(page->inside, address)) {
        rec_give_up_page(r, page);
        return 0;
    }
    if (pwrite(r->memory, &int3, 1, (off_t)address) != 1) {
        page->plantable = 0;
        return 0;
    }
    rec_set_bit(page->planted, address);
    page->planted_count++;
    return 1;
}

static int rec_is_planted(recorder *r, uint64_t address)
{
    const rec_page *page = rec_page_at(r, address);
    return page != NULL && rec_bit(page->planted, address);
}

static void rec_unplant(recorder *r, uint64_t address)
{
    rec_page *page = rec_page_at(r, address);
    if (page == NULL || !rec_bit(page->planted, address)) return;
    if (pwrite(r->memory, &page->code[address % REC_PAGE], 1, (off_t)address) != 1) rec_die("cannot restore code");
    rec_clear_bit(page->planted, address);
    page->planted_count--;
}

/* Up to REC_INSN bytes of code at address, without our breakpoints; returns how many there are. */
static size_t rec_fetch(recorder *r, uint64_t address, unsigned char *to)
{
    size_t n = 0;
    while (n < REC_INSN) {
        const rec_page *page = rec_page_at(r, address + n);
        const size_t at = (size_t)((address + n) % REC_PAGE);
        const size_t size = REC_PAGE - at < REC_INSN - n ? REC_PAGE - at : REC_INSN - n;
        if (page != NULL) {
            memcpy(to + n, page->code + at, size);
        } else {
            const ssize_t got = pread(r->memory, to + n, size, (off_t)(address + n));
            if (got < (ssize_t)size) return n + (got > 0 ? (size_t)got : 0);
        }
        n += size;
    }
    return n;
}

/* Marks the bytes behind the first of an instruction; 0 if a breakpoint stands on one of them. */
static int rec_mark_inside(recorder *r, uint64_t address, uint32_t size)
{
    uint64_t at;
    for (at = address + 1; at < address + size; at++) {
        rec_page *page = rec_page_at(r, at);
        if (page == NULL) return 0;
        if (rec_bit(page->planted, at)) {
            rec_give_up_page(r, page);
            return 0;
        }
        rec_set_bit(page->inside, at);
    }
    return 1;
}

/* How the block at address ends; NULL if its code cannot be planned with. */
static const rec_block *rec_plan(recorder *r, uint64_t address)
{
    rec_page *page = rec_page_at(r, address);
    rec_block *block;
    uint64_t at = address;
    if (page == NULL || !page->plantable) return NULL;
    block = &page->block[address % REC_PAGE];
    if (block->known) return block;
    for (;;) {
        unsigned char code[REC_INSN];
        csspgo_insn insn;
        const size_t n = rec_fetch(r, at, code);
        const uint32_t size = n != 0 ? csspgo_decode_x86_64(code, n, at, &insn) : 0;
        block->kind = size != 0 ? (uint8_t)insn.kind : (uint8_t)CSSPGO_NONE;
        if (size == 0 || insn.kind != CSSPGO_NONE || at - address >= REC_BLOCK) break;
        if (!rec_mark_inside(r, at, size)) break;
        at += size;
    }
    block->skip = (uint16_t)(at - address);
    block->known = 1;
    return block;
}

/* ----- the branch record and the call stack ----- */

/* The distance to the next sample: period ± jitter, never 0 (xorshift64). */
static uint64_t rec_distance(recorder *r)
{
    const uint64_t span = r->o.period / 100 * r->o.jitter + r->o.period % 100 * r->o.jitter / 100;
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    if (span == 0) return r->o.period;
    return r->o.period - span + r->random % (2 * span + 1) + (r->o.period == span);
}

/* Execution went on where no branch led: older records would make up ranges that were not run. */
static void rec_gap(recorder *r)
{
    r->lbr_count = r->lbr_next = 0;
}

/* The end of the mapping that the stack pointer is in; a growing stack ends where it did. */
static uint64_t rec_stack_of(recorder *r, uint64_t sp)
{
    const rec_map *m;
    if (sp < r->stack_end && sp >= r->stack_begin) return r->stack_end;
    m = rec_find_map(r, sp);
    r->stack_end = m != NULL ? m->end : UINT64_MAX;
    r->stack_begin = m != NULL && m->begin < sp ? m->begin : sp;
    return r->stack_end;
}

/* Drops the calls that are over: those below the stack pointer, and those on other stacks since left. */
static void rec_settle(recorder *r, uint64_t sp)
{
    const uint64_t before = r->stack_end, stack = rec_stack_of(r, sp);
    size_t n = r->frame_count;
    if (stack != before) {                                 /* back on a stack that has open calls below? */
        while (n > 0 && !(r->frames[n - 1].stack == stack && r->frames[n - 1].slot >= sp)) n--;
        if (n > 0) r->frame_count = n;
    }
    while (r->frame_count > 0 && r->frames[r->frame_count - 1].stack == stack &&
           r->frames[r->frame_count - 1].slot < sp) r->frame_count--;
}

static void rec_push_frame(recorder *r, uint64_t back, uint64_t slot)
{
    rec_settle(r, slot + 8);
    if (r->frame_count == r->frame_room) {
        const size_t more = r->frame_room != 0 ? 2 * r->frame_room : 256;
        rec_frame *grown = (rec_frame *)realloc(r->frames, more * sizeof *grown);
        if (grown == NULL) rec_die("out of memory");
        r->frames = grown;
        r->frame_room = more;
    }
    r->frames[r->frame_count].back = back;
    r->frames[r->frame_count].slot = slot;
    r->frames[r->frame_count++].stack = r->stack_end;
}

/* The call stack from frame pointers, as the kernel walks it. */
static size_t rec_walk_frame_pointers(const recorder *r, uint64_t *stack, size_t room)
{
    uint64_t pair[2], frame = r->regs.rbp;                 /* saved frame pointer, return address */
    size_t n = 0;
    while (n < room && frame != 0 && rec_read(r, frame, pair, sizeof pair)) {
        stack[n++] = pair[1];
        frame = pair[0];
    }
    return n;
}

/* The call stack from the open calls, those left out whose return address is not where it was put. */
static size_t rec_walk_frames(const recorder *r, uint64_t *stack, size_t room)
{
    struct iovec local[REC_STACK], remote[REC_STACK];
    uint64_t found[REC_STACK];
    size_t left = r->frame_count, n = 0, i, batch;
    while (left > 0 && n < room) {
        ssize_t got;
        batch = left < REC_STACK ? left : REC_STACK;
        for (i = 0; i < batch; i++) {
            local[i].iov_base = &found[i];
            remote[i].iov_base = (void *)(uintptr_t)r->frames[left - 1 - i].slot;
            local[i].iov_len = remote[i].iov_len = 8;
        }
        got = process_vm_readv(r->pid, local, batch, remote, batch, 0);
        if (got < 0) got = 0;
        for (i = 0; i < batch && n < room; i++) {
            const rec_frame *f = &r->frames[left - 1 - i];
            if (i < (size_t)got / 8 && found[i] == f->back) stack[n++] = f->back;
        }
        left -= (size_t)got / 8 < batch ? (size_t)got / 8 + 1 : batch;
    }
    return n;
}

static void rec_sample(recorder *r, uint64_t leaf)
{
    const uint32_t depth = (uint32_t)r->o.depth;
    size_t frames = 1;
    uint32_t i;
    if (r->code_stale) rec_load_maps(r);
    for (i = 0; i < r->lbr_count; i++) r->newest[i] = r->lbr[(r->lbr_next + depth - 1 - i) % depth];
    r->stack[0] = leaf;
    if (r->o.max_stack > 1) {
        const size_t room = (size_t)r->o.max_stack - 1;
        frames += r->o.frame_pointers ? rec_walk_frame_pointers(r, r->stack + 1, room)
                                      : rec_walk_frames(r, r->stack + 1, room);
    }
    rec_write_sample(r->out, r->stack, frames, r->newest, r->lbr_count);
    r->samples++;
    if (r->samples == r->o.count || ferror(r->out)) r->done = 1;
}

/* Notes a taken branch; the registers are those at its target. A call has pushed `back`. */
static void rec_branch(recorder *r, uint64_t from, int call, uint64_t back)
{
    const uint32_t depth = (uint32_t)r->o.depth;
    csspgo_branch *b = &r->lbr[r->lbr_next];
    b->from = from;
    b->to = r->regs.rip;
    b->flags = 2;                                          /* "predicted" */
    r->lbr_next = r->lbr_next + 1 < depth ? r->lbr_next + 1 : 0;
    if (r->lbr_count < depth) r->lbr_count++;
    if (call) rec_push_frame(r, back, r->regs.rsp);
    else rec_settle(r, r->regs.rsp);
    r->branches++;
    if (--r->countdown == 0) {
        if (r->lbr_count < 2 && depth > 1) {               /* just behind a gap: the next one will do */
            r->countdown = 1;
        } else {
            rec_sample(r, r->regs.rip);
            r->countdown = rec_distance(r);
        }
    }
    if (r->branches == r->o.max_branches) r->done = 1;
    if ((r->branches & 4095) == 0) rec_progress(r);
}

/* ----- stopping and going on ----- */

static void rec_get_regs(recorder *r)
{
    if (ptrace(PTRACE_GETREGS, r->pid, NULL, &r->regs) != 0 && errno != ESRCH) rec_die("cannot read registers");
    r->regs_changed = 0;
}

/* The recorder only ever changes these three. */
static void rec_put_regs(recorder *r)
{
    const struct { int bit; size_t at; uint64_t value; } changes[] = {
        { REC_IP, offsetof(struct user, regs.rip), r->regs.rip },
        { REC_SP, offsetof(struct user, regs.rsp), r->regs.rsp },
        { REC_FLAGS, offsetof(struct user, regs.eflags), r->regs.eflags },
    };
    size_t i;
    for (i = 0; r->regs_changed != 0 && i < sizeof changes / sizeof *changes; i++) {
        if ((r->regs_changed & changes[i].bit) == 0) continue;
        if (ptrace(PTRACE_POKEUSER, r->pid, (void *)changes[i].at, (void *)changes[i].value) != 0 && errno != ESRCH) {
            rec_die("cannot write registers");
        }
    }
    r->regs_changed = 0;
}

/* Keeps SIGTRAP unblocked: a stop while it is blocked would reset its handler. */
static void rec_unblock_trap(const recorder *r)
{
    uint64_t mask = 0;
    if (ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof mask, &mask) != 0) return;
    if ((mask >> (SIGTRAP - 1) & 1) == 0) return;
    mask &= ~((uint64_t)1 << (SIGTRAP - 1));
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
}

/* The flags of the clone that r->regs is at or behind (0 for fork). */
static uint64_t rec_clone_flags(const recorder *r)
{
    uint64_t flags = 0;
    if (r->regs.orig_rax == SYS_vfork) flags = CLONE_VM | CLONE_VFORK;
    if (r->regs.orig_rax == SYS_clone) flags = r->regs.rdi;
#if defined(SYS_clone3)
    if (r->regs.orig_rax == SYS_clone3) rec_read(r, r->regs.rdi, &flags, sizeof flags);
#endif
    return flags;
}

/* From here on every instruction of the first thread is stepped: other code runs in the same memory. */
static void rec_step_only(recorder *r, const char *why)
{
    rec_unplant_all(r);
    if (r->step_only) return;
    r->step_only = 1;
    rec_say(r, why);
}

/* With a shadow stack in hardware, calls and returns must be the CPU's own. */
static void rec_check_shadow_stack(recorder *r)
{
    uint64_t pointer;
    struct iovec io;
    io.iov_base = &pointer;
    io.iov_len = sizeof pointer;
    if (r->step_only || ptrace(PTRACE_GETREGSET, r->pid, (void *)0x204, &io) != 0) return;
    rec_step_only(r, "the program has a hardware shadow stack: single-stepping");
}

/* A new thread or process: lets it run on its own, with the original code in its memory. */
static void rec_on_child(recorder *r, int event)
{
    unsigned long number = 0;
    uint64_t flags;
    char name[64];
    pid_t child;
    size_t i;
    int status, memory;
    ptrace(PTRACE_GETEVENTMSG, r->pid, NULL, &number);
    child = (pid_t)number;
    rec_get_regs(r);
    flags = rec_clone_flags(r);
    if ((flags & CLONE_THREAD) != 0) r->threads++;
    else r->children++;
    while (waitpid(child, &status, __WALL) < 0 && errno == EINTR) { }
    if ((flags & CLONE_VM) != 0 && event == PTRACE_EVENT_VFORK) {
        rec_unplant_all(r);                                /* the program waits until the child has left its memory */
    } else if ((flags & CLONE_VM) != 0) {
        rec_step_only(r, "the program has several threads: single-stepping the first from here on");
    } else {
        snprintf(name, sizeof name, "/proc/%ld/mem", (long)child);
        memory = open(name, O_RDWR | O_CLOEXEC);
        for (i = 0; memory >= 0 && i < r->page_count; i++) rec_restore_page(r->pages[i], memory);
        if (memory >= 0) close(memory);
    }
    sched_setaffinity(child, sizeof r->cpus, &r->cpus);
    ptrace(PTRACE_DETACH, child, NULL, NULL);
}

static void rec_open_memory(recorder *r)
{
    char name[64];
    if (r->memory >= 0) close(r->memory);
    snprintf(name, sizeof name, "/proc/%ld/mem", (long)r->pid);
    r->memory = open(name, O_RDWR | O_CLOEXEC);
    if (r->memory < 0) rec_die("cannot open the program's memory");
}

/* Another program took the place of the old one, whose memory is gone. */
static void rec_on_exec(recorder *r)
{
    rec_drop_pages(r, 0, UINT64_MAX, 0);
    rec_open_memory(r);
    rec_gap(r);
    r->frame_count = 0;
    r->stack_begin = r->stack_end = 0;
    r->maps_stale = 1;
    r->in_syscall = 0;
    r->step_only = r->o.step;
    r->moved = 1;
}

static void rec_on_event(recorder *r, int event)
{
    const int signal = WSTOPSIG(r->status);
    if (event == PTRACE_EVENT_EXEC) {
        rec_on_exec(r);
    } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
        rec_on_child(r, event);
    } else if (event == PTRACE_EVENT_STOP) {
        r->listen = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
        if (r->interrupting) r->done = 1;
    }
}

static void rec_wait(recorder *r)
{
    while (waitpid(r->pid, &r->status, __WALL) < 0) {
        if (errno != EINTR) rec_die("cannot wait for the program");
        if (rec_interrupted && !r->interrupting) r->interrupting = ptrace(PTRACE_INTERRUPT, r->pid, NULL, NULL) == 0;
    }
}

/* Lets the program go on until its next stop and says in r->event what that is. */
static void rec_resume(recorder *r, int request)
{
    const int signal = r->signal;
    int event;
    rec_put_regs(r);
    r->signal = 0;
    if (r->listen) request = PTRACE_LISTEN;
    r->listen = 0;
    if (ptrace(request, r->pid, NULL, (void *)(uintptr_t)signal) != 0 && errno != ESRCH) {
        rec_die("cannot continue the program");
    }
    rec_wait(r);
    if (!WIFSTOPPED(r->status)) {
        r->gone = 1;
        r->event = REC_GONE;
        return;
    }
    event = r->status >> 16;
    r->event = event != 0 ? REC_OTHER : WSTOPSIG(r->status) == (SIGTRAP | 0x80) ? REC_SYSTEM_CALL
             : WSTOPSIG(r->status) == SIGTRAP ? REC_TRAP : REC_SIGNAL;
    if (event != 0) rec_on_event(r, event);
    rec_get_regs(r);
}

/* A stop for SIGTRAP that is not ours is the program's signal, unless it ignores that. */
static void rec_pass_trap(recorder *r)
{
    r->signal = r->trap_ignored ? 0 : SIGTRAP;
}

/* ----- system calls: what changes code, masks or stacks ----- */

/* Before the system call in r->regs is carried out; number is in r->syscall. */
static void rec_on_syscall_entry(recorder *r)
{
    const struct user_regs_struct *a = &r->regs;
    const uint64_t page = ~(uint64_t)(REC_PAGE - 1);
    uint64_t begin = 0, size = 0, handler;
    switch (r->syscall) {
    case SYS_mmap:
        r->maps_stale = 1;
        if ((a->rdx & PROT_EXEC) != 0) r->code_stale = 1;
        if ((a->r10 & MAP_FIXED) != 0) { begin = a->rdi; size = a->rsi; }
        break;
    case SYS_mprotect:
    case SYS_pkey_mprotect:
        if ((a->rdx & PROT_EXEC) != 0) r->code_stale = 1;
        r->maps_stale = 1;
        begin = a->rdi;
        size = a->rsi;
        break;
    case SYS_munmap:
    case SYS_madvise:
        r->maps_stale = 1;
        begin = a->rdi;
        size = a->rsi;
        break;
    case SYS_mremap:
    case SYS_shmat:
    case SYS_shmdt:
    case SYS_remap_file_pages:
        r->maps_stale = r->code_stale = 1;
        size = UINT64_MAX;
        break;
    case SYS_clone:
#if defined(SYS_clone3)
    case SYS_clone3:
#endif
        if ((rec_clone_flags(r) & CLONE_UNTRACED) != 0) rec_step_only(r, "an untraceable process: single-stepping");
        break;
    case SYS_rt_sigaction:
        if (a->rdi == SIGTRAP && a->rsi != 0 && rec_read(r, a->rsi, &handler, sizeof handler)) {
            r->trap_ignored = handler == 1;
        }
        break;
    default:
        break;
    }
    if (size != 0) rec_drop_pages(r, begin & page, size > UINT64_MAX - begin - REC_PAGE ? UINT64_MAX : begin + size, 1);
}

/* After it. */
static void rec_on_syscall_exit(recorder *r)
{
    switch (r->syscall) {
    case SYS_rt_sigreturn:
        rec_gap(r);
        rec_settle(r, r->regs.rsp);
        rec_unblock_trap(r);
        break;
    case SYS_rt_sigprocmask:
        rec_unblock_trap(r);
        break;
    case SYS_arch_prctl:
        rec_check_shadow_stack(r);
        break;
    default:
        break;
    }
}

/* ----- carrying out a branch ----- */

typedef struct rec_operand {
    uint64_t value;               /* a register's value or the word in memory */
    size_t   size;                /* ModRM, SIB and displacement bytes        */
} rec_operand;

static uint64_t rec_register(const struct user_regs_struct *a, unsigned number)
{
    switch (number & 15) {
    case 0: return a->rax;
    case 1: return a->rcx;
    case 2: return a->rdx;
    case 3: return a->rbx;
    case 4: return a->rsp;
    case 5: return a->rbp;
    case 6: return a->rsi;
    case 7: return a->rdi;
    case 8: return a->r8;
    case 9: return a->r9;
    case 10: return a->r10;
    case 11: return a->r11;
    case 12: return a->r12;
    case 13: return a->r13;
    case 14: return a->r14;
    default: return a->r15;
    }
}

static uint64_t rec_signed(const unsigned char *p, size_t size)
{
    int32_t v;
    if (size == 1) return (uint64_t)(int64_t)(int8_t)p[0];
    memcpy(&v, p, sizeof v);
    return (uint64_t)(int64_t)v;
}

/* Condition code 0 to 15 of a conditional jump. */
static int rec_condition(uint64_t flags, unsigned code)
{
    const int cf = (flags & 1) != 0, pf = (flags & 4) != 0, zf = (flags & 0x40) != 0, sf = (flags & 0x80) != 0;
    const int of = (flags & 0x800) != 0;
    int holds;
    switch (code >> 1) {
    case 0: holds = of; break;
    case 1: holds = cf; break;
    case 2: holds = zf; break;
    case 3: holds = cf || zf; break;
    case 4: holds = sf; break;
    case 5: holds = pf; break;
    case 6: holds = sf != of; break;
    default: holds = zf || sf != of; break;
    }
    return holds != (int)(code & 1);
}

/* The operand of an indirect call or jump: p at its ModRM byte, which stands at the address `here`. */
static int rec_indirect_operand(const recorder *r, const unsigned char *p, unsigned rex, uint64_t segment,
                                uint64_t here, rec_operand *out)
{
    const struct user_regs_struct *a = &r->regs;
    const unsigned mode = p[0] >> 6, rm = p[0] & 7;
    size_t n = 1, displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    uint64_t address = 0;
    if (mode == 3) {
        out->value = rec_register(a, rm | (rex & 1) << 3);
        out->size = 1;
        return 1;
    }
    if (rm == 4) {
        const unsigned scale = p[1] >> 6, index = (p[1] >> 3 & 7) | (rex & 2) << 2, base = p[1] & 7;
        if (index != 4) address += rec_register(a, index) << scale;
        if (base == 5 && mode == 0) displacement = 4;
        else address += rec_register(a, base | (rex & 1) << 3);
        n = 2;
    } else if (rm == 5 && mode == 0) {
        displacement = 4;
        address = here + 1 + 4;                            /* nothing follows the displacement */
    } else {
        address = rec_register(a, rm | (rex & 1) << 3);
    }
    if (displacement != 0) address += rec_signed(p + n, displacement);
    out->size = n + displacement;
    return rec_read(r, address + segment, &out->value, 8);
}

/* Goes to target, with a return address pushed for a call; 0 if the CPU has to do it. */
static int rec_go(recorder *r, uint64_t target, int call, uint64_t next)
{
    const uint64_t slot = r->regs.rsp - 8;
    if (target >= (uint64_t)1 << 47) return 0;
    if (call) {
        if (!rec_write(r, slot, &next, 8)) return 0;
        r->regs.rsp = slot;
        r->regs_changed |= REC_SP;
    }
    r->regs.rip = target;
    r->regs_changed |= REC_IP;
    return 1;
}

static int rec_return(recorder *r, uint64_t pop)
{
    uint64_t target;
    if (!rec_read(r, r->regs.rsp, &target, 8) || target >= (uint64_t)1 << 47) return 0;
    r->regs.rip = target;
    r->regs.rsp += 8 + pop;
    r->regs_changed |= REC_IP | REC_SP;
    return 1;
}

/*
 * Carries out the branch at r->regs.rip and notes it if it was taken. 0: the CPU has to do it, nothing was changed.
 * The forms are those of compilers; prefixes that change operand or address size are left to the CPU.
 */
static int rec_emulate(recorder *r)
{
    const uint64_t from = r->regs.rip;
    unsigned char code[REC_INSN + 1] = { 0 };
    const size_t n = rec_fetch(r, from, code);
    uint64_t segment = 0, next;
    unsigned rex = 0, op;
    size_t i = 0;
    int taken = 1, call = 0;
    for (; i < 4 && memchr("\xf2\xf3\x2e\x3e\x64\x65", code[i], 6) != NULL; i++) {
        if (code[i] == 0x64) segment = r->regs.fs_base;
        if (code[i] == 0x65) segment = r->regs.gs_base;
    }
    if ((code[i] & 0xf0) == 0x40) rex = code[i++];
    op = code[i++];
    if (n < REC_INSN && n < i + 7) return 0;               /* at the very end of the mapping */
    if ((r->regs.eflags & REC_TRAP_FLAG) != 0) return 0;   /* the program steps itself       */
    if ((op >= 0x70 && op <= 0x7f) || op == 0xeb) {
        next = from + i + 1;
        taken = op == 0xeb || rec_condition(r->regs.eflags, op & 15);
        if (!rec_go(r, taken ? next + rec_signed(code + i, 1) : next, 0, 0)) return 0;
    } else if (op == 0x0f && (code[i] & 0xf0) == 0x80) {
        next = from + i + 5;
        taken = rec_condition(r->regs.eflags, code[i] & 15);
        if (!rec_go(r, taken ? next + rec_signed(code + i + 1, 4) : next, 0, 0)) return 0;
    } else if (op == 0xe8 || op == 0xe9) {
        next = from + i + 4;
        call = op == 0xe8;
        if (!rec_go(r, next + rec_signed(code + i, 4), call, next)) return 0;
    } else if (op == 0xff && ((code[i] >> 3 & 7) == 2 || (code[i] >> 3 & 7) == 4)) {
        rec_operand operand;
        if (!rec_indirect_operand(r, code + i, rex, segment, from + i, &operand)) return 0;
        next = from + i + operand.size;
        call = (code[i] >> 3 & 7) == 2;
        if (!rec_go(r, operand.value, call, next)) return 0;
    } else if (op == 0xc3 || op == 0xc2) {
        next = 0;
        if (!rec_return(r, op == 0xc2 ? (uint64_t)(code[i] | code[i + 1] << 8) : 0)) return 0;
    } else {
        return 0;
    }
    if (taken) rec_branch(r, from, call, next);
    return 1;
}

/* ----- running ----- */

/* The kernel has just set up a signal handler's frame. */
static void rec_on_handler(recorder *r)
{
    uint64_t back;
    rec_gap(r);
    if (rec_read(r, r->regs.rsp, &back, sizeof back)) rec_push_frame(r, back, r->regs.rsp);
    rec_unblock_trap(r);
}

/* Looks at what one instruction did. */
static void rec_after_step(recorder *r, const struct user_regs_struct *before, const csspgo_insn *insn, uint32_t size)
{
    const uint64_t from = before->rip, to = r->regs.rip, next = from + size;
    if (size == 0 || insn->kind == CSSPGO_NONE) {          /* a lock prefix counts as one of its own */
        if (to - from > REC_INSN && r->syscall == UINT64_MAX) rec_gap(r);
    } else if (to == from && !(insn->has_target && insn->target == from)) {
        return;                                            /* not done yet */
    } else if (insn->kind != CSSPGO_COND || to != next) {
        rec_branch(r, from, insn->kind == CSSPGO_CALL && r->regs.rsp == before->rsp - 8, next);
    }
}

/* Runs the program to the breakpoint at `end`; comes back early behind a system call and for a signal, exec or exit. */
static void rec_run_to(recorder *r, uint64_t end)
{
    do {
        rec_resume(r, PTRACE_SYSCALL);
        if (r->event == REC_SYSTEM_CALL) {
            r->in_syscall = !r->in_syscall;
            if (r->in_syscall) {
                r->syscall = r->regs.orig_rax;
                rec_on_syscall_entry(r);
            } else {
                rec_on_syscall_exit(r);
                return;
            }
        } else if (r->event == REC_SIGNAL) {
            r->signal = WSTOPSIG(r->status);
        } else if (r->event == REC_TRAP && (r->regs.rip == end + 1 || rec_is_planted(r, r->regs.rip - 1))) {
            r->regs.rip--;
            r->regs_changed |= REC_IP;
            return;
        } else if (r->event == REC_TRAP) {
            rec_pass_trap(r);
            if (r->signal == 0) return;
        }
    } while (r->signal == 0 && !r->gone && !r->moved && !r->done && (r->in_syscall || !r->step_only));
}

/* Carries out pushf or popf: stepped over, they would show the program the recorder's trap flag, or keep it set. */
static int rec_emulate_flags(recorder *r, unsigned opcode)
{
    uint64_t flags = r->regs.eflags & 0xfcffff;            /* without RF and VM */
    if (opcode == 0x9c) {
        if (!rec_write(r, r->regs.rsp - 8, &flags, 8)) return 0;
        r->regs.rsp -= 8;
    } else {
        if (!rec_read(r, r->regs.rsp, &flags, 8)) return 0;
        r->regs.eflags = (r->regs.eflags & ~(uint64_t)REC_POPF_FLAGS) | (flags & REC_POPF_FLAGS);
        r->regs.rsp += 8;
        r->regs_changed |= REC_FLAGS;
    }
    r->regs.rip++;
    r->regs_changed |= REC_IP | REC_SP;
    return 1;
}

/*
 * Steps over one instruction, after delivering a pending signal. A system call is run from its entry to its exit stop
 * instead: the trap of a single step would come after it has blocked SIGTRAP.
 */
static void rec_step(recorder *r)
{
    const struct user_regs_struct before = r->regs;
    unsigned char code[REC_INSN];
    const size_t n = rec_fetch(r, before.rip, code);
    csspgo_insn insn;
    siginfo_t info;
    uint32_t size;
    memset(&insn, 0, sizeof insn);
    size = n != 0 ? csspgo_decode_x86_64(code, n, before.rip, &insn) : 0;
    rec_unplant(r, before.rip);
    if (n != 0 && (code[0] == 0x9c || code[0] == 0x9d) && r->signal == 0 && rec_emulate_flags(r, code[0])) {
        if ((before.eflags & REC_TRAP_FLAG) != 0) rec_pass_trap(r);
        return;
    }
    r->syscall = UINT64_MAX;
    if (n >= 2 && code[0] == 0x0f && code[1] == 0x05) {
        if (r->signal == 0) {
            rec_run_to(r, UINT64_MAX - 1);
            return;
        }
        r->syscall = before.rax;
        rec_on_syscall_entry(r);
    }
    do { rec_resume(r, PTRACE_SINGLESTEP); } while (r->event == REC_OTHER && !r->moved && !r->done);
    if (r->event == REC_SIGNAL) r->signal = WSTOPSIG(r->status);
    if (r->event != REC_TRAP) return;
    if (ptrace(PTRACE_GETSIGINFO, r->pid, NULL, &info) != 0) return;
    if (info.si_code == SIGTRAP) {
        rec_on_handler(r);
    } else if (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT) {
        if (r->syscall != UINT64_MAX) rec_on_syscall_exit(r);
        rec_after_step(r, &before, &insn, size);
        if ((before.eflags & REC_TRAP_FLAG) != 0) rec_pass_trap(r);
    } else {
        rec_pass_trap(r);
    }
}

/* Goes on to the next branch and carries it out; 0 if the instruction here must be stepped over. */
static int rec_run_block(recorder *r)
{
    const rec_block *block = NULL;
    uint64_t end;
    int chain;
    for (chain = 0; chain < REC_CHAIN && !r->done; chain++) {
        block = rec_plan(r, r->regs.rip);
        if (block == NULL) return 0;
        if (block->skip != 0) break;
        if (block->kind == CSSPGO_NONE || !rec_emulate(r)) return 0;
    }
    if (r->done) return 1;
    if (chain == REC_CHAIN) return 0;                      /* a loop of branches only: let signals through */
    end = r->regs.rip + block->skip;
    if (!rec_plant(r, end)) return 0;
    rec_unplant(r, r->regs.rip);                           /* the end of a block that was cut for its length */
    rec_run_to(r, end);
    return 1;
}

/* The run-time address of the start symbol, from the program's own file; 0 with a message if it has none. */
static uint64_t rec_find_start(recorder *r)
{
    const char *wanted = r->o.start != NULL ? r->o.start : "main";
    uint64_t pair[2], entry = 0, found = 0, elf_entry = 0;
    char name[64], why[160] = "cannot read it";
    struct stat info;
    int fd, opened = 0;
    FILE *f;
    snprintf(name, sizeof name, "/proc/%ld/auxv", (long)r->pid);
    f = fopen(name, "re");
    while (f != NULL && fread(pair, sizeof pair, 1, f) == 1) {
        if (pair[0] == 9) entry = pair[1];                 /* AT_ENTRY */
    }
    if (f != NULL) fclose(f);
    snprintf(name, sizeof name, "/proc/%ld/exe", (long)r->pid);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0) {
        void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        elf_image image;
        elf_symbol symbol;
        uint32_t i;
        if (data != MAP_FAILED) {
            opened = elf_open(data, (size_t)info.st_size, &image, why, sizeof why);
            for (i = 1; opened && found == 0 && i < image.symbol_count; i++) {
                if (!elf_symbol_at(&image, i, &symbol) || symbol.section == ELF_UNDEFINED || symbol.type > ELF_FUNC ||
                    symbol.type == ELF_OBJECT || symbol.name_size != strlen(wanted) ||
                    memcmp(symbol.name, wanted, symbol.name_size) != 0) continue;
                found = symbol.value;
                elf_entry = image.entry;
            }
            munmap(data, (size_t)info.st_size);
        }
    }
    if (fd >= 0) close(fd);
    if (found != 0) return found - elf_entry + entry;
    if (r->o.start == NULL && entry != 0) return entry;
    rec_fail("no such function in the program", opened ? wanted : why);
    return 0;
}

/* The calls that are open where recording begins, as far as frame pointers lead to them; the program is at an entry. */
static void rec_find_callers(recorder *r)
{
    uint64_t slots[REC_STACK], backs[REC_STACK], pair[2], frame = r->regs.rbp, below = r->regs.rsp;
    size_t n = 0;
    r->stack_begin = r->stack_end = 0;
    rec_stack_of(r, below);
    if (!rec_read(r, below, &backs[0], 8)) return;
    slots[n++] = below;
    while (n < REC_STACK && frame > below && frame < r->stack_end - 16 && rec_read(r, frame, pair, sizeof pair)) {
        const rec_map *m = rec_find_map(r, pair[1]);
        if (m == NULL || m->begin > pair[1] || m->access[2] != 'x') break;
        below = slots[n] = frame + 8;
        backs[n++] = pair[1];
        frame = pair[0];
    }
    while (n-- > 0) rec_push_frame(r, backs[n], slots[n]);
}

/* Runs the program at full speed to the start symbol. Returns 0 when there is none; the program may also have ended. */
static int rec_run_to_start(recorder *r)
{
    uint64_t start = 0;
    r->moved = 1;
    do {
        if (r->moved) {
            r->moved = 0;
            if (r->regs.cs != 0x33) {
                rec_fail("not a 64-bit program", NULL);
                return 0;
            }
            start = rec_find_start(r);
            if (start == 0) return 0;
            if (!rec_plant(r, start)) {
                rec_fail("cannot put a breakpoint at the start symbol", r->o.start);
                return 0;
            }
        }
        rec_resume(r, PTRACE_CONT);
        if (r->event == REC_SIGNAL) r->signal = WSTOPSIG(r->status);
        if (r->event == REC_TRAP && r->regs.rip == start + 1) {
            r->regs.rip = start;
            r->regs_changed |= REC_IP;
            rec_unplant(r, start);
            rec_drop_pages(r, 0, UINT64_MAX, 1);           /* what was mapped since was not watched */
            rec_load_maps(r);
            rec_unblock_trap(r);
            rec_check_shadow_stack(r);
            rec_find_callers(r);
            return 1;
        }
        if (r->event == REC_TRAP) rec_pass_trap(r);
    } while (!r->gone && !r->done && !rec_interrupted);
    return 1;
}

/* Ends the recording; the program runs on as if nothing had been, or is gone already. */
static void rec_detach(recorder *r)
{
    if (r->gone) return;
    rec_unplant_all(r);
    rec_put_regs(r);
    sched_setaffinity(r->pid, sizeof r->cpus, &r->cpus);
    if (ptrace(PTRACE_DETACH, r->pid, NULL, (void *)(uintptr_t)r->signal) != 0 && errno != ESRCH) {
        rec_die("cannot let go of the program");
    }
}

/* Tracer and program take turns: on one CPU that is several times faster than across two. */
static void rec_pin(recorder *r)
{
    const int cpu = sched_getcpu();
    cpu_set_t one;
    if (sched_getaffinity(0, sizeof r->cpus, &r->cpus) != 0 || cpu < 0 || cpu >= CPU_SETSIZE) return;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void rec_free_software(recorder *r)
{
    rec_drop_pages(r, 0, UINT64_MAX, 0);
    free(r->pages);
    free(r->frames);
    free(r->maps);
    if (r->memory >= 0) close(r->memory);
}

static int rec_software(recorder *r)
{
    const unsigned long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
                                  PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORKDONE;
    int go, failure, error, started;
    char text[128];
    if (r->o.period == 0) r->o.period = 1000;
    r->countdown = rec_distance(r);
    r->memory = -1;
    r->step_only = r->o.step;
    rec_pin(r);
    if (!rec_spawn(r, &go, &failure)) return 1;
    if (ptrace(PTRACE_SEIZE, r->pid, NULL, (void *)options) != 0) {
        kill(r->pid, SIGKILL);
        return rec_fail("cannot trace the program", strerror(errno));
    }
    if (write(go, "", 1) != 1) return rec_fail("cannot start the program", strerror(errno));
    close(go);
    do { rec_wait(r); } while (WIFSTOPPED(r->status) && r->status >> 16 != PTRACE_EVENT_EXEC &&
                               ptrace(PTRACE_CONT, r->pid, NULL, NULL) == 0);
    error = rec_exec_error(failure);
    if (error != 0) return rec_fail(r->o.program[0], strerror(error));
    if (!WIFSTOPPED(r->status)) return rec_fail(r->o.program[0], "ended before it began");
    rec_open_memory(r);
    rec_get_regs(r);
    snprintf(text, sizeof text, "software LBR of %llu records (%s), %s call stack, first thread only",
             (unsigned long long)r->o.depth, r->o.step ? "single steps" : "breakpoints at branches",
             r->o.frame_pointers ? "frame-pointer" : "exact");
    rec_say(r, text);
    started = rec_run_to_start(r);
    if (!started) {
        kill(r->pid, SIGKILL);
        return 1;
    }
    while (!r->gone && !r->done) {
        if (rec_interrupted) break;
        if (r->moved && !rec_run_to_start(r)) break;
        if (r->gone || r->done) break;
        if (r->signal != 0 || r->step_only || !rec_run_block(r)) rec_step(r);
    }
    rec_detach(r);
    if (r->branches == 0 && r->gone) rec_say(r, "the program ended before the start symbol was reached");
    return -1;
}

#endif /* REC_SOFTWARE */

/* ----- the CPU's LBR ---------------------------------------------------------------------------------------------- */

/*
 * The event: retired taken branches, user mode only, as precise as the kernel grants, with branch stack and call chain.
 * Intel and AMD have a raw event for taken branches; elsewhere the generic one counts all branches, which is as good.
 */
static int rec_open_event(pid_t pid, uint64_t period, struct perf_event_attr *a)
{
    static const struct { uint32_t type; uint64_t config; } events[] = {
#if defined(__x86_64__) || defined(__i386__)
        { PERF_TYPE_RAW, 0x20c4 },                         /* Intel BR_INST_RETIRED.NEAR_TAKEN */
        { PERF_TYPE_RAW, 0xc4 },                           /* AMD retired taken branches       */
#endif
        { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
    };
    size_t i = 0;
    int precise, fd = -1;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (!__builtin_cpu_is("intel")) i = __builtin_cpu_is("amd") ? 1 : 2;
#endif
    for (; fd < 0 && i < sizeof events / sizeof *events; i++) {
        for (precise = 3; fd < 0 && precise >= 0; precise--) {
            memset(a, 0, sizeof *a);
            a->size = sizeof *a;
            a->type = events[i].type;
            a->config = events[i].config;
            a->sample_period = period;
            a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
                             PERF_SAMPLE_BRANCH_STACK;
            a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
            a->precise_ip = (unsigned)precise & 3;
            a->disabled = a->enable_on_exec = 1;
            a->exclude_kernel = a->exclude_hv = a->exclude_callchain_kernel = 1;
            a->mmap = a->mmap2 = 1;
            a->watermark = 1;
            a->wakeup_watermark = 1 << 16;
            fd = (int)syscall(SYS_perf_event_open, a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
        }
    }
    return fd;
}

/* Writes what is in the ring buffer. */
static void rec_drain(recorder *r, struct perf_event_mmap_page *page, csspgo_ring *ring)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error error;
    csspgo_item item;
    ring->head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    while (!r->done && (item = csspgo_ring_next(ring, &sample, &map, &error)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_MMAP && map.executable) {
            rec_write_map(r->out, (pid_t)map.pid, map.address, map.size, map.file_offset, "00:00", 0, "r-xp", map.path,
                          map.path_size);
        } else if (item == CSSPGO_ITEM_SAMPLE && sample.branch_count != 0) {
            const size_t n = sample.branch_count < r->o.depth ? sample.branch_count : (size_t)r->o.depth;
            const size_t frames = sample.stack_count < r->o.max_stack ? sample.stack_count : (size_t)r->o.max_stack;
            rec_write_sample(r->out, sample.stack, frames, sample.branches, n);
            r->branches += r->o.period;
            if (++r->samples == r->o.count || (r->o.max_branches != 0 && r->branches >= r->o.max_branches)) r->done = 1;
        }
    }
    __atomic_store_n(&page->data_tail, ring->tail, __ATOMIC_RELEASE);
    rec_progress(r);
}

static int rec_hardware(recorder *r)
{
    enum { PAGES = 128 };                                  /* of ring buffer: what an unprivileged user may lock */
    const size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_attr attr;
    csspgo_ring ring;
    void *base;
    int go, failure, error, fd;
    if (r->o.period == 0) r->o.period = 100003;
    if (r->o.start != NULL) return rec_fail("--start needs --software", NULL);
    if (!rec_spawn(r, &go, &failure)) return 1;
    fd = rec_open_event(r->pid, r->o.period, &attr);
    base = fd >= 0 ? mmap(NULL, (1 + PAGES) * unit, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    memset(&ring, 0, sizeof ring);
    ring.bounce_size = 1 << 16;
    ring.bounce = r->bounce = malloc(ring.bounce_size);
    if (base == MAP_FAILED || ring.bounce == NULL) {
        kill(r->pid, SIGKILL);
        return rec_fail("cannot open the branch event", strerror(errno));
    }
    ring.data = (const char *)base + unit;
    ring.size = PAGES * unit;
    ring.sample_type = attr.sample_type;
    ring.branch_sample_type = attr.branch_sample_type;
    if (write(go, "", 1) != 1) return rec_fail("cannot start the program", strerror(errno));
    close(go);
    error = rec_exec_error(failure);
    if (error != 0) return rec_fail(r->o.program[0], strerror(error));
    rec_say(r, "the CPU's LBR, frame-pointer call stack, first thread only");
    while (!r->gone && !r->done && !rec_interrupted) {
        struct pollfd wait;
        wait.fd = fd;
        wait.events = POLLIN;
        poll(&wait, 1, 100);
        r->gone = waitpid(r->pid, &r->status, WNOHANG) == r->pid;
        rec_drain(r, (struct perf_event_mmap_page *)base, &ring);
    }
    if (ring.lost != 0 && !r->o.quiet) {
        fprintf(stderr, "csspgo record: the kernel lost %llu records\n", (unsigned long long)ring.lost);
    }
    munmap(base, (1 + PAGES) * unit);
    close(fd);
    return -1;
}

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
static int record_main(int argc, char **argv)
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

static int record_main(int argc, char **argv)
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

#endif /* CSSPGO_EXAMPLES_RECORD_H */
