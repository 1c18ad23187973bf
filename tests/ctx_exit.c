/* ctx_exit.c - writes what an instrumented program counted to the file that CTX_PROFILE names, when the program ends. For
 * programs that run on ctx_shim.c. */
#define CSSPGO_WITH_CTXPROF
#include "ctx_shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((destructor)) write_profile(void)
{
    const char *path = getenv("CTX_PROFILE");
    csspgo_ctx_write_options how;
    csspgo_error e;
    csspgo_ctx *c;
    if (path == NULL || shim_runtime == NULL) return;
    memset(&how, 0, sizeof how);
    c = csspgo_ctx_new(NULL, &e);
    if (c == NULL || csspgo_ctx_snapshot(shim_runtime, NULL, c, NULL, &e) != CSSPGO_OK ||
        csspgo_ctx_write_file(c, path, &how, &e) != CSSPGO_OK)
        fprintf(stderr, "%s: %s\n", path, e.message);
    csspgo_ctx_free(c);
}
