/* test_probes.c - code layer, second chapter: probe sections, probe ids, CFG checksums.
 *
 * With arguments it is the tool of oracle_probes.sh:
 *     test_probes lines SYMBOLS PROBE DESC          the decoded probes, in the words of llvm-profgen
 *     test_probes convert STYLE SYMBOLS PROBE OUT   the section in another style (a number of csspgo_probe_style)
 */
#include "t.h"

#define DATA "data/probes/"

/* ----- strings that grow, lines, samples -------------------------------------------------------------------------- */

typedef struct str {
    char  *p;
    size_t n, cap;
} str;

static void str_put(str *s, const void *data, size_t n)
{
    if (s->n + n + 1 > s->cap) {
        s->cap = 2 * (s->n + n + 1);
        s->p = (char *)realloc(s->p, s->cap);
        if (s->p == NULL) abort();
    }
    if (n != 0) memcpy(s->p + s->n, data, n);
    s->n += n;
    s->p[s->n] = '\0';
}

static void str_text(str *s, const char *text) { str_put(s, text, strlen(text)); }

static void str_u64(str *s, const char *format, uint64_t v)
{
    char b[40];
    snprintf(b, sizeof b, format, (unsigned long long)v);
    str_text(s, b);
}

static void str_byte(str *s, unsigned v)
{
    const unsigned char b = (unsigned char)v;
    str_put(s, &b, 1);
}

static void str_le64(str *s, uint64_t v)
{
    unsigned i;
    for (i = 0; i < 64; i += 8) str_byte(s, (unsigned)(v >> i & 255));
}

static void str_hex(str *s, const char *digits)
{
    unsigned v;
    for (; sscanf(digits, "%2x", &v) == 1; digits += 2) str_byte(s, v);
}

/* The next line of a text, without its end; NULL at the end. Terminates it in place. */
static char *next_line(char **at)
{
    char *line = *at, *end;
    if (line == NULL || *line == '\0') return NULL;
    end = strchr(line, '\n');
    *at = end != NULL ? end + 1 : line + strlen(line);
    if (end != NULL) *end = '\0';
    return line;
}

/* The file without lines that begin with '#' and, if once_by_key, without lines whose first word was there before. */
static str expected_lines(const char *path, int once_by_key)
{
    size_t size;
    char *text = t_file(path, &size), *at = text, *line;
    str s, keys;
    memset(&s, 0, sizeof s);
    memset(&keys, 0, sizeof keys);
    str_text(&s, "");
    str_text(&keys, " ");
    while ((line = next_line(&at)) != NULL) {
        char key[64];
        if (line[0] == '#' && line[1] != '#') continue;
        snprintf(key, sizeof key, " %.*s ", (int)strcspn(line, " "), line);
        if (once_by_key && strstr(keys.p, key) != NULL) continue;
        str_text(&keys, key + 1);
        str_text(&s, line);
        str_text(&s, "\n");
    }
    free(keys.p);
    free(text);
    return s;
}

/* A section with its symbols. */
typedef struct sample {
    csspgo_probe_section in;
    csspgo_symbol_base  *bases;
    char                *probe;
} sample;

/* Symbols of symbols.txt: address size type bind section-index name. section: "" = of every section. */
static csspgo_symbol_base *load_symbols(const char *path, const char *section, size_t *count)
{
    size_t size, n = 0;
    char *text = t_file(path, &size), *at = text, *line;
    csspgo_symbol_base *v = (csspgo_symbol_base *)calloc(size / 8 + 1, sizeof *v);
    while ((line = next_line(&at)) != NULL) {
        unsigned long long address;
        char index[16];
        int name = 0;
        if (line[0] == '#' || sscanf(line, "%llx %*s %*s %*s %15s %n", &address, index, &name) < 2) continue;
        if (section[0] != '\0' && strcmp(section, index) != 0) continue;
        v[n].guid = csspgo_guid(line + name, strlen(line + name));
        v[n++].address = address;
    }
    free(text);
    *count = n;
    return v;
}

static sample load_sample(const char *dir, const char *probe, const char *section)
{
    sample s;
    char path[200];
    memset(&s, 0, sizeof s);
    snprintf(path, sizeof path, "%s/symbols.txt", dir);
    s.bases = load_symbols(path, section, &s.in.base_count);
    s.in.bases = s.bases;
    snprintf(path, sizeof path, "%s/%s", dir, probe);
    s.probe = t_file(path, &s.in.size);
    s.in.data = s.probe;
    return s;
}

static void free_sample(sample *s)
{
    free(s->bases);
    free(s->probe);
}

static csspgo_probe_set *new_probes(int lenient)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    return csspgo_probe_set_new(&o, NULL);
}

static void decode_desc(csspgo_probe_set *t, const char *path)
{
    size_t size;
    char *desc = t_file(path, &size);
    T_EQ(csspgo_probe_set_decode_descriptors(t, desc, size, NULL), CSSPGO_OK);
    free(desc);
}

static int same_stats(const csspgo_probe_set_stats *a, const csspgo_probe_set_stats *b)
{
    return memcmp(a, b, sizeof *a) == 0;       /* nothing but uint64_t inside */
}

/* Equal arrays; records too, unless only is 1. */
static int same_tables(const csspgo_probe_set *a, const csspgo_probe_set *b, int only_probes)
{
    const csspgo_probe_tables x = csspgo_probe_set_tables(a), y = csspgo_probe_set_tables(b);
    size_t i;
    if (x.inline_count != y.inline_count || x.probe_count != y.probe_count) return 0;
    if (x.record_count != y.record_count) return 0;
    if (x.inline_count != 0 && memcmp(x.inlines, y.inlines, x.inline_count * sizeof *x.inlines) != 0) return 0;
    if (x.probe_count != 0 && memcmp(x.probes, y.probes, x.probe_count * sizeof *x.probes) != 0) return 0;
    for (i = 0; i < x.record_count; i++) {
        const csspgo_probe_record *r = &x.records[i], *s = &y.records[i];
        if (r->first_inline != s->first_inline || r->inline_count != s->inline_count) return 0;
        if (r->first_probe != s->first_probe || r->probe_count != s->probe_count) return 0;
        if (!only_probes && (r->symbol != s->symbol || r->address != s->address || r->flags != s->flags)) return 0;
    }
    return 1;
}

/* What csspgo_probe_set_encode writes, of exactly its size. */
static str encoded(const csspgo_probe_set *t, csspgo_probe_style style)
{
    str s;
    size_t need = 77;
    csspgo_error e;
    memset(&s, 0, sizeof s);
    T_EQ(csspgo_probe_set_encode(t, style, NULL, 0, &need, &e), CSSPGO_OK);
    s.p = (char *)malloc(need + 1);
    if (s.p == NULL) abort();
    T_EQ(csspgo_probe_set_encode(t, style, s.p, need, &s.n, &e), CSSPGO_OK);
    T_EQ(s.n, need);
    return s;
}

/* ----- the decoder against LLVM's --------------------------------------------------------------------------------- */

static void put_name(str *s, const csspgo_probe_tables *t, uint64_t guid)
{
    size_t i;
    for (i = 0; i < t->descriptor_count; i++)
        if (t->descriptors[i].guid == guid) {
            str_put(s, t->descriptors[i].name, t->descriptors[i].name_size);
            return;
        }
    str_u64(s, "guid:%016llx", guid);
}

static void put_stack(str *s, const csspgo_probe_tables *t, uint32_t node)
{
    uint32_t path[64], n = 0;
    for (; t->inlines[node - 1].parent != 0; node = t->inlines[node - 1].parent) path[n++] = node;
    while (n-- > 0) {
        const csspgo_inline_node *child = &t->inlines[path[n] - 1];
        put_name(s, t, t->inlines[child->parent - 1].guid);
        str_u64(s, ":%llu", child->site);
        if (n != 0) str_text(s, " @ ");
    }
}

/* The probes' indices by address, for free(). */
static uint32_t *by_address(const csspgo_probe_set *t)
{
    uint32_t *order = (uint32_t *)malloc((csspgo_probe_set_tables(t).probe_count + 1) * sizeof *order);
    csspgo_error e;
    if (order == NULL) abort();
    T_EQ(csspgo_probe_set_by_address(t, order, &e), CSSPGO_OK);
    T_EQ(e.status, CSSPGO_OK);
    return order;
}

static const char *const kind_names[] = { "Block", "IndirectCall", "DirectCall" };

/* The probes in the format of expected.txt. */
static void render(str *s, csspgo_probe_set *p)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(p);
    uint32_t *order = by_address(p);
    size_t i;
    for (i = 0; i < t.probe_count; i++) {
        const csspgo_probe *probe = &t.probes[order[i]];
        const uint32_t node = probe->inline_node;
        str_u64(s, "%llx\t", probe->address);
        put_name(s, &t, t.inlines[node - 1].guid);
        str_u64(s, "\t%llu\t", probe->id);
        str_text(s, kind_names[probe->kind]);
        str_u64(s, "\t%llx", probe->attributes);
        str_u64(s, "\t%llx\t", probe->discriminator);
        if (t.inlines[node - 1].parent == 0) str_text(s, "-");
        else put_stack(s, &t, node);
        str_text(s, "\n");
    }
    free(order);
}

static const char *const linked[] = {
    "x01_basic", "x02_nodebug", "x03_legacy_abs", "x04_bolt", "x05_fsdisc", "x06_eh", "x07_odd", "x08_coldsplit",
    "x09_thinlto", "x10_comdat_dup", "x11_comdat_gc", "x12_same_static", "x13_coro", "x14_aarch64", "x15_bbsections",
    "x16_devirt"
};
enum { LINKED = sizeof linked / sizeof *linked, LEGACY_ABS = 2, BOLT = 3, COMDAT_DUP = 9, SAME_STATIC = 11 };

static sample load_linked(size_t i)
{
    char dir[100];
    snprintf(dir, sizeof dir, DATA "%s", linked[i]);
    return load_sample(dir, "probe.bin", "");
}

static void decode_linked(size_t i, csspgo_probe_set *t, int with_desc)
{
    sample s = load_linked(i);
    char path[100];
    csspgo_error e;
    e.status = CSSPGO_E_IO;
    if (!T_EQ(csspgo_probe_set_decode(t, &s.in, &e), CSSPGO_OK)) fprintf(stderr, "    %s: %s\n", linked[i], e.message);
    T_EQ(e.status, CSSPGO_OK);
    snprintf(path, sizeof path, DATA "%s/desc.bin", linked[i]);
    if (with_desc) decode_desc(t, path);
    free_sample(&s);
}

static void every_sample_decodes_as_in_llvm(void)
{
    size_t i, probes = 0;
    for (i = 0; i < LINKED; i++) {
        csspgo_probe_set *t = new_probes(0);
        char path[100];
        str got, want;
        memset(&got, 0, sizeof got);
        decode_linked(i, t, 1);
        render(&got, t);
        snprintf(path, sizeof path, DATA "%s/expected.txt", linked[i]);
        want = expected_lines(path, 0);
        t_same(path, got.p, got.n, want.p, want.n);
        probes += csspgo_probe_set_tables(t).probe_count;
        free(got.p);
        free(want.p);
        csspgo_probe_set_free(t);
    }
    T_EQ(probes, 736);             /* lines of all expected.txt */
}

static void every_descriptor_decodes_the_first_of_a_guid_wins(void)
{
    size_t i, k;
    for (i = 0; i < LINKED; i++) {
        csspgo_probe_set *t = new_probes(0);
        csspgo_probe_tables v;
        char path[100];
        str got, want;
        memset(&got, 0, sizeof got);
        snprintf(path, sizeof path, DATA "%s/desc.bin", linked[i]);
        decode_desc(t, path);
        v = csspgo_probe_set_tables(t);
        for (k = 0; k < v.descriptor_count; k++) {
            const csspgo_descriptor *d = &v.descriptors[k];
            str_u64(&got, "%016llx ", d->guid);
            str_u64(&got, "%016llx ", d->checksum);
            str_put(&got, d->name, d->name_size);
            str_text(&got, "\n");
            T_EQ(csspgo_guid(d->name, d->name_size), d->guid);
        }
        snprintf(path, sizeof path, DATA "%s/expected_desc.txt", linked[i]);
        want = expected_lines(path, 1);
        t_same(path, got.p, got.n, want.p, want.n);
        T_EQ(csspgo_probe_set_get_stats(t).duplicate_descriptors, i == COMDAT_DUP ? 2 : i == SAME_STATIC ? 3 : 0);
        T_EQ(csspgo_probe_set_get_stats(t).conflicting_descriptors, i == SAME_STATIC);     /* two functions of one name */
        free(got.p);
        free(want.p);
        csspgo_probe_set_free(t);
    }
}

/* Calls f with each probe section of the object file, the number of its text section and the line that names both. */
static void each_object_section(void (*f)(const char *file, const char *section, const char *text, str *out), str *out)
{
    size_t size;
    char *text = t_file(DATA "x17_object/sections.txt", &size), *at = text, *line;
    while ((line = next_line(&at)) != NULL) {
        char file[40], section[40], index[16];
        if (sscanf(line, "%39s probe %39s (section %15[0-9])", file, section, index) == 3) f(file, index, section, out);
    }
    free(text);
}

static void render_object_section(const char *file, const char *section, const char *text, str *out)
{
    csspgo_probe_set *t = new_probes(0);
    sample s = load_sample(DATA "x17_object", file, section);
    char path[60];
    int i;
    T_EQ(csspgo_probe_set_decode(t, &s.in, NULL), CSSPGO_OK);
    for (i = 0; i < 8; i++) {
        snprintf(path, sizeof path, DATA "x17_object/desc%02d.bin", i);
        decode_desc(t, path);
    }
    T_EQ(csspgo_probe_set_tables(t).descriptor_count, 8);
    str_text(out, "## ");
    str_text(out, file);
    str_text(out, " ");
    str_text(out, text);
    str_text(out, "\n");
    render(out, t);
    free_sample(&s);
    csspgo_probe_set_free(t);
}

static void object_files_decode_with_symbols_at_address_0(void)
{
    str got, want = expected_lines(DATA "x17_object/expected.txt", 0);
    memset(&got, 0, sizeof got);
    each_object_section(render_object_section, &got);
    t_same("x17_object", got.p, got.n, want.p, want.n);
    free(got.p);
    free(want.p);
}

static void reencode_object_section(const char *file, const char *section, const char *text, str *out)
{
    csspgo_probe_set *t = new_probes(0);
    sample s = load_sample(DATA "x17_object", file, section);
    str bytes;
    T_EQ(csspgo_probe_set_decode(t, &s.in, NULL), CSSPGO_OK);
    bytes = encoded(t, CSSPGO_PROBES_RELATIVE);
    t_same(text, bytes.p, bytes.n, s.probe, s.in.size);
    str_byte(out, 'x');
    free(bytes.p);
    free_sample(&s);
    csspgo_probe_set_free(t);
}

static void encoding_what_was_decoded_gives_the_same_bytes(void)
{
    size_t i;
    str sections;
    memset(&sections, 0, sizeof sections);
    for (i = 0; i < LINKED; i++) {
        csspgo_probe_set *t = new_probes(0);
        sample s = load_linked(i);
        const int chain = i == LEGACY_ABS || i == BOLT;
        str bytes;
        T_EQ(csspgo_probe_set_decode(t, &s.in, NULL), CSSPGO_OK);
        bytes = encoded(t, chain ? CSSPGO_PROBES_CHAIN : CSSPGO_PROBES_RELATIVE);
        t_same(linked[i], bytes.p, bytes.n, s.probe, s.in.size);
        T_EQ(csspgo_probe_set_get_stats(t).absolute, chain);
        free(bytes.p);
        free_sample(&s);
        csspgo_probe_set_free(t);
    }
    each_object_section(reencode_object_section, &sections);
    T_EQ(sections.n, 6);
    free(sections.p);
}

static void encoding_decoded_descriptors_gives_the_same_bytes(void)
{
    size_t i, n, size;
    for (i = 0; i < LINKED; i++) {
        csspgo_probe_set *t = new_probes(0);
        char path[100], *desc, *out;
        snprintf(path, sizeof path, DATA "%s/desc.bin", linked[i]);
        desc = t_file(path, &size);
        T_EQ(csspgo_probe_set_decode_descriptors(t, desc, size, NULL), CSSPGO_OK);
        T_EQ(csspgo_probe_set_encode_descriptors(t, NULL, 0, &n, NULL), CSSPGO_OK);
        out = (char *)malloc(n + 1);
        T_EQ(csspgo_probe_set_encode_descriptors(t, out, n, NULL, NULL), CSSPGO_OK);
        if (csspgo_probe_set_get_stats(t).duplicate_descriptors == 0) t_same(path, out, n, desc, size);
        else T_CHECK(n < size);
        T_EQ(csspgo_probe_set_decode_descriptors(t, out, n, NULL), CSSPGO_OK);   /* nothing that was not there */
        T_EQ(csspgo_probe_set_encode_descriptors(t, NULL, 0, &size, NULL), CSSPGO_OK);
        T_EQ(size, n);
        free(out);
        free(desc);
        csspgo_probe_set_free(t);
    }
}

/* ----- the encoder: vectors, styles ------------------------------------------------------------------------------- */

static uint64_t guid_of(const char *name) { return csspgo_guid(name, strlen(name)); }

static uint64_t vector_symbol(const char *name)
{
    static const struct { const char *name; uint64_t address; } symbols[] = {
        { "op_a", 0x401110 }, { "op_b", 0x401120 }, { "fact", 0x401130 }, { "tailc", 0x401220 }, { "top", 0x401230 },
        { "main", 0x4012f0 }
    };
    size_t i;
    for (i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strcmp(symbols[i].name, name) == 0) return symbols[i].address;
    T_MSG(0, "a vector with an unknown symbol");
    return 0;
}

/* One function to be encoded, built step by step. */
typedef struct builder {
    csspgo_probe_function f;
    csspgo_inline_node inlines[200];
    csspgo_probe  probes[200];
} builder;

static void build_begin(builder *b, uint64_t symbol, uint64_t address)
{
    memset(b, 0, sizeof *b);
    b->f.symbol = symbol;
    b->f.address = address;
    b->f.inlines = b->inlines;
    b->f.probes = b->probes;
}

static uint32_t build_node(builder *b, uint32_t parent, uint32_t site, uint64_t guid)
{
    csspgo_inline_node *n = &b->inlines[b->f.inline_count++];
    n->guid = guid;
    n->parent = parent;
    n->site = site;
    return (uint32_t)b->f.inline_count;
}

static void build_probe(builder *b, uint32_t node, uint64_t address, uint32_t id, uint32_t kind, uint32_t discriminator)
{
    csspgo_probe *p = &b->probes[b->f.probe_count++];
    p->address = address;
    p->id = id;
    p->kind = (uint8_t)kind;
    p->discriminator = discriminator;
    p->inline_node = node;
}

/* Reads the record that begins in line ("record F [sentinel S]") and its indented lines. */
static char *read_vector_record(builder *b, char *line, char **at)
{
    uint32_t at_depth[16];
    char name[32], symbol[32];
    if (sscanf(line, "record %31s sentinel %31s", name, symbol) < 2) strcpy(symbol, name);
    build_begin(b, guid_of(symbol), vector_symbol(symbol));
    at_depth[0] = build_node(b, 0, 0, guid_of(name));
    while ((line = next_line(at)) != NULL && line[0] == ' ') {
        const size_t depth = strspn(line, " ") / 2;
        unsigned long long address;
        unsigned id, kind, disc, site;
        if (sscanf(line, " probe %llx %u %u %x", &address, &id, &kind, &disc) == 4)
            build_probe(b, at_depth[depth - 1], address, id, kind, disc);
        else if (sscanf(line, " child %u %31s", &site, name) == 2)
            at_depth[depth] = build_node(b, at_depth[depth - 1], site, guid_of(name));
        else T_MSG(0, line);
    }
    return line;
}

static void every_encoder_vector_holds_both_ways(void)
{
    size_t size, vectors = 0;
    char *text = t_file(DATA "enc/VECTORS.txt", &size), *at = text, *line = next_line(&at);
    sample s = load_sample(DATA "x01_basic", "probe.bin", "");
    csspgo_probe_set *t = new_probes(0), *u = new_probes(0);
    builder *b = (builder *)malloc(sizeof *b);
    while (line != NULL) {
        if (strncmp(line, "record ", 7) == 0) {
            line = read_vector_record(b, line, &at);
            T_EQ(csspgo_probe_set_add(t, &b->f, NULL), CSSPGO_OK);
            continue;
        }
        if (strncmp(line, "hex ", 4) == 0) {
            str want, got = encoded(t, CSSPGO_PROBES_RELATIVE);
            csspgo_probe_section in = s.in;
            memset(&want, 0, sizeof want);
            str_hex(&want, line + 4);
            t_same(line, got.p, got.n, want.p, want.n);
            in.data = want.p;
            in.size = want.n;
            T_EQ(csspgo_probe_set_decode(u, &in, NULL), CSSPGO_OK);
            T_CHECK(same_tables(t, u, 0));
            free(got.p);
            got = encoded(u, CSSPGO_PROBES_RELATIVE);
            t_same(line, got.p, got.n, want.p, want.n);
            free(got.p);
            free(want.p);
            csspgo_probe_set_clear(t);
            csspgo_probe_set_clear(u);
            vectors++;
        }
        line = next_line(&at);
    }
    T_EQ(vectors, 10);
    free(b);
    csspgo_probe_set_free(t);
    csspgo_probe_set_free(u);
    free_sample(&s);
    free(text);
}

static void an_encoded_function_is_what_llvms_assembler_makes_of_it(void)
{
    csspgo_probe_set *t = new_probes(0);
    builder *b = (builder *)malloc(sizeof *b);
    str want, got;
    build_begin(b, guid_of("foo"), 0x1000);
    build_node(b, 0, 0, 1);
    build_node(b, 1, 7, 2);
    build_probe(b, 1, 0x1000, 1, 0, 0);
    build_probe(b, 2, 0x1001, 3, 0, 0);
    build_probe(b, 1, 0x1002, 2, 2, 0);
    T_EQ(csspgo_probe_set_add(t, &b->f, NULL), CSSPGO_OK);
    memset(&want, 0, sizeof want);
    str_hex(&want, "010000000000000003010020acbd18db4cc2f85c01800002820207020000000000000001000380" "7f");
    got = encoded(t, CSSPGO_PROBES_RELATIVE);
    t_same("foo", got.p, got.n, want.p, want.n);
    free(got.p);
    free(want.p);
    free(b);
    csspgo_probe_set_free(t);
}

static void nodes_are_sorted_merged_and_left_out_if_unused(void)
{
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_tables v;
    builder *b = (builder *)malloc(sizeof *b);
    build_begin(b, 50, 0x1000);
    build_node(b, 0, 0, 90);           /* 1: top level, not the symbol's own              */
    build_node(b, 0, 0, 50);           /* 2: top level                                    */
    build_node(b, 2, 9, 7);            /* 3                                               */
    build_node(b, 2, 3, 7);            /* 4: same GUID, smaller site                      */
    build_node(b, 2, 9, 7);            /* 5: equal to 3                                   */
    build_node(b, 5, 1, 6);            /* 6: below the copy                               */
    build_node(b, 3, 1, 6);            /* 7: equal to 6                                   */
    build_node(b, 2, 1, 5);            /* 8: no probe below it                            */
    build_node(b, 0, 77, 50);          /* 9: equal to 2, the site of a root means nothing */
    build_probe(b, 7, 0x1004, 1, 0, 0);
    build_probe(b, 6, 0x1002, 2, 0, 0);
    build_probe(b, 4, 0x1003, 3, 1, 5);
    build_probe(b, 9, 0x1001, 4, 2, 0);
    build_probe(b, 1, 0x1000, 5, 0, 0);
    build_probe(b, 2, 0x1005, 6, 0, 0);
    T_EQ(csspgo_probe_set_add(t, &b->f, NULL), CSSPGO_OK);
    v = csspgo_probe_set_tables(t);
    T_EQ(v.inline_count, 5);
    T_EQ(v.record_count, 2);
    T_EQ(v.probe_count, 6);
    T_CHECK(v.inlines[0].guid == 50 && v.inlines[0].parent == 0 && v.inlines[0].site == 0);
    T_CHECK(v.inlines[1].guid == 7 && v.inlines[1].parent == 1 && v.inlines[1].site == 3);
    T_CHECK(v.inlines[2].guid == 7 && v.inlines[2].parent == 1 && v.inlines[2].site == 9);
    T_CHECK(v.inlines[3].guid == 6 && v.inlines[3].parent == 3 && v.inlines[3].site == 1);
    T_CHECK(v.inlines[4].guid == 90 && v.inlines[4].parent == 0);
    T_CHECK(v.probes[0].id == 4 && v.probes[0].inline_node == 1);
    T_CHECK(v.probes[1].id == 6 && v.probes[1].inline_node == 1);
    T_CHECK(v.probes[2].id == 3 && v.probes[2].inline_node == 2 && v.probes[2].attributes == 4);
    T_CHECK(v.probes[3].id == 1 && v.probes[3].inline_node == 4);
    T_CHECK(v.probes[4].id == 2 && v.probes[4].inline_node == 4);
    T_CHECK(v.probes[5].id == 5 && v.probes[5].inline_node == 5);
    T_CHECK(v.records[0].symbol == 50 && v.records[0].flags == CSSPGO_RECORD_BASED && v.records[0].inline_count == 4);
    T_CHECK(v.records[1].symbol == 50 && v.records[1].flags == (CSSPGO_RECORD_BASED | CSSPGO_RECORD_SENTINEL));
    T_CHECK(v.records[1].first_inline == 4 && v.records[1].first_probe == 5 && v.records[1].probe_count == 1);

    T_EQ(csspgo_probe_set_add(t, &b->f, NULL), CSSPGO_OK);         /* a second function is numbered on */
    v = csspgo_probe_set_tables(t);
    T_EQ(v.inline_count, 10);
    T_CHECK(v.inlines[5].parent == 0 && v.inlines[6].parent == 6 && v.inlines[8].parent == 8);
    T_EQ(v.probes[6].inline_node, 6);
    T_EQ(v.records[2].first_probe, 6);

    b->f.probe_count = 0;                                       /* without probes there is nothing to say */
    T_EQ(csspgo_probe_set_add(t, &b->f, NULL), CSSPGO_OK);
    T_EQ(csspgo_probe_set_tables(t).record_count, 4);
    free(b);
    csspgo_probe_set_free(t);
}

static void a_function_without_linkage_name_is_its_own_symbol(void)
{
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_tables v;
    builder *b = (builder *)malloc(sizeof *b);
    build_begin(b, 0, 0x1000);
    build_node(b, 0, 0, 90);
    build_probe(b, 1, 0x1000, 1, 0, 0);
    T_EQ(csspgo_probe_set_add(t, &b->f, NULL), CSSPGO_OK);
    v = csspgo_probe_set_tables(t);
    T_CHECK(v.records[0].symbol == 90 && v.records[0].flags == CSSPGO_RECORD_BASED);
    free(b);
    csspgo_probe_set_free(t);
}

static void functions_that_break_the_rules_are_refused(void)
{
    int i;
    builder *b = (builder *)malloc(sizeof *b);
    for (i = 0; i < 8; i++) {
        csspgo_probe_set *t = new_probes(0);
        csspgo_error e;
        build_begin(b, 50, 0x1000);
        build_node(b, 0, 0, 50);
        build_node(b, 1, 2, 60);
        build_probe(b, 2, 0x1000, 1, 0, 0);
        if (i == 1) b->inlines[0].parent = 1;          /* its own parent   */
        if (i == 2) b->inlines[1].guid = 0;
        if (i == 3) b->probes[0].inline_node = 3;
        if (i == 4) b->probes[0].inline_node = 0;
        if (i == 5) b->probes[0].id = 0;
        if (i == 6) b->probes[0].kind = 3;
        if (i == 7) b->probes[0].attributes = 2;
        T_EQ(csspgo_probe_set_add(t, &b->f, &e), i == 0 ? CSSPGO_OK : CSSPGO_E_ARGUMENT);
        T_EQ(e.status, i == 0 ? CSSPGO_OK : CSSPGO_E_ARGUMENT);
        T_EQ(e.message[0] != '\0', i != 0);
        T_EQ(e.offset, i == 2);                        /* the index in the array that the message names */
        T_EQ(csspgo_probe_set_tables(t).inline_count, i == 0 ? 2 : 0);
        csspgo_probe_set_free(t);
    }
    free(b);
}

static void every_style_is_read_back_as_the_same_probes(void)
{
    size_t i;
    int style;
    for (i = 0; i < LINKED; i++) {
        csspgo_probe_set *t = new_probes(0);
        decode_linked(i, t, 0);
        for (style = 0; style <= CSSPGO_PROBES_CHAIN; style++) {
            csspgo_probe_set *u = new_probes(0);
            sample s = load_linked(i);
            str bytes = encoded(t, (csspgo_probe_style)style);
            s.in.data = bytes.p;
            s.in.size = bytes.n;
            if (style != CSSPGO_PROBES_RELATIVE) s.in.base_count = 0;
            if (style == CSSPGO_PROBES_SENTINEL_ADDRESS) s.in.flags = CSSPGO_PROBES_RAW_SENTINELS;
            T_EQ(csspgo_probe_set_decode(u, &s.in, NULL), CSSPGO_OK);
            T_CHECK(same_tables(t, u, 1));
            if (i == 0 && style == CSSPGO_PROBES_RELATIVE) T_EQ(bytes.n, 348);
            if (i == 0 && style == CSSPGO_PROBES_ABSOLUTE_FIRST) T_EQ(bytes.n, 390);
            free(bytes.p);
            free_sample(&s);
            csspgo_probe_set_free(u);
        }
        csspgo_probe_set_free(t);
    }
}

static void an_unknown_style_is_refused(void)
{
    csspgo_probe_set *t = new_probes(0);
    size_t n = 5;
    T_EQ(csspgo_probe_set_encode(t, (csspgo_probe_style)(CSSPGO_PROBES_CHAIN + 1), NULL, 0, &n, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(n, 0);
    csspgo_probe_set_free(t);
}

static void short_buffers_are_filled_and_told_the_size(void)
{
    csspgo_probe_set *t = new_probes(0);
    str whole;
    size_t cap, size, desc_size;
    char *desc;
    csspgo_error e;
    decode_linked(0, t, 1);
    whole = encoded(t, CSSPGO_PROBES_RELATIVE);
    for (cap = 0; cap < whole.n; cap++) {
        char *b = (char *)t_copy(whole.p, cap);
        memset(b, 0xa5, cap);
        T_EQ(csspgo_probe_set_encode(t, CSSPGO_PROBES_RELATIVE, b, cap, &size, &e), CSSPGO_E_SHORT);
        T_EQ(size, whole.n);
        T_EQ(e.status, CSSPGO_E_SHORT);
        T_CHECK(memcmp(b, whole.p, cap) == 0);
        free(b);
    }
    desc = t_file(DATA "x01_basic/desc.bin", &desc_size);
    for (cap = 0; cap < desc_size; cap++) {
        char *b = (char *)t_copy(desc, cap);
        memset(b, 0xa5, cap);
        T_EQ(csspgo_probe_set_encode_descriptors(t, b, cap, &size, &e), CSSPGO_E_SHORT);
        T_EQ(size, desc_size);
        T_CHECK(memcmp(b, desc, cap) == 0);
        free(b);
    }
    free(desc);
    free(whole.p);
    csspgo_probe_set_free(t);
}

/* ----- rules of the base address ---------------------------------------------------------------------------------- */

static void rec(str *s, uint64_t guid, unsigned probes, unsigned children)
{
    str_le64(s, guid);
    str_byte(s, probes);
    str_byte(s, children);
}

static void delta(str *s, unsigned id, unsigned d)
{
    str_byte(s, id);
    str_byte(s, 0x80);
    str_byte(s, d);
}

static void absolute(str *s, unsigned id, unsigned tag, uint64_t address)
{
    str_byte(s, id);
    str_byte(s, tag);
    str_le64(s, address);
}

static csspgo_probe_section section_of(const str *s, const csspgo_symbol_base *bases, size_t count)
{
    csspgo_probe_section in;
    memset(&in, 0, sizeof in);
    in.data = s->p;
    in.size = s->n;
    in.bases = bases;
    in.base_count = count;
    return in;
}

static uint64_t address_of(const csspgo_probe_set *t, size_t i)
{
    const csspgo_probe_tables v = csspgo_probe_set_tables(t);
    return T_CHECK(i < v.probe_count) ? v.probes[i].address : 0;
}

static void a_symbol_at_0_is_a_base_and_the_last_of_a_name_wins(void)
{
    const csspgo_symbol_base bases[] = { { 1, 0x100 }, { 2, 0x200 }, { 1, 0 } };
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_section in;
    str s;
    memset(&s, 0, sizeof s);
    rec(&s, 2, 1, 0);
    delta(&s, 1, 1);
    rec(&s, 1, 1, 0);
    delta(&s, 1, 2);
    in = section_of(&s, bases, 3);
    T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
    T_EQ(address_of(t, 0), 0x201);
    T_EQ(address_of(t, 1), 2);
    free(s.p);
    csspgo_probe_set_free(t);
}

static void a_record_without_symbol_does_not_inherit_a_base(void)
{
    const csspgo_symbol_base base = { 1, 0x100 };
    int lenient;
    for (lenient = 0; lenient < 2; lenient++) {
        csspgo_probe_set *t = new_probes(lenient);
        csspgo_probe_section in;
        csspgo_error e;
        str s;
        memset(&s, 0, sizeof s);
        rec(&s, 1, 1, 0);
        delta(&s, 1, 1);
        rec(&s, 9, 2, 1);              /* no symbol: its probes and those of its inlinee are lost */
        delta(&s, 1, 1);
        delta(&s, 2, 1);
        str_byte(&s, 2);
        rec(&s, 1, 1, 0);
        delta(&s, 1, 1);
        rec(&s, 1, 1, 0);
        delta(&s, 1, 3);
        in = section_of(&s, &base, 1);
        T_EQ(csspgo_probe_set_decode(t, &in, &e), lenient ? CSSPGO_OK : CSSPGO_E_SYNTAX);
        if (lenient) {
            const csspgo_probe_tables v = csspgo_probe_set_tables(t);
            T_EQ(v.probe_count, 2);
            T_EQ(v.inline_count, 4);
            T_EQ(v.record_count, 3);
            T_EQ(csspgo_probe_set_get_stats(t).no_base, 3);
            T_EQ(v.probes[1].address, 0x103);
            T_EQ(v.probes[1].inline_node, 4);
            T_EQ(v.records[0].flags, CSSPGO_RECORD_BASED);
            T_EQ(v.records[1].flags, 0);
        } else {
            T_EQ(e.offset, 23);
            T_CHECK(strstr(e.message, "0x9") != NULL);
        }
        free(s.p);
        csspgo_probe_set_free(t);
    }
}

/* The addresses that symbols tell, told per record instead. */
static void addresses_of_records_stand_for_symbols(void)
{
    size_t i, k;
    for (i = 0; i < LINKED; i++) {
        sample s = load_linked(i);
        csspgo_probe_set *t = new_probes(0), *u = new_probes(0);
        csspgo_probe_section in = s.in;
        csspgo_probe_tables v;
        uint64_t *address;
        T_EQ(csspgo_probe_set_decode(t, &s.in, NULL), CSSPGO_OK);
        v = csspgo_probe_set_tables(t);
        address = (uint64_t *)malloc((v.record_count + 1) * sizeof *address);
        for (k = 0; k < v.record_count; k++)
            address[k] = v.records[k].flags & CSSPGO_RECORD_BASED ? v.records[k].address : UINT64_MAX;
        in.addresses = address;
        in.address_count = v.record_count;
        in.bases = NULL;
        in.base_count = 0;
        T_EQ(csspgo_probe_set_decode(u, &in, NULL), CSSPGO_OK);
        T_CHECK(same_tables(t, u, 0));
        free(address);
        free_sample(&s);
        csspgo_probe_set_free(t);
        csspgo_probe_set_free(u);
    }
}

static void records_of_one_name_may_have_addresses_of_their_own(void)
{
    const csspgo_symbol_base base = { 1, 0x100 };
    const uint64_t address[3] = { 0x700, UINT64_MAX, 0x900 };
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_section in;
    csspgo_probe_tables v;
    str s;
    int i;
    memset(&s, 0, sizeof s);
    for (i = 0; i < 2; i++) {
        rec(&s, 1, 1, 0);
        delta(&s, 1, 1);
    }
    rec(&s, 5, 2, 0);                  /* the sentinel's symbol is nowhere else */
    absolute(&s, 0, 0x20, 77);
    delta(&s, 1, 4);
    rec(&s, 1, 1, 0);                  /* behind the addresses: its symbol's again */
    delta(&s, 1, 2);
    in = section_of(&s, &base, 1);
    in.addresses = address;
    in.address_count = 3;
    T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
    v = csspgo_probe_set_tables(t);
    T_EQ(v.record_count, 4);
    T_EQ(address_of(t, 0), 0x701);
    T_EQ(address_of(t, 1), 0x101);
    T_EQ(address_of(t, 2), 0x904);
    T_EQ(address_of(t, 3), 0x102);
    T_EQ(v.records[2].symbol, 77);
    T_EQ(v.records[2].address, 0x900);
    T_EQ(v.records[2].flags, CSSPGO_RECORD_BASED | CSSPGO_RECORD_SENTINEL);
    free(s.p);
    csspgo_probe_set_free(t);
}

static void an_absolute_address_begins_a_chain_unless_told_otherwise(void)
{
    const csspgo_symbol_base bases[] = { { 1, 0x100 }, { 2, 0x200 } };
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_section in;
    csspgo_error e;
    size_t n = 9;
    str s;
    memset(&s, 0, sizeof s);
    rec(&s, 1, 1, 0);
    absolute(&s, 1, 0, 0x5000);
    rec(&s, 2, 1, 0);
    delta(&s, 1, 1);
    rec(&s, 7, 1, 0);
    delta(&s, 1, 1);
    in = section_of(&s, bases, 2);
    T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
    T_EQ(address_of(t, 0), 0x5000);
    T_EQ(address_of(t, 1), 0x5001);
    T_EQ(address_of(t, 2), 0x5002);
    T_EQ(csspgo_probe_set_tables(t).records[1].address, 0x200);      /* known, though not used */
    T_EQ(csspgo_probe_set_encode(t, CSSPGO_PROBES_RELATIVE, NULL, 0, &n, &e), CSSPGO_E_ARGUMENT);   /* that of 7 is not */
    T_CHECK(e.status == CSSPGO_E_ARGUMENT && strstr(e.message, "record 2") != NULL && n == 0);
    T_EQ(csspgo_probe_set_encode(t, CSSPGO_PROBES_SENTINEL_ADDRESS, NULL, 0, NULL, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_probe_set_encode(t, CSSPGO_PROBES_CHAIN, NULL, 0, &n, &e), CSSPGO_OK);
    T_EQ(n, s.n);
    in.flags = CSSPGO_PROBES_REBASE;
    T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
    T_EQ(address_of(t, 3), 0x5000);
    T_EQ(address_of(t, 4), 0x201);
    T_EQ(address_of(t, 5), 0x202);
    T_EQ(csspgo_probe_set_get_stats(t).absolute, 2);
    free(s.p);
    csspgo_probe_set_free(t);
}

static void a_sentinels_payload_is_an_address_only_if_asked_or_in_the_text(void)
{
    const csspgo_symbol_base base = { 0x5000, 0x100 };
    const csspgo_text_range text[] = { { 0x1000, 0x2000 }, { 0x5000, 0x5010 } };
    int i;
    for (i = 0; i < 5; i++) {
        csspgo_probe_set *t = new_probes(0);
        csspgo_probe_section in;
        csspgo_probe_tables v;
        str s;
        memset(&s, 0, sizeof s);
        rec(&s, 1, 2, 0);
        absolute(&s, 0, 0x20, i == 4 ? 0x5010 : 0x5000);
        delta(&s, 1, 4);
        in = section_of(&s, &base, i == 3);
        in.flags = i == 1 ? CSSPGO_PROBES_RAW_SENTINELS : 0;
        in.text = i >= 2 ? text : NULL;
        in.text_count = i >= 2 ? 2 : 0;
        T_EQ(csspgo_probe_set_decode(t, &in, NULL), i == 0 || i == 4 ? CSSPGO_E_SYNTAX : CSSPGO_OK);
        v = csspgo_probe_set_tables(t);
        T_EQ(v.probe_count, i == 0 || i == 4 ? 0 : 1);
        if (v.probe_count != 0) {
            T_EQ(address_of(t, 0), i == 3 ? 0x104 : 0x5004);     /* a symbol of that GUID comes first */
            T_EQ(csspgo_probe_set_get_stats(t).sentinels, 1);
            T_EQ(csspgo_probe_set_get_stats(t).raw_sentinels, i != 3);
            T_EQ(csspgo_probe_set_get_stats(t).outside_text, i == 3);
            T_EQ(v.records[0].symbol, 0x5000);
            T_EQ(v.records[0].flags, CSSPGO_RECORD_BASED | CSSPGO_RECORD_SENTINEL);
        }
        free(s.p);
        csspgo_probe_set_free(t);
    }
}

static void addresses_outside_the_text_are_counted_and_wrap_around(void)
{
    const csspgo_symbol_base base = { 1, UINT64_MAX };
    const csspgo_text_range text[] = { { 0, 1 }, { 0x10, 0x20 } };
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_section in;
    str s;
    memset(&s, 0, sizeof s);
    rec(&s, 1, 5, 0);
    delta(&s, 1, 1);                   /* 0           */
    delta(&s, 2, 1);                   /* 1: outside  */
    delta(&s, 3, 0x1f);                /* 0x20: outside */
    delta(&s, 4, 0x7f);                /* 0x1f        */
    delta(&s, 5, 0x5f);                /* -33: -2, outside */
    in = section_of(&s, &base, 1);
    in.text = text;
    in.text_count = 2;
    T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
    T_EQ(address_of(t, 0), 0);
    T_EQ(address_of(t, 2), 0x20);
    T_EQ(address_of(t, 3), 0x1f);
    T_EQ(address_of(t, 4), UINT64_MAX - 1);
    T_EQ(csspgo_probe_set_get_stats(t).outside_text, 3);
    free(s.p);
    csspgo_probe_set_free(t);
}

/* ----- malformed input -------------------------------------------------------------------------------------------- */

static const struct class_of { const char *name; csspgo_status status; } classes[] = {
    { "TRUNC", CSSPGO_E_TRUNCATED }, { "COUNT", CSSPGO_E_TRUNCATED }, { "LEB", CSSPGO_E_RANGE },
    { "RANGE", CSSPGO_E_RANGE }, { "DEPTH", CSSPGO_E_LIMIT }, { "TYPE", CSSPGO_E_SYNTAX },
    { "INDEX0", CSSPGO_E_SYNTAX }, { "GUID0", CSSPGO_E_SYNTAX }, { "BASE", CSSPGO_E_SYNTAX },
    { "SENTINEL", CSSPGO_E_SYNTAX }, { "OK", CSSPGO_OK }
};

static csspgo_status class_status(const char *verdict)
{
    const size_t n = strcspn(verdict, " \t");
    size_t i;
    for (i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == n && memcmp(classes[i].name, verdict, n) == 0) return classes[i].status;
    T_MSG(0, verdict);
    return CSSPGO_OK;
}

/* Offset of the error, and what a lenient reader makes of it: probes, or -1 if it fails too. */
static const struct malformed { const char *file; uint64_t offset; int lenient_probes; } malformed[] = {
    { "trunc_guid.bin", 0, -1 },        { "trunc_abs.bin", 12, -1 },       { "trunc_sentinel.bin", 12, -1 },
    { "trunc_disc.bin", 13, -1 },       { "leb_unterminated.bin", 30, -1 }, { "leb_over64.bin", 10, -1 },
    { "index_over32.bin", 10, 1 },      { "nprobes_over32.bin", 8, -1 },   { "nprobes_huge.bin", 8, -1 },
    { "nprobes_one_more.bin", 8, -1 },  { "nkids_huge.bin", 8, -1 },       { "nkids_one_more.bin", 8, -1 },
    { "type3.bin", 10, 1 },             { "type15.bin", 10, 1 },           { "index0.bin", 10, 1 },
    { "guid0.bin", 0, 0 },              { "base_unknown.bin", 10, 0 },     { "sentinel_unknown.bin", 10, 0 },
    { "sentinel_delta.bin", 10, 1 },    { "sentinel_mid.bin", 13, 2 },     { "sentinel_child.bin", 21, 1 },
    { "deep_13001.bin", 10 + 1023 * 11, -1 }
};

static const struct malformed *malformed_find(const char *file)
{
    size_t i;
    for (i = 0; i < sizeof malformed / sizeof *malformed; i++)
        if (strcmp(malformed[i].file, file) == 0) return &malformed[i];
    return NULL;
}

static void check_bad_desc(const char *path, csspgo_status want, unsigned long descs)
{
    csspgo_probe_set *t = new_probes(0);
    size_t size;
    char *text = t_file(path, &size), *bytes = (char *)t_copy(text, size);
    csspgo_error e;
    if (!T_EQ(csspgo_probe_set_decode_descriptors(t, bytes, size, &e), want)) fprintf(stderr, "    %s\n", path);
    T_EQ(e.status, want);
    T_CHECK(e.offset <= size && (want == CSSPGO_OK) == (e.message[0] == '\0'));
    T_EQ(csspgo_probe_set_tables(t).descriptor_count + csspgo_probe_set_get_stats(t).duplicate_descriptors,
         want == CSSPGO_OK ? descs : 0);
    if (strstr(path, "desc_ok_dup") != NULL) {
        T_EQ(csspgo_probe_set_get_stats(t).duplicate_descriptors, 1);
        T_EQ(csspgo_probe_set_get_stats(t).conflicting_descriptors, 1);
        T_EQ(csspgo_probe_set_tables(t).descriptors[0].checksum, 0xffffffff);
    }
    free(bytes);
    free(text);
    csspgo_probe_set_free(t);
}

static void check_bad_probe(const char *path, csspgo_status want, unsigned long probes, const sample *x01)
{
    const char *file = strrchr(path, '/') + 1;
    const struct malformed *m = malformed_find(file);
    csspgo_probe_section in = x01->in;
    size_t size;
    char *text = t_file(path, &size), *bytes = (char *)t_copy(text, size);
    int lenient;
    in.data = bytes;
    in.size = size;
    for (lenient = 0; lenient < 2; lenient++) {
        csspgo_probe_set *t = new_probes(lenient);
        csspgo_error e;
        const csspgo_status expect = lenient && m != NULL && m->lenient_probes >= 0 ? CSSPGO_OK : want;
        if (!T_EQ(csspgo_probe_set_decode(t, &in, &e), expect)) fprintf(stderr, "    %s: %s\n", file, e.message);
        T_EQ(e.status, expect);
        T_CHECK(e.offset <= size && (expect == CSSPGO_OK) == (e.message[0] == '\0'));
        if (expect != CSSPGO_OK && m != NULL && !T_EQ(e.offset, m->offset)) fprintf(stderr, "    %s\n", file);
        if (want == CSSPGO_OK) T_EQ(csspgo_probe_set_tables(t).probe_count, probes);
        else if (expect != CSSPGO_OK) T_EQ(csspgo_probe_set_tables(t).inline_count, 0);
        else if (!T_EQ(csspgo_probe_set_tables(t).probe_count, m->lenient_probes)) fprintf(stderr, "    %s\n", file);
        csspgo_probe_set_free(t);
    }
    free(bytes);
    free(text);
}

static void every_malformed_input_has_the_verdict_of_the_manifest(void)
{
    size_t size, n = 0;
    char *text = t_file(DATA "bad/MANIFEST.txt", &size), *at = text, *line;
    sample x01 = load_sample(DATA "x01_basic", "probe.bin", "");
    while ((line = next_line(&at)) != NULL) {
        char file[40], path[100], verdict[40], *count;
        if (line[0] == '#' || sscanf(line, "%39s %39[^\t]", file, verdict) != 2) continue;
        count = strchr(verdict, '=');
        snprintf(path, sizeof path, DATA "bad/%s", file);
        if (strncmp(file, "desc_", 5) == 0)
            check_bad_desc(path, class_status(verdict), count != NULL ? strtoul(count + 1, NULL, 10) : 0);
        else check_bad_probe(path, class_status(verdict), count != NULL ? strtoul(count + 1, NULL, 10) : 0, &x01);
        n++;
    }
    T_EQ(n, 45);
    free_sample(&x01);
    free(text);
}

static void lenient_reading_counts_what_it_takes(void)
{
    static const struct { const char *file; size_t field; } v[] = {
        { "type3.bin", offsetof(csspgo_probe_set_stats, odd_kinds) },
        { "type15.bin", offsetof(csspgo_probe_set_stats, odd_kinds) },
        { "index0.bin", offsetof(csspgo_probe_set_stats, ids_0) },
        { "guid0.bin", offsetof(csspgo_probe_set_stats, guids_0) },
        { "index_over32.bin", offsetof(csspgo_probe_set_stats, wide_ids) },
        { "base_unknown.bin", offsetof(csspgo_probe_set_stats, no_base) },
        { "sentinel_unknown.bin", offsetof(csspgo_probe_set_stats, no_base) },
        { "sentinel_delta.bin", offsetof(csspgo_probe_set_stats, odd_sentinels) },
        { "sentinel_mid.bin", offsetof(csspgo_probe_set_stats, odd_sentinels) },
        { "sentinel_child.bin", offsetof(csspgo_probe_set_stats, odd_sentinels) },
        { "ok_attr_reserved.bin", offsetof(csspgo_probe_set_stats, reserved_attributes) },
        { "ok_sentinel.bin", offsetof(csspgo_probe_set_stats, sentinels) }
    };
    sample x01 = load_sample(DATA "x01_basic", "probe.bin", "");
    size_t i;
    for (i = 0; i < sizeof v / sizeof *v; i++) {
        csspgo_probe_set *t = new_probes(1);
        csspgo_probe_section in = x01.in;
        csspgo_probe_set_stats stats;
        char path[100], *bytes;
        uint64_t count;
        snprintf(path, sizeof path, DATA "bad/%s", v[i].file);
        bytes = t_file(path, &in.size);
        in.data = bytes;
        T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
        stats = csspgo_probe_set_get_stats(t);
        memcpy(&count, (const char *)&stats + v[i].field, sizeof count);
        if (!T_EQ(count, 1)) fprintf(stderr, "    %s\n", v[i].file);
        free(bytes);
        csspgo_probe_set_free(t);
    }
    free_sample(&x01);
}

static void a_lenient_reader_lets_odd_sentinels_move_the_base(void)
{
    const csspgo_symbol_base bases[] = { { 1, 0x100 }, { 2, 0x200 } };
    csspgo_probe_set *t = new_probes(1);
    csspgo_probe_section in;
    str s;
    memset(&s, 0, sizeof s);
    rec(&s, 1, 5, 0);
    str_hex(&s, "00a010");             /* the dangling probe of old files: its delta counts */
    delta(&s, 1, 1);
    absolute(&s, 0, 0x20, 2);          /* not the first entry                               */
    delta(&s, 2, 1);
    str_hex(&s, "00a07f");
    in = section_of(&s, bases, 2);
    T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
    T_EQ(csspgo_probe_set_tables(t).probe_count, 2);
    T_EQ(address_of(t, 0), 0x111);
    T_EQ(address_of(t, 1), 0x201);
    T_EQ(csspgo_probe_set_get_stats(t).odd_sentinels, 3);
    T_EQ(csspgo_probe_set_get_stats(t).sentinels, 0);
    T_EQ(csspgo_probe_set_tables(t).records[0].symbol, 1);
    free(s.p);
    csspgo_probe_set_free(t);
}

static void inlinees_without_a_site_are_counted(void)
{
    unsigned bits, k;
    for (bits = 0; bits < 8; bits++) {
        csspgo_probe_set *t = new_probes(0);
        csspgo_probe_section in;
        str s;
        memset(&s, 0, sizeof s);
        rec(&s, 1, 1, 3);
        absolute(&s, 1, 0, 0x100);
        for (k = 0; k < 3; k++) {
            str_byte(&s, bits >> k & 1 ? 0 : 5 + k);
            rec(&s, 2 + k, 1, 0);
            delta(&s, 1, 1);
        }
        in = section_of(&s, NULL, 0);
        T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
        T_EQ(csspgo_probe_set_get_stats(t).sites_0, (bits & 1) + (bits >> 1 & 1) + (bits >> 2));
        free(s.p);
        csspgo_probe_set_free(t);
    }
}

/* ok_attr_reserved, ok_disc_zero, ok_dup_child: legal oddities survive decoding and encoding. */
static void legal_oddities_are_kept(void)
{
    static const char *const files[] = { "ok_single", "ok_attr_reserved", "ok_disc_zero", "ok_dup_child", "ok_sentinel",
                                         "ok_sentinel_only", "ok_depth100", "ok_empty" };
    sample x01 = load_sample(DATA "x01_basic", "probe.bin", "");
    size_t i;
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        csspgo_probe_set *t = new_probes(0);
        csspgo_probe_section in = x01.in;
        char path[100], *bytes;
        str out;
        snprintf(path, sizeof path, DATA "bad/%s.bin", files[i]);
        bytes = t_file(path, &in.size);
        in.data = bytes;
        T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
        out = encoded(t, CSSPGO_PROBES_RELATIVE);
        t_same(files[i], out.p, out.n, bytes, in.size);
        free(out.p);
        free(bytes);
        csspgo_probe_set_free(t);
    }
    free_sample(&x01);
}

static void every_prefix_is_rejected_or_ends_at_a_record(void)
{
    size_t i, n;
    for (i = 0; i < LINKED; i++) {
        csspgo_probe_set *whole = new_probes(0), *t = new_probes(0), *keep = new_probes(1);
        csspgo_probe_tables v, w;
        sample s = load_linked(i);
        size_t records = 0;
        T_EQ(csspgo_probe_set_decode(whole, &s.in, NULL), CSSPGO_OK);
        w = csspgo_probe_set_tables(whole);
        for (n = 0; n <= s.in.size; n++) {
            unsigned char *exact = t_copy(s.probe, n);
            csspgo_probe_section in = s.in;
            csspgo_error e;
            csspgo_status status;
            in.data = exact;
            in.size = n;
            csspgo_probe_set_clear(t);
            csspgo_probe_set_clear(keep);
            status = csspgo_probe_set_decode(t, &in, &e);
            T_EQ(e.status, status);
            T_CHECK(e.offset <= n);
            if (status == CSSPGO_OK && n != 0) records++;
            v = csspgo_probe_set_tables(t);
            T_CHECK(status == CSSPGO_OK || status == CSSPGO_E_TRUNCATED);
            T_EQ(v.record_count, status == CSSPGO_OK ? records : 0);
            T_CHECK(status == CSSPGO_OK || v.inline_count + v.probe_count == 0);
            in.flags = CSSPGO_PROBES_KEEP_COMPLETE;
            T_EQ(csspgo_probe_set_decode(keep, &in, NULL), status);
            v = csspgo_probe_set_tables(keep);
            T_EQ(v.record_count, records);
            T_CHECK(v.record_count == 0 || (memcmp(v.probes, w.probes, v.probe_count * sizeof *v.probes) == 0 &&
                               memcmp(v.inlines, w.inlines, v.inline_count * sizeof *v.inlines) == 0));
            free(exact);
        }
        T_EQ(records, w.record_count);
        free_sample(&s);
        csspgo_probe_set_free(whole);
        csspgo_probe_set_free(t);
        csspgo_probe_set_free(keep);
    }
}

static void every_prefix_of_descriptors_is_rejected_or_ends_at_an_entry(void)
{
    size_t size, n, ends = 0;
    char *desc = t_file(DATA "x01_basic/desc.bin", &size);
    for (n = 0; n <= size; n++) {
        unsigned char *exact = t_copy(desc, n);
        csspgo_probe_set *t = new_probes(0);
        csspgo_error e;
        if (csspgo_probe_set_decode_descriptors(t, exact, n, &e) == CSSPGO_OK) {
            T_EQ(csspgo_probe_set_tables(t).descriptor_count, ends++);
        } else {
            T_EQ(e.status, CSSPGO_E_TRUNCATED);
            T_CHECK(e.offset <= n);
            T_EQ(csspgo_probe_set_tables(t).descriptor_count, 0);
        }
        free(exact);
        csspgo_probe_set_free(t);
    }
    T_EQ(ends, 9);
    free(desc);
}

static void every_changed_byte_is_read_or_rejected(void)
{
    size_t i, n;
    unsigned v;
    sample s = load_sample(DATA "x01_basic", "probe.bin", "");
    unsigned char *bytes = t_copy(s.probe, s.in.size);
    csspgo_probe_set *t = new_probes(0), *u = new_probes(1);
    s.in.data = bytes;
    for (i = 0; i < s.in.size; i++) {
        const unsigned char old = bytes[i];
        for (v = 0; v < 256; v += 5) {
            csspgo_error e;
            bytes[i] = (unsigned char)(old ^ v);
            csspgo_probe_set_clear(t);
            csspgo_probe_set_clear(u);
            if (csspgo_probe_set_decode(t, &s.in, &e) == CSSPGO_OK) {
                T_EQ(csspgo_probe_set_decode(u, &s.in, NULL), CSSPGO_OK);     /* lenient takes what strict takes */
                T_CHECK(same_tables(t, u, 0));
                T_EQ(csspgo_probe_set_encode(t, CSSPGO_PROBES_CHAIN, NULL, 0, &n, NULL), CSSPGO_OK);
            } else {
                T_CHECK(e.offset <= s.in.size && e.message[0] != '\0');
            }
        }
        bytes[i] = old;
    }
    csspgo_probe_set_free(t);
    csspgo_probe_set_free(u);
    free(bytes);
    free_sample(&s);
}

static void a_failed_call_leaves_the_tables_as_they_were(void)
{
    csspgo_probe_set *t = new_probes(0), *same = new_probes(0);
    sample s = load_sample(DATA "x01_basic", "probe.bin", "");
    csspgo_probe_set_stats before;
    csspgo_probe_section cut = s.in;
    size_t size;
    char *desc = t_file(DATA "x05_fsdisc/desc.bin", &size);
    decode_linked(4, t, 1);
    decode_linked(4, same, 1);
    before = csspgo_probe_set_get_stats(t);
    cut.size--;
    T_EQ(csspgo_probe_set_decode(t, &cut, NULL), CSSPGO_E_TRUNCATED);
    T_EQ(csspgo_probe_set_decode_descriptors(t, desc, size - 1, NULL), CSSPGO_E_TRUNCATED);
    T_CHECK(same_tables(t, same, 0));
    T_EQ(csspgo_probe_set_tables(t).descriptor_count, csspgo_probe_set_tables(same).descriptor_count);
    {
        const csspgo_probe_set_stats after = csspgo_probe_set_get_stats(t);
        T_CHECK(same_stats(&before, &after));
    }
    free(desc);
    free_sample(&s);
    csspgo_probe_set_free(t);
    csspgo_probe_set_free(same);
}

static void sections_are_appended_and_their_links_shifted(void)
{
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_tables v;
    sample s = load_sample(DATA "x01_basic", "probe.bin", "");
    size_t i, n, nodes;
    uint32_t *order;
    str twice, out;
    memset(&twice, 0, sizeof twice);
    T_EQ(csspgo_probe_set_decode(t, &s.in, NULL), CSSPGO_OK);
    T_EQ(csspgo_probe_set_decode(t, &s.in, NULL), CSSPGO_OK);
    v = csspgo_probe_set_tables(t);
    n = v.probe_count / 2;
    nodes = v.inline_count / 2;
    T_EQ(n, 67);
    for (i = 0; i < n; i++) {
        T_EQ(v.probes[n + i].inline_node, v.probes[i].inline_node + nodes);
        T_EQ(v.probes[n + i].address, v.probes[i].address);
    }
    for (i = 0; i < nodes; i++)
        T_EQ(v.inlines[nodes + i].parent, v.inlines[i].parent != 0 ? v.inlines[i].parent + nodes : 0);
    order = by_address(t);
    for (i = 1; i < 2 * n; i++) {
        const csspgo_probe *a = &v.probes[order[i - 1]], *b = &v.probes[order[i]];
        T_CHECK(a->address < b->address || (a->address == b->address && order[i - 1] < order[i]));
    }
    out = encoded(t, CSSPGO_PROBES_RELATIVE);
    str_put(&twice, s.probe, s.in.size);
    str_put(&twice, s.probe, s.in.size);
    t_same("twice", out.p, out.n, twice.p, twice.n);
    csspgo_probe_set_clear(t);
    T_EQ(csspgo_probe_set_by_address(t, NULL, NULL), CSSPGO_OK);
    free(order);
    T_EQ(csspgo_probe_set_tables(t).probe_count, 0);
    free(out.p);
    free(twice.p);
    free_sample(&s);
    csspgo_probe_set_free(t);
}

static void depth_is_limited_as_asked(void)
{
    sample x01 = load_sample(DATA "x01_basic", "probe.bin", "");
    uint32_t limit;
    char *bytes = t_file(DATA "bad/ok_depth100.bin", &x01.in.size);
    x01.in.data = bytes;
    for (limit = 100; limit <= 101; limit++) {
        csspgo_options o;
        csspgo_probe_set *t;
        csspgo_error e;
        memset(&o, 0, sizeof o);
        o.limits.max_depth = limit;
        t = csspgo_probe_set_new(&o, NULL);
        T_EQ(csspgo_probe_set_decode(t, &x01.in, &e), limit == 100 ? CSSPGO_E_LIMIT : CSSPGO_OK);
        if (limit == 100) T_CHECK(strstr(e.message, "100") != NULL);
        csspgo_probe_set_free(t);
    }
    free(bytes);
    free_sample(&x01);
}

static void functions_deeper_than_the_limit_are_refused(void)
{
    builder *b = (builder *)malloc(sizeof *b);
    uint32_t i;
    for (i = 2; i <= 3; i++) {
        csspgo_options o;
        csspgo_probe_set *t;
        memset(&o, 0, sizeof o);
        o.limits.max_depth = i;
        t = csspgo_probe_set_new(&o, NULL);
        build_begin(b, 50, 0);
        build_node(b, 0, 0, 50);
        build_node(b, 1, 1, 51);
        build_node(b, 2, 1, 52);
        build_probe(b, 3, 0, 1, 0, 0);
        T_EQ(csspgo_probe_set_add(t, &b->f, NULL), i == 2 ? CSSPGO_E_LIMIT : CSSPGO_OK);
        T_EQ(csspgo_probe_set_tables(t).inline_count, i == 2 ? 0 : 3);
        csspgo_probe_set_free(t);
    }
    free(b);
}

/* ----- memory ----------------------------------------------------------------------------------------------------- */

static void section_of_probes(str *s, size_t records)
{
    size_t i, k;
    for (i = 0; i < records; i++) {
        str_le64(s, 1);
        str_byte(s, 0x90);             /* 10000 */
        str_byte(s, 0x4e);
        str_byte(s, 0);
        for (k = 0; k < 10000; k++) delta(s, 1, k & 1 ? 3 : 0x7e);
    }
}

static void section_of_records(str *s, size_t records)
{
    while (records-- > 0) rec(s, 1, 0, 0);
}

static void section_of_inlinees(str *s, size_t records)
{
    size_t i, k;
    for (i = 0; i < records; i++) {
        rec(s, 1, 0, 100);
        for (k = 0; k < 100; k++) {
            str_byte(s, 1);
            rec(s, 2, 0, 0);
        }
    }
}

static void section_of_depth(str *s, size_t depth)
{
    rec(s, 1, 0, 1);
    while (--depth > 0) {
        str_byte(s, 1);
        rec(s, 2, 0, depth > 1);
    }
}

static void memory_is_bounded_by_the_section(void)
{
    static void (*const make[])(str *, size_t) = { section_of_probes, section_of_records, section_of_inlinees,
                                                   section_of_depth };
    static const size_t count[] = { 100, 300000, 2000, 200000 };
    const csspgo_symbol_base base = { 1, 0x100000 };
    const size_t part = t_size(4, 1);
    size_t i;
    for (i = 0; i < 4; i++) {
        t_heap heap;
        csspgo_options o = t_options(&heap, 0);
        csspgo_probe_set *t;
        csspgo_probe_section in;
        str s;
        memset(&s, 0, sizeof s);
        make[i](&s, count[i] / part);
        T_CHECK(s.n > 2000000 / part);
        o.limits.max_depth = 1000000;
        t = csspgo_probe_set_new(&o, NULL);
        in = section_of(&s, &base, 1);
        T_EQ(csspgo_probe_set_decode(t, &in, NULL), CSSPGO_OK);
        T_EQ(csspgo_probe_set_tables(t).probe_count != 0, i == 0);
        if (!T_CHECK(heap.peak <= 11 * s.n + 1000000))
            fprintf(stderr, "    %lu bytes for %lu\n", (unsigned long)heap.peak, (unsigned long)s.n);
        csspgo_probe_set_free(t);
        T_EQ(heap.live, 0);
        free(s.p);
    }
}

static void memory_for_descriptors_is_bounded_by_the_section(void)
{
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_probe_set *t = csspgo_probe_set_new(&o, NULL);
    str s;
    unsigned i;
    memset(&s, 0, sizeof s);
    for (i = 1; i <= 200000; i++) {
        str_le64(&s, i);
        str_le64(&s, 0);
        str_byte(&s, 0);
    }
    T_EQ(csspgo_probe_set_decode_descriptors(t, s.p, s.n, NULL), CSSPGO_OK);
    T_EQ(csspgo_probe_set_tables(t).descriptor_count, 200000);
    T_CHECK(heap.peak <= 8 * s.n + 1000000);
    csspgo_probe_set_free(t);
    T_EQ(heap.live, 0);
    free(s.p);
}

static void max_bytes_is_a_limit(void)
{
    csspgo_options o;
    csspgo_probe_set *t;
    sample s = load_sample(DATA "x01_basic", "probe.bin", "");
    csspgo_error e;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = 1500;
    t = csspgo_probe_set_new(&o, NULL);
    T_EQ(csspgo_probe_set_decode(t, &s.in, &e), CSSPGO_E_LIMIT);
    T_EQ(e.status, CSSPGO_E_LIMIT);
    csspgo_probe_set_free(t);
    free_sample(&s);
}

static csspgo_status use_everything(const csspgo_options *o, const sample *s, const char *desc, size_t desc_size,
                                    const builder *b)
{
    csspgo_probe_set *t = csspgo_probe_set_new(o, NULL);
    csspgo_cfg_probes blocks[2];
    csspgo_cfg_edge edge;
    const csspgo_cfg cfg = t_cfg(NULL, 2, &edge, 1);
    csspgo_descriptor d;
    uint32_t order[200];
    uint64_t checksum;
    csspgo_error e;
    csspgo_status status = t != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    memset(blocks, 0, sizeof blocks);
    memset(&edge, 0, sizeof edge);
    edge.to = 1;
    memset(&d, 0, sizeof d);
    d.name = "f";
    d.name_size = 1;
    if (status == CSSPGO_OK) status = csspgo_probe_set_decode(t, &s->in, &e);
    if (status == CSSPGO_OK) status = csspgo_probe_set_decode_descriptors(t, desc, desc_size, &e);
    if (status == CSSPGO_OK) status = csspgo_probe_set_add_descriptor(t, &d, &e);
    if (status == CSSPGO_OK) status = csspgo_probe_set_add(t, &b->f, &e);
    if (status == CSSPGO_OK) status = csspgo_probe_set_by_address(t, order, &e);
    if (status == CSSPGO_OK) status = csspgo_cfg_checksum(&cfg, NULL, o, blocks, &checksum, &e);
    if (status != CSSPGO_OK && t != NULL) {            /* what failed can be repeated or given up */
        const csspgo_probe_tables v = csspgo_probe_set_tables(t);
        T_CHECK(v.probe_count == 0 || v.probe_count == 67 || v.probe_count == 69);
        T_CHECK(v.descriptor_count == 0 || v.descriptor_count == 8 || v.descriptor_count == 9);
    }
    csspgo_probe_set_free(t);
    return status;
}

static void every_allocation_may_fail(void)
{
    sample s = load_sample(DATA "x01_basic", "probe.bin", "");
    size_t desc_size;
    char *desc = t_file(DATA "x01_basic/desc.bin", &desc_size);
    builder *b = (builder *)malloc(sizeof *b);
    long nth;
    build_begin(b, 50, 0x1000);
    build_node(b, 0, 0, 60);
    build_node(b, 1, 1, 51);
    build_node(b, 1, 1, 50);
    build_probe(b, 3, 0x1000, 1, 0, 0);
    build_probe(b, 2, 0x0fff, 2, 0, 0);
    for (nth = 1;; nth++) {
        t_heap heap;
        const csspgo_options o = t_options(&heap, nth);
        const csspgo_status status = use_everything(&o, &s, desc, desc_size, b);
        T_EQ(heap.live, 0);
        if (status == CSSPGO_OK) break;
        T_EQ(status, CSSPGO_E_NOMEM);
    }
    T_LONG(nth > 15);
    free(b);
    free(desc);
    free_sample(&s);
}

/* Where any of the allocations for many descriptors fails (entries, GUID table, names), those from before stay. */
static void descriptors_are_taken_back_when_memory_runs_out(void)
{
    long nth;
    unsigned i;
    str s;
    memset(&s, 0, sizeof s);
    for (i = 1; i <= 1000; i++) {
        str_le64(&s, i);
        str_le64(&s, i);
        str_byte(&s, 1);
        str_byte(&s, 'a' + i % 26);
    }
    for (nth = 1;; nth++) {
        t_heap heap;
        const csspgo_options o = t_options(&heap, 0);
        csspgo_probe_set *t = csspgo_probe_set_new(&o, NULL);
        csspgo_probe_tables v;
        csspgo_status status;
        T_EQ(csspgo_probe_set_decode_descriptors(t, s.p, 18 * 10, NULL), CSSPGO_OK);
        heap.nth = heap.calls + nth;
        status = csspgo_probe_set_decode_descriptors(t, s.p, s.n, NULL);
        v = csspgo_probe_set_tables(t);
        T_EQ(v.descriptor_count, status == CSSPGO_OK ? 1000 : 10);
        T_EQ(csspgo_probe_set_get_stats(t).duplicate_descriptors, status == CSSPGO_OK ? 10 : 0);
        T_CHECK(v.descriptors[9].name_size == 1 && v.descriptors[9].name[0] == 'k');
        heap.nth = 0;
        T_EQ(csspgo_probe_set_decode_descriptors(t, s.p, 18 * 10, NULL), CSSPGO_OK);    /* still found: all duplicates */
        T_EQ(csspgo_probe_set_tables(t).descriptor_count, v.descriptor_count);
        csspgo_probe_set_free(t);
        T_EQ(heap.live, 0);
        if (status == CSSPGO_OK) break;
        T_EQ(status, CSSPGO_E_NOMEM);
    }
    T_CHECK(nth >= 4);
    free(s.p);
}

static void descriptors_can_be_added_one_by_one(void)
{
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_tables v;
    csspgo_descriptor d;
    str want;
    char *out;
    size_t n;
    unsigned i;
    memset(&d, 0, sizeof d);
    memset(&want, 0, sizeof want);
    for (i = 0; i < 500; i++) {
        char name[30];
        snprintf(name, sizeof name, "function%u", i % 400);
        d.name = name;
        d.name_size = strlen(name);
        d.checksum = i;
        T_EQ(csspgo_probe_set_add_descriptor(t, &d, NULL), CSSPGO_OK);
        if (i >= 400) continue;
        str_le64(&want, guid_of(name));
        str_le64(&want, i);
        str_byte(&want, (unsigned)d.name_size);
        str_text(&want, name);
    }
    v = csspgo_probe_set_tables(t);
    T_EQ(v.descriptor_count, 400);
    T_EQ(csspgo_probe_set_get_stats(t).duplicate_descriptors, 100);
    T_EQ(csspgo_probe_set_get_stats(t).conflicting_descriptors, 100);
    T_EQ(csspgo_probe_set_encode_descriptors(t, NULL, 0, &n, NULL), CSSPGO_OK);
    out = (char *)malloc(n + 1);
    T_EQ(csspgo_probe_set_encode_descriptors(t, out, n, NULL, NULL), CSSPGO_OK);
    t_same("descriptors", out, n, want.p, want.n);
    free(out);
    free(want.p);
    csspgo_probe_set_free(t);
}

static void adding_descriptors_survives_every_failure(void)
{
    long nth;
    size_t i;
    for (nth = 1;; nth++) {
        t_heap heap;
        const csspgo_options o = t_options(&heap, 0);
        csspgo_probe_set *t = csspgo_probe_set_new(&o, NULL);
        csspgo_descriptor d;
        size_t failed = 0;
        memset(&d, 0, sizeof d);
        heap.nth = heap.calls + nth;
        for (i = 0; i < 100; i++) {
            d.guid = i + 1;
            if (csspgo_probe_set_add_descriptor(t, &d, NULL) == CSSPGO_OK) continue;
            T_EQ(csspgo_probe_set_tables(t).descriptor_count, i);
            heap.nth = 0;
            failed++;
            T_EQ(csspgo_probe_set_add_descriptor(t, &d, NULL), CSSPGO_OK);
        }
        T_EQ(csspgo_probe_set_tables(t).descriptor_count, 100);
        csspgo_probe_set_free(t);
        T_EQ(heap.live, 0);
        if (failed == 0) break;
    }
    T_LONG(nth > 5);
}

static csspgo_status checksum_of(const csspgo_cfg *cfg, uint32_t llvm, csspgo_cfg_probes *blocks, uint64_t *checksum,
                                 csspgo_error *e)
{
    csspgo_probe_options how;
    how.llvm = llvm;
    return csspgo_cfg_checksum(cfg, &how, NULL, blocks, checksum, e);
}

static void long_names_are_a_limit(void)
{
    csspgo_options o;
    csspgo_probe_set *t;
    csspgo_descriptor d;
    csspgo_error e;
    str s;
    memset(&o, 0, sizeof o);
    o.limits.max_name = 3;
    t = csspgo_probe_set_new(&o, NULL);
    memset(&s, 0, sizeof s);
    str_le64(&s, 1);
    str_le64(&s, 2);
    str_byte(&s, 4);
    str_text(&s, "abcd");
    T_EQ(csspgo_probe_set_decode_descriptors(t, s.p, s.n, &e), CSSPGO_E_LIMIT);
    T_EQ(e.offset, 16);
    memset(&d, 0, sizeof d);
    d.name = "abcd";
    d.name_size = 4;
    T_EQ(csspgo_probe_set_add_descriptor(t, &d, NULL), CSSPGO_E_LIMIT);
    d.name_size = 3;
    T_EQ(csspgo_probe_set_add_descriptor(t, &d, NULL), CSSPGO_OK);
    free(s.p);
    csspgo_probe_set_free(t);
}

/* ----- CFG checksums ---------------------------------------------------------------------------------------------- */

/* Reads "1,2,3" or "-" into v; returns how many. */
static uint32_t read_list(const char *text, uint32_t *v)
{
    uint32_t n = 0;
    if (text[0] == '-') return 0;
    for (;;) {
        v[n++] = (uint32_t)strtoul(text, NULL, 10);
        text = strchr(text, ',');
        if (text == NULL) return n;
        text++;
    }
}

static size_t check_cfg_vectors(const char *path, uint32_t version)
{
    size_t size, functions = 0;
    char *text = t_file(path, &size), *at = text, *line = next_line(&at);
    csspgo_cfg_probes blocks[100];
    csspgo_cfg_edge edge[1000];
    uint32_t succ[300], id[100], ids[100][50], numbered[100];
    while (line != NULL) {
        char name[200];
        unsigned n, calls, edges, i, k, total = 0;
        csspgo_cfg cfg = t_cfg(NULL, 0, edge, 0);
        unsigned long long hash;
        uint64_t checksum = 1;
        if (sscanf(line, "fn %199s src %*s nblocks %u ncalls %u nedges %u hash %llx", name, &n, &calls, &edges,
                   &hash) != 5) {
            line = next_line(&at);
            continue;
        }
        T_CHECK(n <= 100);
        memset(blocks, 0xee, sizeof blocks);
        for (i = 0; i < n; i++) {
            char flags[40], list[300], call_list[300];
            unsigned count, block_id, index;
            line = next_line(&at);
            T_EQ(sscanf(line, "b %u %39s calls %u succ %299s id %u callids %299s", &index, flags, &count, list,
                        &block_id, call_list), 6);
            T_EQ(index, i);
            for (k = 0, index = (unsigned)read_list(list, succ); k < index; k++) {
                memset(&edge[cfg.edges], 0xee, sizeof *edge);
                edge[cfg.edges].from = i;
                edge[cfg.edges++].to = succ[k];
            }
            blocks[i].call_count = count;
            blocks[i].flags = 0;
            if (strstr(flags, "pad") != NULL) blocks[i].flags |= CSSPGO_CFG_EH_PAD;
            if (strstr(flags, "invoke") != NULL) blocks[i].flags |= CSSPGO_CFG_INVOKE;
            id[i] = block_id;
            numbered[i] = read_list(call_list, ids[i]);
            total += numbered[i];
        }
        cfg.blocks = n;
        T_EQ(checksum_of(&cfg, version, blocks, &checksum, NULL), CSSPGO_OK);
        if (!T_EQ(checksum, hash)) fprintf(stderr, "    %s\n", name);
        T_EQ((checksum >> 32 & 0xffff), 4 * edges);
        T_EQ(checksum >> 48, calls);
        T_EQ(total, calls);
        for (i = 0; i < n; i++) {
            T_EQ(blocks[i].id, id[i]);
            T_EQ(blocks[i].numbered_calls, numbered[i]);
            for (k = 0; k < numbered[i]; k++) T_EQ(blocks[i].first_call + k, ids[i][k]);
            if (numbered[i] == 0) T_EQ(blocks[i].first_call, 0);
        }
        functions++;
        line = next_line(&at);
    }
    free(text);
    return functions;
}

static void every_cfg_vector_has_its_ids_and_checksum(void)
{
    T_EQ(check_cfg_vectors(DATA "cfg/vectors19.txt", 19), 84);
    T_EQ(check_cfg_vectors(DATA "cfg/vectors14.txt", 14), 17);
}

/* An independent computation: CRC-32 with a table, of the ids as bytes. */
static uint64_t expect_checksum(const uint32_t *ids, size_t n, uint64_t calls)
{
    uint32_t table[256], crc = 0xffffffff, c, i, k;
    size_t e;
    for (i = 0; i < 256; i++) {
        for (c = i, k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    for (e = 0; e < n; e++)
        for (k = 0; k < 4; k++) crc = crc >> 8 ^ table[(crc ^ ids[e] >> 8 * k) & 255];
    return (calls << 48 | (uint64_t)n * 4 << 32 | crc) & UINT64_C(0x0fffffffffffffff);
}

static void large_functions_are_numbered_in_part_and_their_sizes_overlap(void)
{
    enum { N = 40000 };
    csspgo_cfg_probes *b = (csspgo_cfg_probes *)calloc(N, sizeof *b);
    csspgo_cfg_edge *edge = (csspgo_cfg_edge *)calloc(N, sizeof *edge);
    const csspgo_cfg cfg = t_cfg(NULL, N, edge, N - 1);
    uint32_t *ids = (uint32_t *)malloc(N * sizeof *ids), i;
    uint64_t checksum;
    for (i = 0; i < N; i++) {
        edge[i].from = i;
        edge[i].to = i + 1;
        b[i].call_count = i == 0;
    }
    T_EQ(checksum_of(&cfg, 19, b, &checksum, NULL), CSSPGO_OK);
    for (i = 0; i + 1 < N; i++) ids[i] = i + 3;
    T_EQ(b[1].id, 3);
    T_EQ(checksum, expect_checksum(ids, N - 1, 1));              /* 159996 bytes: 17 bits and a half */

    b[0].call_count = 65533;                                     /* ids 2 to 0xfffe */
    b[1].call_count = 0;                                         /* block 0xffff    */
    b[2].call_count = 2;                                         /* block 0x10000; no call may follow it */
    T_EQ(checksum_of(&cfg, 19, b, &checksum, NULL), CSSPGO_OK);
    T_EQ(b[0].numbered_calls, 65533);
    T_EQ(b[1].id, 0xffff);
    T_EQ(b[2].id, 0x10000);
    T_EQ(b[2].numbered_calls, 0);
    T_EQ(b[3].id, 0);
    ids[0] = 0xffff;
    ids[1] = 0x10000;
    T_EQ(checksum, expect_checksum(ids, 2, 65533));

    b[0].call_count = UINT32_MAX;                                /* 65534 of them get ids */
    T_EQ(checksum_of(&cfg, 19, b, &checksum, NULL), CSSPGO_OK);
    T_EQ(b[0].numbered_calls, 65534);
    T_EQ(b[1].id, 0);
    T_EQ(checksum, expect_checksum(ids, 0, 65534));
    T_EQ(checksum_of(&cfg, 14, b, &checksum, NULL), CSSPGO_E_LIMIT);
    free(b);
    free(edge);
    free(ids);
}

static void edge_add(csspgo_cfg *cfg, uint32_t from, uint32_t to)
{
    cfg->edge[cfg->edges].from = from;
    cfg->edge[cfg->edges++].to = to;
}

static void cycles_and_long_chains_of_invokes_end(void)
{
    enum { N = 100000 };
    csspgo_cfg_probes *b = (csspgo_cfg_probes *)calloc(N, sizeof *b);
    csspgo_cfg_edge *edge = (csspgo_cfg_edge *)calloc(2 * N, sizeof *edge);
    csspgo_cfg cfg = t_cfg(NULL, 3, edge, 0);
    uint32_t ids[2], i;
    uint64_t checksum;
    for (i = 0; i < 2; i++) {                                    /* an invoke whose normal destination is itself an */
        edge_add(&cfg, i, 1);                                    /*   invoke that continues at itself: LLVM hangs   */
        edge_add(&cfg, i, 2);
        b[i].flags = CSSPGO_CFG_INVOKE;
        b[i].call_count = 1;
    }
    b[2].flags = CSSPGO_CFG_EH_PAD;
    T_EQ(checksum_of(&cfg, 19, b, &checksum, NULL), CSSPGO_OK);
    T_EQ(checksum, expect_checksum(ids, 0, 2));                  /* ends at block 1, whose successors have no ids */

    memset(b, 0, N * sizeof *b);                                 /* half of the blocks enter a chain of invokes   */
    cfg.blocks = N;
    cfg.edges = 0;
    for (i = N; i-- > 0;) {                                      /* blocks in any order, the edges of one in theirs */
        if (i < N / 2) edge_add(&cfg, i, N / 2);
        if (i + 1 < N) edge_add(&cfg, i, i + 1);
        if (i >= N / 2 && i + 1 < N) b[i].flags = CSSPGO_CFG_INVOKE;
        if (i + 1 == N / 2) b[i].flags = CSSPGO_CFG_INVOKE;
    }
    T_EQ(checksum_of(&cfg, 19, b, &checksum, NULL), CSSPGO_OK);
    T_EQ(b[N - 1].id, 0);
    free(b);
    free(edge);
}

static void bad_graphs_are_refused(void)
{
    csspgo_cfg_probes b[2];
    csspgo_cfg_edge edge[2];
    csspgo_cfg cfg = t_cfg(NULL, 2, edge, 0);
    uint64_t checksum = 5;
    csspgo_error e;
    memset(b, 0, sizeof b);
    memset(edge, 0, sizeof edge);
    edge_add(&cfg, 0, 1);
    edge_add(&cfg, 0, 2);
    T_EQ(checksum_of(&cfg, 19, b, &checksum, &e), CSSPGO_E_ARGUMENT);
    T_EQ(checksum, 0);
    T_CHECK(e.message[0] != '\0');
    cfg.edges = 1;
    T_EQ(checksum_of(&cfg, 17, b, &checksum, &e), CSSPGO_E_ARGUMENT);
    b[1].flags = CSSPGO_CFG_INVOKE;
    T_EQ(checksum_of(&cfg, 19, b, &checksum, &e), CSSPGO_E_ARGUMENT);
    b[1].flags = 0;
    T_EQ(checksum_of(&cfg, 19, b, &checksum, &e), CSSPGO_OK);
    T_EQ(e.status, CSSPGO_OK);
    cfg.blocks = cfg.edges = 0;
    T_EQ(checksum_of(&cfg, 19, b, &checksum, &e), CSSPGO_OK);
    T_EQ(checksum, 0xffffffff);
}

/* ----- call probes in discriminators ------------------------------------------------------------------------------ */

static uint32_t packed(const csspgo_call_probe *c, uint32_t llvm)
{
    csspgo_probe_options how;
    how.llvm = llvm;
    return csspgo_call_probe_pack(c, &how);
}

static void call_probes_are_packed_as_llvm_packs_them(void)
{
    static const struct { csspgo_call_probe c; uint32_t version; uint32_t d; uint32_t base_read; } v[] = {
        { { 2, CSSPGO_PROBE_DIRECT_CALL, 100, 0 }, 19, 0x1B200017, 0 },
        { { 2, CSSPGO_PROBE_INDIRECT_CALL, 100, 0 }, 19, 0x17200017, 0 },
        { { 3, CSSPGO_PROBE_DIRECT_CALL, 100, 1 }, 19, 0x1B21001F, 1 },
        { { 4, CSSPGO_PROBE_DIRECT_CALL, 100, 7 }, 19, 0x1B270027, 7 },
        { { 7, CSSPGO_PROBE_DIRECT_CALL, 100, 8 }, 19, 0x0B20003F, 0 },
        { { 8191, CSSPGO_PROBE_DIRECT_CALL, 100, 0 }, 19, 0x1B20FFFF, 0 },
        { { 8193, CSSPGO_PROBE_DIRECT_CALL, 100, 0 }, 19, 0x0B21000F, 0 },
        { { 10001, CSSPGO_PROBE_DIRECT_CALL, 100, 0 }, 19, 0x0B21388F, 0 },
        { { 2, CSSPGO_PROBE_DIRECT_CALL, 100, 0 }, 14, 0x0B200017, 0 },
        { { 8, CSSPGO_PROBE_INDIRECT_CALL, 100, 3 }, 14, 0x07200047, 0 },
        { { 65535, CSSPGO_PROBE_BLOCK, 0, 0 }, 19, 0x0007FFFF, 0 }
    };
    size_t i, lost = 0;
    uint32_t id;
    csspgo_call_probe c;
    for (i = 0; i < sizeof v / sizeof *v; i++) {
        T_EQ(packed(&v[i].c, v[i].version), v[i].d);
        T_EQ(csspgo_call_probe_unpack(v[i].d, &c), 1);
        T_EQ(c.id, v[i].c.id);
        T_EQ(c.kind, v[i].c.kind);
        T_EQ(c.percent, v[i].c.percent);
        T_EQ(c.base_discriminator, v[i].base_read);
    }
    for (id = 1; id <= 0xffff; id++) {
        csspgo_call_probe in;
        in.id = id;
        in.kind = id % 3;
        in.percent = id % 101;
        in.base_discriminator = id % 11;
        lost += !csspgo_call_probe_unpack(packed(&in, 19), &c);
        lost += c.id != id || c.kind != in.kind || c.percent != in.percent;
        lost += c.base_discriminator != (id <= 8191 && in.base_discriminator <= 7 ? in.base_discriminator : 0);
    }
    T_EQ(lost, 0);
}

static void discriminators_that_are_no_call_probes_are_told_apart(void)
{
    csspgo_call_probe c;
    uint32_t d;
    for (d = 0; d < 7; d++) T_EQ(csspgo_call_probe_unpack(0x1B200010 | d, &c), 0);
    memset(&c, 0, sizeof c);
    T_EQ(packed(&c, 19), 0);         /* id 0 */
    c.id = 0x10000;
    T_EQ(packed(&c, 19), 0);
    c.id = 1;
    c.kind = 3;
    T_EQ(packed(&c, 19), 0);
    c.kind = 2;
    c.percent = 101;
    T_EQ(packed(&c, 19), 0);
}

/* ----- the tool of oracle_probes.sh ------------------------------------------------------------------------------- */

/* "ADDRESS", then llvm-profgen's probe line. */
static void print_lines(csspgo_probe_set *p)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(p);
    uint32_t *order = by_address(p);
    str s;
    size_t i;
    memset(&s, 0, sizeof s);
    for (i = 0; i < t.probe_count; i++) {
        const csspgo_probe *probe = &t.probes[order[i]];
        str_u64(&s, "%llx", probe->address);
        str_text(&s, " [Probe]:\tFUNC: ");
        put_name(&s, &t, t.inlines[probe->inline_node - 1].guid);
        str_u64(&s, " Index: %llu  ", probe->id);
        if (probe->discriminator != 0) str_u64(&s, "Discriminator: %llu  ", probe->discriminator);
        str_text(&s, "Type: ");
        str_text(&s, kind_names[probe->kind]);
        str_text(&s, "  ");
        if (t.inlines[probe->inline_node - 1].parent != 0) str_text(&s, "Inlined: @ ");
        put_stack(&s, &t, probe->inline_node);
        str_text(&s, "\n");
    }
    if (s.p != NULL) fputs(s.p, stdout);
    free(s.p);
    free(order);
}

static int tool(int argc, char **argv)
{
    const int lines = argc == 5 && strcmp(argv[1], "lines") == 0;
    const int convert = argc == 6 && strcmp(argv[1], "convert") == 0;
    csspgo_probe_set *t = new_probes(0);
    csspgo_probe_section in;
    csspgo_symbol_base *bases;
    csspgo_error e;
    char *probe;
    if (!lines && !convert) return 2;
    memset(&in, 0, sizeof in);
    bases = load_symbols(argv[convert ? 3 : 2], "", &in.base_count);
    in.bases = bases;
    probe = t_file(argv[convert ? 4 : 3], &in.size);
    in.data = probe;
    if (!T_EQ(csspgo_probe_set_decode(t, &in, &e), CSSPGO_OK)) fprintf(stderr, "%s\n", e.message);
    if (lines) {
        decode_desc(t, argv[4]);
        print_lines(t);
    } else {
        str out = encoded(t, (csspgo_probe_style)atoi(argv[2]));
        FILE *f = fopen(argv[5], "wb");
        T_CHECK(f != NULL && fwrite(out.p, 1, out.n, f) == out.n);
        if (f != NULL) fclose(f);
        free(out.p);
    }
    free(bases);
    free(probe);
    csspgo_probe_set_free(t);
    return t_failed != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) return tool(argc, argv);
    every_sample_decodes_as_in_llvm();
    every_descriptor_decodes_the_first_of_a_guid_wins();
    object_files_decode_with_symbols_at_address_0();
    encoding_what_was_decoded_gives_the_same_bytes();
    encoding_decoded_descriptors_gives_the_same_bytes();
    every_encoder_vector_holds_both_ways();
    an_encoded_function_is_what_llvms_assembler_makes_of_it();
    nodes_are_sorted_merged_and_left_out_if_unused();
    a_function_without_linkage_name_is_its_own_symbol();
    functions_that_break_the_rules_are_refused();
    every_style_is_read_back_as_the_same_probes();
    an_unknown_style_is_refused();
    short_buffers_are_filled_and_told_the_size();
    a_symbol_at_0_is_a_base_and_the_last_of_a_name_wins();
    a_record_without_symbol_does_not_inherit_a_base();
    addresses_of_records_stand_for_symbols();
    records_of_one_name_may_have_addresses_of_their_own();
    an_absolute_address_begins_a_chain_unless_told_otherwise();
    a_sentinels_payload_is_an_address_only_if_asked_or_in_the_text();
    addresses_outside_the_text_are_counted_and_wrap_around();
    every_malformed_input_has_the_verdict_of_the_manifest();
    lenient_reading_counts_what_it_takes();
    a_lenient_reader_lets_odd_sentinels_move_the_base();
    inlinees_without_a_site_are_counted();
    legal_oddities_are_kept();
    every_prefix_is_rejected_or_ends_at_a_record();
    every_prefix_of_descriptors_is_rejected_or_ends_at_an_entry();
    every_changed_byte_is_read_or_rejected();
    a_failed_call_leaves_the_tables_as_they_were();
    sections_are_appended_and_their_links_shifted();
    depth_is_limited_as_asked();
    functions_deeper_than_the_limit_are_refused();
    memory_is_bounded_by_the_section();
    memory_for_descriptors_is_bounded_by_the_section();
    max_bytes_is_a_limit();
    T_FAILING(every_allocation_may_fail());
    T_FAILING(descriptors_are_taken_back_when_memory_runs_out());
    descriptors_can_be_added_one_by_one();
    T_FAILING(adding_descriptors_survives_every_failure());
    long_names_are_a_limit();
    every_cfg_vector_has_its_ids_and_checksum();
    large_functions_are_numbered_in_part_and_their_sizes_overlap();
    cycles_and_long_chains_of_invokes_end();
    bad_graphs_are_refused();
    call_probes_are_packed_as_llvm_packs_them();
    discriminators_that_are_no_call_probes_are_told_apart();
    return t_end();
}
