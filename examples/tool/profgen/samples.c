/* samples.c - profgen: items of a recording into the collector */
#include "profgen.h"

/* ----- what counts ------------------------------------------------------------------------------------------------ */

/* --leading-ip-only: address and stack of a sample count, its branches do not. Returns 0 after saying what is wrong. */
static int profgen_add_address(profgen *g, const csspgo_sample *sample)
{
    csspgo_sample s = *sample;
    csspgo_status status;
    if (s.count == 0) return 1;                       /* a text that says so; a collector takes 0 for 1 */
    s.branch_count = 0;
    status = csspgo_collector_add(g->count.collector, &s, 1, NULL);
    return status == CSSPGO_OK || (fail(g->tool, "%s", profgen_no_room(status)), 0);
}

/* --sample-period: what a sample with so many equal ones counts, by the ranges between its branches. */
uint64_t flat_weight(const programs *p, const option *o, const csspgo_sample *s)
{
    const uint64_t period = (uint64_t)o[O_PERIOD].number;
    const uint64_t all = s->count != 0 && period > UINT64_MAX / s->count ? UINT64_MAX : s->count * period;
    uint64_t n = 0;
    uint32_t i;
    for (i = 0; i < s->branch_count; i++) n += is_code(p, s->branches[i].from) || is_code(p, s->branches[i].to);
    return n > 1 ? all / (n - 1) : all;
}

/* What samples are like, and whether they are in the program as long as no mapping tells where that is. */
static void count_kind(profgen *g, const csspgo_sample *s)
{
    const uint32_t n = s->branch_count > 1 && s->branches[1].from == 0 ? s->branch_count - 1 : s->branch_count;
    if (n > g->count.most_records) g->count.most_records = n;
    if (g->reader.mapped || g->tool->compat || s->branch_count + s->stack_count == 0) return;
    g->count.unmapped += repeats_of(s);
    if (is_code(&g->programs, s->branch_count != 0 ? s->branches[0].from : s->stack[0]) ||
        (s->branch_count != 0 && is_code(&g->programs, s->branches[0].to)))
        g->count.unmapped_hits += repeats_of(s);
}

/* A sample into the collector. Returns 0 after saying what is wrong. */
static int profgen_count(profgen *g, const csspgo_sample *placed)
{
    csspgo_sample weighted;
    uint64_t dropped;
    csspgo_status s;
    int taken;
    count_kind(g, placed);
    if (g->o[O_LEADING].number && !g->tool->compat) return profgen_add_address(g, placed);
    if (g->o[O_LEADING].number && g->o[O_IGNORE_STACK].number) return 1;    /* LLVM leaves nothing */
    g->count.branches |= placed->branch_count != 0;
    if (placed->stack_count != 0 && !g->count.leaf_only) g->count.with_stack += repeats_of(placed);
    if (placed->stack_count == 1 && !g->count.leaf_only) g->count.one_frame += repeats_of(placed);
    g->count.stacks |= placed->branch_count != 0 && placed->stack_count != 0;
    weighted = *placed;
    if (g->count.flat && g->o[O_PERIOD].text != NULL) weighted.count = flat_weight(&g->programs, g->o, placed);
    dropped = details_wanted(g) ? profgen_dropped(g->count.collector, g->tool, g->o) : 0;
    s = csspgo_collector_add(g->count.collector, &weighted, 1, NULL);
    if (s != CSSPGO_OK) return fail(g->tool, "%s", profgen_no_room(s)), 0;
    if (!details_wanted(g)) return 1;
    taken = profgen_dropped(g->count.collector, g->tool, g->o) == dropped;
    return details_add(&g->details, &g->programs, placed, taken, g->jit != NULL) || (fail(g->tool, "out of memory"), 0);
}

/* Takes a sample whose addresses are the code map's. Returns 0 after saying what is wrong. */
static int profgen_take(profgen *g, const csspgo_sample *placed)
{
    csspgo_collector_stats before, now;
    health_counts added;
    if (g->count.aggregator != NULL)
        return csspgo_aggregator_add(g->count.aggregator, placed, 1, NULL) == CSSPGO_OK ||
               (fail(g->tool, "out of memory"), 0);
    if (g->loss == NULL) return profgen_count(g, placed);
    before = csspgo_collector_get_stats(g->count.collector);
    if (!profgen_count(g, placed)) return 0;
    now = csspgo_collector_get_stats(g->count.collector);
    if (g->health != NULL) {
        added = health_between(&before, &now, g->loss->keep);
        health_sample(g->health, &g->programs, placed, &added, g->tally != NULL ? g->tally->at : NULL,
                      g->count.leaf_only);
    }
    return loss_sample(g->loss, placed, &before, &now) || (fail(g->tool, "out of memory"), 0);
}

/* Takes the samples that the reader has ready. Returns 0 after saying what is wrong. */
static int profgen_take_folded(profgen *g)
{
    csspgo_sample s;
    uint64_t mark;
    int got;
    while ((got = reader_folded(&g->reader, &s, &mark)) > 0) {
        tally_set_mark(g->tally, mark);
        if (!profgen_take(g, &s)) return 0;
    }
    return got == 0;
}

int profgen_release(profgen *g)
{
    reader_release(&g->reader);
    return profgen_take_folded(g);
}

/* ----- items ------------------------------------------------------------------------------------------------------ */

/* An item that is no sample. Returns 0 after saying what is wrong. */
static int profgen_event(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    csspgo_mmap meant;
    int mapped;
    if (g->jit != NULL && !jit_item(g->jit, item, sample, map)) return 0;
    if (g->jit_only) return 1;
    if (item == CSSPGO_ITEM_MMAP && g->o[O_SHOW_MMAP].number)
        printf("Mmap: Binary %.*s loaded at 0x%llx: \n", (int)map->path_size, map->path,
               (unsigned long long)map->address);
    if (item == CSSPGO_ITEM_MMAP && !pid_asked(g->o, map->pid)) return 1;
    if (g->programs.spaces == NULL && item == CSSPGO_ITEM_MMAP) return follow_map(&g->reader, map);
    if (g->programs.spaces == NULL || (item == CSSPGO_ITEM_BUILD_ID && g->reader.ids_read)) return 1;
    if (!reader_event(&g->reader, item, sample, map, &mapped, &meant)) return 0;
    if (g->tally != NULL && !tally_event(g->tally, item, sample, map, mapped)) return fail(g->tool, "out of memory"), 0;
    return loss_event(g->loss, item, sample, map, mapped) || (fail(g->tool, "out of memory"), 0);
}

/* Moves a sample to link-time addresses; files: of its frames. Returns 0 after saying what is wrong. */
static int profgen_place(profgen *g, csspgo_sample *sample, const uint32_t *files)
{
    const csspgo_sample recorded = *sample;
    csspgo_processes *const spaces = g->programs.spaces;
    csspgo_status s;
    uint64_t offsets;
    int due;
    g->reader.pidless |= sample->pid == 0;
    if (g->jit_only) return jit_sample(g->jit, sample);
    if (spaces == NULL) return 1;
    due = g->count.collector != NULL && !g->tool->compat && sample->repeats == 0 && fit_due(reader_samples(&g->reader));
    offsets = due ? csspgo_processes_get_stats(spaces).offset_stacks : 0;
    s = reader_place(&g->reader, sample, files);
    if (s == CSSPGO_OK && due &&
        !fit_sample(&g->fit, &g->programs, &recorded, sample, files,
                    csspgo_processes_get_stats(spaces).offset_stacks != offsets))
        s = CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK) return fail(g->tool, "%s", csspgo_status_text(s)), 0;
    return g->jit == NULL || jit_join(g->jit, &recorded, sample);
}

/* For GCC's version 3: notes the time of a sample. */
static void profgen_note_time(profgen *g, const csspgo_sample *placed)
{
    uint64_t at = sampled_address(&g->programs, placed);
    const size_t image = programs_number(&g->programs, at);
    if (placed->stack_count + placed->branch_count == 0 || !is_code(&g->programs, at)) return;
    programs_at(&g->programs, &at);
    lines_sampled(&g->lines[image], at, placed->time);
}

/* One item of a recording; files: of the frames of a sample. */
static int profgen_item_of(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map,
                           const uint32_t *files)
{
    csspgo_sample placed;
    if (item != CSSPGO_ITEM_SAMPLE) return profgen_event(g, item, sample, map);
    if (sample->count == 0 && !g->tool->compat) return 1;      /* a text that says so; a collector takes 0 for 1 */
    if (g->o[O_MULTI].number && g->tool->compat && sample->pid != 0 && !pid_asked(g->o, sample->pid)) return 1;
    placed = *sample;
    if (!profgen_place(g, &placed, files)) return 0;
    if (g->jit_only && placed.count == 0) return 1;            /* counted */
    if (g->lines != NULL && is_gcov3(g->o)) profgen_note_time(g, &placed);
    if ((g->tally != NULL && !tally_sample(g->tally, &g->programs, sample, &placed)) ||
        !programs_join(&g->programs, &placed))
        return fail(g->tool, "out of memory"), 0;
    return reader_fold(&g->reader, &placed, tally_mark(g->tally)) && profgen_take_folded(g);
}

int profgen_address(profgen *g, const csspgo_sample *sample)
{
    return profgen_item_of(g, CSSPGO_ITEM_SAMPLE, sample, NULL, NULL);
}

int profgen_items(profgen *g)
{
    reader *const r = &g->reader;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    int got;
    while ((got = reader_item(r, &item, &sample, &map)) > 0) {
        const int is_sample = item == CSSPGO_ITEM_SAMPLE;
        const int counts = r->pprof != NULL || g->count.flat ? 1 : events_take(&g->events, r, item, &sample);
        if (counts < 0) return 0;
        if (!counts) continue;
        if (is_sample && r->data != NULL)
            g->count.leaf_only = sample.stack_count <= 1 && !csspgo_perfdata_get_stats(r->data).has_stacks;
        if (!profgen_item_of(g, item, &sample, &map,
                             is_sample && r->script != NULL ? csspgo_script_frame_files(r->script) : NULL))
            return 0;
    }
    return got == 0;
}
