/* fuzz_code.c - the code map as a program of calls, many of them with something wrong: functions, areas, bytes of code,
 * transfers, probes and lines, in modules and without one; removed, mapped elsewhere; a collector keeps what was
 * sampled.
 *
 * Beside it a model: which function each byte belongs to. Laws: the map answers as the model; a call that fails changes
 * no answer; the map is valid after every step. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

enum { SPACE = 128, MODULES = 2, STEPS = 40, CROWD = 1024 };
#define JIT  UINT64_C(0x10000)
#define LINK UINT64_C(0x40000)                /* of module i: LINK + i * 0x10000 */

typedef struct world {
    counted          heap;
    csspgo_code     *code;
    csspgo_collector *c;
    csspgo_line_table *lines;
    csspgo_module    module[MODULES];
    uint64_t         bias[MODULES];
    uint64_t         guid[1 + MODULES][SPACE];          /* of the function that has the byte; 0: none */
    unsigned char    crowd[CROWD];            /* 1: the function is there */
    int              lossy;                   /* memory was short: what was added may be there or not */
} world;

static const char *const names[] = { "f", "g.llvm.1", "_Z1hv", "i.cold", "a name with spaces", "j.__uniq.5", "k", "" };

static uint64_t run_time(const world *w, unsigned zone, unsigned at)
{
    return zone == 0 ? JIT + at : LINK + (zone - 1) * UINT64_C(0x10000) + w->bias[zone - 1] + at;
}

static uint64_t in_tables(unsigned zone, unsigned at)
{
    return zone == 0 ? JIT + at : LINK + (zone - 1) * UINT64_C(0x10000) + at;
}

static csspgo_module module_of(const world *w, unsigned zone)
{
    return zone == 0 ? csspgo_no_module() : w->module[zone - 1];
}

/* All answers of the map. */
static uint64_t answers(const world *w)
{
    uint64_t hash = 0;
    unsigned zone, at;
    for (zone = 0; zone <= MODULES; zone++)
        for (at = 0; at < SPACE; at++) {
            const uint64_t address = run_time(w, zone, at);
            csspgo_code_place place;
            uint64_t said[4];
            csspgo_code_find(w->code, address, &place);
            said[0] = place.guid;
            said[1] = place.begin;
            said[2] = csspgo_code_probe_count(w->code, address);
            said[3] = csspgo_code_transfer_kind(w->code, address);
            hash = hash_bytes(said, sizeof said, hash);
        }
    return hash;
}

/* 1 if the addresses of a zone are those of another one, too: the other's code may be there. */
static int is_shared(const world *w, unsigned zone)
{
    unsigned i;
    for (i = 0; i <= MODULES; i++)
        if (i != zone && run_time(w, i, 0) - run_time(w, zone, 0) + SPACE < 2 * SPACE) return 1;
    return 0;
}

static void is_answered(const world *w)
{
    unsigned zone, at;
    csspgo_error e;
    if (csspgo_code_validate(w->code, &e) != CSSPGO_OK) {
        fprintf(stderr, "%s\n", e.message);
        abort();
    }
    for (zone = 0; !w->lossy && zone <= MODULES; zone++)
        for (at = 0; !is_shared(w, zone) && at < SPACE; at++) {
            csspgo_code_place place;
            csspgo_code_find(w->code, run_time(w, zone, at), &place);
            REQUIRE(place.guid == w->guid[zone][at]);
            if (place.guid != 0) REQUIRE(place.begin <= run_time(w, zone, at) && run_time(w, zone, at) < place.end);
        }
}

/* ----- calls ----- */

static csspgo_status add_function(world *w, unsigned zone, unsigned at, unsigned size, unsigned b)
{
    csspgo_code_function f;
    csspgo_status s;
    csspgo_error e;
    memset(&f, 0, sizeof f);
    f.begin = in_tables(zone, at);
    f.end = f.begin + size;
    f.name = b & 8 ? NULL : names[b & 7];
    f.name_size = f.name != NULL ? strlen(f.name) : 0;
    f.guid = b & 16 ? 100 + (b & 7) : 0;
    f.checksum = b >> 5;
    f.fragment = b >> 7;
    s = csspgo_code_add_function(w->code, module_of(w, zone), &f, &e);
    REQUIRE((s == CSSPGO_OK) == (e.status == CSSPGO_OK) && (s == CSSPGO_OK || e.message[0] != '\0'));
    if (s == CSSPGO_OK) {
        const uint64_t guid = f.guid != 0 ? f.guid : csspgo_guid(f.name, csspgo_canonical_size(f.name, f.name_size, 1));
        csspgo_code_place place;
        unsigned i;
        csspgo_code_find(w->code, run_time(w, zone, at), &place);
        if (f.guid == 0) REQUIRE(place.guid == guid || place.guid == csspgo_guid(f.name, f.name_size) ||
                                 place.guid == csspgo_guid(f.name, csspgo_canonical_size(f.name, f.name_size, 0)));
        for (i = at; i < at + size && i < SPACE; i++) w->guid[zone][i] = place.guid;
    }
    return s;
}

static csspgo_status add_transfers(world *w, unsigned zone, unsigned at, unsigned b, unsigned c)
{
    csspgo_transfer t[3];
    csspgo_status s;
    csspgo_error e;
    unsigned i;
    memset(t, 0, sizeof t);
    for (i = 0; i < 3; i++) {
        t[i].address = in_tables(zone, (at + i * (c >> 4)) % SPACE);
        t[i].target = c & 1 ? 0 : c & 2 ? run_time(w, 0, b) : in_tables(zone, b);
        t[i].size = c & 4 ? 1 + (b & 15) : 1;
        t[i].kind = (csspgo_transfer_kind)((b + i) % 7);
    }
    s = csspgo_code_add_transfers(w->code, module_of(w, zone), t, 1 + c % 3, &e);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_NOMEM || (s == CSSPGO_E_ARGUMENT && e.offset < 3 && e.message[0] != '\0'));
    return s;
}

static csspgo_status add_probes(world *w, unsigned zone, unsigned at, unsigned b, unsigned c)
{
    csspgo_inline_node n[3];
    csspgo_probe p[4];
    unsigned i;
    memset(n, 0, sizeof n);
    memset(p, 0, sizeof p);
    for (i = 0; i < 3; i++) {
        n[i].guid = 100 + ((b + i) & 7);
        n[i].parent = c >> i & 1 ? i : c == 255 ? i + 1 : 0;
        n[i].site = b & 3;
    }
    for (i = 0; i < 4; i++) {
        p[i].address = in_tables(zone, (at + i * (b >> 4)) % SPACE) + (c == 254 ? SPACE : 0);
        p[i].id = c == 253 ? 0 : c == 252 ? 70000 : 1 + (b + i) % 9;
        p[i].discriminator = c >> 6;
        p[i].inline_node = c == 251 ? 9 : 1 + (i + c) % 3;
        p[i].kind = c == 250 ? 9 : (uint8_t)((b >> i) % 3);
    }
    return csspgo_code_add_probes(w->code, module_of(w, zone), n, 3, p, 1 + c % 4, NULL);
}

static csspgo_status add_bytes(world *w, unsigned zone, unsigned at, input *in)
{
    uint8_t bytes[40];
    uint64_t starts[3];
    csspgo_code_bytes code;
    unsigned i;
    memset(&code, 0, sizeof code);
    code.size = 1 + byte(in) % sizeof bytes;
    for (i = 0; i < code.size; i++) bytes[i] = (uint8_t)byte(in);
    code.arch = at & 1 ? CSSPGO_X86_64 : CSSPGO_AARCH64;
    code.address = in_tables(zone, at & ~3u);
    code.bytes = bytes;
    for (i = 0; i < 3; i++) starts[i] = code.address + i * (code.size / 3);
    if (at & 2) {
        code.starts = starts;
        code.start_count = 1 + at % 3;
    }
    return csspgo_code_add_bytes(w->code, module_of(w, zone), &code, NULL);
}

static csspgo_status add_lines(world *w, unsigned zone, unsigned at, unsigned b)
{
    csspgo_line_inline_node n[2];
    csspgo_line_row row[3];
    unsigned i;
    memset(n, 0, sizeof n);
    memset(row, 0, sizeof row);
    for (i = 0; i < 2; i++) {
        n[i].name = names[(b + i) & 7];
        n[i].name_size = strlen(n[i].name);
        n[i].parent = i;
        n[i].site = csspgo_loc_at(b == 255 ? 70000 : b & 15, 0);
    }
    for (i = 0; i < 3; i++) {
        row[i].address = in_tables(zone, (at + i * 4) % SPACE);
        row[i].inline_node = b == 254 ? 5 : (b + i) % 3;
        row[i].loc = csspgo_loc_at(b >> 4, 0);
    }
    return csspgo_line_table_add(w->lines, w->code, module_of(w, zone), n, 2, row, 3, NULL);
}

static csspgo_status remove_code(world *w, unsigned at, unsigned size)
{
    const csspgo_status s = csspgo_code_remove(w->code, JIT + at, JIT + at + size, NULL);
    unsigned i;
    if (s == CSSPGO_OK) for (i = at; i < at + size && i < SPACE; i++) w->guid[0][i] = 0;
    return s;
}

/* Code of the JIT moves; functions are where they were relative to each other. */
static csspgo_status move_code(world *w, unsigned at, unsigned size, unsigned to)
{
    uint64_t moved[SPACE];
    csspgo_status s;
    unsigned i;
    at %= SPACE;
    to %= SPACE;
    if (size > SPACE - at) size = SPACE - at;
    if (size > SPACE - to) size = SPACE - to;
    s = csspgo_code_move(w->code, JIT + at, JIT + at + size, JIT + to, NULL);
    if (s != CSSPGO_OK) return s;
    memcpy(moved, w->guid[0] + at, size * sizeof *moved);
    memset(w->guid[0] + at, 0, size * sizeof *moved);
    for (i = 0; i < size; i++) if (moved[i] != 0) w->guid[0][to + i] = moved[i];
    return CSSPGO_OK;
}

/* Adds or removes many functions of a crowd: the tables get several pages, and lose them. */
static csspgo_status crowd(world *w, unsigned from, unsigned n, int add)
{
    const uint64_t base = JIT + 0x100000;
    csspgo_code_function f;
    csspgo_transfer t;
    csspgo_code_place place;
    csspgo_status s = CSSPGO_OK;
    unsigned i;
    if (from + n > CROWD) n = CROWD - from;
    memset(&f, 0, sizeof f);
    memset(&t, 0, sizeof t);
    t.size = 1;
    t.kind = CSSPGO_RET;
    for (i = from; add && s == CSSPGO_OK && i < from + n; i++) {
        const unsigned k = i * 7 % CROWD;                       /* not in order */
        f.begin = base + 8 * k;
        f.end = f.begin + 4;
        f.guid = 5000 + k;
        t.address = f.begin + 3;
        if (w->crowd[k]) continue;
        s = csspgo_code_add_function(w->code, csspgo_no_module(), &f, NULL);
        if (s != CSSPGO_OK) break;
        w->crowd[k] = 1;
        s = csspgo_code_add_transfers(w->code, csspgo_no_module(), &t, 1, NULL);
    }
    if (!add && n != 0) {
        s = csspgo_code_remove(w->code, base + 8 * from, base + 8 * (from + n), NULL);
        if (s == CSSPGO_OK) memset(w->crowd + from, 0, n);
    }
    for (i = 0; i < CROWD; i += 3) {
        csspgo_code_find(w->code, base + 8 * i + 1, &place);
        REQUIRE(place.guid == (w->crowd[i] ? 5000 + i : 0));
    }
    return s == CSSPGO_E_NOMEM ? CSSPGO_OK : s;
}

static csspgo_status set_bias(world *w, unsigned zone, unsigned b)
{
    static const uint64_t biases[] = {
        0, UINT64_C(0x7f0000000000), JIT - LINK, JIT - LINK - UINT64_C(0x10000), 0x10000
    };
    const uint64_t bias = biases[b % 5] + (b >> 5) * UINT64_C(0x1000);
    const csspgo_status s = csspgo_code_set_bias(w->code, module_of(w, zone), bias, NULL);
    if (s == CSSPGO_OK) w->bias[zone - 1] = bias;
    return s;
}

/* A sample whose addresses are anywhere, at a time or at none. */
static void sample(world *w, unsigned time, input *in)
{
    csspgo_branch branch[4];
    uint64_t stack[3];
    csspgo_sample s;
    unsigned i;
    memset(branch, 0, sizeof branch);
    memset(&s, 0, sizeof s);
    for (i = 0; i < 4; i++) {
        const unsigned zone = byte(in), from = byte(in), to = byte(in), crowded = zone >= 0xf0;
        branch[i].from = crowded ? JIT + 0x100000 + from * 4 : run_time(w, zone % 3, from);
        branch[i].to = crowded ? JIT + 0x100000 + to * 4 : run_time(w, zone % 3, to);
    }
    for (i = 0; i < 3; i++) stack[i] = run_time(w, i, byte(in));
    s.time = time;
    s.stack = stack;
    s.branches = branch;
    s.stack_count = 1 + byte(in) % 3;
    s.branch_count = byte(in) % 5;
    csspgo_collector_add(w->c, &s, 1, NULL);
}

static void take_profile(world *w, unsigned b)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_generate_options how;
    csspgo_size_table *sizes = csspgo_size_table_new(NULL, NULL);
    memset(&how, 0, sizeof how);
    how.fill_all_functions = b & 1;
    how.estimate_fn = b & 2 ? csspgo_estimate_blocks : NULL;
    REQUIRE(p != NULL && sizes != NULL);
    if (b & 4) csspgo_collector_line_profile(w->c, w->lines, &how, p, NULL, NULL);
    else csspgo_collector_profile(w->c, &how, p, NULL, NULL);
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    w->heap.fail_at = 0;
    REQUIRE(csspgo_size_table_add_code(sizes, w->code, NULL) == CSSPGO_OK);
    csspgo_size_table_free(sizes);
    csspgo_profile_free(p);
}

/* ----- what is made of the code ----- */

static void is_described(world *w)
{
    csspgo_match_input *described = csspgo_match_input_new(w->code, NULL, NULL);
    csspgo_block_finder *finder = csspgo_block_finder_new(w->code, NULL, NULL);
    csspgo_code_graph g;
    unsigned zone, at;
    size_t n, i;
    REQUIRE(described != NULL && finder != NULL);
    csspgo_match_input_functions(described, &n);
    csspgo_match_input_cfgs(described, &n, NULL);
    for (zone = 0; zone <= MODULES; zone++)
        for (at = 0; at < SPACE; at += 8) {
            const uint64_t address = run_time(w, zone, at);
            csspgo_code_place place;
            const csspgo_status s = csspgo_code_cfg(finder, address, &g, NULL);
            REQUIRE(csspgo_code_find(w->code, address, &place) || s == CSSPGO_E_ARGUMENT);
            if (s != CSSPGO_OK) continue;
            REQUIRE(g.guid == place.guid && g.cfg.blocks >= 2);
            for (i = 0; i < g.cfg.edges; i++)
                REQUIRE(g.cfg.edge[i].from < g.cfg.blocks && g.cfg.edge[i].to < g.cfg.blocks);
        }
    csspgo_block_finder_free(finder);
    csspgo_match_input_free(described);
}

/* Code without bytes, room for more, or places where functions are entered. */
static csspgo_status add_otherwise(world *w, unsigned zone, unsigned at, unsigned b, unsigned c)
{
    const uint64_t entries[2] = { in_tables(zone, at), in_tables(zone, at + b % 8) };
    csspgo_code_need need;
    if (zone == 0 && c % 8 == 7) return move_code(w, at, b, c >> 1);
    if (zone == 0 && c % 8 == 3) {
        csspgo_code_set_time(w->code, c >> 4 == 0 ? 0 : b);
        return csspgo_code_step(w->code, at * b, NULL) == CSSPGO_E_NOMEM ? CSSPGO_E_NOMEM : CSSPGO_OK;
    }
    if (c % 4 == 1) return csspgo_code_add_entries(w->code, module_of(w, zone), entries, 1 + (c >> 7), NULL);
    if (c % 4 != 2) return csspgo_code_add_area(w->code, module_of(w, zone), in_tables(zone, at), b, NULL);
    memset(&need, 0, sizeof need);
    need.code_bytes = c == 254 ? (uint64_t)1 << 33 : b;
    need.functions = at;
    need.transfers = need.probes = b * 2;
    need.inlines = c;
    return csspgo_code_reserve(w->code, &need, NULL);
}

static void operate(world *w, input *in)
{
    const unsigned op = byte(in), at = byte(in), b = byte(in), c = byte(in), zone = (op >> 4) % 3;
    const uint64_t before = answers(w);
    csspgo_status s = CSSPGO_OK;
    if (op >= 0xf0) {
        w->heap.fail_at = w->heap.calls + 1 + at % 16;
        w->lossy = 1;
    }
    switch (op & 15) {
    case 0: case 1: case 2: s = add_function(w, zone, at, 1 + b % 64, c); break;
    case 3: s = add_otherwise(w, zone, at, b, c); break;
    case 4: case 5: s = add_bytes(w, zone, at, in); break;
    case 6: case 7: s = add_transfers(w, zone, at, b, c); break;
    case 8: case 9: s = add_probes(w, zone, at, b, c); break;
    case 10: s = remove_code(w, at, b); break;
    case 11: s = zone != 0 ? set_bias(w, zone, b) : crowd(w, at * 4, b * 4, c & 1); break;
    case 12: s = add_lines(w, zone, at, b); break;
    case 13: case 14: sample(w, at, in); break;
    default: take_profile(w, b); break;
    }
    w->heap.fail_at = 0;
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT || s == CSSPGO_E_RANGE || s == CSSPGO_E_NOMEM);
    if (s != CSSPGO_OK) REQUIRE(answers(w) == before);
    is_answered(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world the_world;
    world *w = &the_world;
    csspgo_collector_options how;
    csspgo_options o;
    csspgo_segment segment;
    input in;
    unsigned i, steps = 0;
    in.p = data;
    in.end = data + size;
    memset(w, 0, sizeof *w);
    memset(&o, 0, sizeof o);
    memset(&how, 0, sizeof how);
    memset(&segment, 0, sizeof segment);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &w->heap;
    how.cache_bytes = 16384;
    w->code = csspgo_code_new(&o, NULL);
    w->lines = csspgo_line_table_new(&o, NULL);
    REQUIRE(w->code != NULL && w->lines != NULL);
    w->c = csspgo_collector_new(w->code, &how, &o, NULL);
    segment.size = SPACE;
    segment.executable = 1;
    for (i = 0; i < MODULES; i++) {
        segment.address = in_tables(i + 1, 0);
        w->module[i] = csspgo_code_add_module(w->code, i ? "lib.so" : "prog", i ? 6 : 4, &segment, 1, NULL);
        REQUIRE(w->module[i].id != 0);
    }
    while (in.p < in.end && ++steps < STEPS) operate(w, &in);
    is_described(w);
    csspgo_collector_free(w->c);
    csspgo_line_table_free(w->lines);
    csspgo_code_free(w->code);
    REQUIRE(w->heap.live == 0);
    return 0;
}
