/* annotate_print.c - annotate: text, HTML, JSON */
#include "views.h"
#include "../demangle/demangle.h"

enum {
    NOTE_AROUND = 3,              /* lines of source that are shown around those that have code */
    NOTE_HOTTEST = 5              /* lines that can be jumped to                                */
};

typedef struct note_out {
    annotate_run *a;
    FILE         *out;
    int           html;
    uint64_t      most;           /* the largest count in all contexts: the darkest background */
    size_t        columns;
    note_arrows   arrows;         /* HTML with instructions; cell: NULL: none                   */
    size_t        at;             /* place of the instruction that this row is of, or above     */
} note_out;

static void put_html(const char *text, size_t size, FILE *out)
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
static void note_put(const note_out *o, const char *text)
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

/* A name as people write it, for free(); NULL: out of memory. */
static char *note_name(const annotate_run *a, csspgo_func f)
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

static char column_name(size_t column)
{
    return (char)('A' + column % 26);
}

/* ----- rows ------------------------------------------------------------------------------------------------------- */

/* 1 if there is something to show: counts that are not known, or 0, are left blank. */
static int note_shown(const uint64_t *count, size_t column)
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
        if (n != 0) views_short(&label, clean, n);
        else views_add(&label, t.name, (size_t)(plus - t.name));
        note_put_part(o, " <", 2);
        note_put_part(o, label.data, label.size);
        note_put_part(o, plus, (size_t)(end - plus));
        note_put_part(o, ">", 1);
        free(label.data);
    }
    if (link) fputs("</a>", o->out);
}

/* One row: its id, counts (NULL: none), what it is of, its text. what: "source" or "code". */
static void note_row_put(const note_out *o, const char *id, const uint64_t *count, const char *what, const char *label,
                         const char *text)
{
    size_t i;
    if (!o->html) {
        for (i = 0; i < o->columns; i++) {
            if (note_shown(count, i)) fprintf(o->out, "%13" PRIu64 " ", count[i]);
            else fprintf(o->out, "%14s", "");
        }
        fprintf(o->out, "%*s  ", what[0] == 's' ? 6 : 10, label);
        (what[0] == 's' ? note_put : note_code_put)(o, text);
        putc('\n', o->out);
        return;
    }
    fprintf(o->out, "<tr class=\"%s\"", what);
    if (id[0] != '\0') fprintf(o->out, " id=\"v%zu-%s\"", o->a->views, id);
    if (note_shown(count, 0) && o->most != 0)
        fprintf(o->out, " style=\"--heat:%u%%\"", (unsigned)(5 + 55.0 * (double)count[0] / (double)o->most));
    fputs(">", o->out);
    for (i = 0; i < o->columns; i++) {
        if (note_shown(count, i)) fprintf(o->out, "<td>%" PRIu64 "</td>", count[i]);
        else fputs("<td></td>", o->out);
    }
    fprintf(o->out, "<td>%s</td><td>", label);
    if (o->arrows.cell != NULL) note_arrows_put(&o->arrows, o->at, what[0] == 's', o->out);
    fputs("<code>", o->out);
    (what[0] == 's' ? note_put : note_code_put)(o, text);
    fputs("</code></td></tr>\n", o->out);
}

/* The line of a file; NULL: it cannot be read, or has no such line. */
static const char *note_source(const annotate_run *a, size_t file, uint32_t line)
{
    const note_file *const f = &a->file[file - 1];
    return line != 0 && line <= f->lines ? f->line[line - 1] : NULL;
}

static void note_source_row(const note_out *o, const uint64_t *count, size_t file, uint32_t line)
{
    const char *text = note_source(o->a, file, line);
    char label[16], id[40] = "";
    snprintf(label, sizeof label, "%u", (unsigned)line);
    if (count != NULL) snprintf(id, sizeof id, "f%zu-%u", file, (unsigned)line);
    note_row_put(o, id, count, "source", label, text != NULL ? text : "");
}

static void note_file_row(const note_out *o, size_t file)
{
    note_row_put(o, "", NULL, "source", "", o->a->file[file - 1].name);
}

/* Instructions, each group below its line of source. */
static void note_instructions(note_out *o)
{
    const annotate_run *const a = o->a;
    char label[24];
    size_t i, file = 0;
    uint32_t line = 0;
    for (i = 0; i < a->insns; i++) {
        const note_insn *const n = &a->insn[i];
        o->at = i;
        if (n->file != 0 && n->file != file) note_file_row(o, n->file);
        if (n->file != 0 && (n->file != file || n->line != line)) note_source_row(o, NULL, n->file, n->line);
        if (n->file == 0 && line != 0) note_row_put(o, "", NULL, "source", "", "(no line)");
        if (n->file != 0) file = n->file;
        line = n->line;
        snprintf(label, sizeof label, "%llx", (unsigned long long)n->address);
        note_row_put(o, label, &a->count[i * o->columns], "code", label, n->text);
    }
}

/* By instruction, what its line has: as the profile has it, or, by probe, what the instruction has. */
static const uint64_t *note_of_lines(const annotate_run *a)
{
    return a->line_count != NULL ? a->line_count : a->count;
}

/*
 * The lines of one file: a line's count is the profile's, or, by probe, the largest one of its instructions. Returns 0:
 * out of memory.
 */
static int note_lines_of(const note_out *o, size_t file)
{
    const annotate_run *const a = o->a;
    const uint64_t *const from = note_of_lines(a);
    uint32_t last = 0, line, shown = 0;
    uint64_t *count;
    unsigned char *has;
    size_t i, k;
    for (i = 0; i < a->insns; i++)
        if (a->insn[i].file == file && a->insn[i].line > last) last = a->insn[i].line;
    if (last == 0 || last > 10000000) return 1;
    count = (uint64_t *)calloc(((size_t)last + 1) * o->columns, sizeof *count);
    has = (unsigned char *)calloc((size_t)last + 1 + 2 * NOTE_AROUND, 1);
    for (i = 0; count != NULL && has != NULL && i < a->insns; i++) {
        uint64_t *const c = &count[a->insn[i].line * o->columns];
        if (a->insn[i].file != file) continue;
        memset(has + a->insn[i].line, 1, 2 * NOTE_AROUND + 1);
        for (k = 0; k < o->columns; k++)
            if (note_shown(&from[i * o->columns], k) && from[i * o->columns + k] > c[k]) c[k] = from[i * o->columns + k];
    }
    if (count != NULL && has != NULL) note_file_row(o, file);
    for (line = 1; count != NULL && has != NULL && line <= last; line++) {
        if (!has[line + NOTE_AROUND]) continue;
        if (shown != 0 && shown + 1 != line) note_row_put(o, "", NULL, "source", "", "...");
        note_source_row(o, &count[line * o->columns], file, line);
        shown = line;
    }
    i = count != NULL && has != NULL;
    free(count);
    free(has);
    return i != 0;
}

static int note_all_lines(const note_out *o)
{
    size_t file;
    for (file = 1; file <= o->a->files; file++)
        if (!note_lines_of(o, file)) return fail(o->a->in.tool, "out of memory"), 0;
    return o->a->files != 0 || (fail(o->a->in.tool, "%s: no lines of source are known: build it with -g, and install "
                                     "llvm-objdump-19", o->a->binary), 0);
}

/* ----- the whole -------------------------------------------------------------------------------------------------- */

static const char note_style[] =
    "body{font:14px system-ui,sans-serif;margin:1em;background:#fff;color:#1c1c1c}"
    "table{border-collapse:collapse;font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    "td,th{padding:0 .6em;text-align:right;white-space:pre}td:last-child,th:last-child{text-align:left}"
    "thead th{position:sticky;top:0;background:#fff;border-bottom:1px solid #999}"
    "tr.source td{color:#666}tr{scroll-margin-top:30vh}tr:target{outline:2px solid #ea6a4c}a{color:inherit}"
    "nav{border-bottom:1px solid #999}.flow{color:#888;user-select:none}"
    "tr{background:color-mix(in srgb,#ea6a4c var(--heat,0%),transparent)}"
    "@media (prefers-color-scheme:dark){body,thead th{background:#1d1f23;color:#f2f2f2}tr.source td{color:#b5b5b5}}";

/* A column's context, and its share of all. Returns 0 after saying what is wrong. */
static int note_context(const note_out *o, size_t i)
{
    const annotate_run *const a = o->a;
    char *context = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&context, &size);
    if (text != NULL) put_context_shown(a->in.tool, a->in.p, a->context[i], text);
    if (text == NULL || fclose(text) != 0) return free(context), fail(a->in.tool, "out of memory"), 0;
    fprintf(o->out, o->html ? "<li><b>%c</b> %.2f%% <code>" : "%c %7.2f%%  ", column_name(i),
            percent(a->weight[i], a->all_weight));
    if (o->html) put_html(context, size, o->out);
    else fwrite(context, 1, size, o->out);
    fputs(o->html ? "</code></li>\n" : "\n", o->out);
    free(context);
    return 1;
}

/* The hottest lines, an instruction of each, or instructions without a line; the hottest one first. */
static size_t note_hottest(const note_out *o, size_t top[NOTE_HOTTEST + 1])
{
    const annotate_run *const a = o->a;
    const uint64_t *const count = note_of_lines(a);
    size_t i, k, n = 0;
    for (i = 0; i < a->insns; i++) {
        if (!note_shown(&count[i * o->columns], 0) || (a->o[N_SOURCE].number != 0 && a->insn[i].file == 0)) continue;
        if (i != 0 && a->insn[i].file == 0 && a->insn[i - 1].file == 0 &&
            count[i * o->columns] == count[(i - 1) * o->columns])
            continue;                                   /* of a stretch the first one */
        for (k = 0; k < n; k++)
            if (a->insn[i].file != 0 && a->insn[top[k]].file == a->insn[i].file &&
                a->insn[top[k]].line == a->insn[i].line)
                break;
        if (k < n && count[top[k] * o->columns] >= count[i * o->columns]) continue;
        if (k == n) n++;
        for (; k > 0 && count[top[k - 1] * o->columns] < count[i * o->columns]; k--) top[k] = top[k - 1];
        top[k] = i;
        if (n > NOTE_HOTTEST) n = NOTE_HOTTEST;
    }
    return n;
}

/* Links to them. */
static void note_jumps(const note_out *o)
{
    const annotate_run *const a = o->a;
    const uint64_t *const count = note_of_lines(a);
    size_t top[NOTE_HOTTEST + 1], k;
    const size_t n = note_hottest(o, top);
    if (n == 0) return;
    fputs("<p>Hottest:", o->out);
    for (k = 0; k < n; k++) {
        const note_insn *const i = &a->insn[top[k]];
        fprintf(o->out, "%s<a href=\"#v%zu-", k != 0 ? ", " : " ", a->views);
        if (a->o[N_SOURCE].number != 0) fprintf(o->out, "f%zu-%u\">", i->file, (unsigned)i->line);
        else fprintf(o->out, "%llx\">", (unsigned long long)i->address);
        if (i->file != 0) {
            const char *const slash = strrchr(a->file[i->file - 1].name, '/');
            note_put(o, slash != NULL ? slash + 1 : a->file[i->file - 1].name);
            fprintf(o->out, ":%u", (unsigned)i->line);
        } else fprintf(o->out, "%llx", (unsigned long long)i->address);
        fprintf(o->out, "</a> %" PRIu64, count[top[k] * o->columns]);
    }
    fputs("</p>\n", o->out);
}

/* A line of the index. */
static void note_index(const note_out *o, const char *name, const char *binary)
{
    note_out to = *o;
    to.out = o->a->index;
    fprintf(to.out, "<li><a href=\"#v%zu\">", o->a->views);
    note_put(&to, name);
    fputs("</a> in ", to.out);
    note_put(&to, binary);
    fprintf(to.out, ": total %" PRIu64 "</li>\n", o->a->all_weight);
}

/* Returns 0 after saying what is wrong. */
static int note_head(const note_out *o)
{
    annotate_run *const a = o->a;
    const char *const slash = strrchr(a->binary, '/'), *const binary = slash != NULL ? slash + 1 : a->binary;
    char *const name = note_name(a, a->func);
    size_t i;
    if (name == NULL) return fail(a->in.tool, "out of memory"), 0;
    if (o->html) note_index(o, name, binary);
    if (o->html) fprintf(o->out, "<section id=\"v%zu\">\n<h1>", a->views);
    else if (a->views != 0) putc('\n', o->out);
    note_put(o, name);
    fputs(o->html ? "</h1>\n<p>" : " in ", o->out);
    note_put(o, binary);
    fprintf(o->out, ": %zu instructions, %zu context%s", a->insns, a->all_contexts, a->all_contexts == 1 ? "" : "s");
    fputs(o->html ? "</p>\n<ul>\n" : "\n", o->out);
    if (o->html && a->title == NULL) a->title = name;
    else free(name);
    for (i = 0; i < a->contexts; i++)
        if (!note_context(o, i)) return 0;
    if (!o->html) fprintf(o->out, "\n%13s ", "all");
    else {
        fputs("</ul>\n", o->out);
        note_jumps(o);
        fputs("<table><thead><tr><th scope=\"col\">all</th>", o->out);
    }
    for (i = 0; i < a->contexts; i++) fprintf(o->out, o->html ? "<th scope=\"col\">%c</th>" : "%13c ", column_name(i));
    fputs(o->html ? "<th scope=\"col\">place</th><th scope=\"col\">code</th></tr></thead>\n<tbody>\n" : "\n", o->out);
    return 1;
}

/* Returns 0: out of memory. */
static int note_json(const annotate_run *a, FILE *out)
{
    json j = json_to(out);
    size_t i, k;
    json_begin(&j, NULL, '{');
    json_func(&j, "function", a->in.p, a->func);
    json_text(&j, "binary", a->binary);
    json_count(&j, "all_contexts", a->all_contexts);
    json_begin(&j, "contexts", '[');
    for (i = 0; i < a->contexts; i++) {
        char *const context = context_text(a->in.p, a->context[i]);
        if (context == NULL) return 0;
        json_begin(&j, NULL, '{');
        json_text(&j, "context", context);
        json_real(&j, "share", percent(a->weight[i], a->all_weight) / 100);
        json_end(&j);
        free(context);
    }
    json_end(&j);
    json_begin(&j, "instructions", '[');
    for (i = 0; i < a->insns; i++) {
        const note_insn *const n = &a->insn[i];
        json_begin(&j, NULL, '{');
        json_count(&j, "address", n->address);
        json_text(&j, "text", n->text);
        if (n->file != 0) json_text(&j, "file", a->file[n->file - 1].name);
        if (n->file != 0) json_count(&j, "line", n->line);
        json_begin(&j, "counts", '[');
        for (k = 0; k <= a->contexts; k++) {
            const uint64_t count = a->count[i * (a->contexts + 1) + k];
            if (count == NOTE_UNKNOWN) json_null(&j, NULL);
            else json_count(&j, NULL, count);
        }
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    return 1;
}

int note_print(annotate_run *a, FILE *out)
{
    note_out o;
    size_t i;
    int ok = 1;
    memset(&o, 0, sizeof o);
    o.a = a;
    o.out = out;
    o.html = a->o[N_FORMAT].number == 1;
    o.columns = a->contexts + 1;
    if (a->o[N_JSON].number) {
        if (a->several) fputs(a->views == 0 ? "[\n" : ",\n", out);
        return note_json(a, out) || (fail(a->in.tool, "out of memory"), 0);
    }
    for (i = 0; i < a->files; i++) note_read_source(a, &a->file[i]);
    for (i = 0; i < a->insns; i++)
        if (note_shown(&a->count[i * o.columns], 0) && a->count[i * o.columns] > o.most)
            o.most = a->count[i * o.columns];
    if (!note_head(&o)) return 0;
    if (o.html && !a->o[N_SOURCE].number && !note_arrows_make(a, &o.arrows)) {
        note_arrows_free(&o.arrows);
        return fail(a->in.tool, "out of memory"), 0;
    }
    if (a->o[N_SOURCE].number) ok = note_all_lines(&o);
    else note_instructions(&o);
    note_arrows_free(&o.arrows);
    if (o.html) fputs("</tbody></table>\n</section>\n", out);
    return ok;
}

void note_begin(const annotate_run *a, const char *index, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    put_html(a->title, strlen(a->title), out);
    fprintf(out, "</title><style>%s</style></head>\n<body>", note_style);
    if (a->views > 1) fprintf(out, "<nav><ul>\n%s</ul></nav>\n", index);
}

void note_end(const annotate_run *a, FILE *out)
{
    if (a->o[N_JSON].number) fputs(a->several ? "]\n" : "", out);
    else if (a->o[N_FORMAT].number == 1) fputs("</body></html>\n", out);
}
