/* test_bottleneck.c - layer bottleneck: the analysis of a hot block, its bounds, reports. */
#include "t.h"
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#include "../examples/share/sim_model.h"
#define CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION
#include "../examples/share/bottleneck_report.h"
#include "block.h"

#define DATA "data/bottleneck/"

static const char *const vectors[] = { "chain", "div_znver4", "dot_btver2", "dot_skylake", "early_finalize",
                                       "loop_haswell", "mix_btver2", "none", "store_load_alias",
                                       "store_load_noalias" };

/* ----- helpers ----- */

static block *vector(const char *name)
{
    char path[200];
    sprintf(path, "%s%s.ev", DATA, name);
    return block_read(path);
}

static csspgo_options in_llvm_mode(uint32_t llvm)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    return o;
}

static csspgo_bottleneck *made(const block *k, uint32_t llvm)
{
    const csspgo_options o = in_llvm_mode(llvm);
    csspgo_bottleneck *b = csspgo_bottleneck_new(k->resource, k->resources, k->n, k->iterations, &o, NULL);
    if (b == NULL) abort();
    return b;
}

/* The analysis of a block's events, finished. */
static csspgo_bottleneck *analysis(const block *k, uint32_t llvm)
{
    csspgo_bottleneck *b = made(k, llvm);
    T_EQ(csspgo_bottleneck_add(b, k->event, k->events, NULL), CSSPGO_OK);
    T_EQ(csspgo_bottleneck_finish(b, NULL), CSSPGO_OK);
    return b;
}

static char *report(const csspgo_bottleneck *b, const block *k, csspgo_bottleneck_form form, size_t *size)
{
    csspgo_bottleneck_report_options how;
    char *text;
    memset(&how, 0, sizeof how);
    how.form = form;
    how.names.instruction = k->instruction;
    how.names.reg = k->reg;
    how.names.regs = BLOCK_REGS;
    T_EQ(csspgo_bottleneck_report(b, &how, NULL, 0, size, NULL), CSSPGO_OK);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    text[*size] = '\0';
    T_EQ(csspgo_bottleneck_report(b, &how, text, *size, size, NULL), CSSPGO_OK);
    return text;
}

/* ----- LLVM's reports ----- */

/* "edge 1 -> 3 MEM - cost 57 frequency 19", as graph.txt has it */
static void print_edge(char *to, const block *k, const csspgo_bottleneck_edge *e)
{
    char key[40] = "-";
    if (e->type == CSSPGO_BOTTLENECK_ON_REGISTER) sprintf(key, "%s", k->reg[e->key]);
    if (e->type == CSSPGO_BOTTLENECK_ON_RESOURCE) sprintf(key, "0x%llx", (unsigned long long)e->key);
    sprintf(to, "edge %u -> %u %s %s cost %llu frequency %u%s\n", (unsigned)e->from, (unsigned)e->to,
            e->type == CSSPGO_BOTTLENECK_ON_REGISTER ? "REG" : e->type == CSSPGO_BOTTLENECK_ON_MEMORY ? "MEM" : "RES",
            key, (unsigned long long)e->cost, (unsigned)e->frequency,
            e->frequency * 10 <= k->iterations ? " BELOW_CUTOFF" : "");
}

/* What graph.txt says: counts, pressure of resources, edges before pruning, nodes, critical edges. */
static void graph(const csspgo_bottleneck *b, const block *k, char *to)
{
    const csspgo_bottleneck_stats s = csspgo_bottleneck_get_stats(b);
    csspgo_bottleneck_edge edge[200];
    csspgo_bottleneck_node node[200];
    size_t i, n;
    to += sprintf(to, "cycles %llu stall_seen %u pressure %llu resource %llu data %llu register %llu memory %llu\n",
                  (unsigned long long)s.cycles, (unsigned)s.stalled, (unsigned long long)s.pressure,
                  (unsigned long long)s.resources, (unsigned long long)s.data, (unsigned long long)s.registers,
                  (unsigned long long)s.memory);
    for (i = 0; i < k->resources; i++)
        if (csspgo_bottleneck_pressure(b, i) != 0)
            to += sprintf(to, "resource_pressure %s %llu\n", k->resource[i].name,
                          (unsigned long long)csspgo_bottleneck_pressure(b, i));
    n = csspgo_bottleneck_get_edges(b, edge, 200);
    T_CHECK(n <= 200);
    for (i = 0; i < n; i++) {
        print_edge(to, k, &edge[i]);
        to += strlen(to);
    }
    n = csspgo_bottleneck_get_nodes(b, node, 200);
    T_EQ(n, 3 * k->n);
    for (i = 0; i < n; i++)
        if (node[i].depth != 0)
            to += sprintf(to, "node %u cost %llu depth %u via %u\n", (unsigned)i, (unsigned long long)node[i].cost,
                          (unsigned)node[i].depth, (unsigned)node[i].via);
    n = csspgo_bottleneck_get_critical(b, edge, 200);
    for (i = 0; i < n; i++)
        to += sprintf(to, "critical %u -> %u type %u cost %llu frequency %u\n", (unsigned)edge[i].from,
                      (unsigned)edge[i].to, (unsigned)edge[i].type, (unsigned long long)edge[i].cost,
                      (unsigned)edge[i].frequency);
}

static void what_llvm_reports(void)
{
    size_t v, size, want_size;
    for (v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        block *k = vector(vectors[v]);
        csspgo_bottleneck *b = analysis(k, 19);
        char path[200], got[20000], *text, *want, *at;
        sprintf(path, "%s%s.graph.txt", DATA, vectors[v]);
        want = t_file(path, &want_size);
        graph(b, k, got);
        t_same(path, got, strlen(got), want, want_size);
        free(want);
        sprintf(path, "%s%s.report19.txt", DATA, vectors[v]);
        want = t_file(path, &want_size);
        at = strstr(want, "Block RThroughput");
        at += strcspn(at, "\n") + 1;
        text = report(b, k, CSSPGO_BOTTLENECK_TEXT, &size);
        t_same(path, text, size, at, want_size - (size_t)(at - want));
        T_EQ(csspgo_bottleneck_get_stats(b).ignored, 0);
        free(text);
        free(want);
        csspgo_bottleneck_free(b);
        block_free(k);
    }
}

/* ----- what our mode does better ----- */

static void rare_edges_do_not_lead_the_sequence(void)
{
    block *k = vector("mix_btver2");
    csspgo_bottleneck *ours = analysis(k, 0), *llvms = analysis(k, 19);
    csspgo_bottleneck_edge edge[20];
    size_t i, n = csspgo_bottleneck_get_critical(llvms, edge, 20);
    T_CHECK(n != 0 && edge[0].frequency == 4);        /* of 50 */
    n = csspgo_bottleneck_get_critical(ours, edge, 20);
    T_CHECK(n != 0);
    for (i = 0; i < n; i++) T_CHECK(edge[i].frequency * 10 > k->iterations);
    csspgo_bottleneck_free(ours);
    csspgo_bottleneck_free(llvms);
    block_free(k);
}

/* The last instruction is issued before others: LLVM does not see what happens to these. */
static void the_graph_is_complete_at_the_end_only(void)
{
    block *k = vector("early_finalize");
    csspgo_bottleneck *ours = analysis(k, 0), *llvms = analysis(k, 19);
    csspgo_bottleneck_edge a[200], b[200];
    const size_t n = csspgo_bottleneck_get_edges(ours, a, 200), m = csspgo_bottleneck_get_edges(llvms, b, 200);
    uint64_t all = 0, early = 0;
    size_t i;
    for (i = 0; i < n; i++) all += a[i].frequency;
    for (i = 0; i < m; i++) early += b[i].frequency;
    T_CHECK(n >= m && all > early);
    T_EQ(csspgo_bottleneck_get_stats(ours).pressure, csspgo_bottleneck_get_stats(llvms).pressure);
    csspgo_bottleneck_free(ours);
    csspgo_bottleneck_free(llvms);
    block_free(k);
}

static csspgo_bottleneck_event event(csspgo_bottleneck_kind kind, uint32_t iid)
{
    csspgo_bottleneck_event e;
    memset(&e, 0, sizeof e);
    e.kind = kind;
    e.iid = iid;
    return e;
}

/* One event; its lists are copied to blocks of their exact size. */
static csspgo_status put(csspgo_bottleneck *b, csspgo_bottleneck_event e)
{
    unsigned char *use = t_copy(e.use, e.uses * sizeof *e.use);
    unsigned char *waiting = t_copy(e.waiting, e.waits * sizeof *e.waiting);
    csspgo_status s;
    e.use = (const csspgo_bottleneck_use *)(void *)use;
    e.waiting = (const csspgo_bottleneck_waiting *)(void *)waiting;
    s = csspgo_bottleneck_add(b, &e, 1, NULL);
    free(use);
    free(waiting);
    return s;
}

static void put_kind(csspgo_bottleneck *b, csspgo_bottleneck_kind kind, uint32_t iid)
{
    T_EQ(put(b, event(kind, iid)), CSSPGO_OK);
}

static csspgo_bottleneck *small(size_t n, uint32_t iterations, uint32_t llvm)
{
    const csspgo_options o = in_llvm_mode(llvm);
    csspgo_bottleneck *b = csspgo_bottleneck_new(NULL, 0, n, iterations, &o, NULL);
    if (b == NULL) abort();
    return b;
}

/* Instruction 1 waits for unit 3, which 0 has, and for register 8: the same number as the unit's bit. */
static void registers_are_not_resources(void)
{
    uint32_t llvm;
    for (llvm = 0; llvm <= 19; llvm += 19) {
        csspgo_bottleneck *b = small(2, 1, llvm);
        csspgo_bottleneck_event e = event(CSSPGO_BOTTLENECK_ISSUED, 0);
        csspgo_bottleneck_use use;
        csspgo_bottleneck_edge edge[4];
        use.unit = 3;
        use.cycles = 5;
        e.use = &use;
        e.uses = 1;
        put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 0);
        put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 1);
        T_EQ(put(b, e), CSSPGO_OK);
        e = event(CSSPGO_BOTTLENECK_ISSUED, 1);
        e.busy = 8;
        e.reg.reg = 8;
        e.reg.cycles = 7;
        T_EQ(put(b, e), CSSPGO_OK);
        T_EQ(csspgo_bottleneck_get_edges(b, edge, 4), llvm ? 1 : 2);
        T_EQ(edge[0].type, CSSPGO_BOTTLENECK_ON_RESOURCE);
        T_EQ(edge[0].cost, llvm ? 12 : 5);
        T_EQ(edge[0].frequency, llvm ? 2 : 1);
        if (!llvm) T_CHECK(edge[1].type == CSSPGO_BOTTLENECK_ON_REGISTER && edge[1].cost == 7);
        csspgo_bottleneck_free(b);
    }
}

/* Pressure on resource 40, which LLVM's 32 bits do not hold, makes the wait for it dearer. */
static void resources_above_the_32nd_count(void)
{
    uint32_t llvm;
    for (llvm = 0; llvm <= 19; llvm += 19) {
        csspgo_bottleneck *b = small(2, 1, llvm);
        csspgo_bottleneck_event e = event(CSSPGO_BOTTLENECK_ISSUED, 0);
        csspgo_bottleneck_waiting w;
        csspgo_bottleneck_use use;
        csspgo_bottleneck_edge edge;
        use.unit = 40;
        use.cycles = 5;
        e.use = &use;
        e.uses = 1;
        put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 0);
        put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 1);
        T_EQ(put(b, e), CSSPGO_OK);
        e = event(CSSPGO_BOTTLENECK_RESOURCES, 0);
        w.iid = 1;
        w.busy = e.busy = (uint64_t)1 << 40;
        e.waiting = &w;
        e.waits = 1;
        T_EQ(put(b, e), CSSPGO_OK);
        T_EQ(csspgo_bottleneck_pressure(b, 40), 1);
        e = event(CSSPGO_BOTTLENECK_ISSUED, 1);
        e.busy = w.busy;
        T_EQ(put(b, e), CSSPGO_OK);
        T_EQ(csspgo_bottleneck_get_edges(b, &edge, 1), 1);
        T_EQ(edge.cost, llvm ? 5 : 7);
        csspgo_bottleneck_free(b);
    }
}

/* A wide instruction goes on being dispatched after its end; for LLVM it is then in flight for ever. */
static void wide_instructions_end_once(void)
{
    uint32_t llvm, i;
    for (llvm = 0; llvm <= 19; llvm += 19) {
        csspgo_bottleneck *b = small(2, 5000, llvm);
        csspgo_bottleneck_event e = event(CSSPGO_BOTTLENECK_ISSUED, 0);
        csspgo_bottleneck_use use;
        use.unit = 0;
        use.cycles = 1;
        e.use = &use;
        e.uses = 1;
        put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 0);
        put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 0);
        T_EQ(put(b, e), CSSPGO_OK);
        put_kind(b, CSSPGO_BOTTLENECK_EXECUTED, 0);
        put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 0);
        for (i = 1; i < 4000; i++) {                  /* more than the ring holds */
            put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, i);
            if (i != 3999) put_kind(b, CSSPGO_BOTTLENECK_EXECUTED, i);
        }
        e = event(CSSPGO_BOTTLENECK_ISSUED, 3999);
        e.busy = 1;
        T_EQ(put(b, e), CSSPGO_OK);
        T_EQ(csspgo_bottleneck_get_edges(b, NULL, 0), llvm ? 1 : 0);
        T_EQ(csspgo_bottleneck_get_stats(b).ignored, 0);
        csspgo_bottleneck_free(b);
    }
}

/* ----- what makes no sense ----- */

static void nonsense_is_left_out_and_counted(void)
{
    csspgo_bottleneck *b = small(3, 2, 0);
    csspgo_bottleneck_event e = event(CSSPGO_BOTTLENECK_RESOURCES, 0);
    csspgo_bottleneck_waiting w;
    csspgo_bottleneck_use use;
    put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 6);                 /* there are 6 */
    put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, UINT32_MAX);
    put_kind(b, CSSPGO_BOTTLENECK_EXECUTED, 0);
    put_kind(b, CSSPGO_BOTTLENECK_ISSUED, 0);
    put_kind(b, CSSPGO_BOTTLENECK_ISSUED, UINT32_MAX);
    put_kind(b, (csspgo_bottleneck_kind)99, 0);
    T_EQ(csspgo_bottleneck_get_stats(b).ignored, 6);
    put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 0);
    put_kind(b, CSSPGO_BOTTLENECK_ISSUED, 0);
    put_kind(b, CSSPGO_BOTTLENECK_ISSUED, 0);                     /* again */
    put_kind(b, CSSPGO_BOTTLENECK_EXECUTED, 0);
    put_kind(b, CSSPGO_BOTTLENECK_EXECUTED, 0);
    T_EQ(csspgo_bottleneck_get_stats(b).ignored, 8);
    w.iid = 5;                                                    /* is not in flight */
    w.busy = 1;
    e.busy = 1;
    e.waiting = &w;
    e.waits = 1;
    T_EQ(put(b, e), CSSPGO_OK);
    T_EQ(csspgo_bottleneck_get_stats(b).ignored, 9);
    put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, 1);
    e = event(CSSPGO_BOTTLENECK_ISSUED, 1);
    e.reg.iid = 17;                                               /* is not executed at all */
    e.reg.cycles = 1;
    use.unit = 64;
    use.cycles = 1;
    e.use = &use;
    e.uses = 1;
    T_EQ(put(b, e), CSSPGO_OK);
    T_EQ(csspgo_bottleneck_get_stats(b).ignored, 11);
    T_EQ(csspgo_bottleneck_get_edges(b, NULL, 0), 0);
    T_EQ(csspgo_bottleneck_finish(b, NULL), CSSPGO_OK);
    T_EQ(csspgo_bottleneck_finish(b, NULL), CSSPGO_OK);
    T_EQ(put(b, event(CSSPGO_BOTTLENECK_CYCLE, 0)), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_bottleneck_get_critical(b, NULL, 0), 0);
    csspgo_bottleneck_free(b);
}

static void masks_beyond_the_resources_are_left_out(void)
{
    csspgo_bottleneck_resource r[3];
    csspgo_bottleneck *b;
    csspgo_bottleneck_event e = event(CSSPGO_BOTTLENECK_RESOURCES, 0);
    memset(r, 0, sizeof r);
    r[0].mask = 1;
    r[1].mask = 2;
    r[2].mask = 0x80f;                                /* a group; bits 2 and 3 are no resources */
    b = csspgo_bottleneck_new(r, 3, 1, 1, NULL, NULL);
    if (b == NULL) abort();
    e.busy = UINT64_MAX;
    T_EQ(put(b, e), CSSPGO_OK);
    T_EQ(csspgo_bottleneck_pressure(b, 0), 2);        /* its own bit and the group's */
    T_EQ(csspgo_bottleneck_pressure(b, 2), 0);
    T_EQ(csspgo_bottleneck_pressure(b, 3), 0);
    T_EQ(csspgo_bottleneck_get_stats(b).ignored, 61);
    csspgo_bottleneck_free(b);
}

static csspgo_status made_of(const csspgo_bottleneck_resource *r, size_t resources, size_t n, uint32_t iterations)
{
    csspgo_error e;
    csspgo_bottleneck *b = csspgo_bottleneck_new(r, resources, n, iterations, NULL, &e);
    T_CHECK((b != NULL) == (e.status == CSSPGO_OK));
    csspgo_bottleneck_free(b);
    return e.status;
}

static void limits_hold(void)
{
    csspgo_bottleneck_resource r[2];
    csspgo_options o = in_llvm_mode(18);
    memset(r, 0, sizeof r);
    T_EQ(made_of(NULL, 0, 0, 1), CSSPGO_E_ARGUMENT);
    T_EQ(made_of(NULL, 0, 4097, 1), CSSPGO_E_ARGUMENT);
    T_EQ(made_of(NULL, 0, 4096, 1u << 20), CSSPGO_E_ARGUMENT);
    T_EQ(made_of(NULL, 0, 4096, (1u << 20) - 1), CSSPGO_OK);
    T_EQ(made_of(NULL, 0, 1, 0), CSSPGO_E_ARGUMENT);
    T_EQ(made_of(NULL, 0, 1, UINT32_MAX), CSSPGO_OK);
    T_EQ(made_of(r, 1, 1, 1), CSSPGO_E_ARGUMENT);     /* no bit */
    r[0].mask = r[1].mask = 4;
    T_EQ(made_of(r, 2, 1, 1), CSSPGO_E_ARGUMENT);
    r[1].mask = 8;
    T_EQ(made_of(r, 2, 1, 1), CSSPGO_OK);
    r[1].units = 4;
    T_EQ(made_of(r, 2, 1, 1), CSSPGO_E_ARGUMENT);
    T_CHECK(csspgo_bottleneck_new(NULL, 0, 1, 1, &o, NULL) == NULL);
    csspgo_bottleneck_free(NULL);
}

/* Sources that lose the ends of instructions do not make the analysis grow. */
static void the_window_is_bounded(void)
{
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    csspgo_bottleneck *b = csspgo_bottleneck_new(NULL, 0, 16, 10000, &o, NULL);
    uint32_t i;
    for (i = 0; i < 160000; i++) put_kind(b, CSSPGO_BOTTLENECK_DISPATCHED, i);
    T_CHECK(h.peak < 5u << 20);
    T_EQ(csspgo_bottleneck_get_stats(b).ignored, 160000 - 65536);
    csspgo_bottleneck_free(b);
    T_EQ(h.live, 0);
}

/* ----- bounds ----- */

static csspgo_sim_model *model(const char *name)
{
    char path[200];
    size_t size;
    char *text;
    csspgo_sim_model *m;
    sprintf(path, DATA "sim/%s.model", name);
    text = t_file(path, &size);
    m = csspgo_sim_model_read(text, size, NULL, NULL);
    if (m == NULL) abort();
    free(text);
    return m;
}

static csspgo_bottleneck_bounds bounds_of(const csspgo_sim_block *k, csspgo_bottleneck_step *chain, size_t cap)
{
    csspgo_bottleneck_bounds bounds;
    csspgo_error e;
    T_EQ(csspgo_bottleneck_find_bounds(&k->machine, k->instruction, k->count, NULL, &bounds, chain, cap, &e),
         CSSPGO_OK);
    return bounds;
}

/* Simulated, the blocks of the events have the same critical sequence. */
static void simulation_finds_the_same_sequence(void)
{
    static const char *const pair[][2] = { { "chain", "chain" }, { "dot", "dot_btver2" }, { "mix", "mix_btver2" } };
    size_t i, j;
    for (i = 0; i < sizeof pair / sizeof *pair; i++) {
        const csspgo_options o = in_llvm_mode(19);
        block *k = vector(pair[i][1]);
        csspgo_sim_model *m = model(pair[i][0]);
        const csspgo_sim_block s = csspgo_sim_model_block(m);
        csspgo_bottleneck *a = analysis(k, 19);
        csspgo_bottleneck *b = csspgo_bottleneck_simulate(&s.machine, s.instruction, s.count, k->iterations, &o, NULL);
        csspgo_bottleneck_edge x[50], y[50];
        const size_t n = csspgo_bottleneck_get_critical(a, x, 50);
        T_CHECK(b != NULL);
        if (b == NULL) abort();
        T_EQ(csspgo_bottleneck_get_critical(b, y, 50), n);
        for (j = 0; j < n; j++)
            T_CHECK(x[j].from == y[j].from && x[j].to == y[j].to && x[j].type == y[j].type && x[j].key == y[j].key &&
                    x[j].cost == y[j].cost && x[j].frequency == y[j].frequency);
        T_EQ(csspgo_bottleneck_get_stats(a).cycles, csspgo_bottleneck_get_stats(b).cycles);
        csspgo_bottleneck_free(a);
        csspgo_bottleneck_free(b);
        csspgo_sim_model_free(m);
        block_free(k);
    }
}

static void bounds_of_known_blocks(void)
{
    csspgo_bottleneck_step chain[20];
    csspgo_sim_model *m = model("chain");
    csspgo_sim_block k = csspgo_sim_model_block(m);
    csspgo_bottleneck_bounds b = bounds_of(&k, chain, 20);
    T_CHECK(b.latency.cycles == 7 && b.latency.iterations == 1 && b.steps == 2);
    T_CHECK(chain[0].instruction == 0 && chain[0].latency == 6 && chain[0].reg == 51 && !chain[0].carried);
    T_CHECK(chain[1].instruction == 1 && chain[1].latency == 1 && chain[1].carried == 1);
    T_CHECK(b.ports.cycles == 4 && b.ports.iterations == 1 && b.units == 0x100);
    T_CHECK(b.issue.cycles == b.issue.iterations);
    T_EQ(b.largest, CSSPGO_BOTTLENECK_BY_LATENCY);
    T_EQ(csspgo_bottleneck_least_cycles(&b, 20), 133);
    csspgo_sim_model_free(m);
    m = model("mix");                                 /* two additions and a division; its unit also multiplies */
    k = csspgo_sim_model_block(m);
    b = bounds_of(&k, chain, 20);
    T_CHECK(b.latency.cycles == 25 && b.latency.iterations == 1 && b.steps == 3);
    T_CHECK(b.ports.cycles == 20 && b.ports.iterations == 1 && b.units == 0x10);
    T_EQ(b.largest, CSSPGO_BOTTLENECK_BY_LATENCY);
    csspgo_sim_model_free(m);
}

static uint32_t state = 1;

static uint32_t pick(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

typedef struct program {          /* random */
    csspgo_sim_machine     machine;
    csspgo_sim_instruction inst[12];
    csspgo_sim_use         use[12][3];
    csspgo_sim_def         def[12][2];
    uint32_t               read[12][3];
    uint32_t               buffer[2];
    uint32_t               n;
} program;

/* units: how many the machine has; registers are `first` and those behind it */
static void make_program(program *p, uint32_t seed, uint32_t units, uint32_t first)
{
    uint32_t i, k;
    memset(p, 0, sizeof *p);
    state = seed;
    p->machine.width = 1 + pick(6);
    p->machine.reorder = 8 + pick(60);
    p->machine.retire = pick(3) == 0 ? 1 + pick(3) : 0;
    p->machine.loads = pick(4);
    p->machine.stores = pick(4);
    p->machine.alias = pick(2);
    p->machine.buffer = p->buffer;
    p->machine.buffers = 2;
    p->buffer[0] = 1 + pick(20);
    p->buffer[1] = 1 + pick(20);
    p->n = 1 + pick(9);
    for (i = 0; i < p->n; i++) {
        csspgo_sim_instruction *x = &p->inst[i];
        x->use = p->use[i];
        x->def = p->def[i];
        x->read = p->read[i];
        x->uses = pick(3);
        x->defs = pick(3);
        x->reads = pick(4);
        x->uops = pick(9) == 0 ? pick(12) : 1 + pick(2);
        x->latency = pick(8) == 0 ? 0 : pick(9);
        x->flags = pick(2) ? pick(4) : 0;
        x->buffers = pick(4);
        for (k = 0; k < x->uses; k++) {     /* two uses of an instruction can be met at the same time */
            const uint32_t half = units / 2, low = k == 0 ? half : units - half;
            p->use[i][k].units = (uint64_t)(1 + pick((1u << low) - 1)) << (k == 0 ? 0 : half);
            p->use[i][k].cycles = pick(6) == 0 ? pick(12) : 1;
        }
        for (k = 0; k < x->defs; k++) {
            p->def[i][k].reg = first + pick(6);
            p->def[i][k].latency = pick(3) == 0 ? pick(1 + x->latency) : x->latency;
        }
        for (k = 0; k < x->reads; k++) p->read[i][k] = first + pick(6);
    }
}

static csspgo_bottleneck_bounds program_bounds(const program *p, csspgo_bottleneck_step *chain)
{
    csspgo_bottleneck_bounds b;
    csspgo_error e;
    T_EQ(csspgo_bottleneck_find_bounds(&p->machine, p->inst, p->n, NULL, &b, chain, 12, &e), CSSPGO_OK);
    return b;
}

/* By definition: over all sets of units, the load that only they can take. */
static void least_load(const program *p, uint32_t units, uint64_t *num, uint64_t *den)
{
    uint32_t set, i, k;
    *num = 0;
    *den = 1;
    for (set = 1; set < 1u << units; set++) {
        uint64_t load = 0, size = 0;
        for (i = 0; i < p->n; i++)
            for (k = 0; k < p->inst[i].uses; k++)
                if ((p->use[i][k].units & ~(uint64_t)set) == 0) load += p->use[i][k].cycles;
        for (i = 0; i < units; i++) size += set >> i & 1;
        if (load * *den > *num * size) {
            *num = load;
            *den = size;
        }
    }
}

/*
 * By execution: what n instructions with unlimited units and width take for each iteration in the end. The times of one
 * iteration are the maxima over those of the one before: they grow by the maximum cycle ratio on average, and what is
 * left behind does not grow.
 */
static uint64_t issue_time(const program *p, uint32_t iterations)
{
    uint64_t ready[6], time = 0, store = 0, load = 0, issue = 0;
    int has_load = 0, has_store = 0;
    uint32_t it, i, k;
    memset(ready, 0, sizeof ready);
    for (it = 0; it < iterations; it++)
        for (i = 0; i < p->n; i++) {
            const csspgo_sim_instruction *x = &p->inst[i];
            const int stores = (x->flags & CSSPGO_SIM_STORE) != 0, loads = (x->flags & CSSPGO_SIM_LOAD) != 0;
            issue = 0;
            for (k = 0; k < x->reads; k++)
                if (ready[x->read[k]] > issue) issue = ready[x->read[k]];
            if (has_store && (stores || (loads && p->machine.alias)) && store > issue) issue = store;
            if (has_load && stores && load > issue) issue = load;
            if (stores) {
                store = issue + (p->machine.alias ? x->latency : 0);
                has_store = 1;
                has_load = 0;
            } else if (loads) {
                load = issue + (p->machine.alias ? x->latency : 0);
                has_load = 1;
            }
            for (k = 0; k < x->defs; k++) {
                uint32_t j, least = x->def[k].latency;
                for (j = 0; j < x->defs; j++)         /* of two writes of a register the faster one */
                    if (x->def[j].reg == x->def[k].reg && x->def[j].latency < least) least = x->def[j].latency;
                ready[x->def[k].reg] = issue + least;
            }
            if (issue > time) time = issue;
        }
    return time;
}

/* By execution: iterations are dispatched until the average shows. */
static uint64_t dispatch_time(const program *p, uint32_t iterations)
{
    uint64_t cycle = 0;
    uint32_t it, i, room = p->machine.width;
    const uint32_t w = p->machine.width;
    for (it = 0; it < iterations; it++)
        for (i = 0; i < p->n; i++) {
            uint32_t uops = p->inst[i].uops;
            if ((uops < w ? uops : w) > room) {
                cycle++;
                room = w;
            }
            while (uops > room) {
                uops -= room;
                cycle++;
                room = w;
            }
            room -= uops;
        }
    return cycle + (room < w);
}

static void bounds_are_exact(void)
{
    const unsigned long cases = t_cases("CSSPGO_CASES", 120, 1000);
    unsigned long c;
    for (c = 0; c < cases; c++) {
        csspgo_bottleneck_step chain[12];
        csspgo_bottleneck_bounds b;
        program p;
        uint64_t num, den, sum = 0, carried = 0, a;
        size_t i;
        make_program(&p, (uint32_t)c + 1, 6, 0);
        b = program_bounds(&p, chain);
        least_load(&p, 6, &num, &den);
        T_CHECK(b.ports.cycles * den == num * b.ports.iterations);
        for (i = 0; i < b.steps; i++) {
            sum += chain[i].latency;
            carried += chain[i].carried;
            T_CHECK(chain[i].carried == (chain[(i + 1) % b.steps].instruction <= chain[i].instruction));
        }
        T_CHECK(b.steps == 0 ? b.latency.cycles == 0 : b.latency.cycles == sum && b.latency.iterations == carried);
        a = issue_time(&p, 2520 * 4) - issue_time(&p, 2520 * 2);        /* every period up to 10 divides 2520 */
        T_CHECK(b.latency.cycles * 2520 * 2 == a * b.latency.iterations);
        if (p.machine.retire == 0) {
            a = dispatch_time(&p, 2520) * b.issue.iterations;
            num = 2520 * b.issue.cycles;
            T_CHECK(a >= num && a <= num + b.issue.iterations);
        }
    }
}

/* The law of the bounds, and properties that any simulation must have. */
static void simulations_are_never_faster_than_the_bounds(void)
{
    const unsigned long cases = t_cases("CSSPGO_CASES", 250, 1000);
    unsigned long c, tight = 0;
    for (c = 0; c < cases; c++) {
        csspgo_bottleneck_step chain[12];
        csspgo_bottleneck_bounds b;
        csspgo_sim_result r;
        csspgo_error e;
        program p;
        uint32_t iterations;
        make_program(&p, (uint32_t)c + 1, 6, 0);
        iterations = 1 + pick(40);
        b = program_bounds(&p, chain);
        T_EQ(csspgo_sim_run(&p.machine, p.inst, p.n, iterations, NULL, NULL, &r, &e), CSSPGO_OK);
        if (!T_CHECK(r.cycles >= csspgo_bottleneck_least_cycles(&b, iterations)))
            fprintf(stderr, "    seed %lu: %u iterations, %lu cycles\n", c + 1, iterations, (unsigned long)r.cycles);
        tight += r.cycles <= csspgo_bottleneck_least_cycles(&b, iterations) * 5 / 4 + 12;
    }
    T_CHECK(tight * 2 > cases);                       /* the bounds explain most of the cycles */
}

/* ----- properties of the analysis ----- */

static csspgo_bottleneck *simulated(const program *p, uint32_t iterations)
{
    csspgo_error e;
    csspgo_bottleneck *b = csspgo_bottleneck_simulate(&p->machine, p->inst, p->n, iterations, NULL, &e);
    if (b == NULL) {
        fprintf(stderr, "    %s\n", e.message);
        abort();
    }
    return b;
}

static void numbers_of_registers_do_not_matter(void)
{
    uint32_t seed;
    for (seed = 1; seed <= 200; seed++) {
        static csspgo_bottleneck_edge x[2000], y[2000];
        csspgo_bottleneck_step chain[2][12];
        csspgo_bottleneck_bounds s, t;
        csspgo_bottleneck *a, *b;
        program p, q;
        size_t i, n;
        make_program(&p, seed, 6, 0);
        make_program(&q, seed, 6, 4000000000u);
        a = simulated(&p, 20);
        b = simulated(&q, 20);
        n = csspgo_bottleneck_get_edges(a, x, 2000);
        T_EQ(csspgo_bottleneck_get_edges(b, y, 2000), n);
        for (i = 0; i < n && i < 2000; i++) {
            if (x[i].type == CSSPGO_BOTTLENECK_ON_REGISTER) x[i].key += 4000000000u;
            T_CHECK(x[i].from == y[i].from && x[i].to == y[i].to && x[i].type == y[i].type && x[i].key == y[i].key &&
                    x[i].cost == y[i].cost && x[i].frequency == y[i].frequency);
        }
        n = csspgo_bottleneck_get_critical(a, x, 2000);
        T_EQ(csspgo_bottleneck_get_critical(b, y, 2000), n);
        for (i = 0; i < n; i++) T_CHECK(x[i].from == y[i].from && x[i].to == y[i].to && x[i].cost == y[i].cost);
        s = program_bounds(&p, chain[0]);
        t = program_bounds(&q, chain[1]);
        T_CHECK(s.latency.cycles == t.latency.cycles && s.latency.iterations == t.latency.iterations);
        T_CHECK(s.largest == t.largest && s.units == t.units && s.steps == t.steps);
        csspgo_bottleneck_free(a);
        csspgo_bottleneck_free(b);
    }
}

static uint64_t simulated_cycles(const program *p, uint32_t iterations)
{
    csspgo_sim_result r;
    T_EQ(csspgo_sim_run(&p->machine, p->inst, p->n, iterations, NULL, NULL, &r, NULL), CSSPGO_OK);
    return r.cycles;
}

/*
 * An instruction that depends on nothing leaves the chain as it is; and where the chain is far above the other bounds,
 * the simulation hardly takes longer. (The cost of the critical sequence may grow: pressure counts in it, and there is
 * more of it when more instructions wait.)
 */
/* Everything that two analyses of a block of n instructions say, apart from reports. */
static int same_analysis(const csspgo_bottleneck *a, const csspgo_bottleneck *b, uint32_t n)
{
    const csspgo_bottleneck_stats s = csspgo_bottleneck_get_stats(a), t = csspgo_bottleneck_get_stats(b);
    csspgo_bottleneck_edge edge[2][2000];
    csspgo_bottleneck_node node[2][36];
    size_t i, k, edges;
    int same = s.cycles == t.cycles && s.pressure == t.pressure && s.resources == t.resources && s.data == t.data &&
               s.registers == t.registers && s.memory == t.memory && s.ignored == t.ignored && s.stalled == t.stalled;
    for (i = 0; i < 64; i++) same &= csspgo_bottleneck_pressure(a, i) == csspgo_bottleneck_pressure(b, i);
    csspgo_bottleneck_get_nodes(a, node[0], 3 * n);
    csspgo_bottleneck_get_nodes(b, node[1], 3 * n);
    for (i = 0; i < 3 * n; i++)
        same &= node[0][i].cost == node[1][i].cost && node[0][i].depth == node[1][i].depth &&
                node[0][i].via == node[1][i].via;
    for (k = 0; k < 2; k++) {
        size_t (*const list)(const csspgo_bottleneck *, csspgo_bottleneck_edge *, size_t) =
            k == 0 ? csspgo_bottleneck_get_edges : csspgo_bottleneck_get_critical;
        edges = list(a, edge[0], 2000);
        same &= edges <= 2000 && list(b, edge[1], 2000) == edges;
        for (i = 0; same && i < edges; i++) {
            const csspgo_bottleneck_edge *x = &edge[0][i], *y = &edge[1][i];
            same &= x->from == y->from && x->to == y->to && x->type == y->type && x->key == y->key &&
                    x->cost == y->cost && x->frequency == y->frequency;
        }
    }
    return same;
}

/* csspgo_bottleneck_simulate leaves out periods that repeat: it says what all events of the run say. */
static void periods_that_are_left_out_count(void)
{
    const unsigned long cases = t_cases("CSSPGO_PERIODS", 200, 2000);
    unsigned long i;
    for (i = 0; i < cases; i++) {
        csspgo_bottleneck *a, *b;
        csspgo_bottleneck_sink sink;
        csspgo_sim_options how;
        csspgo_sim_result all, counted;
        csspgo_options o;
        program p;
        uint32_t iterations;
        make_program(&p, (uint32_t)i + 5000, 2 + (uint32_t)i % 7, 3);
        if (i % 3 == 0) p.machine.reorder += 90;
        iterations = 1 + pick(i % 2 ? 60 : 400);
        memset(&how, 0, sizeof how);
        memset(&o, 0, sizeof o);
        o.llvm = how.llvm = pick(2) ? 19 : 0;
        a = csspgo_bottleneck_simulate(&p.machine, p.inst, p.n, iterations, &o, NULL);
        b = csspgo_bottleneck_new(NULL, 0, p.n, iterations, &o, NULL);
        sink = csspgo_bottleneck_into(b);
        how.sink = &sink;
        T_EQ(csspgo_sim_run(&p.machine, p.inst, p.n, iterations, &how, NULL, &all, NULL), CSSPGO_OK);
        how.sink = NULL;
        T_EQ(csspgo_bottleneck_finish(b, NULL), CSSPGO_OK);
        T_CHECK(a != NULL && same_analysis(a, b, p.n));
        how.max_cycles = i % 5 == 0 ? 1 + pick((uint32_t)all.cycles) : all.cycles;
        T_EQ(csspgo_sim_run(&p.machine, p.inst, p.n, iterations, &how, NULL, &counted, NULL),
             how.max_cycles == all.cycles ? CSSPGO_OK : CSSPGO_E_LIMIT);
        T_EQ(counted.cycles, how.max_cycles);
        if (how.max_cycles == all.cycles) T_EQ(counted.uops, all.uops);
        csspgo_bottleneck_free(a);
        csspgo_bottleneck_free(b);
    }
}

static void independent_instructions_do_not_lengthen_the_chain(void)
{
    uint32_t seed, bound = 0;
    for (seed = 1; seed <= 3000; seed++) {
        csspgo_bottleneck_step chain[12];
        csspgo_bottleneck_bounds s, t;
        uint64_t before;
        program p;
        make_program(&p, seed, 6, 0);
        p.machine.reorder = 512;
        p.machine.loads = p.machine.stores = 0;
        p.buffer[0] = p.buffer[1] = 512;
        s = program_bounds(&p, chain);
        p.n++;                                        /* with nothing in it but one micro-operation */
        p.inst[p.n - 1].uops = 1;
        t = program_bounds(&p, chain);
        T_CHECK(s.latency.cycles == t.latency.cycles && s.latency.iterations == t.latency.iterations);
        if (s.latency.iterations != 1 || s.latency.cycles * t.issue.iterations < 2 * t.issue.cycles) continue;
        if (s.latency.cycles * s.ports.iterations < 2 * s.ports.cycles) continue;
        p.n--;
        before = simulated_cycles(&p, 50);
        p.n++;
        T_CHECK(simulated_cycles(&p, 50) <= before + before / 10);
        bound++;
    }
    T_CHECK(bound > 100);
}

static void costs_grow_with_the_iterations(void)
{
    static const char *const names[] = { "chain", "dot", "mix" };
    size_t v, i, j, compared = 0;
    for (v = 0; v < 3; v++) {
        csspgo_sim_model *m = model(names[v]);
        const csspgo_sim_block k = csspgo_sim_model_block(m);
        csspgo_bottleneck *a = csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, 1000, NULL, NULL);
        csspgo_bottleneck *b = csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, 2000, NULL, NULL);
        csspgo_bottleneck_edge x[50], y[50];
        const size_t n = csspgo_bottleneck_get_edges(a, x, 50), l = csspgo_bottleneck_get_edges(b, y, 50);
        for (i = 0; i < n; i++)
            for (j = 0; j < l; j++) {
                if (x[i].from != y[j].from || x[i].to != y[j].to || x[i].type != y[j].type || x[i].key != y[j].key ||
                    x[i].frequency < 500) continue;
                T_CHECK(y[j].cost >= x[i].cost * 19 / 10 && y[j].cost <= x[i].cost * 21 / 10);
                compared++;
            }
        csspgo_bottleneck_free(a);
        csspgo_bottleneck_free(b);
        csspgo_sim_model_free(m);
    }
    T_CHECK(compared >= 10);
}

/* ----- reports ----- */

static void reports_as_json(void)
{
    static const char want[] =
        "{\n  \"BottleneckAnalysis\": {\n    \"DataDependencyCycles\": 69,\n    \"DependencyEdge\": [\n"
        "      {\n        \"FromID\": 1,\n        \"ResourceOrRegID\": 51,\n        \"ToID\": 2,\n        \"Type\": 1\n"
        "      },\n"
        "      {\n        \"FromID\": 2,\n        \"ResourceOrRegID\": 51,\n        \"ToID\": 3,\n        \"Type\": 1\n"
        "      },\n"
        "      {\n        \"FromID\": 3,\n        \"ResourceOrRegID\": 51,\n        \"ToID\": 4,\n        \"Type\": 1\n"
        "      }\n    ],\n    \"MemoryDependencyCycles\": 0,\n    \"PressureIncreaseCycles\": 69,\n"
        "    \"RegisterDependencyCycles\": 69,\n    \"ResourcePressure\": [],\n    \"ResourcePressureCycles\": 0,\n"
        "    \"TotalCycles\": 143\n  },\n  \"Instructions\": [\n    \"imulq\\t%rax, %rax\",\n    \"addq\\t$1, %rax\"\n"
        "  ]\n}\n";
    static const char none[] = "{\n  \"BottleneckAnalysis\": {\n    \"PressureIncreaseCycles\": 0\n  },\n"
                               "  \"Instructions\": [\n"
                               "    \"\\\"\\\\\\u0001\xc3\xa4\xef\xbf\xbd\xf0\x9f\x98\x80\"\n  ]\n}\n";
    size_t size;
    block *k = vector("chain");
    csspgo_bottleneck *b = analysis(k, 19);
    char *text = report(b, k, CSSPGO_BOTTLENECK_JSON, &size);
    t_same("JSON", text, size, want, sizeof want - 1);
    free(text);
    csspgo_bottleneck_free(b);
    block_free(k);
    b = small(1, 1, 0);
    T_EQ(csspgo_bottleneck_finish(b, NULL), CSSPGO_OK);
    k = (block *)block_array(sizeof *k);
    k->instruction[0] = "\"\\\x01\xc3\xa4\xe4\xf0\x9f\x98\x80";
    text = report(b, k, CSSPGO_BOTTLENECK_JSON, &size);
    t_same("JSON of text", text, size, none, sizeof none - 1);
    free(text);
    free(k);
    csspgo_bottleneck_free(b);
}

static void reports_with_bounds(void)
{
    static const char want[] =
        "latency chain 7.0, ports 4.0 (unit 8), issue 1.0 cycles per iteration; measured by simulation 7.2\n"
        "Bound by the latency chain: 7 cycles every iteration\n"
        "  0.                                                      6 cycles, register 51\n"
        "  1.                                                      1 cycle, register 51, to the next iteration\n"
        "\nCycles with backend pressure increase [ 48.25% ]\n";
    csspgo_sim_model *m = model("chain");
    const csspgo_sim_block k = csspgo_sim_model_block(m);
    csspgo_bottleneck_step chain[10];
    csspgo_bottleneck_bounds bounds = bounds_of(&k, chain, 10);
    csspgo_bottleneck *b = csspgo_bottleneck_simulate(&k.machine, k.instruction, k.count, k.iterations, NULL, NULL);
    csspgo_bottleneck_report_options how;
    size_t size, n, again;
    char text[4000];
    memset(&how, 0, sizeof how);
    how.names.instruction = k.text;
    how.names.reg = k.reg;
    how.names.regs = k.regs;
    how.bounds = &bounds;
    how.chain = chain;
    T_EQ(csspgo_bottleneck_report(b, &how, text, sizeof text, &size, NULL), CSSPGO_OK);
    T_CHECK(size > sizeof want && memcmp(text, want, sizeof want - 1) == 0);
    T_CHECK(memcmp(text + size - 70, "An estimate: caches, branches and the front end are not in the model.\n", 70) ==
            0);
    for (n = 0; n < 2 * size; n++) {                  /* every short buffer, in both forms */
        unsigned char *exact = t_copy(text, n % size);
        how.form = n < size ? CSSPGO_BOTTLENECK_TEXT : CSSPGO_BOTTLENECK_JSON;
        T_EQ(csspgo_bottleneck_report(b, &how, exact, n % size, &again, NULL), CSSPGO_E_SHORT);
        T_CHECK(n >= size || again == size);
        free(exact);
    }
    how.form = (csspgo_bottleneck_form)2;
    T_EQ(csspgo_bottleneck_report(b, &how, NULL, 0, &size, NULL), CSSPGO_E_ARGUMENT);
    csspgo_bottleneck_free(b);
    b = small(1, 1, 0);
    T_EQ(csspgo_bottleneck_report(b, NULL, NULL, 0, &size, NULL), CSSPGO_E_ARGUMENT);     /* not finished */
    T_EQ(csspgo_bottleneck_finish(b, NULL), CSSPGO_OK);
    T_EQ(csspgo_bottleneck_report(b, NULL, text, sizeof text, &size, NULL), CSSPGO_OK);
    csspgo_bottleneck_free(b);
    csspgo_sim_model_free(m);
}

static void reports_name_resources(void)
{
    static const csspgo_bottleneck_resource table[] = { { "Pair", 0x1, 0x6 }, { NULL, 0x2, 0x1 }, { "All", 0x7, 0 } };
    csspgo_bottleneck *b = csspgo_bottleneck_new(table, 3, 2, 5, NULL, NULL);
    const csspgo_bottleneck_view v = csspgo_bottleneck_get_view(b);
    csspgo_bottleneck_report_options how;
    csspgo_bottleneck_bounds bounds;
    csspgo_error e;
    size_t size, i;
    char text[400];
    T_CHECK(v.n == 2 && v.iterations == 5 && v.llvm == 0 && v.resources == 3 && v.edges == 0);
    for (i = 0; i < 3; i++) T_CHECK(v.resource[i].mask == table[i].mask && v.resource[i].units == table[i].units);
    T_CHECK(strcmp(v.resource[0].name, "Pair") == 0 && v.resource[0].name != table[0].name);
    T_CHECK(v.resource[1].name == NULL);
    T_EQ(csspgo_bottleneck_finish(b, NULL), CSSPGO_OK);
    memset(&how, 0, sizeof how);
    memset(&bounds, 0, sizeof bounds);
    how.bounds = &bounds;
    bounds.latency.iterations = bounds.issue.iterations = bounds.ports.iterations = 1;
    bounds.ports.cycles = 3;
    bounds.units = 0x7;
    bounds.largest = CSSPGO_BOTTLENECK_BY_PORTS;
    T_EQ(csspgo_bottleneck_report(b, &how, text, sizeof text, &size, &e), CSSPGO_OK);
    T_CHECK(strstr(text, "ports 3.0 (All), ") != NULL);
    bounds.units = 0x5;                               /* no resource has just these */
    T_EQ(csspgo_bottleneck_report(b, &how, text, sizeof text, &size, &e), CSSPGO_OK);
    T_CHECK(strstr(text, "ports 3.0 (Pair, unit 1), ") != NULL);
    T_EQ(csspgo_bottleneck_report(b, &how, text, 7, &size, &e), CSSPGO_E_SHORT);
    T_CHECK(e.offset == 7 && strncmp(e.message, "the buffer has room for 7 of ", 29) == 0);
    bounds.latency.cycles = UINT64_MAX;
    bounds.latency.iterations = UINT64_MAX - 1;       /* 20 times that needs more than 64 bits */
    T_EQ(csspgo_bottleneck_report(b, &how, text, sizeof text, &size, &e), CSSPGO_OK);
    T_CHECK(memcmp(text, "latency chain 1.0, ", 19) == 0);
    csspgo_bottleneck_free(b);
}

/* ----- memory ----- */

static void every_allocation_may_fail(void)
{
    block *k = vector("mix_btver2");
    long nth;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_error e;
        csspgo_bottleneck *b = csspgo_bottleneck_new(k->resource, k->resources, k->n, k->iterations, &o, &e);
        size_t i;
        for (i = 0; b != NULL && i < k->events; i++)
            if (csspgo_bottleneck_add(b, &k->event[i], 1, &e) != CSSPGO_OK) break;
        if (b != NULL && i == k->events) csspgo_bottleneck_finish(b, &e);
        if (e.status == CSSPGO_OK) {
            T_EQ(csspgo_bottleneck_get_critical(b, NULL, 0), 3);
            csspgo_bottleneck_free(b);
            break;
        }
        T_EQ(e.status, CSSPGO_E_NOMEM);
        csspgo_bottleneck_free(b);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 10);
    block_free(k);
}

static void bounds_and_simulation_may_run_out_of_memory(void)
{
    program p;
    long nth;
    csspgo_status s = CSSPGO_E_NOMEM;
    make_program(&p, 7, 6, 0);
    for (nth = 1; s != CSSPGO_OK; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_bottleneck_bounds b;
        csspgo_error e;
        s = csspgo_bottleneck_find_bounds(&p.machine, p.inst, p.n, &o, &b, NULL, 0, &e);
        T_CHECK(s == CSSPGO_OK ? b.largest != 0 : s == CSSPGO_E_NOMEM && b.largest == 0);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 8);
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_error e;
        csspgo_bottleneck *b = csspgo_bottleneck_simulate(&p.machine, p.inst, p.n, 9, &o, &e);
        T_CHECK((b != NULL) == (e.status == CSSPGO_OK));
        csspgo_bottleneck_free(b);
        T_EQ(h.live, 0);
        if (e.status == CSSPGO_OK) break;
        T_EQ(e.status, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 10);
}

static void bounds_refuse_what_is_no_loop(void)
{
    csspgo_bottleneck_bounds b;
    program p;
    make_program(&p, 7, 6, 0);
    T_EQ(csspgo_bottleneck_find_bounds(&p.machine, p.inst, 0, NULL, &b, NULL, 0, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_bottleneck_find_bounds(&p.machine, p.inst, 4097, NULL, &b, NULL, 0, NULL), CSSPGO_E_ARGUMENT);
    p.inst[0].uses = 1;
    p.use[0][0].units = 0;
    T_EQ(csspgo_bottleneck_find_bounds(&p.machine, p.inst, p.n, NULL, &b, NULL, 0, NULL), CSSPGO_E_ARGUMENT);
    p.use[0][0].units = 1;
    p.machine.width = 0;
    T_EQ(csspgo_bottleneck_find_bounds(&p.machine, p.inst, p.n, NULL, &b, NULL, 0, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_bottleneck_least_cycles(&b, 10), 0);
}

/* The largest block, with the largest latencies, in which each instruction depends on those around it. */
static void bounds_of_the_largest_block(void)
{
    enum { N = 4096 };
    csspgo_sim_instruction *inst = (csspgo_sim_instruction *)block_array(N * sizeof *inst);
    csspgo_sim_use *use = (csspgo_sim_use *)block_array(N * sizeof *use);
    csspgo_sim_def *def = (csspgo_sim_def *)block_array(N * sizeof *def);
    uint32_t *read = (uint32_t *)block_array(2 * N * sizeof *read), i;
    csspgo_bottleneck_bounds b;
    csspgo_sim_machine m;
    memset(&m, 0, sizeof m);
    m.width = 4096;
    for (i = 0; i < N; i++) {
        use[i].units = (uint64_t)(i / 64 % 16 + 1) << i % 60;
        use[i].cycles = UINT32_MAX;
        def[i].reg = i;
        def[i].latency = UINT32_MAX;
        read[2 * i] = i == 0 ? N - 1 : i - 1;         /* all in one cycle, carried once */
        read[2 * i + 1] = (i + 1) % N;                /* backwards, carried each time   */
        inst[i].use = &use[i];
        inst[i].def = &def[i];
        inst[i].read = &read[2 * i];
        inst[i].uses = inst[i].defs = 1;
        inst[i].reads = 2;
        inst[i].uops = UINT32_MAX;
    }
    T_EQ(csspgo_bottleneck_find_bounds(&m, inst, N, NULL, &b, NULL, 0, NULL), CSSPGO_OK);
    T_EQ(b.latency.cycles, (uint64_t)N * UINT32_MAX);
    T_EQ(b.latency.iterations, 1);
    T_EQ(b.steps, N);
    T_EQ(b.largest, CSSPGO_BOTTLENECK_BY_LATENCY);
    T_CHECK(b.ports.cycles >= (uint64_t)N * UINT32_MAX / 64 * b.ports.iterations);
    for (i = 0; i < N; i++) use[i].units = i + 1;     /* more sets than any machine has */
    T_EQ(csspgo_bottleneck_find_bounds(&m, inst, N, NULL, &b, NULL, 0, NULL), CSSPGO_E_LIMIT);
    T_EQ(b.largest, CSSPGO_BOTTLENECK_BY_NOTHING);
    free(inst);
    free(use);
    free(def);
    free(read);
}

int main(void)
{
    what_llvm_reports();
    rare_edges_do_not_lead_the_sequence();
    the_graph_is_complete_at_the_end_only();
    registers_are_not_resources();
    resources_above_the_32nd_count();
    wide_instructions_end_once();
    nonsense_is_left_out_and_counted();
    masks_beyond_the_resources_are_left_out();
    limits_hold();
    the_window_is_bounded();
    simulation_finds_the_same_sequence();
    bounds_of_known_blocks();
    bounds_are_exact();
    simulations_are_never_faster_than_the_bounds();
    bounds_refuse_what_is_no_loop();
    bounds_of_the_largest_block();
    numbers_of_registers_do_not_matter();
    periods_that_are_left_out_count();
    independent_instructions_do_not_lengthen_the_chain();
    costs_grow_with_the_iterations();
    reports_as_json();
    reports_with_bounds();
    reports_name_resources();
    T_FAILING(every_allocation_may_fail());
    T_FAILING(bounds_and_simulation_may_run_out_of_memory());
    return t_end();
}
