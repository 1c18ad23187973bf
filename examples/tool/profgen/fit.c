/* fit.c - profgen: whether what was recorded is of the program that is given
 *
 * Branches come from branch instructions, samples are at instructions, and return addresses follow calls. Where build
 * ids do not say which build was recorded, this does: the first samples of a recording are looked at, then some.
 */
#include "profgen.h"

enum { FIT_FIRST = 256, FIT_EVERY = 256, FIT_LEAST = 10 };

/* Code of a program, at its own addresses. */
struct fit_area {
    const loaded *of;
    uint64_t      begin, end;
};

/* ----- where code is ---------------------------------------------------------------------------------------------- */

/* The sections that load_code decodes, each still without its first symbol. Returns 0 without memory. */
static int fit_sections(fit *f, const loaded *l)
{
    fit_area *v = (fit_area *)realloc(f->area, (f->areas + l->elf.section_count + 1) * sizeof *v);
    uint32_t i;
    if (v == NULL) return 0;
    f->area = v;
    for (i = 0; i < l->elf.section_count; i++) {
        fit_area *a = &v[f->areas];
        elf_section s;
        if (!elf_section_at(&l->elf, i, &s) || !(s.flags & ELF_SECTION_EXEC) || s.contents == NULL) continue;
        if (s.name_size >= 4 && memcmp(s.name, ".plt", 4) == 0) continue;
        a->of = l;
        a->begin = a->end = s.address + s.size;
        f->areas += s.size != 0;
    }
    return 1;
}

/* Areas begin at their first symbol, as decoding does. */
static void fit_symbols(fit *f, const loaded *l)
{
    const elf_image *e = load_symbols(l);
    uint32_t i;
    size_t k;
    for (i = 1; i < e->symbol_count; i++) {
        elf_section s;
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || !elf_section_at(e, y.section, &s) || !(s.flags & ELF_SECTION_EXEC)) continue;
        for (k = 0; k < f->areas; k++) {
            fit_area *a = &f->area[k];
            if (a->of == l && y.value >= s.address && a->end == s.address + s.size && y.value < a->begin)
                a->begin = y.value;
        }
    }
}

/* Returns 0 without memory. */
static int fit_areas(fit *f, const programs *p)
{
    size_t i;
    for (i = 0; i < p->count; i++) {
        if (!fit_sections(f, &p->v[i].loaded)) return 0;
        fit_symbols(f, &p->v[i].loaded);
    }
    return 1;
}

void fit_free(fit *f)
{
    free(f->area);
}

static int in_area_of(const fit *f, const loaded *l, uint64_t address)
{
    size_t i;
    for (i = 0; i < f->areas; i++)
        if (f->area[i].of == l && address >= f->area[i].begin && address < f->area[i].end) return 1;
    return 0;
}

/* 1 if an address of the code map is in code of a program. */
static int fit_inside(const fit *f, const programs *p, uint64_t address)
{
    const loaded *l = programs_at(p, &address);
    return in_area_of(f, l, address);
}

/* 1 if an offset in a file is in code, whichever of the programs the file is. */
static int offset_inside(const fit *f, const programs *p, uint64_t offset)
{
    elf_segment s;
    size_t i;
    uint32_t k;
    for (i = 0; i < p->count; i++) {
        const loaded *l = &p->v[i].loaded;
        for (k = 0; k < l->elf.segment_count; k++)
            if (elf_segment_at(&l->elf, k, &s) && s.type == ELF_LOAD && offset - s.offset < s.file_size &&
                in_area_of(f, l, offset - s.offset + s.address)) break;
        if (k == l->elf.segment_count) return 0;
    }
    return 1;
}

/* ----- counting --------------------------------------------------------------------------------------------------- */

static void fit_count_one(fit *f, size_t kind, int good)
{
    f->now[kind].n++;
    f->now[kind].bad += !good;
}

static void fit_records(fit *f, const programs *p, const csspgo_sample *s)
{
    uint32_t i;
    for (i = 0; i < s->branch_count; i++) {
        const csspgo_branch *b = &s->branches[i];
        if (fit_inside(f, p, b->from) && fit_inside(f, p, b->to))
            fit_count_one(f, FIT_BRANCHES, is_source(p, b->from) && is_code(p, b->to));
    }
}

/* The number of the kernel's frames above those of user code. */
static uint32_t kernel_frames(const csspgo_sample *recorded)
{
    uint32_t i = 0;
    while (i < recorded->stack_count && recorded->stack[i] >> 63 != 0) i++;
    return i;
}

static void fit_stack(fit *f, const programs *p, const csspgo_sample *s, uint32_t first)
{
    uint32_t i;
    for (i = first; i < s->stack_count; i++) {
        const uint64_t at = s->stack[i];
        if (!fit_inside(f, p, at)) continue;
        if (i == first) fit_count_one(f, FIT_SAMPLED, is_code(p, at));
        else fit_count_one(f, FIT_CALLERS, csspgo_code_call_before(p->v->loaded.code, at) != 0);
    }
}

/*
 * A stack of offsets in files. Those that fit nowhere became 1. Where the text names the files of frames, the frames of
 * programs should be there; and otherwise most leaves or some callers, as frames of other files may be among them.
 */
static void fit_offsets(fit *f, const programs *p, const csspgo_sample *recorded, const csspgo_sample *s,
                        const uint32_t *files, uint32_t first)
{
    uint32_t i, callers = 0, placed = 0;
    for (i = first; i < s->stack_count; i++) {
        const int there = s->stack[i] != 1;
        if (!offset_inside(f, p, recorded->stack[i])) continue;
        if (files != NULL && files[i] != 0 && files[i] != UINT32_MAX)
            fit_count_one(f, i == first ? FIT_SAMPLED : FIT_CALLERS, there);
        if (i == first && files == NULL) fit_count_one(f, FIT_LEAVES, there);
        callers += i != first;
        placed += i != first && there;
    }
    if (files == NULL && callers != 0) fit_count_one(f, FIT_STACKS, placed != 0);
}

/* Those among the first, and then each of the others that a script's parser hands out in its place. */
int fit_due(unsigned long long samples)
{
    return samples <= FIT_FIRST || samples % FIT_EVERY == 1;
}

/* A sample as it was recorded, and in the code map. offsets: its stack is of offsets in files; files: of its frames. */
int fit_sample(fit *f, const programs *p, const csspgo_sample *recorded, const csspgo_sample *placed,
               const uint32_t *files, int offsets)
{
    const uint32_t first = kernel_frames(recorded);
    if (f->areas == 0 && !fit_areas(f, p)) return 0;
    fit_records(f, p, placed);
    if (offsets) fit_offsets(f, p, recorded, placed, files, first);
    else fit_stack(f, p, placed, first);
    return 1;
}

/* ----- judging ---------------------------------------------------------------------------------------------------- */

/*
 * 1 if recorded addresses of a kind are not of the program. Without frame pointers some callers are no return
 * addresses. By chance one in four addresses is that of an instruction (x86-64), and one in thirty follows a call.
 */
static int is_misfit(const fit_count *now, size_t kind)
{
    static const unsigned percent_most[FIT_KINDS] = { 10, 10, 50, 50, 100 };
    const fit_count c = now[kind], leaves = now[FIT_LEAVES];
    if (c.bad < FIT_LEAST || percent(c.bad, c.n) <= percent_most[kind]) return 0;
    return kind != FIT_STACKS || percent(leaves.bad, leaves.n) > 50;
}

/* The end of a recording: remembers the first one that does not fit, unless a build id says that it does. */
void fit_over(fit *f, const char *path, int known)
{
    size_t i;
    for (i = 0; i < FIT_KINDS; i++) {
        const fit_count c = f->now[i];
        if (!known && f->path == NULL && is_misfit(f->now, i)) {
            f->path = path;
            f->kind = i;
            f->worst = c;
        }
        f->all[i].n += c.n;
        f->all[i].bad += c.bad;
    }
    memset(f->now, 0, sizeof f->now);
}

int fit_status(const tool_context *tool, const fit *f, const char *binary)
{
    static const char *const what[FIT_KINDS] = {
        "branches come from no branch of", "sampled addresses are at no instruction of",
        "return addresses follow no call of", "call stacks have no caller in", ""
    };
    if (f->path == NULL) return 0;
    return missed(tool, "%s: %" PRIu64 " of %" PRIu64 " %s %s: another build of it was recorded%s", f->path,
                  f->worst.bad, f->worst.n, what[f->kind], binary,
                  f->kind == FIT_STACKS ? ", or few samples are in it" : "");
}

/* For the report. */
void fit_json(const fit *f, FILE *out)
{
    static const char *const keys[FIT_KINDS][2] = {
        { "branches", "from_no_branch" }, { "addresses", "at_no_instruction" }, { "return_addresses", "after_no_call" },
        { "stacks_of_offsets", "without_callers" }, { "leaf_offsets", "at_no_instruction_of_the_file" }
    };
    size_t i;
    fputs("  \"checked\": {", out);
    for (i = 0; i < FIT_KINDS; i++)
        fprintf(out, "%s \"%s\": %" PRIu64 ", \"%s\": %" PRIu64, i != 0 ? "," : "", keys[i][0], f->all[i].n,
                keys[i][1], f->all[i].bad);
    fprintf(out, ", \"fits\": %s },\n", f->path == NULL ? "true" : "false");
}
