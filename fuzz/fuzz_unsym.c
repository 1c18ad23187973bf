/* fuzz_unsym.c - unsymbolized text: what is refused changes nothing, what is read is written as a text that reads back
 * to the same bytes, and memory stays within its bound. A profile by line of it is sound. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"

static void add_function(csspgo_code *code, csspgo_module m, uint64_t begin, uint64_t end, const char *name)
{
    csspgo_code_function f;
    memset(&f, 0, sizeof f);
    f.begin = begin;
    f.end = end;
    f.name = name;
    f.name_size = strlen(name);
    REQUIRE(csspgo_code_add_function(code, m, &f, NULL) == CSSPGO_OK);
}

/* A module at 401000 with a hole, of which every byte is an instruction. */
static csspgo_code *some_code(csspgo_module *module)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_segment segment;
    csspgo_module m;
    memset(&segment, 0, sizeof segment);
    segment.address = 0x401000;
    segment.size = 0x400;
    segment.executable = 1;
    REQUIRE(code != NULL);
    m = *module = csspgo_code_add_module(code, "m", 1, &segment, 1, NULL);
    REQUIRE(csspgo_code_add_area(code, m, 0x401000, 0x200, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_code_add_area(code, m, 0x401300, 0x100, NULL) == CSSPGO_OK);
    add_function(code, m, 0x401000, 0x401100, "a");
    add_function(code, m, 0x401300, 0x401400, "main");
    return code;
}

/* A line per 16 bytes of a, of which half is inlined code of b; some of main is not known. */
static csspgo_line_table *some_lines(csspgo_code *code, csspgo_module m)
{
    csspgo_line_table *l = csspgo_line_table_new(NULL, NULL);
    csspgo_line_inline_node node[3];
    csspgo_line_row row[20];
    size_t i;
    memset(node, 0, sizeof node);
    memset(row, 0, sizeof row);
    for (i = 0; i < 3; i++) {
        node[i].name = &"amainb"[i == 0 ? 0 : i == 1 ? 5 : 1];
        node[i].name_size = i < 2 ? 1 : 4;
    }
    node[1].parent = 1;
    node[1].site = csspgo_loc_at(3, 2);
    for (i = 0; i < 20; i++) {
        row[i].address = i < 16 ? 0x401000 + 16 * i : 0x401300 + 32 * (i - 16);
        row[i].inline_node = i >= 16 ? 3 : 1 + (i / 2 & 1);
        row[i].loc = csspgo_loc_at((uint32_t)i % 5, (uint32_t)(i % 3 == 0 ? 2 * i : 0));
    }
    REQUIRE(l != NULL);
    REQUIRE(csspgo_line_table_add(l, code, m, node, 3, row, 20, NULL) == CSSPGO_OK);
    return l;
}

static void require_profile(csspgo_collector *c, csspgo_code *code, csspgo_module m, int llvm)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *other = csspgo_profile_new(NULL, NULL);
    csspgo_line_table *l = some_lines(code, m);
    csspgo_generate_options how;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    how.llvm = llvm ? 19 : 0;
    REQUIRE(p != NULL && other != NULL);
    REQUIRE(csspgo_collector_line_profile(c, l, &how, p, NULL, &e) == CSSPGO_OK);
    REQUIRE(csspgo_validate(p, &e) == CSSPGO_OK);
    REQUIRE(csspgo_collector_line_profile(c, l, &how, other, NULL, &e) == CSSPGO_OK && csspgo_node_count(other) == 0);
    csspgo_profile_free(p);
    csspgo_profile_free(other);
    csspgo_line_table_free(l);
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
    csspgo_module m;
    csspgo_code *code = some_code(&m);
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
    p = csspgo_collector_new(code, &how, &options, NULL);
    q = csspgo_collector_new(code, &how, NULL, NULL);
    REQUIRE(p != NULL && q != NULL);
    memset(&e, 0xee, sizeof e);
    if (csspgo_read_unsymbolized(p, data, size, NULL, &e) != CSSPGO_OK) {
        REQUIRE(e.status != CSSPGO_OK && e.line >= 1 && e.column >= 1);
        is_told(e.status, &e, size);
        REQUIRE(!csspgo_collector_has_contexts(p) && csspgo_collector_get_stats(p).unplaced == 0);
        require_text(p, "", 0);
    } else {
        size_t n;
        char *out = written(p, &n), *twice;
        REQUIRE(e.status == CSSPGO_OK && heap.peak <= 16 * size + (1u << 20) + 16 * n);
        REQUIRE(csspgo_read_unsymbolized(q, out, n, NULL, &e) == CSSPGO_OK);   /* we read what we write */
        REQUIRE(csspgo_collector_get_stats(q).unplaced == 0);
        require_text(q, n != 0 ? out : "", n);
        REQUIRE(csspgo_read_unsymbolized(p, data, size, NULL, NULL) == CSSPGO_OK);
        twice = written(p, &n);
        if (n != 0) {                                 /* and it adds up as the original does */
            size_t once;
            free(out);
            out = written(q, &once);
            REQUIRE(csspgo_read_unsymbolized(q, out, once, NULL, &e) == CSSPGO_OK);
        }
        require_text(q, twice, n);
        require_profile(q, code, m, size % 2 == 0);
        free(twice);
        free(out);
    }
    csspgo_collector_free(q);
    csspgo_collector_free(p);
    REQUIRE(heap.live == 0);
    csspgo_code_free(code);
    return 0;
}
