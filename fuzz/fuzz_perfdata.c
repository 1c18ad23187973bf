/* fuzz_perfdata.c - recordings of any content: in pieces of any size they give the same items and the same error, and
 * what is handed out can be read. Input: 1 byte, the size of the pieces - 1; then the recording. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

typedef struct outcome {
    uint64_t hash, items, samples;
    csspgo_error err;
    csspgo_perfdata_stats stats;
} outcome;

static void mix(outcome *o, const void *p, size_t n)
{
    if (n != 0) o->hash = hash_bytes(p, n, o->hash);
}

static void take(outcome *o, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m)
{
    const uint32_t kind = (uint32_t)item;
    o->items++;
    mix(o, &kind, sizeof kind);
    if (item == CSSPGO_ITEM_SAMPLE) {
        REQUIRE((uintptr_t)s->stack % 8 == 0 && (uintptr_t)s->branches % 8 == 0 && s->count == 1);
        o->samples++;
        mix(o, s->stack, s->stack_count * sizeof *s->stack);
        mix(o, s->branches, s->branch_count * sizeof *s->branches);
        mix(o, &s->time, 8);
        mix(o, &s->event, 4);
    } else {
        REQUIRE(item == CSSPGO_ITEM_MMAP || (item >= CSSPGO_ITEM_COMM && item <= CSSPGO_ITEM_BUILD_ID));
        mix(o, &m->address, 8);
        mix(o, m->path, m->path_size);
        mix(o, m->build_id, m->build_id_size);
        REQUIRE(m->build_id_size <= 20 && (m->path == NULL || m->path[m->path_size] == '\0'));
    }
    mix(o, &s->pid, 4);
}

/* A sample has a control group or none; nothing else has one. */
static void take_cgroup(outcome *o, const csspgo_perfdata *d, csspgo_item item)
{
    size_t n;
    const char *const path = csspgo_perfdata_cgroup(d, &n);
    REQUIRE(path != NULL ? item == CSSPGO_ITEM_SAMPLE : n == 0);
    mix(o, path, n);
}

/* Every event has a name, and samples are of events. */
static void take_events(outcome *o, const csspgo_perfdata *d)
{
    csspgo_event_info e;
    uint64_t samples = 0;
    uint32_t i;
    for (i = 1; csspgo_perfdata_event(d, i, &e); i++) {
        REQUIRE(e.name != NULL && e.name_size != 0 && !e.left_out);
        mix(o, e.name, e.name_size);
        samples += e.samples;
    }
    REQUIRE(i - 1 == o->stats.events && samples >= o->samples);
}

static outcome run(const uint8_t *data, size_t size, size_t piece)
{
    csspgo_options options;
    csspgo_perfdata *d;
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_item item;
    outcome o;
    size_t at = 0, n;
    memset(&o, 0, sizeof o);
    memset(&options, 0, sizeof options);
    options.limits.max_bytes = 16 * size + (1 << 20);
#ifdef CSSPGO_USE_ZSTD
    options.limits.max_bytes += 2 << 20;                 /* zstd, with the window that perf takes */
    options.limits.max_inflated = 1 << 20;
#endif
    d = csspgo_perfdata_new(&options, NULL);
    REQUIRE(d != NULL);
    do {
        n = size - at < piece ? size - at : piece;
        if (n != 0) REQUIRE(csspgo_perfdata_feed(d, data + at, n, NULL) == CSSPGO_OK);
        else csspgo_perfdata_end(d);
        at += n;
        while ((item = csspgo_perfdata_next(d, &s, &m, &o.err)) != CSSPGO_ITEM_NONE) {
            csspgo_event_info e;
            take(&o, item, &s, &m);
            take_cgroup(&o, d, item);
            REQUIRE(item != CSSPGO_ITEM_SAMPLE || csspgo_perfdata_event(d, s.event, &e));
        }
    } while (n != 0 && o.err.status == CSSPGO_OK);
    o.stats = csspgo_perfdata_get_stats(d);
    if (o.err.status != CSSPGO_E_LIMIT) take_events(&o, d);
    REQUIRE(csspgo_perfdata_next(d, &s, &m, NULL) == CSSPGO_ITEM_NONE);
    is_told(o.err.status, &o.err, size);
    REQUIRE(o.err.status != CSSPGO_E_NOMEM && o.err.status != CSSPGO_E_ARGUMENT);
    REQUIRE(o.stats.samples == o.samples && o.items <= o.stats.records + size / 8);
    csspgo_perfdata_free(d);
    return o;
}

/* With an event left out, of the kernel's stacks, without the data, or in short memory: what is left can be read. */
static void run_partly(const uint8_t *data, size_t size, unsigned how)
{
    csspgo_options options;
    csspgo_perfdata *d;
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_item item;
    csspgo_error err;
    csspgo_event_info e;
    counted heap;
    uint64_t skipped = 0;
    size_t at = 0, n;
    memset(&options, 0, sizeof options);
    memset(&heap, 0, sizeof heap);
    options.allocator.alloc_fn = counted_alloc;
    options.allocator.free_fn = counted_free;
    options.allocator.ctx = &heap;
    options.limits.max_bytes = 16 * size + (4 << 20);
    options.limits.max_inflated = 1 << 20;
    d = csspgo_perfdata_new(&options, NULL);
    REQUIRE(d != NULL);
    if (how & 8) heap.fail_at = heap.calls + 1 + (how >> 4);
    if (how & 1) csspgo_perfdata_take_kernel(d);
    if ((how & 2) && csspgo_perfdata_leave_out(d, 1 + (how >> 4), NULL) != CSSPGO_OK) {
        REQUIRE(how & 8);
        how &= ~2u;
    }
    do {
        n = size - at < 104 ? size - at : 104;               /* the header of a file, then its other parts */
        if (n != 0) REQUIRE(csspgo_perfdata_feed(d, data + at, n, NULL) == CSSPGO_OK);
        else csspgo_perfdata_end(d);
        at += n;
        while ((item = csspgo_perfdata_next(d, &s, &m, &err)) != CSSPGO_ITEM_NONE)
            if (item == CSSPGO_ITEM_SAMPLE && (how & 2)) REQUIRE(s.event != 1 + (how >> 4));
        if ((how & 4) && skipped == 0 && err.status == CSSPGO_OK) skipped = csspgo_perfdata_skip_data(d);
        if (skipped > at && skipped <= size) at = (size_t)skipped;
        else if (skipped != 0 && skipped != at) break;       /* the data goes beyond the end, or was read before it */
    } while (n != 0 && err.status == CSSPGO_OK);
    if ((how & 2) && csspgo_perfdata_event(d, 1 + (how >> 4), &e)) REQUIRE(e.left_out == 1);
    REQUIRE(err.status != CSSPGO_E_NOMEM || (how & 8));
    csspgo_perfdata_free(d);
    REQUIRE(heap.live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome a, b;
    if (size < 1) return 0;
    a = run(data + 1, size - 1, size);
    b = run(data + 1, size - 1, (size_t)data[0] + 1);
    run_partly(data + 1, size - 1, data[0]);
    run_partly(data + 1, size - 1, data[0] | 4);
    run_partly(data + 1, size - 1, 3);
    run_partly(data + 1, size - 1, data[0] | 8);
    if (a.err.status == CSSPGO_E_LIMIT || b.err.status == CSSPGO_E_LIMIT) return 0;
    REQUIRE(a.hash == b.hash && a.items == b.items && a.err.status == b.err.status && a.err.offset == b.err.offset);
    REQUIRE(memcmp(&a.stats, &b.stats, sizeof a.stats) == 0);
    return 0;
}
