/* syscall.c - system calls of a thread that is followed: what changes code, masks or stacks; calls that begin anew */
#include "record.h"

#if defined(REC_SOFTWARE)

static void rec_on_syscall_in_burst(recorder *r)
{
    rec_disarm(r);                                         /* the thread may be left alone in it */
    if (r->trap.blocked) {
        rec_block_trap_again(r);
        r->done = 1;
    }
    switch (r->stop.syscall) {
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
#if defined(SYS_clone3)
    case SYS_clone3:
#endif
        rec_unplant_all(r);                                /* what comes of it has the program's own code */
        break;
    default:
        break;
    }
}

/* The program asks to be traced by its parent, which is the recorder, but does not know it: the call is left out. */
static void rec_pretend(recorder *r)
{
    if (r->burst.number != 0 || !r->stop.in_syscall || r->regs.rdi != PTRACE_TRACEME || r->stop.pretends != 0) return;
    r->stop.pretends = ptrace(PTRACE_POKEUSER, r->pid, (void *)offsetof(struct user, regs.orig_rax), (void *)-1L) == 0;
}

/* Before the system call in r->regs is carried out; number is in r->stop.syscall. */
void rec_on_syscall_entry(recorder *r)
{
    const struct user_regs_struct *a = &r->regs;
    const uint64_t page = ~(uint64_t)(REC_PAGE - 1);
    uint64_t begin = 0, size = 0, handler;
    if (r->burst.number != 0) rec_on_syscall_in_burst(r);
    switch (r->stop.syscall) {
    case SYS_mmap:
        r->view.maps_stale = 1;
        if ((a->rdx & PROT_EXEC) != 0) r->view.code_stale = 1;
        if ((a->r10 & MAP_FIXED) != 0) { begin = a->rdi; size = a->rsi; }
        break;
    case SYS_mprotect:
    case SYS_pkey_mprotect:
        if ((a->rdx & PROT_EXEC) != 0) r->view.code_stale = 1;
        r->view.maps_stale = 1;
        begin = a->rdi;
        size = a->rsi;
        break;
    case SYS_munmap:
    case SYS_madvise:
        r->view.maps_stale = 1;
        begin = a->rdi;
        size = a->rsi;
        break;
    case SYS_brk:
        r->view.maps_stale = 1;
        break;
    case SYS_ptrace:
        rec_pretend(r);
        break;
    case SYS_mremap:
    case SYS_shmat:
    case SYS_shmdt:
    case SYS_remap_file_pages:
        r->view.maps_stale = r->view.code_stale = 1;
        size = UINT64_MAX;
        break;
    case SYS_clone:
#if defined(SYS_clone3)
    case SYS_clone3:
#endif
        if ((rec_clone_flags(r) & CLONE_UNTRACED) != 0) rec_step_only(r, "an untraceable process: single-stepping");
        break;
    case SYS_rt_sigaction:
        if (a->rdi == SIGTRAP && a->rsi != 0 && rec_read(r, a->rsi, &handler, sizeof handler)) {
            r->trap.ignored = handler == 1;
        }
        break;
    default:
        break;
    }
    if (size != 0) rec_drop_pages(r, begin & page, size > UINT64_MAX - begin - REC_PAGE ? UINT64_MAX : begin + size, 1);
}

/* After it. */
void rec_on_syscall_exit(recorder *r)
{
    if (r->burst.number != 0 && (r->stop.syscall == SYS_rt_sigreturn || r->stop.syscall == SYS_rt_sigprocmask ||
                          (r->stop.syscall == SYS_rt_sigaction && r->trap.ignored))) {
        r->done = 1;                                       /* signals are the program's own again */
        return;
    }
    if (r->stop.pretends == 1 && r->stop.syscall == SYS_ptrace) {
        ptrace(PTRACE_POKEUSER, r->pid, (void *)offsetof(struct user, regs.rax), NULL);
        r->regs.rax = 0;
        r->stop.pretends = 2;
    }
    if (r->stop.syscall == SYS_rt_sigreturn) {
        rec_gap(r);
        rec_settle(r, r->regs.rsp);
    }
    if (r->stop.syscall == SYS_arch_prctl) rec_check_shadow_stack(r);
    if (r->burst.number == 0) rec_unblock_trap(r);
}

/* Whether the thread's program does nothing at all when it gets the signal. */
static int rec_ignores(pid_t tid, int signal)
{
    const int64_t ignored = rec_status(tid, "SigIgn", 16), caught = rec_status(tid, "SigCgt", 16);
    if (signal > 63 || ignored < 0) return 0;
    if ((ignored >> (signal - 1) & 1) != 0) return 1;
    return (caught >> (signal - 1) & 1) == 0 &&
           (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT);
}

/*
 * A thread stands before a signal, or because it was asked to (0): a system call that ended for that alone begins anew.
 * Without a recorder it would not have ended: of a traced thread, signals that are ignored end it too. Most are begun
 * anew by the kernel; epoll_wait and some others are not, and one kind by a call that a filter (seccomp) may forbid.
 */
void rec_begin_call_anew(const rec_thread *t, int signal)
{
    const int64_t restart_block = -516;                    /* ERESTART_RESTARTBLOCK of the kernel */
    struct user_regs_struct regs;
    int64_t pending, shared;
    if (ptrace(PTRACE_GETREGS, t->tid, NULL, &regs) != 0 || (int64_t)regs.orig_rax < 0) return;
    if ((int64_t)regs.rax != -EINTR && (int64_t)regs.rax != restart_block) return;
    if (signal != 0 && !rec_ignores(t->tid, signal)) return;
    pending = rec_status(t->tid, "SigPnd", 16);
    shared = rec_status(t->tid, "ShdPnd", 16);
    if (pending < 0 || ((pending | shared) & ~rec_status(t->tid, "SigBlk", 16)) != 0) return;
    if ((int64_t)regs.rax == restart_block && rec_status(t->tid, "Seccomp", 10) <= 0) return;
    regs.rip -= 2;
    regs.rax = regs.orig_rax;
    regs.orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, t->tid, NULL, &regs);
}

#endif
