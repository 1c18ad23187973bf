/* test_layout.c - layer layout: traces of first execution, reservoirs, balanced partitioning, orders. */
#include "t.h"
#define CSSPGO_LINKER_ORDER_IMPLEMENTATION
#include "../examples/share/linker_order.h"

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
    T_EQ(csspgo_balanced_partition(&x->g, &x->how, NULL, order, NULL), CSSPGO_OK);
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
    T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, order, &e), CSSPGO_OK);
    x->g.nodes = 2;
    x->begin[1] = 1;
    x->begin[2] = 2;
    x->group[1] = 1000;
    T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, order, &e), CSSPGO_E_ARGUMENT);
    T_EQ(e.offset, 1);
    x->group[1] = 999;
    x->begin[1] = 3;
    T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, order, &e), CSSPGO_E_ARGUMENT);
    x->begin[1] = 1;
    x->how.depth = 31;
    T_EQ(csspgo_balanced_partition(&x->g, &x->how, NULL, order, &e), CSSPGO_E_ARGUMENT);
    x->how.depth = 0;
    x->how.llvm = 18;
    T_EQ(csspgo_balanced_partition(&x->g, &x->how, NULL, order, &e), CSSPGO_E_ARGUMENT);
    T_EQ(order[0], 7);
    T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, order, &e), CSSPGO_OK);
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
    const uint32_t graphs = (uint32_t)t_cases("CSSPGO_GRAPHS", 30, 40);
    uint32_t seed, i, llvm;
    for (seed = 0; seed < graphs; seed++) {
        for (llvm = 0; llvm <= 19; llvm += 19) {
            graph_random(x, seed, 1 + seed * 13, 1 + seed / 2, 1);
            x->how.llvm = llvm;
            T_EQ(csspgo_balanced_partition(&x->g, &x->how, NULL, a, NULL), CSSPGO_OK);
            memset(seen, 0, sizeof seen);
            for (i = 0; i < x->g.nodes; i++) seen[a[i]]++;
            for (i = 0; i < x->g.nodes && seen[i] == 1;) i++;
            T_EQ(i, x->g.nodes);
            for (i = 0; i < x->begin[x->g.nodes]; i++) x->group[i] = 1000 - x->group[i] * 7 % 1000;   /* other names */
            x->g.groups = 1001;
            T_EQ(csspgo_balanced_partition(&x->g, &x->how, NULL, b, NULL), CSSPGO_OK);
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
        T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, a, NULL), CSSPGO_OK);
        for (i = 0; i < 100; i++) weight[i] = 8;
        x->g.weight = weight;
        T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, b, NULL), CSSPGO_OK);
        T_CHECK(memcmp(a, b, x->g.nodes * sizeof *a) == 0);
    }
    for (seed = 0; seed < 100; seed++) {
        graph_random(x, seed, 12, 3, 10);
        T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, a, NULL), CSSPGO_OK);
        graph_random(x, seed, 12, 3, 1);
        for (i = 0; i < 3; i++) weight[i] = 10;
        x->g.weight = weight;
        T_EQ(csspgo_balanced_partition(&x->g, NULL, NULL, b, NULL), CSSPGO_OK);
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
        const csspgo_status s = csspgo_balanced_partition(&x->g, NULL, &o, order, NULL);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 5 && nth < 100);
}

/* ----- traces, text ----- */

static csspgo_layout *layout_of(uint32_t llvm, long reservoir, long length)
{
    csspgo_layout_options o;
    csspgo_layout *l;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    o.limit_traces = reservoir >= 0;
    o.max_traces = (uint32_t)(reservoir >= 0 ? reservoir : 0);
    o.limit_length = length >= 0;
    o.max_length = (uint32_t)(length >= 0 ? length : 0);
    l = csspgo_layout_new(&o, NULL, NULL);
    if (l == NULL) abort();
    return l;
}

static csspgo_status add_text(csspgo_layout *l, const char *text, csspgo_error *e)
{
    unsigned char *exact = t_copy(text, strlen(text));
    const csspgo_status s = csspgo_layout_read(l, exact, strlen(text), e);
    free(exact);
    return s;
}

static char *text_of(const csspgo_layout *l, size_t *size)
{
    char *text;
    csspgo_layout_write(l, NULL, 0, size, NULL);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    text[*size] = '\0';
    T_EQ(csspgo_layout_write(l, text, *size, size, NULL), CSSPGO_OK);
    return text;
}

static void expect_text(const csspgo_layout *l, const char *what, const char *want, size_t want_size)
{
    size_t size;
    char *text = text_of(l, &size);
    t_same(what, text, size, want, want_size);
    free(text);
}

/* Reads a text and expects another one. */
static void text_becomes(uint32_t llvm, const char *in, const char *out)
{
    csspgo_layout *l = layout_of(llvm, -1, -1);
    csspgo_error e;
    if (!T_EQ(add_text(l, in, &e), CSSPGO_OK)) fprintf(stderr, "    %s\n", e.message);
    expect_text(l, in, out, strlen(out));
    csspgo_layout_free(l);
}

static void text_is_read_and_written_as_by_llvm(void)
{
    static const char *const name[] = { "basic.in", "basic.canon", "run_merged", "run_blockcov", "o40", "o300", "o1000" };
    size_t i, size, want_size;
    for (i = 0; i < sizeof name / sizeof *name; i++) {
        char path[100], *text, *want;
        csspgo_layout *l = layout_of(0, -1, -1);
        sprintf(path, DATA "%s.proftext", name[i]);
        text = t_file(path, &size);
        if (i == 0) want = t_file(DATA "basic.canon.proftext", &want_size);
        else want = text, want_size = size;
        T_EQ(csspgo_layout_read(l, text, size, NULL), CSSPGO_OK);
        if (i < 4) expect_text(l, path, want, want_size);
        else {                                        /* not in LLVM's form: a second time nothing changes */
            csspgo_layout *m = layout_of(0, -1, -1);
            char *once = text_of(l, &size);
            T_EQ(csspgo_layout_read(m, once, size, NULL), CSSPGO_OK);
            expect_text(m, path, once, size);
            free(once);
            csspgo_layout_free(m);
        }
        if (want != text) free(want);
        free(text);
        csspgo_layout_free(l);
    }
}

#define BLOCK(n, stream) ":temporal_prof_traces\n# Num Temporal Profile Traces:\n" n                                   \
                         "\n# Temporal Profile Trace Stream Size:\n" stream "\n"
#define RECORD(name, hash, value) name "\n# Func Hash:\n" hash "\n# Num Counters:\n1\n# Counter Values:\n" value "\n\n"
#define IR "# IR level Instrumentation Flag\n:ir\n"

static void the_rows_of_the_grammar(void)
{
    text_becomes(0, ":IR\n:Temporal_Prof_Traces\n0x2\n010\n# c\n\n0b11\n  a , b,,\t,b\n1\na,\n",
                 IR BLOCK("2", "2") "# Weight:\n3\na,b,b,\n# Weight:\n1\na,\n\n" RECORD("a", "0", "1")
                 RECORD("b", "0", "1"));
    text_becomes(19, ":ir\n:temporal_prof_traces\n1\n1\n1\na,b,c\nb\n0x10\n1\n7\n",
                 IR BLOCK("1", "1") "# Weight:\n1\n,b,,\n\n" RECORD("b", "16", "7"));
    text_becomes(0, ":temporal_prof_traces\r\n0\r\n0\r\n:csir\r\n:entry_first\r\n",
                 "# CSIR level Instrumentation Flag\n:csir\n# Always instrument the function entry block\n:entry_first\n"
                 BLOCK("0", "0") "\n");
    text_becomes(0, "f\n1\n1\n5\nf\n1\n1\n18446744073709551613\nf\n2\n1\n1\n", RECORD("f", "1", "18446744073709551613")
                 RECORD("f", "2", "1"));
    text_becomes(0, "f\n1\n1\n5\n$ 2\n0x1\n255\n2\n0\n2\n1\na:b:7\n0\n1\n1\n1\n9:9\ng\n3\n1\n4\n", RECORD("f", "1", "5")
                 RECORD("g", "3", "4"));
}

/* What one file says of its instrumentation stays when another one does not say it. */
static void kinds_of_files_add_up(void)
{
    static const char *const file[] = { ":ir\n:entry_first\n:temporal_prof_traces\n1\n1\n1\na\n",
                                        ":ir\n:temporal_prof_traces\n1\n1\n1\na\n" };
    int first;
    for (first = 0; first < 2; first++) {
        csspgo_layout *l = layout_of(0, -1, -1);
        size_t size;
        char *text;
        T_EQ(add_text(l, file[first], NULL), CSSPGO_OK);
        T_EQ(add_text(l, file[1 - first], NULL), CSSPGO_OK);
        text = text_of(l, &size);
        T_MSG(strstr(text, ":entry_first") != NULL, text);
        free(text);
        csspgo_layout_free(l);
    }
}

static void names_have_at_most_the_length_of_the_limit(void)
{
    csspgo_options o;
    csspgo_layout *l;
    memset(&o, 0, sizeof o);
    o.limits.max_name = 4;
    l = csspgo_layout_new(NULL, &o, NULL);
    T_EQ(add_text(l, ":temporal_prof_traces\n1\n1\n1\nabcd\n", NULL), CSSPGO_OK);
    T_EQ(add_text(l, ":temporal_prof_traces\n1\n1\n1\nabcde\n", NULL), CSSPGO_E_LIMIT);
    csspgo_layout_free(l);
}

static void bad_text_is_refused_where_it_is_bad(void)
{
    static const struct { const char *text; csspgo_status status; uint32_t line; uint64_t offset; } bad[] = {
        { ":ir\n:temporal_prof_traces\n:ir\n1\n", CSSPGO_E_SYNTAX, 3, 26 },
        { ":temporal_prof_traces\n-1\n", CSSPGO_E_SYNTAX, 2, 22 },
        { ":temporal_prof_traces\n4294967296\n", CSSPGO_E_SYNTAX, 2, 22 },
        { ":temporal_prof_traces\n", CSSPGO_E_TRUNCATED, 1, 22 },
        { ":temporal_prof_traces\n1\n1\n1\n", CSSPGO_E_TRUNCATED, 4, 28 },
        { ":temporal_prof_traces\n2\n1\n1\na,\nb\n1\n1\n1\n", CSSPGO_E_SYNTAX, 6, 31 },
        { ":temporal_prof_traces\n1\n1\n18446744073709551616\na\n", CSSPGO_E_SYNTAX, 4, 26 },
        { ":bogus\n", CSSPGO_E_SYNTAX, 1, 0 },
        { ":xr\n", CSSPGO_E_SYNTAX, 1, 0 },
        { "f\n", CSSPGO_E_TRUNCATED, 1, 2 },
        { "f\n1\n0\n", CSSPGO_E_SYNTAX, 3, 6 },
        { "f\n1\n2\n1\n", CSSPGO_E_TRUNCATED, 4, 8 },
        { "f\n1\n1\n1\n4\n", CSSPGO_E_SYNTAX, 5, 8 },
        { "f\n1\n1\n1\n1\n0\n1\n1\nab\n", CSSPGO_E_SYNTAX, 9, 16 },
        { "f\n1\n1\n1\n$x\n", CSSPGO_E_SYNTAX, 5, 8 },
        { "f\n1\n1\n1\n$1\n256\n", CSSPGO_E_SYNTAX, 6, 11 },
        { "", CSSPGO_E_TRUNCATED, 0, 0 }
    };
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_error e;
    size_t i, size;
    char *before, *after;
    T_EQ(add_text(l, ":temporal_prof_traces\n1\n1\n1\na,b\n", NULL), CSSPGO_OK);
    before = text_of(l, &size);
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (!(T_EQ(add_text(l, bad[i].text, &e), bad[i].status) & T_EQ(e.status, bad[i].status) &
              T_EQ(e.line, bad[i].line) & T_EQ(e.offset, bad[i].offset)))
            fprintf(stderr, "    %lu: %s\n", (unsigned long)i, e.message);
        T_CHECK(e.message[0] != '\0');
    }
    after = text_of(l, &size);
    T_CHECK(strcmp(before, after) == 0);
    free(before);
    free(after);
    csspgo_layout_free(l);
}

static void names_are_not_lost(void)
{
    uint64_t id[3] = { csspgo_guid("a", 1), 0x1234, csspgo_guid("b", 1) };
    csspgo_trace trace;
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_layout_stats s;
    size_t size;
    const char *name;
    trace.id = id;
    trace.count = 3;
    trace.weight = 7;
    T_EQ(csspgo_layout_add(l, &trace, 1, 0, NULL), CSSPGO_OK);
    T_CHECK(csspgo_layout_name(l, id[0], &size) == NULL);
    T_EQ(csspgo_layout_add_name(l, "a", 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_add_name(l, "a", 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_add_name(l, "unused", 6, NULL), CSSPGO_OK);
    name = csspgo_layout_name(l, id[0], &size);
    T_CHECK(name != NULL && size == 1 && name[0] == 'a');
    expect_text(l, "ids", IR BLOCK("1", "1") "# Weight:\n7\n# without name: 0x1234\n# without name: 0xec2faee6fe5feb92\na,\n\n"
                RECORD("a", "0", "1"), strlen(IR BLOCK("1", "1") "# Weight:\n7\n# without name: 0x1234\n"
                "# without name: 0xec2faee6fe5feb92\na,\n\n" RECORD("a", "0", "1")));
    s = csspgo_layout_get_stats(l);
    T_EQ(s.functions, 4);
    T_EQ(s.names, 2);
    T_EQ(s.entries, 3);
    csspgo_layout_free(l);
    l = layout_of(0, -1, -1);
    T_EQ(csspgo_layout_add_name(l, "a,b", 3, NULL), CSSPGO_OK);
    trace.count = 1;
    id[0] = csspgo_guid("a,b", 3);
    T_EQ(csspgo_layout_add(l, &trace, 1, 0, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_write(l, NULL, 0, &size, NULL), CSSPGO_E_UNSUPPORTED);
    csspgo_layout_free(l);
}

/* A name of any bytes is written so that it reads back, or refused; plain names never are. */
static void names_read_back_or_are_refused(void)
{
    static const char bytes[] = "a1,\n#:$ ";
    size_t n, of, i;
    for (n = 0; n < 8 + 64 + 512; n++) {
        char name[4] = "";
        const size_t size = n < 8 ? 1 : n < 72 ? 2 : 3;
        csspgo_layout *l = layout_of(0, -1, -1), *back = layout_of(0, -1, -1);
        uint64_t id;
        csspgo_trace trace;
        csspgo_status s;
        for (i = 0, of = n; i < size; i++, of /= 8) name[i] = bytes[of % 8];
        id = csspgo_guid(name, size);
        trace.id = &id;
        trace.count = 1;
        trace.weight = 1;
        T_EQ(csspgo_layout_add_name(l, name, size, NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_add(l, &trace, 1, 0, NULL), CSSPGO_OK);
        s = csspgo_layout_write(l, NULL, 0, &of, NULL);
        if (memchr(name, ',', size) != NULL || memchr(name, '\n', size) != NULL) T_EQ(s, CSSPGO_E_UNSUPPORTED);
        if (name[0] == 'a' && strcspn(name, ",\n# ") == size && memchr(name, ':', size) == NULL) T_EQ(s, CSSPGO_OK);
        if (s == CSSPGO_OK) {
            char *text = text_of(l, &of);
            const char *got;
            T_EQ(csspgo_layout_read(back, text, of, NULL), CSSPGO_OK);
            got = csspgo_layout_name(back, id, &of);
            T_CHECK(got != NULL && of == size && memcmp(got, name, size) == 0);
            free(text);
        } else T_EQ(s, CSSPGO_E_UNSUPPORTED);
        csspgo_layout_free(back);
        csspgo_layout_free(l);
    }
}

static void an_unknown_rule_is_refused(void)
{
    csspgo_layout_options o;
    csspgo_error e;
    memset(&o, 0, sizeof o);
    o.llvm = 24;
    T_CHECK(csspgo_layout_new(&o, NULL, &e) == NULL);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    csspgo_layout_free(NULL);
}

/* ----- reservoirs ----- */

/* The traces as lines "WEIGHT name,name"; then the stream's size. */
static void expect_traces(const csspgo_layout *l, const char *want, const char *what)
{
    static char text[1 << 16];
    uint64_t id[64], weight;
    size_t i, k, n, size, at = 0;
    for (i = 0; i < csspgo_layout_get_stats(l).traces; i++) {
        n = csspgo_layout_trace(l, i, id, 64, &weight);
        at += (size_t)sprintf(text + at, "%u", (unsigned)weight);
        for (k = 0; k < n; k++) {
            const char *name = csspgo_layout_name(l, id[k], &size);
            at += (size_t)sprintf(text + at, "%c%.*s", k == 0 ? ' ' : ',', (int)size, name);
        }
        text[at++] = '\n';
    }
    at += (size_t)sprintf(text + at, "%lu\n", (unsigned long)csspgo_layout_get_stats(l).stream);
    t_same(what, text, at, want, strlen(want));
}

static csspgo_layout *reservoir;
static char source[1 << 14], expected[1 << 14];
static size_t source_at, source_traces;
static unsigned long source_stream;

static void source_end(void)
{
    char head[100];
    if (source_at == 0 && source_traces == 0 && source_stream == 0) return;
    sprintf(head, ":temporal_prof_traces\n%lu\n%lu\n", (unsigned long)source_traces, source_stream);
    memmove(source + strlen(head), source, source_at + 1);
    memcpy(source, head, strlen(head));
    T_EQ(add_text(reservoir, source, NULL), CSSPGO_OK);
    source_at = source_traces = 0;
    source[0] = '\0';
    source_stream = 0;
}

static void reservoir_end(const char *what)
{
    if (reservoir == NULL) return;
    expect_traces(reservoir, expected, what);
    csspgo_layout_free(reservoir);
    reservoir = NULL;
}

static void reservoirs_are_merged_as_by_llvm(void)
{
    size_t size, cases = 0, out = 0, n = 0;
    unsigned long stream = 0;
    char *text = t_file(DATA "reservoir.txt", &size), *at = text, *line, what[40] = "";
    while ((line = next_line(&at)) != NULL) {
        char *blank = strchr(line, ' ');
        if (starts(line, "#")) continue;
        if (starts(line, "case")) {
            long r, most;
            if (cases++ != 0) sprintf(expected + n, "%lu\n", stream);
            reservoir_end(what);
            T_EQ(sscanf(line, "case %ld %ld", &r, &most), 2);
            sprintf(what, "reservoir.txt, case %lu", (unsigned long)cases);
            reservoir = layout_of(19, r, most);
            out = n = 0;
        } else if (starts(line, "in ")) {
            source_end();
            source_stream = strtoul(line + 3, NULL, 10);
        } else if (starts(line, "out ")) {
            source_end();
            stream = strtoul(line + 4, NULL, 10);
            out = 1;
        } else if (out) n += (size_t)sprintf(expected + n, "%s\n", line);
        else if (blank != NULL) {
            source_at += (size_t)sprintf(source + source_at, "%.*s\n%s\n", (int)(blank - line), line, blank + 1);
            source_traces++;
        }
    }
    sprintf(expected + n, "%lu\n", stream);
    reservoir_end(what);
    T_EQ(cases, 24);
    free(text);
}

/* Offers single traces "1 fN" for N in [from, to). */
static void offer(csspgo_layout *l, unsigned from, unsigned to, uint64_t stream)
{
    uint64_t id[200];
    csspgo_trace trace[200];
    char name[20];
    unsigned i;
    for (i = from; i < to; i++) {
        sprintf(name, "f%u", i);
        id[i - from] = csspgo_guid(name, strlen(name));
        T_EQ(csspgo_layout_add_name(l, name, strlen(name), NULL), CSSPGO_OK);
        trace[i - from].id = &id[i - from];
        trace[i - from].count = 1;
        trace[i - from].weight = 1;
    }
    T_EQ(csspgo_layout_add(l, trace, to - from, stream, NULL), CSSPGO_OK);
}

static void our_reservoir_never_holds_more_than_it_may(void)
{
    unsigned from, most;
    for (most = 0; most < 5; most++) {
        csspgo_layout *l = layout_of(0, (long)most, -1);
        for (from = 0; from < 60; from += 6) {
            offer(l, from, from + 6, from % 5 == 0 ? 90 : 0);
            T_CHECK(csspgo_layout_get_stats(l).traces <= most);
        }
        csspgo_layout_free(l);
    }
}

/* Each of 20 traces is kept by a reservoir of 5 in a quarter of 4000 merges, give or take four standard deviations. */
static void every_trace_has_the_same_chance(void)
{
    unsigned kept[20], i, k, seed;
    memset(kept, 0, sizeof kept);
    for (seed = 1; seed <= 4000; seed++) {
        csspgo_layout_options o;
        csspgo_layout *l;
        memset(&o, 0, sizeof o);
        o.limit_traces = 1;
        o.max_traces = 5;
        o.seed = seed;
        l = csspgo_layout_new(&o, NULL, NULL);
        for (i = 0; i < 20; i += 4) offer(l, i, i + 4, 0);
        T_EQ(csspgo_layout_get_stats(l).stream, 20);
        for (i = 0; i < 5; i++) {
            uint64_t id;
            size_t size;
            csspgo_layout_trace(l, i, &id, 1, NULL);
            k = (unsigned)atoi(csspgo_layout_name(l, id, &size) + 1);
            if (k < 20) kept[k]++;
        }
        csspgo_layout_free(l);
    }
    for (i = 0; i < 20; i++) T_CHECK(kept[i] > 890 && kept[i] < 1110);
}

/* LLVM 22: 8 traces seen, 4 kept, after the limit went from 2 to 4. */
static void llvm_22_fills_up_again(void)
{
    csspgo_layout *two = layout_of(22, 2, -1), *four = layout_of(22, 4, -1), *old = layout_of(19, 4, -1);
    offer(two, 0, 4, 0);
    T_EQ(csspgo_layout_get_stats(two).traces, 2);
    T_EQ(csspgo_layout_get_stats(two).stream, 4);
    T_EQ(csspgo_layout_merge(four, two, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_get_stats(four).traces, 2);
    offer(four, 4, 8, 0);
    T_EQ(csspgo_layout_get_stats(four).traces, 4);
    T_EQ(csspgo_layout_get_stats(four).stream, 8);
    T_EQ(csspgo_layout_merge(old, two, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_merge(four, old, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_get_stats(four).traces, 4);
    T_EQ(csspgo_layout_get_stats(four).stream, 10);
    csspgo_layout_free(two);
    csspgo_layout_free(four);
    csspgo_layout_free(old);
}

static void a_stream_beyond_all_counting_is_refused(void)
{
    csspgo_layout *l = layout_of(19, 2, -1);
    offer(l, 0, 3, UINT64_MAX);
    T_EQ(csspgo_layout_get_stats(l).stream, UINT64_MAX);
    offer(l, 3, 4, 0);
    T_EQ(csspgo_layout_get_stats(l).stream, UINT64_MAX);
    T_EQ(add_text(l, ":temporal_prof_traces\n1\n0xffffffffffffffff\n1\na\n", NULL), CSSPGO_E_LIMIT);
    csspgo_layout_free(l);
}

static void as_long_as_all_are_kept_grouping_does_not_matter(void)
{
    csspgo_layout *a = layout_of(0, -1, -1), *b = layout_of(0, -1, -1), *c = layout_of(0, -1, -1);
    size_t size;
    char *text;
    offer(a, 0, 30, 0);
    offer(b, 0, 10, 0);
    offer(c, 10, 20, 0);
    offer(c, 20, 30, 0);
    T_EQ(csspgo_layout_merge(b, c, NULL), CSSPGO_OK);
    text = text_of(a, &size);
    expect_text(b, "in other groups", text, size);
    free(text);
    csspgo_layout_free(a);
    csspgo_layout_free(b);
    csspgo_layout_free(c);
}

static void merging_survives_every_failing_allocation(void)
{
    static const char text[] = ":temporal_prof_traces\n3\n3\n1\na,b,c\n2\nb\n1\nc,d,e,f,g,h,i,j,k,l\na\n1\n2\n3\n4\n";
    csspgo_layout *other = layout_of(0, -1, -1);
    long nth;
    offer(other, 0, 5, 0);
    T_EQ(add_text(other, text, NULL), CSSPGO_OK);
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_layout *l = csspgo_layout_new(NULL, &o, NULL);
        csspgo_layout_stats before, after;
        csspgo_status s = l != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
        size_t size;
        if (s == CSSPGO_OK) s = add_text(l, text, NULL);
        if (s == CSSPGO_OK) {
            before = csspgo_layout_get_stats(l);
            s = csspgo_layout_merge(l, other, NULL);
            after = csspgo_layout_get_stats(l);
            if (s != CSSPGO_OK) T_CHECK(memcmp(&before, &after, sizeof before) == 0);
        }
        if (s == CSSPGO_OK) s = csspgo_layout_write(l, NULL, 0, &size, NULL);
        if (s == CSSPGO_OK) T_EQ(csspgo_layout_get_stats(l).traces, 11);
        csspgo_layout_free(l);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 20 && nth < 1000);
    csspgo_layout_free(other);
}

/* ----- orders ----- */

static csspgo_layout *layout_of_file(const char *name)
{
    char path[100];
    size_t size;
    char *text;
    csspgo_layout *l = layout_of(0, 1 << 20, 1 << 20);
    sprintf(path, DATA "%s", name);
    text = t_file(path, &size);
    T_EQ(csspgo_layout_read(l, text, size, NULL), CSSPGO_OK);
    free(text);
    return l;
}

static char *order_text(const csspgo_layout *l, const uint64_t *id, size_t count, const csspgo_layout_format *how,
                        size_t *size)
{
    char *text;
    csspgo_layout_write_order(l, id, count, how, NULL, 0, size, NULL);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    text[*size] = '\0';
    T_EQ(csspgo_layout_write_order(l, id, count, how, text, *size, size, NULL), CSSPGO_OK);
    return text;
}

static void order_is(const char *name, uint32_t tests, uint64_t area_19, uint64_t area)
{
    static uint64_t id[2000];
    char path[100], *want, *text, *begin;
    size_t count, size, want_size;
    csspgo_layout *l;
    csspgo_layout_order_options how;
    csspgo_layout_evaluate_options test;
    csspgo_layout_score score;
    csspgo_layout_format form;
    memset(&how, 0, sizeof how);
    memset(&form, 0, sizeof form);
    memset(&test, 0, sizeof test);
    sprintf(path, "%s.proftext", name);
    l = layout_of_file(path);
    how.test_traces = test.test_traces = tests;
    form.llvm = how.partition.llvm = 19;
    T_EQ(csspgo_layout_order(l, &how, id, 2000, &count, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_evaluate(l, id, count, &test, &score, NULL), CSSPGO_OK);
    form.has_area = tests != 0;
    form.area = score.area;
    if (tests != 0) T_EQ(score.area, area_19);
    sprintf(path, DATA "%s.order19.%s%u.txt", name, starts(name, "basic") ? "" : "h", (unsigned)tests);
    if (starts(name, "basic")) strcpy(path, DATA "basic.order19.txt");
    want = t_file(path, &want_size);
    text = order_text(l, id, count, &form, &size);
    t_same(path, text, size, want, want_size);
    free(text);
    free(want);
    if (!starts(name, "basic")) {
        how.partition.llvm = 0;
        T_EQ(csspgo_layout_order(l, &how, id, 2000, &count, NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_evaluate(l, id, count, &test, &score, NULL), CSSPGO_OK);
        if (tests != 0) T_EQ(score.area, area);
        sprintf(path, DATA "%s.order20.h%u.txt", name, (unsigned)tests);
        want = t_file(path, &want_size);
        text = order_text(l, id, count, NULL, &size);
        begin = strchr(text, '\n') + 1;
        t_same(path, begin, size - (size_t)(begin - text), want, want_size);
        free(text);
        free(want);
    }
    csspgo_layout_free(l);
}

static void orders_are_those_of_llvm(void)
{
    csspgo_layout *l = layout_of_file("o40.proftext");
    csspgo_layout_order_options how;
    csspgo_error e;
    uint64_t id[40];
    size_t count;
    order_is("basic.in", 0, 0, 0);
    order_is("o40", 0, 0, 0);
    order_is("o40", 1, 14, 14);
    order_is("o300", 0, 0, 0);
    order_is("o300", 4, 3950, 3942);
    order_is("o1000", 0, 0, 0);
    order_is("o1000", 4, 51669, 51853);
    memset(&how, 0, sizeof how);
    how.test_traces = 5;
    T_EQ(csspgo_layout_order(l, &how, id, 40, &count, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_layout_order(l, NULL, id, 39, &count, &e), CSSPGO_E_SHORT);
    T_EQ(count, 40);
    T_EQ(csspgo_layout_order(l, NULL, NULL, 0, &count, &e), CSSPGO_OK);
    T_EQ(count, 40);
    csspgo_layout_free(l);
    l = layout_of(0, -1, -1);
    T_EQ(csspgo_layout_order(l, NULL, NULL, 0, &count, &e), CSSPGO_OK);
    T_EQ(count, 0);
    csspgo_layout_free(l);
}

/* Test bar of areas: orders by first sight and by name, as in areas.tsv. */
static void areas_are_those_of_llvm(void)
{
    static const struct { const char *name; uint32_t tests; uint64_t seen, alphabetical; } want[] = {
        { "o40.proftext", 1, 14, 25 }, { "o300.proftext", 4, 4062, 6827 }, { "o1000.proftext", 4, 61332, 90026 }
    };
    static uint64_t id[2000];
    size_t i, k, n, j;
    for (i = 0; i < 3; i++) {
        csspgo_layout *l = layout_of_file(want[i].name);
        csspgo_layout_order_options how;
        csspgo_layout_evaluate_options test;
        csspgo_layout_score score;
        memset(&how, 0, sizeof how);
        memset(&test, 0, sizeof test);
        how.test_traces = test.test_traces = want[i].tests;
        how.partition.skip = 1;                       /* nothing moves: the order of first sight */
        T_EQ(csspgo_layout_order(l, &how, id, 2000, &n, NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_evaluate(l, id, n, &test, &score, NULL), CSSPGO_OK);
        T_EQ(score.area, want[i].seen);
        T_EQ(score.traces, want[i].tests);
        for (k = 1; k < n; k++)
            for (j = k; j > 0; j--) {
                size_t a, b;
                const char *x = csspgo_layout_name(l, id[j - 1], &a), *y = csspgo_layout_name(l, id[j], &b);
                const int c = memcmp(x, y, a < b ? a : b);
                const uint64_t v = id[j];
                if (c < 0 || (c == 0 && a <= b)) break;
                id[j] = id[j - 1];
                id[j - 1] = v;
            }
        T_EQ(csspgo_layout_evaluate(l, id, n, &test, &score, NULL), CSSPGO_OK);
        T_EQ(score.area, want[i].alphabetical);
        T_CHECK(score.pages_10 <= score.pages_50 && score.pages_50 <= score.pages && score.pages <= 4 * (n / 32 + 1));
        csspgo_layout_free(l);
    }
}

static void symbols(csspgo_layout *l, const char *const *name, size_t n, uint64_t size)
{
    csspgo_layout_symbol s[64];
    size_t i;
    for (i = 0; i < n; i++) {
        s[i].name = name[i];
        s[i].name_size = strlen(name[i]);
        s[i].size_bytes = size;
    }
    T_EQ(csspgo_layout_add_symbols(l, s, n, NULL), CSSPGO_OK);
}

static void symbol_is(const csspgo_layout *l, const char *function, size_t i, const char *want)
{
    size_t size;
    const char *name = csspgo_layout_get_symbol(l, csspgo_guid(function, strlen(function)), i, &size, NULL);
    if (want == NULL) T_CHECK(name == NULL && size == 0);
    else if (T_CHECK(name != NULL)) t_same(function, name, size, want, strlen(want));
}

static const char *const binary[] = { "other", "main", "hid.llvm.77", "hid.__uniq.12", "hid.__uniq.13.llvm.9", "work",
                                      "work.llvm.1", "odd.llvm.", "odd.llvm.x1", ".llvm.5" };

static const char *const local_text = ":temporal_prof_traces\n1\n1\n1\nmain,st.c;hid,work.llvm.3,gone,;x,odd\n";

static void functions_find_their_symbols(void)
{
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_layout_found r;
    uint64_t bytes;
    size_t size;
    T_EQ(add_text(l, local_text, NULL), CSSPGO_OK);
    symbols(l, binary, 10, 100);
    symbols(l, binary, 10, 5);                        /* known already */
    symbol_is(l, "main", 0, "main");
    symbol_is(l, "main", 1, NULL);
    symbol_is(l, "st.c;hid", 0, "hid.llvm.77");
    symbol_is(l, "st.c;hid", 1, "hid.__uniq.12");
    symbol_is(l, "st.c;hid", 2, "hid.__uniq.13.llvm.9");
    symbol_is(l, "st.c;hid", 3, NULL);
    symbol_is(l, "work.llvm.3", 0, "work");
    symbol_is(l, "work.llvm.3", 1, "work.llvm.1");
    symbol_is(l, "odd", 0, NULL);
    symbol_is(l, "gone", 0, NULL);
    symbol_is(l, "never", 0, NULL);
    csspgo_layout_get_symbol(l, csspgo_guid("main", 4), 0, &size, &bytes);
    T_EQ(bytes, 100);
    T_EQ(csspgo_layout_resolve(l, &r, NULL), CSSPGO_OK);
    T_EQ(r.functions, 6);
    T_EQ(r.exact, 1);
    T_EQ(r.stripped, 2);
    T_EQ(r.nameless, 0);
    T_EQ(r.symbols, 10);
    T_EQ(csspgo_layout_get_stats(l).symbols, 10);
    T_CHECK(!csspgo_layout_has_counters(l, csspgo_guid("main", 4)));
    T_EQ(add_text(l, "main\n1\n1\n5\n", NULL), CSSPGO_OK);
    T_CHECK(csspgo_layout_has_counters(l, csspgo_guid("main", 4)));
    T_CHECK(!csspgo_layout_has_counters(l, csspgo_guid("odd", 3)) && !csspgo_layout_has_counters(l, 1));
    csspgo_layout_free(l);
}

static void order_becomes(const csspgo_layout *l, uint32_t form, const char *want)
{
    uint64_t id[16];
    size_t n, size;
    csspgo_layout_format how;
    char *text;
    memset(&how, 0, sizeof how);
    how.form = form;
    how.has_area = 1;
    how.area = UINT64_C(12345678949);
    T_EQ(csspgo_layout_order(l, NULL, id, 16, &n, NULL), CSSPGO_OK);
    text = order_text(l, id, n, &how, &size);
    t_same("order", text, size, want, strlen(want));
    free(text);
}

static void every_linker_gets_its_form(void)
{
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_layout_format how;
    uint64_t id = 0x12ab;
    csspgo_trace trace;
    size_t size;
    char buf[8];
    T_EQ(add_text(l, ":temporal_prof_traces\n1\n1\n1\nmain,st.c;hid,gone\n", NULL), CSSPGO_OK);
    trace.id = &id;
    trace.count = 1;
    trace.weight = 1;
    T_EQ(csspgo_layout_add(l, &trace, 1, 0, NULL), CSSPGO_OK);
    order_becomes(l, CSSPGO_ORDER_LLD, "# Ordered 4 functions\n# Total area under the page fault curve: 1.234568e+10\n"
                  "# 0x12ab\nmain\n# st.c\nhid\ngone\n");
    symbols(l, binary, 10, 100);
    order_becomes(l, CSSPGO_ORDER_GOLD, "# Ordered 4 functions\n# Total area under the page fault curve: 1.234568e+10\n"
                  "# 0x12ab\n.text.main\n# st.c\n.text.hid.llvm.77\n.text.hid.__uniq.12\n.text.hid.__uniq.13.llvm.9\n"
                  "# not in the binary: gone\n");
    order_becomes(l, CSSPGO_ORDER_MACHO, "# Ordered 4 functions\n# Total area under the page fault curve: 1.234568e+10\n"
                  "# 0x12ab\n_main\n# st.c\n_hid.llvm.77\n_hid.__uniq.12\n_hid.__uniq.13.llvm.9\n"
                  "# not in the binary: gone\n");
    order_becomes(l, CSSPGO_ORDER_MSVC, "; Ordered 4 functions\n; Total area under the page fault curve: 1.234568e+10\n"
                  "; 0x12ab\nmain\n; local: st.c;hid\n; not in the binary: gone\n");
    order_becomes(l, CSSPGO_ORDER_GNULD, "/* Ordered 4 functions */\n"
                  "/* Total area under the page fault curve: 1.234568e+10 */\n/* 0x12ab */\n*(.text.main)\n/* st.c */\n"
                  "*(.text.hid.llvm.77)\n*(.text.hid.__uniq.12)\n*(.text.hid.__uniq.13.llvm.9)\n"
                  "/* not in the binary: gone */\n");
    memset(&how, 0, sizeof how);
    how.form = 5;
    T_EQ(csspgo_layout_write_order(l, NULL, 0, &how, NULL, 0, &size, NULL), CSSPGO_E_ARGUMENT);
    how.form = 1;
    how.llvm = 19;
    T_EQ(csspgo_layout_write_order(l, NULL, 0, &how, NULL, 0, &size, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_layout_write_order(l, NULL, 0, NULL, buf, 8, &size, NULL), CSSPGO_E_SHORT);
    T_EQ(size, 22);
    csspgo_layout_free(l);
}

static void area_is(uint64_t area, const char *want)
{
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_layout_format how;
    size_t size;
    char *text;
    memset(&how, 0, sizeof how);
    how.has_area = 1;
    how.area = area;
    text = order_text(l, NULL, 0, &how, &size);
    T_MSG(strstr(text, want) != NULL, want);
    free(text);
    csspgo_layout_free(l);
}

static void areas_are_printed_as_floats(void)
{
    static const uint64_t area[] = { 0, 1, 9, 10, 3950, 999999, 1000000, 9999999, 10000005, 12345675, 16777217,
                                     99999995, 2271800000u, 4294967295u, UINT64_C(18446744073709551615) };
    size_t i;
    char want[50];
    for (i = 0; i < sizeof area / sizeof *area; i++) {
        volatile float f = (float)area[i];
        sprintf(want, " %e\n", (double)f);
        area_is(area[i], want);
    }
}

static void pages_follow_sizes(void)
{
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_layout_evaluate_options how;
    csspgo_layout_score s;
    const uint64_t work = csspgo_guid("work.llvm.3", 11);
    memset(&how, 0, sizeof how);
    T_EQ(add_text(l, local_text, NULL), CSSPGO_OK);
    symbols(l, binary, 10, 1000);
    how.page_bytes = 4096;                            /* 1008 bytes each: other, main, hid, hid, | hid, work, work, .. */
    T_EQ(csspgo_layout_evaluate(l, NULL, 0, &how, &s, NULL), CSSPGO_OK);
    T_EQ(s.steps, 3);
    T_EQ(s.unknown, 3);
    T_EQ(s.pages, 2);
    T_EQ(s.area, 1 + 2 + 2);
    T_EQ(s.layout_pages, 3);
    how.charge_unknown = 1;
    T_EQ(csspgo_layout_evaluate(l, NULL, 0, &how, &s, NULL), CSSPGO_OK);
    T_EQ(s.steps, 6);
    T_EQ(s.pages, 5);
    T_EQ(s.pages_10, 1);
    T_EQ(s.pages_50, 2);
    T_EQ(s.area, 1 + 2 + 2 + 3 + 4 + 5);
    how.charge_unknown = 0;
    how.page_bytes = 2048;                            /* work, work, | other, main, | hid, hid, hid */
    how.alignment = 1;
    T_EQ(csspgo_layout_evaluate(l, &work, 1, &how, &s, NULL), CSSPGO_OK);
    T_EQ(s.pages, 4);
    how.page_bytes = 1000;
    T_EQ(csspgo_layout_evaluate(l, &work, 1, &how, &s, NULL), CSSPGO_OK);
    T_EQ(s.layout_pages, 10);                         /* the last page is full */
    how.page_bytes = 1;
    symbols(l, &local_text, 1, UINT64_MAX - 1);
    T_EQ(csspgo_layout_evaluate(l, &work, 1, &how, &s, NULL), CSSPGO_E_LIMIT);
    csspgo_layout_free(l);
}

static void code_is_placed(void)
{
    const uint64_t size[4] = { 10, 20, 0, 7 };
    const uint32_t order[3] = { 3, 1, 3 };
    uint64_t offset[4], end, huge[2];
    T_EQ(csspgo_layout_place(size, 4, order, 3, 16, offset, &end, NULL), CSSPGO_OK);
    T_EQ(offset[3], 0);
    T_EQ(offset[1], 16);
    T_EQ(offset[0], 48);
    T_EQ(offset[2], 64);
    T_EQ(end, 64);
    T_EQ(csspgo_layout_place(size, 3, order, 3, 16, offset, &end, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_layout_place(size, 4, order, 3, 0, offset, &end, NULL), CSSPGO_E_ARGUMENT);
    huge[0] = 9;
    huge[1] = UINT64_MAX - 12;
    T_EQ(csspgo_layout_place(huge, 2, NULL, 0, 1, offset, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_place(huge, 2, NULL, 0, 16, offset, NULL, NULL), CSSPGO_E_RANGE);
}

/* Names do not matter, only how ids sort: an order of ids 1, 2, .. becomes that of ids 10, 20, .. */
static void positions_depend_on_structure_only(void)
{
    static uint64_t id[1000], a[1000], b[1000];
    size_t i, k, n, m;
    csspgo_layout *x = layout_of_file("o1000.proftext"), *y = layout_of(0, 1000, 1000);
    T_EQ(csspgo_layout_order(x, NULL, a, 1000, &n, NULL), CSSPGO_OK);
    for (i = 0; i < csspgo_layout_get_stats(x).traces; i++) {
        csspgo_trace t;
        t.count = csspgo_layout_trace(x, i, id, 1000, &t.weight);
        for (k = 0; k < t.count; k++) id[k] = id[k] / 2 + 12345;
        t.id = id;
        T_EQ(csspgo_layout_add(y, &t, 1, 0, NULL), CSSPGO_OK);
    }
    T_EQ(csspgo_layout_order(y, NULL, b, 1000, &m, NULL), CSSPGO_OK);
    T_EQ(n, m);
    for (i = k = 0; i < n; i++) k += a[i] / 2 + 12345 == b[i];
    T_EQ(k, n);
    csspgo_layout_free(x);
    csspgo_layout_free(y);
}

static void weights_and_sizes_change_the_order(void)
{
    static const char head[] = ":temporal_prof_traces\n3\n3\n1\na,b,c,d,e,f,g,h\n%d\nh,a,g,b\n1\nc,x,y\n";
    uint64_t id[20], heavy[20];
    char text[200];
    size_t n, m, weight;
    csspgo_layout_order_options how;
    memset(&how, 0, sizeof how);
    how.use_weights = 1;
    for (weight = 0; weight <= 1; weight++) {
        csspgo_layout *l = layout_of(0, -1, -1);
        sprintf(text, head, weight == 0 ? 0 : 64);
        T_EQ(add_text(l, text, NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_order(l, NULL, id, 20, &n, NULL), CSSPGO_OK);
        T_EQ(n, 10);
        T_EQ(csspgo_layout_order(l, &how, heavy, 20, &m, NULL), CSSPGO_OK);
        T_EQ(m, 10);
        csspgo_layout_free(l);
    }
    {
        csspgo_layout *l = layout_of(0, -1, -1);
        T_EQ(add_text(l, ":temporal_prof_traces\n2\n2\n0\nz,a\n1\na,b\n", NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_order(l, &how, heavy, 20, &m, NULL), CSSPGO_OK);
        T_EQ(m, 2);                                   /* z is only in a trace without weight */
        how.use_weights = 0;
        how.use_sizes = 1;
        T_EQ(csspgo_layout_order(l, &how, heavy, 20, &m, NULL), CSSPGO_OK);
        T_EQ(m, 0);
        symbols(l, binary, 10, 16);
        T_EQ(add_text(l, local_text, NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_order(l, &how, heavy, 20, &m, NULL), CSSPGO_OK);
        T_EQ(m, 3);
        csspgo_layout_free(l);
    }
}

/* Groups of one function, or of more than half of all, count or not. */
static void all_groups_count_if_asked(void)
{
    static const char text[] = ":temporal_prof_traces\n4\n4\n1\na,b,c,d\n1\nb,a,f,e,g\n1\nh,c,b,a\n1\ne,h,a,b,c,d,f\n";
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_layout_order_options how;
    uint64_t some[8], all[8];
    size_t n, m;
    memset(&how, 0, sizeof how);
    T_EQ(add_text(l, text, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_order(l, &how, some, 8, &n, NULL), CSSPGO_OK);
    how.keep_all_groups = 1;
    T_EQ(csspgo_layout_order(l, &how, all, 8, &m, NULL), CSSPGO_OK);
    T_CHECK(n == 8 && m == 8 && memcmp(some, all, sizeof all) != 0);
    csspgo_layout_free(l);
}

/* A trace of weight 10 has the area of ten; the sum saturates. */
static void areas_count_by_weight(void)
{
    static const struct { const char *text; uint64_t plain, weighted; } row[] = {
        { ":temporal_prof_traces\n2\n2\n3\na,b,\n10\nb,c,\na\n1\n1\n1\nb\n1\n1\n1\nc\n1\n1\n1\n", 4, 26 },
        { ":temporal_prof_traces\n1\n1\n0\na,b,\na\n1\n1\n1\nb\n1\n1\n1\n", 2, 0 },
        { ":temporal_prof_traces\n1\n1\n9223372036854775808\na,b,\na\n1\n1\n1\nb\n1\n1\n1\n", 2, UINT64_MAX }
    };
    uint64_t id[3];
    size_t i, n;
    for (i = 0; i < sizeof row / sizeof *row; i++) {
        csspgo_layout *l = layout_of(0, -1, -1);
        csspgo_layout_evaluate_options how;
        csspgo_layout_score score;
        memset(&how, 0, sizeof how);
        T_EQ(add_text(l, row[i].text, NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_order(l, NULL, id, 3, &n, NULL), CSSPGO_OK);
        T_EQ(csspgo_layout_evaluate(l, id, n, &how, &score, NULL), CSSPGO_OK);
        T_EQ(score.area, row[i].plain);
        how.use_weights = 1;
        T_EQ(csspgo_layout_evaluate(l, id, n, &how, &score, NULL), CSSPGO_OK);
        T_EQ(score.area, row[i].weighted);
        csspgo_layout_free(l);
    }
}

static void functions_without_size_make_no_groups(void)
{
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_layout_order_options how;
    csspgo_layout_symbol last[2];
    uint64_t id[2];
    size_t n, i, at;
    char text[6000];
    at = (size_t)sprintf(text, ":temporal_prof_traces\n1\n1\n1\n");
    for (i = 0; i < 1000; i++) at += (size_t)sprintf(text + at, "f%u,", (unsigned)i);
    sprintf(text + at, "\n");
    T_EQ(add_text(l, text, NULL), CSSPGO_OK);
    memset(&how, 0, sizeof how);
    how.use_sizes = 1;
    T_EQ(csspgo_layout_order(l, &how, id, 2, &n, NULL), CSSPGO_OK);
    T_EQ(n, 0);
    memset(last, 0, sizeof last);
    last[0].name = "f998";
    last[1].name = "f999";
    last[0].name_size = last[1].name_size = 4;
    last[0].size_bytes = UINT64_MAX;
    last[1].size_bytes = 1;
    T_EQ(csspgo_layout_add_symbols(l, last, 2, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_order(l, &how, id, 2, &n, NULL), CSSPGO_OK);
    T_EQ(n, 2);
    csspgo_layout_free(l);
}

/* Functions that were inlined everywhere change nothing: as if the traces had been without them. */
static void only_symbols_leaves_the_others_out(void)
{
    csspgo_layout *with = layout_of(0, -1, -1), *without = layout_of(0, -1, -1);
    csspgo_layout_order_options how;
    uint64_t id[200], same[200];
    char text[9000], short_text[9000], names[120][8];
    csspgo_layout_symbol symbol[120];
    size_t n = 0, m = 0, t, i, at, short_at, count = 0;
    at = (size_t)sprintf(text, ":temporal_prof_traces\n5\n5\n");
    short_at = (size_t)sprintf(short_text, "%s", text);
    for (t = 0; t < 5; t++) {
        at += (size_t)sprintf(text + at, "1\n");
        short_at += (size_t)sprintf(short_text + short_at, "1\n");
        for (i = 0; i < 120; i++) {
            const unsigned f = (unsigned)(i * (2 * t + 7) + 31 * t) % 120;
            if ((f * 5 + t) % 4 == 0) continue;
            at += (size_t)sprintf(text + at, "f%u,", f);
            if (f % 3 != 0) short_at += (size_t)sprintf(short_text + short_at, "f%u,", f);
        }
        at += (size_t)sprintf(text + at, "\n");
        short_at += (size_t)sprintf(short_text + short_at, "\n");
    }
    memset(symbol, 0, sizeof symbol);
    for (i = 0; i < 120; i++) {
        if (i % 3 == 0) continue;
        symbol[count].name = names[count];
        symbol[count].name_size = (size_t)sprintf(names[count], "f%u", (unsigned)i);
        symbol[count++].size_bytes = 16;
    }
    T_EQ(add_text(with, text, NULL), CSSPGO_OK);
    T_EQ(add_text(without, short_text, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_add_symbols(with, symbol, count, NULL), CSSPGO_OK);
    memset(&how, 0, sizeof how);
    how.only_symbols = 1;
    T_EQ(csspgo_layout_order(with, &how, id, 200, &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_order(without, NULL, same, 200, &m, NULL), CSSPGO_OK);
    T_EQ(n, count);
    T_EQ(m, count);
    T_CHECK(memcmp(id, same, count * sizeof *id) == 0);
    csspgo_layout_free(with);
    csspgo_layout_free(without);
}

static void an_order_survives_every_failing_allocation(void)
{
    long nth;
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_layout *l = csspgo_layout_new(NULL, &o, NULL);
        csspgo_layout_format form;
        csspgo_layout_score score;
        csspgo_layout_found r;
        csspgo_layout_symbol one;
        uint64_t id[20];
        csspgo_status s = l != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
        size_t n = 0, size;
        one.name = "hid.llvm.5";
        one.name_size = 10;
        one.size_bytes = 5;
        memset(&form, 0, sizeof form);
        form.llvm = 19;
        if (s == CSSPGO_OK) s = add_text(l, local_text, NULL);
        if (s == CSSPGO_OK) s = csspgo_layout_add_symbols(l, &one, 1, NULL);
        if (s == CSSPGO_OK) s = csspgo_layout_order(l, NULL, id, 20, &n, NULL);
        if (s == CSSPGO_OK) s = csspgo_layout_evaluate(l, id, n, NULL, &score, NULL);
        if (s == CSSPGO_OK) s = csspgo_layout_resolve(l, &r, NULL);
        if (s == CSSPGO_OK) s = csspgo_layout_write_order(l, id, n, &form, NULL, 0, &size, NULL);
        csspgo_layout_free(l);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 40 && nth < 1000);
}

/* ----- indexed and raw profiles ----- */

static csspgo_status add_bytes(csspgo_layout *l, const char *data, size_t size, csspgo_error *e)
{
    unsigned char *exact = t_copy(data, size);
    const csspgo_status s = csspgo_layout_read(l, exact, size, e);
    free(exact);
    return s;
}

static void binary_becomes(const char *const *file, const char *want_file)
{
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_error e;
    size_t size;
    char path[100], *data;
    for (; *file != NULL; file++) {
        sprintf(path, DATA "%s", *file);
        data = t_file(path, &size);
        if (!T_EQ(add_bytes(l, data, size, &e), CSSPGO_OK)) fprintf(stderr, "    %s: %s\n", path, e.message);
        free(data);
    }
    sprintf(path, DATA "%s", want_file);
    data = t_file(path, &size);
    expect_text(l, path, data, size);
    free(data);
    csspgo_layout_free(l);
}

static void indexed_profiles_are_read(void)
{
    static const char *const files[] = { "basic.profdata", NULL };
    binary_becomes(files, "basic.canon.proftext");
}

/* Whatever is cut off, or changed: an error with a place, and nothing is taken; or, behind the traces, no difference. */
/* A layout that keeps everything and writes indexed profiles. */
static csspgo_layout *indexing(uint32_t llvm)
{
    csspgo_layout_options o;
    csspgo_layout *l;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    o.indexed = o.limit_traces = o.limit_length = 1;
    o.max_traces = o.max_length = 1000000;
    l = csspgo_layout_new(&o, NULL, NULL);
    if (l == NULL) abort();
    return l;
}

/* A text, written as an indexed profile and read again, is the same text. */
static void index_keeps(uint32_t llvm, const char *text, size_t size)
{
    csspgo_layout *from = indexing(llvm), *plain = layout_of(llvm, 1000000, 1000000);
    csspgo_layout *back = layout_of(llvm, 1000000, 1000000);
    size_t n, got, want;
    char *file, *a, *b;
    T_EQ(csspgo_layout_read(from, text, size, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_read(plain, text, size, NULL), CSSPGO_OK);
    file = text_of(from, &n);
    T_CHECK(n >= 8 && memcmp(file, "\377lprofi\201", 8) == 0);
    T_EQ(csspgo_layout_read(back, file, n, NULL), CSSPGO_OK);
    a = text_of(back, &got);
    b = text_of(plain, &want);
    t_same("an indexed profile", a, got, b, want);
    T_EQ(csspgo_layout_get_stats(back).stream, csspgo_layout_get_stats(plain).stream);
    free(a);
    free(b);
    free(file);
    csspgo_layout_free(from);
    csspgo_layout_free(plain);
    csspgo_layout_free(back);
}

static void indexed_profiles_are_written(void)
{
    static const char *const name[] = { "basic.canon", "run_merged", "run_blockcov", "o40", "o300", "o1000" };
    static const char *const text[] = {
        ":ir\nf\n1\n1\n9\n", ":csir\nf\n1\n2\n9\n8\n\nf\n1152921504606846977\n1\n7\n",
        "f\n1\n3\n0\n0\n18446744073709551613\n\ng\n5\n1\n1\n\ng\n4\n2\n1\n1\n",
        ":ir\n:entry_first\n:instrument_loop_entries\na\n1\n1\n1\n", ":ir\n:single_byte_coverage\na\n1\n2\n1\n0\n",
        ":ir\n:temporal_prof_traces\n0\n0\n", ":ir\n:temporal_prof_traces\n1\n9\n18446744073709551615\nx,x,y,\nx\n1\n1\n1\n"
    };
    char path[200];
    size_t i, size, n, whole;
    for (i = 0; i < sizeof name / sizeof *name; i++) {
        char *data;
        snprintf(path, sizeof path, "data/temporal/%s.proftext", name[i]);
        data = t_file(path, &size);
        index_keeps(19, data, size);
        index_keeps(0, data, size);
        free(data);
    }
    for (i = 0; i < sizeof text / sizeof *text; i++) {
        index_keeps(19, text[i], strlen(text[i]));
        index_keeps(23, text[i], strlen(text[i]));
        index_keeps(0, text[i], strlen(text[i]));
    }
    {   /* LLVM 19's own bytes */
        char *data = t_file("data/temporal/basic.canon.proftext", &size), *file;
        char *want = t_file("data/temporal/basic.profdata", &whole);
        csspgo_layout *l = indexing(19);
        T_EQ(csspgo_layout_read(l, data, size, NULL), CSSPGO_OK);
        file = text_of(l, &n);
        t_same("basic.profdata", file, n, want, whole);
        for (i = 0; i < n; i++) {
            size_t needed = 0;
            T_EQ(csspgo_layout_write(l, want, i, &needed, NULL), CSSPGO_E_SHORT);
            T_EQ(needed, n);
        }
        free(data);
        free(file);
        free(want);
        csspgo_layout_free(l);
    }
}

static void writing_an_index_survives_every_failing_allocation(void)
{
    long nth;
    for (nth = 1; nth < 200; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_layout_options how;
        csspgo_layout *l;
        csspgo_status s;
        size_t size = 0;
        memset(&how, 0, sizeof how);
        how.indexed = 1;
        l = csspgo_layout_new(&how, &o, NULL);
        s = l != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) s = add_text(l, local_text, NULL);
        if (s == CSSPGO_OK) s = csspgo_layout_write(l, NULL, 0, &size, NULL);
        csspgo_layout_free(l);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 10 && nth < 200);
}

static void every_prefix_of_an_indexed_profile_is_rejected(void)
{
    size_t size, n, want_size, i, failed = 0;
    char *data = t_file(DATA "basic.profdata", &size), *want = t_file(DATA "basic.canon.proftext", &want_size);
    csspgo_error e;
    for (n = 0; n < size; n++) {
        csspgo_layout *l = layout_of(0, -1, -1);
        T_CHECK(add_bytes(l, data, n, &e) != CSSPGO_OK);
        T_CHECK(e.status != CSSPGO_OK && e.offset <= n && e.message[0] != '\0');
        T_EQ(csspgo_layout_get_stats(l).functions, 0);
        csspgo_layout_free(l);
    }
    for (i = 0; i < 2 * size; i++) {
        csspgo_layout *l = layout_of(0, -1, -1);
        char *bad = (char *)t_copy(data, size);
        bad[i / 2] = (char)(bad[i / 2] ^ (i % 2 != 0 ? 0x80 : 0x01));
        if (add_bytes(l, bad, size, &e) != CSSPGO_OK) failed++;
        free(bad);
        csspgo_layout_free(l);
    }
    T_CHECK(failed > 400);
    free(data);
    free(want);
}

static void another_version_is_refused(void)
{
    size_t size;
    char *data = t_file(DATA "basic.profdata", &size);
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_error e;
    data[8] = 9;
    T_EQ(add_bytes(l, data, size, &e), CSSPGO_E_VERSION);
    data[8] = 14;
    T_EQ(add_bytes(l, data, size, &e), CSSPGO_E_VERSION);
    T_EQ(e.offset, 8);
    data[8] = 13;
    T_EQ(add_bytes(l, data, size, &e), CSSPGO_OK);
    data[0x18] ^= 1;                                  /* the hash function */
    T_EQ(add_bytes(l, data, size, &e), CSSPGO_E_SYNTAX);
    T_EQ(e.offset, 0x18);
    data[0x18] ^= 1;
    csspgo_layout_free(l);
    free(data);
    data = t_file(DATA "run_c_a.profraw", &size);
    l = layout_of(0, -1, -1);
    data[8] = 7;
    T_EQ(add_bytes(l, data, size, &e), CSSPGO_E_VERSION);
    data[8] = 11;
    T_EQ(add_bytes(l, data, size, &e), CSSPGO_E_VERSION);
    data[8] = 10;
    data[15] = (char)0x89;
    T_EQ(add_bytes(l, data, size, &e), CSSPGO_E_UNSUPPORTED);
    csspgo_layout_free(l);
    free(data);
}

/* A raw profile with all kinds of padding: "b" ran first, "a" second, "c" never; counters 5, 6 and 7. */
static size_t raw_profile(unsigned char *to, uint32_t version, int big, size_t pointer, int coverage)
{
    static const char names[] = "a\1b\1c";
    static const uint64_t stamps[3] = { 2, 1, UINT64_MAX }, head[3] = { 11, 14, 16 };
    const size_t counter = coverage ? 1 : 8, slots = coverage ? 9 : 2;
    const size_t tail = 16 + (version == 8 ? 3u : 4u) * pointer;
    const size_t record = version == 8 ? (pointer == 4 ? 40u : 48u) : pointer == 4 ? 48u : 64u;
    const size_t first = (size_t)(8 * head[version - 8]) + 16, counts = first + 3 * record + 8;
    const size_t end = counts + 3 * slots * counter + 8 + (version > 8 ? 8 : 0);
    size_t i, size;
#define PUT(at, n, value)                                                                                             \
    do {                                                                                                              \
        const uint64_t put_value = (value);                                                                           \
        size_t put_at = (at), put_i;                                                                                  \
        for (put_i = 0; put_i < (n); put_i++)                                                                         \
            to[put_at + (big ? (n) - 1 - put_i : put_i)] = (unsigned char)(put_value >> 8 * put_i & 255);             \
    } while (0)
    memset(to, 0, 1024);
    memset(to + first - 16, 255, end - (first - 16));
    memset(to + first, 0, 3 * record);
    memset(to + counts, 0, 3 * slots * counter);
    PUT(16, 8, 16);                                   /* binary ids */
    PUT(32, 8, 8);                                    /* padding before the counters */
    PUT(48, 8, 8);                                    /* and behind them */
    if (version > 8) PUT(56, 8, 3);                   /* bitmaps */
    if (version > 8) PUT(64, 8, 5);
    PUT(0, 8, pointer == 8 ? UINT64_C(0xff6c70726f667281) : UINT64_C(0xff6c70726f665281));
    PUT(8, 8, version | (uint64_t)(coverage ? 0x95 : 0x81) << 56);
    PUT(24, 8, 3);                                    /* functions */
    PUT(40, 8, 3 * slots);
    PUT(version == 8 ? 56 : 72, 8, 2 + 5);            /* names: sizes and text */
    PUT(version == 8 ? 64 : 80, 8, 0x1000 + 3 * record);   /* delta */
    for (i = 0; i < 3; i++) {
        const size_t at = first + i * record;
        PUT(at, 8, csspgo_guid(&names[2 * i], 1));
        PUT(at + 8, 8, 9);
        PUT(at + 16, pointer, 0x1000 + 3 * record - i * record + i * slots * counter);
        PUT(at + tail, 4, slots);
    }
    for (i = 0; i < 3; i++) {
        PUT(counts + i * slots * counter, 8, stamps[i]);
        PUT(counts + i * slots * counter + 8, counter, coverage ? i % 2 : 5 + i);
    }
    size = end;
    to[size++] = 5;
    to[size++] = 0;
    memcpy(to + size, names, 5);
    return size + 5;
}

#define RAN IR BLOCK("1", "1") "# Weight:\n1\nb,a,\n\n" RECORD("a", "9", "5") RECORD("b", "9", "6") RECORD("c", "9", "7")
#define COVERED IR "# Always instrument the function entry block\n:entry_first\n"                                      \
                "# Instrument block coverage\n:single_byte_coverage\n" BLOCK("1", "1") "# Weight:\n1\nb,a,\n\n"      \
                RECORD("a", "9", "1") RECORD("b", "9", "0") RECORD("c", "9", "1")

static void raw_profiles_of_every_machine_are_read(void)
{
    unsigned char data[1024];
    uint32_t version;
    int form;
    size_t n, size;
    csspgo_error e;
    for (version = 8; version <= 10; version++)
        for (form = 0; form < 8; form++) {
            csspgo_layout *l = layout_of(0, -1, -1);
            size = raw_profile(data, version, form & 1, form & 2 ? 4 : 8, form >> 2);
            if (!T_EQ(add_bytes(l, (char *)data, size, &e), CSSPGO_OK))
                fprintf(stderr, "    version %u, form %d: %s\n", (unsigned)version, form, e.message);
            if (form >> 2) expect_text(l, "coverage", COVERED, strlen(COVERED));
            else expect_text(l, "raw", RAN, strlen(RAN));
            for (n = 0; n < size; n++) {
                T_CHECK(add_bytes(l, (char *)data, n, &e) != CSSPGO_OK);
                T_CHECK(e.status != CSSPGO_OK && e.offset <= n);
            }
            for (n = 8; n < size; n++) {
                data[n] ^= 0xff;
                add_bytes(l, (char *)data, size, &e);
                data[n] ^= 0xff;
            }
            csspgo_layout_free(l);
        }
}

/* Profiles behind each other, with zeros in between, the first one with a value profile of 24 bytes. */
static size_t raw_profiles(unsigned char *to, uint32_t version, int big, size_t pointer)
{
    const size_t tail = 16 + (version == 8 ? 3u : 4u) * pointer;
    const size_t header = 8 * (version == 8 ? 11u : version == 9 ? 14u : 16u);
    size_t size = raw_profile(to, version, big, pointer, 0);
    to[header + 16 + tail + (big ? 4u : 5u)] = 0;
    to[header + 16 + tail + (big ? 5u : 4u)] = 2;          /* two places are watched */
    memset(to + size, 0, 100);
    size = (size + 7) / 8 * 8;
    to[size + (big ? 3 : 0)] = 24;
    to[size + (big ? 7 : 4)] = 1;
    to[size + 23] = 0xff;
    size += 24 + 16;
    return size + raw_profile(to + size, version, big, pointer, 0);
}

#define RAN_TWICE(blocks) IR blocks RECORD("a", "9", "10") RECORD("b", "9", "12") RECORD("c", "9", "14")

static void raw_profiles_stand_behind_each_other(void)
{
    static const char apart[] = RAN_TWICE(BLOCK("2", "2") "# Weight:\n1\nb,a,\n# Weight:\n1\nb,a,\n\n");
    static const char mixed[] = RAN_TWICE(BLOCK("1", "1") "# Weight:\n1\nb,b,a,a,\n\n");
    unsigned char data[3000];
    uint32_t version;
    int form;
    size_t n, size;
    csspgo_error e;
    for (version = 8; version <= 10; version++)
        for (form = 0; form < 8; form++) {
            csspgo_layout *l = layout_of(form & 4 ? 19 : 0, -1, -1);
            memset(data, 0, sizeof data);
            size = raw_profiles(data, version, form & 1, form & 2 ? 4 : 8);
            if (!T_EQ(add_bytes(l, (char *)data, size, &e), CSSPGO_OK))
                fprintf(stderr, "    version %u, form %d: %s\n", (unsigned)version, form, e.message);
            if (form & 4) expect_text(l, "as LLVM", mixed, sizeof mixed - 1);
            else expect_text(l, "two profiles", apart, sizeof apart - 1);
            T_EQ(add_bytes(l, (char *)data, size + 9, &e), CSSPGO_OK);    /* zeros at the end */
            data[size + 9] = 1;
            T_EQ(add_bytes(l, (char *)data, size + 10, &e), CSSPGO_E_SYNTAX);
            T_EQ(e.offset, size + 9);
            for (n = 0; n < size; n++) {
                add_bytes(l, (char *)data, n, &e);    /* it may end between the two */
                T_CHECK(e.offset <= n);
            }
            csspgo_layout_free(l);
        }
}

static void raw_profiles_of_llvm_are_read(void)
{
#ifdef CSSPGO_USE_ZLIB
    static const char *const two[] = { "run_c_a.profraw", "run_b_a.profraw", NULL };
    static const char *const coverage[] = { "run_blockcov.profraw", NULL };
    binary_becomes(two, "run_merged.proftext");
    binary_becomes(coverage, "run_blockcov.proftext");
#else
    csspgo_layout *l = layout_of(0, -1, -1);
    csspgo_error e;
    size_t size;
    char *data = t_file(DATA "run_c_a.profraw", &size);
    const csspgo_status s = csspgo_layout_read(l, data, size, &e);   /* the library's build may have zlib */
    T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED);
    free(data);
    csspgo_layout_free(l);
#endif
}

static void reading_survives_every_failing_allocation(void)
{
    static const char *const file[] = { DATA "basic.profdata", DATA "run_c_a.profraw", DATA "run_c_a.profraw" };
    size_t i, size;
    long nth;
    for (i = 0; i < 3; i++) {
        char *data = t_file(file[i], &size);
        csspgo_status s = CSSPGO_OK;
        if (i == 2) {                                 /* two raw profiles in one file */
            data = (char *)realloc(data, 2 * size);
            if (data == NULL) abort();
            memcpy(data + size, data, size);
            size *= 2;
        }
        for (nth = 1; nth < 1000; nth++) {
            t_heap h;
            const csspgo_options o = t_options(&h, nth);
            csspgo_layout *l = csspgo_layout_new(NULL, &o, NULL);
            s = l != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
            if (s == CSSPGO_OK) s = add_bytes(l, data, size, NULL);
            if (s == CSSPGO_E_NOMEM && l != NULL) T_EQ(csspgo_layout_get_stats(l).functions, 0);
            csspgo_layout_free(l);
            T_EQ(h.live, 0);
            if (s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED) break;
            T_EQ(s, CSSPGO_E_NOMEM);
        }
        T_LONG(s == CSSPGO_E_UNSUPPORTED || (nth > 5 && nth < 1000));   /* without zlib */
        free(data);
    }
}

/* ----- recording ----- */

static void enter(csspgo_trace_clock *clock, csspgo_trace_slot *slot, const char *functions)
{
    for (; *functions != '\0'; functions++) CSSPGO_TRACE_ENTER(clock, &slot[*functions - 'a']);
}

static void collected(const csspgo_trace_slot *slot, uint32_t begin, uint32_t end, const char *want)
{
    uint64_t id[8], out[8];
    const csspgo_trace_phase phase = { slot, sizeof *slot, id, 8, begin, end };
    size_t i, n;
    for (i = 0; i < 8; i++) id[i] = 107 - i;
    T_EQ(csspgo_trace_collect(&phase, NULL, out, &n, NULL), CSSPGO_OK);
    if (!T_EQ(n, strlen(want))) return;
    for (i = 0; i < n; i++) T_EQ('a' + 107 - out[i], want[i]);
}

static void the_first_call_of_a_phase_is_recorded(void)
{
    csspgo_trace_slot slot[8];
    csspgo_trace_clock clock;
    uint64_t id = 0, out;
    const csspgo_trace_phase narrow = { slot, 3, &id, 1, 0, 0 };
    size_t n;
    uint32_t level, match;
    memset(slot, 0, sizeof slot);
    memset(&clock, 0, sizeof clock);
    enter(&clock, slot, "cacad");
    collected(slot, 0, 0, "cad");
    level = csspgo_trace_now(&clock);
    enter(&clock, slot, "bdaeb");
    match = csspgo_trace_now(&clock);
    enter(&clock, slot, "f");
    collected(slot, 0, level, "cad");
    collected(slot, level, match, "be");
    collected(slot, match, 0, "f");
    collected(slot, 0, 0, "cadbef");
    csspgo_trace_reset(slot, sizeof *slot, 3);
    match = csspgo_trace_now(&clock);
    enter(&clock, slot, "dcbcb");
    collected(slot, match, 0, "cb");
    clock.last = UINT32_MAX - 2;                      /* the clock stops: what comes later is ordered by id */
    csspgo_trace_reset(slot, sizeof *slot, 8);
    enter(&clock, slot, "hbdac");
    collected(slot, 0, 0, "hdcba");
    collected(slot, csspgo_trace_now(&clock), csspgo_trace_now(&clock), "dcba");
    T_EQ(clock.last, UINT32_MAX);
    T_EQ(csspgo_trace_collect(&narrow, NULL, &out, &n, NULL), CSSPGO_E_ARGUMENT);
}

static void collecting_survives_every_failing_allocation(void)
{
    csspgo_trace_slot slot[40];
    csspgo_trace_clock clock;
    uint64_t id[40], out[40];
    const csspgo_trace_phase phase = { slot, sizeof *slot, id, 40, 0, 0 };
    long nth;
    size_t i, n;
    memset(slot, 0, sizeof slot);
    memset(&clock, 0, sizeof clock);
    for (i = 40; i-- > 0;) {
        id[i] = i;
        csspgo_trace_stamp(&clock, &slot[i]);
    }
    for (nth = 1; nth < 100; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status s = csspgo_trace_collect(&phase, &o, out, &n, NULL);
        T_EQ(h.live, 0);
        T_EQ(n, s == CSSPGO_OK ? 40 : 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 2 && nth < 100);
}

/* ----- chunks ----- */

/* Chunks of kinds that share long strings, in turn: kinds come together; the order is a permutation. */
static void chunks_with_equal_bytes_come_together(void)
{
    enum { KINDS = 4, EACH = 12, N = KINDS * EACH };
    static unsigned char text[N][64];
    csspgo_layout_chunk chunk[N];
    uint32_t order[N], changes = 0, seen[N], i, k;
    csspgo_error e;
    for (i = 0; i < N; i++) {
        for (k = 0; k < 64; k++)
            text[i][k] = (unsigned char)(k < 40 ? (i % KINDS + 1) * 41 + k * (i % KINDS + 3) : i * 57 + k * k * 3 + i * k);
        chunk[i].data = text[i];
        chunk[i].size = 64;
        seen[i] = 0;
    }
    T_EQ(csspgo_layout_order_chunks(chunk, N, NULL, NULL, order, &e), CSSPGO_OK);
    for (i = 0; i < N; i++) {
        T_CHECK(order[i] < N && seen[order[i]]++ == 0);
        changes += i != 0 && order[i] % KINDS != order[i - 1] % KINDS;
    }
    T_EQ(changes, KINDS - 1);
}

static void equal_chunks_follow_the_first_of_them(void)
{
    static const char *const text[] = { "abcdefgh", "12345678", "abcdefgh", "12345678", "abcdefgh", "12345678", "abcdefgh",
                                        "12345678", "abcdefgh", "12345678", "abcdefgh", "12345678", "xy", "" };
    static const uint32_t want[] = { 0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11, 12, 13 };
    csspgo_layout_chunk chunk[14];
    uint32_t order[14];
    size_t i;
    for (i = 0; i < 14; i++) {
        chunk[i].data = text[i];
        chunk[i].size = strlen(text[i]);
    }
    T_EQ(csspgo_layout_order_chunks(chunk, 14, NULL, NULL, order, NULL), CSSPGO_OK);
    for (i = 0; i < 14; i++) T_EQ(order[i], want[i]);
    T_EQ(csspgo_layout_order_chunks(chunk, 0, NULL, NULL, order, NULL), CSSPGO_OK);
    T_EQ(csspgo_layout_order_chunks(chunk + 13, 1, NULL, NULL, order, NULL), CSSPGO_OK);
    T_EQ(order[0], 0);
    chunk[3].size = (size_t)1 << 31;
    T_EQ(csspgo_layout_order_chunks(chunk, 14, NULL, NULL, order, NULL), CSSPGO_E_LIMIT);
}

static void ordering_chunks_survives_every_failing_allocation(void)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog";
    csspgo_layout_chunk chunk[9];
    uint32_t order[9];
    long nth;
    size_t i;
    for (i = 0; i < 9; i++) {
        chunk[i].data = text + i;
        chunk[i].size = 20 + i % 3;
    }
    for (nth = 1; nth < 100; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_status s;
        order[0] = 99;
        s = csspgo_layout_order_chunks(chunk, 9, NULL, &o, order, NULL);
        T_EQ(h.live, 0);
        T_EQ(order[0] == 99, s != CSSPGO_OK);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 15 && nth < 100);
}

/* ----- traces from samples ----- */

static const char *const sampled[] = { "main", "work", "mid", "leaf", "rec", "tailer" };

/* The address of a function's first instruction, as a return address one more; 1 if it is unknown. */
static uint64_t address_of(const char *name, size_t size)
{
    size_t i;
    for (i = 0; i < 6; i++)
        if (strlen(sampled[i]) == size && memcmp(sampled[i], name, size) == 0) return 0x1000 + 0x100 * i;
    return 1;
}

static csspgo_code *sampled_code(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_module none;
    size_t i;
    none.id = 0;
    for (i = 0; i < 6; i++) {
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = 0x1000 + 0x100 * i;
        f.end = f.begin + 0x100;
        f.name = sampled[i];
        f.name_size = strlen(sampled[i]);
        T_EQ(csspgo_code_add_function(code, none, &f, NULL), CSSPGO_OK);
    }
    return code;
}

/* "time pid functions", the leaf first. */
static csspgo_status add_sample(csspgo_trace_sampler *t, const char *line)
{
    uint64_t stack[16];
    csspgo_sample x;
    char *at;
    memset(&x, 0, sizeof x);
    x.time = strtoul(line, &at, 10);
    x.pid = (uint32_t)strtoul(at, &at, 10);
    for (; *at != '\0'; at += strcspn(at, " ")) {
        at += strspn(at, " \t");
        stack[x.stack_count] = address_of(at, strcspn(at, " ")) + (x.stack_count != 0);
        x.stack_count++;
    }
    x.stack = stack;
    return csspgo_trace_sampler_add(t, &x, 1, NULL);
}

static void offered_is(const csspgo_trace_sampler *t, const char *want)
{
    csspgo_layout *l = layout_of(0, -1, -1);
    T_EQ(csspgo_trace_sampler_offer(t, l, NULL), CSSPGO_OK);
    expect_traces(l, want, "traces from samples");
    csspgo_layout_free(l);
}

static csspgo_trace_sampler *sampler_of(const csspgo_code *code, uint64_t start_up, uint32_t min_samples, uint32_t join)
{
    csspgo_trace_sampler_options how;
    memset(&how, 0, sizeof how);
    how.start_up = start_up;
    how.min_samples = min_samples;
    how.join_equal = join;
    return csspgo_trace_sampler_new(code, &how, NULL, NULL);
}

static void samples_become_traces(void)
{
    size_t size, want_size, option;
    csspgo_code *code = sampled_code();
    for (option = 0; option < 4; option++) {
        csspgo_trace_sampler *t = sampler_of(code, option == 1 ? 1000 : 0, option == 2 ? 2 : 0, option == 3);
        char *text = t_file(DATA "samples.tsv", &size), *want = t_file(DATA "samples.proftext", &want_size), *at = text;
        char *line = next_line(&at);
        csspgo_layout *l = layout_of(0, -1, -1);
        while ((line = next_line(&at)) != NULL) T_EQ(add_sample(t, line), CSSPGO_OK);
        T_EQ(csspgo_trace_sampler_offer(t, l, NULL), CSSPGO_OK);
        if (option == 0) {                            /* it lacks the comment that LLVM writes first */
            size_t n;
            char *ours = text_of(l, &n), *begin = strchr(ours, '\n') + 1;
            t_same("samples.tsv", begin, n - (size_t)(begin - ours), want, want_size);
            free(ours);
        }
        if (option == 1) offered_is(t, "1 main,work,mid,leaf,rec\n1 main,work,tailer\n1 main,work,leaf\n3\n");
        if (option == 2) offered_is(t, "1 main,work\n1 main,work,tailer\n2\n");
        if (option == 3) {
            T_EQ(add_sample(t, "5000 11 leaf - work main"), CSSPGO_OK);
            offered_is(t, "1 main,work,mid,leaf,rec,tailer\n1 main,work,tailer,leaf\n2 main,work,leaf\n3\n");
        }
        T_EQ(add_sample(t, "0 7 main"), CSSPGO_E_ARGUMENT);
        csspgo_layout_free(l);
        csspgo_trace_sampler_free(t);
        free(text);
        free(want);
    }
    csspgo_code_free(code);
}

/* Equal traces become one with the sum of their weights, wherever they are. */
static void equal_traces_are_joined(void)
{
    csspgo_code *code = sampled_code();
    int bits, k;
    for (bits = 0; bits < 16; bits++) {
        csspgo_trace_sampler *t = sampler_of(code, 0, 0, 1);
        int leaves = 0;
        char want[100];
        for (k = 0; k < 4; k++) {
            char sample[40];
            snprintf(sample, sizeof sample, "50 %d %s main", k + 1, bits >> k & 1 ? "leaf" : "work");
            T_EQ(add_sample(t, sample), CSSPGO_OK);
            leaves += bits >> k & 1;
        }
        if (leaves % 4 == 0) snprintf(want, sizeof want, "4 main,%s\n1\n", leaves != 0 ? "leaf" : "work");
        else if (bits & 1) snprintf(want, sizeof want, "%d main,leaf\n%d main,work\n2\n", leaves, 4 - leaves);
        else snprintf(want, sizeof want, "%d main,work\n%d main,leaf\n2\n", 4 - leaves, leaves);
        offered_is(t, want);
        csspgo_trace_sampler_free(t);
    }
    csspgo_code_free(code);
}

static void address_spaces_are_kept_apart(void)
{
    csspgo_code *code = sampled_code();
    csspgo_trace_sampler *t = sampler_of(code, 0, 0, 0);
    csspgo_sample s;
    csspgo_mmap m;
    memset(&s, 0, sizeof s);
    memset(&m, 0, sizeof m);
    T_EQ(add_sample(t, "50 1 work main"), CSSPGO_OK);
    s.pid = 2;
    s.tid = 2;
    m.pid = 1;
    T_EQ(csspgo_trace_sampler_event(t, CSSPGO_ITEM_FORK, &s, &m, NULL), CSSPGO_OK);
    T_EQ(add_sample(t, "60 2 mid main"), CSSPGO_OK);
    s.tid = 3;                                        /* a thread is no process */
    m.pid = 2;
    T_EQ(csspgo_trace_sampler_event(t, CSSPGO_ITEM_FORK, &s, &m, NULL), CSSPGO_OK);
    T_EQ(csspgo_trace_sampler_event(t, CSSPGO_ITEM_COMM, &s, &m, NULL), CSSPGO_OK);
    T_EQ(csspgo_trace_sampler_event(t, CSSPGO_ITEM_EXIT, &s, &m, NULL), CSSPGO_OK);
    T_EQ(add_sample(t, "70 2 leaf mid main"), CSSPGO_OK);
    m.executable = 1;                                 /* exec */
    T_EQ(csspgo_trace_sampler_event(t, CSSPGO_ITEM_COMM, &s, &m, NULL), CSSPGO_OK);
    T_EQ(add_sample(t, "80 2 rec"), CSSPGO_OK);
    T_EQ(add_sample(t, "40 1 tailer"), CSSPGO_OK);    /* late, but earlier */
    offered_is(t, "1 tailer,main,work\n1 main,mid,leaf\n1 rec\n3\n");
    csspgo_trace_sampler_free(t);
    csspgo_trace_sampler_free(NULL);
    csspgo_code_free(code);
}

/* As an engine does that samples itself: a record with process, time and stack in a perf ring, into the sampler. */
static void ring_put_sample(csspgo_ring *ring, uint64_t *data, uint64_t time, const uint64_t *stack, uint32_t depth)
{
    uint64_t word[16];
    const uint32_t pid_tid[2] = { 5, 5 }, type = 9;
    const uint16_t misc_size[2] = { 2, (uint16_t)(8 * (5 + depth)) };
    uint32_t i;
    memcpy((char *)&word[0], &type, 4);
    memcpy((char *)&word[0] + 4, misc_size, 4);
    word[1] = stack[0];
    memcpy(&word[2], pid_tid, 8);
    word[3] = time;
    word[4] = depth;
    for (i = 0; i < depth; i++) word[5 + i] = stack[i];
    for (i = 0; i < 5 + depth; i++) data[(ring->head / 8 + i) % 32] = word[i];
    ring->head += 8 * (5 + depth);
}

static void a_ring_becomes_traces(void)
{
    static const uint64_t stacks[3][2] = { { 0x1110, 0x1020 }, { 0x1210, 0x1020 }, { 0x1110, 0x1020 } };
    csspgo_code *code = sampled_code();
    csspgo_trace_sampler *t = sampler_of(code, 0, 0, 0);
    uint64_t data[32], bounce[32];
    csspgo_ring ring;
    csspgo_sample x;
    csspgo_mmap map;
    csspgo_error e;
    unsigned i, samples = 0;
    memset(&ring, 0, sizeof ring);
    ring.data = data;
    ring.size = sizeof data;
    ring.bounce = bounce;
    ring.bounce_size = sizeof bounce;
    ring.event.sample_type = 0x27;                    /* IP, TID, TIME, CALLCHAIN */
    for (i = 0; i < 9; i++) {                         /* the ring wraps */
        ring_put_sample(&ring, data, 100 + i, stacks[i % 3], 2);
        while (csspgo_ring_next(&ring, &x, &map, &e) == CSSPGO_ITEM_SAMPLE) {
            T_EQ(csspgo_trace_sampler_add(t, &x, 1, NULL), CSSPGO_OK);
            samples++;
        }
        T_EQ(e.status, CSSPGO_OK);
    }
    T_EQ(samples, 9);
    offered_is(t, "1 main,work,mid\n1\n");
    csspgo_trace_sampler_free(t);
    csspgo_code_free(code);
}

static void branch_records_show_functions(void)
{
    csspgo_code *code = sampled_code();
    csspgo_trace_sampler *t = sampler_of(code, 0, 0, 0);
    csspgo_branch b[3];
    csspgo_sample s;
    const uint64_t stack[2] = { 0x1501, 0x1001 };     /* tailer, main */
    memset(b, 0, sizeof b);
    memset(&s, 0, sizeof s);
    b[2].from = 0x1100;                               /* the oldest: work to mid */
    b[2].to = 0x1200;
    b[1].from = 0x1210;                               /* not taken */
    b[1].to = 0x1300;
    b[1].flags = UINT64_C(1) << 33;
    b[0].from = 0x1220;                               /* wrong path */
    b[0].to = 0x1300;
    b[0].flags = UINT64_C(1) << 24;
    s.stack = stack;
    s.stack_count = 2;
    s.branches = b;
    s.branch_count = 3;
    s.time = 1;
    T_EQ(csspgo_trace_sampler_add(t, &s, 1, NULL), CSSPGO_OK);
    offered_is(t, "1 main,work,mid,tailer\n1\n");
    csspgo_trace_sampler_free(t);
    csspgo_code_free(code);
}

/* A return address less one is in the middle of the call, where no instruction begins. */
static void callers_in_decoded_code_are_found(void)
{
    static const unsigned char bytes[] = { 0xe8, 0x01, 0, 0, 0, 0xc3, 0x90, 0xc3 };   /* call 6; ret; 6: nop; ret */
    static const char *const names[] = { "caller", "callee" };
    const uint64_t stack[2] = { 0x2006, 0x2005 };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    const csspgo_code_bytes b = { CSSPGO_X86_64, 0x2000, bytes, sizeof bytes, NULL, 0 };
    csspgo_trace_sampler *t;
    csspgo_module none;
    csspgo_sample s;
    size_t i;
    none.id = 0;
    T_EQ(csspgo_code_add_bytes(code, none, &b, NULL), CSSPGO_OK);
    for (i = 0; i < 2; i++) {
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = 0x2000 + 6 * i;
        f.end = f.begin + 6 - 4 * i;
        f.name = names[i];
        f.name_size = 6;
        T_EQ(csspgo_code_add_function(code, none, &f, NULL), CSSPGO_OK);
    }
    t = sampler_of(code, 0, 0, 0);
    memset(&s, 0, sizeof s);
    s.stack = stack;
    s.stack_count = 2;
    s.time = 1;
    T_EQ(csspgo_trace_sampler_add(t, &s, 1, NULL), CSSPGO_OK);
    offered_is(t, "1 caller,callee\n1\n");
    csspgo_trace_sampler_free(t);
    csspgo_code_free(code);
}

static void sampling_survives_every_failing_allocation(void)
{
    csspgo_code *code = sampled_code();
    long nth;
    for (nth = 1; nth < 200; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_trace_sampler_options how;
        csspgo_trace_sampler *t;
        csspgo_layout *l = NULL;
        csspgo_status s;
        memset(&how, 0, sizeof how);
        how.join_equal = 1;
        t = csspgo_trace_sampler_new(code, &how, &o, NULL);
        s = t != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) s = add_sample(t, "9 1 rec main");
        if (s == CSSPGO_OK) s = add_sample(t, "8 2 leaf mid work main");
        if (s == CSSPGO_OK) s = add_sample(t, "7 3 rec main");
        if (s == CSSPGO_OK) s = (l = csspgo_layout_new(NULL, &o, NULL)) != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) s = csspgo_trace_sampler_offer(t, l, NULL);
        if (s == CSSPGO_OK) T_EQ(csspgo_layout_get_stats(l).traces, 2);
        csspgo_trace_sampler_free(t);
        csspgo_layout_free(l);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 15 && nth < 200);
    csspgo_code_free(code);
}

int main(void)
{
    graphs_are_ordered_as_by_llvm();
    a_graph_that_makes_no_sense_is_refused();
    an_order_is_a_permutation_that_depends_on_structure_only();
    weight_counts_like_copies();
    T_FAILING(ordering_survives_every_failing_allocation());
    text_is_read_and_written_as_by_llvm();
    the_rows_of_the_grammar();
    kinds_of_files_add_up();
    names_have_at_most_the_length_of_the_limit();
    bad_text_is_refused_where_it_is_bad();
    names_are_not_lost();
    names_read_back_or_are_refused();
    an_unknown_rule_is_refused();
    reservoirs_are_merged_as_by_llvm();
    our_reservoir_never_holds_more_than_it_may();
    every_trace_has_the_same_chance();
    llvm_22_fills_up_again();
    a_stream_beyond_all_counting_is_refused();
    as_long_as_all_are_kept_grouping_does_not_matter();
    T_FAILING(merging_survives_every_failing_allocation());
    orders_are_those_of_llvm();
    areas_are_those_of_llvm();
    functions_find_their_symbols();
    every_linker_gets_its_form();
    areas_are_printed_as_floats();
    pages_follow_sizes();
    code_is_placed();
    positions_depend_on_structure_only();
    weights_and_sizes_change_the_order();
    all_groups_count_if_asked();
    areas_count_by_weight();
    functions_without_size_make_no_groups();
    only_symbols_leaves_the_others_out();
    T_FAILING(an_order_survives_every_failing_allocation());
    indexed_profiles_are_read();
    indexed_profiles_are_written();
    T_FAILING(writing_an_index_survives_every_failing_allocation());
    every_prefix_of_an_indexed_profile_is_rejected();
    another_version_is_refused();
    raw_profiles_of_every_machine_are_read();
    raw_profiles_stand_behind_each_other();
    raw_profiles_of_llvm_are_read();
    T_FAILING(reading_survives_every_failing_allocation());
    the_first_call_of_a_phase_is_recorded();
    T_FAILING(collecting_survives_every_failing_allocation());
    chunks_with_equal_bytes_come_together();
    equal_chunks_follow_the_first_of_them();
    T_FAILING(ordering_chunks_survives_every_failing_allocation());
    samples_become_traces();
    equal_traces_are_joined();
    address_spaces_are_kept_apart();
    branch_records_show_functions();
    callers_in_decoded_code_are_found();
    a_ring_becomes_traces();
    T_FAILING(sampling_survives_every_failing_allocation());
    return t_end();
}
