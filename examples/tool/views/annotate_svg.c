/* annotate_svg.c - annotate: the text as a picture, the more often a line ran the redder */
#include "views.h"

enum {
    SVG_LINE = 17, SVG_FONT = 13, SVG_PAD = 8,     /* px                                      */
    SVG_COLUMN = 13,                               /* the first column of counts: its width   */
    SVG_MOST = 1 << 16                             /* lines of a picture                      */
};

typedef struct svg_line { const char *text; size_t size, columns; uint64_t count; } svg_line;

/* The count in the first column of a row of the table; 0: none is known. */
static uint64_t svg_count_of(const char *text, size_t size)
{
    size_t i;
    if (size <= SVG_COLUMN || text[SVG_COLUMN] != ' ') return 0;
    for (i = 0; i < SVG_COLUMN && text[i] == ' '; i++) {}
    if (i == SVG_COLUMN || strspn(text + i, "0123456789") != SVG_COLUMN - i) return 0;
    return strtoull(text + i, NULL, 10);
}

/* The lines of a text, for free(). NULL: no memory. */
static svg_line *svg_lines(const char *text, size_t size, size_t *count)
{
    const char *const end = text + size;
    svg_line *v;
    size_t n = 1, i;
    for (i = 0; i < size; i++) n += text[i] == '\n';
    v = (svg_line *)calloc(n, sizeof *v);
    for (*count = 0; v != NULL && text < end; (*count)++) {
        svg_line *const l = &v[*count];
        const char *const stop = (const char *)memchr(text, '\n', (size_t)(end - text));
        l->text = text;
        l->size = (size_t)((stop != NULL ? stop : end) - text);
        for (i = 0; i < l->size; i++) l->columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        l->count = svg_count_of(l->text, l->size);
        text += l->size + 1;
    }
    return v;
}

static void svg_put(const svg_line *v, size_t n, FILE *out)
{
    uint64_t most = 0;
    size_t columns = 0, i, width, height = n * SVG_LINE + 2 * SVG_PAD;
    for (i = 0; i < n; i++) {
        if (v[i].count > most) most = v[i].count;
        if (v[i].columns > columns) columns = v[i].columns;
    }
    width = columns * SVG_FONT * 61 / 100 + 2 * SVG_PAD;             /* of fixed-width fonts */
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" width=\"%zu\" height=\"%zu\">\n"
            "<style>text{font:%upx ui-monospace,Menlo,Consolas,monospace;white-space:pre;fill:#222}"
            "rect{fill:#e5533d}.p{fill:#fff}"
            "@media (prefers-color-scheme:dark){text{fill:#ddd}.p{fill:#16181c}}</style>\n"
            "<rect class=\"p\" width=\"100%%\" height=\"100%%\"/>\n", width, height, width, height, (unsigned)SVG_FONT);
    for (i = 0; i < n; i++) {
        const size_t y = SVG_PAD + i * SVG_LINE;
        if (v[i].count != 0)
            fprintf(out, "<rect y=\"%zu\" width=\"%zu\" height=\"%u\" fill-opacity=\".%02u\"/>\n", y, width,
                    (unsigned)SVG_LINE, (unsigned)(5 + 60 * ((double)v[i].count / (double)most)));
        if (v[i].size == 0) continue;
        fprintf(out, "<text x=\"%u\" y=\"%zu\" xml:space=\"preserve\">", (unsigned)SVG_PAD, y + SVG_FONT);
        put_html(v[i].text, v[i].size, out);
        fputs("</text>\n", out);
    }
    fputs("</svg>\n", out);
}

int note_svg(const annotate_run *a, const char *text, size_t size, FILE *out)
{
    size_t n;
    svg_line *const v = svg_lines(text, size, &n);
    if (v == NULL) return fail(a->in.tool, "out of memory"), 0;
    if (n > SVG_MOST) {
        free(v);
        return fail(a->in.tool, "a picture has at most %u lines, this one would have %zu: --format=html takes more",
                    (unsigned)SVG_MOST, n), 0;
    }
    svg_put(v, n, out);
    free(v);
    return 1;
}
