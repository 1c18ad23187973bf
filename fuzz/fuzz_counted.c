/* fuzz_counted.c - the runtime of instrumented code as a program of calls, in one thread that plays several: roots are
 * entered and left, calls announced or not, signal handlers interrupt, stacks unwind; snapshots, dumps and resets come
 * in between; allocations fail.
 *
 * Beside it a model: a plain list of paths with their counts. Law: what a snapshot holds is what the model counted, and
 * what a dump says when it is read is what the snapshot holds. */
#define _POSIX_C_SOURCE 200809L
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include <unistd.h>
#include "fuzz.h"

enum { THREADS = 3, FUNCTIONS = 7, ROOTS = 3, DEPTH = 24, CELLS = 4096, STEPS = 600, SIGNALS = 3 };

/* ----- the model ----- */

typedef struct cell {                         /* one function on one path */
    unsigned parent, site, function;          /* parent: index; 0: the top. site: UINT_MAX: unhandled, - 1: flat */
    uint64_t count[3];
} cell;

typedef struct frame {                        /* a call that is running */
    csspgo_ctx_ref at;
    unsigned       function, cell;            /* cell 0: nobody reads its counts */
    int            root;                      /* it was entered as a root */
} frame;

typedef struct interrupted {                  /* what a signal handler interrupts */
    csspgo_ctx_signal s;
    unsigned          depth, announced, site, caller;
} interrupted;

typedef struct worker {
    csspgo_ctx_thread t;
    frame             stack[DEPTH];
    unsigned          depth, root, unknown;   /* root: cell of the outermost root that it counts under; 0: none     */
    unsigned          announced, site, caller;/* function + 1 of a pending call, and where it is                    */
    int               flat, away;             /* away: it is below a root whose trees others have                   */
    interrupted       saved[SIGNALS];
    unsigned          signals;
} worker;

typedef struct world {
    counted             heap;
    csspgo_ctx_runtime *r;
    csspgo_ctx_root    *root[ROOTS];
    csspgo_ctx_root_options how[ROOTS];
    unsigned            busy[ROOTS];          /* trees that threads hold      */
    worker              w[THREADS];
    cell                cells[CELLS];
    unsigned            count;
    int                 lossy;                /* memory was short, or a limit was reached: counts may be missing */
} world;

static const char code[FUNCTIONS + 1];        /* its addresses are those of functions */

static csspgo_ctx_fn function(unsigned i)
{
    csspgo_ctx_fn f;
    f.guid = 1000 + i;
    f.address = code + i;
    f.counters = i == 6 ? 70 : 1 + i % 3;
    f.sites = i % 4;
    return f;
}

/* A cell of the model, made if it is not there. */
static unsigned cell_at(world *w, unsigned parent, unsigned site, unsigned fn)
{
    unsigned i;
    for (i = 1; i < w->count; i++)
        if (w->cells[i].parent == parent && w->cells[i].site == site && w->cells[i].function == fn) return i;
    if (w->count == CELLS) return 0;
    memset(&w->cells[w->count], 0, sizeof *w->cells);
    w->cells[w->count].parent = parent;
    w->cells[w->count].site = site;
    w->cells[w->count].function = fn;
    return w->count++;
}

#define UNHANDLED UINT32_MAX
#define FLAT (UINT32_MAX - 1)

/* ----- calls ----- */

static void push(world *w, worker *k, csspgo_ctx_ref at, unsigned fn, unsigned at_cell, int root)
{
    frame *f = &k->stack[k->depth++];
    f->at = at;
    f->function = fn;
    f->cell = at_cell;
    f->root = root;
    if (at_cell != 0) w->cells[at_cell].count[0]++;
    k->announced = 0;
}

/* The number of calls that a signal handler interrupted: it cannot return from these. */
static unsigned bottom(const worker *k)
{
    return k->signals != 0 ? k->saved[k->signals - 1].depth : 0;
}

/* Announces a call at a site of the innermost function, if it has one. */
static void announce(worker *k, unsigned site, unsigned fn)
{
    const csspgo_ctx_fn callee = function(fn);
    csspgo_ctx_fn caller;
    const frame *f;
    if (k->depth == bottom(k)) return;
    f = &k->stack[k->depth - 1];
    caller = function(f->function);
    if (caller.sites == 0 || f->at == 0) return;
    csspgo_ctx_call(&k->t, f->at, &caller, site % caller.sites, callee.address);
    if (f->at & 1) return;
    k->announced = fn + 1;
    k->site = site % caller.sites;
    k->caller = f->cell;
}

static void enter(world *w, worker *k, unsigned fn)
{
    const csspgo_ctx_fn f = function(fn);
    csspgo_ctx_ref at;
    unsigned c = 0;
    if (k->depth == DEPTH) return;
    if (k->signals == 0) {
        if (k->announced == fn + 1 && k->caller != 0) c = cell_at(w, k->caller, k->site, fn);
        else if (k->root != 0) c = cell_at(w, k->root, UNHANDLED, fn);
        else if (k->flat && !k->away) c = cell_at(w, 0, FLAT, fn);
    }
    at = csspgo_ctx_enter(&k->t, &f);
    REQUIRE(at != 0 || w->lossy || k->signals != 0);      /* a handler may not allocate */
    push(w, k, at, fn, c, 0);
}

static void enter_root(world *w, worker *k, unsigned i)
{
    csspgo_ctx_ref at;
    unsigned c = 0;
    if (k->depth == DEPTH) return;
    if (k->t.depth != 0 || k->signals != 0) {             /* an ordinary callee: it is function i, declared as a root */
        if (k->signals == 0 && k->announced == i + 1 && k->caller != 0) c = cell_at(w, k->caller, k->site, i);
        else if (k->signals == 0 && k->root != 0) c = cell_at(w, k->root, UNHANDLED, i);
        at = csspgo_ctx_root_enter(&k->t, w->root[i]);
    } else {
        const uint64_t away = k->t.turned_away;
        const unsigned trees = w->how[i].shards != 0 ? w->how[i].shards : THREADS;
        at = csspgo_ctx_root_enter(&k->t, w->root[i]);
        if (k->t.tree != NULL) {
            REQUIRE(w->busy[i] < trees && k->t.turned_away == away);
            w->busy[i]++;
            k->root = c = cell_at(w, 0, i, i);
        } else {
            REQUIRE(w->busy[i] == trees || w->lossy);
            k->away = 1;
        }
    }
    push(w, k, at, i, c, 1);
}

/* The tree of the outermost root becomes free. */
static void left(world *w, worker *k, unsigned i)
{
    if (k->t.depth != 0 || k->signals != 0) return;
    if (k->root != 0) w->busy[i]--;
    k->root = 0;
    k->away = 0;
}

static void leave(world *w, worker *k)
{
    const frame *f;
    if (k->depth == bottom(k)) return;
    f = &k->stack[--k->depth];
    if (f->root) {
        csspgo_ctx_root_leave(&k->t);
        k->announced = 0;
        left(w, k, f->function);
    }
}

static void count(world *w, worker *k, unsigned i, uint64_t step)
{
    const frame *f = k->depth != 0 ? &k->stack[k->depth - 1] : NULL;
    if (f == NULL || f->at == 0) return;
    i %= function(f->function).counters;
    csspgo_ctx_count(f->at, i, step);
    if (f->cell != 0 && i < 3) w->cells[f->cell].count[i] += step;
}

/* Returns from all calls but some at once, as by longjmp. */
static void unwind(world *w, worker *k, unsigned keep)
{
    csspgo_ctx_mark mark;
    unsigned i, roots = 0, outer = 0;
    if (keep > k->depth) keep = k->depth;
    if (keep < bottom(k)) keep = bottom(k);
    for (i = keep; i < k->depth; i++) roots += k->stack[i].root != 0;
    for (i = k->depth; i-- != 0;) if (k->stack[i].root) outer = k->stack[i].function;
    mark = csspgo_ctx_thread_mark(&k->t);
    mark.depth -= roots;
    csspgo_ctx_thread_unwind(&k->t, mark);
    REQUIRE(k->t.depth == mark.depth);
    k->depth = keep;
    k->announced = 0;
    if (roots != 0) left(w, k, outer);
}

static void interrupt(worker *k)
{
    interrupted *i = &k->saved[k->signals];
    if (k->signals == SIGNALS) return;
    i->depth = k->depth;
    i->announced = k->announced;
    i->site = k->site;
    i->caller = k->caller;
    csspgo_ctx_signal_enter(&k->t, &i->s);
    k->signals++;
    k->announced = 0;
}

static void resume(world *w, worker *k)
{
    const interrupted *i;
    if (k->signals == 0) return;
    while (k->depth != bottom(k)) leave(w, k);
    i = &k->saved[--k->signals];
    csspgo_ctx_signal_leave(&k->t, &i->s);
    k->announced = i->announced;
    k->site = i->site;
    k->caller = i->caller;
}

/* ----- what was counted ----- */

static csspgo_ctx *empty(counted *c)
{
    csspgo_options o;
    csspgo_ctx *p;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = c;
    p = csspgo_ctx_new(&o, NULL);
    REQUIRE(p != NULL);
    return p;
}

/* The node of a cell of the model, or id 0. */
static csspgo_node node_of(const world *w, const csspgo_profile *tree, unsigned c)
{
    unsigned path[DEPTH + 2], n = 0;
    csspgo_node at = csspgo_root(tree);
    for (; c != 0 && n < DEPTH + 2; c = w->cells[c].parent) path[n++] = c;
    while (n-- != 0 && at.id != 0) {
        const cell *x = &w->cells[path[n]];
        const csspgo_func f = csspgo_func_find_guid(tree, 1000 + x->function);
        const csspgo_node_kind kind = x->site == UNHANDLED ? CSSPGO_INLINEE : x->site == FLAT ? CSSPGO_PLAIN
                                                                                              : CSSPGO_CONTEXT;
        const int is_callee = x->parent != 0 && kind == CSSPGO_CONTEXT;
        const csspgo_loc loc = is_callee ? csspgo_ctx_site(x->site) : csspgo_loc_at(0, 0);
        at = csspgo_child(tree, at, loc, kind, f);
    }
    return at;
}

static int is_busy(const world *w)
{
    unsigned i;
    for (i = 0; i < ROOTS; i++) if (w->busy[i] != 0) return 1;
    return 0;
}

/* Every cell of the model is there with its counts, and nothing else is. */
static void is_counted(const world *w, const csspgo_ctx *p)
{
    const csspgo_profile *tree = csspgo_ctx_contexts(p);
    const csspgo_ctx_stats s = csspgo_ctx_get_stats(p);
    uint64_t want = 0, got = 0;
    csspgo_node n;
    size_t k;
    unsigned i, j;
    for (i = 1; i < w->count; i++) {
        const cell *x = &w->cells[i];
        const uint64_t *v;
        n = node_of(w, tree, i);
        if (x->count[0] == 0) continue;
        REQUIRE(n.id != 0 && (v = csspgo_ctx_get_counters(p, n, &k)) != NULL);
        REQUIRE(k == function(x->function).counters);
        for (j = 0; j < 3 && j < k; j++) REQUIRE(v[j] == x->count[j]);
        want += x->count[0];
    }
    for (n = csspgo_root(tree); (n = csspgo_node_next(tree, csspgo_root(tree), n)).id != 0;)
        got += csspgo_ctx_get_counters(p, n, &k)[0];
    REQUIRE(got == want);
    REQUIRE(s.roots + s.callees + s.unhandled + s.flat == csspgo_node_count(tree));
}

static void is_same(const csspgo_ctx *p, const csspgo_ctx *q)
{
    csspgo_ctx_write_options how;
    size_t n, k;
    char *a, *b;
    memset(&how, 0, sizeof how);
    how.form = CSSPGO_CTX_YAML;
    csspgo_ctx_write(p, &how, NULL, 0, &n, NULL);
    csspgo_ctx_write(q, &how, NULL, 0, &k, NULL);
    a = (char *)malloc(n + 1);
    b = (char *)malloc(k + 1);
    REQUIRE(a != NULL && b != NULL && csspgo_ctx_write(p, &how, a, n, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_ctx_write(q, &how, b, k, NULL, NULL) == CSSPGO_OK && n == k && memcmp(a, b, n) == 0);
    free(a);
    free(b);
}

/* The node of r with the same context. */
static csspgo_node twin(const csspgo_ctx *p, csspgo_node n, const csspgo_ctx *r)
{
    const csspgo_profile *a = csspgo_ctx_contexts(p), *b = csspgo_ctx_contexts(r);
    csspgo_node path[DEPTH + 2], at = csspgo_root(b);
    unsigned depth = 0;
    for (; n.id != 1; n = csspgo_node_parent(a, n)) path[depth++] = n;
    while (depth-- != 0)
        at = csspgo_child(b, at, csspgo_node_loc(a, path[depth]), csspgo_node_kind_of(a, path[depth]),
                          csspgo_func_find_guid(b, csspgo_func_guid(a, csspgo_node_func(a, path[depth]))));
    return at;
}

static void dump(world *w, const csspgo_ctx *p, size_t busy)
{
    csspgo_ctx *q = empty(&w->heap), *r = empty(&w->heap);
    size_t size, left_out;
    char *data;
    REQUIRE(csspgo_ctx_dump(w->r, NULL, NULL, 0, &size, &left_out, NULL) == CSSPGO_OK && left_out == busy);
    data = (char *)malloc(size + 1);
    REQUIRE(data != NULL && csspgo_ctx_dump(w->r, NULL, data, size, &size, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_ctx_read(q, data, size, NULL, NULL) == CSSPGO_OK);
    is_same(p, q);
    if (size > 8) {
        REQUIRE(csspgo_ctx_read(r, data, size - 1, NULL, NULL) != CSSPGO_OK);
        data[size / 2] ^= 64;
        csspgo_ctx_read(r, data, size, NULL, NULL);
    }
    free(data);
    csspgo_ctx_free(q);
    csspgo_ctx_free(r);
}

/* Through files, and node by node into another profile: the same. */
static void is_kept(const csspgo_ctx *p, world *w)
{
    char path[] = "/tmp/csspgo.fuzz.XXXXXX";
    const csspgo_profile *tree = csspgo_ctx_contexts(p);
    csspgo_ctx *q = empty(&w->heap), *r = empty(&w->heap);
    csspgo_ctx_write_options how;
    csspgo_node n = csspgo_root(tree);
    const int file = mkstemp(path);
    memset(&how, 0, sizeof how);
    how.keep_empty = 1;
    REQUIRE(file >= 0 && close(file) == 0);
    REQUIRE(csspgo_ctx_write_file(p, path, &how, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_ctx_read_file(q, path, NULL, NULL) == CSSPGO_OK);
    is_same(p, q);
    csspgo_ctx_free(q);
    q = empty(&w->heap);
    REQUIRE(csspgo_ctx_dump_file(w->r, path, NULL, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_ctx_read_file(q, path, NULL, NULL) == CSSPGO_OK);
    is_same(p, q);
    REQUIRE(remove(path) == 0 && csspgo_ctx_read_file(q, path, NULL, NULL) == CSSPGO_E_IO);
    REQUIRE(csspgo_ctx_write_file(p, "/nowhere/at/all", &how, NULL) == CSSPGO_E_IO);
    while ((n = csspgo_node_next(tree, csspgo_root(tree), n)).id != 0) {
        const csspgo_node parent = csspgo_node_parent(tree, n);
        size_t count;
        const uint64_t *counter = csspgo_ctx_get_counters(p, n, &count);
        const csspgo_node to = parent.id == 1 ? csspgo_root(csspgo_ctx_contexts(r)) : twin(p, parent, r);
        const uint64_t guid = csspgo_func_guid(tree, csspgo_node_func(tree, n));
        const csspgo_node_kind kind = csspgo_node_kind_of(tree, n);
        const csspgo_loc loc = csspgo_node_loc(tree, n);
        const csspgo_node made = csspgo_ctx_add(r, to, loc, kind, guid, counter, count, NULL);
        REQUIRE(made.id != 0 && csspgo_ctx_add(r, to, loc, kind, guid, counter, count + 1, NULL).id == 0);
        if (parent.id == 1 && kind == CSSPGO_CONTEXT)
            REQUIRE(csspgo_ctx_set_entry_count(r, made, csspgo_ctx_entry_count(p, n)) == CSSPGO_OK);
        else REQUIRE(csspgo_ctx_set_entry_count(r, made, 1) == CSSPGO_E_ARGUMENT);
    }
    is_same(p, r);
    csspgo_ctx_free(q);
    csspgo_ctx_free(r);
}

static void snapshot(world *w, worker *k, unsigned b)
{
    const size_t fails_at = w->heap.fail_at;
    csspgo_ctx *p;
    csspgo_ctx_busy_options how;
    size_t busy = 0;
    csspgo_status s;
    unsigned i, held = 0;
    memset(&how, 0, sizeof how);
    w->heap.fail_at = 0;
    p = empty(&w->heap);
    w->heap.fail_at = fails_at;
    if (b & 1) how.self = &k->t;
    for (i = 0; i < ROOTS; i++) held += w->busy[i];
    s = csspgo_ctx_snapshot(w->r, b & 1 ? &how : NULL, p, &busy, NULL);
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && w->heap.fail_at != 0));
    w->heap.fail_at = 0;
    if (s == CSSPGO_OK) {
        REQUIRE(csspgo_validate(csspgo_ctx_contexts(p), NULL) == CSSPGO_OK);
        REQUIRE(busy <= held && (busy == held || (b & 1) || w->lossy));
        if (!is_busy(w) && !w->lossy) is_counted(w, p);
        if (!(b & 1)) dump(w, p, busy);
        if ((b & 3) == 2) is_kept(p, w);
    } else REQUIRE(csspgo_node_count(csspgo_ctx_contexts(p)) == 0);
    csspgo_ctx_free(p);
}

static void reset(world *w)
{
    unsigned i;
    for (i = 0; i < THREADS; i++) if (w->w[i].depth != 0 || w->w[i].signals != 0) return;
    REQUIRE(csspgo_ctx_reset(w->r, NULL) == 0);
    for (i = 0; i < w->count; i++) memset(w->cells[i].count, 0, sizeof w->cells[i].count);
}

/* ----- the program ----- */

static void operate(world *w, input *in)
{
    const unsigned op = byte(in), b = byte(in);
    worker *k = &w->w[(op >> 4) % THREADS];
    if (k->t.runtime == NULL) return;
    switch (op & 15) {
    case 0: case 1: enter_root(w, k, b % ROOTS); break;
    case 2: case 3: case 4:
        announce(k, b & 3, (b >> 2) % FUNCTIONS);
        enter(w, k, (b >> 2) % FUNCTIONS);
        break;
    case 5: enter(w, k, b % FUNCTIONS); break;
    case 6: announce(k, b & 3, (b >> 2) % FUNCTIONS); break;
    case 7: case 8: leave(w, k); break;
    case 9: count(w, k, b & 3, b >> 2); break;
    case 10: if (b & 1) interrupt(k); else resume(w, k); break;
    case 11: unwind(w, k, b % DEPTH); break;
    case 12: snapshot(w, k, b); break;
    case 13:
        if (k->signals == 0 && csspgo_ctx_thread_flat(&k->t, b & 1, NULL) == CSSPGO_OK) k->flat = b & 1;
        break;
    case 14: if (b < 64) reset(w); break;
    default:
        if (b < 128) break;
        w->heap.fail_at = w->heap.calls + 1 + b % 8;
        w->lossy = 1;
        return;
    }
    w->heap.fail_at = 0;
}

static int start(world *w, input *in)
{
    csspgo_options o;
    unsigned i;
    const unsigned mode = byte(in), limit = mode & 1 ? byte(in) : 0;      /* 2: roots with options */
    memset(w, 0, sizeof *w);
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &w->heap;
    o.limits.max_bytes = limit != 0 ? limit * 512u : 0;
    o.hash_seed = limit;
    w->lossy = limit != 0;
    w->count = 1;
    w->r = csspgo_ctx_runtime_new(&o, NULL);
    if (w->r == NULL) return 0;
    for (i = 0; i < ROOTS; i++) {
        const csspgo_ctx_fn f = function(i);
        const unsigned b = byte(in) & (mode & 2 ? 255 : 3);
        w->how[i].shards = b & 3;
        w->how[i].max_depth = b >> 2 & 1 ? 1 + (b >> 4 & 7) : 0;
        w->how[i].fold = b >> 3 & 1;
        w->how[i].max_bytes = b >> 7 ? 2000 : 0;
        w->how[i].contexts_only = b >> 6 & 1;
        if (b >> 2 & 1 || b >> 3 & 1 || b >> 6) w->lossy = 1;         /* other counts than the model's */
        w->root[i] = csspgo_ctx_root_new(w->r, &f, &w->how[i], NULL);
        if (w->root[i] == NULL) return 0;
    }
    for (i = 0; i < THREADS; i++) csspgo_ctx_thread_init(&w->w[i].t, w->r, i == 0 ? 4 : 80, NULL);
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world the_world;
    world *w = &the_world;
    input in;
    unsigned i, steps = 0;
    in.p = data;
    in.end = data + size;
    if (start(w, &in)) {
        while (in.p < in.end && ++steps < STEPS) operate(w, &in);
        w->heap.fail_at = 0;
        for (i = 0; i < THREADS; i++) {
            worker *k = &w->w[i];
            while (k->signals != 0) resume(w, k);
            while (k->depth != 0) leave(w, k);
            REQUIRE(k->t.depth == 0);
        }
        REQUIRE(!is_busy(w));
        snapshot(w, &w->w[0], 2);
        REQUIRE(csspgo_ctx_runtime_memory(w->r) <= w->heap.live);
        for (i = 0; i < THREADS; i++) csspgo_ctx_thread_free(&w->w[i].t);
    }
    csspgo_ctx_runtime_free(w->r);
    REQUIRE(w->heap.live == 0);
    return 0;
}
