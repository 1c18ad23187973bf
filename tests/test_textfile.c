/* test_textfile.c - text profiles out of files: a window of some bytes goes over the file, and nobody can tell */
#define CSSPGO__WINDOW 48u
#define CSSPGO__SURVEY 64u    /* what is read after 1/16 of 64 bytes or more foretells the rest */
#include "t.h"

#define FILE_NAME "build/test_textfile.in"

static int put(const void *data, size_t size)
{
    FILE *f = fopen(FILE_NAME, "wb");
    const int ok = f != NULL && fwrite(data, 1, size, f) == size;
    return (f == NULL || fclose(f) == 0) && ok;
}

static int same_error(const csspgo_error *a, const csspgo_error *b)
{
    return a->status == b->status && a->line == b->line && a->column == b->column && a->offset == b->offset &&
           strcmp(a->message, b->message) == 0;
}

/* From memory and from a file: the same profile, or the same error at the same place. */
static void same(const char *data, size_t size, const char *what)
{
    uint32_t lenient;
    T_MSG(put(data, size), what);
    for (lenient = 0; lenient < 2; lenient++) {
        csspgo_options o;
        csspgo_profile *p, *q;
        csspgo_error a, b;
        memset(&o, 0, sizeof o);
        o.llvm = lenient ? 19 : 0;
        p = csspgo_profile_new(&o, NULL);
        q = csspgo_profile_new(&o, NULL);
        csspgo_read(p, data, size, &a);
        csspgo_read_file(q, FILE_NAME, &b);
        T_MSG(same_error(&a, &b), what);
        T_MSG(csspgo_equal(p, q) && csspgo_profile_flags(p) == csspgo_profile_flags(q), what);
        T_EQ(csspgo_validate(q, &b), CSSPGO_OK);
        csspgo_profile_free(p);
        csspgo_profile_free(q);
    }
}

static const char *const files[] = {
    "data/formats/text/02-basic.txt", "data/formats/text/03-nested-deep.txt", "data/formats/text/04-unsorted-dups.txt",
    "data/formats/text/05-crlf.txt", "data/formats/text/08-huge.txt", "data/formats/text/09-names.txt",
    "data/formats/text/11-probe-nested.txt", "data/formats/text/15-cs-probe.txt"
};

/* Every file as it is, without its end, and with a byte changed, put in or taken out at every place. */
static void a_file_reads_as_its_bytes(void)
{
    static const char bytes[] = { '\n', '\r', '\0', ':', ' ', '[', '9' };
    size_t i, n, k, size;
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = t_file(files[i], &size), *changed = (char *)malloc(size + 1);
        if (text == NULL || changed == NULL) abort();
        same(text, size, files[i]);
        for (n = i % 3; n < size; n += 3) {           /* a third of the places: the others come with the other files */
            same(text, n, files[i]);
            k = n % sizeof bytes;
            memcpy(changed, text, size);
            changed[n] = bytes[k];
            same(changed, size, files[i]);
            memcpy(changed + n + 1, text + n, size - n);
            same(changed, size + 1, files[i]);
        }
        free(text);
        free(changed);
    }
}

static void a_line_may_be_longer_than_the_window(void)
{
    static char text[40000];
    size_t n, k;
    for (n = 1; n < 2000; n += n / 3 + 1) {
        memset(text, 'x', n);
        k = n + (size_t)sprintf(text + n, ":7:1\n 1: 7\n 2: 5 ");
        memset(text + k, 'y', n);
        k += n;
        k += (size_t)sprintf(text + k, ":5\n");
        same(text, k, "long names");
        same(text, k - 1, "long names, no LF at the end");
        text[k - 2] = 'z';
        same(text, k, "an error behind them");
    }
}

/* A sum that overflows is found in a second look at the file. */
static void an_overflow_has_its_line(void)
{
    const char *text = "a:1:1\n 1: 18446744073709551615\nb:1:1\n 1: 1\na:1:1\n 2: 1\n 1: 1\n";
    same(text, strlen(text), "overflow");
}

static void every_allocation_may_fail(void)
{
    size_t size;
    char *text = t_file(files[1], &size);
    long nth;
    csspgo_status s = CSSPGO_E_NOMEM;
    T_CHECK(text != NULL && put(text, size));
    for (nth = 1; s != CSSPGO_OK && nth < 10000; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, 0);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_error e;
        if (p == NULL) abort();
        h.nth = h.calls + nth;
        s = csspgo_read_file(p, FILE_NAME, &e);
        T_CHECK(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && csspgo_node_count(p) == 0));
        csspgo_profile_free(p);
        T_EQ(h.live, 0);
    }
    T_EQ(s, CSSPGO_OK);
    T_CHECK(nth > 3);
    free(text);
}

/* The file itself is not in memory. */
static void memory_follows_the_profile(void)
{
    static const char line[] = "# nothing but a comment in this line, and so in all of the others\n";
    FILE *f = fopen(FILE_NAME, "wb");
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_profile *p = csspgo_profile_new(&o, NULL);
    int i;
    if (f == NULL || p == NULL) abort();
    fputs("main:5:1\n 1: 5\n", f);
    for (i = 0; i < 20000; i++) fputs(line, f);
    T_EQ(fclose(f), 0);
    h.peak = 0;
    T_EQ(csspgo_read_file(p, FILE_NAME, NULL), CSSPGO_OK);
    T_EQ(csspgo_record_count(p), 1);
    T_CHECK(h.peak < 100000);
    csspgo_profile_free(p);
}

int main(void)
{
    a_file_reads_as_its_bytes();
    a_line_may_be_longer_than_the_window();
    an_overflow_has_its_line();
    every_allocation_may_fail();
    memory_follows_the_profile();
    remove(FILE_NAME);
    return t_end();
}
