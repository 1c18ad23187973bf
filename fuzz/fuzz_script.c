/* fuzz_script.c - perf script text: whatever it is and however it is cut into pieces, in LLVM mode the parser finds
 * what the plain model of tests/script_model.h finds in the whole, with any fields it finds the same in any pieces,
 * both within the memory bound; fields that are printed besides change no sample; and with memory for samples there are
 * the same ones between the same events. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define T_FIRST_FUNCTION 0x401000
#define T_LAST_FUNCTION  0x401e00
#include "../tests/script_model.h"
#include "../tests/script_memory.h"
#include "fuzz.h"

/*
 * Code at 401000 to 402000: a call of 5 bytes at every 256th address, a return 16 behind it, a function at each
 * 512th.
 */
static csspgo_code *some_code(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_module none;
    uint64_t a;
    none.id = 0;
    REQUIRE(code != NULL && csspgo_code_add_area(code, none, 0x401000, 0x1000, NULL) == CSSPGO_OK);
    for (a = 0x401000; a < 0x402000; a += 256) {
        csspgo_transfer t;
        csspgo_code_function f;
        memset(&t, 0, sizeof t);
        memset(&f, 0, sizeof f);
        t.address = a;
        t.size = 5;
        t.kind = CSSPGO_CALL;
        REQUIRE(csspgo_code_add_transfers(code, none, &t, 1, NULL) == CSSPGO_OK);
        t.address = a + 16;
        t.kind = CSSPGO_RET;
        REQUIRE(csspgo_code_add_transfers(code, none, &t, 1, NULL) == CSSPGO_OK);
        f.begin = a;
        f.end = a + 200;
        f.guid = a;
        if (a % 512 == 0) REQUIRE(csspgo_code_add_function(code, none, &f, NULL) == CSSPGO_OK);
    }
    REQUIRE(csspgo_code_transfer_kind(code, 0x401000) == CSSPGO_CALL);
    return code;
}

static void print_event(t_out *out, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m)
{
    REQUIRE(item == CSSPGO_ITEM_FORK || item == CSSPGO_ITEM_COMM || item == CSSPGO_ITEM_EXIT);
    t_num(out, "E ", item, 10);
    t_num(out, " ", s->pid, 10);
    t_num(out, "/", s->tid, 10);
    t_num(out, " ", m->pid, 10);
    t_num(out, " ", m->executable, 10);
    t_add(out, m->path != NULL ? m->path : "", m->path_size);
    t_str(out, "\n");
}

/* Either there are no files, or some frame has one. */
static void check_files(const csspgo_script *s, const csspgo_sample *sample)
{
    const uint32_t *const files = csspgo_script_frame_files(s);
    uint32_t i, named = 0;
    for (i = 0; files != NULL && i < sample->stack_count; i++) named += files[i] != 0;
    REQUIRE(files == NULL || named != 0);
}

/* Of equal frames in a row one at least remains, and the others as they are. */
static void check_folded(csspgo_script *s, const csspgo_sample *sample)
{
    csspgo_sample folded = *sample;
    csspgo_error err;
    uint32_t i = 0, k = 0;
    if (csspgo_script_drop_repeats(s, NULL, &folded, &err) != CSSPGO_OK) return;
    while (i < sample->stack_count) {
        const uint64_t a = sample->stack[i];
        uint32_t lines = 0, frames = 0;
        for (; i < sample->stack_count && sample->stack[i] == a; i++) lines++;
        for (; k < folded.stack_count && folded.stack[k] == a; k++) frames++;
        REQUIRE(frames >= 1 && frames <= lines);
    }
    REQUIRE(k == folded.stack_count);
}

/* any: the parser reads any fields. */
static void read_items(t_out *out, csspgo_script *s, const csspgo_code *code, int any, csspgo_error *err)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    while ((item = csspgo_script_next(s, &sample, &map, err)) != CSSPGO_ITEM_NONE) {
        REQUIRE(err->status == CSSPGO_OK);
        if (item == CSSPGO_ITEM_SAMPLE) {
            REQUIRE(sample.branches != NULL && (sample.branch_count != 0 || (any && sample.stack_count != 0)));
            REQUIRE((sample.stack != NULL) == (sample.stack_count != 0));
            check_files(s, &sample);
            check_folded(s, &sample);
            t_print_sample(out, &sample, code);
        } else if (any && item != CSSPGO_ITEM_MMAP) {
            print_event(out, item, &sample, &map);
        } else {
            REQUIRE(item == CSSPGO_ITEM_MMAP && map.path != NULL);
            t_print_mmap(out, &map);
        }
    }
}

/* Events are numbered from 1 on, and have names. */
static void check_events(const csspgo_script *s, int any)
{
    csspgo_event_info e;
    uint32_t i;
    for (i = 1; csspgo_script_event(s, i, &e); i++)
        REQUIRE(any && e.name != NULL && e.name_size != 0 && e.name_size <= 256 && e.type == UINT32_MAX && i <= 1024);
    REQUIRE(!csspgo_script_event(s, 0, &e) && !csspgo_script_event(s, i + 1, &e));
}

/* step 0: in one piece; else pieces of 1 to step bytes, each in a block of its own. */
static void read_script(t_out *out, const uint8_t *data, size_t size, uint64_t step, uint32_t max_line,
                        const csspgo_code *code, int any)
{
    counted heap;
    csspgo_options o;
    csspgo_script_options how;
    csspgo_script *s;
    csspgo_script_stats stats;
    csspgo_error err;
    uint64_t random = step;
    size_t at, n;
    memset(&heap, 0, sizeof heap);
    memset(&o, 0, sizeof o);
    memset(&how, 0, sizeof how);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    o.limits.max_line = max_line;
    how.code = code;
    how.llvm = any ? 0 : size & 1 ? 22 : 19;
    s = csspgo_script_new(&how, &o, NULL);
    REQUIRE(s != NULL);
    for (at = 0; at < size; at += n) {
        uint8_t *piece;
        random = hash_bytes(&at, sizeof at, random);
        n = step != 0 ? 1 + (size_t)(random % step) : size;
        if (n > size - at) n = size - at;
        piece = (uint8_t *)malloc(n);
        REQUIRE(piece != NULL);
        memcpy(piece, data + at, n);
        REQUIRE(csspgo_script_feed(s, piece, n, NULL) == CSSPGO_OK);
        read_items(out, s, any ? NULL : code, any, &err);
        REQUIRE(err.status == CSSPGO_OK || (any && err.status == CSSPGO_E_UNSUPPORTED));
        free(piece);
    }
    csspgo_script_end(s);
    read_items(out, s, any ? NULL : code, any, &err);
    check_events(s, any);
    is_told(err.status, &err, size);
    stats = csspgo_script_get_stats(s);
    t_print_end(out, err.status, err.line);
    t_print_totals(out, &stats);
    csspgo_script_free(s);
    REQUIRE(heap.live == 0 && heap.peak <= 16 * size + (1u << 20));
}

/* ----- the same samples with and without other fields ----- */

/* What the fuzzer's bytes choose: the next one, 0 behind the last. */
typedef struct chooser {
    const uint8_t *p, *end;
} chooser;

static uint64_t choose(chooser *c)
{
    return c->p != c->end ? *c->p++ : 0;
}

static uint64_t choose_address(chooser *c)
{
    const uint64_t a = choose(c), b = choose(c);
    return (a << 40 | b << 12 | 0x400001) >> (a & 31);
}

/* One sample, with fields of its own choice in `fields` and with none in `plain`. */
static void write_sample(chooser *c, t_out *plain, t_out *fields)
{
    const uint64_t what = choose(c);
    uint64_t n, v;
    if (what & 1) {
        t_num(plain, "", v = choose(c), 10), t_str(plain, "\n");
        t_num(fields, "", v, 10), t_str(fields, "\n");
    }
    if (what & 128) t_str(fields, "# header : 401159 0x1/0x2/P/-/-/0\n");
    if (what & 2) t_str(fields, "a b 7/8 [001]  2599.922020:   99 cycles:u: \n");
    for (n = 1 + (choose(c) & 7); n != 0; n--) {
        v = choose_address(c);
        t_num(plain, "\t ", v, 16), t_str(plain, "\n");
        t_num(fields, "\t ", v, 16), t_str(fields, what & 4 ? " f(int, 0x1/0x2) const+0x9 (/x/y z)\n" : "\n");
        if (what & 8) t_str(fields, "  file.c:5\n");
    }
    if (what & 16) t_str(fields, "\n");
    for (n = 1 + (choose(c) & 7); n != 0; n--) {
        const uint64_t from = choose_address(c), to = choose_address(c);
        const char *tail = from & 2 ? "/PN/-/-/0 " : "/M/-/-/3/COND/SPEC_WRONG_PATH ";
        t_num(plain, " 0x", from, 16), t_num(plain, "/0x", to, 16), t_str(plain, tail);
        t_num(fields, " 0x", from, 16), t_str(fields, what & 32 ? "(/x/a (b) c)" : "");
        t_num(fields, "/0x", to, 16), t_str(fields, what & 32 ? "([unknown])" : ""), t_str(fields, tail);
    }
    t_str(plain, "\n\n");
    t_str(fields, what & 64 ? "\n" : "\n\n");
}

static void read_samples(t_out *out, const t_out *text, uint32_t llvm)
{
    csspgo_script_options how;
    csspgo_script *s;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    memset(&how, 0, sizeof how);
    memset(out, 0, sizeof *out);
    how.llvm = llvm;
    s = csspgo_script_new(&how, NULL, NULL);
    REQUIRE(s != NULL && csspgo_script_feed(s, text->at, text->size, NULL) == CSSPGO_OK);
    csspgo_script_end(s);
    while (csspgo_script_next(s, &sample, &map, &err) == CSSPGO_ITEM_SAMPLE) {
        sample.pid = sample.tid = 0;                  /* the words that give them, and the time, are in one form only */
        sample.time = 0;
        t_print_sample(out, &sample, NULL);
    }
    REQUIRE(err.status == CSSPGO_OK);
    csspgo_script_free(s);
}

static void fields_change_no_sample(const uint8_t *data, size_t size)
{
    chooser c;
    t_out plain, fields, want, got;
    int i;
    c.p = data;
    c.end = data + (size < 4096 ? size : 4096);
    memset(&plain, 0, sizeof plain);
    memset(&fields, 0, sizeof fields);
    while (c.p != c.end) write_sample(&c, &plain, &fields);
    if (plain.size != 0) {
        read_samples(&want, &plain, 19);
        for (i = 0; i < 2; i++) {
            read_samples(&got, i == 0 ? &plain : &fields, 0);
            REQUIRE(got.size == want.size && memcmp(got.at, want.at, want.size) == 0);
            t_out_free(&got);
        }
        t_out_free(&want);
    }
    t_out_free(&plain);
    t_out_free(&fields);
}

/*
 * The input twice behind samples enough for memory to be used; with some memory, in some pieces, and then without. A
 * parser that follows another has the same items in the same order.
 */
static void memory_changes_no_sample(const uint8_t *data, size_t size, uint64_t h, const csspgo_code *code)
{
    static t_out first;
    const char *text[3];
    size_t sizes[3];
    t_reading r;
    t_out want, got;
    uint64_t order;
    unsigned i;
    if (first.size == 0)
        for (i = 0; i < 300; i++) t_str(&first, "\t401159\n 0x1/0x2/P/-/-/0\n");
    text[0] = first.at;
    text[1] = text[2] = (const char *)data;
    sizes[0] = first.size;
    sizes[1] = sizes[2] = size;
    memset(&r, 0, sizeof r);
    r.how.llvm = h >> 32 & 1 ? 19 : 0;
    r.how.code = code;
    r.options.limits.max_line = h & 1 ? (uint32_t)(h >> 8 & 63) + 20 : 1u << 20;
    r.step = h >> 33 & 1 ? 1 + (h >> 34 & 255) : 0;
    t_read_memory(&want, text, sizes, 3, &r);
    r.how.memory_bytes = (uint32_t)(h >> 42 & 1 ? 1 + (h >> 43 & 4095) : 1 << 16);
    t_read_memory(&got, text, sizes, 3, &r);
    REQUIRE(got.size == want.size && memcmp(got.at, want.at, want.size) == 0);
    t_out_free(&got);
    order = r.order;
    r.follows = 1;
    t_read_memory(&got, text, sizes, 3, &r);
    REQUIRE(got.size == want.size && memcmp(got.at, want.at, want.size) == 0 && r.order == order);
    t_out_free(&got);
    t_out_free(&want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t h = hash_bytes(data, size, 0);
    const uint32_t max_line = h & 1 ? (uint32_t)(h >> 8 & 63) + 1 : 1u << 20;
    static csspgo_code *made;
    const csspgo_code *code;
    t_out want, got;
    int i;
    if (made == NULL) made = some_code();
    code = h & 2 ? made : NULL;
    memset(&want, 0, sizeof want);
    if (size < 1u << 20) t_model_run(&want, (const char *)data, size, max_line, code);
    for (i = 0; size < 1u << 20 && i < 2; i++) {
        memset(&got, 0, sizeof got);
        read_script(&got, data, size, i == 0 ? 0 : (h >> 16 & 15) + 1, max_line, code, 0);
        REQUIRE(got.size == want.size && memcmp(got.at, want.at, want.size) == 0);
        t_out_free(&got);
    }
    t_out_free(&want);
    memset(&want, 0, sizeof want);                      /* with any fields: no model, but in any pieces the same */
    memset(&got, 0, sizeof got);
    read_script(&want, data, size, 0, max_line, code, 1);
    read_script(&got, data, size, (h >> 16 & 15) + 1, max_line, code, 1);
    REQUIRE(got.size == want.size && memcmp(got.at, want.at, want.size) == 0);
    t_out_free(&got);
    t_out_free(&want);
    fields_change_no_sample(data, size);
    if (size < 1u << 16) memory_changes_no_sample(data, size, h, h & 2 ? made : NULL);
    return 0;
}
