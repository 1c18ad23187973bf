/* annotate_print.c - annotate: which rows there are, of instructions and of source; JSON */
#include "views.h"

enum { NOTE_AROUND = 3 };         /* lines of source that are shown around those that have code */

/* ----- rows ------------------------------------------------------------------------------------------------------- */

/* Instructions, each group below its line of source. */
static void note_instructions(const note_out *o)
{
    const annotate_run *const a = o->a;
    size_t i, file = 0;
    uint32_t line = 0;
    for (i = 0; i < a->insns; i++) {
        const note_insn *const n = &a->insn[i];
        note_cells r, above;
        memset(&r, 0, sizeof r);
        r.insn = i;
        above = r;
        above.file = n->file;
        above.line = n->file != 0 ? n->line : 0;
        if (n->file == 0) above.text = "(no line)";
        if (n->file != 0 && n->file != file) note_file_row(o, n->file, i + 1);
        if (n->file != 0 ? n->file != file || n->line != line : line != 0) note_above_row(o, &above);
        if (n->file != 0) file = n->file;
        line = n->line;
        r.count = &a->count[i * o->columns];
        r.text = n->text;
        r.file = n->file;
        r.line = n->line;
        note_insn_row(o, &r);
    }
}

typedef struct note_lines {       /* of one file, by line */
    uint64_t      *count;         /* per column           */
    size_t        *hottest;       /* instruction of it, + 1; 0: none */
    unsigned char *has;           /* from NOTE_AROUND on: 1 if it is to be shown */
    uint32_t       last;
} note_lines;

static void note_lines_free(note_lines *l)
{
    free(l->count);
    free(l->hottest);
    free(l->has);
}

/*
 * The lines of one file: a line's count is the profile's, or, by probe, the largest one of its instructions. Returns 0:
 * out of memory.
 */
static int note_lines_make(const note_out *o, size_t file, note_lines *l)
{
    const annotate_run *const a = o->a;
    const uint64_t *const from = note_of_lines(a);
    size_t i, k;
    memset(l, 0, sizeof *l);
    for (i = 0; i < a->insns; i++)
        if (a->insn[i].file == file && a->insn[i].line > l->last) l->last = a->insn[i].line;
    if (l->last > NOTE_LAST) l->last = 0;
    if (l->last == 0) return 1;
    l->count = (uint64_t *)calloc(((size_t)l->last + 1) * o->columns, sizeof *l->count);
    l->hottest = (size_t *)calloc((size_t)l->last + 1, sizeof *l->hottest);
    l->has = (unsigned char *)calloc((size_t)l->last + 1 + 2 * NOTE_AROUND, 1);
    if (l->count == NULL || l->hottest == NULL || l->has == NULL) return 0;
    for (i = 0; i < a->insns; i++) {
        const uint32_t line = a->insn[i].line;
        uint64_t *const c = &l->count[line * o->columns];
        if (a->insn[i].file != file) continue;
        memset(l->has + line, 1, 2 * NOTE_AROUND + 1);
        if (l->hottest[line] == 0 || (note_shown(&a->count[i * o->columns], 0) &&
                                      (!note_shown(&a->count[(l->hottest[line] - 1) * o->columns], 0) ||
                                       a->count[i * o->columns] > a->count[(l->hottest[line] - 1) * o->columns])))
            l->hottest[line] = i + 1;
        for (k = 0; k < o->columns; k++)
            if (note_shown(&from[i * o->columns], k) && from[i * o->columns + k] > c[k])
                c[k] = from[i * o->columns + k];
    }
    return 1;
}

static void note_lines_put(const note_out *o, size_t file, const note_lines *l)
{
    uint32_t line, shown = 0;
    note_cells r;
    memset(&r, 0, sizeof r);
    note_file_row(o, file, 0);
    r.text = "...";
    if (o->beside && o->a->file[file - 1].line == NULL) {
        r.text = "not found: --source-dir=DIR says where it is";
        note_line_row(o, &r);
        return;
    }
    for (line = 1; line <= l->last; line++) {
        note_cells of;
        if (!l->has[line + NOTE_AROUND]) continue;
        if (shown != 0 && shown + 1 != line) note_line_row(o, &r);
        memset(&of, 0, sizeof of);
        of.count = &l->count[line * o->columns];
        of.file = file;
        of.line = line;
        of.insn = l->hottest[line];
        note_line_row(o, &of);
        shown = line;
    }
}

/* Returns 0 after saying what is wrong. */
static int note_all_lines(const note_out *o)
{
    note_lines l;
    size_t file;
    int ok = 1;
    for (file = 1; ok && file <= o->a->files; file++) {
        ok = note_lines_make(o, file, &l);
        if (ok && l.last != 0) note_lines_put(o, file, &l);
        note_lines_free(&l);
    }
    if (!ok) return fail(o->a->in.tool, "out of memory"), 0;
    return o->a->files != 0 || (fail(o->a->in.tool, "%s: no lines of source are known: build it with -g, and install "
                                     "llvm-objdump-19", o->a->binary), 0);
}

/* ----- the whole -------------------------------------------------------------------------------------------------- */

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

/* The rows of one table, or of two that stand side by side. Returns 0 after saying what is wrong. */
static int note_tables(const note_out *o)
{
    const int only_source = o->a->o[N_SOURCE].number != 0;
    if (o->beside || only_source) {
        note_table_begin(o, "lines");
        if (!note_all_lines(o)) return 0;
        note_table_end(o);
    }
    if (only_source) return 1;
    note_table_begin(o, "insns");
    note_instructions(o);
    note_table_end(o);
    return 1;
}

/* HTML with instructions: arrows, and whether there is source to be shown beside them. */
static int note_decorate(note_out *o)
{
    const annotate_run *const a = o->a;
    size_t i;
    if (!o->html || a->o[N_SOURCE].number != 0) return 1;
    for (i = 0; i < a->insns; i++) o->beside |= note_has_row(a, a->insn[i].file, a->insn[i].line);
    return note_arrows_make(a, &o->arrows) && (a->edges == 0 || note_arrows_chain(a, &o->chain));
}

int note_print(annotate_run *a, FILE *out)
{
    note_out o;
    size_t i;
    int ok;
    memset(&o, 0, sizeof o);
    o.a = a;
    o.out = out;
    o.html = a->o[N_FORMAT].number == NOTE_HTML;
    o.columns = a->contexts + 1;
    if (a->o[N_JSON].number) {
        if (a->several) fputs(a->views == 0 ? "[\n" : ",\n", out);
        return note_json(a, out) || (fail(a->in.tool, "out of memory"), 0);
    }
    for (i = 0; i < a->files; i++) note_read_source(a, &a->file[i]);
    for (i = 0; i < a->insns; i++)
        if (note_shown(&a->count[i * o.columns], 0) && a->count[i * o.columns] > o.most)
            o.most = a->count[i * o.columns];
    ok = note_decorate(&o) || (fail(a->in.tool, "out of memory"), 0);
    ok = ok && note_head(&o) && note_tables(&o);
    if (ok) note_tail(&o);
    note_arrows_free(&o.arrows);
    note_arrows_free(&o.chain);
    return ok;
}

void note_end(const annotate_run *a, FILE *out)
{
    if (a->o[N_JSON].number) fputs(a->several ? "]\n" : "", out);
    else if (a->o[N_FORMAT].number == NOTE_HTML) note_script_put(out), fputs("</body></html>\n", out);
}
