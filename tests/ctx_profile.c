/* ctx_profile.c - a contextual profile as one that clang takes
 *     ctx_profile [--compress] TABLE FILE.ctxp OUTPUT       TABLE is made by ctx_ir.awk; --compress: recursion */
#include "ctx_table.h"

int main(int argc, char **argv)
{
    const int compress = argc > 1 && strcmp(argv[1], "--compress") == 0;
    csspgo_error e;
    csspgo_profile *p;
    if (argc != 4 + compress) return 2;
    p = table_profile(table_read(argv[1 + compress]), argv[2 + compress]);
    if ((compress && csspgo_compress_recursion(p, UINT32_MAX, &e) != CSSPGO_OK) ||
        csspgo_write_file(p, argv[3 + compress], CSSPGO_TEXT, &e) != CSSPGO_OK)
        table_die(e.message);
    csspgo_profile_free(p);
    return 0;
}
