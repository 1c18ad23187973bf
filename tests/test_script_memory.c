/* test_script_memory.c - memory for samples whose text repeats: nothing but their order and number changes; a parser that
 * follows another gives what that one gives */
#include "t.h"
#include "script_memory.h"

static uint64_t state = 1;
static uint64_t pick(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

/* ----- texts ----- */

enum { DISTINCT = 300 };

static uint64_t record_base;      /* of the addresses of records: their texts are of different lengths */

static void add_records(t_out *t, uint64_t n)
{
    static const char *const tails[] = {
        "/P/-/-/0 ", "/P/-/-/12 ", "/PN/-/-/0  ", "/M/X/A/3/COND/SPEC_WRONG_PATH ", " "
    };
    for (; n != 0; n--) {
        t_num(t, n % 3 == 0 ? "  0x" : " 0x", record_base + 0x1400 + pick(record_base != 0 ? 40 : 0x1c00), 16);
        t_num(t, "/0x", pick(9) == 0 ? UINT64_MAX - pick(1000) : record_base + 0x1400 + pick(40), 16);
        t_str(t, tails[pick(20) < 16 ? 0 : pick(5)]);
    }
    t_str(t, "\n");
}

static void add_frames(t_out *t, uint64_t n, const char *between, const char *behind)
{
    uint64_t address = 0x1400 + pick(0x1c00);
    for (; n != 0; n--) {
        if (pick(8) != 0) address = pick(2) ? 0x1400 + pick(0x1c00) : 0x1410 + 16 * pick(100);
        t_num(t, pick(30) == 0 ? " \t" : between, address, 16);
        t_str(t, behind);
    }
}

/* A sample; most are as perf prints them, some have other fields. */
static void add_sample(t_out *t, int llvm)
{
    const uint64_t kind = pick(24);
    const char *const behind = kind == 4 && !llvm ? " f (/x/m)\n" : kind == 5 ? "\r\n" : "\n";
    if (kind == 0) t_str(t, "3\n");
    if (kind == 1 && !llvm) t_str(t, "prog 7/8 [001]  2599.922020:   99 cycles:u: \n");
    if (kind == 2 && !llvm) t_str(t, "prog 9\n");
    if (kind != 3) add_frames(t, 1 + pick(6), "\t            ", behind);
    if (kind == 6 && !llvm) t_str(t, "\t            1415 f (inlined)\n");
    if (kind == 7) t_str(t, "\n");
    if (kind != 8) add_records(t, 1 + pick(6));
    if (kind == 9) t_str(t, "junk ( line\n");
    if (kind != 10) t_str(t, "\n");
}

static void add_event(t_out *t)
{
    static const char *const events[] = {
        "PERF_RECORD_MMAP2 100/100: [0x1000(0x2000) @ 0 08:01 1 1]: r-xp /x/m\n",
        "prog 7 PERF_RECORD_FORK(7:8):(7:7)\n", "prog 7 PERF_RECORD_EXIT(7:8):(7:7)\n", "\n", "\n\n", "# a remark\n"
    };
    t_str(t, events[pick(6)]);
}

/* A script of so many samples, of which few are distinct. */
static t_out some_script(uint64_t samples, uint64_t distinct, uint64_t event_every, int llvm)
{
    static t_out v[DISTINCT];
    t_out t;
    uint64_t i;
    memset(&t, 0, sizeof t);
    record_base = pick(4) != 0 ? UINT64_C(0x555555550000) >> 4 * pick(10) : 0;
    for (i = 0; i < distinct; i++) add_sample(&v[i], llvm);
    t_str(&t, "PERF_RECORD_MMAP2 100/100: [0x1000(0x2000) @ 0 08:01 1 1]: r-xp /x/m\n");
    for (i = 0; i < samples; i++) {
        const uint64_t k = pick(distinct), sample = pick(2) ? k : pick(k + 1);
        if (event_every != 0 && pick(event_every) == 0) add_event(&t);
        t_add(&t, v[sample].at, v[sample].size);
    }
    for (i = 0; i < distinct; i++) t_out_free(&v[i]);
    return t;
}

/* Code with calls, inside of which are others: some stacks have lines of inlined functions, others cannot have any. */
static csspgo_code *some_code(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_module m;
    csspgo_segment v;
    uint64_t a;
    memset(&v, 0, sizeof v);
    v.address = 0x1400;
    v.size = 0x1c00;
    v.executable = 1;
    m = csspgo_code_add_module(code, "/build/m", 8, &v, 1, NULL);
    T_EQ(csspgo_code_add_area(code, m, 0x1400, 0x1c00, NULL), CSSPGO_OK);
    for (a = 0x140b; a < 0x3000; a += 16) {
        csspgo_transfer t;
        memset(&t, 0, sizeof t);
        t.address = a;
        t.size = 5;
        t.kind = CSSPGO_CALL;
        t.target = 0x1400 + (a & 0x7f0);
        T_EQ(csspgo_code_add_transfers(code, m, &t, 1, NULL), CSSPGO_OK);
    }
    return code;
}

/* ----- tests ----- */

/* The items of a parser that follows another are those of one alone, in their order. */
static void check_follows(const t_out *text, const t_reading *how)
{
    const char *const at = text->at;
    t_reading alone = *how, follows = *how;
    t_out want, got;
    follows.follows = 1;
    T_CHECK(t_read_memory(&want, &at, &text->size, 1, &alone));
    T_CHECK(t_read_memory(&got, &at, &text->size, 1, &follows));
    T_CHECK(got.size == want.size && memcmp(got.at, want.at, want.size) == 0);
    T_EQ(follows.order, alone.order);
    T_EQ(follows.items, alone.items);
    t_out_free(&got);
    t_out_free(&want);
}

static void check_same(const t_out *text, const t_reading *how)
{
    static const uint32_t memories[] = { 1, 3000, 20000, 1 << 20 };
    const char *const at = text->at;
    t_reading r = *how;
    t_out want, got;
    size_t i;
    T_CHECK(t_read_memory(&want, &at, &text->size, 1, &r));
    for (i = 0; i < sizeof memories / sizeof *memories; i++) {
        r = *how;
        r.how.memory_bytes = memories[i];
        T_CHECK(t_read_memory(&got, &at, &text->size, 1, &r));
        T_CHECK(got.size == want.size && memcmp(got.at, want.at, want.size) == 0);
        t_out_free(&got);
        if (i % 2 == 0) check_follows(text, &r);
    }
    check_follows(text, how);
    t_out_free(&want);
}

static void memory_changes_no_sample(void)
{
    csspgo_code *code = some_code();
    unsigned long i, n = t_cases("CASES", 12, 200);
    for (i = 0; i < n; i++) {
        t_out text = some_script(300 + pick(4000), 1 + pick(DISTINCT), pick(3) != 0 ? 5 + pick(1000) : 0, i % 3 == 2);
        t_reading how;
        memset(&how, 0, sizeof how);
        how.how.llvm = i % 3 == 2 ? 19 : 0;
        how.how.code = i & 1 ? code : NULL;
        how.options.limits.max_line = pick(4) == 0 ? 60 : 0;
        how.step = pick(3) == 0 ? 0 : pick(2) ? 1 + pick(200) : 1000 + pick(20000);
        check_same(&text, &how);
        t_out_free(&text);
    }
    csspgo_code_free(code);
}

/* Samples in plain form that repeat come once; not before the first 256, and each 256th comes alone. */
static void equal_samples_are_added_up(void)
{
    t_out text, out;
    t_reading r;
    const char *at;
    unsigned i;
    memset(&text, 0, sizeof text);
    for (i = 0; i < 20000; i++) {
        t_num(&text, "\t          ", 0x401000 + i % 50, 16);
        t_str(&text, "\n 0x401000/0x401010/P/-/-/0  0x401020/0x401030/PN/-/-/0 \n\n");
    }
    at = text.at;
    for (i = 0; i < 2; i++) {
        memset(&r, 0, sizeof r);
        r.how.memory_bytes = 1 << 16;
        r.how.llvm = i == 0 ? 0 : 19;
        r.step = 1 << 16;
        T_CHECK(t_read_memory(&out, &at, &text.size, 1, &r));
        T_CHECK(r.items >= 256 + 50 && r.items < 1000);
        t_out_free(&out);
    }
    t_out_free(&text);
}

/* Stacks with repeated frames, once csspgo_script_drop_repeats has learnt from enough of them. */
static void stacks_with_repeats_are_added_up_late(void)
{
    csspgo_code *code = some_code();
    t_out text, out;
    t_reading r;
    const char *at;
    unsigned i;
    memset(&text, 0, sizeof text);
    for (i = 0; i < 9000; i++) {
        t_num(&text, "\t          ", 0x1410 + 16 * (i % 7), 16);
        t_num(&text, "\n\t          ", 0x1410 + 16 * (i % 7), 16);
        t_str(&text, "\n 0x1400/0x1410/P/-/-/0 \n\n");
    }
    at = text.at;
    memset(&r, 0, sizeof r);
    r.how.code = code;
    check_same(&text, &r);
    r.how.memory_bytes = 1 << 16;
    T_CHECK(t_read_memory(&out, &at, &text.size, 1, &r));
    T_CHECK(r.items > 256 && r.items < 5000);
    t_out_free(&out);
    t_out_free(&text);
    csspgo_code_free(code);
}

/* Texts that hardly repeat: memory rests. */
static void memory_rests_where_texts_are_new(void)
{
    t_out text, out;
    t_reading r;
    const char *at;
    unsigned i;
    memset(&text, 0, sizeof text);
    for (i = 0; i < 12000; i++) {
        t_num(&text, "\t          ", 0x401000 + i, 16);
        t_str(&text, "\n 0x401000/0x401010/P/-/-/0 \n\n");
    }
    at = text.at;
    memset(&r, 0, sizeof r);
    check_same(&text, &r);
    r.how.memory_bytes = 1 << 16;
    T_CHECK(t_read_memory(&out, &at, &text.size, 1, &r));
    T_EQ(r.items, 12000);
    t_out_free(&out);
    t_out_free(&text);
}

/* Where an allocation fails, samples come as without memory, or not at all. */
static void every_allocation_may_fail(int follows)
{
    t_out text, out;
    const char *at;
    long nth;
    unsigned i;
    memset(&text, 0, sizeof text);
    for (i = 0; i < 700; i++) t_str(&text, "\t          401000\n 0x401000/0x401010/P/-/-/0 \n\n");
    at = text.at;
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        t_reading r;
        int ok;
        memset(&r, 0, sizeof r);
        r.follows = follows;
        r.options = t_options(&h, nth);
        r.how.memory_bytes = 1 << 14;
        r.step = 300;
        ok = t_read_memory(&out, &at, &text.size, 1, &r);
        t_out_free(&out);
        T_EQ(h.live, 0);
        if (ok && h.calls < nth) break;
    }
    T_CHECK(nth > 5 && nth < 1000);
    t_out_free(&text);
}

/* A parser that was fed follows nothing, and no batch before the last one is read. */
static void batches_are_followed_in_turn(void)
{
    static const char text[] = "\t          401000\n 0x401000/0x401010/P/-/-/0 \n\n";
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL), *t = csspgo_script_new(NULL, NULL, NULL);
    csspgo_script_batch *b = csspgo_script_batch_new(NULL, NULL);
    csspgo_sample x;
    csspgo_mmap m;
    T_EQ(csspgo_script_feed(s, text, sizeof text - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_script_fill(s, b, NULL), CSSPGO_OK);
    T_EQ(csspgo_script_follow(s, b, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_script_follow(t, b, NULL), CSSPGO_OK);
    T_EQ(csspgo_script_follow(t, b, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_script_next(t, &x, &m, NULL), CSSPGO_ITEM_SAMPLE);
    T_EQ(csspgo_script_next(t, &x, &m, NULL), CSSPGO_ITEM_NONE);
    T_EQ(csspgo_script_follow(t, b, NULL), CSSPGO_OK);
    csspgo_script_free(t);
    csspgo_script_free(s);
    csspgo_script_batch_free(b);
}

int main(void)
{
    memory_changes_no_sample();
    equal_samples_are_added_up();
    stacks_with_repeats_are_added_up_late();
    memory_rests_where_texts_are_new();
    every_allocation_may_fail(0);
    every_allocation_may_fail(1);
    batches_are_followed_in_turn();
    return t_end();
}
