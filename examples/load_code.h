/* load_code.h - the part of load.h that says which bytes are code; load.h includes it once, with LOAD_IMPLEMENTATION */
#ifndef CSSPGO_EXAMPLES_LOAD_CODE_H
#define CSSPGO_EXAMPLES_LOAD_CODE_H

static int load_start_cmp(const void *a, const void *b)
{
    const load_start *x = (const load_start *)a, *y = (const load_start *)b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* The number of a text section by its place among them. */
static uint32_t load_section_of(const load_regions *r, uint64_t address)
{
    const load_text *const text = load_text_at(r, address);
    return text != NULL ? text->section : 0;
}

/* Adds the begins of text sections that have none of n starts, which are in order. Returns the new number. */
static size_t load_starts_begin(const load_regions *r, load_start *v, size_t n)
{
    size_t i, k = n, a, b;
    for (i = 0; i < r->texts; i++) {
        for (a = 0, b = n; a < b;) {
            const size_t m = a + (b - a) / 2;
            if (v[m].section < r->text[i].section) a = m + 1;
            else b = m;
        }
        if (r->text[i].is_plt || (a < n && v[a].section == r->text[i].section)) continue;
        v[k].address = r->text[i].begin;
        v[k++].section = r->text[i].section;
    }
    return k;
}

/*
 * Where decoding starts, by (section, address): at every symbol in an executable section. Bytes before the first are no
 * code, for LLVM; else unwind tables tell of code without symbols, and a section without either is code from its begin.
 */
load_start *load_starts(loaded *l, size_t *count)
{
    const elf_image *e = load_symbols(l);
    const load_regions *const r = load_regions_of(l);
    const size_t most = (size_t)e->symbol_count + (r != NULL ? r->regions + r->texts : 0);
    load_start *v = r != NULL ? (load_start *)malloc((most + 1) * sizeof *v) : NULL;
    size_t n = 0, k;
    uint32_t i;
    *count = 0;
    for (i = 1; v != NULL && i < e->symbol_count; i++) {
        elf_section s;
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || !elf_section_at(e, y.section, &s) || !(s.flags & ELF_SECTION_EXEC)) continue;
        v[n].address = y.value;
        v[n].section = load_section_of(r, y.value);
        n += v[n].section != 0;
    }
    for (k = 0; v != NULL && !l->llvm && k < r->regions; k++) {
        const load_text *const text = load_text_at(r, r->region[k].begin);
        v[n].address = r->region[k].begin;
        v[n].section = text->section;
        n += !text->is_plt;
    }
    if (n != 0) qsort(v, n, sizeof *v, load_start_cmp);
    *count = v != NULL && !l->llvm ? load_starts_begin(r, v, n) : n;
    if (*count > n) qsort(v, *count, sizeof *v, load_start_cmp);
    return v;
}

/* The value of a symbol; 0: there is none. */
static uint64_t load_symbol_value(const loaded *l, const char *name)
{
    const elf_image *const e = load_symbols(l);
    elf_symbol y;
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++)
        if (elf_symbol_at(e, i, &y) && y.section != ELF_UNDEFINED && y.name_size == strlen(name) &&
            memcmp(y.name, name, y.name_size) == 0)
            return y.value;
    return 0;
}

/* The bytes between two symbols of the kernel, or a section of a module; NULL: they are not in the file. */
static const unsigned char *load_table(const loaded *l, const char *begin, const char *end, const char *section,
                                       uint64_t *at, size_t *size)
{
    const uint64_t limit = l->object ? 0 : load_symbol_value(l, end);
    elf_segment s;
    elf_section of;
    uint32_t i;
    if (l->object) {
        elf_section_named(&l->elf, section, &of);
        *at = of.address;
        *size = (size_t)of.size;
        return of.contents;
    }
    *at = load_symbol_value(l, begin);
    if (*at == 0 || limit <= *at) return NULL;
    *size = (size_t)(limit - *at);
    for (i = 0; i < l->elf.segment_count; i++)
        if (elf_segment_at(&l->elf, i, &s) && s.type == ELF_LOAD && s.contents != NULL && *at >= s.address &&
            *size <= s.file_size && *at - s.address <= s.file_size - *size)
            return s.contents + (*at - s.address);
    return NULL;
}

/* Makes a direct call or jump at an address of a section's code an instruction of equal size that does nothing. */
static void load_clear(unsigned char *code, const elf_section *s, uint64_t address)
{
    static const unsigned char wide[] = { 0x0f, 0x1f, 0x44, 0, 0 }, narrow[] = { 0x66, 0x90 };
    const uint64_t at = address - s->address;
    if (at >= s->size) return;
    if ((code[at] == 0xe8 || code[at] == 0xe9) && s->size - at >= sizeof wide) memcpy(code + at, wide, sizeof wide);
    else if (code[at] == 0xeb && s->size - at >= sizeof narrow) memcpy(code + at, narrow, sizeof narrow);
}

/*
 * The code of a section of the x86-64 kernel as it runs: when it starts it removes the calls of __fentry__ that most
 * functions begin with, and any jump of a static key may be off. Code is taken to run on behind both. NULL: no memory
 */
static unsigned char *load_kernel_code(const loaded *l, const elf_section *s)
{
    unsigned char *const code = (unsigned char *)malloc((size_t)s->size + 1);
    const unsigned char *p;
    uint64_t at;
    size_t size, i;
    if (code == NULL) return NULL;
    memcpy(code, s->contents, (size_t)s->size);
    p = load_table(l, "__start_mcount_loc", "__stop_mcount_loc", "__mcount_loc", &at, &size);
    for (i = 0; p != NULL && i + 8 <= size; i += 8) load_clear(code, s, elf__64(p + i));
    p = load_table(l, "__start___jump_table", "__stop___jump_table", "__jump_table", &at, &size);
    for (i = 0; p != NULL && i + 16 <= size; i += 16)      /* distances of code, target; key */
        load_clear(code, s, at + i + (uint64_t)(int64_t)(int32_t)elf__32(p + i));
    return code;
}

/* The executable sections but .plt, which llvm-profgen leaves out too. */
int load_code(loaded *l, char *why, size_t why_size)
{
    const csspgo_arch arch = l->elf.machine == ELF_X86_64 ? CSSPGO_X86_64 : CSSPGO_AARCH64;
    size_t count, i, k, n;
    load_start *v = load_starts(l, &count);
    uint64_t *starts = (uint64_t *)malloc((count + 1) * sizeof *starts);
    unsigned char *patched = NULL;
    csspgo_status status = v != NULL && starts != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    for (i = 0; i < count && status == CSSPGO_OK; i = k) {
        elf_section s;
        for (n = 0, k = i; k < count && v[k].section == v[i].section; k++) starts[n++] = v[k].address;
        if (!elf_section_at(&l->elf, v[i].section, &s) || s.contents == NULL || s.compressed) continue;
        if (s.name_size == 4 && memcmp(s.name, ".plt", 4) == 0) continue;
        if (l->kernel && arch == CSSPGO_X86_64 && (patched = load_kernel_code(l, &s)) == NULL) status = CSSPGO_E_NOMEM;
        else {
            const csspgo_code_bytes b = { arch, s.address, patched != NULL ? patched : s.contents, (size_t)s.size,
                                          starts, n };
            status = csspgo_code_add_bytes(l->code, l->module, &b, NULL);
        }
        free(patched);
        patched = NULL;
    }
    free(v);
    free(starts);
    if (status == CSSPGO_OK) return 1;
    return load_fail(why, why_size,
                     status == CSSPGO_E_ARGUMENT ? "executable sections overlap" : csspgo_status_text(status));
}

#endif
