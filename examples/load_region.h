/* load_region.h - the part of load.h that cuts code into regions; load.h includes it once, with LOAD_IMPLEMENTATION
 *
 * A region is code that begins and ends together: of a symbol, under whatever name, or of an entry of .eh_frame, which
 * is there when symbols are not. Regions say where code is, never whose it is.
 */
#ifndef CSSPGO_EXAMPLES_LOAD_REGION_H
#define CSSPGO_EXAMPLES_LOAD_REGION_H

/* The text section that holds an address, or NULL. */
const load_text *load_text_at(const load_regions *r, uint64_t address)
{
    size_t a = 0, b = r->texts;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (r->text[m].end <= address) a = m + 1;
        else b = m;
    }
    return a < r->texts && r->text[a].begin <= address ? &r->text[a] : NULL;
}

/* The region that holds an address, or NULL. */
load_region *load_region_at(const load_regions *r, uint64_t address)
{
    size_t a = 0, b = r->regions;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (r->region[m].end <= address) a = m + 1;
        else b = m;
    }
    return a < r->regions && r->region[a].begin <= address ? &r->region[a] : NULL;
}

static int load_text_cmp(const void *a, const void *b)
{
    const load_text *x = (const load_text *)a, *y = (const load_text *)b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The executable sections, by address. Returns 0 without memory. */
static int load_texts(const loaded *l, load_regions *r)
{
    size_t i, n = 0;
    uint32_t k;
    r->text = (load_text *)calloc((size_t)l->elf.section_count + 1, sizeof *r->text);
    for (k = 1; r->text != NULL && k < l->elf.section_count; k++) {
        elf_section s;
        elf_section_at(&l->elf, k, &s);
        if (!(s.flags & ELF_SECTION_EXEC) || s.contents == NULL || s.compressed || s.size == 0) continue;
        if (s.address > UINT64_MAX - s.size) continue;
        r->text[n].begin = s.address;
        r->text[n].end = s.address + s.size;
        r->text[n].section = k;
        r->text[n].is_plt = s.name_size >= 4 && (memcmp(s.name, ".plt", 4) == 0 || memcmp(s.name, ".iplt", 4) == 0);
        r->text[n++].code = s.contents;
    }
    if (n != 0) qsort(r->text, n, sizeof *r->text, load_text_cmp);
    for (i = 0; i < n; i++) {                             /* of overlapping ones, which no linker makes, the first */
        if (r->texts != 0 && r->text[i].begin < r->text[r->texts - 1].end) continue;
        r->text[r->texts++] = r->text[i];
    }
    return r->text != NULL;
}

/* ----- symbols ---------------------------------------------------------------------------------------------------- */

static int load_name_cmp(const void *a, const void *b)
{
    const load_name *x = (const load_name *)a, *y = (const load_name *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Symbols of code: functions, also of size 0, and what else has a size. dynamic: e is the table of .dynsym. */
static void load_names_of(load_regions *r, const elf_image *e, int dynamic)
{
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++) {
        elf_symbol y;
        load_name *n = &r->name[r->names];
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED || y.name_size == 0) continue;
        if (y.type != ELF_FUNC && y.type != ELF_IFUNC && (y.type != ELF_NOTYPE || y.size == 0)) continue;
        if (load_text_at(r, y.value) == NULL || y.value > UINT64_MAX - y.size) continue;
        n->address = y.value;
        n->size = y.size;
        n->name = y.name;
        n->name_size = (uint32_t)y.name_size;
        n->index = dynamic ? UINT32_MAX : i;
        n->is_function = y.type == ELF_FUNC;
        r->names++;
    }
}

static int load_names(const loaded *l, load_regions *r)
{
    const elf_image *const e = load_symbols(l), dynamic = elf_dynamic(&l->elf);
    r->name = (load_name *)calloc((size_t)e->symbol_count + dynamic.symbol_count + 1, sizeof *r->name);
    if (r->name == NULL) return 0;
    load_names_of(r, e, 0);
    if (!l->llvm) load_names_of(r, &dynamic, 1);
    if (r->names != 0) qsort(r->name, r->names, sizeof *r->name, load_name_cmp);
    return 1;
}

/* ----- unwind tables ---------------------------------------------------------------------------------------------- */

typedef struct load_unwind {      /* walks over .eh_frame */
    const unsigned char *data;    /* NULL: there is none  */
    size_t   size, at;
    uint64_t address;             /* of data */
} load_unwind;

/* The bytes of the file that are loaded at an address, up to the end of their segment; NULL: none. */
static const unsigned char *load_bytes_at(const elf_image *e, uint64_t address, size_t *size)
{
    elf_segment s;
    uint32_t i;
    for (i = 0; i < e->segment_count; i++) {
        if (!elf_segment_at(e, i, &s) || s.type != ELF_LOAD || s.contents == NULL) continue;
        if (address < s.address || address - s.address >= s.file_size) continue;
        *size = (size_t)(s.file_size - (address - s.address));
        return s.contents + (size_t)(address - s.address);
    }
    return NULL;
}

/*
 * A pointer as unwind tables encode it (DW_EH_PE_...): absolute or relative to its own place. Returns its size; 0: it
 * has another form, or is cut off.
 */
static size_t load_pointer(const unsigned char *p, size_t left, unsigned form, uint64_t address, uint64_t *value)
{
    const unsigned kind = form & 15, size = kind == 0 || kind == 4 || kind == 12 ? 8
                                            : kind == 3 || kind == 11          ? 4
                                            : kind == 2 || kind == 10          ? 2
                                                                               : 0;
    *value = 0;
    if (size == 0 || left < size || (form & 0x70) > 0x10) return 0;
    *value = size == 8 ? elf__64(p) : size == 4 ? elf__32(p) : elf__16(p);
    if (kind == 11) *value = (uint64_t)(int64_t)(int32_t)elf__32(p);
    if (kind == 10) *value = (uint64_t)(int64_t)(int16_t)elf__16(p);
    if ((form & 0x70) == 0x10) *value += address;
    return size;
}

/* Finds .eh_frame: by its name, or where the table that leads to its entries says. */
static load_unwind load_unwind_of(const loaded *l)
{
    const elf_image *const e = &l->elf;
    load_unwind u;
    elf_section s;
    elf_segment g;
    uint32_t i;
    memset(&u, 0, sizeof u);
    if (elf_section_named(e, ".eh_frame", &s) && s.contents != NULL && !s.compressed) {
        u.data = s.contents;
        u.size = (size_t)s.size;
        u.address = s.address;
        return u;
    }
    for (i = 0; i < e->segment_count; i++) {
        if (!elf_segment_at(e, i, &g) || g.type != ELF_EH_FRAME || g.contents == NULL || g.file_size < 12) continue;
        if (g.contents[0] != 1 || load_pointer(g.contents + 4, 8, g.contents[1], g.address + 4, &u.address) == 0) continue;
        u.data = load_bytes_at(e, u.address, &u.size);
        break;
    }
    return u;
}

static size_t load_skip_leb(const load_unwind *u, size_t at)
{
    while (at < u->size && u->data[at] & 0x80) at++;
    return at + 1;
}

/* The form of the addresses of a CIE's entries: DW_EH_PE_..., 0xff: not understood. */
static unsigned load_cie_form(const load_unwind *u, size_t cie)
{
    const char *augmentation;
    const size_t end = u->size;
    uint64_t ignored;
    size_t at = cie + 9, n;
    if (cie > end || end - cie < 16 || elf__32(u->data + cie) == 0xffffffff) return 0xff;
    augmentation = (const char *)u->data + at;
    for (n = 0; n < end - at && augmentation[n] != '\0'; n++) {}
    if (n == end - at || augmentation[0] != 'z') return n == 0 ? 0 : 0xff;
    at = load_skip_leb(u, load_skip_leb(u, at + n + 1));           /* alignment factors of code and data          */
    at = u->data[cie + 8] == 1 ? at + 1 : load_skip_leb(u, at);    /* the return address's register               */
    at = load_skip_leb(u, at);                                     /* the size of what the letters below describe */
    for (augmentation++; *augmentation != '\0' && at < end; augmentation++) {
        if (*augmentation == 'R') return u->data[at];
        if (*augmentation == 'P') {
            const size_t size = load_pointer(u->data + at + 1, end - at - 1, u->data[at] & 15, 0, &ignored);
            if (size == 0) return 0xff;
            at += 1 + size;
        } else at += *augmentation == 'L';
    }
    return *augmentation == '\0' ? 0 : 0xff;
}

/* The next function that the table has code of. Returns 0 behind the last, or where the table is damaged. */
static int load_unwind_next(load_unwind *u, uint64_t *begin, uint64_t *size)
{
    while (u->data != NULL && u->size - u->at >= 8) {
        const size_t at = u->at, length = elf__32(u->data + at);
        const uint32_t back = elf__32(u->data + at + 4);
        size_t n;
        unsigned form;
        if (length < 4 || length == 0xffffffff || length > u->size - at - 4) break;
        u->at = at + 4 + length;
        if (back == 0 || back > at + 4) continue;
        form = load_cie_form(u, at + 4 - back);
        n = load_pointer(u->data + at + 8, length - 4, form, u->address + at + 8, begin);
        if (form & 0x80 || n == 0 || load_pointer(u->data + at + 8 + n, length - 4 - n, form & 15, 0, size) == 0)
            continue;
        if (*size != 0 && *begin <= UINT64_MAX - *size) return 1;
    }
    return 0;
}

/* ----- regions ---------------------------------------------------------------------------------------------------- */

static int load_region_cmp(const void *a, const void *b)
{
    const load_region *x = (const load_region *)a, *y = (const load_region *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

static void load_region_add(load_regions *r, uint64_t begin, uint64_t size)
{
    load_region *const g = &r->region[r->regions];
    memset(g, 0, sizeof *g);
    g->begin = begin;
    g->end = begin + size;
    r->regions += load_text_at(r, begin) != NULL;
}

/*
 * Regions end where the next begins, at the latest; what lies behind a nested one is the nested one's. Without a size
 * they go on to the next. Of several that begin together the largest counts.
 */
static void load_regions_cut(load_regions *r)
{
    size_t i, n = 0;
    for (i = 0; i < r->regions; i++)
        if (n == 0 || r->region[n - 1].begin != r->region[i].begin) r->region[n++] = r->region[i];
    r->regions = n;
    for (i = 0; i < n; i++) {
        load_region *const g = &r->region[i];
        uint64_t limit = load_text_at(r, g->begin)->end;
        if (g->end > limit) g->end = limit;
        if (i + 1 < n && g[1].begin < limit) limit = g[1].begin;
        if (g->end > limit && g[1].end < g->end) g[1].end = g->end;
        if (g->end > limit || g->end == g->begin) g->end = limit;
    }
}

/* Which symbols are at a region's begin: those in it further on name labels. */
static void load_regions_name(load_regions *r)
{
    size_t i, k = 0;
    for (i = 0; i < r->regions; i++) {
        load_region *const g = &r->region[i];
        while (k < r->names && r->name[k].address < g->begin) k++;
        g->name = k;
        while (k < r->names && r->name[k].address == g->begin) k++;
        g->names = k - g->name;
    }
}

/* Cuts the code into regions. LLVM knows symbols only. Returns 0 without memory. */
static int load_regions_make(const loaded *l, load_regions *r)
{
    load_unwind u, again;
    uint64_t begin, size;
    size_t i, n = 0;
    memset(r, 0, sizeof *r);
    memset(&u, 0, sizeof u);
    if (!load_texts(l, r) || !load_names(l, r)) return 0;
    if (!l->llvm) u = load_unwind_of(l);
    again = u;
    while (load_unwind_next(&u, &begin, &size)) n++;
    r->region = (load_region *)malloc((r->names + n + 1) * sizeof *r->region);
    if (r->region == NULL) return 0;
    for (i = 0; i < r->names; i++) load_region_add(r, r->name[i].address, r->name[i].size);
    while (load_unwind_next(&again, &begin, &size)) load_region_add(r, begin, size);
    if (r->regions != 0) qsort(r->region, r->regions, sizeof *r->region, load_region_cmp);
    load_regions_cut(r);
    load_regions_name(r);
    return 1;
}

/* The regions of the program, which it keeps until load_free; NULL without memory. */
const load_regions *load_regions_of(loaded *l)
{
    if (l->regions != NULL) return l->regions;
    l->regions = (load_regions *)malloc(sizeof *l->regions);
    if (l->regions == NULL || load_regions_make(l, l->regions)) return l->regions;
    load_regions_free(l);
    return NULL;
}

void load_regions_free(loaded *l)
{
    if (l->regions == NULL) return;
    free(l->regions->text);
    free(l->regions->name);
    free(l->regions->region);
    free(l->regions);
    l->regions = NULL;
}

#endif
