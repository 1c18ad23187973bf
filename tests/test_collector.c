/* test_collector.c - collectors in a running program: steps, hand-over, bounded work, memory. Samples are made here. */
#include "t.h"
#include "code.h"

/* ----- a program of functions that call each other, and samples of it --------------------------------------------- */

enum { FUNCTIONS = 400, CALLS = 4, SIZE = 256, DEPTH = 12, BRANCHES = 16 };

typedef struct made {             /* a sample with its arrays */
    csspgo_sample sample;
    uint64_t      stack[DEPTH + 1];
    csspgo_branch branch[BRANCHES];
} made;

static uint64_t rng_state = 1;

static uint32_t rnd(uint32_t n)
{
    rng_state = rng_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((rng_state >> 33) % n);
}

static uint64_t begin_of(uint32_t f)
{
    return 0x10000 + (uint64_t)f * SIZE;
}

/* Function f: a jump table at 4, calls of 5 bytes at 30 k + 8, a loop from 210 to 230, a return at its end. */
static void add_function(csspgo_code *code, uint32_t f)
{
    const uint64_t at = begin_of(f);
    csspgo_transfer t[CALLS + 3];
    csspgo_code_function function;
    char name[24];
    size_t k;
    snprintf(name, sizeof name, "f%u", f);
    function = make_function(at, at + SIZE, name);
    t[0] = make_transfer(at + 4, 2, CSSPGO_IJMP, 0);
    for (k = 0; k < CALLS; k++) t[1 + k] = make_transfer(at + 30 * k + 8, 5, CSSPGO_CALL, 0);
    t[CALLS + 1] = make_transfer(at + 230, 2, CSSPGO_COND, at + 210);
    t[CALLS + 2] = make_transfer(at + SIZE - 1, 1, CSSPGO_RET, 0);
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &function, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_transfers(code, csspgo_no_module(), t, CALLS + 3, NULL), CSSPGO_OK);
}

static csspgo_code *program(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    uint32_t f;
    for (f = 0; f < FUNCTIONS; f++) add_function(code, f);
    return code;
}

static void put_branch(csspgo_branch *b, uint32_t *n, uint64_t from, uint64_t to)
{
    memset(&b[*n], 0, sizeof *b);
    b[*n].from = from;
    b[(*n)++].to = to;
}

/*
 * A sample of so many distinct ones, about, by its number: the same number gives the same sample. Some are in a
 * prologue, where the stack may lack the caller and other stacks decide that.
 */
static void make(made *m, uint32_t number)
{
    const uint64_t kept = rng_state;
    csspgo_branch b[4 * DEPTH];                         /* oldest first */
    uint32_t f, depth, i, n = 0;
    int open;
    rng_state = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    f = rnd(FUNCTIONS);
    depth = 1 + rnd(DEPTH);
    open = rnd(5) == 0;
    for (i = depth; i-- > 0;) {
        const uint32_t k = rnd(CALLS), to = (f * 7 + k * k * 31 + 1) % FUNCTIONS;
        m->stack[i + 1] = begin_of(f) + 30 * k + 13;
        put_branch(b, &n, begin_of(f) + 4, begin_of(f) + 30 * k);
        put_branch(b, &n, begin_of(f) + 30 * k + 8, begin_of(to));
        f = to;
    }
    if (open) {                                         /* at its first instruction, no call among the branches */
        n = 0;
        put_branch(b, &n, 0x10, begin_of(f) + 210);
        put_branch(b, &n, begin_of(f) + 230, begin_of(f) + 210);
        put_branch(b, &n, begin_of(f) + 230, begin_of(f));
    } else {
        put_branch(b, &n, begin_of(f) + 4, begin_of(f) + 210);
        for (i = rnd(8); i-- > 0;) put_branch(b, &n, begin_of(f) + 230, begin_of(f) + 210);
    }
    m->stack[0] = begin_of(f) + (open ? 0 : 215);
    memset(&m->sample, 0, sizeof m->sample);
    for (i = 0; i < BRANCHES && i < n; i++) m->branch[i] = b[n - 1 - i];
    m->sample.branch_count = i;
    m->sample.stack_count = depth + 1;
    m->sample.stack = m->stack;
    m->sample.branches = m->branch;
    m->sample.count = 1 + number % 3;
    rng_state = kept;
}

static csspgo_status add(csspgo_collector *c, uint32_t number)
{
    made m;
    make(&m, number);
    return csspgo_collector_add(c, &m.sample, 1, NULL);
}

/* Everything that a collector counted, as text, for free(). */
static char *text_of(csspgo_collector *c, size_t *size)
{
    char *text;
    T_EQ(csspgo_write_unsymbolized(c, NULL, NULL, 0, size, NULL), CSSPGO_OK);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write_unsymbolized(c, NULL, text, *size, size, NULL), CSSPGO_OK);
    text[*size] = '\0';
    return text;
}

/* The counters that samples number 0 to n - 1 give, taken in at once, for free(). */
static char *expected(csspgo_code *code, const csspgo_collector_options *how, uint32_t n, size_t *size,
                      csspgo_collector_stats *stats)
{
    csspgo_collector *c = csspgo_collector_new(code, how, NULL, NULL);
    char *text;
    uint32_t i;
    for (i = 0; i < n; i++) T_EQ(add(c, i), CSSPGO_OK);
    text = text_of(c, size);
    if (stats != NULL) *stats = csspgo_collector_get_stats(c);
    csspgo_collector_free(c);
    return text;
}

static csspgo_collector_options no_repairs(void)
{
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.keep_leaves = 1;
    return how;
}

/* ----- steps and hand-over ---------------------------------------------------------------------------------------- */

static void steps_unwind_the_cache(void)
{
    csspgo_code *code = program();
    uint64_t budget;
    size_t size, other;
    char *want = expected(code, NULL, 500, &size, NULL);
    for (budget = 0; budget < 100000; budget = budget * 7 + 1) {
        csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
        csspgo_status s = CSSPGO_MORE;
        csspgo_error e;
        uint32_t i, calls = 0;
        char *got;
        T_EQ(csspgo_collector_step(c, budget, &e), CSSPGO_OK);
        for (i = 0; i < 500; i++) T_EQ(add(c, i), CSSPGO_OK);
        for (; s == CSSPGO_MORE && calls < 100000; calls++) s = csspgo_collector_step(c, budget, &e);
        T_EQ(s, CSSPGO_OK);
        T_EQ(csspgo_collector_get_stats(c).unwound, 500);
        got = text_of(c, &other);
        t_same("stepped", got, other, want, size);
        free(got);
        csspgo_collector_free(c);
    }
    free(want);
    csspgo_code_free(code);
}

/* The sum of all counts in text of counters, whatever their contexts. */
static uint64_t sum_of(const char *text)
{
    uint64_t sum = 0;
    for (text = strchr(text, ':'); text != NULL; text = strchr(text + 1, ':')) sum += strtoull(text + 1, NULL, 10);
    return sum;
}

/* Steps of any size between samples, in small caches where some traces wait for others: each counts once. */
static void steps_between_samples_lose_nothing(void)
{
    csspgo_code *code = program();
    size_t size;
    char *want = expected(code, NULL, 600, &size, NULL);
    uint32_t round, i;
    for (round = 0; round < t_size(12, 60); round++) {
        csspgo_collector_options how;
        csspgo_collector *c;
        char *got;
        memset(&how, 0, sizeof how);
        how.cache_bytes = 1024 + 300 * round;
        c = csspgo_collector_new(code, &how, NULL, NULL);
        for (i = 0; i < 600; i++) {
            T_EQ(add(c, i), CSSPGO_OK);
            if (rnd(8) == 0) T_CHECK(csspgo_collector_step(c, rnd(100), NULL) != CSSPGO_E_NOMEM);
        }
        got = text_of(c, &size);
        T_EQ(sum_of(got), sum_of(want));
        free(got);
        csspgo_collector_free(c);
    }
    free(want);
    csspgo_code_free(code);
}

static void what_was_taken_is_a_collector_and_the_other_goes_on(void)
{
    csspgo_code *code = program();
    const csspgo_collector_options how = no_repairs();
    size_t size, other;
    char *want = expected(code, &how, 300, &size, NULL);
    csspgo_collector *c = csspgo_collector_new(code, &how, NULL, NULL), *t;
    csspgo_collector_stats s;
    uint32_t round, i;
    for (round = 0; round < 3; round++) {
        char *got;
        for (i = 0; i < 300; i++) T_EQ(add(c, i), CSSPGO_OK);
        t = csspgo_collector_take(c, NULL);
        T_EQ(csspgo_collector_get_stats(c).samples, 0);
        T_EQ(csspgo_collector_has_contexts(c), 1);
        for (i = 0; i < 300; i++) T_EQ(add(round == 1 ? c : t, i), CSSPGO_OK);  /* both take samples in */
        s = csspgo_collector_get_stats(t);
        T_CHECK(s.samples != 0 && (s.samples > 700) == (round != 1));
        if (round == 1) {
            got = text_of(t, &other);
            t_same("taken", got, other, want, size);
            free(got);
            got = text_of(c, &other);
            t_same("gone on", got, other, want, size);
            free(got);
            csspgo_collector_clear(c);
            csspgo_collector_clear(t);
            T_EQ(csspgo_collector_get_stats(t).samples, 0);
            T_EQ(csspgo_collector_get_stats(t).unwound, 0);
            for (i = 0; i < 300; i++) T_EQ(add(t, i), CSSPGO_OK);
            got = text_of(t, &other);
            t_same("cleared", got, other, want, size);
            free(got);
        }
        csspgo_collector_free(t);
    }
    csspgo_collector_free(c);
    csspgo_code_free(code);
    free(want);
}

static void taking_may_fail_at_every_allocation(void)
{
    csspgo_code *code = program();
    const csspgo_collector_options how = no_repairs();
    size_t size, other;
    char *want = expected(code, &how, 50, &size, NULL);
    long nth;
    for (nth = 1; nth < 100; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, 0);
        csspgo_collector *c = csspgo_collector_new(code, &how, &o, NULL), *t;
        csspgo_error e;
        uint32_t i;
        char *got;
        for (i = 0; i < 50; i++) T_EQ(add(c, i), CSSPGO_OK);
        if (nth % 2) T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
        h.nth = h.calls + (nth + 1) / 2;
        t = csspgo_collector_take(c, &e);
        h.nth = 0;
        T_EQ(e.status, t != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM);
        got = text_of(t != NULL ? t : c, &other);
        t_same("taken or not", got, other, want, size);
        free(got);
        T_EQ(csspgo_collector_memory(c) + (t != NULL ? csspgo_collector_memory(t) : 0), h.live_bytes);
        csspgo_collector_free(c);
        csspgo_collector_free(t);
        T_EQ(h.live_bytes, 0);
        if (t != NULL && nth % 2 == 0) break;
    }
    T_CHECK(nth > 2 && nth < 100);
    free(want);
    csspgo_code_free(code);
}

/* ----- laws: whatever the calls, the counts are those of one collector that took all samples at once -------------- */

/* Adds a part's counts to others: what is read adds up. */
static void join(csspgo_collector *all, csspgo_collector *part)
{
    size_t size;
    char *text = text_of(part, &size);
    if (size != 0) T_EQ(csspgo_read_unsymbolized(all, text, size, NULL, NULL), CSSPGO_OK);
    free(text);
}

/* What statistics of samples have to add up to, over all parts. */
static uint64_t reasons(const csspgo_collector_stats *s)
{
    return s->samples + 3 * s->no_stack + 5 * s->no_branches + 7 * s->late_stacks + 11 * s->external_leaves +
           13 * s->bad_return_addresses + 17 * s->unknown_transfers;
}

static uint64_t reasons_of(const csspgo_collector *c)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(c);
    return reasons(&s);
}

/* A permutation of n samples in `order`. */
static void shuffled(uint32_t *order, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) order[i] = i;
    while (n > 1) {
        const uint32_t k = rnd(n--), x = order[k];
        order[k] = order[n];
        order[n] = x;
    }
}

static const uint32_t cache_sizes[] = { 1, 1500, 4000, 20000, 65536, 1u << 20, 0 };
enum { CACHES = sizeof cache_sizes / sizeof *cache_sizes, MANY = 900 };

static void any_steps_and_hand_overs_give_the_same_counts(void)
{
    csspgo_code *code = program();
    csspgo_collector_options how = no_repairs();
    csspgo_collector_stats stats;
    size_t size, other;
    char *want = expected(code, &how, MANY, &size, &stats);
    const unsigned long rounds = t_size(4, 400);
    unsigned long round;
    for (round = 0; round < rounds; round++) {
        static uint32_t order[MANY];
        csspgo_collector *all = csspgo_collector_new(code, &how, NULL, NULL), *c, *t;
        uint64_t sum = 0;
        uint32_t i;
        char *got;
        how.cache_bytes = cache_sizes[round % CACHES];
        c = csspgo_collector_new(code, &how, NULL, NULL);
        shuffled(order, MANY);
        for (i = 0; i < MANY; i++) {
            const uint32_t what = rnd(200);
            csspgo_status s = CSSPGO_OK;
            T_EQ(add(c, order[i]), CSSPGO_OK);
            if (what < 6) s = csspgo_collector_step(c, rnd(3) * rnd(400), NULL);
            else if (what == 6) s = csspgo_collector_flush(c, NULL);
            T_CHECK(s == CSSPGO_OK || s == CSSPGO_MORE);
            if (what != 7) continue;
            t = csspgo_collector_take(c, NULL);
            if (rnd(2)) {                                       /* the other one goes on */
                csspgo_collector *const x = c;
                c = t;
                t = x;
            }
            sum += reasons_of(t);
            join(all, t);
            csspgo_collector_free(t);
        }
        sum += reasons_of(c);
        join(all, c);
        csspgo_collector_free(c);
        got = text_of(all, &other);
        t_same("all parts", got, other, want, size);
        T_EQ(sum, reasons(&stats));
        free(got);
        csspgo_collector_free(all);
    }
    free(want);
    csspgo_code_free(code);
}

static void open_traces_wait_for_all_others_in_any_cache(void)
{
    csspgo_code *code = program();
    const unsigned long rounds = t_size(3, 150);
    size_t size, other;
    csspgo_collector_stats stats;
    char *want = expected(code, NULL, MANY, &size, &stats);
    unsigned long round;
    T_CHECK(stats.cut_stacks + stats.repaired_stacks != 0);
    for (round = 0; round < rounds; round++) {
        static const uint32_t bytes[] = { 65536, 100000, 150000, 300000, 1u << 20 };
        static uint32_t order[MANY];
        csspgo_collector_options how;
        csspgo_collector *c;
        uint32_t i;
        char *got;
        memset(&how, 0, sizeof how);
        how.cache_bytes = bytes[round % 5];
        c = csspgo_collector_new(code, &how, NULL, NULL);
        shuffled(order, MANY);
        for (i = 0; i < MANY; i++) T_EQ(add(c, order[i]), CSSPGO_OK);
        got = text_of(c, &other);
        t_same("open traces", got, other, want, size);
        free(got);
        csspgo_collector_free(c);
    }
    free(want);
    csspgo_code_free(code);
}

/* Every memory request may fail, and every limit be reached, at any time: the sample is added again. */
static void nothing_is_lost_or_doubled_where_memory_is_short(void)
{
    csspgo_code *code = program();
    csspgo_collector_options how = no_repairs();
    csspgo_collector_stats stats;
    size_t size, other;
    char *want = expected(code, &how, MANY, &size, &stats);
    const unsigned long rounds = t_size(14, 300);
    unsigned long round, failed = 0, full = 0;
    for (round = 0; round < rounds; round++) {
        csspgo_collector *all = csspgo_collector_new(code, NULL, NULL, NULL), *c, *t;
        t_heap h;
        csspgo_options o = t_options(&h, 0);
        uint64_t sum = 0;
        uint32_t i, tries = 0, refused = 0;
        char *got;
        how.cache_bytes = cache_sizes[round % CACHES] < 100000 ? cache_sizes[round % CACHES] : 0;
        if (round % 2) o.limits.max_bytes = 200000 + rnd(200000);
        c = csspgo_collector_new(code, &how, &o, NULL);
        for (i = 0; i < MANY && tries < 100000; tries++) {
            csspgo_status s;
            h.nth = rnd(4) == 0 ? h.calls + 1 + (long)rnd(3) : 0;
            s = add(c, i);
            if (s == CSSPGO_OK && rnd(50) == 0) s = csspgo_collector_step(c, rnd(1000), NULL) == CSSPGO_MORE ? s : s;
            refused |= h.nth != 0 && h.calls >= h.nth;                /* for a table that grows */
            T_CHECK(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && h.nth != 0) ||
                    (s == CSSPGO_E_FULL && (round % 2 || refused)));
            i += s == CSSPGO_OK;
            failed += s == CSSPGO_E_NOMEM;
            full += s == CSSPGO_E_FULL;
            h.nth = 0;
            if (s != CSSPGO_E_FULL && rnd(400) != 0) continue;
            t = csspgo_collector_take(c, NULL);
            sum += reasons_of(t);
            join(all, t);
            csspgo_collector_free(t);
        }
        T_EQ(i, MANY);
        sum += reasons_of(c);
        join(all, c);
        csspgo_collector_free(c);
        T_EQ(h.live_bytes, 0);
        got = text_of(all, &other);
        t_same("short of memory", got, other, want, size);
        T_EQ(sum, reasons(&stats));
        free(got);
        csspgo_collector_free(all);
    }
    T_CHECK(failed > 20 && full > 5);
    free(want);
    csspgo_code_free(code);
}

/* ----- bounds ----------------------------------------------------------------------------------------------------- */

/* Tables grow while they are in use: the counts are those of many small collectors. */
static void large_tables_have_the_counts_of_small_ones(void)
{
    csspgo_code *code = program();
    const csspgo_collector_options how = no_repairs();
    const uint32_t n = (uint32_t)t_size(5000, 100000);
    csspgo_collector *all = csspgo_collector_new(code, &how, NULL, NULL), *part, *c;
    size_t size, other;
    char *want, *got;
    uint32_t i;
    part = csspgo_collector_new(code, &how, NULL, NULL);
    c = csspgo_collector_new(code, &how, NULL, NULL);
    for (i = 0; i < n; i++) {
        T_EQ(add(c, i), CSSPGO_OK);
        T_EQ(add(part, i), CSSPGO_OK);
        if (i % 7 == 0 || i > n / 2) T_CHECK(csspgo_collector_step(c, 200, NULL) != CSSPGO_E_NOMEM);
        if (i % 300 != 299) continue;
        join(all, part);
        csspgo_collector_clear(part);
    }
    join(all, part);
    got = text_of(c, &other);
    want = text_of(all, &size);
    t_same("large", got, other, want, size);
    free(want);
    free(got);
    csspgo_collector_free(c);
    csspgo_collector_free(part);
    csspgo_collector_free(all);
    csspgo_code_free(code);
}

/* No sample makes all others be unwound, whichever of them are open, and whichever come first. */
static void no_sample_unwinds_more_than_a_few(void)
{
    csspgo_code *code = program();
    static const uint32_t bytes[] = { 20000, 65536, 300000, 1u << 20 };
    size_t k, first;
    for (k = 0; k < t_size(2, 4); k++) {
        for (first = 0; first < 3; first++) {
            csspgo_collector_options how;
            csspgo_collector *c;
            uint64_t before = 0, most = 0;
            uint32_t i, n = bytes[k] / 16;
            memset(&how, 0, sizeof how);
            how.cache_bytes = bytes[k];
            c = csspgo_collector_new(code, &how, NULL, NULL);
            for (i = 0; i < n; i++) {                           /* first 1: open ones come first; 2: last */
                made m;
                uint64_t now;
                make(&m, i);
                if (first != 0 && (m.stack[0] % SIZE == 0) != ((first == 1) == (i < n / 2))) continue;
                T_EQ(csspgo_collector_add(c, &m.sample, 1, NULL), CSSPGO_OK);
                now = csspgo_collector_get_stats(c).unwound;
                if (now - before > most) most = now - before;
                before = now;
            }
            T_CHECK(before != 0);
            T_CHECK(most <= 40);
            csspgo_collector_free(c);
        }
    }
    csspgo_code_free(code);
}

/* ----- what a collector needs ------------------------------------------------------------------------------------- */

enum { CHAIN = 24 };              /* functions that call the next one at 100 and return at 105 */

static csspgo_code *chains(uint32_t starts)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    uint32_t f;
    for (f = 0; f < starts + CHAIN; f++) {
        csspgo_code_function function = make_function(begin_of(f), begin_of(f) + SIZE, "f");
        csspgo_transfer t[2];
        char name[24];
        snprintf(name, sizeof name, "g%u", f);
        function.name = name;
        function.name_size = strlen(name);
        t[0] = make_transfer(begin_of(f) + 100, 5, CSSPGO_CALL, 0);
        t[1] = make_transfer(begin_of(f) + 105, 1, CSSPGO_RET, 0);
        T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &function, NULL), CSSPGO_OK);
        T_EQ(csspgo_code_add_transfers(code, csspgo_no_module(), t, 2, NULL), CSSPGO_OK);
    }
    return code;
}

/* A sample that shares no context with others: they begin in another function. All branches are returns. */
static csspgo_status add_chain(csspgo_collector *c, uint32_t start, uint32_t starts, uint32_t branches, uint32_t frames)
{
    uint64_t stack[CHAIN];
    csspgo_branch b[CHAIN];
    csspgo_sample s;
    uint32_t i;
    memset(&s, 0, sizeof s);
    memset(b, 0, sizeof b);
    for (i = 0; i < frames; i++) stack[i] = begin_of(starts + frames - 2 - i) + 105;
    stack[frames - 1] = begin_of(start) + 105;
    for (i = 0; i < branches; i++) {
        b[i].from = begin_of(starts + frames - 1 + i) + 105;
        b[i].to = begin_of(i == 0 && frames == 1 ? start : starts + frames - 2 + i) + 105;
    }
    s.stack = stack;
    s.stack_count = frames;
    s.branches = b;
    s.branch_count = branches;
    s.count = 1;
    return csspgo_collector_add(c, &s, 1, NULL);
}

static int suffices(csspgo_code *code, const csspgo_collector_options *how, uint64_t max_bytes, uint32_t samples,
                    uint32_t branches, uint32_t frames)
{
    csspgo_options o;
    csspgo_collector *c;
    csspgo_status s = CSSPGO_OK;
    uint32_t i;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = max_bytes;
    c = csspgo_collector_new(code, how, &o, NULL);
    if (c == NULL) return 0;
    for (i = 0; i < samples && s == CSSPGO_OK; i++) s = add_chain(c, i, samples, branches, frames);
    if (s == CSSPGO_OK) s = csspgo_collector_flush(c, NULL);
    T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_FULL);
    csspgo_collector_free(c);
    return s == CSSPGO_OK;
}

static void what_a_collector_needs_is_enough_and_not_twice_too_much(void)
{
    static uint32_t sizes[200][3] = {             /* samples, branches, frames; then any */
        { 10, 4, 4 }, { 300, 8, 8 }, { 500, 12, 12 }, { 700, 3, 16 }, { 900, 4, 2 }
    };
    const size_t n = t_size(7, 60);
    size_t i, k;
    for (i = 5; i < n; i++) {
        sizes[i][0] = 1 + rnd(1500);
        sizes[i][1] = 1 + rnd(16);
        sizes[i][2] = 1 + rnd(16);
    }
    for (i = 0; i < n; i++) {
        csspgo_code *code = chains(sizes[i][0]);
        for (k = 0; k < 3; k++) {
            csspgo_collector_options how = no_repairs();
            uint64_t need, low = 0, high;
            how.cache_bytes = k == 0 ? 0 : k == 1 ? 4096 : 65536;
            need = csspgo_collector_need(sizes[i][0], sizes[i][1], sizes[i][2], &how);
            if (!T_CHECK(suffices(code, &how, need, sizes[i][0], sizes[i][1], sizes[i][2])))
                fprintf(stderr, "    %u samples, case %u: %llu\n", sizes[i][0], (unsigned)k, (unsigned long long)need);
            for (high = need; high - low > need / 25;) {       /* the least that is enough, about */
                const uint64_t middle = low + (high - low) / 2;
                if (suffices(code, &how, middle, sizes[i][0], sizes[i][1], sizes[i][2])) high = middle;
                else low = middle;
            }
            if (!T_CHECK(i < 5 ? need <= 2 * high : need <= 5 * high / 2))
                fprintf(stderr, "    %u samples: %llu, enough is %llu\n", sizes[i][0], (unsigned long long)need,
                        (unsigned long long)high);
        }
        csspgo_code_free(code);
    }
    T_CHECK(csspgo_collector_need(UINT64_MAX, 1, 1, NULL) == UINT64_MAX);
    T_CHECK(csspgo_collector_need(1000, 0, 0, NULL) < csspgo_collector_need(1000, 1, 1, NULL));
}

int main(void)
{
    any_steps_and_hand_overs_give_the_same_counts();
    open_traces_wait_for_all_others_in_any_cache();
    nothing_is_lost_or_doubled_where_memory_is_short();
    large_tables_have_the_counts_of_small_ones();
    no_sample_unwinds_more_than_a_few();
    what_a_collector_needs_is_enough_and_not_twice_too_much();
    steps_unwind_the_cache();
    steps_between_samples_lose_nothing();
    what_was_taken_is_a_collector_and_the_other_goes_on();
    taking_may_fail_at_every_allocation();
    return t_end();
}
