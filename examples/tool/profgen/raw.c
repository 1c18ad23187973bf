/* raw.c - profgen: raw counters, of --skip-symbolization and in the text of simpleperf inject --output autofdo
 *
 * That text has for each file three lists, each a count and so many lines: ranges, sampled addresses, branches; then
 * "// build_id: 0x..." and "// PATH". The first and the last list are those of raw counters, with the same base. Parts
 * that are not the program's are blanked, so that errors have the right lines.
 */
#include "profgen.h"

typedef struct simple_block {     /* of one file, in the text */
    size_t begin, end;
    size_t addresses, branches;   /* where the second and the third list begin */
} simple_block;

/* Behind the line that begins at an offset. */
static size_t raw_line_end(const char *text, size_t size, size_t at)
{
    const char *const lf = at < size ? (const char *)memchr(text + at, '\n', size - at) : NULL;
    return lf != NULL ? (size_t)(lf - text) + 1 : size;
}

static int is_comment(const char *text, size_t size, size_t at)
{
    return size - at >= 2 && text[at] == '/' && text[at + 1] == '/';
}

/* Behind a counted list; `end` if it is longer than the text. */
static size_t list_end(const char *text, size_t end, size_t at)
{
    unsigned long long n = 0;
    while (at < end && (text[at] == '\n' || text[at] == '\r')) at++;
    for (; at < end && text[at] >= '0' && text[at] <= '9' && n < end; at++) n = n * 10 + (unsigned)(text[at] - '0');
    for (at = raw_line_end(text, end, at); n != 0 && at < end; n--) at = raw_line_end(text, end, at);
    return at;
}

/* The block that begins at an offset: up to behind its comments. */
static simple_block block_at(const char *text, size_t size, size_t at)
{
    simple_block b;
    b.begin = at;
    while (at < size && !is_comment(text, size, at)) at = raw_line_end(text, size, at);
    while (at < size && (is_comment(text, size, at) || text[at] == '\n')) at = raw_line_end(text, size, at);
    b.end = at;
    b.addresses = list_end(text, b.end, b.begin);
    b.branches = list_end(text, b.end, b.addresses);
    return b;
}

/* 1 if a block's comments name the program: by its build id, or if one of them has none by the last component. */
static int is_of_program(const program_image *m, const char *text, const simple_block *b)
{
    const char *const base = strrchr(m->path, '/'), *const name = base != NULL ? base + 1 : m->path;
    size_t at, size;
    const unsigned char *const id = elf_build_id(&m->loaded.elf, &size);
    char own[41];
    int named = 0;
    build_text(id, id != NULL ? size : 0, own);
    for (at = b->begin; at < b->end; at = raw_line_end(text, b->end, at)) {
        size_t stop = raw_line_end(text, b->end, at), from;
        if (!is_comment(text, b->end, at)) continue;
        while (stop > at && (text[stop - 1] == '\n' || text[stop - 1] == '\r')) stop--;
        if (stop - at > 16 && memcmp(text + at, "// build_id: 0x", 15) == 0 && *own != '\0')
            return stop - at - 15 >= strlen(own) && memcmp(text + at + 15, own, strlen(own)) == 0;
        for (from = stop; from > at && text[from - 1] != '/' && text[from - 1] != ' ';) from--;
        named |= stop - from == strlen(name) && memcmp(text + from, name, stop - from) == 0;
    }
    return named;
}

static void blank(char *text, size_t from, size_t end)
{
    for (; from < end; from++)
        if (text[from] != '\n') text[from] = ' ';
}

/* Reads one block: its ranges and branches alone. */
static csspgo_status block_read(csspgo_collector *c, const csspgo_unsymbolized_options *raw, const file_bytes *f,
                                const simple_block *b, csspgo_error *e)
{
    char *const text = (char *)malloc(f->size);
    size_t at;
    csspgo_status s;
    if (text == NULL) return e->status = CSSPGO_E_NOMEM;
    memcpy(text, f->data, f->size);
    blank(text, 0, b->begin);
    blank(text, b->addresses, b->branches);
    for (at = b->branches; at < b->end; at = raw_line_end(text, b->end, at))
        if (is_comment(text, b->end, at)) blank(text, at, raw_line_end(text, b->end, at));
    blank(text, b->end, f->size);
    s = csspgo_read_unsymbolized(c, text, f->size, raw, e);
    free(text);
    return s;
}

/* 1 if a text is simpleperf's. */
static int simpleperf_is(const file_bytes *f)
{
    const char *const text = (const char *)f->data;
    return f->size != 0 && *text >= '0' && *text <= '9' && memmem(text, f->size, "\n// ", 4) != NULL;
}

static csspgo_status simpleperf_read(const profgen *g, const file_bytes *f, csspgo_error *e)
{
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    const char *const text = (const char *)f->data;
    csspgo_status s = CSSPGO_OK;
    size_t at, found = 0;
    simple_block b;
    memset(e, 0, sizeof *e);
    for (at = 0; s == CSSPGO_OK && at < f->size; at = b.end) {
        b = block_at(text, f->size, at);
        if (!is_of_program(g->programs.v, text, &b)) continue;
        found++;
        s = block_read(g->count.collector, &raw, f, &b, e);
    }
    if (s != CSSPGO_OK || found != 0) return s;
    e->status = CSSPGO_E_ARGUMENT;
    snprintf(e->message, sizeof e->message, "it has counts of other files, by their build ids and names (// lines)");
    return e->status;
}

/* ----- sampled addresses, as LLVM's main branch may come to write them -------------------------------------------- */

/*
 * "# llvm-profgen-content: basic-event", a number of lines, ADDRESS:COUNT. To raw counters these are ranges of one address,
 * and no branches. They are made line by line, so that errors have the right lines.
 */
static const char basic_head[] = "# llvm-profgen-content: basic-event";

static int basic_is(const file_bytes *f)
{
    const size_t n = sizeof basic_head - 1;
    return f->size > n && memcmp(f->data, basic_head, n) == 0 && (f->data[n] == '\n' || f->data[n] == '\r');
}

/* The text as raw counters, in made->data, for free(). Returns 0 without memory. */
static int basic_make(const file_bytes *f, file_bytes *made)
{
    const char *const text = (const char *)f->data;
    char *const out = (char *)malloc(2 * f->size + 4);
    size_t at, n = 0;
    memset(made, 0, sizeof *made);
    if (out == NULL) return 0;
    for (at = 0; at < f->size;) {
        const size_t next = raw_line_end(text, f->size, at);
        const char *const colon = (const char *)memchr(text + at, ':', next - at);
        if (at == 0) {
            out[n++] = '\n';
        } else if (colon == NULL) {
            memcpy(out + n, text + at, next - at);
            n += next - at;
        } else {
            const size_t size = (size_t)(colon - (text + at));
            memcpy(out + n, text + at, size);
            out[n + size] = '-';
            memcpy(out + n + size + 1, text + at, next - at);
            n += size + 1 + (next - at);
        }
        at = next;
    }
    memcpy(out + n, "\n0\n", 3);
    made->data = (unsigned char *)out;
    made->size = n + 3;
    return 1;
}

/* ----- raw counters ----------------------------------------------------------------------------------------------- */

/* How many entries there are. Lines are [CONTEXT], a number of entries, FROM-TO:COUNT, FROM->TO:COUNT. */
static void counts_text(counts_read *n, const file_bytes *text)
{
    const char *p = (const char *)text->data, *const end = p + text->size;
    while (p != end) {
        const char *const lf = (const char *)memchr(p, '\n', (size_t)(end - p));
        const char *const raw_line_end = lf != NULL ? lf : end;
        const char *dash;
        while (p != raw_line_end && (*p == ' ' || *p == '\t')) p++;
        dash = (const char *)memchr(p, '-', (size_t)(raw_line_end - p));
        if (p != raw_line_end && *p == '[') n->contexts++;
        else if (dash != NULL && dash[1] == '>') n->branches++;
        else if (dash != NULL) n->ranges++;
        p = lf != NULL ? lf + 1 : end;
    }
}

/* Returns 0 after saying what is wrong. */
int raw_read(profgen *g)
{
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    csspgo_error e;
    file_bytes text, made;
    csspgo_status s;
    memset(&made, 0, sizeof made);
    if (!file_open(g->in.path, &text)) return fail(g->tool, "%s: %s", g->in.path, file_why()), 0;
    if (!g->tool->compat && simpleperf_is(&text)) s = simpleperf_read(g, &text, &e);
    else if (!g->tool->compat && basic_is(&text)) {
        if (!basic_make(&text, &made)) return file_close(&text), fail(g->tool, "out of memory"), 0;
        s = csspgo_read_unsymbolized(g->count.collector, made.data, made.size, &raw, &e);
    } else s = csspgo_read_unsymbolized(g->count.collector, text.data, text.size, &raw, &e);
    if (s == CSSPGO_OK && (g->o[O_REPORT].text != NULL || g->o[O_FILL].number))
        counts_text(&g->read, made.size != 0 ? &made : &text);
    free((void *)made.data);
    file_close(&text);
    if (s != CSSPGO_OK) kind_fail_at(g->tool, g->in.path, KIND_COUNTERS, &e);
    return s == CSSPGO_OK;
}
