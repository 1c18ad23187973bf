/* watch.c - bursts: what each stop of a thread means */
#include "record.h"

#if defined(REC_SOFTWARE)

static void rec_on_stop(rec_watch *w, pid_t tid, int status);

/* Whether breakpoints leave the program as it is, or as it can be made again. */
static int rec_may_follow(rec_watch *w, const rec_thread *t)
{
    recorder *r = w->r;
    r->trap.ignored = rec_ignores_trap(t);
    if (!r->trap.ignored || rec_status(t->tid, "Seccomp", 10) == 0) return 1;
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
    r->burst.period = t->interval / rec_burst_samples(r);
    w->clocks.ran += (double)t->interval * 1e-9;
    rec_pace_allow(r, (double)t->interval * 1e-9);
    rec_window_end(r, tid, rec_window_thread(r) == tid && rec_clock_rang(t));
    t->interval = rec_interval(w);
    entered = rec_enter(w, t);
    r->space.by_register = r->space.by_register || rec_shares_memory(w, t->process);
    if (!entered || !rec_may_follow(w, t) || !rec_burst(r, tid, rec_burst_branches(r))) {
        rec_clock_start(t, t->interval);
        rec_go_on_here(w, t, 0);
        return;
    }
    rec_watch_behind_burst(w, t);
    if (r->trap.ignored && !r->gone && !r->burst.late && r->burst.event == 0 && !rec_ignores_trap(t)) {
        rec_ignore_trap_again(r);
    }
    if (r->branches > before && !r->burst.late) {
        /* the thread's stops and starts take three quarters more */
        const double took = 1.75 * (rec_cpu_seconds() - began);
        w->clocks.cost += (took / (double)(r->branches - before) - w->clocks.cost) / 16;
    }
    if (!r->gone && !r->burst.late && r->burst.event == 0 && !r->burst.at_ptrace && r->stop.signal == 0 &&
        !r->stop.in_syscall) rec_window_begin(r, t, !rec_shares_memory(w, t->process));
    rec_clock_start(t, t->interval);
    if (t->event < 0) rec_clock_ran(t);                    /* the burst's own time does not count */
    if (r->burst.late) return;
    if (r->gone || r->burst.event != 0 || r->burst.at_ptrace) {
        rec_on_stop(w, tid, r->status);
    } else {
        rec_go_on_here(w, t, r->stop.signal == SIGSTOP && rec_clock_rang(t) ? 0 : r->stop.signal);
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
    rec_forget_process(w, process, 1);
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
    if (signal == SIGTRAP && t->asked && w->r->traces != NULL) {
        t->asked = 0;
        rec_begin_call_anew(t, 0);
        t->held = !rec_first_is_due(w, t);
        if (!t->held) rec_go_on(t, 0);
    } else if (signal == SIGTRAP && t->asked) {
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
    rec_forget_process(w, tid, 0);
    rec_free_newborn(w);
}

/* ----- programs that use ptrace ----------------------------------------------------------------------------------- */

/*
 * What is done at a call of ptrace:
 *
 *   PTRACE_TRACEME    by the program that was launched: it returns 0, once. Its parent is the recorder; unrecorded, it
 *                     would be one that does not know of it.
 *                     By another process: the recorder lets the thread go before the call, which then succeeds.
 *   PTRACE_ATTACH     and PTRACE_SEIZE of a thread that is recorded: that one is let go before the call.
 *
 * A thread that is let go is not recorded any more. What it stops for before that is a stop like any other.
 */
enum { REC_LETS_GO = 10 };        /* seconds that a thread may take to stop */

/* Lets a thread that stands go, with a signal or 0; what its clock has sent must come before. */
static void rec_let_go_of(rec_watch *w, rec_thread *t, int signal)
{
    recorder *r = w->r;
    int status = 0;
    rec_window_end(r, t->tid, 0);
    rec_clock_close(t);
    while (rec_will_ring(t) && ptrace(PTRACE_CONT, t->tid, NULL, (void *)(uintptr_t)signal) == 0) {
        while (waitpid(t->tid, &status, __WALL) < 0 && errno == EINTR) { }
        if (!WIFSTOPPED(status)) {
            rec_on_stop(w, t->tid, status);
            return;
        }
        signal = status >> 16 != 0 ? 0 : WSTOPSIG(status);
        if (signal == SIGSTOP && rec_clock_rang(t)) signal = 0;
    }
    ptrace(PTRACE_DETACH, t->tid, NULL, (void *)(uintptr_t)signal);
    if (!t->apart) rec_put_task(r, PERF_RECORD_EXIT, t->process, t->tid, t->process);
    r->released += !t->apart;
    rec_remove_thread(w, t);
}

/* Another thread is to have another tracer: it is stopped and let go. Any other stop replaces the one asked for. */
static void rec_let_go_other(rec_watch *w, pid_t tid)
{
    const double end = rec_seconds() + REC_LETS_GO;
    rec_thread *t = rec_find_thread(w, tid);
    int asked = 0;
    rec_clock_close(t);
    while ((t = rec_find_thread(w, tid)) != NULL && rec_seconds() < end) {
        int status = 0;
        if (!asked) asked = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
        if (!rec_take_stop(&w->r->waiting, tid, &status)) {
            const pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
            if (got == 0) rec_doze(w);
            if (got < 0 && errno != EINTR) return;
            if (got <= 0) continue;
        }
        if (!WIFSTOPPED(status) || status >> 16 != PTRACE_EVENT_STOP) {
            rec_on_stop(w, tid, status);
            asked = 0;
            continue;
        }
        if (!t->listens && WSTOPSIG(status) == SIGTRAP) rec_begin_call_anew(t, 0);
        rec_let_go_of(w, t, 0);
    }
}

/* A thread stands at the entry of a system call: it is to stand before it. Returns 0 if it does not come there. */
static int rec_turn_back(rec_watch *w, const rec_thread *t, struct user_regs_struct *regs)
{
    const pid_t tid = t->tid;
    int status = 0;
    regs->rax = regs->orig_rax;
    regs->orig_rax = (unsigned long long)-1;               /* no system call */
    regs->rip -= 2;
    if (ptrace(PTRACE_SETREGS, tid, NULL, regs) != 0 || ptrace(PTRACE_SYSCALL, tid, NULL, NULL) != 0) return 0;
    while (waitpid(tid, &status, __WALL) < 0 && errno == EINTR) { }
    if (WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80)) return 1;
    rec_on_stop(w, tid, status);
    return 0;
}

/* A thread stands at the entry of a call of ptrace. Returns 0 if it does not stand there any more. */
static int rec_on_ptrace(rec_watch *w, rec_thread *t, struct user_regs_struct *regs)
{
    const int launched = w->r->o.pid == 0 && t->process == w->first;
    const pid_t process = t->process;
    const rec_thread *other;
    switch (regs->rdi) {
    case PTRACE_TRACEME:
        if (!launched) {
            if (rec_turn_back(w, t, regs)) rec_let_go_of(w, t, 0);
            return 0;
        }
        if (t->pretends) return 1;
        regs->orig_rax = (unsigned long long)-1;           /* no system call, and it returns 0 */
        regs->rax = 0;
        t->pretends = ptrace(PTRACE_SETREGS, t->tid, NULL, regs) == 0;
        return 1;
    case PTRACE_ATTACH:
    case PTRACE_SEIZE:
        other = rec_find_thread(w, (pid_t)regs->rsi);
        if (other != NULL && other->process != process) rec_let_go_other(w, other->tid);
        return 1;
    default:
        return 1;
    }
}

/* A thread stands at the entry or the exit of a system call. */
static void rec_on_system_call(rec_watch *w, rec_thread *t)
{
    const pid_t tid = t->tid;
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0) {
        const int entry = (int64_t)regs.rax == -ENOSYS;    /* what the kernel has there, as it is not done yet */
        if (!entry) rec_begin_call_anew(t, 0);             /* the stop that ended it may be none any more */
        if (!entry) rec_first_on_call(w, t, &regs);
        if (t->loader_end != 0 && !rec_is_in_loader(t, regs.rip)) rec_end_of_loading(w, t);
        if (entry && regs.orig_rax == SYS_ptrace && regs.cs == 0x33 && !rec_on_ptrace(w, t, &regs)) return;
    }
    t = rec_find_thread(w, tid);
    if (t != NULL) rec_go_on(t, 0);
}

/* ----- every stop ------------------------------------------------------------------------------------------------- */

static void rec_on_stop(rec_watch *w, pid_t tid, int status)
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
    if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
        rec_window_end(w->r, tid, 0);
    if (event == 0) rec_window_signal(w->r, tid);
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
    } else if (signal == SIGTRAP && rec_first_set_back(w, t)) {
        rec_join_cpu(w, t);
        rec_go_on(t, 0);
    } else {
        rec_go_on(t, signal);
    }
}

/* The timer: asks each thread that ran since the last time to stop. */
static void rec_ring(rec_watch *w)
{
    size_t i;
    if ((!w->clocks.timer && w->clocks.silent == 0) || rec_seconds() < w->clocks.rings) return;
    if (w->clocks.silent != 0) rec_speak_again(w);
    w->clocks.rings = rec_seconds() + (double)rec_interval(w) * 1e-9;
    for (i = 0; i < w->count; i++) {
        rec_thread *t = &w->threads[i];
        if (t->event < 0 && !t->asked && !t->listens && rec_clock_ran(t)) {
            t->asked = ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) == 0;
        }
    }
}

/* Recording is to end: a thread whose code is patched must stand first. Returns 0 if it does not come to. */
static int rec_ends_window(rec_watch *w)
{
    rec_thread *t = rec_find_thread(w, rec_window_thread(w->r));
    if (t == NULL || t->listens) return 0;
    if (w->ends == 0) w->ends = rec_seconds() + REC_LETS_GO;
    if (!t->asked) t->asked = ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) == 0;
    return t->asked && rec_seconds() < w->ends;
}

static void rec_watch_threads(rec_watch *w)
{
    recorder *r = w->r;
    while (!w->gone && w->count != 0) {
        int status = 0;
        pid_t tid;
        const int ends = rec_interrupted() || ferror(r->out) || (w->end != 0 && rec_seconds() >= w->end);
        if (ends && !rec_ends_window(w)) break;
        rec_progress(r);
        rec_ring(w);
        tid = rec_next_stop(w, &status);
        if (tid > 0) rec_on_stop(w, tid, status);
        else if (tid < 0) break;
        else rec_doze(w);
    }
}

/* Whether the thread waits in vfork for its child, or is gone: it will not come to stand. */
static int rec_cannot_stop(pid_t tid)
{
    char path[64], line[64];
    FILE *f;
    long call = -1;
    snprintf(path, sizeof path, "/proc/%ld/syscall", (long)tid);
    f = fopen(path, "re");
    if (f == NULL) return 1;
    if (fgets(line, sizeof line, f) != NULL && line[0] >= '0' && line[0] <= '9') call = strtol(line, NULL, 10);
    fclose(f);
#if defined(SYS_clone3)
    if (call == SYS_clone3) return 1;
#endif
    return call == SYS_vfork || call == SYS_clone;
}

/* patient: threads in vfork count, too. */
static int rec_all_stand(const rec_watch *w, int patient)
{
    size_t i;
    for (i = 0; i < w->count; i++) {
        const rec_thread *const t = &w->threads[i];
        if (!t->held && !t->listens && (patient || !rec_cannot_stop(t->tid))) return 0;
    }
    return w->newborn.count == 0;
}

enum { REC_STANDS_IN = 10 };      /* seconds, on a busy machine */

/*
 * --first: all threads are made to stand before the breakpoints are taken away, or a process that fork makes meanwhile
 * would keep its copies of them. One that waits for its child by vfork does not come to stand, and does not run.
 */
static void rec_make_all_stand(rec_watch *w)
{
    const double begin = rec_seconds();
    w->end = 0;
    while (w->count != 0 && !rec_all_stand(w, rec_seconds() < begin + 0.5) && rec_seconds() < begin + REC_STANDS_IN) {
        int status = 0;
        pid_t tid;
        size_t i;
        for (i = 0; i < w->count; i++) {
            rec_thread *const t = &w->threads[i];
            if (!t->held && !t->listens && !t->asked) t->asked = ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) == 0;
        }
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
    w.place.cpu = -1;
    w.clocks.timer = r->o.timer;
    if (r->traces == NULL) rec_ahead_begin(r);
    w.clocks.cost = r->ahead != NULL ? 2e-6 : 20e-6;       /* until there are some */
    on_child.sa_handler = rec_on_child_stop;
    sigaction(SIGCHLD, &on_child, NULL);
    sched_getaffinity(0, sizeof r->cpus, &r->cpus);
    if (r->o.pid != 0 ? !rec_attach(&w) : !rec_launch(r, options)) return 1;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &w.mask);
    if (r->traces == NULL)
        note(r->tool, "bursts of %d to %d samples of up to %llu branches, %llu samples a second of each thread's CPU "
         "time", REC_FEWEST, REC_SAMPLES, (unsigned long long)r->o.depth, (unsigned long long)r->o.rate);
    if (r->o.duration > 0) w.end = rec_seconds() + r->o.duration;
    w.clocks.before = rec_cpu_seconds();
    if (r->traces == NULL) rec_pace_begin(r);
    if (r->o.pid == 0) w.first = r->pid;
    if (r->pace.on && r->ahead != NULL) rec_windows_begin(r, w.first);
    if (r->o.pid == 0) rec_begin_program(&w, r->pid);
    rec_watch_threads(&w);
    rec_window_end(r, rec_window_thread(r), 0);            /* of a thread that did not come to stand */
    if (r->traces == NULL) rec_pace_end(r);
    else rec_make_all_stand(&w);
    rec_let_go(&w);
    sched_setaffinity(0, sizeof r->cpus, &r->cpus);
    sigprocmask(SIG_SETMASK, &w.mask, NULL);
    r->pid = w.first;
    r->gone = w.gone;
    r->status = w.status;
    while (w.count != 0) rec_remove_thread(&w, &w.threads[0]);
    while (w.process_count != 0) rec_forget_process(&w, w.processes[0].pid, 0);
    rec_windows_free(r);
    free(w.threads);
    free(w.processes);
    free(w.newborn.v);
    return -1;
}

#endif
