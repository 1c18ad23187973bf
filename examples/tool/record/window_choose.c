/* window_choose.c - windows: where to count */
#include "window.h"

#if defined(REC_SOFTWARE)

enum { REC_FIRST_CHOICE = 32, REC_CHOICES_APART = 512, REC_LEAST_BURSTS = 2, REC_FAILS = 32 };

static int rec_by_address(const void *a, const void *b)
{
    const uint64_t x = ((const rec_choice *)a)->address, y = ((const rec_choice *)b)->address;
    return x < y ? -1 : x > y;
}

static rec_choice *rec_find_choice(rec_choice *v, size_t n, uint64_t address)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (v[middle].address < address) low = middle + 1;
        else high = middle;
    }
    return low < n && v[low].address == address ? &v[low] : NULL;
}

/* All places of the ranges of bursts from `first` on, by address. */
static rec_choice *rec_list_choices(recorder *r, size_t first, size_t *count)
{
    rec_windows *w = r->windows;
    rec_choice *v = NULL;
    size_t room = 0, n = 0, i, k;
    for (i = w->seen[first].first; i < w->runs; i++) {
        rec_range *g = &w->range[w->run[i].range];
        if (g->place == 1) g->place = rec_find_place(r, g->begin, g->end);
        if (g->place == 0 || g->listed) continue;
        v = (rec_choice *)rec_more(r, v, n, &room, sizeof *v);
        memset(&v[n], 0, sizeof *v);
        v[n++].address = g->place;
        g->listed = 1;
    }
    if (n != 0) qsort(v, n, sizeof *v, rec_by_address);
    for (i = k = 0; i < n; i++) if (k == 0 || v[k - 1].address != v[i].address) v[k++] = v[i];
    for (i = 0; i < w->ranges; i++) {
        rec_range *g = &w->range[i];
        g->choice = g->listed ? rec_find_choice(v, k, g->place) : NULL;
        g->listed = 0;
    }
    *count = k;
    return v;
}

/* Notes for each choice what those bursts from `first` on have of it that have no counter. */
static void rec_survey(const rec_windows *w, size_t first, rec_choice *v, size_t n)
{
    size_t i, k;
    for (i = 0; i < n; i++) v[i].bursts = 0, v[i].ran = v[i].branches = 0;
    for (i = first; i < w->bursts; i++) {
        const rec_seen *s = &w->seen[i];
        double branches = 0;
        if (rec_is_counted(w, s)) continue;
        for (k = s->first; k < s->end; k++) branches += w->run[k].count;
        for (k = s->first; k < s->end; k++) {
            rec_choice *c = w->range[w->run[k].range].choice;
            if (c == NULL) continue;
            c->ran += w->run[k].count;
            if (c->last == i + 1) continue;
            c->last = i + 1;
            c->branches += branches;
            c->bursts++;
        }
    }
}

/*
 * Counters are placed where most bursts have one that had none, and where code runs rarely: to count takes time, which
 * makes code that is counted often seem slow.
 */
void rec_choose_counters(recorder *r)
{
    rec_windows *w = r->windows;
    const size_t first = w->bursts > REC_CHOICES_APART ? w->bursts - REC_CHOICES_APART : 0;
    rec_choice *v, *best;
    size_t n, i, fails = 0;
    w->next = w->bursts < REC_FIRST_CHOICE ? REC_FIRST_CHOICE : w->bursts + REC_CHOICES_APART;
    if (w->bursts >= REC_FIRST_CHOICE && w->bursts < REC_CHOICES_APART) w->next = 2 * w->bursts;
    if (w->bursts < REC_FIRST_CHOICE) return;
    v = rec_list_choices(r, first, &n);
    rec_find_counted(w);
    while (w->counters < REC_COUNTERS && !w->off && fails < REC_FAILS) {
        double score = 0;
        best = NULL;
        rec_survey(w, first, v, n);
        for (i = 0; i < n; i++) {
            const double s = v[i].bursts / (1 + 16 * v[i].ran / (v[i].branches + 1));
            v[i].last = 0;
            if (!v[i].refused && v[i].bursts >= REC_LEAST_BURSTS && s > score) score = s, best = &v[i];
        }
        if (best == NULL) break;
        if (rec_add_counter(r, best->address)) rec_find_counted(w);
        else best->refused = 1, fails++;
    }
    free(v);
}

#endif
