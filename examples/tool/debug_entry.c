/* debug_entry.c - entries of debug information: their attributes, and what they are called */
#include "debug_private.h"

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
    if (!(e->has >> at & 1)) return NULL;
    switch (e->form[at]) {
    case 0x08: return string_at(&in[SECTION_INFO], e->value[at]);
    case 0x0e: return string_at(&in[SECTION_STR], e->value[at]);
    case 0x1f: return string_at(&in[SECTION_LINE_STR], e->value[at]);
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

/* ----- names ----- */

/* The entry that one refers to. *s becomes its unit. Returns 0: none, or damaged. */
static int refer(debug_info *d, const debug_source **s, const debug_entry *from, debug_entry *to)
{
    const unsigned at = from->has >> AT_ORIGIN & 1 ? AT_ORIGIN : AT_SPECIFICATION;
    uint64_t offset;
    if (!(from->has >> at & 1)) return 0;
    offset = from->value[at];
    if (from->form[at] == 0x10) *s = debug_source_at(d, *s, offset);     /* ref_addr */
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
    if (!n.has_line) n.line = more.line;
    return n;
}
