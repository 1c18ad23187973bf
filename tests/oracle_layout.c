/* oracle_layout.c - random temporal profiles, for oracle_layout.sh: makes them, and compares what LLVM made of them.
 *
 *     oracle_layout generate DIR SEED COUNT     DIR/I.0.in, I.1.in, ..; DIR/I.options: reservoir, length, test traces
 *     oracle_layout compare DIR COUNT           with DIR/I.merged, .indexed, .order, .status, as llvm-profdata made them
 *     oracle_layout write DIR COUNT             DIR/I.ours: what csspgo merges by its own rule
 */
#include "t.h"
#define CSSPGO_LINKER_ORDER_IMPLEMENTATION
#include "../examples/share/linker_order.h"

static uint64_t seed;

static unsigned rnd(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((seed >> 33) % n);
}

typedef struct options {
    unsigned reservoir, length, tests, inputs;
} options;

static FILE *create(const char *dir, unsigned long i, const char *name)
{
    char path[300];
    FILE *f;
    snprintf(path, sizeof path, "%s/%lu.%s", dir, i, name);
    f = fopen(path, "w");
    if (f == NULL) abort();
    return f;
}

/* Some functions are local ones, and some are in no record. */
static void put_name(FILE *f, unsigned n)
{
    if (n % 11 == 3) fprintf(f, "dir/file%u.c;", n % 5);
    fprintf(f, "f%u", n);
}

static void generate_input(const char *dir, unsigned long i, unsigned input, unsigned functions)
{
    char name[40];
    FILE *f;
    unsigned traces = rnd(4) == 0 ? rnd(3) : rnd(14), k, n, length, feature;
    snprintf(name, sizeof name, "%u.in", input);
    f = create(dir, i, name);
    fprintf(f, rnd(8) == 0 ? ":csir\n" : ":ir\n");
    if (rnd(9) == 0) fprintf(f, ":entry_first\n");
    fprintf(f, ":temporal_prof_traces\n%u\n%u\n", traces, traces + (rnd(2) ? rnd(20) : 0));
    for (k = 0; k < traces; k++) {
        feature = rnd(functions);
        length = 1 + rnd(functions);
        fprintf(f, "%u\n", rnd(4));
        for (n = 0; n < length; n++) {
            put_name(f, rnd(3) == 0 ? rnd(functions) : (feature + n) % functions);
            fprintf(f, ",");
        }
        fprintf(f, "\n");
    }
    for (k = 0; k < functions; k++) {
        if (rnd(20) == 0) continue;
        put_name(f, k);
        fprintf(f, "\n%u\n%u\n", k * 7 + 1, 1 + k % 3);
        for (n = 0; n <= k % 3; n++) fprintf(f, "%u\n", rnd(1000));
    }
    fclose(f);
}

static void generate(const char *dir, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++) {
        static const unsigned sizes[] = { 5, 20, 60, 150, 400 };
        const unsigned functions = 1 + rnd(sizes[rnd(i % 20 == 19 ? 5 : 4)]);
        options o;
        unsigned k;
        FILE *f;
        o.inputs = 1 + rnd(4);
        o.reservoir = rnd(2) ? rnd(12) : 100;
        o.length = rnd(4) ? 10000 : rnd(30);
        o.tests = rnd(3) ? 0 : rnd(4);
        for (k = 0; k < o.inputs; k++) generate_input(dir, i, k, functions);
        f = create(dir, i, "options");
        fprintf(f, "%u %u %u %u\n", o.reservoir, o.length, o.tests, o.inputs);
        fclose(f);
    }
}

static char *content(const char *dir, unsigned long i, const char *name, size_t *size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%lu.%s", dir, i, name);
    return t_file(path, size);
}

static options options_of(const char *dir, unsigned long i)
{
    size_t size;
    options o;
    char *text = content(dir, i, "options", &size);
    if (sscanf(text, "%u %u %u %u", &o.reservoir, &o.length, &o.tests, &o.inputs) != 4) abort();
    free(text);
    return o;
}

static csspgo_layout *layout_of(uint32_t llvm, uint32_t traces, uint32_t length)
{
    csspgo_layout_options o;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    o.limit_traces = o.limit_length = 1;
    o.max_traces = traces;
    o.max_length = length;
    return csspgo_layout_new(&o, NULL, NULL);
}

static csspgo_layout *merged(const char *dir, unsigned long i, uint32_t llvm)
{
    const options o = options_of(dir, i);
    csspgo_layout *l = layout_of(llvm, o.reservoir, o.length);
    unsigned k;
    for (k = 0; k < o.inputs; k++) {
        char name[40], *text;
        size_t size;
        csspgo_error e;
        snprintf(name, sizeof name, "%u.in", k);
        text = content(dir, i, name, &size);
        if (!T_EQ(csspgo_layout_read(l, text, size, &e), CSSPGO_OK)) fprintf(stderr, "%lu: %s\n", i, e.message);
        free(text);
    }
    return l;
}

static char *written(const csspgo_layout *l, size_t *size)
{
    char *text;
    csspgo_layout_write(l, NULL, 0, size, NULL);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    T_EQ(csspgo_layout_write(l, text, *size, size, NULL), CSSPGO_OK);
    return text;
}

static void compare_order(const char *dir, unsigned long i, const char *from, const char *what)
{
    const options o = options_of(dir, i);
    csspgo_layout *l = layout_of(19, UINT32_MAX, UINT32_MAX);
    csspgo_layout_order_options how;
    csspgo_layout_evaluate_options test;
    csspgo_layout_format form;
    csspgo_layout_score score;
    csspgo_error e;
    uint64_t *id = (uint64_t *)calloc(5000, sizeof *id);
    size_t size, want_size, n;
    char *want = content(dir, i, "order", &want_size), *status = content(dir, i, "status", &size), *text;
    csspgo_status s;
    memset(&how, 0, sizeof how);
    memset(&test, 0, sizeof test);
    memset(&form, 0, sizeof form);
    how.partition.llvm = form.llvm = 19;
    how.test_traces = test.test_traces = o.tests;
    text = content(dir, i, from, &size);
    if (!T_EQ(csspgo_layout_read(l, text, size, &e), CSSPGO_OK)) fprintf(stderr, "%s: %s\n", what, e.message);
    free(text);
    s = csspgo_layout_order(l, &how, id, 5000, &n, &e);
    T_EQ(s != CSSPGO_OK, status[0] != '0');
    if (s == CSSPGO_OK) {
        csspgo_layout_evaluate(l, id, n, &test, &score, NULL);
        form.has_area = o.tests != 0;
        form.area = score.area;
        csspgo_layout_write_order(l, id, n, &form, NULL, 0, &size, NULL);
        text = (char *)malloc(size + 1);
        if (text == NULL) abort();
        csspgo_layout_write_order(l, id, n, &form, text, size, &size, NULL);
        t_same(what, text, size, want, want_size);
        free(text);
    }
    free(id);
    free(want);
    free(status);
    csspgo_layout_free(l);
}

static void compare(const char *dir, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++) {
        csspgo_layout *l = merged(dir, i, 19);
        char what[100], *text, *want;
        size_t size, want_size;
        text = written(l, &size);
        want = content(dir, i, "merged", &want_size);
        snprintf(what, sizeof what, "case %lu, merged", i);
        t_same(what, text, size, want, want_size);
        free(text);
        free(want);
        csspgo_layout_free(l);
        snprintf(what, sizeof what, "case %lu, order of the text", i);
        compare_order(dir, i, "merged", what);
        snprintf(what, sizeof what, "case %lu, order of the indexed profile", i);
        compare_order(dir, i, "indexed", what);
    }
}

static void write_ours(const char *dir, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++) {
        csspgo_layout *l = merged(dir, i, 0);
        size_t size;
        char *text = written(l, &size);
        FILE *f = create(dir, i, "ours");
        fwrite(text, 1, size, f);
        fclose(f);
        free(text);
        csspgo_layout_free(l);
    }
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "generate") == 0) {
        seed = strtoul(argv[3], NULL, 10);
        generate(argv[2], strtoul(argv[4], NULL, 10));
        return 0;
    }
    if (argc == 4 && strcmp(argv[1], "write") == 0) {
        write_ours(argv[2], strtoul(argv[3], NULL, 10));
        return t_failed != 0;
    }
    if (argc != 4 || strcmp(argv[1], "compare") != 0) return 2;
    compare(argv[2], strtoul(argv[3], NULL, 10));
    return t_end();
}
