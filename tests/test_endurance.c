/* test_endurance.c - a running program with little memory: nothing is refused or lost, no call does much at once. */
#include "t.h"
#include "../bench/program.h"

enum { FUNCTIONS = 200, PATHS = 3000 };

/* ----- a fixed number of bytes for everything --------------------------------------------------------------------- */

typedef struct budget { size_t size, live, most, failed; } budget;

static void *budget_alloc(void *ctx, size_t size)
{
    budget *b = (budget *)ctx;
    if (size > b->size - b->live) {
        b->failed++;
        return NULL;
    }
    b->live += size;
    if (b->live > b->most) b->most = b->live;
    return malloc(size);
}

static void budget_free(void *ctx, void *p, size_t size)
{
    ((budget *)ctx)->live -= size;
    free(p);
}

static csspgo_options budget_options(budget *b, size_t size)
{
    csspgo_options o;
    memset(b, 0, sizeof *b);
    memset(&o, 0, sizeof o);
    b->size = size;
    o.allocator.alloc_fn = budget_alloc;
    o.allocator.free_fn = budget_free;
    o.allocator.ctx = b;
    return o;
}

/* ----- a program, and samples of so many different walks ---------------------------------------------------------- */

typedef struct running {
    program       program_of;
    uint64_t      where[FUNCTIONS];
    csspgo_code  *code;
    csspgo_collector *collector;
    csspgo_profile *profile;
} running;

static void start(running *r, const csspgo_options *o, const csspgo_options *limited,
                  const csspgo_collector_options *how)
{
    program_unit u;
    uint32_t f;
    memset(r, 0, sizeof *r);
    r->program_of.where = r->where;
    r->program_of.functions = r->program_of.roots = FUNCTIONS;
    r->code = csspgo_code_new(o, NULL);
    r->profile = csspgo_profile_new(o, NULL);
    r->collector = csspgo_collector_new(r->code, how, limited, NULL);
    if (!T_CHECK(r->code != NULL && r->profile != NULL && r->collector != NULL)) abort();
    for (f = 0; f < FUNCTIONS; f++) {
        program_make(f, r->where[f] = 0x10000 + (uint64_t)f * PROGRAM_SIZE, &u);
        T_EQ(program_add(r->code, &u, NULL), CSSPGO_OK);
    }
}

static void finish(running *r)
{
    csspgo_profile_free(r->profile);
    csspgo_collector_free(r->collector);
    csspgo_code_free(r->code);
}

/* Walk number n: the same number gives the same walk. */
static void walk(running *r, uint32_t n, program_sample *s)
{
    uint32_t i;
    r->program_of.seed = (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
    for (i = 0; i < 3; i++) program_random(&r->program_of, 2);
    program_walk(&r->program_of, s);
}

/* The counts of each function, whatever its contexts, for free(). */
static char *sums_of(csspgo_profile *p, size_t *size)
{
    T_EQ(csspgo_flatten(p, NULL), CSSPGO_OK);
    return t_text(p, size);
}

static csspgo_collector_options exact_stacks(void)
{
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.keep_leaves = how.always_contexts = 1;
    return how;
}

/* ----- a frame loop in 1 MB --------------------------------------------------------------------------------------- */

typedef struct frames {
    unsigned drains, slices, shrunk, not_added, not_drained, not_shrunk;
} frames;

/* What was counted goes to the profile, in slices, one of which keeps it within a sixth of the budget. */
static void drain(running *r, size_t bytes, frames *n)
{
    csspgo_status s = CSSPGO_MORE;
    n->drains++;
    uint32_t slices = 0;
    while (s == CSSPGO_MORE && slices++ < 5000) {
        s = csspgo_collector_profile_step(r->collector, 2000, NULL, r->profile, NULL, NULL);
        n->slices++;
        if (csspgo_profile_memory(r->profile) > bytes / 6) {
            n->not_shrunk += csspgo_shrink(r->profile, bytes / 10, NULL) != CSSPGO_OK;
            n->shrunk++;
        }
    }
    n->not_drained += s != CSSPGO_OK;
}

/*
 * 16 samples a frame; beside it a program with all memory that there is. The collector's limit, and the cache that is
 * asked for, which may be too large for it.
 */
static void a_game_of(size_t bytes, uint64_t most, uint32_t cache_bytes, uint32_t many)
{
    budget b;
    csspgo_options o = budget_options(&b, bytes), limited;
    csspgo_collector_options how = exact_stacks();
    running game, plenty;
    frames n;
    uint32_t i, k;
    char *got, *want;
    size_t size, other;
    memset(&n, 0, sizeof n);
    start(&plenty, NULL, NULL, &how);
    limited = o;
    limited.limits.max_bytes = most;
    how.cache_bytes = cache_bytes;
    start(&game, &o, &limited, &how);
    for (i = 0; i < many; i++)
        for (k = 0; k < 16; k++) {
            program_sample s;
            csspgo_status status;
            walk(&game, (i * 16 + k) * 7919 % PATHS, &s);
            T_EQ(csspgo_collector_add(plenty.collector, &s.sample, 1, NULL), CSSPGO_OK);
            status = csspgo_collector_add(game.collector, &s.sample, 1, NULL);
            if (status == CSSPGO_E_FULL) {
                drain(&game, bytes, &n);
                status = csspgo_collector_add(game.collector, &s.sample, 1, NULL);
            }
            n.not_added += status != CSSPGO_OK;
        }
    drain(&game, bytes, &n);
    T_EQ(csspgo_collector_profile(plenty.collector, NULL, plenty.profile, NULL, NULL), CSSPGO_OK);
    T_EQ(n.not_added, 0);
    T_EQ(n.not_drained, 0);
    T_EQ(n.not_shrunk, 0);
    T_EQ(b.failed, 0);
    T_CHECK(n.drains > 1 && n.slices > n.drains);
    T_CHECK(t_valid(game.profile));
    got = sums_of(game.profile, &size);
    want = sums_of(plenty.profile, &other);
    t_same("in a budget", got, size, want, other);
    free(got);
    free(want);
    finish(&game);
    finish(&plenty);
    T_EQ(b.live, 0);
}

static void a_game_with_little_memory_loses_no_sample(void)
{
    a_game_of(1000000, 250000, 31250, (uint32_t)t_size(150, 5000));
    a_game_of(1000000, 125000, 65536, (uint32_t)t_size(100, 5000));
    a_game_of(1500000, 375000, 46875, (uint32_t)t_size(100, 5000));
    a_game_of(4000000, 1000000, 125000, (uint32_t)t_size(100, 5000));
}

/* ----- no call does much at once ---------------------------------------------------------------------------------- */

/* The work of one call, in what statistics show of it: a sample of r records may make some times r be unwound. */
static void an_added_sample_makes_few_others_be_unwound(void)
{
    static const uint32_t caches[] = { 4096, 65536, 1 << 20 };
    size_t k;
    for (k = 0; k < sizeof caches / sizeof caches[0]; k++) {
        csspgo_collector_options how = exact_stacks();
        csspgo_collector_stats had;
        uint64_t most = 0, steps = 0;
        uint32_t i;
        running r;
        how.cache_bytes = caches[k];
        start(&r, NULL, NULL, &how);
        had = csspgo_collector_get_stats(r.collector);
        for (i = 0; i < t_size(20000, 200000); i++) {
            csspgo_collector_stats now;
            program_sample s;
            walk(&r, i, &s);
            T_EQ(csspgo_collector_add(r.collector, &s.sample, 1, NULL), CSSPGO_OK);
            now = csspgo_collector_get_stats(r.collector);
            if (now.branches - had.branches > most) most = now.branches - had.branches;
            had = now;
        }
        T_CHECK(most <= 16 * PROGRAM_BRANCHES);
        most = 0;
        for (;;) {
            const csspgo_status s = csspgo_collector_step(r.collector, 200, NULL);
            const csspgo_collector_stats now = csspgo_collector_get_stats(r.collector);
            if (now.branches - had.branches > most) most = now.branches - had.branches;
            had = now;
            steps++;
            if (s != CSSPGO_MORE) break;
        }
        T_CHECK(most <= 200 + PROGRAM_BRANCHES && steps > 0);
        finish(&r);
    }
}

/* ----- any limit either works for ever, or is refused with one that does ------------------------------------------ */

/* The number behind a text in a message; 0 if it is not there. */
static uint64_t number_behind(const char *message, const char *text)
{
    const char *at = strstr(message, text);
    return at != NULL ? strtoull(at + strlen(text), NULL, 10) : 0;
}

/* A collector of that limit, which a refused one names. */
static csspgo_collector *limited_to(csspgo_code *code, const csspgo_collector_options *how, uint64_t most)
{
    csspgo_options o;
    csspgo_error e;
    csspgo_collector *c;
    uint64_t least;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = most;
    c = csspgo_collector_new(code, how, &o, &e);
    if (c != NULL) return c;
    T_EQ(e.status, CSSPGO_E_LIMIT);
    least = number_behind(e.message, "the least is ");
    T_CHECK(least > most);
    o.limits.max_bytes = least - 1;
    T_CHECK(csspgo_collector_new(code, how, &o, NULL) == NULL);
    o.limits.max_bytes = least;
    c = csspgo_collector_new(code, how, &o, &e);
    T_CHECK(c != NULL);
    return c;
}

/* Everything that a collector holds goes to a profile, so many steps at a time. */
static void drain_into(csspgo_collector *c, csspgo_profile *p, uint64_t steps)
{
    csspgo_status s = CSSPGO_MORE;
    uint32_t slices = 0;
    while (s == CSSPGO_MORE && slices++ < 100000) s = csspgo_collector_profile_step(c, steps, NULL, p, NULL, NULL);
    T_EQ(s, CSSPGO_OK);
}

/* Samples of several sizes until it was full three times. Each is taken, after a drain if not at once, and counts. */
static void a_limit_of(running *r, const csspgo_collector_options *how, uint64_t most)
{
    csspgo_collector *c = limited_to(r->code, how, most);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *exact = csspgo_profile_new(NULL, NULL);
    uint32_t i, drains = 0;
    char *got, *want;
    size_t size, other;
    if (c == NULL || p == NULL || exact == NULL) abort();
    for (i = 0; i < 20000 && drains < 3; i++) {
        program_sample s;
        csspgo_status status;
        walk(r, i * 7919 % PATHS, &s);
        if (i % 5 == 1) s.sample.branch_count = 2;
        if (i % 5 == 2) s.sample.stack_count = 2;
        T_EQ(csspgo_collector_add(r->collector, &s.sample, 1, NULL), CSSPGO_OK);
        status = csspgo_collector_add(c, &s.sample, 1, NULL);
        if (status == CSSPGO_E_FULL) {
            drain_into(c, p, drains++ % 2 ? 100 : 5000);
            status = csspgo_collector_add(c, &s.sample, 1, NULL);
        }
        if (!T_EQ(status, CSSPGO_OK)) break;
    }
    drain_into(c, p, 1000);
    T_EQ(csspgo_collector_profile(r->collector, NULL, exact, NULL, NULL), CSSPGO_OK);
    got = sums_of(p, &size);
    want = sums_of(exact, &other);
    t_same("with a limit", got, size, want, other);
    free(got);
    free(want);
    csspgo_profile_free(exact);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
}

static void any_limit_works_for_ever_or_names_one_that_does(void)
{
    static const uint32_t caches[] = { 0, 4096, 65536 };
    csspgo_collector_options how = exact_stacks();
    running r;
    size_t k;
    start(&r, NULL, NULL, &how);
    for (k = 0; k < sizeof caches / sizeof caches[0]; k++) {
        uint64_t most;
        how.cache_bytes = caches[k];
        for (most = 1; most < 4 << 20; most += most / t_size(1, 8) + 1)
            a_limit_of(&r, &how, most);
    }
    finish(&r);
}

int main(void)
{
    a_game_with_little_memory_loses_no_sample();
    an_added_sample_makes_few_others_be_unwound();
    any_limit_works_for_ever_or_names_one_that_does();
    return t_end();
}
