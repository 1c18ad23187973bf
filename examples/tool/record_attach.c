/* record_attach.c - bursts: taking hold of the threads of a process that runs, and letting go of them */
#include "record_threads.h"

#if defined(REC_SOFTWARE)

#include <dirent.h>
#include <sys/prctl.h>

/* Takes hold of the threads that it has not yet. Returns how many, or -1 where that is refused. */
static int rec_seize(rec_watch *w, pid_t process)
{
    const unsigned long options = REC_TRACE;
    const struct dirent *entry;
    char name[64];
    int n = 0;
    DIR *d;
    snprintf(name, sizeof name, "/proc/%ld/task", (long)process);
    d = opendir(name);
    while (d != NULL && n >= 0 && (entry = readdir(d)) != NULL) {
        const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || rec_find_thread(w, tid) != NULL) continue;
        if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)options) == 0) {
            rec_add_thread(w, tid, process, 0);
            n++;
        } else if (w->count == 0) {
            n = -1;
        }
    }
    if (d != NULL) closedir(d);
    return n;
}

/* Takes hold of all threads of the process r->o.pid, which keeps running. Returns 0 with a message. */
int rec_attach(rec_watch *w)
{
    recorder *r = w->r;
    const pid_t process = rec_process_of(r->o.pid);
    int n;
    int64_t tracer;
    if (process == 0) return fail(r->tool, "there is no process %ld", (long)r->o.pid), 0;
    tracer = rec_status(process, "TracerPid", 10);
    if (tracer > 0) {
        return fail(r->tool, "cannot trace process %ld: process %ld does already (a debugger, strace?)", (long)process,
                    (long)tracer), 0;
    }
    do { n = rec_seize(w, process); } while (n > 0);
    if (n < 0 || w->count == 0) return fail(r->tool, "cannot trace process %ld: %s", (long)process, strerror(errno)), 0;
    w->first = process;
    return 1;
}

/* Whether the SIGSTOP of its clock is under way to the thread. */
int rec_will_ring(const rec_thread *t)
{
    struct __ptrace_peeksiginfo_args which;
    siginfo_t info[64];
    long n;
    memset(&which, 0, sizeof which);
    which.nr = 64;
    n = ptrace(PTRACE_PEEKSIGINFO, t->tid, &which, info);
    while (n-- > 0) {
        if (info[n].si_signo == SIGSTOP && info[n].si_code >= POLL_IN && info[n].si_code <= POLL_HUP) return 1;
    }
    return 0;
}

/* Whether a stop is under way to the thread that the recorder wants: it must come before the thread is let go. */
static int rec_is_due(const rec_thread *t)
{
    const int64_t pending = rec_status(t->tid, "SigPnd", 16);
    return t->asked || (pending > 0 && (pending >> (SIGSTOP - 1) & 1) != 0);
}

/* A thread that stops or ends: with a signal to take along, it is let go. */
static void rec_let_go_at(rec_watch *w, pid_t tid, int status)
{
    const int event = WIFSTOPPED(status) ? status >> 16 : 0;
    rec_thread *t = rec_find_thread(w, tid);
    int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
    const int group_stop = event == PTRACE_EVENT_STOP && signal != SIGTRAP;
    const int asked = event == PTRACE_EVENT_STOP && signal == SIGTRAP && t != NULL && t->asked && !t->listens;
    if (!WIFSTOPPED(status) && tid == w->first) {
        w->gone = 1;
        w->status = status;
    }
    if (t != NULL) t->asked = 0;
    if (asked || (t != NULL && signal == (SIGTRAP | 0x80))) rec_begin_call_anew(t, 0);
    if (event != 0 || signal == (SIGTRAP | 0x80) || (signal == SIGSTOP && t != NULL && rec_clock_rang(t))) signal = 0;
    if (WIFSTOPPED(status) && t != NULL && !group_stop && rec_will_ring(t)) {
        ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)signal);
        return;
    }
    if (WIFSTOPPED(status)) ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)signal);
    if (t != NULL) rec_remove_thread(w, t);
}

/*
 * Lets all threads run on untraced. A clock that is closed does not ring any more, but it may have rung: that SIGSTOP
 * must come before. No thread is stopped for it: those that do not stop by themselves are let go by the kernel when the
 * recorder ends.
 */
void rec_let_go(rec_watch *w)
{
    const double end = rec_seconds() + 10;
    size_t i, due;
    for (i = 0; i < w->count; i++) {
        rec_clock_close(&w->threads[i]);
    }
    while (w->newborn_count != 0) {
        const rec_stop s = w->newborn[--w->newborn_count];
        rec_let_go_at(w, s.tid, s.status);
    }
    do {
        int status = 0;
        pid_t tid;
        for (due = i = 0; i < w->count; i++) due += (size_t)rec_is_due(&w->threads[i]);
        while ((tid = rec_next_stop(w, &status)) > 0) rec_let_go_at(w, tid, status);
        if (due != 0) rec_doze(w);
    } while (due != 0 && rec_seconds() < end);
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
    pass.sa_sigaction = rec_pass_interrupt(child, attached);
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
