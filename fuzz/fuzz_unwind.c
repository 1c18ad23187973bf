/* fuzz_unwind.c - random samples over random code: the unwinder must write, byte for byte, what a plain model of its
 * rules writes (the call stack as an array, one list of events), with any options, any size of cache and any order of
 * the samples. A collector that mends what it can must lose none of them and give the same in any order. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

/* Values are printed from PRINT on, so that they have one, two and three digits. */
enum { CODE = 200, BASE = 0x10000, PRINT = BASE - 60, EXT = 1, FRAMES = 24, BRANCHES = 16, EVENTS = 4000,
       TEXT = FRAMES * 10, SAMPLES = 100 };

/* ----- the model: addresses, EXT for all that is not code ----- */

typedef struct event {            /* something counted */
    uint64_t key[FRAMES];         /* call addresses, outermost first */
    size_t   depth;
    int      branch;
    uint64_t a, b, count;
    char     context[TEXT];       /* printed */
} event;

typedef struct model {
    csspgo_transfer_kind kind[CODE + 16];
    uint64_t    call_before[CODE + 16];      /* 0: none */
    int         contexts, any;               /* some sample has a stack that counts; there are samples */
    size_t      max_depth, max_recursion;
    event      *list;
    size_t      events;
    csspgo_collector_stats stats;
    uint64_t    samples, no_stack;           /* stats outside of LLVM mode, where a count of 0 is 1 */
} model;

static int is_code(uint64_t a)
{
    return a >= BASE && a < BASE + CODE;
}

static csspgo_transfer_kind kind_at(const model *m, uint64_t a)
{
    return is_code(a) ? m->kind[a - BASE] : CSSPGO_NONE;
}

static int straight(const model *m, uint64_t start, uint64_t end)
{
    uint64_t a;
    for (a = start; a < end; a++)
        if (kind_at(m, a) == CSSPGO_CALL || kind_at(m, a) == CSSPGO_JMP || kind_at(m, a) == CSSPGO_RET) return 0;
    return start <= end;
}

static size_t compressed(uint64_t *p, size_t size, size_t limit)
{
    size_t n, i, k, cap = size / 2;
    for (n = 1; n <= cap && n <= limit; n++) {
        for (i = k = 0; i < size; i++) {
            p[k++] = p[i];
            if (k >= 2 * n && memcmp(p + k - n, p + k - 2 * n, n * sizeof *p) == 0) k -= n;
        }
        size = k;
        if (cap > size / 2) cap = size / 2;
    }
    return size;
}

/* Counts under the context of a path of calls, outermost first. */
static void count(model *m, const uint64_t *path, size_t depth, int branch, uint64_t a, uint64_t b, uint64_t n)
{
    event *e = &m->list[m->events];
    size_t i, k;
    REQUIRE(m->events < EVENTS && depth <= FRAMES);
    m->events++;
    memset(e, 0, sizeof *e);
    for (i = 0; i < depth; i++) {
        if (path[i] == EXT) e->depth = 0;
        else e->key[e->depth++] = path[i];
    }
    e->depth = compressed(e->key, e->depth, m->max_recursion);
    if (e->depth > m->max_depth) {
        memmove(e->key, e->key + e->depth - m->max_depth, m->max_depth * sizeof *e->key);
        e->depth = m->max_depth;
    }
    for (i = k = 0; i < e->depth; i++)
        k += (size_t)sprintf(e->context + k, "%s0x%llx", i != 0 ? " @ " : "", (unsigned long long)(e->key[i] - PRINT));
    e->branch = branch;
    e->a = a;
    e->b = b;
    e->count = n;
}

/* One trace: path[depth - 1] is the leaf's position. */
static void unwind(model *m, uint64_t *path, size_t depth, const uint64_t *lbr, size_t n, uint64_t times)
{
    uint64_t ip = 0;
    int bad = 0;
    size_t i;
    m->stats.branches += n;
    for (i = 0; i < n; i++) {
        const uint64_t from = lbr[2 * i], to = lbr[2 * i + 1];
        const csspgo_transfer_kind kind = kind_at(m, from);
        if (i != 0) {
            if (to == EXT && ip == EXT) m->stats.paired_external++;
            else if (to == EXT || ip == EXT) { m->stats.unpaired_external++; bad = 1; }
            else if (!straight(m, to, ip)) { m->stats.invalid_ranges++; bad = 1; }
            else count(m, path, depth - 1, 0, to, ip, times);
        }
        if (!bad && (kind == CSSPGO_CALL || (from == EXT && m->call_before[to - BASE] == 0))) {
            if (depth == 1 || path[depth - 2] != from) {
                path[depth - 1] = from;
                if (depth != 1 && from == EXT) m->stats.mismatched_external++;
                if (depth != 1 && from != EXT) m->stats.mismatched_leaf++;
            } else {
                depth--;
            }
        } else if (!bad && (kind == CSSPGO_RET || from == EXT)) {
            const uint64_t call = to == EXT ? (uint64_t)EXT : m->call_before[to - BASE];
            if (call == 0) { m->stats.zero_returns++; bad = 1; }
            path[depth - 1] = call;
            path[depth++] = from;
        } else if (!bad) {
            path[depth - 1] = from;
        }
        if (bad) {
            depth = 1;
            path[0] = from;
        }
        ip = from;
        if (to == EXT) continue;
        count(m, path, from == EXT ? 0 : depth - 1, 1, from, to, times);
    }
}

static void unwind_flat(model *m, const uint64_t *lbr, size_t n, uint64_t times)
{
    uint64_t end = 0;
    size_t i;
    m->stats.branches += n;
    for (i = 0; i < n; i++) {
        const uint64_t from = lbr[2 * i], to = lbr[2 * i + 1];
        if (i != 0 && to == EXT && end == EXT) m->stats.paired_external++;
        else if (i != 0 && (to == EXT || end == EXT)) m->stats.unpaired_external++;
        else if (i != 0 && !straight(m, to, end)) m->stats.invalid_ranges++;
        else if (i != 0) count(m, NULL, 0, 0, to, end, times);
        if (to != EXT) count(m, NULL, 0, 1, from, to, times);
        end = from;
    }
}

/* What becomes of a sample before it is unwound. */
static void take(model *m, const csspgo_sample *s, int ignore_stack, int keep_leaves)
{
    uint64_t path[FRAMES + BRANCHES], stack[FRAMES], lbr[2 * BRANCHES];
    size_t i, n = 0, nlbr = 0;
    int bad = 0;
    const int drops = m->contexts && s->stack_count == 0;      /* as LLVM does */
    m->stats.samples += s->count;
    m->samples += s->count != 0 ? s->count : 1;
    if (s->stack_count == 0 && !ignore_stack) {
        m->stats.no_stack += s->count;
        m->no_stack += s->count != 0 ? s->count : 1;
    }
    for (i = 0; i < s->stack_count; i++) {
        uint64_t a = is_code(s->stack[i]) ? s->stack[i] : (uint64_t)EXT;
        if (a == EXT && n != 0 && stack[n - 1] == EXT) continue;
        if (a != EXT && n != 0) a = m->call_before[a - BASE];
        if (a == 0) {
            bad = 1;
            break;
        }
        stack[n++] = a;
    }
    if (n > 1 && stack[n - 1] == EXT) n--;
    if (n != 0 && !keep_leaves
        && (kind_at(m, stack[0]) == CSSPGO_RET || (stack[0] != EXT && kind_at(m, stack[0] + 1) == CSSPGO_RET))) {
        m->stats.prologue_leaves += s->count;
        return;
    }
    for (i = 0; i < s->branch_count; i++) {
        const uint64_t from = is_code(s->branches[i].from) ? s->branches[i].from : (uint64_t)EXT;
        const uint64_t to = is_code(s->branches[i].to) ? s->branches[i].to : (uint64_t)EXT;
        if (from == EXT && to == EXT) continue;
        lbr[2 * nlbr] = from;
        lbr[2 * nlbr++ + 1] = to;
    }
    if (nlbr == 0) {
        m->stats.no_branches += s->count;
        return;
    }
    if (n != 0 && stack[0] == EXT) m->stats.external_leaves += s->count;
    if (bad) m->stats.bad_return_addresses += s->count;
    if (drops) {
        const size_t had = m->events;
        unwind_flat(m, lbr, nlbr, s->count);
        m->events = had;
    } else if (m->contexts) {
        for (i = 0; i < n; i++) path[i] = stack[n - 1 - i];
        path[n - 1] = lbr[1];
        unwind(m, path, n, lbr, nlbr, s->count);
    } else {
        unwind_flat(m, lbr, nlbr, s->count);
    }
}

static int event_cmp(const void *p, const void *q)
{
    const event *x = (const event *)p, *y = (const event *)q;
    const int c = strcmp(x->context, y->context);
    if (c != 0) return c;
    if (x->branch != y->branch) return x->branch < y->branch ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static char *model_text(model *m)
{
    size_t i, k = 0, j, used = 0;
    const char *indent = m->contexts ? "  " : "";
    char *out = (char *)malloc(m->events * (TEXT + 100) + 16);
    REQUIRE(out != NULL);
    out[0] = '\0';
    qsort(m->list, m->events, sizeof *m->list, event_cmp);
    for (i = 0; i < m->events; i++) {
        if (k != 0 && event_cmp(&m->list[k - 1], &m->list[i]) == 0) m->list[k - 1].count += m->list[i].count;
        else m->list[k++] = m->list[i];
    }
    for (i = 0; i < k || (i == 0 && m->any && !m->contexts);) {
        const char *context = i < k ? m->list[i].context : "";
        int branch;
        if (m->contexts) used += (size_t)sprintf(out + used, "[%s]\n", context);
        for (branch = 0; branch < 2; branch++) {
            for (j = i; j < k && m->list[j].branch == branch && strcmp(context, m->list[j].context) == 0; j++) {}
            used += (size_t)sprintf(out + used, "%s%lu\n", indent, (unsigned long)(j - i));
            for (; i < j; i++)
                used += (size_t)sprintf(out + used, "%s%llx%s%llx:%llu\n", indent,
                                        (unsigned long long)(m->list[i].a - PRINT), branch ? "->" : "-",
                                        (unsigned long long)(m->list[i].b - PRINT),
                                        (unsigned long long)m->list[i].count);
        }
        if (k == 0) break;
    }
    return out;
}

/* ----- the code and the samples that the input describes ----- */

static csspgo_code *make_code(input *in, model *m)
{
    static const csspgo_transfer_kind kinds[] = { CSSPGO_NONE, CSSPGO_NONE, CSSPGO_NONE, CSSPGO_COND,
                                         CSSPGO_JMP,  CSSPGO_IJMP, CSSPGO_CALL, CSSPGO_RET };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    const csspgo_module none = csspgo_no_module();
    csspgo_transfer list[CODE];
    size_t i, k, n = 0;
    memset(list, 0, sizeof list);
    REQUIRE(code != NULL && csspgo_code_add_area(code, none, BASE, CODE, NULL) == CSSPGO_OK);
    for (i = 0; i < CODE; i += 2) {
        const unsigned v = byte(in);
        for (k = 0; k < 2; k++) {
            csspgo_transfer *t = &list[n];
            t->address = BASE + i + k;
            t->size = 1 + (v >> 7);                   /* some instructions reach over the next one */
            t->kind = kinds[v >> 3 * k & 7];
            if (t->kind == CSSPGO_NONE) continue;
            n++;
            m->kind[i + k] = t->kind;
            if (t->kind == CSSPGO_CALL) m->call_before[i + k + t->size] = t->address;
        }
    }
    REQUIRE(csspgo_code_add_transfers(code, none, list, n, NULL) == CSSPGO_OK);
    return code;
}

static uint64_t make_address(input *in)
{
    const unsigned v = byte(in);
    return v < CODE ? (uint64_t)(BASE + v) : v & 1 ? UINT64_C(0x7f0000000000) : (uint64_t)(BASE - 1);
}

typedef struct taken {            /* a sample with its arrays; its records as single branches                   */
    csspgo_sample s;
    uint64_t      stack[8];
    csspgo_branch branch[16], alone[16];
} taken;

static void make_sample(input *in, taken *t)
{
    unsigned v = byte(in), i;
    memset(t, 0, sizeof *t);
    t->s.stack = t->stack;
    t->s.branches = t->branch;
    t->s.stack_count = v & 7;
    t->s.branch_count = v >> 3 & 15;
    t->s.count = v >> 7 ? byte(in) : 1;
    for (i = 0; i < t->s.stack_count; i++) t->stack[i] = make_address(in);
    for (i = 0; i < t->s.branch_count; i++) {
        csspgo_branch *b = &t->branch[i];
        b->from = make_address(in);
        b->to = make_address(in);
        b->flags = b->from % 11 == 3 ? (uint64_t)1 << 33 : b->to % 7 == 2 ? 11 << 20 : 0;
        if (b->to % 13 == 5) b->flags |= 1 << 24;                   /* a wrong path */
    }
    memcpy(t->alone, t->branch, sizeof t->alone);
    if (t->s.branch_count > 1 && t->branch[1].to % 5 == 1) t->alone[1].from = 0;
}

static void add(csspgo_collector *c, const taken *t, int single)
{
    csspgo_sample s = t->s;
    if (single) s.branches = t->alone;
    REQUIRE(csspgo_collector_add(c, &s, 1, NULL) == CSSPGO_OK);
}

/* Number i of n samples in an order that the input chooses: forwards, backwards, the odd ones behind the even ones. */
static unsigned in_order(unsigned i, unsigned n, unsigned order)
{
    const unsigned even = (n + 1) / 2;
    if (order % 3 == 0) return i;
    return order % 3 == 1 ? n - 1 - i : i < even ? 2 * i : 2 * (i - even) + 1;
}

static char *text_of(csspgo_collector *c)
{
    csspgo_unsymbolized_options how;
    size_t size;
    char *text;
    how.module = csspgo_no_module();
    how.base = PRINT;
    REQUIRE(csspgo_write_unsymbolized(c, &how, NULL, 0, &size, NULL) == CSSPGO_OK);
    text = (char *)calloc(size + 1, 1);
    REQUIRE(text != NULL && csspgo_write_unsymbolized(c, &how, text, size, NULL, NULL) == CSSPGO_OK);
    return text;
}

static void require_text(csspgo_collector *c, const char *want)
{
    char *got;
    got = text_of(c);
    if (strcmp(got, want) != 0) fprintf(stderr, "got:\n%s\nwant:\n%s\n", got, want);
    REQUIRE(strcmp(got, want) == 0);
    free(got);
}

/*
 * Counters survive being written and read (each stands there once, in order), nothing was dropped for its leaf, and the
 * same samples in another order, in `other`, give the same.
 */
static void require_ours(csspgo_collector *c, csspgo_collector *other, csspgo_code *code,
                         const csspgo_collector_options *options, const model *m)
{
    csspgo_collector_stats s;
    csspgo_unsymbolized_options how;
    csspgo_collector *again = csspgo_collector_new(code, options, NULL, NULL);
    char *text = text_of(c);
    how.module = csspgo_no_module();
    how.base = PRINT;
    require_text(other, text);
    REQUIRE(again != NULL);
    if (csspgo_read_unsymbolized(again, text, strlen(text), &how, NULL) == CSSPGO_OK &&
        csspgo_collector_get_stats(again).unplaced == 0)
        require_text(again, text);
    free(text);
    csspgo_collector_free(again);
    s = csspgo_collector_get_stats(c);
    REQUIRE(s.samples == m->samples && s.no_stack == (options->single_branches ? 0 : m->no_stack));
    REQUIRE(s.prologue_leaves == 0 && csspgo_collector_has_contexts(c) == csspgo_collector_has_contexts(other));
    REQUIRE(s.no_branches + s.addresses + (options->keep_records ? 0 : s.late_stacks) <= s.samples);
}

/* Single branches: one each, and there are no contexts. */
static void require_single(csspgo_collector *c, csspgo_collector *other, csspgo_code *code,
                           const csspgo_collector_options *options, const model *m)
{
    csspgo_collector_stats s;
    require_ours(c, other, code, options, m);
    s = csspgo_collector_get_stats(c);
    REQUIRE(!csspgo_collector_has_contexts(c) && s.no_stack == 0 && s.late_stacks == 0);
    REQUIRE(s.branches <= s.unwound && s.no_branches + s.not_taken <= s.samples);
}

/*
 * So many contexts and counters that tables grow in steps: the samples in any order give the same, and fit the memory
 * that csspgo_collector_need says. The profile is made in parts, without stacks by where the code is.
 */
static void crowd(csspgo_code *code, const csspgo_collector_options *how, uint32_t stacks)
{
    enum { CROWD = 6000 };
    csspgo_collector *c[2];
    csspgo_profile *p[2];
    csspgo_options o;
    char *want;
    unsigned k, i;
    memset(&o, 0, sizeof o);
    for (k = 0; k < 2; k++) {
        o.limits.max_bytes = k == 0 ? 0 : csspgo_collector_need(CROWD, 2, 3, how);
        c[k] = csspgo_collector_new(code, how, &o, NULL);
        REQUIRE(c[k] != NULL);
        for (i = 0; i < CROWD; i++) {
            const unsigned n = k == 0 ? i : CROWD - 1 - i;
            const uint64_t place = hash_bytes(&n, sizeof n, 0);
            taken t;
            memset(&t, 0, sizeof t);
            t.s.stack = t.stack;
            t.s.branches = t.branch;
            t.s.stack_count = stacks;
            t.s.branch_count = 2;
            t.s.count = 1;
            t.stack[0] = BASE + n % CODE;
            t.stack[1] = BASE + (place >> 8) % CODE;
            t.stack[2] = BASE + (place >> 16) % CODE;
            t.branch[0].from = BASE + (place >> 24) % CODE;
            t.branch[0].to = BASE + (place >> 32) % CODE;
            t.branch[1].from = BASE + (place >> 40) % CODE;
            t.branch[1].to = BASE + (place >> 48) % CODE;
            add(c[k], &t, 0);
        }
    }
    want = text_of(c[0]);
    require_text(c[1], want);
    free(want);
    for (k = 0; k < 2; k++) {
        p[k] = csspgo_profile_new(NULL, NULL);
        REQUIRE(p[k] != NULL && csspgo_collector_profile(c[k], NULL, p[k], NULL, NULL) == CSSPGO_OK);
        csspgo_collector_free(c[k]);
    }
    REQUIRE(csspgo_equal(p[0], p[1]));
    csspgo_profile_free(p[0]);
    csspgo_profile_free(p[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csspgo_collector_options how, alone;
    csspgo_collector_stats s;
    csspgo_collector *c, *tiny, *ours[2], *single[2];
    csspgo_code *code;
    char *want;
    input in;
    unsigned v, n = 0, i, k;
    static taken list[SAMPLES];
    static event events[EVENTS];
    static model the_model;
    model *m = &the_model;
    memset(m, 0, sizeof *m);
    m->list = events;
    in.p = data;
    in.end = data + size;
    v = byte(&in);
    memset(&how, 0, sizeof how);
    how.ignore_stack = (v & 7) == 7;
    how.keep_leaves = v >> 3 & 1;
    how.llvm = 19;
    how.limit_depth = v >> 4 & 1;
    how.max_depth = v >> 5 & 3;
    how.limit_recursion = (v & 3) == 1;
    how.max_recursion = v >> 5 & 3;
    m->max_depth = how.limit_depth ? how.max_depth : (size_t)FRAMES;
    m->max_recursion = how.limit_recursion ? how.max_recursion : (size_t)FRAMES;
    code = make_code(&in, m);
    how.cache_bytes = 32768;
    c = csspgo_collector_new(code, &how, NULL, NULL);
    how.cache_bytes = 1;
    tiny = csspgo_collector_new(code, &how, NULL, NULL);
    how.llvm = 0;
    how.keep_records = v >> 6 & 1;
    how.judge_fn = v >> 7 ? csspgo_judge_stacks : NULL;
    alone = how;
    alone.single_branches = 1;
    how.cache_bytes = alone.cache_bytes = 1 << 17;            /* more than SAMPLES need */
    for (k = 0; k < 2; k++) {
        ours[k] = csspgo_collector_new(code, &how, NULL, NULL);
        single[k] = csspgo_collector_new(code, &alone, NULL, NULL);
        REQUIRE(ours[k] != NULL && single[k] != NULL);
    }
    REQUIRE(c != NULL && tiny != NULL);
    for (; in.p != in.end && n < SAMPLES; n++) make_sample(&in, &list[n]);
    m->any = n != 0;
    for (i = 0; i < n; i++) m->contexts |= list[i].s.stack_count != 0 && !how.ignore_stack;
    for (i = 0; i < n; i++) {
        const taken *const other = &list[in_order(i, n, 1 + v % 2)];
        take(m, &list[i].s, how.ignore_stack != 0, how.keep_leaves != 0);
        add(c, &list[i], 0);
        add(tiny, other, 0);
        add(ours[0], &list[i], 0);
        add(ours[1], other, 0);
        add(single[0], &list[i], 1);
        add(single[1], other, 1);
    }
    want = model_text(m);
    require_text(c, want);
    require_text(tiny, want);
    s = csspgo_collector_get_stats(tiny);             /* hardly any sample meets its like there */
    REQUIRE(s.samples == m->stats.samples && s.no_stack == m->stats.no_stack && s.no_branches == m->stats.no_branches);
    REQUIRE(s.prologue_leaves == m->stats.prologue_leaves && s.external_leaves == m->stats.external_leaves);
    REQUIRE(s.bad_return_addresses == m->stats.bad_return_addresses && s.branches <= m->stats.branches);
    if (s.branches == m->stats.branches) {
        REQUIRE(s.paired_external == m->stats.paired_external && s.unpaired_external == m->stats.unpaired_external);
        REQUIRE(s.invalid_ranges == m->stats.invalid_ranges && s.zero_returns == m->stats.zero_returns);
        REQUIRE(s.mismatched_external == m->stats.mismatched_external && s.mismatched_leaf == m->stats.mismatched_leaf);
    }
    require_ours(ours[0], ours[1], code, &how, m);
    require_single(single[0], single[1], code, &alone, m);
    if (size != 0 && data[size - 1] == 0xc7) {
        how.cache_bytes = v & 1 ? 0 : 4096;
        crowd(code, &how, v & 2 ? 0 : 3);
    }
    free(want);
    for (k = 0; k < 2; k++) {
        csspgo_collector_free(single[k]);
        csspgo_collector_free(ours[k]);
    }
    csspgo_collector_free(tiny);
    csspgo_collector_free(c);
    csspgo_code_free(code);
    return 0;
}
