/* load_find.h - the part of load.h that finds the code of probe records; load.h includes it once, with
 * LOAD_IMPLEMENTATION
 *
 * A record of probes counts its addresses from a symbol that it names by a hash. Symbols get other names (objcopy
 * --redefine-sym), have one name in several units, or are removed (strip); then the symbol table does not say where the
 * record's code is. But the code does: probes stand where instructions begin, those of calls at calls, the region has
 * room for all of them, and few of its calls have none. Where symbols or debug information have a name that goes with
 * the record, that decides. What could be in two places is not found.
 *
 * LOAD_HINTS, if the user defines it, names a function that knows more: load_hint *LOAD_HINTS(const loaded *l, size_t
 * *count) returns names of functions by address (NULL: none; freed here).
 */
#ifndef CSSPGO_EXAMPLES_LOAD_FIND_H
#define CSSPGO_EXAMPLES_LOAD_FIND_H

#ifdef LOAD_HINTS
load_hint *LOAD_HINTS(const loaded *l, size_t *count);
#endif

typedef struct load_point {       /* where probes of a shape stand */
    uint32_t offset;              /* from its symbol               */
    uint8_t  direct, indirect;    /* a probe of a call is there    */
} load_point;

typedef struct load_shape {       /* neighbouring records of one symbol             */
    uint64_t symbol, func;        /* GUIDs; func: the function that the code is of  */
    size_t   record, records;
    size_t   point, points;       /* in load_search.point: by offset, all different */
    size_t   order, place;        /* among the shapes; of the descriptor, SIZE_MAX: it has none */
    uint64_t address, named;      /* named: as symbols tell; LOAD_NOWHERE: not known */
    int      straight;            /* its functions have no branches                 */
} load_shape;

typedef struct load_claim {       /* a name that a region has */
    uint64_t guid;
    size_t   region;
} load_claim;

typedef struct load_fit {         /* of a region */
    uint32_t calls, branches;     /* direct calls, conditional branches      */
    int      taken, start_up;     /* a shape has it; it is start-up code     */
} load_fit;

typedef struct load_search {
    const load_regions  *r;
    csspgo_probe_tables  t;       /* every record at address 0 */
    load_shape *shape;
    load_point *point;
    load_claim *claim;            /* by GUID                        */
    load_fit   *fit;              /* of each region                 */
    uint32_t   *by_size;          /* regions                        */
    unsigned char *mark;          /* of each byte of code, LOAD_... */
    uint64_t   *wanted;           /* GUIDs of shapes' symbols, ascending */
    uint32_t   *left;             /* for the first of equal ones: how many of their shapes are not found yet */
    csspgo_descriptor *descriptor;      /* by GUID                  */
    size_t      shapes, claims;
    int        *table;            /* for load_fill_gap              */
    uint64_t    budget;           /* comparisons left               */
    int         aarch64, calls;   /* calls: they have probes        */
} load_search;

typedef struct load_best {        /* a region that a shape goes with, and how well */
    size_t region;
    int    score;
} load_best;

enum { LOAD_START = 1, LOAD_CALL = 2, LOAD_LEAVES = 4 };   /* an instruction, a direct call, any call or jump */
enum { LOAD_TWINS = 8, LOAD_GAP_SHAPES = 64, LOAD_GAP_REGIONS = 256 };

/* ----- code ------------------------------------------------------------------------------------------------------- */

/* Decodes a region. */
static void load_mark(load_search *w, size_t region)
{
    const load_region *const g = &w->r->region[region];
    const load_text *const text = load_text_at(w->r, g->begin);
    unsigned char *const mark = w->mark + text->mark;
    uint64_t at = g->begin;
    while (at < g->end && !text->is_plt) {
        const unsigned char *const p = text->code + (size_t)(at - text->begin);
        const size_t left = (size_t)(g->end - at);
        csspgo_insn insn;
        if (w->aarch64) csspgo_decode_aarch64(p, left, at, &insn);
        else csspgo_decode_x86_64(p, left, at, &insn);
        if (insn.size != 0) {
            const int call = insn.kind == CSSPGO_CALL, jump = insn.kind == CSSPGO_JMP || insn.kind == CSSPGO_IJMP;
            mark[at - text->begin] =
                (unsigned char)(LOAD_START | (call && insn.has_target ? LOAD_CALL : 0) | (call || jump ? LOAD_LEAVES : 0));
            w->fit[region].calls += call && insn.has_target;
            w->fit[region].branches += insn.kind == CSSPGO_COND;
        }
        at += insn.size != 0 ? insn.size : insn.skip != 0 ? insn.skip : 1;
    }
}

/*
 * 1 if a region is of the C library's start-up code, which is in every program and has no probes: the entry, the empty
 * function behind it (crt1.o), and what crtbegin.o and crti.o name.
 */
static int load_is_start_up(const loaded *l, const load_regions *r, size_t region)
{
    static const char *const names[] = { "_start", "_init", "_fini", "deregister_tm_clones", "register_tm_clones",
                                         "__do_global_dtors_aux", "frame_dummy", "_dl_relocate_static_pie" };
    static const unsigned char empty[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xc3 };       /* endbr64, ret */
    const load_region *const g = &r->region[region];
    const load_text *const text = load_text_at(r, g->begin);
    size_t i, k;
    if (g->begin == l->elf.entry) return 1;
    if (region != 0 && g[-1].begin == l->elf.entry && g->end - g->begin == sizeof empty &&
        memcmp(text->code + (size_t)(g->begin - text->begin), empty, sizeof empty) == 0)
        return 1;
    for (i = 0; i < g->names; i++)
        for (k = 0; k < sizeof names / sizeof *names; k++) {
            const load_name *const n = &r->name[g->name + i];
            if (n->name_size == strlen(names[k]) && memcmp(n->name, names[k], n->name_size) == 0) return 1;
        }
    return 0;
}

static const load_regions *load_sorted;       /* qsort has no argument for the order */

static int load_size_cmp(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const load_region *x = &load_sorted->region[i], *y = &load_sorted->region[k];
    if (x->end - x->begin != y->end - y->begin) return x->end - x->begin < y->end - y->begin ? -1 : 1;
    return i < k ? -1 : i > k;
}

/* Decodes all regions. Returns 0 without memory. */
static int load_marks(const loaded *l, load_search *w, load_regions *r)
{
    size_t i, size = 0;
    for (i = 0; i < r->texts; i++) {
        r->text[i].mark = size;
        size += (size_t)(r->text[i].end - r->text[i].begin);
    }
    w->mark = (unsigned char *)calloc(size + 1, 1);
    w->fit = (load_fit *)calloc(r->regions + 1, sizeof *w->fit);
    w->by_size = (uint32_t *)malloc((r->regions + 1) * sizeof *w->by_size);
    w->table = (int *)malloc(3 * (LOAD_GAP_SHAPES + 1) * (LOAD_GAP_REGIONS + 1) * sizeof *w->table);
    if (w->mark == NULL || w->fit == NULL || w->by_size == NULL || w->table == NULL) return 0;
    for (i = 0; i < r->regions; i++) {
        load_mark(w, i);
        w->by_size[i] = (uint32_t)i;
        w->fit[i].start_up = load_is_start_up(l, r, i);
    }
    load_sorted = r;
    if (r->regions != 0) qsort(w->by_size, r->regions, sizeof *w->by_size, load_size_cmp);
    return 1;
}

/* ----- shapes ----------------------------------------------------------------------------------------------------- */

static int load_point_cmp(const void *a, const void *b)
{
    const load_point *x = (const load_point *)a, *y = (const load_point *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static uint64_t load_record_func(const csspgo_probe_tables *t, size_t record)
{
    return t->inlines[t->records[record].first_inline].guid;
}

/* The descriptor of a GUID among n that are sorted by it, or NULL. */
const csspgo_descriptor *load_descriptor(const csspgo_descriptor *v, size_t n, uint64_t guid)
{
    size_t a = 0, b = n;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (v[m].guid < guid) a = m + 1;
        else b = m;
    }
    return a < n && v[a].guid == guid ? &v[a] : NULL;
}

static int load_descriptor_cmp(const void *a, const void *b)
{
    const csspgo_descriptor *x = (const csspgo_descriptor *)a, *y = (const csspgo_descriptor *)b;
    return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* The descriptors by GUID; NULL without memory. */
csspgo_descriptor *load_descriptors(const csspgo_probe_tables *t)
{
    csspgo_descriptor *v = (csspgo_descriptor *)malloc((t->descriptor_count + 1) * sizeof *v);
    if (v == NULL) return NULL;
    if (t->descriptor_count != 0) memcpy(v, t->descriptors, t->descriptor_count * sizeof *v);
    if (t->descriptor_count != 0) qsort(v, t->descriptor_count, sizeof *v, load_descriptor_cmp);
    return v;
}

/* 1 if neither the functions of a shape's records nor what was inlined into them had a branch, as their checksums say. */
static int load_is_straight(const load_search *w, const load_shape *h)
{
    size_t i, k;
    for (k = h->record; k < h->record + h->records; k++) {
        const csspgo_probe_record *r = &w->t.records[k];
        for (i = 0; i < r->inline_count; i++) {
            const uint64_t guid = w->t.inlines[r->first_inline + i].guid;
            const csspgo_descriptor *d = load_descriptor(w->descriptor, w->t.descriptor_count, guid);
            if (d == NULL || d->checksum >> 32 & 0xffff) return 0;
        }
    }
    return 1;
}

/*
 * The points of a shape, and whose code it is: of the function that its symbol is named after, if there is such a one,
 * else of that with the first probe. A shape with impossible points has none.
 */
static void load_shape_points(load_search *w, load_shape *h)
{
    load_point *const v = w->point + h->point;
    const csspgo_descriptor *d;
    uint64_t lowest = UINT64_MAX;
    size_t i, k, n = 0;
    h->place = SIZE_MAX;
    for (k = h->record; k < h->record + h->records; k++) {
        const csspgo_probe_record *r = &w->t.records[k];
        for (i = 0; i < r->probe_count; i++, n++) {
            const csspgo_probe *p = &w->t.probes[r->first_probe + i];
            if (p->address >= (uint64_t)1 << 31) return;
            v[n].offset = (uint32_t)p->address;
            v[n].direct = p->kind == CSSPGO_PROBE_DIRECT_CALL;
            v[n].indirect = p->kind == CSSPGO_PROBE_INDIRECT_CALL;
            w->calls |= v[n].direct;
            if (p->address >= lowest) continue;
            lowest = p->address;
            h->func = load_record_func(&w->t, k);
        }
    }
    d = load_descriptor(w->descriptor, w->t.descriptor_count, h->symbol);
    h->place = d != NULL ? (size_t)(d->name - w->t.descriptors[0].name) : SIZE_MAX;
    if (d != NULL) h->func = h->symbol;
    h->straight = load_is_straight(w, h);
    if (n != 0) qsort(v, n, sizeof *v, load_point_cmp);
    for (i = 0; i < n; i++) {
        if (h->points == 0 || v[h->points - 1].offset != v[i].offset) {
            v[h->points++] = v[i];
            continue;
        }
        v[h->points - 1].direct |= v[i].direct;
        v[h->points - 1].indirect |= v[i].indirect;
    }
}

/*
 * Joins records to shapes: neighbours of one symbol, whose functions ascend by GUID. Two functions of one name, in two
 * units, have two shapes. Returns 0 without memory.
 */
static int load_shapes(load_search *w)
{
    size_t i, k, point = 0;
    w->shape = (load_shape *)calloc(w->t.record_count + 1, sizeof *w->shape);
    w->point = (load_point *)malloc((w->t.probe_count + 1) * sizeof *w->point);
    w->wanted = (uint64_t *)malloc((w->t.record_count + 1) * sizeof *w->wanted);
    w->left = (uint32_t *)calloc(w->t.record_count + 1, sizeof *w->left);
    if (w->shape == NULL || w->point == NULL || w->wanted == NULL || w->left == NULL) return 0;
    for (i = 0; i < w->t.record_count; i = k) {
        load_shape *const h = &w->shape[w->shapes];
        h->symbol = h->func = w->t.records[i].symbol;
        h->record = i;
        h->point = point;
        h->order = w->shapes;
        h->address = h->named = LOAD_NOWHERE;
        for (k = i + 1; k < w->t.record_count && w->t.records[k].symbol == h->symbol &&
                        load_record_func(&w->t, k) > load_record_func(&w->t, k - 1); k++) {}
        h->records = k - i;
        load_shape_points(w, h);
        for (; i < k; i++) point += w->t.records[i].probe_count;
        w->wanted[w->shapes++] = h->symbol;
    }
    if (w->shapes != 0) qsort(w->wanted, w->shapes, sizeof *w->wanted, load_u64_cmp);
    for (i = k = 0; i < w->shapes; i++) {
        if (w->wanted[i] != w->wanted[k]) k = i;
        w->left[k]++;
    }
    return 1;
}

/* ----- names ------------------------------------------------------------------------------------------------------ */

static int load_claim_cmp(const void *a, const void *b)
{
    const load_claim *x = (const load_claim *)a, *y = (const load_claim *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

static void load_claim_add(load_search *w, uint64_t guid, size_t region)
{
    w->claim[w->claims].guid = guid;
    w->claim[w->claims++].region = region;
}

/* The size of a name without its last suffix: up to its last dot behind something; 0: it has none. */
size_t load_stem(const char *name, size_t size)
{
    while (size > 1 && name[size - 1] != '.') size--;
    return size > 1 ? size - 1 : 0;
}

/* The names of all regions, also without one suffix after the other, and what the user knows. 0 without memory. */
static int load_claims(const loaded *l, load_search *w)
{
    enum { SUFFIXES = 8 };
    const load_regions *const r = w->r;
    load_hint *hint = NULL;
    size_t i, k, hints = 0;
#ifdef LOAD_HINTS
    hint = LOAD_HINTS(l, &hints);
#endif
    (void)l;
    w->claim = (load_claim *)malloc(((size_t)SUFFIXES * r->names + hints + 1) * sizeof *w->claim);
    for (i = 0; w->claim != NULL && i < r->regions; i++)
        for (k = 0; k < r->region[i].names; k++) {
            const load_name *const n = &r->name[r->region[i].name + k];
            size_t size = n->name_size, left = SUFFIXES;
            for (; size != 0 && left-- != 0; size = load_stem(n->name, size))
                load_claim_add(w, csspgo_guid(n->name, size), i);
        }
    for (i = 0; w->claim != NULL && i < hints; i++) {
        const load_region *const g = load_region_at(r, hint[i].address);
        if (g != NULL && g->begin == hint[i].address) load_claim_add(w, hint[i].guid, (size_t)(g - r->region));
    }
    free(hint);
    if (w->claims != 0) qsort(w->claim, w->claims, sizeof *w->claim, load_claim_cmp);
    return w->claim != NULL;
}

/* The first claim of a GUID, or w->claims. */
static size_t load_claim_of(const load_search *w, uint64_t guid)
{
    size_t a = 0, b = w->claims;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (w->claim[m].guid < guid) a = m + 1;
        else b = m;
    }
    return a < w->claims && w->claim[a].guid == guid ? a : w->claims;
}

/* How many names say that a region is a shape's. */
static int load_claimed(const load_search *w, const load_shape *h, size_t region)
{
    const uint64_t guid[2] = { h->symbol, h->func };
    int n = 0, k;
    for (k = 0; k < 1 + (h->func != h->symbol); k++) {
        size_t i = load_claim_of(w, guid[k]);
        for (; i < w->claims && w->claim[i].guid == guid[k]; i++) n += w->claim[i].region == region;
    }
    return n;
}

/* The first of the wanted symbols with this GUID, or one with a larger GUID, or their number. */
static size_t load_wanted_from(const load_search *w, uint64_t guid)
{
    size_t a = 0, b = w->shapes;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (w->wanted[m] < guid) a = m + 1;
        else b = m;
    }
    return a;
}

/* How many shapes have this symbol. */
static size_t load_shapes_of(const load_search *w, uint64_t symbol)
{
    const size_t a = load_wanted_from(w, symbol);
    size_t b;
    for (b = a; b < w->shapes && w->wanted[b] == symbol; b++) {}
    return b - a;
}

/* 1 if a symbol says that a region is another shape's, which was not found elsewhere. */
static int load_is_anothers(const load_search *w, const load_shape *h, size_t region)
{
    const load_region *const g = &w->r->region[region];
    size_t k;
    for (k = 0; k < g->names; k++) {
        const load_name *const n = &w->r->name[g->name + k];
        const uint64_t guid = csspgo_guid(n->name, n->name_size);
        const size_t i = load_wanted_from(w, guid);
        if (guid != h->symbol && i < w->shapes && w->wanted[i] == guid && w->left[i] != 0) return 1;
    }
    return 0;
}

/* ----- the search ------------------------------------------------------------------------------------------------- */

/* How well the code of a region goes with the probes of a shape, in bits; negative: not at all. */
static int load_fits(load_search *w, const load_shape *h, size_t region)
{
    enum { BOUNDARY = 2, CALL = 5, NO_CALL = -6, NO_PROBE = -3, BRANCH = -2, MOST = 1 << 20 };
    const load_region *const g = &w->r->region[region];
    const load_text *const text = load_text_at(w->r, g->begin);
    const load_point *const p = w->point + h->point;
    const unsigned char *const mark = w->mark + text->mark + (g->begin - text->begin);
    const uint64_t size = g->end - g->begin;
    int score = 0, calls = (int)(w->fit[region].calls < MOST ? w->fit[region].calls : MOST);
    size_t i;
    if (w->fit[region].taken || text->is_plt || h->points == 0 || p[h->points - 1].offset > size) return -1;
    for (i = 0; i < h->points && score < MOST; i++) {
        const unsigned char m = p[i].offset < size ? mark[p[i].offset] : (unsigned char)LOAD_START;
        w->budget -= w->budget != 0;
        if (!(m & LOAD_START)) return -1;
        score += w->aarch64 ? 0 : (int)BOUNDARY;
        if (p[i].direct || p[i].indirect)
            score += m & LOAD_LEAVES && (p[i].direct || !(m & LOAD_CALL)) ? (int)CALL : (int)NO_CALL;
        calls -= m & LOAD_CALL ? 1 : 0;
    }
    if (w->calls) score += calls * NO_PROBE;
    if (h->straight) score += (int)(w->fit[region].branches < 100 ? w->fit[region].branches : 100) * BRANCH;
    return score > 0 ? score : 0;
}

static void load_settle(load_search *w, load_shape *h, size_t region)
{
    w->fit[region].taken = 1;
    h->address = w->r->region[region].begin;
    w->left[load_wanted_from(w, h->symbol)]--;
}

/*
 * Takes the region that goes best with a shape among those with a name of it. Of several that go equally well the first
 * one, or none if it has to be the only one. Returns 0 if it takes none.
 */
static int load_find_named(load_search *w, load_shape *h, int only)
{
    const uint64_t guid[2] = { h->symbol, h->func };
    size_t best = 0;
    int most = -1, equals = 0, k;
    for (k = 0; k < 1 + (h->func != h->symbol); k++) {
        size_t i = load_claim_of(w, guid[k]);
        for (; i < w->claims && w->claim[i].guid == guid[k]; i++) {
            const size_t region = w->claim[i].region;
            const int fit = load_fits(w, h, region), score = fit + 64 * load_claimed(w, h, region);
            if (fit < 0 || score < most || load_is_anothers(w, h, region)) continue;
            equals |= score == most && region != best;
            if (score == most) continue;
            equals = 0;
            most = score;
            best = region;
        }
    }
    if (most < 0 || (only && equals)) return 0;
    load_settle(w, h, best);
    return 1;
}

/* Clones of one function have its name: a clone whose code fits only one place leaves one place less to the others. */
static void load_find_all_named(load_search *w)
{
    size_t i, found = 1;
    int only = 1;
    while (found != 0 || only) {
        only = found != 0;                            /* nothing is certain any more: the first one that fits */
        for (i = found = 0; i < w->shapes; i++) {
            if (w->shape[i].address != LOAD_NOWHERE || w->shape[i].points == 0) continue;
            found += (size_t)load_find_named(w, &w->shape[i], only);
        }
    }
}

/*
 * The regions that a shape goes with best, best first, at most so many. Where other code has symbols, code without one
 * is more likely what misses its own. Returns their number; 0 if there were too many comparisons.
 */
static size_t load_find_best(load_search *w, const load_shape *h, load_best *v, size_t most)
{
    enum { NAMELESS = 6 };
    const uint64_t last = w->point[h->point + h->points - 1].offset;
    size_t a = 0, b = w->r->regions, n = 0, k;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        const load_region *const g = &w->r->region[w->by_size[m]];
        if (g->end - g->begin < last) a = m + 1;
        else b = m;
    }
    for (; a < w->r->regions && w->budget != 0; a++) {
        const size_t i = w->by_size[a];
        const load_region *const g = &w->r->region[i];
        int score;
        if (g->end - g->begin > 2 * last + 1024) break;
        score = w->fit[i].start_up ? -1 : load_fits(w, h, i);
        if (score >= 0 && w->r->names != 0 && g->names == 0) score += NAMELESS;
        if (score < 0 || (n == most && score <= v[n - 1].score) || load_is_anothers(w, h, i)) continue;
        for (k = n < most ? n++ : n - 1; k != 0 && v[k - 1].score < score; k--) v[k] = v[k - 1];
        v[k].region = i;
        v[k].score = score;
    }
    return w->budget != 0 ? n : 0;
}

/* 1 if two shapes are of equal code of one function, as clones may be: which of them is where makes no difference. */
static int load_are_twins(const load_search *w, const load_shape *a, const load_shape *b)
{
    const csspgo_probe_record *const x = &w->t.records[a->record], *const y = &w->t.records[b->record];
    const csspgo_probe *const p = w->t.probes + x->first_probe, *const q = w->t.probes + y->first_probe;
    size_t i;
    if (a->func != b->func || a->records != 1 || b->records != 1) return 0;
    if (x->probe_count != y->probe_count || x->inline_count != y->inline_count) return 0;
    for (i = 0; i < x->probe_count; i++)
        if (p[i].address != q[i].address || p[i].id != q[i].id || p[i].kind != q[i].kind ||
            p[i].discriminator != q[i].discriminator ||
            p[i].inline_node - x->first_inline != q[i].inline_node - y->first_inline)
            return 0;
    for (i = 0; i < x->inline_count; i++) {
        const csspgo_inline_node *const d = &w->t.inlines[x->first_inline + i], *const e =
                                             &w->t.inlines[y->first_inline + i];
        if (d->guid != e->guid || d->site != e->site || (d->parent == 0) != (e->parent == 0)) return 0;
        if (d->parent != 0 && d->parent - x->first_inline != e->parent - y->first_inline) return 0;
    }
    return 1;
}

/* The number of twins that are not found yet, from one of them on. */
static size_t load_twins(const load_search *w, size_t first)
{
    size_t n = 1;
    while (n < LOAD_TWINS && first + n < w->shapes && w->shape[first + n].address == LOAD_NOWHERE &&
           load_are_twins(w, &w->shape[first], &w->shape[first + n])) n++;
    return n;
}

/* Takes the only n regions that n twins go with, or go with much better. Returns n; 0: there are others, or too few. */
static size_t load_find_shaped(load_search *w, load_shape *h, size_t n, int margin)
{
    enum { ENOUGH = 5 };
    load_best v[LOAD_TWINS + 1];
    const size_t found = load_find_best(w, h, v, n + 1);
    size_t k;
    if (found < n || v[n - 1].score <= 0) return 0;
    if (found > n && (v[n - 1].score < ENOUGH || v[n - 1].score - v[n].score < margin)) return 0;
    for (k = 0; k < n; k++) load_settle(w, &h[k], v[k].region);
    return n;
}

/* Those with many points first; twins together. */
static int load_shape_cmp(const void *a, const void *b)
{
    const load_shape *x = (const load_shape *)a, *y = (const load_shape *)b;
    if (x->points != y->points) return x->points > y->points ? -1 : 1;
    if (x->func != y->func) return x->func < y->func ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* As the section of probes has them. */
static int load_order_cmp(const void *a, const void *b)
{
    const load_shape *x = (const load_shape *)a, *y = (const load_shape *)b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* In the order of descriptors; then shapes of functions without one. */
static int load_place_cmp(const void *a, const void *b)
{
    const load_shape *x = (const load_shape *)a, *y = (const load_shape *)b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Takes regions in [first, end) for the n shapes of a gap. Those that have their code elsewhere (in sections of their
 * own) leave the others in order: of all choices in order, the one that goes best as a whole counts, for each shape of
 * which any other place makes it much worse.
 */
static void load_fill_gap(load_search *w, load_shape *h, size_t n, size_t first, size_t end)
{
    enum { PLACED = 5, MARGIN = 5 };                      /* bits, as of load_fits */
    const size_t m = end - first, row = m + 1;
    int *const fit = w->table, *const before = fit + n * m, *const behind = before + (n + 1) * row;
    size_t k, i;
    if (n > LOAD_GAP_SHAPES || m > LOAD_GAP_REGIONS || w->budget == 0) return;
    for (k = 0; k < n; k++)
        for (i = 0; i < m; i++) {
            const int is_free = !w->fit[first + i].start_up && !load_is_anothers(w, &h[k], first + i);
            const int score = is_free ? load_fits(w, &h[k], first + i) : -1;
            fit[k * m + i] = score < 0 ? -1 : score + PLACED;
        }
    memset(before, 0, 2 * (n + 1) * row * sizeof *before);
    for (k = 0; k < n; k++)                               /* the first k + 1 shapes in the first i + 1 regions */
        for (i = 0; i < m; i++) {
            int *const to = &before[(k + 1) * row + i + 1];
            const int with = fit[k * m + i] < 0 ? 0 : before[k * row + i] + fit[k * m + i];
            *to = to[-1] > before[k * row + i + 1] ? to[-1] : before[k * row + i + 1];
            if (with > *to) *to = with;
        }
    for (k = n; k-- > 0;)                                 /* from this shape on, in the regions from this one on */
        for (i = m; i-- > 0;) {
            int *const to = &behind[k * row + i];
            const int with = fit[k * m + i] < 0 ? 0 : behind[(k + 1) * row + i + 1] + fit[k * m + i];
            *to = to[1] > behind[(k + 1) * row + i] ? to[1] : behind[(k + 1) * row + i];
            if (with > *to) *to = with;
        }
    for (k = 0; k < n; k++) {
        size_t best = 0;
        int most = -1, next = -1;
        for (i = 0; i <= m; i++) {                        /* not before this region, and there */
            const int without = before[k * row + i] + behind[(k + 1) * row + i];
            const int with = i == m || fit[k * m + i] < 0
                                 ? -1
                                 : before[k * row + i] + fit[k * m + i] + behind[(k + 1) * row + i + 1];
            if (without > next) next = without;
            if (with > most) {
                if (most > next) next = most;
                most = with;
                best = i;
            } else if (with > next) next = with;
        }
        if (most - next >= MARGIN) load_settle(w, &h[k], first + best);
    }
}

/* The first region behind an address. */
static size_t load_region_behind(const load_regions *r, uint64_t address)
{
    size_t a = 0, b = r->regions;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (r->region[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a;
}

/*
 * Brings the shapes into the order in which their code most likely is. Returns how many of them have a place in it.
 *
 * Compilers write functions in the order of their descriptors, and so do linkers with their files. Records are in no
 * order; but where each function has a section of its own (-ffunction-sections, LTO), linkers keep those of probes
 * in the order of those of code: then the code that is known already ascends.
 */
static size_t load_order(load_search *w)
{
    enum { ENOUGH = 5, SHARE = 8 };
    uint64_t last = 0;
    size_t i, known = 0, descents = 0;
    qsort(w->shape, w->shapes, sizeof *w->shape, load_order_cmp);
    for (i = 0; i < w->shapes; i++) {
        if (w->shape[i].address == LOAD_NOWHERE) continue;
        descents += w->shape[i].address < last;
        last = w->shape[i].address;
        known++;
    }
    if (known >= ENOUGH && descents * SHARE <= known) return w->shapes;
    qsort(w->shape, w->shapes, sizeof *w->shape, load_place_cmp);
    for (i = 0; i < w->shapes && w->shape[i].place != SIZE_MAX; i++) {}
    return i;
}

/*
 * What is between two known shapes in the likely order is between them in the code, as long as the known ones around
 * are in this order, too.
 */
static void load_fill_gaps(load_search *w)
{
    uint64_t last[2] = { 0, 0 };                          /* the known ones before the gap */
    const size_t n = load_order(w);
    size_t i, b, next;
    for (i = 0; i < n; i = b + 1) {
        uint64_t to = UINT64_MAX, behind = UINT64_MAX;
        for (b = i; b < n && w->shape[b].address == LOAD_NOWHERE; b++) {}
        for (next = b + 1; next < n && w->shape[next].address == LOAD_NOWHERE; next++) {}
        if (b < n) to = w->shape[b].address;
        if (next < n) behind = w->shape[next].address;
        if (b != i && last[0] <= last[1] && last[1] < to && to <= behind)
            load_fill_gap(w, &w->shape[i], b - i, load_region_behind(w->r, last[1]),
                          to != UINT64_MAX ? load_region_behind(w->r, to - 1) : w->r->regions);
        last[0] = last[1];
        last[1] = to;
    }
}

/* The addresses of a symbol: their number, the last one in *address. bases: by GUID, all different. */
static size_t load_base_of(const csspgo_symbol_base *base, size_t bases, uint64_t guid, uint64_t *address)
{
    size_t a = 0, b = bases, n = 0;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (base[m].guid < guid) a = m + 1;
        else b = m;
    }
    for (; a < bases && base[a].guid == guid; a++, n++) *address = base[a].address;
    return n;
}

/* Takes what the symbol table says of a shape whose symbol is there once and is of no other shape, unless that is odd. */
static void load_find_known(load_search *w, load_shape *h, const csspgo_symbol_base *base, size_t bases)
{
    const size_t n = load_base_of(base, bases, h->symbol, &h->named);
    const load_region *g;
    if (n == 0 || load_shapes_of(w, h->symbol) != 1) {
        h->named = LOAD_NOWHERE;
        return;
    }
    if (n != 1) return;
    g = load_region_at(w->r, h->named);
    if (g == NULL || g->begin != h->named || h->points == 0) {
        h->address = h->named;
        w->left[load_wanted_from(w, h->symbol)]--;
    } else if (load_fits(w, h, (size_t)(g - w->r->region)) >= 0) load_settle(w, h, (size_t)(g - w->r->region));
}

/* Finds the code of all shapes, those with many points first, so that few regions are left for the others. */
static void load_find_all(load_search *w, const csspgo_symbol_base *base, size_t bases)
{
    enum { ROUNDS = 5, CERTAIN = 24, MARGIN = 5 };        /* first what is certain, then what is in order with it */
    size_t i, n, round, before, found = 0;
    if (w->shapes == 0) return;
    for (i = 0; i < w->shapes; i++) load_find_known(w, &w->shape[i], base, bases);
    qsort(w->shape, w->shapes, sizeof *w->shape, load_shape_cmp);
    load_find_all_named(w);
    for (round = 0, before = 1; round < ROUNDS && (before != found || round == 1); round++) {
        before = found;
        for (i = 0; i < w->shapes; i += n) {
            n = load_twins(w, i);
            if (w->shape[i].address == LOAD_NOWHERE && w->shape[i].points != 0)
                found += load_find_shaped(w, &w->shape[i], n, round == 0 ? CERTAIN : MARGIN);
        }
        load_fill_gaps(w);
        qsort(w->shape, w->shapes, sizeof *w->shape, load_shape_cmp);
    }
    for (i = 0; i < w->shapes; i++)
        if (w->shape[i].address == LOAD_NOWHERE) w->shape[i].address = w->shape[i].named;
}

static int load_base_cmp(const void *a, const void *b)
{
    const csspgo_symbol_base *x = (const csspgo_symbol_base *)a, *y = (const csspgo_symbol_base *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Where the code of all records is, as far as it can be found; LOAD_NOWHERE: it cannot.
 *
 *   set       the records, all with the address 0
 *   base      symbols, by GUID and address; equal ones become one
 *   address   per record
 *
 * Returns   0 without memory
 */
static int load_find(loaded *l, const csspgo_probe_set *set, csspgo_symbol_base *base, size_t bases, uint64_t *address)
{
    enum { BUDGET = 1 << 28 };                            /* comparisons: a second or two */
    load_search w;
    size_t i, k, n = 0;
    int ok;
    memset(&w, 0, sizeof w);
    w.r = l->regions;
    w.t = csspgo_probe_set_tables(set);
    w.budget = BUDGET;
    w.aarch64 = l->elf.machine == ELF_AARCH64;
    for (i = 0; i < bases; i++)
        if (n == 0 || load_base_cmp(&base[n - 1], &base[i]) != 0) base[n++] = base[i];
    w.descriptor = load_descriptors(&w.t);
    ok = w.descriptor != NULL && load_marks(l, &w, l->regions) && load_shapes(&w) && load_claims(l, &w);
    if (ok) load_find_all(&w, base, n);
    for (i = 0; ok && i < w.shapes; i++) {
        const load_shape *const h = &w.shape[i];
        const int named = h->named != LOAD_NOWHERE && h->address == h->named;
        for (k = h->record; k < h->record + h->records; k++) address[k] = h->address;
        l->unnamed += named ? 0 : h->records;
        l->found += named || h->address == LOAD_NOWHERE ? 0 : h->records;
    }
    free(w.descriptor);
    free(w.mark);
    free(w.fit);
    free(w.by_size);
    free(w.table);
    free(w.shape);
    free(w.point);
    free(w.wanted);
    free(w.left);
    free(w.claim);
    return ok;
}

/*
 * 1 if symbols alone do not say where records are: some are missing, or have one name in several places. Sorts bases.
 * Returns -1 without memory.
 */
static int load_must_find(const loaded *l, const csspgo_probe_set *set, csspgo_symbol_base *base, size_t bases)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(set);
    const csspgo_probe_set_stats s = csspgo_probe_set_get_stats(set);
    uint64_t *symbol;
    int again = s.no_base != 0;
    size_t i, n = 0;
    if (l->llvm || l->regions == NULL || s.absolute != 0) return 0;
    symbol = (uint64_t *)malloc((t.record_count + 1) * sizeof *symbol);
    if (symbol == NULL) return -1;
    if (bases != 0) qsort(base, bases, sizeof *base, load_base_cmp);
    for (i = 0; i < t.record_count; i++) {
        again |= !(t.records[i].flags & CSSPGO_RECORD_BASED);
        if (i != 0 && t.records[i].symbol == t.records[i - 1].symbol &&
            load_record_func(&t, i) > load_record_func(&t, i - 1)) continue;
        symbol[n++] = t.records[i].symbol;
    }
    if (n != 0) qsort(symbol, n, sizeof *symbol, load_u64_cmp);
    for (i = 1; i < n; i++) again |= symbol[i] == symbol[i - 1];
    for (i = 0; i < bases; i++)
        again |= i != 0 && base[i].guid == base[i - 1].guid && base[i].address != base[i - 1].address &&
                 load_has(symbol, n, base[i].guid);
    free(symbol);
    return again;
}

#endif
