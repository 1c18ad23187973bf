/* window.c - windows: now and then a process of one thread counts by itself how often some instructions run
 *
 * Bursts tell what runs beside what, but how often a phase's code runs they know by its time only, as far as they do not
 * see the phase begin and end. So between some bursts, picked at random, code is patched: a few instructions that bursts
 * saw often are jumps to trampolines (window_code.c) that count. The next burst ends the window: the code is put back,
 * and a thread that is in a trampoline is set to the same place of its own code. What the counts are worth says
 * window_weigh.c.
 *
 * The program keeps two pages for each part of its code, even behind the recording: a thread whose registers a signal
 * handler has saved may still go there. A signal's handler finds the thread where it would be without the window.
 * A window ends when the process makes another one, whose code is put back, too, or a thread. There are no windows in a
 * process that has several threads, may call ptrace, filters system calls or has restartable sequences, and none in code
 * that is not a file's.
 */
#include "window.h"

#if defined(REC_SOFTWARE)

enum { REC_WINDOW_EVERY = 4 };    /* of so many bursts one has a window behind it, on average */
#define REC_BY_COUNTING 0.8e-9    /* seconds that a thread needs to count */
#define REC_COUNTING_PART 0.04    /* of the part of the threads' time that recording may take, at most, for counting */

/* ----- memory of the process ---------------------------------------------------------------------------------- */

/* A system call mmap, by the thread at hand, of a page at `at`. Returns 0 where there is none. */
static int rec_map_page(recorder *r, uint64_t call, uint64_t at, int access, int *stopped)
{
    const uint64_t operands[6] = { at, REC_PAGE, (uint64_t)access, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, UINT64_MAX, 0 };
    struct user_regs_struct behind;
    return rec_call(r, call, SYS_mmap, operands, stopped) && ptrace(PTRACE_GETREGS, r->pid, NULL, &behind) == 0 &&
           behind.rax == at;                               /* 0x100000: MAP_FIXED_NOREPLACE                          */
}

/* Maps a page of trampolines at an address, and one of values behind it. The thread stands as before, no signal lost. */
static int rec_map_pages(recorder *r, uint64_t at, int values)
{
    const uint64_t call = rec_find_syscall(r);
    uint64_t mask = 0, all = UINT64_MAX;
    int stopped = 0, ok;
    rec_get_regs(r);
    if (call == 0 || rec_status(r->pid, "Seccomp", 10) != 0) return 0;
    if (ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof mask, &mask) != 0) return 0;
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof all, &all);
    ok = rec_map_page(r, call, at, PROT_READ | PROT_EXEC, &stopped) &&
         (!values || rec_map_page(r, call, at + REC_PAGE, PROT_READ | PROT_WRITE, &stopped));
    if (r->gone) return 0;
    ptrace(PTRACE_SETREGS, r->pid, NULL, &r->regs);
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
    if (stopped) syscall(SYS_tgkill, r->process, r->pid, SIGSTOP);
    return ok;
}

static int rec_is_near(uint64_t a, uint64_t b)
{
    const uint64_t far = (uint64_t)1 << 30;
    return a - b < far || b - a < far;
}

/*
 * A free place near an address, but not close below what is mapped, where libraries would be mapped next. A stack may
 * want what is below it.
 */
static uint64_t rec_free_place(recorder *r, uint64_t near)
{
    const uint64_t apart = 64 << 20;
    uint64_t end = 1 << 16, best = 0;
    size_t i;
    for (i = 0; i < r->space.map_count; end = r->space.maps[i++].end) {
        const rec_map *m = &r->space.maps[i];
        const uint64_t room = m->begin > end ? m->begin - end : 0;
        const uint64_t at = (m->begin - (room / 2 < apart ? room / 2 : apart)) & ~(uint64_t)(REC_PAGE - 1);
        if (m->begin >> 47 != 0 || (m->begin <= r->regs.rsp && r->regs.rsp < m->end)) continue;
        if (room >= 64 * REC_PAGE && rec_is_near(at, near)) best = at;
    }
    return best;
}

/* An area near an address that has room, or NULL. */
static rec_area *rec_area_near(recorder *r, uint64_t address)
{
    rec_windows *w = r->windows;
    uint64_t at;
    size_t i;
    for (i = 0; i < w->areas; i++) {
        rec_area *a = &w->area[i];
        if (rec_is_near(a->code, address) && a->used < REC_PAGE / REC_TRAMPOLINE) return a;
    }
    if (w->areas == REC_AREAS) return NULL;
    rec_load_maps(r);
    rec_get_regs(r);
    at = rec_free_place(r, address);
    if (at == 0 || !rec_map_pages(r, at, 1)) return NULL;
    w->area[w->areas].code = at;
    w->area[w->areas].values = at + REC_PAGE;
    w->area[w->areas].used = 0;
    return &w->area[w->areas++];
}

/* Whether windows may patch code there: a file's, which is mapped for this process alone and not to be written to. */
static int rec_is_file_code(recorder *r, uint64_t address)
{
    const rec_map *m = rec_map_of(r, address);
    return m != NULL && m->inode != 0 && m->access[1] != 'w' && m->access[2] == 'x' && m->access[3] == 'p';
}

/* Whether a trampoline can be there: in one page, and none is yet. */
static int rec_is_free_slot(const rec_windows *w, uint64_t slot)
{
    size_t i;
    for (i = 0; i < w->counters; i++) if (slot - w->counter[i].slot + REC_TRAMPOLINE < 2 * REC_TRAMPOLINE) return 0;
    return slot % REC_PAGE <= REC_PAGE - REC_TRAMPOLINE;
}

/* The trampoline of a jump that must lead to one of `span` addresses from `to` on; 0: it cannot be. */
static uint64_t rec_slot_there(recorder *r, uint64_t to, uint64_t span)
{
    rec_windows *w = r->windows;
    uint64_t tries;
    for (tries = 0; tries < 16; tries++) {
        const uint64_t slot = to + (span >> 4) * tries + (span >> 5), page = slot & ~(uint64_t)(REC_PAGE - 1);
        const rec_map *m = rec_find_map(r, page);
        size_t i;
        if (!rec_is_free_slot(w, slot)) continue;
        for (i = 0; i < w->pages && w->page[i] != page; i++) { }
        if (i < w->pages) return slot;
        if (w->pages == REC_COUNTERS || (m != NULL && m->begin < page + REC_PAGE)) continue;
        if (!rec_map_pages(r, page, 0)) return 0;
        w->page[w->pages++] = page;
        return slot;
    }
    return 0;
}

/* The process at hand is to count at an instruction. Returns 0 if it cannot. */
int rec_add_counter(recorder *r, uint64_t address)
{
    rec_windows *w = r->windows;
    rec_counter *c = &w->counter[w->counters];
    unsigned char trampoline[REC_TRAMPOLINE], code[REC_INSN];
    uint64_t slot, to, span;
    rec_area *a;
    size_t i;
    for (i = 0; i < w->counters; i++) {
        if (address + REC_INSN >= w->counter[i].address && w->counter[i].address + REC_INSN >= address) return 0;
    }
    if (w->counters == REC_COUNTERS || !rec_is_file_code(r, address)) return 0;
    a = rec_area_near(r, address);
    if (a == NULL) return 0;
    memset(c, 0, sizeof *c);
    c->address = address;
    c->area = (uint32_t)(a - w->area);
    c->index = a->used;
    slot = a->code + a->used * REC_TRAMPOLINE;
    if (rec_fetch_code(r, address, code) != REC_INSN) return 0;
    to = rec_punned(address, rec_size_at(r, address), code, &span, &c->prefixes);
    if (to != 0) slot = rec_slot_there(r, to, span);
    if (slot == 0 || !rec_make_counter(r, c, slot, a->values + a->used * 8, trampoline)) return 0;
    if (pwrite(w->memory, trampoline, sizeof trampoline, (off_t)c->slot) != sizeof trampoline) return 0;
    a->used++;
    w->counters++;
    return 1;
}

/* ----- patching ------------------------------------------------------------------------------------------------- */

/* Puts the jump of a counter, or what was there, in the memory behind `memory` if the other one is there. */
static int rec_patch(const rec_counter *c, int memory, int jump)
{
    const unsigned char *const is = jump ? c->code : c->jump, *const to = jump ? c->jump : c->code;
    const size_t size = c->size < REC_JUMP ? c->size : REC_JUMP, all = c->jump_size;
    unsigned char found[REC_INSN];
    return pread(memory, found, all, (off_t)c->address) == (ssize_t)all && memcmp(found, is, all) == 0 &&
           pwrite(memory, to, size, (off_t)c->address) == (ssize_t)size;
}

static void rec_put_code_back(const rec_windows *w, int memory)
{
    size_t i;
    for (i = 0; i < w->counters; i++) if (w->counter[i].planted) rec_patch(&w->counter[i], memory, 0);
}

/* A thread that is in a trampoline is to stand at the same place of the program's own code. */
static void rec_leave_trampoline(const rec_windows *w, pid_t tid)
{
    const size_t at = offsetof(struct user, regs.rip);
    uint64_t pc;
    size_t i;
    errno = 0;
    pc = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, (void *)at, NULL);
    if (errno != 0) return;
    for (i = 0; i < w->counters; i++) {
        const rec_counter *c = &w->counter[i];
        if (pc - c->slot >= REC_TRAMPOLINE) continue;
        ptrace(PTRACE_POKEUSER, tid, (void *)at, (void *)(uintptr_t)rec_behind_counter(c, pc));
    }
}

/* Reads what the counters have counted since this was last done, into *count each if that is not NULL. */
static void rec_read_counters(rec_windows *w, double *count)
{
    uint64_t values[REC_PAGE / 8];
    size_t i, k;
    for (i = 0; i < w->areas; i++) {
        const rec_area *a = &w->area[i];
        if (pread(w->memory, values, sizeof values, (off_t)a->values) != sizeof values) continue;
        for (k = 0; k < w->counters; k++) {
            rec_counter *c = &w->counter[k];
            if (c->area != i) continue;
            if (count != NULL) count[k] = (double)(values[c->index] - c->value);
            c->value = values[c->index];
        }
    }
}

/* ----- windows -------------------------------------------------------------------------------------------------- */

/* The process is to be counted in from here on. */
static void rec_take_process(recorder *r, pid_t process)
{
    rec_windows *w = r->windows;
    char name[64];
    w->process = process;
    snprintf(name, sizeof name, "/proc/%ld/mem", (long)process);
    w->memory = open(name, O_RDWR | O_CLOEXEC);
    if (w->memory < 0) w->off = 1;
}

void rec_windows_begin(recorder *r, pid_t process)
{
    if (!r->o.counting) return;
    r->windows = (rec_windows *)calloc(1, sizeof *r->windows);
    if (r->windows == NULL) rec_die(r->tool, "out of memory");
    r->windows->memory = -1;
    rec_take_process(r, process);
}

void rec_windows_free(recorder *r)
{
    rec_windows *w = r->windows;
    if (w == NULL) return;
    if (w->memory >= 0) close(w->memory);
    free(w->range);
    free(w->slot);
    free(w->run);
    free(w->seen);
    free(w->window);
    free(w->count);
    free(w);
    r->windows = NULL;
}

static void rec_open_window(rec_windows *w, const rec_thread *t)
{
    size_t i;
    rec_read_counters(w, NULL);
    for (i = 0; i < w->counters; i++) {
        rec_counter *c = &w->counter[i];
        if (!c->dead) c->planted = (uint8_t)rec_patch(c, w->memory, 1);
        if (!c->planted) c->dead = 1;
    }
    w->on = 1;
    w->tid = t->tid;
    w->open.before = w->bursts - 1;
    w->open.time = (double)t->interval;
}

/* The thread stands behind a burst, alone in its process: a window may begin that ends with its next burst. */
void rec_window_begin(recorder *r, const rec_thread *t, int alone)
{
    rec_windows *w = r->windows;
    double began;
    if (w == NULL || w->off || w->on) return;
    w->allowed += (double)t->interval * 1e-9 * (double)r->o.overhead / 100 * REC_COUNTING_PART;
    if (w->process != t->process || !alone || t->event < 0 || t->watched || t->loader_end != 0) return;
    if (r->space.calls_ptrace || r->space.restarts) return;
    began = rec_cpu_seconds();
    if (w->bursts >= w->next) rec_choose_counters(r);
    if (w->counters != 0 && w->bursts != 0 && rec_next_random(r) % REC_WINDOW_EVERY == 0 && w->spent < w->allowed &&
        rec_status(w->process, "Threads", 10) == 1) rec_open_window(w, t);
    w->spent += rec_cpu_seconds() - began;
}

/*
 * The thread of the window stands: the code is put back. in_time: it stands for the burst that is to end it; otherwise
 * nobody knows how long the window was.
 */
void rec_window_end(recorder *r, pid_t tid, int in_time)
{
    rec_windows *w = r->windows;
    double began, all = 0;
    size_t i;
    if (w == NULL || w->tid != tid) return;
    w->closed = 0;
    if (!w->on) return;
    began = rec_cpu_seconds();
    rec_put_code_back(w, w->memory);
    rec_leave_trampoline(w, tid);
    for (i = 0; i < w->counters; i++) w->counter[i].planted = 0;
    w->on = 0;
    w->closed = in_time && w->open.before < w->bursts;
    w->count = (double *)rec_more(r, w->count, w->counts + REC_COUNTERS, &w->count_room, sizeof *w->count);
    rec_read_counters(w, w->count + w->counts);
    w->open.first = w->counts;
    w->open.counters = w->counters;
    for (i = 0; i < w->counters; i++) all += w->count[w->counts + i];
    w->spent += rec_cpu_seconds() - began + all * REC_BY_COUNTING;
}

/* Signals that tell where an instruction failed say where it is without the window. */
static void rec_correct_signal(const rec_windows *w, pid_t tid)
{
    siginfo_t info;
    uint64_t at;
    size_t i;
    if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0 || info.si_code <= 0) return;
    if (info.si_signo != SIGFPE && info.si_signo != SIGILL) return;
    at = (uint64_t)(uintptr_t)info.si_addr;
    for (i = 0; i < w->counters; i++) {
        if (at - w->counter[i].slot >= REC_TRAMPOLINE) continue;
        info.si_addr = (void *)(uintptr_t)w->counter[i].address;
        ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
    }
}

/* The thread stands before a signal, whose handler will see its registers. */
void rec_window_signal(const recorder *r, pid_t tid)
{
    const rec_windows *w = r->windows;
    if (w == NULL || !w->on || w->tid != tid) return;
    rec_correct_signal(w, tid);
    rec_leave_trampoline(w, tid);
}

/* A process was made, perhaps by that of the window, with a memory of its own. It stands. */
void rec_window_of_child(const recorder *r, pid_t child)
{
    const rec_windows *w = r->windows;
    char name[64];
    int memory;
    size_t i;
    if (w == NULL || w->counters == 0) return;
    snprintf(name, sizeof name, "/proc/%ld/mem", (long)child);
    memory = open(name, O_RDWR | O_CLOEXEC);
    for (i = 0; memory >= 0 && i < w->counters; i++) rec_patch(&w->counter[i], memory, 0);
    if (memory >= 0) close(memory);
    rec_leave_trampoline(w, child);
}

/* The process has ended, or runs another program, of which nothing is known. */
void rec_window_forget(recorder *r, pid_t process, int exec)
{
    rec_windows *w = r->windows;
    if (w == NULL || w->process != process) return;
    w->on = w->closed = 0;
    w->off = 1;
    if (w->memory >= 0) close(w->memory);
    w->memory = -1;
    if (!exec) return;
    rec_window_flush(r);
    w->counters = w->areas = w->pages = w->next = 0;
    w->ranges = w->off = 0;
    if (w->slots != 0) memset(w->slot, 0, w->slots * sizeof *w->slot);
    rec_take_process(r, process);
}

/* Whether the code of a thread is patched, and which thread it is. */
pid_t rec_window_thread(const recorder *r)
{
    return r->windows != NULL && r->windows->on ? r->windows->tid : 0;
}

/* The recorder's own pages in the program. */
int rec_is_window_page(const recorder *r, uint64_t address)
{
    const rec_windows *w = r->windows;
    size_t i;
    for (i = 0; w != NULL && i < w->areas; i++) if (address - w->area[i].code < 2 * REC_PAGE) return 1;
    for (i = 0; w != NULL && i < w->pages; i++) if (address - w->page[i] < REC_PAGE) return 1;
    return 0;
}

#endif
