/* exact.c - --exact: every branch of the first thread, from the start symbol on */
#include "record.h"

#if defined(REC_SOFTWARE)

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
        if (r->stop.event == REC_SIGNAL) r->stop.signal = WSTOPSIG(r->status);
        if (r->stop.event == REC_TRAP && r->regs.rip == start + 1) {
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
        if (r->stop.event == REC_TRAP) rec_pass_trap(r);
    } while (!r->gone && !r->done && !rec_interrupted());
    return 1;
}

/* Ends the recording; the program runs on as if nothing had been, or is gone already. */
static void rec_detach(recorder *r)
{
    if (r->gone) return;
    rec_unplant_all(r);
    if (!r->stop.listen) rec_restore_trap(r, !r->stop.in_syscall);
    if (r->gone) return;
    rec_put_regs(r);
    sched_setaffinity(r->pid, sizeof r->cpus, &r->cpus);
    if (ptrace(PTRACE_DETACH, r->pid, NULL, (void *)(uintptr_t)r->stop.signal) != 0 && errno != ESRCH) {
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

int rec_software(recorder *r)
{
    const unsigned long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
                                  PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORKDONE;
    char text[200];
    int started;
    if (r->o.period == 0) r->o.period = 1000;
    r->lbr.countdown = rec_distance(r);
    r->space.step_only = r->o.step;
    if (!r->o.step) rec_ahead_begin(r);
    rec_pin(r);
    if (!rec_launch(r, options)) return 1;
    snprintf(text, sizeof text, "software LBR of %llu records (%s), %s call stack, first thread only: the program runs "
             "%s of times slower",
             (unsigned long long)r->o.depth, r->o.step ? "single steps" : "computed from the code",
             r->o.frame_pointers ? "frame-pointer" : "exact", r->o.step ? "thousands" : "hundreds");
    note(r->tool, "%s", text);
    rec_name_thread(r, r->pid, r->pid, 0);
    r->trap.ignored = (rec_status(r->pid, "SigIgn", 16) >> (SIGTRAP - 1) & 1) != 0;
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
