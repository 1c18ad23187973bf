/* profgen_preagg.c - profgen: pre-aggregated text of BOLT, as input and as output (--format=preagg) */
#include "order.h"
#include "profgen.h"

int preagg_wanted(const profgen *g)
{
    return g->o[O_FORMAT].number >= FORMAT_PREAGG;
}

/* Opens the parser of a text. Returns 0 after saying what is wrong. */
int preagg_open(profgen *g, recording *r)
{
    csspgo_preagg_options how;
    memset(&how, 0, sizeof how);
    how.code = g->image.code;
    how.module = g->image.module;
    how.llvm = g->tool->compat ? 19 : 0;
    r->preagg = csspgo_preagg_new(&how, seeded(), NULL);
    return r->preagg != NULL || (fail(g->tool, "out of memory"), 0);
}

/* One line into the counters. Returns 0 after saying what is wrong. */
static int preagg_line(profgen *g, const csspgo_preagg_line *line)
{
    csspgo_error e;
    if ((g->aggregator != NULL ? csspgo_aggregator_count(g->aggregator, line, 1, &e)
                               : csspgo_collector_count(g->collector, line, 1, &e)) == CSSPGO_OK)
        return 1;
    return fail(g->tool, "%s: %s", g->path, plain(&e)), 0;
}

/* As recording_feed. */
int preagg_feed(profgen *g, recording *r, const void *piece, size_t size)
{
    csspgo_preagg_line line;
    csspgo_error e;
    if (size != 0) csspgo_preagg_feed(r->preagg, piece, size, NULL);
    else csspgo_preagg_end(r->preagg);
    while (csspgo_preagg_next(r->preagg, &line, &e))
        if (!preagg_line(g, &line)) return 0;
    return e.status == CSSPGO_OK || (kind_fail_at(g->tool, r->path, KIND_OTHER, &e), 0);
}

void preagg_over(profgen *g, const recording *r)
{
    const csspgo_preagg_stats s = csspgo_preagg_get_stats(r->preagg);
    g->read.lines += s.line_count;
    g->read.reversed += s.reversed;
    if (s.reversed != 0)
        warn(g->tool, "%s:%" PRIu64 ": %" PRIu64 " ranges end before they begin", r->path, s.first_reversed,
             s.reversed);
}

/* What became of the lines of all texts. */
void preagg_warnings(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    if (s.unplaced != 0)
        warn(g->tool, "%" PRIu64 " lines do not count: their addresses are not in %s", s.unplaced, g->binary);
    if (s.invalid_ranges != 0)
        warn(g->tool, "%" PRIu64 " lines do not count: their ranges run across a call, return or jump",
             s.invalid_ranges);
    if (s.addresses != 0 && s.unwound == 0)
        warn(g->tool, "counts of %" PRIu64 " sampled addresses are estimates", s.addresses);
}

/* ----- output ----------------------------------------------------------------------------------------------------- */

static uint32_t preagg_form(const profgen *g)
{
    return g->o[O_FORMAT].number == FORMAT_PREAGG_TRACES ? CSSPGO_PREAGG_TRACES : 0;
}

static csspgo_status preagg_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    return csspgo_write_preagg(g->aggregator, preagg_form(g), buf, cap, size, e);
}

static csspgo_status preagg_to_file(const void *what, const char *name, csspgo_error *e)
{
    const profgen *g = (const profgen *)what;
    return csspgo_write_preagg_file(g->aggregator, name, preagg_form(g), e);
}

/* Writes what was added up. Returns the exit status. */
static int preagg_write(profgen *g)
{
    const writer w = { preagg_to_bytes, preagg_to_file, g };
    const csspgo_aggregator_stats s = csspgo_aggregator_get_stats(g->aggregator);
    const int file = strcmp(g->output, "-") != 0;
    csspgo_error e;
    csspgo_status status;
    size_t size = 0;
    csspgo_write_preagg(g->aggregator, preagg_form(g), NULL, 0, &size, NULL);
    if (s.no_branches != 0 && preagg_form(g) == 0)
        warn(g->tool, "%" PRIu64 " of %" PRIu64 " samples have no branch records: they are not written", s.no_branches,
             s.samples);
    if (s.crossing != 0)
        warn(g->tool, "%" PRIu64 " distinct ranges lie in no function or in several: they are not written", s.crossing);
    if (file) hold_interrupt(SIG_BLOCK);
    status = write_output(&w, g->output, &e);
    if (file) hold_interrupt(SIG_UNBLOCK);
    if (status != CSSPGO_OK) return fail_at(g->tool, g->output, &e);
    return size != 0 ? 0 : hopeless(g->tool, "the output is empty: no branch record is of %s", g->binary);
}

static int preagg_cmp(const void *a, const void *b)
{
    const load_range *x = (const load_range *)a, *y = (const load_range *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;    /* of one address the longest first */
}

/* The functions whose symbols have no size, as BOLT has them: up to the next function or the end of the section. */
static int preagg_functions(profgen *g)
{
    const elf_image *e = load_symbols(&g->image);
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
        status = csspgo_code_add_function(g->image.code, g->image.module, &f, NULL);
        if (status == CSSPGO_E_ARGUMENT) status = CSSPGO_OK;
    }
    free(v);
    return status == CSSPGO_OK || (fail(g->tool, "out of memory"), 0);
}

/* BOLT knows .plt and other sections without symbols: their addresses are in the program, too. */
static int preagg_sections(profgen *g)
{
    const elf_image *e = &g->image.elf;
    uint32_t i;
    for (i = 1; i < e->section_count; i++) {
        csspgo_status status = CSSPGO_OK;
        elf_section s;
        if (elf_section_at(e, i, &s) && s.flags & ELF_SECTION_EXEC && s.flags & ELF_SECTION_ALLOC && s.size != 0)
            status = csspgo_code_add_area(g->image.code, g->image.module, s.address, s.size, NULL);
        if (status != CSSPGO_OK && status != CSSPGO_E_ARGUMENT)     /* E_ARGUMENT: its code is there already */
            return fail(g->tool, "%s: %s", g->binary, csspgo_status_text(status)), 0;
    }
    return 1;
}

/* --format=preagg: from the program and its samples to the output. Returns the exit status. */
int preagg_run(profgen *g)
{
    char why[PROGRAM_WHY];
    int ok, status;
    catch_interrupt(0);
    if (!load_program(g->tool, &g->image, g->binary, why, sizeof why))
        return kind_program_fail(g->tool, g->binary, &g->o[O_DEBUG_BINARY], why);
    g->aggregator = csspgo_aggregator_new(g->image.code, g->image.module, seeded(), NULL);
    ok = preagg_sections(g) && preagg_functions(g) && profgen_spaces(g) &&
         (g->aggregator != NULL || (fail(g->tool, "out of memory"), 0));
    if (ok && g->unsymbolized != NULL) {
        const csspgo_collector_options how = profgen_how(g);
        g->collector = csspgo_collector_new(g->image.code, &how, seeded(), NULL);
        ok = g->collector != NULL || (fail(g->tool, "out of memory"), 0);
    }
    ok = ok && profgen_read_inputs(g) && (g->unsymbolized == NULL || preagg_take_raw(g));
    if (!interrupted()) catch_interrupt(SA_RESTART);
    status = ok && counts_report(g, NULL) ? preagg_write(g) : 1;
    return interrupted() ? 128 + SIGINT : status;
}
