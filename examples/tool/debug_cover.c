/* debug_cover.c - which unit an address is of */
#include "debug_private.h"

typedef struct cover_end {        /* a place where a unit begins or ends */
    uint64_t address;
    uint32_t unit, opens;
} cover_end;

typedef struct cover_list {
    cover_end *end;
    size_t count, cap;
} cover_list;

static int cover_end_cmp(const void *a, const void *b)
{
    const cover_end *x = (const cover_end *)a, *y = (const cover_end *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static int cover_list_add(cover_list *l, uint64_t begin, uint64_t end, size_t unit)
{
    if (begin >= end) return 1;
    if (!debug_room(&l->end, l->count + 1, &l->cap, sizeof *l->end)) return 0;
    l->end[l->count].address = begin;
    l->end[l->count].unit = (uint32_t)unit;
    l->end[l->count++].opens = 1;
    l->end[l->count].address = end;
    l->end[l->count].unit = (uint32_t)unit;
    l->end[l->count++].opens = 0;
    return 1;
}

/* The unit whose header is at an offset of .debug_info: units stand in the order of the file. */
static size_t unit_at_offset(const debug_info *d, uint64_t offset)
{
    size_t a = 0, b = d->units;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (d->unit[m].in.begin < offset) a = m + 1;
        else b = m;
    }
    return a < d->units && d->unit[a].in.begin == offset ? a : SIZE_MAX;
}

/* Reads a set of .debug_aranges: the ranges of one unit. Returns 0: out of memory. */
static int cover_set(debug_info *d, cover_list *l, debug_bytes b, const unsigned char *begin, unsigned wide)
{
    const unsigned version = (unsigned)debug_fixed(&b, 2);
    const size_t unit = unit_at_offset(d, debug_fixed(&b, wide));
    const unsigned size = (unsigned)debug_fixed(&b, 1), segment = (unsigned)debug_fixed(&b, 1);
    if (b.bad || version != 2 || size == 0 || size > 8 || segment != 0 || unit == SIZE_MAX) return 1;
    debug_skip(&b, (2 * size - (uint64_t)(b.p - begin) % (2 * size)) % (2 * size));
    while (b.p != b.end) {
        const uint64_t at = debug_fixed(&b, size), bytes = debug_fixed(&b, size);
        if (b.bad || (at == 0 && bytes == 0)) break;
        d->unit[unit].listed = 1;
        if (at <= UINT64_MAX - bytes && !cover_list_add(l, at, at + bytes, unit)) return 0;
    }
    return 1;
}

/* What .debug_aranges says, and for units that are not there their own ranges. */
static int cover_collect(debug_info *d, cover_list *l)
{
    const debug_section *const in = &d->main->section[SECTION_ARANGES];
    debug_bytes b = debug_bytes_of(in->data, in->size);
    unsigned wide;
    size_t i;
    while (b.p != b.end) {
        debug_bytes set = b;
        if (!debug_length(&set, &wide)) break;
        if (!cover_set(d, l, set, b.p, wide)) return 0;
        b.p = set.end;
    }
    for (i = 0; i < d->units; i++) {
        const debug_source *const s = &d->unit[i].in;
        debug_entry e;
        debug_span r;
        if (d->unit[i].listed || !debug_entry_at(d, s, s->root, &e)) continue;
        for (r = debug_span_of(s, &e); debug_span_next(&r);)
            if (r.begin < UINT64_MAX - 1 && (d->how.llvm || r.begin >= d->how.first) &&
                (!debug_keep(d, &r) || !cover_list_add(l, r.begin, r.end, i)))
                return 0;
    }
    return !d->no_memory;
}

/* Where units overlap, the one before goes on while it is open; else the first of the file is taken. */
static int cover_sweep(debug_info *d, cover_list *l, uint32_t *open)
{
    uint32_t lowest = UINT32_MAX;
    uint64_t before = 0;
    size_t i, live = 0;
    if (l->count != 0) qsort(l->end, l->count, sizeof *l->end, cover_end_cmp);
    for (i = 0; i < l->count; i++) {
        const cover_end *e = &l->end[i];
        debug_cover *last = d->covers != 0 ? &d->cover[d->covers - 1] : NULL;
        if (live != 0 && before < e->address) {
            if (last != NULL && last->end == before && open[last->unit] != 0) last->end = e->address;
            else {
                for (; open[lowest] == 0; lowest++) {}
                if (!debug_room(&d->cover, d->covers, &d->cover_cap, sizeof *d->cover)) return 0;
                d->cover[d->covers].begin = before;
                d->cover[d->covers].end = e->address;
                d->cover[d->covers].next = 0;
                d->cover[d->covers++].unit = lowest;
            }
        }
        if (e->opens) {
            open[e->unit]++;
            if (live++ == 0 || e->unit < lowest) lowest = e->unit;
        } else {
            open[e->unit]--;
            live--;
        }
        before = e->address;
    }
    return 1;
}

int debug_cover_make(debug_info *d)
{
    uint32_t *open = (uint32_t *)calloc(d->units + 1, sizeof *open);
    cover_list l;
    size_t i;
    int ok;
    memset(&l, 0, sizeof l);
    ok = open != NULL && cover_collect(d, &l) && cover_sweep(d, &l, open);
    for (i = d->covers; ok && i-- > 0;) {
        debug_unit *u = &d->unit[d->cover[i].unit];
        d->cover[i].next = u->cover;
        u->cover = (uint32_t)i + 1;
    }
    free(open);
    free(l.end);
    return ok;
}

void debug_info_units_in(const debug_info *d, const debug_areas *in, unsigned char *mark)
{
    size_t i, at = 0;
    for (i = 0; i < d->covers; i++) {
        for (; at < in->n && in->v[at].end <= d->cover[i].begin; at++) {}
        if (at < in->n && in->v[at].begin < d->cover[i].end) mark[d->cover[i].unit] = 1;
    }
}
