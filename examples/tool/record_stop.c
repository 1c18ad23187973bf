/* record_stop.c - software LBR: stopping and going on, system calls */
#include "record.h"

#if defined(REC_SOFTWARE)

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

/* Keeps SIGTRAP unblocked: a stop while it is blocked would reset its handler. */
void rec_unblock_trap(recorder *r)
{
    uint64_t mask = 0;
    if (ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof mask, &mask) != 0) return;
    if ((mask >> (SIGTRAP - 1) & 1) == 0) return;
    r->trap_blocked = 1;
    mask &= ~((uint64_t)1 << (SIGTRAP - 1));
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
}

/* The flags of the clone that r->regs is at or behind (0 for fork). */
static uint64_t rec_clone_flags(const recorder *r)
{
    uint64_t flags = 0;
    if (r->regs.orig_rax == SYS_vfork) flags = CLONE_VM | CLONE_VFORK;
    if (r->regs.orig_rax == SYS_clone) flags = r->regs.rdi;
#if defined(SYS_clone3)
    if (r->regs.orig_rax == SYS_clone3) rec_read(r, r->regs.rdi, &flags, sizeof flags);
#endif
    return flags;
}

/* From here on every instruction of the first thread is stepped: other code runs in the same memory. */
static void rec_step_only(recorder *r, const char *why)
{
    rec_unplant_all(r);
    if (r->step_only) return;
    r->step_only = 1;
    warn(r->tool, "%s", why);
}

/* With a shadow stack in hardware, calls and returns must be the CPU's own. */
void rec_check_shadow_stack(recorder *r)
{
    uint64_t pointer;
    struct iovec io;
    io.iov_base = &pointer;
    io.iov_len = sizeof pointer;
    if (r->step_only || ptrace(PTRACE_GETREGSET, r->pid, (void *)0x204, &io) != 0) return;
    rec_step_only(r, "the program has a hardware shadow stack: single-stepping");
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
        for (i = 0; memory >= 0 && i < r->page_count; i++) rec_restore_page(r, r->pages[i], memory);
        if (memory >= 0) close(memory);
    }
    sched_setaffinity(child, sizeof r->cpus, &r->cpus);
    ptrace(PTRACE_DETACH, child, NULL, NULL);
}

/* Returns 0 if the thread has ended. */
int rec_open_memory(recorder *r)
{
    char name[64];
    if (r->memory >= 0) close(r->memory);
    snprintf(name, sizeof name, "/proc/%ld/mem", (long)r->pid);
    r->memory = open(name, O_RDWR | O_CLOEXEC);
    if (r->memory < 0 && errno != ESRCH && errno != ENOENT) rec_die(r->tool, "cannot open the program's memory");
    return r->memory >= 0;
}

/* Another program took the place of the old one, whose memory is gone. */
static void rec_on_exec(recorder *r)
{
    rec_drop_pages(r, 0, UINT64_MAX, 0);
    rec_open_memory(r);
    rec_gap(r);
    r->frame_count = 0;
    r->stack_begin = r->stack_end = 0;
    r->maps_stale = 1;
    r->in_syscall = 0;
    r->step_only = r->o.step;
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
        r->listen = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
        if (r->interrupting) r->done = 1;
    }
}

void rec_wait(recorder *r)
{
    if (r->burst != 0) {
        rec_wait_in_burst(r);
        return;
    }
    while (waitpid(r->pid, &r->status, __WALL) < 0) {
        if (errno != EINTR) rec_die(r->tool, "cannot wait for the program");
        if (rec_interrupted() && !r->interrupting) r->interrupting = ptrace(PTRACE_INTERRUPT, r->pid, NULL, NULL) == 0;
    }
}

/* Lets the program go on until its next stop and says in r->event what that is. */
void rec_resume(recorder *r, int request)
{
    const int signal = r->signal;
    int event;
    rec_put_regs(r);
    r->signal = 0;
    if (r->listen) request = PTRACE_LISTEN;
    r->listen = 0;
    if (ptrace(request, r->pid, NULL, (void *)(uintptr_t)signal) != 0 && errno != ESRCH) {
        rec_die(r->tool, "cannot continue the program");
    }
    rec_wait(r);
    if (r->late) {
        r->event = REC_OTHER;
        r->moved = 1;
        return;
    }
    if (!WIFSTOPPED(r->status)) {
        r->gone = 1;
        r->event = REC_GONE;
        return;
    }
    event = r->status >> 16;
    r->event = event != 0 ? REC_OTHER : WSTOPSIG(r->status) == (SIGTRAP | 0x80) ? REC_SYSTEM_CALL
             : WSTOPSIG(r->status) == SIGTRAP ? REC_TRAP : REC_SIGNAL;
    if (event != 0 && r->burst != 0) {
        r->burst_event = event;
        r->moved = 1;
    } else if (event != 0) {
        rec_on_event(r, event);
    }
    rec_get_regs(r);
    if (r->event == REC_SYSTEM_CALL && r->burst != 0 && !r->in_syscall && r->regs.orig_rax == SYS_ptrace) {
        r->event = REC_OTHER;                              /* the burst ends there: see record_tracer.c */
        r->calls = r->moved = 1;
    }
}

/* ----- system calls: what changes code, masks or stacks ----- */

/* The program asks to be traced by its parent, which is the recorder, but does not know it: the call is left out. */
static void rec_pretend(recorder *r)
{
    if (r->burst != 0 || !r->in_syscall || r->regs.rdi != PTRACE_TRACEME || r->pretends != 0) return;
    r->pretends = ptrace(PTRACE_POKEUSER, r->pid, (void *)offsetof(struct user, regs.orig_rax), (void *)-1L) == 0;
}

/* Before the system call in r->regs is carried out; number is in r->syscall. */
void rec_on_syscall_entry(recorder *r)
{
    const struct user_regs_struct *a = &r->regs;
    const uint64_t page = ~(uint64_t)(REC_PAGE - 1);
    uint64_t begin = 0, size = 0, handler;
    if (r->burst != 0) rec_on_syscall_in_burst(r);
    switch (r->syscall) {
    case SYS_mmap:
        r->maps_stale = 1;
        if ((a->rdx & PROT_EXEC) != 0) r->code_stale = 1;
        if ((a->r10 & MAP_FIXED) != 0) { begin = a->rdi; size = a->rsi; }
        break;
    case SYS_mprotect:
    case SYS_pkey_mprotect:
        if ((a->rdx & PROT_EXEC) != 0) r->code_stale = 1;
        r->maps_stale = 1;
        begin = a->rdi;
        size = a->rsi;
        break;
    case SYS_munmap:
    case SYS_madvise:
        r->maps_stale = 1;
        begin = a->rdi;
        size = a->rsi;
        break;
    case SYS_brk:
        r->maps_stale = 1;
        break;
    case SYS_ptrace:
        rec_pretend(r);
        break;
    case SYS_mremap:
    case SYS_shmat:
    case SYS_shmdt:
    case SYS_remap_file_pages:
        r->maps_stale = r->code_stale = 1;
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
            r->trap_ignored = handler == 1;
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
    if (r->burst != 0 && (r->syscall == SYS_rt_sigreturn || r->syscall == SYS_rt_sigprocmask ||
                          (r->syscall == SYS_rt_sigaction && r->trap_ignored))) {
        r->done = 1;                                       /* signals are the program's own again */
        return;
    }
    if (r->pretends == 1 && r->syscall == SYS_ptrace) {
        ptrace(PTRACE_POKEUSER, r->pid, (void *)offsetof(struct user, regs.rax), NULL);
        r->regs.rax = 0;
        r->pretends = 2;
    }
    if (r->syscall == SYS_rt_sigreturn) {
        rec_gap(r);
        rec_settle(r, r->regs.rsp);
    }
    if (r->syscall == SYS_arch_prctl) rec_check_shadow_stack(r);
    if (r->burst == 0) rec_unblock_trap(r);
}

#endif
