/* entry.c - entries of debug information: their attributes, names and ranges */
#include "private.h"

/* The bytes of a unit's entries. */
debug_bytes debug_entries(const debug_source *s)
{
    return debug_bytes_of(s->file->section[SECTION_INFO].data + s->root, (size_t)(s->end - s->root));
}

/* Reads a value as it is encoded: a number, an offset, an index. Returns 0: it is none of these, or damaged. */
static int value_read(const debug_source *s, debug_bytes *b, unsigned *form, uint64_t *value)
{
    unsigned size = debug_form_size(*form, s->address_size, s->wide, s->version);
    const unsigned char *zero;
    if (*form == 0x16) {                                   /* indirect: the form is in the entry */
        *form = (unsigned)debug_leb(b, 0);
        if (*form == 0x16 || *form == 0x21) return b->bad = 1, 0;
        size = debug_form_size(*form, s->address_size, s->wide, s->version);
    }
    if (size != 0xffffffff) {
        *value = debug_fixed(b, size);
        return 1;
    }
    switch (*form) {
    case 0x08:                                             /* string */
        *value = (uint64_t)(b->p - s->file->section[SECTION_INFO].data);
        zero = (const unsigned char *)memchr(b->p, 0, (size_t)(b->end - b->p));
        if (zero != NULL) b->p = zero + 1;
        else b->bad = 1;
        return 1;
    case 0x0d: *value = debug_leb(b, 1); return 1;
    case 0x0f: case 0x15: case 0x1a: case 0x1b: case 0x22: case 0x23: case 0x1f01: case 0x1f02:
        *value = debug_leb(b, 0);
        return 1;
    case 0x03: debug_skip(b, debug_fixed(b, 2)); return 0;               /* blocks */
    case 0x04: debug_skip(b, debug_fixed(b, 4)); return 0;
    case 0x0a: debug_skip(b, debug_fixed(b, 1)); return 0;
    case 0x09: case 0x18: debug_skip(b, debug_leb(b, 0)); return 0;
    default: b->bad = 1;
    }
    return 0;
}

/* Reads the next entry. Returns 1; 0: damaged, or the end. */
int debug_entry_read(debug_info *d, const debug_source *s, debug_bytes *b, debug_entry *e)
{
    const debug_table *t;
    const debug_abbreviation *a;
    const debug_op *op, *end;
    uint64_t code;
    e->offset = (uint64_t)(b->p - s->file->section[SECTION_INFO].data);
    e->has = 0;
    e->tag = 0;
    e->children = 0;
    code = debug_leb(b, 0);
    if (b->bad) return 0;
    if (code == 0) return 1;
    t = debug_table_of(d, s);
    a = t != NULL ? debug_abbreviation_of(t, code) : NULL;
    if (a == NULL) return 0;
    e->tag = a->tag;
    e->children = a->children;
    for (op = t->op + a->first, end = op + a->count; op != end; op++) {
        unsigned form = op->form;
        uint64_t value = op->value;
        if (form == 0) {
            debug_skip(b, value);
            continue;
        }
        if (form != 0x21 && !value_read(s, b, &form, &value)) continue;
        if (op->at == AT_COUNT) continue;
        e->has |= 1u << op->at;
        e->form[op->at] = (uint16_t)form;
        e->value[op->at] = value;
    }
    return !b->bad;
}

/* The entry at an offset of .debug_info, which must be in the unit. */
int debug_entry_at(debug_info *d, const debug_source *s, uint64_t offset, debug_entry *e)
{
    debug_bytes b = debug_entries(s);
    if (offset < s->root || offset >= s->end) return 0;
    b.p += offset - s->root;
    return debug_entry_read(d, s, &b, e) && e->tag != 0;
}

/* ----- values ----- */

static const char *string_at(const debug_section *in, uint64_t offset)
{
    const unsigned char *p;
    if (offset >= in->size) return NULL;
    p = in->data + offset;
    return memchr(p, 0, in->size - (size_t)offset) != NULL ? (const char *)p : NULL;
}

/* A number of `size` bytes at an offset of a section; 0 if that is outside. */
static uint64_t number_at(const debug_section *in, uint64_t base, uint64_t index, unsigned size)
{
    debug_bytes b;
    if (index > in->size || base > in->size || base + index * size > in->size) return 0;
    b = debug_bytes_of(in->data + base + index * size, in->size - (size_t)(base + index * size));
    return debug_fixed(&b, size);
}

/* A string; NULL: there is none. */
const char *debug_text(const debug_source *s, const debug_entry *e, unsigned at)
{
    const debug_section *const in = s->file->section;
    const debug_file *const alt = s->file->alt;
    if (!(e->has >> at & 1)) return NULL;
    switch (e->form[at]) {
    case 0x08: return string_at(&in[SECTION_INFO], e->value[at]);
    case 0x0e: return string_at(&in[SECTION_STR], e->value[at]);
    case 0x1f: return string_at(&in[SECTION_LINE_STR], e->value[at]);
    case 0x1d: case 0x1f21: return alt != NULL ? string_at(&alt->section[SECTION_STR], e->value[at]) : NULL;
    case 0x1a: case 0x25: case 0x26: case 0x27: case 0x28: case 0x1f02:
        if (s->offsets + (e->value[at] + 1) * s->wide > in[SECTION_OFFSETS].size) return NULL;
        return string_at(&in[SECTION_STR], number_at(&in[SECTION_OFFSETS], s->offsets, e->value[at], s->wide));
    default: return NULL;
    }
}

/* The address with an index. */
uint64_t debug_indexed(const debug_source *s, uint64_t index)
{
    return number_at(&s->main->section[SECTION_ADDR], s->addresses, index, s->address_size);
}

static int is_index(unsigned form)
{
    return form == 0x1b || form == 0x1f01 || (form >= 0x29 && form <= 0x2c);
}

/* An address, or the end of one as its distance from AT_LOW. */
uint64_t debug_address(const debug_source *s, const debug_entry *e, unsigned at)
{
    if (is_index(e->form[at])) return debug_indexed(s, e->value[at]);
    if (at == AT_HIGH && e->form[at] != 0x01) return debug_address(s, e, AT_LOW) + e->value[at];
    return e->value[at];
}

uint32_t debug_number(const debug_entry *e, unsigned at)
{
    return e->has >> at & 1 ? (uint32_t)e->value[at] : 0;
}

/* The unit of the file that several programs share. NULL: none. */
static const debug_source *alt_source_at(const debug_info *d, uint64_t offset)
{
    size_t a = 0, b = d->alt_units;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (d->alt_unit[m].begin <= offset) a = m + 1;
        else b = m;
    }
    return a != 0 ? &d->alt_unit[a - 1] : NULL;
}

/* The unit with the entry at an offset: s itself, or another one of the program. NULL: none. */
const debug_source *debug_source_at(const debug_info *d, const debug_source *s, uint64_t offset)
{
    size_t a = 0, b = d->units;
    if (offset >= s->root && offset < s->end) return s;
    if (s->file == d->alt) return alt_source_at(d, offset);
    if (s->file != d->main) return NULL;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (d->unit[m].in.begin <= offset) a = m + 1;
        else b = m;
    }
    return a != 0 ? &d->unit[a - 1].in : NULL;
}

/* ----- names ----- */

/* A reference to what several programs share: GNU_ref_alt, ref_sup4, ref_sup8. */
static int form_is_alt(unsigned form)
{
    return form == 0x1f20 || form == 0x1c || form == 0x24;
}

/* The entry that one refers to. *s becomes its unit. Returns 0: none, or damaged. */
static int refer(debug_info *d, const debug_source **s, const debug_entry *from, debug_entry *to)
{
    const unsigned at = from->has >> AT_ORIGIN & 1 ? AT_ORIGIN : AT_SPECIFICATION;
    uint64_t offset;
    if (!(from->has >> at & 1)) return 0;
    offset = from->value[at];
    if (form_is_alt(from->form[at])) *s = (*s)->file->alt != NULL ? alt_source_at(d, offset) : NULL;
    else if (from->form[at] == 0x10) *s = debug_source_at(d, *s, offset);     /* ref_addr */
    else if (from->form[at] >= 0x11 && from->form[at] <= 0x15) offset += (*s)->begin;
    else return 0;
    return *s != NULL && debug_entry_at(d, *s, offset, to);
}

/* Adds what the entry itself says to what was said before. */
static void name_add(debug_named *n, const debug_source *s, const debug_entry *e)
{
    if (n->linkage == NULL) n->linkage = debug_text(s, e, AT_LINKAGE);
    if (n->plain == NULL) n->plain = debug_text(s, e, AT_NAME);
    if (!n->has_line && e->has >> AT_DECL_LINE & 1) {
        n->has_line = 1;
        n->line = (uint32_t)e->value[AT_DECL_LINE];
        n->decl_file = e->has >> AT_DECL_FILE & 1 ? (uint32_t)e->value[AT_DECL_FILE] : UINT32_MAX;
        n->source = s;
    }
}

/* The names on the chain of references that begins with an entry, the entry included. */
static debug_named name_read(debug_info *d, const debug_source *s, const debug_entry *e)
{
    debug_entry now = *e, to;
    debug_named n;
    int steps;
    memset(&n, 0, sizeof n);
    name_add(&n, s, e);
    if (e->tag != DEBUG_SUBPROGRAM && e->tag != DEBUG_INLINED && !debug_keep_name(d, s, e)) d->no_memory = 1;
    for (steps = 0; steps < 16 && refer(d, &s, &now, &to); steps++) {
        now = to;
        name_add(&n, s, &now);
    }
    return n;
}

/* The same for an entry that others refer to, which is asked for again and again. */
static debug_named name_cached(debug_info *d, const debug_source *s, const debug_entry *e)
{
    debug_named *const slot = &d->named[(e->offset ^ e->offset >> 10) % DEBUG_NAMES];
    if (slot->file != s->file || slot->offset != e->offset) {
        *slot = name_read(d, s, e);
        slot->file = s->file;
        slot->offset = e->offset;
    }
    return *slot;
}

/*
 * The names and the first line of a function or of an inlined copy of one: its own, else those that it refers to.
 */
debug_named debug_name(debug_info *d, const debug_source *s, const debug_entry *e)
{
    debug_named n, more;
    debug_entry to;
    memset(&n, 0, sizeof n);
    name_add(&n, s, e);
    if (!refer(d, &s, e, &to)) return n;
    more = name_cached(d, s, &to);
    if (n.linkage == NULL) n.linkage = more.linkage;
    if (n.plain == NULL) n.plain = more.plain;
    if (n.has_line) return n;
    n.line = more.line;
    n.decl_file = more.decl_file;
    n.source = more.source;
    return n;
}

/*
 * Notes the length of the name that an entry of a function has itself; one without code, too, since others may refer
 * to it. Strings may be shared: without a limit n functions could each have the end of one string of n bytes.
 */
int debug_keep_name(debug_info *d, const debug_source *s, const debug_entry *e)
{
    const char *const linkage = debug_text(s, e, AT_LINKAGE);
    const char *const name = linkage != NULL ? linkage : debug_text(s, e, AT_NAME);
    const size_t n = name != NULL ? strlen(name) : 0;
    if (n > d->name_room) return d->no_room = 2, 0;
    d->name_room -= n;
    return 1;
}

/* ----- ranges: a pair of addresses, or a list, before DWARF 5 or of it ----- */

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

int debug_is_code(const debug_info *d, uint64_t begin, uint64_t end)
{
    return begin < end && begin < UINT64_MAX - 1 && begin >= d->how.first;
}

/*
 * A range of a list is kept. Lists may be shared: without a limit n functions with one list of n ranges would take
 * memory for n * n. What compilers write has 13 bytes or more per range, with its address, its code and its entry.
 */
int debug_keep(debug_info *d, const debug_span *r)
{
    if (r->list.p == NULL) return 1;
    if (d->room != 0) return d->room--, 1;
    return d->no_room = 1, 0;
}
