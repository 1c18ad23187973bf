/* first.c - --first: what stops mean while breakpoints stand at the entries of functions
 *
 * The kernel reports a breakpoint with the thread behind it: the thread is set back and goes on. A second thread that
 * met the same breakpoint before it was taken away is set back, too.
 *
 * Files that are mapped while the dynamic linker loads the program are seen at its system calls. It calls an empty
 * function, _dl_debug_state, for debuggers where dlopen has mapped files and before they run; the breakpoint there
 * stays, and the recorder returns from the function in the thread's place.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

/* The mapping that a system call of the thread has made. */
static void rec_on_mmap(rec_watch *w, const rec_thread *t, const struct user_regs_struct *regs)
{
    recorder *const r = w->r;
    const int maps = regs->orig_rax == SYS_mmap, executable = (regs->rdx & PROT_EXEC) != 0;
    char name[64], path[PATH_MAX];
    rec_map m;
    ssize_t n;
    if (!executable || (!maps && regs->orig_rax != SYS_mprotect)) return;
    if ((int64_t)regs->rax < 0 && (int64_t)regs->rax > -4096) return;
    if (!rec_enter(w, t)) return;
    r->pid = t->tid;
    if (!maps) {
        rec_load_maps(r);
        return;
    }
    if ((int)regs->r8 < 0 || (regs->r10 & MAP_ANONYMOUS) != 0) return;
    memset(&m, 0, sizeof m);
    snprintf(name, sizeof name, "/proc/%ld/fd/%d", (long)t->tid, (int)regs->r8);
    n = readlink(name, path, sizeof path - 1);
    if (n <= 0) return;
    path[n] = '\0';
    m.begin = regs->rax;
    m.end = m.begin + ((regs->rsi + REC_PAGE - 1) & ~(uint64_t)(REC_PAGE - 1));
    m.offset = regs->r9;
    snprintf(m.access, sizeof m.access, "r%cx%c", regs->rdx & PROT_WRITE ? 'w' : '-',
             regs->r10 & MAP_PRIVATE ? 'p' : 's');
    rec_first_on_map(r, &m, path);
}

/* The thread has set what a signal does. */
static void rec_on_sigaction(rec_watch *w, rec_thread *t, const struct user_regs_struct *regs)
{
    recorder *const r = w->r;
    uint64_t action[4];
    if (!rec_enter(w, t)) return;
    r->pid = t->tid;
    if (regs->rdi == SIGTRAP && regs->rax == 0 && regs->rsi != 0 && rec_read(r, regs->rsi, action, sizeof action))
        rec_first_set_trap(r, action);
    rec_first_plant_again(r);
    t->sets = 0;
    t->watched = t->loader_end != 0 || r->space.calls_ptrace;
}

void rec_first_on_call(rec_watch *w, rec_thread *t, const struct user_regs_struct *regs)
{
    if (w->r->traces == NULL) return;
    if (t->sets && regs->orig_rax == SYS_rt_sigaction) rec_on_sigaction(w, t, regs);
    else rec_on_mmap(w, t, regs);
}

static int rec_put_word(pid_t tid, size_t at, uint64_t value)
{
    return ptrace(PTRACE_POKEUSER, tid, (void *)at, (void *)(uintptr_t)value) == 0;
}

/* The thread returns from the empty function that it has entered. */
static void rec_return_from_hook(rec_watch *w, rec_thread *t, uint64_t address)
{
    recorder *const r = w->r;
    uint64_t back, sp, shadow;
    struct iovec io;
    size_t i;
    io.iov_base = &shadow;
    io.iov_len = sizeof shadow;
    sp = (uint64_t)ptrace(PTRACE_PEEKUSER, t->tid, (void *)offsetof(struct user, regs.rsp), NULL);
    if (ptrace(PTRACE_GETREGSET, t->tid, (void *)0x204, &io) == 0 || !rec_read(r, sp, &back, sizeof back)) {
        rec_first_give_up_hook(r, address);                /* with a shadow stack it must return itself */
        for (i = 0; i < w->count; i++) if (w->threads[i].process == t->process) w->threads[i].watched = 1;
        rec_put_word(t->tid, offsetof(struct user, regs.rip), address);
        return;
    }
    rec_put_word(t->tid, offsetof(struct user, regs.rsp), sp + 8);
    rec_put_word(t->tid, offsetof(struct user, regs.rip), back);
}

/*
 * The kernel unblocks SIGTRAP for a breakpoint. A thread that blocks what other faults send has blocked all signals, as
 * the C library does around clone and exit: it gets that back. certainly: it is known that SIGTRAP was blocked.
 */
static void rec_mask_again(const rec_thread *t, int certainly)
{
    const uint64_t faults = (uint64_t)1 << (SIGILL - 1) | (uint64_t)1 << (SIGBUS - 1) | (uint64_t)1 << (SIGFPE - 1) |
                            (uint64_t)1 << (SIGSEGV - 1);
    uint64_t mask = 0;
    if (ptrace(PTRACE_GETSIGMASK, t->tid, (void *)sizeof mask, &mask) != 0) return;
    if (!certainly && (mask & faults) != faults) return;
    mask |= (uint64_t)1 << (SIGTRAP - 1);
    ptrace(PTRACE_SETSIGMASK, t->tid, (void *)sizeof mask, &mask);
}

/*
 * Where SIGTRAP was blocked or ignored, the kernel has also set it to its default: the program gets its own action back
 * (see trap.c). A handler that is still there says that the signal was not blocked.
 */
static void rec_keep_trap(recorder *r, const rec_thread *t)
{
    const uint64_t *const action = rec_first_trap(r);
    const int ignores = action != NULL && action[0] == 1;
    if (action == NULL) {
        rec_mask_again(t, 0);
        return;
    }
    if ((rec_status(t->tid, ignores ? "SigIgn" : "SigCgt", 16) >> (SIGTRAP - 1) & 1) != 0) return;
    if (rec_status(t->tid, "Seccomp", 10) != 0) return;
    rec_get_regs(r);
    if (r->space.map_count == 0) rec_load_maps(r);         /* one has code for a system call */
    r->stop.signal = 0;
    rec_set_trap_again(r, action);
    if (r->gone) rec_keep_stop(r->tool, &r->waiting, t->tid, r->status);
    else rec_mask_again(t, !ignores);
    r->gone = 0;
}

int rec_first_set_back(rec_watch *w, rec_thread *t)
{
    recorder *const r = w->r;
    siginfo_t info;
    uint64_t address;
    int what;
    if (r->traces == NULL || ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) != 0) return 0;
    if (info.si_signo != SIGTRAP || info.si_code != SI_KERNEL || !rec_enter(w, t)) return 0;
    r->pid = t->tid;
    address = (uint64_t)ptrace(PTRACE_PEEKUSER, t->tid, (void *)offsetof(struct user, regs.rip), NULL) - 1;
    what = rec_first_take(r, address);
    if (what == 0) return 0;
    if (what == REC_AT_HOOK) rec_return_from_hook(w, t, address);
    else rec_put_word(t->tid, offsetof(struct user, regs.rip), address);
    if (what == REC_AT_SETTER) t->watched = t->sets = 1;
    rec_keep_trap(r, t);
    if (what == REC_AT_HOOK && t->loader_end == 0) rec_load_maps(r);
    if (t->loader_end != 0 && address == rec_entry_of(t->process)) rec_end_of_loading(w, t);
    return 1;
}

void rec_first_let_go(rec_watch *w)
{
    recorder *const r = w->r;
    size_t i;
    if (r->traces == NULL) return;
    for (i = 0; i < w->count; i++) {
        rec_thread *const t = &w->threads[i];
        if (rec_enter(w, t)) rec_first_restore(r);
    }
    for (i = w->count; i-- > 0;) {
        rec_thread *const t = &w->threads[i];
        if (!t->held) continue;
        ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
        rec_remove_thread(w, t);
    }
    for (i = 0; i < w->count; i++) {
        rec_thread *const t = &w->threads[i];
        if (!t->listens && !t->asked) t->asked = ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) == 0;
    }
}

/* Whether a breakpoint that the thread has met is not reported yet. */
int rec_first_is_due(const rec_watch *w, const rec_thread *t)
{
    const int64_t pending = w->r->traces != NULL ? rec_status(t->tid, "SigPnd", 16) : 0;
    return pending > 0 && (pending >> (SIGTRAP - 1) & 1) != 0;
}

#endif
