/* record_tracer.c - bursts: programs that use ptrace themselves
 *
 * A thread has one tracer, so a program's own calls of ptrace would fail while the recorder is the tracer. Therefore
 * threads of programs that call it have a breakpoint at the function `ptrace` of their C library (debug register):
 * nothing in memory is changed for it, and it costs nothing until it is reached. A program calls ptrace if one of its
 * files imports that function, or is statically linked with it and has symbols. The recorder looks for it where the
 * program begins, when the dynamic loader has mapped its files, and again where a burst finds new files.
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

enum { REC_DEBUG = offsetof(struct user, u_debugreg), REC_CONTROL = REC_DEBUG + 7 * sizeof(long) };
enum { REC_LETS_GO = 10 };        /* seconds that a thread may take to stop */

/* ----- where ptrace is ----- */

/* The address at which this byte of the mapped file runs, or 0. */
static uint64_t rec_place_of(const elf_image *e, const rec_map *m, uint64_t value)
{
    elf_segment s;
    uint32_t i;
    for (i = 0; i < e->segment_count; i++) {
        uint64_t at;
        if (!elf_segment_at(e, i, &s) || s.type != ELF_LOAD || value < s.address || value - s.address >= s.file_size) {
            continue;
        }
        at = value - s.address + s.offset;
        return at >= m->offset && at - m->offset < m->end - m->begin ? m->begin + (at - m->offset) : 0;
    }
    return 0;
}

static int rec_is_c_library(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    return strncmp(name, "libc.", 5) == 0 || strncmp(name, "libc-", 5) == 0 || strncmp(name, "ld-musl", 7) == 0;
}

/* Looks for ptrace in the symbols of a mapped file: whether it is called there, and where it is. */
static void rec_search_symbols(recorder *r, const elf_image *e, const rec_map *m, const char *path)
{
    const elf_image dynamic = elf_dynamic(e);
    const int linked = dynamic.symbol_count <= 1;          /* with all it calls */
    const elf_image *of = linked ? e : &dynamic;
    elf_section names;
    elf_symbol s;
    uint32_t i;
    if (!elf_section_named(e, linked ? ".strtab" : ".dynstr", &names) || names.contents == NULL ||
        memmem(names.contents, (size_t)names.size, "ptrace", 7) == NULL) return;
    for (i = 1; i < of->symbol_count; i++) {
        uint64_t place;
        if (!elf_symbol_at(of, i, &s) || s.name_size != 6 || memcmp(s.name, "ptrace", 6) != 0) continue;
        if (s.section == ELF_UNDEFINED || linked) r->calls_ptrace = 1;
        place = s.section != ELF_UNDEFINED ? rec_place_of(e, m, s.value) : 0;
        if (place != 0 && (r->ptrace_at == 0 || rec_is_c_library(path))) r->ptrace_at = place;
    }
}

/* A file of the process at hand is newly mapped as code. */
void rec_look_for_ptrace(recorder *r, const rec_map *m, const char *path)
{
    elf_image image;
    size_t size;
    void *data = r->o.exact ? NULL : rec_open_mapped(r->pid, path, &image, &size);
    if (data == NULL) return;
    rec_search_symbols(r, &image, m, path);
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

/* ----- the breakpoint ----- */

/* Puts the breakpoint of a thread that stands at address; 0: takes it away. */
void rec_watch_at(rec_watch *w, rec_thread *t, uint64_t address)
{
    const uint64_t bit = REC_WATCHES;
    if (t->watched == address) return;
    if (address != 0 ? ptrace(PTRACE_POKEUSER, t->tid, (void *)(REC_DEBUG + sizeof(long)), (void *)address) == 0 &&
                       ptrace(PTRACE_POKEUSER, t->tid, (void *)REC_CONTROL, (void *)bit) == 0
                     : ptrace(PTRACE_POKEUSER, t->tid, (void *)REC_CONTROL, NULL) == 0) {
        t->watched = address;
    } else if (errno != ESRCH && !w->no_debug) {
        w->no_debug = 1;
        warn(w->r->tool, "no debug registers here (%s): the program's own ptrace may fail", strerror(errno));
    }
}

/* A thread stands where another program begins, behind exec: it will stop when its files are mapped. */
void rec_watch_entry(rec_watch *w, rec_thread *t)
{
    const int64_t trap = (int64_t)1 << (SIGTRAP - 1);
    struct user_regs_struct regs;
    t->watched = 0;                                        /* exec has taken it away */
    if (ptrace(PTRACE_GETREGS, t->tid, NULL, &regs) != 0 || regs.cs != 0x33) return;
    if (((rec_status(t->tid, "SigIgn", 16) | rec_status(t->tid, "SigBlk", 16)) & trap) != 0) return;   /* lost */
    rec_watch_at(w, t, rec_entry_of(t->process));
    t->begins = t->watched != 0;
}

/* A thread stands at the beginning of a burst; of the process at hand more may be known than at its last one. */
void rec_watch_in_burst(rec_watch *w, rec_thread *t)
{
    if (t->watched == 0 && w->r->calls_ptrace) rec_watch_at(w, t, w->r->ptrace_at);
    w->r->watched = t->watched;
}

/* Whether the SIGTRAP that the thread stands before is that of the breakpoint. */
int rec_is_at_watch(pid_t tid, uint64_t watched)
{
    const size_t ip = offsetof(struct user, regs.rip);
    siginfo_t info;
    if (watched == 0 || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0 || info.si_code != TRAP_HWBKPT) return 0;
    return (uint64_t)ptrace(PTRACE_PEEKUSER, tid, (void *)ip, NULL) == watched;
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
        if (signal == SIGSTOP ? rec_clock_rang(t) : rec_is_at_watch(t->tid, t->watched)) signal = 0;
    }
    rec_watch_at(w, t, 0);
    ptrace(PTRACE_DETACH, t->tid, NULL, (void *)(uintptr_t)signal);
    if (!t->apart) rec_put_task(r, PERF_RECORD_EXIT, t->process, t->tid, t->process);
    r->released += !t->apart;
    rec_remove_thread(w, t);
}

/* Another thread is to have another tracer: it is stopped and let go. */
static void rec_let_go_other(rec_watch *w, pid_t tid)
{
    const double end = rec_seconds() + REC_LETS_GO;
    rec_thread *t = rec_find_thread(w, tid);
    rec_clock_close(t);
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    while ((t = rec_find_thread(w, tid)) != NULL && rec_seconds() < end) {
        int status = 0;
        if (!rec_take_stop(w->r->stops, &w->r->stop_count, tid, &status)) {
            const pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
            if (got == 0) rec_doze(w);
            if (got < 0 && errno != EINTR) return;
            if (got <= 0) continue;
        }
        if (!WIFSTOPPED(status) || status >> 16 != PTRACE_EVENT_STOP) {
            rec_on_stop(w, tid, status);
            continue;
        }
        if (!t->listens && WSTOPSIG(status) == SIGTRAP) rec_begin_call_anew(t, 0);
        rec_let_go_of(w, t, 0);
    }
}

/* Has the function at whose beginning the thread stands return 0. */
static void rec_return_zero(pid_t tid, struct user_regs_struct *regs)
{
    errno = 0;
    regs->rip = (unsigned long long)ptrace(PTRACE_PEEKDATA, tid, (void *)(uintptr_t)regs->rsp, NULL);
    if (errno != 0) return;
    regs->rsp += 8;
    regs->rax = 0;
    ptrace(PTRACE_SETREGS, tid, NULL, regs);
}

/* A thread is about to call ptrace. Returns 0 if it is not recorded any more. */
static int rec_on_ptrace(rec_watch *w, rec_thread *t)
{
    const int launched = w->r->o.pid == 0 && t->process == w->first;
    const pid_t tid = t->tid, process = t->process;
    struct user_regs_struct regs;
    const rec_thread *other;
    if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0) return 1;
    switch (regs.rdi) {
    case PTRACE_TRACEME:
        if (!launched) {
            rec_let_go_of(w, t, 0);
            return 0;
        }
        if (!t->pretends) rec_return_zero(tid, &regs);
        t->pretends = 1;
        return 1;
    case PTRACE_ATTACH:
    case PTRACE_SEIZE:
        other = rec_find_thread(w, (pid_t)regs.rsi);
        if (other != NULL && other->process != process) rec_let_go_other(w, other->tid);
        return 1;
    default:
        return 1;
    }
}

/* A thread stands at its breakpoint. */
void rec_on_watch(rec_watch *w, rec_thread *t)
{
    const pid_t tid = t->tid;
    if (t->begins && rec_enter(w, t)) {
        w->r->pid = tid;
        rec_load_maps(w->r);
        t->begins = 0;
        rec_watch_at(w, t, w->r->calls_ptrace ? w->r->ptrace_at : 0);
    } else if (!rec_on_ptrace(w, t)) {
        return;
    }
    ptrace(PTRACE_CONT, tid, NULL, NULL);
}

#endif
