/* fuzz_preagg.c - BOLT's pre-aggregated text: lines do not depend on how the text is cut into pieces, memory is
 * bounded, and what an aggregator writes of them is read back as the same. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define CSSPGO_PREAGG_WRITE_IMPLEMENTATION
#include "../examples/share/preagg_write.h"
#include "fuzz.h"

/* Code at 400 to fff with three functions, and a call of 5 bytes at each 64th address. */
static csspgo_code *some_code(csspgo_module *m)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_segment s;
    uint64_t a;
    memset(&s, 0, sizeof s);
    s.address = 0x400;
    s.size = 0xc00;
    s.executable = 1;
    REQUIRE(code != NULL);
    *m = csspgo_code_add_module(code, "x", 1, &s, 1, NULL);
    REQUIRE(csspgo_code_set_build_id(code, *m, "\xab\xcd", 2, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_code_add_area(code, *m, 0x400, 0xc00, NULL) == CSSPGO_OK);
    for (a = 0x400; a < 0x1000; a += 64) {
        csspgo_transfer t;
        csspgo_code_function f;
        memset(&t, 0, sizeof t);
        memset(&f, 0, sizeof f);
        t.address = a;
        t.size = 5;
        t.kind = CSSPGO_CALL;
        REQUIRE(csspgo_code_add_transfers(code, *m, &t, 1, NULL) == CSSPGO_OK);
        f.begin = a;
        f.end = a + 0x380;
        f.guid = a;
        if (a % 1024 == 0) REQUIRE(csspgo_code_add_function(code, *m, &f, NULL) == CSSPGO_OK);
    }
    return code;
}

/* Reads a text in pieces of 1 to step bytes (0: in one) into a and c, or NULL. Returns a hash of lines and error. */
static uint64_t read_text(const uint8_t *data, size_t size, uint64_t step, const csspgo_preagg_options *how,
                          uint32_t max_line, csspgo_aggregator *a, csspgo_collector *c)
{
    counted heap;
    csspgo_options o;
    csspgo_preagg *d;
    csspgo_preagg_line line;
    csspgo_error e;
    uint64_t lines = 0;
    uint64_t hash = 0, random = step, where[3];
    size_t at, n;
    memset(&heap, 0, sizeof heap);
    memset(&o, 0, sizeof o);
    memset(&e, 0, sizeof e);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    o.limits.max_line = max_line;
    d = csspgo_preagg_new(how, &o, NULL);
    REQUIRE(d != NULL);
    for (at = 0; at <= size; at += n) {
        uint8_t *piece;
        random = hash_bytes(&at, sizeof at, random);
        n = step != 0 ? 1 + (size_t)(random % step) : size + 1;
        if (n > size - at) n = size - at;
        piece = (uint8_t *)malloc(n + 1);
        REQUIRE(piece != NULL);
        memcpy(piece, data + at, n);
        if (n != 0) REQUIRE(csspgo_preagg_feed(d, piece, n, NULL) == CSSPGO_OK);
        else csspgo_preagg_end(d);
        while (csspgo_preagg_next(d, &line, &e)) {
            REQUIRE(e.status == CSSPGO_OK && line.kind != 0 && line.count <= INT64_MAX);
            REQUIRE((line.event != NULL) == (line.kind == 'E') && line.event_size <= max_line);
            if (line.event != NULL) hash = hash_bytes(line.event, line.event_size, hash);
            line.event = NULL;
            hash = hash_bytes(&line, sizeof line, hash);
            lines++;
            if (line.kind == 'E') continue;
            if (a != NULL) REQUIRE(csspgo_aggregator_count(a, &line, 1, NULL) == CSSPGO_OK);
            if (c != NULL) REQUIRE(csspgo_collector_count(c, &line, 1, NULL) == CSSPGO_OK);
        }
        free(piece);
        if (n == 0) break;
    }
    hash = hash_bytes(&lines, sizeof lines, hash);
    REQUIRE(lines <= csspgo_preagg_get_stats(d).line_count);
    csspgo_preagg_free(d);
    REQUIRE(heap.live == 0 && heap.peak <= 16 * size + (1u << 20));
    is_told(e.status, &e, size);
    where[0] = e.status;
    where[1] = e.line;
    where[2] = e.status == CSSPGO_E_LIMIT ? 0 : e.column;
    return hash_bytes(where, sizeof where, hash);
}

static char *written(const csspgo_aggregator *a, uint32_t form, size_t *size)
{
    char *text;
    REQUIRE(csspgo_write_preagg(a, form, NULL, 0, size, NULL) == CSSPGO_OK);
    text = (char *)malloc(*size + 1);
    REQUIRE(text != NULL && csspgo_write_preagg(a, form, text, *size, size, NULL) == CSSPGO_OK);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t h = hash_bytes(data, size, 0);
    const uint32_t max_line = h & 3 ? 1u << 20 : (uint32_t)(h >> 8 & 63) + 1;
    csspgo_preagg_options how;
    csspgo_aggregator *a, *b;
    csspgo_collector *c;
    uint32_t form;
    memset(&how, 0, sizeof how);
    how.code = some_code(&how.module);
    how.llvm = h & 4 ? 19 : 0;
    a = csspgo_aggregator_new(how.code, how.module, NULL, NULL);
    c = csspgo_collector_new((csspgo_code *)(uintptr_t)how.code, NULL, NULL, NULL);
    REQUIRE(a != NULL && c != NULL);
    REQUIRE(read_text(data, size, 0, &how, max_line, a, c) ==
            read_text(data, size, (h >> 16 & 15) + 1, &how, max_line, NULL, NULL));
    REQUIRE(csspgo_write_unsymbolized(c, NULL, NULL, 0, NULL, NULL) == CSSPGO_OK);
    for (form = 0; form < 2; form++) {
        size_t n, m;
        char *text = written(a, form, &n), *again;
        b = csspgo_aggregator_new(how.code, how.module, NULL, NULL);
        REQUIRE(b != NULL);
        how.llvm = form == 0 ? 19 : 0;
        read_text((const uint8_t *)text, n, 0, &how, 1u << 20, b, NULL);
        again = written(b, form, &m);
        REQUIRE(n == m && memcmp(text, again, n) == 0);
        free(text);
        free(again);
        csspgo_aggregator_free(b);
    }
    csspgo_aggregator_free(a);
    csspgo_collector_free(c);
    csspgo_code_free((csspgo_code *)(uintptr_t)how.code);
    return 0;
}
