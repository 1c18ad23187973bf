/* fuzz_generate.c - samples of a made-up program become a profile: by probe and by line, with contexts and without,
 * from branch records and from addresses alone; then the pre-inliner works on it.
 *
 * Laws: the order of samples and how they were cut into calls do not matter; samples in two parts, a profile in slices,
 * a full collector and a failing allocator give the same sum as all at once; what was listed is in order; raw counters
 * that were written and read again are the same text; the pre-inliner loses no count; a failure changes nothing; the
 * code map answers for each address as the program was made. */
#define _POSIX_C_SOURCE 200809L
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#define CSSPGO__GROWS_AT_ONCE 48u    /* so that few samples make tables grow in steps, and collectors brim */
#include "../csspgo.h"
#include <unistd.h>
#include "fuzz.h"
#include "program.h"

enum { SAMPLES = 40 };

typedef struct world {
    counted         heap;
    program         prog;
    csspgo_code    *code;
    csspgo_line_table *lines;
    csspgo_module   module;
    csspgo_collector_options how;
    csspgo_generate_options  made;
    int             by_line, exact;           /* exact: parts add up to the whole, to the last count and context */
    unsigned        count;
    program_sample  sample[SAMPLES];
} world;

/* ----- collecting ----- */

static csspgo_collector *collector_of(world *w, uint64_t max_bytes)
{
    csspgo_options o = counted_options(&w->heap);
    o.limits.max_bytes = max_bytes;
    return csspgo_collector_new(w->code, &w->how, &o, NULL);
}

/* Samples from, from + by, ... */
static void add(world *w, csspgo_collector *c, unsigned from, unsigned by)
{
    csspgo_sample list[SAMPLES];
    unsigned n = 0, i;
    for (i = from; i < w->count; i += by) list[n++] = *program_point(&w->sample[i]);
    REQUIRE(csspgo_collector_add(c, list, n, NULL) == CSSPGO_OK);
}

static void add_backwards(world *w, csspgo_collector *c)
{
    unsigned i;
    for (i = w->count; i-- != 0;)
        REQUIRE(csspgo_collector_add(c, program_point(&w->sample[i]), 1, NULL) == CSSPGO_OK);
}

static csspgo_status generate(world *w, csspgo_collector *c, csspgo_profile *p, csspgo_generate_stats *stats)
{
    if (w->by_line) return csspgo_collector_line_profile(c, w->lines, &w->made, p, stats, NULL);
    return csspgo_collector_profile(c, &w->made, p, stats, NULL);
}

static csspgo_profile *fresh(world *w)
{
    const csspgo_options o = counted_options(&w->heap);
    csspgo_profile *p = csspgo_profile_new(&o, NULL);
    REQUIRE(p != NULL);
    return p;
}

/* All samples at once; NULL: there is no such profile. */
static csspgo_profile *whole(world *w, int backwards)
{
    csspgo_collector *c = collector_of(w, 0);
    csspgo_profile *p = fresh(w);
    csspgo_generate_stats stats;
    csspgo_status s;
    REQUIRE(c != NULL);
    if (backwards) add_backwards(w, c);
    else add(w, c, 0, 1);
    s = generate(w, c, p, &stats);
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED);
    csspgo_collector_free(c);
    if (s == CSSPGO_OK) return p;
    REQUIRE(csspgo_record_count(p) == 0);
    csspgo_profile_free(p);
    return NULL;
}

/* ----- laws of the sum ----- */

static void is_whole(world *w, csspgo_profile *p, const csspgo_profile *all)
{
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    if (w->exact) same_text(p, all);
    csspgo_profile_free(p);
}

static void in_parts(world *w, const csspgo_profile *all, unsigned parts)
{
    csspgo_profile *p = fresh(w);
    unsigned i;
    for (i = 0; i < parts; i++) {
        csspgo_collector *c = collector_of(w, 0);
        csspgo_status s;
        REQUIRE(c != NULL);
        add(w, c, i, parts);
        s = generate(w, c, p, NULL);
        REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED || s == CSSPGO_E_ARGUMENT);
        if (w->exact) REQUIRE(s == CSSPGO_OK);
        csspgo_collector_free(c);
    }
    is_whole(w, p, all);
}

static void in_slices(world *w, const csspgo_profile *all, input *in)
{
    csspgo_profile *p = fresh(w);
    csspgo_collector *c = collector_of(w, 0);
    csspgo_status s = CSSPGO_MORE;
    const unsigned fixed = byte(in);
    unsigned calls = 0;
    REQUIRE(c != NULL);
    add(w, c, 0, 1);
    while (s == CSSPGO_MORE) {
        s = csspgo_collector_profile_step(c, calls < 8 ? byte(in) : fixed, &w->made, p, NULL, NULL);
        REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK && ++calls < 100000);
    }
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED);
    csspgo_collector_free(c);
    is_whole(w, p, all);
}

/* A collector that is full gives what it has, and takes the rest. */
static void in_little_memory(world *w, const csspgo_profile *all, unsigned b)
{
    csspgo_profile *p = fresh(w);
    csspgo_collector *c = collector_of(w, 30000 + 4000 * b);
    unsigned i, tries = 0;
    for (i = 0; c != NULL && i < w->count;) {
        csspgo_error e;
        csspgo_status s = csspgo_collector_add(c, program_point(&w->sample[i]), 1, &e);
        REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_FULL || s == CSSPGO_E_LIMIT);
        REQUIRE(csspgo_collector_memory(c) <= 30000 + 4000 * b);
        if (s == CSSPGO_OK || s == CSSPGO_E_LIMIT) i++;
        if (s == CSSPGO_E_LIMIT) tries = 1000;                        /* a sample is missing */
        if (s != CSSPGO_E_FULL) continue;
        s = generate(w, c, p, NULL);
        REQUIRE(s == CSSPGO_OK || (!w->exact && (s == CSSPGO_E_UNSUPPORTED || s == CSSPGO_E_ARGUMENT)));
        if (s != CSSPGO_OK || ++tries > SAMPLES) break;
    }
    if (c != NULL) {
        const csspgo_status s = generate(w, c, p, NULL);
        if (tries <= SAMPLES && w->exact) {
            REQUIRE(s == CSSPGO_OK);
            same_text(p, all);
        }
    }
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    csspgo_collector_free(c);
    csspgo_profile_free(p);
}

/* With the memory that it is said to need, a collector takes all samples and is not full. */
static void in_enough_memory(world *w)
{
    const uint64_t need = csspgo_collector_need(w->count, PROGRAM_BRANCHES, PROGRAM_FRAMES, &w->how);
    csspgo_collector *c = collector_of(w, need);
    REQUIRE(need != 0 && c != NULL);
    add(w, c, 0, 1);
    REQUIRE(csspgo_collector_flush(c, NULL) == CSSPGO_OK && csspgo_collector_memory(c) <= need);
    csspgo_collector_free(c);
}

/* The n-th allocation fails, then memory is there again: each part is in the profile or still in the collector. */
static void in_short_memory(world *w, const csspgo_profile *all, unsigned n)
{
    csspgo_profile *p = fresh(w);
    csspgo_collector *c = collector_of(w, 0);
    csspgo_status s;
    REQUIRE(c != NULL);
    add(w, c, 0, 1);
    w->heap.fail_at = w->heap.calls + 1 + n;
    s = generate(w, c, p, NULL);
    w->heap.fail_at = 0;
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_NOMEM || s == CSSPGO_E_UNSUPPORTED);
    if (s == CSSPGO_E_NOMEM) {
        s = generate(w, c, p, NULL);
        REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED);
    }
    csspgo_collector_free(c);
    is_whole(w, p, all);
}

/* ----- raw counters ----- */

static void is_ascending(const uint64_t *v, size_t n)
{
    size_t i;
    for (i = 1; i < n; i++) REQUIRE(v[i - 1] < v[i]);
}

static void is_listed(csspgo_collector *c, csspgo_module m)
{
    uint64_t *v;
    csspgo_range_count *r;
    size_t n, k, i;
    REQUIRE(csspgo_collector_addresses(c, m, NULL, 0, &n, NULL) == CSSPGO_OK);
    v = (uint64_t *)calloc(2 * n + 2, sizeof *v);
    REQUIRE(v != NULL && csspgo_collector_addresses(c, m, v, n, &k, NULL) == CSSPGO_OK && k == n);
    is_ascending(v, n);
    csspgo_collector_calls(c, m, NULL, 0, &k, NULL);
    v = (uint64_t *)realloc(v, (n + k + 1) * 2 * sizeof *v);
    REQUIRE(v != NULL && csspgo_collector_calls(c, m, v, k, &k, NULL) == CSSPGO_OK);
    is_ascending(v, k);
    csspgo_collector_ranges(c, m, NULL, 0, &k, NULL);
    v = (uint64_t *)realloc(v, (n + k + 1) * 2 * sizeof *v);
    REQUIRE(v != NULL && csspgo_collector_ranges(c, m, v, k, &k, NULL) == CSSPGO_OK);
    for (i = 0; i < k; i++) REQUIRE(v[2 * i] <= v[2 * i + 1] && (i == 0 || v[2 * i - 1] < v[2 * i]));
    csspgo_collector_range_counts(c, m, NULL, 0, &n, NULL);
    r = (csspgo_range_count *)calloc(n + 1, sizeof *r);
    REQUIRE(r != NULL && csspgo_collector_range_counts(c, m, r, n, &n, NULL) == CSSPGO_OK);
    for (i = 0; i < n; i++) {
        REQUIRE(r[i].first <= r[i].last && r[i].count != 0);
        REQUIRE(i == 0 || r[i - 1].first < r[i].first || (r[i - 1].first == r[i].first && r[i - 1].last < r[i].last));
    }
    free(r);
    free(v);
}

/* What a collector says for people fits its statistics, and any buffer. */
static void is_reported(const csspgo_collector *c)
{
    char text[8192];
    size_t size, again;
    REQUIRE(csspgo_collector_report_text(c, NULL, 0, &size, NULL) == CSSPGO_OK && size <= sizeof text);
    REQUIRE(csspgo_collector_report_text(c, text, size - 1, &again, NULL) == CSSPGO_E_SHORT && again == size);
    REQUIRE(csspgo_collector_report_text(c, text, size, &again, NULL) == CSSPGO_OK && again == size);
    REQUIRE(csspgo_collector_get_stats(c).samples >= csspgo_collector_get_stats(c).no_branches);
}

/* Written, read and written again: the same text. */
static void is_written(world *w)
{
    csspgo_collector *c = collector_of(w, 0), *d = collector_of(w, 0);
    csspgo_unsymbolized_options how;
    csspgo_profile *p = fresh(w);
    char *text, *again;
    size_t size, size2;
    REQUIRE(c != NULL && d != NULL);
    memset(&how, 0, sizeof how);
    how.module = w->module;
    how.base = w->module.id != 0 ? csspgo_code_base(w->code, w->module) : 0;
    add(w, c, 0, 1);
    is_listed(c, w->module);
    is_reported(c);
    if (w->by_line && !w->how.ignore_stack)
        REQUIRE(csspgo_collector_name_contexts(c, w->lines, &w->made, NULL) == CSSPGO_OK);
    csspgo_write_unsymbolized(c, &how, NULL, 0, &size, NULL);
    text = (char *)malloc(size + 1);
    REQUIRE(text != NULL && csspgo_write_unsymbolized(c, &how, text, size, &size, NULL) == CSSPGO_OK);
    if (csspgo_read_unsymbolized(d, text, size, &how, NULL) == CSSPGO_OK) {
        csspgo_write_unsymbolized(d, &how, NULL, 0, &size2, NULL);
        again = (char *)malloc(size2 + 1);
        REQUIRE(again != NULL && csspgo_write_unsymbolized(d, &how, again, size2, &size2, NULL) == CSSPGO_OK);
        REQUIRE(size2 == size && memcmp(text, again, size) == 0);
        free(again);
        generate(w, d, p, NULL);
        REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    }
    free(text);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    csspgo_collector_free(d);
}

/* ----- questions about the code ----- */

/* Probes of the code map are those of the program, and all questions agree about an address. */
static void is_known(world *w, uint64_t address)
{
    csspgo_frame frame[PROGRAM_NODES];
    csspgo_code_place place;
    const size_t probes = csspgo_code_probe_count(w->code, address);
    const int found = csspgo_code_find(w->code, address, &place);
    const uint64_t end = csspgo_code_run_end(w->code, address), call = csspgo_code_call_before(w->code, address);
    uint32_t kind = 9;
    size_t i;
    for (i = 0; i < probes; i++) {
        const size_t depth = csspgo_code_probe_stack(w->code, address, i, frame, PROGRAM_NODES, &kind);
        REQUIRE(depth != 0 && depth <= PROGRAM_NODES && kind <= CSSPGO_PROBE_DIRECT_CALL && frame[0].guid != 0);
        REQUIRE(csspgo_code_probe_stack(w->code, address, i, NULL, 0, NULL) == depth);
    }
    REQUIRE(csspgo_code_probe_stack(w->code, address, probes, frame, PROGRAM_NODES, &kind) == 0);
    if (probes != 0) REQUIRE(found && place.begin <= address && address < place.end);
    if (!found) REQUIRE(place.begin == 0 && place.guid == 0);
    if (end != 0) REQUIRE(end >= address && (!found || place.end == 0 || end < place.end));
    if (call != 0) REQUIRE(call < address && csspgo_code_transfer_kind(w->code, call) == CSSPGO_CALL);
    if (end > address && found) REQUIRE(csspgo_code_runs_straight(w->code, address, end) != -1);
}

/* The module goes elsewhere, by a mapping event or a bias, and comes back: it is known there, and no longer here. */
static void is_mapped(world *w, input *in)
{
    const uint64_t at = w->prog.bias + PROGRAM_BASE, to = (uint64_t)(1 + byte(in)) << 20;
    csspgo_code_place place;
    csspgo_mmap event;
    uint64_t shift;
    int mapped;
    const unsigned b = byte(in);
    if (w->module.id == 0) return;
    memset(&event, 0, sizeof event);
    event.address = to;
    event.size = 0x1000;
    event.file_offset = b & 1 ? 0x1000 : 0;
    event.path = b & 2 ? "/bin/prog" : "/bin/program";
    event.path_size = strlen(event.path);
    event.executable = b >> 2 & 1;
    event.build_id = (const unsigned char *)"123456";
    event.build_id_size = b & 8 ? 6 : 0;
    if (b & 16) REQUIRE(csspgo_code_set_build_id(w->code, w->module, "1234567", 6 + (b >> 5 & 1), NULL) == CSSPGO_OK);
    REQUIRE(csspgo_code_mmap(w->code, &event, &mapped, NULL) == CSSPGO_OK && mapped >= -1 && mapped <= 1);
    if (mapped != -1 && event.executable)
        REQUIRE((csspgo_code_mapped(w->code, &event, &shift).id != 0) == (mapped == 1));
    REQUIRE(csspgo_code_find(w->code, mapped == 1 ? to : at, &place) == 1 && place.module.id == w->module.id);
    REQUIRE(mapped != 1 || !csspgo_code_find(w->code, at, &place));
    REQUIRE(csspgo_code_validate(w->code, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_code_set_bias(w->code, w->module, w->prog.bias, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_code_find(w->code, at, &place) == 1);
}

/* By way of a queue and through a file: the same counters. */
static void is_sent(world *w)
{
    char path[] = "/tmp/csspgo.fuzz.XXXXXX";
    const csspgo_options o = counted_options(&w->heap);
    csspgo_queue *q = csspgo_queue_new(NULL, &o, NULL);
    csspgo_collector *c = collector_of(w, 0), *d = collector_of(w, 0);
    csspgo_unsymbolized_options how;
    char *text, *read;
    size_t size, i;
    const int file = mkstemp(path);
    FILE *f;
    memset(&how, 0, sizeof how);
    how.module = w->module;
    REQUIRE(q != NULL && c != NULL && d != NULL && file >= 0 && close(file) == 0);
    REQUIRE(csspgo_queue_memory(q) <= w->heap.live);
    for (i = 0; i < w->count; i++) REQUIRE(csspgo_queue_push(q, 0, program_point(&w->sample[i])));
    REQUIRE(csspgo_queue_drain(q, 0, d, NULL, NULL) == CSSPGO_OK);
    add(w, c, 0, 1);
    csspgo_write_unsymbolized(c, &how, NULL, 0, &size, NULL);
    text = (char *)malloc(size + 1);
    read = (char *)malloc(size + 1);
    REQUIRE(text != NULL && read != NULL && csspgo_write_unsymbolized(c, &how, text, size, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_write_unsymbolized_file(d, path, &how, NULL) == CSSPGO_OK);
    f = fopen(path, "rb");
    REQUIRE(f != NULL && fread(read, 1, size + 1, f) == size && memcmp(text, read, size) == 0 && fclose(f) == 0);
    REQUIRE(csspgo_write_unsymbolized_file(d, "/nowhere/at/all", &how, NULL) == CSSPGO_E_IO && remove(path) == 0);
    free(text);
    free(read);
    csspgo_queue_free(q);
    csspgo_collector_free(c);
    csspgo_collector_free(d);
}

/* The base of a discriminator is one that has no other parts, and a factor is at least 1. */
static void is_based(input *in)
{
    const csspgo_loc loc = csspgo_loc_at(byte(in), byte(in) | (uint32_t)byte(in) << 8 | (uint32_t)byte(in) << 16);
    uint32_t factor = 0;
    const csspgo_loc base = csspgo_base_loc(loc, &factor), same = csspgo_base_loc(loc, NULL);
    REQUIRE(base.line == loc.line && factor != 0 && same.discriminator == base.discriminator);
}

/* ----- the pre-inliner ----- */

static uint64_t sum_of_bodies(const csspgo_profile *p)
{
    return csspgo_profile_get_stats(p).samples;
}

static csspgo_size_table *sizes_of(world *w, input *in)
{
    const csspgo_options o = counted_options(&w->heap);
    csspgo_size_table *s = csspgo_size_table_new(&o, NULL);
    csspgo_frame frame[3];
    unsigned n = byte(in) % 5, k;
    REQUIRE(s != NULL && csspgo_size_table_add_code(s, w->code, NULL) == CSSPGO_OK);
    while (n-- != 0) {
        const unsigned depth = 1 + byte(in) % 3;
        memset(frame, 0, sizeof frame);
        for (k = 0; k < depth; k++) {
            const char *name = program_name(byte(in));
            frame[k].name = name;
            frame[k].name_size = csspgo_canonical_size(name, strlen(name), 0);
            if (byte(in) & 1) frame[k].guid = csspgo_guid(name, frame[k].name_size);
            frame[k].loc = csspgo_loc_at(byte(in) % 12, 0);
        }
        REQUIRE(csspgo_size_table_add(s, frame, depth, byte(in), NULL) == CSSPGO_OK);
    }
    return s;
}

static void choose_preinlining(csspgo_preinline_options *how, input *in)
{
    const unsigned b = byte(in);
    memset(how, 0, sizeof *how);
    if (b & 1) how->cold_count = byte(in);
    if (b & 2) how->hottest_count = byte(in);
    if (b & 4) how->hot_threshold = byte(in) * 8u;
    if (b & 8) how->cold_threshold = byte(in);
    if (b & 16) how->growth_limit = byte(in) % 4;
    if (b & 32) how->limit_min = how->limit_max = byte(in);
    how->unsorted_cycles = b >> 6 & 1;
    how->replay = b >> 7;
    if (byte(in) & 1) how->llvm = 19;
    if (byte(in) & 1) how->cold_count = CSSPGO_ZERO;
}

static void preinline(world *w, const csspgo_profile *all, input *in)
{
    csspgo_profile *p = csspgo_profile_clone(all, NULL);
    csspgo_preinline_options how, full;
    csspgo_preinline_stats stats;
    csspgo_size_table *sizes = NULL;
    csspgo_status s;
    choose_preinlining(&how, in);
    if (byte(in) & 1) how.sizes = sizes = sizes_of(w, in);
    REQUIRE(p != NULL && csspgo_preinline_defaults(p, &how, &full, NULL) == CSSPGO_OK);
    w->heap.fail_at = w->heap.calls + 1 + byte(in);
    s = csspgo_preinline(p, &how, &stats, NULL);
    w->heap.fail_at = 0;
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    if (s == CSSPGO_E_NOMEM) {
        REQUIRE(csspgo_equal(p, all));
        s = csspgo_preinline(p, &full, &stats, NULL);
        REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    }
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_ARGUMENT && csspgo_equal(p, all)));
    if (s == CSSPGO_OK && how.llvm == 0 && stats.dropped == 0) REQUIRE(sum_of_bodies(p) == sum_of_bodies(all));
    if (s == CSSPGO_OK) is_a_profile(p, 0);
    csspgo_profile_free(p);
    csspgo_size_table_free(sizes);
}

/* ----- the input ----- */

static void choose(world *w, input *in)
{
    const unsigned a = byte(in), b = byte(in), c = byte(in);
    memset(&w->how, 0, sizeof w->how);
    memset(&w->made, 0, sizeof w->made);
    w->how.cache_bytes = 16384;
    w->how.ignore_stack = (a & 7) == 1;
    w->how.single_branches = (a & 7) == 2;
    w->how.llvm = (a & 7) == 3 ? 19 : 0;
    w->how.keep_leaves = a >> 3 & 1;
    w->how.limit_recursion = a >> 4 & 1;
    w->how.max_recursion = a >> 5 & 3;
    w->how.limit_depth = a >> 7;
    w->how.max_depth = b & 3;
    w->how.keep_records = b >> 2 & 1;
    w->how.judge_fn = b & 8 ? csspgo_judge_stacks : NULL;
    w->how.always_contexts = (a & 7) == 0 || (a & 7) > 5;
    w->by_line = b >> 4 & 1;
    w->made.no_inference = b >> 5 & 1;
    w->made.max_search_depth = b >> 6;
    w->made.llvm = (c & 7) == 1 ? 19 : 0;
    w->made.fill_all_functions = (c & 7) == 2;
    w->made.flow_sensitive = c >> 3 & 1;
    w->made.update_totals = c >> 4 & 1;
    w->made.sum_addresses = c >> 5 & 1;
    w->made.estimate_fn = c & 64 ? csspgo_estimate_blocks : NULL;
    w->exact = w->how.always_contexts && w->how.keep_leaves && w->made.no_inference && w->made.llvm == 0 &&
               w->how.llvm == 0 && !w->made.fill_all_functions && !w->by_line && !(c & 128);
    if (c & 128) w->how.judge_fn = NULL;
}

/* Samples without branch records, if `addresses`, are of one kind with all others. */
static void run(world *w, input *in, int addresses)
{
    unsigned n = byte(in) % SAMPLES;
    w->count = 0;
    while (n-- != 0 && w->count < SAMPLES) {
        program_sample *t = &w->sample[w->count];
        if (!program_run(&w->prog, t, 1 + draw(&w->prog, 60))) continue;
        if (addresses) t->s.branch_count = 0;
        if (w->how.single_branches && t->s.branch_count > 2) t->s.branch_count = 2;
        if (w->how.single_branches && t->s.branch_count == 2) t->branch[1].from = 0;
        if (w->how.single_branches && draw(&w->prog, 4) == 0) t->branch[0].flags = (uint64_t)1 << 33;
        w->count++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world the_world;
    world *w = &the_world;
    csspgo_options o;
    csspgo_profile *all, *other;
    input in;
    unsigned seed, shape;
    in.p = data;
    in.end = data + size;
    memset(&w->heap, 0, sizeof w->heap);
    choose(w, &in);
    seed = byte(&in);
    seed |= byte(&in) << 8;
    shape = byte(&in);
    program_make(&w->prog, seed);
    o = counted_options(&w->heap);
    w->code = csspgo_code_new(&o, NULL);
    w->lines = csspgo_line_table_new(&o, NULL);
    REQUIRE(w->code != NULL && w->lines != NULL);
    REQUIRE(program_add(&w->prog, w->code, w->lines, shape & 1, &w->module) == CSSPGO_OK);
    if (shape & 1) {
        w->prog.bias = shape & 2 ? UINT64_C(0x7f0000000000) : 0;
        REQUIRE(csspgo_code_set_bias(w->code, w->module, w->prog.bias, NULL) == CSSPGO_OK);
    }
    run(w, &in, data != in.end && size > 2 && data[2] & 128);
    all = whole(w, 0);
    other = whole(w, 1);
    REQUIRE((all == NULL) == (other == NULL));
    if (all != NULL) {
        if (w->how.llvm == 0) same_text(all, other);
        is_a_profile(all, 0);
        in_parts(w, all, 2 + (shape >> 2 & 1));
        if (!w->by_line) in_slices(w, all, &in);
        in_little_memory(w, all, byte(&in));
        in_short_memory(w, all, byte(&in));
        in_enough_memory(w);
        is_written(w);
        preinline(w, all, &in);
    }
    for (seed = 0; seed < PROGRAM_FUNCTIONS * SPACE; seed += UNIT) is_known(w, PROGRAM_BASE + w->prog.bias + seed);
    is_known(w, byte(&in));
    is_sent(w);
    is_mapped(w, &in);
    is_based(&in);
    csspgo_profile_free(all);
    csspgo_profile_free(other);
    csspgo_line_table_free(w->lines);
    csspgo_code_free(w->code);
    REQUIRE(w->heap.live == 0);
    return 0;
}
