/* ctx_agree.c - an inliner's decisions from exact counts and from samples of the same run, side by side
 *     ctx_agree [--least PERCENT] NAME TABLE EXACT.ctxp [SAMPLES.prof LABEL]...    prints a row for each profile of samples
 *     ctx_agree ... [--root FUNCTION SAMPLES.prof LABEL]...    the same, with exact counts below FUNCTION only, and samples
 *                                                              elsewhere: csspgo_ctx_combine
 *
 * Each profile goes through one inliner: csspgo_tracker_decide on all functions in csspgo_tracker_compile_order's
 * order, with LLVM's thresholds and a budget of the program's size. A function has 6 instructions for each probe, and
 * an instruction costs 5, as in LLVM. Every context that the exact profile has is a call: did the inliner put the
 * callee into the code that makes this call? The columns:
 *     contexts   of the exact profile, with recursion compressed, and the share of them that the samples have
 *     overlap    of the counts of blocks in contexts: sum of min(p, q), each profile's counts normalized to sum 1
 *     inlined    calls that the exact profile's inliner and the other one inline, of all calls
 *     equal      decisions, by contexts and weighted by calls
 * The last row has the exact counts, but the inliner judges without contexts.
 * Exit status 1: in a row of samples less than PERCENT of the calls have equal decisions. */
#include "ctx_table.h"
#include "ctx_nodes.h"

enum { PER_PROBE = 6, COST = 5 };

typedef struct choices {           /* inlined calls: hashes of the paths to them from a compiled function; ascending */
    uint64_t *v;
    size_t    n;
} choices;

/* The path that ends with this call. */
static uint64_t step(uint64_t path, csspgo_loc loc, uint64_t guid)
{
    uint64_t x = (path ^ loc.line * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 31 ^ guid) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 29;
}

static int by_path(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t guid_of(const csspgo_profile *p, csspgo_func f)
{
    return csspgo_func_guid(p, f);
}

static void *must(void *p)
{
    if (p == NULL) table_die("out of memory");
    return p;
}

/* What the inliner must know of each function, by its id in p. */
static csspgo_inliner_code *callables(const table *t, csspgo_profile *p, size_t *count, uint64_t *size)
{
    csspgo_inliner_code *c;
    size_t i, k;
    for (i = 0; i < t->functions; i++) csspgo_func_add(p, t->function[i].name, t->function[i].name_size);
    *count = csspgo_func_count(p) + 1;
    *size = 0;
    c = (csspgo_inliner_code *)must(calloc(*count, sizeof *c));
    for (i = 0; i < t->functions; i++) {
        const csspgo_ctx_function *f = &t->function[i];
        csspgo_inliner_code *to = &c[csspgo_func_add(p, f->name, f->name_size).id];
        csspgo_inliner_call *calls = (csspgo_inliner_call *)must(calloc(f->sites + 1, sizeof *calls));
        for (k = 0; k < f->sites; k++) {
            const char *name = t->target[i][k];
            calls[k].loc = f->site[k];
            if (name != NULL) calls[k].target = csspgo_func_find(p, name, strlen(name));
            if (name != NULL && calls[k].target.id == 0) continue;       /* a library's */
            calls[to->call_count++] = calls[k];
        }
        to->calls = calls;
        to->size = (uint32_t)(f->counters + f->sites) * PER_PROBE;
        to->cost = to->size * COST;
        *size += to->size;
    }
    return c;
}

/* All that the inliner does with p. */
static choices inline_all(const table *t, csspgo_profile *p, uint32_t context_less)
{
    csspgo_inliner_options how;
    csspgo_inliner_decision *out = (csspgo_inliner_decision *)must(calloc(100000, sizeof *out));
    uint64_t budget, *path = (uint64_t *)must(calloc(100000, sizeof *path));
    csspgo_tracker *tracker;
    csspgo_inliner_code *c;
    csspgo_error e;
    csspgo_func *order;
    choices all;
    csspgo_inliner_result made;
    size_t n, functions, i, k;
    made.decision = out;
    made.cap = 100000;
    memset(&how, 0, sizeof how);
    memset(&all, 0, sizeof all);
    c = callables(t, p, &n, &budget);
    how.context_less = context_less;
    how.budget = &budget;
    tracker = csspgo_tracker_new(p, NULL, &e);
    if (tracker == NULL) table_die(e.message);
    order = (csspgo_func *)must(calloc(n, sizeof *order));
    if (csspgo_tracker_compile_order(tracker, NULL, 0, order, n, &functions, &e) != CSSPGO_OK) table_die(e.message);
    for (i = 0; i < functions; i++) {
        if (csspgo_tracker_decide(tracker, order[i], c, n, &how, &made, &e) != CSSPGO_OK)
            table_die(e.message);
        for (k = 0; k < made.count; k++) {
            path[k] = step(out[k].parent != 0 ? path[out[k].parent - 1] : guid_of(p, order[i]), out[k].loc,
                           guid_of(p, out[k].callee));
            if (!out[k].inlined) continue;
            all.v = (uint64_t *)table_more(all.v, all.n, sizeof *all.v);
            all.v[all.n++] = path[k];
        }
    }
    if (all.n != 0) qsort(all.v, all.n, sizeof *all.v, by_path);
    for (i = 0; i < n; i++) free((void *)(size_t)c[i].calls);
    free(c);
    free(order);
    free(out);
    free(path);
    csspgo_tracker_free(tracker);
    return all;
}

static int chosen(const choices *all, uint64_t path)
{
    return all->n != 0 && bsearch(&path, all->v, all->n, sizeof path, by_path) != NULL;
}

typedef struct agreement {
    uint64_t contexts, equal_contexts, calls, equal_calls, inlined[2];
} agreement;

/* Every call of the exact profile, in its context: the path in the code that makes it, by each inliner's choices. */
static agreement compare(const csspgo_profile *exact, const choices *a, const choices *b)
{
    uint64_t *path[2];
    agreement r;
    csspgo_node n = csspgo_root(exact), up;
    int k;
    memset(&r, 0, sizeof r);
    for (k = 0; k < 2; k++) path[k] = (uint64_t *)must(calloc(csspgo_node_count(exact) + 2, sizeof **path));
    while ((n = csspgo_node_next(exact, csspgo_root(exact), n)).id != 0) {
        const uint64_t guid = guid_of(exact, csspgo_node_func(exact, n)), calls = csspgo_head(exact, n);
        int in[2] = { 0, 0 };
        up = csspgo_node_parent(exact, n);
        for (k = 0; k < 2; k++) {
            const uint64_t at = step(path[k][up.id], csspgo_node_loc(exact, n), guid);
            in[k] = up.id != csspgo_root(exact).id && chosen(k == 0 ? a : b, at);
            path[k][n.id] = in[k] ? at : guid;
        }
        if (up.id == csspgo_root(exact).id || calls == 0) continue;
        r.contexts++;
        r.calls += calls;
        r.equal_contexts += in[0] == in[1];
        r.equal_calls += in[0] == in[1] ? calls : 0;
        for (k = 0; k < 2; k++) r.inlined[k] += in[k] ? calls : 0;
    }
    free(path[0]);
    free(path[1]);
    return r;
}

/* The counts of blocks only: the exact profile has none for calls of libraries. */
static csspgo_profile *only_blocks(const table *t, const csspgo_profile *p)
{
    csspgo_profile *q = (csspgo_profile *)must(csspgo_profile_new(NULL, NULL));
    csspgo_node n = csspgo_root(p), *to = (csspgo_node *)must(calloc(csspgo_node_count(p) + 2, sizeof *to));
    size_t i, k, count;
    csspgo_profile_set_flags(q, CSSPGO_IS_CS);
    to[n.id] = csspgo_root(q);
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0) {
        const csspgo_body *b = csspgo_get_bodies(p, n, &count);
        size_t size;
        const char *name = csspgo_func_name(p, csspgo_node_func(p, n), &size);
        to[n.id] = csspgo_node_add(q, to[csspgo_node_parent(p, n).id], csspgo_node_loc(p, n), CSSPGO_CONTEXT,
                                   csspgo_func_add(q, name, size));
        for (i = 0; i < t->functions; i++)
            if (t->function[i].name_size == size && memcmp(t->function[i].name, name, size) == 0) break;
        for (; count != 0; count--, b++) {
            int is_block = 0;
            for (k = 0; i < t->functions && k < t->function[i].counters; k++)
                is_block |= t->function[i].counter[k].line == b->loc.line;
            if (is_block) csspgo_add_body(q, to[n.id], b->loc, b->count);
        }
    }
    csspgo_recount_totals(q);
    free(to);
    return q;
}

/* How many contexts of exact with calls the other profile has. */
static uint64_t found(const csspgo_profile *exact, const csspgo_profile *p)
{
    csspgo_node n = csspgo_root(exact);
    char text[20000];
    uint64_t count = 0;
    while ((n = csspgo_node_next(exact, csspgo_root(exact), n)).id != 0) {
        if (csspgo_node_parent(exact, n).id == csspgo_root(exact).id || csspgo_head(exact, n) == 0) continue;
        csspgo_context_text(exact, n, text, sizeof text);
        count += csspgo_has_record(p, csspgo_find(p, text));
    }
    return count;
}

static int row(const char *name, const char *what, const table *t, const csspgo_profile *exact, const choices *want,
               csspgo_profile *p, int is_combined, int least)
{
    csspgo_profile *a = only_blocks(t, exact), *b = only_blocks(t, p);
    const uint64_t have = found(exact, p);
    const choices got = inline_all(t, p, least < 0);
    const agreement r = compare(exact, want, &got);
    const double calls = (double)r.calls / 100, contexts = (double)r.contexts / 100;
    csspgo_quality q;
    csspgo_error e;
    if (csspgo_compare_blocks(a, b, NULL, &q, NULL, 0, NULL, &e) != CSSPGO_OK) table_die(e.message);
    printf("| %-5s | %-33s | %8.0f |", name, what, (double)r.contexts);
    if (is_combined) printf("         |         |");             /* the root's contexts have lost their callers */
    else printf(" %5.1f %% | %5.1f %% |", (double)have / contexts, 100 * q.context_overlap);
    printf(" %5.1f %% / %5.1f %% | %5.1f %% | %5.1f %% |\n", (double)r.inlined[0] / calls, (double)r.inlined[1] / calls,
           (double)r.equal_contexts / contexts, (double)r.equal_calls / calls);
    csspgo_profile_free(a);
    csspgo_profile_free(b);
    free(got.v);
    return (double)r.equal_calls >= calls * least;
}

/* What instrumentation with another root would have counted: the trees below the outermost calls of the function. */
static csspgo_ctx *below(const csspgo_ctx *c, uint64_t guid)
{
    csspgo_ctx *q = (csspgo_ctx *)must(csspgo_ctx_new(NULL, NULL));
    csspgo_node n = ctx_top(c), *to = (csspgo_node *)must(calloc(TABLE_FUNCTIONS * 1000, sizeof *to));
    while ((n = ctx_next(c, n)).id != 0) {
        const csspgo_node up = to[ctx_parent(c, n).id];
        size_t count;
        const uint64_t *v = csspgo_ctx_get_counters(c, n, &count);
        csspgo_error e;
        if (ctx_kind_of(c, n) == CTX_UNHANDLED) continue;
        if (up.id == 0 && ctx_guid(c, n) != guid) continue;
        to[n.id] = up.id == 0 ? ctx_add(q, ctx_top(q), CTX_ROOT, 0, guid, v, count, &e)
                              : ctx_add(q, up, CTX_CALLEE, ctx_site(c, n), ctx_guid(c, n), v,
                                               count, &e);
        if (to[n.id].id == 0) table_die(e.message);
    }
    free(to);
    return q;
}

/* The samples with exact counts below a function. */
static void combine(const table *t, const char *path, const char *root, csspgo_profile *p)
{
    csspgo_ctx *c = (csspgo_ctx *)must(csspgo_ctx_new(NULL, NULL)), *part;
    csspgo_ctx_combine_options how;
    csspgo_ctx_combine_stats s;
    csspgo_error e;
    size_t i;
    if (csspgo_ctx_read_file(c, path, NULL, &e) != CSSPGO_OK) table_die(e.message);
    for (i = 0; i < t->functions && strcmp(t->function[i].name, root) != 0; i++) {}
    if (i == t->functions) table_die("no such root");
    part = below(c, t->function[i].guid);
    memset(&how, 0, sizeof how);
    how.max_cycle = UINT32_MAX;
    if (csspgo_ctx_combine(part, t->function, t->functions, &how, p, &s, &e) != CSSPGO_OK) table_die(e.message);
    fprintf(stderr, "%s: %llu contexts with exact counts, %llu with samples; %llu in common, factor %.3f\n", root,
            (unsigned long long)s.exact, (unsigned long long)s.sampled, (unsigned long long)s.common,
            (double)s.num / (double)s.den);
    csspgo_ctx_free(part);
    csspgo_ctx_free(c);
}

int main(int argc, char **argv)
{
    const int with_least = argc > 2 && strcmp(argv[1], "--least") == 0, least = with_least ? atoi(argv[2]) : 0;
    char **arg = argv + 1 + 2 * with_least;
    csspgo_profile *exact, *p;
    csspgo_error e;
    choices want;
    table *t;
    int i, good = 1, n = argc - 1 - 2 * with_least;
    if (n < 3) return 2;
    t = table_read(arg[1]);
    exact = table_profile(t, arg[2]);
    if (csspgo_compress_recursion(exact, UINT32_MAX, &e) != CSSPGO_OK) table_die(e.message);
    want = inline_all(t, exact, 0);
    for (i = 3; i + 1 < n; i += 2) {
        const char *root = strcmp(arg[i], "--root") == 0 ? arg[i + 1] : NULL;
        if (root != NULL) i += 2;
        if (i + 1 >= n) return 2;
        p = csspgo_load_file(arg[i], NULL, &e);
        if (p == NULL) table_die(e.message);
        if (root != NULL) combine(t, arg[2], root, p);
        if (csspgo_compress_recursion(p, UINT32_MAX, &e) != CSSPGO_OK) table_die(e.message);
        good &= row(arg[0], arg[i + 1], t, exact, &want, p, root != NULL, least);
        csspgo_profile_free(p);
    }
    p = csspgo_profile_clone(exact, &e);
    row(arg[0], "exact counts, no contexts", t, exact, &want, p, 0, -1);
    csspgo_profile_free(p);
    csspgo_profile_free(exact);
    free(want.v);
    return !good;
}
