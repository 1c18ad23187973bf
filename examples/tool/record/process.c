/* process.c - bursts: the processes, and what happens when a thread makes another thread or process */
#include "record.h"

#if defined(REC_SOFTWARE)

#include <linux/kcmp.h>

static rec_process *rec_find_process(const rec_watch *w, pid_t pid)
{
    size_t i;
    for (i = 0; i < w->process_count; i++) if (w->processes[i].pid == pid) return &w->processes[i];
    return NULL;
}

static rec_process *rec_add_process(rec_watch *w, pid_t pid)
{
    rec_process *p = rec_find_process(w, pid);
    if (p != NULL) return p;
    if (w->process_count == w->process_room) {
        const size_t more = w->process_room != 0 ? 2 * w->process_room : 4;
        rec_process *grown = (rec_process *)realloc(w->processes, more * sizeof *grown);
        if (grown == NULL) rec_die(w->r->tool, "out of memory");
        w->processes = grown;
        w->process_room = more;
    }
    p = &w->processes[w->process_count++];
    memset(p, 0, sizeof *p);
    p->pid = pid;
    p->space.memory = -1;
    p->space.by_register = w->r->o.pid != 0;
    return p;
}

/* What the recorder knows of the process `pid` is what it goes by from here on. */
static void rec_take_up(recorder *r, pid_t pid, const rec_space *space)
{
    r->space = *space;
    r->view.page = NULL;
    r->view.maps_stale = 1;
    r->process = pid;
}

/* Makes the thread's process the one at hand; its first thread may have ended. Returns 0 if this one has. */
int rec_enter(rec_watch *w, const rec_thread *t)
{
    recorder *r = w->r;
    const pid_t pid = t->process;
    rec_process *p;
    if (r->process == pid && r->space.memory >= 0) return 1;
    if (r->process != pid) {
        p = rec_find_process(w, r->process);
        if (p != NULL) p->space = r->space;
        else if (r->space.memory >= 0) close(r->space.memory);
        p = rec_add_process(w, pid);
        rec_take_up(r, pid, &p->space);
    }
    r->pid = t->tid;
    return r->space.memory >= 0 || rec_open_memory(r);
}

/* Whether anything but the one thread may run in the memory of the process at hand. */
int rec_shares_memory(const rec_watch *w, pid_t pid)
{
    const rec_process *p = rec_find_process(w, pid);
    size_t i, n = 0;
    for (i = 0; i < w->count; i++) n += w->threads[i].process == pid;
    return n > 1 || (p != NULL && p->shared);
}

/* The process has ended, or runs another program (exec). */
void rec_forget_process(rec_watch *w, pid_t pid, int exec)
{
    recorder *r = w->r;
    rec_process *p = rec_find_process(w, pid);
    size_t i;
    rec_window_forget(r, pid, exec);
    if (p == NULL) return;
    if (r->process == pid) {
        rec_space none;
        p->space = r->space;
        memset(&none, 0, sizeof none);
        none.memory = -1;
        rec_take_up(r, 0, &none);
    }
    rec_first_end(r, p->space.first, exec);
    for (i = 0; i < p->space.page_count; i++) free(p->space.pages[i]);
    free(p->space.pages);
    free(p->space.maps);
    if (p->space.memory >= 0) close(p->space.memory);
    *p = w->processes[--w->process_count];
}

/* What --first knows of a process. */
static rec_first *rec_first_of_process(const rec_watch *w, pid_t pid)
{
    const rec_process *const p = rec_find_process(w, pid);
    return w->r->process == pid ? w->r->space.first : p != NULL ? p->space.first : NULL;
}

/* ----- what threads make ------------------------------------------------------------------------------------------ */

/*
 * A thread, or a process with its first thread, of which the first stop has been seen. Both run in the program's own
 * code: a burst takes its breakpoints out before the system call. What shares the memory with another process from now
 * on must not meet breakpoints of a later burst; a process made by vfork has the memory to itself until it leaves it.
 *
 * A process that is not to be recorded goes free; one that may call ptrace is held for these calls, until its exec, and
 * with --first every one, for the breakpoints in its memory.
 */
static void rec_adopt(rec_watch *w, pid_t tid, int status, int event, const rec_thread *made_by)
{
    recorder *r = w->r;
    const pid_t process = rec_process_of(tid), parent = made_by != NULL ? made_by->process : 0;
    const int watched = made_by != NULL && made_by->loader_end == 0 && made_by->watched;
    const int apart = (made_by != NULL && made_by->apart) || (process != parent && !r->o.follow);
    const int shared = process != parent && parent != 0 && syscall(SYS_kcmp, parent, tid, KCMP_VM, 0, 0) <= 0;
    rec_thread *t;
    if (!WIFSTOPPED(status) || process == 0 || rec_find_thread(w, tid) != NULL) return;
    if (process != parent && !shared) rec_window_of_child(r, tid);
    if (shared && event != PTRACE_EVENT_VFORK) rec_add_process(w, parent)->shared = 1;
    if (process != parent && (apart || parent == 0)) r->children++;
    if (parent == 0 || (apart && !watched && r->traces == NULL)) {
        ptrace(PTRACE_DETACH, tid, NULL, NULL);
        return;
    }
    if (!apart) rec_put_task(r, PERF_RECORD_FORK, process, tid, parent);
    if (process != parent) {
        if (!apart || r->traces != NULL) rec_add_process(w, process)->shared = shared;
        if (r->traces != NULL)
            rec_find_process(w, process)->space.first =
                rec_first_of_child(r, rec_first_of_process(w, parent), process, shared, apart);
        ptrace(PTRACE_SETOPTIONS, tid, NULL, (void *)(uintptr_t)REC_TRACE);  /* it does not end with the recorder */
    }
    t = rec_add_thread(w, tid, process, apart);
    t->watched = watched;
    rec_go_on(t, 0);
}

/* A stop of a thread not known yet: it stands until the one that made it says so. */
void rec_on_newborn(rec_watch *w, pid_t tid, int status)
{
    if (WIFSTOPPED(status)) rec_keep_stop(w->r->tool, &w->newborn, tid, status);
}

/* A thread has made another thread or process. */
void rec_on_birth(rec_watch *w, const rec_thread *t, int event)
{
    recorder *r = w->r;
    const rec_thread made_by = *t;
    unsigned long number = 0;
    pid_t tid;
    int status = 0;
    if (ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &number) != 0) return;
    tid = (pid_t)number;
    if (!rec_take_stop(&w->newborn, tid, &status) && !rec_take_stop(&r->waiting, tid, &status)) {
        pid_t seen;
        do { seen = waitpid(tid, &status, __WALL); } while (seen < 0 && errno == EINTR);
        if (seen != tid) return;
    }
    rec_unbind_newborn(made_by.tid, tid);
    rec_adopt(w, tid, status, event, &made_by);
}

/* A thread was killed, perhaps before it could say what it had made: that goes free. */
void rec_free_newborn(rec_watch *w)
{
    while (w->newborn.count != 0) {
        const rec_stop s = w->newborn.v[--w->newborn.count];
        const pid_t process = rec_process_of(s.tid);
        size_t i;
        rec_thread made_by;
        for (i = 0; i < w->count && w->threads[i].process != process; i++) { }
        if (i < w->count) made_by = w->threads[i];
        rec_adopt(w, s.tid, s.status, 0, i < w->count ? &made_by : NULL);
    }
}

#endif
