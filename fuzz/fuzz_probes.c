/* fuzz_probes.c - probe sections, descriptors, functions to be encoded, CFG checksums.
 *
 * The first byte chooses (low 2 bits): a .pseudo_probe section, a .pseudo_probe_desc section, a function, a CFG.
 * A section's further bytes:
 *     byte 0    bit 2 lenient, bits 3 and 4 CSSPGO_PROBES_REBASE and _RAW_SENTINELS, bit 5 with a text range
 *     byte 1    number of symbols, low 4 bits; then 16 bytes for each: GUID, address
 *     the rest  the section
 * What must hold is said where it is checked.
 */

#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"
#include "../tests/sections.h"

/* ----- a heap that measures --------------------------------------------------------------------------------------- */

typedef struct meter { size_t live, peak; } meter;

static void *meter_alloc(void *ctx, size_t size)
{
    meter *m = (meter *)ctx;
    void *p = malloc(size);
    REQUIRE(p != NULL);
    m->live += size;
    if (m->live > m->peak) m->peak = m->live;
    return p;
}

static void meter_free(void *ctx, void *p, size_t size)
{
    ((meter *)ctx)->live -= size;
    free(p);
}

static csspgo_probe_set *tables_new(meter *m, int lenient)
{
    csspgo_options o;
    csspgo_probe_set *t;
    memset(&o, 0, sizeof o);
    memset(m, 0, sizeof *m);
    o.allocator.alloc_fn = meter_alloc;
    o.allocator.free_fn = meter_free;
    o.allocator.ctx = m;
    o.limits.max_depth = 64;
    o.limits.max_name = 256;
    o.llvm = lenient ? 19 : 0;
    t = csspgo_probe_set_new(&o, NULL);
    REQUIRE(t != NULL);
    return t;
}

static void tables_free(csspgo_probe_set *t, const meter *m)
{
    csspgo_probe_set_free(t);
    REQUIRE(m->live == 0);
}

/* An error is complete, and success is none. */
static void check_error(const csspgo_error *e, csspgo_status status, size_t size)
{
    size_t i;
    REQUIRE(e->status == status && e->offset <= size);
    REQUIRE((status == CSSPGO_OK) == (e->message[0] == '\0'));
    for (i = 0; e->message[i] != '\0'; i++) REQUIRE(e->message[i] >= 0x20 && e->message[i] < 0x7f);
}

/* A refused function: the offset is the index in the array that the message names, and the message has it, too. */
static void check_refusal(const csspgo_error *e, const csspgo_probe_function *f)
{
    const char *const words = strstr(e->message, ": ");    /* behind the name of the function */
    const int node = words != NULL && strstr(words, "probe ") == NULL;
    const char *at;
    char entry[32];
    const size_t size = (size_t)sprintf(entry, "%s %u", node ? "node" : "probe", (unsigned)e->offset);
    REQUIRE(e->status == CSSPGO_E_ARGUMENT && e->offset < (node ? f->inline_count : f->probe_count));
    at = words != NULL ? strstr(words, entry) : NULL;
    REQUIRE(at != NULL && (at[size] < '0' || at[size] > '9'));
}

enum { PROBES = 1, RECORDS = 2, STATS = 4 };

static void same_tables(const csspgo_probe_set *a, const csspgo_probe_set *b, int what)
{
    const csspgo_probe_tables x = csspgo_probe_set_tables(a), y = csspgo_probe_set_tables(b);
    size_t i;
    REQUIRE(x.inline_count == y.inline_count && x.probe_count == y.probe_count && x.record_count == y.record_count);
    REQUIRE(x.inline_count == 0 || memcmp(x.inlines, y.inlines, x.inline_count * sizeof *x.inlines) == 0);
    REQUIRE(x.probe_count == 0 || memcmp(x.probes, y.probes, x.probe_count * sizeof *x.probes) == 0);
    for (i = 0; i < x.record_count; i++) {
        const csspgo_probe_record *r = &x.records[i], *s = &y.records[i];
        REQUIRE(r->first_inline == s->first_inline && r->inline_count == s->inline_count);
        REQUIRE(r->first_probe == s->first_probe && r->probe_count == s->probe_count);
        if (what & RECORDS) REQUIRE(r->symbol == s->symbol && r->address == s->address && r->flags == s->flags);
    }
    if (what & STATS) {
        const csspgo_probe_set_stats s = csspgo_probe_set_get_stats(a), r = csspgo_probe_set_get_stats(b);
        REQUIRE(memcmp(&s, &r, sizeof s) == 0);
    }
}

/* Links lead backwards, records lie side by side and hold one tree each. */
static void check_tables(csspgo_probe_set *t)
{
    const csspgo_probe_tables v = csspgo_probe_set_tables(t);
    uint32_t *order = (uint32_t *)malloc((v.probe_count + 1) * sizeof *order);
    size_t i, k, node = 0, probe = 0;
    REQUIRE(order != NULL && csspgo_probe_set_by_address(t, order, NULL) == CSSPGO_OK);
    for (i = 0; i < v.record_count; i++) {
        const csspgo_probe_record *r = &v.records[i];
        REQUIRE(r->first_inline == node && r->inline_count >= 1 && r->first_probe == probe);
        for (k = node; k < node + r->inline_count; k++)
            REQUIRE(k == node ? v.inlines[k].parent == 0 : v.inlines[k].parent > node && v.inlines[k].parent <= k);
        node += r->inline_count;
        for (k = probe; k < probe + r->probe_count; k++) {
            REQUIRE(v.probes[k].inline_node > r->first_inline && v.probes[k].inline_node <= node);
            REQUIRE(k == probe || v.probes[k].inline_node >= v.probes[k - 1].inline_node);
        }
        probe += r->probe_count;
    }
    REQUIRE(node == v.inline_count && probe == v.probe_count);
    for (i = 1; i < v.probe_count; i++) {
        const uint64_t a = v.probes[order[i - 1]].address, b = v.probes[order[i]].address;
        REQUIRE(a < b || (a == b && order[i - 1] < order[i]));
    }
    free(order);
}

static uint8_t *encoded(const csspgo_probe_set *t, csspgo_probe_style style, size_t *size)
{
    uint8_t *p;
    csspgo_error e;
    REQUIRE(csspgo_probe_set_encode(t, style, NULL, 0, size, &e) == CSSPGO_OK);
    p = (uint8_t *)malloc(*size + 1);
    REQUIRE(p != NULL);
    REQUIRE(csspgo_probe_set_encode(t, style, p, *size, NULL, &e) == CSSPGO_OK);
    if (*size > 1)
        REQUIRE(csspgo_probe_set_encode(t, style, p, *size - 1, NULL, &e) == CSSPGO_E_SHORT && e.offset == *size - 1);
    REQUIRE(csspgo_probe_set_encode(t, style, p, *size, NULL, &e) == CSSPGO_OK);
    return p;
}

/* The addresses of records' symbols stand for the symbols: without these, the tables are the same. */
static void told(const csspgo_probe_set *t, const csspgo_probe_section *in, int lenient)
{
    const csspgo_probe_tables v = csspgo_probe_set_tables(t);
    uint64_t *address = (uint64_t *)malloc((v.record_count + 1) * sizeof *address);
    const csspgo_probe_set_stats odd = csspgo_probe_set_get_stats(t);
    csspgo_probe_section again = *in;
    csspgo_probe_set *u;
    csspgo_error e;
    meter m;
    size_t i;
    REQUIRE(address != NULL);
    for (i = 0; i < v.record_count; i++) {
        address[i] = v.records[i].flags & CSSPGO_RECORD_BASED ? v.records[i].address : UINT64_MAX;
        if (address[i] == UINT64_MAX && v.records[i].flags & CSSPGO_RECORD_BASED) again.address_count = SIZE_MAX;
    }
    if (odd.odd_sentinels == 0 && odd.raw_sentinels == 0 && again.address_count == 0) {
        u = tables_new(&m, lenient);
        again.addresses = address;
        again.address_count = v.record_count;
        again.bases = NULL;
        again.base_count = 0;
        REQUIRE(csspgo_probe_set_decode(u, &again, &e) == CSSPGO_OK);
        same_tables(t, u, PROBES | RECORDS | STATS);
        tables_free(u, &m);
    }
    free(address);
}

/* What is encoded is decoded to the same tables; returns the bytes it took. */
static size_t recode(const csspgo_probe_set *t, csspgo_probe_style style, const csspgo_probe_section *in, int lenient,
                     int what)
{
    meter m;
    csspgo_probe_set *u = tables_new(&m, lenient);
    csspgo_probe_section again = *in;
    csspgo_error e;
    uint8_t *bytes = encoded(t, style, &again.size);
    again.data = bytes;
    if (style != CSSPGO_PROBES_RELATIVE) {             /* nothing but the bytes is needed */
        again.base_count = again.text_count = 0;
        again.flags = style == CSSPGO_PROBES_SENTINEL_ADDRESS ? (uint32_t)CSSPGO_PROBES_RAW_SENTINELS : 0;
    }
    REQUIRE(csspgo_probe_set_decode(u, &again, &e) == CSSPGO_OK);
    same_tables(t, u, what);
    free(bytes);
    tables_free(u, &m);
    return again.size;
}

/* ----- sections --------------------------------------------------------------------------------------------------- */

static void accepted(csspgo_probe_set *t, const csspgo_probe_section *in, int lenient)
{
    const csspgo_probe_tables v = csspgo_probe_set_tables(t);
    size_t i, n, based = 1;
    csspgo_error e;
    check_tables(t);
    recode(t, CSSPGO_PROBES_CHAIN, in, lenient, PROBES);
    recode(t, CSSPGO_PROBES_ABSOLUTE_FIRST, in, lenient, PROBES);
    n = recode(t, CSSPGO_PROBES_ABSOLUTE, in, lenient, PROBES);
    REQUIRE(n <= 5 * in->size);
    for (i = 0; i < v.record_count; i++)
        if (v.records[i].probe_count != 0 && !(v.records[i].flags & CSSPGO_RECORD_BASED)) based = 0;
    REQUIRE((csspgo_probe_set_encode(t, CSSPGO_PROBES_RELATIVE, NULL, 0, &n, &e) == CSSPGO_OK) == (based == 1));
    REQUIRE(based || e.offset < v.record_count);
    if (!based) return;
    recode(t, CSSPGO_PROBES_SENTINEL_ADDRESS, in, lenient, PROBES);
    n = recode(t, CSSPGO_PROBES_RELATIVE, in, lenient, PROBES | RECORDS);
    if (csspgo_probe_set_get_stats(t).absolute == 0) REQUIRE(n <= in->size);     /* LLVM's form, but for padding */
}

/* What the tables hold before the section is appended: one record, one probe. */
static void begin_tables(csspgo_probe_set *t)
{
    csspgo_inline_node node;
    csspgo_probe probe;
    csspgo_probe_function f;
    memset(&node, 0, sizeof node);
    memset(&probe, 0, sizeof probe);
    memset(&f, 0, sizeof f);
    node.guid = f.symbol = 1;
    probe.id = probe.inline_node = 1;
    f.inlines = &node;
    f.probes = &probe;
    f.inline_count = f.probe_count = 1;
    REQUIRE(csspgo_probe_set_add(t, &f, NULL) == CSSPGO_OK);
}

static void rejected(const csspgo_probe_section *in, int lenient, csspgo_status status)
{
    meter m, n, o;
    csspgo_probe_set *t = tables_new(&m, lenient), *u = tables_new(&n, lenient), *w = tables_new(&o, lenient);
    csspgo_probe_section keep = *in;
    csspgo_probe_tables v;
    csspgo_error e;
    size_t cut;
    begin_tables(t);
    begin_tables(u);
    REQUIRE(csspgo_probe_set_decode(t, in, &e) == status);
    same_tables(t, u, PROBES | RECORDS | STATS);               /* as before the call */
    csspgo_probe_set_clear(t);
    keep.flags |= CSSPGO_PROBES_KEEP_COMPLETE;
    REQUIRE(csspgo_probe_set_decode(t, &keep, &e) == status);     /* complete records: those of some prefix */
    check_tables(t);
    v = csspgo_probe_set_tables(t);
    for (cut = (size_t)e.offset; v.record_count != 0 && in->size <= 100; cut--) {     /* long ones cost too much */
        keep.size = cut;
        csspgo_probe_set_clear(w);
        if (csspgo_probe_set_decode(w, &keep, NULL) != CSSPGO_OK) continue;
        same_tables(t, w, PROBES | RECORDS | STATS);
        break;
    }
    tables_free(t, &m);
    tables_free(u, &n);
    tables_free(w, &o);
}

static void fuzz_section(const uint8_t *data, size_t size)
{
    csspgo_symbol_base bases[15];
    const csspgo_text_range text = { 0x400000, 0x402000 };
    const int lenient = data[0] >> 2 & 1;
    csspgo_probe_section in;
    csspgo_status status;
    csspgo_error e, f;
    csspgo_probe_set *t, *u;
    meter m, n;
    size_t i;
    memset(&in, 0, sizeof in);
    in.base_count = data[1] & 15;
    if (size < 2 + 16 * in.base_count) return;
    for (i = 0; i < in.base_count; i++) {
        bases[i].guid = le64(data + 2 + 16 * i);
        bases[i].address = le64(data + 10 + 16 * i);
    }
    in.bases = bases;
    in.data = data + 2 + 16 * in.base_count;
    in.size = size - 2 - 16 * in.base_count;
    in.flags = data[0] >> 3 & 3;
    in.text = &text;
    in.text_count = data[0] >> 5 & 1;
    t = tables_new(&m, lenient);
    u = tables_new(&n, lenient);
    status = csspgo_probe_set_decode(t, &in, &e);
    check_error(&e, status, in.size);
    REQUIRE(m.peak <= 11 * in.size + 32 * in.base_count + 8192);
    REQUIRE(csspgo_probe_set_decode(u, &in, &f) == status && memcmp(&e, &f, sizeof e) == 0);
    same_tables(t, u, PROBES | RECORDS | STATS);               /* a second decode agrees */
    tables_free(u, &n);
    if (status == CSSPGO_OK) {
        accepted(t, &in, lenient);
        told(t, &in, lenient);
        u = tables_new(&n, 1);
        REQUIRE(csspgo_probe_set_decode(u, &in, NULL) == CSSPGO_OK);     /* lenient takes all that strict takes */
        same_tables(t, u, PROBES | RECORDS | STATS);
        tables_free(u, &n);
    } else {
        rejected(&in, lenient, status);
    }
    tables_free(t, &m);
}

/* What is packed is unpacked; what is no call probe is all 0. */
static void discriminators(const uint8_t *data, size_t size)
{
    static const csspgo_probe_options versions[2] = { { 19 }, { 14 } };
    csspgo_call_probe a, b;
    uint32_t word = 0, packed, i;
    if (size < 8) return;
    memcpy(&word, data, 4);
    if (!csspgo_call_probe_unpack(word, &a))
        REQUIRE(a.id == 0 && a.kind == 0 && a.percent == 0 && a.base_discriminator == 0);
    a.id = data[4] * 257u;
    a.kind = data[5] & 3;
    a.percent = data[6] & 127;
    a.base_discriminator = data[7] & 7;
    for (i = 0; i < 2; i++) {
        packed = csspgo_call_probe_pack(&a, &versions[i]);
        if (packed == 0) continue;
        REQUIRE(csspgo_call_probe_unpack(packed, &b) && a.id == b.id && a.kind == b.kind);
        REQUIRE(a.percent == b.percent && (b.base_discriminator == 0 || b.base_discriminator == a.base_discriminator));
    }
}

static void fuzz_descriptors(const uint8_t *data, size_t size)
{
    meter m, n;
    csspgo_probe_set *t = tables_new(&m, 0), *u = tables_new(&n, 0);
    csspgo_probe_tables v, w;
    csspgo_error e;
    const csspgo_status status = csspgo_probe_set_decode_descriptors(t, data, size, &e);
    size_t i, need;
    uint64_t twice;
    uint8_t *bytes;
    check_error(&e, status, size);
    REQUIRE(m.peak <= 8 * size + 8192);
    v = csspgo_probe_set_tables(t);
    if (status != CSSPGO_OK) REQUIRE(v.descriptor_count == 0);
    REQUIRE(csspgo_probe_set_encode_descriptors(t, NULL, 0, &need, NULL) == CSSPGO_OK);
    if (status == CSSPGO_OK && csspgo_probe_set_get_stats(t).duplicate_descriptors == 0) REQUIRE(need <= size);
    bytes = (uint8_t *)malloc(need + 1);
    REQUIRE(bytes != NULL && csspgo_probe_set_encode_descriptors(t, bytes, need, NULL, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_probe_set_decode_descriptors(u, bytes, need, NULL) == CSSPGO_OK);
    w = csspgo_probe_set_tables(u);
    REQUIRE(w.descriptor_count == v.descriptor_count && csspgo_probe_set_get_stats(u).duplicate_descriptors == 0);
    for (i = 0; i < v.descriptor_count; i++) {
        const csspgo_descriptor *a = &v.descriptors[i], *b = &w.descriptors[i];
        REQUIRE(a->guid == b->guid && a->checksum == b->checksum && a->name_size == b->name_size);
        REQUIRE(a->name_size == 0 || memcmp(a->name, b->name, a->name_size) == 0);
    }
    for (i = 0; i < v.descriptor_count; i++)                 /* one after the other: they are all there */
        if (v.descriptors[i].guid != 0)                      /* else it is computed from the name       */
            REQUIRE(csspgo_probe_set_add_descriptor(u, &v.descriptors[i], NULL) == CSSPGO_OK);
    REQUIRE(csspgo_probe_set_tables(u).descriptor_count == v.descriptor_count);
    csspgo_probe_set_clear(u);
    for (i = 0; i < v.descriptor_count; i++) {
        const csspgo_status s = csspgo_probe_set_add_descriptor(u, &v.descriptors[i], NULL);
        REQUIRE(s == CSSPGO_OK || (s == CSSPGO_E_ARGUMENT && v.descriptors[i].guid == 0));
    }
    csspgo_probe_set_clear(u);
    twice = csspgo_probe_set_get_stats(u).duplicate_descriptors;
    for (i = 0; i < 2; i++) REQUIRE(csspgo_probe_set_decode_descriptors(u, bytes, need, NULL) == CSSPGO_OK);
    REQUIRE(csspgo_probe_set_tables(u).descriptor_count == v.descriptor_count);
    discriminators(data, size);
    REQUIRE(csspgo_probe_set_get_stats(u).duplicate_descriptors == twice + v.descriptor_count);
    free(bytes);
    tables_free(t, &m);
    tables_free(u, &n);
}

/* ----- functions -------------------------------------------------------------------------------------------------- */

enum { NODES = 32, FUNCTION_PROBES = 64 };

/* Tables of one function, given to csspgo_probe_set_add again, come out unchanged. */
static void add_again(const csspgo_probe_set *t, const csspgo_probe_function *f)
{
    const csspgo_probe_tables v = csspgo_probe_set_tables(t);
    csspgo_probe_function g = *f;
    meter m;
    csspgo_probe_set *u = tables_new(&m, 0);
    g.inlines = v.inlines;
    g.inline_count = v.inline_count;
    g.probes = v.probes;
    g.probe_count = v.probe_count;
    REQUIRE(csspgo_probe_set_add(u, &g, NULL) == CSSPGO_OK);
    same_tables(t, u, PROBES | RECORDS);
    tables_free(u, &m);
}

/* 1 byte each: nodes, then per node parent, site, GUID; then per probe node, id, kind and attributes, address step. */
static void fuzz_function(const uint8_t *data, size_t size)
{
    csspgo_inline_node inlines[NODES];
    csspgo_probe probes[FUNCTION_PROBES];
    csspgo_symbol_base base;
    csspgo_probe_function f;
    csspgo_probe_section in;
    csspgo_status status;
    csspgo_error e;
    csspgo_probe_set *t;
    meter m;
    size_t i;
    memset(&f, 0, sizeof f);
    memset(&in, 0, sizeof in);
    memset(inlines, 0, sizeof inlines);
    memset(probes, 0, sizeof probes);
    f.inline_count = data[0] % NODES;
    if (size < 1 + 3 * f.inline_count) return;
    for (i = 0, data++; i < f.inline_count; i++, data += 3) {
        inlines[i].parent = data[0];
        inlines[i].site = data[1];
        inlines[i].guid = data[2];
    }
    f.probe_count = (size - 1 - 3 * f.inline_count) / 4;
    if (f.probe_count > FUNCTION_PROBES) f.probe_count = FUNCTION_PROBES;
    f.symbol = base.guid = 3;
    f.address = base.address = 0x1000;
    for (i = 0; i < f.probe_count; i++, data += 4) {
        probes[i].inline_node = data[0];
        probes[i].id = data[1];
        probes[i].kind = data[2] & 3;
        probes[i].attributes = data[2] >> 2 & 7;
        probes[i].discriminator = data[2] >> 5;
        probes[i].address = f.address + data[3];
    }
    f.inlines = inlines;
    f.probes = probes;
    in.bases = &base;
    in.base_count = 1;
    t = tables_new(&m, 0);
    status = csspgo_probe_set_add(t, &f, &e);
    check_error(&e, status, f.inline_count + f.probe_count);
    REQUIRE(csspgo_probe_set_tables(t).probe_count == (status == CSSPGO_OK ? f.probe_count : 0));
    if (status == CSSPGO_OK) {
        check_tables(t);
        in.size = recode(t, CSSPGO_PROBES_RELATIVE, &in, 0, PROBES | RECORDS);
        recode(t, CSSPGO_PROBES_CHAIN, &in, 0, PROBES);
        add_again(t, &f);
    } else {
        check_refusal(&e, &f);
    }
    tables_free(t, &m);
}

/* ----- CFGs: the algorithm as it is written down, without thought of cost ----------------------------------------- */

enum { BLOCKS = 24, NORMAL = 1, EH = 2, COLD = 4, SKIP = 8 };

typedef struct model_block {
    const uint32_t *successors;
    uint32_t successor_count, call_count, flags;
} model_block;

static void model_reach(const model_block *b, uint32_t n, unsigned *set, unsigned mark)
{
    uint32_t round, i, k;
    for (round = 0; round < n; round++)
        for (i = 0; i < n; i++)
            for (k = 0; k < b[i].successor_count && set[i] & mark; k++)
                if (!(b[b[i].successors[k]].flags & CSSPGO_CFG_EH_PAD)) set[b[i].successors[k]] |= mark;
}

static void model_sets(const model_block *b, uint32_t n, unsigned *set)
{
    uint32_t i, j, k;
    memset(set, 0, n * sizeof *set);
    set[0] = NORMAL;
    for (i = 0; i < n; i++)
        if (b[i].flags & CSSPGO_CFG_EH_PAD) set[i] |= EH;
    model_reach(b, n, set, NORMAL);
    model_reach(b, n, set, EH);
    for (i = 0; i < n; i++) {
        int entered = i == 0;
        for (j = 0; j < n; j++)
            for (k = 0; k < b[j].successor_count; k++) entered |= b[j].successors[k] == i;
        if (!entered || (set[i] & (EH | NORMAL)) == EH) set[i] |= COLD | SKIP;
    }
    for (i = 0; i < n; i++)
        if (b[i].flags & CSSPGO_CFG_INVOKE) set[b[i].successors[0]] |= SKIP;
}

static uint32_t model_final(const model_block *b, uint32_t n, const unsigned *set, uint32_t at)
{
    uint32_t steps;
    for (steps = 0; steps < n; steps++) {
        if (!(b[at].flags & CSSPGO_CFG_INVOKE) &&
            !(b[at].successor_count == 1 && set[b[at].successors[0]] & SKIP)) break;
        at = b[at].successors[0];
    }
    return at;
}

static uint64_t model_checksum(const model_block *b, uint32_t n, const unsigned *set, uint32_t *ids)
{
    uint32_t i, k, bit, id = 0, calls = 0, crc = UINT32_MAX;
    uint64_t bytes = 0;
    for (i = 0; i < n; i++) {
        ids[i] = set[i] & SKIP ? 0 : ++id;
        if (set[i] & COLD) continue;
        id += b[i].call_count;
        calls += b[i].call_count;
    }
    for (i = 0; i < n; i++) {
        const model_block *f = &b[model_final(b, n, set, i)];
        for (k = 0; k < f->successor_count && !(set[i] & SKIP); k++) {
            uint32_t to = ids[f->successors[k]];
            for (bit = 0; to != 0 && bit < 32; bit++)
                crc = crc >> 1 ^ ((crc ^ to >> bit) & 1 ? 0xEDB88320u : 0);
            bytes += to != 0 ? 4 : 0;
        }
    }
    return ((uint64_t)calls << 48 | bytes << 32 | crc) & UINT64_C(0x0FFFFFFFFFFFFFFF);
}

/* Per block: flags (2 bits), calls (3), successors (3); then a byte per successor. */
static void fuzz_cfg(const uint8_t *data, size_t size)
{
    model_block b[BLOCKS];
    csspgo_cfg_probes p[BLOCKS];
    csspgo_cfg_edge edge[BLOCKS * 7];
    csspgo_cfg cfg;
    uint32_t successors[BLOCKS * 7], ids[BLOCKS], n = 0, i, used = 0, calls = 0;
    unsigned set[BLOCKS];
    size_t at = 0;
    uint64_t checksum, again;
    const csspgo_probe_options older = { 14 };
    csspgo_error e;
    memset(b, 0, sizeof b);
    for (; n < BLOCKS && at < size; n++) {
        const unsigned head = data[at++];
        b[n].flags = head & 3;
        b[n].call_count = head >> 2 & 7;
        b[n].successors = successors + used;
        for (i = 0; i < head >> 5 && at < size; i++) successors[used++] = data[at++];
        b[n].successor_count = i;
        if (i == 0) b[n].flags &= ~(uint32_t)CSSPGO_CFG_INVOKE;
    }
    for (i = 0; n != 0 && i < used; i++) successors[i] %= n;
    memset(p, 0, sizeof p);
    cfg.block = NULL;
    cfg.blocks = n;
    cfg.edge = edge;
    cfg.edges = 0;
    for (i = 0; i < n; i++) {
        uint32_t k;
        p[i].flags = b[i].flags;
        p[i].call_count = b[i].call_count;
        for (k = 0; k < b[i].successor_count; k++) {
            memset(&edge[cfg.edges], 0, sizeof *edge);
            edge[cfg.edges].from = i;
            edge[cfg.edges++].to = b[i].successors[k];
        }
    }
    REQUIRE(csspgo_cfg_checksum(&cfg, NULL, NULL, p, &checksum, &e) == CSSPGO_OK);
    REQUIRE(checksum >> 60 == 0 && checksum != 0);
    if (n == 0) return;
    model_sets(b, n, set);
    REQUIRE(model_checksum(b, n, set, ids) == checksum);
    for (i = 0; i < n; i++) {
        REQUIRE(p[i].id == ids[i] && p[i].numbered_calls == (set[i] & COLD ? 0 : b[i].call_count));
        calls += b[i].call_count;
    }
    REQUIRE(csspgo_cfg_checksum(&cfg, &older, NULL, p, &again, &e) == CSSPGO_OK);
    REQUIRE(again >> 48 == calls && (again >> 32 & 0xffff) == 4 * used && p[n - 1].id == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 65536) return 0;
    switch (data[0] & 3) {
    case 0: fuzz_section(data, size); break;
    case 1: fuzz_descriptors(data + 1, size - 1); break;
    case 2: fuzz_function(data + 1, size - 1); break;
    case 3: fuzz_cfg(data + 1, size - 1); break;
    }
    return 0;
}
