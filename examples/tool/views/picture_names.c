/* picture_names.c - a picture of any recording: what is at an address: by lines or probes, with inlinees, by symbols, or
 * by file and offset
 *
 * A file is taken if it is there and of the build that was recorded, with its separate files. Of code without files the
 * map that a JIT leaves for perf is asked (/tmp/perf-PID.map), of the kernel /proc/kallsyms if it is the same boot.
 */
#include "picture.h"

enum { KALLSYMS_MOST = 1 << 27, PROBE_NEAR = 1024 };

typedef struct place {            /* of a function of raw */
    picture_key key;
    uint32_t    func;
} place;

typedef struct symbol_text {      /* a line of a table of symbols */
    uint64_t    begin, end;
    const char *name;
    size_t      size;
} symbol_text;

typedef struct symbol_table {     /* of a perf map, or the kernel's; by begin */
    char        *text;
    symbol_text *v;
    size_t       count, cap;
    uint64_t     text_at;         /* of _text or _stext */
} symbol_table;

/* The key that frame_add has written. */
static picture_key key_of(const char *name)
{
    picture_key k;
    char *end;
    k.kind = *name;
    k.of = (uint32_t)strtoul(name + 1, &end, 16);
    k.at = *end != '\0' ? strtoull(end + 1, NULL, 16) : 0;
    return k;
}

/* ----- chains ----------------------------------------------------------------------------------------------------- */

/* One more name of a function of raw, inlined in the one before. Returns 0 without memory. */
static int chain_add(picture *x, uint32_t func, const char *name, size_t size)
{
    const csspgo_func f = csspgo_func_add(x->named, name, size);
    if (f.id == 0) return 0;
    if (x->chains == x->chain_cap) {
        const size_t cap = x->chain_cap * 2 + 256;
        csspgo_func *const v = (csspgo_func *)realloc(x->chain, cap * sizeof *v);
        if (v == NULL) return 0;
        x->chain = v;
        x->chain_cap = cap;
    }
    if (x->length[func]++ == 0) x->first[func] = x->chains;
    x->chain[x->chains++] = f;
    return 1;
}

static const char *base_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* "[FILE]", or as it is if it is in brackets. */
static int chain_bracket(picture *x, uint32_t func, const char *name)
{
    char text[300];
    snprintf(text, sizeof text, *name == '[' ? "%.250s" : "[%.250s]", name);
    return chain_add(x, func, text, strlen(text));
}

static int place_cmp(const void *a, const void *b)
{
    const place *x = (const place *)a, *y = (const place *)b;
    if (x->key.kind != y->key.kind) return x->key.kind < y->key.kind ? -1 : 1;
    if (x->key.of != y->key.of) return x->key.of < y->key.of ? -1 : 1;
    return x->key.at < y->key.at ? -1 : x->key.at > y->key.at;
}

/* ----- tables of symbols ------------------------------------------------------------------------------------------ */

static int symbol_cmp(const void *a, const void *b)
{
    const symbol_text *x = (const symbol_text *)a, *y = (const symbol_text *)b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int table_add(symbol_table *t, const symbol_text *s)
{
    if (t->count == t->cap) {
        const size_t cap = t->cap * 2 + 256;
        symbol_text *const v = (symbol_text *)realloc(t->v, cap * sizeof *v);
        if (v == NULL) return 0;
        t->v = v;
        t->cap = cap;
    }
    t->v[t->count++] = *s;
    return 1;
}

static void table_free(symbol_table *t)
{
    free(t->text);
    free(t->v);
    memset(t, 0, sizeof *t);
}

/* A file of text that the tool finds by itself: a regular one, of this user or root. Returns 0 if there is none. */
static int table_text(symbol_table *t, const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    size_t size = 0, cap = 1 << 20;
    ssize_t n = 1;
    if (fd < 0) return 0;
    t->text = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0)
            ? (char *)malloc(cap) : NULL;
    while (t->text != NULL && n > 0 && size < KALLSYMS_MOST) {
        if (size + 1 >= cap) {
            char *const more = (char *)realloc(t->text, cap *= 2);
            if (more == NULL) break;
            t->text = more;
        }
        n = read(fd, t->text + size, cap - size - 1);
        if (n > 0) size += (size_t)n;
    }
    close(fd);
    if (t->text != NULL) t->text[size] = '\0';
    return t->text != NULL;
}

/* "ADDRESS SIZE NAME" of a JIT's map; "ADDRESS TYPE NAME [MODULE]" of the kernel's symbols. */
static int table_line(symbol_table *t, const char *line, const char *end, int kernel)
{
    symbol_text s;
    char *at;
    memset(&s, 0, sizeof s);
    s.begin = strtoull(line, &at, 16);
    if (at == line || *at != ' ') return 1;
    if (kernel) {
        if (strchr("tTwW", at[1]) == NULL || at[1] == '\0' || at[2] != ' ') return 1;
        at += 3;
    } else {
        const char *const size = at + 1;
        s.end = s.begin + strtoull(size, &at, 16);
        if (at == size || *at != ' ' || s.end <= s.begin) return 1;
        at++;
    }
    s.name = at;
    while (at < end && (!kernel || (*at != '\t' && *at != ' '))) at++;
    s.size = (size_t)(at - s.name);
    if (kernel && t->text_at == 0 && ((s.size == 5 && memcmp(s.name, "_text", 5) == 0) ||
                                      (s.size == 6 && memcmp(s.name, "_stext", 6) == 0)))
        t->text_at = s.begin;
    return s.size == 0 || table_add(t, &s);
}

/* Reads a table. Returns 0 without memory; a table that is not there is empty. */
static int table_open(symbol_table *t, const char *path, int kernel)
{
    char *line, *end;
    size_t i;
    int ok = 1;
    memset(t, 0, sizeof *t);
    if (!table_text(t, path)) return 1;
    for (line = t->text; ok && *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        ok = table_line(t, line, end, kernel);
    }
    if (t->count != 0) qsort(t->v, t->count, sizeof *t->v, symbol_cmp);
    for (i = 0; kernel && i < t->count; i++) t->v[i].end = i + 1 < t->count ? t->v[i + 1].begin : UINT64_MAX;
    return ok;
}

/* The symbol at an address; of several the last that begins before it. NULL: none. */
static const symbol_text *table_at(const symbol_table *t, uint64_t address)
{
    size_t a = 0, b = t->count;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (t->v[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a != 0 && address < t->v[a - 1].end ? &t->v[a - 1] : NULL;
}

/* Names n places by a table; else they are all called `other`. Returns 0 without memory. */
static int name_by_table(picture *x, const place *v, size_t n, const symbol_table *t, const char *other)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const symbol_text *const s = table_at(t, v[i].key.at);
        x->by_symbol += s != NULL;
        x->by_offset += s == NULL;
        if (!(s != NULL ? chain_add(x, v[i].func, s->name, s->size) : chain_bracket(x, v[i].func, other))) return 0;
    }
    return 1;
}

static int name_kernel(picture *x, const place *v, size_t n)
{
    symbol_table t;
    int ok = table_open(&t, "/proc/kallsyms", 1);
    if (t.text_at == 0 || t.text_at != x->kernel_text) t.count = 0;     /* another kernel, or another boot of it */
    ok = ok && name_by_table(x, v, n, &t, "[kernel]");
    table_free(&t);
    return ok;
}

static int name_jit(picture *x, const place *v, size_t n)
{
    symbol_table t;
    char path[40];
    int ok;
    sprintf(path, "/tmp/perf-%u.map", (unsigned)v->key.of);
    memset(&t, 0, sizeof t);
    ok = v->key.of == 0 || table_open(&t, path, 0);
    ok = ok && name_by_table(x, v, n, &t, "[unknown]");
    table_free(&t);
    return ok;
}

/* ----- files ------------------------------------------------------------------------------------------------------ */

typedef struct opened {           /* a file whose code was sampled */
    const picture_file *file;
    loaded        l;
    debug_info   *lines;          /* NULL: none                      */
    const load_regions *regions;
    int           there;          /* 0: it is not, or of another build */
    int           probed;         /* it has probes and no lines      */
} opened;

/* --binary of the same path, else of the same name, else the recorded path. */
static const char *path_of(const picture *x, const picture_file *f)
{
    size_t i;
    for (i = 0; x->binary != NULL && i < x->binary->count; i++)
        if (strcmp(x->binary->list[i], f->path) == 0) return x->binary->list[i];
    for (i = 0; x->binary != NULL && i < x->binary->count; i++)
        if (strcmp(base_of(x->binary->list[i]), base_of(f->path)) == 0) return x->binary->list[i];
    return f->path;
}

/* 1 if a file is of the build that was recorded, as far as that is known. */
static int is_recorded_build(const picture *x, const picture_file *f, const loaded *l)
{
    char recorded[41], its[41];
    size_t size;
    const unsigned char *const id = elf_build_id(&l->elf, &size);
    if (f->id_size == 0 || id == NULL || size < f->id_size || memcmp(id, f->id, f->id_size) == 0) return 1;
    build_text(f->id, f->id_size, recorded);
    build_text(id, size, its);
    warn(x->tool, "%s: recorded was build id %s, this file has %s: its code gets no names", l->path, recorded, its);
    return 0;
}

/* Its probes; a file whose probes make no sense is opened without them. */
static void opened_probes(const picture *x, opened *o, const char *path)
{
    char why[PROGRAM_WHY];
    o->probed = load_opened(&o->l, path, why, sizeof why);
    if (!o->probed) o->there = program_open(x->tool, &o->l, path, why, sizeof why);
    o->regions = o->there ? load_regions_of(&o->l) : NULL;
}

/* Opens a file for its names; what is wrong with it only makes it nameless. */
static void opened_begin(picture *x, const picture_file *f, opened *o)
{
    const char *const path = path_of(x, f);
    char why[PROGRAM_WHY];
    struct stat st;
    memset(o, 0, sizeof *o);
    o->file = f;
    if (*path != '/' && path == f->path) return;           /* [vdso] and so on: no file                     */
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return;
    if (!program_open(x->tool, &o->l, path, why, sizeof why)) {
        note(x->tool, "%s: %s: its code gets no names", path, why);
        return;
    }
    if (!is_recorded_build(x, f, &o->l)) return;
    o->there = 1;
    o->regions = load_regions_of(&o->l);
    if (!(load_lacks(&o->l) & 1u << LOAD_LINES)) o->lines = debug_program(&o->l, path, why, sizeof why);
    else if (!(load_lacks(&o->l) & 1u << LOAD_PROBES) && load_decodes(&o->l)) opened_probes(x, o, path);
}

static void opened_end(opened *o)
{
    debug_info_close(o->lines);
    load_free(&o->l);
}

/* The link-time address of an offset in the file; UINT64_MAX: none. */
static uint64_t address_at(const opened *o, uint64_t offset)
{
    elf_segment s;
    uint32_t i;
    for (i = 0; o->there && i < o->l.elf.segment_count; i++)
        if (elf_segment_at(&o->l.elf, i, &s) && s.type == ELF_LOAD && offset - s.offset < s.file_size)
            return offset - s.offset + s.address;
    return UINT64_MAX;
}

/* The best of a region's symbols: a function rather than a label, then the first by name. */
static const load_name *symbol_of(const load_regions *r, const load_region *region)
{
    const load_name *best = NULL;
    size_t k;
    for (k = region->name; k < region->name + region->names; k++) {
        const load_name *const y = &r->name[k];
        const size_t n = best != NULL && best->name_size < y->name_size ? best->name_size : y->name_size;
        const int order = best != NULL ? memcmp(y->name, best->name, n) : -1;
        if (best == NULL || y->is_function > best->is_function ||
            (y->is_function == best->is_function && (order < 0 || (order == 0 && y->name_size < best->name_size))))
            best = y;
    }
    return best;
}

/* By its symbol, else "FILE+0xOFFSET", of its region if that is known. Returns 0 without memory. */
static int name_by_symbol(picture *x, const opened *o, const place *p)
{
    const uint64_t address = address_at(o, p->key.at);
    const char *const base = base_of(o->file->path);
    const load_region *const region = o->regions != NULL ? load_region_at(o->regions, address) : NULL;
    const load_text *const text = o->regions != NULL ? load_text_at(o->regions, address) : NULL;
    const load_name *const y = region != NULL ? symbol_of(o->regions, region) : NULL;
    char name[300];
    x->by_symbol += y != NULL;
    x->by_offset += y == NULL;
    if (y != NULL) return chain_add(x, p->func, y->name, y->name_size);
    if (*base == '[') return chain_bracket(x, p->func, base);
    if (text != NULL && text->is_plt) snprintf(name, sizeof name, "%.250s@plt", base);
    else snprintf(name, sizeof name, "%.250s+0x%" PRIx64, base, region != NULL ? region->begin
                                                              : address != UINT64_MAX ? address : p->key.at);
    return chain_add(x, p->func, name, strlen(name));
}

/*
 * By the nearest probe before an address in the same function: code follows the probe of its block. Returns 0 without
 * memory.
 */
static int name_by_probe(picture *x, const opened *o, const place *p)
{
    const uint64_t address = address_at(o, p->key.at);
    csspgo_frame frame[64];
    csspgo_code_place in;
    uint64_t at = address;
    size_t n = 0, i;
    if (address == UINT64_MAX || !csspgo_code_find(o->l.code, address, &in) || in.end == 0) return 1;
    while (n == 0 && at >= in.begin && address - at < PROBE_NEAR) n = csspgo_code_probe_count(o->l.code, at--);
    if (n != 0) n = csspgo_code_probe_stack(o->l.code, at + 1, n - 1, frame, 64, NULL);
    for (i = 0; i < n && i < 64; i++)
        if (frame[i].name == NULL) return 1;
    for (i = 0; i < n && i < 64; i++)
        if (!chain_add(x, p->func, frame[i].name, frame[i].name_size)) return 0;
    x->by_line += n != 0;
    return 1;
}

/* The functions at a row, outermost first. Returns 0 without memory. */
static int name_by_row(picture *x, uint32_t func, const debug_lines *l, uint32_t node)
{
    uint32_t chain[64], i;
    size_t n = 0;
    for (i = node; i != 0 && n < sizeof chain / sizeof *chain; i = l->node[i - 1].parent) chain[n++] = i;
    while (n-- > 0)
        if (!chain_add(x, func, l->node[chain[n] - 1].name, l->node[chain[n] - 1].name_size)) return 0;
    x->by_line++;
    return 1;
}

/* What a unit says of the places whose addresses are in `in`, in the same order. Returns 0 without memory. */
static int name_by_unit(picture *x, const debug_lines *l, const debug_areas *in, const place *const *v)
{
    size_t i, k = 0;
    for (i = 0; i < in->n; i++) {
        while (k + 1 < l->rows && l->row[k + 1].address <= in->v[i].begin) k++;
        if (k < l->rows && l->row[k].address <= in->v[i].begin && l->row[k].inline_node != 0 &&
            x->length[v[i]->func] == 0 && !name_by_row(x, v[i]->func, l, l->row[k].inline_node))
            return 0;
    }
    return 1;
}

/* By debug information, as far as that goes. Returns 0 without memory. */
static int name_by_lines(picture *x, const opened *o, const debug_areas *in, const place *const *v)
{
    const size_t units = debug_info_units(o->lines);
    unsigned char *const unit = (unsigned char *)calloc(units + 1, 1);
    debug_lines l;
    size_t i;
    int ok = unit != NULL;
    if (ok) debug_info_units_in(o->lines, in, unit);
    for (i = 0; ok && i < units; i++)
        if (unit[i]) ok = debug_info_lines(o->lines, i, in, &l) && name_by_unit(x, &l, in, v);
    free(unit);
    return ok;
}

typedef struct addressed { debug_area at; const place *of; } addressed;

static int addressed_cmp(const void *a, const void *b)
{
    const addressed *x = (const addressed *)a, *y = (const addressed *)b;
    return x->at.begin < y->at.begin ? -1 : x->at.begin > y->at.begin;
}

/* The places of a file with lines, by address. Returns 0 without memory. */
static int name_lines(picture *x, const opened *o, const place *v, size_t n)
{
    addressed *const by = (addressed *)malloc(n * sizeof *by);
    debug_area *const area = (debug_area *)malloc(n * sizeof *area);
    const place **const of = (const place **)malloc(n * sizeof *of);
    debug_areas in;
    size_t i, k = 0;
    int ok = by != NULL && area != NULL && of != NULL;
    for (i = 0; ok && i < n; i++) {
        const uint64_t address = address_at(o, v[i].key.at);
        if (address == UINT64_MAX) continue;
        by[k].at.begin = address;
        by[k].at.end = address + 1;
        by[k++].of = &v[i];
    }
    if (ok && k != 0) qsort(by, k, sizeof *by, addressed_cmp);
    for (in.n = i = 0; ok && i < k; i++) {
        if (in.n != 0 && area[in.n - 1].begin == by[i].at.begin) continue;      /* segments overlap */
        area[in.n] = by[i].at;
        of[in.n++] = by[i].of;
    }
    in.v = area;
    ok = ok && (in.n == 0 || name_by_lines(x, o, &in, of));
    free(by);
    free(area);
    free((void *)of);
    return ok;
}

/* n places of one file. Returns 0 without memory. */
static int name_file(picture *x, const place *v, size_t n)
{
    opened o;
    size_t i;
    int ok;
    opened_begin(x, &x->file[v->key.of], &o);
    ok = o.lines == NULL || name_lines(x, &o, v, n);
    for (i = 0; ok && o.probed && i < n; i++) ok = name_by_probe(x, &o, &v[i]);
    for (i = 0; ok && i < n; i++)
        if (x->length[v[i].func] == 0) ok = name_by_symbol(x, &o, &v[i]);
    opened_end(&o);
    return ok;
}

/* ----- all -------------------------------------------------------------------------------------------------------- */

/* n places of one file, or of one kind. Returns 0 without memory. */
static int name_places(picture *x, const place *v, size_t n)
{
    static const symbol_table none;
    switch (v->key.kind) {
    case 'f': return name_file(x, v, n);
    case 'k': return name_kernel(x, v, n);
    case 'j': return name_jit(x, v, n);
    default: return name_by_table(x, v, n, &none, "[unknown]");
    }
}

int picture_name(picture *x)
{
    const uint32_t funcs = csspgo_func_count(x->raw);
    place *const v = (place *)malloc(((size_t)funcs + 1) * sizeof *v);
    csspgo_func f;
    size_t i, n, size;
    int ok;
    x->first = (size_t *)calloc((size_t)funcs + 2, sizeof *x->first);
    x->length = (uint32_t *)calloc((size_t)funcs + 2, sizeof *x->length);
    ok = v != NULL && x->first != NULL && x->length != NULL;
    for (f.id = 1; ok && f.id <= funcs; f.id++) {
        char text[48];
        const char *const name = csspgo_func_name(x->raw, f, &size);
        snprintf(text, sizeof text, "%.*s", (int)size, name);
        v[f.id - 1].key = key_of(text);
        v[f.id - 1].func = f.id;
    }
    if (ok && funcs != 0) qsort(v, funcs, sizeof *v, place_cmp);
    for (i = 0; ok && i < funcs; i += n) {
        for (n = 1; i + n < funcs && v[i + n].key.kind == v[i].key.kind && v[i + n].key.of == v[i].key.of; n++) continue;
        ok = name_places(x, v + i, n);
    }
    free(v);
    return ok || (fail(x->tool, "out of memory"), 0);
}
