/* fuzz_layout.c - instrumentation profiles with traces: text, indexed, raw. What is accepted can be written, read again
 * as the same, merged and ordered; a failure leaves nothing behind. The input's last byte chooses limits and rules. */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#define CSSPGO_LINKER_ORDER_IMPLEMENTATION
#include "../examples/share/linker_order.h"
#include "fuzz.h"

static csspgo_layout *layout_in(counted *c, unsigned rule, uint32_t traces, uint32_t length, uint32_t indexed)
{
    csspgo_layout_options how;
    csspgo_options o;
    csspgo_layout *l;
    memset(&how, 0, sizeof how);
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = c;
    o.limits.max_bytes = 256u << 20;
    how.limit_traces = how.limit_length = 1;
    how.max_traces = traces;
    how.max_length = length;
    how.llvm = rule == 0 ? 0 : rule == 1 ? 19 : 22;
    how.indexed = indexed;
    l = csspgo_layout_new(&how, &o, NULL);
    REQUIRE(l != NULL);
    return l;
}

static csspgo_layout *layout_of(counted *c, unsigned rule, uint32_t traces, uint32_t length)
{
    return layout_in(c, rule, traces, length, 0);
}

static char *written(const csspgo_layout *l, csspgo_status *s, size_t *size)
{
    char *text;
    csspgo_layout_write(l, NULL, 0, size, NULL);
    text = (char *)malloc(*size + 1);
    REQUIRE(text != NULL);
    *s = csspgo_layout_write(l, text, *size, size, NULL);
    REQUIRE(*s == CSSPGO_OK || *s == CSSPGO_E_UNSUPPORTED);
    return text;
}

static int id_cmp(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every function of the traces stands in the order once: as many as there are, all different, none unknown. */
static void is_ordered(const csspgo_layout *l, unsigned choice)
{
    csspgo_layout_order_options how;
    csspgo_layout_evaluate_options pages;
    csspgo_layout_score score;
    csspgo_layout_format form;
    csspgo_layout_found found;
    uint64_t *id;
    size_t n, count, size;
    memset(&how, 0, sizeof how);
    memset(&pages, 0, sizeof pages);
    memset(&form, 0, sizeof form);
    how.partition.llvm = choice & 1 ? 19 : 0;
    how.keep_all_groups = choice >> 1 & 1;
    how.partition.iterations = 4;
    form.form = choice % 5;
    REQUIRE(csspgo_layout_order(l, &how, NULL, 0, &n, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_layout_resolve(l, &found, NULL) == CSSPGO_OK && found.functions == n);
    id = (uint64_t *)malloc((n + 1) * sizeof *id);
    REQUIRE(id != NULL && csspgo_layout_order(l, &how, id, n, &count, NULL) == CSSPGO_OK && count == n);
    REQUIRE(csspgo_layout_evaluate(l, id, n, &pages, &score, NULL) == CSSPGO_OK);
    REQUIRE(score.unknown == 0 && score.steps == csspgo_layout_get_stats(l).entries);
    REQUIRE(csspgo_layout_write_order(l, id, n, &form, NULL, 0, &size, NULL) == CSSPGO_OK);
    qsort(id, n, sizeof *id, id_cmp);
    for (count = 1; count < n; count++) REQUIRE(id[count - 1] < id[count]);
    free(id);
}

/* The n-th allocation fails: the object is as it was, and reads the file when memory is there again. */
static void in_short_memory(const uint8_t *data, size_t size, unsigned n)
{
    counted c;
    csspgo_layout *l, *m;
    csspgo_layout_order_options how;
    csspgo_status s;
    size_t count;
    memset(&c, 0, sizeof c);
    memset(&how, 0, sizeof how);
    l = layout_of(&c, 0, 3, 40);
    m = layout_of(&c, 0, 3, 40);
    c.fail_at = c.calls + n;
    s = csspgo_layout_read(l, data, size, NULL);
    c.fail_at = 0;
    if (s != CSSPGO_OK) REQUIRE(csspgo_layout_get_stats(l).functions == 0 && csspgo_layout_get_stats(l).stream == 0);
    if (s == CSSPGO_E_NOMEM) s = csspgo_layout_read(l, data, size, NULL);
    if (s == CSSPGO_OK) {
        c.fail_at = c.calls + n;
        s = csspgo_layout_merge(m, l, NULL);
        c.fail_at = 0;
        REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && csspgo_layout_get_stats(m).functions == 0));
        if (s != CSSPGO_OK) REQUIRE(csspgo_layout_merge(m, l, NULL) == CSSPGO_OK);
        c.fail_at = c.calls + n;
        csspgo_layout_write(m, NULL, 0, &count, NULL);
        how.partition.iterations = 2;
        c.fail_at = c.calls + n;
        s = csspgo_layout_order(m, &how, NULL, 0, &count, NULL);
        c.fail_at = 0;
        REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
    }
    csspgo_layout_free(l);
    csspgo_layout_free(m);
    REQUIRE(c.live == 0);
}

/* As an indexed profile it is written whatever names it has, and read again it gives the same indexed profile. */
static void is_indexed(counted *c, const csspgo_layout *m, const char *text, size_t n)
{
    csspgo_layout *a = layout_in(c, 0, UINT32_MAX, UINT32_MAX, 1), *b = layout_in(c, 0, UINT32_MAX, UINT32_MAX, 1);
    csspgo_layout *r = layout_of(c, 0, UINT32_MAX, UINT32_MAX);
    char *once, *twice, *back;
    csspgo_status s;
    size_t k, j;
    REQUIRE(csspgo_layout_merge(a, m, NULL) == CSSPGO_OK);
    once = written(a, &s, &k);
    REQUIRE(s == CSSPGO_OK && csspgo_layout_read(b, once, k, NULL) == CSSPGO_OK);
    twice = written(b, &s, &j);
    REQUIRE(s == CSSPGO_OK && j == k && memcmp(once, twice, k) == 0);
    if (text != NULL) {
        REQUIRE(csspgo_layout_read(r, once, k, NULL) == CSSPGO_OK);
        back = written(r, &s, &j);
        REQUIRE(s == CSSPGO_OK && j == n && memcmp(text, back, n) == 0);
        free(back);
    }
    free(once);
    free(twice);
    csspgo_layout_free(a);
    csspgo_layout_free(b);
    csspgo_layout_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    counted c;
    const unsigned choice = size != 0 ? data[size - 1] : 0;
    csspgo_layout *l, *m;
    csspgo_layout_stats stats;
    csspgo_error e;
    memset(&c, 0, sizeof c);
    l = layout_of(&c, choice % 3, choice >> 2 & 7, 1u << (choice >> 5));
    m = layout_of(&c, 0, UINT32_MAX, UINT32_MAX);
    if (csspgo_layout_read(m, data, size, &e) != CSSPGO_OK) {
        REQUIRE(e.status != CSSPGO_OK);
        is_told(e.status, &e, size);
        stats = csspgo_layout_get_stats(m);
        REQUIRE(stats.functions == 0 && stats.stream == 0 && stats.records == 0);
        csspgo_layout_read(l, data, size, NULL);
        REQUIRE(csspgo_layout_get_stats(l).functions == 0);
    } else {
        csspgo_status s;
        size_t n, k;
        char *text = written(m, &s, &n), *again;
        if (csspgo_layout_get_stats(m).entries < 2000) is_ordered(m, choice);
        if (s == CSSPGO_OK && n != 0 && csspgo_layout_get_stats(m).names == csspgo_layout_get_stats(m).functions) {
            csspgo_layout *r = layout_of(&c, 0, UINT32_MAX, UINT32_MAX);
            REQUIRE(csspgo_layout_read(r, text, n, &e) == CSSPGO_OK);
            again = written(r, &s, &k);
            REQUIRE(s == CSSPGO_OK && k == n && memcmp(text, again, n) == 0);
            free(again);
            csspgo_layout_free(r);
            is_indexed(&c, m, text, n);
        } else is_indexed(&c, m, NULL, 0);
        free(text);
        for (k = 0; k < 3; k++) {
            s = csspgo_layout_merge(l, m, NULL);
            REQUIRE(s == CSSPGO_OK || s == CSSPGO_E_LIMIT);
            if (choice % 3 != 1) REQUIRE(csspgo_layout_get_stats(l).traces <= (choice >> 2 & 7));
        }
        is_ordered(l, choice);
    }
    csspgo_layout_free(l);
    csspgo_layout_free(m);
    REQUIRE(c.live == 0);
    if (size != 0) in_short_memory(data, size, 1 + data[size / 2] % 40);
    return 0;
}
