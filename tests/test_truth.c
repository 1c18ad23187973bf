/* test_truth.c - what the collector counts against what the program did. Complete branch streams, put together from
 * recordings whose windows overlap, are walked forwards with a shadow stack: that is the truth. The same stream cut
 * into windows must give exactly that, whatever the sampled address is. LLVM's rules lose a part of it: that error is
 * shown, with any argument. */
#include "t.h"
#include "table.h"

enum { FRAMES = 60, WINDOW = 64 };

typedef struct event {            /* something that happened: a range or a branch in a context */
    uint64_t key[FRAMES];         /* call addresses, outermost first */
    size_t   depth;
    int      branch;
    uint64_t a, b, count;
} event;

typedef struct stream {
    t_table       t;
    csspgo_branch *branch;        /* in order of time */
    size_t        branches;
    uint64_t      first[FRAMES];  /* call sites before branch 0, outermost first; 0: unknown code */
    size_t        frames;
} stream;

typedef struct shadow {           /* the program's stack of calls */
    uint64_t site[FRAMES];        /* 0: unknown code */
    size_t   depth;
} shadow;

typedef struct events {
    event *v;
    size_t n;
} events;

/* ----- streams ----- */

static int is_code(const stream *s, uint64_t address)
{
    return csspgo_code_runs_straight(s->t.code, address, address) >= 0;
}

static size_t insn_at(const stream *s, uint64_t address)
{
    size_t a = 0, b = s->t.insns;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (s->t.insn[m].address <= address) a = m + 1;
        else b = m;
    }
    return a - 1;
}

static csspgo_transfer_kind kind_of(const stream *s, uint64_t address)
{
    return is_code(s, address) ? s->t.insn[insn_at(s, address)].kind : CSSPGO_NONE;
}

static int is_entry(const stream *s, uint64_t address)
{
    size_t i;
    for (i = 0; i < s->t.funcs; i++)
        if (s->t.func[i].begin == address && !s->t.func[i].fragment) return 1;
    return 0;
}

/* Where a walk along frame pointers does not see the caller. */
static int is_frameless(const stream *s, uint64_t address)
{
    const size_t i = insn_at(s, address);
    if (kind_of(s, address) == CSSPGO_RET) return 1;
    return is_entry(s, address) || (i != 0 && is_entry(s, s->t.insn[i - 1].address));
}

/* Branches of a line " 0xFROM/0xTO/... ...", newest first. Returns their number. */
static size_t line_branches(const char *line, csspgo_branch *branch)
{
    const char *at = line, *stop = line + strcspn(line, "\n");
    size_t n = 0;
    char *end;
    while ((at = strstr(at, " 0x")) != NULL && at < stop && n < WINDOW) {
        branch[n].from = (uint64_t)strtoull(at, &end, 16);
        branch[n].to = (uint64_t)strtoull(end + 1, &end, 16);
        branch[n++].flags = 0;
        at = end;
    }
    return n;
}

/* Joins the samples of a recording that has one every `period` branches. Branches inside unknown code are left out. */
static int stream_open(stream *s, const char *table, const char *script, size_t period)
{
    size_t size, n, i, samples = 0, all = 0, used = 0;
    char *text = t_file(script, &size), *line;
    csspgo_branch window[WINDOW];
    memset(s, 0, sizeof *s);
    if (text == NULL || !T_EQ(t_table_load(&s->t, table, NULL), CSSPGO_OK)) return 0;
    s->branch = (csspgo_branch *)malloc((size / 20 + 1) * sizeof *s->branch);
    for (line = text; s->branch != NULL && *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        if (*line == '\t' && samples == 0) s->first[s->frames++] = (uint64_t)strtoull(line, NULL, 16);
        if (strncmp(line, " 0x", 3) != 0) continue;
        if (samples == 0 && (!is_code(s, s->first[0]) || is_frameless(s, s->first[0]))) {
            s->frames = 0;                              /* the recorder walks along frame pointers */
            continue;
        }
        n = line_branches(line, window);
        for (i = samples++ == 0 ? 1 : period; i-- > 0 && period <= n;) s->branch[all++] = window[i];
    }
    free(text);
    for (n = 1; n < s->frames; n++)                     /* first: return addresses, innermost first */
        s->first[n - 1] = is_code(s, s->first[n]) ? csspgo_code_call_before(s->t.code, s->first[n]) : 0;
    s->frames--;
    for (n = 0; n < s->frames / 2; n++) {
        const uint64_t t = s->first[n];
        s->first[n] = s->first[s->frames - 1 - n];
        s->first[s->frames - 1 - n] = t;
    }
    for (i = 0; i < all; i++)
        if (i == 0 || is_code(s, s->branch[i].from) || is_code(s, s->branch[i].to)) s->branch[used++] = s->branch[i];
    s->branches = used;
    return T_CHECK(used > 50);
}

static void stream_close(stream *s)
{
    free(s->branch);
    t_table_free(&s->t);
}

/* ----- the truth ----- */

/* What a branch does to the stack of calls. */
static void take_branch(const stream *s, shadow *k, const csspgo_branch *b)
{
    const csspgo_transfer_kind kind = kind_of(s, b->from);
    if (kind == CSSPGO_CALL || (!is_code(s, b->from) && is_code(s, b->to) && is_entry(s, b->to))) {
        if (k->depth == FRAMES) abort();
        k->site[k->depth++] = is_code(s, b->from) ? b->from : 0;
    } else if (kind == CSSPGO_RET) {
        if (k->depth != 0) k->depth--;
    } else if (!is_code(s, b->from) && is_code(s, b->to)) {
        const uint64_t call = csspgo_code_call_before(s->t.code, b->to);
        while (k->depth != 0 && k->site[k->depth - 1] != call) k->depth--;
        if (k->depth != 0) k->depth--;
    }
}

static size_t compressed(uint64_t *p, size_t size)
{
    size_t n, i, k, cap = size / 2;
    for (n = 1; n <= cap; n++) {
        for (i = k = 0; i < size; i++) {
            p[k++] = p[i];
            if (k >= 2 * n && memcmp(p + k - n, p + k - 2 * n, n * sizeof *p) == 0) k -= n;
        }
        size = k;
        if (cap > size / 2) cap = size / 2;
    }
    return size;
}

static void count(events *e, const shadow *k, int branch, uint64_t a, uint64_t b)
{
    event *v;
    size_t i;
    e->v = (event *)t_list_more(e->v, e->n, sizeof *e->v);
    v = &e->v[e->n++];
    memset(v, 0, sizeof *v);
    for (i = 0; i < k->depth; i++) {
        if (k->site[i] == 0) v->depth = 0;
        else v->key[v->depth++] = k->site[i];
    }
    v->depth = compressed(v->key, v->depth);
    memset(v->key + v->depth, 0, (FRAMES - v->depth) * sizeof *v->key);
    v->branch = branch;
    v->a = a;
    v->b = b;
    v->count = 1;
}

static int event_cmp(const void *p, const void *q)
{
    const event *x = (const event *)p, *y = (const event *)q;
    const size_t n = x->depth < y->depth ? x->depth : y->depth;
    size_t i;
    for (i = 0; i < n; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    if (x->branch != y->branch) return x->branch < y->branch ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static void settle(events *e)
{
    size_t i, k = 0;
    if (e->n != 0) qsort(e->v, e->n, sizeof *e->v, event_cmp);
    for (i = 0; i < e->n; i++) {
        if (k != 0 && event_cmp(&e->v[k - 1], &e->v[i]) == 0) e->v[k - 1].count += e->v[i].count;
        else e->v[k++] = e->v[i];
    }
    e->n = k;
}

/* What happened behind branch 0 up to branch `last`. */
static events truth_of(const stream *s, size_t last)
{
    shadow k;
    events e;
    size_t i;
    memset(&e, 0, sizeof e);
    memset(&k, 0, sizeof k);
    memcpy(k.site, s->first, sizeof k.site);
    k.depth = s->frames;
    for (i = 1; i <= last; i++) {
        const csspgo_branch *b = &s->branch[i];
        if (is_code(s, s->branch[i - 1].to) && is_code(s, b->from)) count(&e, &k, 0, s->branch[i - 1].to, b->from);
        if (is_code(s, b->to)) {
            shadow none;
            memset(&none, 0, sizeof none);
            count(&e, is_code(s, b->from) ? &k : &none, 1, b->from, b->to);
            if (!is_code(s, b->from)) e.v[e.n - 1].a = 1;                        /* as the text of counters has it */
        }
        take_branch(s, &k, b);
    }
    settle(&e);
    return e;
}

/* ----- what a collector has counted ----- */

/* The context of a line [0x10 @ 0x20], outermost call first. */
static void read_context(event *e, const char *line)
{
    memset(e, 0, sizeof *e);
    for (line++; *line != ']';) {
        char *end;
        e->key[e->depth++] = (uint64_t)strtoull(line, &end, 16);
        line = *end == ' ' ? end + 3 : end;
    }
}

/* The counters as csspgo_write_unsymbolized shows them, at the addresses of the table. */
static events events_of(csspgo_collector *c, csspgo_module module)
{
    csspgo_unsymbolized_options how;
    events e;
    event now;
    size_t size;
    char *text, *line;
    memset(&e, 0, sizeof e);
    memset(&now, 0, sizeof now);
    memset(&how, 0, sizeof how);
    how.module = module;
    T_EQ(csspgo_write_unsymbolized(c, &how, NULL, 0, &size, NULL), CSSPGO_OK);
    text = (char *)calloc(size + 1, 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write_unsymbolized(c, &how, text, size, NULL, NULL), CSSPGO_OK);
    for (line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char *end;
        if (*line == '[') read_context(&now, line);
        now.a = (uint64_t)strtoull(line, &end, 16);
        if (*end != '-') continue;                    /* a context, or a number of counters */
        now.branch = end[1] == '>';
        now.b = (uint64_t)strtoull(end + 1 + now.branch, &end, 16);
        now.count = (uint64_t)strtoull(end + 1, NULL, 10);
        e.v = (event *)t_list_more(e.v, e.n, sizeof *e.v);
        e.v[e.n++] = now;
    }
    free(text);
    settle(&e);
    return e;
}

static void print_event(const char *what, const event *v)
{
    size_t i;
    fprintf(stderr, "    %s", what);
    for (i = 0; i < v->depth; i++) fprintf(stderr, " %llx", (unsigned long long)v->key[i]);
    fprintf(stderr, ": %llx%s%llx %llu\n", (unsigned long long)v->a, v->branch ? "->" : "-", (unsigned long long)v->b,
            (unsigned long long)v->count);
}

/* Sum of the differences of all counts, in parts of the sum of the truth's; shows the first few of them. */
static double difference(const events *want, const events *got, int show)
{
    double sum = 0, all = 0;
    size_t i = 0, j = 0;
    for (i = 0; i < want->n; i++) all += (double)want->v[i].count;
    for (i = 0; i < want->n || j < got->n;) {
        const int c = i == want->n ? 1 : j == got->n ? -1 : event_cmp(&want->v[i], &got->v[j]);
        if (c == 0 && want->v[i].count == got->v[j].count) {
            i++;
            j++;
            continue;
        }
        if (show-- > 0) {
            if (c <= 0) print_event("true:   ", &want->v[i]);
            if (c >= 0) print_event("counted:", &got->v[j]);
        }
        if (c == 0) sum += want->v[i].count > got->v[j].count ? (double)(want->v[i].count - got->v[j].count)
                                                              : (double)(got->v[j].count - want->v[i].count);
        else sum += (double)(c < 0 ? want->v[i].count : got->v[j].count);
        i += c <= 0;
        j += c >= 0;
    }
    return sum / all;
}

/* ----- windows ----- */

/* What is put between branches: an interrupt's return; with its other half; at any address, but with the flag of one;
 * branches that were not taken. */
enum between { NOTHING, RESUMED, INTERRUPTED, FLAGGED, NOT_TAKEN };

typedef struct cut {
    size_t window;                /* branches of a sample; the next one begins where it ends */
    int    at_end;                /* sampled address: 0 where the newest branch went, 1 the next one's source */
    int    frame_pointers;        /* 1: the stack is what a walk along frame pointers gives */
    uint64_t kernel;              /* number of kernel frames above the user's */
    enum between between;         /* what is put between branches */
} cut;

/* Records that stand for nothing, newest first: what comes between branch i - 1 and branch i. Returns their number. */
static size_t cut_between(const stream *s, const cut *how, size_t i, csspgo_branch *lbr)
{
    const uint64_t start = s->branch[i - 1].to, end = s->branch[i].from;
    const uint64_t kernel = UINT64_C(0xffffffff81001000);
    size_t k;
    uint64_t x;
    if (!is_code(s, start) || !is_code(s, end) || how->between == NOTHING) return 0;
    for (k = insn_at(s, start); how->between == NOT_TAKEN && k < insn_at(s, end); k++)
        if (s->t.insn[k].kind == CSSPGO_COND) {
            lbr->from = s->t.insn[k].address;
            lbr->to = s->t.insn[0].address;
            lbr->flags = (uint64_t)1 << 33;
            return 1;
        }
    if (how->between == NOT_TAKEN) return 0;
    k = (insn_at(s, start) + insn_at(s, end) + i % 2) / 2;
    x = s->t.insn[k].address;
    if (how->between != FLAGGED && (is_entry(s, x) || csspgo_code_call_before(s->t.code, x) != 0)) return 0;
    lbr->from = kernel;
    lbr->to = x;
    if (how->between == FLAGGED) lbr->flags = 11 << 20;
    if (how->between != INTERRUPTED) return 1;
    lbr[1].from = x;
    lbr[1].to = kernel;
    return 2;
}

static void cut_sample(const stream *s, const shadow *k, size_t i, const cut *how, csspgo_collector *c)
{
    const csspgo_branch *b = s->branch;
    uint64_t stack[FRAMES + 8];
    csspgo_branch lbr[3 * WINDOW];
    csspgo_sample sample;
    size_t n = 0, d;
    memset(&sample, 0, sizeof sample);
    for (n = 0; n < how->kernel; n++) stack[n] = UINT64_C(0xffffffff81000000) + 16 * n;
    stack[n] = how->at_end && i + 1 < s->branches && is_code(s, b[i + 1].from) ? b[i + 1].from : b[i].to;
    d = k->depth;
    if (how->frame_pointers && is_code(s, stack[n]) && is_frameless(s, stack[n]) && d != 0) d--;
    for (n++; d-- > 0;) {
        const uint64_t site = k->site[d];
        stack[n++] = site != 0 ? site + s->t.insn[insn_at(s, site)].size : UINT64_C(0x7ffff7000000) + d;
    }
    sample.stack = stack;
    sample.stack_count = (uint32_t)n;
    memset(lbr, 0, sizeof lbr);
    for (d = n = 0; d < how->window; d++) {
        lbr[n++] = b[i - d];
        if (d + 1 < how->window) n += cut_between(s, how, i - d, lbr + n);
    }
    sample.branches = lbr;
    sample.branch_count = (uint32_t)n;
    sample.count = 1;
    T_EQ(csspgo_collector_add(c, &sample, 1, NULL), CSSPGO_OK);
}

/* Cuts the stream into windows, each range in one. Returns the number of the last branch. */
static size_t cut_stream(const stream *s, const cut *how, csspgo_collector *c)
{
    shadow k;
    size_t i, next = how->window - 1, last = 0;
    memset(&k, 0, sizeof k);
    memcpy(k.site, s->first, sizeof k.site);
    k.depth = s->frames;
    for (i = 1; i < s->branches; i++) {
        take_branch(s, &k, &s->branch[i]);
        if (i != next) continue;
        cut_sample(s, &k, i, how, c);
        last = i;
        next += how->window - 1;
    }
    return last;
}

static double error_of(const stream *s, const cut *how, int llvm, int exact, csspgo_collector_stats *stats)
{
    csspgo_collector_options o;
    csspgo_collector *c;
    events want, got;
    double d;
    size_t last;
    memset(&o, 0, sizeof o);
    o.llvm = llvm ? 19 : 0;
    c = csspgo_collector_new(s->t.code, &o, NULL, NULL);
    last = cut_stream(s, how, c);
    want = truth_of(s, last);
    got = events_of(c, s->t.module);
    d = difference(&want, &got, exact ? 6 : 0);
    *stats = csspgo_collector_get_stats(c);
    free(want.v);
    free(got.v);
    csspgo_collector_free(c);
    return d;
}

static const struct { const char *table, *script; size_t period; } recordings[] = {
    { "data/unwind/tables/demo.probe.tsv", "data/unwind/traces/demo.probe.ps", 7 },
    { "data/unwind/tables/ext.probe.tsv", "data/unwind/traces/ext.probe.ps", 5 },
    { "data/generate/tables/mix.probe.tsv", "data/generate/mix.perfscript", 13 }
};

/* mode: 1 = frame pointers, 0 = exact stacks; 2 = sampled at block ends; 4 = kernel frames; from 8 on `between`. */
static cut cut_of(size_t window, unsigned mode)
{
    static const enum between betweens[] = { NOTHING, RESUMED, INTERRUPTED, FLAGGED, NOT_TAKEN };
    cut how;
    memset(&how, 0, sizeof how);
    how.window = window;
    how.frame_pointers = mode & 1;
    how.at_end = mode >> 1 & 1;
    how.kernel = mode >> 2 & 1 ? 3 : 0;
    how.between = betweens[mode >> 3];
    return how;
}

static void check_cut(const stream *s, const char *name, size_t window, unsigned mode, int show)
{
    const cut how = cut_of(window, mode);
    csspgo_collector_stats ours, llvms;
    const int exact = !(how.frame_pointers && how.at_end);
    const double a = error_of(s, &how, 0, exact, &ours), b = error_of(s, &how, 1, 0, &llvms);
    if (show || (exact && a != 0))
        printf("%s, windows of %lu, %s, %s%s, between %d: error %.4f (%llu mended, %llu cut); LLVM's rules %.4f\n",
               name, (unsigned long)window, how.at_end ? "block ends" : "branch targets",
               how.frame_pointers ? "frame pointers" : "exact stacks", how.kernel ? ", kernel" : "", (int)how.between,
               a,
               (unsigned long long)ours.repaired_stacks, (unsigned long long)ours.cut_stacks, b);
    if (exact) T_CHECK(a == 0);
    else T_CHECK(a < b && a < 0.3);                     /* at a return nothing tells some callers: see cut_stacks */
    T_CHECK(b > 0.01 && ours.prologue_leaves == 0 && ours.unpaired_external == 0 && ours.zero_returns == 0);
    T_CHECK(ours.oldest_branches == ours.unwound && llvms.oldest_branches == 0);
    if (how.kernel) T_EQ(ours.kernel_leaves, ours.samples);
    if (how.between == NOT_TAKEN) T_CHECK(ours.not_taken != 0 && ours.elided_interrupts == 0);
    if (how.between != NOTHING && how.between != NOT_TAKEN) T_CHECK(ours.elided_interrupts != 0 && ours.not_taken == 0);
}

static void dense_windows_give_every_count_of_every_context(int show)
{
    static const size_t windows[] = { 32, 16, 8 };
    const unsigned step = (unsigned)t_cases("CSSPGO_TRUTH_STEP", 9, 1);      /* a quick run: one mode in nine */
    size_t i, w;
    unsigned mode;
    for (i = 0; i < sizeof recordings / sizeof recordings[0]; i++) {
        stream s;
        if (stream_open(&s, recordings[i].table, recordings[i].script, recordings[i].period))
            for (w = 0; w < sizeof windows / sizeof windows[0]; w++)
                for (mode = (unsigned)(w + i) % step; mode < 40; mode += step)
                    if (mode < 8 || (mode & 3) != 3) check_cut(&s, recordings[i].script, windows[w], mode, show);
        stream_close(&s);
    }
}

/* ----- by hand ----- */

/* Four functions of 32 bytes at 0x1000; the transfers are the caller's. */
static csspgo_code *hand_code(const csspgo_transfer *transfers, size_t n)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_code_function f;
    unsigned i;
    memset(&f, 0, sizeof f);
    T_EQ(csspgo_code_add_area(code, csspgo_no_module(), 0x1000, 128, NULL), CSSPGO_OK);
    for (i = 0; code != NULL && i < 4; i++) {
        char name[2];
        name[0] = (char)('a' + i);
        name[1] = '\0';
        f.begin = 0x1000 + 32 * i;
        f.end = f.begin + 32;
        f.name = name;
        f.name_size = 1;
        T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    }
    T_EQ(csspgo_code_add_transfers(code, csspgo_no_module(), transfers, n, NULL), CSSPGO_OK);
    return code;
}

static csspgo_transfer transfer(uint64_t address, csspgo_transfer_kind kind, uint64_t target)
{
    csspgo_transfer t;
    memset(&t, 0, sizeof t);
    t.address = address;
    t.kind = kind;
    t.target = target;
    t.size = 4;
    return t;
}

/* One sample, numbers like "1040 1008|1044 1008,1004 1040": stack, then from and to, newest first. */
static void expect_counts(csspgo_code *code, const char *sample, const char *want, csspgo_collector_stats *stats)
{
    csspgo_collector_options how;
    csspgo_collector *c;
    csspgo_collector_stats judged;
    csspgo_unsymbolized_options plain;
    uint64_t stack[16];
    csspgo_branch branch[16];
    csspgo_sample s;
    char got[1000], *end;
    const char *at = sample;
    size_t n = 0;
    memset(&s, 0, sizeof s);
    memset(&plain, 0, sizeof plain);
    memset(branch, 0, sizeof branch);
    memset(&how, 0, sizeof how);
    how.judge_fn = csspgo_judge_stacks;
    c = csspgo_collector_new(code, &how, NULL, NULL);
    for (; *at != '|'; at = *end == ' ' ? end + 1 : end) stack[s.stack_count++] = (uint64_t)strtoull(at, &end, 16);
    for (at++; *at != '\0'; at = *end == ',' ? end + 1 : end) {
        branch[s.branch_count].from = (uint64_t)strtoull(at, &end, 16);
        branch[s.branch_count++].to = (uint64_t)strtoull(end + 1, &end, 16);
    }
    s.stack = stack;
    s.branches = branch;
    s.count = 1;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_write_unsymbolized(c, &plain, got, sizeof got, &n, NULL), CSSPGO_OK);
    t_same(sample, got, n, want, strlen(want));
    judged = csspgo_collector_get_stats(c);
    T_EQ(judged.repaired_samples, judged.repaired_stacks);
    T_EQ(judged.cut_samples, judged.cut_stacks);
    if (stats != NULL) *stats = judged;
    csspgo_collector_free(c);
}

/* a calls b, b calls the thunk c, which calls its own inside, from where a return jumps to d; d returns to b. */
static void a_return_behind_a_call_is_a_jump(void)
{
    csspgo_transfer t[6];
    csspgo_collector_stats stats;
    csspgo_code *code;
    t[0] = transfer(0x1008, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x1028, CSSPGO_CALL, 0x1040);
    t[2] = transfer(0x1040, CSSPGO_CALL, 0x1050);
    t[3] = transfer(0x1054, CSSPGO_RET, 0);
    t[4] = transfer(0x1068, CSSPGO_RET, 0);
    t[5] = transfer(0x1030, CSSPGO_JMP, 0x1024);
    code = hand_code(t, 6);
    expect_counts(code, "1024 100c|1030 1024,1068 102c,1054 1060,1040 1050,1028 1040,1008 1020",
                  "[0x1008]\n  2\n  1020-1028:1\n  102c-1030:1\n  2\n  1028->1040:1\n  1030->1024:1\n"
                  "[0x1008 @ 0x1028]\n  2\n  1040-1040:1\n  1060-1068:1\n  2\n  1040->1050:1\n  1068->102c:1\n"
                  "[0x1008 @ 0x1028 @ 0x1040]\n  1\n  1050-1054:1\n  1\n  1054->1060:1\n", &stats);
    T_CHECK(stats.return_jumps == 1 && stats.zero_returns == 0 && stats.repaired_stacks == 0);
    csspgo_code_free(code);
}

/* b ends in a jump to code that all functions return through; the kernel made a return of it. */
static void a_jump_behind_a_call_instead_of_to_its_target_is_a_return(void)
{
    csspgo_transfer t[3];
    csspgo_code *code;
    t[0] = transfer(0x1008, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x1028, CSSPGO_JMP, 0x1e00);
    t[2] = transfer(0x1010, CSSPGO_JMP, 0x1000);
    code = hand_code(t, 3);
    expect_counts(code, "1000|1010 1000,1028 100c,1008 1020",
                  "[]\n  1\n  100c-1010:1\n  1\n  1010->1000:1\n"
                  "[0x1008]\n  1\n  1020-1028:1\n  1\n  1028->100c:1\n", NULL);
    csspgo_code_free(code);
}

/* d follows a call at the end of c: unknown code that goes to d's first instruction calls d all the same. */
static void unknown_code_calls_a_function_at_its_beginning(void)
{
    csspgo_transfer t[3];
    csspgo_collector_stats stats;
    csspgo_code *code;
    t[0] = transfer(0x105c, CSSPGO_CALL, 0x1000);
    t[1] = transfer(0x1064, CSSPGO_JMP, 0x1068);
    t[2] = transfer(0x1008, CSSPGO_CALL, 0);
    code = hand_code(t, 3);
    expect_counts(code, "1068 7f00 100c|1064 1068,9999 1060,1008 5555",
                  "[]\n  1\n  1060-1064:1\n  2\n  1->1060:1\n  1064->1068:1\n", &stats);
    T_EQ(stats.entry_calls, 1);
    csspgo_code_free(code);
}

static void callers_that_a_stack_lacks_come_from_the_branches(void)
{
    csspgo_transfer t[4];
    csspgo_collector_stats stats;
    csspgo_code *code;
    t[0] = transfer(0x1008, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x1028, CSSPGO_CALL, 0x1040);
    t[2] = transfer(0x1048, CSSPGO_CALL, 0x1060);
    t[3] = transfer(0x1070, CSSPGO_JMP, 0x1068);
    code = hand_code(t, 4);
    expect_counts(code, "1060 102c 100c|1048 1060,1028 1040,1008 1020",              /* at d's first instruction */
                  "[0x1008]\n  1\n  1020-1028:1\n  1\n  1028->1040:1\n"
                  "[0x1008 @ 0x1028]\n  1\n  1040-1048:1\n  1\n  1048->1060:1\n", &stats);
    T_EQ(stats.repaired_stacks, 1);
    expect_counts(code, "1068 100c|1070 1068,1048 1060,1028 1040",                   /* c and b have no frame pointer */
                  "[0x1008 @ 0x1028]\n  1\n  1040-1048:1\n  1\n  1048->1060:1\n"
                  "[0x1008 @ 0x1028 @ 0x1048]\n  1\n  1060-1070:1\n  1\n  1070->1068:1\n", &stats);
    T_EQ(stats.repaired_stacks, 1);
    expect_counts(code, "1068|1070 1068,1048 1060,1028 1040",                        /* no stack but the address */
                  "[0x1028]\n  1\n  1040-1048:1\n  1\n  1048->1060:1\n"
                  "[0x1028 @ 0x1048]\n  1\n  1060-1070:1\n  1\n  1070->1068:1\n", &stats);
    T_EQ(stats.repaired_stacks, 1);
    csspgo_code_free(code);
}

/* Without branch records: the address counts, under its stack's context. */
static void samples_without_branches_count_by_address(void)
{
    csspgo_transfer t[2];
    csspgo_collector_stats stats;
    csspgo_code *code;
    t[0] = transfer(0x1008, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x1028, CSSPGO_CALL, 0x1040);
    code = hand_code(t, 2);
    expect_counts(code, "1050 102c 100c|", "[0x1008 @ 0x1028]\n  1\n  1050-1050:1\n  0\n", &stats);
    T_CHECK(stats.addresses == 1 && stats.no_branches == 0);
    expect_counts(code, "1050|", "[]\n  1\n  1050-1050:1\n  0\n", &stats);
    expect_counts(code, "ffffffff81000000 1050 102c 100c|", "[0x1008 @ 0x1028]\n  1\n  1050-1050:1\n  0\n", &stats);
    expect_counts(code, "1040 100c|", "[0x1008 @ 0x1028]\n  1\n  1040-1040:1\n  0\n", &stats);   /* b's only call */
    T_EQ(stats.repaired_stacks, 1);
    expect_counts(code, "1060 100c|", "[]\n  1\n  1060-1060:1\n  0\n", &stats);      /* b does not call d */
    T_EQ(stats.cut_stacks, 1);
    expect_counts(code, "7f00 102c|", "", &stats);                                   /* in unknown code */
    T_CHECK(stats.addresses == 0 && stats.no_branches == 1);
    csspgo_code_free(code);
}

static void every_allocation_may_fail(void)
{
    static const uint64_t stack[] = { 0x1060, 0x102c, 0x100c };
    csspgo_branch branch[3];
    csspgo_transfer t[3];
    csspgo_collector_options how;
    csspgo_sample s;
    csspgo_code *code;
    long nth;
    int done = 0;
    memset(branch, 0, sizeof branch);
    branch[0].from = 0x1048;
    branch[0].to = 0x1060;
    branch[1].from = 0x1028;
    branch[1].to = 0x1040;
    branch[2].from = 0x1008;
    branch[2].to = 0x1020;
    memset(&s, 0, sizeof s);
    s.stack = stack;
    s.stack_count = 3;
    s.branches = branch;
    s.count = 1;
    t[0] = transfer(0x1008, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x1028, CSSPGO_CALL, 0x1040);
    t[2] = transfer(0x1048, CSSPGO_CALL, 0x1060);
    code = hand_code(t, 3);
    memset(&how, 0, sizeof how);
    how.judge_fn = csspgo_judge_stacks;
    s.count = 5;
    for (nth = 1; !done; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_collector *c = csspgo_collector_new(code, &how, &o, NULL);
        csspgo_status status = c == NULL ? CSSPGO_E_NOMEM : CSSPGO_OK;
        for (s.branch_count = 0; status == CSSPGO_OK && s.branch_count <= 3; s.branch_count += 3) {
            status = csspgo_collector_add(c, &s, 1, NULL);
            if (status == CSSPGO_OK) status = csspgo_collector_add(c, &s, 1, NULL);
        }
        if (status == CSSPGO_OK) status = csspgo_collector_flush(c, NULL);
        done = status == CSSPGO_OK && csspgo_collector_get_stats(c).repaired_stacks == 2 &&
               csspgo_collector_get_stats(c).repaired_samples == 20;
        T_CHECK(done || status == CSSPGO_E_NOMEM);
        csspgo_collector_free(c);
        T_EQ(h.live, 0);
        if (nth > 100) break;
    }
    T_LONG(nth > 5 && nth < 100);
    csspgo_code_free(code);
}

/* ----- without branch records ----- */

/* Adds block probes of function `func`, ids from 1, and a call probe with the next id at `call` if that is not 0. */
static void hand_probes(csspgo_code *code, const char *func, const uint64_t *blocks, size_t n, uint64_t call)
{
    csspgo_inline_node in;
    csspgo_probe p[8];
    size_t i;
    memset(&in, 0, sizeof in);
    memset(p, 0, sizeof p);
    in.guid = csspgo_guid(func, strlen(func));
    for (i = 0; i <= n; i++) {
        p[i].address = i < n ? blocks[i] : call;
        p[i].id = (uint32_t)i + 1;
        p[i].inline_node = 1;
        p[i].kind = i < n ? CSSPGO_PROBE_BLOCK : CSSPGO_PROBE_DIRECT_CALL;
    }
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, p, n + (call != 0), NULL), CSSPGO_OK);
}

/* Samples "COUNT ADDRESS RETURN...", separated by commas, without branch records. */
static csspgo_status add_addresses(csspgo_collector *c, const char *samples)
{
    csspgo_status status = CSSPGO_OK;
    const char *at = samples;
    char *end;
    while (*at != '\0' && status == CSSPGO_OK) {
        uint64_t stack[16];
        csspgo_sample s;
        memset(&s, 0, sizeof s);
        s.stack = stack;
        s.count = (uint64_t)strtoull(at, &end, 10);
        while (*end == ' ') stack[s.stack_count++] = (uint64_t)strtoull(end, &end, 16);
        status = csspgo_collector_add(c, &s, 1, NULL);
        at = *end == ',' ? end + 1 : end;
    }
    return status;
}

static csspgo_profile *estimate(csspgo_code *code, uint32_t flat, const char *samples, csspgo_generate_stats *stats)
{
    csspgo_collector_options what;
    csspgo_collector *c;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_generate_options how;
    memset(&what, 0, sizeof what);
    memset(&how, 0, sizeof how);
    how.estimate_fn = csspgo_estimate_blocks;
    what.ignore_stack = flat;
    c = csspgo_collector_new(code, &what, NULL, NULL);
    T_EQ(add_addresses(c, samples), CSSPGO_OK);
    T_EQ(csspgo_collector_profile(c, &how, p, stats, NULL), CSSPGO_OK);
    csspgo_collector_free(c);
    return p;
}

/* want: the profile's text without checksums. */
static void expect_estimate(csspgo_code *code, uint32_t flat, const char *samples, const char *want,
                            csspgo_generate_stats *stats)
{
    csspgo_profile *p = estimate(code, flat, samples, stats);
    char got[1000], *end, *line;
    size_t n = 0;
    T_EQ(csspgo_write(p, CSSPGO_TEXT, got, sizeof got - 1, &n, NULL), CSSPGO_OK);
    got[n] = '\0';
    while ((line = strstr(got, " !")) != NULL) {
        end = strchr(line, '\n') + 1;
        memmove(line, end, strlen(end) + 1);
    }
    t_same(samples, got, strlen(got), want, strlen(want));
    csspgo_profile_free(p);
}

/*
 * a, of 32 instructions of a byte each: 1000-1007 if (..) skip to 1010, 1008-100f, 1010-101f return. The first and the
 * last block always run equally often: 24 instructions.
 */
static csspgo_code *diamond(void)
{
    static const uint64_t blocks[] = { 0x1000, 0x1008, 0x1010 };
    csspgo_transfer t[2];
    csspgo_code *code;
    t[0] = transfer(0x1007, CSSPGO_COND, 0x1010);
    t[1] = transfer(0x101f, CSSPGO_RET, 0);
    t[0].size = t[1].size = 1;
    code = hand_code(t, 2);
    hand_probes(code, "a", blocks, 3, 0);
    return code;
}

static void sampled_addresses_become_counts_that_fit_the_flow(void)
{
    csspgo_code *code = diamond();
    csspgo_generate_stats stats;
    /* 16 + 32 samples in 24 instructions: 2 a piece; 8 in 8: 1 */
    expect_estimate(code, 0, "16 1003,8 1009,32 1018", "[a]:5120:2048\n 1: 2048\n 2: 1024\n 3: 2048\n", &stats);
    T_CHECK(stats.estimated == 1 && stats.unsolved == 0);
    /* it does not matter which of the two is hit; what was not hit ran as often as its kin */
    expect_estimate(code, 0, "48 1018,8 1009", "[a]:5120:2048\n 1: 2048\n 2: 1024\n 3: 2048\n", NULL);
    expect_estimate(code, 0, "48 1000", "[a]:4096:2048\n 1: 2048\n 2: 0\n 3: 2048\n", NULL);
    /* the inner block cannot have run more often than those around it: (24 + 16) / 32 is 1280; 1217 is a bend */
    expect_estimate(code, 0, "24 1000,16 100c", "[a]:3651:1217\n 1: 1217\n 2: 1217\n 3: 1217\n", NULL);
    expect_estimate(code, 0, "", "", NULL);
    /* without stacks: no contexts */
    expect_estimate(code, 1, "16 1003,8 1009,32 1018", "a:5120:2048\n 1: 2048\n 2: 1024\n 3: 2048\n", NULL);
    csspgo_code_free(code);
}

/*
 * One address of a loop in which half of the blocks are skipped sometimes: 4 blocks of 4 instructions and one of 16.
 * However few or many hits it has, they count, those around it carry the flow, and most hits find their place.
 */
static void one_address_makes_a_profile(void)
{
    static const uint64_t blocks[] = { 0x1000, 0x1004, 0x1008, 0x100c, 0x1010 };
    static const unsigned hits[] = { 1, 2, 3, 10, 1000, 30000 };
    csspgo_transfer t[3];
    csspgo_code *code;
    unsigned address, h, i;
    t[0] = transfer(0x1007, CSSPGO_COND, 0x100c);
    t[1] = transfer(0x100f, CSSPGO_COND, 0x1004);
    t[2] = transfer(0x101f, CSSPGO_RET, 0);
    t[0].size = t[1].size = t[2].size = 1;
    code = hand_code(t, 3);
    hand_probes(code, "a", blocks, 5, 0);
    for (address = 0x1000; address < 0x1020; address++)
        for (h = 0; h < sizeof hits / sizeof hits[0]; h++) {
            char text[40];
            uint64_t n[5], all = 0;
            csspgo_profile *p;
            sprintf(text, "%u %x", hits[h], address);
            p = estimate(code, 0, text, NULL);
            for (i = 0; i < 5; i++) {
                n[i] = csspgo_body_count(p, csspgo_find(p, "[a]"), csspgo_loc_at(i + 1, 0));
                all += n[i] * (i < 4 ? 4 : 16);
            }
            T_CHECK(n[address < 0x1010 ? (address - 0x1000) / 4 : 4] >= 1024 * hits[h] / 32);
            T_CHECK(n[0] == n[4] && n[1] == n[3] && n[2] <= n[1]);
            T_CHECK(all > 1024 * hits[h] / 2 && all <= 1024 * hits[h] + 32 * 16);
            csspgo_profile_free(p);
        }
    csspgo_code_free(code);
}

/* What was hit at one of two arms only went there; the other one was not hit often enough. */
static void hits_at_one_arm_do_not_make_the_other_run(void)
{
    static const uint64_t blocks[] = { 0x1000, 0x1008, 0x1010, 0x1018 };
    csspgo_transfer t[3];
    csspgo_code *code;
    t[0] = transfer(0x1007, CSSPGO_COND, 0x1010);
    t[1] = transfer(0x100f, CSSPGO_JMP, 0x1018);
    t[2] = transfer(0x101f, CSSPGO_RET, 0);
    t[0].size = t[1].size = t[2].size = 1;
    code = hand_code(t, 3);
    hand_probes(code, "a", blocks, 4, 0);
    /* 24 hits in the 24 instructions of one way: 1024 is most likely, 768 the bend below it */
    expect_estimate(code, 0, "24 1008", "[a]:2304:768\n 1: 768\n 2: 768\n 3: 0\n 4: 768\n", NULL);
    expect_estimate(code, 0, "24000 1012", "[a]:2304000:768000\n 1: 768000\n 2: 0\n 3: 768000\n 4: 768000\n", NULL);
    expect_estimate(code, 0, "1 1008", "[a]:96:32\n 1: 32\n 2: 32\n 3: 0\n 4: 32\n", NULL);
    csspgo_code_free(code);
}

/* Of a context with one sample more is known from the others. */
static void a_context_with_one_sample_has_counts(void)
{
    static const uint64_t a[] = { 0x1000 }, b[] = { 0x1020, 0x1028, 0x1030 };
    csspgo_transfer t[5];
    csspgo_profile *p;
    csspgo_code *code;
    csspgo_node once;
    t[0] = transfer(0x1008, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x1010, CSSPGO_CALL, 0x1020);
    t[2] = transfer(0x101f, CSSPGO_RET, 0);
    t[3] = transfer(0x1027, CSSPGO_COND, 0x1030);
    t[4] = transfer(0x103f, CSSPGO_RET, 0);
    t[2].size = t[3].size = t[4].size = 1;
    code = hand_code(t, 5);
    hand_probes(code, "a", a, 1, 0x1010);
    hand_probes(code, "b", b, 3, 0);
    p = estimate(code, 0, "1 1029 1014,800 1024 100c,800 102c 100c,1600 1038 100c", NULL);
    once = csspgo_find(p, "[a:2 @ b]");
    T_CHECK(csspgo_body_count(p, once, csspgo_loc_at(1, 0)) > 10 &&
            csspgo_body_count(p, once, csspgo_loc_at(2, 0)) > 10);
    T_EQ(csspgo_body_count(p, once, csspgo_loc_at(1, 0)), csspgo_body_count(p, once, csspgo_loc_at(3, 0)));
    T_CHECK(csspgo_total(p, once) < 200);
    csspgo_profile_free(p);
    csspgo_code_free(code);
}

/* a loops over a call of b; b's samples say how often the call ran, and so does a's own block. */
static void what_was_called_says_how_often_the_call_ran(void)
{
    static const uint64_t a[] = { 0x1000, 0x1008, 0x1018 }, b[] = { 0x1020 };
    csspgo_transfer t[4];
    csspgo_code *code;
    t[0] = transfer(0x100c, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x1017, CSSPGO_COND, 0x1008);
    t[2] = transfer(0x101f, CSSPGO_RET, 0);
    t[3] = transfer(0x103f, CSSPGO_RET, 0);
    t[1].size = t[2].size = t[3].size = 1;
    code = hand_code(t, 4);
    hand_probes(code, "a", a, 3, 0x100c);
    hand_probes(code, "b", b, 1, 0);
    /* b: 64 samples in 32 instructions: 2 each. a's loop, 16 instructions: (64 + 32) / (32 + 16) */
    expect_estimate(code, 0, "64 1024 1010,32 100a",
                    "[a]:4096:0\n 1: 0\n 2: 2048\n 3: 0\n 4: 2048 b:2048\n[a:4 @ b]:2048:2048\n 1: 2048\n", NULL);
    /* none in a itself says something too: 64 / (32 + 16) */
    expect_estimate(code, 0, "64 1024 1010",
                    "[a]:2730:0\n 1: 0\n 2: 1365\n 3: 0\n 4: 1365 b:1365\n[a:4 @ b]:2048:2048\n 1: 2048\n", NULL);
    csspgo_code_free(code);
}

/* A jump table's targets are those blocks that nothing else enters; a landing pad is entered from the beginning. */
static void blocks_that_nothing_enters_are_reached_by_indirect_jumps(void)
{
    static const uint64_t blocks[] = { 0x1000, 0x1008, 0x1010, 0x1018 };
    csspgo_transfer t[4];
    csspgo_code *code;
    t[0] = transfer(0x1007, CSSPGO_IJMP, 0);
    t[1] = transfer(0x100f, CSSPGO_RET, 0);
    t[2] = transfer(0x1017, CSSPGO_RET, 0);
    t[3] = transfer(0x101f, CSSPGO_COND, 0x1008);
    t[0].size = t[1].size = t[2].size = t[3].size = 1;
    code = hand_code(t, 4);
    hand_probes(code, "a", blocks, 4, 0);
    expect_estimate(code, 0, "32 1000,8 1008,16 1010,8 1018",
                    "[a]:8192:4096\n 1: 4096\n 2: 1024\n 3: 2048\n 4: 1024\n", NULL);
    csspgo_code_free(code);
}

/* b calls itself: samples of all levels have one context, and a called it but as often as b was not called by b. */
static void recursion_is_not_taken_for_calls_from_outside(void)
{
    static const uint64_t a[] = { 0x1000 }, b[] = { 0x1020, 0x1028, 0x1038 };
    csspgo_transfer t[7];
    csspgo_profile *p;
    csspgo_code *code;
    uint64_t calls, first, again;
    t[0] = transfer(0x1010, CSSPGO_CALL, 0x1020);
    t[1] = transfer(0x101f, CSSPGO_RET, 0);
    t[2] = transfer(0x1027, CSSPGO_COND, 0x1038);
    t[3] = transfer(0x1028, CSSPGO_CALL, 0x1020);
    t[4] = transfer(0x102f, CSSPGO_JMP, 0x1030);      /* three blocks around the call, two outside: they outvote them */
    t[5] = transfer(0x1033, CSSPGO_JMP, 0x1034);
    t[6] = transfer(0x103f, CSSPGO_RET, 0);
    t[1].size = t[2].size = t[4].size = t[5].size = t[6].size = 1;
    code = hand_code(t, 7);
    hand_probes(code, "a", a, 1, 0x1010);
    hand_probes(code, "b", b, 3, 0x1028);
    /* a called b 512 times; each time b called itself 7 times: 512 in the first level, 3072 in the others */
    p = estimate(code, 0, "16 1012,4 1020 1014,4 1038 1014,"
                          "28 1020 102c 1014,28 1038 102c 1014,48 102a 102c 1014", NULL);
    calls = csspgo_body_count(p, csspgo_find(p, "a"), csspgo_loc_at(2, 0));
    again = csspgo_body_count(p, csspgo_find(p, "a:2 @ b:4 @ b"), csspgo_loc_at(4, 0));
    T_CHECK(calls > 480 && calls < 560 && again > 3000 && again < 3300);
    first = csspgo_body_count(p, csspgo_find(p, "a:2 @ b"), csspgo_loc_at(4, 0));
    T_CHECK(first > 480 && first < 560);
    T_EQ(csspgo_target_count(p, csspgo_find(p, "a"), csspgo_loc_at(2, 0), csspgo_func_find(p, "b", 1)), calls);
    csspgo_profile_free(p);
    csspgo_code_free(code);
}

/* An estimate is made for who asks for it: else the samples stay, and the error says what is missing. */
static void estimates_have_to_be_asked_for(void)
{
    csspgo_code *code = diamond();
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_generate_options how;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, &e), CSSPGO_OK);          /* nothing to estimate */
    T_EQ(add_addresses(c, "16 1003,8 1009,32 1018"), CSSPGO_OK);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(e.status == CSSPGO_E_UNSUPPORTED && strstr(e.message, "estimate_fn") != NULL);
    T_EQ(csspgo_collector_profile(c, &how, p, NULL, NULL), CSSPGO_E_UNSUPPORTED);
    T_EQ(csspgo_record_count(p), 0);
    how.estimate_fn = csspgo_estimate_blocks;
    T_EQ(csspgo_collector_profile(c, &how, p, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_head(p, csspgo_find(p, "a")), 2048);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}

static void every_allocation_of_an_estimate_may_fail(void)
{
    csspgo_code *code = diamond();
    csspgo_generate_options how;
    long nth;
    int done = 0;
    memset(&how, 0, sizeof how);
    how.estimate_fn = csspgo_estimate_blocks;
    for (nth = 1; !done && nth < 500; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_collector *c = csspgo_collector_new(code, NULL, &o, NULL);
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_status status = c == NULL ? CSSPGO_E_NOMEM : add_addresses(c, "16 1003,8 1009,32 1018");
        if (status == CSSPGO_OK) status = csspgo_collector_profile(c, &how, p, NULL, NULL);
        done = status == CSSPGO_OK;
        T_CHECK(done || status == CSSPGO_E_NOMEM);
        T_EQ(csspgo_record_count(p), done);
        if (c != NULL && !done && csspgo_collector_get_stats(c).addresses == 56) {
            h.nth = 0;                                  /* what the collector holds is still there */
            T_EQ(csspgo_collector_profile(c, &how, p, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_head(p, csspgo_find(p, "a")), 2048);
        }
        csspgo_profile_free(p);
        csspgo_collector_free(c);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 20 && done);
    csspgo_code_free(code);
}

static uint32_t rnd(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*state * below) >> 32);
}

/* Code that makes no sense, in which samples are anywhere: functions without end, jumps into each other. */
static void any_code_and_any_addresses_make_a_profile(void)
{
    static const csspgo_transfer_kind kinds[] = { CSSPGO_COND, CSSPGO_COND, CSSPGO_JMP, CSSPGO_IJMP, CSSPGO_CALL,
                                                 CSSPGO_RET };
    uint32_t state = 7, round;
    const uint32_t rounds = (uint32_t)t_size(200, 400);
    for (round = 0; round < rounds; round++) {
        csspgo_transfer t[12];
        csspgo_code *code;
        csspgo_collector *c;
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_generate_stats stats;
        csspgo_generate_options how;
        csspgo_error e;
        uint64_t blocks[4][3];
        uint32_t i, k, n = rnd(&state, 12);
        for (i = 0; i < n; i++) {
            t[i] = transfer(0x1000 + rnd(&state, 128), kinds[rnd(&state, 6)], 0);
            if (rnd(&state, 3) != 0) t[i].target = 0xff8 + rnd(&state, 144);
            t[i].size = 1 + rnd(&state, 5);
        }
        code = hand_code(t, n);
        for (i = 0; i < 4; i++) {
            char name[2];
            name[0] = (char)('a' + i);
            name[1] = '\0';
            for (k = 0; k < 3; k++) blocks[i][k] = 0x1000 + 32 * i + rnd(&state, 32);
            hand_probes(code, name, blocks[i], 3, rnd(&state, 2) ? 0x1000 + 32 * i + rnd(&state, 32) : 0);
        }
        c = csspgo_collector_new(code, NULL, NULL, NULL);
        for (i = rnd(&state, 40); i > 0; i--) {
            uint64_t stack[6];
            csspgo_sample s;
            memset(&s, 0, sizeof s);
            s.stack = stack;
            s.stack_count = 1 + rnd(&state, 6);
            for (k = 0; k < s.stack_count; k++) {
                stack[k] = 0x1000 + rnd(&state, 130);
                if (k != 0 && n != 0) stack[k] = t[k % n].address + t[k % n].size;
            }
            s.count = rnd(&state, 9) == 0 ? UINT64_MAX >> rnd(&state, 40) : rnd(&state, 100);
            T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
        }
        memset(&how, 0, sizeof how);
        how.estimate_fn = csspgo_estimate_blocks;
        T_EQ(csspgo_collector_profile(c, &how, p, &stats, &e), CSSPGO_OK);
        T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
        T_CHECK(stats.unsolved <= stats.estimated);
        csspgo_profile_free(p);
        csspgo_collector_free(c);
        csspgo_code_free(code);
    }
}

/* Samples at moments of a real run, against the truth: blocks overlap, and what flows in flows out. */
static void a_run_without_branch_records_is_known_approximately(int show)
{
    stream s;
    shadow k;
    csspgo_collector *c;
    csspgo_profile *ours = csspgo_profile_new(NULL, NULL), *exact = csspgo_profile_new(NULL, NULL);
    csspgo_generate_options with;
    size_t i, pass, x;
    double sum[2], least = 0;
    csspgo_node node, *same;
    memset(&with, 0, sizeof with);
    with.estimate_fn = csspgo_estimate_blocks;
    if (!stream_open(&s, recordings[2].table, recordings[2].script, recordings[2].period)) return;
    for (pass = 0; pass < 2; pass++) {                  /* every branch; every third instruction's address and stack */
        c = csspgo_collector_new(s.t.code, NULL, NULL, NULL);
        memset(&k, 0, sizeof k);
        memcpy(k.site, s.first, sizeof k.site);
        k.depth = s.frames;
        for (i = x = 0; i + 1 < s.branches; i++) {
            const uint64_t from = s.branch[i + 1].from;
            size_t at, d, n;
            if (i != 0) take_branch(&s, &k, &s.branch[i]);
            if (!is_code(&s, s.branch[i].to) || !is_code(&s, from)) continue;
            for (at = insn_at(&s, s.branch[i].to); pass == 1 && s.t.insn[at].address <= from; at++) {
                uint64_t stack[FRAMES + 1];
                csspgo_sample sample;
                if (x++ % 3 != 0) continue;
                memset(&sample, 0, sizeof sample);
                stack[0] = s.t.insn[at].address;
                for (n = 1, d = k.depth; d-- > 0; n++)
                    stack[n] = k.site[d] != 0 ? k.site[d] + s.t.insn[insn_at(&s, k.site[d])].size : 7;
                sample.stack = stack;
                sample.stack_count = (uint32_t)n;
                sample.count = 1;
                T_EQ(csspgo_collector_add(c, &sample, 1, NULL), CSSPGO_OK);
            }
        }
        if (pass == 0) {
            const cut how = cut_of(32, 0);
            cut_stream(&s, &how, c);
        }
        T_EQ(csspgo_collector_profile(c, &with, pass == 0 ? exact : ours, NULL, NULL), CSSPGO_OK);
        csspgo_collector_free(c);
    }
    sum[0] = sum[1] = 0;
    for (node.id = 2; node.id <= csspgo_node_count(exact) + 1; node.id++) sum[0] += (double)csspgo_total(exact, node);
    for (node.id = 2; node.id <= csspgo_node_count(ours) + 1; node.id++) sum[1] += (double)csspgo_total(ours, node);
    same = (csspgo_node *)calloc((size_t)csspgo_node_count(exact) + 2, sizeof *same);
    if (!T_CHECK(same != NULL)) return;
    same[1] = csspgo_root(ours);
    for (node.id = 2; node.id <= csspgo_node_count(exact) + 1; node.id++) {
        size_t n, size;
        const csspgo_body *b = csspgo_get_bodies(exact, node, &n);
        const char *name = csspgo_func_name(exact, csspgo_node_func(exact, node), &size);
        const csspgo_node up = same[csspgo_node_parent(exact, node).id];
        if (up.id == 0) continue;
        same[node.id] = csspgo_child(ours, up, csspgo_node_loc(exact, node), csspgo_node_kind_of(exact, node),
                                     csspgo_func_find(ours, name, size));
        for (i = 0; i < n && same[node.id].id != 0; i++) {
            const double p = (double)b[i].count / sum[0];
            const double q = (double)csspgo_body_count(ours, same[node.id], b[i].loc) / sum[1];
            least += p < q ? p : q;
        }
    }
    free(same);
    if (show) printf("%s: overlap of blocks and calls without branch records %.4f\n", recordings[2].script, least);
    T_CHECK(least > 0.8 && least < 1.0);
    csspgo_profile_free(ours);
    csspgo_profile_free(exact);
    stream_close(&s);
}

int main(int argc, char **argv)
{
    (void)argv;
    dense_windows_give_every_count_of_every_context(argc > 1);
    a_return_behind_a_call_is_a_jump();
    a_jump_behind_a_call_instead_of_to_its_target_is_a_return();
    unknown_code_calls_a_function_at_its_beginning();
    callers_that_a_stack_lacks_come_from_the_branches();
    samples_without_branches_count_by_address();
    T_FAILING(every_allocation_may_fail());
    sampled_addresses_become_counts_that_fit_the_flow();
    one_address_makes_a_profile();
    hits_at_one_arm_do_not_make_the_other_run();
    a_context_with_one_sample_has_counts();
    what_was_called_says_how_often_the_call_ran();
    blocks_that_nothing_enters_are_reached_by_indirect_jumps();
    recursion_is_not_taken_for_calls_from_outside();
    estimates_have_to_be_asked_for();
    T_FAILING(every_allocation_of_an_estimate_may_fail());
    any_code_and_any_addresses_make_a_profile();
    a_run_without_branch_records_is_known_approximately(argc > 1);
    return t_end();
}
