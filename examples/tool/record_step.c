/* record_step.c - software LBR: running block by block */
#include "record.h"

#if defined(REC_SOFTWARE)

/* The kernel has just set up a signal handler's frame. */
static void rec_on_handler(recorder *r)
{
    const uint64_t saved = r->regs.rsp + 8 + 296;          /* uc_sigmask of the frame: what it returns to */
    uint64_t back, mask;
    rec_gap(r);
    if (rec_read(r, r->regs.rsp, &back, sizeof back)) rec_push_frame(r, back, r->regs.rsp);
    if (r->trap_blocked && rec_read(r, saved, &mask, sizeof mask)) {
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
        if (to - from > REC_INSN && r->syscall == UINT64_MAX) rec_gap(r);
    } else if (to == from && !(insn->has_target && insn->target == from)) {
        return;                                            /* not done yet */
    } else if (insn->kind != CSSPGO_COND || to != next) {
        const int call = insn->kind == CSSPGO_CALL && r->regs.rsp == before->rsp - 8;
        rec_branch(r, from, insn->kind == CSSPGO_CALL && !call ? CSSPGO_JMP : (csspgo_kind)insn->kind, next);
    }
}

/* Runs the program to the breakpoint at `end`; comes back early behind a system call and for a signal, exec or exit. */
void rec_run_to(recorder *r, uint64_t end)
{
    do {
        rec_resume(r, PTRACE_SYSCALL);
        if (r->event == REC_SYSTEM_CALL) {
            r->in_syscall = !r->in_syscall;
            if (r->in_syscall) {
                r->syscall = r->regs.orig_rax;
                rec_on_syscall_entry(r);
            } else {
                rec_on_syscall_exit(r);
                r->behind_call = 1;
                return;
            }
        } else if (r->event == REC_SIGNAL) {
            r->signal = WSTOPSIG(r->status);
        } else if (r->event == REC_TRAP && r->armed != 0 && r->regs.rip == r->armed) {
            return;
        } else if (r->event == REC_TRAP && (r->regs.rip == end + 1 || rec_is_planted(r, r->regs.rip - 1))) {
            r->regs.rip--;
            r->regs_changed |= REC_IP;
            return;
        } else if (r->event == REC_TRAP) {
            rec_pass_trap(r);
            if (r->signal == 0) return;
        }
    } while (r->signal == 0 && !r->gone && !r->moved && !r->done && (r->in_syscall || !r->step_only));
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
    r->signal = WSTOPSIG(r->status);
    if (r->burst != 0) return;
    memset(&t, 0, sizeof t);
    t.tid = r->pid;
    rec_begin_call_anew(&t, r->signal);
    rec_get_regs(r);
}

/* A string instruction that is repeated so often that a burst cannot wait for it: each time would be a step. */
static int rec_is_long(const recorder *r, const unsigned char *code)
{
    const unsigned op = (code[1] & 0xf0) == 0x40 ? code[2] : code[1];
    return r->burst != 0 && r->regs.rcx > REC_CHAIN && (code[0] == 0xf2 || code[0] == 0xf3) &&
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
    if (n != 0 && (code[0] == 0x9c || code[0] == 0x9d) && r->signal == 0 && rec_emulate_flags(r, code[0])) {
        if ((before.eflags & REC_TRAP_FLAG) != 0) rec_pass_trap(r);
        return;
    }
    if (n >= 3 && rec_is_long(r, code)) {
        r->done = 1;
        return;
    }
    r->syscall = UINT64_MAX;
    if (n >= 2 && code[0] == 0x0f && code[1] == 0x05) {
        if (r->burst != 0 && r->trap_ignored) {            /* the program must be what it was before */
            r->done = 1;
            return;
        }
        if (r->signal == 0) {
            if (r->burst == 0) rec_restore_trap(r, rec_tells_of_trap(before.rax));
            if (!r->gone) rec_run_to(r, UINT64_MAX - 1);
            return;
        }
        r->syscall = before.rax;
        rec_on_syscall_entry(r);
    }
    do { rec_resume(r, PTRACE_SINGLESTEP); } while (r->event == REC_OTHER && !r->moved && !r->done);
    if (r->event == REC_SIGNAL) rec_take_signal(r);
    if (r->event != REC_TRAP) return;
    if (ptrace(PTRACE_GETSIGINFO, r->pid, NULL, &info) != 0) return;
    if (info.si_code == SIGTRAP) {
        rec_on_handler(r);
    } else if (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT) {
        if (r->syscall != UINT64_MAX) rec_on_syscall_exit(r);
        if (r->syscall != UINT64_MAX) r->behind_call = 1;
        rec_after_step(r, &before, &insn, size);
        if ((before.eflags & REC_TRAP_FLAG) != 0) rec_pass_trap(r);
    } else if (info.si_code != TRAP_HWBKPT || r->armed == 0) {
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
    if (r->by_register ? !rec_arm(r, end) : !rec_plant(r, end)) return 0;
    rec_unplant(r, r->regs.rip);                           /* the end of a block that was cut for its length */
    rec_run_to(r, end);
    return 1;
}

/* Goes on by one block or instruction. */
void rec_advance(recorder *r)
{
    r->behind_call = 0;
    if (r->signal != 0 || r->step_only || !rec_run_block(r)) rec_step(r);
}

/* The address of a function; 0: there is none of this name. */
static uint64_t rec_function(const elf_image *e, const char *name)
{
    elf_symbol y;
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++)
        if (elf_symbol_at(e, i, &y) && y.section != ELF_UNDEFINED && y.type <= ELF_FUNC && y.type != ELF_OBJECT &&
            y.name_size == strlen(name) && memcmp(y.name, name, y.name_size) == 0)
            return y.value;
    return 0;
}

/*
 * The run-time address of the start symbol, from the program's own file, else from the one with its symbols; 0 with a
 * message if it has none.
 */
static uint64_t rec_find_start(recorder *r)
{
    const char *wanted = r->o.start != NULL ? r->o.start : "main";
    const uint64_t entry = rec_entry_of(r->pid);
    uint64_t found = 0;
    char name[64], why[PROGRAM_WHY];
    loaded l;
    int opened;
    snprintf(name, sizeof name, "/proc/%ld/exe", (long)r->pid);
    opened = load_files(&l, name, NULL, why, sizeof why);
    if (opened) found = rec_function(&l.elf, wanted);
    if (opened && found == 0) {
        load_free(&l);
        opened = program_open(r->tool, &l, name, why, sizeof why);
        found = opened ? rec_function(load_symbols(&l), wanted) : 0;
    }
    if (found != 0) found += entry - l.elf.entry;
    load_free(&l);
    if (found != 0) return found;
    if (r->o.start == NULL && entry != 0) return entry;
    fail(r->tool, "no such function in the program: %s", opened ? wanted : why);
    return 0;
}

/* The calls that are open where recording begins, as far as frame pointers lead to them; the program is at an entry. */
static void rec_find_callers(recorder *r)
{
    uint64_t slots[REC_STACK], backs[REC_STACK], pair[2], frame = r->regs.rbp, below = r->regs.rsp;
    size_t n = 0;
    r->stack_begin = r->stack_end = 0;
    rec_stack_of(r, below);
    if (!rec_read(r, below, &backs[0], 8)) return;
    slots[n++] = below;
    while (n < REC_STACK && frame > below && frame < r->stack_end - 16 && rec_read(r, frame, pair, sizeof pair)) {
        const rec_map *m = rec_find_map(r, pair[1]);
        if (m == NULL || m->begin > pair[1] || m->access[2] != 'x') break;
        below = slots[n] = frame + 8;
        backs[n++] = pair[1];
        frame = pair[0];
    }
    while (n-- > 0) rec_push_frame(r, backs[n], slots[n]);
}

/* Runs the program at full speed to the start symbol. Returns 0 when there is none; the program may also have ended. */
static int rec_run_to_start(recorder *r)
{
    uint64_t start = 0;
    r->moved = 1;
    do {
        if (r->moved) {
            r->moved = 0;
            if (r->regs.cs != 0x33) {
                fail(r->tool, "not a 64-bit program");
                return 0;
            }
            start = rec_find_start(r);
            if (start == 0) return 0;
            if (!rec_plant(r, start)) {
                fail(r->tool, "cannot put a breakpoint at the start symbol: %s", r->o.start);
                return 0;
            }
        }
        rec_resume(r, PTRACE_CONT);
        if (r->event == REC_SIGNAL) r->signal = WSTOPSIG(r->status);
        if (r->event == REC_TRAP && r->regs.rip == start + 1) {
            r->regs.rip = start;
            r->regs_changed |= REC_IP;
            rec_unplant(r, start);
            rec_drop_pages(r, 0, UINT64_MAX, 1);           /* what was mapped since was not watched */
            rec_load_maps(r);
            rec_unblock_trap(r);
            rec_check_shadow_stack(r);
            rec_find_callers(r);
            return 1;
        }
        if (r->event == REC_TRAP) rec_pass_trap(r);
    } while (!r->gone && !r->done && !rec_interrupted());
    return 1;
}

/* Ends the recording; the program runs on as if nothing had been, or is gone already. */
static void rec_detach(recorder *r)
{
    if (r->gone) return;
    rec_unplant_all(r);
    if (!r->listen) rec_restore_trap(r, !r->in_syscall);
    if (r->gone) return;
    rec_put_regs(r);
    sched_setaffinity(r->pid, sizeof r->cpus, &r->cpus);
    if (ptrace(PTRACE_DETACH, r->pid, NULL, (void *)(uintptr_t)r->signal) != 0 && errno != ESRCH) {
        rec_die(r->tool, "cannot let go of the program");
    }
}

/* Tracer and program take turns: on one CPU that is several times faster than across two. */
static void rec_pin(recorder *r)
{
    const int cpu = sched_getcpu();
    cpu_set_t one;
    if (sched_getaffinity(0, sizeof r->cpus, &r->cpus) != 0 || cpu < 0 || cpu >= CPU_SETSIZE) return;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

void rec_free_software(recorder *r)
{
    rec_drop_pages(r, 0, UINT64_MAX, 0);
    free(r->pages);
    free(r->frames);
    rec_free_held(r);
    free(r->maps);
    free(r->stops);
    rec_ahead_end(r);
    if (r->memory >= 0) close(r->memory);
}

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
    if (error != 0) return fail(r->tool, "%s: %s", r->o.program[0], strerror(error)), 0;
    if (!WIFSTOPPED(r->status)) return fail(r->tool, "%s: %s", r->o.program[0], "ended before it began"), 0;
    rec_open_memory(r);
    rec_get_regs(r);
    return 1;
}

int rec_software(recorder *r)
{
    const unsigned long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
                                  PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORKDONE;
    char text[200];
    int started;
    if (r->o.period == 0) r->o.period = 1000;
    r->countdown = rec_distance(r);
    r->step_only = r->o.step;
    if (!r->o.step) rec_ahead_begin(r);
    rec_pin(r);
    if (!rec_launch(r, options)) return 1;
    snprintf(text, sizeof text, "software LBR of %llu records (%s), %s call stack, first thread only: the program runs "
             "%s of times slower",
             (unsigned long long)r->o.depth, r->o.step ? "single steps" : "computed from the code",
             r->o.frame_pointers ? "frame-pointer" : "exact", r->o.step ? "thousands" : "hundreds");
    note(r->tool, "%s", text);
    rec_name_thread(r, r->pid, r->pid, 0);
    r->trap_ignored = (rec_status(r->pid, "SigIgn", 16) >> (SIGTRAP - 1) & 1) != 0;
    started = rec_run_to_start(r);
    if (!started) {
        kill(r->pid, SIGKILL);
        return 1;
    }
    while (!r->gone && !r->done) {
        if (rec_interrupted()) break;
        if (r->moved && !rec_run_to_start(r)) break;
        if (r->gone || r->done) break;
        rec_compute_exactly(r);
        if (!r->done) rec_advance(r);
    }
    rec_detach(r);
    if (r->branches == 0 && r->gone) warn(r->tool, "the program ended before the start symbol was reached");
    return -1;
}

#endif
