/* fuzz_bottleneck.c - hot blocks: models as text, and events that nobody checked. A block that can be simulated is
 * never faster than its bounds; its analysis and both reports are the same each time, and the same from all events of
 * the run. Events of any kind, in any order, are counted or left out. The last byte chooses: events or a model, LLVM's
 * rules or ours, failing memory. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#include "../examples/share/sim_model.h"
#define CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION
#include "../examples/share/bottleneck_report.h"
#include "fuzz.h"

enum { STEPS = 4096 };

static csspgo_options options_of(counted *c, unsigned how)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    memset(c, 0, sizeof *c);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = c;
    o.llvm = how & 2 ? 19 : 0;
    c->fail_at = how >> 3;
    return o;
}

/* Both forms of the report: of the size announced. Returns a hash of them. */
static uint64_t reported(const csspgo_bottleneck *b, csspgo_bottleneck_report_options how)
{
    uint64_t hash = 0;
    unsigned form;
    for (form = 0; form < 2; form++) {
        size_t size, again;
        char *text;
        how.form = (csspgo_bottleneck_form)form;
        REQUIRE(csspgo_bottleneck_report(b, &how, NULL, 0, &size, NULL) == CSSPGO_OK && size != 0);
        text = (char *)malloc(size);
        REQUIRE(text != NULL);
        REQUIRE(csspgo_bottleneck_report(b, &how, text, size, &again, NULL) == CSSPGO_OK && again == size);
        REQUIRE(memchr(text, '\0', size) == NULL && text[size - 1] == '\n');
        hash = hash_bytes(text, size, hash);
        free(text);
    }
    return hash;
}

/* What must hold of any analysis. */
static void lawful(csspgo_bottleneck *b, uint32_t n)
{
    const csspgo_bottleneck_stats s = csspgo_bottleneck_get_stats(b);
    csspgo_bottleneck_edge edge, *all;
    csspgo_bottleneck_node *node = (csspgo_bottleneck_node *)calloc(3 * n, sizeof *node);
    uint32_t v;
    const size_t edges = csspgo_bottleneck_get_edges(b, NULL, 0);
    size_t i;
    REQUIRE(node != NULL);
    REQUIRE(s.pressure <= s.cycles && s.resources <= s.pressure && s.data <= s.pressure && s.registers <= s.data);
    REQUIRE(s.memory <= s.data && s.resources + s.data >= s.pressure && s.registers + s.memory >= s.data);
    if (csspgo_bottleneck_get_critical(b, &edge, 1) != 0) REQUIRE(edge.from < edge.to && edge.to < 3 * n);
    REQUIRE(csspgo_bottleneck_get_nodes(b, node, 3 * n) == 3 * n);
    for (v = 0; v < 3 * n; v++)
        if (node[v].depth != 0) REQUIRE(node[v].via < v && node[v].cost >= node[node[v].via].cost);
    all = (csspgo_bottleneck_edge *)calloc(edges + 1, sizeof *all);
    REQUIRE(all != NULL && csspgo_bottleneck_get_edges(b, all, edges) == edges);
    for (i = 0; i < edges; i++) {
        REQUIRE(all[i].from < all[i].to && all[i].to < 3 * n);
        REQUIRE(i == 0 || all[i - 1].from <= all[i].from);
    }
    free(all);
    free(node);
}

/* ----- models ----- */

/* 1 if a result may come after its instruction has ended: the bound of latency does not hold then. */
static int results_come_late(const csspgo_sim_instruction *x)
{
    int32_t latest = 0;
    uint32_t i;
    for (i = 0; x->advance != NULL && i < x->reads; i++)
        if (x->advance[i] < latest) latest = x->advance[i];
    for (i = 0; i < x->defs; i++)
        if (x->def[i].latency > x->latency) return 1;
    return latest < 0;
}

static void simulate(const csspgo_sim_model *m, unsigned how)
{
    static csspgo_bottleneck_step chain[STEPS];
    const csspgo_sim_block k = csspgo_sim_model_block(m);
    const uint32_t iterations = k.iterations < 90 ? k.iterations : 90;
    csspgo_bottleneck_bounds bounds;
    csspgo_bottleneck_report_options report;
    csspgo_bottleneck_sink sink;
    csspgo_sim_options run;
    csspgo_sim_result r;
    csspgo_bottleneck *b;
    csspgo_options o;
    counted c;
    size_t i;
    int late = 0;
    memset(&run, 0, sizeof run);
    run.max_cycles = 20000;
    if (csspgo_sim_run(&k.machine, k.instruction, k.count, iterations, &run, NULL, &r, NULL) != CSSPGO_OK) return;
    o = options_of(&c, how & 7);
    REQUIRE(csspgo_bottleneck_find_bounds(&k.machine, k.instruction, k.count, &o, &bounds, chain, STEPS, NULL) ==
            CSSPGO_OK);
    REQUIRE(c.live == 0 && bounds.steps <= k.count);
    for (i = 0; i < k.count; i++) late |= results_come_late(&k.instruction[i]);
    REQUIRE(late || r.cycles >= csspgo_bottleneck_least_cycles(&bounds, iterations));
    memset(&report, 0, sizeof report);
    report.names.instruction = k.text;
    report.names.reg = k.reg;
    report.names.regs = k.regs;
    report.bounds = &bounds;
    report.chain = chain;
    b = csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, iterations, &o, NULL);
    if (b != NULL) {                                  /* NULL: the table of resources is none */
        uint64_t hash;
        REQUIRE(csspgo_bottleneck_get_stats(b).cycles == r.cycles);
        REQUIRE(k.machine.resources != 0 || csspgo_bottleneck_get_stats(b).ignored == 0);
        lawful(b, (uint32_t)k.count);
        hash = reported(b, report);
        csspgo_bottleneck_free(b);
        o.hash_seed = 99;
        b = csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, iterations, &o, NULL);
        REQUIRE(b != NULL && reported(b, report) == hash);
        csspgo_bottleneck_free(b);
        b = csspgo_bottleneck_new(k.machine.resource, k.machine.resources, k.count, iterations, &o, NULL);
        REQUIRE(b != NULL);
        sink = csspgo_bottleneck_into(b);
        run.llvm = o.llvm;
        run.sink = &sink;
        REQUIRE(csspgo_sim_run(&k.machine, k.instruction, k.count, iterations, &run, NULL, NULL, NULL) == CSSPGO_OK);
        REQUIRE(csspgo_bottleneck_finish(b, NULL) == CSSPGO_OK && reported(b, report) == hash);
        csspgo_bottleneck_free(b);
    }
    REQUIRE(c.live == 0);
    o = options_of(&c, how);
    csspgo_bottleneck_free(csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, iterations, &o, NULL));
    REQUIRE(c.live == 0);
}

/* ----- events ----- */

static void feed(input *in, unsigned how)
{
    const uint32_t n = 1 + byte(in) % 20, iterations = 1 + byte(in);
    csspgo_bottleneck_report_options report;
    csspgo_bottleneck *b;
    csspgo_options o;
    counted c;
    csspgo_status s = CSSPGO_OK;
    o = options_of(&c, how);
    b = csspgo_bottleneck_new(NULL, 0, n, iterations, &o, NULL);
    while (b != NULL && in->p < in->end && s == CSSPGO_OK) {
        const unsigned kind = byte(in);
        csspgo_bottleneck_event e;
        csspgo_bottleneck_use use[3];
        csspgo_bottleneck_waiting w[3];
        unsigned i;
        memset(&e, 0, sizeof e);
        e.kind = (csspgo_bottleneck_kind)(kind % 10);
        e.iid = byte(in) * (kind & 128 ? 257u : 1u);
        e.busy = byte(in) * (uint64_t)(kind & 64 ? 0x100000001u : 1u);
        e.reg.iid = e.mem.iid = byte(in);
        e.reg.reg = e.reg.iid & 15;
        e.reg.cycles = kind & 16 ? UINT32_MAX : byte(in) & 3;
        e.mem.cycles = e.reg.cycles & 1;
        for (i = 0; i < 3; i++) {
            use[i].unit = w[i].iid = byte(in);
            use[i].cycles = kind & 32 ? UINT32_MAX : i;
            w[i].busy = e.busy;
        }
        e.use = use;
        e.uses = kind % 4;
        e.waiting = w;
        e.waits = kind % 4;
        s = csspgo_bottleneck_add(b, &e, 1, NULL);
    }
    REQUIRE(b != NULL ? s == CSSPGO_OK || c.fail_at != 0 : c.fail_at != 0);
    memset(&report, 0, sizeof report);
    if (b != NULL && csspgo_bottleneck_finish(b, NULL) == CSSPGO_OK) {
        lawful(b, n);
        REQUIRE(reported(b, report) == reported(b, report));
    }
    csspgo_bottleneck_free(b);
    REQUIRE(c.live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned how = size != 0 ? data[size - 1] : 0;
    csspgo_sim_model *m;
    csspgo_options o;
    counted c;
    input in;
    if (size == 0) return 0;
    in.p = data;
    in.end = data + size - 1;
    if (how & 1) {
        feed(&in, how);
        return 0;
    }
    o = options_of(&c, how & 6);
    m = csspgo_sim_model_read(data, size - 1, &o, NULL);
    if (m != NULL) simulate(m, how);
    csspgo_sim_model_free(m);
    REQUIRE(c.live == 0);
    return 0;
}
