/* demangle_lines.c - names, one a line, as the tool shows them; those that it does not know as they are */
#include "../examples/tool/demangle/demangle.h"

#include <stdio.h>

int main(void)
{
    static char line[65536], name[DEMANGLE_MOST];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const size_t size = strcspn(line, "\n"), n = demangle(line, size, name, sizeof name);
        if (n != 0) printf("%.*s\n", (int)n, name);
        else printf("%.*s\n", (int)size, line);
    }
    return 0;
}
