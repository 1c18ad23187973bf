/* test_lines.c - profiles by source line from tables of lines: llvm-profgen's bytes */
#include "t.h"
#include "table.h"
#include "lines.h"

/* A collector that takes samples as llvm-profgen does. how, o: NULL = defaults. */
static csspgo_collector *llvm_collector(csspgo_code *code, const csspgo_collector_options *how, const csspgo_options *o)
{
    csspgo_collector_options as_llvm;
    memset(&as_llvm, 0, sizeof as_llvm);
    if (how != NULL) as_llvm = *how;
    as_llvm.llvm = 19;
    return csspgo_collector_new(code, &as_llvm, o, NULL);
}

/* ----- recorded outputs ----- */

typedef struct recorded {
    t_table       t;
    line_table    rows;
    char         *text;
    csspgo_line_table *lines;
} recorded;

static void recorded_open(recorded *r, const char *binary, const csspgo_options *options)
{
    char path[128];
    snprintf(path, sizeof path, "data/generate/tables/%s.tsv", binary);
    T_EQ(t_table_load(&r->t, path, NULL), CSSPGO_OK);
    r->text = lines_of(&r->rows, path);
    r->lines = csspgo_line_table_new(options, NULL);
}

static csspgo_status recorded_lines(recorded *r)
{
    if (r->lines == NULL) return CSSPGO_E_NOMEM;
    return csspgo_line_table_add(r->lines, r->t.code, r->t.module, r->rows.node, r->rows.nodes, r->rows.row, r->rows.rows, NULL);
}

static void recorded_close(recorded *r)
{
    csspgo_line_table_free(r->lines);
    free(r->rows.node);
    free(r->rows.row);
    free(r->text);
    t_table_free(&r->t);
}

/* input: a perf script, or unsymbolized counters. */
static void check(const char *binary, const char *input, const char *want_name, csspgo_generate_options how)
{
    csspgo_collector_options collect;
    csspgo_unsymbolized_options offsets;
    csspgo_collector *c;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    char path[128], *want, *got, *counters;
    size_t want_size, got_size;
    recorded r;
    memset(&collect, 0, sizeof collect);
    collect.ignore_stack = strstr(want_name, "nocs") != NULL;
    recorded_open(&r, binary, NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    c = llvm_collector(r.t.code, &collect, NULL);
    snprintf(path, sizeof path, "data/generate/%s", input);
    if (strstr(input, ".unsym") != NULL) {
        offsets.module = r.t.module;
        offsets.base = r.t.base;
        counters = t_file(path, &got_size);
        T_EQ(csspgo_read_unsymbolized(c, counters, got_size, &offsets, &e), CSSPGO_OK);
        free(counters);
    } else {
        feed_script(c, r.t.code, path);
    }
    T_EQ(csspgo_collector_line_profile(c, r.lines, &how, p, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    snprintf(path, sizeof path, "data/generate/out/%s.txt", want_name);
    want = t_file(path, &want_size);
    got = t_text(p, &got_size);
    t_same(path, got, got_size, want, want_size);
    free(want);
    free(got);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    recorded_close(&r);
}

static csspgo_generate_options line_options(int update, int fill, int llvm, int fs)
{
    csspgo_generate_options o;
    memset(&o, 0, sizeof o);
    o.update_totals = (uint32_t)update;
    o.fill_all_functions = (uint32_t)fill;
    o.llvm = llvm ? 19 : 0;
    o.flow_sensitive = (uint32_t)fs;
    return o;
}

static void recorded_outputs_are_llvm_s(void)
{
    check("tiny.line", "tiny.perfscript", "tiny.line-nocs", line_options(0, 0, 0, 0));
    check("tiny.line", "tiny.perfscript", "tiny.line-nocs-updated", line_options(1, 0, 0, 0));
    check("tiny.line", "tiny.perfscript", "tiny.line-nocs-fill", line_options(0, 1, 0, 0));
    check("demo.line", "demo.perfscript", "demo.line-nocs", line_options(0, 0, 0, 0));
    check("demo.line", "demo.perfscript", "demo.line-nocs-updated", line_options(1, 0, 0, 0));
    check("demo.line", "demo.perfscript", "demo.line-nocs-fill", line_options(0, 1, 0, 0));
    check("demo.fs", "demo.perfscript", "demo.fs-nocs", line_options(0, 0, 0, 1));
    check("tiny.probe", "tiny.perfscript", "tiny.dwarf-nocs", line_options(0, 0, 0, 0));
    check("demo.probe", "demo.perfscript", "demo.dwarf-nocs", line_options(0, 0, 0, 0));
    check("tiny.line", "disjoint.unsym", "disjoint", line_options(0, 0, 0, 0));
    check("tiny.split", "split.unsym", "split", line_options(0, 0, 0, 0));
    check("tiny.line", "cs-line.unsym", "cs-line.flat", line_options(0, 0, 1, 0));
    check("tiny.line", "out/tiny.line.cs.unsym", "tiny.line-cs-flat", line_options(0, 0, 1, 0));
    check("tiny.line", "tiny.perfscript", "tiny.line-cs-flat", line_options(0, 0, 1, 0));
    check("demo.line", "demo.perfscript", "demo.line-cs-flat", line_options(0, 0, 1, 0));
}

/* What counters are about: ascending, each once, all in the program; a list that is too short gets its first elements. */
static void addresses_of_counters(void)
{
    csspgo_module none;
    uint64_t list[512], first[4];
    csspgo_collector_options cut;
    csspgo_collector *c;
    size_t n, again, i;
    csspgo_error e;
    recorded r;
    memset(&cut, 0, sizeof cut);
    cut.limit_depth = 1;
    none.id = 77;
    recorded_open(&r, "tiny.line", NULL);
    c = llvm_collector(r.t.code, NULL, NULL);
    T_EQ(csspgo_collector_addresses(c, r.t.module, NULL, 0, &n, NULL), CSSPGO_OK);
    T_EQ(n, 0);
    feed_script(c, r.t.code, "data/generate/tiny.perfscript");
    T_EQ(csspgo_collector_addresses(c, none, NULL, 0, &n, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_collector_addresses(c, r.t.module, NULL, 0, &n, NULL), CSSPGO_OK);
    T_CHECK(n > 4 && n < 512);
    T_EQ(csspgo_collector_addresses(c, r.t.module, list, 512, &again, NULL), CSSPGO_OK);
    T_EQ(again, n);
    for (i = 0; i < n; i++) T_CHECK(list[i] >= r.t.base && (i == 0 || list[i] > list[i - 1]));
    T_EQ(csspgo_collector_addresses(c, r.t.module, first, 4, &again, &e), CSSPGO_E_SHORT);
    T_MSG(strstr(e.message, "max_bytes") == NULL && strstr(e.message, "array") != NULL, e.message);
    T_EQ(again, n);
    T_EQ(memcmp(first, list, sizeof first), 0);
    T_EQ(csspgo_collector_calls(c, none, NULL, 0, &n, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_collector_calls(c, r.t.module, NULL, 0, &n, NULL), CSSPGO_OK);
    T_CHECK(n != 0 && n < 512);
    T_EQ(csspgo_collector_calls(c, r.t.module, list, 512, &again, NULL), CSSPGO_OK);
    T_EQ(again, n);
    for (i = 0; i < n; i++) T_CHECK(list[i] >= r.t.base && (i == 0 || list[i] > list[i - 1]));
    T_EQ(csspgo_collector_ranges(c, none, NULL, 0, &n, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_collector_ranges(c, r.t.module, NULL, 0, &n, NULL), CSSPGO_OK);
    T_CHECK(n > 2 && n < 256);
    T_EQ(csspgo_collector_ranges(c, r.t.module, list, 256, &again, NULL), CSSPGO_OK);
    T_EQ(again, n);
    for (i = 0; i < 2 * n; i++) T_CHECK(list[i] >= r.t.base && (i == 0 || list[i] > list[i - 1] || (i & 1)));
    T_EQ(csspgo_collector_ranges(c, r.t.module, first, 2, &again, &e), CSSPGO_E_SHORT);
    T_MSG(strstr(e.message, "max_bytes") == NULL && strstr(e.message, "array") != NULL, e.message);
    T_EQ(memcmp(first, list, sizeof first), 0);
    T_EQ(csspgo_collector_calls(c, r.t.module, NULL, 0, &n, NULL), CSSPGO_OK);
    csspgo_collector_free(c);
    c = llvm_collector(r.t.code, &cut, NULL);                 /* frames that are cut off have lines, too */
    feed_script(c, r.t.code, "data/generate/tiny.perfscript");
    T_EQ(csspgo_collector_calls(c, r.t.module, NULL, 0, &again, NULL), CSSPGO_OK);
    T_EQ(again, n);
    csspgo_collector_free(c);
    recorded_close(&r);
}

/* What a text of raw counters says of a range, in all contexts. */
static uint64_t text_count(const char *text, const char *range)
{
    uint64_t n = 0;
    const char *p = text;
    while ((p = strstr(p, range)) != NULL) {
        p += strlen(range);
        n += strtoull(p, NULL, 10);
    }
    return n;
}

static void ranges_have_their_counts(void)
{
    csspgo_range_count list[256], first[2];
    csspgo_unsymbolized_options raw;
    csspgo_collector_options how;
    static char text[65536];
    csspgo_module none;
    csspgo_collector *c;
    size_t n, again, size, i, contexts;
    csspgo_error e;
    recorded r;
    none.id = 77;
    memset(&how, 0, sizeof how);
    memset(&raw, 0, sizeof raw);
    recorded_open(&r, "tiny.line", NULL);
    raw.module = r.t.module;
    for (contexts = 0; contexts < 2; contexts++) {
        uint64_t all = 0, listed = 0;
        const char *p;
        how.ignore_stack = contexts == 0;
        c = llvm_collector(r.t.code, &how, NULL);
        T_EQ(csspgo_collector_range_counts(c, r.t.module, NULL, 0, &n, NULL), CSSPGO_OK);
        T_EQ(n, 0);
        feed_script(c, r.t.code, "data/generate/tiny.perfscript");
        T_EQ(csspgo_collector_range_counts(c, none, NULL, 0, &n, NULL), CSSPGO_E_ARGUMENT);
        T_EQ(csspgo_collector_range_counts(c, r.t.module, NULL, 0, &n, NULL), CSSPGO_OK);
        T_CHECK(n > 2 && n < 256);
        T_EQ(csspgo_collector_range_counts(c, r.t.module, list, 256, &again, NULL), CSSPGO_OK);
        T_EQ(again, n);
        T_EQ(csspgo_collector_range_counts(c, r.t.module, first, 2, &again, &e), CSSPGO_E_SHORT);
        T_MSG(strstr(e.message, "array") != NULL, e.message);
        T_EQ(memcmp(first, list, sizeof first), 0);
        T_EQ(csspgo_write_unsymbolized(c, &raw, text, sizeof text - 1, &size, NULL), CSSPGO_OK);
        text[size] = '\0';
        for (i = 0; i < n; i++) {
            char range[64];
            sprintf(range, "%llx-%llx:", (unsigned long long)list[i].first, (unsigned long long)list[i].last);
            T_EQ(text_count(text, range), list[i].count);
            T_CHECK(i == 0 || list[i].first > list[i - 1].first ||
                    (list[i].first == list[i - 1].first && list[i].last > list[i - 1].last));
            listed += list[i].count;
        }
        for (p = text; (p = strchr(p, ':')) != NULL; p++) {
            const char *line = p;
            while (line != text && line[-1] != '\n') line--;
            if (memchr(line, '>', (size_t)(p - line)) == NULL && memchr(line, '-', (size_t)(p - line)) != NULL)
                all += strtoull(p + 1, NULL, 10);
        }
        T_EQ(listed, all);
        csspgo_collector_free(c);
    }
    recorded_close(&r);
}

/* Without memory there are none, and the collector is what it was. */
static void ranges_without_memory_are_none(void)
{
    csspgo_range_count list[256], again[256];
    csspgo_options o;
    csspgo_collector *c;
    csspgo_status s = CSSPGO_E_NOMEM;
    csspgo_error e;
    size_t n, got;
    long k;
    t_heap h;
    recorded r;
    o = t_options(&h, 0);
    recorded_open(&r, "tiny.line", NULL);
    c = csspgo_collector_new(r.t.code, NULL, &o, NULL);
    feed_script(c, r.t.code, "data/generate/tiny.perfscript");
    T_EQ(csspgo_collector_range_counts(c, r.t.module, list, 256, &n, NULL), CSSPGO_OK);
    T_CHECK(n > 2);
    for (k = 1; s != CSSPGO_OK && k < 100; k++) {
        const size_t live = h.live;
        h.nth = h.calls + k;
        s = csspgo_collector_range_counts(c, r.t.module, again, 256, &got, &e);
        h.nth = 0;
        T_EQ(e.status, s);
        T_CHECK(s == CSSPGO_E_NOMEM || s == CSSPGO_OK);
        T_EQ(got, s == CSSPGO_OK ? n : 0);
        T_EQ(h.live, live);
    }
    T_EQ(s, CSSPGO_OK);
    T_CHECK(k > 2);
    T_EQ(memcmp(list, again, n * sizeof *list), 0);
    csspgo_collector_free(c);
    T_EQ(h.live, 0);
    recorded_close(&r);
}

/* A profile of a recorded run in one call; p has it if OK comes back. */
static csspgo_status profile_of(recorded *r, const char *script, csspgo_generate_options how, csspgo_profile *p)
{
    csspgo_collector *c = llvm_collector(r->t.code, NULL, NULL);
    csspgo_status s;
    csspgo_error e;
    feed_script(c, r->t.code, script);
    s = csspgo_collector_line_profile(c, r->lines, &how, p, NULL, &e);
    T_EQ(e.status, s);
    if (s == CSSPGO_OK) T_EQ(csspgo_collector_line_profile(c, r->lines, &how, p, NULL,
                                                           &e), CSSPGO_OK);   /* nothing new */
    csspgo_collector_free(c);
    return s;
}

static uint64_t heads_of(csspgo_profile *p)
{
    uint64_t sum = 0;
    uint32_t id;
    for (id = 1; id <= csspgo_node_count(p) + 1; id++) {
        csspgo_node n;
        n.id = id;
        sum += csspgo_head(p, n);
    }
    return sum;
}

/* LLVM gives b two contexts because the call's discriminator is decoded in one place and not in the other. */
static void a_call_has_one_context(void)
{
    csspgo_profile *ours = csspgo_profile_new(NULL, NULL), *llvm = csspgo_profile_new(NULL, NULL);
    recorded r;
    recorded_open(&r, "tiny.line", NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    T_EQ(profile_of(&r, "data/generate/tiny.perfscript", line_options(0, 0, 0, 0), ours), CSSPGO_OK);
    T_EQ(profile_of(&r, "data/generate/tiny.perfscript", line_options(0, 0, 1, 0), llvm), CSSPGO_OK);
    T_CHECK(csspgo_has_record(llvm, csspgo_find(llvm, "_start:1 @ main:3.2 @ b")));
    T_CHECK(csspgo_has_record(llvm, csspgo_find(llvm, "_start:1 @ main:3.1 @ b")));
    T_CHECK(!csspgo_has_record(ours, csspgo_find(ours, "_start:1 @ main:3.2 @ b")));
    T_EQ(csspgo_total(ours, csspgo_find(ours, "_start:1 @ main:3.1 @ b")),
         csspgo_total(llvm, csspgo_find(llvm, "_start:1 @ main:3.1 @ b")));
    T_EQ(csspgo_head(ours, csspgo_find(ours, "_start:1 @ main:3.1 @ b")),
         csspgo_head(llvm, csspgo_find(llvm, "_start:1 @ main:3.2 @ b")));
    T_EQ(heads_of(ours), heads_of(llvm));
    csspgo_profile_free(ours);
    csspgo_profile_free(llvm);
    recorded_close(&r);
}

/* A recursive function that is called below its folded context does not get a longer one. */
static void callees_are_compressed(void)
{
    csspgo_profile *ours = csspgo_profile_new(NULL, NULL);
    char *text;
    size_t size;
    recorded r;
    recorded_open(&r, "demo.line", NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    T_EQ(profile_of(&r, "data/generate/demo.perfscript", line_options(0, 0, 0, 0), ours), CSSPGO_OK);
    text = t_text(ours, &size);
    T_CHECK(strstr(text, "rec:3 @ rec") != NULL);
    T_CHECK(strstr(text, "rec:3 @ rec:3 @ rec") == NULL);
    free(text);
    csspgo_profile_free(ours);
    recorded_close(&r);
}

/* ----- contexts with names ----- */

static csspgo_collector *named_collector(const recorded *r, const char *path, const csspgo_options *o)
{
    csspgo_collector *c = llvm_collector(r->t.code, NULL, o);
    csspgo_unsymbolized_options offsets;
    csspgo_error e;
    size_t size;
    char *text = t_file(path, &size);
    offsets.module = r->t.module;
    offsets.base = r->t.base;
    if (c != NULL && csspgo_read_unsymbolized(c, text, size, &offsets, &e) != CSSPGO_OK) {
        T_EQ(e.status, CSSPGO_E_NOMEM);
        csspgo_collector_free(c);
        c = NULL;
    }
    free(text);
    return c;
}

/* In LLVM mode a text of names lacks which code was inlined. */
static void names_make_the_profile_that_samples_make(void)
{
    static const char *const binary[] = { "tiny.line", "demo.line" };
    size_t i;
    int llvm;
    for (i = 0; i < 2; i++)
        for (llvm = 0; llvm < 2; llvm++) {
            csspgo_profile *want = csspgo_profile_new(NULL, NULL), *got = csspgo_profile_new(NULL, NULL);
            const csspgo_generate_options how = line_options(0, 0, llvm, 0);
            csspgo_collector *c;
            char path[64];
            csspgo_node n;
            recorded r;
            recorded_open(&r, binary[i], NULL);
            T_EQ(recorded_lines(&r), CSSPGO_OK);
            snprintf(path, sizeof path, "data/generate/%.4s.perfscript", binary[i]);
            T_EQ(profile_of(&r, path, how, want), CSSPGO_OK);
            for (n.id = 2; llvm && n.id <= csspgo_node_count(want) + 1; n.id++)
                if (csspgo_has_record(want, n)) T_EQ(csspgo_set_attributes(want, n, 0), CSSPGO_OK);
            snprintf(path, sizeof path, "data/generate/out/%s.cs.unsym", binary[i]);
            c = named_collector(&r, path, NULL);
            T_EQ(csspgo_collector_has_contexts(c), 1);
            T_EQ(csspgo_collector_line_profile(c, r.lines, &how, got, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_validate(got, NULL), CSSPGO_OK);
            T_CHECK(csspgo_equal(got, want));
            csspgo_collector_free(c);
            csspgo_profile_free(want);
            csspgo_profile_free(got);
            recorded_close(&r);
        }
}

static void names_are_no_use_by_probe_and_take_no_samples_with_stacks(void)
{
    const uint64_t address = 0x401000;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_collector *c;
    csspgo_sample s;
    csspgo_error e;
    recorded r;
    memset(&s, 0, sizeof s);
    recorded_open(&r, "tiny.line", NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    c = named_collector(&r, "data/generate/cs-line.unsym", NULL);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    s.stack = &address;
    s.stack_count = 1;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_E_ARGUMENT);
    s.stack_count = 0;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);           /* no context: it mixes, here it has no records */
    T_EQ(csspgo_node_count(p), 0);
    T_EQ(csspgo_collector_line_profile(c, r.lines, NULL, p, NULL, &e), CSSPGO_OK);      /* nothing was lost */
    T_EQ(csspgo_head(p, csspgo_find(p, "main")), 2);
    T_EQ(csspgo_head(p, csspgo_find(p, "main:3.1 @ b")), 3);
    T_EQ(csspgo_body_count(p, csspgo_find(p, "main"), csspgo_loc_at(3, 1)), 3);
    csspgo_collector_free(c);
    csspgo_profile_free(p);
    recorded_close(&r);
}

/* The profile of a collector with names. */
static csspgo_profile *named_profile(const recorded *r, csspgo_collector *c)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    T_EQ(csspgo_collector_line_profile(c, r->lines, NULL, p, NULL, NULL), CSSPGO_OK);
    T_CHECK(csspgo_record_count(p) != 0);
    return p;
}

/* What was taken holds the contexts with their names; the collector goes on, with other names or with samples. */
static void names_can_be_taken(void)
{
    static const char second[] = "[main:3.1 @ b]\n1\n20-24:5\n0\n";
    const uint64_t address = 0x401000;
    csspgo_unsymbolized_options offsets;
    csspgo_collector *c[3], *taken;
    csspgo_profile *p[4], *none = csspgo_profile_new(NULL, NULL);
    csspgo_options o;
    csspgo_sample s;
    csspgo_error e;
    t_heap heap;
    recorded r;
    size_t i;
    recorded_open(&r, "tiny.line", NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    offsets.module = r.t.module;
    offsets.base = r.t.base;
    o = t_options(&heap, 0);
    c[0] = named_collector(&r, "data/generate/cs-line.unsym", NULL);
    c[1] = llvm_collector(r.t.code, NULL, NULL);
    c[2] = named_collector(&r, "data/generate/cs-line.unsym", &o);
    taken = csspgo_collector_take(c[2], &e);
    T_CHECK(taken != NULL && csspgo_collector_has_contexts(taken));
    for (i = 1; i < 3; i++) T_EQ(csspgo_read_unsymbolized(c[i], second, sizeof second - 1, &offsets, &e), CSSPGO_OK);
    T_EQ(csspgo_collector_profile_step(taken, 1, NULL, none, NULL, &e), CSSPGO_E_ARGUMENT);
    p[0] = named_profile(&r, c[0]);
    p[1] = named_profile(&r, c[1]);
    p[2] = named_profile(&r, taken);
    p[3] = named_profile(&r, c[2]);
    T_CHECK(csspgo_equal(p[2], p[0]));
    T_CHECK(csspgo_equal(p[3], p[1]));
    csspgo_collector_free(taken);
    taken = csspgo_collector_take(c[2], &e);     /* empty; samples in contexts may come behind names */
    T_CHECK(taken != NULL);
    memset(&s, 0, sizeof s);
    s.stack = &address;
    s.stack_count = 1;
    T_EQ(csspgo_collector_add(c[2], &s, 1, NULL), CSSPGO_OK);
    csspgo_collector_free(taken);
    for (i = 0; i < 3; i++) csspgo_collector_free(c[i]);
    T_EQ(heap.live, 0);
    for (i = 0; i < 4; i++) csspgo_profile_free(p[i]);
    csspgo_profile_free(none);
    recorded_close(&r);
}

/* Contexts that are deeper or more recursive than the collector's options say are cut as those of samples are. */
static void names_are_compressed_and_cut(void)
{
    static const char text[] = "[main:1 @ a:3 @ a:3 @ a]\n1\n20-24:5\n0\n";
    static const char *const want[] = { "main:1 @ a:3 @ a", "main:1 @ a:3 @ a:3 @ a", "a:3 @ a", "a" };
    int i;
    recorded r;
    recorded_open(&r, "tiny.line", NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    for (i = 0; i < 4; i++) {
        csspgo_collector_options how;
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_collector *c;
        memset(&how, 0, sizeof how);
        how.limit_recursion = i == 1;
        how.limit_depth = i >= 2;
        how.max_depth = i == 2;
        c = csspgo_collector_new(r.t.code, &how, NULL, NULL);
        T_EQ(csspgo_read_unsymbolized(c, text, sizeof text - 1, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_collector_line_profile(c, r.lines, NULL, p, NULL, NULL), CSSPGO_OK);
        T_CHECK(csspgo_has_record(p, csspgo_find(p, want[i])));
        csspgo_collector_free(c);
        csspgo_profile_free(p);
    }
    recorded_close(&r);
}

static void check_raw(csspgo_collector *c, const recorded *r, const char *path)
{
    const csspgo_unsymbolized_options offsets = { r->t.module, r->t.base };
    char *want, *got;
    size_t want_size, got_size;
    want = t_file(path, &want_size);
    T_EQ(csspgo_write_unsymbolized(c, &offsets, NULL, 0, &got_size, NULL), CSSPGO_OK);
    got = (char *)malloc(got_size + 1);
    T_EQ(csspgo_write_unsymbolized(c, &offsets, got, got_size, NULL, NULL), CSSPGO_OK);
    t_same(path, got, got_size, want, want_size);
    free(got);
    free(want);
}

/* Raw counters, recorded from LLVM; none is lost where memory is short. */
static void contexts_become_names(void)
{
    static const char *const name[] = { "tiny", "demo" };
    const csspgo_generate_options how = line_options(0, 0, 1, 0);
    int i;
    for (i = 0; i < 2; i++) {
        csspgo_status s = CSSPGO_E_NOMEM;
        char path[64];
        t_heap heap;
        csspgo_options o = t_options(&heap, 0);
        csspgo_collector *c;
        long nth;
        recorded r;
        snprintf(path, sizeof path, "%s.line", name[i]);
        recorded_open(&r, path, NULL);
        T_EQ(recorded_lines(&r), CSSPGO_OK);
        c = llvm_collector(r.t.code, NULL, &o);
        snprintf(path, sizeof path, "data/generate/%s.perfscript", name[i]);
        feed_script(c, r.t.code, path);
        for (nth = 1; s != CSSPGO_OK && nth < 1000; nth++) {
            heap.calls = 0;
            heap.nth = i == 0 ? nth : 0;
            s = csspgo_collector_name_contexts(c, r.lines, &how, NULL);
            T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
        }
        heap.nth = 0;
        T_EQ(s, CSSPGO_OK);
        snprintf(path, sizeof path, "data/generate/out/%s.line.cs.unsym", name[i]);
        check_raw(c, &r, path);
        T_EQ(csspgo_collector_name_contexts(c, r.lines, &how, NULL), CSSPGO_OK);      /* they have names already */
        check_raw(c, &r, path);
        csspgo_collector_free(c);
        T_EQ(heap.live, 0);
        recorded_close(&r);
    }
}

static void failing_allocations_change_nothing_with_names(void)
{
    csspgo_profile *want = csspgo_profile_new(NULL, NULL);
    csspgo_status s = CSSPGO_E_NOMEM;
    csspgo_collector *c;
    t_heap heap;
    long nth;
    recorded r;
    recorded_open(&r, "tiny.line", NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    c = named_collector(&r, "data/generate/cs-line.unsym", NULL);
    T_EQ(csspgo_collector_line_profile(c, r.lines, NULL, want, NULL, NULL), CSSPGO_OK);
    csspgo_collector_free(c);
    for (nth = 1; s != CSSPGO_OK && nth < 1000; nth++) {
        csspgo_options o = t_options(&heap, nth);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        c = p != NULL ? named_collector(&r, "data/generate/cs-line.unsym", &o) : NULL;
        s = c != NULL ? csspgo_collector_line_profile(c, r.lines, NULL, p, NULL, NULL) : CSSPGO_E_NOMEM;
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
        if (p != NULL && s != CSSPGO_OK) T_EQ(csspgo_node_count(p), 0);
        heap.nth = 0;
        if (c != NULL && s != CSSPGO_OK) T_EQ(csspgo_collector_line_profile(c, r.lines, NULL, p, NULL,
                                                                            NULL), CSSPGO_OK);
        if (c != NULL) T_CHECK(csspgo_equal(p, want));
        csspgo_collector_free(c);
        csspgo_profile_free(p);
        T_EQ(heap.live, 0);
    }
    T_EQ(s, CSSPGO_OK);
    T_LONG(nth > 20);
    csspgo_profile_free(want);
    recorded_close(&r);
}

/*
 * A program of three: code without lines at 0x1000 calls f at 0x1040, whose line 2 has g inlined and instructions of its
 * own around it, in a loop. f is sampled `samples` times, below its caller or alone.
 */
typedef struct hand_made {
    csspgo_code       *code;
    csspgo_line_table *lines;
    csspgo_collector  *c;
} hand_made;

static hand_made hand_made_run(uint32_t llvm, int caller, uint32_t branches, uint32_t samples)
{
    static const csspgo_transfer transfer[] = { { 0x1010, 0x1040, 5, CSSPGO_CALL }, { 0x1060, 0x1044, 2, CSSPGO_COND },
                                                { 0x107f, 0, 1, CSSPGO_RET } };
    static const csspgo_line_inline_node node[] = { { "f", 1, 0, { 0, 0 } }, { "g", 1, 1, { 2, 0 } } };
    static const csspgo_line_row row[] = { { 0x1040, 1, { 1, 0 } }, { 0x1048, 1, { 2, 0 } }, { 0x1050, 2, { 1, 0 } },
                                           { 0x1058, 1, { 2, 0 } }, { 0x1060, 1, { 3, 0 } } };
    const csspgo_module none = csspgo_no_module();
    const csspgo_branch b[2] = { { 0x1060, 0x1044, 0 }, { 0x1060, 0x1044, 0 } };
    const uint64_t stack[] = { 0x1052, 0x1015 };
    csspgo_code_function f;
    csspgo_collector_options how;
    csspgo_sample sample;
    hand_made h;
    memset(&f, 0, sizeof f);
    memset(&how, 0, sizeof how);
    memset(&sample, 0, sizeof sample);
    h.code = csspgo_code_new(NULL, NULL);
    h.lines = csspgo_line_table_new(NULL, NULL);
    f.begin = 0x1000;
    f.end = 0x1040;
    f.name = "start";
    f.name_size = 5;
    T_EQ(csspgo_code_add_function(h.code, none, &f, NULL), CSSPGO_OK);
    f.begin = f.end;
    f.end = 0x1080;
    f.name = "f";
    f.name_size = 1;
    T_EQ(csspgo_code_add_function(h.code, none, &f, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_transfers(h.code, none, transfer, 3, NULL), CSSPGO_OK);
    T_EQ(csspgo_line_table_add(h.lines, h.code, none, node, 2, row, 5, NULL), CSSPGO_OK);
    how.llvm = llvm;
    h.c = csspgo_collector_new(h.code, &how, NULL, NULL);
    sample.stack = stack;
    sample.stack_count = caller ? 2 : 1;
    sample.branches = branches != 0 ? b : NULL;
    sample.branch_count = branches;
    sample.count = samples;
    T_EQ(csspgo_collector_add(h.c, &sample, 1, NULL), CSSPGO_OK);
    return h;
}

static csspgo_profile *hand_made_profile(hand_made *h, const csspgo_generate_options *how, csspgo_status want)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    T_EQ(csspgo_collector_line_profile(h->c, h->lines, how, p, NULL, NULL), want);
    csspgo_collector_free(h->c);
    csspgo_line_table_free(h->lines);
    csspgo_code_free(h->code);
    return p;
}

static uint64_t line_count(csspgo_profile *p, const char *context, uint32_t line)
{
    return csspgo_body_count(p, csspgo_find(p, context), csspgo_loc_at(line, 0));
}

/* A line that has instructions of its own and an inlined call ran once, not twice. */
static void an_inlined_call_is_not_added_to_its_line(void)
{
    const csspgo_generate_options as_llvm = line_options(0, 0, 1, 0);
    hand_made h = hand_made_run(0, 0, 2, 10);
    csspgo_profile *p = hand_made_profile(&h, NULL, CSSPGO_OK);
    T_EQ(line_count(p, "f", 2), 10);
    T_EQ(line_count(p, "f:2 @ g", 1), 10);
    csspgo_profile_free(p);
    h = hand_made_run(19, 0, 2, 10);
    p = hand_made_profile(&h, &as_llvm, CSSPGO_OK);
    T_EQ(line_count(p, "f", 2), 20);
    csspgo_profile_free(p);
}

/*
 * Two functions inlined at one place: for LLVM 19 what runs through both belongs to the first. A discriminator of a
 * call with a probe, 8 id + 7, stands for the probe.
 */
static void what_is_inlined_beside(void)
{
    static const csspgo_line_inline_node node[] = { { "f", 1, 0, { 0, 0 } }, { "g", 1, 1, { 2, 0 } }, { "h", 1, 1, { 2, 0 } } };
    static const csspgo_line_row row[] = { { 0x1040, 1, { 1, 23 } }, { 0x1048, 2, { 1, 0 } }, { 0x1050, 3, { 7, 0 } },
                                           { 0x1060, 1, { 3, 0 } } };
    const csspgo_generate_options how = line_options(0, 0, 1, 0);
    int llvm;
    for (llvm = 0; llvm < 2; llvm++) {
        hand_made h = hand_made_run(llvm ? 19 : 0, 0, 2, 10);
        csspgo_profile *p;
        csspgo_line_table_free(h.lines);
        h.lines = csspgo_line_table_new(NULL, NULL);
        T_EQ(csspgo_line_table_add(h.lines, h.code, csspgo_no_module(), node, 3, row, 4, NULL), CSSPGO_OK);
        p = hand_made_profile(&h, llvm ? &how : NULL, CSSPGO_OK);
        T_EQ(line_count(p, "f:2 @ g", 1), 10);
        T_EQ(line_count(p, "f:2 @ g", 7), llvm ? 10 : 0);
        T_EQ(line_count(p, "f:2 @ h", 7), llvm ? 0 : 10);
        T_EQ(csspgo_body_count(p, csspgo_find(p, "f"), csspgo_loc_at(1, 2)), 10);
        csspgo_profile_free(p);
    }
}

/* LLVM 19 looks up unknown code at the address 1, where functions may be that a linker dropped. */
static void unknown_code_calls_from_address_1(void)
{
    static const csspgo_line_inline_node node[] = { { "gone", 4, 0, { 0, 0 } }, { "inner", 5, 1, { 3, 0 } } };
    static const csspgo_line_row row[] = { { 1, 2, { 4, 0 } }, { 2, 1, { 5, 0 } } };
    const csspgo_branch branch[] = { { 0x1060, 0x1044, 0 }, { 0x900000, 0x1040, 0 } };
    const csspgo_generate_options as_llvm = line_options(0, 0, 1, 0);
    int llvm;
    for (llvm = 0; llvm < 2; llvm++) {
        hand_made h = hand_made_run(0, 0, 1, 1);
        csspgo_collector_options how;
        csspgo_sample sample;
        csspgo_profile *p;
        csspgo_node gone;
        memset(&how, 0, sizeof how);
        memset(&sample, 0, sizeof sample);
        how.ignore_stack = 1;
        how.llvm = llvm ? 19 : 0;
        csspgo_collector_free(h.c);
        h.c = csspgo_collector_new(h.code, &how, NULL, NULL);
        sample.branches = branch;
        sample.branch_count = 2;
        sample.count = 7;
        T_EQ(csspgo_collector_add(h.c, &sample, 1, NULL), CSSPGO_OK);
        T_EQ(csspgo_line_table_add(h.lines, h.code, csspgo_no_module(), node, 2, row, 2, NULL), CSSPGO_OK);
        p = hand_made_profile(&h, llvm ? &as_llvm : NULL, CSSPGO_OK);
        T_EQ(llvm ? csspgo_head(p, csspgo_find(p, "f")) : 7, 7);
        gone = csspgo_find(p, "gone");
        T_EQ(gone.id != 0, llvm);
        gone = csspgo_child(p, gone, csspgo_loc_at(3, 0), CSSPGO_INLINEE, csspgo_func_find(p, "inner", 5));
        T_EQ(llvm ? csspgo_target_count(p, gone, csspgo_loc_at(4, 0), csspgo_func_find(p, "f", 1)) : 0, llvm ? 7 : 0);
        csspgo_profile_free(p);
    }
}

/* What code without lines called keeps its counts, without that caller. */
static void callers_without_lines_are_left_out(void)
{
    const csspgo_generate_options as_llvm = line_options(0, 0, 1, 0);
    hand_made h = hand_made_run(0, 1, 2, 10);
    csspgo_profile *p = hand_made_profile(&h, NULL, CSSPGO_OK);
    T_EQ(line_count(p, "f", 2), 10);
    csspgo_profile_free(p);
    h = hand_made_run(19, 1, 2, 10);
    p = hand_made_profile(&h, &as_llvm, CSSPGO_OK);
    T_EQ(line_count(p, "f", 2), 0);
    csspgo_profile_free(p);
}

/* Call stacks alone become estimates, if that is asked for. */
static void lines_without_branch_records(void)
{
    csspgo_generate_options how = line_options(0, 0, 0, 0);
    hand_made h = hand_made_run(0, 0, 0, 10);
    csspgo_profile *p = hand_made_profile(&h, &how, CSSPGO_E_UNSUPPORTED);
    T_EQ(csspgo_node_count(p), 0);
    csspgo_profile_free(p);
    how.estimate_fn = csspgo_estimate_blocks;
    h = hand_made_run(0, 0, 0, 10);
    p = hand_made_profile(&h, &how, CSSPGO_OK);
    T_CHECK(line_count(p, "f", 2) != 0);
    T_EQ(line_count(p, "f", 2), line_count(p, "f:2 @ g", 1));
    csspgo_profile_free(p);
}

static void bad_tables_are_refused(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_line_table *l = csspgo_line_table_new(NULL, NULL);
    csspgo_line_inline_node n;
    csspgo_line_row row;
    memset(&n, 0, sizeof n);
    memset(&row, 0, sizeof row);
    n.name = "f";
    n.name_size = 1;
    n.parent = 1;
    T_EQ(csspgo_line_table_add(l, code, csspgo_no_module(), &n, 1, NULL, 0, NULL), CSSPGO_E_ARGUMENT);
    n.parent = 0;
    n.site.line = 65536;
    T_EQ(csspgo_line_table_add(l, code, csspgo_no_module(), &n, 1, NULL, 0, NULL), CSSPGO_E_ARGUMENT);
    row.inline_node = 1;
    T_EQ(csspgo_line_table_add(l, code, csspgo_no_module(), NULL, 0, &row, 1, NULL), CSSPGO_E_ARGUMENT);
    row.inline_node = 0;
    row.loc.line = 65536;
    T_EQ(csspgo_line_table_add(l, code, csspgo_no_module(), NULL, 0, &row, 1, NULL), CSSPGO_E_ARGUMENT);
    row.loc.line = 0;
    T_EQ(csspgo_line_table_add(l, code, csspgo_no_module(), NULL, 0, &row, 1, NULL), CSSPGO_OK);      /* outside known code */
    csspgo_line_table_free(l);
    csspgo_line_table_free(NULL);
    csspgo_code_free(code);
}

/*
 * A JIT's function is emitted at one address again and again, with line rows, and sampled in one round of 5; a profile
 * is taken every 100 rounds. Rows go with the code that they are of: memory stays what it was, and every count arrives.
 */
static void counts_stand_at_base_discriminators(void)
{
    /* as encoded: base, duplication factor, copy, each 1 bit if it is 0 or else twice the number in 7 bits */
    static const struct { uint32_t raw, base, factor; } v[] = {
        { 0, 0, 1 }, { 2, 1, 1 }, { 62, 31, 1 }, { 0x402, 1, 4 }, { 0x11, 0, 4 }, { 0x13, 0, 1 }, { 0x840402, 1, 4 }
    };
    size_t i;
    for (i = 0; i < sizeof v / sizeof *v; i++) {
        uint32_t factor = 0;
        const csspgo_loc loc = csspgo_base_loc(csspgo_loc_at(7, v[i].raw), &factor);
        T_EQ(loc.line, 7);
        T_EQ(loc.discriminator, v[i].base);
        T_EQ(factor, v[i].factor);
        T_EQ(csspgo_base_loc(csspgo_loc_at(7, v[i].raw), NULL).discriminator, v[i].base);
    }
}

static void rows_go_with_the_code_of_a_jit(void)
{
    enum { ROUNDS = 4000, ROWS = 8, AT = 0x1000, SIZE = 64 };
    const csspgo_module none = csspgo_no_module();
    t_heap h, g;
    const csspgo_options code_options = t_options(&h, 0), table_options = t_options(&g, 0);
    csspgo_code *code = csspgo_code_new(&code_options, NULL);
    csspgo_line_table *l = csspgo_line_table_new(&table_options, NULL);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_code_function f;
    csspgo_line_inline_node n[2];
    csspgo_line_row row[ROWS];
    csspgo_branch b[2];
    csspgo_sample sample;
    uint64_t ip = AT + 32;
    size_t code_most = 0, lines_most = 0;
    uint32_t i, k, failed = 0;
    memset(&f, 0, sizeof f);
    memset(n, 0, sizeof n);
    memset(row, 0, sizeof row);
    memset(b, 0, sizeof b);
    memset(&sample, 0, sizeof sample);
    f.begin = AT;
    f.end = AT + SIZE;
    f.name = n[0].name = "f";
    n[1].name = "g";
    f.name_size = n[0].name_size = n[1].name_size = 1;
    n[1].parent = 1;
    b[0].from = b[1].from = AT + 40;
    b[0].to = b[1].to = ip;
    sample.stack = &ip;
    sample.branches = b;
    sample.count = 1;
    sample.stack_count = 1;
    sample.branch_count = 2;
    for (i = 0; i < ROUNDS; i++) {
        for (k = 0; k < ROWS; k++) {
            row[k].address = AT + k * 8;
            row[k].inline_node = 1 + k % 2;
            row[k].loc = csspgo_loc_at(k + 1 + i % 7, 0); /* other lines each time */
        }
        failed += csspgo_code_add_function(code, none, &f, NULL) != CSSPGO_OK;
        failed += csspgo_line_table_add(l, code, none, n, 2, row, ROWS, NULL) != CSSPGO_OK;
        if (i % 5 == 0) failed += csspgo_collector_add(c, &sample, 1, NULL) != CSSPGO_OK;
        failed += csspgo_code_remove(code, AT, AT + SIZE, NULL) != CSSPGO_OK;
        if (i % 100 == 99) failed += csspgo_collector_line_profile(c, l, NULL, p, NULL, NULL) != CSSPGO_OK;
        if (i != ROUNDS / 4) continue;
        code_most = h.peak;
        lines_most = g.peak;
    }
    T_EQ(failed, 0);
    T_CHECK(h.peak <= code_most + code_most / 8 && g.peak <= lines_most + lines_most / 8);
    T_CHECK(g.peak < 100000);
    for (k = 0; k < 7; k++) {                             /* the loop begins at row 4: line 5 and up, in turn */
        const csspgo_node node = csspgo_child(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT,
                                              csspgo_func_find(p, "f", 1));
        T_EQ(csspgo_body_count(p, node, csspgo_loc_at(5 + k, 0)),
             ROUNDS / 100); /* a line's most frequent instruction */
    }
    csspgo_collector_free(c);
    csspgo_line_table_free(l);
    csspgo_code_free(code);
    csspgo_profile_free(p);
    T_EQ(h.live, 0);
    T_EQ(g.live, 0);
}

/* Functions of 64 bytes with a row for each 8, 16 or 32, each function's with other lines; a loop is sampled. */
enum { SLOTS = 7, SLOT_BYTES = 64, SLOT_ROWS = 8 };

static uint64_t slot_address(uint32_t slot)
{
    return 0x1000 + SLOT_BYTES * (uint64_t)slot;
}

static void add_slot_rows(csspgo_line_table *l, const csspgo_code *code, uint32_t slot, uint32_t line)
{
    char name[] = "f0";
    csspgo_line_inline_node n;
    csspgo_line_row row[SLOT_ROWS];
    uint32_t i, rows = SLOT_ROWS >> line % 3;
    name[1] = (char)('0' + slot);
    memset(&n, 0, sizeof n);
    n.name = name;
    n.name_size = 2;
    for (i = 0; i < rows; i++) {
        row[i].address = slot_address(slot) + SLOT_BYTES / rows * i;
        row[i].inline_node = 1;
        row[i].loc = csspgo_loc_at(line + i, 0);
    }
    T_EQ(csspgo_line_table_add(l, code, csspgo_no_module(), &n, 1, row, rows, NULL), CSSPGO_OK);
}

/* The profile of one sample in each function that has a line. */
static csspgo_profile *slots_profile(csspgo_line_table *l, csspgo_code *code, const uint32_t *line)
{
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    uint32_t slot;
    for (slot = 0; slot < SLOTS; slot++) {
        const uint64_t ip = slot_address(slot) + 32;
        const csspgo_branch b[2] = { { ip + 16, ip, 0 }, { ip + 16, ip, 0 } };
        csspgo_sample x;
        if (line[slot] == 0) continue;
        memset(&x, 0, sizeof x);
        x.stack = &ip;
        x.branches = b;
        x.count = 1;
        x.stack_count = 1;
        x.branch_count = 2;
        T_EQ(csspgo_collector_add(c, &x, 1, NULL), CSSPGO_OK);
    }
    T_EQ(csspgo_collector_line_profile(c, l, NULL, p, NULL, NULL), CSSPGO_OK);
    csspgo_collector_free(c);
    return p;
}

/* Functions come and go between profiles, in any order: the rows are those of one table with what is there now. */
static void rows_that_come_late_are_as_good_as_others(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_line_table *l = csspgo_line_table_new(NULL, NULL);
    uint32_t line[SLOTS] = { 0 }, slot, round, seed = 1, profiles = 0;
    for (round = 1; round < 600; round++) {
        csspgo_code_function f;
        seed = seed * 1664525u + 1013904223u;
        slot = (seed >> 16) % SLOTS;
        memset(&f, 0, sizeof f);
        f.begin = slot_address(slot);
        f.end = f.begin + SLOT_BYTES;
        f.name = "f";
        f.name_size = 1;
        if (line[slot] != 0) {
            T_EQ(csspgo_code_remove(code, f.begin, f.end, NULL), CSSPGO_OK);
            line[slot] = 0;
        }
        if (seed >> 28 != 0) {
            T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
            add_slot_rows(l, code, slot, line[slot] = 10 * round);
        }
        if (seed >> 13 & 1) {
            csspgo_line_table *fresh = csspgo_line_table_new(NULL, NULL);
            csspgo_profile *got, *want;
            for (slot = 0; slot < SLOTS; slot++)
                if (line[slot] != 0) add_slot_rows(fresh, code, slot, line[slot]);
            got = slots_profile(l, code, line);
            want = slots_profile(fresh, code, line);
            T_CHECK(csspgo_equal(got, want) && csspgo_equal(want, got));
            profiles += csspgo_record_count(want) != 0;
            csspgo_profile_free(got);
            csspgo_profile_free(want);
            csspgo_line_table_free(fresh);
        }
    }
    T_CHECK(profiles > 200);
    csspgo_line_table_free(l);
    csspgo_code_free(code);
}

static void failing_allocations_change_nothing(void)
{
    static const char *const binary[] = { "tiny.line", "demo.line" };
    static const char *const script[] = { "data/generate/tiny.perfscript", "data/generate/demo.perfscript" };
    int i;
    for (i = 0; i < 2; i++) {
        t_heap heap;
        long nth, step = i == 0 ? 1 : 7;
        csspgo_status s = CSSPGO_E_NOMEM;
        for (nth = 1; s != CSSPGO_OK && nth < 5000; nth += step) {
            csspgo_options o = t_options(&heap, nth);
            csspgo_profile *p;
            recorded r;
            recorded_open(&r, binary[i], &o);
            s = recorded_lines(&r);
            p = csspgo_profile_new(&o, NULL);
            if (s == CSSPGO_OK && p == NULL) s = CSSPGO_E_NOMEM;
            if (s == CSSPGO_OK) s = profile_of(&r, script[i], line_options(0, 0, 0, 0), p);
            T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
            if (p != NULL && s != CSSPGO_OK) T_EQ(csspgo_node_count(p), 0);
            csspgo_profile_free(p);
            recorded_close(&r);
            T_EQ(heap.live, 0);
        }
        T_EQ(s, CSSPGO_OK);
    }
}

static void a_collector_out_of_memory_keeps_its_counts(void)
{
    csspgo_profile *want = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_status s = CSSPGO_E_NOMEM;
    csspgo_collector *c;
    long nth;
    recorded r;
    recorded_open(&r, "tiny.line", NULL);
    T_EQ(recorded_lines(&r), CSSPGO_OK);
    T_EQ(profile_of(&r, "data/generate/tiny.perfscript", line_options(0, 0, 0, 0), want), CSSPGO_OK);
    c = llvm_collector(r.t.code, NULL, &o);
    feed_script(c, r.t.code, "data/generate/tiny.perfscript");
    for (nth = 1; s != CSSPGO_OK && nth < 1000; nth++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        heap.calls = 0;
        heap.nth = nth;
        s = csspgo_collector_line_profile(c, r.lines, NULL, p, NULL, &e);
        heap.nth = 0;
        if (s == CSSPGO_OK) T_CHECK(csspgo_equal(p, want));
        else T_EQ(csspgo_node_count(p), 0);
        csspgo_profile_free(p);
    }
    T_EQ(s, CSSPGO_OK);
    T_LONG(nth > 5);
    csspgo_collector_free(c);
    T_EQ(heap.live, 0);
    csspgo_profile_free(want);
    recorded_close(&r);
}

int main(void)
{
    recorded_outputs_are_llvm_s();
    addresses_of_counters();
    ranges_have_their_counts();
    ranges_without_memory_are_none();
    a_call_has_one_context();
    callees_are_compressed();
    an_inlined_call_is_not_added_to_its_line();
    what_is_inlined_beside();
    unknown_code_calls_from_address_1();
    callers_without_lines_are_left_out();
    lines_without_branch_records();
    bad_tables_are_refused();
    counts_stand_at_base_discriminators();
    rows_go_with_the_code_of_a_jit();
    rows_that_come_late_are_as_good_as_others();
    T_FAILING(failing_allocations_change_nothing());
    T_FAILING(a_collector_out_of_memory_keeps_its_counts());
    names_make_the_profile_that_samples_make();
    names_are_no_use_by_probe_and_take_no_samples_with_stacks();
    names_can_be_taken();
    names_are_compressed_and_cut();
    T_FAILING(contexts_become_names());
    T_FAILING(failing_allocations_change_nothing_with_names());
    return t_end();
}
