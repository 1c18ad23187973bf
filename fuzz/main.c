/* main.c - runs a fuzz harness without a fuzzer
 *
 *     fuzz_NAME FILE...                               each file: the corpora as a plain regression test
 *     fuzz_NAME -runs=N -seed=S -seconds=T FILE...    then N changed files (default: any number), for T seconds at most
 *
 * The same seed gives the same inputs on any machine; a slow one gets through fewer of them. The input of a run that
 * fails is written to fuzz_NAME.found, and the run that does not end in 20 seconds fails.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

enum { MOST = 1 << 16, PATIENCE = 20 };

/* ----- the input of a run that fails ----- */

static const uint8_t *running;        /* NULL: none */
static size_t running_size;
static char found[4096];

static void keep_input(void)
{
    const int fd = running != NULL ? open(found, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    size_t n = 0;
    ssize_t more = 1;
    if (fd < 0) return;
    while (n < running_size && more > 0) {
        more = write(fd, running + n, running_size - n);
        if (more > 0) n += (size_t)more;
    }
    close(fd);
    running = NULL;
    if (write(2, "the input: ", 11) > 0 && write(2, found, strlen(found)) > 0 && write(2, "\n", 1) > 0) return;
}

static void on_signal(int number)
{
    keep_input();
    if (number == SIGALRM && write(2, "a run does not end\n", 19) < 0) _exit(2);
    signal(SIGABRT, SIG_DFL);
    abort();
}

#ifdef __GNUC__                       /* sanitizers end the process in their own way */
void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));
#endif

static void watch(const char *name)
{
    snprintf(found, sizeof found, "%s.found", name);
    signal(SIGABRT, on_signal);
    signal(SIGALRM, on_signal);
#ifdef __GNUC__
    if (__sanitizer_set_death_callback != NULL) __sanitizer_set_death_callback(keep_input);
#endif
}

static void run(const uint8_t *data, size_t size)
{
    uint8_t *exact = (uint8_t *)malloc(size != 0 ? size : 1);  /* a sanitizer sees one byte too far */
    if (exact == NULL) abort();
    memcpy(exact, data, size);
    running = exact;
    running_size = size;
    LLVMFuzzerTestOneInput(exact, size);
    running = NULL;
    free(exact);
}

/* ----- changes ----- */

static uint64_t state;

/* A number below n: splitmix64. */
static size_t below(size_t n)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((z ^ z >> 31) % n);
}

/* Makes room for n bytes at `at`, which are not set; or takes away what would be too much. Returns their number. */
static size_t widen(bytes *b, size_t at, size_t n)
{
    if (n > MOST - b->size) n = MOST - b->size;
    memmove(b->data + at + n, b->data + at, b->size - at);
    b->size += n;
    return n;
}

static void shorten(bytes *b, size_t at, size_t n)
{
    if (n > b->size - at) n = b->size - at;
    memmove(b->data + at, b->data + at + n, b->size - at - n);
    b->size -= n;
}

/* A number as binary formats have them: at a boundary, or one of the file's sizes. */
static uint64_t number(const bytes *b)
{
    const uint64_t edge = (uint64_t)1 << below(64);
    switch (below(6)) {
    case 0:  return below(300);
    case 1:  return edge;
    case 2:  return edge - 1;
    case 3:  return 0 - (uint64_t)below(10);
    case 4:  return b->size + below(9) - 4;
    default: return edge | below(256);
    }
}

static void put_number(bytes *b, size_t at)
{
    uint64_t n = number(b);
    size_t i, width = (size_t)1 << below(4);
    const int reversed = below(8) == 0;
    if (below(3) == 0) {                              /* LEB128 */
        for (; at < b->size && n >= 128; n >>= 7) b->data[at++] = (uint8_t)(n | 128);
        if (at < b->size) b->data[at] = (uint8_t)n;
        return;
    }
    for (i = 0; i < width && at + i < b->size; i++)
        b->data[at + i] = (uint8_t)(n >> 8 * (reversed ? width - 1 - i : i));
}

/* A number in digits instead of the digits at or behind `at`. */
static void put_digits(bytes *b, size_t at)
{
    char digits[24];
    size_t n, old = 0;
    while (at < b->size && (b->data[at] < '0' || b->data[at] > '9')) at++;
    while (at + old < b->size && b->data[at + old] >= '0' && b->data[at + old] <= '9') old++;
    n = (size_t)snprintf(digits, sizeof digits, below(8) == 0 ? "%llx" : "%llu", (unsigned long long)number(b));
    shorten(b, at, old);
    n = widen(b, at, n);
    memcpy(b->data + at, digits, n);
}

/* A part of another file, or of the same one, over or between what is there. */
static void put_part(bytes *b, size_t at, const bytes *from)
{
    size_t n = 1 + below(below(4) == 0 ? 1024 : 16), start;
    uint8_t part[1024];
    if (from->size == 0) return;
    start = below(from->size);
    if (n > from->size - start) n = from->size - start;
    memcpy(part, from->data + start, n);
    if (below(2) == 0) shorten(b, at, n);
    n = widen(b, at, n);
    memcpy(b->data + at, part, n);
}

static void change(bytes *b, const bytes *other)
{
    const size_t at = below(b->size + 1);
    size_t n;
    switch (below(9)) {
    case 0:  if (at < b->size) b->data[at] ^= (uint8_t)(1u << below(8)); break;
    case 1:  if (at < b->size) b->data[at] = (uint8_t)below(256); break;
    case 2:  shorten(b, at, 1 + below(below(4) == 0 ? 256 : 8)); break;
    case 3:  put_number(b, at); break;
    case 4:  put_digits(b, at); break;
    case 5:  put_part(b, at, other); break;
    case 6:  put_part(b, at, b); break;
    case 7:
        n = widen(b, at, 1 + below(below(8) == 0 ? 512 : 4));
        memset(b->data + at, below(4) == 0 ? (int)below(256) : at < b->size ? b->data[at] : 0, n);
        break;
    default: if (below(4) == 0) b->size = at; else if (at < b->size) b->data[at] = (uint8_t)(b->data[at] + below(3) - 1);
    }
}

/* ----- files ----- */

static int read_file(const char *path, bytes *b)
{
    FILE *f = fopen(path, "rb");
    size_t got = 1;
    b->data = NULL;
    b->size = 0;
    while (f != NULL && got != 0) {
        uint8_t *more = (uint8_t *)realloc(b->data, b->size + 65536);
        if (more == NULL) abort();
        b->data = more;
        got = fread(b->data + b->size, 1, 65536, f);
        b->size += got;
    }
    if (f != NULL && !ferror(f)) return fclose(f), 1;
    fprintf(stderr, "cannot read %s\n", path);
    if (f != NULL) fclose(f);
    return 0;
}

/* Runs changed files. Returns how many. */
static uint64_t run_changed(const bytes *file, size_t files, uint64_t runs, time_t seconds)
{
    const time_t end = time(NULL) + seconds;
    bytes b;
    uint64_t i;
    size_t n;
    b.data = (uint8_t *)malloc(MOST);
    if (b.data == NULL) abort();
    for (i = 0; i < runs && (i % 16 != 0 || seconds == 0 || time(NULL) < end); i++) {
        const bytes *const from = &file[below(files)];
        b.size = from->size < MOST ? from->size : MOST;
        memcpy(b.data, from->data, b.size);
        for (n = 1 + below(below(3) == 0 ? 20 : 4); n > 0; n--) change(&b, &file[below(files)]);
        alarm(PATIENCE);
        run(b.data, b.size);
    }
    alarm(0);
    free(b.data);
    return i;
}

int main(int argc, char **argv)
{
    bytes *file = (bytes *)calloc((size_t)argc, sizeof *file);
    uint64_t runs = 0, changed = 0;
    long seconds = 0;
    size_t files = 0;
    int i, failed = 0;
    if (file == NULL) return 1;
    watch(argv[0]);
    state = 1;
    for (i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-runs=", 6) == 0) runs = strtoull(argv[i] + 6, NULL, 10);
        else if (strncmp(argv[i], "-seed=", 6) == 0) state = strtoull(argv[i] + 6, NULL, 10);
        else if (strncmp(argv[i], "-seconds=", 9) == 0) seconds = strtol(argv[i] + 9, NULL, 10);
        else if (!read_file(argv[i], &file[files])) failed = 1;
        else run(file[files].data, file[files].size), files++;
    }
    if (runs == 0 && seconds > 0) runs = UINT64_MAX;
    if (files > 0 && runs > 0) changed = run_changed(file, files, runs, seconds);
    printf("%u inputs", (unsigned)files);
    if (changed != 0) printf(", %llu changed ones", (unsigned long long)changed);
    printf("\n");
    while (files > 0) free(file[--files].data);
    free(file);
    return failed;
}
