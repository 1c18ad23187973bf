/* ask.c - reads a profile of any form, answers questions about it, and writes it in another form
 *
 *     cc -O2 ask.c -o ask
 *     ./ask app.prof                              what is in it: the hottest functions and their contexts
 *     ./ask app.prof "main:2 @ parse"             the counts of one context
 *     ./ask app.prof -o app.extbinary             the same profile as ExtBinary (-t: as text)
 */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_WITH_INSPECT
#include "../csspgo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

typedef struct hot_function {
    csspgo_func func;
    uint64_t    samples;
} hot_function;

static int hotter(const void *a, const void *b)
{
    const hot_function *x = (const hot_function *)a, *y = (const hot_function *)b;
    if (x->samples != y->samples) return x->samples < y->samples ? 1 : -1;
    return x->func.id < y->func.id ? -1 : x->func.id > y->func.id;
}

static void print_name(const csspgo_profile *p, csspgo_func func)
{
    size_t size;
    const char *name = csspgo_func_name(p, func, &size);
    if (name != NULL) printf("%.*s", (int)size, name);
    else printf("%llu", (ull)csspgo_func_guid(p, func));      /* the file has GUIDs in place of names */
}

/* Body and call targets of one context. */
static int print_context(const csspgo_profile *p, const char *text)
{
    const csspgo_node node = csspgo_find(p, text);
    const csspgo_body *body;
    size_t n, targets, i, k;
    if (!csspgo_has_record(p, node)) {
        fprintf(stderr, "ask: no counts of '%s'\n", text);
        return 1;
    }
    printf("%s: total %llu, entered %llu times\n", text, (ull)csspgo_total(p, node), (ull)csspgo_head(p, node));
    body = csspgo_get_bodies(p, node, &n);
    for (i = 0; i < n; i++) {
        const csspgo_target *t = csspgo_get_targets_at(p, node, body[i].loc, &targets);
        printf("  %u: %llu", (unsigned)body[i].loc.line, (ull)body[i].count);
        for (k = 0; k < targets; k++) {
            printf(k == 0 ? ", calls " : ", ");
            print_name(p, t[k].func);
            printf(" %llu", (ull)t[k].count);
        }
        printf("\n");
    }
    return 0;
}

/* The ten functions with the most samples, in all their contexts, and how many contexts each has. */
static int print_overview(const csspgo_profile *p)
{
    const uint32_t functions = csspgo_func_count(p);
    const csspgo_profile_stats s = csspgo_profile_get_stats(p);
    hot_function *hot = (hot_function *)calloc((size_t)functions + 1, sizeof *hot);
    uint64_t threshold = 0;
    uint32_t i;
    csspgo_error e;
    if (hot == NULL || csspgo_count_threshold(p, 990000, &threshold, &e) != CSSPGO_OK) {
        free(hot);
        fprintf(stderr, "ask: out of memory\n");
        return 1;
    }
    printf("%llu samples, %llu functions, %llu contexts, mean depth %.1f; counts from %llu on are hot\n",
           (ull)s.samples, (ull)s.functions, (ull)s.records, s.mean_depth, (ull)threshold);
    for (i = 0; i < functions; i++) {
        csspgo_node n;
        hot[i].func.id = i + 1;
        for (n = csspgo_func_nodes(p, hot[i].func); n.id != 0; n = csspgo_node_next_same(p, n)) {
            size_t count;
            const csspgo_body *body = csspgo_get_bodies(p, n, &count);
            while (count-- != 0) hot[i].samples += body[count].count;
        }
    }
    qsort(hot, functions, sizeof *hot, hotter);
    for (i = 0; i < functions && i < 10 && hot[i].samples != 0; i++) {
        printf("%12llu  ", (ull)hot[i].samples);
        print_name(p, hot[i].func);
        printf("\n");
    }
    free(hot);
    return 0;
}

int main(int argc, char **argv)
{
    const uint32_t form = argc == 4 && strcmp(argv[2], "-t") == 0 ? CSSPGO_TEXT : CSSPGO_EXTBINARY;
    csspgo_error e;
    csspgo_profile *p;
    int status = 0;
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: ask PROFILE [CONTEXT | -o OUTPUT | -t OUTPUT]\n");
        return 2;
    }
    p = csspgo_load_file(argv[1], NULL, &e);
    if (p == NULL) {
        fprintf(stderr, "%s:%u: byte %llu: %s\n", argv[1], (unsigned)e.line, (ull)e.offset, e.message);
        return 1;
    }
    if (argc == 2) status = print_overview(p);
    else if (argc == 3) status = print_context(p, argv[2]);
    else if (csspgo_write_file(p, argv[3], form, &e) != CSSPGO_OK) {
        fprintf(stderr, "ask: %s\n", e.message);
        status = 1;
    }
    csspgo_profile_free(p);
    return status;
}
