/* program_symbols.c - what the symbols of a program say: its functions, without probes, and how it was built */
#include "tool.h"

load_range *load_symbol_functions(const loaded *l, size_t *count)
{
    const elf_image *e = load_symbols(l);
    load_range *v = (load_range *)calloc((size_t)e->symbol_count + 1, sizeof *v);
    size_t n = 0;
    uint32_t i;
    for (i = 1; v != NULL && i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || (y.type != ELF_FUNC && y.type != ELF_IFUNC)) continue;
        if (y.size == 0 || y.section == ELF_UNDEFINED || y.value > UINT64_MAX - y.size) continue;
        v[n].begin = y.value;
        v[n].end = y.value + y.size;
        v[n].name = y.name;
        v[n].name_size = (uint32_t)y.name_size;
        v[n].part = y.bind == ELF_LOCAL;              /* of equal addresses the name that others see comes first */
        v[n++].symbol = i;
    }
    if (v != NULL) qsort(v, n, sizeof *v, load_range_cmp);
    *count = n;
    return v;
}

/* The code of every function symbol, where symbols overlap that of the first one: for programs without probes. */
int load_program_functions(loaded *l)
{
    csspgo_status status;
    size_t k;
    l->range = load_symbol_functions(l, &l->ranges);
    status = l->range != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    for (k = 0; status == CSSPGO_OK && k < l->ranges; k++) {
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = l->range[k].begin;
        f.end = l->range[k].end;
        f.name = l->range[k].name;
        f.name_size = l->range[k].name_size;
        status = csspgo_code_add_function(l->code, l->module, &f, NULL);
        l->functions += status == CSSPGO_OK;
        if (status == CSSPGO_E_ARGUMENT) status = CSSPGO_OK;   /* an alias, or nonsense */
    }
    return status == CSSPGO_OK;
}

int load_program(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size)
{
    int ok = program_open(tool, l, path, why, why_size);
    if (ok && load_symbols(l)->symbol_count <= 1) ok = program_lacks(l, "symbols", why, why_size);
    ok = ok && load_module(l, path, why, why_size) && (!load_decodes(l) || load_code(l, why, why_size));
    if (ok && !load_program_functions(l)) ok = load_fail(why, why_size, "out of memory");
    if (!ok) load_free(l);
    return ok;
}

/* 1 if a symbol stands in data of the program. A separate file has the section's header without the bytes. */
static int is_data(const loaded *l, const elf_image *e, const elf_symbol *y)
{
    elf_section s, t;
    uint32_t i;
    if (!elf_section_at(e, y->section, &s) || !(s.flags & ELF_SECTION_ALLOC) || s.flags & ELF_SECTION_EXEC) return 0;
    if (s.type == ELF_PROGBITS || e == &l->elf) return s.type == ELF_PROGBITS && s.size != 0;
    for (i = 1; i < l->elf.section_count; i++)
        if (elf_section_at(&l->elf, i, &t) && t.type == ELF_PROGBITS && t.address == s.address && t.size == s.size)
            return s.size != 0;
    return 0;
}

/* 1 if clang built it with flow-sensitive discriminators: the image itself has a variable that says so. */
int is_flow_sensitive(const loaded *l)
{
    static const char mark[] = "__llvm_fs_discriminator__";
    const elf_image *const e = load_symbols(l);
    elf_symbol y;
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++)
        if (elf_symbol_at(e, i, &y) && y.name_size == sizeof mark - 1 && memcmp(y.name, mark, sizeof mark - 1) == 0 &&
            is_data(l, e, &y))
            return 1;
    return 0;
}
