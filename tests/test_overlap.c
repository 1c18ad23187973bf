/* test_overlap.c - comparing two profiles: LLVM's overlap and the quality of blocks' counts. */
#include "t.h"
#define CSSPGO_OVERLAP_TABLE_IMPLEMENTATION
#include "../examples/share/overlap_table.h"

#define DATA "data/formats/"

static uint64_t seed;

static unsigned rnd(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

static csspgo_profile *profile_with(const csspgo_options *o)
{
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    if (p == NULL) abort();
    return p;
}

static csspgo_profile *from_text_with(const char *text, const csspgo_options *o)
{
    csspgo_profile *p = profile_with(o);
    T_EQ(csspgo_read(p, text, strlen(text), NULL), CSSPGO_OK);
    return p;
}

static csspgo_profile *from_text(const char *text)
{
    return from_text_with(text, NULL);
}

static csspgo_profile *from_file(const char *path)
{
    csspgo_profile *p = profile_with(NULL);
    T_MSG(csspgo_read_file(p, path, NULL) == CSSPGO_OK, path);
    return p;
}

/* Sum of all body counts. */
static uint64_t samples_of(const csspgo_profile *p)
{
    csspgo_profile_stats d;
    d = csspgo_profile_get_stats(p);
    return d.samples;
}

static int near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

/* The figures of a without rows. */
static csspgo_overlap_figures figures_of(csspgo_profile *a, csspgo_profile *b)
{
    csspgo_overlap_figures f;
    T_EQ(csspgo_overlap(a, b, NULL, &f, NULL, 0, NULL, NULL), CSSPGO_OK);
    return f;
}

/* ----- LLVM's reports ----- */

static int line_cmp(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the lines of a text: rows of equal weight come in any order from LLVM. */
static void sort_lines(char *text, size_t size)
{
    char *copy = (char *)t_copy(text, size + 1), *line[200], *at, *end;
    size_t n = 0, i;
    for (at = copy; *at != '\0' && n < 200; at = end + 1) {
        line[n++] = at;
        end = strchr(at, '\n');
        if (end == NULL) break;
        *end = '\0';
    }
    qsort(line, n, sizeof *line, line_cmp);
    for (i = 0, at = text; i < n; i++) {
        memcpy(at, line[i], strlen(line[i]));
        at += strlen(line[i]);
        *at++ = '\n';
    }
    free(copy);
}

/* What is in a temporary file, with a NUL; for free(). */
static char *told(FILE *f, size_t *size)
{
    char *text;
    *size = (size_t)ftell(f);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    rewind(f);
    T_EQ(fread(text, 1, *size, f), *size);
    text[*size] = '\0';
    fclose(f);
    return text;
}

static void check_report(const char *base, const char *test, const char *want_path, csspgo_overlap_table how)
{
    csspgo_overlap_row row[100];
    csspgo_overlap_figures f;
    char path[2][200], *want, *text;
    size_t size, n, told_size;
    FILE *out = tmpfile();
    csspgo_profile *b, *t;
    sprintf(path[0], DATA "%.100s", base);
    sprintf(path[1], DATA "%.100s", test);
    b = from_file(path[0]);
    t = from_file(path[1]);
    how.base_name = base;
    how.test_name = test;
    T_EQ(csspgo_overlap(b, t, NULL, &f, row, 100, &n, NULL), CSSPGO_OK);
    if (out == NULL) abort();
    T_EQ(csspgo_write_overlap(t, &f, row, n, &how, out, NULL), CSSPGO_OK);
    text = told(out, &told_size);
    want = t_file(want_path, &size);
    if (want != NULL) {
        sort_lines(want, size);
        sort_lines(text, told_size);
        t_same(want_path, text, told_size, want, size);
    }
    free(want);
    free(text);
    csspgo_profile_free(b);
    csspgo_profile_free(t);
}

static void the_reports_are_llvms(void)
{
    csspgo_overlap_table f;
    memset(&f, 0, sizeof f);
    f.llvm = 19;
    check_report("ops/in/ovbase.txt", "ops/in/ovtest.txt", DATA "overlap/base-test.txt", f);
    check_report("ops/in/ovbase.txt", "ops/in/zero.txt", DATA "overlap/base-zero.txt", f);
    f.part = "fo";
    check_report("ops/in/ovbase.txt", "ops/in/ovtest.txt", DATA "overlap/base-test-func.txt", f);
    f.part = NULL;
    f.similarity = 0.9;
    check_report("ops/in/ovbase.txt", "ops/in/ovtest.txt", DATA "overlap/base-test-sim.txt", f);
    f.similarity = 0;
    f.by_value = 1;
    check_report("ops/in/ovbase.txt", "ops/in/ovtest.txt", DATA "overlap/base-test-v0.txt", f);
    check_report("ops/in/ovbase.txt", "ops/in/ovbase.txt", DATA "overlap/base-base.txt", f);
    check_report("text/14-cs-line.txt", "ops/out/cold-trim.text", DATA "overlap/cs.txt", f);
}

static void check_shared(csspgo_overlap_counts s, unsigned both, unsigned base_only, unsigned test_only)
{
    T_EQ(s.both, both);
    T_EQ(s.base_only, base_only);
    T_EQ(s.test_only, test_only);
}

/* The example of the description of llvm-profdata's overlap, figure by figure. */
static void the_worked_example(void)
{
    csspgo_profile *b = from_file(DATA "ops/in/ovbase.txt"), *t = from_file(DATA "ops/in/ovtest.txt");
    csspgo_overlap_figures f;
    csspgo_overlap_row row[4];
    size_t n;
    T_EQ(csspgo_overlap_bound(b, t), 4);
    T_EQ(csspgo_overlap(b, t, NULL, &f, row, 4, &n, NULL), CSSPGO_OK);
    T_EQ(n, 3);
    T_CHECK(near(row[0].internal_similarity, 0.65));
    T_CHECK(near(row[0].base_weight, 110.0 / 117) && near(row[0].test_weight, 200.0 / 205));
    T_CHECK(near(row[0].similarity, 0.65 * (1 - (200.0 / 205 - 110.0 / 117))));
    T_EQ(row[0].overlap_samples, 90);
    T_EQ(row[0].union_samples, 220);
    T_EQ(row[0].base_unique_samples, 10);
    T_EQ(row[0].test_unique_samples, 70);
    T_EQ(row[0].base_max, 60);
    T_EQ(row[0].test_max, 100);
    T_EQ(row[1].base_samples, 7);                     /* only1 before only2: by base samples */
    T_EQ(row[1].test.id, 0);
    T_EQ(row[2].base.id, 0);
    T_EQ(row[2].test_samples, 5);
    T_CHECK(near(f.similarity, row[0].similarity * (110.0 / 117 + 200.0 / 205) / 2));
    T_EQ(f.overlap_samples, 90);
    T_EQ(f.union_samples, 232);
    T_EQ(f.base_unique_samples, 17);
    T_EQ(f.test_unique_samples, 75);
    check_shared(f.functions, 1, 1, 1);
    check_shared(f.hot_functions, 1, 1, 1);
    check_shared(f.hot_blocks, 2, 2, 4);
    csspgo_profile_free(b);
    csspgo_profile_free(t);
}

/* ----- against a slow model ----- */

static void some_bodies(csspgo_profile *p, csspgo_node n, int probe)
{
    unsigned k = rnd(5);
    csspgo_add_total(p, n, rnd(100));
    while (k-- != 0) csspgo_add_body(p, n, csspgo_loc_at(1 + rnd(6), probe ? 0 : rnd(2)), rnd(3) == 0 ? 0 : rnd(50));
}

static csspgo_func some_func(csspgo_profile *p)
{
    char name[8];
    sprintf(name, "f%u", rnd(6));
    return csspgo_func_add(p, name, strlen(name));
}

static csspgo_profile *some_profile(int cs, const csspgo_options *o)
{
    csspgo_profile *p = profile_with(o);
    unsigned n = 1 + rnd(6), depth;
    if (cs) csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    while (n-- != 0) {
        csspgo_node at = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), cs ? CSSPGO_CONTEXT : CSSPGO_PLAIN,
                                         some_func(p));
        if (!cs || rnd(2)) some_bodies(p, at, cs);
        for (depth = rnd(5); depth != 0; depth--) {
            const csspgo_node up = at;
            at = csspgo_node_add(p, at, csspgo_loc_at(rnd(4), cs ? 0 : rnd(2)), cs ? CSSPGO_CONTEXT : CSSPGO_INLINEE,
                                 some_func(p));
            if (!cs || rnd(3)) some_bodies(p, at, cs);
            if (rnd(3) == 0 && up.id != csspgo_root(p).id) at = up;
        }
        if (rnd(4) == 0) csspgo_add_head(p, at, cs ? rnd(9) : 0);
    }
    return p;
}

/* The node of q on the path of p's node n. */
static csspgo_node path_like(csspgo_profile *p, csspgo_node n, csspgo_profile *q)
{
    csspgo_node up;
    csspgo_func f;
    const char *name;
    size_t size;
    if (n.id == csspgo_root(p).id) return csspgo_root(q);
    up = path_like(p, csspgo_node_parent(p, n), q);
    name = csspgo_func_name(p, csspgo_node_func(p, n), &size);
    f = csspgo_func_find(q, name, size);
    if (up.id != 0 && f.id != 0) up = csspgo_child(q, up, csspgo_node_loc(p, n), csspgo_node_kind_of(p, n), f);
    else up.id = 0;
    return up;
}

/* The same if it has a record. */
static csspgo_node like(csspgo_profile *p, csspgo_node n, csspgo_profile *q)
{
    csspgo_node m = path_like(p, n, q);
    if (!csspgo_has_record(q, m)) m.id = 0;
    return m;
}

static int nested(csspgo_profile *p, csspgo_node n)
{
    return csspgo_node_kind_of(p, n) == CSSPGO_INLINEE && csspgo_has_record(p, n);
}

typedef struct sums {
    uint64_t samples, max, hot, threshold;
} sums;

static void model_sums(csspgo_profile *p, csspgo_node n, sums *s)
{
    size_t k, i;
    const csspgo_body *b = csspgo_get_bodies(p, n, &k);
    csspgo_node c;
    for (i = 0; i < k; i++) {
        s->samples += b[i].count;
        if (b[i].count > s->max) s->max = b[i].count;
        if (b[i].count >= s->threshold) s->hot++;
    }
    for (c = csspgo_node_first_child(p, n); c.id != 0; c = csspgo_node_next_sibling(p, c))
        if (nested(p, c)) model_sums(p, c, s);
}

typedef struct model {
    csspgo_profile *p[2];
    csspgo_overlap_row row;
    csspgo_overlap_figures f;
    double difference;
} model;

static void model_hot(model *m, uint64_t b, uint64_t t, uint64_t weight)
{
    const int x = b >= m->f.base_hot, y = t >= m->f.test_hot;
    if (x && y) m->f.hot_blocks.both += weight;
    if (x && !y) m->f.hot_blocks.base_only += weight;
    if (!x && y) m->f.hot_blocks.test_only += weight;
}

static void model_unit(model *m, uint64_t b, uint64_t t, uint64_t weight)
{
    const double x = csspgo_fraction(b, m->row.base_samples), y = csspgo_fraction(t, m->row.test_samples);
    m->difference += x > y ? x - y : y - x;
    m->row.overlap_samples += b < t ? b : t;
    m->row.union_samples += b > t ? b : t;
    model_hot(m, b, t, weight);
}

static int has_body(csspgo_profile *p, csspgo_node n, csspgo_loc loc)
{
    size_t k, i;
    const csspgo_body *b = csspgo_get_bodies(p, n, &k);
    for (i = 0; i < k; i++)
        if (b[i].loc.line == loc.line && b[i].loc.discriminator == loc.discriminator) return 1;
    return 0;
}

static void model_unique(model *m, int side, uint64_t count, uint64_t weight)
{
    if (side == 0) m->row.base_unique_samples += count;
    else m->row.test_unique_samples += count;
    model_unit(m, side == 0 ? count : 0, side == 0 ? 0 : count, weight);
}

static void model_lone(model *m, int side, csspgo_node n)
{
    sums s;
    memset(&s, 0, sizeof s);
    s.threshold = side == 0 ? m->f.base_hot : m->f.test_hot;
    model_sums(m->p[side], n, &s);
    model_unique(m, side, s.samples, s.hot);
}

static void model_pair(model *m, csspgo_node base, csspgo_node test)
{
    csspgo_profile *b = m->p[0], *t = m->p[1];
    size_t k, i;
    const csspgo_body *v = csspgo_get_bodies(b, base, &k);
    csspgo_node c;
    for (i = 0; i < k; i++)
        if (has_body(t, test, v[i].loc)) model_unit(m, v[i].count, csspgo_body_count(t, test, v[i].loc), 1);
        else model_unique(m, 0, v[i].count, 1);
    v = csspgo_get_bodies(t, test, &k);
    for (i = 0; i < k; i++)
        if (!has_body(b, base, v[i].loc)) model_unique(m, 1, v[i].count, 1);
    for (c = csspgo_node_first_child(b, base); c.id != 0; c = csspgo_node_next_sibling(b, c)) {
        if (!nested(b, c)) continue;
        if (like(b, c, t).id != 0) model_pair(m, c, like(b, c, t));
        else model_lone(m, 0, c);
    }
    for (c = csspgo_node_first_child(t, test); c.id != 0; c = csspgo_node_next_sibling(t, c))
        if (nested(t, c) && like(t, c, b).id == 0) model_lone(m, 1, c);
}

static void model_share(csspgo_overlap_counts *s, int base, int test)
{
    if (base && test) s->both++;
    if (base && !test) s->base_only++;
    if (!base && test) s->test_only++;
}

/* One row and what it adds to the figures. */
static void model_function(model *m, csspgo_node base, csspgo_node test)
{
    sums b, t;
    double distance;
    memset(&b, 0, sizeof b);
    memset(&t, 0, sizeof t);
    memset(&m->row, 0, sizeof m->row);
    b.threshold = m->f.base_hot;
    t.threshold = m->f.test_hot;
    if (base.id != 0) model_sums(m->p[0], base, &b);
    if (test.id != 0) model_sums(m->p[1], test, &t);
    m->row.base_samples = b.samples;
    m->row.test_samples = t.samples;
    m->difference = 0;
    model_share(&m->f.functions, base.id != 0, test.id != 0);
    model_share(&m->f.hot_functions, base.id != 0 && b.max >= b.threshold, test.id != 0 && t.max >= t.threshold);
    if (base.id != 0 && test.id != 0) {
        model_pair(m, base, test);
        m->row.internal_similarity = 1 - m->difference / 2;
        distance = csspgo_fraction(b.samples, m->f.base_samples) - csspgo_fraction(t.samples, m->f.test_samples);
        m->row.similarity = m->row.internal_similarity * (1 - (distance < 0 ? -distance : distance));
        m->f.similarity += m->row.similarity * (csspgo_fraction(b.samples, m->f.base_samples) +
                                                csspgo_fraction(t.samples, m->f.test_samples)) / 2;
    } else {
        m->row.base_unique_samples = b.samples;
        m->row.test_unique_samples = t.samples;
        model_hot(m, b.samples, t.samples, b.hot + t.hot);
        m->f.union_samples += b.samples + t.samples;
    }
    m->f.base_unique_samples += m->row.base_unique_samples;
    m->f.test_unique_samples += m->row.test_unique_samples;
    m->f.overlap_samples += m->row.overlap_samples;
    m->f.union_samples += m->row.union_samples;
}

static int top(csspgo_profile *p, csspgo_node n)
{
    return csspgo_has_record(p, n) && csspgo_node_kind_of(p, n) != CSSPGO_INLINEE;
}

static void check_row(const csspgo_overlap_row *row, size_t n, csspgo_node base, csspgo_node test, const model *m)
{
    size_t i;
    for (i = 0; i < n && (row[i].base.id != base.id || row[i].test.id != test.id); i++) {}
    if (!T_CHECK(i < n)) return;
    row += i;
    T_EQ(row->base_samples, m->row.base_samples);
    T_EQ(row->test_samples, m->row.test_samples);
    T_EQ(row->overlap_samples, m->row.overlap_samples);
    T_EQ(row->union_samples, m->row.union_samples);
    T_EQ(row->base_unique_samples, m->row.base_unique_samples);
    T_EQ(row->test_unique_samples, m->row.test_unique_samples);
    T_CHECK(near(row->internal_similarity, m->row.internal_similarity));
    T_CHECK(near(row->similarity, m->row.similarity));
}

static int same_shared(csspgo_overlap_counts a, csspgo_overlap_counts b)
{
    return a.both == b.both && a.base_only == b.base_only && a.test_only == b.test_only;
}

static void check_model(csspgo_profile *b, csspgo_profile *t)
{
    csspgo_overlap_row row[64];
    csspgo_overlap_figures f;
    csspgo_node n, none;
    size_t rows, i;
    model m;
    memset(&m, 0, sizeof m);
    none.id = 0;
    m.p[0] = b;
    m.p[1] = t;
    T_EQ(csspgo_overlap(b, t, NULL, &f, row, 64, &rows, NULL), CSSPGO_OK);
    m.f.base_hot = f.base_hot;
    m.f.test_hot = f.test_hot;
    m.f.base_samples = samples_of(b);
    m.f.test_samples = samples_of(t);
    T_EQ(f.base_samples, m.f.base_samples);
    T_EQ(f.test_samples, m.f.test_samples);
    for (n.id = 2; n.id <= csspgo_node_count(b) + 1; n.id++) {
        if (!top(b, n)) continue;
        model_function(&m, n, like(b, n, t));
        check_row(row, rows, n, like(b, n, t), &m);
    }
    for (n.id = 2; n.id <= csspgo_node_count(t) + 1; n.id++) {
        if (!top(t, n) || like(t, n, b).id != 0) continue;
        model_function(&m, none, n);
        check_row(row, rows, none, n, &m);
    }
    T_CHECK(near(f.similarity, m.f.similarity));
    T_EQ(f.overlap_samples, m.f.overlap_samples);
    T_EQ(f.union_samples, m.f.union_samples);
    T_EQ(f.base_unique_samples, m.f.base_unique_samples);
    T_EQ(f.test_unique_samples, m.f.test_unique_samples);
    T_CHECK(same_shared(f.functions, m.f.functions));
    T_CHECK(same_shared(f.hot_functions, m.f.hot_functions));
    T_CHECK(same_shared(f.hot_blocks, m.f.hot_blocks));
    T_EQ(rows, f.functions.both + f.functions.base_only + f.functions.test_only);
    for (i = 1; i < rows; i++)
        T_CHECK(row[i - 1].base_samples > row[i].base_samples ||
                (row[i - 1].base_samples == row[i].base_samples && row[i - 1].test_samples >= row[i].test_samples));
}

static csspgo_overlap_counts mirrored(csspgo_overlap_counts s)
{
    const uint64_t base_only = s.base_only;
    s.base_only = s.test_only;
    s.test_only = base_only;
    return s;
}

/* Exchanging the two exchanges the figures. */
static void check_mirror(csspgo_profile *a, csspgo_profile *b)
{
    const csspgo_overlap_figures f = figures_of(a, b), g = figures_of(b, a);
    T_CHECK(near(f.similarity, g.similarity));
    T_EQ(f.overlap_samples, g.overlap_samples);
    T_EQ(f.union_samples, g.union_samples);
    T_EQ(f.base_unique_samples, g.test_unique_samples);
    T_EQ(f.test_unique_samples, g.base_unique_samples);
    T_EQ(f.base_hot, g.test_hot);
    T_CHECK(same_shared(f.functions, mirrored(g.functions)));
    T_CHECK(same_shared(f.hot_functions, mirrored(g.hot_functions)));
    T_CHECK(same_shared(f.hot_blocks, mirrored(g.hot_blocks)));
}

static void check_self(csspgo_profile *a)
{
    const csspgo_overlap_figures f = figures_of(a, a);
    T_CHECK(f.base_samples == 0 ? f.similarity == 0 : f.similarity == 1);
    T_EQ(f.overlap_samples, f.base_samples);
    T_EQ(f.union_samples, f.base_samples);
    T_EQ(f.base_unique_samples + f.test_unique_samples, 0);
    T_EQ(f.functions.base_only + f.functions.test_only + f.hot_blocks.base_only + f.hot_blocks.test_only, 0);
}

static void random_profiles_agree_with_the_model(unsigned count)
{
    unsigned i;
    seed = 7;
    for (i = 0; i < count; i++) {
        csspgo_profile *a = some_profile(i % 2 != 0, NULL), *b = some_profile(i % 2 != 0, NULL);
        check_model(a, b);
        check_mirror(a, b);
        check_self(a);
        csspgo_profile_free(a);
        csspgo_profile_free(b);
    }
}

static void rows_come_as(csspgo_profile *base, csspgo_profile *test, const char *want)
{
    csspgo_overlap_row row[16];
    csspgo_overlap_figures f;
    char text[400];
    size_t n, i, size = 0;
    T_EQ(csspgo_overlap(base, test, NULL, &f, row, 16, &n, NULL), CSSPGO_OK);
    for (i = 0; i < n; i++) {
        const int in_base = row[i].base.id != 0;
        size += csspgo_context_text(in_base ? base : test, in_base ? row[i].base : row[i].test, text + size, sizeof text - size);
        if (size + 1 < sizeof text) text[size++] = '|';
    }
    t_same(want, text, size, want, strlen(want));
}

/* The order in which a profile was made does not show. */
static void the_order_of_the_input_does_not_matter(void)
{
    csspgo_profile *a = from_text("f:10:1\n 1: 5\n 2: z:3\n  1: 3\n 2: a:2\n  1: 2\ng:10:1\n 1: 5\n 2: 5\n");
    csspgo_profile *b = from_text("g:10:1\n 2: 5\n 1: 5\nf:10:1\n 2: a:2\n  1: 2\n 2: z:3\n  1: 3\n 1: 5\n");
    csspgo_overlap_figures f = figures_of(a, b);
    csspgo_overlap_row x[4], y[4];
    size_t n, i;
    T_CHECK(f.similarity == 1);
    T_EQ(f.overlap_samples, 20);
    T_EQ(csspgo_overlap(a, a, NULL, &f, x, 4, &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_overlap(b, b, NULL, &f, y, 4, &n, NULL), CSSPGO_OK);
    T_EQ(n, 2);
    for (i = 0; i < n; i++) {                         /* both have 10 samples: f stands before g */
        size_t k, m;
        const char *s = csspgo_func_name(a, csspgo_node_func(a, x[i].base), &k);
        const char *t = csspgo_func_name(b, csspgo_node_func(b, y[i].base), &m);
        T_CHECK(k == 1 && m == 1 && *s == *t && *s == (i == 0 ? 'f' : 'g'));
    }
    csspgo_profile_free(a);
    csspgo_profile_free(b);
    a = from_text("[b:1 @ a]:5:1\n 1: 5\n[a:1 @ c]:5:1\n 1: 5\n[a]:5:1\n 1: 5\n[a:1.1 @ b]:5:1\n 1: 5\n"
                  "[b]:9:1\n 1: 9\n");
    b = from_text("[a:1 @ b]:5:1\n 1: 5\n[b:1 @ a]:7:1\n 1: 7\n");
    rows_come_as(a, a, "b|a|a:1 @ c|a:1.1 @ b|b:1 @ a|");
    rows_come_as(b, a, "b:1 @ a|a:1 @ b|b|a|a:1 @ c|a:1.1 @ b|");
    rows_come_as(a, b, "b|b:1 @ a|a|a:1 @ c|a:1.1 @ b|a:1 @ b|");
    csspgo_profile_free(b);
    b = from_text("[a:1 @ c]:0:0\n 1: 0\n");
    rows_come_as(a, b, "b|a|a:1 @ c|a:1.1 @ b|b:1 @ a|");
    csspgo_profile_free(a);
    csspgo_profile_free(b);
}

/* ----- thresholds, identity, arguments ----- */

/* hand/raw.prof with another minimum at 990000 ppm: 8 instead of 4 (offset 0x44, 3 bytes of cutoff before it). */
static void thresholds_are_those_of_the_file(void)
{
    static const unsigned char entry[5] = { 0xb0, 0xb6, 0x3c, 4, 4 };
    csspgo_overlap_options o;
    csspgo_overlap_figures f;
    csspgo_profile *p;
    size_t size, i;
    char *file = t_file(DATA "hand/raw.prof", &size);
    if (file == NULL) return;
    for (i = 0; i + 5 <= size && memcmp(file + i, entry, 5) != 0; i++) {}
    if (!T_CHECK(i + 5 <= size)) return;
    file[i + 3] = 8;
    p = profile_with(NULL);
    T_EQ(csspgo_read(p, file, size, NULL), CSSPGO_OK);
    f = figures_of(p, p);
    T_EQ(f.base_hot, 8);
    T_EQ(f.hot_blocks.both, 1);
    memset(&o, 0, sizeof o);
    o.hot_ppm = 400000;
    T_EQ(csspgo_overlap(p, p, &o, &f, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_EQ(f.base_hot, 7);
    o.hot_ppm = 500001;                               /* the next one in the summary: 600000 */
    T_EQ(csspgo_overlap(p, p, &o, &f, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_EQ(f.base_hot, 7);
    o.hot_ppm = 1000000;                              /* above them all: computed */
    T_EQ(csspgo_overlap(p, p, &o, &f, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_EQ(f.base_hot, 4);
    o.force_hot = 1;
    o.hot_count = 5;
    T_EQ(csspgo_overlap(p, p, &o, &f, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_EQ(f.test_hot, 5);
    T_EQ(f.hot_blocks.both, 3);
    csspgo_add_head(p, csspgo_find(p, "foo"), 1);     /* changed: the file's summary is no longer its */
    f = figures_of(p, p);
    T_EQ(f.base_hot, 4);
    csspgo_profile_free(p);
    free(file);
}

static csspgo_profile *as_md5(csspgo_profile *p, const csspgo_options *o)
{
    csspgo_profile *q = profile_with(o);
    size_t n;
    unsigned char *file;
    T_EQ(csspgo_write(p, CSSPGO_EXTBINARY | CSSPGO_MD5, NULL, 0, &n, NULL), CSSPGO_OK);
    file = (unsigned char *)malloc(n);
    if (file == NULL) abort();
    T_EQ(csspgo_write(p, CSSPGO_EXTBINARY | CSSPGO_MD5, file, n, &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_read(q, file, n, NULL), CSSPGO_OK);
    free(file);
    return q;
}

static void a_name_and_its_guid_are_the_same(void)
{
    csspgo_profile *p = from_file(DATA "text/02-basic.txt"), *g = as_md5(p, NULL), *c;
    csspgo_options o;
    csspgo_overlap_figures f;
    memset(&o, 0, sizeof o);
    f = figures_of(p, g);
    T_CHECK(f.similarity == 1);
    T_EQ(f.overlap_samples, f.base_samples);
    T_EQ(f.functions.both, 2);
    check_mirror(p, g);
    check_self(g);
    o.llvm = 19;                                    /* to LLVM they are not */
    c = profile_with(&o);
    T_EQ(csspgo_add_profile(c, p, NULL), CSSPGO_OK);
    f = figures_of(c, g);
    T_CHECK(f.similarity == 0);
    T_EQ(f.functions.both, 0);
    T_EQ(f.functions.base_only, 2);
    T_EQ(f.functions.test_only, 2);
    csspgo_profile_free(c);
    csspgo_profile_free(g);
    csspgo_profile_free(p);
}

/* A lenient profile may have a name and its GUID as two functions: they cannot both be the one of the other profile. */
static void one_function_meets_one_function(void)
{
    csspgo_options o;
    csspgo_profile *p = from_text("foo:5:1\n 1: 5\n"), *q, *g = profile_with(NULL);
    csspgo_node n;
    csspgo_overlap_figures f;
    memset(&o, 0, sizeof o);
    o.llvm = 19;
    q = from_text_with("foo:5:1\n 1: 5\n", &o);
    n = csspgo_node_add(q, csspgo_root(q), csspgo_loc_at(0, 0), CSSPGO_PLAIN,
                        csspgo_func_add_guid(q, csspgo_guid("foo", 3)));
    T_EQ(csspgo_add_body(q, n, csspgo_loc_at(1, 0), 7), CSSPGO_OK);
    f = figures_of(p, q);
    check_shared(f.functions, 1, 0, 1);
    T_EQ(f.overlap_samples, 5);
    n = csspgo_node_add(g, csspgo_root(g), csspgo_loc_at(0, 0), CSSPGO_PLAIN,
                        csspgo_func_add_guid(g, csspgo_guid("foo", 3)));
    T_EQ(csspgo_add_body(g, n, csspgo_loc_at(1, 0), 7), CSSPGO_OK);
    f = figures_of(g, q);
    check_shared(f.functions, 1, 0, 1);
    T_EQ(f.overlap_samples, 7);
    check_mirror(g, p);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(g);
}

static void what_cannot_be_compared_is_refused(void)
{
    csspgo_profile *plain = from_text("f:5:1\n 1: 5\n"), *cs = from_text("[f]:5:1\n 1: 5\n");
    csspgo_profile *probe = from_text("f:5:1\n 1: 5\n !CFGChecksum: 7\n"), *empty = profile_with(NULL);
    csspgo_overlap_figures f;
    csspgo_overlap_row row[1];
    csspgo_overlap_options o;
    size_t n = 9;
    memset(&o, 0, sizeof o);
    T_EQ(csspgo_overlap(plain, cs, NULL, &f, NULL, 0, &n, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(n, 0);
    T_EQ(csspgo_overlap(cs, plain, NULL, &f, NULL, 0, NULL, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_overlap(probe, plain, NULL, &f, NULL, 0, NULL, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_overlap(plain, empty, NULL, &f, row, 0, &n, NULL), CSSPGO_E_SHORT);
    T_EQ(n, 1);
    T_EQ(csspgo_overlap(plain, empty, NULL, &f, row, 1, &n, NULL), CSSPGO_OK);
    T_EQ(f.functions.base_only, 1);
    T_CHECK(f.similarity == 0);
    T_EQ(csspgo_overlap(empty, empty, NULL, &f, NULL, 0, &n, NULL), CSSPGO_OK);
    T_EQ(n, 0);
    o.hot_ppm = 1000001;
    T_EQ(csspgo_overlap(plain, plain, &o, &f, NULL, 0, NULL, NULL), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(plain);
    csspgo_profile_free(cs);
    csspgo_profile_free(probe);
    csspgo_profile_free(empty);
}

static void sums_wrap_in_llvm_mode_only(void)
{
    static const char text[] = "f:5:1\n 1: 18446744073709551615\n 2: 3\n";
    csspgo_profile *p = from_text(text), *q;
    csspgo_overlap_figures f = figures_of(p, p);
    csspgo_options llvm;
    T_EQ(f.base_samples, UINT64_MAX);
    T_EQ(f.union_samples, UINT64_MAX);
    T_EQ(samples_of(p), UINT64_MAX);
    memset(&llvm, 0, sizeof llvm);
    llvm.llvm = 19;
    q = from_text_with(text, &llvm);
    f = figures_of(q, q);
    T_EQ(f.base_samples, 2);
    T_EQ(f.union_samples, 2);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static int is_share(double x)
{
    return x >= 0 && x <= 1;
}

/* Compares two profiles in both ways: every share is one. Returns the normalized overlap. */
static double shares_of(csspgo_profile *a, csspgo_profile *b, csspgo_quality *q)
{
    csspgo_overlap_row row[64];
    csspgo_overlap_figures f;
    size_t n, i;
    T_EQ(csspgo_overlap(a, b, NULL, &f, row, 64, &n, NULL), CSSPGO_OK);
    T_CHECK(is_share(f.similarity) && is_share(f.overlap) && is_share(f.normalized));
    T_CHECK(is_share(f.base_unique) && is_share(f.test_unique));
    for (i = 0; i < n; i++) {
        T_CHECK(is_share(row[i].similarity) && is_share(row[i].internal_similarity) && is_share(row[i].overlap));
        T_CHECK(is_share(row[i].normalized) && is_share(row[i].base_weight) && is_share(row[i].test_weight));
        T_CHECK(is_share(row[i].base_unique) && is_share(row[i].test_unique));
    }
    T_EQ(csspgo_compare_blocks(a, b, NULL, q, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_CHECK(is_share(q->overlap) && is_share(q->context_overlap) && is_share(q->spread_overlap));
    T_CHECK(is_share(q->delta) && is_share(q->context_delta) && is_share(q->spread_delta));
    return f.normalized;
}

/* Writes a profile of few functions and inlinees, each count times `scale`; huge: counts near 2^64. */
static csspgo_profile *scaled_profile(uint64_t of, unsigned scale, int huge)
{
    char text[4096];
    size_t n = 0;
    unsigned f, i, lines;
    seed = of;
    for (f = 0; f < 4; f++) {
        if (f != 0 && rnd(4) == 0) continue;
        n += (size_t)sprintf(text + n, "f%u:1:%u\n", f, rnd(9));
        for (i = 1, lines = rnd(6); i <= lines; i++) {
            const unsigned long long count = huge && rnd(2) ? UINT64_MAX - rnd(3)
                                                            : (unsigned long long)(1 + rnd(100000)) * scale;
            n += (size_t)sprintf(text + n, " %u: %llu\n", i, count);
        }
        if (rnd(2))
            n += (size_t)sprintf(text + n, " 9: f%u:1\n  1: %llu\n", rnd(4),
                                 huge ? ~0ull : (unsigned long long)(1 + rnd(99)) * scale);
    }
    text[n] = '\0';
    return from_text(text);
}

static void shares_are_from_0_to_1_at_any_count(unsigned count)
{
    static const unsigned scales[] = { 1, 2, 10, 1000, 999983 };
    csspgo_quality q;
    unsigned i, k;
    for (i = 0; i < count; i++) {
        const uint64_t one = rnd(1u << 30), other = rnd(1u << 30);
        csspgo_profile *a = scaled_profile(one, 1, i % 2 != 0), *b = scaled_profile(other, 1, i % 4 == 3);
        const int empty = samples_of(a) == 0;
        T_CHECK(shares_of(a, a, &q) == (empty ? 0 : 1));
        T_CHECK(empty || (q.overlap == 1 && q.context_overlap == 1 && q.delta == 0));
        shares_of(a, b, &q);
        for (k = 0; i % 2 == 0 && k < sizeof scales / sizeof *scales; k++) {
            csspgo_profile *more = scaled_profile(one, scales[k], 0);
            csspgo_quality scaled;
            T_CHECK(shares_of(a, more, &scaled) == (empty ? 0 : 1));
            T_CHECK(empty || scaled.overlap == 1);
            T_CHECK(near(shares_of(a, b, &q), shares_of(more, b, &scaled)));
            T_CHECK(near(q.overlap, scaled.overlap) && near(q.spread_overlap, scaled.spread_overlap));
            csspgo_profile_free(more);
        }
        csspgo_profile_free(a);
        csspgo_profile_free(b);
        seed = one + i;
    }
}

static csspgo_profile *deep_profile(unsigned depth, unsigned width)
{
    csspgo_profile *p = profile_with(NULL);
    csspgo_func f = csspgo_func_add(p, "f", 1);
    csspgo_node at = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f);
    unsigned i, k;
    for (i = 0; i < depth; i++) {
        for (k = 0; k < width; k++)
            csspgo_add_body(p, csspgo_node_add(p, at, csspgo_loc_at((k * 7919) % 65536, 0), CSSPGO_INLINEE, f),
                            csspgo_loc_at(1, 0), k);
        csspgo_add_body(p, at, csspgo_loc_at(2, 0), 1);
        at = csspgo_node_add(p, at, csspgo_loc_at(1, 1), CSSPGO_INLINEE, f);
    }
    csspgo_add_body(p, at, csspgo_loc_at(3, 0), 5);
    return p;
}

static void deep_and_wide_nesting(void)
{
    const unsigned deep = (unsigned)t_size(30000, 100000);
    csspgo_profile *p = deep_profile(deep, 0), *q = deep_profile(3, deep / 5 * 3), *r = deep_profile(deep - 1, 0);
    csspgo_overlap_figures f;
    check_self(p);
    check_self(q);
    f = figures_of(p, r);
    T_EQ(f.base_samples, deep + 5);
    T_EQ(f.overlap_samples, deep - 1);
    T_EQ(f.base_unique_samples, 6);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(r);
}

/* ----- quality ----- */

static csspgo_quality quality_of(csspgo_profile *base, csspgo_profile *test)
{
    csspgo_quality q;
    T_EQ(csspgo_compare_blocks(base, test, NULL, &q, NULL, 0, NULL, NULL), CSSPGO_OK);
    return q;
}

static void the_quality_example(void)
{
    csspgo_profile *q = from_text("f:4:1\n 1: 1\n 2: 2\n 3: 1\n"), *p = from_text("f:20:1\n 1: 10\n 2: 10\n 3: 0\n");
    csspgo_quality_row row[2];
    csspgo_quality v;
    size_t n;
    T_EQ(csspgo_compare_blocks(q, p, NULL, &v, row, 2, &n, NULL), CSSPGO_OK);
    T_EQ(n, 1);
    T_CHECK(near(row[0].overlap, 0.75) && near(row[0].delta, 0.4));
    T_CHECK(near(v.overlap, 0.75) && near(v.delta, 0.4));
    T_CHECK(near(v.context_overlap, 0.75) && near(v.context_delta, 0.4));
    T_CHECK(near(v.spread_overlap, 0.75) && near(v.spread_delta, 0.4));
    T_EQ(v.base_samples, 4);
    T_EQ(v.test_samples, 20);
    T_EQ(csspgo_compare_blocks(q, p, NULL, &v, row, 0, &n, NULL), CSSPGO_E_SHORT);
    T_EQ(n, 1);
    csspgo_profile_free(q);
    csspgo_profile_free(p);
}

/* Two functions, weighted 3 : 1 by the reference; one that only the test has weighs nothing. */
static void functions_weigh_by_the_reference(void)
{
    csspgo_profile *base = from_text("f:30:1\n 1: 30\ng:10:1\n 1: 10\n");
    csspgo_profile *test = from_text("f:4:1\n 1: 1\n 2: 1\nh:500:1\n 1: 500\n");
    csspgo_quality_row row[5];
    csspgo_quality v;
    size_t n;
    T_EQ(csspgo_compare_blocks(base, test, NULL, &v, row, 5, &n, NULL), CSSPGO_OK);
    T_EQ(n, 3);
    T_CHECK(near(row[0].overlap, 0.5) && near(row[0].delta, 2 * 0.5 / 1.5));
    T_CHECK(row[1].base_samples == 10 && row[1].test.id == 0 && row[1].overlap == 0 && row[1].delta == 1);
    T_CHECK(row[2].base.id == 0 && row[2].test_samples == 500);
    T_CHECK(near(v.overlap, 0.75 * 0.5) && near(v.delta, 0.75 * (1 / 1.5) + 0.25));
    T_CHECK(near(v.context_overlap, 1.0 / 502));      /* f 1: min(30/40, 1/502) */
    T_CHECK(near(v.program_overlap, 1.0 / 502));
    v = quality_of(base, base);
    T_CHECK(near(v.overlap, 1) && near(v.delta, 0) && near(v.context_overlap, 1) && near(v.spread_overlap, 1));
    T_CHECK(near(v.program_overlap, 1) && near(v.program_delta, 0));
    csspgo_profile_free(base);
    csspgo_profile_free(test);
}

/* Whatever runs too often or too rarely as a whole is seen in the program's figure only. */
static void how_often_functions_ran_is_a_figure_of_its_own(void)
{
    csspgo_profile *half = from_text("f:50:1\n 1: 50\ng:50:1\n 1: 50\n");
    csspgo_profile *most = from_text("f:99:1\n 1: 99\ng:1:1\n 1: 1\n");
    csspgo_profile *inlined = from_text("[f:2 @ g]:40:1\n 1: 40\n[h:1 @ g]:10:1\n 1: 10\n[f]:50:1\n 1: 50\n");
    csspgo_quality v = quality_of(half, most);
    T_CHECK(near(v.overlap, 1) && near(v.delta, 0));
    T_CHECK(near(v.program_overlap, 0.51) && near(v.program_delta, 2 * 0.49 / 1.49));
    v = quality_of(inlined, half);
    T_CHECK(near(v.program_overlap, 1) && v.context_overlap < 0.6);   /* contexts add up */
    csspgo_profile_free(half);
    csspgo_profile_free(most);
    csspgo_profile_free(inlined);
}

/* Two contexts of f that differ: without contexts they are one, and the difference is lost. */
static void contexts_are_told_apart(void)
{
    csspgo_profile *cs = from_text("[a:1 @ f]:10:1\n 1: 10\n[b:1 @ f]:10:1\n 2: 10\n");
    csspgo_profile *plain = from_text("f:20:1\n 1: 10\n 2: 10\n");
    csspgo_profile *nest = from_text("a:10:1\n 1: f:10\n  1: 10\nb:10:1\n 1: f:10\n  2: 10\n");
    csspgo_quality v = quality_of(cs, plain);
    T_CHECK(near(v.overlap, 1));                      /* per function nothing is wrong */
    T_CHECK(near(v.context_overlap, 0));              /* no context of the one is in the other */
    T_CHECK(near(v.spread_overlap, 0.5));             /* each context gets half of either block */
    v = quality_of(cs, nest);
    T_CHECK(near(v.context_overlap, 1));              /* nested or not, the contexts are the same */
    v = quality_of(nest, cs);
    T_CHECK(near(v.context_overlap, 1));
    csspgo_profile_free(cs);
    csspgo_profile_free(plain);
    csspgo_profile_free(nest);
}

/* Probes above the limit are at calls: they take no part. */
static void call_probes_are_left_out(void)
{
    csspgo_profile *base = from_text("f:6:1\n 1: 3\n 2: 3\n 3: 100\n"), *test = from_text("f:6:1\n 1: 3\n 2: 3\n");
    csspgo_quality_options o;
    csspgo_blocks b;
    csspgo_quality v;
    b.guid = csspgo_guid("f", 1);
    b.count = 2;
    o.blocks = &b;
    o.block_count = 1;
    T_EQ(csspgo_compare_blocks(base, test, &o, &v, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_CHECK(near(v.overlap, 1) && near(v.context_overlap, 1) && near(v.spread_overlap, 1));
    T_EQ(v.base_samples, 6);
    v = quality_of(base, test);
    T_CHECK(near(v.overlap, 6.0 / 106));
    csspgo_profile_free(base);
    csspgo_profile_free(test);
}

/* For a function without inlinees and contexts, block overlap is what overlap calls internal. */
static void block_overlap_is_internal_similarity(void)
{
    csspgo_profile *a = from_text("f:9:1\n 1: 3\n 2: 6\n 4: 0\n"), *b = from_text("f:9:1\n 1: 30\n 2: 5\n 3: 11\n");
    csspgo_overlap_row row[2];
    csspgo_overlap_figures f;
    csspgo_quality v = quality_of(a, b);
    size_t n;
    T_EQ(csspgo_overlap(a, b, NULL, &f, row, 2, &n, NULL), CSSPGO_OK);
    T_CHECK(near(v.overlap, row[0].internal_similarity) && near(v.delta, 2 * (1 - v.overlap) / (2 - v.overlap)));
    csspgo_profile_free(a);
    csspgo_profile_free(b);
}

static void random_qualities_are_sound(unsigned count)
{
    unsigned i;
    seed = 99;
    for (i = 0; i < count; i++) {
        csspgo_profile *a = some_profile(i % 2 != 0, NULL), *b = some_profile(i % 2 != 0, NULL);
        const csspgo_quality v = quality_of(a, b), w = quality_of(b, a), self = quality_of(a, a);
        T_CHECK(v.overlap >= 0 && v.overlap <= 1 + 1e-9 && v.delta >= 0 && v.delta <= 1 + 1e-9);
        T_CHECK(near(v.context_overlap, w.context_overlap) && near(v.context_delta, w.context_delta));
        T_CHECK(v.context_overlap <= 1 && v.spread_overlap <= 1);
        T_CHECK(self.base_samples == 0 || (near(self.overlap, 1) && near(self.delta, 0)));
        T_CHECK(samples_of(a) == 0 || near(self.context_overlap, 1));
        csspgo_profile_free(a);
        csspgo_profile_free(b);
    }
}

/* Contexts and inlinees are added up as flattening does it, so that flattening both first changes nothing. */
static void flattening_first_changes_nothing(unsigned count)
{
    unsigned i;
    seed = 4;
    for (i = 0; i < count; i++) {
        csspgo_profile *a = some_profile(i % 2 != 0, NULL), *b = some_profile(i % 2 != 0, NULL);
        const csspgo_quality v = quality_of(a, b);
        csspgo_quality w;
        T_EQ(csspgo_flatten(a, NULL), CSSPGO_OK);
        w = quality_of(a, b);
        T_CHECK(near(v.overlap, w.overlap) && near(v.delta, w.delta));
        T_EQ(v.base_samples, w.base_samples);
        T_EQ(csspgo_flatten(b, NULL), CSSPGO_OK);
        w = quality_of(a, b);
        T_CHECK(near(v.overlap, w.overlap) && near(v.delta, w.delta));
        T_EQ(v.test_samples, w.test_samples);
        csspgo_profile_free(a);
        csspgo_profile_free(b);
    }
}

/* ----- memory ----- */

static void every_allocation_may_fail(void)
{
    long nth, quality;
    for (quality = 0; quality < 2; quality++) {
        for (nth = 1;; nth++) {
            t_heap h;
            csspgo_options o = t_options(&h, 0);
            csspgo_profile *a, *b, *copy;
            csspgo_overlap_figures f;
            csspgo_overlap_row row[64];
            csspgo_quality v;
            csspgo_quality_row rows[64];
            csspgo_blocks blocks;
            csspgo_quality_options how;
            csspgo_status s;
            size_t n, live;
            blocks.guid = csspgo_guid("f1", 2);
            blocks.count = 3;
            how.blocks = &blocks;
            how.block_count = 1;
            seed = 5;
            a = some_profile(quality != 0, &o);
            b = some_profile(quality != 0, NULL);
            csspgo_add_profile(a, b, NULL);
            csspgo_func_add_guid(a, 77);
            copy = profile_with(NULL);
            csspgo_add_profile(copy, a, NULL);
            live = h.live;
            h.nth = h.calls + nth;
            if (quality) s = csspgo_compare_blocks(a, b, &how, &v, rows, 64, &n, NULL);
            else s = csspgo_overlap(a, b, NULL, &f, row, 64, &n, NULL);
            T_EQ(h.live, live);
            h.nth = 0;
            T_CHECK(csspgo_equal(a, copy));
            T_EQ(csspgo_validate(a, NULL), CSSPGO_OK);
            csspgo_profile_free(copy);
            csspgo_profile_free(a);
            csspgo_profile_free(b);
            T_EQ(h.live, 0);
            if (s == CSSPGO_OK) break;
            T_EQ(s, CSSPGO_E_NOMEM);
        }
        T_LONG(nth > 5);
    }
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    the_reports_are_llvms();
    the_worked_example();
    random_profiles_agree_with_the_model(count);
    the_order_of_the_input_does_not_matter();
    thresholds_are_those_of_the_file();
    a_name_and_its_guid_are_the_same();
    one_function_meets_one_function();
    what_cannot_be_compared_is_refused();
    sums_wrap_in_llvm_mode_only();
    shares_are_from_0_to_1_at_any_count(count / 10);
    deep_and_wide_nesting();
    the_quality_example();
    functions_weigh_by_the_reference();
    how_often_functions_ran_is_a_figure_of_its_own();
    contexts_are_told_apart();
    call_probes_are_left_out();
    block_overlap_is_internal_similarity();
    random_qualities_are_sound(count);
    flattening_first_changes_nothing(count);
    T_FAILING(every_allocation_may_fail());
    return t_end();
}
