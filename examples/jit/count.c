/* count.c - counting by contexts: csspgo's runtime for it, and what it counted as a profile
 *
 * Interpreter (interpret.c) and tier-1 code (emit_count.c) announce calls, enter functions and count blocks in the way
 * that csspgo.h describes. main is the root, so every path of calls from it has counters of its own.
 */
#include "jit.h"

/* Counters are those of blocks: the first one, which the runtime counts, says how often the function was called. */
int counting_open(counting *c, const program *p, const csspgo_options *options)
{
    csspgo_ctx_root_options how;
    uint32_t f, most = 1;
    memset(c, 0, sizeof *c);
    memset(&how, 0, sizeof how);
    c->p = p;
    c->main = func_named(p, "main");
    for (f = 0; f < p->count; f++) {
        c->fn[f].guid = csspgo_guid(p->f[f].name, strlen(p->f[f].name));
        c->fn[f].address = &c->token[f];
        c->fn[f].counters = p->f[f].blocks;
        c->fn[f].sites = p->f[f].calls;
        if (p->f[f].blocks > most) most = p->f[f].blocks;
    }
    how.max_depth = MAX_FRAMES;
    c->runtime = csspgo_ctx_runtime_new(options, NULL);
    if (c->runtime == NULL) return 0;
    if (csspgo_ctx_thread_init(&c->thread, c->runtime, most, NULL) == CSSPGO_OK)
        c->root = csspgo_ctx_root_new(c->runtime, &c->fn[c->main], &how, NULL);
    if (c->root != NULL) return 1;
    counting_close(c);
    return 0;
}

void counting_close(counting *c)
{
    csspgo_ctx_thread_free(&c->thread);
    csspgo_ctx_runtime_free(c->runtime);
    c->runtime = NULL;
}

csspgo_ctx_ref counting_enter(counting *c, uint32_t f)
{
    return f == c->main ? csspgo_ctx_root_enter(&c->thread, c->root) : csspgo_ctx_enter(&c->thread, &c->fn[f]);
}

void counting_leave(counting *c, uint32_t f)
{
    if (f == c->main) csspgo_ctx_root_leave(&c->thread);
}

/* What csspgo must know of the functions: names, and the probes that counters and call sites are. */
static void describe_functions(const program *p, csspgo_ctx_function *function, csspgo_loc *loc)
{
    uint32_t f, i;
    for (f = 0; f < p->count; f++) {
        csspgo_loc *counter = loc, *site = loc + p->f[f].blocks;
        function[f].guid = csspgo_guid(p->f[f].name, strlen(p->f[f].name));
        function[f].name = p->f[f].name;
        function[f].name_size = strlen(p->f[f].name);
        function[f].counter = counter;
        function[f].counters = p->f[f].blocks;
        function[f].site = site;
        function[f].sites = p->f[f].calls;
        for (i = 0; i < p->f[f].count; i++) {
            const insn *n = &p->f[f].code[i];
            if (n->leads) counter[n->counter] = csspgo_loc_at(n->block, 0);
            if (n->site != 0) site[n->call] = csspgo_loc_at(n->site, 0);
        }
        loc += p->f[f].blocks + p->f[f].calls;
    }
}

/* What was counted since the last time, added to p. Nothing of the program may be running. */
csspgo_status counting_profile(counting *c, csspgo_profile *p)
{
    csspgo_ctx_function function[MAX_FUNCS];
    csspgo_loc *loc = (csspgo_loc *)calloc(2 * MAX_FUNCS * MAX_CODE, sizeof *loc);
    csspgo_error e;
    csspgo_ctx *counts = csspgo_ctx_new(NULL, &e);
    csspgo_profile *q = csspgo_profile_new(NULL, &e);
    csspgo_status s = counts != NULL && q != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    if (loc == NULL) abort();
    memset(function, 0, sizeof function);
    describe_functions(c->p, function, loc);
    if (s == CSSPGO_OK) s = csspgo_ctx_snapshot(c->runtime, NULL, counts, NULL, &e);
    if (s == CSSPGO_OK) s = csspgo_ctx_profile(counts, function, c->p->count, q, &e);
    if (s == CSSPGO_OK) csspgo_profile_set_flags(q, csspgo_profile_flags(q) | CSSPGO_IS_PROBE);
    if (s == CSSPGO_OK) s = csspgo_add_profile(p, q, &e);
    if (s == CSSPGO_OK) csspgo_ctx_reset(c->runtime, NULL);
    csspgo_profile_free(q);
    csspgo_ctx_free(counts);
    free(loc);
    return s;
}
