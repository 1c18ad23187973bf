/* test_queue.c - csspgo_queue against a model; a push within a push; samples that go to a collector */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE                 /* MAP_ANONYMOUS */
#endif
#include "t.h"
#include "code.h"

#if defined(__unix__)
#  include <signal.h>
#  include <sys/mman.h>
#  include <unistd.h>
#endif

enum { WRITERS = 3, MOST = 40, FRAMES = 5, BRANCHES = 3 };

/* What a writer's slots hold, oldest first: each sample is made of its number. */
typedef struct model {
    uint32_t number[WRITERS][64];
    size_t   count[WRITERS];
    csspgo_queue_stats stats;
} model;

typedef struct made {
    csspgo_sample sample;
    uint64_t      stack[MOST];
    csspgo_branch branch[MOST];
} made;

/* A sample that says its number everywhere. */
static const csspgo_sample *make_sample(made *m, uint32_t number)
{
    uint32_t i;
    memset(m, 0, sizeof *m);
    m->sample.stack = m->stack;
    m->sample.branches = m->branch;
    m->sample.stack_count = number % 9;
    m->sample.branch_count = number / 9 % 7;
    m->sample.count = number;
    m->sample.time = (uint64_t)number << 32;
    m->sample.pid = number + 1;
    m->sample.tid = number + 2;
    m->sample.event = number + 3;
    for (i = 0; i < MOST; i++) {
        m->stack[i] = (uint64_t)number * 100 + i;
        m->branch[i].from = (uint64_t)number * 1000 + i;
        m->branch[i].to = number;
        m->branch[i].flags = i;
    }
    return &m->sample;
}

/* Compares a sample out of the queue with the one that went in: cut, it has the innermost frames, the newest branches. */
static void is_sample(const csspgo_sample *s, uint32_t number)
{
    made m;
    const csspgo_sample *want = make_sample(&m, number);
    T_EQ(s->stack_count, want->stack_count < FRAMES ? want->stack_count : (uint32_t)FRAMES);
    T_EQ(s->branch_count, want->branch_count < BRANCHES ? want->branch_count : (uint32_t)BRANCHES);
    T_EQ(s->count, want->count);
    T_EQ(s->time, want->time);
    T_CHECK(s->pid == want->pid && s->tid == want->tid && s->event == want->event && s->repeats == 0);
    T_CHECK(memcmp(s->stack, m.stack, s->stack_count * sizeof *m.stack) == 0);
    T_CHECK(memcmp(s->branches, m.branch, s->branch_count * sizeof *m.branch) == 0);
}

static void same_stats(const csspgo_queue *q, const model *m)
{
    const csspgo_queue_stats s = csspgo_queue_get_stats(q);
    T_CHECK(memcmp(&s, &m->stats, sizeof s) == 0);
}

static csspgo_queue *new_queue(uint32_t samples, const csspgo_options *o, csspgo_error *e)
{
    csspgo_queue_options how;
    memset(&how, 0, sizeof how);
    how.writers = WRITERS;
    how.samples = samples;
    how.max_frames = FRAMES;
    how.max_branches = BRANCHES;
    return csspgo_queue_new(&how, o, e);
}

static void push_both(csspgo_queue *q, model *m, uint32_t writer, uint32_t number, size_t most)
{
    made x;
    const csspgo_sample *s = make_sample(&x, number);
    const int room = writer < WRITERS && m->count[writer] < most;
    T_EQ(csspgo_queue_push(q, writer, s), room);
    if (writer >= WRITERS) m->stats.refused++;
    else if (!room) m->stats.dropped++;
    else {
        m->number[writer][m->count[writer]++] = number;
        m->stats.pushed++;
        m->stats.waiting++;
        m->stats.cut += s->stack_count > FRAMES || s->branch_count > BRANCHES;
    }
}

/* The next one is some writer's oldest; asked again, it is the same one. */
static void pop_both(csspgo_queue *q, model *m)
{
    csspgo_sample s, again;
    uint32_t w = 0;
    if (!csspgo_queue_front(q, &s)) {
        T_EQ(m->stats.waiting, 0);
        csspgo_queue_pop(q);
        return;
    }
    T_CHECK(csspgo_queue_front(q, &again) && memcmp(&s, &again, sizeof s) == 0);
    while (w < WRITERS && (m->count[w] == 0 || m->number[w][0] != s.count)) w++;
    if (!T_CHECK(w < WRITERS)) return;
    is_sample(&s, m->number[w][0]);
    csspgo_queue_pop(q);
    m->count[w]--;
    m->stats.waiting--;
    memmove(m->number[w], m->number[w] + 1, m->count[w] * sizeof *m->number[w]);
}

static void model_test(unsigned long steps)
{
    static const uint32_t asked[] = { 1, 2, 3, 8, 33 }, has[] = { 1, 2, 4, 8, 64 };
    uint64_t random = 88172645463325252u;
    unsigned long i;
    size_t k;
    for (k = 0; k < 5; k++) {
        model m;
        csspgo_queue *q = new_queue(asked[k], NULL, NULL);
        memset(&m, 0, sizeof m);
        for (i = 0; i < steps && q != NULL; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            if (random % 64 == 0) push_both(q, &m, WRITERS + (uint32_t)(random >> 8) % 9, 7, has[k]);
            else if (random % 64 < (i / 500 % 2 ? 40 : 24))
                push_both(q, &m, (uint32_t)(random >> 8) % WRITERS, (uint32_t)i + 1, has[k]);
            else pop_both(q, &m);
            if (i % 64 == 0) same_stats(q, &m);
        }
        T_CHECK(q != NULL);
        csspgo_queue_free(q);
    }
}

/* ----- memory and limits ------------------------------------------------------------------------------------------ */

static void limits(void)
{
    csspgo_queue_options how;
    csspgo_options o;
    csspgo_error e;
    csspgo_queue *q;
    t_heap heap;
    uint64_t need;
    long nth;
    memset(&o, 0, sizeof o);
    q = csspgo_queue_new(NULL, NULL, &e);
    need = csspgo_queue_memory(q);
    T_CHECK(q != NULL && e.status == CSSPGO_OK && need > 256 * (40 + 64 * 8 + 32 * 24) && need < 340000);
    csspgo_queue_free(q);
    csspgo_queue_free(NULL);
    o.limits.max_bytes = need;
    q = csspgo_queue_new(NULL, &o, &e);
    T_CHECK(q != NULL && csspgo_queue_memory(q) == need);
    csspgo_queue_free(q);
    o.limits.max_bytes = need - 1;
    T_CHECK(csspgo_queue_new(NULL, &o, &e) == NULL);
    T_CHECK(e.status == CSSPGO_E_LIMIT && strstr(e.message, "the least is") != NULL);
    memset(&how, 0, sizeof how);
    how.writers = (1 << 16) + 1;
    T_CHECK(csspgo_queue_new(&how, NULL, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    how.writers = 1 << 16;
    how.samples = 1 << 24;
    how.max_frames = how.max_branches = 1 << 16;
    T_CHECK(csspgo_queue_new(&how, NULL, &e) == NULL && e.status == CSSPGO_E_LIMIT);
    for (nth = 1, q = NULL; q == NULL && nth < 10; nth++) {
        o = t_options(&heap, nth);
        q = new_queue(8, &o, &e);
        T_CHECK(q != NULL || (e.status == CSSPGO_E_NOMEM && heap.live == 0));
    }
    T_CHECK(q != NULL && csspgo_queue_memory(q) == heap.live_bytes);
    csspgo_queue_free(q);
    T_EQ(heap.live, 0);
}

/* ----- to a collector --------------------------------------------------------------------------------------------- */

static void drains(void)
{
    const csspgo_code_function f = make_function(0x1000, 0x1100, "f");
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_queue *q = new_queue(8, NULL, NULL);
    csspgo_sample s;
    csspgo_error e;
    uint64_t at = 0x1010, n;
    unsigned i;
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    memset(&s, 0, sizeof s);
    s.stack = &at;
    s.stack_count = 1;
    for (i = 0; i < 12; i++) T_EQ(csspgo_queue_push(q, i % WRITERS, &s), 1);
    T_EQ(csspgo_queue_drain(q, 5, c, &n, &e), CSSPGO_MORE);
    T_CHECK(n == 5 && e.status == CSSPGO_MORE && csspgo_queue_get_stats(q).waiting == 7);
    T_EQ(csspgo_queue_drain(q, 7, c, &n, &e), CSSPGO_OK);
    T_CHECK(n == 7 && e.status == CSSPGO_OK && csspgo_queue_get_stats(q).waiting == 0);
    T_EQ(csspgo_queue_drain(q, 0, c, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_get_stats(c).samples, 12);
    csspgo_queue_free(q);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}

/* A collector that is full leaves the sample in the queue; when its profile was taken, nothing is lost. */
static void full_collectors_lose_nothing(void)
{
    const csspgo_code_function f = make_function(0x100000, 0x200000, "f");
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_collector *c;
    csspgo_queue *q = new_queue(64, NULL, NULL);
    csspgo_options o;
    csspgo_sample s;
    csspgo_branch b[3];
    uint64_t at;
    unsigned i, full = 0;
    csspgo_status status;
    memset(&o, 0, sizeof o);
    memset(b, 0, sizeof b);
    o.limits.max_bytes = 100000;
    c = csspgo_collector_new(code, NULL, &o, NULL);
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    memset(&s, 0, sizeof s);
    s.stack = &at;
    s.stack_count = 1;
    s.branches = b;
    s.branch_count = 3;
    for (i = 0; i < 20000; i++) {
        at = b[0].to = 0x100000 + i * 16;
        b[0].from = b[1].to = 0x100000 + i * 8;
        b[1].from = b[2].to = 0x100000 + i * 4;
        b[2].from = 0x100000 + i * 2;
        T_EQ(csspgo_queue_push(q, 0, &s), 1);
        if (i % 32 != 31) continue;
        while ((status = csspgo_queue_drain(q, 0, c, NULL, NULL)) == CSSPGO_E_FULL && full++ < 10000)
            T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
        if (!T_EQ(status, CSSPGO_OK)) break;
    }
    T_CHECK(full > 3);
    T_EQ(csspgo_collector_get_stats(c).samples, 20000);
    csspgo_queue_free(q);
    csspgo_collector_free(c);
    csspgo_profile_free(p);
    csspgo_code_free(code);
}

/* ----- a push within a push --------------------------------------------------------------------------------------- */

#if defined(__unix__)
static csspgo_queue *shared;
static void *hidden;              /* a page that cannot be read yet: the push that copies it is interrupted there */
static long page_size;
static volatile sig_atomic_t pushed_inside[2], interrupted;

/* The handler pushes with the number that the interrupted push uses, and with another one; then lets it go on. */
static void on_fault(int signal_number)
{
    made m;
    (void)signal_number;
    interrupted = interrupted + 1;
    pushed_inside[0] = csspgo_queue_push(shared, 0, make_sample(&m, 1));
    pushed_inside[1] = csspgo_queue_push(shared, 1, make_sample(&m, 2));
    if (mprotect(hidden, (size_t)page_size, PROT_READ | PROT_WRITE) != 0) _exit(3);
}

static void a_push_within_a_push(void)
{
    struct sigaction a, segv, bus;
    csspgo_queue_stats stats;
    csspgo_sample s;
    page_size = sysconf(_SC_PAGESIZE);
    shared = new_queue(8, NULL, NULL);
    hidden = mmap(NULL, (size_t)page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!T_CHECK(shared != NULL && hidden != MAP_FAILED)) return;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_fault;
    sigaction(SIGSEGV, &a, &segv);
    sigaction(SIGBUS, &a, &bus);
    memset(&s, 0, sizeof s);
    s.count = 77;
    s.stack = (const uint64_t *)hidden;
    s.stack_count = 4;
    T_EQ(csspgo_queue_push(shared, 0, &s), 1);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    T_CHECK(interrupted == 1 && pushed_inside[0] == 0 && pushed_inside[1] == 1);
    stats = csspgo_queue_get_stats(shared);
    T_CHECK(stats.pushed == 2 && stats.refused == 1 && stats.dropped == 0);
    T_CHECK(csspgo_queue_front(shared, &s) && s.count == 77 && s.stack_count == 4 && s.stack[3] == 0);
    csspgo_queue_pop(shared);
    if (T_CHECK(csspgo_queue_front(shared, &s))) is_sample(&s, 2);
    munmap(hidden, (size_t)page_size);
    csspgo_queue_free(shared);
}
#else
static void a_push_within_a_push(void)
{
}
#endif

int main(void)
{
    model_test(t_cases("CSSPGO_QUEUE_STEPS", 20000, 1000000));
    limits();
    drains();
    full_collectors_lose_nothing();
    a_push_within_a_push();
    return t_end();
}
