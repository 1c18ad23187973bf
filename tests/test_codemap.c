/* test_codemap.c - the code map of a program that runs for long: code comes and goes in blocks, in single functions,
 * and beside a collector that holds what was removed. Every function that is there keeps its tables, free addresses are
 * free, and csspgo_code_validate agrees after every step, whatever fails.
 */
#include "t.h"
#include "code.h"

enum { SIZE = 32 };               /* bytes of a function: a call at +8, a return in its last byte */

static uint32_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * n) >> 28);
}

static int valid(const csspgo_code *c)
{
    csspgo_error e;
    if (csspgo_code_validate(c, &e) == CSSPGO_OK) return 1;
    fprintf(stderr, "    not valid: %s\n", e.message);
    return 0;
}

/* A function, its two transfers and, with probes, one at its begin and one at its call. */
static csspgo_status emit(csspgo_code *c, uint64_t at, uint32_t id, int probes, csspgo_error *err)
{
    char name[24];
    csspgo_code_function f;
    csspgo_transfer t[2];
    csspgo_inline body;
    csspgo_probe p[2];
    csspgo_status s;
    sprintf(name, "fn_%lu", (unsigned long)id);
    f = make_function(at, at + SIZE, name);
    f.checksum = id + 1;
    t[0] = make_transfer(at + 8, 5, CSSPGO_CALL, 0);
    t[1] = make_transfer(at + SIZE - 1, 1, CSSPGO_RET, 0);
    memset(&body, 0, sizeof body);
    memset(p, 0, sizeof p);
    body.guid = csspgo_guid(name, f.name_size);
    p[0].address = at;
    p[1].address = at + 8;
    p[0].id = p[0].inline_node = p[1].inline_node = 1;
    p[1].id = 2;
    p[1].kind = CSSPGO_PROBE_DIRECT_CALL;
    s = csspgo_code_add_function(c, csspgo_no_module(), &f, err);
    if (s == CSSPGO_OK) s = csspgo_code_add_transfers(c, csspgo_no_module(), t, 2, err);
    return s == CSSPGO_OK && probes ? csspgo_code_add_probes(c, csspgo_no_module(), &body, 1, p, 2, err) : s;
}

/* The function at an address has all its tables. */
static int is_whole(const csspgo_code *c, uint64_t at, int probes)
{
    return csspgo_code_kind(c, at + 8) == CSSPGO_CALL && csspgo_code_kind(c, at + SIZE - 1) == CSSPGO_RET &&
           csspgo_code_call_before(c, at + 13) == at + 8 && csspgo_code_run_end(c, at) == at + 8 &&
           csspgo_code_run_end(c, at + 13) == at + SIZE - 1 && csspgo_code_runs_straight(c, at, at + 13) == 0 &&
           csspgo_code_runs_straight(c, at + 13, at + SIZE - 1) == 1 &&
           (!probes || (csspgo_code_probe_count(c, at) == 1 && csspgo_code_probe_count(c, at + 8) == 1));
}

static uint64_t slot(uint32_t k)
{
    return 0x100000 + SIZE * (uint64_t)k;
}

static int fails_at(const char *what, uint32_t seed0, uint64_t step, uint64_t address, const csspgo_error *e)
{
    fprintf(stderr, "    %s: seed %lu, step %llu, 0x%llx: %s\n", what, (unsigned long)seed0, (unsigned long long)step,
            (unsigned long long)address, e != NULL ? e->message : "has lost some of its tables");
    return 0;
}

/* ----- blocks of neighbouring functions come and go --------------------------------------------------------------- */

static int all_whole(const csspgo_code *c, const unsigned char *live, uint32_t slots, uint32_t first, uint32_t round)
{
    uint32_t k;
    for (k = 0; k < slots; k++)
        if (live[k] ? !is_whole(c, slot(k), 0) : csspgo_code_kind(c, slot(k) + 8) != CSSPGO_NONE)
            return fails_at("phases", first, round, slot(k), NULL);
    return valid(c);
}

/* Every function is asked every few rounds, the map is validated after each. */
static int phases(uint32_t first, uint32_t rounds, uint32_t slots, uint32_t every)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    unsigned char *live = (unsigned char *)calloc(slots, 1);
    csspgo_error e;
    uint32_t r, k;
    int ok = c != NULL && live != NULL;
    seed = first;
    for (r = 0; r < rounds && ok; r++) {
        const uint32_t n = 1 + rnd(slots / (1 + rnd(8))), from = rnd(slots - n + 1);
        const unsigned char on = (unsigned char)rnd(2);
        for (k = from; k < from + n && ok; k++) {
            if (live[k] == on) continue;
            live[k] = on;
            if (on && emit(c, slot(k), k, 0, &e) != CSSPGO_OK) ok = fails_at("phases", first, r, slot(k), &e);
            if (!on) ok = csspgo_code_remove(c, slot(k), slot(k + 1), &e) == CSSPGO_OK;
        }
        if (ok) ok = (r + 1) % every == 0 ? all_whole(c, live, slots, first, r) : valid(c);
    }
    free(live);
    csspgo_code_free(c);
    return ok;
}

static void blocks_of_code_come_and_go(void)
{
    const uint32_t rounds = (uint32_t)t_size(25, 200), every = (uint32_t)t_size(5, 1);
    uint32_t i;
    for (i = 1; i <= 10; i++) T_CHECK(phases(i, rounds, 6000, every));
}

/* ----- functions are emitted anew elsewhere, while a collector holds the old ones --------------------------------- */

typedef struct reuse_run {
    csspgo_code *code;
    csspgo_collector *collector;
    csspgo_profile *profile;
    uint64_t *where, *released;   /* of each function; freed addresses, a ring of 4 * functions */
    uint64_t first, count;        /* of that ring: its oldest entry, entries                    */
    uint32_t functions;
} reuse_run;

/* A sample in one function, called by another, called by a third. */
static csspgo_status reuse_sample(reuse_run *r, csspgo_error *e)
{
    const uint64_t leaf = r->where[rnd(r->functions)], caller = r->where[rnd(r->functions)];
    csspgo_branch b[2];
    uint64_t stack[3];
    csspgo_sample s;
    memset(b, 0, sizeof b);
    memset(&s, 0, sizeof s);
    b[0].from = caller + 8;
    b[0].to = leaf;
    b[1].from = leaf + SIZE - 1;
    b[1].to = caller + 13;
    stack[0] = leaf + 2;
    stack[1] = caller + 13;
    stack[2] = r->where[rnd(r->functions)] + 13;
    s.stack = stack;
    s.stack_count = 3;
    s.branches = b;
    s.branch_count = 2;
    s.count = 1;
    return csspgo_collector_add(r->collector, &s, 1, e);
}

/* The profile is taken, and loses its coldest contexts when it gets large. */
static csspgo_status reuse_profile(reuse_run *r, csspgo_error *e)
{
    const csspgo_status s = csspgo_collector_profile(r->collector, r->profile, NULL, NULL, e);
    if (s != CSSPGO_OK || csspgo_profile_memory(r->profile) <= 16u << 20) return s;
    return csspgo_shrink(r->profile, 8 << 20, e);
}

/* Moves a function to where one was freed long enough ago, or behind all. */
static csspgo_status reuse_emit(reuse_run *r, uint64_t *behind, csspgo_error *e)
{
    const uint32_t f = rnd(r->functions), ring = 4 * r->functions;
    const uint64_t old = r->where[f];
    csspgo_status s;
    if (r->count > r->functions / 2) {
        r->where[f] = r->released[r->first++ % ring];
        r->count--;
    } else {
        r->where[f] = *behind;
        *behind += SIZE;
    }
    s = emit(r->code, r->where[f], f, 1, e);
    if (s == CSSPGO_OK) s = csspgo_code_remove(r->code, old, old + SIZE, e);
    r->released[(r->first + r->count++) % ring] = old;
    return s;
}

static int reuse(uint32_t first, uint32_t functions, uint32_t emissions, uint32_t every)
{
    csspgo_options o;
    reuse_run r;
    csspgo_error e;
    uint64_t behind = slot(functions);
    uint32_t i, k;
    int ok = 1;
    memset(&r, 0, sizeof r);
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 8 << 20;
    r.functions = functions;
    r.where = (uint64_t *)calloc(functions, sizeof *r.where);
    r.released = (uint64_t *)calloc(4 * (size_t)functions, sizeof *r.released);
    r.code = csspgo_code_new(NULL, NULL);
    r.collector = csspgo_collector_new(r.code, NULL, &o, NULL);
    r.profile = csspgo_profile_new(NULL, NULL);
    seed = first;
    for (i = 0; i < functions; i++) {
        r.where[i] = slot(i);
        T_EQ(emit(r.code, r.where[i], i, 1, NULL), CSSPGO_OK);
    }
    for (i = 0; i < emissions && ok; i++) {
        csspgo_status s = reuse_emit(&r, &behind, &e);
        if (s == CSSPGO_OK) s = reuse_sample(&r, &e);
        if (s == CSSPGO_OK && i % every == every - 1) s = reuse_profile(&r, &e);
        if (s != CSSPGO_OK) ok = fails_at("reuse", first, i, 0, &e);
        if (!ok || i % every < every - 2) continue;        /* before a profile lets much code go, and after it */
        for (k = 0; k < functions && ok; k++)
            if (!is_whole(r.code, r.where[k], 1)) ok = fails_at("reuse", first, i, r.where[k], NULL);
        if (ok) ok = valid(r.code);
    }
    T_EQ(csspgo_code_get_stats(r.code).code_bytes, functions * SIZE);
    csspgo_collector_free(r.collector);
    csspgo_profile_free(r.profile);
    csspgo_code_free(r.code);
    free(r.where);
    free(r.released);
    return ok;
}

static void addresses_are_used_again(void)
{
    const uint32_t emissions = (uint32_t)t_size(2000, 600000), every = (uint32_t)t_size(400, 2000);
    uint32_t i;
    for (i = 1; i <= (uint32_t)t_size(10, 1); i++) T_CHECK(reuse(i, (uint32_t)t_size(60, 200), emissions, every));
    for (i = 2; i <= (uint32_t)t_size(0, 10); i++) T_CHECK(reuse(i, 100 * i, 60000, every));
}

/* ----- the whole map beside arrays, one entry per byte of code; memory runs out now and then ---------------------- */

enum { SPACE = 1500, BASE = 0x7000, PARTS = 3, PART = 16 };   /* a module of three areas moves about in it, too */

typedef struct map_byte {
    uint32_t area;                /* 0: free                                              */
    uint32_t func, probes;        /* func 0: none                                         */
    unsigned char kind, is_module, called;   /* called: the call before is so far back    */
} map_byte;

typedef struct map_model {
    t_heap heap;
    csspgo_code *code;
    csspgo_module module;
    uint64_t bias;
    uint32_t areas;               /* added so far */
    map_byte at[SPACE];
} map_model;

static uint64_t link_address(uint32_t part)
{
    return 0x400000 + 3 * PART * part;
}

/* 1 if all of [begin, end) is free; 2 if it is code of one area without functions. */
static int stretch(const map_model *m, uint32_t begin, uint32_t end)
{
    uint32_t i = begin;
    while (i < end && m->at[i].area == 0) i++;
    if (i == end) return 1;
    for (i = begin; i < end; i++)
        if (m->at[i].area == 0 || m->at[i].is_module || m->at[i].area != m->at[begin].area || m->at[i].func != 0)
            return 0;
    return 2;
}

static void fill(map_model *m, uint32_t begin, uint32_t end, int is_module)
{
    m->areas++;
    for (; begin < end; begin++) {
        memset(&m->at[begin], 0, sizeof m->at[begin]);
        m->at[begin].area = m->areas;
        m->at[begin].is_module = (unsigned char)is_module;
    }
}

static csspgo_status model_function(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    char name[16];
    csspgo_code_function f;
    csspgo_status s;
    const int how = stretch(m, begin, end);
    sprintf(name, "f%lu", (unsigned long)rnd(50));
    f = make_function(BASE + begin, BASE + end, name);
    s = csspgo_code_add_function(m->code, csspgo_no_module(), &f, e);
    if (s == CSSPGO_E_NOMEM) return s;
    if ((s == CSSPGO_E_ARGUMENT) != (how == 0)) return CSSPGO_E_SYNTAX;
    if (s != CSSPGO_OK) return s;
    if (how == 1) fill(m, begin, end, 0);
    for (m->areas++; begin < end; begin++) m->at[begin].func = m->areas;
    return s;
}

static csspgo_status model_area(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    const csspgo_status s = csspgo_code_add_area(m->code, csspgo_no_module(), BASE + begin, end - begin, e);
    if (s == CSSPGO_E_NOMEM) return s;
    if ((s == CSSPGO_E_ARGUMENT) != (stretch(m, begin, end) != 1)) return CSSPGO_E_SYNTAX;
    if (s == CSSPGO_OK) fill(m, begin, end, 0);
    return s;
}

/* Several transfers at once, or none of them. */
static csspgo_status model_transfers(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    csspgo_transfer t[8];
    uint32_t at[8], i;
    int known = 1;
    csspgo_status s;
    for (i = 0; i < 8; i++) {
        at[i] = begin + rnd(end - begin);
        t[i] = make_transfer(BASE + at[i], 1 + rnd(15), (csspgo_kind)rnd(6), 0);
        known &= m->at[at[i]].area != 0 && !m->at[at[i]].is_module;
    }
    s = csspgo_code_add_transfers(m->code, csspgo_no_module(), t, 8, e);
    if (s == CSSPGO_E_NOMEM) return s;
    if ((s == CSSPGO_E_ARGUMENT) != !known) return CSSPGO_E_SYNTAX;
    for (i = 0; i < 8 && s == CSSPGO_OK; i++) {
        const uint32_t after = at[i] + t[i].size;
        m->at[at[i]].kind = (unsigned char)t[i].kind;
        if (t[i].kind == CSSPGO_CALL && after < SPACE && m->at[after].area == m->at[at[i]].area)
            m->at[after].called = (unsigned char)t[i].size;
    }
    return s;
}

/* Probes of two nodes, some of them not at known code. */
static csspgo_status model_probes(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    csspgo_inline in[2];
    csspgo_probe p[8];
    uint32_t at[8], i;
    csspgo_status s;
    memset(in, 0, sizeof in);
    memset(p, 0, sizeof p);
    in[0].guid = 1 + rnd(100);
    in[1].guid = 1 + rnd(100);
    in[1].parent = rnd(2);
    for (i = 0; i < 8; i++) {
        at[i] = begin + rnd(end - begin);
        p[i].address = BASE + at[i];
        p[i].id = 1 + i;
        p[i].inline_node = 1 + rnd(2);
    }
    s = csspgo_code_add_probes(m->code, csspgo_no_module(), in, 2, p, 8, e);
    for (i = 0; i < 8 && s == CSSPGO_OK; i++)
        m->at[at[i]].probes += m->at[at[i]].area != 0 && !m->at[at[i]].is_module;
    return s;
}

static csspgo_status model_remove(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    const csspgo_status s = csspgo_code_remove(m->code, BASE + begin, BASE + end, e);
    uint32_t i;
    for (i = begin; i < end && s == CSSPGO_OK; i++)
        if (!m->at[i].is_module) memset(&m->at[i], 0, sizeof m->at[i]);
    for (i = end; i < end + 15 && i < SPACE && s == CSSPGO_OK; i++)
        if (m->at[i].called > i - end) m->at[i].called = 255;   /* unknown: until the old code is given back */
    return s;
}

/* The module goes somewhere else, with all of its areas or none. */
static csspgo_status model_map(map_model *m, uint32_t begin, csspgo_error *e)
{
    map_byte moved[PARTS * 3 * PART];
    const uint64_t bias = BASE + begin - link_address(0);
    const uint32_t from = (uint32_t)(link_address(0) + m->bias - BASE);
    uint32_t k, i;
    int free_there = begin + PARTS * 3 * PART <= SPACE;
    csspgo_status s;
    if (!free_there) return CSSPGO_OK;
    memset(moved, 0, sizeof moved);
    for (k = 0; k < PARTS; k++)
        for (i = 3 * PART * k; i < 3 * PART * k + PART; i++) {
            free_there &= m->at[begin + i].area == 0 || m->at[begin + i].is_module;
            moved[i] = m->at[from + i];
        }
    s = csspgo_code_map(m->code, m->module, bias, e);
    if (s == CSSPGO_E_NOMEM) return s;
    if ((s == CSSPGO_E_ARGUMENT) != !free_there) return CSSPGO_E_SYNTAX;
    if (s != CSSPGO_OK) return s;
    for (i = 0; i < SPACE; i++)
        if (m->at[i].is_module) memset(&m->at[i], 0, sizeof m->at[i]);
    for (i = 0; i < PARTS * 3 * PART; i++)
        if (moved[i].area != 0) m->at[begin + i] = moved[i];
    m->bias = bias;
    return s;
}

/* What the map says of a byte is what the array says. */
static int byte_agrees(const map_model *m, uint32_t i)
{
    const map_byte *b = &m->at[i];
    const uint64_t a = BASE + i, end = csspgo_code_run_end(m->code, a);
    if (csspgo_code_kind(m->code, a) != (csspgo_kind)b->kind) return 0;
    if (csspgo_code_probe_count(m->code, a) != b->probes) return 0;
    if (b->called != 255 && csspgo_code_call_before(m->code, a) != (b->called != 0 ? a - b->called : 0)) return 0;
    return b->area == 0 ? end == 0 : b->func != 0 ? end >= a : end == a;
}

static void model_open(map_model *m, uint32_t first)
{
    csspgo_options o = t_options(&m->heap, 0);
    csspgo_segment segment;
    uint32_t k;
    memset(&segment, 0, sizeof segment);
    segment.address = link_address(0);
    segment.size = 4096;
    segment.executable = 1;
    memset(m->at, 0, sizeof m->at);
    m->areas = 0;
    m->bias = BASE - link_address(0);
    m->code = csspgo_code_new(&o, NULL);
    m->module = csspgo_code_add_module(m->code, "m", 1, &segment, 1, NULL);
    T_EQ(csspgo_code_map(m->code, m->module, m->bias, NULL), CSSPGO_OK);
    for (k = 0; k < PARTS; k++) {
        T_EQ(csspgo_code_add_area(m->code, m->module, link_address(k), PART, NULL), CSSPGO_OK);
        fill(m, 3 * PART * k, 3 * PART * k + PART, 1);
    }
    seed = first;
}

/* A step that fails changes nothing: the map agrees with the arrays. lasting: all allocations from one on fail. */
static int model_step(map_model *m, int lasting, uint32_t *failures, csspgo_error *e)
{
    const uint32_t begin = rnd(SPACE - 90), end = begin + 1 + rnd(90), how = rnd(16);
    csspgo_status s;
    uint32_t i;
    m->heap.nth = rnd(2) ? m->heap.calls + 1 + (long)rnd(3) : 0;
    t_once = !lasting;
    t_nth = m->heap.nth;
    if (how < 4) s = model_function(m, begin, end, e);
    else if (how < 6) s = model_area(m, begin, end, e);
    else if (how < 9) s = model_transfers(m, begin, end, e);
    else if (how < 11) s = model_probes(m, begin, end, e);
    else if (how < 15) s = model_remove(m, begin, end, e);
    else s = model_map(m, begin, e);
    m->heap.nth = 0;
    *failures += s == CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK && s != CSSPGO_E_NOMEM && s != CSSPGO_E_ARGUMENT) return 0;
    for (i = 0; i < SPACE; i++)
        if (!byte_agrees(m, i)) return 0;
    return valid(m->code);
}

static void the_map_is_as_an_array(void)
{
    const uint32_t runs = (uint32_t)t_size(2, 12), steps = (uint32_t)t_size(800, 5000);
    uint32_t i, k, failures = 0;
    for (i = 0; i < runs; i++) {
        static map_model m;
        csspgo_error e;
        int ok = 1;
        model_open(&m, i + 1);
        for (k = 0; k < steps && ok; k++) ok = model_step(&m, i % 2 == 1, &failures, &e);
        if (!ok) fails_at("model", i + 1, k, 0, &e);
        T_CHECK(ok);
        csspgo_code_free(m.code);
        T_EQ(m.heap.live, 0);
    }
    t_once = 0;
    T_CHECK(failures > runs * 10);
}

/* ----- what is behind removed code, and what never was at known code ---------------------------------------------- */

/* Code that is added and removed at once, so that the map gives removed code back. */
static void give_back(csspgo_code *c)
{
    T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x900000, 0x10000, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_remove(c, 0x900000, 0x910000, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_get_stats(c).removed_bytes, 0);
}

static void a_function_goes_on_behind_code_that_was_removed(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    const csspgo_code_function f = make_function(0x1000, 0x1100, "f");
    csspgo_transfer t[3];
    t[0] = make_transfer(0x1030, 2, CSSPGO_COND, 0);
    t[1] = make_transfer(0x1050, 5, CSSPGO_CALL, 0);
    t[2] = make_transfer(0x10ff, 1, CSSPGO_RET, 0);
    T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_transfers(c, csspgo_no_module(), t, 3, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_remove(c, 0x1040, 0x1080, NULL), CSSPGO_OK);
    give_back(c);
    T_CHECK(valid(c));
    T_EQ(csspgo_code_run_end(c, 0x1010), 0x1030);
    T_EQ(csspgo_code_run_end(c, 0x1032), 0x103f);
    T_EQ(csspgo_code_run_end(c, 0x1050), 0);
    T_EQ(csspgo_code_run_end(c, 0x1080), 0x10ff);
    T_EQ(csspgo_code_get_stats(c).functions, 2);
    csspgo_code_free(c);
}

/* A function has no hole, also where the code that was removed between its ends still has its place. */
static void a_function_does_not_reach_over_a_hole(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_code_function f = make_function(0x1000, 0x1100, "f");
    csspgo_error e;
    T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x1000, 0x1000, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_remove(c, 0x1040, 0x1041, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, &e), CSSPGO_E_ARGUMENT);
    T_MSG(strcmp(e.message, "csspgo_code_add_function: [0x1000, 0x1100) ends outside its code, [0x1000, 0x1040)") == 0,
          e.message);
    f.end = 0x1040;
    T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, &e), CSSPGO_OK);
    f.begin = 0x1041;
    f.end = 0x2000;
    T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, &e), CSSPGO_OK);
    T_CHECK(valid(c));
    csspgo_code_free(c);
}

/* A probe that is not at known code goes with its tree: it does not stay in the table, nor become another one. */
static void probes_nowhere_are_given_back(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_inline in;
    csspgo_probe p[3];
    uint64_t memory = 0;
    uint32_t i;
    memset(&in, 0, sizeof in);
    memset(p, 0, sizeof p);
    for (i = 0; i < 3; i++) p[i].id = p[i].inline_node = 1;
    p[2].address = 0x500000;
    for (i = 0; i < 3000; i++) {
        const uint64_t at = slot(i % 50);
        T_EQ(csspgo_code_add_area(c, csspgo_no_module(), at, SIZE, NULL), CSSPGO_OK);
        in.guid = 1 + i % 7;
        p[0].address = at;
        p[1].address = at + 4;
        T_EQ(csspgo_code_add_probes(c, csspgo_no_module(), &in, 1, p, 3, NULL), CSSPGO_OK);
        if (i >= 49) T_EQ(csspgo_code_remove(c, slot((i + 1) % 50), slot((i + 1) % 50) + SIZE, NULL), CSSPGO_OK);
        if (i % 100 == 0) T_CHECK(valid(c));
        if (i == 300) memory = csspgo_code_get_stats(c).memory;
    }
    T_CHECK(csspgo_code_get_stats(c).memory < 2 * memory);
    T_EQ(csspgo_code_get_stats(c).idle_probes, 3000);
    csspgo_code_free(c);
}

int main(void)
{
    blocks_of_code_come_and_go();
    addresses_are_used_again();
    the_map_is_as_an_array();
    a_function_goes_on_behind_code_that_was_removed();
    a_function_does_not_reach_over_a_hole();
    probes_nowhere_are_given_back();
    return t_end();
}
