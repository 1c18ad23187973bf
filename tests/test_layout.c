/* test_layout.c - layer layout: traces of first execution, reservoirs, balanced partitioning, orders. */
#define CSSPGO_WITH_LAYOUT
#include "t.h"

#define DATA "data/temporal/"

/* ----- lines of the vectors ----- */

/* The next line of a text, without its end; NULL behind the last one. */
static char *next_line(char **at)
{
    char *line = *at, *end;
    if (line == NULL || *line == '\0') return NULL;
    end = strchr(line, '\n');
    *at = end != NULL ? end + 1 : NULL;
    if (end != NULL) *end = '\0';
    return line;
}

static int starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* ----- balanced partitioning ----- */

enum { MOST_NODES = 4096, MOST_ENTRIES = 1 << 16 };

typedef struct graph {
    uint32_t id[MOST_NODES], begin[MOST_NODES + 1], group[MOST_ENTRIES];
    csspgo_bipartite g;
    csspgo_bipartite_options how;
} graph;

static graph graph_now;

static void graph_clear(graph *x)
{
    memset(x, 0, sizeof *x);
    x->g.begin = x->begin;
    x->g.group = x->group;
    x->g.groups = 1000;
}

/* Adds a node; line: "ID GROUP...". */
static void graph_add(graph *x, char *line)
{
    const size_t n = x->g.nodes++;
    char *end = line;
    uint32_t at = x->begin[n];
    x->id[n] = (uint32_t)strtoul(line, &end, 10);
    while (*end != '\0') x->group[at++] = (uint32_t)strtoul(end, &end, 10);
    x->begin[n + 1] = at;
}

static void graph_expect(graph *x, const char *line, uint32_t llvm)
{
    uint32_t order[MOST_NODES];
    char text[65536];
    size_t i, k = 0;
    x->how.llvm = llvm;
    T_EQ(csspgo_bipartite_order(&x->g, &x->how, NULL, order, NULL), CSSPGO_OK);
    for (i = 0; i < x->g.nodes; i++) k += (size_t)sprintf(text + k, " %u", (unsigned)x->id[order[i]]);
    t_same("bp_graphs.txt", text, k, line, strlen(line));
}

static void graphs_are_ordered_as_by_llvm(void)
{
    size_t size, cases = 0;
    char *text = t_file(DATA "bp_graphs.txt", &size), *at = text, *line;
    graph *x = &graph_now;
    while ((line = next_line(&at)) != NULL) {
        if (starts(line, "#")) continue;
        if (starts(line, "case")) {
            unsigned depth, iterations;
            float skip;
            graph_clear(x);
            T_EQ(sscanf(line, "case %u %u %f", &depth, &iterations, &skip), 3);
            x->how.depth = depth;
            x->how.iterations = iterations;
            x->how.skip = skip > 0 ? skip : 1e-20f;
            cases++;
        } else if (starts(line, "order19")) graph_expect(x, line + 7, 19);
        else if (starts(line, "order20")) graph_expect(x, line + 7, 0);
        else graph_add(x, line);
    }
    T_EQ(cases, 9);
    free(text);
}

static void a_graph_that_makes_no_sense_is_refused(void)
{
    graph *x = &graph_now;
    uint32_t order[4] = { 7, 7, 7, 7 };
    csspgo_error e;
    graph_clear(x);
    T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, order, &e), CSSPGO_OK);
    x->g.nodes = 2;
    x->begin[1] = 1;
    x->begin[2] = 2;
    x->group[1] = 1000;
    T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, order, &e), CSSPGO_E_ARGUMENT);
    T_EQ(e.offset, 1);
    x->group[1] = 999;
    x->begin[1] = 3;
    T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, order, &e), CSSPGO_E_ARGUMENT);
    x->begin[1] = 1;
    x->how.depth = 31;
    T_EQ(csspgo_bipartite_order(&x->g, &x->how, NULL, order, &e), CSSPGO_E_ARGUMENT);
    x->how.depth = 0;
    x->how.llvm = 18;
    T_EQ(csspgo_bipartite_order(&x->g, &x->how, NULL, order, &e), CSSPGO_E_ARGUMENT);
    T_EQ(order[0], 7);
    T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, order, &e), CSSPGO_OK);
    T_EQ(order[0], 0);
    T_EQ(order[1], 1);
    T_EQ(order[2], 7);
}

/* A pseudo-random graph; copies: each group so many times. */
static void graph_random(graph *x, uint32_t seed, uint32_t nodes, uint32_t groups, uint32_t copies)
{
    uint32_t i, g, c, k = 0;
    graph_clear(x);
    for (i = 0; i < nodes; i++) {
        for (g = 0; g < groups; g++) {
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 29 < (g < groups / 2 ? 1u : 3u))
                for (c = 0; c < copies; c++) x->group[k++] = g * copies + c;
        }
        x->begin[i + 1] = k;
    }
    x->g.nodes = nodes;
    x->g.groups = groups * copies;
}

static void an_order_is_a_permutation_that_depends_on_structure_only(void)
{
    static uint32_t a[MOST_NODES], b[MOST_NODES];
    static unsigned char seen[MOST_NODES];
    graph *x = &graph_now;
    uint32_t seed, i, llvm;
    for (seed = 0; seed < 40; seed++) {
        for (llvm = 0; llvm <= 19; llvm += 19) {
            graph_random(x, seed, 1 + seed * 13, 1 + seed / 2, 1);
            x->how.llvm = llvm;
            T_EQ(csspgo_bipartite_order(&x->g, &x->how, NULL, a, NULL), CSSPGO_OK);
            memset(seen, 0, sizeof seen);
            for (i = 0; i < x->g.nodes; i++) seen[a[i]]++;
            for (i = 0; i < x->g.nodes && seen[i] == 1;) i++;
            T_EQ(i, x->g.nodes);
            for (i = 0; i < x->begin[x->g.nodes]; i++) x->group[i] = 1000 - x->group[i] * 7 % 1000;   /* other names */
            x->g.groups = 1001;
            T_EQ(csspgo_bipartite_order(&x->g, &x->how, NULL, b, NULL), CSSPGO_OK);
            T_CHECK(memcmp(a, b, x->g.nodes * sizeof *a) == 0);
        }
    }
}

/* Sums of floats differ in their last bits, so only scaling by a power of two is exact; then some that have no ties. */
static void weight_counts_like_copies(void)
{
    static uint32_t a[MOST_NODES], b[MOST_NODES];
    static uint64_t weight[100];
    graph *x = &graph_now;
    uint32_t seed, i, same = 0;
    for (seed = 0; seed < 20; seed++) {
        graph_random(x, seed, 20 + seed * 11, 4 + seed / 2, 1);
        T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, a, NULL), CSSPGO_OK);
        for (i = 0; i < 100; i++) weight[i] = 8;
        x->g.weight = weight;
        T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, b, NULL), CSSPGO_OK);
        T_CHECK(memcmp(a, b, x->g.nodes * sizeof *a) == 0);
    }
    for (seed = 0; seed < 100; seed++) {
        graph_random(x, seed, 12, 3, 10);
        T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, a, NULL), CSSPGO_OK);
        graph_random(x, seed, 12, 3, 1);
        for (i = 0; i < 3; i++) weight[i] = 10;
        x->g.weight = weight;
        T_EQ(csspgo_bipartite_order(&x->g, NULL, NULL, b, NULL), CSSPGO_OK);
        same += memcmp(a, b, 12 * sizeof *a) == 0;
    }
    T_CHECK(same >= 90);
}

static void ordering_survives_every_failing_allocation(void)
{
    uint32_t order[64];
    graph *x = &graph_now;
    long nth;
    graph_random(x, 5, 64, 9, 1);
    for (nth = 1; nth < 100; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status s = csspgo_bipartite_order(&x->g, NULL, &o, order, NULL);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 5 && nth < 100);
}

int main(void)
{
    graphs_are_ordered_as_by_llvm();
    a_graph_that_makes_no_sense_is_refused();
    an_order_is_a_permutation_that_depends_on_structure_only();
    weight_counts_like_copies();
    T_FAILING(ordering_survives_every_failing_allocation());
    return t_end();
}
