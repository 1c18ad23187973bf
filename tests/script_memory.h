/* script_memory.h - a script read with memory for samples and without: the same samples between the same events, the
 * same statistics, the same error. To be included after csspgo.h. */
#ifndef T_SCRIPT_MEMORY_H
#define T_SCRIPT_MEMORY_H

#include "out.h"

typedef struct t_reading {        /* how a script is read, and what is counted meanwhile */
    csspgo_script_options how;
    csspgo_options        options;
    uint64_t              step;   /* pieces of 1 to step bytes, 0: one piece             */
    int                   follows;       /* 1: another parser follows its batches        */
    uint64_t              items;  /* samples as they were handed out                     */
    uint64_t              sum;    /* of the samples since the last event, in any order   */
    uint64_t              samples;
    uint64_t              order;  /* of all items in their order                         */
} t_reading;

static uint64_t t_stir(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* A sample without its count, and its stack as csspgo_script_drop_repeats leaves it. */
static uint64_t t_sample_hash(csspgo_script *s, const csspgo_sample *x)
{
    const uint32_t *const files = csspgo_script_frame_files(s);
    csspgo_sample folded = *x;
    uint64_t h = t_stir(x->stack_count, x->branch_count);
    uint32_t i;
    h = t_stir(t_stir(t_stir(t_stir(h, x->pid), x->tid), x->event), x->time);
    for (i = 0; i < x->stack_count; i++) h = t_stir(t_stir(h, x->stack[i]), files != NULL ? files[i] : 0);
    for (i = 0; i < x->branch_count; i++)
        h = t_stir(t_stir(t_stir(h, x->branches[i].from), x->branches[i].to), x->branches[i].flags);
    if (csspgo_script_drop_repeats(s, NULL, &folded, NULL) != CSSPGO_OK) return h;
    for (i = 0; i < folded.stack_count; i++) h = t_stir(h, folded.stack[i]);
    return h;
}

static void t_print_samples(t_out *out, t_reading *r)
{
    t_num(out, "samples ", r->samples, 10);
    t_num(out, " of ", r->sum, 16);
    t_str(out, "\n");
    r->samples = r->sum = 0;
}

static csspgo_status t_items(t_out *out, csspgo_script *s, t_reading *r, csspgo_error *err)
{
    csspgo_sample x;
    csspgo_mmap m;
    csspgo_item item;
    memset(&x, 0, sizeof x);
    memset(&m, 0, sizeof m);
    while ((item = csspgo_script_next(s, &x, &m, err)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_SAMPLE) {
            const uint64_t n = x.repeats != 0 ? x.repeats : 1, hash = t_sample_hash(s, &x);
            r->order = t_stir(t_stir(t_stir(r->order, n), csspgo_script_get_stats(s).samples), hash);
            r->items++;
            r->samples += n;
            r->sum += n * t_stir(hash, x.repeats != 0 ? x.count / x.repeats : x.count);
            continue;
        }
        t_print_samples(out, r);
        t_num(out, "item ", (uint64_t)item, 10);
        t_num(out, " ", m.pid, 10);
        t_num(out, " ", m.address, 16);
        t_num(out, " ", item != CSSPGO_ITEM_MMAP ? x.pid : 0, 10);       /* LLVM mode leaves it */
        t_str(out, "\n");
    }
    return err->status;
}

/* The items that a parser has ready, or those of one that follows it, if there is a batch for it. */
static csspgo_status t_ready(t_out *out, csspgo_script *s, csspgo_script *t, csspgo_script_batch *b, t_reading *r,
                             csspgo_error *err)
{
    csspgo_status more;
    if (b == NULL) return t_items(out, s, r, err);
    do {
        more = csspgo_script_fill(s, b, NULL);
        if (csspgo_script_follow(t, b, err) != CSSPGO_OK) return err->status;
        t_items(out, t, r, err);
    } while (more == CSSPGO_MORE && err->status == CSSPGO_OK);
    return err->status;
}

/* Reads a script, which is one text after another. Returns 0 without memory. */
static int t_read_memory(t_out *out, const char *const *text, const size_t *size, size_t texts, t_reading *r)
{
    csspgo_script *s = csspgo_script_new(&r->how, &r->options, NULL);
    csspgo_script *t = r->follows ? csspgo_script_new(&r->how, &r->options, NULL) : s;
    csspgo_script_batch *b = r->follows ? csspgo_script_batch_new(&r->options, NULL) : NULL;
    csspgo_script_stats stats;
    csspgo_error err;
    uint64_t random = r->step;
    size_t i, at, n;
    memset(out, 0, sizeof *out);
    r->items = r->samples = r->sum = r->order = 0;
    if (s == NULL || t == NULL || (r->follows && b == NULL)) {
        csspgo_script_free(s);
        if (t != s) csspgo_script_free(t);
        csspgo_script_batch_free(b);
        return 0;
    }
    for (i = 0; i < texts; i++)
        for (at = 0; at < size[i]; at += n) {
            random = t_stir(random, at);
            n = r->step != 0 ? 1 + (size_t)(random % r->step) : size[i];
            if (n > size[i] - at) n = size[i] - at;
            csspgo_script_feed(s, text[i] + at, n, NULL);
            t_ready(out, s, t, b, r, &err);
            if ((random >> 40) % 64 == 0) csspgo_script_feed(s, "", 0, NULL);
        }
    csspgo_script_end(s);
    t_ready(out, s, t, b, r, &err);
    t_print_samples(out, r);
    stats = csspgo_script_get_stats(t);
    t_num(out, "status ", (uint64_t)err.status, 10);
    t_num(out, " line ", err.line, 10);
    t_num(out, " lines ", stats.line_count, 10);
    t_num(out, " samples ", stats.samples, 10);
    t_num(out, " attempts ", stats.attempts, 10);
    t_num(out, " bad ", stats.bad_frame_lines + stats.bad_records + stats.bad_mmaps + stats.empty_stacks, 10);
    t_num(out, " oversized ", stats.oversized, 10);
    t_num(out, " inlined ", stats.inlined, 10);
    t_num(out, " with ", stats.with_lines, 10);
    t_num(out, " without ", stats.without_lines, 10);
    t_num(out, " first ", stats.first_bad_line, 10);
    t_num(out, " hybrid ", stats.hybrid, 10);
    t_str(out, "\n");
    if (t != s) csspgo_script_free(t);
    csspgo_script_batch_free(b);
    csspgo_script_free(s);
    return err.status != CSSPGO_E_NOMEM && err.status != CSSPGO_E_LIMIT;
}

#endif
