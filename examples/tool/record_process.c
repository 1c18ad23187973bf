/* record_process.c - bursts: the processes, and what happens when a thread makes another thread or process */
#include "record_threads.h"

#if defined(REC_SOFTWARE)

#include <linux/kcmp.h>

/* A number of /proc/TID/status, which the name and a colon begin; -1 if there is none. */
int64_t rec_status(pid_t tid, const char *name, int base)
{
    char path[64], line[256];
    const size_t n = strlen(name);
    int64_t value = -1;
    FILE *f;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)tid);
    f = fopen(path, "re");
    while (f != NULL && value < 0 && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, name, n) == 0 && line[n] == ':') value = (int64_t)strtoull(line + n + 1, NULL, base);
    }
    if (f != NULL) fclose(f);
    return value;
}

/* The process that the number, of any of its threads, stands for; 0 if there is none. */
pid_t rec_process_of(pid_t tid)
{
    const int64_t process = rec_status(tid, "Tgid", 10);
    return process > 0 ? (pid_t)process : 0;
}

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
    p->memory = -1;
    p->by_register = w->r->o.pid != 0;
    return p;
}

/* What the recorder knows of the process at hand goes to `to`, or comes from there. */
static void rec_park(recorder *r, rec_process *to)
{
    to->maps = r->maps;
    to->map_count = r->map_count;
    to->map_room = r->map_room;
    to->maps_loaded = r->maps_loaded;
    to->maps_time = r->maps_time;
    to->pages = r->pages;
    to->page_count = r->page_count;
    to->page_room = r->page_room;
    to->memory = r->memory;
    to->by_register = r->by_register;
    to->step_only = r->step_only;
    to->calls_ptrace = r->calls_ptrace;
}

static void rec_take_up(recorder *r, const rec_process *from)
{
    r->maps = from->maps;
    r->map_count = from->map_count;
    r->map_room = from->map_room;
    r->maps_loaded = from->maps_loaded;
    r->maps_time = from->maps_time;
    r->pages = from->pages;
    r->page_count = from->page_count;
    r->page_room = from->page_room;
    r->memory = from->memory;
    r->by_register = from->by_register;
    r->step_only = from->step_only;
    r->calls_ptrace = from->calls_ptrace;
    r->page = NULL;
    r->maps_stale = 1;
    r->process = from->pid;
}

/* Makes the thread's process the one at hand; its first thread may have ended. Returns 0 if this one has. */
int rec_enter(rec_watch *w, const rec_thread *t)
{
    recorder *r = w->r;
    const pid_t pid = t->process;
    rec_process *p;
    if (r->process == pid && r->memory >= 0) return 1;
    if (r->process != pid) {
        p = rec_find_process(w, r->process);
        if (p != NULL) rec_park(r, p);
        else if (r->memory >= 0) close(r->memory);
        rec_take_up(r, rec_add_process(w, pid));
    }
    r->pid = t->tid;
    return r->memory >= 0 || rec_open_memory(r);
}

/* Whether anything but the one thread may run in the memory of the process at hand. */
int rec_shares_memory(const rec_watch *w, pid_t pid)
{
    const rec_process *p = rec_find_process(w, pid);
    size_t i, n = 0;
    for (i = 0; i < w->count; i++) n += w->threads[i].process == pid;
    return n > 1 || (p != NULL && p->shared);
}

/* The process has ended, or runs another program. */
void rec_forget_process(rec_watch *w, pid_t pid)
{
    recorder *r = w->r;
    rec_process *p = rec_find_process(w, pid);
    size_t i;
    if (p == NULL) return;
    if (r->process == pid) {
        rec_park(r, p);
        memset(&w->none, 0, sizeof w->none);
        w->none.memory = -1;
        rec_take_up(r, &w->none);
    }
    for (i = 0; i < p->page_count; i++) free(p->pages[i]);
    free(p->pages);
    free(p->maps);
    if (p->memory >= 0) close(p->memory);
    *p = w->processes[--w->process_count];
}

/* ----- what threads make ------------------------------------------------------------------------------------------ */

static void rec_keep_stop(rec_watch *w, pid_t tid, int status)
{
    if (w->newborn_count == w->newborn_room) {
        const size_t more = w->newborn_room != 0 ? 2 * w->newborn_room : 16;
        rec_stop *grown = (rec_stop *)realloc(w->newborn, more * sizeof *grown);
        if (grown == NULL) rec_die(w->r->tool, "out of memory");
        w->newborn = grown;
        w->newborn_room = more;
    }
    w->newborn[w->newborn_count].tid = tid;
    w->newborn[w->newborn_count++].status = status;
}

/* Takes the stop of a thread out of a list. */
int rec_take_stop(rec_stop *stops, size_t *count, pid_t tid, int *status)
{
    size_t i;
    for (i = 0; i < *count; i++) {
        if (stops[i].tid != tid) continue;
        *status = stops[i].status;
        memmove(stops + i, stops + i + 1, (--*count - i) * sizeof *stops);
        return 1;
    }
    return 0;
}

/*
 * A thread, or a process with its first thread, of which the first stop has been seen. Both run in the program's own
 * code: a burst takes its breakpoints out before the system call. What shares the memory with another process from now
 * on must not meet breakpoints of a later burst; a process made by vfork has the memory to itself until it leaves it.
 *
 * A process that is not to be recorded goes free; one that may call ptrace is held for these calls, until its exec.
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
    if (shared && event != PTRACE_EVENT_VFORK) rec_add_process(w, parent)->shared = 1;
    if (process != parent && (apart || parent == 0)) r->children++;
    if (parent == 0 || (apart && !watched)) {
        ptrace(PTRACE_DETACH, tid, NULL, NULL);
        return;
    }
    if (!apart) rec_put_task(r, PERF_RECORD_FORK, process, tid, parent);
    if (process != parent) {
        if (!apart) rec_add_process(w, process)->shared = shared;
        ptrace(PTRACE_SETOPTIONS, tid, NULL, (void *)(uintptr_t)REC_TRACE);  /* it does not end with the recorder */
    }
    t = rec_add_thread(w, tid, process, apart);
    t->watched = watched;
    rec_go_on(t, 0);
}

/* A stop of a thread not known yet: it stands until the one that made it says so. */
void rec_on_newborn(rec_watch *w, pid_t tid, int status)
{
    if (WIFSTOPPED(status)) rec_keep_stop(w, tid, status);
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
    if (!rec_take_stop(w->newborn, &w->newborn_count, tid, &status) &&
        !rec_take_stop(r->stops, &r->stop_count, tid, &status)) {
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
    while (w->newborn_count != 0) {
        const rec_stop s = w->newborn[--w->newborn_count];
        const pid_t process = rec_process_of(s.tid);
        size_t i;
        rec_thread made_by;
        for (i = 0; i < w->count && w->threads[i].process != process; i++) { }
        if (i < w->count) made_by = w->threads[i];
        rec_adopt(w, s.tid, s.status, 0, i < w->count ? &made_by : NULL);
    }
}

#endif
