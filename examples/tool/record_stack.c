/* record_stack.c - software LBR: the branch record and the call stack */
#include "record.h"

#if defined(REC_SOFTWARE)

uint64_t rec_next_random(recorder *r)
{
    r->random ^= r->random << 13;                          /* xorshift64 */
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return r->random;
}

/* The distance to the next sample: period ± jitter, never 0. */
uint64_t rec_distance(recorder *r)
{
    const uint64_t span = r->o.period / 100 * r->o.jitter + r->o.period % 100 * r->o.jitter / 100;
    const uint64_t random = rec_next_random(r);
    if (span == 0) return r->o.period;
    return r->o.period - span + random % (2 * span + 1) + (r->o.period == span);
}

/* Execution went on where no branch led: older records would make up ranges that were not run. */
void rec_gap(recorder *r)
{
    r->lbr_count = r->lbr_next = 0;
}

/* The end of the mapping that the stack pointer is in; a growing stack ends where it did. */
uint64_t rec_stack_of(recorder *r, uint64_t sp)
{
    const rec_map *m;
    if (sp < r->stack_end && sp >= r->stack_begin) return r->stack_end;
    m = rec_find_map(r, sp);
    r->stack_end = m != NULL ? m->end : UINT64_MAX;
    r->stack_begin = m != NULL && m->begin < sp ? m->begin : sp;
    return r->stack_end;
}

/* Drops the calls that are over: those below the stack pointer, and those on other stacks since left. */
void rec_settle(recorder *r, uint64_t sp)
{
    const uint64_t before = r->stack_end, stack = rec_stack_of(r, sp);
    size_t n = r->frame_count;
    if (stack != before) {                                 /* back on a stack that has open calls below? */
        while (n > 0 && !(r->frames[n - 1].stack == stack && r->frames[n - 1].slot >= sp)) n--;
        if (n > 0) r->frame_count = n;
    }
    while (r->frame_count > 0 && r->frames[r->frame_count - 1].stack == stack &&
           r->frames[r->frame_count - 1].slot < sp) r->frame_count--;
}

void rec_push_frame(recorder *r, uint64_t back, uint64_t slot)
{
    rec_settle(r, slot + 8);
    if (r->frame_count == r->frame_room) {
        const size_t more = r->frame_room != 0 ? 2 * r->frame_room : 256;
        rec_frame *grown = (rec_frame *)realloc(r->frames, more * sizeof *grown);
        if (grown == NULL) rec_die(r->tool, "out of memory");
        r->frames = grown;
        r->frame_room = more;
    }
    r->frames[r->frame_count].back = back;
    r->frames[r->frame_count].slot = slot;
    r->frames[r->frame_count++].stack = r->stack_end;
}

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
    size_t left = r->frame_count, n = 0, i, batch;
    for (; left > 0 && n < room && rec_is_ahead(r); left--) {
        const rec_frame *f = &r->frames[left - 1];
        if (rec_read(r, f->slot, found, 8) && found[0] == f->back) stack[n++] = f->back;
    }
    while (left > 0 && n < room) {
        ssize_t got;
        batch = left < REC_STACK ? left : REC_STACK;
        for (i = 0; i < batch; i++) {
            local[i].iov_base = &found[i];
            remote[i].iov_base = (void *)(uintptr_t)r->frames[left - 1 - i].slot;
            local[i].iov_len = remote[i].iov_len = 8;
        }
        got = process_vm_readv(r->pid, local, batch, remote, batch, 0);
        if (got < 0) got = 0;
        for (i = 0; i < batch && n < room; i++) {
            const rec_frame *f = &r->frames[left - 1 - i];
            if (i < (size_t)got / 8 && found[i] == f->back) stack[n++] = f->back;
        }
        left -= (size_t)got / 8 < batch ? (size_t)got / 8 + 1 : batch;
    }
    return n;
}

void rec_sample(recorder *r, uint64_t leaf)
{
    const uint32_t depth = (uint32_t)r->o.depth;
    rec_origin at;
    size_t frames = 1;
    uint32_t i;
    if (r->code_stale) rec_load_maps(r);
    for (i = 0; i < r->lbr_count; i++) r->newest[i] = r->lbr[(r->lbr_next + depth - 1 - i) % depth];
    r->stack[0] = leaf;
    if (r->o.max_stack > 1) {
        const size_t room = (size_t)r->o.max_stack - 1;
        frames += r->o.frame_pointers ? rec_walk_frame_pointers(r, r->stack + 1, room)
                                      : rec_walk_frames(r, r->stack + 1, room);
    }
    at.pid = r->process != 0 ? r->process : r->pid;
    at.tid = r->pid;
    at.time = rec_now();
    at.period = r->burst != 0 ? r->period : r->o.period;
    rec_put_sample(r, &at, r->stack, frames, r->newest, r->lbr_count);
    if (r->samples == r->o.count || ferror(r->out)) r->done = 1;
}

/* Samples of a burst follow one another: the newest record of one is the oldest of the next. */
static void rec_sample_burst(recorder *r)
{
    const uint64_t depth = r->o.depth;
    if (r->lbr_count < 2 && depth > 1) {                   /* just behind a gap */
        r->countdown = 1;
        return;
    }
    rec_hold_sample(r, r->regs.rip);
    r->lbr_count = depth > 1;
    r->countdown = depth > 1 ? depth - 1 : 1;
}

/*
 * A return in a burst. From a call that is not known, it tells a caller of the samples before; if no call is known
 * then, the frame pointers may be there that the code before did not keep.
 */
static void rec_settle_return(recorder *r)
{
    const uint64_t sp = r->regs.rsp, stack = r->stack_end;
    const rec_frame *last = r->frame_count != 0 ? &r->frames[r->frame_count - 1] : NULL;
    rec_frame f;
    size_t i;
    const int known = last != NULL && last->back == r->regs.rip && last->slot < sp;
    rec_settle(r, sp);
    if (known || stack != r->stack_end || !rec_is_code(r, r->regs.rip)) return;
    f.back = r->regs.rip;
    f.slot = sp - 8;
    f.stack = stack;
    rec_tell_held(r, &f);
    if (r->frame_count != 0) return;
    rec_begin_stack(r);
    for (i = r->frame_count; i > 0; i--) rec_tell_held(r, &r->frames[i - 1]);
}

/* Notes a taken branch; the registers are those at its target. A call has pushed `back`. */
void rec_branch(recorder *r, uint64_t from, csspgo_kind kind, uint64_t back)
{
    const uint32_t depth = (uint32_t)r->o.depth;
    csspgo_branch *b = &r->lbr[r->lbr_next];
    if (r->burst != 0) rec_pass(r, from);
    b->from = from;
    b->to = r->regs.rip;
    b->flags = 2;                                          /* "predicted" */
    r->lbr_next = r->lbr_next + 1 < depth ? r->lbr_next + 1 : 0;
    if (r->lbr_count < depth) r->lbr_count++;
    if (kind == CSSPGO_CALL) rec_push_frame(r, back, r->regs.rsp);
    else if (kind == CSSPGO_RET && r->burst != 0) rec_settle_return(r);
    else rec_settle(r, r->regs.rsp);
    r->branches++;
    if (--r->countdown == 0) {
        if (r->burst != 0) {
            rec_sample_burst(r);
            if (r->left <= 0) r->done = 1;
        } else if (r->lbr_count < 2 && depth > 1) {               /* just behind a gap: the next one will do */
            r->countdown = 1;
        } else {
            rec_sample(r, r->regs.rip);
            r->countdown = rec_distance(r);
        }
    }
    if (r->branches == r->o.max_branches) r->done = 1;
    if ((r->branches & 4095) == 0) {
        if (r->o.duration > 0 && rec_seconds() - r->began >= r->o.duration) r->done = 1;
        rec_progress(r);
    }
}

#endif
