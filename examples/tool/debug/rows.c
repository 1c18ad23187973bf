/* rows.c - rows of source lines from .debug_line, DWARF 2 to 5
 *
 * Only what a sampled address needs: address, line, discriminator. The tables of files are passed over.
 */
#include "private.h"

int debug_room(void *list, size_t count, size_t *cap, size_t size)
{
    const size_t more = *cap < 64 ? 64 : *cap * 2;
    void *p;
    if (count < *cap) return 1;
    memcpy(&p, list, sizeof p);
    p = more <= SIZE_MAX / size ? realloc(p, more * size) : NULL;
    if (p == NULL) return 0;
    memcpy(list, &p, sizeof p);
    *cap = more;
    return 1;
}

typedef struct line_header {
    const unsigned char *lengths; /* operands of the standard opcodes, from opcode 1 on; opcode_base - 1 bytes */
    unsigned minimum, range, opcode_base;
    int base;
} line_header;

typedef struct line_state {       /* the registers that matter                        */
    const debug_areas *in;        /* NULL: all rows are needed                        */
    debug_row row;
    uint64_t  begin;              /* address of the sequence's first row              */
    size_t    first;              /* where its rows begin                             */
} line_state;

/* Reads up to the program; narrows b to it. Returns 0 if this is no line table. */
static int line_header_read(debug_bytes *b, line_header *h)
{
    uint64_t header;
    unsigned version, wide;
    if (!debug_length(b, &wide)) return 0;
    version = (unsigned)debug_fixed(b, 2);
    if (version < 2 || version > 5) return 0;
    if (version == 5) debug_fixed(b, 2);                    /* sizes of addresses and segment selectors */
    header = debug_fixed(b, wide);
    if (b->bad || header > (uint64_t)(b->end - b->p)) return 0;
    {
        const unsigned char *const program = b->p + header;
        h->minimum = (unsigned)debug_fixed(b, 1);
        if (version >= 4) debug_fixed(b, 1);                /* operations per instruction */
        debug_fixed(b, 1);                                  /* default_is_stmt */
        h->base = (signed char)debug_fixed(b, 1);
        h->range = (unsigned)debug_fixed(b, 1);
        h->opcode_base = (unsigned)debug_fixed(b, 1);
        h->lengths = b->p;
        if (h->opcode_base != 0) debug_fixed(b, h->opcode_base - 1);
        if (b->bad || b->p > program) return 0;
        b->p = program;
    }
    return 1;
}

static void line_restart(const debug_rows *out, line_state *s)
{
    const debug_areas *const in = s->in;
    memset(s, 0, sizeof *s);
    s->in = in;
    s->row.line = 1;
    s->first = out->rows;
}

static int line_append(debug_rows *out, line_state *s)
{
    if (!debug_room(&out->row, out->rows, &out->row_cap, sizeof *out->row)) return 0;
    if (out->rows == s->first) s->begin = s->row.address;
    out->row[out->rows++] = s->row;
    s->row.discriminator = 0;
    return 1;
}

/* Ends the sequence. One without code goes, with its rows; of one that is not needed only the rows go. */
static int line_end(debug_rows *out, line_state *s)
{
    debug_sequence *q;
    size_t at;
    if (out->rows == s->first || s->begin >= s->row.address) {
        out->rows = s->first;
        line_restart(out, s);
        return 1;
    }
    if (!debug_room(&out->sequence, out->sequences, &out->sequence_cap, sizeof *out->sequence)) return 0;
    q = &out->sequence[out->sequences++];
    q->begin = s->begin;
    q->end = s->row.address;
    q->first = s->first;
    at = s->in != NULL ? debug_area_behind(s->in, q->begin) : 0;
    if (s->in != NULL && (at == s->in->n || s->in->v[at].begin >= q->end)) out->rows = s->first;
    q->count = out->rows - s->first;
    line_restart(out, s);
    return 1;
}

/* An extended opcode: its length in bytes, then the opcode. */
static int line_extended(debug_rows *out, line_state *s, debug_bytes *b)
{
    const uint64_t length = debug_leb(b, 0);
    debug_bytes in;
    unsigned opcode;
    int ok = 1;
    if (b->bad || length == 0 || length > (uint64_t)(b->end - b->p)) {
        b->bad |= length != 0;
        return 1;
    }
    in = debug_bytes_of(b->p, (size_t)length);
    b->p = in.end;
    opcode = (unsigned)debug_fixed(&in, 1);
    if (opcode == 1) ok = line_end(out, s);
    if (opcode == 2) s->row.address = debug_fixed(&in, (size_t)(in.end - in.p));
    if (opcode == 4) s->row.discriminator = (uint32_t)debug_leb(&in, 0);
    return ok;
}

/* A standard opcode, 1 to opcode_base - 1. One switch. */
static int line_standard(debug_rows *out, line_state *s, debug_bytes *b, const line_header *h, unsigned opcode)
{
    unsigned n;
    switch (opcode) {
    case 1: return line_append(out, s);
    case 2: s->row.address += h->minimum * debug_leb(b, 0); return 1;
    case 3: s->row.line += (uint32_t)debug_leb(b, 1); return 1;
    case 8: s->row.address += h->range != 0 ? h->minimum * ((255 - h->opcode_base) / h->range) : 0; return 1;
    case 9: s->row.address += debug_fixed(b, 2); return 1;
    case 4: case 5: case 12: debug_leb(b, 0); return 1;     /* file, column, isa */
    case 6: case 7: case 10: case 11: return 1;            /* statements, basic blocks, prologue, epilogue */
    default: for (n = h->lengths[opcode - 1]; n != 0; n--) debug_leb(b, 0);
    }
    return 1;
}

static int line_program(debug_rows *out, debug_bytes *b, const line_header *h, const debug_areas *in)
{
    line_state s;
    int ok = 1;
    s.in = in;
    line_restart(out, &s);
    while (ok && !b->bad && b->p != b->end) {
        const unsigned opcode = (unsigned)debug_fixed(b, 1);
        if (opcode >= h->opcode_base) {
            const unsigned n = opcode - h->opcode_base;
            if (h->range != 0) s.row.address += h->minimum * (n / h->range);
            s.row.line += (uint32_t)(h->base + (h->range != 0 ? (int)(n % h->range) : 0));
            ok = line_append(out, &s);
        } else ok = opcode == 0 ? line_extended(out, &s, b) : line_standard(out, &s, b, h, opcode);
    }
    out->rows = s.first;                                   /* rows of a sequence without an end */
    return ok;
}

static int sequence_cmp(const void *a, const void *b)
{
    const debug_sequence *x = (const debug_sequence *)a, *y = (const debug_sequence *)b;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

size_t debug_area_behind(const debug_areas *in, uint64_t address)
{
    size_t a = 0, b = in->n;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (in->v[m].end <= address) a = m + 1;
        else b = m;
    }
    return a;
}

int debug_rows_read(debug_rows *out, const unsigned char *section, size_t size, uint64_t offset, const debug_areas *in)
{
    debug_bytes b;
    line_header h;
    out->rows = out->sequences = 0;
    if (offset >= size) return 1;
    b = debug_bytes_of(section + offset, size - (size_t)offset);
    if (!line_header_read(&b, &h)) return 1;
    if (!line_program(out, &b, &h, in)) return 0;
    if (out->sequences != 0) qsort(out->sequence, out->sequences, sizeof *out->sequence, sequence_cmp);
    return 1;
}

void debug_rows_free(debug_rows *r)
{
    free(r->row);
    free(r->sequence);
    memset(r, 0, sizeof *r);
}

/* Of the sequence that ends first behind the address, the last row that does not begin behind it. */
const debug_row *debug_row_at(const debug_rows *r, uint64_t address)
{
    size_t a = 0, b = r->sequences;
    const debug_row *row;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (r->sequence[m].end <= address) a = m + 1;
        else b = m;
    }
    if (a == r->sequences || address < r->sequence[a].begin || r->sequence[a].count == 0) return NULL;
    row = r->row + r->sequence[a].first;
    b = r->sequence[a].count;
    for (a = 1; a < b;) {
        const size_t m = a + (b - a) / 2;
        if (row[m].address <= address) a = m + 1;
        else b = m;
    }
    return &row[a - 1];
}
