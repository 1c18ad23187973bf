/* window.c - windows: now and then a process of one thread counts by itself how often some instructions run
 *
 * Bursts tell what runs beside what, but how often a phase's code runs they know by its time only, as far as they do not
 * see the phase begin and end. So between some bursts, picked at random, code is patched: a few instructions that bursts
 * saw often are jumps to trampolines (window_code.c) that count. The next burst ends the window: the code is put back,
 * and a thread that is in a trampoline is set to the same place of its own code. window_weigh.c turns counts into
 * weights of bursts.
 *
 * The program keeps two pages for each part of its code, even behind the recording: a thread whose registers a signal
 * handler has saved may still go there. A signal's handler finds the thread where it would be without the window.
 * A window ends when the process makes another one, whose code is put back, too, or a thread. There are no windows in a
 * process that has several threads, may call ptrace, filters system calls or has restartable sequences, and none in code
 * that is not a file's.
 */
#include "window.h"

#if defined(REC_SOFTWARE)

enum { REC_WINDOW_EVERY = 4 };    /* one burst in this many has a window behind it, on average */
#define REC_BY_COUNTING 0.8e-9    /* seconds that a thread needs to count */
#define REC_COUNTING_PART 0.04    /* of the part of the threads' time that recording may take, at most, for counting */

static void rec_put_code_back(const rec_windows *w, int memory)
{
    size_t i;
    for (i = 0; i < w->counters; i++) if (w->counter[i].planted) rec_patch(&w->counter[i], memory, 0);
}

/* A thread that is in a trampoline is to stand at the same place of the program's own code. */
static void rec_leave_trampoline(const rec_windows *w, pid_t tid)
{
    const size_t at = offsetof(struct user, regs.rip);
    uint64_t pc;
    size_t i;
    errno = 0;
    pc = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, (void *)at, NULL);
    if (errno != 0) return;
    for (i = 0; i < w->counters; i++) {
        const rec_counter *c = &w->counter[i];
        if (pc - c->slot >= REC_TRAMPOLINE) continue;
        ptrace(PTRACE_POKEUSER, tid, (void *)at, (void *)(uintptr_t)rec_behind_counter(c, pc));
    }
}

/* The process is to be counted in from here on. */
static void rec_take_process(recorder *r, pid_t process)
{
    rec_windows *w = r->windows;
    char name[64];
    w->process = process;
    snprintf(name, sizeof name, "/proc/%ld/mem", (long)process);
    w->memory = open(name, O_RDWR | O_CLOEXEC);
    if (w->memory < 0) w->off = 1;
}

void rec_windows_begin(recorder *r, pid_t process)
{
    if (!r->o.counting) return;
    r->windows = (rec_windows *)calloc(1, sizeof *r->windows);
    if (r->windows == NULL) rec_die(r->tool, "out of memory");
    r->windows->memory = -1;
    rec_take_process(r, process);
}

void rec_windows_free(recorder *r)
{
    rec_windows *w = r->windows;
    if (w == NULL) return;
    if (w->memory >= 0) close(w->memory);
    free(w->range);
    free(w->slot);
    free(w->run);
    free(w->seen);
    free(w->window);
    free(w->count);
    free(w);
    r->windows = NULL;
}

static void rec_open_window(rec_windows *w, const rec_thread *t)
{
    size_t i;
    if (!rec_is_intact(w)) {
        w->off = 1;
        return;
    }
    rec_read_counters(w, NULL);
    for (i = 0; i < w->counters; i++) {
        rec_counter *c = &w->counter[i];
        if (!c->dead) c->planted = (uint8_t)rec_patch(c, w->memory, 1);
        if (!c->planted) c->dead = 1;
    }
    w->torn = 0;
    w->on = 1;
    w->tid = t->tid;
    w->open.before = w->bursts - 1;
    w->open.time = (double)t->interval;
}

/* The thread stands behind a burst, alone in its process: a window may begin that ends with its next burst. */
void rec_window_begin(recorder *r, const rec_thread *t, int alone)
{
    rec_windows *w = r->windows;
    double began;
    if (w == NULL || w->off || w->on) return;
    w->allowed += (double)t->interval * 1e-9 * (double)r->o.overhead / 100 * REC_COUNTING_PART;
    if (w->process != t->process || !alone || t->event < 0 || t->watched || t->loader_end != 0) return;
    if (r->space.calls_ptrace || r->space.restarts) return;
    began = rec_cpu_seconds();
    if (w->bursts >= w->next) rec_choose_counters(r);
    if (w->counters != 0 && w->bursts != 0 && rec_next_random(r) % REC_WINDOW_EVERY == 0 && w->spent < w->allowed &&
        rec_status(w->process, "Threads", 10) == 1) rec_open_window(w, t);
    w->spent += rec_cpu_seconds() - began;
}

/*
 * The thread of the window stands: the code is put back. in_time: it stands for the burst that is to end it; otherwise
 * nobody knows how long the window was.
 */
void rec_window_end(recorder *r, pid_t tid, int in_time)
{
    rec_windows *w = r->windows;
    double began, all = 0;
    size_t i;
    if (w == NULL || w->tid != tid) return;
    w->closed = 0;
    if (!w->on) return;
    began = rec_cpu_seconds();
    rec_put_code_back(w, w->memory);
    rec_leave_trampoline(w, tid);
    for (i = 0; i < w->counters; i++) w->counter[i].planted = 0;
    w->on = 0;
    w->torn = !in_time;
    w->closed = in_time && w->open.before < w->bursts;
    w->count = (double *)rec_more(r, w->count, w->counts + REC_COUNTERS, &w->count_room, sizeof *w->count);
    rec_read_counters(w, w->count + w->counts);
    w->open.first = w->counts;
    w->open.counters = w->counters;
    for (i = 0; i < w->counters; i++) all += w->count[w->counts + i];
    w->spent += rec_cpu_seconds() - began + all * REC_BY_COUNTING;
}

/* Signals that tell where an instruction failed say where it is without the window. */
static void rec_correct_signal(const rec_windows *w, pid_t tid)
{
    siginfo_t info;
    uint64_t at;
    size_t i;
    if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0 || info.si_code <= 0) return;
    if (info.si_signo != SIGFPE && info.si_signo != SIGILL) return;
    at = (uint64_t)(uintptr_t)info.si_addr;
    for (i = 0; i < w->counters; i++) {
        if (at - w->counter[i].slot >= REC_TRAMPOLINE) continue;
        info.si_addr = (void *)(uintptr_t)w->counter[i].address;
        ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
    }
}

/* The thread stands before a signal, whose handler will see its registers. */
void rec_window_signal(const recorder *r, pid_t tid)
{
    const rec_windows *w = r->windows;
    if (w == NULL || !w->on || w->tid != tid) return;
    rec_correct_signal(w, tid);
    rec_leave_trampoline(w, tid);
}

/* A process was made, perhaps by that of the window, with a copy of its memory. It stands. */
void rec_window_of_child(const recorder *r, pid_t child)
{
    const rec_windows *w = r->windows;
    char name[64];
    int memory;
    size_t i;
    if (w == NULL || !w->torn) return;
    snprintf(name, sizeof name, "/proc/%ld/mem", (long)child);
    memory = open(name, O_RDWR | O_CLOEXEC);
    for (i = 0; memory >= 0 && i < w->counters; i++) rec_patch(&w->counter[i], memory, 0);
    if (memory >= 0) close(memory);
    rec_leave_trampoline(w, child);
}

/* The process has ended, or runs another program, of which nothing is known. */
void rec_window_forget(recorder *r, pid_t process, int exec)
{
    rec_windows *w = r->windows;
    if (w == NULL || w->process != process) return;
    w->on = w->closed = 0;
    w->off = 1;
    if (w->memory >= 0) close(w->memory);
    w->memory = -1;
    if (!exec) return;
    rec_window_flush(r);
    w->counters = w->areas = w->pages = w->next = w->ranges = 0;
    w->off = 0;
    if (w->slots != 0) memset(w->slot, 0, w->slots * sizeof *w->slot);
    rec_take_process(r, process);
}

/* Whether the code of a thread is patched, and which thread it is. */
pid_t rec_window_thread(const recorder *r)
{
    return r->windows != NULL && r->windows->on ? r->windows->tid : 0;
}

#endif
