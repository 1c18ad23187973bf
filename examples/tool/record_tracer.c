/* record_tracer.c - bursts: programs that use ptrace themselves
 *
 * A thread has one tracer, so a program's own calls of ptrace would fail while the recorder is the tracer. Therefore the
 * threads of programs that call it stop at each system call, until the program has ended. A program calls ptrace if one
 * of its files imports that function, or is statically linked with it and has symbols. The recorder looks for it when
 * the dynamic loader has mapped the program's files, and again where a burst finds new files; until then, the loader's
 * own system calls are stops, too.
 *
 *   PTRACE_TRACEME    by the program that was launched: it returns 0, once. Its parent is the recorder; unrecorded, it
 *                     would be one that does not know of it.
 *                     By another process: the recorder lets the thread go before the call, which then succeeds.
 *   PTRACE_ATTACH     and PTRACE_SEIZE of a thread that is recorded: that one is let go before the call.
 *
 * A thread that is let go is not recorded any more.
 */
#include "record_threads.h"

#if defined(REC_SOFTWARE)

enum { REC_LETS_GO = 10 };        /* seconds that a thread may take to stop */

/* ----- which programs call ptrace ----- */

/* Whether a file calls it, by its symbols. */
static int rec_calls_ptrace(const elf_image *e)
{
    const elf_image dynamic = elf_dynamic(e);
    const int linked = dynamic.symbol_count <= 1;          /* with all it calls */
    const elf_image *of = linked ? e : &dynamic;
    elf_section names;
    elf_symbol s;
    uint32_t i;
    if (!elf_section_named(e, linked ? ".strtab" : ".dynstr", &names) || names.contents == NULL ||
        memmem(names.contents, (size_t)names.size, "ptrace", 7) == NULL) return 0;
    for (i = 1; i < of->symbol_count; i++) {
        if (!elf_symbol_at(of, i, &s) || s.name_size != 6 || memcmp(s.name, "ptrace", 6) != 0) continue;
        if (s.section == ELF_UNDEFINED || linked) return 1;
    }
    return 0;
}

/* A file of the process at hand is newly mapped as code. */
void rec_look_for_ptrace(recorder *r, const char *path)
{
    elf_image image;
    size_t size;
    void *data = r->o.exact || r->calls_ptrace ? NULL : rec_open_mapped(r->pid, path, &image, &size);
    if (data == NULL) return;
    r->calls_ptrace = rec_calls_ptrace(&image);
    munmap(data, size);
}

/* Where the program of a process begins, behind the dynamic loader; 0 if that is not known. */
uint64_t rec_entry_of(pid_t pid)
{
    uint64_t pair[2], entry = 0;
    char name[64];
    FILE *f;
    snprintf(name, sizeof name, "/proc/%ld/auxv", (long)pid);
    f = fopen(name, "re");
    while (f != NULL && fread(pair, sizeof pair, 1, f) == 1) {
        if (pair[0] == 9) entry = pair[1];                 /* AT_ENTRY */
    }
    if (f != NULL) fclose(f);
    return entry;
}

/* All files of the program that the thread is in are mapped: its system calls are stops only if it calls ptrace. */
static void rec_end_of_loading(rec_watch *w, rec_thread *t)
{
    t->loader_end = 0;
    if (!rec_enter(w, t)) return;
    rec_load_maps(w->r);
    t->watched = w->r->calls_ptrace;
}

/* A thread stands where another program begins, behind exec, in the dynamic loader if there is one. */
void rec_watch_entry(rec_watch *w, rec_thread *t)
{
    struct user_regs_struct regs;
    const rec_map *m;
    if (ptrace(PTRACE_GETREGS, t->tid, NULL, &regs) != 0 || regs.cs != 0x33) return;
    rec_end_of_loading(w, t);
    m = rec_map_of(w->r, regs.rip);
    if (m == NULL || regs.rip == rec_entry_of(t->process)) return;
    t->loader_begin = m->begin;
    t->loader_end = m->end;
    t->watched = 1;
}

static int rec_is_in_loader(const rec_thread *t, uint64_t address)
{
    return address >= t->loader_begin && address < t->loader_end;
}

/* A burst has ended; of the process at hand more may be known than before. */
void rec_watch_behind_burst(rec_watch *w, rec_thread *t)
{
    const recorder *r = w->r;
    if (r->gone || r->late || rec_is_in_loader(t, r->regs.rip)) return;
    if (t->loader_end != 0) rec_end_of_loading(w, t);
    else t->watched = t->watched || r->calls_ptrace;
}

/* ----- calls of ptrace ----- */

/* Lets a thread that stands go, with a signal or 0; what its clock has sent must come before. */
static void rec_let_go_of(rec_watch *w, rec_thread *t, int signal)
{
    recorder *r = w->r;
    int status = 0;
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

/* Another thread is to have another tracer: it is stopped and let go. Any other stop takes the place of the one asked for. */
static void rec_let_go_other(rec_watch *w, pid_t tid)
{
    const double end = rec_seconds() + REC_LETS_GO;
    rec_thread *t = rec_find_thread(w, tid);
    int asked = 0;
    rec_clock_close(t);
    while ((t = rec_find_thread(w, tid)) != NULL && rec_seconds() < end) {
        int status = 0;
        if (!asked) asked = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
        if (!rec_take_stop(w->r->stops, &w->r->stop_count, tid, &status)) {
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
void rec_on_system_call(rec_watch *w, rec_thread *t)
{
    const pid_t tid = t->tid;
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0) {
        const int entry = (int64_t)regs.rax == -ENOSYS;    /* what the kernel has there, as it is not done yet */
        if (!entry) rec_begin_call_anew(t, 0);             /* the stop that ended it may be none any more */
        if (t->loader_end != 0 && !rec_is_in_loader(t, regs.rip)) rec_end_of_loading(w, t);
        if (entry && regs.orig_rax == SYS_ptrace && regs.cs == 0x33 && !rec_on_ptrace(w, t, &regs)) return;
    }
    t = rec_find_thread(w, tid);
    if (t != NULL) rec_go_on(t, 0);
}

#endif
