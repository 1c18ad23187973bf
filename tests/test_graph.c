/* test_graph.c - layer graph: counts that fit a control-flow graph, blocks that execute equally often. */
#include "t.h"

enum { MAX_BLOCKS = 5, MAX_JUMPS = 7 };

typedef struct graph {
    csspgo_cfg_block block[MAX_BLOCKS];
    csspgo_cfg_edge  jump[MAX_JUMPS];
    size_t n, m;
} graph;

static const csspgo_flow_costs usual = { 150, 150, 150, 150, 1, 2, 1 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void random_graph(uint32_t *state, graph *g)
{
    size_t i;
    memset(g, 0, sizeof *g);
    g->n = 1 + next_random(state) % MAX_BLOCKS;
    g->m = next_random(state) % (g->n + 3 < (size_t)MAX_JUMPS ? g->n + 3 : (size_t)MAX_JUMPS);
    for (i = 0; i < g->n; i++) {
        g->block[i].known = next_random(state) % 3 != 0;
        g->block[i].count = next_random(state) % 4;
        g->block[i].is_exit = next_random(state) % 4 == 0;
    }
    for (i = 0; i < g->m; i++) {
        g->jump[i].from = next_random(state) % (uint32_t)g->n;
        g->jump[i].to = next_random(state) % (uint32_t)g->n;
        g->jump[i].known = next_random(state) % 4 == 0;
        g->jump[i].count = next_random(state) % 4;
        g->jump[i].is_fallthrough = next_random(state) % 2;
    }
}

static uint64_t price(uint64_t is, uint32_t known, uint64_t was, uint32_t more, uint32_t less, uint32_t unknown)
{
    if (!known) return is * unknown;
    return is > was ? (is - was) * more : (was - is) * less;
}

static int leaves(const graph *g, size_t b)
{
    size_t i;
    for (i = 0; i < g->m; i++)
        if (g->jump[i].from == b) return g->block[b].is_exit != 0;
    return 1;
}

/* What counts `flow` on the jumps and `enter` into the function cost; UINT64_MAX if they do not fit. */
static uint64_t total_cost(const graph *g, const uint64_t *flow, uint64_t enter, const csspgo_flow_costs *c)
{
    uint64_t in[MAX_BLOCKS], out[MAX_BLOCKS], sum = 0;
    size_t i;
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    in[0] = enter;
    for (i = 0; i < g->m; i++) {
        in[g->jump[i].to] += flow[i];
        out[g->jump[i].from] += flow[i];
        sum += price(flow[i], g->jump[i].known, g->jump[i].count, c->edge_more, c->edge_less,
                     g->jump[i].is_fallthrough ? c->unknown_fallthrough : c->unknown_edge);
    }
    for (i = 0; i < g->n; i++) {
        if (out[i] > in[i] || (out[i] < in[i] && !leaves(g, i))) return UINT64_MAX;
        sum += price(in[i], g->block[i].known, g->block[i].count, c->block_more, c->block_less, c->unknown_block);
    }
    return sum;
}

/* Every assignment of 0 to 4 to the jumps and the entry. */
static uint64_t cheapest(const graph *g, const csspgo_flow_costs *c)
{
    uint64_t flow[MAX_JUMPS], best = UINT64_MAX, enter;
    size_t i;
    memset(flow, 0, sizeof flow);
    do {
        for (enter = 0; enter <= 4; enter++) {
            const uint64_t cost = total_cost(g, flow, enter, c);
            if (cost < best) best = cost;
        }
        for (i = 0; i < g->m && ++flow[i] > 4; i++) flow[i] = 0;
    } while (i < g->m);
    return best;
}

/* The answer fits, and costs what the solver says. */
static void check_answer(const graph *before, const graph *g, uint64_t cost, const csspgo_flow_costs *c)
{
    uint64_t flow[MAX_JUMPS], in[MAX_BLOCKS], enter;
    size_t i;
    memset(in, 0, sizeof in);
    for (i = 0; i < g->m; i++) in[g->jump[i].to] += flow[i] = g->jump[i].count;
    enter = g->block[0].count - in[0];
    T_CHECK(g->block[0].count >= in[0]);
    for (i = 1; i < g->n; i++) T_EQ(in[i], g->block[i].count);
    T_EQ(total_cost(before, flow, enter, c), cost);
}

static void answers_fit_and_none_is_cheaper(void)
{
    static const csspgo_flow_costs other = { 150, 150, 150, 150, 1, 140, 3 };
    uint32_t state = 12;
    const unsigned rounds = (unsigned)t_size(300, 600);
    unsigned round;
    for (round = 0; round < rounds; round++) {
        const csspgo_flow_costs *c = round & 1 ? &other : NULL;
        graph g, before;
        uint64_t cost = 0;
        random_graph(&state, &g);
        before = g;
        T_EQ(t_solve(t_cfg(g.block, g.n, g.jump, g.m), c, NULL, &cost, NULL), CSSPGO_OK);
        check_answer(&before, &g, cost, c != NULL ? c : &usual);
        T_EQ(cost, cheapest(&before, c != NULL ? c : &usual));
    }
}

/* ----- larger graphs: a solution is the cheapest one if no cycle of single steps saves anything (Bellman, Ford) --- */

enum { LARGE = 40 };

typedef struct step {
    size_t from, to;
    long   cost;
} step;

static size_t steps_of(step *s, size_t from, size_t to, uint64_t is, uint32_t known, uint64_t was, long more, long less,
                       long unknown)
{
    s[0].from = from;
    s[0].to = to;
    s[0].cost = !known ? unknown : is >= was ? more : -less;
    s[1].from = to;
    s[1].to = from;
    s[1].cost = !known ? -unknown : is > was ? -more : less;
    return is != 0 ? 2 : 1;
}

static int has_saving_cycle(const step *s, size_t steps, size_t points)
{
    long distance[2 * LARGE + 1];
    size_t round, i;
    int changed = 1;
    memset(distance, 0, sizeof distance);
    for (round = 0; changed && round <= points; round++)
        for (i = 0, changed = 0; i < steps; i++)
            if (distance[s[i].from] + s[i].cost < distance[s[i].to]) {
                distance[s[i].to] = distance[s[i].from] + s[i].cost;
                changed = 1;
            }
    return changed;
}

static void no_cycle_of_changes_saves_anything(void)
{
    uint32_t state = 77;
    unsigned round;
    for (round = 0; round < 300; round++) {
        csspgo_cfg_block b[LARGE], was[LARGE];
        csspgo_cfg_edge j[3 * LARGE], jumped[3 * LARGE];
        step s[10 * LARGE];
        uint64_t in[LARGE], out[LARGE];
        size_t n = 2 + next_random(&state) % (LARGE - 2), m = next_random(&state) % (3 * n), i, k = 0;
        memset(b, 0, sizeof b);
        memset(j, 0, sizeof j);
        memset(in, 0, sizeof in);
        memset(out, 0, sizeof out);
        for (i = 0; i < n; i++) {
            b[i].known = next_random(&state) % 3 != 0;
            b[i].count = next_random(&state) % 1000;
            b[i].is_exit = 1;
        }
        for (i = 0; i < m; i++) {
            j[i].from = next_random(&state) % (uint32_t)n;
            j[i].to = next_random(&state) % (uint32_t)n;
            j[i].known = next_random(&state) % 3 == 0;
            j[i].count = next_random(&state) % 1000;
            j[i].is_fallthrough = next_random(&state) % 2;
        }
        memcpy(was, b, sizeof was);
        memcpy(jumped, j, sizeof jumped);
        T_EQ(t_solve(t_cfg(b, n, j, m), NULL, NULL, NULL, NULL), CSSPGO_OK);
        for (i = 0; i < m; i++) {
            in[j[i].to] += j[i].count;
            out[j[i].from] += j[i].count;
            k += steps_of(s + k, 2 * j[i].from + 1, 2 * j[i].to, j[i].count, jumped[i].known, jumped[i].count, 150, 150,
                          j[i].is_fallthrough ? 1 : 2);
        }
        k += steps_of(s + k, 2 * n, 0, b[0].count - in[0], 0, 0, 0, 0, 0);
        for (i = 0; i < n; i++) {
            k += steps_of(s + k, 2 * i, 2 * i + 1, b[i].count, was[i].known, was[i].count, 150, 150, 1);
            k += steps_of(s + k, 2 * i + 1, 2 * n, b[i].count - out[i], 0, 0, 0, 0, 0);
            T_CHECK(b[i].count >= out[i] && (i == 0 ? b[i].count >= in[i] : b[i].count == in[i]));
        }
        T_CHECK(!has_saving_cycle(s, k, 2 * n + 1));
    }
}

static void large_counts_are_the_small_ones_times_a_factor(void)
{
    uint32_t state = 5;
    unsigned round;
    for (round = 0; round < 300; round++) {
        const uint64_t factor = (uint64_t)1 << (next_random(&state) % 50);
        graph g, big, big_before;
        uint64_t cost, big_cost;
        size_t i;
        random_graph(&state, &g);
        big = g;
        for (i = 0; i < g.n; i++) big.block[i].count *= factor;
        for (i = 0; i < g.m; i++) big.jump[i].count *= factor;
        big_before = big;
        T_EQ(t_solve(t_cfg(g.block, g.n, g.jump, g.m), NULL, NULL, &cost, NULL), CSSPGO_OK);
        T_EQ(t_solve(t_cfg(big.block, big.n, big.jump, big.m), NULL, NULL, &big_cost, NULL), CSSPGO_OK);
        T_EQ(cost * factor, big_cost);
        check_answer(&big_before, &big, big_cost, &usual);
    }
}

static void an_unknown_block_gets_what_its_neighbours_leave(void)
{
    csspgo_cfg_block b[4];                           /* 0 -> 1 (60) or 2 (?), both -> 3 */
    csspgo_cfg_edge j[4];
    uint64_t cost;
    memset(b, 0, sizeof b);
    memset(j, 0, sizeof j);
    b[0].count = b[3].count = 100;
    b[1].count = 60;
    b[0].known = b[1].known = b[3].known = 1;
    j[0].to = 1;
    j[1].to = 2;
    j[2].from = 1;
    j[3].from = 2;
    j[2].to = j[3].to = 3;
    j[0].is_fallthrough = 1;
    T_EQ(t_solve(t_cfg(b, 4, j, 4), NULL, NULL, &cost, NULL), CSSPGO_OK);
    T_EQ(b[2].count, 40);
    T_EQ(j[1].count, 40);
    T_EQ(b[1].count, 60);
    T_EQ(cost, 60 * 1 + 60 * 2 + 40 * 2 * 2 + 40);
}

/* A chain of diamonds with noise: as large as functions get, and still consistent. */
static void a_long_function_is_solved(void)
{
    enum { DIAMONDS = 400, N = 3 * DIAMONDS + 1, M = 4 * DIAMONDS };
    csspgo_cfg_block *b = (csspgo_cfg_block *)calloc(N, sizeof *b);
    csspgo_cfg_edge *j = (csspgo_cfg_edge *)calloc(M, sizeof *j);
    uint64_t *in = (uint64_t *)calloc(N, sizeof *in);
    uint32_t state = 3, i;
    for (i = 0; i < N; i++) {
        b[i].known = next_random(&state) % 10 != 0;
        b[i].count = (i % 3 == 0 ? 1000000 : 500000) + next_random(&state) % 1000;
    }
    for (i = 0; i < DIAMONDS; i++) {
        j[4 * i].from = j[4 * i + 1].from = 3 * i;
        j[4 * i].to = j[4 * i + 2].from = 3 * i + 1;
        j[4 * i + 1].to = j[4 * i + 3].from = 3 * i + 2;
        j[4 * i + 2].to = j[4 * i + 3].to = 3 * i + 3;
    }
    T_EQ(t_solve(t_cfg(b, N, j, M), NULL, NULL, NULL, NULL), CSSPGO_OK);
    for (i = 0; i < M; i++) in[j[i].to] += j[i].count;
    for (i = 1; i < N; i++) T_EQ(in[i], b[i].count);
    T_CHECK(b[0].count >= 1000000 && b[0].count <= 1002000);
    free(in);
    free(j);
    free(b);
}

/* The default limit leaves room for the graph above; a limit that it reaches leaves the counts as they were. */
static void steps_are_limited(void)
{
    enum { N = 300, M = 600 };
    csspgo_cfg_block b[N], was[N];
    csspgo_cfg_edge j[M], jumped[M];
    csspgo_options o;
    csspgo_error e;
    uint32_t state = 9, i, solved = 0;
    uint64_t cost = 5;
    memset(&o, 0, sizeof o);
    memset(b, 0, sizeof b);
    memset(j, 0, sizeof j);
    for (i = 0; i < N; i++) {
        b[i].known = next_random(&state) % 3 != 0;
        b[i].count = next_random(&state) % 1000;
    }
    for (i = 0; i < M; i++) {
        j[i].from = next_random(&state) % N;
        j[i].to = next_random(&state) % N;
    }
    memcpy(was, b, sizeof b);
    memcpy(jumped, j, sizeof j);
    for (o.limits.max_steps = 1; !solved && o.limits.max_steps < 1u << 28; o.limits.max_steps *= 4) {
        solved = t_solve(t_cfg(b, N, j, M), NULL, &o, &cost, &e) == CSSPGO_OK;
        if (solved) break;
        T_EQ(e.status, CSSPGO_E_LIMIT);
        T_EQ(cost, 5);
        T_CHECK(memcmp(b, was, sizeof b) == 0 && memcmp(j, jumped, sizeof j) == 0);
    }
    T_CHECK(solved && o.limits.max_steps > 10000 && o.limits.max_steps <= 400 * 4 * (N + M));
}

static void bad_arguments_are_refused(void)
{
    csspgo_cfg_block b[2];
    csspgo_cfg_edge j[1];
    csspgo_flow_costs c = usual;
    csspgo_error e;
    memset(b, 0, sizeof b);
    memset(j, 0, sizeof j);
    T_EQ(t_solve(t_cfg(b, 0, j, 0), NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(t_solve(t_cfg(NULL, 2, j, 1), NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    j[0].to = 2;
    T_EQ(t_solve(t_cfg(b, 2, j, 1), NULL, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strcmp(e.message, "csspgo_flow_solve: edge number 0 leads from block 0 to block 2, but the number of blocks "
                              "is 2") == 0);
    j[0].to = 1;
    c.edge_less = 1u << 20;
    T_EQ(t_solve(t_cfg(b, 2, j, 1), &c, NULL, NULL, &e), CSSPGO_E_ARGUMENT);
    b[0].known = 1;
    b[0].count = ((uint64_t)1 << 60) + 1;
    T_EQ(t_solve(t_cfg(b, 2, j, 1), NULL, NULL, NULL, &e), CSSPGO_E_RANGE);
    T_EQ(b[0].count, ((uint64_t)1 << 60) + 1);
    b[0].count--;
    T_EQ(t_solve(t_cfg(b, 2, j, 1), NULL, NULL, NULL, &e), CSSPGO_OK);
    T_EQ(b[1].count, (uint64_t)1 << 60);              /* an unknown jump and block cost less than the count: 3 < 150 */
}

/* ----- classes: what cycles pass through, found by taking blocks away ----- */

enum { BLOCKS = 12, EDGES = 28 };

/* Bit b of row[a]: b may follow a. Block n is all that is outside: exits lead there, and it leads to the entry. */
static void rows_of(const csspgo_cfg *cfg, unsigned row[BLOCKS + 1])
{
    const unsigned n = (unsigned)cfg->blocks;
    unsigned i;
    memset(row, 0, (BLOCKS + 1) * sizeof *row);
    for (i = 0; i < cfg->edges; i++) row[cfg->edge[i].from] |= 1u << cfg->edge[i].to;
    for (i = 0; i < n; i++)
        if (row[i] == 0 || (cfg->block != NULL && cfg->block[i].is_exit)) row[i] |= 1u << n;
    row[n] = 1;
}

/* 1 if some cycle passes through a, but not through `without` (more than BLOCKS: any cycle will do). */
static int on_cycle(const unsigned row[BLOCKS + 1], unsigned a, unsigned without)
{
    unsigned seen = row[a] & ~(1u << without), before = 0, i;
    while (seen != before)
        for (before = seen, i = 0; i <= BLOCKS; i++)
            if (before >> i & 1) seen |= row[i] & ~(1u << without);
    return seen >> a & 1;
}

static void random_cfg(uint32_t *state, csspgo_cfg *cfg, csspgo_cfg_block *block, csspgo_cfg_edge *edge)
{
    const unsigned n = 1 + next_random(state) % BLOCKS, shape = next_random(state) % 3, exits = next_random(state) % 2;
    const size_t edges = next_random(state) % EDGES;
    size_t i;
    memset(block, 0, BLOCKS * sizeof *block);
    memset(edge, 0, EDGES * sizeof *edge);
    *cfg = t_cfg(exits ? block : NULL, n, edge, edges);
    for (i = 0; i < n; i++) block[i].is_exit = next_random(state) % 8 == 0;
    for (i = 0; i < cfg->edges; i++) {
        edge[i].from = next_random(state) % n;        /* short edges, long ones, or both */
        edge[i].to = shape == 0 || (shape == 1 && i % 4 == 0) ? next_random(state) % n
                                                              : (edge[i].from + 1 + next_random(state) % 2) % n;
    }
}

static void blocks_of_a_class_are_on_the_same_cycles(void)
{
    uint32_t state = 5;
    unsigned round, same = 0, none = 0;
    for (round = 0; round < 4000; round++) {
        csspgo_cfg_block block[BLOCKS];
        csspgo_cfg_edge edge[EDGES];
        csspgo_cfg cfg;
        uint32_t eq[BLOCKS], classes = 0;
        unsigned row[BLOCKS + 1], a, b;
        random_cfg(&state, &cfg, block, edge);
        rows_of(&cfg, row);
        T_EQ(csspgo_cfg_classes(&cfg, NULL, eq, NULL), CSSPGO_OK);
        for (a = 0; a < cfg.blocks; a++) {
            T_EQ(eq[a] != 0, on_cycle(row, a, 31));
            T_CHECK(eq[a] <= classes + 1);            /* numbered in the order of their first blocks */
            if (eq[a] > classes) classes = eq[a];
            none += eq[a] == 0;
            for (b = 0; b < a && eq[a] != 0; b++) {
                if (eq[b] == 0) continue;
                T_EQ(eq[a] == eq[b], !on_cycle(row, a, b) && !on_cycle(row, b, a));
                same += eq[a] == eq[b];
            }
        }
    }
    T_CHECK(same > 3000 && none > 3000);
}

/* In each walk from the entry to an exit, no block of a class runs more often than those of the class that it is under. */
static void no_class_runs_more_often_than_the_one_it_is_under(void)
{
    uint32_t state = 9;
    unsigned round, known = 0, walks = 0;
    for (round = 0; round < 3000; round++) {
        csspgo_cfg_block block[BLOCKS];
        csspgo_cfg_edge edge[EDGES];
        csspgo_cfg cfg;
        uint32_t eq[BLOCKS], under[BLOCKS + 1];
        unsigned walk, i;
        random_cfg(&state, &cfg, block, edge);
        T_EQ(csspgo_cfg_classes(&cfg, NULL, eq, NULL), CSSPGO_OK);
        T_EQ(csspgo_cfg_under(&cfg, eq, NULL, under, NULL), CSSPGO_OK);
        T_CHECK(under[0] == 0);
        for (i = 0; i <= cfg.blocks; i++) T_CHECK(under[i] <= cfg.blocks && (under[i] == 0 || under[i] != i));
        for (walk = 0; walk < 20; walk++) {
            unsigned ran[BLOCKS] = { 0 }, of_class[BLOCKS + 1] = { 0 }, at = 0, steps, next;
            for (steps = 0; steps < 200; steps++) {
                ran[at]++;
                for (i = next = 0; i < cfg.edges; i++) next += cfg.edge[i].from == at;
                if (next == 0) break;
                next = next_random(&state) % next;
                for (i = 0; cfg.edge[i].from != at || next-- != 0; i++) {}
                at = cfg.edge[i].to;
            }
            if (steps == 200) continue;               /* no exit in sight */
            walks++;
            for (i = 0; i < cfg.blocks; i++)
                if (ran[i] != 0) of_class[eq[i]] = ran[i];
            for (i = 1; i <= cfg.blocks; i++) {
                if (under[i] == 0 || of_class[i] == 0) continue;
                T_CHECK(of_class[i] <= of_class[under[i]]);
                known++;
            }
        }
    }
    T_CHECK(known > 3000 && walks > 10000);
}

/* A class out of range; no memory. */
static void bad_classes_are_refused(void)
{
    csspgo_cfg_edge e;
    csspgo_cfg cfg;
    csspgo_error err;
    uint32_t eq[2] = { 1, 3 }, under[3] = { 7, 7, 7 };
    memset(&e, 0, sizeof e);
    e.to = 1;
    cfg = t_cfg(NULL, 2, &e, 1);
    T_EQ(csspgo_cfg_under(&cfg, eq, NULL, under, &err), CSSPGO_E_ARGUMENT);
    T_CHECK(under[0] == 7 && err.offset == 1 && strstr(err.message, "a class out of range") != NULL);
}

/* A loop around two blocks and a loop of one: both have the same header, which dominates all and runs more often. */
static void two_loops_of_one_header_are_told_apart(void)
{
    csspgo_cfg_edge e[5];                             /* 0 -> 1; 1 -> 2 -> 1; 1 -> 3 -> 1, 3 -> 4 */
    csspgo_cfg cfg;
    uint32_t eq[5];
    memset(e, 0, sizeof e);
    e[0].to = e[1].from = e[2].to = e[3].from = 1;
    e[1].to = e[2].from = 2;
    e[3].to = e[4].from = 3;
    e[4].to = 4;
    cfg = t_cfg(NULL, 5, e, 5);
    T_EQ(csspgo_cfg_classes(&cfg, NULL, eq, NULL), CSSPGO_OK);
    T_CHECK(eq[0] == 1 && eq[1] == 2 && eq[2] == 3 && eq[3] == 1 && eq[4] == 1);
}

static void classes_of_graphs_with_bad_edges_or_no_blocks(void)
{
    csspgo_cfg_edge e[2];
    csspgo_cfg cfg;
    uint32_t eq[3] = { 7, 7, 7 };
    memset(e, 0, sizeof e);
    e[0].to = e[1].from = 1;
    e[1].to = 3;
    cfg = t_cfg(NULL, 3, e, 2);
    T_EQ(csspgo_cfg_classes(&cfg, NULL, eq, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(eq[0] + eq[1] + eq[2], 21);
    cfg.edges = 1;
    T_EQ(csspgo_cfg_classes(&cfg, NULL, eq, NULL), CSSPGO_OK);
    T_CHECK(eq[0] == 1 && eq[1] == 1 && eq[2] == 0);
    cfg.blocks = cfg.edges = 0;
    T_EQ(csspgo_cfg_classes(&cfg, NULL, eq, NULL), CSSPGO_OK);
}

/* Loops within loops: a header and its latch are a class. The memory is what the interface says. */
static void classes_of_a_long_function(void)
{
    enum { N = 20000 };
    csspgo_cfg_edge *e = (csspgo_cfg_edge *)calloc(2 * N, sizeof *e);
    uint32_t *eq = (uint32_t *)malloc(N * sizeof *eq), i, wrong = 0;
    csspgo_cfg cfg = t_cfg(NULL, N, e, 0);
    csspgo_options o;
    for (i = 0; i + 1 < N; i++) {
        e[cfg.edges].from = i;
        e[cfg.edges++].to = i + 1;
        if (i < N / 2) continue;
        e[cfg.edges].from = i;
        e[cfg.edges++].to = N - 1 - i;
    }
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 150 * N + 41 * cfg.edges;
    T_EQ(csspgo_cfg_classes(&cfg, &o, eq, NULL), CSSPGO_OK);
    for (i = 0; i < N / 2; i++) wrong += eq[i] != i + 1 || eq[N - 1 - i] != i + 1;
    T_EQ(wrong, 0);
    free(e);
    free(eq);
}

static void every_allocation_may_fail_among_classes(void)
{
    csspgo_cfg_edge e[2];
    const csspgo_cfg cfg = t_cfg(NULL, 3, e, 2);
    uint32_t eq[3] = { 7, 7, 7 };
    long nth;
    memset(e, 0, sizeof e);                           /* 0 -> 2 -> 1 */
    e[0].to = e[1].from = 2;
    e[1].to = 1;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status s = csspgo_cfg_classes(&cfg, &o, eq, NULL);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
        T_EQ(eq[0] + eq[1] + eq[2], 21);
    }
    T_LONG(nth > 3);
    T_EQ(eq[0] + eq[1] + eq[2], 3);
}

static void every_allocation_may_fail(void)
{
    long nth;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_cfg_block b[1];
        csspgo_status s;
        memset(b, 0, sizeof b);
        b[0].count = 7;
        b[0].known = 1;
        s = t_solve(t_cfg(b, 1, NULL, 0), NULL, &o, NULL, NULL);
        T_EQ(h.live, 0);
        T_EQ(b[0].count, 7);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth == 4);
}

int main(void)
{
    answers_fit_and_none_is_cheaper();
    no_cycle_of_changes_saves_anything();
    large_counts_are_the_small_ones_times_a_factor();
    an_unknown_block_gets_what_its_neighbours_leave();
    a_long_function_is_solved();
    steps_are_limited();
    bad_arguments_are_refused();
    blocks_of_a_class_are_on_the_same_cycles();
    no_class_runs_more_often_than_the_one_it_is_under();
    bad_classes_are_refused();
    two_loops_of_one_header_are_told_apart();
    classes_of_graphs_with_bad_edges_or_no_blocks();
    classes_of_a_long_function();
    T_FAILING(every_allocation_may_fail());
    T_FAILING(every_allocation_may_fail_among_classes());
    return t_end();
}
