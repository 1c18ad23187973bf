/* fuzz_unsym.c - unsymbolized text: what is refused changes nothing, what is read is written as a text that reads back
 * to the same bytes, and memory stays within its bound. */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include "fuzz.h"

/* A module at 401000 with a hole, of which every byte is an instruction. */
static csspgo_code *some_code(void)
{
    csspgo_code *code = csspgo_code_new(NULL);
    csspgo_segment segment;
    csspgo_module m;
    memset(&segment, 0, sizeof segment);
    segment.address = 0x401000;
    segment.size = 0x400;
    segment.executable = 1;
    REQUIRE(code != NULL);
    m = csspgo_code_add_module(code, "m", 1, &segment, 1);
    REQUIRE(csspgo_code_add_area(code, m, 0x401000, 0x200) == CSSPGO_OK);
    REQUIRE(csspgo_code_add_area(code, m, 0x401300, 0x100) == CSSPGO_OK);
    return code;
}

static char *written(csspgo_collector *c, size_t *size)
{
    csspgo_error e;
    char *text;
    REQUIRE(csspgo_write_unsymbolized(c, NULL, NULL, 0, size, &e) == CSSPGO_OK && e.status == CSSPGO_OK);
    text = (char *)malloc(*size + 1);
    REQUIRE(text != NULL);
    REQUIRE(csspgo_write_unsymbolized(c, NULL, text, *size, NULL, &e) == CSSPGO_OK);
    return text;
}

static void require_text(csspgo_collector *c, const char *want, size_t want_size)
{
    size_t size;
    char *got = written(c, &size);
    REQUIRE(size == want_size && memcmp(got, want, size) == 0);
    free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csspgo_collector_options how;
    csspgo_options options;
    counted heap = { 0, 0, 0, 0 };
    csspgo_code *code = some_code();
    csspgo_collector *p, *q;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    memset(&options, 0, sizeof options);
    options.allocator.alloc_fn = counted_alloc;
    options.allocator.free_fn = counted_free;
    options.allocator.ctx = &heap;
    options.limits.max_depth = size % 5 == 3 ? 4 : 0;
    how.limit_depth = size % 5 == 1;
    how.max_depth = 2;
    how.limit_recursion = size % 5 == 2;
    p = csspgo_collector_new(code, &how, &options);
    q = csspgo_collector_new(code, &how, NULL);
    REQUIRE(p != NULL && q != NULL);
    memset(&e, 0xee, sizeof e);
    if (csspgo_read_unsymbolized(p, NULL, data, size, &e) != CSSPGO_OK) {
        REQUIRE(e.status != CSSPGO_OK && e.message[0] != '\0' && e.offset <= size && e.line >= 1 && e.column >= 1);
        REQUIRE(!csspgo_collector_has_contexts(p) && csspgo_collector_get_stats(p).unplaced == 0);
        require_text(p, "", 0);
    } else {
        size_t n;
        char *out = written(p, &n), *twice;
        REQUIRE(e.status == CSSPGO_OK && heap.peak <= 16 * size + (1u << 20) + 16 * n);
        REQUIRE(csspgo_read_unsymbolized(q, NULL, out, n, &e) == CSSPGO_OK);   /* we read what we write */
        REQUIRE(csspgo_collector_get_stats(q).unplaced == 0);
        require_text(q, n != 0 ? out : "", n);
        REQUIRE(csspgo_read_unsymbolized(p, NULL, data, size, NULL) == CSSPGO_OK);
        twice = written(p, &n);
        if (n != 0) {                                 /* and it adds up as the original does */
            size_t once;
            free(out);
            out = written(q, &once);
            REQUIRE(csspgo_read_unsymbolized(q, NULL, out, once, &e) == CSSPGO_OK);
        }
        require_text(q, twice, n);
        free(twice);
        free(out);
    }
    csspgo_collector_free(q);
    csspgo_collector_free(p);
    REQUIRE(heap.live == 0);
    csspgo_code_free(code);
    return 0;
}
