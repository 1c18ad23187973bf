/* profgen_makers.c - profgen: what depends on who recorded the branches: Arm SPE, AMD, late interrupts, Intel's SEP */
#include "profgen.h"

/* --image-base: where the first byte of the program is unless mapping events say otherwise. */
int makers_map(profgen *g)
{
    elf_segment s;
    uint32_t i;
    if (g->o[O_IMAGE_BASE].text == NULL || g->jit_only) return 1;
    memset(&s, 0, sizeof s);
    for (i = 0; i < g->image.elf.segment_count; i++)
        if (elf_segment_at(&g->image.elf, i, &s) && s.type == ELF_LOAD) break;
    g->bias = (uint64_t)g->o[O_IMAGE_BASE].number - (s.address & ~(uint64_t)4095);
    return csspgo_code_map(g->image.code, g->image.module, g->bias, NULL) == CSSPGO_OK ||
           (fail(g->tool, "out of memory"), 0);
}

/* A sample as the collector is to get it. */
void makers_sample(profgen *g, const csspgo_sample *s)
{
    const uint32_t n = s->branch_count > 1 && s->branches[1].from == 0 ? s->branch_count - 1 : s->branch_count;
    if (n > g->most_records) g->most_records = n;
    if (g->mapped || g->tool->compat || s->branch_count + s->stack_count == 0) return;
    g->unmapped++;
    g->unmapped_hits += is_code(g, s->branch_count != 0 ? s->branches[0].from : s->stack[0]) ||
                        (s->branch_count != 0 && is_code(g, s->branches[0].to));
}

/* The end of a recording in which no mapping is the program's. */
void makers_unmapped(const profgen *g)
{
    const uint64_t base = (uint64_t)g->o[O_IMAGE_BASE].number;
    if (g->o[O_IMAGE_BASE].text == NULL)
        warn(g->tool, "no mapping event is for %s: its preferred address 0x%llx is taken", g->binary,
             (unsigned long long)csspgo_code_base(g->image.code, g->image.module));
    if (2 * g->unmapped_hits >= g->unmapped) return;
    if (g->o[O_IMAGE_BASE].text != NULL)
        warn(g->tool, "%s: only %llu of %llu samples are in %s at 0x%llx", g->path,
             (unsigned long long)g->unmapped_hits, (unsigned long long)g->unmapped, g->binary,
             (unsigned long long)base);
    else
        warn(g->tool,
             "%s: only %llu of %llu samples are there: give perf.data itself (--perfdata), or what perf script "
             "--show-mmap-events prints; else --image-base=ADDR says where the program was",
             g->path, (unsigned long long)g->unmapped_hits, (unsigned long long)g->unmapped);
}

static void makers_share(const profgen *g, uint64_t n, uint64_t of, const char *what)
{
    if (n != 0 && of != 0)
        warn(g->tool, "%.2f%% (%llu/%llu) %s", 100.0 * (double)n / (double)of, (unsigned long long)n,
             (unsigned long long)of, what);
}

void makers_warnings(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    const int keep = g->o[O_BOGUS].number != 0, spe = g->o[O_SPE].number != 0;
    makers_share(g, s.late_stacks, s.samples,
                 keep ? "call stacks dropped: leaf and newest branch target disagree (bogus trace)"
                      : "samples dropped: leaf and newest branch target disagree (bogus trace)");
    if (s.late_stacks > s.samples / 2 && !keep)
        warn(g->tool, "most stacks are later than their branch records: --bogus-stacks=records keeps the records");
    makers_share(g, s.wrong_paths, s.wrong_paths + s.branches, "branch records dropped: speculated on a wrong path");
    makers_share(g, s.bad_targets, s.samples, "branches dropped: no instruction begins at their target");
    makers_share(g, s.bad_sources, s.not_taken, "branches not taken are no conditional branches");
    if (spe && g->most_records > 1)
        warn(g->tool, "samples have up to %u branch records: --spe-branch-profile is for one", g->most_records);
    if (!spe && s.branches != 0 && g->most_records == 1 && !g->tool->compat)
        warn(g->tool, "no sample has two branch records: if Arm SPE made them, give --spe-branch-profile");
}
