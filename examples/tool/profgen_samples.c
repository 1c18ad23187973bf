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
            return (s.offset & ~(uint64_t)4095) == map->file_offset ? map->address - base : old;
    return old;
}

/*
 * Run-time - link-time addresses of the kernel. Its mapping begins at the symbol that the event is named after, and its
 * offset is that symbol's address, too. LLVM, and a program without the symbol: at the first executable segment.
 */
static uint64_t kernel_bias(const profgen *g, const csspgo_mmap *map, const char *symbol)
{
    const elf_image *const e = load_symbols(&g->image);
    const size_t n = strlen(symbol);
    uint32_t i;
    for (i = 1; !g->tool->compat && n != 0 && i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED) continue;
        if (y.name_size == n && memcmp(y.name, symbol, n) == 0)
            return (map->file_offset != 0 ? map->file_offset : map->address) - y.value;
    }
    return map->address - csspgo_code_base(g->image.code, g->image.module);
}

/* A mapping for --kernel. Returns 1: it is the kernel's; 0: another one; -1: it cannot be there. */
static int profgen_map_kernel(profgen *g, const csspgo_mmap *map)
{
    static const char name[] = "[kernel.kallsyms]", *const symbols[] = { "", "_stext", "_text" };
    const size_t n = sizeof name - 1;
    size_t i;
    if (map->path_size < n || memcmp(map->path, name, n) != 0) return 0;
    for (i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (strlen(symbols[i]) != map->path_size - n) continue;
        if (memcmp(map->path + n, symbols[i], map->path_size - n) != 0) continue;
        g->bias = kernel_bias(g, map, symbols[i]);
        return csspgo_code_map(g->image.code, g->image.module, g->bias, NULL) == CSSPGO_OK ? 1 : -1;
    }
    return 0;
}

uint64_t profgen_dropped(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    const uint64_t stackless = g->tool->compat && csspgo_collector_has_contexts(g->collector) ? s.no_stack : 0;
    return stackless + s.no_branches + s.prologue_leaves + (g->o[O_BOGUS].number ? 0 : s.late_stacks);
}

/* What is said where the collector takes no more. */
const char *profgen_no_room(csspgo_status s)
{
    if (s != CSSPGO_E_FULL) return csspgo_status_text(s);
    return "the counters need more than 16 GiB: make profiles of parts of the recording, and merge them";
}

/* --leading-ip-only: address and stack of a sample count, its branches do not. Returns 0 after saying what is wrong. */
int profgen_address(profgen *g, const csspgo_sample *sample)
{
    csspgo_sample s = *sample;
    csspgo_status status;
    if (s.count == 0) return 1;                       /* a text that says so; a collector takes 0 for 1 */
    s.branch_count = 0;
    status = csspgo_collector_add(g->collector, &s, 1, NULL);
    return status == CSSPGO_OK || (fail(g->tool, "%s", profgen_no_room(status)), 0);
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
    csspgo_error e;
    csspgo_status s = CSSPGO_OK;
    int hit;
    if (g->image.object) hit = module_map(g, map);
    else if (g->o[O_KERNEL].number) hit = profgen_map_kernel(g, map);
    else s = csspgo_code_mmap(g->image.code, map, &hit, &e);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", plain(&e)), 0;
    if (hit < 0)
        warn(g->tool, "a mapping of %s at 0x%llx fits none of its segments", g->binary,
             (unsigned long long)map->address);
    if (hit > 0 && !g->o[O_KERNEL].number) g->bias = profgen_bias(g, map, g->bias);
    g->mapped |= hit > 0;
    return 1;
}

/* An item that is no sample. Returns 0 after saying what is wrong. */
int profgen_event(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    const long long pid = g->o[O_PID].number;
    unsigned char id[20];
    csspgo_mmap meant;
    uint64_t known;
    csspgo_status s;
    int mapped;
    if (g->jit != NULL && !jit_item(g, item, sample, map)) return 0;
    if (g->jit_only) return 1;
    if (item == CSSPGO_ITEM_MMAP && g->o[O_SHOW_MMAP].number)
        printf("Mmap: Binary %.*s loaded at 0x%llx: \n", (int)map->path_size, map->path,
               (unsigned long long)map->address);
    if (item == CSSPGO_ITEM_MMAP && pid >= 0 && map->pid != (uint32_t)pid) return 1;
    if (g->spaces == NULL && item == CSSPGO_ITEM_MMAP) return profgen_follow(g, map);
    if (g->spaces == NULL || (item == CSSPGO_ITEM_BUILD_ID && g->ids_read)) return 1;
    if (item == CSSPGO_ITEM_MMAP || item == CSSPGO_ITEM_BUILD_ID) mapped_add(g, item, map);
    known = csspgo_spaces_get_stats(g->spaces).mappings;
    meant = renamed_map(g, item, map, id);
    s = csspgo_spaces_event(g->spaces, item, sample, &meant, NULL);
    mapped = csspgo_spaces_get_stats(g->spaces).mappings != known;
    if (s == CSSPGO_OK && g->images != NULL && !images_event(g->images, item, sample, map, mapped))
        s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK && !loss_event(g->loss, item, sample, map, mapped)) s = CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    g->mapped = csspgo_spaces_get_stats(g->spaces).mappings != 0;
    if (g->sampler != NULL) s = csspgo_trace_sampler_event(g->sampler, item, sample, &meant, NULL);
    return s == CSSPGO_OK || (fail(g->tool, "%s", csspgo_status_text(s)), 0);
}

/* Moves a sample to link-time addresses. Returns 0 after saying what is wrong. */
int profgen_place(profgen *g, csspgo_sample *sample)
{
    const csspgo_sample recorded = *sample;
    csspgo_status s;
    uint64_t offsets;
    int due;
    g->pidless |= sample->pid == 0;
    if (g->jit_only) return jit_sample(g, sample);
    if (g->spaces == NULL) return 1;
    due = fit_due(g);
    offsets = due ? csspgo_spaces_get_stats(g->spaces).offset_stacks : 0;
    csspgo_spaces_frame_files(g->spaces, g->fit.files);
    s = csspgo_spaces_sample(g->spaces, sample, NULL);
    if (s == CSSPGO_OK && due &&
        !fit_sample(g, &recorded, sample, csspgo_spaces_get_stats(g->spaces).offset_stacks != offsets))
        s = CSSPGO_E_NOMEM;
    g->fit.files = NULL;
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    return g->jit == NULL || jit_join(g, &recorded, sample);
}

/* A sample for `order`. Returns 0 after saying what is wrong. */
static int profgen_trace(profgen *g, const csspgo_sample *sample)
{
    csspgo_sample s = *sample;
    csspgo_error e;
    if (s.time == 0 && g->in_order) s.time = ++g->in_order;
    if (csspgo_trace_sampler_add(g->sampler, &s, 1, &e) == CSSPGO_OK) return 1;
    return fail(g->tool, "%s: %s%s", g->path, plain(&e), s.time == 0 ? ", or --in-order" : ""), 0;
}

/* A sample into the collector. Returns 0 after saying what is wrong. */
static int profgen_count(profgen *g, const csspgo_sample *placed)
{
    csspgo_sample weighted;
    uint64_t dropped;
    csspgo_status s;
    makers_sample(g, placed);
    if (g->o[O_LEADING].number && !g->tool->compat) return profgen_address(g, placed);
    if (g->o[O_LEADING].number && g->o[O_IGNORE_STACK].number) return 1;    /* LLVM leaves nothing */
    g->branches |= placed->branch_count != 0;
    g->with_stack += placed->stack_count != 0 && !g->leaf_only;
    g->one_frame += placed->stack_count == 1 && !g->leaf_only;
    g->stacks |= placed->branch_count != 0 && placed->stack_count != 0;
    weighted = *placed;
    if (g->flat && g->o[O_PERIOD].text != NULL) weighted.count = flat_weight(g, placed);
    dropped = details_wanted(g) ? profgen_dropped(g) : 0;
    s = csspgo_collector_add(g->collector, &weighted, 1, NULL);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", profgen_no_room(s)), 0;
    return !details_wanted(g) || details_add(g, placed, profgen_dropped(g) == dropped);
}

/* Takes a sample whose addresses are the code map's. Returns 0 after saying what is wrong. */
int profgen_take(profgen *g, const csspgo_sample *placed)
{
    csspgo_collector_stats before;
    if (g->sampler != NULL) return profgen_trace(g, placed);
    if (g->aggregator != NULL)
        return csspgo_aggregator_add(g->aggregator, placed, 1, NULL) == CSSPGO_OK ||
               (fail(g->tool, "out of memory"), 0);
    if (g->loss == NULL) return profgen_count(g, placed);
    before = csspgo_collector_get_stats(g->collector);
    if (!profgen_count(g, placed)) return 0;
    if (g->health != NULL) health_sample(g, placed, &before);
    return loss_sample(g, placed, &before) || (fail(g->tool, "out of memory"), 0);
}

/* One item of a recording. Returns 0 after saying what is wrong. */
int profgen_item(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    csspgo_sample placed;
    if (item != CSSPGO_ITEM_SAMPLE) return profgen_event(g, item, sample, map);
    if (sample->count == 0 && !g->tool->compat) return 1;      /* a text that says so; a collector takes 0 for 1 */
    placed = *sample;
    if (!profgen_place(g, &placed)) return 0;
    if (g->jit_only && placed.count == 0) return 1;            /* counted */
    if (g->images != NULL && (!images_tally(g, sample, &placed) || !images_join(g->images, &placed)))
        return fail(g->tool, "out of memory"), 0;
    return profgen_fold(g, &placed);
}
