/* symbols.c - match: the new code: symbols and slots */
#include "match.h"

/* By address; of several there the one with probes, then the first. */
int match_symbol_order(const void *a, const void *b)
{
    const match_symbol *x = (const match_symbol *)a, *y = (const match_symbol *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->has_probes != y->has_probes) return x->has_probes ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The name that probes give a symbol's function: its own, or that without what compilers append. */
static uint64_t match_symbol_guid(const match_run *m, const char *name, size_t name_size)
{
    const uint64_t whole = csspgo_guid(name, name_size);
    size_t size;
    if (m->names == 0) return whole;                           /* by source line */
    for (size = name_size; size != 0; size = load_stem(name, size)) {
        const uint64_t guid = csspgo_guid(name, size);
        if (load_has(m->name, m->names, guid)) return guid;
    }
    return whole;
}

static void match_symbol_add(match_run *m, uint64_t address, uint64_t size, uint64_t guid)
{
    match_symbol *s = &m->symbol[m->symbols];
    s->address = address;
    s->size = size;
    s->guid = guid;
    s->has_probes = (uint32_t)load_has(m->name, m->names, guid);
    s->index = (uint32_t)m->symbols++;
}

/* Code that has probes is that of the function that they are of; the rest is called what its symbol is. */
int match_symbols(match_run *m)
{
    const load_regions *const r = load_regions_of(&m->image);
    size_t i, k, at = 0;
    m->symbol = (match_symbol *)malloc((r->names + m->image.ranges + 1) * sizeof *m->symbol);
    if (m->symbol == NULL) return 0;
    for (i = 0; i < r->regions; i++) {
        const load_region *const g = &r->region[i];
        const load_range *const of = at < m->image.ranges && m->image.range[at].region == i ? &m->image.range[at++] : NULL;
        if (of != NULL) match_symbol_add(m, of->begin, of->end - of->begin, of->guid);
        for (k = 0; of == NULL && k < g->names; k++) {
            const load_name *const n = &r->name[g->name + k];
            if (n->is_function) match_symbol_add(m, n->address, n->size, csspgo_guid(n->name, n->name_size));
        }
    }
    qsort(m->symbol, m->symbols, sizeof *m->symbol, match_symbol_order);
    return 1;
}

/* What the dynamic linker puts into the global offset table. 0: memory is exhausted. */
int match_slots(match_run *m)
{
    enum { ENTRY = 24 };
    const elf_image *e = &m->image.elf;
    const uint32_t glob_dat = 6, jump_slot = 7;
    uint64_t cap = e->size / ENTRY;                            /* overlapping sections must not multiply the work */
    elf_section s, of;
    elf_symbol y;
    uint32_t i;
    m->slot = (match_symbol *)calloc(1, sizeof *m->slot);
    for (i = 1; m->slot != NULL && e->machine == ELF_X86_64 && i < e->section_count; i++) {
        const unsigned char *p;
        uint64_t n;
        match_symbol *more;
        elf_section_at(e, i, &s);
        if (s.type != ELF_RELA || s.contents == NULL || s.compressed || s.size / ENTRY > cap) continue;
        if (!elf_section_at(e, s.link, &of) || of.type != ELF_DYNSYM) continue;
        n = s.size / ENTRY;
        cap -= n;
        more = (match_symbol *)realloc(m->slot, (m->slots + (size_t)n + 1) * sizeof *more);
        if (more == NULL) return 0;
        m->slot = more;
        for (p = s.contents; n-- > 0; p += ENTRY) {
            if (elf__32(p + 8) != glob_dat && elf__32(p + 8) != jump_slot) continue;
            if (!elf_symbol_at(&m->dynamic, elf__32(p + 12), &y) || y.name_size == 0) continue;
            memset(&m->slot[m->slots], 0, sizeof *m->slot);
            m->slot[m->slots].address = elf__64(p);
            m->slot[m->slots].index = (uint32_t)m->slots;
            m->slot[m->slots++].guid = match_symbol_guid(m, y.name, y.name_size);
        }
    }
    if (m->slot != NULL) qsort(m->slot, m->slots, sizeof *m->slot, match_symbol_order);
    return m->slot != NULL;
}

/* The slot at an address; NULL: there is none. */
static const match_symbol *match_slot_at(const match_run *m, uint64_t address)
{
    const size_t a = first_from(m->slot, m->slots, sizeof *m->slot, address);
    return a < m->slots && m->slot[a].address == address ? &m->slot[a] : NULL;
}

/* The slot through which an instruction of x86-64 at p calls or jumps; NULL: none. */
const match_symbol *match_slot_of(const match_run *m, const unsigned char *p, uint64_t address,
                                  const csspgo_insn *insn)
{
    const uint32_t n = insn->size;
    if (n < 6 || p[n - 6] != 0xff || (p[n - 5] != 0x15 && p[n - 5] != 0x25)) return NULL;
    return match_slot_at(m, address + n + (uint64_t)(int64_t)(int32_t)elf__32(p + n - 4));
}

static int match_holds(const elf_section *s, uint64_t address, uint64_t size)
{
    return s->flags & ELF_SECTION_EXEC && s->contents != NULL && address - s->address < s->size &&
           size <= s->size - (address - s->address);
}

/* The executable section that holds these bytes: first looks at the one that s is. 0: there is none, s is all zero. */
int match_section_of(const match_run *m, uint64_t address, uint64_t size, elf_section *s)
{
    uint32_t i;
    if (address < MATCH_NOWHERE && match_holds(s, address, size)) return 1;
    for (i = 1; address < MATCH_NOWHERE && i < m->image.elf.section_count; i++) {
        elf_section_at(&m->image.elf, i, s);
        if (match_holds(s, address, size)) return 1;
    }
    memset(s, 0, sizeof *s);
    return 0;
}
