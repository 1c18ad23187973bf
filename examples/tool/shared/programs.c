/* programs.c - several programs and libraries in one run
 *
 * All are modules of one code map. Those behind the first are mapped 2^44 bytes apart from each other, above what any
 * file has as link-time addresses; csspgo_processes moves samples there. A call from one to another goes through a stub
 * of .plt that jumps on: its two branch records become one, of the call to where the stub jumped, so contexts and call
 * targets are as if all were linked statically.
 */
#include "recording.h"

enum { STUB_MOST = 64, FUSED_MOST = 11 };

int programs_begin(programs *p, size_t n)
{
    p->v = (program_image *)calloc(n, sizeof *p->v);
    p->count = n;
    return p->v != NULL;
}

void programs_free(programs *p)
{
    size_t i;
    csspgo_processes_free(p->spaces);
    for (i = 0; p->v != NULL && i < p->count; i++) load_free(&p->v[p->count - 1 - i].loaded);   /* the code map last */
    free(p->v);
    free(p->stub);
    free(p->branch);
}

int programs_spaces(programs *p)
{
    size_t i, size;
    for (i = 0; i < p->count; i++) {
        const loaded *const l = &p->v[i].loaded;
        const unsigned char *const id = elf_build_id(&l->elf, &size);
        if (id != NULL) csspgo_code_set_build_id(l->code, l->module, id, size < 20 ? size : 20, NULL);
    }
    csspgo_processes_free(p->spaces);
    p->spaces = csspgo_processes_new(p->v->loaded.code, seeded(), NULL);
    return p->spaces != NULL;
}

csspgo_pprof *programs_pprof(const programs *p, const char *type)
{
    csspgo_pprof_options how;
    memset(&how, 0, sizeof how);
    how.code = p->v->loaded.code;
    how.type = type;
    how.type_size = type != NULL ? strlen(type) : 0;
    return csspgo_pprof_new(&how, seeded(), NULL);
}

/* ----- where an address is ---------------------------------------------------------------------------------------- */

size_t programs_number(const programs *p, uint64_t address)
{
    const uint64_t i = p->spaces != NULL ? address >> IMAGE_BITS : 0;
    return i < p->count ? (size_t)i : 0;
}

const loaded *programs_at(const programs *p, uint64_t *address)
{
    const size_t i = programs_number(p, *address);
    *address -= i != 0 ? (uint64_t)i << IMAGE_BITS : p->bias;
    return &p->v[i].loaded;
}

int is_code(const programs *p, uint64_t address)
{
    return csspgo_code_runs_straight(p->v->loaded.code, address, address) == 1;
}

/* AMD's processors name the compare before a branch if the two are fused. */
int is_source(const programs *p, uint64_t address)
{
    const csspgo_code *const code = p->v->loaded.code;
    if (csspgo_code_transfer_kind(code, address) != CSSPGO_NONE) return 1;
    return p->v->loaded.elf.machine == ELF_X86_64 && is_code(p, address) &&
           csspgo_code_run_end(code, address) - address <= FUSED_MOST;
}

uint64_t repeats_of(const csspgo_sample *s)
{
    return s->repeats != 0 ? s->repeats : 1;
}

/* perf.data is read without the kernel's frames, where the caller does not ask for these. */
uint64_t sampled_address(const programs *p, const csspgo_sample *s)
{
    uint32_t i = 0;
    while (i + 1 < s->stack_count && s->stack[i] >> 63 != 0 && !is_code(p, s->stack[i])) i++;
    return s->stack_count != 0 ? s->stack[i] : s->branch_count != 0 ? s->branches[0].to : 0;
}

/* ----- calls through stubs ---------------------------------------------------------------------------------------- */

/* Notes the sections of a program that have stubs. Returns 0 without memory. */
static int stubs_add(programs *p, const loaded *l, uint64_t bias)
{
    static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };
    const size_t most = sizeof names / sizeof *names;
    stubs *const v = (stubs *)realloc(p->stub, (p->stubs + most) * sizeof *v);
    size_t i;
    if (v == NULL) return 0;
    p->stub = v;
    for (i = 0; i < most; i++) {
        elf_section s;
        if (!elf_section_named(&l->elf, names[i], &s) || s.size == 0) continue;
        v[p->stubs].begin = s.address + bias;
        v[p->stubs++].end = s.address + bias + s.size;
    }
    return 1;
}

int programs_stubs(programs *p)
{
    size_t i;
    for (i = 0; p->count > 1 && i < p->count; i++)
        if (!stubs_add(p, &p->v[i].loaded, (uint64_t)i << IMAGE_BITS)) return 0;
    return 1;
}

/* The section of stubs that has an address; NULL if none. */
static const stubs *stubs_of(const programs *p, uint64_t address)
{
    size_t i;
    for (i = 0; i < p->stubs; i++)
        if (address >= p->stub[i].begin && address < p->stub[i].end) return &p->stub[i];
    return NULL;
}

/* 1 if `from` is the jump of the stub at `to`. */
static int is_stub(const programs *p, uint64_t from, uint64_t to)
{
    const stubs *const s = from - to < STUB_MOST ? stubs_of(p, from) : NULL;
    return s != NULL && to >= s->begin;
}

int programs_join(programs *p, csspgo_sample *s)
{
    const csspgo_branch *const b = s->branches;
    uint32_t i, n = 0;
    if (p->stubs == 0) return 1;
    for (i = 0; i + 1 < s->branch_count && !is_stub(p, b[i].from, b[i + 1].to); i++) {}
    if (i + 1 >= s->branch_count) return 1;
    if (p->branch_cap < s->branch_count) {
        free(p->branch);
        p->branch_cap = 0;
        p->branch = (csspgo_branch *)malloc(s->branch_count * sizeof *p->branch);
        if (p->branch == NULL) return 0;
        p->branch_cap = s->branch_count;
    }
    for (i = 0; i < s->branch_count; i++) {
        csspgo_branch joined = b[i];
        while (i + 1 < s->branch_count && is_stub(p, b[i].from, b[i + 1].to)) {
            joined.from = b[++i].from;
            joined.flags = b[i].flags;
        }
        p->branch[n++] = joined;
    }
    s->branches = p->branch;
    s->branch_count = n;
    return 1;
}
