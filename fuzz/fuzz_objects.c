/* fuzz_objects.c - every object is made with options of bytes: a limit, an unknown version, an allocator that fails or
 * has one function only. Laws: there is an object, or an error that says why; with sound options and memory there is
 * one; when it is freed, all its memory is; lazy reading of a profile in short memory gives records or an error. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"
#include "program.h"

typedef struct world {
    counted        heap;
    csspgo_options o;
    csspgo_code   *code;
    csspgo_profile *profile;
    unsigned       b;                         /* what else there is to choose */
} world;

static void *free_it(void *object, void (*how)(void *))
{
    if (object != NULL) how(object);
    return object;
}

#define FREE_AS(type) static void free_##type(void *p) { csspgo_##type##_free((csspgo_##type *)p); }
FREE_AS(profile)
FREE_AS(code)
FREE_AS(probe_set)
FREE_AS(queue)
FREE_AS(collector)
FREE_AS(size_table)
FREE_AS(block_finder)
FREE_AS(match_input)
FREE_AS(matcher)
FREE_AS(perfdata)
FREE_AS(script)
FREE_AS(processes)
FREE_AS(preagg)
FREE_AS(line_table)
FREE_AS(layout)
FREE_AS(trace_sampler)
FREE_AS(ctx)
FREE_AS(ctx_runtime)
FREE_AS(bottleneck)

/* Makes a collector or a queue, whose options may be wrong. */
static void *make_other(world *w, unsigned what, csspgo_error *e)
{
    csspgo_collector_options collector;
    csspgo_queue_options queue;
    csspgo_script_options script;
    csspgo_preagg_options preagg;
    csspgo_layout_options layout;
    csspgo_match_options match;
    const uint32_t odd = w->b & 16 ? 20 : w->b & 32 ? 19 : 0;
    memset(&collector, 0, sizeof collector);
    memset(&queue, 0, sizeof queue);
    memset(&script, 0, sizeof script);
    memset(&preagg, 0, sizeof preagg);
    memset(&layout, 0, sizeof layout);
    memset(&match, 0, sizeof match);
    collector.cache_bytes = w->b & 1 ? 1u << (w->b >> 1 & 31) : 0;
    collector.ignore_stack = w->b & 2;
    collector.single_branches = w->b >> 2 & 1;
    collector.always_contexts = w->b >> 3 & 1;
    queue.writers = w->b & 64 ? 1u << 17 : w->b & 3;
    queue.samples = w->b & 128 ? 1u << (w->b >> 2 & 31) : 4;
    queue.max_frames = w->b & 8 ? 1u << 17 : 4;
    queue.max_branches = w->b & 4 ? 1u << 17 : 4;
    script.code = preagg.code = w->code;
    script.llvm = preagg.llvm = layout.llvm = match.llvm = odd;
    preagg.module.id = w->b & 64 ? 5 : 0;
    switch (what) {
    case 0: return free_it(csspgo_collector_new(w->code, w->b != 0 ? &collector : NULL, &w->o, e), free_collector);
    case 1: return free_it(csspgo_queue_new(&queue, &w->o, e), free_queue);
    case 2: return free_it(csspgo_script_new(w->b != 0 ? &script : NULL, &w->o, e), free_script);
    case 3: return free_it(csspgo_preagg_new(&preagg, &w->o, e), free_preagg);
    case 4: return free_it(csspgo_layout_new(&layout, &w->o, e), free_layout);
    default: return free_it(csspgo_matcher_new(&match, &w->o, e), free_matcher);
    }
}

static void *make(world *w, unsigned what, csspgo_error *e)
{
    csspgo_bottleneck_resource unit[2];
    memset(unit, 0, sizeof unit);
    unit[0].mask = 1;
    unit[1].mask = w->b == 0 ? 2 : w->b & 3;
    switch (what) {
    case 0: return free_it(csspgo_profile_new(&w->o, e), free_profile);
    case 1: return free_it(csspgo_code_new(&w->o, e), free_code);
    case 2: return free_it(csspgo_probe_set_new(&w->o, e), free_probe_set);
    case 3: return free_it(csspgo_size_table_new(&w->o, e), free_size_table);
    case 4: return free_it(csspgo_block_finder_new(w->code, &w->o, e), free_block_finder);
    case 5: return free_it(csspgo_match_input_new(w->code, &w->o, e), free_match_input);
    case 6: return free_it(csspgo_perfdata_new(&w->o, e), free_perfdata);
    case 7: return free_it(csspgo_processes_new(w->code, &w->o, e), free_processes);
    case 8: return free_it(csspgo_line_table_new(&w->o, e), free_line_table);
    case 9: return free_it(csspgo_trace_sampler_new(w->code, NULL, &w->o, e), free_trace_sampler);
    case 10: return free_it(csspgo_ctx_new(&w->o, e), free_ctx);
    case 11: return free_it(csspgo_ctx_runtime_new(&w->o, e), free_ctx_runtime);
    case 12: return free_it(csspgo_bottleneck_new(unit, 2, 1 + w->b % 9, 3, &w->o, e), free_bottleneck);
    default: return make_other(w, what - 13, e);
    }
}

enum { KINDS = 19 };

/* ----- lazy reading ----- */

static void read_lazily(world *w)
{
    csspgo_lazy *l;
    csspgo_error e;
    unsigned char *data;
    const uint32_t form = CSSPGO_EXTBINARY | (w->b & 1 ? CSSPGO_MD5 : 0);
    size_t size, fails_at = w->heap.fail_at;
    uint32_t i;
    w->heap.fail_at = 0;
    csspgo_write(w->profile, form, NULL, 0, &size, NULL);
    data = (unsigned char *)malloc(size + 1);
    REQUIRE(data != NULL);
    REQUIRE(csspgo_write(w->profile, form, data, size, NULL, NULL) == CSSPGO_OK);
    if (w->b & 2) data[(size - 1) * (w->b >> 2) / 64] ^= 1u << (w->b & 7);
    w->heap.fail_at = fails_at;
    l = csspgo_lazy_open(data, size, &w->o, &e);
    REQUIRE((l != NULL) == (e.status == CSSPGO_OK));
    for (i = 0; l != NULL && i < PROGRAM_FUNCTIONS; i++) {
        const char *name = program_name(i);
        const csspgo_status s = csspgo_lazy_load(l, name, strlen(name), &e);
        REQUIRE(s == e.status && csspgo_validate(csspgo_lazy_profile(l), NULL) == CSSPGO_OK);
    }
    csspgo_lazy_free(l);
    free(data);
}

static csspgo_profile *some_profile(csspgo_code *code, program *p)
{
    csspgo_collector_options how;
    csspgo_collector *c;
    csspgo_profile *made = csspgo_profile_new(NULL, NULL);
    program_sample t;
    unsigned i;
    memset(&how, 0, sizeof how);
    how.cache_bytes = 16384;
    how.ignore_stack = draw(p, 2);
    c = csspgo_collector_new(code, &how, NULL, NULL);
    REQUIRE(c != NULL && made != NULL);
    for (i = 0; i < 9; i++)
        if (program_run(p, &t, 60)) REQUIRE(csspgo_collector_add(c, program_point(&t), 1, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_collector_profile(c, NULL, made, NULL, NULL) == CSSPGO_OK);
    csspgo_collector_free(c);
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world the_world;
    static program p;
    world *w = &the_world;
    csspgo_module module;
    csspgo_error e;
    input in;
    unsigned steps = 0;
    in.p = data;
    in.end = data + size;
    memset(w, 0, sizeof *w);
    program_make(&p, byte(&in));
    w->code = csspgo_code_new(NULL, NULL);
    REQUIRE(w->code != NULL && program_add(&p, w->code, NULL, 0, &module) == CSSPGO_OK);
    w->profile = some_profile(w->code, &p);
    while (in.p < in.end && ++steps < 24) {
        const unsigned what = byte(&in), how = byte(&in), n = byte(&in);
        void *made;
        w->b = byte(&in);
        w->o = counted_options(&w->heap);
        w->o.llvm = how & 1 ? 19 : how & 2 ? 20 : 0;
        w->o.limits.max_bytes = how & 4 ? 64u << (n & 15) : 0;
        w->o.hash_seed = how & 8 ? n : 0;
        w->heap.fail_at = how & 16 ? w->heap.calls + 1 + n % 32 : 0;
        if (how & 32) w->o.allocator.free_fn = NULL;
        if (how & 64) w->o.allocator.alloc_fn = NULL;
        if (what >= 192) read_lazily(w);
        else {
            made = make(w, what % KINDS, &e);
            REQUIRE((made != NULL) == (e.status == CSSPGO_OK) && (made != NULL || e.message[0] != '\0'));
            if (how == 0 && w->b == 0) REQUIRE(made != NULL);
            if (!(how & 16)) REQUIRE(e.status != CSSPGO_E_NOMEM);
        }
        w->heap.fail_at = 0;
        REQUIRE(w->heap.live == 0);
    }
    csspgo_profile_free(w->profile);
    csspgo_code_free(w->code);
    return 0;
}
