/* tool.h - what the commands of csspgo.c share: messages, options, progress, names and contexts as text
 *
 * Include it after csspgo.h, load.h and output.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_TOOL_H
#define CSSPGO_EXAMPLES_TOOL_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>

/* ----- messages --------------------------------------------------------------------------------------------------- */

static int quiet;                 /* --quiet: no warnings, no progress                                            */
static int compat;                /* --llvm-compat: bytes, messages and exit statuses are those of LLVM 19's tool  */

static void say(const char *what, const char *format, va_list args)
{
    if (!compat) fputs("csspgo: ", stderr);
    fputs(what, stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

/* An input or output is at fault: exit status 1. */
static int fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("error: ", format, args);
    va_end(args);
    return 1;
}

/* All is done and written, and nobody can use it, such as an empty profile: exit status 3; LLVM's tools have none. */
static int hopeless(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("error: ", format, args);
    va_end(args);
    return 3;
}

/* The command line is at fault: exit status 2, LLVM's is 1. */
static int usage_status(void)
{
    return compat ? 1 : 2;
}

static int usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("error: ", format, args);
    va_end(args);
    return usage_status();
}

static void warn(const char *format, ...)
{
    va_list args;
    if (quiet) return;
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}

/* An error of the library about a file: FILE:LINE:COLUMN: message, or with the byte offset for binary input. */
static int fail_at(const char *path, const csspgo_error *e)
{
    if (e->line != 0) return fail("%s:%u:%u: %s", path, e->line, e->column, e->message);
    if (e->offset != 0) return fail("%s: byte %llu: %s", path, (unsigned long long)e->offset, e->message);
    return fail("%s: %s", path, e->message);
}

/* ----- output ----------------------------------------------------------------------------------------------------- */

/* Returns 0 after refusing an output that is the same file as an input; either may be NULL. */
static int output_spares(const char *path, const char *input)
{
    if (path == NULL || input == NULL || (compat && strcmp(path, "-") == 0) || !output_is_input(path, input)) return 1;
    usage("output '%s' is the same file as input '%s': choose another output", path, input);
    return 0;
}

/* Returns 0 after saying why the output cannot be written: tried before the work, which takes long. LLVM tries last. */
static int output_ready(const char *path)
{
    output o;
    if (path == NULL || compat || (output_begin(&o, path) && !output_end(&o, 0))) return 1;
    fail("%s: %s", path, strerror(errno));
    return 0;
}

/* An output to print to. NULL after saying why there is none. */
static FILE *stream_begin(output *o, const char *path)
{
    if (output_begin(o, path)) {
        if (output_stream(o) != NULL) return o->file;
        output_end(o, 0);
    }
    fail("%s: %s", path, strerror(errno));
    return NULL;
}

/* Ends it; ok: the command did its work, else what it printed is void. Returns the exit status. */
static int stream_end(output *o, const char *path, int ok)
{
    if (output_end(o, ok)) return 0;
    return ok ? fail("%s: %s", path, strerror(errno)) : 1;
}

/* What is written: into memory for a descriptor, else to a file of a given name. */
typedef struct writer {
    csspgo_status (*bytes_fn)(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e);
    csspgo_status (*file_fn)(const void *what, const char *name, csspgo_error *e);
    const void *what;
} writer;

static csspgo_status write_bytes(const writer *w, FILE *out, csspgo_error *e)
{
    size_t size;
    csspgo_status s = w->bytes_fn(w->what, NULL, 0, &size, e);
    void *bytes = s == CSSPGO_OK ? malloc(size + 1) : NULL;
    if (s != CSSPGO_OK) return s;
    s = bytes != NULL ? w->bytes_fn(w->what, bytes, size, &size, e) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK && (out == NULL || fwrite(bytes, 1, size, out) != size)) s = CSSPGO_E_IO;
    free(bytes);
    return s;
}

/* On failure the message of e is the whole reason, without the path. */
static csspgo_status write_output(const writer *w, const char *path, csspgo_error *e)
{
    csspgo_status s = CSSPGO_E_IO;
    output o;
    int why;
    memset(e, 0, sizeof *e);
    errno = 0;
    if (output_begin(&o, path)) {
        s = o.name != NULL ? w->file_fn(w->what, o.name, e) : write_bytes(w, output_stream(&o), e);
        why = errno;
        if (!output_end(&o, s == CSSPGO_OK) && s == CSSPGO_OK) s = CSSPGO_E_IO;
        else errno = why;
    }
    e->status = s;
    if (s == CSSPGO_E_IO) snprintf(e->message, sizeof e->message, "%s", strerror(errno));
    else if (s != CSSPGO_OK && *e->message == '\0')
        snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
    return s;
}

typedef struct profile_form {
    csspgo_profile *p;
    uint32_t        form;
} profile_form;

static csspgo_status profile_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    const profile_form *f = (const profile_form *)what;
    return csspgo_write(f->p, f->form, buf, cap, size, e);
}

static csspgo_status profile_to_file(const void *what, const char *name, csspgo_error *e)
{
    const profile_form *f = (const profile_form *)what;
    return csspgo_write_file(f->p, name, f->form, e);
}

static csspgo_status write_profile(csspgo_profile *p, const char *path, uint32_t form, csspgo_error *e)
{
    const profile_form f = { p, form };
    const writer w = { profile_to_bytes, profile_to_file, &f };
    return write_output(&w, path, e);
}

/* ----- memory: large arrays in large pages, so that growing them costs few page faults ---------------------------- */

enum { BIG_BLOCK = 1 << 21 };     /* bytes; also the size of a large page */

static size_t whole_blocks(size_t size)   /* Linux gives large pages to such sizes only */
{
    return (size + BIG_BLOCK - 1) / BIG_BLOCK * BIG_BLOCK;
}

static void *big_alloc(void *ctx, size_t size)
{
    void *p;
    (void)ctx;
    if (size < BIG_BLOCK) return malloc(size);
    size = whole_blocks(size);
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(p, size, MADV_HUGEPAGE);
#endif
    return p;
}

static void big_free(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size < BIG_BLOCK) free(p);
    else munmap(p, whole_blocks(size));
}

static csspgo_allocator big_blocks(void)
{
    csspgo_allocator a;
    memset(&a, 0, sizeof a);
    a.alloc_fn = big_alloc;
    a.free_fn = big_free;
    return a;
}

/* ----- what someone may have meant -------------------------------------------------------------------------------- */

typedef struct nearest {          /* of the names that were tried, the one with the fewest differences from `word` */
    const char *word, *name;      /* name: NULL if all are too far; neither need be terminated                     */
    size_t      size, name_size;  /* of word, of name                                                              */
    unsigned    distance;         /* of name; at first, what is too far                                            */
} nearest;

static nearest nearest_to(const char *word, size_t size)
{
    nearest n;
    n.word = word;
    n.name = NULL;
    n.size = size;
    n.name_size = 0;
    n.distance = size < 2 || size > 99 ? 0 : 1 + (unsigned)(size < 6 ? size / 2 : size < 9 ? 3 : size / 3);
    return n;
}

/*
 * The Levenshtein distance, where exchanging two neighbours counts 1 too, row by row; a word that the name begins with
 * is at a distance of 1. Rows are kept for the last two letters of the word.
 */
static void nearest_try(nearest *n, const char *name, size_t size)
{
    enum { MOST = 99 };
    unsigned row[3][MOST + 1], *above, *now, *before;
    size_t i, k;
    if (n->distance == 0 || size > MOST) return;
    for (k = 0; k <= size; k++) row[0][k] = (unsigned)k;
    for (i = 1; i <= n->size; i++) {
        now = row[i % 3], above = row[(i + 2) % 3], before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (k = 1; k <= size; k++) {
            unsigned d = above[k - 1] + (n->word[i - 1] != name[k - 1]);
            if (above[k] + 1 < d) d = above[k] + 1;
            if (now[k - 1] + 1 < d) d = now[k - 1] + 1;
            if (i > 1 && k > 1 && n->word[i - 1] == name[k - 2] && n->word[i - 2] == name[k - 1] &&
                before[k - 2] + 1 < d)
                d = before[k - 2] + 1;
            now[k] = d;
        }
    }
    now = row[n->size % 3];
    if (size > n->size && n->size > 2 && memcmp(name, n->word, n->size) == 0) now[size] = 1;
    if (now[size] >= n->distance) return;
    n->distance = now[size];
    n->name = name;
    n->name_size = size;
}

/* ----- options: one table a command; LLVM's spelling (-x or --x, --x=v or --x v; a switch may stand alone) -------- */

typedef enum option_kind {
    OPT_TEXT,                     /* the last one counts                                                     */
    OPT_LIST,                     /* all count: option.list                                                  */
    OPT_SWITCH,                   /* on or off                                                               */
    OPT_NUMBER,                   /* signed                                                                  */
    OPT_COUNT,                    /* unsigned, 64 bits; 0x, 0b and 0 begin other bases                       */
    OPT_MAYBE,                    /* OPT_COUNT whose value may be left out: text is then ""                  */
    OPT_CHOICE,                   /* one word of `values`, "a|b|c"                                           */
    OPT_SET,                      /* gives the option `values` its own number                                */
    OPT_ALIAS,                    /* of the option `values`                                                  */
    OPT_IGNORED,                  /* a switch without effect on sample profiles                              */
    OPT_LATER,                    /* refused by name, but for the value `values`, which asks for nothing     */
    OPT_REFUSED                   /* `values` says why; number 1: a switch, =0 asks for nothing              */
} option_kind;

typedef struct option {
    const char  *name;
    option_kind  kind;
    const char  *values;          /* see kind                                                                */
    long long    number;          /* the default, then the value; OPT_COUNT: to be cast; OPT_CHOICE: its place */
    const char  *text;            /* as given; NULL = not given                                              */
    const char **list;            /* OPT_LIST                                                                */
    size_t       count;
} option;

static option *option_named(option *o, const char *name, size_t size)
{
    option *all = o;
    for (; o->name != NULL; o++)
        if (strlen(o->name) == size && memcmp(o->name, name, size) == 0)
            return o->kind == OPT_ALIAS ? option_named(all, o->values, strlen(o->values)) : o;
    return NULL;
}

/* The place of a word in "a|b|c"; -1: not there. */
static int option_choice(const char *values, const char *word)
{
    const size_t size = strlen(word);
    int i;
    for (i = 0;; i++) {
        const size_t n = strcspn(values, "|");
        if (n == size && memcmp(values, word, n) == 0) return i;
        if (values[n] == '\0') return -1;
        values += n + 1;
    }
}

static int option_bool(const char *value, long long *number)
{
    const int i = option_choice("true|TRUE|True|1|false|FALSE|False|0", value);
    *number = i < 4;
    return i >= 0;
}

static int option_count(const char *value, long long *number)
{
    const int binary = value[0] == '0' && (value[1] == 'b' || value[1] == 'B');
    char *end;
    if (value[0] < '0' || value[0] > '9') return 0;
    errno = 0;
    *number = (long long)strtoull(binary ? value + 2 : value, &end, binary ? 2 : 0);
    return errno == 0 && *end == '\0' && end != value;
}

static int option_number(const char *value, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(value, &end, 10);
    return errno == 0 && *end == '\0' && end != value;
}

/* Returns 0 after saying what is wrong. */
static int option_set(option *o, const char *value)
{
    int ok = 1;
    o->text = value;
    switch (o->kind) {
    case OPT_TEXT: case OPT_SET: case OPT_ALIAS: break;
    case OPT_LIST: o->list[o->count++] = value; break;
    case OPT_SWITCH: case OPT_IGNORED: ok = option_bool(value, &o->number); break;
    case OPT_NUMBER: ok = option_number(value, &o->number); break;
    case OPT_MAYBE: ok = *value == '\0' || option_count(value, &o->number); break;
    case OPT_COUNT: ok = option_count(value, &o->number); break;
    case OPT_CHOICE: ok = (o->number = option_choice(o->values, value)) >= 0; break;
    case OPT_LATER:
        if (o->values != NULL && (strcmp(value, o->values) == 0 || (*o->values == '0' && strcmp(value, "false") == 0)))
            break;
        if (o->values != NULL) usage("--%s: only --%s=%s is implemented", o->name, o->name, o->values);
        else usage("--%s is not implemented", o->name);
        return 0;
    case OPT_REFUSED:
        if (o->number == 1 && (strcmp(value, "0") == 0 || strcmp(value, "false") == 0)) break;
        return usage("--%s is not implemented: %s", o->name, o->values), 0;
    }
    if (!ok && o->kind == OPT_CHOICE) usage("--%s: '%s' is none of %s", o->name, value, o->values);
    else if (!ok) usage("--%s: '%s' is not a value for it", o->name, value);
    return ok;
}

static int option_needs_value(const option *o)
{
    return o->kind != OPT_SWITCH && o->kind != OPT_SET && o->kind != OPT_IGNORED && o->kind != OPT_LATER &&
           o->kind != OPT_MAYBE && o->kind != OPT_REFUSED;
}

/* Names the option that may have been meant. Returns -1. */
static int option_unknown(const option *o, const char *argument)
{
    const int dashes = argument[1] == '-' ? 2 : 1;
    nearest n = nearest_to(argument + dashes, strcspn(argument + dashes, "="));
    for (; o->name != NULL; o++)
        if (o->kind != OPT_LATER && o->kind != OPT_REFUSED) nearest_try(&n, o->name, strlen(o->name));
    if (n.name == NULL || compat) return usage("unknown option '%s'", argument), -1;
    return usage("unknown option '%s'; did you mean '%.*s%s'?", argument, dashes, argument, n.name), -1;
}

/* Fills in the table and moves what is no option to the front of argv. Returns how many; -1 after an error. */
static int options_parse(option *table, int argc, char **argv)
{
    int i, files = 0, only_files = 0;
    option *o;
    for (o = table; o->name != NULL; o++)
        if (o->kind == OPT_LIST && (o->list = (const char **)calloc((size_t)argc + 1, sizeof *o->list)) == NULL)
            return fail("out of memory"), -1;
    for (i = 0; i < argc; i++) {
        const char *name = argv[i], *equals, *value;
        if (only_files || name[0] != '-' || name[1] == '\0') {
            argv[files++] = argv[i];
            continue;
        }
        if (strcmp(name, "--") == 0) {
            only_files = 1;
            continue;
        }
        name += name[1] == '-' ? 2 : 1;
        equals = strchr(name, '=');
        o = option_named(table, name, equals != NULL ? (size_t)(equals - name) : strlen(name));
        if (o == NULL) return option_unknown(table, argv[i]);
        if (equals != NULL) value = equals + 1;
        else if (!option_needs_value(o)) value = o->kind == OPT_MAYBE ? "" : "1";
        else if (i + 1 < argc) value = argv[++i];
        else return usage("--%s needs a value", o->name), -1;
        if (o->kind == OPT_SET && equals != NULL) return usage("--%s takes no value", o->name), -1;
        if (o->kind == OPT_SET) option_named(table, o->values, strlen(o->values))->number = o->number;
        if (!option_set(o, value)) return -1;
    }
    return files;
}

static void options_free(option *o)
{
    for (; o->name != NULL; o++) free(o->list);
}

/* ----- progress: on a terminal only, twice a second --------------------------------------------------------------- */

typedef struct progress {
    int    on;
    double began, next;           /* seconds                                       */
    unsigned long long total;     /* bytes, 0 = unknown                            */
} progress;

static double progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static progress progress_begin(void)
{
    progress p;
    memset(&p, 0, sizeof p);
    p.on = !quiet && isatty(2);
    p.began = p.on ? progress_now() : 0;
    return p;
}

/* "12 s", "3 min 5 s", "2 h 40 min" */
static void progress_duration(char *text, size_t size, double seconds)
{
    const unsigned long long s = seconds < 1e9 ? (unsigned long long)(seconds + 0.5) : 1000000000;
    if (s < 60) snprintf(text, size, "%llu s", s);
    else if (s < 3600) snprintf(text, size, "%llu min %llu s", s / 60, s % 60);
    else snprintf(text, size, "%llu h %llu min", s / 3600, s % 3600 / 60);
}

/* "42 %, 1200 samples, 350.0 MB/s, 12 s left"; without total "504 MB, ..."; no rate before a tenth of a second. */
static void progress_text(char *text, size_t size, unsigned long long bytes, unsigned long long total,
                          unsigned long long samples, double seconds)
{
    const double rate = seconds >= 0.1 ? (double)bytes / seconds : 0;
    char done[32], left[48];
    size_t n;
    if (total != 0) snprintf(done, sizeof done, "%.0f %%", 100.0 * (double)bytes / (double)total);
    else snprintf(done, sizeof done, "%llu MB", bytes / 1000000);
    snprintf(text, size, "%s, %llu samples", done, samples);
    n = strlen(text);
    if (rate <= 0) return;
    snprintf(text + n, size - n, ", %.1f MB/s", rate / 1e6);
    n = strlen(text);
    if (total < bytes || total == 0) return;
    progress_duration(left, sizeof left, (double)(total - bytes) / rate);
    snprintf(text + n, size - n, ", %s left", left);
}

/* 1 if it is time to say something. */
static int progress_due(progress *p)
{
    const double now = p->on ? progress_now() : 0;
    if (!p->on || now < p->next) return 0;
    p->next = now + 0.5;
    return 1;
}

static void progress_show(progress *p, unsigned long long bytes, unsigned long long samples)
{
    char text[160];
    if (!progress_due(p)) return;
    progress_text(text, sizeof text, bytes, p->total, samples, progress_now() - p->began);
    fprintf(stderr, "\r\033[K%s ", text);
    fflush(stderr);
}

static void progress_end(progress *p)
{
    if (p->on) fputs("\r\033[K", stderr);
}

/* ----- names and contexts as text: for the output of LLVM's tools, so as they are --------------------------------- */

static void put_name(csspgo_profile *p, csspgo_func f, FILE *out)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    if (name != NULL) fwrite(name, 1, n, out);
    else if (f.id != 0) fprintf(out, "%" PRIu64, csspgo_func_guid(p, f));
}

static void put_loc(csspgo_loc loc, FILE *out)
{
    fprintf(out, "%u", loc.line);
    if (loc.discriminator != 0) fprintf(out, ".%u", loc.discriminator);
}

/* "main:3 @ foo:2.1 @ bar"; a function without context is its name. */
static void put_context(csspgo_profile *p, csspgo_node node, FILE *out)
{
    csspgo_node path[1024];       /* deeper ones are not read: csspgo_limits.max_depth */
    size_t n = 0;
    if (csspgo_node_kind_of(p, node) == CSSPGO_TWIN) node = csspgo_node_parent(p, node);
    for (; node.id > 1 && n < sizeof path / sizeof *path; node = csspgo_node_parent(p, node)) path[n++] = node;
    while (n-- > 0) {
        put_name(p, csspgo_node_func(p, path[n]), out);
        if (n == 0) break;
        putc(':', out);
        put_loc(csspgo_node_loc(p, path[n - 1]), out);
        fputs(" @ ", out);
    }
}

/* The same in memory, terminated; for free(). NULL when memory is exhausted. */
static char *context_text(csspgo_profile *p, csspgo_node node)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return NULL;
    put_context(p, node, out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

/* 1 if nothing in it was ever sampled. */
static int is_blank(const csspgo_profile *p)
{
    csspgo_node n;
    for (n.id = 2; n.id <= csspgo_node_count(p) + 1; n.id++)
        if (csspgo_total(p, n) != 0 || csspgo_head(p, n) != 0) return 0;
    return 1;
}

/* Numbers before names, names by their bytes. */
static int name_order(csspgo_profile *p, csspgo_func a, csspgo_func b)
{
    size_t m, n;
    const char *x = csspgo_func_name(p, a, &m), *y = csspgo_func_name(p, b, &n);
    int c;
    if (x == NULL || y == NULL) {
        const uint64_t s = csspgo_func_guid(p, a), t = csspgo_func_guid(p, b);
        if (x != NULL || y != NULL) return x == NULL ? -1 : 1;
        return s < t ? -1 : s > t;
    }
    c = memcmp(x, y, m < n ? m : n);
    return c != 0 ? c : m < n ? -1 : m > n;
}

#endif
