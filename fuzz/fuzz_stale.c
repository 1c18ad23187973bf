/* fuzz_stale.c - the profile of a made-up program meets the code of a changed one, with functions rewritten or renamed.
 * The new code is described from its code map, matched, applied and completed; blocks are put into classes.
 *
 * Laws: code that did not change changes nothing; whatever happens the result is a valid profile; a failure changes
 * nothing; classes of blocks are those that a slow search finds. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"
#include "program.h"

enum { BLOCKS = 10, EDGES = 20 };

/* ----- the old program's profile ----- */

static csspgo_code *code_of(program *p, counted *c)
{
    const csspgo_options o = counted_options(c);
    csspgo_code *code = csspgo_code_new(&o, NULL);
    csspgo_module module;
    REQUIRE(code != NULL && program_add(p, code, NULL, 0, &module) == CSSPGO_OK);
    return code;
}

static csspgo_profile *profile_of(program *p, csspgo_code *code, unsigned n, int contexts)
{
    csspgo_collector_options how;
    csspgo_collector *c;
    csspgo_profile *made = csspgo_profile_new(NULL, NULL);
    program_sample t;
    memset(&how, 0, sizeof how);
    how.cache_bytes = 16384;
    how.ignore_stack = !contexts;
    c = csspgo_collector_new(code, &how, NULL, NULL);
    REQUIRE(c != NULL && made != NULL);
    while (n-- != 0)
        if (program_run(p, &t, 1 + draw(p, 60)))
            REQUIRE(csspgo_collector_add(c, program_point(&t), 1, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_collector_profile(c, NULL, made, NULL, NULL) == CSSPGO_OK);
    csspgo_collector_free(c);
    return made;
}

/* ----- the new program ----- */

static void name_function(program *p, unsigned i, const char *name)
{
    program_function *f = &p->v[i];
    f->f.name = name;
    f->f.name_size = strlen(name);
    f->node[0].guid = csspgo_guid(f->f.name, f->f.name_size);
    f->f.checksum += 7000;
}

/* Moves what a function has at an address from on, which is in it, to another address. */
static void move_code(program_function *f, uint64_t from, uint64_t by)
{
    const uint64_t end = f->f.end;
    size_t i;
    for (i = 0; i < f->transfers; i++) {
        csspgo_transfer *t = &f->transfer[i];
        if (t->target >= from && t->target < end) t->target += by;
        if (t->address >= from) t->address += by;
    }
    for (i = 0; i < f->probes; i++) if (f->probe[i].address >= from) f->probe[i].address += by;
    for (i = 0; i < f->rows; i++) if (f->row[i].address >= from) f->row[i].address += by;
}

/* Function `to` becomes a copy of another one: both may claim its profile. */
static void copy_function(program *p, unsigned from, unsigned to)
{
    program_function *f = &p->v[to];
    const uint64_t by = program_begin(to) - program_begin(from);
    if (from == to) return;
    *f = p->v[from];
    move_code(f, f->f.begin, by);
    f->f.begin += by;
    f->f.end += by;
}

/* The second half of a function becomes one of its own, which the first half calls. */
static void split_function(program *p, unsigned i)
{
    program_function *f = &p->v[i], *g = &p->v[p->functions];
    const uint64_t middle = f->f.begin + f->size / UNIT / 2 * UNIT;
    size_t n, k;
    if (p->functions == PROGRAM_FUNCTIONS || f->size < 4 * UNIT) return;
    *g = *f;
    move_code(g, middle, program_begin(p->functions) - middle);
    g->f.begin = program_begin(p->functions);
    g->f.end = g->f.begin + (f->f.end - middle);
    g->size = (unsigned)(f->f.end - middle);
    for (n = k = 0; k < g->transfers; k++) if (g->transfer[k].address >= g->f.begin) g->transfer[n++] = g->transfer[k];
    g->transfers = n;
    for (n = k = 0; k < g->probes; k++) if (g->probe[k].address >= g->f.begin) g->probe[n++] = g->probe[k];
    g->probes = n;
    for (k = 0; k < n; k++) g->probe[k].id = 1 + (uint32_t)k;
    name_function(p, p->functions++, "outlined");
    f->f.end = middle;
    f->size = (unsigned)(middle - f->f.begin);
    for (n = k = 0; k < f->transfers; k++)
        if (f->transfer[k].address + UNIT < middle) f->transfer[n++] = f->transfer[k];
    f->transfers = n;
    memset(&f->transfer[n], 0, sizeof f->transfer[n]);
    f->transfer[n].address = middle - UNIT;
    f->transfer[n].size = UNIT;
    f->transfer[n].kind = CSSPGO_CALL;
    f->transfer[n].target = g->f.begin;
    f->transfers++;
    for (n = k = 0; k < f->probes; k++) if (f->probe[k].address < middle - UNIT) f->probe[n++] = f->probe[k];
    f->probes = n;
    program_add_probe(p, f, middle - UNIT, CSSPGO_PROBE_DIRECT_CALL, 0);
    f->f.checksum += 9000;
}

/* Some functions get other code, and another checksum; with b & 8 another name. Returns 0 if nothing changed. */
static int change(program *p, input *in)
{
    static const char *const renamed[] = { "_ZN4work3runEi", "_ZN5other3runEv", "hotter", "unrelated" };
    unsigned n = byte(in) % 4, changed = n;
    while (n-- != 0) {
        const unsigned b = byte(in), i = b % p->functions;
        program_function *f = &p->v[i];
        size_t k;
        if (b & 64) {                         /* another body */
            p->random = byte(in);
            program_make_function(p, i);
        } else if (b & 128) {                 /* a probe more in front of all others */
            for (k = 0; k < f->probes; k++) f->probe[k].id += 1 + (b >> 4 & 1);
        }
        f->f.checksum = 5000 + b;
        if ((b & 40) == 40) {                 /* two copies of the last one, with names like its own */
            const unsigned last = p->functions - 1;
            copy_function(p, last, i);
            name_function(p, last, renamed[0]);
            if (i != last) name_function(p, i, renamed[1]);
        } else if (b & 8) name_function(p, i, renamed[b >> 4 & 3]);
        else if (b & 32) split_function(p, i);
    }
    return changed != 0;
}

/* The code as the matcher sees it fits the code map. */
static void is_described(const csspgo_match_code *code, size_t n)
{
    size_t i, k;
    for (i = 0; i < n; i++) {
        REQUIRE(code[i].name != NULL || code[i].guid != 0);
        for (k = 0; k < code[i].locs; k++) {
            REQUIRE(code[i].loc[k].kind <= CSSPGO_MATCH_ANY);
            REQUIRE(code[i].loc[k].loc.line != 0 && code[i].loc[k].loc.line <= 0xffff);
        }
    }
}

static void choose(csspgo_match_options *how, unsigned b)
{
    static const uint32_t versions[] = { 0, 0, 0, 0, 17, 18, 19, 22 };
    memset(how, 0, sizeof *how);
    how->llvm = versions[b & 7];
    how->rename = b >> 3 & 1;
    how->near_is_unknown = b >> 4 & 1;
    how->min_confidence = b >> 5 & 1 ? 60 : 0;
    how->min_calls = how->min_blocks = b >> 6 & 1;
    how->min_similarity = b >> 7 ? 40 : 0;
}

/* 1 if every function has a record, so that the profile says that the function did not change. */
static int has_all_checksums(const csspgo_profile *p)
{
    csspgo_node n = csspgo_root(p), k;
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0) {
        k = csspgo_func_nodes(p, csspgo_node_func(p, n));
        while (k.id != 0 && csspgo_checksum(p, k) == 0) k = csspgo_node_next_same(p, k);
        if (k.id == 0) return 0;
    }
    return 1;
}

static void is_matched(const csspgo_profile *old, csspgo_code *code, input *in, int changed, counted *heap)
{
    const csspgo_options o = counted_options(heap);
    csspgo_match_options how;
    csspgo_match_report r;
    csspgo_match_input *described;
    csspgo_matcher *m;
    csspgo_profile *q = csspgo_profile_new(&o, NULL), *was;
    const csspgo_match_code *functions;
    const csspgo_match_cfg *cfgs;
    csspgo_status s;
    size_t n, k, unfit;
    uint64_t lost;
    const unsigned fails = byte(in);
    choose(&how, byte(in));
    m = csspgo_matcher_new(&how, &o, NULL);
    heap->fail_at = fails & 128 ? heap->calls + 1 + (fails & 127) : 0;
    described = csspgo_match_input_new(code, &o, NULL);
    REQUIRE(q != NULL && m != NULL && (described != NULL || heap->fail_at != 0));
    if (described == NULL) {
        heap->fail_at = 0;
        described = csspgo_match_input_new(code, &o, NULL);
        REQUIRE(described != NULL);
    }
    cfgs = csspgo_match_input_cfgs(described, &k, NULL);
    if (cfgs == NULL) REQUIRE(k == 0);
    heap->fail_at = 0;
    cfgs = csspgo_match_input_cfgs(described, &k, NULL);
    functions = csspgo_match_input_functions(described, &n);
    is_described(functions, n);
    heap->fail_at = heap->calls + 1 + fails;
    s = csspgo_matcher_module(m, old, functions, n, &r, NULL);
    heap->fail_at = 0;
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
    if (s != CSSPGO_OK) REQUIRE(csspgo_matcher_module(m, old, functions, n, &r, NULL) == CSSPGO_OK);
    if (!changed) REQUIRE(r.stale_functions == 0 && r.stale_samples == 0);
    heap->fail_at = heap->calls + 1 + fails;
    s = csspgo_matcher_apply(m, old, q, &lost, NULL);
    heap->fail_at = 0;
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && csspgo_node_count(q) == 0));
    if (s != CSSPGO_OK) REQUIRE(csspgo_matcher_apply(m, old, q, &lost, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_validate(q, NULL) == CSSPGO_OK);
    if (!changed) REQUIRE(lost == 0);
    if (!changed && has_all_checksums(old)) same_text(old, q);
    was = csspgo_profile_clone(q, NULL);
    REQUIRE(was != NULL);
    heap->fail_at = heap->calls + 1 + fails;
    s = csspgo_matcher_complete(m, cfgs, k, NULL, q, &unfit, NULL);
    heap->fail_at = 0;
    REQUIRE(csspgo_validate(q, NULL) == CSSPGO_OK && (s == CSSPGO_OK || csspgo_equal(q, was)));
    if (s == CSSPGO_E_NOMEM) s = csspgo_matcher_complete(m, cfgs, k, NULL, q, &unfit, NULL);
    REQUIRE(s == CSSPGO_OK);
    is_a_profile(q, 0);
    csspgo_profile_free(was);
    csspgo_profile_free(q);
    csspgo_matcher_free(m);
    csspgo_match_input_free(described);
}

/* ----- classes of blocks ----- */

/* 1 if block b is on a cycle that does not pass through `without`. to[i]: a bit for each block that follows i. */
static int is_on_cycle(const uint32_t *to, unsigned b, unsigned without)
{
    uint32_t seen = 0, more = to[b] & ~(UINT32_C(1) << without);
    unsigned i;
    if (b == without) return 0;
    while (more != seen) {
        seen = more;
        for (i = 0; i < BLOCKS; i++) if (seen >> i & 1) more |= to[i] & ~(UINT32_C(1) << without);
    }
    return (int)(seen >> b & 1);
}

/*
 * Two blocks are in one class if each cycle through one passes through the other; edges lead from exits to block 0. Each
 * cycle through a block passes through those that its class is under.
 */
static void is_classified(input *in)
{
    csspgo_cfg_block block[BLOCKS];
    csspgo_cfg_edge edge[EDGES];
    csspgo_cfg cfg;
    uint32_t to[BLOCKS], eq[BLOCKS], under[BLOCKS + 1];
    unsigned i, k;
    memset(block, 0, sizeof block);
    memset(edge, 0, sizeof edge);
    memset(to, 0, sizeof to);
    cfg.block = block;
    cfg.edge = edge;
    cfg.blocks = 1 + byte(in) % BLOCKS;
    cfg.edges = byte(in) % EDGES;
    for (i = 0; i < cfg.edges; i++) {
        const unsigned b = byte(in);
        edge[i].from = b % (uint32_t)cfg.blocks;
        edge[i].to = b / 16 % (uint32_t)cfg.blocks;
        to[edge[i].from] |= UINT32_C(1) << edge[i].to;
    }
    for (i = 0; i < cfg.blocks; i++) {
        block[i].is_exit = byte(in) % 7 == 1;
        if (block[i].is_exit || to[i] == 0) to[i] |= 1;
    }
    REQUIRE(csspgo_cfg_classes(&cfg, NULL, eq, NULL) == CSSPGO_OK);
    for (i = 0; i < cfg.blocks; i++) {
        REQUIRE((eq[i] != 0) == is_on_cycle(to, i, BLOCKS));
        for (k = 0; k < i; k++)
            if (eq[i] != 0 && eq[k] != 0)
                REQUIRE((eq[i] == eq[k]) == (!is_on_cycle(to, i, k) && !is_on_cycle(to, k, i)));
    }
    REQUIRE(csspgo_cfg_under(&cfg, eq, NULL, under, NULL) == CSSPGO_OK && under[0] == 0);
    for (i = 0; i < cfg.blocks; i++)
        for (k = 0; k < cfg.blocks; k++)
            if (under[eq[i]] != 0 && eq[k] == under[eq[i]]) REQUIRE(!is_on_cycle(to, i, k));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static program p;
    counted heap;
    csspgo_code *code;
    csspgo_profile *old;
    input in;
    unsigned seed, shape;
    int changed;
    in.p = data;
    in.end = data + size;
    memset(&heap, 0, sizeof heap);
    seed = byte(&in);
    seed |= byte(&in) << 8;
    shape = byte(&in);
    program_make(&p, seed);
    code = code_of(&p, &heap);
    old = profile_of(&p, code, shape >> 3, shape & 1);
    csspgo_code_free(code);
    changed = change(&p, &in);
    code = code_of(&p, &heap);
    is_matched(old, code, &in, changed, &heap);
    is_classified(&in);
    csspgo_code_free(code);
    csspgo_profile_free(old);
    REQUIRE(heap.live == 0);
    return 0;
}
