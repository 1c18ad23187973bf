/* test_recordings.c - perf script text of any fields; mappings of several processes; build ids; offsets in files */
#include "t.h"
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
            if (s->branches[i].flags != 0) print(out, "N", 0, 0);
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
        { "\t 1\n 0x1/0x2/P\n\n 0x3/0x4/P\n", "S 0/0 1 1>2\n" },
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
    T_EQ(stats.empty_stacks, 1);
    T_EQ(stats.bad_records, 1);
    T_EQ(stats.first_bad_line, 4);
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
        T_EQ(stats.lines, 1);
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
static csspgo_spaces_stats read_recording(csspgo_collector *c, csspgo_code *code, reading how)
{
    csspgo_script *s = how.perfdata ? NULL : any_script(code);
    csspgo_perfdata *d = how.perfdata ? csspgo_perfdata_new(NULL, NULL) : NULL;
    csspgo_spaces *spaces = csspgo_spaces_new(code, NULL, NULL);
    csspgo_spaces_stats stats;
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
            if (item != CSSPGO_ITEM_SAMPLE) T_EQ(csspgo_spaces_event(spaces, item, &sample, &map, NULL), CSSPGO_OK);
            else if (T_EQ(csspgo_spaces_sample(spaces, &sample, NULL), CSSPGO_OK))
                T_EQ(csspgo_collector_add(c, &sample, 1, NULL), CSSPGO_OK);
        }
        T_EQ(e.status, CSSPGO_OK);
        at += n;
    } while (n != 0);
    stats = csspgo_spaces_get_stats(spaces);
    csspgo_spaces_free(spaces);
    csspgo_script_free(s);
    csspgo_perfdata_free(d);
    free(text);
    return stats;
}

/* The raw counters of a recording, for free(). */
static char *raw_of(const char *table, reading how, csspgo_spaces_stats *stats, csspgo_collector_stats *collected)
{
    csspgo_collector_options options;
    csspgo_collector *c;
    csspgo_spaces_stats of;
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

static void expect_same(const char *path, const char *got, const char *want)
{
    t_same(path, got, strlen(got), want, strlen(want));
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
            csspgo_spaces_stats stats;
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
    char *want;
    size_t i;
    int compat;
    memset(&how, 0, sizeof how);
    for (compat = 0; compat < 2; compat++) {
        how.piece = 4096;
        how.compat = compat;
        how.path = FORMS "multi-single.ps";
        how.perfdata = 0;
        want = raw_of(table, how, NULL, NULL);
        for (i = 0; i < sizeof by_path / sizeof by_path[0]; i++) {
            csspgo_spaces_stats stats;
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

static void mapped(csspgo_spaces *s, uint32_t pid, uint64_t address, uint64_t size, uint64_t offset, const char *path)
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
    T_EQ(csspgo_spaces_event(s, CSSPGO_ITEM_MMAP, NULL, &m, NULL), CSSPGO_OK);
}

static void happened(csspgo_spaces *s, csspgo_item item, uint32_t pid, uint32_t tid, uint32_t parent)
{
    csspgo_mmap m;
    csspgo_sample sample;
    memset(&m, 0, sizeof m);
    memset(&sample, 0, sizeof sample);
    sample.pid = pid;
    sample.tid = tid;
    m.pid = parent;
    m.executable = item == CSSPGO_ITEM_COMM;
    T_EQ(csspgo_spaces_event(s, item, &sample, &m, NULL), CSSPGO_OK);
}

/* Where the first address of a sample goes. */
static uint64_t placed(csspgo_spaces *s, uint32_t pid, uint64_t address)
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
    T_EQ(csspgo_spaces_sample(s, &x, NULL), CSSPGO_OK);
    T_EQ(x.branches[0].to, x.branches[0].from);
    T_EQ(x.branches[0].flags, 5);
    return x.branches[0].from;
}

static void mappings_follow_processes(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_spaces *s = csspgo_spaces_new(code, NULL, NULL);
    T_EQ(placed(s, 5, 0x1500), 0x1500);                /* nothing is known: where it was linked */
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    T_EQ(placed(s, 5, 0x50500), 0x1500);               /* offset 0x500 */
    T_EQ(placed(s, 5, 0x1500), 1);                     /* link-time addresses are no run-time addresses */
    T_EQ(placed(s, 5, 0x60500), 0x60500);
    T_EQ(placed(s, 6, 0x50500), 0x1500);               /* of 6 there was no event: guessed */
    T_EQ(csspgo_spaces_get_stats(s).guessed, 1);
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
    T_EQ(csspgo_spaces_get_stats(s).places, 2);
    mapped(s, 9, 0x50000, 0x1000, 0x900000, "/x/m");
    T_EQ(csspgo_spaces_get_stats(s).unfit_mappings, 1);
    T_EQ(csspgo_code_map(code, m, 0x100000, NULL), CSSPGO_OK);
    T_EQ(placed(s, 7, 0x70500), 0x101500);             /* where the code map has it */
    csspgo_spaces_free(s);
    csspgo_spaces_free(NULL);
    csspgo_code_free(code);
}

static void ended_processes_are_forgotten_when_there_are_many(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_spaces *s = csspgo_spaces_new(code, &o, NULL);
    uint32_t pid;
    for (pid = 1; pid <= 20000; pid++) {
        mapped(s, pid, 0x50000 + 0x10000 * (uint64_t)(pid % 3), 0x2000, 0, "/x/m");
        T_EQ(placed(s, pid, 0x50500 + 0x10000 * (uint64_t)(pid % 3)), 0x1500);
        happened(s, CSSPGO_ITEM_EXIT, pid, pid, 0);
    }
    T_CHECK(h.live < 2000 && h.live_bytes < 4000000);
    csspgo_spaces_free(s);
    T_EQ(h.live, 0);
    csspgo_code_free(code);
}

static void too_many_mappings_are_counted(void)
{
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_spaces *s = csspgo_spaces_new(code, NULL, NULL);
    uint64_t i;
    for (i = 1; i <= 5000; i++) mapped(s, 3, i << 20, 0x2000, 0, "/x/m");
    T_CHECK(csspgo_spaces_get_stats(s).forgotten != 0);
    T_EQ(placed(s, 3, ((uint64_t)1 << 20) + 0x500), 0x1500);
    T_EQ(placed(s, 3, ((uint64_t)5000 << 20) + 0x500), ((uint64_t)5000 << 20) + 0x500);
    csspgo_spaces_free(s);
    csspgo_code_free(code);
}

/* The stack of a sample, moved; returns its frames in a number: 16 bits each, the innermost lowest. */
static uint64_t stack_placed(csspgo_spaces *s, uint64_t a, uint64_t b, uint64_t c)
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
    T_EQ(csspgo_spaces_sample(s, &x, NULL), CSSPGO_OK);
    for (i = 0; i < 3; i++) all |= (x.stack[i] & 0xffff) << 16 * i;
    return all;
}

static void offsets_in_files_become_addresses(void)
{
    const uint64_t kernel = UINT64_MAX - 0xfff;
    csspgo_module m;
    csspgo_code *code = some_module(&m);
    csspgo_spaces *s = csspgo_spaces_new(code, NULL, NULL);
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    T_EQ(stack_placed(s, 0x404, 0x510, 0x27345), 0x000115101404);    /* the caller's caller is of another file */
    T_EQ(stack_placed(s, 0x404, 0x511, 0x620), 0x162000011404);      /* no call ends at 511 */
    T_EQ(stack_placed(s, kernel, 0x404, 0x510), 0x15101404f000);     /* no return address below the kernel's frames */
    T_EQ(csspgo_spaces_get_stats(s).offset_stacks, 3);
    T_EQ(csspgo_spaces_get_stats(s).offset_frames, 6);
    T_EQ(stack_placed(s, 0x50404, 0x50510, 0x510), 0x051015101404);  /* surely addresses */
    csspgo_spaces_free(s);
    s = csspgo_spaces_new(code, NULL, NULL);
    mapped(s, 5, 0x50000, 0x2000, 0, "/x/m");
    T_EQ(stack_placed(s, 0x50404, 0x50510, 0x27345), 0x734515101404);
    T_EQ(stack_placed(s, 0x404, 0x510, 0x27345), 0x734505100404);    /* most were addresses: junk, not offsets */
    T_EQ(csspgo_spaces_get_stats(s).offset_stacks, 0);
    csspgo_spaces_free(s);
    csspgo_code_free(code);
}

/* ----- build ids ----- */

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
            csspgo_spaces *s = csspgo_spaces_new(code, NULL, NULL);
            csspgo_mmap e = with_id(by_example[i].path, by_example[i].id, by_example[i].size);
            csspgo_spaces_stats stats;
            T_EQ(csspgo_code_set_build_id(code, m, own, 20, NULL), CSSPGO_OK);
            if (early) {                               /* the file's table of build ids was read before */
                T_EQ(csspgo_spaces_event(s, CSSPGO_ITEM_BUILD_ID, NULL, &e, NULL), CSSPGO_OK);
                e.build_id_size = 0;
            }
            T_EQ(csspgo_spaces_event(s, CSSPGO_ITEM_MMAP, NULL, &e, NULL), CSSPGO_OK);
            stats = csspgo_spaces_get_stats(s);
            T_EQ(stats.mappings, (unsigned)by_example[i].hit);
            T_EQ(stats.other_builds != 0, by_example[i].other);
            if (by_example[i].other) T_CHECK(stats.other_build_size == 20 && memcmp(stats.other_build, other, 20) == 0);
            csspgo_spaces_free(s);
            if (!early) T_EQ(csspgo_code_mmap(code, &e), by_example[i].hit);
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
    T_EQ(csspgo_code_mmap(code, &e), 1);
    e = with_id("/x/m", other, 20);
    e.file_offset = 0x1000;
    T_EQ(csspgo_code_mmap(code, &e), 0);
    T_EQ(csspgo_code_set_build_id(code, m, NULL, 0, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_mmap(code, &e), 1);
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

/* ----- memory ----- */

static csspgo_status events_with(const csspgo_options *o, csspgo_code *code)
{
    static const unsigned char id[20] = { 7 };
    csspgo_error e;
    csspgo_spaces *s = csspgo_spaces_new(code, o, &e);
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
    status = csspgo_spaces_event(s, CSSPGO_ITEM_BUILD_ID, &x, &m, NULL);
    m.path = "/x/m";
    m.build_id_size = 0;
    for (i = 1; i < 60 && status == CSSPGO_OK; i++) {
        m.pid = i;
        status = csspgo_spaces_event(s, CSSPGO_ITEM_MMAP, &x, &m, NULL);
        x.pid = x.tid = i + 100;
        m.pid = i;
        if (status == CSSPGO_OK) status = csspgo_spaces_event(s, CSSPGO_ITEM_FORK, &x, &m, NULL);
    }
    if (status == CSSPGO_OK) status = csspgo_spaces_sample(s, &x, NULL);
    T_CHECK(status != CSSPGO_OK || x.stack[0] == 0x1404);
    csspgo_spaces_free(s);
    return status;
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
    csspgo_code_free(code);
}

int main(void)
{
    lines_of_any_fields_are_samples();
    a_text_without_samples_is_an_error();
    frames_of_other_files_do_not_count();
    hostile_lines_end();
    every_form_of_text_gives_the_same_counters();
    processes_add_up();
    mappings_follow_processes();
    ended_processes_are_forgotten_when_there_are_many();
    too_many_mappings_are_counted();
    offsets_in_files_become_addresses();
    build_ids_say_which_mapping_is_the_module();
    build_ids_decide_without_address_spaces_too();
    data_can_be_passed_over();
    every_allocation_may_fail();
    return t_end();
}
