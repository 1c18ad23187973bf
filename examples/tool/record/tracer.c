/* tracer.c - bursts: programs that use ptrace themselves, and so stop at each system call
 *
 * A thread has one tracer, so a program's own calls of ptrace would fail while the recorder is the tracer. So the
 * threads of programs that call it stop at each system call, until the program has ended; watch.c has what is done at a
 * call of ptrace. A program calls ptrace if one of its files imports that function, or is statically linked with it and
 * has symbols (proc.c). The recorder looks for it when the dynamic loader has mapped the program's files, and again
 * where a burst finds new files; until then, the loader's own system calls are stops, too.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

/* All files of the program that the thread is in are mapped: its system calls are stops only if it calls ptrace. */
void rec_end_of_loading(rec_watch *w, rec_thread *t)
{
    t->loader_end = 0;
    if (!rec_enter(w, t)) return;
    rec_load_maps(w->r);
    t->watched = w->r->space.calls_ptrace;
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

int rec_is_in_loader(const rec_thread *t, uint64_t address)
{
    return address >= t->loader_begin && address < t->loader_end;
}

/* A burst has ended; of the process at hand more may be known than before. */
void rec_watch_behind_burst(rec_watch *w, rec_thread *t)
{
    const recorder *r = w->r;
    if (r->gone || r->burst.late || rec_is_in_loader(t, r->regs.rip)) return;
    if (t->loader_end != 0) rec_end_of_loading(w, t);
    else t->watched = t->watched || r->space.calls_ptrace;
}

#endif
