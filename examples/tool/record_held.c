/* record_held.c - bursts: samples wait for the end of the burst, when more is known of who had called
 *
 * Where a burst begins in code without frame pointers, as of most libraries, they lead nowhere or past the innermost
 * callers. But the burst goes on: a return that it comes to tells a caller, and where that is code with frame pointers,
 * they tell all callers of it. What was open then was open in the samples before, too: every call since is known.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

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
    if (r->held == NULL) r->held = (rec_held *)rec_allocate(r, REC_HELD, sizeof *r->held);
    if (r->held_count == REC_HELD) rec_put_held(r);
    h = &r->held[r->held_count++];
    if (h->frames == NULL) {
        h->frames = (rec_frame *)rec_allocate(r, (size_t)r->o.max_stack, sizeof *h->frames);
        h->records = (csspgo_branch *)rec_allocate(r, depth, sizeof *h->records);
    }
    if (r->code_stale) rec_load_maps(r);
    h->at.pid = r->process != 0 ? r->process : r->pid;
    h->at.tid = r->pid;
    h->at.time = rec_now();
    h->at.period = r->period;
    h->leaf = leaf;
    h->record_count = r->lbr_count;
    for (i = 0; i < h->record_count; i++) h->records[i] = r->lbr[(r->lbr_next + depth - 1 - i) % depth];
    h->frame_count = 0;
    for (i = r->frame_count; i > 0 && h->frame_count + 1 < r->o.max_stack; i--) {
        uint64_t found;
        const rec_frame *f = &r->frames[i - 1];            /* one whose address is not where it was put is left out */
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
void rec_tell_held(recorder *r, const rec_frame *f)
{
    size_t i;
    for (i = 0; i < r->held_count; i++) rec_add_caller(r, &r->held[i], f);
}

/* Writes them. */
void rec_put_held(recorder *r)
{
    size_t i, k;
    for (i = 0; i < r->held_count; i++) {
        const rec_held *h = &r->held[i];
        r->stack[0] = h->leaf;
        for (k = 0; k < h->frame_count; k++) r->stack[k + 1] = h->frames[k].back;
        rec_put_sample(r, &h->at, r->stack, 1 + h->frame_count, h->records, h->record_count);
    }
    r->held_count = 0;
    if (ferror(r->out)) r->done = 1;
}

void rec_free_held(recorder *r)
{
    size_t i;
    for (i = 0; r->held != NULL && i < REC_HELD; i++) {
        free(r->held[i].frames);
        free(r->held[i].records);
    }
    free(r->held);
}

#endif
