/*
 * annotate_chain.c - annotate: what bottleneck found, from the file that `bottleneck --json` writes
 *
 * The two commands are rooms of their own. A file between them is simpler than a shared model: annotate needs no
 * llvm-mca, one file serves any number of pages, and the addresses of blocks say which instructions are meant.
 */
#include "views.h"

enum { CHAIN_FILE = 64 << 20, CHAIN_MOST = 4096 };   /* bytes of a file; elements of a list */

static const char no_room[] = "out of memory";

/* ----- a reader of JSON ------------------------------------------------------------------------------------------- */

typedef struct note_json_reader {
    const unsigned char *begin, *p, *end;
    const char *wrong;            /* what is wrong at p; NULL: nothing so far */
    char       *text;             /* the string that was read last            */
    size_t      size, cap;
} note_json_reader;

static int note_json_wrong(note_json_reader *r, const char *wrong)
{
    if (r->wrong == NULL) r->wrong = wrong;
    return 0;
}

/* The next byte that is no space, which stays; 0: none, or something is wrong. */
static int note_json_peek(note_json_reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) != NULL && *r->p != '\0') r->p++;
    return r->wrong == NULL && r->p < r->end ? *r->p : 0;
}

static int note_json_take(note_json_reader *r, char c)
{
    if (note_json_peek(r) != c) return 0;
    r->p++;
    return 1;
}

static int note_json_add(note_json_reader *r, unsigned c)
{
    if (r->size + 1 >= r->cap) {
        const size_t cap = 2 * r->cap + 64;
        char *const text = (char *)realloc(r->text, cap);
        if (text == NULL) return note_json_wrong(r, no_room);
        r->text = text;
        r->cap = cap;
    }
    r->text[r->size++] = (char)c;
    r->text[r->size] = '\0';
    return 1;
}

/* \uXXXX: ASCII, which is what the tool escapes so; of anything else a question mark. */
static int note_json_escape(note_json_reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const int c = r->p < r->end ? *r->p++ : 0;
    const char *const is = c != 0 ? strchr(from, c) : NULL;
    unsigned value = 0;
    size_t i;
    if (is != NULL) return note_json_add(r, (unsigned char)to[is - from]);
    if (c != 'u' || r->end - r->p < 4) return note_json_wrong(r, "an unknown escape");
    for (i = 0; i < 4; i++, r->p++) {
        const char *const digit = *r->p != '\0' ? strchr("0123456789abcdef", *r->p | 32) : NULL;
        if (digit == NULL) return note_json_wrong(r, "an unknown escape");
        value = value * 16 + (unsigned)(strchr("0123456789abcdef", *r->p | 32) - "0123456789abcdef");
    }
    return note_json_add(r, value > 0 && value < 128 ? value : '?');
}

/* A string into r->text. Returns 0 if there is none. */
static int note_json_string(note_json_reader *r)
{
    r->size = 0;
    if (!note_json_take(r, '"')) return note_json_wrong(r, "a string is missing");
    while (r->p < r->end && *r->p != '"' && *r->p >= ' ') {
        const int c = *r->p++;
        if (!(c == '\\' ? note_json_escape(r) : note_json_add(r, (unsigned)c))) return 0;
    }
    if (!note_json_take(r, '"')) return note_json_wrong(r, "a string has no end");
    if (r->size != 0) return 1;
    if (!note_json_add(r, 0)) return 0;
    r->size = 0;
    return 1;
}

/* A string, for free(); NULL: null, or something is wrong. */
static char *note_json_text(note_json_reader *r)
{
    char *copy;
    if (note_json_peek(r) != '"') {
        if (r->end - r->p >= 4 && memcmp(r->p, "null", 4) == 0) r->p += 4;
        else note_json_wrong(r, "a string is missing");
        return NULL;
    }
    if (!note_json_string(r)) return NULL;
    copy = strdup(r->text);
    if (copy == NULL) note_json_wrong(r, no_room);
    return copy;
}

static uint64_t note_json_number(note_json_reader *r)
{
    uint64_t value = 0;
    int c = note_json_peek(r);
    if (c < '0' || c > '9') return (uint64_t)note_json_wrong(r, "a number is missing");
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
        const unsigned digit = *r->p - (unsigned)'0';
        if (value > (UINT64_MAX - digit) / 10) return (uint64_t)note_json_wrong(r, "a number is too large");
        value = value * 10 + digit;
    }
    return value;
}

/* Any value: what is in it has no depth for this reader, so none is too deep. */
static void note_json_skip(note_json_reader *r)
{
    size_t depth = 0;
    do {
        const int c = note_json_peek(r);
        if (c == 0) note_json_wrong(r, "a value is missing");
        else if (c == '"') note_json_string(r);
        else if (c == '{' || c == '[') depth++, r->p++;
        else if (c == '}' || c == ']') {
            if (depth-- == 0) note_json_wrong(r, "a value is missing"), depth = 0;
            else r->p++;
        } else r->p++;
        if (depth == 0 && c != '"' && c != '}' && c != ']')
            while (r->p < r->end && *r->p != '\0' && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *r->p) != NULL)
                r->p++;
    } while (depth != 0 && r->wrong == NULL);
}

/* Goes over a list: 1 at each element, 0 behind the last one. `first` is 1 at the beginning. */
static int note_json_element(note_json_reader *r, const char *ends, int *first)
{
    const int was_first = *first;
    *first = 0;
    if (r->wrong != NULL) return 0;
    if (was_first && !note_json_take(r, ends[0]))
        return note_json_wrong(r, ends[0] == '{' ? "an object is missing" : "a list is missing");
    if (note_json_take(r, ends[1])) return 0;
    return was_first || note_json_take(r, ',') || note_json_wrong(r, "a comma is missing");
}

/* The same of an object, with the key in r->text. */
static int note_json_member(note_json_reader *r, int *first)
{
    return note_json_element(r, "{}", first) && note_json_string(r) &&
           (note_json_take(r, ':') || note_json_wrong(r, "a colon is missing"));
}

static int note_json_is(const note_json_reader *r, const char *key)
{
    return strcmp(r->text, key) == 0;
}

/* Room for one more of n elements of a size. */
static int note_json_room(note_json_reader *r, void **list, size_t n, size_t size)
{
    void *const v = n >= CHAIN_MOST ? NULL : (n & (n - 1)) == 0 ? realloc(*list, (n != 0 ? 2 * n : 1) * size) : *list;
    if (v == NULL) return note_json_wrong(r, n >= CHAIN_MOST ? "a list is too long" : no_room);
    *list = v;
    return 1;
}

/* ----- the members that are used ---------------------------------------------------------------------------------- */

/* A step of the slowest chain, or an edge of the sequence of a single pass. */
static void note_json_edge(note_json_reader *r, note_edge *e)
{
    int first = 1;
    memset(e, 0, sizeof *e);
    while (note_json_member(r, &first))
        if (note_json_is(r, "instruction") || note_json_is(r, "from")) e->from = (size_t)note_json_number(r);
        else if (note_json_is(r, "to")) e->to = (size_t)note_json_number(r);
        else if (note_json_is(r, "latency")) e->latency = (unsigned)note_json_number(r);
        else if (note_json_is(r, "carried")) e->carried = note_json_peek(r) == 't', note_json_skip(r);
        else if (note_json_is(r, "on")) free(e->on), e->on = note_json_text(r);
        else note_json_skip(r);
}

static void note_json_edges(note_json_reader *r, note_edge **list, size_t *n)
{
    int first = 1;
    while (note_json_element(r, "[]", &first) && note_json_room(r, (void **)list, *n, sizeof **list))
        note_json_edge(r, &(*list)[(*n)++]);
}

static void note_json_blocks(note_json_reader *r, note_path *p)
{
    int first = 1, inner;
    while (note_json_element(r, "[]", &first) && note_json_room(r, (void **)&p->block, p->blocks, sizeof *p->block)) {
        debug_area *const b = &p->block[p->blocks++];
        memset(b, 0, sizeof *b);
        for (inner = 1; note_json_member(r, &inner);)
            if (note_json_is(r, "begin")) b->begin = note_json_number(r);
            else if (note_json_is(r, "end")) b->end = note_json_number(r);
            else note_json_skip(r);
    }
}

/* The first two bytes of each instruction: they tell whether the code is the same. */
static void note_json_instructions(note_json_reader *r, note_path *p)
{
    int first = 1;
    while (note_json_element(r, "[]", &first) &&
           note_json_room(r, (void **)&p->start, p->insns, sizeof *p->start) && note_json_string(r))
        memcpy(p->start[p->insns++], r->size >= 2 ? r->text : "\0\0", 2);
}

static double note_json_ratio(note_json_reader *r)
{
    uint64_t cycles = 0, iterations = 0;
    int first = 1;
    while (note_json_member(r, &first))
        if (note_json_is(r, "cycles")) cycles = note_json_number(r);
        else if (note_json_is(r, "iterations")) iterations = note_json_number(r);
        else note_json_skip(r);
    return iterations != 0 ? (double)cycles / (double)iterations : 0;
}

static void note_json_bounds(note_json_reader *r, note_path *p)
{
    int first = 1;
    while (note_json_member(r, &first))
        if (note_json_is(r, "latency")) p->latency = note_json_ratio(r);
        else if (note_json_is(r, "ports")) p->ports = note_json_ratio(r);
        else if (note_json_is(r, "issue")) p->issue = note_json_ratio(r);
        else if (note_json_is(r, "units")) free(p->units), p->units = note_json_text(r);
        else note_json_skip(r);
}

/* The verdict of the hottest context, which is the first one. */
static void note_json_contexts(note_json_reader *r, note_path *p)
{
    int first = 1, inner;
    while (note_json_element(r, "[]", &first))
        for (inner = 1; note_json_member(r, &inner);)
            if (note_json_is(r, "verdict") && p->verdict == NULL) p->verdict = note_json_text(r);
            else note_json_skip(r);
}

static void note_json_path(note_json_reader *r, note_path *p)
{
    int first = 1;
    memset(p, 0, sizeof *p);
    while (note_json_member(r, &first))
        if (note_json_is(r, "function")) free(p->function), p->function = note_json_text(r);
        else if (note_json_is(r, "loop")) p->loop = note_json_peek(r) == 't', note_json_skip(r);
        else if (note_json_is(r, "not_modelled")) free(p->why), p->why = note_json_text(r);
        else if (note_json_is(r, "inexact")) free(p->doubt), p->doubt = note_json_text(r);
        else if (note_json_is(r, "blocks")) note_json_blocks(r, p);
        else if (note_json_is(r, "instructions")) note_json_instructions(r, p);
        else if (note_json_is(r, "bounds")) note_json_bounds(r, p);
        else if (note_json_is(r, "chain")) note_json_edges(r, &p->chain, &p->chains);
        else if (note_json_is(r, "single_pass")) note_json_edges(r, &p->pass, &p->passes);
        else if (note_json_is(r, "contexts")) note_json_contexts(r, p);
        else note_json_skip(r);
}

/* Each step of a chain waits for the one before it, the first one for the last: the file says so by their order. */
static void note_path_close(note_path *p)
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

static void note_json_document(annotate_run *a, note_json_reader *r)
{
    int first = 1, inner, seen = 0;
    while (note_json_member(r, &first))
        if (note_json_is(r, "cpu")) free(a->cpu), a->cpu = note_json_text(r);
        else if (note_json_is(r, "paths"))
            for (inner = seen = 1; note_json_element(r, "[]", &inner) &&
                                   note_json_room(r, (void **)&a->path, a->paths, sizeof *a->path);)
                note_json_path(r, &a->path[a->paths++]);
        else note_json_skip(r);
    if (r->wrong == NULL && note_json_peek(r) != 0) note_json_wrong(r, "text behind the end");
    if (!seen) note_json_wrong(r, "\"paths\" is missing");
    for (inner = 0; (size_t)inner < a->paths; inner++) note_path_close(&a->path[inner]);
}

int note_paths_read(annotate_run *a, const char *path)
{
    const tool_context *const tool = a->in.tool;
    note_json_reader r;
    file_bytes f;
    unsigned long line = 1;
    const unsigned char *p;
    char why[160];
    int is_json;
    memset(&r, 0, sizeof r);
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, file_why()), 0;
    if (f.size > CHAIN_FILE) note_json_wrong(&r, "it has over 64 MiB");
    r.begin = r.p = f.data;
    r.end = f.data + f.size;
    is_json = note_json_peek(&r) == '{';
    note_json_document(a, &r);
    free(r.text);
    for (p = r.begin; p < r.p; p++) line += *p == '\n';
    file_close(&f);
    if (r.wrong == NULL) return 1;
    if (r.wrong == no_room) return fail(tool, "%s", r.wrong), 0;
    snprintf(why, sizeof why, "this is not what csspgo bottleneck --json writes: %s in line %lu", r.wrong, line);
    return is_json ? fail(tool, "%s: %s", path, why) : kind_fail(tool, path, KIND_OTHER, why), 0;
}

/* ----- their places in the code ----------------------------------------------------------------------------------- */

static int note_same_start(const char *text, const char start[2])
{
    const int bytes = strchr("0123456789abcdef", text[0]) != NULL && text[1] != '\0' && text[2] == ' ';
    return bytes || memcmp(text, start, 2) == 0;
}

/* Fills place with the path's instructions, as places of the function's. Returns 0: these are others. */
static int note_path_places(const annotate_run *a, const note_path *p, size_t *place)
{
    size_t n = 0, i, k;
    for (i = 0; i < p->blocks; i++) {
        k = note_insn_at(a, p->block[i].begin);
        if (k == 0) return 0;
        for (; k <= a->insns && a->insn[k - 1].address < p->block[i].end; k++) {
            if (n == p->insns || !note_same_start(a->insn[k - 1].text, p->start[n])) return 0;
            place[n++] = k - 1;
        }
    }
    return n == p->insns && n != 0;
}

/* 1: the path is the function's, by one of the names that its symbol has. */
static int note_path_is_of(const annotate_run *a, const note_path *p)
{
    const size_t size = p->function != NULL ? strlen(p->function) : 0;
    size_t n;
    for (n = size; n != 0; n = load_stem(p->function, n))
        if (csspgo_guid(p->function, n) == csspgo_func_guid(a->in.p, a->func)) return 1;
    return 0;
}

/* What is drawn of a path: the sequence of a single pass where the loop's own bounds hardly matter, else the chain. */
static const note_edge *note_path_drawn(const note_path *p, size_t *n)
{
    const int is_short = p->verdict != NULL && strcmp(p->verdict, "short") == 0;
    const int pass = p->passes != 0 && (p->chains == 0 || !p->loop || is_short);
    *n = pass ? p->passes : p->loop ? p->chains : 0;
    return pass ? p->pass : p->chain;
}

/* Takes the edges of a path, if it is of this code. Returns 0: out of memory. */
static int note_path_take(annotate_run *a, note_path *p)
{
    size_t n, k;
    const note_edge *const e = note_path_drawn(p, &n);
    size_t *const place = (size_t *)malloc((p->insns + 1) * sizeof *place);
    note_edge *const v = (note_edge *)realloc(a->edge, (a->edges + n + 1) * sizeof *v);
    if (v != NULL) a->edge = v;
    if (place == NULL || v == NULL) return free(place), 0;
    p->shown = note_path_places(a, p, place);
    if (!p->shown)
        warn(a->in.tool, "%s: the code at 0x%llx of '%s' is not what %s has there: it is of another build",
             a->o[N_BOTTLENECK].text, (unsigned long long)(p->blocks != 0 ? p->block[0].begin : 0), a->name, a->binary);
    for (k = 0; p->shown && k < n; k++) {
        if (e[k].from >= p->insns || e[k].to >= p->insns) continue;
        v[a->edges] = e[k];
        v[a->edges].from = place[e[k].from];
        v[a->edges++].to = place[e[k].to];
    }
    p->first = p->shown ? place[0] : 0;
    free(place);
    return 1;
}

int note_paths_place(annotate_run *a)
{
    size_t i;
    for (i = 0; i < a->paths; i++) {
        a->path[i].shown = 0;
        if (note_path_is_of(a, &a->path[i]) && !note_path_take(a, &a->path[i]))
            return fail(a->in.tool, "out of memory"), 0;
    }
    return 1;
}
