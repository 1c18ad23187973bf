/* trap.c - programs that ignore, block or send SIGTRAP
 *
 * A breakpoint or single step that a thread meets while its program ignores SIGTRAP makes the kernel set the signal to
 * its default, and what the program asks for or its children inherit would be that. So a burst of such a thread ends
 * before any system call, and then the thread is made to carry out one of the recorder's: it sets the signal back. That
 * is not done where a filter judges system calls (seccomp): there, such threads are not recorded.
 *
 * With --exact, SIGTRAP is unblocked all the time, for the recorder's own stops, but for system calls: in these the
 * thread's mask is what the program made it, a SIGTRAP that was sent to it while it was blocked waits again, and those
 * that tell or pass on what is done with the signal find it ignored if it is.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

/* Whether the thread's program ignores SIGTRAP. */
int rec_ignores_trap(const rec_thread *t)
{
    char text[1024];
    const char *const p = rec_stat_field(t->place, text, sizeof text, 33);
    return p != NULL && (strtoull(p, NULL, 10) >> (SIGTRAP - 1) & 1) != 0;
}

/* The thread carries out rt_sigaction(SIGTRAP, action, old). Returns 0 if it cannot. */
static int rec_call_sigaction(recorder *r, uint64_t at, uint64_t action, uint64_t old, int *stopped)
{
    const uint64_t operands[6] = { SIGTRAP, action, old, 8, 0, 0 };
    return rec_call(r, at, SYS_rt_sigaction, operands, stopped);
}

/*
 * The thread stands: its program does with SIGTRAP again what the action says, NULL: it ignores it. A signal that it
 * stands before is what it stands before afterwards, with all that comes with it; other signals wait.
 */
void rec_set_trap_again(recorder *r, const uint64_t *wanted)
{
    uint64_t action[4], saved[4], all = UINT64_MAX, mask = 0, at = rec_find_syscall(r);
    const uint64_t place = (r->regs.rsp - 512) & ~(uint64_t)15;   /* below what the thread has on its stack */
    siginfo_t info;
    int stopped = 0, ok;
    if (at == 0 || !rec_read(r, place, saved, sizeof saved)) return;
    if (r->stop.signal != 0 && ptrace(PTRACE_GETSIGINFO, r->pid, NULL, &info) != 0) return;
    if (ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof mask, &mask) != 0) return;
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof all, &all);
    ok = rec_call_sigaction(r, at, 0, place, &stopped) && rec_read(r, place, action, sizeof action);
    action[0] = 1;                                         /* SIG_IGN */
    if (wanted != NULL) memcpy(action, wanted, sizeof action);
    if (ok && rec_write(r, place, action, sizeof action)) rec_call_sigaction(r, at, place, 0, &stopped);
    if (r->gone) return;
    rec_write(r, place, saved, sizeof saved);
    ptrace(PTRACE_SETREGS, r->pid, NULL, &r->regs);
    if (r->stop.signal != 0) {
        all = ~((uint64_t)1 << (r->stop.signal - 1));
        ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof all, &all);
        if (r->stop.signal == SIGSTOP) stopped = 1;
        else if (rec_go_to_stop(r, PTRACE_CONT, r->stop.signal, &stopped) == r->stop.signal) {
            ptrace(PTRACE_SETSIGINFO, r->pid, NULL, &info);
        }
        if (r->stop.signal == SIGSTOP) r->stop.signal = 0;
        if (r->gone) return;
    }
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
    if (stopped) syscall(SYS_tgkill, r->process != 0 ? r->process : r->pid, r->pid, SIGSTOP);
}

/* The same at the end of a burst. */
void rec_ignore_trap_again(recorder *r)
{
    rec_set_trap_again(r, NULL);
}

/* A stop for SIGTRAP that is not ours is the program's signal, unless it ignores that. */
void rec_pass_trap(recorder *r)
{
    r->stop.signal = r->trap.ignored ? 0 : SIGTRAP;
    if (r->burst.number != 0 || !r->trap.blocked || ptrace(PTRACE_GETSIGINFO, r->pid, NULL, &r->trap.info) != 0) return;
    if (r->trap.info.si_code > 0) return;                  /* of the thread's own doing */
    r->trap.held = 1;
    r->stop.signal = 0;
}

/* Whether the system call tells what is done with SIGTRAP, or hands it on. */
int rec_tells_of_trap(uint64_t call)
{
    switch (call) {
    case SYS_rt_sigaction:
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_execve:
    case SYS_execveat:
#if defined(SYS_clone3)
    case SYS_clone3:
#endif
        return 1;
    default:
        return 0;
    }
}

/* With --exact: from here on SIGTRAP is as the program has it; ignored_too: also if it ignores that. */
void rec_restore_trap(recorder *r, int ignored_too)
{
    const int blocked = r->trap.blocked;
    const int64_t ignored = 1 << (SIGTRAP - 1);
    if (r->trap.ignored && ignored_too && (rec_status(r->pid, "SigIgn", 16) & ignored) == 0 &&
        rec_status(r->pid, "Seccomp", 10) == 0) {
        rec_put_regs(r);
        rec_ignore_trap_again(r);
        if (r->gone) return;
    }
    rec_block_trap_again(r);
    if (!blocked || !r->trap.held) return;
    r->trap.held = 0;
    if (syscall(SYS_rt_tgsigqueueinfo, r->pid, r->pid, SIGTRAP, &r->trap.info) != 0) {
        syscall(SYS_tgkill, r->pid, r->pid, SIGTRAP);      /* which it is not allowed to send as another's */
    }
}

#endif
