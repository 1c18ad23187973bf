/* block.h - a block of instructions with the events of LLVM's pipeline: tests/data/bottleneck/NAME.ev */
#ifndef BLOCK_H
#define BLOCK_H

enum { BLOCK_MAX = 64, BLOCK_REGS = 1024 };

typedef struct block {
    char    *text;                /* the file; everything points into it or into `made` */
    uint32_t n, iterations;
    const char *instruction[BLOCK_MAX];
    const char *reg[BLOCK_REGS];
    csspgo_bottleneck_resource resource[BLOCK_MAX];
    size_t   resources;
    uint32_t first_unit[BLOCK_MAX];     /* of LLVM's resource, by its number in the file */
    uint32_t of_number[BLOCK_MAX * 2];
    csspgo_bottleneck_event *event;
    size_t   events, cap;
    void    *made[4096];          /* arrays of events, for free() */
    size_t   makes;
} block;

static uint64_t block_number(char **at)
{
    char *end;
    const uint64_t v = strtoull(*at, &end, 0);
    if (end == *at) {
        fprintf(stderr, "block.h: a number is missing: %s\n", *at);
        abort();
    }
    *at = end;
    return v;
}

static void *block_array(size_t bytes)
{
    void *p = calloc(1, bytes != 0 ? bytes : 1);
    if (p == NULL) abort();
    return p;
}

/* "p,reg,cycles" or "p,cycles" or "-" */
static csspgo_bottleneck_dependency block_dependency(char *at, int has_reg)
{
    csspgo_bottleneck_dependency d;
    memset(&d, 0, sizeof d);
    if (*at == '-') return d;
    d.iid = (uint32_t)block_number(&at);
    at++;
    if (has_reg) {
        d.reg = (uint32_t)block_number(&at);
        at++;
    }
    d.cycles = (uint32_t)block_number(&at);
    return d;
}

/* "D 5", "I 0 0x0 r:- m:- 2.0x1:1 13.0x1:4", "P 2 0x0 1:0x0", "X 3", "S", "E" */
static void block_event(block *b, char *line)
{
    csspgo_bottleneck_event e;
    char kind = *line++, *word;
    memset(&e, 0, sizeof e);
    e.kind = kind == 'D' ? CSSPGO_BOTTLENECK_DISPATCHED : kind == 'X' ? CSSPGO_BOTTLENECK_EXECUTED
           : kind == 'I' ? CSSPGO_BOTTLENECK_ISSUED : kind == 'S' ? CSSPGO_BOTTLENECK_STALLED
           : CSSPGO_BOTTLENECK_CYCLE;
    if (kind == 'D' || kind == 'X' || kind == 'I') e.iid = (uint32_t)block_number(&line);
    if (kind == 'I') {
        csspgo_bottleneck_use *use = (csspgo_bottleneck_use *)block_array(64 * sizeof *use);
        e.busy = block_number(&line);
        for (word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
            if (word[0] == 'r') e.reg = block_dependency(word + 2, 1);
            else if (word[0] == 'm') e.mem = block_dependency(word + 2, 0);
            else {
                uint64_t unit = block_number(&word);
                if (*word == '.') {       /* LLVM's resource, and its unit as a bit */
                    uint64_t mask, r = unit;
                    word++;
                    mask = block_number(&word);
                    for (unit = b->first_unit[b->of_number[r]]; mask > 1; mask >>= 1) unit++;
                }
                word++;
                use[e.uses].unit = (uint32_t)unit;
                use[e.uses++].cycles = (uint32_t)block_number(&word);
            }
        }
        e.use = use;
        b->made[b->makes++] = use;
    }
    if (kind == 'P') {
        csspgo_bottleneck_waiting *w = (csspgo_bottleneck_waiting *)block_array(1024 * sizeof *w);
        e.kind = (csspgo_bottleneck_kind)(block_number(&line) + CSSPGO_BOTTLENECK_RESOURCES - 1);
        e.busy = block_number(&line);
        for (word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
            w[e.waits].iid = (uint32_t)block_number(&word);
            word++;
            w[e.waits++].busy = block_number(&word);
        }
        e.waiting = w;
        b->made[b->makes++] = w;
    }
    if (b->makes + 1 >= sizeof b->made / sizeof *b->made) abort();
    if (b->events == b->cap) {
        b->cap = b->cap * 2 + 1024;
        b->event = (csspgo_bottleneck_event *)realloc(b->event, b->cap * sizeof e);
        if (b->event == NULL) abort();
    }
    b->event[b->events++] = e;
}

/* "res 9 JFPU01 units 2 mask 0x8060": LLVM's resource; units of groups are those of their members */
static void block_resource(block *b, char *line)
{
    csspgo_bottleneck_resource *r = &b->resource[b->resources];
    static uint32_t next;
    uint64_t number, units;
    uint32_t i;
    if (b->resources == 0) next = 0;
    number = block_number(&line);
    r->name = strtok(line, " ");
    line = strtok(NULL, " ");
    line = strtok(NULL, " ");
    units = block_number(&line);
    line = strtok(NULL, " ");
    line = strtok(NULL, " ");
    r->mask = block_number(&line);
    b->of_number[number] = (uint32_t)b->resources;
    b->first_unit[b->resources] = next;
    if ((r->mask & (r->mask - 1)) == 0)
        for (i = 0; i < units; i++) r->units |= (uint64_t)1 << next++;
    b->resources++;
}

static block *block_read(const char *path)
{
    block *b = (block *)block_array(sizeof *b);
    size_t size;
    char *line, *next;
    b->text = t_file(path, &size);
    if (b->text == NULL) abort();
    for (line = b->text; *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        if (*next != '\0') *next++ = '\0';
        if (strncmp(line, "# regname ", 10) == 0) {
            uint64_t r;
            line += 10;
            r = block_number(&line);
            if (r < BLOCK_REGS) b->reg[r] = line + 1;
        } else if (strncmp(line, "# source ", 9) == 0) {
            line += 9;
            b->n = (uint32_t)block_number(&line);
            line += strlen(" iterations ");
            b->iterations = (uint32_t)block_number(&line);
        } else if (strncmp(line, "inst ", 5) == 0) {
            uint64_t i;
            line += 5;
            i = block_number(&line);
            if (i < BLOCK_MAX) b->instruction[i] = ++line;
            line += strcspn(line, " ");
            if (*line != '\0') *line = '\t';          /* as LLVM prints it */
        } else if (strncmp(line, "res ", 4) == 0) {
            block_resource(b, line + 4);
        } else if (*line != '#' && *line != '\0') {
            block_event(b, line);
        }
    }
    return b;
}

static void block_free(block *b)
{
    while (b->makes != 0) free(b->made[--b->makes]);
    free(b->event);
    free(b->text);
    free(b);
}

#endif
