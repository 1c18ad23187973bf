/* check_count.c - counts by contexts are those of the interpreter, and lead to the same code */
#include "jit.h"

void truth_free(truth *t)
{
    uint32_t i;
    for (i = 0; i < t->count; i++) free(t->node[i].count);
    free(t->node);
    memset(t, 0, sizeof *t);
}

/* 1 if every count of the profile is that of the truth (or, with `lossy`, at most that). */
int same_counts(const csspgo_profile *p, const truth *t, const program *prog, int lossy)
{
    csspgo_node *node = (csspgo_node *)calloc(t->count + 1, sizeof *node);
    uint64_t sum = 0, total = 0;
    csspgo_func id;
    csspgo_node n;
    uint32_t i, k, wrong = 0;
    if (node == NULL) abort();
    node[0] = csspgo_root(p);
    for (i = 1; i < t->count; i++) {
        const truth_node *v = &t->node[i];
        const func *f = &prog->f[v->func];
        const csspgo_loc at = csspgo_loc_at(v->site, 0);
        uint64_t calls;
        id = csspgo_func_find(p, f->name, strlen(f->name));
        node[i] = csspgo_child(p, node[v->parent], at, CSSPGO_CONTEXT, id);
        calls = v->parent == 0 ? csspgo_head(p, node[i]) : csspgo_target_count(p, node[v->parent], at, id);
        wrong += lossy ? calls > v->count[0] || csspgo_head(p, node[i]) > v->count[0]
                       : calls != v->count[0] || csspgo_head(p, node[i]) != v->count[0];
        for (k = 1; k <= f->probes; k++) {
            const uint64_t ours = csspgo_body_count(p, node[i], csspgo_loc_at(k, 0));
            wrong += lossy ? ours > v->count[k] : ours != v->count[k];
            if (!lossy && ours != v->count[k] && wrong < 10)
                printf("  %s (in %s) probe %u: %" PRIu64 ", not %" PRIu64 "\n", f->name,
                       prog->f[t->node[v->parent].func].name, k, ours, v->count[k]);
            sum += v->count[k];
        }
    }
    for (id.id = 1; id.id <= csspgo_func_count(p); id.id++)
        for (n = csspgo_func_nodes(p, id); n.id != 0; n = csspgo_node_next_same(p, n)) total += csspgo_total(p, n);
    free(node);
    return wrong == 0 && (lossy ? total <= sum : total == sum);
}

/* The interpreter, which counts with csspgo's runtime and by itself. */
void check_interpreter(const program *p, const char *name, int64_t n)
{
    counting *c = (counting *)calloc(1, sizeof *c);
    csspgo_profile *counted = csspgo_profile_new(NULL, NULL);
    int64_t *array = new_array();
    truth t;
    memset(&t, 0, sizeof t);
    if (c == NULL || counted == NULL || !counting_open(c, p, NULL)) abort();
    set_up(p, array, 1);
    interpret(p, array, c->main, n, &t, c);
    check(counting_profile(c, counted) == CSSPGO_OK && same_counts(counted, &t, p, 0),
          "the interpreter's counts by contexts are the true ones", name);
    check(c->thread.depth == 0 && c->thread.dropped == 0, "no call is lost, no root is left open", name);
    counting_close(c);
    csspgo_profile_free(counted);
    truth_free(&t);
    free(array);
    free(c);
}

#if JIT_MACHINE

static int same_decisions(const tier2 *a, const tier2 *b)
{
    return a->functions == b->functions && a->inlined == b->inlined && a->promoted == b->promoted &&
           a->keys == b->keys && memcmp(a->key, b->key, a->keys * sizeof *a->key) == 0;
}

/*
 * Tier 1 that counts: results, traps and counts are the interpreter's, also those of a second run; tier 2 decides as
 * with the interpreter's counts, and its code counts nothing.
 */
void check_counted(const expected *x, uint32_t budget)
{
    engine *g = engine_new(x->p, COUNTED, NULL), *h = engine_new(x->p, UNWATCHED, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = NULL, *truth = x->out.trapped ? NULL : true_profile(x);
    static tier2 counted, wanted;
    if (!check(g != NULL && h != NULL && g->counts != NULL && p != NULL, "memory", x->name)) exit(1);
    run_and_compare(g, x, 0, "tier 1 that counts computes what the interpreter does");
    if (x->out.trapped) run_and_compare(g, x, 0, "and again behind a trap");
    check(g->counts->thread.depth == 0, "no root is left open", x->name);
    check(x->out.trapped || g->counts->thread.dropped == 0, "no call is lost", x->name);
    if (!x->out.trapped) {
        check(take_profile(g, p) == CSSPGO_OK && same_counts(p, &x->truth, x->p, 0), "counted are the true counts",
              x->name);
        check_interpreter(x->p, x->name, x->n);
        run_and_compare(g, x, 0, "tier 1 that counts computes it twice");
        q = csspgo_profile_clone(p, NULL);
        if (q == NULL) abort();
        check(take_profile(g, q) == CSSPGO_OK && same_counts(q, &x->twice, x->p, 0), "a second run adds its counts",
              x->name);
        check(tier_up(g, p, CONTEXTS, budget, &counted) == CSSPGO_OK && counted.functions != 0, "tier 2 compiles",
              x->name);
        check(tier_up(h, truth, CONTEXTS, budget, &wanted) == CSSPGO_OK && same_decisions(&counted, &wanted),
              "decisions are those of the true counts", x->name);
        check(code_bytes(g) == code_bytes(h), "and so is the code, which does not count any more", x->name);
        run_and_compare(g, x, 0, "tier 2 behind counting computes what the interpreter does");
        check(take_profile(g, q) == CSSPGO_OK && same_counts(q, &x->twice, x->p, 0), "tier 2 counts nothing", x->name);
    }
    engine_free(g);
    engine_free(h);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(truth);
}

/* Each allocation of the runtime fails in turn: the program runs, and no count is too large. */
void check_poor_counting(const expected *x, uint32_t budget)
{
    static tier2 r;
    int enough = 0;
    long n;
    for (n = 0; !enough && checks_failed() == 0; n++) {
        csspgo_options options;
        poor_heap heap = { 0, 0 };
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        engine *g;
        heap.left = n;
        memset(&options, 0, sizeof options);
        options.allocator.alloc_fn = poor_alloc;
        options.allocator.free_fn = poor_free;
        options.allocator.ctx = &heap;
        g = engine_new(x->p, COUNTED, &options);
        if (!check(g != NULL && p != NULL, "counts without memory for csspgo", x->name)) exit(1);
        run_and_compare(g, x, 0, "results are right when counting is out of memory");
        if (g->counts != NULL) enough = take_profile(g, p) == CSSPGO_OK && heap.left >= 0;
        check(same_counts(p, &x->truth, x->p, !enough), "no count too large when counting is out of memory", x->name);
        check(tier_up(g, p, CONTEXTS, budget, &r) == CSSPGO_OK, "tier 2 compiles", x->name);
        run_and_compare(g, x, 0, "results are right when counting was out of memory (tier 2)");
        engine_free(g);
        csspgo_profile_free(p);
        check(heap.live == 0, "nothing leaks when counting is out of memory", x->name);
    }
}

#endif
