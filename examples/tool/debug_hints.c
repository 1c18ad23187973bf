/* debug_hints.c - names of functions out of debug information, for load_find.h: where symbols do not tell them */
#include "match.h"

/* For free(); NULL: there are none, or no memory, and the code is all that tells. */
load_hint *debug_hints(const loaded *l, size_t *count)
{
    char why[PROGRAM_WHY];
    debug_info *const d = match_debug(l, l->path, why, sizeof why);
    size_t ranges = 0, i;
    const debug_range *const r = d != NULL ? debug_info_ranges(d, &ranges) : NULL;
    load_hint *const v = ranges != 0 ? (load_hint *)malloc(ranges * sizeof *v) : NULL;
    *count = 0;
    for (i = 0; v != NULL && i < ranges; i++) {
        v[*count].address = r[i].begin;
        v[*count].guid = csspgo_guid(r[i].name, strlen(r[i].name));
        *count += r[i].first != 0;
    }
    debug_info_close(d);
    return v;
}
