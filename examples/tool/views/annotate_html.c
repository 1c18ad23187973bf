/* annotate_html.c - annotate: what stands around the rows: the page, its style and script; the head of a function */
#include "views.h"
#include "../demangle/demangle.h"

enum { NOTE_HOTTEST = 5 };        /* lines that can be jumped to */

/*
 * Without a script all is there: tabs are radio buttons, a line and its instructions are links to each other. A table
 * scrolls by itself, so that one stays where it is while the other one moves.
 */
static const char note_style[] =
    ":root{color-scheme:light dark;--back:#fff;--text:#1c1c1c;--dim:#6a6a6a;--rule:#d4d4d4;--bar:#f4f4f4;"
    "--heat-of:#ea6a4c;--on:#2f6fd0}"
    "@media (prefers-color-scheme:dark){:root{--back:#1a1c20;--text:#ececec;--dim:#a8a8a8;--rule:#3c4048;--bar:#25282e;"
    "--on:#7fb0ff}}"
    "body{font:14px/1.45 system-ui,sans-serif;margin:1em 1.2em;background:var(--back);color:var(--text)}"
    "h1{font-size:1.3em;margin:.2em 0;overflow-wrap:anywhere}p,ul{margin:.3em 0}a{color:inherit}"
    "code,table{font:12px/1.4 ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    "nav{border-bottom:1px solid var(--rule);padding-bottom:.5em;margin-bottom:1em}nav ul,.bound{padding-left:1.2em}"
    "nav li,.of code,.whole{overflow-wrap:anywhere}.whole{color:var(--dim)}"
    ".of{list-style:none;padding:0}.of b{display:inline-block;width:1.4em}"
    "section{margin-bottom:3em}.t{position:absolute;opacity:0}"
    ".t+label{display:inline-block;padding:.15em .8em;margin:.6em 0 -1px;border:1px solid transparent;"
    "border-radius:5px 5px 0 0;color:var(--dim);cursor:pointer}"
    ".t:checked+label{background:var(--bar);border-color:var(--rule);border-bottom-color:var(--bar);color:inherit;"
    "font-weight:600}"
    ".t:focus-visible+label{outline:2px solid var(--on)}"
    ".panes{display:grid;grid-template-columns:minmax(0,1fr);border-top:1px solid var(--rule)}"
    ".pane{position:relative;overflow:auto;max-height:calc(100vh - 3.5em)}"
    ".pane+.pane{border-left:1px solid var(--rule)}"
    ".both:checked~.panes{grid-template-columns:minmax(0,2fr) minmax(0,3fr)}"
    ".both:checked~.panes .insns tr.source,.only-insns:checked~.panes .lines,.only-insns:checked~.panes .line,"
    ".only-lines:checked~.panes .insns{display:none}"
    "table{border-collapse:collapse;min-width:100%}"
    "td,th{padding:0 .6em;text-align:right;white-space:pre}td:last-child,th:last-child{text-align:left;width:100%}"
    "thead th{position:sticky;top:0;z-index:1;background:var(--bar);color:var(--dim);font-weight:600;padding:.2em .6em;"
    "box-shadow:0 1px var(--rule)}"
    "tr{scroll-margin-top:30vh;background:color-mix(in srgb,var(--heat-of) var(--heat,0%),transparent)}"
    ".place,.line,.insns .source{color:var(--dim)}.place a,.line a{text-decoration:none}.place a:hover,.line a:hover{"
    "text-decoration:underline}.file td{font-weight:600;padding-top:.4em}"
    "tr:target{outline:2px solid var(--on);outline-offset:-2px}tr.on{box-shadow:inset 4px 0 var(--on)}"
    "tr[data-l]{cursor:pointer}code a{text-decoration-color:var(--dim)}"
    ".flow{color:var(--dim);user-select:none}.chain,.chain .flow{color:var(--on)}"
    "@media (max-width:900px){.both:checked~.panes{grid-template-columns:minmax(0,1fr)}.both:checked~.panes .pane{"
    "max-height:45vh}.pane+.pane{border-left:0;border-top:3px solid var(--rule)}}"
    "@media print{.pane{max-height:none!important;overflow:visible}.t,.t+label{display:none}}";

/*
 * The pointer on a line lights what belongs to it on the other side, a click brings that into view; and a link leads to
 * a row on a tab that is not shown.
 */
static const char note_script[] =
    "(function(){var lit=[];"
    "function light(r){lit.forEach(function(x){x.classList.remove('on')});lit=r&&r.dataset.l?[].slice.call(r.closest("
    "'section').querySelectorAll('tr[data-l=\"'+r.dataset.l+'\"]')):[];lit.forEach(function(x){x.classList.add('on')})}"
    "function other(r){var a=r.querySelector('.line a,.lines .place a');"
    "return a&&document.getElementById(a.hash.slice(1))}"
    "function row(e){return e.target.closest&&e.target.closest('tr[data-l]')}"
    "function bring(r){var p=r&&r.closest('.pane');if(p)p.scrollTop=r.offsetTop-p.clientHeight/3}"
    "function go(){var r=document.getElementById(location.hash.slice(1)),b;if(!r||r.tagName!=='TR')return;"
    "if(!r.offsetParent&&(b=r.closest('section').querySelector('.both'))){b.checked=true;r.scrollIntoView()}"
    "light(r);bring(other(r))}"
    "document.addEventListener('mouseover',function(e){var r=row(e);if(r)light(r)});"
    "document.addEventListener('click',function(e){var r=row(e);"
    "if(!r||e.target.closest('a')||String(getSelection()))return;"
    "light(r);bring(other(r))});"
    "addEventListener('hashchange',go);go()})();";

static char column_name(size_t column)
{
    return (char)('A' + column % 26);
}

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

/* The name of a function in a few words. Returns 0 after saying that there is no memory. */
static int note_brief(const note_out *o, const char *name, views_text *t)
{
    memset(t, 0, sizeof *t);
    views_brief(t, name, strlen(name));
    return !t->failed || (free(t->data), fail(o->a->in.tool, "out of memory"), 0);
}

/* A line of the index, and the heading: the name in short and, if that is another one, whole. Returns 0 as above. */
static int note_heading(const note_out *o, const char *name, const char *binary)
{
    FILE *const index = o->a->index;
    views_text t;
    if (!note_brief(o, name, &t)) return 0;
    fprintf(index, "<li><a href=\"#v%zu\" title=\"", o->a->views);
    put_html(name, strlen(name), index);
    fputs("\">", index);
    put_html(t.data, t.size, index);
    fputs("</a> in ", index);
    put_html(binary, strlen(binary), index);
    fprintf(index, ": total %" PRIu64 "</li>\n", o->a->all_weight);
    fprintf(o->out, "<section id=\"v%zu\">\n<h1>", o->a->views);
    put_html(t.data, t.size, o->out);
    fputs("</h1>\n", o->out);
    if (t.size != strlen(name) || memcmp(t.data, name, t.size) != 0) {
        fputs("<p class=\"whole\"><code>", o->out);
        put_html(name, strlen(name), o->out);
        fputs("</code></p>\n", o->out);
    }
    fputs("<p>", o->out);
    free(t.data);
    return 1;
}

/* A bound of a path, with the separator in front of it. */
static void note_bound(const note_out *o, const char *before, const char *name, double cycles, const char *units)
{
    fprintf(o->out, "%s%s %.2f", before, name, cycles);
    if (units == NULL || units[0] == '\0') return;
    fputs(" (", o->out);
    put_html(units, strlen(units), o->out);
    fputs(")", o->out);
}

/* What bottleneck says of a loop or path. */
static void note_bottleneck(const note_out *o, const note_path *p)
{
    static const char *const verdict[][2] = {
        { "latency", "the latency chain binds it" }, { "ports", "its ports bind it" },
        { "issue", "the issue width binds it" }, { "none", "no bound alone explains its cycles" },
        { "short", "most cycles are those of a single pass, whose critical sequence the arrows show" }
    };
    const annotate_run *const a = o->a;
    const unsigned long long at = a->insn[p->first].address;
    size_t i;
    fprintf(o->out, "<li>%s at ", p->loop ? "Loop" : "Path");
    if (a->o[N_SOURCE].number == 0) fprintf(o->out, "<a href=\"#v%zu-%llx\">%llx</a>: ", a->views, at, at);
    else fprintf(o->out, "%llx: ", at);
    if (p->why != NULL) {
        fputs("not modelled: ", o->out);
        put_html(p->why, strlen(p->why), o->out);
        fputs("</li>\n", o->out);
        return;
    }
    if (p->loop) note_bound(o, "", "latency chain", p->latency, NULL);
    note_bound(o, p->loop ? ", " : "", "ports", p->ports, p->units);
    note_bound(o, ", ", "issue", p->issue, NULL);
    fprintf(o->out, " cycles%s", p->loop ? " per iteration" : "");
    for (i = 0; p->loop && p->verdict != NULL && i < sizeof verdict / sizeof *verdict; i++)
        if (strcmp(p->verdict, verdict[i][0]) == 0) fprintf(o->out, "; in the hottest context %s", verdict[i][1]);
    if (p->doubt != NULL) {
        fputs(". Less exact than llvm-mca: ", o->out);
        put_html(p->doubt, strlen(p->doubt), o->out);
    }
    fputs("</li>\n", o->out);
}

/* The paths of this function that bottleneck found. */
static void note_bottlenecks(const note_out *o)
{
    const annotate_run *const a = o->a;
    size_t i, n = 0;
    for (i = 0; i < a->paths; i++) {
        if (!a->path[i].shown) continue;
        if (n++ == 0) {
            fputs("<p>Bottlenecks", o->out);
            if (a->cpu != NULL) fputs(" on ", o->out), put_html(a->cpu, strlen(a->cpu), o->out);
            fputs(", estimated.", o->out);
            if (o->chain.cell != NULL)
                fputs(" In the column chain, arrows lead from an instruction to the one that waits for its result, "
                      "with the latency and the register beside them. \xe2\x86\xbb: it waits in the next iteration.",
                      o->out);
            fputs("</p>\n<ul class=\"bound\">\n", o->out);
        }
        note_bottleneck(o, &a->path[i]);
    }
    if (n != 0) fputs("</ul>\n", o->out);
}

/* The views of a function: both tables, or one of them. The buttons stand in front of what they show. */
static void note_tabs(const note_out *o)
{
    static const struct { const char *id, *style, *label; } tab[] = {
        { "both", "both", "Side by side" },
        { "lines", "only-lines", "Source" },
        { "insns", "only-insns", "Instructions" }
    };
    const size_t v = o->a->views;
    size_t i;
    for (i = 0; i < sizeof tab / sizeof *tab; i++) {
        fprintf(o->out, "<input class=\"t %s\" type=\"radio\" name=\"v%zu-tab\" id=\"v%zu-%s\"%s>", tab[i].style, v, v,
                tab[i].id, i == 0 ? " checked" : "");
        fprintf(o->out, "<label for=\"v%zu-%s\">%s</label>\n", v, tab[i].id, tab[i].label);
    }
}

static void note_html_head(const note_out *o)
{
    fputs("</ul>\n", o->out);
    note_jumps(o);
    note_bottlenecks(o);
    if (o->beside) note_tabs(o);
    fputs("<div class=\"panes\">\n", o->out);
}

int note_head(const note_out *o)
{
    annotate_run *const a = o->a;
    const char *const slash = strrchr(a->binary, '/'), *const binary = slash != NULL ? slash + 1 : a->binary;
    char *const name = note_name(a, a->func);
    size_t i;
    int ok = name != NULL || (fail(a->in.tool, "out of memory"), 0);
    if (ok && o->html) ok = note_heading(o, name, binary);
    else if (ok) {
        if (a->views != 0) putc('\n', o->out);
        note_put(o, name);
        fputs(" in ", o->out);
    }
    if (ok && o->html && a->title == NULL) a->title = name;
    else free(name);
    if (!ok) return 0;
    note_put(o, binary);
    fprintf(o->out, ": %zu instructions, %zu context%s", a->insns, a->all_contexts, a->all_contexts == 1 ? "" : "s");
    fputs(o->html ? "</p>\n<ul class=\"of\">\n" : "\n", o->out);
    for (i = 0; i < a->contexts; i++)
        if (!note_context(o, i)) return 0;
    if (o->html) note_html_head(o);
    return 1;
}

void note_table_begin(const note_out *o, const char *what)
{
    const annotate_run *const a = o->a;
    const int insns = strcmp(what, "insns") == 0;
    size_t i;
    if (o->html)
        fprintf(o->out, "<div class=\"pane %s\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table><thead><tr>"
                        "<th scope=\"col\">all</th>", what, insns ? "Instructions" : "Source");
    else fprintf(o->out, "\n%13s ", "all");
    for (i = 0; i < a->contexts; i++) fprintf(o->out, o->html ? "<th scope=\"col\">%c</th>" : "%13c ", column_name(i));
    if (!o->html) {
        putc('\n', o->out);
        return;
    }
    fprintf(o->out, "<th scope=\"col\">%s</th>", insns ? "place" : "line");
    if (insns && o->beside) fputs("<th scope=\"col\" class=\"line\">line</th>", o->out);
    if (insns && o->chain.cell != NULL) fputs("<th scope=\"col\">chain</th>", o->out);
    fprintf(o->out, "<th scope=\"col\">%s</th></tr></thead>\n<tbody>\n", insns ? "code" : "source");
}

void note_table_end(const note_out *o)
{
    if (o->html) fputs("</tbody></table></div>\n", o->out);
}

void note_tail(const note_out *o)
{
    if (o->html) fputs("</div>\n</section>\n", o->out);
}

void note_begin(const annotate_run *a, const char *index, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width\"><title>", out);
    put_html(a->title, strlen(a->title), out);
    fprintf(out, "</title><style>%s</style></head>\n<body>", note_style);
    if (a->views > 1) fprintf(out, "<nav><ul>\n%s</ul></nav>\n", index);
}

void note_script_put(FILE *out)
{
    fprintf(out, "<script>%s</script>", note_script);
}
