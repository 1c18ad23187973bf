/* inliner.c - a JIT's inliner: asks a profile for each call's context, inlines what is hot, keeps what is not
 *
 * Functions are compiled callers first. Of a call that is inlined the context is marked, and its own calls are looked
 * at in turn, with counts of this very context. The counts of a call that is not inlined go to the callee's own
 * profile, for when it is compiled. So each count is used once. Prints the decisions.
 *
 *     cc -O2 inliner.c -o inliner && ./inliner app.prof
 */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_DEPTH = 8, MOST_CALLEES = 16 };

typedef struct inliner {
    csspgo_tracker       *t;
    const csspgo_profile *p;      /* the tracker's */
    uint64_t              hot;
    unsigned              inlined, kept;
    csspgo_error          error;
} inliner;

static void print_decision(const inliner *x, csspgo_node callee, unsigned depth, const char *what)
{
    char context[500];
    csspgo_context_text(x->p, callee, context, sizeof context);
    printf("%*s%s %s: entered %llu times\n", (int)(2 * depth), "", what, context,
           (unsigned long long)csspgo_tracker_entry_count(x->t, callee));
}

/*
 * Worth it: hot enough, and not too deep. A real inliner also weighs the size of the callee's code. Here a cold call is
 * left alone, too, if it has more than three locations with counts.
 */
static int worth_it(const inliner *x, csspgo_node callee, unsigned depth)
{
    size_t size;
    csspgo_get_bodies(x->p, callee, &size);
    if (depth >= MOST_DEPTH) return 0;
    return csspgo_tracker_entry_count(x->t, callee) >= x->hot || size <= 3;
}

/* Looks at all calls of a context: of a function's own code, or of what was inlined into it. */
static csspgo_status inline_calls(inliner *x, csspgo_node caller, unsigned depth)
{
    csspgo_node callee[MOST_CALLEES];
    size_t n = csspgo_tracker_get_children(x->t, caller, callee, MOST_CALLEES), i;
    csspgo_status s = CSSPGO_OK;
    for (i = 0; i < n && i < MOST_CALLEES && s == CSSPGO_OK; i++) {
        /* a compiler comes from its own call sites instead, here as if each were a direct call */
        const csspgo_node node = csspgo_tracker_callee(x->t, caller, csspgo_node_loc(x->p, callee[i]),
                                                       csspgo_node_func(x->p, callee[i]));
        if (node.id == 0) continue;                   /* a frame without counts */
        if (worth_it(x, node, depth)) {
            print_decision(x, node, depth, "inline");
            x->inlined++;
            s = csspgo_tracker_mark_inlined(x->t, node, &x->error);
            if (s == CSSPGO_OK) s = inline_calls(x, node, depth + 1);
        } else {
            print_decision(x, node, depth, "call  ");
            x->kept++;
            s = csspgo_tracker_promote(x->t, node, NULL, &x->error);
        }
    }
    return s;
}

/* Compiles all functions of the profile, callers before callees. */
static csspgo_status compile_all(inliner *x)
{
    size_t n, count = 0, i;
    csspgo_status s = csspgo_tracker_compile_order(x->t, NULL, 0, NULL, 0, &n, &x->error);
    csspgo_func *order = (csspgo_func *)calloc(n + 1, sizeof *order);
    if (order == NULL) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = csspgo_tracker_compile_order(x->t, NULL, 0, order, n, &count, &x->error);
    for (i = 0; i < count && s == CSSPGO_OK; i++) {
        csspgo_node base;
        size_t size;
        const char *name = csspgo_func_name(x->p, order[i], &size);
        s = csspgo_tracker_base(x->t, order[i], 1, &base, &x->error);
        if (s != CSSPGO_OK || base.id == 0) continue;    /* all of its calls were inlined */
        printf("compile %.*s\n", (int)size, name != NULL ? name : "");
        s = inline_calls(x, base, 1);
    }
    free(order);
    return s;
}

int main(int argc, char **argv)
{
    inliner x = { NULL, NULL, 0, 0, 0, { CSSPGO_OK, 0, 0, 0, "" } };
    csspgo_profile *p = argc == 2 ? csspgo_load_file(argv[1], NULL, &x.error) : NULL;
    csspgo_status s;
    csspgo_tracker_stats stats;
    if (argc != 2) fprintf(stderr, "usage: inliner PROFILE\n");
    if (argc != 2) return 2;
    if (p != NULL) x.t = csspgo_tracker_new(p, NULL, &x.error);
    s = x.error.status;
    if (x.t != NULL) {
        x.p = csspgo_tracker_profile(x.t);
        x.hot = csspgo_tracker_hot_count(x.t);
        s = compile_all(&x);
        stats = csspgo_tracker_get_stats(x.t);
        printf("%u calls inlined, %u kept; %llu records merged, %llu samples lost\n", x.inlined, x.kept,
               (unsigned long long)stats.merged, (unsigned long long)stats.lost_by_checksum);
    }
    if (s != CSSPGO_OK) fprintf(stderr, "%s: %s\n", argv[1], x.error.message);
    csspgo_tracker_free(x.t);
    csspgo_profile_free(p);
    return s != CSSPGO_OK;
}
