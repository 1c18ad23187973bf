/* window_weigh.c - windows: what bursts ran, and what counts are worth
 *
 * How often an instruction ran natively in a window, against how often it ran in the bursts at both ends of it, is how
 * fast its phase runs: bursts in a nanosecond. That is what bursts of the phase count. Both are of the same moments, so
 * which phases the windows met by chance matters little. Bursts that see several counted instructions are weighed by
 * expectation maximisation, so that all of them together have what was counted.
 */
#include "window.h"

#if defined(REC_SOFTWARE)

enum { REC_FIT = 8, REC_LEAST_WINDOWS = 16, REC_FAR_RANGE = 400 };
#define REC_NANO_BY_COUNTING 0.8  /* a count, in the thread's time */
/* With so many windows, or bursts that have it, a counter is believed by half: else its code is of mean speed. */
#define REC_HALF_WINDOWS 8.0
#define REC_HALF_BURSTS 4.0
#define REC_MOST_TIMES 8.0        /* what a burst may count more or less by counters */

void *rec_more(const recorder *r, void *v, size_t count, size_t *room, size_t size)
{
    if (count < *room) return v;
    while (count >= *room) *room = *room != 0 ? 2 * *room : 1024;
    v = realloc(v, *room * size);
    if (v == NULL) rec_die(r->tool, "out of memory");
    return v;
}

/* ----- ranges and bursts ---------------------------------------------------------------------------------------- */

static size_t rec_range_slot(const rec_windows *w, uint64_t begin, uint64_t end)
{
    return (size_t)((begin * 31 + end) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (w->slots - 1);
}

static void rec_place_range(rec_windows *w, uint32_t range)
{
    size_t i = rec_range_slot(w, w->range[range].begin, w->range[range].end);
    while (w->slot[i] != 0) i = (i + 1) & (w->slots - 1);
    w->slot[i] = range + 1;
}

static uint32_t rec_range_of(const recorder *r, rec_windows *w, uint64_t begin, uint64_t end)
{
    rec_range *g;
    size_t i;
    if (2 * (w->ranges + 1) > w->slots) {
        w->slots = w->slots != 0 ? 2 * w->slots : 4096;
        free(w->slot);
        w->slot = (uint32_t *)calloc(w->slots, sizeof *w->slot);
        if (w->slot == NULL) rec_die(r->tool, "out of memory");
        for (i = 0; i < w->ranges; i++) rec_place_range(w, (uint32_t)i);
    }
    for (i = rec_range_slot(w, begin, end); w->slot[i] != 0; i = (i + 1) & (w->slots - 1)) {
        g = &w->range[w->slot[i] - 1];
        if (g->begin == begin && g->end == end) return w->slot[i] - 1;
    }
    w->range = (rec_range *)rec_more(r, w->range, w->ranges, &w->range_room, sizeof *w->range);
    g = &w->range[w->ranges];
    g->begin = begin;
    g->end = end;
    g->place = 1;
    g->listed = g->counted = 0;
    g->choice = NULL;
    g->run = SIZE_MAX;
    rec_place_range(w, (uint32_t)w->ranges);
    return (uint32_t)w->ranges++;
}

/* A burst ran the code from begin to the branch at end. */
void rec_window_ran(recorder *r, uint64_t begin, uint64_t end)
{
    rec_windows *w = r->windows;
    rec_range *g;
    uint32_t range;
    if (w == NULL || r->process != w->process || end - begin >= REC_FAR_RANGE) return;
    range = rec_range_of(r, w, begin, end);
    g = &w->range[range];
    if (g->run < w->run_first || g->run >= w->runs || w->run[g->run].range != range) {
        w->run = (rec_repeated *)rec_more(r, w->run, w->runs, &w->run_room, sizeof *w->run);
        g->run = w->runs++;
        w->run[g->run].range = range;
        w->run[g->run].count = 0;
    }
    w->run[g->run].count++;
}

/* The burst is over that is `piece` of pace.c. It is the end of the window before it. */
void rec_window_saw(recorder *r, size_t piece)
{
    rec_windows *w = r->windows;
    rec_seen *s;
    if (w == NULL || r->process != w->process) return;
    if (w->runs != w->run_first) {
        w->seen = (rec_seen *)rec_more(r, w->seen, w->bursts, &w->seen_room, sizeof *w->seen);
        s = &w->seen[w->bursts++];
        s->piece = piece;
        s->first = w->run_first;
        s->end = w->runs;
        w->run_first = w->runs;
        if (w->closed) {
            w->window = (rec_counting *)rec_more(r, w->window, w->windows, &w->window_room, sizeof *w->window);
            w->open.after = w->bursts - 1;
            w->window[w->windows++] = w->open;
            w->counts += w->open.counters;
        }
    }
    w->closed = 0;
}

/* Notes for each range whether it has a counter. */
void rec_find_counted(rec_windows *w)
{
    size_t i, k;
    for (i = 0; i < w->ranges; i++) w->range[i].counted = 0;
    for (k = 0; k < w->counters; k++) {
        const uint64_t a = w->counter[k].address;
        if (w->counter[k].dead) continue;
        for (i = 0; i < w->ranges; i++) w->range[i].counted |= a >= w->range[i].begin && a <= w->range[i].end;
    }
}

int rec_is_counted(const rec_windows *w, const rec_seen *s)
{
    size_t k;
    for (k = s->first; k < s->end; k++) if (w->range[w->run[k].range].counted) return 1;
    return 0;
}

/* ----- what bursts count ---------------------------------------------------------------------------------------- */

typedef struct rec_fit {          /* of the counters                                                                 */
    double   counted[REC_COUNTERS]; /* in a nanosecond                                                               */
    double   had[REC_COUNTERS];   /* executions in a burst, by what bursts count                                     */
    double   speed[REC_COUNTERS], windows[REC_COUNTERS];
    size_t   from[REC_COUNTERS];  /* the first burst that is at an end of one of its windows                         */
    uint32_t *list;               /* the counters of each range, from at[range] to at[range + 1]                     */
    size_t   *at;
} rec_fit;

static void rec_list_counters(recorder *r, rec_fit *f)
{
    const rec_windows *w = r->windows;
    size_t room = 0, n = 0, i, k;
    f->at = (size_t *)malloc((w->ranges + 1) * sizeof *f->at);
    if (f->at == NULL) rec_die(r->tool, "out of memory");
    for (i = 0; i < w->ranges; i++) {
        f->at[i] = n;
        for (k = 0; k < w->counters; k++) {
            const uint64_t a = w->counter[k].address;
            if (w->counter[k].dead || a < w->range[i].begin || a > w->range[i].end) continue;
            f->list = (uint32_t *)rec_more(r, f->list, n, &room, sizeof *f->list);
            f->list[n++] = (uint32_t)k;
        }
    }
    f->at[w->ranges] = n;
}

/* The time of a window without what counting took of it. */
static double rec_window_time(const rec_windows *w, const rec_counting *c)
{
    double all = 0;
    size_t i;
    for (i = 0; i < c->counters; i++) all += w->count[c->first + i];
    all = c->time - REC_NANO_BY_COUNTING * all;
    return all > c->time / 5 ? all : c->time / 5;
}

/* Adds what a burst has of each counter, so many times. */
static void rec_add_burst(const rec_windows *w, const rec_fit *f, size_t burst, double times, double *to)
{
    const rec_seen *s = &w->seen[burst];
    size_t k, i;
    for (k = s->first; k < s->end; k++) {
        const uint32_t range = w->run[k].range;
        for (i = f->at[range]; i < f->at[range + 1]; i++) {
            if (burst >= f->from[f->list[i]]) to[f->list[i]] += times * w->run[k].count;
        }
    }
}

/* What bursts have of each counter on average, each as often as it counts. */
static void rec_find_had(const recorder *r, rec_fit *f)
{
    const rec_windows *w = r->windows;
    size_t i, k;
    memset(f->had, 0, sizeof f->had);
    for (i = 0; i < w->bursts; i++) rec_add_burst(w, f, i, r->pace.piece[w->seen[i].piece].counts, f->had);
    for (k = 0; k < w->counters; k++) if (f->from[k] < w->bursts) f->had[k] /= (double)(w->bursts - f->from[k]);
}

/*
 * What each counter counts in a nanosecond. Which phases windows have met by chance, the bursts at their ends tell as
 * far as phases last longer than windows: if these bursts have more of the counter than all bursts, and windows count
 * more where their ends have more, the mean is lowered (a regression estimate, with the bursts as its control variate).
 */
static void rec_add_up_windows(const recorder *r, rec_fit *f)
{
    const rec_windows *w = r->windows;
    double x[REC_COUNTERS], x_sum[REC_COUNTERS], xx[REC_COUNTERS], xy[REC_COUNTERS];
    size_t i, k;
    memset(x_sum, 0, sizeof x_sum);
    memset(xx, 0, sizeof xx);
    memset(xy, 0, sizeof xy);
    for (k = 0; k < REC_COUNTERS; k++) f->from[k] = w->bursts;
    for (i = w->windows; i-- > 0;) for (k = 0; k < w->window[i].counters; k++) f->from[k] = w->window[i].before;
    for (i = 0; i < w->windows; i++) {
        const rec_counting *c = &w->window[i];
        const double time = rec_window_time(w, c);
        memset(x, 0, sizeof x);
        rec_add_burst(w, f, c->before, 0.5, x);
        rec_add_burst(w, f, c->after, 0.5, x);
        for (k = 0; k < c->counters; k++) {
            const double y = w->count[c->first + k] / time;
            f->windows[k]++;
            f->counted[k] += y;
            x_sum[k] += x[k];
            xx[k] += x[k] * x[k];
            xy[k] += x[k] * y;
        }
    }
    rec_find_had(r, f);
    for (k = 0; k < w->counters; k++) {
        const double n = f->windows[k], mean = n > 0 ? x_sum[k] / n : 0, y = n > 0 ? f->counted[k] / n : 0;
        const double spread = xx[k] - n * mean * mean, both = xy[k] - n * mean * y;
        const double slope = spread > 0 && both > 0 && n >= REC_LEAST_WINDOWS ? both / spread : 0;
        const double better = y - slope * (mean - f->had[k]);
        f->counted[k] = better < y / 2 ? y / 2 : better > 2 * y ? 2 * y : better;
    }
}

/* The mean speed of all counters, by what bursts count now: bursts in a nanosecond. */
static double rec_mean_speed(const rec_windows *w, const rec_fit *f)
{
    double counted = 0, had = 0;
    size_t k;
    for (k = 0; k < w->counters; k++) if (f->windows[k] > 0) counted += f->counted[k], had += f->had[k];
    return had > 0 ? counted / had : 0;
}

/* What few windows or few bursts tell of a counter is drawn to what it would count at the mean speed. */
static void rec_doubt_few(const rec_windows *w, rec_fit *f)
{
    const double mean = rec_mean_speed(w, f);
    double bursts[REC_COUNTERS], has[REC_COUNTERS];
    size_t i, k;
    memset(bursts, 0, sizeof bursts);
    for (i = 0; i < w->bursts; i++) {
        memset(has, 0, sizeof has);
        rec_add_burst(w, f, i, 1, has);
        for (k = 0; k < w->counters; k++) bursts[k] += has[k] > 0;
    }
    for (k = 0; k < w->counters; k++) {
        const double n = f->windows[k];
        const double part = n / (n + REC_HALF_WINDOWS) * bursts[k] / (bursts[k] + REC_HALF_BURSTS);
        f->counted[k] = part * f->counted[k] + (1 - part) * mean * f->had[k];
    }
}

/* How fast each counter runs, by what bursts count now. */
static void rec_find_speeds(const recorder *r, rec_fit *f)
{
    const rec_windows *w = r->windows;
    double mean;
    size_t k;
    rec_find_had(r, f);
    mean = rec_mean_speed(w, f);
    for (k = 0; k < w->counters; k++) {
        const double speed = f->had[k] > 0 && f->windows[k] > 0 ? f->counted[k] / f->had[k] : mean;
        f->speed[k] = speed < mean / 4 ? mean / 4 : speed > 4 * mean ? 4 * mean : speed;
    }
}

/* How much more a burst is to count, by its counters; 0: it has none. */
static double rec_speed_of(const rec_windows *w, const rec_fit *f, const rec_seen *s)
{
    double sum = 0, n = 0;
    size_t k, i;
    for (k = s->first; k < s->end; k++) {
        const uint32_t range = w->run[k].range;
        for (i = f->at[range]; i < f->at[range + 1]; i++) {
            sum += f->speed[f->list[i]] * w->run[k].count;
            n += w->run[k].count;
        }
    }
    return n > 0 ? sum / n : 0;
}

/* Bursts count as much more as the counters that they have run faster. Those without one keep the mean of the others. */
static void rec_apply_speeds(const recorder *r, const rec_fit *f, const double *began)
{
    const rec_windows *w = r->windows;
    double before = 0, after = 0;
    size_t i;
    for (i = 0; i < w->bursts; i++) {
        const rec_piece *p = &r->pace.piece[w->seen[i].piece];
        const double speed = rec_speed_of(w, f, &w->seen[i]);
        if (speed <= 0) continue;
        before += p->counts;
        after += p->counts * speed;
    }
    for (i = 0; i < w->bursts && after > 0; i++) {
        rec_piece *p = &r->pace.piece[w->seen[i].piece];
        const double speed = rec_speed_of(w, f, &w->seen[i]), to = p->counts * speed * before / after;
        if (speed <= 0) continue;
        p->counts = to > REC_MOST_TIMES * began[i] ? REC_MOST_TIMES * began[i]
                                                   : to < began[i] / REC_MOST_TIMES ? began[i] / REC_MOST_TIMES : to;
    }
}

/* Bursts count what windows say. */
void rec_window_weigh(recorder *r)
{
    const rec_windows *w = r->windows;
    double *began;
    rec_fit f;
    size_t i;
    int turn;
    if (w == NULL || w->windows == 0 || w->counters == 0) return;
    began = (double *)malloc(w->bursts * sizeof *began);
    if (began == NULL) rec_die(r->tool, "out of memory");
    for (i = 0; i < w->bursts; i++) began[i] = r->pace.piece[w->seen[i].piece].counts;
    memset(&f, 0, sizeof f);
    rec_list_counters(r, &f);
    rec_add_up_windows(r, &f);
    rec_doubt_few(w, &f);
    for (turn = 0; turn < REC_FIT; turn++) {
        rec_find_speeds(r, &f);
        rec_apply_speeds(r, &f, began);
    }
    free(began);
    free(f.list);
    free(f.at);
}

/* The bursts so far are written. */
void rec_window_flush(recorder *r)
{
    rec_windows *w = r->windows;
    size_t i;
    if (w == NULL) return;
    rec_find_counted(w);
    for (i = 0; i < w->bursts; i++) {
        if (rec_is_counted(w, &w->seen[i])) r->counted.bursts++;
        else r->counted.others++;
    }
    r->counted.windows += w->windows;
    w->bursts = w->runs = w->run_first = w->windows = w->counts = 0;
    w->open.before = SIZE_MAX;
    w->next = 0;
    for (i = 0; i < w->ranges; i++) w->range[i].run = SIZE_MAX;
}

#endif
