/*
 * jit_samples.c - profgen: samples of JITs' code without branch records
 *
 * They count as they are, without the code map: each once, for its line, in the context of its call stack. So totals
 * are samples, and code of any machine has contexts.
 */
#include "profgen.h"

enum {
    JIT_FRAMES = 512,             /* innermost ones that count; a profile's contexts may have 1024 */
    JIT_WORDS = 1 << 20           /* of samples that wait, at most                                 */
};

/* The line of an address of a function, from its begin. */
static csspgo_loc jit_line(const jit_hit *h, uint64_t offset)
{
    size_t a = 0, b = h->rows;
    while (b - a > 1) {
        const size_t m = a + (b - a) / 2;
        if (h->row[m].offset <= offset) a = m;
        else b = m;
    }
    return h->row[a].loc;
}

/* What the n frames of a sample are from the leaf on, as far as they are code of JITs. Returns how many. */
static uint32_t jit_frames(jit_work *w, uint32_t pid, const uint64_t *stack, uint32_t n, live_range *to)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        const uint64_t address = stack[i] - (i != 0 && stack[i] != 0);                 /* the call before it */
        const live_range *at = jit_at(w->code, pid, address);
        if (i == 0) {
            w->addresses++;
            w->known += at != NULL && at->function != JIT_AMBIGUOUS;
            w->ambiguous += at != NULL && at->function == JIT_AMBIGUOUS;
        }
        if (at == NULL || at->function == JIT_AMBIGUOUS) break;
        to[i] = *at;
        to[i].begin = address;
    }
    return i;
}

/* Counts n frames, from the leaf on, so often. */
static int jit_count(jit_work *w, uint32_t pid, uint64_t count, const uint64_t *stack, uint32_t n)
{
    live_range frame[JIT_FRAMES];
    csspgo_node node = csspgo_root(w->samples);
    csspgo_loc loc = csspgo_loc_at(0, 0);
    csspgo_status status;
    n = jit_frames(w, pid, stack, n, frame);
    if (n == 0) return 1;
    w->counted++;
    while (n-- != 0) {
        jit_hit *h = jit_hit_of(w, &frame[n]);
        if (h == NULL) return 0;
        w->recursive |= h->counted == w->counted;
        h->counted = w->counted;
        node = csspgo_node_add(w->samples, node, loc, CSSPGO_CONTEXT, h->func);
        loc = jit_line(h, frame[n].begin - frame[n].base);
        if (node.id == 0) return fail(w->tool, "out of memory"), 0;
    }
    status = csspgo_add_body(w->samples, node, loc, count);
    if (status == CSSPGO_OK) status = csspgo_add_total(w->samples, node, count);
    return status == CSSPGO_OK || (fail(w->tool, "%s", csspgo_status_text(status)), 0);
}

/* ----- batches ---------------------------------------------------------------------------------------------------- */

/*
 * Samples wait as long as no code changes, and are then counted by address: neighbours are near each other in the dump,
 * in the live sets and in the profile, where samples as they come miss the caches at every step.
 */

/* Sorts by address: stable, byte by byte, without the bytes in which all are equal. */
static void jit_sort_keys(jit_batch *b)
{
    uint64_t differ = 0;
    size_t i;
    unsigned shift;
    for (i = 1; i < b->keys; i++) differ |= b->key[i].address ^ b->key[0].address;
    for (shift = 0; shift < 64; shift += 8) {
        size_t begin[257] = { 0 };
        jit_key *const from = b->key;
        if ((differ >> shift & 255) == 0) continue;
        for (i = 0; i < b->keys; i++) begin[(from[i].address >> shift & 255) + 1]++;
        for (i = 1; i < 256; i++) begin[i] += begin[i - 1];
        for (i = 0; i < b->keys; i++) b->sorted[begin[from[i].address >> shift & 255]++] = from[i];
        b->key = b->sorted;
        b->sorted = from;
    }
}

/* The collector is told that there were so many samples. Returns 0 after saying what is wrong. */
static int jit_tell(jit_work *w, uint64_t count)
{
    static const uint64_t elsewhere = 1;
    csspgo_sample s;
    csspgo_status status;
    memset(&s, 0, sizeof s);
    s.stack = &elsewhere;
    s.stack_count = 1;
    s.count = count;
    status = csspgo_collector_add(w->collector, &s, 1, NULL);
    return status == CSSPGO_OK || (fail(w->tool, "%s", profgen_no_room(status)), 0);
}

int jit_settle(jit_work *w)
{
    jit_batch *b = &w->batch;
    uint64_t all = 0;
    size_t i;
    if (b->keys == 0) return 1;
    jit_sort_keys(b);
    for (i = 0; i < b->keys; i++) {
        const uint64_t *s = b->word + b->key[i].at;
        if (!jit_count(w, (uint32_t)s[0], s[1], s + 3, (uint32_t)s[2])) return 0;
        all = sum_of(all, s[1]);
    }
    b->words = b->keys = 0;
    return jit_tell(w, all);
}

/* Room for one more sample of n words. Returns 0: out of memory. */
static int jit_batch_room(jit_batch *b, size_t n)
{
    void *p;
    if (b->word_cap - b->words < n) {
        const size_t cap = b->word_cap * 2 + 1024;
        if ((p = realloc(b->word, cap * sizeof *b->word)) == NULL) return 0;
        b->word = (uint64_t *)p;
        b->word_cap = cap;
    }
    if (b->keys == b->key_cap) {
        const size_t cap = b->key_cap * 2 + 256;
        if ((p = realloc(b->key, cap * sizeof *b->key)) == NULL) return 0;
        b->key = (jit_key *)p;
        if ((p = realloc(b->sorted, cap * sizeof *b->key)) == NULL) return 0;
        b->sorted = (jit_key *)p;
        b->key_cap = cap;
    }
    return 1;
}

int jit_wait(jit_work *w, const csspgo_sample *s)
{
    jit_batch *b = &w->batch;
    const long long depth = w->o[O_IGNORE_STACK].number ? 0 : w->o[O_DEPTH].number;
    const uint32_t limit = depth >= 0 && depth < JIT_FRAMES ? (uint32_t)depth + 1 : JIT_FRAMES;
    uint32_t first = 0, n, i;
    while (first + 1 < s->stack_count && s->stack[first] >> 63 != 0) first++;         /* frames of the kernel */
    n = s->stack_count - first < limit ? s->stack_count - first : limit;
    if (b->words + n + 3 > JIT_WORDS && !jit_settle(w)) return 0;
    if (!jit_batch_room(b, (size_t)n + 3)) return fail(w->tool, "out of memory"), 0;
    b->key[b->keys].address = n != 0 ? s->stack[first] : 0;
    b->key[b->keys++].at = b->words;
    b->word[b->words++] = s->pid;
    b->word[b->words++] = s->count != 0 ? s->count : 1;
    b->word[b->words++] = n;
    for (i = 0; i < n; i++) b->word[b->words++] = s->stack[first + i];
    return 1;
}

/* ----- profiles --------------------------------------------------------------------------------------------------- */

/* The samples as a profile, for csspgo_profile_free; NULL: what the collector has is the profile. */
csspgo_profile *jit_take_samples(jit_work *w)
{
    csspgo_profile *p = w->samples;
    if (csspgo_collector_get_stats(w->collector).branches != 0) return NULL;
    w->samples = NULL;
    return p;
}

/* Compresses recursion in what jit_take_samples gave, as it is among branch records. */
static csspgo_status jit_sampled(const jit_work *w, csspgo_profile *p, csspgo_error *e)
{
    const long long cycle = w->o[O_COMPRESS].number;
    if (cycle != 0 && w->recursive)
        return csspgo_compress_recursion(p, cycle < 0 ? UINT32_MAX : (uint32_t)cycle, e);
    memset(e, 0, sizeof *e);
    return CSSPGO_OK;
}

csspgo_status jit_profile(jit_work *w, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e)
{
    csspgo_generate_options by_line = *how;
    csspgo_status s;
    by_line.llvm = 0;
    by_line.flow_sensitive = 1;              /* discriminators may be columns: kept whole */
    by_line.update_totals = (uint32_t)w->o[O_TOTALS].number;
    if (csspgo_collector_get_stats(w->collector).branches == 0) return jit_sampled(w, p, e);
    s = jit_tell_lines(w, w->table);
    if (s != CSSPGO_OK) return e->status = s;
    return csspgo_collector_line_profile(w->collector, w->table, &by_line, p, NULL, e);
}
