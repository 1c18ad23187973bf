/*
 * jit_place.c - profgen: code of JITs in the code map
 *
 * The code map gets a function when the first sample hits it. Each has a place of its own there, whatever becomes of
 * its memory: so samples of code that was moved, or replaced since, and of several processes, add up by function. The
 * place is the address where the function ran, or a made-up one if that is taken.
 */
#include "profgen.h"

/* The first line of a function: V8's names end in :LINE:COLUMN. 0: the name does not tell. */
static uint32_t jit_first_line(const char *name, size_t size)
{
    uint64_t n[2] = { 0, 0 };
    int i;
    for (i = 0; i < 2; i++) {
        uint64_t unit = 1;
        const size_t end = size;
        for (; size != 0 && name[size - 1] >= '0' && name[size - 1] <= '9' && end - size < 9; unit *= 10)
            n[i] += (uint64_t)(name[--size] - '0') * unit;
        if (size == end || size == 0 || name[size - 1] != ':') return 0;
        size--;
    }
    return (uint32_t)n[1];
}

/* A line as a location: from the function's first line on; lines before it are of other functions, inlined. */
static csspgo_loc jit_loc(uint32_t line, uint32_t first, uint32_t discriminator)
{
    if (line < first || line - first > 65535) return csspgo_loc_at(0, 0);
    return csspgo_loc_at(line - first, discriminator);
}

/* Room for n more lines. NULL: out of memory. */
static jit_row *jit_rows_room(jit_work *w, size_t n)
{
    enum { ROWS = 1 << 14 };
    const size_t cap = n > ROWS ? n : ROWS;
    jit_rows *v = w->rows;
    if (v != NULL && v->cap - v->used >= n) return v->row + v->used;
    v = (jit_rows *)malloc(sizeof *v + cap * sizeof v->row[0]);
    if (v == NULL) return NULL;
    v->next = w->rows;
    v->used = 0;
    v->cap = cap;
    w->rows = v;
    return v->row;
}

static int jit_row_order(const void *a, const void *b)
{
    const jit_row *x = (const jit_row *)a, *y = (const jit_row *)b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->loc.line != y->loc.line) return x->loc.line < y->loc.line ? -1 : 1;
    return x->loc.discriminator < y->loc.discriminator ? -1 : x->loc.discriminator > y->loc.discriminator;
}

/* Sorts lines by offset; of several at one offset the last one counts, as in a line table. Returns their number. */
static size_t jit_sort_rows(jit_row *v, size_t count)
{
    size_t i, n = 0;
    for (i = 1; i < count && v[i - 1].offset < v[i].offset; i++) {}
    if (i >= count) return count;
    for (; i < count && v[i - 1].offset <= v[i].offset; i++) {}
    if (i < count) qsort(v, count, sizeof *v, jit_row_order);
    for (i = 0; i < count; i++) {
        if (n != 0 && v[n - 1].offset == v[i].offset) n--;
        v[n++] = v[i];
    }
    return n;
}

/* Reads the lines of a function; r: its record. Returns 0: out of memory. */
static int jit_read_rows(jit_work *w, const jit_function *f, const jitdump_record *r, jit_hit *hit)
{
    const jit_file *file = &w->code->file[f->file];
    const int columns = file->columns && !w->alone;         /* a program's discriminators are read otherwise */
    const uint64_t late = file->columns ? 0x40 : 0;
    uint32_t first = jit_first_line(r->name, r->name_size);
    jit_row *v;
    jitdump_record d;
    jitdump_line line;
    size_t at = 0, n, rows = 1;
    memset(&d, 0, sizeof d);
    if (f->debug != 0 && jitdump_at(&file->dump, (size_t)f->offset - f->debug, &d) != 1) d.index = 0;
    hit->row = v = jit_rows_room(w, (size_t)d.index + 1);
    if (v == NULL) return 0;
    memset(v, 0, sizeof *v);
    for (n = 0; n < d.index; n++) {
        if (!jitdump_next_line(&file->dump, &d, r->address, r->address + r->size + late, &at, &line)) break;
        if (first == 0) first = line.line;
        if (line.address - r->address < late || line.address - late - r->address >= r->size) continue;
        v[rows].offset = (uint32_t)(line.address - late - r->address);
        v[rows++].loc = jit_loc(line.line, first, columns ? 0 : line.discriminator);
    }
    hit->rows = jit_sort_rows(v, rows);
    w->rows->used += hit->rows;
    return 1;
}

/* Tells a line table of a function's lines. */
static csspgo_status jit_add_lines(const jit_work *w, const jit_hit *hit, csspgo_line_table *table)
{
    csspgo_line_row *v = (csspgo_line_row *)calloc(hit->rows, sizeof *v);
    csspgo_line_inline_node node;
    csspgo_status s;
    size_t i;
    if (v == NULL) return CSSPGO_E_NOMEM;
    memset(&node, 0, sizeof node);
    node.name = csspgo_func_name(w->samples, hit->func, &node.name_size);
    for (i = 0; i < hit->rows; i++) {
        v[i].address = hit->place + hit->row[i].offset;
        v[i].inline_node = 1;
        v[i].loc = hit->row[i].loc;
    }
    s = csspgo_line_table_add(table, w->r->programs->v->loaded.code, csspgo_no_module(), &node, 1, v, hit->rows, NULL);
    free(v);
    return s;
}

csspgo_status jit_tell_lines(const jit_work *w, csspgo_line_table *table)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; s == CSSPGO_OK && i < w->hits; i++)
        if (w->hit[i].place != 0) s = jit_add_lines(w, &w->hit[i], table);
    return s;
}

/* Adds a function's code to the code map. */
static csspgo_status jit_add_code(const jit_work *w, const jit_function *f, const jitdump_record *r,
                                  const csspgo_code_function *c)
{
    const uint32_t machine = w->code->file[f->file].dump.machine;
    csspgo_code *const code = w->r->programs->v->loaded.code;
    csspgo_status s;
    if (r->code != NULL && (machine == X86_64 || machine == AARCH64)) {
        const csspgo_code_bytes b = { machine == X86_64 ? CSSPGO_X86_64 : CSSPGO_AARCH64, c->begin, r->code,
                                      (size_t)r->size, NULL, 0 };
        s = csspgo_code_add_bytes(code, csspgo_no_module(), &b, NULL);
    } else s = csspgo_code_add_area(code, csspgo_no_module(), c->begin, r->size, NULL);
    return s == CSSPGO_OK ? csspgo_code_add_function(code, csspgo_no_module(), c, NULL) : s;
}

/* 1 if a profile's text cannot have a byte in a name of a context, or not at its begin. */
static int jit_is_special(unsigned char c, int first)
{
    return c < ' ' || c == ':' || c == '@' || c == '%' || c == 127 ||
           (first && (c == ' ' || c == '#' || c == '[' || (c >= '0' && c <= '9')));
}

/* The name of a function in the profile. Text gets %3a for a colon; to has room for 3 * JITDUMP_NAME_LIMIT bytes. */
static void jit_name(jit_work *w, csspgo_code_function *c, const jitdump_record *r, char *to)
{
    static const char unnamed[] = "(no name)", digits[] = "0123456789abcdef";
    size_t i;
    c->name = r->name_size != 0 ? r->name : unnamed;
    c->name_size = r->name_size != 0 ? r->name_size : sizeof unnamed - 1;
    if (w->o[O_FORMAT].number != 1) return;
    c->name = to;
    for (i = c->name_size = 0; i < r->name_size; i++) {
        const unsigned char byte = (unsigned char)r->name[i];
        if (!jit_is_special(byte, i == 0)) {
            to[c->name_size++] = (char)byte;
            continue;
        }
        w->encoded = 1;
        to[c->name_size++] = '%';
        to[c->name_size++] = digits[byte >> 4];
        to[c->name_size++] = digits[byte & 15];
    }
    if (c->name_size != 0) return;
    c->name = unnamed;
    c->name_size = sizeof unnamed - 1;
}

/* A free place in the code map: at an address if there is no program, or a made-up one. */
static live_range jit_free_place(jit_work *w, uint64_t address, uint64_t size)
{
    live_range p;
    memset(&p, 0, sizeof p);
    p.begin = address;
    if (!w->alone || address < 4096 || address > JIT_FRESH - size ||
        live_overlaps(&w->placed, address, address + size)) {
        p.begin = w->fresh;
        w->fresh += size + 16;
    }
    p.base = p.begin;
    p.end = p.begin + size;
    return p;
}

/* Says what is wrong with a function. Returns NULL. */
static jit_hit *jit_refuse(const jit_work *w, const jit_function *f, csspgo_status s)
{
    fail(w->tool, "%s: byte %llu: %s", w->code->file[f->file].path, (unsigned long long)f->offset,
         csspgo_status_text(s));
    return NULL;
}

jit_hit *jit_hit_of(jit_work *w, const live_range *at)
{
    jit_function *f = &w->code->function[at->function];
    char name[3 * JITDUMP_NAME_LIMIT];
    jit_hit *v;
    jitdump_record r;
    csspgo_code_function c;
    if (f->hit != 0) return &w->hit[f->hit - 1];
    v = (jit_hit *)jit_room(w->hit, w->hits, &w->hit_cap, sizeof *v);
    if (v == NULL) return jit_refuse(w, f, CSSPGO_E_NOMEM);
    w->hit = v;
    v += w->hits;
    memset(v, 0, sizeof *v);
    if (!jit_load(w->code, at->function, &r)) return jit_refuse(w, f, CSSPGO_E_TRUNCATED);   /* it has changed since */
    memset(&c, 0, sizeof c);
    jit_name(w, &c, &r, name);
    v->func = csspgo_func_add(w->samples, c.name, c.name_size);
    if (v->func.id == 0 || !jit_read_rows(w, f, &r, v)) return jit_refuse(w, f, CSSPGO_E_NOMEM);
    w->recursive |= v->func.id <= w->newest;
    w->newest = v->func.id > w->newest ? v->func.id : w->newest;
    f->hit = (uint32_t)++w->hits;
    return v;
}

/* Gives a function a place in the code map: adds its code and lines there. */
static csspgo_status jit_place_at(jit_work *w, const live_range *at, jit_hit *hit)
{
    const jit_function *f = &w->code->function[at->function];
    jitdump_record r;
    live_range p;
    csspgo_code_function c;
    csspgo_status s;
    if (!jit_load(w->code, at->function, &r)) return CSSPGO_E_TRUNCATED;
    p = jit_free_place(w, at->base, r.size);
    memset(&c, 0, sizeof c);
    c.begin = p.begin;
    c.end = p.end;
    c.name = csspgo_func_name(w->samples, hit->func, &c.name_size);
    s = jit_add_code(w, f, &r, &c);
    if (s == CSSPGO_OK && !live_add(&w->placed, &p)) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) hit->place = p.begin;
    return s;
}

jit_hit *jit_placed(jit_work *w, const live_range *at)
{
    jit_hit *hit = jit_hit_of(w, at);
    csspgo_status s;
    if (hit == NULL || hit->place != 0) return hit;
    s = jit_place_at(w, at, hit);
    return s == CSSPGO_OK ? hit : jit_refuse(w, &w->code->function[at->function], s);
}
