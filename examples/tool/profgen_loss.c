/* profgen_loss.c - profgen: counts what of the samples is in the profile, and where the rest went */
#include "profgen_loss.h"

/* Makes the counts, once all programs are loaded; none in compat mode. Returns 0 after saying what is wrong. */
int loss_begin(profgen *g)
{
    loss *l;
    size_t i, k;
    if (g->tool->compat || g->sampled != NULL || g->jit_only) return 1;
    l = g->loss = (loss *)calloc(1, sizeof *l);
    if (l != NULL) l->images = 1 + images_more(g->images);
    for (k = 0; l != NULL && k < 3; k++) {
        loss_unit *const u = k < 2 ? &l->samples[k] : &l->runs;
        u->image = (loss_image *)calloc(l->images, sizeof *u->image);
        for (i = 0; u->image != NULL && i < l->images; i++) {
            u->image[i].places = loss_places(g, i);
            u->image[i].place = (uint64_t *)calloc(u->image[i].places + 1, sizeof(uint64_t));
            if (u->image[i].place == NULL) return fail(g->tool, "out of memory"), 0;
        }
        if (u->image == NULL) break;
    }
    if (l == NULL || k < 3) return fail(g->tool, "out of memory"), 0;
    l->density = -1;
    return 1;
}

static void loss_unit_free(const loss *l, loss_unit *u)
{
    size_t i;
    for (i = 0; u->image != NULL && i < l->images; i++) {
        free(u->image[i].place);
        free(u->image[i].rest);
    }
    free(u->image);
}

void loss_free(loss *l)
{
    if (l == NULL) return;
    loss_unit_free(l, &l->samples[0]);
    loss_unit_free(l, &l->samples[1]);
    loss_unit_free(l, &l->runs);
    free(l->pid);
    free(l->name);
    free(l);
}

/* ----- processes -------------------------------------------------------------------------------------------------- */

static size_t loss_pid_at(const loss *l, uint32_t pid)
{
    size_t a = 0, b = l->pids;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (l->pid[mid] < pid) a = mid + 1;
        else b = mid;
    }
    return a;
}

static int loss_has_pid(const loss *l, uint32_t pid)
{
    const size_t i = loss_pid_at(l, pid);
    return i < l->pids && l->pid[i] == pid;
}

static int loss_add_pid(loss *l, uint32_t pid)
{
    const size_t i = loss_pid_at(l, pid);
    if (loss_has_pid(l, pid)) return 1;
    if (l->pids == l->pid_cap) {
        const size_t cap = l->pid_cap * 2 + 64;
        uint32_t *const v = (uint32_t *)realloc(l->pid, cap * sizeof *v);
        if (v == NULL) return 0;
        l->pid = v;
        l->pid_cap = cap;
    }
    memmove(l->pid + i + 1, l->pid + i, (l->pids++ - i) * sizeof *l->pid);
    l->pid[i] = pid;
    return 1;
}

/* Processes have other numbers in the next recording. */
void loss_next(loss *l)
{
    if (l != NULL) l->pids = 0;
}

/* Learns which processes have the program; mapped: the event is a mapping of it. Returns 0 without memory. */
int loss_event(loss *l, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int mapped)
{
    if (l == NULL) return 1;
    if (item == CSSPGO_ITEM_MMAP && mapped) return loss_add_pid(l, map->pid);
    if (item == CSSPGO_ITEM_FORK && loss_has_pid(l, map->pid)) return loss_add_pid(l, sample->pid);
    return 1;
}

/* 1 if a sample is of a process without the program; where processes are not told apart, all have it. */
static int loss_is_others(const loss *l, uint32_t pid)
{
    return pid != 0 && l->pids != 0 && l->pid[0] != 0 && !loss_has_pid(l, pid);
}

/* ----- samples ---------------------------------------------------------------------------------------------------- */

static int loss_at_cmp(const void *a, const void *b)
{
    const loss_at *x = (const loss_at *)a, *y = (const loss_at *)b;
    return x->address < y->address ? -1 : x->address > y->address;
}

void loss_settle(loss_image *m)
{
    size_t i, n = 0;
    if (m->count != 0) qsort(m->rest, m->count, sizeof *m->rest, loss_at_cmp);
    for (i = 0; i < m->count; i++) {
        if (n != 0 && m->rest[n - 1].address == m->rest[i].address)
            m->rest[n - 1].n = sum_of(m->rest[n - 1].n, m->rest[i].n);
        else m->rest[n++] = m->rest[i];
    }
    m->count = n;
}

/* Room for one more in a list that is full: by joining what is there twice, or else by memory. Returns 0 without it. */
static int loss_room(loss_image *m)
{
    const size_t cap = m->cap * 2 + 1024;
    loss_at *v;
    loss_settle(m);
    if (m->count < m->cap / 2) return 1;
    v = (loss_at *)realloc(m->rest, cap * sizeof *v);
    if (v == NULL) return 0;
    m->rest = v;
    m->cap = cap;
    return 1;
}

/* Notes an address in no function with probes or lines. Returns 0 without memory. */
static int loss_put(loss_image *m, uint64_t address, uint64_t n)
{
    if (m->count != 0 && m->rest[m->count - 1].address == address) {
        m->rest[m->count - 1].n = sum_of(m->rest[m->count - 1].n, n);
        return 1;
    }
    if (m->count == m->cap && !loss_room(m)) return 0;
    m->rest[m->count].address = address;
    m->rest[m->count++].n = n;
    return 1;
}

/* Notes a link-time address of a program. Returns 0 without memory. */
static int loss_note(const profgen *g, loss_unit *u, size_t image, uint64_t address, uint64_t n)
{
    loss_image *const m = &u->image[image];
    const size_t at = loss_place_at(g, image, address);
    if (at >= m->places) return loss_put(m, address, n);
    m->place[at] = sum_of(m->place[at], n);
    return 1;
}

/* Why the collector dropped the sample that came between two of its statistics; LOSS_REASONS: it did not. */
static int loss_dropped(const profgen *g, const csspgo_collector_stats *before, const csspgo_collector_stats *now)
{
    if (g->tool->compat && !g->flat && now->no_stack != before->no_stack) return LOSS_NO_STACK;
    if (now->prologue_leaves != before->prologue_leaves) return LOSS_PROLOGUE;
    if (now->late_stacks != before->late_stacks && !g->o[O_BOGUS].number) return LOSS_LATE;
    return LOSS_REASONS;
}

/* Why a sample in other code is lost. */
static int loss_outside(const profgen *g, uint64_t address, uint64_t n)
{
    images *const x = g->images;
    if (x == NULL || x->at == NULL || x->at == &x->nowhere) return address >> 63 != 0 ? LOSS_KERNEL : LOSS_NOWHERE;
    if (x->at == &x->kernel) return LOSS_KERNEL;
    if (x->at_given) return LOSS_NO_FUNCTION;
    x->at->lost = sum_of(x->at->lost, n);
    return LOSS_FILES;
}

/* Notes an address in a program, but at no instruction that is known. Returns 0 without memory. */
static int loss_stray(const profgen *g, loss_unit *u, uint64_t address, uint64_t n)
{
    const size_t image = g->spaces != NULL ? (size_t)(address >> IMAGE_BITS) : 0;
    if (image >= g->loss->images) return 1;
    images_at(g, &address);
    if (loss_place_at(g, image, address) == u->image[image].places) return loss_put(&u->image[image], address, n);
    u->lost[LOSS_NO_BRANCHES] = sum_of(u->lost[LOSS_NO_BRANCHES], n);
    return 1;
}

/*
 * Notes a sample at link-time addresses that the collector has got; before: its statistics without it. Returns 0
 * without memory.
 */
int loss_sample(profgen *g, const csspgo_sample *s, const csspgo_collector_stats *before)
{
    const csspgo_collector_stats now = csspgo_collector_get_stats(g->collector);
    loss_unit *const u = &g->loss->samples[s->branch_count == 0 || g->o[O_LEADING].number];
    const uint64_t n = s->count != 0 ? s->count : 1;
    uint64_t at = sampled_address(g, s);
    const int here = is_code(g, at);
    const size_t image = here && g->spaces != NULL ? (size_t)(at >> IMAGE_BITS) : 0;
    const int unused = now.no_branches != before->no_branches;
    int why = loss_dropped(g, before, &now);
    u->read = sum_of(u->read, n);
    if (!here && loss_is_others(g->loss, s->pid)) {
        u->others = sum_of(u->others, n);
        return 1;
    }
    if (!here) {
        const int where = loss_outside(g, at, n);
        u->outside[where] = sum_of(u->outside[where], n);
        if (why == LOSS_REASONS && unused && where == LOSS_NO_FUNCTION) return loss_stray(g, u, at, n);
        if (why == LOSS_REASONS && unused) why = where;
    } else if (why == LOSS_REASONS && unused) why = LOSS_NO_BRANCHES;
    if (why == LOSS_REASONS && here && image < g->loss->images) {
        images_at(g, &at);
        return loss_note(g, u, image, at, n);
    }
    if (why != LOSS_REASONS) u->lost[why] = sum_of(u->lost[why], n);
    else u->kept = sum_of(u->kept, n);            /* branches in the program count, or it is code of a JIT */
    return 1;
}

/* ----- what ran, and the profile ---------------------------------------------------------------------------------- */

static csspgo_module loss_module(const profgen *g, size_t image)
{
    return image == 0 ? g->image.module : g->images->v[image - 1].loaded.module;
}

/* Notes what the counters say that ran in one program. */
static csspgo_status loss_runs_of(profgen *g, size_t image)
{
    const csspgo_module m = loss_module(g, image);
    csspgo_range_count *v;
    csspgo_status s;
    size_t n = 0, i;
    s = csspgo_collector_range_counts(g->collector, m, NULL, 0, &n, NULL);
    if (s != CSSPGO_OK || n == 0) return s;
    v = (csspgo_range_count *)malloc(n * sizeof *v);
    s = v != NULL ? csspgo_collector_range_counts(g->collector, m, v, n, &n, NULL) : CSSPGO_E_NOMEM;
    for (i = 0; s == CSSPGO_OK && i < n; i++) {
        g->loss->runs.read = sum_of(g->loss->runs.read, v[i].count);
        if (!loss_note(g, &g->loss->runs, image, v[i].first, v[i].count)) s = CSSPGO_E_NOMEM;
    }
    free(v);
    return s;
}

/* LLVM drops samples without a stack only beside others that have one: now all are known. */
static void loss_stackless(profgen *g)
{
    loss_unit *const u = g->loss->samples;
    size_t i;
    if (csspgo_collector_has_contexts(g->collector)) return;
    for (i = 0; i < sizeof g->loss->samples / sizeof *u; i++) {
        u[i].kept = sum_of(u[i].kept, u[i].lost[LOSS_NO_STACK]);
        u[i].lost[LOSS_NO_STACK] = 0;
    }
}

/* Notes what ran, before it becomes a profile. Returns 0 after saying what is wrong. */
int loss_runs(profgen *g)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    if (g->loss != NULL) loss_stackless(g);
    for (i = 0; g->loss != NULL && s == CSSPGO_OK && i < g->loss->images; i++) s = loss_runs_of(g, i);
    return s == CSSPGO_OK || (fail(g->tool, "%s", csspgo_status_text(s)), 0);
}

/* A step towards the profile that is written: what its counts lost or gained. */
static void loss_step(profgen *g, const csspgo_profile *p, int step)
{
    loss *const l = g->loss;
    uint64_t now;
    if (l == NULL) return;
    now = csspgo_profile_get_stats(p).samples;
    if (now < l->now) l->step[step] += l->now - now;
    else l->copied += now - l->now;
    l->now = l->written = now;
}

void loss_made(profgen *g, const csspgo_profile *p)
{
    if (g->loss != NULL) g->loss->made = g->loss->now = g->loss->written = csspgo_profile_get_stats(p).samples;
}

void loss_inlined(profgen *g, const csspgo_profile *p)
{
    loss_step(g, p, LOSS_CHECKSUMS);
}

void loss_trimmed(profgen *g, const csspgo_profile *p)
{
    loss_step(g, p, LOSS_TRIMMED);
}

void loss_nested(profgen *g, const csspgo_profile *p)
{
    loss_step(g, p, LOSS_NESTED);
}

/* Samples without branch records count only where no sample has some. */
static void loss_join(loss *l)
{
    loss_unit *const a = &l->samples[0], *const b = &l->samples[1], other = *b;
    uint64_t gone = other.read - other.others;
    size_t i;
    if (a->read == 0) {
        *b = *a;
        *a = other;
        return;
    }
    a->read = sum_of(a->read, other.read);
    a->others = sum_of(a->others, other.others);
    for (i = 0; i < LOSS_ADDRESS; i++) {
        a->outside[i] = sum_of(a->outside[i], other.outside[i]);
        a->lost[i] = sum_of(a->lost[i], other.lost[i]);
        gone -= other.lost[i] < gone ? other.lost[i] : gone;
    }
    a->lost[LOSS_ADDRESS] = gone;
}

/* Ends the counts; p: the profile that is written, or NULL. Returns 0 after saying what is wrong. */
int loss_end(profgen *g, const csspgo_profile *p)
{
    loss *const l = g->loss;
    int by_samples;
    if (l == NULL || l->settled) return 1;
    l->settled = 1;
    loss_join(l);
    if (p != NULL) l->density = profgen_density_of(g, p);
    by_samples = l->samples[0].read != 0;
    if (loss_resolve(g, &l->samples[0], p, by_samples) && loss_resolve(g, &l->runs, p, !by_samples)) return 1;
    return fail(g->tool, "out of memory"), 0;
}
