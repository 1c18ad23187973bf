/* program.c - what all ways to record share: signals, progress, starting the program and waiting for it */
#include "record.h"

#if defined(REC_LINUX)

#include <sys/prctl.h>
#include <sys/xattr.h>

static volatile sig_atomic_t rec_signal_came;         /* for the signal handler: the one thing that no struct has */

int rec_interrupted(void)
{
    return rec_signal_came;
}

void rec_on_interrupt(int signal)
{
    (void)signal;
    rec_signal_came = 1;
}

double rec_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* CPU seconds that the recorder has taken. */
double rec_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

uint64_t rec_next_random(recorder *r)
{
    r->lbr.random ^= r->lbr.random << 13;                  /* xorshift64 */
    r->lbr.random ^= r->lbr.random >> 7;
    r->lbr.random ^= r->lbr.random << 17;
    return r->lbr.random;
}

/* "12 s", "3 min", "2 h" */
static void rec_duration(char *text, size_t size, double seconds)
{
    const char *unit = seconds < 60 ? "s" : seconds < 3600 ? "min" : "h";
    snprintf(text, size, "%.0f %s", seconds < 60 ? seconds : seconds < 3600 ? seconds / 60 : seconds / 3600, unit);
}

/*
 * "12000000 branches, 12000 samples, 0.6 M branches/s, 20 s"; with --count or --max-branches also how long it will take
 * at that rate, and the share that is done, by what is reached first: ", 25 %, 1 min left at most".
 */
void rec_progress_text(char *text, size_t size, const rec_options *o, uint64_t branches, uint64_t samples,
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
    snprintf(text + n, size - n, ", %.0f%%, %s left at most", 100 * seconds / (seconds + left), took);
}

void rec_progress(recorder *r)
{
    const double now = r->run.terminal ? rec_seconds() : 0;
    char text[200];
    if (!r->run.terminal || now - r->run.shown < 0.2) return;
    r->run.shown = now;
    rec_progress_text(text, sizeof text, &r->o, r->branches, r->samples, now - r->run.began);
    fprintf(stderr, "\r\033[K%s ", text);
}

/* Refuses an output that is the program. */
int rec_spares_program(const tool_context *tool, const rec_options *o, const char *to)
{
    char file[PATH_MAX];
    if (o->pid == 0) program_file(o->program[0], file, sizeof file);
    else snprintf(file, sizeof file, "/proc/%ld/exe", (long)o->pid);
    return output_spares(tool, to, file);
}

/* Whether a file gives who runs it rights that the kernel withholds from a program that is traced. */
static int rec_gives_rights(const char *file)
{
    struct stat info;
    if (geteuid() == 0 || stat(file, &info) != 0) return 0;
    return ((info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid()) ||
           ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && info.st_gid != getegid()) ||
           getxattr(file, "security.capability", NULL, 0) > 0;
}

/* Refuses a program that would not do, traced, what it does alone. */
int rec_has_rights(const recorder *r)
{
    char file[PATH_MAX];
    program_file(r->o.program[0], file, sizeof file);
    if (!rec_gives_rights(file)) return 1;
    fail(r->tool, "%s has rights of its own (set-user-ID or capabilities), which a traced program does not get: "
         "record it as root", file);
    return 0;
}

void rec_warn_of_rights(const recorder *r, pid_t pid)
{
    char file[64];
    snprintf(file, sizeof file, "/proc/%ld/exe", (long)pid);
    if (rec_gives_rights(file)) {
        warn(r->tool, "process %ld runs a program without the rights that its file gives (set-user-ID or "
             "capabilities), for it is traced", (long)pid);
    }
}

/* Starts the program, held before its exec until `go` is written to. Returns 1, or 0 with a message. */
int rec_spawn(recorder *r, int *go, int *failure)
{
    int hold[2], result[2];
    if (pipe2(hold, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0) {
        fail(r->tool, "cannot make a pipe: %s", strerror(errno));
        return 0;
    }
    fflush(NULL);
    r->pid = fork();
    if (r->pid < 0) {
        fail(r->tool, "cannot fork: %s", strerror(errno));
        return 0;
    }
    if (r->pid == 0) {
        char byte;
        int error;
        close(hold[1]);
        if (read(hold[0], &byte, 1) != 1) _exit(127);
        if (!r->o.aslr) personality(ADDR_NO_RANDOMIZE | (unsigned long)personality(0xffffffff));
        if (r->o.output == NULL || r->o.json) dup2(2, 1);
        sigaction(SIGINT, &r->run.interrupt, NULL);
        sigaction(SIGTERM, &r->run.terminate, NULL);
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
int rec_exec_error(int failure)
{
    int error = 0;
    ssize_t n;
    do { n = read(failure, &error, sizeof error); } while (n < 0 && errno == EINTR);
    close(failure);
    return n == (ssize_t)sizeof error ? error : 0;
}

/* Says why the program could not be run; a file of its name that only lacks the ./ is named. Returns 0. */
int rec_exec_fail(const recorder *r, int error)
{
    const char *const name = r->o.program[0];
    struct stat st;
    if (error == ENOENT && strchr(name, '/') == NULL && stat(name, &st) == 0 && S_ISREG(st.st_mode))
        return fail(r->tool, "%s: not in the PATH; did you mean './%s'?", name, name), 0;
    if (error == ENOENT && strchr(name, '/') == NULL) return fail(r->tool, "%s: not in the PATH", name), 0;
    return fail(r->tool, "%s: %s", name, strerror(error)), 0;
}

/* The exit status a shell would show for how the program ended. */
int rec_exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 0;
}

void rec_die(const tool_context *tool, const char *what)
{
    fail(tool, "%s: %s", what, strerror(errno));
    exit(1);                                               /* PTRACE_O_EXITKILL takes the program along */
}

/*
 * Waits for the end of a program that is not recorded any more; a second interrupt gets through to us or to
 * the process that waits for this one. Threads that
 * did not stop when recording ended are let go when they do.
 */
int rec_wait_for_end(recorder *r)
{
    pid_t tid;
    int status = 0;
    if (!r->run.guarded) {
        sigaction(SIGINT, &r->run.interrupt, NULL);
        sigaction(SIGTERM, &r->run.terminate, NULL);
    }
    if (r->o.stop) kill(r->pid, SIGKILL);
    for (;;) {
        tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno == EINTR) continue;
        if (tid < 0 || (tid == r->pid && !WIFSTOPPED(status))) break;
        if (WIFSTOPPED(status)) {
            const int quiet = status >> 16 != 0 || WSTOPSIG(status) == (SIGTRAP | 0x80);
            ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)(quiet ? 0 : WSTOPSIG(status)));
        }
    }
    r->status = status;
    return r->o.stop ? 0 : rec_exit_status(r->status);
}

#if defined(REC_SOFTWARE)

static volatile sig_atomic_t rec_recorder;            /* the process to which signals are passed on */
static volatile sig_atomic_t rec_apart;               /* the terminal's do not reach it */

/* The first signal ends the recording. A second one ends this process. */
static void rec_on_pass(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (rec_signal_came) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    rec_signal_came = 1;
    if (rec_apart || info->si_code != SI_KERNEL) kill((pid_t)rec_recorder, SIGTERM);
}

/* The process that records: it ends the recording when the other one is killed. */
static void rec_begin_guarded(pid_t other, int attached)
{
    struct sigaction hangup;
    if (attached) setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != other) raise(SIGTERM);
    memset(&hangup, 0, sizeof hangup);
    sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler == SIG_IGN) return;
    hangup.sa_handler = rec_on_interrupt;
    sigaction(SIGHUP, &hangup, NULL);
}

/*
 * Records in a process of its own, which ends the recording when this one is killed: a clock or breakpoint that nobody
 * takes back would stop or kill the program. If that one runs already, no key of the terminal leads to the recorder.
 * Returns 1 in that process; 0 in this one when it has ended, with its exit status.
 */
int rec_guard(const tool_context *tool, int attached, int *status)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    const pid_t self = getpid();
    struct sigaction pass, old;
    size_t i;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child < 0) return *status = fail(tool, "cannot fork: %s", strerror(errno)), 0;
    if (child == 0) return rec_begin_guarded(self, attached), 1;
    memset(&pass, 0, sizeof pass);
    rec_recorder = child;
    rec_apart = attached;
    pass.sa_sigaction = rec_on_pass;
    pass.sa_flags = SA_SIGINFO;
    for (i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &pass, &old);
        if (signals[i] == SIGHUP && old.sa_handler == SIG_IGN) sigaction(SIGHUP, &old, NULL);      /* nohup */
    }
    while (waitpid(child, status, 0) < 0 && errno == EINTR) { }
    *status = rec_exit_status(*status);
    return 0;
}

#endif

void rec_summary(const recorder *r)
{
    char others[128] = "", released[64] = "";
    if (r->run.terminal) fputs("\r\033[K", stderr);
    if (r->threads + r->children != 0) {
        snprintf(others, sizeof others, "; not recorded: %llu other threads, %llu child processes%s",
                 (unsigned long long)r->threads, (unsigned long long)r->children,
                 r->children != 0 && !r->o.follow && !r->o.exact ? " (--follow-forks records them)" : "");
    }
    if (r->released != 0) {
        snprintf(released, sizeof released, "; let go for another tracer: %llu threads",
                 (unsigned long long)r->released);
    }
    note(r->tool, "%llu samples of %llu taken branches in %.1f s%s%s%s", (unsigned long long)r->samples,
         (unsigned long long)r->branches, rec_seconds() - r->run.began, others, released,
         rec_interrupted() ? "; stopped by a signal" : "");
}

#endif
