/* lines.h - the inline stacks of a table (see table.h) as lines for csspgo_line_table_add, and perf scripts to go with them.
 * Include it after table.h. */
#ifndef T_LINES_H
#define T_LINES_H

typedef struct line_table {
    csspgo_line_inline_node *node;
    csspgo_line_row        *row;
    size_t nodes, rows;
} line_table;

static csspgo_loc loc_of(const char *text)
{
    char *end;
    const unsigned long line = strtoul(text, &end, 10);
    return csspgo_loc_at((uint32_t)line & 0xffff, *end == '.' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0);
}

/* The copy (number from 1) of a function inlined at a site of parent, made if need be. */
static uint32_t line_node(line_table *t, uint32_t parent, csspgo_loc site, const char *name)
{
    csspgo_line_inline_node *n;
    size_t i;
    for (i = 0; i < t->nodes; i++) {
        n = &t->node[i];
        if (n->parent == parent && n->site.line == site.line && n->site.discriminator == site.discriminator &&
            n->name_size == strlen(name) && memcmp(n->name, name, n->name_size) == 0) return (uint32_t)i + 1;
    }
    t->node = (csspgo_line_inline_node *)t_list_more(t->node, t->nodes, sizeof *t->node);
    n = &t->node[t->nodes];
    n->name = name;
    n->name_size = strlen(name);
    n->parent = parent;
    n->site = site;
    return (uint32_t)++t->nodes;
}

/* "leaf:line[.discriminator] @ caller:...", leaf first. */
static void line_row(line_table *t, uint64_t address, char *stack)
{
    char *name[64];
    csspgo_loc loc[64], site = csspgo_loc_at(0, 0);
    uint32_t node = 0;
    size_t n = 0;
    csspgo_line_row *r;
    while (stack != NULL && n < 64) {
        char *colon;
        name[n] = t_piece(&stack, " @ ");
        colon = strrchr(name[n], ':');
        if (colon == NULL) break;
        *colon = '\0';
        loc[n++] = loc_of(colon + 1);
    }
    t->row = (csspgo_line_row *)t_list_more(t->row, t->rows, sizeof *t->row);
    r = &t->row[t->rows++];
    r->loc = n != 0 ? loc[0] : site;
    while (n-- != 0) {
        node = line_node(t, node, site, name[n]);
        site = loc[n];
    }
    r->inline_node = node;
    r->address = address;
}

static char *lines_of(line_table *t, const char *path)
{
    size_t size;
    char *text = t_file(path, &size), *at = text, *line;
    memset(t, 0, sizeof *t);
    while ((line = t_piece(&at, "\n")) != NULL) {
        char *field[5];
        int i;
        if (line[0] == '#') continue;
        for (i = 0; i < 5; i++) field[i] = t_piece(&line, "\t");
        if (field[4] != NULL) line_row(t, t_hex(field[0]), field[4]);
    }
    return text;
}

/* The samples of a perf script, broken stacks as llvm-profgen reads them. */
CSSPGO__UNUSED static void feed_script(csspgo_collector *c, csspgo_code *code, const char *path)
{
    csspgo_script *s = t_llvm_script(code, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    size_t size;
    char *text = t_file(path, &size);
    csspgo_script_feed(s, text, size, NULL);
    csspgo_script_end(s);
    while ((item = csspgo_script_next(s, &sample, &map, &e)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_MMAP) csspgo_code_mmap(code, &map, NULL, NULL);
        else T_EQ(csspgo_collector_add(c, &sample, 1, NULL), CSSPGO_OK);
    }
    T_EQ(e.status, CSSPGO_OK);
    csspgo_script_free(s);
    free(text);
}

#endif
