/* load_code.h - the part of load.h that says which bytes are code; load.h includes it once, with LOAD_IMPLEMENTATION */
#ifndef CSSPGO_EXAMPLES_LOAD_CODE_H
#define CSSPGO_EXAMPLES_LOAD_CODE_H

typedef struct load_start { uint64_t address; uint32_t section, reserved; } load_start;

static int load_start_cmp(const void *a, const void *b)
{
    const load_start *x = (const load_start *)a, *y = (const load_start *)b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* The executable section at `begin` that holds an address; *guess is where to look first. 0: there is none. */
static uint32_t load_section_of(const loaded *l, uint64_t begin, uint64_t address, uint32_t *guess)
{
    uint32_t i;
    for (i = 0; i < l->elf.section_count; i++) {
        const uint32_t index = i == 0 ? *guess : i;
        elf_section s;
        if (!elf_section_at(&l->elf, index, &s) || !(s.flags & ELF_SECTION_EXEC)) continue;
        if (s.address == begin && address - begin < s.size) return *guess = index;
    }
    return 0;
}

/*
 * Where decoding starts: every symbol in an executable section, by (section, address). Bytes before the first are no
 * code.
 */
static load_start *load_starts(const loaded *l, size_t *count)
{
    const elf_image *e = load_symbols(l);
    load_start *v = (load_start *)malloc(((size_t)e->symbol_count + 1) * sizeof *v);
    uint32_t i, guess = 0;
    *count = 0;
    for (i = 1; v != NULL && i < e->symbol_count; i++) {
        elf_section s;
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || !elf_section_at(e, y.section, &s) || !(s.flags & ELF_SECTION_EXEC)) continue;
        v[*count].address = y.value;
        v[*count].section = load_section_of(l, s.address, y.value, &guess);
        *count += v[*count].section != 0;
    }
    if (v != NULL) qsort(v, *count, sizeof *v, load_start_cmp);
    return v;
}

/* The executable sections but .plt, which llvm-profgen leaves out too. */
int load_code(loaded *l, char *why, size_t why_size)
{
    const csspgo_arch arch = l->elf.machine == ELF_X86_64 ? CSSPGO_X86_64 : CSSPGO_AARCH64;
    size_t count, i, k, n;
    load_start *v = load_starts(l, &count);
    uint64_t *starts = (uint64_t *)malloc((count + 1) * sizeof *starts);
    csspgo_status status = v != NULL && starts != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    for (i = 0; i < count && status == CSSPGO_OK; i = k) {
        elf_section s;
        for (n = 0, k = i; k < count && v[k].section == v[i].section; k++) starts[n++] = v[k].address;
        if (!elf_section_at(&l->elf, v[i].section, &s) || s.contents == NULL || s.compressed) continue;
        if (s.name_size == 4 && memcmp(s.name, ".plt", 4) == 0) continue;
        status = csspgo_code_add_bytes(l->code, l->module, arch, s.address, s.contents, (size_t)s.size, starts, n,
                                       NULL);
    }
    free(v);
    free(starts);
    if (status == CSSPGO_OK) return 1;
    return load_fail(why, why_size,
                     status == CSSPGO_E_ARGUMENT ? "executable sections overlap" : csspgo_status_text(status));
}

#endif
