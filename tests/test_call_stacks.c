/* test_call_stacks.c - call stacks of names: collapsed stacks, text of perf script, V8's profiles; bad input, memory */
#include "t.h"
#define CSSPGO_CALL_STACKS_IMPLEMENTATION
#include "../examples/share/call_stacks.h"
#include "out.h"

static void print_stack(t_out *out, const csspgo_stack *s)
{
    size_t i;
    for (i = 0; i < s->frame_count; i++) {
        t_str(out, i != 0 ? ";" : "");
        t_add(out, s->frames[i].name, s->frames[i].size);
        t_str(out, s->frames[i].inlined ? "_[i]" : s->frames[i].kernel ? "_[k]" : "");
    }
    t_num(out, " ", s->count, 10);
    if (s->comm_size != 0) {
        t_str(out, " |");
        t_add(out, s->comm, s->comm_size);
        t_num(out, "|", s->pid, 10);
        t_num(out, "/", s->tid, 10);
        t_num(out, "|", s->time, 10);
        t_str(out, "|");
        t_add(out, s->event, s->event_size);
    }
    t_str(out, "\n");
}

/* The stacks of a text fed in pieces of a size, as text; the status and what was counted. */
static csspgo_status read_text(t_out *out, csspgo_stacks_form form, const char *text, size_t size, size_t piece,
                               const csspgo_options *options, csspgo_stacks_stats *stats)
{
    csspgo_error e;
    csspgo_stacks *d = csspgo_stacks_new(form, options, &e);
    csspgo_stack s;
    size_t at, n;
    memset(out, 0, sizeof *out);
    t_str(out, "");
    if (d == NULL) return e.status;
    for (at = 0; at < size && e.status == CSSPGO_OK; at += n) {
        unsigned char *copy;
        n = size - at < piece ? size - at : piece;
        copy = t_copy(text + at, n);
        T_EQ(csspgo_stacks_feed(d, copy, n, NULL), CSSPGO_OK);
        while (csspgo_stacks_next(d, &s, &e)) print_stack(out, &s);
        free(copy);
    }
    csspgo_stacks_end(d);
    while (csspgo_stacks_next(d, &s, &e)) print_stack(out, &s);
    if (stats != NULL) *stats = csspgo_stacks_get_stats(d);
    csspgo_stacks_free(d);
    return e.status;
}

static void reads(const char *text, csspgo_stacks_form form, csspgo_status status, const char *want)
{
    const size_t size = strlen(text);
    size_t piece;
    T_EQ(csspgo_stacks_sniff(text, size), form);
    for (piece = 1; piece <= size; piece = piece < 8 ? piece + 1 : size) {
        t_out out;
        T_EQ(read_text(&out, form, text, size, piece, NULL, NULL), status);
        if (!T_CHECK(strcmp(out.at, want) == 0)) fprintf(stderr, "%s", out.at);
        t_out_free(&out);
        if (piece == size) break;
    }
}

static const char script[] =
    "Web Content 2 12/13 [001] 100.000000123: 1 cycles:u: \n"
    "\t  55e1 foo(int, char (*)[2])+0x1 (/bin/x y)\n"
    "\t  55e1 bar<a> (inlined)\n"
    "\tffffffff81000000 sys+0x22 ([kernel.kallsyms])\n"
    "  x.c:12\n"
    "\t  44 [unknown] (/usr/lib/libx.so)\n"
    "\t  45\n"
    "\t   0 [unknown] ([unknown])\n\n"
    "3\n"
    "x 1 2.5: e: 1234 f+0x2 (/b)\n"
    "x 1 PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 00:00 0 0]: r-xp /x\n"
    "y 7 2.6: e: 1235 g\n"
    "z 8 2.6: nothing:\n\n";

/* Names and files with blanks and brackets of their own. */
static const char brackets[] =
    "x 1 2.5: e:\n"
    "\t 9 h(a (b))\n"
    "\t 8 operator()(int) const (/home/u/a b/prog)\n"
    "\t 7 std::vector<int, A<int> >::push_back(int&&)+0x10 (/home/u/prog (deleted))\n"
    "\t 6 f() (/home/u (old)/prog)\n"
    "\t 5 [unknown] (/home/u/p (x) y)\n"
    "\t 4 [unknown] (/x/a (deleted))\n"
    "\t 3 [unknown] (/x) y/q)\n"
    "\t 2 g(int (*)(char)) (/x/a(b)\n"
    "\t 1 [unknown] (/x/a(b) (deleted))\n\n";

static void forms_are_read(void)
{
    reads("main;read;parse 12\nmain;read_[i] 3\n\nmain 1\n# 5 12x\n", CSSPGO_STACKS_FOLDED, CSSPGO_OK,
          "main;read;parse 12\nmain;read_[i] 3\nmain 1\n");
    reads("a b 1\r\nb;c 18446744073709551615\r\nd 18446744073709551616\r\ne 0", CSSPGO_STACKS_FOLDED, CSSPGO_OK,
          "a b 1\nb;c 18446744073709551615\n");
    reads(script, CSSPGO_STACKS_SCRIPT, CSSPGO_OK,
          "0x45;[libx.so];sys_[k];bar<a>_[i];foo(int, char (*)[2]) 1 |Web Content 2|12/13|100000000123|cycles:u\n"
          "f 3 |x|1/1|2500000000|e\n"
          "g 1 |y|7/7|2600000000|e\n");
    reads(brackets, CSSPGO_STACKS_SCRIPT, CSSPGO_OK,
          "[a(b)];g(int (*)(char));[q];[a];[p (x) y];f();std::vector<int, A<int> >::push_back(int&&);operator()(int) const;h(a (b)) 1 |x|1/1|2500000000|e\n");
    reads("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":-1},\"hitCount\":0,"
          "\"children\":[3,2]},{\"id\":2,\"callFrame\":{\"functionName\":\"f\\u00e9\\ud83d\\ude00\\\"\"},\"hitCount\":3},"
          "{\"id\":3,\"callFrame\":{\"functionName\":\"\",\"url\":\"file:///a/b.js\",\"lineNumber\":4},\"hitCount\":5}],"
          "\"samples\":[2,3]}\n", CSSPGO_STACKS_V8, CSSPGO_OK,
          "f\xc3\xa9\xf0\x9f\x98\x80\" 3\n(anonymous) b.js:5 5\n");
    reads("{\"samples\":[2,2,1],\"nodes\":[{\"id\":2,\"callFrame\":{\"functionName\":\"a\"}},"
          "{\"callFrame\":{\"functionName\":\"r\"},\"children\":[2],\"id\":1}]}", CSSPGO_STACKS_V8, CSSPGO_OK,
          "r 1\nr;a 2\n");
}

static void bad_input_is_told(void)
{
    static const char *const no_v8[] = {
        "{\"callFrame\":1}", "{\"nodes\":[{\"id\":1}],\"callFrame\":0}",
        "{\"nodes\":[{\"id\":1,\"callFrame\":{}}]}",
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"children\":[9]}]}",
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"}},{\"id\":1,\"callFrame\":{\"functionName\":\"b\"}}]}",
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"}}],\"samples\":[7]}",
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"hitCount\":0}]}",
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"hitCount\":1}]} x",
        "{\"nodes\":[ ],\"callFrame\":0}", "{\"nodes\":[],\"samples\":[1],\"callFrame\":0}" };
    csspgo_stacks_stats stats;
    t_out out;
    size_t i;
    for (i = 0; i < sizeof no_v8 / sizeof *no_v8; i++) reads(no_v8[i], CSSPGO_STACKS_V8, CSSPGO_E_SYNTAX, "");
    T_EQ(read_text(&out, CSSPGO_STACKS_FOLDED, "main\n", 5, 5, NULL, &stats), CSSPGO_E_SYNTAX);
    T_CHECK(stats.bad_lines == 1 && stats.first_bad_line == 1 && stats.lines == 1);
    t_out_free(&out);
    T_EQ(csspgo_stacks_sniff("main:12:3\n 1: 12\n", 17), CSSPGO_STACKS_NONE);
    T_EQ(csspgo_stacks_sniff("\t 55e1\n\t 55e2\n", 14), CSSPGO_STACKS_NONE);
    T_EQ(csspgo_stacks_sniff("{ \"a\": 1 }", 10), CSSPGO_STACKS_NONE);
    T_EQ(csspgo_stacks_sniff("", 0), CSSPGO_STACKS_NONE);
    T_CHECK(csspgo_stacks_new(CSSPGO_STACKS_NONE, NULL, NULL) == NULL);
}

/* A prefix of V8's JSON is never a profile. Lines above max_line are left out, stacks above it are cut. */
static void limits_hold(void)
{
    static const char v8[] = "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\\n\"},\"hitCount\":1}]}";
    csspgo_options o;
    csspgo_stacks_stats stats;
    t_out out;
    size_t n;
    for (n = 0; n + 1 < sizeof v8; n++) {
        T_CHECK(read_text(&out, CSSPGO_STACKS_V8, v8, n, 7, NULL, NULL) != CSSPGO_OK);
        t_out_free(&out);
    }
    memset(&o, 0, sizeof o);
    o.limits.max_line = 10;
    T_EQ(read_text(&out, CSSPGO_STACKS_FOLDED, "a;bbbbbbbbbbb 1\nc 2\n", 20, 3, &o, &stats), CSSPGO_OK);
    T_CHECK(strcmp(out.at, "c 2\n") == 0 && stats.bad_lines == 1);
    t_out_free(&out);
    memset(&o, 0, sizeof o);
    for (n = 64; n <= 4096; n += 64) {
        csspgo_status s;
        o.limits.max_bytes = n;
        s = read_text(&out, CSSPGO_STACKS_SCRIPT, script, sizeof script - 1, 50, &o, NULL);
        T_CHECK(s == CSSPGO_E_LIMIT || (s == CSSPGO_OK && n > 64));
        T_CHECK(s == CSSPGO_OK || n != 4096);
        t_out_free(&out);
    }
}

static void every_allocation_may_fail(void)
{
    long nth;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        t_out out;
        const csspgo_status s = read_text(&out, CSSPGO_STACKS_SCRIPT, script, sizeof script - 1, 9, &o, NULL);
        t_out_free(&out);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 5);
}

int main(void)
{
    forms_are_read();
    bad_input_is_told();
    limits_hold();
    T_FAILING(every_allocation_may_fail());
    return t_end();
}
