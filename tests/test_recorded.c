/* test_recorded.c - from samples to the finished profile by line: what llvm-profgen made of them. Those by probe are in
 * recorded.sh */
#include "t.h"
#include "table.h"
#include "lines.h"
#include "sizes.h"

/*
 * Below data/unwind, without .prof, .ps. Of traces/demo.line LLVM loses a head count: it promotes a context before it
 * takes it out of its caller, below which the function stands again.
 */
static const char *const cases[] = { "cases/19-line-mode", "cases/19b-line-returns", "traces/ext.line" };

static void by_line(csspgo_collector *c, const t_table *t, const char *table, csspgo_profile *p)
{
    csspgo_line_table *l = csspgo_line_table_new(NULL, NULL);
    csspgo_generate_options how;
    line_table rows;
    char *text = lines_of(&rows, table);
    memset(&how, 0, sizeof how);
    how.llvm = 19;
    T_EQ(csspgo_line_table_add(l, t->code, t->module, rows.node, rows.nodes, rows.row, rows.rows, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_line_profile(c, l, &how, p, NULL, NULL), CSSPGO_OK);
    csspgo_line_table_free(l);
    free(rows.node);
    free(rows.row);
    free(text);
}

/* What follows counting by default. */
static void finish(csspgo_profile *p, const char *table, int nested)
{
    csspgo_preinline_options how;
    csspgo_size_table *sizes = sizes_of(table, 1);
    T_EQ(csspgo_preinline_defaults(p, NULL, &how, NULL), CSSPGO_OK);
    how.sizes = sizes;
    T_EQ(csspgo_preinline(p, &how, NULL, NULL), CSSPGO_OK);
    if (nested) T_EQ(csspgo_nest(p, 0, NULL), CSSPGO_OK);
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    csspgo_size_table_free(sizes);
}

static void check(const char *name)
{
    const int trace = strncmp(name, "traces", 6) == 0;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_collector_options how;
    csspgo_collector *c;
    char table[128], path[128], *want, *got;
    size_t want_size, got_size;
    t_table t;
    snprintf(table, sizeof table, "data/unwind/tables/%s.tsv", trace ? "ext.line" : "demo.line");
    T_EQ(t_table_load(&t, table, NULL), CSSPGO_OK);
    memset(&how, 0, sizeof how);
    how.llvm = 19;
    c = csspgo_collector_new(t.code, &how, NULL, NULL);
    snprintf(path, sizeof path, "data/unwind/%s.ps", name);
    feed_script(c, t.code, path);
    by_line(c, &t, table, p);
    finish(p, table, trace);
    snprintf(path, sizeof path, "data/unwind/%s.prof", name);
    want = t_file(path, &want_size);
    got = t_text(p, &got_size);
    t_same(path, got, got_size, want, want_size);
    free(want);
    free(got);
    csspgo_collector_free(c);
    csspgo_profile_free(p);
    t_table_free(&t);
}

int main(void)
{
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) check(cases[i]);
    return t_end();
}
