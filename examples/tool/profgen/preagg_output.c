/* preagg_output.c - profgen --format=preagg: from a program and its samples or raw counters to text for BOLT */
#include "profgen.h"

/* ----- of raw counters -------------------------------------------------------------------------------------------- */

/*
 * Contexts add up. A range that begins behind a call was entered by a return, from another function, unless a branch of
 * its own function goes there: then as often as returns were counted.
 */

typedef struct raw_count {
    uint64_t from, to, count;     /* of a range: its begin and end */
    int      branch;
} raw_count;

/* Ranges by begin and end; behind them branches by target. */
static int raw_cmp(const void *a, const void *b)
{
    const raw_count *x = (const raw_count *)a, *y = (const raw_count *)b;
    const uint64_t m = x->branch ? x->to : x->from, n = y->branch ? y->to : y->from;
    if (x->branch != y->branch) return x->branch - y->branch;
    if (m != n) return m < n ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* What is in lines like 1a-2b:3 and 1a->2b:3, for free(). NULL: out of memory. */
static raw_count *raw_parse(const char *text, size_t *count)
{
    const char *p;
    size_t lines = 1, n = 0, i;
    raw_count *v;
    for (p = text; *p != '\0'; p++) lines += *p == '\n';
    v = (raw_count *)calloc(lines, sizeof *v);
    for (p = text; v != NULL && p != NULL && *p != '\0'; p = strchr(p, '\n'), p += p != NULL) {
        char *at;
        const uint64_t from = strtoull(p, &at, 16);
        if (at == p || *at != '-') continue;               /* a context, or how many follow */
        v[n].branch = at[1] == '>';
        v[n].from = from;
        v[n].to = strtoull(at + 1 + v[n].branch, &at, 16);
        v[n].count = strtoull(at + 1, NULL, 10);
        n++;
    }
    if (n != 0) qsort(v, n, sizeof *v, raw_cmp);
    for (i = *count = 0; i < n; i++)
        if (*count == 0 || raw_cmp(&v[*count - 1], &v[i]) != 0) v[(*count)++] = v[i];
        else v[*count - 1].count = sum_of(v[*count - 1].count, v[i].count);
    return v;
}

/* 1 if two addresses are in one function. */
static int same_function(const loaded *l, uint64_t a, uint64_t b)
{
    const load_range *r = l->range;
    size_t first = 0, end = l->ranges;
    while (first < end) {
        const size_t m = first + (end - first) / 2;
        if (r[m].end <= a) first = m + 1;
        else end = m;
    }
    return first < l->ranges && r[first].begin <= a && r[first].begin <= b && b < r[first].end;
}

/* How often returns went to an address, of branches by target; UINT64_MAX: nothing else went there. */
static uint64_t raw_returns(const loaded *l, const raw_count *branch, size_t branches, uint64_t to)
{
    size_t a = 0, b = branches;
    uint64_t n = 0;
    int jumps = 0;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (branch[m].to < to) a = m + 1;
        else b = m;
    }
    for (; a < branches && branch[a].to == to; a++)
        if (same_function(l, to, branch[a].from)) jumps = 1;
        else n = sum_of(n, branch[a].count);
    return jumps ? n : UINT64_MAX;
}

static csspgo_status raw_put(csspgo_aggregator *to, uint32_t kind, const raw_count *c, uint64_t count)
{
    csspgo_preagg_line line;
    memset(&line, 0, sizeof line);
    line.kind = kind;
    line.from = kind == 'B' ? c->from : 0;
    line.to = kind == 'B' ? c->to : c->from;
    line.end = kind == 'B' ? 0 : c->to;
    line.count = count;
    return count != 0 ? csspgo_aggregator_count(to, &line, 1, NULL) : CSSPGO_OK;
}

/* All counters: v has n, ranges first. */
static csspgo_status raw_put_all(csspgo_aggregator *to, const loaded *l, const raw_count *v, size_t n)
{
    csspgo_status s = CSSPGO_OK;
    uint64_t returns = 0;
    size_t ranges = 0, i;
    while (ranges < n && !v[ranges].branch) ranges++;
    for (i = 0; i < n && s == CSSPGO_OK; i++) {
        const raw_count *c = &v[i];
        uint64_t returned;
        if (c->branch) {
            s = raw_put(to, 'B', c, c->count);
            continue;
        }
        if (i == 0 || v[i - 1].from != c->from)
            returns = csspgo_code_call_before(l->code, c->from) == 0 ? 0
                    : raw_returns(l, v + ranges, n - ranges, c->from);
        returned = returns < c->count ? returns : c->count;
        if (returns != UINT64_MAX) returns -= returned;
        s = raw_put(to, 'f', c, returned);
        if (s == CSSPGO_OK) s = raw_put(to, 'F', c, c->count - returned);
    }
    return s;
}

/* From the collector's counters to the aggregator's. Returns 0 after saying what is wrong. */
static int preagg_take_raw(profgen *g)
{
    csspgo_unsymbolized_options raw;
    csspgo_status s;
    raw_count *v = NULL;
    char *text;
    size_t size = 0, n = 0;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image->module;
    s = csspgo_write_unsymbolized(g->count.collector, &raw, NULL, 0, &size, NULL);
    text = (char *)malloc(size + 1);
    if (text == NULL) s = CSSPGO_E_NOMEM;
    else if (size != 0) s = csspgo_write_unsymbolized(g->count.collector, &raw, text, size, &size, NULL);
    if (text != NULL) text[size] = '\0';
    if (s == CSSPGO_OK && (v = raw_parse(text, &n)) == NULL) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = raw_put_all(g->count.aggregator, g->image, v, n);
    free(v);
    free(text);
    return s == CSSPGO_OK || (fail(g->tool, "%s", csspgo_status_text(s)), 0);
}

/* ----- output ----------------------------------------------------------------------------------------------------- */

static uint32_t preagg_form(const option *o)
{
    return o[O_FORMAT].number == FORMAT_PREAGG_TRACES ? CSSPGO_PREAGG_TRACES : 0;
}

static csspgo_status preagg_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    return csspgo_write_preagg(g->count.aggregator, preagg_form(g->o), buf, cap, size, e);
}

static csspgo_status preagg_to_file(const void *what, const char *name, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    return csspgo_write_preagg_file(g->count.aggregator, name, preagg_form(g->o), e);
}

/* Writes what was added up. Returns the exit status. */
static int preagg_write(profgen *g)
{
    const writer w = { preagg_to_bytes, preagg_to_file, g };
    const csspgo_aggregator_stats s = csspgo_aggregator_get_stats(g->count.aggregator);
    const int file = strcmp(g->in.output, "-") != 0;
    csspgo_error e;
    csspgo_status status;
    size_t size = 0;
    csspgo_write_preagg(g->count.aggregator, preagg_form(g->o), NULL, 0, &size, NULL);
    if (s.no_branches != 0 && preagg_form(g->o) == 0)
        warn(g->tool, "%" PRIu64 " of %" PRIu64 " samples have no branch records: they are not written", s.no_branches,
             s.samples);
    if (s.crossing != 0)
        warn(g->tool, "%" PRIu64 " distinct ranges lie in no function or in several: they are not written", s.crossing);
    if (file) hold_interrupt(SIG_BLOCK);
    status = write_output(&w, g->in.output, &e);
    if (file) hold_interrupt(SIG_UNBLOCK);
    if (status != CSSPGO_OK) return fail_at(g->tool, g->in.output, &e);
    return size != 0 ? 0 : hopeless(g->tool, "the output is empty: no branch record is of %s", g->in.binary);
}

static int preagg_cmp(const void *a, const void *b)
{
    const load_range *x = (const load_range *)a, *y = (const load_range *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;    /* of one address the longest first */
}

/* The functions whose symbols have no size, as BOLT has them: up to the next function or the end of the section. */
static int preagg_functions(const tool_context *tool, loaded *l)
{
    const elf_image *e = load_symbols(l);
    load_range *v = (load_range *)malloc(((size_t)e->symbol_count + 1) * sizeof *v);
    csspgo_status status = v != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    size_t n = 0, i;
    uint32_t k;
    for (k = 1; v != NULL && k < e->symbol_count; k++) {
        elf_section in;
        elf_symbol y;
        if (!elf_symbol_at(e, k, &y) || y.type != ELF_FUNC || !elf_section_at(e, y.section, &in)) continue;
        if (!(in.flags & ELF_SECTION_EXEC) || y.value - in.address >= in.size) continue;
        v[n].begin = y.value;
        v[n].end = y.size != 0 ? y.value + y.size : y.value;
        v[n].part = k;
        v[n++].symbol = y.section;
    }
    if (n != 0) qsort(v, n, sizeof *v, preagg_cmp);
    for (i = 0; i < n && status == CSSPGO_OK; i++) {
        csspgo_code_function f;
        elf_section in;
        elf_symbol y;
        if (v[i].end != v[i].begin || (i != 0 && v[i].begin == v[i - 1].begin)) continue;
        if (!elf_symbol_at(e, v[i].part, &y) || !elf_section_at(e, v[i].symbol, &in)) continue;
        memset(&f, 0, sizeof f);
        f.begin = v[i].begin;
        f.end = in.address + in.size;
        if (i + 1 < n && v[i + 1].begin < f.end) f.end = v[i + 1].begin;
        f.name = y.name;
        f.name_size = y.name_size;
        status = csspgo_code_add_function(l->code, l->module, &f, NULL);
        if (status == CSSPGO_E_ARGUMENT) status = CSSPGO_OK;
    }
    free(v);
    return status == CSSPGO_OK || (fail(tool, "out of memory"), 0);
}

/* BOLT knows .plt and other sections without symbols: their addresses are in the program, too. */
static int preagg_sections(const tool_context *tool, const program_image *m)
{
    const elf_image *e = &m->loaded.elf;
    uint32_t i;
    for (i = 1; i < e->section_count; i++) {
        csspgo_status status = CSSPGO_OK;
        elf_section s;
        if (elf_section_at(e, i, &s) && s.flags & ELF_SECTION_EXEC && s.flags & ELF_SECTION_ALLOC && s.size != 0)
            status = csspgo_code_add_area(m->loaded.code, m->loaded.module, s.address, s.size, NULL);
        if (status != CSSPGO_OK && status != CSSPGO_E_ARGUMENT)     /* E_ARGUMENT: its code is there already */
            return fail(tool, "%s: %s", m->path, csspgo_status_text(status)), 0;
    }
    return 1;
}

/* Makes what gets the samples. Returns 0 after saying what is wrong. */
static int preagg_begin(profgen *g)
{
    const csspgo_collector_options how = profgen_how(g);
    g->count.aggregator = csspgo_aggregator_new(g->image->code, g->image->module, seeded(), NULL);
    if (!preagg_sections(g->tool, g->programs.v) || !preagg_functions(g->tool, g->image)) return 0;
    if (!profgen_spaces(g)) return 0;
    if (g->in.unsymbolized != NULL) g->count.collector = csspgo_collector_new(g->image->code, &how, seeded(), NULL);
    return (g->count.aggregator != NULL && (g->in.unsymbolized == NULL || g->count.collector != NULL)) ||
           (fail(g->tool, "out of memory"), 0);
}

int preagg_run(profgen *g)
{
    char why[PROGRAM_WHY];
    int ok, status;
    catch_interrupt(0);
    if (!programs_begin(&g->programs, 1)) return fail(g->tool, "out of memory");
    g->image = &g->programs.v->loaded;
    g->programs.v->path = g->in.binary;
    if (!load_program(g->tool, g->image, g->in.binary, why, sizeof why))
        return kind_program_fail(g->tool, g->in.binary, &g->o[O_DEBUG_BINARY], why);
    ok = preagg_begin(g) && profgen_read_inputs(g) && (g->in.unsymbolized == NULL || preagg_take_raw(g));
    if (!interrupted()) catch_interrupt(SA_RESTART);
    status = ok && counts_report(g, NULL) ? preagg_write(g) : 1;
    return interrupted() ? 128 + SIGINT : status;
}
