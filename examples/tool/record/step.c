/* step.c - a thread that is followed: running block by block */
#include "record.h"

#if defined(REC_SOFTWARE)

/* The kernel has just set up a signal handler's frame. */
static void rec_on_handler(recorder *r)
{
    const uint64_t saved = r->regs.rsp + 8 + 296;          /* uc_sigmask of the frame: what it returns to */
    uint64_t back, mask;
    rec_gap(r);
    if (rec_read(r, r->regs.rsp, &back, sizeof back)) rec_push_frame(r, back, r->regs.rsp);
    if (r->trap.blocked && rec_read(r, saved, &mask, sizeof mask)) {
        mask |= (uint64_t)1 << (SIGTRAP - 1);
        rec_write(r, saved, &mask, sizeof mask);
    }
    rec_unblock_trap(r);
}

/* Looks at what one instruction did. */
static void rec_after_step(recorder *r, const struct user_regs_struct *before, const csspgo_insn *insn, uint32_t size)
{
    const uint64_t from = before->rip, to = r->regs.rip, next = from + size;
    if (size == 0 || insn->kind == CSSPGO_NONE) {          /* a lock prefix counts as one of its own */
        if (to - from > REC_INSN && r->stop.syscall == UINT64_MAX) rec_gap(r);
    } else if (to == from && !(insn->has_target && insn->target == from)) {
        return;                                            /* not done yet */
    } else if (insn->kind != CSSPGO_COND || to != next) {
        const int call = insn->kind == CSSPGO_CALL && r->regs.rsp == before->rsp - 8;
        rec_branch(r, from, insn->kind == CSSPGO_CALL && !call ? CSSPGO_JMP : (csspgo_transfer_kind)insn->kind, next);
    }
}

/* Runs the program to the breakpoint at `end`; comes back early behind a system call and for a signal, exec or exit. */
void rec_run_to(recorder *r, uint64_t end)
{
    do {
        rec_resume(r, PTRACE_SYSCALL);
        if (r->stop.event == REC_SYSTEM_CALL) {
            r->stop.in_syscall = !r->stop.in_syscall;
            if (r->stop.in_syscall) {
                r->stop.syscall = r->regs.orig_rax;
                rec_on_syscall_entry(r);
            } else {
                rec_on_syscall_exit(r);
                r->stop.behind_call = 1;
                return;
            }
        } else if (r->stop.event == REC_SIGNAL) {
            r->stop.signal = WSTOPSIG(r->status);
        } else if (r->stop.event == REC_TRAP && r->view.armed != 0 && r->regs.rip == r->view.armed) {
            return;
        } else if (r->stop.event == REC_TRAP && (r->regs.rip == end + 1 || rec_is_planted(r, r->regs.rip - 1))) {
            r->regs.rip--;
            r->regs_changed |= REC_IP;
            return;
        } else if (r->stop.event == REC_TRAP) {
            rec_pass_trap(r);
            if (r->stop.signal == 0) return;
        }
    } while (r->stop.signal == 0 && !r->gone && !r->moved && !r->done && (r->stop.in_syscall || !r->space.step_only));
}

/* Carries out pushf or popf: stepped over, they would show the program the recorder's trap flag, or keep it set. */
static int rec_emulate_flags(recorder *r, unsigned opcode)
{
    uint64_t flags = r->regs.eflags & 0xfcffff;            /* without RF and VM */
    if (opcode == 0x9c) {
        if (!rec_write(r, r->regs.rsp - 8, &flags, 8)) return 0;
        r->regs.rsp -= 8;
    } else {
        if (!rec_read(r, r->regs.rsp, &flags, 8)) return 0;
        r->regs.eflags = (r->regs.eflags & ~(uint64_t)REC_POPF_FLAGS) | (flags & REC_POPF_FLAGS);
        r->regs.rsp += 8;
        r->regs_changed |= REC_FLAGS;
    }
    r->regs.rip++;
    r->regs_changed |= REC_IP | REC_SP;
    return 1;
}

/* A signal came, which is delivered when the thread goes on; a system call that it ended may begin anew. */
static void rec_take_signal(recorder *r)
{
    rec_thread t;
    r->stop.signal = WSTOPSIG(r->status);
    if (r->burst.number != 0) return;
    memset(&t, 0, sizeof t);
    t.tid = r->pid;
    rec_begin_call_anew(&t, r->stop.signal);
    rec_get_regs(r);
}

/* A string instruction that is repeated so often that a burst cannot wait for it: each time would be a step. */
static int rec_is_long(const recorder *r, const unsigned char *code)
{
    const unsigned op = (code[1] & 0xf0) == 0x40 ? code[2] : code[1];
    return r->burst.number != 0 && r->regs.rcx > REC_CHAIN && (code[0] == 0xf2 || code[0] == 0xf3) &&
           ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf));
}

/*
 * Steps over one instruction, after delivering a pending signal. A system call is run from its entry to its exit stop
 * instead: the trap of a single step would come after it has blocked SIGTRAP.
 */
static void rec_step(recorder *r)
{
    const struct user_regs_struct before = r->regs;
    unsigned char code[REC_INSN];
    const size_t n = rec_fetch(r, before.rip, code);
    csspgo_insn insn;
    siginfo_t info;
    uint32_t size;
    memset(&insn, 0, sizeof insn);
    size = n != 0 ? csspgo_decode_x86_64(code, n, before.rip, &insn) : 0;
    rec_unplant(r, before.rip);
    if (n != 0 && (code[0] == 0x9c || code[0] == 0x9d) && r->stop.signal == 0 && rec_emulate_flags(r, code[0])) {
        if ((before.eflags & REC_TRAP_FLAG) != 0) rec_pass_trap(r);
        return;
    }
    if (n >= 3 && rec_is_long(r, code)) {
        r->done = 1;
        return;
    }
    r->stop.syscall = UINT64_MAX;
    if (n >= 2 && code[0] == 0x0f && code[1] == 0x05) {
        if (r->burst.number != 0 && r->trap.ignored) {     /* the program must be what it was before */
            r->done = 1;
            return;
        }
        if (r->stop.signal == 0) {
            if (r->burst.number == 0) rec_restore_trap(r, rec_tells_of_trap(before.rax));
            if (!r->gone) rec_run_to(r, UINT64_MAX - 1);
            return;
        }
        r->stop.syscall = before.rax;
        rec_on_syscall_entry(r);
    }
    do { rec_resume(r, PTRACE_SINGLESTEP); } while (r->stop.event == REC_OTHER && !r->moved && !r->done);
    if (r->stop.event == REC_SIGNAL) rec_take_signal(r);
    if (r->stop.event != REC_TRAP) return;
    if (ptrace(PTRACE_GETSIGINFO, r->pid, NULL, &info) != 0) return;
    if (info.si_code == SIGTRAP) {
        rec_on_handler(r);
    } else if (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT) {
        if (r->stop.syscall != UINT64_MAX) rec_on_syscall_exit(r);
        if (r->stop.syscall != UINT64_MAX) r->stop.behind_call = 1;
        rec_after_step(r, &before, &insn, size);
        if ((before.eflags & REC_TRAP_FLAG) != 0) rec_pass_trap(r);
    } else if (info.si_code != TRAP_HWBKPT || r->view.armed == 0) {
        rec_pass_trap(r);
    }
}

/* Goes on to the next branch and carries it out; 0 if the instruction here must be stepped over. */
static int rec_run_block(recorder *r)
{
    const rec_block *block = NULL;
    uint64_t end;
    int chain;
    for (chain = 0; chain < REC_CHAIN && !r->done; chain++) {
        block = rec_plan(r, r->regs.rip);
        if (block == NULL) return 0;
        if (block->skip != 0) break;
        if (block->kind == CSSPGO_NONE || !rec_emulate(r)) return 0;
    }
    if (r->done) return 1;
    if (chain == REC_CHAIN) return 0;                      /* a loop of branches only: let signals through */
    end = r->regs.rip + block->skip;
    if (r->space.by_register ? !rec_arm(r, end) : !rec_plant(r, end)) return 0;
    rec_unplant(r, r->regs.rip);                           /* the end of a block that was cut for its length */
    rec_run_to(r, end);
    return 1;
}

/* Goes on by one block or instruction. */
void rec_advance(recorder *r)
{
    r->stop.behind_call = 0;
    if (r->stop.signal != 0 || r->space.step_only || !rec_run_block(r)) rec_step(r);
}

#endif
