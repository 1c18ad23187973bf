/* profile.c - hands samples over to csspgo */
#include "jit.h"

#if JIT_MACHINE

/* The inline stack of a probe as nodes below `up`, called at *site; *site becomes the probe. id 0: no memory. */
static csspgo_node add_frames(csspgo_profile *p, csspgo_node up, csspgo_loc *site, const csspgo_frame *frames,
                              size_t n)
{
    size_t i;
    for (i = 0; i < n && up.id != 0; i++) {
        const csspgo_func f = csspgo_func_add(p, frames[i].name, frames[i].name_size);
        up = csspgo_node_add(p, up, *site, CSSPGO_CONTEXT, f);
        *site = csspgo_loc_at(frames[i].loc.line, 0);
    }
    return up;
}

/* The block probes at an address get a count, in the context of a call stack, outermost call last. */
static csspgo_status add_block(const csspgo_code *map, csspgo_profile *p, uint64_t block, const uint64_t *calls,
                               size_t n, uint64_t count)
{
    csspgo_frame frames[STACK];
    csspgo_node node = csspgo_root(p), at;
    csspgo_loc site = csspgo_loc_at(0, 0), here;
    csspgo_status s = CSSPGO_OK;
    uint32_t kind = CSSPGO_PROBE_BLOCK;
    size_t i, k;
    while (n-- > 0) {
        const uint64_t call = csspgo_code_call_before(map, calls[n]);
        size_t depth = 0;
        for (i = 0; call != 0 && i < csspgo_code_probe_count(map, call); i++) {
            depth = csspgo_code_probe_stack(map, call, i, frames, STACK, &kind);
            if (depth != 0 && kind != CSSPGO_PROBE_BLOCK) break;
            depth = 0;
        }
        if (depth == 0) {                                 /* not our code: contexts begin behind it */
            node = csspgo_root(p);
            site = csspgo_loc_at(0, 0);
        } else node = add_frames(p, node, &site, frames, depth);
        if (node.id == 0) return CSSPGO_E_NOMEM;
    }
    for (k = 0; k < csspgo_code_probe_count(map, block) && s == CSSPGO_OK; k++) {
        const size_t depth = csspgo_code_probe_stack(map, block, k, frames, STACK, &kind);
        if (depth == 0 || kind != CSSPGO_PROBE_BLOCK) continue;
        here = site;
        at = add_frames(p, node, &here, frames, depth);
        s = at.id == 0 ? CSSPGO_E_NOMEM : csspgo_add_body(p, at, here, count);
        if (s == CSSPGO_OK) s = csspgo_add_total(p, at, count);
    }
    return s;
}

/*
 * The kernel walks frame pointers and misses the caller where a function has not set up its own yet, or not any more.
 * Then the return address is on top of the stack, of which the event brings two words: in the record they stand behind
 * the call stack and [ABI, rsp, bytes]. Fills in the true stack and returns its size; 0: unknown.
 */
static uint32_t mended(const piece *p, const csspgo_sample *in, uint64_t stack[STACK])
{
    const uint64_t ip = in->stack[0], *top = in->stack + in->stack_count + 3;
    const uint32_t n = in->stack_count < STACK ? in->stack_count : STACK - 1;
    const int at_return = *(const unsigned char *)(uintptr_t)ip == 0xc3;
    memcpy(stack, in->stack, n * sizeof *stack);
    if (sampler.fd < 0 || (ip != p->begin && ip != p->begin + 1 && !at_return)) return n;
    if (top[-3] == 0 || top[-1] < 16) return 0;           /* no registers, no memory */
    memmove(stack + 2, stack + 1, (n - 1) * sizeof *stack);
    stack[1] = top[ip == p->begin + 1];
    return n + 1;
}

/*
 * A sample without branch records: the block around its address ran, in this context. csspgo's code map knows which
 * block and context. What is sampled by time meets long blocks more often: each counts the less the longer it is.
 */
static csspgo_status add_stack(engine *g, const csspgo_sample *in)
{
    const piece *p = piece_at(g, in->stack[0]);
    uint64_t stack[STACK];
    uint32_t n;
    size_t low = 0, high = p == NULL ? 0 : p->segments;
    if (p == NULL) return CSSPGO_OK;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (p->segment[middle].address <= in->stack[0]) low = middle + 1; else high = middle;
    }
    if (low == 0) low = 1;                                /* the prologue is of the first block */
    n = mended(p, in, stack);
    if (n == 0) sampler.lost++;
    return n == 0 ? CSSPGO_OK : add_block(g->map, sampler.profile, p->segment[low - 1].block, stack + 1, n - 1,
                                          1 + 2520 / p->segment[low - 1].length);
}

/* A sample, if all was well so far. */
static csspgo_status hand_over(engine *g, const csspgo_sample *sample, csspgo_status s)
{
    if (g->collector == NULL || g->deaf || s != CSSPGO_OK) return s;
    sampler.taken++;
    return sample->branch_count != 0 ? csspgo_collector_add(g->collector, sample, 1, NULL) : add_stack(g, sample);
}

/* Hands all samples so far to csspgo. Call it where no code runs, and before code is freed. */
csspgo_status sampler_drain(engine *g)
{
    csspgo_status s = CSSPGO_OK;
    csspgo_sample sample;
    csspgo_error error;
    csspgo_mmap map;
    csspgo_item item;
    for (; sampler.queue != NULL && csspgo_queue_front(sampler.queue, &sample); csspgo_queue_pop(sampler.queue))
        s = hand_over(g, &sample, s);
    if (sampler.page == NULL) return s;
    sampler.ring.head = __atomic_load_n(&sampler.page->data_head, __ATOMIC_ACQUIRE);
    while ((item = csspgo_ring_next(&sampler.ring, &sample, &map, &error)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_SAMPLE) s = hand_over(g, &sample, s);
    }
    __atomic_store_n(&sampler.page->data_tail, sampler.ring.tail, __ATOMIC_RELEASE);
    return s;
}

/* How often a context was entered, from the counts of its blocks: the short first block may have been missed. */
static uint64_t estimate_entry(const program *prog, const csspgo_profile *p, csspgo_node n)
{
    size_t size;
    const char *name = csspgo_func_name(p, csspgo_node_func(p, n), &size);
    uint64_t entry = 1, count;
    uint32_t f = 0, i;
    while (f < prog->count && (strlen(prog->f[f].name) != size || memcmp(prog->f[f].name, name, size) != 0)) f++;
    for (i = 0; f < prog->count && i < prog->f[f].count; i++) {
        if (!prog->f[f].code[i].leads) continue;
        count = csspgo_body_count(p, n, csspgo_loc_at(prog->f[f].code[i].block, 0)) / guess(&prog->f[f], i);
        if (count > entry) entry = count;
    }
    return entry;
}

/* Calls have counts only where branches were recorded. Without, a call is as frequent as its callee is entered. */
static csspgo_status estimate_calls(const program *prog, csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    csspgo_func f;
    csspgo_node n;
    for (f.id = 1; f.id <= csspgo_func_count(p) && s == CSSPGO_OK; f.id++)
        for (n = csspgo_func_nodes(p, f); n.id != 0 && s == CSSPGO_OK; n = csspgo_node_next_same(p, n)) {
            const csspgo_node up = csspgo_node_parent(p, n);
            const csspgo_loc at = csspgo_node_loc(p, n);
            const uint64_t entry = estimate_entry(prog, p, n);
            s = csspgo_add_head(p, n, entry);
            if (up.id == csspgo_root(p).id || s != CSSPGO_OK) continue;
            s = csspgo_add_target(p, up, at, f, entry);
            if (s == CSSPGO_OK) s = csspgo_add_body(p, up, at, entry);
            if (s == CSSPGO_OK) s = csspgo_add_total(p, up, entry);
        }
    return s;
}

/* What was counted since the last time, or sampled since the source was opened (with branch records: since the last
   time), added to p. */
csspgo_status take_profile(engine *g, csspgo_profile *p)
{
    csspgo_error e;
    csspgo_status s = g->counts == NULL ? sampler_drain(g) : CSSPGO_OK;
    if (g->counts != NULL) return counting_profile(g->counts, p);
    if (g->collector == NULL) return CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK || sampler.profile == NULL)
        return s != CSSPGO_OK ? s : csspgo_collector_profile(g->collector, NULL, p, NULL, &e);
    s = estimate_calls(g->p, sampler.profile);
    if (s == CSSPGO_OK) s = csspgo_add_profile(p, sampler.profile, NULL);
    csspgo_profile_free(sampler.profile);
    sampler.profile = NULL;
    return s;
}

#endif
