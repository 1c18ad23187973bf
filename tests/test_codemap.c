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
    csspgo_inline_node body;
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
    return csspgo_code_transfer_kind(c, at + 8) == CSSPGO_CALL &&
 csspgo_code_transfer_kind(c, at + SIZE - 1) == CSSPGO_RET &&
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
        if (live[k] ? !is_whole(c, slot(k), 0) : csspgo_code_transfer_kind(c, slot(k) + 8) != CSSPGO_NONE)
            return fails_at("phases", first, round, slot(k), NULL);
    return valid(c);
}

/* Removes functions `from` to `to` - 1 in one call, and perhaps gives back some of them, or all. */
static int phase_remove(csspgo_code *c, unsigned char *live, uint32_t slots, uint32_t from, uint32_t to)
{
    uint64_t there = 0;
    uint32_t k;
    if (csspgo_code_remove(c, slot(from), slot(to), NULL) != CSSPGO_OK) return 0;
    memset(live + from, 0, to - from);
    for (k = 0; k < slots; k++) there += live[k];
    if (csspgo_code_get_stats(c).code_bytes != SIZE * there || !valid(c)) return 0;
    for (k = rnd(8); k != 0; k--) csspgo_code_step(c, rnd(3000), NULL);
    if (rnd(8) != 0) return 1;
    while (csspgo_code_step(c, 1 + rnd(100000), NULL) == CSSPGO_MORE) {}
    return csspgo_code_get_stats(c).removed_bytes == 0;
}

/*
 * Every function is asked every few rounds, the map is validated after each. Blocks go function by function, or in one
 * call.
 */
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
        if (!on && rnd(2)) ok = phase_remove(c, live, slots, from, from + n);
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
    const uint32_t rounds = (uint32_t)t_size(25, 200), every = (uint32_t)t_size(5, 4);
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
    const csspgo_status s = csspgo_collector_profile(r->collector, NULL, r->profile, NULL, e);
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
    const uint32_t emissions = (uint32_t)t_size(2000, 200000), every = (uint32_t)t_size(400, 2000);
    uint32_t i;
    for (i = 1; i <= (uint32_t)t_size(10, 1); i++) T_CHECK(reuse(i, (uint32_t)t_size(60, 200), emissions, every));
    for (i = 2; i <= (uint32_t)t_size(0, 10); i++) T_CHECK(reuse(i, 100 * i, 20000, every));
}

/* ----- the whole map beside arrays, one entry per byte of code; memory runs out now and then ---------------------- */

enum { SPACE = 1500, BASE = 0x7000, PARTS = 3, PART = 16 };   /* a module of three areas moves about in it, too */

typedef struct map_byte {
    uint32_t area, in;            /* area 0: free; in: number of the byte in its area     */
    uint32_t func, probes;        /* func 0: none                                         */
    unsigned char kind, is_module, called;   /* called: the call before is so far back    */
} map_byte;

typedef struct map_model {
    t_heap heap;
    csspgo_code *code;
    csspgo_module module;
    uint64_t bias;
    uint32_t areas;               /* added so far */
    uint64_t time;
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
        if (m->at[i].area == 0 || m->at[i].is_module || m->at[i].area != m->at[begin].area || m->at[i].func != 0 ||
            m->at[i].in - m->at[begin].in != i - begin)
            return 0;
    return 2;
}

/* 1 if code of one area goes on from one byte to another one. */
static int goes_on(const map_model *m, uint32_t from, uint32_t to)
{
    return m->at[from].area != 0 && m->at[to].area == m->at[from].area && m->at[to].in - m->at[from].in == to - from;
}

static void fill(map_model *m, uint32_t begin, uint32_t end, int is_module)
{
    const uint32_t first = begin;
    m->areas++;
    for (; begin < end; begin++) {
        memset(&m->at[begin], 0, sizeof m->at[begin]);
        m->at[begin].area = m->areas;
        m->at[begin].in = begin - first;
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
        t[i] = make_transfer(BASE + at[i], 1 + rnd(15), (csspgo_transfer_kind)rnd(6), rnd(2) ? BASE + rnd(SPACE) : 0);
        known &= m->at[at[i]].area != 0 && !m->at[at[i]].is_module;
    }
    s = csspgo_code_add_transfers(m->code, csspgo_no_module(), t, 8, e);
    if (s == CSSPGO_E_NOMEM) return s;
    if ((s == CSSPGO_E_ARGUMENT) != !known) return CSSPGO_E_SYNTAX;
    for (i = 0; i < 8 && s == CSSPGO_OK; i++) {
        const uint32_t after = at[i] + t[i].size;
        m->at[at[i]].kind = (unsigned char)t[i].kind;
        if (t[i].kind == CSSPGO_CALL && after < SPACE && goes_on(m, at[i], after))
            m->at[after].called = (unsigned char)t[i].size;
    }
    return s;
}

/* A function with a transfer and a probe at some addresses, most of them its own: all or nothing. */
static csspgo_status model_unit(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    const uint32_t at = rnd(8) != 0 ? begin + rnd(end - begin) : rnd(SPACE);
    const int how = stretch(m, begin, end), own = at >= begin && at < end;
    const int known = own || (m->at[at].area != 0 && !m->at[at].is_module);
    const csspgo_code_function f = make_function(BASE + begin, BASE + end, "unit");
    const csspgo_transfer t = make_transfer(BASE + at, 2, CSSPGO_RET, 0);
    csspgo_inline_node in;
    csspgo_probe p;
    csspgo_code_unit u;
    csspgo_status s;
    memset(&in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    memset(&u, 0, sizeof u);
    in.guid = csspgo_guid("unit", 4);
    p.address = BASE + at;
    p.id = p.inline_node = 1;
    u.functions = &f;
    u.transfers = &t;
    u.inlines = &in;
    u.probes = &p;
    u.function_count = u.transfer_count = u.inline_count = u.probe_count = 1;
    s = csspgo_code_add_unit(m->code, csspgo_no_module(), &u, e);
    if (s == CSSPGO_E_NOMEM) return s;
    if ((s == CSSPGO_E_ARGUMENT) != (how == 0 || !known)) return CSSPGO_E_SYNTAX;
    if (s != CSSPGO_OK) return strncmp(e->message, "csspgo_code_add_unit: ", 22) == 0 ? s : CSSPGO_E_SYNTAX;
    if (how == 1) fill(m, begin, end, 0);
    for (m->areas++; begin < end; begin++) m->at[begin].func = m->areas;
    m->at[at].kind = CSSPGO_RET;
    m->at[at].probes++;
    return s;
}

/* A function of a JIT is on both sides of a byte. */
static int is_cut(const map_model *m, uint32_t at)
{
    return at != 0 && m->at[at].func != 0 && m->at[at - 1].func == m->at[at].func && goes_on(m, at - 1, at) &&
           !m->at[at].is_module;
}

/* Code of a JIT moves to where nothing else is. */
static csspgo_status model_move(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    static map_byte was[SPACE];
    const uint32_t to = rnd(2) ? rnd(SPACE - (end - begin)) : begin < 20 ? begin : begin - 20 + rnd(20);
    int fits = !is_cut(m, begin) && !is_cut(m, end);
    csspgo_status s;
    uint32_t i;
    memcpy(was, m->at, sizeof was);
    for (i = begin; i < end; i++) {
        const uint32_t k = to + (i - begin);
        if (to == begin || was[i].area == 0 || was[i].is_module) continue;
        fits &= was[k].area == 0 || (k >= begin && k < end && !was[k].is_module);
    }
    s = csspgo_code_move(m->code, BASE + begin, BASE + end, BASE + to, e);
    if (s == CSSPGO_E_NOMEM) return s;
    if ((s == CSSPGO_E_ARGUMENT) != !fits) return CSSPGO_E_SYNTAX;
    if (s != CSSPGO_OK || to == begin) return s;
    for (i = begin; i < end; i++)
        if (!was[i].is_module) memset(&m->at[i], 0, sizeof m->at[i]);
    for (i = begin; i < end; i++)
        if (was[i].area != 0 && !was[i].is_module) m->at[to + (i - begin)] = was[i];
    for (i = 0; i < 15; i++) {                            /* the call before is elsewhere: not asked for */
        if (end + i < SPACE && was[end + i].called > i) m->at[end + i].called = 255;
        if (to + i < to + (end - begin) && was[begin + i].called > i && m->at[to + i].area != 0)
            m->at[to + i].called = 255;
    }
    return s;
}

/* Probes of two nodes, some of them not at known code. */
static csspgo_status model_probes(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    csspgo_inline_node in[2];
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

/* Very short functions side by side. */
static csspgo_status model_row(map_model *m, uint32_t begin, uint32_t end, csspgo_error *e)
{
    csspgo_status s = CSSPGO_OK;
    uint32_t to;
    for (; begin < end && s != CSSPGO_E_NOMEM; begin = to) {
        to = begin + 1 + rnd(3);
        s = model_function(m, begin, to, e);
        if (s != CSSPGO_OK && s != CSSPGO_E_ARGUMENT && s != CSSPGO_E_NOMEM) return s;
    }
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
    s = csspgo_code_set_bias(m->code, m->module, bias, e);
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
    if (csspgo_code_transfer_kind(m->code, a) != (csspgo_transfer_kind)b->kind) return 0;
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
    m->time = 0;
    m->bias = BASE - link_address(0);
    m->code = csspgo_code_new(&o, NULL);
    m->module = csspgo_code_add_module(m->code, "m", 1, &segment, 1, NULL);
    T_EQ(csspgo_code_set_bias(m->code, m->module, m->bias, NULL), CSSPGO_OK);
    for (k = 0; k < PARTS; k++) {
        T_EQ(csspgo_code_add_area(m->code, m->module, link_address(k), PART, NULL), CSSPGO_OK);
        fill(m, 3 * PART * k, 3 * PART * k + PART, 1);
    }
    seed = first;
}

/* A step that fails changes nothing: the map agrees with the arrays. lasting: all allocations from one on fail. */
static int model_step(map_model *m, int lasting, uint32_t *failures, csspgo_error *e)
{
    const uint32_t begin = rnd(SPACE - 90), end = begin + 1 + rnd(90), how = rnd(26);
    csspgo_status s;
    uint32_t i;
    if (rnd(8) == 0) csspgo_code_set_time(m->code, rnd(20) == 0 ? 0 : ++m->time);
    m->heap.nth = rnd(2) ? m->heap.calls + 1 + (long)rnd(3) : 0;
    t_once = !lasting;
    t_nth = m->heap.nth;
    if (how < 4) s = model_function(m, begin, end, e);
    else if (how < 6) s = model_area(m, begin, end, e);
    else if (how < 9) s = model_transfers(m, begin, end, e);
    else if (how < 11) s = model_probes(m, begin, end, e);
    else if (how < 15) s = model_remove(m, begin, end, e);
    else if (how < 16) s = model_map(m, begin, e);
    else if (how < 18) s = model_unit(m, begin, end, e);
    else if (how < 22) s = model_move(m, begin, end, e);
    else if (how < 23) s = model_remove(m, begin, begin + 1 + rnd(SPACE - begin), e);
    else if (how < 24) s = model_row(m, begin, end, e);
    else if ((s = csspgo_code_step(m->code, rnd(3000), e)) == CSSPGO_MORE) s = CSSPGO_OK;
    m->heap.nth = 0;
    *failures += s == CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK && s != CSSPGO_E_NOMEM && s != CSSPGO_E_ARGUMENT) return 0;
    for (i = 0; i < SPACE; i++)
        if (!byte_agrees(m, i)) return 0;
    return valid(m->code);
}

static void the_map_is_as_an_array(void)
{
    const uint32_t runs = (uint32_t)t_size(2, 12), steps = (uint32_t)t_size(800, 3000);
    uint32_t i, k, failures = 0;
    for (i = 0; i < runs; i++) {
        static map_model m;
        csspgo_error e;
        int ok = 1;
        model_open(&m, i + 1);
        for (k = 0; k < steps && ok; k++) ok = model_step(&m, i % 2 == 1, &failures, &e);
        if (!ok) fails_at("model", i + 1, k, 0, &e);
        T_CHECK(ok);
        while (csspgo_code_step(m.code, rnd(100), NULL) == CSSPGO_MORE) T_CHECK(valid(m.code));
        csspgo_code_free(m.code);
        T_EQ(m.heap.live, 0);
    }
    t_once = 0;
    T_CHECK(failures > runs * 10);
}

/* ----- the same counts whether code is never removed, or moves and comes back, or samples come late -------------- */

enum { LAW_FUNCTIONS = 64, LAW_LATE = 24 };
enum { LAW_KEEP = 0, LAW_AGAIN = 1, LAW_MOVE = 2, LAW_TIME = 3, LAW_ONCE_FREE = 4 };

typedef struct law_sample {
    uint64_t stack[3];
    csspgo_branch branch[2];
    csspgo_sample sample;
} law_sample;

typedef struct law_run {
    int how;                      /* KEEP: each version at an address of its own, never removed; AGAIN: removed, and
                                     moved code is removed and added again; MOVE: code moves; TIME: and samples wait */
    csspgo_code *code;
    csspgo_collector *collector;
    uint64_t where[LAW_FUNCTIONS], behind, time;
    uint32_t version[LAW_FUNCTIONS];
    uint64_t freed[64];
    uint32_t frees, waiting;
    law_sample late[LAW_LATE];
} law_run;

static uint32_t law_seed;

/* What differs between the runs has random numbers of its own. */
static uint32_t law_rnd(uint32_t n)
{
    law_seed = law_seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(law_seed >> 4) * n) >> 28);
}

static uint64_t law_place(law_run *r)
{
    if (r->how != LAW_KEEP && r->frees > LAW_ONCE_FREE) return r->freed[--r->frees];
    r->behind += SIZE;
    return r->behind;
}

static void law_free(law_run *r, uint64_t at)
{
    if (r->frees < sizeof r->freed / sizeof *r->freed) r->freed[r->frees++] = at;
}

static uint32_t law_id(const law_run *r, uint32_t f)
{
    return f + LAW_FUNCTIONS * r->version[f];
}

/* A function in a new version, or the same one elsewhere. */
static void law_again(law_run *r, uint32_t f, int newer)
{
    const uint64_t old = r->where[f], to = law_place(r);
    r->version[f] += (unsigned)newer;
    if (r->how >= LAW_TIME) csspgo_code_set_time(r->code, r->time);
    if (!newer && r->how >= LAW_MOVE) {
        T_EQ(csspgo_code_move(r->code, old, old + SIZE, to, NULL), CSSPGO_OK);
    } else {
        if (r->how != LAW_KEEP) T_EQ(csspgo_code_remove(r->code, old, old + SIZE, NULL), CSSPGO_OK);
        T_EQ(emit(r->code, to, law_id(r, f), 1, NULL), CSSPGO_OK);
    }
    r->where[f] = to;
    if (r->how != LAW_KEEP) law_free(r, old);
}

static void law_late(law_run *r)
{
    uint32_t i;
    for (i = 0; i < r->waiting; i++) {
        r->late[i].sample.stack = r->late[i].stack;
        r->late[i].sample.branches = r->late[i].branch;
        T_EQ(csspgo_collector_add(r->collector, &r->late[i].sample, 1, NULL), CSSPGO_OK);
    }
    r->waiting = 0;
}

/* All code goes, in one call, and comes back function by function; some of these are made anew at once. */
static void law_flush(law_run *r)
{
    uint32_t f;
    if (r->how >= LAW_TIME) csspgo_code_set_time(r->code, r->time);
    if (r->how != LAW_KEEP) T_EQ(csspgo_code_remove(r->code, 1, UINT64_MAX, NULL), CSSPGO_OK);
    if (r->how == LAW_TIME && law_rnd(8) == 0) law_late(r);
    if (r->how != LAW_KEEP) T_CHECK(valid(r->code));
    for (f = 0; f < LAW_FUNCTIONS; f++) {
        const uint64_t old = r->where[f];
        r->where[f] = law_place(r);
        if (r->how != LAW_KEEP) law_free(r, old);
        r->version[f]++;
        T_EQ(emit(r->code, r->where[f], law_id(r, f), 1, NULL), CSSPGO_OK);
        r->time += rnd(2);
        while (rnd(2)) law_again(r, f, 1);
        if (r->how == LAW_TIME && law_rnd(4) == 0) law_late(r);
    }
}

static void law_add(law_run *r)
{
    const uint64_t leaf = r->where[rnd(LAW_FUNCTIONS)], caller = r->where[rnd(LAW_FUNCTIONS)];
    law_sample *s = &r->late[r->waiting++];
    memset(s, 0, sizeof *s);
    s->branch[0].from = caller + 8;
    s->branch[0].to = leaf;
    s->branch[1].from = leaf + SIZE - 1;
    s->branch[1].to = caller + 13;
    s->stack[0] = leaf + 12;
    s->stack[1] = caller + 13;
    s->stack[2] = r->where[rnd(LAW_FUNCTIONS)] + 13;
    s->sample.stack_count = 3;
    s->sample.branch_count = 2;
    s->sample.count = 1 + rnd(3);
    s->sample.time = r->time;
    if (r->how != LAW_TIME || r->waiting == LAW_LATE) law_late(r);
}

/* The profile as text, for free(). */
static char *law_profile(uint32_t first, int how, uint32_t steps, size_t *size)
{
    csspgo_collector_options o;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    char *text = NULL;
    law_run r;
    uint32_t i;
    memset(&o, 0, sizeof o);
    memset(&r, 0, sizeof r);
    o.cache_bytes = 4096;
    r.how = how;
    r.code = csspgo_code_new(NULL, NULL);
    r.collector = csspgo_collector_new(r.code, &o, NULL, NULL);
    r.behind = slot(0);
    seed = first;
    law_seed = 77 * first + (uint32_t)how;
    for (i = 0; i < LAW_FUNCTIONS; i++) {
        r.where[i] = law_place(&r);
        T_EQ(emit(r.code, r.where[i], i, 1, NULL), CSSPGO_OK);
    }
    for (i = 0; i < steps; i++) {
        const uint32_t what = rnd(8), f = rnd(LAW_FUNCTIONS);
        r.time += 1 + rnd(3);
        if (what == 0 && rnd(16) == 0) law_flush(&r);
        else if (what == 0) law_again(&r, f, 1);
        else if (what < 3 && how != LAW_KEEP) law_again(&r, f, 0);
        else if (what >= 3) law_add(&r);
        if (how != LAW_KEEP && law_rnd(4) == 0) csspgo_code_step(r.code, law_rnd(300), NULL);
        if (law_rnd(50) == 0) T_EQ(csspgo_collector_flush(r.collector, NULL), CSSPGO_OK);
        if (law_rnd(20) == 0) T_CHECK(valid(r.code));
    }
    law_late(&r);
    T_EQ(csspgo_collector_profile(r.collector, NULL, p, NULL, NULL), CSSPGO_OK);
    csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, NULL);
    text = (char *)calloc(*size + 1, 1);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, text, *size, size, NULL), CSSPGO_OK);
    csspgo_collector_free(r.collector);
    csspgo_profile_free(p);
    csspgo_code_free(r.code);
    return text;
}

static void counts_do_not_depend_on_where_code_is(void)
{
    const uint32_t runs = (uint32_t)t_size(4, 12), steps = (uint32_t)t_size(700, 4000);
    uint32_t i;
    for (i = 1; i <= runs; i++) {
        size_t want_size, size;
        char *want = law_profile(i, LAW_KEEP, steps, &want_size);
        int how;
        T_CHECK(want_size > 5000);
        for (how = LAW_AGAIN; how <= LAW_TIME; how++) {
            char *got = law_profile(i, how, steps, &size);
            T_MSG(size == want_size && memcmp(got, want, size) == 0,
                  how == LAW_AGAIN ? "removed and added again" : how == LAW_MOVE ? "moved" : "moved, samples late");
            free(got);
        }
        free(want);
    }
}

/* ----- what is behind removed code, and what never was at known code ---------------------------------------------- */

/* Code that is added and removed at once, so that the map gives removed code back. */
static void give_back(csspgo_code *c)
{
    T_EQ(csspgo_code_add_area(c, csspgo_no_module(), 0x900000, 0x10000, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_remove(c, 0x900000, 0x910000, NULL), CSSPGO_OK);
    while (csspgo_code_step(c, 1, NULL) == CSSPGO_MORE) {}
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
    csspgo_inline_node in;
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

/* ----- entries in the middle of a function; memory that is reserved ----------------------------------------------- */

enum { OSR_F = 0x1000, OSR_G = 0x2000, OSR_INTERPRETER = 0x9000 };
/* A call ends where f is entered; the map was told of that entry, or together with another one that it refused. */
enum { OSR_CALL = 1, OSR_DECLARED = 2, OSR_REFUSED = 4 };

/* g calls an interpreter, which goes on in the middle of f. The counts as text, for free(). */
static char *osr_counts(int how, size_t *size)
{
    const csspgo_code_function f = make_function(OSR_F, OSR_F + 0x40, "f"), g = make_function(OSR_G, OSR_G + 0x40, "g");
    const uint64_t entry = OSR_F + 0xd, refused[2] = { OSR_F + 0xd, OSR_INTERPRETER };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_transfer t[4];
    csspgo_branch b[4];
    uint64_t stack[3];
    csspgo_sample s;
    char *text;
    t[0] = make_transfer(OSR_F + 0x20, 2, CSSPGO_COND, OSR_F + 0x10);
    t[1] = make_transfer(OSR_G + 4, 5, CSSPGO_CALL, 0);
    t[2] = make_transfer(OSR_G + 0x10, 2, CSSPGO_COND, OSR_G);
    t[3] = make_transfer(OSR_F + 8, 5, CSSPGO_CALL, 0);
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &g, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_transfers(code, csspgo_no_module(), t, how & OSR_CALL ? 4 : 3, NULL), CSSPGO_OK);
    if (how & OSR_DECLARED) T_EQ(csspgo_code_add_entries(code, csspgo_no_module(), &entry, 1, NULL), CSSPGO_OK);
    if (how & OSR_REFUSED)
        T_EQ(csspgo_code_add_entries(code, csspgo_no_module(), refused, 2, NULL), CSSPGO_E_ARGUMENT);
    memset(b, 0, sizeof b);
    memset(&s, 0, sizeof s);
    b[0].from = OSR_F + 0x20;
    b[0].to = OSR_F + 0x10;
    b[1].from = OSR_INTERPRETER;
    b[1].to = entry;
    b[2].from = OSR_G + 4;
    b[2].to = OSR_INTERPRETER - 0x100;
    b[3].from = OSR_G + 0x10;
    b[3].to = OSR_G;
    stack[0] = OSR_F + 0x15;
    stack[1] = OSR_INTERPRETER;
    stack[2] = OSR_G + 9;
    s.stack = stack;
    s.stack_count = 3;
    s.branches = b;
    s.branch_count = 4;
    s.count = 7;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
    T_CHECK(valid(code));
    csspgo_write_unsymbolized(c, NULL, NULL, 0, size, NULL);
    text = (char *)calloc(*size + 1, 1);
    T_EQ(csspgo_write_unsymbolized(c, NULL, text, *size, size, NULL), CSSPGO_OK);
    csspgo_collector_free(c);
    T_EQ(csspgo_code_remove(code, OSR_F, OSR_F + 0x40, NULL), CSSPGO_OK);
    while (csspgo_code_step(code, 1000, NULL) == CSSPGO_MORE) {}
    T_CHECK(valid(code));
    csspgo_code_free(code);
    return text;
}

/* An entry behind a call counts as one where no call ends; if the map is not told, it is taken as a return. */
static void code_is_entered_in_the_middle(void)
{
    const uint64_t bad[2] = { OSR_F, OSR_G };
    const csspgo_code_function f = make_function(OSR_F, OSR_F + 0x40, "f");
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    size_t want_size, size, untold_size, refused_size;
    char *want = osr_counts(0, &want_size), *got = osr_counts(OSR_CALL | OSR_DECLARED, &size);
    char *untold = osr_counts(OSR_CALL, &untold_size), *refused = osr_counts(OSR_CALL | OSR_REFUSED, &refused_size);
    csspgo_error e;
    T_MSG(size == want_size && memcmp(got, want, size) == 0, got);
    T_CHECK(untold_size != want_size || memcmp(untold, want, want_size) != 0);
    T_MSG(refused_size == untold_size && memcmp(refused, untold, refused_size) == 0, refused);
    free(refused);
    free(want);
    free(got);
    free(untold);
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_entries(code, csspgo_no_module(), bad, 2, &e), CSSPGO_E_ARGUMENT);
    T_MSG(strcmp(e.message, "csspgo_code_add_entries: entry 1 at 0x2000: not at known code") == 0, e.message);
    T_EQ(e.offset, 1);
    T_CHECK(valid(code));
    csspgo_code_free(code);
}

/* What was reserved is there: emitting that much asks for little more memory. A limit is known before. */
static void memory_is_reserved(void)
{
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_code *c = csspgo_code_new(&o, NULL);
    csspgo_code_need need;
    uint64_t memory;
    uint32_t i;
    long calls;
    memset(&need, 0, sizeof need);
    need.functions = need.inlines = 1000;
    need.code_bytes = 1000 * SIZE;
    need.transfers = need.probes = 2000;
    T_EQ(csspgo_code_reserve(c, &need, NULL), CSSPGO_OK);
    memory = csspgo_code_get_stats(c).memory;
    calls = heap.calls;
    for (i = 0; i < 1000; i++) T_EQ(emit(c, slot(i), i, 1, NULL), CSSPGO_OK);
    T_CHECK(valid(c));
    T_CHECK(heap.calls - calls < 1000 + 50);               /* a name each */
    T_CHECK(csspgo_code_get_stats(c).memory < memory + 1000 * 16 + 30000);
    csspgo_code_free(c);
    T_EQ(heap.live, 0);
    o.limits.max_bytes = 100000;
    c = csspgo_code_new(&o, NULL);
    T_EQ(csspgo_code_reserve(c, &need, NULL), CSSPGO_E_LIMIT);
    T_EQ(emit(c, slot(0), 0, 1, NULL), CSSPGO_OK);
    T_CHECK(valid(c));
    csspgo_code_free(c);
    T_EQ(heap.live, 0);
}

int main(void)
{
    blocks_of_code_come_and_go();
    addresses_are_used_again();
    the_map_is_as_an_array();
    counts_do_not_depend_on_where_code_is();
    a_function_goes_on_behind_code_that_was_removed();
    a_function_does_not_reach_over_a_hole();
    probes_nowhere_are_given_back();
    code_is_entered_in_the_middle();
    memory_is_reserved();
    return t_end();
}
