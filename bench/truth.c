/* truth.c - how far profiles are from what a program did
 *
 *     truth [-l | -f] PROGRAM RECORDING [WINDOWS [SEED]]
 *     truth [-l | -f] PROGRAM -p PROFILE PROFILE   the second profile's error and overlap against the first one's
 *     truth [-l | -f] PROGRAM -t RECORDING PROFILE...   the errors of profiles of the whole recording
 *
 * Profiles are by probes, -l: by source line, -f: by source line without contexts (as AutoFDO's).
 *
 * RECORDING is a script without gaps: `csspgo record --software --jitter=0 --period=31 --depth=32 --frame-pointers`
 * writes windows of 32 branches that overlap by one, so together they are every branch of the run. They are walked
 * forwards with a shadow stack, and each probe that is passed is counted in its context: that is the truth. It shares
 * no code with the unwinder and the generator but the code map's tables.
 *
 * The same stream is then cut into samples again, and profiles are made of them: by csspgo as it is by default, by
 * LLVM's rules (--llvm-compat, equal to llvm-profgen 19 byte for byte) and by an ideal unwinder, which is told the true
 * context of every branch in the same windows: its error is that of sampling alone.
 *
 * Last: profiles of samples without branch records, an address and a stack at random moments, beside as many windows.
 *
 * Errors are weighted relative deltas of block probes: with counts normalized to sum 1, the sum of |p - q| over the sum
 * of max(p, q), so 0 is best and 1 means nothing in common; overlap is the sum of min(p, q). Two numbers: contexts
 * added up / every context by itself.
 *
 * By line, a location ran as often as its most frequent instruction, times the duplication factor of its discriminator,
 * and at least as often as something was called or inlined there. Errors are of locations that have instructions.
 *
 * Exit status 1: a dense cut was not exact (by line: 0.1 % off), or a random one more than 10 % off the ideal.
 */
#undef  CSSPGO_IMPLEMENTATION_INCLUDED   /* with a copy of the library of its own */
#define CSSPGO_STATIC
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "../examples/load.h"
#define CSSPGO_TOOL_LIBRARY_H                  /* the files of the tool find the library here, not in library.h */
#include "truth_lines.h"

typedef struct cell { uint64_t key, count; } cell;

typedef struct table {            /* key (not 0) -> count; open addressing */
    cell  *v;
    size_t mask, n;
} table;

static void die(const char *what)
{
    fprintf(stderr, "truth: %s\n", what);
    exit(2);
}

static void *allocate(size_t n, size_t elem)
{
    void *p = calloc(n != 0 ? n : 1, elem);
    if (p == NULL) die("out of memory");
    return p;
}

static uint64_t *table_at(table *t, uint64_t key);

static void table_grow(table *t)
{
    table old = *t;
    size_t i;
    t->mask = old.v != NULL ? old.mask * 2 + 1 : 1023;
    t->v = (cell *)allocate(t->mask + 1, sizeof *t->v);
    t->n = 0;
    for (i = 0; old.v != NULL && i <= old.mask; i++)
        if (old.v[i].key != 0) *table_at(t, old.v[i].key) = old.v[i].count;
    free(old.v);
}

static uint64_t *table_at(table *t, uint64_t key)
{
    size_t i;
    if (key == 0) key = 1;
    if (t->v == NULL || t->n * 2 > t->mask) table_grow(t);
    for (i = (size_t)(key >> 20) & t->mask; t->v[i].key != 0 && t->v[i].key != key; i = (i + 1) & t->mask) {}
    if (t->v[i].key == 0) t->n++;
    t->v[i].key = key;
    return &t->v[i].count;
}

static uint64_t table_get(const table *t, uint64_t key)
{
    size_t i;
    if (key == 0) key = 1;
    if (t->v == NULL) return 0;
    for (i = (size_t)(key >> 20) & t->mask; t->v[i].key != 0; i = (i + 1) & t->mask)
        if (t->v[i].key == key) return t->v[i].count;
    return 0;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9E3779B97F4A7C15);
    a ^= a >> 29;
    a = (a + b) * UINT64_C(0xBF58476D1CE4E5B9);
    return a ^ a >> 32;
}

/* ----- the stream: every branch of the run, in order of time ----- */

typedef struct branch { uint64_t from, to; uint32_t a, b; } branch;    /* a, b: positions in the code map */

typedef struct frame {            /* an open call */
    uint64_t back;                /* return address */
    uint32_t site, before;        /* position of the call; context before it */
} frame;

typedef struct context { uint32_t parent, site, depth; } context;

typedef struct run {
    loaded   image;
    line_map lines;               /* of a program without probes */
    branch  *v;
    size_t   n;
    context *ctx;                 /* [0] none */
    size_t   ctxs, ctx_cap;
    table    ctx_of;              /* (parent, site) -> context */
    frame   *stack;
    size_t   depth, stack_cap;
    uint32_t now;                 /* context */
    size_t   landings;            /* returns of unknown code behind no open call: exceptions */
} run;

static uint32_t pos_of(const run *r, uint64_t address)
{
    return csspgo__pos(r->image.code, address);
}

static csspgo_transfer_kind kind_at(const run *r, uint32_t pos)
{
    return pos != CSSPGO__EXT ? csspgo__insn_kind(r->image.code, pos) : CSSPGO_NONE;
}

/* Joins the windows; each begins with the branch that the one before ended with. */
static void run_read(run *r, const char *path)
{
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    file_bytes f;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    size_t cap = 1 << 16, i, at;
    if (s == NULL || !file_open(path, &f)) die(path);
    r->v = (branch *)allocate(cap, sizeof *r->v);
    csspgo_script_feed(s, f.data, f.size, NULL);
    for (at = 0; at < 2; at++) {
        while ((item = csspgo_script_next(s, &sample, &map, &e)) != CSSPGO_ITEM_NONE) {
            if (item == CSSPGO_ITEM_MMAP) csspgo_code_mmap(r->image.code, &map, NULL, NULL);
            if (item != CSSPGO_ITEM_SAMPLE) continue;
            i = sample.branch_count;
            if (r->n != 0 && (sample.branches[i - 1].from != r->v[r->n - 1].from ||
                              sample.branches[i - 1].to != r->v[r->n - 1].to))
                die("the recording has gaps");
            if (r->n != 0) i--;
            while (i-- > 0) {
                if (r->n == cap) {
                    r->v = (branch *)realloc(r->v, (cap *= 2) * sizeof *r->v);
                    if (r->v == NULL) die("out of memory");
                }
                r->v[r->n].from = sample.branches[i].from;
                r->v[r->n++].to = sample.branches[i].to;
            }
        }
        if (e.status != CSSPGO_OK) die(e.message);
        csspgo_script_end(s);
    }
    csspgo_script_free(s);
    file_close(&f);
    for (i = 0; i < r->n; i++) {
        r->v[i].a = pos_of(r, r->v[i].from);
        r->v[i].b = pos_of(r, r->v[i].to);
    }
}

static uint32_t context_below(run *r, uint32_t parent, uint32_t site)
{
    uint64_t *id = table_at(&r->ctx_of, (uint64_t)parent << 32 | site);
    context *c;
    if (*id != 0) return (uint32_t)*id;
    if (r->ctxs == r->ctx_cap) {
        r->ctx_cap = r->ctx_cap * 2 + 1024;
        r->ctx = (context *)realloc(r->ctx, r->ctx_cap * sizeof *r->ctx);
        if (r->ctx == NULL) die("out of memory");
    }
    c = &r->ctx[r->ctxs];
    c->parent = parent;
    c->site = site;
    c->depth = r->ctxs != 0 ? r->ctx[parent].depth + 1 : 0;
    *id = r->ctxs++;
    return (uint32_t)*id;
}

static void run_free(run *r)
{
    free(r->v);
    free(r->ctx);
    free(r->ctx_of.v);
    free(r->stack);
    line_free(&r->lines);
    load_free(&r->image);
}

static void run_rewind(run *r)
{
    r->depth = 0;
    r->now = 0;
    if (r->ctxs == 0) context_below(r, 0, 0);
}

static uint32_t function_at(const run *r, uint32_t pos)
{
    const csspgo__range *f = pos != CSSPGO__EXT ? csspgo__range_of(r->image.code, pos) : NULL;
    return f != NULL ? f->func : 0;
}

static void pop_to(run *r, size_t depth)
{
    r->now = r->stack[depth].before;
    r->depth = depth;
}

static void push(run *r, uint64_t back, uint32_t site)
{
    frame *f;
    if (r->depth == r->stack_cap) {
        r->stack_cap = r->stack_cap * 2 + 1024;
        r->stack = (frame *)realloc(r->stack, r->stack_cap * sizeof *r->stack);
        if (r->stack == NULL) die("out of memory");
    }
    f = &r->stack[r->depth++];
    f->back = back;
    f->site = site;
    f->before = r->now;
    r->now = site != CSSPGO__EXT ? context_below(r, r->now, site) : 0;
}

/*
 * What a branch does to the stack. Unknown code is followed too: it calls functions at their entry. Where it goes back
 * to known code that is not behind an open call, it is an exception: the innermost call out of that function is where
 * it lands.
 */
static void step(run *r, const branch *b)
{
    const csspgo_transfer_kind kind = kind_at(r, b->a);
    size_t k;
    if (kind == CSSPGO_CALL) {
        const uint32_t after = csspgo__next_start(r->image.code, b->a);
        push(r, b->from + (after - b->a), b->a);
    } else if (kind == CSSPGO_RET || (b->a == CSSPGO__EXT && b->b != CSSPGO__EXT)) {
        for (k = r->depth; k != 0 && r->stack[k - 1].back != b->to; k--) {}
        if (k == 0 && b->a == CSSPGO__EXT && csspgo__is_entry(r->image.code, b->b)) {
            push(r, 1, CSSPGO__EXT);
            return;
        }
        if (k == 0 && b->a == CSSPGO__EXT) {
            for (k = r->depth, r->landings++; k != 0; k--)
                if (function_at(r, r->stack[k - 1].site) == function_at(r, b->b)) break;
        } else if (k == 0) {
            k = r->depth;                               /* back into unknown code that called an entry */
        }
        if (k != 0) pop_to(r, k - 1);
    }
}

/* ----- what a context is called: hashes of its frames ----- */

typedef struct names {            /* frames: pairs of GUID and call site */
    uint64_t *v;
    size_t    n, cap;
} names;

static void names_put(names *p, uint64_t v)
{
    if (p->n == p->cap) {
        p->cap = p->cap * 2 + 256;
        p->v = (uint64_t *)realloc(p->v, p->cap * sizeof *p->v);
        if (p->v == NULL) die("out of memory");
    }
    p->v[p->n++] = v;
}

static uint64_t guid_of(const run *r, uint32_t func)
{
    return csspgo__func_name(r->image.code, func)->guid;
}

/* 1 if the program is profiled by source line. */
static int by_line(const run *r)
{
    return r->lines.table != NULL;
}

/* The same of a copy's inline stack by line. */
static void names_around_copy(const run *r, names *p, uint32_t node)
{
    const line_copy *in = r->lines.copy;
    uint32_t chain[256], n = 0;
    for (; in[node].parent != 0 && n < 256; node = in[node].parent) chain[n++] = node;
    while (n-- > 0) names_put(p, mix(in[in[chain[n]].parent].guid, line_key(in[chain[n]].site)));
}

/* The inline stack of a node, outermost first, its own call site excepted. What is outside an unknown site goes. */
static void names_around(const run *r, names *p, uint32_t node)
{
    const csspgo_code *c = r->image.code;
    uint32_t chain[256], n = 0;
    if (by_line(r)) {
        names_around_copy(r, p, node);
        return;
    }
    for (; csspgo__inline_of(c, node)->parent != 0 && n < 256; node = csspgo__inline_of(c, node)->parent) chain[n++] = node;
    while (n-- > 0) {
        const csspgo__code_inline *in = csspgo__inline_of(c, chain[n]);
        if (in->site == 0) p->n = 0;
        else names_put(p, mix(guid_of(r, csspgo__inline_of(c, in->parent)->func), in->site));
    }
}

static const csspgo__code_probe *call_probe(const run *r, uint32_t pos)
{
    const csspgo__code_probe *p;
    size_t i;
    for (i = 0; (p = csspgo__probe_at(r->image.code, pos, i)) != NULL; i++)
        if (p->kind != CSSPGO_PROBE_BLOCK) return p;
    return NULL;
}

/* Cycles of any length once, the shortest first. */
static size_t squeeze(uint64_t *p, size_t size)
{
    size_t n, i, k, most = size / 2;
    for (n = 1; n <= most; n++) {
        for (i = k = 0; i < size; i++) {
            p[k++] = p[i];
            if (k >= 2 * n && memcmp(p + k - n, p + k - 2 * n, n * sizeof *p) == 0) k -= n;
        }
        size = k;
        if (most > size / 2) most = size / 2;
    }
    return size;
}

/* The frames of a call. What is outside an unknown one goes. */
static void names_call(const run *r, names *p, uint32_t pos)
{
    const csspgo_line_row *row = by_line(r) ? line_at(&r->lines, pos) : NULL;
    const csspgo__code_probe *call = by_line(r) ? NULL : call_probe(r, pos);
    if (row != NULL) {
        names_around(r, p, row->inline_node);
        names_put(p, mix(r->lines.copy[row->inline_node].guid, line_key(row->loc)));
    } else if (call != NULL) {
        names_around(r, p, call->node);
        names_put(p, mix(guid_of(r, csspgo__inline_of(r->image.code, call->node)->func), call->id));
    } else {
        p->n = 0;
    }
}

/* The frames of a context. */
static void names_of(const run *r, names *p, uint32_t ctx)
{
    size_t n = 0, i;
    uint64_t *sites;
    p->n = 0;
    if (r->lines.flat) return;
    sites = (uint64_t *)allocate(r->ctx[ctx].depth + 1, sizeof *sites);
    for (; ctx != 0; ctx = r->ctx[ctx].parent) sites[n++] = r->ctx[ctx].site;
    for (i = 0; i < n / 2; i++) {
        const uint64_t t = sites[i];
        sites[i] = sites[n - 1 - i];
        sites[n - 1 - i] = t;
    }
    n = squeeze(sites, n);
    for (i = 0; i < n; i++) names_call(r, p, (uint32_t)sites[i]);
    free(sites);
}

static uint64_t names_hash(const names *p)
{
    uint64_t h = 1;
    size_t i;
    for (i = 0; i < p->n; i++) h = mix(h, p->v[i]);
    return h;
}

/* ----- profiles as tables ----- */

typedef struct counts {
    table all;                    /* (context, function, probe): every probe              */
    table context, block;         /* block probes: per context; whatever the context      */
} counts;

static void counts_free(counts *c)
{
    free(c->all.v);
    free(c->context.v);
    free(c->block.v);
}

static uint64_t probe_key(uint64_t guid, uint64_t id)
{
    return mix(guid, id);
}

static void count_probe(counts *c, uint64_t around, uint64_t guid, uint64_t id, int block, uint64_t count)
{
    const uint64_t key = probe_key(guid, id);
    if (count == 0) return;
    *table_at(&c->all, mix(around, key)) += count;
    if (!block) return;
    *table_at(&c->context, mix(around, key)) += count;
    *table_at(&c->block, key) += count;
}

/* Raw events of the truth or of an ideal unwinder: (context, from, to) -> count, ranges and branches. */
typedef struct event { uint32_t ctx, a, b; uint64_t count; } event;

typedef struct events {
    table  at;                    /* -> index + 1 */
    event *v;
    size_t n, cap;
} events;

static void events_add(events *e, uint32_t ctx, uint32_t a, uint32_t b, int is_branch, uint64_t count)
{
    uint64_t *i = table_at(&e->at, mix(mix((uint64_t)ctx << 1 | (unsigned)is_branch, a), b));
    if (*i == 0) {
        if (e->n == e->cap) {
            e->cap = e->cap * 2 + 4096;
            e->v = (event *)realloc(e->v, e->cap * sizeof *e->v);
            if (e->v == NULL) die("out of memory");
        }
        e->v[e->n].ctx = ctx;
        e->v[e->n].a = a;
        e->v[e->n].b = is_branch ? b | 0x80000000u : b;
        e->v[e->n].count = 0;
        *i = ++e->n;
    }
    e->v[*i - 1].count += count;
}

static void events_free(events *e)
{
    free(e->v);
    free(e->at.v);
}

/* Names do not change between the events of one context, nor the hash of an inline node's frames: kept in a table. */
static uint64_t around_of(const run *r, table *known, names *p, uint32_t ctx, uint32_t node)
{
    uint64_t *h = table_at(known, mix((uint64_t)ctx + 1, node));
    if (*h != 0) return *h;
    names_of(r, p, ctx);
    names_around(r, p, node);
    p->n = squeeze(p->v, p->n);
    return *h = names_hash(p);
}

/* An inlined entry that runs is a call in the function around it. */
static void count_entry(const run *r, counts *c, names *p, uint32_t ctx, uint32_t node, uint64_t count)
{
    const csspgo__code_inline *in = csspgo__inline_of(r->image.code, node);
    const uint32_t func = csspgo__inline_of(r->image.code, in->parent)->func;
    if (in->parent == 0 || in->site == 0) return;
    names_of(r, p, ctx);
    names_around(r, p, node);
    p->n = squeeze(p->v, p->n) - 1;                    /* the last frame is the one that counts */
    count_probe(c, names_hash(p), guid_of(r, func), in->site, 0, count);
}

static void count_event(const run *r, counts *c, table *known, names *p, const event *e)
{
    const csspgo_code *code = r->image.code;
    const csspgo__code_probe *call;
    uint32_t pos;
    if (e->b & 0x80000000u) {
        call = e->a != CSSPGO__EXT ? call_probe(r, e->a) : NULL;
        if (call != NULL)
            count_probe(c, around_of(r, known, p, e->ctx, call->node),
                        guid_of(r, csspgo__inline_of(code, call->node)->func),
                        call->id, 0, e->count);
        return;
    }
    for (pos = e->a; pos != 0 && pos <= e->b; pos = csspgo__next_start(code, pos)) {
        const csspgo__code_probe *b;
        size_t i;
        for (i = 0; (b = csspgo__probe_at(code, pos, i)) != NULL; i++) {
            if (b->kind != CSSPGO_PROBE_BLOCK) continue;
            count_probe(c, around_of(r, known, p, e->ctx, b->node),
                        guid_of(r, csspgo__inline_of(code, b->node)->func), b->id, 1,
                        e->count);
            if (b->id == 1) count_entry(r, c, p, e->ctx, b->node, e->count);
        }
    }
}

/*
 * ----- by line -----
 *
 * A location ran as often as its most frequent instruction, and at least as often as something was called there. Of a
 * call that was inlined no instruction need be left: it ran as often as the first location of what was inlined.
 */

typedef struct line_record {      /* a function in a context                                                  */
    uint64_t around, guid;
    size_t   call, body;          /* index + 1 in line_bodies.v: the call of it if it is inlined; its first one */
    int      called;              /* 1: it also ran out of line, so that calls of it were seen                */
} line_record;

typedef struct line_body { uint64_t key, most, calls; size_t record, next; int raised; } line_body;

typedef struct line_hit {         /* an instruction in a context, or a callee */
    size_t   body;                /* in line_bodies.v                         */
    uint64_t count, factor, callee;
} line_hit;

typedef struct line_bodies {
    table        record_at, at, hit_at;     /* -> index + 1 */
    line_record *record;          /* callers before what is inlined into them */
    line_body   *v;
    line_hit    *hit;
    size_t       records, record_cap, n, cap, hits, hit_cap;
    table        known;
    names        path;
} line_bodies;

static size_t record_at(const run *r, line_bodies *l, uint32_t ctx, uint32_t node);

static size_t body_at(const run *r, line_bodies *l, uint32_t ctx, uint32_t node, csspgo_loc loc)
{
    const size_t record = record_at(r, l, ctx, node);
    uint64_t *i = table_at(&l->at, mix(record + 1, line_key(loc)));
    line_body *b;
    if (*i != 0) return *i - 1;
    if (!debug_room(&l->v, l->n, &l->cap, sizeof *l->v)) die("out of memory");
    b = &l->v[l->n];
    memset(b, 0, sizeof *b);
    b->key = line_key(loc);
    b->record = record;
    b->next = l->record[record].body;
    b->raised = !r->lines.flat || r->lines.copy[node].parent == 0;
    l->record[record].body = *i = ++l->n;
    return l->n - 1;
}

/* The record of a copy in a context. */
static size_t record_at(const run *r, line_bodies *l, uint32_t ctx, uint32_t node)
{
    const line_copy *copy = &r->lines.copy[node];
    const uint64_t around = around_of(r, &l->known, &l->path, ctx, node);
    const uint64_t key = mix(around, copy->guid), known = table_get(&l->record_at, key);
    line_record *v;
    size_t call = 0;
    if (known != 0) {
        if (copy->parent == 0) l->record[known - 1].called = 1;
        return known - 1;
    }
    if (copy->parent != 0 && !r->lines.flat) call = body_at(r, l, ctx, copy->parent, copy->site) + 1;
    if (!debug_room(&l->record, l->records, &l->record_cap, sizeof *l->record)) die("out of memory");
    v = &l->record[l->records];
    v->around = around;
    v->guid = copy->guid;
    v->call = call;
    v->body = 0;
    v->called = copy->parent == 0;
    *table_at(&l->record_at, key) = ++l->records;
    return l->records - 1;
}

static void body_hit(line_bodies *l, size_t body, uint32_t pos, uint64_t factor, uint64_t callee, uint64_t count)
{
    uint64_t *i = table_at(&l->hit_at, mix(mix(body + 1, pos), callee));
    if (*i == 0) {
        if (!debug_room(&l->hit, l->hits, &l->hit_cap, sizeof *l->hit)) die("out of memory");
        l->hit[l->hits].body = body;
        l->hit[l->hits].count = 0;
        l->hit[l->hits].factor = factor;
        l->hit[l->hits].callee = callee;
        *i = ++l->hits;
    }
    l->hit[*i - 1].count += count;
}

static void count_line_event(const run *r, line_bodies *l, const event *e)
{
    const csspgo_code *code = r->image.code;
    const uint32_t to = e->b & 0x7fffffffu;
    const csspgo_line_row *row;
    uint32_t pos;
    if (e->b & 0x80000000u) {
        row = line_at(&r->lines, e->a);
        if (row != NULL && !r->lines.copy[row->inline_node].start_up && csspgo__is_entry(code, to))
            body_hit(l, body_at(r, l, e->ctx, row->inline_node, row->loc), 0, 0, guid_of(r, function_at(r, to)),
                     e->count);
        return;
    }
    for (pos = e->a; pos != 0 && pos <= e->b; pos = csspgo__next_start(code, pos)) {
        row = line_at(&r->lines, pos);
        if (row != NULL && !r->lines.copy[row->inline_node].start_up)
            body_hit(l, body_at(r, l, e->ctx, row->inline_node, row->loc), pos, line_factor(row->loc), 0, e->count);
    }
}

/* Callees that are inlined at a location somewhere: of their calls a profile has estimates, which are not compared. */
static void list_inlined(const run *r, table *inlined)
{
    size_t i;
    for (i = 1; i <= r->lines.copies; i++) {
        const line_copy *c = &r->lines.copy[i];
        if (c->parent != 0)
            *table_at(inlined, mix(probe_key(r->lines.copy[c->parent].guid, line_key(c->site)), c->guid)) = 1;
    }
}

/* Locations are in order of their lines. */
static uint64_t loc_order(uint64_t key)
{
    return (key & 0xffff) << 32 | key >> 16;
}

static void count_callee(counts *c, const table *inlined, uint64_t around, uint64_t guid, uint64_t key, uint64_t callee,
                         uint64_t count)
{
    const uint64_t called = mix(probe_key(guid, key), callee);
    if (count != 0 && table_get(inlined, called) == 0) *table_at(&c->all, mix(around, called)) += count;
}

/* Instructions become locations; callees count where they were called. */
static void hits_settle(line_bodies *l, counts *c, const table *inlined)
{
    size_t i;
    for (i = 0; i < l->hits; i++) {
        const line_hit *h = &l->hit[i];
        line_body *b = &l->v[h->body];
        const line_record *of = &l->record[b->record];
        if (h->callee != 0) {
            b->calls += h->count;
            count_callee(c, inlined, of->around, of->guid, b->key, h->callee, h->count);
        } else if (b->most < h->count * h->factor) {
            b->most = h->count * h->factor;
        }
    }
}

static void list_blocks(const run *r, table *blocks);

static counts counts_of_line_events(const run *r, const events *e)
{
    line_bodies l;
    table inlined, own;
    counts c;
    size_t i, k;
    memset(&l, 0, sizeof l);
    memset(&c, 0, sizeof c);
    memset(&inlined, 0, sizeof inlined);
    memset(&own, 0, sizeof own);
    list_inlined(r, &inlined);
    list_blocks(r, &own);
    for (i = 0; i < e->n; i++) count_line_event(r, &l, &e->v[i]);
    hits_settle(&l, &c, &inlined);
    for (i = l.records; i-- > 0;) {               /* what is inlined before what it is inlined into */
        const line_record *of = &l.record[i];
        const line_body *first = NULL;
        for (k = of->body; k != 0; k = l.v[k - 1].next) {
            line_body *b = &l.v[k - 1];
            if (b->raised && b->calls > b->most) b->most = b->calls;
            if (first == NULL || loc_order(b->key) < loc_order(first->key)) first = b;
            if (table_get(&own, probe_key(of->guid, b->key)) != 0)
                count_probe(&c, of->around, of->guid, b->key, 1, b->most);
        }
        if (of->call != 0 && !of->called && first != NULL)
            l.v[of->call - 1].calls += first->most != 0 ? first->most : 1;
    }
    free(l.record_at.v);
    free(l.at.v);
    free(l.hit_at.v);
    free(l.record);
    free(l.v);
    free(l.hit);
    free(l.known.v);
    free(l.path.v);
    free(inlined.v);
    free(own.v);
    return c;
}

static counts counts_of_events(const run *r, const events *e)
{
    counts c;
    table known;
    names p;
    size_t i;
    if (by_line(r)) return counts_of_line_events(r, e);
    memset(&c, 0, sizeof c);
    memset(&known, 0, sizeof known);
    memset(&p, 0, sizeof p);
    for (i = 0; i < e->n; i++) count_event(r, &c, &known, &p, &e->v[i]);
    free(known.v);
    free(p.v);
    return c;
}

/* 1 if a function's probe is a block; probes that occur nowhere are none. By line: locations that have instructions. */
static void list_blocks(const run *r, table *blocks)
{
    size_t i;
    for (i = 0; by_line(r) && i < r->image.code->bytes; i++) {
        const csspgo_line_row *row = line_at(&r->lines, (uint32_t)i);
        if (row != NULL) *table_at(blocks, probe_key(r->lines.copy[row->inline_node].guid, line_key(row->loc))) = 1;
    }
    for (i = 0; i < r->image.code->probes; i++) {
        const csspgo__code_probe *p = csspgo__probe_of(r->image.code, i);
        if (p->kind == CSSPGO_PROBE_BLOCK)
            *table_at(blocks, probe_key(guid_of(r, csspgo__inline_of(r->image.code, p->node)->func), p->id)) = 1;
    }
}

/* A location of a profile, whose discriminators are decoded. */
static uint64_t loc_key(const run *r, csspgo_loc loc)
{
    return by_line(r) ? (uint64_t)loc.discriminator << 16 | loc.line : loc.line;
}

/* Adds what a record has: by line only the locations with instructions, since the others are estimates. */
static void count_record(const run *r, counts *c, const table *blocks, const table *inlined, csspgo_profile *p,
                         csspgo_node node, uint64_t around)
{
    const uint64_t guid = csspgo_func_guid(p, csspgo_node_func(p, node));
    size_t n, i, k;
    const csspgo_body *b = csspgo_get_bodies(p, node, &n);
    for (i = 0; i < n; i++) {
        const uint64_t key = loc_key(r, b[i].loc);
        const int block = table_get(blocks, probe_key(guid, key)) != 0;
        size_t callees = 0;
        const csspgo_target *t = by_line(r) ? csspgo_get_targets_at(p, node, b[i].loc, &callees) : NULL;
        if (block || !by_line(r)) count_probe(c, around, guid, key, block, b[i].count);
        for (k = 0; t != NULL && k < callees; k++)
            count_callee(c, inlined, around, guid, key, csspgo_func_guid(p, t[k].func), t[k].count);
    }
}

static counts counts_of_profile(const run *r, csspgo_profile *p)
{
    counts c;
    table blocks, inlined;
    names path;
    csspgo_node node, up;
    memset(&c, 0, sizeof c);
    memset(&blocks, 0, sizeof blocks);
    memset(&path, 0, sizeof path);
    memset(&inlined, 0, sizeof inlined);
    list_blocks(r, &blocks);
    list_inlined(r, &inlined);
    for (node.id = 2; node.id <= csspgo_node_count(p) + 1; node.id++) {
        size_t n, i;
        csspgo_get_bodies(p, node, &n);
        if (n == 0) continue;
        path.n = 0;
        for (up = node; csspgo_node_parent(p, up).id != csspgo_root(p).id; up = csspgo_node_parent(p, up)) {
            const csspgo_func caller = csspgo_node_func(p, csspgo_node_parent(p, up));
            names_put(&path, mix(csspgo_func_guid(p, caller), loc_key(r, csspgo_node_loc(p, up))));
        }
        for (i = 0; i < path.n / 2; i++) {
            const uint64_t t = path.v[i];
            path.v[i] = path.v[path.n - 1 - i];
            path.v[path.n - 1 - i] = t;
        }
        count_record(r, &c, &blocks, &inlined, p, node, names_hash(&path));
    }
    free(blocks.v);
    free(inlined.v);
    free(path.v);
    return c;
}

static double total_of(const table *t)
{
    double sum = 0;
    size_t i;
    for (i = 0; t->v != NULL && i <= t->mask; i++) sum += (double)t->v[i].count;
    return sum;
}

/* Weighted relative delta. */
static double delta(const table *p, const table *q)
{
    const double pn = total_of(p), qn = total_of(q);
    double off = 0, most = 0;
    size_t i;
    if (pn == 0 || qn == 0) return 2;
    for (i = 0; i <= q->mask; i++) {
        const double x = (double)table_get(p, q->v[i].key) / pn, y = (double)q->v[i].count / qn;
        if (q->v[i].key == 0) continue;
        off += x > y ? x - y : y - x;
        most += x > y ? x : y;
    }
    for (i = 0; i <= p->mask; i++) {
        const double x = (double)p->v[i].count / pn;
        if (p->v[i].key == 0 || table_get(q, p->v[i].key) != 0) continue;
        off += x;
        most += x;
    }
    return off / most;
}

/* Number of probes in contexts whose counts differ. */
static size_t differing(const table *p, const table *q)
{
    size_t i, n = 0;
    for (i = 0; q->v != NULL && i <= q->mask; i++)
        n += q->v[i].key != 0 && table_get(p, q->v[i].key) != q->v[i].count;
    for (i = 0; p->v != NULL && i <= p->mask; i++)
        n += p->v[i].key != 0 && table_get(q, p->v[i].key) == 0 && p->v[i].count != 0;
    return n;
}

/* ----- samples ----- */

enum { EXACT = 0, PROLOGUES = 1 };        /* stacks: as they are; as a walk along frame pointers sees them */
enum { MOST = 32, STACK = 1024 };

typedef struct sampling {
    csspgo_collector *ours, *llvms;
    events            ideal;
} sampling;

static csspgo_collector *collector_new(const run *r, uint32_t compat)
{
    csspgo_collector_options how;
    csspgo_collector *c;
    memset(&how, 0, sizeof how);
    how.llvm = compat ? 19 : 0;
    how.ignore_stack = (uint32_t)r->lines.flat;
    c = csspgo_collector_new(r->image.code, &how, NULL, NULL);
    if (c == NULL) die("out of memory");
    return c;
}

/* A walk along frame pointers misses the caller in the first two instructions of a function and at its return. */
static int is_frameless(const run *r, uint32_t pos)
{
    return pos != CSSPGO__EXT && csspgo__leaf_frameless(r->image.code, pos);
}

/* The stack with its leaf at an address, in the state that the run is in. Returns its size. */
static uint32_t stack_now(const run *r, uint64_t leaf, int mode, uint64_t *stack)
{
    size_t d = r->depth;
    uint32_t n = 0;
    stack[n++] = leaf;
    if (mode == PROLOGUES && is_frameless(r, pos_of(r, leaf)) && d != 0) d--;
    while (d-- > 0 && n < STACK) stack[n++] = r->stack[d].back > 1 ? r->stack[d].back : UINT64_C(0x7ffff0000000) + d;
    return n;
}

/* Hands out the window that ends with branch `last`; the run is in the state behind it. */
static void sample_window(run *r, sampling *s, size_t last, size_t window, int mode)
{
    uint64_t stack[STACK];
    csspgo_branch lbr[MOST];
    csspgo_sample sample;
    size_t i;
    memset(&sample, 0, sizeof sample);
    memset(lbr, 0, sizeof lbr);
    for (i = 0; i < window; i++) {
        lbr[i].from = r->v[last - i].from;
        lbr[i].to = r->v[last - i].to;
    }
    sample.stack = stack;
    sample.stack_count = stack_now(r, r->v[last].to, mode, stack);
    sample.branches = lbr;
    sample.branch_count = (uint32_t)window;
    sample.count = 1;
    if (csspgo_collector_add(s->ours, &sample, 1, NULL) != CSSPGO_OK ||
        csspgo_collector_add(s->llvms, &sample, 1, NULL) != CSSPGO_OK)
        die("out of memory");
}

/* What happens at branch i, in the context that the run is in before it. */
static void events_at(const run *r, events *e, size_t i, uint64_t times)
{
    const branch *b = &r->v[i];
    if (i != 0 && b[-1].b != CSSPGO__EXT && b->a != CSSPGO__EXT) events_add(e, r->now, b[-1].b, b->a, 0, times);
    if (b->b != CSSPGO__EXT) events_add(e, b->a != CSSPGO__EXT ? r->now : 0, b->a, b->b, 1, times);
}

/*
 * Cuts the run into windows: those that end at the branches of ends (ascending, each at least `window`). The ideal
 * unwinder gets what the windows hold but for their oldest branch.
 */
static void sample_run(run *r, sampling *s, const size_t *ends, size_t n, size_t window, int mode)
{
    size_t i, j, k = 0;
    memset(s, 0, sizeof *s);
    s->ours = collector_new(r, 0);
    s->llvms = collector_new(r, 1);
    run_rewind(r);
    for (i = 0; i < r->n && k < n; i++) {
        uint64_t times = 0;                             /* windows that hold branch i, not as their oldest */
        for (j = k; j < n && ends[j] + 1 < i + window; j++) times++;
        if (times != 0) events_at(r, &s->ideal, i, times);
        step(r, &r->v[i]);
        for (; k < n && ends[k] == i; k++) sample_window(r, s, i, window, mode);
    }
}

static csspgo_profile *collected(const run *r, csspgo_collector *c, uint32_t compat)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_generate_options how;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    how.estimate_fn = csspgo_estimate_blocks;
    how.llvm = by_line(r) && compat ? 19 : 0;
    if (p == NULL) die("out of memory");
    if (by_line(r)) csspgo_collector_line_profile(c, r->lines.table, &how, p, NULL, &e);
    else csspgo_collector_profile(c, &how, p, NULL, &e);
    if (e.status != CSSPGO_OK) die(e.message);
    return p;
}

typedef struct errors { double block, context; size_t wrong; } errors;

static errors errors_of(const counts *got, const counts *want)
{
    errors e;
    e.block = delta(&got->block, &want->block);
    e.context = delta(&got->context, &want->context);
    e.wrong = differing(&got->all, &want->all);
    return e;
}

static errors collector_errors(const run *r, csspgo_collector *c, uint32_t compat, const counts *want)
{
    csspgo_profile *p = collected(r, c, compat);
    counts got = counts_of_profile(r, p);
    const errors e = errors_of(&got, want);
    counts_free(&got);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    return e;
}

/* The truth of branches 1 to last. */
static counts truth_of(run *r, size_t last)
{
    events e;
    counts c;
    size_t i;
    memset(&e, 0, sizeof e);
    run_rewind(r);
    for (i = 0; i <= last; i++) {
        if (i != 0) events_at(r, &e, i, 1);
        step(r, &r->v[i]);
    }
    c = counts_of_events(r, &e);
    events_free(&e);
    return c;
}

static int failed;

static void print_dense(const char *name, size_t window, const char *stacks, const counts *want, const errors *ours,
                        const errors *llvms, const csspgo_collector_stats *stats)
{
    printf("| %s | %zu | %s | %zu | %zu | %.4f / %.4f | %zu | %.4f / %.4f | %llu |\n", name, window, stacks,
           want->all.n, ours->wrong, ours->block, ours->context, llvms->wrong, llvms->block, llvms->context,
           (unsigned long long)stats->repaired_stacks);
}

/* The recording's own samples: its stacks are what the kernel's walk along frame pointers gave. */
static void recorded(const run *r, const char *name, const char *path, const counts *want)
{
    csspgo_collector *ours = collector_new(r, 0), *llvms = collector_new(r, 1);
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_collector_stats stats;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    file_bytes f;
    errors a, b;
    if (s == NULL || !file_open(path, &f)) die(path);
    csspgo_script_feed(s, f.data, f.size, NULL);
    while ((item = csspgo_script_next(s, &sample, &map, &e)) != CSSPGO_ITEM_NONE)
        if (item == CSSPGO_ITEM_SAMPLE && (csspgo_collector_add(ours, &sample, 1, NULL) != CSSPGO_OK ||
                                           csspgo_collector_add(llvms, &sample, 1, NULL) != CSSPGO_OK))
            die("out of memory");
    csspgo_script_free(s);
    file_close(&f);
    csspgo_collector_flush(ours, NULL);
    stats = csspgo_collector_get_stats(ours);
    a = collector_errors(r, ours, 0, want);
    b = collector_errors(r, llvms, 1, want);
    print_dense(name, 32, "recorded", want, &a, &b, &stats);
}

static void dense(run *r, const char *name, size_t window, int mode, const char *stacks)
{
    const size_t n = (r->n - 1) / (window - 1);   /* each begins with the last branch of the one before */
    size_t *ends = (size_t *)allocate(n, sizeof *ends), i;
    csspgo_collector_stats stats;
    sampling s;
    counts want;
    errors ours, llvms;
    for (i = 0; i < n; i++) ends[i] = (i + 1) * (window - 1);
    sample_run(r, &s, ends, n, window, mode);
    want = truth_of(r, ends[n - 1]);
    csspgo_collector_flush(s.ours, NULL);
    stats = csspgo_collector_get_stats(s.ours);
    ours = collector_errors(r, s.ours, 0, &want);
    llvms = collector_errors(r, s.llvms, 1, &want);
    print_dense(name, window, stacks, &want, &ours, &llvms, &stats);
    if (by_line(r) ? ours.context > 0.001 : ours.wrong != 0) failed = 1;
    counts_free(&want);
    events_free(&s.ideal);
    free(ends);
}

static uint64_t random_state;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int size_order(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

static void random_windows(run *r, const char *name, const counts *want, size_t n, size_t window, int mode)
{
    size_t *ends = (size_t *)allocate(n, sizeof *ends), i;
    sampling s;
    errors ours, llvms, ideals;
    counts ideal;
    for (i = 0; i < n; i++) ends[i] = window + next_random() % (r->n - window);
    qsort(ends, n, sizeof *ends, size_order);
    sample_run(r, &s, ends, n, window, mode);
    ours = collector_errors(r, s.ours, 0, want);
    llvms = collector_errors(r, s.llvms, 1, want);
    ideal = counts_of_events(r, &s.ideal);
    ideals = errors_of(&ideal, want);
    printf("| %s | %zu x %zu | %.4f / %.4f | %.4f / %.4f | %.4f / %.4f | %.3f / %.3f |\n", name, n, window,
           ideals.block, ideals.context, ours.block, ours.context, llvms.block, llvms.context,
           ours.block / ideals.block, ours.context / ideals.context);
    if (ours.block > 1.1 * ideals.block || ours.context > 1.1 * ideals.context) failed = 1;
    counts_free(&ideal);
    events_free(&s.ideal);
    free(ends);
}

/* Instructions of known code that run up to branch i, from the branch before it on. */
static uint64_t instructions(const run *r, size_t i)
{
    uint32_t pos;
    uint64_t n = 0;
    if (i == 0 || r->v[i - 1].b == CSSPGO__EXT || r->v[i].a == CSSPGO__EXT) return 0;
    for (pos = r->v[i - 1].b; pos != 0 && pos <= r->v[i].a; pos = csspgo__next_start(r->image.code, pos)) n++;
    return n;
}

/* A sample without branches: the k-th of the instructions that run up to branch i. */
static void sample_address(run *r, csspgo_collector *c, size_t i, uint64_t k)
{
    uint64_t stack[STACK];
    csspgo_sample sample;
    uint32_t pos = r->v[i - 1].b;
    memset(&sample, 0, sizeof sample);
    while (k-- > 0) pos = csspgo__next_start(r->image.code, pos);
    sample.stack = stack;
    sample.stack_count = stack_now(r, r->v[i - 1].to + (pos - r->v[i - 1].b), PROLOGUES, stack);
    sample.count = 1;
    if (csspgo_collector_add(c, &sample, 1, NULL) != CSSPGO_OK) die("out of memory");
}

/* Overlap of blocks: the sum of the smaller of both shares. */
static double overlap(const table *p, const table *q)
{
    const double pn = total_of(p), qn = total_of(q);
    double sum = 0;
    size_t i;
    for (i = 0; q->v != NULL && i <= q->mask; i++) {
        const double x = (double)table_get(p, q->v[i].key) / pn, y = (double)q->v[i].count / qn;
        if (q->v[i].key != 0) sum += x < y ? x : y;
    }
    return sum;
}

/* n samples at random moments, each but an address and a stack, beside as many windows of 32 branches. */
static void stacks_only(run *r, const char *name, const counts *want, size_t n)
{
    uint64_t *at = (uint64_t *)allocate(n, sizeof *at), all = 0, seen = 0;
    size_t *ends = (size_t *)allocate(n, sizeof *ends), i, k = 0;
    csspgo_collector *c = collector_new(r, 0);
    csspgo_profile *p[2];
    counts got[2];
    sampling s;
    for (i = 0; i < r->n; i++) all += instructions(r, i);
    for (i = 0; i < n; i++) {
        at[i] = next_random() % all;
        ends[i] = MOST + next_random() % (r->n - MOST);
    }
    qsort(at, n, sizeof *at, size_order);
    qsort(ends, n, sizeof *ends, size_order);
    run_rewind(r);
    for (i = 0; i < r->n && k < n; i++) {
        const uint64_t here = instructions(r, i);
        for (; k < n && at[k] < seen + here; k++) sample_address(r, c, i, at[k] - seen);
        seen += here;
        step(r, &r->v[i]);
    }
    sample_run(r, &s, ends, n, MOST, PROLOGUES);
    p[0] = collected(r, c, 0);
    p[1] = collected(r, s.ours, 0);
    for (i = 0; i < 2; i++) got[i] = counts_of_profile(r, p[i]);
    printf("| %s | %zu |", name, n);
    for (i = 0; i < 2; i++)
        printf(" %.3f / %.3f | %.3f / %.3f |", delta(&got[i].block, &want->block),
               delta(&got[i].context, &want->context), overlap(&got[i].block, &want->block),
               overlap(&got[i].context, &want->context));
    printf(" %.3f / %.3f |\n", overlap(&got[0].block, &got[1].block), overlap(&got[0].context, &got[1].context));
    for (i = 0; i < 2; i++) {
        counts_free(&got[i]);
        csspgo_profile_free(p[i]);
    }
    csspgo_collector_free(c);
    csspgo_collector_free(s.ours);
    csspgo_collector_free(s.llvms);
    events_free(&s.ideal);
    free(at);
    free(ends);
}

/* Two profiles of a program. */
static int compare(const run *r, char **path)
{
    counts c[2];
    int i;
    for (i = 0; i < 2; i++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_error e;
        if (p == NULL || csspgo_read_file(p, path[i], &e) != CSSPGO_OK) die(path[i]);
        c[i] = counts_of_profile(r, p);
        csspgo_profile_free(p);
    }
    printf("error %.3f / %.3f, overlap %.3f / %.3f\n", delta(&c[1].block, &c[0].block),
           delta(&c[1].context, &c[0].context), overlap(&c[1].block, &c[0].block),
           overlap(&c[1].context, &c[0].context));
    return 0;
}

/* What is wrong in profiles of a recording, made by any tool. */
static int judge(run *r, char **path, int n)
{
    counts want;
    int i;
    run_read(r, path[0]);
    want = truth_of(r, r->n - 1);
    for (i = 1; i < n; i++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_error e;
        counts got;
        errors of;
        if (p == NULL || csspgo_read_file(p, path[i], &e) != CSSPGO_OK) die(path[i]);
        got = counts_of_profile(r, p);
        of = errors_of(&got, &want);
        printf("%s: %zu of %zu wrong, error %.4f / %.4f\n", path[i], of.wrong, want.all.n, of.block, of.context);
        counts_free(&got);
        csspgo_profile_free(p);
    }
    counts_free(&want);
    run_free(r);
    return 0;
}

int main(int argc, char **argv)
{
    static const size_t windows[] = { 32, 16, 8 };
    const char *name;
    char why[256];
    run r;
    counts want;
    size_t n, i;
    int by_lines = 0;
    memset(&r, 0, sizeof r);
    if (argc > 1 && argv[1][0] == '-') {
        by_lines = argv[1][1] == 'l' || argv[1][1] == 'f';
        r.lines.flat = argv[1][1] == 'f';
        argc--;
        argv++;
    }
    if (argc < 3) {
        fprintf(stderr, "usage: truth [-l | -f] PROGRAM RECORDING [WINDOWS [SEED]]\n");
        return 2;
    }
    if (!(by_lines ? line_load(&r.lines, &r.image, argv[1], why, sizeof why)
                   : load_image(&r.image, argv[1], NULL, why, sizeof why)))
        die(why);
    if (strcmp(argv[2], "-p") == 0 && argc == 5) return compare(&r, argv + 3);
    if (strcmp(argv[2], "-t") == 0 && argc > 4) return judge(&r, argv + 3, argc - 3);
    run_read(&r, argv[2]);
    name = strrchr(argv[1], '/') != NULL ? strrchr(argv[1], '/') + 1 : argv[1];
    n = argc > 3 ? (size_t)strtoull(argv[3], NULL, 10) : r.n / 100;
    random_state = argc > 4 ? strtoull(argv[4], NULL, 10) : 88172645463325252u;
    if (r.n < 1000) die("the recording is too short");
    want = truth_of(&r, r.n - 1);
    printf("%s%s: %zu branches, %zu %s in contexts ran, %zu returns behind no open call\n\n", name,
           r.lines.flat ? ", lines without contexts" : by_lines ? ", lines" : "", r.n, want.all.n,
           by_lines ? "lines and calls" : "probes", r.landings);
    puts("| program | window | stacks | counts | wrong: csspgo | error | wrong: LLVM's | error | stacks mended |");
    puts("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (i = 0; i < 3; i++) {
        dense(&r, name, windows[i], EXACT, "exact");
        dense(&r, name, windows[i], PROLOGUES, "frame pointers");
    }
    recorded(&r, name, argv[2], &want);
    puts("\n| program | windows | ideal | csspgo | LLVM's rules | csspgo : ideal |");
    puts("| --- | --- | --- | --- | --- | --- |");
    for (i = 0; i < 3; i++) random_windows(&r, name, &want, n, windows[i], PROLOGUES);
    puts("\n| program | samples | stacks only: error | overlap | 32 branches: error | overlap | overlap of both |");
    puts("| --- | --- | --- | --- | --- | --- | --- |");
    for (i = 0; i < 3; i++) stacks_only(&r, name, &want, n << 2 * i);
    counts_free(&want);
    run_free(&r);
    return failed;
}
