/* test_format.c - the format layer: text profiles read and written. oracle_text.sh compares it with llvm-profdata. */
#include "t.h"

/* Reads from a block of exactly that size. */
static csspgo_status read_exact(csspgo_profile *p, const void *data, size_t size, csspgo_error *e)
{
    unsigned char *exact = t_copy(data, size);
    const csspgo_status s = csspgo_read(p, exact, size, e);
    free(exact);
    return s;
}

static csspgo_status read_str(csspgo_profile *p, const char *text, csspgo_error *e)
{
    return read_exact(p, text, strlen(text), e);
}

/* A profile that must be readable. */
static csspgo_profile *profile_of(const char *text, uint32_t lenient)
{
    csspgo_profile *p = t_profile(lenient);
    csspgo_error e;
    if (!T_MSG(read_str(p, text, &e) == CSSPGO_OK, text)) fprintf(stderr, "    %lu:%lu: %s\n", (unsigned long)e.line,
                                                                 (unsigned long)e.column, e.message);
    return p;
}

/* The profile as text, for free(), with a 0 that does not count; NULL if that is refused. */
static char *text_of(csspgo_profile *p, size_t *size)
{
    csspgo_error e;
    char *out;
    if (csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, &e) != CSSPGO_OK) return NULL;
    out = (char *)malloc(*size + 1);
    if (out == NULL) abort();
    T_EQ(csspgo_write(p, CSSPGO_TEXT, out, *size, size, &e), CSSPGO_OK);
    out[*size] = '\0';
    return out;
}

static int writes_as(csspgo_profile *p, const char *want)
{
    size_t size;
    char *out = text_of(p, &size);
    const int same = out != NULL && t_same("text", out, size, want, strlen(want));
    T_CHECK(out != NULL);
    free(out);
    return same;
}

/* ===== the vectors ===== */

static const char *const vectors[] = { "01-minimal", "02-basic", "03-nested-deep", "04-unsorted-dups", "05-crlf",
                                       "06-discriminators", "07-indirect", "08-huge", "09-names", "10-uniq",
                                       "11-probe-nested", "12-probe-flat", "13-attr-only", "14-cs-line", "15-cs-probe",
                                       "16-cs-names", "17-cs-order", "18-fs", "19-zero", "20-order", "21-summary" };
enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static char *vector(const char *kind, const char *name, const char *suffix, size_t *size)
{
    char path[200];
    sprintf(path, "data/formats/%s/%s%s", kind, name, suffix);
    return t_file(path, size);
}

static void every_source_profile_becomes_its_canonical_text(void)
{
    unsigned i, lenient, again;
    for (i = 0; i < VECTORS; i++)
        for (lenient = 0; lenient < 2; lenient++)
            for (again = 0; again < 2; again++) {     /* and the canonical text itself */
                size_t in_size, want_size, size = 0;
                char *in = vector(again ? "conv" : "text", vectors[i], again ? ".text" : ".txt", &in_size);
                char *want = vector("conv", vectors[i], ".text", &want_size), *out;
                csspgo_profile *p = t_profile(lenient);
                csspgo_error e;
                T_EQ(read_exact(p, in, in_size, &e), CSSPGO_OK);
                T_CHECK(e.status == CSSPGO_OK && t_valid(p));
                out = text_of(p, &size);
                if (T_CHECK(out != NULL)) t_same(vectors[i], out, size, want, want_size);
                free(out);
                csspgo_profile_free(p);
                free(in);
                free(want);
            }
}

/* The next line of a listing, cut off; *at moves on. NULL at the end. */
static char *next_line(char **at)
{
    char *line = *at, *end;
    if (*line == '\0') return NULL;
    end = line + strcspn(line, "\n");
    *at = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return line;
}

static void damaged_profiles_are_rejected_at_the_line_that_llvm_names(void)
{
    size_t size;
    char *list = t_file("data/formats/malformed/text/RESULTS.txt", &size), *at = list, *line;
    unsigned n = 0, lenient;
    if (list == NULL) return;
    while ((line = next_line(&at)) != NULL) {
        char name[80], *number;
        unsigned long where;
        if (sscanf(line, "== %79s : exit", name) != 1) continue;
        number = strstr(line, ".txt:");
        where = number != NULL ? strtoul(number + 5, NULL, 10) : 0;
        n++;                                          /* strict reading knows newer LLVM's !Flat and vtables */
        for (lenient = strstr(name, "-19.") != NULL; lenient < 2; lenient++) {
            csspgo_profile *p = t_profile(lenient), *empty = t_profile(lenient);
            char *in = vector("malformed/text", name, "", &size);
            csspgo_error e;
            T_MSG(read_exact(p, in, size, &e) != CSSPGO_OK, name);
            T_MSG(e.status != CSSPGO_OK && e.offset <= size && e.line != 0 && e.column != 0 && e.message[0] != '\0',
                  name);
            T_MSG(where == 0 || e.line == where, line);
            T_MSG(csspgo_equal(p, empty), name);
            free(in);
            csspgo_profile_free(p);
            csspgo_profile_free(empty);
        }
    }
    T_EQ(n, 57);
    free(list);
}

/* What strict reading makes of a quirk: 0 the same as LLVM, REJECT, or another text. */
#define REJECT "reject"
static const struct { const char *name, *strict; } quirks[] = {
    { "any-char-after-colon.txt", REJECT },
    { "blank-and-indented-comment.txt", NULL },
    { "body-and-inlinee-same-line.txt", NULL },
    { "cs-and-plain.txt", REJECT },
    { "cs-bad-disc.txt", REJECT },
    { "cs-bad-line.txt", REJECT },
    { "cs-big-line.txt", REJECT },
    { "cs-colons-in-name.txt", REJECT },
    { "cs-empty-frame-names.txt", REJECT },
    { "cs-empty-leaf.txt", REJECT },
    { "cs-leaf-location.txt", "[main:3 @ foo]:10:2\n 1: 5\n" },
    { "cs-line-65536.txt", REJECT },
    { "cs-negative-line.txt", REJECT },
    { "cs-no-close.txt", REJECT },
    { "cs-no-line.txt", REJECT },
    { "cs-no-space-at.txt", REJECT },
    { "cs-number-corners.txt", REJECT },
    { "cs-two-spaces-at.txt", REJECT },
    { "cs-with-inlinee.txt", REJECT },
    { "dup-function.txt", NULL },
    { "extra-spaces-between-targets.txt", NULL },
    { "head-colon-number.txt", REJECT },
    { "head-empty-name.txt", REJECT },
    { "head-leading-zeros.txt", NULL },
    { "head-number-colon.txt", REJECT },
    { "head-only-number.txt", REJECT },
    { "inlinee-empty-name.txt", REJECT },
    { "inlinee-head-count.txt", NULL },
    { "line-65536-with-disc.txt", REJECT },
    { "md5-top-level-number.txt", NULL },
    { "meta-attr-before-checksum.txt", "foo:1:1\n 1: 3\n !CFGChecksum: 12\n !Attributes: 2\n" },
    { "meta-attr-max.txt", NULL },
    { "meta-deeper-body-after.txt", REJECT },
    { "meta-inlinee-only.txt", "foo:1:1\n 1: 3\n 2: bar:4\n  1: 1\n  !CFGChecksum: 12\n !CFGChecksum: 0\n" },
    { "meta-inlinee-then-body.txt", NULL },
    { "meta-mixed-probe.txt", NULL },
    { "meta-no-space.txt", NULL },
    { "meta-twice.txt", NULL },
    { "meta-zero-checksum.txt", "foo:1:1\n 1: 3\n !CFGChecksum: 0\n" },
    { "no-colon-line.txt", REJECT },
    { "no-final-newline.txt", NULL },
    { "nul-ends-file.txt", REJECT },
    { "over-indented.txt", REJECT },
    { "target-colon-number-in-name.txt", NULL },
    { "target-duplicate-last-wins.txt", NULL },
    { "target-duplicate-lines-add.txt", NULL },
    { "vtables-19.txt", "foo:1:1\n 1: 3\n 1: vtables a:1 \n" }
};

static void one_quirk(const char *name, const char *strict, const char *llvm, size_t llvm_size)
{
    unsigned lenient;
    for (lenient = 0; lenient < 2; lenient++) {
        csspgo_profile *p = t_profile(lenient);
        const char *want = lenient || strict == NULL ? llvm : strict;
        const size_t want_size = want == llvm ? llvm_size : strlen(want);
        size_t in_size, size = 0;
        char *in = vector("quirks", name, "", &in_size), *out;
        csspgo_error e;
        const csspgo_status s = read_exact(p, in, in_size, &e);
        if (want != NULL && strcmp(want, REJECT) == 0) {
            T_MSG(s != CSSPGO_OK && e.line != 0, name);
        } else if (T_MSG(s == CSSPGO_OK && t_valid(p), name)) {
            out = text_of(p, &size);
            if (T_MSG(out != NULL, name)) t_same(name, out, size, want, want_size);
            free(out);
        }
        free(in);
        csspgo_profile_free(p);
    }
}

static void quirks_are_taken_as_llvm_takes_them_or_rejected(void)
{
    size_t size, k, n = 0;
    char *list = t_file("data/formats/quirks/RESULTS.txt", &size), *at = list, *line, *want;
    if (list == NULL) return;
    want = (char *)malloc(size + 1);
    if (want == NULL) abort();
    line = next_line(&at);
    while (line != NULL) {
        char name[80];
        size_t want_size = 0;
        if (sscanf(line, "== %79s : exit 0", name) != 1) break;
        while ((line = next_line(&at)) != NULL && line[0] == ' ') {    /* four spaces, then the text */
            const size_t length = strlen(line + 4);
            memcpy(want + want_size, line + 4, length);
            want_size += length;
            want[want_size++] = '\n';
        }
        for (k = 0; k < sizeof quirks / sizeof quirks[0]; k++)
            if (strcmp(quirks[k].name, name) == 0) break;
        if (!T_MSG(k < sizeof quirks / sizeof quirks[0], name)) continue;
        want[want_size] = '\0';
        one_quirk(name, quirks[k].strict, want, want_size);
        n++;
    }
    T_EQ(n, sizeof quirks / sizeof quirks[0]);
    free(want);
    free(list);
}

/* ===== errors ===== */

static const struct { const char *text; csspgo_status status; uint32_t line, column; } bad[] = {
    { "", CSSPGO_E_TRUNCATED, 1, 1 },
    { "# only\n\n", CSSPGO_E_TRUNCATED, 3, 1 },
    { " foo:1:1\n", CSSPGO_E_SYNTAX, 1, 1 },
    { "   \n", CSSPGO_E_SYNTAX, 1, 1 },
    { "foo", CSSPGO_E_SYNTAX, 1, 4 },
    { "foo:12", CSSPGO_E_SYNTAX, 1, 7 },
    { "foo:1:", CSSPGO_E_SYNTAX, 1, 7 },
    { "foo:1:x", CSSPGO_E_SYNTAX, 1, 7 },
    { "foo::2", CSSPGO_E_SYNTAX, 1, 5 },
    { "foo:-1:0", CSSPGO_E_SYNTAX, 1, 5 },
    { "foo:1:0 ", CSSPGO_E_SYNTAX, 1, 8 },
    { ":5:6", CSSPGO_E_SYNTAX, 1, 1 },
    { "foo:18446744073709551616:0", CSSPGO_E_RANGE, 1, 5 },
    { "foo:1:1\n\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8\x53:9:9\n", CSSPGO_E_SYNTAX, 2, 1 },   /* would be written first */
    { "foo:0:99999999999999999999", CSSPGO_E_RANGE, 1, 7 },
    { "foo:1:1\n\n1: 1\n", CSSPGO_E_SYNTAX, 3, 3 },
    { "foo:1:1\n x: 1\n", CSSPGO_E_SYNTAX, 2, 2 },
    { "foo:1:1\n 65536: 1\n", CSSPGO_E_RANGE, 2, 2 },
    { "foo:1:1\n 65536.1: 1\n", CSSPGO_E_RANGE, 2, 2 },
    { "foo:1:1\n 1.: 1\n", CSSPGO_E_SYNTAX, 2, 4 },
    { "foo:1:1\n 1.4294967296: 1\n", CSSPGO_E_RANGE, 2, 4 },
    { "foo:1:1\n 1 : 1\n", CSSPGO_E_SYNTAX, 2, 3 },
    { "foo:1:1\n 1\n", CSSPGO_E_SYNTAX, 2, 3 },
    { "foo:1:1\n 1:\n", CSSPGO_E_SYNTAX, 2, 4 },
    { "foo:1:1\n 1: \n", CSSPGO_E_SYNTAX, 2, 5 },
    { "foo:1:1\n 1:5\n", CSSPGO_E_SYNTAX, 2, 4 },
    { "foo:1:1\n 1: 5x\n", CSSPGO_E_SYNTAX, 2, 6 },
    { "foo:1:1\n 1: 18446744073709551616\n", CSSPGO_E_RANGE, 2, 5 },
    { "foo:1:1\n 1: 5 \n", CSSPGO_E_SYNTAX, 2, 6 },
    { "foo:1:1\n 1: 5 a\n", CSSPGO_E_SYNTAX, 2, 7 },
    { "foo:1:1\n 1: 5 a:1 b:x\n", CSSPGO_E_SYNTAX, 2, 11 },
    { "foo:1:1\n 1: 5 a:1 :3\n", CSSPGO_E_SYNTAX, 2, 11 },
    { "foo:1:1\n 1: bar\n", CSSPGO_E_SYNTAX, 2, 5 },
    { "foo:1:1\n 1: bar:\n", CSSPGO_E_SYNTAX, 2, 9 },
    { "foo:1:1\n 1: bar:3x\n", CSSPGO_E_SYNTAX, 2, 10 },
    { "foo:1:1\n 1: bar:x3\n", CSSPGO_E_SYNTAX, 2, 9 },
    { "foo:1:1\n 1: :3\n", CSSPGO_E_SYNTAX, 2, 5 },
    { "foo:1:1\n 1: bar:18446744073709551616\n", CSSPGO_E_RANGE, 2, 9 },
    { "foo:1:1\n 1: vtables a:1 b\n", CSSPGO_E_SYNTAX, 2, 17 },
    { "foo:1:1\n 1: vtables :1 \n", CSSPGO_E_SYNTAX, 2, 13 },
    { "foo:1:1\n 1: vtables a: \n", CSSPGO_E_SYNTAX, 2, 15 },
    { "foo:1:1\n 1: vtables a:1,b:2\n", CSSPGO_E_SYNTAX, 2, 16 },
    { "foo:1:1\n 1: vtables a:18446744073709551616\n", CSSPGO_E_RANGE, 2, 15 },
    { "foo:1:1\n 1: vtables a:1 b:2 a:3\n", CSSPGO_E_SYNTAX, 2, 21 },
    { "foo:1:1\n  1: vtables a:1\n", CSSPGO_E_SYNTAX, 2, 1 },
    { "foo:1:1\n !CFGChecksum: 1\n 1: vtables a:1\n", CSSPGO_E_SYNTAX, 3, 1 },
    { "foo:1:1\n 65536.1: vtables a:1\n", CSSPGO_E_RANGE, 2, 2 },
    { "foo:1:1\n 1: vtables a:18446744073709551615\n 1: vtables b:1 a:1\n", CSSPGO_E_RANGE, 3, 17 },
    { "foo:1:1\n 1: bar:1\n  !Flat\n", CSSPGO_E_SYNTAX, 3, 3 },
    { "foo:1:1\n !Flat\n 1: 1\n", CSSPGO_E_SYNTAX, 3, 1 },
    { "foo:1:1\n !Flats\n", CSSPGO_E_SYNTAX, 2, 2 },
    { "foo:1:1\n !CFGChecksum: x\n", CSSPGO_E_SYNTAX, 2, 16 },
    { "foo:1:1\n !CFGChecksum: 1 2\n", CSSPGO_E_SYNTAX, 2, 17 },
    { "foo:1:1\n !Attributes: 4294967296\n", CSSPGO_E_RANGE, 2, 15 },
    { "foo:1:1\n !Attributes: 1\n 1: 5\n", CSSPGO_E_SYNTAX, 3, 1 },
    { "foo:1:1\n !Attributes: 1\n 1: in:5\n", CSSPGO_E_SYNTAX, 3, 1 },
    { "foo:1:1\n  1: 5\n", CSSPGO_E_SYNTAX, 2, 1 },
    { "foo:1:1\n 1: in:5\n   1: 2\n", CSSPGO_E_SYNTAX, 3, 1 },
    { "foo:1:1\n[foo]:1:1\n", CSSPGO_E_SYNTAX, 2, 1 },
    { "[foo]:1:1\nfoo:1:1\n", CSSPGO_E_SYNTAX, 2, 1 },
    { "[foo]:1:1\n 1: in:5\n", CSSPGO_E_SYNTAX, 2, 2 },
    { "[]:1:1\n", CSSPGO_E_SYNTAX, 1, 1 },
    { "[:3 @ a]:1:1\n", CSSPGO_E_SYNTAX, 1, 2 },
    { "[main:3 @ ]:1:1\n", CSSPGO_E_SYNTAX, 1, 11 },
    { "[main @ foo]:1:1\n", CSSPGO_E_SYNTAX, 1, 6 },
    { "[main:3@ foo]:1:1\n", CSSPGO_E_SYNTAX, 1, 8 },
    { "[main:x @ foo]:1:1\n", CSSPGO_E_SYNTAX, 1, 7 },
    { "[main:65536 @ foo]:1:1\n", CSSPGO_E_RANGE, 1, 7 },
    { "[main:3.x @ foo]:1:1\n", CSSPGO_E_SYNTAX, 1, 9 },
    { "[main:3 @ foo:1:1\n", CSSPGO_E_SYNTAX, 1, 13 },
    { "[main:3 @ foo:x]:1:1\n", CSSPGO_E_SYNTAX, 1, 15 },
    { "foo:18446744073709551615:0\nfoo:1:0\n", CSSPGO_E_RANGE, 2, 5 },
    { "foo:0:18446744073709551615\nfoo:0:1\n", CSSPGO_E_RANGE, 2, 7 },
    { "foo:0:0\n 1: 18446744073709551615\n 1: 1\n", CSSPGO_E_RANGE, 3, 2 },
    { "foo:0:0\n 1: 0 a:18446744073709551615\n 1: 0 a:1\n", CSSPGO_E_RANGE, 3, 7 },
    { "foo:0:0\n 1: a:18446744073709551615\n 1: a:1\n", CSSPGO_E_RANGE, 3, 2 },
    { "foo:1:1\n 1: 1\n !Fla\nfoo:x:1\n", CSSPGO_E_SYNTAX, 3, 2 }          /* the first failure is told */
};

static void errors_point_at_the_offending_byte(void)
{
    size_t i, k;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        csspgo_profile *p = t_profile(0);
        uint32_t line = 1, column = 1;
        csspgo_error e;
        T_MSG(read_str(p, bad[i].text, &e) == bad[i].status, bad[i].text);
        T_MSG(e.status == bad[i].status && e.message[0] != '\0', bad[i].text);
        if (!T_MSG(e.line == bad[i].line && e.column == bad[i].column, bad[i].text))
            fprintf(stderr, "    %lu:%lu: %s\n", (unsigned long)e.line, (unsigned long)e.column, e.message);
        for (k = 0; k < e.offset; k++) {              /* the offset says the same */
            column = bad[i].text[k] == '\n' ? 1 : column + 1;
            line += bad[i].text[k] == '\n';
        }
        T_MSG(line == e.line && column == e.column && e.offset <= strlen(bad[i].text), bad[i].text);
        T_MSG(read_str(p, bad[i].text, NULL) == bad[i].status, bad[i].text);
        csspgo_profile_free(p);
    }
}

static void messages_quote_what_is_wrong(void)
{
    csspgo_profile *p = t_profile(0);
    csspgo_error e;
    read_str(p, "foo:1:1\n 1: 5 a:b\033[2Jc\n", &e);
    T_CHECK(strcmp(e.message, "expected TARGET:COUNT: 'a:b\\x1b[2Jc'") == 0);
    read_str(p, "foo:1:1\n 70000: 5\n", &e);
    T_CHECK(strcmp(e.message, "a line is at most 65535: '70000'") == 0);
    csspgo_profile_free(p);
}

static void other_formats_are_not_text(void)
{
    static const char *const magic[] = {
        "\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8\x53\x67", "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67",
        "\x82\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67", "adcg*704\0"
    };
    size_t i;
    for (i = 0; i < sizeof magic / sizeof *magic; i++) {
        csspgo_profile *p = t_profile(0);
        csspgo_error e;
        T_CHECK(read_exact(p, magic[i], 9, &e) != CSSPGO_OK && e.line == 0 && e.message[0] != '\0');
        T_EQ(read_exact(p, magic[i], 8, &e), CSSPGO_E_SYNTAX);   /* too short: it can only be text */
        csspgo_profile_free(p);
    }
}

/* A sum that overflows in a record whose lines are out of order comes out late, but at its line. */
static void late_overflows_have_a_line_too(void)
{
    char text[8000];
    csspgo_profile *p = t_profile(0);
    csspgo_error e;
    unsigned i, targets;
    for (targets = 0; targets < 2; targets++) {
        size_t n = (size_t)sprintf(
            text, "foo:1:1\n 500: 7 x:18446744073709551615\n 7: 18446744073709551615\n 4: in:1\n  1: 1\n");
        for (i = 0; i < 150; i++) n += (size_t)sprintf(text + n, " %u: 1\n", 400 - i);
        for (i = 0; i < 150; i++) n += (size_t)sprintf(text + n, " %u: 1 x:1\n", i + 10);
        n += (size_t)sprintf(text + n, targets ? " 9: 0\n 500: 0 x:1\n" : " 7: 0\n 7: 1\n");
        T_EQ(read_exact(p, text, n, &e), CSSPGO_E_RANGE);
        T_CHECK(e.line == 307 && e.column == (targets ? 9 : 2));
        T_CHECK(csspgo_node_count(p) == 0);
    }
    csspgo_profile_free(p);
}

static void nul_bytes_and_carriage_returns(void)
{
    csspgo_profile *p = t_profile(0), *q;
    csspgo_error e;
    T_EQ(read_exact(p, "foo:1:1\n 1: 1\0\n", 15, &e), CSSPGO_E_SYNTAX);
    T_CHECK(e.offset == 13 && e.line == 2 && e.column == 6);
    T_EQ(read_exact(p, "foo:1:1\n\0", 9, &e), CSSPGO_E_SYNTAX);
    T_CHECK(e.offset == 8 && e.line == 2 && e.column == 1);
    T_EQ(read_exact(p, "\0", 1, &e), CSSPGO_E_SYNTAX);
    T_EQ(read_exact(p, "# \0\nfoo:1:1\n", 12, &e), CSSPGO_E_SYNTAX);
    csspgo_profile_free(p);
    p = t_profile(1);
    T_EQ(read_exact(p, "foo:1:1\n 1: 12\0" "34\n 2: x\n", 25, &e), CSSPGO_OK);   /* the line is cut at the NUL */
    writes_as(p, "foo:1:1\n 1: 12\n");
    csspgo_profile_free(p);
    p = profile_of("#\r\nfoo:1:1\r\n\r\n 1: 1 a\rb:2\r\n !Attributes: 1\r\r\n", 0);
    writes_as(p, "foo:1:1\n 1: 1 a\rb:2\n !Attributes: 1\n");
    q = t_profile(0);
    T_EQ(read_str(q, "foo:1:1\n 1: 1\r", &e), CSSPGO_E_SYNTAX);       /* at the end it is an ordinary byte */
    T_EQ(read_str(q, "foo:1:1\r\r\n", &e), CSSPGO_E_SYNTAX);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

/* ===== what is read ===== */

static void a_text_becomes_the_tree_it_stands_for(void)
{
    csspgo_profile *p =
        profile_of("[main:12 @ bar:3.1 @ foo]:30:4\n 1: 7\n 2.5: 9 x:6 y:3\n !CFGChecksum: 77\n !Attributes: 3\n"
                   "[main]:5:1\n !CFGChecksum: 78\n",
                   0);
    const csspgo_node foo = csspgo_find(p, "main:12 @ bar:3.1 @ foo"), bar = csspgo_find(p, "main:12 @ bar");
    T_EQ(csspgo_profile_flags(p), CSSPGO_IS_CS | CSSPGO_IS_PROBE | CSSPGO_IS_PREINLINED | CSSPGO_HAS_UNIQ);
    T_CHECK(csspgo_has_record(p, foo) && !csspgo_has_record(p, bar) && bar.id != 0);
    T_CHECK(csspgo_total(p, foo) == 30 && csspgo_head(p, foo) == 4 && csspgo_checksum(p, foo) == 77);
    T_EQ(csspgo_attributes(p, foo), CSSPGO_WAS_INLINED | CSSPGO_SHOULD_BE_INLINED);
    T_EQ(csspgo_body_count(p, foo, csspgo_loc_at(2, 5)), 9);
    T_EQ(csspgo_target_count(p, foo, csspgo_loc_at(2, 5), csspgo_func_find(p, "y", 1)), 3);
    T_EQ(csspgo_node_count(p), 3);
    csspgo_profile_free(p);
}

/* LLVM keeps the checksum, forgets it when it writes, and decides by it what is merged: not if a file lay between. */
static void any_checksum_makes_a_probe_profile(void)
{
    static const char inner[] = "main:9:1\n 3: f:8\n  1: 8\n  2: g:4\n   !CFGChecksum: 5\n";
    csspgo_profile *p = profile_of(inner, 1), *q;
    T_EQ(csspgo_profile_flags(p), CSSPGO_HAS_UNIQ);
    T_EQ(csspgo_checksum(p, csspgo_find(p, "main:3 @ f:2 @ g")), 5);
    writes_as(p, "main:9:1\n 3: f:8\n  1: 8\n  2: g:4\n");
    csspgo_profile_free(p);
    p = profile_of(inner, 0);
    T_EQ(csspgo_profile_flags(p), CSSPGO_HAS_UNIQ | CSSPGO_IS_PROBE);
    T_EQ(csspgo_checksum(p, csspgo_find(p, "main:3 @ f:2 @ g")), 5);
    T_EQ(csspgo_node_kind_of(p, csspgo_find(p, "main")), CSSPGO_PLAIN);
    writes_as(p, "main:9:1\n 3: f:8\n  1: 8\n  2: g:4\n   !CFGChecksum: 5\n  !CFGChecksum: 0\n !CFGChecksum: 0\n");
    q = profile_of("main:9:1\n 3: f:8\n  1: 8\n  2: g:4\n   !CFGChecksum: 5\n  !CFGChecksum: 0\n !CFGChecksum: 0\n", 0);
    T_CHECK(csspgo_equal(p, q) && csspgo_profile_flags(p) == csspgo_profile_flags(q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    p = profile_of("f:1:1\n !CFGChecksum: 0\n", 0);
    T_EQ(csspgo_profile_flags(p), CSSPGO_HAS_UNIQ | CSSPGO_IS_PROBE);
    writes_as(p, "f:1:1\n !CFGChecksum: 0\n");
    csspgo_profile_free(p);
    p = profile_of("f:1:1\n !CFGChecksum: 0\n", 1);
    T_EQ(csspgo_profile_flags(p), CSSPGO_HAS_UNIQ);
    csspgo_profile_free(p);
}

static void a_record_without_counts_is_not_a_link_frame(void)
{
    csspgo_profile *p = profile_of("[main:3 @ foo]:0:0\n[main:3 @ foo:1 @ bar]:5:0\n 1: 0 x:0\n", 0);
    T_CHECK(csspgo_has_record(p, csspgo_find(p, "main:3 @ foo")) && !csspgo_has_record(p, csspgo_find(p, "main")));
    writes_as(p, "[main:3 @ foo:1 @ bar]:5:0\n 1: 0 x:0\n[main:3 @ foo]:0:0\n");
    csspgo_profile_free(p);
}

static void what_stands_twice_is_added_up(void)
{
    csspgo_profile *p =
        profile_of("f:1:2\n 1: 3 a:1 b:1\n 2: g:5\n  1: 1\nh:1:1\nf:10:20\n 1: 30 b:1 c:1\n 2: g:50\n  1: 1\n", 0);
    writes_as(p, "f:11:22\n 1: 33 b:2 a:1 c:1\n 2: g:55\n  1: 2\nh:1:1\n");
    csspgo_profile_free(p);
    p = profile_of("f:1:2\n 1: 3 a:1 b:7 a:4\n", 0);          /* but on one line the last one counts */
    writes_as(p, "f:1:2\n 1: 3 b:7 a:4\n");
    csspgo_profile_free(p);
}

/* More tokens than a batch holds on one line, and batches that end inside a line. */
static void long_lines_are_read_whole(void)
{
    unsigned n, i, count;
    for (n = 1; n < 200; n += n < 70 ? 1 : 13) {
        char text[8000], want[8000];
        size_t size = (size_t)sprintf(text, "f:1:1\n 1: 1"), want_size = (size_t)sprintf(want, "f:1:1\n 1: 1");
        csspgo_profile *p;
        for (i = n; i-- != 0;) size += (size_t)sprintf(text + size, " t%03u:%u", i, i % 10);
        sprintf(text + size, "\n");
        for (count = 10; count-- != 0;)               /* by count, then by name */
            for (i = count; i < n; i += 10) want_size += (size_t)sprintf(want + want_size, " t%03u:%u", i, count);
        sprintf(want + want_size, "\n");
        p = profile_of(text, 0);
        writes_as(p, want);
        csspgo_profile_free(p);
    }
}

/* Reads "f:1:1", the line, and so many bytes of a comment: what comes of it, as text or as an error. */
static size_t outcome_of(const char *line, size_t size, size_t behind, char *out)
{
    csspgo_profile *p = t_profile(0);
    char text[400];
    csspgo_error e;
    size_t n = (size_t)sprintf(text, "f:1:1\n");
    memcpy(text + n, line, size);
    n += size;
    text[n++] = '\n';
    memset(text + n, '#', behind);
    n += behind;
    if (read_exact(p, text, n, &e) != CSSPGO_OK)
        n = (size_t)sprintf(out, "%u: %s", (unsigned)e.offset, e.message);
    else if (csspgo_write(p, CSSPGO_TEXT, out, 400, &n, &e) != CSSPGO_OK)
        n = (size_t)sprintf(out, "not written: %s", e.message);
    csspgo_profile_free(p);
    return n;
}

static void same_outcome(const char *line, size_t size)
{
    char near_end[800], far_from_it[800];
    const size_t n = outcome_of(line, size, 0, near_end);
    if (!T_CHECK(outcome_of(line, size, 100, far_from_it) == n && memcmp(near_end, far_from_it, n) == 0))
        fprintf(stderr, "    %.*s: %.*s\n", (int)size, line, (int)n, near_end);
}

/* Far from the end of the text usual lines are read in another way. */
static void lines_are_read_alike_wherever_the_text_ends(void)
{
    static const char digits[] = "18446744073709551616", some[] = "  0123456789::..ax\r-#!@";
    static const char *const usual[] = { " %.*s: 1",         " 1.%.*s: 1",  " 1: %.*s",
                                         " 1: 5 a:%.*s b:1", " 1: %.*s\r", "%.*s" };
    const unsigned changed = (unsigned)t_cases("CSSPGO_CHANGED_LINES", 6000, 20000);
    uint64_t seed = 7;
    char line[100];
    size_t i, n;
    unsigned k;
    for (k = 0; k < sizeof usual / sizeof *usual; k++)
        for (n = 0; n <= sizeof digits - 1; n++) {
            sprintf(line, usual[k], (int)n, digits);
            same_outcome(line, strlen(line));
            sprintf(line, usual[k], (int)n, "99999999999999999999");
            same_outcome(line, strlen(line));
            sprintf(line, usual[k], (int)n, "00000000000000000000");
            same_outcome(line, strlen(line));
        }
    for (k = 0; k < changed; k++) {                   /* a usual line with some bytes changed */
        n = (size_t)sprintf(line, k & 1 ? "   12.34: 5678 ab:9 c:10" : " 7: 123456789");
        for (i = 0; i < 1 + k % 3; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            line[(seed >> 33) % n] = some[(seed >> 50) % (sizeof some - 1)];
        }
        same_outcome(line, n);
    }
}

/* In whatever order inlinees come, also between contexts: pieces read one after the other, and as one text. */
static void inlinees_in_any_order_are_found_again(void)
{
    enum { PIECES = 40 };
    const unsigned cases = (unsigned)t_size(140, 400);
    uint64_t seed = 3;
    unsigned k, i, d;
    for (k = 0; k < cases; k++) {
        const uint32_t lenient = k & 1;
        csspgo_profile *parts = t_profile(lenient), *whole = t_profile(lenient);
        char text[PIECES * 100];
        size_t size = 0, a, b;
        csspgo_error e;
        char *x, *y;
        for (i = 0; i < PIECES; i++) {
            const size_t from = size;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (lenient && seed >> 62 == 0) size += (size_t)sprintf(text + size, "[f]:1:1\n");
            else if (lenient && seed >> 62 == 1) size += (size_t)sprintf(text + size, "[f:%u @ g]:1:1\n", i % 2);
            else size += (size_t)sprintf(text + size, "f%s:1:1\n", seed >> 63 ? "" : "g");
            for (d = 1; d <= 3; d++) {
                const unsigned at = (unsigned)(seed >> (8 * d)) % (k % 7 + 2);
                size += (size_t)sprintf(text + size, "%*s%u: %c:1\n", (int)d, "", at, "abc"[(seed >> (8 * d + 4)) % 3]);
            }
            size += (size_t)sprintf(text + size, "%*s1: 1\n", 4, "");
            T_EQ(read_exact(parts, text + from, size - from, &e), CSSPGO_OK);
        }
        T_EQ(read_exact(whole, text, size, &e), CSSPGO_OK);
        T_CHECK(t_valid(whole));
        x = text_of(parts, &a);
        y = text_of(whole, &b);
        T_CHECK(x != NULL && y != NULL && a == b && memcmp(x, y, a) == 0);
        free(x);
        free(y);
        csspgo_profile_free(parts);
        csspgo_profile_free(whole);
    }
}

static void attributes_and_checksums_are_set_apart(void)
{
    csspgo_profile *p = profile_of("f:1:1\n !Attributes: 2\n !CFGChecksum: 5\n", 0);
    writes_as(p, "f:1:1\n !CFGChecksum: 5\n !Attributes: 2\n");
    csspgo_profile_free(p);
    p = profile_of("f:1:1\n !Attributes: 2\n !CFGChecksum: 5\n", 1);
    writes_as(p, "f:1:1\n !CFGChecksum: 5\n");        /* LLVM's checksum line resets them */
    csspgo_profile_free(p);
    p = profile_of("f:1:1\n !Attributes: 2\n !Attributes: 1\n", 0);
    T_CHECK(csspgo_attributes(p, csspgo_find(p, "f")) == 3 && csspgo_profile_flags(p) & CSSPGO_IS_PREINLINED);
    csspgo_profile_free(p);
    p = profile_of("f:1:1\n !Attributes: 2\n !Attributes: 1\n", 1);
    T_CHECK(csspgo_attributes(p, csspgo_find(p, "f")) == 1 && csspgo_profile_flags(p) & CSSPGO_IS_PREINLINED);
    csspgo_profile_free(p);
}

/* Newer LLVM: sorted by name, a space behind each; the last line of a location; once, behind the body's line. */
static void vtable_counts_are_read_and_written(void)
{
    static const char text[] = "foo:9:1\n"
                               " 3: vtables z:1\n"
                               " 2: 7 f:3\n"
                               " 2: vtables  _ZTV1B:2 _ZTV1A with a space:5  \n"
                               " 2: bar:4\n"
                               "  1: vtables q:1\n"
                               " 2: vtables _ZTV1B:10 \n"
                               " 5.1: baz:1\n"
                               "  1: 1\n"
                               " 5.1: bay:1\n"
                               " 5.1: vtables y:0\n"
                               " 9: vtables \n"
                               " 65535: vtables x:18446744073709551615";
    static const char want[] = "foo:9:1\n"
                               " 2: 7 f:3\n"
                               " 2: vtables _ZTV1A with a space:5 _ZTV1B:12 \n"
                               " 2: bar:4\n"
                               "  1: vtables q:1 \n"
                               " 3: vtables z:1 \n"
                               " 5.1: bay:1\n"
                               " 5.1: baz:1\n"
                               "  1: 1\n"
                               " 5.1: vtables y:0 \n"
                               " 65535: vtables x:18446744073709551615 \n";
    csspgo_profile *p = profile_of(text, 0), *q = profile_of(want, 0);
    const csspgo_target *v;
    csspgo_func f;
    size_t n;
    T_CHECK(csspgo_equal(p, q) && csspgo_equal(q, p));
    writes_as(p, want);
    writes_as(q, want);
    v = csspgo_get_vtables(p, csspgo_find(p, "foo"), &n);
    T_EQ(n, 5);
    f = csspgo_func_find(p, "_ZTV1B", 6);
    T_CHECK(n == 5 && v[4].loc.line == 65535 && v[4].count == UINT64_MAX && f.id != 0);
    T_EQ(csspgo_add_profile(p, q, NULL), CSSPGO_OK);        /* counts add up, and saturate */
    T_CHECK(t_valid(p) && !csspgo_equal(p, q));
    v = csspgo_get_vtables(p, csspgo_find(p, "foo"), &n);
    T_CHECK(n == 5 && v[0].loc.line == 2 && v[0].count + v[1].count == 34 && v[4].count == UINT64_MAX);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

/* 2,000 lines, none in order: neither slow nor wrong. */
static void vtable_counts_in_any_order_are_put_in_order(void)
{
    char *text = (char *)malloc(200000), *at = text;
    unsigned i;
    csspgo_profile *p;
    const csspgo_target *v;
    size_t n;
    if (text == NULL) abort();
    at += sprintf(at, "foo:9:1\n");
    for (i = 0; i < 4000; i++) at += sprintf(at, " %u: vtables t%u:%u\n", 2000 - i % 2000, i % 7, i);
    p = profile_of(text, 0);
    v = csspgo_get_vtables(p, csspgo_find(p, "foo"), &n);
    T_EQ(n, 4000);                                    /* 2000 is no multiple of 7 */
    for (i = 1; i < n; i++) T_CHECK(v[i - 1].loc.line <= v[i].loc.line);
    csspgo_profile_free(p);
    at += sprintf(at, " 7: vtables t0:18446744073709551615\n");
    p = t_profile(0);
    {
        csspgo_error e;
        T_EQ(read_str(p, text, &e), CSSPGO_OK);       /* no t0 there yet */
        at += sprintf(at, " 7: 3\n 7: vtables t0:1");
        T_EQ(read_str(p, text, &e), CSSPGO_E_RANGE);
        T_EQ(e.line, 4004);
    }
    csspgo_profile_free(p);
    free(text);
}

/* Newer LLVM's mark of functions without inlinees says what the tree shows; it is written on request. */
static void flat_marks_are_read_and_written(void)
{
    static const char text[] = "foo:3:1\n 1: 1\n 1: bar:2\n !CFGChecksum: 5\nbar:2:1\n 1: 1\n !CFGChecksum: 7\n"
                               " !Attributes: 2\n !Flat\n";
    static const char marked[] = "foo:3:1\n 1: 1\n 1: bar:2\n  !CFGChecksum: 0\n !CFGChecksum: 5\n"
                                 "bar:2:1\n 1: 1\n !CFGChecksum: 7\n !Attributes: 2\n !Flat\n";
    csspgo_profile *p = profile_of(text, 0);
    char *out;
    size_t n;
    csspgo_error e;
    T_EQ(csspgo_attributes(p, csspgo_find(p, "bar")), 2);   /* LLVM's reader sets them to 0 at !Flat */
    T_EQ(csspgo_write(p, CSSPGO_TEXT | CSSPGO_SPLIT, NULL, 0, &n, &e), CSSPGO_OK);
    out = (char *)malloc(n + 1);
    if (out == NULL) abort();
    T_EQ(csspgo_write(p, CSSPGO_TEXT | CSSPGO_SPLIT, out, n, &n, &e), CSSPGO_OK);
    t_same("split", out, n, marked, sizeof marked - 1);
    free(out);
    csspgo_profile_free(p);
    p = profile_of("[a:1 @ b]:1:1\n", 0);
    T_EQ(csspgo_write(p, CSSPGO_TEXT | CSSPGO_SPLIT, NULL, 0, &n, &e), CSSPGO_E_UNSUPPORTED);
    T_EQ(csspgo_write(p, CSSPGO_TEXT | CSSPGO_MD5, NULL, 0, &n, &e), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(p);
}

static void reading_adds_to_what_is_there(void)
{
    csspgo_profile *p = profile_of("f:1:1\n 1: 3 a:1\n !CFGChecksum: 5\ng:9:9\n !CFGChecksum: 6\n", 0);
    csspgo_error e;
    T_EQ(read_str(p, "f:1:1\n 1: 3 b:1\n !CFGChecksum: 5\nh:4:4\n 2: i:3\n  !CFGChecksum: 1\n !CFGChecksum: 7\n", &e),
         CSSPGO_OK);
    writes_as(p, "g:9:9\n !CFGChecksum: 6\nh:4:4\n 2: i:3\n  !CFGChecksum: 1\n !CFGChecksum: 7\n"
                 "f:2:2\n 1: 6 a:1 b:1\n !CFGChecksum: 5\n");
    T_EQ(read_str(p, "[f]:1:1\n !CFGChecksum: 5\n", &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, "contexts") != NULL);
    T_EQ(read_str(p, "f:1:1\n", &e), CSSPGO_E_ARGUMENT);      /* no probes */
    T_CHECK(t_valid(p) && csspgo_record_count(p) == 4);
    csspgo_profile_free(p);
}

static void an_empty_profile_keeps_its_functions_and_flags(void)
{
    static char name[100000];
    unsigned i;
    csspgo_profile *p = t_profile(0);
    const csspgo_func x = csspgo_func_add(p, "x", 1), g = csspgo_func_add(p, "g", 1);
    csspgo_error e;
    csspgo_profile_set_flags(p, CSSPGO_IS_PARTIAL);
    T_EQ(read_str(p, "f:1:1\ng:2:2\n", &e), CSSPGO_OK);
    T_CHECK(csspgo_func_find(p, "x", 1).id == x.id && csspgo_func_find(p, "g", 1).id == g.id &&
            csspgo_func_nodes(p, g).id != 0);
    T_EQ(csspgo_profile_flags(p), CSSPGO_IS_PARTIAL | CSSPGO_HAS_UNIQ);
    csspgo_profile_free(p);
    p = t_profile(0);
    csspgo_profile_set_flags(p, CSSPGO_IS_FS);
    T_EQ(read_str(p, "f:1:1\ng:2:2\n", &e), CSSPGO_OK);
    T_EQ(csspgo_profile_flags(p), CSSPGO_IS_FS | CSSPGO_HAS_UNIQ);
    memset(name, 'n', sizeof name);
    for (i = 0; i < 40; i++) {                                /* the limit of memory is not that of the reading */
        name[0] = (char)('A' + i);
        T_CHECK(csspgo_func_add(p, name, sizeof name).id != 0);
    }
    csspgo_profile_free(p);
}

/* A text with everything in it; cs: with contexts. */
static char *rich(int cs, size_t *size)
{
    size_t a, b;
    char *x = vector("text", cs ? "15-cs-probe" : "11-probe-nested", ".txt", &a);
    char *y = vector("conv", cs ? "15-cs-probe" : "04-unsorted-dups", cs ? ".text" : ".text", &b);
    static const char types[] = "vt:1:1\n 3: vtables a:1 b:2\n 1: vtables b:2 a:1\n 3: vtables c:1\n";
    char *all = (char *)malloc(a + b + sizeof types);
    if (all == NULL || x == NULL || y == NULL) abort();
    memcpy(all, x, a);
    memcpy(all + a, y, b);
    memcpy(all + a + b, types, sizeof types);
    *size = a + b + (cs ? 0 : sizeof types - 1);
    free(x);
    free(y);
    return all;
}

static int same_numbers(const csspgo_profile *a, const csspgo_profile *b)
{
    return csspgo_func_count(a) == csspgo_func_count(b) && csspgo_node_count(a) == csspgo_node_count(b) &&
           csspgo_record_count(a) == csspgo_record_count(b);
}

static void every_prefix_is_read_or_changes_nothing(void)
{
    unsigned kind;
    for (kind = 0; kind < 6; kind++) {
        const uint32_t lenient = kind & 1;
        size_t size, n;
        char *text = kind < 4 ? rich(kind > 1, &size) : vector("text", "09-names", ".txt", &size);
        const char *start = kind < 2   ? "m:3:4\n 1: 5 b:6\n !CFGChecksum: 1\n"
                            : kind < 4 ? "[m:1 @ n]:3:4\n 1: 5 b:6\n !CFGChecksum: 1\n"
                                       : "m:3:4\n 1: 5 b:6\n";
        csspgo_profile *before = profile_of(start, lenient);
        unsigned taken = 0;
        for (n = 0; n <= size; n++) {
            csspgo_profile *p = profile_of(start, lenient);
            csspgo_error e;
            const csspgo_status s = read_exact(p, text, n, &e);
            T_EQ(e.status, s);
            if (s != CSSPGO_OK)
                T_CHECK(e.offset <= n && e.message[0] != '\0' && csspgo_equal(p, before) && same_numbers(p, before));
            taken += s == CSSPGO_OK;
            if (n % 16 == 0) T_CHECK(t_valid(p));
            csspgo_profile_free(p);
        }
        T_CHECK(taken > 10 && taken < size);
        csspgo_profile_free(before);
        free(text);
    }
}

/* ===== memory ===== */

static void reading_survives_every_failed_allocation(void)
{
    unsigned kind;
    for (kind = 0; kind < 4; kind++) {
        const char *start = kind == 0 ? NULL : kind == 1 ? "m:3:4\n 1: 5 b:6\nfoo:1:1\n 1: 3\n 9: 8\n !CFGChecksum: 5\n"
                                                         : "[m:1 @ n]:3:4\n 1: 5 b:6\n !CFGChecksum: 1\n";
        csspgo_profile *before = start != NULL ? profile_of(start, 0) : t_profile(0);
        size_t size;
        char *text = rich(kind > 1, &size);
        csspgo_status s = CSSPGO_E_NOMEM;
        long nth;
        for (nth = 1; s != CSSPGO_OK; nth++) {
            t_heap heap;
            csspgo_options o = t_options(&heap, 0);
            csspgo_profile *p = csspgo_profile_new(&o, NULL);
            csspgo_error e;
            if (p == NULL) abort();
            if (start != NULL) T_EQ(read_str(p, start, NULL), CSSPGO_OK);
            heap.nth = heap.calls + nth;
            s = read_exact(p, text, size, &e);
            T_CHECK(t_valid(p) && e.status == s);
            if (s != CSSPGO_OK) T_CHECK(s == CSSPGO_E_NOMEM && csspgo_equal(p, before) && same_numbers(p, before));
            T_EQ(csspgo_profile_memory(p), heap.live_bytes);
            csspgo_profile_free(p);
            T_EQ(heap.live, 0);
        }
        T_LONG(nth > 15);
        csspgo_profile_free(before);
        free(text);
    }
}

/* csspgo_load is csspgo_profile_new and csspgo_read: the same profile, the same errors, the same memory at the end. */
static void loading_is_making_and_reading(void)
{
    unsigned contexts, cut;
    for (contexts = 0; contexts < 2; contexts++) {
        size_t size;
        char *text = rich(contexts != 0, &size);
        for (cut = 0; cut < 2; cut++) {
            csspgo_profile *want = t_profile(0), *p;
            const csspgo_status s = csspgo_read(want, text, size - cut * 2, NULL);
            csspgo_error e;
            t_heap heap;
            csspgo_options o = t_options(&heap, 0);
            o.limits.max_bytes = 1 << 20;
            p = csspgo_load(text, size - cut * 2, &o, &e);
            T_EQ(e.status, s);
            T_EQ(p != NULL, s == CSSPGO_OK);
            if (p != NULL) T_CHECK(t_valid(p) && csspgo_equal(p, want) && same_numbers(p, want));
            if (p != NULL) T_EQ(csspgo_profile_memory(p), heap.live_bytes);
            if (p != NULL) T_EQ(csspgo_read(p, text, size, &e), CSSPGO_OK);   /* it has the limits that were asked for */
            csspgo_profile_free(p);
            T_EQ(heap.live, 0);
            o.limits.max_bytes = 500;
            T_CHECK(csspgo_load(text, size, &o, &e) == NULL && e.status == CSSPGO_E_LIMIT && heap.live == 0);
            csspgo_profile_free(want);
        }
        free(text);
    }
}

static void loading_survives_every_failed_allocation(void)
{
    size_t size;
    char *text = rich(1, &size);
    csspgo_profile *p = NULL;
    long nth;
    for (nth = 1; p == NULL; nth++) {
        t_heap heap;
        csspgo_options o = t_options(&heap, 0);
        csspgo_error e;
        heap.nth = nth;
        p = csspgo_load(text, size, &o, &e);
        T_EQ(e.status, p != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM);
        csspgo_profile_free(p);
        T_EQ(heap.live, 0);
    }
    T_LONG(nth > 8);
    free(text);
}

static void writing_survives_every_failed_allocation(void)
{
    size_t size, want_size, got;
    char *text = rich(0, &size), *want, *out;
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_profile *p = csspgo_profile_new(&o, NULL), *before = t_profile(0);
    csspgo_status s = CSSPGO_E_NOMEM;
    csspgo_error e;
    long nth;
    if (p == NULL) abort();
    T_EQ(read_exact(p, text, size, &e), CSSPGO_OK);
    T_EQ(read_exact(before, text, size, &e), CSSPGO_OK);
    want = text_of(p, &want_size);
    out = (char *)malloc(want_size);
    if (want == NULL || out == NULL) abort();
    for (nth = 1; s != CSSPGO_OK; nth++) {
        const size_t live = heap.live;
        heap.nth = heap.calls + nth;
        s = csspgo_write(p, CSSPGO_TEXT, out, want_size, &got, &e);
        T_CHECK(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && got == 0 && e.status == s));
        T_CHECK(heap.live == live && csspgo_equal(p, before) && t_valid(p));
    }
    T_LONG(nth > 5);
    T_CHECK(got == want_size && memcmp(out, want, got) == 0);
    heap.nth = 0;
    csspgo_profile_free(p);
    T_EQ(heap.live, 0);
    csspgo_profile_free(before);
    free(text);
    free(want);
    free(out);
}

static void every_short_buffer_is_filled_and_the_size_told(void)
{
    size_t size, want_size, cap;
    char *text = rich(1, &size), *want;
    csspgo_profile *p = t_profile(0);
    csspgo_error e;
    T_EQ(read_exact(p, text, size, &e), CSSPGO_OK);
    want = text_of(p, &want_size);
    for (cap = 0; cap <= want_size + 1; cap++) {
        unsigned char *exact = (unsigned char *)malloc(cap + 1);
        size_t got = 0;
        if (exact == NULL) abort();
        exact[cap] = 0xee;
        T_EQ(csspgo_write(p, CSSPGO_TEXT, exact, cap, &got, &e), cap < want_size ? CSSPGO_E_SHORT : CSSPGO_OK);
        T_CHECK(got == want_size && exact[cap] == 0xee && memcmp(exact, want, cap < want_size ? cap : want_size) == 0);
        free(exact);
    }
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_write(p, 99, NULL, 0, &size, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(size == 0 && strstr(e.message, "99") != NULL);
    csspgo_profile_free(p);
    free(text);
    free(want);
}

static void limits_hold_in_both_modes(void)
{
    unsigned lenient;
    for (lenient = 0; lenient < 2; lenient++) {
        csspgo_options o;
        csspgo_profile *p;
        csspgo_error e;
        memset(&o, 0, sizeof o);
        o.llvm = lenient ? 19 : 0;
        o.limits.max_depth = 3;
        o.limits.max_name = 5;
        p = csspgo_profile_new(&o, NULL);
        if (p == NULL) abort();
        T_EQ(read_str(p, "[a:1 @ b:1 @ c:1 @ d]:1:1\n", &e), CSSPGO_E_LIMIT);
        T_CHECK(e.line == 1 && strstr(e.message, "max_depth") != NULL);
        T_EQ(read_str(p, "f:1:1\n 1: a:1\n  1: b:1\n   1: c:1\n", &e), CSSPGO_E_LIMIT);
        T_CHECK(e.line == 4 && strstr(e.message, "max_depth") != NULL);
        T_EQ(read_str(p, "f:1:1\n 1: 1 abcde:1 abcdef:1\n", &e), CSSPGO_E_LIMIT);
        T_CHECK(e.line == 2 && e.column == 15 && strstr(e.message, "max_name") != NULL);
        T_EQ(csspgo_node_count(p), 0);
        T_EQ(read_str(p, "[a:1 @ b:1 @ c]:1:1\n", &e), CSSPGO_OK);
        csspgo_profile_free(p);
        o.limits.max_bytes = 3640;
        p = csspgo_profile_new(&o, NULL);
        if (p == NULL) abort();
        T_EQ(read_str(p, "f:1:1\n 1: 1\n", &e), CSSPGO_OK);
        T_EQ(read_str(p, "f:1:1\n 1: 1\n 1: 1 a:1 b:1 c:1 d:1\n", &e), CSSPGO_E_LIMIT);
        T_EQ(e.status, CSSPGO_E_LIMIT);
        T_CHECK(csspgo_profile_memory(p) <= 3640 && t_valid(p));
        csspgo_profile_free(p);
    }
}

/* ===== hostile input ===== */

typedef struct grown { char *data; size_t size, cap; } grown;

static char *room_for(grown *g, size_t n)
{
    if (g->size + n > g->cap) {
        g->cap = 2 * g->cap + n;
        g->data = (char *)realloc(g->data, g->cap);
        if (g->data == NULL) abort();
    }
    return g->data + g->size;
}

static void add_line(grown *g, const char *format, unsigned a, unsigned b)
{
    g->size += (size_t)sprintf(room_for(g, 100), format, a, b);
}

/* Reads and writes in reasonable time; memory: at most 16 bytes per byte of input, 128 per node, and 1 MB. */
static csspgo_status hostile(const char *what, const grown *g)
{
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_profile *p = csspgo_profile_new(&o, NULL);
    csspgo_status s;
    csspgo_error e;
    size_t size;
    if (p == NULL) abort();
    s = csspgo_read(p, g->data, g->size, &e);
    T_MSG(heap.peak <= 16 * g->size + 128 * csspgo_node_count(p) + (1u << 20) + 2000, what);
    T_EQ(heap.live_bytes, csspgo_profile_memory(p));
    if (s == CSSPGO_OK) T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, &size, &e), CSSPGO_OK);
    csspgo_profile_free(p);
    T_EQ(heap.live, 0);
    return s;
}

static void hostile_line(grown *g, unsigned kind, unsigned i, unsigned many)
{
    switch (kind) {
    case 0: add_line(g, " %u: 1\n", i * 7919u % many, 0); break;              /* lines out of order */
    case 1: add_line(g, " 1: %u\n", i, 0); break;                            /* always the same one */
    case 2: add_line(g, "f%u:1:1\n", i, 0); break;                           /* many functions */
    case 3: add_line(g, " t%u:1", i * 7919u % many, 0); break;               /* many targets */
    case 4: add_line(g, " t:%u", i, 0); break;                               /* one target, often */
    case 5: add_line(g, "[f:%u @ g%u]:1:1\n", i, i % 7); break;              /* siblings */
    case 6: add_line(g, "g:1:1\n %u: 1\nf:1:1\n %u: 1\n", i, i); break;      /* runs that take turns */
    case 7: add_line(g, "%u: 1:1:1\n 1: 1 x:1:1x:1\n", i, 0); break;         /* many colons */
    case 8: add_line(g, ":1 @ a", 0, 0); break;                              /* one deep context */
    case 9: add_line(g, " 1: a:1\n  2: b:%u\n", i, 0); break;
    case 10: add_line(g, " %u: a%u:1\n", i, i); break;                       /* many inlinees */
    case 11: add_line(g, "%u:1:0\n", i, 0); break;                           /* as dense as it gets */
    case 12:                                                                 /* deep inlinees */
        if (i >= 2000) break;
        memset(room_for(g, i + 1), ' ', i + 1);
        g->size += i + 1;
        add_line(g, "1: a:1\n", 0, 0);
        break;
    }
}

static void hostile_input_costs_little_time_and_memory(void)
{
    const unsigned many = (unsigned)t_size(20000, 60000);
    unsigned kind, i;
    for (kind = 0; kind < 13; kind++) {
        grown g = { NULL, 0, 0 };
        char what[40];
        add_line(&g, kind == 5 ? "[f]:1:1\n" : kind == 8 ? "[a" : "f:1:1\n", 0, 0);
        if (kind == 3 || kind == 4) add_line(&g, " 1: 1", 0, 0);
        for (i = 0; i < many; i++) hostile_line(&g, kind, i, many);
        add_line(&g, kind == 8 ? "]:1:1\n" : "\n", 0, 0);
        sprintf(what, "hostile input %u", kind);
        T_MSG(hostile(what, &g) == (kind == 8 || kind == 12 ? CSSPGO_E_LIMIT : CSSPGO_OK), what);
        free(g.data);
    }
}

/* ===== writing ===== */

static csspgo_node top(csspgo_profile *p, const char *name, size_t size, csspgo_node_kind kind)
{
    const csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), kind, csspgo_func_add(p, name, size));
    csspgo_add_total(p, n, 1);
    return n;
}

/* Puts the name where use says and writes: refused by name, or read back as the same profile. */
static void name_in(int use, const char *name, size_t size, int carried)
{
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    csspgo_node f;
    csspgo_error e;
    char buf[400];
    size_t n;
    csspgo_profile_set_flags(p, CSSPGO_HAS_UNIQ | (use >= 3 ? CSSPGO_IS_CS : 0));
    if (use == 0) {
        top(p, name, size, CSSPGO_PLAIN);
    } else if (use >= 3) {
        f = top(p, use == 3 ? name : "f", use == 3 ? size : 1, CSSPGO_CONTEXT);
        csspgo_add_total(p, csspgo_node_add(p, f, csspgo_loc_at(5, 0), CSSPGO_CONTEXT,
                                            use == 3 ? csspgo_func_add(p, "g", 1) : csspgo_func_add(p, name, size)), 1);
    } else {
        f = top(p, "f", 1, CSSPGO_PLAIN);
        if (use == 1) csspgo_add_target(p, f, csspgo_loc_at(1, 0), csspgo_func_add(p, name, size), 3);
        else if (use < 0) csspgo_add_vtable(p, f, csspgo_loc_at(1, 0), csspgo_func_add(p, name, size), 3);
        else
            csspgo_add_total(p, csspgo_node_add(p, f, csspgo_loc_at(1, 0), CSSPGO_INLINEE, csspgo_func_add(p, name,
                                                                                                           size)),
                             3);
    }
    if (carried) {
        T_MSG(csspgo_write(p, CSSPGO_TEXT, buf, sizeof buf, &n, &e) == CSSPGO_OK, name);
        T_MSG(csspgo_read(q, buf, n, &e) == CSSPGO_OK && csspgo_equal(p, q), name);
    } else {
        T_MSG(csspgo_write(p, CSSPGO_TEXT, buf, sizeof buf, &n, &e) == CSSPGO_E_UNSUPPORTED && n == 0, name);
        T_MSG(size == 0 || strstr(e.message, "text cannot carry this ") != NULL, name);
    }
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void names_that_text_cannot_carry_are_refused(void)
{
    /* as: function, target, inlinee, caller, leaf */
    static const struct { const char *name; size_t size; const char *carried;
    } x[] = { { "foo", 3, "yyyyy" },       { "", 0, "nnnnn" },
              { "a\nb", 3, "nnnnn" },      { "a\0b", 3, "nnnnn" },
              { "#a", 2, "nyyyy" },        { " a", 2, "nnyyy" },
              { "[a", 2, "nyyyy" },        { "]", 1, "yyyyy" },
              { "7", 1, "yynyy" },         { "7a", 2, "yynyy" },
              { "a b", 3, "yyyyy" },       { "a:b", 3, "yyynn" },
              { "a::b", 4, "yyynn" },      { "a:3", 3, "yyynn" },
              { "a:3 b", 5, "ynynn" },     { "a:3x b", 6, "yyynn" },
              { ":a", 2, "ynynn" },        { "a:", 2, "yyynn" },
              { "a @ b", 5, "yyynn" },     { "@", 1, "yyyyy" },
              { "a @", 3, "yyyyy" },       { "@ a", 3, "yyyyy" },
              { "!a", 2, "yyyyy" },        { "!Flat", 5, "yyyyy" },
              { "vtables x", 9, "yynyy" }, { "vtables", 7, "yyyyy" },
              { "a\r", 2, "yyyyy" },       { "\r", 1, "yyyyy" },
              { "\xff\x80", 2, "yyyyy" },  { "a:18446744073709551616 b", 24, "yyynn" },
              { "a:1  b", 6, "ynynn" },    { "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53", 9, "nyyyy" } };
    size_t i;
    int use;
    for (i = 0; i < sizeof x / sizeof x[0]; i++) {
        for (use = 0; use < 5; use++) name_in(use, x[i].name, x[i].size, x[i].carried[use] == 'y');
        name_in(-1, x[i].name, x[i].size,
                x[i].carried[3] == 'y' ? x[i].name[0] != ' ' : strcmp(x[i].name, "a @ b") == 0);
    }
}

static void a_lenient_profile_is_written_whatever_it_holds(void)
{
    csspgo_profile *p = t_profile(1);
    const csspgo_node f = top(p, "", 0, CSSPGO_PLAIN);
    csspgo_add_target(p, f, csspgo_loc_at(70000, 0), csspgo_func_add(p, "a:1 b", 5), 2);
    csspgo_add_total(p, csspgo_node_add(p, f, csspgo_loc_at(1, 0), CSSPGO_INLINEE, csspgo_func_add_guid(p, 12)), 3);
    writes_as(p, ":1:0\n 70000: 0 a:1 b:2\n 1: 12:3\n");
    csspgo_profile_free(p);
}

static void guids_are_written_in_decimal(void)
{
    csspgo_profile *p = t_profile(0);
    csspgo_node f =
        csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, csspgo_func_add_guid(p, UINT64_MAX));
    csspgo_error e;
    csspgo_add_target(p, f, csspgo_loc_at(1, 0), csspgo_func_add(p, "!", 1), 5);
    csspgo_add_target(p, f, csspgo_loc_at(1, 0), csspgo_func_add_guid(p, 9),
                      5); /* equal counts: numbers before names */
    csspgo_add_target(p, f, csspgo_loc_at(1, 0), csspgo_func_add_guid(p, 10), 5);
    writes_as(p, "18446744073709551615:0:0\n 1: 0 9:5 10:5 !:5\n");
    csspgo_add_total(p, csspgo_node_add(p, f, csspgo_loc_at(1, 0), CSSPGO_INLINEE, csspgo_func_add_guid(p, 77)), 5);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);  /* it would read back as a count */
    T_CHECK(strstr(e.message, "inlinee: 77") != NULL);
    csspgo_profile_free(p);
}

static void kinds_that_text_cannot_tell_apart_are_refused(void)
{
    csspgo_profile *p = t_profile(0);
    csspgo_error e;
    const csspgo_node f = top(p, "f", 1, CSSPGO_CONTEXT);
    T_CHECK(writes_as(p, "[f]:1:0\n"));               /* brackets even without the flag */
    csspgo_add_total(p, csspgo_node_add(p, f, csspgo_loc_at(1, 0), CSSPGO_INLINEE, csspgo_func_add(p, "in", 2)), 3);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(strstr(e.message, "'in'") != NULL);
    csspgo_profile_free(p);
    p = t_profile(0);
    top(p, "f", 1, CSSPGO_CONTEXT);
    top(p, "g", 1, CSSPGO_PLAIN);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, NULL, &e), CSSPGO_E_UNSUPPORTED);
    T_CHECK(strstr(e.message, "'g'") != NULL);
    csspgo_profile_free(p);
}

static void frames_without_record_are_not_written(void)
{
    csspgo_profile *p = t_profile(0);
    csspgo_node f = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, csspgo_func_add(p, "f", 1));
    writes_as(p, "");
    csspgo_add_total(p, f, 0);
    f = csspgo_node_add(p, f, csspgo_loc_at(1, 0), CSSPGO_INLINEE, csspgo_func_add(p, "g", 1));
    writes_as(p, "f:0:0\n");
    f = csspgo_node_add(p, f, csspgo_loc_at(2, 0), CSSPGO_INLINEE, csspgo_func_add(p, "h", 1));
    csspgo_add_body(p, f, csspgo_loc_at(3, 0), 4);
    writes_as(p, "f:0:0\n 1: g:0\n  2: h:0\n   3: 4\n");
    csspgo_profile_free(p);
}

static void deep_indentation_is_written(void)
{
    grown g = { NULL, 0, 0 };
    unsigned i;
    csspgo_profile *p;
    add_line(&g, "f:1:1\n", 0, 0);
    for (i = 1; i <= 100; i++) {
        char *at = room_for(&g, i + 20);
        memset(at, ' ', i);
        g.size += i + (size_t)sprintf(at + i, "1: a:1\n");
    }
    *room_for(&g, 1) = '\0';
    p = profile_of(g.data, 0);
    writes_as(p, g.data);
    csspgo_profile_free(p);
    free(g.data);
}

/* ===== files ===== */

#ifndef CSSPGO_NO_STDIO
static void files_are_read_and_written(void)
{
    const char *path = T_DIR "/test_format.tmp";
    size_t size, want_size;
    char *want = vector("conv", "15-cs-probe", ".text", &want_size), *got;
    grown g = { NULL, 0, 0 };
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_profile *p = csspgo_profile_new(&o, NULL), *q;
    csspgo_error e;
    unsigned i;
    if (p == NULL) abort();
    T_EQ(csspgo_read_file(p, "data/formats/text/15-cs-probe.txt", &e), CSSPGO_OK);
    T_EQ(csspgo_profile_memory(p), heap.live_bytes);
    T_EQ(csspgo_write_file(p, path, CSSPGO_TEXT, &e), CSSPGO_OK);
    got = t_file(path, &size);
    t_same("written file", got, size, want, want_size);
    free(got);
    q = csspgo_load_file(path, NULL, &e);
    T_CHECK(q != NULL && csspgo_equal(p, q));
    csspgo_profile_free(q);
    T_EQ(csspgo_read_file(p, path, &e), CSSPGO_OK);   /* added */
    T_EQ(csspgo_profile_memory(p), heap.live_bytes);
    T_EQ(csspgo_read_file(p, "build/no such file", &e), CSSPGO_E_IO);
    T_CHECK(strstr(e.message, "no such file") != NULL);
    T_CHECK(csspgo_load_file("build/no such file", NULL, &e) == NULL && e.status == CSSPGO_E_IO);
    T_EQ(csspgo_write_file(p, "build/no such folder/x", CSSPGO_TEXT, &e), CSSPGO_E_IO);
    T_CHECK(strstr(e.message, "no such folder") != NULL);
    T_EQ(csspgo_write_file(p, path, 99, &e), CSSPGO_E_ARGUMENT);
    csspgo_profile_free(p);
    T_EQ(heap.live, 0);
    for (i = 0; i < 9000; i++)
        add_line(&g, "a_function_with_a_name_%05u:1:1\n 1: %u\n", i, i); /* more than the buffer */
    p = t_profile(0);
    T_EQ(csspgo_read(p, g.data, g.size, &e), CSSPGO_OK);
    T_EQ(csspgo_write_file(p, path, CSSPGO_TEXT, &e), CSSPGO_OK);
    got = t_file(path, &size);
    t_same("large file", got, size, g.data, g.size);
    free(got);
    csspgo_profile_free(p);
    {
        FILE *full = fopen("/dev/full", "wb");        /* a disk without space, where there is one */
        if (full != NULL) {
            fclose(full);
            p = profile_of("f:1:1\n", 0);
            T_EQ(csspgo_write_file(p, "/dev/full", CSSPGO_TEXT, &e), CSSPGO_E_IO);
            csspgo_profile_free(p);
        }
    }
    remove(path);
    free(g.data);
    free(want);
}

static void files_survive_every_failed_allocation(void)
{
    csspgo_status s = CSSPGO_E_NOMEM, w = CSSPGO_E_NOMEM;
    long nth;
    for (nth = 1; s != CSSPGO_OK || w != CSSPGO_OK; nth++) {
        t_heap heap;
        csspgo_options o = t_options(&heap, 0);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        if (p == NULL) abort();
        heap.nth = heap.calls + nth;
        s = csspgo_read_file(p, "data/formats/text/11-probe-nested.txt", NULL);
        heap.nth = 0;
        if (s != CSSPGO_OK)
            T_CHECK(csspgo_node_count(p) == 0 &&
                    csspgo_read_file(p, "data/formats/text/11-probe-nested.txt", NULL) == CSSPGO_OK);
        heap.nth = heap.calls + nth;
        w = csspgo_write_file(p, T_DIR "/test_format.tmp", CSSPGO_TEXT, NULL);
        T_CHECK((s == CSSPGO_OK || s == CSSPGO_E_NOMEM) && (w == CSSPGO_OK || w == CSSPGO_E_NOMEM));
        csspgo_profile_free(p);
        T_EQ(heap.live, 0);
    }
    remove(T_DIR "/test_format.tmp");
}
#endif

int main(void)
{
    every_source_profile_becomes_its_canonical_text();
    damaged_profiles_are_rejected_at_the_line_that_llvm_names();
    quirks_are_taken_as_llvm_takes_them_or_rejected();
    errors_point_at_the_offending_byte();
    messages_quote_what_is_wrong();
    other_formats_are_not_text();
    late_overflows_have_a_line_too();
    nul_bytes_and_carriage_returns();
    a_text_becomes_the_tree_it_stands_for();
    any_checksum_makes_a_probe_profile();
    a_record_without_counts_is_not_a_link_frame();
    what_stands_twice_is_added_up();
    long_lines_are_read_whole();
    lines_are_read_alike_wherever_the_text_ends();
    inlinees_in_any_order_are_found_again();
    attributes_and_checksums_are_set_apart();
    vtable_counts_are_read_and_written();
    vtable_counts_in_any_order_are_put_in_order();
    flat_marks_are_read_and_written();
    reading_adds_to_what_is_there();
    an_empty_profile_keeps_its_functions_and_flags();
    every_prefix_is_read_or_changes_nothing();
    T_FAILING(reading_survives_every_failed_allocation());
    loading_is_making_and_reading();
    T_FAILING(loading_survives_every_failed_allocation());
    T_FAILING(writing_survives_every_failed_allocation());
    every_short_buffer_is_filled_and_the_size_told();
    limits_hold_in_both_modes();
    hostile_input_costs_little_time_and_memory();
    names_that_text_cannot_carry_are_refused();
    a_lenient_profile_is_written_whatever_it_holds();
    guids_are_written_in_decimal();
    kinds_that_text_cannot_tell_apart_are_refused();
    frames_without_record_are_not_written();
    deep_indentation_is_written();
#ifndef CSSPGO_NO_STDIO
    files_are_read_and_written();
    T_FAILING(files_survive_every_failed_allocation());
#endif
    return t_end();
}
