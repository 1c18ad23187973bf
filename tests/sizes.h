/* sizes.h - sizes of code as llvm-profgen takes them from debug information: from the inline stacks of a table (see
 * table.h). Include it after table.h. */
#ifndef T_SIZES_H
#define T_SIZES_H

/* The base discriminator in one of a line table. */
static uint32_t base_discriminator(unsigned long d)
{
    if (d & 1) return 0;
    d >>= 1;
    return (uint32_t)(d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f);
}

/* Adds one row's bytes: "leaf:line[.discriminator]", then " @ caller:..." for each caller, leaf first. */
static void add_row(csspgo_size_table *s, char *stack, uint64_t bytes, int lines)
{
    csspgo_frame frames[64], *frame;
    size_t n = 0;
    memset(frames, 0, sizeof frames);
    while (stack != NULL && n < 64) {
        char *name = t_piece(&stack, " @ "), *colon = strrchr(name, ':'), *dot;
        unsigned long d;
        if (colon == NULL) return;
        dot = strchr(colon, '.');
        d = dot != NULL ? strtoul(dot + 1, NULL, 10) : 0;
        frame = &frames[63 - n];
        frame->name = name;
        frame->name_size = (size_t)(colon - name);
        if (n != 0 && !lines) frame->loc.line = (uint32_t)(d >> 3 & (d & 0x10000000 ? 0x1fff : 0xffff));
        if (n != 0 && lines) frame->loc = csspgo_loc_at((uint32_t)strtoul(colon + 1, NULL, 10), base_discriminator(d));
        n++;
    }
    if (n != 0) T_EQ(csspgo_size_table_add(s, frames + 64 - n, n, bytes, NULL), CSSPGO_OK);
}

/* A copy of a function that has probes is known, with 0 bytes if there is no code left. */
static void add_nodes(csspgo_size_table *s, const t_table *t)
{
    size_t i;
    for (i = 0; i < t->probes; i++) {
        csspgo_frame frame[64];
        uint32_t at = t->probe[i].inline_node, site = 0;
        size_t n = 0;
        memset(frame, 0, sizeof frame);
        for (; at != 0 && n < 64; site = t->node[at - 1].site, at = t->node[at - 1].parent) {
            frame[63 - n].guid = t->node[at - 1].guid;
            frame[63 - n++].loc.line = site;
        }
        T_EQ(csspgo_size_table_add(s, frame + 64 - n, n, 0, NULL), CSSPGO_OK);
    }
}

static csspgo_size_table *sizes_of(const char *path, int lines)
{
    csspgo_size_table *s = csspgo_size_table_new(NULL, NULL);
    char *text, *line, *at;
    size_t size;
    t_table t;
    T_EQ(t_table_load(&t, path, NULL), CSSPGO_OK);
    add_nodes(s, &t);
    t_table_free(&t);
    at = text = t_file(path, &size);
    while ((line = t_piece(&at, "\n")) != NULL) {
        char *field[5];
        int i;
        if (line[0] == '#') continue;
        for (i = 0; i < 5; i++) field[i] = t_piece(&line, "\t");
        if (field[4] != NULL && field[4][0] != '\0') add_row(s, field[4], strtoull(field[1], NULL, 10), lines);
    }
    free(text);
    return s;
}

#endif
