/* kinds.c - what a file is by its first bytes, for those that were given where another kind belongs */
#include "tool.h"

enum { KIND_BYTES = 512 };

typedef struct kind_row {
    unsigned    kind;
    const char *magic;
    size_t      size;
    const char *words;            /* what it is, and who takes it */
} kind_row;

static const kind_row kind_rows[] = {
    { KIND_PROGRAM, "\177ELF", 4, "this is a program (ELF), which profgen --binary takes" },
    { KIND_OTHER, "PERFFILE", 8,
      "this is perf.data of version 1, of a perf before Linux 3.4 (2012): give what that perf's script prints" },
    { KIND_PERFDATA, "PERFILE2", 8, "this is a recording of perf (perf.data), which profgen --perfdata takes, and for a "
      "picture flame, folded and show --top" },
    { KIND_GZIP, "\037\213", 2,
      "this is compressed (gzip); recordings and profiles of pprof are read so, all else must be decompressed" },
    { KIND_OTHER, "\050\265\057\375", 4, "this is compressed (zstd); recordings are read so, all else must be decompressed" },
    { KIND_OTHER, "\375" "7zXZ", 5, "this is compressed (xz): it must be decompressed" },
    { KIND_OTHER, "BZh", 3, "this is compressed (bzip2): it must be decompressed" },
    { KIND_JITDUMP, "DTiJ", 4, "this is a dump of JIT code (jitdump), which profgen --jitdump takes" },
    { KIND_JITDUMP, "JiTD", 4, "this is a dump of JIT code (jitdump), which profgen --jitdump takes" },
    { KIND_TRACES, "\377lprofi\201", 8, "this is an instrumentation profile: its traces are what order takes" },
    { KIND_TRACES, "\201rforpl\377", 8, "this is a raw instrumentation profile: its traces are what order takes" },
    { KIND_OTHER, "heap profile:", 13,
      "this is a heap profile of gperftools or Go: it counts memory; give a CPU profile (ProfilerStart, "
      "CPUPROFILE=FILE)" },
    { KIND_OTHER, "--- contention", 14,
      "this is a contention profile: it counts waiting for locks; give a CPU profile (CPUPROFILE=FILE, "
      "/debug/pprof/profile)" },
    { KIND_OTHER, "--- mutex", 9,
      "this is a mutex profile: it counts waiting for locks; give a CPU profile (CPUPROFILE=FILE, "
      "/debug/pprof/profile)" },
    { KIND_OTHER, "goroutine profile:", 18,
      "this is a list of goroutines, not of samples; give a CPU profile (/debug/pprof/profile)" },
    { KIND_OTHER, "--- symbol", 10,
      "this is a profile of gperftools with its symbols before it: give the profile alone, or what pprof -proto makes "
      "of it" },
    { KIND_OTHER, "BC\300\336", 4, "this is LLVM bitcode" },
    { KIND_OTHER, "!<arch>", 7, "this is an archive of object files" },
    { KIND_SCRIPT, "PERF_RECORD_", 12, "this is text of perf script, which profgen --perfscript takes, and for a "
      "picture flame, folded and show --top" },
    { KIND_OTHER, "<!DOCTYPE html", 14, "this is HTML, such as annotate makes" },
    { KIND_OTHER, "<svg", 4, "this is a picture (SVG), such as flame makes" },
    { KIND_OTHER, "<?xml", 5, "this is XML or a picture (SVG), such as flame makes" },
    { KIND_OTHER, "{\"", 2, "this is JSON, which is for other programs" },
    { KIND_OTHER, "{\n", 2, "this is JSON, which is for other programs" },
    { KIND_OTHER, "[{", 2, "this is JSON, which is for other programs" },
    { KIND_OTHER, "[\n", 2, "this is JSON, which is for other programs" }
};

/* 1 if the first line is NAME:NUMBER:NUMBER, as in profiles in text. */
static int is_profile_text(const char *text, size_t size)
{
    const char *const stop = (const char *)memchr(text, '\n', size), *p = stop;
    int field;
    if (stop == NULL || memchr(text, '\0', size) != NULL) return 0;
    for (field = 0; field < 2; field++) {
        const char *const end = p;
        while (p > text && p[-1] >= '0' && p[-1] <= '9') p--;
        if (p == end || p == text || p[-1] != ':') return 0;
        p--;
    }
    return p > text && *text != ' ';
}

static const char growth_words[] =
    "this is a growth profile of gperftools: it counts memory; give a CPU profile (ProfilerStart, CPUPROFILE=FILE)";

/* 1 if the first line of a heap profile says that it is of the heap's growth. */
static int is_growth(const char *text, size_t size)
{
    const char *const stop = (const char *)memchr(text, '\n', size), *p = text;
    for (; stop != NULL && stop - p >= 8; p++)
        if (memcmp(p, "@ growth", 8) == 0) return 1;
    return 0;
}

const char *kind_words(const void *data, size_t size, unsigned takes)
{
    const char *text = (const char *)data;
    const uint32_t form = csspgo_sniff(data, size);
    size_t i, blank = 0;
    while (blank < size && blank < 64 && strchr(" \t\r\n", text[blank]) != NULL && text[blank] != '\0') blank++;
    for (i = 0; i < sizeof kind_rows / sizeof *kind_rows; i++) {
        const kind_row *k = &kind_rows[i];
        const size_t skip = k->kind == KIND_SCRIPT || k->kind == KIND_OTHER ? blank : 0;
        if (size - skip < k->size || memcmp(text + skip, k->magic, k->size) != 0) continue;
        if (k->kind == KIND_OTHER && k->size == 13 && is_growth(text, size)) return growth_words;
        return takes & k->kind ? NULL : k->words;
    }
    if (takes & KIND_PROFILE) return NULL;
    if ((form != CSSPGO_TEXT && form != 0) || is_profile_text(text, size))
        return "this is a sample profile, which merge, show, match and others take";
    return NULL;
}

/* The first bytes of a regular file; *n is how many. Returns NULL, or why there are none; /dev/null is empty. */
static const char *kind_head(const char *path, char bytes[KIND_BYTES], size_t *n)
{
    struct stat st, null;
    ssize_t got;
    int fd;
    *n = 0;
    if (path == NULL || strcmp(path, "-") == 0 || stat(path, &st) != 0) return NULL;
    if (S_ISDIR(st.st_mode)) return "Is a directory";
    if (S_ISCHR(st.st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == st.st_rdev) return "the file is empty";
    if (!S_ISREG(st.st_mode)) return NULL;
    fd = open(path, O_RDONLY);
    if (fd < 0) return NULL;
    got = read(fd, bytes, KIND_BYTES);
    close(fd);
    *n = got > 0 ? (size_t)got : 0;
    return got == 0 ? "the file is empty" : NULL;
}

const char *kind_of(const tool_context *tool, const char *path, unsigned takes)
{
    char bytes[KIND_BYTES];
    const char *why;
    size_t n;
    if (tool->compat) return NULL;
    why = kind_head(path, bytes, &n);
    return why != NULL ? why : n != 0 ? kind_words(bytes, n, takes) : NULL;
}

int kind_is_lines(const tool_context *tool, const char *path, const void *data, size_t size)
{
    const char *const text = (const char *)data, *const nul = size != 0 ? (const char *)memchr(data, '\0', size) : NULL;
    const char *words, *p;
    unsigned long line = 1;
    if (tool->compat || nul == NULL) return 1;
    words = kind_words(data, size < KIND_BYTES ? size : KIND_BYTES, KIND_OTHER);
    if (words != NULL) return fail(tool, "%s: %s", path, words), 0;
    for (p = text; p < nul; p++) line += *p == '\n';
    return fail(tool, "%s: this is no text: line %lu has a NUL byte", path, line), 0;
}

/* 1 if a file can be opened; else file_why tells why not. */
static int file_opens(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK);
    return fd >= 0 && close(fd) == 0;
}

/* The number of the first line that is neither empty nor a comment; 0: it lies behind these bytes. */
static uint32_t kind_line_one(const char *text, size_t size)
{
    uint32_t line = 1;
    size_t i = 0;
    while (i < size && (text[i] == '#' || text[i] == '\n' || text[i] == '\r')) {
        while (i < size && text[i] != '\n') i++;
        i++;
        line++;
    }
    return i < size ? line : 0;
}

int kind_unknown(const void *data, size_t size, const csspgo_error *e, char *words, size_t words_size)
{
    const size_t head = size < KIND_BYTES ? size : KIND_BYTES;
    if (csspgo_sniff(data, head) != CSSPGO_TEXT) return 0;
    if (strncmp(e->message, "a NUL byte", 10) == 0)
        snprintf(words, words_size, "no profile of a known form (text has no NUL byte, as there is at %u:%u)", e->line,
                 e->column);
    else if (e->status == CSSPGO_E_SYNTAX && e->line != 0 && e->line == kind_line_one((const char *)data, head))
        snprintf(words, words_size, "no profile of a known form (text needs NAME:TOTAL:HEAD at %u:%u)", e->line,
                 e->column);
    else return 0;
    return 1;
}

int kind_fail(const tool_context *tool, const char *path, unsigned takes, const char *why)
{
    const char *const words = kind_of(tool, path, takes);
    return fail(tool, "%s: %s", path, words != NULL ? words : why);
}

/* The same of other inputs that a form belongs to: 1 if they are not of it from the beginning on. */
static int kind_misses(const char *path, unsigned takes, const csspgo_error *e, char *words, size_t words_size)
{
    const char *const noun = takes & KIND_CONTEXTUAL ? "contextual profile"
                           : takes & KIND_PPROF ? "profile of pprof" : takes & KIND_COUNTERS ? "raw counters" : NULL;
    char bytes[KIND_BYTES];
    size_t n;
    if (noun == NULL) return 0;
    kind_head(path, bytes, &n);
    if (e->line != 0 ? e->line != kind_line_one(bytes, n) : e->offset > 16) return 0;
    if (e->line != 0)
        snprintf(words, words_size, "no %s: %.200s at %u:%u", noun, plain(e), e->line, e->column);
    else snprintf(words, words_size, "no %s: %.200s", noun, plain(e));
    return 1;
}

int kind_fail_at(const tool_context *tool, const char *path, unsigned takes, const csspgo_error *e)
{
    const int is_form = e->status == CSSPGO_E_SYNTAX || e->status == CSSPGO_E_TRUNCATED || e->status == CSSPGO_E_RANGE ||
                        e->status == CSSPGO_E_VERSION || e->status == CSSPGO_E_UNSUPPORTED;
    const char *const words = is_form || e->status == CSSPGO_E_IO ? kind_of(tool, path, takes) : NULL;
    char bytes[KIND_BYTES], unknown[KIND_UNKNOWN];
    size_t n = 0;
    if (words != NULL) return fail(tool, "%s: %s", path, words);
    if (e->status == CSSPGO_E_IO && strcmp(path, "-") != 0 && !tool->compat && !file_opens(path))
        return fail(tool, "%s: %s", path, file_why());
    if (is_form && (takes & (KIND_PROFILE | KIND_CONTEXTUAL)) == KIND_PROFILE && !tool->compat)
        kind_head(path, bytes, &n);
    if (n != 0 && kind_unknown(bytes, n, e, unknown, sizeof unknown)) return fail(tool, "%s: %s", path, unknown);
    if (is_form && !tool->compat && kind_misses(path, takes, e, unknown, sizeof unknown))
        return fail(tool, "%s: %s", path, unknown);
    if (e->line == 1 && e->column == 1 && strcmp(e->message, "the text holds no function") == 0 && !tool->compat)
        return fail(tool, "%s: the file is empty", path);
    return fail_at(tool, path, e);
}

int kind_program_fail(const tool_context *tool, const char *path, const option *debug, const char *why)
{
    size_t i;
    if (debug != NULL && kind_of(tool, path, KIND_PROGRAM) == NULL)
        for (i = 0; i < debug->count; i++)
            if (kind_of(tool, debug->list[i], KIND_PROGRAM) != NULL)
                return kind_fail(tool, debug->list[i], KIND_PROGRAM, why);
    return kind_fail(tool, path, KIND_PROGRAM, why);
}
