/*
 * annotate_chain.c - annotate: what bottleneck found, from the file that `bottleneck --json` writes
 *
 * The two commands are rooms of their own. A file between them is simpler than a shared model: annotate needs no
 * llvm-mca, one file serves any number of pages, and the addresses of blocks say which instructions are meant.
 */
#include "views.h"

enum { CHAIN_FILE = 64 << 20, CHAIN_MOST = 4096 };   /* bytes of a file; elements of a list */

/* ----- a reader of JSON ------------------------------------------------------------------------------------------- */

typedef struct chain_reader {
    const unsigned char *begin, *p, *end;
    const char *wrong;            /* what is wrong at p; NULL: nothing so far */
    char       *text;             /* the string that was read last            */
    size_t      size, cap;
} chain_reader;

static int chain_wrong(chain_reader *r, const char *wrong)
{
    if (r->wrong == NULL) r->wrong = wrong;
    return 0;
}

/* The next byte that is no space, which stays; 0: none, or something is wrong. */
static int chain_peek(chain_reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) != NULL && *r->p != '\0') r->p++;
    return r->wrong == NULL && r->p < r->end ? *r->p : 0;
}

static int chain_take(chain_reader *r, char c)
{
    if (chain_peek(r) != c) return 0;
    r->p++;
    return 1;
}

static int chain_add(chain_reader *r, unsigned c)
{
    if (r->size + 1 >= r->cap) {
        const size_t cap = 2 * r->cap + 64;
        char *const text = (char *)realloc(r->text, cap);
        if (text == NULL) return chain_wrong(r, "out of memory");
        r->text = text;
        r->cap = cap;
    }
    r->text[r->size++] = (char)c;
    r->text[r->size] = '\0';
    return 1;
}

/* \uXXXX: ASCII, which is what the tool escapes so; of anything else a question mark. */
static int chain_escape(chain_reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const int c = r->p < r->end ? *r->p++ : 0;
    const char *const is = c != 0 ? strchr(from, c) : NULL;
    unsigned value = 0;
    size_t i;
    if (is != NULL) return chain_add(r, (unsigned char)to[is - from]);
    if (c != 'u' || r->end - r->p < 4) return chain_wrong(r, "an unknown escape");
    for (i = 0; i < 4; i++, r->p++) {
        const char *const digit = *r->p != '\0' ? strchr("0123456789abcdef", *r->p | 32) : NULL;
        if (digit == NULL) return chain_wrong(r, "an unknown escape");
        value = value * 16 + (unsigned)(strchr("0123456789abcdef", *r->p | 32) - "0123456789abcdef");
    }
    return chain_add(r, value > 0 && value < 128 ? value : '?');
}

/* A string into r->text. Returns 0 if there is none. */
static int chain_string(chain_reader *r)
{
    r->size = 0;
    if (!chain_take(r, '"')) return chain_wrong(r, "a string is missing");
    while (r->p < r->end && *r->p != '"' && *r->p >= ' ') {
        const int c = *r->p++;
        if (!(c == '\\' ? chain_escape(r) : chain_add(r, (unsigned)c))) return 0;
    }
    if (!chain_take(r, '"')) return chain_wrong(r, "a string has no end");
    if (r->size != 0) return 1;
    if (!chain_add(r, 0)) return 0;
    r->size = 0;
    return 1;
}

/* A string, for free(); NULL: null, or something is wrong. */
static char *chain_text(chain_reader *r)
{
    char *copy;
    if (chain_peek(r) != '"') {
        if (r->end - r->p >= 4 && memcmp(r->p, "null", 4) == 0) r->p += 4;
        else chain_wrong(r, "a string is missing");
        return NULL;
    }
    if (!chain_string(r)) return NULL;
    copy = strdup(r->text);
    if (copy == NULL) chain_wrong(r, "out of memory");
    return copy;
}

static uint64_t chain_number(chain_reader *r)
{
    uint64_t value = 0;
    int c = chain_peek(r);
    if (c < '0' || c > '9') return (uint64_t)chain_wrong(r, "a number is missing");
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
        const unsigned digit = *r->p - (unsigned)'0';
        if (value > (UINT64_MAX - digit) / 10) return (uint64_t)chain_wrong(r, "a number is too large");
        value = value * 10 + digit;
    }
    return value;
}

/* Any value: what is in it has no depth for this reader, so none is too deep. */
static void chain_skip(chain_reader *r)
{
    size_t depth = 0;
    do {
        const int c = chain_peek(r);
        if (c == 0) chain_wrong(r, "a value is missing");
        else if (c == '"') chain_string(r);
        else if (c == '{' || c == '[') depth++, r->p++;
        else if (c == '}' || c == ']') {
            if (depth-- == 0) chain_wrong(r, "a value is missing"), depth = 0;
            else r->p++;
        } else r->p++;
        if (depth == 0 && c != '"' && c != '}' && c != ']')
            while (r->p < r->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *r->p) != NULL && *r->p != '\0') r->p++;
    } while (depth != 0 && r->wrong == NULL);
}

/* Goes over a list: 1 at each element, 0 behind the last one. `first` is 1 at the beginning. */
static int chain_element(chain_reader *r, const char *ends, int *first)
{
    const int was_first = *first;
    *first = 0;
    if (r->wrong != NULL) return 0;
    if (was_first && !chain_take(r, ends[0]))
        return chain_wrong(r, ends[0] == '{' ? "an object is missing" : "a list is missing");
    if (chain_take(r, ends[1])) return 0;
    return was_first || chain_take(r, ',') || chain_wrong(r, "a comma is missing");
}

/* The same of an object, with the key in r->text. */
static int chain_member(chain_reader *r, int *first)
{
    return chain_element(r, "{}", first) && chain_string(r) &&
           (chain_take(r, ':') || chain_wrong(r, "a colon is missing"));
}

static int chain_is(const chain_reader *r, const char *key)
{
    return strcmp(r->text, key) == 0;
}

/* Room for one more of n elements of a size. */
static int chain_room(chain_reader *r, void **list, size_t n, size_t size)
{
    void *const v = n >= CHAIN_MOST ? NULL : (n & (n - 1)) == 0 ? realloc(*list, (n != 0 ? 2 * n : 1) * size) : *list;
    if (v == NULL) return chain_wrong(r, n >= CHAIN_MOST ? "a list is too long" : "out of memory");
    *list = v;
    return 1;
}

/* ----- the members that are used ---------------------------------------------------------------------------------- */

/* A step of the slowest chain, or an edge of the sequence of a single pass. */
static void chain_edge(chain_reader *r, note_edge *e)
{
    int first = 1;
    memset(e, 0, sizeof *e);
    while (chain_member(r, &first))
        if (chain_is(r, "instruction") || chain_is(r, "from")) e->from = (size_t)chain_number(r);
        else if (chain_is(r, "to")) e->to = (size_t)chain_number(r);
        else if (chain_is(r, "latency")) e->latency = (unsigned)chain_number(r);
        else if (chain_is(r, "carried")) e->carried = chain_peek(r) == 't', chain_skip(r);
        else if (chain_is(r, "on")) free(e->on), e->on = chain_text(r);
        else chain_skip(r);
}

static void chain_edges(chain_reader *r, note_edge **list, size_t *n)
{
    int first = 1;
    while (chain_element(r, "[]", &first) && chain_room(r, (void **)list, *n, sizeof **list))
        chain_edge(r, &(*list)[(*n)++]);
}

static void chain_blocks(chain_reader *r, note_path *p)
{
    int first = 1, inner;
    while (chain_element(r, "[]", &first) && chain_room(r, (void **)&p->block, p->blocks, sizeof *p->block)) {
        debug_area *const b = &p->block[p->blocks++];
        memset(b, 0, sizeof *b);
        for (inner = 1; chain_member(r, &inner);)
            if (chain_is(r, "begin")) b->begin = chain_number(r);
            else if (chain_is(r, "end")) b->end = chain_number(r);
            else chain_skip(r);
    }
}

/* The words that an instruction of the path begins with: they tell whether the code is the same. */
static void chain_instructions(chain_reader *r, note_path *p)
{
    int first = 1;
    while (chain_element(r, "[]", &first) && chain_room(r, (void **)&p->start, p->insns, sizeof *p->start) && chain_string(r))
        memcpy(p->start[p->insns++], r->size >= 2 ? r->text : "\0\0", 2);
}

static double chain_ratio(chain_reader *r)
{
    uint64_t cycles = 0, iterations = 0;
    int first = 1;
    while (chain_member(r, &first))
        if (chain_is(r, "cycles")) cycles = chain_number(r);
        else if (chain_is(r, "iterations")) iterations = chain_number(r);
        else chain_skip(r);
    return iterations != 0 ? (double)cycles / (double)iterations : 0;
}

static void chain_bounds(chain_reader *r, note_path *p)
{
    int first = 1;
    while (chain_member(r, &first))
        if (chain_is(r, "latency")) p->latency = chain_ratio(r);
        else if (chain_is(r, "ports")) p->ports = chain_ratio(r);
        else if (chain_is(r, "issue")) p->issue = chain_ratio(r);
        else if (chain_is(r, "units")) free(p->units), p->units = chain_text(r);
        else chain_skip(r);
}

/* The verdict of the hottest context, which is the first one. */
static void chain_contexts(chain_reader *r, note_path *p)
{
    int first = 1, inner;
    while (chain_element(r, "[]", &first))
        for (inner = 1; chain_member(r, &inner);)
            if (chain_is(r, "verdict") && p->verdict == NULL) p->verdict = chain_text(r);
            else chain_skip(r);
}

static void chain_path(chain_reader *r, note_path *p)
{
    int first = 1;
    memset(p, 0, sizeof *p);
    while (chain_member(r, &first))
        if (chain_is(r, "function")) free(p->function), p->function = chain_text(r);
        else if (chain_is(r, "loop")) p->loop = chain_peek(r) == 't', chain_skip(r);
        else if (chain_is(r, "not_modelled")) free(p->why), p->why = chain_text(r);
        else if (chain_is(r, "inexact")) free(p->doubt), p->doubt = chain_text(r);
        else if (chain_is(r, "blocks")) chain_blocks(r, p);
        else if (chain_is(r, "instructions")) chain_instructions(r, p);
        else if (chain_is(r, "bounds")) chain_bounds(r, p);
        else if (chain_is(r, "chain")) chain_edges(r, &p->chain, &p->chains);
        else if (chain_is(r, "single_pass")) chain_edges(r, &p->pass, &p->passes);
        else if (chain_is(r, "contexts")) chain_contexts(r, p);
        else chain_skip(r);
}

/* The file says what waits for what by order: each step of a chain for the one before it, the first one for the last. */
static void chain_close(note_path *p)
{
    size_t i;
    for (i = 0; i < p->chains; i++) p->chain[i].to = p->chain[(i + 1) % p->chains].from;
}

void note_paths_free(annotate_run *a)
{
    size_t i, k;
    for (i = 0; i < a->paths; i++) {
        note_path *const p = &a->path[i];
        for (k = 0; k < p->chains; k++) free(p->chain[k].on);
        for (k = 0; k < p->passes; k++) free(p->pass[k].on);
        free(p->chain);
        free(p->pass);
        free(p->block);
        free(p->start);
        free(p->function);
        free(p->verdict);
        free(p->units);
        free(p->why);
        free(p->doubt);
    }
    free(a->path);
    free(a->cpu);
    a->path = NULL;
    a->cpu = NULL;
    a->paths = 0;
}

static void chain_document(annotate_run *a, chain_reader *r)
{
    int first = 1, inner, seen = 0;
    while (chain_member(r, &first))
        if (chain_is(r, "cpu")) free(a->cpu), a->cpu = chain_text(r);
        else if (chain_is(r, "paths"))
            for (inner = seen = 1; chain_element(r, "[]", &inner) && chain_room(r, (void **)&a->path, a->paths, sizeof *a->path);)
                chain_path(r, &a->path[a->paths++]);
        else chain_skip(r);
    if (r->wrong == NULL && chain_peek(r) != 0) chain_wrong(r, "text behind the end");
    if (!seen) chain_wrong(r, "\"paths\" is missing");
    for (inner = 0; (size_t)inner < a->paths; inner++) chain_close(&a->path[inner]);
}

int note_paths_read(annotate_run *a, const char *path)
{
    const tool_context *const tool = a->in.tool;
    chain_reader r;
    file_bytes f;
    unsigned long line = 1;
    const unsigned char *p;
    char why[160];
    int is_json;
    memset(&r, 0, sizeof r);
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, file_why()), 0;
    if (f.size > CHAIN_FILE) chain_wrong(&r, "it has over 64 MiB");
    r.begin = r.p = f.data;
    r.end = f.data + f.size;
    is_json = chain_peek(&r) == '{';
    chain_document(a, &r);
    free(r.text);
    for (p = r.begin; p < r.p; p++) line += *p == '\n';
    file_close(&f);
    if (r.wrong == NULL) return 1;
    snprintf(why, sizeof why, "this is not what csspgo bottleneck --json writes: %s in line %lu", r.wrong, line);
    return is_json ? fail(tool, "%s: %s", path, why) : kind_fail(tool, path, KIND_OTHER, why), 0;
}

/* ----- their places in the code ----------------------------------------------------------------------------------- */

static int chain_same_start(const char *text, const char start[2])
{
    const int bytes = strchr("0123456789abcdef", text[0]) != NULL && text[1] != '\0' && text[2] == ' ';
    return bytes || memcmp(text, start, 2) == 0;
}

/* The path's instructions, as places of the function's; NULL: these are others, or there is no memory (errno). */
static size_t *chain_places(const annotate_run *a, const note_path *p)
{
    size_t *const place = (size_t *)malloc((p->insns + 1) * sizeof *place);
    size_t n = 0, i, k;
    int same = place != NULL;
    for (i = 0; same && i < p->blocks; i++) {
        k = note_insn_at(a, p->block[i].begin);
        same = k != 0;
        for (; same && k <= a->insns && a->insn[k - 1].address < p->block[i].end; k++, n += same) {
            same = n < p->insns && chain_same_start(a->insn[k - 1].text, p->start[n]);
            if (same) place[n] = k - 1;
        }
    }
    if (same && n == p->insns && n != 0) return place;
    if (place != NULL) errno = 0;
    free(place);
    return NULL;
}

/* 1: the path is the function's, by one of the names that its symbol has. */
static int chain_is_of(const annotate_run *a, const note_path *p)
{
    const size_t size = p->function != NULL ? strlen(p->function) : 0;
    size_t n;
    for (n = size; n != 0; n = load_stem(p->function, n))
        if (csspgo_guid(p->function, n) == csspgo_func_guid(a->in.p, a->func)) return 1;
    return 0;
}

/* What is drawn of a path: the sequence of a single pass where the loop's own bounds hardly matter, else the chain. */
static const note_edge *chain_drawn(const note_path *p, size_t *n)
{
    const int pass = p->passes != 0 && (p->chains == 0 || !p->loop || (p->verdict != NULL && strcmp(p->verdict, "short") == 0));
    *n = pass ? p->passes : p->loop ? p->chains : 0;
    return pass ? p->pass : p->chain;
}

static int chain_take_path(annotate_run *a, size_t i)
{
    note_path *const p = &a->path[i];
    size_t n, k, *const place = chain_places(a, p);
    const note_edge *const e = chain_drawn(p, &n);
    note_edge *v;
    if (place == NULL && errno == ENOMEM) return 0;
    p->shown = place != NULL;
    if (place == NULL) {
        warn(a->in.tool, "%s: the code at 0x%llx of '%s' is not what %s has there: it is of another build",
             a->o[N_BOTTLENECK].text, (unsigned long long)(p->blocks != 0 ? p->block[0].begin : 0), a->name, a->binary);
        return 1;
    }
    v = (note_edge *)realloc(a->edge, (a->edges + n + 1) * sizeof *v);
    if (v == NULL) return free(place), 0;
    a->edge = v;
    for (k = 0; k < n; k++) {
        if (e[k].from >= p->insns || e[k].to >= p->insns) continue;
        v[a->edges] = e[k];
        v[a->edges].from = place[e[k].from];
        v[a->edges++].to = place[e[k].to];
    }
    p->first = place[0];
    free(place);
    return 1;
}

int note_paths_place(annotate_run *a)
{
    size_t i;
    errno = 0;
    for (i = 0; i < a->paths; i++) {
        a->path[i].shown = 0;
        if (chain_is_of(a, &a->path[i]) && !chain_take_path(a, i)) return fail(a->in.tool, "out of memory"), 0;
    }
    return 1;
}
