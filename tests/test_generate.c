/* test_generate.c - counters and code map become profiles: LLVM's outputs, rules one by one, laws, failing memory */
#include "t.h"
#include "code.h"
#include "table.h"

#include <stdint.h>

/* A collector that takes samples as llvm-profgen does. how, o: NULL = defaults. */
static csspgo_collector *llvm_collector(csspgo_code *code, const csspgo_collector_options *how, const csspgo_options *o)
{
    csspgo_collector_options as_llvm;
    memset(&as_llvm, 0, sizeof as_llvm);
    if (how != NULL) as_llvm = *how;
    as_llvm.llvm = 19;
    return csspgo_collector_new(code, &as_llvm, o, NULL);
}

/* ----- helpers ----- */

static csspgo_profile *new_profile(const csspgo_options *o)
{
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    if (p == NULL) abort();
    return p;
}

/* The profile as text, terminated, for free(). */
static char *text_of(csspgo_profile *p, size_t *size)
{
    csspgo_error e;
    char *text;
    csspgo_validate(p, &e);
    T_MSG(e.status == CSSPGO_OK, e.message);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, &e), CSSPGO_OK);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write(p, CSSPGO_TEXT, text, *size, size, &e), CSSPGO_OK);
    text[*size] = '\0';
    return text;
}

static void same_text(const char *what, csspgo_profile *p, const char *want)
{
    size_t size;
    char *text = text_of(p, &size);
    t_same(what, text, size, want, strlen(want));
    free(text);
}

static void counters_of(csspgo_collector *c, const csspgo_unsymbolized_options *how, const char *text)
{
    csspgo_error e;
    if (csspgo_read_unsymbolized(c, text, strlen(text), how, &e) != CSSPGO_OK) T_MSG(0, e.message);
}

/* ----- what llvm-profgen 19 made of recorded counters ----- */

typedef struct golden {
    const char *program, *counters, *profile;
    csspgo_collector_options collect;
    csspgo_generate_options  make;
} golden;

static golden golden_of(const char *program, const char *counters, const char *profile)
{
    golden g;
    memset(&g, 0, sizeof g);
    g.program = program;
    g.counters = counters;
    g.profile = profile;
    g.make.llvm = 19;
    g.make.no_inference = strstr(profile, ".noinfer") != NULL;
    g.make.fill_all_functions = strstr(profile, ".nocs-fill") != NULL;
    g.collect.limit_recursion = strstr(profile, ".nocompress") != NULL;
    g.collect.limit_depth = strstr(profile, ".depth2") != NULL;
    g.collect.max_depth = 2;
    return g;
}

static void check_golden(const golden *g)
{
    char table[128], counters[128], want_path[128], *in, *want, *got;
    csspgo_unsymbolized_options how;
    csspgo_collector *c;
    csspgo_profile *p = new_profile(NULL);
    csspgo_error e;
    t_table t;
    size_t size, want_size, got_size;
    snprintf(table, sizeof table, "data/generate/tables/%s.probe.tsv", g->program);
    snprintf(counters, sizeof counters, "data/generate/%s.unsym", g->counters);
    snprintf(want_path, sizeof want_path, "data/generate/out/%s.txt", g->profile);
    in = t_file(counters, &size);
    want = t_file(want_path, &want_size);
    T_EQ(t_table_load(&t, table, NULL), CSSPGO_OK);
    c = llvm_collector(t.code, &g->collect, NULL);
    how.module = t.module;
    how.base = t.base;
    counters_of(c, &how, in);
    T_EQ(csspgo_collector_profile(c, &g->make, p, NULL, &e), CSSPGO_OK);
    got = text_of(p, &got_size);
    t_same(want_path, got, got_size, want, want_size);
    T_EQ(csspgo_profile_flags(p), CSSPGO_IS_PROBE | (want[0] == '[' ? CSSPGO_IS_CS : 0));
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    t_table_free(&t);
    free(got);
    free(want);
    free(in);
}

static void recorded_outputs_are_llvm_s(void)
{
    static const char *const program[] = { "tiny", "demo", "tail", "mix" };
    static const char *const profile[] = { "flat-all", "noinfer", "nocompress", "depth2", "nocs", "nocs-fill" };
    size_t i, k;
    golden g;
    for (i = 0; i < 4; i++)
        for (k = 0; k < 6; k++) {
            char counters[64], want[64];
            if (i == 3 && (k == 1 || k == 2)) continue;               /* not recorded for mix */
            snprintf(counters, sizeof counters, "out/%s.%s", program[i],
                     k == 2 ? "cs.nocompress" : k == 3 ? "cs.depth2" : k >= 4 ? "nocs" : "cs");
            snprintf(want, sizeof want, "%s.%s", program[i], profile[k]);
            g = golden_of(program[i], counters, want);
            check_golden(&g);
        }
    g = golden_of("tiny", "not-entry", "not-entry");
    check_golden(&g);
}

/* ----- code made by hand, without a module ----- */

typedef struct script_text {
    char  *data;
    size_t size, cap;
} script_text;

static void text_add(script_text *t, const char *line)
{
    const size_t n = strlen(line);
    if (t->size + n + 1 > t->cap) {
        t->cap = 2 * t->cap + n + 1;
        t->data = (char *)realloc(t->data, t->cap);
        if (t->data == NULL) abort();
    }
    memcpy(t->data + t->size, line, n + 1);
    t->size += n;
}

typedef struct lab {
    csspgo_code      *code;
    csspgo_collector *c;
    csspgo_profile   *p;
    csspgo_inline_node *node;
    csspgo_probe     *probe;
    size_t            nodes, probes;
    csspgo_generate_options make;
    csspgo_generate_stats   stats;
} lab;

/* how, o: of the collector, or NULL. */
static void lab_open(lab *l, const csspgo_collector_options *how, const csspgo_options *o)
{
    memset(l, 0, sizeof *l);
    l->code = csspgo_code_new(NULL, NULL);
    l->c = llvm_collector(l->code, how, o);
    l->p = csspgo_profile_new(o, NULL);
    if (l->code == NULL || l->c == NULL || l->p == NULL) abort();
}

static void lab_close(lab *l)
{
    csspgo_profile_free(l->p);
    csspgo_collector_free(l->c);
    csspgo_code_free(l->code);
    free(l->node);
    free(l->probe);
}

static csspgo_module no_module(void)
{
    csspgo_module m;
    m.id = 0;
    return m;
}

static void lab_function(lab *l, uint64_t begin, uint64_t size, const char *name, uint32_t part)
{
    csspgo_code_function f = make_function(begin, begin + size, name);
    f.fragment = part;
    T_EQ(csspgo_code_add_function(l->code, no_module(), &f, NULL), CSSPGO_OK);
}

static void lab_transfer(lab *l, uint64_t address, uint32_t size, csspgo_transfer_kind kind, uint64_t target)
{
    const csspgo_transfer t = make_transfer(address, size, kind, target);
    T_EQ(csspgo_code_add_transfers(l->code, no_module(), &t, 1, NULL), CSSPGO_OK);
}

/* An inline node: name inlined at site of parent, or (parent 0) a function's own body. */
static uint32_t lab_node(lab *l, uint32_t parent, uint32_t site, const char *name)
{
    l->node = (csspgo_inline_node *)t_list_more(l->node, l->nodes, sizeof *l->node);
    l->node[l->nodes].guid = csspgo_guid(name, strlen(name));
    l->node[l->nodes].parent = parent;
    l->node[l->nodes].site = site;
    return (uint32_t)++l->nodes;
}

static csspgo_probe *lab_probe(lab *l, uint32_t node, uint32_t id, uint64_t address)
{
    csspgo_probe p;
    memset(&p, 0, sizeof p);
    p.address = address;
    p.id = id;
    p.inline_node = node;
    l->probe = (csspgo_probe *)t_list_more(l->probe, l->probes, sizeof *l->probe);
    l->probe[l->probes] = p;
    return &l->probe[l->probes++];
}

static void lab_call(lab *l, uint32_t node, uint32_t id, uint64_t address)
{
    lab_probe(l, node, id, address)->kind = CSSPGO_PROBE_DIRECT_CALL;
}

/* Names without a function of their own. */
static void lab_name(lab *l, const char *name, uint64_t checksum)
{
    csspgo_descriptor d;
    d.name = name;
    d.name_size = strlen(name);
    d.guid = csspgo_guid(name, d.name_size);
    d.checksum = checksum;
    T_EQ(csspgo_code_add_descriptors(l->code, &d, 1, NULL), CSSPGO_OK);
}

static void lab_ready(lab *l)
{
    T_EQ(csspgo_code_add_probes(l->code, no_module(), l->node, l->nodes, l->probe, l->probes, NULL), CSSPGO_OK);
}

static void lab_counters(lab *l, const char *text)
{
    csspgo_unsymbolized_options how;
    how.module = no_module();
    how.base = 0;
    counters_of(l->c, &how, text);
}

static void lab_profile(lab *l)
{
    csspgo_error e;
    T_EQ(csspgo_collector_profile(l->c, &l->make, l->p, &l->stats, &e), CSSPGO_OK);
    T_EQ(e.status, CSSPGO_OK);
}

/* Profiles; the text must be what is wanted, lines of unknown checksums apart. */
static void lab_gives(lab *l, const char *what, const char *want)
{
    size_t size;
    char *text, *line, *end;
    lab_profile(l);
    text = text_of(l->p, &size);
    while ((end = strstr(text, "!CFGChecksum: 0\n")) != NULL) {
        for (line = end; line != text && line[-1] != '\n'; line--) {}
        memmove(line, strchr(end, '\n') + 1, strlen(strchr(end, '\n')));
    }
    t_same(what, text, strlen(text), want, strlen(want));
    free(text);
}

/* f (0x1000): blocks 1, 2 (two copies), 3, a call 4. */
static void lab_open_f(lab *l, const csspgo_options *o)
{
    uint32_t f;
    lab_open(l, NULL, o);
    lab_function(l, 0x1000, 0x100, "f", 0);
    f = lab_node(l, 0, 0, "f");
    lab_probe(l, f, 1, 0x1000);
    lab_probe(l, f, 2, 0x1010);
    lab_call(l, f, 4, 0x1018);
    lab_probe(l, f, 2, 0x1020);
    lab_probe(l, f, 3, 0x1080);
    lab_ready(l);
}

/* ----- rules ----- */

static void copies_of_a_block_add_up_and_the_rest_is_zero(void)
{
    lab l;
    lab_open_f(&l, NULL);
    lab_counters(&l, "[]\n1\n1000-1020:5\n0\n");
    lab_gives(&l, "contexts: calls do not count by ranges", "[f]:15:5\n 1: 5\n 2: 10\n 3: 0\n 4: 0\n");
    T_EQ(csspgo_profile_flags(l.p), CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    lab_close(&l);
    lab_open_f(&l, NULL);
    lab_counters(&l, "1\n1000-1020:5\n0\n");
    lab_gives(&l, "context-less: they do", "f:20:5\n 1: 5\n 2: 10\n 3: 0\n 4: 5\n");
    T_EQ(csspgo_profile_flags(l.p), CSSPGO_IS_PROBE);
    lab_close(&l);
}

static void a_count_is_the_sum_of_the_ranges_around_it(void)
{
    static const uint32_t address[] = { 0x10, 0x20, 0x21, 0x2f, 0x30, 0x40, 0x41, 0x4f, 0x50,
                                        0x51, 0x60, 0x61, 0x80, 0x90, 0x98, 0x99, 0xa0, 0xa1 };
    static const char counters[] = "8\n1010-1020:100\n1010-1040:200\n1020-1021:1000\n1030-1050:7\n1050-1060:3\n"
                                   "1080-1080:5\n1090-1098:4\n1090-10a0:0\n0\n";
    static const char counts[] = " 1: 300\n 2: 1300\n 3: 1200\n 4: 200\n 5: 207\n 6: 207\n 7: 7\n 8: 7\n 9: 10\n"
                                 " 10: 3\n 11: 3\n 12: 0\n 13: 5\n 14: 4\n 15: 4\n 16: 0\n 17: 0\n 18: 0\n";
    char text[512], want[512];
    uint32_t i, contexts, f;
    for (contexts = 0; contexts < 2; contexts++) {
        lab l;
        lab_open(&l, NULL, NULL);
        lab_function(&l, 0x1000, 0x100, "f", 0);
        f = lab_node(&l, 0, 0, "f");
        for (i = 0; i < sizeof address / sizeof *address; i++) lab_probe(&l, f, i + 1, 0x1000 + address[i]);
        lab_ready(&l);
        snprintf(text, sizeof text, "%s%s", contexts ? "[]\n" : "", counters);
        snprintf(want, sizeof want, "%s:3457:300\n%s", contexts ? "[f]" : "f", counts);
        lab_counters(&l, text);
        lab_gives(&l, "disjoint", want);
        lab_close(&l);
    }
}

static void sums_saturate_and_come_back(void)
{
    static const char counters[] = "3\n1000-1010:9223372036854775808\n1000-1020:9223372036854775813\n1000-1030:7\n0\n";
    char text[256], want[256];
    int contexts;
    for (contexts = 0; contexts < 2; contexts++) {
        lab l;
        uint32_t f;
        lab_open(&l, NULL, NULL);
        lab_function(&l, 0x1000, 0x100, "f", 0);
        f = lab_node(&l, 0, 0, "f");
        lab_probe(&l, f, 1, 0x1000);
        lab_probe(&l, f, 2, 0x1015);
        lab_probe(&l, f, 3, 0x1025);
        lab_ready(&l);
        snprintf(text, sizeof text, "%s%s", contexts ? "[]\n" : "", counters);
        snprintf(want, sizeof want, "%s:18446744073709551615:18446744073709551615\n 1: 18446744073709551615\n"
                 " 2: 9223372036854775820\n 3: 7\n", contexts ? "[f]" : "f");
        lab_counters(&l, text);
        lab_gives(&l, "saturated", want);
        lab_close(&l);
    }
}

static void a_probe_that_is_no_instruction_never_counts(void)
{
    static const unsigned char bytes[] = { 0x48, 0xff, 0xc0, 0x48, 0xff, 0xc0, 0xc3 };   /* inc, inc, ret */
    int contexts;
    for (contexts = 0; contexts < 2; contexts++) {
        lab l;
        uint32_t f;
        lab_open(&l, NULL, NULL);
        T_EQ(add_code(l.code, no_module(), 0x1000, bytes, sizeof bytes, NULL), CSSPGO_OK);
        lab_function(&l, 0x1000, sizeof bytes, "f", 0);
        f = lab_node(&l, 0, 0, "f");
        lab_probe(&l, f, 1, 0x1000);
        lab_probe(&l, f, 2, 0x1001);
        lab_probe(&l, f, 3, 0x1003);
        lab_probe(&l, f, 4, 0x9000);
        lab_ready(&l);
        lab_counters(&l, contexts ? "[]\n1\n1000-1003:2\n0\n" : "1\n1000-1003:2\n0\n");
        lab_gives(&l, "between instructions, or in no known code",
                  contexts ? "[f]:4:2\n 1: 2\n 2: 0\n 3: 2\n 4: 0\n" : "f:4:2\n 1: 2\n 3: 2\n");
        lab_close(&l);
    }
}

/* f; g inlined in it at call site g_site; h inlined in g at call site 2. */
static void lab_open_inlined(lab *l, uint32_t g_site)
{
    uint32_t f, g, h;
    lab_open(l, NULL, NULL);
    lab_function(l, 0x1000, 0x100, "f", 0);
    lab_name(l, "f", 77);
    lab_name(l, "g", 88);
    lab_name(l, "h", 0);
    f = lab_node(l, 0, 0, "f");
    g = lab_node(l, f, g_site, "g");
    h = lab_node(l, g, 2, "h");
    lab_probe(l, f, 1, 0x1000);
    lab_probe(l, f, 2, 0x1010);
    lab_probe(l, g, 1, 0x1020);
    lab_probe(l, h, 1, 0x1028);
    lab_probe(l, h, 2, 0x1030);
    lab_ready(l);
}

static void an_inlined_entry_is_a_call_in_its_caller(void)
{
    lab l;
    lab_open_inlined(&l, 3);
    lab_counters(&l, "[]\n1\n1020-1030:4\n0\n");
    lab_gives(&l, "inlined twice",
              "[f:3 @ g]:8:4\n 1: 4\n 2: 4 h:4\n !CFGChecksum: 88\n !Attributes: 1\n"
              "[f:3 @ g:2 @ h]:8:4\n 1: 4\n 2: 4\n !Attributes: 1\n"
              "[f]:4:0\n 3: 4 g:4\n !CFGChecksum: 77\n");
    lab_close(&l);
    lab_open_inlined(&l, 3);
    lab_counters(&l, "[]\n1\n1028-1030:4\n0\n");
    lab_gives(&l, "a caller that only called gets no zeros and no attribute",
              "[f:3 @ g:2 @ h]:8:4\n 1: 4\n 2: 4\n !Attributes: 1\n[f:3 @ g]:4:0\n 2: 4 h:4\n !CFGChecksum: 88\n");
    lab_close(&l);
}

static void an_inlined_call_makes_an_inlined_record(void)
{
    lab l;
    uint32_t g;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "f", 0);
    lab_name(&l, "g", 0);
    g = lab_node(&l, lab_node(&l, 0, 0, "f"), 3, "g");
    lab_call(&l, g, 2, 0x1010);
    lab_probe(&l, g, 1, 0x1010);
    lab_ready(&l);
    lab_counters(&l, "[]\n0\n1\n1010->1000:5\n");
    lab_gives(&l, "no zeros", "[f:3 @ g]:5:0\n 2: 5 f:5\n !Attributes: 1\n");
    lab_close(&l);
}

static void inlinees_are_nested_without_contexts(void)
{
    lab l;
    lab_open_inlined(&l, 3);
    lab_counters(&l, "1\n1010-1028:4\n0\n");
    lab_gives(&l, "totals with inlinees, zeros for the whole function",
              "f:12:0\n 1: 0\n 2: 4\n 3: g:8\n  1: 4\n  2: h:4\n   1: 4\n   2: 0\n  !CFGChecksum: 88\n"
              " !CFGChecksum: 77\n");
    T_EQ(csspgo_head(l.p, csspgo_find(l.p, "f:3 @ g")), 4);
    lab_close(&l);
}

static void an_unknown_call_site_drops_the_frames_outside(void)
{
    lab l;
    uint32_t site;
    for (site = 0; site <= 65536; site += 65536) {
        lab_open_inlined(&l, site);
        lab_counters(&l, "[]\n1\n1020-1028:4\n0\n");
        lab_gives(&l, "unknown site, contexts",
                  "[g]:8:4\n 1: 4\n 2: 4 h:4\n !CFGChecksum: 88\n !Attributes: 1\n"
                  "[g:2 @ h]:4:4\n 1: 4\n 2: 0\n !Attributes: 1\n");
        T_CHECK(l.stats.unknown_sites != 0);
        lab_close(&l);
        lab_open_inlined(&l, site);
        lab_counters(&l, "1\n1020-1028:4\n0\n");
        lab_gives(&l, "unknown site, context-less",
                  "g:8:4\n 1: 4\n 2: h:4\n  1: 4\n  2: 0\n !CFGChecksum: 88\nf:0:0\n 1: 0\n 2: 0\n !CFGChecksum: 77\n");
        T_CHECK(l.stats.unknown_sites != 0);
        lab_close(&l);
    }
}

static void an_unknown_call_site_drops_the_caller_too(void)
{
    lab l;
    uint32_t f, g, h;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "f", 0);
    lab_function(&l, 0x2000, 0x100, "g", 0);
    lab_name(&l, "h", 0);
    f = lab_node(&l, 0, 0, "f");
    g = lab_node(&l, 0, 0, "g");
    h = lab_node(&l, g, 0, "h");
    lab_call(&l, f, 2, 0x1010);
    lab_probe(&l, g, 1, 0x2000);
    lab_probe(&l, h, 1, 0x2010);
    lab_ready(&l);
    lab_counters(&l, "[0x1010]\n1\n2000-2010:3\n0\n");
    lab_gives(&l, "caller", "[f:2 @ g]:3:3\n 1: 3\n[h]:3:3\n 1: 3\n !Attributes: 1\n");
    T_EQ(l.stats.unknown_sites, 1);
    lab_close(&l);
}

static void each_call_of_a_function_is_a_context_of_its_own(void)
{
    lab l;
    uint32_t f, g, h;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "f", 0);
    lab_function(&l, 0x2000, 0x100, "g", 0);
    lab_name(&l, "h", 0);
    f = lab_node(&l, 0, 0, "f");
    g = lab_node(&l, 0, 0, "g");
    h = lab_node(&l, g, 5, "h");
    lab_call(&l, f, 2, 0x1010);
    lab_call(&l, f, 3, 0x1020);
    lab_probe(&l, h, 2, 0x2000);
    lab_probe(&l, g, 2, 0x2010);
    lab_ready(&l);
    lab_counters(&l, "[0x1010]\n1\n2000-2010:3\n0\n[0x1020]\n1\n2000-2010:4\n0\n");
    lab_gives(&l, "two calls",
              "[f:3 @ g]:4:0\n 2: 4\n[f:3 @ g:5 @ h]:4:0\n 2: 4\n !Attributes: 1\n"
              "[f:2 @ g]:3:0\n 2: 3\n[f:2 @ g:5 @ h]:3:0\n 2: 3\n !Attributes: 1\n");
    lab_close(&l);
}

/* A function's code may have several top-level records: outlined parts, inlined code that lost its callers. */
static void records_of_one_function_are_added_up(void)
{
    int contexts;
    for (contexts = 0; contexts < 2; contexts++) {
        lab l;
        uint32_t a, b;
        lab_open(&l, NULL, NULL);
        lab_function(&l, 0x1000, 0x100, "f", 0);
        a = lab_node(&l, 0, 0, "f");
        b = lab_node(&l, 0, 0, "f");
        lab_probe(&l, a, 1, 0x1000);
        lab_probe(&l, a, 3, 0x1010);
        lab_probe(&l, a, 7, 0x1010);
        lab_probe(&l, b, 2, 0x1020);
        lab_probe(&l, b, 3, 0x1020);
        lab_probe(&l, b, 9, 0x1020);
        lab_ready(&l);
        lab_counters(&l, contexts ? "[]\n1\n1000-1020:3\n0\n" : "1\n1000-1020:3\n0\n");
        lab_gives(&l, "two records", contexts ? "[f]:18:3\n 1: 3\n 2: 3\n 3: 6\n 7: 3\n 9: 3\n"
                                              : "f:18:3\n 1: 3\n 2: 3\n 3: 6\n 7: 3\n 9: 3\n");
        lab_close(&l);
    }
}

static void a_call_without_probe_hides_its_callers(void)
{
    lab l;
    uint32_t f, g, h;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "f", 0);
    lab_function(&l, 0x2000, 0x100, "g", 0);
    lab_function(&l, 0x3000, 0x100, "h", 0);
    f = lab_node(&l, 0, 0, "f");
    g = lab_node(&l, 0, 0, "g");
    h = lab_node(&l, 0, 0, "h");
    lab_call(&l, f, 2, 0x1010);
    lab_probe(&l, g, 1, 0x2000);
    lab_call(&l, g, 3, 0x2020);
    lab_probe(&l, h, 1, 0x3000);
    lab_ready(&l);
    lab_counters(&l, "[0x1010]\n1\n2000-2010:3\n0\n[0x1010 @ 0x2010]\n1\n3000-3000:5\n0\n"
                     "[0x1010 @ 0x2010 @ 0x2020]\n1\n3000-3000:7\n0\n");
    lab_gives(&l, "cut", "[g:3 @ h]:7:7\n 1: 7\n[h]:5:5\n 1: 5\n[f:2 @ g]:3:3\n 1: 3\n 3: 0\n");
    T_EQ(l.stats.unprobed_calls, 1);
    lab_close(&l);
}

static void callees_are_entries_by_their_canonical_names(void)
{
    lab l;
    uint32_t f;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "f", 0);
    lab_function(&l, 0x2000, 0x10, "plain", 0);
    lab_function(&l, 0x3000, 0x10, "x.llvm.123", 0);
    lab_function(&l, 0x4000, 0x10, "y.part.7", 0);
    lab_function(&l, 0x5000, 0x10, "z.__uniq.55", 0);
    lab_function(&l, 0x6000, 0x10, "w.part.1.llvm.9", 0);
    lab_function(&l, 0x7000, 0x10, "plain", 1);
    lab_function(&l, 0x8000, 0x10, ".llvm.1", 0);
    lab_function(&l, 0x9000, 0x10, "v.llvm.1.llvm.2.cold", 0);
    f = lab_node(&l, 0, 0, "f");
    lab_call(&l, f, 2, 0x1010);
    lab_call(&l, f, 3, 0x1010);
    lab_ready(&l);
    lab_counters(&l, "[]\n0\n10\n1010->2000:1\n1010->3000:2\n1010->4000:3\n1010->5000:4\n1010->6000:5\n1010->7000:6\n"
                     "1010->2004:7\n1010->8000:8\n1010->9000:9\n1014->2000:99\n");
    lab_gives(&l, "further ranges, labels, and branches without a call probe name nobody",
              "[f]:45:0\n 2: 45 v.llvm.1.llvm.2.cold:9 w:5 z.__uniq.55:4 y:3 x:2 plain:1\n");
    lab_close(&l);
}

static void start_up_functions_have_no_record(void)
{
    int contexts;
    for (contexts = 0; contexts < 3; contexts++) {
        lab l;
        uint32_t f, g, h;
        lab_open(&l, NULL, NULL);
        lab_function(&l, 0x1000, 0x100, "f", 0);
        l.make.fill_all_functions = contexts == 2;    /* nor zeros */
        lab_name(&l, "__cxx_global_var_init.4", 0);
        lab_name(&l, "h", 0);
        f = lab_node(&l, 0, 0, "f");
        g = lab_node(&l, f, 3, "__cxx_global_var_init.4");
        h = lab_node(&l, g, 2, "h");
        lab_probe(&l, f, 1, 0x1000);
        lab_probe(&l, g, 1, 0x1020);
        lab_probe(&l, h, 1, 0x1028);
        lab_function(&l, 0x2000, 0x10, "__tls_init", 0);
        lab_call(&l, f, 7, 0x1004);
        lab_probe(&l, lab_node(&l, 0, 0, "__tls_init"), 1, 0x2000);
        lab_call(&l, (uint32_t)l.nodes, 2, 0x2004);
        lab_ready(&l);
        lab_counters(&l, contexts ? "[]\n2\n1000-1030:4\n2000-2008:1\n2\n1004->2000:1\n2004->1000:1\n"
                                  : "2\n1000-1030:4\n2000-2008:1\n2\n1004->2000:1\n2004->1000:1\n");
        lab_gives(&l, "left out",
                  contexts ? "[f]:9:4\n 1: 4\n 3: 4 __cxx_global_var_init.4:4\n 7: 1 __tls_init:1\n"
                             "[f:3 @ __cxx_global_var_init.4:2 @ h]:4:4\n 1: 4\n !Attributes: 1\n"
                           : "f:16:4\n 1: 4\n 7: 4 __tls_init:1\n");
        lab_close(&l);
    }
}

static void functions_may_have_guids_only(void)
{
    csspgo_code_function fn;
    csspgo_inline_node in;
    csspgo_probe probe;
    csspgo_node n;
    lab l;
    lab_open(&l, NULL, NULL);
    memset(&fn, 0, sizeof fn);
    memset(&in, 0, sizeof in);
    memset(&probe, 0, sizeof probe);
    fn.begin = 0x1000;
    fn.end = 0x1010;
    fn.guid = in.guid = 1234567;
    fn.checksum = 9;
    probe.address = 0x1000;
    probe.id = probe.inline_node = 1;
    T_EQ(csspgo_code_add_function(l.code, no_module(), &fn, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_probes(l.code, no_module(), &in, 1, &probe, 1, NULL), CSSPGO_OK);
    lab_counters(&l, "[]\n1\n1000-1008:6\n1\n1008->1000:6\n");
    lab_profile(&l);
    n = csspgo_node_first_child(l.p, csspgo_root(l.p));
    T_EQ(csspgo_func_guid(l.p, csspgo_node_func(l.p, n)), 1234567);
    T_EQ(csspgo_body_count(l.p, n, csspgo_loc_at(1, 0)), 6);
    T_EQ(csspgo_checksum(l.p, n), 9);
    lab_close(&l);
}

static void ids_and_discriminators_are_kept_up_to_16_bits(void)
{
    lab l;
    uint32_t f;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "f", 0);
    f = lab_node(&l, 0, 0, "f");
    lab_probe(&l, f, 65536, 0x1000);
    lab_probe(&l, f, 0, 0x1000);
    lab_probe(&l, f, 65535, 0x1000);
    lab_probe(&l, f, 5, 0x1000)->discriminator = 7;
    lab_probe(&l, f, 5, 0x1000);
    lab_probe(&l, f, 1, 0x1000)->discriminator = 2;
    lab_probe(&l, f, 1, 0x1000);
    lab_call(&l, f, 65537, 0x1010);
    lab_ready(&l);
    lab_counters(&l, "[]\n1\n1000-1008:6\n1\n1010->1000:6\n");
    lab_gives(&l, "ids", "[f]:30:12\n 1: 6\n 1.2: 6\n 5: 6\n 5.7: 6\n 65535: 6\n");
    lab_close(&l);
}

/* a calls b, which tail-calls c, which tail-calls d; from e there are two ways to d. */
static void lab_open_tails(lab *l)
{
    static const char *const name[] = { "a", "b", "c", "d", "e" };
    uint32_t i;
    lab_open(l, NULL, NULL);
    for (i = 0; i < 5; i++) {
        const uint64_t at = 0x1000 * (i + 1);
        const uint32_t n = lab_node(l, 0, 0, name[i]);
        lab_function(l, at, 0x100, name[i], 0);
        lab_probe(l, n, 1, at);
        lab_call(l, n, 2, at + 0x10);
        lab_call(l, n, 3, at + 0x20);
    }
    lab_transfer(l, 0x1010, 5, CSSPGO_CALL, 0x2000);
    lab_transfer(l, 0x1020, 5, CSSPGO_CALL, 0);
    lab_transfer(l, 0x2010, 5, CSSPGO_JMP, 0x3000);
    lab_transfer(l, 0x3010, 5, CSSPGO_IJMP, 0);
    lab_transfer(l, 0x5010, 5, CSSPGO_JMP, 0x4000);
    lab_transfer(l, 0x5020, 5, CSSPGO_JMP, 0x3000);
    lab_ready(l);
}

#define TAIL_BRANCHES "[]\n0\n5\n1010->2000:1\n1020->5000:1\n2010->3000:1\n3010->4000:1\n5010->4000:1\n"

static void one_chain_of_tail_calls_is_inferred(void)
{
    lab l;
    lab_open_tails(&l);
    lab_counters(&l, TAIL_BRANCHES "[0x1010]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ b:2 @ c:2 @ d")), 9);
    T_EQ(l.stats.inferred, 1);
    T_EQ(l.stats.ambiguous, 0);
    lab_close(&l);

    lab_open_tails(&l);
    l.make.no_inference = 1;
    lab_counters(&l, TAIL_BRANCHES "[0x1010]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ d")), 9);
    T_EQ(l.stats.inferred, 0);
    lab_close(&l);

    lab_open_tails(&l);
    l.make.max_search_depth = 1;
    lab_counters(&l, TAIL_BRANCHES "[0x1010]\n2\n3000-3008:4\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ d")), 9);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ b:2 @ c")), 4);
    lab_close(&l);
}

static void one_tail_call_in_two_contexts_is_one(void)
{
    lab l;
    lab_open_tails(&l);
    lab_counters(&l, TAIL_BRANCHES "[0x1010]\n1\n4000-4008:9\n2\n2010->3000:1\n3010->4000:1\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ b:2 @ c:2 @ d")), 9);
    lab_close(&l);
}

static void more_than_one_chain_is_not(void)
{
    lab l;
    lab_open_tails(&l);
    lab_counters(&l, TAIL_BRANCHES "[]\n0\n1\n5020->3000:1\n[0x1020]\n1\n4000-4008:9\n0\n"
                                   "[0x1010]\n1\n2000-2008:3\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:3 @ d")), 9);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ b")), 3);
    T_EQ(l.stats.inferred, 0);
    T_EQ(l.stats.ambiguous, 1);
    lab_close(&l);

    lab_open_tails(&l);                               /* without the second way there is one */
    lab_counters(&l, TAIL_BRANCHES "[0x1020]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:3 @ e:2 @ d")), 9);
    lab_close(&l);

    lab_open_tails(&l);                               /* two calls of one function are two ways */
    lab_counters(&l, TAIL_BRANCHES "[]\n0\n1\n5020->4000:1\n");
    T_EQ(csspgo_code_add_transfers(l.code, no_module(), NULL, 0, NULL), CSSPGO_OK);
    lab_counters(&l, "[0x1020]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:3 @ d")), 9);
    lab_close(&l);
}

static void a_cycle_of_tail_calls_is_no_second_chain(void)
{
    lab l;
    lab_open_tails(&l);                               /* c, too, tail-calls b */
    lab_counters(&l, TAIL_BRANCHES "[]\n0\n1\n3010->2000:1\n[0x1010]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ b:2 @ c:2 @ d")), 9);
    lab_close(&l);
}

static void a_call_that_was_not_sampled_tells_nothing(void)
{
    lab l;
    lab_open_tails(&l);
    lab_counters(&l, "[]\n0\n3\n1010->2000:1\n2010->3000:1\n3010->4000:1\n[0x1020]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:3 @ d")), 9);
    T_EQ(l.stats.inferred + l.stats.ambiguous, 0);
    lab_close(&l);
    lab_open_tails(&l);                               /* nor does one, if there is no other call at all */
    lab_counters(&l, "[]\n0\n1\n3010->4000:1\n[0x1020]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:3 @ d")), 9);
    lab_close(&l);
}

/* A range of one instruction, a call, is no call of the function that it is in, which tail-calls b. */
static void ranges_are_no_calls(void)
{
    int sampled;
    for (sampled = 0; sampled < 2; sampled++) {
        lab l;
        lab_open_tails(&l);
        lab_transfer(&l, 0x1030, 5, CSSPGO_JMP, 0x2000);
        lab_counters(&l, "[]\n1\n1020-1020:5\n4\n1010->2000:1\n1030->2000:1\n2010->3000:1\n3010->4000:1\n"
                         "[0x1020]\n1\n4000-4008:9\n0\n");
        if (sampled) lab_counters(&l, "[]\n0\n1\n1020->2000:1\n");
        lab_profile(&l);
        T_EQ(csspgo_total(l.p, csspgo_find(l.p, sampled ? "a:3 @ b:2 @ c:2 @ d" : "a:3 @ d")), 9);
        T_EQ(l.stats.inferred, sampled);
        T_EQ(l.stats.ambiguous, 0);
        lab_close(&l);
    }
}

static void returns_and_conditional_branches_are_no_tail_calls(void)
{
    lab l;
    lab_open_tails(&l);
    lab_transfer(&l, 0x4018, 1, CSSPGO_RET, 0);
    lab_transfer(&l, 0x4028, 2, CSSPGO_COND, 0x1000);
    lab_counters(&l, TAIL_BRANCHES "[]\n0\n2\n4018->1000:1\n4028->1000:1\n[0x1010]\n1\n1000-1008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ a")), 9);
    T_EQ(l.stats.inferred + l.stats.ambiguous, 0);
    lab_close(&l);
}

static void a_callee_of_the_call_needs_no_inference(void)
{
    lab l;
    lab_open_tails(&l);
    lab_counters(&l, TAIL_BRANCHES "[]\n0\n1\n1010->4000:1\n[0x1010]\n1\n4000-4008:9\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "a:2 @ d")), 9);
    T_EQ(l.stats.inferred + l.stats.ambiguous, 0);
    lab_close(&l);
}

/* The code of d, inlined in c, lies in c's range and in e's: what is found in c has been tail-called from b. */
static void one_copy_may_be_in_two_contexts_of_a_key(void)
{
    lab l;
    uint32_t d;
    lab_open_tails(&l);
    l.nodes = l.probes = 0;
    d = lab_node(&l, lab_node(&l, 0, 0, "c"), 7, "d");
    lab_probe(&l, d, 1, 0x3008);
    lab_probe(&l, d, 2, 0x3018);
    lab_probe(&l, d, 3, 0x5018);
    lab_ready(&l);
    l.make.no_inference = 0;
    lab_counters(&l, "[]\n0\n2\n1010->2000:1\n2010->3000:1\n[0x1010]\n3\n3008-3018:9\n3050-3060:1\n5018-5018:5\n0\n");
    lab_gives(&l, "both",
              "[a:2 @ b:2 @ c:7 @ d]:18:9\n 1: 9\n 2: 9\n 3: 0\n !Attributes: 1\n"
              "[a:2 @ b:2 @ c]:9:0\n 7: 9 d:9\n"
              "[a:2 @ c:7 @ d]:5:0\n 1: 0\n 2: 0\n 3: 5\n !Attributes: 1\n"
              "[a]:1:0\n 2: 1 b:1\n[b]:1:0\n 2: 1 c:1\n");
    lab_close(&l);

    lab_open_tails(&l);                               /* the other order */
    l.nodes = l.probes = 0;
    d = lab_node(&l, lab_node(&l, 0, 0, "c"), 7, "d");
    lab_probe(&l, d, 3, 0x2018);
    lab_probe(&l, d, 1, 0x3008);
    lab_probe(&l, d, 2, 0x3018);
    lab_ready(&l);
    lab_counters(&l, "[]\n0\n2\n1010->2000:1\n2010->3000:1\n[0x1010]\n2\n2018-2018:5\n3008-3018:9\n0\n");
    lab_gives(&l, "both",
              "[a:2 @ b:2 @ c:7 @ d]:18:9\n 1: 9\n 2: 9\n 3: 0\n !Attributes: 1\n"
              "[a:2 @ b:2 @ c]:9:0\n 7: 9 d:9\n"
              "[a:2 @ c:7 @ d]:5:0\n 1: 0\n 2: 0\n 3: 5\n !Attributes: 1\n"
              "[a]:1:0\n 2: 1 b:1\n[b]:1:0\n 2: 1 c:1\n");
    lab_close(&l);
}

/* The same, there and back more often than there are inline nodes. */
static void one_copy_may_change_its_context_often(void)
{
    char line[64];
    script_text t;
    uint32_t d, i;
    lab l;
    memset(&t, 0, sizeof t);
    lab_open_tails(&l);
    l.nodes = l.probes = 0;
    d = lab_node(&l, lab_node(&l, 0, 0, "c"), 7, "d");
    lab_probe(&l, d, 9, 0x3000);
    text_add(&t, "[]\n0\n2\n1010->2000:1\n2010->3000:1\n[0x1010]\n20\n");
    for (i = 0; i < 20; i++) {
        const uint32_t at = 0x8000 + 0x10 * i;
        lab_function(&l, at, 0x10, i % 2 ? "c" : "e", 0);
        lab_probe(&l, d, 1, at);
        snprintf(line, sizeof line, "%x-%x:1\n", at, at);
        text_add(&t, line);
    }
    text_add(&t, "0\n");
    lab_ready(&l);
    lab_counters(&l, t.data);
    lab_gives(&l, "both",
              "[a:2 @ b:2 @ c]:10:0\n 7: 10 d:10\n"
              "[a:2 @ b:2 @ c:7 @ d]:10:10\n 1: 10\n 9: 0\n !Attributes: 1\n"
              "[a:2 @ c]:10:0\n 7: 10 d:10\n"
              "[a:2 @ c:7 @ d]:10:10\n 1: 10\n 9: 0\n !Attributes: 1\n"
              "[a]:1:0\n 2: 1 b:1\n[b]:1:0\n 2: 1 c:1\n");
    lab_close(&l);
    free(t.data);
}

/* A module's jump is what its code says: here it stays in its function, whatever the record says. */
static void a_direct_jump_goes_where_the_code_says(void)
{
    static const unsigned char a[] = { 0xe8, 0xfb, 0x0f, 0x00, 0x00, 0xc3 };          /* 1000: call 2000; ret      */
    static const unsigned char local[] = { 0xeb, 0x00, 0xc3 };                         /* 2000: jmp 2002; ret       */
    static const unsigned char away[] = { 0xe9, 0xfb, 0x0f, 0x00, 0x00, 0xc3 };        /* 2000: jmp 3000; ret       */
    static const unsigned char c[] = { 0x90, 0x90, 0xc3 };
    csspgo_unsymbolized_options how;
    csspgo_segment segment;
    int tail, i;
    for (tail = 0; tail < 2; tail++) {
        static const char *const name[] = { "a", "b", "c" };
        csspgo_module m;
        lab l;
        lab_open(&l, NULL, NULL);
        memset(&segment, 0, sizeof segment);
        segment.address = 0x1000;
        segment.size = 0x3000;
        segment.executable = 1;
        how.module = m = csspgo_code_add_module(l.code, "m", 1, &segment, 1, NULL);
        how.base = 0;
        T_EQ(add_code(l.code, m, 0x1000, a, sizeof a, NULL), CSSPGO_OK);
        T_EQ(add_code(l.code, m, 0x2000, tail ? away : local, tail ? sizeof away : sizeof local, NULL), CSSPGO_OK);
        T_EQ(add_code(l.code, m, 0x3000, c, sizeof c, NULL), CSSPGO_OK);
        for (i = 0; i < 3; i++) {
            csspgo_code_function f;
            memset(&f, 0, sizeof f);
            f.begin = 0x1000 * (uint64_t)(i + 1);
            f.end = f.begin + 3;
            f.name = name[i];
            f.name_size = 1;
            T_EQ(csspgo_code_add_function(l.code, m, &f, NULL), CSSPGO_OK);
            lab_call(&l, lab_node(&l, 0, 0, name[i]), 2, f.begin);
        }
        lab_probe(&l, 3, 1, 0x3000);
        T_EQ(csspgo_code_add_probes(l.code, m, l.node, l.nodes, l.probe, l.probes, NULL), CSSPGO_OK);
        counters_of(l.c, &how, "[]\n0\n2\n1000->2000:1\n2000->3000:1\n[0x1000]\n1\n3000-3001:9\n0\n");
        lab_profile(&l);
        T_EQ(csspgo_total(l.p, csspgo_find(l.p, tail ? "a:2 @ b:2 @ c" : "a:2 @ c")), 9);
        lab_close(&l);
    }
}

/*
 * main calls hub, which tail-calls the n members of a clique, all of which tail-call each other, and nobody else; hub
 * or (direct 0) somebody who is never called tail-calls last.
 */
static void clique(uint32_t n, int direct, const char *context, uint64_t inferred, uint64_t ambiguous)
{
    const uint32_t hub = 0x100000, far = 0x300000, last = 0x200000;
    char line[64];
    uint32_t i, k, site = hub;
    script_text t;
    lab l;
    memset(&t, 0, sizeof t);
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x100, 0x20, "main", 0);
    lab_call(&l, lab_node(&l, 0, 0, "main"), 1, 0x100);
    lab_transfer(&l, 0x100, 5, CSSPGO_CALL, hub);
    lab_function(&l, hub, 0x1000, "hub", 0);
    lab_call(&l, lab_node(&l, 0, 0, "hub"), 2, hub);
    lab_function(&l, last, 0x20, "last", 0);
    lab_probe(&l, lab_node(&l, 0, 0, "last"), 1, last);
    lab_function(&l, far, 0x20, "far", 0);
    snprintf(line, sizeof line, "[]\n0\n%u\n100->%x:1\n%x->%x:1\n", n * n + 2, hub, direct ? hub : far, last);
    text_add(&t, line);
    lab_transfer(&l, hub, 5, CSSPGO_JMP, last);
    lab_transfer(&l, far, 5, CSSPGO_JMP, last);
    for (i = 0; i < n; i++) {
        char name[16];
        site += 8;
        snprintf(name, sizeof name, "c%u", i);
        lab_function(&l, 0x1000 + 0x100 * i, 0x20, name, 0);
        lab_transfer(&l, site, 5, CSSPGO_JMP, 0x1000 + 0x100 * i);
        lab_transfer(&l, 0x1010 + 0x100 * i, 5, CSSPGO_IJMP, 0);
        snprintf(line, sizeof line, "%x->%x:1\n", site, 0x1000 + 0x100 * i);
        text_add(&t, line);
        for (k = 0; k < n; k++) {
            if (k == i) continue;
            snprintf(line, sizeof line, "%x->%x:1\n", 0x1010 + 0x100 * i, 0x1000 + 0x100 * k);
            text_add(&t, line);
        }
    }
    snprintf(line, sizeof line, "[0x100]\n1\n%x-%x:9\n0\n", last, last + 8);
    text_add(&t, line);
    lab_ready(&l);
    lab_counters(&l, t.data);
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, context)), 9);
    T_EQ(l.stats.inferred, inferred);
    T_EQ(l.stats.ambiguous, ambiguous);
    lab_close(&l);
    free(t.data);
}

static void what_leads_nowhere_is_looked_at_once(void)
{
    clique(60, 1, "main:1 @ hub:2 @ last", 1, 0);     /* 60 entries to 3540 edges */
    clique(60, 0, "main:1 @ last", 0, 0);
    clique(200, 0, "main:1 @ last", 0, 1);            /* more than will be looked at */
}

enum { NET = 7 };                 /* function 0 is called, the last one was seen called by main */

/* Chains of tail calls from a function to the last one that pass no function twice; the tail calls of one: *how. */
static unsigned chains(const unsigned char edge[NET][2][NET], unsigned from, unsigned left, unsigned met, unsigned *how)
{
    unsigned site, to, sum = 0;
    if (from == NET - 1) return 1;
    if (left == 0) return 0;
    for (site = 0; site < 2; site++)
        for (to = 0; to < NET; to++) {
            unsigned rest = 0, n;
            if (!edge[from][site][to] || met >> to & 1) continue;
            n = chains(edge, to, left - 1, met | 1u << to, &rest);
            if (n != 0) *how = rest * 16 + 1 + 2 * from + site;
            sum += n;
        }
    return sum;
}

/* Random tail calls, in every second round without cycles: just one chain within the limit, or none is inferred. */
static void the_limit_counts_chains(void)
{
    unsigned round, i, site, to, found = 0, many = 0;
    uint32_t random = 1;
    for (round = 0; round < 1500; round++) {
        unsigned char edge[NET][2][NET];
        char text[4000], context[200];
        const unsigned limit = 1 + round % 6;
        unsigned n = 1, how = 0, want;
        size_t size = 0;
        lab l;
        lab_open(&l, NULL, NULL);
        lab_function(&l, 0x100, 0x20, "main", 0);
        lab_call(&l, lab_node(&l, 0, 0, "main"), 1, 0x100);
        lab_transfer(&l, 0x100, 5, CSSPGO_CALL, 0x1000);
        memset(edge, 0, sizeof edge);
        for (i = 0; i < NET; i++) {
            char name[2];
            uint32_t node;
            name[0] = (char)('a' + i);
            name[1] = '\0';
            lab_function(&l, 0x1000 * (i + 1), 0x100, name, 0);
            node = lab_node(&l, 0, 0, name);
            lab_probe(&l, node, 1, 0x1000 * (i + 1));
            for (site = 0; site < 2; site++) {
                const unsigned from = 0x1000 * (i + 1) + 0x10 * (site + 1);
                lab_call(&l, node, 2 + site, from);
                lab_transfer(&l, from, 5, CSSPGO_IJMP, 0);
                for (to = round % 2 != 0 ? i + 1 : 0; i + 1 < NET && to < NET; to++) {
                    random = random * 1664525u + 1013904223u;
                    if (to == i || (random >> 16) % 8 != 0) continue;
                    edge[i][site][to] = 1;
                    size += (size_t)sprintf(text + size, "%x->%x:1\n", from, 0x1000 * (to + 1));
                    n++;
                }
            }
        }
        memmove(text + 40, text, size);
        i = (unsigned)sprintf(text, "[]\n0\n%u\n100->1000:1\n", n);
        memmove(text + i, text + 40, size);
        sprintf(text + i + size, "[0x100]\n1\n%x-%x:9\n0\n", 0x1000u * NET, 0x1000u * NET + 8);
        lab_ready(&l);
        lab_counters(&l, text);
        l.make.max_search_depth = limit;
        lab_profile(&l);
        want = chains((const unsigned char(*)[2][NET])edge, 0, limit, 1, &how);
        size = (size_t)sprintf(context, "main:1");
        for (; want == 1 && how != 0; how /= 16)
            size += (size_t)sprintf(context + size, " @ %c:%u", 'a' + (int)(how % 16 - 1) / 2, 2 + (how % 16 - 1) % 2);
        sprintf(context + size, " @ %c", 'a' + NET - 1);
        T_EQ(csspgo_total(l.p, csspgo_find(l.p, context)), 9);
        T_EQ(l.stats.inferred, want == 1);
        T_EQ(l.stats.ambiguous, want > 1);
        found += want == 1;
        many += want > 1;
        lab_close(&l);
    }
    T_CHECK(found > 200 && many > 100);
}

/* n layers of two functions, each tail-calling both of the next layer, which leads to one last function. */
static void many_chains_are_told_quickly(void)
{
    enum { LAYERS = 400 };
    char name[32], line[64];
    uint32_t i, k, n;
    script_text t;
    lab l;
    memset(&t, 0, sizeof t);
    lab_open(&l, NULL, NULL);
    snprintf(line, sizeof line, "[]\n0\n%u\n100->10000:1\n", 4 * LAYERS - 1);
    text_add(&t, line);
    lab_function(&l, 0x100, 0x20, "main", 0);
    lab_call(&l, lab_node(&l, 0, 0, "main"), 1, 0x100);
    lab_transfer(&l, 0x100, 5, CSSPGO_CALL, 0);
    for (i = 0; i < LAYERS; i++)
        for (k = 0; k < 2; k++) {
            const uint64_t at = 0x10000 + 0x200 * i + 0x100 * k;
            snprintf(name, sizeof name, "f%u_%u", i, k);
            lab_function(&l, at, 0x40, name, 0);
            n = lab_node(&l, 0, 0, name);
            lab_probe(&l, n, 1, at);
            lab_call(&l, n, 2, at + 0x10);
            lab_transfer(&l, at + 0x10, 5, CSSPGO_IJMP, 0);
            if (i + 1 == LAYERS) continue;
            snprintf(line, sizeof line, "%x->%x:1\n%x->%x:1\n", (unsigned)at + 0x10,
                     (unsigned)(0x10000 + 0x200 * (i + 1)), (unsigned)at + 0x10,
                     (unsigned)(0x10000 + 0x200 * (i + 1) + 0x100));
            text_add(&t, line);
        }
    snprintf(line, sizeof line, "%x->20:1\n%x->20:1\n", (unsigned)(0x10000 + 0x200 * (LAYERS - 1) + 0x10),
             (unsigned)(0x10000 + 0x200 * (LAYERS - 1) + 0x110));
    text_add(&t, line);
    lab_function(&l, 0x20, 0x20, "last", 0);
    lab_probe(&l, lab_node(&l, 0, 0, "last"), 1, 0x20);
    lab_ready(&l);
    text_add(&t, "[0x100]\n1\n20-28:9\n0\n");
    l.make.max_search_depth = LAYERS;
    lab_counters(&l, t.data);
    lab_profile(&l);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "main:1 @ last")), 9);
    T_EQ(l.stats.ambiguous, 1);
    lab_close(&l);
    free(t.data);
}

/* A chain of functions inlined into each other, far deeper than contexts may be. */
static void contexts_are_cut_to_the_limit(void)
{
    csspgo_options o;
    csspgo_node n;
    size_t deep, deepest = 0;
    uint32_t i, node = 0;
    int contexts;
    memset(&o, 0, sizeof o);
    o.limits.max_depth = 9;
    for (contexts = 0; contexts < 2; contexts++) {
        lab l;
        lab_open(&l, NULL, &o);
        lab_function(&l, 0x1000, 0x100, "f", 0);
        for (node = 0, i = 0; i < 100000; i++) {
            node = lab_node(&l, node, 1 + i % 60000, i % 3 == 0 ? "f" : i % 3 == 1 ? "g" : "h");
            if (i % 500 == 499) lab_probe(&l, node, 1, 0x1000);
        }
        lab_name(&l, "g", 0);
        lab_name(&l, "h", 0);
        lab_ready(&l);
        lab_counters(&l, contexts ? "[]\n1\n1000-1000:2\n0\n" : "1\n1000-1000:2\n0\n");
        lab_profile(&l);
        for (i = 2; i <= csspgo_node_count(l.p) + 1; i++) {
            for (n.id = i, deep = 0; n.id != 1; n = csspgo_node_parent(l.p, n)) deep++;
            if (deep > deepest) deepest = deep;
        }
        T_CHECK(deepest <= 9 && deepest > 2);
        T_CHECK(l.stats.deep_contexts != 0);
        lab_close(&l);
    }
    o.limits.max_depth = 1;
    for (contexts = 0; contexts < 2; contexts++) {
        lab l;
        uint32_t f;
        lab_open(&l, NULL, &o);
        lab_function(&l, 0x1000, 0x100, "f", 0);
        lab_name(&l, "g", 0);
        f = lab_node(&l, 0, 0, "f");
        lab_probe(&l, lab_node(&l, f, 3, "g"), 1, 0x1000);
        lab_ready(&l);
        lab_counters(&l, contexts ? "[]\n1\n1000-1000:2\n0\n" : "1\n1000-1000:2\n0\n");
        lab_gives(&l, "no callers at all", contexts ? "[g]:2:2\n 1: 2\n !Attributes: 1\n" : "g:2:2\n 1: 2\n");
        lab_close(&l);
    }
}

/* A context that is cut begins anew, and then has as many frames as the limit allows before it is cut again. */
static void a_context_that_is_cut_begins_anew(void)
{
    enum { N = 20 };
    uint32_t most, i, node;
    for (most = 2; most < 8; most++) {
        csspgo_options o;
        csspgo_node n;
        char name[8];
        lab l;
        memset(&o, 0, sizeof o);
        o.limits.max_depth = most;
        lab_open(&l, NULL, &o);
        lab_function(&l, 0x1000, 0x100, "f0", 0);
        for (node = 0, i = 0; i < N; i++) {
            snprintf(name, sizeof name, "f%u", i);
            node = lab_node(&l, node, i != 0 ? 3 : 0, name);
            lab_probe(&l, node, 1, 0x1000);
            if (i != 0) lab_name(&l, name, 0);
        }
        lab_ready(&l);
        lab_counters(&l, "[]\n1\n1000-1000:2\n0\n");
        lab_profile(&l);
        for (i = 0; i < N; i++) {
            uint32_t deep = 0;
            snprintf(name, sizeof name, "f%u", i);
            for (n.id = 2; n.id <= csspgo_node_count(l.p) + 1; n.id++)
                if (csspgo_node_func(l.p, n).id == csspgo_func_add(l.p, name, strlen(name)).id &&
                    csspgo_body_count(l.p, n, csspgo_loc_at(1, 0)) != 0)
                    break;
            for (; n.id > 1; n = csspgo_node_parent(l.p, n)) deep++;
            T_EQ(deep, i == 0 ? 1 : 2 + (i - 1) % (most - 1));
        }
        lab_close(&l);
    }
}

static void recursion_of_names_is_compressed(void)
{
    csspgo_collector_options how;
    int limit;
    for (limit = 0; limit < 2; limit++) {
        lab l;
        uint32_t f, g;
        memset(&how, 0, sizeof how);
        how.limit_recursion = (uint32_t)limit;        /* to none */
        lab_open(&l, &how, NULL);
        lab_function(&l, 0x1000, 0x100, "f", 0);
        f = lab_node(&l, 0, 0, "f");
        g = lab_node(&l, f, 2, "f");                  /* f inlined in itself: two addresses, one name */
        lab_call(&l, f, 2, 0x1010);
        lab_call(&l, g, 2, 0x1020);
        lab_probe(&l, f, 1, 0x1000);
        lab_ready(&l);
        lab_counters(&l, "[0x1010 @ 0x1020 @ 0x1010]\n1\n1000-1008:3\n0\n");
        lab_gives(&l, "f calls f",
                  limit ? "[f:2 @ f:2 @ f:2 @ f:2 @ f]:3:3\n 1: 3\n 2: 0\n" : "[f:2 @ f]:3:3\n 1: 3\n 2: 0\n");
        lab_close(&l);
    }
}

/* Every round brings contexts that no other had: 4,096 in all, 64 at a time. */
static void contexts_that_went_into_a_profile_are_forgotten(void)
{
    csspgo_collector_options how;
    uint64_t memory = 0;
    uint32_t f, i, round;
    lab l;
    memset(&how, 0, sizeof how);
    how.limit_recursion = 1;                          /* to none: contexts stay as long as they are */
    lab_open(&l, &how, NULL);
    lab_function(&l, 0x1000, 0x1000, "f", 0);
    f = lab_node(&l, 0, 0, "f");
    lab_probe(&l, f, 1, 0x1000);
    for (i = 0; i < 64; i++) lab_call(&l, f, 2 + i, 0x1010 + i * 16);
    lab_ready(&l);
    for (round = 0; round < 64; round++) {
        script_text t;
        char line[80];
        memset(&t, 0, sizeof t);
        for (i = 0; i < 64; i++) {
            snprintf(line, sizeof line, "[0x%x @ 0x%x]\n1\n1000-1008:3\n0\n", 0x1010 + round * 16, 0x1010 + i * 16);
            text_add(&t, line);
        }
        lab_counters(&l, t.data);
        lab_profile(&l);
        if (round == 0) memory = csspgo_collector_memory(l.c);
        free(t.data);
    }
    T_EQ(csspgo_collector_memory(l.c), memory);
    T_EQ(csspgo_body_count(l.p, csspgo_find(l.p, "f:65 @ f:2 @ f"), csspgo_loc_at(1, 0)), 3);
    T_EQ(csspgo_total(l.p, csspgo_find(l.p, "f:2 @ f:65 @ f")), 3);
    lab_close(&l);
}

static void only_sampled_functions_count_if_asked_for(void)
{
    int only;
    for (only = 0; only < 2; only++) {
        lab l;
        lab_open(&l, NULL, NULL);
        l.make.llvm = only ? 19 : 0;
        lab_function(&l, 0x1000, 0x10, "f", 0);
        lab_function(&l, 0x1010, 0x10, "g", 0);       /* f runs on into g */
        lab_probe(&l, lab_node(&l, 0, 0, "f"), 1, 0x1000);
        lab_probe(&l, lab_node(&l, 0, 0, "g"), 1, 0x1010);
        lab_ready(&l);
        lab_counters(&l, "[]\n1\n1000-1018:5\n0\n");
        lab_gives(&l, "falls through", only ? "[f]:5:5\n 1: 5\n" : "[f]:5:5\n 1: 5\n[g]:5:5\n 1: 5\n");
        csspgo_collector_free(l.c);
        csspgo_profile_free(l.p);
        l.c = llvm_collector(l.code, NULL, NULL);
        l.p = new_profile(NULL);
        lab_counters(&l, "1\n1000-1018:5\n0\n");
        lab_gives(&l, "falls through, context-less", only ? "f:5:5\n 1: 5\n" : "f:5:5\n 1: 5\ng:5:5\n 1: 5\n");
        lab_close(&l);
    }
}

/* A sample of a clock: an address, and its callers' return addresses. */
static void lab_address(lab *l, uint64_t address, uint64_t caller, uint64_t count)
{
    uint64_t stack[2];
    csspgo_sample s;
    memset(&s, 0, sizeof s);
    stack[0] = address;
    stack[1] = caller;
    s.stack = stack;
    s.stack_count = caller != 0 ? 2 : 1;
    s.count = count;
    T_EQ(csspgo_collector_add(l->c, &s, 1, NULL), CSSPGO_OK);
}

/*
 * No bytes and no conditional branches: blocks are from probe to probe, counts 1024 hits / bytes. g was entered 8 times
 * 1024 / 16 = 512 times, by 24 samples, so it is worth 48 bytes: f's second block has 6 + 24 samples in 112 + 48 bytes.
 */
static void addresses_without_branches_stand_for_the_block_around_them(void)
{
    static const csspgo_branch pair[2] = { { 0x1018, 0x1090, 0 }, { 0x1008, 0x1010, 0 } };
    int plain;
    for (plain = 0; plain < 2; plain++) {
        csspgo_collector_options how;
        lab l;
        uint32_t f, g;
        memset(&how, 0, sizeof how);
        how.ignore_stack = (uint32_t)plain;
        lab_open(&l, NULL, NULL);
        csspgo_collector_free(l.c);
        lab_function(&l, 0x1000, 0x80, "f", 0);
        lab_function(&l, 0x1080, 0x80, "g", 0);
        lab_transfer(&l, 0x1018, 5, CSSPGO_CALL, 0x1080);
        f = lab_node(&l, 0, 0, "f");
        g = lab_node(&l, 0, 0, "g");
        lab_probe(&l, f, 1, 0x1000);
        lab_probe(&l, f, 2, 0x1010);
        lab_call(&l, f, 3, 0x1018);
        lab_probe(&l, g, 1, 0x1090);
        l.make.estimate_fn = csspgo_estimate_blocks;
        lab_ready(&l);
        l.c = csspgo_collector_new(l.code, &how, NULL, NULL);
        lab_address(&l, 0x1005, 0, 1);
        lab_address(&l, 0x1010, 0, 2);
        lab_address(&l, 0x101d, 0, 4);                /* behind the call: still its block */
        lab_address(&l, 0x1085, 0x101d, 8);           /* before the first probe of its function: of no block */
        lab_address(&l, 0x10ff, 0x101d, 16);
        lab_gives(&l, "addresses",
                  plain ? "f:174:64\n 1: 64\n 2: 55\n 3: 55 g:55\ng:146:146\n 1: 146\n"
                        : "[f]:448:64\n 1: 64\n 2: 192\n 3: 192 g:192\n[f:3 @ g]:146:146\n 1: 146\n");
        csspgo_profile_free(l.p);
        l.p = new_profile(NULL);
        if (!plain) {                                 /* beside branch records they do not count */
            csspgo_sample s;
            uint64_t ip = 0x1090;
            memset(&s, 0, sizeof s);
            s.stack = &ip;
            s.stack_count = 1;
            s.branches = pair;
            s.branch_count = 2;
            s.count = 1;
            lab_address(&l, 0x1005, 0, 1);
            T_EQ(csspgo_collector_add(l.c, &s, 1, NULL), CSSPGO_OK);
            lab_profile(&l);
            T_EQ(csspgo_body_count(l.p, csspgo_find(l.p, "f"), csspgo_loc_at(1, 0)), 0);
            T_EQ(csspgo_body_count(l.p, csspgo_find(l.p, "f"), csspgo_loc_at(2, 0)), 1);
        }
        lab_close(&l);
    }
}

static void zeros_for_all_functions_if_asked_for(void)
{
    int all;
    for (all = 0; all < 2; all++) {
        lab l;
        lab_open(&l, NULL, NULL);
        l.make.fill_all_functions = (uint32_t)all;
        lab_function(&l, 0x1000, 0x10, "f", 0);
        lab_function(&l, 0x3000, 0x10, "f", 1);       /* f's second part */
        lab_function(&l, 0x2000, 0x10, "g", 0);
        lab_probe(&l, lab_node(&l, 0, 0, "f"), 1, 0x1000);
        lab_probe(&l, 1, 2, 0x3008);
        lab_probe(&l, lab_node(&l, 0, 0, "g"), 1, 0x2000);
        lab_ready(&l);
        lab_counters(&l, "1\n1000-1008:5\n0\n");
        lab_gives(&l, "zeros", all ? "f:5:5\n 1: 5\n 2: 0\ng:0:0\n 1: 0\n" : "f:5:5\n 1: 5\n 2: 0\n");
        lab_close(&l);
    }
}

static void a_call_counts_at_least_its_targets_at_top_level(void)
{
    lab l;
    uint32_t f, g;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "f", 0);
    lab_function(&l, 0x2000, 0x10, "t", 0);
    lab_function(&l, 0x3000, 0x10, "u", 0);
    lab_name(&l, "g", 0);
    f = lab_node(&l, 0, 0, "f");
    g = lab_node(&l, f, 9, "g");
    lab_call(&l, f, 2, 0x1010);
    lab_call(&l, g, 2, 0x1020);
    lab_ready(&l);
    lab_counters(&l, "1\n1010-1010:3\n4\n1010->2000:4\n1010->3000:5\n1020->2000:7\n1020->2008:1\n");
    lab_gives(&l, "raised, total not", "f:3:0\n 2: 9 u:5 t:4\n 9: g:0\n  2: 0 t:7\n");
    lab_counters(&l, "1\n1010-1010:30\n1\n1010->2000:4\n");
    lab_gives(&l, "raised again after adding", "f:33:0\n 2: 39 t:8 u:5\n 9: g:0\n  2: 0 t:7\n");
    lab_close(&l);
}

static void code_that_was_replaced_keeps_its_counts(void)
{
    csspgo_branch b[2];
    csspgo_sample s;
    lab l;
    lab_open(&l, NULL, NULL);
    lab_function(&l, 0x1000, 0x100, "old", 0);
    lab_probe(&l, lab_node(&l, 0, 0, "old"), 1, 0x1010);
    lab_ready(&l);
    memset(b, 0, sizeof b);
    b[0].from = b[1].from = 0x1020;
    b[0].to = b[1].to = 0x1008;
    memset(&s, 0, sizeof s);
    s.branches = b;
    s.branch_count = 2;
    s.count = 5;
    T_EQ(csspgo_collector_add(l.c, &s, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_remove(l.code, 0x1000, 0x1100, NULL), CSSPGO_OK);
    l.nodes = l.probes = 0;
    lab_function(&l, 0x1000, 0x100, "new", 0);
    lab_probe(&l, lab_node(&l, 0, 0, "new"), 1, 0x1018);
    lab_ready(&l);
    s.count = 2;
    T_EQ(csspgo_collector_add(l.c, &s, 1, NULL), CSSPGO_OK);
    lab_gives(&l, "old and new", "old:5:5\n 1: 5\nnew:2:2\n 1: 2\n");
    lab_close(&l);
}

/* ----- laws ----- */

/* A recorded program's collector, filled from its counters. */
typedef struct recorded {
    t_table t;
    csspgo_collector *c;
    csspgo_unsymbolized_options how;
} recorded;

static void recorded_open(recorded *r, const char *program, const csspgo_options *o)
{
    char path[128];
    snprintf(path, sizeof path, "data/generate/tables/%s.probe.tsv", program);
    T_EQ(t_table_load(&r->t, path, NULL), CSSPGO_OK);
    r->c = llvm_collector(r->t.code, NULL, o);
    if (r->c == NULL) abort();
    r->how.module = r->t.module;
    r->how.base = r->t.base;
}

static void recorded_close(recorded *r)
{
    csspgo_collector_free(r->c);
    t_table_free(&r->t);
}

static char *counters_file(const char *program, const char *which)
{
    char path[128];
    size_t size;
    snprintf(path, sizeof path, "data/generate/out/%s.%s.unsym", program, which);
    return t_file(path, &size);
}

/* Profile of one program's counters as text. */
static char *profile_text(const char *program, const char *which, uint64_t seed)
{
    char *in = counters_file(program, which), *out;
    csspgo_options o;
    csspgo_profile *p;
    csspgo_error e;
    recorded r;
    size_t size;
    memset(&o, 0, sizeof o);
    o.hash_seed = seed;
    p = new_profile(&o);
    recorded_open(&r, program, &o);
    counters_of(r.c, &r.how, in);
    T_EQ(csspgo_collector_profile(r.c, NULL, p, NULL, &e), CSSPGO_OK);
    out = text_of(p, &size);
    csspgo_profile_free(p);
    recorded_close(&r);
    free(in);
    return out;
}

static void the_hash_seed_does_not_matter(void)
{
    char *a = profile_text("mix", "cs", 0), *b = profile_text("mix", "cs", 0x123456789abcdefu);
    t_same("seeds", b, strlen(b), a, strlen(a));
    free(a);
    free(b);
}

/* Every sample of a script, its arrays copied. */
typedef struct samples {
    csspgo_sample *v;
    size_t n;
} samples;

static samples samples_of(const char *path)
{
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    samples all;
    size_t size;
    char *text = t_file(path, &size);
    memset(&all, 0, sizeof all);
    csspgo_script_feed(s, text, size, NULL);
    csspgo_script_end(s);
    while ((item = csspgo_script_next(s, &sample, &map, &e)) != CSSPGO_ITEM_NONE) {
        if (item != CSSPGO_ITEM_SAMPLE) continue;
        sample.stack = (const uint64_t *)t_copy(sample.stack, sample.stack_count * sizeof *sample.stack);
        sample.branches = (const csspgo_branch *)t_copy(sample.branches, sample.branch_count * sizeof *sample.branches);
        all.v = (csspgo_sample *)t_list_more(all.v, all.n, sizeof *all.v);
        all.v[all.n++] = sample;
    }
    csspgo_script_free(s);
    free(text);
    return all;
}

static void samples_free(samples *all)
{
    size_t i;
    for (i = 0; i < all->n; i++) {
        free((void *)(uintptr_t)all->v[i].stack);
        free((void *)(uintptr_t)all->v[i].branches);
    }
    free(all->v);
}

static void the_order_of_samples_does_not_matter(void)
{
    static const char *const program[] = { "tail", "demo", "mix" };
    size_t i, k, round;
    for (i = 0; i < 3; i++) {
        char path[128], *first = NULL;
        samples all;
        uint64_t random = 88172645463325252u;
        snprintf(path, sizeof path, "data/generate/%s.perfscript", program[i]);
        all = samples_of(path);
        T_CHECK(all.n > 50);
        for (round = 0; round < 4; round++) {
            csspgo_profile *p = new_profile(NULL);
            csspgo_error e;
            recorded r;
            size_t size;
            char *text;
            recorded_open(&r, program[i], NULL);
            for (k = 0; k < all.n; k++) T_EQ(csspgo_collector_add(r.c, &all.v[k], 1, NULL), CSSPGO_OK);
            T_EQ(csspgo_collector_profile(r.c, NULL, p, NULL, &e), CSSPGO_OK);
            text = text_of(p, &size);
            if (first == NULL) first = text;
            else t_same(path, text, size, first, strlen(first));
            if (text != first) free(text);
            csspgo_profile_free(p);
            recorded_close(&r);
            for (k = all.n; k > 1; k--) {
                csspgo_sample t = all.v[k - 1];
                size_t with;
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                with = (size_t)(random % k);
                all.v[k - 1] = all.v[with];
                all.v[with] = t;
            }
        }
        free(first);
        samples_free(&all);
    }
}

/* Tail calls and raised calls apart, which need all counters at once. */
static void two_deltas_make_what_one_makes(void)
{
    static const char *const which[] = { "cs", "nocs" };
    size_t i;
    for (i = 0; i < 2; i++) {
        char *in = counters_file("mix", which[i]), *want = profile_text("mix", which[i], 0), *copy;
        csspgo_profile *p = new_profile(NULL), *twice = new_profile(NULL);
        csspgo_error e;
        csspgo_node n;
        recorded r;
        recorded_open(&r, "mix", NULL);
        counters_of(r.c, &r.how, in);
        counters_of(r.c, &r.how, in);
        T_EQ(csspgo_collector_profile(r.c, NULL, twice, NULL, &e), CSSPGO_OK);
        counters_of(r.c, &r.how, in);
        T_EQ(csspgo_collector_profile(r.c, NULL, p, NULL, &e), CSSPGO_OK);
        same_text("the first delta", p, want);
        n = csspgo_node_first_child(p, csspgo_root(p));
        copy = profile_text("mix", which[i], 0);
        T_EQ(csspgo_collector_profile(r.c, NULL, p, NULL, &e), CSSPGO_OK);
        same_text("nothing was counted since", p, copy);
        counters_of(r.c, &r.how, in);
        T_EQ(csspgo_collector_profile(r.c, NULL, p, NULL, &e), CSSPGO_OK);
        T_CHECK(csspgo_equal(p, twice));
        T_EQ(csspgo_node_first_child(p, csspgo_root(p)).id, n.id);   /* handles stay what they were */
        csspgo_profile_free(p);
        csspgo_profile_free(twice);
        recorded_close(&r);
        free(in);
        free(want);
        free(copy);
    }
}

/* ----- profiles in slices ----- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed >> 20;
}

/* The profile of all samples, made in one call, as text. *count: counters that it was made of, roughly. */
static char *whole_text(csspgo_code *code, const samples *all, const csspgo_collector_options *collect,
                        const csspgo_generate_options *make)
{
    csspgo_collector *c = csspgo_collector_new(code, collect, NULL, NULL);
    csspgo_profile *p = new_profile(NULL);
    size_t size;
    char *text;
    T_EQ(csspgo_collector_add(c, all->v, all->n, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_profile(c, make, p, NULL, NULL), CSSPGO_OK);
    text = text_of(p, &size);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    return text;
}

/* Slices of any size, with more samples between them: what is in p and what is in c are always all that was added. */
static void slices_of(csspgo_code *code, const samples *all, const csspgo_collector_options *collect,
                      const csspgo_generate_options *make, uint64_t seed)
{
    const uint64_t sizes[] = { 0, 1, 100, 2000, UINT64_MAX };
    char *want = whole_text(code, all, collect, make);
    csspgo_collector *c = csspgo_collector_new(code, collect, NULL, NULL);
    csspgo_profile *p = new_profile(NULL);
    csspgo_status s = CSSPGO_MORE;
    csspgo_error e;
    size_t added = 0, calls = 0;
    while (added < all->n || s == CSSPGO_MORE) {
        size_t n = added < all->n ? 1 + (size_t)(next_random(&seed) % (all->n - added)) : 0;
        if (next_random(&seed) % 4 != 0) n = 0;
        T_EQ(csspgo_collector_add(c, all->v + added, n, NULL), CSSPGO_OK);
        added += n;
        s = csspgo_collector_profile_step(c, sizes[next_random(&seed) % 5], make, p, NULL, &e);
        if (!T_CHECK(s == CSSPGO_OK || s == CSSPGO_MORE) || !T_EQ(e.status, s)) break;
        T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
        calls++;
    }
    T_CHECK(calls > 1);
    same_text("in slices", p, want);
    T_EQ(csspgo_collector_profile_step(c, 0, make, p, NULL, &e), CSSPGO_OK);
    same_text("nothing is left", p, want);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    free(want);
}

/*
 * A slice infers tail calls from the branches that it moves, so it may lack a chain of them that one call knows, or a
 * second one that contradicts it. Contexts differ in such frames only: what all contexts of a function count does not.
 */
static void slices_infer_for_themselves(csspgo_code *code, const samples *all, uint64_t seed)
{
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_collector *whole = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = new_profile(NULL), *want = new_profile(NULL);
    csspgo_status s = CSSPGO_MORE;
    T_EQ(csspgo_collector_add(c, all->v, all->n, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_add(whole, all->v, all->n, NULL), CSSPGO_OK);
    while (s == CSSPGO_MORE) s = csspgo_collector_profile_step(c, next_random(&seed) % 3000, NULL, p, NULL, NULL);
    T_EQ(s, CSSPGO_OK);
    T_EQ(csspgo_collector_profile(whole, NULL, want, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_flatten(p, NULL), CSSPGO_OK);
    T_EQ(csspgo_flatten(want, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, want));
    csspgo_profile_free(p);
    csspgo_profile_free(want);
    csspgo_collector_free(c);
    csspgo_collector_free(whole);
}

/*
 * Tail calls and raised calls apart, slices make what one call makes. The counts of contexts may come in any order, so
 * this also says that the order of contexts does not reach a profile.
 */
static void slices_make_what_one_call_makes(void)
{
    static const char *const program[] = { "demo", "mix", "tail" };
    csspgo_collector_options collect;
    csspgo_generate_options make;
    size_t i, k, round;
    memset(&make, 0, sizeof make);
    make.no_inference = 1;
    for (i = 0; i < 3; i++) {
        char path[128];
        samples all;
        recorded r;
        snprintf(path, sizeof path, "data/generate/%s.perfscript", program[i]);
        all = samples_of(path);
        recorded_open(&r, program[i], NULL);
        for (k = 0; k < 4; k++) {
            memset(&collect, 0, sizeof collect);
            collect.limit_recursion = k == 1;
            collect.max_recursion = 1;
            collect.limit_depth = k == 2;
            collect.max_depth = 2;
            collect.keep_leaves = k == 3;
            for (round = 0; round < t_size(2, 12); round++)
                slices_of(r.t.code, &all, &collect, &make, i * 1000 + k * 100 + round + 1);
        }
        slices_infer_for_themselves(r.t.code, &all, i + 1);
        samples_free(&all);
        recorded_close(&r);
    }
}

enum { NO_STACKS = 1, NO_BRANCHES = 2, SECOND_KINDS = 3 };

/* The profile of some samples of a kind; its text, or what the call failed with. */
static char *text_of_kind(csspgo_collector *c, const samples *all, int kind, const csspgo_generate_options *make)
{
    csspgo_profile *p = new_profile(NULL);
    csspgo_status s;
    size_t i, size;
    char *text, *said = (char *)malloc(64);
    if (said == NULL) abort();
    for (i = 0; i < all->n && i < 200; i++) {
        csspgo_sample x = all->v[i];
        if (kind == NO_STACKS) x.stack_count = 0;
        if (kind == NO_BRANCHES) x.branch_count = 0;
        T_EQ(csspgo_collector_add(c, &x, 1, NULL), CSSPGO_OK);
    }
    s = csspgo_collector_profile(c, make, p, NULL, NULL);
    text = text_of(p, &size);
    sprintf(said, "%d, flags %u, deep %lu\n", (int)s, (unsigned)csspgo_profile_flags(p),
            (unsigned long)csspgo_collector_get_stats(c).deep_contexts);
    said = (char *)realloc(said, strlen(said) + size + 1);
    if (said == NULL) abort();
    strcat(said, text);
    free(text);
    csspgo_profile_free(p);
    return said;
}

/* However a profile in slices ends, the collector is then as one that is new. */
static void after_slices_a_collector_is_as_a_new_one(void)
{
    enum { TO_THE_END, REST_AT_ONCE, CLEARED, TAKEN, WAYS };
    csspgo_generate_options make;
    samples all = samples_of("data/generate/mix.perfscript");
    recorded r;
    int way, kind;
    memset(&make, 0, sizeof make);
    make.no_inference = 1;
    recorded_open(&r, "mix", NULL);
    for (way = 0; way < WAYS; way++)
        for (kind = 0; kind < SECOND_KINDS; kind++) {
            csspgo_collector_options collect;
            csspgo_collector *c, *fresh;
            csspgo_profile *p = new_profile(NULL);
            csspgo_status s = CSSPGO_MORE;
            char *got, *want;
            int slices;
            memset(&collect, 0, sizeof collect);
            collect.limit_depth = 1;
            collect.max_depth = 2;
            c = csspgo_collector_new(r.t.code, &collect, NULL, NULL);
            fresh = csspgo_collector_new(r.t.code, &collect, NULL, NULL);
            T_EQ(csspgo_collector_add(c, all.v, all.n, NULL), CSSPGO_OK);
            for (slices = 0; s == CSSPGO_MORE && (way == TO_THE_END || slices < 60); slices++)
                s = csspgo_collector_profile_step(c, 500, &make, p, NULL, NULL);
            T_EQ(s, way == TO_THE_END ? CSSPGO_OK : CSSPGO_MORE);
            T_CHECK(csspgo_record_count(p) != 0);
            if (way == REST_AT_ONCE) T_EQ(csspgo_collector_profile(c, &make, p, NULL, NULL), CSSPGO_OK);
            if (way == CLEARED) csspgo_collector_clear(c);
            if (way == TAKEN) csspgo_collector_free(csspgo_collector_take(c, NULL));
            got = text_of_kind(c, &all, kind, &make);
            want = text_of_kind(fresh, &all, kind, &make);
            t_same("after slices", got, strlen(got), want, strlen(want));
            free(got);
            free(want);
            csspgo_profile_free(p);
            csspgo_collector_free(c);
            csspgo_collector_free(fresh);
        }
    samples_free(&all);
    recorded_close(&r);
}

/* A function x with a total of 3. */
static void add_x(csspgo_profile *p, csspgo_node_kind kind)
{
    const csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), kind, csspgo_func_add(p, "x", 1));
    T_EQ(csspgo_add_total(p, n, 3), CSSPGO_OK);
}

static void an_empty_collector_changes_nothing(void)
{
    csspgo_error e;
    lab l;
    lab_open_f(&l, NULL);
    lab_gives(&l, "empty", "");
    T_EQ(csspgo_node_count(l.p), 0);
    T_EQ(csspgo_profile_flags(l.p), 0);
    csspgo_profile_set_flags(l.p, CSSPGO_IS_FS);
    add_x(l.p, CSSPGO_PLAIN);
    T_EQ(csspgo_collector_profile(l.c, NULL, l.p, NULL, &e), CSSPGO_OK);
    same_text("as it was", l.p, "x:3:0\n");
    T_EQ(csspgo_profile_flags(l.p), CSSPGO_IS_FS);
    lab_close(&l);
}

static void flags_of_an_empty_profile_stay(void)
{
    lab l;
    lab_open_f(&l, NULL);
    csspgo_profile_set_flags(l.p, CSSPGO_HAS_UNIQ | CSSPGO_IS_CS);
    lab_counters(&l, "1\n1000-1000:1\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_profile_flags(l.p), CSSPGO_IS_PROBE | CSSPGO_HAS_UNIQ);
    lab_close(&l);
}

static void functions_of_an_empty_profile_keep_their_handles(void)
{
    csspgo_func a, f;
    lab l;
    lab_open_f(&l, NULL);
    a = csspgo_func_add(l.p, "a", 1);
    f = csspgo_func_add(l.p, "f", 1);
    csspgo_profile_set_flags(l.p, CSSPGO_HAS_UNIQ);
    lab_counters(&l, "[]\n1\n1000-1000:1\n0\n");
    lab_profile(&l);
    T_EQ(csspgo_func_find(l.p, "a", 1).id, a.id);
    T_EQ(csspgo_node_func(l.p, csspgo_find(l.p, "f")).id, f.id);
    T_EQ(csspgo_profile_flags(l.p), CSSPGO_IS_CS | CSSPGO_IS_PROBE | CSSPGO_HAS_UNIQ);
    lab_close(&l);
}

static void another_kind_of_profile_is_refused(void)
{
    static const uint32_t kind[] = { 0, CSSPGO_IS_PROBE, CSSPGO_IS_CS };
    csspgo_error e;
    csspgo_profile *p;
    lab l;
    size_t i;
    for (i = 0; i < 3; i++) {
        lab_open_f(&l, NULL);
        lab_counters(&l, "[]\n1\n1000-1020:5\n0\n");
        p = new_profile(NULL);
        add_x(p, kind[i] & CSSPGO_IS_CS ? CSSPGO_CONTEXT : CSSPGO_PLAIN);
        csspgo_profile_set_flags(p, kind[i]);
        T_EQ(csspgo_collector_profile(l.c, NULL, p, NULL, &e), CSSPGO_E_ARGUMENT);
        T_CHECK(e.status == CSSPGO_E_ARGUMENT && strstr(e.message, "kind") != NULL);
        T_EQ(csspgo_node_count(p), 1);
        T_EQ(csspgo_profile_flags(p), kind[i]);
        csspgo_profile_free(p);
        lab_gives(&l, "nothing was lost", "[f]:15:5\n 1: 5\n 2: 10\n 3: 0\n 4: 0\n");
        lab_close(&l);
    }
}

/* ----- memory ----- */

/* What was allocated, and the most of it at a time. */
typedef struct peak_heap {
    size_t live, peak;
} peak_heap;

static void *peak_alloc(void *ctx, size_t size)
{
    peak_heap *h = (peak_heap *)ctx;
    h->live += size;
    if (h->live > h->peak) h->peak = h->live;
    return malloc(size);
}

static void peak_free(void *ctx, void *p, size_t size)
{
    peak_heap *h = (peak_heap *)ctx;
    h->live -= size;
    free(p);
}

/* Functions of 16 bytes with two blocks and two calls each, at 0x1000 and behind it. */
static csspgo_code *code_of_calls(uint32_t functions, uint32_t more)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    uint32_t f, k;
    for (f = 0; f < functions; f++) {
        const uint64_t at = 0x1000 + (uint64_t)f * 16;
        char name[16];
        csspgo_code_function x;
        csspgo_inline_node body;
        csspgo_transfer t[2];
        csspgo_probe p[4 + 32];
        snprintf(name, sizeof name, "f%u", (unsigned)f);
        x = make_function(at, at + 16, name);
        memset(&body, 0, sizeof body);
        memset(p, 0, sizeof p);
        body.guid = csspgo_guid(name, strlen(name));
        for (k = 0; k < 2; k++) {
            t[k] = make_transfer(at + 2 + 6 * k, 2, CSSPGO_CALL, 0);
            p[2 * k].address = at + 6 * k;
            p[2 * k + 1].address = at + 2 + 6 * k;
            p[2 * k + 1].kind = CSSPGO_PROBE_INDIRECT_CALL;
            p[2 * k].id = 2 * k + 1;
            p[2 * k + 1].id = 2 * k + 2;
            p[2 * k].inline_node = p[2 * k + 1].inline_node = 1;
        }
        for (k = 0; k < more; k++) {
            p[4 + k].address = at + 14;
            p[4 + k].id = 5 + k;
            p[4 + k].inline_node = 1;
        }
        T_EQ(csspgo_code_add_function(code, no_module(), &x, NULL), CSSPGO_OK);
        T_EQ(csspgo_code_add_transfers(code, no_module(), t, 2, NULL), CSSPGO_OK);
        T_EQ(csspgo_code_add_probes(code, no_module(), &body, 1, p, 4 + more, NULL), CSSPGO_OK);
    }
    return code;
}

/* A sample in a random context of such code. */
static void add_random(csspgo_collector *c, uint32_t functions, uint64_t *seed)
{
    uint64_t stack[9], f = next_random(seed) % functions;
    const uint32_t depth = 3 + (uint32_t)(next_random(seed) % 6);
    csspgo_branch branch[8];
    csspgo_sample s;
    uint32_t i;
    memset(&s, 0, sizeof s);
    memset(branch, 0, sizeof branch);
    for (i = depth; i-- > 0;) {
        const uint64_t call_at = 0x1000 + f * 16 + 2 + next_random(seed) % 2 * 6;
        f = (f * 5 + next_random(seed) % 3 + 1) % functions;
        stack[i + 1] = call_at + 2;
        branch[i].from = call_at;
        branch[i].to = 0x1000 + f * 16;
    }
    stack[0] = 0x1000 + f * 16;
    s.stack = stack;
    s.stack_count = depth + 1;
    s.branches = branch;
    s.branch_count = depth;
    s.count = 1;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
}

/* While a profile is made, at most 1.5 times is allocated what was and what will be held, and 64 KiB. */
static void profile_takes_half_as_much_again(csspgo_code *code, uint32_t functions, size_t count,
                                             uint32_t contextless)
{
    peak_heap h = { 0, 0 };
    csspgo_collector_options how;
    csspgo_collector *c;
    csspgo_profile *p;
    csspgo_options o;
    uint64_t seed = 5;
    size_t k, round;
    memset(&o, 0, sizeof o);
    memset(&how, 0, sizeof how);
    how.cache_bytes = 1 << 14;
    how.ignore_stack = contextless;
    o.allocator.alloc_fn = peak_alloc;
    o.allocator.free_fn = peak_free;
    o.allocator.ctx = &h;
    c = csspgo_collector_new(code, &how, &o, NULL);
    p = new_profile(&o);
    for (round = 0; round < 3; round++) {
        uint64_t held;
        for (k = 0; k < count; k++) add_random(c, functions, &seed);
        T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
        held = csspgo_collector_memory(c);
        h.peak = h.live;
        T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
        held += csspgo_profile_memory(p);
        if (!T_CHECK(h.peak <= held / 10 * 15 + (64u << 10)))
            printf("%u samples, contextless %u, round %u: %lu bytes of %lu\n", (unsigned)count,
                   (unsigned)contextless, (unsigned)round, (unsigned long)h.peak, (unsigned long)held);
    }
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    T_EQ(h.live, 0);
}

static void a_profile_takes_half_as_much_again(void)
{
    static const size_t count[] = { 200, 500, 2000, 8000, 20000 };
    static const uint32_t more[] = { 0, 7, 32 };
    size_t i, k;
    for (k = 0; k < sizeof more / sizeof *more; k++) {
        csspgo_code *code = code_of_calls(2000, more[k]);
        for (i = 0; i < t_size(k == 0 ? 4 : 3, sizeof count / sizeof *count); i++) {
            profile_takes_half_as_much_again(code, 2000, count[i], 0);
            profile_takes_half_as_much_again(code, 2000, count[i], 1);
        }
        csspgo_code_free(code);
    }
}

/* A profile's tables grow between slices, also if others change it meanwhile; what it holds is the same. */
static void tables_grow_between_slices(void)
{
    const uint32_t functions = 2000;
    csspgo_code *code = code_of_calls(functions, 0);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_collector *whole = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = new_profile(NULL), *want = new_profile(NULL), *more = new_profile(NULL);
    uint64_t seed = 7, same = 7, budget = 9;
    size_t i, calls = 0;
    csspgo_error e;
    for (i = 0; i < 100; i++) add_random(c, functions, &seed);
    T_EQ(csspgo_collector_profile(c, NULL, more, NULL, NULL), CSSPGO_OK);
    seed = 7;
    for (i = 0; i < t_size(4000, 16000); i++) {
        add_random(c, functions, &seed);
        add_random(whole, functions, &same);
    }
    while (csspgo_collector_profile_step(c, next_random(&budget) % 3000, NULL, p, NULL, &e) == CSSPGO_MORE) {
        if (++calls % 64 == 0) {
            T_EQ(csspgo_add_profile(p, more, NULL), CSSPGO_OK);
            T_EQ(csspgo_add_profile(want, more, NULL), CSSPGO_OK);
        }
        if (calls % 64 == 32) T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
        if (!T_CHECK(calls < 4000)) break;
    }
    T_EQ(e.status, CSSPGO_OK);
    T_EQ(csspgo_collector_profile(whole, NULL, want, NULL, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, want));
    T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
    csspgo_profile_free(p);
    csspgo_profile_free(want);
    csspgo_profile_free(more);
    csspgo_collector_free(c);
    csspgo_collector_free(whole);
    csspgo_code_free(code);
}

/* ----- failing memory ----- */

/* Whatever allocation fails: p and c are as before the call, and the next call succeeds. */
static void every_allocation_may_fail(const char *program, const char *which, int full, int in_profile)
{
    char *in = counters_file(program, which);
    csspgo_profile *want = new_profile(NULL);
    csspgo_generate_options how;
    csspgo_error e;
    recorded r;
    long nth;
    memset(&how, 0, sizeof how);
    how.fill_all_functions = (uint32_t)full;
    recorded_open(&r, program, NULL);
    counters_of(r.c, &r.how, in);
    T_EQ(csspgo_collector_profile(r.c, &how, want, NULL, &e), CSSPGO_OK);
    counters_of(r.c, &r.how, in);
    if (full) T_EQ(csspgo_collector_profile(r.c, &how, want, NULL, &e), CSSPGO_OK);
    recorded_close(&r);
    for (nth = 1;; nth++) {
        t_heap hp, hc;
        csspgo_options op = t_options(&hp, 0), oc = t_options(&hc, 0);
        csspgo_profile *p = new_profile(&op), *before = new_profile(NULL);
        t_heap *h = in_profile ? &hp : &hc;
        csspgo_status s;
        recorded_open(&r, program, &oc);
        if (full) {
            counters_of(r.c, &r.how, in);
            T_EQ(csspgo_collector_profile(r.c, &how, p, NULL, &e), CSSPGO_OK);
            T_EQ(csspgo_add_profile(before, p, NULL), CSSPGO_OK);
        }
        counters_of(r.c, &r.how, in);
        h->nth = h->calls + nth;
        s = csspgo_collector_profile(r.c, &how, p, NULL, &e);
        h->nth = 0;
        if (s != CSSPGO_OK) {
            T_EQ(s, CSSPGO_E_NOMEM);
            T_EQ(e.status, CSSPGO_E_NOMEM);
            T_CHECK(csspgo_equal(p, before));
            T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
            T_EQ(csspgo_collector_profile(r.c, &how, p, NULL, &e), CSSPGO_OK);
        }
        T_CHECK(csspgo_equal(p, want));
        csspgo_profile_free(p);
        csspgo_profile_free(before);
        recorded_close(&r);
        T_EQ(hp.live, 0);
        T_EQ(hc.live, 0);
        if (s == CSSPGO_OK) break;
    }
    T_LONG(nth > 5);
    csspgo_profile_free(want);
    free(in);
}

static void no_allocation_failure_loses_anything(void)
{
    int full, in_profile;
    for (full = 0; full < 2; full++)
        for (in_profile = 0; in_profile < 2; in_profile++) {
            T_FAILING(every_allocation_may_fail("tail", "cs", full, in_profile));
            if (t_size(full == in_profile, 1)) T_FAILING(every_allocation_may_fail("demo", "cs", full, in_profile));
            if (t_size(full != in_profile, 1)) T_FAILING(every_allocation_may_fail("demo", "nocs", full, in_profile));
        }
}

static void a_limit_of_memory_is_kept(void)
{
    static const uint64_t bytes[] = { 1200, 20000, 100000 };
    char *in = counters_file("mix", "cs"), *want = profile_text("mix", "cs", 0);
    size_t i;
    for (i = 0; i < 3; i++) {
        csspgo_options o;
        csspgo_profile *p;
        csspgo_error e;
        recorded r;
        memset(&o, 0, sizeof o);
        o.limits.max_bytes = bytes[i];
        p = new_profile(&o);
        recorded_open(&r, "mix", NULL);
        counters_of(r.c, &r.how, in);
        T_EQ(csspgo_collector_profile(r.c, NULL, p, NULL, &e), CSSPGO_E_LIMIT);
        T_EQ(csspgo_node_count(p), 0);
        csspgo_profile_free(p);
        p = new_profile(NULL);
        T_EQ(csspgo_collector_profile(r.c, NULL, p, NULL, &e), CSSPGO_OK);
        same_text("later", p, want);
        csspgo_profile_free(p);
        recorded_close(&r);
    }
    free(in);
    free(want);
}

/* A function that calls itself at 64 places: each path through them is a context. */
static void lab_open_paths(lab *l, const csspgo_collector_options *how, const csspgo_options *o)
{
    uint32_t f, i;
    lab_open(l, how, NULL);
    csspgo_collector_free(l->c);
    l->c = csspgo_collector_new(l->code, how, o, NULL);
    if (l->c == NULL) abort();
    lab_function(l, 0x1000, 0x1000, "f", 0);
    f = lab_node(l, 0, 0, "f");
    lab_probe(l, f, 1, 0x1000);
    for (i = 0; i < 64; i++) {
        lab_transfer(l, 0x1010 + i * 16, 5, CSSPGO_CALL, 0x1000);
        lab_call(l, f, 2 + i, 0x1010 + i * 16);
    }
    lab_ready(l);
}

/* Sample number i, and as many equal ones as count says: six frames, each another of 64 calls. */
static csspgo_status lab_path(lab *l, uint32_t i, uint64_t count)
{
    csspgo_branch branch[2];
    uint64_t stack[7];
    csspgo_sample s;
    unsigned k;
    memset(&s, 0, sizeof s);
    memset(branch, 0, sizeof branch);
    stack[0] = 0x1008;
    for (k = 1; k < 7; k++) stack[k] = 0x1015 + ((i * 2654435761u >> (26 - 4 * k)) & 63) * 16;
    for (k = 0; k < 2; k++) {
        branch[k].from = stack[k + 1] - 5;
        branch[k].to = 0x1000;
    }
    s.stack = stack;
    s.stack_count = 7;
    s.branches = branch;
    s.branch_count = 2;
    s.count = count;
    return csspgo_collector_add(l->c, &s, 1, NULL);
}

/* A collector at its limit says E_FULL, gives what it has, and goes on: nothing of what it took is lost. */
static void a_full_collector_gives_its_profile(void)
{
    csspgo_collector_options how;
    csspgo_options o;
    unsigned round;
    uint32_t i = 0;
    lab l;
    memset(&how, 0, sizeof how);
    memset(&o, 0, sizeof o);
    how.limit_recursion = 1;
    how.cache_bytes = 16384;
    o.limits.max_bytes = 200000;
    lab_open_paths(&l, &how, &o);
    for (round = 0; round < 4; round++) {
        csspgo_unsymbolized_options text;
        csspgo_status s = CSSPGO_OK;
        const uint32_t first = i;
        csspgo_error e;
        size_t size;
        text.module = no_module();
        text.base = 0;
        while (s == CSSPGO_OK && i < 1000000) s = lab_path(&l, i++, 1);
        T_EQ(s, CSSPGO_E_FULL);
        T_CHECK(i > first + 100);
        T_CHECK(csspgo_collector_memory(l.c) <= o.limits.max_bytes);
        T_EQ(csspgo_write_unsymbolized(l.c, &text, NULL, 0, &size, &e), CSSPGO_OK);
        T_EQ(csspgo_collector_profile(l.c, NULL, l.p, NULL, &e), CSSPGO_OK);
        T_CHECK(csspgo_collector_memory(l.c) <= o.limits.max_bytes && t_valid(l.p));
    }
    T_EQ(csspgo_collector_get_stats(l.c).samples, i - round);         /* the one that said E_FULL was not taken */
    lab_close(&l);
}

/* ----- laws of budgets -------------------------------------------------------------------------------------------- */

/* Memory that ends: `room` bytes, of which each piece takes what it asks for, or (powers) the next power of two. */
typedef struct budget {
    size_t room, used, live, peak;
    unsigned long failed;
    int powers;
    void *bin[48];                /* powers: free pieces; such an arena never splits or joins them */
    char *memory;
} budget;

static unsigned budget_bin(size_t size)
{
    unsigned bin = 4;
    while (((size_t)1 << bin) < size) bin++;
    return bin;
}

static void *budget_alloc(void *ctx, size_t size)
{
    budget *b = (budget *)ctx;
    const unsigned bin = budget_bin(size);
    void *p = b->powers ? b->bin[bin] : NULL;
    if (p != NULL) {
        memcpy(&b->bin[bin], p, sizeof p);
    } else if (b->powers ? b->room - b->used >= (size_t)1 << bin : b->room - b->live >= size) {
        p = b->powers ? b->memory + b->used : (char *)malloc(size);
        if (b->powers) b->used += (size_t)1 << bin;
    } else {
        b->failed++;
        return NULL;
    }
    b->live += size;
    if (b->live > b->peak) b->peak = b->live;
    return p;
}

static void budget_free(void *ctx, void *p, size_t size)
{
    budget *b = (budget *)ctx;
    const unsigned bin = budget_bin(size);
    b->live -= size;
    if (!b->powers) {
        free(p);
        return;
    }
    memcpy(p, &b->bin[bin], sizeof p);
    b->bin[bin] = p;
}

/* The least limit that a refusal names. */
static uint64_t least_of(const csspgo_error *e)
{
    const char *at = strstr(e->message, "the least is ");
    T_EQ(e->status, CSSPGO_E_LIMIT);
    return T_CHECK(at != NULL) ? (uint64_t)strtoull(at + 13, NULL, 10) : 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* What so many paths give without limits. */
static csspgo_profile *paths_profile(const csspgo_collector_options *how, uint32_t paths)
{
    csspgo_profile *p;
    uint32_t i;
    lab l;
    lab_open_paths(&l, how, NULL);
    for (i = 0; i < paths; i++) T_EQ(lab_path(&l, i, 1 + i % 3), CSSPGO_OK);
    lab_profile(&l);
    p = l.p;
    l.p = new_profile(NULL);
    lab_close(&l);
    return p;
}

/*
 * A collector with so much memory takes all samples, drained whenever it is full, and none is lost or counted twice; or
 * it is refused with the least limit, with which it does that. Returns the most memory that it took, in 1/100 of the
 * limit. room: what its allocator has, in quarters of the limit, and 16 KB; 0: all memory there is.
 */
static size_t budget_run(const csspgo_collector_options *how, uint64_t most, unsigned room, int powers, uint32_t paths,
                         const csspgo_profile *want)
{
    csspgo_options o;
    csspgo_error e;
    budget b;
    uint32_t i;
    size_t peak;
    unsigned drained = 0;
    lab l;
    memset(&o, 0, sizeof o);
    memset(&b, 0, sizeof b);
    lab_open_paths(&l, how, NULL);
    csspgo_collector_free(l.c);
    o.limits.max_bytes = most;
    l.c = csspgo_collector_new(l.code, how, &o, &e);
    if (l.c == NULL) {
        most = least_of(&e);
        o.limits.max_bytes = most - 1;
        T_CHECK(csspgo_collector_new(l.code, how, &o, &e) == NULL && least_of(&e) == most);
    } else csspgo_collector_free(l.c);
    o.limits.max_bytes = most;
    b.room = room != 0 ? (size_t)most / 4 * room + 16384 : SIZE_MAX / 2;
    b.powers = powers;
    b.memory = powers ? (char *)malloc(b.room) : NULL;
    o.allocator.alloc_fn = budget_alloc;
    o.allocator.free_fn = budget_free;
    o.allocator.ctx = &b;
    l.c = csspgo_collector_new(l.code, how, &o, &e);
    if (!T_CHECK(l.c != NULL)) abort();
    for (i = 0; i < paths; i++) {
        csspgo_status s = lab_path(&l, i, 1 + i % 3);
        T_CHECK(csspgo_collector_memory(l.c) <= most);
        if (s == CSSPGO_OK) continue;
        T_CHECK(s == CSSPGO_E_FULL || (s == CSSPGO_E_NOMEM && b.failed != 0));
        drained++;
        if (!T_EQ(csspgo_collector_profile(l.c, NULL, l.p, NULL, &e), CSSPGO_OK)) break;
        if (!T_EQ(lab_path(&l, i, 1 + i % 3), CSSPGO_OK)) break;
    }
    T_EQ(csspgo_collector_profile(l.c, NULL, l.p, NULL, &e), CSSPGO_OK);
    T_CHECK(csspgo_collector_memory(l.c) <= most);
    T_EQ(csspgo_collector_get_stats(l.c).samples, paths + paths / 3 * 3);
    T_CHECK(csspgo_equal(l.p, want) && t_valid(l.p));
    T_CHECK(drained != 0 || how->ignore_stack || most > 200 * (uint64_t)paths);
    peak = b.peak;
    lab_close(&l);
    T_EQ(b.live, 0);
    free(b.memory);
    return (size_t)(peak * 100 / most);
}

static void what_a_limit_accepts_it_can_drain(void)
{
    static const uint32_t cache[] = { 0, 1, 16384, 65536 };
    const uint32_t paths = (uint32_t)t_size(400, 1200);
    csspgo_collector_options how;
    uint64_t most;
    size_t k, worst[3] = { 0, 0, 0 };
    unsigned flat;
    memset(&how, 0, sizeof how);
    for (flat = 0; flat < 2; flat++) {
        csspgo_profile *want;
        how.ignore_stack = flat;
        how.limit_recursion = !flat;
        want = paths_profile(&how, paths);
        for (k = 0; k < sizeof cache / sizeof *cache; k++)
            for (most = 1000; most < 2000000; most += most / (uint64_t)t_size(1, 2)) {
                how.cache_bytes = cache[k];
                worst[0] = larger(worst[0], budget_run(&how, most, 0, 0, paths, want));
                worst[1] = larger(worst[1], budget_run(&how, most, 4, 0, paths, want));
                worst[2] = larger(worst[2], budget_run(&how, most, 12, 1, paths, want));
            }
        csspgo_profile_free(want);
    }
    T_CHECK(worst[0] <= 150 && worst[1] <= 150 && worst[2] <= 150);
}

/* The profile's limit is another one; the message says which. */
static void a_message_names_the_limit_and_its_object(void)
{
    csspgo_options o;
    csspgo_profile *p;
    csspgo_error e;
    uint32_t i;
    lab l;
    lab_open_paths(&l, NULL, NULL);
    for (i = 0; i < 5000; i++) T_EQ(lab_path(&l, i, 1), CSSPGO_OK);
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 20000;
    p = new_profile(&o);
    T_EQ(csspgo_collector_profile(l.c, NULL, p, NULL, &e), CSSPGO_E_LIMIT);
    T_CHECK(strstr(e.message, "limits.max_bytes") != NULL && strstr(e.message, "20000") != NULL &&
            strstr(e.message, "profile") != NULL);
    csspgo_profile_free(p);
    lab_close(&l);
}

/* What a memset made is one sample; LLVM mode takes a text's 0 for 0. */
static void a_sample_without_a_count_counts_once(void)
{
    lab l;
    lab_open_paths(&l, NULL, NULL);
    T_EQ(lab_path(&l, 1, 0), CSSPGO_OK);
    T_EQ(lab_path(&l, 1, 2), CSSPGO_OK);
    T_EQ(csspgo_collector_get_stats(l.c).samples, 3);
    T_EQ(csspgo_collector_profile(l.c, NULL, l.p, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_body_count(l.p, csspgo_func_nodes(l.p, csspgo_func_find(l.p, "f", 1)), csspgo_loc_at(1, 0)) % 3, 0);
    T_CHECK(csspgo_record_count(l.p) != 0);
    lab_close(&l);
}

/* ----- x01_basic: decoded probe sections, a compiler's code, perf script ----- */

static csspgo_symbol_base *x01_symbols(char *text, size_t *count)
{
    csspgo_symbol_base *v = NULL;
    char *line;
    for (*count = 0; (line = t_piece(&text, "\n")) != NULL;) {
        const char *name = strrchr(line, ' ');
        if (*line == '#' || name == NULL) continue;
        v = (csspgo_symbol_base *)t_list_more(v, *count, sizeof *v);
        v[*count].guid = csspgo_guid(name + 1, strlen(name + 1));
        v[(*count)++].address = t_hex(line);
    }
    return v;
}

static void x01_open(t_table *t)
{
    csspgo_probe_set *probes = csspgo_probe_set_new(NULL, NULL);
    csspgo_probe_tables tables;
    csspgo_probe_section in;
    csspgo_error e;
    size_t text_size, size, desc_size;
    char *text = t_file("data/probes/x01_basic/symbols.txt", &text_size);
    char *bytes = t_file("data/probes/x01_basic/probe.bin", &size);
    char *desc = t_file("data/probes/x01_basic/desc.bin", &desc_size);
    csspgo_symbol_base *bases;
    memset(&in, 0, sizeof in);
    in.bases = bases = x01_symbols(text, &in.base_count);
    in.data = bytes;
    in.size = size;
    T_EQ(t_table_load(t, "data/probes/usage/x01_basic.tsv", NULL), CSSPGO_OK);
    T_EQ(csspgo_probe_set_decode(probes, &in, &e), CSSPGO_OK);
    T_EQ(csspgo_probe_set_decode_descriptors(probes, desc, desc_size, &e), CSSPGO_OK);
    tables = csspgo_probe_set_tables(probes);
    T_EQ(csspgo_code_add_descriptors(t->code, tables.descriptors, tables.descriptor_count, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_probes(t->code, t->module, tables.inlines, tables.inline_count, tables.probes,
                                tables.probe_count, NULL), CSSPGO_OK);
    csspgo_probe_set_free(probes);
    free(bases);
    free(text);
    free(bytes);
    free(desc);
}

static void x01_gives(csspgo_collector *c, const char *name)
{
    csspgo_generate_options make;
    csspgo_profile *p = new_profile(NULL);
    csspgo_error e;
    char path[128], *want;
    size_t size;
    memset(&make, 0, sizeof make);
    make.llvm = 19;
    T_EQ(csspgo_collector_profile(c, &make, p, NULL, &e), CSSPGO_OK);
    snprintf(path, sizeof path, "data/probes/usage/%s.prof", name);
    want = t_file(path, &size);
    same_text(path, p, want);
    free(want);
    csspgo_profile_free(p);
}

static void a_compilers_probes_count_as_llvm_says(void)
{
    static const char *const input[] = { "flat1", "flat2", "flat3", "flat4", "flat5", "cs1", "cs2" };
    csspgo_unsymbolized_options how;
    t_table t;
    size_t i, k, size;
    x01_open(&t);
    how.module = t.module;
    how.base = 0;
    for (i = 0; i < 7; i++) {
        csspgo_collector *c = llvm_collector(t.code, NULL, NULL);
        char path[128], *text;
        snprintf(path, sizeof path, "data/probes/usage/%s.%s", input[i], i < 5 ? "ranges" : "raw");
        text = t_file(path, &size);
        counters_of(c, &how, text);
        x01_gives(c, input[i]);
        free(text);
        csspgo_collector_free(c);
        if (i < 5) continue;
        c = llvm_collector(t.code, NULL, NULL);
        snprintf(path, sizeof path, "data/probes/usage/%s.perfscript", input[i]);
        {
            samples all = samples_of(path);
            for (k = 0; k < all.n; k++) T_EQ(csspgo_collector_add(c, &all.v[k], 1, NULL), CSSPGO_OK);
            samples_free(&all);
        }
        x01_gives(c, input[i]);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

/* ----- a JIT that emits its code again and again ------------------------------------------------------------------ */

enum { EMIT_CALLER = 0x1000, EMIT_BASE = 0x100000, EMIT_SLOT = 0x1000 };

typedef struct emitter {          /* function i is at EMIT_BASE + i * EMIT_SLOT */
    csspgo_code *code;
    uint32_t     state;           /* of random sizes                            */
    unsigned     failed;
} emitter;

/* Emits a function with a loop of 48 bytes at its begin, and probes 1 to n. */
static void emit(emitter *e, uint64_t at, uint64_t guid, uint32_t size, uint32_t n)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function f;
    csspgo_transfer x[2];
    csspgo_inline_node in;
    csspgo_probe p[32];
    uint32_t i;
    memset(&f, 0, sizeof f);
    memset(x, 0, sizeof x);
    memset(&in, 0, sizeof in);
    memset(p, 0, sizeof p);
    f.begin = at;
    f.end = at + size;
    f.guid = in.guid = guid;
    x[0].address = at + 46;
    x[0].size = 2;
    x[0].kind = CSSPGO_COND;
    x[0].target = at;
    x[1].address = at + size - 1;
    x[1].size = 1;
    x[1].kind = CSSPGO_RET;
    for (i = 0; i < n; i++) {
        p[i].address = at + i * (size / n);
        p[i].id = i + 1;
        p[i].inline_node = 1;
    }
    e->failed += csspgo_code_add_function(e->code, none, &f, NULL) != CSSPGO_OK;
    e->failed += csspgo_code_add_transfers(e->code, none, x, 2, NULL) != CSSPGO_OK;
    e->failed += csspgo_code_add_probes(e->code, none, &in, 1, p, n, NULL) != CSSPGO_OK;
}

/* Emits the function that calls all others, at call probe 2. */
static void emit_caller(emitter *e)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function f;
    csspgo_transfer x;
    csspgo_inline_node in;
    csspgo_probe p[2];
    memset(&f, 0, sizeof f);
    memset(&x, 0, sizeof x);
    memset(&in, 0, sizeof in);
    memset(p, 0, sizeof p);
    f.begin = p[0].address = EMIT_CALLER;
    f.end = EMIT_CALLER + 64;
    f.guid = in.guid = 7;
    p[0].id = p[0].inline_node = p[1].inline_node = 1;
    p[1].id = 2;
    p[1].address = x.address = EMIT_CALLER + 8;
    p[1].kind = CSSPGO_PROBE_INDIRECT_CALL;
    x.size = 5;
    x.kind = CSSPGO_CALL;
    e->failed += csspgo_code_add_function(e->code, none, &f, NULL) != CSSPGO_OK;
    e->failed += csspgo_code_add_transfers(e->code, none, &x, 1, NULL) != CSSPGO_OK;
    e->failed += csspgo_code_add_probes(e->code, none, &in, 1, p, 2, NULL) != CSSPGO_OK;
}

static void emit_function(emitter *e, uint32_t i)
{
    e->state = e->state * 1664525u + 1013904223u;
    emit(e, EMIT_BASE + (uint64_t)i * EMIT_SLOT, 100 + i, 256 + (e->state >> 21), 8 + (e->state >> 8) % 8);
}

/* A sample: the loop of a function at an address ran once, called from the caller. */
static int sample_loop(csspgo_collector *c, uint64_t at)
{
    csspgo_branch branches[2];
    uint64_t stack[2];
    csspgo_sample s;
    memset(branches, 0, sizeof branches);
    memset(&s, 0, sizeof s);
    branches[0].from = branches[1].from = at + 46;
    branches[0].to = branches[1].to = stack[0] = at;
    stack[1] = EMIT_CALLER + 13;
    s.stack = stack;
    s.branches = branches;
    s.stack_count = s.branch_count = 2;
    s.count = 1;
    return csspgo_collector_add(c, &s, 1, NULL) == CSSPGO_OK;
}

enum { WITH_STACK = 0, WITHOUT_STACK = 1, AGGREGATED = 2, TEXT = 3, KINDS = 4 };

/* The loop of the function at EMIT_BASE ran `count` times, by one of four ways to say so. */
static void loop_ran(csspgo_collector *c, int way, uint64_t count)
{
    const uint64_t at = EMIT_BASE;
    uint64_t stack[2] = { EMIT_BASE, EMIT_CALLER + 13 };
    csspgo_branch branches[2];
    csspgo_preagg_line line;
    csspgo_sample s;
    char text[100];
    memset(branches, 0, sizeof branches);
    memset(&s, 0, sizeof s);
    memset(&line, 0, sizeof line);
    branches[0].from = branches[1].from = at + 46;
    branches[0].to = branches[1].to = at;
    s.stack = stack;
    s.stack_count = way == WITH_STACK ? 2 : 0;
    s.branches = branches;
    s.branch_count = 2;
    s.count = count;
    line.kind = 'F';
    line.to = at;
    line.end = at + 46;
    line.count = count;
    sprintf(text, "1\n%llx-%llx:%lu\n0\n", (unsigned long long)at, (unsigned long long)at + 46, (unsigned long)count);
    if (way == AGGREGATED) T_EQ(csspgo_collector_count(c, &line, 1, NULL), CSSPGO_OK);
    else if (way == TEXT) T_EQ(csspgo_read_unsymbolized(c, text, strlen(text), NULL, NULL), CSSPGO_OK);
    else T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
}

/* The counts of the loop in a profile with contexts: in that of the caller, and in none. */
static void expect_loop(const csspgo_profile *p, uint64_t with, uint64_t without)
{
    uint64_t found[2] = { 0, 0 };
    csspgo_node n;
    T_EQ(csspgo_profile_flags(p) & CSSPGO_IS_CS, CSSPGO_IS_CS);
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    for (n.id = 2; n.id <= csspgo_node_count(p) + 1; n.id++)
        if (csspgo_func_guid(p, csspgo_node_func(p, n)) == 100)
            found[csspgo_node_parent(p, n).id == 1] += csspgo_body_count(p, n, csspgo_loc_at(1, 0));
    T_EQ(found[0], with);
    T_EQ(found[1], without);
}

/* Whatever comes first: a stack makes contexts, all that has no stack counts without one. */
static void any_order_of_what_has_a_stack_and_what_has_none_gives_the_same_profile(void)
{
    static const unsigned char order[24][4] = {
        { 0, 1, 2, 3 }, { 0, 1, 3, 2 }, { 0, 2, 1, 3 }, { 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 0, 3, 2, 1 },
        { 1, 0, 2, 3 }, { 1, 0, 3, 2 }, { 1, 2, 0, 3 }, { 1, 2, 3, 0 }, { 1, 3, 0, 2 }, { 1, 3, 2, 0 },
        { 2, 0, 1, 3 }, { 2, 0, 3, 1 }, { 2, 1, 0, 3 }, { 2, 1, 3, 0 }, { 2, 3, 0, 1 }, { 2, 3, 1, 0 },
        { 3, 0, 1, 2 }, { 3, 0, 2, 1 }, { 3, 1, 0, 2 }, { 3, 1, 2, 0 }, { 3, 2, 0, 1 }, { 3, 2, 1, 0 } };
    csspgo_profile *first = NULL;
    csspgo_collector *c;
    emitter e;
    size_t i, k;
    memset(&e, 0, sizeof e);
    e.code = csspgo_code_new(NULL, NULL);
    emit_caller(&e);
    emit(&e, EMIT_BASE, 100, 256, 8);
    c = csspgo_collector_new(e.code, NULL, NULL, NULL);
    for (i = 0; i < 24; i++) {
        csspgo_profile *p = new_profile(NULL);
        for (k = 0; k < KINDS; k++) {
            loop_ran(c, order[i][k], 1u << 4 * order[i][k]);
            if (k == 0) T_EQ(csspgo_collector_has_contexts(c), order[i][k] == WITH_STACK);   /* it starts anew */
        }
        T_EQ(csspgo_collector_has_contexts(c), 1);
        T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_collector_has_contexts(c), 1);                   /* of the profile just taken */
        expect_loop(p, 0x1, 0x1110);
        if (first == NULL) first = p;
        else T_CHECK(csspgo_equal(p, first));
        if (p != first) csspgo_profile_free(p);
    }
    T_EQ(csspgo_collector_get_stats(c).no_stack, 24 * 16);
    csspgo_profile_free(first);
    csspgo_collector_free(c);
    csspgo_code_free(e.code);
    T_EQ(e.failed, 0);
}

/* Profile after profile of one collector: each is of the kind that its samples make it, or joins what is there. */
static void each_profile_decides_anew_and_joins_what_is_there(void)
{
    csspgo_collector_options how;
    csspgo_profile *p = new_profile(NULL), *flat = new_profile(NULL);
    csspgo_collector *c;
    csspgo_error err;
    emitter e;
    memset(&e, 0, sizeof e);
    memset(&how, 0, sizeof how);
    e.code = csspgo_code_new(NULL, NULL);
    emit_caller(&e);
    emit(&e, EMIT_BASE, 100, 256, 8);
    c = csspgo_collector_new(e.code, NULL, NULL, NULL);
    loop_ran(c, WITH_STACK, 1);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
    expect_loop(p, 1, 0);
    loop_ran(c, WITHOUT_STACK, 16);                          /* a time without any stack: its counts join */
    T_EQ(csspgo_collector_has_contexts(c), 0);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
    expect_loop(p, 1, 16);
    loop_ran(c, WITHOUT_STACK, 16);                          /* alone it is a profile without contexts */
    T_EQ(csspgo_collector_profile(c, NULL, flat, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_profile_flags(flat) & CSSPGO_IS_CS, 0);
    loop_ran(c, WITHOUT_STACK, 16);
    loop_ran(c, WITH_STACK, 1);
    T_EQ(csspgo_collector_profile(c, NULL, flat, NULL, &err), CSSPGO_E_ARGUMENT);
    T_EQ(err.status, CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);        /* nothing was lost */
    expect_loop(p, 2, 32);
    csspgo_collector_free(c);
    how.always_contexts = 1;
    c = csspgo_collector_new(e.code, &how, NULL, NULL);
    csspgo_profile_free(flat);
    flat = new_profile(NULL);
    loop_ran(c, WITHOUT_STACK, 3);
    T_EQ(csspgo_collector_profile(c, NULL, flat, NULL, NULL), CSSPGO_OK);
    expect_loop(flat, 0, 3);
    csspgo_collector_free(c);
    how.always_contexts = 0;
    how.ignore_stack = 1;
    c = csspgo_collector_new(e.code, &how, NULL, NULL);
    loop_ran(c, WITH_STACK, 3);
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_E_ARGUMENT);   /* contexts were not wanted */
    csspgo_collector_free(c);
    csspgo_profile_free(p);
    csspgo_profile_free(flat);
    csspgo_code_free(e.code);
    T_EQ(e.failed, 0);
}

/*
 * `rounds` times one of n functions is removed and emitted again, anew of another size; one of `every` was sampled
 * before. A profile is taken every 1,000 rounds. All counts arrive, and memory stays what it was.
 */
static void emit_again(uint32_t n, uint32_t rounds, uint32_t every)
{
    t_heap h, g;
    const csspgo_options code_options = t_options(&h, 0), options = t_options(&g, 0);
    csspgo_collector_options how;
    csspgo_profile *p = new_profile(NULL);
    uint32_t *taken = (uint32_t *)calloc(n, sizeof *taken), i, wrong = 0;
    size_t live, early = 0, late = 0, early_peak = 0;
    csspgo_collector *c;
    csspgo_code_stats stats;
    emitter e;
    memset(&how, 0, sizeof how);
    memset(&e, 0, sizeof e);
    how.keep_leaves = 1;
    how.cache_bytes = 1 << 16;
    e.code = csspgo_code_new(&code_options, NULL);
    c = csspgo_collector_new(e.code, &how, &options, NULL);
    T_CHECK(c != NULL && taken != NULL);
    emit_caller(&e);
    for (i = 0; i < n; i++) emit_function(&e, i);
    live = h.live_bytes;
    for (i = 0; i < rounds; i++) {
        const uint32_t k = (uint32_t)((uint64_t)i * 7919 % n);
        const uint64_t at = EMIT_BASE + (uint64_t)k * EMIT_SLOT;
        if (i % every == 0) {
            e.failed += !sample_loop(c, at);
            taken[k]++;
        }
        e.failed += csspgo_code_remove(e.code, at, at + EMIT_SLOT, NULL) != CSSPGO_OK;
        if (i % 777 == 0) {
            e.failed += csspgo_code_remove(e.code, EMIT_CALLER, EMIT_CALLER + 64, NULL) != CSSPGO_OK;
            emit_caller(&e);
        }
        emit_function(&e, k);
        if (i % 1000 == 999) e.failed += csspgo_collector_profile(c, NULL, p, NULL, NULL) != CSSPGO_OK;
        if (i < rounds / 5 && h.live_bytes > early) early = h.live_bytes;
        if (i >= rounds / 5 && h.live_bytes > late) late = h.live_bytes;
        if (i == rounds / 5) early_peak = g.peak;
    }
    T_EQ(e.failed, 0);
    T_CHECK(late <= early + early / 8);
    T_CHECK(g.peak <= early_peak + early_peak / 4);
    T_CHECK(early <= 2 * (live + live / n * (1000 / every)) + 65536);   /* live code, and code with counts not taken */
    T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
    for (i = 0; i < n; i++) {
        const csspgo_node caller = csspgo_child(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, csspgo_func_add_guid(p, 7));
        const csspgo_node node = csspgo_child(p, caller, csspgo_loc_at(2, 0), CSSPGO_CONTEXT, csspgo_func_add_guid(p, 100 + i));
        wrong += csspgo_body_count(p, node, csspgo_loc_at(1, 0)) != taken[i];
    }
    T_EQ(wrong, 0);
    for (i = 0; i < n; i++)
        csspgo_code_remove(e.code, EMIT_BASE + (uint64_t)i * EMIT_SLOT, EMIT_BASE + (uint64_t)(i + 1) * EMIT_SLOT,
                           NULL);
    while (csspgo_code_step(e.code, 1000, NULL) == CSSPGO_MORE) {}          /* what changes put off */
    stats = csspgo_code_get_stats(e.code);
    T_EQ(stats.code_bytes, 64);
    T_CHECK(stats.removed_bytes <= 16 && stats.probes <= 4 && stats.functions == 1);
    csspgo_collector_free(c);
    csspgo_code_free(e.code);
    csspgo_profile_free(p);
    T_EQ(h.live, 0);
    T_EQ(g.live, 0);
    free(taken);
}

static void memory_follows_code_that_is_alive_and_counts_not_taken(void)
{
    const uint32_t rounds = (uint32_t)t_size(8000, 20000);
    emit_again(1000, rounds, 4);
    emit_again(1000, 5000, 1);
    emit_again(1, rounds, 100000);
    emit_again(3, 5000, 2);
}

int main(void)
{
    recorded_outputs_are_llvm_s();
    a_compilers_probes_count_as_llvm_says();
    copies_of_a_block_add_up_and_the_rest_is_zero();
    a_count_is_the_sum_of_the_ranges_around_it();
    sums_saturate_and_come_back();
    a_probe_that_is_no_instruction_never_counts();
    an_inlined_entry_is_a_call_in_its_caller();
    an_inlined_call_makes_an_inlined_record();
    inlinees_are_nested_without_contexts();
    an_unknown_call_site_drops_the_frames_outside();
    an_unknown_call_site_drops_the_caller_too();
    each_call_of_a_function_is_a_context_of_its_own();
    records_of_one_function_are_added_up();
    a_call_without_probe_hides_its_callers();
    callees_are_entries_by_their_canonical_names();
    start_up_functions_have_no_record();
    functions_may_have_guids_only();
    ids_and_discriminators_are_kept_up_to_16_bits();
    one_chain_of_tail_calls_is_inferred();
    one_tail_call_in_two_contexts_is_one();
    more_than_one_chain_is_not();
    a_cycle_of_tail_calls_is_no_second_chain();
    the_limit_counts_chains();
    a_call_that_was_not_sampled_tells_nothing();
    ranges_are_no_calls();
    returns_and_conditional_branches_are_no_tail_calls();
    a_callee_of_the_call_needs_no_inference();
    one_copy_may_be_in_two_contexts_of_a_key();
    one_copy_may_change_its_context_often();
    a_direct_jump_goes_where_the_code_says();
    what_leads_nowhere_is_looked_at_once();
    many_chains_are_told_quickly();
    contexts_are_cut_to_the_limit();
    a_context_that_is_cut_begins_anew();
    recursion_of_names_is_compressed();
    contexts_that_went_into_a_profile_are_forgotten();
    only_sampled_functions_count_if_asked_for();
    addresses_without_branches_stand_for_the_block_around_them();
    zeros_for_all_functions_if_asked_for();
    a_call_counts_at_least_its_targets_at_top_level();
    code_that_was_replaced_keeps_its_counts();
    memory_follows_code_that_is_alive_and_counts_not_taken();
    the_hash_seed_does_not_matter();
    the_order_of_samples_does_not_matter();
    two_deltas_make_what_one_makes();
    slices_make_what_one_call_makes();
    after_slices_a_collector_is_as_a_new_one();
    a_profile_takes_half_as_much_again();
    tables_grow_between_slices();
    an_empty_collector_changes_nothing();
    flags_of_an_empty_profile_stay();
    functions_of_an_empty_profile_keep_their_handles();
    another_kind_of_profile_is_refused();
    no_allocation_failure_loses_anything();
    a_limit_of_memory_is_kept();
    a_full_collector_gives_its_profile();
    what_a_limit_accepts_it_can_drain();
    a_message_names_the_limit_and_its_object();
    a_sample_without_a_count_counts_once();
    any_order_of_what_has_a_stack_and_what_has_none_gives_the_same_profile();
    each_profile_decides_anew_and_joins_what_is_there();
    return t_end();
}
