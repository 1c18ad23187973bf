/* stack.c - inline stacks of a unit's code */
#include "private.h"

void debug_scratch_free(debug_info *d)
{
    size_t i;
    for (i = 0; i < d->chunks; i++) free(d->chunk[i]);
    free(d->chunk);
    free(d->record);
    free(d->open);
    free(d->place);
    free(d->lines.node);
    free(d->lines.first_line);
    free(d->lines.row);
    debug_rows_free(&d->rows);
}

/* ----- which entry an address is of: pieces by address ----- */

/* The chunk that holds the last piece that begins at or before the address, and where: 1 + the piece's index, or 0. */
static size_t piece_find(const debug_info *d, uint64_t address, size_t *chunk)
{
    size_t a = 0, b = d->chunks, low = 0, high;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (d->chunk[m]->piece[0].begin <= address) a = m + 1;
        else b = m;
    }
    *chunk = a != 0 ? a - 1 : 0;
    if (a == 0) return 0;
    for (high = d->chunk[a - 1]->count; low < high;) {
        const size_t m = low + (high - low) / 2;
        if (d->chunk[a - 1]->piece[m].begin <= address) low = m + 1;
        else high = m;
    }
    return low;
}

/* Makes room for a chunk at an index. */
static int chunk_insert(debug_info *d, size_t at)
{
    debug_chunk *c;
    if (!debug_room(&d->chunk, d->chunks, &d->chunk_cap, sizeof(debug_chunk *))) return 0;
    c = (debug_chunk *)calloc(1, sizeof *c);
    if (c == NULL) return 0;
    memmove(d->chunk + at + 1, d->chunk + at, (d->chunks++ - at) * sizeof(debug_chunk *));
    d->chunk[at] = c;
    return 1;
}

/* Sets the piece that begins at `begin`. Returns 0: out of memory. */
static int piece_set(debug_info *d, uint64_t begin, uint64_t end, uint32_t record)
{
    const size_t full = sizeof d->chunk[0]->piece / sizeof *d->chunk[0]->piece;
    size_t k, at;
    debug_chunk *c;
    if (d->chunks == 0 && !chunk_insert(d, 0)) return 0;
    at = piece_find(d, begin, &k);
    c = d->chunk[k];
    if (at == 0 || c->piece[at - 1].begin != begin) {
        if (c->count == full) {
            const size_t half = at == full ? full : full / 2;      /* in ascending order chunks stay full */
            debug_chunk *more;
            if (!chunk_insert(d, k + 1)) return 0;
            c = d->chunk[k];
            more = d->chunk[k + 1];
            more->count = (uint32_t)(full - half);
            memcpy(more->piece, c->piece + half, more->count * sizeof *c->piece);
            c->count = (uint32_t)half;
            if (at > half || half == full) {
                at -= half;
                c = more;
            }
        }
        memmove(c->piece + at + 1, c->piece + at, (c->count++ - at) * sizeof *c->piece);
        at++;
    }
    c->piece[at - 1].begin = begin;
    c->piece[at - 1].end = end;
    c->piece[at - 1].record = record;
    return 1;
}

/* A later entry takes its range from the one that has its first byte, whose rest goes on behind it. As LLVM. */
static int piece_add(debug_info *d, uint64_t begin, uint64_t end, uint32_t record)
{
    size_t k;
    const size_t at = piece_find(d, begin, &k);
    if (at != 0 && begin < d->chunk[k]->piece[at - 1].end) {
        debug_piece *in = &d->chunk[k]->piece[at - 1];
        const debug_piece whole = *in;
        if (whole.begin < begin) in->end = begin;
        if (end < whole.end && !piece_set(d, end, whole.end, whole.record)) return 0;
    }
    return piece_set(d, begin, end, record);
}

static void pieces_clear(debug_info *d)
{
    size_t i;
    for (i = 0; i < d->chunks; i++) free(d->chunk[i]);
    d->chunks = 0;
}

/* ----- records: functions and their inlined copies ----- */

static int record_add(debug_info *d, const debug_source *s, const debug_entry *e, uint32_t parent, int gnu)
{
    debug_named n;
    debug_record *r;
    debug_span a;
    int linkage;
    if (!debug_room(&d->record, d->records + 1, &d->record_cap, sizeof *d->record)) return 0;
    r = &d->record[++d->records];
    memset(r, 0, sizeof *r);
    n = debug_name(d, s, e);
    r->name = n.linkage != NULL ? n.linkage : n.plain;
    if (gnu && parent == 0) r->name = debug_function_name(d, s, e, &n, &linkage);
    if (r->name != NULL && *r->name == '\0') r->name = NULL;
    r->name = debug_with_file(d, &n, r->name);
    r->line = n.line;
    r->parent = parent;
    if (parent != 0) {
        r->call_line = debug_number(e, AT_CALL_LINE);
        r->call_discriminator = debug_number(e, AT_DISCRIMINATOR);
    }
    for (a = debug_span_of(s, e); debug_span_next(&a);)
        if (a.begin < a.end && (d->how.llvm || debug_is_code(d, a.begin, a.end)) &&
            !piece_add(d, a.begin, a.end, (uint32_t)d->records))
            return 0;
    return !d->no_memory;
}

/* 1 if some of the code [begin, end) is asked for. */
static int is_wanted(const debug_areas *in, uint64_t begin, uint64_t end)
{
    const size_t at = in != NULL ? debug_area_behind(in, begin) : 0;
    return in == NULL || (at < in->n && in->v[at].begin < end);
}

/* 1 if code of the entry is asked for. *f moves on to the entry; entries are asked about in the order of the file. */
static int entry_wanted(const debug_function **f, const debug_function *end, uint64_t offset, const debug_areas *in)
{
    const debug_function *p;
    for (; *f != end && (*f)->offset < offset; (*f)++) {}
    for (p = *f; p != end && p->offset == offset; p++)
        if (is_wanted(in, p->begin, p->end)) return 1;
    return 0;
}

enum { NOT_WANTED = -1 };         /* in debug_info.open: the function is none that is asked for */

/*
 * Reads the function at b and all that is in it, which may be functions of which only some are asked for. b moves
 * behind it. Returns 0: out of memory.
 */
static int function_read(debug_info *d, const debug_unit *u, const debug_source *s, debug_bytes *b,
                         const debug_function *f, const debug_areas *in)
{
    const debug_function *const end = d->function + u->first + u->functions;
    debug_entry e;
    size_t depth = 0;                                      /* of the entry's parent; 0: it is the function itself */
    while (debug_entry_read(d, s, b, &e)) {
        uint32_t open = depth != 0 ? d->open[depth] : 0;
        if (e.tag == 0 && depth-- <= 1) break;
        if (e.tag == DEBUG_SUBPROGRAM) open = entry_wanted(&f, end, e.offset, in) ? 0 : (uint32_t)NOT_WANTED;
        if ((e.tag == DEBUG_SUBPROGRAM || e.tag == DEBUG_INLINED) && open != (uint32_t)NOT_WANTED) {
            if (!record_add(d, s, &e, open, u->gnu)) return 0;
            open = (uint32_t)d->records;
        }
        if (e.children) {
            if (!debug_room(&d->open, ++depth, &d->open_cap, sizeof *d->open)) return 0;
            d->open[depth] = open;
        } else if (depth == 0) break;
    }
    return !d->no_memory;
}

/* Reads the functions of a unit that are asked for. Returns 0: out of memory. */
static int records_read(debug_info *d, const debug_unit *u, const debug_areas *in)
{
    const debug_source *const s = u->split != NULL ? u->split : &u->in;
    const unsigned char *const data = s->file->section[SECTION_INFO].data;
    debug_bytes b = debug_entries(s);
    size_t i;
    d->records = 0;
    pieces_clear(d);
    for (i = u->first; i < u->first + u->functions; i++) {
        const debug_function *const f = &d->function[i];
        if (data + f->offset < b.p || !is_wanted(in, f->begin, f->end)) continue;
        b.p = data + f->offset;
        if (!function_read(d, u, s, &b, f, in)) return 0;
    }
    return !d->no_memory;
}

/*
 * Discriminators as the line layer decodes them: clang packs base, duplication factor and copy. gcc's are plain
 * numbers, so by default they are packed as a base.
 */
static uint32_t discriminator_of(const debug_info *d, const debug_unit *u, uint32_t v)
{
    if (d->how.llvm || !u->gnu || v > 0xfff) return v;
    return (v <= 0x1f ? v : (v & 0x1f) | 0x20 | (v & 0xfe0) << 1) << 1;
}

/* Makes the nodes of all records, callers first. Returns 0: out of memory. */
static int records_resolve(debug_info *d, const debug_unit *u)
{
    size_t i;
    for (i = 1; i <= d->records; i++) {
        debug_record *r = &d->record[i];
        const debug_record *up = r->parent != 0 ? &d->record[r->parent] : NULL;
        const csspgo_loc site = csspgo_loc_at(up != NULL ? (r->call_line - up->line) & 0xffff : 0,
                                              discriminator_of(d, u, r->call_discriminator));
        csspgo_line_inline_node *n;
        if (up != NULL && up->cut) {
            r->node = up->node;
            r->loc = up->loc;
            r->cut = 1;
        } else if (r->name == NULL) {
            r->node = up != NULL ? up->node : 0;
            r->loc = site;
            r->cut = 1;
        } else {
            if (!debug_room(&d->lines.node, d->lines.nodes, &d->node_cap, sizeof *d->lines.node) ||
                !debug_room(&d->lines.first_line, d->lines.nodes, &d->first_cap, sizeof *d->lines.first_line))
                return 0;
            d->lines.first_line[d->lines.nodes] = r->line;
            n = &d->lines.node[d->lines.nodes++];
            n->name = r->name;
            n->name_size = strlen(r->name);
            n->parent = up != NULL ? up->node : 0;
            n->site = site;
            r->node = (uint32_t)d->lines.nodes;
        }
    }
    return 1;
}

/* ----- rows ----- */

static int place_add(debug_info *d, uint64_t address)
{
    if (!debug_room(&d->place, d->places, &d->place_cap, sizeof *d->place)) return 0;
    d->place[d->places++] = address;
    return 1;
}

/* All addresses where the stack may change, ascending, each once. */
static int places_collect(debug_info *d)
{
    size_t i, k, n = 0;
    d->places = 0;
    for (i = 0; i < d->chunks; i++)
        for (k = 0; k < d->chunk[i]->count; k++)
            if (!place_add(d, d->chunk[i]->piece[k].begin) || !place_add(d, d->chunk[i]->piece[k].end)) return 0;
    for (i = 0; i < d->rows.rows; i++)
        if (!place_add(d, d->rows.row[i].address)) return 0;
    for (i = 0; i < d->rows.sequences; i++)
        if (!place_add(d, d->rows.sequence[i].end)) return 0;
    if (d->places != 0) qsort(d->place, d->places, sizeof *d->place, load_u64_cmp);
    for (i = 0; i < d->places; i++)
        if (n == 0 || d->place[i] != d->place[n - 1]) d->place[n++] = d->place[i];
    d->places = n;
    return 1;
}

/* The stack at an address that is of the unit. *first: 1 if a piece begins here: no row goes on into another range. */
static csspgo_line_row row_at(const debug_info *d, const debug_unit *u, uint64_t address, int *first)
{
    size_t k;
    const size_t at = piece_find(d, address, &k);
    csspgo_line_row row;
    const debug_record *r;
    const debug_row *line;
    memset(&row, 0, sizeof row);
    row.address = address;
    *first = at != 0 && d->chunk[k]->piece[at - 1].begin == address;
    if (at == 0 || address >= d->chunk[k]->piece[at - 1].end) return row;
    r = &d->record[d->chunk[k]->piece[at - 1].record];
    row.inline_node = r->node;
    row.loc = r->loc;
    if (r->cut) return row;
    line = debug_row_at(&d->rows, address);
    row.loc.line = ((line != NULL ? line->line : 0) - r->line) & 0xffff;
    row.loc.discriminator = discriminator_of(d, u, line != NULL ? line->discriminator : 0);
    return row;
}

/* Adds a row; nothing where it says the same as the one before. */
static int row_add(debug_info *d, const csspgo_line_row *row, int first)
{
    const csspgo_line_row *last = d->lines.rows != 0 && !first ? &d->lines.row[d->lines.rows - 1] : NULL;
    if (last != NULL && last->inline_node == row->inline_node && last->loc.line == row->loc.line &&
        last->loc.discriminator == row->loc.discriminator)
        return 1;
    if (!debug_room(&d->lines.row, d->lines.rows, &d->row_cap, sizeof *d->lines.row)) return 0;
    d->lines.row[d->lines.rows++] = *row;
    return 1;
}

/* The rows of [begin, end), which is the unit's; *k: the first place that may be in it. */
static int rows_between(debug_info *d, const debug_unit *u, uint64_t begin, uint64_t end, size_t *k)
{
    int first;
    csspgo_line_row row = row_at(d, u, begin, &first);
    if (!row_add(d, &row, 1)) return 0;
    for (; *k < d->places && d->place[*k] <= begin; (*k)++) {}
    for (; *k < d->places && d->place[*k] < end; (*k)++) {
        row = row_at(d, u, d->place[*k], &first);
        if (!row_add(d, &row, first)) return 0;
    }
    return 1;
}

/*
 * The rows of the code that is asked for. Where that, or the unit's code, ends, a row says so; debug_lines_join removes
 * it where a row of another unit, or of this one, follows.
 */
static int rows_make(debug_info *d, const debug_unit *u, const debug_areas *in)
{
    csspgo_line_row over;
    size_t i, k = 0, at = 0;
    memset(&over, 0, sizeof over);
    for (i = u->cover; i != 0; i = d->cover[i - 1].next) {
        const debug_cover *const c = &d->cover[i - 1];
        const int goes_on = i < d->covers && d->cover[i].begin == c->end;
        for (; at < in->n && in->v[at].end <= c->begin; at++) {}
        for (; at < in->n && in->v[at].begin < c->end; at++) {
            const debug_area *const a = &in->v[at];
            over.address = a->end < c->end ? a->end : c->end;
            if (!rows_between(d, u, a->begin > c->begin ? a->begin : c->begin, over.address, &k)) return 0;
            over.loc.discriminator = a->end > c->end && goes_on;
            if (!row_add(d, &over, 1)) return 0;
            if (a->end > c->end) break;
        }
    }
    return 1;
}

void debug_lines_join(debug_lines *l)
{
    size_t i, n = 0;
    for (i = 0; i < l->rows; i++)
        if (l->row[i].inline_node != 0 || l->row[i].loc.discriminator == 0) l->row[n++] = l->row[i];
    l->rows = n;
}

int debug_info_lines(debug_info *d, size_t unit, const debug_areas *in, debug_lines *out)
{
    static const debug_area everything = { 0, UINT64_MAX };
    const debug_unit *u = &d->unit[unit];
    const debug_section *const lines = &d->main->section[SECTION_LINE];
    debug_areas all;
    int ok;
    all.v = &everything;
    all.n = 1;
    d->lines.nodes = d->lines.rows = d->rows.rows = d->rows.sequences = 0;
    ok = (u->lines == UINT64_MAX || debug_rows_read(&d->rows, lines->data, lines->size, u->lines, in)) &&
         records_read(d, u, in) && records_resolve(d, u) && places_collect(d) &&
         rows_make(d, u, in != NULL ? in : &all);
    *out = d->lines;
    return ok;
}
