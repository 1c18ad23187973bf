/* contextual.c - contextual profiles (.ctxprof) as inputs of the commands that take profiles of samples */
#include "tool.h"

/* The first line of a text that is neither empty nor a comment, without what YAML may indent it by. */
static const char *first_line(const file_bytes *f, size_t *size)
{
    const char *p = (const char *)f->data, *end = p + f->size, *stop = p;
    for (; p < end; p = stop + 1) {
        stop = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (stop == NULL) stop = end;
        while (p < stop && *p == ' ') p++;
        if (p < stop && *p != '#' && *p != '\r') break;
    }
    *size = p < end ? (size_t)(stop - p) : 0;
    return p;
}

/*
 * A bitstream has a magic number from version 2 on; before, its first word opens block 8 with abbreviations of 2 bits.
 * No profile of samples begins like one of these, or like the YAML. LLVM 19's tools know none.
 */
int is_contextual(const tool_context *tool, const file_bytes *f)
{
    static const char *const magics[] = { "CTXP", "CXRD", "\x21\x08\0\0" };
    static const char *const keys[] = { "Contexts:", "FlatProfiles:", "- Guid:" };
    const char *line;
    size_t i, size;
    if (tool->compat) return 0;
    for (i = 0; i < sizeof magics / sizeof *magics; i++)
        if (f->size >= 4 && memcmp(f->data, magics[i], 4) == 0) return 1;
    line = first_line(f, &size);
    for (i = 0; i < sizeof keys / sizeof *keys; i++)
        if (size >= strlen(keys[i]) && memcmp(line, keys[i], strlen(keys[i])) == 0) return 1;
    return 0;
}

/* An empty contextual profile; NULL after saying why not. */
csspgo_ctx *contextual_new(const tool_context *tool)
{
    csspgo_options options = *seeded();
    csspgo_ctx *c;
    options.allocator = big_blocks();
    c = csspgo_ctx_new(&options, NULL);
    if (c == NULL) fail(tool, "out of memory");
    return c;
}

/* What is known of the functions of a contextual profile. */
typedef struct known {
    const name_table    *names;
    csspgo_ctx_function *function;    /* by entry of the names; without a name: it does not occur               */
    csspgo_loc          *loc;         /* by probe: of each function's blocks, then of its calls                */
    unsigned char       *unfit;       /* by entry: 1: the counters are not those of its blocks                 */
    size_t               unfits;
} known;

struct exact_counts {
    csspgo_ctx *c;
    known       k;
};

/*
 * Sets the locations of a function's counters and call sites: its blocks and its calls in the order of their probes'
 * numbers, if the binary has all of these. Calls that were compiled away may be missing at the end.
 */
static void known_locations(known *k, const name_entry *e, csspgo_ctx_function *to)
{
    const name_probe *probe = k->names->probe + e->probe;
    csspgo_loc *loc = k->loc + e->probe;
    size_t i, n = 0, call;
    to->checksum = e->checksum;
    for (i = 0; i < e->probes && probe[i].id == i + 1; i++) {}
    if (i < e->probes || i == 0) to->checksum = 0;
    if (to->checksum == 0) return;
    for (call = 0; call < 2; call++) {
        for (i = 0; i < e->probes; i++)
            if (probe[i].call == call) loc[n++] = csspgo_loc_at(probe[i].id, 0);
        if (call == 0) to->counters = n;
    }
    to->counter = loc;
    to->site = loc + to->counters;
    to->sites = n - to->counters;
}

/* A function without checksum: a compiler takes none of its counts. Its locations are the default ones. */
static void known_unfit(known *k, csspgo_ctx_function *to)
{
    if (to == NULL || k->unfit[to - k->function]) return;
    k->unfit[to - k->function] = 1;
    k->unfits++;
    to->checksum = 0;
    to->counter = to->site = NULL;
    to->counters = to->sites = 0;
}

/* The function of a node; NULL: nothing is known of it. */
static csspgo_ctx_function *known_of(const known *k, const csspgo_profile *tree, csspgo_node n)
{
    const name_entry *e = names_find(k->names, csspgo_func_guid(tree, csspgo_node_func(tree, n)));
    return e != NULL ? &k->function[e - k->names->entry] : NULL;
}

/*
 * Looks up the functions of a profile. Where a binary tells the probes of a function, counters and call sites must be
 * as many: with counters on edges, which LLVM's instrumentation has by default, they are fewer.
 */
static void known_fill(known *k, const csspgo_ctx *c)
{
    const csspgo_profile *tree = csspgo_ctx_contexts(c);
    const csspgo_node root = csspgo_root(tree);
    csspgo_node n = root;
    size_t counters;
    while ((n = csspgo_node_next(tree, root, n)).id != 0) {
        csspgo_ctx_function *to = known_of(k, tree, n), *up;
        const csspgo_node parent = csspgo_node_parent(tree, n);
        if (parent.id != root.id && csspgo_node_kind_of(tree, n) == CSSPGO_CONTEXT) {
            const uint32_t site = csspgo_ctx_site_number(csspgo_node_loc(tree, n));
            up = known_of(k, tree, parent);
            if (up != NULL && up->checksum != 0 && site >= up->sites) known_unfit(k, up);
        }
        if (to == NULL) continue;
        if (to->name == NULL) {
            const name_entry *e = &k->names->entry[to - k->function];
            to->guid = e->guid;
            to->name = k->names->text + e->begin;
            to->name_size = e->size;
            known_locations(k, e, to);
            if (to->checksum == 0 && e->checksum != 0) known_unfit(k, to);
        }
        csspgo_ctx_get_counters(c, n, &counters);
        if (to->checksum != 0 && counters != to->counters) known_unfit(k, to);
    }
}

/* Moves the functions that occur to the front, as the library takes them. Returns their number. */
static size_t known_pack(known *k)
{
    size_t i, n = 0;
    for (i = 0; i < k->names->count; i++)
        if (k->function[i].name != NULL) k->function[n++] = k->function[i];
    return n;
}

static csspgo_status known_full(csspgo_error *e)
{
    e->status = CSSPGO_E_NOMEM;
    snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(CSSPGO_E_NOMEM));
    return CSSPGO_E_NOMEM;
}

/* Returns 0 when memory is exhausted. Unless quiet, says which functions do not fit. */
static int known_open(const tool_context *tool, known *k, const char *path, const csspgo_ctx *c,
                      const name_table *names, int quiet)
{
    size_t i, probes = 0;
    memset(k, 0, sizeof *k);
    k->names = names;
    for (i = 0; i < names->count; i++) probes += names->entry[i].probes;
    k->function = (csspgo_ctx_function *)calloc(names->count + 1, sizeof *k->function);
    k->unfit = (unsigned char *)calloc(names->count + 1, 1);
    k->loc = (csspgo_loc *)calloc(probes + 1, sizeof *k->loc);
    if (k->function == NULL || k->unfit == NULL || k->loc == NULL) return 0;
    known_fill(k, c);
    if (k->unfits != 0 && !quiet)
        warn(tool, "%s: functions with other counters than one for each block of the binary: %zu; compilers will "
                   "not use them", path, k->unfits);
    return 1;
}

static void known_close(known *k)
{
    free(k->function);
    free(k->unfit);
    free(k->loc);
}

/* With stats it says nothing: the profile was added to an empty one before. */
csspgo_status contextual_add(const tool_context *tool, const char *path, const csspgo_ctx *c, const name_table *names,
                             csspgo_profile *p, csspgo_ctx_combine_stats *stats, csspgo_error *e)
{
    csspgo_status s;
    known k;
    memset(e, 0, sizeof *e);
    if (!known_open(tool, &k, path, c, names, stats != NULL)) s = known_full(e);
    else if (stats != NULL) s = csspgo_ctx_combine(c, k.function, known_pack(&k), NULL, p, stats, e);
    else s = csspgo_ctx_profile(c, k.function, known_pack(&k), p, e);
    known_close(&k);
    return s;
}

csspgo_status contextual_read(const tool_context *tool, const char *path, const file_bytes *f, const name_table *names,
                              csspgo_profile *p, csspgo_error *e)
{
    csspgo_ctx *c = contextual_new(tool);
    csspgo_status s;
    memset(e, 0, sizeof *e);
    if (c == NULL) return e->status = CSSPGO_E_NOMEM;
    s = csspgo_ctx_read(c, f->data, f->size, NULL, e);
    if (s == CSSPGO_OK) s = contextual_add(tool, path, c, names, p, NULL, e);
    csspgo_ctx_free(c);
    return s;
}

/* ----- counters where they are ------------------------------------------------------------------------------------ */

exact_counts *contextual_open(const tool_context *tool, const char *path, const file_bytes *f, const name_table *names,
                              csspgo_error *e)
{
    exact_counts *x = (exact_counts *)calloc(1, sizeof *x);
    memset(e, 0, sizeof *e);
    if (x == NULL || (x->c = contextual_new(tool)) == NULL) known_full(e);
    else if (csspgo_ctx_read(x->c, f->data, f->size, NULL, e) == CSSPGO_OK &&
             !known_open(tool, &x->k, path, x->c, names, 0))
        known_full(e);
    if (e->status == CSSPGO_OK) return x;
    contextual_close(x);
    return NULL;
}

void contextual_close(exact_counts *x)
{
    if (x == NULL) return;
    csspgo_ctx_free(x->c);
    known_close(&x->k);
    free(x);
}

const csspgo_ctx *contextual_counts(const exact_counts *x)
{
    return x->c;
}

int contextual_by_probe(const exact_counts *x)
{
    size_t i;
    for (i = 0; i < x->k.names->count; i++)
        if (x->k.function[i].checksum != 0) return 1;
    return 0;
}

uint64_t contextual_checksum(const exact_counts *x, csspgo_node n)
{
    const csspgo_ctx_function *f = known_of(&x->k, csspgo_ctx_contexts(x->c), n);
    return f != NULL ? f->checksum : 0;
}

csspgo_loc contextual_loc(const exact_counts *x, csspgo_node n)
{
    const csspgo_profile *tree = csspgo_ctx_contexts(x->c);
    const csspgo_node parent = csspgo_node_parent(tree, n);
    const csspgo_ctx_function *f = known_of(&x->k, tree, parent);
    const uint32_t site = csspgo_ctx_site_number(csspgo_node_loc(tree, n));
    size_t counters;
    if (f != NULL && site < f->sites) return f->site[site];
    csspgo_ctx_get_counters(x->c, parent, &counters);
    return csspgo_loc_at((uint32_t)counters + 1 + site, 0);
}

/* How the locations of a profile are numbered: what is by one cannot be added to, or compared with, another. */
const char *numbering(const csspgo_profile *p, int contextual)
{
    if (csspgo_profile_flags(p) & CSSPGO_IS_PROBE) return "probes";
    return contextual ? "counters" : "source lines";
}

/* Counters of a text that was made from a contextual profile look like source lines, so this is a warning only. */
void numberings_agree(const tool_context *tool, const char *path, const char *its, const char *other,
                      const char *others)
{
    if (strcmp(its, others) != 0)
        warn(tool, "%s is by %s, %s by %s: what has the same number is taken for the same", path, its, other, others);
}

/* ----- writing ---------------------------------------------------------------------------------------------------- */

typedef struct contextual_form {
    const csspgo_ctx               *c;
    const csspgo_ctx_write_options *how;
} contextual_form;

static csspgo_status contextual_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    const contextual_form *f = (const contextual_form *)what;
    return csspgo_ctx_write(f->c, f->how, buf, cap, size, e);
}

static csspgo_status contextual_to_file(const void *what, const char *name, csspgo_error *e)
{
    const contextual_form *f = (const contextual_form *)what;
    return csspgo_ctx_write_file(f->c, name, f->how, e);
}

int contextual_write(const tool_context *tool, const char *path, const csspgo_ctx *c,
                     const csspgo_ctx_write_options *how)
{
    const contextual_form f = { c, how };
    const writer w = { contextual_to_bytes, contextual_to_file, &f };
    csspgo_error e;
    if (how->form != CSSPGO_CTX_YAML && is_for_terminal(path, &e)) return fail(tool, "%s: %s", path, plain(&e));
    return write_output(&w, path, &e) == CSSPGO_OK ? 0 : fail(tool, "%s: %s", path, plain(&e));
}
