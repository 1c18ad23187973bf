/* ctx_table.h - tables of ctx_ir.awk: a program's functions as csspgo_ctx_profile wants them, and for inliners the size and
 * the calls of each. A size is the number of the function's probes. */
#ifndef CTX_TABLE_H
#define CTX_TABLE_H
#ifndef CSSPGO_ALL
#  define CSSPGO_ALL
#endif
#include "../csspgo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_FUNCTIONS = 4000 };

typedef struct table {
    csspgo_ctx_function function[TABLE_FUNCTIONS];
    csspgo_cfg  cfg[TABLE_FUNCTIONS];
    char      **target[TABLE_FUNCTIONS];         /* of each call site; NULL: indirect */
    size_t      functions;
} table;

static void table_die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(2);
}

/* An array with room for one element more. */
static void *table_more(void *v, size_t n, size_t elem)
{
    if ((n & (n - 1)) == 0) v = realloc(v, (n == 0 ? 1 : 2 * n) * elem);
    if (v == NULL) table_die("out of memory");
    return v;
}

static char *table_string(const char *text)
{
    char *copy = (char *)malloc(strlen(text) + 1);
    if (copy == NULL) table_die("out of memory");
    return strcpy(copy, text);
}

static void table_function(table *t, const char *name, uint64_t checksum, const char *identifier)
{
    csspgo_ctx_function *f = &t->function[t->functions];
    if (t->functions == TABLE_FUNCTIONS) table_die("too many functions");
    f->cfg = &t->cfg[t->functions++];
    f->name = table_string(name);
    f->name_size = strlen(name);
    f->guid = csspgo_guid(identifier, strlen(identifier));
    f->checksum = checksum;
}

static void table_block(table *t, const char *counter, const char *probe)
{
    csspgo_cfg *cfg = &t->cfg[t->functions - 1];
    csspgo_ctx_function *f = &t->function[t->functions - 1];
    csspgo_loc *loc = (csspgo_loc *)table_more((void *)(size_t)f->counter, f->counters, sizeof *loc);
    cfg->block = (csspgo_cfg_block *)table_more(cfg->block, cfg->blocks, sizeof *cfg->block);
    memset(&cfg->block[cfg->blocks], 0, sizeof *cfg->block);
    cfg->block[cfg->blocks].known = *counter != '-';
    cfg->block[cfg->blocks++].count = *counter != '-' ? strtoul(counter, NULL, 10) : 0;
    loc[f->counters++] = csspgo_loc_at(*probe != '-' ? (uint32_t)strtoul(probe, NULL, 10) : UINT32_MAX, 0);
    f->counter = loc;
}

static void table_edge(table *t, const char *from, const char *to)
{
    csspgo_cfg *cfg = &t->cfg[t->functions - 1];
    cfg->edge = (csspgo_cfg_edge *)table_more(cfg->edge, cfg->edges, sizeof *cfg->edge);
    memset(&cfg->edge[cfg->edges], 0, sizeof *cfg->edge);
    cfg->edge[cfg->edges].from = (uint32_t)strtoul(from, NULL, 10);
    cfg->edge[cfg->edges++].to = (uint32_t)strtoul(to, NULL, 10);
}

static void table_site(table *t, const char *discriminator, const char *target)
{
    csspgo_ctx_function *f = &t->function[t->functions - 1];
    char ***to = &t->target[t->functions - 1];
    csspgo_loc *loc = (csspgo_loc *)table_more((void *)(size_t)f->site, f->sites, sizeof *loc);
    csspgo_call_probe probe;
    *to = (char **)table_more(*to, f->sites, sizeof **to);
    (*to)[f->sites] = *target != '-' ? table_string(target) : NULL;
    loc[f->sites++] = csspgo_loc_at(csspgo_call_probe_unpack((uint32_t)strtoul(discriminator, NULL, 10),
                                                             &probe) ? probe.id
                                                                                                              : UINT32_MAX, 0);
    f->site = loc;
}

static table *table_read(const char *path)
{
    table *t = (table *)calloc(1, sizeof *t);
    FILE *f = fopen(path, "r");
    char what[16], a[4000], b[4000], line[9000];
    unsigned long long checksum;
    if (t == NULL || f == NULL) table_die("no table");
    while (fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "%15s %3999s %3999s", what, a, b) != 3) table_die(line);
        if (strcmp(what, "function") == 0) {
            if (sscanf(line, "%*s %*s %*s %llu %3999s", &checksum, b) != 2) table_die(line);
            table_function(t, a, checksum, b);
        } else if (strcmp(what, "block") == 0) table_block(t, a, b);
        else if (strcmp(what, "edge") == 0) table_edge(t, a, b);
        else table_site(t, a, b);
    }
    fclose(f);
    return t;
}

/* The counts of FILE.ctxp as a profile with contexts. */
static csspgo_profile *table_profile(const table *t, const char *path)
{
    csspgo_error e;
    csspgo_ctx *c = csspgo_ctx_new(NULL, &e);
    csspgo_profile *p = csspgo_profile_new(NULL, &e);
    if (c == NULL || p == NULL || csspgo_ctx_read_file(c, path, NULL, &e) != CSSPGO_OK ||
        csspgo_ctx_profile(c, t->function, t->functions, p, &e) != CSSPGO_OK)
        table_die(e.message);
    csspgo_ctx_free(c);
    return p;
}
#endif
