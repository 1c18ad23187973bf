/* remote.c - system calls of the recorder's that a thread of the program carries out */
#include "record.h"

#if defined(REC_SOFTWARE)

/* Where a `syscall` instruction is: the vdso has one. 0 if not. */
uint64_t rec_find_syscall(recorder *r)
{
    unsigned char code[REC_PAGE];
    size_t i, at;
    for (i = 0; i < r->space.map_count; i++) {
        const rec_map *m = &r->space.maps[i];
        uint64_t page;
        if (m->access[2] != 'x' || m->begin >> 63 != 0) continue;
        for (page = m->begin; page < m->end; page += REC_PAGE) {
            if (pread(r->space.memory, code, REC_PAGE, (off_t)page) != REC_PAGE) break;
            for (at = 0; at + 1 < REC_PAGE; at++) if (code[at] == 0x0f && code[at + 1] == 0x05) return page + at;
        }
    }
    return 0;
}

/* Continues the thread to its next stop, of which it returns the signal or 0. A SIGSTOP meanwhile is sent later. */
int rec_go_to_stop(recorder *r, int request, int signal, int *stopped)
{
    for (;;) {
        int seen;
        if (ptrace(request, r->pid, NULL, (void *)(uintptr_t)signal) != 0) return 0;
        rec_wait_in_burst(r);
        if (!WIFSTOPPED(r->status)) return r->gone = 1, 0;
        seen = WSTOPSIG(r->status);
        if (seen != SIGSTOP || r->status >> 16 != 0) return r->status >> 16 != 0 ? 0 : seen;
        *stopped = 1;
        signal = 0;
    }
}

/*
 * The thread, which stands with the registers r->regs and takes no signals, carries out a system call by the `syscall`
 * at `at`. It stands behind it, with other registers. Returns 0 if it cannot.
 */
int rec_call(recorder *r, uint64_t at, uint64_t number, const uint64_t *operands, int *stopped)
{
    struct user_regs_struct regs = r->regs;
    regs.rip = at;
    regs.rax = number;
    regs.orig_rax = (unsigned long long)-1;
    regs.rdi = operands[0];
    regs.rsi = operands[1];
    regs.rdx = operands[2];
    regs.r10 = operands[3];
    regs.r8 = operands[4];
    regs.r9 = operands[5];
    regs.eflags &= ~(unsigned long long)REC_TRAP_FLAG;
    if (ptrace(PTRACE_SETREGS, r->pid, NULL, &regs) != 0) return 0;
    return rec_go_to_stop(r, PTRACE_SYSCALL, 0, stopped) == (SIGTRAP | 0x80) &&
           rec_go_to_stop(r, PTRACE_SYSCALL, 0, stopped) == (SIGTRAP | 0x80);
}

#endif
