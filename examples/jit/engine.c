/* engine.c - code memory */
#include "jit.h"

#if JIT_MACHINE

static void protect(const engine *g, int how)
{
    if (mprotect((void *)(uintptr_t)g->code, CODE_BYTES, how) != 0) {
        perror("jit: mprotect");
        exit(1);
    }
}

/* The lowest free address with `size` bytes, 0 if there is none. */
static uint64_t find_room(const engine *g, uint64_t size)
{
    uint64_t at = g->first;
    size_t i = 0;
    while (i < MAX_PIECES) {
        const piece *s = &g->piece[i++];
        if (s->end == 0 || at >= s->end || at + size <= s->begin) continue;
        at = (s->end + 15) & ~(uint64_t)15;
        i = 0;
    }
    return at + size <= g->code_end ? at : 0;
}

/*
 * Tells csspgo of new code. If that fails csspgo forgets what it took, so that it never sees code without its tables;
 * if even that fails no samples are taken any more.
 */
static void describe(engine *g, const emitter *e, uint32_t f, uint64_t at)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function c;
    csspgo_status s;
    memset(&c, 0, sizeof c);
    c.begin = at;
    c.end = at + e->count;
    c.name = g->p->f[f].name;
    c.name_size = strlen(c.name);
    s = csspgo_code_add_function(g->map, none, &c, NULL);
    if (s == CSSPGO_OK) s = csspgo_code_add_transfers(g->map, none, e->transfer, e->transfers, NULL);
    if (s == CSSPGO_OK)
        s = csspgo_code_add_probes(g->map, none, e->inlined, e->u->copies, e->probe, e->probes, NULL);
    if (s != CSSPGO_OK && csspgo_code_remove(g->map, c.begin, c.end, NULL) != CSSPGO_OK) g->deaf = 1;
}

/* Frees a function's code. Samples of it must have been handed to csspgo, and nothing may run in it. */
static void remove_code(engine *g, uint32_t f)
{
    piece *s = &g->piece[g->of[f]];
    free(s->segment);
    s->segment = NULL;
    s->segments = 0;
    s->func = MAX_FUNCS;
    if (g->map == NULL || csspgo_code_remove(g->map, s->begin, s->end, NULL) == CSSPGO_OK) s->begin = s->end = 0;
}

static void set_tables(engine *g, uint32_t f, uint64_t at)
{
    uint64_t *table = (uint64_t *)(uintptr_t)g->table;
    table[f] = at;
    if (g->p->f[f].params < MAX_PARAMS && g->p->f[f].referred) table[MAX_FUNCS * (1 + g->p->f[f].params) + f] = at;
}

int has_code(const engine *g, uint32_t f)
{
    return g->piece[g->of[f]].end != 0 && g->piece[g->of[f]].func == f;
}

/* Compiles a function and puts the code in place of what it had. Returns 0, with the old code, if there is no room. */
int compile(engine *g, uint32_t f, uint32_t tier, const plan *how)
{
    const int old = has_code(g, f);
    unit u;
    emitter e;
    plan here = *how;
    uint64_t at;
    size_t i;
    here.counted = tier == 1 && g->counted;
    build_unit(&u, g->p, f, &here);
    memset(&e, 0, sizeof e);
    e.u = &u;
    e.e = g;
    e.func = f;
    emit_unit(&e, g->p->f[f].params);
    e.inlined = (csspgo_inline_node *)calloc(u.copies, sizeof *e.inlined);
    if (e.inlined == NULL) abort();
    for (i = 0; i < u.copies; i++) {
        e.inlined[i].guid = csspgo_guid(g->p->f[u.copy[i].func].name, strlen(g->p->f[u.copy[i].func].name));
        e.inlined[i].parent = i == 0 ? 0 : u.copy[i].parent + 1;
        e.inlined[i].site = u.copy[i].site;
    }
    at = find_room(g, e.count);
    for (i = 0; i < MAX_PIECES && g->piece[i].end != 0; i++) {}
    if (at != 0 && i < MAX_PIECES) {
        piece *s;
        if (old) {
            remove_code(g, f);
            at = find_room(g, e.count);
            for (i = 0; g->piece[i].end != 0; i++) {}
        }
        s = &g->piece[i];
        relocate(&e, at);
        protect(g, PROT_READ | PROT_WRITE);
        memcpy((void *)(uintptr_t)at, e.byte, e.count);
        protect(g, PROT_READ | PROT_EXEC);
        s->begin = at;
        s->end = at + e.count;
        s->func = f;
        s->tier = tier;
        s->calls = e.calls;
        s->segment = e.segment;
        s->segments = e.segments;
        e.segment = NULL;
        g->of[f] = (uint32_t)i;
        if (at < g->high) g->reused += (s->end < g->high ? s->end : g->high) - at;
        if (s->end > g->high) g->high = s->end;
        set_tables(g, f, at);
        if (g->map != NULL && !g->deaf) describe(g, &e, f, at);
        if (tier == 2) hot_look(&g->hot, &u, f);
    } else at = 0;
    emitter_free(&e);
    unit_free(&u);
    return at != 0;
}

/* Frees the code of functions that main's code cannot reach: all calls of them were inlined. */
void drop_unreachable(engine *g)
{
    uint64_t reached = reg_bit(func_named(g->p, "main")), before = 0;
    uint32_t f;
    for (f = 0; f < g->p->count; f++) if (g->p->f[f].referred) reached |= reg_bit(f);
    while (before != reached) {
        before = reached;
        for (f = 0; f < g->p->count; f++)
            if (before & reg_bit(f) && has_code(g, f)) reached |= g->piece[g->of[f]].calls;
    }
    for (f = 0; f < g->p->count; f++) {
        if (reached & reg_bit(f) || !has_code(g, f)) continue;
        remove_code(g, f);
        set_tables(g, f, g->trap);
    }
}

/* The way in: enter(code, argument) saves what C expects to keep, switches stacks and calls. step 1: the trap flag is
   set. */
static uint64_t emit_stub(engine *g, uint64_t at, int step, uint64_t *call)
{
    static const unsigned char save[] = { 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57 };
    static const unsigned char restore[] = { 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3 };
    static const unsigned char set[] = { 0x9c, 0x81, 0x0c, 0x24, 0, 1, 0, 0, 0x9d };
    static const unsigned char clear[] = { 0x9c, 0x81, 0x24, 0x24, 0xff, 0xfe, 0xff, 0xff, 0x9d };
    unsigned char *const begin = (unsigned char *)(uintptr_t)at;
    unsigned char *b = begin;
    int part;
    memcpy(b, save, sizeof save);
    b += sizeof save;
    memcpy(b, "\x48\x89\x24\x25", 4); put32(b + 4, g->table + TABLE_RSP); b += 8;      /* mov [rsp of C], rsp */
    memcpy(b, "\x48\xc7\xc4", 3); put32(b + 3, g->stack + STACK_BYTES); b += 7;        /* mov rsp, stack      */
    memcpy(b, "\x48\x89\xf0\x31\xed", 5); b += 5;                                      /* mov rax, rsi; xor ebp, ebp */
    if (step) { memcpy(b, set, sizeof set); b += sizeof set; }
    *call = (uint64_t)(uintptr_t)b;
    memcpy(b, "\xff\xd7", 2); b += 2;                                                  /* call rdi */
    for (part = 0; part < 2; part++) {
        if (part == 1) {
            g->trap = (uint64_t)(uintptr_t)b;
            memcpy(b, "\xc7\x04\x25", 3); put32(b + 3, g->table + TABLE_TRAPPED); put32(b + 7, 1); b += 11;
        }
        memcpy(b, clear, sizeof clear); b += sizeof clear;
        memcpy(b, "\x48\x8b\x24\x25", 4); put32(b + 4, g->table + TABLE_RSP); b += 8;
        memcpy(b, restore, sizeof restore);
        b += sizeof restore;
    }
    return ((uint64_t)(uintptr_t)b + 15) & ~(uint64_t)15;
}

void engine_free(engine *g)
{
    size_t i;
    if (g == NULL) return;
    for (i = 0; i < MAX_PIECES; i++) free(g->piece[i].segment);
    if (g->counts != NULL) counting_close(g->counts);
    if (g->low != NULL) munmap(g->low, g->low_bytes);
    csspgo_collector_free(g->collector);
    csspgo_code_free(g->map);
    free(g);
}

/* What observes tier 1. If csspgo has no memory it runs all the same, unobserved. */
static void engine_watch(engine *g, int watch, const csspgo_options *options)
{
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.keep_leaves = 1;              /* our stacks are right wherever a sample is taken */
    how.limit_recursion = 1;          /* and contexts as deep as they are                */
    if (watch == SAMPLED) {
        g->map = csspgo_code_new(options, NULL);
        g->collector = g->map == NULL ? NULL : csspgo_collector_new(g->map, &how, options, NULL);
        if (g->collector == NULL) {
            csspgo_code_free(g->map);
            g->map = NULL;
        }
    }
    if (watch == COUNTED) {
        counting *c = (counting *)(uintptr_t)(g->table + TABLE_BYTES + WORDS * 8);
        if (counting_open(c, g->p, options)) g->counts = c;
        if (g->counts != NULL) g->first = g->high = emit_counting_stubs(g, g->first);
        g->counted = g->counts != NULL;
    }
}

/* A machine with all functions compiled in tier 1; NULL without memory below 2 GB. */
engine *engine_new(const program *p, int watch, const csspgo_options *options)
{
    engine *g = (engine *)calloc(1, sizeof *g);
    uint64_t ignored;
    plan nothing;
    uint32_t f, i;
    if (g == NULL) return NULL;
    g->p = p;
    g->low_bytes = TABLE_BYTES + STACK_BYTES + WORDS * 8 + COUNTING_BYTES + CODE_BYTES;
    g->low = (unsigned char *)mmap(NULL, g->low_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
                                   -1, 0);
    if (g->low == (unsigned char *)MAP_FAILED) g->low = NULL;
    if (g->low == NULL || (uint64_t)(uintptr_t)g->low + g->low_bytes > INT32_MAX) {
        engine_free(g);
        return NULL;
    }
    g->stack = (uint64_t)(uintptr_t)g->low;
    g->table = g->stack + STACK_BYTES;
    g->array = (int64_t *)(uintptr_t)(g->table + TABLE_BYTES);
    g->code = g->table + TABLE_BYTES + WORDS * 8 + COUNTING_BYTES;
    g->code_end = g->code + CODE_BYTES;
    g->enter = g->code;
    g->enter_stepping = emit_stub(g, g->enter, 0, &ignored);
    g->first = g->high = emit_stub(g, g->enter_stepping, 1, &g->stepping_call);
    for (i = 0; i < MAX_FUNCS * 5; i++) ((uint64_t *)(uintptr_t)g->table)[i] = g->trap;
    engine_watch(g, watch, options);
    memset(&nothing, 0, sizeof nothing);
    for (f = 0; f < p->count; f++) {
        g->of[f] = 0;
        if (!compile(g, f, 1, &nothing)) {
            engine_free(g);
            return NULL;
        }
    }
    protect(g, PROT_READ | PROT_EXEC);
    return g;
}

outcome engine_run(engine *g, uint32_t f, int64_t argument, int step)
{
    int64_t (*enter)(uint64_t code, int64_t argument);
    const uint64_t stub = step ? g->enter_stepping : g->enter;
    uint32_t *trapped = (uint32_t *)(uintptr_t)(g->table + TABLE_TRAPPED);
    csspgo_ctx_mark mark;
    outcome out;
    memset(&mark, 0, sizeof mark);
    memcpy(&enter, &stub, sizeof enter);
    *trapped = 0;
    if (g->counts != NULL) mark = csspgo_ctx_thread_mark(&g->counts->thread);
    out.value = enter(((const uint64_t *)(uintptr_t)g->table)[f], argument);
    if (g->counts != NULL) csspgo_ctx_thread_unwind(&g->counts->thread, mark);   /* a trap leaves no function */
    out.trapped = (int)*trapped;
    return out;
}

/* The code that an address is in, or NULL. Called by signal handlers. */
const piece *piece_at(const engine *g, uint64_t address)
{
    size_t i;
    if (address < g->first || address >= g->code_end) return NULL;
    for (i = 0; i < MAX_PIECES; i++)
        if (address >= g->piece[i].begin && address < g->piece[i].end) return &g->piece[i];
    return NULL;
}

size_t code_bytes(const engine *g)
{
    size_t i, bytes = 0;
    for (i = 0; i < MAX_PIECES; i++) if (g->piece[i].func != MAX_FUNCS) bytes += g->piece[i].end - g->piece[i].begin;
    return bytes;
}

#endif
