/* debug_span.c - the ranges of an entry: a pair of addresses, or a list, before DWARF 5 or of it */
#include "debug_private.h"

static uint64_t address_mask(const debug_source *s)
{
    return s->address_size < 8 ? ((uint64_t)1 << (8 * s->address_size)) - 1 : UINT64_MAX;
}

/* Where the list of an entry begins in its section; UINT64_MAX: damaged. */
static uint64_t list_offset(const debug_source *s, const debug_entry *e)
{
    const uint64_t v = e->value[AT_RANGES];
    const debug_section *const in = &s->file->section[SECTION_LISTS];
    debug_bytes b;
    if (s->version < 5) return v + s->ranges;
    if (e->form[AT_RANGES] != 0x23) return v;              /* rnglistx: an index into a table of offsets */
    if (v > in->size / s->wide || s->lists > in->size || s->lists + v * s->wide > in->size) return UINT64_MAX;
    b = debug_bytes_of(in->data + s->lists + v * s->wide, in->size - (size_t)(s->lists + v * s->wide));
    return s->lists + debug_fixed(&b, s->wide);
}

debug_span debug_span_of(const debug_source *s, const debug_entry *e)
{
    debug_span r;
    memset(&r, 0, sizeof r);
    r.source = s;
    if (e->has >> AT_LOW & 1 && e->has >> AT_HIGH & 1) {
        r.alone = 1;
        r.begin = debug_address(s, e, AT_LOW);
        r.end = debug_address(s, e, AT_HIGH);
    } else if (e->has >> AT_RANGES & 1) {
        const debug_section *const in =
            s->version < 5 ? &s->main->section[SECTION_RANGES] : &s->file->section[SECTION_LISTS];
        const uint64_t at = list_offset(s, e);
        r.version = s->version;
        r.base = s->low;
        if (at < in->size) r.list = debug_bytes_of(in->data + at, in->size - (size_t)at);
    }
    return r;
}

/* .debug_ranges: pairs of addresses; a pair that begins with all ones sets what they are relative to. */
static int next_pair(debug_span *r)
{
    const unsigned size = r->source->address_size;
    for (;;) {
        const uint64_t a = debug_fixed(&r->list, size), b = debug_fixed(&r->list, size);
        if (r->list.bad || (a == 0 && b == 0)) return 0;
        if (a == address_mask(r->source)) r->base = b;
        else {
            r->begin = a + r->base;
            r->end = b + r->base;
            if (a < address_mask(r->source) - 1) return 1;
        }
    }
}

/* .debug_rnglists. One switch. */
static int next_of_list(debug_span *r)
{
    const unsigned size = r->source->address_size;
    for (;;) {
        const unsigned kind = (unsigned)debug_fixed(&r->list, 1);
        const uint64_t a = kind == 5 || kind == 6 || kind == 7 ? debug_fixed(&r->list, size)
                           : kind != 0                         ? debug_leb(&r->list, 0)
                                                               : 0;
        const uint64_t b = kind == 6                           ? debug_fixed(&r->list, size)
                           : kind >= 2 && kind <= 7 && kind != 5 ? debug_leb(&r->list, 0)
                                                                 : 0;
        if (r->list.bad) return 0;
        switch (kind) {
        case 1: r->base = debug_indexed(r->source, a); continue;
        case 5: r->base = a; continue;
        case 2:
            r->begin = debug_indexed(r->source, a);
            r->end = debug_indexed(r->source, b);
            return 1;
        case 3:
            r->begin = debug_indexed(r->source, a);
            r->end = r->begin + b;
            return 1;
        case 4:
            r->begin = r->base + a;
            r->end = r->base + b;
            if (r->base == address_mask(r->source)) continue;
            return 1;
        case 6: r->begin = a; r->end = b; return 1;
        case 7: r->begin = a; r->end = a + b; return 1;
        default: return 0;
        }
    }
}

/* The next range, in r->begin and r->end; it may be empty. Returns 0: there is none, or the list is damaged. */
int debug_span_next(debug_span *r)
{
    debug_file *const f = r->source->file;
    const int alone = r->alone;
    r->alone = 0;
    if (alone) return 1;
    if (r->list.p == NULL || f->work == 0) return 0;
    f->work--;
    return r->version < 5 ? next_pair(r) : next_of_list(r);
}
