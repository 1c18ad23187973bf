/* table.c - abbreviations: how the entries of a unit are encoded
 *
 * A table becomes steps: the few attributes that are wanted, of the few kinds of entries that have code, and runs of
 * bytes to skip between them. Most entries are one run.
 */
#include "private.h"

/* Bytes of a value, or 0xffffffff: it depends on the value. */
unsigned debug_form_size(unsigned form, unsigned address_size, unsigned wide, unsigned version)
{
    switch (form) {
    case 0x01: return address_size;                                      /* addr */
    case 0x0b: case 0x0c: case 0x11: case 0x25: case 0x29: return 1;     /* data1 flag ref1 strx1 addrx1 */
    case 0x05: case 0x12: case 0x26: case 0x2a: return 2;
    case 0x27: case 0x2b: return 3;
    case 0x06: case 0x13: case 0x1c: case 0x28: case 0x2c: return 4;
    case 0x07: case 0x14: case 0x20: case 0x24: return 8;
    case 0x1e: return 16;
    case 0x0e: case 0x17: case 0x1d: case 0x1f: case 0x1f20: case 0x1f21: return wide;   /* strp sec_offset ... */
    case 0x10: return version == 2 ? address_size : wide;                /* ref_addr */
    case 0x19: case 0x21: return 0;                                      /* flag_present implicit_const */
    default: return 0xffffffff;
    }
}

/* The attributes that are read. Returns AT_COUNT: it is not wanted. */
static unsigned attribute_of(uint64_t name)
{
    switch (name) {
    case 0x03: return AT_NAME;
    case 0x10: return AT_LINES;
    case 0x11: return AT_LOW;
    case 0x12: return AT_HIGH;
    case 0x1b: return AT_DIRECTORY;
    case 0x25: return AT_PRODUCER;
    case 0x31: return AT_ORIGIN;
    case 0x3a: return AT_DECL_FILE;
    case 0x3b: return AT_DECL_LINE;
    case 0x47: return AT_SPECIFICATION;
    case 0x55: return AT_RANGES;
    case 0x59: return AT_CALL_LINE;
    case 0x6e: case 0x2007: return AT_LINKAGE;
    case 0x72: return AT_OFFSETS_BASE;
    case 0x73: case 0x2133: return AT_ADDRESS_BASE;
    case 0x74: return AT_LISTS_BASE;
    case 0x76: case 0x2130: return AT_DWO_NAME;
    case 0x2131: return AT_DWO_ID;
    case 0x2132: return AT_RANGES_BASE;
    case 0x2136: return AT_DISCRIMINATOR;
    default: return AT_COUNT;
    }
}

/* Entries with code, and those that they refer to; units (also partial and skeleton). */
static int tag_matters(uint64_t tag)
{
    return tag == DEBUG_SUBPROGRAM || tag == DEBUG_INLINED || tag == DEBUG_COMPILE_UNIT || tag == 0x3c || tag == 0x4a;
}

/* Adds a step; bytes to skip join those before. Returns 0: out of memory. */
static int op_add(debug_table *t, uint32_t first, debug_op op)
{
    debug_op *const last = t->ops > first ? &t->op[t->ops - 1] : NULL;
    if (op.form == 0 && op.value == 0) return 1;
    if (op.form == 0 && last != NULL && last->form == 0 && last->value < 1u << 16) {
        last->value += op.value;
        return 1;
    }
    if (!debug_room(&t->op, t->ops, &t->op_cap, sizeof *t->op)) return 0;
    t->op[t->ops++] = op;
    return 1;
}

/* Reads the attributes of an abbreviation. Returns 0: out of memory. */
static int ops_read(debug_table *t, debug_bytes *b, debug_abbreviation *a)
{
    a->first = (uint32_t)t->ops;
    for (;;) {
        const uint64_t name = debug_leb(b, 0), form = debug_leb(b, 0);
        const uint64_t value = form == 0x21 ? debug_leb(b, 1) : 0;
        debug_op op;
        if (b->bad || (name == 0 && form == 0)) break;
        op.at = (uint8_t)(tag_matters(a->tag) ? attribute_of(name) : AT_COUNT);
        op.form = form < 0xffff ? (uint16_t)form : 0xffff;
        op.value = (uint32_t)value;
        if (op.at == AT_COUNT) {
            const unsigned size = debug_form_size(op.form, t->address_size, t->wide, t->version);
            if (size != 0xffffffff) {
                op.form = 0;
                op.value = size;
            }
        }
        if (!op_add(t, a->first, op)) return 0;
    }
    a->count = (uint32_t)t->ops - a->first;
    return 1;
}

static int abbreviation_cmp(const void *a, const void *b)
{
    const debug_abbreviation *x = (const debug_abbreviation *)a, *y = (const debug_abbreviation *)b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int table_read(debug_table *t, debug_bytes *b)
{
    int sorted = 1;
    for (;;) {
        debug_abbreviation *a;
        const uint64_t code = debug_leb(b, 0);
        uint64_t tag;
        if (b->bad || code == 0) break;
        if (!debug_room(&t->abbreviation, t->abbreviations, &t->abbreviation_cap, sizeof *a)) return 0;
        a = &t->abbreviation[t->abbreviations];
        a->code = code;
        tag = debug_leb(b, 0);
        a->tag = tag <= 0xfffe ? (uint16_t)tag : 0xffff;
        a->children = (uint8_t)debug_fixed(b, 1);
        if (!ops_read(t, b, a)) return 0;
        sorted &= t->abbreviations == 0 || a[-1].code < code;
        t->abbreviations++;
    }
    if (!sorted) qsort(t->abbreviation, t->abbreviations, sizeof *t->abbreviation, abbreviation_cmp);
    return 1;
}

static int table_is(const debug_table *t, const debug_source *s)
{
    return t != NULL && t->offset == s->abbreviations && t->address_size == s->address_size && t->wide == s->wide &&
           t->version == s->version;
}

void debug_table_free(debug_table *t)
{
    if (t == NULL) return;
    free(t->abbreviation);
    free(t->op);
    free(t);
}

/* Frees all tables but the last one if they are large: tables at many offsets of one section may overlap. */
static void tables_bound(debug_file *f, const debug_table *t)
{
    size_t i;
    f->table_bytes += sizeof *t + t->abbreviation_cap * sizeof *t->abbreviation + t->op_cap * sizeof *t->op;
    if (f->table_bytes <= 16 * (uint64_t)f->section[SECTION_ABBREV].size + (1 << 20)) return;
    for (i = 0; i < DEBUG_TABLES; i++) {
        debug_table_free(f->table[i]);
        f->table[i] = NULL;
    }
    f->table_bytes = 0;
}

static debug_table *table_new(debug_info *d, const debug_source *s)
{
    const debug_section *in = &s->file->section[SECTION_ABBREV];
    debug_table *const t = (debug_table *)calloc(1, sizeof *t);
    debug_bytes b;
    d->no_memory |= t == NULL;
    if (t == NULL) return NULL;
    t->offset = s->abbreviations;
    t->address_size = s->address_size;
    t->wide = s->wide;
    t->version = s->version;
    if (t->offset > in->size) return t;
    b = debug_bytes_of(in->data + t->offset, in->size - (size_t)t->offset);
    if (table_read(t, &b)) {
        const uint64_t cost = (uint64_t)(b.p - in->data) - t->offset;
        s->file->work -= cost < s->file->work ? cost : s->file->work;
        tables_bound(s->file, t);
        return t;
    }
    d->no_memory = 1;
    debug_table_free(t);
    return NULL;
}

/* The table in use is the file's last one; the one before it goes back to its place among the others. */
const debug_table *debug_table_of(debug_info *d, const debug_source *s)
{
    debug_file *const f = s->file;
    debug_table **const place = &f->table[(s->abbreviations ^ s->abbreviations >> 8) % DEBUG_TABLES];
    debug_table *t = f->last;
    if (table_is(t, s)) return t;
    if (!table_is(*place, s)) {
        t = f->work != 0 ? table_new(d, s) : NULL;
        if (t == NULL) return NULL;
        debug_table_free(*place);
        *place = t;
    }
    t = *place;
    *place = NULL;
    if (f->last != NULL) {
        debug_table **const back = &f->table[(f->last->offset ^ f->last->offset >> 8) % DEBUG_TABLES];
        debug_table_free(*back);
        *back = f->last;
    }
    return f->last = t;
}

/* NULL: there is none of that code. Codes are 1, 2, 3 ... nearly always. */
const debug_abbreviation *debug_abbreviation_of(const debug_table *t, uint64_t code)
{
    size_t a = 0, b = t->abbreviations;
    if (code - 1 < b && t->abbreviation[code - 1].code == code) return &t->abbreviation[code - 1];
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (t->abbreviation[m].code < code) a = m + 1;
        else b = m;
    }
    return a < t->abbreviations && t->abbreviation[a].code == code ? &t->abbreviation[a] : NULL;
}
