/* attach.c - bursts: taking hold of the threads of a process that runs, and letting go of them */
#include "record.h"

#if defined(REC_SOFTWARE)

#include <dirent.h>

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

/* Whether a stop is under way to the thread that the recorder wants: it must come before the thread is let go. */
static int rec_is_due(const rec_watch *w, const rec_thread *t)
{
    const int64_t pending = rec_status(t->tid, "SigPnd", 16);
    return t->asked || rec_first_is_due(w, t) || (pending > 0 && (pending >> (SIGSTOP - 1) & 1) != 0);
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
    if (t != NULL && event == 0 && signal == SIGTRAP && rec_first_set_back(w, t)) signal = 0;
    if (WIFSTOPPED(status) && t != NULL && !group_stop && (rec_will_ring(t) || rec_first_is_due(w, t))) {
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
    rec_first_let_go(w);
    for (i = 0; i < w->count; i++) {
        rec_clock_close(&w->threads[i]);
    }
    while (w->newborn.count != 0) {
        const rec_stop s = w->newborn.v[--w->newborn.count];
        rec_let_go_at(w, s.tid, s.status);
    }
    do {
        int status = 0;
        pid_t tid;
        for (due = i = 0; i < w->count; i++) due += (size_t)rec_is_due(w, &w->threads[i]);
        while ((tid = rec_next_stop(w, &status)) > 0) rec_let_go_at(w, tid, status);
        if (due != 0) rec_doze(w);
    } while (due != 0 && rec_seconds() < end);
}

#endif
