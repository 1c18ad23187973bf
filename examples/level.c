/* level.c - an engine orders its code cache by what levels need when they load, so that a load touches few pages
 *
 * The engine has 2000 functions, compiled in the order of their files. Each level load uses some features, the same
 * ones in nearly the same order every time. 20 loads are recorded, each is a phase; the code is laid out anew, and 4 loads
 * that were not recorded are compared on both layouts. Prints the pages of 4 KiB that a load touches.
 *
 *     cc -O2 level.c -o level && ./level [order file for a linker]
 */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_WITH_LAYOUT
#include "../csspgo.h"
#define CSSPGO_LINKER_ORDER_IMPLEMENTATION
#include "share/linker_order.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 2000, FEATURES = 50, LOADS = 24, TESTS = 4 };

static csspgo_trace_slot slot[FUNCTIONS];
static csspgo_trace_clock recording;
static char name[FUNCTIONS][24];
static uint64_t id[FUNCTIONS], trace_ids[FUNCTIONS], order[FUNCTIONS];
static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* What a compiled function does first. */
static void run(uint32_t function)
{
    CSSPGO_TRACE_ENTER(&recording, &slot[function]);
}

/* A feature's functions lie in many files: every 50th one is its own. */
static void start_feature(uint32_t feature)
{
    uint32_t i;
    for (i = 0; i < FUNCTIONS / FEATURES; i++)
        if (rnd(20) != 0) run(i * FEATURES + feature);
}

static void load_level(uint32_t level)
{
    uint32_t i;
    for (i = 0; i < 8; i++) start_feature((level * 5 + i * i) % FEATURES);
}

/* Records one load as a phase of its own, and offers it. */
static csspgo_status record_load(csspgo_layout *l, uint32_t level, csspgo_error *e)
{
    const csspgo_trace_phase phase = { slot, sizeof *slot, id, FUNCTIONS, csspgo_trace_now(&recording), 0 };
    csspgo_trace trace;
    csspgo_status s;
    load_level(level);
    s = csspgo_trace_collect(&phase, NULL, trace_ids, &trace.count, e);
    csspgo_trace_reset(slot, sizeof *slot, FUNCTIONS);
    trace.id = trace_ids;
    trace.weight = 1;
    return s == CSSPGO_OK ? csspgo_layout_add(l, &trace, 1, 0, e) : s;
}

static csspgo_status tell_functions(csspgo_layout *l, csspgo_error *e)
{
    csspgo_layout_symbol symbol;
    csspgo_status s = CSSPGO_OK;
    uint32_t i;
    for (i = 0; i < FUNCTIONS && s == CSSPGO_OK; i++) {
        symbol.name_size = (size_t)snprintf(name[i], sizeof name[i], "feature%u_part%u", (unsigned)(i % FEATURES),
                                            (unsigned)(i / FEATURES));
        symbol.name = name[i];
        symbol.size_bytes = 100 + rnd(400);
        id[i] = csspgo_guid(symbol.name, symbol.name_size);
        s = csspgo_layout_add_symbols(l, &symbol, 1, e);
    }
    return s;
}

static csspgo_status pages(const csspgo_layout *l, size_t ordered, const char *what, uint64_t *touched, csspgo_error *e)
{
    csspgo_layout_evaluate_options how;
    csspgo_layout_score score;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    how.page_bytes = 4096;
    how.test_traces = TESTS;
    s = csspgo_layout_evaluate(l, order, ordered, &how, &score, e);
    *touched = score.pages;
    if (s == CSSPGO_OK)
        printf("%-24s %3u pages a load, %3u of them in its first half; %u in all\n", what,
               (unsigned)(score.pages / TESTS), (unsigned)(score.pages_50 / TESTS), (unsigned)score.layout_pages);
    return s;
}

int main(int argc, char **argv)
{
    csspgo_error e;
    csspgo_layout_order_options how;
    csspgo_layout *l = csspgo_layout_new(NULL, NULL, &e);
    csspgo_status s = l != NULL ? tell_functions(l, &e) : e.status;
    uint64_t before = 0, after = 0;
    size_t n = 0, size = 0;
    uint32_t i;
    memset(&how, 0, sizeof how);
    how.test_traces = TESTS;
    for (i = 0; i < LOADS && s == CSSPGO_OK; i++) s = record_load(l, rnd(10), &e);
    if (s == CSSPGO_OK) s = csspgo_layout_order(l, &how, order, FUNCTIONS, &n, &e);
    if (s == CSSPGO_OK) s = pages(l, 0, "as compiled", &before, &e);
    if (s == CSSPGO_OK) s = pages(l, n, "ordered by level loads", &after, &e);
    if (s == CSSPGO_OK && argc > 1) {
        static char text[FUNCTIONS * 32];
        FILE *f = fopen(argv[1], "w");
        s = csspgo_layout_write_order(l, order, n, NULL, text, sizeof text, &size, &e);
        if (f == NULL || fwrite(text, 1, size, f) != size || fclose(f) != 0) s = CSSPGO_E_IO;
    }
    if (s != CSSPGO_OK) fprintf(stderr, "level: %s\n", l != NULL && s == e.status ? e.message : csspgo_status_text(s));
    csspgo_layout_free(l);
    return s != CSSPGO_OK || 2 * after > before;
}
