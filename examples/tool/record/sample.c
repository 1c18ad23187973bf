/* sample.c - branches of the thread that is followed, and samples of them
 *
 * The samples of a burst wait for its end, when more is known of who had called. Where a burst begins in code without
 * frame pointers, as of most libraries, they lead nowhere or past the innermost callers. But the burst goes on: a
 * return that it comes to tells a caller, and where that is code with frame pointers, they tell all callers of it.
 * What was open then was open in the samples before, too: every call since is known.
 */
#include "record.h"

#if defined(REC_SOFTWARE)


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
    r->lbr.count = r->lbr.next = 0;
}

/* ----- samples of a burst ----------------------------------------------------------------------------------------- */

enum { REC_HELD = 2 * REC_SAMPLES + 2 };                   /* of the longest burst: see rec_pass */

static void *rec_allocate(const recorder *r, size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p == NULL) rec_die(r->tool, "out of memory");
    return p;
}

/* Keeps a sample whose leaf is at this address. */
void rec_hold_sample(recorder *r, uint64_t leaf)
{
    const uint32_t depth = (uint32_t)r->o.depth;
    rec_held *h;
    size_t i;
    if (r->lbr.held == NULL) r->lbr.held = (rec_held *)rec_allocate(r, REC_HELD, sizeof *r->lbr.held);
    if (r->lbr.held_count == REC_HELD) rec_put_held(r);
    h = &r->lbr.held[r->lbr.held_count++];
    if (h->frames == NULL) {
        h->frames = (rec_frame *)rec_allocate(r, (size_t)r->o.max_stack, sizeof *h->frames);
        h->records = (csspgo_branch *)rec_allocate(r, depth, sizeof *h->records);
    }
    if (r->view.code_stale) rec_load_maps(r);
    h->at.pid = r->process != 0 ? r->process : r->pid;
    h->at.tid = r->pid;
    h->at.time = rec_now();
    h->at.period = r->burst.period;
    h->leaf = leaf;
    h->record_count = r->lbr.count;
    for (i = 0; i < h->record_count; i++) h->records[i] = r->lbr.ring[(r->lbr.next + depth - 1 - i) % depth];
    h->frame_count = 0;
    for (i = r->calls.count; i > 0 && h->frame_count + 1 < r->o.max_stack; i--) {
        uint64_t found;
        const rec_frame *f = &r->calls.frames[i - 1];      /* one whose address is not where it was put is left out */
        if (rec_read(r, f->slot, &found, 8) && found == f->back) h->frames[h->frame_count++] = *f;
    }
}

/* Adds a call that was open in the sample. */
static void rec_add_caller(const recorder *r, rec_held *h, const rec_frame *f)
{
    size_t i = h->frame_count;
    while (i > 0 && h->frames[i - 1].stack == f->stack && h->frames[i - 1].slot > f->slot) i--;
    if (i > 0 && (h->frames[i - 1].stack != f->stack || h->frames[i - 1].slot == f->slot)) return;
    if (i + 1 >= r->o.max_stack) return;
    if (h->frame_count + 1 == r->o.max_stack) h->frame_count--;
    memmove(h->frames + i + 1, h->frames + i, (h->frame_count - i) * sizeof *h->frames);
    h->frames[i] = *f;
    h->frame_count++;
}

/* A call was found to be open: it was so in all samples that are kept. */
static void rec_tell_held(recorder *r, const rec_frame *f)
{
    size_t i;
    for (i = 0; i < r->lbr.held_count; i++) rec_add_caller(r, &r->lbr.held[i], f);
}

/* Writes them. */
void rec_put_held(recorder *r)
{
    off_t begin;
    size_t i, k;
    for (i = 0; i < r->lbr.held_count; i++) {
        const rec_held *h = &r->lbr.held[i];
        r->stack[0] = h->leaf;
        for (k = 0; k < h->frame_count; k++) r->stack[k + 1] = h->frames[k].back;
        begin = ftello(r->out);
        rec_put_sample(r, &h->at, r->stack, 1 + h->frame_count, h->records, h->record_count);
        rec_pace_sample(r, begin);
    }
    r->lbr.held_count = 0;
    if (ferror(r->out)) r->done = 1;
}

void rec_free_held(recorder *r)
{
    size_t i;
    for (i = 0; r->lbr.held != NULL && i < REC_HELD; i++) {
        free(r->lbr.held[i].frames);
        free(r->lbr.held[i].records);
    }
    free(r->lbr.held);
}

/* Samples of a burst follow one another: the newest record of one is the oldest of the next. */
static void rec_sample_burst(recorder *r)
{
    const uint64_t depth = r->o.depth;
    if (r->lbr.count < 2 && depth > 1) {                   /* just behind a gap */
        r->lbr.countdown = 1;
        return;
    }
    rec_hold_sample(r, r->regs.rip);
    r->lbr.count = depth > 1;
    r->lbr.countdown = depth > 1 ? depth - 1 : 1;
}

/* ----- branches --------------------------------------------------------------------------------------------------- */

static void rec_sample(recorder *r, uint64_t leaf)
{
    const uint32_t depth = (uint32_t)r->o.depth;
    rec_origin at;
    size_t frames = 1;
    uint32_t i;
    if (r->view.code_stale) rec_load_maps(r);
    for (i = 0; i < r->lbr.count; i++) r->lbr.newest[i] = r->lbr.ring[(r->lbr.next + depth - 1 - i) % depth];
    r->stack[0] = leaf;
    if (r->o.max_stack > 1) frames += rec_walk_stack(r, r->stack + 1, (size_t)r->o.max_stack - 1);
    at.pid = r->process != 0 ? r->process : r->pid;
    at.tid = r->pid;
    at.time = rec_now();
    at.period = r->burst.number != 0 ? r->burst.period : r->o.period;
    rec_put_sample(r, &at, r->stack, frames, r->lbr.newest, r->lbr.count);
    if (r->samples == r->o.count || ferror(r->out)) r->done = 1;
}

/*
 * A return in a burst. From a call that is not known, it tells a caller of the samples before; if no call is known
 * then, the frame pointers may be there that the code before did not keep.
 */
static void rec_settle_return(recorder *r)
{
    const uint64_t sp = r->regs.rsp, stack = r->calls.end;
    const rec_frame *last = r->calls.count != 0 ? &r->calls.frames[r->calls.count - 1] : NULL;
    rec_frame f;
    size_t i;
    const int known = last != NULL && last->back == r->regs.rip && last->slot < sp;
    rec_settle(r, sp);
    if (known || stack != r->calls.end || !rec_is_code(r, r->regs.rip)) return;
    f.back = r->regs.rip;
    f.slot = sp - 8;
    f.stack = stack;
    rec_tell_held(r, &f);
    if (r->calls.count != 0) return;
    rec_begin_stack(r);
    for (i = r->calls.count; i > 0; i--) rec_tell_held(r, &r->calls.frames[i - 1]);
}

/* The branch, which is about to be noted, takes its part of the burst's length. */
static void rec_pass(recorder *r, uint64_t branch)
{
    const uint64_t last = r->lbr.count != 0 ? r->lbr.ring[(r->lbr.next + r->o.depth - 1) % r->o.depth].to : 0;
    r->burst.left -= rec_pace_burst_branch(r, last, branch);
}

/* Notes a taken branch; the registers are those at its target. A call has pushed `back`. */
void rec_branch(recorder *r, uint64_t from, csspgo_transfer_kind kind, uint64_t back)
{
    const uint32_t depth = (uint32_t)r->o.depth;
    csspgo_branch *b = &r->lbr.ring[r->lbr.next];
    if (r->pace.looking) {
        rec_pace_branch(r, from);
        return;
    }
    if (r->burst.number != 0) rec_pass(r, from);
    b->from = from;
    b->to = r->regs.rip;
    b->flags = 2;                                          /* "predicted" */
    r->lbr.next = r->lbr.next + 1 < depth ? r->lbr.next + 1 : 0;
    if (r->lbr.count < depth) r->lbr.count++;
    if (kind == CSSPGO_CALL) rec_push_frame(r, back, r->regs.rsp);
    else if (kind == CSSPGO_RET && r->burst.number != 0) rec_settle_return(r);
    else rec_settle(r, r->regs.rsp);
    r->branches++;
    if (--r->lbr.countdown == 0) {
        if (r->burst.number != 0) {
            rec_sample_burst(r);
            if (r->burst.left <= 0) r->done = 1;
        } else if (r->lbr.count < 2 && depth > 1) {        /* just behind a gap: the next one will do */
            r->lbr.countdown = 1;
        } else {
            rec_sample(r, r->regs.rip);
            r->lbr.countdown = rec_distance(r);
        }
    }
    if (r->branches == r->o.max_branches) r->done = 1;
    if ((r->branches & 4095) == 0) {
        if (r->o.duration > 0 && rec_seconds() - r->run.began >= r->o.duration) r->done = 1;
        rec_progress(r);
    }
}

#endif
