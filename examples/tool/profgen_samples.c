/* profgen_samples.c - profgen: items of a recording into the collector */
#include "profgen.h"

/* Run-time - link-time addresses after a mapping; old: if it is not of the first executable segment. */
static uint64_t profgen_bias(const profgen *g, const csspgo_mmap *map, uint64_t old)
{
    const uint64_t base = csspgo_code_base(g->image.code, g->image.module);
    elf_segment s;
    uint32_t i;
    for (i = 0; i < g->image.elf.segment_count; i++)
        if (elf_segment_at(&g->image.elf, i, &s) && s.type == ELF_LOAD && s.flags & ELF_FLAG_X)
            return g->o[O_KERNEL].number || (s.offset & ~(uint64_t)4095) == map->file_offset ? map->address - base
                                                                                             : old;
    return old;
}

/* A mapping of the kernel, for --kernel: it is where the binary is, whatever its offset. */
static int profgen_map_kernel(profgen *g, const csspgo_mmap *map)
{
    static const char *const names[] = { "[kernel.kallsyms]", "[kernel.kallsyms]_stext", "[kernel.kallsyms]_text" };
    const uint64_t base = csspgo_code_base(g->image.code, g->image.module);
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == map->path_size && memcmp(names[i], map->path, map->path_size) == 0)
            return csspgo_code_map(g->image.code, g->image.module, map->address - base, NULL) == CSSPGO_OK ? 1 : -1;
    return 0;
}

uint64_t profgen_dropped(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    return s.no_stack + s.no_branches + s.prologue_leaves;
}

/* --leading-ip-only: address and stack of a sample count, its branches do not. Returns 0 after saying what is wrong. */
int profgen_address(profgen *g, const csspgo_sample *sample)
{
    csspgo_sample s = *sample;
    csspgo_status status;
    if (s.count == 0) return 1;                       /* a text that says so; a collector takes 0 for 1 */
    s.branch_count = 0;
    status = csspgo_collector_add(g->collector, &s, 1, NULL);
    return status == CSSPGO_OK || (fail(g->tool, "%s", csspgo_status_text(status)), 0);
}

/* --sample-period: what a sample with so many equal ones counts, by the ranges between its branches. */
uint64_t flat_weight(const profgen *g, const csspgo_sample *s)
{
    const uint64_t period = (uint64_t)g->o[O_PERIOD].number;
    const uint64_t all = s->count != 0 && period > UINT64_MAX / s->count ? UINT64_MAX : s->count * period;
    uint64_t n = 0;
    uint32_t i;
    for (i = 0; i < s->branch_count; i++) n += is_code(g, s->branches[i].from) || is_code(g, s->branches[i].to);
    return n > 1 ? all / (n - 1) : all;
}

/* A mapping event, when the code map follows the last one. Returns 0 after saying what is wrong. */
static int profgen_follow(profgen *g, const csspgo_mmap *map)
{
    const int hit = g->o[O_KERNEL].number ? profgen_map_kernel(g, map) : csspgo_code_mmap(g->image.code, map);
    if (hit == -2) return fail(g->tool, "%s", csspgo_status_text(CSSPGO_E_NOMEM)), 0;
    if (hit < 0)
        warn(g->tool, "a mapping of %s at 0x%llx fits none of its segments", g->binary,
             (unsigned long long)map->address);
    if (hit > 0) g->bias = profgen_bias(g, map, g->bias);
    g->mapped |= hit > 0;
    return 1;
}

/* An item that is no sample. Returns 0 after saying what is wrong. */
int profgen_event(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    const long long pid = g->o[O_PID].number;
    csspgo_status s;
    if (item == CSSPGO_ITEM_MMAP && g->o[O_SHOW_MMAP].number)
        printf("Mmap: Binary %.*s loaded at 0x%llx: \n", (int)map->path_size, map->path,
               (unsigned long long)map->address);
    if (item == CSSPGO_ITEM_MMAP && pid >= 0 && map->pid != (uint32_t)pid) return 1;
    if (g->spaces == NULL && item == CSSPGO_ITEM_MMAP) return profgen_follow(g, map);
    if (g->spaces == NULL || (item == CSSPGO_ITEM_BUILD_ID && g->ids_read)) return 1;
    s = csspgo_spaces_event(g->spaces, item, sample, map, NULL);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    g->mapped = csspgo_spaces_get_stats(g->spaces).mappings != 0;
    return 1;
}

/* Moves a sample to link-time addresses. Returns 0 after saying what is wrong. */
int profgen_place(profgen *g, csspgo_sample *sample)
{
    csspgo_status s;
    g->pidless |= sample->pid == 0;
    if (g->spaces == NULL) return 1;
    s = csspgo_spaces_sample(g->spaces, sample, NULL);
    return s == CSSPGO_OK || (fail(g->tool, "%s", csspgo_status_text(s)), 0);
}

/* One item of a recording. Returns 0 after saying what is wrong. */
int profgen_item(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    csspgo_sample placed, weighted;
    uint64_t dropped;
    csspgo_status s;
    if (item != CSSPGO_ITEM_SAMPLE) return profgen_event(g, item, sample, map);
    if (sample->count == 0 && !g->tool->compat) return 1;      /* a text that says so; a collector takes 0 for 1 */
    placed = *sample;
    if (!profgen_place(g, &placed)) return 0;
    if (g->o[O_LEADING].number && !g->tool->compat) return profgen_address(g, &placed);
    if (g->o[O_LEADING].number && g->o[O_IGNORE_STACK].number) return 1;    /* LLVM leaves nothing */
    g->branches |= placed.branch_count != 0;
    g->stacks |= placed.branch_count != 0 && placed.stack_count != 0;
    weighted = placed;
    if (g->flat && g->o[O_PERIOD].text != NULL) weighted.count = flat_weight(g, &placed);
    dropped = g->o[O_DETAILS].number ? profgen_dropped(g) : 0;
    s = csspgo_collector_add(g->collector, &weighted, 1, NULL);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    return !g->o[O_DETAILS].number || details_add(g, &placed, profgen_dropped(g) == dropped);
}
