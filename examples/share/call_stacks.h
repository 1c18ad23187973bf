/* call_stacks.h - reads call stacks of names: collapsed stacks, text of perf script, V8's .cpuprofile
 *
 * In ONE source file, behind csspgo.h:          Elsewhere:
 *     #include "csspgo.h"                           #include "csspgo.h"
 *     #define CSSPGO_CALL_STACKS_IMPLEMENTATION     #include "call_stacks.h"
 *     #include "call_stacks.h"
 *
 * HOW TO read collapsed stacks
 *
 *     static int how_to_read_call_stacks(void)
 *     {
 *         static const char text[] = "main;read;parse 12\n";
 *         csspgo_error e;
 *         csspgo_stacks *d = csspgo_stacks_new(csspgo_stacks_sniff(text, sizeof text - 1), NULL, &e);
 *         csspgo_stack s;
 *         if (d == NULL) return 1;
 *
 *         csspgo_stacks_feed(d, text, sizeof text - 1, &e);    // pieces of any size
 *         csspgo_stacks_end(d);
 *         while (csspgo_stacks_next(d, &s, &e))
 *             printf("%llu in %.*s\n", (unsigned long long)s.count, (int)s.frames[s.frame_count - 1].size,
 *                    s.frames[s.frame_count - 1].name);
 *         csspgo_stacks_free(d);
 *         return e.status != CSSPGO_OK;
 *     }
 *
 * Memory comes from options.allocator; without one from CSSPGO_MALLOC, where that is defined, else from malloc.
 *
 * It uses only what csspgo.h shows to everyone: copy this file and change it. Part of csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_CALL_STACKS_H
#define CSSPGO_SHARE_CALL_STACKS_H

#ifndef CSSPGO_VERSION
#  error "include csspgo.h before call_stacks.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum csspgo_stacks_form {
    CSSPGO_STACKS_NONE = 0,       /* none of these                                      */
    CSSPGO_STACKS_FOLDED = 1,     /* collapsed stacks: "outer;inner 12"                 */
    CSSPGO_STACKS_SCRIPT = 2,     /* text of perf script whose frames have names        */
    CSSPGO_STACKS_V8 = 3,         /* JSON of V8's CPU profiler: node --cpu-prof, Chrome */
    CSSPGO_STACKS_FORCE_32 = 0x7fffffff
} csspgo_stacks_form;

typedef struct csspgo_stack_frame {
    const char *name;             /* size bytes, not terminated. "[FILE]" where a file is known and no name; 0x...  */
    size_t      size;             /*   where only the address is                                                    */
    uint32_t    inlined;          /* 1: inlined in the frame before it                                              */
    uint32_t    kernel;           /* 1: its address is one of a kernel (upper half)                                 */
} csspgo_stack_frame;

/* A stack. What it points to is valid until the next call on the parser. */
typedef struct csspgo_stack {
    const csspgo_stack_frame *frames;   /* outermost first; at least one                              */
    size_t      frame_count;
    uint64_t    count;            /* samples that it stands for, at least 1                           */
    uint64_t    time;             /* nanoseconds, 0: unknown                                          */
    uint32_t    pid, tid;         /* 0: unknown                                                       */
    const char *comm, *event;     /* of text of perf script: the command, the event; size 0: unknown  */
    size_t      comm_size, event_size;
} csspgo_stack;

/*
 * A push parser. Feed pieces of any size, call next until it returns 0, say end, call next until 0 again. The stacks do
 * not depend on how the input is cut.
 *
 *   - Collapsed stacks: one a line, the count behind the last space. "_[i]" at the end of a name marks an inlined frame.
 *     A line without a count, or with more than 65536 frames, is skipped and counted.
 *   - perf script: the frames of a sample are its lines that begin with blanks and an address; "+0x12" behind a name and
 *     the file in brackets are no part of the name. Lines that end in " (inlined)" are inlined frames. A frame of
 *     address 0 ends a stack that was unwound too far: it is left out. A header that goes on with an address is a sample
 *     of one frame. A line that is one decimal number is the count of the next sample. Branch records and records of
 *     other kinds are left out.
 *   - V8: a node whose hitCount (or else how often `samples` names it) is not 0 is a stack. Nothing comes out before the
 *     end. "(idle)" and "(program)" are frames like others.
 *
 * Memory    text: one line (limits.max_line) and one sample; V8: 16 bytes per byte of the file
 * Threads   calls on different parsers may overlap, calls on one may not
 * Source    Linux: tools/perf/builtin-script.c; github.com/brendangregg/FlameGraph; Chrome DevTools protocol: Profiler
 */
typedef struct csspgo_stacks csspgo_stacks;

typedef struct csspgo_stacks_stats {
    uint64_t lines, stacks;       /* read; handed out                                     */
    uint64_t bad_lines;           /* skipped: they make no sense, or are above max_line   */
    uint64_t first_bad_line;      /* 0: none                                              */
    uint64_t cut_stacks;          /* cut to their 65536 innermost frames                  */
    uint64_t unnamed;             /* samples without a frame                              */
} csspgo_stacks_stats;

/* What the first bytes of a file are; NONE also where the text of perf script has addresses without names. O(size). */
CSSPGO_DEF csspgo_stacks_form csspgo_stacks_sniff(const void *data, size_t size);

/*
 * Makes a parser.
 *
 *   form      not NONE
 *   options   memory and limits, NULL = defaults
 *   err       NULL, or filled in every case
 *
 * Returns   the parser, for csspgo_stacks_free; NULL: E_NOMEM, E_LIMIT, E_ARGUMENT
 */
CSSPGO_DEF csspgo_stacks *csspgo_stacks_new(csspgo_stacks_form form, const csspgo_options *options, csspgo_error *err);

/* Frees a parser; NULL is fine. */
CSSPGO_DEF void csspgo_stacks_free(csspgo_stacks *d);

/*
 * Gives the parser its next piece.
 *
 *   data, size   size in bytes; borrowed until csspgo_stacks_next returns 0
 *   err          NULL, or filled in every case
 *
 * Returns   CSSPGO_OK; E_ARGUMENT, and nothing is taken, if the last piece is not read to its end, or after end
 */
CSSPGO_DEF csspgo_status csspgo_stacks_feed(csspgo_stacks *d, const void *data, size_t size, csspgo_error *err);

/* Says that no piece follows. */
CSSPGO_DEF void csspgo_stacks_end(csspgo_stacks *d);

/*
 * The next stack.
 *
 *   stack   filled in if there is one
 *   err     NULL, or filled in every case
 *
 * Returns   1; 0: the piece is read to its end, or there is an error, which stays: E_NOMEM, E_LIMIT; after end also
 *           E_SYNTAX (no stack in all of it; JSON that is none, or no profile of V8's), E_TRUNCATED
 * Cost      O(bytes); V8: and the sorting of its nodes
 */
CSSPGO_DEF int csspgo_stacks_next(csspgo_stacks *d, csspgo_stack *stack, csspgo_error *err);

/* Statistics of what was read so far. */
CSSPGO_DEF csspgo_stacks_stats csspgo_stacks_get_stats(const csspgo_stacks *d);

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_CALL_STACKS_H */

/* ===== implementation ============================================================================================= */

#if defined(CSSPGO_CALL_STACKS_IMPLEMENTATION) && !defined(CSSPGO_CALL_STACKS_IMPLEMENTATION_INCLUDED)
#define CSSPGO_CALL_STACKS_IMPLEMENTATION_INCLUDED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CSSPGO__STACKS_FRAMES = 65536 };

/* A growable array: count elements, room for cap. All zero: empty. */
#define CSSPGO__STACKS_LIST(type) struct { type *v; size_t count, cap; }

typedef struct csspgo__stacks_span {   /* of csspgo_stacks.text, so far */
    size_t   begin, size;
    uint32_t inlined, kernel;
} csspgo__stacks_span;

typedef struct csspgo__stacks_node {   /* of a profile of V8's */
    uint64_t id, hits;
    size_t   name, name_size;     /* in text                                                       */
    size_t   child, children;     /* in csspgo_stacks.child: ids                                   */
    uint32_t parent;              /* number from 1; 0: none                                        */
    uint32_t has_hits;
} csspgo__stacks_node;

struct csspgo_stacks {
    csspgo_allocator a;
    uint64_t       used, most;    /* bytes that it has, and may have                               */
    size_t         max_line;
    csspgo_status  why;           /* of the last allocation that failed                            */
    csspgo_stacks_form form;
    const char    *p, *end;       /* what is left of the piece                                     */
    uint64_t       fed;           /* bytes before p of all pieces                                  */
    uint32_t       ended, skips;  /* skips: the rest of a line that is too long                    */
    uint32_t       open, cut;     /* script: a sample has begun; it has too many frames            */
    uint32_t       given;         /* the stack in text and frame was handed out: they start anew   */
    uint32_t       whole;         /* `line` is a whole line; else the next `direct` bytes are one  */
    size_t         direct;
    CSSPGO__STACKS_LIST(char) line;      /* the beginning of a line that is split; V8: everything  */
    CSSPGO__STACKS_LIST(char) text;      /* names of the frames of one stack, comm, event          */
    CSSPGO__STACKS_LIST(csspgo__stacks_span) span;       /* in the order of the input              */
    CSSPGO__STACKS_LIST(csspgo_stack_frame) frame;
    csspgo__stacks_span comm, event;
    uint64_t       time, count;   /* of the sample that is open; count: 0: one                     */
    uint32_t       pid, tid;
    /* V8 */
    CSSPGO__STACKS_LIST(csspgo__stacks_node) node;       /* by id once all are known               */
    CSSPGO__STACKS_LIST(uint64_t) child;
    const char    *j, *j_end;     /* what is left of the JSON, in line                             */
    size_t         next;          /* node to hand out                                              */
    uint32_t       parsed, max_depth;
    csspgo_error   error;         /* sticky                                                        */
    csspgo_stacks_stats stats;
};

/* ----- errors, memory ----- */

static csspgo_status csspgo__stacks_error(csspgo_error *err, csspgo_status status, uint64_t offset, const char *text)
{
    if (err == NULL) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->offset = offset;
    snprintf(err->message, sizeof err->message, "%s", text);
    return status;
}

/* The first failure wins. Returns 0. */
static int csspgo__stacks_fail(csspgo_stacks *d, csspgo_status status, uint64_t at, const char *text)
{
    if (d->error.status == CSSPGO_OK) csspgo__stacks_error(&d->error, status, at, text);
    return 0;
}

static int csspgo__stacks_memory(csspgo_stacks *d)
{
    return csspgo__stacks_fail(d, d->why, d->fed, csspgo_status_text(d->why));
}

static void *csspgo__stacks_malloc(void *ctx, size_t size)
{
    (void)ctx;
#ifdef CSSPGO_MALLOC
    return CSSPGO_MALLOC(size);
#else
    return malloc(size);
#endif
}

static void csspgo__stacks_mfree(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
#ifdef CSSPGO_FREE
    CSSPGO_FREE(p);
#else
    free(p);
#endif
}

/* Memory that counts. NULL: d->why says why. */
static void *csspgo__stacks_alloc(csspgo_stacks *d, size_t size)
{
    void *p;
    d->why = CSSPGO_E_LIMIT;
    if (d->used > d->most || size > d->most - d->used) return NULL;
    d->why = CSSPGO_E_NOMEM;
    p = d->a.alloc_fn(d->a.ctx, size);
    if (p != NULL) d->used += size;
    return p;
}

static void csspgo__stacks_release(csspgo_stacks *d, void *p, size_t size)
{
    if (p == NULL) return;
    d->used -= size;
    d->a.free_fn(d->a.ctx, p, size);
}

/* For CSSPGO__STACKS_ROOM. array: the address of the pointer to *cap elements, of which count are in use. */
static int csspgo__stacks_room(csspgo_stacks *d, void *array, size_t count, size_t *cap, size_t more, size_t element)
{
    size_t n = *cap + *cap / 2 > 8 ? *cap + *cap / 2 : 8;
    void *p, *old;
    d->why = CSSPGO_E_LIMIT;
    if (more > SIZE_MAX / element - count) return csspgo__stacks_memory(d);
    if (n < count + more) n = count + more;
    memcpy(&old, array, sizeof old);
    if (old != NULL && count + more <= *cap) return 1;
    if (n > SIZE_MAX / element) return csspgo__stacks_memory(d);
    p = csspgo__stacks_alloc(d, n * element);
    if (p == NULL) return csspgo__stacks_memory(d);
    if (count != 0) memcpy(p, old, count * element);
    csspgo__stacks_release(d, old, *cap * element);
    memcpy(array, &p, sizeof p);
    *cap = n;
    return 1;
}

/* Makes room for n more elements of a list, whose v is then not NULL. 0: the error is set. */
#define CSSPGO__STACKS_ROOM(d, l, n) csspgo__stacks_room((d), &(l).v, (l).count, &(l).cap, (n), sizeof *(l).v)
#define CSSPGO__STACKS_DROP(d, l) csspgo__stacks_release((d), (l).v, (l).cap * sizeof *(l).v)

/* Copies bytes to the end of text. 0: the error is set. */
static int csspgo__stacks_put(csspgo_stacks *d, const char *bytes, size_t size)
{
    if (!CSSPGO__STACKS_ROOM(d, d->text, size)) return 0;
    if (size != 0) memcpy(d->text.v + d->text.count, bytes, size);
    d->text.count += size;
    return 1;
}

CSSPGO_DEF csspgo_stacks *csspgo_stacks_new(csspgo_stacks_form form, const csspgo_options *options, csspgo_error *err)
{
    csspgo_stacks made, *d;
    if (err != NULL) memset(err, 0, sizeof *err);
    memset(&made, 0, sizeof made);
    if (form != CSSPGO_STACKS_FOLDED && form != CSSPGO_STACKS_SCRIPT && form != CSSPGO_STACKS_V8) {
        csspgo__stacks_error(err, CSSPGO_E_ARGUMENT, 0, "csspgo_stacks_new: form is none of csspgo_stacks_form");
        return NULL;
    }
    if (options != NULL) made.a = options->allocator;
    if ((made.a.alloc_fn == NULL) != (made.a.free_fn == NULL)) {
        csspgo__stacks_error(err, CSSPGO_E_ARGUMENT, 0,
                             "csspgo_stacks_new: an allocator needs both alloc_fn and free_fn");
        return NULL;
    }
    if (made.a.alloc_fn == NULL) {
        made.a.alloc_fn = csspgo__stacks_malloc;
        made.a.free_fn = csspgo__stacks_mfree;
    }
    made.most = options != NULL && options->limits.max_bytes != 0 ? options->limits.max_bytes : (uint64_t)1 << 34;
    made.max_depth = options != NULL && options->limits.max_depth != 0 ? options->limits.max_depth : 1024;
    made.max_line = options != NULL && options->limits.max_line != 0 ? options->limits.max_line : (size_t)1 << 20;
    made.form = form;
    d = (csspgo_stacks *)csspgo__stacks_alloc(&made, sizeof *d);
    if (d == NULL) csspgo__stacks_error(err, made.why, 0, csspgo_status_text(made.why));
    else *d = made;
    return d;
}

CSSPGO_DEF void csspgo_stacks_free(csspgo_stacks *d)
{
    if (d == NULL) return;
    CSSPGO__STACKS_DROP(d, d->line);
    CSSPGO__STACKS_DROP(d, d->text);
    CSSPGO__STACKS_DROP(d, d->span);
    CSSPGO__STACKS_DROP(d, d->frame);
    CSSPGO__STACKS_DROP(d, d->node);
    CSSPGO__STACKS_DROP(d, d->child);
    d->a.free_fn(d->a.ctx, d, sizeof *d);
}

CSSPGO_DEF csspgo_status csspgo_stacks_feed(csspgo_stacks *d, const void *data, size_t size, csspgo_error *err)
{
    if (d->ended || d->p != d->end)
        return csspgo__stacks_error(err, CSSPGO_E_ARGUMENT, 0,
                                    d->ended ? "csspgo_stacks_feed: the input has ended"
                                             : "csspgo_stacks_feed: the last piece is not read to its end");
    if (err != NULL) memset(err, 0, sizeof *err);
    d->p = (const char *)data;
    d->end = d->p + size;
    return CSSPGO_OK;
}

CSSPGO_DEF void csspgo_stacks_end(csspgo_stacks *d)
{
    d->ended = 1;
}

CSSPGO_DEF csspgo_stacks_stats csspgo_stacks_get_stats(const csspgo_stacks *d)
{
    return d->stats;
}

/* ----- text ----- */

typedef struct csspgo__stacks_text { const char *p, *end; } csspgo__stacks_text;   /* what is left of a line */

static int csspgo__stacks_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int csspgo__stacks_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* The next word of a line; empty at its end. */
static csspgo__stacks_text csspgo__stacks_word(csspgo__stacks_text *r)
{
    csspgo__stacks_text w;
    while (r->p != r->end && csspgo__stacks_blank(*r->p)) r->p++;
    w.p = r->p;
    while (r->p != r->end && !csspgo__stacks_blank(*r->p)) r->p++;
    w.end = r->p;
    return w;
}

/* 1 if a text is a number of this base that fits 64 bits, and nothing else. */
static int csspgo__stacks_number(csspgo__stacks_text w, int base, uint64_t *v)
{
    *v = 0;
    if (w.p == w.end) return 0;
    for (; w.p != w.end; w.p++) {
        const int digit = csspgo__stacks_digit(*w.p);
        if (digit >= base || *v > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base) return 0;
        *v = *v * (uint64_t)base + (uint64_t)digit;
    }
    return 1;
}

static int csspgo__stacks_ends(csspgo__stacks_text w, const char *with)
{
    const size_t n = strlen(with);
    return (size_t)(w.end - w.p) >= n && memcmp(w.end - n, with, n) == 0;
}

static int csspgo__stacks_is(csspgo__stacks_text w, const char *text)
{
    return (size_t)(w.end - w.p) == strlen(text) && csspgo__stacks_ends(w, text);
}

static int csspgo__stacks_has(csspgo__stacks_text w, const char *text)
{
    const size_t n = strlen(text);
    for (; (size_t)(w.end - w.p) >= n; w.p++)
        if (memcmp(w.p, text, n) == 0) return 1;
    return 0;
}

/* A frame of the stack that is read. Returns 0: the error is set. */
static int csspgo__stacks_add(csspgo_stacks *d, const char *before, csspgo__stacks_text name, const char *behind)
{
    csspgo__stacks_span *s;
    if (!CSSPGO__STACKS_ROOM(d, d->span, 1)) return 0;
    s = &d->span.v[d->span.count++];
    s->begin = d->text.count;
    s->inlined = s->kernel = 0;
    if (!csspgo__stacks_put(d, before, strlen(before)) || !csspgo__stacks_put(d, name.p, (size_t)(name.end - name.p)) ||
        !csspgo__stacks_put(d, behind, strlen(behind)))
        return 0;
    d->span.v[d->span.count - 1].size = d->text.count - d->span.v[d->span.count - 1].begin;
    return 1;
}

/* Forgets the stack that was handed out. */
static void csspgo__stacks_forget(csspgo_stacks *d)
{
    if (!d->given) return;
    d->given = 0;
    d->span.count = d->text.count = 0;
    memset(&d->comm, 0, sizeof d->comm);
    memset(&d->event, 0, sizeof d->event);
    d->time = d->count = 0;
    d->pid = d->tid = 0;
}

/* The stack that was read; innermost: its first frame is. Returns 1; 0: the error is set. */
static int csspgo__stacks_give(csspgo_stacks *d, csspgo_stack *stack, int innermost)
{
    const size_t n = d->span.count;
    size_t i;
    if (!CSSPGO__STACKS_ROOM(d, d->frame, n)) return 0;
    memset(stack, 0, sizeof *stack);
    for (i = 0; i < n; i++) {
        const csspgo__stacks_span *const s = &d->span.v[innermost ? n - 1 - i : i];
        d->frame.v[i].name = d->text.v + s->begin;
        d->frame.v[i].size = s->size;
        d->frame.v[i].inlined = s->inlined && i != 0;
        d->frame.v[i].kernel = s->kernel;
    }
    stack->frames = d->frame.v;
    stack->frame_count = n;
    stack->count = d->count != 0 ? d->count : 1;
    stack->time = d->time;
    stack->pid = d->pid;
    stack->tid = d->tid;
    stack->comm = d->text.v + d->comm.begin;
    stack->comm_size = d->comm.size;
    stack->event = d->text.v + d->event.begin;
    stack->event_size = d->event.size;
    d->given = 1;
    d->stats.stacks++;
    return 1;
}

static void csspgo__stacks_bad(csspgo_stacks *d)
{
    if (d->stats.bad_lines++ == 0) d->stats.first_bad_line = d->stats.lines;
}

/* ----- collapsed stacks ----- */

/* A line; *given: it is a stack. Returns 0: the error is set. */
static int csspgo__stacks_folded(csspgo_stacks *d, csspgo__stacks_text r, csspgo_stack *stack, int *given)
{
    csspgo__stacks_text count = r;
    uint64_t n;
    if (r.p == r.end) return 1;
    while (count.p != count.end && csspgo__stacks_blank(count.end[-1])) r.end = --count.end;
    for (count.p = count.end; count.p != r.p && !csspgo__stacks_blank(count.p[-1]); count.p--) continue;
    if (count.p == r.p || !csspgo__stacks_number(count, 10, &n)) return csspgo__stacks_bad(d), 1;
    r.end = count.p - 1;
    if (n == 0 || r.p == r.end) return n != 0 ? csspgo__stacks_bad(d), 1 : 1;
    for (;; r.p++) {
        csspgo__stacks_text name = r;
        const char *const stop = (const char *)memchr(r.p, ';', (size_t)(r.end - r.p));
        const int inlined = (name.end = stop != NULL ? stop : r.end, csspgo__stacks_ends(name, "_[i]"));
        if (inlined) name.end -= 4;
        if (d->span.count == CSSPGO__STACKS_FRAMES) return csspgo__stacks_bad(d), d->given = 1, 1;
        if (!csspgo__stacks_add(d, "", name, "")) return 0;
        d->span.v[d->span.count - 1].inlined = (uint32_t)inlined;
        if (stop == NULL) break;
        r.p = stop;
    }
    d->count = n;
    return *given = csspgo__stacks_give(d, stack, 0);
}

/* ----- text of perf script ----- */

/* A line that is a frame: blanks and an address. r: behind the address. */
static int csspgo__stacks_is_frame(csspgo__stacks_text *r, uint64_t *address)
{
    if (r->p == r->end || !csspgo__stacks_blank(*r->p)) return 0;
    return csspgo__stacks_number(csspgo__stacks_word(r), 16, address);
}

/*
 * The file at the end of a frame, without its brackets and " (deleted)"; taken from the name. Names and files have blanks
 * and brackets of their own: a path begins at the first bracket behind a blank that '/' or '[' follows, another file at
 * the bracket that the last one closes, if it stands behind a blank.
 */
static csspgo__stacks_text csspgo__stacks_file(csspgo__stacks_text *name)
{
    csspgo__stacks_text file;
    const char *p;
    int depth = 0;
    file.p = file.end = name->end;
    if (!csspgo__stacks_ends(*name, ")")) return file;
    for (p = name->p; p != name->end; p++)
        if (*p == '(' && (p == name->p || p[-1] == ' ') && (p[1] == '/' || p[1] == '[')) break;
    if (p == name->end) do depth += *--p == ')' ? 1 : *p == '(' ? -1 : 0; while (p != name->p && depth != 0);
    if (*p != '(' || (p != name->p && p[-1] != ' ')) return file;
    file.p = p + 1;
    file.end--;
    if (csspgo__stacks_ends(file, " (deleted)")) file.end -= 10;
    name->end = p;
    while (name->p != name->end && csspgo__stacks_blank(name->end[-1])) name->end--;
    return file;
}

/* What stands behind the address of a frame: "NAME+0x12 (FILE)" in any part. Returns 0: the error is set. */
static int csspgo__stacks_named(csspgo_stacks *d, csspgo__stacks_text r, uint64_t address)
{
    csspgo__stacks_text name = r, file;
    char digits[24];
    int inlined;
    size_t k;
    while (name.p != name.end && csspgo__stacks_blank(*name.p)) name.p++;
    while (name.p != name.end && csspgo__stacks_blank(name.end[-1])) name.end--;
    if (address == 0) return 1;
    if (d->span.count == CSSPGO__STACKS_FRAMES) return (int)(d->cut = 1);
    file = csspgo__stacks_file(&name);
    inlined = csspgo__stacks_is(file, "inlined");
    for (k = 0; name.end - k > name.p && csspgo__stacks_digit(name.end[-1 - (ptrdiff_t)k]) < 16; k++) continue;
    if (k != 0 && (size_t)(name.end - name.p) > k + 3 && memcmp(name.end - k - 3, "+0x", 3) == 0) name.end -= k + 3;
    if (csspgo__stacks_is(name, "[unknown]") && file.p != file.end && !csspgo__stacks_is(file, "[unknown]")) {
        for (k = (size_t)(file.end - file.p); k != 0 && file.p[k - 1] != '/'; k--) continue;
        file.p += k;
        if (!csspgo__stacks_add(d, *file.p == '[' ? "" : "[", file, *file.p == '[' ? "" : "]")) return 0;
    } else if (name.p == name.end) {
        name.p = digits;
        name.end = digits + snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)address);
        if (!csspgo__stacks_add(d, "", name, "")) return 0;
    } else if (!csspgo__stacks_add(d, "", name, "")) return 0;
    d->span.v[d->span.count - 1].inlined = (uint32_t)inlined;
    d->span.v[d->span.count - 1].kernel = address >> 63 != 0;
    return 1;
}

/* "123.456789:" as nanoseconds; 0: it is none. */
static int csspgo__stacks_clock(csspgo__stacks_text w, uint64_t *time)
{
    csspgo__stacks_text whole = w, part;
    uint64_t seconds, rest;
    size_t digits;
    if (!csspgo__stacks_ends(w, ":")) return 0;
    w.end--;
    while (whole.end != whole.p && whole.end[-1] != '.') whole.end--;
    if (whole.end == whole.p) return 0;
    part.p = whole.end--;
    part.end = w.end;
    digits = (size_t)(part.end - part.p);
    if (digits > 9 || !csspgo__stacks_number(whole, 10, &seconds) || !csspgo__stacks_number(part, 10, &rest)) return 0;
    for (; digits < 9; digits++) rest *= 10;
    *time = seconds > 18000000000 ? UINT64_MAX : seconds * 1000000000 + rest;
    return 1;
}

/* "PID/TID", or one of them. */
static int csspgo__stacks_ids(csspgo__stacks_text w, uint32_t *pid, uint32_t *tid)
{
    const char *const slash = (const char *)memchr(w.p, '/', (size_t)(w.end - w.p));
    csspgo__stacks_text one = w;
    uint64_t a, b;
    if (slash != NULL) one.end = slash;
    if (!csspgo__stacks_number(one, 10, &a) || a > UINT32_MAX) return 0;
    one.p = slash != NULL ? slash + 1 : w.p;
    one.end = w.end;
    if (!csspgo__stacks_number(one, 10, &b) || b > UINT32_MAX) return 0;
    *pid = (uint32_t)a;
    *tid = (uint32_t)b;
    return 1;
}

static int csspgo__stacks_note(csspgo_stacks *d, csspgo__stacks_span *s, csspgo__stacks_text w)
{
    s->begin = d->text.count;
    s->size = (size_t)(w.end - w.p);
    return csspgo__stacks_put(d, w.p, s->size);
}

/*
 * A header, "COMM PID/TID [CPU] TIME: PERIOD EVENT:", of which any part may be missing. COMM may have blanks and
 * numbers: the ids are what stands before the CPU or the time, else the first number. Returns 0: the error is set.
 */
static int csspgo__stacks_header(csspgo_stacks *d, csspgo__stacks_text r)
{
    csspgo__stacks_text w, before, ids, comm = r, rest;
    uint64_t address;
    uint32_t pid, tid;
    int timed = 0;
    ids.p = ids.end = before.p = before.end = NULL;
    rest = r;
    while (!timed && (w = csspgo__stacks_word(&r), w.p != w.end)) {
        const int cpu = *w.p == '[' && w.end[-1] == ']' && w.end - w.p > 2 && csspgo__stacks_digit(w.p[1]) < 10;
        timed = csspgo__stacks_clock(w, &d->time);
        if ((timed || cpu) && before.p != NULL && csspgo__stacks_ids(before, &pid, &tid)) ids = before;
        if (ids.p == NULL && !timed && !cpu && w.p != comm.p && csspgo__stacks_ids(w, &pid, &tid)) ids = w;
        if (ids.p == w.p || timed || cpu) rest = r;
        if (!cpu) before = w;
    }
    if (ids.p != NULL && csspgo__stacks_ids(ids, &d->pid, &d->tid)) {
        comm.end = ids.p;
        while (comm.p != comm.end && csspgo__stacks_blank(*comm.p)) comm.p++;
        while (comm.p != comm.end && csspgo__stacks_blank(comm.end[-1])) comm.end--;
        if (!csspgo__stacks_note(d, &d->comm, comm)) return 0;
    }
    w = csspgo__stacks_word(&rest);
    if (csspgo__stacks_number(w, 10, &address)) w = csspgo__stacks_word(&rest);     /* the period */
    if (!csspgo__stacks_ends(w, ":")) return 1;
    w.end--;
    if (!csspgo__stacks_note(d, &d->event, w)) return 0;
    w = rest;
    return !csspgo__stacks_number(csspgo__stacks_word(&rest), 16, &address) || csspgo__stacks_named(d, rest, address);
}

/* The sample that is open is over; *given: it is a stack. Returns 0: the error is set. */
static int csspgo__stacks_over(csspgo_stacks *d, csspgo_stack *stack, int *given)
{
    const int was = d->open != 0;
    d->stats.cut_stacks += d->cut;
    d->open = d->cut = 0;
    if (d->span.count != 0) return *given = csspgo__stacks_give(d, stack, 1);
    d->stats.unnamed += (uint64_t)was;
    d->given = (uint32_t)was;
    return 1;
}

/* A line; *again: it was not taken, but ended the sample before it. Returns 0: the error is set. */
static int csspgo__stacks_script(csspgo_stacks *d, csspgo__stacks_text r, csspgo_stack *stack, int *given, int *again)
{
    csspgo__stacks_text at = r;
    uint64_t address;
    if (csspgo__stacks_word(&at).p == r.end) return csspgo__stacks_over(d, stack, given);
    at = r;
    if (csspgo__stacks_is_frame(&at, &address) && !csspgo__stacks_ends(r, ":")) {
        d->open = 1;
        return csspgo__stacks_named(d, at, address);
    }
    at = r;
    if (csspgo__stacks_has(r, "PERF_RECORD_") || *csspgo__stacks_word(&at).p == '#') return 1;
    at = r;
    if (csspgo__stacks_blank(*r.p) && d->open && !csspgo__stacks_ends(r, ":")) return 1;    /* branches, source */
    if (d->open) {
        *again = 1;
        return csspgo__stacks_over(d, stack, given);
    }
    if (csspgo__stacks_number(r, 10, &address)) return d->count = address, 1;
    d->open = 1;
    return csspgo__stacks_header(d, r);
}

/* ----- lines ----- */

/* Bytes of a line that is too long are left out. Returns 1 if this is one. */
static int csspgo__stacks_skip(csspgo_stacks *d, size_t n, int ends)
{
    if (!d->skips && n <= d->max_line - d->line.count) return 0;
    if (!d->skips) d->stats.lines++, csspgo__stacks_bad(d);
    d->skips = !ends;
    d->line.count = 0;
    d->p += n + (size_t)ends;
    d->fed += n + (size_t)ends;
    return 1;
}

/* The next line of the piece, without its end; a part of one is kept. Returns 0: there is none, or the error is set. */
static int csspgo__stacks_line(csspgo_stacks *d, csspgo__stacks_text *r)
{
    while (!d->whole && (d->p != d->end || (d->ended && d->line.count != 0))) {
        const char *const stop = d->p != d->end ? (const char *)memchr(d->p, '\n', (size_t)(d->end - d->p)) : NULL;
        const size_t n = (size_t)((stop != NULL ? stop : d->end) - d->p);
        if (csspgo__stacks_skip(d, n, stop != NULL)) continue;
        if (d->line.count == 0 && stop != NULL) {
            r->p = d->p;
            r->end = stop;
            d->direct = n + 1;
            return 1;
        }
        if (!CSSPGO__STACKS_ROOM(d, d->line, n)) return 0;
        if (n != 0) memcpy(d->line.v + d->line.count, d->p, n);
        d->line.count += n;
        d->p += n + (stop != NULL);
        d->fed += n + (stop != NULL);
        d->whole = stop != NULL || d->ended;
    }
    if (!d->whole) return 0;
    r->p = d->line.v;
    r->end = d->line.v + d->line.count;
    return 1;
}

/* The line that csspgo__stacks_line gave is read. */
static void csspgo__stacks_taken(csspgo_stacks *d)
{
    if (!d->whole) {
        d->p += d->direct;
        d->fed += d->direct;
    }
    d->whole = 0;
    d->line.count = 0;
}

static int csspgo__stacks_of_text(csspgo_stacks *d, csspgo_stack *stack)
{
    csspgo__stacks_text r;
    int given = 0;
    csspgo__stacks_forget(d);
    while (!given && csspgo__stacks_line(d, &r)) {
        int again = 0, ok;
        if (r.p != r.end && r.end[-1] == '\r') r.end--;
        d->stats.lines++;
        ok = d->form == CSSPGO_STACKS_FOLDED ? csspgo__stacks_folded(d, r, stack, &given)
                                             : csspgo__stacks_script(d, r, stack, &given, &again);
        if (!ok) return 0;
        if (again) d->stats.lines--;
        else csspgo__stacks_taken(d);
        if (!given) csspgo__stacks_forget(d);
    }
    if (given || d->error.status != CSSPGO_OK || !d->ended) return given;
    if (!csspgo__stacks_over(d, stack, &given) || given) return given;
    csspgo__stacks_forget(d);
    if (d->stats.stacks != 0) return 0;
    return csspgo__stacks_fail(d, CSSPGO_E_SYNTAX, d->fed, "there is no call stack in it");
}

/* ----- V8: JSON ----- */

static int csspgo__stacks_no_json(csspgo_stacks *d, const char *text)
{
    return csspgo__stacks_fail(d, d->j == d->j_end ? CSSPGO_E_TRUNCATED : CSSPGO_E_SYNTAX,
                               (uint64_t)(d->j - d->line.v), d->j == d->j_end ? "the JSON ends too soon" : text);
}

/* The next character that is no blank; 0 at the end. */
static char csspgo__stacks_peek(csspgo_stacks *d)
{
    while (d->j != d->j_end && (csspgo__stacks_blank(*d->j) || *d->j == '\n' || *d->j == '\r')) d->j++;
    return d->j != d->j_end ? *d->j : '\0';
}

static int csspgo__stacks_expect(csspgo_stacks *d, char c)
{
    if (csspgo__stacks_peek(d) != c || d->j == d->j_end) return csspgo__stacks_no_json(d, "this is no JSON");
    d->j++;
    return 1;
}

/* Goes on in a list: 1 if there is an element (of an object: a key), 0 at its end or if the error is set. */
static int csspgo__stacks_element(csspgo_stacks *d, char end, int first)
{
    const char c = csspgo__stacks_peek(d);
    if (c == end && d->j != d->j_end) return d->j++, 0;
    return first || csspgo__stacks_expect(d, ',');
}

/* A string, as it is between its quotes. Returns 0: the error is set. */
static int csspgo__stacks_quoted(csspgo_stacks *d, csspgo__stacks_text *w)
{
    if (!csspgo__stacks_expect(d, '"')) return 0;
    for (w->p = d->j; d->j != d->j_end && *d->j != '"'; d->j++)
        if (*d->j == '\\' && ++d->j == d->j_end) break;
    w->end = d->j;
    return csspgo__stacks_expect(d, '"');
}

/* The key of a member, up to its value. */
static int csspgo__stacks_key(csspgo_stacks *d, csspgo__stacks_text *w)
{
    return csspgo__stacks_quoted(d, w) && csspgo__stacks_expect(d, ':');
}

/* A number; a fraction, a sign or an exponent makes it 0. */
static int csspgo__stacks_count(csspgo_stacks *d, uint64_t *v)
{
    csspgo__stacks_text w;
    csspgo__stacks_peek(d);
    for (w.p = d->j; d->j != d->j_end && strchr("+-.eE0123456789", *d->j) != NULL && *d->j != '\0'; d->j++) continue;
    w.end = d->j;
    if (w.p == w.end) return csspgo__stacks_no_json(d, "a number is missing");
    if (!csspgo__stacks_number(w, 10, v)) *v = 0;
    return 1;
}

/* Leaves out a value, whatever it is, in a walk without recursion. */
static int csspgo__stacks_pass(csspgo_stacks *d)
{
    csspgo__stacks_text w;
    size_t depth = 0;
    do {
        const char c = csspgo__stacks_peek(d);
        if (d->j == d->j_end) return csspgo__stacks_no_json(d, "");
        if (c == '"') {
            if (!csspgo__stacks_quoted(d, &w)) return 0;
            continue;
        }
        if ((c == '}' || c == ']') && depth-- == 0) return csspgo__stacks_no_json(d, "a value is missing");
        depth += c == '{' || c == '[';
        d->j++;
        if (strchr("{[]},:", c) == NULL)
            while (d->j != d->j_end && strchr("{[]},:\" \t\r\n", *d->j) == NULL) d->j++;
    } while (depth != 0);
    return 1;
}

/* Four hexadecimal digits; UINT32_MAX: it is not these. */
static uint32_t csspgo__stacks_unit(const char *p, const char *end)
{
    csspgo__stacks_text w;
    uint64_t v;
    w.p = p;
    w.end = end - p < 4 ? end : p + 4;
    return w.end - w.p == 4 && csspgo__stacks_number(w, 16, &v) ? (uint32_t)v : UINT32_MAX;
}

/* The character of an escape behind \u, as UTF-8; *p: behind it. What is no character becomes '?'. */
static size_t csspgo__stacks_utf8(const char **p, const char *end, char *to)
{
    uint32_t c = csspgo__stacks_unit(*p, end), low;
    if (c == UINT32_MAX) return *to = '?', 1;
    *p += 4;
    if (c >= 0xd800 && c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
        low = csspgo__stacks_unit(*p + 2, end);
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            *p += 6;
        }
    }
    if (c < 0x80) return *to = (char)c, 1;
    if (c >= 0xd800 && c < 0xe000) return *to = '?', 1;
    if (c < 0x800) return to[0] = (char)(0xc0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 63));
        return to[2] = (char)(0x80 | (c & 63)), 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    return to[3] = (char)(0x80 | (c & 63)), 4;
}

/* Appends a string of JSON to text, without its escapes. */
static int csspgo__stacks_unescape(csspgo_stacks *d, csspgo__stacks_text w)
{
    static const char from[] = "nrtbf", becomes[] = "\n\r\t\b\f";
    while (w.p != w.end) {
        char to[4];
        const char *known;
        size_t n = 1;
        if (*w.p != '\\') {
            const char *const stop = (const char *)memchr(w.p, '\\', (size_t)(w.end - w.p));
            const char *const until = stop != NULL ? stop : w.end;
            if (!csspgo__stacks_put(d, w.p, (size_t)(until - w.p))) return 0;
            w.p = until;
            continue;
        }
        w.p++;
        *to = *w.p++;
        known = *to != '\0' ? strchr(from, *to) : NULL;
        if (*to == 'u') n = csspgo__stacks_utf8(&w.p, w.end, to);
        else if (known != NULL) *to = becomes[known - from];
        if (!csspgo__stacks_put(d, to, n)) return 0;
    }
    return 1;
}

/* What a node is called: its function, else "(anonymous) FILE:LINE". */
static int csspgo__stacks_frame_of(csspgo_stacks *d, csspgo__stacks_node *x)
{
    csspgo__stacks_text key, name, url;
    uint64_t line = UINT64_MAX;
    char number[24];
    int first = 1, named = 0;
    memset(&name, 0, sizeof name);
    memset(&url, 0, sizeof url);
    if (!csspgo__stacks_expect(d, '{')) return 0;
    for (; csspgo__stacks_element(d, '}', first); first = 0) {
        int ok = csspgo__stacks_key(d, &key);
        if (ok && csspgo__stacks_is(key, "functionName")) ok = named = csspgo__stacks_quoted(d, &name);
        else if (ok && csspgo__stacks_is(key, "url")) ok = csspgo__stacks_quoted(d, &url);
        else if (ok && csspgo__stacks_is(key, "lineNumber")) ok = csspgo__stacks_count(d, &line);
        else ok = ok && csspgo__stacks_pass(d);
        if (!ok) return 0;
    }
    if (d->error.status != CSSPGO_OK) return 0;
    if (!named) return csspgo__stacks_no_json(d, "a node has no functionName");
    x->name = d->text.count;
    if (name.p != name.end) {
        if (!csspgo__stacks_unescape(d, name)) return 0;
    } else {
        const char *slash = url.end;
        while (slash != url.p && slash[-1] != '/') slash--;
        url.p = slash;
        if (!csspgo__stacks_put(d, "(anonymous)", 11)) return 0;
        if (url.p != url.end && (!csspgo__stacks_put(d, " ", 1) || !csspgo__stacks_unescape(d, url))) return 0;
        if (url.p != url.end && line < UINT32_MAX &&
            !csspgo__stacks_put(d, number, (size_t)snprintf(number, sizeof number, ":%u", (unsigned)line + 1)))
            return 0;
    }
    x->name_size = d->text.count - x->name;
    return 1;
}

/* The ids of a node's children. */
static int csspgo__stacks_children(csspgo_stacks *d, csspgo__stacks_node *x)
{
    int first = 1;
    if (!csspgo__stacks_expect(d, '[')) return 0;
    x->child = d->child.count;
    for (; csspgo__stacks_element(d, ']', first); first = 0) {
        uint64_t id;
        if (!csspgo__stacks_count(d, &id) || !CSSPGO__STACKS_ROOM(d, d->child, 1)) return 0;
        d->child.v[d->child.count++] = id;
    }
    x->children = d->child.count - x->child;
    return d->error.status == CSSPGO_OK;
}

/* An element of "nodes". */
static int csspgo__stacks_node_of(csspgo_stacks *d)
{
    csspgo__stacks_node x;
    csspgo__stacks_text key;
    int first = 1, framed = 0;
    memset(&x, 0, sizeof x);
    if (!csspgo__stacks_expect(d, '{')) return 0;
    for (; csspgo__stacks_element(d, '}', first); first = 0) {
        int ok = csspgo__stacks_key(d, &key);
        if (ok && csspgo__stacks_is(key, "id")) ok = csspgo__stacks_count(d, &x.id);
        else if (ok && csspgo__stacks_is(key, "hitCount")) ok = csspgo__stacks_count(d, &x.hits), x.has_hits = 1;
        else if (ok && csspgo__stacks_is(key, "children")) ok = csspgo__stacks_children(d, &x);
        else if (ok && csspgo__stacks_is(key, "callFrame")) ok = framed = csspgo__stacks_frame_of(d, &x);
        else ok = ok && csspgo__stacks_pass(d);
        if (!ok) return 0;
    }
    if (d->error.status != CSSPGO_OK) return 0;
    if (!framed) return csspgo__stacks_no_json(d, "a node has no callFrame");
    if (d->node.count == UINT32_MAX - 1) return csspgo__stacks_fail(d, CSSPGO_E_LIMIT, 0, "it has too many nodes");
    if (!CSSPGO__STACKS_ROOM(d, d->node, 1)) return 0;
    d->node.v[d->node.count++] = x;
    return 1;
}

static int csspgo__stacks_node_cmp(const void *a, const void *b)
{
    const csspgo__stacks_node *x = (const csspgo__stacks_node *)a, *y = (const csspgo__stacks_node *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The node of an id; NULL: there is none. */
static csspgo__stacks_node *csspgo__stacks_find(csspgo_stacks *d, uint64_t id)
{
    csspgo__stacks_node key;
    memset(&key, 0, sizeof key);
    key.id = id;
    return d->node.count == 0 ? NULL
                              : (csspgo__stacks_node *)bsearch(&key, d->node.v, d->node.count, sizeof *d->node.v,
                                                               csspgo__stacks_node_cmp);
}

/* Puts the nodes in order and links each one to its parent. */
static int csspgo__stacks_link(csspgo_stacks *d)
{
    size_t i, k;
    if (d->node.count != 0) qsort(d->node.v, d->node.count, sizeof *d->node.v, csspgo__stacks_node_cmp);
    for (i = 0; i + 1 < d->node.count; i++)
        if (d->node.v[i].id == d->node.v[i + 1].id)
            return csspgo__stacks_fail(d, CSSPGO_E_SYNTAX, d->line.count, "two nodes have the same id");
    for (i = 0; i < d->node.count; i++)
        for (k = 0; k < d->node.v[i].children; k++) {
            csspgo__stacks_node *const c = csspgo__stacks_find(d, d->child.v[d->node.v[i].child + k]);
            if (c == NULL || c->parent != 0)
                return csspgo__stacks_fail(d, CSSPGO_E_SYNTAX, d->line.count,
                                           c == NULL ? "a child is not among the nodes" : "a node has two parents");
            c->parent = (uint32_t)i + 1;
        }
    return 1;
}

/* "samples", at d->j: how often each node is named, where nodes do not say it themselves. */
static int csspgo__stacks_samples(csspgo_stacks *d)
{
    int first = 1;
    if (!csspgo__stacks_expect(d, '[')) return 0;
    for (; csspgo__stacks_element(d, ']', first); first = 0) {
        csspgo__stacks_node *x;
        uint64_t id;
        if (!csspgo__stacks_count(d, &id)) return 0;
        x = csspgo__stacks_find(d, id);
        if (x == NULL) return csspgo__stacks_no_json(d, "a sample is of no node");
        x->hits += !x->has_hits;
    }
    return d->error.status == CSSPGO_OK;
}

/* The whole file. */
static int csspgo__stacks_json(csspgo_stacks *d)
{
    const char *samples = NULL;
    csspgo__stacks_text key;
    int first = 1, found = 0;
    if (d->line.v == NULL) return csspgo__stacks_fail(d, CSSPGO_E_TRUNCATED, 0, "the JSON ends too soon");
    d->j = d->line.v;
    d->j_end = d->line.v + d->line.count;
    if (!csspgo__stacks_expect(d, '{')) return 0;
    for (; csspgo__stacks_element(d, '}', first); first = 0) {
        if (!csspgo__stacks_key(d, &key)) return 0;
        if (csspgo__stacks_is(key, "samples")) {
            csspgo__stacks_peek(d);
            samples = d->j;
        }
        if (!csspgo__stacks_is(key, "nodes") || found) {
            if (!csspgo__stacks_pass(d)) return 0;
            continue;
        }
        if (!csspgo__stacks_expect(d, '[')) return 0;
        for (found = 1; csspgo__stacks_element(d, ']', d->node.count == 0);)
            if (!csspgo__stacks_node_of(d)) return 0;
    }
    if (d->error.status != CSSPGO_OK) return 0;
    if (!found) return csspgo__stacks_fail(d, CSSPGO_E_SYNTAX, d->line.count, "no profile of V8's: it has no nodes");
    if (csspgo__stacks_peek(d) != '\0' || d->j != d->j_end)
        return csspgo__stacks_no_json(d, "something stands behind the JSON");
    if (!csspgo__stacks_link(d)) return 0;
    d->j = samples;
    return samples == NULL || csspgo__stacks_samples(d);
}

/* The stack of a node, innermost frame first; the nameless root above all is left out. */
static int csspgo__stacks_walk(csspgo_stacks *d, const csspgo__stacks_node *x)
{
    csspgo__stacks_span s;
    memset(&s, 0, sizeof s);
    for (;;) {
        s.begin = x->name;
        s.size = x->name_size;
        if (x->parent == 0 && d->span.count != 0 && s.size == 6 && memcmp(d->text.v + s.begin, "(root)", 6) == 0)
            return 1;
        if (!CSSPGO__STACKS_ROOM(d, d->span, 1)) return 0;
        d->span.v[d->span.count++] = s;
        if (x->parent == 0) return 1;
        if (d->span.count == d->max_depth) return d->stats.cut_stacks++, 1;
        x = &d->node.v[x->parent - 1];
    }
}

static int csspgo__stacks_of_v8(csspgo_stacks *d, csspgo_stack *stack)
{
    const size_t n = (size_t)(d->end - d->p);
    if (n != 0) {
        if (!CSSPGO__STACKS_ROOM(d, d->line, n)) return 0;
        memcpy(d->line.v + d->line.count, d->p, n);
        d->line.count += n;
        d->fed += n;
        d->p = d->end;
    }
    if (!d->ended) return 0;
    if (!d->parsed && !csspgo__stacks_json(d)) return 0;
    d->parsed = 1;
    while (d->next < d->node.count && d->node.v[d->next].hits == 0) d->next++;
    if (d->next < d->node.count) {
        d->span.count = 0;
        d->count = d->node.v[d->next].hits;
        return csspgo__stacks_walk(d, &d->node.v[d->next++]) && csspgo__stacks_give(d, stack, 1);
    }
    return d->stats.stacks != 0 ? 0 : csspgo__stacks_fail(d, CSSPGO_E_SYNTAX, d->fed, "there is no call stack in it");
}

/* ----- all ----- */

CSSPGO_DEF int csspgo_stacks_next(csspgo_stacks *d, csspgo_stack *stack, csspgo_error *err)
{
    int got = 0;
    if (err != NULL) memset(err, 0, sizeof *err);
    memset(stack, 0, sizeof *stack);
    if (d->error.status == CSSPGO_OK)
        got = d->form == CSSPGO_STACKS_V8 ? csspgo__stacks_of_v8(d, stack) : csspgo__stacks_of_text(d, stack);
    if (!got && err != NULL) *err = d->error;
    return got;
}

/* 1 if a line is the frame of a name: blanks, an address, a word that is no number. */
static int csspgo__stacks_has_name(csspgo__stacks_text r)
{
    uint64_t address;
    csspgo__stacks_text w;
    if (!csspgo__stacks_is_frame(&r, &address) || csspgo__stacks_ends(r, ":")) return 0;
    w = csspgo__stacks_word(&r);
    return w.p != w.end && *w.p != '(' && !csspgo__stacks_number(w, 16, &address) &&
           !(w.end - w.p > 2 && w.p[0] == '0' && w.p[1] == 'x');
}

CSSPGO_DEF csspgo_stacks_form csspgo_stacks_sniff(const void *data, size_t size)
{
    csspgo__stacks_text r, w, all;
    uint64_t n;
    int first = 1, folded = 0;
    all.p = (const char *)data;
    all.end = all.p + size;
    r = all;
    while (r.p != r.end && (csspgo__stacks_blank(*r.p) || *r.p == '\n' || *r.p == '\r')) r.p++;
    if (r.p != r.end && *r.p == '{')
        return csspgo__stacks_has(all, "\"callFrame\"") ? CSSPGO_STACKS_V8 : CSSPGO_STACKS_NONE;
    while (all.p != all.end) {
        const char *const stop = (const char *)memchr(all.p, '\n', (size_t)(all.end - all.p));
        r.p = all.p;
        r.end = stop != NULL ? stop : all.end;
        all.p = stop != NULL ? stop + 1 : all.end;
        if (r.p != r.end && r.end[-1] == '\r') r.end--;
        if (memchr(r.p, '\0', (size_t)(r.end - r.p)) != NULL) return CSSPGO_STACKS_NONE;
        if (csspgo__stacks_has_name(r)) return CSSPGO_STACKS_SCRIPT;
        if (r.p == r.end || !first) continue;
        first = 0;
        w.end = r.end;
        for (w.p = w.end; w.p != r.p && !csspgo__stacks_blank(w.p[-1]); w.p--) continue;
        folded = !csspgo__stacks_blank(*r.p) && w.p > r.p + 1 && csspgo__stacks_number(w, 10, &n) &&
                 (stop != NULL || w.p != w.end) && !csspgo__stacks_ends(r, ":");
    }
    return folded ? CSSPGO_STACKS_FOLDED : CSSPGO_STACKS_NONE;
}

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_CALL_STACKS_IMPLEMENTATION */
