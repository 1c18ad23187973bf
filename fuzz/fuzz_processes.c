/* fuzz_processes.c - the processes of a recording as a program of events: mappings, forks, execs, exits, build ids;
 * samples of a made-up program where each process has it; traces of first execution from them, which become an order.
 *
 * Beside it a model: a plain list of mappings for each process, and of functions in the order in which they were seen.
 * Laws: branch records get the addresses that the model finds; traces are those of the model; a failure changes no
 * sample. */
#define _POSIX_C_SOURCE 200809L
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include <unistd.h>
#include "fuzz.h"
#include "program.h"

enum { PROCESSES = 5, MAPPINGS = 24, PLACES = 8, SPACES = 40, STEPS = 120 };
#define LIBRARY UINT64_C(0x40000)             /* link-time address of another module */

typedef struct mapping {
    uint64_t begin, end, shift;               /* shift: to the code map's address */
    int      module;                          /* 0: a file that is no module      */
} mapping;

typedef struct process {
    int      known;
    unsigned count;
    mapping  v[MAPPINGS];
} process;

typedef struct space {                        /* a trace of the model */
    uint64_t guid[PROGRAM_FUNCTIONS + 2], time[PROGRAM_FUNCTIONS + 2];
    unsigned count;
} space;

typedef struct world {
    counted           heap;
    program           prog;
    csspgo_code      *code;
    csspgo_module     module[2];
    csspgo_processes *spaces;
    csspgo_trace_sampler *sampler;
    process           p[PROCESSES];
    space             traces[SPACES];
    unsigned          trace_of[PROCESSES];    /* index + 1 */
    unsigned          trace_count;
    uint64_t          time;
    int               lossy;                  /* something that the model does not know has happened */
    unsigned          files[PROGRAM_FRAMES], shape[3];    /* shape: how the traces are used */
} world;

/* ----- events ----- */

static void map_in_model(process *p, mapping m)
{
    if (p->count == MAPPINGS) {
        memmove(p->v, p->v + 1, (MAPPINGS - 1) * sizeof *p->v);
        p->count--;
    }
    p->v[p->count++] = m;
}

static const mapping *mapping_of(const process *p, uint64_t address)
{
    unsigned i;
    for (i = p->count; i-- != 0;)
        if (address >= p->v[i].begin && address < p->v[i].end) return &p->v[i];
    return NULL;
}

static void event(world *w, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m)
{
    const csspgo_status status = csspgo_processes_event(w->spaces, item, s, m, NULL);
    REQUIRE(status == CSSPGO_OK || (status == CSSPGO_E_NOMEM && w->heap.fail_at != 0));
    if (status != CSSPGO_OK) w->lossy = 1;
    w->heap.fail_at = 0;
    if (csspgo_trace_sampler_event(w->sampler, item, s, m, NULL) != CSSPGO_OK) w->lossy = 1;
}

static void map(world *w, unsigned pid, unsigned b, unsigned c)
{
    static const char *const paths[] = { "/usr/bin/prog", "/lib/lib.so", "/lib/other.so", "//anon",
                                         "/memfd:x (deleted)", "/usr/bin/prog (deleted)", "[vdso]", "/anon_hugepage" };
    static const unsigned char id[2][4] = { { 1, 2, 3, 4 }, { 1, 2, 3, 5 } };
    csspgo_sample s;
    csspgo_mmap m;
    mapping known;
    const unsigned kind = b & 7;
    memset(&s, 0, sizeof s);
    memset(&m, 0, sizeof m);
    m.address = UINT64_C(0x7f0000000000) + (uint64_t)(c % PLACES) * 0x1000;
    m.size = 0x1000u << (b >> 6);
    m.file_offset = kind == 1 ? 0x2000 : kind == 0 ? 0x1000 : 0;
    m.path = paths[kind];
    m.path_size = strlen(m.path);
    m.pid = pid;
    m.executable = 1;
    s.pid = s.tid = pid;
    if (b & 8) {
        m.build_id = id[c >> 7];
        m.build_id_size = 4;
        w->lossy = 1;
    }
    if (b & 16) m.file_offset = 0;
    if (b & 32) {
        m.address = (uint64_t)c << 12;
        if (c == 0) m.pid = 0;
    }
    if (kind > 2 || (b & 56)) w->lossy = 1;
    event(w, CSSPGO_ITEM_MMAP, &s, &m);
    known.begin = m.address;
    known.end = m.address + m.size;
    known.module = kind < 2 ? 1 + (int)kind : 0;
    known.shift = (kind == 1 ? LIBRARY : PROGRAM_BASE) - m.address;
    w->p[pid].known = 1;
    map_in_model(&w->p[pid], known);
}

static void new_trace(world *w, unsigned pid)
{
    if (w->trace_count == SPACES) w->lossy = 1;
    else {
        memset(&w->traces[w->trace_count], 0, sizeof *w->traces);
        w->trace_of[pid] = ++w->trace_count;
    }
}

static void fork_or_exec(world *w, unsigned op, unsigned pid, unsigned other)
{
    csspgo_sample s;
    csspgo_mmap m;
    memset(&s, 0, sizeof s);
    memset(&m, 0, sizeof m);
    s.pid = s.tid = pid;
    s.time = ++w->time;
    m.path = "prog";
    m.path_size = 4;
    if (op == 0) {                                        /* `other` has started pid; or, if equal, a thread */
        m.pid = other;
        if (pid == other) s.tid = 99;
        event(w, CSSPGO_ITEM_FORK, &s, &m);
        if (pid == other) {
            w->p[pid].known = 1;
            return;
        }
        w->p[pid] = w->p[other];
        w->p[pid].known = 1;
        new_trace(w, pid);
    } else if (op == 1) {
        m.executable = 1;
        event(w, CSSPGO_ITEM_COMM, &s, &m);
        memset(&w->p[pid], 0, sizeof w->p[pid]);
        w->p[pid].known = 1;
        new_trace(w, pid);
    } else if (op == 2) {
        s.tid = pid + (other & 1);
        event(w, CSSPGO_ITEM_EXIT, &s, &m);
        w->lossy = 1;
    } else {
        m.path = other & 1 ? "/usr/bin/prog" : "/lib/lib.so";
        m.path_size = strlen(m.path);
        m.build_id = (const unsigned char *)"\1\2\3\4";
        m.build_id_size = 4 - (other >> 1 & 1);
        event(w, CSSPGO_ITEM_BUILD_ID, &s, &m);
        w->lossy = 1;
    }
}

/* ----- samples ----- */

/* 1 if `to` is where the code map has an address of a process. */
static int is_moved(const world *w, unsigned pid, uint64_t address, uint64_t to)
{
    const mapping *m = mapping_of(&w->p[pid], address);
    csspgo_code_place place;
    if (m != NULL && m->module != 0) return to == address + m->shift;
    if (csspgo_code_find(w->code, address, &place)) return to == 1;
    if (address - PROGRAM_BASE < 0x1000 || address - LIBRARY < 0x1000) return to == 1 || to == address;
    return to == address;
}

static void see(world *w, space *s, uint64_t address)
{
    csspgo_code_place place;
    unsigned i;
    if (!csspgo_code_find(w->code, address, &place) || place.guid == 0) return;
    for (i = 0; i < s->count; i++) if (s->guid[i] == place.guid) return;
    if (s->count < PROGRAM_FUNCTIONS + 2) s->guid[s->count++] = place.guid;
}

/* Adds what a sample shows to the trace of its process, whose samples come in order of time. */
static void trace(world *w, unsigned pid, const csspgo_sample *s)
{
    uint32_t i;
    space *x;
    if (w->trace_of[pid] == 0) new_trace(w, pid);
    if (w->trace_of[pid] == 0) return;
    x = &w->traces[w->trace_of[pid] - 1];
    for (i = s->stack_count; i-- > 1;) see(w, x, s->stack[i] - 1);
    for (i = s->branch_count; i-- > 0;) {
        const csspgo_branch *b = &s->branches[i];
        see(w, x, b->from);
        if (!(b->flags & (uint64_t)1 << 33) && (b->flags >> 24 & 3) != 1) see(w, x, b->to);
    }
    if (s->stack_count != 0) see(w, x, s->stack[0]);
}

static void sample(world *w, unsigned pid, unsigned b, unsigned c)
{
    program_sample t;
    csspgo_sample s, was;
    csspgo_status status;
    const process *p = &w->p[pid];
    const csspgo_processes_stats before = csspgo_processes_get_stats(w->spaces);
    uint32_t i;
    w->prog.bias = p->count != 0 ? p->v[c % p->count].begin - PROGRAM_BASE : 0;
    w->prog.random = (uint64_t)b << 8 | c;
    if (!program_run(&w->prog, &t, 1 + draw(&w->prog, 60))) return;
    t.s.pid = pid;
    t.s.tid = pid;
    t.s.time = ++w->time;
    if ((b & 15) == 1) t.s.pid = b & 16 ? 77 : 0;                                      /* unknown */
    if ((b & 15) == 2)
        for (i = 0; i < t.s.stack_count; i++)                                          /* offsets in files    */
            t.stack[i] += 0x1000 - PROGRAM_BASE - w->prog.bias;
    if ((b & 15) == 3)
        for (i = 1; i < t.s.stack_count; i++) t.stack[i]--;                            /* addresses of calls */
    if ((b & 15) == 4)
        for (i = 0; i < t.s.branch_count; i++) {
            t.branch[i].from += 0x1000 - PROGRAM_BASE - w->prog.bias;
            t.branch[i].to += 0x1000 - PROGRAM_BASE - w->prog.bias;
        }
    if ((b & 15) - 1 < 4) w->lossy = 1;
    if ((b & 32) && (b & 15) == 2) {
        for (i = 0; i < PROGRAM_FRAMES; i++)
            w->files[i] = c >> i & 1 ? w->module[0].id : c >> i & 2 ? UINT32_MAX : 0;
        csspgo_processes_frame_files(w->spaces, w->files);
    }
    was = s = *program_point(&t);
    status = csspgo_processes_sample(w->spaces, &s, NULL);
    REQUIRE(status == CSSPGO_OK || (status == CSSPGO_E_NOMEM && w->heap.fail_at != 0));
    w->heap.fail_at = 0;
    if (status != CSSPGO_OK) {
        REQUIRE(s.stack == was.stack && s.branches == was.branches);
        w->lossy = 1;
        return;
    }
    REQUIRE(s.stack_count == was.stack_count && s.branch_count == was.branch_count && s.pid == was.pid);
    if (!w->lossy && before.mappings != 0 && p->known)
        for (i = 0; i < s.branch_count; i++) {
            REQUIRE(is_moved(w, pid, was.branches[i].from, s.branches[i].from));
            REQUIRE(is_moved(w, pid, was.branches[i].to, s.branches[i].to));
        }
    if (csspgo_trace_sampler_add(w->sampler, &s, 1, NULL) != CSSPGO_OK) w->lossy = 1;
    if (!w->lossy) trace(w, pid, &s);
}

/* ----- traces ----- */

static void layout_is_used(world *w, csspgo_layout *l)
{
    char path[] = "/tmp/csspgo.fuzz.XXXXXX";
    csspgo_layout_symbol symbol[PROGRAM_FUNCTIONS];
    csspgo_layout_order_options how;
    csspgo_layout_evaluate_options pages;
    csspgo_layout_score score, other;
    csspgo_options o = counted_options(&w->heap);
    csspgo_layout *again = csspgo_layout_new(NULL, &o, NULL);
    csspgo_status s;
    uint64_t id[64], size;
    size_t n, i, length, name_size;
    const unsigned b = w->shape[0], c = w->shape[1];
    int file;
    REQUIRE(again != NULL);
    for (i = 0; i < PROGRAM_FUNCTIONS; i++) {
        symbol[i].name = program_name((unsigned)(i + b) % PROGRAM_FUNCTIONS);
        symbol[i].name_size = strlen(symbol[i].name);
        symbol[i].size_bytes = 16 * i;
        if (c >> i & 1) REQUIRE(csspgo_layout_add_name(l, symbol[i].name, symbol[i].name_size, NULL) == CSSPGO_OK);
    }
    if (b & 128) REQUIRE(csspgo_layout_add_symbols(l, symbol, b & 7, NULL) == CSSPGO_OK);
    memset(&how, 0, sizeof how);
    memset(&pages, 0, sizeof pages);
    how.test_traces = b >> 3 & 1;
    how.use_weights = b >> 4 & 1;
    how.use_sizes = b >> 5 & 1;
    how.keep_all_groups = b >> 6 & 1;
    how.only_symbols = c >> 7;
    pages.page_bytes = c & 64 ? 64 : 0;
    pages.alignment = c & 32 ? 4 : 0;
    pages.test_traces = how.test_traces;
    pages.charge_unknown = b & 1;
    s = csspgo_layout_order(l, &how, id, 64, &n, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT);
    if (s == CSSPGO_OK) {
        REQUIRE(n <= csspgo_layout_get_stats(l).functions);
        REQUIRE(csspgo_layout_evaluate(l, id, n, &pages, &score, NULL) == CSSPGO_OK);
        REQUIRE(csspgo_layout_evaluate(l, id, 0, &pages, &other, NULL) == CSSPGO_OK);
        REQUIRE(other.steps <= score.steps + score.unknown + other.unknown);
        for (i = 0; i < n; i++) {
            const char *name = csspgo_layout_name(l, id[i], &name_size);
            const char *const found = csspgo_layout_get_symbol(l, id[i], 0, &length, &size);
            if (found != NULL) REQUIRE(length != 0 && size <= 16 * PROGRAM_FUNCTIONS);
            if (name != NULL) REQUIRE(csspgo_guid(name, name_size) == id[i]);
            REQUIRE(!csspgo_layout_has_counters(l, id[i]));
        }
    }
    file = mkstemp(path);
    REQUIRE(file >= 0 && close(file) == 0);
    s = csspgo_layout_write_file(l, path, NULL);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED);
    if (s == CSSPGO_OK && csspgo_layout_read_file(again, path, NULL) == CSSPGO_OK) {
        REQUIRE(csspgo_layout_get_stats(again).traces <= csspgo_layout_get_stats(l).traces);
        for (n = csspgo_layout_trace(again, 0, id, 64, NULL), i = 0; i < n && i < 64; i++)
            REQUIRE(csspgo_layout_has_counters(again, id[i]));
    }
    REQUIRE(csspgo_layout_read_file(again, "/nowhere/at/all", NULL) == CSSPGO_E_IO && remove(path) == 0);
    csspgo_layout_free(again);
}

static void is_traced(world *w, int plain)
{
    csspgo_options o = counted_options(&w->heap);
    csspgo_layout_options how;
    csspgo_layout *l;
    csspgo_status s;
    uint64_t id[64], weight;
    size_t i, k, n, traces = 0;
    memset(&how, 0, sizeof how);
    how.limit_traces = 1;
    how.max_traces = 1000;
    l = csspgo_layout_new(&how, &o, NULL);
    REQUIRE(l != NULL);
    w->heap.fail_at = w->heap.calls + 1 + w->shape[2];
    s = csspgo_trace_sampler_offer(w->sampler, l, NULL);
    w->heap.fail_at = 0;
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
    if (s != CSSPGO_OK) {
        REQUIRE(csspgo_layout_get_stats(l).traces == 0);
        REQUIRE(csspgo_trace_sampler_offer(w->sampler, l, NULL) == CSSPGO_OK);
    }
    for (i = 0; !w->lossy && plain && i < w->trace_count; i++) {
        if (w->traces[i].count == 0) continue;
        n = csspgo_layout_trace(l, traces++, id, 64, &weight);
        REQUIRE(n == w->traces[i].count && weight == 1);
        for (k = 0; k < n; k++) REQUIRE(id[k] == w->traces[i].guid[k]);
    }
    if (!w->lossy && plain) REQUIRE(csspgo_layout_get_stats(l).traces == traces);
    layout_is_used(w, l);
    csspgo_layout_free(l);
}

/* ----- slots: who was first ----- */

/* A phase that ends gives the stamps before its end; wrong strides and short memory are errors. */
static void phases_are_cut(const csspgo_trace_phase *all, unsigned b)
{
    counted heap;
    csspgo_options o;
    csspgo_trace_phase p = *all;
    uint64_t got[8];
    size_t n = 9, i;
    csspgo_status s;
    memset(&heap, 0, sizeof heap);
    o = counted_options(&heap);
    p.end = b & 1 ? UINT32_MAX : p.begin + 1 + (b >> 4);
    heap.fail_at = b & 2 ? 1 + (b >> 2 & 3) : 0;
    s = csspgo_trace_collect(&p, &o, got, &n, NULL);
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && (b & 2)));
    for (i = 0; s == CSSPGO_OK && i < n; i++) REQUIRE(p.slot[got[i] - 100].stamp < p.end || (b & 1));
    p.stride = 3;
    REQUIRE(csspgo_trace_collect(&p, &o, got, &n, NULL) == CSSPGO_E_ARGUMENT && n == 0 && heap.live == 0);
}

/* Stamps slots in an order of bytes, and collects them: the order of first stamps. */
static void is_stamped(input *in)
{
    csspgo_trace_slot slot[8];
    csspgo_trace_clock clock = { 0 };
    csspgo_trace_phase phase;
    uint64_t guid[8], got[8], want[8];
    size_t n = 0, i, k, left = byte(in) % 24;
    const unsigned begin = byte(in) % 5;
    csspgo_layout *l = csspgo_layout_new(NULL, NULL, NULL);
    csspgo_trace trace;
    uint64_t weight;
    memset(slot, 0, sizeof slot);
    memset(&phase, 0, sizeof phase);
    for (i = 0; i < 8; i++) guid[i] = 100 + i;
    for (i = 0; i < left; i++) {
        const unsigned b = byte(in);
        if (b > 250) {
            csspgo_trace_reset(slot, sizeof *slot, 8);
            n = 0;
        }
        for (k = 0; k < n && want[k] != 100 + b % 8; k++) {}
        if (k == n) want[n++] = 100 + b % 8;
        CSSPGO_TRACE_ENTER(&clock, &slot[b % 8]);
    }
    phase.slot = slot;
    phase.stride = sizeof *slot;
    phase.id = guid;
    phase.n = 8;
    phase.begin = begin;
    phases_are_cut(&phase, byte(in));
    REQUIRE(csspgo_trace_collect(&phase, NULL, got, &k, NULL) == CSSPGO_OK && k <= 8);
    for (i = 0; begin < 2 && i < n; i++) REQUIRE(k == n && got[i] == want[i]);
    REQUIRE(csspgo_trace_now(&clock) == clock.last + 1);
    trace.id = got;
    trace.count = k;
    trace.weight = 3;
    REQUIRE(l != NULL && csspgo_layout_add(l, &trace, 1, begin, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_layout_trace(l, 0, want, 8, &weight) == k);
    REQUIRE(k == 0 || (memcmp(got, want, k * sizeof *got) == 0 && weight == 3));
    csspgo_layout_free(l);
}

/* ----- the program ----- */

static void start(world *w, input *in)
{
    csspgo_options o;
    csspgo_segment segment;
    csspgo_code_function f;
    csspgo_trace_sampler_options how;
    const unsigned seed = byte(in), options = byte(in);
    unsigned i;
    memset(w, 0, sizeof *w);
    memset(&segment, 0, sizeof segment);
    memset(&f, 0, sizeof f);
    memset(&how, 0, sizeof how);
    o = counted_options(&w->heap);
    program_make(&w->prog, seed);
    w->code = csspgo_code_new(&o, NULL);
    REQUIRE(w->code != NULL && program_add(&w->prog, w->code, NULL, 1, &w->module[0]) == CSSPGO_OK);
    segment.address = LIBRARY;
    segment.file_offset = 0x2000;
    segment.size = 0x300;
    segment.executable = 1;
    w->module[1] = csspgo_code_add_module(w->code, "lib.so", 6, &segment, 1, NULL);
    f.begin = LIBRARY;
    f.end = LIBRARY + 0x200;
    f.name = "library";
    f.name_size = 7;
    REQUIRE(csspgo_code_add_function(w->code, w->module[1], &f, NULL) == CSSPGO_OK);
    if (options & 1) REQUIRE(csspgo_code_set_build_id(w->code, w->module[0], "\1\2\3\4", 4, NULL) == CSSPGO_OK);
    how.start_up = options & 2 ? 20 : 0;
    how.min_samples = options >> 2 & 3;
    how.join_equal = options >> 4 & 1;
    w->spaces = csspgo_processes_new(w->code, &o, NULL);
    w->sampler = csspgo_trace_sampler_new(w->code, &how, &o, NULL);
    REQUIRE(w->spaces != NULL && w->sampler != NULL);
    if (options & 1) w->lossy = 1;
    for (i = 0; i < 3; i++) w->shape[i] = byte(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world the_world;
    world *w = &the_world;
    csspgo_processes_stats s;
    input in;
    unsigned steps = 0;
    in.p = data;
    in.end = data + size;
    start(w, &in);
    is_stamped(&in);
    while (in.p < in.end && ++steps < STEPS) {
        const unsigned op = byte(&in), b = byte(&in), c = byte(&in), pid = 1 + (op >> 4) % (PROCESSES - 1);
        switch (op & 7) {
        case 0: map(w, pid, b & 7, c); break;
        case 1: map(w, pid, b & 199, c); break;
        case 2: map(w, pid, op & 8 ? b : b & 193, c); break;
        case 3: fork_or_exec(w, b & 1, pid, 1 + c % (PROCESSES - 1)); break;
        case 4: if (op & 8) fork_or_exec(w, 2 + (b & 1), pid, c); else sample(w, pid, b & 240, c); break;
        case 5: case 6: sample(w, pid, b & 240, c); break;
        default:
            if (op & 8) sample(w, pid, b, c);
            else if (b > 240) w->heap.fail_at = w->heap.calls + 1 + c % 8;
            break;
        }
    }
    w->heap.fail_at = 0;
    s = csspgo_processes_get_stats(w->spaces);
    REQUIRE(s.places <= s.mappings && s.refuted <= s.covered && csspgo_code_validate(w->code, NULL) == CSSPGO_OK);
    is_traced(w, size > 1 && (data[1] & 30) == 0);
    csspgo_processes_free(w->spaces);
    csspgo_trace_sampler_free(w->sampler);
    csspgo_code_free(w->code);
    REQUIRE(w->heap.live == 0);
    return 0;
}
