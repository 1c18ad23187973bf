/* fuzz_front.c - the front door of a runtime as a program of calls: units of code are emitted, moved and retired,
 * samples pushed, counted in steps, taken over, asked about, saved and loaded; memory is short.
 *
 * Laws: its parts are valid after every call; a unit that is refused changes nothing; every sample that was pushed is
 * counted, waits, or was given up; what was saved can be loaded, and all memory is given back. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"
#include "program.h"

typedef struct world {
    counted         heap;
    program         prog;
    csspgo_runtime *r;
    uint64_t        at[PROGRAM_FUNCTIONS];    /* where a function's code is now; 0: nowhere */
    uint64_t        pushed;
} world;

static int is_short(csspgo_status s)
{
    return s == CSSPGO_E_NOMEM || s == CSSPGO_E_LIMIT;
}

static void emit(world *w, unsigned i)
{
    const program_function *f = &w->prog.v[i];
    csspgo_code_unit unit;
    csspgo_status s;
    memset(&unit, 0, sizeof unit);
    unit.functions = &f->f;
    unit.function_count = 1;
    unit.transfers = f->transfer;
    unit.transfer_count = f->transfers;
    unit.inlines = f->node;
    unit.inline_count = f->nodes;
    unit.probes = f->probe;
    unit.probe_count = f->probes;
    s = csspgo_runtime_emit(w->r, &unit, NULL);
    REQUIRE(s == CSSPGO_OK || is_short(s) || (s == CSSPGO_E_ARGUMENT && w->at[i] == f->f.begin));
    if (s == CSSPGO_OK) w->at[i] = f->f.begin;
}

static void move_or_retire(world *w, unsigned i, uint64_t to)
{
    const program_function *f = &w->prog.v[i];
    csspgo_status s;
    if (w->at[i] == 0) return;
    if (to != 0) s = csspgo_runtime_move(w->r, w->at[i], w->at[i] + f->size, to, NULL);
    else s = csspgo_runtime_retire(w->r, w->at[i], w->at[i] + f->size, NULL);
    REQUIRE(s == CSSPGO_OK || is_short(s) || (to != 0 && s == CSSPGO_E_ARGUMENT));
    if (s == CSSPGO_OK) w->at[i] = to;
}

static void push(world *w, unsigned writer, unsigned n)
{
    program_sample t;
    while (n-- != 0)
        if (program_run(&w->prog, &t, 1 + draw(&w->prog, 60)))
            w->pushed += (uint64_t)csspgo_runtime_push(w->r, writer, program_point(&t));
}

static void ask(world *w, input *in)
{
    csspgo_runtime_function hot[4];
    csspgo_runtime_decision d;
    csspgo_frame frame[3];
    const size_t n = csspgo_runtime_hot(w->r, hot, 4), depth = 2 + byte(in) % 2;
    csspgo_runtime_advice advice;
    size_t i;
    REQUIRE(n <= 4);
    for (i = 1; i < n; i++) REQUIRE(hot[i - 1].total >= hot[i].total && hot[i - 1].guid != hot[i].guid);
    memset(frame, 0, sizeof frame);
    for (i = 0; i < depth; i++) {
        const unsigned b = byte(in);
        const char *name = program_name(b);
        if (i + 1 == depth && (b & 128)) continue;                        /* an indirect call */
        frame[i].name = name;
        frame[i].name_size = csspgo_canonical_size(name, strlen(name), 0);
        frame[i].loc = csspgo_loc_at(b >> 3 & 15, 0);
    }
    advice = csspgo_runtime_decide(w->r, frame, depth, byte(in), NULL, &d);
    REQUIRE(advice == d.advice && d.why != NULL && d.count <= d.site_count);
    REQUIRE(advice == CSSPGO_LEAVE || d.callee != 0);
}

/* What was saved is loaded, there and in a profile of its own. */
static void save_and_load(world *w, int again)
{
    csspgo_profile *p;
    char *data;
    size_t size = 0;
    csspgo_status s = csspgo_runtime_save(w->r, CSSPGO_TEXT, NULL, 0, &size, NULL);
    if (s != CSSPGO_OK) {
        REQUIRE(is_short(s));
        return;
    }
    w->heap.fail_at = 0;
    data = (char *)malloc(size + 1);
    REQUIRE(data != NULL);
    s = csspgo_runtime_save(w->r, CSSPGO_TEXT, data, size, &size, NULL);
    if (s == CSSPGO_OK && size != 0) {
        p = csspgo_load(data, size, NULL, NULL);
        REQUIRE(p != NULL && csspgo_validate(p, NULL) == CSSPGO_OK);
        csspgo_profile_free(p);
        if (again) s = csspgo_runtime_load(w->r, data, size, NULL);
        REQUIRE(s == CSSPGO_OK || is_short(s) || s == CSSPGO_E_RANGE);
    }
    free(data);
}

static void is_valid(world *w)
{
    csspgo_runtime_parts part;
    csspgo_runtime_stats s;
    csspgo_runtime_lock(w->r);
    part = csspgo_runtime_get_parts(w->r);
    REQUIRE(csspgo_code_validate(part.code, NULL) == CSSPGO_OK && csspgo_validate(part.profile, NULL) == CSSPGO_OK);
    csspgo_runtime_unlock(w->r);
    s = csspgo_runtime_get_stats(w->r);
    REQUIRE(s.pushed == w->pushed && s.pushed == s.waiting + s.unfit + s.counted);
}

static void report(world *w)
{
    char text[8192];
    size_t size = 0;
    REQUIRE(csspgo_runtime_report(w->r, NULL, 0, &size, NULL) == CSSPGO_OK && size <= sizeof text);
    REQUIRE(csspgo_runtime_report(w->r, text, size - 1, &size, NULL) == CSSPGO_E_SHORT);
    REQUIRE(csspgo_runtime_report(w->r, text, sizeof text, &size, NULL) == CSSPGO_OK);
}

static void operate(world *w, input *in)
{
    const unsigned op = byte(in), a = byte(in), i = a % w->prog.functions;
    csspgo_profile *copy;
    csspgo_status s = CSSPGO_OK;
    w->prog.random ^= (uint64_t)op << 8 | a;
    if (op >= 0xe0) w->heap.fail_at = w->heap.calls + 1 + a % 16;
    switch (op & 15) {
    case 0: case 1: emit(w, i); break;
    case 2: move_or_retire(w, i, w->prog.v[i].f.begin + 0x100000 * (1 + a / 64)); break;
    case 3: move_or_retire(w, i, a & 64 ? w->prog.v[i].f.begin : 0); break;
    case 4: case 5: case 6: push(w, a & 3, 1 + (a >> 4)); break;
    case 7: case 8: case 9: s = csspgo_runtime_step(w->r, a, NULL); break;
    case 10: s = csspgo_runtime_take(w->r, NULL); break;
    case 11:
        copy = csspgo_profile_new(NULL, NULL);
        s = csspgo_runtime_profile(w->r, a & 1 ? copy : NULL, NULL);
        REQUIRE(csspgo_validate(copy, NULL) == CSSPGO_OK);
        csspgo_profile_free(copy);
        break;
    case 12: save_and_load(w, a < 32); break;
    case 13: report(w); break;
    default: ask(w, in); break;
    }
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_MORE || is_short(s));
    w->heap.fail_at = 0;
    is_valid(w);
}

/* A size that is too small is refused, and the least is told: with it, there is a runtime. */
static void sizes_are_told(csspgo_runtime_options how, const csspgo_options *o, unsigned k)
{
    csspgo_runtime *r;
    csspgo_error e;
    const char *least;
    how.bytes = 1000 * (k + 1);
    r = csspgo_runtime_new(&how, o, &e);
    REQUIRE(r == NULL && e.status == CSSPGO_E_LIMIT && (least = strstr(e.message, "the least is ")) != NULL);
    how.bytes = strtoull(least + 13, NULL, 10);
    r = csspgo_runtime_new(&how, o, NULL);
    REQUIRE(r != NULL);
    csspgo_runtime_free(r);
    how.code_bytes = k + 1;
    how.bytes = 1u << 24;
    REQUIRE(csspgo_runtime_new(&how, o, &e) == NULL && e.status == CSSPGO_E_LIMIT);
    how.code_bytes = 1u << 20;
    r = csspgo_runtime_new(&how, o, NULL);
    REQUIRE(r != NULL);
    csspgo_runtime_free(r);
    r = csspgo_runtime_new(NULL, NULL, NULL);
    REQUIRE(r != NULL);
    csspgo_runtime_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world the_world;
    world *w = &the_world;
    csspgo_runtime_options how;
    csspgo_options o;
    input in;
    unsigned i, steps = 0;
    in.p = data;
    in.end = data + size;
    memset(w, 0, sizeof *w);
    memset(&how, 0, sizeof how);
    program_make(&w->prog, byte(&in));
    how.writers = 2;
    how.samples = 8;
    how.max_frames = PROGRAM_FRAMES;
    how.max_branches = PROGRAM_BRANCHES;
    how.bytes = 0x100000u << (byte(&in) & 3);
    o = counted_options(&w->heap);
    if (size % 4 == 0) sizes_are_told(how, &o, (unsigned)size / 4 % 32);
    w->r = csspgo_runtime_new(&how, &o, NULL);
    if (w->r == NULL) return 0;
    for (i = 0; i < w->prog.functions; i++) emit(w, i);
    while (in.p < in.end && ++steps < 60) operate(w, &in);
    save_and_load(w, 0);
    csspgo_runtime_free(w->r);
    REQUIRE(w->heap.live == 0);
    return 0;
}
