/*
 * test_ctxrun.c - layer ctxprof: the runtime that instrumented code counts with.
 *
 * What LLVM's runtime (19, and main of 2025) and reader get wrong, and the tests that hold us to the contrary:
 *   1  a root inside itself is locked for ever       a_root_inside_itself_is_a_callee; oracle_ctxprof.sh: nest
 *   2  a root inside another one, too                another_root_inside_a_root_is_a_callee; oracle_ctxprof.sh: nest
 *   3  scratch: a call site is written half into     what_a_wrong_call_site_holds_is_not_followed; oracle_ctxprof.sh
 *      that of real code
 *   4  a large function writes past scratch memory   scratch_memory_grows
 *   5  another shape gets a cell that is too small   another_shape_is_dropped
 *   6  who lost a root stays "under a root"          the_loser_is_free_again
 *   7  a reset clears one unhandled cell only        a_reset_clears_all_unhandled_nodes
 *   8  what can be no root is never flat             functions_outside_roots_are_flat
 *   9  flattening multiplies by the entries          test_ctxprof.c: contexts_are_flattened
 *   10 records behind the known ones end a block     test_ctxprof.c: all_versions_are_read, unusual_files_are_...
 *   11 a version error has the wrong number          test_ctxprof.c: unusual_files_are_read_or_refused
 */
#ifndef _XOPEN_SOURCE
#  define _XOPEN_SOURCE 700
#endif
#include "t.h"
#include "ctx_nodes.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

/* ----- helpers: functions are constants; what calls what is said by the tests ----- */

static const char address[8] = "";

#define FN(name, guid, counters, sites) static const csspgo_ctx_fn name = { guid, &address[guid], counters, sites }

FN(root_fn, 1, 2, 3);
FN(mid_fn, 2, 2, 2);
FN(leaf_fn, 3, 1, 0);
FN(other_fn, 4, 3, 1);
FN(big_fn, 5, 1000, 1);

/* 1: flat nodes are read while another thread counts in them: counters are stored as a whole. */
#if defined(__GNUC__) && UINTPTR_MAX > UINT32_MAX
enum { WHOLE = 1 };
#else
enum { WHOLE = 0 };
#endif

typedef struct world {
    csspgo_ctx_runtime *r;
    csspgo_ctx_thread   t, u;     /* two threads, one after the other */
    csspgo_ctx_root    *root, *second;
} world;

static void begin_with(world *w, const csspgo_options *options, const csspgo_ctx_root_options *how)
{
    w->r = csspgo_ctx_runtime_new(options, NULL);
    if (w->r == NULL) abort();
    T_EQ(csspgo_ctx_thread_init(&w->t, w->r, 8, NULL), CSSPGO_OK);
    T_EQ(csspgo_ctx_thread_init(&w->u, w->r, 8, NULL), CSSPGO_OK);
    w->root = csspgo_ctx_root_new(w->r, &root_fn, how, NULL);
    w->second = csspgo_ctx_root_new(w->r, &other_fn, how, NULL);
    T_CHECK(w->root != NULL && w->second != NULL);
}

static void begin(world *w)
{
    begin_with(w, NULL, NULL);
}

/* A world whose roots have one tree: a second thread is turned away. */
static void begin_with_one_tree(world *w)
{
    csspgo_ctx_root_options how;
    memset(&how, 0, sizeof how);
    how.shards = 1;
    begin_with(w, NULL, &how);
}

static void end(world *w)
{
    csspgo_ctx_thread_free(&w->t);
    csspgo_ctx_thread_free(&w->u);
    csspgo_ctx_runtime_free(w->r);
}

/* Calls `to` at a call site and enters it. */
static csspgo_ctx_ref call(csspgo_ctx_thread *t, csspgo_ctx_ref at, const csspgo_ctx_fn *from, uint32_t site,
                           const csspgo_ctx_fn *to)
{
    csspgo_ctx_call(t, at, from, site, to->address);
    return csspgo_ctx_enter(t, to);
}

static int is_scratch(csspgo_ctx_ref at)
{
    return (int)(at & 1);
}

static csspgo_ctx *snapshot(csspgo_ctx_runtime *r, size_t expect_busy)
{
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    size_t busy = 99;
    if (c == NULL) abort();
    T_EQ(csspgo_ctx_snapshot(r, NULL, c, &busy, NULL), CSSPGO_OK);
    T_EQ(busy, expect_busy);
    return c;
}

/* The profile as text: "guid[counters]" with "(" "@site" callees ")", u and f for unhandled and flat; frees it. */
static void expect(csspgo_ctx *c, const char *want)
{
    char text[4096];
    size_t k = 0, count, i;
    csspgo_node n = ctx_top(c), up;
    uint32_t depth = 0, d;
    while ((n = ctx_next(c, n)).id != 0) {
        const uint64_t *v = csspgo_ctx_get_counters(c, n, &count);
        for (d = 0, up = ctx_parent(c, n); up.id > 1; up = ctx_parent(c, up)) d++;
        for (; depth > d; depth--) k += (size_t)sprintf(text + k, ")");
        if (depth < d) k += (size_t)sprintf(text + k, "(");
        depth = d;
        if (ctx_kind_of(c, n) == CTX_CALLEE)
            k += (size_t)sprintf(text + k, "@%u ", (unsigned)ctx_site(c, n));
        else if (ctx_kind_of(c, n) != CTX_ROOT)
            k += (size_t)sprintf(text + k, d != 0 ? "u " : "f ");
        k += (size_t)sprintf(text + k, "%u", (unsigned)ctx_guid(c, n));
        for (i = 0; i < count; i++) k += (size_t)sprintf(text + k, "%c%u", i != 0 ? ',' : '[', (unsigned)v[i]);
        if (ctx_kind_of(c, n) == CTX_ROOT)
            k += (size_t)sprintf(text + k, "/%u", (unsigned)csspgo_ctx_entry_count(c, n));
        k += (size_t)sprintf(text + k, "]");
    }
    for (; depth > 0; depth--) k += (size_t)sprintf(text + k, ")");
    t_same("a snapshot", text, k, want, strlen(want));
    csspgo_ctx_free(c);
}

/* ----- layout ----- */

static void places_are_those_of_llvm(void)
{
    const csspgo_ctx_thread *t = NULL;
    T_EQ(sizeof(csspgo_ctx_cell), 24);
    T_EQ(offsetof(csspgo_ctx_cell, guid), 0);
    T_EQ(offsetof(csspgo_ctx_cell, next), 8);
    T_EQ(offsetof(csspgo_ctx_cell, counters), 16);
    T_EQ(offsetof(csspgo_ctx_cell, sites), 20);
    T_EQ(sizeof(csspgo_ctx_link), 8);
    T_EQ(offsetof(csspgo_ctx_thread, expected), 0);
    T_EQ(offsetof(csspgo_ctx_thread, site), 2 * sizeof t);
    T_EQ(offsetof(csspgo_ctx_thread, tree), 4 * sizeof t);
}

/* ----- the rules of entering ----- */

static void calls_make_a_tree(void)
{
    world w;
    csspgo_ctx_ref a, b, c;
    int i;
    begin(&w);
    for (i = 0; i < 3; i++) {
        a = csspgo_ctx_root_enter(&w.t, w.root);
        csspgo_ctx_count(a, 1, 10);
        b = call(&w.t, a, &root_fn, 0, &mid_fn);
        c = call(&w.t, b, &mid_fn, 1, &leaf_fn);
        T_CHECK(!is_scratch(a) && !is_scratch(b) && !is_scratch(c));
        if (i != 0) call(&w.t, a, &root_fn, 0, &leaf_fn);          /* an indirect call: the newest comes first */
        if (i == 2) csspgo_ctx_count(call(&w.t, a, &root_fn, 2, &mid_fn), 1, 7);
        csspgo_ctx_root_leave(&w.t);
    }
    expect(snapshot(w.r, 0), "1[3,30/3](@0 3[2]@0 2[3,0](@1 3[3])@2 2[1,7])");
    T_EQ(w.t.dropped, 0);
    end(&w);
}

/* Each row: what makes an entry land on scratch memory, and what is left of the announced call. */
static void calls_that_were_not_announced_are_not_in_the_tree(void)
{
    csspgo_ctx_root_options how;
    world w;
    csspgo_ctx_ref a, s;
    memset(&how, 0, sizeof how);
    how.contexts_only = 1;
    begin_with(&w, NULL, &how);
    s = csspgo_ctx_enter(&w.t, &mid_fn);                            /* no root */
    T_CHECK(is_scratch(s));
    csspgo_ctx_call(&w.t, s, &mid_fn, 0, leaf_fn.address);
    T_CHECK(w.t.site[0] == NULL && w.t.expected[0] == NULL);
    T_CHECK(is_scratch(csspgo_ctx_enter(&w.t, &leaf_fn)));
    a = csspgo_ctx_root_enter(&w.t, w.root);
    T_CHECK(is_scratch(csspgo_ctx_enter(&w.t, &leaf_fn)));          /* nothing announced */
    csspgo_ctx_call(&w.t, a, &root_fn, 0, &address[7]);
    s = csspgo_ctx_enter(&w.t, &mid_fn);                            /* another callee: a callback of library code */
    T_CHECK(is_scratch(s) && w.t.site[0] == NULL && w.t.expected[0] == NULL);
    csspgo_ctx_count(s, 1, 1);
    csspgo_ctx_call(&w.t, a, &root_fn, 0, mid_fn.address);
    csspgo_ctx_call(&w.t, s, &mid_fn, 0, leaf_fn.address);          /* on scratch: the real pending call stays */
    T_CHECK(!is_scratch(csspgo_ctx_enter(&w.t, &mid_fn)));
    csspgo_ctx_root_leave(&w.t);
    T_CHECK(w.t.site[0] == NULL && w.t.tree == NULL && w.t.depth == 0);
    csspgo_ctx_root_leave(&w.t);                                    /* once too often */
    T_EQ(w.t.depth, 0);
    expect(snapshot(w.r, 0), "1[1,0/1](@0 2[1,0])");
    end(&w);
}

/* Functions that library code calls, and what these call: one node each, below the root, without call sites. */
static void calls_that_were_not_announced_are_unhandled(void)
{
    world w;
    csspgo_ctx_ref a, u, v;
    int i;
    begin(&w);
    for (i = 0; i < 3; i++) {
        a = csspgo_ctx_root_enter(&w.t, w.root);
        csspgo_ctx_call(&w.t, a, &root_fn, 0, &address[7]);         /* qsort, which calls mid and other */
        u = csspgo_ctx_enter(&w.t, &mid_fn);
        csspgo_ctx_count(u, 1, 5);
        T_CHECK(is_scratch(u) && u != w.t.scratch);
        csspgo_ctx_call(&w.t, u, &mid_fn, 1, leaf_fn.address);      /* has no place in the tree */
        T_CHECK(w.t.site[0] == NULL);
        v = csspgo_ctx_enter(&w.t, &leaf_fn);
        T_CHECK(is_scratch(v) && v != w.t.scratch && v != u);
        T_CHECK(is_scratch(csspgo_ctx_enter(&w.t, &other_fn)));
        T_EQ(call(&w.t, u, &mid_fn, 1, &mid_fn), u);
        T_CHECK(!is_scratch(call(&w.t, a, &root_fn, 0, &mid_fn)));
        csspgo_ctx_root_leave(&w.t);
    }
    T_EQ(w.t.dropped, 0);
    expect(snapshot(w.r, 0), "1[3,0/3](u 4[3,0,0]u 3[3]u 2[6,15]@0 2[3,0])");
    end(&w);
}

/* LLVM main zeroes only the newest of them (its defect 7). */
static void a_reset_clears_all_unhandled_nodes(void)
{
    world w;
    begin(&w);
    csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_count(csspgo_ctx_enter(&w.t, &mid_fn), 1, 5);
    csspgo_ctx_enter(&w.t, &leaf_fn);
    csspgo_ctx_enter(&w.t, &other_fn);
    csspgo_ctx_root_leave(&w.t);
    T_EQ(csspgo_ctx_reset(w.r, NULL), 0);
    expect(snapshot(w.r, 0), "1[0,0/0](u 4[0,0,0]u 3[0]u 2[0,0])");
    csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_enter(&w.t, &leaf_fn);
    csspgo_ctx_root_leave(&w.t);
    expect(snapshot(w.r, 0), "1[1,0/1](u 4[0,0,0]u 3[1]u 2[0,0])");
    end(&w);
}

/* Every function that is entered outside roots, also one that can be no root, say because it ends with a tail call:
 * LLVM main leaves those out (its defect 8). */
static void functions_outside_roots_are_flat(void)
{
    static const csspgo_ctx_fn more = { 2, &address[2], 3, 2 };
    world w;
    csspgo_ctx_ref f, a;
    int i;
    begin_with_one_tree(&w);
    csspgo_ctx_enter(&w.t, &mid_fn);                                /* nobody asked for it */
    T_EQ(csspgo_ctx_thread_flat(&w.t, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_ctx_thread_flat(&w.t, 1, NULL), CSSPGO_OK);
    for (i = 0; i < 3; i++) {
        f = csspgo_ctx_enter(&w.t, &mid_fn);
        T_CHECK(is_scratch(f) && f != w.t.scratch);
        csspgo_ctx_count(f, 1, 2);
        T_EQ(call(&w.t, f, &mid_fn, 0, &mid_fn), f);                /* one node for all calls */
        a = csspgo_ctx_root_enter(&w.t, w.root);
        call(&w.t, a, &root_fn, 0, &mid_fn);                        /* below a root: not flat */
        csspgo_ctx_root_leave(&w.t);
        call(&w.t, f, &mid_fn, 0, &leaf_fn);
    }
    T_EQ(csspgo_ctx_enter(&w.t, &more), w.t.scratch);               /* the same function, compiled anew */
    T_EQ(w.t.dropped, 1);
    csspgo_ctx_root_enter(&w.u, w.root);
    csspgo_ctx_root_enter(&w.t, w.root);
    T_EQ(csspgo_ctx_enter(&w.t, &leaf_fn), w.t.scratch);            /* below a root that another thread has: neither */
    csspgo_ctx_root_leave(&w.t);
    csspgo_ctx_root_leave(&w.u);
    T_EQ(csspgo_ctx_thread_flat(&w.t, 0, NULL), CSSPGO_OK);
    T_EQ(csspgo_ctx_enter(&w.t, &leaf_fn), w.t.scratch);
    expect(snapshot(w.r, 0), "1[4,0/5](@0 2[3,0])f 3[3]f 2[6,6]");
    T_EQ(csspgo_ctx_thread_flat(&w.u, 1, NULL), CSSPGO_OK);         /* goes on where the first thread ended */
    csspgo_ctx_enter(&w.u, &leaf_fn);
    T_EQ(csspgo_ctx_thread_flat(&w.t, 1, NULL), CSSPGO_OK);         /* this one gets memory of its own */
    csspgo_ctx_enter(&w.t, &leaf_fn);
    expect(snapshot(w.r, WHOLE ? 0 : 2), WHOLE ? "1[4,0/5](@0 2[3,0])f 3[5]f 2[6,6]"
                                                             : "1[4,0/5](@0 2[3,0])");
    end(&w);
}

/* Threads that count clear their flat nodes themselves, at once where they ask for it. */
static void a_reset_clears_flat_nodes(void)
{
    csspgo_ctx_busy_options self;
    world w;
    memset(&self, 0, sizeof self);
    self.self = &w.t;
    begin(&w);
    csspgo_ctx_thread_flat(&w.t, 1, NULL);
    csspgo_ctx_thread_flat(&w.u, 1, NULL);
    csspgo_ctx_enter(&w.t, &leaf_fn);
    csspgo_ctx_enter(&w.u, &leaf_fn);
    csspgo_ctx_enter(&w.u, &mid_fn);
    csspgo_ctx_reset(w.r, NULL);
    if (WHOLE) expect(snapshot(w.r, 0), "");
    csspgo_ctx_enter(&w.t, &leaf_fn);                               /* the first one after the reset */
    if (WHOLE) expect(snapshot(w.r, 0), "f 3[1]");
    csspgo_ctx_enter(&w.u, &leaf_fn);
    if (WHOLE) expect(snapshot(w.r, 0), "f 2[0,0]f 3[2]");
    csspgo_ctx_reset(w.r, &self);
    {
        csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
        T_EQ(csspgo_ctx_snapshot(w.r, &self, c, NULL, NULL), CSSPGO_OK);
        expect(c, "f 3[0]");
    }
    csspgo_ctx_thread_flat(&w.t, 0, NULL);
    csspgo_ctx_thread_flat(&w.u, 0, NULL);
    csspgo_ctx_reset(w.r, NULL);
    expect(snapshot(w.r, 0), "f 2[0,0]f 3[0]");
    end(&w);
}

static void another_shape_is_dropped(void)
{
    static const csspgo_ctx_fn more = { 2, &address[2], 3, 2 }, fewer = { 2, &address[2], 2, 1 };
    world w;
    csspgo_ctx_ref a;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    call(&w.t, a, &root_fn, 0, &mid_fn);
    T_CHECK(is_scratch(call(&w.t, a, &root_fn, 0, &more)));
    T_CHECK(is_scratch(call(&w.t, a, &root_fn, 0, &fewer)));
    T_CHECK(!is_scratch(call(&w.t, a, &root_fn, 1, &more)));
    csspgo_ctx_root_leave(&w.t);
    T_EQ(w.t.dropped, 2);
    expect(snapshot(w.r, 0), "1[1,0/1](@0 2[1,0]@1 2[1,0,0])");
    end(&w);
}

/* ----- roots: what LLVM 19's runtime gets wrong ----- */

static void a_root_inside_itself_is_a_callee(void)
{
    world w;
    csspgo_ctx_ref a, b;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_call(&w.t, a, &root_fn, 1, root_fn.address);
    b = csspgo_ctx_root_enter(&w.t, w.root);
    T_CHECK(!is_scratch(b) && a != b && w.t.depth == 2);
    csspgo_ctx_root_leave(&w.t);
    T_CHECK(!is_scratch(call(&w.t, a, &root_fn, 0, &leaf_fn)));     /* the outer one goes on counting */
    csspgo_ctx_root_leave(&w.t);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.u, w.root)));      /* and nobody has the tree any more */
    csspgo_ctx_root_leave(&w.u);
    expect(snapshot(w.r, 0), "1[2,0/3](@0 3[1]@1 1[1,0])");
    end(&w);
}

static void another_root_inside_a_root_is_a_callee(void)
{
    world w;
    csspgo_ctx_ref a;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_call(&w.t, a, &root_fn, 1, other_fn.address);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.t, w.second)));
    csspgo_ctx_root_leave(&w.t);
    T_CHECK(!is_scratch(call(&w.t, a, &root_fn, 0, &leaf_fn)));
    csspgo_ctx_root_leave(&w.t);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.u, w.root)));
    csspgo_ctx_root_leave(&w.u);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.u, w.second)));
    csspgo_ctx_root_leave(&w.u);
    expect(snapshot(w.r, 0), "1[2,0/2](@0 3[1]@1 4[1,0,0])4[1,0,0/2]");
    end(&w);
}

static void the_loser_is_free_again(void)
{
    world w;
    csspgo_ctx_ref a, b;
    begin_with_one_tree(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    b = csspgo_ctx_root_enter(&w.u, w.root);
    T_CHECK(!is_scratch(a) && is_scratch(b));
    T_CHECK(is_scratch(call(&w.u, b, &root_fn, 0, &leaf_fn)));
    csspgo_ctx_call(&w.u, b, &root_fn, 1, other_fn.address);
    T_CHECK(is_scratch(csspgo_ctx_root_enter(&w.u, w.second)));     /* inside a root, even if on scratch memory */
    csspgo_ctx_root_leave(&w.u);
    csspgo_ctx_root_leave(&w.u);
    T_EQ(w.u.depth, 0);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.u, w.second)));
    csspgo_ctx_root_leave(&w.u);
    call(&w.t, a, &root_fn, 0, &leaf_fn);
    csspgo_ctx_root_leave(&w.t);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.u, w.root)));
    csspgo_ctx_root_leave(&w.u);
    expect(snapshot(w.r, 0), "1[2,0/3](@0 3[1])4[1,0,0/2]");
    end(&w);
}

static void shards_let_two_threads_count(void)
{
    csspgo_ctx_root_options how;
    csspgo_ctx_ref a, b;
    world w;
    memset(&how, 0, sizeof how);
    how.shards = 2;
    begin_with(&w, NULL, &how);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    b = csspgo_ctx_root_enter(&w.u, w.root);
    T_CHECK(!is_scratch(a) && !is_scratch(b) && a != b);
    call(&w.t, a, &root_fn, 0, &leaf_fn);
    call(&w.u, b, &root_fn, 0, &leaf_fn);
    call(&w.u, b, &root_fn, 0, &mid_fn);
    csspgo_ctx_root_leave(&w.t);
    csspgo_ctx_root_leave(&w.u);
    expect(snapshot(w.r, 0), "1[2,0/2](@0 3[2]@0 2[1,0])");
    end(&w);
}

/* By default threads get a tree each, made when it is needed and kept; without memory for one they are turned away. */
static void every_thread_gets_a_tree(void)
{
    enum { MANY = 40 };
    static csspgo_ctx_thread t[MANY];
    csspgo_ctx_ref at;
    csspgo_ctx *c;
    size_t n;
    unsigned i, round, away = 0;
    uint64_t kept = 0;
    csspgo_options o;
    world w;
    begin(&w);
    for (i = 0; i < MANY; i++) T_EQ(csspgo_ctx_thread_init(&t[i], w.r, 8, NULL), CSSPGO_OK);
    for (round = 0; round < 3; round++) {
        for (i = 0; i < MANY; i++) {
            at = csspgo_ctx_root_enter(&t[(i * 7 + round) % MANY], w.root);
            T_CHECK(!is_scratch(at) && !is_scratch(call(&t[(i * 7 + round) % MANY], at, &root_fn, 0, &leaf_fn)));
        }
        csspgo_ctx_free(snapshot(w.r, MANY));
        for (i = 0; i < MANY; i++) csspgo_ctx_root_leave(&t[i]);
        if (round == 0) kept = csspgo_ctx_runtime_memory(w.r);
    }
    T_EQ(csspgo_ctx_runtime_memory(w.r), kept);                     /* no more trees than threads at the same time */
    expect(snapshot(w.r, 0), "1[120,0/120](@0 3[120])");
    for (i = 0; i < MANY; i++) csspgo_ctx_thread_free(&t[i]);
    end(&w);
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 60000;
    begin_with(&w, &o, NULL);
    for (i = 0; i < MANY; i++) T_EQ(csspgo_ctx_thread_init(&t[i], w.r, 8, NULL), CSSPGO_OK);
    for (i = 0; i < MANY; i++) away += (unsigned)is_scratch(csspgo_ctx_root_enter(&t[i], w.root));
    T_CHECK(away > 0 && away < MANY - 5);
    for (i = 0, n = 0; i < MANY; i++) n += (size_t)(t[i].turned_away + t[i].dropped);
    T_EQ(n, away);
    for (i = 0; i < MANY; i++) csspgo_ctx_root_leave(&t[i]);
    c = snapshot(w.r, 0);
    T_EQ(csspgo_ctx_get_stats(c).entries, MANY);
    T_EQ(csspgo_ctx_get_stats(c).uncounted, away);
    csspgo_ctx_free(c);
    for (i = 0; i < MANY; i++) csspgo_ctx_thread_free(&t[i]);
    end(&w);
}

/* ----- limits ----- */

/* A call of itself, `depth` deep, at call site 0 of the cell before. */
static csspgo_ctx_ref recurse(csspgo_ctx_thread *t, csspgo_ctx_ref at, unsigned depth)
{
    at = call(t, at, &root_fn, 0, &mid_fn);
    while (depth-- > 1) at = call(t, at, &mid_fn, 0, &mid_fn);
    return at;
}

static void recursion_is_folded_or_cut(void)
{
    csspgo_ctx_root_options how;
    csspgo_ctx_ref a, b;
    world w;
    memset(&how, 0, sizeof how);
    how.fold = 1;
    begin_with(&w, NULL, &how);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    b = recurse(&w.t, a, 5);
    call(&w.t, b, &mid_fn, 1, &leaf_fn);
    call(&w.t, b, &mid_fn, 1, &mid_fn);
    csspgo_ctx_root_leave(&w.t);
    T_EQ(w.t.dropped, 0);
    expect(snapshot(w.r, 0), "1[1,0/1](@0 2[6,0](@1 3[1]))");
    end(&w);
    how.fold = 0;
    how.max_depth = 3;
    begin_with(&w, NULL, &how);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    T_CHECK(is_scratch(recurse(&w.t, a, 5)));
    csspgo_ctx_root_leave(&w.t);
    T_EQ(w.t.dropped, 0);
    expect(snapshot(w.r, 0), "1[1,0/1](u 2[3,0]@0 2[1,0](@0 2[1,0]))");
    end(&w);
    how.contexts_only = 1;
    begin_with(&w, NULL, &how);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    T_CHECK(is_scratch(recurse(&w.t, a, 5)));
    T_CHECK(!is_scratch(call(&w.t, a, &root_fn, 0, &leaf_fn)));
    csspgo_ctx_root_leave(&w.t);
    T_EQ(w.t.dropped, 1);
    expect(snapshot(w.r, 0), "1[1,0/1](@0 3[1]@0 2[1,0](@0 2[1,0]))");
    end(&w);
}

static void a_root_stays_within_its_bytes(void)
{
    csspgo_ctx_root_options how;
    csspgo_ctx_fn fn = mid_fn;
    csspgo_ctx_ref a;
    csspgo_ctx *c;
    world w;
    unsigned cells = 0, i;
    memset(&how, 0, sizeof how);
    how.max_bytes = 10000;
    begin_with(&w, NULL, &how);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    for (i = 0; i < 500; i++) {
        fn.guid = 100 + i;
        cells += !is_scratch(call(&w.t, a, &root_fn, 0, &fn));
    }
    csspgo_ctx_root_leave(&w.t);
    T_EQ(w.t.dropped, 500 - cells);
    T_CHECK(cells > 140 && cells <= 10000 / 56);
    c = snapshot(w.r, 0);
    T_EQ(csspgo_ctx_get_stats(c).callees, cells);
    csspgo_ctx_free(c);
    end(&w);
}

/* A function with more counters than a thread was made for finds room; what is being counted in stays where it is. */
static void scratch_memory_grows(void)
{
    world w;
    csspgo_ctx_ref a, b;
    begin(&w);
    a = csspgo_ctx_enter(&w.t, &mid_fn);
    b = csspgo_ctx_enter(&w.t, &big_fn);
    T_CHECK(is_scratch(a) && is_scratch(b) && a != b);
    csspgo_ctx_count(b, 999, 1);
    csspgo_ctx_count(a, 1, 1);
    T_EQ(csspgo_ctx_enter(&w.t, &mid_fn), b);
    end(&w);
}

static void what_cannot_be_a_root_is_refused(void)
{
    static const csspgo_ctx_fn none = { 1, address, 0, 0 }, many = { 1, address, 1, 1u << 28 };
    csspgo_ctx_root_options how;
    csspgo_error e;
    world w;
    memset(&how, 0, sizeof how);
    begin(&w);
    T_CHECK(csspgo_ctx_root_new(w.r, &none, NULL, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    T_CHECK(csspgo_ctx_root_new(w.r, &many, NULL, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    how.shards = 65537;
    T_CHECK(csspgo_ctx_root_new(w.r, &mid_fn, &how, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    csspgo_ctx_thread_free(&w.t);
    T_EQ(csspgo_ctx_thread_init(&w.t, w.r, 1u << 28, &e), CSSPGO_E_LIMIT);
    end(&w);
    csspgo_ctx_runtime_free(NULL);
}

/*
 * Code that LLVM 19 instruments writes call sites of index 1 to bytes 4 to 11 of the two words: half of the other word
 * is wrong then. It is not believed, because no callee is expected.
 */
static void what_a_wrong_call_site_holds_is_not_followed(void)
{
    csspgo_ctx_ref a;
    world w;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_enter(&w.t, &mid_fn);                                /* not announced: has no call sites */
    w.t.expected[1] = leaf_fn.address;
    w.t.site[0] = (csspgo_ctx_link *)((uintptr_t)0x12345678 << (sizeof a * 4));
    T_CHECK(is_scratch(csspgo_ctx_enter(&w.t, &leaf_fn)));
    T_CHECK(!is_scratch(call(&w.t, a, &root_fn, 0, &mid_fn)));
    csspgo_ctx_root_leave(&w.t);
    expect(snapshot(w.r, 0), "1[1,0/1](u 3[1]u 2[1,0]@0 2[1,0])");
    end(&w);
}

/* Each fiber has a state of its own: one may stop in the middle of a call while another one of its thread goes on. */
static void fibers_take_turns(void)
{
    csspgo_ctx_ref a, b;
    world w;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_call(&w.t, a, &root_fn, 0, mid_fn.address);          /* the first one stops here */
    b = csspgo_ctx_root_enter(&w.u, w.second);
    call(&w.u, b, &other_fn, 0, &leaf_fn);
    T_CHECK(!is_scratch(csspgo_ctx_enter(&w.t, &mid_fn)));
    call(&w.u, b, &other_fn, 0, &leaf_fn);
    csspgo_ctx_root_leave(&w.t);
    csspgo_ctx_root_leave(&w.u);
    expect(snapshot(w.r, 0), "1[1,0/1](@0 2[1,0])4[1,0,0/1](@0 3[2])");
    end(&w);
}

/* An allocator that is instrumented itself: it runs on scratch memory, and nothing waits for the runtime's lock. */
static world nested;
static int   nesting;

static void *instrumented_alloc(void *ctx, size_t size)
{
    (void)ctx;
    if (nesting) {
        csspgo_ctx_ref a = csspgo_ctx_root_enter(&nested.t, nested.second);
        csspgo_ctx_count(a, 1, 1);
        csspgo_ctx_count(call(&nested.t, a, &other_fn, 0, &leaf_fn), 0, 1);
        T_EQ(csspgo_ctx_enter(&nested.t, &big_fn), 0);
        csspgo_ctx_root_leave(&nested.t);
    }
    return malloc(size);
}

static void instrumented_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    (void)size;
    free(ptr);
}

static void an_allocator_may_run_instrumented_code(void)
{
    csspgo_ctx_stats s;
    csspgo_options o;
    csspgo_ctx_ref a;
    csspgo_ctx *c;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = instrumented_alloc;
    o.allocator.free_fn = instrumented_free;
    begin_with(&nested, &o, NULL);
    nesting = 1;
    T_EQ(csspgo_ctx_thread_flat(&nested.t, 1, NULL), CSSPGO_OK);
    csspgo_ctx_enter(&nested.t, &leaf_fn);
    a = csspgo_ctx_root_enter(&nested.t, nested.root);
    csspgo_ctx_enter(&nested.t, &mid_fn);
    T_CHECK(!is_scratch(call(&nested.t, a, &root_fn, 0, &big_fn)));
    csspgo_ctx_root_leave(&nested.t);
    nesting = 0;
    T_EQ(csspgo_ctx_thread_flat(&nested.t, 0, NULL), CSSPGO_OK);
    c = snapshot(nested.r, 0);
    s = csspgo_ctx_get_stats(c);
    T_CHECK(s.roots == 1 && s.callees == 1 && s.unhandled == 1 && s.flat == 1);
    csspgo_ctx_free(c);
    end(&nested);
}

/* ----- leaving by other ways ----- */

static void jumps_leave_roots(void)
{
    jmp_buf out;
    world w;
    csspgo_ctx_mark outside, inside;
    csspgo_ctx_ref a;
    begin(&w);
    outside = csspgo_ctx_thread_mark(&w.t);
    if (setjmp(out) == 0) {
        a = csspgo_ctx_root_enter(&w.t, w.root);
        csspgo_ctx_call(&w.t, a, &root_fn, 1, other_fn.address);
        csspgo_ctx_root_enter(&w.t, w.second);
        longjmp(out, 1);
    }
    csspgo_ctx_thread_unwind(&w.t, outside);
    T_CHECK(w.t.tree == NULL && w.t.depth == 0);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.u, w.root)));      /* the tree is free */
    csspgo_ctx_root_leave(&w.u);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    inside = csspgo_ctx_thread_mark(&w.t);
    csspgo_ctx_root_enter(&w.t, w.second);
    csspgo_ctx_thread_unwind(&w.t, inside);                         /* the outer root goes on */
    T_CHECK(w.t.depth == 1 && !is_scratch(call(&w.t, a, &root_fn, 0, &leaf_fn)));
    csspgo_ctx_root_leave(&w.t);
    expect(snapshot(w.r, 0), "1[3,0/3](u 4[1,0,0]@0 3[1]@1 4[1,0,0])");
    end(&w);
}

/* What an instrumented handler does: a root, a call, a function. */
static void handle(world *w)
{
    const csspgo_ctx_ref a = csspgo_ctx_root_enter(&w->t, w->second), b = call(&w->t, a, &other_fn, 0, &leaf_fn);
    csspgo_ctx_count(a, 2, 1);
    csspgo_ctx_count(b, 0, 1);
    csspgo_ctx_root_leave(&w->t);
}

static void a_handler_between_call_and_entry_does_no_harm(void)
{
    csspgo_ctx_signal saved;
    csspgo_ctx_ref a;
    world w;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_call(&w.t, a, &root_fn, 0, mid_fn.address);
    csspgo_ctx_signal_enter(&w.t, &saved);
    handle(&w);
    T_EQ(csspgo_ctx_enter(&w.t, &big_fn), 0);                       /* no memory is asked for in a handler */
    csspgo_ctx_signal_leave(&w.t, &saved);
    T_CHECK(!is_scratch(csspgo_ctx_enter(&w.t, &mid_fn)));
    csspgo_ctx_root_leave(&w.t);
    expect(snapshot(w.r, 0), "1[1,0/1](@0 2[1,0])");
    end(&w);
}

static world        storm;
static volatile sig_atomic_t storms;

static void on_signal(int number)
{
    csspgo_ctx_signal saved;
    (void)number;
    csspgo_ctx_signal_enter(&storm.t, &saved);
    handle(&storm);
    csspgo_ctx_signal_leave(&storm.t, &saved);
    storms++;
}

/* SIGPROF as often as the kernel gives it, and raised in between: every call is counted. */
static void a_storm_of_signals_loses_nothing(void)
{
    struct sigaction act, old;
    struct itimerval often, never;
    const unsigned long rounds = t_cases("CSSPGO_CASES", 20000, 2000000);
    unsigned long i;
    if (rounds == 0) return;
    memset(&act, 0, sizeof act);
    memset(&often, 0, sizeof often);
    memset(&never, 0, sizeof never);
    act.sa_handler = on_signal;
    often.it_interval.tv_usec = often.it_value.tv_usec = 100;
    begin(&storm);
    T_EQ(sigaction(SIGPROF, &act, &old), 0);
    T_EQ(setitimer(ITIMER_PROF, &often, NULL), 0);
    for (i = 0; i < rounds; i++) {
        csspgo_ctx_ref a = csspgo_ctx_root_enter(&storm.t, storm.root), b;
        csspgo_ctx_call(&storm.t, a, &root_fn, (uint32_t)(i % 3), mid_fn.address);
        if (i % 64 == 0) raise(SIGPROF);
        b = csspgo_ctx_enter(&storm.t, &mid_fn);
        csspgo_ctx_count(b, 1, 1);
        call(&storm.t, b, &mid_fn, 0, &leaf_fn);
        csspgo_ctx_root_leave(&storm.t);
    }
    setitimer(ITIMER_PROF, &never, NULL);
    sigaction(SIGPROF, &old, NULL);
    T_CHECK((unsigned long)storms >= rounds / 64);
    {
        csspgo_ctx *c = snapshot(storm.r, 0);
        size_t n;
        csspgo_ctx_flatten(c, NULL, NULL);
        T_EQ(csspgo_ctx_get_stats(c).flat, 3);
        T_EQ(csspgo_ctx_get_stats(c).counters, 5);
        T_EQ(csspgo_ctx_get_stats(c).max_counter, rounds);
        T_EQ(csspgo_ctx_get_stats(c).nonzero, 4);                   /* nobody counts the root's second one */
        T_EQ(*csspgo_ctx_get_counters(c, ctx_child(c, ctx_top(c), CTX_FLAT, 0, 3), &n), rounds);
        csspgo_ctx_free(c);
    }
    end(&storm);
}

/* ----- reading and clearing while others count ----- */

static void busy_trees_are_left_out_or_the_callers_own(void)
{
    csspgo_ctx_busy_options how;
    csspgo_ctx *c;
    csspgo_ctx_ref a;
    size_t busy;
    world w;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    call(&w.t, a, &root_fn, 0, &leaf_fn);
    expect(snapshot(w.r, 1), "");
    memset(&how, 0, sizeof how);
    how.self = &w.t;
    how.wait = 1;
    c = csspgo_ctx_new(NULL, NULL);
    T_EQ(csspgo_ctx_snapshot(w.r, &how, c, &busy, NULL), CSSPGO_OK);
    T_EQ(busy, 0);
    expect(c, "1[1,0/1](@0 3[1])");
    T_EQ(csspgo_ctx_reset(w.r, NULL), 1);
    csspgo_ctx_root_leave(&w.t);
    c = snapshot(w.r, 0);
    T_EQ(csspgo_ctx_snapshot(w.r, NULL, c, NULL, NULL), CSSPGO_OK);  /* what the profile has is added to */
    expect(c, "1[2,0/2](@0 3[2])");
    T_EQ(csspgo_ctx_reset(w.r, NULL), 0);
    expect(snapshot(w.r, 0), "1[0,0/0](@0 3[0])");
    a = csspgo_ctx_root_enter(&w.t, w.root);
    call(&w.t, a, &root_fn, 0, &leaf_fn);
    csspgo_ctx_root_leave(&w.t);
    expect(snapshot(w.r, 0), "1[1,0/1](@0 3[1])");
    end(&w);
}

/* ----- dumps ----- */

static unsigned char *dumped(csspgo_ctx_runtime *r, size_t *size, size_t expect_busy)
{
    unsigned char *data;
    size_t busy = 99, again;
    csspgo_error e;
    T_EQ(csspgo_ctx_dump(r, NULL, NULL, 0, size, &busy, &e), CSSPGO_OK);
    T_EQ(busy, expect_busy);
    data = (unsigned char *)malloc(*size + 1);
    if (data == NULL) abort();
    T_EQ(csspgo_ctx_dump(r, NULL, data, *size - 1, &again, NULL, &e), CSSPGO_E_SHORT);
    T_EQ(again, *size);
    T_EQ(csspgo_ctx_dump(r, NULL, data, *size, NULL, NULL, NULL), CSSPGO_OK);
    return data;
}

static char *version_1(const csspgo_ctx *c, size_t *size)
{
    csspgo_ctx_write_options how;
    char *text;
    memset(&how, 0, sizeof how);
    how.form = CSSPGO_CTX_V1;
    T_EQ(csspgo_ctx_write(c, &how, NULL, 0, size, NULL), CSSPGO_OK);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    T_EQ(csspgo_ctx_write(c, &how, text, *size, NULL, NULL), CSSPGO_OK);
    return text;
}

/* What is read from a dump is what a snapshot has, in the same order. */
static void expect_dump(csspgo_ctx_runtime *r, const char *want)
{
    csspgo_ctx *a = snapshot(r, 0), *b = csspgo_ctx_new(NULL, NULL);
    size_t size, n, m;
    unsigned char *data = dumped(r, &size, 0), *exact = t_copy(data, size);
    char *x, *y;
    csspgo_error e;
    T_EQ(csspgo_ctx_read(b, exact, size, NULL, &e), CSSPGO_OK);
    x = version_1(a, &n);
    y = version_1(b, &m);
    t_same("a dump", y, m, x, n);
    expect(a, want);
    expect(b, want);
    free(x);
    free(y);
    free(data);
    free(exact);
}

static void a_dump_is_read_as_a_snapshot(void)
{
    csspgo_ctx_ref a, b;
    csspgo_ctx_root_options how;
    unsigned i;
    world w;
    memset(&how, 0, sizeof how);
    how.shards = 2;
    begin_with(&w, NULL, &how);
    expect_dump(w.r, "");
    for (i = 0; i < 3; i++) {
        a = csspgo_ctx_root_enter(&w.t, w.root);
        csspgo_ctx_count(a, 1, 10);
        b = call(&w.t, a, &root_fn, 0, &mid_fn);
        call(&w.t, b, &mid_fn, 1, &leaf_fn);
        call(&w.t, a, &root_fn, 0, &leaf_fn);                       /* the newest comes first */
        call(&w.u, csspgo_ctx_root_enter(&w.u, w.root), &root_fn, 2, &big_fn);
        csspgo_ctx_root_leave(&w.u);
        csspgo_ctx_root_leave(&w.t);
    }
    csspgo_ctx_root_enter(&w.t, w.second);
    csspgo_ctx_root_leave(&w.t);
    {
        size_t size;
        csspgo_ctx *c = snapshot(w.r, 0);
        csspgo_ctx_stats s = csspgo_ctx_get_stats(c), t;
        csspgo_ctx *d = csspgo_ctx_new(NULL, NULL);
        unsigned char *data = dumped(w.r, &size, 0);
        T_EQ(csspgo_ctx_read(d, data, size, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_ctx_read(d, data, size, NULL, NULL), CSSPGO_OK);   /* once more: everything twice */
        t = csspgo_ctx_get_stats(d);
        T_CHECK(s.roots == 2 && t.roots == 2 && s.callees == 4 && s.callees == t.callees && s.counters == t.counters);
        T_EQ(t.max_counter, 2 * s.max_counter);
        free(data);
        csspgo_ctx_free(c);
        csspgo_ctx_free(d);
    }
    end(&w);
}

/* Its entries are the same with and without `fold`: 3, and 1 below itself through the root's door. */
static void a_root_that_calls_itself(uint32_t fold, const char *want)
{
    csspgo_ctx_root_options how;
    csspgo_ctx_flatten_options flat;
    csspgo_ctx_ref at;
    csspgo_ctx *c;
    unsigned i;
    world w;
    memset(&how, 0, sizeof how);
    memset(&flat, 0, sizeof flat);
    how.fold = fold;
    begin_with(&w, NULL, &how);
    at = csspgo_ctx_root_enter(&w.t, w.root);
    for (i = 0; i < 3; i++) at = call(&w.t, at, &root_fn, 0, &root_fn);
    csspgo_ctx_root_leave(&w.t);
    at = csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_call(&w.t, at, &root_fn, 0, root_fn.address);
    at = csspgo_ctx_root_enter(&w.t, w.root);
    call(&w.t, at, &root_fn, 1, &leaf_fn);
    csspgo_ctx_root_leave(&w.t);
    csspgo_ctx_root_leave(&w.t);
    csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_root_leave(&w.t);
    expect(snapshot(w.r, 0), want);
    expect_dump(w.r, want);
    c = snapshot(w.r, 0);
    flat.scale = fold;
    T_EQ(csspgo_ctx_get_stats(c).entries, 4);
    T_EQ(csspgo_ctx_get_stats(c).uncounted, !fold);
    T_EQ(csspgo_ctx_flatten(c, &flat, NULL), CSSPGO_OK);
    T_EQ(csspgo_ctx_get_stats(c).max_counter, 7);
    csspgo_ctx_free(c);
    T_EQ(csspgo_ctx_reset(w.r, NULL), 0);
    csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_root_leave(&w.t);
    c = snapshot(w.r, 0);
    T_EQ(csspgo_ctx_entry_count(c, ctx_first_child(c, ctx_top(c))), 1);
    csspgo_ctx_free(c);
    end(&w);
}

static void a_call_of_itself_is_no_entry(void)
{
    a_root_that_calls_itself(1, "1[7,0/4](@1 3[1])");
    a_root_that_calls_itself(0, "1[3,0/4](@0 1[2,0](@0 1[1,0](@0 1[1,0])@1 3[1]))");
}

/* A root that one thread has: the other one's entries are those that nobody counts. */
static void a_dump_has_the_entries_that_nobody_counted(void)
{
    size_t size;
    unsigned i;
    world w;
    begin_with_one_tree(&w);
    csspgo_ctx_root_enter(&w.t, w.root);
    for (i = 0; i < 5; i++) {
        T_CHECK(is_scratch(csspgo_ctx_root_enter(&w.u, w.root)));
        csspgo_ctx_root_leave(&w.u);
    }
    free(dumped(w.r, &size, 1));
    T_EQ(size, 32);
    csspgo_ctx_root_leave(&w.t);
    expect_dump(w.r, "1[1,0/6]");
    T_CHECK(w.t.turned_away == 0 && w.u.turned_away == 5 && w.u.dropped == 0);
    for (i = 0; i < 3; i++) {
        recurse(&w.t, csspgo_ctx_root_enter(&w.t, w.root), 3);
        csspgo_ctx_root_leave(&w.t);
    }
    expect_dump(w.r, "1[4,0/9](@0 2[3,0](@0 2[3,0](@0 2[3,0])))");
    end(&w);
}

static csspgo_status read_status(const unsigned char *data, size_t size, csspgo_error *e)
{
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    csspgo_status s = csspgo_ctx_read(c, data, size, NULL, e);
    T_EQ(s, e->status);
    if (s != CSSPGO_OK) T_CHECK(e->message[0] != '\0' && e->offset <= size && csspgo_ctx_get_stats(c).counters == 0);
    csspgo_ctx_free(c);
    return s;
}

/* Each row: a place in a dump of a root with one callee (bytes: 32 head, 56 table, 64 the root, 56 the callee). */
static const struct damage {
    size_t        at;
    uint64_t      value;          /* of the byte */
    csspgo_status status;
} damages[] = {
    { 4, 2, CSSPGO_E_VERSION }, { 6, 2, CSSPGO_E_UNSUPPORTED }, { 6, 1, CSSPGO_E_SYNTAX },
    { 8, 2, CSSPGO_E_SYNTAX }, { 8, 0, CSSPGO_E_SYNTAX }, { 12, 1, CSSPGO_E_TRUNCATED },
    { 16, 0, CSSPGO_E_SYNTAX }, { 17, 1, CSSPGO_E_TRUNCATED }, { 32, 9, CSSPGO_E_SYNTAX },
    { 49, 0xff, CSSPGO_E_SYNTAX }, { 56, 1, CSSPGO_E_SYNTAX }, { 64, 2, CSSPGO_E_SYNTAX },
    { 67, 1, CSSPGO_E_TRUNCATED }, { 80, 8, CSSPGO_E_SYNTAX }, { 96, 1, CSSPGO_E_SYNTAX },
    { 104, 0, CSSPGO_E_SYNTAX }, { 107, 0x10, CSSPGO_E_SYNTAX }, { 128, 1, CSSPGO_E_SYNTAX },
};

static void damaged_dumps_are_refused(void)
{
    csspgo_ctx_ref a;
    unsigned char *data, *cut;
    csspgo_error e;
    size_t size, i;
    world w;
    begin(&w);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    call(&w.t, a, &root_fn, 1, &mid_fn);
    csspgo_ctx_root_leave(&w.t);
    data = dumped(w.r, &size, 0);
    T_EQ(size, 32 + 56 + 64 + 56);
    T_EQ(read_status(data, size, &e), CSSPGO_OK);
    for (i = 0; i < size; i++) {
        cut = t_copy(data, i);
        T_CHECK(read_status(cut, i, &e) != CSSPGO_OK);
        free(cut);
    }
    for (i = 0; i < sizeof damages / sizeof *damages; i++) {
        const unsigned char had = data[damages[i].at];
        data[damages[i].at] = (unsigned char)damages[i].value;
        T_EQ(read_status(data, size, &e), damages[i].status);
        data[damages[i].at] = had;
    }
    for (i = 0; i < size; i++) {
        const unsigned char had = data[i];
        data[i] = (unsigned char)(had + 1 + i % 255);
        read_status(data, size, &e);
        data[i] = had;
    }
    free(data);
    end(&w);
}

static void put_word(unsigned char **p, uint64_t v)
{
    unsigned i;
    for (i = 0; i < 8; i++) *(*p)++ = (unsigned char)(v >> 8 * i);
}

/* What this runtime does not write: headers of four numbers, unhandled cells, flat records, cells that nobody names. */
static void dumps_of_others_are_read(void)
{
    static const uint64_t words[] = {
        (uint64_t)1 << 32 | (uint64_t)1 << 48, (uint64_t)1 << 32 | 1, 0, 0,
        7, 9, 0x1000, 0x2000, 2, 0x1000, 56 + 56, 0x2000, 48 + 40 + 40,
        7, 0, (uint64_t)1 << 32 | 2, 5, 3, 4, 0x1038,
        8, 0, 3, 5, 6, 7, 8,
        50, 0x2030, 2, 5, 1, 2, 51, 0, 1, 5, 3, 52, 99, 1, 5, 9,
        60, 2, 11, 12
    };
    unsigned char data[8 * sizeof words / sizeof *words], *p = data;
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    size_t i, n;
    csspgo_node root;
    csspgo_error e;
    for (i = 0; i < sizeof words / sizeof *words; i++) put_word(&p, i == 2 ? sizeof data : words[i]);
    memcpy(data, "CXRD", 4);
    T_EQ(csspgo_ctx_read(c, data, sizeof data, NULL, &e), CSSPGO_OK);
    root = ctx_child(c, ctx_top(c), CTX_ROOT, 0, 7);
    T_EQ(csspgo_ctx_entry_count(c, root), 9);
    T_EQ(csspgo_ctx_get_counters(c, ctx_child(c, root, CTX_CALLEE, 0, 8), &n)[2], 8);
    T_EQ(csspgo_ctx_get_counters(c, ctx_child(c, root, CTX_UNHANDLED, 0, 50), &n)[1], 2);
    T_EQ(csspgo_ctx_get_counters(c, ctx_child(c, root, CTX_UNHANDLED, 0, 51), &n)[0], 3);
    T_EQ(csspgo_ctx_get_counters(c, ctx_child(c, ctx_top(c), CTX_FLAT, 0, 60), &n)[1], 12);
    T_EQ(csspgo_ctx_get_stats(c).counters, 2 + 3 + 2 + 1 + 2);
    csspgo_ctx_free(c);
}

#ifndef CSSPGO_NO_STDIO
static void dumps_are_written_to_files(void)
{
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    size_t busy = 9;
    csspgo_error e;
    world w;
    begin(&w);
    csspgo_ctx_root_enter(&w.t, w.root);
    csspgo_ctx_root_leave(&w.t);
    T_EQ(csspgo_ctx_dump_file(w.r, T_DIR "/ctxrun.dump", NULL, &busy, &e), CSSPGO_OK);
    T_EQ(busy, 0);
    T_EQ(csspgo_ctx_read_file(c, T_DIR "/ctxrun.dump", NULL, &e), CSSPGO_OK);
    expect(c, "1[1,0/1]");
    T_EQ(csspgo_ctx_dump_file(w.r, "build/no/such/file", NULL, NULL, &e), CSSPGO_E_IO);
    remove(T_DIR "/ctxrun.dump");
    end(&w);
}
#endif

static void a_snapshot_keeps_to_the_depth_of_the_profile(void)
{
    csspgo_options o;
    csspgo_ctx *c;
    csspgo_error e;
    world w;
    memset(&o, 0, sizeof o);
    o.limits.max_depth = 4;
    begin(&w);
    recurse(&w.t, csspgo_ctx_root_enter(&w.t, w.root), 3);
    csspgo_ctx_root_leave(&w.t);
    c = csspgo_ctx_new(&o, NULL);
    T_EQ(csspgo_ctx_snapshot(w.r, NULL, c, NULL, &e), CSSPGO_OK);
    recurse(&w.t, csspgo_ctx_root_enter(&w.t, w.root), 4);
    csspgo_ctx_root_leave(&w.t);
    T_EQ(csspgo_ctx_snapshot(w.r, NULL, c, NULL, &e), CSSPGO_E_LIMIT);
    T_CHECK(!is_scratch(csspgo_ctx_root_enter(&w.t, w.root)));      /* the tree was given back */
    csspgo_ctx_root_leave(&w.t);
    expect(c, "1[1,0/1](@0 2[1,0](@0 2[1,0](@0 2[1,0])))");
    end(&w);
}

/* ----- failures ----- */

static csspgo_status run(t_heap *h, long nth)
{
    const csspgo_options o = t_options(h, nth);
    csspgo_ctx_runtime *r = csspgo_ctx_runtime_new(&o, NULL);
    csspgo_status s = r != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    csspgo_ctx_root *root = NULL;
    csspgo_ctx_thread t;
    csspgo_ctx *c = NULL;
    unsigned char dump[40000];
    size_t size = 0;
    memset(&t, 0, sizeof t);
    if (s == CSSPGO_OK) s = csspgo_ctx_thread_init(&t, r, 4, NULL);
    if (s == CSSPGO_OK) s = (root = csspgo_ctx_root_new(r, &root_fn, NULL, NULL)) != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) {
        csspgo_ctx_ref a = csspgo_ctx_root_enter(&t, root), b = call(&t, a, &root_fn, 0, &big_fn);
        if (b != 0) csspgo_ctx_count(b, 999, 1);
        b = csspgo_ctx_enter(&t, &big_fn);
        if (b != 0) csspgo_ctx_count(b, 999, 1);
        csspgo_ctx_root_leave(&t);
        s = b != 0 && t.dropped == 0 ? CSSPGO_OK : CSSPGO_E_NOMEM;
        T_CHECK(t.tree == NULL && t.depth == 0);
    }
    if (s == CSSPGO_OK) s = csspgo_ctx_thread_flat(&t, 1, NULL);
    if (s == CSSPGO_OK) csspgo_ctx_enter(&t, &leaf_fn);
    if (s == CSSPGO_OK) s = csspgo_ctx_thread_flat(&t, 0, NULL);
    if (s == CSSPGO_OK && t.dropped != 0) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = (c = csspgo_ctx_new(&o, NULL)) != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = csspgo_ctx_snapshot(r, NULL, c, NULL, NULL);
    if (s == CSSPGO_OK) T_EQ(csspgo_ctx_get_stats(c).counters, 2003);
    if (s == CSSPGO_OK) s = csspgo_ctx_dump(r, NULL, dump, sizeof dump, &size, NULL, NULL);
    if (s == CSSPGO_OK) s = csspgo_ctx_read(c, dump, size, NULL, NULL);
    if (c != NULL) T_CHECK(csspgo_ctx_get_stats(c).max_counter == (s == CSSPGO_OK ? 2 : csspgo_ctx_get_stats(c).roots));
    csspgo_ctx_free(c);
    csspgo_ctx_thread_free(&t);
    csspgo_ctx_runtime_free(r);
    return s;
}

static void every_failing_allocation_is_survived(void)
{
    long nth;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_status s = run(&h, nth);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 8);
}

static void memory_is_told_and_limited(void)
{
    csspgo_options o;
    csspgo_ctx_fn fn = mid_fn;
    csspgo_ctx_ref a;
    world w;
    unsigned i;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 100000;
    begin_with(&w, &o, NULL);
    a = csspgo_ctx_root_enter(&w.t, w.root);
    for (i = 0; i < 5000; i++) {
        fn.guid = 100 + i;
        call(&w.t, a, &root_fn, 0, &fn);
    }
    csspgo_ctx_root_leave(&w.t);
    T_CHECK(w.t.dropped > 3000 && w.t.dropped < 4500);
    T_CHECK(csspgo_ctx_runtime_memory(w.r) > 50000 && csspgo_ctx_runtime_memory(w.r) <= 100000);
    end(&w);
}

int main(void)
{
    places_are_those_of_llvm();
    calls_make_a_tree();
    calls_that_were_not_announced_are_not_in_the_tree();
    calls_that_were_not_announced_are_unhandled();
    a_reset_clears_all_unhandled_nodes();
    functions_outside_roots_are_flat();
    a_reset_clears_flat_nodes();
    another_shape_is_dropped();
    a_root_inside_itself_is_a_callee();
    another_root_inside_a_root_is_a_callee();
    the_loser_is_free_again();
    shards_let_two_threads_count();
    every_thread_gets_a_tree();
    recursion_is_folded_or_cut();
    a_root_stays_within_its_bytes();
    scratch_memory_grows();
    what_cannot_be_a_root_is_refused();
    what_a_wrong_call_site_holds_is_not_followed();
    fibers_take_turns();
    an_allocator_may_run_instrumented_code();
    jumps_leave_roots();
    a_handler_between_call_and_entry_does_no_harm();
    a_storm_of_signals_loses_nothing();
    busy_trees_are_left_out_or_the_callers_own();
    a_snapshot_keeps_to_the_depth_of_the_profile();
    a_dump_is_read_as_a_snapshot();
    a_call_of_itself_is_no_entry();
    a_dump_has_the_entries_that_nobody_counted();
    damaged_dumps_are_refused();
    dumps_of_others_are_read();
#ifndef CSSPGO_NO_STDIO
    dumps_are_written_to_files();
#endif
    T_FAILING(every_failing_allocation_is_survived());
    memory_is_told_and_limited();
    return t_end();
}
