/* flat.c - profgen: scripts of branch records alone, for --leading-ip-only, --perf-event and --sample-period */
#include "profgen.h"

enum { FLAT_BATCH = 4096, FLAT_LINE = 80 };

typedef struct flat_reader {
    char       *lines;            /* counters of sampled addresses, still to be read */
    size_t      size, count;      /* bytes, lines of it                              */
    int         counted;          /* the last line was a count: `times`              */
    uint64_t    times, samples;
} flat_reader;

/* What the branch records of a script are with: 1 call stacks, 0 no call stacks, -1 nothing, it is no script. */
int flat_kind(const file_bytes *text)
{
    csspgo_script_options how;
    csspgo_script *s;
    csspgo_item item = CSSPGO_ITEM_OTHER;
    csspgo_sample sample;
    csspgo_mmap map;
    int kind = -1;
    memset(&how, 0, sizeof how);
    how.llvm = 19;
    s = csspgo_script_new(&how, seeded(), NULL);
    if (s == NULL) return -1;
    csspgo_script_feed(s, text->data, text->size, NULL);
    csspgo_script_end(s);
    while (kind < 0 && item != CSSPGO_ITEM_NONE) {
        item = csspgo_script_next(s, &sample, &map, NULL);
        if (csspgo_script_get_stats(s).hybrid) kind = 1;
        else if (item == CSSPGO_ITEM_SAMPLE) kind = 0;
    }
    csspgo_script_free(s);
    return kind;
}

/* The word at p: what lies between blanks. Returns its size. */
static size_t flat_word(const char **p, const char *end)
{
    size_t n = 0;
    while (*p != end && **p == ' ') ++*p;
    while (*p + n != end && (*p)[n] != ' ') n++;
    return n;
}

/* 1 if the word is among those of a list; split: an entry holds several, between commas. */
static int flat_listed(const option *o, int split, const char *word, size_t size)
{
    size_t i;
    for (i = 0; i < o->count; i++) {
        const char *v = o->list[i];
        for (;;) {
            const size_t n = split ? strcspn(v, ",") : strlen(v);
            if (n == size && memcmp(v, word, n) == 0) return 1;
            if (v[n] == '\0') break;
            v += n + 1;
        }
    }
    return 0;
}

/* 1 if lines of an event count: LLVM's tool takes those whose name is exactly one that is asked for. -1: no memory. */
static int flat_counts(profgen *g, const char *word, size_t size)
{
    const option *o = g->o;
    if (!g->tool->compat) return events_named(&g->events, word, size);
    return !events_asked(o) || flat_listed(&o[O_EVENT], 0, word, size) || flat_listed(&o[O_EVENTS], 1, word, size);
}

/* A number that is all of a word. Returns 0 if it is none. */
static int flat_number(const char *word, size_t size, unsigned base, uint64_t *number)
{
    size_t i;
    *number = 0;
    for (i = 0; i < size; i++) {
        const int c = word[i] | 32;
        const unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                             : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
        if (digit >= base || *number > (UINT64_MAX - digit) / base) return 0;
        *number = *number * base + digit;
    }
    return size != 0;
}

/* Hands on the counters that wait. Returns 0 after saying what is wrong. */
static int flat_flush(profgen *g, flat_reader *f)
{
    csspgo_unsymbolized_options raw;
    csspgo_error e;
    char head[FLAT_LINE];
    const size_t n = (size_t)snprintf(head, sizeof head, "%zu\n", f->count);
    char *const text = f->lines + FLAT_LINE - n;           /* room for the head is in front of the lines */
    if (f->count == 0) return 1;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image->module;
    memcpy(text, head, n);
    memcpy(f->lines + f->size, "0\n", 2);
    e.status = csspgo_read_unsymbolized(g->count.collector, text, f->size - FLAT_LINE + n + 2, &raw, &e);
    f->size = FLAT_LINE;
    f->count = 0;
    return e.status == CSSPGO_OK || (kind_fail_at(g->tool, g->reader.path, KIND_SCRIPT, &e), 0);
}

/* A sampled address: by default as a sample without branches, in compat mode as LLVM's range of one instruction. */
static int flat_address(profgen *g, flat_reader *f, uint64_t ip, uint64_t times)
{
    const uint64_t at = ip - g->programs.bias;
    csspgo_sample s;
    if (!g->tool->compat) {
        memset(&s, 0, sizeof s);
        s.stack = &ip;
        s.stack_count = 1;
        s.count = times;
        return profgen_address(g, &s);
    }
    if (!is_code(&g->programs, ip)) return 1;
    f->size += (size_t)sprintf(f->lines + f->size, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", at, at, times);
    return ++f->count < FLAT_BATCH || flat_flush(g, f);
}

/* Hands a piece of the text on to the parser, and takes what it has. Returns 0 after saying what is wrong. */
static int flat_feed(profgen *g, const void *piece, size_t size)
{
    reader_feed(&g->reader, piece, size);
    return profgen_items(g);
}

static int flat_is_map(const char *p, size_t size)
{
    return size >= 50 && (*p < '0' || *p > '9') && memmem(p, size, "PERF_RECORD_MMAP", 16) != NULL;
}

/* A line, [p, end), with its line feed. Returns 0 after saying what is wrong. */
static int flat_line(profgen *g, flat_reader *f, const char *p, const char *end)
{
    const option *o = g->o;
    const int leading = o[O_LEADING].number != 0;
    const char *last = end, *word = p;
    csspgo_sample s;
    uint64_t ip;
    size_t n, name;
    int counts;
    while (last != p && (last[-1] == '\n' || last[-1] == '\r')) last--;
    if (!f->counted && flat_is_map(p, (size_t)(last - p))) return flat_feed(g, p, (size_t)(end - p));
    memset(&s, 0, sizeof s);
    s.count = f->counted ? f->times : 1;
    f->counted = !f->counted && flat_number(p, (size_t)(last - p), 10, &f->times);
    if (f->counted) return leading || flat_feed(g, p, (size_t)(end - p));
    n = flat_word(&word, last);
    if (n != 0 && word[n - 1] == ':') {
        for (name = n; name != 0 && word[name - 1] == ':'; name--) {}
        counts = flat_counts(g, word, name);
        if (counts < 0) return fail(g->tool, "out of memory"), 0;
        if (!counts) return leading || flat_feed(g, "\n", 1);        /* uses up the count */
        word += n;
        n = flat_word(&word, last);
    }
    if (!leading) return flat_feed(g, p, (size_t)(end - p));
    if (!flat_number(word, n, 16, &ip)) return 1;
    f->samples++;
    return flat_address(g, f, ip, o[O_PERIOD].text != NULL ? flat_weight(&g->programs, o, &s) : s.count);
}

/* Scripts without samples decide nothing; --skip-symbolization is to write that there are no counters. */
int profgen_no_contexts(profgen *g)
{
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    csspgo_error e;
    return csspgo_read_unsymbolized(g->count.collector, "0\n0\n", 4, &raw, &e) == CSSPGO_OK ||
           (fail(g->tool, "%s", plain(&e)), 0);
}

/* The collector, the reader and room for lines. Returns 0 after saying what is wrong. */
static int flat_begin(profgen *g, flat_reader *f)
{
    csspgo_collector_options how = profgen_how(g);
    reader *const r = &g->reader;
    memset(f, 0, sizeof *f);
    how.ignore_stack = 1;                                  /* the address alone is no stack */
    csspgo_collector_free(g->count.collector);
    g->count.collector = csspgo_collector_new(g->image->code, &how, seeded(), NULL);
    f->lines = (char *)malloc((FLAT_BATCH + 2) * FLAT_LINE);
    f->size = FLAT_LINE;
    g->count.flat = 1;
    r->path = g->in.path;
    r->how.as_llvm = 1;
    if (!reader_parse(r, RECORDING_SCRIPT)) return 0;
    return (f->lines != NULL && g->count.collector != NULL) || (fail(g->tool, "out of memory"), 0);
}

/* Reads such a script; *samples: how many there are. Returns 0 after saying what is wrong. */
int flat_read(profgen *g, const file_bytes *text, unsigned long long *samples)
{
    const char *const begin = (const char *)text->data, *const end = begin + text->size, *p = begin;
    progress shown = progress_begin(g->tool);
    flat_reader f;
    int ok = flat_begin(g, &f);
    shown.total = text->size;
    while (ok && !interrupted() && p != end) {
        const char *lf = (const char *)memchr(p, '\n', (size_t)(end - p));
        ok = flat_line(g, &f, p, lf != NULL ? lf + 1 : end);
        if (ok && lf == NULL) ok = flat_feed(g, "\n", 1);
        p = lf != NULL ? lf + 1 : end;
        progress_show(&shown, (unsigned long long)(p - begin), f.samples + reader_samples(&g->reader));
    }
    progress_end(&shown);
    ok = ok && flat_flush(g, &f);
    if (ok && p != end) reader_stopped(&g->reader, (unsigned long long)(p - begin));
    if (ok) *samples = f.samples + reader_samples(&g->reader);
    free(f.lines);
    return ok;
}
