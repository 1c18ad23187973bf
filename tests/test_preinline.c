/* test_preinline.c - the pre-inliner: llvm-profgen's decisions byte for byte, with the sizes it saw */
#include "t.h"
#include "table.h"
#include "sizes.h"

/* ----- what one recorded command asks for ----- */

typedef struct plan {
    char input[64], sizes[64], want[64];
    int  preinline, merge, trim, nest, cost, lines;
    uint32_t frames, nest_flags;
    uint64_t hot, cold;           /* 0: of the summary */
    csspgo_preinline_options how;
} plan;

/* The number behind an option of a command, or what stands without it. */
static uint64_t option(const char *command, const char *name, uint64_t otherwise)
{
    const char *at = strstr(command, name);
    return at != NULL ? (uint64_t)strtoull(at + strlen(name), NULL, 10) : otherwise;
}

/* For a field where 0 stands for the default. */
static uint64_t given(uint64_t v)
{
    return v != 0 ? v : CSSPGO_ZERO;
}

static plan plan_of(const char *want, const char *command)
{
    const int program = (int)strcspn(want, ".");
    plan k;
    memset(&k, 0, sizeof k);
    snprintf(k.want, sizeof k.want, "out/%s", want);
    if (strncmp(want, "re.", 3) == 0) {
        snprintf(k.input, sizeof k.input, "%s", strncmp(want, "re.tiny", 7) == 0 ? "tiny.flat.txt" : "gap.flat.txt");
        snprintf(k.sizes, sizeof k.sizes, "data/generate/tables/tiny.probe.tsv");
    } else {
        snprintf(k.input, sizeof k.input, "out/%.*s.flat-all.txt", program, want);
        snprintf(k.sizes, sizeof k.sizes, "data/generate/tables/%.*s.probe.tsv", program, want);
    }
    k.preinline = strstr(command, "--csspgo-preinliner=0") == NULL;
    k.merge = (int)option(command, "--csprof-merge-cold-context=", !k.preinline);
    k.trim = strstr(command, "--trim-cold-profile") != NULL;
    k.nest = strstr(command, "--gen-cs-nested-profile=0") == NULL;
    k.nest_flags = strstr(command, "--generate-merged-base-profiles") != NULL;
    k.frames = (uint32_t)option(command, "--csprof-max-cold-context-depth=", 1);
    k.cost = strstr(command, "--use-context-cost-for-preinliner=0") == NULL;
    k.hot = option(command, "--profile-summary-hot-count=", 0);
    k.cold = option(command, "--profile-summary-cold-count=", 0);
    return k;
}

/* ----- recorded outputs ----- */

static csspgo_profile *read_profile(const char *name, const csspgo_options *options)
{
    csspgo_profile *p = csspgo_profile_new(options, NULL);
    csspgo_error e;
    size_t size;
    char path[128], *text;
    snprintf(path, sizeof path, "data/generate/%s", name);
    text = t_file(path, &size);
    if (p != NULL && csspgo_read(p, text, size, &e) != CSSPGO_OK) {
        T_MSG(0, e.message);
        csspgo_profile_free(p);
        p = NULL;
    }
    free(text);
    return p;
}

static uint64_t cutoff(csspgo_profile *p, uint64_t ppm)
{
    csspgo_cutoff c;
    csspgo_summary s;
    c.ppm = ppm;
    T_EQ(csspgo_compute_summary(p, &c, 1, &s, NULL), CSSPGO_OK);
    return c.min_count;
}

static void run_plan(plan *k, const char *command)
{
    csspgo_options o;
    csspgo_profile *p;
    csspgo_size_table *s = sizes_of(k->sizes, k->lines);
    char path[128], *got, *want;
    size_t got_size, want_size;
    uint64_t hot;
    memset(&o, 0, sizeof o);
    o.llvm = 19;
    p = read_profile(k->input, &o);
    hot = k->hot != 0 ? k->hot : cutoff(p, 990000);
    if (k->preinline) {
        T_EQ(csspgo_preinline_defaults(p, NULL, &k->how, NULL), CSSPGO_OK);
        if (k->cold != 0) k->how.cold_count = k->cold;
        k->how.sizes = k->cost ? s : NULL;
        k->how.hot_threshold =
            given(option(command, "--sample-profile-hot-inline-threshold=", k->how.hot_threshold));
        k->how.cold_threshold = option(command, "--sample-profile-cold-inline-threshold=", 0);
        k->how.growth_limit = given(option(command, "--sample-profile-inline-growth-limit=", k->how.growth_limit));
        k->how.replay = strstr(command, "--csspgo-replay-preinline") != NULL;
        T_EQ(csspgo_preinline(p, &k->how, NULL, NULL), CSSPGO_OK);
    }
    if ((k->merge || k->trim) && hot != 0) {
#ifndef NO_EDIT
        csspgo_cold_options c;
        memset(&c, 0, sizeof c);
        c.threshold = hot;
        c.merge = (uint32_t)k->merge;
        c.trim = (uint32_t)k->trim;
        c.frames = k->frames;
        c.base_only = (uint32_t)k->preinline;
        T_EQ(csspgo_trim_cold(p, &c, NULL), CSSPGO_OK);
#else
        csspgo_profile_free(p); csspgo_size_table_free(s); return;
#endif
    }
#ifndef NO_EDIT
    if (k->nest) T_EQ(csspgo_nest(p, k->nest_flags, NULL), CSSPGO_OK);
#else
    if (k->nest) { csspgo_profile_free(p); csspgo_size_table_free(s); return; }
#endif
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    snprintf(path, sizeof path, "data/generate/%s", k->want);
    want = t_file(path, &want_size);
    got = t_text(p, &got_size);
    t_same(path, got, got_size, want, want_size);
    free(got);
    free(want);
    csspgo_profile_free(p);
    csspgo_size_table_free(s);
}

/*
 * Probe profiles with contexts, trimmed by name only where the generator, not what comes after it, makes the
 * difference.
 */
static int is_ours(const char *want, const char *command)
{
    static const char *const other[] = { "line",       "nocs",     "dwarf",  "noinfer",
                                         "nocompress", ".depth2.", ".unsym", "overlap" };
    size_t i;
    for (i = 0; i < sizeof other / sizeof *other; i++)
        if (strstr(want, other[i]) != NULL) return 0;
    return strstr(command, ".probe ") != NULL && strstr(command, "--unsymbolized-profile") == NULL;
}

static void recorded_outputs_are_llvm_s(void)
{
    size_t size;
    char *text = t_file("data/generate/out/COMMANDS.tsv", &size), *at = text, *line;
    int n = 0;
    while ((line = t_piece(&at, "\n")) != NULL) {
        char *want = t_piece(&line, "\t");
        plan k;
        if (want == NULL || line == NULL || !is_ours(want, line)) continue;
        k = plan_of(want, line);
        run_plan(&k, line);
        n++;
    }
    T_EQ(n, 66);
    free(text);
}

/*
 * Profiles by line. Of the third recorded one, demo.line-cs.txt, LLVM loses counts: it promotes a context before it
 * takes it out of its caller, below which the function stands again.
 */
static void recorded_outputs_by_line_are_llvm_s(void)
{
    static const char *const name[] = { "tiny.line-cs", "cs-line.default" };   /* test_lines makes their inputs */
    size_t i;
    for (i = 0; i < 2; i++) {
        plan k = plan_of("tiny.", "");
        k.lines = 1;
        k.merge = 0;
        snprintf(k.input, sizeof k.input, "out/%s.txt", i == 0 ? "tiny.line-cs-flat" : "cs-line.flat");
        snprintf(k.sizes, sizeof k.sizes, "data/generate/tables/tiny.line.tsv");
        snprintf(k.want, sizeof k.want, "out/%s.txt", name[i]);
        run_plan(&k, "");
    }
}

/* ----- no count is lost ----- */

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* Contexts over few functions, so that most are recursive; a record here and there is missing. */
static csspgo_profile *random_profile(uint64_t seed, const csspgo_options *options)
{
    csspgo_profile *p = csspgo_profile_new(options, NULL);
    const uint64_t funcs = 2 + random_next(&seed) % 6;
    uint64_t i;
    if (p == NULL) return NULL;
    csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    for (i = 0; i < 40; i++) {
        csspgo_node node = csspgo_root(p);
        uint64_t depth = 1 + random_next(&seed) % 6;
        csspgo_func f;
        char name[2] = "a";
        while (depth-- != 0) {
            const uint32_t site = node.id == 1 ? 0 : (uint32_t)(2 + random_next(&seed) % 3);
            name[0] = (char)('a' + random_next(&seed) % funcs);
            f = csspgo_func_add(p, name, 1);
            node = csspgo_node_add(p, node, csspgo_loc_at(site, 0), CSSPGO_CONTEXT, f);
        }
        csspgo_add_total(p, node, random_next(&seed) % 1000);
        csspgo_add_head(p, node, random_next(&seed) % 50);
        csspgo_add_body(p, node, csspgo_loc_at(1 + (uint32_t)(random_next(&seed) % 4), 0), random_next(&seed) % 500);
        csspgo_add_target(p, node, csspgo_loc_at(3, 0), f, random_next(&seed) % 90);
        csspgo_set_attributes(p, node, (uint32_t)(random_next(&seed) % 2));
    }
    return p;
}

/* Sum of totals, heads, bodies and targets; mod 2^64. */
static uint64_t sum_of(const csspgo_profile *p)
{
    uint64_t sum = 0;
    uint32_t id;
    size_t i, n;
    for (id = 1; id <= csspgo_node_count(p) + 1; id++) {
        csspgo_node node;
        node.id = id;
        sum += csspgo_total(p, node) + 3 * csspgo_head(p, node);
        for (i = 0, csspgo_get_bodies(p, node, &n); i < n; i++) sum += 5 * csspgo_get_bodies(p, node, &n)[i].count;
        for (i = 0, csspgo_get_targets(p, node, &n); i < n; i++) sum += 7 * csspgo_get_targets(p, node, &n)[i].count;
    }
    return sum;
}

static void counts_are_conserved_under_recursion(void)
{
    uint64_t seed;
    for (seed = 1; seed <= 500; seed++) {
        csspgo_profile *p = random_profile(seed, NULL);
        csspgo_preinline_stats stats;
        const uint64_t sum = sum_of(p);
        uint32_t id;
        T_EQ(csspgo_preinline(p, NULL, &stats, NULL), CSSPGO_OK);
        T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
        T_EQ(stats.dropped, 0);
        T_EQ(sum_of(p), sum);
        for (id = 2; id <= csspgo_node_count(p) + 1; id++) {           /* what stays below a base is to be inlined */
            csspgo_node node;
            node.id = id;
            if (csspgo_has_record(p, node) && csspgo_node_parent(p, node).id != 1)
                T_CHECK(csspgo_attributes(p, node) & CSSPGO_SHOULD_BE_INLINED);
        }
        csspgo_profile_free(p);
    }
}

static void of_two_checksums_the_base_s_stays_and_losses_are_counted(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_preinline_options how;
    csspgo_preinline_stats stats;
    csspgo_error e;
    static const char text[] = "[f]:10:1\n 1: 10\n !CFGChecksum: 5\n[m]:7:1\n 1: 7\n !CFGChecksum: 1\n"
                               "[m:2 @ f]:30:1\n 1: 30\n !CFGChecksum: 6\n";
    T_EQ(csspgo_read(p, text, sizeof text - 1, &e), CSSPGO_OK);
    T_EQ(csspgo_preinline_defaults(p, NULL, &how, NULL), CSSPGO_OK);
    how.replay = 1;                                                    /* nothing was inlined: f goes to its base */
    T_EQ(csspgo_preinline(p, &how, &stats, NULL), CSSPGO_OK);
    T_EQ(stats.dropped, 30);
    T_EQ(csspgo_total(p, csspgo_find(p, "f")), 10);
    csspgo_profile_free(p);
}

static void vtable_counts_go_where_their_context_goes(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    const csspgo_target *v;
    csspgo_preinline_options how;
    csspgo_error e;
    csspgo_node f;
    size_t n;
    static const char text[] = "[f]:10:1\n 1: 10\n[m]:7:1\n 1: 7\n[m:2 @ f]:30:1\n 1: 30\n[m:3 @ g]:5:5\n 1: 5\n";
    T_EQ(csspgo_read(p, text, sizeof text - 1, &e), CSSPGO_OK);
    csspgo_add_vtable(p, csspgo_find(p, "f"), csspgo_loc_at(2, 0), csspgo_func_add(p, "_ZTV1B", 6), 3);
    csspgo_add_vtable(p, csspgo_find(p, "m:2 @ f"), csspgo_loc_at(2, 0), csspgo_func_add(p, "_ZTV1B", 6), 4);
    csspgo_add_vtable(p, csspgo_find(p, "m:2 @ f"), csspgo_loc_at(1, 0), csspgo_func_add(p, "_ZTV1A", 6), 5);
    csspgo_add_vtable(p, csspgo_find(p, "m:3 @ g"), csspgo_loc_at(1, 0), csspgo_func_add(p, "_ZTV1A", 6), 6);
    T_EQ(csspgo_preinline_defaults(p, NULL, &how, NULL), CSSPGO_OK);
    how.replay = 1;                                                    /* nothing was inlined: all go to their bases */
    T_EQ(csspgo_preinline(p, &how, NULL, NULL), CSSPGO_OK);
    f = csspgo_find(p, "f");
    T_EQ(csspgo_total(p, f), 40);
    v = csspgo_get_vtables(p, f, &n);
    if (T_CHECK(n == 2)) {
        T_CHECK(v[0].loc.line == 1 && v[0].count == 5 && v[1].loc.line == 2 && v[1].count == 7);
    }
    v = csspgo_get_vtables(p, csspgo_find(p, "g"), &n);
    T_CHECK(n == 1 && v[0].count == 6);
    T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
    csspgo_profile_free(p);
}

static void profiles_without_contexts_are_refused(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    T_EQ(csspgo_preinline(p, NULL, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_read(p, "f:1:1\n 1: 1\n", 12, &e), CSSPGO_OK);
    T_EQ(csspgo_preinline(p, NULL, NULL, NULL), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(p);
}

/* ----- sizes ----- */

static csspgo_frame frame_of(const char *name, uint32_t line)
{
    csspgo_frame f;
    memset(&f, 0, sizeof f);
    f.name = name;
    f.name_size = strlen(name);
    f.loc.line = line;
    return f;
}

/* f is called twice as often from m as from k, but is too large there. */
static void sizes_are_by_context(void)
{
    static const char text[] = "[m]:7:1\n 1: 7\n 2: 900 f:900\n[k]:7:1\n 1: 7\n 2: 400 f:400\n"
                               "[m:2 @ f]:900:900\n 1: 900\n[k:2 @ f]:400:400\n 1: 400\n";
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_size_table *s = csspgo_size_table_new(NULL, NULL);
    csspgo_preinline_options how;
    csspgo_frame v[2];
    csspgo_error e;
    T_EQ(csspgo_read(p, text, sizeof text - 1, &e), CSSPGO_OK);
    v[0] = frame_of("m", 2);
    v[1] = frame_of("f", 0);
    T_EQ(csspgo_size_table_add(s, v, 2, 200000, NULL), CSSPGO_OK);
    T_EQ(csspgo_size_table_add(s, v + 1, 1, 10, NULL), CSSPGO_OK);
    v[0] = frame_of("m", 0);
    T_EQ(csspgo_size_table_add(s, v, 1, 50, NULL), CSSPGO_OK);
    v[0] = frame_of("k", 0);
    T_EQ(csspgo_size_table_add(s, v, 1, 50, NULL), CSSPGO_OK);
    T_EQ(csspgo_size_table_add(s, v, 0, 50, &e), CSSPGO_E_ARGUMENT);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    v[0].loc.line = 65536;
    T_EQ(csspgo_size_table_add(s, v, 1, 50, &e), CSSPGO_E_ARGUMENT);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_preinline_defaults(p, NULL, &how, NULL), CSSPGO_OK);
    how.sizes = s;
    how.cold_count = 7;
    T_EQ(csspgo_preinline(p, &how, NULL, NULL), CSSPGO_OK);
    T_CHECK(!csspgo_has_record(p, csspgo_find(p, "m:2 @ f")));
    T_EQ(csspgo_attributes(p, csspgo_find(p, "k:2 @ f")), CSSPGO_SHOULD_BE_INLINED);
    T_EQ(csspgo_total(p, csspgo_find(p, "f")), 900);
    csspgo_size_table_free(s);
    csspgo_profile_free(p);
}

/* 1 if a callee of that size is inlined at a call that runs count times. */
static int wants(const csspgo_preinline_options *options, uint64_t count, uint64_t size, uint32_t llvm)
{
    csspgo_options o;
    csspgo_profile *p;
    csspgo_size_table *s = csspgo_size_table_new(NULL, NULL);
    csspgo_preinline_options how = *options;
    csspgo_preinline_stats stats;
    csspgo_frame v[2];
    csspgo_node m, f;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL || s == NULL) abort();
    csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    m = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, csspgo_func_add(p, "m", 1));
    f = csspgo_node_add(p, m, csspgo_loc_at(2, 0), CSSPGO_CONTEXT, csspgo_func_add(p, "f", 1));
    T_EQ(csspgo_add_target(p, m, csspgo_loc_at(2, 0), csspgo_func_add(p, "f", 1), count), CSSPGO_OK);
    T_EQ(csspgo_add_total(p, f, 1), CSSPGO_OK);
    v[0] = frame_of("m", 0);
    T_EQ(csspgo_size_table_add(s, v, 1, 50, NULL), CSSPGO_OK);
    v[0] = frame_of("m", 2);
    v[1] = frame_of("f", 0);
    T_EQ(csspgo_size_table_add(s, v, 2, size, NULL), CSSPGO_OK);
    how.sizes = s;
    how.limit_min = how.limit_max = UINT32_MAX - 1;
    how.growth_limit = how.reinline_factor = 1;
    T_EQ(csspgo_preinline(p, &how, &stats, NULL), CSSPGO_OK);
    T_EQ(stats.inlined + stats.kept, 1);
    csspgo_size_table_free(s);
    csspgo_profile_free(p);
    return stats.inlined == 1;
}

/* LLVM computes them in doubles; the last digit decides. Computed with SSE2; exact fractions differ in the marked rows. */
static void thresholds_are_llvm_s_on_every_machine(void)
{
    static const struct {
        uint64_t count, cold, top;
        uint32_t hot_threshold, cold_threshold;
        uint64_t smaller;         /* callees smaller than this are inlined */
    } cases[] = {
        { 3, 0, 5, 1047, 0, 62820 },                                                   /* 62821 */
        { 7, 0, 10, 833, 0, 58310 },                                                   /* 58311 */
        { 6, 0, 10, 3187, 0, 191220 },                                                 /* 191221 */
        { 1, 0, 3, 1500, 0, 50001 },
        { 2, 1, 4, 1500, 0, 50001 },
        { 2, 0, 3, 1500, 45, 100046 },
        { 9, 3, 10, 1500, 0, 128572 },
        { 10, 3, 10, 1500, 0, 150001 },
        { 999, 3, 10, 1500, 7, 150008 },
        { 4, 3, 3, 1500, 0, 150001 },                                                  /* cold = hot: 0 / 0 */
        { 4, 3, UINT64_MAX, 1500, 1, 2 },
        { UINT64_C(3684230642975794162), 0, UINT64_C(18446744073709550534), 2595, 55, 51884 },    /* 51883 */
        { UINT64_C(7204893798292330892), 0, UINT64_C(18446744073709551511), 2837, 45, 110853 },   /* 110852 */
        { UINT64_C(11904697731436633106), 0, UINT64_C(18446744073709550877), 1634, 0, 105452 },   /* 105451 */
        { UINT64_C(18446744073709551614), 0, UINT64_MAX, 1500, 0, 150001 }             /* both are 2^64 as doubles */
    };
    csspgo_preinline_options how;
    size_t i;
    uint32_t llvm;
    memset(&how, 0, sizeof how);
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        for (llvm = 0; llvm <= 19; llvm += 19) {
            how.cold_count = cases[i].cold != 0 ? cases[i].cold : CSSPGO_ZERO;
            how.hottest_count = cases[i].top;
            how.hot_threshold = cases[i].hot_threshold;
            how.cold_threshold = cases[i].cold_threshold;
            T_CHECK(wants(&how, cases[i].count, cases[i].smaller - 1, llvm));
            T_CHECK(!wants(&how, cases[i].count, cases[i].smaller, llvm));
        }
    how.cold_count = CSSPGO_ZERO;
    how.cold_threshold = 0;
    how.hottest_count = 1;
    how.hot_threshold = 42949673;                     /* 4 bytes above 2^32; LLVM's threshold has 32 bits */
    T_CHECK(wants(&how, 1, 0xfffffff0u, 0));
    T_CHECK(wants(&how, 1, 4, 19) && !wants(&how, 1, 5, 19));
}

/* The code map's own sizes: all code of a function that has probes, once. */
static void sizes_come_from_probes(void)
{
    csspgo_profile *p = read_profile("out/tiny.flat-all.txt", NULL);
    csspgo_size_table *s = csspgo_size_table_new(NULL, NULL);
    csspgo_preinline_options how;
    csspgo_preinline_stats stats;
    t_table t;
    T_EQ(t_table_load(&t, "data/generate/tables/tiny.probe.tsv", NULL), CSSPGO_OK);
    T_EQ(csspgo_size_table_add_code(s, t.code, NULL), CSSPGO_OK);
    T_EQ(csspgo_preinline_defaults(p, NULL, &how, NULL), CSSPGO_OK);
    how.sizes = s;
    T_EQ(csspgo_preinline(p, &how, &stats, NULL), CSSPGO_OK);
    T_CHECK(stats.inlined + stats.kept != 0);
    csspgo_size_table_free(s);
    csspgo_profile_free(p);
    t_table_free(&t);
}

/* ----- memory ----- */

static void failing_allocations_change_nothing(void)
{
    t_heap heap;
    long nth, last = 0;
    for (nth = 1; last == 0; nth++) {
        csspgo_options o = t_options(&heap, 0);
        csspgo_profile *p = random_profile(7, &o);
        csspgo_profile *q = random_profile(7, NULL);
        csspgo_status s;
        heap.calls = 0;
        heap.nth = nth;
        s = csspgo_preinline(p, NULL, NULL, NULL);
        heap.nth = 0;
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
        if (s == CSSPGO_OK) last = nth;
        else T_CHECK(csspgo_equal(p, q));
        csspgo_profile_free(p);
        csspgo_profile_free(q);
        T_EQ(heap.live, 0);
    }
    T_LONG(last > 10);
}

static void failing_allocations_leave_sizes_usable(void)
{
    t_heap heap;
    long nth;
    t_table t;
    T_EQ(t_table_load(&t, "data/generate/tables/tiny.probe.tsv", NULL), CSSPGO_OK);
    for (nth = 1; nth < 100; nth++) {
        csspgo_options o = t_options(&heap, nth);
        csspgo_size_table *s = csspgo_size_table_new(&o, NULL);
        const csspgo_status status = s != NULL ? csspgo_size_table_add_code(s, t.code, NULL) : CSSPGO_E_NOMEM;
        csspgo_size_table_free(s);
        T_EQ(heap.live, 0);
        if (status == CSSPGO_OK) break;
        T_EQ(status, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 3 && nth < 100);
    t_table_free(&t);
}

int main(void)
{
    recorded_outputs_are_llvm_s();
    recorded_outputs_by_line_are_llvm_s();
    counts_are_conserved_under_recursion();
    of_two_checksums_the_base_s_stays_and_losses_are_counted();
    vtable_counts_go_where_their_context_goes();
    profiles_without_contexts_are_refused();
    sizes_are_by_context();
    thresholds_are_llvm_s_on_every_machine();
    sizes_come_from_probes();
    T_FAILING(failing_allocations_change_nothing());
    T_FAILING(failing_allocations_leave_sizes_usable());
    return t_end();
}
