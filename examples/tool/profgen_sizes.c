/* profgen_sizes.c - profgen: sizes of functions' code by where they are inlined, from debug information */
#include "profgen_lines.h"

/* Adds the bytes of a node and clears them. */
static int size_add(line_work *w, const debug_lines *l, size_t node, int by_probe)
{
    size_t n = 0, i;
    uint32_t at;
    for (at = (uint32_t)node + 1; at != 0; at = l->node[at - 1].parent) n++;
    if (!debug_room(&w->frame, n, &w->frame_cap, sizeof *w->frame)) return 0;
    memset(w->frame, 0, n * sizeof *w->frame);
    for (i = n, at = (uint32_t)node + 1; at != 0; at = l->node[at - 1].parent) {
        const csspgo_line_inline *const in = &l->node[at - 1];
        const uint32_t d = in->site.discriminator;
        w->frame[--i].name = in->name;
        w->frame[i].name_size = in->name_size;
        if (i == 0) continue;
        w->frame[i - 1].loc = in->site;
        if (by_probe) w->frame[i - 1].loc = csspgo_at(d >> 3 & (d & 0x10000000 ? 0x1fff : 0xffff), 0);
    }
    if (csspgo_sizes_add(w->sizes, w->frame, n, w->bytes[node], NULL) != CSSPGO_OK) return 0;
    w->bytes[node] = 0;
    return 1;
}

/* How many of the bytes [begin, end) are of functions that were sampled. */
static uint64_t bytes_sampled(const line_work *w, uint64_t begin, uint64_t end)
{
    size_t i = ranges_before(w, begin);
    uint64_t n = 0;
    for (i -= i != 0; i < w->ranges && w->range[i].begin < end; i++) {
        const line_range *r = &w->range[i];
        const uint64_t a = r->begin > begin ? r->begin : begin, b = r->end < end ? r->end : end;
        if (a < b && w->sampled[r->function]) n += b - a;
    }
    return n;
}

int sizes_of(line_work *w, const debug_lines *l, int by_probe)
{
    size_t i;
    for (; w->byte_cap < l->nodes;)
        if (!debug_room(&w->bytes, w->byte_cap, &w->byte_cap, sizeof *w->bytes)) return 0;
    if (l->nodes != 0) memset(w->bytes, 0, l->nodes * sizeof *w->bytes);
    for (i = 0; i + 1 < l->rows; i++)
        if (l->row[i].inline_node != 0)
            w->bytes[l->row[i].inline_node - 1] += bytes_sampled(w, l->row[i].address, l->row[i + 1].address);
    for (i = 0; i < l->nodes; i++)
        if (w->bytes[i] != 0 && !size_add(w, l, i, by_probe)) return 0;
    return 1;
}

/* The size of a copy of a function is known, and possibly 0, if the program has a probe of it. */
static int copies_know(line_work *w, const csspgo_probe_tables *t, const unsigned char *sampled)
{
    size_t i;
    for (i = 0; i < t->probe_count; i++) {
        uint32_t at, n = 0, k;
        for (at = t->probes[i].inline_node; at != 0; at = t->inlines[at - 1].parent) n++;
        if (n == 0 || (i != 0 && t->probes[i].inline_node == t->probes[i - 1].inline_node)) continue;
        if (!debug_room(&w->frame, n, &w->frame_cap, sizeof *w->frame)) return 0;
        memset(w->frame, 0, n * sizeof *w->frame);
        for (k = n, at = t->probes[i].inline_node; at != 0; at = t->inlines[at - 1].parent) {
            const csspgo_inline *in = &t->inlines[at - 1];
            w->frame[--k].guid = in->guid;
            if (k != 0) w->frame[k - 1].loc = csspgo_at(in->site, 0);
            else if (!sampled[at - 1]) n = 0;
        }
        if (n != 0 && csspgo_sizes_add(w->sizes, w->frame, n, 0, NULL) != CSSPGO_OK) return 0;
    }
    return 1;
}

/* Marks, per inline node, the top-level functions that were sampled; for free(). NULL: out of memory. */
static unsigned char *tops_sampled(const line_work *w, const csspgo_probe_tables *t)
{
    unsigned char *mark = (unsigned char *)calloc(t->inline_count + 1, 1);
    uint64_t *guid = (uint64_t *)malloc((w->ranges + 1) * sizeof *guid);
    size_t count, n = 0, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    for (i = 0; guid != NULL && i < w->ranges; i++)
        if (w->sampled[w->range[i].function]) {
            const char *const name = r[w->range[i].index].name;
            guid[n++] = csspgo_guid(name, strlen(name));
        }
    if (guid != NULL) qsort(guid, n, sizeof *guid, load_u64_cmp);
    for (i = 0; guid != NULL && mark != NULL && i < t->inline_count; i++)
        mark[i] = (unsigned char)(t->inlines[i].parent == 0 && load_has(guid, n, t->inlines[i].guid));
    if (guid == NULL) {
        free(mark);
        mark = NULL;
    }
    free(guid);
    return mark;
}

/* Marks the functions of a profile that is given as sampled, also those that only call. Returns 0: out of memory. */
int sizes_mark(line_work *w, const csspgo_profile *p)
{
    const uint32_t n = csspgo_func_count(p);
    uint64_t *const guid = (uint64_t *)malloc((n + (size_t)1) * sizeof *guid);
    size_t count, known = 0, i;
    const debug_range *r = debug_info_ranges(w->functions, &count);
    csspgo_func f;
    if (guid == NULL) return 0;
    for (f.id = 1; f.id <= n; f.id++)
        if (csspgo_func_nodes(p, f).id != 0) guid[known++] = csspgo_func_guid(p, f);
    qsort(guid, known, sizeof *guid, load_u64_cmp);
    for (i = 0; i < w->ranges; i++) {
        const char *const name = r[w->range[i].index].name;
        if (load_has(guid, known, csspgo_guid(name, strlen(name)))) w->sampled[w->range[i].function] = 1;
    }
    free(guid);
    return 1;
}

/* The sizes of the functions of a profile by source line that is given. Returns a status. */
csspgo_status profile_sizes(profgen *g, const csspgo_profile *p)
{
    line_work *const w = g->lines;
    csspgo_status s;
    csspgo_sizes_free(w->sizes);
    w->sizes = csspgo_sizes_new(seeded(), NULL);
    s = w->sizes != NULL && sizes_mark(w, p) ? units_read(g, w) : CSSPGO_E_NOMEM;
    return s == CSSPGO_OK ? images_units(g, p) : s;
}

/*
 * The sizes that LLVM takes for a program with probes: from its debug information. To be called before the counters
 * become a profile. p: the profile that is given in their place, or NULL. Returns 0: there is no debug information, or
 * no memory.
 */
int probe_sizes(profgen *g, const csspgo_profile *p)
{
    char why[PROGRAM_WHY];
    line_work *w = work_open(g, why, sizeof why);
    csspgo_probe_set *probes = NULL;
    csspgo_probe_tables t;
    unsigned char *sampled = NULL;
    int ok = w != NULL && w->ranges != 0 && (w->sizes = csspgo_sizes_new(seeded(), NULL)) != NULL &&
             (p == NULL || sizes_mark(w, p)) && units_read(g, w) == CSSPGO_OK && (probes = load_sections(&g->image, why, sizeof why)) != NULL;
    if (ok) {
        t = csspgo_probe_set_tables(probes);
        sampled = tops_sampled(w, &t);
        ok = sampled != NULL && copies_know(w, &t, sampled);
    }
    if (ok) {
        g->sizes = w->sizes;
        w->sizes = NULL;
    }
    free(sampled);
    csspgo_probe_set_free(probes);
    lines_free(w);
    return ok;
}
