/* record_threads.c - bursts: the threads of the program, and what each stop of one means */
#include "record_threads.h"

#if defined(REC_SOFTWARE)

enum { REC_FEWEST = 4, REC_PLACES = 1000 };   /* samples of a burst; bursts before they become longer */

rec_thread *rec_find_thread(const rec_watch *w, pid_t tid)
{
    size_t i;
    for (i = 0; i < w->count; i++) if (w->threads[i].tid == tid) return &w->threads[i];
    return NULL;
}

/*
 * Samples of the next burst. While there are few in all, it matters most that they come from many places: bursts are
 * short. Later, stops cost more than they tell, and what is left is bias, of which long bursts have less.
 */
static uint64_t rec_burst_samples(const recorder *r)
{
    const uint64_t n = r->samples / REC_PLACES;
    return n < REC_FEWEST ? REC_FEWEST : n > REC_SAMPLES ? REC_SAMPLES : n;
}

/* Branches of it: samples that follow one another share a record. */
static uint64_t rec_burst_branches(const recorder *r)
{
    return r->o.depth > 1 ? 1 + (r->o.depth - 1) * rec_burst_samples(r) : rec_burst_samples(r);
}

/*
 * Nanoseconds to the next burst of a thread: so many samples a second, or fewer if bursts would take too much of the
 * time. (Shorter bursts would also cost less. But the first branches of a burst are those behind slow code.)
 */
static uint64_t rec_interval(const rec_watch *w)
{
    recorder *r = w->r;
    const double wanted = (double)rec_burst_samples(r) * 1e9 / (double)r->o.rate;
    const double least = (double)rec_burst_branches(r) * w->cost * 1e9 * 100 / (double)r->o.overhead;
    const double mean = wanted > least ? wanted : least;
    return (uint64_t)(mean * (0.5 + (double)(rec_next_random(r) >> 11) / 9007199254740992.0));
}

void rec_open_clock(rec_watch *w, rec_thread *t)
{
    t->interval = rec_interval(w);
    if (!w->timer && rec_clock_open(t, t->interval)) return;
    if (!w->timer) {
        rec_clock_close(t);
        warn(w->r->tool, "no cpu-clock events here (%s): a timer takes the samples", strerror(errno));
    }
    w->timer = 1;
    rec_clock_open(t, 0);
}

/* A thread that is held; `apart`: no bursts are taken of it. */
rec_thread *rec_add_thread(rec_watch *w, pid_t tid, pid_t process, int apart)
{
    rec_thread *t = rec_find_thread(w, tid);
    if (t != NULL) return t;
    if (w->count == w->room) {
        const size_t more = w->room != 0 ? 2 * w->room : 16;
        rec_thread *grown = (rec_thread *)realloc(w->threads, more * sizeof *grown);
        if (grown == NULL) rec_die(w->r->tool, "out of memory");
        w->threads = grown;
        w->room = more;
    }
    t = &w->threads[w->count++];
    memset(t, 0, sizeof *t);
    t->tid = tid;
    t->process = process;
    t->apart = apart;
    t->event = t->statistics = t->place = -1;
    if (apart) return t;
    rec_name_thread(w->r, process, tid, 0);
    rec_open_clock(w, t);
    return t;
}

void rec_remove_thread(rec_watch *w, rec_thread *t)
{
    rec_clock_close(t);
    w->silent -= (size_t)t->silent;
    *t = w->threads[--w->count];
}

/* Lets a thread go on that stands. */
void rec_go_on(rec_thread *t, int signal)
{
    if (signal != 0) rec_begin_call_anew(t, signal);
    ptrace(t->watched ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, NULL, (void *)(uintptr_t)signal);
}

/* CPU seconds that the recorder has taken. Of a burst, the thread's stops and starts take three quarters more. */
static double rec_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether breakpoints leave the program as it is, or as it can be made again. */
static int rec_may_follow(rec_watch *w, const rec_thread *t)
{
    recorder *r = w->r;
    r->trap_ignored = rec_ignores_trap(t);
    if (!r->trap_ignored || rec_status(t->tid, "Seccomp", 10) == 0) return 1;
    if (!w->said) warn(r->tool, "the program ignores SIGTRAP and filters system calls (seccomp): not recorded then");
    w->said = 1;
    return 0;
}

/* Takes a burst of a thread that stands for it, and lets it go on. */
static void rec_take_burst(rec_watch *w, rec_thread *t)
{
    recorder *r = w->r;
    const uint64_t before = r->branches;
    const pid_t tid = t->tid;
    double began;
    int entered;
    rec_clock_stop(t);
    rec_join_cpu(w, t);
    began = rec_cpu_seconds();
    r->period = t->interval / rec_burst_samples(r);
    t->interval = rec_interval(w);
    entered = rec_enter(w, t);
    r->by_register = r->by_register || rec_shares_memory(w, t->process);
    if (!entered || !rec_may_follow(w, t) || !rec_burst(r, tid, rec_burst_branches(r))) {
        rec_clock_start(t, t->interval);
        rec_go_on_here(w, t, 0);
        return;
    }
    rec_watch_behind_burst(w, t);
    if (r->trap_ignored && !r->gone && !r->late && r->burst_event == 0 && !rec_ignores_trap(t)) {
        rec_ignore_trap_again(r);
    }
    if (r->branches > before && !r->late) {
        const double took = 1.75 * (rec_cpu_seconds() - began);
        w->spent += took;
        w->cost += (took / (double)(r->branches - before) - w->cost) / 16;
    }
    rec_clock_start(t, t->interval);
    if (t->event < 0) rec_clock_ran(t);                      /* the burst's own time does not count */
    if (r->late) return;
    if (r->gone || r->burst_event != 0 || r->calls) {
        rec_on_stop(w, tid, r->status);
    } else {
        rec_go_on_here(w, t, r->signal == SIGSTOP && rec_clock_rang(t) ? 0 : r->signal);
    }
}

/* The one thread of a program stands behind exec. */
static void rec_begin_program(rec_watch *w, pid_t process)
{
    rec_thread *t = rec_add_thread(w, process, process, 0);
    rec_watch_entry(w, t);
    rec_go_on(t, 0);
}

/* Another program runs in the process: its other threads are gone, and their clocks with them. */
static void rec_on_other_program(rec_watch *w, rec_thread *t)
{
    recorder *r = w->r;
    const pid_t process = t->process;
    const int apart = t->apart;
    size_t i = 0;
    while (i < w->count) {
        if (w->threads[i].process == process) rec_remove_thread(w, &w->threads[i]);
        else i++;
    }
    rec_forget_process(w, process);
    if (apart) {
        ptrace(PTRACE_DETACH, process, NULL, NULL);
        return;
    }
    rec_warn_of_rights(r, process);
    rec_name_thread(r, process, process, 1);
    rec_begin_program(w, process);
}

static void rec_on_event_stop(rec_watch *w, rec_thread *t, int signal)
{
    if (signal == SIGTRAP && t->asked) {
        t->asked = 0;
        rec_begin_call_anew(t, 0);
        rec_take_burst(w, t);
    } else if (signal == SIGTRAP) {                        /* a new thread, the end of a group stop, or SIGCONT came */
        if (!t->listens) rec_begin_call_anew(t, 0);
        t->listens = 0;
        rec_on_continue(w, t);
        rec_go_on(t, 0);
    } else {
        t->listens = 1;
        ptrace(PTRACE_LISTEN, t->tid, NULL, NULL);
    }
}

/* A thread has ended; one that was not known yet is one that nobody has to wait for. */
static void rec_on_end(rec_watch *w, pid_t tid, int status)
{
    rec_thread *t = rec_find_thread(w, tid);
    if (tid == w->first) {
        w->gone = 1;
        w->status = status;
    }
    if (t != NULL) {
        if (!t->apart) rec_put_task(w->r, PERF_RECORD_EXIT, t->process, tid, t->process);
        rec_remove_thread(w, t);
    }
    rec_forget_process(w, tid);
    rec_free_newborn(w);
}

void rec_on_stop(rec_watch *w, pid_t tid, int status)
{
    rec_thread *t = rec_find_thread(w, tid);
    const int event = WIFSTOPPED(status) ? status >> 16 : 0, signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
    if (!WIFSTOPPED(status)) {
        rec_on_end(w, tid, status);
        return;
    }
    if (t == NULL) {
        rec_on_newborn(w, tid, status);
        return;
    }
    if (event != PTRACE_EVENT_STOP) t->asked = 0;          /* any stop takes the place of the one asked for */
    if (event == PTRACE_EVENT_EXEC) {
        rec_on_other_program(w, t);
    } else if (event == PTRACE_EVENT_STOP) {
        rec_on_event_stop(w, t, signal);
    } else if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
        rec_on_birth(w, t, event);
        rec_go_on(rec_find_thread(w, tid), 0);
    } else if (event != 0) {
        rec_go_on(t, 0);
    } else if (signal == (SIGTRAP | 0x80)) {
        rec_on_system_call(w, t);
    } else if (signal == SIGSTOP && rec_clock_rang(t)) {
        rec_take_burst(w, t);
    } else {
        rec_go_on(t, signal);
    }
}

/* The timer: asks each thread that ran since the last time to stop. */
static void rec_ring(rec_watch *w)
{
    size_t i;
    if ((!w->timer && w->silent == 0) || rec_seconds() < w->rings) return;
    if (w->silent != 0) rec_speak_again(w);
    w->rings = rec_seconds() + (double)rec_interval(w) * 1e-9;
    for (i = 0; i < w->count; i++) {
        rec_thread *t = &w->threads[i];
        if (t->event < 0 && !t->asked && !t->listens && rec_clock_ran(t)) {
            t->asked = ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) == 0;
        }
    }
}

/* Waits for a stop, not longer than to the next thing to do. */
void rec_doze(const rec_watch *w)
{
    const double now = rec_seconds();
    double until = now + 0.1;
    struct timespec t;
    if (w->end != 0 && w->end < until) until = w->end;
    if ((w->timer || w->silent != 0) && w->rings < until) until = w->rings;
    if (until <= now) return;
    t.tv_sec = 0;
    t.tv_nsec = (long)((until - now) * 1e9);
    ppoll(NULL, 0, &t, &w->mask);
}

/* The next stop or end of a thread to look at: the thread, 0 if there is none yet, -1 if there are no threads. */
pid_t rec_next_stop(rec_watch *w, int *status)
{
    recorder *r = w->r;
    const pid_t tid = r->stop_count != 0 ? r->stops[0].tid : 0;
    if (tid == 0) {
        const pid_t one = waitpid(-1, status, __WALL | WNOHANG);
        return one < 0 && errno == EINTR ? 0 : one;
    }
    *status = r->stops[0].status;
    memmove(r->stops, r->stops + 1, --r->stop_count * sizeof *r->stops);
    return tid;
}

static void rec_watch_threads(rec_watch *w)
{
    recorder *r = w->r;
    while (!w->gone && w->count != 0 && !rec_interrupted() && !ferror(r->out)) {
        int status = 0;
        pid_t tid;
        if (w->end != 0 && rec_seconds() >= w->end) break;
        rec_progress(r);
        rec_ring(w);
        tid = rec_next_stop(w, &status);
        if (tid > 0) rec_on_stop(w, tid, status);
        else if (tid < 0) break;
        else rec_doze(w);
    }
}

static void rec_on_child_stop(int signal)
{
    (void)signal;
}

/* Runs or attaches to the program and takes bursts of its threads. Returns as rec_software does. */
int rec_bursts(recorder *r)
{
    const unsigned long options = PTRACE_O_EXITKILL | REC_TRACE;
    struct sigaction on_child;
    sigset_t child;
    rec_watch w;
    memset(&w, 0, sizeof w);
    memset(&on_child, 0, sizeof on_child);
    w.r = r;
    w.cpu = -1;
    w.timer = r->o.timer;
    rec_ahead_begin(r);
    w.cost = r->ahead != NULL ? 2e-6 : 20e-6;              /* until there are some */
    on_child.sa_handler = rec_on_child_stop;
    sigaction(SIGCHLD, &on_child, NULL);
    sched_getaffinity(0, sizeof r->cpus, &r->cpus);
    if (r->o.pid != 0 ? !rec_attach(&w) : !rec_launch(r, options)) return 1;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &w.mask);
    note(r->tool, "bursts of %d to %d samples of up to %llu branches, %llu samples a second of each thread's CPU "
         "time", REC_FEWEST, REC_SAMPLES, (unsigned long long)r->o.depth, (unsigned long long)r->o.rate);
    if (r->o.duration > 0) w.end = rec_seconds() + r->o.duration;
    if (r->o.pid == 0) {
        w.first = r->pid;
        rec_begin_program(&w, r->pid);
    }
    rec_watch_threads(&w);
    rec_let_go(&w);
    sched_setaffinity(0, sizeof r->cpus, &r->cpus);
    sigprocmask(SIG_SETMASK, &w.mask, NULL);
    r->pid = w.first;
    r->gone = w.gone;
    r->status = w.status;
    while (w.count != 0) rec_remove_thread(&w, &w.threads[0]);
    while (w.process_count != 0) rec_forget_process(&w, w.processes[0].pid);
    free(w.threads);
    free(w.processes);
    free(w.newborn);
    return -1;
}

#endif
