/* object.c - an ELF object for x86-64: code, variables, symbols, relocations, and the two probe sections
 *
 * Probes are relative to the symbols of their functions, so that neither they nor the linker need relocations for them.
 * Of debug information there is as little as llvm-profgen wants: where each function begins and ends.
 */
#include "minic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING, TEXT, RELA, DATA, BSS, PROBES, DESCRIPTORS, ABBREV, INFO, RELA_INFO, SYMBOLS, NAMES, SECTION_NAMES,
       STACK, SECTIONS };

/* name, type, flags, link, info, alignment, size of an entry */
static const struct { const char *name; unsigned type, flags, link, info, align, entry; } section[SECTIONS] = {
    { "", 0, 0, 0, 0, 0, 0 },
    { ".text", 1, 6, 0, 0, 16, 0 },
    { ".rela.text", 4, 0x40, SYMBOLS, TEXT, 8, 24 },
    { ".data", 1, 3, 0, 0, 16, 0 },
    { ".bss", 8, 3, 0, 0, 16, 0 },
    { ".pseudo_probe", 1, 0x80, TEXT, 0, 1, 0 },      /* goes where the linker puts .text */
    { ".pseudo_probe_desc", 1, 0, 0, 0, 1, 0 },
    { ".debug_abbrev", 1, 0, 0, 0, 1, 0 },
    { ".debug_info", 1, 0, 0, 0, 1, 0 },
    { ".rela.debug_info", 4, 0x40, SYMBOLS, INFO, 8, 24 },
    { ".symtab", 2, 0, NAMES, 0, 8, 24 },
    { ".strtab", 3, 0, 0, 0, 1, 0 },
    { ".shstrtab", 3, 0, 0, 0, 1, 0 },
    { ".note.GNU-stack", 1, 0, 0, 0, 1, 0 } };

enum { TO_DATA = 1, TO_BSS, TO_TEXT, TO_ABBREV };     /* symbols of sections */

typedef struct bytes { unsigned char *v; size_t n, cap; } bytes;

struct object {
    unit             *u;
    csspgo_probe_set *probes;
    uint64_t         *begin, *end;      /* of each function's code */
    int              *symbol;           /* its number in the table */
    bytes             of[SECTIONS];
    uint64_t          bss;
};

static void add(bytes *b, const void *data, size_t n)
{
    if (n > b->cap - b->n) {
        b->cap = 2 * b->cap + n + 256;
        b->v = (unsigned char *)realloc(b->v, b->cap);
        if (b->v == NULL) fail(NULL, 0, "out of memory", "");
    }
    if (n != 0) memcpy(b->v + b->n, data, n);
    b->n += n;
}

static void integer(bytes *b, uint64_t v, int size)
{
    unsigned char c[8];
    int i;
    for (i = 0; i < size; i++) c[i] = (unsigned char)(v >> 8 * i & 255);
    add(b, c, (size_t)size);
}

/* Variables get their places. */
object *object_new(unit *u)
{
    object *o = (object *)zeros(1, sizeof *o);
    csspgo_error e;
    int i;
    o->u = u;
    o->probes = csspgo_probe_set_new(NULL, &e);
    must(e.status, &e);
    o->begin = (uint64_t *)zeros((size_t)u->functions, sizeof *o->begin);
    o->end = (uint64_t *)zeros((size_t)u->functions, sizeof *o->end);
    o->symbol = (int *)zeros((size_t)u->functions, sizeof *o->symbol);
    for (i = 0; i < u->globals; i++) {
        global *g = &u->global[i];
        g->offset = g->init != NULL ? o->of[DATA].n : o->bss;
        if (g->init == NULL) o->bss += (g->size + 15) / 16 * 16;
        else {
            add(&o->of[DATA], g->init, g->size);
            while (o->of[DATA].n % 16 != 0) integer(&o->of[DATA], 0, 1);
        }
    }
    return o;
}

/* The probes of a function that was emitted last, at begin. */
void object_add(object *o, int number, const function *f, const text *t, uint64_t begin)
{
    csspgo_inline_node *node = (csspgo_inline_node *)zeros((size_t)f->nodes, sizeof *node);
    csspgo_probe_function of;
    csspgo_descriptor d;
    csspgo_error e;
    int i;
    for (i = 0; i < f->nodes; i++) {
        node[i].guid = o->u->f[f->node[i].function].guid;
        node[i].parent = i != 0 ? (uint32_t)f->node[i].parent + 1 : 0;
        node[i].site = (uint32_t)f->node[i].site;
    }
    o->begin[number] = begin;
    o->end[number] = t->size;
    memset(&of, 0, sizeof of);
    of.address = begin;
    of.inlines = node;
    of.inline_count = (size_t)f->nodes;
    of.probes = t->probe;
    of.probe_count = (size_t)t->probes;
    must(csspgo_probe_set_add(o->probes, &of, &e), &e);
    d.guid = f->guid;
    d.checksum = f->checksum;
    d.name = f->name;
    d.name_size = strlen(f->name);
    must(csspgo_probe_set_add_descriptor(o->probes, &d, &e), &e);
    free(node);
}

static void encode(object *o)
{
    bytes *p = &o->of[PROBES], *d = &o->of[DESCRIPTORS];
    csspgo_error e;
    must(csspgo_probe_set_encode(o->probes, CSSPGO_PROBES_RELATIVE, NULL, 0, &p->n, &e), &e);
    must(csspgo_probe_set_encode_descriptors(o->probes, NULL, 0, &d->n, &e), &e);
    p->v = (unsigned char *)zeros(p->n, 1);
    d->v = (unsigned char *)zeros(d->n, 1);
    must(csspgo_probe_set_encode(o->probes, CSSPGO_PROBES_RELATIVE, p->v, p->n, &p->n, &e), &e);
    must(csspgo_probe_set_encode_descriptors(o->probes, d->v, d->n, &d->n, &e), &e);
}

static void symbol(object *o, const char *name, int info, int in, uint64_t value, uint64_t size)
{
    bytes *s = &o->of[SYMBOLS];
    integer(s, name != NULL ? o->of[NAMES].n : 0, 4);
    if (name != NULL) add(&o->of[NAMES], name, strlen(name) + 1);
    integer(s, (uint64_t)info, 2);
    integer(s, (uint64_t)in, 2);
    integer(s, value, 8);
    integer(s, size, 8);
}

/* Local symbols first; returns how many these are. */
static unsigned symbols(object *o)
{
    int number = 1 + TO_ABBREV, local, i;
    unsigned locals = 0;
    add(&o->of[NAMES], "", 1);
    symbol(o, NULL, 0, 0, 0, 0);
    symbol(o, NULL, 3, DATA, 0, 0);
    symbol(o, NULL, 3, BSS, 0, 0);
    symbol(o, NULL, 3, TEXT, 0, 0);
    symbol(o, NULL, 3, ABBREV, 0, 0);
    for (local = 1; local >= 0; local--) {
        for (i = 0; i < o->u->functions; i++) {
            const function *f = &o->u->f[i];
            if ((f->is_local && f->defined) != local) continue;
            o->symbol[i] = number++;
            symbol(o, f->name, (local ? 0 : 0x10) | (f->defined ? 2 : 0), f->defined ? TEXT : 0, o->begin[i],
                   o->end[i] - o->begin[i]);
        }
        if (local) locals = (unsigned)number;
    }
    for (i = 0; i < o->u->globals; i++) {
        const global *g = &o->u->global[i];
        if (g->name != NULL && !g->is_local)
            symbol(o, g->name, 0x11, g->init != NULL ? DATA : BSS, g->offset, g->size);
    }
    return locals;
}

static void relocation(bytes *b, uint64_t at, uint64_t symbol_number, int type, uint64_t addend)
{
    integer(b, at, 8);
    integer(b, symbol_number << 32 | (uint64_t)type, 8);
    integer(b, addend, 8);
}

static void relocations(object *o, const text *t)
{
    int i;
    for (i = 0; i < t->fixes; i++) {
        const fixup *x = &t->fix[i];
        const global *g = x->type != FIX_CALL ? &o->u->global[x->symbol] : NULL;
        const uint64_t to = g == NULL ? (uint64_t)o->symbol[x->symbol] : g->init != NULL ? TO_DATA : TO_BSS;
        relocation(&o->of[RELA], x->at, to, x->type, (uint64_t)x->addend + (g != NULL ? g->offset : 0));
    }
}

/* DWARF 4: a unit with functions, of which name, address and size are known. */
static void debug_information(object *o)
{
    static const unsigned char abbrev[] = {
        1, 0x11, 1, 0x13, 5, 3, 8, 0, 0,              /* unit: language, name */
        2, 0x2e, 0, 3, 8, 0x11, 1, 0x12, 7, 0, 0, 0 };/* function: name, begin, size */
    bytes *b = &o->of[INFO];
    size_t i;
    int k;
    add(&o->of[ABBREV], abbrev, sizeof abbrev);
    integer(b, 0, 4);                                 /* size, known in the end */
    integer(b, 4, 2);
    relocation(&o->of[RELA_INFO], b->n, TO_ABBREV, FIX_32, 0);
    integer(b, 0, 4);
    integer(b, 8, 1);
    integer(b, 1, 1);
    integer(b, 0x0c, 2);                              /* C99 */
    add(b, o->u->file, strlen(o->u->file) + 1);
    for (k = 0; k < o->u->functions; k++) {
        if (!o->u->f[k].defined) continue;
        integer(b, 2, 1);
        add(b, o->u->f[k].name, strlen(o->u->f[k].name) + 1);
        relocation(&o->of[RELA_INFO], b->n, TO_TEXT, FIX_64, o->begin[k]);
        integer(b, 0, 8);
        integer(b, o->end[k] - o->begin[k], 8);
    }
    integer(b, 0, 1);
    for (i = 0; i < 4; i++) b->v[i] = (unsigned char)((b->n - 4) >> 8 * i & 255);
}

static void header(bytes *b, uint64_t sections)
{
    static const unsigned char ident[16] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
    add(b, ident, 16);
    integer(b, 1, 2);                                 /* an object */
    integer(b, 62, 2);                                /* for x86-64 */
    integer(b, 1, 4);
    integer(b, 0, 8);
    integer(b, 0, 8);
    integer(b, sections, 8);
    integer(b, 0, 4);
    integer(b, 64, 2);
    integer(b, 0, 4);
    integer(b, 64, 2);
    integer(b, SECTIONS, 2);
    integer(b, SECTION_NAMES, 2);
}

/* The last step; 0 if the file cannot be written. Frees the object. */
int object_write(object *o, const text *t, const char *path)
{
    bytes head, body, table;
    size_t name[SECTIONS];
    FILE *f = fopen(path, "wb");
    unsigned locals;
    int i, ok;
    memset(&head, 0, sizeof head);
    body = table = head;
    add(&o->of[TEXT], t->byte, t->size);
    encode(o);
    locals = symbols(o);
    relocations(o, t);
    debug_information(o);
    for (i = 0; i < SECTIONS; i++) {
        name[i] = o->of[SECTION_NAMES].n;
        add(&o->of[SECTION_NAMES], section[i].name, strlen(section[i].name) + 1);
    }
    for (i = 0; i < SECTIONS; i++) {
        while (body.n % 16 != 0) integer(&body, 0, 1);
        integer(&table, name[i], 4);
        integer(&table, section[i].type, 4);
        integer(&table, section[i].flags, 8);
        integer(&table, 0, 8);
        integer(&table, i != NOTHING ? 64 + body.n : 0, 8);
        integer(&table, i == BSS ? o->bss : o->of[i].n, 8);
        integer(&table, section[i].link, 4);
        integer(&table, i == SYMBOLS ? locals : section[i].info, 4);
        integer(&table, section[i].align, 8);
        integer(&table, section[i].entry, 8);
        add(&body, o->of[i].v, o->of[i].n);
    }
    while (body.n % 16 != 0) integer(&body, 0, 1);
    header(&head, 64 + body.n);
    ok = f != NULL && fwrite(head.v, 1, head.n, f) == head.n && fwrite(body.v, 1, body.n, f) == body.n &&
         fwrite(table.v, 1, table.n, f) == table.n;
    if (f != NULL && fclose(f) != 0) ok = 0;
    csspgo_probe_set_free(o->probes);
    for (i = 0; i < SECTIONS; i++) free(o->of[i].v);
    free(head.v);
    free(body.v);
    free(table.v);
    free(o->begin);
    free(o->end);
    free(o->symbol);
    free(o);
    return ok;
}
