/* platforms.c - the tool and harnesses of fuzz/ as one program, to compare platforms (platforms.sh)
 *
 *   platforms FILE       runs each line of FILE, and writes what came of it to the file `sums`: the line, the exit
 *                        status, a hash of standard output, standard error and the file `out`
 *   platforms -v FILE    the same to the file `shown`, with what the lines put out
 *
 * A line is "corpus HARNESS FILE..." or the arguments of a command of the tool, separated by spaces. All run in this
 * one process: an emulator needs longer to start a program, or a fork, than to run most commands. After a crash the
 * last line of `sums` is what ran. ONLY_CORPUS leaves out the tool, which needs POSIX.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name) int corpus_##name(const uint8_t *data, size_t size);
HARNESSES
#undef X
static const struct { const char *name; int (*run)(const uint8_t *data, size_t size); } harnesses[] = {
#define X(name) { #name, corpus_##name },
    HARNESSES
#undef X
};
enum { HARNESS_COUNT = sizeof harnesses / sizeof *harnesses, WORDS = 1024 };
#if !defined(ONLY_CORPUS)
int csspgo_main(int argc, char **argv);
#endif

/* The bytes of a file, *size of them, with one more; NULL if it cannot be read. */
static uint8_t *contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t got = 1;
    for (*size = 0; f != NULL && got != 0; *size += got) {
        data = (uint8_t *)realloc(data, *size + 65536);
        if (data == NULL) abort();
        got = fread(data + *size, 1, 65535, f);
    }
    if (f != NULL) fclose(f);
    return data;
}

static uint64_t hash_file(uint64_t hash, const char *path, FILE *show)
{
    size_t size, i;
    uint8_t *data = contents(path, &size);
    if (data == NULL) size = 0;
    if (show != NULL) fwrite(data, 1, size, show);
    for (i = 0; i < size; i++) hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    free(data);
    return (hash ^ size) * UINT64_C(0x100000001b3);
}

static int run(int argc, char **argv)
{
    size_t i, size;
    int k;
    if (strcmp(argv[0], "corpus") != 0) {
#if defined(ONLY_CORPUS)
        return 1;
#else
        static char name[] = "csspgo";
        memmove(argv + 1, argv, (size_t)argc * sizeof *argv);
        argv[0] = name;
        argv[argc + 1] = NULL;
        return csspgo_main(argc + 1, argv);
#endif
    }
    for (i = 0; i < HARNESS_COUNT && strcmp(argv[1], harnesses[i].name) != 0; i++) {}
    if (argc < 3 || i == HARNESS_COUNT) return 1;
    for (k = 2; k < argc; k++) {
        uint8_t *data = contents(argv[k], &size), *exact;
        if (data == NULL) return 1;
        exact = (uint8_t *)malloc(size + (size == 0));
        if (exact == NULL) abort();
        memcpy(exact, data, size);
        free(data);
        harnesses[i].run(exact, size);
        free(exact);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const int show = argc > 2;
    static char *word[WORDS + 2];
    size_t size, length;
    char *const list = argc < 2 ? NULL : (char *)contents(argv[argc - 1], &size), *line = list;
    FILE *const sums = fopen(show ? "shown" : "sums", "wb");
    if (list == NULL || sums == NULL) return 1;
    for (list[size] = '\0'; *line != '\0'; line += length + 1) {
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        int words = 0, status;
        char *w;
        length = strcspn(line, "\n");
        if (line[length] == '\0') break;
        line[length] = '\0';
        fprintf(sums, "%.150s ", line);
        fflush(sums);
        remove("out");
        if (freopen("said.out", "wb", stdout) == NULL || freopen("said.err", "wb", stderr) == NULL) return 1;
        for (w = strtok(line, " "); w != NULL && words < WORDS; w = strtok(NULL, " ")) word[words++] = w;
        status = words != 0 ? run(words, word) : 1;
        fflush(stdout);
        fflush(stderr);
        if (show) fprintf(sums, "\n");
        hash = hash_file(hash, "said.out", show ? sums : NULL);
        hash = hash_file(hash, "said.err", show ? sums : NULL);
        hash = hash_file(hash, "out", show ? sums : NULL);
        fprintf(sums, "%d %08lx%08lx\n", status, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffff));
    }
    free(list);
    return fclose(sums) != 0;
}
