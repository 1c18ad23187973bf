/* test_sim.c - layer bottleneck: the simulator and the text of its models. */
#include "t.h"
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#include "../examples/share/sim_model.h"
#include "events.h"

static csspgo_sim_model *model_of(const char *text)
{
    csspgo_error e;
    csspgo_sim_model *m = csspgo_sim_model_read(text, strlen(text), NULL, &e);
    if (m == NULL) fprintf(stderr, "    line %u: %s\n", e.line, e.message);
    T_CHECK(m != NULL);
    if (m == NULL) abort();
    return m;
}

/* Runs a model as LLVM 19 (llvm) or by our rules; the events go into o if it is not NULL. */
static csspgo_sim_result run(const csspgo_sim_model *m, uint32_t llvm, event_text *o)
{
    const csspgo_sim_block b = csspgo_sim_model_block(m);
    csspgo_bottleneck_sink sink;
    csspgo_sim_options how;
    csspgo_sim_result r;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    how.llvm = llvm;
    sink.events_fn = event_sink;
    sink.ctx = o;
    if (o != NULL) how.sink = &sink;
    if (o != NULL) memset(o, 0, sizeof *o);
    T_EQ(csspgo_sim_run(&b.machine, b.instruction, b.count, b.iterations, &how, NULL, &r, &e), CSSPGO_OK);
    T_CHECK(o == NULL || o->cycles == r.cycles);
    return r;
}

static unsigned long cycles_of(const char *text)
{
    csspgo_sim_model *m = model_of(text);
    const csspgo_sim_result r = run(m, 0, NULL);
    csspgo_sim_model_free(m);
    return (unsigned long)r.cycles;
}

/* ----- against the events of LLVM's pipeline ----- */

static const char *const vectors[] = { "chain", "dot", "mem", "mem_alias_lq4_sq3", "mem_lq2_sq1", "mix", "slf_alias",
                                       "slf_noalias" };

static char *vector(size_t i, const char *ending, size_t *size)
{
    char path[100];
    snprintf(path, sizeof path, "data/bottleneck/sim/%s.%s", vectors[i], ending);
    return t_file(path, size);
}

static void events_are_those_of_llvm(void)
{
    size_t i, size, want_size;
    for (i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        char *text = vector(i, "model", &size), *want = vector(i, "events", &want_size);
        csspgo_sim_model *m;
        csspgo_sim_result r;
        event_text o;
        if (text == NULL || want == NULL) return;
        m = model_of(text);
        r = run(m, 19, &o);
        event_put(&o, "cycles %llu\n", r.cycles, 0, 0);
        t_same(vectors[i], o.text, o.size, want, want_size);
        T_EQ(run(m, 19, NULL).cycles, r.cycles);
        T_EQ(r.overlaps, 0);
        csspgo_sim_model_free(m);
        free(o.text);
        free(text);
        free(want);
    }
}

/* Where nothing can be issued because of two registers, LLVM names the last, we name the slower one. */
static void the_critical_register_is_the_slowest_one(void)
{
    csspgo_sim_model *m = model_of("model dispatch 4 rob 16 iterations 1\n"
                                   "inst 0 uops 1 lat 9 res 0x1:1 def 1:9\n"
                                   "inst 1 uops 1 lat 3 res 0x2:1 def 2:3\n"
                                   "inst 2 uops 1 lat 1 res 0x4:1 read 1,2\n");
    event_text o;
    run(m, 0, &o);
    T_CHECK(strstr(o.text, "I 2 0x0 r:0,1,9 m:-") != NULL);
    free(o.text);
    run(m, 19, &o);
    T_CHECK(strstr(o.text, "I 2 0x0 r:1,2,3 m:-") != NULL);
    free(o.text);
    csspgo_sim_model_free(m);
}

/* ----- laws ----- */

static uint32_t random_state = 1;

static uint32_t pick(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/* A random machine and block as text, its registers numbered by this rule: reg * times + plus. */
static void random_model(char *to, size_t cap, uint32_t seed, uint32_t times, uint32_t plus, int overlap)
{
    uint32_t n, i, k;
    size_t at;
    random_state = seed;
    at = (size_t)snprintf(to, cap, "model dispatch %u rob %u retire %u noalias %u lq %u sq %u iterations %u\n",
                          1 + pick(6), 1 + pick(40), pick(5), pick(2), pick(4), pick(4), 1 + pick(20));
    at += (size_t)snprintf(to + at, cap - at, "buffer 3 size %u\nbuffer 9 size %u\n", 1 + pick(20), 1 + pick(9));
    n = 1 + pick(9);
    for (i = 0; i < n; i++) {
        const uint32_t uops = pick(12) == 0 ? pick(60) : pick(3), lat = pick(9) == 0 ? 0 : pick(12), uses = pick(3);
        at += (size_t)snprintf(to + at, cap - at, "inst %u uops %u lat %u", i, uops, lat);
        for (k = 0; k < uses; k++)
            at += (size_t)snprintf(to + at, cap - at, "%s0x%x:%u", k == 0 ? " res " : ",",
                                   overlap ? 1 + pick(15) + (k << 4) : (1 + pick(7)) << 3 * k, pick(5));
        at += (size_t)snprintf(to + at, cap - at, " def %u:%u read %u,%u%s%s%s\n", pick(5) * times + plus,
                               pick(lat + 1), pick(5) * times + plus, pick(5) * times + plus,
                               pick(3) == 0 ? " load" : pick(3) == 0 ? " store" : "",
                               pick(2) ? " buf 3" : "", pick(5) == 0 && uses == 0 ? " res 0x800:1" : "");
    }
}

/* The events with each register renamed back, for comparison: " r:iid,reg,cycles". */
static void rename_registers(event_text *o, uint32_t times, uint32_t plus)
{
    char *p, *q;
    char *end = o->text;
    event_text out;
    memset(&out, 0, sizeof out);
    for (p = o->text; (q = strstr(p, " r:")) != NULL; p = end) {
        unsigned long reg;
        end = q + 3;
        if (*end != '-') {
            end = strchr(end, ',') + 1;
            for (; p != end; p++) event_put(&out, "%c", (unsigned char)*p, 0, 0);
            reg = strtoul(end, &end, 10);
            event_put(&out, "%llu", (reg - plus) / times, 0, 0);
        } else {
            for (; p != end; p++) event_put(&out, "%c", (unsigned char)*p, 0, 0);
        }
    }
    for (; *p != '\0'; p++) event_put(&out, "%c", (unsigned char)*p, 0, 0);
    free(o->text);
    *o = out;
}

/* Numbers of registers are names, the same block gives the same events, and all ends. */
static void random_blocks_obey(void)
{
    const unsigned long cases = t_cases("CSSPGO_CASES", 150, 1500);
    unsigned long i;
    for (i = 0; i < cases; i++) {
        char text[4096], other[4096];
        csspgo_sim_model *m, *renamed;
        csspgo_sim_result r;
        event_text a, b;
        random_model(text, sizeof text, (uint32_t)i, 1, 0, i % 4 == 0);
        random_model(other, sizeof other, (uint32_t)i, 1000, 77, i % 4 == 0);
        m = model_of(text);
        renamed = model_of(other);
        r = run(m, i % 2 ? 19 : 0, &a);
        T_EQ(run(renamed, i % 2 ? 19 : 0, &b).cycles, r.cycles);
        rename_registers(&b, 1000, 77);
        t_same("renamed registers", b.text, b.size, a.text, a.size);
        T_EQ(run(m, 0, NULL).cycles, r.cycles);
        T_CHECK(r.overlaps == 0 || i % 4 == 0);
        csspgo_sim_model_free(m);
        csspgo_sim_model_free(renamed);
        free(a.text);
        free(b.text);
    }
}

/* What the widths and units allow and no more: counted by hand. */
static void limits_of_the_machine_hold(void)
{
    /* a chain: one latency per iteration, dispatch before the first issue, execution and retirement behind the last */
    T_EQ(cycles_of("model dispatch 4 rob 64 iterations 100\ninst 0 uops 1 lat 5 res 0x1:1 def 1:5 read 1\n"), 503);
    /* one unit that is held for 3 cycles */
    T_EQ(cycles_of("model dispatch 4 rob 64 iterations 100\ninst 0 uops 1 lat 1 res 0x1:3\n"), 3 * 99 + 4);
    /* two of them */
    T_EQ(cycles_of("model dispatch 4 rob 64 iterations 100\ninst 0 uops 1 lat 1 res 0x3:3\n"), 3 * 49 + 4);
    /* dispatch: 6 micro-operations at 4 per cycle take two cycles each */
    T_EQ(cycles_of("model dispatch 4 rob 64 iterations 100\ninst 0 uops 6 lat 1 res 0x3:1\n"), 2 * 99 + 4);
    /* retirement */
    T_EQ(cycles_of("model dispatch 4 rob 64 retire 1 iterations 100\ninst 0 uops 1 lat 1 res 0xf:1\n"), 103);
    /* a result that is there at once wakes its reader in the same cycle */
    T_EQ(cycles_of("model dispatch 4 rob 64 iterations 1\ninst 0 uops 1 lat 0 res 0x1:1 def 1:0\n"
                   "inst 1 uops 1 lat 0 res 0x2:1 def 2:0 read 1\n"), 3);
}

/* Two uses of one instruction that can take the same unit: the one without a choice gets it. */
static void overlapping_uses_are_served_and_counted(void)
{
    csspgo_sim_model *m = model_of("model dispatch 4 rob 64 iterations 10\ninst 0 uops 1 lat 1 res 0x3:1,0x2:1\n"
                                   "inst 1 uops 1 lat 1 res 0x4:1\n");
    csspgo_sim_block b;
    csspgo_sim_result r;
    csspgo_sim_use use[2];
    csspgo_sim_instruction x;
    csspgo_error e;
    event_text o;
    r = run(m, 0, &o);
    T_EQ(r.overlaps, 1);
    T_CHECK(strstr(o.text, "I 0 0x0 r:- m:- 1:1 0:1\n") != NULL);
    free(o.text);
    b = csspgo_sim_model_block(m);
    x = b.instruction[0];
    x.use = use;
    use[0] = b.instruction[0].use[1];
    use[1] = use[0];
    T_EQ(csspgo_sim_run(&b.machine, &x, 1, 1, NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strcmp(e.message, "csspgo_sim_run: instruction 0 needs more units at a time than there are") == 0);
    csspgo_sim_model_free(m);
}

/* Masks of events are of resources, which need not be units. */
/* A sum of loaded values: the sum is needed when the value is there, not when the load begins. */
static void reads_may_be_early_or_late(void)
{
    static const struct { const char *advance; uint64_t cycles; } of[] = {
        { "", 6 }, { ":1", 5 }, { ":5", 1 }, { ":6", 1 }, { ":60", 1 }, { ":0", 6 }, { ":-2", 8 }
    };
    char text[200];
    size_t i;
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        csspgo_bottleneck_bounds bounds;
        csspgo_sim_block b;
        csspgo_sim_model *m;
        sprintf(text, "model dispatch 4 rob 64 iterations 100\ninst 0 uops 1 lat 6 res 0x1:1 def 7:6 read 7%s load\n",
                of[i].advance);
        m = model_of(text);
        b = csspgo_sim_model_block(m);
        T_EQ(run(m, 0, NULL).cycles / 100, of[i].cycles);
        T_EQ(csspgo_bottleneck_find_bounds(&b.machine, b.instruction, 1, NULL, &bounds, NULL, 0, NULL), CSSPGO_OK);
        T_CHECK(bounds.latency.cycles <= of[i].cycles && bounds.latency.cycles + 1 >= of[i].cycles);
        csspgo_sim_model_free(m);
    }
}

/* Results hold their registers until they are retired: as many are in flight as there are registers. */
static void register_files_hold_dispatch_up(void)
{
    static const char text[] = "model dispatch 4 rob 64 iterations 1000\nfile 1 size 8\n"
                               "inst 0 uops 1 lat 19 res 0x1:1 def 7:19 file 1:2\n";
    const unsigned long cycles = cycles_of(text);
    char most[sizeof text + 20];
    T_CHECK(cycles > 1000 / 4 * 19 && cycles < 1000 / 4 * 23);       /* four at a time */
    strcpy(most, text);
    memcpy(strstr(most, "size 8"), "size 0", 6);                      /* any number */
    T_CHECK(cycles_of(most) < 1040);
    memcpy(strstr(most, "size 0"), "size 1", 6);                      /* what needs more than all takes all */
    T_CHECK(cycles_of(most) > 1000 * 19);
}

static void resources_have_their_own_bits(void)
{
    csspgo_sim_model *m = model_of("model dispatch 4 rob 64 iterations 10\nresource Pair mask 0x10 units 0x3\n"
                                   "resource One mask 0x4\nresource All mask 0x20000000000014\n"
                                   "inst 0 uops 1 lat 1 res 0x3:3\ninst 1 uops 1 lat 1 res 0x4:1\n"
                                   "inst 2 uops 1 lat 1 res 0x7:1\n");
    event_text o;
    run(m, 0, &o);
    T_CHECK(strstr(o.text, "P 1 0x10 ") != NULL && strstr(o.text, "P 1 0x3") == NULL);
    T_CHECK(strstr(o.text, ":0x14") != NULL);
    free(o.text);
    csspgo_sim_model_free(m);
}

/*
 * A group of a resource with two units and one with one unit chooses a resource first: the pair is chosen as long as it
 * has a free unit, but in turn with the other one.
 */
static void groups_of_resources_choose_in_two_steps(void)
{
    csspgo_sim_model *m = model_of("model dispatch 8 rob 64 iterations 1\nresource Pair mask 0x1 units 0x3\n"
                                   "resource One mask 0x2 units 0x4\ninst 0 uops 1 lat 1 res 0x7:9\n"
                                   "inst 1 uops 1 lat 1 res 0x7:9\ninst 2 uops 1 lat 1 res 0x7:9\n");
    event_text o;
    run(m, 19, &o);
    T_CHECK(strstr(o.text, "I 0 0x0 r:- m:- 2:9") != NULL && strstr(o.text, "I 1 0x0 r:- m:- 1:9") != NULL);
    T_CHECK(strstr(o.text, "I 2 0x0 r:- m:- 0:9") != NULL);
    free(o.text);
    csspgo_sim_model_free(m);
}

static void the_generic_machine_ranks(void)
{
    const csspgo_sim_machine m = csspgo_sim_generic_ooo();
    uint64_t before = 0;
    int k;
    T_EQ(m.resources, 10);
    for (k = 0; k < CSSPGO_SIM_CLASSES; k++) {
        csspgo_sim_instruction x = csspgo_sim_generic_instruction((csspgo_sim_class)k);
        csspgo_sim_def def;
        csspgo_sim_result r;
        const uint32_t reg = 7;
        def.reg = reg;
        def.latency = x.latency;
        x.def = &def;
        x.read = &reg;
        x.defs = x.reads = 1;
        T_EQ(csspgo_sim_run(&m, &x, 1, 1000, NULL, NULL, &r, NULL), CSSPGO_OK);
        T_EQ(r.cycles, 1000 * x.latency + 3);
        if (k == CSSPGO_SIM_MULTIPLY || k == CSSPGO_SIM_DIVIDE) T_CHECK(r.cycles > before);
        before = r.cycles;
    }
    T_EQ(csspgo_sim_generic_instruction((csspgo_sim_class)99).latency, 1);
}

/* ----- limits, failures ----- */

static void bad_arguments_are_refused(void)
{
    csspgo_sim_machine m = csspgo_sim_generic_ooo();
    csspgo_sim_instruction x = csspgo_sim_generic_instruction(CSSPGO_SIM_INTEGER), bad;
    csspgo_sim_options how;
    const csspgo_bottleneck_resource other = { NULL, 1, 1 };
    const csspgo_sim_use elsewhere = { 6, 5 };
    csspgo_sim_use none;
    uint32_t empty[64];
    csspgo_error e;
    memset(&how, 0, sizeof how);
    memset(&none, 0, sizeof none);
    memset(empty, 0, sizeof empty);
    T_EQ(csspgo_sim_run(&m, &x, 1, 1, &how, NULL, NULL, &e), CSSPGO_OK);
    how.llvm = 18;
    T_EQ(csspgo_sim_run(&m, &x, 1, 1, &how, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_sim_run(&m, &x, 0, 1, NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_sim_run(&m, &x, 1, 0, NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_sim_run(&m, &x, 4097, 1, NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
#define REFUSED(change) \
    do {                                                                                              \
        bad = x;                                                                                      \
        change;                                                                                       \
        T_EQ(csspgo_sim_run(&m, &bad, 1, 1, NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);          \
    } while (0)
    REFUSED(bad.uses = 65);
    REFUSED(bad.uops = 65536);
    REFUSED(bad.latency = 65536);
    REFUSED(bad.buffers = 2);
    REFUSED((bad.use = &none, bad.uses = 1));
    REFUSED(m.buffer = empty);
    REFUSED(m.width = 0);
    m = csspgo_sim_generic_ooo();
    m.resource = &other;
    m.resources = 1;
    REFUSED((bad.use = &elsewhere, bad.uses = 1));
    m = csspgo_sim_generic_ooo();
    REFUSED(m.reorder = 65536);
#undef REFUSED
}

static void cycles_and_sinks_end_a_run(void)
{
    csspgo_sim_model *m = model_of("model dispatch 4 rob 64 iterations 1000\n"
                                   "inst 0 uops 1 lat 500 res 0x1:1 def 1:500 read 1\n");
    const csspgo_sim_block b = csspgo_sim_model_block(m);
    csspgo_bottleneck_sink sink;
    csspgo_sim_options how;
    csspgo_sim_result r;
    csspgo_error e;
    event_text o;
    memset(&how, 0, sizeof how);
    memset(&o, 0, sizeof o);
    sink.events_fn = event_sink;
    sink.ctx = &o;
    how.sink = &sink;
    how.max_cycles = 1000;
    T_EQ(csspgo_sim_run(&b.machine, b.instruction, 1, b.iterations, &how, NULL, &r, &e), CSSPGO_E_LIMIT);
    T_EQ(r.cycles, 1000);
    T_EQ(o.cycles, 1000);
    o.stop_at = 300;
    how.max_cycles = 0;
    T_EQ(csspgo_sim_run(&b.machine, b.instruction, 1, b.iterations, &how, NULL, &r, &e), CSSPGO_E_IO);
    T_CHECK(r.cycles != 0 && r.cycles < 400);
    free(o.text);
    csspgo_sim_model_free(m);
}

static size_t peak_of(uint32_t iterations)
{
    size_t size;
    char *text = vector(5, "model", &size);
    csspgo_sim_model *m = model_of(text);
    const csspgo_sim_block b = csspgo_sim_model_block(m);
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    T_EQ(csspgo_sim_run(&b.machine, b.instruction, b.count, iterations, NULL, &o, NULL, NULL), CSSPGO_OK);
    T_EQ(h.live, 0);
    csspgo_sim_model_free(m);
    free(text);
    return h.peak;
}

static void memory_does_not_grow_with_iterations(void)
{
    const size_t peak = peak_of(1);
    T_CHECK(peak < 100000);
    T_EQ(peak_of(20000), peak);
}

static void every_failing_allocation_is_survived(void)
{
    size_t size;
    char *text = vector(5, "model", &size);
    csspgo_error e;
    long nth;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_sim_model *m = csspgo_sim_model_read(text, size, &o, &e);
        csspgo_status s = e.status;
        event_text out;
        memset(&out, 0, sizeof out);
        if (m != NULL) {
            const csspgo_sim_block b = csspgo_sim_model_block(m);
            csspgo_bottleneck_sink sink;
            csspgo_sim_options how;
            memset(&how, 0, sizeof how);
            how.sink = &sink;
            sink.events_fn = event_sink;
            sink.ctx = &out;
            s = csspgo_sim_run(&b.machine, b.instruction, b.count, b.iterations, &how, &o, NULL, &e);
            T_EQ(s, e.status);
        }
        csspgo_sim_model_free(m);
        free(out.text);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 20);
    free(text);
}

/* ----- models as text ----- */

static void a_model_says_it_all(void)
{
    csspgo_sim_model *m = model_of("# a comment\n#another\r\n\n"
                                   "model dispatch 2 rob 64 retire 3 noalias 0 lq 4 sq 5 iterations 6\n"
                                   "buffer 2 size 20\ngroup 0x3\nresource A mask 0x1\n"
                                   "resource  B\tmask 0x4 units 0x6 \ncycles 77\n"
                                   "register 51 %rax\n# regname 7 %rip\n"
                                   "inst 0 uops 1 lat 6 res 0x2:1,0x4:4 buf 2 def 51:6,28:5 read 51,7 load store\r\n"
                                   "inst 1 uops 2 lat 1 res - buf - def - read -\n"
                                   "text 1  imulq %rax,  %rax \nestimate read advance\nestimate more");
    const csspgo_sim_block b = csspgo_sim_model_block(m);
    const csspgo_sim_instruction *x = b.instruction;
    T_CHECK(b.machine.width == 2 && b.machine.reorder == 64 && b.machine.retire == 3 && b.machine.alias == 1);
    T_CHECK(b.machine.loads == 4 && b.machine.stores == 5 && b.iterations == 6 && b.count == 2);
    T_CHECK(b.machine.buffers == 3 && b.machine.buffer[2] == 20 && b.machine.groups == 1 && b.machine.group[0] == 3);
    T_CHECK(b.machine.resources == 2 && strcmp(b.machine.resource[1].name, "B") == 0);
    T_CHECK(b.machine.resource[1].mask == 4 && b.machine.resource[1].units == 6 && b.machine.resource[0].units == 0);
    T_CHECK(x->uops == 1 && x->latency == 6 && x->uses == 2 && x->use[1].units == 4 && x->use[1].cycles == 4);
    T_CHECK(x->buffers == 4 && x->defs == 2 && x->def[1].reg == 28 && x->def[1].latency == 5 && x->reads == 2);
    T_CHECK(x->read[1] == 7 && x->flags == (CSSPGO_SIM_LOAD | CSSPGO_SIM_STORE));
    T_CHECK(x[1].uops == 2 && x[1].uses == 0 && x[1].defs == 0 && x[1].reads == 0 && x[1].buffers == 0);
    T_CHECK(strcmp(b.text[0], "") == 0 && strcmp(b.text[1], "imulq %rax,  %rax") == 0);
    T_CHECK(strcmp(b.estimate, "read advance") == 0 && b.cycles == 77);
    T_CHECK(strcmp(csspgo_sim_model_register(m, 51), "%rax") == 0);
    T_CHECK(strcmp(csspgo_sim_model_register(m, 7), "%rip") == 0);
    T_CHECK(csspgo_sim_model_register(m, 50) == NULL && csspgo_sim_model_register(m, 52) == NULL);
    csspgo_sim_model_free(m);
}

static void bad_models_are_refused_where_they_are_bad(void)
{
    static const struct { const char *text; csspgo_status status; uint32_t line, column; } bad[] = {
        { "", CSSPGO_E_TRUNCATED, 1, 1 },
        { "model dispatch 1 rob 1\n", CSSPGO_E_TRUNCATED, 2, 24 },
        { "inst 0 uops 1 lat 1\n", CSSPGO_E_TRUNCATED, 2, 21 },
        { "\nmachine\n", CSSPGO_E_SYNTAX, 2, 1 },
        { "model dispatch 0 rob 1\n", CSSPGO_E_RANGE, 1, 6 },
        { "model dispatch 1 rob 65536\n", CSSPGO_E_RANGE, 1, 22 },
        { "model dispatch 1 rob x\n", CSSPGO_E_SYNTAX, 1, 22 },
        { "model dispatch 1 rob 1x\n", CSSPGO_E_SYNTAX, 1, 23 },
        { "model dispatch 1 rob\n", CSSPGO_E_SYNTAX, 1, 21 },
        { "model dispatch 1 rod 1\n", CSSPGO_E_SYNTAX, 1, 18 },
        { "model dispatch 1 rob 1\nmodel dispatch 1 rob 1\n", CSSPGO_E_SYNTAX, 2, 1 },
        { "buffer 64 size 1\n", CSSPGO_E_RANGE, 1, 8 },
        { "buffer 6 entries 1\n", CSSPGO_E_SYNTAX, 1, 10 },
        { "group 0x10000000000000000\n", CSSPGO_E_RANGE, 1, 9 },
        { "group 0x3 4\n", CSSPGO_E_SYNTAX, 1, 11 },
        { "resource\n", CSSPGO_E_SYNTAX, 1, 9 },
        { "resource A units 0x3\n", CSSPGO_E_SYNTAX, 1, 12 },
        { "register 65536 a\n", CSSPGO_E_RANGE, 1, 10 },
        { "inst 1 uops 1 lat 1\n", CSSPGO_E_SYNTAX, 1, 1 },
        { "inst 0 uops 1 lat 1 res 1\n", CSSPGO_E_SYNTAX, 1, 25 },
        { "inst 0 uops 1 lat 1 res 0x0:1\n", CSSPGO_E_RANGE, 1, 25 },
        { "inst 0 uops 1 lat 1 res 0x1:1,\n", CSSPGO_E_SYNTAX, 1, 31 },
        { "inst 0 uops 1 lat 1 res 0x1:1 res 0x1:1\n", CSSPGO_E_SYNTAX, 1, 31 },
        { "inst 0 uops 1 lat 1 buf 64\n", CSSPGO_E_RANGE, 1, 25 },
        { "inst 0 uops 1 lat 1 read 1;2\n", CSSPGO_E_SYNTAX, 1, 27 },
        { "inst 0 uops 65536\n", CSSPGO_E_RANGE, 1, 13 },
        { "inst 0 loads\n", CSSPGO_E_SYNTAX, 1, 8 },
        { "text 0 a\n", CSSPGO_E_SYNTAX, 1, 1 },
        { "estimate \n", CSSPGO_E_SYNTAX, 1, 10 }
    };
    size_t i;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        csspgo_error e;
        const size_t size = strlen(bad[i].text);
        unsigned char *exact = t_copy(bad[i].text, size);
        T_CHECK(csspgo_sim_model_read(exact, size, NULL, &e) == NULL);
        if (e.status != bad[i].status || e.line != bad[i].line || e.column != bad[i].column)
            fprintf(stderr, "    %s    %u:%u: %s\n", bad[i].text, e.line, e.column, e.message);
        T_CHECK(e.status == bad[i].status && e.line == bad[i].line && e.column == bad[i].column && e.offset <= size);
        T_CHECK(csspgo_sim_model_read(exact, size, NULL, NULL) == NULL);
        free(exact);
    }
}

static void models_obey_options(void)
{
    static const char text[] = "model dispatch 1 rob 1\ninst 0 uops 1 lat 1\n";
    csspgo_options o;
    csspgo_sim_model *m;
    csspgo_error e;
    t_heap h;
    memset(&o, 0, sizeof o);
    o.llvm = 18;
    T_CHECK(csspgo_sim_model_read(text, sizeof text - 1, &o, &e) == NULL);
    T_CHECK(e.status == CSSPGO_E_ARGUMENT &&
            strcmp(e.message, "csspgo_sim_model_read: csspgo_options.llvm must be 0 or 19") == 0);
    o = t_options(&h, 0);
    o.allocator.free_fn = NULL;
    T_CHECK(csspgo_sim_model_read(text, sizeof text - 1, &o, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    for (o = t_options(&h, 0), o.limits.max_bytes = 1, m = NULL; m == NULL; o.limits.max_bytes++) {
        m = csspgo_sim_model_read(text, sizeof text - 1, &o, &e);
        T_CHECK(m != NULL || e.status == CSSPGO_E_LIMIT);
    }
    T_CHECK(h.live_bytes < o.limits.max_bytes && h.peak < 100000);
    csspgo_sim_model_free(m);
    csspgo_sim_model_free(NULL);
    T_EQ(h.live, 0);
}

static void every_prefix_is_a_model_or_refused(void)
{
    size_t size, i;
    char *text = vector(3, "model", &size);
    for (i = 0; text != NULL && i < size; i++) {
        csspgo_error e;
        unsigned char *exact = t_copy(text, i);
        csspgo_sim_model *m = csspgo_sim_model_read(exact, i, NULL, &e);
        T_CHECK((m != NULL) == (e.status == CSSPGO_OK));
        csspgo_sim_model_free(m);
        free(exact);
    }
    free(text);
}

int main(void)
{
    events_are_those_of_llvm();
    the_critical_register_is_the_slowest_one();
    random_blocks_obey();
    limits_of_the_machine_hold();
    overlapping_uses_are_served_and_counted();
    reads_may_be_early_or_late();
    register_files_hold_dispatch_up();
    resources_have_their_own_bits();
    groups_of_resources_choose_in_two_steps();
    the_generic_machine_ranks();
    bad_arguments_are_refused();
    cycles_and_sinks_end_a_run();
    memory_does_not_grow_with_iterations();
    T_FAILING(every_failing_allocation_is_survived());
    a_model_says_it_all();
    bad_models_are_refused_where_they_are_bad();
    models_obey_options();
    every_prefix_is_a_model_or_refused();
    return t_end();
}
