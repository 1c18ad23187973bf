/* record_attach.c - bursts: taking hold of the threads of a process that runs, and letting go of them */
#include "record.h"

#if defined(REC_SOFTWARE)

#include <dirent.h>

/* The process that the number, of any of its threads, stands for; 0 if there is none. */
static pid_t rec_process_of(pid_t pid)
{
    char name[64], line[128];
    long process = 0;
    FILE *f;
    snprintf(name, sizeof name, "/proc/%ld/status", (long)pid);
    f = fopen(name, "re");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "Tgid: %ld", &process) == 1) break;
    }
    if (f != NULL) fclose(f);
    return (pid_t)process;
}

/* Takes hold of the threads that it has not yet. Returns how many, or -1 where that is refused. */
static int rec_seize(rec_watch *w, pid_t process)
{
    const unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE;
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
            rec_add_thread(w, tid, process);
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
    if (process == 0) return fail(r->tool, "there is no process %ld", (long)r->o.pid), 0;
    do { n = rec_seize(w, process); } while (n > 0);
    if (n < 0 || w->count == 0) return fail(r->tool, "cannot trace process %ld: %s", (long)process, strerror(errno)), 0;
    w->first = r->pid = process;
    r->by_register = 1;
    rec_open_memory(r);
    return 1;
}

/* Whether the SIGSTOP of its clock is under way to the thread. */
static int rec_will_ring(const rec_thread *t)
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

/* A stop of a thread that is to be let go: it may have a signal to take along. Returns 1 when it is gone or let go. */
static int rec_let_go_at(rec_watch *w, const rec_thread *t, int status)
{
    const int event = WIFSTOPPED(status) ? status >> 16 : 0;
    int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
    const int group_stop = event == PTRACE_EVENT_STOP && signal != SIGTRAP;
    if (!WIFSTOPPED(status)) {
        if (t->tid == w->first) {
            w->gone = 1;
            w->status = status;
        }
        return 1;
    }
    if (event != 0 || signal == (SIGTRAP | 0x80) || (signal == SIGSTOP && rec_clock_rang(t))) signal = 0;
    if (group_stop || !rec_will_ring(t)) {
        return ptrace(PTRACE_DETACH, t->tid, NULL, (void *)(uintptr_t)signal) == 0 || errno == ESRCH;
    }
    ptrace(PTRACE_CONT, t->tid, NULL, (void *)(uintptr_t)signal);
    return 0;
}

/*
 * Lets all threads run on untraced, each from its next stop. A clock that is closed does not ring any more, but it may
 * have rung: that SIGSTOP must come before.
 */
void rec_let_go(rec_watch *w)
{
    const double end = rec_seconds() + 2;
    size_t i;
    for (i = 0; i < w->count; i++) {
        rec_clock_close(&w->threads[i]);
        ptrace(PTRACE_INTERRUPT, w->threads[i].tid, NULL, NULL);
    }
    while (w->count != 0 && rec_seconds() < end) {
        rec_thread *t;
        int status = 0;
        const pid_t tid = rec_next_stop(w, &status);
        if (tid < 0) break;
        if (tid == 0) {
            rec_doze(w);
            continue;
        }
        t = rec_find_thread(w, tid);
        if (t == NULL && WIFSTOPPED(status)) {             /* a thread just made */
            t = rec_add_thread(w, tid, w->first);
            rec_clock_close(t);
        }
        if (t != NULL && rec_let_go_at(w, t, status)) rec_remove_thread(w, t);
    }
}

#endif
