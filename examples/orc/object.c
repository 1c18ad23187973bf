/* object.c - an object in memory, for the code map; stubs
 *
 * The object is what ORC got from LLVM: symbols, probe sections. Where its functions lie now, ORC tells of one symbol
 * in each section of code. The code's bytes are read where they will run.
 */
#include "orc.h"
#include "../elf.h"

#include <llvm-c/Error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----- functions and their stubs ----- */

function *orc_function(orc *o, const char *name, size_t size, int add)
{
    const uint64_t guid = csspgo_guid(name, size);
    const LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(o->jit);
    LLVMOrcCSymbolMapPair pair;
    LLVMErrorRef e;
    function *f;
    size_t i;
    for (i = 0; i < o->function_count; i++)
        if (o->functions[i].guid == guid) return &o->functions[i];
    if (!add || o->function_count == STUBS) return NULL;
    f = &o->functions[o->function_count];
    memset(f, 0, sizeof *f);
    f->name = strndup(name, size);
    f->guid = guid;
    if (f->name == NULL) return NULL;
    memset(&pair, 0, sizeof pair);
    pair.Name = LLVMOrcExecutionSessionIntern(session, f->name);
    pair.Sym.Address = (uintptr_t)(o->stubs + o->function_count * STUB_BYTES);
    pair.Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
    e = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(o->jit), LLVMOrcAbsoluteSymbols(&pair, 1));
    if (e != NULL) return orc_fail(f->name, e), NULL;
    o->function_count++;
    return f;
}

static void add_replaced(orc *o, replaced *r, uint64_t begin, uint64_t end, unsigned tier)
{
    r->begin = begin;
    r->end = end;
    r->tier = tier;
    r->on_stack = 1;
    o->code_of[tier]++;
}

/*
 * Stubs lead to the new code: one store each. Functions of the first tier are replaced one by one, a later tier as a
 * whole: the next one has code for all that was hot in it.
 *
 *   last, count   all code of the tier before, if it was not the first
 *   old           gets what was replaced
 *
 * Returns   the number of these
 */
size_t orc_hand_over(orc *o, replaced *last, size_t count, replaced *old)
{
    size_t i, n = 0;
    for (i = 0; i < o->function_count; i++) {
        function *f = &o->functions[i];
        if (f->next_begin == 0) continue;
        __atomic_store_n(&o->slots[i], f->next_begin, __ATOMIC_RELEASE);
        if (f->tier == 1) add_replaced(o, &old[n++], f->begin, f->end, 1);
        f->begin = f->next_begin;
        f->end = f->next_end;
        f->next_begin = f->next_end = 0;
        f->tier = o->tier;
    }
    for (i = 0; i < count; i++) add_replaced(o, &old[n++], last[i].begin, last[i].end, last[i].tier);
    return n;
}

/*
 * Writes KEEP.N.o, the object of tier N, and KEEP.N.s: stubs, as they are now. With the first tier's object, cc links
 * both into a program that runs the code of this moment, so that instructions can be counted.
 */
void orc_keep(const orc *o)
{
    char path[1000];
    size_t i;
    FILE *f;
    snprintf(path, sizeof path, "%s.%u.o", o->keep, o->tier);
    f = fopen(path, "wb");
    if (f == NULL || fwrite(o->object, 1, o->object_size, f) != o->object_size) orc_fail(path, NULL);
    if (f != NULL) fclose(f);
    snprintf(path, sizeof path, "%s.%u.s", o->keep, o->tier);
    f = fopen(path, "w");
    if (f == NULL) return orc_fail(path, NULL);
    for (i = 0; i < o->function_count; i++)
        fprintf(f, ".text\n.globl \"%s\"\n\"%s\": jmp *1f(%%rip)\n.data\n1: .quad \"%s$%u\"\n", o->functions[i].name,
                o->functions[i].name, o->functions[i].name, o->functions[i].tier);
    fprintf(f, ".section .note.GNU-stack,\"\",@progbits\n");
    fclose(f);
}

/* ----- the object ----- */

typedef struct unit {             /* what the code map gets */
    csspgo_code_function *functions;
    csspgo_transfer      *transfers;
    csspgo_symbol_base   *bases;
    size_t count, transfer_count, transfer_cap;
} unit;

/* The program's name of a function of this tier, whose name ends in $ and its number. */
static size_t own_size(const elf_symbol *y)
{
    size_t n = y->name_size;
    while (n > 0 && y->name[n - 1] != '$') n--;
    return n > 0 ? n - 1 : y->name_size;
}

/* How far a section of code was moved: ORC knows the address of one of its symbols. */
static int section_base(orc *o, const elf_image *e, uint32_t section, uint64_t *base)
{
    elf_symbol y;
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++) {
        LLVMOrcExecutorAddress address;
        LLVMErrorRef why;
        char *name;
        if (!elf_symbol_at(e, i, &y) || y.section != section || y.type != ELF_FUNC || y.bind == ELF_LOCAL) continue;
        name = strndup(y.name, y.name_size);
        why = name != NULL ? LLVMOrcLLJITLookup(o->jit, &address, name) : NULL;
        if (name == NULL || why != NULL) return orc_fail("a symbol", why), free(name), 0;
        free(name);
        *base = address - y.value;
        return 1;
    }
    return 0;
}

/* A call of a stub is one of what it leads to. */
static uint64_t through_stub(const orc *o, uint64_t target)
{
    const uint64_t at = target - (uint64_t)(uintptr_t)o->stubs;
    const function *f = &o->functions[at / STUB_BYTES];
    if (at >= o->function_count * STUB_BYTES) return target;
    return f->next_begin != 0 ? f->next_begin : f->begin;
}

/* The calls, jumps and returns of [begin, end). Returns 0 without memory. */
static int add_transfers(const orc *o, unit *u, uint64_t begin, uint64_t end)
{
    const unsigned char *const code = (const unsigned char *)(uintptr_t)begin;
    size_t at = 0;
    while (at < end - begin) {
        csspgo_insn insn;
        csspgo_transfer *t;
        if (csspgo_decode_x86_64(code + at, (size_t)(end - begin) - at, begin + at, &insn) == 0) {
            at += insn.skip;
            continue;
        }
        if (insn.kind != CSSPGO_NONE) {
            if (u->transfer_count == u->transfer_cap) {
                u->transfer_cap = 2 * u->transfer_cap + 1024;
                t = (csspgo_transfer *)realloc(u->transfers, u->transfer_cap * sizeof *t);
                if (t == NULL) return 0;
                u->transfers = t;
            }
            t = &u->transfers[u->transfer_count++];
            t->address = begin + at;
            t->size = insn.size;
            t->kind = insn.kind;
            t->target = insn.has_target ? through_stub(o, insn.target) : 0;
        }
        at += insn.size;
    }
    return 1;
}

/* All functions of the object, where they lie. */
static int list_functions(orc *o, const elf_image *e, unit *u)
{
    uint64_t *const base = (uint64_t *)calloc(e->section_count + 1u, sizeof *base);
    elf_symbol y;
    uint32_t i;
    o->made = (replaced *)calloc(e->symbol_count + 1u, sizeof *o->made);
    o->made_count = 0;
    u->functions = (csspgo_code_function *)calloc(e->symbol_count + 1u, sizeof *u->functions);
    u->bases = (csspgo_symbol_base *)calloc(e->symbol_count + 1u, sizeof *u->bases);
    if (base == NULL || o->made == NULL || u->functions == NULL || u->bases == NULL) return free(base), 0;
    for (i = 1; i < e->symbol_count; i++) {
        csspgo_code_function *f = &u->functions[u->count];
        function *known;
        if (!elf_symbol_at(e, i, &y) || y.type != ELF_FUNC || y.section >= e->section_count || y.section == 0) continue;
        if (base[y.section] == 0 && !section_base(o, e, y.section, &base[y.section])) break;
        f->begin = base[y.section] + y.value;
        f->end = f->begin + y.size;
        f->name = y.name;
        f->name_size = own_size(&y);
        u->bases[u->count].guid = csspgo_guid(y.name, y.name_size);
        u->bases[u->count++].address = f->begin;
        if (o->low == 0 || f->begin < o->low) o->low = f->begin;
        if (f->end > o->high) o->high = f->end;
        if (o->tier > 1) {
            o->made[o->made_count].begin = f->begin;
            o->made[o->made_count].end = f->end;
            o->made[o->made_count++].tier = o->tier;
        }
        known = orc_function(o, f->name, f->name_size, 0);
        if (known == NULL || (o->tier > 1 && !known->hot)) continue;
        known->next_begin = f->begin;
        known->next_end = f->end;
    }
    free(base);
    return i == e->symbol_count;
}

static int by_begin(const void *a, const void *b)
{
    const uint64_t x = ((const csspgo_code_function *)a)->begin, y = ((const csspgo_code_function *)b)->begin;
    return x < y ? -1 : x > y;
}

/* The probe sections, of which there is one for each section of code or function. */
static int decode_probes(const elf_image *e, const unit *u, csspgo_probe_set *set)
{
    csspgo_probe_section in;
    csspgo_status s = CSSPGO_OK;
    csspgo_error why;
    elf_section at;
    uint32_t i;
    memset(&in, 0, sizeof in);
    in.bases = u->bases;
    in.base_count = u->count;
    for (i = 1; i < e->section_count && s == CSSPGO_OK; i++) {
        if (!elf_section_at(e, i, &at) || at.contents == NULL) continue;
        if (at.name_size == 13 && memcmp(at.name, ".pseudo_probe", 13) == 0) {
            in.data = at.contents;
            in.size = (size_t)at.size;
            s = csspgo_probe_set_decode(set, &in, &why);
        } else if (at.name_size == 18 && memcmp(at.name, ".pseudo_probe_desc", 18) == 0)
            s = csspgo_probe_set_decode_descriptors(set, at.contents, (size_t)at.size, &why);
    }
    if (s != CSSPGO_OK) orc_fail(why.message, NULL);
    return s == CSSPGO_OK;
}

static int by_descriptor(const void *a, const void *b)
{
    const uint64_t x = ((const csspgo_descriptor *)a)->guid, y = ((const csspgo_descriptor *)b)->guid;
    return x < y ? -1 : x > y;
}

static int emit(orc *o, unit *u, const csspgo_probe_set *set)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(set);
    const csspgo_code_unit code = { u->functions, u->transfers, t.inlines, t.probes,
                                    u->count, u->transfer_count, t.inline_count, t.probe_count };
    csspgo_descriptor *const d = (csspgo_descriptor *)malloc((t.descriptor_count + 1) * sizeof *d);
    csspgo_status s = CSSPGO_E_NOMEM;
    csspgo_error why;
    size_t i;
    if (d == NULL) return 0;
    if (t.descriptor_count != 0) memcpy(d, t.descriptors, t.descriptor_count * sizeof *d);
    qsort(d, t.descriptor_count, sizeof *d, by_descriptor);
    for (i = 0; i < u->count; i++) {
        csspgo_descriptor key, *of;
        key.guid = csspgo_guid(u->functions[i].name, u->functions[i].name_size);
        of = (csspgo_descriptor *)bsearch(&key, d, t.descriptor_count, sizeof *d, by_descriptor);
        if (of != NULL) u->functions[i].checksum = of->checksum;
    }
    csspgo_runtime_lock(o->profiler);
    s = csspgo_code_add_descriptors(csspgo_runtime_get_parts(o->profiler).code, d, t.descriptor_count, &why);
    csspgo_runtime_unlock(o->profiler);
    if (s == CSSPGO_OK) s = csspgo_runtime_emit(o->profiler, &code, &why);
    if (s != CSSPGO_OK) orc_fail(why.message, NULL);
    free(d);
    return s == CSSPGO_OK;
}

int orc_describe(orc *o)
{
    csspgo_options lenient;
    csspgo_probe_set *set;
    elf_image e;
    unit u;
    char why[200];
    size_t i;
    int ok;
    memset(&u, 0, sizeof u);
    memset(&lenient, 0, sizeof lenient);
    lenient.llvm = 19;
    set = csspgo_probe_set_new(&lenient, NULL);
    ok = set != NULL && elf_open((const unsigned char *)o->object, o->object_size, &e, why, sizeof why) &&
         list_functions(o, &e, &u);
    if (ok) qsort(u.functions, u.count, sizeof *u.functions, by_begin);
    for (i = 0; ok && i < u.count; i++) ok = add_transfers(o, &u, u.functions[i].begin, u.functions[i].end);
    ok = ok && decode_probes(&e, &u, set) && emit(o, &u, set);
    csspgo_probe_set_free(set);
    free(u.functions);
    free(u.transfers);
    free(u.bases);
    return ok;
}
