/* preagg.c - profgen: pre-aggregated text of BOLT as input */
#include "profgen.h"

/* One line into the counters. Returns 0 after saying what is wrong. */
static int preagg_line(profgen *g, const csspgo_preagg_line *line)
{
    csspgo_error e;
    if ((g->count.aggregator != NULL ? csspgo_aggregator_count(g->count.aggregator, line, 1, &e)
                               : csspgo_collector_count(g->count.collector, line, 1, &e)) == CSSPGO_OK)
        return 1;
    return fail(g->tool, "%s: %s", g->in.path, plain(&e)), 0;
}

int preagg_feed(profgen *g)
{
    csspgo_preagg_line line;
    csspgo_error e;
    while (csspgo_preagg_next(g->reader.preagg, &line, &e))
        if (!preagg_line(g, &line)) return 0;
    return e.status == CSSPGO_OK || (kind_fail_at(g->tool, g->reader.path, KIND_OTHER, &e), 0);
}

void preagg_over(profgen *g)
{
    const csspgo_preagg_stats s = csspgo_preagg_get_stats(g->reader.preagg);
    g->read.lines += s.line_count;
    g->read.reversed += s.reversed;
    if (s.reversed != 0)
        warn(g->tool, "%s:%" PRIu64 ": %" PRIu64 " ranges end before they begin", g->reader.path, s.first_reversed,
             s.reversed);
}

/* What became of the lines of all texts. */
void preagg_warnings(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->count.collector);
    if (s.unplaced != 0)
        warn(g->tool, "%" PRIu64 " lines do not count: their addresses are not in %s", s.unplaced, g->in.binary);
    if (s.invalid_ranges != 0)
        warn(g->tool, "%" PRIu64 " lines do not count: their ranges run across a call, return or jump",
             s.invalid_ranges);
    if (s.addresses != 0 && s.unwound == 0)
        warn(g->tool, "counts of %" PRIu64 " sampled addresses are estimates", s.addresses);
}
