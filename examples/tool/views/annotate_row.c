/* annotate_row.c - annotate: one row of the tables, as text or HTML */
#include "views.h"
#include "../demangle/demangle.h"

enum { NOTE_BASE = 24 };          /* bytes of a file's name beside a line */

/* ----- text ------------------------------------------------------------------------------------------------------- */

void put_html(const char *text, size_t size, FILE *out)
{
    size_t i, n;
    for (i = 0; i < size; i += n) {
        n = visible_size((const unsigned char *)text + i, size - i);
        if (n > 1) fwrite(text + i, 1, n, out);
        else if (n == 0) fprintf(out, "\\x%02x", (unsigned char)text[i]), n = 1;
        else if (text[i] == '&') fputs("&amp;", out);
        else if (text[i] == '<') fputs("&lt;", out);
        else if (text[i] == '>') fputs("&gt;", out);
        else if (text[i] == '"') fputs("&quot;", out);
        else putc(text[i], out);
    }
}

static void note_put_part(const note_out *o, const char *text, size_t size)
{
    if (o->html) put_html(text, size, o->out);
    else put_safe(text, size, o->out);
}

/* Tabs become spaces, up to the next multiple of 8 columns of the text. A byte 10xxxxxx goes on with a character. */
void note_put(const note_out *o, const char *text)
{
    size_t column = 0, n;
    for (; *text != '\0'; text += n) {
        const char *p;
        n = strcspn(text, "\t");
        note_put_part(o, text, n);
        for (p = text; p < text + n; p++) column += ((unsigned char)*p & 0xc0) != 0x80;
        if (text[n] == '\0') return;
        do putc(' ', o->out);
        while (++column % 8 != 0);
        n++;
    }
}

int note_shown(const uint64_t *count, size_t column)
{
    return count != NULL && count[column] != 0 && count[column] != NOTE_UNKNOWN;
}

/* A target as people write its name, without parameters, and in HTML a link if its place is shown. */
static void note_code_put(const note_out *o, const char *text)
{
    const char *const end = text + strlen(text) - 1, *plus;
    char clean[DEMANGLE_MOST];
    views_text label;
    note_target t;
    size_t n;
    int link;
    if (!note_target_of(text, &t)) {
        note_put(o, text);
        return;
    }
    link = o->html && t.known && note_insn_at(o->a, t.address) != 0;
    note_put_part(o, text, (size_t)(t.begin - text));
    if (link) fprintf(o->out, "<a href=\"#v%zu-%llx\">", o->a->views, (unsigned long long)t.address);
    note_put_part(o, t.begin, (size_t)(t.end - t.begin));
    if (t.name != NULL) {
        for (plus = end; plus > t.name && *plus != '+'; plus--) continue;
        if (plus == t.name) plus = end;
        n = shown_name(o->a->in.tool, t.name, (size_t)(plus - t.name), clean, sizeof clean);
        memset(&label, 0, sizeof label);
        if (n != 0) (o->html ? views_brief : views_short)(&label, clean, n);
        else views_add(&label, t.name, (size_t)(plus - t.name));
        note_put_part(o, " <", 2);
        note_put_part(o, label.data, label.size);
        note_put_part(o, plus, (size_t)(end - plus));
        note_put_part(o, ">", 1);
        free(label.data);
    }
    if (link) fputs("</a>", o->out);
}

/* A name as people write it, for free(); NULL: out of memory. */
char *note_name(const annotate_run *a, csspgo_func f)
{
    char *text = (char *)malloc(DEMANGLE_MOST + 1);
    size_t size, n;
    const char *name = csspgo_func_name(a->in.p, f, &size);
    if (text == NULL) return NULL;
    if (name == NULL) n = (size_t)snprintf(text, DEMANGLE_MOST, "%" PRIu64, csspgo_func_guid(a->in.p, f));
    else if ((n = shown_name(a->in.tool, name, size, text, DEMANGLE_MOST)) == 0)
        memcpy(text, name, n = size < DEMANGLE_MOST ? size : DEMANGLE_MOST);
    text[n] = '\0';
    return text;
}

/* ----- cells ------------------------------------------------------------------------------------------------------ */

/* The line of a file; NULL: it cannot be read, or has no such line. */
static const char *note_source(const annotate_run *a, size_t file, uint32_t line)
{
    const note_file *const f = &a->file[file - 1];
    return line != 0 && line <= f->lines ? f->line[line - 1] : NULL;
}

const uint64_t *note_of_lines(const annotate_run *a)
{
    return a->line_count != NULL ? a->line_count : a->count;
}

int note_has_row(const annotate_run *a, size_t file, uint32_t line)
{
    return file != 0 && line != 0 && line <= NOTE_LAST && a->file[file - 1].line != NULL;
}

static void text_row(const note_out *o, const uint64_t *count, int width, const char *label)
{
    size_t i;
    for (i = 0; i < o->columns; i++) {
        if (note_shown(count, i)) fprintf(o->out, "%13" PRIu64 " ", count[i]);
        else fprintf(o->out, "%14s", "");
    }
    fprintf(o->out, "%*s  ", width, label);
}

/* The beginning of a row with its counts. id: "" for none. Rows of one line have the same data-l. */
static void html_row(const note_out *o, const note_cells *r, const char *what, const char *id)
{
    size_t i;
    fprintf(o->out, "<tr class=\"%s\"", what);
    if (o->beside && note_has_row(o->a, r->file, r->line))
        fprintf(o->out, " data-l=\"f%zu-%u\"", r->file, (unsigned)r->line);
    if (id[0] != '\0') fprintf(o->out, " id=\"v%zu-%s\"", o->a->views, id);
    if (note_shown(r->count, 0) && o->most != 0)
        fprintf(o->out, " style=\"--heat:%u%%\"", (unsigned)(5 + 55.0 * (double)r->count[0] / (double)o->most));
    fputs(">", o->out);
    for (i = 0; i < o->columns; i++) {
        if (note_shown(r->count, i)) fprintf(o->out, "<td>%" PRIu64 "</td>", r->count[i]);
        else fputs("<td></td>", o->out);
    }
}

/* The line of an instruction, a link to its row; with the file where that is not the function's first one. */
static void html_line(const note_out *o, const note_cells *r)
{
    const annotate_run *const a = o->a;
    const char *name, *slash;
    size_t size;
    if (!note_has_row(a, r->file, r->line)) {
        fputs("<td class=\"line\"></td>", o->out);
        return;
    }
    name = a->file[r->file - 1].name;
    slash = strrchr(name, '/');
    if (slash != NULL) name = slash + 1;
    size = strlen(name);
    fprintf(o->out, "<td class=\"line\"><a href=\"#v%zu-f%zu-%u\">", a->views, r->file, (unsigned)r->line);
    if (r->file != 1) put_html(name, size < NOTE_BASE ? size : NOTE_BASE, o->out), putc(':', o->out);
    fprintf(o->out, "%u</a></td>", (unsigned)r->line);
}

/* What waits for this instruction: how long, for what; and the arrows to that. */
static void html_chain(const note_out *o, size_t insn, int above)
{
    const annotate_run *const a = o->a;
    size_t i, n = 0;
    fputs("<td class=\"chain\">", o->out);
    for (i = 0; i < a->edges && !above; i++) {
        const note_edge *const e = &a->edge[i];
        if (e->from != insn) continue;
        if (n++ != 0) fputs("; ", o->out);
        if (e->latency != 0) fprintf(o->out, "%u cycle%s", e->latency, e->latency == 1 ? "" : "s");
        if (e->latency != 0 && e->on != NULL) fputs(", ", o->out);
        if (e->on != NULL) put_html(e->on, strlen(e->on), o->out);
        if (e->carried) fputs(" \xe2\x86\xbb", o->out);
    }
    if (n != 0) putc(' ', o->out);
    note_arrows_put(&o->chain, insn, above, o->out);
    fputs("</td>", o->out);
}

/* The cells between place and code of the table of instructions. */
static void html_beside(const note_out *o, const note_cells *r, int above)
{
    if (o->beside) {
        if (above) fputs("<td class=\"line\"></td>", o->out);
        else html_line(o, r);
    }
    if (o->chain.cell != NULL) html_chain(o, r->insn, above);
}

static void html_code(const note_out *o, const note_cells *r, int above)
{
    fputs("<td>", o->out);
    if (o->arrows.cell != NULL) note_arrows_put(&o->arrows, r->insn, above, o->out);
    fputs("<code>", o->out);
    (above ? note_put : note_code_put)(o, r->text);
    fputs("</code></td></tr>\n", o->out);
}

/* ----- rows ------------------------------------------------------------------------------------------------------- */

void note_insn_row(const note_out *o, const note_cells *r)
{
    char place[24];
    snprintf(place, sizeof place, "%llx", (unsigned long long)o->a->insn[r->insn].address);
    if (!o->html) {
        text_row(o, r->count, 10, place);
        note_code_put(o, r->text);
        putc('\n', o->out);
        return;
    }
    html_row(o, r, "code", place);
    fprintf(o->out, "<td class=\"place\">%s</td>", place);
    html_beside(o, r, 0);
    html_code(o, r, 0);
}

void note_above_row(const note_out *o, const note_cells *r)
{
    const char *const text = r->text != NULL ? r->text : note_source(o->a, r->file, r->line);
    note_cells of = *r;
    char label[16] = "";
    if (r->line != 0) snprintf(label, sizeof label, "%u", (unsigned)r->line);
    of.text = text != NULL ? text : "";
    if (!o->html) {
        text_row(o, NULL, 6, label);
        note_put(o, of.text);
        putc('\n', o->out);
        return;
    }
    html_row(o, &of, r->line != 0 || r->file == 0 ? "source" : "source file", "");
    fprintf(o->out, "<td class=\"place\">%s</td>", label);
    html_beside(o, &of, 1);
    html_code(o, &of, 1);
}

void note_line_row(const note_out *o, const note_cells *r)
{
    const char *const text = r->text != NULL ? r->text : note_source(o->a, r->file, r->line);
    char label[16] = "", id[40] = "";
    if (r->line != 0) snprintf(label, sizeof label, "%u", (unsigned)r->line);
    if (!o->html) {
        text_row(o, r->count, 6, label);
        note_put(o, text != NULL ? text : "");
        putc('\n', o->out);
        return;
    }
    if (r->line != 0) snprintf(id, sizeof id, "f%zu-%u", r->file, (unsigned)r->line);
    html_row(o, r, r->line != 0 || r->file == 0 ? "source" : "source file", id);
    fputs("<td class=\"place\">", o->out);
    if (o->beside && r->insn != 0)
        fprintf(o->out, "<a href=\"#v%zu-%llx\">%s</a>", o->a->views,
                (unsigned long long)o->a->insn[r->insn - 1].address, label);
    else fputs(label, o->out);
    fputs("</td><td><code>", o->out);
    note_put(o, text != NULL ? text : "");
    fputs("</code></td></tr>\n", o->out);
}

void note_file_row(const note_out *o, size_t file, size_t above)
{
    note_cells r;
    memset(&r, 0, sizeof r);
    r.file = file;
    r.text = o->a->file[file - 1].name;
    r.insn = above != 0 ? above - 1 : 0;
    (above != 0 ? note_above_row : note_line_row)(o, &r);
}
