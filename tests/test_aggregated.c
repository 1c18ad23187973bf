/* test_aggregated.c - counts without contexts: BOLT's pre-aggregated text is read, added up, written and counted */
#include "t.h"
#define CSSPGO_PREAGG_WRITE_IMPLEMENTATION
#include "../examples/share/preagg_write.h"
#include "table.h"
#include "out.h"

#define UNWIND "data/unwind/"

static csspgo_preagg *preagg_of(const csspgo_code *code, csspgo_module module, uint32_t llvm,
                                const csspgo_options *options)
{
    csspgo_preagg_options how;
    memset(&how, 0, sizeof how);
    how.code = code;
    how.module = module;
    how.llvm = llvm;
    return csspgo_preagg_new(&how, options, NULL);
}

static void print_line(t_out *out, const csspgo_preagg_line *l)
{
    char kind[2] = { 0, 0 };
    kind[0] = (char)l->kind;
    t_str(out, kind);
    t_num(out, " ", l->from, 16);
    t_num(out, " ", l->to, 16);
    t_num(out, " ", l->end, 16);
    t_num(out, " ", l->count, 10);
    t_num(out, " ", l->mispredicted, 10);
    if (l->event != NULL) t_add(out, l->event, l->event_size);
    t_str(out, "\n");
}

/* Prints the lines of a text that is fed in pieces of a size; d is freed. */
static csspgo_error print_text(t_out *out, csspgo_preagg *d, const char *text, size_t size, size_t piece,
                               csspgo_preagg_stats *stats)
{
    csspgo_preagg_line line;
    csspgo_error e;
    size_t at = 0, n;
    memset(out, 0, sizeof *out);
    t_str(out, "");
    do {
        unsigned char *copy;
        n = size - at < piece ? size - at : piece;
        copy = t_copy(text + at, n);
        if (n != 0) T_EQ(csspgo_preagg_feed(d, copy, n, NULL), CSSPGO_OK);
        else csspgo_preagg_end(d);
        while (csspgo_preagg_next(d, &line, &e)) print_line(out, &line);
        free(copy);
        at += n;
    } while (n != 0);
    if (stats != NULL) *stats = csspgo_preagg_get_stats(d);
    csspgo_preagg_free(d);
    return e;
}

static void lines_are_read(void)
{
    static const char text[] = "B 401189 401130 3 1\n  F  401130   401144 3 \nf 1 1 0\nT a b c 4\nR X:a 0:b :c 5\n"
                               "r F f0 6\nS abcd:7 8\nE cycles:u\nF 3 2 9\r\nB 1 2 9223372036854775807 0\n";
    static const char want[] = "B 401189 401130 0 3 1\nF 0 401130 401144 3 0\nf 0 1 1 0 0\nT a b c 4 0\nR 1 1 c 5 0\n"
                               "r 0 f f0 6 0\nS 0 7 0 8 0\nE 0 0 0 0 0cycles:u\nB 1 2 0 9223372036854775807 0\n";
    static const size_t pieces[] = { 1, 2, 3, 7, 4096 };
    size_t i;
    for (i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        csspgo_preagg_stats stats;
        t_out out;
        const csspgo_error e = print_text(&out, csspgo_preagg_new(NULL, NULL, NULL), text, sizeof text - 1, pieces[i],
                                          &stats);
        T_EQ(e.status, CSSPGO_OK);
        t_same("lines", out.at, out.size, want, sizeof want - 1);
        T_EQ(stats.line_count, 10);
        T_EQ(stats.reversed, 1);
        T_EQ(stats.first_reversed, 9);
        t_out_free(&out);
    }
}

/* Each line of data/preagg/lines.tsv: LINE, what BOLT 19 and 21 say of it. Counts below 0 are refused although BOLT
 * takes them. */
static void lines_are_taken_and_refused_as_bolt_does(void)
{
    size_t size, n = 0;
    char *text = t_file("data/preagg/lines.tsv", &size), *at = text, *row;
    if (text != NULL) t_piece(&at, "\n");
    while (at != NULL && *at != '\0' && (row = t_piece(&at, "\n")) != NULL) {
        char *line = t_piece(&row, "\t"), *bolt19 = t_piece(&row, "\t"), *bolt21 = t_piece(&row, "\t"), *both;
        const size_t length = strlen(line);
        int new_bolt;
        line = (char *)memcpy(malloc(length + 1), line, length);
        line[length] = '\n';
        for (new_bolt = 0; new_bolt < 2; new_bolt++) {
            csspgo_module none = csspgo_no_module();
            t_out out;
            const csspgo_error e = print_text(&out, preagg_of(NULL, none, new_bolt ? 0 : 19, NULL), line, length + 1,
                                              1 + n % 9, NULL);
            both = new_bolt ? bolt21 : bolt19;
            if (!T_EQ(e.status == CSSPGO_OK, strncmp(both, "accepted", 8) == 0 && memchr(line, '-', length) == NULL))
                fprintf(stderr, "%.*s\n", (int)length, line);
            t_out_free(&out);
        }
        free(line);
        n++;
    }
    T_EQ(n, 22);
    free(text);
}

static void errors_say_where(void)
{
    static const struct { const char *text; csspgo_status status; uint32_t line, column; const char *says;
    } bad[] = {
        { "\n", CSSPGO_E_SYNTAX, 1, 1, "expected T, R, S, E, B, F, f or r" },
        { "B 1 2 3 4\n# x\n", CSSPGO_E_SYNTAX, 2, 1, "expected T, R, S, E, B, F, f or r" },
        { "\tB 1 2 3 4\n", CSSPGO_E_SYNTAX, 1, 1, "expected T, R, S, E, B, F, f or r" },
        { "BB 1 2 3 4\n", CSSPGO_E_SYNTAX, 1, 2, "malformed field: expected a blank behind the line's letter" },
        { "B\n", CSSPGO_E_SYNTAX, 1, 2, "malformed field: the line ends before it" },
        { "F 1 2\n", CSSPGO_E_SYNTAX, 1, 6, "malformed field: the line ends before it" },
        { "F 1 0x2 3\n", CSSPGO_E_SYNTAX, 1, 6, "expected hexadecimal number" },
        { "F 1 X: 3\n", CSSPGO_E_SYNTAX, 1, 7, "expected hexadecimal number" },
        { "F 1 2 3x\n", CSSPGO_E_SYNTAX, 1, 8, "expected decimal number" },
        { "F 1 2 3  \n", CSSPGO_E_SYNTAX, 1, 9, "expected end of line" },
        { "F 1 2 3 4\n", CSSPGO_E_SYNTAX, 1, 9, "expected end of line" },
        { "F 1 10000000000000000 3\n", CSSPGO_E_RANGE, 1, 5, "a number above 64 bits" },
        { "F 1 2 -3\n", CSSPGO_E_RANGE, 1, 7, "a count below 0" },
        { "F 1 2 9223372036854775808\n", CSSPGO_E_RANGE, 1, 7, "a count above 2^63 - 1" },
        { "F 1 2 18446744073709551616\n", CSSPGO_E_RANGE, 1, 7, "a number above 64 bits" },
        { "F 1 2 3\nF 1 2 3", CSSPGO_E_TRUNCATED, 2, 8, "the last line has no end" },
    };
    size_t i, k;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (k = 1; k < 30; k += 9) {
            t_out out;
            const char *lf = strchr(bad[i].text, '\n');
            const csspgo_error e = print_text(&out, csspgo_preagg_new(NULL, NULL, NULL), bad[i].text,
                                              strlen(bad[i].text), k, NULL);
            T_EQ(e.status, bad[i].status);
            T_EQ(e.line, bad[i].line);
            T_EQ(e.column, bad[i].column);
            T_EQ(e.offset, (bad[i].line == 1 ? 0 : (size_t)(lf - bad[i].text) + 1) + bad[i].column - 1);
            if (!T_CHECK(strcmp(e.message, bad[i].says) == 0)) fprintf(stderr, "%s: %s\n", bad[i].text, e.message);
            t_out_free(&out);
        }
}

static void limits_and_arguments(void)
{
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_preagg_options how;
    csspgo_preagg *d;
    csspgo_error e;
    t_out out;
    int i;
    for (i = 0; i < 2; i++) {
        o.limits.max_line = 8;
        e = print_text(&out, csspgo_preagg_new(NULL, &o, NULL), "F 1 2 33\nF 1 2 333\n", 19, i == 0 ? 3 : 100, NULL);
        T_EQ(e.status, CSSPGO_E_LIMIT);
        T_EQ(e.line, 2);
        t_same("lines before a long one", out.at, out.size, "F 0 1 2 33 0\n", 13);
        t_out_free(&out);
    }
    memset(&how, 0, sizeof how);
    how.llvm = 21;
    T_CHECK(csspgo_preagg_new(&how, NULL, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    how.llvm = 0;
    how.module.id = 1;
    T_CHECK(csspgo_preagg_new(&how, NULL, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    d = csspgo_preagg_new(NULL, NULL, NULL);
    T_EQ(csspgo_preagg_feed(d, "F 1 2 3\n", 8, NULL), CSSPGO_OK);
    T_EQ(csspgo_preagg_feed(d, "F 1 2 3\n", 8, NULL), CSSPGO_E_ARGUMENT);
    csspgo_preagg_end(d);
    T_EQ(csspgo_preagg_feed(d, "F 1 2 3\n", 8, NULL), CSSPGO_E_ARGUMENT);
    csspgo_preagg_free(d);
    csspgo_preagg_free(NULL);
    csspgo_aggregator_free(NULL);
}

/* Link-time addresses become run-time addresses of the module that the id names; unknown ids are other code. */
static void ids_name_modules(void)
{
    static const char text[] = "S 10 1\nS aabb:10 1\nS AAbbcc:10 1\nS ccdd:10 1\nS eeff:10 1\nS X:10 1\nS aab:10 1\n";
    csspgo_segment segment;
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_module a, b;
    csspgo_error e;
    t_out out;
    memset(&segment, 0, sizeof segment);
    segment.size = 0x1000;
    segment.executable = 1;
    a = csspgo_code_add_module(code, "a", 1, &segment, 1, NULL);
    b = csspgo_code_add_module(code, "b", 1, &segment, 1, NULL);
    T_EQ(csspgo_code_set_bias(code, a, 0x1000000, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_set_bias(code, b, 0x2000000, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_set_build_id(code, b, "\xcc\xdd", 2, NULL), CSSPGO_OK);
    e = print_text(&out, preagg_of(code, a, 0, NULL), text, sizeof text - 1, 4096, NULL);
    T_EQ(e.status, CSSPGO_OK);
    t_same("a module without id takes all ids", out.at, out.size,
           "S 0 1000010 0 1 0\nS 0 1000010 0 1 0\nS 0 1000010 0 1 0\nS 0 1000010 0 1 0\nS 0 1000010 0 1 0\n"
           "S 0 1 0 1 0\nS 0 1 0 1 0\n", 18 * 5 + 12 * 2);
    t_out_free(&out);
    T_EQ(csspgo_code_set_build_id(code, a, "\xaa\xbb\xcc\xdd", 4, NULL), CSSPGO_OK);
    e = print_text(&out, preagg_of(code, a, 0, NULL), text, sizeof text - 1, 4096, NULL);
    T_EQ(e.status, CSSPGO_OK);
    t_same("ids", out.at, out.size,
           "S 0 1000010 0 1 0\nS 0 1000010 0 1 0\nS 0 1000010 0 1 0\nS 0 2000010 0 1 0\nS 0 1 0 1 0\nS 0 1 0 1 0\n"
           "S 0 1 0 1 0\n", 18 * 4 + 12 * 3);
    t_out_free(&out);
    csspgo_code_free(code);
}

/* ----- adding up -------------------------------------------------------------------------------------------------- */

static int demo_load(t_table *t)
{
    return T_EQ(t_table_load(t, UNWIND "tables/demo.probe.tsv", NULL), CSSPGO_OK);
}

/* What an aggregator writes, for free(). */
static char *written(const csspgo_aggregator *a, uint32_t form, size_t *size)
{
    char *text;
    T_EQ(csspgo_write_preagg(a, form, NULL, 0, size, NULL), CSSPGO_OK);
    text = (char *)t_copy("", 0);
    text = (char *)realloc(text, *size + 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write_preagg(a, form, text, *size, size, NULL), CSSPGO_OK);
    if (*size != 0) T_EQ(csspgo_write_preagg(a, form, text, *size - 1, NULL, NULL), CSSPGO_E_SHORT);
    T_EQ(csspgo_write_preagg(a, form, text, *size, size, NULL), CSSPGO_OK);
    return text;
}

/* Reads a text into an aggregator. */
static csspgo_status add_text(csspgo_aggregator *a, const t_table *t, const char *text, size_t size)
{
    csspgo_preagg *d = preagg_of(t->code, t->module, 0, NULL);
    csspgo_preagg_line line;
    csspgo_error e;
    csspgo_status s = CSSPGO_OK;
    csspgo_preagg_feed(d, text, size, NULL);
    while (s == CSSPGO_OK && csspgo_preagg_next(d, &line, &e)) s = csspgo_aggregator_count(a, &line, 1, NULL);
    csspgo_preagg_end(d);
    if (s == CSSPGO_OK) csspgo_preagg_next(d, &line, &e);
    csspgo_preagg_free(d);
    return s != CSSPGO_OK ? s : e.status;
}

static csspgo_status add_script(csspgo_aggregator *a, const char *text, size_t size)
{
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    csspgo_status status = CSSPGO_OK;
    csspgo_script_feed(s, text, size, NULL);
    csspgo_script_end(s);
    while (status == CSSPGO_OK && (item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE)
        if (item == CSSPGO_ITEM_SAMPLE) status = csspgo_aggregator_add(a, &sample, 1, NULL);
    csspgo_script_free(s);
    return status;
}

static void samples_become_the_known_text(void)
{
    t_table t;
    size_t size, want_size, script_size;
    char *script = t_file(UNWIND "traces/demo.probe.ps", &script_size), *want, *got;
    csspgo_aggregator *a, *b;
    csspgo_aggregator_stats s;
    if (!demo_load(&t) || script == NULL) return;
    a = csspgo_aggregator_new(t.code, t.module, NULL, NULL);
    T_EQ(add_script(a, script, script_size), CSSPGO_OK);
    want = t_file("data/preagg/demo.traces.preagg", &want_size);
    got = written(a, CSSPGO_PREAGG_TRACES, &size);
    t_same("traces", got, size, want, want_size);
    s = csspgo_aggregator_get_stats(a);
    T_EQ(s.samples, 17);
    T_CHECK(s.branches > 100 && s.no_branches == 0);
    b = csspgo_aggregator_new(t.code, t.module, NULL, NULL);
    T_EQ(add_text(b, &t, got, size), CSSPGO_OK);
    free(got);
    free(want);
    want = written(a, 0, &want_size);
    got = written(b, 0, &size);
    t_same("the same through traces", got, size, want, want_size);
    csspgo_aggregator_free(b);
    b = csspgo_aggregator_new(t.code, t.module, NULL, NULL);
    T_EQ(add_text(b, &t, want, want_size), CSSPGO_OK);
    free(got);
    got = written(b, 0, &size);
    t_same("what is read is written", got, size, want, want_size);
    csspgo_aggregator_free(a);
    csspgo_aggregator_free(b);
    free(got);
    free(want);
    free(script);
    t_table_free(&t);
}

/* In demo.probe: leaf is 401130 to 401177, mid 401180 to 4011ae. */
static void sums_do_not_depend_on_the_order(void)
{
    static const char *const lines[] = {
        "B 401189 401130 3 1\n", "B 401189 401130 4 2\n", "F 401130 401144 3\n", "f 401130 401144 2\n",
        "F 401130 401144 9223372036854775807\n", "T 401189 401130 401144 5\n", "T 401171 401159 40116c 6\n",
        "R 401176 40118e 40119b 7\n", "r 40118e 40119b 8\n", "S 401130 9\n", "S 401130 1\n", "E cycles\n",
        "B X:5 401130 1 1\n", "B 401176 X:9 2 0\n", "B X:1 X:2 77 0\n", "B 1 2 3 4\n", "T 401189 401130 X:0 1\n",
        "F 401130 40118e 5\n", "F 401144 401130 1\n", "T 401189 401130 401144 0\n" };
    static const char want[] = "F 401130 401144 9223372036854775807\nf 401130 401144 7\nF 401159 40116c 6\n"
                               "f 40118e 40119b 15\nB X:0 401130 1 1\nB 401171 401159 6 0\nB 401176 X:0 2 0\n"
                               "B 401176 40118e 7 0\nB 401189 401130 13 3\n";
    static const char traces[] = "E cycles\nF 401130 401144 9223372036854775807\nf 401130 401144 2\n"
                                 "r 40118e 40119b 8\nB X:0 401130 1 1\nT 401171 401159 40116c 6\nB 401176 X:0 2 0\n"
                                 "R 401176 40118e 40119b 7\nB 401189 401130 8 3\nT 401189 401130 401144 5\n"
                                 "S 401130 10\n";
    const size_t n = sizeof lines / sizeof lines[0];
    t_table t;
    size_t turn, i;
    if (!demo_load(&t)) return;
    for (turn = 0; turn < n; turn++) {
        csspgo_aggregator *a = csspgo_aggregator_new(t.code, t.module, NULL, NULL);
        csspgo_aggregator_stats s;
        size_t size;
        char *got;
        for (i = 0; i < n; i++) {
            const char *line = lines[(turn + i * 7) % n];                /* 7 and n have no common factor */
            T_EQ(add_text(a, &t, line, strlen(line)), CSSPGO_OK);
        }
        got = written(a, 0, &size);
        t_same("for every BOLT", got, size, want, sizeof want - 1);
        free(got);
        got = written(a, CSSPGO_PREAGG_TRACES, &size);
        t_same("traces", got, size, traces, sizeof traces - 1);
        free(got);
        s = csspgo_aggregator_get_stats(a);
        T_EQ(s.outside, 80);
        T_EQ(s.crossing, 1);
        csspgo_aggregator_free(a);
    }
    t_table_free(&t);
}

static void records_of_samples(void)
{
    static const char want[] = "F 401159 40116c 2\nB X:0 40118e 2 0\nB 401171 401159 2 2\n";
    csspgo_branch b[5];
    csspgo_sample s[3];
    uint64_t ip = 0x401130;
    csspgo_aggregator *a;
    csspgo_aggregator_stats stats;
    t_table t;
    size_t size;
    char *got;
    if (!demo_load(&t)) return;
    memset(b, 0, sizeof b);
    memset(s, 0, sizeof s);
    b[0].from = 0x40116c;                             /* newest: into other code; it ends a range */
    b[0].to = 0x7ffff7000000;
    b[1].from = b[2].from = 0x401165;                 /* not taken */
    b[1].to = b[2].to = 0x401200;
    b[1].flags = b[2].flags = (uint64_t)1 << 33;
    b[3].from = 0x401171;
    b[3].to = 0x401159;
    b[3].flags = 1;
    b[4].from = 5;                                    /* from other code into mid, and then from leaf */
    b[4].to = 0x40118e;
    s[0].branches = b;
    s[0].branch_count = 5;
    s[0].count = 2;
    s[1].stack = &ip;
    s[1].stack_count = 1;
    b[0].from = 0x40116c;
    a = csspgo_aggregator_new(t.code, t.module, NULL, NULL);
    T_EQ(csspgo_aggregator_add(a, s, 3, NULL), CSSPGO_OK);
    got = written(a, 0, &size);
    T_CHECK(strncmp(got, want, 18) == 0);
    T_CHECK(size > 0 && got[size - 1] == '\n');
    got[size - 1] = '\0';
    T_CHECK(strstr(got, "B X:0 40118e 2 0\nB 40116c X:0 2 0\nB 401171 401159 2 2") != NULL);
    free(got);
    got = written(a, CSSPGO_PREAGG_TRACES, &size);
    T_CHECK(size > 14 && memcmp(got + size - 11, "S 401130 1\n", 11) == 0);
    free(got);
    stats = csspgo_aggregator_get_stats(a);
    T_EQ(stats.samples, 4);
    T_EQ(stats.branches, 6);
    T_EQ(stats.no_branches, 2);
    T_EQ(stats.crossing, 1);
    csspgo_aggregator_free(a);
    t_table_free(&t);
}

static void unknown_kinds_and_modules_are_arguments(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_aggregator *a;
    csspgo_preagg_line l[2];
    csspgo_module m = csspgo_no_module();
    csspgo_error e;
    memset(l, 0, sizeof l);
    l[0].kind = 'S';
    l[1].kind = 'x';
    a = csspgo_aggregator_new(code, m, NULL, NULL);
    T_EQ(csspgo_aggregator_count(a, l, 2, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_collector_count(c, l, 2, &e), CSSPGO_E_ARGUMENT);
    m.id = 1;
    T_CHECK(csspgo_aggregator_new(code, m, NULL, &e) == NULL && e.status == CSSPGO_E_ARGUMENT);
    csspgo_aggregator_free(a);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}

/* ----- counting --------------------------------------------------------------------------------------------------- */

/* The lines of a text go into a collector. */
static csspgo_status count_text(csspgo_collector *c, const t_table *t, const char *text, const csspgo_options *options)
{
    csspgo_preagg *d = preagg_of(t->code, t->module, 0, options);
    csspgo_preagg_line line;
    csspgo_error e;
    csspgo_status s = d != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    size_t at, n, size = strlen(text);
    for (at = 0; s == CSSPGO_OK && at < size; at += n) {
        n = size - at < 10 ? size - at : 10;
        csspgo_preagg_feed(d, text + at, n, NULL);
        while (s == CSSPGO_OK && csspgo_preagg_next(d, &line, &e)) s = csspgo_collector_count(c, &line, 1, NULL);
        if (s == CSSPGO_OK) s = e.status;
    }
    csspgo_preagg_free(d);
    return s;
}

static void lines_are_counted(void)
{
    static const char text[] = "B 401189 401130 3 1\nF 401130 401144 3\nf 401130 401144 2\nr 40118e 40119b 8\n"
                               "T 401171 401159 40116c 6\nR 401176 40118e 40119b 7\nB X:5 401130 1 1\n"
                               "B 401176 X:9 2 0\nF 1 401144 2\nF 401130 X:0 2\nF 401130 401175 2\n"
                               "T 401189 401130 X:0 1\nE cycles\nB 401171 401159 0 0\n";
    static const char want[] = "3\n130-144:5\n159-16c:6\n18e-19b:15\n4\nffffffffffbff001->130:1\n171->159:6\n"
                               "176->18e:7\n189->130:4\n";
    csspgo_collector *c;
    csspgo_collector_stats s;
    uint64_t ip = 0x401130;
    csspgo_sample stack;
    t_table t;
    char got[400];
    size_t size;
    if (!demo_load(&t)) return;
    c = csspgo_collector_new(t.code, NULL, NULL, NULL);
    T_EQ(count_text(c, &t, text, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_has_contexts(c), 0);
    T_EQ(csspgo_write_unsymbolized(c, NULL, got, sizeof got, &size, NULL), CSSPGO_OK);
    t_same("raw counters", got, size, want, sizeof want - 1);
    s = csspgo_collector_get_stats(c);
    T_EQ(s.unplaced, 3);
    T_EQ(s.invalid_ranges, 1);
    T_EQ(count_text(c, &t, "S 401130 7\nS X:0 3\n", NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_get_stats(c).addresses, 7);
    csspgo_collector_free(c);
    c = csspgo_collector_new(t.code, NULL, NULL, NULL);
    memset(&stack, 0, sizeof stack);
    stack.stack = &ip;
    stack.stack_count = 1;
    T_EQ(csspgo_collector_add(c, &stack, 1, NULL), CSSPGO_OK);
    T_EQ(count_text(c, &t, "S 401130 7\n", NULL), CSSPGO_OK);        /* beside stacks: no context */
    T_EQ(csspgo_collector_get_stats(c).addresses, 8);
    T_EQ(csspgo_collector_has_contexts(c), 1);
    csspgo_collector_free(c);
    t_table_free(&t);
}

/* ----- memory ----------------------------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void)
{
    static const char lines[] = "E x\nT 401189 401130 401144 3\nB 401171 401159 0 1\nF 401130 401144 3\n";
    t_table t;
    long nth;
    if (!demo_load(&t)) return;
    for (nth = 1;; nth++) {
        t_heap heap;
        csspgo_options o = t_options(&heap, nth);
        csspgo_collector *c = csspgo_collector_new(t.code, NULL, &o, NULL);
        csspgo_status s = c != NULL ? count_text(c, &t, "B 401189 401130 3 1\nF 401130 401144 3\n", &o)
                                    : CSSPGO_E_NOMEM;
        csspgo_collector_free(c);
        T_EQ(heap.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 4);
    for (nth = 1;; nth++) {
        t_heap heap;
        csspgo_options o = t_options(&heap, nth);
        csspgo_aggregator *a = csspgo_aggregator_new(t.code, t.module, &o, NULL);
        char text[400];
        csspgo_status s = a != NULL ? add_text(a, &t, lines, sizeof lines - 1) : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) s = csspgo_write_preagg(a, 0, text, sizeof text, NULL, NULL);
        csspgo_aggregator_free(a);
        T_EQ(heap.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 4);
    t_table_free(&t);
}

static void memory_is_bounded(void)
{
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_preagg_line l;
    csspgo_aggregator *a;
    csspgo_status s = CSSPGO_OK;
    t_table t;
    uint64_t i;
    if (!demo_load(&t)) return;
    o.limits.max_bytes = 20000;
    a = csspgo_aggregator_new(t.code, t.module, &o, NULL);
    memset(&l, 0, sizeof l);
    l.kind = 'B';
    l.count = 1;
    for (i = 0; s == CSSPGO_OK && i < 0x71 * 0x71; i++) {
        l.from = 0x401130 + i % 71;
        l.to = 0x401130 + i / 71 % 71;
        s = csspgo_aggregator_count(a, &l, 1, NULL);
    }
    T_EQ(s, CSSPGO_E_LIMIT);
    T_CHECK(heap.peak <= 20000);
    T_EQ(csspgo_write_preagg(a, 0, NULL, 0, NULL, NULL), CSSPGO_OK);      /* a full one can be written */
    csspgo_aggregator_free(a);
    t_table_free(&t);
}

int main(void)
{
    lines_are_read();
    lines_are_taken_and_refused_as_bolt_does();
    errors_say_where();
    limits_and_arguments();
    ids_name_modules();
    samples_become_the_known_text();
    sums_do_not_depend_on_the_order();
    records_of_samples();
    unknown_kinds_and_modules_are_arguments();
    lines_are_counted();
    T_FAILING(every_allocation_may_fail());
    memory_is_bounded();
    return t_end();
}
