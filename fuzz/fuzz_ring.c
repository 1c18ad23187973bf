/* fuzz_ring.c - perf ring buffers of any content: every call moves on, everything handed out lies in the ring or the
 * bounce buffer, and a record that wraps reads like the same bytes in one piece.
 * Input: 8 bytes sample_type, 4 branch_sample_type, 1 read_format, 1 start / 8, 1 bounce size / 8, 1 unused; then the
 * bytes
 * from tail to head. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

enum { RING = 512 };

typedef struct arena {
    uint64_t bounce[RING / 8], flat[RING / 8];
    uint64_t ring[RING / 8];
} arena;

static int inside(const void *p, size_t size, const void *block, size_t block_size)
{
    const uintptr_t a = (uintptr_t)p, b = (uintptr_t)block;
    return a >= b && a - b <= block_size && size <= block_size - (a - b);
}

static void check_place(const csspgo_ring *r, const void *p, size_t size)
{
    REQUIRE(p == NULL ? size == 0 : inside(p, size, r->data, RING) || inside(p, size, r->bounce, r->bounce_size));
}

static void check_item(const csspgo_ring *r, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m)
{
    if (item == CSSPGO_ITEM_MMAP) check_place(r, m->path, m->path_size + 1);
    if (item != CSSPGO_ITEM_SAMPLE) return;
    REQUIRE((uintptr_t)s->stack % 8 == 0 && (uintptr_t)s->branches % 8 == 0 && s->count == 1 && s->event == 1);
    check_place(r, s->stack, s->stack_count * sizeof *s->stack);
    check_place(r, s->branches, s->branch_count * sizeof *s->branches);
}

static int same_item(csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m, const csspgo_sample *t,
                     const csspgo_mmap *n)
{
    if (item == CSSPGO_ITEM_MMAP)
        return m->address == n->address && m->size == n->size && m->file_offset == n->file_offset && m->pid == n->pid &&
               m->executable == n->executable && m->path_size == n->path_size &&
               memcmp(m->path, n->path, m->path_size) == 0;
    if (item != CSSPGO_ITEM_SAMPLE) return 1;
    return s->stack_count == t->stack_count && s->branch_count == t->branch_count && s->time == t->time &&
           s->pid == t->pid && s->tid == t->tid &&
           (s->stack_count == 0 || memcmp(s->stack, t->stack, s->stack_count * sizeof *s->stack) == 0) &&
           (s->branch_count == 0 || memcmp(s->branches, t->branches, s->branch_count * sizeof *s->branches) == 0);
}

static void check_ring(arena *a, const uint8_t *head, const uint8_t *data, size_t size)
{
    csspgo_ring r, flat;
    size_t i, steps;
    memset(&r, 0, sizeof r);
    memcpy(&r.event.sample_type, head, 8);
    memcpy(&r.event.branch_sample_type, head + 8, 4);           /* the low half on little-endian machines */
    r.event.read_format = head[12];
    r.tail = 8 * (uint64_t)head[13];
    r.bounce_size = 8 * (size_t)(head[14] & 63);
    r.head = r.tail + size;
    r.data = a->ring;
    r.size = RING;
    r.bounce = a->bounce;
    flat = r;
    flat.data = a->flat;
    flat.tail = 0;
    flat.head = size;
    for (i = 0; i < size; i++) ((uint8_t *)a->ring)[(r.tail + i) % RING] = data[i];
    memcpy(a->flat, data, size);
    for (steps = 0;; steps++) {
        csspgo_sample s, t;
        csspgo_mmap m, n;
        csspgo_error err;
        const uint64_t before = r.tail, unfit = r.unfit;
        const csspgo_item item = csspgo_ring_next(&r, &s, &m, &err);
        REQUIRE(steps <= RING / 8 && r.tail - before <= r.head - before);
        if (item == CSSPGO_ITEM_NONE) {
            REQUIRE(r.tail == r.head && (err.status == CSSPGO_OK || err.message[0] != '\0'));
            return;
        }
        REQUIRE(err.status == CSSPGO_OK && r.tail - before >= 8);
        check_item(&r, item, &s, &m);
        if (r.unfit != unfit) return;                     /* the other ring still has that record */
        REQUIRE(csspgo_ring_next(&flat, &t, &n, NULL) == item && flat.lost == r.lost &&
                same_item(item, &s, &m, &t, &n));
    }
}

/* A record alone is the sample that a ring with nothing else gives, apart from the number of its event. */
static void check_record(arena *a, const uint8_t *head, const uint8_t *data, size_t size)
{
    csspgo_ring r;
    csspgo_sample s, t;
    csspgo_mmap m;
    csspgo_error e;
    const uint16_t length = (uint16_t)(8 + size / 8 * 8);
    const uint32_t type = 9;
    csspgo_status status;
    if (size < 8 || length > RING) return;
    memset(&r, 0, sizeof r);
    memcpy(&r.event.sample_type, head, 8);
    memcpy(&r.event.branch_sample_type, head + 8, 4);
    r.event.read_format = head[12];
    r.event.kernel_stacks = head[15] & 1;
    memcpy(a->flat, &type, 4);
    memset((uint8_t *)a->flat + 4, 0, 4);
    memcpy((uint8_t *)a->flat + 6, &length, 2);
    memcpy((uint8_t *)a->flat + 8, data, length - 8u);
    r.data = a->flat;
    r.size = RING;
    r.head = length;
    status = csspgo_record_sample(a->flat + 1, length - 8u, &r.event, &s, &e);
    is_told(status, &e, length);
    if (status != CSSPGO_OK) REQUIRE(s.stack == NULL && s.branches == NULL && s.count == 0);
    if (csspgo_ring_next(&r, &t, &m, NULL) != CSSPGO_ITEM_SAMPLE) return;
    REQUIRE(status == CSSPGO_OK && s.event == 0 && t.event == 1);
    s.event = 1;
    REQUIRE(same_item(CSSPGO_ITEM_SAMPLE, &s, &m, &t, &m));
}

/* Several events in one ring: each item is of one of them, and every call moves on. */
static void check_events(arena *a, const uint8_t *head, const uint8_t *data, size_t size)
{
    csspgo_perf_event more[2];
    csspgo_ring r;
    unsigned i;
    memset(&r, 0, sizeof r);
    memset(more, 0, sizeof more);
    memcpy(&r.event.sample_type, head, 8);
    r.event.sample_type |= head[15] & 2 ? 1u << 16 : 1u << 6;
    r.event.read_format = head[12];
    r.event.sample_id_all = head[15] >> 2 & 1;
    r.event.id = head[13];
    more[0] = more[1] = r.event;
    more[0].id = head[14];
    more[1].id = head[11];
    if (head[15] & 8) more[1].sample_type ^= 1u << (head[10] & 31);
    r.more = more;
    r.more_count = 1 + (head[15] & 1);
    memcpy(a->flat, data, size);
    r.data = head[15] & 16 ? (const uint8_t *)a->flat + 4 : (const uint8_t *)a->flat;
    r.size = head[15] & 32 ? 24 : RING;
    r.head = head[15] & 64 ? RING * 4 : size;
    for (i = 0; i < RING; i++) {
        csspgo_sample s;
        csspgo_mmap m;
        csspgo_error e;
        const uint64_t tail = r.tail;
        const csspgo_item item = csspgo_ring_next(&r, &s, &m, &e);
        REQUIRE(item != CSSPGO_ITEM_NONE || r.tail == r.head || e.status == CSSPGO_E_ARGUMENT);
        if (item == CSSPGO_ITEM_NONE) return;
        REQUIRE(r.tail > tail && (item != CSSPGO_ITEM_SAMPLE || (s.event >= 1 && s.event <= 1 + r.more_count)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a;
    if (size < 16 || size > 16 + RING) return 0;
    a = (arena *)calloc(1, sizeof *a);
    if (a == NULL) return 0;
    check_ring(a, data, data + 16, size - 16);
    check_record(a, data, data + 16, size - 16);
    check_events(a, data, data + 16, size - 16);
    free(a);
    return 0;
}
