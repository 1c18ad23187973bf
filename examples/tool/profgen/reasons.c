/* reasons.c - profgen: why samples did not count, of a process or of a file, and what was mended in them */
#include "profgen.h"

/* What a collector counts as samples come; the rest it counts when it unwinds distinct ones. */
static health_counts counts_of(const csspgo_collector_stats *s, int keep)
{
    const int dropped = !keep;
    health_counts n;
    memset(&n, 0, sizeof n);
    n.dropped[0] = s->no_branches;
    n.dropped[1] = s->prologue_leaves;
    n.dropped[2] = dropped ? s->late_stacks : 0;
    n.mended[0] = s->bad_return_addresses;
    n.mended[1] = dropped ? 0 : s->late_stacks;
    n.mended[2] = s->elided_interrupts;
    n.mended[3] = s->repaired_samples;
    n.mended[4] = s->cut_samples;
    n.mended[5] = s->no_stack;
    return n;
}

health_counts health_between(const csspgo_collector_stats *before, const csspgo_collector_stats *now, int keep)
{
    const health_counts a = counts_of(before, keep);
    health_counts b = counts_of(now, keep);
    size_t i;
    for (i = 0; i < HEALTH_DROPPED; i++) b.dropped[i] -= a.dropped[i];
    for (i = 0; i < HEALTH_MENDED; i++) b.mended[i] -= a.mended[i];
    return b;
}

void health_add(health_counts *to, const health_counts *n)
{
    size_t i;
    for (i = 0; i < HEALTH_DROPPED; i++) to->dropped[i] += n->dropped[i];
    for (i = 0; i < HEALTH_MENDED; i++) to->mended[i] += n->mended[i];
}

uint64_t health_used(const health_counts *n)
{
    uint64_t dropped = 0;
    size_t i;
    for (i = 0; i < HEALTH_DROPPED; i++) dropped += n->dropped[i];
    return n->samples - (dropped < n->samples ? dropped : n->samples);
}

void health_name_counts(const health_counts *n, health_count *dropped, health_count *mended)
{
    const health_count d[] = {
        { "not_in_program", "not in the program", n->dropped[0] },
        { "prologue", "in a prologue or epilogue", n->dropped[1] },
        { "late_stacks", "of late stacks", n->dropped[2] },
        { NULL, NULL, 0 }
    };
    const health_count m[] = {
        { "bad_return_addresses", "stacks cut at no call", n->mended[0] },
        { "late_stacks_removed", "late stacks left out", n->mended[1] },
        { "interrupts_removed", "interrupts left out", n->mended[2] },
        { "missing_callers_found", "stacks with the missing caller", n->mended[3] },
        { "callers_not_found", "stacks without it", n->mended[4] },
        { "no_stack", "samples without a call stack", n->mended[5] },
        { NULL, NULL, 0 }
    };
    memcpy(dropped, d, sizeof d);
    memcpy(mended, m, sizeof m);
}

void health_json_keys(const health_count *c, const char *between, FILE *out)
{
    for (; c->key != NULL; c++, between = ",") fprintf(out, "%s \"%s\": %" PRIu64, between, c->key, c->n);
}

void health_json_counts(const health_counts *n, FILE *out)
{
    health_count d[HEALTH_DROPPED + 1], m[HEALTH_MENDED + 1];
    health_name_counts(n, d, m);
    fprintf(out, " \"samples\": %" PRIu64 ", \"used\": %" PRIu64 ", \"in_program\": %" PRIu64 ", \"dropped\": {",
            n->samples, health_used(n), n->here);
    health_json_keys(d, "", out);
    fputs(" }, \"repaired_or_cut\": {", out);
    health_json_keys(m, "", out);
    fputs(" }", out);
}

uint64_t profgen_dropped(const csspgo_collector *c, const tool_context *tool, const option *o)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(c);
    const uint64_t stackless = tool->compat && csspgo_collector_has_contexts(c) ? s.no_stack : 0;
    return stackless + s.no_branches + s.prologue_leaves + (o[O_BOGUS].number ? 0 : s.late_stacks);
}

const char *profgen_no_room(csspgo_status s)
{
    if (s != CSSPGO_E_FULL) return csspgo_status_text(s);
    return "the counters need more than 16 GiB: make profiles of parts of the recording, and merge them";
}
