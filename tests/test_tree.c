/* test_tree.c - the base and tree layers: names, numbers, memory; functions, nodes, counts; two profiles. */
#include "t.h"

static unsigned long long rng_state = 1;

static unsigned rnd(unsigned n)
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(rng_state >> 33) % n;
}

/* ===== base ===== */

static void statuses_have_names_and_sentences(void)
{
    T_CHECK(strcmp(csspgo_status_name(CSSPGO_OK), "OK") == 0);
    T_CHECK(strcmp(csspgo_status_name(CSSPGO_E_RANGE), "E_RANGE") == 0);
    T_CHECK(strcmp(csspgo_status_text(CSSPGO_E_NOMEM), "out of memory") == 0);
    T_CHECK(strcmp(csspgo_status_name((csspgo_status)77), "?") == 0);
    T_CHECK(strcmp(csspgo_status_text((csspgo_status)77), "?") == 0);
    T_EQ(csspgo_version(), CSSPGO_VERSION);
}

static void guids_are_the_first_half_of_md5(void)
{
    static const struct { size_t size; uint64_t guid; } x[] = {   /* around the borders of MD5's blocks */
        { 55, UINT64_C(0x2f515ce220443604) },  { 56, UINT64_C(0x8ef017bad5728a66) },
        { 57, UINT64_C(0x3d9d4a1c87373069) },  { 63, UINT64_C(0xf7a2068120cac27d) },
        { 64, UINT64_C(0xd5b292d8814fbbc1) },  { 65, UINT64_C(0x74d002230532c91b) },
        { 119, UINT64_C(0x43a4c8685f7a34ab) }, { 120, UINT64_C(0xe96d09987f6698fb) },
        { 127, UINT64_C(0xc20587a61d8cb2a0) }, { 128, UINT64_C(0x0072e86e1ab69cd6) },
        { 1000, UINT64_C(0xf6e91181d4338539) }
    };
    char text[1000];
    size_t i;
    memset(text, 'x', sizeof text);
    T_EQ(csspgo_guid("", 0), UINT64_C(0x04b2008fd98c1dd4));
    T_EQ(csspgo_guid(NULL, 0), UINT64_C(0x04b2008fd98c1dd4));
    T_EQ(csspgo_guid("abc", 3), UINT64_C(0xb04fd23c98500190));
    T_EQ(csspgo_guid("main", 4), UINT64_C(0xdb956436e78dd5fa));
    T_EQ(csspgo_guid("foo", 3), UINT64_C(6699318081062747564));
    T_EQ(csspgo_guid("_Z3fooi", 7), UINT64_C(0x110c56e259526faa));
    for (i = 0; i < sizeof x / sizeof x[0]; i++) {
        unsigned char *exact = t_copy(text, x[i].size);
        T_EQ(csspgo_guid((const char *)exact, x[i].size), x[i].guid);
        free(exact);
    }
}

static void sums_and_products_saturate(void)
{
    T_EQ(csspgo__sat_add(UINT64_MAX - 1, 1), UINT64_MAX);
    T_EQ(csspgo__sat_add(UINT64_MAX, 1), UINT64_MAX);
    T_EQ(csspgo__sat_add(3, 4), 7);
    T_EQ(csspgo__sat_mul(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1), UINT64_MAX - UINT32_MAX);
    T_EQ(csspgo__sat_mul(UINT64_C(1) << 32, UINT64_C(1) << 32), UINT64_MAX);
    T_EQ(csspgo__sat_mul(5, 0), 0);
}

static void messages_are_escaped_clipped_and_terminated(void)
{
    csspgo_error e;
    char big[500];
    size_t i;
    T_EQ(csspgo__error(&e, CSSPGO_E_SYNTAX, 7, "bad "), CSSPGO_E_SYNTAX);
    csspgo__say_bytes(&e, "a\033[2J\xff", 6);
    T_CHECK(strcmp(e.message, "bad 'a\\x1b[2J\\xff'") == 0);
    T_EQ(e.offset, 7);
    csspgo__say_u64(&e, UINT64_MAX);
    csspgo__say_hex(&e, 0xbeef);
    T_CHECK(strstr(e.message, "184467440737095516150xbeef") != NULL);
    memset(big, 'y', sizeof big);
    for (i = 0; i < 5; i++) csspgo__say_bytes(&e, big, sizeof big);
    T_EQ(strlen(e.message), sizeof e.message - 1);
    csspgo__error(&e, CSSPGO_E_SYNTAX, 0, "");
    csspgo__say_bytes(&e, big, 60);
    T_EQ(strlen(e.message), 62);
    csspgo__error(&e, CSSPGO_E_SYNTAX, 0, "");
    csspgo__say_bytes(&e, big, 61);
    T_CHECK(strlen(e.message) == 62 && strcmp(e.message + 57, "y...'") == 0);
    T_EQ(csspgo__error(NULL, CSSPGO_E_LIMIT, 0, "x"), CSSPGO_E_LIMIT);
    csspgo__say(NULL, "x");
    csspgo__error_plain(&e, CSSPGO_OK);
    T_CHECK(e.status == CSSPGO_OK && e.message[0] == '\0');
}

static void hashes_depend_on_every_byte_and_on_nothing_else(void)
{
    unsigned char text[70];
    size_t n, i;
    for (i = 0; i < sizeof text; i++) text[i] = (unsigned char)rnd(256);
    for (n = 0; n <= 64; n++) {
        unsigned char *exact = t_copy(text, n);
        const uint64_t h = csspgo__hash_bytes(exact, n, 5);
        T_EQ(csspgo__hash_bytes(text, n, 5), h);
        T_CHECK(csspgo__hash_bytes(text, n, 6) != h);
        T_CHECK(csspgo__hash_bytes(text, n + 1, 5) != h);
        for (i = 0; i < n; i++) {
            exact[i] ^= (unsigned char)(1u << rnd(8));
            T_CHECK(csspgo__hash_bytes(exact, n, 5) != h);
            exact[i] = text[i];
        }
        free(exact);
    }
}

/* ----- bytes in and out ----- */

static uint64_t leb_back(const unsigned char *p, size_t n, int is_signed, csspgo_status *status, size_t *used)
{
    unsigned char *exact = t_copy(p, n);
    csspgo__reader r;
    csspgo_error e;
    uint64_t v;
    csspgo__reader_init(&r, exact, n, &e);
    v = csspgo__leb(&r, is_signed);
    *status = r.status;
    *used = (size_t)(r.p - r.base);
    T_EQ(e.status, r.status);
    free(exact);
    return v;
}

static void leb_numbers_survive_a_round_trip(void)
{
    unsigned i, k;
    for (i = 0; i < 64 * 5; i++) {
        const uint64_t base = UINT64_C(1) << i / 5, v = base + i % 5 - 2;
        for (k = 0; k < 4; k++) {                     /* v and -v, unsigned and signed */
            const uint64_t x = k & 1 ? 0 - v : v;
            unsigned char buf[16];
            csspgo__sink s;
            csspgo_status status;
            size_t used, n;
            csspgo__sink_buffer(&s, buf, sizeof buf);
            if (k & 2) csspgo__put_sleb(&s, x);
            else csspgo__put_uleb(&s, x);
            T_EQ(leb_back(buf, (size_t)s.total, k > 1, &status, &used), x);
            T_CHECK(status == CSSPGO_OK && used == s.total && s.total <= 10);
            for (n = 0; n < s.total; n++) {
                T_EQ(leb_back(buf, n, k > 1, &status, &used), 0);
                T_EQ(status, CSSPGO_E_TRUNCATED);
            }
        }
    }
}

static void leb_takes_padding_and_rejects_more_than_64_bits(void)
{
    unsigned char b[40];
    csspgo_status status;
    size_t used;
    memset(b, 0x80, sizeof b);
    b[0] = 0x85;
    b[31] = 0;
    T_EQ(leb_back(b, sizeof b, 0, &status, &used), 5);
    T_CHECK(status == CSSPGO_OK && used == 32);
    b[31] = 0x80;
    b[32] = 0;
    leb_back(b, sizeof b, 0, &status, &used);
    T_EQ(status, CSSPGO_E_RANGE);                     /* 33 bytes */
    memset(b, 0xff, 9);
    b[9] = 1;
    T_EQ(leb_back(b, 10, 0, &status, &used), UINT64_MAX);
    b[9] = 3;
    leb_back(b, 10, 0, &status, &used);
    T_EQ(status, CSSPGO_E_RANGE);                     /* bit 64 */
    b[9] = 0x7f;
    T_EQ(leb_back(b, 10, 1, &status, &used), UINT64_MAX);
    T_EQ(status, CSSPGO_OK);
    b[9] = 0x7e;                                      /* a negative number whose bit 63 is clear */
    leb_back(b, 10, 1, &status, &used);
    T_EQ(status, CSSPGO_E_RANGE);
    memset(b, 0xff, 20);
    b[19] = 0x7f;
    T_EQ(leb_back(b, 20, 1, &status, &used), UINT64_MAX);
    T_EQ(status, CSSPGO_OK);
    b[19] = 0x3f;
    leb_back(b, 20, 1, &status, &used);
    T_EQ(status, CSSPGO_E_RANGE);
}

static void a_reader_fails_once_and_then_gives_zeros(void)
{
    static const unsigned char b[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff, 0xff, 0xff, 0x1f, 9 };
    csspgo__reader r;
    csspgo_error e;
    csspgo__reader_init(&r, b, sizeof b, &e);
    T_EQ(csspgo__u64(&r), UINT64_C(0x0807060504030201));
    T_EQ(csspgo__left(&r), 6);
    T_EQ(csspgo__uleb32(&r), 0);                      /* 2^33 - 1 */
    T_CHECK(r.status == CSSPGO_E_RANGE && e.offset == 8 && strstr(e.message, "8589934591") != NULL);
    T_EQ(csspgo__u8(&r), 0);
    T_EQ(csspgo__uleb(&r), 0);
    T_EQ(e.status, CSSPGO_E_RANGE);
    csspgo__reader_init(&r, NULL, 0, NULL);
    T_EQ(csspgo__u8(&r), 0);
    T_EQ(r.status, CSSPGO_E_TRUNCATED);
}

typedef struct collected {
    unsigned char data[400];
    size_t        size, calls;
} collected;

static csspgo_status collect(void *ctx, const unsigned char *data, size_t size)
{
    collected *c = (collected *)ctx;
    c->calls++;
    if (c->size + size > sizeof c->data) return CSSPGO_E_IO;
    memcpy(c->data + c->size, data, size);
    c->size += size;
    return CSSPGO_OK;
}

static void put_some(csspgo__sink *s)
{
    unsigned i;
    for (i = 0; i < 9; i++) {
        csspgo__put_str(s, "abc");
        csspgo__put_u64(s, 12345678901234567890u);
        csspgo__put_char(s, ' ');
        csspgo__put_hex(s, 0xfeed);
        csspgo__put_u64le(s, 0x0102030405060708u);
        csspgo__put(s, NULL, 0);
    }
}

static void a_sink_gives_the_same_bytes_through_any_buffer(void)
{
    unsigned char all[400], small[64];
    size_t cap, needed;
    csspgo__sink s;
    csspgo__sink_buffer(&s, all, sizeof all);
    put_some(&s);
    T_EQ(s.total, 9 * (3 + 20 + 1 + 4 + 8));
    for (cap = 1; cap <= sizeof small; cap++) {
        collected c;
        memset(&c, 0, sizeof c);
        csspgo__sink_buffer(&s, small, cap);
        s.flush_fn = collect;
        s.ctx = &c;
        put_some(&s);
        csspgo__sink_flush(&s);
        T_CHECK(s.status == CSSPGO_OK && c.size == s.total && memcmp(c.data, all, c.size) == 0);
    }
    for (cap = 0; cap <= sizeof all; cap += 7) {
        unsigned char *exact = (unsigned char *)malloc(cap + 1);
        csspgo_error e;
        if (exact == NULL) abort();
        csspgo__sink_buffer(&s, exact, cap);
        put_some(&s);
        T_EQ(csspgo__sink_end(&s, &needed, &e), cap < 9 * 36 ? CSSPGO_E_LIMIT : CSSPGO_OK);
        T_EQ(needed, 9 * 36);
        T_CHECK(memcmp(exact, all, cap < 9 * 36 ? cap : 9 * 36) == 0);
        free(exact);
    }
    csspgo__sink_buffer(&s, NULL, 100);
    put_some(&s);
    T_EQ(csspgo__sink_end(&s, &needed, NULL), CSSPGO_OK);
}

static void a_sink_stops_at_a_failed_flush(void)
{
    unsigned char small[8];
    csspgo__sink s;
    collected c;
    unsigned i;
    memset(&c, 0, sizeof c);
    csspgo__sink_buffer(&s, small, sizeof small);
    s.flush_fn = collect;
    s.ctx = &c;
    for (i = 0; i < 10; i++) put_some(&s);
    T_EQ(s.status, CSSPGO_E_IO);
    T_CHECK(c.calls <= sizeof c.data / sizeof small + 1);
}

/* ----- memory ----- */

static void objects_are_charged_against_their_limit(void)
{
    csspgo_options o;
    csspgo__heap h;
    void *p;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 100;
    csspgo__heap_init(&h, &o);
    p = csspgo__alloc(&h, 60);
    T_CHECK(p != NULL && h.used == 60);
    T_CHECK(csspgo__alloc(&h, 41) == NULL && h.status == CSSPGO_E_LIMIT);
    csspgo__free(&h, p, 60);
    csspgo__free(&h, NULL, 60);
    T_EQ(h.used, 0);
    T_CHECK(csspgo_profile_new(&o, NULL) == NULL);
    csspgo__heap_init(&h, NULL);
    T_CHECK(h.limits.max_bytes == UINT64_C(1) << 34 && h.limits.max_depth == 1024 && h.limits.max_name == 1u << 20);
}

static void growing_near_the_limit_stays_cheap(void)
{
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo__heap h;
    size_t cap = 0, n;
    unsigned char *v = NULL;
    o.limits.max_bytes = 100000;
    csspgo__heap_init(&h, &o);
    for (n = 0;; n++) {
        void *p = n == cap ? csspgo__grow(&h, v, n, &cap, n + 1, 1) : v;
        if (p == NULL) break;
        v = (unsigned char *)p;
        v[n] = 1;
    }
    T_CHECK(n > 40000 && heap.calls < 60);
    T_EQ(h.status, CSSPGO_E_LIMIT);
    csspgo__free(&h, v, cap);
    T_CHECK(heap.live == 0 && h.used == 0);
    cap = 0;
    T_CHECK(csspgo__grow(&h, NULL, 0, &cap, SIZE_MAX / 2, 16) == NULL && cap == 0);
}

typedef struct pair {
    uint32_t key, place;
} pair;

static int pair_cmp(const void *ctx, const void *a, const void *b)
{
    const uint32_t x = ((const pair *)a)->key, y = ((const pair *)b)->key;
    (*(size_t *)(uintptr_t)ctx)++;
    return x < y ? -1 : x > y;
}

static void sorting_is_stable_and_n_log_n(void)
{
    enum { MOST = 3000 };
    pair *v = (pair *)malloc(MOST * sizeof *v);
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo__heap h;
    size_t n, i, compares;
    unsigned round;
    if (v == NULL) abort();
    csspgo__heap_init(&h, &o);
    for (round = 0; round < 300; round++) {
        n = round < 200 ? round : rnd(MOST);
        for (i = 0; i < n; i++) {
            v[i].key = rnd(round % 3 == 0 ? 4 : 1000000);
            v[i].place = (uint32_t)i;
        }
        compares = 0;
        T_CHECK(csspgo__sort(&h, v, n, sizeof *v, pair_cmp, &compares));
        for (i = 1; i < n; i++)
            if (v[i - 1].key > v[i].key || (v[i - 1].key == v[i].key && v[i - 1].place >= v[i].place)) break;
        T_CHECK(i >= n && compares < 14 * n + 1);
        T_EQ(heap.live, 0);
    }
    heap.nth = heap.calls + 1;                        /* from here on nothing can be allocated */
    T_CHECK(csspgo__sort(&h, v, n, sizeof *v, pair_cmp, &compares));
    v[0].key = UINT32_MAX;
    T_CHECK(!csspgo__sort(&h, v, n, sizeof *v, pair_cmp, &compares) && v[0].key == UINT32_MAX);
    free(v);
}

static void a_map_finds_what_was_put_in(void)
{
    csspgo__heap h;
    csspgo__map m;
    uint32_t i, at, id;
    csspgo__heap_init(&h, NULL);
    memset(&m, 0, sizeof m);
    at = 7;
    T_EQ(csspgo__map_next(&m, 7, &at), 0);
    for (i = 1; i <= 5000; i++) {                     /* hash i / 2: two of each */
        T_CHECK(csspgo__map_reserve(&h, &m));
        csspgo__map_insert(&m, i / 2, i);
    }
    for (i = 2; i <= 5000; i++) {
        unsigned found = 0;
        at = i / 2;
        while ((id = csspgo__map_next(&m, i / 2, &at)) != 0) found += id / 2 == i / 2;
        if (found != (i == 5000 ? 1 : 2)) break;
    }
    T_EQ(i, 5001);
    T_CHECK(csspgo__map_room(&h, &m, 100000) && m.mask >= 131071);
    at = 2500;
    T_EQ(csspgo__map_next(&m, 2500, &at), 5000);
    csspgo__map_clear(&m);
    at = 2500;
    T_CHECK(csspgo__map_next(&m, 2500, &at) == 0 && m.count == 0);
    csspgo__map_free(&h, &m);
    T_EQ(h.used, 0);
    T_CHECK(!csspgo__map_room(&h, &m, SIZE_MAX) && h.status == CSSPGO_E_LIMIT);
}

static void names_keep_text_and_guid(void)
{
    csspgo__heap h;
    csspgo__names t;
    uint32_t empty, a, nul, g, h2;
    size_t n;
    unsigned i;
    csspgo__heap_init(&h, NULL);
    memset(&t, 0, sizeof t);
    T_EQ(csspgo__names_find(&h, &t, "a", 1), 0);
    empty = csspgo__names_intern(&h, &t, "", 0);
    a = csspgo__names_intern(&h, &t, "a", 1);
    nul = csspgo__names_intern(&h, &t, "a\0b", 3);
    T_CHECK(empty != 0 && a != 0 && nul != 0 && empty != a && a != nul && empty != nul);
    T_EQ(csspgo__names_intern(&h, &t, NULL, 0), empty);
    T_EQ(csspgo__names_find(&h, &t, "a\0b", 3), nul);
    T_EQ(csspgo__name_guid(&t, a), csspgo_guid("a", 1));
    g = csspgo__names_bind(&h, &t, 77, NULL, 0);
    T_EQ(csspgo__names_find_guid(&h, &t, 77), g);
    T_EQ(csspgo__name_text(&t, g, &n) != NULL ? n : n, 0);
    T_EQ(csspgo__names_bind(&h, &t, 77, "late", 4), g);
    T_CHECK(memcmp(csspgo__name_text(&t, g, &n), "late", 4) == 0 && n == 4);
    T_EQ(csspgo__names_bind(&h, &t, 77, "other", 5), g);   /* the first text stays */
    T_CHECK(memcmp(csspgo__name_text(&t, g, &n), "late", 4) == 0 && n == 4);
    h2 = csspgo__names_bind(&h, &t, 0, NULL, 0);
    T_CHECK(h2 != 0 && csspgo__names_find_guid(&h, &t, 0) == h2);
    T_CHECK(csspgo__name_cmp(&t, h2, empty) < 0 && csspgo__name_cmp(&t, empty, h2) > 0);   /* numbers before strings */
    T_CHECK(csspgo__name_cmp(&t, empty, a) < 0 && csspgo__name_cmp(&t, a, nul) < 0 && csspgo__name_cmp(&t, a, a) == 0);
    for (i = 0; i < 3000; i++) {
        char name[16];
        const int size = sprintf(name, "f%u", i);
        if (csspgo__names_intern(&h, &t, name, (size_t)size) != i + 6) break;
    }
    T_EQ(i, 3000);
    T_EQ(csspgo__names_find(&h, &t, "f2999", 5), 3005);
    csspgo__names_free(&h, &t);
    T_EQ(h.used, 0);
}

#ifndef CSSPGO_NO_STDIO
static void files_are_read_whole(void)
{
    static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 200000 };
    const char *path = "build/test_tree.tmp";
    unsigned char *big = (unsigned char *)calloc(1, 200000), *data;
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo__heap h;
    csspgo_error e;
    size_t i, size, cap;
    if (big == NULL) abort();
    csspgo__heap_init(&h, &o);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        FILE *f = fopen(path, "wb");
        if (f == NULL) break;
        big[0] = (unsigned char)i;
        T_EQ(fwrite(big, 1, sizes[i], f), sizes[i]);
        fclose(f);
        T_EQ(csspgo__file_read(&h, path, &data, &size, &cap, &e), CSSPGO_OK);
        T_CHECK(cap <= size + 4096 && t_same(path, data, size, big, sizes[i]));
        csspgo__free(&h, data, cap);
        T_EQ(heap.live, 0);
    }
    T_EQ(i, 6);
    data = (unsigned char *)t_file(path, &size);
    T_EQ(size, 200000);
    free(data);
    o.limits.max_bytes = 100000;
    csspgo__heap_init(&h, &o);
    T_EQ(csspgo__file_read(&h, path, &data, &size, &cap, &e), CSSPGO_E_LIMIT);
    T_EQ(heap.live, 0);
    remove(path);
    T_EQ(csspgo__file_read(&h, path, &data, &size, &cap, &e), CSSPGO_E_IO);
    T_CHECK(strstr(e.message, "test_tree.tmp") != NULL);
    T_EQ(csspgo__file_read(&h, "data", &data, &size, &cap, &e), CSSPGO_E_IO);
    T_EQ(heap.live, 0);
    free(big);
}
#endif

/* ===== tree ===== */

static csspgo_func func(csspgo_profile *p, const char *name)
{
    return csspgo_func_add(p, name, strlen(name));
}

static csspgo_node node(csspgo_profile *p, csspgo_node parent, uint32_t line, uint32_t disc, csspgo_node_kind kind,
                        const char *name)
{
    return csspgo_node_add(p, parent, csspgo_at(line, disc), kind, func(p, name));
}

static void functions_are_found_by_name(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_func a = func(p, "a"), b = csspgo_func_add(p, "a\nb", 3), g = csspgo_func_add_guid(p, 99);
    size_t n;
    T_CHECK(a.id == 1 && b.id == 2 && g.id == 3 && func(p, "a").id == 1 && csspgo_func_add_guid(p, 99).id == 3);
    T_EQ(csspgo_func_count(p), 3);
    T_EQ(csspgo_func_find(p, "b", 1).id, 0);
    T_EQ(csspgo_func_find(p, "a\nb", 3).id, 2);
    T_CHECK(memcmp(csspgo_func_name(p, b, &n), "a\nb", 3) == 0 && n == 3);
    T_CHECK(csspgo_func_name(p, g, &n) == NULL && n == 0);
    T_EQ(csspgo_func_guid(p, g), 99);
    T_EQ(csspgo_func_guid(p, a), csspgo_guid("a", 1));
    {
        csspgo_func bad;
        bad.id = 4;
        T_CHECK(csspgo_func_name(p, bad, &n) == NULL && csspgo_func_guid(p, bad) == 0 &&
                csspgo_func_nodes(p, bad).id == 0);
        bad.id = 0;
        T_CHECK(csspgo_func_name(p, bad, &n) == NULL && csspgo_func_nodes(p, bad).id == 0);
    }
    csspgo_profile_free(p);
    csspgo_profile_free(NULL);
}

static void names_longer_than_the_limit_are_refused(void)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    o.limits.max_name = 3;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    T_EQ(csspgo_func_add(p, "abc", 3).id, 1);
    T_EQ(csspgo_func_add(p, "abcd", 4).id, 0);
    T_EQ(csspgo_func_count(p), 1);
    csspgo_profile_free(p);
}

static void nodes_hang_where_they_may(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node root = csspgo_root(p);
    const csspgo_node plain = node(p, root, 0, 0, CSSPGO_PLAIN, "f"), base = node(p, root, 0, 0, CSSPGO_CONTEXT, "f");
    const csspgo_node ctx = node(p, base, 3, 1, CSSPGO_CONTEXT, "g"), in = node(p, plain, 3, 1, CSSPGO_INLINEE, "g");
    const csspgo_node deep = node(p, in, 65535, UINT32_MAX, CSSPGO_INLINEE, "f");
    csspgo_node bad;
    csspgo_func none;
    T_CHECK(plain.id != 0 && base.id != 0 && plain.id != base.id && ctx.id != 0 && in.id != 0 && deep.id != 0);
    T_EQ(node(p, root, 0, 0, CSSPGO_INLINEE, "f").id, 0);
    T_EQ(node(p, root, 1, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, root, 0, 1, CSSPGO_PLAIN, "f").id, 0);
    T_EQ(node(p, plain, 1, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, plain, 1, 0, CSSPGO_PLAIN, "f").id, 0);
    T_EQ(node(p, in, 1, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, base, 65536, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, base, 9, 0, CSSPGO_TWIN, "f").id, 0);          /* lenient only */
    T_CHECK(node(p, base, 1, 0, CSSPGO_INLINEE, "f").id != 0);
    bad.id = 1000;
    none.id = 0;
    T_EQ(node(p, bad, 0, 0, CSSPGO_PLAIN, "f").id, 0);
    bad.id = 0;
    T_EQ(node(p, bad, 0, 0, CSSPGO_PLAIN, "f").id, 0);
    T_EQ(csspgo_node_add(p, root, csspgo_at(0, 0), CSSPGO_PLAIN, none).id, 0);
    none.id = 77;
    T_EQ(csspgo_node_add(p, root, csspgo_at(0, 0), CSSPGO_PLAIN, none).id, 0);
    T_EQ(node(p, base, 3, 1, CSSPGO_CONTEXT, "g").id, ctx.id);
    T_EQ(csspgo_child(p, base, csspgo_at(3, 1), CSSPGO_CONTEXT, func(p, "g")).id, ctx.id);
    T_EQ(csspgo_child(p, base, csspgo_at(3, 1), CSSPGO_INLINEE, func(p, "g")).id, 0);
    T_EQ(csspgo_child(p, base, csspgo_at(3, 2), CSSPGO_CONTEXT, func(p, "g")).id, 0);
    T_EQ(csspgo_child(p, base, csspgo_at(65539, 1), CSSPGO_CONTEXT, func(p, "g")).id, 0);
    T_CHECK(csspgo_node_parent(p, ctx).id == base.id && csspgo_node_parent(p, base).id == 1 &&
            csspgo_node_parent(p, root).id == 0);
    T_CHECK(csspgo_node_loc(p, deep).line == 65535 && csspgo_node_loc(p, deep).discriminator == UINT32_MAX);
    T_CHECK(csspgo_node_kind_of(p, deep) == CSSPGO_INLINEE && csspgo_node_kind_of(p, ctx) == CSSPGO_CONTEXT);
    T_EQ(csspgo_node_func(p, deep).id, func(p, "f").id);
    T_EQ(csspgo_node_count(p), 6);
    T_EQ(csspgo_record_count(p), 0);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

static void chains_lead_to_every_node(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node f = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    csspgo_node n;
    unsigned i, seen = 0;
    for (i = 0; i < 100; i++) {
        char name[8];
        sprintf(name, "g%u", i % 7);
        node(p, f, i, 0, CSSPGO_INLINEE, name);
    }
    for (n = csspgo_node_first_child(p, f); n.id != 0; n = csspgo_node_next_sibling(p, n)) seen++;
    T_EQ(seen, 100);
    seen = 0;
    for (n = csspgo_func_nodes(p, func(p, "g3")); n.id != 0; n = csspgo_node_next_same(p, n))
        T_EQ(csspgo_node_loc(p, n).line, 3 + 7 * seen++);       /* in the order in which they were made */
    T_EQ(seen, 14);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

static void contexts_are_found_by_their_text(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node root = csspgo_root(p);
    const csspgo_node m = node(p, root, 0, 0, CSSPGO_CONTEXT, "main"), b = node(p, m, 12, 0, CSSPGO_CONTEXT, "bar");
    const csspgo_node foo = node(p, b, 3, 1, CSSPGO_CONTEXT, "foo"),
                      plain = node(p, root, 0, 0, CSSPGO_PLAIN, "ns::f(int)");
    const csspgo_node in = node(p, plain, 2, 0, CSSPGO_INLINEE, "a @b"),
                      odd = node(p, root, 0, 0, CSSPGO_PLAIN, "x:1.2.3");
    T_EQ(csspgo_find(p, "main").id, m.id);
    T_EQ(csspgo_find(p, "[main]").id, m.id);
    T_EQ(csspgo_find(p, "main:12 @ bar").id, b.id);
    T_EQ(csspgo_find(p, "[main:12 @ bar:3.1 @ foo]").id, foo.id);
    T_EQ(csspgo_find(p, "main:12 @ bar:3.1 @ foo:7").id, foo.id);   /* a location of the leaf is not looked at */
    T_EQ(csspgo_find(p, "ns::f(int)").id, plain.id);
    T_EQ(csspgo_find(p, "ns::f(int):2 @ a @b").id, in.id);
    T_EQ(csspgo_find(p, "x:1.2.3").id, odd.id);
    T_EQ(csspgo_find(p, "main:13 @ bar").id, 0);
    T_EQ(csspgo_find(p, "main:12 @ bar:3 @ foo").id, 0);
    T_EQ(csspgo_find(p, "main:12 @ ").id, 0);
    T_EQ(csspgo_find(p, "").id, 0);
    T_EQ(csspgo_find(p, "nobody:1 @ main").id, 0);
    T_EQ(csspgo_find(p, "main:65548 @ bar").id, 0);                 /* 65548 = 12 mod 2^16 */
    csspgo_profile_free(p);
}

static void counts_add_up_as_in_a_plain_table(void)
{
    enum { LINES = 40, FUNCS = 5, NODES = 4 };
    static uint64_t body[NODES][LINES], target[NODES][LINES][FUNCS];
    static unsigned char has[NODES][LINES], hast[NODES][LINES][FUNCS];
    csspgo_profile *p = t_profile(0);
    csspgo_node n[NODES];
    csspgo_func f[FUNCS];
    unsigned i, k, l, nb, nt;
    for (i = 0; i < FUNCS; i++) {
        char name[8];
        sprintf(name, "f%u", i);
        f[i] = func(p, name);
        if (i < NODES) n[i] = csspgo_node_add(p, csspgo_root(p), csspgo_at(0, 0), CSSPGO_PLAIN, f[i]);
    }
    for (i = 0; i < 4000; i++) {                      /* many records grow at once: runs move */
        const unsigned a = rnd(NODES), line = rnd(LINES), t = rnd(FUNCS), c = rnd(3) * rnd(1000);
        const csspgo_loc loc = csspgo_at(line / 2, line % 2);
        if (rnd(2)) {
            T_EQ(csspgo_add_body(p, n[a], loc, c), CSSPGO_OK);
            body[a][line] += c;
        } else {
            T_EQ(csspgo_add_target(p, n[a], loc, f[t], c), CSSPGO_OK);
            target[a][line][t] += c;
            hast[a][line][t] = 1;
        }
        has[a][line] = 1;
    }
    T_CHECK(t_valid(p));
    for (i = 0; i < NODES; i++) {
        size_t bodies, targets;
        const csspgo_body *b = csspgo_bodies(p, n[i], &bodies);
        const csspgo_target *t = csspgo_targets(p, n[i], &targets);
        for (l = nb = nt = 0; l < LINES; l++) {
            const csspgo_loc loc = csspgo_at(l / 2, l % 2);
            T_EQ(csspgo_body_count(p, n[i], loc), body[i][l]);
            if (has[i][l])
                T_CHECK(b[nb].loc.line == l / 2 && b[nb].loc.discriminator == l % 2 && b[nb].count == body[i][l]);
            nb += has[i][l];
            for (k = 0; k < FUNCS; k++) {
                T_EQ(csspgo_target_count(p, n[i], loc, f[k]), target[i][l][k]);
                if (hast[i][l][k])
                    T_CHECK(t[nt].func.id == f[k].id && t[nt].count == target[i][l][k] && t[nt].reserved == 0);
                nt += hast[i][l][k];
            }
        }
        T_CHECK(nb == bodies && nt == targets);
        for (l = 0; l < LINES; l++) {
            size_t here;
            t = csspgo_targets_at(p, n[i], csspgo_at(l / 2, l % 2), &here);
            for (k = nt = 0; k < FUNCS; k++) nt += hast[i][l][k];
            T_CHECK(here == nt && (t != NULL) == (nt != 0) && (t == NULL || t[here - 1].loc.line == l / 2));
        }
    }
    csspgo_profile_free(p);
}

static void counts_saturate_and_zero_makes_an_entry(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    const csspgo_func g = func(p, "g");
    csspgo_node bad;
    csspgo_func none;
    size_t count;
    T_CHECK(!csspgo_has_record(p, n) && csspgo_bodies(p, n, &count) == NULL && count == 0);
    T_CHECK(csspgo_targets_at(p, n, csspgo_at(1, 0), &count) == NULL && count == 0);
    T_EQ(csspgo_add_body(p, n, csspgo_at(1, 0), 0), CSSPGO_OK);
    T_CHECK(csspgo_has_record(p, n) && csspgo_bodies(p, n, &count) != NULL && count == 1);
    T_EQ(csspgo_add_target(p, n, csspgo_at(2, 0), g, 0), CSSPGO_OK);
    T_CHECK(csspgo_targets(p, n, &count) != NULL && count == 1);
    csspgo_bodies(p, n, &count);
    T_EQ(count, 2);                                   /* a target makes the body entry */
    T_EQ(csspgo_add_body(p, n, csspgo_at(1, 0), UINT64_MAX), CSSPGO_OK);
    T_EQ(csspgo_add_body(p, n, csspgo_at(1, 0), 5), CSSPGO_OK);
    T_EQ(csspgo_body_count(p, n, csspgo_at(1, 0)), UINT64_MAX);
    csspgo_add_total(p, n, UINT64_MAX - 1);
    csspgo_add_total(p, n, 2);
    csspgo_add_head(p, n, 7);
    T_CHECK(csspgo_total(p, n) == UINT64_MAX && csspgo_head(p, n) == 7);
    T_EQ(csspgo_set_checksum(p, n, 3), CSSPGO_OK);
    T_EQ(csspgo_set_attributes(p, n, CSSPGO_WAS_INLINED), CSSPGO_OK);
    T_CHECK(csspgo_checksum(p, n) == 3 && csspgo_attributes(p, n) == 1);
    bad.id = 1;
    none.id = 0;
    T_EQ(csspgo_add_total(p, bad, 1), CSSPGO_E_ARGUMENT);
    bad.id = 0;
    T_EQ(csspgo_add_head(p, bad, 1), CSSPGO_E_ARGUMENT);
    bad.id = 3;
    T_EQ(csspgo_add_body(p, bad, csspgo_at(1, 0), 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_body(p, n, csspgo_at(65536, 0), 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_target(p, n, csspgo_at(1, 0), none, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_total(p, bad) + csspgo_head(p, bad) + csspgo_checksum(p, bad) + csspgo_attributes(p, bad), 0);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

static void the_caller_of_a_nested_record_has_one(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node f = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f"), g = node(p, f, 1, 0, CSSPGO_INLINEE, "g");
    const csspgo_node h = node(p, g, 1, 0, CSSPGO_INLINEE, "h");
    T_EQ(csspgo_add_body(p, h, csspgo_at(1, 0), 5), CSSPGO_OK);
    T_CHECK(csspgo_has_record(p, f) && csspgo_has_record(p, g) && csspgo_record_count(p) == 3);
    T_EQ(csspgo_total(p, f) + csspgo_total(p, g), 0);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

/* Puts the same n counts into a record in any order: by csspgo__body_append and csspgo__settle, and by csspgo_add_*. */
static void appending_in_any_order_settles_to_the_same(void)
{
    unsigned round;
    for (round = 0; round < 60; round++) {
        csspgo_profile *p = t_profile(0), *q = t_profile(0);
        const csspgo_node a = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
        const csspgo_node b = node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "f");
        const csspgo_func g = func(p, "g"), h = func(p, "h");
        csspgo__record *r = csspgo__record_make(p, a.id);
        csspgo_target clamped;
        unsigned i, n = rnd(300);
        func(q, "g");
        func(q, "h");
        if (r == NULL) abort();
        for (i = 0; i < n; i++) {
            const csspgo_loc loc = csspgo_at(round % 2 ? i : rnd(100), rnd(2));
            const csspgo_func t = rnd(2) ? g : h;
            const unsigned c = rnd(9);
            T_EQ(csspgo__body_append(p, r, loc, c), 0);
            csspgo_add_body(q, b, loc, c);
            if (rnd(3)) continue;
            T_EQ(csspgo__target_append(p, r, loc, t.id, c), 0);
            csspgo_add_target(q, b, loc, t, c);
        }
        T_EQ(csspgo__settle(p, r, &clamped), 0);
        csspgo_add_total(q, b, 0);
        T_CHECK(t_valid(p) && csspgo_equal(p, q));
        csspgo_profile_free(p);
        csspgo_profile_free(q);
    }
}

static void settling_tells_which_sum_was_clamped(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node a = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    csspgo__record *r = csspgo__record_make(p, a.id);
    csspgo_target clamped;
    uint32_t i;
    if (r == NULL) abort();
    for (i = 0; i < 100; i++) csspgo__body_append(p, r, csspgo_at(100 - i, 0), UINT64_MAX);
    T_EQ(csspgo__settle(p, r, &clamped), 0);
    for (i = 0; i < 100; i++) csspgo__target_append(p, r, csspgo_at(100 - i, 0), 1, UINT64_MAX);
    csspgo__target_append(p, r, csspgo_at(70, 0), 1, 1);
    T_EQ(csspgo__settle(p, r, &clamped), 1);
    T_CHECK(clamped.loc.line == 70 && clamped.func.id == 1 && t_valid(p));
    csspgo__body_append(p, r, csspgo_at(1, 0), 0);    /* dirty from the start: 100 entries, out of order */
    csspgo__body_append(p, r, csspgo_at(33, 0), 1);
    T_EQ(csspgo__settle(p, r, &clamped), 1);
    T_CHECK(clamped.loc.line == 33 && clamped.func.id == 0 && t_valid(p));
    csspgo_profile_free(p);
}

static void vtable_counts_add_up_beside_the_body(void)
{
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    const csspgo_node a = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    const csspgo_func t = func(p, "T"), u = func(p, "U");
    const csspgo_target *v;
    csspgo_func none;
    csspgo_node bad;
    size_t n;
    T_CHECK(csspgo_vtables(p, a, &n) == NULL && n == 0);
    T_EQ(csspgo_add_vtable(p, a, csspgo_at(4, 1), u, 1), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(p, a, csspgo_at(4, 1), t, UINT64_MAX), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(p, a, csspgo_at(4, 1), t, 1), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(p, a, csspgo_at(2, 0), u, 0), CSSPGO_OK);
    v = csspgo_vtables(p, a, &n);
    T_CHECK(n == 3 && v[0].loc.line == 2 && v[0].count == 0 && v[1].func.id == t.id && v[1].count == UINT64_MAX);
    csspgo_bodies(p, a, &n);
    T_EQ(n, 0);
    none.id = 0;
    bad.id = 9;
    T_EQ(csspgo_add_vtable(p, a, csspgo_at(1, 0), none, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_vtable(p, bad, csspgo_at(1, 0), t, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_vtable(p, a, csspgo_at(65536, 0), t, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_set_checksum(p, a, 5), CSSPGO_OK);
    T_EQ(csspgo_set_checksum(q, node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "f"), 4), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(q, csspgo_find(q, "f"), csspgo_at(7, 0), func(q, "V"), 3), CSSPGO_OK);
    T_EQ(csspgo_add_profile(q, p), CSSPGO_OK);        /* the larger checksum wins, with its vtables */
    T_CHECK(t_valid(q) && csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void handles_out_of_range_read_as_nothing(void)
{
    csspgo_profile *p = t_profile(0);
    csspgo_node bad;
    bad.id = 12345;
    T_EQ(csspgo_node_parent(p, bad).id + csspgo_node_first_child(p, bad).id + csspgo_node_next_sibling(p, bad).id, 0);
    T_EQ(csspgo_node_func(p, bad).id + csspgo_node_next_same(p, bad).id, 0);
    T_CHECK(!csspgo_has_record(p, bad));
    csspgo_profile_free(p);
}

/* ----- two profiles ----- */

/* A random profile of a few names, so that two of them meet. checksums: records may disagree on them. */
static csspgo_profile *some_profile(unsigned size, int cs, int checksums, t_heap *heap)
{
    csspgo_options o;
    csspgo_profile *p;
    unsigned i;
    memset(&o, 0, sizeof o);
    if (heap != NULL) o = t_options(heap, 0);
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    csspgo_set_profile_flags(p, cs ? CSSPGO_IS_CS : 0);
    for (i = 0; i < size; i++) {
        csspgo_node n = csspgo_root(p);
        unsigned depth = 1 + rnd(4), d;
        for (d = 0; d < depth; d++) {
            char name[16];
            sprintf(name, "%c%u", 'a' + (char)rnd(2), rnd(3));
            n = node(p, n, d == 0 ? 0 : rnd(3), d == 0 ? 0 : rnd(2),
                     cs ? CSSPGO_CONTEXT : d == 0 ? CSSPGO_PLAIN : CSSPGO_INLINEE, name);
        }
        switch (rnd(7)) {
        case 0: csspgo_add_total(p, n, rnd(100)); break;
        case 1: csspgo_add_head(p, n, rnd(10) == 0 ? UINT64_MAX : rnd(100)); break;
        case 2: csspgo_add_body(p, n, csspgo_at(rnd(9), rnd(2)), rnd(10) == 0 ? UINT64_MAX - 1 : rnd(100)); break;
        case 3: csspgo_add_target(p, n, csspgo_at(rnd(9), rnd(2)), csspgo_node_func(p, n), rnd(100)); break;
        case 4: csspgo_set_attributes(p, n, 1u << rnd(3)); break;
        case 5: csspgo_set_checksum(p, n, checksums ? rnd(3) : 7); break;
        case 6: csspgo_add_vtable(p, n, csspgo_at(rnd(9), rnd(2)), func(p, rnd(2) ? "T1" : "T2"), rnd(100)); break;
        }
    }
    return p;
}

static csspgo_profile *sum(const csspgo_profile *a, const csspgo_profile *b)
{
    csspgo_profile *p = t_profile(0);
    T_EQ(csspgo_add_profile(p, a), CSSPGO_OK);
    T_EQ(csspgo_add_profile(p, b), CSSPGO_OK);
    T_CHECK(t_valid(p));
    return p;
}

static void adding_commutes_and_associates(void)
{
    unsigned round;
    for (round = 0; round < 400; round++) {
        const int cs = round % 2 != 0, checksums = round % 4 < 2;
        csspgo_profile *a = some_profile(rnd(40), cs, checksums, NULL), *b = some_profile(rnd(40), cs, checksums, NULL);
        csspgo_profile *c = some_profile(rnd(40), cs, checksums, NULL);
        csspgo_profile *ab = sum(a, b), *ba = sum(b, a), *bc = sum(b, c), *ab_c = sum(ab, c), *a_bc = sum(a, bc);
        T_CHECK(csspgo_equal(ab, ba) && csspgo_equal(ba, ab));
        T_CHECK(csspgo_equal(ab_c, a_bc) && csspgo_equal(a_bc, ab_c));
        csspgo_profile_free(a);
        csspgo_profile_free(b);
        csspgo_profile_free(c);
        csspgo_profile_free(ab);
        csspgo_profile_free(ba);
        csspgo_profile_free(bc);
        csspgo_profile_free(ab_c);
        csspgo_profile_free(a_bc);
    }
}

static void adding_to_nothing_copies_and_to_itself_doubles(void)
{
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f"), g = node(p, n, 4, 0, CSSPGO_INLINEE, "g");
    csspgo_add_body(p, n, csspgo_at(1, 0), 10);
    csspgo_add_target(p, g, csspgo_at(2, 0), func(p, "x"), 6);
    csspgo_set_checksum(p, n, 5);
    csspgo_set_profile_flags(p, CSSPGO_IS_PROBE);
    node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "no record");
    T_EQ(csspgo_add_profile(q, p), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q) && csspgo_node_count(q) == 3 && csspgo_profile_flags(q) == CSSPGO_IS_PROBE);
    T_EQ(csspgo_add_profile(p, p), CSSPGO_OK);
    T_CHECK(csspgo_body_count(p, n, csspgo_at(1, 0)) == 20 &&
            csspgo_target_count(p, g, csspgo_at(2, 0), func(p, "x")) == 12);
    T_CHECK(csspgo_checksum(p, n) == 5 && t_valid(p) && !csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

/* f with a checksum and a count, and an inlinee of its own. */
static csspgo_profile *stamped(uint64_t checksum, uint64_t count, const char *inlinee)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    csspgo_set_profile_flags(p, CSSPGO_IS_PROBE);
    csspgo_set_checksum(p, n, checksum);
    csspgo_add_total(p, n, count);
    if (count != 0) csspgo_add_body(p, n, csspgo_at(1, 0), count);
    if (inlinee != NULL) csspgo_add_total(p, node(p, n, 2, 0, CSSPGO_INLINEE, inlinee), count);
    return p;
}

static void the_larger_checksum_wins_with_all_that_is_nested(void)
{
    csspgo_profile *small = stamped(3, 7, "old"), *large = stamped(5, 0, NULL), *new_ = stamped(5, 2, "new"), *p, *q;
    csspgo_node n;
    p = sum(small, large);                            /* even if it has no counts */
    q = sum(large, small);
    n = csspgo_find(p, "f");
    T_CHECK(csspgo_equal(p, q) && csspgo_checksum(p, n) == 5 && csspgo_total(p, n) == 0);
    T_EQ(csspgo_body_count(p, n, csspgo_at(1, 0)), 0);
    T_CHECK(!csspgo_has_record(p, csspgo_find(p, "f:2 @ old")) && csspgo_record_count(p) == 1);
    T_EQ(p->dropped_by_checksum, 7);
    T_EQ(q->dropped_by_checksum, 7);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    p = sum(small, new_);
    q = sum(new_, small);
    T_CHECK(csspgo_equal(p, q) && csspgo_record_count(p) == 2 && csspgo_total(p, csspgo_find(p, "f:2 @ new")) == 2);
    T_EQ(csspgo_find(q, "f:2 @ old").id, 0);          /* what loses at once is not even made */
    T_EQ(csspgo_add_profile(p, small), CSSPGO_OK);    /* lost again */
    T_EQ(p->dropped_by_checksum, 14);
    T_EQ(csspgo_add_profile(p, new_), CSSPGO_OK);
    T_EQ(csspgo_total(p, csspgo_find(p, "f:2 @ new")), 4);
    T_CHECK(t_valid(p) && t_valid(q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(small);
    csspgo_profile_free(large);
    csspgo_profile_free(new_);
}

static void profiles_of_different_kinds_do_not_mix(void)
{
    csspgo_profile *cs = some_profile(20, 1, 0, NULL), *plain = some_profile(20, 0, 0, NULL), *empty = t_profile(0);
    csspgo_profile *probe = some_profile(20, 0, 0, NULL), *before = t_profile(0), *lenient = t_profile(1);
    csspgo_set_profile_flags(probe, CSSPGO_IS_PROBE);
    T_EQ(csspgo_add_profile(before, cs), CSSPGO_OK);
    T_EQ(csspgo_add_profile(cs, plain), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_profile(plain, cs), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_profile(plain, probe), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_profile(cs, empty), CSSPGO_OK);
    T_CHECK(csspgo_equal(cs, before));
    T_EQ(csspgo_add_profile(lenient, cs), CSSPGO_OK);
    T_EQ(csspgo_add_profile(lenient, plain), CSSPGO_OK);
    T_CHECK(t_valid(lenient));
    csspgo_profile_free(cs);
    csspgo_profile_free(plain);
    csspgo_profile_free(empty);
    csspgo_profile_free(probe);
    csspgo_profile_free(before);
    csspgo_profile_free(lenient);
}

/* All that csspgo_equal does not see. */
static int same_numbers(const csspgo_profile *a, const csspgo_profile *b)
{
    return a->names.count == b->names.count && a->names.text_size == b->names.text_size &&
           a->tree.count == b->tree.count && a->records == b->records && a->dead == b->dead &&
           a->body.count == b->body.count && a->target.count == b->target.count &&
           a->vtable.count == b->vtable.count && a->sides == b->sides &&
           a->dropped_by_checksum == b->dropped_by_checksum;
}

static void adding_that_fails_changes_nothing(void)
{
    unsigned round;
    for (round = 0; round < 20; round++) {
        const unsigned long long seed = rng_state;
        csspgo_profile *q = some_profile(60, round % 2 != 0, 1, NULL), *before, *p;
        const unsigned long long seed2 = rng_state;
        t_heap heap;
        long nth;
        before = some_profile(60, round % 2 != 0, 1, NULL);
        for (nth = 1;; nth++) {
            csspgo_status s;
            rng_state = seed2;
            p = some_profile(60, round % 2 != 0, 1, &heap);
            T_CHECK(csspgo_equal(p, before) && same_numbers(p, before));
            heap.nth = heap.calls + nth;
            s = csspgo_add_profile(p, q);
            T_CHECK(t_valid(p));
            if (s == CSSPGO_E_NOMEM) T_CHECK(csspgo_equal(p, before) && same_numbers(p, before));
            csspgo_profile_free(p);
            T_EQ(heap.live, 0);
            if (s != CSSPGO_E_NOMEM) break;
        }
        T_CHECK(nth > 2);
        csspgo_profile_free(q);
        csspgo_profile_free(before);
        rng_state = seed + 12345 * (round + 1);
    }
}

static void adding_respects_the_limits(void)
{
    csspgo_options o;
    csspgo_profile *p, *q = t_profile(0), *empty = t_profile(0);
    unsigned i;
    memset(&o, 0, sizeof o);
    o.limits.max_name = 4;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    csspgo_add_total(q, node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "12345"), 1);
    T_EQ(csspgo_add_profile(p, q), CSSPGO_E_LIMIT);
    T_CHECK(csspgo_equal(p, empty) && same_numbers(p, empty));
    csspgo_profile_free(p);
    o.limits.max_name = 0;
    o.limits.max_bytes = 20000;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    for (i = 0; i < 3000; i++) csspgo_add_body(q, csspgo_find(q, "12345"), csspgo_at(i, 0), 1);
    T_EQ(csspgo_add_profile(p, q), CSSPGO_E_LIMIT);
    T_CHECK(csspgo_equal(p, empty) && same_numbers(p, empty) && t_valid(p));
    T_CHECK(csspgo_profile_memory(p) <= 20000);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(empty);
}

static void adding_large_records_is_not_quadratic(void)
{
    enum { N = 100000 };
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    csspgo_profile *side[2];
    unsigned i, k;
    side[0] = p;
    side[1] = q;
    for (k = 0; k < 2; k++) {                         /* even entries here, odd ones there */
        const csspgo_node n = node(side[k], csspgo_root(side[k]), 0, 0, CSSPGO_PLAIN, "f");
        for (i = 0; i < N; i++) csspgo_add_body(side[k], n, csspgo_at(i >> 4, (i & 15) * 2 + k), 1);
    }
    T_EQ(csspgo_add_profile(p, q), CSSPGO_OK);        /* by insertion: 40 GB moved */
    T_CHECK(t_valid(p) && csspgo_body_count(p, csspgo_find(p, "f"), csspgo_at(5000, 3)) == 1);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void many_small_additions_do_not_pile_up(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    unsigned i;
    csspgo_add_body(p, node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "g"), csspgo_at(0, 0), 1);
    for (i = 0; i < 1000; i++) csspgo_add_body(p, n, csspgo_at(i, 0), 1);
    for (i = 0; i < 2000; i++) {
        csspgo_profile *q = t_profile(0);
        csspgo_add_body(q, node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "f"), csspgo_at(i, 1), 1);
        T_EQ(csspgo_add_profile(p, q), CSSPGO_OK);
        csspgo_profile_free(q);
    }
    T_CHECK(t_valid(p) && csspgo_profile_memory(p) < 16 * 3000 * 7);
    csspgo_profile_free(p);
}

static void equality_sees_every_difference(void)
{
    csspgo_profile *a = stamped(5, 2, "in"), *b;
    unsigned i;
    for (i = 0; i < 13; i++) {
        csspgo_node n;
        b = stamped(5, 2, "in");
        n = csspgo_find(b, "f");
        T_CHECK(csspgo_equal(a, b));
        switch (i) {
        case 0: csspgo_add_total(b, n, 1); break;
        case 1: csspgo_add_head(b, n, 1); break;
        case 2: csspgo_add_body(b, n, csspgo_at(1, 0), 1); break;
        case 3: csspgo_add_body(b, n, csspgo_at(9, 0), 0); break;
        case 4: csspgo_add_target(b, n, csspgo_at(1, 0), func(b, "x"), 0); break;
        case 5: csspgo_set_checksum(b, n, 6); break;
        case 6: csspgo_set_attributes(b, n, 1); break;
        case 7: csspgo_set_profile_flags(b, 0); break;
        case 8: csspgo_add_total(b, csspgo_find(b, "f:2 @ in"), 1); break;
        case 9: csspgo_add_total(b, node(b, csspgo_root(b), 0, 0, CSSPGO_PLAIN, "g"), 0); break;   /* an empty record */
        case 10: csspgo_add_total(b, node(b, n, 2, 1, CSSPGO_INLINEE, "in"), 0); break;
        case 12: csspgo_add_vtable(b, n, csspgo_at(1, 0), func(b, "x"), 0); break;
        case 11: csspgo_profile_free(b); b = stamped(5, 2, "no"); break;
        }
        T_CHECK(!csspgo_equal(a, b) && !csspgo_equal(b, a));
        csspgo_profile_free(b);
    }
    b = stamped(5, 2, "in");
    func(b, "unused");
    csspgo_set_profile_flags(b, csspgo_profile_flags(b) ^ CSSPGO_HAS_UNIQ);           /* depends on a file's form */
    node(b, csspgo_find(b, "f"), 8, 8, CSSPGO_INLINEE, "link");       /* a frame without record does not count */
    T_CHECK(csspgo_equal(a, b) && csspgo_equal(b, a));
    csspgo_profile_free(a);
    csspgo_profile_free(b);
}

static void order_and_ids_do_not_matter_for_equality(void)
{
    csspgo_profile *a = t_profile(0), *b = t_profile(0);
    csspgo_node n;
    func(b, "z");
    n = node(b, csspgo_root(b), 0, 0, CSSPGO_PLAIN, "g");
    csspgo_add_target(b, n, csspgo_at(1, 0), func(b, "y"), 2);
    csspgo_add_target(b, n, csspgo_at(1, 0), func(b, "x"), 1);
    csspgo_add_total(b, node(b, csspgo_root(b), 0, 0, CSSPGO_PLAIN, "f"), 3);
    csspgo_add_total(a, node(a, csspgo_root(a), 0, 0, CSSPGO_PLAIN, "f"), 3);
    n = node(a, csspgo_root(a), 0, 0, CSSPGO_PLAIN, "g");
    csspgo_add_target(a, n, csspgo_at(1, 0), func(a, "x"), 1);
    csspgo_add_target(a, n, csspgo_at(1, 0), func(a, "y"), 2);
    T_CHECK(csspgo_equal(a, b) && csspgo_equal(b, a));
    csspgo_profile_free(a);
    csspgo_profile_free(b);
}

/* ----- lenient profiles hold what LLVM's text reader makes of odd input ----- */

static void lenient_profiles_hold_wide_lines_and_twins(void)
{
    csspgo_profile *p = t_profile(1), *q = t_profile(1), *strict = t_profile(0);
    const csspgo_node m = node(p, csspgo_root(p), 0, 0, CSSPGO_CONTEXT, "main");
    csspgo_node a, b, twin;
    unsigned i;
    a = node(p, m, 4294967293u, 7, CSSPGO_CONTEXT, "foo");
    b = node(p, m, 65533, 7, CSSPGO_CONTEXT, "foo");            /* the same mod 2^16 */
    T_CHECK(a.id != 0 && b.id != 0 && a.id != b.id);
    T_CHECK(csspgo_node_loc(p, a).line == 4294967293u && csspgo_node_loc(p, a).discriminator == 7);
    T_EQ(csspgo_child(p, m, csspgo_at(4294967293u, 7), CSSPGO_CONTEXT, func(p, "foo")).id, a.id);
    T_EQ(csspgo_child(p, m, csspgo_at(4294967293u, 8), CSSPGO_CONTEXT, func(p, "foo")).id, 0);
    twin = node(p, b, 9, 0, CSSPGO_TWIN, "foo");
    T_CHECK(twin.id != 0 && node(p, b, 9, 0, CSSPGO_TWIN, "bar").id == 0 &&
            node(p, b, 0, 0, CSSPGO_TWIN, "foo").id == 0);
    T_EQ(node(p, twin, 1, 0, CSSPGO_CONTEXT, "foo").id, 0);
    for (i = 0; i < 200; i++) T_CHECK(node(p, m, 70000 + i, i % 3, CSSPGO_INLINEE, "in").id != 0);
    csspgo_add_body(p, a, csspgo_at(65536, 0), 1);
    csspgo_add_total(p, twin, 2);
    T_CHECK(t_valid(p));
    T_EQ(csspgo_add_profile(q, p), CSSPGO_OK);
    T_CHECK(t_valid(q) && csspgo_equal(p, q) && csspgo_equal(q, p));
    T_EQ(csspgo_add_profile(strict, p), CSSPGO_E_ARGUMENT);
    T_CHECK(csspgo_node_count(strict) == 0 && csspgo_func_count(strict) == 0 && t_valid(strict));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(strict);
}

/* ----- validate ----- */

static void validation_finds_every_broken_invariant(void)
{
    unsigned i;
    for (i = 0; i < 24; i++) {
        csspgo_profile *p = t_profile(0);
        const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f"),
                          g = node(p, n, 4, 0, CSSPGO_INLINEE, "g");
        csspgo_error e;
        csspgo__record *r;
        csspgo_add_target(p, g, csspgo_at(2, 0), func(p, "x"), 6);
        csspgo_add_target(p, g, csspgo_at(2, 0), func(p, "y"), 6);
        csspgo_add_body(p, g, csspgo_at(3, 0), 6);
        csspgo_add_vtable(p, g, csspgo_at(2, 0), func(p, "x"), 6);
        csspgo_add_vtable(p, g, csspgo_at(3, 0), func(p, "x"), 6);
        T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
        r = &p->record[p->tree.node[g.id].record];
        switch (i) {
        case 0: csspgo__body(p, r)[1].loc.line = 65536; break;
        case 1: csspgo__body(p, r)[1].loc.line = 2; break;
        case 2: csspgo__body(p, r)[0].loc.line = 1; break;               /* targets without entry */
        case 3: csspgo__target(p, r)[1].func.id = csspgo__target(p, r)[0].func.id; break;
        case 4: csspgo__target(p, r)[1].func.id = 99; break;
        case 5: r->flags = CSSPGO__DIRTY; break;
        case 6: r->body.begin = 1000; break;
        case 7: r->target.size = 50; break;
        case 8: p->tree.node[g.id].record = 0; break;                    /* a record that is nobody's */
        case 9: p->tree.node[g.id].record = 77; break;
        case 10: p->tree.node[n.id].record = p->tree.node[g.id].record; break;
        case 11: p->tree.node[n.id].record = 0; p->dead++; break;        /* the caller has none */
        case 12: p->tree.node[g.id].site = 0; break;
        case 13: p->tree.node[g.id].site |= (uint64_t)1 << 60; break;
        case 14: p->tree.node[g.id].site |= CSSPGO__WIDE; break;
        case 15: p->tree.node[g.id].parent = CSSPGO__ROOT; break;
        case 16: p->tree.node[g.id].parent = g.id; break;
        case 17: p->tree.node[g.id].func = 0; break;
        case 18: p->tree.node[n.id].child = 0; break;
        case 19: p->func[2].begin = 0; break;
        case 20: p->side[1].record = 99; break;
        case 21: csspgo__targets_of(&p->vtable, p->side[1].vtable)[0].loc.line = 9; break;
        case 22: p->side[1].vtable.begin = 70; break;
        case 23: csspgo__targets_of(&p->vtable, p->side[1].vtable)[0].func.id = 88; break;
        }
        T_EQ(csspgo_validate(p, &e), CSSPGO_E_ARGUMENT);
        T_CHECK(e.status == CSSPGO_E_ARGUMENT && e.message[0] != '\0');
        csspgo_profile_free(p);
    }
}

/* ----- order ----- */

/* The reference: is node a before node b? Frame by frame from the root. */
static int comes_before(csspgo_profile *p, uint32_t a, uint32_t b)
{
    uint32_t pa[64], pb[64];
    size_t na = 0, nb = 0;
    for (; a != CSSPGO__ROOT; a = p->tree.node[a].parent) pa[na++] = a;
    for (; b != CSSPGO__ROOT; b = p->tree.node[b].parent) pb[nb++] = b;
    while (na != 0 && nb != 0) {
        const csspgo__node *x = &p->tree.node[pa[--na]], *y = &p->tree.node[pb[--nb]];
        const csspgo_loc s = csspgo__loc_of(p, x->site), t = csspgo__loc_of(p, y->site);
        if (x == y) continue;
        if (s.line != t.line) return s.line < t.line;
        if (s.discriminator != t.discriminator) return s.discriminator < t.discriminator;
        return csspgo__name_cmp(&p->names, x->func, y->func) < 0;
    }
    return na == 0;                                   /* a prefix comes first */
}

static void nodes_come_in_context_order(void)
{
    unsigned round;
    for (round = 0; round < 60; round++) {
        csspgo_profile *p = some_profile(round * 4, round % 2 != 0, 0, NULL);
        csspgo__order o;
        size_t i;
        csspgo_func_add_guid(p, 5);
        T_EQ(csspgo__order_make(&p->heap, p, &o), CSSPGO_OK);
        T_EQ(o.nodes, csspgo_node_count(p));
        for (i = 1; i < o.nodes; i++)
            if (!comes_before(p, o.node[i - 1], o.node[i])) break;
        T_CHECK(i >= o.nodes);
        for (i = 2; i <= p->names.count; i++)
            T_CHECK((csspgo__name_cmp(&p->names, (uint32_t)i - 1, (uint32_t)i) < 0) == (o.rank[i - 1] < o.rank[i]));
        csspgo__order_free(&p->heap, &o);
        csspgo_profile_free(p);
    }
}

static void nested_nodes_come_before_contexts_and_twins_before_callees(void)
{
    csspgo_profile *p = t_profile(1);
    csspgo__order o;
    const csspgo_node m = node(p, csspgo_root(p), 0, 0, CSSPGO_CONTEXT, "main");
    const csspgo_node late = node(p, m, 5, 0, CSSPGO_CONTEXT, "a"), early = node(p, m, 4, 0, CSSPGO_CONTEXT, "z");
    const csspgo_node twin = node(p, m, 5, 0, CSSPGO_TWIN, "main"), in = node(p, m, 9, 0, CSSPGO_INLINEE, "i");
    const csspgo_node wide = node(p, m, 65536, 0, CSSPGO_CONTEXT, "a"),
                      plain = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "x");
    T_EQ(csspgo__order_make(&p->heap, p, &o), CSSPGO_OK);
    T_CHECK(o.nodes == 7 && o.node[0] == plain.id && o.node[1] == m.id && o.node[2] == in.id && o.node[3] == early.id);
    T_CHECK(o.node[4] == twin.id && o.node[5] == late.id && o.node[6] == wide.id);
    csspgo__order_free(&p->heap, &o);
    csspgo_profile_free(p);
}

static void names_with_equal_beginnings_are_ranked(void)
{
    static const char *const sorted[] = { "",          "a",         "aaaaaaa", "aaaaaaa\1", "aaaaaaaa",
                                          "aaaaaaaaa", "aaaaaaaab", "b",       "\xff" };
    enum { N = sizeof sorted / sizeof sorted[0] };
    csspgo_profile *p = t_profile(0);
    csspgo__order o;
    uint32_t i;
    for (i = 0; i < N; i++) csspgo_func_add(p, sorted[i * 4 % N], strlen(sorted[i * 4 % N]));
    T_EQ(csspgo__order_make(&p->heap, p, &o), CSSPGO_OK);
    for (i = 0; i < N; i++) T_EQ(o.rank[func(p, sorted[i]).id], i + 1);
    csspgo__order_free(&p->heap, &o);
    csspgo_profile_free(p);
}

/* ----- memory ----- */

static void any_allocation_may_fail(void)
{
    long nth;
    for (nth = 1;; nth++) {
        t_heap heap;
        const csspgo_options o = t_options(&heap, nth);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo__order order;
        int done = 0;
        if (p != NULL) {
            unsigned i;
            done = 1;
            for (i = 0; i < 300; i++) {
                char name[8];
                csspgo_node n;
                sprintf(name, "f%u", i);
                n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, name);
                if (n.id == 0) done = 0;
                else if (csspgo_add_target(p, n, csspgo_at(i, 0), csspgo_node_func(p, n), 1) != CSSPGO_OK) done = 0;
            }
            if (csspgo__order_make(&p->heap, p, &order) == CSSPGO_OK) csspgo__order_free(&p->heap, &order);
            else done = 0;
            T_CHECK(t_valid(p));
            T_EQ(csspgo_profile_memory(p), heap.live_bytes);
            csspgo_profile_free(p);
        }
        T_EQ(heap.live, 0);
        if (done) break;
    }
    T_CHECK(nth > 20);
}

static void taking_over_swaps_contents(void)
{
    t_heap heap;
    const csspgo_options o = t_options(&heap, 0);
    csspgo_profile *p = csspgo_profile_new(&o, NULL), *q = csspgo_profile_new(&o, NULL);
    if (p == NULL || q == NULL) abort();
    csspgo_add_total(q, node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "f"), 5);
    csspgo_add_total(p, node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "g"), 6);
    csspgo__profile_take(p, q);
    T_EQ(csspgo_total(p, csspgo_find(p, "f")), 5);
    T_EQ(csspgo_find(p, "g").id, 0);
    T_EQ(csspgo_profile_memory(p), heap.live_bytes);
    csspgo_profile_free(p);
    T_EQ(heap.live, 0);
}

static void totals_are_recounted(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    static const char text[] =
        "f:9:1\n 1: 5\n 2: 7 g:7\n 3: g:1\n  1: 18446744073709551615\n  2: h:4\n   1: 2\nk:3:0\n";
    csspgo_node g;
    if (p == NULL || csspgo_read(p, text, sizeof text - 1, NULL) != CSSPGO_OK) abort();
    csspgo_recount_totals(p);
    g = csspgo_child(p, csspgo_find(p, "f"), csspgo_at(3, 0), CSSPGO_INLINEE, csspgo_func_find(p, "g", 1));
    T_EQ(csspgo_total(p, csspgo_child(p, g, csspgo_at(2, 0), CSSPGO_INLINEE, csspgo_func_find(p, "h", 1))), 2);
    T_EQ(csspgo_total(p, g), UINT64_MAX);
    T_EQ(csspgo_total(p, csspgo_find(p, "f")), UINT64_MAX);
    T_EQ(csspgo_total(p, csspgo_find(p, "k")), 0);
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    csspgo_profile_free(p);
}

int main(void)
{
    statuses_have_names_and_sentences();
    guids_are_the_first_half_of_md5();
    sums_and_products_saturate();
    messages_are_escaped_clipped_and_terminated();
    hashes_depend_on_every_byte_and_on_nothing_else();
    leb_numbers_survive_a_round_trip();
    leb_takes_padding_and_rejects_more_than_64_bits();
    a_reader_fails_once_and_then_gives_zeros();
    a_sink_gives_the_same_bytes_through_any_buffer();
    a_sink_stops_at_a_failed_flush();
    objects_are_charged_against_their_limit();
    growing_near_the_limit_stays_cheap();
    sorting_is_stable_and_n_log_n();
    a_map_finds_what_was_put_in();
    names_keep_text_and_guid();
#ifndef CSSPGO_NO_STDIO
    files_are_read_whole();
#endif
    functions_are_found_by_name();
    names_longer_than_the_limit_are_refused();
    nodes_hang_where_they_may();
    chains_lead_to_every_node();
    contexts_are_found_by_their_text();
    counts_add_up_as_in_a_plain_table();
    counts_saturate_and_zero_makes_an_entry();
    the_caller_of_a_nested_record_has_one();
    appending_in_any_order_settles_to_the_same();
    settling_tells_which_sum_was_clamped();
    vtable_counts_add_up_beside_the_body();
    handles_out_of_range_read_as_nothing();
    adding_commutes_and_associates();
    adding_to_nothing_copies_and_to_itself_doubles();
    the_larger_checksum_wins_with_all_that_is_nested();
    profiles_of_different_kinds_do_not_mix();
    adding_that_fails_changes_nothing();
    adding_respects_the_limits();
    adding_large_records_is_not_quadratic();
    many_small_additions_do_not_pile_up();
    equality_sees_every_difference();
    order_and_ids_do_not_matter_for_equality();
    lenient_profiles_hold_wide_lines_and_twins();
    validation_finds_every_broken_invariant();
    nodes_come_in_context_order();
    nested_nodes_come_before_contexts_and_twins_before_callees();
    names_with_equal_beginnings_are_ranked();
    any_allocation_may_fail();
    taking_over_swaps_contents();
    totals_are_recounted();
    return t_end();
}
