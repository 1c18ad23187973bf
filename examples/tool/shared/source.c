/* source.c - lines of source of a program whose debug information is in another file */
#include "tool.h"

enum { SOURCE_ADDRESSES = 200 };  /* that are asked for at a time */

/* FILE:LINE, maybe with " (discriminator N)". Returns the line, 0: it is not known; text becomes FILE. */
static uint32_t source_split(char *text)
{
    char *colon, *const more = strstr(text, " (discriminator ");
    text[strcspn(text, "\r\n")] = '\0';
    if (more != NULL) *more = '\0';
    colon = strrchr(text, ':');
    if (colon == NULL || colon == text || text[0] == '?') return 0;
    *colon = '\0';
    return (uint32_t)strtoul(colon + 1, NULL, 10);
}

/* Asks for up to SOURCE_ADDRESSES. Returns 0: take_fn did, or memory is exhausted. */
static int source_ask(const char *name, const char *file, const uint64_t *address, size_t n, size_t first,
                      source_fn take_fn, void *what)
{
    char line[4096], *const command = (char *)malloc(strlen(file) + 20 * n + 60);
    size_t i, at;
    FILE *f;
    int ok = command != NULL;
    if (!ok) return 0;
    at = (size_t)sprintf(command, "%s -e %s", name, file);
    for (i = 0; i < n; i++) at += (size_t)sprintf(command + at, " 0x%llx", (unsigned long long)address[i]);
    strcpy(command + at, " 2>/dev/null");
    f = popen(command, "r");
    for (i = 0; f != NULL && ok && i < n && fgets(line, sizeof line, f) != NULL; i++) {
        const uint32_t number = source_split(line);
        if (number != 0) ok = take_fn(what, first + i, line, number);
    }
    if (f != NULL) pclose(f);
    free(command);
    return ok;
}

int source_lines(const loaded *l, const uint64_t *address, size_t n, source_fn take_fn, void *what)
{
    static const char *const names[] = { "llvm-addr2line-19", "llvm-addr2line", "addr2line" };
    const size_t most = sizeof names / sizeof *names;
    char *file;
    size_t i, k = 0;
    int ok = 1;
    while (k < most && !in_path(names[k])) k++;
    if (l->from[LOAD_LINES] == 0 || k == most) return 1;
    file = shell_word(load_from_path(l, LOAD_LINES, ""));
    if (file == NULL) return 0;
    for (i = 0; ok && i < n; i += SOURCE_ADDRESSES)
        ok = source_ask(names[k], file, address + i, n - i < SOURCE_ADDRESSES ? n - i : SOURCE_ADDRESSES, i, take_fn,
                        what);
    free(file);
    return ok;
}
