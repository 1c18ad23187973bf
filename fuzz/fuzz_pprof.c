/* fuzz_pprof.c - profiles of pprof, plain and with gzip: items do not depend on how the input is cut into pieces, they
 * make sense, and memory is bounded. CPU profiles of gperftools become such profiles, which are well formed. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define CSSPGO_PPROF_IMPLEMENTATION
#include "../examples/share/pprof.h"
#define CSSPGO_GPERFTOOLS_IMPLEMENTATION
#include "../examples/share/gperftools.h"
#include "fuzz.h"

/* A module "x" with code at 1000 to 1fff and a call of 5 bytes at each 16th address. */
static csspgo_code *some_code(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_module m;
    csspgo_segment s;
    csspgo_transfer t;
    memset(&s, 0, sizeof s);
    memset(&t, 0, sizeof t);
    s.address = 0x1000;
    s.size = 0x1000;
    s.executable = 1;
    t.size = 5;
    t.kind = CSSPGO_CALL;
    REQUIRE(code != NULL);
    m = csspgo_code_add_module(code, "x", 1, &s, 1, NULL);
    REQUIRE(csspgo_code_add_area(code, m, 0x1000, 0x1000, NULL) == CSSPGO_OK);
    for (t.address = 0x1000; t.address < 0x2000; t.address += 16)
        REQUIRE(csspgo_code_add_transfers(code, m, &t, 1, NULL) == CSSPGO_OK);
    return code;
}

/* What a sample or mapping says, as a hash. */
static uint64_t look_at(csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m, int *samples, uint64_t hash)
{
    if (item == CSSPGO_ITEM_MMAP) {
        REQUIRE(*samples == 0 && m->size != 0 && m->pid == 1 && m->build_id_size <= 20);
        hash = hash_bytes(m->path, m->path_size, hash ^ m->address);
        return hash_bytes(m->build_id_size != 0 ? (const void *)m->build_id : "", m->build_id_size, hash ^ m->size);
    }
    REQUIRE(item == CSSPGO_ITEM_SAMPLE && s->count != 0 && s->count <= INT64_MAX && s->branch_count == 0);
    REQUIRE(s->stack_count != 0 && s->stack_count <= 512 && s->pid == 1);
    *samples = 1;
    return hash_bytes(s->stack, s->stack_count * sizeof *s->stack, hash ^ s->count);
}

/* step 0: in one piece; else pieces of 1 to step bytes. Returns a hash of everything said. */
static uint64_t read_profile(const uint8_t *data, size_t size, uint64_t step, const csspgo_code *code, const char *type)
{
    counted heap;
    csspgo_options o;
    csspgo_pprof_options how;
    csspgo_pprof *d;
    csspgo_pprof_stats stats;
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_item item;
    csspgo_error e;
    uint64_t hash = 0, random = step;
    size_t at, n;
    int samples = 0;
    memset(&heap, 0, sizeof heap);
    memset(&o, 0, sizeof o);
    memset(&how, 0, sizeof how);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    o.limits.max_inflated = 1 << 16;
    how.code = code;
    how.type = type;
    how.type_size = type != NULL ? strlen(type) : 0;
    d = csspgo_pprof_new(&how, &o, NULL);
    REQUIRE(d != NULL);
    for (at = 0; at < size; at += n) {
        uint8_t *piece;
        random = hash_bytes(&at, sizeof at, random);
        n = step != 0 ? 1 + (size_t)(random % step) : size;
        if (n > size - at) n = size - at;
        piece = (uint8_t *)malloc(n);
        REQUIRE(piece != NULL);
        memcpy(piece, data + at, n);
        REQUIRE(csspgo_pprof_feed(d, piece, n, NULL) == CSSPGO_OK);
        free(piece);
    }
    csspgo_pprof_end(d);
    while ((item = csspgo_pprof_next(d, &s, &m, &e)) != CSSPGO_ITEM_NONE) hash = look_at(item, &s, &m, &samples, hash);
    stats = csspgo_pprof_get_stats(d);
    csspgo_pprof_free(d);
    REQUIRE(e.status == CSSPGO_OK || e.message[0] != '\0');
    REQUIRE(heap.live == 0 && heap.peak <= 16 * (size + (1 << 16)) + (1u << 20) + 256 * stats.mappings);
    if (size == 0 || *data != 0x1f) {
        is_told(e.status, &e, size);
        hash = hash_bytes(&e.offset, sizeof e.offset, hash ^ e.status);
    }
    return hash_bytes(&stats, sizeof stats, hash);
}

/* A CPU profile of gperftools: what it becomes is at most 4 times as large, and the parser finds nothing wrong in it. */
static void convert(const uint8_t *data, size_t size)
{
    csspgo_pprof *d;
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_error e;
    size_t made, again;
    uint8_t *to;
    csspgo_status status = csspgo_gperftools_convert(data, size, NULL, NULL, 0, &made, &e);
    is_told(status, &e, size);
    if (status != CSSPGO_OK) return;
    REQUIRE(made <= 4 * size + 1024);
    to = (uint8_t *)malloc(made);
    REQUIRE(to != NULL && csspgo_gperftools_convert(data, size, NULL, to, made - 1, &again, &e) == CSSPGO_E_RANGE);
    REQUIRE(csspgo_gperftools_convert(data, size, NULL, to, made, &again, &e) == CSSPGO_OK && again == made);
    d = csspgo_pprof_new(NULL, NULL, NULL);
    REQUIRE(d != NULL && csspgo_pprof_feed(d, to, made, NULL) == CSSPGO_OK);
    csspgo_pprof_end(d);
    while (csspgo_pprof_next(d, &s, &m, &e) != CSSPGO_ITEM_NONE) {}
    REQUIRE(e.status == CSSPGO_OK || strncmp(e.message, "the profile has no addresses", 28) == 0);
    csspgo_pprof_free(d);
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = { NULL, "cpu", "" };
    const uint64_t h = hash_bytes(data, size, 0);
    static csspgo_code *code;
    if (code == NULL) code = some_code();
    if (csspgo_is_gperftools(data, size)) convert(data, size);
    REQUIRE(read_profile(data, size, 0, h & 1 ? code : NULL, types[h >> 1 & 1]) ==
            read_profile(data, size, (h >> 16 & 15) + 1, h & 1 ? code : NULL, types[h >> 1 & 1]));
    return 0;
}
