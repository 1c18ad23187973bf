/* fuzz_binary.c - any bytes as a binary profile: what is refused leaves the profile alone, what is taken is well
 * formed, survives being written and read again, and is written the same way twice. The mutator knows section
 * tables. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"
#include "../tests/sections.h"
#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif

/* Bytes of input: those of the file, and all that its compressed sections may inflate to. */
static uint64_t input_bytes(const uint8_t *data, size_t size)
{
    uint64_t n = size;
    size_t i;
    if (size < 18 || csspgo_sniff(data, size) != CSSPGO_EXTBINARY) return n;
    for (i = 0; i < le64(data + 10) && i < (size - 18) / 32; i++) {
        const csspgo_section s = section_at(data + 18, i);
        if (s.flags & 1 && s.size < size) n += 1032 * (s.size + 1);
    }
    return n;
}

static csspgo_profile *profile(uint32_t lenient)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 64u << 20;
    o.llvm = lenient ? 19 : 0;
    return csspgo_profile_new(&o, NULL);
}

/* NULL if the form cannot carry p, or there is not the memory. */
static unsigned char *written(csspgo_profile *p, uint32_t form, size_t *n)
{
    csspgo_error e;
    unsigned char *out;
    const csspgo_status s = csspgo_write(p, form, NULL, 0, n, &e);
    REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED || s == CSSPGO_E_LIMIT || s == CSSPGO_E_NOMEM);
    if (s != CSSPGO_OK) return NULL;
    out = (unsigned char *)malloc(*n + 1);
    REQUIRE(out != NULL && csspgo_write(p, form, out, *n, n, &e) == CSSPGO_OK);
    return out;
}

/* p -> form -> q -> form: q is p unless names became GUIDs, and the second output is the first one then. */
static void round_trip(csspgo_profile *p, uint32_t form)
{
    size_t n = 0, m = 0;
    unsigned char *a = written(p, form, &n), *b;
    csspgo_profile *q = profile(0);
    csspgo_error e;
    csspgo_status s;
    if (a != NULL && q != NULL) {
        s = csspgo_read(q, a, n, &e);
        REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_LIMIT);
        if (s == CSSPGO_OK) {
            REQUIRE(csspgo_validate(q, &e) == CSSPGO_OK);
            REQUIRE(csspgo_kept_blocks(q) == (form & (CSSPGO_V105 | CSSPGO_COMPOSITE) ? csspgo_kept_blocks(p) : 0));
            b = written(q, form, &m);
            if (!((csspgo_profile_flags(q) | form) & (CSSPGO_IS_MD5 | CSSPGO_MD5 | CSSPGO_MD5_SYMBOLS)) &&
                csspgo_record_count(p) != 0) {        /* without records nothing tells that there were probes */
                REQUIRE((form & 0xff) != CSSPGO_EXTBINARY || csspgo_equal(p, q));
                REQUIRE(b == NULL || (n == m && memcmp(a, b, n) == 0));
            }
            free(b);
        }
    }
    free(a);
    csspgo_profile_free(q);
}

/* Loads the functions of p, one by one. */
static void try_lazy(const uint8_t *data, size_t size, const csspgo_profile *p)
{
    csspgo_error e;
    static const char *const names[] = { "main", "foo", "bar", "baz" };     /* where the file has GUIDs */
    csspgo_lazy *l = csspgo_lazy_open(data, size, NULL, &e);
    csspgo_func f;
    size_t n, i;
    REQUIRE((l != NULL) == (e.status == CSSPGO_OK));
    is_told(e.status, &e, size);
    for (f.id = 1; l != NULL && f.id <= csspgo_func_count(p); f.id++) {
        const char *name = csspgo_func_name(p, f, &n);
        const uint32_t had = csspgo_record_count(csspgo_lazy_profile(l));
        if (name == NULL) continue;
        if (csspgo_lazy_load(l, name, n, &e) != CSSPGO_OK) REQUIRE(csspgo_record_count(csspgo_lazy_profile(l)) == had);
        REQUIRE(csspgo_validate(csspgo_lazy_profile(l), NULL) == CSSPGO_OK);
    }
    for (i = 0; l != NULL && i < sizeof names / sizeof *names; i++) {
        const uint32_t had = csspgo_record_count(csspgo_lazy_profile(l));
        if (csspgo_lazy_load(l, names[i], strlen(names[i]), &e) != CSSPGO_OK)
            REQUIRE(csspgo_record_count(csspgo_lazy_profile(l)) == had);
        REQUIRE(csspgo_validate(csspgo_lazy_profile(l), NULL) == CSSPGO_OK);
    }
    csspgo_lazy_free(l);
}

typedef struct blocks {           /* of csspgo_list_blocks */
    uint64_t all, unknown, next, of;
} blocks;

/* Blocks of a record come in order, all of them; their record is there. */
static void block_told(void *ctx, csspgo_profile *p, const csspgo_block *b)
{
    blocks *const t = (blocks *)ctx;
    REQUIRE(csspgo_has_record(p, b->node) && (b->blocks == 0 || b->index < b->blocks));
    REQUIRE(b->index == t->next && (b->index == 0 || b->blocks == t->of));
    t->next = b->index + 1 < b->blocks ? b->index + 1 : 0;
    t->of = b->blocks;
    t->all++;
    t->unknown += b->blocks != 0 && b->type != 0;
}

/* The list of blocks ends as reading does, and has as many unknown ones. */
static void try_blocks(const uint8_t *data, size_t size, const csspgo_profile *p, csspgo_status s)
{
    csspgo_block_watch w;
    csspgo_error e;
    blocks t;
    memset(&t, 0, sizeof t);
    w.block_fn = block_told;
    w.ctx = &t;
    REQUIRE(csspgo_list_blocks(data, size, &w, NULL, &e) == s && e.status == s);
    REQUIRE(s != CSSPGO_OK || (t.unknown == csspgo_skipped_blocks(p) && t.next == 0));
}

static void try_read(const uint8_t *data, size_t size, uint32_t lenient)
{
    csspgo_profile *p;
    csspgo_options o;
    csspgo_error e;
    csspgo_status s;
    csspgo_summary sum;
    counted heap;
    uint64_t n;
    memset(&o, 0, sizeof o);
    memset(&heap, 0, sizeof heap);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &heap;
    o.llvm = !lenient ? 0 : size % 2 ? 22 : 19;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) return;
    s = csspgo_read(p, data, size, &e);
    is_told(s, &e, size);
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_profile_memory(p) == heap.live && (csspgo_skipped_blocks(p) == 0 || (s == CSSPGO_OK && o.llvm != 19)));
    REQUIRE(csspgo_kept_blocks(p) <= csspgo_skipped_blocks(p));
    n = input_bytes(data, size);                      /* a node has 3 of them at least; 4096: p itself */
    REQUIRE(heap.peak <= 16 * n + 128 * (n / 3) + (1u << 20) + 4096);
    if (!lenient) try_lazy(data, size, p);
    if (!lenient) try_blocks(data, size, p, s);
    if (s != CSSPGO_OK) {
        REQUIRE(csspgo_node_count(p) == 0 && csspgo_func_count(p) == 0 && e.message[0] != '\0');
    } else if (lenient) {
        size_t n;
        REQUIRE(csspgo_compute_summary(p, NULL, 0, &sum, NULL) == CSSPGO_OK);
        free(written(p, CSSPGO_EXTBINARY, &n));
        free(written(p, CSSPGO_TEXT, &n));
    } else {
        round_trip(p, CSSPGO_EXTBINARY);
        round_trip(p, CSSPGO_EXTBINARY | CSSPGO_SPLIT);
        round_trip(p, CSSPGO_EXTBINARY | CSSPGO_MD5);
        round_trip(p, CSSPGO_EXTBINARY | CSSPGO_COMPOSITE);
        round_trip(p, CSSPGO_EXTBINARY | CSSPGO_V105);
        free(written(p, CSSPGO_EXTBINARY | CSSPGO_NO_VTABLES, &size));
        round_trip(p, CSSPGO_EXTBINARY | CSSPGO_INDEXED | CSSPGO_MD5_SYMBOLS | (size % 2 ? CSSPGO_SPLIT : 0));
#ifdef CSSPGO_USE_ZLIB
        if (size % 8 == 0) round_trip(p, CSSPGO_EXTBINARY | CSSPGO_COMPRESS);
#endif
        round_trip(p, CSSPGO_BINARY);
    }
    csspgo_profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (csspgo_sniff(data, size) == CSSPGO_TEXT) return 0;
    try_read(data, size, 0);
    try_read(data, size, 1);
    return 0;
}

#if defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION) && !defined(__AFL_COMPILER)
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void put64(uint8_t *p, uint64_t v)
{
    size_t i;
    for (i = 0; i < 8; i++) p[i] = (uint8_t)(v >> 8 * i & 255);
}

/* Changes the content of one section of an ExtBinary file; it grows or shrinks, and the table follows. */
static size_t mutate_section(uint8_t *data, size_t size, size_t max_size, const csspgo_section *s, size_t i, size_t n,
                             uint8_t *part, size_t got)
{
    const size_t off = (size_t)s->offset, old = (size_t)s->size, tail = size - off - old;
    size_t k;
    if (size - old + got > max_size) return size;
    memmove(data + off + got, data + off + old, tail);
    memcpy(data + off, part, got);
    for (k = 0; k < n; k++) {
        const csspgo_section t = section_at(data + 18, k);
        if (k == i) put64(data + 18 + 32 * k + 24, got);
        else if (t.offset >= off + old) put64(data + 18 + 32 * k + 16, t.offset + got - old);
    }
    return size + got - old;
}

static size_t mutate_plain(uint8_t *data, size_t size, size_t max_size, const csspgo_section *s, size_t i, size_t n)
{
    const size_t old = (size_t)s->size, room = max_size - size + old < 4096 ? max_size - size + old : 4096;
    uint8_t *part = (uint8_t *)malloc(room + old + 1);
    size_t got;
    if (part == NULL) return size;
    memcpy(part, data + s->offset, old);
    got = LLVMFuzzerMutate(part, old, room > old ? room : old);
    size = mutate_section(data, size, max_size, s, i, n, part, got);
    free(part);
    return size;
}

#ifdef CSSPGO_USE_ZLIB
/* Changes what a compressed section inflates to, or compresses one that is not; *part: the new content, for free(). */
static size_t mutate_inflated(const uint8_t *data, const csspgo_section *s, uint8_t **part)
{
    enum { ROOM = 8192 };
    uint8_t *plain = (uint8_t *)malloc(ROOM), *out = (uint8_t *)malloc(ROOM + 64);
    size_t n = (size_t)s->size, k = 0;
    uLongf got = ROOM;
    uint64_t v[2];
    int i;
    REQUIRE(plain != NULL && out != NULL);
    if (s->flags & 1) {
        const uint8_t *p = data + s->offset, *end = p + n;
        size_t numbers = 0;
        while (p != end && numbers < 2) numbers += (*p++ & 128) == 0;
        if (uncompress(plain, &got, p, (uLong)(end - p)) != Z_OK) got = 0;
        n = got;
    } else {
        memcpy(plain, data + s->offset, n);
    }
    n = LLVMFuzzerMutate(plain, n, ROOM / 2);
    got = ROOM;
    if (compress2(out + 20, &got, plain, (uLong)n, 1) != Z_OK) got = 0;
    v[0] = n;
    v[1] = got;
    for (i = 0; i < 2; i++) k += put_uleb(out + k, v[i]);
    memmove(out + k, out + 20, got);
    free(plain);
    *part = out;
    return k + got;
}
#endif

/* Half of the time plain mutation, else a section's content or a field of the table. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const uint64_t odd[] = { 0, 1, 2, 3, 4, 5, 6, 32, UINT64_C(1) << 32, UINT64_C(2) << 32, UINT64_C(3) << 32,
                                    UINT64_C(16) << 32, UINT64_MAX, UINT64_C(1) << 40 };
    csspgo_section s;
    size_t n, i;
    if (seed % 2 == 0 || size < 18 || csspgo_sniff(data, size) != CSSPGO_EXTBINARY)
        return LLVMFuzzerMutate(data, size, max_size);
    n = (size_t)le64(data + 10);
    if (n == 0 || n > (size - 18) / 32) return LLVMFuzzerMutate(data, size, max_size);
    i = seed / 2 % n;
    s = section_at(data + 18, i);
    if (seed / 64 % 4 == 0) {
        put64(data + 18 + 32 * i + 8 * (seed / 256 % 4), odd[seed / 1024 % (sizeof odd / sizeof *odd)]);
        return size;
    }
    if (s.offset > size || s.size > size - s.offset || s.size > 4096) return LLVMFuzzerMutate(data, size, max_size);
#ifdef CSSPGO_USE_ZLIB
    if (seed / 128 % 4 == 0 || s.flags & 1) {
        uint8_t *part;
        const size_t got = mutate_inflated(data, &s, &part);
        const size_t grown = mutate_section(data, size, max_size, &s, i, n, part, got);
        if (grown != size || got == s.size) data[18 + 32 * i + 8] |= 1;
        free(part);
        return grown;
    }
#endif
    return mutate_plain(data, size, max_size, &s, i, n);
}
#endif
