/* test_runtime.c - the front door: counts are those of one collector, memory is bounded, advice has its reasons */
#include "t.h"
#include "runtime.h"

static char *text_of(const csspgo_profile *p)
{
    size_t size = 0;
    char *text;
    csspgo_write(p, CSSPGO_TEXT, NULL, 0, &size, NULL);
    text = (char *)calloc(size + 1, 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write(p, CSSPGO_TEXT, text, size, &size, NULL), CSSPGO_OK);
    return text;
}

/* ----- counts ----------------------------------------------------------------------------------------------------- */

/* Steps of any size, takes and profiles at any time: together they count what one collector counts at once. */
static void counts_are_those_of_one_collector(uint64_t seed, unsigned long samples)
{
    static const uint64_t budgets[] = { 0, 1, 50, 1000, 100000 };
    csspgo_code *code = same_code();
    csspgo_collector *c;
    csspgo_collector_options collect;
    csspgo_profile *want = csspgo_profile_new(NULL, NULL), *p = csspgo_profile_new(NULL, NULL);
    csspgo_runtime *r = filled_runtime(NULL, NULL, NULL);
    csspgo_runtime_stats s;
    csspgo_error e;
    made m;
    char *a, *b;
    unsigned long i;
    memset(&collect, 0, sizeof collect);
    collect.always_contexts = 1;
    c = csspgo_collector_new(code, &collect, NULL, NULL);
    for (i = 0; i < samples && r != NULL; i++) {
        const csspgo_sample *one = random_sample(&m, &seed, 3 + (uint32_t)i / 64 % (FUNCTIONS - 4));
        T_EQ(csspgo_collector_add(c, one, 1, NULL), CSSPGO_OK);
        T_EQ(csspgo_runtime_push(r, 0, one), 1);
        if (i % 128 == 127 || next_random(&seed) % 16 == 0)
            do {
                const csspgo_status status = csspgo_runtime_step(r, budgets[next_random(&seed) % 5], &e);
                T_CHECK((status == CSSPGO_OK || status == CSSPGO_MORE) && status == e.status);
            } while (csspgo_runtime_get_stats(r).waiting > 100);
        if (next_random(&seed) % 64 == 0) T_CHECK(csspgo_runtime_take(r, &e) == e.status);
        if (next_random(&seed) % 512 == 0) T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
        if (i % 256 == 0) T_EQ(csspgo_validate(csspgo_runtime_get_parts(r).profile, &e), CSSPGO_OK);
    }
    T_EQ(csspgo_runtime_profile(r, p, &e), CSSPGO_OK);
    T_EQ(csspgo_collector_profile(c, NULL, want, NULL, NULL), CSSPGO_OK);
    a = text_of(want);
    b = text_of(p);
    t_same("one collector", b, strlen(b), a, strlen(a));
    free(b);
    b = text_of(csspgo_runtime_get_parts(r).profile);
    t_same("its own profile", b, strlen(b), a, strlen(a));
    s = csspgo_runtime_get_stats(r);
    T_EQ(s.counted, samples);
    T_EQ(s.pushed, samples);
    T_CHECK(s.waiting == 0 && s.unfit == 0 && s.cut == 0 && s.queue_dropped == 0 && s.shrunk == 0 && s.taken > 1);
    csspgo_runtime_take(r, NULL);
    for (i = 0; csspgo_runtime_step(r, 0, &e) == CSSPGO_MORE && i < 1000000; i++) {}
    T_EQ(e.status, CSSPGO_OK);
    T_EQ(csspgo_collector_get_stats(csspgo_runtime_get_parts(r).collector).samples, samples);
    free(a);
    free(b);
    csspgo_runtime_free(r);
    csspgo_collector_free(c);
    csspgo_code_free(code);
    csspgo_profile_free(want);
    csspgo_profile_free(p);
}

static uint64_t test_time;

static uint64_t clock_of_test(void *ctx)
{
    return *(const uint64_t *)ctx;
}

/*
 * Samples wait in the queue while code moves, goes, and other code comes to its place: they count for the code that was
 * there when they were pushed.
 */
static void waiting_samples_count_where_code_was(int clocked)
{
    static const uint32_t path[] = { 0, 1, 2 };
    csspgo_runtime_options how;
    csspgo_runtime *r;
    csspgo_error e;
    const csspgo_profile *p;
    emitted unit;
    uint32_t f;
    made m;
    memset(&how, 0, sizeof how);
    how.clock_fn = clocked ? clock_of_test : NULL;
    how.ctx = &test_time;
    test_time = 1000;
    r = filled_runtime(&how, NULL, &e);
    p = csspgo_runtime_get_parts(r).profile;
    make_sample(&m, path, 3);
    m.sample.time = test_time += 10;
    T_EQ(csspgo_runtime_push(r, 0, &m.sample), 1);
    test_time += 10;
    T_EQ(csspgo_runtime_move(r, address_of(1), address_of(1) + SIZE, 0x9000000, &e), CSSPGO_OK);
    T_EQ(csspgo_runtime_retire(r, address_of(2), address_of(2) + SIZE, &e), CSSPGO_OK);
    for (f = 1; f < 3; f++)
        T_EQ(csspgo_runtime_emit(r, make_unit(&unit, f + 10, address_of(f)), &e), CSSPGO_OK);
    m.sample.time = test_time += 10;
    T_EQ(csspgo_runtime_push(r, 0, &m.sample), 1);
    T_EQ(csspgo_runtime_push(r, 0, &m.sample), 1);
    T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_head(p, csspgo_find(p, "main:3 @ f1")), 1);
    T_EQ(csspgo_head(p, csspgo_find(p, "main:3 @ f1:3 @ f2")), 1);
    T_EQ(csspgo_head(p, csspgo_find(p, "main:3 @ f11")), 2);
    T_EQ(csspgo_head(p, csspgo_find(p, "main:3 @ f11:3 @ f12")), 2);
    T_EQ(csspgo_runtime_get_stats(r).counted, 3);
    csspgo_runtime_free(r);
}

/* ----- memory ----------------------------------------------------------------------------------------------------- */

static uint64_t number_behind(const char *message, const char *words)
{
    const char *at = strstr(message, words);
    return T_CHECK(at != NULL) ? strtoull(at + strlen(words), NULL, 10) : 0;
}

/* Sums of a function's counts, as csspgo_runtime_hot has them. */
static uint64_t total_of(const csspgo_profile *p, const char *name)
{
    csspgo_node n = csspgo_func_nodes(p, csspgo_func_find(p, name, strlen(name)));
    uint64_t sum = 0;
    for (; n.id != 0; n = csspgo_node_next_same(p, n)) sum += csspgo_total(p, n);
    return sum;
}

/*
 * With the least memory that is accepted, the largest samples, and more contexts than fit: all samples count, and what
 * the allocator gives is never more than options.bytes.
 */
static void memory_is_bounded(unsigned long samples)
{
    static const uint64_t budgets[] = { 200, 2000, 20000 };
    csspgo_runtime_options how;
    csspgo_runtime_function hot[FUNCTIONS + 4];
    csspgo_runtime_stats s;
    csspgo_options o;
    csspgo_error e;
    t_heap heap;
    csspgo_code *code = same_code();
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *want = csspgo_profile_new(NULL, NULL);
    csspgo_runtime *r;
    uint64_t seed = 12345, least;
    unsigned long i;
    size_t n;
    made m;
    memset(&how, 0, sizeof how);
    o = t_options(&heap, 0);
    how.bytes = 1;
    T_CHECK(csspgo_runtime_new(&how, &o, &e) == NULL);
    T_CHECK(e.status == CSSPGO_E_LIMIT && heap.live == 0);
    least = number_behind(e.message, "the least is ");
    for (how.bytes = 2; how.bytes < least; how.bytes += how.bytes / 3 + 1) {
        T_CHECK(csspgo_runtime_new(&how, &o, &e) == NULL && e.status == CSSPGO_E_LIMIT);
        T_MSG(strstr(e.message, "csspgo_runtime_options.bytes is ") == e.message, e.message);
        T_EQ(number_behind(e.message, "the least is "), least);
    }
    for (how.code_bytes = 1; how.code_bytes < 10000; how.code_bytes *= 3) {
        T_CHECK(csspgo_runtime_new(&how, &o, &e) == NULL && e.status == CSSPGO_E_LIMIT);
        T_MSG(strstr(e.message, "csspgo_runtime_options.code_bytes is ") == e.message, e.message);
    }
    how.code_bytes = 0;
    how.bytes = least - 1;
    T_CHECK(csspgo_runtime_new(&how, &o, &e) == NULL && e.status == CSSPGO_E_LIMIT);
    how.bytes = least;
    r = filled_runtime(&how, &o, &e);
    if (!T_CHECK(r != NULL)) return;
    for (i = 0; i < samples; i++) {
        const csspgo_sample *one = random_sample(&m, &seed, FUNCTIONS - 1);
        T_EQ(csspgo_collector_add(c, one, 1, NULL), CSSPGO_OK);
        while (csspgo_runtime_push(r, 0, one) == 0) {
            const csspgo_status status = csspgo_runtime_step(r, budgets[next_random(&seed) % 3], &e);
            if (!T_CHECK(status == CSSPGO_OK || status == CSSPGO_MORE)) break;
            if (next_random(&seed) % 256 == 0)       /* the profile may be about to shrink: it begins anew */
                T_EQ(csspgo_scale(csspgo_runtime_get_parts(r).profile, 1, 1, NULL), CSSPGO_OK);
        }
    }
    T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
    s = csspgo_runtime_get_stats(r);
    T_EQ(s.counted, samples);
    T_CHECK(heap.peak <= least && s.most_bytes <= least && heap.peak <= s.most_bytes);
    T_CHECK(samples < 10000 || (s.shrunk > 0 && s.merged_contexts > 100));
    T_CHECK(s.dropped_counts == 0 && s.unusable == 0);
    T_EQ(csspgo_collector_profile(c, NULL, want, NULL, NULL), CSSPGO_OK);
    n = csspgo_runtime_hot(r, hot, FUNCTIONS + 4);
    T_EQ(n, FUNCTIONS);
    for (i = 0; i < n; i++) {
        char name[16];
        uint32_t f = 0;
        do snprintf(name, sizeof name, f == 0 ? "main" : "f%u", (unsigned)f);
        while (csspgo_guid(name, strlen(name)) != hot[i].guid && f++ < FUNCTIONS);
        T_EQ(hot[i].total, total_of(want, name));
        T_CHECK(i == 0 || hot[i - 1].total >= hot[i].total);
    }
    csspgo_runtime_free(r);
    T_EQ(heap.live, 0);
    csspgo_collector_free(c);
    csspgo_code_free(code);
    csspgo_profile_free(want);
}

/* A sample as large as the queue takes counts also with the least memory; one that is too large is cut. */
static void the_largest_sample_counts(void)
{
    enum { LARGE = 200 };
    static uint64_t stack[LARGE];
    static csspgo_branch branch[LARGE];
    csspgo_runtime_options how;
    csspgo_runtime_stats s;
    csspgo_sample sample;
    csspgo_runtime *r;
    csspgo_error e;
    uint32_t i;
    memset(&how, 0, sizeof how);
    memset(&sample, 0, sizeof sample);
    memset(branch, 0, sizeof branch);
    how.bytes = 1;
    how.max_frames = how.max_branches = LARGE - 1;
    how.code_bytes = 100000;
    T_CHECK(csspgo_runtime_new(&how, NULL, &e) == NULL);
    how.bytes = number_behind(e.message, "the least is ");
    r = filled_runtime(&how, NULL, &e);
    if (!T_MSG(r != NULL, e.message)) return;
    for (i = 0; i < LARGE; i++) {
        stack[i] = address_of(i % FUNCTIONS) + (i == 0 ? 0x44 : 0xa5);
        branch[i].from = address_of(0) + 0x80;
        branch[i].to = address_of(0) + 0x40;
    }
    sample.stack = stack;
    sample.branches = branch;
    sample.stack_count = sample.branch_count = LARGE;
    T_EQ(csspgo_runtime_push(r, 0, &sample), 1);
    sample.stack_count--;
    T_EQ(csspgo_runtime_push(r, 0, &sample), 1);
    T_EQ(csspgo_runtime_push(r, 1, &sample), 0);
    T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
    s = csspgo_runtime_get_stats(r);
    T_CHECK(s.counted == 2 && s.cut == 2 && s.queue_refused == 1 && s.unfit == 0);
    T_CHECK(total_of(csspgo_runtime_get_parts(r).profile, "main") > 300);
    csspgo_runtime_free(r);
    how.max_branches = 1 << 20;
    T_CHECK(csspgo_runtime_new(&how, NULL, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, "csspgo_runtime_new") != NULL);
}

/* Every allocation fails in turn: calls say so, nothing is lost that was not counted as lost, and later calls work. */
static void allocations_fail(void)
{
    csspgo_runtime *r = NULL;
    csspgo_runtime_stats s;
    csspgo_options o;
    csspgo_error e;
    t_heap heap;
    emitted unit;
    made m;
    long nth, made_at = 0;
    for (nth = 1; nth < 2000; nth++) {
        uint64_t seed = 4711;
        unsigned i, failed = 0;
        o = t_options(&heap, nth);
        r = csspgo_runtime_new(NULL, &o, &e);
        T_CHECK(r != NULL || (e.status == CSSPGO_E_NOMEM && heap.live == 0));
        if (r == NULL) continue;
        if (made_at == 0) made_at = nth;
        for (i = 0; i < FUNCTIONS; i++) failed += csspgo_runtime_emit(r, make_unit(&unit, i, address_of(i)), &e) != 0;
        for (i = 0; i < 200; i++) T_EQ(csspgo_runtime_push(r, 0, random_sample(&m, &seed, 5)), 1);
        failed += csspgo_runtime_step(r, 3000, &e) == CSSPGO_E_NOMEM;
        failed += csspgo_runtime_profile(r, NULL, &e) == CSSPGO_E_NOMEM;
        heap.nth = 0;
        for (i = 0; i < FUNCTIONS; i++) csspgo_runtime_emit(r, make_unit(&unit, i, address_of(i)), NULL);
        T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
        s = csspgo_runtime_get_stats(r);
        T_CHECK(s.counted == 200 && s.waiting == 0 && s.unfit == 0 && s.unusable == 0);
        T_EQ(csspgo_validate(csspgo_runtime_get_parts(r).profile, NULL), CSSPGO_OK);
        csspgo_runtime_free(r);
        T_EQ(heap.live, 0);
        if (failed == 0) break;
    }
    T_LONG(nth > made_at + 20 && nth < 2000);
}

/* ----- calls that end --------------------------------------------------------------------------------------------- */

/* What several calls work on, and what others do to it between them. */
typedef struct busy {
    t_heap            heap;
    csspgo_code      *code;
    csspgo_collector *c;
    csspgo_profile   *p, *more;
    csspgo_runtime   *r;              /* NULL, or the owner of these */
    csspgo_collector_options how;
    uint64_t          seed;
    uint32_t          emissions, added;
    uint32_t          failures;       /* calls of which every second one fails */
} busy;

static csspgo_status busy_emit(busy *b, const csspgo_code_unit *unit)
{
    if (b->r != NULL) return csspgo_runtime_emit(b->r, unit, NULL);
    return csspgo_code_add_unit(b->code, csspgo_no_module(), unit, NULL);
}

/* A change that adds little to what is left to be done. */
static void change(busy *b, unsigned which)
{
    emitted unit;
    char name[16];
    const uint64_t at = 0x4000000 + (uint64_t)(b->emissions % 64) * APART;
    const uint32_t f = FUNCTIONS + b->emissions % 8;
    made m;
    if (which == 0) T_EQ(csspgo_add_profile(b->p, b->more, NULL), CSSPGO_OK);
    if (which == 1) {
        snprintf(name, sizeof name, "g%u", (unsigned)b->emissions++);
        T_CHECK(csspgo_func_add(b->p, name, strlen(name)).id != 0);
    }
    if (which == 2) T_EQ(csspgo_scale(b->p, 1, 1, NULL), CSSPGO_OK);
    if (which == 3) {
        b->emissions++;
        if (busy_emit(b, make_unit(&unit, f, at)) == CSSPGO_OK && b->r != NULL)
            csspgo_runtime_retire(b->r, at, at + SIZE, NULL);
        else
            csspgo_code_remove(b->code, at, at + SIZE, NULL);
    }
    if (which == 4 && b->r != NULL) csspgo_runtime_move(b->r, address_of(1), address_of(1) + SIZE, address_of(1), NULL);
    if (which == 5) {
        csspgo_collector *other = csspgo_collector_new(b->code, &b->how, NULL, NULL);
        T_EQ(csspgo_collector_add(other, random_sample(&m, &b->seed, 5), 1, NULL), CSSPGO_OK);
        csspgo_collector_free(csspgo_collector_take(other, NULL));
        csspgo_collector_clear(other);
        csspgo_collector_free(other);
    }
    if (which == 6 && b->failures++ % 2 != 0)    /* the next call has no memory */
        b->heap.nth = b->heap.calls + 1 + (long)(next_random(&b->seed) % 8);
    if (which == 7 && b->added++ < 50 && b->r == NULL) {
        random_sample(&m, &b->seed, 5);
        csspgo_collector_add(b->c, &m.sample, 1, NULL);
    }
}

enum { CHANGES = 8 };

static void busy_open(busy *b, uint64_t seed, uint32_t samples)
{
    emitted unit;
    csspgo_collector *c;
    csspgo_options o;
    uint32_t i;
    made m;
    memset(b, 0, sizeof *b);
    o = t_options(&b->heap, 0);
    b->seed = seed;
    b->code = csspgo_code_new(&o, NULL);
    b->how.cache_bytes = 1 << 14;
    b->c = csspgo_collector_new(b->code, &b->how, &o, NULL);
    b->p = csspgo_profile_new(&o, NULL);
    b->more = csspgo_profile_new(NULL, NULL);
    for (i = 0; i < FUNCTIONS; i++) T_EQ(busy_emit(b, make_unit(&unit, i, address_of(i))), CSSPGO_OK);
    c = csspgo_collector_new(b->code, &b->how, NULL, NULL);
    for (i = 0; i < samples / 4 + 1; i++) csspgo_collector_add(c, random_sample(&m, &b->seed, FUNCTIONS - 4), 1, NULL);
    T_EQ(csspgo_collector_profile(c, NULL, b->more, NULL, NULL), CSSPGO_OK);
    for (i = 0; i < samples; i++)
        T_EQ(csspgo_collector_add(b->c, random_sample(&m, &b->seed, FUNCTIONS - 4), 1, NULL), CSSPGO_OK);
    csspgo_collector_free(c);
}

static void busy_close(busy *b)
{
    T_EQ(csspgo_validate(b->p, NULL), CSSPGO_OK);
    csspgo_profile_free(b->p);
    csspgo_profile_free(b->more);
    csspgo_collector_free(b->c);
    csspgo_code_free(b->code);
    T_EQ(b->heap.live, 0);
}

/*
 * Every function that says CSSPGO_MORE gets on with each call, whatever the budget is and whatever else happens between
 * all of the calls: it ends after so many calls as there are traces, counters and tables, not for ever.
 *
 *   which   of the changes there is between all calls; CHANGES: any of them
 */
static void every_call_gets_on(unsigned which, uint32_t samples)
{
    const uint32_t most = samples * (4 * DEEP + 8) + 2000;
    csspgo_status s = CSSPGO_MORE;
    uint32_t calls, again;
    uint64_t seed = 17 + which;
    busy b;
    for (again = 0; again < 2; again++) {        /* the profile in slices, unwound before or not */
        busy_open(&b, seed, samples);
        for (calls = 0; again == 1 && calls < most; calls++) {
            s = csspgo_collector_step(b.c, calls % 2, NULL);
            b.heap.nth = 0;
            if (s == CSSPGO_OK) break;
            change(&b, which < CHANGES ? which : (unsigned)(next_random(&b.seed) % CHANGES));
        }
        T_CHECK(calls < most);
        for (calls = 0; calls < most; calls++) {
            s = csspgo_collector_profile_step(b.c, calls % 2, NULL, b.p, NULL, NULL);
            b.heap.nth = 0;
            if (s == CSSPGO_OK) break;
            change(&b, which < CHANGES ? which : (unsigned)(next_random(&b.seed) % CHANGES));
        }
        if (!T_CHECK(calls < most)) printf("change %u: profile in %u calls\n", which, (unsigned)calls);
        b.heap.nth = 0;
        for (calls = 0; calls < most && csspgo_code_step(b.code, calls % 2, NULL) == CSSPGO_MORE; calls++)
            if (which != 3) change(&b, which < CHANGES ? which : (unsigned)(next_random(&b.seed) % 3));
        if (!T_CHECK(calls < most)) printf("change %u: code in %u calls\n", which, (unsigned)calls);
        busy_close(&b);
    }
}

/* The same of csspgo_runtime_step: what was pushed is soon in the profile, and when nothing comes any more, it ends. */
static void every_step_gets_on(unsigned which, uint32_t samples)
{
    const uint32_t most = (which >= 6 ? 3 : 1) * (samples * (4 * DEEP + 8) + 4000);   /* 6: half of the calls fail */
    csspgo_status s = CSSPGO_MORE;
    uint32_t calls;
    csspgo_runtime_stats stats;
    csspgo_options o;
    busy b;
    made m;
    busy_open(&b, 4 + which, samples);
    csspgo_profile_free(b.p);
    csspgo_collector_free(b.c);
    csspgo_code_free(b.code);
    o = t_options(&b.heap, 0);
    b.r = filled_runtime(NULL, &o, NULL);
    b.p = csspgo_runtime_get_parts(b.r).profile;
    b.code = csspgo_runtime_get_parts(b.r).code;
    for (calls = 0; calls < samples; calls++) csspgo_runtime_push(b.r, 0, random_sample(&m, &b.seed, FUNCTIONS - 4));
    for (calls = 0; calls < most; calls++) {     /* drained, then taken, then in the profile */
        csspgo_runtime_step(b.r, calls % 2, NULL);
        b.heap.nth = 0;
        stats = csspgo_runtime_get_stats(b.r);
        if (stats.waiting == 0 && csspgo_runtime_take(b.r, NULL) == CSSPGO_OK && stats.counted == samples) {
            if (s == CSSPGO_OK) break;
            s = CSSPGO_OK;
        }
        change(&b, which < CHANGES ? which : (unsigned)(next_random(&b.seed) % CHANGES));
    }
    if (!T_CHECK(calls < most)) printf("change %u: taken in %u calls\n", which, (unsigned)calls);
    b.heap.nth = 0;
    for (calls = 0; calls < most && csspgo_runtime_step(b.r, calls % 2, NULL) == CSSPGO_MORE; calls++)
        if (which < 3) change(&b, which);
    if (!T_CHECK(calls < most)) printf("change %u: %u calls\n", which, (unsigned)calls);
    T_EQ(csspgo_validate(b.p, NULL), CSSPGO_OK);
    csspgo_runtime_free(b.r);
    csspgo_profile_free(b.more);
    T_EQ(b.heap.live, 0);
}

/* ----- questions, files, figures ---------------------------------------------------------------------------------- */

static const char profile_text[] =
    "[main]:1000:10\n 1: 10\n 2: 500\n 3: 300 f1:200 f2:100\n 4: 5 f3:5\n !CFGChecksum: 1\n"
    "[main:3 @ f1]:900:200\n 1: 200\n 2: 600\n 3: 100 f4:100\n !CFGChecksum: 2\n"
    "[main:3 @ f2]:100:100\n 1: 100\n 3: 0\n !CFGChecksum: 3\n"
    "[f1]:20:10\n 1: 10\n 3: 4 f4:3 f5:1\n !CFGChecksum: 2\n"
    "[main:3 @ f1:3 @ f4]:50:100\n 1: 100\n !CFGChecksum: 4\n"
    "[main:5 @ f6]:2000:0\n 1: 900\n 2: 1100\n !CFGChecksum: 5\n";

/* The callees of a path "main:3 f1:3 f4"; "?" stands for an indirect call. */
static csspgo_runtime_advice decide(csspgo_runtime *r, const char *path, uint32_t cost, csspgo_runtime_decision *d)
{
    csspgo_frame frames[4];
    size_t n = 0;
    memset(frames, 0, sizeof frames);
    for (; *path != '\0' && n < 4; n++) {
        const size_t size = strcspn(path, ": ");
        if (*path == '?') frames[n].name = NULL;
        else if (n % 2 == 1) frames[n].guid = csspgo_guid(path, size);
        else {
            frames[n].name = path;
            frames[n].name_size = size;
        }
        path += size;
        if (*path == ':') frames[n].loc = csspgo_loc_at((uint32_t)strtoul(path + 1, (char **)(uintptr_t)&path, 10), 0);
        path += *path == ' ';
    }
    return csspgo_runtime_decide(r, frames, n, cost, NULL, d);
}

static void advice_has_its_reasons(void)
{
    static const struct {
        const char *path;
        uint32_t    cost;
        csspgo_runtime_advice advice;
        uint64_t    count, site_count;
        const char *why;
    } all[] = {
        { "main:3 f1", 100, CSSPGO_INLINE, 200, 300, "not too large" },
        { "main:3 f1", 3000, CSSPGO_LEAVE, 200, 300, "too large" },
        { "main:3 f1", 0, CSSPGO_LEAVE, 200, 300, "too large" },
        { "main:3 ?", 3000, CSSPGO_PROMOTE, 200, 300, "goes to one callee" },
        { "main:3 ?", 100, CSSPGO_INLINE, 200, 300, "not too large" },
        { "main:4 f3", 100, CSSPGO_LEAVE, 5, 5, "not hot" },
        { "main:4 f3", 10, CSSPGO_INLINE, 5, 5, "small" },
        { "main:4 ?", 10, CSSPGO_LEAVE, 5, 5, "not hot" },
        { "main:3 f9", 10, CSSPGO_LEAVE, 0, 300, "not seen" },
        { "main:9 f1", 10, CSSPGO_LEAVE, 0, 0, "not seen" },
        { "none:3 f1", 10, CSSPGO_LEAVE, 0, 0, "not seen" },
        { "f1:3 f4", 100, CSSPGO_INLINE, 103, 104, "not too large" },    /* in both contexts of f1 */
        { "main:3 f1:3 f4", 100, CSSPGO_INLINE, 100, 100, "not too large" },
        { "main:5 f6", 100, CSSPGO_INLINE, 900, 900, "not too large" }   /* its code was inlined: there is no call */
    };
    csspgo_runtime *r = csspgo_runtime_new(NULL, NULL, NULL);
    csspgo_runtime_decision d;
    csspgo_error e;
    size_t i;
    T_CHECK(decide(r, "main:3 f1", 100, &d) == CSSPGO_LEAVE && d.hot_count == 0 && d.callee == 0);
    T_EQ(csspgo_runtime_load(r, profile_text, sizeof profile_text - 1, &e), CSSPGO_OK);
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        T_EQ(decide(r, all[i].path, all[i].cost, &d), all[i].advice);
        T_EQ(d.advice, all[i].advice);
        T_EQ(d.count, all[i].count);
        T_EQ(d.site_count, all[i].site_count);
        T_MSG(strstr(d.why, all[i].why) != NULL, d.why);
        T_CHECK(d.hot_count >= 50 && d.hot_count <= 100);
        T_CHECK((d.callee == 0) == (d.count == 0));
    }
    decide(r, "main:3 ?", 1, &d);
    T_CHECK(d.callee == csspgo_guid("f1", 2) && d.cost_limit == 3000 && d.contexts == 1);
    decide(r, "f1:3 f4", 1, &d);
    T_EQ(d.contexts, 2);
    csspgo_runtime_free(r);
}

/* More callees than are compared: their calls count at the site. A small part of them is no reason to promote one. */
static void calls_of_many_callees(void)
{
    csspgo_runtime *r = csspgo_runtime_new(NULL, NULL, NULL);
    csspgo_runtime_decision d;
    char text[4000];
    size_t n = (size_t)snprintf(text, sizeof text, "[main]:1000:1\n 1: 1000000\n 3: 50000");
    unsigned i;
    for (i = 0; i < 50; i++) n += (size_t)snprintf(text + n, sizeof text - n, " g%02u:1000", i);
    n += (size_t)snprintf(text + n, sizeof text - n, "\n !CFGChecksum: 1\n");
    T_EQ(csspgo_runtime_load(r, text, n, NULL), CSSPGO_OK);
    T_EQ(decide(r, "main:3 ?", 10, &d), CSSPGO_LEAVE);
    T_CHECK(d.site_count == 50000 && d.count == 1000);
    csspgo_runtime_free(r);
}

/* The threshold is a summary's to a fifth, whatever the slices were. */
static void hot_counts_are_those_of_a_summary(void)
{
    csspgo_runtime *r = filled_runtime(NULL, NULL, NULL);
    csspgo_runtime_decision d;
    uint64_t seed = 99, hot;
    unsigned i;
    made m;
    for (i = 0; i < 5000; i++) {
        while (!csspgo_runtime_push(r, 0, random_sample(&m, &seed, 1 + i % 8))) csspgo_runtime_step(r, 100, NULL);
    }
    csspgo_runtime_take(r, NULL);
    for (i = 0; csspgo_runtime_step(r, 60, NULL) == CSSPGO_MORE && i < 1000000; i++) {}
    decide(r, "main:3 f1", 1, &d);
    T_EQ(csspgo_count_threshold(csspgo_runtime_get_parts(r).profile, 990000, &hot, NULL), CSSPGO_OK);
    T_CHECK(d.hot_count <= hot + hot / 4 + 1 && d.hot_count + d.hot_count / 4 + 1 >= hot);
    csspgo_runtime_free(r);
}

static void profiles_go_from_run_to_run(void)
{
    csspgo_runtime *r = filled_runtime(NULL, NULL, NULL), *next = csspgo_runtime_new(NULL, NULL, NULL);
    csspgo_runtime_options how;
    csspgo_error e;
    uint64_t seed = 5;
    unsigned i;
    size_t size = 0, again = 0;
    char *data;
    made m;
    for (i = 0; i < 200; i++) csspgo_runtime_push(r, 0, random_sample(&m, &seed, 6));
    T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_runtime_save(r, CSSPGO_EXTBINARY, NULL, 0, &size, &e), CSSPGO_OK);
    data = (char *)malloc(size);
    if (data == NULL) abort();
    T_EQ(csspgo_runtime_save(r, CSSPGO_EXTBINARY, data, size - 1, &again, &e), CSSPGO_E_SHORT);
    T_EQ(csspgo_runtime_save(r, CSSPGO_EXTBINARY, data, size, &again, &e), CSSPGO_OK);
    T_EQ(csspgo_runtime_load(next, data, size, &e), CSSPGO_OK);
    T_CHECK(csspgo_equal(csspgo_runtime_get_parts(r).profile, csspgo_runtime_get_parts(next).profile));
    T_CHECK(csspgo_runtime_load(next, data, size / 2, &e) == e.status && e.status != CSSPGO_OK);
    T_CHECK(csspgo_runtime_load(next, "main:1:1\n 1: 1\n", 15, &e) == e.status && e.status == CSSPGO_E_ARGUMENT);
    T_CHECK(csspgo_equal(csspgo_runtime_get_parts(r).profile, csspgo_runtime_get_parts(next).profile));
    csspgo_runtime_free(next);
    memset(&how, 0, sizeof how);
    how.bytes = 4 << 20;
    next = csspgo_runtime_new(&how, NULL, NULL);
    for (i = 0; i < 40; i++) T_EQ(csspgo_runtime_load(next, data, size, &e), CSSPGO_OK);
    T_EQ(csspgo_runtime_get_stats(next).dropped_counts, 0);
    T_EQ(total_of(csspgo_runtime_get_parts(next).profile, "main"),
         40 * total_of(csspgo_runtime_get_parts(r).profile, "main"));
    free(data);
    csspgo_runtime_free(next);
    csspgo_runtime_free(r);
}

static void reports(void)
{
    csspgo_runtime_options how;
    csspgo_runtime *r;
    csspgo_error e;
    char text[3000], part[3000];
    size_t size = 0, n, i;
    uint64_t seed = 5;
    made m;
    memset(&how, 0, sizeof how);
    how.samples = 16;
    r = filled_runtime(&how, NULL, &e);
    for (i = 0; i < 20; i++) csspgo_runtime_push(r, 0, random_sample(&m, &seed, 6));
    T_EQ(csspgo_runtime_report(r, NULL, 0, &size, &e), CSSPGO_OK);
    T_EQ(csspgo_runtime_report(r, text, sizeof text - 1, &n, &e), CSSPGO_OK);
    T_CHECK(n == size && n < sizeof text);
    text[n] = '\0';
    T_CHECK(strstr(text, "16 samples wait") != NULL && strstr(text, "4 samples lost: a writer") != NULL);
    T_CHECK(strstr(text, "bytes: code map") != NULL && strstr(text, "bytes at most") != NULL);
    for (i = 0; i < n; i += 7) {
        memset(part, '#', sizeof part);
        T_EQ(csspgo_runtime_report(r, part, i, &size, &e), CSSPGO_E_SHORT);
        T_CHECK(size == n && memcmp(part, text, i) == 0 && part[i] == '#');
    }
    T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_runtime_report(r, text, sizeof text - 1, &n, &e), CSSPGO_OK);
    text[n] = '\0';
    T_CHECK(strncmp(text, "16 samples\n", 11) == 0 && strstr(text, "wait") == NULL);
    csspgo_runtime_free(r);
    csspgo_runtime_free(NULL);
}

/* Samples without branch records: without an estimate they are lost, and said to be; with it they count. */
static void samples_without_branches(void)
{
    csspgo_generate_options make;
    csspgo_runtime_options how;
    csspgo_runtime *r;
    csspgo_error e;
    int i, estimate;
    memset(&how, 0, sizeof how);
    memset(&make, 0, sizeof make);
    for (estimate = 0; estimate < 2; estimate++) {
        make.estimate_fn = estimate ? csspgo_estimate_blocks : NULL;
        how.generate = &make;
        r = filled_runtime(&how, NULL, NULL);
        for (i = 0; i < 100; i++) {
            const uint32_t path[] = { 0, 1, 2 };
            made m;
            make_sample(&m, path, 3);
            m.sample.branch_count = 0;
            T_EQ(csspgo_runtime_push(r, 0, &m.sample), 1);
        }
        T_EQ(csspgo_runtime_profile(r, NULL, &e), estimate ? CSSPGO_OK : CSSPGO_E_UNSUPPORTED);
        T_EQ(csspgo_runtime_get_stats(r).unusable, estimate ? 0 : 100);
        T_EQ(total_of(csspgo_runtime_get_parts(r).profile, "f2") > 0, estimate);
        T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
        csspgo_runtime_free(r);
    }
}

int main(void)
{
    unsigned long i, cases = t_cases("CSSPGO_RUNTIME_CASES", 2, 50);
    for (i = 0; i < cases; i++) counts_are_those_of_one_collector(88172645463325252u + i * 7919, 2000);
    waiting_samples_count_where_code_was(0);
    waiting_samples_count_where_code_was(1);
    memory_is_bounded(t_size(12000, 300000));
    the_largest_sample_counts();
    T_FAILING(allocations_fail());
    for (i = 0; i <= CHANGES; i++) every_call_gets_on((unsigned)i, (uint32_t)t_size(6, 120));
    for (i = 0; i <= CHANGES; i++) every_step_gets_on((unsigned)i, (uint32_t)t_size(6, 120));
    advice_has_its_reasons();
    calls_of_many_callees();
    hot_counts_are_those_of_a_summary();
    profiles_go_from_run_to_run();
    reports();
    samples_without_branches();
    return t_end();
}
