/* test_sample.c - perf script text, perf ring buffers, the cache of equal samples */

#ifdef CSSPGO_USE_ZSTD
#  include <zstd.h>
#endif
#include "t.h"
#define T_FIRST_FUNCTION 0x401400    /* of small_code */
#define T_LAST_FUNCTION  0x401400
#include "script_model.h"

/* ----- script text: running the parser ----- */

typedef struct run {
    size_t      chunk;            /* bytes per piece; 0: all at once; RANDOM: 1 to 97 bytes each   */
    uint32_t    max_line;         /* 0 = default                                                   */
    const csspgo_code *code;
} run;

enum { RANDOM = 12345 };

static uint64_t seed_of_rnd = 1;

static uint64_t rnd(void)
{
    seed_of_rnd ^= seed_of_rnd << 13;
    seed_of_rnd ^= seed_of_rnd >> 7;
    seed_of_rnd ^= seed_of_rnd << 17;
    return seed_of_rnd;
}

static csspgo_item print_items(t_out *out, csspgo_script *s, const csspgo_code *code, csspgo_error *err)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    while ((item = csspgo_script_next(s, &sample, &map, err)) != CSSPGO_ITEM_NONE) {
        if (!T_CHECK(err->status == CSSPGO_OK)) break;
        if (item == CSSPGO_ITEM_SAMPLE) {
            T_CHECK(sample.branches != NULL && sample.branch_count != 0 &&
                (sample.stack != NULL) == (sample.stack_count != 0));
            t_print_sample(out, &sample, code);
        } else if (T_EQ(item, CSSPGO_ITEM_MMAP)) {
            t_print_mmap(out, &map);
        }
    }
    return item;
}

/* Prints all items of a text, then the error and the totals. Each piece stands in a block of its exact size. */
static void print_script(t_out *out, const char *text, size_t size, run how)
{
    csspgo_options o;
    csspgo_script *s;
    csspgo_script_stats stats;
    csspgo_error err;
    size_t at = 0;
    memset(&o, 0, sizeof o);
    o.limits.max_line = how.max_line;
    s = t_llvm_script(how.code, &o);
    if (!T_CHECK(s != NULL)) return;
    while (at < size) {
        size_t n = how.chunk == 0 ? size : how.chunk == RANDOM ? 1 + (size_t)(rnd() % 97) : how.chunk;
        unsigned char *piece;
        if (n > size - at) n = size - at;
        piece = t_copy(text + at, n);
        T_EQ(csspgo_script_feed(s, piece, n, NULL), CSSPGO_OK);
        print_items(out, s, how.code, &err);
        T_EQ(err.status, CSSPGO_OK);
        free(piece);
        at += n;
    }
    csspgo_script_end(s);
    print_items(out, s, how.code, &err);
    T_CHECK(err.status == CSSPGO_OK || (err.offset == size && err.message[0] != '\0'));
    stats = csspgo_script_get_stats(s);
    t_print_end(out, err.status, err.line);
    t_print_totals(out, &stats);
    csspgo_script_free(s);
}

static run as_one_piece(void)
{
    run r;
    memset(&r, 0, sizeof r);
    return r;
}

/* The same items in pieces of every size as the model finds in the whole. */
static void check_script(const char *name, const char *text, size_t size, run how)
{
    static const size_t chunks[] = { 0, 1, 2, 3, 7, 64, 4096, RANDOM };
    t_out want, got;
    size_t i;
    memset(&want, 0, sizeof want);
    t_model_run(&want, text, size, how.max_line != 0 ? how.max_line : 1u << 20, how.code);
    for (i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        memset(&got, 0, sizeof got);
        how.chunk = chunks[i];
        print_script(&got, text, size, how);
        if (!t_same(name, got.at, got.size, want.at, want.size)) {
            fprintf(stderr, "    in pieces of %lu\n", (unsigned long)chunks[i]);
        }
        t_out_free(&got);
    }
    t_out_free(&want);
}

/* ----- script text: what is in brackets behind a frame ----- */

/* How many samples LLVM of a release finds in a script, and the frames of all. */
static unsigned llvm_frames(uint32_t llvm, const char *text, unsigned *frames)
{
    csspgo_script_options how;
    csspgo_script *s;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    unsigned n = 0;
    memset(&how, 0, sizeof how);
    how.llvm = llvm;
    *frames = 0;
    s = csspgo_script_new(&how, NULL, NULL);
    if (!T_CHECK(s != NULL) || !T_CHECK(csspgo_script_feed(s, text, strlen(text), NULL) == CSSPGO_OK)) return 0;
    csspgo_script_end(s);
    while (csspgo_script_next(s, &sample, &map, &err) == CSSPGO_ITEM_SAMPLE) {
        n++;
        *frames += sample.stack_count;
    }
    csspgo_script_free(s);
    return n;
}

static void brackets_behind_a_frame_are_passed_over_from_22_on(void)
{
    static const struct { const char *behind; int passed; } rows[] = {
        { "", 1 }, { " [unknown]", 1 }, { "\t[unknown]", 1 }, { " [libc.so.6]", 1 }, { " [a b]", 1 }, { " []", 1 }, { " [[]]", 1 },
        { "[unknown]", 0 }, { " [unknown", 0 }, { " unknown]", 0 }, { " [unknown] x", 0 }, { " x [unknown]", 0 }, { " (libc.so.6)", 0 }
    };
    char text[300];
    unsigned frames;
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int plain = *rows[i].behind == '\0';
        snprintf(text, sizeof text, "\t    401159\n\t    401180\n 0x401170/0x401150/P/-/-/0  0x401160/0x401130/P/-/-/0 \n\n"
                 "\t    401159%s\n\t    401180%s\n 0x401170/0x401150/P/-/-/0  0x401160/0x401130/P/-/-/0 \n\n", rows[i].behind,
                 rows[i].behind);
        T_EQ(llvm_frames(22, text, &frames), rows[i].passed ? 2 : 1);
        T_EQ(frames, rows[i].passed ? 4 : 2);
        T_EQ(llvm_frames(19, text, &frames), plain ? 2 : 1);
        T_EQ(frames, plain ? 4 : 2);
    }
}

/* ----- script text: call stacks alone ----- */

/* The items of a script of stacks, fed in pieces of a size. */
static void print_stacks(t_out *out, const char *text, size_t size, size_t piece, csspgo_script_stats *stats)
{
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_error err;
    size_t at;
    if (!T_CHECK(s != NULL)) return;
    for (at = 0; at <= size; at += piece) {
        csspgo_sample sample;
        csspgo_mmap map;
        csspgo_item item;
        const size_t n = size - at < piece ? size - at : piece;
        unsigned char *copy = t_copy(text + at, n);
        T_EQ(csspgo_script_feed(s, copy, n, NULL), CSSPGO_OK);
        if (n < piece) csspgo_script_end(s);
        while ((item = csspgo_script_next(s, &sample, &map, &err)) != CSSPGO_ITEM_NONE) {
            if (item == CSSPGO_ITEM_SAMPLE) t_print_sample(out, &sample, NULL);
            else t_print_mmap(out, &map);
        }
        T_EQ(err.status, CSSPGO_OK);
        free(copy);
    }
    *stats = csspgo_script_get_stats(s);
    csspgo_script_free(s);
}

static void stacks_without_branches_are_samples(void)
{
    static const struct { const char *text, *items; unsigned bad; } by_example[] = {
        { "\t 401159\n\t 40118e\n\n", "S 1 401159 40118e |\n", 0 },
        { "\t 401159\n\t 40118e", "S 1 401159 40118e |\n", 0 },
        { " 1\n 2\n\n 3\n\n\n 4\n 5\n", "S 1 1 2 |\nS 1 3 |\nS 1 4 5 |\n", 0 },
        { "12\n 1a\n 2b\n\n 3\r\n\r\n", "S 12 1a 2b |\nS 1 3 |\n", 0 },
        { "x 100 1.5: cpu-clock:\n 401159 leaf+0x9 (/x/demo)\n 40118e [unknown] ([unknown])\n\ny 1:\n 7 f (a b)\n",
          "S 1 401159 40118e | ?\nS 1 7 |\n", 0 },
        { " 1\n" " PERF_RECORD_MMAP2 1/1: [0x401000(0x1000) @ 0x1000 00:1d 1001 1]: r-xp /x/demo.probe\n 2\n",
          "S 1 1 |\nM 1 401000 1000 1000 x /x/demo.probe\nS 1 2 |\n", 0 },
        { " 1\n 0x1/0x2/P/ junk\n\n 2\n 0x3/0x4\n", "S 1 1 | 1>2\nS 1 2 | 3>4\n", 1 },
        { " 1 no closing\n 2\n", "S 1 2 |\n", 0 },
    };
    static const size_t pieces[] = { 1, 2, 3, 7, 4096 };
    size_t i, k;
    for (i = 0; i < sizeof by_example / sizeof by_example[0]; i++)
        for (k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
            const char *text = by_example[i].text;
            csspgo_script_stats stats;
            t_out got;
            memset(&got, 0, sizeof got);
            print_stacks(&got, text, strlen(text), pieces[k], &stats);
            t_same(text, got.at != NULL ? got.at : "", got.size, by_example[i].items, strlen(by_example[i].items));
            T_EQ(stats.bad_records, by_example[i].bad);
            t_out_free(&got);
        }
}

static void every_allocation_of_stacks_may_fail(void)
{
    static const char text[] = " 1\n 2\n\n 3\n";
    long nth;
    for (nth = 1; nth < 100; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_script *s = csspgo_script_new(NULL, &o, NULL);
        csspgo_error e;
        csspgo_sample sample;
        csspgo_mmap map;
        int samples = 0;
        e.status = CSSPGO_E_NOMEM;
        if (s != NULL) {
            T_EQ(csspgo_script_feed(s, text, 5, NULL), CSSPGO_OK);
            while (csspgo_script_next(s, &sample, &map, &e) != CSSPGO_ITEM_NONE) samples++;
            if (e.status == CSSPGO_OK) T_EQ(csspgo_script_feed(s, text + 5, sizeof text - 6, NULL), CSSPGO_OK);
            csspgo_script_end(s);
            while (csspgo_script_next(s, &sample, &map, &e) != CSSPGO_ITEM_NONE) samples++;
        }
        csspgo_script_free(s);
        T_EQ(h.live, 0);
        if (e.status == CSSPGO_OK) {
            T_EQ(samples, 2);
            break;
        }
        T_EQ(e.status, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 2 && nth < 100);
}

/* ----- script text: rules, each by example ----- */

#define MM " PERF_RECORD_MMAP2 1000/1000: [0x401000(0x1000) @ 0x1000 00:1d 1001 1]: r-xp /x/demo.probe\n"
#define HYBRID "\t          401159\n\t          40118e\n 0x401171/0x401159/P/-/-/0  0x40116c/0x401150/P/-/-/0 \n"
#define HYBRID_ITEM "S 1 401159 40118e | 401171>401159 40116c>401150\n"
#define FLAT "          401159  0x401171/0x401159/P/-/-/0  0x40116c/0x401150/P/-/-/0 \n"
#define FLAT_ITEM "S 1 | 401171>401159 40116c>401150\n"

typedef struct example {
    const char *holds, *text, *items;             /* items: without the totals */
} example;

static const example examples[] = {
    { "a hybrid sample", HYBRID, HYBRID_ITEM },
    { "a flat sample", FLAT, FLAT_ITEM },
    { "a flat sample without its address", " 0x1/0x2/P 0x3/0x4/P\n", "S 1 | 1>2 3>4\n" },
    { "samples one after the other", HYBRID "\n" HYBRID HYBRID, HYBRID_ITEM HYBRID_ITEM HYBRID_ITEM },
    { "P1: the last line needs no LF", "\t 1\n 0x1/0x2/ 0x3/0x4", "S 1 1 | 1>2 3>4\n" },
    { "CR LF ends lines too", "5\r\n\t 1a\r\n\t 2b\r\n 0x1/0x2/P 0x3/0x4\r\n\r\n", "S 5 1a 2b | 1>2 3>4\n" },
    { "CR LF in a flat script", "5\r\n1a 0x1/0x2/P 0x3/0x4\r\n\r\n", "S 5 | 1>2 3>4\n" },
    { "P2: junk between frames and records makes it flat", "\t 1\n\t 2\nx\n 0x1/0x2 0x3/0x4\n", "S 1 | 1>2 3>4\n" },
    { "P2: junk before the frames does not", "x\n\t 1\n\t 2\n 0x1/0x2 0x3/0x4\n", "S 1 1 2 | 1>2 3>4\n" },
    { "P2: a count line is no frame", "7\n 0x1/0x2 0x3/0x4\n", "S 7 | 1>2 3>4\n" },
    { "P2: a second count line is one", "7\n8\n 0x1/0x2 0x3/0x4\n", "S 7 8 | 1>2 3>4\n" },
    { "P2: no branch line is an error", "\t 1\n\t 2\n\nx\n", "E E_SYNTAX line 4\n" },
    { "P2: so is nothing", "", "E E_SYNTAX line 0\n" },
    { "P3: one record is enough", "\t 1\n 0x1/0x2/P\n", "S 1 1 | 1>2\n" },
    { "P3: two blanks may follow the first word", "1  0x1/0x2\n", "S 1 | 1>2\n" },
    { "P3: three may not, alone", "1   0x1/0x2\n", "E E_SYNTAX line 1\n" },
    { "P3: but lines before the deciding one are read", "1   0x1/0x2\n1  0x3/0x4\n", "S 1 | 1>2\nS 1 | 3>4\n" },
    { "P3: both words need 0x and a slash", "1 2/3\n1 0x12\n0x1 0y1/2\n", "E E_SYNTAX line 3\n" },
    { "P5: mapping lines", MM HYBRID MM, "M 1000 401000 1000 1000 x /x/demo.probe\n" HYBRID_ITEM
                                         "M 1000 401000 1000 1000 x /x/demo.probe\n" },
    { "P5: a digit first is no mapping line, nor is a short one", HYBRID
      "1 PERF_RECORD_MMAP2 1000/1000: [0x401000(0x1000) @ 0x1000 00:1d 1001 1]: r-xp /x/demo.probe\n"
      "PERF_RECORD_MMAP 1/1: [0x4(0x1) @ 0x1]: x /x\n" HYBRID, HYBRID_ITEM HYBRID_ITEM },
    { "P5: between frames it is junk", HYBRID "\t 1\n" MM "\t 2\n 0x1/0x2\n", HYBRID_ITEM "S 1 2 | 1>2\n" },
    { "P5: also before the type is known", MM "7\n" MM "\t 1\n" MM MM "\t 2\n 0x1/0x2\n",
      "M 1000 401000 1000 1000 x /x/demo.probe\nM 1000 401000 1000 1000 x /x/demo.probe\nS 1 2 | 1>2\n" },
    { "P5: unless it turns out to be flat", MM "7\n\t 1\n" MM "7\n" MM "x\n" FLAT,
      "M 1000 401000 1000 1000 x /x/demo.probe\nM 1000 401000 1000 1000 x /x/demo.probe\n" FLAT_ITEM },
    { "P6: counts", "3\n" HYBRID "18446744073709551615\n" HYBRID "0\n" HYBRID,
      "S 3 401159 40118e | 401171>401159 40116c>401150\n"
      "S 18446744073709551615 401159 40118e | 401171>401159 40116c>401150\n"
      "S 0 401159 40118e | 401171>401159 40116c>401150\n" },
    { "P6: a count has no blanks", HYBRID " 7\n" HYBRID,
      HYBRID_ITEM "S 1 7 401159 40118e | 401171>401159 40116c>401150\n" },
    { "P6: too large a number is no count but a frame", HYBRID "9999999999999999\n" HYBRID "999999999999999999999\n"
      HYBRID,
      HYBRID_ITEM "S 9999999999999999 401159 40118e | 401171>401159 40116c>401150\n" HYBRID_ITEM },
    { "P6: a frame without blanks in front is a count", "401159\n\t 40118e\n 0x1/0x2\n", "S 401159 40118e | 1>2\n" },
    { "P6: in a flat script too", "3\n" FLAT "4\n5\n" FLAT, "S 3 | 401171>401159 40116c>401150\n" FLAT_ITEM },
    { "P7: a stack is abandoned at junk", HYBRID "\t 1\n\t 2\nx\n\t 3\n 0x1/0x2\n", HYBRID_ITEM "S 1 3 | 1>2\n" },
    { "P7: and its branch line right behind it", HYBRID "\t 1\n\t 2\nx\n 0x1/0x2\n" HYBRID, HYBRID_ITEM HYBRID_ITEM },
    { "P7: a blank line is junk", HYBRID "\t 1\n\n 0x1/0x2\n" HYBRID, HYBRID_ITEM HYBRID_ITEM },
    { "P7: header lines before the frames do no harm", "demo 1000 cycles:u: \n" HYBRID "\ndemo 1000 cycles:u: \n"
      HYBRID, HYBRID_ITEM HYBRID_ITEM },
    { "P7: text behind an address is junk", HYBRID "\t 1 main\n\t 2\n 0x1/0x2\n", HYBRID_ITEM "S 1 2 | 1>2\n" },
    { "P7: blanks of all kinds may precede a frame", " \t\v\f\r1\n\t\t  2\n3\n 0x1/0x2\n", "S 1 1 2 3 | 1>2\n" },
    { "P7: a frame has at most 64 bits", HYBRID "\t ffffffffffffffff\n\t 0000000000000000000001\n\t Ab\n 0x1/0x2\n"
      "\t 1\n\t 10000000000000000\n\t 2\n 0x1/0x2\n", HYBRID_ITEM "S 1 ffffffffffffffff 1 ab | 1>2\nS 1 2 | 1>2\n" },
    { "P7: 0x is no frame", HYBRID "\t 1\n\t0x2\n\t 3\n 0x1/0x2\n", HYBRID_ITEM "S 1 3 | 1>2\n" },
    { "P9: no stack, no sample", HYBRID " 0x1/0x2 0x3/0x4\n9\n 0x1/0x2\n" HYBRID, HYBRID_ITEM HYBRID_ITEM },
    { "P10: the end instead of a branch line", HYBRID "\t 1\n", HYBRID_ITEM "E E_TRUNCATED line 4\n" },
    { "P10: but not behind a count line", HYBRID "12\n", HYBRID_ITEM },
    { "P10: nor behind junk", HYBRID "\t 1\nx\n", HYBRID_ITEM },
    { "P11: words are split at blanks", "\t 1\n 0x1/0x2/P    0x3/0x4   \t \n", "S 1 1 | 1>2 3>4\n" },
    { "P11: an address before the records is passed over", "ab 0x1/0x2\n  AB  0x3/0x4\n", "S 1 | 1>2\nS 1 | 3>4\n" },
    { "P11: it must be a number", "xy 0x1/0x2\nab 0x3/0x4\n", "S 1 | 3>4\n" },
    { "P11: an event before it as well", "cycles:  0x1/0x2 0x3/0x4\ncycles:u:  ab  0x5/0x6\n", "S 1 | 1>2 3>4\n"
      "S 1 | 5>6\n" },
    { "P3: behind an event two blanks must follow, more may", "cycles:    ab  0x1/0x2\n", "S 1 | 1>2\n" },
    { "P3: one does not do", "cycles: ab  0x1/0x2\n", "E E_SYNTAX line 1\n" },
    { "P11: whatever it looks like", "\t 1\n 0x1/0x2/P: 0x3/0x4/: 0x5/0x6\n1 0x1/0x2/: 0x3/0x4\n",
      "S 1 1 | 3>4 5>6\n" },
    { "P11: but only one", "0x1/0x2\na: b: 0x3/0x4\n0x5/0x6\n", "S 1 | 1>2\nS 1 | 5>6\n" },
    { "P11: the rest behind a bad record is not read", "\t 1\n 0x1/0x2 0x3:0x4 0x5/0x6\n\t 1\n"
      " 0x1/0x2 0xg/0x4 0x5/0x6\n"
      "\t 1\n 0x1/0x2 0x3/0x 0x5/0x6\n\t 1\n 0x1/0x2 0x/0x4 0x5/0x6\n\t 1\n 0x1/0x2 0x3/0x4\t 0x5/0x6\n",
      "S 1 1 | 1>2\nS 1 1 | 1>2\nS 1 1 | 1>2\nS 1 1 | 1>2\nS 1 1 | 1>2\n" },
    { "P11: a bad first record drops the sample", HYBRID "\t 1\n 0x1-0x2 0x3/0x4\n" HYBRID, HYBRID_ITEM HYBRID_ITEM },
    { "P11: the first two bytes of a field are not looked at", "\t 1\n 0x1/0x2 ..3/::4/P // 0x5/0x6\n",
      "S 1 1 | 1>2 3>4\n" },
    { "P11: addresses have at most 64 bits", "\t 1\n"
      " 0xffffffffffffffff/0x00000000000000000001 0x10000000000000000/0x1\n",
      "S 1 1 | ffffffffffffffff>1\n" },
    { "P11: fields behind the two are not looked at", "\t 1\n"
      " 0x401171/0x401159/P/-/-/0/UNCOND/-  0x40116c/0x401150/M/-/-/12/COND/NON_SPEC_CORRECT_PATH \n",
      "S 1 1 | 401171>401159 40116c>401150\n" },
    { "mapping: PERF_RECORD_MMAP",
      "PERF_RECORD_MMAP -1/0: [0xffffffff81e00000(0x3e8fa000) @ 0xffffffff81e00000]: x [kernel.kallsyms]_text\n" FLAT,
      "M 4294967295 ffffffff81e00000 3e8fa000 ffffffff81e00000 x [kernel.kallsyms]_text\n" FLAT_ITEM },
    { "mapping: offset 0, no x, blanks and brackets in the path",
      "demo 7 [000] 1.5: PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0 08:04 19532229 3585508847]: r--p /a b/c]: d\n"
          FLAT,
      "M 7 400000 1000 0 - /a b/c]: d\n" FLAT_ITEM },
    { "mapping: the path begins behind the last protection",
      "PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0x0 08:04 1 2]: r--p /a ]: r-xp /b\n"
        "PERF_RECORD_MMAP 7/8: [0x400000(0x1000) @ 0x0]: r--p /a ]: r-xp /b\n" FLAT,
      "M 7 400000 1000 0 x /b\nM 7 400000 1000 0 - /a ]: r-xp /b\n" FLAT_ITEM },
    { "mapping: upper-case digits, missing fields and wide numbers are bad",
      "PERF_RECORD_MMAP2 7/8: [0x40A000(0x1000) @ 0x0 08:04 1 2]: r-xp /a\n"
        "PERF_RECORD_MMAP2 7/-8: [0x400000(0x1000) @ 0 08:04 1 2]: r-xp /a\n"
      "PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 00 08:04 1 2]: r-xp /a\n"
        "PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0x10000000000000000 08:04 1 2]: r-xp /a\n"
      "PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0 08:04 1 2]: R-XP /a\n"
        "PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0x0]: r-xp /abcdefgh\n" FLAT,
      FLAT_ITEM },
    { "mapping: a second try in the line",
      "PERF_RECORD_MMAP2 x PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0 08:04 1 2]: r-xp /a\n" FLAT,
      "M 7 400000 1000 0 x /a\n" FLAT_ITEM },
    { "mapping: it may begin in a word",
      "PERF_RECORD_MMAPERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0 08:04 1 2]: r-xp /a\n" FLAT,
      "M 7 400000 1000 0 x /a\n" FLAT_ITEM },
    { "a mapping line that begins like a branch line, behind junk and not", "x\n 0x1 "
      "PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0 08:04 1 2]: r-xp /a\n" HYBRID
      " 0x1 " "PERF_RECORD_MMAP2 7/8: [0x400000(0x1000) @ 0 08:04 1 2]: r-xp /b\n",
          HYBRID_ITEM "M 7 400000 1000 0 x /b\n" },
    { "a line of one control byte is a line like others", "\001\n\t 5\n\001\n" FLAT "\001\n", FLAT_ITEM },
    { "one CR belongs to a line's end, a second one to the line", "01\r\r\n" FLAT "3\r\r\n" FLAT "3\r\n" FLAT,
      FLAT_ITEM FLAT_ITEM "S 3 | 401171>401159 40116c>401150\n" },
    { "P11: blanks behind an event at the line's end", HYBRID "\t 1\n 0x1/0x2/P:\r\t\v\n" HYBRID,
      HYBRID_ITEM HYBRID_ITEM },
    { "mapping: of both forms in a line only the second counts",
      "PERF_RECORD_MMAP 7/8: [0x400000(0x1000) @ 0]: r-xp /a PERF_RECORD_MMAP2 \n" FLAT, FLAT_ITEM }
};

static void rules_hold_by_example(void)
{
    size_t i;
    for (i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const example *e = &examples[i];
        t_out got;
        size_t n;
        memset(&got, 0, sizeof got);
        print_script(&got, e->text, strlen(e->text), as_one_piece());
        for (n = got.size - 1; n != 0 && got.at[n - 1] != '\n'; n--) {}          /* without the totals */
        t_same(e->holds, got.at, n, e->items, strlen(e->items));
        t_out_free(&got);
        check_script(e->holds, e->text, strlen(e->text), as_one_piece());
    }
}

static void what_is_left_out_is_counted(void)
{
    static const char text[] = HYBRID "\t 1\nx\n 0x1/0x2\n 0x1/0x2\n\t 1\n 0x1/0x2 0x3\n"
                                      "PERF_RECORD_MMAP2 7/8: [0x40A000(0x1000) @ 0x0 08:04 1 2]: r-xp /a\n\n" HYBRID;
    static const char want[] = "hybrid, lines 14, attempts 6, samples 3, frames 1, records 1, mmaps 1, stacks 1, "
                               "oversized 0, first 5\n";
    t_out got;
    memset(&got, 0, sizeof got);
    print_script(&got, text, sizeof text - 1, as_one_piece());
    T_CHECK(got.size > sizeof want);
    t_same("totals", got.at + got.size - (sizeof want - 1), sizeof want - 1, want, sizeof want - 1);
    t_out_free(&got);
}

/* ----- script text: whole files, broken files ----- */

static const char *const files[] = {
    "cases/01-calls", "cases/02-returns", "cases/03-recursion", "cases/04-tailcall", "cases/05-extpair",
        "cases/06-in-callback",
    "cases/06b-after-callback", "cases/07-interrupt-pair", "cases/08-interrupt-half", "cases/09-bogus-range",
    "cases/10-backward-range", "cases/11-prolog-leaf", "cases/12-epilog-leaf", "cases/13-bad-return-address",
    "cases/14-missing-caller", "cases/15-ret-to-noncall", "cases/16-aggregated", "cases/17-one-entry",
        "cases/18-lbr-only",
    "cases/18b-lbr-only-bad", "cases/19-line-mode", "cases/19b-line-returns", "cases/20-mid-instruction",
    "cases/21-kernel-leaf", "cases/22-external-leaf", "cases/23-noreturn-neighbour", "cases/23b-normal-neighbour",
    "cases/24-pie", "cases/25-a64", "cases/26-bad-token", "cases/27-new-fields", "cases/28-depth1",
        "cases/29-nocompress",
    "cases/30-ignore-stack", "cases/31-no-lbr-line", "cases/32-no-mmap", "cases/33-tail-infer", "traces/demo.line",
    "traces/demo.probe", "traces/ext.line", "traces/ext.probe"
};
static const char *const scripts[] = { "demo", "mix", "tail", "tiny" };

static void every_file_reads_the_same_in_any_pieces(void)
{
    char path[96];
    size_t i, size;
    for (i = 0; i < sizeof files / sizeof files[0] + sizeof scripts / sizeof scripts[0]; i++) {
        const size_t k = i - sizeof files / sizeof files[0];
        char *text;
        if (i < sizeof files / sizeof files[0]) sprintf(path, "data/unwind/%s.ps", files[i]);
        else sprintf(path, "data/generate/%s.perfscript", scripts[k]);
        text = t_file(path, &size);
        check_script(path, text, size, as_one_piece());
        free(text);
    }
}

static void the_traces_are_complete(void)
{
    static const struct { const char *path; uint64_t samples; } known[] = {
        { "data/unwind/traces/demo.probe.ps", 17 }, { "data/generate/mix.perfscript", 0 }
    };
    size_t size;
    char *text = t_file(known[0].path, &size), *at;
    uint64_t lines = 0;
    t_out got;
    for (at = text; (at = strstr(at, "\n 0x")) != NULL; at++) lines++;
    memset(&got, 0, sizeof got);
    print_script(&got, text, size, as_one_piece());
    for (at = got.at; *at == 'S' || *at == 'M'; at = strchr(at, '\n') + 1) lines -= *at == 'S';
    T_EQ(lines, 0);
    T_CHECK(strncmp(at, "hybrid", 6) == 0 && strstr(at,
        "frames 0, records 0, mmaps 0, stacks 0, oversized 0, first 0") != NULL);
    t_out_free(&got);
    free(text);
}

static void every_truncation_reads_as_the_model_reads_it(void)
{
    static const char text[] = MM "x\n3\n" HYBRID "\n" HYBRID "\r\n" MM "\t 1\nx\n 0x1/0x2\n" HYBRID;
    size_t n;
    for (n = 0; n < sizeof text; n++) {
        unsigned char *exact = t_copy(text, n);
        check_script("a truncated script", (const char *)exact, n, as_one_piece());
        free(exact);
    }
}

/* Changes a script in a few places: bytes, blanks, lines that vanish or come twice. */
static void mutate(t_out *t)
{
    static const char *const insert[] = { " ", "  ", "\n", "\t", "0x", "/", "7\n", "\r", "x", "\n\n", " 0x1/0x2 ",
        MM, "\t 401159\n", ":", "\v" };
    int edits = 1 + (int)(rnd() % 6);
    while (edits-- > 0 && t->size > 2) {
        const size_t at = (size_t)(rnd() % t->size);
        char *lf = (char *)memchr(t->at + at, '\n', t->size - at), *next;
        const unsigned what = (unsigned)(rnd() % 5);
        if (what == 0) t->at[at] = (char)(rnd() % 256);
        if (what == 1) t->at[at] = " \t\n0x/a9\r:"[rnd() % 10];
        if (what == 2 && lf != NULL) {                        /* drop a line */
            next = (char *)memchr(lf + 1, '\n', (size_t)(t->at + t->size - lf) - 1);
            if (next == NULL) next = t->at + t->size - 1;
            memmove(lf, next, (size_t)(t->at + t->size - next));
            t->size -= (size_t)(next - lf);
        }
        if (what >= 3) {
            const char *add = insert[rnd() % (sizeof insert / sizeof insert[0])];
            const size_t k = strlen(add), here = what == 4 && lf != NULL ? (size_t)(lf - t->at) + 1 : at;
            t_str(t, add);
            memmove(t->at + here + k, t->at + here, t->size - k - here);
            memcpy(t->at + here, add, k);
        }
    }
}

static void damaged_scripts_read_as_the_model_reads_them(void)
{
    size_t i, k, size;
    char path[96];
    for (i = 0; i < 37; i++) {
        char *text;
        sprintf(path, "data/unwind/%s.ps", files[i]);
        text = t_file(path, &size);
        for (k = 0; k < 12; k++) {
            t_out t;
            run how = as_one_piece();
            memset(&t, 0, sizeof t);
            t_add(&t, text, size);
            mutate(&t);
            if (k % 4 == 3) how.max_line = 60;
            check_script(path, t.at, t.size, how);
            t_out_free(&t);
        }
        free(text);
    }
}

static void too_long_lines_are_junk(void)
{
    static const char text[] = "\t 6\n 0x7/0x8 0x9/0xa\n\t    1\n\t                    2\n 0x1/0x2 0x3/0x4\n"
                               "\t 5\n 0x1/0x2 0x3/0x4/PPPPPPPPPPP\n\t 6\n 0x7/0x8 0x9/0xa\n";
    static const char want[] = "S 1 6 | 7>8 9>a\nS 1 6 | 7>8 9>a\n"
                               "hybrid, lines 9, attempts 4, samples 2, frames 2, records 0, mmaps 0, stacks 0, "
                               "oversized 2, first 4\n";
    run how = as_one_piece();
    t_out got;
    memset(&got, 0, sizeof got);
    how.max_line = 16;
    print_script(&got, text, sizeof text - 1, how);
    t_same("long lines", got.at, got.size, want, sizeof want - 1);
    t_out_free(&got);
    for (how.max_line = 1; how.max_line < 40; how.max_line++) check_script("long lines", text, sizeof text - 1, how);
}

/* Code at 401000 to 402000: calls of 5 bytes at 401100, 401200, 401210, a return at 401300, a function at 401400. */
static csspgo_code *small_code(void)
{
    static const uint64_t calls[] = { 0x401100, 0x401200, 0x401210 };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_module none;
    csspgo_transfer t;
    csspgo_code_function f;
    size_t i;
    memset(&none, 0, sizeof none);
    memset(&t, 0, sizeof t);
    memset(&f, 0, sizeof f);
    T_EQ(csspgo_code_add_area(code, none, 0x401000, 0x1000, NULL), CSSPGO_OK);
    t.size = 5;
    t.kind = CSSPGO_CALL;
    for (i = 0; i < 3; i++) {
        t.address = calls[i];
        T_EQ(csspgo_code_add_transfers(code, none, &t, 1, NULL), CSSPGO_OK);
    }
    t.address = 0x401300;
    t.size = 1;
    t.kind = CSSPGO_RET;
    T_EQ(csspgo_code_add_transfers(code, none, &t, 1, NULL), CSSPGO_OK);
    f.begin = 0x401400;
    f.end = 0x401500;
    f.guid = 1;
    T_EQ(csspgo_code_add_function(code, none, &f, NULL), CSSPGO_OK);
    return code;
}

static void a_stack_ends_where_a_return_address_is_bad(void)
{
    static const char text[] = "\t 401500\n\t 401105\n\t 401105\n\n\t 401600\n 0x401100/0x401500\n"
                               "\t 401500\n\t 401105\n\t 401106\n\t 9\n\nx\n7\n\t 401600\n 0x401100/0x401600\n";
    csspgo_code *code = small_code();
    run how = as_one_piece();
    t_out got;
    memset(&got, 0, sizeof got);
    print_script(&got, text, sizeof text - 1, how);
    T_CHECK(strstr(got.at, "S 1 401600 | 401100>401500\nS 7 401600 | 401100>401600\n") == got.at);
    t_out_free(&got);
    how.code = code;
    print_script(&got, text, sizeof text - 1, how);
    T_CHECK(strstr(got.at, "S 1 401600 | 401100>401500\nS 1 401500 401105 401106 | 401100>401600\n") == got.at);
    t_out_free(&got);
    check_script("with code", text, sizeof text - 1, how);
    csspgo_code_free(code);
}

static void a_stack_at_the_end_may_be_one_that_is_dropped_anyway(void)
{
    static const char *const leaves[] = { "401300", "401400", "401404", "7f0000" };
    csspgo_code *code = small_code();
    size_t i;
    for (i = 0; i < 4; i++) {
        run how = as_one_piece();
        t_out text, got;
        memset(&text, 0, sizeof text);
        memset(&got, 0, sizeof got);
        t_str(&text, HYBRID "\t ");
        t_str(&text, leaves[i]);
        t_str(&text, "\n\t 401105\n");
        how.code = code;
        print_script(&got, text.at, text.size, how);
        T_EQ(strstr(got.at, "E E_TRUNCATED line 5\n") != NULL, i >= 2);
        check_script("the end in a stack", text.at, text.size, how);
        t_out_free(&text);
        t_out_free(&got);
    }
    csspgo_code_free(code);
}

/* ----- script text: bounds, misuse, memory ----- */

static void append_frames(t_out *t, size_t n)
{
    for (; n != 0; n--) t_num(t, "\t ", n, 16), t_str(t, "\n");
}

static void append_records(t_out *t, size_t n)
{
    for (; n != 0; n--) t_num(t, " 0x", n, 16), t_num(t, "/0x", n + 1, 16);
    t_str(t, "\n");
}

static csspgo_script_stats read_all(const t_out *t, const csspgo_options *o, size_t chunk, uint64_t *frames,
    uint64_t *records)
{
    csspgo_script *s = t_llvm_script(NULL, o);
    csspgo_script_stats stats;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    size_t at, n;
    *frames = *records = 0;
    for (at = 0; at < t->size; at += n) {
        n = chunk < t->size - at ? chunk : t->size - at;
        csspgo_script_feed(s, t->at + at, n, NULL);
        if (at + n == t->size) csspgo_script_end(s);
        while ((item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE)
            if (item == CSSPGO_ITEM_SAMPLE) {
                *frames += sample.stack_count;
                *records += sample.branch_count;
            }
    }
    stats = csspgo_script_get_stats(s);
    csspgo_script_free(s);
    return stats;
}

static void samples_of_65536_frames_and_records_pass_larger_ones_do_not(void)
{
    static const size_t chunks[] = { 1u << 24, 4096 };
    csspgo_script_stats st;
    uint64_t frames, records;
    size_t i;
    t_out t;
    memset(&t, 0, sizeof t);
    t_str(&t, HYBRID);
    append_frames(&t, 65536);
    t_str(&t, " 0x1/0x2\n");
    append_frames(&t, 65537);
    t_str(&t, " 0x1/0x2\n\t 1\n");
    append_records(&t, 65536);
    t_str(&t, "\t 1\n");
    append_records(&t, 65537);
    t_str(&t, HYBRID);
    for (i = 0; i < 2; i++) {
        csspgo_options o;
        memset(&o, 0, sizeof o);
        o.limits.max_line = 1u << 22;
        st = read_all(&t, &o, chunks[i], &frames, &records);
        T_EQ(st.samples, 4);
        T_EQ(st.oversized, 2);
        T_EQ(st.line_count, t.size != 0 ? 3 + 65536 + 1 + 65537 + 1 + 2 + 2 + 3 : 0);
        T_EQ(frames, 2 + 65536 + 1 + 2);
        T_EQ(records, 2 + 1 + 65536 + 2);
    }
    t_out_free(&t);
}

static void lines_before_the_first_branch_line_are_kept_up_to_a_limit(void)
{
    csspgo_script_stats st;
    uint64_t frames, records;
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    t_out t;
    size_t i;
    memset(&t, 0, sizeof t);
    for (i = 0; i < 100000; i++) t_str(&t, i % 3 == 0 ? "some junk that is not a sample\n" : "\t 12345\n");
    t_str(&t, HYBRID);
    st = read_all(&t, &o, 777, &frames, &records);
    T_EQ(st.samples, 1);
    T_EQ(frames, 2);
    T_EQ(st.line_count, 100003);
    T_EQ(st.oversized, 0);
    T_CHECK(h.live == 0 && h.peak < 3u << 20);
    t_out_free(&t);
    for (i = 0; i < 100000; i++) t_str(&t, MM);
    t_str(&t, HYBRID);
    st = read_all(&t, &o, 65536, &frames, &records);
    T_CHECK(st.samples == 1 && st.attempts == 1 && h.peak < 3u << 20);
    t_out_free(&t);
    append_frames(&t, 200000);                    /* a stack that does not fit: its sample is dropped */
    t_str(&t, " 0x1/0x2\n" HYBRID);
    st = read_all(&t, &o, 65536, &frames, &records);
    T_CHECK(st.samples == 1 && st.oversized == 1 && frames == 2 && records == 2 && st.line_count == 200004 &&
        h.peak < 3u << 20);
    t_out_free(&t);
}

static void hostile_lines_take_linear_time(void)
{
    static const char *const pieces[] = { "PERF_RECORD_MMAP2 1/1: [0x1(0x1) @ 0 ",
        "PERF_RECORD_MMAP 1/1: [0x1(0x1) @ 0]: ", "]: a", "F", ":",
                                          "0x1/", " ", "PERF_RECORD_MMAP2 1/1: [0x1(0x1) @ 0 ]: " };
    uint64_t frames, records;
    size_t i, k;
    t_out t;
    for (i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        memset(&t, 0, sizeof t);
        t_str(&t, "x");
        for (k = 0; k < 1000000 / strlen(pieces[i]); k++) t_str(&t, pieces[i]);
        t_str(&t, "\n" HYBRID);
        T_EQ(read_all(&t, NULL, 1u << 24, &frames, &records).samples, 1);
        t_out_free(&t);
    }
}

static void misuse_is_an_argument_error(void)
{
    csspgo_script *s = t_llvm_script(NULL, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    T_EQ(csspgo_script_feed(s, NULL, 0, NULL), CSSPGO_OK);
    T_EQ(csspgo_script_feed(s, FLAT FLAT, 2 * (sizeof FLAT - 1), NULL), CSSPGO_OK);
    T_EQ(csspgo_script_feed(s, FLAT, sizeof FLAT - 1, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_script_next(s, &sample, &map, &err), CSSPGO_ITEM_SAMPLE);
    T_EQ(csspgo_script_feed(s, FLAT, sizeof FLAT - 1, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_script_next(s, &sample, &map, &err), CSSPGO_ITEM_SAMPLE);
    T_EQ(csspgo_script_next(s, &sample, &map, &err), CSSPGO_ITEM_NONE);
    T_EQ(csspgo_script_feed(s, FLAT, sizeof FLAT - 1, NULL), CSSPGO_OK);
    csspgo_script_end(s);
    T_EQ(csspgo_script_next(s, &sample, &map, &err), CSSPGO_ITEM_SAMPLE);
    T_EQ(csspgo_script_next(s, &sample, &map, &err), CSSPGO_ITEM_NONE);
    T_EQ(csspgo_script_next(s, &sample, &map, &err), CSSPGO_ITEM_NONE);
    T_EQ(err.status, CSSPGO_OK);
    T_EQ(csspgo_script_feed(s, FLAT, sizeof FLAT - 1, NULL), CSSPGO_E_ARGUMENT);
    csspgo_script_free(s);
    csspgo_script_free(NULL);
}

static void an_error_stays(void)
{
    csspgo_script *s = t_llvm_script(NULL, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    int i;
    csspgo_script_feed(s, "\t 1\n\t 2\n", 8, NULL);
    csspgo_script_end(s);
    for (i = 0; i < 3; i++) {
        T_EQ(csspgo_script_next(s, &sample, &map, &err), CSSPGO_ITEM_NONE);
        T_CHECK(err.status == CSSPGO_E_SYNTAX && err.line == 2 && err.offset == 8);
    }
    csspgo_script_free(s);
}

static csspgo_status try_script(const char *text, size_t size, const csspgo_options *o)
{
    csspgo_script *s = t_llvm_script(NULL, o);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    csspgo_item item;
    size_t at;
    if (s == NULL) return CSSPGO_E_NOMEM;
    memset(&err, 0, sizeof err);
    for (at = 0; at < size && err.status == CSSPGO_OK; at += 50) {
        csspgo_script_feed(s, text + at, size - at < 50 ? size - at : 50, NULL);
        while ((item = csspgo_script_next(s, &sample, &map, &err)) != CSSPGO_ITEM_NONE) {}
    }
    csspgo_script_end(s);
    while (err.status == CSSPGO_OK && (item = csspgo_script_next(s, &sample, &map, &err)) != CSSPGO_ITEM_NONE) {}
    csspgo_script_free(s);
    return err.status;
}

static void every_allocation_may_fail(void)
{
    t_out t;
    long nth;
    t_heap h;
    memset(&t, 0, sizeof t);
    t_str(&t, "junk\n" MM HYBRID);
    append_frames(&t, 300);
    append_records(&t, 300);
    for (nth = 1; nth < 1000; nth++) {
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status s = try_script(t.at, t.size, &o);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 5 && nth < 1000);
    t_out_free(&t);
}

static void the_memory_limit_is_an_error(void)
{
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    t_out t;
    memset(&t, 0, sizeof t);
    t_str(&t, HYBRID);
    append_frames(&t, 3000);
    t_str(&t, " 0x1/0x2\n");
    o.limits.max_bytes = 10000;
    T_EQ(try_script(t.at, t.size, &o), CSSPGO_E_LIMIT);
    T_EQ(h.live, 0);
    o.limits.max_bytes = 100000;
    T_EQ(try_script(t.at, t.size, &o), CSSPGO_OK);
    t_out_free(&t);
}

/* ----- ring buffers: a writer of records ----- */

typedef struct ring_test {
    uint64_t words[1024], bounce[1024];           /* the record being written; the bounce buffer */
    uint64_t data[64];
    size_t   n;                                   /* words written */
    uint64_t type, branch_type, read_format;
    csspgo_sample want;
    uint64_t stack[8];
    csspgo_branch branch[8];
} ring_test;

static void put64(ring_test *r, uint64_t v)
{
    r->words[r->n++] = v;
}

static void put32x2(ring_test *r, uint32_t a, uint32_t b)
{
    uint32_t pair[2];
    pair[0] = a;
    pair[1] = b;
    memcpy(&r->words[r->n++], pair, 8);
}

static void put_header(ring_test *r, size_t at, uint32_t type, uint32_t misc)
{
    unsigned char *p = (unsigned char *)&r->words[at];
    const uint16_t m = (uint16_t)misc, size = (uint16_t)(8 * (r->n - at));
    memcpy(p, &type, 4);
    memcpy(p + 4, &m, 2);
    memcpy(p + 6, &size, 2);
}

static void put_read(ring_test *r)
{
    const uint64_t f = r->read_format;
    uint64_t i, n = f & 8 ? 3 : 1;
    if (f & 8) put64(r, n);
    if (!(f & 8)) put64(r, 1001);
    if (f & 1) put64(r, 1002);
    if (f & 2) put64(r, 1003);
    for (i = 0; i < n; i++) {
        if (f & 8) put64(r, 1001);
        if (f & 4) put64(r, 1004);
        if (f & 16) put64(r, 1005);
    }
}

/* A PERF_RECORD_SAMPLE of the ring's type; want gets what must come out of it. chain, branches: entries. */
static void put_sample(ring_test *r, size_t chain, size_t branches)
{
    const uint64_t t = r->type;
    size_t at = r->n++, i;
    memset(&r->want, 0, sizeof r->want);
    r->want.count = 1;
    if (t & 0x10000) put64(r, 77);
    if (t & 1) put64(r, 0x401000);
    if (t & 2) put32x2(r, r->want.pid = 12, r->want.tid = 13);
    if (t & 4) put64(r, r->want.time = 0x123456789abcdef0u);
    if (t & 8) put64(r, 78);
    if (t & 0x40) put64(r, 79);
    if (t & 0x200) put64(r, 80);
    if (t & 0x80) put32x2(r, 1, 0);
    if (t & 0x100) put64(r, 81);
    if (t & 0x10) put_read(r);
    if (t & 0x20) {
        put64(r, chain);
        for (i = 0; i < chain; i++) put64(r, r->stack[i] = 0x401000 + 16 * i);
        r->want.stack_count = (uint32_t)chain;
    }
    if ((t & 0x20 ? chain == 0 : !(t & 0x800)) && t & 1) r->want.stack_count = 1, r->stack[0] = 0x401000;
    if (t & 0x400) {
        put32x2(r, 12, 0xdddddddd);
        put64(r, 0xeeeeeeeeeeeeeeeeu);
    }
    if (t & 0x800) {
        put64(r, branches);
        if (r->branch_type & 0x20000) put64(r, 5);
        for (i = 0; i < branches; i++) {
            put64(r, r->branch[i].from = 0x402000 + i);
            put64(r, r->branch[i].to = 0x403000 + i);
            put64(r, r->branch[i].flags = 3 + i);
        }
        for (i = 0; i < branches && r->branch_type & 0x80000; i++) put64(r, 99);
        r->want.branch_count = (uint32_t)branches;
    }
    if (t & 0x1000) put64(r, 0);                  /* what follows is not looked at */
    put_header(r, at, 9, 2);
}

static int same_sample(const ring_test *r, const csspgo_sample *s)
{
    return s->stack_count == r->want.stack_count && s->branch_count == r->want.branch_count && s->count == 1 &&
           s->time == r->want.time && s->pid == r->want.pid && s->tid == r->want.tid &&
           (s->stack_count == 0 || memcmp(s->stack, r->stack, 8 * s->stack_count) == 0) &&
           (s->branch_count == 0 || memcmp(s->branches, r->branch, sizeof(csspgo_branch) * s->branch_count) == 0);
}

static csspgo_perf_event event_of(uint64_t sample_type, uint64_t branch_sample_type, uint64_t read_format)
{
    csspgo_perf_event e;
    memset(&e, 0, sizeof e);
    e.sample_type = sample_type;
    e.branch_sample_type = branch_sample_type;
    e.read_format = read_format;
    return e;
}

static csspgo_status record_status(const void *body, size_t size, uint64_t sample_type, uint64_t branch_sample_type,
                                   csspgo_sample *s)
{
    const csspgo_perf_event event = event_of(sample_type, branch_sample_type, 0);
    return csspgo_record_sample(body, size, &event, s, NULL);
}

/* The n words of the record in a block of their own. */
static csspgo_status read_record(const ring_test *r, size_t size, csspgo_sample *s, void **block, csspgo_error *err)
{
    *block = t_copy((const unsigned char *)&r->words[0] + 8, size);
    const csspgo_perf_event event = event_of(r->type, r->branch_type, r->read_format);
    return csspgo_record_sample(*block, size, &event, s, err);
}

static const uint64_t sample_bits[13] = { 0x10000, 1, 2, 4, 8, 0x40, 0x200, 0x80, 0x100, 0x10, 0x20, 0x400, 0x800 };

static void records_of_every_type_read_back(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    uint64_t mask, n = 0;
    size_t k;
    for (mask = 1; mask < 1u << 14; mask++) {         /* 0 is an event that was left zeroed: an error */
        csspgo_sample s;
        csspgo_error err;
        void *block;
        r->type = mask >> 13 ? 0x1000 : 0;
        for (k = 0; k < 13; k++)
            if (mask >> k & 1) r->type |= sample_bits[k];
        r->branch_type = 0x9 | (n % 3 == 1 ? 0x20000u : 0) | (n % 5 == 1 ? 0x80000u : 0);
        r->read_format = n % 32;
        r->n = 0;
        put_sample(r, (size_t)(n % 4), (size_t)(n % 7));
        n++;
        if (read_record(r, 8 * r->n - 8, &s, &block, &err) != CSSPGO_OK || err.status != CSSPGO_OK ||
            !same_sample(r, &s)) {
            T_MSG(0, "a record of some type does not read back");
            fprintf(stderr, "    type %lx\n", (unsigned long)r->type);
        }
        free(block);
    }
    T_EQ(n, (1u << 14) - 1);
    free(r);
}

/* Every value of the bits of branch_sample_type, against the words of perf_event_open(2). */
static void branch_filters_decide_what_is_a_trace(void)
{
    enum { ANY = 8, IN_TX = 0x100, NO_TX = 0x200, CALL_STACK = 0x800, KINDS = 0x10 | 0x20 | 0x40 | 0x80 | 0x400 | 0x1000 | 0x2000 };
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    uint64_t bits, step = (uint64_t)t_size(1, 7), traces = 0, wrong = 0;
    r->type = 0x801;
    for (bits = 0; bits < 1u << 20; bits += step) {
        const int kind = (bits & (KINDS | IN_TX | NO_TX)) != 0, one_tx = !(bits & IN_TX) != !(bits & NO_TX);
        const int trace = !(bits & CALL_STACK) && (bits & ANY ? !one_tx : !kind);
        csspgo_sample s;
        csspgo_status status;
        csspgo_perf_event event;
        r->branch_type = bits;
        r->n = 0;
        put_sample(r, 0, 2);
        event = event_of(r->type, bits, 0);
        status = csspgo_record_sample(&r->words[1], 8 * r->n - 8, &event, &s, NULL);
        wrong += status != (trace ? CSSPGO_OK : CSSPGO_E_UNSUPPORTED) || (trace && !same_sample(r, &s));
        event.sample_type = 1;                          /* without branch records the filter does not matter */
        wrong += csspgo_record_sample(&r->words[1], 8, &event, &s, NULL) != CSSPGO_OK;
        traces += trace != 0;
    }
    T_EQ(wrong, 0);
    T_CHECK(traces > 100);
    free(r);
}

static void every_prefix_of_a_record_is_rejected(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    uint64_t format;
    size_t size;
    for (format = 0; format < 32; format++) {
        r->type = 0x10fff;
        r->branch_type = 0xa0009;
        r->read_format = format;
        r->n = 0;
        put_sample(r, 3, 2);
        for (size = 0; size < 8 * r->n - 8; size++) {
            csspgo_sample s;
            csspgo_error err;
            void *block;
            T_EQ(read_record(r, size, &s, &block, &err), CSSPGO_E_TRUNCATED);
            T_CHECK(err.status == CSSPGO_E_TRUNCATED && err.offset <= size && s.stack == NULL && s.branches == NULL);
            free(block);
        }
    }
    free(r);
}

static void a_failure_leaves_an_empty_sample(void)
{
    const uint64_t record[3] = { 0x1000, 0, 0 };
    const csspgo_perf_event ip = event_of(1, 0, 0), calls = event_of(0x801, 0x800, 0), both = event_of(0x21, 0, 0);
    csspgo_sample s, empty;
    memset(&empty, 0, sizeof empty);
    T_EQ(csspgo_record_sample(record, 8, &ip, &s, NULL), CSSPGO_OK);
    T_EQ(s.count, 1);
    T_EQ(csspgo_record_sample((const char *)record + 4, 8, &ip, &s, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(memcmp(&s, &empty, sizeof s), 0);
    T_EQ(csspgo_record_sample(record, 16, &calls, &s, NULL), CSSPGO_E_UNSUPPORTED);
    T_EQ(memcmp(&s, &empty, sizeof s), 0);
    T_EQ(csspgo_record_sample(record, 8, &both, &s, NULL), CSSPGO_E_TRUNCATED);
    T_EQ(memcmp(&s, &empty, sizeof s), 0);
}

static void hostile_counts_are_rejected(void)
{
    static const uint64_t counts[] = { 4, 0x1fffffffffffffffu, 0x2000000000000001u, 0x8000000000000000u, UINT64_MAX };
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    csspgo_sample s;
    size_t i, which;
    for (which = 0; which < 3; which++)
        for (i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            void *block;
            r->type = which == 0 ? 0x20 : which == 1 ? 0x800 : 0x10;
            r->read_format = 8;
            r->n = 1;
            put64(r, counts[i]);
            put64(r, 1);
            put64(r, 2);
            put64(r, 3);
            T_EQ(read_record(r, 8 * r->n - 8, &s, &block, NULL), CSSPGO_E_TRUNCATED);
            free(block);
        }
    r->type = 0x400;                              /* raw data of a size that is not padded */
    r->n = 1;
    put32x2(r, 8, 0);
    put64(r, 1);
    r->branch_type = 0x809;
    T_EQ(record_status(&r->words[1], 16, r->type, 0, &s), CSSPGO_E_SYNTAX);
    T_EQ(record_status(&r->words[1], 16, 0x800, 0x809, &s), CSSPGO_E_UNSUPPORTED);
    T_EQ(record_status((unsigned char *)&r->words[1] + 4, 8, 1, 0, &s), CSSPGO_E_ARGUMENT);
    free(r);
}

static void the_user_part_of_a_chain_is_the_stack(void)
{
#define KERNEL (0 - (uint64_t)128)
#define USER (0 - (uint64_t)512)
    static const struct { uint64_t chain[6], n, first, count; } cases[] = {
        { { USER, 1, 2, 3 }, 4, 1, 3 },
        { { KERNEL, 9, 8, USER, 1, 2 }, 6, 4, 2 },
        { { KERNEL, 9, 8 }, 3, 1, 2 },
        { { 9, 8, 7 }, 3, 0, 3 },
        { { USER, 1, 2, 0 - (uint64_t)640, 5 }, 5, 1, 2 },
        { { KERNEL, 9, 0 - (uint64_t)2048, 5 }, 4, 1, 1 },
        { { KERNEL, USER, 1 }, 3, 2, 1 },
        { { 0 - (uint64_t)4096, 0 - (uint64_t)4095, 1 }, 3, 0, 1 },
        { { 5, 6, USER, 7 }, 4, 3, 1 }
    };
    static const uint64_t none[3] = { 0x1234, 1, USER };
    csspgo_sample s;
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t words[8];
        words[0] = cases[i].n;
        memcpy(words + 1, cases[i].chain, sizeof cases[i].chain);
        T_EQ(record_status(words, 8 + 8 * (size_t)cases[i].n, 0x20, 0, &s), CSSPGO_OK);
        T_CHECK(s.stack == words + 1 + cases[i].first);
        T_EQ(s.stack_count, cases[i].count);
    }
    T_EQ(record_status(none, sizeof none, 0x21, 0, &s), CSSPGO_OK);
    T_CHECK(s.stack_count == 1 && s.stack == none);           /* no frame at all: the sampled address */
    T_EQ(record_status(none + 1, 16, 0x20, 0, &s), CSSPGO_OK);
    T_EQ(s.stack_count, 0);
}

/* ----- ring buffers ----- */

static csspgo_ring ring_over(ring_test *r)
{
    csspgo_ring ring;
    memset(&ring, 0, sizeof ring);
    ring.data = r->data;
    ring.size = sizeof r->data;
    ring.bounce = r->bounce;
    ring.bounce_size = sizeof r->bounce;
    ring.event = event_of(r->type, r->branch_type, r->read_format);
    return ring;
}

/* Puts the words written so far into the ring at its head. */
static void ring_put(ring_test *r, csspgo_ring *ring)
{
    size_t i;
    for (i = 0; i < r->n; i++) r->data[(ring->head / 8 + i) % 64] = r->words[i];
    ring->head += 8 * r->n;
    r->n = 0;
}

static void put_mmap(ring_test *r, int second, uint32_t misc, uint32_t prot, const char *path)
{
    const size_t at = r->n++, words = strlen(path) / 8 + 1;
    put32x2(r, 7, 8);
    put64(r, 0x400000);
    put64(r, 0x1000);
    put64(r, 0x2000);
    if (second) {
        put64(r, 1);
        put64(r, 2);
        put64(r, 3);
        put32x2(r, prot, 2);
    }
    memset(&r->words[r->n], 0, 8 * words);
    memcpy(&r->words[r->n], path, strlen(path));
    r->n += words;
    put64(r, 4711);                               /* sample_id_all */
    put_header(r, at, second ? 10 : 1, misc);
}

static void records_wrap_anywhere(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    uint64_t start;
    for (start = 0; start < 1024; start += 8) {
        csspgo_ring ring;
        csspgo_sample s;
        csspgo_mmap map;
        csspgo_error err;
        r->type = 0x827;
        r->branch_type = 9;
        ring = ring_over(r);
        ring.head = ring.tail = 0xfffffffffffffe00u + start;      /* and the positions themselves wrap */
        put_sample(r, 5, 3);
        ring_put(r, &ring);
        put_mmap(r, 1, 0, 5, "/x/demo.probe");
        ring_put(r, &ring);
        T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_SAMPLE);
        T_CHECK(same_sample(r, &s));
        T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_MMAP);
        T_CHECK(map.pid == 7 && map.address == 0x400000 && map.size == 0x1000 && map.file_offset == 0x2000 &&
            map.executable);
        T_CHECK(map.path_size == 13 && memcmp(map.path, "/x/demo.probe", 13) == 0);
        T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_NONE);
        T_CHECK(err.status == CSSPGO_OK && ring.tail == ring.head);
    }
    free(r);
}

static void what_does_not_wrap_is_not_copied(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    csspgo_ring ring;
    csspgo_sample s;
    csspgo_mmap map;
    r->type = 0x827;
    ring = ring_over(r);
    ring.bounce = NULL;
    put_sample(r, 5, 8);
    ring_put(r, &ring);
    T_EQ(csspgo_ring_next(&ring, &s, &map, NULL), CSSPGO_ITEM_SAMPLE);
    T_CHECK(s.stack == r->data + 5 && (const void *)s.branches == (const void *)(r->data + 11));
    put_sample(r, 5, 8);                          /* 35 words each: the second wraps and is lost */
    ring_put(r, &ring);
    r->n = 2;
    put_header(r, 0, 5, 0);
    ring_put(r, &ring);
    T_EQ(csspgo_ring_next(&ring, &s, &map, NULL), CSSPGO_ITEM_OTHER);
    T_EQ(ring.unfit, 1);
    T_EQ(csspgo_ring_next(&ring, &s, &map, NULL), CSSPGO_ITEM_NONE);
    free(r);
}

/* An event that was left zeroed: other records need none, samples would have no address. */
static void a_zeroed_event_is_refused_where_samples_come(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    csspgo_ring ring = ring_over(r);
    csspgo_sample s;
    csspgo_mmap map;
    csspgo_error err;
    put_mmap(r, 1, 0, 4, "/x");
    ring_put(r, &ring);
    r->n = 1;
    put64(r, 0x401000);
    put_header(r, 0, 9, 0);
    ring_put(r, &ring);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_MMAP);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_NONE);
    T_EQ(err.status, CSSPGO_E_ARGUMENT);
    T_CHECK(strncmp(err.message, "csspgo_ring_next: ", 18) == 0 && strstr(err.message, "sample_type") != NULL);
    T_EQ(csspgo_ring_next(&ring, &s, &map, NULL), CSSPGO_ITEM_NONE);
    T_EQ(csspgo_record_sample(r->data, 8, &ring.event, &s, &err), CSSPGO_E_ARGUMENT);
    T_EQ(err.status, CSSPGO_E_ARGUMENT);
    T_CHECK(strncmp(err.message, "csspgo_record_sample: ", 22) == 0 && s.stack_count == 0);
    free(r);
}

static void losses_and_other_records(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    csspgo_ring ring;
    csspgo_sample s;
    csspgo_mmap map;
    csspgo_error err;
    ring = ring_over(r);
    r->n = 1;
    put64(r, 1);
    put64(r, 41);
    put_header(r, 0, 2, 0);
    ring_put(r, &ring);
    r->n = 1;
    put64(r, 1);
    put_header(r, 0, 13, 0);
    ring_put(r, &ring);
    r->n = 1;
    put_header(r, 0, 12345, 0);
    ring_put(r, &ring);
    put_mmap(r, 0, 0x2000, 0, "//anon");
    ring_put(r, &ring);
    put_mmap(r, 0, 0, 0, "");
    ring_put(r, &ring);
    put_mmap(r, 1, 0, 3, "1234567");
    ring_put(r, &ring);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_OTHER);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_OTHER);
    T_EQ(ring.lost, 42);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_OTHER);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_MMAP);
    T_CHECK(!map.executable && map.path_size == 6);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_MMAP);
    T_CHECK(map.executable && map.path_size == 0);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_MMAP);
    T_CHECK(!map.executable && map.path_size == 7);
    T_EQ(csspgo_ring_next(&ring, &s, &map, &err), CSSPGO_ITEM_NONE);
    T_EQ(err.status, CSSPGO_OK);
    free(r);
}

static csspgo_status ring_status(csspgo_ring *ring)
{
    csspgo_sample s;
    csspgo_mmap map;
    csspgo_error err;
    int n;
    for (n = 0; n < 100 && csspgo_ring_next(ring, &s, &map, &err) != CSSPGO_ITEM_NONE; n++) {}
    T_CHECK(n < 100 && ring->tail == ring->head);
    return err.status;
}

static void corrupt_rings_are_errors(void)
{
    static const unsigned sizes[] = { 0, 4, 7, 9, 12, 24, 520, 65528, 65535 };
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    csspgo_ring ring;
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint16_t size = (uint16_t)sizes[i];
        ring = ring_over(r);
        r->n = 2;
        put_header(r, 0, 5, 0);
        memcpy((unsigned char *)r->words + 6, &size, 2);
        ring_put(r, &ring);
        T_EQ(ring_status(&ring), CSSPGO_E_SYNTAX);
        r->n = 1;
        put_header(r, 0, 5, 0);
        ring_put(r, &ring);
        T_EQ(ring_status(&ring), CSSPGO_OK);      /* it goes on behind the lost part */
    }
    ring = ring_over(r);
    ring.head = 12;
    T_EQ(ring_status(&ring), CSSPGO_E_SYNTAX);
    ring = ring_over(r);
    ring.head = 520;
    T_EQ(ring_status(&ring), CSSPGO_E_ARGUMENT);
    ring = ring_over(r);
    ring.tail = 8;
    T_EQ(ring_status(&ring), CSSPGO_E_ARGUMENT);
    ring = ring_over(r);
    ring.tail = 4;
    ring.head = 12;
    T_EQ(ring_status(&ring), CSSPGO_E_ARGUMENT);
    ring = ring_over(r);
    ring.size = 500;
    T_EQ(ring_status(&ring), CSSPGO_E_ARGUMENT);
    ring = ring_over(r);
    ring.data = (const unsigned char *)ring.data + 4;
    T_EQ(ring_status(&ring), CSSPGO_E_ARGUMENT);
    ring = ring_over(r);
    ring.bounce = (unsigned char *)ring.bounce + 1;
    T_EQ(ring_status(&ring), CSSPGO_E_ARGUMENT);
    ring = ring_over(r);
    r->n = 1;
    put_header(r, 0, 1, 0);                       /* a mapping record without its body, one whose path does not end */
    ring_put(r, &ring);
    T_EQ(ring_status(&ring), CSSPGO_E_TRUNCATED);
    put_mmap(r, 0, 0, 0, "1234567");
    memset((unsigned char *)r->words + 8 * r->n - 9, 0xff, 9);
    ring_put(r, &ring);
    T_EQ(ring_status(&ring), CSSPGO_E_TRUNCATED);
    r->n = 2;
    put_header(r, 0, 2, 0);
    ring_put(r, &ring);
    T_EQ(ring_status(&ring), CSSPGO_E_TRUNCATED);
    free(r);
}

static void rings_of_noise_end(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    size_t i, k;
    for (k = 0; k < 2000; k++) {
        csspgo_ring ring;
        r->type = rnd() % 0x20000;
        r->branch_type = rnd() % 0x100000;
        ring = ring_over(r);
        ring.head = ring.tail = 8 * (rnd() % 64);
        for (i = 0; i < 64; i++) r->data[i] = rnd();
        for (i = 0; i < 60; i += r->n / 8 + 1) {
            r->n = 1 + (size_t)(rnd() % 12);
            r->words[0] = 0;
            put_header(r, 0, (uint32_t)(rnd() % 14), 0);
            r->words[1] = rnd() % 4;
            if (ring.head + 8 * r->n - ring.tail <= ring.size) ring_put(r, &ring);
        }
        ring_status(&ring);
    }
    free(r);
}

/* ----- perf.data ----- */

typedef struct pd {               /* a recording being written, in either byte order */
    unsigned char b[1 << 19];
    size_t n, record;             /* record: where the one being written begins */
    int    big;
} pd;

static void pd_put(pd *d, uint64_t v, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) d->b[d->n++] = (unsigned char)(v >> 8 * (d->big ? size - 1 - i : i));
}

static void pd_at(pd *d, size_t at, uint64_t v, size_t size)
{
    const size_t n = d->n;
    d->n = at;
    pd_put(d, v, size);
    d->n = n;
}

static void pd_64(pd *d, uint64_t v) { pd_put(d, v, 8); }

static void pd_32x2(pd *d, uint32_t a, uint32_t b)
{
    pd_put(d, a, 4);
    pd_put(d, b, 4);
}

static void pd_text(pd *d, const char *text, size_t padded)
{
    memset(d->b + d->n, 0, padded);
    memcpy(d->b + d->n, text, strlen(text));
    d->n += padded;
}

static void pd_begin(pd *d, uint32_t type, uint32_t misc)
{
    d->record = d->n;
    pd_put(d, type, 4);
    pd_put(d, misc, 2);
    pd_put(d, 0, 2);
}

static void pd_end(pd *d)
{
    pd_at(d, d->record + 6, d->n - d->record, 2);
}

static void pd_attr(pd *d, uint64_t sample_type, uint64_t branch_type, uint64_t read_format)
{
    pd_32x2(d, 1, 128);
    pd_64(d, 0);
    pd_64(d, 4000);
    pd_64(d, sample_type);
    pd_64(d, read_format);
    pd_64(d, (uint64_t)1 << (d->big ? 63 - 18 : 18));      /* sample_id_all */
    pd_64(d, 0);
    pd_64(d, 0);
    pd_64(d, 0);
    pd_64(d, branch_type);
    memset(d->b + d->n, 0, 48);
    d->n += 48;
}

enum { PD_TYPE = 0x10000 | 1 | 2 | 4 | 8 | 0x40 | 0x200 | 0x80 | 0x100 | 0x10 | 0x20 | 0x400 | 0x800,
       PD_BRANCHES = 0x20000 | 0x80000 | 8 | 1, PD_READ = 1 | 2 | 4 | 8 | 16 };

/* Before the data: header, ids 70 of event 0 and 71 of event 1, two events. features: the bits to set. */
static void pd_file(pd *d, uint64_t features)
{
    d->n = 0;
    memcpy(d->b, d->big ? "2ELIFREP" : "PERFILE2", 8);
    d->n = 8;
    pd_64(d, 104);
    pd_64(d, 144);
    pd_64(d, 104 + 16);
    pd_64(d, 288);
    pd_64(d, 104 + 16 + 288);
    pd_64(d, 0);                                        /* size of the data: pd_close */
    pd_64(d, 0);
    pd_64(d, 0);
    pd_64(d, features);
    pd_64(d, 0);
    pd_64(d, 0);
    pd_64(d, 0);
    pd_64(d, 70);
    pd_64(d, 71);
    pd_attr(d, PD_TYPE, PD_BRANCHES, PD_READ);
    pd_64(d, 104);
    pd_64(d, 8);
    pd_attr(d, 0x10000 | 1 | 2 | 4 | 0x20, 0, 0);       /* both have their id in front */
    pd_64(d, 112);
    pd_64(d, 8);
    T_EQ(d->n, 104 + 16 + 288);
}

static void pd_close(pd *d)
{
    pd_at(d, 48, d->n - (104 + 16 + 288), 8);
}

/* The trailer of event 0's other records. */
static void pd_trailer(pd *d, uint64_t time)
{
    pd_32x2(d, 12, 13);
    pd_64(d, time);
    pd_64(d, 70);
    pd_64(d, 72);
    pd_32x2(d, 1, 0);
    pd_64(d, 70);
    pd_end(d);
}

static void pd_sample(pd *d, uint64_t time, uint64_t ip)
{
    size_t i;
    pd_begin(d, 9, 2);
    pd_64(d, 70);
    pd_64(d, ip);
    pd_32x2(d, 12, 13);
    pd_64(d, time);
    pd_64(d, 5);
    pd_64(d, 70);
    pd_64(d, 72);
    pd_32x2(d, 1, 0);
    pd_64(d, 4000);
    pd_64(d, 2);                                        /* read: a group of two */
    for (i = 0; i < 2 + 2 * 3; i++) pd_64(d, 1000 + i);
    pd_64(d, 5);
    pd_64(d, ~(uint64_t)127);
    pd_64(d, UINT64_C(0xffffffff81000000));
    pd_64(d, ~(uint64_t)511);
    pd_64(d, ip);
    pd_64(d, 0x401105);
    pd_put(d, 12, 4);
    for (i = 0; i < 12; i++) d->b[d->n++] = (unsigned char)i;
    pd_64(d, 2);
    pd_64(d, 9);                                        /* hw_idx */
    pd_64(d, 0x401100);
    pd_64(d, 0x401500);
    pd_64(d, d->big ? (uint64_t)1 << 62 | (uint64_t)100 << 44 | (uint64_t)4 << 40 | (uint64_t)1 << 30
                    : 2 | 100 << 4 | 4 << 20 | (uint64_t)1 << 33);
    pd_64(d, 0x401200);
    pd_64(d, 0x401210);
    pd_64(d, 0);
    pd_64(d, 7);                                        /* counters */
    pd_64(d, 7);
    pd_end(d);
}

static void pd_small_sample(pd *d, uint64_t id, uint64_t time, uint64_t ip)
{
    pd_begin(d, 9, 2);
    pd_64(d, id);
    pd_64(d, ip);
    pd_32x2(d, 12, 13);
    pd_64(d, time);
    pd_64(d, 0);
    pd_end(d);
}

static void pd_mmap2(pd *d, uint64_t time, const char *path, int build_id)
{
    pd_begin(d, 10, build_id ? 0x4002 : 2);
    pd_32x2(d, 12, 13);
    pd_64(d, 0x400000);
    pd_64(d, 0x2000);
    pd_64(d, 0x1000);
    memset(d->b + d->n, 0xab, 24);
    if (build_id) memcpy(d->b + d->n, "\3\0\0\0\1\2\3", 7);
    d->n += 24;
    pd_32x2(d, 5, 2);
    pd_text(d, path, 16);
    pd_trailer(d, time);
}

/* Records of every kind, in an order that is not that of their times. */
static void pd_records(pd *d)
{
    pd_mmap2(d, 0, "/x/early", 0);
    pd_begin(d, 3, 0x2000);
    pd_32x2(d, 12, 13);
    pd_text(d, "name", 8);
    pd_trailer(d, 100);
    pd_sample(d, 300, 0x401300);
    pd_begin(d, 68, 0);                                 /* end of a round */
    pd_end(d);
    pd_sample(d, 250, 0x401250);                        /* as old as this a second round may be */
    pd_mmap2(d, 200, "/x/late", 1);
    pd_begin(d, 60, 0);                                 /* no such kind */
    pd_64(d, 1);
    pd_end(d);
    pd_begin(d, 100, 0);                                /* nor this */
    pd_end(d);
    pd_small_sample(d, 71, 310, 0x401310);
    pd_small_sample(d, 99, 311, 0x401311);              /* of no event */
    pd_begin(d, 68, 0);
    pd_end(d);
    pd_begin(d, 7, 0);
    pd_32x2(d, 20, 12);
    pd_32x2(d, 21, 13);
    pd_64(d, 400);
    pd_trailer(d, 400);
    pd_begin(d, 4, 0);
    pd_32x2(d, 20, 12);
    pd_32x2(d, 21, 13);
    pd_64(d, 500);
    pd_trailer(d, 500);
    pd_begin(d, 2, 0);
    pd_64(d, 70);
    pd_64(d, 40);
    pd_trailer(d, 501);
    pd_begin(d, 13, 0);
    pd_64(d, 2);
    pd_trailer(d, 502);
    pd_begin(d, 10, 2);                                 /* a mapping of nothing */
    pd_trailer(d, 503);
    pd_begin(d, 71, 0);                                 /* with 24 bytes behind it */
    pd_64(d, 24);
    pd_64(d, 0);
    pd_64(d, 0);
    pd_64(d, 0);
    pd_32x2(d, 0, 0);
    pd_end(d);
    memset(d->b + d->n, 0xcd, 24);
    d->n += 24;
    pd_small_sample(d, 71, 600, 0x401600);
}

static const char pd_items[] =
    "mmap 12 400000 2000 1000 x /x/early\n"
    "comm 13 name\n"
    "mmap 12 400000 2000 1000 x /x/late 010203\n"
    "sample 12/13 250: 401250 401105 | 401100>401500:200400642 401200>401210:0\n"
    "sample 12/13 300: 401300 401105 | 401100>401500:200400642 401200>401210:0\n"
    "sample 12/13 310: 401310 |\n"
    "fork 20/21 12\n"
    "exit 20/21 12\n"
    "sample 12/13 600: 401600 |\n";

static void pd_print(t_out *t, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m)
{
    uint32_t i;
    char line[600];
    size_t n = 0;
    if (item == CSSPGO_ITEM_SAMPLE) {
        n += (size_t)snprintf(line, sizeof line, "sample %u/%u %llu:", s->pid, s->tid, (unsigned long long)s->time);
        for (i = 0; i < s->stack_count; i++)
            n += (size_t)snprintf(line + n, sizeof line - n, " %llx", (unsigned long long)s->stack[i]);
        n += (size_t)snprintf(line + n, sizeof line - n, " |");
        for (i = 0; i < s->branch_count; i++)
            n += (size_t)snprintf(line + n, sizeof line - n, " %llx>%llx:%llx", (unsigned long long)s->branches[i].from,
                                  (unsigned long long)s->branches[i].to, (unsigned long long)s->branches[i].flags);
    } else if (item == CSSPGO_ITEM_MMAP) {
        n += (size_t)snprintf(line, sizeof line, "mmap %u %llx %llx %llx %s %.*s", m->pid, (unsigned long long)m->address,
                              (unsigned long long)m->size, (unsigned long long)m->file_offset, m->executable ? "x" : "-",
                              (int)m->path_size, m->path);
    } else if (item == CSSPGO_ITEM_COMM) {
        n += (size_t)snprintf(line, sizeof line, "comm %u %.*s", s->tid, (int)m->path_size, m->path);
    } else if (item == CSSPGO_ITEM_BUILD_ID) {
        n += (size_t)snprintf(line, sizeof line, "build-id %.*s", (int)m->path_size, m->path);
    } else {
        n += (size_t)snprintf(line, sizeof line, "%s %u/%u %u", item == CSSPGO_ITEM_FORK ? "fork" : "exit", s->pid,
                              s->tid, m->pid);
    }
    if ((item == CSSPGO_ITEM_MMAP || item == CSSPGO_ITEM_BUILD_ID) && m->build_id_size != 0) {
        n += (size_t)snprintf(line + n, sizeof line - n, " ");
        for (i = 0; i < m->build_id_size; i++) n += (size_t)snprintf(line + n, sizeof line - n, "%02x", m->build_id[i]);
    }
    snprintf(line + n, sizeof line - n, "\n");
    t_str(t, line);
}

/* What a recording gives in pieces of a size; text may be NULL. Returns the last status. */
static csspgo_status pd_read(const unsigned char *data, size_t size, size_t piece, const csspgo_options *o,
                             t_out *text, csspgo_perfdata_stats *stats, csspgo_error *err)
{
    csspgo_perfdata *d = csspgo_perfdata_new(o, NULL);
    size_t at = 0;
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_item item;
    if (stats != NULL) memset(stats, 0, sizeof *stats);
    memset(err, 0, sizeof *err);
    if (d == NULL) return err->status = CSSPGO_E_NOMEM;
    do {
        const size_t n = size - at < piece ? size - at : piece;
        unsigned char *exact = t_copy(data + at, n);
        if (n != 0) T_EQ(csspgo_perfdata_feed(d, exact, n, NULL), CSSPGO_OK);
        else csspgo_perfdata_end(d);
        while ((item = csspgo_perfdata_next(d, &s, &m, err)) != CSSPGO_ITEM_NONE)
            if (text != NULL) pd_print(text, item, &s, &m);
        free(exact);
        at += n;
        if (n == 0) break;
    } while (err->status == CSSPGO_OK);
    if (stats != NULL) *stats = csspgo_perfdata_get_stats(d);
    csspgo_perfdata_free(d);
    return err->status;
}

static void pd_expect(const char *what, const pd *d, const char *want, csspgo_perfdata_stats *stats)
{
    static const size_t pieces[] = { 1 << 20, 1, 3, 8, 100, 1000 };
    size_t i;
    for (i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        t_out got;
        csspgo_error e;
        memset(&got, 0, sizeof got);
        t_str(&got, "");
        T_EQ(pd_read(d->b, d->n, pieces[i], NULL, &got, stats, &e), CSSPGO_OK);
        t_same(what, got.at, got.size, want, strlen(want));
        t_out_free(&got);
    }
}

static void recordings_of_both_byte_orders_read_the_same(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata_stats s;
    int big;
    for (big = 0; big < 2; big++) {
        d->big = big;
        pd_file(d, 0);
        pd_records(d);
        pd_close(d);
        pd_expect(big ? "big-endian" : "little-endian", d, pd_items, &s);
        T_CHECK(s.samples == 4 && s.lost == 42 && s.unknown_records == 2 && s.bad_records == 1);
        T_EQ(s.unknown_events, 1);
        T_CHECK(s.events == 2 && s.has_branches && s.has_stacks && s.early == 0 && s.first_bad_offset != 0);
        pd_at(d, 48, 0, 8);                             /* perf was killed: no size */
        pd_expect("without a size", d, pd_items, &s);
    }
    free(d);
}

static void recordings_into_pipes_read_the_same(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata_stats s;
    char want[2000];
    int big, i;
    snprintf(want, sizeof want, "build-id /bin/x 0102030405060708090a0b0c0d0e0f1011121314\n%s", pd_items);
    for (big = 0; big < 2; big++) {
        d->big = big;
        d->n = 8;
        memcpy(d->b, big ? "2ELIFREP" : "PERFILE2", 8);
        pd_64(d, 16);
        pd_begin(d, 64, 0);
        pd_attr(d, PD_TYPE, PD_BRANCHES, PD_READ);
        pd_64(d, 70);
        pd_end(d);
        pd_begin(d, 64, 0);
        pd_attr(d, 0x10000 | 1 | 2 | 4 | 0x20, 0, 0);
        pd_64(d, 71);
        pd_end(d);
        pd_begin(d, 66, 0);                             /* tracing data: 5 bytes, padded */
        pd_put(d, 5, 4);
        pd_end(d);
        memset(d->b + d->n, 0xef, 8);
        d->n += 8;
        pd_begin(d, 67, 0);
        pd_put(d, 12, 4);
        for (i = 1; i <= 24; i++) pd_put(d, i <= 20 ? (uint64_t)i : 0, 1);
        pd_text(d, "/bin/x", 8);
        pd_end(d);
        pd_records(d);
        pd_expect("pipe", d, want, &s);
        T_CHECK(s.samples == 4 && s.events == 2);
    }
    free(d);
}

/* ----- events ----- */

/* What a recording gives, then its events: "1 NAME SAMPLES", "-" in front of one that is left out. out: its number. */
static csspgo_status pd_events(const pd *d, size_t piece, uint32_t out, t_out *text, csspgo_perfdata_stats *stats,
                               csspgo_error *err)
{
    csspgo_perfdata *r = csspgo_perfdata_new(NULL, NULL);
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_event_info e;
    size_t at = 0, n = 1;
    uint32_t i;
    char line[400];
    memset(text, 0, sizeof *text);
    memset(err, 0, sizeof *err);
    t_str(text, "");
    for (; n != 0 && err->status == CSSPGO_OK; at += n) {
        csspgo_item item;
        n = d->n - at < piece ? d->n - at : piece;
        if (n != 0) csspgo_perfdata_feed(r, d->b + at, n, NULL);
        else csspgo_perfdata_end(r);
        if (at == 0 && out != 0) T_EQ(csspgo_perfdata_leave_out(r, out, NULL), CSSPGO_OK);
        while ((item = csspgo_perfdata_next(r, &s, &m, err)) != CSSPGO_ITEM_NONE) {
            if (item == CSSPGO_ITEM_MMAP) t_str(text, "map ");
            if (item != CSSPGO_ITEM_SAMPLE) continue;
            snprintf(line, sizeof line, "%u:%llx ", s.event, (unsigned long long)s.stack[0]);
            t_str(text, line);
        }
    }
    T_CHECK(!csspgo_perfdata_event(r, 0, &e) && e.name == NULL);
    for (i = 1; csspgo_perfdata_event(r, i, &e); i++) {
        snprintf(line, sizeof line, "| %s%.*s %llu ", e.left_out ? "-" : "", (int)e.name_size, e.name,
                 (unsigned long long)e.samples);
        t_str(text, line);
    }
    *stats = csspgo_perfdata_get_stats(r);
    csspgo_perfdata_free(r);
    return err->status;
}

/* Checks that in any pieces. */
static void pd_events_are(const char *what, const pd *d, uint32_t out, csspgo_status status, const char *want,
                          csspgo_perfdata_stats *stats)
{
    static const size_t pieces[] = { 1 << 20, 1, 7, 64 };
    size_t i;
    for (i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        t_out got;
        csspgo_error e;
        T_EQ(pd_events(d, pieces[i], out, &got, stats, &e), status);
        t_same(what, got.at, got.size, want, strlen(want));
        t_out_free(&got);
    }
}

/* EVENT_DESC of two events, named by their ids in the other order; the first one has several, as one per CPU. */
static void pd_describe(pd *d, const char *of_71, const char *of_70)
{
    pd_32x2(d, 2, 128);
    memset(d->b + d->n, 0, 128);
    d->n += 128;
    pd_32x2(d, 2, 64);
    pd_text(d, of_71, 64);
    pd_64(d, 71);
    pd_64(d, 171);
    memset(d->b + d->n, 0, 128);
    d->n += 128;
    pd_32x2(d, 1, 64);
    pd_text(d, of_70, 64);
    pd_64(d, 70);
}

static void pd_event_samples(pd *d)
{
    pd_sample(d, 300, 0x401300);
    pd_small_sample(d, 71, 310, 0x401310);
    pd_small_sample(d, 99, 311, 0x401311);              /* of no event */
    pd_small_sample(d, 0, 312, 0x401312);               /* perf makes such ones: of the first */
    pd_at(d, d->record + 4, 4, 2);                      /* but of a guest's kernel */
    pd_small_sample(d, 71, 313, 0x401313);
    pd_at(d, d->record + 4, 5, 2);                      /* of a guest's program */
    pd_small_sample(d, 71, 314, 0x401314);
    pd_at(d, d->record + 4, 0x4001, 2);                 /* of the kernel, exactly there */
    pd_mmap2(d, 315, "/x/guests", 0);
    pd_at(d, d->record + 4, 5, 2);
    pd_mmap2(d, 316, "/x/ours", 0);
}

static void samples_are_of_events_with_names(void)
{
    static const char items[] = "1:401300 2:401310 2:401314 map ";
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata_stats s;
    char want[300];
    size_t table;
    for (d->big = 0; d->big < 2; d->big++) {
        pd_file(d, 0);                                  /* no names: cpu-clock; then other attributes */
        pd_event_samples(d);
        pd_close(d);
        snprintf(want, sizeof want, "%s| cpu-clock 1 | cpu-clock 2 ", items);
        pd_events_are("events of one kind", d, 0, CSSPGO_OK, want, &s);
        T_CHECK(s.guests == 2 && s.unknown_events == 1 && s.samples == 3 && s.bad_records == 0);
        pd_at(d, 120, 4, 4);
        pd_at(d, 120 + 8, 0x20c4, 8);
        pd_at(d, 120 + 40, d->big ? (uint64_t)1 << 45 | UINT64_C(3) << 57 | (uint64_t)1 << 47
                                  : (uint64_t)1 << 18 | UINT64_C(3) << 5 | (uint64_t)1 << 15, 8);
        pd_at(d, 120 + 144, 0, 4);
        pd_at(d, 120 + 144 + 8, UINT64_C(0xa00000000), 8);
        snprintf(want, sizeof want, "%s| r20c4:up 1 | cycles 2 ", items);
        pd_events_are("events by attributes", d, 0, CSSPGO_OK, want, &s);
        pd_at(d, 120 + 144, 10, 4);
        snprintf(want, sizeof want, "1:401300 map | r20c4:up 1 | -type10/ra00000000/ 2 ");
        pd_events_are("one is left out", d, 2, CSSPGO_OK, want, &s);
        T_CHECK(s.samples == 1);

        pd_file(d, 1 << 1 | 1 << 12);                   /* names behind the data, in a table of two features */
        pd_event_samples(d);
        pd_close(d);
        table = d->n;
        d->n += 2 * 16;
        pd_64(d, 0x1111);
        pd_at(d, table + 16, d->n, 8);
        pd_describe(d, "br_inst_retired.near_taken:upp", "cycles:u");
        pd_at(d, table + 24, d->n - (table + 40), 8);
        snprintf(want, sizeof want, "%s| cycles:u 1 | br_inst_retired.near_taken:upp 2 ", items);
        pd_events_are("events by name", d, 0, CSSPGO_OK, want, &s);
        pd_at(d, table + 24, 100, 8);                   /* cut */
        snprintf(want, sizeof want, "%s| cpu-clock 1 | cpu-clock 2 ", items);
        pd_events_are("a cut description", d, 0, CSSPGO_OK, want, &s);
        pd_at(d, table + 24, UINT64_MAX / 2, 8);
        pd_events_are("an endless description", d, 0, CSSPGO_OK, want, &s);

        d->n = 8;                                       /* a pipe: names come as a record */
        memcpy(d->b, d->big ? "2ELIFREP" : "PERFILE2", 8);
        pd_64(d, 16);
        pd_begin(d, 64, 0);
        pd_attr(d, PD_TYPE, PD_BRANCHES, PD_READ);
        pd_64(d, 70);
        pd_end(d);
        pd_begin(d, 64, 0);
        pd_attr(d, 0x10000 | 1 | 2 | 4 | 0x20, 0, 0);
        pd_64(d, 171);
        pd_64(d, 71);
        pd_end(d);
        pd_begin(d, 80, 0);
        pd_64(d, 12);
        pd_describe(d, "cycles", "cycles");
        pd_end(d);
        pd_event_samples(d);
        snprintf(want, sizeof want, "%s| cycles 1 | cycles 2 ", items);
        pd_events_are("events of a pipe", d, 0, CSSPGO_OK, want, &s);
    }
    free(d);
}

/* Only samples whose records are no trace are refused: another event's are read, and nothing is without samples. */
static void events_without_a_trace_may_be_left_out(void)
{
    static const uint64_t filters[] = { 0x800 | 8, 0x10 | 1, 0x400, 0x100 | 8 };
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata_stats s;
    size_t i;
    for (i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        pd_file(d, 0);
        pd_at(d, 120 + 72, filters[i] | 0x20000 | 0x80000, 8);
        pd_small_sample(d, 71, 310, 0x401310);
        pd_close(d);
        pd_events_are("no sample without a trace", d, 0, CSSPGO_OK, "2:401310 | cpu-clock 0 | cpu-clock 1 ", &s);
        pd_sample(d, 320, 0x401320);
        pd_close(d);
        pd_events_are("samples without a trace", d, 0, CSSPGO_E_UNSUPPORTED,
                      "2:401310 | cpu-clock 1 | cpu-clock 1 ", &s);
        pd_events_are("the same left out", d, 1, CSSPGO_OK, "2:401310 | -cpu-clock 1 | cpu-clock 1 ", &s);
    }
    free(d);
}

/* Several events in one ring: by IDENTIFIER, or by ID behind other fields. */
static void rings_of_several_events_are_told_apart(void)
{
    ring_test *r = (ring_test *)calloc(1, sizeof *r);
    csspgo_perf_event more[2];
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_error e;
    uint64_t with;
    for (with = 0; with < 2; with++) {
        csspgo_ring ring;
        r->type = with != 0 ? 0x10000 | 1 | 0x20 : 1 | 2 | 8 | 0x40 | 0x20;
        ring = ring_over(r);
        more[0] = event_of(with != 0 ? 0x10000 | 1 : 1 | 2 | 8 | 0x40, 0, 0);
        more[0].id = 5;
        more[1] = event_of(r->type | 0x800, 0x10, 0);
        more[1].id = with != 0 ? 77 : 79;
        ring.more = more;
        ring.more_count = 1;
        put_sample(r, 3, 0);                            /* of id 77, or 79: unknown */
        ring_put(r, &ring);
        T_EQ(csspgo_ring_next(&ring, &s, &m, &e), CSSPGO_ITEM_NONE);
        T_CHECK(e.status == CSSPGO_OK && ring.unknown == 1 && ring.guests == 0);
        ring.event.id = more[1].id;
        put_sample(r, 3, 0);
        ring_put(r, &ring);
        T_EQ(csspgo_ring_next(&ring, &s, &m, &e), CSSPGO_ITEM_SAMPLE);
        T_CHECK(s.event == 1 && s.stack_count == 3);
        ring.event.id = 4;
        more[0].id = more[1].id;
        put_sample(r, 3, 0);
        ring_put(r, &ring);
        T_EQ(csspgo_ring_next(&ring, &s, &m, &e), CSSPGO_ITEM_SAMPLE);
        T_CHECK(s.event == 2 && s.stack_count == 1);
        more[0].id = 3;
        ring.more_count = 2;
        put_sample(r, 3, 0);
        ring_put(r, &ring);
        T_EQ(csspgo_ring_next(&ring, &s, &m, &e), CSSPGO_ITEM_NONE);
        T_EQ(e.status, CSSPGO_E_UNSUPPORTED);
        put_sample(r, 3, 0);
        put_header(r, 0, 9, 5);                         /* in a guest */
        ring_put(r, &ring);
        T_EQ(csspgo_ring_next(&ring, &s, &m, &e), CSSPGO_ITEM_NONE);
        T_CHECK(e.status == CSSPGO_OK && ring.guests == 1 && ring.unknown == 1);
        ring.event.sample_type = 1;
        T_EQ(csspgo_ring_next(&ring, &s, &m, &e), CSSPGO_ITEM_NONE);
        T_EQ(e.status, CSSPGO_E_ARGUMENT);
    }
    free(r);
}

static void build_ids_behind_the_data_are_read(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata_stats s;
    char want[2000];
    size_t table, i;
    int big;
    snprintf(want, sizeof want, "%sbuild-id /bin/x 010203\n", pd_items);
    for (big = 0; big < 2; big++) {
        d->big = big;
        pd_file(d, 1 << 1 | 1 << 2 | 1 << 3);
        pd_records(d);
        pd_close(d);
        table = d->n;
        d->n += 3 * 16;
        pd_64(d, 0x1111);                               /* another feature's */
        pd_at(d, table + 16, d->n, 8);
        pd_begin(d, 0, 0x8002);
        pd_put(d, 12, 4);
        for (i = 1; i <= 20; i++) pd_put(d, i <= 3 ? i : 0xee, 1);
        pd_put(d, 3, 1);
        pd_put(d, 0, 1);
        pd_put(d, 0, 2);
        pd_text(d, "/bin/x", 8);
        pd_end(d);
        pd_at(d, table + 24, d->n - d->record, 8);
        pd_64(d, 0x2222);
        pd_expect("build ids", d, want, &s);
    }
    free(d);
}

static void every_prefix_of_a_recording_says_that_it_ends_early(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    size_t n;
    csspgo_error e;
    pd_file(d, 0);
    pd_records(d);
    pd_close(d);
    for (n = 0; n < d->n; n++) {
        T_EQ(pd_read(d->b, n, 1 << 20, NULL, NULL, NULL, &e), CSSPGO_E_TRUNCATED);
        T_CHECK(e.offset == n && e.message[0] != '\0');
    }
    free(d);
}

/* A file whose only record is of a type and size. */
static void pd_one(pd *d, uint32_t type, uint64_t size)
{
    d->big = 0;
    pd_file(d, 0);
    pd_begin(d, type, 0);
    pd_at(d, d->record + 6, size, 2);
    d->n = d->record + (size_t)(size > 8 ? size : 8);
    pd_close(d);
}

static void what_cannot_be_read_is_refused_by_name(void)
{
    static const struct {
        size_t at, size;
        uint64_t value;
        csspgo_status status;
        uint64_t offset;
        const char *says;
    } bad[] = {
        { 0, 8, 0, CSSPGO_E_SYNTAX, 0, "PERFILE2" },
        { 0, 8, UINT64_C(0x454c494646524550), CSSPGO_E_VERSION, 0, "first version" },
        { 8, 8, 103, CSSPGO_E_SYNTAX, 8, "header" },
        { 16, 8, 63, CSSPGO_E_SYNTAX, 16, "too short" },
        { 24, 8, 409, CSSPGO_E_UNSUPPORTED, 24, "before the data" },
        { 32, 8, 289, CSSPGO_E_UNSUPPORTED, 24, "before the data" },
        { 32, 8, 0, CSSPGO_E_SYNTAX, 32, "no event" },
        { 40, 8, 103, CSSPGO_E_SYNTAX, 40, "impossible" },
        { 40, 8, (uint64_t)1 << 40, CSSPGO_E_LIMIT, 40, "64 MiB" },
        { 48, 8, UINT64_MAX, CSSPGO_E_SYNTAX, 40, "impossible" },
        { 120 + 4, 4, 47, CSSPGO_E_SYNTAX, 120, "too short" },
        { 120 + 72, 8, 0x800 | 8, CSSPGO_E_UNSUPPORTED, 120, "call-stack" },
        { 120 + 72, 8, 0x10 | 1, CSSPGO_E_UNSUPPORTED, 120, "some kinds" },
        { 120 + 128, 8, UINT64_MAX, CSSPGO_E_UNSUPPORTED, 248, "ids" },
        { 120 + 136, 8, 305, CSSPGO_E_UNSUPPORTED, 248, "ids" }
    };
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_error e;
    size_t i;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        d->big = 0;
        pd_file(d, 0);
        pd_records(d);
        pd_close(d);
        pd_at(d, bad[i].at, bad[i].value, bad[i].size);
        T_EQ(pd_read(d->b, d->n, 1 << 20, NULL, NULL, NULL, &e), bad[i].status);
        T_EQ(e.offset, bad[i].offset);
        T_MSG(strstr(e.message, bad[i].says) != NULL, e.message);
    }
    pd_file(d, 0);
    pd_records(d);
    pd_close(d);
    pd_at(d, 264 + 4, 48, 4);                           /* the least that attributes have */
    T_EQ(pd_read(d->b, d->n, 1 << 20, NULL, NULL, NULL, &e), CSSPGO_OK);
#ifndef CSSPGO_USE_ZSTD
    pd_one(d, 81, 16);
    T_EQ(pd_read(d->b, d->n, 5, NULL, NULL, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(e.offset == 408 && strstr(e.message, "PERF_RECORD_COMPRESSED") != NULL);
    T_CHECK(strstr(e.message, "inject") == NULL && strstr(e.message, "'perf script -F ip,brstack --show-mmap-events'") != NULL);
    pd_one(d, 83, 16);
    memset(d->b + d->n - 8, 0, 8);
    T_EQ(pd_read(d->b, d->n, 5, NULL, NULL, NULL, &e), CSSPGO_E_UNSUPPORTED);
#endif
    pd_one(d, 9, 7);
    T_EQ(pd_read(d->b, d->n, 5, NULL, NULL, NULL, &e), CSSPGO_E_SYNTAX);
    T_CHECK(e.offset == 408 && strstr(e.message, "size: 7") != NULL);
    pd_one(d, 5, 16);
    pd_at(d, 48, 15, 8);                                /* it ends behind the data */
    T_EQ(pd_read(d->b, d->n, 5, NULL, NULL, NULL, &e), CSSPGO_E_SYNTAX);
    pd_one(d, 71, 12);
    T_EQ(pd_read(d->b, d->n, 5, NULL, NULL, NULL, &e), CSSPGO_E_SYNTAX);
    free(d);
}

static void what_came_before_a_fault_is_handed_out(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_error e;
    t_out got;
    static const char want[] = "sample 12/13 5: 401005 |\nsample 12/13 9: 401009 |\n";
    memset(&got, 0, sizeof got);
    pd_file(d, 0);
    pd_small_sample(d, 71, 9, 0x401009);
    pd_small_sample(d, 71, 5, 0x401005);
    pd_begin(d, 9, 0);
    pd_at(d, d->record + 6, 7, 2);
    pd_close(d);
    T_EQ(pd_read(d->b, d->n, 1000, NULL, &got, NULL, &e), CSSPGO_E_SYNTAX);
    t_same("before a fault", got.at, got.size, want, strlen(want));
    t_out_free(&got);
    free(d);
}

static void misuse_of_a_recording_is_an_argument_error(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata *r = csspgo_perfdata_new(NULL, NULL);
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_error e;
    pd_file(d, 0);
    pd_small_sample(d, 71, 0, 1);
    pd_close(d);
    T_EQ(csspgo_perfdata_feed(r, d->b, d->n, NULL), CSSPGO_OK);
    T_EQ(csspgo_perfdata_feed(r, d->b, d->n, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_perfdata_next(r, &s, &m, &e), CSSPGO_ITEM_SAMPLE);
    T_EQ(csspgo_perfdata_next(r, &s, &m, &e), CSSPGO_ITEM_NONE);
    csspgo_perfdata_end(r);
    T_EQ(csspgo_perfdata_feed(r, d->b, 1, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_perfdata_next(r, &s, &m, NULL), CSSPGO_ITEM_NONE);
    T_EQ(csspgo_perfdata_next(r, &s, &m, &e), CSSPGO_ITEM_NONE);
    T_EQ(e.status, CSSPGO_OK);
    csspgo_perfdata_free(r);
    csspgo_perfdata_free(NULL);
    free(d);
}

/* Of a stack of kernel and user frames the user's part counts, or the kernel's, said before the description is read. */
static void stacks_in_two_contexts_are_the_users_or_the_kernels(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    int kernel;
    pd_file(d, 0);
    pd_sample(d, 5, 0x401100);
    pd_close(d);
    for (kernel = 0; kernel < 2; kernel++) {
        csspgo_perfdata *r = csspgo_perfdata_new(NULL, NULL);
        csspgo_sample s;
        csspgo_mmap m;
        if (kernel) csspgo_perfdata_take_kernel(r);
        csspgo_perfdata_feed(r, d->b, d->n, NULL);
        T_EQ(csspgo_perfdata_next(r, &s, &m, NULL), CSSPGO_ITEM_SAMPLE);
        T_EQ(s.stack_count, kernel ? 1 : 2);
        T_EQ(s.stack[0], kernel ? UINT64_C(0xffffffff81000000) : 0x401100);
        csspgo_perfdata_free(r);
    }
    free(d);
}

static void a_recording_survives_every_failed_allocation(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    long nth;
    pd_file(d, 0);
    pd_records(d);
    pd_close(d);
    for (nth = 1;; nth++) {
        t_heap h;
        csspgo_error e;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status s = pd_read(d->b, d->n, 64, &o, NULL, NULL, &e);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 5);
    free(d);
}

/* Rounds bound what waits; without their ends 64 MiB do. */
static void a_long_recording_takes_bounded_memory(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_perfdata *r = csspgo_perfdata_new(&o, NULL);
    csspgo_perfdata_stats stats;
    uint64_t round, i, last = 0, out = 0;
    csspgo_sample s;
    csspgo_mmap m;
    pd_file(d, 0);
    pd_at(d, 48, 0, 8);
    for (round = 0; round < 2000; round++) {
        for (i = 0; i < 50; i++) pd_small_sample(d, 71, 1 + round * 100 + (i * 37 + round) % 150, i);
        pd_begin(d, 68, 0);
        pd_end(d);
        T_EQ(csspgo_perfdata_feed(r, d->b, d->n, NULL), CSSPGO_OK);
        while (csspgo_perfdata_next(r, &s, &m, NULL) == CSSPGO_ITEM_SAMPLE) {
            out++;
            T_CHECK(s.time >= last);
            last = s.time;
        }
        d->n = 0;
    }
    csspgo_perfdata_end(r);
    while (csspgo_perfdata_next(r, &s, &m, NULL) == CSSPGO_ITEM_SAMPLE) out++;
    stats = csspgo_perfdata_get_stats(r);
    T_CHECK(out == 100000 && stats.samples == 100000 && stats.early == 0);
    T_CHECK(h.peak < 64 << 10);
    csspgo_perfdata_free(r);
    free(d);
}

/* ----- compressed recordings ----- */

enum { PD_BEGIN = 104 + 16 + 288 };                     /* where pd_file's data begins */

#ifdef CSSPGO_USE_ZSTD
static size_t pd_pack(ZSTD_CStream *z, unsigned char *out, size_t room, const unsigned char *in, size_t n, size_t *taken)
{
    ZSTD_inBuffer from = { in, n, 0 };
    ZSTD_outBuffer to = { out, room, 0 };
    T_CHECK(!ZSTD_isError(ZSTD_compressStream(z, &to, &from)));
    T_CHECK(!ZSTD_isError(ZSTD_flushStream(z, &to)));
    *taken = from.pos;
    return to.pos;
}

/*
 * What comes from `begin` on becomes compressed records of a kind, whose data is one stream, each of `piece` bytes
 * before: so records begin in one and end in another. perf's own records stay as they are, between them.
 */
static void pd_compress(pd *d, size_t begin, uint32_t type, size_t piece)
{
    ZSTD_CStream *z = ZSTD_createCStream();
    const size_t size = d->n - begin;
    unsigned char *plain = t_copy(d->b + begin, size), *packed = (unsigned char *)malloc(1 << 17);
    size_t at = 0;
    T_CHECK(!ZSTD_isError(ZSTD_initCStream(z, 1)));
    d->n = begin;
    while (at < size) {
        size_t end = at, k, n, taken;
        const unsigned char *own = NULL;
        while (end < size && end - at < piece && own == NULL) {
            const unsigned char *p = plain + end;
            const size_t record = size - end < 8 ? 0 : d->big ? (size_t)p[6] << 8 | p[7] : (size_t)p[7] << 8 | p[6];
            const unsigned kind = record == 0 ? 0 : d->big ? p[3] : p[0];
            if (kind >= 64 && kind != 100) own = p;
            else end = record < 8 || record > size - end ? size : end + record;
        }
        for (; at < end; at += taken) {
            n = pd_pack(z, packed, 1 << 17, plain + at, end - at < piece ? end - at : piece, &taken);
            pd_begin(d, type, 0);
            if (type == 83) pd_64(d, n);
            memcpy(d->b + d->n, packed, n);
            d->n += n;
            if (type == 83) for (; d->n % 8 != 0; d->n++) d->b[d->n] = 0;
            pd_end(d);
        }
        if (own == NULL) continue;
        k = (size_t)(d->big ? (size_t)own[6] << 8 | own[7] : (size_t)own[7] << 8 | own[6]);
        if ((d->big ? own[3] : own[0]) == 71) k += 24;
        memcpy(d->b + d->n, own, k);
        d->n += k;
        at += k;
    }
    ZSTD_freeCStream(z);
    free(plain);
    free(packed);
}

static void compressed_recordings_read_as_others(void)
{
    static const size_t pieces[] = { 1 << 16, 100, 9 };
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata_stats s;
    size_t i;
    for (i = 0; i < 12; i++) {
        d->big = (int)i & 1;
        pd_file(d, 0);
        pd_records(d);
        pd_compress(d, PD_BEGIN, i & 2 ? 83 : 81, pieces[i / 4]);
        pd_close(d);
        pd_expect("compressed", d, pd_items, &s);
        T_CHECK(s.samples == 4 && s.lost == 42 && s.unknown_records == 2 && s.bad_records == 1);
        T_EQ(s.unknown_events, 1);
        pd_at(d, 48, 0, 8);
        pd_expect("compressed, perf was killed", d, pd_items, &s);
    }
    free(d);
}

/* What a recording of compressed samples gives, and what is wrong with it. */
static uint64_t pd_samples(const pd *d, const csspgo_options *o, csspgo_error *e)
{
    csspgo_perfdata_stats s;
    const csspgo_status status = pd_read(d->b, d->n, 1 << 20, o, NULL, &s, e);
    csspgo_error again;
    csspgo_perfdata_stats t;
    T_EQ(pd_read(d->b, d->n, 7, o, NULL, &t, &again), status);
    T_CHECK(s.samples == t.samples && e->offset == again.offset);
    return s.samples;
}

/* perf 6.16 and later: the sizes of all records of one time overflow that of the first. */
static void sizes_of_compressed_records_may_overflow(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    ZSTD_CStream *z = ZSTD_createCStream();
    unsigned char *plain, *packed = (unsigned char *)malloc(1 << 18);
    size_t n = 0, i, taken, at, size;
    uint64_t x = 1;
    csspgo_error e;
    pd_file(d, 0);
    for (i = 0; i < 10000; i++) pd_small_sample(d, 71, i + 1, (x = x * UINT64_C(6364136223846793005) + 1));
    size = d->n - PD_BEGIN;
    plain = t_copy(d->b + PD_BEGIN, size);
    ZSTD_initCStream(z, 1);
    for (at = 0; at < size; at += taken) n += pd_pack(z, packed + n, (1 << 18) - n, plain + at, size - at, &taken);
    T_CHECK(n > 65519 && n < 2 * 65519);
    d->n = PD_BEGIN;
    for (at = 0; at < n; at += taken) {                 /* the second has no data size, and no padding */
        taken = n - at < 65519 ? n - at : 65519;
        pd_begin(d, 83, 0);
        pd_64(d, at == 0 ? n + 16 : UINT64_C(0xabababababababab));
        memcpy(d->b + d->n, packed + at, taken);
        d->n += taken;
        pd_at(d, d->record + 6, at == 0 ? (n + 32 + 7) / 8 * 8 % 65536 : taken + 16, 2);
    }
    pd_close(d);
    T_EQ(pd_samples(d, NULL, &e), 10000);
    T_EQ(e.status, CSSPGO_OK);
    pd_at(d, PD_BEGIN + 6, 48, 2);                      /* not the size of an overflow */
    T_EQ(pd_samples(d, NULL, &e), 0);
    T_CHECK(e.status == CSSPGO_E_SYNTAX && e.offset == PD_BEGIN);
    ZSTD_freeCStream(z);
    free(plain);
    free(packed);
    free(d);
}

static void what_came_before_damaged_data_is_handed_out(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_error e;
    size_t second, i;
    pd_file(d, 0);
    for (i = 0; i < 4; i++) pd_small_sample(d, 71, 100 - i, i);
    pd_compress(d, PD_BEGIN, 81, 96);                   /* two samples a record */
    second = PD_BEGIN + (size_t)d->b[PD_BEGIN + 6];
    pd_close(d);
    T_EQ(pd_samples(d, NULL, &e), 4);
    T_EQ(e.status, CSSPGO_OK);
    d->b[second + 8] |= 6;                              /* a block of the reserved kind */
    T_EQ(pd_samples(d, NULL, &e), 2);
    T_CHECK(e.status == CSSPGO_E_SYNTAX && e.offset == second && strstr(e.message, "PERF_RECORD_COMPRESSED") != NULL);
    d->n = second;                                      /* without it the recording is a good one */
    pd_close(d);
    T_EQ(pd_samples(d, NULL, &e), 2);
    T_EQ(e.status, CSSPGO_OK);
    d->b[PD_BEGIN + 8] ^= 1;                            /* no zstd stream */
    T_EQ(pd_samples(d, NULL, &e), 0);
    T_CHECK(e.status == CSSPGO_E_SYNTAX && e.offset == PD_BEGIN);
    pd_file(d, 0);                                      /* half of a sample; sizes that no record has */
    pd_small_sample(d, 71, 5, 5);
    d->n -= 16;
    pd_compress(d, PD_BEGIN, 81, 1000);
    pd_close(d);
    T_EQ(pd_samples(d, NULL, &e), 0);
    T_CHECK(e.status == CSSPGO_E_SYNTAX && e.offset == d->n);
    for (i = 4; i < 13; i += 8) {
        pd_file(d, 0);
        pd_small_sample(d, 71, 5, 5);
        pd_at(d, d->record + 6, i, 2);
        d->n = d->record + 16;
        pd_compress(d, PD_BEGIN, 81, 1000);
        pd_close(d);
        T_EQ(pd_samples(d, NULL, &e), 0);
        T_CHECK(e.status == CSSPGO_E_SYNTAX && e.offset == PD_BEGIN && strstr(e.message, "impossible size") != NULL);
    }
    free(d);
}

static void every_prefix_of_a_compressed_recording_says_that_it_ends_early(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    size_t n;
    csspgo_error e;
    pd_file(d, 0);
    pd_records(d);
    pd_compress(d, PD_BEGIN, 83, 100);
    pd_close(d);
    for (n = 0; n < d->n; n += n < PD_BEGIN ? 37 : 3) {
        T_EQ(pd_read(d->b, n, 1 << 20, NULL, NULL, NULL, &e), CSSPGO_E_TRUNCATED);
        T_EQ(e.offset, n);
    }
    free(d);
}

/* A frame that says a window of 2^log bytes, and a block of `size` equal bytes, at most 2^17, again and again. */
static void pd_bomb(pd *d, unsigned log, uint32_t size, size_t blocks)
{
    pd_file(d, 0);
    pd_begin(d, 81, 0);
    pd_put(d, 0xfd2fb528, 4);
    pd_put(d, 0, 1);
    pd_put(d, (log - 10) << 3, 1);
    for (; blocks != 0; blocks--) {
        pd_put(d, size << 3 | 1 << 1, 3);
        pd_put(d, 0, 1);
    }
    pd_end(d);
    pd_close(d);
}

static void bombs_end_at_a_limit(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    csspgo_error e;
    pd_bomb(d, 20, 1 << 17, 10000);                     /* no record has size 0 */
    T_EQ(pd_read(d->b, d->n, 1 << 20, &o, NULL, NULL, &e), CSSPGO_E_SYNTAX);
    T_CHECK(strstr(e.message, "impossible size: 0") != NULL);
    T_CHECK(h.peak < 3 << 20);                           /* window, buffers, zstd itself */
    pd_bomb(d, 28, 8, 1);
    T_EQ(pd_read(d->b, d->n, 1 << 20, &o, NULL, NULL, &e), CSSPGO_E_LIMIT);
    T_CHECK(e.offset == PD_BEGIN && strstr(e.message, "128 MiB") != NULL);
    o.limits.max_bytes = 1 << 20;
    pd_bomb(d, 27, 8, 1);
    T_EQ(pd_read(d->b, d->n, 1 << 20, &o, NULL, NULL, &e), CSSPGO_E_LIMIT);
    free(d);
}

static void what_unpacks_to_too_much_is_refused(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_options o;
    csspgo_error e;
    size_t i;
    uint64_t few;
    memset(&o, 0, sizeof o);
    pd_file(d, 0);
    for (i = 0; i < 10000; i++) pd_small_sample(d, 71, i + 1, 0x401000);
    pd_compress(d, PD_BEGIN, 81, 4096);
    pd_close(d);
    T_EQ(pd_samples(d, &o, &e), 10000);
    T_EQ(e.status, CSSPGO_OK);
    o.limits.max_inflated = 100000;
    few = pd_samples(d, &o, &e);
    T_CHECK(e.status == CSSPGO_E_LIMIT && few > 1000 && few < 3000 && strstr(e.message, "max_inflated") != NULL);
    free(d);
}

static void a_compressed_recording_survives_every_failed_allocation(void)
{
    pd *d = (pd *)calloc(1, sizeof *d);
    long nth;
    pd_file(d, 0);
    pd_records(d);
    pd_compress(d, PD_BEGIN, 81, 200);
    pd_close(d);
    for (nth = 1;; nth++) {
        t_heap h;
        csspgo_error e;
        const csspgo_options o = t_options(&h, nth);
        const csspgo_status s = pd_read(d->b, d->n, 64, &o, NULL, NULL, &e);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 8);
    free(d);
}
#endif

/* ----- recordings of simpleperf ----- */

/* META_INFO says who wrote it; ids of events come in the data; its own records have sizes of 32 bits. */
static void recordings_of_simpleperf_are_read(void)
{
    static const char want[] = "sample 12/13 5: 7f0000401005 ffffff8000000010 |\nsample 12/13 9: 401009 |\n";
    pd *d = (pd *)calloc(1, sizeof *d);
    csspgo_perfdata_stats s;
    csspgo_error e;
    for (d->big = 0; d->big < 2; d->big++) {
        pd_file(d, 0);
        pd_at(d, 72 + 16, 1 << 1, 8);                   /* feature 129 */
        pd_begin(d, 32769, 1);                          /* 65,552 bytes of kernel symbols */
        pd_end(d);
        pd_at(d, d->record + 6, 16, 2);
        memset(d->b + d->n, 0xff, 65552 - 8);
        d->n += 65552 - 8;
        pd_begin(d, 32774, 0);                          /* ids: 90 is of event 1, 91 of none */
        pd_64(d, 2);
        pd_64(d, 1);
        pd_64(d, 90);
        pd_64(d, 2);
        pd_64(d, 91);
        pd_end(d);
        pd_begin(d, 32770, 0);
        pd_end(d);
        pd_begin(d, 40000, 0);                          /* no kind that is known */
        pd_end(d);
        pd_small_sample(d, 91, 4, 0x401000);
        pd_small_sample(d, 90, 9, UINT64_C(0x3d00000000401009));
        pd_begin(d, 9, 2);
        pd_64(d, 90);
        pd_64(d, 1);
        pd_32x2(d, 12, 13);
        pd_64(d, 5);
        pd_64(d, 3);
        pd_64(d, ~(uint64_t)511);
        pd_64(d, UINT64_C(0xb4007f0000401005));
        pd_64(d, UINT64_C(0xffffff8000000010));
        pd_end(d);
        pd_close(d);
        d->n += 16;                                     /* the section of the feature */
        pd_expect("simpleperf", d, want, &s);
        T_CHECK(s.samples == 2 && s.unknown_records == 1 && s.unknown_events == 1 && s.bad_records == 0);
        pd_at(d, PD_BEGIN + 4, 2, 2);                   /* longer than the data */
        T_EQ(pd_read(d->b, d->n, 100, NULL, NULL, NULL, &e), CSSPGO_E_SYNTAX);
        T_EQ(e.offset, PD_BEGIN);
    }
    free(d);
}

int main(void)
{
    stacks_without_branches_are_samples();
    T_FAILING(every_allocation_of_stacks_may_fail());
    rules_hold_by_example();
    what_is_left_out_is_counted();
    every_file_reads_the_same_in_any_pieces();
    the_traces_are_complete();
    every_truncation_reads_as_the_model_reads_it();
    damaged_scripts_read_as_the_model_reads_them();
    too_long_lines_are_junk();
    a_stack_ends_where_a_return_address_is_bad();
    a_stack_at_the_end_may_be_one_that_is_dropped_anyway();
    samples_of_65536_frames_and_records_pass_larger_ones_do_not();
    lines_before_the_first_branch_line_are_kept_up_to_a_limit();
    hostile_lines_take_linear_time();
    misuse_is_an_argument_error();
    an_error_stays();
    T_FAILING(every_allocation_may_fail());
    the_memory_limit_is_an_error();
    records_of_every_type_read_back();
    branch_filters_decide_what_is_a_trace();
    every_prefix_of_a_record_is_rejected();
    a_failure_leaves_an_empty_sample();
    hostile_counts_are_rejected();
    the_user_part_of_a_chain_is_the_stack();
    records_wrap_anywhere();
    what_does_not_wrap_is_not_copied();
    a_zeroed_event_is_refused_where_samples_come();
    losses_and_other_records();
    corrupt_rings_are_errors();
    rings_of_noise_end();
    recordings_of_both_byte_orders_read_the_same();
    recordings_into_pipes_read_the_same();
    build_ids_behind_the_data_are_read();
    samples_are_of_events_with_names();
    events_without_a_trace_may_be_left_out();
    rings_of_several_events_are_told_apart();
    every_prefix_of_a_recording_says_that_it_ends_early();
    what_cannot_be_read_is_refused_by_name();
    what_came_before_a_fault_is_handed_out();
    misuse_of_a_recording_is_an_argument_error();
    stacks_in_two_contexts_are_the_users_or_the_kernels();
    T_FAILING(a_recording_survives_every_failed_allocation());
    a_long_recording_takes_bounded_memory();
#ifdef CSSPGO_USE_ZSTD
    compressed_recordings_read_as_others();
    sizes_of_compressed_records_may_overflow();
    what_came_before_damaged_data_is_handed_out();
    every_prefix_of_a_compressed_recording_says_that_it_ends_early();
    bombs_end_at_a_limit();
    what_unpacks_to_too_much_is_refused();
    T_FAILING(a_compressed_recording_survives_every_failed_allocation());
#endif
    recordings_of_simpleperf_are_read();
    brackets_behind_a_frame_are_passed_over_from_22_on();
    return t_end();
}
