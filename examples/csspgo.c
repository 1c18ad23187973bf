/* csspgo.c - the command-line tool: llvm-profgen's work from one small program, over csspgo.h
 *
 *   csspgo profgen --binary=B (--perfscript=F | --unsymbolized-profile=F) --output=O [options]
 *   csspgo record [options] -- PROGRAM [arguments]
 *
 * Option names are LLVM's. An option of llvm-profgen that this build does not have is refused by name.
 * Exit status: 0 done; 1 an input or output is at fault; 2 the command line is.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include "load.h"
#include "record.h"

#include <errno.h>
#include <stdarg.h>
#include <time.h>

static const char usage_text[] =
    "usage: csspgo profgen --binary=FILE (--perfscript=FILE | --unsymbolized-profile=FILE) --output=FILE [options]\n"
    "       csspgo record [options] [--] PROGRAM [arguments]     (csspgo record --help)\n"
    "\n"
    "profgen: samples of a program become a profile for clang -fprofile-sample-use. FILE - is standard input or output.\n"
    "  --binary=FILE                     program with pseudo probes (ELF, x86-64 or AArch64)\n"
    "  --perfscript=FILE                 text of perf script -F ip,brstack --show-mmap-events, or of csspgo record\n"
    "  --unsymbolized-profile=FILE       what --skip-symbolization wrote\n"
    "  --output=FILE, -o FILE            where to\n"
    "  --format=text                     the only one yet\n"
    "  --skip-symbolization              write raw counters per context of addresses instead of a profile\n"
    "  --use-offset=0                    ... with plain addresses\n"
    "  --ignore-stack-samples            no contexts\n"
    "  --compress-recursion=N            longest cycle of frames that is folded; -1 any (default), 0 none\n"
    "  --csprof-max-context-depth=N      innermost frames kept; -1 all (default)\n"
    "  --infer-missing-frames=0          do not look for frames that tail calls lost\n"
    "  --max-search-depth=N              ... through at most N tail calls\n"
    "  --fill-zero-for-all-funcs         without contexts: zero counts for functions without samples too\n"
    "  --pid=N                           only mapping events of this process\n"
    "  --show-mmap-events                print where the program was mapped\n"
    "  --llvm-compat                     exactly what llvm-profgen 19 writes\n"
    "  --quiet                           no warnings, no progress\n";

static int quiet;

static int fail(const char *format, ...)
{
    va_list args;
    fputs("csspgo: error: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 1;
}

static void warn(const char *format, ...)
{
    va_list args;
    if (quiet) return;
    fputs("csspgo: warning: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* An error of the library about a file: FILE:LINE:COLUMN: message, or with the byte offset for binary input. */
static int fail_at(const char *path, const csspgo_error *e)
{
    if (e->line != 0) return fail("%s:%u:%u: %s", path, e->line, e->column, e->message);
    if (e->offset != 0) return fail("%s: byte %llu: %s", path, (unsigned long long)e->offset, e->message);
    return fail("%s: %s", path, e->message);
}

/* ----- options: one table, LLVM's spelling (--x=v, --x v, -x v; a switch may stand alone) --------------------------- */

typedef enum option_kind { OPT_TEXT, OPT_SWITCH, OPT_NUMBER, OPT_LATER } option_kind;

typedef struct option {
    const char *name;
    option_kind kind;
    const char *only;             /* OPT_LATER: the one value that is taken because it asks for nothing; NULL = none */
    const char *text;             /* as given; NULL = not given */
    long long   number;           /* OPT_SWITCH, OPT_NUMBER: the value; set it to the default */
} option;

static option *option_named(option *o, const char *name, size_t size)
{
    for (; o->name != NULL; o++)
        if (strlen(o->name) == size && memcmp(o->name, name, size) == 0) return o;
    return NULL;
}

static int option_set(option *o, const char *value)
{
    char *end;
    o->text = value;
    switch (o->kind) {
    case OPT_TEXT: return 1;
    case OPT_SWITCH:
        o->number = strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
        if (o->number || strcmp(value, "0") == 0 || strcmp(value, "false") == 0) return 1;
        break;
    case OPT_NUMBER:
        errno = 0;
        o->number = strtoll(value, &end, 10);
        if (errno == 0 && end != value && *end == '\0') return 1;
        break;
    case OPT_LATER:
        if (o->only != NULL && (strcmp(value, o->only) == 0 || (*o->only == '0' && strcmp(value, "false") == 0))) return 1;
        if (o->only != NULL) fail("--%s: only --%s=%s is implemented yet", o->name, o->name, o->only);
        else fail("--%s is not implemented yet", o->name);
        return 0;
    }
    fail("--%s: '%s' is not a value for it", o->name, value);
    return 0;
}

/* Fills in the table. Returns 0 after saying what is wrong. */
static int options_parse(option *table, int argc, char **argv)
{
    int i;
    for (i = 0; i < argc; i++) {
        const char *name = argv[i], *equals;
        option *o;
        if (name[0] != '-' || name[1] == '\0') {
            fail("'%s' is not an option", name);
            return 0;
        }
        name += name[1] == '-' ? 2 : 1;
        equals = strchr(name, '=');
        o = option_named(table, name, equals != NULL ? (size_t)(equals - name) : strlen(name));
        if (o == NULL) {
            fail("unknown option '%s'", argv[i]);
            return 0;
        }
        if (equals == NULL && (o->kind == OPT_SWITCH || o->kind == OPT_LATER)) equals = "=1";
        if (equals == NULL && i + 1 == argc) {
            fail("--%s needs a value", o->name);
            return 0;
        }
        if (!option_set(o, equals != NULL ? equals + 1 : argv[++i])) return 0;
    }
    return 1;
}

/* ----- progress: on a terminal only, twice a second ------------------------------------------------------------------ */

typedef struct progress {
    int    on;
    double next;
    unsigned long long total;     /* bytes, 0 = unknown */
} progress;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void progress_show(progress *p, unsigned long long bytes, unsigned long long samples)
{
    double now;
    if (!p->on || (now = seconds_now()) < p->next) return;
    p->next = now + 0.5;
    if (p->total != 0) fprintf(stderr, "\r%3.0f %%, %llu samples ", 100.0 * (double)bytes / (double)p->total, samples);
    else fprintf(stderr, "\r%llu MB, %llu samples ", bytes / 1000000, samples);
    fflush(stderr);
}

static void progress_end(progress *p)
{
    if (p->on) fputs("\r                                        \r", stderr);
}

/* ----- profgen ------------------------------------------------------------------------------------------------------- */

enum {
    O_BINARY, O_PERFSCRIPT, O_PS, O_UNSYMBOLIZED, O_UP, O_OUTPUT, O_O, O_FORMAT, O_SKIP, O_USE_OFFSET, O_FIRST_LOADABLE,
    O_IGNORE_STACK, O_COMPRESS, O_DEPTH, O_INFER, O_SEARCH_DEPTH, O_FILL, O_PID, O_SHOW_MMAP, O_COMPAT, O_QUIET, O_HELP,
    O_PREINLINER, O_MERGE_COLD, O_TRIM, O_NESTED
};

static const option profgen_options[] = {
    { "binary", OPT_TEXT, NULL, NULL, 0 },
    { "perfscript", OPT_TEXT, NULL, NULL, 0 },
    { "ps", OPT_TEXT, NULL, NULL, 0 },
    { "unsymbolized-profile", OPT_TEXT, NULL, NULL, 0 },
    { "up", OPT_TEXT, NULL, NULL, 0 },
    { "output", OPT_TEXT, NULL, NULL, 0 },
    { "o", OPT_TEXT, NULL, NULL, 0 },
    { "format", OPT_TEXT, NULL, NULL, 0 },
    { "skip-symbolization", OPT_SWITCH, NULL, NULL, 0 },
    { "use-offset", OPT_SWITCH, NULL, NULL, 1 },
    { "use-first-loadable-segment-as-base", OPT_SWITCH, NULL, NULL, 0 },
    { "ignore-stack-samples", OPT_SWITCH, NULL, NULL, 0 },
    { "compress-recursion", OPT_NUMBER, NULL, NULL, -1 },
    { "csprof-max-context-depth", OPT_NUMBER, NULL, NULL, -1 },
    { "infer-missing-frames", OPT_SWITCH, NULL, NULL, 1 },
    { "max-search-depth", OPT_NUMBER, NULL, NULL, 0 },
    { "fill-zero-for-all-funcs", OPT_SWITCH, NULL, NULL, 0 },
    { "pid", OPT_NUMBER, NULL, NULL, -1 },
    { "show-mmap-events", OPT_SWITCH, NULL, NULL, 0 },
    { "llvm-compat", OPT_SWITCH, NULL, NULL, 0 },
    { "quiet", OPT_SWITCH, NULL, NULL, 0 },
    { "help", OPT_SWITCH, NULL, NULL, 0 },
    { "csspgo-preinliner", OPT_LATER, "0", NULL, 0 },
    { "csprof-merge-cold-context", OPT_LATER, "0", NULL, 0 },
    { "trim-cold-profile", OPT_LATER, "0", NULL, 0 },
    { "gen-cs-nested-profile", OPT_LATER, "0", NULL, 0 },
    /* What llvm-profgen 19 has and this build refuses. */
    { "perfdata", OPT_LATER, NULL, NULL, 0 },
    { "pd", OPT_LATER, NULL, NULL, 0 },
    { "llvm-sample-profile", OPT_LATER, NULL, NULL, 0 },
    { "debug-binary", OPT_LATER, NULL, NULL, 0 },
    { "kernel", OPT_LATER, "0", NULL, 0 },
    { "use-dwarf-correlation", OPT_LATER, "0", NULL, 0 },
    { "use-md5", OPT_LATER, "0", NULL, 0 },
    { "populate-profile-symbol-list", OPT_LATER, "0", NULL, 0 },
    { "compress-all-sections", OPT_LATER, "0", NULL, 0 },
    { "update-total-samples", OPT_LATER, "0", NULL, 0 },
    { "generate-merged-base-profiles", OPT_LATER, "0", NULL, 0 },
    { "csprof-max-cold-context-depth", OPT_LATER, "1", NULL, 0 },
    { "use-context-cost-for-preinliner", OPT_LATER, NULL, NULL, 0 },
    { "csspgo-replay-preinline", OPT_LATER, "0", NULL, 0 },
    { "sample-profile-hot-inline-threshold", OPT_LATER, NULL, NULL, 0 },
    { "sample-profile-cold-inline-threshold", OPT_LATER, NULL, NULL, 0 },
    { "sample-profile-inline-growth-limit", OPT_LATER, NULL, NULL, 0 },
    { "sample-profile-inline-limit-min", OPT_LATER, NULL, NULL, 0 },
    { "sample-profile-inline-limit-max", OPT_LATER, NULL, NULL, 0 },
    { "profile-summary-cutoff-hot", OPT_LATER, NULL, NULL, 0 },
    { "profile-summary-cutoff-cold", OPT_LATER, NULL, NULL, 0 },
    { "profile-summary-hot-count", OPT_LATER, NULL, NULL, 0 },
    { "profile-summary-cold-count", OPT_LATER, NULL, NULL, 0 },
    { "profile-density-threshold", OPT_LATER, "0", NULL, 0 },
    { "profile-density-cutoff-hot", OPT_LATER, NULL, NULL, 0 },
    { "show-density", OPT_LATER, "0", NULL, 0 },
    { "show-detailed-warning", OPT_LATER, "0", NULL, 0 },
    { "show-disassembly-only", OPT_LATER, "0", NULL, 0 },
    { "show-source-locations", OPT_LATER, "0", NULL, 0 },
    { "show-pseudo-probe", OPT_LATER, "0", NULL, 0 },
    { "disassemble-functions", OPT_LATER, NULL, NULL, 0 },
    { "leading-ip-only", OPT_LATER, "0", NULL, 0 },
    { "perf-event", OPT_LATER, NULL, NULL, 0 },
    { "sample-period", OPT_LATER, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, NULL, 0 }
};

typedef struct profgen {
    option            o[sizeof profgen_options / sizeof *profgen_options];
    const char       *binary, *perfscript, *unsymbolized, *output;
    loaded            image;
    csspgo_collector *collector;
    int               mapped;     /* a mapping event for the binary was seen */
} profgen;

/* Checks what the options say together. Returns 0 after saying what is wrong. */
static int profgen_check(profgen *g)
{
    const option *o = g->o;
    static const int steps[] = { O_PREINLINER, O_NESTED };
    size_t i;
    g->binary = o[O_BINARY].text;
    g->perfscript = o[O_PERFSCRIPT].text != NULL ? o[O_PERFSCRIPT].text : o[O_PS].text;
    g->unsymbolized = o[O_UNSYMBOLIZED].text != NULL ? o[O_UNSYMBOLIZED].text : o[O_UP].text;
    g->output = o[O_OUTPUT].text != NULL ? o[O_OUTPUT].text : o[O_O].text;
    quiet = (int)o[O_QUIET].number;
    if (g->binary == NULL) return fail("--binary is missing"), 0;
    if (g->output == NULL) return fail("--output is missing"), 0;
    if ((g->perfscript == NULL) == (g->unsymbolized == NULL))
        return fail("give one of --perfscript and --unsymbolized-profile"), 0;
    if (o[O_FORMAT].text != NULL && strcmp(o[O_FORMAT].text, "text") != 0)
        return fail("--format=%s is not implemented yet; use --format=text", o[O_FORMAT].text), 0;
    if (o[O_COMPRESS].number < -1) return fail("Value of --compress-recursion should >= -1"), 0;
    if (!o[O_COMPAT].number || o[O_SKIP].number || o[O_IGNORE_STACK].number) return 1;
    for (i = 0; i < sizeof steps / sizeof *steps; i++)   /* on by default in llvm-profgen */
        if (o[steps[i]].text == NULL)
            return fail("--%s is not implemented yet; with --llvm-compat say --%s=0", o[steps[i]].name, o[steps[i]].name), 0;
    return 1;
}

static csspgo_collector_options profgen_how(const profgen *g)
{
    const option *o = g->o;
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.ignore_stack = (uint32_t)o[O_IGNORE_STACK].number;
    if (o[O_COMPRESS].number >= 0) {
        how.limit_recursion = 1;
        how.max_recursion = (uint32_t)o[O_COMPRESS].number;
    }
    if (o[O_DEPTH].number >= 0) {
        how.limit_depth = 1;
        how.max_depth = (uint32_t)o[O_DEPTH].number;
    }
    return how;
}

static csspgo_unsymbolized_options profgen_raw(const profgen *g)
{
    csspgo_unsymbolized_options raw;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image.module;
    if (g->o[O_FIRST_LOADABLE].number) raw.base = g->image.first_loadable;
    else if (g->o[O_USE_OFFSET].number) raw.base = csspgo_code_base(g->image.code, g->image.module);
    return raw;
}

/* One item of a script. Returns 0 after saying what is wrong. */
static int profgen_item(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    csspgo_status s;
    if (item == CSSPGO_ITEM_MMAP) {
        const long long pid = g->o[O_PID].number;
        int hit;
        if (pid >= 0 && map->pid != (uint32_t)pid) return 1;
        hit = csspgo_code_mmap(g->image.code, map);
        if (hit < 0) warn("a mapping of %s at 0x%llx fits none of its segments", g->binary, (unsigned long long)map->address);
        if (hit > 0 && g->o[O_SHOW_MMAP].number)
            fprintf(stderr, "Mmap: Binary %s loaded at 0x%llx\n", g->binary, (unsigned long long)map->address);
        g->mapped |= hit > 0;
        return 1;
    }
    if (item != CSSPGO_ITEM_SAMPLE) return 1;
    if (!g->mapped) {
        warn("no mapping event is for %s: its preferred address 0x%llx is taken", g->binary,
             (unsigned long long)csspgo_code_base(g->image.code, g->image.module));
        g->mapped = 1;
    }
    s = csspgo_collector_add(g->collector, sample, 1);
    if (s != CSSPGO_OK) fail("%s: %s", g->perfscript, csspgo_status_text(s));
    return s == CSSPGO_OK;
}

/* Everything that the parser has ready. */
static int profgen_drain(profgen *g, csspgo_script *script)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    while ((item = csspgo_script_next(script, &sample, &map, &e)) != CSSPGO_ITEM_NONE)
        if (!profgen_item(g, item, &sample, &map)) return 0;
    if (e.status == CSSPGO_OK) return 1;
    fail_at(g->perfscript, &e);
    return 0;
}

static int profgen_read_script(profgen *g)
{
    enum { CHUNK = 1 << 18 };
    static char chunk[CHUNK];
    const int is_stdin = strcmp(g->perfscript, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(g->perfscript, "rb");
    csspgo_script *script;
    unsigned long long bytes = 0;
    progress p;
    size_t n;
    int ok;
    if (f == NULL) return fail("%s: %s", g->perfscript, strerror(errno)), 0;
    setvbuf(f, NULL, _IONBF, 0);
    memset(&p, 0, sizeof p);
    p.on = !quiet && isatty(2);
    if (!is_stdin && fseek(f, 0, SEEK_END) == 0) {
        p.total = (unsigned long long)ftell(f);
        rewind(f);
    }
    script = csspgo_script_new(NULL);
    ok = script != NULL || (fail("out of memory"), 0);
    if (ok && g->o[O_COMPAT].number) csspgo_script_set_code(script, g->image.code);   /* broken stacks as LLVM takes them */
    while (ok && (n = fread(chunk, 1, CHUNK, f)) != 0) {
        csspgo_script_feed(script, chunk, n);         /* the last chunk was read up: cannot fail */
        ok = profgen_drain(g, script);
        bytes += n;
        progress_show(&p, bytes, csspgo_script_get_stats(script).samples);
    }
    progress_end(&p);
    if (ok && ferror(f)) ok = (fail("%s: %s", g->perfscript, strerror(errno)), 0);
    if (ok) {
        csspgo_script_end(script);
        ok = profgen_drain(g, script);
    }
    if (ok) {
        const csspgo_script_stats s = csspgo_script_get_stats(script);
        const unsigned long long bad = s.bad_frame_lines + s.bad_records + s.bad_mmaps;
        if (bad != 0) warn("%s:%llu: and %llu more lines make no sense", g->perfscript,
                           (unsigned long long)s.first_bad_line, bad - 1);
    }
    csspgo_script_free(script);
    if (!is_stdin) fclose(f);
    return ok;
}

static int profgen_read_raw(profgen *g)
{
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    csspgo_error e;
    file_bytes text;
    csspgo_status s;
    if (!file_open(g->unsymbolized, &text)) return fail("%s: %s", g->unsymbolized, strerror(errno)), 0;
    s = csspgo_read_unsymbolized(g->collector, &raw, text.data, text.size, &e);
    file_close(&text);
    if (s != CSSPGO_OK) fail_at(g->unsymbolized, &e);
    return s == CSSPGO_OK;
}

static void profgen_warnings(const profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->collector);
    const struct { unsigned long long n, of; const char *what; } w[] = {
        { s.prologue_leaves, s.samples, "samples dropped: leaf in a prologue or epilogue" },
        { s.no_branches, s.samples, "samples dropped: no branch in this program" },
        { s.external_leaves, s.samples, "samples have an external leaf" },
        { s.bad_return_addresses, s.samples, "stacks cut at a return address without a call before it" },
        { s.unpaired_external, s.branches, "branches of distinct samples come from other code without a partner" },
        { s.mismatched_external, s.branches, "calls by other code do not match the stack" },
        { s.mismatched_leaf, s.branches, "calls do not match the stack" },
        { s.invalid_ranges, s.branches, "ranges run across a call, return or jump" },
        { s.zero_returns, s.branches, "returns go to no call site" },
    };
    size_t i;
    for (i = 0; i < sizeof w / sizeof *w; i++)
        if (w[i].n != 0) warn("%.2f%% (%llu/%llu) %s", 100.0 * (double)w[i].n / (double)w[i].of, w[i].n, w[i].of, w[i].what);
}

static int profgen_write(profgen *g)
{
    const char *path = strcmp(g->output, "-") == 0 ? "/dev/stdout" : g->output;
    csspgo_generate_options how;
    csspgo_profile *p;
    csspgo_error e;
    csspgo_status s;
    if (g->o[O_SKIP].number) {
        const csspgo_unsymbolized_options raw = profgen_raw(g);
        s = csspgo_write_unsymbolized_file(g->collector, &raw, path, &e);
        return s == CSSPGO_OK ? 0 : fail_at(path, &e);
    }
    memset(&how, 0, sizeof how);
    how.no_inference = !g->o[O_INFER].number;
    how.max_search_depth = (uint32_t)g->o[O_SEARCH_DEPTH].number;
    how.sampled_functions = 1;
    how.fill_all_functions = (uint32_t)g->o[O_FILL].number;
    p = csspgo_profile_new(NULL);
    if (p == NULL) return fail("out of memory");
    s = csspgo_collector_profile(g->collector, p, &how, &e);
    if (s == CSSPGO_OK) {
        if (csspgo_record_count(p) == 0) warn("the profile is empty: no sample hit a probe of %s", g->binary);
        s = csspgo_write_file(p, path, CSSPGO_TEXT, &e);
    }
    csspgo_profile_free(p);
    return s == CSSPGO_OK ? 0 : fail_at(path, &e);
}

static int profgen_main(int argc, char **argv)
{
    static profgen g;
    csspgo_collector_options how;
    char why[256];
    int ok;
    memcpy(g.o, profgen_options, sizeof profgen_options);
    if (!options_parse(g.o, argc, argv)) return 2;
    if (g.o[O_HELP].number) return fputs(usage_text, stdout), 0;
    if (!profgen_check(&g)) return 2;
    if (!load_image(&g.image, g.binary, why, sizeof why)) return fail("%s: %s", g.binary, why);
    how = profgen_how(&g);
    g.collector = csspgo_collector_new(g.image.code, &how, NULL);
    ok = g.collector != NULL || (fail("out of memory"), 0);
    if (ok) ok = g.perfscript != NULL ? profgen_read_script(&g) : profgen_read_raw(&g);
    if (ok && !quiet) profgen_warnings(&g);
    ok = ok && profgen_write(&g) == 0;
    csspgo_collector_free(g.collector);
    load_free(&g.image);
    return !ok;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "profgen") == 0) return profgen_main(argc - 2, argv + 2);
    if (argc >= 2 && strcmp(argv[1], "record") == 0) return record_main(argc - 1, argv + 1);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) return fputs(usage_text, stdout), 0;
    fputs(usage_text, stderr);
    return 2;
}
