/* test_binary.c - raw binary, ExtBinary, CompactBinary and GCC profiles, summaries, symbol lists */
#include "t.h"
#include "../examples/tool/shared/limit.c"
#include "sections.h"
#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif

#define DATA "data/formats/"

/* Functions that fail return NULL or 0 after a failed check that names the file. */

static csspgo_options with_lenient(uint32_t lenient)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    return o;
}

static const char *path_of(const char *folder, const char *name, const char *ext)
{
    static char buf[4][300];
    static unsigned turn;
    char *p = buf[turn++ % 4];
    snprintf(p, sizeof buf[0], "%s%s%s%s", DATA, folder, name, ext);
    return p;
}

static csspgo_profile *read_path(const char *path, uint32_t lenient)
{
    const csspgo_options o = with_lenient(lenient);
    csspgo_profile *p = csspgo_profile_new(&o, NULL);
    csspgo_error e;
    if (csspgo_read_file(p, path, &e) != CSSPGO_OK) {
        T_MSG(0, path);
        fprintf(stderr, "    %s\n", e.message);
    }
    T_MSG(csspgo_validate(p, &e) == CSSPGO_OK, path);
    return p;
}

static char *written(csspgo_profile *p, uint32_t form, size_t *size)
{
    csspgo_error e;
    char *out;
    *size = 0;
    if (!T_EQ(csspgo_write(p, form, NULL, 0, size, &e), CSSPGO_OK)) {
        fprintf(stderr, "    %s\n", e.message);
        return (char *)t_copy("", 0);
    }
    out = (char *)malloc(*size + 1);
    if (out == NULL) abort();
    T_EQ(csspgo_write(p, form, out, *size, size, &e), CSSPGO_OK);
    T_EQ(e.status, CSSPGO_OK);
    return out;
}

static int exists(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f != NULL) fclose(f);
    return f != NULL;
}

/* ----- comparing ExtBinary: the order of metadata entries is LLVM's hash order, compressed bytes are zlib's ----- */

typedef struct piece { const unsigned char *p; size_t n; } piece;

static int piece_cmp(const void *a, const void *b)
{
    const piece *x = (const piece *)a, *y = (const piece *)b;
    const int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return c != 0 ? c : x->n < y->n ? -1 : x->n > y->n;
}

/* Metadata [p, p + n) into its top-level entries, sorted. */
static size_t entries(const unsigned char *p, size_t n, int cs, uint64_t flags, piece *out)
{
    const unsigned char *end = p + n;
    size_t k = 0;
    while (p < end) {
        uint64_t left = 1;
        int first = 1;
        out[k].p = p;
        for (; left != 0; left--, first = 0) {
            if (!first) { uleb_at(&p); uleb_at(&p); }
            uleb_at(&p);
            if (flags >> 32 & 1) uleb_at(&p);
            if (flags >> 33 & 1) uleb_at(&p);
            if (!cs) left += uleb_at(&p);
        }
        out[k].n = (size_t)(p - out[k].p);
        k++;
    }
    qsort(out, k, sizeof *out, piece_cmp);
    return k;
}

static unsigned char *section(const unsigned char *file, const csspgo_section *s, size_t *n)
{
    unsigned char *out = NULL;
    *n = (size_t)s->size;
    if (!(s->flags & 1) || s->size == 0) return t_copy(file + s->offset, *n);
#ifdef CSSPGO_USE_ZLIB
    {
        const unsigned char *p = file + s->offset;
        const uint64_t want = uleb_at(&p), packed = uleb_at(&p);
        uLongf got = (uLongf)want;
        out = (unsigned char *)malloc((size_t)want + 1);
        if (out == NULL) abort();
        T_EQ(p + packed - (file + s->offset), s->size);
        T_EQ(uncompress(out, &got, p, (uLong)packed), Z_OK);
        T_EQ(got, want);
        *n = (size_t)want;
    }
#endif
    return out;
}

/* 1 if the two files hold the same sections: types, flags, contents. */
static int same_ext(const char *what, const char *got, size_t got_size, const char *want, size_t want_size)
{
    const unsigned char *g = (const unsigned char *)got, *w = (const unsigned char *)want;
    piece *a, *b;
    size_t i, k, n;
    int ok = got_size > 18 && want_size > 18 && memcmp(g, w, 18) == 0, cs;
    n = ok ? (size_t)le64(w + 10) : 0;
    cs = ok && (section_at(w + 18, 0).flags >> 33 & 1);
    for (i = 0; ok && i < n; i++) {
        const csspgo_section x = section_at(g + 18, i), y = section_at(w + 18, i);
        size_t xn, yn;
        unsigned char *xp = section(g, &x, &xn), *yp = section(w, &y, &yn);
        ok = x.type == y.type && x.flags == y.flags && xn == yn;
        if (ok && x.type == 5 && xn != 0) {
            a = (piece *)malloc((xn + 1) * sizeof *a);
            b = (piece *)malloc((xn + 1) * sizeof *b);
            if (a == NULL || b == NULL) abort();
            k = entries(xp, xn, cs, x.flags, a);
            ok = k == entries(yp, yn, cs, y.flags, b);
            while (ok && k-- != 0) ok = piece_cmp(&a[k], &b[k]) == 0;
            free(a);
            free(b);
        } else if (ok && xn != 0) {
            ok = memcmp(xp, yp, xn) == 0;
        }
        if (!ok) fprintf(stderr, "    section %lu (type %lu) differs\n", (unsigned long)i, (unsigned long)y.type);
        free(xp);
        free(yp);
    }
    return T_MSG(ok, what);
}

static int is_ext(uint32_t form)
{
    return (form & 0xff) == CSSPGO_EXTBINARY;
}

static void writes_as(csspgo_profile *p, uint32_t form, const char *path)
{
    size_t n, m;
    char *got = written(p, form, &n), *want = t_file(path, &m);
    if (is_ext(form)) same_ext(path, got, n, want, m);
    else t_same(path, got, n, want, m);
    free(got);
    free(want);
}

static const char *const sources[] = {
    "01-minimal",   "02-basic",   "03-nested-deep", "04-unsorted-dups", "05-crlf",         "06-discriminators",
    "07-indirect",  "08-huge",    "09-names",       "10-uniq",          "11-probe-nested", "12-probe-flat",
    "13-attr-only", "14-cs-line", "15-cs-probe",    "16-cs-names",      "17-cs-order",     "18-fs",
    "19-zero",      "20-order",   "21-summary"
};

static const struct { const char *ext; uint32_t form; } forms[] = {
    { ".bin", CSSPGO_BINARY }, { ".ext", CSSPGO_EXTBINARY }, { ".md5", CSSPGO_EXTBINARY | CSSPGO_MD5 },
    { ".extz", CSSPGO_EXTBINARY | CSSPGO_COMPRESS }, { ".md5z", CSSPGO_EXTBINARY | CSSPGO_MD5 | CSSPGO_COMPRESS }
};

static int usable(uint32_t form)
{
#ifdef CSSPGO_USE_ZLIB
    return form != 0;
#else
    return !(form & CSSPGO_COMPRESS);
#endif
}

/* Every text profile becomes llvm-profdata's binary files, and these become its text. */
static void conversions_equal_llvm(void)
{
    size_t i, k;
    for (i = 0; i < sizeof sources / sizeof *sources; i++) {
        csspgo_profile *p = read_path(path_of("text/", sources[i], ".txt"), 1), *q;
        if (i == 17) csspgo_profile_set_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
        for (k = 0; k < sizeof forms / sizeof *forms; k++) {
            const char *path = path_of("conv/", sources[i], forms[k].ext),
                       *text = path_of("conv/", sources[i], ".text");
            char back[300];
            if (!exists(path) || !usable(forms[k].form)) continue;
            if (forms[k].form == CSSPGO_BINARY)
                csspgo_profile_set_flags(p, csspgo_profile_flags(p) & ~(uint32_t)CSSPGO_IS_FS);
            else if (i == 17) csspgo_profile_set_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
            writes_as(p, forms[k].form, path);
            snprintf(back, sizeof back, "%s.text", path);
            if (forms[k].form & CSSPGO_MD5 && !exists(back)) continue;
            q = read_path(path, 1);
            writes_as(q, CSSPGO_TEXT, exists(back) ? back : text);
            if (!(forms[k].form & CSSPGO_MD5)) writes_as(q, forms[k].form, path);
            csspgo_profile_free(q);
        }
        csspgo_profile_free(p);
    }
}

static void old_producers_are_read(void)
{
    static const struct { const char *file, *text;
    } v[] = { { "compat/02-basic.ext14", "conv/02-basic.text" },
              { "compat/11-probe-nested.ext14", "conv/11-probe-nested.text" },
              { "compat/15-cs-probe.ext14", "conv/15-cs-probe.text" },
              { "compat/create_gcov.afdo", "compat/create_gcov.text" },
              { "compat/02-basic.comp14", "conv/02-basic.md5.text" } };
    size_t i;
    for (i = 0; i < sizeof v / sizeof *v; i++) {
        csspgo_profile *p = read_path(path_of(v[i].file, "", ""), 1);
        writes_as(p, CSSPGO_TEXT, path_of(v[i].text, "", ""));
        csspgo_profile_free(p);
    }
}

/* ----- the RESULTS.txt of a folder: what LLVM makes of each file ----- */

/* The text of LLVM's result for a file, freed by the caller; NULL if it refuses the file. */
static char *result_of(const char *results, const char *name, size_t *size)
{
    char key[200];
    const char *p, *line;
    char *out, *o;
    snprintf(key, sizeof key, "== %s :", name);
    p = strstr(results, key);
    if (!T_MSG(p != NULL, name)) return NULL;
    line = strchr(p, '\n');
    if (strncmp(p + strlen(key), " exit 0", 7) != 0) return NULL;
    out = o = (char *)malloc(strlen(p) + 1);
    if (out == NULL) abort();
    while (line != NULL && line[1] == ' ') {
        const char *end = strchr(line + 1, '\n');
        const size_t n = end != NULL ? (size_t)(end - line) : strlen(line + 1) + 1;
        memcpy(o, line + 5, n - 4);
        o += n - 4;
        line = end;
    }
    *size = (size_t)(o - out);
    return out;
}

/* Calls fn for each file of a folder's RESULTS.txt. */
static void each_result(const char *folder,
                        void (*fn)(const char *path, const char *name, const char *want, size_t size))
{
    size_t n, want_size = 0;
    char *results = t_file(path_of(folder, "RESULTS.txt", ""), &n), *p, *want;
    for (p = results; p != NULL && (p = strstr(p, "== ")) != NULL; p++) {
        char name[100];
        if (p != results && p[-1] != '\n') continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p + 3, " "), p + 3);
        want = result_of(results, name, &want_size);
        fn(path_of(folder, name, ""), name, want, want_size);
        free(want);
    }
    free(results);
}

static int needs_zlib(const char *name)
{
#ifdef CSSPGO_USE_ZLIB
    return name == NULL;
#else
    return strstr(name, "compress") != NULL;
#endif
}

static void hand_made(const char *path, const char *name, const char *want, size_t want_size)
{
    csspgo_profile *p;
    size_t n;
    char *got;
    if (needs_zlib(name)) return;
    p = read_path(path, 1);
    if (want == NULL) { /* GCC 12's form, which LLVM cannot read: the same profile as gcov.afdo */
        csspgo_profile *q = read_path(path_of("hand/gcov.afdo", "", ""), 1);
        T_CHECK(csspgo_equal(p, q));
        csspgo_profile_free(q);
    } else {
        got = written(p, CSSPGO_TEXT, &n);
        t_same(path, got, n, want, want_size);
        free(got);
    }
    csspgo_profile_free(p);
}

static void hand_made_files_are_read_as_llvm_does(void)
{
    each_result("hand/", hand_made);
}

/* Strictly: status and offset. Leniently: LLVM's verdict, but where that rests on bytes that are not in the input: 0
   (of ext-compress-usize-too-big it reads memory that was never written, of ext-trunc-data a byte behind the end). */
static const struct bad { const char *name; csspgo_status status; uint64_t offset; int as_llvm; } bad[] = {
#define DAMAGED(name, status, offset, as_llvm) { name, CSSPGO_##status, offset, as_llvm },
    DAMAGED("compact-magic.prof", E_RANGE, 100, 1)
    DAMAGED("ext-compress-garbage.prof", E_SYNTAX, 345, 1)
    DAMAGED("ext-compress-usize-too-big.prof", E_SYNTAX, 345, 0)
    DAMAGED("ext-compress-wrong-usize.prof", E_SYNTAX, 345, 1)
    DAMAGED("ext-cs-empty-context.prof", E_SYNTAX, 345, 1)
    DAMAGED("ext-cs-index-range.prof", E_RANGE, 367, 1)
    DAMAGED("ext-cs-line-65536.prof", E_RANGE, 347, 1)
    DAMAGED("ext-lbr-before-names.prof", E_RANGE, 200, 1)
    DAMAGED("ext-lbr-one-short.prof", E_TRUNCATED, 380, 1)
    DAMAGED("ext-line-65536.prof", E_RANGE, 349, 1)
    DAMAGED("ext-md5-fixed-count-mismatch.prof", E_TRUNCATED, 327, 1)
    DAMAGED("ext-md5-fixed-extra-bytes.prof", E_SYNTAX, 360, 1)
    DAMAGED("ext-meta-name-range.prof", E_RANGE, 386, 1)
    DAMAGED("ext-meta-trunc.prof", E_TRUNCATED, 388, 1)
    DAMAGED("ext-names-one-long.prof", E_SYNTAX, 344, 1)
    DAMAGED("ext-section-count-huge.prof", E_TRUNCATED, 10, 1)
    DAMAGED("ext-section-past-end.prof", E_TRUNCATED, 162, 1)
    DAMAGED("ext-section-size-past-end.prof", E_TRUNCATED, 162, 1)
    DAMAGED("ext-section-wraps.prof", E_TRUNCATED, 162, 1)
    DAMAGED("ext-summary-one-long.prof", E_SYNTAX, 327, 1)
    DAMAGED("ext-symlist-no-nul.prof", E_TRUNCATED, 385, 1)
    DAMAGED("ext-trunc-data.prof", E_TRUNCATED, 130, 0)
    DAMAGED("ext-trunc-header.prof", E_TRUNCATED, 10, 1)
    DAMAGED("ext-version-104.prof", OK, 0, 1)
    DAMAGED("ext-version-105.prof", OK, 0, 1)
    DAMAGED("gcov-big-endian.afdo", E_SYNTAX, 8, 1)
    DAMAGED("gcov-byte-strings.afdo", E_TRUNCATED, 32, 1)
    DAMAGED("gcov-func-tag.afdo", E_SYNTAX, 76, 1)
    DAMAGED("gcov-hist-type-4.afdo", E_SYNTAX, 220, 1)
    DAMAGED("gcov-name-index-range.afdo", E_RANGE, 96, 1)
    DAMAGED("gcov-name-tag.afdo", E_SYNTAX, 12, 1)
    DAMAGED("gcov-stamp-1.afdo", E_SYNTAX, 9, 1)
    DAMAGED("gcov-trunc-header.afdo", E_TRUNCATED, 12, 1)
    DAMAGED("gcov-trunc.afdo", E_TRUNCATED, 360, 1)
    DAMAGED("gcov-version-2.afdo", E_TRUNCATED, 29, 1)
    DAMAGED("gcov-version-804.afdo", E_VERSION, 4, 1)
    DAMAGED("raw-bad-magic.prof", E_SYNTAX, 18, 1)
    DAMAGED("raw-discriminator-33bit.prof", E_RANGE, 117, 1)
    DAMAGED("raw-line-65536.prof", E_RANGE, 116, 1)
    DAMAGED("raw-magic-only.prof", E_TRUNCATED, 9, 1)
    DAMAGED("raw-name-count-huge.prof", E_TRUNCATED, 95, 1)
    DAMAGED("raw-name-count-too-big.prof", E_RANGE, 126, 1)
    DAMAGED("raw-name-index-range.prof", E_RANGE, 113, 1)
    DAMAGED("raw-nrecs-33bit.prof", E_TRUNCATED, 115, 1)
    DAMAGED("raw-nrecs-huge.prof", E_TRUNCATED, 115, 1)
    DAMAGED("raw-summary-entries-huge.prof", E_TRUNCATED, 15, 1)
    DAMAGED("raw-target-index-range.prof", E_RANGE, 122, 1)
    DAMAGED("raw-trailing-byte.prof", E_TRUNCATED, 149, 1)
    DAMAGED("raw-trailing-garbage.prof", E_TRUNCATED, 151, 1)
    DAMAGED("raw-trunc-body.prof", E_TRUNCATED, 142, 1)
    DAMAGED("raw-trunc-last-byte.prof", E_TRUNCATED, 147, 1)
    DAMAGED("raw-trunc-names.prof", E_TRUNCATED, 100, 1)
    DAMAGED("raw-trunc-summary.prof", E_TRUNCATED, 14, 1)
    DAMAGED("raw-uleb-11-bytes.prof", OK, 0, 1)
    DAMAGED("raw-uleb-65-bits.prof", E_RANGE, 112, 1)
    DAMAGED("raw-version-102.prof", E_VERSION, 9, 1)
    DAMAGED("raw-version-104.prof", OK, 0, 1)
#undef DAMAGED
};

static void damaged(const char *path, const char *name, const char *want, size_t want_size)
{
    size_t i, n, size;
    char *data, *got;
    for (i = 0; i < sizeof bad / sizeof *bad && strcmp(bad[i].name, name) != 0; i++) {}
    if (!T_MSG(i < sizeof bad / sizeof *bad, name) || needs_zlib(name)) return;
    data = t_file(path, &size);
    for (n = 0; n < 2; n++) {
        const csspgo_options o = with_lenient((uint32_t)n);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_error e;
        const csspgo_status s = csspgo_read(p, data, size, &e);
        T_EQ(e.status, s);
        if (n == 0) {
            if (!T_EQ(s, bad[i].status) || !T_EQ(e.offset, bad[i].offset))
                fprintf(stderr, "    %s: %s\n", name, e.message);
        } else if (bad[i].as_llvm) {
            T_MSG((s == CSSPGO_OK) == (want != NULL), name);
            if (s == CSSPGO_OK && want != NULL) {
                got = written(p, CSSPGO_TEXT, &i);
                t_same(name, got, i, want, want_size);
                free(got);
            }
        } else {
            T_MSG(s != CSSPGO_OK && want != NULL, name);
        }
        if (s != CSSPGO_OK) T_CHECK(csspgo_func_count(p) == 0 && csspgo_node_count(p) == 0 && e.message[0] != '\0');
        csspgo_profile_free(p);
        for (i = 0; i < sizeof bad / sizeof *bad && strcmp(bad[i].name, name) != 0; i++) {}
    }
    free(data);
}

/* Newer LLVM's 104 and 105 are 103 by another number. LLVM 19 refuses them, and 106 is not known. */
static void newer_versions_have_the_bytes_of_103(void)
{
    static const char *const files[] = { "conv/02-basic.bin", "conv/03-nested-deep.ext", "conv/15-cs-probe.ext",
                                         "conv/15-cs-probe.md5" };
    size_t i, k;
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        size_t size;
        char *data;
        snprintf(path, sizeof path, "data/formats/%s", files[i]);
        data = t_file(path, &size);
        for (k = 0; k < 2; k++) {
            const csspgo_options o = with_lenient((uint32_t)k);
            csspgo_profile *p = csspgo_profile_new(&o, NULL), *q = csspgo_profile_new(&o, NULL);
            csspgo_error e;
            T_EQ(data[9], 103);
            T_EQ(csspgo_read(p, data, size, NULL), CSSPGO_OK);
            data[9] = i % 2 ? 104 : 105;
            T_EQ(csspgo_read(q, data, size, &e), k ? CSSPGO_E_VERSION : CSSPGO_OK);
            T_EQ(e.offset, k ? 9 : 0);
            T_EQ(csspgo_equal(p, q), !k);
            data[9] = 106;
            T_EQ(csspgo_read(q, data, size, &e), CSSPGO_E_VERSION);
            T_EQ(e.offset, 9);
            data[9] = 103;
            csspgo_profile_free(p);
            csspgo_profile_free(q);
        }
        free(data);
    }
}

static void damaged_files_fail_where_they_are_damaged(void)
{
    each_result("malformed/bin/", damaged);
}

/* ----- hostile bytes ----- */

static const char *const victims[] = { "conv/02-basic.bin",        "conv/03-nested-deep.ext",
                                       "conv/11-probe-nested.ext", "conv/15-cs-probe.ext",
                                       "conv/15-cs-probe.md5",     "conv/15-cs-probe.extz",
                                       "hand/ext-symlist.prof",    "hand/ext-md5-uleb.prof",
                                       "hand/ext-ctxsplit.prof",   "compat/02-basic.comp14",
                                       "hand/gcov.afdo",           "hand/gcov-v2-byte-strings.gcc-only.afdo",
                                       "gcov3/two-files.afdo" };

/* Reads an exact-size copy; whatever comes of it, it must be sane and within the memory bound. */
static csspgo_status try_bytes(const void *data, size_t n, uint32_t lenient)
{
    unsigned char *exact = t_copy(data, n);
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    csspgo_profile *p;
    csspgo_error e;
    csspgo_status s;
    o.llvm = lenient ? 19 : 0;
    p = csspgo_profile_new(&o, NULL);
    s = csspgo_read(p, exact, n, &e);
    T_CHECK(e.status == s && e.offset <= n && (s == CSSPGO_OK) == (e.message[0] == '\0'));
    T_CHECK(csspgo_validate(p, &e) == CSSPGO_OK);
#ifndef CSSPGO_USE_ZLIB
    T_CHECK(h.peak <= 16 * n + (1u << 20));
#endif
    if (s != CSSPGO_OK) T_CHECK(csspgo_node_count(p) == 0);
    csspgo_profile_free(p);
    T_EQ(h.live, 0);
    free(exact);
    return s;
}

static void every_prefix_is_sane(void)
{
    size_t i, n, size;
    for (i = 0; i < sizeof victims / sizeof *victims; i++) {
        char *data = t_file(path_of(victims[i], "", ""), &size);
        for (n = 0; n < size; n++) {
            const csspgo_status s = try_bytes(data, n, 0);
            if (strstr(victims[i], "ext") != NULL && n != 0) T_MSG(s != CSSPGO_OK, victims[i]);
        }
        free(data);
    }
}

static void every_changed_byte_is_sane(void)
{
    static const unsigned char flip[] = { 0x01, 0x80, 0xff };
    size_t i, n, k, size;
    for (i = 0; i < sizeof victims / sizeof *victims; i++) {
        char *data = t_file(path_of(victims[i], "", ""), &size);
        for (n = 0; n < size; n++)
            for (k = 0; k < sizeof flip; k++) {
                data[n] = (char)(data[n] ^ flip[k]);
                try_bytes(data, n & 1 ? size : size, (uint32_t)(n & 1));
                data[n] = (char)(data[n] ^ flip[k]);
            }
        free(data);
    }
}

/* One section's first number replaced by a huge one: refused before anything is allocated for it. */
static void bombs_are_refused(void)
{
    static const unsigned char huge[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x20 };   /* 2^40 */
    static const char *const file[] = { "conv/15-cs-probe.ext", "conv/15-cs-probe.md5", "conv/11-probe-nested.ext" };
    size_t i, k, size, n;
    for (i = 0; i < 3; i++) {
        unsigned char *data = (unsigned char *)t_file(path_of(file[i], "", ""), &size);
        for (k = 0; k < 7; k++) {
            const csspgo_section s = section_at(data + 18, k);
            unsigned char *bomb = (unsigned char *)malloc(size + 64);
            t_heap h;
            const csspgo_options o = t_options(&h, 0);
            csspgo_profile *p = csspgo_profile_new(&o, NULL);
            csspgo_error e;
            if (bomb == NULL) abort();
            if (s.size > 0 && s.type != 3 && s.type != 4) {
                memcpy(bomb, data, size);
                memcpy(bomb + size, huge, sizeof huge);
                memcpy(bomb + size + sizeof huge, "\1\1\1\1", 4);
                for (n = 0; n < 8; n++) {             /* offset and size in the table */
                    bomb[18 + 32 * k + 16 + n] = (unsigned char)(size >> 8 * n & 255);
                    bomb[18 + 32 * k + 24 + n] = (unsigned char)(n == 0 ? sizeof huge + 4 : 0);
                }
                T_CHECK(csspgo_read(p, bomb, size + sizeof huge + 4, &e) != CSSPGO_OK);
                T_CHECK(h.peak < 65536);
            }
            csspgo_profile_free(p);
            free(bomb);
        }
        free(data);
    }
}

/* Moves section k of an ExtBinary file to its end: n bytes at `to`, behind size bytes. flags: 1: compressed. */
static void move_section(unsigned char *file, size_t k, size_t to, size_t n, unsigned flags)
{
    size_t i;
    for (i = 0; i < 8; i++) {
        file[18 + 32 * k + 8 + i] = (unsigned char)(i == 0 ? flags : 0);
        file[18 + 32 * k + 16 + i] = (unsigned char)((uint64_t)to >> 8 * i & 255);
        file[18 + 32 * k + 24 + i] = (unsigned char)((uint64_t)n >> 8 * i & 255);
    }
}

/* A file of 2 KB whose name table claims 2^36 names, in the right order or not, plain or as MD5. */
static void a_name_table_of_2_to_the_36_names_costs_nothing(void)
{
    static const unsigned char claim[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x02 };   /* 2^36 */
    static const char *const file[] = { "conv/15-cs-probe.ext", "conv/15-cs-probe.md5", "conv/11-probe-nested.ext" };
    size_t i, k, size;
    for (i = 0; i < 3; i++) {
        unsigned char bomb[4096], *data = (unsigned char *)t_file(path_of(file[i], "", ""), &size);
        t_heap h;
        const csspgo_options o = t_options(&h, 0);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_error e;
        T_CHECK(size < 1024);
        memcpy(bomb, data, size);
        memset(bomb + size, 'a', 2048 - size);
        memcpy(bomb + size, claim, sizeof claim);
        for (k = 0; section_at(bomb + 18, k).type != 2; k++) {}
        move_section(bomb, k, size, 2048 - size, (unsigned)section_at(bomb + 18, k).flags);
        T_CHECK(csspgo_read(p, bomb, 2048, &e) != CSSPGO_OK && e.offset >= size && e.offset <= 2048);
        T_CHECK(h.peak < 16384);
        csspgo_profile_free(p);
        T_EQ(h.live, 0);
        free(data);
    }
}

#ifdef CSSPGO_USE_ZLIB
/* A compressed name table of n bytes of content that claims to have `claim`, read with at most `limit` bytes. */
static csspgo_status read_bomb(size_t content, uint64_t claim, uint64_t limit, size_t *packed, size_t *peak)
{
    size_t size, k, n;
    unsigned char *data = (unsigned char *)t_file(path_of("conv/15-cs-probe.ext", "", ""), &size);
    unsigned char *zeros = (unsigned char *)calloc(content, 1);
    uLongf deflated = compressBound((uLong)content);
    unsigned char *bomb = (unsigned char *)malloc(size + 40 + deflated);
    unsigned char head[20];
    size_t used;
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    csspgo_profile *p;
    csspgo_error e;
    csspgo_status s;
    if (zeros == NULL || bomb == NULL || compress2(bomb + size + 20, &deflated, zeros, (uLong)content, 9) != Z_OK)
        abort();
    used = put_uleb(head, claim);
    used += put_uleb(head + used, deflated);
    memcpy(bomb, data, size);
    memcpy(bomb + size, head, used);
    memmove(bomb + size + used, bomb + size + 20, deflated);
    n = used + deflated;
    for (k = 0; section_at(bomb + 18, k).type != 2; k++) {}
    move_section(bomb, k, size, n, 1);
    o.limits.max_bytes = limit;
    p = csspgo_profile_new(&o, NULL);
    s = csspgo_read(p, bomb, size + n, &e);
    T_CHECK(s != CSSPGO_OK && e.status == s && csspgo_node_count(p) == 0);
    *packed = size + n;
    *peak = h.peak;
    csspgo_profile_free(p);
    T_EQ(h.live, 0);
    free(bomb);
    free(zeros);
    free(data);
    return s;
}

static void zlib_bombs_stay_within_the_limits(void)
{
    size_t packed, peak;
    T_EQ(read_bomb(1000, (uint64_t)1 << 36, 0, &packed, &peak), CSSPGO_E_SYNTAX);       /* a claim that cannot be */
    T_CHECK(peak < 16384);
    T_EQ(read_bomb(16u << 20, 16u << 20, 1u << 20, &packed, &peak), CSSPGO_E_LIMIT);    /* 16 MB in 16 KB, honest */
    T_CHECK(packed < 24000 && peak <= 1u << 20);
    T_EQ(read_bomb(80u << 20, 80u << 20, 0, &packed, &peak), CSSPGO_E_LIMIT);           /* above 64 x file + 64 MB */
    T_CHECK(peak < 16384);
    T_EQ(read_bomb(16u << 20, 1u << 20, 0, &packed, &peak), CSSPGO_E_SYNTAX);           /* more than it claims */
    T_CHECK(peak <= 4u << 20);
    T_EQ(read_bomb(1u << 20, 8u << 20, 0, &packed, &peak), CSSPGO_E_SYNTAX);            /* less: grows as data comes */
    T_CHECK(peak <= 4u << 20);
}
#endif

static void every_allocation_may_fail(void)
{
    static const uint32_t out[] = { CSSPGO_BINARY, CSSPGO_EXTBINARY, CSSPGO_GCOV, CSSPGO_EXTBINARY | CSSPGO_MD5 };
    size_t i, k, size, n;
    long nth;
    for (i = 0; i < sizeof victims / sizeof *victims; i++) {
        char *data = t_file(path_of(victims[i], "", ""), &size);
        if (strstr(victims[i], "extz") != NULL && !usable(CSSPGO_COMPRESS)) {
            free(data);
            continue;
        }
        for (k = 0; k < 4; k++) {
            csspgo_status want = CSSPGO_OK;
            for (nth = 0;; nth++) {                   /* 0: to see what comes of it */
                t_heap h;
                csspgo_options o = t_options(&h, nth);
                csspgo_profile *p;
                csspgo_status s = CSSPGO_E_NOMEM;
                csspgo_error e;
                o.llvm = 19;
                p = csspgo_profile_new(&o, NULL);
                if (p != NULL) s = csspgo_read(p, data, size, &e);
                if (s == CSSPGO_OK) s = csspgo_write(p, out[k], NULL, 0, &n, &e);
                if (p != NULL) T_EQ(e.status, s);
                csspgo_profile_free(p);
                T_EQ(h.live, 0);
                if (nth == 0) want = s;
                else if (s == want) break;
                else if (!T_EQ(s, CSSPGO_E_NOMEM)) break;
            }
        }
        free(data);
    }
}

static void short_buffers_get_the_beginning(void)
{
    static const uint32_t out[] = { CSSPGO_BINARY, CSSPGO_EXTBINARY, CSSPGO_GCOV, CSSPGO_GCOV | CSSPGO_GCC };
    csspgo_profile *p = read_path(path_of("text/02-basic", "", ".txt"), 0);
    size_t k, n, size, need;
    for (k = 0; k < 4; k++) {
        char *all = written(p, out[k], &size);
        for (n = 0; n < size; n++) {
            char *buf = (char *)t_copy(all, n);
            csspgo_error e;
            memset(buf, 0x55, n);
            T_EQ(csspgo_write(p, out[k], n != 0 ? buf : NULL, n, &need, &e), n != 0 ? CSSPGO_E_SHORT : CSSPGO_OK);
            T_EQ(need, size);
            T_CHECK(memcmp(buf, all, n) == 0);
            free(buf);
        }
        free(all);
    }
    csspgo_profile_free(p);
}

/* ----- what strict profiles keep and what forms refuse ----- */

static csspgo_profile *read_bytes(const void *data, size_t n)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    if (!T_EQ(csspgo_read(p, data, n, &e), CSSPGO_OK)) fprintf(stderr, "    %s\n", e.message);
    T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
    return p;
}

/* Text -> form -> the same profile; the form's bytes -> form -> the same bytes. */
static void nothing_is_lost(void)
{
    static const uint32_t out[] = { CSSPGO_EXTBINARY, CSSPGO_EXTBINARY | CSSPGO_SPLIT, CSSPGO_BINARY,
                                    CSSPGO_EXTBINARY | CSSPGO_COMPRESS, CSSPGO_EXTBINARY | CSSPGO_MD5 };
    size_t i, k, n, m;
    for (i = 0; i < sizeof sources / sizeof *sources; i++) {
        csspgo_profile *p = read_path(path_of("text/", sources[i], ".txt"), 0);
        const uint32_t flags = csspgo_profile_flags(p);
        for (k = 0; k < 5; k++) {
            char *bytes, *again;
            csspgo_profile *q;
            if (!usable(out[k]) || (out[k] & CSSPGO_SPLIT && flags & CSSPGO_IS_CS)) continue;
            if (out[k] == CSSPGO_BINARY && (flags & (CSSPGO_IS_CS | CSSPGO_IS_PROBE) || i == 12)) continue;
            bytes = written(p, out[k], &n);
            q = read_bytes(bytes, n);
            again = written(q, out[k], &m);
            if (!(out[k] & CSSPGO_MD5)) {             /* without names the order is another one */
                t_same(sources[i], again, m, bytes, n);
                T_MSG(csspgo_equal(p, q), sources[i]);
            } else {
                T_EQ(csspgo_record_count(p), csspgo_record_count(q));
                T_CHECK(csspgo_profile_flags(q) & CSSPGO_IS_MD5);
            }
            csspgo_profile_free(q);
            free(bytes);
            free(again);
        }
        csspgo_profile_free(p);
    }
}

/* GCC's forms derive totals; everything else comes back. */
static void gcc_forms_keep_counts(void)
{
    static const uint32_t out[] = { CSSPGO_GCOV, CSSPGO_GCOV | CSSPGO_GCC, CSSPGO_GCOV | CSSPGO_GCC3,
                                    CSSPGO_GCOV | CSSPGO_GCC1 };
    static const char *const file[] = { "hand/gcov.afdo", "compat/create_gcov.afdo" };
    size_t i, k, n;
    for (i = 0; i < 2; i++) {
        csspgo_profile *p = read_path(path_of(file[i], "", ""), 0);
        for (k = 0; k < 4; k++) {
            char *bytes = written(p, out[k], &n);
            csspgo_profile *q = read_bytes(bytes, n);
            csspgo_summary have, want;
            size_t cutoffs;
            T_EQ(csspgo_sniff(bytes, n), CSSPGO_GCOV);
            T_MSG(csspgo_equal(p, q), file[i]);
            T_EQ(csspgo_stored_summary(q, &have, &cutoffs), k == 2);
            T_EQ(csspgo_compute_summary(q, NULL, 0, &want, NULL), CSSPGO_OK);
            if (k == 2) T_CHECK(cutoffs == CSSPGO_CUTOFFS && memcmp(&have, &want, sizeof have) == 0);
            csspgo_profile_free(q);
            free(bytes);
        }
        csspgo_profile_free(p);
    }
}

/* Where the position with a count of line 3 is in a file of GCC's. */
static size_t position_of(const char *bytes, size_t n, uint32_t discriminator, unsigned char count)
{
    unsigned char want[16] = { 0, 0, 3 };
    size_t i;
    want[0] = (unsigned char)discriminator;
    want[8] = count;
    for (i = 0; i + sizeof want <= n; i++)
        if (memcmp(bytes + i, want, sizeof want) == 0) return i;
    T_MSG(0, "position");
    return 0;
}

/* GCC 12 takes the last position of a line, whatever its discriminator: that is the one with the largest count. */
static void gcc_takes_the_largest_count(void)
{
    static const uint32_t out[] = { CSSPGO_GCC, CSSPGO_GCC1 };
    csspgo_profile *p = read_bytes("f:10:1\n 2: 99\n 3: 5\n 3.1: 9\n 3.2: 7\n 4: 50\n", 43);
    size_t k, n;
    for (k = 0; k < 2; k++) {
        char *bytes = written(p, CSSPGO_GCOV | out[k], &n);
        const size_t at = position_of(bytes, n, 1, 9);
        T_EQ(bytes[4], k == 0 ? 2 : 1);
        T_EQ(position_of(bytes, n, 0, 5), at - 32);
        T_EQ(position_of(bytes, n, 2, 7), at - 16);
        free(bytes);
    }
    csspgo_profile_free(p);
}

typedef struct blob { unsigned char *p; size_t n; } blob;

static void add_bytes(blob *b, const void *data, size_t n)
{
    unsigned char *p = (unsigned char *)realloc(b->p, b->n + n + 1);
    if (p == NULL) abort();
    memcpy(p + b->n, data, n);
    b->p = p;
    b->n += n;
}

static void add_u64(blob *b, uint64_t v)
{
    unsigned char le[8];
    unsigned i;
    for (i = 0; i < 8; i++) le[i] = (unsigned char)(v >> 8 * i & 255);
    add_bytes(b, le, 8);
}

static void add_uleb(blob *b, uint64_t v)
{
    unsigned char buf[20];
    add_bytes(b, buf, put_uleb(buf, v));
}

static void add_u32(blob *b, uint32_t v)
{
    unsigned char le[4];
    unsigned i;
    for (i = 0; i < 4; i++) le[i] = (unsigned char)(v >> 8 * i & 255);
    add_bytes(b, le, 4);
}

static void add_name(blob *b, const char *name, uint32_t file)
{
    add_u32(b, (uint32_t)strlen(name) + 1);
    add_bytes(b, name, strlen(name) + 1);
    add_u32(b, file);
}

/* Version 3 of newer AutoFDO: two functions foo of different files, the second one with an inlinee, and main. */
static blob gcc3_file(void)
{
    static const char *const file[] = { "a.c", "b.c" };
    blob b = { NULL, 0 };
    unsigned i;
    add_bytes(&b, "adcg", 4);
    add_u32(&b, 3);
    add_u32(&b, 0);
    add_u32(&b, 0xa8000000u);
    for (i = 0; i < 5; i++) add_u64(&b, 40 + i);
    add_u64(&b, 1);
    add_u32(&b, 990000);
    add_u64(&b, 7);
    add_u64(&b, 3);
    add_u32(&b, 0xaa000000u);
    add_u32(&b, 99);                                  /* lengths of sections do not matter */
    add_u32(&b, 2);
    for (i = 0; i < 2; i++) {
        add_u32(&b, 4);
        add_bytes(&b, file[i], 4);
    }
    add_u32(&b, 4);
    add_name(&b, "", 0xffffffffu);
    add_name(&b, "foo", 0);
    add_name(&b, "foo", 1);
    add_name(&b, "main", 0xffffffffu);
    add_u32(&b, 0xac000000u);
    add_u32(&b, 99);
    add_u32(&b, 3);
    add_u64(&b, 5);                                   /* head, time stamp */
    add_u64(&b, 1234567);
    add_u32(&b, 1);                                   /* foo of a.c: 1 position, no inlinee */
    add_u32(&b, 1);
    add_u32(&b, 0);
    add_u32(&b, 3u << 16 | 2);
    add_u32(&b, 1);
    add_u64(&b, 10);
    add_u32(&b, 7);
    add_u64(&b, 3);
    add_u64(&b, 9);
    add_u64(&b, 6);
    add_u64(&b, 0);
    add_u32(&b, 2);                                   /* foo of b.c: 1 position, 1 inlinee: main with 1 position */
    add_u32(&b, 1);
    add_u32(&b, 1);
    add_u32(&b, 3u << 16 | 2);
    add_u32(&b, 0);
    add_u64(&b, 20);
    add_u32(&b, 8u << 16);
    add_u32(&b, 3);
    add_u32(&b, 1);
    add_u32(&b, 0);
    add_u32(&b, 1u << 16);
    add_u32(&b, 0);
    add_u64(&b, 4);
    add_u64(&b, 1);
    add_u64(&b, UINT64_MAX);
    add_u32(&b, 3);                                   /* main: nothing */
    add_u32(&b, 0);
    add_u32(&b, 0);
    return b;
}

static void version_3_of_gcc_is_read(void)
{
    blob b = gcc3_file();
    csspgo_profile *p = read_bytes(b.p, b.n);
    csspgo_summary sum;
    csspgo_error e;
    size_t n;
    char *text = written(p, CSSPGO_TEXT, &n);
    static const char want[] = "b.c;foo:24:6\n 3.2: 20\n 8: main:4\n  1: 4\na.c;foo:10:5\n 3.2: 10 main:9\nmain:0:1\n";
    t_same("gcc3", text, n, want, sizeof want - 1);
    T_EQ(csspgo_first_sample(p, csspgo_func_find(p, "a.c;foo", 7)), 1234567);
    T_EQ(csspgo_first_sample(p, csspgo_func_find(p, "b.c;foo", 7)), 0);
    T_EQ(csspgo_first_sample(p, csspgo_func_find(p, "main", 4)), UINT64_MAX);
    T_CHECK(csspgo_stored_summary(p, &sum, &n) && n == 1 && sum.total == 40 && sum.functions == 44);
    T_CHECK(csspgo_stored_cutoff(p, 0).ppm == 990000 && csspgo_stored_cutoff(p, 0).counts == 3);
    T_EQ(csspgo_write(p, CSSPGO_GCOV | CSSPGO_GCC | CSSPGO_GCC3, NULL, 0, &n, &e), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(p);
    free(text);
    for (n = 0; n < b.n; n++) {
        T_CHECK(try_bytes(b.p, n, 0) != CSSPGO_OK);
        b.p[n] ^= 0x41;
        try_bytes(b.p, b.n, 0);
        b.p[n] ^= 0x41;
    }
    b.p[4] = 4;
    p = csspgo_profile_new(NULL, NULL);
    T_EQ(csspgo_read(p, b.p, b.n, &e), CSSPGO_E_VERSION);
    T_EQ(e.offset, 4);
    b.p[4] = 3;
    b.p[12] = 1;                                      /* tag of the summary */
    T_EQ(csspgo_read(p, b.p, b.n, &e), CSSPGO_E_SYNTAX);
    T_EQ(e.offset, 12);
    b.p[12] = 0;
    b.p[56] = 99;                                     /* its number of entries */
    T_EQ(csspgo_read(p, b.p, b.n, &e), CSSPGO_E_TRUNCATED);
    T_EQ(e.offset, 56);
    b.p[56] = 1;
    b.p[84 + 8 + 4 + 16 + 4 + 4 + 1 + 4 + 8] = 2;     /* the file of the first foo */
    T_EQ(csspgo_read(p, b.p, b.n, &e), CSSPGO_E_RANGE);
    T_EQ(e.offset, 84 + 8 + 4 + 16 + 4 + 4 + 1 + 4 + 8);
    csspgo_profile_free(p);
    free(b.p);
}

/* make_gcov3.pl says what each byte is; what csspgo writes of these is the same bytes. */
static void version_3_of_gcc_is_written(void)
{
    static const char *const file[] = { "two-files", "no-files" };
    size_t i, n, size;
    csspgo_profile *p, *q;
    csspgo_func f;
    csspgo_error e;
    for (i = 0; i < 2; i++) {
        char *bytes, *want = t_file(path_of("gcov3/", file[i], ".afdo"), &size);
        p = read_path(path_of("gcov3/", file[i], ".afdo"), 0);
        bytes = written(p, CSSPGO_GCOV | CSSPGO_GCC3, &n);
        t_same(file[i], bytes, n, want, size);
        free(bytes);
        free(want);
        csspgo_profile_free(p);
    }
    p = read_path(path_of("gcov3/two-files", "", ".afdo"), 0);
    f = csspgo_func_find(p, "dir/b.c;foo", 11);
    T_CHECK(f.id != 0 && csspgo_first_sample(p, f) == 6000);
    T_EQ(csspgo_body_count(p, csspgo_find(p, "a.c;foo"), csspgo_loc_at(2, 0)), 20);
    q = csspgo_profile_clone(p, NULL);
    T_CHECK(csspgo_equal(p, q));
    T_EQ(csspgo_set_first_sample(q, csspgo_func_find(q, "dir/b.c;foo", 11), 6001), CSSPGO_OK);
    T_CHECK(!csspgo_equal(p, q) && !csspgo_equal(q, p));
    T_EQ(csspgo_add_profile(q, p, &e), CSSPGO_OK);
    T_EQ(csspgo_first_sample(q, csspgo_func_find(q, "dir/b.c;foo", 11)), 6000);
    T_EQ(csspgo_set_first_sample(q, csspgo_func_find(q, "nobody", 6), 1), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(q);
    csspgo_profile_free(p);
}

static void files_of_gcc_have_limits(void)
{
    static const struct { const char *file; csspgo_status status; uint64_t offset; } broken[] = {
        { "bad-file", CSSPGO_E_RANGE, 437 }, { "bad-long", CSSPGO_E_LIMIT, 20285 }
    };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    size_t i;
    for (i = 0; i < 2; i++) {
        T_EQ(csspgo_read_file(p, path_of("gcov3/", broken[i].file, ".afdo"), &e), broken[i].status);
        T_EQ(e.offset, broken[i].offset);
        T_CHECK(csspgo_func_count(p) == 0 && csspgo_profile_memory(p) < 4096);
    }
    csspgo_profile_free(p);
}

/* Two functions that a rename makes one have the earlier time. */
static void renames_keep_first_samples(void)
{
    static const csspgo_rename to[] = { { "a", "c", 1, 1 }, { "b", "c", 1, 1 } };
    csspgo_profile *p = read_bytes("a:1:1\n 1: 1\nb:2:1\n 1: 2\n", 24);
    T_EQ(csspgo_set_first_sample(p, csspgo_func_find(p, "a", 1), 70), CSSPGO_OK);
    T_EQ(csspgo_set_first_sample(p, csspgo_func_find(p, "b", 1), 50), CSSPGO_OK);
    T_EQ(csspgo_rename_functions(p, to, 2, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_first_sample(p, csspgo_func_find(p, "c", 1)), 50);
    csspgo_profile_free(p);
}

/* Times, files and sums of them survive every failing allocation, or nothing changes. */
static void first_samples_survive_every_failing_allocation(void)
{
    csspgo_profile *from = read_path(path_of("gcov3/two-files", "", ".afdo"), 0);
    long nth;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_status s = CSSPGO_E_NOMEM;
        size_t n;
        csspgo_error e;
        if (p != NULL) s = csspgo_add_profile(p, from, &e);
        if (p != NULL && s != CSSPGO_OK) T_CHECK(csspgo_node_count(p) == 0);
        if (s == CSSPGO_OK) s = csspgo_set_first_sample(p, csspgo_func_find(p, "main", 4), 4000);
        if (s == CSSPGO_OK) s = csspgo_write(p, CSSPGO_GCOV | CSSPGO_GCC3, NULL, 0, &n, &e);
        if (s == CSSPGO_OK) T_CHECK(n != 0 && csspgo_first_sample(p, csspgo_func_find(p, "dir/b.c;foo", 11)) == 6000);
        csspgo_profile_free(p);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
        if (!T_EQ(s, CSSPGO_E_NOMEM)) break;
    }
    T_CHECK(nth > 5);
    csspgo_profile_free(from);
}

static void refused(const char *text, uint32_t form, csspgo_status status)
{
    csspgo_profile *p = read_bytes(text, strlen(text));
    csspgo_error e;
    size_t n = 1;
    if (!T_EQ(csspgo_write(p, form, NULL, 0, &n, &e), status)) fprintf(stderr, "    %s", text);
    T_CHECK(n == 0 && e.status == status && e.message[0] != '\0');
    csspgo_profile_free(p);
}

static void forms_refuse_what_they_cannot_carry(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    csspgo_func f;
    csspgo_node n;
    refused("[a:1 @ b]:1:1\n", CSSPGO_BINARY, CSSPGO_E_UNSUPPORTED);
    refused("a:1:1\n 1: 1\n !CFGChecksum: 5\n", CSSPGO_BINARY, CSSPGO_E_UNSUPPORTED);
    refused("a:1:1\n 1: 1\n !Attributes: 1\n", CSSPGO_BINARY, CSSPGO_E_UNSUPPORTED);
    refused("[a:1 @ b]:1:1\n", CSSPGO_GCOV, CSSPGO_E_UNSUPPORTED);
    refused("a:1:1\n 1: 1\n !CFGChecksum: 5\n", CSSPGO_GCOV, CSSPGO_E_UNSUPPORTED);
    refused("a:1:1\n 1: 1\n !Attributes: 1\n", CSSPGO_GCOV, CSSPGO_E_UNSUPPORTED);
    refused("a:1:1\n 1.65536: 1\n", CSSPGO_GCOV, CSSPGO_E_UNSUPPORTED);
    refused("[a:1 @ b]:1:1\n", CSSPGO_EXTBINARY | CSSPGO_SPLIT, CSSPGO_E_UNSUPPORTED);
    refused("a:1:1\n", CSSPGO_BINARY | CSSPGO_MD5, CSSPGO_E_ARGUMENT);
    refused("a:1:1\n", CSSPGO_BINARY | CSSPGO_GCC, CSSPGO_E_ARGUMENT);
    refused("a:1:1\n", CSSPGO_TEXT | CSSPGO_GCC1, CSSPGO_E_ARGUMENT);
    refused("a:1:1\n", CSSPGO_GCOV | CSSPGO_MD5, CSSPGO_E_ARGUMENT);
    refused("a:1:1\n", CSSPGO_COMPACT, CSSPGO_E_ARGUMENT);
    refused("a:1:1\n", CSSPGO_EXTBINARY | CSSPGO_GCC, CSSPGO_E_ARGUMENT);
    refused("a:1:1\n", 77, CSSPGO_E_ARGUMENT);
#ifndef CSSPGO_USE_ZLIB
    refused("a:1:1\n", CSSPGO_EXTBINARY | CSSPGO_COMPRESS, CSSPGO_E_UNSUPPORTED);
#endif
    f = csspgo_func_add(p, "x\0y", 3);
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f);
    T_EQ(csspgo_add_total(p, n, 1), CSSPGO_OK);
    T_EQ(csspgo_write(p, CSSPGO_EXTBINARY, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_EQ(csspgo_write(p, CSSPGO_BINARY, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_EQ(csspgo_write(p, CSSPGO_GCOV, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_EQ(csspgo_write(p, CSSPGO_EXTBINARY | CSSPGO_MD5, NULL, 0, NULL, NULL), CSSPGO_OK);
    csspgo_profile_free(p);
    p = read_path(path_of("conv/02-basic.md5", "", ""), 0);
    T_EQ(csspgo_write(p, CSSPGO_BINARY, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    csspgo_profile_free(p);
}

/* Flags that only newer releases write mean another layout, which LLVM 19 misreads: its mode refuses them by name. */
static void newer_files_are_refused_as_llvm_19(void)
{
    static const struct { size_t slot; unsigned char bit; const char *say; } v[] = {
        { 1, 8, "indexed name" }, { 5, 1, "MD5 symbol" }
    };
    size_t i, n;
    for (i = 0; i < sizeof v / sizeof *v; i++) {
        char *data = t_file(path_of("hand/ext-symlist.prof", "", ""), &n);
        const csspgo_options o = with_lenient(1);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_error e;
        data[18 + 32 * v[i].slot + 12] = (char)v[i].bit;
        T_EQ(csspgo_read(p, data, n, &e), CSSPGO_E_UNSUPPORTED);
        T_MSG(strstr(e.message, v[i].say) != NULL, v[i].say);
        csspgo_profile_free(p);
        free(data);
    }
}

/* ----- vtable counts of newer LLVM: a made-by-hand file, as no tool of 19 knows them ----- */

typedef struct part { uint64_t type, flags; const char *data; size_t size; } part;

/* An ExtBinary file of n sections, in the order of the table. */
static blob ext_file(const part *v, size_t n)
{
    blob b = { NULL, 0 };
    uint64_t at = 18 + 32 * n;
    size_t i;
    add_bytes(&b, "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67", 10);
    add_u64(&b, n);
    for (i = 0; i < n; at += v[i++].size) {
        add_u64(&b, v[i].type);
        add_u64(&b, v[i].flags);
        add_u64(&b, at);
        add_u64(&b, v[i].size);
    }
    for (i = 0; i < n; i++) add_bytes(&b, v[i].data, v[i].size);
    return b;
}

static const char vtable_names[] = "\5bar\0baz\0foo\0vt1\0vt2";   /* and the literal's NUL */
/* foo: head 3, total 12; 1.0: 4, calls bar 2; 2 inlinees: 5.0 baz: total 6; 1.0: 6; inlinee 7.1 bar: total 1, no body,
   vtables 2.3: vt2 9; baz's own: none; 6.0 bar: total 2; no body; vtables: none. foo's vtables: 1.0: vt1 8 vt2 7;
   9.0: vt2 1 */
static const char vtable_records[] = "\3\2\14\1" "\1\0\4\1\0\2" "\2"
                                     "\5\0\1\6\1" "\1\0\6\0" "\1"
                                     "\7\1\0\1\0" "\0" "\1\2\3\1\4\11"
                                     "\0"
                                     "\6\0\0\2\0" "\0" "\0"
                                     "\2" "\1\0\2\3\10\4\7" "\11\0\1\4\1"
                                     "\0\0\1\0\0" "\1\4\0\1\3\5";   /* bar: total 1; vtables 4.0: vt1 5 */
static const char vtable_text[] =
    "foo:12:3\n 1: 4 bar:2\n 1: vtables vt1:8 vt2:7 \n 5: baz:6\n  1: 6\n  7.1: bar:1\n"
    "   2.3: vtables vt2:9 \n 6: bar:2\n 9: vtables vt2:1 \nbar:1:0\n 4: vtables vt1:5 \n";

static blob vtable_file(uint64_t summary_flags)
{
    static const char summary[] = "\12\6\3\2\2\0";
    part v[3];
    memset(v, 0, sizeof v);
    v[0].type = 1;
    v[0].flags = summary_flags;
    v[0].data = summary;
    v[0].size = sizeof summary - 1;
    v[1].type = 2;
    v[1].data = vtable_names;
    v[1].size = sizeof vtable_names;
    v[2].type = 32;
    v[2].data = vtable_records;
    v[2].size = sizeof vtable_records - 1;
    return ext_file(v, 3);
}

static void vtable_counts_of_extbinary_are_read_and_written(void)
{
    static const uint32_t out[] = { CSSPGO_EXTBINARY, CSSPGO_EXTBINARY | CSSPGO_SPLIT,
                                    CSSPGO_EXTBINARY | CSSPGO_COMPRESS, CSSPGO_EXTBINARY | CSSPGO_MD5 };
    blob b = vtable_file((uint64_t)32 << 32);
    csspgo_profile *p = read_bytes(b.p, b.n), *q;
    csspgo_error e;
    size_t k, n, count;
    char *text = written(p, CSSPGO_TEXT, &n), *again;
    t_same("vtables", text, n, vtable_text, sizeof vtable_text - 1);
    free(text);
    q = read_bytes(vtable_text, sizeof vtable_text - 1);
    T_CHECK(csspgo_equal(p, q) && csspgo_equal(q, p));
    csspgo_profile_free(q);
    for (k = 0; k < sizeof out / sizeof *out; k++) {
        if (!usable(out[k])) continue;
        again = written(p, out[k], &n);
        T_EQ(section_at((unsigned char *)again + 18, 0).flags >> 37, 1);
        q = read_bytes(again, n);
        if (k < 3) T_CHECK(csspgo_equal(p, q));
        csspgo_get_vtables(q, csspgo_func_nodes(q, k < 3 ? csspgo_func_find(q, "foo", 3)
                                                     : csspgo_func_add_guid(q, csspgo_guid("foo", 3))), &count);
        T_EQ(count, 3);
        csspgo_profile_free(q);
        if (k == 0) {                                 /* and function by function */
            csspgo_lazy *l = csspgo_lazy_open(again, n, NULL, &e);
            T_EQ(csspgo_lazy_load(l, "foo", 3, &e), CSSPGO_OK);
            T_EQ(csspgo_lazy_load(l, "bar", 3, &e), CSSPGO_OK);
            T_CHECK(csspgo_equal(csspgo_lazy_profile(l), p));
            csspgo_lazy_free(l);
        }
        free(again);
    }
    T_EQ(csspgo_write(p, CSSPGO_BINARY, NULL, 0, &n, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(strstr(e.message, "vtable") != NULL);
    T_EQ(csspgo_write(p, CSSPGO_GCOV, NULL, 0, &n, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(strstr(e.message, "vtable") != NULL);
    csspgo_profile_free(p);
    free(b.p);
    b = vtable_file(0);                               /* without the flag these bytes make no sense */
    p = csspgo_profile_new(NULL, NULL);
    T_CHECK(csspgo_read(p, b.p, b.n, &e) != CSSPGO_OK);
    csspgo_profile_free(p);
    free(b.p);
}

static void damaged_vtable_counts_are_sane(void)
{
    blob b = vtable_file((uint64_t)32 << 32);
    size_t n;
    long nth;
    csspgo_status s = CSSPGO_E_NOMEM;
    for (n = 0; n < b.n; n++) {
        T_CHECK(try_bytes(b.p, n, 0) != CSSPGO_OK || n == 0);
        b.p[n] ^= 0x83;
        try_bytes(b.p, b.n, (uint32_t)(n & 1));
        b.p[n] ^= 0x83;
    }
    for (nth = 1; s != CSSPGO_OK; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_error e;
        s = p != NULL ? csspgo_read(p, b.p, b.n, &e) : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) s = csspgo_write(p, CSSPGO_EXTBINARY, NULL, 0, &n, &e);
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
        csspgo_profile_free(p);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 10);
    free(b.p);
}

static void a_failed_read_changes_nothing(void)
{
    csspgo_profile *p = read_path(path_of("conv/02-basic.ext", "", ""), 0),
                   *q = read_path(path_of("conv/02-basic.ext", "", ""), 0);
    csspgo_summary a;
    csspgo_error e;
    size_t n, entry_count;
    char *data = t_file(path_of("conv/03-nested-deep.ext", "", ""), &n);
    T_CHECK(csspgo_read(p, data, n - 1, &e) != CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q) && csspgo_stored_summary(p, &a, &entry_count) && entry_count == 16);
    T_EQ(csspgo_read(p, data, n, &e), CSSPGO_OK);
    T_CHECK(!csspgo_equal(p, q) && !csspgo_stored_summary(p, &a, &entry_count));
    free(data);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

/* ----- summary, symbol list, marks ----- */

static void the_summary_is_the_spec_s_example(void)
{
    static const uint64_t want[16][2] = { { 500000, 1 }, { 500000, 1 }, { 500000, 1 }, { 500000, 1 },
                                          { 500000, 1 }, { 300000, 2 }, { 300000, 2 }, { 300000, 2 },
                                          { 100000, 3 }, { 50000, 4 },  { 30000, 5 },  { 5000, 7 },
                                          { 500, 12 },   { 50, 15 },    { 10, 18 },    { 1, 23 } };
    csspgo_profile *p = read_path(path_of("text/21-summary.txt", "", ""), 0),
                   *q = read_path(path_of("conv/21-summary.ext", "", ""), 0);
    csspgo_cutoff c[16], none;
    csspgo_summary a, b;
    size_t i, n;
    csspgo_default_cutoffs(c);
    T_EQ(csspgo_compute_summary(p, c, 16, &a, NULL), CSSPGO_OK);
    T_CHECK(a.total == 1002001 && a.max_count == 500000 && a.max_head == 2000 && a.counts == 24 && a.functions == 3);
    for (i = 0; i < 16; i++) T_CHECK(c[i].min_count == want[i][0] && c[i].counts == want[i][1]);
    T_CHECK(!csspgo_stored_summary(p, &b, &n) && n == 0);
    T_CHECK(csspgo_stored_summary(q, &b, &n) && n == 16 && memcmp(&a, &b, sizeof a) == 0);
    for (i = 0; i < 16; i++) {
        const csspgo_cutoff s = csspgo_stored_cutoff(q, i);
        T_CHECK(memcmp(&s, &c[i], sizeof s) == 0);
    }
    none = csspgo_stored_cutoff(q, 16);
    T_EQ(none.ppm, 0);
    T_EQ(csspgo_add_total(q, csspgo_node_first_child(q, csspgo_root(q)), 1), CSSPGO_OK);
    T_CHECK(!csspgo_stored_summary(q, &b, &n));       /* p was changed */
    c[0].ppm = 999999;
    c[1].ppm = 5;
    T_EQ(csspgo_compute_summary(p, c, 2, &a, NULL), CSSPGO_E_ARGUMENT);
    c[1].ppm = 1000001;
    T_EQ(csspgo_compute_summary(p, c, 2, &a, NULL), CSSPGO_E_ARGUMENT);
    c[1].ppm = 1000000;
    T_EQ(csspgo_compute_summary(p, c, 2, &a, NULL), CSSPGO_OK);
    T_EQ(c[1].min_count, 1);
    T_EQ(csspgo_compute_summary(p, NULL, 0, &a, NULL), CSSPGO_OK);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void symbol_lists_equal_llvm(void)
{
    static const char *const files[] = { "symlist", "symlist-z" };
    csspgo_profile *p, *q;
    csspgo_func f;
    csspgo_error e;
    size_t i, n;
    char *list = t_file(path_of("ops/in/syms.list", "", ""), &n), *s, *end;
    for (i = 0; i < 2; i++) {
        p = read_path(path_of("ops/in/a.txt", "", ""), 1);
        for (s = list; *s != '\0'; s = end + (*end != '\0')) {
            char *from = s, *to;
            end = s + strcspn(s, "\n");
            while (from < end && (*from == ' ' || *from == '\t')) from++;
            for (to = end; to > from && (to[-1] == ' ' || to[-1] == '\r' || to[-1] == '\t'); to--) {}
            if (to == from) continue;
            f = csspgo_func_add(p, from, (size_t)(to - from));
            T_EQ(csspgo_set_listed(p, f, 1), CSSPGO_OK);
            T_CHECK(csspgo_is_listed(p, f));
        }
        if (usable(i == 0 ? CSSPGO_EXTBINARY : CSSPGO_COMPRESS))
            writes_as(p, i == 0 ? CSSPGO_EXTBINARY : CSSPGO_EXTBINARY | CSSPGO_COMPRESS,
                      path_of("ops/out/", files[i], ".ext"));
        csspgo_profile_free(p);
    }
    p = read_path(path_of("ops/out/symlist.ext", "", ""), 0);
    q = read_path(path_of("ops/in/b.txt", "", ""), 0);
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);        /* the union, whichever is added to which */
    T_EQ(csspgo_read_file(p, path_of("ops/in/b.txt", "", ""), &e), CSSPGO_OK);
    writes_as(p, CSSPGO_EXTBINARY, path_of("ops/out/symlist-merged.ext", "", ""));
    writes_as(q, CSSPGO_EXTBINARY, path_of("ops/out/symlist-merged.ext", "", ""));
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) csspgo_set_listed(p, f, 0);
    f.id = csspgo_func_count(p) + 1;
    T_EQ(csspgo_set_listed(p, f, 1), CSSPGO_E_ARGUMENT);
    f = csspgo_func_add_guid(p, 5);
    T_EQ(csspgo_set_listed(p, f, 1), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    free(list);
}

static void marks_are_kept_unless_llvm_drops_them(void)
{
    csspgo_profile *p = read_path(path_of("ops/in/a.txt", "", ""), 1);
    size_t n;
    char *bytes;
    writes_as(p, CSSPGO_EXTBINARY | CSSPGO_PARTIAL, path_of("ops/out/partial.ext", "", ""));
    csspgo_profile_free(p);
    p = read_path(path_of("ops/out/partial.ext", "", ""), 1);
    T_CHECK(csspgo_profile_flags(p) & CSSPGO_IS_PARTIAL);
    writes_as(p, CSSPGO_EXTBINARY, path_of("ops/out/partial-again.ext", "", ""));
    csspgo_profile_free(p);
    p = read_path(path_of("ops/out/partial.ext", "", ""), 0);
    writes_as(p, CSSPGO_EXTBINARY, path_of("ops/out/partial.ext", "", ""));
    csspgo_profile_free(p);
    p = read_path(path_of("conv/02-basic.md5", "", ""), 1);
    writes_as(p, CSSPGO_EXTBINARY, path_of("ops/out/md5-to-ext-without-md5.ext", "", ""));
    writes_as(p, CSSPGO_BINARY, path_of("ops/out/md5-to-bin.bin", "", ""));
    writes_as(p, CSSPGO_EXTBINARY | CSSPGO_MD5, path_of("ops/out/md5-to-md5.md5", "", ""));
    csspgo_profile_free(p);
    p = read_path(path_of("conv/02-basic.md5", "", ""), 0);
    writes_as(p, CSSPGO_EXTBINARY, path_of("ops/out/md5-to-md5.md5", "", ""));
    csspgo_profile_free(p);
    p = read_path(path_of("text/13-attr-only.txt", "", ""), 0);      /* LLVM loses these attributes */
    bytes = written(p, CSSPGO_EXTBINARY, &n);
    csspgo_profile_free(p);
    p = read_bytes(bytes, n);
    writes_as(p, CSSPGO_TEXT, path_of("conv/13-attr-only.text", "", ""));
    csspgo_profile_free(p);
    free(bytes);
    p = read_path(path_of("hand/ext.prof", "", ""), 1);
    writes_as(p, CSSPGO_EXTBINARY | CSSPGO_SPLIT, path_of("hand/ext-ctxsplit.prof", "", ""));
    writes_as(p, CSSPGO_BINARY, path_of("hand/raw.prof", "", ""));
    csspgo_profile_free(p);
}

/* The vectors of --output-size-limit. */
static void size_limits_leave_out_the_coldest(void)
{
    static const struct { const char *file; uint32_t form; uint64_t limit; } v[] = {
        { "ops/out/limit-300.text", CSSPGO_TEXT, 300 },   { "ops/out/limit-500.text", CSSPGO_TEXT, 500 },
        { "ops/out/limit-800.text", CSSPGO_TEXT, 800 },   { "ops/out/limit-1200.text", CSSPGO_TEXT, 1200 },
        { "ops/out/limit-5000.text", CSSPGO_TEXT, 5000 }, { "ops/out/limit-500.ext", CSSPGO_EXTBINARY, 500 }
    };
    csspgo_profile *p = read_path(path_of("ops/in/many.txt", "", ""), 1),
                   *before = read_path(path_of("ops/in/many.txt", "", ""), 1);
    csspgo_error e;
    unsigned char *buf;
    size_t i, n, m;
    long nth;
    for (i = 0; i < 6; i++) {
        char *want = t_file(path_of(v[i].file, "", ""), &m);
        T_EQ(write_limited(p, v[i].form, v[i].limit, 1, &buf, &n, &e), CSSPGO_OK);
        T_EQ(e.status, CSSPGO_OK);
        if (v[i].form == CSSPGO_TEXT) t_same(v[i].file, (char *)buf, n, want, m);
        else same_ext(v[i].file, (char *)buf, n, want, m);
        free(buf);
        T_CHECK(csspgo_equal(p, before) && csspgo_validate(p, &e) == CSSPGO_OK);
        free(want);
    }
    /* too much profile data */
    T_EQ(write_limited(p, CSSPGO_TEXT, 200, 1, &buf, &n, &e), CSSPGO_E_LIMIT);
    T_CHECK(n == 0 && buf == NULL && csspgo_equal(p, before));
    T_EQ(write_limited(p, 77, 200, 1, &buf, &n, &e), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(p);
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, 0);
        csspgo_status s;
        p = csspgo_profile_new(&o, NULL);
        T_EQ(csspgo_read_file(p, path_of("ops/in/many.txt", "", ""), &e), CSSPGO_OK);
        h.nth = h.calls + nth;
        s = write_limited(p, CSSPGO_EXTBINARY, 500, 1, &buf, &n, &e);
        T_CHECK(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && e.status == s));
        T_CHECK(csspgo_record_count(p) == csspgo_record_count(before) && csspgo_validate(p, NULL) == CSSPGO_OK);
        free(buf);
        csspgo_profile_free(p);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
    }
    T_LONG(nth > 5);
    csspgo_profile_free(before);
}

/* Bytes of the n hottest of the functions of a file, none of which has inlinees. */
static size_t size_of_hottest(const char *path, size_t n)
{
    csspgo_profile *p = read_path(path, 0);
    csspgo_node node[64];
    size_t size = 0;
    csspgo_error e;
    T_EQ(csspgo_file_order(p, node, NULL), CSSPGO_OK);
    T_EQ(csspgo_remove(p, node + n, csspgo_record_count(p) - n, NULL), CSSPGO_OK);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, &size, &e), CSSPGO_OK);
    csspgo_profile_free(p);
    return size;
}

static void a_size_limit_leaves_out_as_few_as_will_do(void)
{
    const char *path = path_of("ops/in/many.txt", "", "");
    csspgo_profile *p = read_path(path, 0), *before = read_path(path, 0), *empty = csspgo_profile_new(NULL, NULL);
    const csspgo_options lenient = with_lenient(1);
    csspgo_error e;
    unsigned char *buf;
    const size_t step = (size_t)t_cases("CSSPGO_LIMITS", 13, 1);          /* and the borders, always */
    size_t i, size[64], all = csspgo_record_count(p), fits = 0, limit, n;
    T_CHECK(all > 10 && all < 64);
    for (i = 0; i <= all; i++) size[i] = size_of_hottest(path, i);
    for (limit = 1; limit < size[all] + 2; limit++) {
        csspgo_status s;
        if (fits < all && size[fits + 1] <= limit) fits++;
        if (limit % step != 0 && limit != size[fits] && (fits == all || limit + 1 != size[fits + 1])) continue;
        s = write_limited(p, CSSPGO_TEXT, limit, 0, &buf, &n, &e);
        T_EQ(s, fits != 0 ? CSSPGO_OK : CSSPGO_E_LIMIT);
        T_EQ(n, size[fits]);
        free(buf);
    }
    T_CHECK(fits == all && csspgo_equal(p, before) && csspgo_validate(p, &e) == CSSPGO_OK);
    T_EQ(write_limited(empty, CSSPGO_TEXT, 1, 0, &buf, &n, &e), CSSPGO_OK);
    T_EQ(n, 0);
    free(buf);
    T_EQ(write_limited(empty, CSSPGO_EXTBINARY, 1, 0, &buf, &n, &e), CSSPGO_E_LIMIT);
    T_EQ(n, 0);
    csspgo_profile_free(empty);
    empty = csspgo_profile_new(&lenient, NULL);
    T_EQ(write_limited(empty, CSSPGO_TEXT, 1000, 1, &buf, &n, &e), CSSPGO_E_LIMIT);
    csspgo_profile_free(empty);
    csspgo_profile_free(before);
    csspgo_profile_free(p);
}

/* One function makes up the output: of LLVM's steps each would leave out one of the others. */
static void a_size_limit_needs_few_writes(void)
{
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_profile *p = csspgo_profile_new(&o, NULL);
    csspgo_node f = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN,
                                    csspgo_func_add(p, "large", 5));
    csspgo_error e;
    static csspgo_node node[1001];
    csspgo_profile *q;
    unsigned char *bytes;
    size_t n, limit;
    unsigned i;
    long one, calls;
    char name[24];
    T_EQ(csspgo_add_total(p, f, 1000000), CSSPGO_OK);
    for (i = 0; i < 65000; i++) csspgo_add_body(p, f, csspgo_loc_at(i, 0), i);
    for (i = 0; i < 1000; i++) {
        sprintf(name, "small%u", i);
        f = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN,
                            csspgo_func_add(p, name, strlen(name)));
        T_EQ(csspgo_add_total(p, f, 1), CSSPGO_OK);
    }
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, &n, &e), CSSPGO_OK);
    limit = n - 12000;
    calls = h.calls;
    q = csspgo_profile_clone(p, &e);
    T_EQ(csspgo_file_order(q, node, &e), CSSPGO_OK);
    T_EQ(csspgo_write(q, CSSPGO_TEXT, NULL, 0, &n, &e), CSSPGO_OK);
    csspgo_profile_free(q);
    one = h.calls - calls;
    calls = h.calls;
    T_EQ(write_limited(p, CSSPGO_TEXT, limit, 0, &bytes, &n, &e), CSSPGO_OK);
    free(bytes);
    T_CHECK(n <= limit && n > limit - 14);
    T_CHECK(one > 0 && h.calls - calls <= 13 * one);
    csspgo_profile_free(p);
    T_EQ(h.live, 0);
}

static void forms_are_told_by_their_first_bytes(void)
{
    static const struct { const char *file; uint32_t form;
    } v[] = { { "hand/raw.prof", CSSPGO_BINARY },
              { "hand/ext.prof", CSSPGO_EXTBINARY },
              { "compat/02-basic.comp14", CSSPGO_COMPACT },
              { "hand/gcov.afdo", CSSPGO_GCOV },
              { "hand/gcov-v2-byte-strings.gcc-only.afdo", CSSPGO_GCOV },
              { "text/02-basic.txt", CSSPGO_TEXT } };
    csspgo_profile *p = read_bytes("adcgfoo:1:1\n", 12);
    size_t i, n;
    T_EQ(csspgo_record_count(p), 1);
    for (i = 0; i < 6; i++) {
        char *data = t_file(path_of(v[i].file, "", ""), &n);
        T_EQ(csspgo_sniff(data, n), v[i].form);
        T_EQ(csspgo_sniff(data, 3), CSSPGO_TEXT);
        free(data);
    }
    T_EQ(csspgo_sniff(NULL, 0), CSSPGO_TEXT);
    csspgo_profile_free(p);
}

/* ----- sections and records that share their bytes ----- */

/* An ExtBinary file: a table of n sections, whose offsets count from the start of the content, which follows it. */
static blob ext_table(const csspgo_section *s, size_t n, const blob *content)
{
    blob b = { NULL, 0 };
    size_t i;
    add_uleb(&b, EXTBINARY);
    add_uleb(&b, 103);
    add_u64(&b, n);
    for (i = 0; i < n; i++) {
        add_u64(&b, s[i].type);
        add_u64(&b, s[i].flags);
        add_u64(&b, 18 + 32 * n + s[i].offset);
        add_u64(&b, s[i].size);
    }
    add_bytes(&b, content->p, content->n);
    return b;
}

/* Appends n bytes to the content as one more section. */
static void add_section(csspgo_section *s, size_t *count, blob *content, unsigned type, uint64_t flags,
                        const void *data, size_t n)
{
    s += (*count)++;
    s->type = type;
    s->flags = flags;
    s->offset = content->n;
    s->size = n;
    add_bytes(content, data, n);
}

static const unsigned char no_summary[6] = { 0, 0, 0, 0, 0, 0 };

/* Each kind of section that is read, `times` entries of the table for one and the same: what fits the file is taken. */
static void shared_section(unsigned type, uint64_t flags, const void *data, size_t n, size_t times)
{
    static const unsigned char record[] = { 0, 0, 1, 0, 0 };
    csspgo_section s[64];
    blob content = { NULL, 0 }, file;
    size_t count = 0, same, i;
    uint32_t lenient;
    uint64_t sum = 0;
    add_section(s, &count, &content, SEC_SUMMARY, type == SEC_CONTEXTS ? SEC_CS : 0,
                no_summary, 6);
    add_section(s, &count, &content, SEC_NAMES, 0, "\1a", 3);
    if (type != SEC_CONTEXTS) add_section(s, &count, &content, SEC_RECORDS, 0, record, 5);
    same = count;
    add_section(s, &count, &content, type, flags, data, n);
    while (count < same + times) s[count++] = s[same];
    file = ext_table(s, count, &content);
    for (i = 0; i < count && sum + s[i].size <= file.n; i++) sum += s[i].size;
    T_CHECK(i > same);
    for (lenient = 0; lenient < 2; lenient++) {
        const csspgo_options o = with_lenient(lenient);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_error e;
        if (times == 1) {
            T_EQ(csspgo_read(p, file.p, file.n, &e), CSSPGO_OK);
        } else {
            T_EQ(csspgo_read(p, file.p, file.n, &e), CSSPGO_E_SYNTAX);
            T_EQ(e.offset, 18 + 32 * i + 24);         /* the size of the first one too many */
            T_CHECK(csspgo_func_count(p) == 0);
        }
        csspgo_profile_free(p);
    }
    free(content.p);
    free(file.p);
}

static void sections_cannot_share_their_bytes(void)
{
    blob names = { NULL, 0 }, contexts = { NULL, 0 }, records = { NULL, 0 }, meta = { NULL, 0 }, symbols = { NULL, 0 };
    blob cutoffs = { NULL, 0 };
    size_t i, times;
    add_uleb(&names, 900);
    add_uleb(&contexts, 900);
    add_bytes(&cutoffs, no_summary, 5);
    add_uleb(&cutoffs, 900);
    for (i = 0; i < 900; i++) {
        const size_t x = i * 7919 % 17576;
        char name[4];
        name[0] = (char)('a' + x % 26);
        name[1] = (char)('a' + x / 26 % 26);
        name[2] = (char)('a' + x / 676);
        name[3] = '\0';
        add_bytes(&names, name, 4);
        add_bytes(&contexts, "\1\0\0\0", 4);
        add_bytes(&records, "\1\0\1\0\0", 5);
        add_bytes(&meta, "\0\7\0", 3);
        add_bytes(&symbols, "xyz", 4);
        add_bytes(&cutoffs, "\1\1\1", 3);
    }
    for (times = 1; times < 60; times += 58) {
        shared_section(SEC_SUMMARY, 0, cutoffs.p, cutoffs.n, times);
        shared_section(SEC_NAMES, 0, names.p, names.n, times);
        shared_section(SEC_CONTEXTS, 0, contexts.p, contexts.n, times);
        shared_section(SEC_RECORDS, 0, records.p, records.n, times);
        shared_section(SEC_META, SEC_PROBES, meta.p, meta.n, times);
        shared_section(SEC_SYMBOLS, 0, symbols.p, symbols.n, times);
#ifdef CSSPGO_USE_ZLIB
        {
            uLongf n = compressBound((uLong)names.n);
            unsigned char *z = (unsigned char *)malloc(n);
            blob packed = { NULL, 0 };
            if (z == NULL || compress(z, &n, names.p, (uLong)names.n) != Z_OK) abort();
            add_uleb(&packed, names.n);
            add_uleb(&packed, n);
            add_bytes(&packed, z, n);
            shared_section(SEC_NAMES, SEC_COMPRESSED, packed.p, packed.n, times);
            free(packed.p);
            free(z);
        }
#endif
    }
    free(names.p);
    free(contexts.p);
    free(records.p);
    free(meta.p);
    free(symbols.p);
    free(cutoffs.p);
}

/* ----- lazy reading ----- */

static const char *const lazy_files[] = {
    "conv/02-basic.ext",      "conv/03-nested-deep.md5", "conv/11-probe-nested.ext", "conv/14-cs-line.ext",
    "conv/15-cs-probe.ext",   "conv/15-cs-probe.md5",    "conv/16-cs-names.ext",     "conv/17-cs-order.ext",
    "hand/ext-ctxsplit.prof", "hand/ext-md5-uleb.prof",  "hand/ext-probe-attr.prof", "conv/10-uniq.ext",
    "conv/08-huge.ext"
};

/* Loads every function that the text form of the file has; statuses are OR'ed into one. */
static csspgo_status load_all(csspgo_lazy *l, const csspgo_profile *names, csspgo_error *e)
{
    csspgo_func f;
    csspgo_status s = CSSPGO_OK;
    size_t n;
    for (f.id = 1; f.id <= csspgo_func_count(names) && s == CSSPGO_OK; f.id++) {
        const char *name = csspgo_func_name(names, f, &n);
        s = csspgo_lazy_load(l, name, n, e);
    }
    return s;
}

/* The profile whose functions a file has, by name (an MD5 file has only GUIDs). */
static csspgo_profile *names_of(const char *file)
{
    char path[300];
    const char *stem = strncmp(file, "conv/", 5) == 0 ? file + 5 : NULL;
    if (stem == NULL) return read_path(path_of("hand/ext.prof", "", ""), 0);
    snprintf(path, sizeof path, "text/%.*s.txt", (int)strcspn(stem, "."), stem);
    return read_path(path_of(path, "", ""), 1);
}

static void lazy_loading_of_all_is_reading(void)
{
    size_t i, n, count;
    for (i = 0; i < sizeof lazy_files / sizeof *lazy_files; i++) {
        char *data = t_file(path_of(lazy_files[i], "", ""), &n);
        csspgo_profile *all = read_bytes(data, n), *names = names_of(lazy_files[i]);
        csspgo_error e;
        csspgo_lazy *l = csspgo_lazy_open(data, n, NULL, &e);
        csspgo_summary a, b;
        if (T_MSG(l != NULL, lazy_files[i])) {
            T_EQ(csspgo_node_count(csspgo_lazy_profile(l)), 0);
            T_EQ(csspgo_lazy_load(l, "no such function", 16, &e), CSSPGO_OK);
            T_EQ(csspgo_node_count(csspgo_lazy_profile(l)), 0);
            T_EQ(load_all(l, names, &e), CSSPGO_OK);
            T_EQ(load_all(l, names, &e), CSSPGO_OK);  /* what is there is not added again */
            T_MSG(csspgo_equal(csspgo_lazy_profile(l), all), lazy_files[i]);
            T_EQ(csspgo_profile_flags(csspgo_lazy_profile(l)), csspgo_profile_flags(all));
            T_EQ(csspgo_validate(csspgo_lazy_profile(l), &e), CSSPGO_OK);
            T_CHECK(csspgo_stored_summary(all, &a, &count) &&
                    csspgo_stored_summary(csspgo_lazy_profile(l), &b, &count));
            T_CHECK(memcmp(&a, &b, sizeof a) == 0);
        }
        csspgo_lazy_free(l);
        csspgo_profile_free(all);
        csspgo_profile_free(names);
        free(data);
    }
    csspgo_lazy_free(NULL);
}

/* A reference becomes the next number, perhaps past the end of a table: what loads is valid. */
static void a_changed_file_loads_valid_records(void)
{
    static const char *const files[] = { "conv/02-basic.ext", "conv/15-cs-probe.ext", "conv/03-nested-deep.md5" };
    csspgo_error e;
    size_t i, at, n;
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        char *data = t_file(path_of(files[i], "", ""), &n);
        csspgo_profile *names = names_of(files[i]);
        char past[60];
        int refused_past = 0;
        snprintf(past, sizeof past, "the name table has no entry %u", (unsigned)csspgo_func_count(names));
        for (at = 8; at < n; at++) {
            csspgo_lazy *l;
            data[at]++;
            l = csspgo_lazy_open(data, n, NULL, &e);
            if (l != NULL) {
                const csspgo_status s = load_all(l, names, &e);
                T_EQ(s, e.status);
                T_EQ(csspgo_validate(csspgo_lazy_profile(l), NULL), CSSPGO_OK);
            }
            refused_past += strcmp(e.message, past) == 0;
            csspgo_lazy_free(l);
            data[at]--;
        }
        T_CHECK(refused_past != 0);
        csspgo_profile_free(names);
        free(data);
    }
}

static void lazy_loading_takes_a_function_with_all_below_it(void)
{
    size_t n;
    char *data = t_file(path_of("hand/ext-cs.prof", "", ""), &n);
    csspgo_error e;
    csspgo_lazy *l = csspgo_lazy_open(data, n, NULL, &e);
    const csspgo_profile *p = csspgo_lazy_profile(l);
    T_EQ(csspgo_lazy_load(l, "baz", 3, &e), CSSPGO_OK);
    T_EQ(csspgo_record_count(p), 1);
    T_EQ(csspgo_total(p, csspgo_find(p, "foo:3 @ bar:2.1 @ baz")), 6);
    T_EQ(csspgo_lazy_load(l, "bar", 3, &e), CSSPGO_OK);
    T_EQ(csspgo_record_count(p), 2);
    T_EQ(csspgo_total(p, csspgo_find(p, "foo:3 @ bar:2.1 @ baz")), 6);
    T_EQ(csspgo_checksum(p, csspgo_find(p, "foo:3 @ bar")), 101);
    T_EQ(csspgo_lazy_load(l, "foo", 3, &e), CSSPGO_OK);
    T_EQ(csspgo_record_count(p), 3);
    csspgo_lazy_free(l);
    free(data);
}

/* What is below another call of the same function, of another line or discriminator, is not below it. */
static void lazy_loading_tells_call_sites_apart(void)
{
    static const char *const below[] = { "foo:1 @ bar", "foo:1.1 @ bar", "foo:2 @ bar", "foo:2.1 @ bar" };
    size_t i, n;
    for (i = 0; i < 4; i++) {
        char text[200];
        csspgo_profile *p;
        csspgo_error e;
        csspgo_lazy *l;
        char *data;
        snprintf(text, sizeof text, "[foo:1 @ bar]:5:1\n 1: 5\n[%s:1 @ baz]:7:1\n 1: 7\n", below[i]);
        p = read_bytes(text, strlen(text));
        data = written(p, CSSPGO_EXTBINARY, &n);
        l = csspgo_lazy_open(data, n, NULL, &e);
        T_EQ(csspgo_lazy_load(l, "bar", 3, &e), CSSPGO_OK);
        T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), i == 0 ? 2u : 1u);
        csspgo_lazy_free(l);
        csspgo_profile_free(p);
        free(data);
    }
}

static void a_failed_lazy_load_changes_nothing(void)
{
    size_t n;
    char *data = t_file(path_of("hand/ext-cs.prof", "", ""), &n);
    csspgo_error e;
    csspgo_lazy *l;
    data[0x182 + 1] = 9;                              /* the context of baz's record */
    l = csspgo_lazy_open(data, n, NULL, &e);
    T_EQ(csspgo_lazy_load(l, "bar", 3, &e), CSSPGO_E_RANGE);
    T_EQ(e.offset, 0x183);
    T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 0);
    data[0x182 + 1] = 2;
    T_EQ(csspgo_lazy_load(l, "bar", 3, &e), CSSPGO_OK);
    T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 2);
    csspgo_lazy_free(l);
    free(data);
}

/* Loads one function after the other, as long as that works. */
static csspgo_lazy *lazy_of(const blob *file, const char *const *name, size_t n, csspgo_error *e)
{
    csspgo_lazy *l = csspgo_lazy_open(file->p, file->n, NULL, e);
    size_t i;
    if (!T_CHECK(l != NULL)) abort();
    for (i = 0; i < n && e->status == CSSPGO_OK; i++) csspgo_lazy_load(l, name[i], strlen(name[i]), e);
    return l;
}

/* a table says of foo and of bar that its record is foo's: twice the counts, or quadratic time, if it is believed */
static void a_lazily_read_record_must_be_the_one_looked_for(void)
{
    static const char *const bar_only[] = { "bar" }, *const foo_bar[] = { "foo", "bar" };
    static const unsigned char names[] = "\2foo\0bar", contexts[] = "\2\1\0\0\0\1\1\0\0";
    static const unsigned char offsets[] = { 2, 0, 0, 1, 0 };           /* of 0 and of 1: the first record */
    static const unsigned char records[] = { 1, 0, 9, 0, 0, 1, 1, 7, 0, 0 };
    unsigned cs;
    for (cs = 0; cs < 2; cs++) {
        csspgo_section s[8];
        size_t n = 0, at;
        blob content = { NULL, 0 }, file;
        csspgo_error e;
        csspgo_lazy *l;
        add_section(s, &n, &content, SEC_SUMMARY, cs ? SEC_CS : 0, no_summary, 6);
        add_section(s, &n, &content, SEC_NAMES, 0, names, sizeof names);
        if (cs) add_section(s, &n, &content, SEC_CONTEXTS, 0, contexts, sizeof contexts - 1);
        add_section(s, &n, &content, SEC_OFFSETS, cs ? SEC_ORDERED : 0, offsets, sizeof offsets);
        at = 18 + 32 * (n + 1) + content.n;
        add_section(s, &n, &content, SEC_RECORDS, 0, records, sizeof records);
        file = ext_table(s, n, &content);
        l = lazy_of(&file, bar_only, 1, &e);
        T_EQ(e.status, CSSPGO_E_SYNTAX);
        T_EQ(e.offset, at + 1);                       /* where the record says whose it is */
        T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 0);
        T_EQ(csspgo_lazy_load(l, "foo", 3, &e), CSSPGO_OK);
        T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 1);
        csspgo_lazy_free(l);
        file.p[at - 1] = 5;                           /* bar's own record */
        l = lazy_of(&file, foo_bar, 2, &e);
        T_EQ(e.status, CSSPGO_OK);
        T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 2);
        csspgo_lazy_free(l);
        free(content.p);
        free(file.p);
    }
}

/*
 * Records that start inside each other: eight numbers, the head of one, then a location with call targets up to the end
 * of the section, which are the heads of the ones behind it, in pairs.
 */
static void lazily_read_records_cannot_overlap(void)
{
    enum { N = 100 };
    char text[N][8];
    const char *name[N];
    csspgo_section s[8];
    size_t n = 0, i, at;
    blob names = { NULL, 0 }, offsets = { NULL, 0 }, records = { NULL, 0 }, content = { NULL, 0 }, file;
    csspgo_error e;
    csspgo_lazy *l;
    add_uleb(&names, N);
    add_uleb(&offsets, N);
    for (i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "f%u", (unsigned)i);
        name[i] = text[i];
        add_bytes(&names, text[i], strlen(text[i]) + 1);
        add_uleb(&offsets, i);
        add_uleb(&offsets, records.n);
        add_uleb(&records, 0);
        add_uleb(&records, i);
        add_bytes(&records, "\0\1\0\0\0", 5);
        add_uleb(&records, i + 1 < N ? 4 * (N - 1 - i) : 0);
    }
    add_bytes(&records, "", 1);                       /* no inlinees */
    add_section(s, &n, &content, SEC_SUMMARY, 0, no_summary, 6);
    add_section(s, &n, &content, SEC_NAMES, 0, names.p, names.n);
    add_section(s, &n, &content, SEC_OFFSETS, 0, offsets.p, offsets.n);
    at = 18 + 32 * (n + 1) + content.n;
    add_section(s, &n, &content, SEC_RECORDS, 0, records.p, records.n);
    file = ext_table(s, n, &content);
    l = lazy_of(&file, name, N, &e);
    T_EQ(e.status, CSSPGO_E_SYNTAX);
    T_CHECK(e.offset > at && e.offset < at + records.n / 2);
    T_CHECK(csspgo_record_count(csspgo_lazy_profile(l)) > 0 && csspgo_record_count(csspgo_lazy_profile(l)) < 8);
    csspgo_lazy_free(l);
    free(names.p);
    free(offsets.p);
    free(records.p);
    free(content.p);
    free(file.p);
}

/* Metadata in two places, whose entries are found by their offset in one of them; many records with one long table. */
static void lazy_reading_takes_one_table_of_each_kind(void)
{
    static const char *const name[] = { "foo" };
    static const unsigned char names[] = "\1foo", record[] = { 1, 0, 9, 0, 0 }, meta[] = "\0\7\0";
    csspgo_section s[64];
    size_t n = 0, i, first;
    blob content = { NULL, 0 }, offsets = { NULL, 0 }, file;
    csspgo_error e;
    csspgo_lazy *l;
    add_uleb(&offsets, 900);
    for (i = 0; i < 900; i++) add_bytes(&offsets, "\0", 2);
    add_section(s, &n, &content, SEC_SUMMARY, 0, no_summary, 6);
    add_section(s, &n, &content, SEC_NAMES, 0, names, sizeof names);
    add_section(s, &n, &content, SEC_OFFSETS, 0, offsets.p, offsets.n);
    first = n;
    add_section(s, &n, &content, SEC_RECORDS, 0, record, 5);
    for (i = 0; i < 600; i++) add_bytes(&content, meta, 3);
    add_section(s, &n, &content, SEC_META, SEC_PROBES, meta, 3);
    file = ext_table(s, n, &content);
    l = lazy_of(&file, name, 1, &e);
    T_EQ(e.status, CSSPGO_OK);
    csspgo_lazy_free(l);
    free(file.p);
    s[n] = s[n - 1];
    s[n - 1].offset -= 1800;                          /* its last entry is far from its start, the other one's near */
    s[n - 1].size = 1800;
    file = ext_table(s, n + 1, &content);
    l = lazy_of(&file, name, 1, &e);
    T_EQ(e.status, CSSPGO_E_UNSUPPORTED);
    T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 0);
    csspgo_lazy_free(l);
    free(file.p);
    for (n = first + 1; n < 60; n++) s[n] = s[first];
    file = ext_table(s, n, &content);
    l = lazy_of(&file, name, 1, &e);
    T_EQ(e.status, CSSPGO_E_SYNTAX);
    T_EQ(e.offset, 18 + 32 * 2 + 24);                 /* the size of the table of functions */
    csspgo_lazy_free(l);
    free(file.p);
    free(offsets.p);
    free(content.p);
}

/* Two tables of contexts or of names, the second one of any content: refused by name; an empty section is none. */
static void lazy_reading_takes_one_table_of_contexts_and_of_names(void)
{
    static const char *const name[] = { "foo" };
    static const unsigned char names[] = "\1foo", contexts[] = "\1\1\0\0\0", none[] = "";
    static const unsigned char offsets[] = { 1, 0, 0 }, record[] = { 1, 0, 9, 0, 0 };
    int two;
    for (two = 0; two < 7; two++) {                   /* no second one, an empty section, a table of none, the same one */
        const int of_names = two > 3, what = of_names ? two - 3 : two;
        csspgo_section s[8];
        size_t n = 0;
        blob content = { NULL, 0 }, file;
        csspgo_error e;
        csspgo_lazy *l;
        add_section(s, &n, &content, SEC_SUMMARY, SEC_CS, no_summary, 6);
        add_section(s, &n, &content, SEC_NAMES, 0, names, sizeof names);
        add_section(s, &n, &content, SEC_CONTEXTS, 0, contexts, sizeof contexts - 1);
        if (what != 0)
            add_section(s, &n, &content, of_names ? SEC_NAMES : SEC_CONTEXTS, 0, what == 2 ? none : of_names ? names : contexts,
                        what < 3 ? (size_t)what - 1 : of_names ? sizeof names : sizeof contexts - 1);
        add_section(s, &n, &content, SEC_OFFSETS, SEC_ORDERED, offsets, sizeof offsets);
        add_section(s, &n, &content, SEC_RECORDS, 0, record, sizeof record);
        file = ext_table(s, n, &content);
        l = lazy_of(&file, name, 1, &e);
        T_EQ(e.status, what < 2 ? CSSPGO_OK : CSSPGO_E_UNSUPPORTED);
        if (what >= 2) {
            T_CHECK(strstr(e.message, of_names ? "second name table" : "second table of contexts") != NULL);
            T_EQ(e.offset, 18 + 32 * n + s[3].offset);
        }
        T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), what < 2 ? 1u : 0u);
        csspgo_lazy_free(l);
        free(content.p);
        free(file.p);
    }
}

/* Sections that a load does not read may be of any form; those that it reads may not. Empty ones are not there. */
static void lazy_reading_minds_only_what_it_reads(void)
{
    static const char *const name[] = { "foo" };
    static const unsigned types[] = { SEC_SUMMARY, SEC_NAMES, SEC_SYMBOLS, SEC_OFFSETS, SEC_META, SEC_CONTEXTS, 20,
                                      SEC_RECORDS, 99 };
    static const unsigned char names[] = "\1foo", offsets[] = { 1, 0, 0 }, record[] = { 1, 0, 9, 0, 0 };
    size_t i, how;
    for (i = 0; i < sizeof types / sizeof *types; i++)
        for (how = 0; how < 3; how++) {               /* compressed, not in the file, not in the file but empty */
            const int is_read = types[i] != SEC_SYMBOLS && (types[i] <= SEC_CONTEXTS || types[i] == SEC_RECORDS);
            csspgo_section s[8];
            size_t n = 0;
            blob content = { NULL, 0 }, file;
            csspgo_error e;
            csspgo_lazy *l;
            add_section(s, &n, &content, SEC_SUMMARY, 0, no_summary, 6);
            add_section(s, &n, &content, SEC_NAMES, 0, names, sizeof names);
            add_section(s, &n, &content, SEC_OFFSETS, 0, offsets, sizeof offsets);
            add_section(s, &n, &content, SEC_RECORDS, 0, record, sizeof record);
            add_section(s, &n, &content, types[i], how == 0 ? SEC_COMPRESSED : 0, "x", how == 2 ? 0 : 1);
            if (how != 0) s[n - 1].offset = 1 << 20;
            file = ext_table(s, n, &content);
            l = csspgo_lazy_open(file.p, file.n, NULL, &e);
            if (how != 2 && is_read) {
                T_CHECK(l == NULL && e.status == (how == 0 ? CSSPGO_E_UNSUPPORTED : CSSPGO_E_TRUNCATED));
            } else if (T_MSG(l != NULL, e.message)) {
                T_EQ(csspgo_lazy_load(l, name[0], 3, &e), CSSPGO_OK);
                T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), 1);
            }
            csspgo_lazy_free(l);
            free(content.p);
            free(file.p);
        }
}

/* Checksums and attributes of what is inlined, to any depth, stand between those of the functions. */
static void lazily_read_metadata_are_those_of_the_whole_file(void)
{
    static const uint32_t flags[] = { 0, CSSPGO_IS_PROBE, CSSPGO_IS_PREINLINED, CSSPGO_IS_PROBE | CSSPGO_IS_PREINLINED };
    uint64_t seed = 5;
    size_t k;
    for (k = 0; k < 40; k++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL), *whole;
        csspgo_node made[60];
        char name[8];
        csspgo_error e;
        csspgo_lazy *l;
        size_t i, n;
        char *data;
        csspgo_profile_set_flags(p, flags[k % 4]);
        for (i = 0; i < 60; i++) {
            csspgo_func f;
            const int plain = i % 6 == 0;
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            snprintf(name, sizeof name, "f%u", (unsigned)(plain ? i / 6 : seed >> 60));
            f = csspgo_func_add(p, name, strlen(name));
            made[i] = csspgo_node_add(p, plain ? csspgo_root(p) : made[i - 1 - (seed >> 40) % (i % 6)],
                                      csspgo_loc_at(plain ? 0 : (uint32_t)i, 0), plain ? CSSPGO_PLAIN : CSSPGO_INLINEE, f);
            csspgo_add_body(p, made[i], csspgo_loc_at(1, 0), 1 + (seed >> 33) % 1000);
            if (flags[k % 4] & CSSPGO_IS_PROBE) csspgo_set_checksum(p, made[i], seed >> (seed >> 58));
            if (flags[k % 4] & CSSPGO_IS_PREINLINED) csspgo_set_attributes(p, made[i], (uint32_t)(seed >> 50) & 3);
        }
        data = written(p, CSSPGO_EXTBINARY, &n);
        whole = read_bytes(data, n);
        l = csspgo_lazy_open(data, n, NULL, &e);
        if (!T_MSG(l != NULL, e.message)) abort();
        for (i = 0; i < 10; i++) {
            snprintf(name, sizeof name, "f%u", (unsigned)(9 - i));
            T_EQ(csspgo_lazy_load(l, name, 2, &e), CSSPGO_OK);
        }
        T_CHECK(csspgo_equal(csspgo_lazy_profile(l), whole));
        csspgo_lazy_free(l);
        csspgo_profile_free(whole);
        csspgo_profile_free(p);
        free(data);
    }
}

static void lazy_reading_refuses_by_name_what_it_cannot_do(void)
{
    static const char *const file[] = { "conv/02-basic.bin", "conv/02-basic.extz", "text/02-basic.txt",
                                        "compat/02-basic.comp14" };
    size_t i, n;
    for (i = 0; i < 4; i++) {
        char *data = t_file(path_of(file[i], "", ""), &n);
        csspgo_error e;
        csspgo_lazy *l = csspgo_lazy_open(data, n, NULL, &e);
        T_CHECK(l == NULL && e.status == CSSPGO_E_UNSUPPORTED && e.message[0] != '\0');
        csspgo_lazy_free(l);
        free(data);
    }
}

/* Opens and loads; whatever comes of it, it must be sane. */
static csspgo_status try_lazy(const void *data, size_t n, const csspgo_profile *names, long nth)
{
    unsigned char *exact = t_copy(data, n);
    t_heap h;
    const csspgo_options o = t_options(&h, nth);
    csspgo_error e;
    csspgo_lazy *l = csspgo_lazy_open(exact, n, &o, &e);
    csspgo_status s = e.status;
    T_CHECK((l != NULL) == (s == CSSPGO_OK) && e.offset <= n);
    if (l != NULL) {
        s = load_all(l, names, &e);
        T_CHECK(e.status == s && e.offset <= n && csspgo_validate(csspgo_lazy_profile(l), NULL) == CSSPGO_OK);
    }
    T_CHECK(h.peak <= 48 * n + (1u << 20));
    csspgo_lazy_free(l);
    T_EQ(h.live, 0);
    free(exact);
    return s;
}

static void lazy_reading_fails_well(const void *data, size_t n, const csspgo_profile *names)
{
    long nth;
    for (nth = 1; try_lazy(data, n, names, nth) != CSSPGO_OK && nth < 100000; nth++) {}
    T_LONG(nth > 5 && nth < 100000);
}

static void lazy_reading_of_hostile_bytes_is_sane(void)
{
    size_t i, k, n;
    for (i = 0; i < sizeof lazy_files / sizeof *lazy_files; i += 2) {
        char *data = t_file(path_of(lazy_files[i], "", ""), &n);
        csspgo_profile *names = names_of(lazy_files[i]);
        for (k = 0; k < n; k++) {
            try_lazy(data, k, names, 0);
            data[k] = (char)~data[k];
            try_lazy(data, n, names, 0);
            data[k] = (char)~data[k];
        }
        T_FAILING(lazy_reading_fails_well(data, n, names));
        csspgo_profile_free(names);
        free(data);
    }
}

/* ----- differential: random profiles against llvm-profdata-19 ----- */

static uint64_t seed = 12345;

static unsigned rnd(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static uint64_t rnd_count(void)
{
    if (rnd(40) == 0) return UINT64_C(1) << (40 + rnd(12));
    return rnd(8) == 0 ? 0 : rnd(4) == 0 ? rnd(2000000000) : rnd(300);
}

enum { MODE_CS = 1, MODE_PROBE = 2, MODE_ATTR = 4 };

static void rnd_name(char *out, unsigned i)
{
    static const char *const form[] = {
        "f%u", "_ZN3abc%uE", "g%u.llvm.77", "h%u.__uniq.9", "longer_name_of_function_%u_x", "\xc3\xa9%u"
    };
    snprintf(out, 64, form[i % 6], i);
}

static void rnd_loc(FILE *f, int probe)
{
    fprintf(f, "%u", rnd(12) == 0 ? rnd(65536) : rnd(30));
    if (!probe && rnd(4) == 0) fprintf(f, ".%u", rnd(6) == 0 ? rnd(2000000000) : 1 + rnd(9));
}

static void rnd_body(FILE *f, unsigned depth, unsigned self, unsigned mode)
{
    unsigned i, k, n = rnd(7);
    char name[64];
    for (i = 0; i < n; i++) {
        fprintf(f, "%*s", (int)depth, "");
        rnd_loc(f, (mode & MODE_PROBE) != 0);
        fprintf(f, ": %llu", (unsigned long long)rnd_count());
        for (k = rnd(3) == 0 ? rnd(5) : 0; k != 0; k--) {
            rnd_name(name, rnd(60));
            fprintf(f, " %s:%llu", name, (unsigned long long)rnd_count());
        }
        fputc('\n', f);
    }
    for (i = mode & MODE_CS || depth > 4 ? 0 : rnd(depth == 1 ? 4 : 2); i != 0; i--) {
        const unsigned callee = rnd(60);
        rnd_name(name, callee);
        fprintf(f, "%*s", (int)depth, "");
        rnd_loc(f, (mode & MODE_PROBE) != 0);
        fprintf(f, ": %s:%llu\n", name, (unsigned long long)rnd_count());
        rnd_body(f, depth + 1, callee, mode);
    }
    if (mode & MODE_PROBE) fprintf(f, "%*s!CFGChecksum: %u\n", (int)depth, "", 1000 + self);
    if (mode & MODE_ATTR) fprintf(f, "%*s!Attributes: %u\n", (int)depth, "", rnd(8));
}

static void rnd_profile(const char *path, unsigned mode)
{
    FILE *f = fopen(path, "wb");
    unsigned i, k, n = 1 + rnd(40), leaf = 0;
    char name[64];
    if (f == NULL) abort();
    for (i = 0; i < n; i++) {
        if (mode & MODE_CS) fputc('[', f);
        for (k = mode & MODE_CS ? 1 + rnd(4) : 1; k != 0; k--) {
            leaf = rnd(60);
            rnd_name(name, leaf);
            fputs(name, f);
            if (k == 1) break;
            fprintf(f, ":%u", rnd(9));
            if (!(mode & MODE_PROBE) && rnd(3) == 0) fprintf(f, ".%u", 1 + rnd(3));
            fputs(" @ ", f);
        }
        fprintf(f, "%s:%llu:%llu\n", mode & MODE_CS ? "]" : "", (unsigned long long)rnd_count(),
                (unsigned long long)rnd_count());
        rnd_body(f, 1, leaf, mode);
    }
    if (mode & MODE_ATTR) fprintf(f, "%s:1:1\n !Attributes: 2\n", mode & MODE_CS ? "[f0]" : "f0");
    fclose(f);
}

static void random_profiles_equal_llvm(void)
{
    static const struct { const char *ext; uint32_t form; } out[] = {
        { "bin", CSSPGO_BINARY }, { "ext", CSSPGO_EXTBINARY }, { "md5", CSSPGO_EXTBINARY | CSSPGO_MD5 },
        { "extz", CSSPGO_EXTBINARY | CSSPGO_COMPRESS }
    };
    const unsigned profiles = (unsigned)t_cases("CSSPGO_RANDOM_PROFILES", 4, 60);
    char path[100], text[100];
    unsigned i, k;
    if (system("llvm-profdata-19 --version >/dev/null 2>&1") != 0) {
        T_SKIP("llvm-profdata-19 is not installed");
        return;
    }
    if (system("rm -rf " T_DIR "/binary && mkdir -p " T_DIR "/binary") != 0) abort();
    for (i = 0; i < profiles; i++) {
        snprintf(path, sizeof path, T_DIR "/binary/%u.txt", i);
        rnd_profile(path, i % 8);
    }
    if (system("cd " T_DIR "/binary && for f in *.txt; do n=${f%.txt}; M='llvm-profdata-19 merge --sample';"
               "$M --binary $f -o $n.bin 2>/dev/null || rm -f $n.bin; $M --extbinary $f -o $n.ext; $M --extbinary "
               "--use-md5 $f -o $n.md5;"
               "$M --extbinary --compress-all-sections $f -o $n.extz; $M --text $n.md5 -o $n.md5.text; done") != 0)
        abort();
    for (i = 0; i < profiles; i++) {
        csspgo_profile *p, *q;
        size_t n, m;
        char *a, *b;
        snprintf(text, sizeof text, T_DIR "/binary/%u.txt", i);
        p = read_path(text, 1);
        a = written(p, CSSPGO_TEXT, &n);
        for (k = 0; k < 4; k++) {
            snprintf(path, sizeof path, T_DIR "/binary/%u.%s", i, out[k].ext);
            if (!usable(out[k].form) || !exists(path)) continue;
            writes_as(p, out[k].form, path);
            q = read_path(path, 1);
            b = written(q, CSSPGO_TEXT, &m);
            if (out[k].form & CSSPGO_MD5) {
                snprintf(text, sizeof text, T_DIR "/binary/%u.md5.text", i);
                writes_as(q, CSSPGO_TEXT, text);
            } else if (out[k].form != CSSPGO_BINARY || !(i % 8 & MODE_ATTR)) {
                t_same(path, b, m, a, n);
            }
            free(b);
            csspgo_profile_free(q);
        }
        free(a);
        csspgo_profile_free(p);
    }
}

/* ----- LLVM's defects: what it does (said by its own output), what lenient profiles do, what ours do ----- */

static int have_llvm(void)
{
    return system("llvm-profdata-19 --version >/dev/null 2>&1") == 0 && system("mkdir -p " T_DIR "/defects") == 0;
}

/*
 * llvm-profdata-19 merge --sample OPTIONS of a text (or of a file, if text is NULL) into defects/out; 0 if it
 * refuses.
 */
static int llvm_merge(const char *text, const char *path, const char *options)
{
    char command[600];
    if (text != NULL) {
        FILE *f = fopen(path, "wb");
        if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0) abort();
    }
    snprintf(command, sizeof command,
             "llvm-profdata-19 merge --sample %s %s -o " T_DIR "/defects/out >" T_DIR "/defects/log 2>&1", options, path);
    return system(command) == 0;
}

typedef struct defect {
    const char *what, *text;      /* the input                                                    */
    uint32_t    form;             /* through which form it goes, and back to text                 */
    const char *options;          /* the same for LLVM's tool                                     */
    const char *llvm, *ours;      /* the text that comes of it: LLVM's and lenient, strict; NULL: refused */
} defect;

static void one_defect(const defect *d, uint32_t lenient, const char *want)
{
    const csspgo_options o = with_lenient(lenient);
    csspgo_profile *p = csspgo_profile_new(&o, NULL), *q = csspgo_profile_new(&o, NULL);
    csspgo_error e;
    size_t n = 0;
    char *bytes = NULL, *text;
    csspgo_status s = csspgo_read(p, d->text, strlen(d->text), &e);
    if (s == CSSPGO_OK) s = csspgo_write(p, d->form, NULL, 0, &n, &e);
    if (s == CSSPGO_OK) {
        bytes = written(p, d->form, &n);
        s = csspgo_read(q, bytes, n, &e);
    }
    if (want == NULL) {
        T_MSG(s != CSSPGO_OK && e.message[0] != '\0', d->what);
    } else if (T_MSG(s == CSSPGO_OK, d->what)) {
        text = written(q, CSSPGO_TEXT, &n);
        t_same(d->what, text, n, want, strlen(want));
        free(text);
    }
    free(bytes);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static const defect defects[] = {
    { "checksum after attributes loses the attributes", "foo:1:1\n 1: 1\n !Attributes: 2\n !CFGChecksum: 5\n",
      CSSPGO_EXTBINARY, "--extbinary", "foo:1:1\n 1: 1\n !CFGChecksum: 5\n",
      "foo:1:1\n 1: 1\n !CFGChecksum: 5\n !Attributes: 2\n" },
    { "attributes of a profile that is not pre-inlined", "foo:1:1\n 1: 1\n !Attributes: 1\n", CSSPGO_EXTBINARY,
      "--extbinary", "foo:1:1\n 1: 1\n", "foo:1:1\n 1: 1\n !Attributes: 1\n" },
    { "attributes in raw binary", "foo:1:1\n 1: 1\n !Attributes: 1\n", CSSPGO_BINARY, "--binary", "foo:1:1\n 1: 1\n",
      NULL },
    { "a head line without colon", "123\n 1: 5\n", CSSPGO_EXTBINARY, "--extbinary", "123:123:123\n 1: 5\n", NULL },
    { "a head line without name", ":5:6\n 1: 5\n", CSSPGO_EXTBINARY, "--extbinary", ":5:6\n 1: 5\n", NULL },
    { "an empty inlinee", "foo:1:1\n 1: :3\n  1: 2\n", CSSPGO_EXTBINARY, "--extbinary", "foo:1:1\n 1: :3\n  1: 2\n",
      NULL },
    { "a frame without line", "[main @ foo]:5:1\n 1: 3\n", CSSPGO_EXTBINARY, "--extbinary",
      "[main:0 @ foo]:5:1\n 1: 3\n", NULL },
    { "a context without end", "[main:3 @ foo:5:1\n 1: 3\n", CSSPGO_EXTBINARY, "--extbinary",
      "[main:3 @ fo]:5:1\n 1: 3\n", NULL },
    { "a line above 65535 that LLVM writes and cannot read", "foo:1:1\n 70000.1: 2\n", CSSPGO_TEXT, "--text",
      "foo:1:1\n 70000.1: 2\n", NULL },
    { "over-indented lines", "foo:1:1\n     1: 2\n", CSSPGO_TEXT, "--text", "foo:1:1\n 1: 2\n", NULL },
    { "a context and a function without one", "[main]:7:1\nfoo:5:1\n", CSSPGO_TEXT, "--text", "[main]:7:1\n[foo]:5:1\n",
      NULL },
    { "contexts in raw binary", "[main]:7:1\n", CSSPGO_BINARY, "--binary", NULL, NULL },
    { "checksums in raw binary", "foo:7:1\n !CFGChecksum: 5\n", CSSPGO_BINARY, "--binary", NULL, NULL }
};

static void defects_of_llvm_are_imitated_only_in_lenient_profiles(void)
{
    const int llvm = have_llvm();
    size_t i, n, m;
    if (!llvm) T_SKIP("llvm-profdata-19 is not installed");
    for (i = 0; i < sizeof defects / sizeof *defects; i++) {
        const defect *d = &defects[i];
        csspgo_profile *p;
        char *got, *want;
        one_defect(d, 1, d->llvm);
        one_defect(d, 0, d->ours);
        if (!llvm) continue;
        if (!T_MSG(llvm_merge(d->text, T_DIR "/defects/in", d->options) == (d->llvm != NULL), d->what) ||
            d->llvm == NULL)
            continue;
        if (d->form == CSSPGO_TEXT) {                 /* LLVM's own file says the same */
            want = t_file(T_DIR "/defects/out", &m);
            t_same(d->what, want, m, d->llvm, strlen(d->llvm));
            free(want);
            continue;
        }
        p = read_path(T_DIR "/defects/out", 1);
        got = written(p, CSSPGO_TEXT, &n);
        t_same(d->what, got, n, d->llvm, strlen(d->llvm));
        free(got);
        csspgo_profile_free(p);
    }
}

/* What LLVM 19 makes of these files, by its own word: of GUIDs it makes names, which it then hashes again. */
static void guids_stay_guids(void)
{
    csspgo_profile *p = read_path(path_of("conv/02-basic.md5", "", ""), 0), *q, *l;
    size_t n;
    char *bytes = written(p, CSSPGO_EXTBINARY, &n);
    q = read_bytes(bytes, n);
    T_CHECK(csspgo_equal(p, q) && csspgo_profile_flags(q) & CSSPGO_IS_MD5);
    csspgo_profile_free(q);
    free(bytes);
    l = read_path(path_of("conv/02-basic.md5", "", ""), 1);
    /* LLVM's file: decimal names */
    writes_as(l, CSSPGO_EXTBINARY, path_of("ops/out/md5-to-ext-without-md5.ext", "", ""));
    q = read_path(path_of("ops/out/md5-to-ext-without-md5.ext", "", ""), 0);
    T_CHECK(!(csspgo_profile_flags(q) & CSSPGO_IS_MD5) && !csspgo_equal(p, q));
    csspgo_profile_free(l);
    csspgo_profile_free(q);
    if (have_llvm()) {
        T_CHECK(llvm_merge(NULL, "data/formats/conv/02-basic.md5", "--extbinary"));
        q = read_path(T_DIR "/defects/out", 0);
        T_CHECK(!(csspgo_profile_flags(q) & CSSPGO_IS_MD5));
        csspgo_profile_free(q);
    }
    csspgo_profile_free(p);
}

/* An inlinee that only the metadata knows: LLVM makes one without a name, which strict reading does not. */
static void metadata_makes_no_functions(void)
{
    csspgo_profile *p = read_path(path_of("hand/ext-meta-extra-inlinee.prof", "", ""), 0);
    csspgo_profile *l = read_path(path_of("hand/ext-meta-extra-inlinee.prof", "", ""), 1);
    csspgo_func f = csspgo_func_find(p, "", 0);
    T_CHECK(f.id == 0 || csspgo_func_nodes(p, f).id == 0);
    T_EQ(csspgo_record_count(l), csspgo_record_count(p) + 1);
    csspgo_profile_free(p);
    csspgo_profile_free(l);
}

/* Hash orders reach no output of ours: neither the seed nor the order of reading changes a byte. */
static void outputs_do_not_depend_on_the_seed(void)
{
    static const uint32_t out[] = { CSSPGO_TEXT, CSSPGO_EXTBINARY, CSSPGO_EXTBINARY | CSSPGO_MD5 };
    size_t i, k, n, m;
    for (i = 0; i < sizeof sources / sizeof *sources; i++)
        for (k = 0; k < 3; k++) {
            csspgo_options o = with_lenient(0);
            csspgo_profile *p = read_path(path_of("text/", sources[i], ".txt"), 0), *q;
            csspgo_error e;
            char *a, *b;
            o.hash_seed = UINT64_C(0x123456789abcdef);
            q = csspgo_profile_new(&o, NULL);
            T_EQ(csspgo_read_file(q, path_of("text/", sources[i], ".txt"), &e), CSSPGO_OK);
            a = written(p, out[k], &n);
            b = written(q, out[k], &m);
            t_same(sources[i], a, n, b, m);
            free(a);
            free(b);
            csspgo_profile_free(p);
            csspgo_profile_free(q);
        }
}

/* In every binary form the limit that was reached is the one that is named. */
static void a_name_above_the_limit_is_refused_as_that(void)
{
    static const uint32_t every[] = { CSSPGO_BINARY, CSSPGO_EXTBINARY, CSSPGO_GCOV };
    char name[100];
    unsigned char bytes[1000];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q;
    csspgo_options o;
    csspgo_error e;
    size_t size, i;
    memset(name, 'x', sizeof name);
    T_EQ(csspgo_add_body(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN,
                                            csspgo_func_add(p, name, sizeof name)), csspgo_loc_at(1, 0), 5), CSSPGO_OK);
    memset(&o, 0, sizeof o);
    o.limits.max_name = 99;
    for (i = 0; i < sizeof every / sizeof *every; i++) {
        T_EQ(csspgo_write(p, every[i], bytes, sizeof bytes, &size, NULL), CSSPGO_OK);
        q = csspgo_profile_new(&o, NULL);
        T_EQ(csspgo_read(q, bytes, size, &e), CSSPGO_E_LIMIT);
        T_CHECK(strcmp(e.message, "a name is longer than limits.max_name: 100") == 0);
        T_CHECK(e.offset < size && memcmp(bytes + e.offset, name, sizeof name) == 0);
        csspgo_profile_free(q);
    }
    csspgo_profile_free(p);
}

/* A function's five bytes again and again: refused, and for what it is. */
static void a_file_of_repetitions_is_refused_as_that(void)
{
    enum { TIMES = 200000, RECORD = 5 };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    const csspgo_func f = csspgo_func_add(p, "f", 1);
    unsigned char *bytes = (unsigned char *)malloc(4096 + TIMES * RECORD);
    csspgo_error e;
    size_t size, i;
    T_EQ(csspgo_add_total(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f), 1), CSSPGO_OK);
    T_EQ(csspgo_write(p, CSSPGO_BINARY, bytes, 4096, &size, NULL), CSSPGO_OK);
    csspgo_profile_free(p);
    for (i = 0; i < TIMES; i++, size += RECORD) memcpy(bytes + size, bytes + size - RECORD, RECORD);
    p = csspgo_profile_new(NULL, NULL);
    T_EQ(csspgo_read(p, bytes, size, &e), CSSPGO_E_LIMIT);
    T_CHECK(strstr(e.message, "repetitions") != NULL);
    T_EQ(csspgo_read(p, bytes, size - (TIMES - 1000) * RECORD, &e), CSSPGO_OK);
    T_EQ(csspgo_total(p, csspgo_find(p, "f")), 1001);
    csspgo_profile_free(p);
    free(bytes);
}

/* ----- what is written is read: profiles that take most memory for their size ----- */

enum { DENSE_DEEP, DENSE_SHALLOW, DENSE_NESTED, DENSE_TARGETS, DENSE_NAMES, DENSE_KINDS };

static uint32_t dense_random(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

static csspgo_func dense_func(csspgo_profile *p, uint32_t i)
{
    char name[16];
    const int size = sprintf(name, "%c%c%c", 'a' + (int)(i % 26), 'a' + (int)(i / 26 % 26), 'a' + (int)(i / 676 % 26));
    return csspgo_func_add(p, name, (size_t)(i < 26 ? 1 : i < 676 ? 2 : size));
}

/* Paths of functions taken at random, as contexts or as inlinees; or targets; or functions that have nothing. */
static csspgo_profile *dense_profile(int kind)
{
    static const struct { uint32_t paths, depth, funcs; } how[] = {
        { 500, 150, 2000 }, { 4000, 20, 100 }, { 4000, 20, 100 }, { 1000, 100, 120 }, { 17000, 1, 17576 }
    };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    const csspgo_node_kind below = kind == DENSE_NESTED ? CSSPGO_INLINEE : CSSPGO_CONTEXT;
    const uint32_t paths = how[kind].paths / (uint32_t)t_size(4, 1);
    uint32_t i, d, state = 1;
    csspgo_status s = CSSPGO_OK;
    for (i = 0; i < paths && s == CSSPGO_OK; i++) {
        const int plain = kind != DENSE_DEEP && kind != DENSE_SHALLOW;
        const uint32_t first = kind == DENSE_NAMES ? i : plain ? i % how[kind].funcs : dense_random(&state, how[kind].funcs);
        csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), plain ? CSSPGO_PLAIN : CSSPGO_CONTEXT,
                                        dense_func(p, first));
        for (d = 1; d < how[kind].depth && s == CSSPGO_OK; d++) {
            const csspgo_func f = dense_func(p, dense_random(&state, how[kind].funcs));
            const csspgo_loc at = csspgo_loc_at(1 + dense_random(&state, 60), 0);
            if (kind == DENSE_TARGETS) s = csspgo_add_target(p, n, csspgo_loc_at(i / 120 + 1, 0), f, 1);
            else n = csspgo_node_add(p, n, at, below, f);
        }
        if (s == CSSPGO_OK) s = csspgo_add_total(p, n, 1);
    }
    T_EQ(s, CSSPGO_OK);
    if (kind == DENSE_DEEP || kind == DENSE_SHALLOW) csspgo_profile_set_flags(p, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
    return p;
}

static void what_is_written_is_read_at_every_density(void)
{
    static const uint32_t written_as[] = { CSSPGO_TEXT, CSSPGO_BINARY, CSSPGO_EXTBINARY, CSSPGO_EXTBINARY | CSSPGO_MD5,
                                         CSSPGO_EXTBINARY | CSSPGO_COMPRESS, CSSPGO_GCOV };
    int kind;
    size_t i;
    for (kind = 0; kind < DENSE_KINDS; kind++) {
        csspgo_profile *p = dense_profile(kind);
        for (i = 0; i < sizeof written_as / sizeof *written_as; i++) {
            t_heap h;
            const csspgo_options o = t_options(&h, 0);
            csspgo_profile *q = csspgo_profile_new(&o, NULL);
            unsigned char *bytes;
            csspgo_error e;
            size_t n;
            if (!usable(written_as[i]) || csspgo_write(p, written_as[i], NULL, 0, &n, NULL) == CSSPGO_E_UNSUPPORTED) {
                csspgo_profile_free(q);
                continue;
            }
            bytes = (unsigned char *)malloc(n);
            T_EQ(csspgo_write(p, written_as[i], bytes, n, &n, &e), CSSPGO_OK);
            if (!T_EQ(csspgo_read(q, bytes, n, &e), CSSPGO_OK))
                fprintf(stderr, "    kind %d, form %x: %s\n", kind, (unsigned)written_as[i], e.message);
            T_EQ(csspgo_node_count(q), csspgo_node_count(p));
            if (!(written_as[i] & CSSPGO_COMPRESS)) T_CHECK(h.peak <= 16 * n + 128 * csspgo_node_count(p) + (1u << 20) + 4096);
            free(bytes);
            csspgo_profile_free(q);
        }
        csspgo_profile_free(p);
    }
}

int main(void)
{
    forms_are_told_by_their_first_bytes();
    conversions_equal_llvm();
    old_producers_are_read();
    hand_made_files_are_read_as_llvm_does();
    newer_versions_have_the_bytes_of_103();
    damaged_files_fail_where_they_are_damaged();
    every_prefix_is_sane();
    every_changed_byte_is_sane();
    bombs_are_refused();
    a_name_table_of_2_to_the_36_names_costs_nothing();
#ifdef CSSPGO_USE_ZLIB
    zlib_bombs_stay_within_the_limits();
#endif
    T_FAILING(every_allocation_may_fail());
    short_buffers_get_the_beginning();
    nothing_is_lost();
    gcc_forms_keep_counts();
    gcc_takes_the_largest_count();
    version_3_of_gcc_is_read();
    version_3_of_gcc_is_written();
    files_of_gcc_have_limits();
    renames_keep_first_samples();
    first_samples_survive_every_failing_allocation();
    forms_refuse_what_they_cannot_carry();
    newer_files_are_refused_as_llvm_19();
    vtable_counts_of_extbinary_are_read_and_written();
    T_FAILING(damaged_vtable_counts_are_sane());
    a_failed_read_changes_nothing();
    the_summary_is_the_spec_s_example();
    symbol_lists_equal_llvm();
    marks_are_kept_unless_llvm_drops_them();
    T_FAILING(size_limits_leave_out_the_coldest());
    a_size_limit_leaves_out_as_few_as_will_do();
    a_size_limit_needs_few_writes();
    defects_of_llvm_are_imitated_only_in_lenient_profiles();
    guids_stay_guids();
    metadata_makes_no_functions();
    outputs_do_not_depend_on_the_seed();
    sections_cannot_share_their_bytes();
    lazy_loading_of_all_is_reading();
    a_changed_file_loads_valid_records();
    lazy_loading_takes_a_function_with_all_below_it();
    lazy_loading_tells_call_sites_apart();
    a_failed_lazy_load_changes_nothing();
    a_lazily_read_record_must_be_the_one_looked_for();
    lazily_read_records_cannot_overlap();
    lazy_reading_takes_one_table_of_each_kind();
    lazy_reading_takes_one_table_of_contexts_and_of_names();
    lazy_reading_minds_only_what_it_reads();
    lazily_read_metadata_are_those_of_the_whole_file();
    lazy_reading_refuses_by_name_what_it_cannot_do();
    lazy_reading_of_hostile_bytes_is_sane();
    random_profiles_equal_llvm();
    a_name_above_the_limit_is_refused_as_that();
    a_file_of_repetitions_is_refused_as_that();
    what_is_written_is_read_at_every_density();
    return t_end();
}
