/* path.c - which file a command means */
#include "tool.h"

void program_file(const char *name, char *file, size_t size)
{
    const char *path = getenv("PATH");
    size_t n;
    snprintf(file, size, "%s", name);
    for (; strchr(name, '/') == NULL && path != NULL; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(file, size, "%.*s%s%s", (int)n, path, n != 0 ? "/" : "", name);
        if (access(file, X_OK) == 0 || path[n] == '\0') break;
    }
}
