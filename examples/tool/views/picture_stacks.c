/* picture_stacks.c - a picture of any recording: reads what has names, collapsed stacks, text of perf script, V8's */
#include "picture.h"

/* A stack into p; unknown frames in a row become one. Returns 0 without memory. */
static int stack_add(csspgo_profile *p, const csspgo_stack *s)
{
    const size_t first = s->frame_count > VIEWS_DEPTH ? s->frame_count - VIEWS_DEPTH : 0;
    csspgo_node n = csspgo_root(p);
    size_t i;
    for (i = first; i < s->frame_count; i++) {
        const csspgo_func f = csspgo_func_add(p, s->frames[i].name, s->frames[i].size);
        if (f.id != 0 && f.id == csspgo_node_func(p, n).id && s->frames[i].size == 9 &&
            memcmp(s->frames[i].name, "[unknown]", 9) == 0) continue;
        n = f.id != 0 ? csspgo_node_add(p, n, csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f) : csspgo_root(p);
        if (f.id == 0 || n.id == 0) return 0;
        if (s->frames[i].inlined && csspgo_set_attributes(p, n, CSSPGO_WAS_INLINED) != CSSPGO_OK) return 0;
    }
    return csspgo_add_total(p, n, s->count) == CSSPGO_OK;
}

/* Returns 0 after saying what is wrong. */
static int stacks_next(const tool_context *tool, reader *r, csspgo_stacks *d, csspgo_profile *p, picture_events *of)
{
    csspgo_stack s;
    csspgo_error e;
    while (csspgo_stacks_next(d, &s, &e)) {
        if (!filter_takes_stack(r->how.filter, &s)) continue;
        picture_events_add(of, s.event, s.event_size, s.count);
        if (!stack_add(p, &s)) return fail(tool, "out of memory"), 0;
    }
    return e.status == CSSPGO_OK || (fail_at(tool, r->path, &e), 0);
}

int picture_stacks(const tool_context *tool, reader *r, const void *head, size_t size, csspgo_profile *p)
{
    static char chunk[1 << 18];
    csspgo_stacks *const d = csspgo_stacks_new(csspgo_stacks_sniff(head, size), seeded(), NULL);
    csspgo_stacks_stats stats;
    picture_events of;
    size_t n;
    int ok = d != NULL || (fail(tool, "out of memory"), 0);
    memset(&of, 0, sizeof of);
    while (ok && (n = fread(chunk, 1, sizeof chunk, r->file)) != 0)
        ok = csspgo_stacks_feed(d, chunk, n, NULL) == CSSPGO_OK && stacks_next(tool, r, d, p, &of);
    if (ok && ferror(r->file)) ok = (fail(tool, "%s: %s", r->path, reader_why(r)), 0);
    if (ok) {
        csspgo_stacks_end(d);
        ok = stacks_next(tool, r, d, p, &of);
        stats = csspgo_stacks_get_stats(d);
    }
    if (ok && stats.bad_lines != 0)
        warn(tool, "%s:%" PRIu64 ": and %" PRIu64 " more lines make no sense", r->path, stats.first_bad_line,
             stats.bad_lines - 1);
    if (ok) picture_events_tell(tool, &of, r->path);
    if (ok) note(tool, "%s: names are those of the text: a picture, and no profile for a compiler", r->path);
    csspgo_stacks_free(d);
    return ok;
}
