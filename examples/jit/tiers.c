/* tiers.c - tier 2: what to inline, by the profile */
#include "jit.h"

#if JIT_MACHINE

/* What the inliner must know of the program: sizes and calls of the functions, by their numbers in the profile. */
typedef struct catalog {
    csspgo_inliner_code *callable;
    csspgo_inliner_call *call;
    csspgo_func      func[MAX_FUNCS]; /* of the profile, by number in the program; id 0: not in the profile */
    size_t           count;
} catalog;

static void catalog_make(catalog *c, const program *p, const csspgo_profile *profile)
{
    uint32_t f, i;
    csspgo_inliner_call *call;
    c->count = csspgo_func_count(profile) + 1;
    c->callable = (csspgo_inliner_code *)calloc(c->count, sizeof *c->callable);
    c->call = call = (csspgo_inliner_call *)calloc(MAX_FUNCS * MAX_CODE, sizeof *c->call);
    if (c->callable == NULL || c->call == NULL) abort();
    memset(c->func, 0, sizeof c->func);
    for (f = 0; f < p->count; f++) c->func[f] = csspgo_func_find(profile, p->f[f].name, strlen(p->f[f].name));
    for (f = 0; f < p->count; f++) {
        csspgo_inliner_code *to = &c->callable[c->func[f].id];
        if (c->func[f].id == 0) continue;
        to->size = p->f[f].count;
        to->calls = call;
        for (i = 0; i < p->f[f].count; i++) {
            const insn *n = &p->f[f].code[i];
            if (n->op == OP_CALL && c->func[n->target].id != 0) call[to->call_count].target = c->func[n->target];
            else if (n->op != OP_ICALL) continue;
            call[to->call_count++].loc = csspgo_loc_at(n->site, 0);
        }
        call += to->call_count;
    }
}

static void catalog_free(catalog *c)
{
    free(c->callable);
    free(c->call);
}

static uint64_t key_mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

/* A key for each decision: what is called at which call site, in what was inlined where, in function f. */
static void decision_keys(tier2 *r, const catalog *c, uint32_t f, const csspgo_inliner_decision *d, size_t n)
{
    uint64_t key[MAX_DECISIONS + 1];
    uint32_t callee;
    size_t i;
    key[0] = key_mix(0, f + 1);
    for (i = 0; i < n; i++) {
        for (callee = 0; c->func[callee].id != d[i].callee.id; callee++) {}
        key[i + 1] = key_mix(key[d[i].parent], (uint64_t)d[i].loc.line << 32 | callee << 1);
        if (r->keys + 2 > MAX_KEYS) abort();
        if (d[i].inlined) r->key[r->keys++] = key[i + 1];
        if (d[i].guarded) r->key[r->keys++] = key[i + 1] + 1;
    }
}

/* Compiles one function as the tracker decides. What has no counts stays as it is. */
static csspgo_status compile_hot(engine *g, csspgo_tracker *t, const catalog *c, uint32_t f, int way, tier2 *result)
{
    csspgo_inliner_options how;
    csspgo_inliner_decision *d = (csspgo_inliner_decision *)calloc(MAX_DECISIONS, sizeof *d);
    csspgo_status s;
    csspgo_inliner_result made;
    plan plan;
    size_t i;
    if (d == NULL) abort();
    memset(&made, 0, sizeof made);
    memset(&plan, 0, sizeof plan);
    memset(&how, 0, sizeof how);
    how.context_less = way == CONTEXT_LESS;
    how.budget = &result->budget;     /* is what limits growth, for all functions together */
    how.min_size = how.max_size = 1u << 20;
    made.decision = d;
    made.cap = MAX_DECISIONS;
    if (way == PLAIN) s = csspgo_tracker_base(t, c->func[f], 1, &made.base, NULL);
    else s = csspgo_tracker_decide(t, c->func[f], c->callable, c->count, &how, &made, NULL);
    plan.profile = csspgo_tracker_profile(t);
    plan.tracker = t;
    plan.func = c->func;
    plan.base = made.base;
    plan.decision = d;
    plan.decisions = made.count;
    if (s == CSSPGO_OK && csspgo_total(plan.profile, plan.base) != 0 && compile(g, f, 2, &plan)) {
        result->functions++;
        for (i = 0; i < plan.decisions; i++) {
            result->inlined += d[i].inlined;
            result->promoted += d[i].guarded;
        }
        decision_keys(result, c, f, d, plan.decisions);
    }
    free(d);
    return s;
}

static int key_order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* What stays in tier 1 need not count any more. Where memory for code is exhausted it goes on, which does no harm. */
static void stop_counting(engine *g)
{
    plan nothing;
    uint32_t f;
    memset(&nothing, 0, sizeof nothing);
    for (f = 0; f < g->p->count && g->counts != NULL; f++)
        if (has_code(g, f) && g->piece[g->of[f]].tier == 1) compile(g, f, 1, &nothing);
}

/*
 * Compiles again what ran, callers first, on a copy of the profile. If memory is exhausted the rest stays tier-1 code,
 * which is as right. Nothing of the program may be running; samples must have been handed over.
 */
csspgo_status tier_up(engine *g, csspgo_profile *profile, int way, uint32_t budget, tier2 *result)
{
    csspgo_error e;
    csspgo_tracker *t = csspgo_tracker_new(profile, NULL, &e);
    csspgo_func order[MAX_FUNCS * 2];
    csspgo_status s;
    catalog c;
    plan nothing;
    size_t count = 0, i;
    uint32_t f;
    memset(result, 0, sizeof *result);
    memset(&nothing, 0, sizeof nothing);
    result->budget = budget;
    g->counted = 0;
    if (t == NULL) return e.status;
    for (f = 0; f < g->p->count; f++)
        if (!has_code(g, f) && !compile(g, f, 1, &nothing)) abort();
    s = csspgo_tracker_compile_order(t, NULL, 0, order, MAX_FUNCS * 2, &count, NULL);
    catalog_make(&c, g->p, csspgo_tracker_profile(t));
    for (i = 0; i < count && i < MAX_FUNCS * 2 && s == CSSPGO_OK; i++)
        for (f = 0; f < g->p->count; f++)
            if (c.func[f].id == order[i].id) {
                s = compile_hot(g, t, &c, f, way, result);
                break;
            }
    drop_unreachable(g);
    stop_counting(g);
    qsort(result->key, result->keys, sizeof *result->key, key_order);
    catalog_free(&c);
    csspgo_tracker_free(t);
    return s;
}

uint32_t budget_of(const workload *w, const program *p)
{
    uint32_t size = 0, f;
    for (f = 0; f < p->count; f++) size += p->f[f].count;
    return w->budget != 0 ? w->budget : 4 * size;
}

#endif
