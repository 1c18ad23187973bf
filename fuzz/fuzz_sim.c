/* fuzz_sim.c - machines and blocks as text. A text is a model or refused at a place, with little memory. A model's
 * simulation is the same twice, with other numbers of registers, and without a sink; it never takes fewer cycles than
 * the largest bound; its report can be written. The last byte chooses rules. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#include "../examples/share/sim_model.h"
#define CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION
#include "../examples/share/bottleneck_report.h"
#include "fuzz.h"

typedef struct seen {
    uint64_t hash, cycles;        /* of all events but for numbers of registers; CSSPGO_BOTTLENECK_CYCLE */
} seen;

static void see(seen *s, uint64_t v)
{
    s->hash = hash_bytes(&v, sizeof v, s->hash);
}

static csspgo_status events_seen(void *ctx, const csspgo_bottleneck_event *e, size_t count)
{
    seen *s = (seen *)ctx;
    size_t i;
    for (; count != 0; count--, e++) {
        see(s, e->kind);
        s->cycles += e->kind == CSSPGO_BOTTLENECK_CYCLE;
        if (e->kind <= CSSPGO_BOTTLENECK_EXECUTED) see(s, e->iid);
        if (e->kind == CSSPGO_BOTTLENECK_ISSUED || e->kind == CSSPGO_BOTTLENECK_RESOURCES) see(s, e->busy);
        if (e->kind == CSSPGO_BOTTLENECK_ISSUED) {
            see(s, (uint64_t)e->reg.iid << 32 | e->reg.cycles);
            see(s, (uint64_t)e->mem.iid << 32 | e->mem.cycles);
            for (i = 0; i < e->uses; i++) see(s, (uint64_t)e->use[i].unit << 32 | e->use[i].cycles);
        }
        if (e->kind < CSSPGO_BOTTLENECK_RESOURCES || e->kind > CSSPGO_BOTTLENECK_MEMORY) continue;
        for (i = 0; i < e->waits; i++) see(s, e->waiting[i].busy ^ (uint64_t)e->waiting[i].iid << 20);
    }
    return CSSPGO_OK;
}

static void is_written(csspgo_bottleneck *b, const csspgo_sim_block *k, csspgo_bottleneck_form form)
{
    csspgo_bottleneck_report_options how;
    size_t size, again;
    char *text;
    memset(&how, 0, sizeof how);
    how.form = form;
    how.names.instruction = k->text;
    how.names.reg = k->reg;
    how.names.regs = k->regs;
    REQUIRE(csspgo_bottleneck_finish(b, NULL) == CSSPGO_OK);
    csspgo_bottleneck_report(b, &how, NULL, 0, &size, NULL);
    text = (char *)malloc(size + 1);
    REQUIRE(text != NULL && csspgo_bottleneck_report(b, &how, text, size, &again, NULL) == CSSPGO_OK && again == size);
    free(text);
}

/* The block with each register number changed. Lists of reads and definitions are freed by the caller: 2 for each. */
static csspgo_sim_instruction *renamed(const csspgo_sim_block *k, void **lists)
{
    csspgo_sim_instruction *x = (csspgo_sim_instruction *)calloc(k->count, sizeof *x);
    size_t i, j;
    REQUIRE(x != NULL);
    for (i = 0; i < k->count; i++) {
        csspgo_sim_def *def = (csspgo_sim_def *)calloc(k->instruction[i].defs + 1u, sizeof *def);
        uint32_t *read = (uint32_t *)calloc(k->instruction[i].reads + 1u, sizeof *read);
        REQUIRE(def != NULL && read != NULL);
        x[i] = k->instruction[i];
        for (j = 0; j < x[i].defs; j++) {
            def[j] = x[i].def[j];
            def[j].reg = def[j].reg * 2654435761u + 7;
        }
        for (j = 0; j < x[i].reads; j++) read[j] = x[i].read[j] * 2654435761u + 7;
        x[i].def = def;
        x[i].read = read;
        lists[2 * i] = def;
        lists[2 * i + 1] = read;
    }
    return x;
}

static void laws_hold(const csspgo_sim_model *m, const csspgo_options *o, unsigned rule)
{
    csspgo_sim_block k = csspgo_sim_model_block(m);
    csspgo_bottleneck_bounds bounds;
    csspgo_bottleneck *b;
    csspgo_bottleneck_sink sink;
    csspgo_sim_options how;
    csspgo_sim_result r[3];
    csspgo_sim_instruction *other;
    csspgo_status s;
    seen first, second;
    void **lists = (void **)calloc(2 * k.count + 1, sizeof *lists);
    size_t i;
    memset(&how, 0, sizeof how);
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    if (k.iterations > 50) k.iterations = 50;
    how.llvm = rule & 1 ? 19 : 0;
    how.max_cycles = 3000;
    sink.events_fn = events_seen;
    sink.ctx = &first;
    how.sink = &sink;
    s = csspgo_sim_run(&k.machine, k.instruction, k.count, k.iterations, &how, o, &r[0], NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_LIMIT || s == CSSPGO_E_ARGUMENT);
    REQUIRE(first.cycles == r[0].cycles);
    other = renamed(&k, lists);
    sink.ctx = &second;
    REQUIRE(csspgo_sim_run(&k.machine, other, k.count, k.iterations, &how, o, &r[1], NULL) == s);
    REQUIRE(first.hash == second.hash && r[0].cycles == r[1].cycles && r[0].uops == r[1].uops);
    how.sink = NULL;
    REQUIRE(csspgo_sim_run(&k.machine, k.instruction, k.count, k.iterations, &how, o, &r[2], NULL) == s);
    REQUIRE(r[0].cycles == r[2].cycles);
    if (s == CSSPGO_OK && csspgo_bottleneck_find_bounds(&k.machine, k.instruction, k.count, o, &bounds, NULL, 0,
                                                        NULL) == CSSPGO_OK)
        REQUIRE(csspgo_bottleneck_least_cycles(&bounds, k.iterations) <= r[0].cycles);
    b = csspgo_bottleneck_new(k.machine.resource, k.machine.resources, k.count, k.iterations, o, NULL);
    if (s == CSSPGO_OK && b != NULL) {
        sink = csspgo_bottleneck_into(b);
        how.sink = &sink;
        s = csspgo_sim_run(&k.machine, k.instruction, k.count, k.iterations, &how, o, NULL, NULL);
        REQUIRE(s == CSSPGO_OK);
        REQUIRE(csspgo_bottleneck_get_stats(b).cycles == r[0].cycles);
        is_written(b, &k, rule & 2 ? CSSPGO_BOTTLENECK_JSON : CSSPGO_BOTTLENECK_TEXT);
    }
    csspgo_bottleneck_free(b);
    for (i = 0; i < 2 * k.count; i++) free(lists[i]);
    free(lists);
    free(other);
}

/* With a number that a machine or an instruction cannot have: refused, or executed within the cycles allowed. */
static void is_refused(csspgo_sim_machine m, csspgo_sim_instruction *block, size_t n, unsigned what, unsigned b,
                       const csspgo_options *o)
{
    csspgo_sim_instruction *x = &block[b % n];
    csspgo_sim_options how;
    csspgo_sim_result r;
    uint32_t read[2];
    csspgo_sim_def def[2];
    csspgo_status s;
    const uint32_t number = b & 1 ? 1u << 20 : b & 2 ? 0 : b;
    memset(&how, 0, sizeof how);
    memset(read, 0, sizeof read);
    memset(def, 0, sizeof def);
    how.max_cycles = 5000;
    read[0] = read[1] = def[0].reg = b & 3;
    def[1].reg = b >> 2 & 3;
    x->read = read;
    x->reads = 1 + (b & 1);
    x->def = def;
    x->defs = 1 + (b >> 1 & 1);
    switch (what % 8) {
    case 0: m.width = number; break;
    case 1: m.reorder = number; break;
    case 2: x->latency = number; break;
    case 3: x->uops = number; break;
    case 4: m.loads = m.stores = number; break;
    case 5: def[0].latency = number; break;
    case 6: m.buffers = m.buffers != 0 ? b % (m.buffers + 1) : 0; break;
    case 7: x->buffers = number; break;
    default: break;
    }
    s = csspgo_sim_run(&m, block, n, 3, &how, o, &r, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT || s == CSSPGO_E_LIMIT);
}

/* A block of instructions of some classes on the machine without tables: bounds hold, as many run as were put in. */
static void generic_machine(const uint8_t *data, size_t size, const csspgo_options *o)
{
    const csspgo_sim_machine machine = csspgo_sim_generic_ooo();
    csspgo_sim_instruction block[12];
    csspgo_bottleneck_bounds bounds;
    csspgo_sim_result r;
    const size_t n = size < 12 ? size : 12;
    size_t i;
    for (i = 0; i < n; i++) block[i] = csspgo_sim_generic_instruction((csspgo_sim_class)(data[i] % 8));
    if (n == 0) return;
    REQUIRE(csspgo_sim_run(&machine, block, n, 9, NULL, o, &r, NULL) == CSSPGO_OK && r.uops >= 9 * n);
    REQUIRE(csspgo_bottleneck_find_bounds(&machine, block, n, o, &bounds, NULL, 0, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_bottleneck_least_cycles(&bounds, 9) <= r.cycles);
    if (size > 13) is_refused(machine, block, n, data[12], data[13], o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned rule = size != 0 ? data[size - 1] : 0;
    counted heap;
    csspgo_options o;
    csspgo_error e;
    csspgo_sim_model *m;
    memset(&heap, 0, sizeof heap);
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    o.llvm = rule & 1 ? 19 : 0;
    m = csspgo_sim_model_read(data, size, &o, &e);
    REQUIRE((m == NULL) == (e.status != CSSPGO_OK) && (m != NULL || e.line != 0));
    is_told(e.status, &e, size);
    REQUIRE(heap.peak <= 16 * size + (1u << 20));
    if (m != NULL) laws_hold(m, &o, rule);
    generic_machine(data, size, &o);
    csspgo_sim_model_free(m);
    REQUIRE(heap.live == 0);
    return 0;
}
