/* check_random.c - random programs, and what stepped counts must be */
#include "jit.h"

#if JIT_MACHINE

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static void put(text_buffer *b, const char *format, ...)
{
    va_list v;
    va_start(v, format);
    b->size += (size_t)vsnprintf(b->text + b->size, sizeof b->text - b->size, format, v);
    va_end(v);
    if (b->size >= sizeof b->text) abort();
}

/* One random instruction on r0 ... r11; calls go to functions of smaller number, so it ends. */
static void put_random(text_buffer *b, uint32_t self, uint32_t *labels)
{
    static const char *const op2[] = { "add", "sub", "mul", "and", "or", "xor", "shl", "shr" };
    const uint32_t d = random_below(12), x = random_below(12), y = random_below(12);
    const uint32_t mask = self > 3 ? 3 : self > 1 ? 1 : 0;
    switch (random_below(10)) {
    case 0: put(b, "    mov r%u r%u\n", d, x); break;
    case 1: put(b, "    const r%u %d\n", d, (int)random_below(2000) - 1000); break;
    case 2: put(b, "    and r%u r%u 1023\n    load r%u r%u %u\n", d, x, y, d, random_below(2)); break;
    case 3: put(b, "    and r%u r%u 1023\n    store r%u r%u\n", d, x, d, y); break;
    case 4:
        put(b, "    %s r%u r%u L%u\n    %s r%u r%u %u\nL%u:\n", random_below(2) ? "jlt" : "jeq", x, y, *labels,
            op2[random_below(8)], d, x, random_below(70), *labels);
        ++*labels;
        break;
    case 5: case 6:
        if (self == 0) break;
        if (random_below(2)) put(b, "    call r%u f%u r%u r%u\n", d, random_below(self), x, y);
        else
            put(b, "    and r12 r%u %u\n    fref r13 f0\n    add r12 r12 r13\n    icall r%u r12 r%u r%u\n", x, mask, d,
                x, y);
        break;
    default: put(b, "    %s r%u r%u r%u\n", op2[random_below(8)], d, x, y); break;
    }
}

void random_program(text_buffer *b, uint32_t seed)
{
    uint32_t f, i, labels = 0;
    random_state = seed;
    b->size = 0;
    for (f = 0; f < 6; f++) {
        const uint32_t loop = random_below(3), count = 3 + random_below(8);
        put(b, "func f%u 2\n", f);
        for (i = 2; i < 12; i++) put(b, "    add r%u r%u %u\n", i, random_below(2), random_below(100));
        if (loop) put(b, "    const r20 0\nagain:\n");
        for (i = 0; i < count; i++) put_random(b, f, &labels);
        if (loop) put(b, "    add r20 r20 1\n    jlt r20 %u again\n", 2 + random_below(2));
        put(b, "    xor r0 r%u r%u\n    ret r%u\n", random_below(12), random_below(12), random_below(12));
    }
    put(b, "func main 1\n    fref r2 f1\n    fref r2 f2\n    fref r2 f3\n    const r1 2\n    const r3 0\nnext:\n    "
           "call r2 f5 r0 r1\n    xor r3 r3 r2\n    call r2 f4 r1 r0\n"
           "    xor r3 r3 r2\n    sub r1 r1 1\n    jlt r0 r1 next\n    ret r3\n");
}

/* Sampling by time: nothing is promised of when and how many, but what is seen must have occurred. */
void check_source(source wanted, uint32_t which)
{
    const workload *w = &workloads[which];
    program *p = new_program();
    csspgo_profile *profile = csspgo_profile_new(NULL, NULL);
    engine *g;
    expected x;
    tier2 r;
    int i;
    if (profile == NULL || !load(p, w->text, 3, w->name)) exit(1);
    expect(&x, p, w->name, 100, 1);
    g = engine_new(p, SAMPLED, NULL);
    if (g == NULL) abort();
    if (sampler_open(g, wanted, 0) != SOURCE_NONE) {
        for (i = 0; i < 100; i++) run_and_compare(g, &x, 0, "results are right while samples are taken");
        check(take_profile(g, profile) == CSSPGO_OK, "samples become a profile", w->name);
        check(contexts_occurred(profile, csspgo_root(profile), &x.truth, 0, p), "sampled contexts have occurred",
              w->name);
        if (csspgo_record_count(profile) != 0)
            check(tier_up(g, profile, CONTEXTS, budget_of(w, p), &r) == CSSPGO_OK, "tier 2 compiles", w->name);
        run_and_compare(g, &x, 0, "results are right after that");
        sampler_close();
    }
    expected_free(&x);
    engine_free(g);
    csspgo_profile_free(profile);
    free(p);
}

/* A profile that says what the interpreter saw. */
csspgo_profile *true_profile(const expected *x)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_node *node = (csspgo_node *)calloc(x->truth.count + 1, sizeof *node);
    uint32_t i, k, bad = 0;
    if (p == NULL || node == NULL) abort();
    csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    node[0] = csspgo_root(p);
    for (i = 1; i < x->truth.count; i++) {
        const truth_node *t = &x->truth.node[i];
        const char *name = x->p->f[t->func].name;
        const csspgo_func f = csspgo_func_add(p, name, strlen(name));
        node[i] = csspgo_node_add(p, node[t->parent], csspgo_loc_at(t->site, 0), CSSPGO_CONTEXT, f);
        bad += csspgo_add_head(p, node[i], t->count[0]) != CSSPGO_OK;
        for (k = 1; k <= x->p->f[t->func].probes; k++) {
            if (t->count[k] == 0) continue;           /* records of 0 would change the order of equally hot calls */
            bad += csspgo_add_body(p, node[i], csspgo_loc_at(k, 0), t->count[k]) != CSSPGO_OK;
            bad += csspgo_add_total(p, node[i], t->count[k]) != CSSPGO_OK;
        }
        if (t->parent != 0)
            bad += csspgo_add_target(p, node[t->parent], csspgo_loc_at(t->site, 0), f, t->count[0]) != CSSPGO_OK;
    }
    free(node);
    check(bad == 0, "the interpreter's counts become a profile", x->name);
    return p;
}

/* Tier 2 in each way at full speed, guided by the interpreter's counts. */
void check_fast(const expected *x, uint32_t budget)
{
    csspgo_profile *p = true_profile(x);
    tier2 r;
    int way;
    for (way = 0; way < WAYS; way++) {
        engine *g = engine_new(x->p, SAMPLED, NULL);
        if (g == NULL) abort();
        run_and_compare(g, x, 0, "tier 1 at full speed computes what the interpreter does");
        check(tier_up(g, p, way, budget, &r) == CSSPGO_OK, "tier 2 compiles", x->name);
        run_and_compare(g, x, 0, "tier 2 at full speed computes what the interpreter does");
        engine_free(g);
    }
    csspgo_profile_free(p);
}

/* What the two ways to inline decide when the profile is exact: that does not depend on time. */
void check_decisions(const workload *w)
{
    program *p = new_program();
    csspgo_profile *profile;
    size_t bytes[WAYS];
    tier2 r[WAYS];
    expected x;
    int way;
    if (!load(p, w->text, 3, w->name)) exit(1);
    expect(&x, p, w->name, 50, 1);
    profile = true_profile(&x);
    for (way = 0; way < WAYS; way++) {
        engine *g = engine_new(p, UNWATCHED, NULL);
        if (g == NULL) abort();
        check(tier_up(g, profile, way, budget_of(w, p), &r[way]) == CSSPGO_OK, "tier 2 compiles", w->name);
        bytes[way] = code_bytes(g);
        run_and_compare(g, &x, 0, "tier 2 computes what the interpreter does");
        engine_free(g);
    }
    check(r[PLAIN].inlined == 0 && r[PLAIN].promoted == 0, "no inlining when there should be none", w->name);
    if (strcmp(w->name, "loop") == 0)
        check(bytes[CONTEXTS] == bytes[PLAIN] && bytes[CONTEXT_LESS] == bytes[PLAIN], "no calls, the same code",
              w->name);
    if (w->budget != 0) check(bytes[CONTEXTS] < bytes[CONTEXT_LESS], "contexts make smaller code of this", w->name);
    if (!w->neutral) check(r[CONTEXTS].inlined != 0 && r[CONTEXT_LESS].inlined != 0, "something is inlined", w->name);
    expected_free(&x);
    csspgo_profile_free(profile);
    free(p);
}

#endif
