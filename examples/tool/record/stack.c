/* stack.c - the calls that are open in the thread that is followed */
#include "record.h"

#if defined(REC_SOFTWARE)

/* The end of the mapping that the stack pointer is in; a growing stack ends where it did. */
uint64_t rec_stack_of(recorder *r, uint64_t sp)
{
    const rec_map *m;
    if (sp < r->calls.end && sp >= r->calls.begin) return r->calls.end;
    m = rec_find_map(r, sp);
    r->calls.end = m != NULL ? m->end : UINT64_MAX;
    r->calls.begin = m != NULL && m->begin < sp ? m->begin : sp;
    return r->calls.end;
}

/* Drops the calls that are over: those below the stack pointer, and those on other stacks since left. */
void rec_settle(recorder *r, uint64_t sp)
{
    const uint64_t before = r->calls.end, stack = rec_stack_of(r, sp);
    size_t n = r->calls.count;
    if (stack != before) {                                 /* back on a stack that has open calls below? */
        while (n > 0 && !(r->calls.frames[n - 1].stack == stack && r->calls.frames[n - 1].slot >= sp)) n--;
        if (n > 0) r->calls.count = n;
    }
    while (r->calls.count > 0 && r->calls.frames[r->calls.count - 1].stack == stack &&
           r->calls.frames[r->calls.count - 1].slot < sp) r->calls.count--;
}

void rec_push_frame(recorder *r, uint64_t back, uint64_t slot)
{
    rec_settle(r, slot + 8);
    if (r->calls.count == r->calls.room) {
        const size_t more = r->calls.room != 0 ? 2 * r->calls.room : 256;
        rec_frame *grown = (rec_frame *)realloc(r->calls.frames, more * sizeof *grown);
        if (grown == NULL) rec_die(r->tool, "out of memory");
        r->calls.frames = grown;
        r->calls.room = more;
    }
    r->calls.frames[r->calls.count].back = back;
    r->calls.frames[r->calls.count].slot = slot;
    r->calls.frames[r->calls.count++].stack = r->calls.end;
}

/* ----- where following begins: as far as frame pointers lead ------------------------------------------------------ */

/* Opens the n innermost calls and those that called them, as far as frame pointers lead above `below`. */
static void rec_push_callers(recorder *r, uint64_t *slots, uint64_t *backs, size_t n, uint64_t below)
{
    uint64_t pair[2], frame = r->regs.rbp;                 /* saved frame pointer, return address */
    while (n < REC_STACK && frame > below && frame < r->calls.end - 16 && rec_read(r, frame, pair, sizeof pair) &&
           rec_is_code(r, pair[1])) {
        below = slots[n] = frame + 8;
        backs[n++] = pair[1];
        frame = pair[0];
    }
    while (n-- > 0) rec_push_frame(r, backs[n], slots[n]);
}

/* The calls that are open where recording begins; the program is at an entry. */
void rec_find_callers(recorder *r)
{
    uint64_t slots[REC_STACK], backs[REC_STACK];
    r->calls.begin = r->calls.end = 0;
    rec_stack_of(r, r->regs.rsp);
    slots[0] = r->regs.rsp;
    if (rec_read(r, slots[0], &backs[0], 8)) rec_push_callers(r, slots, backs, 1, slots[0]);
}

/* Where the return address is if the thread stands at the beginning or the end of a function, else 0. */
static uint64_t rec_bare_return(recorder *r)
{
    unsigned char code[REC_INSN], before = 0;
    const size_t n = rec_fetch(r, r->regs.rip, code);
    if (n < 4) return 0;
    if (code[0] == 0x55 || code[0] == 0xc3 || memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0) return r->regs.rsp;
    if (memcmp(code, "\x48\x89\xe5", 3) != 0) return 0;
    if (!rec_read(r, r->regs.rip - 1, &before, 1)) return 0;
    return before == 0x55 ? r->regs.rsp + 8 : 0;
}

/* The calls that are open where the burst begins, with the one that has no frame pointer yet. */
void rec_begin_stack(recorder *r)
{
    uint64_t slots[REC_STACK], backs[REC_STACK], below;
    size_t n = 0;
    r->calls.count = 0;
    r->calls.begin = r->calls.end = 0;
    rec_stack_of(r, r->regs.rsp);
    below = rec_bare_return(r);
    if (below != 0 && rec_read(r, below, &backs[0], 8) && rec_is_code(r, backs[0])) slots[n++] = below;
    else below = r->regs.rsp - 8;
    rec_push_callers(r, slots, backs, n, below);
}

/* ----- the call stack of a sample --------------------------------------------------------------------------------- */

/* The call stack from frame pointers, as the kernel walks it. */
static size_t rec_walk_frame_pointers(const recorder *r, uint64_t *stack, size_t room)
{
    uint64_t pair[2], frame = r->regs.rbp;                 /* saved frame pointer, return address */
    size_t n = 0;
    while (n < room && frame != 0 && rec_read(r, frame, pair, sizeof pair)) {
        stack[n++] = pair[1];
        frame = pair[0];
    }
    return n;
}

/* The call stack from the open calls, those left out whose return address is not where it was put. */
static size_t rec_walk_frames(const recorder *r, uint64_t *stack, size_t room)
{
    struct iovec local[REC_STACK], remote[REC_STACK];
    uint64_t found[REC_STACK];
    size_t left = r->calls.count, n = 0, i, batch;
    for (; left > 0 && n < room && rec_is_ahead(r); left--) {
        const rec_frame *f = &r->calls.frames[left - 1];
        if (rec_read(r, f->slot, found, 8) && found[0] == f->back) stack[n++] = f->back;
    }
    while (left > 0 && n < room) {
        ssize_t got;
        batch = left < REC_STACK ? left : REC_STACK;
        for (i = 0; i < batch; i++) {
            local[i].iov_base = &found[i];
            remote[i].iov_base = (void *)(uintptr_t)r->calls.frames[left - 1 - i].slot;
            local[i].iov_len = remote[i].iov_len = 8;
        }
        got = process_vm_readv(r->pid, local, batch, remote, batch, 0);
        if (got < 0) got = 0;
        for (i = 0; i < batch && n < room; i++) {
            const rec_frame *f = &r->calls.frames[left - 1 - i];
            if (i < (size_t)got / 8 && found[i] == f->back) stack[n++] = f->back;
        }
        left -= (size_t)got / 8 < batch ? (size_t)got / 8 + 1 : batch;
    }
    return n;
}

/* The call stack without its leaf, in at most `room` addresses. Returns how many. */
size_t rec_walk_stack(const recorder *r, uint64_t *stack, size_t room)
{
    return r->o.frame_pointers ? rec_walk_frame_pointers(r, stack, room) : rec_walk_frames(r, stack, room);
}

#endif
