/* test_code.c - the code map: areas, windows, modules and mapping events, transfers, functions, probes. */
#include "t.h"
#include "code.h"
#include "table.h"

static csspgo_module make_module(csspgo_code *code, const char *name, const csspgo_segment *segments, size_t count)
{
    const csspgo_module m = csspgo_code_add_module(code, name, strlen(name), segments, count, NULL);
    T_CHECK(m.id != 0);
    return m;
}

static csspgo_segment make_segment(uint64_t address, uint64_t file_offset, uint64_t size, uint32_t executable)
{
    csspgo_segment s;
    s.address = address;
    s.file_offset = file_offset;
    s.size = size;
    s.executable = executable;
    s.reserved = 0;
    return s;
}

static int mapped(csspgo_code *code, uint64_t address, uint64_t file_offset, const char *path, uint32_t executable)
{
    csspgo_mmap e;
    int mapped;
    memset(&e, 0, sizeof e);
    e.address = address;
    e.size = 0x1000;
    e.file_offset = file_offset;
    e.path = path;
    e.path_size = strlen(path);
    e.executable = executable;
    return csspgo_code_mmap(code, &e, &mapped, NULL) == CSSPGO_OK ? mapped : -2;
}

static int is_code(const csspgo_code *c, uint64_t address)
{
    return csspgo_code_runs_straight(c, address, address) >= 0;
}

/* The link-time address of a run-time address in the module, as counters have it; 0: it is not code of the module. */
static uint64_t link_address(csspgo_code *c, csspgo_module module, uint64_t address)
{
    csspgo_collector *collector = csspgo_collector_new(c, NULL, NULL, NULL);
    csspgo_unsymbolized_options how;
    csspgo_branch branch;
    csspgo_sample sample;
    char text[100];
    const char *arrow;
    size_t size;
    memset(&how, 0, sizeof how);
    memset(&branch, 0, sizeof branch);
    memset(&sample, 0, sizeof sample);
    how.module = module;
    branch.from = branch.to = address;
    sample.branches = &branch;
    sample.branch_count = 1;
    sample.count = 1;
    T_EQ(csspgo_collector_add(collector, &sample, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_write_unsymbolized(collector, &how, text, sizeof text - 1, &size, NULL), CSSPGO_OK);
    text[size] = '\0';
    csspgo_collector_free(collector);
    arrow = strstr(text, "->");
    return arrow != NULL ? (uint64_t)strtoull(arrow + 2, NULL, 16) : 0;
}

/* ----- the tables: every answer of the disassembler that llvm-profgen uses ---------------------------------------- */

static const char *const tables[] = {
    "data/unwind/tables/demo.probe.tsv", "data/unwind/tables/demo.line.tsv", "data/unwind/tables/demo.pie.tsv",
    "data/unwind/tables/ext.probe.tsv", "data/unwind/tables/ext.line.tsv", "data/unwind/tables/a64.probe.tsv",
    "data/generate/tables/demo.fs.tsv", "data/generate/tables/demo.line.tsv", "data/generate/tables/demo.probe.tsv",
    "data/generate/tables/mix.probe.tsv", "data/generate/tables/tail.probe.tsv", "data/generate/tables/tiny.line.tsv",
    "data/generate/tables/tiny.probe.tsv", "data/generate/tables/tiny.split.tsv"
};

enum { TABLES = sizeof tables / sizeof tables[0] };

/* Index of the instruction at or above an address. */
static size_t insn_at(const t_table *t, uint64_t address)
{
    size_t i;
    for (i = 0; i < t->insns && t->insn[i].address < address; i++) {}
    return i;
}

/* From an instruction to each of those behind it that are near. */
static void runs_straight_from(const t_table *t, size_t i, const char *what)
{
    int straight = 1;
    size_t k;
    for (k = i; k < t->insns && k < i + 12; k++) {
        const csspgo_transfer_kind kind = t->insn[k].kind;
        const uint64_t from = t->insn[i].address, to = t->insn[k].address;
        T_MSG(csspgo_code_runs_straight(t->code, from, to) == straight, what);
        if (k != i) T_MSG(csspgo_code_runs_straight(t->code, to, from) == 0, what);
        if (t->insn[k].size > 1) T_MSG(csspgo_code_runs_straight(t->code, from, to + 1) == -1, what);
        if (t->insn[k].size > 1) T_MSG(csspgo_code_runs_straight(t->code, to + 1, to) == -1, what);
        straight = straight && kind != CSSPGO_CALL && kind != CSSPGO_RET && kind != CSSPGO_JMP;
    }
}

static void one_table(const t_table *t, const char *what)
{
    csspgo_code *c = t->code;
    uint64_t a, first = t->insn[0].address, last = t->insn[t->insns - 1].address + t->insn[t->insns - 1].size;
    for (a = first - 20; a < last + 20; a++) {
        const size_t i = insn_at(t, a);
        const int is = i < t->insns && t->insn[i].address == a;
        const uint64_t call = is && i != 0 && t->insn[i - 1].kind == CSSPGO_CALL ? t->insn[i - 1].address : 0;
        T_MSG(is_code(c, a) == is, what);
        T_MSG(csspgo_code_transfer_kind(c, a) == (is ? t->insn[i].kind : CSSPGO_NONE), what);
        T_MSG(csspgo_code_call_before(c, a) == call, what);
        if (!is) continue;
        runs_straight_from(t, i, what);
        if (i % 16 == 0) T_MSG(link_address(t->code, t->module, a) == a, what);
    }
}

static void kinds_starts_and_calls_before_are_those_of_llvm_profgen(void)
{
    size_t i;
    for (i = 0; i < TABLES; i++) {
        t_table t;
        if (T_EQ(t_table_load(&t, tables[i], NULL), CSSPGO_OK)) one_table(&t, tables[i]);
        t_table_free(&t);
    }
}

/* Rule Q4 as it is written, for all pairs of instructions. */
static void ranges_run_straight_as_specified(void)
{
    static const size_t some[] = { 0, 3, 5, 10, 13 };
    size_t n, i, k;
    for (n = 0; n < sizeof some / sizeof some[0]; n++) {
        t_table t;
        if (T_EQ(t_table_load(&t, tables[some[n]], NULL), CSSPGO_OK)) {
            unsigned long wrong = 0, straight = 0;
            for (i = 0; i < t.insns; i++) {
                int ok = 1;
                for (k = 0; k < t.insns; k++) {
                    const csspgo_transfer_kind kind = t.insn[k].kind;
                    const int want = k >= i && ok;
                    wrong += csspgo_code_runs_straight(t.code, t.insn[i].address, t.insn[k].address) != want;
                    straight += want != 0;
                    if (k >= i && (kind == CSSPGO_CALL || kind == CSSPGO_JMP || kind == CSSPGO_RET)) ok = 0;
                }
            }
            T_EQ(wrong, 0);
            T_CHECK(straight > t.insns);
        }
        t_table_free(&t);
    }
}

/* ----- probes ----------------------------------------------------------------------------------------------------- */

static void probes_come_back_with_their_inline_stacks(void)
{
    size_t n, i, k, first;
    for (n = 0; n < TABLES; n++) {
        t_table t;
        if (!T_EQ(t_table_load(&t, tables[n], NULL), CSSPGO_OK)) continue;
        for (i = first = 0; i < t.probes; i++) {
            csspgo_frame f[8];
            size_t depth;
            uint32_t node = t.probe[i].inline_node, kind = 99;
            if (t.probe[i].address != t.probe[first].address) first = i;
            depth = csspgo_code_probe_stack(t.code, t.probe[i].address, i - first, f, 8, &kind);
            T_MSG(depth >= 1 && depth <= 8, tables[n]);
            if (depth < 1 || depth > 8) continue;
            T_EQ(f[depth - 1].loc.line, t.probe[i].id);
            T_EQ(f[depth - 1].loc.discriminator, t.probe[i].discriminator);
            T_EQ(kind, t.probe[i].kind);
            for (k = depth; k-- > 0; node = t.node[node - 1].parent) {
                T_EQ(f[k].guid, t.node[node - 1].guid);
                T_CHECK(f[k].name != NULL && csspgo_guid(f[k].name, f[k].name_size) == f[k].guid);
                if (k != 0) T_EQ(f[k - 1].loc.line, t.node[node - 1].site);
            }
            T_EQ(node, 0);
            T_EQ(csspgo_code_probe_stack(t.code, t.probe[i].address, i - first, NULL, 0, NULL), depth);
        }
        for (i = 0; i < t.insns; i++) {
            size_t want = 0;
            for (k = 0; k < t.probes; k++) want += t.probe[k].address == t.insn[i].address;
            T_EQ(csspgo_code_probe_count(t.code, t.insn[i].address), want);
            T_EQ(csspgo_code_probe_stack(t.code, t.insn[i].address, want, NULL, 0, NULL), 0);
        }
        T_EQ(csspgo_code_probe_count(t.code, 1), 0);
        t_table_free(&t);
    }
}

static void short_frame_arrays_get_the_outermost_frames(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_inline_node in[3];
    csspgo_probe p;
    csspgo_frame f[3];
    uint32_t kind = 99;
    size_t i;
    memset(in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    for (i = 0; i < 3; i++) {
        in[i].guid = 100 + i;
        in[i].parent = (uint32_t)i;
        in[i].site = (uint32_t)(10 + i);
    }
    p.address = 0x5000;
    p.id = 7;
    p.inline_node = 3;
    p.kind = CSSPGO_PROBE_DIRECT_CALL;
    T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x5000, 16, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_probes(c, csspgo_no_module(), in, 3, &p, 1, NULL), CSSPGO_OK);
    memset(f, 0x77, sizeof f);
    T_EQ(csspgo_code_probe_stack(c, 0x5000, 0, f, 2, NULL), 3);
    T_EQ(f[0].guid, 100);
    T_EQ(f[0].loc.line, 11);
    T_EQ(f[1].guid, 101);
    T_EQ(f[1].loc.line, 12);
    T_CHECK(f[1].name == NULL);
    T_EQ(f[2].loc.line, 0x77777777);                     /* not touched */
    T_EQ(csspgo_code_probe_stack(c, 0x5000, 0, f, 3, &kind), 3);
    T_EQ(f[2].guid, 102);
    T_EQ(f[2].loc.line, 7);
    T_EQ(kind, CSSPGO_PROBE_DIRECT_CALL);
    kind = 99;
    T_EQ(csspgo_code_probe_stack(c, 0x5000, 1, f, 3, &kind), 0);
    T_EQ(kind, 99);
    csspgo_code_free(c);
}

static void bad_probe_tables_add_nothing(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_inline_node in[2];
    csspgo_probe p;
    csspgo_module none = csspgo_no_module(), bad;
    memset(in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    bad.id = 5;
    in[0].guid = in[1].guid = 1;
    p.address = 0x5000;
    p.id = 1;
    T_EQ(csspgo_code_add_area(c, none, 0x5000, 16, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_probes(c, none, in, 2, &p, 1, NULL), CSSPGO_E_ARGUMENT);   /* inline node 0 */
    p.inline_node = 3;
    T_EQ(csspgo_code_add_probes(c, none, in, 2, &p, 1, NULL), CSSPGO_E_ARGUMENT);
    p.inline_node = 1;
    in[0].parent = 1;                                 /* itself */
    T_EQ(csspgo_code_add_probes(c, none, in, 2, &p, 1, NULL), CSSPGO_E_ARGUMENT);
    in[0].parent = 0;
    T_EQ(csspgo_code_add_probes(c, bad, in, 2, &p, 1, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_probe_count(c, 0x5000), 0);
    p.address = 0x9000;                               /* outside: kept without a place */
    T_EQ(csspgo_code_add_probes(c, none, in, 2, &p, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_probe_count(c, 0x9000), 0);
    csspgo_code_free(c);
}

static void many_small_probe_tables_are_like_one(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_inline_node in;
    csspgo_probe p;
    uint32_t i;
    csspgo_frame f;
    memset(&in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x10000, 0x10000, NULL), CSSPGO_OK);
    for (i = 0; i < 3000; i++) {
        in.guid = i + 1;
        p.address = 0x10000 + (i * 7919u) % 0x10000u;   /* in no order */
        p.id = i + 1;
        p.inline_node = 1;
        T_EQ(csspgo_code_add_probes(c, csspgo_no_module(), &in, 1, &p, 1, NULL), CSSPGO_OK);
    }
    for (i = 0; i < 3000; i++) {
        const uint64_t at = 0x10000 + (i * 7919u) % 0x10000u;
        T_EQ(csspgo_code_probe_count(c, at), 1);
        T_EQ(csspgo_code_probe_stack(c, at, 0, &f, 1, NULL), 1);
        T_EQ(f.guid, i + 1);
        T_EQ(f.loc.line, i + 1);
    }
    csspgo_code_free(c);
}

/* ----- areas ------------------------------------------------------------------------------------------------------ */

static void overlapping_code_is_refused(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    const csspgo_module none = csspgo_no_module();
    csspgo_module bad;
    bad.id = 1;
    T_EQ(csspgo_code_transfer_kind(c, 0), CSSPGO_NONE); /* an empty map has answers too */
    T_EQ(csspgo_code_call_before(c, 5), 0);
    T_EQ(csspgo_code_runs_straight(c, 5, 5), -1);
    T_EQ(csspgo_code_probe_count(c, 5), 0);
    T_EQ(csspgo_code_add_area(c, none, 0x1000, 0x100, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(c, none, 0x1000, 0x100, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_area(c, none, 0x10ff, 1, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_area(c, none, 0xfff, 2, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_area(c, none, 0, 0x10000, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_area(c, none, 0x2000, 0, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_area(c, none, UINT64_MAX - 5, 100, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_area(c, bad, 0x2000, 1, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_area(c, none, 0x1100, 0x100, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(c, none, 0xf00, 0x100, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(c, none, 0x100000000000, (uint64_t)1 << 33, NULL), CSSPGO_E_RANGE);
    T_CHECK(!is_code(c, 0xeff) && is_code(c, 0xf00));
    T_CHECK(is_code(c, 0x11ff) && !is_code(c, 0x1200));
    csspgo_code_free(c);
    csspgo_code_free(NULL);
}

static void decoding_restarts_at_symbols(void)
{
    static const unsigned char code[] = { 0x90, 0xe8, 1, 2, 3, 4, 0xc3, 0xff, 0xff, 0xc3 };   /* nop call ret bad ret */
    static const uint64_t starts[] = { 0x2000, 0x2001, 0x2001, 0x2002, 0x9000 };
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    const csspgo_module none = csspgo_no_module();
    unsigned char *bytes = t_copy(code, sizeof code);
    csspgo_code_bytes b = make_bytes(0x2000, bytes, sizeof code);
    T_EQ(add_code(c, none, 0x1000, bytes, sizeof code, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_transfer_kind(c, 0x1001), CSSPGO_CALL);
    T_EQ(csspgo_code_call_before(c, 0x1006), 0x1001);
    T_EQ(csspgo_code_transfer_kind(c, 0x1006), CSSPGO_RET);
    T_CHECK(!is_code(c, 0x1002));
    T_CHECK(is_code(c, 0x1000));
    T_EQ(csspgo_code_get_stats(c).skipped, 1);
    b.starts = starts;
    b.start_count = 5;
    T_EQ(csspgo_code_add_bytes(c, none, &b, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_transfer_kind(c, 0x2001), CSSPGO_CALL);
    T_CHECK(is_code(c, 0x2002));   /* a symbol inside the call: 01 02 = add */
    b.address = 0x3000;
    b.start_count = 0;
    T_EQ(csspgo_code_add_bytes(c, none, &b, NULL), CSSPGO_OK);
    T_CHECK(!is_code(c, 0x3000));   /* no symbol, no code */
    T_EQ(csspgo_code_get_stats(c).skipped, 2);
    b.arch = (csspgo_arch)9;
    b.address = 0x4000;
    b.starts = NULL;
    T_EQ(csspgo_code_add_bytes(c, none, &b, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(add_code(c, none, 0x1005, bytes, sizeof code, NULL), CSSPGO_E_ARGUMENT);
    csspgo_code_free(c);
    free(bytes);
}

static void a_call_at_the_end_of_a_section_is_before_the_next_section(void)
{
    static const unsigned char call[] = { 0x90, 0xff, 0xd0 }, other[] = { 0x90, 0xc3 };
    const csspgo_segment seg = make_segment(0x1000, 0x1000, 0x4000, 1);
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_module m = make_module(c, "m", &seg, 1), n = make_module(c, "n", &seg, 1);
    uint32_t i;
    T_EQ(csspgo_code_set_bias(c, n, 0x100000, NULL), CSSPGO_OK);
    T_EQ(add_code(c, m, 0x1000, call, sizeof call, NULL), CSSPGO_OK);
    T_EQ(add_code(c, n, 0x1800, other, sizeof other, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_call_before(c, 0x101800), 0);    /* another module */
    T_EQ(add_code(c, m, 0x2000, other, sizeof other, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_call_before(c, 0x2000), 0x1001);
    T_EQ(csspgo_code_call_before(c, 0x2001), 0);
    T_EQ(csspgo_code_set_bias(c, m, 0x500000, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_call_before(c, 0x502000), 0x501001);
    for (i = 0; i < 40; i++)                          /* positions far away */
        T_EQ(add_code(c, m, 0x10000 - i * 16, i == 0 ? call : other, 2 + (i == 0), NULL), CSSPGO_OK);
    T_EQ(add_code(c, m, 0x10100, other, sizeof other, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_call_before(c, 0x510100), 0x510001);
    T_EQ(csspgo_code_call_before(c, 0x502000), 0x501001);
    csspgo_code_free(c);
}

static void areas_of_a_jit_have_nothing_to_do_with_each_other(void)
{
    static const unsigned char call[] = { 0x90, 0xff, 0xd0 }, other[] = { 0x90, 0xc3 };
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    const csspgo_module none = csspgo_no_module();
    T_EQ(add_code(c, none, 0x1000, call, sizeof call, NULL), CSSPGO_OK);
    T_EQ(add_code(c, none, 0x1003, other, sizeof other, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_call_before(c, 0x1003), 0);
    csspgo_code_free(c);
}

static void transfers_describe_code_without_bytes(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_module none = csspgo_no_module(), bad;
    csspgo_transfer x[4];
    bad.id = 3;
    T_EQ(csspgo_code_add_area(c, none, 0x1000, 0x40, NULL), CSSPGO_OK);
    x[0] = make_transfer(0x1010, 5, CSSPGO_CALL, 0x1000);
    x[1] = make_transfer(0x1020, 15, CSSPGO_CALL, 0);   /* as long as an instruction can be */
    x[2] = make_transfer(0x1030, 2, CSSPGO_COND, 0x1000);
    x[3] = make_transfer(0x103b, 5, CSSPGO_CALL, 0x1000);   /* the last: nothing behind it */
    T_EQ(csspgo_code_add_transfers(c, none, x, 4, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_transfer_kind(c, 0x1010), CSSPGO_CALL);
    T_EQ(csspgo_code_call_before(c, 0x1015), 0x1010);
    T_EQ(csspgo_code_call_before(c, 0x1014), 0);
    T_EQ(csspgo_code_call_before(c, 0x102f), 0x1020);
    T_EQ(csspgo_code_transfer_kind(c, 0x1030), CSSPGO_COND);
    T_EQ(csspgo_code_transfer_kind(c, 0x1031), CSSPGO_NONE);
    T_EQ(csspgo_code_runs_straight(c, 0x1011, 0x1020), 1);
    T_EQ(csspgo_code_runs_straight(c, 0x1010, 0x1020), 0);
    T_EQ(csspgo_code_runs_straight(c, 0x1021, 0x103b), 1);
    T_EQ(csspgo_code_add_transfers(c, bad, x, 1, NULL), CSSPGO_E_ARGUMENT);
    x[0].address = 0x1050;
    T_EQ(csspgo_code_add_transfers(c, none, x, 1, NULL), CSSPGO_E_ARGUMENT);
    x[0] = make_transfer(0x1000, 0, CSSPGO_CALL, 0);
    T_EQ(csspgo_code_add_transfers(c, none, x, 1, NULL), CSSPGO_E_ARGUMENT);
    x[0] = make_transfer(0x1000, 16, CSSPGO_CALL, 0);
    T_EQ(csspgo_code_add_transfers(c, none, x, 1, NULL), CSSPGO_E_ARGUMENT);
    x[0] = make_transfer(0x1000, 4, (csspgo_transfer_kind)6, 0);
    T_EQ(csspgo_code_add_transfers(c, none, x, 1, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_transfer_kind(c, 0x1000), CSSPGO_NONE);
    csspgo_code_free(c);
}

static void transfers_in_any_order_give_the_same_map(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    uint32_t i, k;
    T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x1000, 0x1000, NULL), CSSPGO_OK);
    for (i = 0; i < 100; i++) {
        const csspgo_transfer x = make_transfer(0x1000 + i * 37 % 100 * 16, 1, CSSPGO_RET, 0);
        T_EQ(csspgo_code_add_transfers(c, csspgo_no_module(), &x, 1, NULL), CSSPGO_OK);
        if (i % 9 == 0)
            for (k = 0; k < 100; k++)
                T_EQ(csspgo_code_runs_straight(c, 0x1000 + k * 16, 0x1001 + k * 16),
                     csspgo_code_transfer_kind(c, 0x1000 + k * 16) != CSSPGO_RET);
    }
    csspgo_code_free(c);
}

static void a_function_announces_code_that_was_not(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    const csspgo_module none = csspgo_no_module();
    csspgo_module bad;
    csspgo_code_function f = make_function(0x1000, 0x1040, "f");
    bad.id = 1;
    T_EQ(csspgo_code_add_function(c, bad, &f, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_OK);
    T_CHECK(is_code(c, 0x1000) && !is_code(c, 0x1040));
    f = make_function(0x1020, 0x1060, "g");           /* half in known code */
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_E_ARGUMENT);
    f = make_function(0x1010, 0x1020, "g");           /* in another function */
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_E_ARGUMENT);
    f = make_function(0x2000, 0x2000, "g");
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_E_ARGUMENT);
    f = make_function(0x2000, 0x2010, "g");
    f.name = NULL;
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_E_ARGUMENT);   /* neither name nor GUID */
    f.guid = 77;
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_OK);
    csspgo_code_free(c);
}

static void code_of_modules_is_not_a_jits_to_remove(void)
{
    const csspgo_segment seg = make_segment(0x1000, 0x1000, 0x100, 1);
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_module m = make_module(c, "m", &seg, 1);
    T_EQ(csspgo_code_add_area(c, m, 0x1000, 0x100, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_remove(c, 0, UINT64_MAX, NULL), CSSPGO_OK);
    T_CHECK(is_code(c, 0x1000));
    T_EQ(link_address(c, csspgo_no_module(), 0x1000), 0);   /* and not among the tables of a JIT */
    csspgo_code_free(c);
}

/* Adds and removes n functions, number i at place (i + 1) * step mod n; with and without an area around all of them. */
static void order_costs_little(uint32_t n, uint32_t step, int area)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    const csspgo_module none = csspgo_no_module();
    csspgo_code_stats stats;
    uint32_t i, failed = 0;
    if (area) T_EQ(csspgo_code_add_area(c, none, 0x10000, n * 16, NULL), CSSPGO_OK);
    for (i = 0; i < n; i++) {
        const uint64_t at = 0x10000 + (uint64_t)(((uint64_t)i + 1) * step % n) * 16;
        const csspgo_code_function f = make_function(at, at + 16, "f");
        const csspgo_transfer x = make_transfer(at + 15, 1, CSSPGO_RET, 0);
        csspgo_inline_node in;
        csspgo_probe p;
        memset(&in, 0, sizeof in);
        memset(&p, 0, sizeof p);
        in.guid = p.id = p.inline_node = 1;
        p.address = at + i % 16;
        failed += csspgo_code_add_function(c, none, &f, NULL) != CSSPGO_OK;
        failed += csspgo_code_add_transfers(c, none, &x, 1, NULL) != CSSPGO_OK;
        failed += csspgo_code_add_probes(c, none, &in, 1, &p, 1, NULL) != CSSPGO_OK;
        failed += csspgo_code_transfer_kind(c, at + 15) != CSSPGO_RET;
        failed += csspgo_code_probe_count(c, p.address) != 1;
    }
    T_EQ(failed, 0);
    stats = csspgo_code_get_stats(c);
    T_EQ(stats.functions, n);
    T_EQ(stats.code_bytes, n * 16);
    T_CHECK(stats.moved_bytes / n < 4096);            /* each of the four tables: a page of 1 KB at most */
    for (i = 0; i < n; i++) {
        const uint64_t at = 0x10000 + (uint64_t)(((uint64_t)i + 1) * step % n) * 16;
        failed += csspgo_code_remove(c, at, at + 16, NULL) != CSSPGO_OK;
        failed += csspgo_code_transfer_kind(c, at + 15) != CSSPGO_NONE;
    }
    T_EQ(failed, 0);
    stats = csspgo_code_get_stats(c);
    T_EQ(stats.code_bytes, 0);
    T_CHECK(stats.moved_bytes / n < 2 * 4096);
    csspgo_code_free(c);
}

static void functions_in_any_order_cost_little(void)
{
    const uint32_t prime = (uint32_t)t_size(7993, 20011);
    int area;
    for (area = 0; area < 2; area++) {
        order_costs_little(prime, prime - 1, area);   /* descending */
        order_costs_little(prime, 1, area);
        order_costs_little(prime, 2999, area);        /* all over the place */
    }
}

/* ----- modules and mapping events --------------------------------------------------------------------------------- */

static void mapping_events_move_a_module(void)
{
    csspgo_segment seg[4];
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_module m;
    seg[0] = make_segment(0x400000, 0, 0x600, 0);
    seg[1] = make_segment(0x401040, 0x1040, 0x600, 1);   /* base is rounded down */
    seg[2] = make_segment(0x402000, 0x2000, 0x600, 0);
    seg[3] = make_segment(0x405000, 0x4000, 0x600, 1);   /* a second executable one, at another distance in the file */
    m = make_module(c, "/build/dir/prog", seg, 4);
    T_EQ(csspgo_code_base(c, m), 0x401000);
    T_EQ(csspgo_code_base(c, csspgo_no_module()), 0);
    T_EQ(csspgo_code_add_area(c, m, 0x401040, 0x600, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(c, m, 0x405000, 0x600, NULL), CSSPGO_OK);
    T_CHECK(is_code(c, 0x401040));   /* where it was linked, as long as nothing else is known */
    T_EQ(mapped(c, 0x7f0000001000, 0x1000, "/x/other", 1), 0);
    T_EQ(mapped(c, 0x7f0000001000, 0x1000, "prog2", 1), 0);
    T_EQ(mapped(c, 0x7f0000000000, 0, "/x/prog", 0), 0);   /* the headers: read-only */
    T_CHECK(is_code(c, 0x401040));
    T_EQ(mapped(c, 0x401000, 0x1000, "/x/prog", 1), 1);
    T_CHECK(is_code(c, 0x401040));
    T_EQ(mapped(c, 0x7f0000001000, 0x1000, "/x/y/prog", 1), 1);
    T_CHECK(!is_code(c, 0x401040));
    T_EQ(link_address(c, m, 0x7f0000001040), 0x401040);
    T_EQ(link_address(c, m, 0x7f0000005000), 0x405000);
    T_EQ(mapped(c, 0x7f0000005000, 0x4000, "prog", 1), 1);    /* the second segment, where it must be */
    T_EQ(mapped(c, 0x7f0000009000, 0x4000, "prog", 1), -1);   /* elsewhere */
    T_EQ(mapped(c, 0x7f0000009000, 0x9000, "prog", 1), -1);   /* no segment */
    T_EQ(mapped(c, 0x7f0000000000, 0, "prog", 1), -1);
    T_EQ(link_address(c, m, 0x7f0000001040), 0x401040);   /* none of these moved it */
    T_EQ(mapped(c, 0x1000, 0x1000, "prog", 1), 1);            /* downwards */
    T_EQ(link_address(c, m, 0x1040), 0x401040);
    csspgo_code_free(c);
}

static void a_mapping_event_says_that_memory_is_out(void)
{
    const csspgo_segment seg = make_segment(0x1000, 0x1000, 0x300, 1);
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_code *c = csspgo_code_new(&o, NULL);
    csspgo_module m = make_module(c, "m", &seg, 1);
    T_EQ(csspgo_code_add_area(c, m, 0x1000, 0x100, NULL), CSSPGO_OK);
    h.nth = h.calls + 1;
    T_EQ(mapped(c, 0x7f0000001000, 0x1000, "m", 1), -2);
    T_EQ(csspgo_code_runs_straight(c, 0x1000, 0x1001), 1);    /* it stays where it was */
    T_EQ(csspgo_code_runs_straight(c, 0x7f0000001000, 0x7f0000001001), -1);
    h.nth = 0;
    T_EQ(mapped(c, 0x7f0000001000, 0x1000, "m", 1), 1);
    T_EQ(csspgo_code_runs_straight(c, 0x7f0000001000, 0x7f0000001001), 1);
    csspgo_code_free(c);
    T_EQ(h.live, 0);
}

static void a_module_does_not_move_onto_other_code(void)
{
    const csspgo_segment seg = make_segment(0x1000, 0x1000, 0x300, 1);
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_module m = make_module(c, "m", &seg, 1), bad;
    bad.id = 2;
    T_EQ(csspgo_code_set_bias(c, m, 0x10000, NULL), CSSPGO_OK); /* before there is code: where what is added will be */
    T_EQ(csspgo_code_add_area(c, m, 0x1000, 0x100, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(c, m, 0x1200, 0x100, NULL), CSSPGO_OK);
    T_CHECK(is_code(c, 0x11000));
    T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x21280, 0x100, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_set_bias(c, m, 0x20000, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_set_bias(c, m, (uint64_t)0 - 0x1100, NULL), CSSPGO_E_ARGUMENT); /* around the end of addresses */
    T_EQ(csspgo_code_set_bias(c, bad, 0, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_set_bias(c, csspgo_no_module(), 0, NULL), CSSPGO_E_ARGUMENT);
    T_CHECK(is_code(c, 0x11000) && is_code(c, 0x11200));
    T_CHECK(!is_code(c, 0x21200) && is_code(c, 0x21280));
    T_EQ(csspgo_code_set_bias(c, m, 0x20400, NULL), CSSPGO_OK); /* past it: windows change places */
    T_CHECK(is_code(c, 0x21400) && is_code(c, 0x21280));
    T_CHECK(!is_code(c, 0x11000));
    T_EQ(csspgo_code_set_bias(c, m, 0, NULL), CSSPGO_OK);
    T_CHECK(is_code(c, 0x1000));
    csspgo_code_free(c);
}

static void two_modules_keep_apart(void)
{
    const csspgo_segment seg = make_segment(0x1000, 0x1000, 0x100, 1);
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_module a = make_module(c, "a.so", &seg, 1), b = make_module(c, "b.so", &seg, 1);
    T_EQ(mapped(c, 0x7f0000001000, 0x1000, "/lib/a.so", 1), 1);
    T_EQ(mapped(c, 0x7f0000101000, 0x1000, "/lib/b.so", 1), 1);
    T_EQ(csspgo_code_add_area(c, a, 0x1000, 0x100, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(c, b, 0x1000, 0x100, NULL), CSSPGO_OK);   /* the same link-time addresses */
    T_EQ(link_address(c, a, 0x7f0000001010), 0x1010);
    T_EQ(link_address(c, b, 0x7f0000001010), 0);
    T_EQ(link_address(c, b, 0x7f0000101010), 0x1010);
    T_EQ(link_address(c, a, 0x7f0000101010), 0);
    csspgo_code_free(c);
}

/* ----- memory ----------------------------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void)
{
    static const char *const some[] = { "data/unwind/tables/ext.probe.tsv", "data/generate/tables/mix.probe.tsv" };
    const size_t both = t_once ? t_size(1, 2) : 2;
    long nth;
    size_t n;
    for (n = 0; n < both; n++) {
        for (nth = 1; nth < 2000; nth++) {
            t_heap h;
            const csspgo_options o = t_options(&h, nth);
            t_table t;
            csspgo_status s = t_table_load(&t, some[n], &o);
            if (s == CSSPGO_OK) s = csspgo_code_set_bias(t.code, t.module, 0x1000000, NULL);
            if (s == CSSPGO_OK) s = csspgo_code_add_area(t.code, csspgo_no_module(), 0x9000000, 0x100, NULL);
            if (s == CSSPGO_OK) s = csspgo_code_remove(t.code, 0x9000010, 0x9000020, NULL);
            t_table_free(&t);
            T_EQ(h.live, 0);
            T_EQ(h.live_bytes, 0);
            if (s == CSSPGO_OK) break;
            T_EQ(s, CSSPGO_E_NOMEM);
        }
        T_LONG(nth > 30 && nth < 2000);
    }
}

/* What fails leaves the map as it was: with memory again the same call succeeds and gives what it gives at once. */
static void a_failed_call_can_be_repeated(void)
{
    static const unsigned char bytes[] = { 0xe8, 0, 0, 0, 0, 0xff, 0xd0, 0xc3, 0x90, 0xe8, 0, 0, 0, 0 };
    csspgo_inline_node in[2];
    csspgo_probe p[4];
    const csspgo_segment seg = make_segment(0x1000, 0x1000, 0x100, 1);
    long nth;
    size_t i;
    int failed = 1;
    memset(in, 0, sizeof in);
    memset(p, 0, sizeof p);
    p[3].inline_node = 1;                             /* without an id: idle */
    p[3].address = 0x1009;
    in[0].guid = 1;
    in[1].guid = 2;
    in[1].parent = 1;
    for (i = 0; i < 3; i++) {
        p[i].address = 0x1000 + (2 - i) * 5;
        p[i].id = (uint32_t)i + 1;
        p[i].inline_node = i == 1 ? 2 : 1;
    }
    for (nth = 1; failed; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, 0);
        csspgo_code *c = csspgo_code_new(&o, NULL);
        csspgo_module m = make_module(c, "m", &seg, 1);
        csspgo_status s;
        failed = 0;
        h.nth = h.calls + nth;
        s = add_code(c, m, 0x1000, bytes, sizeof bytes, NULL);
        if (s != CSSPGO_OK) {
            T_EQ(s, CSSPGO_E_NOMEM);
            T_CHECK(!is_code(c, 0x1000));
            failed = 1;
            h.nth = 0;
            T_EQ(add_code(c, m, 0x1000, bytes, sizeof bytes, NULL), CSSPGO_OK);
        }
        h.nth = failed ? 0 : h.nth;
        s = csspgo_code_add_probes(c, m, in, 2, p, 4, NULL);
        if (s != CSSPGO_OK) {
            T_EQ(csspgo_code_probe_count(c, 0x1000), 0);
            T_EQ(csspgo_code_get_stats(c).idle_probes, 0);
            failed = 1;
            h.nth = 0;
            T_EQ(csspgo_code_add_probes(c, m, in, 2, p, 4, NULL), CSSPGO_OK);
        }
        s = csspgo_code_set_bias(c, m, 0x4000, NULL);
        if (s != CSSPGO_OK) {
            T_CHECK(is_code(c, 0x1000));
            failed = 1;
            h.nth = 0;
            T_EQ(csspgo_code_set_bias(c, m, 0x4000, NULL), CSSPGO_OK);
        }
        h.nth = 0;
        T_EQ(csspgo_code_transfer_kind(c, 0x5000), CSSPGO_CALL);
        T_EQ(csspgo_code_call_before(c, 0x5005), 0x5000);
        T_EQ(csspgo_code_call_before(c, 0x5007), 0x5005);
        T_EQ(csspgo_code_probe_count(c, 0x5000), 1);
        T_EQ(csspgo_code_probe_count(c, 0x500a), 1);
        T_EQ(csspgo_code_probe_stack(c, 0x5005, 0, NULL, 0, NULL), 2);
        T_EQ(csspgo_code_transfer_kind(c, 0x5005), CSSPGO_CALL);
        T_EQ(csspgo_code_transfer_kind(c, 0x5007), CSSPGO_RET);
        T_EQ(csspgo_code_transfer_kind(c, 0x5009), CSSPGO_CALL);
        T_EQ(csspgo_code_get_stats(c).idle_probes, 1);
        csspgo_code_free(c);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 8);
}

/* Twelve areas side by side: whichever allocation fails, all of them go or none. */
static void a_removal_is_whole_or_none(void)
{
    long nth;
    int failed = 1;
    for (nth = 1; failed && nth < 100; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, 0);
        csspgo_code *c = csspgo_code_new(&o, NULL);
        uint64_t i, there = 0;
        for (i = 0; i < 12; i++)
            T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x1000 + 0x20 * i, 0x20, NULL), CSSPGO_OK);
        h.nth = h.calls + nth;
        failed = csspgo_code_remove(c, 0x1010, 0x1170, NULL) != CSSPGO_OK;
        h.nth = 0;
        for (i = 0x1010; i < 0x1170; i++) there += (unsigned)is_code(c, i);
        T_EQ(there, failed ? 0x160 : 0);
        T_EQ(csspgo_code_get_stats(c).code_bytes, failed ? 12 * 0x20 : 0x20);
        T_CHECK(is_code(c, 0x100f) && is_code(c, 0x1170));
        if (failed) T_EQ(csspgo_code_remove(c, 0x1010, 0x1170, NULL), CSSPGO_OK);
        T_CHECK(!is_code(c, 0x1010) && !is_code(c, 0x116f) && is_code(c, 0x100f) && is_code(c, 0x1170));
        csspgo_code_free(c);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 2 && !failed);
}

/* ----- errors ----------------------------------------------------------------------------------------------------- */

static void refused(csspgo_status s, const csspgo_error *e, const char *message)
{
    T_EQ(s, CSSPGO_E_ARGUMENT);
    T_EQ(e->status, CSSPGO_E_ARGUMENT);
    T_MSG(strcmp(e->message, message) == 0, e->message);
}

/* A function that is refused leaves no checksum behind that its next, true form would have to live with. */
static void what_is_refused_says_nothing_of_its_function(void)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function f = make_function(0x1000, 0x1010, "f"), g = make_function(0x1008, 0x1010, "g");
    const uint64_t stack = 0x2004;
    const csspgo_branch branch[2] = { { 0x2008, 0x2000, 0 }, { 0x2008, 0x2000, 0 } };
    csspgo_inline_node in;
    csspgo_probe p;
    csspgo_sample s;
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_profile *profile = csspgo_profile_new(NULL, NULL);
    csspgo_collector *collector;
    csspgo_transfer t = make_transfer(0x2008, 2, CSSPGO_COND, 0x2000);
    memset(&in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    memset(&s, 0, sizeof s);
    g.checksum = 7;
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_function(c, none, &g, NULL), CSSPGO_E_ARGUMENT);
    g.begin = 0x2000;
    g.end = 0x2010;
    g.checksum = 9;
    T_EQ(csspgo_code_add_function(c, none, &g, NULL), CSSPGO_OK);
    in.guid = csspgo_guid("g", 1);
    p.address = 0x2000;
    p.id = p.inline_node = 1;
    T_EQ(csspgo_code_add_probes(c, none, &in, 1, &p, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_transfers(c, none, &t, 1, NULL), CSSPGO_OK);
    s.stack = &stack;
    s.stack_count = 1;
    s.branches = branch;
    s.branch_count = 2;
    collector = csspgo_collector_new(c, NULL, NULL, NULL);
    T_EQ(csspgo_collector_add(collector, &s, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_profile(collector, NULL, profile, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_body_count(profile, csspgo_find(profile, "g"), csspgo_loc_at(1, 0)), 1);
    T_EQ(csspgo_checksum(profile, csspgo_find(profile, "g")), 9);
    csspgo_collector_free(collector);
    csspgo_profile_free(profile);
    csspgo_code_free(c);
}

static void a_refusal_says_why(void)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function f = make_function(0x1000, 0x1010, "f"), g = make_function(0x3000, 0x3040, "main");
    csspgo_transfer t[2];
    csspgo_module other;
    csspgo_inline_node in;
    csspgo_probe p;
    csspgo_error e;
    csspgo_code_bytes b = make_bytes(0, "", 1);
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    b.arch = (csspgo_arch)9;
    memset(&in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    t[0] = make_transfer(0x1000, 1, CSSPGO_NONE, 0);
    t[1] = make_transfer(0x1000, 16, CSSPGO_CALL, 0);
    other.id = 7;
    T_EQ(csspgo_code_add_function(c, none, &f, &e), CSSPGO_OK);
    T_EQ(csspgo_code_add_function(c, none, &g, &e), CSSPGO_OK);
    T_EQ(e.status, CSSPGO_OK);
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: [0x1000, 0x1010) overlaps 'f' [0x1000, 0x1010)");
    refused(csspgo_code_add_function(c, other, &f, &e), &e, "csspgo_code_add_function: no such module: 7");
    refused(csspgo_code_add_area(c, none, 0x1008, 16, &e), &e,
            "csspgo_code_add_area: [0x1008, 0x1018) overlaps 'f' [0x1000, 0x1010)");
    refused(csspgo_code_add_area(c, none, 0x2ff0, 0x11, &e), &e,
            "csspgo_code_add_area: [0x2ff0, 0x3001) overlaps 'main' [0x3000, 0x3040)");
    refused(csspgo_code_add_area(c, none, 0x2008, 0, &e), &e, "csspgo_code_add_area: no bytes: 0x2008");
    refused(csspgo_code_add_bytes(c, none, &b, &e), &e,
            "csspgo_code_add_bytes: no such csspgo_arch: 9");
    refused(add_code(c, none, 0x303f, "\x90", 1, &e), &e,
            "csspgo_code_add_bytes: [0x303f, 0x3040) overlaps 'main' [0x3000, 0x3040)");
    refused(csspgo_code_add_transfers(c, none, t, 2, &e), &e,
            "csspgo_code_add_transfers: transfer 1 at 0x1000: size is 1 to 15 bytes, not 16");
    T_EQ(e.offset, 1);
    t[1].size = 0;
    refused(csspgo_code_add_transfers(c, none, t, 2, &e), &e,
            "csspgo_code_add_transfers: transfer 1 at 0x1000: size is 1 to 15 bytes, not 0");
    t[1].size = 5;
    t[1].kind = (csspgo_transfer_kind)6;
    refused(csspgo_code_add_transfers(c, none, t, 2, &e), &e,
            "csspgo_code_add_transfers: transfer 1 at 0x1000: unknown kind 6");
    t[1].kind = CSSPGO_CALL;
    t[1].address = 0x2000;
    refused(csspgo_code_add_transfers(c, none, t, 2, &e), &e,
            "csspgo_code_add_transfers: transfer 1 at 0x2000: not at known code");
    p.address = 0x1004;
    refused(csspgo_code_add_probes(c, none, &in, 1, &p, 1, &e), &e,
            "csspgo_code_add_probes: probe 0 at 0x1004: inline_node is an index + 1, from 1 to 1, not 0");
    p.inline_node = 2;
    refused(csspgo_code_add_probes(c, none, &in, 1, &p, 1, &e), &e,
            "csspgo_code_add_probes: probe 0 at 0x1004: inline_node is an index + 1, from 1 to 1, not 2");
    in.parent = 1;
    refused(csspgo_code_add_probes(c, none, &in, 1, &p, 1, &e), &e,
            "csspgo_code_add_probes: a parent that does not come before its node: node 0 has parent 1, "
            "which is an index + 1");
    refused(csspgo_code_remove(c, 0x1010, 0x1010, &e), &e,
            "csspgo_code_remove: nothing to remove: end is not above 0x1010");
    refused(csspgo_code_set_bias(c, none, 0, &e), &e, "csspgo_code_set_bias: no such module: 0");
    refused(csspgo_code_set_build_id(c, other, "", 0, &e), &e, "csspgo_code_set_build_id: no such module: 7");
    f.begin = 0x1010;
    f.end = 0x1010;
    refused(csspgo_code_add_function(c, none, &f, &e), &e, "csspgo_code_add_function: no code: function 0x1010");
    f.end = 0x1000;
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: end below begin: function 0x1010");
    f.begin = 0xff0;
    f.end = 0x1001;
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: [0xff0, 0x1001) overlaps 'f' [0x1000, 0x1010)");
    f.begin = 0x1000;
    f.end = 0x1011;
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: [0x1000, 0x1011) overlaps 'f' [0x1000, 0x1010)");
    f.name_size = 0;
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: a name of size 0: function 0x1000");
    f.name = NULL;
    f.guid = 0;
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: no name and no GUID: function 0x1000");
    csspgo_code_free(c);
}

/* Code that has no function, or one without a name, or a long one, or belongs to a module that moved. */
static void what_is_in_the_way_is_named(void)
{
    static const char name[] = "_ZN4game7physics12broadphase_t22update_all_the_things_EPKcjjj";
    const csspgo_module none = csspgo_no_module();
    const uint64_t top = UINT64_C(0xfffffffffffff000);
    csspgo_code_function f = make_function(0x1000, 0x1010, "f");
    csspgo_options o;
    csspgo_module m, n;
    csspgo_error e;
    csspgo_code *c;
    memset(&o, 0, sizeof o);
    o.limits.max_name = 100;
    c = csspgo_code_new(&o, NULL);
    T_EQ(csspgo_code_add_area(c, none, 0x1000, 0x20, NULL), CSSPGO_OK);
    refused(csspgo_code_add_area(c, none, 0xfff, 2, &e), &e,
            "csspgo_code_add_area: [0xfff, 0x1001) overlaps code without a function, [0x1000, 0x1020)");
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_OK);
    f.begin = 0x1010;
    f.end = 0x1021;
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: [0x1010, 0x1021) ends outside its code, [0x1000, 0x1020)");
    f.begin = 0x2000;
    f.end = 0x2010;
    f.name = NULL;
    f.name_size = 0;
    f.guid = 77;
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_OK);
    refused(csspgo_code_add_area(c, none, 0x1000, 0x2000, &e), &e,
            "csspgo_code_add_area: [0x1000, 0x3000) overlaps GUID 77 [0x2000, 0x2010)");
    f = make_function(top, top + 0x100, name);
    T_EQ(csspgo_code_add_function(c, none, &f, NULL), CSSPGO_OK);
    f.begin++;
    f.end++;
    refused(csspgo_code_add_function(c, none, &f, &e), &e,
            "csspgo_code_add_function: [0xfffffffffffff001, 0xfffffffffffff101) overlaps "
            "'_ZN4game7physics12broadphase_t22up'... [0xfffffffffffff000, 0xfffffffffffff100)");
    refused(csspgo_code_add_area(c, none, top + 0xff0, 16, &e), &e,
            "csspgo_code_add_area: 16 bytes do not fit behind 0xfffffffffffffff0");
    f.name_size = 101;
    T_EQ(csspgo_code_add_function(c, none, &f, &e), CSSPGO_E_LIMIT);
    T_MSG(strcmp(e.message, "csspgo_code_add_function: a name of 101 bytes is above limits.max_name, 100") == 0,
          e.message);
    m = csspgo_code_add_module(c, "m", 1, NULL, 0, NULL);
    n = csspgo_code_add_module(c, "n", 1, NULL, 0, NULL);
    f = make_function(0x400000, 0x400010, "in_m");
    T_EQ(csspgo_code_add_function(c, m, &f, NULL), CSSPGO_OK);
    f = make_function(0x500000, 0x500010, "in_n");
    T_EQ(csspgo_code_add_function(c, n, &f, NULL), CSSPGO_OK);
    refused(csspgo_code_set_bias(c, m, 0x100008, &e), &e,
            "csspgo_code_set_bias: [0x500008, 0x500018) overlaps 'in_n' [0x500000, 0x500010)");
    refused(csspgo_code_set_bias(c, n, (uint64_t)0 - 0x100008, &e), &e,
            "csspgo_code_set_bias: [0x3ffff8, 0x400008) overlaps 'in_m' [0x400000, 0x400010)");
    refused(csspgo_code_set_bias(c, n, (uint64_t)0 - 0x500008, &e), &e,
            "csspgo_code_set_bias: 16 bytes do not fit behind 0xfffffffffffffff8");
    T_EQ(csspgo_code_set_bias(c, m, 0x10000, NULL), CSSPGO_OK);
    f = make_function(0x4f0000, 0x4f0100, "x");
    refused(csspgo_code_add_function(c, m, &f, &e), &e,
            "csspgo_code_add_function: [0x500000, 0x500100) overlaps 'in_n' [0x500000, 0x500010)");
    T_EQ(csspgo_code_validate(c, &e), CSSPGO_OK);
    csspgo_code_free(c);
}

/* Sizes near 2^32 and 2^64 are told, and change nothing. */
static void code_above_4_gib_is_out_of_range(void)
{
    static const uint64_t size[] = {
        UINT64_C(0x200000000), UINT32_MAX, (uint64_t)UINT32_MAX - 15, UINT64_MAX, UINT64_MAX - 15
    };
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_code_function f = make_function(0x1000, 0x1010, "f");
    csspgo_error e;
    size_t i;
    T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    for (i = 0; i < sizeof size / sizeof *size; i++) {
        const uint64_t begin = size[i] < UINT64_MAX / 2 ? 0x100000 : 0;
        f.begin = begin;
        f.end = begin + size[i];
        T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, &e), begin != 0 ? CSSPGO_E_RANGE : CSSPGO_E_ARGUMENT);
        T_EQ(csspgo_code_add_area(c, csspgo_no_module(), begin, size[i], &e),
             begin != 0 ? CSSPGO_E_RANGE : CSSPGO_E_ARGUMENT);
        f.begin = 0x1000;                             /* begins in known code */
        f.end = f.begin + size[i];
        if (f.end > f.begin) T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, &e), CSSPGO_E_ARGUMENT);
    }
    T_EQ(csspgo_code_remove(c, 0x1000, 0x1010, NULL), CSSPGO_OK);
    for (i = 0; i < sizeof size / sizeof *size; i++)
        T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0, size[i], &e), CSSPGO_E_RANGE);
    T_MSG(strcmp(e.message, "csspgo_code_add_area: above 4 GiB of code: 18446744073709551600 bytes more than 0") == 0,
          e.message);
    T_EQ(csspgo_code_validate(c, &e), CSSPGO_OK);
    T_EQ(csspgo_code_get_stats(c).code_bytes, 0);
    csspgo_code_free(c);
}

/* ----- control-flow graphs ---------------------------------------------------------------------------------------- */

/* The edges of a graph as text: "0>2f 2>3", f for a fallthrough, and "3!" for an exit. */
static const char *graph_text(const csspgo_code_graph *g, char *text, size_t size)
{
    size_t i, n = 0;
    text[0] = '\0';
    for (i = 0; i < g->cfg.edges; i++) {
        const csspgo_cfg_edge *e = &g->cfg.edge[i];
        n += (size_t)snprintf(text + n, size - n, "%s%u>%u%s", i != 0 ? " " : "", e->from, e->to,
                              e->is_fallthrough ? "f" : "");
    }
    for (i = 0; i < g->cfg.blocks; i++)
        if (g->cfg.block[i].is_exit) n += (size_t)snprintf(text + n, size - n, " %u!", (unsigned)i);
    return text;
}

/* The graph of the function at an address is this one. */
static void graph_is(csspgo_block_finder *f, uint64_t address, const char *want, csspgo_code_graph *g)
{
    char text[500];
    csspgo_error e;
    T_EQ(csspgo_code_cfg(f, address, g, &e), CSSPGO_OK);
    T_EQ(e.status, CSSPGO_OK);
    T_MSG(strcmp(graph_text(g, text, sizeof text), want) == 0, text);
}

static csspgo_code *code_of(const csspgo_code_function *f, size_t functions, const csspgo_transfer *t, size_t transfers,
                            const csspgo_options *o)
{
    csspgo_code *c = csspgo_code_new(o, NULL);
    size_t i;
    for (i = 0; c != NULL && i < functions; i++)
        if (csspgo_code_add_function(c, csspgo_no_module(), &f[i], NULL) != CSSPGO_OK) csspgo_code_free(c), c = NULL;
    if (c == NULL || csspgo_code_add_transfers(c, csspgo_no_module(), t, transfers, NULL) == CSSPGO_OK) return c;
    csspgo_code_free(c);
    return NULL;
}

static void graphs_follow_the_transfers(void)
{
    csspgo_code_function f[3];
    csspgo_transfer t[6];
    csspgo_code_graph g;
    csspgo_block_finder *finder;
    csspgo_code *c;
    csspgo_error e;
    f[0] = make_function(0x1000, 0x1100, "hot");
    f[1] = make_function(0x5000, 0x5010, "hot");      /* split off */
    f[1].fragment = 1;
    f[2] = make_function(0x2000, 0x2010, "other");
    t[0] = make_transfer(0x1010, 6, CSSPGO_COND, 0x5000);
    t[1] = make_transfer(0x1030, 5, CSSPGO_CALL, 0x2000);
    t[2] = make_transfer(0x1040, 6, CSSPGO_COND, 0x1020);
    t[3] = make_transfer(0x1050, 2, CSSPGO_JMP, 0x2000);      /* a tail call */
    t[4] = make_transfer(0x500f, 1, CSSPGO_JMP, 0x1041);
    t[5] = make_transfer(0x200f, 1, CSSPGO_RET, 0);
    c = code_of(f, 3, t, 6, NULL);
    finder = csspgo_block_finder_new(c, NULL, NULL);
    graph_is(finder, 0x1000, "0>2f 2>7 2>3f 3>4f 4>4 4>5f 7>5 1>6 0>1 5! 6!", &g);
    T_EQ(g.guid, csspgo_guid("hot", 3));
    T_EQ(g.no_jumps, 0);
    T_EQ(g.code[2].begin, 0x1000);
    T_EQ(g.code[2].end, 0x1011);
    T_EQ(g.code[2].last, 0x1010);
    T_EQ(g.code[2].kind, CSSPGO_COND);
    T_EQ(g.code[2].insns, 17);
    T_EQ(g.code[3].begin, 0x1011);
    T_EQ(g.code[3].kind, CSSPGO_NONE);
    T_EQ(g.code[7].begin, 0x5000);
    graph_is(finder, 0x500f, "0>2f 2>7 2>3f 3>4f 4>4 4>5f 7>5 1>6 0>1 5! 6!", &g);   /* from any of its code */
    graph_is(finder, 0x2000, "0>2f 0>1 2!", &g);
    T_EQ(csspgo_code_cfg(finder, 0x1100, &g, &e), CSSPGO_E_ARGUMENT);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    T_EQ(g.cfg.blocks, 0);
    T_EQ(csspgo_code_remove(c, 0x5000, 0x5010, NULL), CSSPGO_OK);
    graph_is(finder, 0x1000, "0>2f 2>3f 3>4f 4>4 4>5f 1>6 0>1 2! 5! 6!", &g);
    csspgo_block_finder_free(finder);
    csspgo_code_free(c);
}

static void indirect_jumps_lead_to_what_nothing_else_enters(void)
{
    const csspgo_code_function f = make_function(0x1000, 0x1010, "f");
    csspgo_code_graph g;
    csspgo_block_finder *finder;
    csspgo_transfer t[3];
    csspgo_code *c;
    t[0] = make_transfer(0x1004, 1, CSSPGO_IJMP, 0);
    t[1] = make_transfer(0x1008, 1, CSSPGO_JMP, 0x1000);
    t[2] = make_transfer(0x100a, 2, CSSPGO_COND, 0x1002);
    c = code_of(&f, 1, t, 3, NULL);
    finder = csspgo_block_finder_new(c, NULL, NULL);
    graph_is(finder, 0x1008, "0>2f 2>3f 3>1 4>2 5>3 5>6f 1>4 1>5 3! 6!", &g);
    T_EQ(g.no_jumps, 0);
    csspgo_block_finder_free(finder);
    csspgo_code_free(c);
}

static void without_jumps_blocks_begin_at_block_probes(void)
{
    const csspgo_code_function f = make_function(0x1000, 0x1020, "f");
    const csspgo_transfer call = make_transfer(0x1008, 5, CSSPGO_CALL, 0x1000);
    csspgo_inline_node tree[2];
    csspgo_code_graph g;
    csspgo_block_finder *finder;
    csspgo_probe p[4];
    csspgo_code *c = code_of(&f, 1, &call, 1, NULL);
    size_t i;
    memset(tree, 0, sizeof tree);
    memset(p, 0, sizeof p);
    tree[0].guid = csspgo_guid("f", 1);
    tree[1].guid = 77;
    tree[1].parent = 1;
    tree[1].site = 2;
    for (i = 0; i < 4; i++) {
        p[i].address = i < 2 ? 0x1000 : 0x1008 + (i - 2) * 8;
        p[i].id = (uint32_t)i + 1;
        p[i].inline_node = i == 1 ? 2 : 1;
        p[i].kind = i == 2 ? CSSPGO_PROBE_DIRECT_CALL : CSSPGO_PROBE_BLOCK;
    }
    p[3].discriminator = 5;
    T_EQ(csspgo_code_add_probes(c, csspgo_no_module(), tree, 2, p, 4, NULL), CSSPGO_OK);
    finder = csspgo_block_finder_new(c, NULL, NULL);
    graph_is(finder, 0x1000, "0>2f 1>3 0>1 2! 3!", &g);
    T_EQ(g.no_jumps, 1);
    T_EQ(g.probes, 4);
    T_EQ(g.code[2].first_probe, 0);
    T_EQ(g.code[2].probe_count, 3);
    T_EQ(g.code[3].first_probe, 3);
    T_EQ(g.code[3].probe_count, 1);
    T_EQ(g.code[3].begin, 0x1010);
    T_EQ(g.probe[1].guid, 77);
    T_EQ(g.probe[1].index, 1);
    T_EQ(g.probe[1].id, 2);
    T_EQ(csspgo_code_probe_stack(c, g.probe[1].address, g.probe[1].index, NULL, 0, NULL), 2);
    T_EQ(g.probe[2].kind, CSSPGO_PROBE_DIRECT_CALL);
    T_EQ(g.probe[2].index, 0);
    T_EQ(g.probe[3].address, 0x1010);
    T_EQ(g.probe[3].discriminator, 5);
    csspgo_block_finder_free(finder);
    csspgo_code_free(c);
}

/* On real code: every instruction in one block, transfers only at the end, all probes; as the module is mapped now. */
static void one_graph(const t_table *t, csspgo_block_finder *finder, uint64_t address, uint64_t bias)
{
    csspgo_code_graph g;
    size_t b, i, seen = 0, edges = 0, probes = 0;
    if (!T_EQ(csspgo_code_cfg(finder, address + bias, &g, NULL), CSSPGO_OK)) return;
    for (b = 2; b < g.cfg.blocks; b++) {
        uint32_t insns = 0;
        for (i = insn_at(t, g.code[b].begin - bias); i < t->insns && t->insn[i].address < g.code[b].end - bias; i++) {
            const csspgo_transfer_kind kind = t->insn[i].kind;
            insns++;
            T_EQ(kind != CSSPGO_NONE && kind != CSSPGO_CALL && t->insn[i].address != g.code[b].last - bias, 0);
            probes += csspgo_code_probe_count(t->code, t->insn[i].address + bias);
            seen += t->insn[i].address == address;
        }
        T_EQ(insns, g.code[b].insns);
        T_EQ(csspgo_code_transfer_kind(t->code, g.code[b].last), g.code[b].kind);
    }
    for (i = 0; i < g.cfg.edges; i++) {
        T_CHECK(g.cfg.edge[i].from < g.cfg.blocks && g.cfg.edge[i].to < g.cfg.blocks && g.cfg.edge[i].to != 0);
        edges += g.cfg.edge[i].to >= 2;
    }
    T_CHECK(edges + 2 >= g.cfg.blocks);               /* every block is entered */
    T_EQ(seen, 1);
    T_EQ(probes, g.probes);
}

static void graphs_hold_every_instruction_of_real_code(void)
{
    size_t i, k;
    for (i = 0; i < TABLES; i++) {
        t_table t;
        csspgo_block_finder *finder;
        const uint64_t bias = i % 2 * 0x10000;
        if (!T_EQ(t_table_load(&t, tables[i], NULL), CSSPGO_OK)) continue;
        finder = csspgo_block_finder_new(t.code, NULL, NULL);
        T_EQ(csspgo_code_set_bias(t.code, t.module, bias, NULL), CSSPGO_OK);
        for (k = 0; k < t.funcs; k++) one_graph(&t, finder, t.func[k].begin, bias);
        csspgo_block_finder_free(finder);
        t_table_free(&t);
    }
}

static void every_allocation_of_a_block_finder_may_fail(void)
{
    const csspgo_code_function f = make_function(0x1000, 0x1010, "f");
    const csspgo_transfer t = make_transfer(0x1004, 2, CSSPGO_COND, 0x1000);
    csspgo_code *c = code_of(&f, 1, &t, 1, NULL);
    long nth;
    int ok = 0;
    for (nth = 1; !ok && nth < 100; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_error e;
        csspgo_block_finder *finder = csspgo_block_finder_new(c, &o, &e);
        csspgo_code_graph g;
        ok = finder != NULL && csspgo_code_cfg(finder, 0x1000, &g, &e) == CSSPGO_OK;
        if (!ok) T_EQ(e.status, CSSPGO_E_NOMEM);
        if (!ok && finder != NULL) T_EQ(g.cfg.blocks, 0);
        h.nth = 0;
        if (finder != NULL) graph_is(finder, 0x1000, "0>2f 2>2 2>3f 0>1 3!", &g);
        csspgo_block_finder_free(finder);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 5 && ok);
    csspgo_code_free(c);
}

/* ----- whose code an address is ----- */

static void an_address_tells_module_and_function(void)
{
    const csspgo_segment seg = make_segment(0x401000, 0x1000, 0x600, 1);
    csspgo_code_function f = make_function(0x401010, 0x401020, "f");
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    const csspgo_module m = make_module(c, "prog", &seg, 1);
    csspgo_code_place at;
    T_EQ(csspgo_code_get_stats(c).modules, 1);
    T_EQ(csspgo_code_add_area(c, m, 0x401000, 0x600, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_function(c, m, &f, NULL), CSSPGO_OK);
    f = make_function(0x9000, 0x9010, "jit");
    T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_set_bias(c, m, 0x100000, NULL), CSSPGO_OK);
    T_CHECK(csspgo_code_find(c, 0x50101f, &at) && at.module.id == m.id && at.address == 0x40101f);
    T_CHECK(at.begin == 0x501010 && at.end == 0x501020 && at.guid == csspgo_guid("f", 1));
    T_CHECK(csspgo_code_find(c, 0x501020, &at) && at.address == 0x401020 && at.begin == 0 && at.end == 0 && at.guid == 0);
    T_CHECK(csspgo_code_find(c, 0x9000, &at) && at.module.id == 0 && at.address == 0x9000);
    T_CHECK(at.begin == 0x9000 && at.end == 0x9010 && at.guid == csspgo_guid("jit", 3));
    T_CHECK(!csspgo_code_find(c, 0x401010, &at) && at.address == 0);      /* where it is not mapped */
    T_CHECK(!csspgo_code_find(c, 0, &at) && !csspgo_code_find(c, UINT64_MAX, &at));
    csspgo_code_free(c);
}

static void a_mapping_event_tells_where_its_code_is(void)
{
    static const unsigned char own[2] = { 1, 2 }, other[2] = { 1, 3 };
    csspgo_segment seg[3];
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_module m;
    csspgo_mmap e;
    uint64_t shift;
    seg[0] = make_segment(0x400000, 0, 0x600, 0);
    seg[1] = make_segment(0x401040, 0x1040, 0x600, 1);
    seg[2] = make_segment(0x405000, 0x4000, 0x600, 1);
    m = make_module(c, "prog", seg, 3);
    T_EQ(csspgo_code_set_bias(c, m, 0x100000, NULL), CSSPGO_OK);
    memset(&e, 0, sizeof e);
    e.path = "/x/prog";
    e.path_size = 7;
    e.address = 0x7f0000001000;
    e.size = 0x1000;
    e.file_offset = 0x1000;
    T_EQ(csspgo_code_mapped(c, &e, &shift).id, m.id);
    T_EQ(e.address + 0x40 + shift, 0x501040);
    e.file_offset = 0x4000;                           /* the second executable segment lies elsewhere in the file */
    T_EQ(csspgo_code_mapped(c, &e, &shift).id, m.id);
    T_EQ(e.address + shift, 0x505000);
    e.file_offset = 0x8000;
    T_CHECK(csspgo_code_mapped(c, &e, &shift).id == 0 && shift == 0);
    e.file_offset = 0x1000;
    T_EQ(csspgo_code_set_build_id(c, m, own, 2, NULL), CSSPGO_OK);
    e.build_id = other;
    e.build_id_size = 2;
    T_CHECK(csspgo_code_mapped(c, &e, &shift).id == 0 && shift == 0);
    e.build_id = own;
    e.path = "/x/renamed";
    e.path_size = 10;
    T_EQ(csspgo_code_mapped(c, &e, &shift).id, m.id);
    T_EQ(csspgo_code_get_stats(c).modules, 1);        /* nothing was mapped, or added */
    csspgo_code_free(c);
}

int main(void)
{
    kinds_starts_and_calls_before_are_those_of_llvm_profgen();
    ranges_run_straight_as_specified();
    probes_come_back_with_their_inline_stacks();
    short_frame_arrays_get_the_outermost_frames();
    bad_probe_tables_add_nothing();
    many_small_probe_tables_are_like_one();
    overlapping_code_is_refused();
    decoding_restarts_at_symbols();
    a_call_at_the_end_of_a_section_is_before_the_next_section();
    areas_of_a_jit_have_nothing_to_do_with_each_other();
    transfers_describe_code_without_bytes();
    transfers_in_any_order_give_the_same_map();
    a_function_announces_code_that_was_not();
    functions_in_any_order_cost_little();
    code_of_modules_is_not_a_jits_to_remove();
    mapping_events_move_a_module();
    a_mapping_event_says_that_memory_is_out();
    a_module_does_not_move_onto_other_code();
    two_modules_keep_apart();
    a_refusal_says_why();
    what_is_in_the_way_is_named();
    code_above_4_gib_is_out_of_range();
    what_is_refused_says_nothing_of_its_function();
    an_address_tells_module_and_function();
    a_mapping_event_tells_where_its_code_is();
    graphs_follow_the_transfers();
    indirect_jumps_lead_to_what_nothing_else_enters();
    without_jumps_blocks_begin_at_block_probes();
    graphs_hold_every_instruction_of_real_code();
    T_FAILING(every_allocation_may_fail());
    T_FAILING(every_allocation_of_a_block_finder_may_fail());
    T_FAILING(a_failed_call_can_be_repeated());
    T_FAILING(a_removal_is_whole_or_none());
    return t_end();
}
