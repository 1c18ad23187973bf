/* fuzz_runtime.c - a runtime's life as a program of calls: code is emitted, moved, removed and emitted again where
 * other code was; samples are added at once or by way of a queue, with times or without; what collectors hold is
 * unwound in steps, taken out of them, and moved to a profile as a whole or in slices; that shrinks in slices, between
 * which it changes; allocations fail.
 *
 * Beside it a model: one map in which every emission has an address of its own and nothing is ever removed, and one
 * collector that gets all samples at once, at the end, with their addresses as they were meant when they were added.
 * Law: the profiles of both are the same text. So no count is lost, counted twice, or counted for other code. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#define CSSPGO__REMOVE_NOW 2u    /* windows that a removal takes one by one */
#include "../csspgo.h"
#include "fuzz.h"

enum {
    PLACES = 12, SPACE = 128, STEP = 4, FUNCS = 5,
    EMISSIONS = 200, SAMPLES = 500, FRAMES = 8, BRANCHES = 16, COLLECTORS = 2, PARTS = 4,
    WRITERS = 2, QUEUED = 8, PASTS = 1000,
    BASE = 0x10000
};
#define MODEL UINT64_C(0x40000000)            /* where the model's code begins                    */
#define AWAY  UINT64_C(0x7f0000000000)        /* added to addresses that are in no code           */

/* ----- code ----- */

typedef struct tables {                       /* of a function, at address 0 */
    csspgo_transfer    transfers[SPACE / STEP];
    csspgo_inline_node nodes[2];
    csspgo_probe       probes[2 * SPACE / STEP];
    size_t             transfer_count, node_count, probe_count;
    unsigned           func, size;
} tables;

typedef struct taken {                        /* a sample that was accepted, in the model's addresses */
    csspgo_sample s;
    uint64_t      stack[FRAMES];
    csspgo_branch branches[BRANCHES];
    unsigned      owner;                      /* number of what has its counts now; 0: they were dropped */
} taken;

typedef struct holder {                       /* a collector, and what may be done with it */
    csspgo_collector *c;
    unsigned          owner;                  /* the number of its samples                                 */
    int               begun;                  /* some of its counts are in the profile, others are not yet */
} holder;

typedef struct past {                         /* what was somewhere before a change */
    unsigned place, emission;
    uint64_t until;                           /* the time that the map was told last, when it changed */
} past;

typedef struct world {
    counted       heap;
    csspgo_options options;
    csspgo_collector_options how;
    csspgo_code  *code, *model;
    csspgo_profile *profile;
    holder        own[COLLECTORS], part[PARTS];
    int           live[PLACES];               /* emission + 1 */
    csspgo_queue *queue;
    csspgo_queue_stats pushed;                /* what the queue's statistics must be */
    unsigned      emissions, owners, sample_count;
    uint32_t      random;
    int           infers;                     /* 1: functions tail-call others, and frames are inferred */
    int           shrunk;                     /* 1: contexts were merged into base profiles             */
    uint64_t      bytes;                      /* 0, or what the profile is about to shrink to           */
    uint64_t      now, told;                  /* 0: no times; what the map was told last */
    unsigned      pasts;
    past          history[PASTS];
    tables        emitted[EMISSIONS];
    taken         samples[SAMPLES];
} world;

static unsigned rnd(world *w, unsigned n)
{
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 8) % n;
}

static void add_probe(tables *t, unsigned at, unsigned kind, unsigned node)
{
    csspgo_probe *p = &t->probes[t->probe_count++];
    memset(p, 0, sizeof *p);
    p->address = at;
    p->id = (uint32_t)t->probe_count;
    p->kind = (uint8_t)kind;
    p->inline_node = node;
}

/* The tables of a function in one of 256 shapes: a transfer or none in every four bytes, at last a return. */
static void make_tables(world *w, tables *t, unsigned func, unsigned shape)
{
    static const csspgo_transfer_kind kinds[] = { CSSPGO_NONE, CSSPGO_NONE, CSSPGO_CALL, CSSPGO_CALL,
                                                  CSSPGO_COND, CSSPGO_JMP,  CSSPGO_IJMP, CSSPGO_RET };
    const uint32_t before = w->random;
    unsigned at;
    memset(t, 0, sizeof *t);
    w->random = shape * 2654435761u + func;
    t->func = func;
    t->size = STEP * (2 + rnd(w, SPACE / STEP / 2 - 2));
    t->node_count = 1 + rnd(w, 2);
    t->nodes[0].guid = 100 + func;
    t->nodes[1].guid = 100 + (func + 1) % FUNCS;
    t->nodes[1].parent = t->nodes[1].site = 1;
    for (at = 0; at < t->size; at += STEP) {
        const csspgo_transfer_kind kind = at + STEP == t->size ? CSSPGO_RET : kinds[rnd(w, 8)];
        csspgo_transfer *x = &t->transfers[t->transfer_count];
        const unsigned node = 1 + rnd(w, (unsigned)t->node_count);
        if (rnd(w, 4) != 0) add_probe(t, at, CSSPGO_PROBE_BLOCK, node);
        if (kind == CSSPGO_NONE) continue;
        x->address = at + 1;
        x->size = 2;
        x->kind = kind;
        if (at + STEP == t->size) {           /* no range leads out of the function: what is behind it differs */
            x->address = t->size - 1;
            x->size = 1;
        }
        if (kind == CSSPGO_COND || kind == CSSPGO_JMP) x->target = STEP * rnd(w, t->size / STEP);
        if (kind == CSSPGO_CALL) add_probe(t, at + 1, CSSPGO_PROBE_INDIRECT_CALL, node);
        t->transfer_count++;
    }
    w->random = before;
}

/* Adds it at an address, in one call (unit) or in three: as a unit all of it or nothing. */
static csspgo_status add_code(csspgo_code *code, const tables *t, uint64_t at, int unit)
{
    const csspgo_module none = csspgo_no_module();
    tables moved = *t;
    csspgo_code_function f;
    csspgo_code_unit all;
    csspgo_status s;
    size_t i;
    memset(&f, 0, sizeof f);
    f.begin = at;
    f.end = at + t->size;
    f.guid = 100 + t->func;
    f.checksum = 7 + t->func;
    for (i = 0; i < t->transfer_count; i++) {
        csspgo_transfer *x = &moved.transfers[i];
        if (x->kind == CSSPGO_COND || x->kind == CSSPGO_JMP) x->target += at;
        x->address += at;
    }
    for (i = 0; i < t->probe_count; i++) moved.probes[i].address += at;
    all.functions = &f;
    all.transfers = moved.transfers;
    all.inlines = moved.nodes;
    all.probes = moved.probes;
    all.function_count = 1;
    all.transfer_count = t->transfer_count;
    all.inline_count = t->node_count;
    all.probe_count = t->probe_count;
    if (unit) return csspgo_code_add_unit(code, none, &all, NULL);
    s = csspgo_code_add_function(code, none, &f, NULL);
    if (s != CSSPGO_OK) return s;
    s = csspgo_code_add_transfers(code, none, moved.transfers, t->transfer_count, NULL);
    if (s == CSSPGO_OK)
        s = csspgo_code_add_probes(code, none, moved.nodes, t->node_count, moved.probes, t->probe_count, NULL);
    return s;
}

static uint64_t place_at(unsigned place)
{
    return BASE + (uint64_t)place * SPACE;
}

static int is_live(const world *w, unsigned place)
{
    return w->live[place] != 0;
}

/* The call may only fail because memory was short, and only where that was asked for. */
static int succeeded(world *w, csspgo_status s)
{
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && w->heap.fail_at != 0) || s == CSSPGO_E_FULL);
    w->heap.fail_at = 0;
    return s == CSSPGO_OK;
}

static void emit(world *w, unsigned place, unsigned func, unsigned shape, int unit)
{
    tables *t = &w->emitted[w->emissions];
    const csspgo_code_stats had = csspgo_code_get_stats(w->code);
    csspgo_code_stats s;
    if (is_live(w, place) || w->emissions == EMISSIONS) return;
    make_tables(w, t, func, shape);
    if (!succeeded(w, add_code(w->code, t, place_at(place), unit))) {
        s = csspgo_code_get_stats(w->code);
        if (unit) REQUIRE(s.code_bytes == had.code_bytes);
        else REQUIRE(csspgo_code_remove(w->code, place_at(place), place_at(place + 1), NULL) == CSSPGO_OK);
        REQUIRE(csspgo_code_validate(w->code, NULL) == CSSPGO_OK);
        return;
    }
    REQUIRE(add_code(w->model, t, MODEL + (uint64_t)w->emissions * SPACE, !unit) == CSSPGO_OK);
    w->live[place] = (int)++w->emissions;
}

/* What is at a place is not there any more. */
static void ends(world *w, unsigned place)
{
    past *p = &w->history[w->pasts];
    if (is_live(w, place) && w->told != 0) {
        p->place = place;
        p->emission = (unsigned)w->live[place] - 1;
        p->until = w->told;
        w->pasts++;
    }
    w->live[place] = 0;
}

static void remove_code(world *w, unsigned place, unsigned count)
{
    if (place + count > PLACES) count = PLACES - place;
    if (w->pasts + count > PASTS) return;
    if (!succeeded(w, csspgo_code_remove(w->code, place_at(place), place_at(place + count), NULL))) return;
    while (count-- != 0) ends(w, place + count);
    REQUIRE(csspgo_code_validate(w->code, NULL) == CSSPGO_OK);
}

/* Some places' code goes to other places. */
static void move_code(world *w, unsigned from, unsigned count, unsigned to)
{
    int moved[PLACES];
    csspgo_status s;
    unsigned i, fits = 1;
    if (from + count > PLACES) count = PLACES - from;
    if (to + count > PLACES) count = PLACES - to;
    if (w->pasts + count > PASTS) return;
    for (i = 0; i < count; i++)
        fits &= !is_live(w, from + i) || !is_live(w, to + i) || (to + i >= from && to + i < from + count);
    s = csspgo_code_move(w->code, place_at(from), place_at(from + count), place_at(to), NULL);
    if (s == CSSPGO_E_ARGUMENT) {
        REQUIRE(!fits);
        w->heap.fail_at = 0;
    } else if (succeeded(w, s)) {
        REQUIRE(fits);
        for (i = 0; i < count; i++) {
            moved[i] = w->live[from + i];
            ends(w, from + i);
        }
        for (i = 0; i < count; i++)
            if (moved[i] != 0) w->live[to + i] = moved[i];
    }
    REQUIRE(csspgo_code_validate(w->code, NULL) == CSSPGO_OK);
}

static void step_code(world *w, uint64_t budget, int all)
{
    csspgo_status s;
    unsigned calls = 0;
    do {
        s = csspgo_code_step(w->code, budget, NULL);
        REQUIRE(s == CSSPGO_OK || s == CSSPGO_MORE || (s == CSSPGO_E_NOMEM && w->heap.fail_at != 0));
        REQUIRE(++calls < 1000000);
    } while (s == CSSPGO_MORE && all);
    REQUIRE(csspgo_code_validate(w->code, NULL) == CSSPGO_OK);
}

/* ----- samples ----- */

/* What an address means, as of a time (0: now): the same place in the model. What came later counts if nothing was. */
static uint64_t meant(const world *w, uint64_t at, uint64_t time)
{
    const uint64_t place = (at - BASE) / SPACE, offset = (at - BASE) % SPACE;
    unsigned e = EMISSIONS, i;
    if (at < BASE || place >= PLACES) return at;
    for (i = 0; i < w->pasts && time != 0 && e == EMISSIONS; i++) {
        const past *p = &w->history[i];
        if (p->place == place && p->until > time && offset < w->emitted[p->emission].size) e = p->emission;
    }
    if (e == EMISSIONS && is_live(w, (unsigned)place)) e = (unsigned)w->live[place] - 1;
    if (e == EMISSIONS || offset >= w->emitted[e].size) return at + AWAY;
    return MODEL + (uint64_t)e * SPACE + offset;
}

typedef struct walk {             /* code that runs */
    csspgo_branch branch[BRANCHES];           /* newest first                    */
    uint64_t      stack[FRAMES];              /* return addresses, innermost first */
    unsigned      branches, frames;
    uint64_t      at;
} walk;

static void branch_to(walk *k, uint64_t to)
{
    memmove(k->branch + 1, k->branch, (BRANCHES - 1) * sizeof *k->branch);
    memset(k->branch, 0, sizeof *k->branch);
    k->branch[0].from = k->at;
    k->branch[0].to = k->at = to;
    if (k->branches < BRANCHES) k->branches++;
}

static uint64_t some_function(world *w)
{
    const unsigned place = rnd(w, PLACES);
    unsigned i;
    for (i = 0; i < PLACES && !is_live(w, (place + i) % PLACES); i++) {}
    return place_at((place + i) % PLACES);
}

static void do_transfer(world *w, walk *k, const tables *t, const csspgo_transfer *x, uint64_t base)
{
    if (x->kind == CSSPGO_COND && rnd(w, 2)) return;
    if (x->kind == CSSPGO_COND || x->kind == CSSPGO_JMP) branch_to(k, base + x->target);
    else if (x->kind == CSSPGO_IJMP && w->infers && rnd(w, 2)) branch_to(k, some_function(w));
    else if (x->kind == CSSPGO_IJMP) branch_to(k, base + STEP * rnd(w, t->size / STEP));
    else if (x->kind == CSSPGO_CALL && k->frames < FRAMES - 1) {
        memmove(k->stack + 1, k->stack, k->frames++ * sizeof *k->stack);
        k->stack[0] = k->at + x->size;
        branch_to(k, some_function(w));
    } else if (x->kind == CSSPGO_RET && k->frames != 0) {
        const uint64_t to = k->stack[0];
        memmove(k->stack, k->stack + 1, --k->frames * sizeof *k->stack);
        branch_to(k, to);
    } else if (x->kind == CSSPGO_RET) branch_to(k, some_function(w));
}

/* Runs from some function on, byte by byte. Returns 0 if there is no code. */
static int run(world *w, walk *k, unsigned steps)
{
    size_t i;
    memset(k, 0, sizeof *k);
    k->at = some_function(w);
    while (steps-- != 0) {
        const unsigned place = (unsigned)((k->at - BASE) / SPACE);
        const uint64_t base = place_at(place);
        const tables *t;
        if (k->at < BASE || place >= PLACES || !is_live(w, place)) break;
        t = &w->emitted[w->live[place] - 1];
        if (k->at - base >= t->size) return 0;        /* a return to code that is another one now */
        for (i = 0; i < t->transfer_count && t->transfers[i].address != k->at - base; i++) {}
        if (i == t->transfer_count) k->at++;
        else {
            const uint64_t was = k->at;
            do_transfer(w, k, t, &t->transfers[i], base);
            if (k->at == was) k->at += t->transfers[i].size;
        }
    }
    return k->branches != 0;
}

/* What hardware and signal handlers do to samples. */
static void spoil(world *w, taken *t)
{
    const uint64_t any = rnd(w, 8) != 0 ? BASE + rnd(w, PLACES * SPACE) : rnd(w, 2) ? UINT64_C(0xffffffff81000000) : 64;
    switch (rnd(w, 12)) {
    case 0: t->s.stack_count = 0; break;
    case 1: t->s.stack_count = 1; break;
    case 2: t->stack[rnd(w, t->s.stack_count)] = any; break;
    case 3: t->branches[rnd(w, t->s.branch_count)].from = any; break;
    case 4: t->branches[rnd(w, t->s.branch_count)].to = any; break;
    case 5: t->branches[rnd(w, t->s.branch_count)].flags = (uint64_t)1 << 33; break;      /* not taken    */
    case 6: t->branches[rnd(w, t->s.branch_count)].flags = 1 << 24; break;                /* a wrong path */
    case 7: t->branches[0] = t->branches[t->s.branch_count - 1]; break;
    case 8: t->s.count = 1 + rnd(w, 1000); break;
    default: break;
    }
}

/* A sample as it is taken now, in addresses of the code that runs. Returns 0 if there is none. */
static int make_sample(world *w, taken *t)
{
    walk k;
    unsigned i;
    if (!run(w, &k, 1 + rnd(w, 120))) return 0;
    memset(t, 0, sizeof *t);
    t->stack[0] = k.at;
    for (i = 0; i < k.frames; i++) t->stack[i + 1] = k.stack[i];
    memcpy(t->branches, k.branch, sizeof t->branches);
    t->s.stack_count = k.frames + 1;
    t->s.branch_count = k.branches;
    t->s.count = 1;
    t->s.time = w->now != 0 && rnd(w, 4) != 0 ? w->now : 0;
    if (t->s.time != 0 && rnd(w, 4) == 0) t->s.time = 1 + rnd(w, (unsigned)w->now);
    spoil(w, t);
    return 1;
}

/* It counts, for an owner, and means what its addresses mean as of its time. */
static void accept(world *w, const taken *t, unsigned owner)
{
    taken *m = &w->samples[w->sample_count++];
    unsigned i;
    *m = *t;
    m->owner = owner;
    for (i = 0; i < t->s.stack_count; i++) m->stack[i] = meant(w, t->stack[i], t->s.time);
    for (i = 0; i < t->s.branch_count; i++) {
        m->branches[i].from = meant(w, t->branches[i].from, t->s.time);
        m->branches[i].to = meant(w, t->branches[i].to, t->s.time);
    }
}

static void add_samples(world *w, holder *h, unsigned n)
{
    taken list[4];
    csspgo_sample s[4];
    csspgo_error e;
    unsigned i, made = 0;
    memset(s, 0, sizeof s);
    for (i = 0; i < n && w->sample_count + i < SAMPLES; i++) {
        if (made != 0 && rnd(w, 4) == 0) list[made] = list[made - 1];
        else if (!make_sample(w, &list[made])) continue;
        s[made] = list[made].s;
        s[made].stack = list[made].stack;
        s[made].branches = list[made].branches;
        made++;
    }
    e.offset = 0;
    n = succeeded(w, csspgo_collector_add(h->c, s, made, &e)) ? made : (unsigned)e.offset;
    REQUIRE(n <= made);
    for (i = 0; i < n; i++) accept(w, &list[i], h->owner);
}

/* ----- the queue ----- */

static void push(world *w, unsigned writer, unsigned n)
{
    taken t;
    while (n-- != 0) {
        if (!make_sample(w, &t)) continue;
        t.s.stack = t.stack;
        t.s.branches = t.branches;
        if (csspgo_queue_push(w->queue, writer, &t.s)) {
            w->pushed.pushed++;
            w->pushed.waiting++;
        } else if (writer >= WRITERS) w->pushed.refused++;
        else w->pushed.dropped++;
    }
}

/* What waits in the queue means what the addresses mean when it is drained: each sample alone. */
static void drain(world *w, holder *h, unsigned most)
{
    csspgo_sample s;
    const size_t fails_at = w->heap.fail_at;
    while (most-- != 0 && w->sample_count < SAMPLES && csspgo_queue_front(w->queue, &s)) {
        csspgo_status status;
        taken t;
        uint64_t drained = 9;
        memset(&t, 0, sizeof t);
        t.s = s;
        REQUIRE(s.stack_count <= FRAMES && s.branch_count <= BRANCHES);
        memcpy(t.stack, s.stack, s.stack_count * sizeof *s.stack);
        memcpy(t.branches, s.branches, s.branch_count * sizeof *s.branches);
        w->heap.fail_at = fails_at;
        status = csspgo_queue_drain(w->queue, 1, h->c, &drained, NULL);
        if (!succeeded(w, status == CSSPGO_MORE ? CSSPGO_OK : status)) {
            REQUIRE(drained == 0);
            return;
        }
        REQUIRE(drained == 1);
        accept(w, &t, h->owner);
        w->pushed.waiting--;
        REQUIRE((status == CSSPGO_MORE) == (w->pushed.waiting != 0));
    }
}

static void check_queue(const world *w)
{
    const csspgo_queue_stats s = csspgo_queue_get_stats(w->queue);
    REQUIRE(s.pushed == w->pushed.pushed && s.waiting == w->pushed.waiting && s.cut == 0);
    REQUIRE(s.dropped == w->pushed.dropped && s.refused == w->pushed.refused);
}

/* ----- profiles ----- */

static csspgo_generate_options made_how(const world *w)
{
    csspgo_generate_options how;
    memset(&how, 0, sizeof how);
    how.no_inference = !w->infers;            /* inferred frames depend on the tail calls that are seen together */
    return how;
}

static void profile_all(world *w, holder *h)
{
    const csspgo_generate_options how = made_how(w);
    if (h->c == NULL) return;
    h->begun = !succeeded(w, csspgo_collector_profile(h->c, &how, w->profile, NULL, NULL));
    if (!h->begun) h->owner = ++w->owners;
}

/* Calls that must be enough to unwind and move all samples, one trace or counter each, also if tables grow first. */
enum { ENOUGH = 4 * SAMPLES * (2 * BRANCHES + 2) };

/* What others do to the code map and the profile between slices, and changes no count. */
static void between(world *w, unsigned calls)
{
    tables none;
    memset(&none, 0, sizeof none);
    none.size = 8;
    if (calls % 4 == 1) REQUIRE(csspgo_scale(w->profile, 1, 1, NULL) == CSSPGO_OK);
    if (calls % 4 == 2 && w->now == 0 && add_code(w->code, &none, AWAY, 0) == CSSPGO_OK)
        csspgo_code_remove(w->code, AWAY, AWAY + SPACE, NULL);
    if (calls % 4 == 3) csspgo_code_step(w->code, 1, NULL);
}

/* A slice; some times more, until nothing is left. */
static void profile_slice(world *w, holder *h, uint64_t budget, int all)
{
    const csspgo_generate_options how = made_how(w);
    csspgo_status s = CSSPGO_MORE;
    unsigned calls = 0;
    if (h->c == NULL) return;
    while (s == CSSPGO_MORE) {
        s = csspgo_collector_profile_step(h->c, budget, &how, w->profile, NULL, NULL);
        REQUIRE(csspgo_validate(w->profile, NULL) == CSSPGO_OK);
        REQUIRE(++calls < ENOUGH);
        if (!all) break;
        between(w, calls);
    }
    h->begun = s == CSSPGO_MORE || !succeeded(w, s);
    if (!h->begun) h->owner = ++w->owners;
}

/* Slices of a shrink: one, or until it ends, whatever else happened since the last one. */
static void shrink(world *w, unsigned a, uint64_t budget)
{
    csspgo_status s = CSSPGO_MORE;
    unsigned calls = 0;
    if (w->bytes == 0) w->bytes = csspgo_profile_memory(w->profile) / 16 * (4 + a % 8);
    while (s == CSSPGO_MORE) {
        s = csspgo_shrink_step(w->profile, w->bytes, budget, NULL);
        REQUIRE(csspgo_validate(w->profile, NULL) == CSSPGO_OK);
        REQUIRE(++calls < ENOUGH);
        if (a < 128) break;
        if (a % 4 == 0) between(w, calls);
    }
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_MORE || s == CSSPGO_E_LIMIT);
    if (s == CSSPGO_OK) w->shrunk = 1;
    if (s != CSSPGO_MORE) w->bytes = 0;
}

/* Some steps of unwinding. */
static void unwind(world *w, holder *h, uint64_t budget, int all)
{
    csspgo_status s;
    unsigned calls = 0;
    if (h->c == NULL) return;
    do {
        s = csspgo_collector_step(h->c, budget, NULL);
        REQUIRE(++calls < ENOUGH);
    } while (s == CSSPGO_MORE && all);
    if (s != CSSPGO_MORE) succeeded(w, s);
}

static void forget(world *w, unsigned owner)
{
    unsigned i;
    for (i = 0; i < w->sample_count; i++)
        if (w->samples[i].owner == owner) w->samples[i].owner = 0;
}

/* A collector goes, and with it the counts that are still in it; not while some of them are in the profile. */
static void drop(world *w, holder *h)
{
    if (h->c == NULL) return;
    forget(w, h->owner);
    csspgo_collector_free(h->c);
    h->c = NULL;
}

/* What h holds goes to a part; one that is in the way goes to the profile, or is dropped if it may be. */
static void take(world *w, holder *h, holder *part, int dropped)
{
    csspgo_collector *c;
    if (part->c != NULL && !dropped) profile_all(w, part);
    if (part->c != NULL && part->begun) return;
    drop(w, part);
    c = csspgo_collector_take(h->c, NULL);
    if (!succeeded(w, c != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM)) return;
    *part = *h;
    part->c = c;
    h->owner = ++w->owners;
    h->begun = 0;
}

static char *text_of(const csspgo_profile *p)
{
    size_t size;
    char *text;
    csspgo_write(p, CSSPGO_TEXT, NULL, 0, &size, NULL);
    text = (char *)calloc(size + 1, 1);
    REQUIRE(text != NULL && csspgo_write(p, CSSPGO_TEXT, text, size, NULL, NULL) == CSSPGO_OK);
    return text;
}

/* All samples that were not dropped, at once. */
static csspgo_profile *model_profile(world *w)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_collector *c = csspgo_collector_new(w->model, &w->how, NULL, NULL);
    holder h;
    unsigned i;
    REQUIRE(p != NULL && c != NULL);
    for (i = 0; i < w->sample_count; i++) {
        csspgo_sample s = w->samples[i].s;
        s.stack = w->samples[i].stack;
        s.branches = w->samples[i].branches;
        if (w->samples[i].owner != 0) REQUIRE(csspgo_collector_add(c, &s, 1, NULL) == CSSPGO_OK);
    }
    w->profile = p;
    memset(&h, 0, sizeof h);
    h.c = c;
    profile_all(w, &h);
    csspgo_collector_free(c);
    return p;
}

/*
 * Which callers a stack lacks is guessed from what other samples show so far, and which frames tail calls removed is
 * inferred from what a call moves: so contexts may differ; their sum not.
 */
static void require_same(world *w)
{
    csspgo_profile *had = w->profile;
    char *got, *want;
    if (!w->how.keep_leaves || w->infers || w->shrunk) REQUIRE(csspgo_flatten(had, NULL) == CSSPGO_OK);
    got = text_of(had);
    csspgo_profile_free(had);
    w->profile = model_profile(w);
    if (!w->how.keep_leaves || w->infers || w->shrunk) REQUIRE(csspgo_flatten(w->profile, NULL) == CSSPGO_OK);
    want = text_of(w->profile);
    if (strcmp(got, want) != 0) fprintf(stderr, "got:\n%s\nwant:\n%s\n", got, want);
    REQUIRE(strcmp(got, want) == 0);
    free(got);
    free(want);
}

/* ----- the program ----- */

static void new_collector(world *w, holder *h)
{
    h->c = csspgo_collector_new(w->code, &w->how, &w->options, NULL);
    h->owner = ++w->owners;
    REQUIRE(h->c != NULL);
}

/* An empty collector, which was there before (cleared) or not. */
static void begin_again(world *w, holder *h, int cleared)
{
    if (h->begun) profile_all(w, h);
    if (h->begun) return;
    if (cleared) {
        forget(w, h->owner);
        csspgo_collector_clear(h->c);
        REQUIRE(csspgo_collector_get_stats(h->c).samples == 0);
        h->owner = ++w->owners;
    } else {
        w->heap.fail_at = 0;
        drop(w, h);
        new_collector(w, h);
    }
}

static void operate(world *w, input *in)
{
    const unsigned op = byte(in), a = byte(in), b = byte(in);
    holder *h = &w->own[op >> 7], *part = &w->part[a % PARTS];
    w->random = a << 8 | b;
    if (w->now != 0) {
        w->now++;
        if (b % 4 != 0) csspgo_code_set_time(w->code, w->told = w->now);
    }
    switch (op & 31) {
    case 0: case 1: case 2: case 3:   /* with times as units: a part that was added and removed would be remembered */
        emit(w, a % PLACES, a / PLACES % FUNCS, b, op & 1 || w->now != 0);
        break;
    case 4: case 5: remove_code(w, a % PLACES, 1); break;
    case 6: remove_code(w, a % PLACES, 1 + b % PLACES); break;
    case 7: case 8: case 9: case 10: case 11: add_samples(w, h, 1 + (op >> 5 & 3)); break;
    case 12: case 13: push(w, op >> 5 & 3, 1 + b % 4); break;
    case 14: case 15: drain(w, h, 1 + b % 16); break;
    case 16: succeeded(w, csspgo_collector_flush(h->c, NULL)); break;
    case 17: profile_all(w, h); break;
    case 18: profile_all(w, part); break;
    case 19: case 20: profile_slice(w, h, b, a < 32); break;
    case 21: case 22: profile_slice(w, part, b, a < 32); break;
    case 23: unwind(w, h, b, a < 32); break;
    case 24: unwind(w, part, b, a < 128); break;
    case 25: case 26: take(w, h, part, b < 32); break;
    case 27: begin_again(w, h, op >> 5 & 1); break;
    case 28: move_code(w, a % PLACES, 1 + (op >> 5 & 3), b % PLACES); break;
    case 29: step_code(w, b, a < 32); break;
    case 30: shrink(w, a, b); break;
    default: w->heap.fail_at = w->heap.calls + 1 + a % 32; return;
    }
    w->heap.fail_at = 0;
    check_queue(w);
}

/* Checksums of inlinees, which would be known only while their function has code. */
static void describe(csspgo_code *code)
{
    csspgo_descriptor d[FUNCS];
    unsigned i;
    memset(d, 0, sizeof d);
    for (i = 0; i < FUNCS; i++) {
        d[i].guid = 100 + i;
        d[i].checksum = 7 + i;
    }
    REQUIRE(csspgo_code_add_descriptors(code, d, FUNCS, NULL) == CSSPGO_OK);
}

/* From now on there are times. The memory to remember what was is there before allocations may fail. */
static void begin_time(world *w)
{
    tables none;
    memset(&none, 0, sizeof none);
    none.size = 8;
    csspgo_code_set_time(w->code, w->now = w->told = 1);
    REQUIRE(add_code(w->code, &none, AWAY, 0) == CSSPGO_OK);
    REQUIRE(csspgo_code_remove(w->code, AWAY, AWAY + SPACE, NULL) == CSSPGO_OK);
}

static void start(world *w, unsigned options)
{
    unsigned i;
    csspgo_queue_options slots;
    memset(w, 0, offsetof(world, emitted));
    memset(&slots, 0, sizeof slots);
    slots.writers = WRITERS;
    slots.samples = QUEUED;
    slots.max_frames = FRAMES;
    slots.max_branches = BRANCHES;
    w->options.allocator.alloc_fn = counted_alloc;
    w->options.allocator.free_fn = counted_free;
    w->options.allocator.ctx = &w->heap;
    w->how.always_contexts = 1;               /* else the samples that are seen together decide it */
    w->how.keep_leaves = options & 1;
    w->how.keep_records = options >> 1 & 1;
    w->how.limit_depth = options >> 2 & 1;
    w->how.max_depth = options >> 3 & 3;
    w->how.cache_bytes = options & 32 ? 1 : 1 << 14;
    w->code = csspgo_code_new(&w->options, NULL);
    w->model = csspgo_code_new(NULL, NULL);
    w->profile = csspgo_profile_new(NULL, NULL);
    w->queue = csspgo_queue_new(&slots, &w->options, NULL);
    REQUIRE(w->code != NULL && w->model != NULL && w->profile != NULL && w->queue != NULL);
    describe(w->code);
    describe(w->model);
    for (i = 0; i < COLLECTORS; i++) new_collector(w, &w->own[i]);
    w->infers = (options & 128) != 0;
    if (options & 64) begin_time(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world the_world;
    world *w = &the_world;
    input in;
    unsigned i;
    in.p = data;
    in.end = data + size;
    start(w, byte(&in));
    while (in.p < in.end && w->sample_count < SAMPLES) operate(w, &in);
    w->heap.fail_at = 0;
    for (i = 0; i < PARTS; i++) profile_all(w, &w->part[i]);
    for (i = 0; i < COLLECTORS; i++) profile_all(w, &w->own[i]);
    REQUIRE(csspgo_code_validate(w->code, NULL) == CSSPGO_OK);
    is_a_profile(w->profile, 0);
    require_same(w);
    for (i = 0; i < PARTS; i++) csspgo_collector_free(w->part[i].c);
    for (i = 0; i < COLLECTORS; i++) csspgo_collector_free(w->own[i].c);
    csspgo_queue_free(w->queue);
    csspgo_profile_free(w->profile);
    csspgo_code_free(w->code);
    csspgo_code_free(w->model);
    REQUIRE(w->heap.live == 0);
    return 0;
}
