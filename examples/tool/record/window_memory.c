/* window_memory.c - windows: trampolines and jumps in the memory of the process */
#include "window.h"

#if defined(REC_SOFTWARE)

#define REC_MARK UINT64_C(0x73776f646e697763)  /* at the end of a page of values */

/* A system call mmap, by the thread at hand, of a page at `at`. Returns 0 where there is none. */
static int rec_map_page(recorder *r, uint64_t call, uint64_t at, int access, int *stopped)
{
    const uint64_t how = MAP_PRIVATE | MAP_ANONYMOUS | 0x100000;   /* MAP_FIXED_NOREPLACE                            */
    const uint64_t operands[6] = { at, REC_PAGE, (uint64_t)access, how, UINT64_MAX, 0 };
    struct user_regs_struct behind;
    return rec_call(r, call, SYS_mmap, operands, stopped) && ptrace(PTRACE_GETREGS, r->pid, NULL, &behind) == 0 &&
           behind.rax == at;
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

/* Whether a file is mapped above an address. Below the stack of the first thread, which may grow, none is. */
static int rec_is_below_file(const recorder *r, uint64_t address)
{
    size_t i;
    for (i = r->space.map_count; i-- > 0 && r->space.maps[i].begin > address;) if (r->space.maps[i].inode != 0) return 1;
    return 0;
}

/*
 * A free place near an address, but not close below what is mapped, where libraries would be mapped next.
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
        if (room >= 64 * REC_PAGE && rec_is_below_file(r, at) && rec_is_near(at, near)) best = at;
    }
    return best;
}

/* An area near an address that has room, or NULL. */
static rec_area *rec_area_near(recorder *r, uint64_t address)
{
    const uint64_t mark = REC_MARK;
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
    if (pwrite(w->memory, &mark, sizeof mark, (off_t)at + 2 * REC_PAGE - 8) != sizeof mark) return NULL;
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
        if (!rec_is_below_file(r, page)) continue;
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
    unsigned char code[REC_INSN];
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
    if (slot == 0 || !rec_make_counter(r, c, slot, a->values + a->used * 8)) return 0;
    if (pwrite(w->memory, c->trampoline, REC_TRAMPOLINE, (off_t)c->slot) != REC_TRAMPOLINE) return 0;
    a->used++;
    w->counters++;
    return 1;
}

/* ----- patching ------------------------------------------------------------------------------------------------- */

/* Puts the jump of a counter, or what was there, in the memory behind `memory` if the other one is there. */
int rec_patch(const rec_counter *c, int memory, int jump)
{
    const unsigned char *const is = jump ? c->code : c->jump, *const to = jump ? c->jump : c->code;
    const size_t size = c->size < REC_JUMP ? c->size : REC_JUMP, all = c->jump_size;
    unsigned char found[REC_INSN];
    return pread(memory, found, all, (off_t)c->address) == (ssize_t)all && memcmp(found, is, all) == 0 &&
           pwrite(memory, to, size, (off_t)c->address) == (ssize_t)size;
}

/* Whether nothing else was mapped where the trampolines and their values are. */
int rec_is_intact(const rec_windows *w)
{
    unsigned char found[REC_TRAMPOLINE];
    uint64_t mark;
    size_t i;
    for (i = 0; i < w->areas; i++) {
        const off_t at = (off_t)w->area[i].values + REC_PAGE - 8;
        if (pread(w->memory, &mark, sizeof mark, at) != sizeof mark || mark != REC_MARK) return 0;
    }
    for (i = 0; i < w->counters; i++) {
        const rec_counter *c = &w->counter[i];
        if (pread(w->memory, found, sizeof found, (off_t)c->slot) != sizeof found) return 0;
        if (memcmp(found, c->trampoline, sizeof found) != 0) return 0;
    }
    return 1;
}

/* Reads what the counters have counted since this was last done, into *count each if that is not NULL. */
void rec_read_counters(rec_windows *w, double *count)
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

#endif
