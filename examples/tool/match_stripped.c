/* match_stripped.c - match: a binary without symbols */
#include "match.h"

typedef struct match_graph {      /* code that is looked into */
    const elf_section *section;
    uint64_t           begin;
    size_t             size;
} match_graph;

static csspgo_insn match_decode(const match_run *m, const match_graph *g, size_t at)
{
    const unsigned char *p = g->section->contents + (size_t)(g->begin - g->section->address) + at;
    const size_t left = g->size - at;
    csspgo_insn insn;
    if (m->image.elf.machine == ELF_X86_64) csspgo_decode_x86_64(p, left, g->begin + at, &insn);
    else csspgo_decode_aarch64(p, left, g->begin + at, &insn);
    if (insn.size == 0) insn.size = insn.skip != 0 && insn.skip <= left ? insn.skip : (uint32_t)left;
    return insn;
}

/*
 * Decodes the sections with addresses from .dynsym, .symtab and, for records without a symbol, m->base. Returns 0
 * after saying what is wrong.
 */
static int match_decode_sections(match_run *m, const csspgo_probe_record *record, size_t records)
{
    size_t n, i, count = 0, k;
    csspgo_symbol_base *symbols = load_bases(&m->image, &n);
    csspgo_symbol_base *v = (csspgo_symbol_base *)malloc((n + m->dynamic.symbol_count + records + 1) * sizeof *v);
    csspgo_probe_set *probes = NULL;
    char why[256] = "out of memory";
    uint32_t y;
    for (y = 1; v != NULL && y < m->dynamic.symbol_count; y++) {
        elf_symbol s;
        if (!elf_symbol_at(&m->dynamic, y, &s) || s.section == ELF_UNDEFINED || s.name_size == 0) continue;
        v[count].guid = csspgo_guid(s.name, s.name_size);
        v[count++].address = s.value;
    }
    for (k = 0; symbols != NULL && v != NULL && k < n; k++) v[count++] = symbols[k];
    for (i = 0; v != NULL && i < records; i++) {
        if (record[i].flags & CSSPGO_RECORD_BASED) continue;
        v[count].guid = record[i].symbol;
        v[count++].address = m->base[i].address;
    }
    if (v != NULL && symbols != NULL) probes = load_sections_at(&m->image, v, count, why, sizeof why);
    free(symbols);
    free(v);
    if (probes == NULL) return fail(m->tool, "%s: %s", m->binary, why), 0;
    csspgo_probe_set_free(m->probes);
    m->probes = probes;
    return 1;
}

typedef struct match_start {      /* a function as unwind tables tell of it */
    uint64_t address, size;
    int      taken;
} match_start;

typedef struct match_point {      /* where probes of a record stand */
    uint32_t offset;              /* from the record's base         */
    uint8_t  calls, indirect;     /* a probe of a call is there     */
} match_point;

typedef struct match_shape {      /* the records of one symbol, whose code is looked for  */
    uint64_t symbol;
    size_t   record, records;     /* in match_search.record: by symbol                    */
    size_t   point, points;       /* in match_search.point: by offset, all different      */
    uint32_t own;                 /* the record of the function that the symbol is for    */
} match_shape;

typedef struct match_search {
    match_start *start;           /* by size */
    match_shape *shape;
    match_point *point;
    uint32_t    *record;          /* without known address, by symbol */
    size_t       starts, shapes, records;
    elf_section  section;         /* the last one looked into        */
    uint64_t     budget;          /* bytes that may still be decoded */
} match_search;

/* How well the code at *y goes with the probes of *h, in bits; negative: not at all. */
static int match_fit(const match_run *m, match_search *w, const match_shape *h, const match_start *y)
{
    enum { BOUNDARY = 2, CALL = 5, NO_CALL = -6, NO_PROBE = -3, MOST = 1 << 20 };
    const match_point *p = w->point + h->point, *end = p + h->points;
    const int boundary = m->image.elf.machine == ELF_X86_64 ? BOUNDARY : 0;
    match_graph g;
    size_t at;
    int score = 0;
    memset(&g, 0, sizeof g);
    if (end[-1].offset > y->size || !match_section_of(m, y->address, y->size, &w->section)) return -1;
    g.section = &w->section;
    g.begin = y->address;
    g.size = (size_t)y->size;
    for (at = 0; at < g.size && score < MOST;) {
        const csspgo_insn insn = match_decode(m, &g, at);
        const int is_call = insn.kind == CSSPGO_CALL, leaves = is_call || insn.kind == CSSPGO_JMP ||
                                                               insn.kind == CSSPGO_IJMP;
        w->budget -= w->budget != 0;
        if (p < end && p->offset < at) return -1;
        if (p == end || p->offset != at) {
            score += is_call && insn.has_target ? NO_PROBE : 0;
        } else {
            score += boundary;
            if (p->calls || p->indirect) score += leaves && (p->calls || !insn.has_target) ? CALL : NO_CALL;
            p++;
        }
        at += insn.size;
    }
    return p == end || p->offset >= at ? score : -1;
}

static int match_start_order(const void *a, const void *b)
{
    const match_start *x = (const match_start *)a, *y = (const match_start *)b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Functions from .eh_frame_hdr, as linkers write it, but those at the addresses known[]. 0: memory is exhausted. */
static int match_find_starts(const match_run *m, match_search *w, const uint64_t *known, size_t n)
{
    elf_section h, f;
    size_t i, count;
    w->start = (match_start *)malloc(sizeof *w->start);
    if (!elf_section_named(&m->image.elf, ".eh_frame_hdr", &h) ||
        !elf_section_named(&m->image.elf, ".eh_frame", &f) || h.contents == NULL || f.contents == NULL ||
        h.size < 12 || memcmp(h.contents, "\1\x1b\3\x3b", 4) != 0)
        return w->start != NULL;
    count = elf__32(h.contents + 8);
    if (count > (h.size - 12) / 8) count = (size_t)((h.size - 12) / 8);
    free(w->start);
    w->start = (match_start *)malloc((count + 1) * sizeof *w->start);
    for (i = 0; w->start != NULL && i < count; i++) {
        const unsigned char *p = h.contents + 12 + 8 * i;
        const uint64_t address = h.address + (uint64_t)(int64_t)(int32_t)elf__32(p);
        const uint64_t at = h.address + (uint64_t)(int64_t)(int32_t)elf__32(p + 4) - f.address;
        match_start *y = &w->start[w->starts];
        if (at > f.size || f.size - at < 16 || load_has(known, n, address)) continue;
        if (f.address + at + 8 + (uint64_t)(int64_t)(int32_t)elf__32(f.contents + at + 8) != address) continue;
        y->address = address;
        y->size = elf__32(f.contents + at + 12);
        y->taken = 0;
        w->starts += y->size != 0 && match_section_of(m, address, y->size, &w->section);
    }
    if (w->start != NULL) qsort(w->start, w->starts, sizeof *w->start, match_start_order);
    return w->start != NULL;
}

static int match_point_order(const void *a, const void *b)
{
    const match_point *x = (const match_point *)a, *y = (const match_point *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The points of a shape, and whose it is. Returns 0 if it has none, or impossible ones. */
static int match_shape_points(const match_run *m, match_search *w, match_shape *h)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(m->probes);
    match_point *v = w->point + h->point;
    uint32_t lowest = UINT32_MAX;
    size_t i, k, n = 0;
    int own = 0;
    for (k = 0; k < h->records; k++) {
        const csspgo_probe_record *r = &t.records[w->record[h->record + k]];
        for (i = 0; i < r->probe_count; i++, n++) {
            const csspgo_probe *p = &t.probes[r->first_probe + i];
            if (p->address - r->address >= (uint64_t)1 << 31) return 0;
            v[n].offset = (uint32_t)(p->address - r->address);
            v[n].calls = p->kind == CSSPGO_PROBE_DIRECT_CALL;
            v[n].indirect = p->kind == CSSPGO_PROBE_INDIRECT_CALL;
            if (own || v[n].offset >= lowest) continue;
            lowest = v[n].offset;
            h->own = w->record[h->record + k];
        }
        if (own || r->flags & CSSPGO_RECORD_SENTINEL) continue;
        own = 1;
        h->own = w->record[h->record + k];
    }
    qsort(v, n, sizeof *v, match_point_order);
    for (i = 0; i < n; i++) {
        if (h->points == 0 || v[h->points - 1].offset != v[i].offset) {
            v[h->points++] = v[i];
            continue;
        }
        v[h->points - 1].calls |= v[i].calls;
        v[h->points - 1].indirect |= v[i].indirect;
    }
    return h->points != 0;
}

typedef struct match_key { uint64_t symbol; uint32_t record; } match_key;

static int match_key_order(const void *a, const void *b)
{
    const match_key *x = (const match_key *)a, *y = (const match_key *)b;
    if (x->symbol != y->symbol) return x->symbol < y->symbol ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static int match_shape_order(const void *a, const void *b)
{
    const match_shape *x = (const match_shape *)a, *y = (const match_shape *)b;
    if (x->points != y->points) return x->points > y->points ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* The symbols that are missing; without debug information inlinees have records of their own. 0: no memory. */
static int match_find_shapes(const match_run *m, match_search *w)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(m->probes);
    match_key *key = (match_key *)malloc((t.record_count + 1) * sizeof *key);
    size_t i, k, point = 0;
    w->shape = (match_shape *)calloc(t.record_count + 1, sizeof *w->shape);
    w->point = (match_point *)malloc((t.probe_count + 1) * sizeof *w->point);
    w->record = (uint32_t *)malloc((t.record_count + 1) * sizeof *w->record);
    for (i = 0; key != NULL && i < t.record_count; i++) {
        if (m->base[i].address < MATCH_NOWHERE) continue;
        key[w->records].symbol = t.records[i].symbol;
        key[w->records++].record = (uint32_t)i;
    }
    if (key == NULL || w->shape == NULL || w->point == NULL || w->record == NULL) return free(key), 0;
    qsort(key, w->records, sizeof *key, match_key_order);
    for (i = 0; i < w->records; i++) w->record[i] = key[i].record;
    for (i = 0; i < w->records; i = k) {
        match_shape *h = &w->shape[w->shapes];
        memset(h, 0, sizeof *h);
        h->symbol = key[i].symbol;
        h->record = i;
        h->point = point;
        for (k = i; k < w->records && key[k].symbol == key[i].symbol; k++) h->records++;
        if (!match_shape_points(m, w, h)) continue;
        point += h->points;
        w->shapes++;
    }
    free(key);
    qsort(w->shape, w->shapes, sizeof *w->shape, match_shape_order);
    return 1;
}

/* The only start that a shape goes with; NULL: none, or it may be another. */
static match_start *match_find_start(const match_run *m, match_search *w, const match_shape *h)
{
    enum { ENOUGH = 5, MARGIN = 5 };
    const uint32_t last = w->point[h->point + h->points - 1].offset;
    match_start *best = NULL;
    int first = -1, second = -1;
    size_t a = 0, b = w->starts;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (w->start[mid].size < last) a = mid + 1;
        else b = mid;
    }
    for (; a < w->starts && w->start[a].size <= 2 * (uint64_t)last + 1024 && w->budget != 0; a++) {
        const int score = w->start[a].taken ? -1 : match_fit(m, w, h, &w->start[a]);
        if (score <= second) continue;
        second = score > first ? first : score;
        if (score > first) best = &w->start[a], first = score;
    }
    return w->budget != 0 && first >= ENOUGH && first - second >= MARGIN ? best : NULL;
}

/*
 * Finds the code of symbols: probes stand where instructions begin, those of calls at calls, and a function as the
 * unwind tables delimit it has room for all and few other calls. What could be in two places is not found. Shapes with
 * many points go first, so that few places are left for the others. 0: memory is exhausted.
 */
static int match_find_code(match_run *m, const csspgo_probe_record *record, size_t *found)
{
    enum { ROUNDS = 4, BUDGET = 1 << 26 };                   /* instructions: a second or two */
    const size_t n = csspgo_probe_set_tables(m->probes).record_count;
    uint64_t *known = (uint64_t *)malloc((n + 1) * sizeof *known);
    size_t i, k, round, before = SIZE_MAX;
    match_search w;
    int ok;
    memset(&w, 0, sizeof w);
    w.budget = BUDGET;
    for (i = k = 0; known != NULL && i < n; i++)
        if (record[i].flags & CSSPGO_RECORD_BASED) known[k++] = record[i].address;
    if (known != NULL) qsort(known, k, sizeof *known, load_u64_cmp);
    ok = known != NULL && match_find_starts(m, &w, known, k) && match_find_shapes(m, &w);
    for (round = 0; ok && round < ROUNDS && before != *found; round++) {
        before = *found;
        for (i = 0; i < w.shapes; i++) {
            const match_shape *h = &w.shape[i];
            match_start *y = m->base[h->own].size == 0 ? match_find_start(m, &w, h) : NULL;
            if (y == NULL) continue;
            y->taken = 1;
            for (k = 0; k < h->records; k++) m->base[w.record[h->record + k]].address = y->address;
            m->base[h->own].size = y->size;
            *found += h->records;
        }
    }
    free(known);
    free(w.start);
    free(w.shape);
    free(w.point);
    free(w.record);
    return ok;
}

/*
 * Symbols are missing: what is not in .dynsym either gets an address that is none, so that ids, kinds and inlinees are
 * known, and then, if its code is found, that of the code. Returns 0 after saying what is wrong.
 */
int match_without_symbols(match_run *m)
{
    csspgo_probe_record *record = NULL;
    csspgo_probe_tables t;
    size_t i, records, missing = 0, found = 0;
    int ok = match_decode_sections(m, NULL, 0);
    if (!ok) return 0;
    t = csspgo_probe_set_tables(m->probes);
    records = t.record_count;
    record = (csspgo_probe_record *)calloc(records + 1, sizeof *record);
    m->base = (match_base *)calloc(records + 1, sizeof *m->base);
    ok = record != NULL && m->base != NULL;
    if (ok) memcpy(record, t.records, records * sizeof *record);
    for (i = 0; ok && i < records; i++) {
        const int known = (record[i].flags & CSSPGO_RECORD_BASED) != 0;
        m->base[i].address = known ? record[i].address : MATCH_NOWHERE + ((uint64_t)i << 32);
        missing += !known;
    }
    if (!ok) fail(m->tool, "out of memory");
    ok = ok && match_decode_sections(m, record, records);
    if (ok && missing != 0) {
        ok = match_find_code(m, record, &found) || (fail(m->tool, "out of memory"), 0);
        ok = ok && match_decode_sections(m, record, records);
        if (ok)
            warn(m->tool, "%s: %zu of %zu probe records have no symbol; the code of %zu was found by its shape%s "
                 "(--debug-binary=FILE: symbols from there)", m->binary, missing, records, found,
                 found < missing ? ", what the others call and who calls them is not known" : "");
    }
    free(record);
    return ok;
}
