/* oracle_text.c - random text profiles, whole and damaged, to compare our reading and writing with llvm-profdata's.
 *
 *     oracle_text generate DIR SEED COUNT      writes DIR/0.in to DIR/<COUNT-1>.in; every odd one is damaged
 *     oracle_text compare DIR COUNT            DIR/N.out, DIR/N.status: what `merge --sample --text` made of DIR/N.in
 *
 * Lenient reading must take what the tool takes, and write the same bytes. So must strict reading, if it takes it.
 */
#include "t.h"
#include "text.h"

/* ----- whole profiles ----- */

static unsigned long long some_count(void)
{
    const unsigned kind = rnd(1000);
    if (kind == 0) return UINT64_MAX - rnd(3);        /* seldom: a second one at the same place overflows */
    if (kind < 100) return (UINT64_C(1) << rnd(60)) + rnd(2);
    if (kind < 200) return rnd(2000000000);
    return rnd(6);                                    /* many equal ones: the order shows */
}

/* Names in many shapes; the pool is small, so that they meet. cs: fit for a frame. */
static void put_name(text *t, unsigned pool, int cs)
{
    static const char *const plain[] = {
        "main", "foo", "bar", "_Z3fooi", "_ZN2ns3barEv.__uniq.123", "a.llvm.77", "f.cold", "x", "12", "7zip",
        "f\xc3\xbc", "a b", "@", "a @b", "]", "?x@@YAXXZ", "<lambda>(int)", "-", "!m", ".", "a\tb", "a\rb", "f[0]",
        "\x7f", "vtables", "operator()"
    };
    static const char *const odd[] = {
        "ns::f", "std::map<int, int>::at(int)", "a:b", "a:1", "x:12 y", "a::b c:d", "f:", "a: b", "vtables q", "f @ g",
        "#x", "8:9", "a:18446744073709551616 b"
    };
    const unsigned np = sizeof plain / sizeof plain[0], no = sizeof odd / sizeof odd[0];
    char name[40];
    unsigned k = rnd(pool);
    if (k < np) {
        put_str(t, plain[k]);
    } else if (k < np + no && !cs) {
        put_str(t, odd[k - np]);
    } else {
        sprintf(name, "_ZN%un%uE", k % 10, k);
        put_str(t, name);
    }
}

static void put_loc(text *t, int probe)
{
    put_number(t, rnd(20) == 0 ? 65535 - rnd(3) : rnd(probe ? 9 : 30));
    if (probe || rnd(3)) return;
    put_str(t, ".");
    put_number(t, rnd(10) == 0 ? UINT32_MAX : rnd(5));
}

static void put_line_end(text *t)
{
    put_str(t, rnd(50) == 0 ? "\r\n" : "\n");
    if (rnd(60) == 0) put_str(t, "\n");
    if (rnd(60) == 0) put_str(t, "# comment: 1\n");
    if (rnd(60) == 0) put_str(t, "   \n");
    if (rnd(60) == 0) put_str(t, "  # 1: 2\n");
}

static void put_indent(text *t, unsigned depth)
{
    while (depth-- != 0) put_str(t, " ");
}

static void put_bodies(text *t, unsigned depth, unsigned pool, int probe)
{
    unsigned n = rnd(rnd(8) == 0 ? 120 : 6), k;       /* now and then more than what is kept sorted at once */
    while (n-- != 0) {
        put_indent(t, depth);
        put_loc(t, probe);
        put_str(t, ": ");
        put_number(t, some_count());
        for (k = rnd(3) != 0 ? 0 : rnd(5); k != 0; k--) {
            put_str(t, rnd(20) == 0 ? "  " : " ");
            put_name(t, pool, 0);
            put_str(t, ":");
            put_number(t, some_count());
        }
        put_line_end(t);
    }
}

static void put_meta(text *t, unsigned depth, int probe)
{
    if (probe && rnd(12) != 0) {
        put_indent(t, depth);
        put_str(t, "!CFGChecksum: ");
        put_number(t, rnd(4) == 0 ? UINT64_MAX : 100 + rnd(3));
        put_line_end(t);
    }
    if (rnd(4) == 0) {
        put_indent(t, depth);
        put_str(t, "!Attributes: ");
        put_number(t, rnd(5) == 0 ? UINT32_MAX : rnd(8));
        put_line_end(t);
    }
}

static void put_inlinees(text *t, unsigned depth, unsigned pool, int probe)
{
    unsigned n = depth < 6 ? rnd(3) : 0;
    size_t start;
    while (n-- != 0) {
        put_indent(t, depth);
        put_loc(t, probe);
        put_str(t, ": ");
        start = t->size;
        put_name(t, pool, 0);
        if (t->data[start] >= '0' && t->data[start] <= '9') t->data[start] = 'n';   /* else it is a count */
        put_str(t, ":");
        put_number(t, some_count());
        put_line_end(t);
        put_bodies(t, depth + 1, pool, probe);
        put_inlinees(t, depth + 1, pool, probe);
        if (rnd(4)) put_meta(t, depth + 1, probe);
    }
}

static void make_profile(text *t)
{
    const int cs = rnd(2) != 0, probe = rnd(2) != 0;
    const unsigned pool = 1 + rnd(60), records = 1 + rnd(12);
    unsigned i, depth;
    if (rnd(20) == 0) put_str(t, "# a comment first\r\n\n");
    for (i = 0; i < records; i++) {
        if (cs) {
            put_str(t, "[");
            for (depth = rnd(rnd(10) == 0 ? 20 : 4); depth != 0; depth--) {
                put_name(t, pool, 1);
                put_str(t, ":");
                put_loc(t, probe);
                put_str(t, " @ ");
            }
            put_name(t, pool, 1);
            put_str(t, "]:");
        } else {
            put_name(t, pool, 0);
            put_str(t, ":");
        }
        put_number(t, some_count());
        put_str(t, ":");
        put_number(t, some_count());
        put_line_end(t);
        put_bodies(t, 1, pool, probe);
        if (!cs) put_inlinees(t, 1, pool, probe);
        put_meta(t, 1, probe);
    }
    if (rnd(10) == 0) t->size--;                      /* no line end */
}

/* ----- damage ----- */

static void replace(text *t, size_t at, size_t old, const char *with, size_t n)
{
    text r = { NULL, 0, 0 };
    put(&r, t->data, at);
    put(&r, with, n);
    put(&r, t->data + at + old, t->size - at - old);
    free(t->data);
    *t = r;
}

static size_t line_start(const text *t, size_t at)
{
    while (at > 0 && t->data[at - 1] != '\n') at--;
    return at;
}

static size_t line_stop(const text *t, size_t at)
{
    while (at < t->size && t->data[at] != '\n') at++;
    return at < t->size ? at + 1 : at;
}

static void damage(text *t)
{
    static const char *const pieces[] = {
        ":", " ", "  ", ": ", " @ ", "[", "]", ".", "!", "#", "\r", "\n", "\n\n", "0", "7", "-", "+", "x", "65536",
        "65535", "4294967296", "2147483648", "-2147483648", "!CFGChecksum: 5", "!Attributes: 3", "!Attributes:\t3 ",
        "!Flat", "\t", ":3]", " 1: 2\n", "  1: 2\n", " 3: in:4\n", "18446744073709551615", "18446744073709551616",
        " a:1", " a:1:2", "vtables "
    };
    size_t at = rnd((unsigned)t->size + 1), from, to;
    if (at == t->size) at--;
    from = line_start(t, at);
    to = line_stop(t, at);
    switch (rnd(9)) {
    case 0: replace(t, at, 1, "", 0); break;
    case 1: replace(t, at, 1 + rnd((unsigned)(to - at)), "", 0); break;                  /* up to the end of the line */
    case 2:
    case 3:
    case 4: {
        const char *piece = pieces[rnd(sizeof pieces / sizeof pieces[0])];
        replace(t, at, rnd(2), piece, strlen(piece));
        break;
    }
    case 5: replace(t, from, to - from, "", 0); break;                                   /* a line less */
    case 6: {                                                                            /* a line twice */
        char *line = (char *)malloc(to - from + 1);
        if (line == NULL) abort();
        memcpy(line, t->data + from, to - from);
        replace(t, rnd(2) ? from : line_start(t, rnd((unsigned)t->size)), 0, line, to - from);
        free(line);
        break;
    }
    case 7: replace(t, from, 0, "   ", rnd(3)); break;                                   /* indented more */
    case 8: {
        char c = (char)rnd(256);
        if (rnd(8) == 0) t->size = at;                                                   /* cut short */
        else replace(t, at, 1, &c, 1);
        break;
    }
    }
}

/* ----- files ----- */

static void write_file(const char *dir, unsigned n, const char *suffix, const text *t)
{
    char path[400];
    FILE *f;
    sprintf(path, "%.300s/%u.%s", dir, n, suffix);
    f = fopen(path, "wb");
    if (f == NULL || (t->size != 0 && fwrite(t->data, 1, t->size, f) != t->size) || fclose(f) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(2);
    }
}

static char *read_file(const char *dir, unsigned n, const char *suffix, size_t *size)
{
    char path[400];
    sprintf(path, "%.300s/%u.%s", dir, n, suffix);
    return t_file(path, size);
}

static void generate(const char *dir, unsigned count)
{
    unsigned i, k;
    for (i = 0; i < count; i++) {
        text t = { NULL, 0, 0 };
        make_profile(&t);
        for (k = i % 2 ? 1 + rnd(rnd(4) == 0 ? 12 : 2) : 0; k != 0 && t.size > 1; k--) damage(&t);
        write_file(dir, i, "in", &t);
        free(t.data);
    }
}

/* The input as we write it, for free(); NULL if it is not read. */
static char *ours(const char *in, size_t in_size, uint32_t lenient, size_t *size, csspgo_error *err)
{
    unsigned char *exact = t_copy(in, in_size);
    csspgo_options o;
    csspgo_profile *p;
    char *out = NULL;
    memset(&o, 0, sizeof o);
    o.llvm = lenient ? 19 : 0;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    if (csspgo_read(p, exact, in_size, err) == CSSPGO_OK) {
        T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
        T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, err), CSSPGO_OK);
        out = (char *)malloc(*size + 1);
        if (out == NULL) abort();
        T_EQ(csspgo_write(p, CSSPGO_TEXT, out, *size, size, err), CSSPGO_OK);
    }
    csspgo_profile_free(p);
    free(exact);
    return out;
}

/* 1 if strict reading means to differ: it drops a location behind a leaf. */
static int has_leaf_location(const char *in, size_t size)
{
    size_t i;
    for (i = 1; i < size; i++)
        if (in[i] == ']' && in[i - 1] >= '0' && in[i - 1] <= '9') return 1;
    return 0;
}

/* Drops the attributes: strict reading keeps those of all lines, LLVM those of the last one. Returns the size. */
static size_t without_attributes(char *out, size_t size)
{
    size_t i, k = 0, end, p;
    for (i = 0; i < size; i = end) {
        for (end = i; end < size && out[end] != '\n'; end++) {}
        end += end < size;
        for (p = i; p < end && out[p] == ' '; p++) {}
        if (end - p > 12 && memcmp(out + p, "!Attributes:", 12) == 0) continue;
        memmove(out + k, out + i, end - i);
        k += end - i;
    }
    return k;
}

static void compare(const char *dir, unsigned count)
{
    unsigned i, taken = 0, strictly = 0;
    for (i = 0; i < count; i++) {
        size_t in_size, out_size, status_size, size;
        char *in = read_file(dir, i, "in", &in_size), *out = read_file(dir, i, "out", &out_size);
        char *status = read_file(dir, i, "status", &status_size), *got, what[64];
        csspgo_error err;
        int accepted;
        if (in == NULL || out == NULL || status == NULL) exit(2);
        accepted = atoi(status) == 0;
        taken += accepted != 0;
        got = ours(in, in_size, 1, &size, &err);
        sprintf(what, "%u.in, lenient", i);
        if (!T_MSG((got != NULL) == accepted, what))
            fprintf(stderr, "    we %s: line %lu: %s\n", accepted ? "reject" : "accept", (unsigned long)err.line,
                    err.message);
        if (got != NULL && accepted) t_same(what, got, size, out, out_size);
        free(got);
        got = ours(in, in_size, 0, &size, &err);
        sprintf(what, "%u.in, strict", i);
        T_MSG(got == NULL || accepted, what);
        if (got != NULL && accepted && !has_leaf_location(in, in_size)) {
            if (size != out_size || memcmp(got, out, size) != 0) {
                size = without_attributes(got, size);
                out_size = without_attributes(out, out_size);
            }
            t_same(what, got, size, out, out_size);
        }
        if (got != NULL) strictly++;
        free(got);
        free(in);
        free(out);
        free(status);
    }
    T_MSG(taken > count / 3 && taken < count && strictly > count / 4, "the generator makes enough of both kinds");
    fprintf(stderr, "%u texts: the tool takes %u, strict reading %u\n", count, taken, strictly);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "generate") == 0) {
        rng_state = strtoull(argv[3], NULL, 10) * 2 + 1;
        generate(argv[2], (unsigned)atoi(argv[4]));
        return 0;
    }
    if (argc != 4 || strcmp(argv[1], "compare") != 0) return 2;
    compare(argv[2], (unsigned)atoi(argv[3]));
    return t_end();
}
