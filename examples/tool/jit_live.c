/* jit_live.c - code by address: disjoint ranges in blocks, which sets share until one of them changes */
#include "jit.h"

/* The last block that begins at or before an address, 0 if there is none. */
static size_t live_block_of(const live_set *s, uint64_t address)
{
    size_t a = 0, b = s->count;
    while (b - a > 1) {
        const size_t m = a + (b - a) / 2;
        if (s->entry[m].begin <= address) a = m;
        else b = m;
    }
    return a;
}

/* How many ranges of a block begin at or before an address. */
static uint32_t live_before(const live_block *b, uint64_t address)
{
    uint32_t low = 0, high = b->count;
    while (low < high) {
        const uint32_t m = low + (high - low) / 2;
        if (b->range[m].begin <= address) low = m + 1;
        else high = m;
    }
    return low;
}

const live_range *live_at(const live_set *s, uint64_t address)
{
    const live_block *b;
    uint32_t n;
    if (s->count == 0) return NULL;
    b = s->entry[live_block_of(s, address)].block;
    n = live_before(b, address);
    return n != 0 && address < b->range[n - 1].end ? &b->range[n - 1] : NULL;
}

static void live_release(live_block *b)
{
    if (--b->sets == 0) free(b);
}

static void live_drop_block(live_set *s, size_t i)
{
    live_release(s->entry[i].block);
    memmove(s->entry + i, s->entry + i + 1, (--s->count - i) * sizeof *s->entry);
}

/* A block, to be changed: the set's own, not one that it shares. NULL: out of memory. */
static live_block *live_own(live_set *s, size_t i)
{
    live_block *b = s->entry[i].block, *copy;
    if (b->sets == 1) return b;
    copy = (live_block *)malloc(sizeof *copy);
    if (copy == NULL) return NULL;
    memcpy(copy, b, sizeof *copy);
    copy->sets = 1;
    b->sets--;
    return s->entry[i].block = copy;
}

/* The first range that overlaps [begin, end), as block and number. Returns 0: none does. */
static int live_first(const live_set *s, uint64_t begin, uint64_t end, size_t *block, uint32_t *at)
{
    const live_block *b;
    if (s->count == 0) return 0;
    b = s->entry[*block = live_block_of(s, begin)].block;
    *at = live_before(b, begin);
    if (*at != 0 && b->range[*at - 1].end > begin) --*at;
    if (*at == b->count) {
        if (++*block == s->count) return 0;
        b = s->entry[*block].block;
        *at = 0;
    }
    return b->range[*at].begin < end;
}

int live_overlaps(const live_set *s, uint64_t begin, uint64_t end)
{
    size_t block;
    uint32_t at;
    return live_first(s, begin, end, &block, &at);
}

int live_remove(live_set *s, uint64_t begin, uint64_t end)
{
    size_t i;
    uint32_t at, n;
    while (live_first(s, begin, end, &i, &at)) {
        live_block *b = live_own(s, i);
        if (b == NULL) return 0;
        for (n = at + 1; n < b->count && b->range[n].begin < end; n++) {}
        memmove(b->range + at, b->range + n, (b->count - n) * sizeof *b->range);
        b->count -= n - at;
        if (b->count == 0) live_drop_block(s, i);
        else s->entry[i].begin = b->range[0].begin;
    }
    return 1;
}

/* Puts a block before block i; begin: of its first range. Returns 0: out of memory. */
static int live_put(live_set *s, size_t i, live_block *b, uint64_t begin)
{
    if (s->count == s->cap) {
        const size_t cap = s->cap * 2 + 4;
        live_entry *more = (live_entry *)realloc(s->entry, cap * sizeof *more);
        if (more == NULL) return 0;
        s->entry = more;
        s->cap = cap;
    }
    memmove(s->entry + i + 1, s->entry + i, (s->count++ - i) * sizeof *s->entry);
    s->entry[i].begin = begin;
    s->entry[i].block = b;
    return 1;
}

/* A new, empty block before block i; begin: of what comes first in it. */
static live_block *live_block_new(live_set *s, size_t i, uint64_t begin)
{
    live_block *b = (live_block *)malloc(sizeof *b);
    if (b == NULL) return NULL;
    b->count = 0;
    b->sets = 1;
    if (live_put(s, i, b, begin)) return b;
    free(b);
    return NULL;
}

/* A full block becomes two: halves, or itself and an empty one if what comes next comes last. */
static int live_split(live_set *s, size_t i, uint64_t address)
{
    live_block *b = live_own(s, i), *next;
    uint32_t keep;
    if (b == NULL) return 0;
    keep = address > b->range[LIVE_BLOCK - 1].begin ? LIVE_BLOCK : LIVE_BLOCK / 2;
    next = live_block_new(s, i + 1, keep != LIVE_BLOCK ? b->range[keep].begin : address);
    if (next == NULL) return 0;
    memcpy(next->range, b->range + keep, (LIVE_BLOCK - keep) * sizeof *b->range);
    next->count = LIVE_BLOCK - keep;
    b->count = keep;
    return 1;
}

int live_add(live_set *s, const live_range *r)
{
    size_t i = s->count != 0 ? live_block_of(s, r->begin) : 0;
    live_block *b;
    uint32_t at;
    if (s->count == 0 && live_block_new(s, 0, r->begin) == NULL) return 0;
    if (s->entry[i].block->count == LIVE_BLOCK) {
        if (!live_split(s, i, r->begin)) return 0;
        i += s->entry[i + 1].begin <= r->begin;
    }
    b = live_own(s, i);
    if (b == NULL) return 0;
    at = live_before(b, r->begin);
    memmove(b->range + at + 1, b->range + at, (b->count++ - at) * sizeof *b->range);
    b->range[at] = *r;
    s->entry[i].begin = b->range[0].begin;
    return 1;
}

int live_copy(live_set *to, const live_set *from)
{
    size_t i;
    for (i = 0; i < from->count; i++) {
        if (!live_put(to, i, from->entry[i].block, from->entry[i].begin)) return 0;
        from->entry[i].block->sets++;
    }
    return 1;
}

void live_clear(live_set *s)
{
    while (s->count != 0) live_release(s->entry[--s->count].block);
    free(s->entry);
    memset(s, 0, sizeof *s);
}
