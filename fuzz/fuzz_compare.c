/* fuzz_compare.c - two profiles made entry by entry: what the getters say, what two comparisons say, what goes through
 * files.
 *
 * Laws: the getters agree with each other and with the text of a context; csspgo_overlap and csspgo_compare_blocks give
 * what a slow walk over both trees gives, shares are from 0 to 1, and both are symmetric where they should be; a
 * profile that went through a file is equal. */
#define _POSIX_C_SOURCE 200809L
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include <unistd.h>
#include "fuzz.h"
#include "program.h"

/* ----- profiles ----- */

static const char *const names[] = {
    "main", "foo", "bar", "baz.1", "_Z3quxv", "12345678901234567890x", "a b", "deep"
};

static csspgo_func function(csspgo_profile *p, unsigned b)
{
    const char *name = names[b & 7];
    if (b & 8) return csspgo_func_add_guid(p, csspgo_guid(name, strlen(name)));
    return csspgo_func_add(p, name, strlen(name));
}

static csspgo_node node(const csspgo_profile *p, unsigned b)
{
    csspgo_node n;
    n.id = 1 + b % (csspgo_node_count(p) + 1);
    return n;
}

/* Counts from 0 to 2^64 - 1, most of them low. */
static uint64_t number(input *in, int large)
{
    const unsigned b = byte(in);
    return large && b > 250 ? UINT64_MAX >> (b - 251) : b < 200 ? b : (uint64_t)b << (b & 31);
}

static void add_node(csspgo_profile *p, input *in, unsigned contexts)
{
    const unsigned b = byte(in), f = byte(in), at = byte(in);
    csspgo_node parent = node(p, b);
    csspgo_node_kind kind = CSSPGO_INLINEE;
    if (parent.id == 1) kind = contexts ? CSSPGO_CONTEXT : CSSPGO_PLAIN;
    else if (contexts && (f & 16)) kind = CSSPGO_CONTEXT;
    csspgo_node_add(p, parent, parent.id == 1 ? csspgo_loc_at(0, 0) : csspgo_loc_at(at & 15, at >> 6), kind,
                    function(p, f));
}

static void add_counts(csspgo_profile *p, input *in, unsigned op, int large)
{
    const csspgo_node n = node(p, byte(in));
    const unsigned at = byte(in);
    const csspgo_loc loc = csspgo_loc_at(at & 15, at >> 6);
    const uint64_t count = number(in, large);
    csspgo_status s = CSSPGO_OK;
    switch (op) {
    case 0: case 1: case 2: s = csspgo_add_body(p, n, loc, count); break;
    case 3: s = csspgo_add_target(p, n, loc, function(p, byte(in)), count); break;
    case 4: s = csspgo_add_head(p, n, count); break;
    case 5: s = csspgo_add_total(p, n, count); break;
    case 6: s = csspgo_set_checksum(p, n, count); break;
    case 7: s = csspgo_set_attributes(p, n, (uint32_t)count & 7); break;
    default: s = csspgo_add_vtable(p, n, loc, function(p, byte(in)), count); break;
    }
    REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_ARGUMENT && n.id == 1));
}

static csspgo_profile *make(input *in, unsigned contexts, unsigned probes, uint32_t llvm, int large)
{
    csspgo_options o;
    csspgo_profile *p;
    unsigned n = byte(in) & 63;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    p = csspgo_profile_new(&o, NULL);
    REQUIRE(p != NULL);
    csspgo_profile_set_flags(p, (contexts ? CSSPGO_IS_CS : 0u) | (probes ? CSSPGO_IS_PROBE : 0u));
    while (n-- != 0) {
        const unsigned op = byte(in);
        if (op % 16 < 6) add_node(p, in, contexts);
        else if (op % 16 < 15) add_counts(p, in, op % 16 - 6, large);
        else csspgo_set_listed(p, function(p, op >> 4), op >> 7);
    }
    REQUIRE(csspgo_validate(p, NULL) == CSSPGO_OK);
    return p;
}

/* ----- getters ----- */

static void text_is_counted(void *ctx, const char *text, size_t size)
{
    *(size_t *)ctx += size;
    REQUIRE(size == 0 || text != NULL);
}

static void node_is_found(const csspgo_profile *p, csspgo_node n)
{
    char text[4096], cut[8];
    const size_t size = csspgo_context_text(p, n, text, sizeof text);
    const csspgo_node parent = csspgo_node_parent(p, n);
    csspgo_node same;
    size_t name_size;
    memset(cut, 1, sizeof cut);
    REQUIRE(csspgo_context_text(p, n, cut, sizeof cut) == size && csspgo_context_text(p, n, NULL, 0) == size);
    REQUIRE(strlen(cut) == (size < 7 ? size : 7) && memcmp(cut, text, strlen(cut)) == 0);
    same = csspgo_child(p, parent, csspgo_node_loc(p, n), csspgo_node_kind_of(p, n), csspgo_node_func(p, n));
    REQUIRE(same.id == n.id);
    if (size < sizeof text && csspgo_func_name(p, csspgo_node_func(p, n), &name_size) != NULL) {
        same = csspgo_find(p, text);
        if (same.id != 0) REQUIRE(csspgo_context_text(p, same, NULL, 0) == size);
    }
    for (same = csspgo_func_nodes(p, csspgo_node_func(p, n)); same.id != n.id; same = csspgo_node_next_same(p, same))
        REQUIRE(same.id != 0);
}

static void record_is_read(const csspgo_profile *p, csspgo_node n)
{
    size_t bodies, targets, part, i, sum = 0, types;
    const csspgo_body *b = csspgo_get_bodies(p, n, &bodies);
    const csspgo_target *t = csspgo_get_targets(p, n, &targets), *at, *v = csspgo_get_vtables(p, n, &types);
    for (i = 0; i < bodies; i++) {
        REQUIRE(csspgo_body_count(p, n, b[i].loc) == b[i].count);
        csspgo_get_targets_at(p, n, b[i].loc, &part);
        sum += part;
    }
    REQUIRE(sum == targets);
    for (i = 0; i < targets; i++) {
        REQUIRE(csspgo_target_count(p, n, t[i].loc, t[i].func) == t[i].count);
        at = csspgo_get_targets_at(p, n, t[i].loc, &part);
        REQUIRE(at >= t && at + part <= t + targets && part != 0);
    }
    for (i = 1; i < types; i++) REQUIRE(v[i - 1].loc.line <= v[i].loc.line);
    if (csspgo_has_record(p, n)) return;
    REQUIRE(bodies + targets + types == 0 && csspgo_total(p, n) == 0 && csspgo_head(p, n) == 0);
    REQUIRE(csspgo_checksum(p, n) == 0 && csspgo_attributes(p, n) == 0);
}

static void is_read(csspgo_profile *p, int llvm)
{
    csspgo_node n = csspgo_root(p);
    csspgo_func f;
    size_t size = 0;
    REQUIRE(csspgo_context_text(p, n, NULL, 0) == 0);
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0) {
        node_is_found(p, n);
        record_is_read(p, n);
    }
    memset(&f, 0, sizeof f);
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) {
        const char *const name = csspgo_func_name(p, f, &size);
        const csspgo_func same = csspgo_func_find_guid(p, csspgo_func_guid(p, f));
        if (!llvm || name == NULL) REQUIRE(same.id == f.id);    /* LLVM mode: a name and its GUID are two functions */
        if (name != NULL) REQUIRE(csspgo_func_find(p, name, size).id == f.id);
        if (name == NULL) REQUIRE(csspgo_set_listed(p, f, 1) == CSSPGO_E_ARGUMENT);
        else if (!csspgo_is_listed(p, f)) {
            REQUIRE(csspgo_set_listed(p, f, 1) == CSSPGO_OK && csspgo_is_listed(p, f));
            REQUIRE(csspgo_set_listed(p, f, 0) == CSSPGO_OK && !csspgo_is_listed(p, f));
        }
    }
    size = 0;
    csspgo_dump(p, csspgo_root(p), text_is_counted, &size);
    REQUIRE(size != 0 || csspgo_node_count(p) == 0);
}

/* ----- two profiles, slowly ----- */

static csspgo_func same_function(const csspgo_profile *p, csspgo_func f, const csspgo_profile *q)
{
    return csspgo_func_find_guid(q, csspgo_func_guid(p, f));
}

/* The node of q with the same context as n has in p, or (any) one whose frames are of other kinds; id 0: none. */
static csspgo_node node_like(const csspgo_profile *p, csspgo_node n, const csspgo_profile *q, int any)
{
    static const csspgo_node_kind kinds[] = { CSSPGO_CONTEXT, CSSPGO_INLINEE, CSSPGO_PLAIN };
    csspgo_node path[70], at = csspgo_root(q);
    unsigned depth = 0;
    for (; n.id > 1; n = csspgo_node_parent(p, n)) path[depth++] = n;
    while (depth-- != 0 && at.id != 0) {
        const csspgo_func f = same_function(p, csspgo_node_func(p, path[depth]), q);
        const csspgo_loc loc = csspgo_node_loc(p, path[depth]);
        const csspgo_node_kind kind = csspgo_node_kind_of(p, path[depth]);
        const csspgo_node up = at;
        size_t i;
        at.id = 0;
        if (f.id != 0) at = csspgo_child(q, up, loc, kind, f);
        for (i = 0; any && f.id != 0 && at.id == 0 && kind != CSSPGO_DUPLICATE && i < 3; i++)
            at = csspgo_child(q, up, loc, kinds[i], f);
    }
    return at;
}

static csspgo_node same_node(const csspgo_profile *p, csspgo_node n, const csspgo_profile *q)
{
    return node_like(p, n, q, 0);
}

/* 1 if no context of p is an inlinee or a plain function in q: then nodes match one to one. */
static int kinds_agree(const csspgo_profile *p, const csspgo_profile *q)
{
    csspgo_node n = csspgo_root(p);
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0)
        if (node_like(p, n, q, 1).id != same_node(p, n, q).id) return 0;
    return 1;
}

typedef struct sums { uint64_t samples, shared, unique; } sums;

static int has_body(const csspgo_profile *p, csspgo_node n, csspgo_loc loc)
{
    size_t count, i;
    const csspgo_body *b = n.id != 0 ? csspgo_get_bodies(p, n, &count) : NULL;
    for (i = 0; b != NULL && i < count; i++)
        if (b[i].loc.line == loc.line && b[i].loc.discriminator == loc.discriminator) return 1;
    return 0;
}

static sums walk(const csspgo_profile *p, const csspgo_profile *q)
{
    csspgo_node n = csspgo_root(p);
    sums s = { 0, 0, 0 };
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0) {
        const csspgo_node m = same_node(p, n, q);
        size_t count, i;
        const csspgo_body *b = csspgo_get_bodies(p, n, &count);
        for (i = 0; i < count; i++) {
            const uint64_t other = m.id != 0 ? csspgo_body_count(q, m, b[i].loc) : 0;
            s.samples += b[i].count;
            s.shared += b[i].count < other ? b[i].count : other;
            if (!has_body(q, m, b[i].loc)) s.unique += b[i].count;
        }
    }
    return s;
}

static void is_share(double x)
{
    REQUIRE(x >= 0 && x <= 1 + 1e-9);
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

static int about(double a, double b)
{
    return distance(a, b) <= 1e-9;
}

static csspgo_status overlap(const csspgo_profile *p, const csspgo_profile *q, const csspgo_overlap_options *how,
                             csspgo_overlap_figures *f)
{
    const size_t most = csspgo_overlap_bound(p, q);
    csspgo_overlap_row *row = (csspgo_overlap_row *)calloc(most + 1, sizeof *row);
    size_t count, i;
    const csspgo_status s = csspgo_overlap(p, q, how, f, row, most, &count, NULL);
    REQUIRE(row != NULL && (s == CSSPGO_OK || s == CSSPGO_E_ARGUMENT));
    for (i = 0; s == CSSPGO_OK && i < count; i++) {
        is_share(row[i].base_weight); is_share(row[i].test_weight);
        is_share(row[i].overlap); is_share(row[i].normalized);
        is_share(row[i].base_unique); is_share(row[i].test_unique);
        is_share(row[i].internal_similarity); is_share(row[i].similarity);
        REQUIRE(i == 0 || row[i - 1].base_samples >= row[i].base_samples);
    }
    if (s == CSSPGO_OK) {
        REQUIRE(count <= most && csspgo_overlap(p, q, how, f, NULL, 0, &i, NULL) == CSSPGO_OK && i == count);
        if (count != 0) REQUIRE(csspgo_overlap(p, q, how, f, row, count - 1, &i, NULL) == CSSPGO_E_SHORT && i == count);
        REQUIRE(csspgo_overlap(p, q, how, f, NULL, 0, NULL, NULL) == CSSPGO_OK);
    }
    free(row);
    return s;
}

static void figures_are_shares(const csspgo_overlap_figures *f)
{
    is_share(f->similarity); is_share(f->overlap); is_share(f->normalized);
    is_share(f->base_unique); is_share(f->test_unique);
    is_share(csspgo_fraction(f->overlap_samples, f->union_samples));
}

static void overlaps(const csspgo_profile *p, const csspgo_profile *q, const csspgo_overlap_options *how, int exact)
{
    csspgo_overlap_figures f, g;
    const csspgo_status s = overlap(p, q, how, &f);
    sums a, b;
    REQUIRE(overlap(q, p, how, &g) == s);
    if (s != CSSPGO_OK) return;
    figures_are_shares(&f);
    REQUIRE(f.overlap_samples == g.overlap_samples && f.union_samples == g.union_samples);
    REQUIRE(f.base_samples == g.test_samples && f.base_unique_samples == g.test_unique_samples);
    REQUIRE(f.functions.both == g.functions.both && f.functions.base_only == g.functions.test_only);
    REQUIRE(f.hot_blocks.both == g.hot_blocks.both && f.hot_blocks.base_only == g.hot_blocks.test_only);
    REQUIRE(f.base_hot == g.test_hot && about(f.similarity, g.similarity) && about(f.normalized, g.normalized));
    if (!exact) return;
    a = walk(p, q);
    b = walk(q, p);
    REQUIRE(f.base_samples == a.samples && f.test_samples == b.samples);
    REQUIRE(a.shared == b.shared && f.overlap_samples == a.shared);
    REQUIRE(f.union_samples == a.samples + b.samples - a.shared);
    REQUIRE(f.base_unique_samples == a.unique && f.test_unique_samples == b.unique);
}

/* sum of min, and of |p - q| over that of max, of the counts' shares. */
static void quality_of_contexts(const csspgo_profile *p, const csspgo_profile *q, double *shared, double *delta)
{
    const sums a = walk(p, q), b = walk(q, p);
    const csspgo_profile *x = p, *y = q;
    double least = 0, most = 0, difference = 0;
    int second;
    for (second = 0; second < 2; second++, x = q, y = p) {
        csspgo_node n = csspgo_root(x);
        while ((n = csspgo_node_next(x, csspgo_root(x), n)).id != 0) {
            const csspgo_node m = same_node(x, n, y);
            size_t count, i;
            const csspgo_body *v = csspgo_get_bodies(x, n, &count);
            for (i = 0; i < count; i++) {
                const int both = has_body(y, m, v[i].loc);
                const double here = (double)v[i].count / (double)(second ? b.samples : a.samples);
                const uint64_t other = both ? csspgo_body_count(y, m, v[i].loc) : 0;
                const double there = (double)other / (double)(second ? a.samples : b.samples);
                if (both && second) continue;
                least += here < there ? here : there;
                most += here < there ? there : here;
                difference += distance(here, there);
            }
        }
    }
    *shared = least;
    *delta = most > 0 ? difference / most : 0;
}

static void blocks_are_compared(const csspgo_profile *p, const csspgo_profile *q, int exact)
{
    const size_t most = csspgo_func_count(p) + (size_t)csspgo_func_count(q);
    csspgo_quality_row *row = (csspgo_quality_row *)calloc(most + 1, sizeof *row);
    csspgo_blocks blocks[3];
    csspgo_quality_options how;
    csspgo_quality x, y;
    size_t count, i;
    uint64_t base = 0, test = 0;
    REQUIRE(row != NULL && csspgo_compare_blocks(p, q, NULL, &x, row, most, &count, NULL) == CSSPGO_OK);
    REQUIRE(count <= most);
    REQUIRE(csspgo_compare_blocks(q, p, NULL, &y, NULL, 0, &i, NULL) == CSSPGO_OK && i == count);
    if (count != 0) REQUIRE(csspgo_compare_blocks(p, q, NULL, &x, row, count - 1, NULL, NULL) == CSSPGO_E_SHORT);
    REQUIRE(csspgo_compare_blocks(p, q, NULL, &x, row, most, &count, NULL) == CSSPGO_OK);
    REQUIRE(x.base_samples == y.test_samples && x.test_samples == y.base_samples);
    REQUIRE(about(x.context_overlap, y.context_overlap) && about(x.context_delta, y.context_delta));
    is_share(x.overlap); is_share(x.delta);
    is_share(x.context_overlap); is_share(x.context_delta);
    is_share(x.spread_overlap); is_share(x.spread_delta);
    for (i = 0; i < count; i++) {
        is_share(row[i].overlap); is_share(row[i].delta);
        base += row[i].base_samples;
        test += row[i].test_samples;
        REQUIRE(i == 0 || row[i - 1].base_samples >= row[i].base_samples);
    }
    if (exact) REQUIRE(base == x.base_samples && test == x.test_samples);
    /* of bodies alone: head counts are among base's */
    if (exact && kinds_agree(p, q) && kinds_agree(q, p) && walk(p, q).samples != 0 && walk(q, p).samples != 0) {
        double shared, delta;
        quality_of_contexts(p, q, &shared, &delta);
        REQUIRE(about(shared, x.context_overlap));
        REQUIRE(distance(delta, x.context_delta) <= 2.1e-9);   /* an overlap above 1 - 1e-9 is 1, delta twice as far off */
    }
    for (i = 0; i < 3; i++) {
        blocks[i].guid = csspgo_guid(names[2 * i], strlen(names[2 * i]));
        blocks[i].count = 3 + (uint32_t)i * 4;
    }
    how.blocks = blocks;
    how.block_count = 3;
    REQUIRE(csspgo_compare_blocks(p, q, &how, &y, row, most, &count, NULL) == CSSPGO_OK && count <= most);
    REQUIRE(y.base_samples <= x.base_samples && y.test_samples <= x.test_samples);
    free(row);
}

/* The same, and ten times as many samples. */
static void is_like_itself(const csspgo_profile *p)
{
    csspgo_profile *q = csspgo_profile_clone(p, NULL);
    csspgo_overlap_figures f;
    csspgo_quality x;
    REQUIRE(q != NULL && csspgo_overlap(p, p, NULL, &f, NULL, 0, NULL, NULL) == CSSPGO_OK);
    if (f.base_samples != 0) REQUIRE(about(f.overlap, 1) && about(f.similarity, 1) && f.base_unique_samples == 0);
    REQUIRE(csspgo_scale(q, 10, 1, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_overlap(p, q, NULL, &f, NULL, 0, NULL, NULL) == CSSPGO_OK);
    if (f.base_samples != 0) REQUIRE(about(f.normalized, 1));
    REQUIRE(csspgo_compare_blocks(p, p, NULL, &x, NULL, 0, NULL, NULL) == CSSPGO_OK);
    if (x.base_samples != 0) REQUIRE(about(x.overlap, 1) && about(x.delta, 0));
    csspgo_recount_totals(q);
    REQUIRE(csspgo_validate(q, NULL) == CSSPGO_OK);
    csspgo_profile_free(q);
}

/* Each status has a name and a sentence of its own, other numbers have none. */
static void status_is_named(unsigned b)
{
    const csspgo_status s = (csspgo_status)(b % 16);
    const char *name = csspgo_status_name(s), *text = csspgo_status_text(s);
    REQUIRE((strcmp(name, "?") == 0) == (s > CSSPGO_MORE) && (strcmp(text, "?") == 0) == (s > CSSPGO_MORE));
}

/* ----- files ----- */

/* The table of a file's sections lies in the file, and one that was cut off is refused. */
static void has_sections(const csspgo_profile *p, uint32_t form)
{
    csspgo_section section[16];
    csspgo_profile *q;
    unsigned char *data;
    size_t size, count, i;
    csspgo_error e;
    if (csspgo_write(p, form, NULL, 0, &size, NULL) != CSSPGO_OK) return;
    data = (unsigned char *)malloc(size + 1);
    REQUIRE(data != NULL && csspgo_write(p, form, data, size, NULL, NULL) == CSSPGO_OK);
    if (csspgo_get_sections(data, size, section, 16, &count, &e) == CSSPGO_OK) {
        REQUIRE(csspgo_sniff(data, size) == CSSPGO_EXTBINARY && count <= 16);
        for (i = 0; i < count; i++) REQUIRE(section[i].offset <= size && section[i].size <= size - section[i].offset);
        REQUIRE(csspgo_get_sections(data, 20, section, 16, &count, &e) == CSSPGO_E_TRUNCATED);
    } else REQUIRE(e.status == CSSPGO_E_UNSUPPORTED && csspgo_sniff(data, size) != CSSPGO_EXTBINARY);
    q = csspgo_load(data, size, NULL, &e);
    REQUIRE((q != NULL) == (e.status == CSSPGO_OK) && csspgo_version() == CSSPGO_VERSION);
    if (q != NULL) REQUIRE(csspgo_validate(q, NULL) == CSSPGO_OK);
    csspgo_profile_free(q);
    free(data);
}

static void through_a_file(const csspgo_profile *p, uint32_t form, uint32_t llvm)
{
    char path[] = "/tmp/csspgo.fuzz.XXXXXX";
    const int file = mkstemp(path);
    csspgo_options o;
    csspgo_profile *q, *r;
    csspgo_error e;
    csspgo_status s;
    memset(&o, 0, sizeof o);
    o.llvm = llvm;
    REQUIRE(file >= 0 && close(file) == 0);
    s = csspgo_write_file(p, path, form, &e);
    if (s == CSSPGO_OK) {
        q = csspgo_load_file(path, &o, &e);
        r = csspgo_profile_new(&o, NULL);
        REQUIRE(r != NULL);
        s = csspgo_read_file(r, path, NULL);
        REQUIRE((q != NULL) == (s == CSSPGO_OK));
        if (q != NULL) REQUIRE(csspgo_equal(q, r) && csspgo_validate(q, NULL) == CSSPGO_OK);
        csspgo_profile_free(q);
        csspgo_profile_free(r);
        if (csspgo_record_count(p) != 0) REQUIRE(csspgo_write_file(p, "/dev/full", form, &e) == CSSPGO_E_IO);
    }
    REQUIRE(csspgo_load_file("/nowhere/at/all", &o, &e) == NULL && e.status == CSSPGO_E_IO);
    REQUIRE(remove(path) == 0);
}

static int counts_are_exact(const csspgo_profile *p)
{
    return csspgo_profile_get_stats(p).samples < UINT64_C(1) << 50;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t forms[] = {
        CSSPGO_TEXT, CSSPGO_EXTBINARY, CSSPGO_BINARY, CSSPGO_GCOV, CSSPGO_EXTBINARY | CSSPGO_MD5,
        CSSPGO_TEXT | CSSPGO_SPLIT, CSSPGO_EXTBINARY | CSSPGO_SPLIT, CSSPGO_GCOV | CSSPGO_GCC
    };
    csspgo_overlap_options how;
    csspgo_profile *p, *q;
    input in;
    unsigned a, b;
    int exact;
    in.p = data;
    in.end = data + size;
    a = byte(&in);
    b = byte(&in);
    memset(&how, 0, sizeof how);
    how.hot_ppm = b & 16 ? 4000u * b : 0;
    how.force_hot = b >> 3 & 1;
    how.hot_count = b;
    p = make(&in, a & 1, a & 2, a & 4 ? 19 : 0, a & 8);
    q = make(&in, (a ^ a >> 6) & 1, a & 2, a & 4 ? 19 : 0, a & 8);
    is_read(p, a >> 2 & 1);
    is_read(q, a >> 2 & 1);
    exact = (a & 4) == 0 && counts_are_exact(p) && counts_are_exact(q);
    overlaps(p, q, &how, exact);
    blocks_are_compared(p, q, exact);
    if (exact) is_like_itself(p);
    status_is_named(b);
    through_a_file(p, forms[b & 7], a & 4 ? 19 : 0);
    has_sections(p, forms[b & 7]);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    return 0;
}
