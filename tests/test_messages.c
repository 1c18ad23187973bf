/* test_messages.c - what public functions say of arguments that break their contract: each message begins with the name
 * of the function that was called, and none names a private one. */
#include "t.h"
#include "ctx_nodes.h"
#define CSSPGO_LINKER_ORDER_IMPLEMENTATION
#include "../examples/share/linker_order.h"
#define CSSPGO_PREAGG_WRITE_IMPLEMENTATION
#include "../examples/share/preagg_write.h"
#define CSSPGO_PPROF_IMPLEMENTATION
#include "../examples/share/pprof.h"

static csspgo_error e;

/* The last call was refused, in the name of this function, with a sentence that has this in it; limits: E_LIMIT. */
static void refused_by(int line, const char *function, const char *what)
{
    const size_t n = strlen(function);
    const csspgo_status status = strncmp(what, "limits.", 7) == 0 ? CSSPGO_E_LIMIT : CSSPGO_E_ARGUMENT;
    const int right = e.status == status && strncmp(e.message, function, n) == 0 &&
                      strncmp(e.message + n, ": ", 2) == 0 && e.message[n + 2] != '\0' &&
                      strstr(e.message, "csspgo__") == NULL && strstr(e.message, what) != NULL;
    if (!right) fprintf(stderr, "line %d, %s: status %d, \"%s\"\n", line, function, (int)e.status, e.message);
    T_CHECK(right);
    memset(&e, 0, sizeof e);
}

/* DENIED(function, (arguments), what): the status; MADE: a maker gives NULL. */
#define DENIED(f, arguments, what) (T_EQ(f arguments, CSSPGO_E_ARGUMENT), refused_by(__LINE__, #f, what))
#define MADE(f, arguments, what)   (T_CHECK(f arguments == NULL), refused_by(__LINE__, #f, what))

static void *never_alloc(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    T_MSG(0, "it is asked for memory");
    return NULL;
}

static void never_free(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)p;
    (void)size;
}

/* Memory that one function gives and another one's takes back would be damaged. */
static void half_an_allocator_is_refused(void)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = never_alloc;
    MADE(csspgo_profile_new, (&o, &e), "both alloc_fn and free_fn");
    MADE(csspgo_code_new, (&o, &e), "both alloc_fn and free_fn");
    o.allocator.alloc_fn = NULL;
    o.allocator.free_fn = never_free;
    MADE(csspgo_profile_new, (&o, &e), "both alloc_fn and free_fn");
}

static csspgo_profile *load(const char *text)
{
    return csspgo_load(text, strlen(text), NULL, NULL);
}

static void makers_refuse_what_options_cannot_be(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector_options collector;
    csspgo_script_options script;
    csspgo_match_options match;
    csspgo_options o;
    const csspgo_module three = { 3 };
    memset(&o, 0, sizeof o);
    memset(&collector, 0, sizeof collector);
    memset(&script, 0, sizeof script);
    memset(&match, 0, sizeof match);
    o.llvm = 18;
    script.llvm = 18;
    match.llvm = 5;
    MADE(csspgo_profile_new, (&o, &e), "llvm");
    MADE(csspgo_lazy_open, ("x", 1, &o, &e), "llvm");
    MADE(csspgo_probe_set_new, (&o, &e), "llvm");
    MADE(csspgo_perfdata_new, (&o, &e), "llvm");
    MADE(csspgo_script_new, (NULL, &o, &e), "llvm");
    MADE(csspgo_script_new, (&script, NULL, &e), "LLVM 19");
    MADE(csspgo_processes_new, (code, &o, &e), "llvm");
    MADE(csspgo_preagg_new, (NULL, &o, &e), "");
    MADE(csspgo_pprof_new, (NULL, &o, &e), "");
    MADE(csspgo_aggregator_new, (code, three, NULL, &e), "no such module: 3");
    MADE(csspgo_aggregator_new, (code, csspgo_no_module(), &o, &e), "llvm");
    MADE(csspgo_collector_new, (code, NULL, &o, &e), "llvm");
    collector.always_contexts = collector.single_branches = 1;
    MADE(csspgo_collector_new, (code, &collector, NULL, &e), "always_contexts");
    o.llvm = 0;
    o.limits.max_bytes = 5;
    MADE(csspgo_collector_new, (code, NULL, &o, &e), "limits.max_bytes is 5, the least is ");
    MADE(csspgo_profile_new, (&o, &e), "limits.max_bytes is 5, the least is ");
    MADE(csspgo_code_new, (&o, &e), "limits.max_bytes is 5, the least is ");
    MADE(csspgo_size_table_new, (&o, &e), "limits.max_bytes is 5, the least is ");
    o.llvm = 18;
    MADE(csspgo_size_table_new, (&o, &e), "llvm");
    MADE(csspgo_line_table_new, (&o, &e), "llvm");
    MADE(csspgo_match_input_new, (code, &o, &e), "llvm");
    MADE(csspgo_matcher_new, (NULL, &o, &e), "llvm");
    MADE(csspgo_matcher_new, (&match, NULL, &e), "llvm");
    MADE(csspgo_trace_sampler_new, (code, NULL, &o, &e), "llvm");
    MADE(csspgo_ctx_new, (&o, &e), "llvm");
    MADE(csspgo_ctx_runtime_new, (&o, &e), "llvm");
    csspgo_code_free(code);
}

static void graphs_are_refused(void)
{
    csspgo_cfg_edge edge;
    csspgo_cfg cfg;
    csspgo_flow_costs costs;
    csspgo_bipartite g;
    csspgo_bipartite_options how;
    const csspgo_probe_options third = { 3 };
    uint32_t eq[4] = { 0, 0, 0, 0 };
    const uint32_t begin[2] = { 0, 1 }, group[1] = { 7 };
    uint64_t n = 0;
    memset(&edge, 0, sizeof edge);
    memset(&cfg, 0, sizeof cfg);
    memset(&costs, 0, sizeof costs);
    memset(&g, 0, sizeof g);
    memset(&how, 0, sizeof how);
    edge.to = 9;
    cfg.edge = &edge;
    cfg.edges = 1;
    cfg.blocks = 2;
    DENIED(csspgo_cfg_classes, (&cfg, NULL, eq, &e), "edge number 0 leads from block 0 to block 9");
    DENIED(csspgo_flow_solve, (&cfg, NULL, NULL, &n, &e), "block 9");
    DENIED(csspgo_cfg_checksum, (&cfg, &third, NULL, NULL, &n, &e), "llvm");
    DENIED(csspgo_cfg_checksum, (&cfg, NULL, NULL, NULL, &n, &e), "block 9");
    cfg.edges = 0;
    cfg.blocks = 0;
    DENIED(csspgo_flow_solve, (&cfg, NULL, NULL, &n, &e), "without blocks");
    g.begin = begin;
    g.group = group;
    g.nodes = g.groups = 1;
    DENIED(csspgo_balanced_partition, (&g, NULL, NULL, eq, &e), "no group");
    how.depth = 31;
    DENIED(csspgo_balanced_partition, (&g, &how, NULL, eq, &e), "30");
}

static void profiles_are_refused(void)
{
    csspgo_profile *flat = load("main:4:1\n 1: 4\n"), *contexts = load("[main]:4:1\n 1: 4\n[main:1 @ f]:3:1\n 2: 3\n");
    csspgo_profile *probes = load("main:4:1\n 1: 4\n !CFGChecksum: 5\n");
    const csspgo_node root = csspgo_root(flat);
    csspgo_cutoff cutoff[2];
    csspgo_summary summary;
    csspgo_overlap_figures figures;
    char buf[10];
    uint64_t n;
    size_t size;
    memset(cutoff, 0, sizeof cutoff);
    cutoff[0].ppm = 5;
    DENIED(csspgo_add_profile, (flat, contexts, &e), "contexts");
    DENIED(csspgo_add_profile, (flat, probes, &e), "probes");
    DENIED(csspgo_merge, (flat, contexts, NULL, NULL, &e), "contexts");
    DENIED(csspgo_read, (flat, "[a]:1:1\n 1: 1\n", 14, &e), "contexts");
    DENIED(csspgo_compute_summary, (flat, cutoff, 2, &summary, &e), "number 1");
    DENIED(csspgo_write, (flat, 99, buf, sizeof buf, &size, &e), "99");
    DENIED(csspgo_write_file, (flat, "build/test_messages", 99, &e), "99");
    remove("build/test_messages");
    DENIED(csspgo_scale, (flat, 1, 0, &e), "denominator");
    DENIED(csspgo_remove, (flat, &root, 1, &e), "top-level");
    DENIED(csspgo_overlap, (flat, contexts, NULL, &figures, NULL, 0, NULL, &e), "contexts");
    DENIED(csspgo_preinline, (flat, NULL, NULL, &e), "contexts");
    MADE(csspgo_tracker_new, (flat, NULL, &e), "contexts");
    csspgo_profile_set_flags(flat, 0);
    T_EQ(csspgo_count_threshold(flat, 5, &n, &e), CSSPGO_OK);
    csspgo_profile_free(flat);
    csspgo_profile_free(contexts);
    csspgo_profile_free(probes);
}

static void trackers_refuse(void)
{
    const csspgo_node nowhere = { 0 };
    const csspgo_func no_func = { 0 }, one_func = { 1 };
    csspgo_profile *p = load("[main]:4:1\n 1: 4\n[main:1 @ f]:3:1\n 2: 3\n[main:1 @ f:2 @ g]:3:1\n 2: 3\n");
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    const csspgo_node top = csspgo_root(p), f = csspgo_find(p, "main:1 @ f"), g = csspgo_find(p, "main:1 @ f:2 @ g");
    const csspgo_func none = { 99 };
    csspgo_inliner_decision made[1];
    csspgo_inliner_result result;
    csspgo_func order[8];
    csspgo_node base;
    uint32_t savepoint = 0;
    size_t n;
    DENIED(csspgo_tracker_base, (t, none, 1, &base, &e), "id 99");
    DENIED(csspgo_tracker_move, (t, top, f, csspgo_loc_at(1, 0), NULL, &e), "node 1");
    DENIED(csspgo_tracker_move, (t, f, g, csspgo_loc_at(1, 0), NULL, &e), "below");
    DENIED(csspgo_tracker_move, (t, g, f, csspgo_loc_at(70000, 0), NULL, &e), "65535");
    DENIED(csspgo_tracker_promote, (t, top, NULL, &e), "node 1");
    DENIED(csspgo_tracker_promote_call, (t, nowhere, csspgo_loc_at(1, 0), no_func, &e),
           "caller is not a context: node 0");
    DENIED(csspgo_tracker_promote_call, (t, top, csspgo_loc_at(1, 0), one_func, &e), "not a context");
    DENIED(csspgo_tracker_mark_inlined, (t, top, &e), "node 1");
    DENIED(csspgo_tracker_unmark, (t, top, &e), "node 1");
    DENIED(csspgo_tracker_rollback, (t, 3, &e), "3");
    T_EQ(csspgo_tracker_checkpoint(t, &savepoint, &e), CSSPGO_OK);
    T_EQ(csspgo_tracker_commit(t, savepoint, &e), CSSPGO_OK);
    DENIED(csspgo_tracker_commit, (t, savepoint, &e), "1");
    DENIED(csspgo_tracker_compile_order, (t, &none, 1, order, 8, &n, &e), "id 99");
    result.decision = made;
    result.cap = 1;
    DENIED(csspgo_tracker_decide, (t, none, NULL, 0, NULL, &result, &e), "id 99");
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

static void readers_refuse_what_comes_at_the_wrong_time(void)
{
    const uint32_t sample_record = 9;                 /* a header in the machine's order of bytes */
    const uint16_t record_size = 16;
    static uint64_t words[64];
    csspgo_perfdata *d = csspgo_perfdata_new(NULL, NULL);
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_preagg *a = csspgo_preagg_new(NULL, NULL, NULL);
    csspgo_pprof *p = csspgo_pprof_new(NULL, NULL, NULL);
    csspgo_perf_event event;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_ring ring;
    memset(&event, 0, sizeof event);
    memset(&ring, 0, sizeof ring);
    csspgo_perfdata_end(d);
    csspgo_script_end(s);
    csspgo_preagg_end(a);
    csspgo_pprof_end(p);
    DENIED(csspgo_perfdata_feed, (d, "x", 1, &e), "end");
    DENIED(csspgo_script_feed, (s, "x", 1, &e), "end");
    DENIED(csspgo_preagg_feed, (a, "x", 1, &e), "end");
    DENIED(csspgo_pprof_feed, (p, "x", 1, &e), "end");
    csspgo_script_free(s);
    s = csspgo_script_new(NULL, NULL, NULL);
    T_EQ(csspgo_script_feed(s, "x\n", 2, &e), CSSPGO_OK);
    DENIED(csspgo_script_feed, (s, "x", 1, &e), "next");
    DENIED(csspgo_record_sample, (words, 8, &event, &sample, &e), "sample_type");
    event.sample_type = 1;
    DENIED(csspgo_record_sample, ((const char *)words + 4, 8, &event, &sample, &e), "aligned");
    T_EQ(csspgo_ring_next(&ring, &sample, &map, &e), CSSPGO_ITEM_NONE);
    refused_by(__LINE__, "csspgo_ring_next", "aligned");
    ring.data = words;
    ring.size = 100;
    T_EQ(csspgo_ring_next(&ring, &sample, &map, &e), CSSPGO_ITEM_NONE);
    refused_by(__LINE__, "csspgo_ring_next", "power of two");
    ring.size = sizeof words;
    ring.head = 16;
    memcpy((char *)words, &sample_record, sizeof sample_record);
    memcpy((char *)words + 6, &record_size, sizeof record_size);
    T_EQ(csspgo_ring_next(&ring, &sample, &map, &e), CSSPGO_ITEM_NONE);
    refused_by(__LINE__, "csspgo_ring_next", "sample_type");
    csspgo_perfdata_free(d);
    csspgo_script_free(s);
    csspgo_preagg_free(a);
    csspgo_pprof_free(p);
}

static void collectors_refuse(void)
{
    static const char names[] = "[main]\n1\n1000-1004:1\n0\n", addresses[] = "[0x1000]\n1\n1000-1004:1\n0\n";
    const uint64_t address = 0x1000;
    const csspgo_module three = { 3 };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_aggregator *a = csspgo_aggregator_new(code, csspgo_no_module(), NULL, NULL);
    csspgo_size_table *sizes = csspgo_size_table_new(NULL, NULL);
    csspgo_line_table *lines = csspgo_line_table_new(NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_unsymbolized_options how;
    csspgo_line_inline_node node;
    csspgo_line_row row;
    csspgo_frame frame;
    csspgo_preagg_line line;
    csspgo_sample s;
    uint64_t out[4];
    size_t n;
    memset(&how, 0, sizeof how);
    memset(&line, 0, sizeof line);
    memset(&s, 0, sizeof s);
    memset(&node, 0, sizeof node);
    memset(&row, 0, sizeof row);
    memset(&frame, 0, sizeof frame);
    how.module = three;
    line.kind = '?';
    DENIED(csspgo_aggregator_count, (a, &line, 1, &e), "63");
    DENIED(csspgo_collector_count, (c, &line, 1, &e), "63");
    DENIED(csspgo_collector_addresses, (c, three, out, 4, &n, &e), "module: 3");
    DENIED(csspgo_collector_calls, (c, three, out, 4, &n, &e), "module: 3");
    DENIED(csspgo_collector_ranges, (c, three, out, 2, &n, &e), "module: 3");
    DENIED(csspgo_write_unsymbolized, (c, &how, NULL, 0, &n, &e), "module: 3");
    DENIED(csspgo_write_unsymbolized_file, (c, "build/test_messages", &how, &e), "module: 3");
    remove("build/test_messages");
    DENIED(csspgo_read_unsymbolized, (c, names, sizeof names - 1, &how, &e), "module: 3");
    T_EQ(csspgo_read_unsymbolized(c, names, sizeof names - 1, NULL, &e), CSSPGO_OK);
    DENIED(csspgo_read_unsymbolized, (c, addresses, sizeof addresses - 1, NULL, &e), "names");
    DENIED(csspgo_collector_profile, (c, NULL, p, NULL, &e), "names");
    DENIED(csspgo_collector_profile_step, (c, 1, NULL, p, NULL, &e), "names");
    s.stack = &address;
    s.stack_count = 1;
    DENIED(csspgo_collector_add, (c, &s, 1, &e), "sample 0");
    DENIED(csspgo_size_table_add, (sizes, NULL, 0, 1, &e), "frame");
    frame.name = "f";
    frame.name_size = 1;
    frame.loc = csspgo_loc_at(70000, 0);
    DENIED(csspgo_size_table_add, (sizes, &frame, 1, 1, &e), "65535");
    DENIED(csspgo_line_table_add, (lines, code, three, NULL, 0, NULL, 0, &e), "module: 3");
    node.name = "f";
    node.name_size = 1;
    node.parent = 7;
    DENIED(csspgo_line_table_add, (lines, code, csspgo_no_module(), &node, 1, NULL, 0, &e), "node 0");
    row.inline_node = 4;
    DENIED(csspgo_line_table_add, (lines, code, csspgo_no_module(), NULL, 0, &row, 1, &e), "row 0");
    csspgo_profile_free(p);
    csspgo_line_table_free(lines);
    csspgo_size_table_free(sizes);
    csspgo_aggregator_free(a);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}

static void matchers_refuse(void)
{
    csspgo_matcher *m = csspgo_matcher_new(NULL, NULL, NULL);
    csspgo_profile *p = load("main:4:1\n 1: 4\n !CFGChecksum: 5\n");
    csspgo_match_code code[2];
    memset(code, 0, sizeof code);
    code[0].name = code[1].name = "f";
    code[0].name_size = code[1].name_size = 1;
    DENIED(csspgo_matcher_module, (m, p, code, 2, NULL, &e), "number 1");
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

static void opt_in_layers_refuse(void)
{
    const uint64_t size[1] = { 8 };
    const uint32_t order[1] = { 5 };
    uint64_t offset[1], end, counter[2] = { 1, 2 };
    csspgo_layout *l = csspgo_layout_new(NULL, NULL, NULL);
    csspgo_layout_order_options ordering;
    csspgo_layout_options layout;
    csspgo_trace_slot slot;
    const csspgo_trace_phase phase = { &slot, 1, NULL, 1, 0, 1 };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_trace_sampler *sampler = csspgo_trace_sampler_new(code, NULL, NULL, NULL);
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL), *d = csspgo_ctx_new(NULL, NULL);
    csspgo_ctx_write_options form;
    csspgo_ctx_runtime *r = csspgo_ctx_runtime_new(NULL, NULL);
    csspgo_ctx_fn fn;
    csspgo_sim_machine machine;
    csspgo_bottleneck_bounds bounds;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_sample s;
    size_t n;
    memset(&layout, 0, sizeof layout);
    memset(&ordering, 0, sizeof ordering);
    memset(&slot, 0, sizeof slot);
    memset(&form, 0, sizeof form);
    memset(&fn, 0, sizeof fn);
    memset(&machine, 0, sizeof machine);
    memset(&s, 0, sizeof s);
    layout.llvm = 18;
    MADE(csspgo_layout_new, (&layout, NULL, &e), "llvm");
    ordering.test_traces = 3;
    DENIED(csspgo_layout_order, (l, &ordering, NULL, 0, &n, &e), "test traces");
    DENIED(csspgo_layout_place, (size, 1, order, 1, 0, offset, &end, &e), "alignment");
    DENIED(csspgo_layout_place, (size, 1, order, 1, 16, offset, &end, &e), "5");
    DENIED(csspgo_trace_collect, (&phase, NULL, offset, &n, &e), "stride");
    DENIED(csspgo_trace_sampler_add, (sampler, &s, 1, &e), "no time");
    T_EQ(ctx_add(c, ctx_top(c), CTX_CALLEE, 1, 1, counter, 1, &e).id, 0);
    refused_by(__LINE__, "csspgo_ctx_add", "only callees have a call site");
    T_CHECK(ctx_add(c, ctx_top(c), CTX_ROOT, 0, 1, counter, 1, &e).id != 0);
    T_CHECK(ctx_add(d, ctx_top(d), CTX_ROOT, 0, 1, counter, 2, &e).id != 0);
    DENIED(csspgo_ctx_merge, (c, d, NULL, &e), "GUID 1");
    form.form = (csspgo_ctx_form)77;
    DENIED(csspgo_ctx_write, (c, &form, NULL, 0, &n, &e), "form");
    MADE(csspgo_ctx_root_new, (r, &fn, NULL, &e), "counter");
    MADE(csspgo_bottleneck_new, (NULL, 0, 0, 1, NULL, &e), "4096");
    MADE(csspgo_bottleneck_simulate, (&machine, NULL, 0, 1, NULL, &e), "4096");
    DENIED(csspgo_sim_run, (&machine, NULL, 0, 1, NULL, NULL, NULL, &e), "");
    DENIED(csspgo_bottleneck_find_bounds, (&machine, NULL, 0, NULL, &bounds, NULL, 0, &e), "");
    csspgo_profile_free(p);
    csspgo_ctx_runtime_free(r);
    csspgo_ctx_free(c);
    csspgo_ctx_free(d);
    csspgo_trace_sampler_free(sampler);
    csspgo_layout_free(l);
    csspgo_code_free(code);
}

/* Limits: the message says which, and how much it is. */
static void limits_are_named(void)
{
    static const char text[] = "[a]:4:1\n 1: 4\n[a:1 @ b:1 @ f]:3:1\n 2: 3\n";
    csspgo_profile *deep, *p;
    csspgo_tracker *t;
    csspgo_options o;
    csspgo_node f;
    char buf[4];
    size_t size;
    memset(&o, 0, sizeof o);
    o.limits.max_depth = 3;
    p = csspgo_load(text, sizeof text - 1, &o, &e);
    if (!T_CHECK(p != NULL)) return;
    t = csspgo_tracker_new(p, NULL, NULL);
    f = csspgo_find(p, "a:1 @ b:1 @ f");
    T_EQ(csspgo_tracker_move(t, csspgo_find(p, "a"), f, csspgo_loc_at(1, 0), NULL, &e), CSSPGO_E_ARGUMENT);
    csspgo_tracker_free(t);
    deep = load("[a:1 @ b]:4:1\n 1: 4\n[a:1 @ b:1 @ c]:4:1\n 1: 4\n[a:1 @ b:1 @ c:1 @ d]:4:1\n 1: 4\n"
                "[a:1 @ b:1 @ c:1 @ d:1 @ e]:4:1\n 1: 4\n");
    T_EQ(csspgo_add_profile(p, deep, &e), CSSPGO_OK);
    T_EQ(csspgo_compress_recursion(p, UINT32_MAX, &e), CSSPGO_E_LIMIT);
    T_CHECK(strstr(e.message, "limits.max_depth, 3") != NULL && strstr(e.message, "max_bytes") == NULL);
    T_EQ(csspgo_nest(p, CSSPGO_NEST_KEEP_BASE, &e), CSSPGO_E_LIMIT);
    T_CHECK(strstr(e.message, "limits.max_depth, 3") != NULL);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, buf, sizeof buf, &size, &e), CSSPGO_E_SHORT);
    T_CHECK(strstr(e.message, "room for 4 of ") != NULL && size > 4);
    csspgo_profile_free(deep);
    csspgo_profile_free(p);
    memset(&o, 0, sizeof o);
    o.limits.max_name = 3;
    p = csspgo_profile_new(&o, NULL);
    deep = load("longer:4:1\n 1: 4\n");
    T_EQ(csspgo_add_profile(p, deep, &e), CSSPGO_E_LIMIT);
    T_CHECK(strstr(e.message, "limits.max_name, 3") != NULL);
    csspgo_profile_free(deep);
    csspgo_profile_free(p);
}

static void statuses_have_names_and_sentences_of_their_own(void)
{
    int i, k;
    for (i = 0; i <= CSSPGO_E_SHORT; i++)
        for (k = 0; k < i; k++) {
            T_CHECK(strcmp(csspgo_status_name((csspgo_status)i), csspgo_status_name((csspgo_status)k)) != 0);
            T_CHECK(strcmp(csspgo_status_text((csspgo_status)i), csspgo_status_text((csspgo_status)k)) != 0);
        }
    T_CHECK(strcmp(csspgo_status_name(CSSPGO_E_FULL), "E_FULL") == 0);
    T_CHECK(strcmp(csspgo_status_name(CSSPGO_E_SHORT), "E_SHORT") == 0);
}

/* The last call reached a limit, and says which. */
static void reached(int line, csspgo_status status, const char *limit)
{
    const int right = status == CSSPGO_E_LIMIT && e.status == status && strstr(e.message, limit) != NULL;
    if (!right) fprintf(stderr, "line %d: status %d, \"%s\", not %s\n", line, (int)status, e.message, limit);
    T_CHECK(right);
    memset(&e, 0, sizeof e);
}
#define REACHED(call, limit) reached(__LINE__, (call), limit)

/* Each member of csspgo_limits, where input reaches it. */
static void input_says_which_limit_it_reaches(void)
{
    static const char text[] = "main:10:1\n 1: 10\n 2: f:4\n  1: g:4\n   1: h:4\n    1: 4\n";
    static const char *const names[] = { "limits.max_name", "limits.max_depth", "limits.max_bytes" };
    char all[4096];
    csspgo_profile *p = load(text);
    csspgo_probe probe;
    csspgo_inline_node chain[4];
    csspgo_probe_function function;
    csspgo_descriptor descriptor;
    csspgo_probe_set *probes;
    csspgo_cfg_block block[3];
    csspgo_cfg_edge edge[2];
    csspgo_cfg cfg;
    csspgo_options o;
    size_t size, i;
    for (i = 0; i < 3; i++) {                             /* of a profile, in each format */
        static const uint32_t forms[] = { CSSPGO_TEXT, CSSPGO_EXTBINARY, CSSPGO_BINARY };
        size_t k;
        memset(&o, 0, sizeof o);
        o.limits.max_name = i == 0 ? 3 : 0;
        o.limits.max_depth = i == 1 ? 2 : 0;
        o.limits.max_bytes = i == 2 ? 2200 : 0;
        for (k = 0; k < sizeof forms / sizeof *forms; k++) {
            csspgo_profile *q;
            if (!T_CHECK(csspgo_write(p, forms[k], all, sizeof all, &size, NULL) == CSSPGO_OK)) continue;
            q = csspgo_load(all, size, &o, &e);
            T_CHECK(q == NULL);
            REACHED(e.status, names[i]);
            csspgo_profile_free(q);
        }
    }
    memset(&o, 0, sizeof o);
    o.limits.max_depth = 3;
    o.limits.max_name = 5;
    o.limits.max_steps = 1;
    probes = csspgo_probe_set_new(&o, NULL);
    memset(&descriptor, 0, sizeof descriptor);
    descriptor.name = "longer";
    descriptor.name_size = 6;
    REACHED(csspgo_probe_set_add_descriptor(probes, &descriptor, &e), "limits.max_name, 5");
    memset(chain, 0, sizeof chain);
    for (i = 0; i < 4; i++) {
        chain[i].guid = i + 1;
        chain[i].parent = (uint32_t)i;
        chain[i].site = i != 0;
    }
    memset(&probe, 0, sizeof probe);
    probe.id = 1;
    probe.inline_node = 4;
    memset(&function, 0, sizeof function);
    function.inlines = chain;
    function.inline_count = 4;
    function.probes = &probe;
    function.probe_count = 1;
    REACHED(csspgo_probe_set_add(probes, &function, &e), "limits.max_depth, 3");
    memset(block, 0, sizeof block);
    memset(edge, 0, sizeof edge);
    memset(&cfg, 0, sizeof cfg);
    block[0].known = block[2].known = 1;
    block[0].count = 5;
    block[2].count = 9;
    edge[0].to = 1;
    edge[1].from = 1;
    edge[1].to = 2;
    cfg.block = block;
    cfg.blocks = 3;
    cfg.edge = edge;
    cfg.edges = 2;
    REACHED(csspgo_flow_solve(&cfg, NULL, &o, NULL, &e), "limits.max_steps, 1");
    cfg.blocks = (size_t)1 << 29;
    REACHED(csspgo_flow_solve(&cfg, NULL, NULL, NULL, &e), "2^28 blocks");
    csspgo_probe_set_free(probes);
    csspgo_profile_free(p);
}

int main(void)
{
    half_an_allocator_is_refused();
    makers_refuse_what_options_cannot_be();
    graphs_are_refused();
    profiles_are_refused();
    trackers_refuse();
    readers_refuse_what_comes_at_the_wrong_time();
    collectors_refuse();
    matchers_refuse();
    opt_in_layers_refuse();
    limits_are_named();
    input_says_which_limit_it_reaches();
    statuses_have_names_and_sentences_of_their_own();
    return t_end();
}
