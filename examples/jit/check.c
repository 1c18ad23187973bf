/* check.c - everything in every way against the interpreter
 *
 * Nothing in it depends on how long anything takes. Where every instruction is stepped nothing is
 * left out between samples, so csspgo's counts must be the interpreter's, context by context, in both tiers, also when
 * code has taken the place of other code in between.
 */
#include "jit.h"

#if JIT_MACHINE

int outcome_equal(outcome a, outcome b)
{
    return a.trapped == b.trapped && (a.trapped || a.value == b.value);
}

/* 1 if every context of the profile has really occurred. */
int contexts_occurred(const csspgo_profile *p, csspgo_node n, const truth *t, uint32_t at, const program *prog)
{
    csspgo_node c;
    uint32_t k;
    for (c = csspgo_node_first_child(p, n); c.id != 0; c = csspgo_node_next_sibling(p, c)) {
        size_t size;
        const char *name = csspgo_func_name(p, csspgo_node_func(p, c), &size);
        for (k = t->node[at].child; k != 0; k = t->node[k].next)
            if (t->node[k].site == csspgo_node_loc(p, c).line && strlen(prog->f[t->node[k].func].name) == size &&
                memcmp(prog->f[t->node[k].func].name, name, size) == 0) break;
        if (k == 0 || !contexts_occurred(p, c, t, k, prog)) return 0;
    }
    return 1;
}

/* Runs main(n) with every instruction stepped; all samples go to csspgo. */
static outcome run_stepping(engine *g, uint32_t f, int64_t n, const char *name)
{
    outcome out = { 0, 1 };
    if (!check(sampler_open(g, SOURCE_STEP, 1) == SOURCE_STEP, "single-stepping by the trap flag", name)) return out;
    sampler.last = g->stepping_call;
    out = engine_run(g, f, n, 1);
    check(sampler.steps != 0, "the trap flag has an effect", name);
    check(csspgo_queue_get_stats(sampler.queue).dropped == 0, "a queue large enough for all samples", name);
    return out;
}

void expect(expected *x, const program *p, const char *name, int64_t n, int small)
{
    memset(x, 0, sizeof *x);
    x->p = p;
    x->name = name;
    x->n = n;
    x->main = func_named(p, "main");
    x->before = new_array();
    x->after = new_array();
    set_up(p, x->before, small);
    memcpy(x->after, x->before, WORDS * 8);
    interpret(p, x->after, x->main, n, &x->twice, NULL);
    memcpy(x->after, x->before, WORDS * 8);
    x->out = interpret(p, x->after, x->main, n, &x->truth, NULL);
    memcpy(x->after, x->before, WORDS * 8);
    interpret(p, x->after, x->main, n, &x->twice, NULL);
}

void expected_free(expected *x)
{
    free(x->before);
    free(x->after);
    truth_free(&x->truth);
    truth_free(&x->twice);
}

/* Runs it and compares result and array. */
void run_and_compare(engine *g, const expected *x, int step, const char *what)
{
    outcome out;
    memcpy(g->array, x->before, WORDS * 8);
    out = step ? run_stepping(g, x->main, x->n, x->name) : engine_run(g, x->main, x->n, 0);
    check(outcome_equal(out, x->out), what, x->name);
    check(out.trapped || memcmp(g->array, x->after, WORDS * 8) == 0, what, x->name);
}

/* Tier 1, its counts, tier 2 in one way, its counts on top: all as the interpreter says. Returns the bytes of code that
   were put where other code had been. */
static uint64_t check_way(const expected *x, int way, uint32_t budget, tier2 *result)
{
    engine *g = engine_new(x->p, SAMPLED, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    uint64_t reused = 0;
    csspgo_error e;
    tier2 r;
    if (!check(g != NULL && g->collector != NULL && p != NULL, "memory", x->name)) exit(1);
    run_and_compare(g, x, 1, "tier 1 computes what the interpreter does");
    if (x->out.trapped) {
        run_and_compare(g, x, 0, "tier 1 traps where the interpreter does");
    } else {
        check(take_profile(g, p) == CSSPGO_OK && same_counts(p, &x->truth, x->p, 0), "tier 1 counts are the true ones",
              x->name);
        check(tier_up(g, p, way, budget, &r) == CSSPGO_OK && r.functions != 0, "tier 2 compiles", x->name);
        check(r.budget <= budget, "the budget is kept", x->name);
        check(way == PLAIN ? r.inlined == 0 : 1, "no inlining when there should be none", x->name);
        if (result != NULL) *result = r;
        reused = g->reused;
        run_and_compare(g, x, 1, "tier 2 computes what the interpreter does");
        check(take_profile(g, p) == CSSPGO_OK && same_counts(p, &x->twice, x->p, 0),
              "counts stay true when code takes the place of other code", x->name);
        check(csspgo_validate(p, &e) == CSSPGO_OK, "the profile is well formed", x->name);
        run_and_compare(g, x, 0, "tier 2 at full speed computes what the interpreter does");
    }
    sampler_close();
    engine_free(g);
    csspgo_profile_free(p);
    return reused;
}

void *poor_alloc(void *ctx, size_t size)
{
    poor_heap *h = (poor_heap *)ctx;
    void *v = h->left > 0 ? malloc(size) : NULL;
    h->left--;
    h->live += v != NULL;
    return v;
}

void poor_free(void *ctx, void *v, size_t size)
{
    (void)size;
    ((poor_heap *)ctx)->live -= v != NULL;
    free(v);
}

/* With memory for n allocations by csspgo only: the program runs, results are right, no count is too large. Returns 1
   if that was enough. */
static int check_poor(const expected *x, long n, int again, uint32_t budget)
{
    poor_heap heap;
    csspgo_options options;
    csspgo_profile *p;
    engine *g;
    tier2 r;
    int enough;
    heap.left = n;
    heap.live = 0;
    memset(&options, 0, sizeof options);
    options.allocator.alloc_fn = poor_alloc;
    options.allocator.free_fn = poor_free;
    options.allocator.ctx = &heap;
    p = csspgo_profile_new(&options, NULL);
    g = engine_new(x->p, SAMPLED, &options);
    if (!check(g != NULL, "runs without memory for csspgo", x->name)) exit(1);
    run_and_compare(g, x, 1, "results are right when csspgo is out of memory (tier 1)");
    enough = p != NULL && take_profile(g, p) == CSSPGO_OK;
    if (p != NULL) enough = tier_up(g, p, CONTEXTS, budget, &r) == CSSPGO_OK && enough;
    if (again) heap.left = 1 << 30;   /* memory is there again */
    run_and_compare(g, x, 1, "results are right when csspgo is out of memory (tier 2)");
    if (p != NULL) {
        enough = take_profile(g, p) == CSSPGO_OK && enough;
        check(same_counts(p, &x->twice, x->p, 1), "no count too large when csspgo is out of memory", x->name);
    }
    enough = enough && heap.left >= 0 && !g->deaf;
    sampler_close();
    engine_free(g);
    csspgo_profile_free(p);
    check(heap.live == 0, "nothing leaks when csspgo is out of memory", x->name);
    return enough;
}

/* What can go wrong in code: recursion, 4 parameters, many registers, every operation, blocks without code. */
static const char shapes_text[] =
    "func fact 1\n    jlt r0 2 one\n    sub r1 r0 1\n    call r2 fact r1\n    mul r0 r0 r2\n    ret r0\none:\n"
    "    const r0 1\n    ret r0\n"
    "func even 1\n    jeq r0 0 yes\n    sub r0 r0 1\n    call r0 odd r0\n    ret r0\nyes:\n    const r0 1\n    ret r0\n"
    "func odd 1\n    jeq r0 0 no\n    sub r0 r0 1\n    call r0 even r0\n    ret r0\nno:\n    ret r0\n"
    "func four 4\n    sub r0 r0 r1\n    sub r2 r3 r2\n    shl r0 r0 r2\n    shr r3 r0 r1\n    xor r0 r0 r3\n"
    "    ret r0\n"
    "func same 1\n    ret r0\n"
    "func hollow 2             ; the middle block has no code\n    jlt r0 r1 out\n    mov r0 r0\nout:\n    ret r0\n"
    "func reuse 2              ; of a parameter that is never read\n"
    "    add r2 r0 1\n    const r1 5\n    add r1 r1 r2\n    ret r1\n"
    "func swap 2\n    mov r2 r0\n    mov r0 r1\n    mov r1 r2\n    sub r0 r0 r1\n    ret r0\n"
    "func setup 1\n    const r1 100\n    fref r2 fact\n    store r1 r2\n    fref r2 same\n    store r1 r2 1\n"
    "    fref r2 even\n    store r1 r2 2\n    ret r0\n"
    "func wide 2\n"
    "    add r2 r0 1\n    add r3 r0 2\n    add r4 r0 3\n    add r5 r0 4\n    add r6 r0 5\n    add r7 r0 6\n"
    "    add r8 r0 7\n    add r9 r1 8\n"
    "    add r10 r1 9\n    add r11 r1 10\n    add r12 r1 11\n    add r13 r1 12\n    add r14 r1 13\n    add r15 r1 14\n"
    "again:\n    and r16 r3 3\n    load r17 r16 100\n    jeq r16 3 skip\n    and r18 r9 15\n"
    "    icall r19 r17 r18\n    add r2 r2 r19\n"
    "skip:\n    sub r3 r3 1\n    mul r4 r4 r5\n    xor r5 r5 r6\n    or r6 r6 r7\n    sub r7 r8 r7\n"
    "    shl r8 r8 r9\n    shr r9 r2 r10\n"
    "    and r10 r11 r10\n    add r11 r12 12345678901234\n    mul r12 r13 98765432109\n    store r16 r14 200\n"
    "    load r15 r16 200\n"
    "    sub r14 r15 r14\n    call r20 four r2 r3 r4 r5\n    call r21 swap r2 r20\n"
    "    jlt r1 r3 again\n"
    "    xor r2 r2 r4\n    xor r2 r2 r5\n    xor r2 r2 r6\n    xor r2 r2 r7\n    xor r2 r2 r8\n    xor r2 r2 r9\n"
    "    xor r2 r2 r10\n    xor r2 r2 r11\n"
    "    xor r2 r2 r12\n    xor r2 r2 r13\n    xor r2 r2 r14\n    xor r2 r2 r15\n    xor r2 r2 r20\n"
    "    xor r2 r2 r21\n    ret r2\n"
    "func main 1\n    const r1 0\n    call r2 fact r0\n    call r3 even r0\n    add r1 r2 r3\n"
    "    call r3 same r1\n    const r4 0\n"
    "    call r5 hollow r4 r0\n    add r2 r2 r5\n    call r5 reuse r0 r2\n    xor r2 r2 r5\n"
    "    call r5 wide r0 r4\n    xor r1 r5 r3\n    call r2 same r2\n    add r1 r1 r2\n    ret r1\n";

/* Little of everything that csspgo is used for. */
static const char tiny_text[] =
    "func each 2\n    const r2 0\n    const r3 0\nnext:\n    icall r3 r1 r3\n    add r2 r2 1\n"
    "    jlt r2 r0 next\n    ret r3\n"
    "func one 1\n    add r0 r0 1\n    ret r0\nfunc two 1\n    xor r0 r0 2\n    ret r0\n"
    "func a 1\n    fref r1 one\n    call r2 each r0 r1\n    ret r2\nfunc b 1\n    fref r1 two\n"
    "    call r2 each r0 r1\n    ret r2\n"
    "func main 1\n    call r1 a r0\n    call r2 b r0\n    sub r1 r1 r2\n    ret r1\n";

const char *const traps[] = {
    "func main 1\n    const r1 32768\n    load r2 r1\n    ret r2\n",
    "func main 1\n    const r1 -1\n    store r1 r0\n    ret r1\n",
    "func main 1\n    load r1 r0 9223372036854775807\n    ret r1\n",
    "func main 1\n    const r1 64\n    icall r2 r1 r0\n    ret r2\n",
    "func main 1\n    const r1 1\n    icall r2 r1 r0\n    ret r2\n",
    "func main 1\n    fref r1 two\n    icall r2 r1 r0\n    ret r2\nfunc two 2\n    ret r0\n",
    ("func main 1\n    fref r1 id\n    add r1 r1 1\n    icall r2 r1 r0\n    ret r2\n"
     "func id 1\n    ret r0\nfunc other 1\n    ret r0\n"),
    "func main 1\n    add r0 r0 1\n    call r1 main r0\n    ret r1\n",
};

/*
 * The measured programs, in every way, or each in one if `share` is above 1. Returns the bytes of code that were put
 * where other code had been.
 */
static uint64_t check_workloads(program *p, uint32_t share)
{
    uint64_t reused = 0;
    expected x;
    tier2 r;
    uint32_t i;
    int way;
    for (i = 0; i < WORKLOADS; i++) {
        if (!load(p, workloads[i].text, 3, workloads[i].name)) exit(1);
        expect(&x, p, workloads[i].name, 1, 1);
        check(!x.out.trapped, "does not trap", workloads[i].name);
        check_counted(&x, budget_of(&workloads[i], p));
        for (way = 0; way < WAYS; way++) {
            if (share > 1 && way != (int)i % WAYS) continue;
            reused += check_way(&x, way, budget_of(&workloads[i], p), &r);
            check(way == PLAIN || workloads[i].neutral || r.inlined != 0, "something is inlined", workloads[i].name);
        }
        expected_free(&x);
    }
    for (i = 0; i < WORKLOADS; i++) check_decisions(&workloads[i]);
    printf("%u programs, %u ways%s: results and counts are those of the interpreter\n", (unsigned)WORKLOADS,
           (unsigned)WAYS, share > 1 ? ", one for each" : "");
    return reused;
}

/* What the measured programs have not: recursion, 4 parameters, spilled registers; one random program in `share`. */
static uint64_t check_shapes(program *p, uint32_t share)
{
    text_buffer *b = (text_buffer *)calloc(1, sizeof *b);
    const char *text = shapes_text;
    uint64_t reused = 0;
    expected x;
    uint32_t i;
    long n;
    int way;
    if (b == NULL) abort();
    if (!load(p, &text, 1, "shapes")) exit(1);
    for (n = 0; n < 9; n += 4) {
        expect(&x, p, "shapes", n, 1);
        for (way = 0; way < WAYS; way++)
            if (share == 1 || way == (int)n / 4 % WAYS) reused += check_way(&x, way, 400, NULL);
        check_counted(&x, 400);
        expected_free(&x);
    }
    text = b->text;
    for (i = 0; i < 400; i += share) {
        random_program(b, i);
        if (!load(p, &text, 1, "random")) exit(1);
        expect(&x, p, "random", 0, 1);
        if (i < 12) reused += check_way(&x, i % 2 == 0 ? CONTEXTS : CONTEXT_LESS, 2000, NULL);
        check_fast(&x, i % 3 == 0 ? 100000 : 200);
        check_counted(&x, 400);
        expected_free(&x);
        if (checks_failed() != 0 && i != 0) { printf("random program %u:\n%s", (unsigned)i, b->text); break; }
    }
    printf("recursion, 4 parameters, spilled registers, random programs: the same\n");
    free(b);
    return reused;
}

/* Programs that trap; then each allocation of csspgo fails, or one in 45 if `share` is above 1. */
static void check_failures(program *p, uint32_t share)
{
    const long step = share > 1 ? 45 : 1;
    const char *text = tiny_text;
    expected x;
    size_t i;
    long n;
    int enough = 0;
    for (i = 0; i < sizeof traps / sizeof *traps; i++) {
        if (!load(p, &traps[i], 1, "traps")) exit(1);
        expect(&x, p, traps[i], 1, 1);
        check(x.out.trapped, "traps", traps[i]);
        check_way(&x, PLAIN, 0, NULL);
        check_counted(&x, 0);
        expected_free(&x);
    }
    if (!load(p, &text, 1, "tiny")) exit(1);
    expect(&x, p, "tiny", 3, 1);
    for (n = 0; !enough && checks_failed() == 0; n += step) enough = check_poor(&x, n, (int)(n & 1), 200);
    check_poor_counting(&x, 200);
    expected_free(&x);
    printf("csspgo without memory, at %s of %ld allocations: the program runs, no count is too large\n",
           share > 1 ? "some" : "each", n - step);
}

int check_all(uint32_t share)
{
    program *p = new_program();
    uint64_t reused;
    uint32_t i;
    check_language();
    reused = check_workloads(p, share);
    reused += check_shapes(p, share);
    check(reused > 0, "code was put at addresses that other code had", "all");
    printf("code took the place of other code (%" PRIu64 " bytes), counts stayed true\n", reused);
    check_failures(p, share);
    for (i = SOURCE_LBR; i <= SOURCE_TRAP; i++) check_source((source)i, i % 2);
    free(p);
    puts(checks_failed() == 0 ? "all is as it should be" : "NOT as it should be");
    return checks_failed() != 0;
}

#endif
