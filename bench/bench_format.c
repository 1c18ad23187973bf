/* bench_format.c - reading, writing, merging and comparing profiles: csspgo beside llvm-profdata-19, in one run
 *
 *     bench_format RUNS TOOL DIR KIND     for KIND.text, KIND.ext and KIND1.ext to KIND8.ext in DIR; prints table rows
 *     bench_format --lazy PROFILE NAME    one lazy opening in a process of its own: prints microseconds and records
 *
 * Each row runs the one tool and then the other, as whole processes on files in the page cache: cpu seconds (user +
 * system) as the median of RUNS runs, with the lowest and the highest, peak resident memory, and MB/s of the input. Not
 * in turn: the host of a virtual machine takes freed memory back, and who comes after a larger process pays for it.
 * Each process starts from this one, whose memory is small: Linux counts it into the peak.
 */
#define _GNU_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "cost.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_ARGS = 16, MERGED = 8 };

static const char *peer = "llvm-profdata-19";

static double file_mb(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size / 1e6 : 0;
}

static void cell(cost *c, int runs, double mb)
{
    const double t = median(c, runs);
    if (!c->ok) printf(" failed | | |");
    else printf(" %.3f s (%.3f to %.3f) | %.0f | %.0f |", t, c->cpu[0], c->cpu[runs - 1], mb / t, c->peak_mib);
}

/* One row: the same arguments for both tools. Returns our cpu seconds. */
static double row(const char *name, char *tool, char **args, double mb, int runs)
{
    char *argv[MAX_ARGS + 2];
    cost ours, theirs;
    int i, r;
    memset(&ours, 0, sizeof ours);
    memset(&theirs, 0, sizeof theirs);
    for (i = 0; args[i] != NULL && i < MAX_ARGS; i++) argv[i + 1] = args[i];
    argv[i + 1] = NULL;
    argv[0] = tool;
    for (r = 0; r < runs; r++) measure(argv, r, &ours);
    argv[0] = (char *)(uintptr_t)peer;
    for (r = 0; r < runs; r++) measure(argv, r, &theirs);
    printf("| %s, %.1f MB |", name, mb);
    cell(&ours, runs, mb);
    cell(&theirs, runs, mb);
    if (ours.ok && theirs.ok)
        printf(" %.1f | %.2f |", median(&theirs, runs) / median(&ours, runs), ours.peak_mib / theirs.peak_mib);
    printf("\n");
    fflush(stdout);
    return median(&ours, runs);
}

/* ----- lazy opening ----- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int lazy(const char *path, const char *name)
{
    const int fd = open(path, O_RDONLY);
    struct stat st;
    csspgo_error e;
    csspgo_lazy *l;
    void *data;
    double t0, t1, t2;
    if (fd < 0 || fstat(fd, &st) != 0) return 1;
    t0 = now();
    data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return 1;
    l = csspgo_lazy_open(data, (size_t)st.st_size, NULL, &e);
    t1 = now();
    if (l == NULL || csspgo_lazy_load(l, name, strlen(name), &e) != CSSPGO_OK) {
        fprintf(stderr, "%s: %s\n", path, e.message);
        return 1;
    }
    t2 = now();
    printf("%.0f %.0f %u\n", 1e6 * (t1 - t0), 1e6 * (t2 - t1), (unsigned)csspgo_record_count(csspgo_lazy_profile(l)));
    csspgo_lazy_free(l);
    return 0;
}

/* A top-level function of the text from its middle, or its first one. */
static int some_function(const char *text, int first, char *name, size_t cap)
{
    FILE *f = fopen(text, "r");
    char line[1 << 16];
    int found = 0;
    if (f == NULL) return 0;
    if (!first && fseek(f, (long)(file_mb(text) * 5e5), SEEK_SET) == 0 && fgets(line, sizeof line, f) == NULL) return 0;
    while (!found && fgets(line, sizeof line, f) != NULL) {
        char *begin = line + (line[0] == '['), *end = strchr(line, line[0] == '[' ? ']' : ':'), *at;
        if (line[0] == ' ' || end == NULL) continue;
        *end = '\0';
        while ((at = strstr(begin, " @ ")) != NULL) begin = at + 3;
        found = strlen(begin) < cap;
        if (found) strcpy(name, begin);
    }
    fclose(f);
    return found;
}

static void lazy_row(char *self, const char *dir, char *ext, const char *text, int runs)
{
    char name[4096], option[4200], out[4096], *argv[6];
    cost open_us, load_us, whole, theirs;
    unsigned records = 0;
    FILE *f;
    int r;
    if (!some_function(text, 0, name, sizeof name)) return;
    snprintf(option, sizeof option, "--function=%s", name);
    snprintf(out, sizeof out, "%s/lazy.out", dir);
    memset(&whole, 0, sizeof whole);
    memset(&open_us, 0, sizeof open_us);
    memset(&load_us, 0, sizeof load_us);
    memset(&theirs, 0, sizeof theirs);
    for (r = 0; r < runs; r++) {
        double peak = 0;
        argv[0] = self, argv[1] = (char *)"--lazy", argv[2] = ext, argv[3] = name, argv[4] = NULL;
        whole.ok = run_once(argv, out, &whole.cpu[r], &peak) && (r == 0 || whole.ok);
        if (peak > whole.peak_mib) whole.peak_mib = peak;
        f = fopen(out, "r");
        if (f == NULL || fscanf(f, "%lf %lf %u", &open_us.cpu[r], &load_us.cpu[r], &records) != 3) whole.ok = 0;
        if (f != NULL) fclose(f);
        argv[0] = (char *)(uintptr_t)peer, argv[1] = (char *)"show", argv[2] = (char *)"--sample", argv[3] = option;
        argv[4] = ext, argv[5] = NULL;
        measure(argv, r, &theirs);
    }
    printf("| open lazily, load one function, %.1f MB |", file_mb(ext));
    cell(&whole, runs, file_mb(ext));
    cell(&theirs, runs, file_mb(ext));
    printf(" %.1f | %.2f |\n", median(&theirs, runs) / median(&whole, runs), whole.peak_mib / theirs.peak_mib);
    printf("| ... inside the process | opening %.0f us, loading %.0f us (%u records) | | | | | | | |\n",
           median(&open_us, runs), median(&load_us, runs), records);
}

/* ----- zlib's own time for the sections of a profile: the bound for compressed writing ----- */

static double deflate_seconds(const char *path, int runs)
{
    const int fd = open(path, O_RDONLY);
    struct stat st;
    cost c;
    int r;
    memset(&c, 0, sizeof c);
    if (fd < 0 || fstat(fd, &st) != 0) return 0;
    for (r = 0; r < runs; r++) {
        const pid_t pid = fork();
        struct rusage u;
        int status;
        if (pid == 0) {
            void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
            uLongf size = compressBound((uLong)st.st_size);
            Bytef *out = (Bytef *)malloc(size);
            if (data == MAP_FAILED || out == NULL) _exit(1);
            _exit(compress2(out, &size, (const Bytef *)data, (uLong)st.st_size, 9) != Z_OK);
        }
        if (wait4(pid, &status, 0, &u) != pid || status != 0) return 0;
        c.cpu[r] = (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
    }
    close(fd);
    return median(&c, runs);
}

typedef struct conversion { const char *name, *options[3]; int from_text; } conversion;

/* One input, one output. Returns the cpu seconds of writing compressed sections beyond those of plain ones. */
static double conversion_rows(char *tool, char *text, char *ext, char *out, int runs)
{
    static const conversion rows[] = {
        { "read text", { "show", NULL, NULL }, 1 },   /* and print one function */
        { "read ExtBinary", { "show", NULL, NULL }, 0 },
        { "text to text", { "merge", "--text", NULL }, 1 },
        { "text to ExtBinary", { "merge", "--extbinary", NULL }, 1 },
        { "ExtBinary to text", { "merge", "--text", NULL }, 0 },
        { "ExtBinary to ExtBinary", { "merge", "--extbinary", NULL }, 0 },
        { "ExtBinary to MD5 names", { "merge", "--extbinary", "--use-md5" }, 0 },
        { "ExtBinary to compressed", { "merge", "--extbinary", "--compress-all-sections" }, 0 },
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    double seconds[ROWS];
    char name[4096], function[4200];
    int i, k, n;
    if (!some_function(text, 1, name, sizeof name)) return 0;
    snprintf(function, sizeof function, "--function=%s", name);
    for (i = 0; i < ROWS; i++) {
        char *in = rows[i].from_text ? text : ext, *args[MAX_ARGS];
        for (k = n = 0; k < 3 && rows[i].options[k] != NULL; k++) {
            args[n++] = (char *)(uintptr_t)rows[i].options[k];
            if (k == 0) args[n++] = (char *)"--sample";
        }
        args[n++] = in;
        if (strcmp(args[0], "merge") == 0) args[n++] = (char *)"-o", args[n++] = out;
        else args[n++] = function;
        args[n] = NULL;
        seconds[i] = row(rows[i].name, tool, args, file_mb(in), runs);
    }
    return seconds[ROWS - 1] - seconds[ROWS - 3];
}

static void all_rows(char *self, int runs, char *tool, const char *dir, const char *kind)
{
    char text[4096], ext[4096], out[4096], part[MERGED][4096], *args[MAX_ARGS];
    double mb = 0, packing, zlib;
    int i;
    snprintf(text, sizeof text, "%s/%s.text", dir, kind);
    snprintf(ext, sizeof ext, "%s/%s.ext", dir, kind);
    snprintf(out, sizeof out, "%s/%s.out", dir, kind);
    packing = conversion_rows(tool, text, ext, out, runs);
    zlib = deflate_seconds(ext, runs);
    printf("| ... of which compression | %.3f s; zlib alone, on the same bytes: %.3f s (%+.1f %%) | | | | | | | |\n",
           packing, zlib, 100 * (packing / zlib - 1));
    lazy_row(self, dir, ext, text, runs);
    args[0] = (char *)"merge", args[1] = (char *)"--sample", args[2] = (char *)"--extbinary";
    for (i = 0; i < MERGED; i++) {
        snprintf(part[i], sizeof part[i], "%s/%s%d.ext", dir, kind, i + 1);
        args[3 + i] = part[i];
        mb += file_mb(part[i]);
    }
    args[3 + MERGED] = (char *)"-o", args[4 + MERGED] = out, args[5 + MERGED] = NULL;
    row("merge of 8 ExtBinary", tool, args, mb, runs < 3 ? runs : 3);
    args[0] = (char *)"overlap", args[2] = part[0], args[3] = part[1], args[4] = NULL;
    row("overlap of 2 ExtBinary", tool, args, file_mb(part[0]) + file_mb(part[1]), runs);
}

int main(int argc, char **argv)
{
    int runs;
    if (argc == 4 && strcmp(argv[1], "--lazy") == 0) return lazy(argv[2], argv[3]);
    if (argc != 5) {
        fprintf(stderr, "usage: bench_format RUNS TOOL DIR KIND\n");
        return 2;
    }
    runs = atoi(argv[1]);
    if (runs < 1 || runs > MAX_RUNS) runs = 5;
    printf("| %s | csspgo, cpu | MB/s | MiB | llvm-profdata-19, cpu | MB/s | MiB | times as fast | of the memory |\n",
           argv[4]);
    printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    all_rows(argv[0], runs, argv[2], argv[3], argv[4]);
    return 0;
}
