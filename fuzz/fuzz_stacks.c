/* fuzz_stacks.c - collapsed stacks, named text of perf script, V8's profiles: stacks do not depend on how the input is
 * cut into pieces, they make sense, and memory is bounded. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define CSSPGO_CALL_STACKS_IMPLEMENTATION
#include "../examples/share/call_stacks.h"
#include "fuzz.h"

enum { LINE = 4096 };

static uint64_t look_at(const csspgo_stack *s, size_t size, uint64_t hash)
{
    size_t i;
    REQUIRE(s->frame_count != 0 && s->count != 0 && !s->frames[0].inlined);
    REQUIRE(s->comm_size <= size && s->event_size <= size);
    for (i = 0; i < s->frame_count; i++) {
        hash = hash_bytes(s->frames[i].name, s->frames[i].size, hash ^ s->frames[i].size);
        hash ^= s->frames[i].inlined * 3 + s->frames[i].kernel;
    }
    hash = hash_bytes(s->comm, s->comm_size, hash ^ s->count);
    hash = hash_bytes(s->event, s->event_size, hash ^ s->time);
    return hash ^ s->pid ^ (uint64_t)s->tid << 32;
}

/* step 0: in one piece; else pieces of 1 to step bytes. Returns a hash of everything said. */
static uint64_t read_stacks(const uint8_t *data, size_t size, csspgo_stacks_form form, uint64_t step)
{
    counted heap;
    csspgo_options o;
    csspgo_stacks *d;
    csspgo_stacks_stats stats;
    csspgo_stack s;
    csspgo_error e;
    uint64_t hash = 0, random = step;
    size_t at, n;
    memset(&heap, 0, sizeof heap);
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    o.limits.max_line = LINE;
    d = csspgo_stacks_new(form, &o, NULL);
    REQUIRE(d != NULL);
    for (at = 0; at < size; at += n) {
        uint8_t *piece;
        random = hash_bytes(&at, sizeof at, random);
        n = step != 0 ? 1 + (size_t)(random % step) : size;
        if (n > size - at) n = size - at;
        piece = (uint8_t *)malloc(n);
        REQUIRE(piece != NULL);
        memcpy(piece, data + at, n);
        REQUIRE(csspgo_stacks_feed(d, piece, n, NULL) == CSSPGO_OK);
        while (csspgo_stacks_next(d, &s, &e)) hash = look_at(&s, size, hash);
        free(piece);
        if (e.status != CSSPGO_OK) break;
    }
    csspgo_stacks_end(d);
    while (csspgo_stacks_next(d, &s, &e)) hash = look_at(&s, size, hash);
    stats = csspgo_stacks_get_stats(d);
    csspgo_stacks_free(d);
    is_told(e.status, &e, size);
    REQUIRE(heap.live == 0 && heap.peak <= 16 * size + (1u << 20));
    return hash_bytes(&e.offset, sizeof e.offset, hash_bytes(&stats, sizeof stats, hash) ^ e.status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t h = hash_bytes(data, size, 0);
    csspgo_stacks_form form = csspgo_stacks_sniff(data, size);
    if (form == CSSPGO_STACKS_NONE) form = (csspgo_stacks_form)(1 + h % 3);
    REQUIRE(read_stacks(data, size, form, 0) == read_stacks(data, size, form, (h >> 16 & 15) + 1));
    return 0;
}
