/* main.c - runs a fuzz harness over each file named on the command line: the corpora as a plain regression test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, got = 1;
    while (f != NULL && got != 0) {
        uint8_t *more = (uint8_t *)realloc(data, size + 65536);
        if (more == NULL) abort();
        data = more;
        got = fread(data + size, 1, 65536, f);
        size += got;
    }
    if (f == NULL || ferror(f)) {
        fprintf(stderr, "cannot read %s\n", path);
        free(data);
        if (f != NULL) fclose(f);
        return 1;
    }
    fclose(f);
    if (size != 0) {                                  /* a block of the exact size: a sanitizer sees one byte too far */
        uint8_t *exact = (uint8_t *)realloc(data, size);
        if (exact != NULL) data = exact;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int i, failed = 0;
    for (i = 1; i < argc; i++) failed |= run(argv[i]);
    printf("%d inputs\n", argc - 1);
    return failed;
}
