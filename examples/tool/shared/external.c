/* external.c - other programs that commands run: whether they are there, and names of files in their command lines */
#include "tool.h"

/* 1 if PATH has the program. */
int in_path(const char *name)
{
    const char *p = getenv("PATH");
    char file[PATH_MAX];
    size_t n;
    for (; p != NULL && *p != '\0'; p += n + (p[n] == ':')) {
        n = strcspn(p, ":");
        if (snprintf(file, sizeof file, "%.*s/%s", (int)n, p, name) < (int)sizeof file && access(file, X_OK) == 0)
            return 1;
    }
    return 0;
}

/* The name of a file as one word of a command for the shell, for free(). */
char *shell_word(const char *name)
{
    char *word = (char *)malloc(4 * strlen(name) + 5), *w = word;
    if (word == NULL) return NULL;
    *w++ = '\'';
    if (*name == '-') *w++ = '.', *w++ = '/';
    for (; *name != '\0'; name++) {
        if (*name == '\'') w = (char *)memcpy(w, "'\\''", 4) + 4;
        else *w++ = *name;
    }
    *w++ = '\'';
    *w = '\0';
    return word;
}
