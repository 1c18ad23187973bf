/* debug_unit.c - units of .debug_info, and the .dwo and .dwp files that have the entries of split ones */
#include "debug_private.h"

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

/* The unit with the entry at an offset: s itself, or another one of the program. NULL: none. */
const debug_source *debug_source_at(const debug_info *d, const debug_source *s, uint64_t offset)
{
    size_t a = 0, b = d->units;
    if (offset >= s->root && offset < s->end) return s;
    if (s->file != d->main) return NULL;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (d->unit[m].in.begin <= offset) a = m + 1;
        else b = m;
    }
    return a != 0 ? &d->unit[a - 1].in : NULL;
}
