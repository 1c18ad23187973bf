/* stop.c - a thread that is followed: stopping and going on */
#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_PATIENCE = 2000000 };  /* nanoseconds that a system call in a burst may take */

/* ----- registers -------------------------------------------------------------------------------------------------- */

void rec_get_regs(recorder *r)
{
    if (ptrace(PTRACE_GETREGS, r->pid, NULL, &r->regs) != 0 && errno != ESRCH)
        rec_die(r->tool, "cannot read registers");
    r->regs_changed = 0;
}

/* The recorder only ever changes these three. */
void rec_put_regs(recorder *r)
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
            rec_die(r->tool, "cannot write registers");
        }
    }
    r->regs_changed = 0;
}

/* ----- SIGTRAP is unblocked for the stops ------------------------------------------------------------------------- */

static int rec_blocks_trap(const recorder *r, uint64_t *mask)
{
    return ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof *mask, mask) == 0 && (*mask >> (SIGTRAP - 1) & 1) != 0;
}

/* Keeps SIGTRAP unblocked: a stop while it is blocked would reset its handler. */
void rec_unblock_trap(recorder *r)
{
    uint64_t mask = 0;
    if (ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof mask, &mask) != 0) return;
    if ((mask >> (SIGTRAP - 1) & 1) == 0) return;
    r->trap.blocked = 1;
    mask &= ~((uint64_t)1 << (SIGTRAP - 1));
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
}

/* SIGTRAP is unblocked for the recorder's stops; the mask gets it back before the program can ask for its mask. */
void rec_block_trap_again(recorder *r)
{
    uint64_t mask;
    if (!r->trap.blocked) return;
    r->trap.blocked = 0;
    if (ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof mask, &mask) != 0) return;
    mask |= (uint64_t)1 << (SIGTRAP - 1);
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
}

/* ----- what else stops change ------------------------------------------------------------------------------------- */

/* From here on every instruction of the first thread is stepped: other code runs in the same memory. */
void rec_step_only(recorder *r, const char *why)
{
    rec_unplant_all(r);
    if (r->space.step_only) return;
    r->space.step_only = 1;
    warn(r->tool, "%s", why);
}

/* With a shadow stack in hardware, calls and returns must be the CPU's own. */
void rec_check_shadow_stack(recorder *r)
{
    uint64_t pointer;
    struct iovec io;
    io.iov_base = &pointer;
    io.iov_len = sizeof pointer;
    if (r->space.step_only || ptrace(PTRACE_GETREGSET, r->pid, (void *)0x204, &io) != 0) return;
    rec_step_only(r, "the program has a hardware shadow stack: single-stepping");
}

/* Before the thread of a burst is stopped at a breakpoint for the first time. */
void rec_prepare_stops(recorder *r)
{
    uint64_t mask;
    if (r->stop.prepared) return;
    r->stop.prepared = 1;
    rec_check_shadow_stack(r);
    r->trap.blocked = rec_blocks_trap(r, &mask);
    if (!r->trap.blocked) return;
    mask &= ~((uint64_t)1 << (SIGTRAP - 1));
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
}

/* ----- waiting ---------------------------------------------------------------------------------------------------- */

/* Keeps the stop of a thread for later. */
void rec_keep_stop(const tool_context *tool, rec_stops *stops, pid_t tid, int status)
{
    if (stops->count == stops->room) {
        const size_t more = stops->room != 0 ? 2 * stops->room : 16;
        rec_stop *grown = (rec_stop *)realloc(stops->v, more * sizeof *grown);
        if (grown == NULL) rec_die(tool, "out of memory");
        stops->v = grown;
        stops->room = more;
    }
    stops->v[stops->count].tid = tid;
    stops->v[stops->count++].status = status;
}

/* Takes the stop of a thread out of a list. */
int rec_take_stop(rec_stops *stops, pid_t tid, int *status)
{
    size_t i;
    for (i = 0; i < stops->count; i++) {
        if (stops->v[i].tid != tid) continue;
        *status = stops->v[i].status;
        memmove(stops->v + i, stops->v + i + 1, (--stops->count - i) * sizeof *stops->v);
        return 1;
    }
    return 0;
}

/*
 * Waits for the thread of the burst, in a system call not for long. Other threads are reaped meanwhile: the end of a
 * process's first thread is not told before that of the others.
 */
void rec_wait_in_burst(recorder *r)
{
    const double end = r->stop.in_syscall ? rec_seconds() + REC_PATIENCE * 1e-9 : 0;
    struct timespec patience;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    memset(&patience, 0, sizeof patience);
    patience.tv_nsec = REC_PATIENCE;
    for (;;) {
        int status;
        const pid_t tid = waitpid(-1, &status, __WALL | (r->stop.in_syscall ? WNOHANG : 0));
        if (tid == r->pid || (tid < 0 && errno == ECHILD)) {
            r->status = tid == r->pid ? status : 0;
            return;
        }
        if (tid > 0) {
            rec_keep_stop(r->tool, &r->waiting, tid, status);
        } else if (tid < 0 && errno != EINTR) {
            rec_die(r->tool, "cannot wait for the program");
        } else if (tid == 0 && sigtimedwait(&child, NULL, &patience) < 0 && rec_seconds() >= end) {
            r->burst.late = 1;
            return;
        }
    }
}

void rec_wait(recorder *r)
{
    if (r->burst.number != 0) {
        rec_wait_in_burst(r);
        return;
    }
    while (waitpid(r->pid, &r->status, __WALL) < 0) {
        if (errno != EINTR) rec_die(r->tool, "cannot wait for the program");
        if (rec_interrupted() && !r->stop.interrupting)
            r->stop.interrupting = ptrace(PTRACE_INTERRUPT, r->pid, NULL, NULL) == 0;
    }
}

/* ----- going on --------------------------------------------------------------------------------------------------- */

/* The flags of the clone that r->regs is at or behind (0 for fork). */
uint64_t rec_clone_flags(const recorder *r)
{
    uint64_t flags = 0;
    if (r->regs.orig_rax == SYS_vfork) flags = CLONE_VM | CLONE_VFORK;
    if (r->regs.orig_rax == SYS_clone) flags = r->regs.rdi;
#if defined(SYS_clone3)
    if (r->regs.orig_rax == SYS_clone3) rec_read(r, r->regs.rdi, &flags, sizeof flags);
#endif
    return flags;
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
        for (i = 0; memory >= 0 && i < r->space.page_count; i++) rec_restore_page(r, r->space.pages[i], memory);
        if (memory >= 0) close(memory);
    }
    sched_setaffinity(child, sizeof r->cpus, &r->cpus);
    ptrace(PTRACE_DETACH, child, NULL, NULL);
}

/* Returns 0 if the thread has ended. */
int rec_open_memory(recorder *r)
{
    char name[64];
    if (r->space.memory >= 0) close(r->space.memory);
    snprintf(name, sizeof name, "/proc/%ld/mem", (long)r->pid);
    r->space.memory = open(name, O_RDWR | O_CLOEXEC);
    if (r->space.memory < 0 && errno != ESRCH && errno != ENOENT) rec_die(r->tool, "cannot open the program's memory");
    return r->space.memory >= 0;
}

/* Another program took the place of the old one, whose memory is gone. */
static void rec_on_exec(recorder *r)
{
    rec_drop_pages(r, 0, UINT64_MAX, 0);
    rec_open_memory(r);
    rec_gap(r);
    r->calls.count = 0;
    r->calls.begin = r->calls.end = 0;
    r->view.maps_stale = 1;
    r->stop.in_syscall = 0;
    r->space.step_only = r->o.step;
    r->moved = 1;
    rec_unblock_trap(r);
}

static void rec_on_event(recorder *r, int event)
{
    const int signal = WSTOPSIG(r->status);
    if (event == PTRACE_EVENT_EXEC) {
        rec_on_exec(r);
    } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
        rec_on_child(r, event);
    } else if (event == PTRACE_EVENT_STOP) {
        r->stop.listen = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
        if (r->stop.interrupting) r->done = 1;
    }
}

/* Lets the program go on until its next stop and says in r->stop.event what that is. */
void rec_resume(recorder *r, int request)
{
    const int signal = r->stop.signal;
    int event;
    rec_put_regs(r);
    r->stop.signal = 0;
    if (r->stop.listen) request = PTRACE_LISTEN;
    r->stop.listen = 0;
    if (ptrace(request, r->pid, NULL, (void *)(uintptr_t)signal) != 0 && errno != ESRCH) {
        rec_die(r->tool, "cannot continue the program");
    }
    rec_wait(r);
    if (r->burst.late) {
        r->stop.event = REC_OTHER;
        r->moved = 1;
        return;
    }
    if (!WIFSTOPPED(r->status)) {
        r->gone = 1;
        r->stop.event = REC_GONE;
        return;
    }
    event = r->status >> 16;
    r->stop.event = event != 0 ? REC_OTHER : WSTOPSIG(r->status) == (SIGTRAP | 0x80) ? REC_SYSTEM_CALL
             : WSTOPSIG(r->status) == SIGTRAP ? REC_TRAP : REC_SIGNAL;
    if (event != 0 && r->burst.number != 0) {
        r->burst.event = event;
        r->moved = 1;
    } else if (event != 0) {
        rec_on_event(r, event);
    }
    rec_get_regs(r);
    if (r->stop.event == REC_SYSTEM_CALL && r->burst.number != 0 && !r->stop.in_syscall &&
        r->regs.orig_rax == SYS_ptrace) {
        r->stop.event = REC_OTHER;                         /* the burst ends there: see watch.c */
        r->burst.at_ptrace = r->moved = 1;
    }
}

/* ----- the beginning ---------------------------------------------------------------------------------------------- */

/* Starts the program, traced with these options, and lets it stand behind its exec. Returns 0 with a message. */
int rec_launch(recorder *r, unsigned long options)
{
    int go, failure, error;
    if (!rec_has_rights(r) || !rec_spawn(r, &go, &failure)) return 0;
    if (ptrace(PTRACE_SEIZE, r->pid, NULL, (void *)options) != 0) {
        kill(r->pid, SIGKILL);
        return fail(r->tool, "cannot trace the program: %s", strerror(errno)), 0;
    }
    if (write(go, "", 1) != 1) return fail(r->tool, "cannot start the program: %s", strerror(errno)), 0;
    close(go);
    do { rec_wait(r); } while (WIFSTOPPED(r->status) && r->status >> 16 != PTRACE_EVENT_EXEC &&
                               ptrace(PTRACE_CONT, r->pid, NULL, NULL) == 0);
    error = rec_exec_error(failure);
    if (error != 0) return rec_exec_fail(r, error);
    if (!WIFSTOPPED(r->status)) return fail(r->tool, "%s: %s", r->o.program[0], "ended before it began"), 0;
    rec_open_memory(r);
    rec_get_regs(r);
    return 1;
}

#endif
