/* load_owner.h - the part of load.h that says whose code is where; load.h includes it once, with LOAD_IMPLEMENTATION
 *
 * The probes in a region say whose code it is: that of the function whose record they are in. Only where a region has
 * probes of several functions (a compiler that lost how code was inlined writes such records) its names decide which
 * of them it is: a symbol is called as its function, perhaps with suffixes, whichever they are.
 */
#ifndef CSSPGO_EXAMPLES_LOAD_OWNER_H
#define CSSPGO_EXAMPLES_LOAD_OWNER_H

typedef struct load_piece {       /* what a record has in a region */
    uint32_t region, record;
    uint64_t lowest;              /* address of a probe                             */
    int      entry;               /* the probe of its function's entry block is here */
} load_piece;

typedef struct load_owning {
    const load_regions *r;
    csspgo_probe_tables t;
    csspgo_descriptor  *descriptor;   /* by GUID                         */
    uint64_t           *func;         /* GUIDs of all records, ascending */
    load_piece         *piece;        /* by region and record            */
    size_t              pieces;
} load_owning;

/* What a name has behind the function's: nothing, a suffix of a further part, or of a clone that has the entry, too. */
typedef enum load_suffix { LOAD_SAME = 0, LOAD_PART = 1, LOAD_RENAMED = 2, LOAD_OTHER = 3 } load_suffix;

int load_range_cmp(const void *a, const void *b)
{
    const load_range *x = (const load_range *)a, *y = (const load_range *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static int load_piece_cmp(const void *a, const void *b)
{
    const load_piece *x = (const load_piece *)a, *y = (const load_piece *)b;
    if (x->region != y->region) return x->region < y->region ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

/* Notes that a record has something at an address. entry: the probe of its function's entry block. */
static void load_piece_add(load_owning *o, size_t record, uint64_t address, int entry)
{
    load_piece *const last = o->pieces != 0 ? &o->piece[o->pieces - 1] : NULL;
    const load_region *g = NULL;
    if (last != NULL && last->record == record) g = &o->r->region[last->region];
    if (g == NULL || address < g->begin || address >= g->end) g = load_region_at(o->r, address);
    if (g == NULL) return;
    if (last != NULL && last->record == record && g == &o->r->region[last->region]) {
        last->entry |= entry;
        if (address < last->lowest) last->lowest = address;
        return;
    }
    o->piece[o->pieces].region = (uint32_t)(g - o->r->region);
    o->piece[o->pieces].record = (uint32_t)record;
    o->piece[o->pieces].lowest = address;
    o->piece[o->pieces++].entry = entry;
}

/* Where all records have probes, and where their symbols are. Returns 0 without memory. */
static int load_pieces(load_owning *o)
{
    size_t i, k;
    o->piece = (load_piece *)malloc((o->t.probe_count + o->t.record_count + 1) * sizeof *o->piece);
    for (i = 0; o->piece != NULL && i < o->t.record_count; i++) {
        const csspgo_probe_record *const r = &o->t.records[i];
        for (k = r->first_probe; k < (size_t)r->first_probe + r->probe_count; k++) {
            const csspgo_probe *const p = &o->t.probes[k];
            load_piece_add(o, i, p->address, p->id == 1 && p->inline_node == r->first_inline + 1);
        }
        if (r->flags & CSSPGO_RECORD_BASED) load_piece_add(o, i, r->address, 0);
    }
    if (o->pieces != 0) qsort(o->piece, o->pieces, sizeof *o->piece, load_piece_cmp);
    return o->piece != NULL;
}

/* The size of name without its last suffix `suffix` (".llvm." takes what follows it along); 0 if it has none. */
size_t load_strip(const char *name, size_t size, const char *suffix)
{
    const size_t k = strlen(suffix);
    size_t i;
    for (i = size < k ? 0 : size - k; i > 0; i--) {
        size_t e = i + k;
        if (memcmp(name + i, suffix, k) != 0) continue;
        while (e < size && ((name[e] >= '0' && name[e] <= '9') || name[e] == '.')) e++;
        return e == size ? i : 0;
    }
    return 0;
}

/* What a symbol's name has behind the first n bytes. */
static load_suffix load_suffix_of(const char *name, size_t size, size_t n)
{
    static const char *const parts[] = { ".cold", ".eh", ".__part." };
    static const char *const renames[] = { ".llvm.", ".resume", ".destroy", ".cleanup" };
    size_t i;
    if (n == size) return LOAD_SAME;
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (load_strip(name, size, parts[i]) >= n) return LOAD_PART;
    for (i = 0; i < sizeof renames / sizeof *renames; i++)
        if (load_strip(name, size, renames[i]) == n) return LOAD_RENAMED;
    return LOAD_OTHER;
}

static int load_is_described(const load_owning *o, uint64_t guid)
{
    return load_descriptor(o->descriptor, o->t.descriptor_count, guid) != NULL;
}

/* Whether a function has one of the pieces [a, b); those without a descriptor count only if none has one. */
static int load_has_piece(const load_owning *o, size_t a, size_t b, uint64_t guid)
{
    int found = 0, described = 0;
    for (; a < b; a++) {
        const uint64_t func = load_record_func(&o->t, o->piece[a].record);
        found |= func == guid;
        described |= load_is_described(o, func);
    }
    return found && (!described || load_is_described(o, guid));
}

enum { LOAD_OF_PIECES, LOAD_OF_DESCRIPTORS, LOAD_OF_RECORDS };   /* among which functions a name is looked for */

static int load_knows(const load_owning *o, int where, size_t a, size_t b, uint64_t guid)
{
    if (where == LOAD_OF_PIECES) return load_has_piece(o, a, b, guid);
    return where == LOAD_OF_DESCRIPTORS ? load_is_described(o, guid) : load_has(o->func, o->t.record_count, guid);
}

/* Takes the first of a region's names that is a function's, as it is or else without suffixes. Returns 0: none is. */
static int load_own_name(const load_owning *o, int where, size_t a, size_t b, load_range *out)
{
    const load_region *const g = &o->r->region[out->region];
    int whole;
    size_t k, size;
    for (whole = 1; whole >= 0; whole--)
        for (k = 0; k < g->names; k++) {
            const load_name *const n = &o->r->name[g->name + k];
            for (size = whole ? n->name_size : load_stem(n->name, n->name_size); size != 0;
                 size = whole ? 0 : load_stem(n->name, size)) {
                const uint64_t guid = csspgo_guid(n->name, size);
                if (!load_knows(o, where, a, b, guid)) continue;
                out->guid = guid;
                out->name = n->name;
                out->name_size = (uint32_t)size;
                out->symbol = n->index;
                out->suffix = (int)load_suffix_of(n->name, n->name_size, size);
                return 1;
            }
        }
    return 0;
}

/* Takes the function of the pieces [a, b) that most likely is the region's. own: only one that its symbol names. */
static int load_own_piece(const load_owning *o, size_t a, size_t b, int own, load_range *out)
{
    const load_piece *best = NULL;
    int most = -1;
    for (; a < b; a++) {
        const load_piece *const p = &o->piece[a];
        const uint64_t func = load_record_func(&o->t, p->record);
        const int described = load_is_described(o, func), score = 2 * described + p->entry;
        if (own && (!described || o->t.records[p->record].symbol != func)) continue;
        if (score < most || (score == most && p->lowest >= best->lowest)) continue;
        most = score;
        best = p;
    }
    if (best == NULL) return 0;
    out->guid = load_record_func(&o->t, best->record);
    out->suffix = own ? LOAD_SAME : LOAD_OTHER;
    return 1;
}

/*
 * Says whose a region is that has the pieces [a, b); 0: nobody's who has probes. LLVM knows it by debug information,
 * and with that all that symbols are called after.
 */
static int load_own_region(const load_owning *o, int llvm, size_t a, size_t b, load_range *out)
{
    if (a == b) return load_own_name(o, LOAD_OF_RECORDS, a, b, out) && out->suffix == LOAD_PART;
    if (load_own_name(o, LOAD_OF_PIECES, a, b, out)) return 1;
    if (llvm) return load_own_name(o, LOAD_OF_RECORDS, a, b, out) && out->suffix == LOAD_PART;
    return load_own_piece(o, a, b, 1, out) || load_own_name(o, LOAD_OF_DESCRIPTORS, a, b, out) ||
           load_own_piece(o, a, b, 0, out);
}

/* ----- entries ---------------------------------------------------------------------------------------------------- */

static int load_owner_cmp(const void *a, const void *b)
{
    const load_range *x = *(const load_range *const *)a, *y = *(const load_range *const *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/*
 * Which ranges are further parts of functions. A symbol with the function's name has its entry, and so has a clone of a
 * known kind; else the probe of the entry block tells, and if there is none any more, each range is a clone.
 * LLVM: a function's only range, and what symbols called canonically have.
 */
static void load_entries(const loaded *l, load_range *const *v, size_t n)
{
    int entry = 0;
    size_t i;
    for (i = 0; i < n; i++) entry |= v[i]->entry;
    for (i = 0; i < n; i++) {
        load_range *const r = v[i];
        r->part = r->suffix == LOAD_PART;
        if (r->suffix != LOAD_OTHER) continue;
        r->part = l->llvm ? n > 1 : entry && !r->entry;
    }
}

/* The same of all functions. Returns 0 without memory. */
static int load_all_entries(loaded *l)
{
    load_range **const v = (load_range **)malloc((l->ranges + 1) * sizeof *v);
    size_t i, k;
    if (v == NULL) return 0;
    for (i = 0; i < l->ranges; i++) v[i] = &l->range[i];
    if (l->ranges != 0) qsort(v, l->ranges, sizeof *v, load_owner_cmp);
    for (i = 0; i < l->ranges; i = k) {
        for (k = i + 1; k < l->ranges && v[k]->guid == v[i]->guid; k++) {}
        load_entries(l, v + i, k - i);
    }
    free(v);
    return 1;
}

/* ----- ranges ----------------------------------------------------------------------------------------------------- */

/* Names that no symbol has are the descriptors', which do not stay. Returns 0 without memory. */
static int load_keep_names(loaded *l, const load_owning *o)
{
    const csspgo_descriptor *d;
    size_t i, size = 1;
    for (i = 0; i < l->ranges; i++) {
        d = l->range[i].name == NULL ? load_descriptor(o->descriptor, o->t.descriptor_count, l->range[i].guid) : NULL;
        if (d != NULL) size += d->name_size;
    }
    l->names = (char *)malloc(size);
    if (l->names == NULL) return 0;
    for (i = 0, size = 0; i < l->ranges; i++) {
        load_range *const r = &l->range[i];
        d = r->name == NULL ? load_descriptor(o->descriptor, o->t.descriptor_count, r->guid) : NULL;
        if (d == NULL || d->name_size > UINT32_MAX) continue;
        memcpy(l->names + size, d->name, d->name_size);
        r->name = l->names + size;
        r->name_size = (uint32_t)d->name_size;
        size += d->name_size;
    }
    return 1;
}

/* Fills in l->range. Returns 0 without memory. */
static int load_ranges(loaded *l, const load_owning *o)
{
    size_t i, a = 0, b = 0, k;
    l->range = (load_range *)calloc(o->r->regions + 1, sizeof *l->range);
    if (l->range == NULL) return 0;
    for (i = 0; i < o->r->regions; i++, a = b) {
        load_range *const r = &l->range[l->ranges];
        while (b < o->pieces && o->piece[b].region == i) b++;
        memset(r, 0, sizeof *r);
        r->begin = o->r->region[i].begin;
        r->end = o->r->region[i].end;
        r->region = (uint32_t)i;
        if (!load_own_region(o, l->llvm, a, b, r)) continue;
        for (k = a; k < b; k++) r->entry |= o->piece[k].entry && load_record_func(&o->t, o->piece[k].record) == r->guid;
        l->ranges++;
    }
    return load_all_entries(l) && load_keep_names(l, o);
}

/* Says which code is of which function, as the records of probes have it: l->range. Returns 0 without memory. */
int load_owners(loaded *l, const csspgo_probe_set *probes)
{
    load_owning o;
    size_t i;
    int ok;
    memset(&o, 0, sizeof o);
    o.r = load_regions_of(l);
    o.t = csspgo_probe_set_tables(probes);
    o.descriptor = load_descriptors(&o.t);
    o.func = (uint64_t *)malloc((o.t.record_count + 1) * sizeof *o.func);
    ok = o.r != NULL && o.descriptor != NULL && o.func != NULL;
    for (i = 0; ok && i < o.t.record_count; i++) o.func[i] = load_record_func(&o.t, i);
    if (ok && o.t.record_count != 0) qsort(o.func, o.t.record_count, sizeof *o.func, load_u64_cmp);
    ok = ok && load_pieces(&o) && load_ranges(l, &o);
    free(o.descriptor);
    free(o.func);
    free(o.piece);
    return ok;
}

/* The range of an address, or NULL. */
const load_range *load_range_at(const loaded *l, uint64_t address)
{
    size_t a = 0, b = l->ranges;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (l->range[m].end <= address) a = m + 1;
        else b = m;
    }
    return a < l->ranges && l->range[a].begin <= address ? &l->range[a] : NULL;
}

/*
 * The inline nodes of probes, for free(); NULL without memory. Clang names calls in code that it moved to a function of
 * its own (NAME.N.extracted, NAME.cold.N) after that, and no descriptor knows it: their probes are numbered as those of
 * the function that the code is of, so they become its.
 */
csspgo_inline_node *load_inlines(const loaded *l, const csspgo_probe_tables *t)
{
    csspgo_inline_node *const v = (csspgo_inline_node *)malloc((t->inline_count + 1) * sizeof *v);
    csspgo_descriptor *const d = v != NULL ? load_descriptors(t) : NULL;
    size_t i;
    if (d == NULL) {
        free(v);
        return NULL;
    }
    if (t->inline_count != 0) memcpy(v, t->inlines, t->inline_count * sizeof *v);
    for (i = 0; !l->llvm && i < t->record_count; i++) {
        const csspgo_probe_record *const r = &t->records[i];
        const load_range *of;
        if (r->probe_count == 0 || load_descriptor(d, t->descriptor_count, v[r->first_inline].guid) != NULL) continue;
        of = load_range_at(l, t->probes[r->first_probe].address);
        if (of != NULL && load_descriptor(d, t->descriptor_count, of->guid) != NULL) v[r->first_inline].guid = of->guid;
    }
    free(d);
    return v;
}
#endif
