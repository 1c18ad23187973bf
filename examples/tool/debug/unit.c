/* unit.c - units of .debug_info, the .dwo and .dwp files that have the entries of split ones, and their code */
#include "private.h"

enum { UNIT_TYPE = 2, UNIT_SKELETON = 4, UNIT_SPLIT = 5, UNIT_SPLIT_TYPE = 6 };

/* Reads the header of the unit at b; b moves behind the unit. Returns 0: damaged; no further unit can be found. */
static int header_read(debug_file *f, debug_bytes *b, debug_source *s)
{
    const unsigned char *const data = f->section[SECTION_INFO].data;
    debug_bytes in = *b;
    unsigned wide;
    memset(s, 0, sizeof *s);
    s->file = s->main = f;
    s->begin = (uint64_t)(b->p - data);
    if (!debug_length(&in, &wide)) return 0;
    b->p = in.end;
    s->wide = (uint8_t)wide;
    s->end = (uint64_t)(in.end - data);
    s->version = (uint8_t)debug_fixed(&in, 2);
    if (s->version >= 5) {
        s->type = (uint8_t)debug_fixed(&in, 1);
        s->address_size = (uint8_t)debug_fixed(&in, 1);
        s->abbreviations = debug_fixed(&in, wide);
        if (s->type == UNIT_SKELETON || s->type == UNIT_SPLIT) s->id = debug_fixed(&in, 8);
        if (s->type == UNIT_TYPE || s->type == UNIT_SPLIT_TYPE) debug_skip(&in, 8 + (uint64_t)wide);
    } else {
        s->abbreviations = debug_fixed(&in, wide);
        s->address_size = (uint8_t)debug_fixed(&in, 1);
    }
    s->root = (uint64_t)(in.p - data);
    if (in.bad || s->version < 2 || s->version > 5 || s->address_size == 0 || s->address_size > 8)
        s->version = 0;                                    /* such a unit is passed over */
    return 1;
}

static uint64_t value_of(const debug_entry *e, unsigned at, uint64_t otherwise)
{
    return e->has >> at & 1 ? e->value[at] : otherwise;
}

/* Takes from the first entry where the unit's parts of other sections begin. */
static void bases_set(debug_source *s, const debug_entry *e)
{
    const uint64_t header = s->version >= 5 ? (uint64_t)s->wide * 2 : 0;
    s->offsets += value_of(e, AT_OFFSETS_BASE, header);
    s->lists += value_of(e, AT_LISTS_BASE, s->wide == 8 ? 20 : 12);
    s->addresses = value_of(e, AT_ADDRESS_BASE, 0);
    s->low = e->has >> AT_LOW & 1 ? debug_address(s, e, AT_LOW) : 0;
    s->lines = value_of(e, AT_LINES, UINT64_MAX);
    s->directory = debug_text(s, e, AT_DIRECTORY);
}

/* ----- split units ----- */

/* The unit of a .dwo file with an id, for free(); part: NULL, or its part of a .dwp file. NULL: it has none. */
static debug_source *split_in(debug_info *d, debug_file *f, const debug_source *skeleton, const debug_part *part)
{
    const debug_section *const in = &f->section[SECTION_INFO];
    debug_bytes b = debug_bytes_of(in->data, in->size);
    debug_source s, *out;
    debug_entry e;
    if (part != NULL) b = debug_bytes_of(in->data + part->offset[SECTION_INFO], part->size[SECTION_INFO]);
    while (b.p != b.end && header_read(f, &b, &s)) {
        debug_bytes entries;
        if (s.version == 0 || s.type == UNIT_TYPE || s.type == UNIT_SPLIT_TYPE) continue;
        if (part != NULL) {
            s.abbreviations += part->offset[SECTION_ABBREV];
            s.offsets = part->offset[SECTION_OFFSETS];
            s.lists = part->offset[SECTION_LISTS];
        }
        entries = debug_entries(&s);
        if (!debug_entry_read(d, &s, &entries, &e) || e.tag == 0) continue;
        if (s.version < 5) s.id = value_of(&e, AT_DWO_ID, 0);
        if (s.id != skeleton->id) continue;
        bases_set(&s, &e);
        s.main = skeleton->file;
        s.addresses = skeleton->addresses;
        s.ranges = skeleton->ranges;
        s.low = skeleton->low;
        out = (debug_source *)malloc(sizeof *out);
        d->no_memory |= out == NULL;
        if (out != NULL) *out = s;
        return out;
    }
    return NULL;
}

/* The split unit in the file `name` of the directory `first`. */
static debug_source *split_at(debug_info *d, const debug_source *skeleton, const char *first, const char *name)
{
    const size_t n = strlen(first);
    const char *const slash = n != 0 && first[n - 1] != '/' ? "/" : "";
    char path[4096];
    debug_file *f;
    if ((size_t)snprintf(path, sizeof path, "%s%s%s", first, slash, name) >= sizeof path) return NULL;
    f = debug_file_split(d, path);
    return f != NULL ? split_in(d, f, skeleton, NULL) : NULL;
}

/*
 * Looks for the split unit: in the .dwp file, else in its .dwo file below the directory of the compilation. If that is
 * a relative path, it begins in the current directory; by default, unlike LLVM, the program's directory is tried, too.
 */
static debug_source *split_find(debug_info *d, const debug_source *skeleton, const debug_entry *e)
{
    const char *const name = debug_text(skeleton, e, AT_DWO_NAME);
    const char *const directory = debug_text(skeleton, e, AT_DIRECTORY);
    debug_source *s = NULL;
    debug_part part;
    if (d->packed != NULL && debug_part_find(d->packed, skeleton->id, &part))
        return split_in(d, d->packed, skeleton, &part);
    if (name == NULL) return NULL;
    if (*name == '/') return split_at(d, skeleton, "", name);
    if (!d->how.llvm) s = split_at(d, skeleton, d->directory, name);
    return s != NULL ? s : split_at(d, skeleton, directory != NULL ? directory : "", name);
}

/* ----- units ----- */

static int unit_add(debug_info *d, const debug_source *s)
{
    debug_bytes b = debug_entries(s);
    const char *producer;
    debug_entry e, root;
    debug_unit *u;
    if (!debug_entry_read(d, s, &b, &e) || e.tag == 0) return !d->no_memory;
    if (!debug_room(&d->unit, d->units, &d->unit_cap, sizeof *d->unit)) return 0;
    u = &d->unit[d->units++];
    memset(u, 0, sizeof *u);
    u->in = *s;
    bases_set(&u->in, &e);
    producer = debug_text(&u->in, &e, AT_PRODUCER);
    u->lines = value_of(&e, AT_LINES, UINT64_MAX);
    if (s->type == UNIT_SKELETON || (s->version < 5 && e.has >> AT_DWO_NAME & 1)) {
        u->in.ranges = value_of(&e, AT_RANGES_BASE, 0);
        if (s->version < 5) u->in.id = value_of(&e, AT_DWO_ID, 0);
        u->split = split_find(d, &u->in, &e);
        u->in.ranges = 0;                                  /* which is for the entries of the other file only */
        d->said.no_split += u->split == NULL;
        if (u->split != NULL && debug_entry_at(d, u->split, u->split->root, &root))
            producer = debug_text(u->split, &root, AT_PRODUCER);
    }
    u->gnu = producer != NULL && strncmp(producer, "GNU", 3) == 0;
    d->said.units++;
    return !d->no_memory;
}

/* Reads the headers of all units. Returns 0: out of memory. */
int debug_units_read(debug_info *d)
{
    const debug_section *const in = &d->main->section[SECTION_INFO];
    debug_bytes b = debug_bytes_of(in->data, in->size);
    debug_source s;
    while (b.p != b.end && header_read(d->main, &b, &s))
        if (s.version != 0 && s.type != UNIT_TYPE && s.type != UNIT_SPLIT_TYPE && !unit_add(d, &s)) return 0;
    return 1;
}

int debug_alt_read(debug_info *d)
{
    const debug_section *const in = &d->alt->section[SECTION_INFO];
    debug_bytes b = debug_bytes_of(in->data, in->size);
    debug_source s;
    while (b.p != b.end && header_read(d->alt, &b, &s)) {
        debug_bytes entries = debug_entries(&s);
        debug_entry e;
        if (s.version == 0 || s.type == UNIT_TYPE || s.type == UNIT_SPLIT_TYPE) continue;
        if (!debug_entry_read(d, &s, &entries, &e) || e.tag == 0) continue;
        bases_set(&s, &e);
        if (!debug_room(&d->alt_unit, d->alt_units, &d->alt_cap, sizeof *d->alt_unit)) return 0;
        d->alt_unit[d->alt_units++] = s;
    }
    return !d->no_memory;
}

/* ----- which unit an address is of ----- */

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
