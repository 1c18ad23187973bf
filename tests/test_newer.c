/* test_newer.c - ExtBinary of LLVM's main branch: versions 104 and 105, composite records, indexed tables, GUIDs of
 * symbols; data/formats/newer is made by make_newer.pl */
#include "t.h"
#include "sections.h"

static char *read_newer(const char *name, size_t *size)
{
    char path[200];
    snprintf(path, sizeof path, "data/formats/newer/%s.prof", name);
    return t_file(path, size);
}

/* ----- files made by hand ----- */

static void files_mean_what_their_description_says(void)
{
    static const struct { const char *name, *text; unsigned skipped; } file[] = {
        { "composite", "main:60:9\n 1: 40\n 2: 20 foo:20\n 3: foo:30\n  1.2: 30\nfoo:10:3\n 1: 10\nbar:0:0\n", 2 },
        { "both-kinds", "main:60:9\n 1: 40\n 2: 20 foo:20\n 3: foo:30\n  1.2: 30\nfoo:15:4\n 1: 15\nbar:0:0\n", 2 },
        { "indexed", "main:60:9\n 1: 40\n 2: 20 qux:20\n 3: bar:30\n  1.2: 30 baz:7\nfoo:10:3\n 1: 10\n", 0 },
        { "indexed-split", "main:60:9\n 1: 40\n 2: 20 qux:20\n 3: bar:30\n  1.2: 30 baz:7\nfoo:10:3\n 1: 10\n", 0 },
        { "indexed-hole", "main:60:9\n 1: 40\n 2: 20 qux:20\n 3: bar:30\n  1.2: 30 baz:7\n", 0 }
    };
    static const char *const names[] = { "main", "foo", "bar", "baz", "qux" };
    size_t i, n, size;
    for (i = 0; i < sizeof file / sizeof *file; i++) {
        char *data = read_newer(file[i].name, &size), *text;
        csspgo_options o;
        csspgo_error e;
        csspgo_profile *p = t_profile(0);
        for (n = 0; n < sizeof names / sizeof *names; n++) csspgo_func_add(p, names[n], strlen(names[n]));
        if (!T_EQ(csspgo_read(p, data, size, &e), CSSPGO_OK))
            fprintf(stderr, "    %s: byte %u: %s\n", file[i].name, (unsigned)e.offset, e.message);
        csspgo_profile_set_flags(p, 0);               /* the GUIDs have names */
        text = t_text(p, &n);
        t_same(file[i].name, text, n, file[i].text, strlen(file[i].text));
        T_EQ(csspgo_skipped_blocks(p), file[i].skipped);
        T_EQ(csspgo_read(p, data, size, NULL), CSSPGO_OK);
        T_EQ(csspgo_skipped_blocks(p), 2 * file[i].skipped);
        T_CHECK(t_valid(p));
        if (strcmp(file[i].name, "indexed") == 0) {
            T_EQ(csspgo_is_listed(p, csspgo_func_find(p, "baz", 3)), 1);
            T_EQ(csspgo_is_listed(p, csspgo_func_find(p, "qux", 3)), 0);
        }
        csspgo_profile_free(p);
        memset(&o, 0, sizeof o);
        o.llvm = 19;
        T_CHECK(csspgo_load(data, size, &o, &e) == NULL && e.status == CSSPGO_E_VERSION && e.offset == 9);
        for (n = 0; n < size; n++) {                  /* a shorter file is none, and says where it ends */
            unsigned char *cut = t_copy(data, n);
            p = csspgo_load(cut, n, NULL, &e);
            T_CHECK(p == NULL && e.status != CSSPGO_OK && e.offset <= n);
            csspgo_profile_free(p);
            free(cut);
        }
        free(text);
        free(data);
    }
}

static void errors_say_where_they_are(void)
{
    static const struct { const char *name; csspgo_status status; unsigned offset; const char *part; } bad[] = {
        { "bad-two-blocks", CSSPGO_E_SYNTAX, 146, "Duplicate profile type ID: 0" },
        { "bad-two-unknown", CSSPGO_E_SYNTAX, 144, "Duplicate profile type ID: 5" },
        { "bad-block-past-end", CSSPGO_E_TRUNCATED, 141, "50" },
        { "bad-unknown-past-end", CSSPGO_E_TRUNCATED, 141, "2" },
        { "bad-block-rest", CSSPGO_E_SYNTAX, 146, "unread bytes: 1" },
        { "bad-block-short", CSSPGO_E_TRUNCATED, 144, "" },
        { "bad-many-blocks", CSSPGO_E_TRUNCATED, 140, "1099511627776" },
        { "bad-composite-104", CSSPGO_E_VERSION, 82, "104" },
        { "bad-offsets-103", CSSPGO_E_VERSION, 82, "103" },
        { "bad-symbols", CSSPGO_E_TRUNCATED, 276, "7" },
        { "bad-offsets-size", CSSPGO_E_SYNTAX, 200, "11" },
        { "bad-offsets-unindexed", CSSPGO_E_SYNTAX, 134, "4" },
        { "bad-names-many", CSSPGO_E_TRUNCATED, 93, "5" },
        { "bad-names-rest", CSSPGO_E_SYNTAX, 120, "1" },
        { "bad-names-text", CSSPGO_E_SYNTAX, 93, "8 bytes" }
    };
    size_t i, size;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *data = read_newer(bad[i].name, &size);
        csspgo_error e;
        csspgo_profile *p = csspgo_load(data, size, NULL, &e);
        T_CHECK(p == NULL);
        if (!(T_EQ(e.status, bad[i].status) & T_EQ(e.offset, bad[i].offset) &
              T_CHECK(strstr(e.message, bad[i].part) != NULL)))
            fprintf(stderr, "    %s: byte %u: %s\n", bad[i].name, (unsigned)e.offset, e.message);
        csspgo_profile_free(p);
        free(data);
    }
}

/* ----- blocks as the file has them ----- */

static void block_said(void *ctx, csspgo_profile *p, const csspgo_block *b)
{
    char *const text = (char *)ctx + strlen((char *)ctx);
    size_t size;
    const char *name = csspgo_func_name(p, csspgo_node_func(p, b->node), &size);
    const int nested = csspgo_node_kind_of(p, b->node) == CSSPGO_INLINEE;
    if (b->blocks == 0) sprintf(text, "%s%.*s -; ", nested ? " " : "", (int)size, name);
    else
        sprintf(text, "%s%.*s %u/%u %u:%u; ", nested ? " " : "", (int)size, name, (unsigned)b->index, (unsigned)b->blocks,
                (unsigned)b->type, (unsigned)b->size);
}

/* Each block in the order of the file, in front of an error, too. Files in other forms have none. */
static void blocks_are_listed(void)
{
    static const struct { const char *name, *want; csspgo_status status; } file[] = {
        { "composite", "main 0/2 9:3; main 1/2 0:13;  foo 0/2 0:6;  foo 1/2 300:0; bar -; foo 0/1 0:7; ", CSSPGO_OK },
        { "bad-block-past-end", "foo 0/1 0:50; ", CSSPGO_E_TRUNCATED },
        { "bad-two-blocks", "foo 0/2 0:3; foo 1/2 0:3; ", CSSPGO_E_SYNTAX },
        { "bad-composite-104", "", CSSPGO_E_VERSION },
        { "indexed", "", CSSPGO_OK }
    };
    csspgo_block_watch watch;
    size_t i, size;
    watch.block_fn = block_said;
    for (i = 0; i < sizeof file / sizeof *file; i++) {
        char *data = read_newer(file[i].name, &size), said[500] = "";
        csspgo_error e;
        watch.ctx = said;
        T_EQ(csspgo_list_blocks(data, size, &watch, NULL, &e), file[i].status);
        T_EQ(e.status, file[i].status);
        if (!T_CHECK(strcmp(said, file[i].want) == 0)) fprintf(stderr, "    %s: %s\n", file[i].name, said);
        free(data);
    }
    T_EQ(csspgo_list_blocks("f:1:1\n 1: 1\n", 12, &watch, NULL, NULL), CSSPGO_OK);
    {
        csspgo_options o;
        memset(&o, 0, sizeof o);
        o.llvm = 18;
        T_EQ(csspgo_list_blocks("f:1:1\n", 6, &watch, &o, NULL), CSSPGO_E_ARGUMENT);
    }
}

/* LLVM 19 to 21 know version 103; with 22 and 23 the main branch's forms are read, and written on request. */
static void releases_know_their_versions(void)
{
    static const char *const name[] = { "composite", "indexed", "blocks" };
    static const uint32_t form[] = { CSSPGO_V104, CSSPGO_COMPOSITE, CSSPGO_INDEXED, CSSPGO_MD5_SYMBOLS };
    uint32_t llvm;
    size_t i, size;
    for (llvm = 19; llvm <= 23; llvm++) {
        csspgo_options o;
        csspgo_profile *p;
        memset(&o, 0, sizeof o);
        o.llvm = llvm;
        for (i = 0; i < 3; i++) {
            char *data = read_newer(name[i], &size);
            csspgo_error e;
            p = csspgo_load(data, size, &o, &e);
            T_EQ(e.status, llvm >= 22 ? CSSPGO_OK : CSSPGO_E_VERSION);
            csspgo_profile_free(p);
            free(data);
        }
        p = csspgo_load("f:1:1\n 1: 1\n", 12, &o, NULL);
        for (i = 0; i < 4; i++)
            T_EQ(csspgo_write(p, CSSPGO_EXTBINARY | form[i], NULL, 0, NULL, NULL),
                 llvm >= 22 ? CSSPGO_OK : CSSPGO_E_UNSUPPORTED);
        csspgo_profile_free(p);
    }
}

/* ----- what is written ----- */

static unsigned char *written(const csspgo_profile *p, uint32_t form, size_t *size)
{
    csspgo_error e;
    unsigned char *out;
    if (!T_EQ(csspgo_write(p, form, NULL, 0, size, &e), CSSPGO_OK)) fprintf(stderr, "    %s\n", e.message);
    out = (unsigned char *)malloc(*size + 1);
    if (out == NULL) abort();
    T_EQ(csspgo_write(p, form, out, *size, size, NULL), CSSPGO_OK);
    return out;
}

/* 1 if n keys are a search tree: key i is above those below 2i + 1, and below those below 2i + 2. */
static int is_tree(const unsigned char *key, size_t n, size_t i, uint64_t low, uint64_t high)
{
    if (i >= n) return 1;
    return le64(key + 8 * i) >= low && le64(key + 8 * i) <= high &&
           (le64(key + 8 * i) == 0 || is_tree(key, n, 2 * i + 1, low, le64(key + 8 * i) - 1)) &&
           (le64(key + 8 * i) == UINT64_MAX || is_tree(key, n, 2 * i + 2, le64(key + 8 * i) + 1, high));
}

/* The sections of an uncompressed file are as LLVM's description has them. */
static void check_sections(const unsigned char *data, size_t size, uint32_t form)
{
    csspgo_section s[16];
    uint64_t span[3] = { 0, 0, 0 };
    size_t i, k, n;
    T_EQ(data[9], form & (CSSPGO_V105 | CSSPGO_COMPOSITE) ? 105 : form & CSSPGO_V104 ? 104 : 103);
    T_EQ(csspgo_get_sections(data, size, s, 16, &n, NULL), CSSPGO_OK);
    for (i = 0; i < n && i < 16; i++) {
        const unsigned char *p = data + s[i].offset;
        if (s[i].type == SEC_NAMES && form & CSSPGO_INDEXED) {
            const unsigned char *at = p;
            T_EQ(s[i].flags, UINT64_C(11) << 32);
            for (k = 0; k < 3; k++) span[k] = uleb_at(&at);
            T_EQ((size_t)(at - p) + 8 * (span[0] + span[1] + span[2]), s[i].size);
            for (k = 0; k < 3; at += 8 * span[k++]) T_CHECK(is_tree(at, (size_t)span[k], 0, 0, UINT64_MAX));
            T_CHECK(span[1] == 0 || form & CSSPGO_SPLIT);
        }
        if (s[i].type == SEC_SYMBOLS && form & CSSPGO_MD5_SYMBOLS) {
            T_EQ(s[i].flags, UINT64_C(1) << 32);
            T_CHECK(s[i].size % 8 == 0 && is_tree(p, (size_t)s[i].size / 8, 0, 0, UINT64_MAX));
        }
        if (s[i].type == SEC_OFFSETS || s[i].type == 7) {
            T_EQ(s[i].type == 7, (form & CSSPGO_COMPOSITE) != 0);
            if (form & CSSPGO_INDEXED) T_EQ(s[i].size, 4 * span[(s[i].flags & 2) != 0]);
        }
        if (s[i].type == SEC_RECORDS || s[i].type == 33) T_EQ(s[i].type == 33, (form & CSSPGO_COMPOSITE) != 0);
    }
}

static csspgo_func nth_func(uint32_t n)
{
    csspgo_func f;
    memset(&f, 0, sizeof f);
    f.id = n;
    return f;
}

/* Each function comes out of the file by itself, by its name, as it does when all is read. */
static void check_lazily(const unsigned char *data, size_t size, const csspgo_profile *named,
                         const csspgo_profile *whole, uint32_t form)
{
    csspgo_error e;
    csspgo_lazy *l = csspgo_lazy_open(data, size, NULL, &e);
    uint32_t i;
    if (!T_CHECK(l != NULL)) {
        fprintf(stderr, "    %s\n", e.message);
        return;
    }
    T_EQ(csspgo_lazy_load(l, "no function of this name", 24, NULL), CSSPGO_OK);
    T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 0);
    for (i = 1; i <= csspgo_func_count(named); i++) {
        size_t n;
        const char *name = csspgo_func_name(named, nth_func(i), &n);
        T_EQ(csspgo_lazy_load(l, name, n, &e), CSSPGO_OK);
        T_EQ(csspgo_lazy_load(l, name, n, &e), CSSPGO_OK);
    }
    T_CHECK(t_valid(csspgo_lazy_profile(l)));
    T_EQ(csspgo_profile_flags(csspgo_lazy_profile(l)), csspgo_profile_flags(whole));
    if (!T_CHECK(csspgo_equal(csspgo_lazy_profile(l), whole))) fprintf(stderr, "    form %x\n", (unsigned)form);
    csspgo_lazy_free(l);
}

/* Forms of a profile that was read from `data`: each reads back, and gives the same bytes again. */
static void round_trips(const char *data, size_t size)
{
    static const uint32_t part[] = { CSSPGO_V104, CSSPGO_V105, CSSPGO_COMPOSITE, CSSPGO_INDEXED, CSSPGO_MD5_SYMBOLS,
                                     CSSPGO_SPLIT, CSSPGO_COMPRESS };
    csspgo_profile *p = csspgo_load(data, size, NULL, NULL), *guids[2], *unlisted;
    const uint32_t flags = p != NULL ? csspgo_profile_flags(p) : 0;
    unsigned char *out, *again;
    uint32_t set, form;
    size_t n, m, i;
    if (!T_CHECK(p != NULL)) return;
    out = written(p, CSSPGO_EXTBINARY | CSSPGO_MD5, &n);
    unlisted = csspgo_load(out, n, NULL, NULL);
    free(out);
    for (i = 1; i <= csspgo_func_count(p); i += 3) csspgo_set_listed(p, nth_func((uint32_t)i), 1);
    for (i = 0; i < 2; i++) {
        out = written(p, CSSPGO_EXTBINARY | CSSPGO_MD5 | (i != 0 ? CSSPGO_MD5_SYMBOLS : 0), &n);
        guids[i] = csspgo_load(out, n, NULL, NULL);
        free(out);
    }
    for (set = 1; set < 1u << (sizeof part / sizeof *part); set++) {
        csspgo_profile *q;
        csspgo_error e;
        for (form = CSSPGO_EXTBINARY, i = 0; i < sizeof part / sizeof *part; i++)
            if (set >> i & 1) form |= part[i];
        if (flags & CSSPGO_IS_CS && form & (CSSPGO_SPLIT | CSSPGO_INDEXED)) {
            T_EQ(csspgo_write(p, form, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
            continue;
        }
#ifndef CSSPGO_USE_ZLIB
        if (form & CSSPGO_COMPRESS) continue;
#endif
        out = written(p, form, &n);
        q = csspgo_load(out, n, NULL, &e);
        if (!T_CHECK(q != NULL)) {
            fprintf(stderr, "    form %x: byte %u: %s\n", (unsigned)form, (unsigned)e.offset, e.message);
            free(out);
            continue;
        }
        if (!T_CHECK(t_valid(q) && csspgo_equal(q, form & CSSPGO_INDEXED ? guids[(form & CSSPGO_MD5_SYMBOLS) != 0] : p)))
            fprintf(stderr, "    form %x\n", (unsigned)form);
        again = written(q, form, &m);
        T_CHECK(m == n && memcmp(again, out, n) == 0);
        free(again);
        if (!(form & CSSPGO_COMPRESS)) {
            check_sections(out, n, form);
            if (!(flags & CSSPGO_IS_MD5)) check_lazily(out, n, p, form & CSSPGO_INDEXED ? unlisted : p, form);
        }
        csspgo_profile_free(q);
        free(out);
    }
    csspgo_profile_free(unlisted);
    csspgo_profile_free(guids[0]);
    csspgo_profile_free(guids[1]);
    csspgo_profile_free(p);
}

static void all_forms_read_back(void)
{
    static const char *const file[] = { "02-basic.ext", "03-nested-deep.ext", "07-indirect.ext", "08-huge.ext",
                                        "10-uniq.ext", "11-probe-nested.ext", "13-attr-only.ext", "15-cs-probe.ext",
                                        "01-minimal.md5" };
    size_t i, size;
    for (i = 0; i < sizeof file / sizeof *file; i++) {
        char path[200], *data;
        snprintf(path, sizeof path, "data/formats/conv/%s", file[i]);
        data = t_file(path, &size);
        round_trips(data, size);
        free(data);
    }
}

/* ----- blocks of types that are not known ----- */

/* The composite records of a file that was written are those of the file `name`. */
static void same_records(const unsigned char *out, size_t size, const char *name)
{
    csspgo_section s[16];
    size_t i, n, begin[2] = { 0, 0 }, length[2] = { 0, 0 }, whole;
    char *want = read_newer(name, &whole);
    unsigned k;
    for (k = 0; k < 2; k++) {
        T_EQ(csspgo_get_sections(k ? (const void *)want : out, k ? whole : size, s, 16, &n, NULL), CSSPGO_OK);
        for (i = 0; i < n && i < 16; i++)
            if (s[i].type == 33) begin[k] = (size_t)s[i].offset, length[k] = (size_t)s[i].size;
    }
    t_same(name, (const char *)out + begin[0], length[0], want + begin[1], length[1]);
    free(want);
}

/* What a file has of them: written again as it is, they are all there, at their records and in the order of types. */
static void unknown_blocks_stay(void)
{
    const uint32_t ext = CSSPGO_EXTBINARY, forms[] = {
        ext | CSSPGO_V105, ext | CSSPGO_COMPOSITE, ext | CSSPGO_COMPOSITE | CSSPGO_INDEXED,
        ext | CSSPGO_COMPOSITE | CSSPGO_SPLIT
    };
    static const struct { const char *name, *written; unsigned kept, lost; } file[] = {
        { "blocks", "blocks-written", 7, 1 }, { "blocks-contexts", "blocks-contexts", 3, 0 }
    };
    csspgo_node node;
    size_t i, k, size, n, m;
    for (i = 0; i < sizeof file / sizeof *file; i++) {
        char *data = read_newer(file[i].name, &size);
        for (k = 0; k < sizeof forms / sizeof *forms; k++) {
            csspgo_profile *p = csspgo_load(data, size, NULL, NULL), *q;
            unsigned char *out, *again;
            if (csspgo_profile_flags(p) & CSSPGO_IS_CS && forms[k] & (CSSPGO_INDEXED | CSSPGO_SPLIT)) {
                csspgo_profile_free(p);
                continue;
            }
            T_EQ(csspgo_kept_blocks(p), file[i].kept);
            T_EQ(csspgo_skipped_blocks(p), file[i].kept + file[i].lost);
            out = written(p, forms[k], &n);
            q = csspgo_load(out, n, NULL, NULL);
            T_CHECK(q != NULL && csspgo_kept_blocks(q) == file[i].kept && csspgo_skipped_blocks(q) == file[i].kept);
            again = written(q, forms[k], &m);
            T_CHECK(n == m && memcmp(out, again, n) == 0);
            free(again);
            if (!(forms[k] & (CSSPGO_INDEXED | CSSPGO_SPLIT))) same_records(out, n, file[i].written);
            csspgo_profile_free(q);
            free(out);
            out = written(p, CSSPGO_EXTBINARY, &n);   /* this form has no place for them */
            q = csspgo_load(out, n, NULL, NULL);
            T_CHECK(q != NULL && csspgo_skipped_blocks(q) == 0);
            csspgo_profile_free(q);
            free(out);
            q = csspgo_profile_clone(p, NULL);
            T_EQ(csspgo_kept_blocks(q), 0);           /* nor have copies any */
            T_EQ(csspgo_skipped_blocks(q), file[i].kept + file[i].lost);
            T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);
            T_EQ(csspgo_kept_blocks(q), 0);
            csspgo_profile_free(q);
            node.id = 2;
            T_EQ(csspgo_add_total(p, node, 1), CSSPGO_OK);
            T_EQ(csspgo_kept_blocks(p), 0);           /* they may not be true of what has changed */
            csspgo_profile_free(p);
        }
        free(data);
    }
}

/* ----- failures ----- */

/* No memory: reading, writing and lazy loading say so, and leave what was. */
static void every_allocation_may_fail(void)
{
    const uint32_t form = CSSPGO_EXTBINARY | CSSPGO_COMPOSITE | CSSPGO_INDEXED | CSSPGO_MD5_SYMBOLS;
    size_t size, n;
    char *data = t_file("data/formats/conv/03-nested-deep.ext", &size);
    csspgo_profile *p = csspgo_load(data, size, NULL, NULL);
    unsigned char *out;
    long nth;
    csspgo_set_listed(p, nth_func(1), 1);
    out = written(p, form, &n);
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_error e;
        csspgo_profile *q = csspgo_load(out, n, &o, &e);
        csspgo_lazy *l;
        csspgo_status s = CSSPGO_E_NOMEM;
        T_EQ(q == NULL, e.status != CSSPGO_OK);
        if (q != NULL) s = csspgo_write(q, form, NULL, 0, NULL, NULL);
        csspgo_profile_free(q);
        l = csspgo_lazy_open(out, n, &o, NULL);
        if (l != NULL && csspgo_lazy_load(l, "main", 4, NULL) != CSSPGO_OK)
            T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 0);
        csspgo_lazy_free(l);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_CHECK(nth > 20);
    csspgo_profile_free(p);
    free(out);
    free(data);
}

/* A large file: a function costs a few look-ups, whatever else there is. */
static void indexes_are_used_where_they_are(void)
{
    const uint32_t functions = (uint32_t)t_size(20000, 200000);
    csspgo_profile *p = t_profile(0);
    unsigned char *out;
    size_t n;
    uint32_t i;
    t_heap h;
    csspgo_options o;
    csspgo_lazy *l;
    for (i = 0; i < functions; i++) {
        const csspgo_func f = csspgo_func_add_guid(p, UINT64_C(0x9e3779b97f4a7c15) * (i + 1));
        const csspgo_node node = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f);
        T_EQ(csspgo_add_body(p, node, csspgo_loc_at(1, 0), i), CSSPGO_OK);
    }
    i = csspgo_func_add(p, "here", 4).id;
    T_EQ(csspgo_add_body(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, nth_func(i)),
                         csspgo_loc_at(7, 0), 5), CSSPGO_OK);
    out = written(p, CSSPGO_EXTBINARY | CSSPGO_INDEXED, &n);
    o = t_options(&h, 0);
    l = csspgo_lazy_open(out, n, &o, NULL);
    T_EQ(csspgo_lazy_load(l, "here", 4, NULL), CSSPGO_OK);
    T_CHECK(h.peak < 20000);                          /* bytes */
    T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 1);
    T_EQ(csspgo_lazy_load(l, "there", 5, NULL), CSSPGO_OK);
    T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 1);
    csspgo_lazy_free(l);
    T_EQ(h.live, 0);
    csspgo_profile_free(p);
    free(out);
}

/* A table of functions has four bytes for each name of its span: any other size is refused, read whole or lazily. */
static void indexed_tables_have_one_size(void)
{
    static const char *const files[] = { "indexed", "indexed-split", "indexed-hole" };
    static const char *const names[] = { "main", "foo" };
    size_t i, k, n, size, sections, tables = 0;
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        char *data = read_newer(files[i], &size);
        csspgo_section s[16];
        T_EQ(csspgo_get_sections(data, size, s, 16, &sections, NULL), CSSPGO_OK);
        for (k = 0; k < sections; k++) {
            unsigned char *const field = (unsigned char *)data + 18 + 32 * k + 24;
            const uint64_t right = s[k].size;
            if (s[k].type != SEC_OFFSETS) continue;
            T_CHECK(right < 200 && le64(field) == right);
            tables++;
            for (n = 1; n <= right + 9; n++) {
                csspgo_error whole, lazily;
                csspgo_profile *p;
                csspgo_lazy *l;
                size_t name;
                field[0] = (unsigned char)n;
                p = csspgo_load(data, size, NULL, &whole);
                l = csspgo_lazy_open(data, size, NULL, &lazily);
                for (name = 0; name < 2 && lazily.status == CSSPGO_OK; name++)
                    csspgo_lazy_load(l, names[name], strlen(names[name]), &lazily);
                T_EQ(whole.status, n == right ? CSSPGO_OK : CSSPGO_E_SYNTAX);
                T_EQ(lazily.status, whole.status);
                T_EQ(lazily.offset, whole.offset);
                T_CHECK(n != right || csspgo_equal(csspgo_lazy_profile(l), p));
                csspgo_lazy_free(l);
                csspgo_profile_free(p);
            }
            field[0] = (unsigned char)right;
        }
        free(data);
    }
    T_CHECK(tables == 4);
}

/* What a version or a form cannot carry is refused by name. */
static void refusals_have_names(void)
{
    size_t size;
    char *data = read_newer("indexed", &size);
    csspgo_profile *p = csspgo_load(data, size, NULL, NULL), *q = t_profile(1);
    csspgo_error e;
    T_EQ(csspgo_write(p, CSSPGO_EXTBINARY, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(strstr(e.message, "symbol list") != NULL);
    T_EQ(csspgo_write(p, CSSPGO_TEXT | CSSPGO_INDEXED, NULL, 0, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_write(p, CSSPGO_EXTBINARY | CSSPGO_V104 | CSSPGO_GCC, NULL, 0, NULL, &e), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_write(q, CSSPGO_EXTBINARY | CSSPGO_V104, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(strstr(e.message, "LLVM 19") != NULL);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    free(data);
}

int main(void)
{
    files_mean_what_their_description_says();
    errors_say_where_they_are();
    blocks_are_listed();
    releases_know_their_versions();
    all_forms_read_back();
    unknown_blocks_stay();
    every_allocation_may_fail();
    indexes_are_used_where_they_are();
    indexed_tables_have_one_size();
    refusals_have_names();
    return t_end();
}
