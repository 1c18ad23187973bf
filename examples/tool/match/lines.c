/* lines.c - match: the new program by source line, from its debug information */
#include "../debug/debug.h"
#include "match.h"

typedef struct line_place {       /* a location of a function of the new code */
    const char *name;
    size_t      name_size;
    uint64_t    guid;
    csspgo_match_loc at;
} line_place;

struct match_lines {
    debug_info       *debug;
    line_place       *place;
    csspgo_match_loc *loc;
    csspgo_match_code *code;
    size_t places, place_cap;
    int    flow_sensitive;
};

/* A location as profiles have it. Source: rule K5 of the unwinding spec. */
static csspgo_loc line_loc(const match_lines *x, csspgo_loc loc)
{
    uint32_t d = loc.discriminator;
    if (x->flow_sensitive) return loc;
    if (d & 1) return csspgo_loc_at(loc.line, 0);
    d >>= 1;
    return csspgo_loc_at(loc.line, d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f);
}

/* A location of a node's function. Returns 0: out of memory. */
static int line_place_add(match_lines *x, const csspgo_line_inline_node *in, csspgo_loc loc, csspgo_match_kind kind,
                     uint64_t callee)
{
    line_place *v;
    if (!debug_room(&x->place, x->places, &x->place_cap, sizeof *x->place)) return 0;
    v = &x->place[x->places++];
    memset(v, 0, sizeof *v);
    v->name = in->name;
    v->name_size = in->name_size;
    v->guid = csspgo_guid(in->name, in->name_size);
    v->at.loc = line_loc(x, loc);
    v->at.kind = kind;
    v->at.callee = callee;
    return 1;
}

/* The function that begins at an address, as its GUID; 0: none does. */
static uint64_t function_at(const match_run *m, uint64_t address)
{
    const size_t a = first_from(m->symbol, m->symbols, sizeof *m->symbol, address);
    return a < m->symbols && m->symbol[a].address == address ? m->symbol[a].guid : 0;
}

/* The calls of the code [begin, end), all of one location; what calls nothing is a block. Returns 0: out of memory. */
static int calls_of(const match_run *m, match_lines *x, const csspgo_line_inline_node *in, csspgo_loc loc,
                    uint64_t begin, uint64_t end, elf_section *s)
{
    if (!line_place_add(x, in, loc, CSSPGO_MATCH_BLOCK, 0)) return 0;
    while (begin < end && match_section_of(m, begin, 1, s)) {
        const unsigned char *const p = s->contents + (size_t)(begin - s->address);
        const size_t left = (size_t)(s->size - (begin - s->address));
        const match_symbol *slot = NULL;
        uint64_t callee;
        csspgo_insn insn;
        if (m->image.elf.machine == ELF_X86_64) csspgo_decode_x86_64(p, left, begin, &insn);
        else csspgo_decode_aarch64(p, left, begin, &insn);
        callee = insn.size != 0 && insn.has_target ? function_at(m, insn.target) : 0;
        if (m->image.elf.machine == ELF_X86_64) slot = match_slot_of(m, p, begin, &insn);
        if (slot != NULL) callee = slot->guid;
        if (insn.size != 0 && (insn.kind == CSSPGO_CALL || (callee != 0 && insn.kind != CSSPGO_RET)) &&
            !line_place_add(x, in, loc, insn.has_target || slot != NULL ? CSSPGO_MATCH_CALL : CSSPGO_MATCH_INDIRECT,
                            callee))
            return 0;
        begin += insn.size != 0 ? insn.size : insn.skip != 0 ? insn.skip : 1;
    }
    return 1;
}

/* The locations of a unit's code; an inlined copy is a call in what it is inlined into. Returns 0: out of memory. */
static int unit_places(const match_run *m, match_lines *x, const debug_lines *l)
{
    elf_section s;
    size_t i;
    memset(&s, 0, sizeof s);
    for (i = 0; i < l->nodes; i++) {
        const csspgo_line_inline_node *const in = &l->node[i];
        if (in->parent == 0) continue;
        if (!line_place_add(x, &l->node[in->parent - 1], in->site, CSSPGO_MATCH_CALL,
                            csspgo_guid(in->name, in->name_size)))
            return 0;
    }
    for (i = 0; i + 1 < l->rows; i++) {
        const csspgo_line_row *const r = &l->row[i];
        if (r->inline_node == 0) continue;
        if (!calls_of(m, x, &l->node[r->inline_node - 1], r->loc, r->address, l->row[i + 1].address, &s)) return 0;
    }
    return 1;
}

/* By function and location, calls before blocks, known callees before others. */
static int place_order(const void *a, const void *b)
{
    static const int rank[] = { 2, 0, 1, 3 };
    const line_place *x = (const line_place *)a, *y = (const line_place *)b;
    const csspgo_match_loc *u = &x->at, *v = &y->at;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    if (u->loc.line != v->loc.line) return u->loc.line < v->loc.line ? -1 : 1;
    if (u->loc.discriminator != v->loc.discriminator) return u->loc.discriminator < v->loc.discriminator ? -1 : 1;
    if (rank[u->kind] != rank[v->kind]) return rank[u->kind] < rank[v->kind] ? -1 : 1;
    return u->callee < v->callee ? -1 : u->callee > v->callee;
}

/* Functions and their locations, of which each is there once: with two callees it is an indirect call. */
static int codes_make(match_run *m, match_lines *x)
{
    csspgo_match_code *c = NULL;
    size_t i, n = 0;
    x->loc = (csspgo_match_loc *)malloc((x->places + 1) * sizeof *x->loc);
    x->code = (csspgo_match_code *)calloc(x->places + 1, sizeof *x->code);
    if (x->loc == NULL || x->code == NULL) return 0;
    if (x->places != 0) qsort(x->place, x->places, sizeof *x->place, place_order);
    for (i = 0; i < x->places; i++) {
        const line_place *const v = &x->place[i];
        csspgo_match_loc *const last = n != 0 ? &x->loc[n - 1] : NULL;
        if (c == NULL || c->guid != v->guid) {
            c = &x->code[m->codes++];
            c->name = v->name;
            c->name_size = v->name_size;
            c->guid = v->guid;
            c->flags = CSSPGO_MATCH_NO_CHECKSUM;
            c->loc = &x->loc[n];
        } else if (last->loc.line == v->at.loc.line && last->loc.discriminator == v->at.loc.discriminator) {
            if (last->kind != CSSPGO_MATCH_CALL || v->at.kind == CSSPGO_MATCH_BLOCK || last->callee == v->at.callee)
                continue;
            last->kind = CSSPGO_MATCH_INDIRECT;
            last->callee = 0;
            continue;
        }
        x->loc[n++] = v->at;
        c->locs++;
    }
    m->code = x->code;
    return 1;
}

/* Where functions begin, by address. Returns 0: out of memory. */
static int functions_make(match_run *m, const match_lines *x)
{
    size_t count, i;
    const debug_range *const r = debug_info_ranges(x->debug, &count);
    m->symbol = (match_symbol *)calloc(count + 1, sizeof *m->symbol);
    for (i = 0; m->symbol != NULL && i < count; i++) {
        m->symbol[i].address = r[i].begin;
        m->symbol[i].guid = csspgo_guid(r[i].name, strlen(r[i].name));
        m->symbol[i].index = (uint32_t)i;
    }
    m->symbols = m->symbol != NULL ? count : 0;
    return m->symbol != NULL;
}

/* A stub that jumps to a function of a library: a call of it calls that. Returns 0: out of memory. */
static int stub_add(match_run *m, uint64_t address, uint64_t stub, const csspgo_insn *insn, const match_symbol *slot)
{
    match_symbol *v;
    (void)address;
    if (insn->kind == CSSPGO_CALL) return 1;
    v = (match_symbol *)realloc(m->symbol, (m->symbols + 1) * sizeof *v);
    if (v == NULL) return 0;
    m->symbol = v;
    memset(&v[m->symbols], 0, sizeof *v);
    v[m->symbols].address = stub;
    v[m->symbols].guid = slot->guid;
    v[m->symbols].index = (uint32_t)m->symbols;
    m->symbols++;
    return 1;
}

/* The functions of the new program for a profile by source line. Returns 0 with a sentence in why. */
int match_by_line(match_run *m, char *why, size_t why_size)
{
    match_lines *const x = m->lines = (match_lines *)calloc(1, sizeof *x);
    debug_lines l;
    size_t i;
    if (x == NULL) return load_fail(why, why_size, "out of memory");
    x->debug = debug_program(&m->image, m->binary, why, why_size);
    if (x->debug == NULL) return 0;
    x->flow_sensitive = is_flow_sensitive(&m->image);
    if (!functions_make(m, x) || !match_slots(m) || !match_each_slot(m, stub_add))
        return load_fail(why, why_size, "out of memory");
    if (m->symbols != 0) qsort(m->symbol, m->symbols, sizeof *m->symbol, match_symbol_order);
    for (i = 0; i < debug_info_units(x->debug); i++)
        if (!debug_info_lines(x->debug, i, NULL, &l) || !unit_places(m, x, &l))
            return load_fail(why, why_size, "out of memory");
    return codes_make(m, x) || load_fail(why, why_size, "out of memory");
}

void match_lines_free(match_lines *x)
{
    if (x == NULL) return;
    debug_info_close(x->debug);
    free(x->place);
    free(x->loc);
    free(x->code);
    free(x);
}
