/* sim_model.h - a machine and a block of instructions from text, for csspgo_sim_run and csspgo_bottleneck_simulate
 *
 * In ONE source file, behind csspgo.h:          Elsewhere:
 *     #define CSSPGO_WITH_BOTTLENECK                #define CSSPGO_WITH_BOTTLENECK
 *     #include "csspgo.h"                           #include "csspgo.h"
 *     #define CSSPGO_SIM_MODEL_IMPLEMENTATION       #include "sim_model.h"
 *     #include "sim_model.h"
 *
 * HOW TO simulate a block on a machine that is described by a text
 *
 *     static int how_to_simulate_a_model(void)
 *     {
 *         static const char text[] = "model dispatch 4 rob 64 iterations 100\n"
 *                                    "resource Mul mask 0x1\n"
 *                                    "register 51 rax\n"
 *                                    "inst 0 uops 1 lat 3 res 0x1:1 def 51:3 read 51\n"
 *                                    "text 0 imul rax, rax\n";
 *         csspgo_error e;
 *         csspgo_sim_model *m = csspgo_sim_model_read(text, sizeof text - 1, NULL, &e);
 *         csspgo_status s = m != NULL ? CSSPGO_OK : e.status;
 *         csspgo_sim_result r;
 *
 *         if (m != NULL) {
 *             const csspgo_sim_block k = csspgo_sim_model_block(m);
 *             s = csspgo_sim_run(&k.machine, k.instruction, k.count, k.iterations, NULL, NULL, &r, &e);
 *             if (s == CSSPGO_OK)
 *                 printf("%u times %s: %llu cycles; register 51 is %s\n", (unsigned)k.iterations, k.text[0],
 *                        (unsigned long long)r.cycles, csspgo_sim_model_register(m, 51));
 *         }
 *         csspgo_sim_model_free(m);
 *         return s != CSSPGO_OK;
 *     }
 *
 * examples/mca_model.c makes models of any CPU that LLVM 19 knows. The text may be any bytes. Memory comes from
 * options.allocator; CSSPGO_MALLOC and CSSPGO_FREE are used where they are defined.
 *
 * It uses only what csspgo.h shows to everyone: copy this file and change it. Part of csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_SIM_MODEL_H
#define CSSPGO_SHARE_SIM_MODEL_H

#if !defined(CSSPGO_VERSION) || !defined(CSSPGO_WITH_BOTTLENECK)
#  error "include csspgo.h, with CSSPGO_WITH_BOTTLENECK, before sim_model.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A machine, a block and the names of its registers, as text; one line per item, in any order:
 *
 *     model dispatch 2 rob 64 retire 2 noalias 1 lq 0 sq 0 iterations 20
 *     buffer 14 size 20                      a scheduler buffer, 0 to 63
 *     file 1 size 192                        a register file, 0 to 3
 *     group 0x3                              a set of units
 *     resource JALU0 mask 0x1 units 0x1      units: may be left out (see csspgo_bottleneck_resource)
 *     register 51 %rax                       its name; numbers with names are at most 65535
 *     inst 0 uops 1 lat 6 res 0x2:1,0x100:4 buf 14 def 51:6,28:6 read 51,51:5 file 1:2 load store
 *                                            51:5: reads register 51 five cycles early (:-5: late)
 *     text 0 imulq %rax, %rax                the instruction, for reports
 *     cycles 143                             so many took the machine that the model was made from
 *     estimate read advance                  why the simulation of this block is not exact
 *
 * Instructions come in the order of the block. "-" is an empty list; res, buf, def, read, file, load and store may be left
 * out, and so may retire, noalias (default 1), lq, sq, iterations (default 100) and cycles. Empty lines and lines that
 * begin with "#" are comments, except "# regname 51 %rax", which is a register line too.
 */
typedef struct csspgo_sim_model csspgo_sim_model;

typedef struct csspgo_sim_block { /* what a model says; everything belongs to the model                   */
    csspgo_sim_machine            machine;
    const csspgo_sim_instruction *instruction;
    size_t                        count;
    uint32_t                      iterations;
    const char *const            *text;       /* of each instruction; terminated; "" if there is none     */
    const char *const            *reg;        /* the names of the registers 0 to regs - 1; NULL in places */
    size_t                        regs;
    const char                   *estimate;   /* the first reason; NULL: none                             */
    uint64_t                      cycles;     /* of the machine that the model was made from; 0: unknown  */
} csspgo_sim_block;

/*
 * Reads a model.
 *
 *   data, size   the text; not needed afterwards
 *   options      memory and limits; NULL: defaults
 *   err          where it is wrong: line, column, offset
 *
 * Returns   the model, for csspgo_sim_model_free; NULL: E_SYNTAX, E_RANGE, E_TRUNCATED (no machine or no instruction),
 *           E_LIMIT (4096 instructions, 64 elements of a list, 1024 resources, memory), E_NOMEM
 * Cost      O(size + largest number of a register with a name)
 */
CSSPGO_DEF csspgo_sim_model *csspgo_sim_model_read(const void *data, size_t size, const csspgo_options *options,
                                                   csspgo_error *err);
CSSPGO_DEF void csspgo_sim_model_free(csspgo_sim_model *model);
CSSPGO_DEF csspgo_sim_block csspgo_sim_model_block(const csspgo_sim_model *model);

/* The name of a register, terminated, owned by the model; NULL if it has none. */
CSSPGO_DEF const char *csspgo_sim_model_register(const csspgo_sim_model *model, uint32_t reg);

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_SIM_MODEL_H */

#if defined(CSSPGO_SIM_MODEL_IMPLEMENTATION) && !defined(CSSPGO_SIM_MODEL_IMPLEMENTATION_INCLUDED)
#define CSSPGO_SIM_MODEL_IMPLEMENTATION_INCLUDED

#include <string.h>
#ifndef CSSPGO_MALLOC
#  include <stdlib.h>
#  define CSSPGO_MALLOC(n) malloc(n)
#  define CSSPGO_FREE(p) free(p)
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { CSSPGO__MODEL_MOST = 65535, CSSPGO__MODEL_LONGEST = 64 };  /* numbers in a machine; elements of a list */

typedef struct csspgo__model_ranges {   /* of an instruction: the first elements of its lists; its text in the pool */
    size_t use, def, read, text;
} csspgo__model_ranges;

typedef struct csspgo__model_name {
    size_t   text;                /* in the pool */
    uint32_t number;
} csspgo__model_name;

/* A growable array: count elements of v are in use, cap are allocated. */
#define CSSPGO__MODEL_LIST(T) struct { T *v; size_t count, cap; }

struct csspgo_sim_model {
    csspgo_allocator allocator;
    uint64_t         used, max_bytes;     /* of memory, in bytes               */
    csspgo_status    status;              /* why the last allocation failed    */
    csspgo_sim_block block;
    CSSPGO__MODEL_LIST(csspgo_sim_use) use;
    CSSPGO__MODEL_LIST(csspgo_sim_def) def;
    CSSPGO__MODEL_LIST(uint32_t) read;
    CSSPGO__MODEL_LIST(int32_t) advance;              /* of each read */
    CSSPGO__MODEL_LIST(csspgo_sim_instruction) instruction;
    CSSPGO__MODEL_LIST(csspgo__model_ranges) ranges;
    CSSPGO__MODEL_LIST(uint64_t) group;
    CSSPGO__MODEL_LIST(csspgo_bottleneck_resource) resource;
    CSSPGO__MODEL_LIST(size_t) resource_name;
    CSSPGO__MODEL_LIST(csspgo__model_name) reg;       /* as they come */
    CSSPGO__MODEL_LIST(const char *) reg_text;        /* by number    */
    CSSPGO__MODEL_LIST(const char *) text;
    CSSPGO__MODEL_LIST(char) pool;        /* texts, terminated; the one at 0 is empty */
    size_t           estimate;
    uint32_t         buffer[64];
};

/* ----- memory: the caller's allocator, or the header's default ----- */

static void *csspgo__model_default_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return CSSPGO_MALLOC(size);
}

static void csspgo__model_default_free(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    CSSPGO_FREE(p);
}

static void *csspgo__model_alloc(csspgo_sim_model *m, size_t size)
{
    void *p;
    m->status = CSSPGO_E_LIMIT;
    if (size > m->max_bytes - m->used) return NULL;
    m->status = CSSPGO_E_NOMEM;
    p = m->allocator.alloc_fn(m->allocator.ctx, size);
    if (p != NULL) m->used += size;
    return p;
}

static void csspgo__model_give_back(csspgo_sim_model *m, void *p, size_t size)
{
    if (p == NULL) return;
    m->used -= size;
    m->allocator.free_fn(m->allocator.ctx, p, size);
}

/*
 * Room for n more elements of `elem` bytes and one in a list, which is any CSSPGO__MODEL_LIST. It grows by half, or by
 * an eighth where that is too much. Returns 0, with the list unchanged, when memory is exhausted.
 */
static int csspgo__model_room(csspgo_sim_model *m, void *list, size_t n, size_t elem)
{
    CSSPGO__MODEL_LIST(void) l;
    size_t cap, least;
    void *p;
    memcpy(&l, list, sizeof l);
    if (n < l.cap - l.count) return 1;
    m->status = CSSPGO_E_LIMIT;
    if (n >= SIZE_MAX / 4 / elem - l.count) return 0;
    least = l.cap + l.cap / 8 > l.count + n ? l.cap + l.cap / 8 : l.count + n + 1;
    cap = l.cap + l.cap / 2 > least ? l.cap + l.cap / 2 : least;
    if (cap < 8) cap = 8;
    p = csspgo__model_alloc(m, cap * elem);
    if (p == NULL && cap > least) p = csspgo__model_alloc(m, (cap = least) * elem);
    if (p == NULL) return 0;
    if (l.count != 0) memcpy(p, l.v, l.count * elem);
    csspgo__model_give_back(m, l.v, l.cap * elem);
    l.v = p;
    l.cap = cap;
    memcpy(list, &l, sizeof l);
    return 1;
}

static void csspgo__model_drop(csspgo_sim_model *m, void *list, size_t elem)
{
    CSSPGO__MODEL_LIST(void) l;
    memcpy(&l, list, sizeof l);
    csspgo__model_give_back(m, l.v, l.cap * elem);
}

/* PUT adds a value: 1, or 0 when memory is exhausted. FILL makes a list n elements of any content long: 1, or 0. */
#define CSSPGO__MODEL_MORE(m, l, n) csspgo__model_room((m), &(l), (n), sizeof *(l).v)
#define CSSPGO__MODEL_PUT(m, l, value) (CSSPGO__MODEL_MORE(m, l, 1) ? ((l).v[(l).count++] = (value), 1) : 0)
#define CSSPGO__MODEL_FILL(m, l, n) (CSSPGO__MODEL_MORE(m, l, n) ? ((l).count = (n), 1) : 0)
#define CSSPGO__MODEL_DROP(m, l) csspgo__model_drop((m), &(l), sizeof *(l).v)

/* ----- errors ----- */

/* Appends text to a message, as far as it has room. */
static void csspgo__model_say(csspgo_error *err, const char *text)
{
    size_t n, more = strlen(text);
    if (err == NULL) return;
    n = strlen(err->message);
    if (more > sizeof err->message - 1 - n) more = sizeof err->message - 1 - n;
    memcpy(err->message + n, text, more);
    err->message[n + more] = '\0';
}

static void csspgo__model_error(csspgo_error *err, csspgo_status status, const char *text)
{
    if (err == NULL) return;
    memset(err, 0, sizeof *err);
    err->status = status;
    csspgo__model_say(err, text);
}

/* ----- a line and its words ----- */

typedef struct csspgo__model_text { /* a line that is being read */
    csspgo_sim_model    *m;
    const unsigned char *base, *line, *p, *end;   /* of the input, of the line; next byte; end of the line */
    uint32_t             number;  /* of the line */
    csspgo_error        *err;
    csspgo_status        status;  /* sticky */
} csspgo__model_text;

/* Returns 0. The first failure wins; at: what to blame, in the line. */
static int csspgo__model_deny(csspgo__model_text *t, csspgo_status status, const unsigned char *at, const char *what)
{
    if (t->status != CSSPGO_OK) return 0;
    t->status = status;
    csspgo__model_error(t->err, status, what);
    if (t->err == NULL) return 0;
    t->err->offset = (uint64_t)(at - t->base);
    t->err->line = t->number;
    t->err->column = (uint32_t)(at - t->line) + 1;
    return 0;
}

static int csspgo__model_full(csspgo__model_text *t)
{
    return csspgo__model_deny(t, t->m->status, t->p, csspgo_status_text(t->m->status));
}

static int csspgo__model_is_space(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int csspgo__model_space_at(const csspgo__model_text *t)
{
    return t->p != t->end && csspgo__model_is_space(*t->p);
}

static void csspgo__model_skip(csspgo__model_text *t)
{
    while (csspgo__model_space_at(t)) t->p++;
}

/* The next word of the line, between blanks. Returns its size; 0: the line ends. */
static size_t csspgo__model_word(csspgo__model_text *t, const unsigned char **word)
{
    const unsigned char *p;
    csspgo__model_skip(t);
    for (p = *word = t->p; p != t->end && !csspgo__model_is_space(*p);) p++;
    t->p = p;
    return (size_t)(p - *word);
}

static int csspgo__model_is(const unsigned char *word, size_t size, const char *text)
{
    return size != 0 && *word == (unsigned char)*text && strlen(text) == size && memcmp(word, text, size) == 0;
}

/* A number at p, decimal or 0x and hexadecimal, at most `most`. */
static int csspgo__model_digits(csspgo__model_text *t, uint64_t most, uint64_t *v)
{
    const unsigned char *start;
    uint64_t base = 10;
    *v = 0;
    if (t->end - t->p > 2 && t->p[0] == '0' && t->p[1] == 'x') {
        base = 16;
        t->p += 2;
    }
    for (start = t->p; t->p != t->end; t->p++) {
        const unsigned c = *t->p;
        const uint64_t d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
        if (d >= base) break;
        if (d > most || *v > (most - d) / base)
            return csspgo__model_deny(t, CSSPGO_E_RANGE, start, "a number is too large");
        *v = *v * base + d;
    }
    if (t->p == start) return csspgo__model_deny(t, CSSPGO_E_SYNTAX, start, "a number belongs here");
    return 1;
}

/* A number that is a word of its own. */
static int csspgo__model_number(csspgo__model_text *t, uint64_t most, uint64_t *v)
{
    csspgo__model_skip(t);
    if (!csspgo__model_digits(t, most, v)) return 0;
    if (t->p == t->end || csspgo__model_space_at(t)) return 1;
    return csspgo__model_deny(t, CSSPGO_E_SYNTAX, t->p, "a blank belongs behind a number");
}

static int csspgo__model_number32(csspgo__model_text *t, uint32_t most, uint32_t *v)
{
    uint64_t wide;
    if (!csspgo__model_number(t, most, &wide)) return 0;
    *v = (uint32_t)wide;
    return 1;
}

/* The rest of the line without blanks at its ends, or one word, terminated, into the pool. */
static int csspgo__model_pool(csspgo__model_text *t, int rest, size_t *at)
{
    csspgo_sim_model *m = t->m;
    const unsigned char *word;
    size_t size = csspgo__model_word(t, &word);
    if (size == 0) return csspgo__model_deny(t, CSSPGO_E_SYNTAX, word, "a text belongs here");
    if (rest) {
        t->p = t->end;
        for (size = (size_t)(t->end - word); csspgo__model_is_space(word[size - 1]);) size--;
    }
    if (!CSSPGO__MODEL_MORE(m, m->pool, size + 1)) return csspgo__model_full(t);
    *at = m->pool.count;
    memcpy(m->pool.v + m->pool.count, word, size);
    m->pool.count += size + 1;
    m->pool.v[m->pool.count - 1] = '\0';
    return 1;
}

/* "model": widths and sizes, as pairs of a word and a number. */
static int csspgo__model_machine(csspgo__model_text *t)
{
    csspgo_sim_machine *m = &t->m->block.machine;
    const unsigned char *word, *start = t->p;
    uint32_t noalias = 1;
    size_t size;
    if (m->width != 0) return csspgo__model_deny(t, CSSPGO_E_SYNTAX, t->line, "there is a second machine");
    while ((size = csspgo__model_word(t, &word)) != 0) {
        const struct { const char *name; uint32_t *v, most; } key[] = {
            { "dispatch", &m->width, CSSPGO__MODEL_MOST }, { "rob", &m->reorder, CSSPGO__MODEL_MOST },
            { "retire", &m->retire, UINT32_MAX },        { "noalias", &noalias, 1 },
            { "lq", &m->loads, UINT32_MAX },             { "sq", &m->stores, UINT32_MAX },
            { "iterations", &t->m->block.iterations, UINT32_MAX }
        };
        size_t i;
        for (i = 0; i < 7 && !csspgo__model_is(word, size, key[i].name); i++) continue;
        if (i == 7) return csspgo__model_deny(t, CSSPGO_E_SYNTAX, word, "a machine has no property of this name");
        if (!csspgo__model_number32(t, key[i].most, key[i].v)) return 0;
    }
    m->alias = !noalias;
    if (m->width == 0 || m->reorder == 0 || t->m->block.iterations == 0)
        return csspgo__model_deny(t, CSSPGO_E_RANGE, start, "dispatch, rob and iterations must not be 0");
    return 1;
}

/* A word that must stand here. */
static int csspgo__model_expect(csspgo__model_text *t, const char *text)
{
    const unsigned char *word;
    const size_t size = csspgo__model_word(t, &word);
    if (csspgo__model_is(word, size, text)) return 1;
    csspgo__model_deny(t, CSSPGO_E_SYNTAX, word, "this word belongs here: ");
    csspgo__model_say(t->err, text);
    return 0;
}

static int csspgo__model_buffer_line(csspgo__model_text *t)
{
    csspgo_sim_machine *m = &t->m->block.machine;
    uint32_t id, entries;
    if (!csspgo__model_number32(t, 63, &id) || !csspgo__model_expect(t, "size") ||
        !csspgo__model_number32(t, UINT32_MAX, &entries))
        return 0;
    t->m->buffer[id] = entries;
    if (m->buffers <= id) m->buffers = id + 1;
    return 1;
}

static int csspgo__model_file_line(csspgo__model_text *t)
{
    csspgo_sim_machine *m = &t->m->block.machine;
    uint32_t id;
    return csspgo__model_number32(t, CSSPGO_SIM_FILES - 1, &id) && csspgo__model_expect(t, "size") &&
           csspgo__model_number32(t, UINT32_MAX, &m->registers[id]);
}

static int csspgo__model_group_line(csspgo__model_text *t)
{
    uint64_t mask;
    if (!csspgo__model_number(t, UINT64_MAX, &mask)) return 0;
    return CSSPGO__MODEL_PUT(t->m, t->m->group, mask) || csspgo__model_full(t);
}

static int csspgo__model_resource_line(csspgo__model_text *t)
{
    csspgo_sim_model *m = t->m;
    csspgo_bottleneck_resource r = { NULL, 0, 0 };
    size_t name;
    if (m->resource.count == 1024) return csspgo__model_deny(t, CSSPGO_E_LIMIT, t->line, "there are 1024 resources");
    if (!csspgo__model_pool(t, 0, &name) || !csspgo__model_expect(t, "mask") ||
        !csspgo__model_number(t, UINT64_MAX, &r.mask))
        return 0;
    csspgo__model_skip(t);
    if (t->p != t->end && (!csspgo__model_expect(t, "units") || !csspgo__model_number(t, UINT64_MAX, &r.units)))
        return 0;
    return (CSSPGO__MODEL_PUT(m, m->resource, r) && CSSPGO__MODEL_PUT(m, m->resource_name, name)) ||
           csspgo__model_full(t);
}

static int csspgo__model_register_line(csspgo__model_text *t)
{
    csspgo__model_name r;
    if (!csspgo__model_number32(t, CSSPGO__MODEL_MOST, &r.number) || !csspgo__model_pool(t, 0, &r.text)) return 0;
    return CSSPGO__MODEL_PUT(t->m, t->m->reg, r) || csspgo__model_full(t);
}

enum { CSSPGO__MODEL_RES, CSSPGO__MODEL_BUF, CSSPGO__MODEL_DEF, CSSPGO__MODEL_READ, CSSPGO__MODEL_FILE };

/* The advance of a read, behind its register: ":5", ":-6" or nothing. */
static int csspgo__model_advance(csspgo__model_text *t, int32_t *advance)
{
    uint64_t cycles;
    int late;
    *advance = 0;
    if (t->p == t->end || *t->p != ':') return 1;
    t->p++;
    late = t->p != t->end && *t->p == '-';
    t->p += late;
    if (!csspgo__model_digits(t, CSSPGO__MODEL_MOST, &cycles)) return 0;
    *advance = late ? -(int32_t)cycles : (int32_t)cycles;
    return 1;
}

/* One element of a list of an instruction: "0x2:1", "14", "51:6", "51" or "51:-6". */
static int csspgo__model_element(csspgo__model_text *t, csspgo_sim_instruction *x, int kind)
{
    csspgo_sim_model *m = t->m;
    const unsigned char *start = t->p;
    const int pair = kind == CSSPGO__MODEL_RES || kind == CSSPGO__MODEL_DEF || kind == CSSPGO__MODEL_FILE;
    uint32_t *count = kind == CSSPGO__MODEL_RES ? &x->uses : kind == CSSPGO__MODEL_DEF ? &x->defs : &x->reads;
    uint64_t a, b = 0;
    int32_t advance;
    const uint64_t most = kind == CSSPGO__MODEL_RES ? UINT64_MAX : kind == CSSPGO__MODEL_BUF ? 63 :
                          kind == CSSPGO__MODEL_FILE ? CSSPGO_SIM_FILES - 1 : UINT32_MAX;
    if (!csspgo__model_digits(t, most, &a)) return 0;
    if (pair) {
        if (t->p == t->end || *t->p++ != ':')
            return csspgo__model_deny(t, CSSPGO_E_SYNTAX, start, "a colon is missing");
        if (!csspgo__model_digits(t, kind == CSSPGO__MODEL_FILE ? 255 : CSSPGO__MODEL_MOST, &b)) return 0;
    }
    if (kind == CSSPGO__MODEL_BUF) {
        x->buffers |= (uint64_t)1 << a;
        return 1;
    }
    if (kind == CSSPGO__MODEL_FILE) {
        x->registers[a] = (uint8_t)b;
        return 1;
    }
    if (*count == CSSPGO__MODEL_LONGEST) return csspgo__model_deny(t, CSSPGO_E_LIMIT, start, "a list has 64 elements");
    ++*count;
    if (kind == CSSPGO__MODEL_RES) {
        const csspgo_sim_use use = { a, (uint32_t)b };
        if (a == 0) return csspgo__model_deny(t, CSSPGO_E_RANGE, start, "a use has no units");
        return CSSPGO__MODEL_PUT(m, m->use, use) || csspgo__model_full(t);
    }
    if (kind == CSSPGO__MODEL_DEF) {
        const csspgo_sim_def def = { (uint32_t)a, (uint32_t)b };
        return CSSPGO__MODEL_PUT(m, m->def, def) || csspgo__model_full(t);
    }
    if (!csspgo__model_advance(t, &advance)) return 0;
    return (CSSPGO__MODEL_PUT(m, m->read, (uint32_t)a) && CSSPGO__MODEL_PUT(m, m->advance, advance)) ||
           csspgo__model_full(t);
}

/* A list of an instruction: elements between commas, or "-". */
static int csspgo__model_list(csspgo__model_text *t, csspgo_sim_instruction *x, int kind)
{
    csspgo__model_skip(t);
    if (t->p != t->end && *t->p == '-') {
        t->p++;
    } else {
        for (;; t->p++) {
            if (!csspgo__model_element(t, x, kind)) return 0;
            if (t->p == t->end || *t->p != ',') break;
        }
    }
    if (t->p == t->end || csspgo__model_space_at(t)) return 1;
    return csspgo__model_deny(t, CSSPGO_E_SYNTAX, t->p, "a comma or a blank belongs here");
}

/* A line of an instruction: its number, its lists of resources, buffers, definitions and reads, and its figures. */
static int csspgo__model_inst_line(csspgo__model_text *t)
{
    static const char list[][5] = { "res", "buf", "def", "read", "file" };
    csspgo_sim_model *m = t->m;
    csspgo__model_ranges r;
    csspgo_sim_instruction x;
    const unsigned char *word;
    uint32_t index, seen = 0;
    size_t size;
    memset(&x, 0, sizeof x);
    if (m->instruction.count == 4096)
        return csspgo__model_deny(t, CSSPGO_E_LIMIT, t->line, "a block has at most 4096 instructions");
    if (!csspgo__model_number32(t, UINT32_MAX, &index)) return 0;
    if (index != m->instruction.count)
        return csspgo__model_deny(t, CSSPGO_E_SYNTAX, t->line, "instructions are not in the order of their numbers");
    r.use = m->use.count;
    r.def = m->def.count;
    r.read = m->read.count;
    r.text = 0;
    if (!CSSPGO__MODEL_PUT(m, m->instruction, x) || !CSSPGO__MODEL_PUT(m, m->ranges, r)) return csspgo__model_full(t);
    while ((size = csspgo__model_word(t, &word)) != 0) {
        uint32_t k;
        int ok = 1;
        for (k = 0; k < 5 && !csspgo__model_is(word, size, list[k]); k++) continue;
        if (k < 5 && seen >> k & 1)
            return csspgo__model_deny(t, CSSPGO_E_SYNTAX, word, "an instruction has this list twice");
        seen |= 1u << k;
        if (k < 5) ok = csspgo__model_list(t, &x, (int)k);
        else if (csspgo__model_is(word, size, "uops")) ok = csspgo__model_number32(t, CSSPGO__MODEL_MOST, &x.uops);
        else if (csspgo__model_is(word, size, "lat")) ok = csspgo__model_number32(t, CSSPGO__MODEL_MOST, &x.latency);
        else if (csspgo__model_is(word, size, "load")) x.flags |= CSSPGO_SIM_LOAD;
        else if (csspgo__model_is(word, size, "store")) x.flags |= CSSPGO_SIM_STORE;
        else ok = csspgo__model_deny(t, CSSPGO_E_SYNTAX, word, "an instruction has no property of this name");
        if (!ok) return 0;
    }
    m->instruction.v[index] = x;
    return 1;
}

static int csspgo__model_text_line(csspgo__model_text *t)
{
    uint32_t index;
    size_t at;
    if (!csspgo__model_number32(t, UINT32_MAX, &index)) return 0;
    if (index >= t->m->instruction.count)
        return csspgo__model_deny(t, CSSPGO_E_SYNTAX, t->line, "a text comes before its instruction");
    if (!csspgo__model_pool(t, 1, &at)) return 0;
    t->m->ranges.v[index].text = at;
    return 1;
}

/* A line: its first word says what it is. Nothing may stand behind what it needs. */
static int csspgo__model_line(csspgo__model_text *t)
{
    const unsigned char *word;
    const size_t size = csspgo__model_word(t, &word);
    size_t reason = 0;
    int ok = 1;
    if (size == 0) return 1;
    if (*word == '#') {                               /* a comment, or the name of a register */
        const size_t next = size == 1 ? csspgo__model_word(t, &word) : 0;
        if (!csspgo__model_is(word, next, "regname")) return 1;
        ok = csspgo__model_register_line(t);
    } else if (csspgo__model_is(word, size, "model")) ok = csspgo__model_machine(t);
    else if (csspgo__model_is(word, size, "buffer")) ok = csspgo__model_buffer_line(t);
    else if (csspgo__model_is(word, size, "file")) ok = csspgo__model_file_line(t);
    else if (csspgo__model_is(word, size, "group")) ok = csspgo__model_group_line(t);
    else if (csspgo__model_is(word, size, "resource")) ok = csspgo__model_resource_line(t);
    else if (csspgo__model_is(word, size, "register")) ok = csspgo__model_register_line(t);
    else if (csspgo__model_is(word, size, "inst")) ok = csspgo__model_inst_line(t);
    else if (csspgo__model_is(word, size, "text")) ok = csspgo__model_text_line(t);
    else if (csspgo__model_is(word, size, "cycles")) ok = csspgo__model_number(t, UINT64_MAX, &t->m->block.cycles);
    else if (csspgo__model_is(word, size, "estimate")) ok = csspgo__model_pool(t, 1, &reason);
    else return csspgo__model_deny(t, CSSPGO_E_SYNTAX, word, "a line of a model does not begin with this word");
    if (t->m->estimate == 0) t->m->estimate = reason;
    csspgo__model_skip(t);
    if (ok && t->p != t->end)
        return csspgo__model_deny(t, CSSPGO_E_SYNTAX, t->p, "the line is longer than it should be");
    return ok;
}

/* Lists do not move any more: turns offsets into addresses. */
static int csspgo__model_end(csspgo_sim_model *m)
{
    csspgo_sim_block *b = &m->block;
    size_t i, regs = 0;
    for (i = 0; i < m->reg.count; i++)
        if (regs <= m->reg.v[i].number) regs = (size_t)m->reg.v[i].number + 1;
    if (!CSSPGO__MODEL_FILL(m, m->text, m->instruction.count) || !CSSPGO__MODEL_FILL(m, m->reg_text, regs)) return 0;
    for (i = 0; i < regs; i++) m->reg_text.v[i] = NULL;
    for (i = 0; i < m->reg.count; i++) m->reg_text.v[m->reg.v[i].number] = m->pool.v + m->reg.v[i].text;
    for (i = 0; i < m->instruction.count; i++) {
        csspgo_sim_instruction *x = &m->instruction.v[i];
        const csspgo__model_ranges *r = &m->ranges.v[i];
        if (x->uses != 0) x->use = m->use.v + r->use;
        if (x->defs != 0) x->def = m->def.v + r->def;
        if (x->reads != 0) {
            x->read = m->read.v + r->read;
            x->advance = m->advance.v + r->read;
        }
        m->text.v[i] = m->pool.v + r->text;
    }
    for (i = 0; i < m->resource.count; i++) m->resource.v[i].name = m->pool.v + m->resource_name.v[i];
    b->instruction = m->instruction.v;
    b->count = m->instruction.count;
    b->text = m->text.v;
    b->reg = m->reg_text.v;
    b->regs = regs;
    b->estimate = m->estimate != 0 ? m->pool.v + m->estimate : NULL;
    b->machine.buffer = m->buffer;
    b->machine.group = m->group.v;
    b->machine.groups = m->group.count;
    b->machine.resource = m->resource.count != 0 ? m->resource.v : NULL;
    b->machine.resources = m->resource.count;
    return 1;
}

/* A model without anything. NULL, with the reason in err, when memory is exhausted or the options are wrong. */
static csspgo_sim_model *csspgo__model_new(const csspgo_options *options, csspgo_error *err)
{
    csspgo_sim_model first, *m;
    const char *wrong = NULL;
    memset(&first, 0, sizeof first);
    if (options != NULL) first.allocator = options->allocator;
    first.max_bytes = options != NULL ? options->limits.max_bytes : 0;
    if (first.max_bytes == 0) first.max_bytes = (uint64_t)1 << 34;
    if (options != NULL && options->llvm != 0 && options->llvm != 19) wrong = "csspgo_options.llvm must be 0 or 19";
    else if ((first.allocator.alloc_fn == NULL) != (first.allocator.free_fn == NULL))
        wrong = "an allocator needs both alloc_fn and free_fn";
    if (wrong != NULL) {
        csspgo__model_error(err, CSSPGO_E_ARGUMENT, "csspgo_sim_model_read: ");
        csspgo__model_say(err, wrong);
        return NULL;
    }
    if (first.allocator.alloc_fn == NULL) {
        first.allocator.alloc_fn = csspgo__model_default_alloc;
        first.allocator.free_fn = csspgo__model_default_free;
    }
    m = (csspgo_sim_model *)csspgo__model_alloc(&first, sizeof first);
    if (m == NULL) csspgo__model_error(err, first.status, csspgo_status_text(first.status));
    else *m = first;
    return m;
}

CSSPGO_DEF csspgo_sim_model *csspgo_sim_model_read(const void *data, size_t size, const csspgo_options *options,
                                                   csspgo_error *err)
{
    static const unsigned char empty[1] = { 0 };
    csspgo_sim_model *m = csspgo__model_new(options, err);
    const unsigned char *stop;
    csspgo__model_text t;
    if (m == NULL) return NULL;
    if (err != NULL) memset(err, 0, sizeof *err);
    memset(&t, 0, sizeof t);
    t.m = m;
    t.err = err;
    t.base = size != 0 ? (const unsigned char *)data : empty;
    t.p = t.end = t.line = t.base;
    stop = t.base + size;
    m->block.iterations = 100;
    if (!CSSPGO__MODEL_PUT(m, m->pool, '\0')) csspgo__model_full(&t);
    for (t.number = 1; t.status == CSSPGO_OK && t.p != stop; t.number++) {
        const void *end = memchr(t.p, '\n', (size_t)(stop - t.p));
        t.line = t.p;
        t.end = end != NULL ? (const unsigned char *)end : stop;
        csspgo__model_line(&t);
        t.p = t.end != stop ? t.end + 1 : stop;
    }
    if (m->block.machine.width == 0 || m->instruction.count == 0)
        csspgo__model_deny(&t, CSSPGO_E_TRUNCATED, t.p, "a model needs a machine and an instruction");
    if (t.status == CSSPGO_OK && !csspgo__model_end(m)) csspgo__model_full(&t);
    if (t.status == CSSPGO_OK) return m;
    csspgo_sim_model_free(m);
    return NULL;
}

CSSPGO_DEF void csspgo_sim_model_free(csspgo_sim_model *m)
{
    csspgo_sim_model last;
    if (m == NULL) return;
    CSSPGO__MODEL_DROP(m, m->use);
    CSSPGO__MODEL_DROP(m, m->def);
    CSSPGO__MODEL_DROP(m, m->read);
    CSSPGO__MODEL_DROP(m, m->advance);
    CSSPGO__MODEL_DROP(m, m->instruction);
    CSSPGO__MODEL_DROP(m, m->ranges);
    CSSPGO__MODEL_DROP(m, m->group);
    CSSPGO__MODEL_DROP(m, m->resource);
    CSSPGO__MODEL_DROP(m, m->resource_name);
    CSSPGO__MODEL_DROP(m, m->reg);
    CSSPGO__MODEL_DROP(m, m->reg_text);
    CSSPGO__MODEL_DROP(m, m->text);
    CSSPGO__MODEL_DROP(m, m->pool);
    last = *m;
    csspgo__model_give_back(&last, m, sizeof *m);
}

CSSPGO_DEF csspgo_sim_block csspgo_sim_model_block(const csspgo_sim_model *m)
{
    return m->block;
}

CSSPGO_DEF const char *csspgo_sim_model_register(const csspgo_sim_model *m, uint32_t reg)
{
    return reg < m->reg_text.count ? m->reg_text.v[reg] : NULL;
}

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SIM_MODEL_IMPLEMENTATION */
