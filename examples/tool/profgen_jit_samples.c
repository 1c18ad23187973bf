/*
 * profgen_jit_samples.c - profgen: samples of JITs' code without branch records
 *
 * They count as they are, without the code map: each once, for its line, in the context of its call stack. So totals
 * are samples, and code of any machine has contexts.
 */
#include "profgen_jit.h"

enum { JIT_FRAMES = 512 };        /* innermost ones that count; a profile's contexts may have 1024 */

/* The line of an address of a function, from its begin. */
static csspgo_loc jit_line(const jit_hit *h, uint64_t offset)
{
    size_t a = 0, b = h->rows;
    while (b - a > 1) {
        const size_t m = a + (b - a) / 2;
        if (h->row[m].address <= offset) a = m;
        else b = m;
    }
    return h->row[a].loc;
}

/* What the frames of a sample are from the leaf on, as far as they are code of JITs. Returns how many. */
static uint32_t jit_frames(profgen *g, const csspgo_sample *s, live_range *to, uint32_t first)
{
    struct jit_work *w = g->jit;
    uint32_t i, n = 0;
    const option *depth = &g->o[O_DEPTH];
    const uint32_t limit = depth->number >= 0 && depth->number < JIT_FRAMES ? (uint32_t)depth->number + 1 : JIT_FRAMES;
    for (i = first; i < s->stack_count && n < limit; i++, n++) {
        const uint64_t address = s->stack[i] - (i != first && s->stack[i] != 0);      /* the call before it */
        const live_range *at = jit_at(w->code, s->pid, address);
        if (i == first) {
            w->addresses++;
            w->known += at != NULL && at->function != JIT_AMBIGUOUS;
            w->ambiguous += at != NULL && at->function == JIT_AMBIGUOUS;
        }
        if (at == NULL || at->function == JIT_AMBIGUOUS) break;
        to[n] = *at;
        to[n].begin = address;
        if (g->o[O_IGNORE_STACK].number) return n + 1;
    }
    return n;
}

int jit_count(profgen *g, const csspgo_sample *s)
{
    struct jit_work *w = g->jit;
    live_range frame[JIT_FRAMES];
    csspgo_node node = csspgo_root(w->samples);
    csspgo_loc loc = csspgo_at(0, 0);
    const uint64_t count = s->count != 0 ? s->count : 1;
    csspgo_status status;
    uint32_t first = 0, n;
    while (first + 1 < s->stack_count && s->stack[first] >> 63 != 0) first++;         /* frames of the kernel */
    n = jit_frames(g, s, frame, first);
    if (n == 0) return 1;
    w->counted++;
    while (n-- != 0) {
        jit_hit *h = jit_hit_of(g, &frame[n]);
        if (h == NULL) return 0;
        w->recursive |= h->counted == w->counted;
        h->counted = w->counted;
        node = csspgo_node_add(w->samples, node, loc, CSSPGO_CONTEXT, h->func);
        loc = jit_line(h, frame[n].begin - frame[n].base);
        if (node.id == 0) return fail(g->tool, "out of memory"), 0;
    }
    status = csspgo_add_body(w->samples, node, loc, count);
    if (status == CSSPGO_OK) status = csspgo_add_total(w->samples, node, count);
    return status == CSSPGO_OK || (fail(g->tool, "%s", csspgo_status_text(status)), 0);
}

/* The samples as a profile, for csspgo_profile_free; NULL: what the collector has is the profile. */
csspgo_profile *jit_take_samples(const profgen *g)
{
    csspgo_profile *p = g->jit->samples;
    if (csspgo_collector_get_stats(g->collector).branches != 0) return NULL;
    g->jit->samples = NULL;
    return p;
}

/* Compresses recursion in what jit_take_samples gave, as it is among branch records. */
static csspgo_status jit_sampled(const profgen *g, csspgo_profile *p, csspgo_error *e)
{
    const long long cycle = g->o[O_COMPRESS].number;
    if (cycle != 0 && g->jit->recursive)
        return csspgo_compress_recursion(p, cycle < 0 ? UINT32_MAX : (uint32_t)cycle, e);
    memset(e, 0, sizeof *e);
    return CSSPGO_OK;
}

csspgo_status jit_profile(profgen *g, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e)
{
    csspgo_generate_options by_line = *how;
    csspgo_status s;
    by_line.llvm = 0;
    by_line.flow_sensitive = 1;              /* discriminators may be columns: kept whole */
    by_line.update_totals = (uint32_t)g->o[O_TOTALS].number;
    if (csspgo_collector_get_stats(g->collector).branches == 0) return jit_sampled(g, p, e);
    s = jit_tell_lines(g, g->jit->table);
    if (s != CSSPGO_OK) return e->status = s;
    return csspgo_collector_line_profile(g->collector, g->jit->table, p, &by_line, NULL, e);
}
