/* trace.c - traces of branches as text (perf script --itrace=b, -F ip,addr; BTS; magic-trace): one branch a line,
 * "FROM NAME => TO NAME", in place of which whoever reads it gets lines of branch records
 *
 * Nothing is estimated: of each thread, windows of TRACE_WINDOW branches follow one another, and the oldest record of
 * each is the newest one of the window before, as a reader does not count the oldest. Where the trace was interrupted (no
 * source or no target is known) a window ends. Other lines go through as they are.
 */
#include "recording.h"

enum { TRACE_WINDOW = 32, TRACE_THREADS = 256, TRACE_LINE = 4096, TRACE_HEAD = 1 << 16 };

typedef struct trace_thread {
    uint32_t tid;
    unsigned count;               /* branches that wait, the oldest first   */
    char     header[64];          /* of its last line: "PID/TID TIME:"      */
    uint64_t from[TRACE_WINDOW], to[TRACE_WINDOW];
} trace_thread;

typedef struct trace {
    const tool_context *tool;
    FILE  *file;                  /* the text; standard input stays open                            */
    trace_thread *thread;
    size_t threads;
    int    known, converts;       /* converts: 0: it is another text, which goes through            */
    int    ended, skips;          /* skips: the rest of a line that is too long                     */
    char   in[TRACE_HEAD];
    size_t next, size;            /* what is left of in                                             */
    char  *out;                   /* what is ready                                                  */
    size_t out_next, out_size, out_cap;
    uint64_t at;                  /* bytes given                                                    */
} trace;

/* ----- lines ------------------------------------------------------------------------------------------------------ */

typedef struct branch_line { uint64_t from, to; uint32_t tid; const char *header; size_t header_size; } branch_line;

static const char *word_end(const char *p, const char *end)
{
    while (p != end && *p != ' ' && *p != '\t') p++;
    return p;
}

static const char *word_begin(const char *p, const char *end)
{
    while (p != end && (*p == ' ' || *p == '\t')) p++;
    return p;
}

static int is_address(const char *p, const char *end, uint64_t *v)
{
    if (end - p > 2 && p[0] == '0' && p[1] == 'x') p += 2;
    if (p == end || end - p > 16) return 0;
    for (*v = 0; p != end; p++) {
        const int c = *p, digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
        if (digit == 16) return 0;
        *v = *v << 4 | (uint64_t)digit;
    }
    return 1;
}

/* "PID/TID", "TID". */
static int is_ids(const char *p, const char *end, uint32_t *tid)
{
    uint64_t v = 0;
    if (p == end || *p == '/') return 0;
    for (; p != end; p++) {
        if (*p == '/') v = 0;
        else if (*p < '0' || *p > '9' || v > UINT32_MAX / 10) return 0;
        else v = v * 10 + (uint64_t)(*p - '0');
    }
    *tid = (uint32_t)v;
    return 1;
}

static int is_clock(const char *p, const char *end)
{
    int dots = 0;
    if (p == end || end[-1] != ':') return 0;
    for (; p != end - 1; p++) {
        if (*p == '.') dots++;
        else if (*p < '0' || *p > '9') return 0;
    }
    return dots == 1;
}

/* The end of a part of the header, "branches:uH:"; no name of a function and no arguments. */
static int is_head(const char *p, const char *end)
{
    if (end[-1] != ':') return 0;
    while (p != end && *p != '(' && *p != '+') p++;
    return p == end;
}

/* The target behind "=>", and where that stands; NULL: it is no line of a branch. */
static const char *target_of(const char *p, const char *end, uint64_t *to)
{
    const char *arrow = p;
    for (; end - arrow > 3; arrow++) {
        const char *word;
        if (memcmp(arrow, "=>", 2) != 0 || (arrow != p && arrow[-1] != ' ') || arrow[2] != ' ') continue;
        word = word_begin(arrow + 2, end);
        if (is_address(word, word_end(word, end), to)) return arrow;
    }
    return NULL;
}

/*
 * A line of one branch: the source is the first address behind the last word with a colon that stands before any
 * address, else the first word. Returns 0: it is none.
 */
static int branch_of(const char *p, const char *end, branch_line *b)
{
    const char *const arrow = target_of(p, end, &b->to), *word, *stop, *before = NULL, *before_end = NULL;
    uint64_t v;
    int found = 0;
    memset(&b->tid, 0, sizeof *b - offsetof(branch_line, tid));
    if (arrow == NULL) return 0;
    for (word = word_begin(p, arrow); word != arrow; word = word_begin(stop, arrow)) {
        stop = word_end(word, arrow);
        if (is_clock(word, stop)) {
            b->header = p;
            if (before != NULL && is_ids(before, before_end, &b->tid)) b->header = before;
            b->header_size = (size_t)(stop - b->header);
        }
        if (is_head(word, stop)) found = 0;
        else if (!found && is_address(word, stop, &v)) {
            b->from = v;
            found = 1;
        }
        if (*word != '[') before = word, before_end = stop;
    }
    return found;
}

/* ----- windows ---------------------------------------------------------------------------------------------------- */

/* Returns 0 without memory. */
static int out_add(trace *t, const char *bytes, size_t size)
{
    if (t->out_size + size > t->out_cap) {
        const size_t cap = 2 * (t->out_size + size) + 4096;
        char *const v = (char *)realloc(t->out, cap);
        if (v == NULL) return 0;
        t->out = v;
        t->out_cap = cap;
    }
    if (size != 0) memcpy(t->out + t->out_size, bytes, size);
    t->out_size += size;
    return 1;
}

/* Gives out a window, the newest branch first; goes_on: its newest one stays. Returns 0 without memory. */
static int window_out(trace *t, trace_thread *w, int goes_on)
{
    char text[64];
    unsigned i;
    int ok = w->count < 2 || out_add(t, w->header, strlen(w->header));
    for (i = w->count < 2 ? 0 : w->count; ok && i-- > 0;)
        ok = out_add(t, text, (size_t)snprintf(text, sizeof text, " 0x%" PRIx64 "/0x%" PRIx64 "/-/-/-/0", w->from[i],
                                               w->to[i]));
    if (ok && w->count >= 2) ok = out_add(t, "\n", 1);
    if (goes_on && w->count != 0) {
        w->from[0] = w->from[w->count - 1];
        w->to[0] = w->to[w->count - 1];
    }
    w->count = goes_on && w->count != 0;
    return ok;
}

/* The windows of a thread; of too many threads the first ones end. NULL without memory. */
static trace_thread *window_of(trace *t, uint32_t tid)
{
    trace_thread *w;
    size_t i;
    for (i = 0; i < t->threads && t->thread[i].tid != tid; i++) continue;
    w = &t->thread[i < t->threads ? i : t->threads < TRACE_THREADS ? t->threads : tid % TRACE_THREADS];
    if (i == t->threads && t->threads == TRACE_THREADS && !window_out(t, w, 0)) return NULL;
    if (i == t->threads && t->threads < TRACE_THREADS) t->threads++;
    w->tid = tid;
    return w;
}

/* Takes a branch. Returns 0 without memory. */
static int branch_take(trace *t, const branch_line *b)
{
    trace_thread *const w = window_of(t, b->tid);
    if (w == NULL) return 0;
    if (b->from == 0 && !window_out(t, w, 0)) return 0;    /* the trace begins here; what was before is not known */
    snprintf(w->header, sizeof w->header, "  %.*s", b->header_size < 60 ? (int)b->header_size : 0,
             b->header != NULL ? b->header : "");
    if (w->count == 0 && b->from != 0) {                   /* how it got there is unknown; the branch counts */
        w->from[0] = 0;
        w->to[w->count++] = b->from;
    }
    w->from[w->count] = b->from;
    w->to[w->count++] = b->to != 0 ? b->to : 1;
    if (b->to == 0) return window_out(t, w, 0);
    return w->count < TRACE_WINDOW || window_out(t, w, 1);
}

/* A line, with its end if it has one. Returns 0 without memory. */
static int line_take(trace *t, const char *p, size_t size)
{
    const char *end = p + size;
    branch_line b;
    while (end != p && (end[-1] == '\n' || end[-1] == '\r')) end--;
    return branch_of(p, end, &b) ? branch_take(t, &b) : out_add(t, p, size);
}

/* ----- as a FILE -------------------------------------------------------------------------------------------------- */

int trace_is(const char *text, size_t size)
{
    const char *p = text, *const end = text + size, *stop;
    branch_line b;
    size_t lines = 0;
    for (; (stop = (const char *)memchr(p, '\n', (size_t)(end - p))) != NULL && lines < 4000; p = stop + 1, lines++)
        if (branch_of(p, stop > p && stop[-1] == '\r' ? stop - 1 : stop, &b)) return 1;
    return 0;
}

static int trace_fill(trace *t)
{
    const size_t left = t->size - t->next;
    memmove(t->in, t->in + t->next, left);
    t->next = 0;
    t->size = left;
    if (left == sizeof t->in) return 1;
    t->size = left + (interrupted() ? 0 : fread(t->in + left, 1, sizeof t->in - left, t->file));
    t->ended = t->size == left;
    return !ferror(t->file) || interrupted();
}

/* The first bytes say whether it is a trace. */
static void trace_learn(trace *t)
{
    t->known = 1;
    t->converts = trace_is(t->in, t->size);
    if (t->converts) note(t->tool, "this is a trace: each branch counts as it is");
}

/* All whole lines of what was read become what is ready. Returns 0 without memory. */
static int trace_convert(trace *t)
{
    while (t->next < t->size) {
        const char *const p = t->in + t->next, *const stop = (const char *)memchr(p, '\n', t->size - t->next);
        const size_t n = stop != NULL ? (size_t)(stop + 1 - p) : t->size - t->next;
        if (stop == NULL && !t->ended && n < TRACE_LINE && !t->skips) return 1;
        if (!(stop == NULL || t->skips ? out_add(t, p, n) : line_take(t, p, n))) return 0;
        t->skips = stop == NULL;
        t->next += n;
    }
    return 1;
}

static ssize_t trace_read(void *cookie, char *to, size_t size)
{
    trace *const t = (trace *)cookie;
    size_t n, i;
    int ok = 1;
    while (ok && t->out_next == t->out_size && !t->ended) {
        t->out_next = t->out_size = 0;
        if (!trace_fill(t)) return -1;
        if (!t->known) trace_learn(t);
        if (t->converts) ok = trace_convert(t);
        else ok = out_add(t, t->in, t->size), t->next = t->size;
        for (i = 0; ok && t->ended && i < t->threads; i++) ok = window_out(t, &t->thread[i], 0);
    }
    if (!ok) return errno = ENOMEM, -1;
    n = size < t->out_size - t->out_next ? size : t->out_size - t->out_next;
    if (n != 0) memcpy(to, t->out + t->out_next, n);
    t->out_next += n;
    t->at += n;
    if (n == 0 && interrupted()) return errno = EINTR, -1;
    return (ssize_t)n;
}

static int trace_seek(void *cookie, off64_t *to, int whence)
{
    trace *const t = (trace *)cookie;
    char skipped[1024];
    ssize_t n = 1;
    if (whence == SEEK_CUR) *to += (off64_t)t->at;
    if (whence == SEEK_END || *to < 0) return -1;
    if ((uint64_t)*to < t->at) {
        if (fseeko(t->file, 0, SEEK_SET) != 0) return -1;
        t->next = t->size = t->out_next = t->out_size = t->threads = 0;
        t->at = 0;
        t->ended = t->skips = 0;
        memset(t->thread, 0, TRACE_THREADS * sizeof *t->thread);
    }
    while (n > 0 && t->at < (uint64_t)*to)
        n = trace_read(t, skipped, (uint64_t)*to - t->at < sizeof skipped ? (size_t)((uint64_t)*to - t->at)
                                                                         : sizeof skipped);
    return n < 0 ? -1 : 0;
}

static int trace_close(void *cookie)
{
    trace *const t = (trace *)cookie;
    if (t->file != stdin) fclose(t->file);
    free(t->thread);
    free(t->out);
    free(t);
    return 0;
}

FILE *trace_open(const tool_context *tool, FILE *from, int twice)
{
    static const cookie_io_functions_t calls = { trace_read, NULL, trace_seek, trace_close };
    trace *const t = (trace *)calloc(1, sizeof *t);
    FILE *f = NULL;
    if (t == NULL) return fail(tool, "out of memory"), NULL;
    t->tool = tool;
    t->file = from;
    while (twice && t->size < sizeof t->in && !t->ended) trace_fill(t);
    if (twice) trace_learn(t);
    if (!t->converts && twice && fseeko(from, 0, SEEK_SET) == 0) return free(t), clearerr(from), from;
    t->ended = 0;
    t->thread = (trace_thread *)calloc(TRACE_THREADS, sizeof *t->thread);
    if (t->thread != NULL) f = fopencookie(t, "rb", calls);
    if (f == NULL) return trace_close(t), fail(tool, "out of memory"), NULL;
    return f;
}
