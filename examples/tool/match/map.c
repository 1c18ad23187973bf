/* map.c - match: the new program as a code map, which the library's matcher takes */
#include "match.h"

/* Executable sections, decoded from every symbol in them on. 0: memory is exhausted. */
static int map_code(match_run *m)
{
    const csspgo_arch arch = m->image.elf.machine == ELF_X86_64 ? CSSPGO_X86_64 : CSSPGO_AARCH64;
    uint64_t *start = (uint64_t *)malloc((m->symbols + 1) * sizeof *start);
    csspgo_status status = CSSPGO_OK;
    uint32_t i;
    for (i = 1; start != NULL && status != CSSPGO_E_NOMEM && i < m->image.elf.section_count; i++) {
        elf_section s;
        csspgo_code_bytes b;
        size_t k, n = 0;
        elf_section_at(&m->image.elf, i, &s);
        if (!(s.flags & ELF_SECTION_EXEC) || s.contents == NULL || s.compressed || s.size == 0) continue;
        start[n++] = s.address;
        for (k = 0; k < m->symbols; k++)
            if (m->symbol[k].address - s.address < s.size && m->symbol[k].address != start[n - 1])
                start[n++] = m->symbol[k].address;
        b.arch = arch;
        b.address = s.address;
        b.bytes = s.contents;
        b.size = (size_t)s.size;
        b.starts = start;
        b.start_count = n;
        status = csspgo_code_add_bytes(m->image.code, m->image.module, &b, NULL);
    }
    free(start);
    return start != NULL && status != CSSPGO_E_NOMEM;
}

/* A function wherever a symbol is; of several at one place the first has it. 0: memory is exhausted. */
static int map_functions(match_run *m)
{
    uint64_t end = 0;
    size_t i;
    for (i = 0; i < m->symbols; i++) {
        const match_symbol *y = &m->symbol[i];
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = y->address;
        f.end = y->address + (y->size != 0 ? y->size : 1);
        f.guid = y->guid;
        if (f.begin < end || f.end < f.begin || f.guid == 0) continue;
        if (i + 1 < m->symbols && y->size == 0 && m->symbol[i + 1].address == y->address) continue;
        switch (csspgo_code_add_function(m->image.code, m->image.module, &f, NULL)) {
        case CSSPGO_OK: end = f.end; break;
        case CSSPGO_E_ARGUMENT: break;                /* outside the file's executable sections */
        default: return 0;
        }
    }
    return 1;
}

/*
 * An instruction that goes through a slot of the global offset table goes to the function that the dynamic linker puts
 * there. In the map that function stands at the slot's address. Returns 0 when memory is exhausted.
 */
static int map_slot(match_run *m, uint64_t address, const csspgo_insn *insn, const match_symbol *slot)
{
    csspgo_code_function f;
    csspgo_transfer t;
    csspgo_status s;
    memset(&f, 0, sizeof f);
    f.begin = slot->address;
    f.end = slot->address + 8;
    f.guid = slot->guid;
    s = csspgo_code_add_function(m->image.code, m->image.module, &f, NULL);   /* E_ARGUMENT: it is there already */
    if (s != CSSPGO_OK && s != CSSPGO_E_ARGUMENT) return 0;
    t.address = address;
    t.target = slot->address;
    t.size = insn->size;
    t.kind = insn->kind == CSSPGO_CALL ? CSSPGO_CALL : CSSPGO_JMP;
    s = csspgo_code_add_transfers(m->image.code, m->image.module, &t, 1, NULL);
    return s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT;
}

/*
 * A jump through a slot, perhaps behind endbr64 or with a bnd prefix, to which calls go: a function of the name that
 * the slot's has. Returns 0 when memory is exhausted.
 */
static int map_stub(match_run *m, uint64_t address, const match_symbol *slot)
{
    csspgo_code_function f;
    csspgo_status s;
    memset(&f, 0, sizeof f);
    f.begin = address;
    f.end = address + 1;
    f.guid = slot->guid;
    s = csspgo_code_add_function(m->image.code, m->image.module, &f, NULL);
    return s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT;
}

static int map_slot_or_stub(match_run *m, uint64_t address, uint64_t stub, const csspgo_insn *insn,
                            const match_symbol *slot)
{
    return map_slot(m, address, insn, slot) && (insn->kind == CSSPGO_CALL || map_stub(m, stub, slot));
}

/* Calls and jumps through slots, in a section of x86-64 code. 0: slot_fn returned it. */
static int map_slots_of(match_run *m, const elf_section *s, match_slot_fn slot_fn)
{
    uint64_t at, size, start = 0;                     /* start: of an endbr64 right before, + 1 */
    for (at = 0; at < s->size; at += size) {
        const unsigned char *p = s->contents + at;
        const uint64_t address = s->address + at;
        const match_symbol *slot;
        csspgo_insn insn;
        csspgo_decode_x86_64(p, (size_t)(s->size - at), address, &insn);
        size = insn.size != 0 ? insn.size : insn.skip != 0 ? insn.skip : 1;
        slot = match_slot_of(m, p, address, &insn);
        if (slot != NULL && !slot_fn(m, address, start != 0 ? start - 1 : address, &insn, slot)) return 0;
        start = insn.size == 4 && memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0 ? address + 1 : 0;
    }
    return 1;
}

int match_each_slot(match_run *m, match_slot_fn slot_fn)
{
    uint32_t i;
    for (i = 1; m->slots != 0 && i < m->image.elf.section_count; i++) {
        elf_section s;
        elf_section_at(&m->image.elf, i, &s);
        if (!(s.flags & ELF_SECTION_EXEC) || s.contents == NULL || s.compressed) continue;
        if (!map_slots_of(m, &s, slot_fn)) return 0;
    }
    return 1;
}

/* The new program's code, functions and probes, in m->input. 0: memory is exhausted. */
int match_map(match_run *m)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(m->probes);
    loaded *l = &m->image;
    csspgo_inline_node *const inlines = load_inlines(l, &t);
    int ok;
    l->code = csspgo_code_new(seeded(), NULL);
    ok = inlines != NULL && l->code != NULL && load_segments(l, m->binary) && map_code(m) && map_functions(m) &&
         match_each_slot(m, map_slot_or_stub) && csspgo_code_add_descriptors(l->code, t.descriptors, t.descriptor_count, NULL) == CSSPGO_OK &&
         csspgo_code_add_probes(l->code, l->module, inlines, t.inline_count, t.probes, t.probe_count, NULL) == CSSPGO_OK;
    free(inlines);
    if (!ok) return 0;
    m->input = csspgo_match_input_new(l->code, seeded(), NULL);
    if (m->input != NULL) m->code = csspgo_match_input_functions(m->input, &m->codes);
    return m->input != NULL;
}
