/* truth_lines.h - for truth.c: functions and source lines of a program without probes
 *
 * The debug information is read as the tool reads it; discriminators are decoded here. Include it after load.h.
 */
#ifndef CSSPGO_BENCH_TRUTH_LINES_H
#define CSSPGO_BENCH_TRUTH_LINES_H

#include "../examples/tool/debug/entry.c"
#include "../examples/tool/debug/file.c"
#include "../examples/tool/debug/info.c"
#include "../examples/tool/debug/names.c"
#include "../examples/tool/debug/paths.c"
#include "../examples/tool/debug/rows.c"
#include "../examples/tool/debug/stack.c"
#include "../examples/tool/debug/table.c"
#include "../examples/tool/debug/unit.c"

typedef struct line_copy {        /* a function's body, inlined or not                                    */
    uint64_t guid;
    uint32_t parent;              /* line_map.copy that it is inlined into, or 0                          */
    int      start_up;            /* it is, or is inlined into, a function that gets no profile           */
    csspgo_loc site;
} line_copy;

typedef struct line_map {         /* all zero: the program is profiled by probes                          */
    csspgo_line_table *table;
    line_copy         *copy;      /* [0] unused                                                           */
    csspgo_line_row   *row;       /* inline_node: in copy                                                 */
    uint32_t          *row_of;    /* per position of the code map: row + 1; 0: nothing is known           */
    size_t copies, rows;
    int    flat;                  /* 1: contexts are inline stacks only                                   */
} line_map;

/* A number with 5 bits, or 12 if the sixth says so. */
static uint32_t line_number(uint32_t bits)
{
    return bits & 0x20 ? (bits >> 1 & 0xfe0) | (bits & 0x1f) : bits & 0x1f;
}

/* A location as a number: the line offset and what tells apart blocks of one line. */
static uint64_t line_key(csspgo_loc loc)
{
    const uint32_t d = loc.discriminator;
    const uint32_t base = (d & 7) == 7 && d & 0x10000000 ? d >> 16 & 7 : d & 1 ? 0 : line_number(d >> 1);
    return (uint64_t)base << 16 | loc.line;
}

/* How many iterations one run of an instruction stands for: unrolled and vectorised code. */
static uint64_t line_factor(csspgo_loc loc)
{
    const uint32_t d = loc.discriminator, rest = d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
    const uint32_t factor = rest & 1 ? 0 : line_number(rest >> 1);
    return factor != 0 ? factor : 1;
}

/* The functions are the ranges of the debug information; one without a symbol where it begins is no entry. */
static int line_functions(loaded *l, const debug_info *debug)
{
    const elf_image *e = load_symbols(l);
    size_t n, i;
    const debug_range *r = debug_info_ranges(debug, &n);
    uint64_t *entry = (uint64_t *)malloc(((size_t)e->symbol_count + 1) * sizeof *entry);
    csspgo_status s = entry != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    size_t entries = 0;
    for (i = 1; s == CSSPGO_OK && i < e->symbol_count; i++) {
        elf_symbol y;
        if (elf_symbol_at(e, (uint32_t)i, &y) && y.section != ELF_UNDEFINED) entry[entries++] = y.value;
    }
    if (s == CSSPGO_OK) qsort(entry, entries, sizeof *entry, load_u64_cmp);
    for (i = 0; s == CSSPGO_OK && i < n; i++) {
        csspgo_code_function f;
        memset(&f, 0, sizeof f);
        f.begin = r[i].begin;
        f.end = r[i].end;
        f.name = r[i].name;
        f.name_size = strlen(f.name);
        f.fragment = !load_has(entry, entries, f.begin);
        s = csspgo_code_add_function(l->code, l->module, &f, NULL);
        if (s == CSSPGO_E_ARGUMENT) s = CSSPGO_OK;     /* two functions that the linker folded: the first one */
    }
    free(entry);
    return s == CSSPGO_OK;
}

static int line_is_start_up(const char *name)
{
    return strncmp(name, "__cxx_global_var_init", 21) == 0 || strncmp(name, "__tls_init", 10) == 0;
}

/* Adds the lines of a unit. Returns 0: out of memory. */
static int line_unit(line_map *m, const loaded *l, const debug_lines *u)
{
    size_t i;
    m->copy = (line_copy *)realloc(m->copy, (m->copies + u->nodes + 1) * sizeof *m->copy);
    m->row = (csspgo_line_row *)realloc(m->row, (m->rows + u->rows + 1) * sizeof *m->row);
    if (m->copy == NULL || m->row == NULL) return 0;
    for (i = 0; i < u->nodes; i++) {
        line_copy *const c = &m->copy[m->copies + i + 1];
        c->guid = csspgo_guid(u->node[i].name, u->node[i].name_size);
        c->parent = u->node[i].parent != 0 ? (uint32_t)m->copies + u->node[i].parent : 0;
        c->site = u->node[i].site;
        c->start_up = line_is_start_up(u->node[i].name) || (m->flat && c->parent != 0 && m->copy[c->parent].start_up);
    }
    for (i = 0; i < u->rows; i++) {
        csspgo_line_row *const r = &m->row[m->rows + i];
        const uint64_t end = i + 1 < u->rows ? u->row[i + 1].address : 0;
        uint64_t address;
        *r = u->row[i];
        if (r->inline_node == 0) continue;
        r->inline_node += (uint32_t)m->copies;
        for (address = r->address; address < end; address++) {
            const uint32_t pos = csspgo__pos_in(l->code, l->module.id, address);
            if (pos != CSSPGO__EXT && csspgo__range_of(l->code, pos) != NULL)
                m->row_of[pos] = (uint32_t)(m->rows + i) + 1;
        }
    }
    m->copies += u->nodes;
    m->rows += u->rows;
    return csspgo_line_table_add(m->table, l->code, l->module, u->node, u->nodes, u->row, u->rows, NULL) == CSSPGO_OK;
}

/* Opens a program that has lines. Returns 0 with a sentence in why. */
static int line_load(line_map *m, loaded *l, const char *path, char *why, size_t why_size)
{
    debug_info *debug;
    debug_options how;
    debug_lines u;
    size_t i;
    int ok;
    if (!load_files(l, path, NULL, why, why_size) || !load_module(l, path, why, why_size) ||
        !load_code(l, why, why_size)) return 0;
    memset(&how, 0, sizeof how);
    how.first = csspgo_code_base(l->code, l->module);
    how.symbols = load_symbols(l);
    if ((debug = debug_info_open(path, &how, why, why_size)) == NULL) return 0;
    m->table = csspgo_line_table_new(NULL, NULL);
    m->row_of = (uint32_t *)calloc(l->code->bytes, sizeof *m->row_of);
    ok = m->table != NULL && m->row_of != NULL && line_functions(l, debug);
    for (i = 0; ok && i < debug_info_units(debug); i++)
        ok = debug_info_lines(debug, i, NULL, &u) && line_unit(m, l, &u);
    debug_info_close(debug);
    return ok || load_fail(why, why_size, "out of memory");
}

static void line_free(line_map *m)
{
    csspgo_line_table_free(m->table);
    free(m->copy);
    free(m->row);
    free(m->row_of);
}

/* The row of a position; NULL: nothing is known. */
static const csspgo_line_row *line_at(const line_map *m, uint32_t pos)
{
    return pos != CSSPGO__EXT && m->row_of[pos] != 0 ? &m->row[m->row_of[pos] - 1] : NULL;
}

#endif
