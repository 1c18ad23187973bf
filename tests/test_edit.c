/* test_edit.c - operations on profiles: LLVM's results, algebra, properties, failures.
 *
 * CSSPGO_CASES: number of random cases for each property (default 100, in a full run 200; 10000 takes minutes).
 */
#include "t.h"

#define DATA "data/formats/"

static unsigned long long rng_state = 1;

static unsigned rnd(unsigned n)
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(rng_state >> 33) % n;
}

static unsigned long cases(void)
{
    return t_cases("CSSPGO_CASES", 100, 200);
}

static csspgo_profile *fresh(uint32_t lenient)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    o.hash_seed = rng_state;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    return p;
}

static csspgo_profile *from_text(const char *text)
{
    csspgo_profile *p = fresh(0);
    csspgo_error e;
    T_MSG(csspgo_read(p, text, strlen(text), &e) == CSSPGO_OK, e.message);
    return p;
}

static csspgo_profile *from_file(const char *path, uint32_t lenient)
{
    csspgo_profile *p = fresh(lenient);
    csspgo_error e;
    T_MSG(csspgo_read_file(p, path, &e) == CSSPGO_OK, path);
    return p;
}

static char *written(csspgo_profile *p, uint32_t form, size_t *size)
{
    csspgo_error e;
    char *out;
    if (!T_MSG(csspgo_write(p, form, NULL, 0, size, &e) == CSSPGO_OK, e.message)) *size = 0;
    out = (char *)t_copy("", 0);
    out = (char *)realloc(out, *size + 1);
    if (out == NULL) abort();
    if (*size != 0) T_EQ(csspgo_write(p, form, out, *size, size, &e), CSSPGO_OK);
    out[*size] = '\0';
    return out;
}

static int is_text(csspgo_profile *p, const char *what, const char *want)
{
    size_t size;
    char *got = written(p, CSSPGO_TEXT, &size);
    const int same = t_same(what, got, size, want, strlen(want));
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    free(got);
    return same;
}

/* x * n / d of csspgo_scale, on a profile of one total */
static uint64_t scaled(uint64_t x, uint64_t n, uint64_t d)
{
    csspgo_profile *p = fresh(0);
    const csspgo_node node = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, csspgo_func_add(p, "f", 1));
    T_EQ(csspgo_add_total(p, node, x), CSSPGO_OK);
    T_EQ(csspgo_scale(p, n, d, NULL), CSSPGO_OK);
    x = csspgo_total(p, node);
    csspgo_profile_free(p);
    return x;
}

static void add_flags(csspgo_profile *p, uint32_t flags)
{
    csspgo_profile_set_flags(p, csspgo_profile_flags(p) | flags);
}

static csspgo_profile *copy_of(const csspgo_profile *p)
{
    csspgo_profile *q = fresh(0);
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);
    csspgo_profile_set_flags(q, csspgo_profile_flags(p));
    return q;
}

static csspgo_cold_options cold(uint64_t threshold, uint32_t merge, uint32_t trim, uint32_t frames)
{
    csspgo_cold_options o;
    memset(&o, 0, sizeof o);
    o.threshold = threshold;
    o.merge = merge;
    o.trim = trim;
    o.frames = frames;
    return o;
}

/* ===== what LLVM makes of the same inputs ===== */

enum { FLAT, NEST, NEST_KEEP, COLD };

typedef struct operation_case {
    const char *in, *out;
    int         op, unlike;       /* unlike: the default's result is another one */
    unsigned    threshold, merge, trim, frames;
} operation_case;

static const operation_case operations[] = {
    { "ops/in/flat.txt", "flat-of-nested", FLAT, 0, 0, 0, 0, 0 },
    { "text/14-cs-line.txt", "flat-of-cs", FLAT, 0, 0, 0, 0, 0 },
    { "text/15-cs-probe.txt", "flat-of-cs-probe", FLAT, 0, 0, 0, 0, 0 },
    { "text/14-cs-line.txt", "nest-of-cs", NEST, 0, 0, 0, 0, 0 },
    { "text/15-cs-probe.txt", "nest-of-cs-probe", NEST, 0, 0, 0, 0, 0 },
    { "ops/in/nestgap.txt", "nest-of-gap", NEST, 0, 0, 0, 0, 0 },
    { "ops/in/flat.txt", "nest-of-nested", NEST, 0, 0, 0, 0, 0 },
    { "text/14-cs-line.txt", "nest-merged-base", NEST_KEEP, 0, 0, 0, 0, 0 },
    { "text/15-cs-probe.txt", "nest-merged-base-probe", NEST_KEEP, 0, 0, 0, 0, 0 },
    { "ops/in/cold.txt", "cold-trim", COLD, 0, 0, 0, 1, 0 },
    { "ops/in/cold.txt", "cold-merge", COLD, 0, 0, 1, 0, 0 },
    { "ops/in/cold.txt", "cold-trim-thr5", COLD, 0, 5, 0, 1, 0 },
    { "ops/in/cold.txt", "cold-merge-thr5", COLD, 0, 5, 1, 0, 0 },
    { "ops/in/cold.txt", "cold-merge2-thr5", COLD, 0, 5, 1, 0, 2 },
    { "ops/in/cold.txt", "cold-merge3-thr5", COLD, 0, 5, 1, 0, 3 },
    { "ops/in/cold.txt", "cold-trimmerge-thr5", COLD, 0, 5, 1, 1, 0 },
    { "ops/in/cold.txt", "cold-trimmerge2-thr5", COLD, 0, 5, 1, 1, 2 },
    { "ops/in/cold.txt", "cold-trimmerge3-thr5", COLD, 0, 5, 1, 1, 3 },
    { "ops/in/cold.txt", "cold-trim-thr7", COLD, 0, 7, 0, 1, 0 },
    { "ops/in/cold.txt", "cold-merge-thr7", COLD, 0, 7, 1, 0, 0 },
    { "ops/in/cold.txt", "cold-merge2-thr7", COLD, 0, 7, 1, 0, 2 },
    { "ops/in/cold.txt", "cold-merge3-thr7", COLD, 0, 7, 1, 0, 3 },
    { "ops/in/cold.txt", "cold-trimmerge-thr7", COLD, 0, 7, 1, 1, 0 },
    { "ops/in/cold.txt", "cold-trimmerge2-thr7", COLD, 0, 7, 1, 1, 2 },
    { "ops/in/cold.txt", "cold-trimmerge3-thr7", COLD, 0, 7, 1, 1, 3 }
};

static csspgo_status operate(csspgo_profile *p, const operation_case *c)
{
    const csspgo_cold_options o = cold(c->threshold, c->merge, c->trim, c->frames);
    switch (c->op) {
    case FLAT: return csspgo_flatten(p, NULL);
    case NEST: return csspgo_nest(p, 0, NULL);
    case NEST_KEEP: return csspgo_nest(p, CSSPGO_NEST_KEEP_BASE, NULL);
    default: return csspgo_trim_cold(p, &o, NULL);
    }
}

/* got must be what the file holds. */
static void check_file(csspgo_profile *p, const char *name)
{
    char path[200];
    size_t size;
    char *want;
    snprintf(path, sizeof path, DATA "ops/out/%s.text", name);
    want = t_file(path, &size);
    if (want != NULL) is_text(p, path, want);
    free(want);
}

static void operations_give_what_llvm_gives(void)
{
    size_t i;
    uint32_t lenient;
    for (i = 0; i < sizeof operations / sizeof operations[0]; i++)
        for (lenient = 0; lenient < 2; lenient++) {
            char path[200];
            csspgo_profile *p;
            snprintf(path, sizeof path, DATA "%s", operations[i].in);
            p = from_file(path, lenient);
            T_EQ(operate(p, &operations[i]), CSSPGO_OK);
            check_file(p, operations[i].out);
            csspgo_profile_free(p);
        }
}

typedef struct merge_case {
    const char *out, *a, *b;
    uint64_t    wa, wb;
    int         unlike;           /* the default's result is another one */
} merge_case;

static const merge_case merges[] = {
    { "merge-1-1", "ops/in/a.txt", "ops/in/b.txt", 1, 1, 0 },
    { "merge-3-10", "ops/in/a.txt", "ops/in/b.txt", 3, 10, 0 },
    { "merge-saturate", "ops/in/a.txt", NULL, UINT64_MAX, 0, 0 },
    { "merge-hash-then-0", "ops/in/hash5.txt", "ops/in/hash0.txt", 0, 0, 0 },
    { "merge-hash-mismatch", "ops/in/hash5.txt", "ops/in/hash7.txt", 0, 0, 1 },
    { "merge-0-then-hash", "ops/in/hash0.txt", "ops/in/hash5.txt", 0, 0, 1 },
    { "merge-hash-inlinee", "ops/in/hash5.txt", "ops/in/hash5in2.txt", 0, 0, 1 },
    { "merge-attr-12", "ops/in/attr1.txt", "ops/in/attr2.txt", 0, 0, 1 },
    { "merge-attr-21", "ops/in/attr2.txt", "ops/in/attr1.txt", 0, 0, 1 },
    { "merge-md5-with-text", "conv/02-basic.md5", "text/02-basic.txt", 0, 0, 1 }
};

static void merge_in(csspgo_profile *p, uint32_t lenient, const char *name, uint64_t weight)
{
    csspgo_merge_options how;
    csspgo_profile *q;
    char path[200];
    csspgo_error e;
    if (name == NULL) return;
    snprintf(path, sizeof path, DATA "%s", name);
    q = from_file(path, lenient);
    memset(&how, 0, sizeof how);
    how.weight = weight;
    T_MSG(csspgo_merge(p, q, &how, NULL, &e) == CSSPGO_OK, e.message);
    csspgo_profile_free(q);
}

static void merging_gives_what_llvm_gives(void)
{
    size_t i;
    uint32_t lenient;
    for (i = 0; i < sizeof merges / sizeof merges[0]; i++)
        for (lenient = 0; lenient < 2; lenient++) {
            csspgo_profile *p = fresh(lenient);
            if (!lenient && merges[i].unlike) {
                csspgo_profile_free(p);
                continue;
            }
            merge_in(p, lenient, merges[i].a, merges[i].wa);
            merge_in(p, lenient, merges[i].b, merges[i].wb);
            check_file(p, merges[i].out);
            csspgo_profile_free(p);
        }
}

/* ===== what the default does where LLVM's result depends on the order, or loses something ===== */

static csspgo_profile *merged_text(const char *a, const char *b, const csspgo_merge_options *how)
{
    csspgo_profile *p = from_text(a), *q = from_text(b);
    T_EQ(csspgo_merge(p, q, how, NULL, NULL), CSSPGO_OK);
    csspgo_profile_free(q);
    return p;
}

static void both_ways(const char *a, const char *b, const char *want)
{
    csspgo_profile *p = merged_text(a, b, NULL), *q = merged_text(b, a, NULL);
    is_text(p, "a + b", want);
    is_text(q, "b + a", want);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void the_largest_checksum_wins_and_attributes_are_added(void)
{
    both_ways("foo:10:1\n 1: 10\n !CFGChecksum: 5\n !Attributes: 1\n",
              "foo:7:2\n 1: 3\n 2: 4\n !CFGChecksum: 7\n !Attributes: 2\n",
              "foo:7:2\n 1: 3\n 2: 4\n !CFGChecksum: 7\n !Attributes: 3\n");
    both_ways("foo:10:1\n 1: 10\n 2: bar:5\n  1: 5\n  !CFGChecksum: 1\n !CFGChecksum: 5\n",
              "foo:6:1\n 1: 1\n 2: bar:5\n  1: 5\n  !CFGChecksum: 2\n !CFGChecksum: 5\n",
              "foo:16:2\n 1: 11\n 2: bar:5\n  1: 5\n  !CFGChecksum: 2\n !CFGChecksum: 5\n");
    both_ways("foo:10:1\n 1: 10\nbar:1:1\n !CFGChecksum: 1\n", "foo:6:1\n 1: 6\n !CFGChecksum: 5\n",
              "foo:6:1\n 1: 6\n !CFGChecksum: 5\nbar:1:1\n !CFGChecksum: 1\n");
}

static void llvm_rules_are_there_for_who_asks(void)
{
    csspgo_merge_options how;
    csspgo_merge_stats stats;
    unsigned char result[8];
    csspgo_profile *p = from_text("foo:10:1\n 1: 10\n !CFGChecksum: 5\n !Attributes: 1\n"), *q;
    memset(&how, 0, sizeof how);
    memset(&stats, 0, sizeof stats);
    how.llvm = 19;
    how.weight = 4;
    how.result = result;
    q = from_text("foo:7:2\n 1: 3\n !CFGChecksum: 7\n !Attributes: 2\nbar:4611686018427387904:0\n 1: 2\n 3: baz:1\n");
    T_EQ(csspgo_merge(p, q, &how, &stats, NULL), CSSPGO_OK);
    T_EQ(stats.mismatched, 1);
    T_EQ(stats.dropped, 28);
    T_EQ(stats.clamped, 1);
    T_EQ(result[csspgo_find(q, "foo").id], CSSPGO_MERGE_MISMATCH);
    T_EQ(result[csspgo_find(q, "bar").id], CSSPGO_MERGE_CLAMPED);
    is_text(p, "llvm", "bar:18446744073709551615:0\n 1: 8\n 3: baz:4\n  !CFGChecksum: 0\n !CFGChecksum: 0\n"
                       "foo:10:1\n 1: 10\n !CFGChecksum: 5\n !Attributes: 1\n");
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void what_happens_to_an_inlinee_is_told_of_its_function(void)
{
    csspgo_merge_options how;
    csspgo_merge_stats stats;
    unsigned char result[8];
    csspgo_profile *p = from_text("foo:1:1\n 1: a:1\n  2: b:18446744073709551615\n");
    csspgo_profile *q = copy_of(p);
    memset(&how, 0, sizeof how);
    memset(&stats, 0, sizeof stats);
    how.result = result;
    T_EQ(csspgo_merge(p, q, &how, &stats, NULL), CSSPGO_OK);
    T_EQ(stats.clamped, 1);
    T_EQ(result[csspgo_find(q, "foo").id], CSSPGO_MERGE_CLAMPED);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void mixtures_are_refused(void)
{
    csspgo_profile *cs = from_text("[a]:1:1\n 1: 1\n"), *plain = from_text("a:1:1\n 1: 1\n");
    csspgo_profile *probe = from_text("a:1:1\n 1: 1\n !CFGChecksum: 1\n"), *lenient = fresh(1), *empty = fresh(0);
    csspgo_error e;
    T_EQ(csspgo_merge(cs, plain, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(e.status == CSSPGO_E_ARGUMENT && strstr(e.message, "contexts") != NULL);
    T_EQ(csspgo_merge(plain, probe, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, "probes") != NULL);
    T_EQ(csspgo_merge(lenient, probe, NULL, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_merge(lenient, plain, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_merge(plain, empty, NULL, NULL, &e), CSSPGO_OK);
    is_text(plain, "unchanged", "a:1:1\n 1: 1\n");
    is_text(cs, "unchanged", "[a]:1:1\n 1: 1\n");
    csspgo_profile_free(cs);
    csspgo_profile_free(plain);
    csspgo_profile_free(probe);
    csspgo_profile_free(lenient);
    csspgo_profile_free(empty);
}

/* ----- a name and its GUID ----- */

/* foo called by main at 2, inlined, called; each function by name if its bit is set, else by GUID. */
static csspgo_profile *named(unsigned names, uint32_t lenient)
{
    static const char *const text[3] = { "main", "foo", "bar" };
    csspgo_profile *p = fresh(lenient);
    csspgo_func f[3];
    csspgo_node n;
    size_t i;
    for (i = 0; i < 3; i++)
        f[i] = names >> i & 1 ? csspgo_func_add(p, text[i], strlen(text[i]))
                              : csspgo_func_add_guid(p, csspgo_guid(text[i], strlen(text[i])));
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f[0]);
    T_EQ(csspgo_add_total(p, n, 10), CSSPGO_OK);
    T_EQ(csspgo_add_target(p, n, csspgo_loc_at(1, 0), f[1], 3), CSSPGO_OK);
    T_EQ(csspgo_add_target(p, n, csspgo_loc_at(1, 0), f[2], 4), CSSPGO_OK);
    n = csspgo_node_add(p, n, csspgo_loc_at(2, 0), CSSPGO_INLINEE, f[1]);
    T_EQ(csspgo_add_body(p, n, csspgo_loc_at(1, 0), 5), CSSPGO_OK);
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    return p;
}

/* Says "probes, not contexts" or the like, and has records or not. */
static csspgo_profile *of_kind(uint32_t flags, int filled)
{
    csspgo_profile *p = fresh(0);
    if (filled) {
        const csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0),
                                              flags & CSSPGO_IS_CS ? CSSPGO_CONTEXT : CSSPGO_PLAIN,
                                              csspgo_func_add(p, "f", 1));
        T_EQ(csspgo_add_body(p, n, csspgo_loc_at(1, 0), 7), CSSPGO_OK);
    }
    csspgo_profile_set_flags(p, flags);
    return p;
}

/* ExtBinary carries the kind of an empty profile, so all three ways of adding are tried. */
static csspgo_status sum_of_kinds(csspgo_profile *p, csspgo_profile *q, unsigned how)
{
    csspgo_status s;
    size_t size;
    char *file;
    if (how == 0) return csspgo_merge(p, q, NULL, NULL, NULL);
    if (how == 1) return csspgo_add_profile(p, q, NULL);
    file = written(q, CSSPGO_EXTBINARY, &size);
    s = csspgo_read(p, file, size, NULL);
    free(file);
    return s;
}

static void an_empty_profile_is_neutral(void)
{
    static const uint32_t kinds[] = { 0, CSSPGO_IS_PROBE, CSSPGO_IS_CS, CSSPGO_IS_CS | CSSPGO_IS_PROBE };
    unsigned i, k, how;
    for (i = 0; i < 16 * 4; i++)
        for (how = 0; how < 3; how++) {
            const uint32_t a = kinds[i % 4], b = kinds[i / 4 % 4], both = a | b;
            const int pa = (int)(i / 16 % 2), pb = (int)(i / 32);
            csspgo_profile *p = of_kind(a | CSSPGO_IS_FS, pa), *q = of_kind(b, pb);
            const uint32_t want = pa == pb ? both : pa ? a : b;
            const csspgo_status s = sum_of_kinds(p, q, how);
            k = csspgo_profile_flags(p);
            T_EQ(s, pa && pb && a != b ? CSSPGO_E_ARGUMENT : CSSPGO_OK);
            if (s == CSSPGO_OK) T_EQ(k & (CSSPGO_IS_CS | CSSPGO_IS_PROBE), want);
            T_CHECK((k & CSSPGO_IS_FS) != 0);         /* other flags are those of both */
            csspgo_profile_free(p);
            csspgo_profile_free(q);
        }
}

static void a_name_and_its_guid_are_one_function_whichever_comes_first(void)
{
    static const char want[] = "main:20:0\n 1: 0 bar:8 foo:6\n 2: foo:0\n  1: 10\n";
    unsigned a, b;
    for (a = 0; a < 8; a++)
        for (b = 0; b < 8; b++) {
            csspgo_profile *p = named(a, 0), *q = named(b, 0);
            T_EQ(csspgo_merge(p, q, NULL, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_func_count(p), 3);
            T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
            if ((a | b) == 7) is_text(p, "name and GUID", want);
            T_CHECK(csspgo_func_find(p, "foo", 3).id != 0);
            csspgo_profile_free(p);
            csspgo_profile_free(q);
        }
}

static void a_guid_gets_its_name_later(void)
{
    csspgo_profile *p = fresh(0);
    const csspgo_func g = csspgo_func_add_guid(p, csspgo_guid("foo", 3)), h = csspgo_func_add(p, "bar", 3);
    size_t n;
    T_CHECK(csspgo_func_find(p, "foo", 3).id == g.id && csspgo_func_name(p, g, &n) == NULL);
    T_EQ(csspgo_func_find(p, "fo", 2).id, 0);
    T_EQ(csspgo_func_add(p, "foo", 3).id, g.id);
    T_CHECK(csspgo_func_name(p, g, &n) != NULL && n == 3);
    T_EQ(csspgo_func_add_guid(p, csspgo_guid("bar", 3)).id, h.id);
    T_EQ(csspgo_func_find(p, "foo", 3).id, g.id);
    T_EQ(csspgo_func_count(p), 2);
    csspgo_profile_free(p);
    p = fresh(1);                                     /* LLVM keeps them apart */
    T_CHECK(csspgo_func_add_guid(p, csspgo_guid("foo", 3)).id != csspgo_func_add(p, "foo", 3).id);
    csspgo_profile_free(p);
}

static void a_lenient_name_and_its_guid_cannot_be_added_to_a_default_profile(void)
{
    csspgo_profile *p = named(7, 1), *q = named(0, 1), *d = fresh(0);
    T_EQ(csspgo_add_profile(p, q, NULL), CSSPGO_OK);
    T_EQ(csspgo_func_count(p), 6);
    T_EQ(csspgo_add_profile(d, p, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_func_count(d), 0);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(d);
}

/* ----- small ones ----- */

static void scaling_is_exact_and_saturates(void)
{
    csspgo_profile *p = from_text("a:18446744073709551615:7\n 1: 10 b:9\n 2: 1\n"), *q;
    uint64_t i;
    T_EQ(csspgo_scale(p, 1, 0, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_scale(p, 2, 3, NULL), CSSPGO_OK);
    is_text(p, "2/3", "a:12297829382473034410:4\n 1: 6 b:6\n 2: 0\n");
    T_EQ(csspgo_scale(p, 3, 2, NULL), CSSPGO_OK);
    is_text(p, "3/2", "a:18446744073709551615:6\n 1: 9 b:9\n 2: 0\n");
    T_EQ(csspgo_scale(p, 2, 1, NULL), CSSPGO_OK);
    is_text(p, "2", "a:18446744073709551615:12\n 1: 18 b:18\n 2: 0\n");
    csspgo_profile_free(p);
    T_EQ(scaled(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
    T_EQ(scaled(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX), UINT64_MAX - 1);
    T_EQ(scaled(UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX), UINT64_MAX - 2);
    for (i = 0; i < 2000; i++) {                      /* against division of what fits */
        const uint64_t x = (uint64_t)rnd(1u << 30) << rnd(3), n = rnd(1u << 30), d = 1 + rnd(1u << 30);
        T_EQ(scaled(x, n, d), x * n / d);
        T_EQ(scaled(x << 31, n, d << 31), x * n / d);
    }
    p = from_text("a:8:2\n 1: 8 b:4\n 3: c:6\n  1: 6\n");
    q = copy_of(p);
    T_EQ(csspgo_scale(p, 2, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_merge(q, q, NULL, NULL, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void thresholds_are_those_of_the_summary(void)
{
    static const uint64_t want[][2] = { { 10000, 500000 }, { 400000, 500000 }, { 500000, 300000 }, { 990000, 5000 },
                                        { 999999, 1 } };
    csspgo_profile *p = from_file(DATA "text/21-summary.txt", 0), *q = from_file(DATA "text/21-summary.txt", 1);
    uint64_t count;
    size_t i;
    for (i = 0; i < sizeof want / sizeof want[0]; i++) {
        T_CHECK(csspgo_count_threshold(p, want[i][0], &count, NULL) == CSSPGO_OK && count == want[i][1]);
        T_CHECK(csspgo_count_threshold(q, want[i][0], &count, NULL) == CSSPGO_OK && count == want[i][1]);
    }
    T_CHECK(csspgo_count_threshold(q, 985000, &count, NULL) == CSSPGO_OK && count == 5000);
    T_EQ(csspgo_count_threshold(q, 1000000, &count, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_count_threshold(p, 1000000, &count, NULL), CSSPGO_OK);
    T_EQ(csspgo_count_threshold(p, 1000001, &count, NULL), CSSPGO_E_ARGUMENT);
    T_CHECK(csspgo_count_threshold(p, 0, &count, NULL) == CSSPGO_OK && count == 0);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void depths_are_counted(void)
{
    csspgo_profile *p = from_text("[a]:9:1\n 1: 9\n[a:1 @ b]:4:1\n 1: 3\n 2: 1\n[x:1 @ a:1 @ b]:7:1\n 1: 7\n"),
                   *q = fresh(0);
    csspgo_profile_stats d;
    d = csspgo_profile_get_stats(p);
    T_CHECK(d.records == 3 && d.functions == 2 && d.max_depth == 3 && d.depths == 6 && d.samples == 20 && d.deep == 11);
    T_CHECK(d.mean_depth > 1.99 && d.mean_depth < 2.01 && d.deep_share > 0.549 && d.deep_share < 0.551);
    csspgo_profile_free(p);
    p = from_text("f:9:1\n 1: 2\n 2: g:4\n  1: 4\n  2: h:1\n   7: 1\n 3: g:1\n");
    d = csspgo_profile_get_stats(p);
    T_CHECK(d.records == 4 && d.functions == 3 && d.max_depth == 3 && d.depths == 8 && d.samples == 7 && d.deep == 5);
    d = csspgo_profile_get_stats(q);
    T_CHECK(d.records == 0 && d.max_depth == 0 && !(d.mean_depth > 0) && !(d.deep_share > 0));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void compressed(const char *in, uint32_t max_cycle, const char *want)
{
    csspgo_profile *p = from_text(in);
    T_EQ(csspgo_compress_recursion(p, max_cycle, NULL), CSSPGO_OK);
    is_text(p, in, want);
    csspgo_profile_free(p);
}

static void recursion_is_compressed(void)
{
    compressed("[main:1 @ r:2 @ r:2 @ r:2 @ r]:5:1\n 1: 5\n", UINT32_MAX, "[main:1 @ r:2 @ r]:5:1\n 1: 5\n");
    compressed("[main:1 @ r:2 @ r:2 @ r]:5:1\n 1: 5\n[main:1 @ r:2 @ r]:4:1\n 1: 1\n 2: 3\n", UINT32_MAX,
               "[main:1 @ r:2 @ r]:9:2\n 1: 6\n 2: 3\n");
    compressed("[r:2 @ r:3 @ r:2 @ r:3 @ x]:5:1\n 1: 5\n", UINT32_MAX, "[r:2 @ r:3 @ x]:5:1\n 1: 5\n");
    compressed("[r:2 @ r:3 @ r:2 @ r:3 @ x]:5:1\n 1: 5\n", 1, "[r:2 @ r:3 @ r:2 @ r:3 @ x]:5:1\n 1: 5\n");
    compressed("[a:1 @ b:1 @ a:1 @ b:2 @ x]:5:1\n 1: 5\n", UINT32_MAX, "[a:1 @ b:1 @ a:1 @ b:2 @ x]:5:1\n 1: 5\n");
    compressed("[r:2 @ r:2 @ x]:5:1\n 1: 5\n", 0, "[r:2 @ r:2 @ x]:5:1\n 1: 5\n");
    compressed("r:5:1\n 1: 5\n 2: r:3\n  2: r:1\n", UINT32_MAX, "r:5:1\n 1: 5\n 2: r:3\n  2: r:1\n");
}

/* pairs: "old new old new ..." */
static csspgo_status rename_all(csspgo_profile *p, const char *pairs, uint32_t llvm)
{
    csspgo_rename_options how;
    csspgo_rename r[8];
    size_t n = 0;
    const char *at = pairs;
    while (*at != '\0') {
        r[n].from = at;
        r[n].from_size = strcspn(at, " ");
        at += r[n].from_size + 1;
        r[n].to = at;
        r[n].to_size = strcspn(at, " ");
        at += r[n].to_size;
        at += *at == ' ';
        n++;
    }
    how.llvm = llvm;
    return csspgo_rename_functions(p, r, n, &how, NULL);
}

static void renaming_keeps_contexts_checksums_and_attributes(void)
{
    static const char in[] = "[main]:9:1\n 1: 4 foo:3 bar:1\n !CFGChecksum: 3\n !Attributes: 1\n"
                             "[main:1 @ foo]:6:2\n 1: 6\n !CFGChecksum: 5\n !Attributes: 2\n"
                             "[main:1 @ bar]:5:1\n 1: 2\n 2: 3\n !CFGChecksum: 5\n !Attributes: 1\n";
    csspgo_profile *p = from_text(in), *q = copy_of(p);
    T_EQ(rename_all(p, "foo bar foo never absent main", 0), CSSPGO_OK);
    is_text(p, "rename", "[main:1 @ bar]:11:3\n 1: 8\n 2: 3\n !CFGChecksum: 5\n !Attributes: 3\n"
                         "[main]:9:1\n 1: 4 bar:4\n !CFGChecksum: 3\n !Attributes: 1\n");
    csspgo_profile_free(p);
    p = copy_of(q);
    T_EQ(rename_all(p, "foo bar bar foo", 0), CSSPGO_OK);
    T_CHECK(!csspgo_equal(p, q));
    T_EQ(rename_all(p, "foo bar bar foo", 0), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q) && csspgo_validate(p, NULL) == CSSPGO_OK);
    T_EQ(rename_all(p, "foo bar", 1), CSSPGO_OK);
    is_text(p, "as LLVM", "[bar]:11:3\n 1: 8\n 2: 3\n !CFGChecksum: 0\n[main]:9:1\n 1: 4 bar:4\n !CFGChecksum: 0\n");
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void renaming_gives_what_llvm_gives(void)
{
    static const char *const basic = "_Z4worki _Z4jobi _Z4leafi _Z5otheri main main2", *const cs =
                                                                                           "main xmain foo xfoo";
    csspgo_profile *p = from_file(DATA "text/02-basic.txt", 1);
    T_EQ(rename_all(p, basic, 0), CSSPGO_OK);
    check_file(p, "remap");
    csspgo_profile_free(p);
    p = from_file(DATA "text/02-basic.txt", 0);
    T_EQ(rename_all(p, basic, 0), CSSPGO_OK);
    check_file(p, "remap");
    csspgo_profile_free(p);
    p = from_file(DATA "text/14-cs-line.txt", 1);
    T_EQ(rename_all(p, cs, 0), CSSPGO_OK);
    check_file(p, "remap-cs");
    csspgo_profile_free(p);
    p = from_file(DATA "text/11-probe-nested.txt", 1);
    T_EQ(rename_all(p, cs, 0), CSSPGO_OK);
    check_file(p, "remap-probe");
    csspgo_profile_free(p);
}

static void removing_takes_what_is_nested_along(void)
{
    csspgo_profile *p = from_text("a:9:1\n 1: 2\n 2: g:4\n  1: 4\n  2: h:1\nb:5:1\n 1: 5\n");
    csspgo_node drop[2];
    drop[0] = csspgo_find(p, "a");
    drop[1] = csspgo_find(p, "a:2 @ g");
    T_EQ(csspgo_remove(p, drop, 2, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_record_count(p), 4);
    drop[1] = csspgo_root(p);
    T_EQ(csspgo_remove(p, drop, 2, NULL), CSSPGO_E_ARGUMENT);
    drop[1].id = 99;
    T_EQ(csspgo_remove(p, drop, 2, NULL), CSSPGO_E_ARGUMENT);
    drop[1] = drop[0];
    T_EQ(csspgo_remove(p, drop, 2, NULL), CSSPGO_OK);
    T_EQ(csspgo_record_count(p), 1);
    is_text(p, "removed", "b:5:1\n 1: 5\n");
    T_EQ(csspgo_remove(p, NULL, 0, NULL), CSSPGO_OK);
    csspgo_profile_free(p);
}

static void cold_plain_functions_are_trimmed_and_merging_keeps_them(void)
{
    csspgo_profile *p = from_text("a:9:1\n 1: 2\n 2: g:1\nb:5:1\n 1: 5\n");
    csspgo_cold_options o = cold(6, 1, 0, 3);
    T_EQ(csspgo_trim_cold(p, &o, NULL), CSSPGO_OK);
    is_text(p, "merge", "a:9:1\n 1: 2\n 2: g:1\nb:5:1\n 1: 5\n");
    o = cold(6, 0, 0, 0);
    T_EQ(csspgo_trim_cold(p, &o, NULL), CSSPGO_OK);
    o = cold(6, 0, 1, 0);
    T_EQ(csspgo_trim_cold(p, &o, NULL), CSSPGO_OK);
    is_text(p, "trim", "a:9:1\n 1: 2\n 2: g:1\n");
    csspgo_profile_free(p);
    p = from_text("[a]:1:1\n[a:1 @ b]:2:0\n[b]:30:1\n");
    o = cold(5, 0, 1, 0);
    o.base_only = 1;
    T_EQ(csspgo_trim_cold(p, &o, NULL), CSSPGO_OK);
    is_text(p, "base only", "[b]:30:1\n[a:1 @ b]:2:0\n");
    csspgo_profile_free(p);
}

static void an_inlinee_and_a_context_at_one_site_are_merged(void)
{
    static const char text[] = "[a]:9:1\n 1: 2\n[a:1 @ b]:2:0\n 3: 2\n[a:2 @ b]:1:0\n 3: 1\n";
    uint32_t llvm;
    for (llvm = 0; llvm < 2; llvm++) {
        csspgo_profile *p = fresh(llvm);
        csspgo_node n;
        T_EQ(csspgo_read(p, text, sizeof text - 1, NULL), CSSPGO_OK);
        n = csspgo_node_add(p, csspgo_find(p, "a"), csspgo_loc_at(1, 0), CSSPGO_INLINEE, csspgo_func_find(p, "b", 1));
        T_EQ(csspgo_add_total(p, n, 5), CSSPGO_OK);
        T_EQ(csspgo_add_body(p, n, csspgo_loc_at(3, 0), 5), CSSPGO_OK);
        T_EQ(csspgo_nest(p, 0, NULL), CSSPGO_OK);
        if (llvm) is_text(p, "LLVM loses the context", "a:12:1\n 1: 2\n 1: b:5\n  3: 5\n 2: b:1\n  3: 1\n");
        else is_text(p, "merged", "a:12:1\n 1: 2\n 1: b:7\n  3: 7\n 2: b:1\n  3: 1\n");
        csspgo_profile_free(p);
    }
}

/* ===== random profiles ===== */

static const char *const names[] = { "main", "foo", "bar", "_Z3bazv", "a", "b", "c", "d" };

enum { CS = 1, PROBE = 2, CONFLICTS = 4, HUGE_COUNTS = 8, ATTRIBUTES = 16 };

static uint64_t random_count(unsigned kind)
{
    if (kind & HUGE_COUNTS && rnd(4) == 0) return UINT64_MAX - rnd(3);
    return rnd(5) == 0 ? 0 : rnd(1000);
}

static void random_record(csspgo_profile *p, csspgo_node n, unsigned kind)
{
    unsigned i;
    csspgo_add_total(p, n, random_count(kind));
    if (csspgo_node_kind_of(p, n) != CSSPGO_INLINEE) csspgo_add_head(p, n, random_count(kind));
    for (i = rnd(5); i-- != 0;) {
        const csspgo_loc loc = csspgo_loc_at(1 + rnd(4), kind & PROBE ? 0 : rnd(2));
        const char *callee = names[rnd(8)];
        csspgo_add_body(p, n, loc, random_count(kind));
        if (rnd(2)) csspgo_add_target(p, n, loc, csspgo_func_add(p, callee, strlen(callee)), random_count(kind));
    }
    if (kind & PROBE) csspgo_set_checksum(p, n, kind & CONFLICTS ? rnd(3) : csspgo_node_func(p, n).id + 9);
    if (kind & ATTRIBUTES) {
        const uint32_t attributes = rnd(4);
        csspgo_set_attributes(p, n, attributes);
        if (attributes & CSSPGO_SHOULD_BE_INLINED) add_flags(p, CSSPGO_IS_PREINLINED);
    }
}

/* A function and, below it, frames of a context or inlinees. */
static void random_function(csspgo_profile *p, unsigned kind)
{
    csspgo_node n = csspgo_root(p);
    unsigned depth = 1 + rnd(4), i;
    for (i = 0; i < depth; i++) {
        const csspgo_loc loc = i == 0 ? csspgo_loc_at(0, 0) : csspgo_loc_at(1 + rnd(4), kind & PROBE ? 0 : rnd(2));
        const csspgo_node_kind k = kind & CS ? CSSPGO_CONTEXT : i == 0 ? CSSPGO_PLAIN : CSSPGO_INLINEE;
        const char *name = names[rnd(8)];
        n = csspgo_node_add(p, n, loc, k, csspgo_func_add(p, name, strlen(name)));
        if (!(kind & CS) || i + 1 == depth || rnd(2)) random_record(p, n, kind);
    }
}

/* functions get the same ids everywhere, so that a checksum can be one of the function's */
static csspgo_profile *random_profile(unsigned kind)
{
    csspgo_profile *p = fresh(0);
    unsigned i;
    for (i = 0; i < 8; i++) csspgo_func_add(p, names[i], strlen(names[i]));
    for (i = 1 + rnd(5); i-- != 0;) random_function(p, kind);
    if (kind & CS) add_flags(p, CSSPGO_IS_CS);
    if (kind & PROBE) {                               /* without any checksum text forgets that there are probes */
        const csspgo_func f = csspgo_func_find(p, "main", 4);
        const csspgo_node_kind k = kind & CS ? CSSPGO_CONTEXT : CSSPGO_PLAIN;
        csspgo_set_checksum(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), k, f), 10);
        add_flags(p, CSSPGO_IS_PROBE);
    }
    return p;
}

/* Through a file of some format and back. */
static csspgo_profile *detour(csspgo_profile *p, unsigned kind, int md5)
{
    static const uint32_t forms[] = { CSSPGO_TEXT, CSSPGO_EXTBINARY, CSSPGO_EXTBINARY | CSSPGO_MD5, CSSPGO_BINARY };
    unsigned f = rnd(5);
    csspgo_profile *q;
    csspgo_error e;
    size_t size;
    char *file;
    if (f == 4 || (f == 2 && !md5) || (f == 3 && kind & (CS | PROBE | ATTRIBUTES))) return p;
    if (md5 && f != 2 && (csspgo_profile_flags(p) & CSSPGO_IS_MD5 || f == 0 || f == 3)) return p;
    file = written(p, forms[f], &size);
    q = fresh(0);
    T_MSG(csspgo_read(q, file, size, &e) == CSSPGO_OK, e.message);
    csspgo_profile_free(p);
    free(file);
    return q;
}

static csspgo_profile *sum_of(csspgo_profile *const *leaf, unsigned *at, unsigned n, unsigned kind, int md5)
{
    csspgo_profile *p, *q;
    unsigned cut;
    if (n == 1) return detour(copy_of(leaf[at[0]]), kind, md5);
    cut = 1 + rnd(n - 1);
    p = sum_of(leaf, at, cut, kind, md5);
    q = sum_of(leaf, at + cut, n - cut, kind, md5);
    T_EQ(csspgo_merge(p, q, NULL, NULL, NULL), CSSPGO_OK);
    csspgo_profile_free(q);
    return detour(p, kind, md5);
}

/* The bytes that say all: of names, or, where a detour may have lost some, of their GUIDs. */
static char *essence(csspgo_profile *p, int md5, size_t *size)
{
    return written(p, md5 ? CSSPGO_EXTBINARY | CSSPGO_MD5 : CSSPGO_TEXT, size);
}

/* A file of GUIDs from names, from GUIDs and from some of each. */
static void a_file_of_guids_does_not_tell_who_knew_the_names(void)
{
    static const char text[] =
        "foo:1:1\n 1: 4 bar:2 foo:2\n 2: bar:3\n  1: 3\n 2: foo:3\n  1: 3\nbar:1:1\nzoo:1:0\n 1: 1\n";
    static const char some[] = "bar:0:0\nzap:0:0\n";
    csspgo_profile *p = fresh(0), *q = fresh(0), *known = fresh(0);
    size_t n, m, k;
    char *a, *b, *c;
    T_EQ(csspgo_read(p, text, sizeof text - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_read(p, some, sizeof some - 1, NULL), CSSPGO_OK);
    a = written(p, CSSPGO_EXTBINARY | CSSPGO_MD5, &n);
    T_EQ(csspgo_read(q, a, n, NULL), CSSPGO_OK);
    b = written(q, CSSPGO_EXTBINARY, &m);
    t_same("GUIDs alone", b, m, a, n);
    T_EQ(csspgo_read(known, some, sizeof some - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_read(known, a, n, NULL), CSSPGO_OK);
    c = written(known, CSSPGO_EXTBINARY, &k);
    t_same("some names", c, k, a, n);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(known);
    free(a);
    free(b);
    free(c);
}

static void merging_in_any_order_grouping_and_format_gives_the_same_bytes(void)
{
    unsigned long i, n = cases();
    for (i = 0; i < n; i++) {
        const unsigned kind = rnd(32) & ~(rnd(2) ? 0u : (unsigned)HUGE_COUNTS), count = 2 + rnd(4);
        const int md5 = rnd(2) != 0;
        csspgo_profile *leaf[5], *want = fresh(0), *got;
        unsigned at[5], k;
        size_t want_size, got_size;
        char *a, *b;
        for (k = 0; k < count; k++) {
            const unsigned j = rnd(k + 1);
            leaf[k] = random_profile(kind);
            T_EQ(csspgo_validate(leaf[k], NULL), CSSPGO_OK);
            T_EQ(csspgo_merge(want, leaf[k], NULL, NULL, NULL), CSSPGO_OK);
            at[k] = at[j];
            at[j] = k;
        }
        got = sum_of(leaf, at, count, kind, md5);
        T_EQ(csspgo_validate(got, NULL), CSSPGO_OK);
        a = essence(want, md5, &want_size);
        b = essence(got, md5, &got_size);
        t_same("order, grouping, format", b, got_size, a, want_size);
        if (!md5) T_CHECK(csspgo_equal(want, got) && csspgo_equal(got, want));
        for (k = 0; k < count; k++) csspgo_profile_free(leaf[k]);
        csspgo_profile_free(want);
        csspgo_profile_free(got);
        free(a);
        free(b);
    }
}

static void a_name_is_found_again_after_a_detour_through_guids(void)
{
    unsigned long i, n = cases();
    for (i = 0; i < n; i++) {
        const unsigned kind = rnd(8) | (rnd(2) ? (unsigned)ATTRIBUTES : 0);
        csspgo_profile *p = random_profile(kind), *q = fresh(0), *twice = copy_of(p), *back;
        size_t size;
        char *file = written(p, CSSPGO_EXTBINARY | CSSPGO_MD5, &size);
        T_EQ(csspgo_read(q, file, size, NULL), CSSPGO_OK);
        T_EQ(csspgo_merge(twice, twice, NULL, NULL, NULL), CSSPGO_OK);
        add_flags(twice, CSSPGO_IS_MD5);
        back = copy_of(q);
        T_EQ(csspgo_merge(back, p, NULL, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_merge(p, q, NULL, NULL, NULL), CSSPGO_OK);
        T_CHECK(csspgo_equal(p, twice) && csspgo_equal(back, twice));
        T_CHECK(csspgo_validate(p, NULL) == CSSPGO_OK && csspgo_validate(back, NULL) == CSSPGO_OK);
        csspgo_profile_free(p);
        csspgo_profile_free(q);
        csspgo_profile_free(back);
        csspgo_profile_free(twice);
        free(file);
    }
}

static uint64_t sum_totals(const csspgo_profile *p)
{
    uint64_t sum = 0;
    uint32_t id;
    for (id = 2; id <= csspgo_node_count(p) + 1; id++) {
        csspgo_node n;
        n.id = id;
        if (csspgo_node_kind_of(p, n) != CSSPGO_INLINEE) sum += csspgo_total(p, n);
    }
    return sum;
}

static void check_same(csspgo_profile *p, csspgo_profile *q, const char *what)
{
    T_MSG(csspgo_equal(p, q) && csspgo_equal(q, p), what);
    T_MSG(csspgo_validate(p, NULL) == CSSPGO_OK, what);
    csspgo_profile_free(p);
}

static void operations_keep_what_they_promise(void)
{
    unsigned long i, n = cases();
    for (i = 0; i < n; i++) {
        const unsigned kind = rnd(4);
        csspgo_profile *p = random_profile(kind), *q = copy_of(p), *flat = copy_of(p);
        csspgo_cold_options o = cold(1 + rnd(2000), 1, 0, 1 + rnd(3));
        const uint64_t total = sum_totals(p);
        csspgo_profile_stats d;
        T_CHECK(csspgo_scale(q, 1, 1, NULL) == CSSPGO_OK &&
                csspgo_rename_functions(q, NULL, 0, NULL, NULL) == CSSPGO_OK);
        check_same(q, p, "scaling by 1, renaming nothing");
        T_EQ(csspgo_flatten(flat, NULL), CSSPGO_OK);
        if (kind & CS) T_EQ(sum_totals(flat), total);
        d = csspgo_profile_get_stats(flat);
        T_CHECK(d.max_depth <= 1 && d.functions == d.records && (csspgo_profile_flags(flat) & CSSPGO_IS_CS) == 0);
        q = copy_of(flat);
        T_EQ(csspgo_flatten(q, NULL), CSSPGO_OK);     /* of contexts heads are added, of flat functions estimated */
        if (!(kind & CS)) check_same(q, flat, "a flat profile is flat");
        else csspgo_profile_free(q);
        csspgo_profile_free(flat);
        q = copy_of(p);
        T_EQ(csspgo_trim_cold(q, &o, NULL), CSSPGO_OK);
        T_EQ(sum_totals(q), total);
        T_EQ(csspgo_validate(q, NULL), CSSPGO_OK);
        o = cold(o.threshold, 1, 0, 99);
        T_EQ(csspgo_trim_cold(q, &o, NULL), CSSPGO_OK);
        csspgo_profile_free(q);
        q = copy_of(p);
        T_EQ(csspgo_trim_cold(q, &o, NULL), CSSPGO_OK);
        check_same(q, p, "contexts of 99 frames are all");
        q = copy_of(p);
        T_EQ(csspgo_compress_recursion(q, UINT32_MAX, NULL), CSSPGO_OK);
        T_EQ(sum_totals(q), total);
        check_same(copy_of(q), q, "compressed");
        csspgo_profile_free(q);
        q = copy_of(p);
        T_EQ(csspgo_nest(q, rnd(2), NULL), CSSPGO_OK);
        flat = copy_of(q);
        T_EQ(csspgo_nest(flat, 0, NULL), CSSPGO_OK);
        check_same(flat, q, "a nested profile is nested");
        csspgo_profile_free(q);
        csspgo_profile_free(p);
    }
}

/* ===== failures and shapes ===== */

enum { OPERATIONS = 12 };

static csspgo_status any_operation(csspgo_profile *p, unsigned op)
{
    csspgo_cold_options o = cold(0, op == 6 || op == 8, op >= 7, 2);
    csspgo_merge_options how;
    csspgo_profile *q;
    csspgo_status s;
    uint64_t count;
    switch (op) {
    case 0: return csspgo_flatten(p, NULL);
    case 1: return csspgo_nest(p, 0, NULL);
    case 2: return csspgo_nest(p, CSSPGO_NEST_KEEP_BASE, NULL);
    case 3: return csspgo_compress_recursion(p, UINT32_MAX, NULL);
    case 4: return rename_all(p, "foo bar a another c d", 0);
    case 5: return rename_all(p, "foo bar a another c d", 1);
    case 6:
    case 7:
    case 8: return csspgo_trim_cold(p, &o, NULL);
    case 9: return csspgo_count_threshold(p, 990000, &count, NULL);
    case 11:
        s = csspgo_shrink(p, csspgo_profile_memory(p) * 3 / 4, NULL);
        return s == CSSPGO_E_LIMIT ? CSSPGO_OK : s;
    default:
        rng_state = 77;
        q = random_profile((csspgo_profile_flags(p) & CSSPGO_IS_CS ? CS : 0) | (csspgo_profile_flags(p) & CSSPGO_IS_PROBE ? PROBE | CONFLICTS : 0));
        csspgo_func_add_guid(q, 12345);
        csspgo_func_add_guid(q, csspgo_guid("a", 1));
        memset(&how, 0, sizeof how);
        how.weight = 3;
        s = csspgo_merge(p, q, &how, NULL, NULL);
        csspgo_profile_free(q);
        return s;
    }
}

static void every_allocation_may_fail(void)
{
    unsigned kind, op;
    long nth;
    for (kind = 0; kind < 4; kind++)
        for (op = 0; op < OPERATIONS; op++)
            for (nth = 1;; nth++) {
                t_heap h;
                csspgo_options o = t_options(&h, 0);
                csspgo_profile *p = csspgo_profile_new(&o, NULL), *before;
                csspgo_status s;
                rng_state = 5 + kind;
                before = random_profile(kind | ATTRIBUTES);
                T_EQ(csspgo_add_profile(p, before, NULL), CSSPGO_OK);
                h.calls = 0;
                h.nth = nth;
                s = any_operation(p, op);
                h.nth = 0;
                T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
                if (s != CSSPGO_OK) T_CHECK(s == CSSPGO_E_NOMEM && csspgo_equal(p, before));
                if (s != CSSPGO_OK) T_EQ(csspgo_func_count(p), csspgo_func_count(before));
                csspgo_profile_free(p);
                csspgo_profile_free(before);
                T_EQ(h.live, 0);
                if (s == CSSPGO_OK) break;
            }
}

static void add_functions(csspgo_profile *p, uint32_t n)
{
    while (n-- != 0) {
        char name[30];
        sprintf(name, "a function %u", (unsigned)n);
        if (csspgo_func_add(p, name, strlen(name)).id == 0) break;
    }
}

static void the_limit_of_memory_holds(void)
{
    unsigned op;
    uint64_t max;
    for (op = 0; op < OPERATIONS; op++)
        for (max = 4000; max < 60000; max += 3001) {
            csspgo_options o;
            csspgo_profile *p, *before;
            csspgo_status s;
            memset(&o, 0, sizeof o);
            o.limits.max_bytes = max;
            p = csspgo_profile_new(&o, NULL);
            rng_state = 9;
            before = random_profile(CS);
            if (csspgo_add_profile(p, before, NULL) == CSSPGO_OK) {
                s = any_operation(p, op);
                T_CHECK(s == CSSPGO_OK || (s == CSSPGO_E_LIMIT && csspgo_equal(p, before)));
                T_CHECK(csspgo_profile_memory(p) <= max && csspgo_validate(p, NULL) == CSSPGO_OK);
                add_functions(p, 4000);               /* the limit is still there */
                T_CHECK(csspgo_func_count(p) < 4000 && csspgo_profile_memory(p) <= max);
            }
            csspgo_profile_free(p);
            csspgo_profile_free(before);
        }
}

/* Contexts with counts until the limit is reached: small records, or one large one with every location. */
static csspgo_profile *full_profile(t_heap *heap, uint64_t max, int large)
{
    csspgo_options o = t_options(heap, 0);
    csspgo_profile *p;
    csspgo_node n, m;
    char name[30];
    uint32_t i;
    o.limits.max_bytes = max;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    add_flags(p, CSSPGO_IS_CS);
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, csspgo_func_add(p, "main", 4));
    csspgo_add_total(p, n, 1000);
    for (i = 0;; i++) {
        m = n;
        if (!large) {
            sprintf(name, "function number %u", (unsigned)(i % 100));
            m = csspgo_node_add(p, n, csspgo_loc_at(1 + i / 100, 0), CSSPGO_CONTEXT, csspgo_func_add(p, name, strlen(name)));
            if (m.id == 0 || csspgo_add_total(p, m, 1 + i % 50) != CSSPGO_OK) break;
        }
        if (csspgo_add_body(p, m, csspgo_loc_at(1 + i % 60000, i / 60000), 1 + i % 50) != CSSPGO_OK) break;
    }
    T_CHECK(csspgo_profile_memory(p) <= max && t_valid(p));
    return p;
}

static csspgo_status shrink(csspgo_profile *p, unsigned op)
{
    const csspgo_cold_options o = cold(op == 1 ? 40 : 0, op == 2, 1, 1);
    switch (op) {
    case 0: return csspgo_trim_cold(p, NULL, NULL);
    case 3: return csspgo_flatten(p, NULL);
    case 4: return csspgo_compress_recursion(p, UINT32_MAX, NULL);
    case 5: return csspgo_scale(p, 1, 2, NULL);
    default: return csspgo_trim_cold(p, &o, NULL);
    }
}

/* At limits.max_bytes everything that reads or shrinks a profile works, with no more memory than is documented. */
static void a_full_profile_can_be_read_written_and_shrunk(void)
{
    static const uint64_t max[] = { 100000, 131072, 777777 };
    const unsigned sizes = (unsigned)t_size(2, 3);
    unsigned i, op, large;
    for (i = 0; i < sizes; i++)
        for (op = 0; op < 6; op++)
            for (large = 0; large < 2; large++) {
                t_heap heap;
                csspgo_profile *p = full_profile(&heap, max[i], (int)large);
                csspgo_overlap_figures figures;
                csspgo_quality quality;
                csspgo_summary sum;
                csspgo_error e;
                uint64_t count;
                size_t size;
                T_EQ(csspgo_compute_summary(p, NULL, 0, &sum, NULL), CSSPGO_OK);
                T_EQ(csspgo_count_threshold(p, 990000, &count, NULL), CSSPGO_OK);
                T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, &size, &e), CSSPGO_OK);
                T_EQ(csspgo_write(p, CSSPGO_EXTBINARY, NULL, 0, &size, &e), CSSPGO_OK);
                T_EQ(csspgo_overlap(p, p, NULL, &figures, NULL, 0, NULL, NULL), CSSPGO_OK);
                T_EQ(csspgo_compare_blocks(p, p, NULL, &quality, NULL, 0, NULL, NULL), CSSPGO_OK);
                T_EQ(shrink(p, op), CSSPGO_OK);
                T_CHECK(csspgo_profile_memory(p) <= max[i] && t_valid(p));
                T_CHECK(heap.peak <= 5 * max[i]);
                csspgo_profile_free(p);
                T_EQ(heap.live_bytes, 0);
            }
}

/* The sum of the counts of each function in all its contexts, by id; and the smallest total of a record with callers. */
static uint64_t *sums_of(const csspgo_profile *p, uint64_t *coldest)
{
    uint64_t *sum = (uint64_t *)calloc(csspgo_func_count(p) + 1, sizeof *sum);
    csspgo_node n = csspgo_root(p);
    *coldest = UINT64_MAX;
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0) {
        const uint64_t total = csspgo_total(p, n);
        sum[csspgo_node_func(p, n).id] += total;
        if (csspgo_has_record(p, n) && csspgo_node_parent(p, n).id != csspgo_root(p).id && total < *coldest)
            *coldest = total;
    }
    return sum;
}

/* 3000 calls of main to a hundred functions, with totals of 4 to 200, from the last call on if turned. */
static csspgo_profile *many_contexts(const csspgo_options *o, int turned)
{
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    uint32_t i, k;
    char name[30];
    csspgo_node n, m;
    if (p == NULL) abort();
    add_flags(p, CSSPGO_IS_CS);
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, csspgo_func_add(p, "main", 4));
    csspgo_add_total(p, n, 100000);
    for (i = 0; i < 3000; i++) {
        const uint32_t site = turned ? 3000 - i : i + 1;
        sprintf(name, "function number %u", (unsigned)(site * 7 % 100));
        m = csspgo_node_add(p, n, csspgo_loc_at(site, 0), CSSPGO_CONTEXT, csspgo_func_add(p, name, strlen(name)));
        for (k = 1; k <= 4; k++) T_EQ(csspgo_add_body(p, m, csspgo_loc_at(k, 0), 1 + site % 50), CSSPGO_OK);
        csspgo_add_total(p, m, 4 * (1 + site % 50));
    }
    return p;
}

/* Functions in contexts, some with inlinees and, in LLVM mode, duplicates. */
static csspgo_profile *random_contexts(uint32_t llvm, unsigned kind)
{
    csspgo_profile *p = fresh(llvm);
    unsigned i, k;
    for (i = 0; i < 8; i++) csspgo_func_add(p, names[i], strlen(names[i]));
    for (i = 20 + rnd(100); i-- != 0;) {
        csspgo_node n = csspgo_root(p), m;
        const unsigned depth = 1 + rnd(5), inlinees = rnd(3);
        for (k = 0; k < depth + inlinees; k++) {
            const csspgo_loc loc = k == 0 ? csspgo_loc_at(0, 0) : csspgo_loc_at(1 + rnd(9), 0);
            const char *name = names[rnd(8)];
            const csspgo_node_kind place = k < depth ? CSSPGO_CONTEXT : CSSPGO_INLINEE;
            n = csspgo_node_add(p, n, loc, place, csspgo_func_add(p, name, strlen(name)));
            if (k + 1 >= depth || rnd(2)) random_record(p, n, kind);
            if (rnd(100) == 0) {                      /* many of these are not merged at once */
                const uint32_t from = rnd(1000), to = from + rnd(3000);
                uint32_t line;
                for (line = from; line < to; line++) csspgo_add_body(p, n, csspgo_loc_at(line, 0), 1);
            }
            if (!llvm || k >= depth || rnd(4) != 0) continue;
            m = csspgo_node_add(p, n, csspgo_loc_at(1 + rnd(3), 0), CSSPGO_DUPLICATE, csspgo_node_func(p, n));
            random_record(p, m, kind);
        }
    }
    add_flags(p, CSSPGO_IS_CS | (kind & PROBE ? CSSPGO_IS_PROBE : 0));
    return p;
}

/* The least total of a record that has callers; UINT64_MAX if there is none. */
static uint64_t least_total(const csspgo_profile *p)
{
    csspgo_node n = csspgo_root(p), up;
    uint64_t least = UINT64_MAX;
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0) {
        const csspgo_node_kind kind = csspgo_node_kind_of(p, n);
        up = csspgo_node_parent(p, n);
        if (kind == CSSPGO_DUPLICATE) up = csspgo_node_parent(p, up);
        if (!csspgo_has_record(p, n) || kind == CSSPGO_INLINEE || up.id == csspgo_root(p).id) continue;
        if (csspgo_total(p, n) < least) least = csspgo_total(p, n);
    }
    return least;
}

/* Shrinking merges what trimming merges, with the threshold that makes it fit. */
static void shrinking_is_merging_what_is_cold(void)
{
    unsigned long i, fits = 0, n = cases() / 2;
    for (i = 0; i < n; i++) {
        const uint32_t llvm = rnd(3) == 0 ? 19 : 0;
        csspgo_profile *made = random_contexts(llvm, rnd(2) ? PROBE | CONFLICTS : 0);
        csspgo_profile *p = csspgo_profile_clone(made, NULL), *q = csspgo_profile_clone(made, NULL);
        const uint64_t bytes = csspgo_profile_memory(q) * (4 + rnd(12)) / 16;
        const csspgo_status s = csspgo_shrink(q, bytes, NULL);
        csspgo_cold_options how = cold(0, 1, 0, 1);
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_LIMIT);
        if (s == CSSPGO_OK) T_CHECK(csspgo_profile_memory(q) <= bytes);
        fits += s == CSSPGO_OK;
        how.threshold = least_total(q);
        if (how.threshold != 0) T_EQ(csspgo_trim_cold(p, &how, NULL), CSSPGO_OK);
        check_same(q, p, "shrunk and merged");
        csspgo_profile_free(p);
        csspgo_profile_free(made);
    }
    T_CHECK(fits > n / 4 && fits < n);
}

/* The coldest contexts go first, in any order of input; every function keeps its sum; what cannot fit changes nothing. */
static void a_profile_shrinks_to_a_size(void)
{
    uint64_t bytes, coldest, last = 0, *before, *after;
    size_t had;
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_profile *p = many_contexts(&o, 0), *turned = many_contexts(&o, 1), *q, *other;
    csspgo_error e;
    T_EQ(csspgo_shrink(p, csspgo_profile_memory(p), &e), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, turned) && csspgo_record_count(p) == 3001);
    before = sums_of(p, &coldest);
    T_EQ(coldest, 4);
    for (bytes = 300000; bytes > 40000; bytes -= bytes / 5) {
        q = csspgo_profile_clone(p, NULL);
        other = csspgo_profile_clone(turned, NULL);
        had = heap.live_bytes;
        heap.peak = had;
        T_EQ(csspgo_shrink(q, bytes, &e), CSSPGO_OK);
        T_CHECK(heap.peak - had <= bytes + 16 * 3000 + 64 * (3001 - (size_t)csspgo_record_count(q)) + 4096);
        T_CHECK(e.status == CSSPGO_OK && csspgo_profile_memory(q) <= bytes && csspgo_profile_memory(q) > bytes / 2);
        T_EQ(csspgo_shrink(other, bytes, NULL), CSSPGO_OK);
        T_CHECK(csspgo_equal(q, other) && t_valid(q));
        after = sums_of(q, &coldest);
        T_CHECK(memcmp(before, after, (csspgo_func_count(p) + 1) * sizeof *before) == 0);
        T_CHECK(coldest > last);
        last = coldest;
        free(after);
        csspgo_profile_free(q);
        csspgo_profile_free(other);
    }
    T_EQ(csspgo_shrink(turned, 3000, NULL), CSSPGO_E_LIMIT);
    T_EQ(csspgo_shrink(turned, 3000, &e), CSSPGO_E_LIMIT);
    T_CHECK(strcmp(e.message, "the profile without contexts does not fit into 3000 bytes") == 0 && csspgo_equal(p, turned));
    csspgo_profile_free(turned);
    csspgo_profile_free(p);
    free(before);
    T_EQ(heap.live_bytes, 0);
}

/* Shrinks in slices, with any budgets. Returns how many there were. */
static uint32_t shrink_in_slices(csspgo_profile *p, uint64_t bytes, csspgo_error *e)
{
    static const uint64_t budgets[] = { 0, 1, 7, 200, 5000 };
    csspgo_profile *const was = csspgo_profile_clone(p, NULL);
    csspgo_status s = CSSPGO_MORE;
    uint32_t calls = 0;
    const int one = rnd(2) != 0;
    const uint64_t budget = budgets[rnd(5)];
    while (s == CSSPGO_MORE) {
        s = csspgo_shrink_step(p, bytes, one ? budget : budgets[rnd(5)], e);
        T_EQ(s, e->status);
        if (s == CSSPGO_MORE && calls++ % 64 == 0) T_CHECK(csspgo_profile_memory(p) <= bytes || csspgo_equal(p, was));
    }
    csspgo_profile_free(was);
    return calls;
}

/* In slices of any size it is what it is at once, to the byte; the same sum of memory, the same error. */
static void slices_shrink_as_one_call(void)
{
    unsigned long i, n = cases() / 4, sliced = 0;
    for (i = 0; i < n; i++) {
        csspgo_profile *made = random_contexts(rnd(3) == 0 ? 19 : 0, rnd(2) ? PROBE | CONFLICTS : 0);
        csspgo_profile *p = csspgo_profile_clone(made, NULL), *q = csspgo_profile_clone(made, NULL);
        const uint64_t bytes = csspgo_profile_memory(p) * (4 + rnd(12)) / 16;
        csspgo_error at_once, e;
        csspgo_shrink(p, bytes, &at_once);
        sliced += shrink_in_slices(q, bytes, &e);
        T_CHECK(e.status == at_once.status && strcmp(e.message, at_once.message) == 0);
        T_EQ(csspgo_profile_memory(p), csspgo_profile_memory(q));
        check_same(q, p, "in slices and at once");
        csspgo_profile_free(p);
        csspgo_profile_free(made);
    }
    T_CHECK(sliced > 10 * n);
}

/*
 * Who stops gets the memory back, and p as it was, in any slice, also if it is freed. What was begun is not gone on with
 * when p has changed; all the same it ends, whatever the budget is. Other bounds are other work.
 */
static void shrinking_may_stop_or_begin_anew(void)
{
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_profile *const made = many_contexts(&o, 0), *p, *q;
    const uint64_t bytes = csspgo_profile_memory(made) / 3;
    uint32_t stop, calls, slices = 0;
    size_t had;
    csspgo_error e;
    for (stop = 1; stop < 4000; stop += 1 + stop / 8) {
        p = csspgo_profile_clone(made, NULL);
        had = heap.live_bytes;
        for (calls = 0; calls < stop && csspgo_shrink_step(p, bytes, 50, &e) == CSSPGO_MORE; calls++) {}
        slices = calls;
        if (csspgo_profile_memory(p) <= bytes) T_CHECK(stop > 100);
        else {
            T_EQ(csspgo_shrink_step(p, UINT64_MAX, 0, &e), CSSPGO_OK);
            T_CHECK(heap.live_bytes == had && csspgo_equal(p, made));
            T_EQ(csspgo_shrink_step(p, bytes, 50, &e), CSSPGO_MORE);
            T_EQ(csspgo_shrink_step(p, bytes / 2, 50, &e), CSSPGO_MORE);
        }
        csspgo_profile_free(p);
    }
    T_CHECK(slices > 100);
    p = csspgo_profile_clone(made, NULL);
    for (calls = 0; csspgo_shrink_step(p, bytes, calls % 2, &e) == CSSPGO_MORE && calls < 1000; calls++)
        T_EQ(csspgo_scale(p, 1, 1, NULL), CSSPGO_OK);
    T_CHECK(e.status == CSSPGO_OK && csspgo_profile_memory(p) <= bytes);
    q = csspgo_profile_clone(made, NULL);
    T_EQ(csspgo_shrink(q, bytes, &e), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(made);
    T_EQ(heap.live_bytes, 0);
}

static void null_options_trim_what_is_cold(void)
{
    csspgo_profile *p = from_text("a:9000000:1\n 1: 9000000\nb:1:1\n 1: 1\n");
    csspgo_summary sum;
    size_t n;
    T_EQ(csspgo_stored_summary(p, &sum, NULL), 0);
    T_EQ(csspgo_stored_summary(p, NULL, &n), 0);
    T_EQ(csspgo_trim_cold(p, NULL, NULL), CSSPGO_OK);
    is_text(p, "trim", "a:9000000:1\n 1: 9000000\n");
    csspgo_profile_free(p);
}

/* One context with n callees, or a chain of n. */
static csspgo_profile *shape(uint32_t n, int chain)
{
    csspgo_profile *p = fresh(0);
    csspgo_node at = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT,
                                     csspgo_func_add(p, "f", 1));
    uint32_t i;
    add_flags(p, CSSPGO_IS_CS);
    csspgo_add_total(p, at, 1000);
    for (i = 0; i < n; i++) {
        const csspgo_func g = csspgo_func_add(p, names[i % 8], strlen(names[i % 8]));
        csspgo_node child;
        if (!chain) csspgo_add_target(p, at, csspgo_loc_at(i >> 4, i & 15), g, 5);
        child = csspgo_node_add(p, at, csspgo_loc_at(i >> 4, i & 15), CSSPGO_CONTEXT, g);
        csspgo_add_body(p, child, csspgo_loc_at(1, 0), 3);
        csspgo_add_total(p, child, 3);
        if (chain) at = child;
    }
    return p;
}

static void hostile_shapes_take_no_more_than_others(void)
{
    const uint32_t n = cases() > 1000 ? 1000000 : (uint32_t)t_size(8000, 20000);
    int chain;
    unsigned op;
    for (chain = 0; chain < 2; chain++)
        for (op = 0; op < OPERATIONS; op++) {
            csspgo_profile *p = shape(n, chain);
            csspgo_status s = any_operation(p, op);
            T_CHECK(s == CSSPGO_OK || (s == CSSPGO_E_LIMIT && chain && (op == 2 || op == 3)));
            if (op != 9) T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
            csspgo_profile_free(p);
        }
}

static void deep_contexts_are_a_matter_of_limits(void)
{
    csspgo_profile *p = shape(1022, 1);
    T_EQ(csspgo_compress_recursion(p, UINT32_MAX, NULL), CSSPGO_OK);
    T_EQ(csspgo_record_count(p), 1023);
    csspgo_profile_free(p);
    p = shape(1024, 1);
    T_EQ(csspgo_compress_recursion(p, UINT32_MAX, NULL), CSSPGO_E_LIMIT);
    T_EQ(csspgo_nest(p, CSSPGO_NEST_KEEP_BASE, NULL), CSSPGO_E_LIMIT);
    T_EQ(csspgo_record_count(p), 1025);
    T_EQ(csspgo_nest(p, 0, NULL), CSSPGO_OK);
    csspgo_profile_free(p);
}

/* A function with n counts at lines first, first + 3, ...: below the root, or below `up` at line 1. */
static csspgo_node with_counts(csspgo_profile *p, csspgo_func f, csspgo_node up, uint32_t first, uint32_t n)
{
    const int top = up.id == csspgo_root(p).id;
    const csspgo_node node = csspgo_node_add(p, up, csspgo_loc_at(top ? 0 : 1, 0), CSSPGO_CONTEXT, f);
    uint32_t i;
    for (i = 0; i < n; i++) T_EQ(csspgo_add_body(p, node, csspgo_loc_at(first + 3 * i, 0), 1), CSSPGO_OK);
    return node;
}

/* Two functions of one profile may be one in the other: their records, and those below them, meet in one record. */
static void a_lenient_name_and_its_guid_meet_in_one_record(void)
{
    uint32_t n, m;
    for (n = 1; n < 40; n += 3)
        for (m = 1; m < 60; m += 7) {
            csspgo_profile *p = fresh(1), *q = fresh(1);
            const csspgo_func foo = csspgo_func_add(q, "foo", 3), guid = csspgo_func_add_guid(q, csspgo_guid("foo", 3));
            const csspgo_func bar = csspgo_func_add(q, "bar", 3);
            const csspgo_node to = with_counts(p, csspgo_func_add(p, "foo", 3), csspgo_root(p), 0, n);
            csspgo_merge_options how;
            size_t count;
            with_counts(q, bar, with_counts(q, foo, csspgo_root(q), 1, m), 1, m);
            with_counts(q, bar, with_counts(q, guid, csspgo_root(q), 2, n), 2, n);
            memset(&how, 0, sizeof how);
            how.llvm = 19;
            T_EQ(csspgo_merge(p, q, &how, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
            T_EQ(csspgo_node_count(p), 2);
            csspgo_get_bodies(p, to, &count);
            T_EQ(count, 2 * n + m);
            csspgo_get_bodies(p, csspgo_node_first_child(p, to), &count);
            T_EQ(count, n + m);
            csspgo_profile_free(p);
            csspgo_profile_free(q);
        }
}

/* Wherever it stands, the first location of an inlinee tells how often it was entered: all calls there together. */
static void inlinees_are_entered_at_their_first_location(void)
{
    csspgo_profile *p = from_text("a:100:1\n 5: b:50\n  3: c:7\n   1: 7\n  1: d:9\n   1: 9\n  1: e:2\n   1: 2\n"
                                  " 6: b:40\n  1: e:3\n   1: 3\n  1: d:4\n   1: 4\n  3: c:8\n   1: 8\n");
    T_EQ(csspgo_flatten(p, NULL), CSSPGO_OK);
    T_EQ(csspgo_body_count(p, csspgo_find(p, "a"), csspgo_loc_at(5, 0)), 11);
    T_EQ(csspgo_body_count(p, csspgo_find(p, "a"), csspgo_loc_at(6, 0)), 7);
    csspgo_profile_free(p);
}

static void a_stored_summary_goes_with_the_first_change(void)
{
    csspgo_profile *p = from_text("a:5:1\n 1: 5\n"), *q = fresh(0);
    size_t size;
    char *file = written(p, CSSPGO_EXTBINARY, &size);
    T_EQ(csspgo_read(q, file, size, NULL), CSSPGO_OK);
    T_EQ(csspgo_stored_summary(q, NULL, NULL), 1);
    T_EQ(rename_all(q, "a b", 0), CSSPGO_OK);
    T_EQ(csspgo_stored_summary(q, NULL, NULL), 0);
    free(file);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void a_renaming_needs_no_options(void)
{
    csspgo_profile *p = from_text("a:5:1\n 1: 5\n");
    csspgo_rename r;
    r.from = "a";
    r.to = "b";
    r.from_size = r.to_size = 1;
    T_EQ(csspgo_rename_functions(p, &r, 1, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_total(p, csspgo_find(p, "b")), 5);
    csspgo_profile_free(p);
}

int main(void)
{
    a_renaming_needs_no_options();
    a_stored_summary_goes_with_the_first_change();
    inlinees_are_entered_at_their_first_location();
    operations_give_what_llvm_gives();
    merging_gives_what_llvm_gives();
    the_largest_checksum_wins_and_attributes_are_added();
    llvm_rules_are_there_for_who_asks();
    what_happens_to_an_inlinee_is_told_of_its_function();
    mixtures_are_refused();
    an_empty_profile_is_neutral();
    a_name_and_its_guid_are_one_function_whichever_comes_first();
    a_guid_gets_its_name_later();
    a_lenient_name_and_its_guid_cannot_be_added_to_a_default_profile();
    a_lenient_name_and_its_guid_meet_in_one_record();
    scaling_is_exact_and_saturates();
    thresholds_are_those_of_the_summary();
    depths_are_counted();
    recursion_is_compressed();
    renaming_keeps_contexts_checksums_and_attributes();
    renaming_gives_what_llvm_gives();
    removing_takes_what_is_nested_along();
    cold_plain_functions_are_trimmed_and_merging_keeps_them();
    an_inlinee_and_a_context_at_one_site_are_merged();
    a_file_of_guids_does_not_tell_who_knew_the_names();
    merging_in_any_order_grouping_and_format_gives_the_same_bytes();
    a_name_is_found_again_after_a_detour_through_guids();
    operations_keep_what_they_promise();
    T_FAILING(every_allocation_may_fail());
    the_limit_of_memory_holds();
    a_full_profile_can_be_read_written_and_shrunk();
    shrinking_is_merging_what_is_cold();
    a_profile_shrinks_to_a_size();
    slices_shrink_as_one_call();
    shrinking_may_stop_or_begin_anew();
    null_options_trim_what_is_cold();
    hostile_shapes_take_no_more_than_others();
    deep_contexts_are_a_matter_of_limits();
    return t_end();
}
