/* test_recordings.c - perf script text of any fields; mappings of several processes; build ids; offsets in files */
#include "t.h"
#include "code.h"
#include "table.h"

/* ----- text of any fields: the items ----- */

typedef struct text_out {         /* what was printed */
    char   at[1 << 14];
    size_t size;
} text_out;

static void print(text_out *out, const char *format, unsigned long long a, unsigned long long b)
{
    if (out->size > sizeof out->at - 100) return;
    out->size += (size_t)snprintf(out->at + out->size, sizeof out->at - out->size, format, a, b);
}

static void print_item(text_out *out, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m)
{
    static const char *const names[] = { "none", "S", "M", "other", "comm", "fork", "exit", "id" };
    uint32_t i;
    out->size += (size_t)sprintf(out->at + out->size, "%s ", names[item]);
    if (item == CSSPGO_ITEM_SAMPLE) {
        print(out, "%llu/%llu", s->pid, s->tid);
        if (s->count != 1) print(out, " x%llu", s->count, 0);
        for (i = 0; i < s->stack_count; i++) print(out, " %llx", s->stack[i], 0);
        for (i = 0; i < s->branch_count; i++) {
            print(out, " %llx>%llx", s->branches[i].from, s->branches[i].to);
            if (s->branches[i].flags >> 33 & 1) print(out, "N", 0, 0);
            if ((s->branches[i].flags >> 24 & 3) == 1) print(out, "W", 0, 0);
            if (s->branches[i].flags >> 20 & 15) print(out, ":%llu", s->branches[i].flags >> 20 & 15, 0);
            if (s->branches[i].flags >> 26 & 15) print(out, ".%llu", s->branches[i].flags >> 26 & 15, 0);
        }
    } else if (item == CSSPGO_ITEM_MMAP) {
        print(out, "%llu %llx", m->pid, m->address);
        for (i = 0; i < m->build_id_size; i++) print(out, i == 0 ? " %02llx" : "%02llx", m->build_id[i], 0);
    } else {
        print(out, item == CSSPGO_ITEM_COMM ? "%llu/%llu " : "%llu/%llu", s->pid, s->tid);
        if (item == CSSPGO_ITEM_COMM)
            out->size += (size_t)sprintf(out->at + out->size, "%.*s", (int)m->path_size, m->path);
        print(out, item == CSSPGO_ITEM_COMM ? m->executable ? " exec" : "" : " of %llu", m->pid, 0);
    }
    print(out, "\n", 0, 0);
}

static void expect_same(const char *path, const char *got, const char *want)
{
    t_same(path, got, strlen(got), want, strlen(want));
}

static csspgo_script *any_script(const csspgo_code *code)
{
    csspgo_script_options how;
    memset(&how, 0, sizeof how);
    how.code = code;
    return csspgo_script_new(&how, NULL, NULL);
}

/* Prints the items of a text that is fed in pieces of a size. */
static csspgo_status print_text(text_out *out, const char *text, size_t piece, const csspgo_code *code,
                                csspgo_script_stats *stats)
{
    const size_t size = strlen(text);
    csspgo_script *s = any_script(code);
    csspgo_error e;
    size_t at = 0, n;
    out->size = 0;
    out->at[0] = '\0';
    do {
        csspgo_sample sample;
        csspgo_mmap map;
        csspgo_item item;
        unsigned char *copy;
        n = size - at < piece ? size - at : piece;
        copy = t_copy(text + at, n);
        if (n != 0) T_EQ(csspgo_script_feed(s, copy, n, NULL), CSSPGO_OK);
        else csspgo_script_end(s);
        while ((item = csspgo_script_next(s, &sample, &map, &e)) != CSSPGO_ITEM_NONE)
            print_item(out, item, &sample, &map);
        free(copy);
        at += n;
    } while (n != 0);
    *stats = csspgo_script_get_stats(s);
    csspgo_script_free(s);
    return e.status;
}

#define MAP "PERF_RECORD_MMAP2 7/7: [0x401000(0x1000) @ 0x1000 00:1d 1001 1]: r-xp /x/demo.probe\n"

static void samples_of_text_are_of_events(void)
{
    static const char text[] =
        "w 9  1.5:   100 cycles:u: \n\t 1\n\n"
        "w 9 [003]  1.5:   100    br_inst_retired.near_taken:upp: \n\t 2\n 0x1/0x2/P/-/-/0 \n\n"
        "  1000   12.000001:           401159 \n"
        "demo 12 cycles:u: \n\t 3\n\n"
        "w 9/10  1.5: cpu_core/event=0xc4,umask=0x20/upp:           401159 f(int)\n"
        "a: b 9  1.5: syscalls:sys_enter_write: fd: 0x00000001, buf: 0x00 \n\t 4\n\n"
        "w 9  1.5: dummy: \n";                        /* no sample */
    static const char want[] = "1 2 0 1 3 4 | cycles:u 2 | br_inst_retired.near_taken:upp 1 | "
                               "cpu_core/event=0xc4,umask=0x20/upp 1 | syscalls:sys_enter_write 1 | dummy 0 ";
    size_t piece;
    for (piece = 1; piece < sizeof text; piece += 6) {
        csspgo_script *s = any_script(NULL);
        char got[600];
        size_t at, used = 0;
        uint32_t i;
        csspgo_event_info e;
        for (at = 0; at <= sizeof text - 1; at += piece) {
            const size_t n = sizeof text - 1 - at < piece ? sizeof text - 1 - at : piece;
            csspgo_sample sample;
            csspgo_mmap map;
            csspgo_item item;
            csspgo_script_feed(s, text + at, n, NULL);
            if (at + piece > sizeof text - 1) csspgo_script_end(s);
            while ((item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE)
                if (item == CSSPGO_ITEM_SAMPLE) used += (size_t)sprintf(got + used, "%u ", sample.event);
        }
        for (i = 1; csspgo_script_event(s, i, &e); i++)
            used += (size_t)sprintf(got + used, "| %.*s %u ", (int)e.name_size, e.name, (unsigned)e.samples);
        T_CHECK(!csspgo_script_event(s, 0, &e) && e.name == NULL);
        expect_same("events of text", got, want);
        csspgo_script_free(s);
    }
}

/* Neither so many names nor such long ones are kept; their samples are. */
static void names_of_events_are_bounded(void)
{
    enum { NAMES = 1500 };
    char *text = (char *)malloc(NAMES * 40 + 600);
    size_t size = 0;
    uint32_t last = 0, i;
    csspgo_script *s = any_script(NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_event_info e;
    csspgo_item item;
    memset(text, 'x', 300);
    size = 300 + (size_t)sprintf(text + 300, ": \n\t 1\n\n");
    for (i = 0; i < NAMES; i++) size += (size_t)sprintf(text + size, "event%u: \n\t %u\n\n", i, i + 1);
    csspgo_script_feed(s, text, size, NULL);
    for (i = 0; (item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE; i++) last = sample.event;
    T_CHECK(i == NAMES && last == 0);                    /* the last one waits for more */
    T_CHECK(csspgo_script_event(s, 1024, &e) && e.samples == 1 && e.name_size == 9 && memcmp(e.name, "event1023", 9) == 0);
    T_CHECK(!csspgo_script_event(s, 1025, &e));
    csspgo_script_free(s);
    free(text);
}

static void lines_of_any_fields_are_samples(void)
{
    static const struct { const char *text, *items; } by_example[] = {
        /* stacks and records */
        { "\t 401159\n\t 40118e\n 0x1/0x2/P/-/-/0  0x3/0x4/PN/-/-/0 \n\n", "S 0/0 401159 40118e 1>2 3>4N\n" },
        { "37\n\t 1\n\t 2\n 0x1/0x2/P\n", "S 0/0 x37 1 2 1>2\n" },
        { "\n\t 1\n\t 2\n\n 0x1/0x2/P\n\n\n\t 3\n 0x5/0x6\n", "S 0/0 1 2 1>2\nS 0/0 3 5>6\n" },
        { "\t 1 leaf+0x4 (/x/y z)\n\t 2 f(int, 0x1/0x2) const (/x/y)\n 0x1/0x2/P\n", "S 0/0 1 2 1>2\n" },
        { "\t 1 [demo]\n  file.c:5\n\t 2 [unknown]\n  ??:0\n 0x1/0x2/P\n", "S 0/0 1 2 1>2\n" },
        { " 0x1(/x/a (b) c)/0x2(/x/d)/M/-/-/0  0x3([unknown])/0x4(x)/-N\n", "S 0/0 1>2 3>4N\n" },
        { "\t 1\n 0x1/0x2/P 0x3/junk 0x5/0x6\n", "S 0/0 1 1>2\n" },
        { "\t 1\n 0x1/0x2/P\n\n\t 2\n const0116c/0x401150/P/-/-/0\n 0x3/0x4/P\n", "S 0/0 1 1>2\nS 0/0 2 3>4\n" },
        /* frames that are inlined in the one that follows are none */
        { "\t 1 f (inlined)\n\t 1 g+0x1 (/x/y)\n\t 2 (inlined)\n\t 2\n\t 3\n 0x1/0x2/P\n", "S 0/0 1 2 3 1>2\n" },
        { "\t 1 f+0x12 (inlined) \n\t 1 g(int) (inlined)\r\n\t 1 h(int)\n 0x1/0x2/P\n", "S 0/0 1 1>2\n" },
        { "\t 1 f (inlined)\n\t 1 g\n\t 1 f (inlined)\n\t 1 g\n\n", "S 0/0 1 1\n" },
        { "\t 1 f\n  a b.c:5 (inlined)\n\t 1 g\n  a b.c:7\n\t 2\n  ??:0\n 0x1/0x2/P\n", "S 0/0 1 2 1>2\n" },
        { " 1 f (inlined)\n 1 g (/x)\n 2 (inlined)\n 2 (/y)\n\n", "S 0/0 1 2\n" },
        { "  1 (inlined)\n  1\n\n  3 (inlined)\n  3\n", "S 0/0 1\nS 0/0 3\n" },
        { "\tffffffff81000010 f (inlined)\n\tffffffff81000010 g ([kernel.kallsyms])\n\t 2\n\n",
          "S 0/0 ffffffff81000010 2\n" },
        /* "(inlined)" in a name */
        { "\t 1 f(inlined)\n\t 1 f((inlined) const)\n\t 1 f (inlined) (/x/y)\n\t 1 a<b (inlined)>\n 0x1/0x2/P\n",
          "S 0/0 1 1 1 1 1>2\n" },
        { "\t 1 f(inlined) (inlined)\n\t 1 operator (inlined) T (inlined)\n\t 1 f\n 0x1/0x2/P\n", "S 0/0 1 1>2\n" },
        /* the function itself may have another name than its symbol */
        { "\t 1 f (inlined)\n\t 1 g (inlined)\n\t 2 h (inlined)\n\t 3 i\n\t 4 j (inlined)\n 0x1/0x2/P\n",
          "S 0/0 1 1 2 3 4 1>2\n" },
        { "\t 1 f (inlined)\n\n\t 1 g\n\n", "S 0/0 1\nS 0/0 1\n" },
        /* stacks alone */
        { "\t 1\n\t 2\n\n\t 3\n", "S 0/0 1 2\nS 0/0 3\n" },
        { " 1\n 2\n\n 3\n", "S 0/0 1 2\nS 0/0 3\n" },
        { " 1 f (/x)\n 2 g (/y)\n\n 3 no closing\n", "S 0/0 1 2\n" },
        { "w 9  1.5:   100 cycles:u: \n\t 1\n\t 2\nw 8  1.6:   100 cycles:u: \n\t 3\n", "S 9/9 1 2\nS 8/8 3\n" },
        { "\t 1\n" MAP "\t 2\n", "S 0/0 1\nM 7 401000\nS 0/0 2\n" },
        /* records alone */
        { " 0x1/0x2/P  0x3/0x4/P \n 0x5/0x6/P \n", "S 0/0 1>2 3>4\nS 0/0 5>6\n" },
        { " 0x1/0x2/-/-/-/0  0x3/0x4/-N/-/-/0 \n", "S 0/0 1>2 3>4N\n" },
        { "          401159  0x1/0x2/P\n", "S 0/0 1>2\n" },
        { " 1000            401159  0x1/0x2/P\n 1001  0x3/0x4/P\n", "S 1000/1000 1>2\nS 1001/1001 3>4\n" },
        { " 0x1/0x2/P/-/-/0/COND/-  0x3/0x4/MN/-/-/65535/COND/SPEC_WRONG_PATH \n", "S 0/0 1>2:1 3>4NW:1\n" },
        { " 0x1/0x2/-/-/-/0/ERET/SPEC_CORRECT_PATH 0x3/0x4/-/-/-/0/ARCH_3/- 0x5/0x6/-/-/-/0//SPEC_WRONG_PATH\n",
          "S 0/0 1>2:11 3>4:15.5 5>6W\n" },
        { " 0x1/0x2/P/-/-/0/ODD/SPEC_WRONG_PATHS 0x3/0x4/P/X/A/0/IRQ\n", "S 0/0 1>2 3>4:12\n" },
        /* sampled addresses alone */
        { "  1000   12.000001:           401159 \n  1001   12.000002:     7ff401159abc leaf+0x1 (/x/y)\n",
          "S 1000/1000 401159\nS 1001/1001 7ff401159abc\n" },
        { "        deadbeef  1000 12.000001:    100 cycles:u:           401159 f(int)\n"
          "        deadbeef  1000 12.000001:    100 cycles:u: \n\t 1\n\n1000            401159\n",
          "S 1000/1000 401159\nS 1000/1000 1\nS 1000/1000 401159\n" },
        { "BR_INST_RETIRED.NEAR_TAKEN:pdir:     7ff70a1b1482 \r\n", "S 0/0 7ff70a1b1482\n" },
        { "# x: 7            401159\n\t 1\n# y:\n\t 2\n", "S 0/0 1 2\n" },
        /* other records than those of a processor */
        { "BR_INST_RETIRED.NEAR_TAKEN:pdir:    7ff70a1b1482 0x7ff70a1b1482/0x7ff70a1b1430/P/-/A/0 0x1/0x2/P/-/A/0\r\n",
          "S 0/0 7ff70a1b1482>7ff70a1b1430 1>2\n" },
        { " 0x1/0x2/PN/-/-/17/COND/-  0x0/0x9/-/-/-/0//- \n", "S 0/0 1>2N:1 0>9\n" },
        { "3\n 1a2B:0x1/0x2/P 0x3/1a2b:0x4/P\n\n", "S 0/0 x3 1>2 3>1\n" },
        /* whose sample it is */
        { " 1000 \n\t 1\n 0x1/0x2/P\n 1001 \n\t 2\n 0x1/0x2/P\n", "S 1000/1000 1 1>2\nS 1001/1001 2 1>2\n" },
        { "a b 10/11 [003]  2599.922020:  99 cycles:u: \n\t 1\n", "S 10/11 1\n" },
        { "my demo 10  2599.922020: \n\t 1\n", "S 10/10 1\n" },
        { "    a 10 [003]  2599.922020: \n\t 1\n", "S 10/10 1\n" },
        { "br_inst_retired.near_taken:upp: \n\t 1\n\t 2\n", "S 0/0 1 2\n" },
        { "demo 12 cycles: \n\t 1\n\n\t 2\n", "S 12/12 1\nS 0/0 2\n" },
        /* events */
        { " 5 PERF_RECORD_FORK(6:6):(5:5)\n 5 PERF_RECORD_EXIT(6:7):(5:5)\n 6 PERF_RECORD_COMM exec: a b:c:6/6\n"
          "x 1  0.1: PERF_RECORD_COMM: d:8/9\n\t 1\n",
          "fork 6/6 of 5\nexit 6/7 of 5\ncomm 6/6 a b:c exec\ncomm 8/9 d\nS 0/0 1\n" },
        { "PERF_RECORD_MMAP2 -1/0: [0x401000(0x1000) @ 0 <0a1Bff>]: r-xp /x/y\n\t 1\n",
          "M 4294967295 401000 0a1bff\nS 0/0 1\n" },
        { "\t 1 PERF_RECORD_FORK(1:1):(2:2)\n", "S 0/0 1\n" },
        { "PERF_RECORD_FORK(6:6):(5\nPERF_RECORD_COMM exec\nPERF_RECORD_LOST\n\t 1\r\n\r\n", "S 0/0 1\n" },
        /* a stack that is missing among others */
        { "\t 1\n 0x1/0x2/P\n\n 0x3/0x4/P\n", "S 0/0 1 1>2\nS 0/0 3>4\n" },
        { " 0x3/0x4/P\n\t 1\n 0x1/0x2/P\n\n 0x5/0x6/P\n\t 2\n 0x1/0x2/P\n",
          "S 0/0 3>4\nS 0/0 1 1>2\nS 0/0 5>6\nS 0/0 2 1>2\n" },
    };
    static const size_t pieces[] = { 1, 2, 3, 7, 4096 };
    size_t i, k;
    for (i = 0; i < sizeof by_example / sizeof by_example[0]; i++)
        for (k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
            text_out out;
            csspgo_script_stats stats;
            T_EQ(print_text(&out, by_example[i].text, pieces[k], NULL, &stats), CSSPGO_OK);
            t_same(by_example[i].text, out.at, out.size, by_example[i].items, strlen(by_example[i].items));
        }
}

/* Times stand in headers of samples and events; what is no time, or too large, is none. */
static void times_are_nanoseconds(void)
{
    static const struct { const char *text; uint64_t time; } by_example[] = {
        { "w 9  1.5:   100 cycles:u: \n\t 1\n", 1500000000 },
        { "w 9/9 [001]  2599.922020: \n\t 1\n", UINT64_C(2599922020000) },
        { "a 1.5 b 7 12.000000007123: \n\t 1\n", UINT64_C(12000000007) },
        { "x 1  0.25: PERF_RECORD_COMM: d:8/9\n", 250000000 },
        { "x 1  0.25: PERF_RECORD_FORK(6:6):(5:5)\n", 250000000 },
        { " 7  3.000001:  401159  0x1/0x2/P\n", UINT64_C(3000001000) },
        { "w 9\n\t 1\n", 0 },
        { "w 9  1.: \n\t 1\n", 0 },
        { "w 9  1.x: \n\t 1\n", 0 },
        { "w 9  18446744073.0: \n\t 1\n", 0 },
        { "w 9  18446744072.0: \n\t 1\n", UINT64_C(18446744072000000000) },
        { "w 9  99999999999999999999.0: \n\t 1\n", 0 },
        { "PERF_RECORD_FORK(6:6):(5:5)\n", 0 },
    };
    size_t i;
    for (i = 0; i < sizeof by_example / sizeof by_example[0]; i++) {
        csspgo_script *s = any_script(NULL);
        csspgo_sample sample;
        csspgo_mmap map;
        csspgo_item item;
        T_EQ(csspgo_script_feed(s, by_example[i].text, strlen(by_example[i].text), NULL), CSSPGO_OK);
        item = csspgo_script_next(s, &sample, &map, NULL);
        if (item == CSSPGO_ITEM_NONE) {
            csspgo_script_end(s);
            item = csspgo_script_next(s, &sample, &map, NULL);
        }
        T_CHECK(item != CSSPGO_ITEM_NONE);
        if (!T_EQ(sample.time, by_example[i].time)) fprintf(stderr, "%s\n", by_example[i].text);
        csspgo_script_free(s);
    }
}

static void a_text_without_samples_is_an_error(void)
{
    text_out out;
    csspgo_script_stats stats;
    T_EQ(print_text(&out, "", 10, NULL, &stats), CSSPGO_E_SYNTAX);
    T_EQ(print_text(&out, MAP "demo 1: x\n", 10, NULL, &stats), CSSPGO_E_SYNTAX);
    T_EQ(print_text(&out, "\t 1\n 0x1/0x2/P\n\t 1\n", 10, NULL, &stats), CSSPGO_E_TRUNCATED);
    T_EQ(stats.hybrid, 1);
    T_EQ(stats.samples, 1);
    T_EQ(print_text(&out, "\t 1\n 0x1/0x2/P\n\n 0x1/0x2/P\n\t 2\n 0x1/0x2/P x\n", 10, NULL, &stats), CSSPGO_OK);
    T_EQ(stats.samples, 3);                              /* records without a stack are a sample, too */
    T_EQ(stats.empty_stacks, 0);
    T_EQ(stats.bad_records, 1);
    T_EQ(stats.first_bad_line, 6);
}

static void records_without_addresses_are_refused(void)
{
    static const char *const texts[] = {
        "\t 401159\n leaf+0x41/leaf+0x29/P/-/-/0/  main/leaf/P/-/-/0/\n",
        "\t 401159\nf(int, char)+0x41/leaf+0x29/MN/X/A/10/\n",
        "demo 12 cycles: [unknown]/leaf/-/-/-/0/COND/-\n",
        "\t 401159\n\tleaf:\n\t0000000000401150\tinsn: 55\n\t0000000000401151\tinsn: 48 89 e5\t# PRED 3 cycles [3]\n",
    };
    size_t i;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        text_out out;
        csspgo_script_stats stats;
        T_EQ(print_text(&out, texts[i], 4096, NULL, &stats), CSSPGO_E_UNSUPPORTED);
    }
}

/* "BUILD ID:" before an address: it is where the module with that id has it. */
static void addresses_may_name_their_module(void)
{
    static const unsigned char own[20] = { 0x1a, 0x2b, 3 };
    static const char text[] = "1\n\t1a2b:140b\n\t1a2b0300:0x1410\n\taa:1410\n"
                               " 1A2b:0x140b/aa:0x1/P 0x7/1a2b:0x8(x y)/P\n";
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    const csspgo_module m = csspgo_code_add_module(code, "m", 1, NULL, 0, NULL);
    csspgo_script_stats stats;
    text_out out;
    T_EQ(csspgo_code_set_build_id(code, m, own, 20, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_set_bias(code, m, 0x100000, NULL), CSSPGO_OK);
    T_EQ(print_text(&out, text, 4096, code, &stats), CSSPGO_OK);
    expect_same("build ids in text", out.at, "S 0/0 10140b 101410 1 10140b>1 7>100008\n");
    csspgo_code_free(code);
}

static void frames_of_other_files_do_not_count(void)
{
    static const char text[] = "\t 1 f (/lib/libc.so.6)\n\t 2 main+0x1 (/x/demo (deleted))\n\t 3 g (/x y/demo)\n"
                               "\t 4 ([vdso])\n\t 5 (/tmp/perf-12.map)\n\t 6 ([unknown])\n\t 7 (//anon)\n"
                               "\t 8 (/x/demo2)\n\t 9 unclosed)\n";
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_script_stats stats;
    text_out out;
    T_CHECK(csspgo_code_add_module(code, "/build/demo", 11, NULL, 0, NULL).id != 0);
    T_EQ(print_text(&out, text, 4096, code, &stats), CSSPGO_OK);
    t_same("with files", out.at, out.size, "S 0/0 1 2 3 1 5 6 7 1 9\n", 24);
    csspgo_code_free(code);
}

/* Words that look like records, parentheses that do not close: no byte is looked at again and again. */
static void hostile_lines_end(void)
{
    static const char *const words[] = { "0x1( ", "0x1/ ", "0x1(a)/0x2( ", "( ", ") ", "P", "PERF_RECORD_ ", "1: ",
                                         "\t1 " };
    const size_t size = 1 << 20;
    char *text = (char *)malloc(size + 1);
    size_t i, n;
    if (text == NULL) abort();
    for (i = 0; i < sizeof words / sizeof words[0]; i++) {
        text_out out;
        csspgo_script_stats stats;
        for (n = 0; n < size; n++) text[n] = words[i][n % strlen(words[i])];
        text[size] = '\0';
        print_text(&out, text, size, NULL, &stats);
        T_EQ(stats.line_count, 1);
    }
    free(text);
}

/* ----- through the collector ----- */

typedef struct reading {          /* how a recording is read */
    const char *path;
    size_t      piece;
    int         perfdata, compat;
} reading;

/* Reads a recording into a collector. */
static csspgo_processes_stats read_recording(csspgo_collector *c, csspgo_code *code, reading how)
{
    csspgo_script *s = how.perfdata ? NULL : any_script(code);
    csspgo_perfdata *d = how.perfdata ? csspgo_perfdata_new(NULL, NULL) : NULL;
    csspgo_processes *spaces = csspgo_processes_new(code, NULL, NULL);
    csspgo_processes_stats stats;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    size_t size, at = 0, n;
    char *text = t_file(how.path, &size);
    do {
        n = size - at < how.piece ? size - at : how.piece;
        if (n != 0 && s != NULL) T_EQ(csspgo_script_feed(s, text + at, n, NULL), CSSPGO_OK);
        else if (n != 0) T_EQ(csspgo_perfdata_feed(d, text + at, n, NULL), CSSPGO_OK);
        else if (s != NULL) csspgo_script_end(s);
        else csspgo_perfdata_end(d);
        for (;;) {
            const csspgo_item item = s != NULL ? csspgo_script_next(s, &sample, &map, &e)
                                               : csspgo_perfdata_next(d, &sample, &map, &e);
            if (item == CSSPGO_ITEM_NONE) break;
            if (item != CSSPGO_ITEM_SAMPLE) T_EQ(csspgo_processes_event(spaces, item, &sample, &map, NULL), CSSPGO_OK);
            else if (T_EQ(csspgo_processes_sample(spaces, &sample, NULL), CSSPGO_OK))
                T_EQ(csspgo_collector_add(c, &sample, 1, NULL), CSSPGO_OK);
        }
        T_EQ(e.status, CSSPGO_OK);
        at += n;
    } while (n != 0);
    stats = csspgo_processes_get_stats(spaces);
    csspgo_processes_free(spaces);
    csspgo_script_free(s);
    csspgo_perfdata_free(d);
    free(text);
    return stats;
}

/* The raw counters of a recording, for free(). */
static char *raw_of(const char *table, reading how, csspgo_processes_stats *stats, csspgo_collector_stats *collected)
{
    csspgo_collector_options options;
    csspgo_collector *c;
    csspgo_processes_stats of;
    char *text;
    size_t size = 0;
    t_table t;
    T_EQ(t_table_load(&t, table, NULL), CSSPGO_OK);
    memset(&options, 0, sizeof options);
    options.llvm = how.compat ? 19 : 0;
    c = csspgo_collector_new(t.code, &options, NULL, NULL);
    of = read_recording(c, t.code, how);
    if (stats != NULL) *stats = of;
    T_EQ(csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL), CSSPGO_OK);
    text = (char *)calloc(size + 1, 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write_unsymbolized(c, NULL, text, size, NULL, NULL), CSSPGO_OK);
    if (collected != NULL) *collected = csspgo_collector_get_stats(c);
    csspgo_collector_free(c);
    t_table_free(&t);
    return text;
}

#define FORMS "data/recordings/"

static void every_form_of_text_gives_the_same_counters(void)
{
    static const char *const forms[] = { "plain", "brstack-dso", "brstack-slash", "brstack-type", "cxx-names",
        "default-fields", "dso-brackets", "dso-space", "event", "pid-tid-cpu-time", "srcline", "sym", "symoff-dso",
        "perf61-offsets" };
    static const size_t pieces[] = { 1u << 20, 1, 61 };
    size_t size, i, k;
    char *want = t_file(FORMS "expect.raw", &size);    /* by llvm-profgen 19 */
    reading how;
    memset(&how, 0, sizeof how);
    for (i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
            const int offsets = strcmp(forms[i], "perf61-offsets") == 0;
            csspgo_processes_stats stats;
            char path[128], *raw;
            snprintf(path, sizeof path, FORMS "%s.ps", forms[i]);
            how.path = path;
            how.piece = pieces[k];
            how.compat = 1;
            raw = raw_of("data/unwind/tables/demo.probe.tsv", how, &stats, NULL);
            expect_same(path, raw, want);
            T_EQ(stats.offset_stacks, offsets ? 4 : 0);
            T_EQ(stats.offset_frames, offsets ? 14 : 0);
            T_EQ(stats.mappings, 1);
            free(raw);
        }
    free(want);
}

static void processes_add_up(void)
{
    static const char table[] = "data/unwind/tables/demo.pie.tsv";
    static const struct { const char *path; int perfdata; unsigned mappings; } by_path[] = {
        { FORMS "multi-all.data", 1, 4 }, { FORMS "multi-all.ps", 0, 4 }, { FORMS "multi-nopid.ps", 0, 4 } };
    reading how;
    char *want, *expect;
    size_t i;
    int compat;
    memset(&how, 0, sizeof how);
    expect = t_file(FORMS "multi-expect.raw", &i);     /* of llvm-profgen 19 */
    for (compat = 0; compat < 2; compat++) {
        how.piece = 4096;
        how.compat = compat;
        how.path = FORMS "multi-single.ps";
        how.perfdata = 0;
        want = raw_of(table, how, NULL, NULL);
        if (compat) expect_same("multi-single.ps", want, expect);
        for (i = 0; i < sizeof by_path / sizeof by_path[0]; i++) {
            csspgo_processes_stats stats;
            char *raw;
            how.path = by_path[i].path;
            how.perfdata = by_path[i].perfdata;
            raw = raw_of(table, how, &stats, NULL);
            expect_same(how.path, raw, want);
            T_EQ(stats.guessed, 0);
            T_EQ(stats.mappings, by_path[i].mappings);
            T_EQ(stats.places, 3);
            free(raw);
        }
        free(want);
    }
    free(expect);
}

/* ----- address spaces, event by event ----- */

enum { PLACE = 0x10000 };         /* what is below is link-time, 0x1000 to 0x3000 */

/* A module "m": text at 0x1000 (offset 0x400) and data; every address is an instruction, a call ends at each 16th. */
static csspgo_code *some_module(csspgo_module *module)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_segment v[2];
    uint64_t a;
    memset(v, 0, sizeof v);
    v[0].size = 0x400;
    v[1].address = 0x1400;
    v[1].file_offset = 0x400;
    v[1].size = 0x1c00;
    v[1].executable = 1;
    *module = csspgo_code_add_module(code, "/build/m", 8, v, 2, NULL);
    T_EQ(csspgo_code_add_area(code, *module, 0x1400, 0x1c00, NULL), CSSPGO_OK);
    for (a = 0x140b; a < 0x3000; a += 16) {
        csspgo_transfer t;
        memset(&t, 0, sizeof t);
        t.address = a;
        t.size = 5;
        t.kind = CSSPGO_CALL;
        T_EQ(csspgo_code_add_transfers(code, *module, &t, 1, NULL), CSSPGO_OK);
    }
    return code;
}

static void mapped(csspgo_processes *s, uint32_t pid, uint64_t address, uint64_t size, uint64_t offset,
                   const char *path)
{
    csspgo_mmap m;
    memset(&m, 0, sizeof m);
    m.pid = pid;
    m.address = address;
    m.size = size;
    m.file_offset = offset;
    m.path = path;
    m.path_size = strlen(path);
    m.executable = 1;
    T_EQ(csspgo_processes_event(s, CSSPGO_ITEM_MMAP, NULL, &m, NULL), CSSPGO_OK);
}

static void happened(csspgo_processes *s, csspgo_item item, uint32_t pid, uint32_t tid, uint32_t parent)
{
    csspgo_mmap m;
    csspgo_sample sample;
    memset(&m, 0, sizeof m);
    memset(&sample, 0, sizeof sample);
    sample.pid = pid;
    sample.tid = tid;
    m.pid = parent;
    m.executable = item == CSSPGO_ITEM_COMM;
    T_EQ(csspgo_processes_event(s, item, &sample, &m, NULL), CSSPGO_OK);
}

/* Where the first address of a sample goes. */
static uint64_t placed(csspgo_processes *s, uint32_t pid, uint64_t address)
{
    csspgo_branch b;
    csspgo_sample x;
    memset(&b, 0, sizeof b);
    memset(&x, 0, sizeof x);
    b.from = b.to = address;
    b.flags = 5;
    x.branches = &b;
    x.branch_count = 1;
    x.pid = pid;
    T_EQ(csspgo_processes_sample(s, &x, NULL), CSSPGO_OK);
    T_EQ(x.branches[0].to, x.branches[0].from);
    T_EQ(x.branches[0].flags, 5);
    return x.branches[0].from;
}

static void mappings_follow_processes(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    T_EQ(placed(s, 5, 0x1500), 0x1500);                /* nothing is known: where it was linked */
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    T_EQ(placed(s, 5, 0x50500), 0x1500);               /* offset 0x500 */
    T_EQ(placed(s, 5, 0x1500), 1);                     /* link-time addresses are no run-time addresses */
    T_EQ(placed(s, 5, 0x60500), 0x60500);
    T_EQ(placed(s, 6, 0x50500), 0x1500);               /* of 6 there was no event: guessed */
    T_EQ(csspgo_processes_get_stats(s).guessed, 1);
    mapped(s, 6, 0x50000, 0x2000, 0, "/x/other");
    T_EQ(placed(s, 6, 0x50500), 0x50500);
    happened(s, CSSPGO_ITEM_FORK, 7, 7, 5);
    T_EQ(placed(s, 7, 0x50500), 0x1500);
    happened(s, CSSPGO_ITEM_COMM, 7, 7, 0);            /* executes another program */
    T_EQ(placed(s, 7, 0x50500), 0x50500);
    mapped(s, 7, 0x70000, 0x2000, 0, "/x/m");
    T_EQ(placed(s, 7, 0x70500), 0x1500);
    T_EQ(placed(s, 5, 0x70500), 0x70500);
    happened(s, CSSPGO_ITEM_FORK, 7, 8, 7);            /* a thread */
    T_EQ(placed(s, 8, 0x70500), 0x1500);               /* text tells either pid or tid */
    mapped(s, 5, 0x50800, 0x400, 0, "/x/lib");         /* hides the middle */
    T_EQ(placed(s, 5, 0x507ff), 0x17ff);
    T_EQ(placed(s, 5, 0x50800), 0x50800);
    T_EQ(placed(s, 5, 0x50c00), 0x1c00);
    T_EQ(placed(s, 0, 0x50800), 0x1800);               /* without a pid it may be in another process */
    happened(s, CSSPGO_ITEM_EXIT, 5, 5, 1);
    T_EQ(placed(s, 5, 0x50c00), 0x1c00);               /* samples may come late */
    happened(s, CSSPGO_ITEM_FORK, 5, 5, 99);           /* the pid again; the parent is not known */
    T_EQ(placed(s, 5, 0x90000), 0x90000);
    T_EQ(csspgo_processes_get_stats(s).places, 2);
    mapped(s, 5, 0x90000, 0x1000, 0, "/x/other");
    T_EQ(placed(s, 5, 0x50c00), 0x50c00);              /* what the one before had there is gone */
    mapped(s, 11, 0x80000, 0x1800, 0x800, "/x/m");
    mapped(s, 11, 0x80800, 0x400, 0, "/x/lib");        /* hides the middle of one that begins within the file */
    T_EQ(placed(s, 11, 0x80100), 0x1900);
    T_EQ(placed(s, 11, 0x80c00), 0x2400);
    mapped(s, 9, 0x50000, 0x1000, 0x900000, "/x/m");
    T_EQ(csspgo_processes_get_stats(s).unfit_mappings, 1);
    T_EQ(csspgo_code_set_bias(code, m, 0x100000, NULL), CSSPGO_OK);
    T_EQ(placed(s, 7, 0x70500), 0x101500);             /* where the code map has it */
    csspgo_processes_free(s);
    csspgo_processes_free(NULL);
    csspgo_code_free(code);
}

/* Two processes have different things at one address, and the samples do not say of which one they are. */
static void most_of_a_sample_decides_between_overlapping_mappings(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    csspgo_branch b[2];
    csspgo_sample x;
    int i;
    mapped(s, 1, 0x50000, 0x2000, 0, "/x/m");
    mapped(s, 2, 0x50808, 0x2000, 0, "/x/m");          /* calls are elsewhere here */
    mapped(s, 3, 0x50808, 0x2000, 0, "/x/m");
    T_EQ(csspgo_processes_get_stats(s).places, 2);
    T_EQ(placed(s, 0, 0x50700), 0x1700);
    T_EQ(placed(s, 0, 0x52100), 0x28f8);
    T_EQ(placed(s, 0, 0x50f00), 0x16f8);               /* both: the last one */
    mapped(s, 4, 0x50000, 0x2000, 0, "/x/m");
    T_EQ(placed(s, 0, 0x50f00), 0x1f00);
    memset(b, 0, sizeof b);
    memset(&x, 0, sizeof x);
    for (i = 0; i < 2; i++) {
        x.branches = b;
        x.branch_count = 2;
        b[0].from = i != 0 ? 0x50f1b : 0x50f13;        /* a call of the first, or of the second one */
        b[0].to = 0x50f00;
        b[1].from = 0x90000;
        b[1].to = 0x50f20;
        T_EQ(csspgo_processes_sample(s, &x, NULL), CSSPGO_OK);
        T_EQ(x.branches[0].to, i != 0 ? 0x1f00 : 0x16f8);
        T_EQ(x.branches[1].to, i != 0 ? 0x1f20 : 0x1718);
        T_EQ(x.branches[1].from, 0x90000);
    }
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

static void some_mappings_are_those_of_all_processes(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    mapped(s, 5, 0x70000, 0x2000, 0, "/x/other");
    mapped(s, UINT32_MAX, 0x50000, 0x2000, 0, "/x/m");
    mapped(s, 6, 0x60000, 0x2000, 0, "/x/m (deleted)");
    T_EQ(placed(s, 5, 0x50500), 0x1500);
    T_EQ(placed(s, 6, 0x50500), 0x1500);
    T_EQ(placed(s, 6, 0x60500), 0x1500);
    T_EQ(placed(s, 5, 0x60500), 0x60500);
    T_EQ(placed(s, 0, 0x60500), 0x1500);
    T_EQ(csspgo_processes_get_stats(s).guessed, 0);
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

static void ended_processes_are_forgotten_when_there_are_many(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_processes *s = csspgo_processes_new(code, &o, NULL);
    uint32_t pid;
    for (pid = 1; pid <= 20000; pid++) {
        mapped(s, pid, 0x50000 + 0x10000 * (uint64_t)(pid % 3), 0x2000, 0, "/x/m");
        T_EQ(placed(s, pid, 0x50500 + 0x10000 * (uint64_t)(pid % 3)), 0x1500);
        happened(s, CSSPGO_ITEM_EXIT, pid, pid, 0);
    }
    T_CHECK(h.live < 2000 && h.live_bytes < 4000000);
    csspgo_processes_free(s);
    T_EQ(h.live, 0);
    csspgo_code_free(code);
}

/* As many that ended last as the library keeps have their mappings still, for late samples; the next end takes one. */
static void the_last_ended_processes_keep_their_mappings(void)
{
    enum { KEPT = 1024, MORE = 3 };
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    uint32_t pid, ended;
    for (pid = 1; pid <= KEPT + MORE; pid++) mapped(s, pid, 0x50000, 0x2000, 0, "/x/m");
    for (ended = 1; ended <= KEPT + MORE; ended++) {
        happened(s, CSSPGO_ITEM_EXIT, ended, ended, 0);
        happened(s, CSSPGO_ITEM_EXIT, ended, ended, 0);      /* once more is no other end */
        if (ended < KEPT) continue;
        for (pid = 1; pid <= 2 * MORE; pid++) T_EQ(placed(s, pid, 0x50500), pid + KEPT <= ended ? 0x50500 : 0x1500);
    }
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/* A number whose process ended is that of a new one, by fork or by exec: ends of others do not touch it, its own does. */
static void a_number_that_is_used_again_is_no_ended_process(void)
{
    enum { OTHERS = 1100 };
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    uint32_t pid, other = OTHERS, by_exec, k;
    mapped(s, 1, 0x50000, 0x2000, 0, "/x/m");
    for (by_exec = 0; by_exec < 2; by_exec++) {
        pid = 7 + by_exec;
        mapped(s, pid, 0x50000, 0x2000, 0, "/x/other");
        happened(s, CSSPGO_ITEM_EXIT, pid, pid, 0);
        happened(s, by_exec ? CSSPGO_ITEM_COMM : CSSPGO_ITEM_FORK, pid, pid, 1);
        if (by_exec) mapped(s, pid, 0x50000, 0x2000, 0, "/x/m");
        for (k = 0; k < OTHERS; k++) {
            mapped(s, ++other, 0x50000, 0x2000, 0, "/x/m");
            happened(s, CSSPGO_ITEM_EXIT, other, other, 0);
        }
        T_EQ(placed(s, pid, 0x50500), 0x1500);
        happened(s, CSSPGO_ITEM_EXIT, pid, pid, 0);
        T_EQ(placed(s, pid, 0x50500), 0x1500);
        for (k = 0; k < OTHERS; k++) {
            mapped(s, ++other, 0x50000, 0x2000, 0, "/x/m");
            happened(s, CSSPGO_ITEM_EXIT, other, other, 0);
        }
        T_EQ(placed(s, pid, 0x50500), 0x50500);
    }
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/* An event that says that all is well was taken in; without memory it says so. */
static void events_without_memory_fail(void)
{
    int event;
    for (event = 0; event < 3; event++) {
        csspgo_status status = CSSPGO_E_NOMEM;
        long nth;
        for (nth = 1; status != CSSPGO_OK && nth < 100; nth++) {
            t_heap h;
            const csspgo_options o = t_options(&h, 0);
            csspgo_module m;
            csspgo_code *code = some_module(&m);
            csspgo_processes *s = csspgo_processes_new(code, &o, NULL);
            csspgo_mmap map;
            csspgo_sample sample;
            memset(&map, 0, sizeof map);
            memset(&sample, 0, sizeof sample);
            mapped(s, 1, 0x50000, 0x2000, 0, "/x/m");
            mapped(s, 2, 0x50000, 0x2000, 0, "/x/other");
            sample.pid = sample.tid = 3;
            map.pid = event == 0 ? 3 : 1;
            map.address = 0x50000;
            map.size = 0x2000;
            map.path = "/x/m";
            map.path_size = 4;
            map.executable = 1;
            if (event == 2) sample.pid = sample.tid = 2;     /* the child's number is known */
            h.nth = h.calls + nth;
            status = csspgo_processes_event(s, event == 0 ? CSSPGO_ITEM_MMAP : CSSPGO_ITEM_FORK, &sample, &map, NULL);
            h.nth = 0;
            if (status == CSSPGO_OK) T_EQ(placed(s, event == 2 ? 2 : 3, 0x50500), 0x1500);
            else T_EQ(status, CSSPGO_E_NOMEM);
            csspgo_processes_free(s);
            T_EQ(h.live, 0);
            csspgo_code_free(code);
        }
        T_CHECK(nth > 2 && nth < 100);
    }
}

/* Few lines that stand for many mappings: the memory is bounded, and samples find their code among all mappings. */
static void forks_of_a_large_process_have_a_limit(void)
{
    enum { LARGE = 500, CHILDREN = 2000 };
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_processes *s = csspgo_processes_new(code, &o, NULL);
    uint32_t i, round;
    uint64_t lost;
    for (i = 1; i <= LARGE; i++) mapped(s, 1, (uint64_t)i << 20, 0x2000, 0, "/x/m");
    for (round = 0; round < 2; round++) {                   /* and once more with the same numbers: nothing adds up */
        for (i = 2; i < CHILDREN; i++) happened(s, CSSPGO_ITEM_FORK, i, i, 1);
        T_CHECK(h.live_bytes < 16000000);
    }
    T_CHECK(csspgo_processes_get_stats(s).forgotten != 0);
    for (i = 2; i < CHILDREN; i += 50) T_EQ(placed(s, i, ((uint64_t)7 << 20) + 0x500), 0x1500);
    T_CHECK(csspgo_processes_get_stats(s).guessed != 0);
    for (i = 2; i < CHILDREN; i++) happened(s, CSSPGO_ITEM_COMM, i, i, 1);
    lost = csspgo_processes_get_stats(s).forgotten;
    for (i = 2; i < 100; i++) happened(s, CSSPGO_ITEM_FORK, i, i, 1);         /* there is room again */
    T_EQ(csspgo_processes_get_stats(s).forgotten, lost);
    csspgo_processes_free(s);
    T_EQ(h.live, 0);
    csspgo_code_free(code);
}

static void too_many_mappings_are_counted(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    uint64_t i;
    for (i = 1; i <= 5000; i++) mapped(s, 3, i << 20, 0x2000, 0, "/x/m");
    T_CHECK(csspgo_processes_get_stats(s).forgotten != 0);
    T_EQ(placed(s, 3, ((uint64_t)1 << 20) + 0x500), 0x1500);
    T_EQ(placed(s, 3, ((uint64_t)5000 << 20) + 0x500), ((uint64_t)5000 << 20) + 0x500);
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/* ----- repeated lines of inlined functions ----- */

/*
 * Code of FUNCTIONS functions, 256 bytes each from FUNCTION(0) on: 16 nops, then a call in the last 5 of 16 bytes each,
 * so that call c of a function returns to 32 + 16 * c. Where they lead is the model's: to a function, or by pointer
 * (-1). The last instruction is a jump to the function's `tail`, or a return (-1).
 */
enum { FUNCTIONS = 6, CALLS = 12 };

static uint32_t random_state = 1;

static uint32_t random_next(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

#define FUNCTION(f) (UINT64_C(0x10000) + 256 * (uint64_t)(f))

typedef struct call_model {
    int            to[FUNCTIONS][CALLS], tail[FUNCTIONS];
    csspgo_inline_depth inlined[FUNCTIONS][CALLS];
    csspgo_code   *code;
} call_model;

static void put_jump(unsigned char *p, unsigned opcode, uint64_t from, uint64_t to)
{
    const uint32_t away = (uint32_t)(to - from - 5);
    p[0] = (unsigned char)opcode;
    p[1] = (unsigned char)(away & 255);
    p[2] = (unsigned char)(away >> 8 & 255);
    p[3] = (unsigned char)(away >> 16 & 255);
    p[4] = (unsigned char)(away >> 24 & 255);
}

/* Makes the code of a model. */
static void model_code(call_model *m)
{
    static unsigned char bytes[256 * FUNCTIONS];
    csspgo_code_function v;
    int f, c;
    memset(bytes, 0x90, sizeof bytes);
    for (f = 0; f < FUNCTIONS; f++) {
        unsigned char *const p = bytes + 256 * f;
        for (c = 0; c < CALLS; c++) {
            const int at = 27 + 16 * c;
            if (m->to[f][c] >= 0)
                put_jump(p + at, 0xe8, FUNCTION(f) + (uint64_t)at, FUNCTION(m->to[f][c]));
            else memcpy(p + at, "\x66\x66\x90\xff\xd0", 5);              /* nop, call *%rax */
        }
        if (m->tail[f] >= 0) put_jump(p + 251, 0xe9, FUNCTION(f) + 251, FUNCTION(m->tail[f]));
        else p[255] = 0xc3;
    }
    m->code = csspgo_code_new(NULL, NULL);
    T_EQ(add_code(m->code, csspgo_no_module(), FUNCTION(0), bytes, sizeof bytes, NULL), CSSPGO_OK);
    memset(&v, 0, sizeof v);
    for (f = 0; f < FUNCTIONS; f++) {
        v.begin = FUNCTION(f);
        v.end = v.begin + 256;
        v.guid = 100 + (uint64_t)f;
        T_EQ(csspgo_code_add_function(m->code, csspgo_no_module(), &v, NULL), CSSPGO_OK);
    }
}

/* A model that is random but for function 0, whose call 0 leads to 1 only, and is inlined in itself. */
static void random_model(call_model *m)
{
    int f, c;
    for (f = 0; f < FUNCTIONS; f++) {
        m->tail[f] = random_next() % 3 == 0 ? (int)(random_next() % FUNCTIONS) : -1;
        for (c = 0; c < CALLS; c++) {
            const uint32_t all = random_next() % 3 == 0 ? 1 + (uint32_t)(random_next() % 3) : 0;
            m->to[f][c] = random_next() % 5 == 0 ? -1 : (int)(random_next() % FUNCTIONS);
            m->inlined[f][c].all = all;
            m->inlined[f][c].same = all != 0 ? (uint32_t)(random_next() % (all + 1)) : 0;
        }
    }
    m->tail[1] = m->tail[2] = -1;
    m->to[0][0] = 1;
    m->inlined[0][0].all = m->inlined[0][0].same = 1;
    model_code(m);
}

/* Callers of a walk from function 0 on, innermost first; each is 16 * function + call. Returns how many. */
static uint32_t random_stack(const call_model *m, int *caller)
{
    int walk[12], f = 0;
    uint32_t n = 0, i;
    while (n < 12 && (n == 0 || random_next() % 8 != 0)) {
        const int again = n != 0 && random_next() % 2 && f == walk[n - 1] / 16;
        const int c = again ? walk[n - 1] % 16 : (int)(random_next() % CALLS);
        walk[n++] = 16 * f + c;
        f = m->to[f][c] >= 0 ? m->to[f][c] : (int)(random_next() % FUNCTIONS);
        for (i = 0; i < 3 && m->tail[f] >= 0 && random_next() % 2; i++) f = m->tail[f];
    }
    for (i = 0; i < n; i++) caller[i] = walk[n - 1 - i];
    return n;
}

enum { TEXT_PLAIN, TEXT_SILENT, TEXT_MARKED, TEXT_NAMES, TEXT_ALL_MARKED, TEXT_FORMS };

/*
 * Prints a stack whose leaf is the first byte of function 5: all lines, those that do not say "(inlined)", or one. All
 * lines of a frame say "(inlined)" where debug information has another name for the function than its symbol.
 */
static size_t print_stack(const call_model *m, char *to, const int *caller, uint32_t n, int form)
{
    size_t size = (size_t)sprintf(to, "\t%llx%s\n", (unsigned long long)FUNCTION(5), form == TEXT_NAMES ? " f" : "");
    uint32_t i, k;
    for (i = 0; i < n; i++) {
        const int f = caller[i] / 16, c = caller[i] % 16;
        const unsigned long long a = (unsigned long long)FUNCTION(f) + 32 + 16 * (unsigned)c;
        const csspgo_inline_depth in = m->inlined[f][c];
        for (k = 0; k < in.all && form != TEXT_PLAIN && form != TEXT_NAMES; k++) {
            const int says = form == TEXT_ALL_MARKED || (form == TEXT_MARKED && k >= in.same);
            size += (size_t)sprintf(to + size, says ? "\t%llx g (inlined)\n" : form == TEXT_MARKED ? "\t%llx f\n"
                                                                                              : "\t%llx\n", a);
        }
        size += (size_t)sprintf(to + size, form == TEXT_ALL_MARKED ? "\t%llx f (inlined)\n"
                                           : form == TEXT_NAMES || form == TEXT_MARKED ? "\t%llx f\n" : "\t%llx\n", a);
    }
    return size + (size_t)sprintf(to + size, " 0x1/0x2/P/-/-/0\n\n");
}

/* The next sample of a script, folded, has these callers. */
static int folds_to(const call_model *m, csspgo_script *s, const char *text, size_t size, const int *caller, uint32_t n)
{
    csspgo_inline_depth inlined[128];
    csspgo_sample x;
    csspgo_mmap map;
    const uint64_t *stack;
    uint32_t i;
    int same, repeats = 0;
    T_EQ(csspgo_script_feed(s, text, size, NULL), CSSPGO_OK);
    if (!T_EQ(csspgo_script_next(s, &x, &map, NULL), CSSPGO_ITEM_SAMPLE)) return 0;
    memset(inlined, 0, sizeof inlined);
    for (i = 1; i < x.stack_count; i++) {
        const uint64_t in = x.stack[i] - FUNCTION(0);
        inlined[i] = m->inlined[in / 256][(in % 256 - 32) / 16];
        repeats |= x.stack[i] == x.stack[i - 1];
    }
    stack = x.stack;
    T_EQ(csspgo_script_drop_repeats(s, inlined, &x, NULL), CSSPGO_OK);
    T_CHECK(repeats || x.stack == stack);             /* without repeats nothing is copied */
    same = x.stack_count == n + 1;
    for (i = 0; same && i < n; i++)
        same = x.stack[i + 1] == FUNCTION(caller[i] / 16) + 32 + 16 * (unsigned)(caller[i] % 16);
    T_EQ(csspgo_script_next(s, &x, &map, NULL), CSSPGO_ITEM_NONE);
    return same;
}

/*
 * Whatever calls what, and whatever is inlined where: text with all lines of inlined functions, with those that perf
 * leaves without "(inlined)", and without any has the same stacks.
 */
static void lines_of_inlined_functions_fold_to_the_frames(void)
{
    const size_t models = t_size(20, 400);
    size_t k, i;
    int form;
    for (k = 0; k < models; k++) {
        call_model m;
        random_model(&m);
        for (form = 0; form < TEXT_FORMS; form++) {
            csspgo_script *s = any_script(m.code);
            size_t bad = 0;
            for (i = 0; i < 60; i++) {
                static char text[8192];
                int caller[12] = { 0 };
                const uint32_t n = i != 0 ? random_stack(&m, caller) : 1;     /* the first one tells the form */
                const size_t size = print_stack(&m, text, caller, n, form);
                bad += !folds_to(&m, s, text, size, caller, n);
            }
            if (!T_EQ(bad, 0)) fprintf(stderr, "model %u, form %d\n", (unsigned)k, form);
            csspgo_script_free(s);
        }
        csspgo_code_free(m.code);
    }
}

/* ----- memory without a file over the code of one ----- */

/*
 * A module "m": text at 0x1400 (offset 0x400), of nops and, in the last 5 of 32 bytes each, a call of 0x1400: branches
 * come from 0x141b, 0x143b ..., return addresses are 0x1420, 0x1440 ...
 */
static csspgo_code *module_of_bytes(csspgo_module *module)
{
    enum { SIZE = 0x1c00 };
    unsigned char *const bytes = (unsigned char *)malloc(SIZE);
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_segment v;
    uint32_t at;
    memset(bytes, 0x90, SIZE);
    for (at = 27; at < SIZE; at += 32) {
        const uint32_t back = 0u - (at + 5);
        bytes[at] = 0xe8;
        bytes[at + 1] = (unsigned char)(back & 255);
        bytes[at + 2] = (unsigned char)(back >> 8 & 255);
        bytes[at + 3] = bytes[at + 4] = 255;
    }
    memset(&v, 0, sizeof v);
    v.address = 0x1400;
    v.file_offset = 0x400;
    v.size = SIZE;
    v.executable = 1;
    *module = csspgo_code_add_module(code, "m", 1, &v, 1, NULL);
    T_EQ(add_code(code, *module, 0x1400, bytes, SIZE, NULL), CSSPGO_OK);
    free(bytes);
    return code;
}

static void memory_without_a_file_hides_no_module(void)
{
    static const char *const names[] = {
        "//anon", "[heap]", "[anon:text]", "/anon_hugepage (deleted)", "/memfd:hot (deleted)", "/dev/zero (deleted)",
        "/SYSV00000000 (deleted)", "/dev/hugepages/libhugetlbfs.tmp.x (deleted)", "anon_inode:x", "", "anon",
        "//toolong", "/memfd:my hot text", "memfd:x", "/dev/shm/hot.1 (deleted)", "/tmp/#123 (deleted)", "/mnt/libhugetlbfs.tmp.aB",
        "/var/lib/hugetlbfs/user/x", "/[aio] (deleted)", "[unknown]"
    };
    static const char *const others[] = { "/x/lib", "[vdso]", "[uprobes]", "/x/memfd:m", "/tmp/perf-3.map" };
    csspgo_module m;
    csspgo_code *code = module_of_bytes(&m);
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
        T_MSG(csspgo_path_is_fileless(names[i], strlen(names[i])), names[i]);
        mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
        mapped(s, 5, 0x50600, 0x200, i & 1 ? 0x50600 : 0, names[i]);
        mapped(s, 5, 0x51000, 0x5000, 0, names[i]);                     /* sticks out */
        T_EQ(placed(s, 5, 0x505bb), 0x15bb);
        T_EQ(placed(s, 5, 0x5063b), 0x163b);
        T_EQ(placed(s, 5, 0x5083b), 0x183b);
        T_EQ(placed(s, 5, 0x5103b), 0x203b);
        T_EQ(placed(s, 5, 0x55000), 0x55000);
        T_EQ(csspgo_processes_get_stats(s).covered, 2);
        happened(s, CSSPGO_ITEM_FORK, 6, 6, 5);
        T_EQ(placed(s, 6, 0x5063b), 0x163b);
        happened(s, CSSPGO_ITEM_COMM, 6, 6, 0);
        T_EQ(placed(s, 6, 0x5063b), 0x5063b);
        mapped(s, 5, 0x50600, 0x100, 0, names[i]);                      /* once more */
        T_EQ(placed(s, 5, 0x5063b), 0x163b);
        mapped(s, 7, 0x50000, 0x2000, 0, names[i]);                     /* where no module is */
        T_EQ(placed(s, 7, 0x5063b), 0x5063b);
        T_EQ(csspgo_processes_get_stats(s).refuted, 0);
        csspgo_processes_free(s);
    }
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
        T_MSG(!csspgo_path_is_fileless(others[i], strlen(others[i])), others[i]);
        mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
        mapped(s, 5, 0x50600, 0x200, 0, others[i]);
        T_EQ(placed(s, 5, 0x5063b), 0x5063b);
        csspgo_processes_free(s);
    }
    csspgo_code_free(code);
}

/* Recorded from then on: the file is only mapped where the memory is not. */
static void memory_without_a_file_goes_on_between_parts_of_one(void)
{
    csspgo_module m;
    csspgo_code *code = module_of_bytes(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    mapped(s, 5, 0x50000, 0x600, 0, "/x/m");
    mapped(s, 5, 0x50600, 0x900, 0, "//anon");
    mapped(s, 5, 0x50f00, 0x9000, 0, "/memfd:x");
    mapped(s, 5, 0x70000, 0x2000, 0, "//anon");
    T_EQ(placed(s, 5, 0x5059b), 0x159b);
    T_EQ(placed(s, 5, 0x5061b), 0x161b);
    T_EQ(placed(s, 5, 0x50f1b), 0x1f1b);
    T_EQ(placed(s, 5, 0x51ffb), 0x2ffb);
    T_EQ(placed(s, 5, 0x5201b), 0x5201b);              /* behind the segment */
    T_EQ(placed(s, 5, 0x7061b), 0x7061b);
    mapped(s, 6, 0x50600, 0x900, 0, "//anon");         /* in the order of addresses */
    T_EQ(placed(s, 6, 0x5061b), 0x5061b);
    mapped(s, 6, 0x50f00, 0x1100, 0xf00, "/x/m");
    mapped(s, 6, 0x60f00, 0x1100, 0xf00, "/x/m");
    T_EQ(placed(s, 6, 0x5061b), 0x161b);
    T_EQ(placed(s, 6, 0x50f1b), 0x1f1b);
    T_EQ(placed(s, 6, 0x505fb), 0x505fb);
    happened(s, CSSPGO_ITEM_COMM, 6, 6, 0);
    mapped(s, 6, 0x50f00, 0x1100, 0xf00, "/x/m");
    T_EQ(placed(s, 6, 0x5061b), 0x5061b);              /* that was of another program */
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/* A sample with one branch record, a sampled address and a caller, moved; returns where the caller went. */
static uint64_t caller_placed(csspgo_processes *s, uint64_t from, uint64_t to, uint64_t leaf, uint64_t caller)
{
    uint64_t stack[2];
    csspgo_branch b;
    csspgo_sample x;
    memset(&b, 0, sizeof b);
    memset(&x, 0, sizeof x);
    b.from = from;
    b.to = to;
    stack[0] = leaf;
    stack[1] = caller;
    x.stack = stack;
    x.branches = &b;
    x.stack_count = 2;
    x.branch_count = from != 0;
    x.pid = 5;
    T_EQ(csspgo_processes_sample(s, &x, NULL), CSSPGO_OK);
    return x.stack[1];
}

static void samples_refute_that_memory_without_a_file_is_a_module(void)
{
    csspgo_module m;
    csspgo_code *code = module_of_bytes(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    int i;
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    mapped(s, 5, 0x50600, 0x200, 0, "//anon");
    for (i = 0; i < 3; i++) T_EQ(caller_placed(s, 0x5061b, 0x50600, 0x50601, 0x50620), 0x1620);
    T_EQ(caller_placed(s, 0x5061c, 0x50600, 0x50601, 0x50620), 0x1620);        /* one of many */
    T_EQ(caller_placed(s, 0x5061a, 0x50600, 0x50601, 0x5061f), 0x161f);        /* fused; unwound by DWARF */
    T_EQ(caller_placed(s, UINT64_MAX - 4095, 0x50604, 0x50604, 0x50640), 0x1640);     /* an interrupt's */
    for (i = 0; i < 20; i++) caller_placed(s, 0x50605, 0x5061c, 0x5061e, 0x50622);
    T_EQ(caller_placed(s, 0x5061b, 0x50600, 0x50601, 0x50620), 0x50620);
    T_EQ(caller_placed(s, 0, 0, 0x50601, 0x50840), 0x1840);                    /* beside it nothing has changed */
    T_EQ(csspgo_processes_get_stats(s).refuted, 1);
    mapped(s, 5, 0x50600, 0x200, 0, "//anon");                                 /* other memory: it begins anew */
    T_EQ(caller_placed(s, 0x5061b, 0x50600, 0x50601, 0x50620), 0x1620);
    mapped(s, 5, 0x50600, 0x200, 0, "//anon");                                 /* the first sample already */
    T_EQ(caller_placed(s, 0x50605, 0x5061c, 0x5061e, 0x50620), 0x50620);
    mapped(s, 5, 0x50600, 0x200, 0, "//anon");                                 /* without branch records */
    T_EQ(caller_placed(s, 0, 0, 0x5061e, 0x50620), 0x50620);
    T_EQ(csspgo_processes_get_stats(s).refuted, 3);
    T_EQ(csspgo_code_set_bias(code, m, 0x4f000, NULL), CSSPGO_OK);             /* where the code map has it, too */
    T_EQ(caller_placed(s, 0, 0, 0x5061e, 0x50620), 1);
    T_EQ(caller_placed(s, 0, 0, 0x50401, 0x50420), 0x50420);
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/* The stack of a sample, moved; returns its frames in a number: 16 bits each, the innermost lowest. */
static uint64_t stack_placed(csspgo_processes *s, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t v[3], all = 0;
    csspgo_sample x;
    uint32_t i;
    v[0] = a;
    v[1] = b;
    v[2] = c;
    memset(&x, 0, sizeof x);
    x.stack = v;
    x.stack_count = 3;
    T_EQ(csspgo_processes_sample(s, &x, NULL), CSSPGO_OK);
    for (i = 0; i < 3; i++) all |= (x.stack[i] & 0xffff) << 16 * i;
    return all;
}

static void offsets_in_files_become_addresses(void)
{
    const uint64_t kernel = UINT64_MAX - 0xfff;
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    T_EQ(stack_placed(s, 0x404, 0x510, 0x27345), 0x000115101404);    /* the caller's caller is of another file */
    T_EQ(stack_placed(s, 0x404, 0x511, 0x620), 0x162000011404);      /* no call ends at 511 */
    T_EQ(stack_placed(s, kernel, 0x404, 0x510), 0x15101404f000);     /* no return address below the kernel's frames */
    T_EQ(csspgo_processes_get_stats(s).offset_stacks, 3);
    T_EQ(csspgo_processes_get_stats(s).offset_frames, 6);
    T_EQ(stack_placed(s, 0x50404, 0x50510, 0x510), 0x051015101404);  /* surely addresses */
    csspgo_processes_free(s);
    s = csspgo_processes_new(code, NULL, NULL);
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    T_EQ(stack_placed(s, 0x50404, 0x50510, 0x27345), 0x734515101404);
    T_EQ(stack_placed(s, 0x404, 0x510, 0x27345), 0x734505100404);    /* most were addresses: junk, not offsets */
    T_EQ(csspgo_processes_get_stats(s).offset_stacks, 0);
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/*
 * A program that is linked low and is large has offsets that are addresses, too: text at 0x3000 in memory, at 0x1000 in
 * the file, two functions in it. The newest branch tells in which function the innermost frame is.
 */
static void offsets_that_are_addresses_too(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    csspgo_segment v;
    csspgo_code_function f;
    csspgo_module m;
    csspgo_branch b;
    csspgo_sample x;
    uint64_t leaf = 0x4010;                            /* the function at 0x4000; as an offset the one at 0x6000 */
    int i;
    memset(&v, 0, sizeof v);
    v.address = 0x3000;
    v.file_offset = 0x1000;
    v.size = 0x6000;
    v.executable = 1;
    m = csspgo_code_add_module(code, "m", 1, &v, 1, NULL);
    T_EQ(csspgo_code_add_area(code, m, 0x3000, 0x6000, NULL), CSSPGO_OK);
    memset(&f, 0, sizeof f);
    for (f.begin = 0x4000; f.begin <= 0x6000; f.begin += 0x2000) {
        f.end = f.begin + 0x100;
        f.guid = f.begin;
        T_EQ(csspgo_code_add_function(code, m, &f, NULL), CSSPGO_OK);
    }
    mapped(s, 5, 0x3000, 0x6000, 0x1000, "/x/m");
    memset(&b, 0, sizeof b);
    memset(&x, 0, sizeof x);
    for (i = 0; i < 12; i++) {
        x.stack = &leaf;
        x.branches = &b;
        x.stack_count = x.branch_count = 1;
        b.to = i < 2 || i > 10 ? 0x6001 : 0x4001;
        T_EQ(csspgo_processes_sample(s, &x, NULL), CSSPGO_OK);
        T_EQ(x.stack[0], i < 2 ? 0x6010 : 0x4010);     /* offsets are sure only as long as nothing speaks against it */
    }
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/* A module whose text is at 0x1000 and offset 0x1000, every address of it an instruction; it is mapped at a bias. */
static csspgo_module text_module(csspgo_code *code, const char *name, uint64_t bias)
{
    csspgo_segment v;
    csspgo_module m;
    memset(&v, 0, sizeof v);
    v.address = v.file_offset = v.size = 0x1000;
    v.executable = 1;
    m = csspgo_code_add_module(code, name, strlen(name), &v, 1, NULL);
    T_EQ(csspgo_code_set_bias(code, m, bias, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(code, m, 0x1000, 0x1000, NULL), CSSPGO_OK);
    return m;
}

static void text_function(csspgo_code *code, csspgo_module m, uint64_t begin)
{
    csspgo_code_function f;
    memset(&f, 0, sizeof f);
    f.begin = begin;
    f.end = begin + 0x100;
    f.guid = begin << 8 | m.id;
    T_EQ(csspgo_code_add_function(code, m, &f, NULL), CSSPGO_OK);
}

static void text_call(csspgo_code *code, csspgo_module m, uint64_t from, uint64_t to)
{
    csspgo_transfer t;
    memset(&t, 0, sizeof t);
    t.address = from;
    t.target = to;
    t.size = 5;
    t.kind = CSSPGO_CALL;
    T_EQ(csspgo_code_add_transfers(code, m, &t, 1, NULL), CSSPGO_OK);
}

/*
 * A program and a library, both mapped at a place of their own. A frame goes to the file that the text names; where it
 * names none, to the one whose calls fit the frames around it. 1f00 is the program's stub for the library's 1300.
 */
static void offsets_in_several_files(void)
{
    static const struct { const char *frames; uint64_t want[4]; } by_example[] = {
        { "\t1510\n\t1355\n\t1165\n", { 0x101510, 0x101355, 0x1165 } },             /* by the calls of both */
        { "\t1110\n\t1355\n", { 0x1110, 0x1355 } },
        { "\t1310\n\t1165\n", { 0x101310, 0x1165 } },
        { "\t1310\n\t1155\n", { 0x1310, 0x1155 } },
        { "\t1510\n", { 1 } },                                                        /* it may be in both */
        { "\t1510 (/x/lib.so)\n\t1355 (/x/lib.so)\n", { 0x101510, 0x101355 } },
        { "\t1510 k (/x/prog)\n\t1355 g (/x/prog)\n", { 0x1510, 0x1355 } },
        { "\t1510 (/x/lib.so)\n\t1355\n\t1355 (/x/other)\n", { 0x101510, 0x101355, 1 } },
        { "\t1510 (/x/lib.so)\n\t1357 (/x/lib.so)\n", { 0x101510, 1 } }               /* no call ends there */
    };
    size_t i;
    for (i = 0; i < sizeof by_example / sizeof by_example[0]; i++) {
        csspgo_code *code = csspgo_code_new(NULL, NULL);
        const csspgo_module prog = text_module(code, "prog", 0), lib = text_module(code, "lib.so", 0x100000);
        csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
        csspgo_script *script = any_script(code);
        csspgo_sample sample;
        csspgo_mmap map;
        uint32_t k;
        text_function(code, prog, 0x1100), text_function(code, prog, 0x1300);
        text_function(code, lib, 0x1300), text_function(code, lib, 0x1500);
        text_call(code, prog, 0x1150, 0x1300), text_call(code, prog, 0x1160, 0x1f00);
        text_call(code, prog, 0x1350, 0x1100), text_call(code, lib, 0x1350, 0x1500);
        mapped(s, 5, 0x555000, 0x1000, 0x1000, "/x/prog");
        mapped(s, 5, 0x777000, 0x1000, 0x1000, "/x/lib.so");
        T_EQ(csspgo_script_feed(script, by_example[i].frames, strlen(by_example[i].frames), NULL), CSSPGO_OK);
        csspgo_script_end(script);
        T_EQ(csspgo_script_next(script, &sample, &map, NULL), CSSPGO_ITEM_SAMPLE);
        T_EQ(csspgo_script_frame_files(script) != NULL, strchr(by_example[i].frames, '(') != NULL);
        csspgo_processes_frame_files(s, csspgo_script_frame_files(script));
        T_EQ(csspgo_processes_sample(s, &sample, NULL), CSSPGO_OK);
        for (k = 0; k < sample.stack_count; k++)
            if (!T_EQ(sample.stack[k], by_example[i].want[k])) fprintf(stderr, "frame %u of %s", k, by_example[i].frames);
        csspgo_script_free(script);
        csspgo_processes_free(s);
        csspgo_code_free(code);
    }
}

/* Branch records as offsets in files are counted: nothing can be done. */
static void records_of_offsets_are_counted(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    placed(s, 5, 0x40b);
    placed(s, 5, 0x5040b);
    placed(s, 5, 0x40c);                               /* no branch there */
    T_EQ(csspgo_processes_get_stats(s).offset_records, 1);
    csspgo_processes_free(s);
    csspgo_code_free(code);
}

/* ----- build ids ----- */

/* What csspgo_code_mmap says of an event. */
static int map_says(csspgo_code *code, const csspgo_mmap *event)
{
    int m = 7;
    csspgo_error e;
    T_EQ(csspgo_code_mmap(code, event, &m, &e), CSSPGO_OK);
    T_EQ(e.status, CSSPGO_OK);
    return m;
}

static csspgo_mmap with_id(const char *path, const void *id, uint32_t size)
{
    csspgo_mmap m;
    memset(&m, 0, sizeof m);
    m.pid = 5;
    m.address = 0x50000;
    m.size = 0x2000;
    m.path = path;
    m.path_size = strlen(path);
    m.executable = 1;
    m.build_id = (const unsigned char *)id;
    m.build_id_size = size;
    return m;
}

static void build_ids_say_which_mapping_is_the_module(void)
{
    static const unsigned char own[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, other[20] = { 1, 2, 3, 9 }, zero[20] = { 0 };
    static const struct { const char *path; const unsigned char *id; uint32_t size; int hit, other; } by_example[] = {
        { "/x/m", own, 20, 1, 0 }, { "/x/renamed", own, 20, 1, 0 }, { "/x/renamed", own, 4, 1, 0 },
        { "/x/m", other, 20, 0, 1 }, { "/x/renamed", other, 20, 0, 0 }, { "/x/m", zero, 20, 1, 0 },
        { "/x/m", NULL, 0, 1, 0 }, { "/x/renamed", NULL, 0, 0, 0 } };
    size_t i;
    int early;
    for (i = 0; i < sizeof by_example / sizeof by_example[0]; i++)
        for (early = 0; early < 2; early++) {
            csspgo_module m;
            csspgo_code *code = some_module(&m);
            csspgo_processes *s = csspgo_processes_new(code, NULL, NULL);
            csspgo_mmap e = with_id(by_example[i].path, by_example[i].id, by_example[i].size);
            csspgo_processes_stats stats;
            T_EQ(csspgo_code_set_build_id(code, m, own, 20, NULL), CSSPGO_OK);
            if (early) {                               /* the file's table of build ids was read before */
                T_EQ(csspgo_processes_event(s, CSSPGO_ITEM_BUILD_ID, NULL, &e, NULL), CSSPGO_OK);
                e.build_id_size = 0;
            }
            T_EQ(csspgo_processes_event(s, CSSPGO_ITEM_MMAP, NULL, &e, NULL), CSSPGO_OK);
            stats = csspgo_processes_get_stats(s);
            T_EQ(stats.mappings, (unsigned)by_example[i].hit);
            T_EQ(stats.other_builds != 0, by_example[i].other);
            if (by_example[i].other) T_CHECK(stats.other_build_size == 20 && memcmp(stats.other_build, other, 20) == 0);
            csspgo_processes_free(s);
            if (!early) T_EQ(map_says(code, &e), by_example[i].hit);
            csspgo_code_free(code);
        }
}

static void build_ids_decide_without_address_spaces_too(void)
{
    static const unsigned char own[20] = { 1, 2, 3 }, other[20] = { 3, 2, 1 };
    csspgo_module m;
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_segment v;
    csspgo_mmap e;
    memset(&v, 0, sizeof v);
    v.address = v.file_offset = v.size = 0x1000;
    v.executable = 1;
    m = csspgo_code_add_module(code, "m", 1, &v, 1, NULL);
    T_EQ(csspgo_code_set_build_id(code, csspgo_no_module(), own, 20, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_set_build_id(code, m, own, 21, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_code_set_build_id(code, m, own, 20, NULL), CSSPGO_OK);
    e = with_id("/x/renamed", own, 20);
    e.file_offset = 0x1000;
    T_EQ(map_says(code, &e), 1);
    e = with_id("/x/m", other, 20);
    e.file_offset = 0x1000;
    T_EQ(map_says(code, &e), 0);
    T_EQ(csspgo_code_set_build_id(code, m, NULL, 0, NULL), CSSPGO_OK);
    T_EQ(map_says(code, &e), 1);
    csspgo_code_free(code);
}

/* Feeds a recording up to its data, then what stands behind: the build ids come, no sample does. */
static void data_can_be_passed_over(void)
{
    size_t size, first, ids = 0, samples = 0;
    char *data = t_file("data/perf/stacks.data", &size);
    csspgo_perfdata *d = csspgo_perfdata_new(NULL, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    uint64_t at = 0;
    T_EQ(csspgo_perfdata_skip_data(d), 0);
    for (first = 0; first < size && at == 0; first += 64) {
        T_EQ(csspgo_perfdata_feed(d, data + first, size - first < 64 ? size - first : 64, NULL), CSSPGO_OK);
        T_EQ(csspgo_perfdata_skip_data(d), 0);         /* not before the piece is read */
        while ((item = csspgo_perfdata_next(d, &sample, &map, &e)) != CSSPGO_ITEM_NONE)
            samples += item == CSSPGO_ITEM_SAMPLE;
        at = csspgo_perfdata_skip_data(d);
    }
    if (T_CHECK(at > first && at < size)) {
        T_EQ(csspgo_perfdata_feed(d, data + at, size - (size_t)at, NULL), CSSPGO_OK);
        while ((item = csspgo_perfdata_next(d, &sample, &map, &e)) != CSSPGO_ITEM_NONE) {
            samples += item == CSSPGO_ITEM_SAMPLE;
            ids += item == CSSPGO_ITEM_BUILD_ID && map.build_id_size != 0;
        }
        T_EQ(e.status, CSSPGO_OK);
    }
    T_EQ(samples, 0);
    T_CHECK(ids != 0);
    T_EQ(csspgo_perfdata_skip_data(d), 0);
    csspgo_perfdata_end(d);
    T_EQ(csspgo_perfdata_next(d, &sample, &map, &e), CSSPGO_ITEM_NONE);
    T_EQ(e.status, CSSPGO_OK);
    csspgo_perfdata_free(d);
    free(data);
}

/* ----- makers of branch records ----- */

#define NOT_TAKEN  ((uint64_t)1 << 33)
#define WRONG_PATH ((uint64_t)1 << 24)

static void add_function(csspgo_code *code, const char *name, uint64_t begin, uint64_t end, uint32_t fragment)
{
    csspgo_code_function f = make_function(begin, end, name);
    f.fragment = fragment;
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, NULL), CSSPGO_OK);
}

/* Two functions, f, which loops, and g, which calls it and loops, and a further range of g. Every address is code. */
static csspgo_code *some_functions(void)
{
    static const struct { uint64_t address, target; csspgo_transfer_kind kind; } by_address[] = {
        { 0x1008, 0x1000, CSSPGO_COND }, { 0x100c, 0, CSSPGO_RET }, { 0x1024, 0x1000, CSSPGO_CALL },
        { 0x1030, 0x1020, CSSPGO_COND }, { 0x1038, 0, CSSPGO_RET }, { 0x1064, 0x1028, CSSPGO_JMP },
        { 0x10d0, 0, CSSPGO_RET } };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_transfer t;
    size_t i;
    T_EQ(csspgo_code_add_area(code, csspgo_no_module(), 0x1000, 0x100, NULL), CSSPGO_OK);
    memset(&t, 0, sizeof t);
    for (i = 0; i < sizeof by_address / sizeof by_address[0]; i++) {
        t.address = by_address[i].address;
        t.target = by_address[i].target;
        t.kind = by_address[i].kind;
        t.size = 4;
        T_EQ(csspgo_code_add_transfers(code, csspgo_no_module(), &t, 1, NULL), CSSPGO_OK);
    }
    add_function(code, "f", 0x1000, 0x1010, 0);
    add_function(code, "g", 0x1020, 0x1040, 0);
    add_function(code, "g", 0x1060, 0x1070, 1);
    add_function(code, "h", 0x1080, 0x1090, 0);
    return code;
}

typedef struct taken {            /* samples: stacks and records up to the first that is all 0 */
    uint64_t stack[4];
    struct { uint64_t from, to, flags; } record[6];
} taken;

/* The raw counters of samples in one line, for free(). */
static char *counters_of(csspgo_code *code, const csspgo_collector_options *how, const taken *v, size_t n,
                         csspgo_collector_stats *stats)
{
    csspgo_collector *c = csspgo_collector_new(code, how, NULL, NULL);
    char *text;
    size_t size, i;
    for (i = 0; i < n; i++) {
        csspgo_branch branch[6];
        csspgo_sample s;
        uint32_t k;
        memset(&s, 0, sizeof s);
        for (k = 0; k < 6 && (v[i].record[k].from | v[i].record[k].to) != 0; k++) {
            branch[k].from = v[i].record[k].from;
            branch[k].to = v[i].record[k].to;
            branch[k].flags = v[i].record[k].flags;
        }
        s.branches = branch;
        s.branch_count = k;
        for (k = 0; k < 4 && v[i].stack[k] != 0; k++) {}
        s.stack = v[i].stack;
        s.stack_count = k;
        s.count = 1;
        T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
    }
    T_EQ(csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL), CSSPGO_OK);
    text = (char *)calloc(size + 1, 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write_unsymbolized(c, NULL, text, size, NULL, NULL), CSSPGO_OK);
    for (i = 0; i < size; i++)
        if (text[i] == '\n') text[i] = ' ';
    *stats = csspgo_collector_get_stats(c);
    csspgo_collector_free(c);
    return text;
}

static csspgo_collector_stats expect_counters(const csspgo_collector_options *how, const taken *v, size_t n,
                                              const char *want)
{
    csspgo_code *code = some_functions();
    csspgo_collector_stats stats;
    char *got = counters_of(code, how, v, n, &stats);
    t_same(want, got, strlen(got), want, strlen(want));
    free(got);
    csspgo_code_free(code);
    return stats;
}

/* The same counters from both. */
static void expect_equal(const taken *v, const taken *w, const char *what)
{
    csspgo_code *code = some_functions();
    csspgo_collector_stats stats;
    char *got = counters_of(code, NULL, v, 1, &stats), *want = counters_of(code, NULL, w, 1, &stats);
    t_same(what, got, strlen(got), want, strlen(want));
    T_CHECK(strlen(want) > 10);
    free(got);
    free(want);
    csspgo_code_free(code);
}

static void runs_end_at_the_next_transfer(void)
{
    static const struct { uint64_t address, end; } by_address[] = {
        { 0x1000, 0x1008 }, { 0x1008, 0x1008 }, { 0x1009, 0x100c }, { 0x100d, 0x100f }, { 0x1065, 0x106f },
        { 0x1080, 0x108f }, { 0x10c0, 0x10c0 }, { 0x2000, 0 } };
    csspgo_code *code = some_functions();
    size_t i;
    for (i = 0; i < sizeof by_address / sizeof by_address[0]; i++)
        T_EQ(csspgo_code_run_end(code, by_address[i].address), by_address[i].end);
    csspgo_code_free(code);
}

/* Arm SPE: a branch and the run from its target. */
static void single_branches_give_a_branch_and_a_run(void)
{
    static const taken loop[] = {
        { { 0 }, { { 0x1008, 0x1000, 0 } } }, { { 0 }, { { 0x1008, 0x1000, 0 } } },
        { { 0 }, { { 0x1008, 0x1000, 0 } } }, { { 0 }, { { 0x1008, 0x100c, NOT_TAKEN } } } };
    static const taken outside[] = {
        { { 0x1020 }, { { 0x9000, 0x1020, 0 } } }, { { 0 }, { { 0x100c, 0x9000, 0 } } },
        { { 0 }, { { 0x9000, 0x10c0, 0 } } }, { { 0 }, { { 0x9000, 0x1028, NOT_TAKEN } } },
        { { 0 }, { { 0, 0x100d, 0 } } } };
    static const taken before[] = {
        { { 0 }, { { 0x1030, 0x1020, 0 }, { 0, 0x1028, 0 } } },
        { { 0 }, { { 0x1030, 0x1034, NOT_TAKEN }, { 0, 0x1028, 0 } } },
        { { 0 }, { { 0x1030, 0x1020, 0 }, { 0, 0x1022, 0 } } },
        { { 0 }, { { 0x1030, 0x1020, 0 }, { 0x1008, 0x1028, 0 } } } };
    static const unsigned char bytes[] = { 0x48, 0x89, 0xe5, 0xc3 };
    static const taken odd[] = { { { 0 }, { { 0x9000, 0x2001, 0 } } }, { { 0 }, { { 0x2003, 0x2000, NOT_TAKEN } } } };
    csspgo_collector_options how;
    csspgo_collector_stats s;
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    char *got;
    memset(&how, 0, sizeof how);
    how.single_branches = 1;
    s = expect_counters(&how, loop, 4, "2 1000-1008:3 100c-100c:1 1 1008->1000:3 ");
    T_EQ(s.not_taken, 1);
    T_EQ(s.bad_sources, 0);
    s = expect_counters(&how, outside, 5, "4 100d-100f:1 1020-1024:1 1028-1030:1 10c0-10c0:1 "
                                          "3 1->100d:1 1->1020:1 1->10c0:1 ");
    T_EQ(s.no_branches, 1);
    T_EQ(s.bad_targets, 0);
    expect_counters(&how, before, 4, "3 1020-1024:3 1028-1030:2 1034-1038:1 1 1030->1020:3 ");
    T_EQ(add_code(code, csspgo_no_module(), 0x2000, bytes, sizeof bytes, NULL), CSSPGO_OK);
    got = counters_of(code, &how, odd, 2, &s);
    T_CHECK(strcmp(got, "1 2000-2000:1 0 ") == 0);
    T_EQ(s.bad_targets, 1);
    T_EQ(s.bad_sources, 1);
    T_EQ(s.no_branches, 1);
    free(got);
    csspgo_code_free(code);
}

/* A branch that was speculated and never happened: what is newer and what is older does not hang together. */
static void wrong_paths_cut_a_trace(void)
{
    static const taken flat[] = { { { 0 }, { { 0x1008, 0x1000, 0 }, { 0x1024, 0x1000, WRONG_PATH },
        { 0x1008, 0x1000, 0 }, { 0x1008, 0x1000, 0 }, { 0x1024, 0x1000, 0 } } } };
    static const taken stack[] = { { { 0x1004, 0x1028 }, { { 0x1008, 0x1000, 0 }, { 0x1008, 0x1000, 0 },
        { 0x1008, 0x100c, WRONG_PATH }, { 0x1008, 0x1000, WRONG_PATH }, { 0x1008, 0x1000, 0 },
        { 0x1008, 0x1000, 0 } } } };
    static const taken newest[] = { { { 0x1004, 0x1028 }, { { 0x1008, 0x100c, WRONG_PATH }, { 0x1008, 0x1000, 0 },
        { 0x1008, 0x1000, 2u * WRONG_PATH }, { 0x1008, 0x1000, 3u * WRONG_PATH }, { 0x1008, 0x100c, WRONG_PATH } } } };
    csspgo_collector_stats s = expect_counters(NULL, flat, 1, "1 1000-1008:2 1 1008->1000:3 ");
    T_EQ(s.wrong_paths, 1);
    T_EQ(s.unpaired_external, 0);
    s = expect_counters(NULL, stack, 1, "[]   1   1000-1008:1   1   1008->1000:1 "
                                        "[0x1024]   1   1000-1008:1   1   1008->1000:2 ");
    T_EQ(s.wrong_paths, 2);
    s = expect_counters(NULL, newest, 1, "[0x1024]   1   1000-1008:2   1   1008->1000:2 ");
    T_EQ(s.wrong_paths, 2);
}

static void records_are_mended(void)
{
    static const taken fused[] = { { { 0x1004, 0x1028 }, { { 0x1007, 0x1000, 0 }, { 0x1007, 0x1000, 0 } } } };
    static const taken unfused[] = { { { 0x1004, 0x1028 }, { { 0x1008, 0x1000, 0 }, { 0x1008, 0x1000, 0 } } } };
    static const taken doubled[] = { { { 0x102a }, { { 0x100c, 0x1028, 0 }, { 0x100c, 0x1028, 0 },
        { 0x1008, 0x1000, 0 }, { 0x1024, 0x1000, 0 } } } };
    static const taken undoubled[] = { { { 0x102a }, { { 0x100c, 0x1028, 0 }, { 0x1008, 0x1000, 0 },
        { 0x1024, 0x1000, 0 } } } };
    static const taken elsewhere[] = { { { 0 }, { { 0x1007, 0x1001, 0 }, { 0x1008, 0x1000, 0 } } } };
    static const taken filtered[] = { { { 0 }, { { 0x1030, 0x1020, 0 }, { 0, 0x1028, 0 }, { 0x1024, 0, 0 },
        { 0x1030, 0x1020, 0 } } } };
    csspgo_collector_stats s;
    expect_equal(fused, unfused, "fused comparison and branch");
    expect_equal(doubled, undoubled, "a doubled record");
    s = expect_counters(NULL, doubled, 1, "[0x1024]   2   1000-1008:1   1000-100c:1 "
                                          "  2   1008->1000:1   100c->1028:1 ");
    T_EQ(s.doubled, 1);
    s = expect_counters(NULL, elsewhere, 1, "1 1000-1007:1 1 1007->1001:1 ");
    T_EQ(s.fused, 0);
    s = expect_counters(NULL, filtered, 1, "2 1020-1024:1 1028-1030:1 2 1->1028:1 1030->1020:1 ");
    T_EQ(s.paired_external, 1);
}

/* BRBE leaves ends out as 0, which is no address even if code is there. */
static void zero_is_no_address_of_a_branch(void)
{
    static const taken v[] = { { { 0 }, { { 0x50, 0, 0 }, { 0x60, 0x40, 0 }, { 0x60, 0x40, 0 } } } };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector_stats s;
    char *got;
    T_EQ(csspgo_code_add_area(code, csspgo_no_module(), 0, 0x100, NULL), CSSPGO_OK);
    got = counters_of(code, NULL, v, 1, &s);
    T_CHECK(strcmp(got, "2 40-50:1 40-60:1 1 60->40:1 ") == 0);
    free(got);
    csspgo_code_free(code);
}

/* Where the interrupt comes late the stack is not that of the records. */
static void late_stacks_are_dropped(void)
{
    static const taken late[] = { { { 0x1084, 0x1028 }, { { 0x1008, 0x1000, 0 }, { 0x1008, 0x1000, 0 } } } };
    static const taken fitting[] = {                   /* the first: in another range of the function */
        { { 0x1066 }, { { 0x1030, 0x1020, 0 }, { 0x1030, 0x1020, 0 } } },
        { { 0x9000 }, { { 0x1030, 0x1020, 0 }, { 0x1030, 0x1020, 0 } } },
        { { 0x1084 }, { { 0x100c, 0x9000, 0 }, { 0x1030, 0x1020, 0 } } },
        { { 0x10c0 }, { { 0x1030, 0x1020, 0 }, { 0x1030, 0x1020, 0 } } } };
#define CALLED   { { 0x1024, 0x1000, 0 }, { 0x1030, 0x1020, 0 }, { 0x1030, 0x1020, 0 } }
#define RETURNED { { 0x100c, 0x1028, 0 }, { 0x1008, 0x1000, 0 }, { 0x1008, 0x1000, 0 } }
    static const taken at_call[] = { { { 0x1024, 0x1068 }, CALLED } };
    static const taken behind_call[] = { { { 0x1000, 0x1028, 0x1068 }, CALLED } };
    static const taken at_return[] = { { { 0x100c, 0x1028, 0x1068 }, RETURNED } };
    static const taken behind_return[] = { { { 0x1028, 0x1068 }, RETURNED } };
#undef CALLED
#undef RETURNED
    csspgo_collector_options how;
    csspgo_collector_stats s = expect_counters(NULL, late, 1, "");
    T_EQ(s.late_stacks, 1);
    T_EQ(s.samples, 1);
    memset(&how, 0, sizeof how);
    how.keep_records = 1;
    s = expect_counters(&how, late, 1, "[]   1   1000-1008:1   1   1008->1000:1 ");
    T_EQ(s.late_stacks, 1);
    how.keep_records = 0;
    how.keep_leaves = 1;
    s = expect_counters(&how, late, 1, "[0x1024]   1   1000-1008:1   1   1008->1000:1 ");
    T_EQ(s.late_stacks, 0);
    how.keep_leaves = 0;
    how.llvm = 19;
    s = expect_counters(&how, late, 1, "[0x1024]   1   1000-1008:1   1   1008->1000:2 ");
    T_EQ(s.late_stacks, 0);
    how.llvm = 0;
    how.ignore_stack = 1;
    s = expect_counters(&how, late, 1, "1 1000-1008:1 1 1008->1000:1 ");
    T_EQ(s.late_stacks, 0);
    s = expect_counters(NULL, fitting, 4, "[]   0   1   1030->1020:3 ");
    T_EQ(s.late_stacks, 0);
    expect_equal(at_call, behind_call, "sampled at the call");
    expect_equal(at_return, behind_return, "sampled at the return");
}

/* ----- memory ----- */

static csspgo_status events_with(const csspgo_options *o, csspgo_code *code)
{
    static const unsigned char id[20] = { 7 };
    csspgo_error e;
    csspgo_processes *s = csspgo_processes_new(code, o, &e);
    csspgo_status status = e.status;
    csspgo_mmap m = with_id("/x/n", id, 20);
    csspgo_sample x;
    csspgo_branch b;
    uint64_t stack = 0x50404;
    uint32_t i;
    if (s == NULL) return status;
    memset(&x, 0, sizeof x);
    memset(&b, 0, sizeof b);
    x.stack = &stack;
    x.branches = &b;
    x.stack_count = x.branch_count = 1;
    status = csspgo_processes_event(s, CSSPGO_ITEM_BUILD_ID, &x, &m, NULL);
    m.path = "/x/m";
    m.build_id_size = 0;
    for (i = 1; i < 60 && status == CSSPGO_OK; i++) {
        m.pid = i;
        status = csspgo_processes_event(s, CSSPGO_ITEM_MMAP, &x, &m, NULL);
        x.pid = x.tid = i + 100;
        m.pid = i;
        if (status == CSSPGO_OK) status = csspgo_processes_event(s, CSSPGO_ITEM_FORK, &x, &m, NULL);
    }
    if (status == CSSPGO_OK) status = csspgo_processes_sample(s, &x, NULL);
    T_CHECK(status != CSSPGO_OK || x.stack[0] == 0x1404);
    csspgo_processes_free(s);
    return status;
}

/* ----- what perf recorded: the samples that `perf script -D` shows, by time ----- */

static void print_sample(text_out *out, csspgo_item item, const csspgo_sample *s)
{
    uint32_t i;
    if (item != CSSPGO_ITEM_SAMPLE) return;
    print(out, "%llu\t%llu\t", s->time, s->pid);
    print(out, "%llu\t", s->tid, 0);
    for (i = 0; i < s->stack_count; i++) print(out, i == 0 ? "%llx" : " %llx", s->stack[i], 0);
    print(out, "\n", 0, 0);
}

static void recordings_of_perf_have_their_samples(void)
{
    static const char *const names[] = { "mp", "pipe",
#ifdef CSSPGO_USE_ZSTD
                                         "z", "pipez"    /* -z: compressed */
#endif
    };
    size_t i;
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[100];
        size_t size, want_size;
        char *data, *want;
        const char *first;
        text_out out;
        csspgo_sample s;
        csspgo_mmap m;
        csspgo_item item;
        csspgo_error e;
        csspgo_perfdata *d = csspgo_perfdata_new(NULL, NULL);
        snprintf(path, sizeof path, FORMS "%s.data", names[i]);
        data = t_file(path, &size);
        snprintf(path, sizeof path, FORMS "%s.expect.tsv", names[i]);
        want = t_file(path, &want_size);
        out.size = 0;
        T_EQ(csspgo_perfdata_feed(d, data, size, NULL), CSSPGO_OK);
        while ((item = csspgo_perfdata_next(d, &s, &m, NULL)) != CSSPGO_ITEM_NONE) print_sample(&out, item, &s);
        csspgo_perfdata_end(d);
        while ((item = csspgo_perfdata_next(d, &s, &m, &e)) != CSSPGO_ITEM_NONE) print_sample(&out, item, &s);
        T_EQ(e.status, CSSPGO_OK);
        first = strchr(want, '\n') + 1;                 /* behind the names of the columns */
        t_same(path, out.at, out.size, first, want_size - (size_t)(first - want));
        csspgo_perfdata_free(d);
        free(data);
        free(want);
    }
}

/* Stacks of some 60 frames, most of them with a file; the status at the end. */
static csspgo_status files_with(const csspgo_options *o, const csspgo_code *code)
{
    static const char frame[] = "\t1404 f (/x/m)\n\t1405\n";
    char text[4096] = "";
    csspgo_script_options how;
    csspgo_error e;
    csspgo_sample x;
    csspgo_mmap m;
    csspgo_script *s;
    uint64_t named = 0;
    size_t i;
    for (i = 0; i < 30; i++) strcat(text, frame);
    memset(&how, 0, sizeof how);
    how.code = code;
    s = csspgo_script_new(&how, o, &e);
    if (s == NULL) return e.status;
    T_EQ(csspgo_script_feed(s, text, strlen(text), NULL), CSSPGO_OK);
    csspgo_script_end(s);
    if (csspgo_script_next(s, &x, &m, &e) == CSSPGO_ITEM_SAMPLE) {
        const uint32_t *const files = csspgo_script_frame_files(s);
        for (i = 0; i < x.stack_count; i++) named += files[i] != 0;
        T_EQ(named, 30);
    }
    csspgo_script_free(s);
    return e.status;
}

/* A stack with lines of inlined functions, of both kinds, many of them. */
static csspgo_status folds_with(const csspgo_options *o, const csspgo_code *code)
{
    char text[4096] = "";
    csspgo_script_options how;
    csspgo_error e;
    csspgo_sample x;
    csspgo_mmap m;
    csspgo_script *s;
    int i;
    for (i = 0; i < 200; i++) strcat(text, "\t1403\n");
    for (i = 0; i < 40; i++) strcat(text, "\t1415 f (inlined)\n");
    strcat(text, " 0x1/0x2/P\n\n");
    memset(&how, 0, sizeof how);
    how.code = code;
    s = csspgo_script_new(&how, o, &e);
    if (s == NULL) return e.status;
    T_EQ(csspgo_script_feed(s, text, strlen(text), NULL), CSSPGO_OK);
    if (csspgo_script_next(s, &x, &m, &e) == CSSPGO_ITEM_SAMPLE) {
        T_EQ(x.stack_count, 240);
        if (csspgo_script_drop_repeats(s, NULL, &x, &e) == CSSPGO_OK) T_EQ(x.stack_count, 2);
        else T_EQ(x.stack_count, 240);
    }
    csspgo_script_free(s);
    return e.status;
}

static void every_allocation_may_fail(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    long nth;
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status status = events_with(&o, code);
        T_EQ(h.live, 0);
        if (status == CSSPGO_OK) break;
        T_EQ(status, CSSPGO_E_NOMEM);
    }
    T_CHECK(nth > 5 && nth < 1000);
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status status = files_with(&o, code);
        T_EQ(h.live, 0);
        if (status == CSSPGO_OK) break;
        T_EQ(status, CSSPGO_E_NOMEM);
    }
    T_CHECK(nth > 3 && nth < 1000);
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status status = folds_with(&o, code);
        T_EQ(h.live, 0);
        if (status == CSSPGO_OK) break;
        T_EQ(status, CSSPGO_E_NOMEM);
    }
    T_CHECK(nth > 5 && nth < 1000);
    csspgo_code_free(code);
}

int main(void)
{
    lines_of_any_fields_are_samples();
    samples_of_text_are_of_events();
    names_of_events_are_bounded();
    times_are_nanoseconds();
    a_text_without_samples_is_an_error();
    records_without_addresses_are_refused();
    addresses_may_name_their_module();
    frames_of_other_files_do_not_count();
    hostile_lines_end();
    every_form_of_text_gives_the_same_counters();
    processes_add_up();
    mappings_follow_processes();
    most_of_a_sample_decides_between_overlapping_mappings();
    some_mappings_are_those_of_all_processes();
    ended_processes_are_forgotten_when_there_are_many();
    the_last_ended_processes_keep_their_mappings();
    a_number_that_is_used_again_is_no_ended_process();
    events_without_memory_fail();
    forks_of_a_large_process_have_a_limit();
    too_many_mappings_are_counted();
    lines_of_inlined_functions_fold_to_the_frames();
    memory_without_a_file_hides_no_module();
    memory_without_a_file_goes_on_between_parts_of_one();
    samples_refute_that_memory_without_a_file_is_a_module();
    offsets_in_files_become_addresses();
    offsets_that_are_addresses_too();
    offsets_in_several_files();
    records_of_offsets_are_counted();
    build_ids_say_which_mapping_is_the_module();
    build_ids_decide_without_address_spaces_too();
    data_can_be_passed_over();
    runs_end_at_the_next_transfer();
    single_branches_give_a_branch_and_a_run();
    wrong_paths_cut_a_trace();
    records_are_mended();
    zero_is_no_address_of_a_branch();
    late_stacks_are_dropped();
    recordings_of_perf_have_their_samples();
    every_allocation_may_fail();
    return t_end();
}
