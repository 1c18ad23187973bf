/* messages.c - errors and warnings; what a misspelt word may have meant */
#include "tool.h"

/*
 * Messages contain names out of files: what a terminal would obey is escaped. LLVM's tools write it as it is, which
 * is done for them, too, where no terminal sees it.
 */
static void say(const tool_context *tool, const char *what, const char *format, va_list args)
{
    char some[1024], *text = some;
    va_list again;
    int n;
    if (!tool->compat) fprintf(tool->err, "%s: ", tool->program);
    fputs(what, tool->err);
    va_copy(again, args);
    n = vsnprintf(some, sizeof some, format, args);
    if (n >= (int)sizeof some) {
        text = (char *)malloc((size_t)n + 1);
        if (text != NULL) vsnprintf(text, (size_t)n + 1, format, again);
        else text = some;                             /* cut, as memory is exhausted */
    }
    va_end(again);
    if (tool->compat && !isatty(fileno(tool->err))) fputs(text, tool->err);
    else if (n >= 0) put_safe(text, strlen(text), tool->err);
    if (text != some) free(text);
    fputc('\n', tool->err);
}

/* An input or output is at fault: exit status 1. */
int fail(const tool_context *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(tool, "error: ", format, args);
    va_end(args);
    return 1;
}

/*
 * All is done and written, and nobody can use it, such as an empty profile: exit status 3, unless --allow-empty is
 * given; LLVM's tools have none.
 */
int hopeless(const tool_context *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!tool->allow_empty || !tool->quiet) say(tool, tool->allow_empty ? "warning: " : "error: ", format, args);
    va_end(args);
    return tool->allow_empty ? 0 : 3;
}

/* All is done and written, and a threshold of the command line is missed: exit status 3. */
int missed(const tool_context *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(tool, "error: ", format, args);
    va_end(args);
    return 3;
}

/* The command line is at fault: exit status 2, LLVM's is 1. */
int usage_status(const tool_context *tool)
{
    return tool->compat ? 1 : 2;
}

int usage(const tool_context *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(tool, "error: ", format, args);
    va_end(args);
    return usage_status(tool);
}

/* What is being done; not an error. */
void note(const tool_context *tool, const char *format, ...)
{
    va_list args;
    if (tool->quiet) return;
    va_start(args, format);
    say(tool, "", format, args);
    va_end(args);
}

void warn(const tool_context *tool, const char *format, ...)
{
    va_list args;
    if (tool->quiet) return;
    va_start(args, format);
    say(tool, "warning: ", format, args);
    va_end(args);
}

/* The library's message without the name of the function that refused its arguments, which is the tool's business. */
const char *plain(const csspgo_error *e)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    const size_t n = strncmp(e->message, "csspgo_", 7) == 0 ? strspn(e->message, letters) : 0;
    return n != 0 && strncmp(e->message + n, ": ", 2) == 0 ? e->message + n + 2 : e->message;
}

/* An error of the library about a file: FILE:LINE:COLUMN: message, or with the byte offset for binary input. */
int fail_at(const tool_context *tool, const char *path, const csspgo_error *e)
{
    if (e->line != 0) return fail(tool, "%s:%u:%u: %s", path, e->line, e->column, plain(e));
    if (e->offset != 0) return fail(tool, "%s: byte %llu: %s", path, (unsigned long long)e->offset, plain(e));
    return fail(tool, "%s: %s", path, plain(e));
}

/* ----- what someone may have meant -------------------------------------------------------------------------------- */

nearest nearest_to(const char *word, size_t size)
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
void nearest_try(nearest *n, const char *name, size_t size)
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

char *build_text(const unsigned char *id, size_t size, char *to)
{
    size_t i;
    *to = '\0';
    for (i = 0; i < size && i < 20; i++) sprintf(to + 2 * i, "%02x", id[i]);
    return to;
}
