/* profgen_pprof.c - profgen: profiles of pprof as recordings of call stacks */
#include "profgen.h"

/* Opens the parser. Returns 0 after saying what is wrong. */
int pprof_open(profgen *g, recording *r)
{
    csspgo_pprof_options how;
    memset(&how, 0, sizeof how);
    how.code = g->image.code;
    how.type = g->o[O_PPROF_TYPE].text;
    how.type_size = how.type != NULL ? strlen(how.type) : 0;
    r->pprof = csspgo_pprof_new(&how, seeded(), NULL);
    return r->pprof != NULL || (fail(g->tool, "out of memory"), 0);
}

/* As recording_feed. */
int pprof_feed(profgen *g, recording *r, const void *piece, size_t size)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    csspgo_error e;
    if (size != 0) csspgo_pprof_feed(r->pprof, piece, size, NULL);
    else csspgo_pprof_end(r->pprof);
    while ((item = csspgo_pprof_next(r->pprof, &sample, &map, &e)) != CSSPGO_ITEM_NONE)
        if (!profgen_item(g, item, &sample, &map)) return 0;
    return e.status == CSSPGO_OK || (kind_fail_at(g->tool, r->path, KIND_GZIP, &e), 0);
}

/* What was in it that does not count. */
void pprof_over(const profgen *g, const recording *r)
{
    const csspgo_pprof_stats s = csspgo_pprof_get_stats(r->pprof);
    if (s.not_positive != 0)
        warn(g->tool, "%s: %" PRIu64 " samples have no %.*s", r->path, s.not_positive, (int)s.type_size, s.type);
    if (s.no_address != 0)
        warn(g->tool, "%s: %" PRIu64 " samples have no address, only names: they do not count", r->path, s.no_address);
    if (s.cut_stacks != 0)
        warn(g->tool, "%s: %" PRIu64 " stacks are cut at callers without address, or to 512 frames", r->path,
             s.cut_stacks);
}
