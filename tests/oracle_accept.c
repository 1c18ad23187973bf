/* oracle_accept.c - converts a profile: oracle_accept FORM IN OUT. Others read its output: oracle_accept.sh. */
#include <stdio.h>
#include <string.h>

#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

typedef struct form {
    const char *name;
    uint32_t    form;
} form;

static const form forms[] = {
    { "text", CSSPGO_TEXT },
    { "binary", CSSPGO_BINARY },
    { "extbinary", CSSPGO_EXTBINARY },
    { "md5", CSSPGO_EXTBINARY | CSSPGO_MD5 },
    { "compressed", CSSPGO_EXTBINARY | CSSPGO_COMPRESS },
    { "md5-compressed", CSSPGO_EXTBINARY | CSSPGO_MD5 | CSSPGO_COMPRESS },
    { "split", CSSPGO_EXTBINARY | CSSPGO_SPLIT },
    { "gcov", CSSPGO_GCOV },
    { "gcc", CSSPGO_GCOV | CSSPGO_GCC }
};

int main(int argc, char **argv)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    size_t i;
    if (argc != 4 || p == NULL) return 2;
    for (i = 0; i < sizeof forms / sizeof forms[0] && strcmp(argv[1], forms[i].name) != 0; i++) {}
    if (i == sizeof forms / sizeof forms[0]) return 2;
    if (csspgo_read_file(p, argv[2], &e) != CSSPGO_OK ||
        csspgo_write_file(p, argv[3], forms[i].form, &e) != CSSPGO_OK) {
        fprintf(stderr, "%s: %s\n", argv[2], e.message);
        return 1;
    }
    csspgo_profile_free(p);
    return 0;
}
