/* bench_profgen.c - csspgo profgen beside llvm-profgen-19 on the same scripts, in one run
 *
 *     bench_profgen RUNS TOOL BINARY [--kernel] SCRIPT...
 *
 * For each script and each mode: cpu seconds (user + system of the whole process; median and spread of RUNS runs, the
 * two tools in turn), samples/s, LBR entries/s, MB/s of text, peak resident memory, and the ratios.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cost.h"

enum { MAX_ARGS = 24 };

/* What is in a script: bytes, samples, branch records. */
static int count_script(const char *path, double *bytes, double *samples, double *entries)
{
    struct stat st;
    const int fd = open(path, O_RDONLY);
    const char *p, *end, *q;
    if (fd < 0 || fstat(fd, &st) != 0) return 0;
    p = (const char *)mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) return 0;
    *bytes = (double)st.st_size;
    *samples = *entries = 0;
    for (end = p + st.st_size; p < end && (q = (const char *)memchr(p, '\n', (size_t)(end - p))) != NULL; p = q + 1) {
        if (*p != ' ' || q - p < 3 || p[1] != '0') continue;
        *samples += 1;
        for (; p < q; p++) *entries += p[0] == ' ' && p[1] == '0';
    }
    close(fd);
    return *samples > 0;
}

static void row(const char *name, cost *c, int runs, double bytes, double samples, double entries)
{
    const double t = median(c, runs);
    if (!c->ok) {
        printf("  %-16s failed\n", name);
        return;
    }
    printf("  %-16s %8.3f s  (%.3f to %.3f)  %8.0f samples/s  %6.2f M entries/s  %7.1f MB/s  %7.1f MiB\n", name, t,
           c->cpu[0], c->cpu[runs - 1], samples / t, entries / t / 1e6, bytes / t / 1e6, c->peak_mib);
}

int main(int argc, char **argv)
{
    static const char *const modes[][6] = {
        { "contexts", "--format=text", "--csspgo-preinliner=0", "--csprof-merge-cold-context=0",
          "--gen-cs-nested-profile=0", NULL },
        { "no contexts", "--format=text", "--ignore-stack-samples", NULL, NULL, NULL },
        { "raw counters", "--skip-symbolization", NULL, NULL, NULL, NULL },
    };
    int runs, i, r, kernel;
    size_t m;
    if (argc < 5) {
        fprintf(stderr, "usage: bench_profgen RUNS TOOL BINARY [--kernel] SCRIPT...\n");
        return 2;
    }
    runs = atoi(argv[1]);
    if (runs < 1 || runs > MAX_RUNS) runs = 5;
    kernel = strcmp(argv[4], "--kernel") == 0;
    for (i = 4 + kernel; i < argc; i++) {
        double bytes, samples, entries;
        if (!count_script(argv[i], &bytes, &samples, &entries)) {
            fprintf(stderr, "%s: no script\n", argv[i]);
            return 1;
        }
        printf("%s: %.0f samples, %.0f branch records, %.1f MB\n", argv[i], samples, entries, bytes / 1e6);
        for (m = 0; m < sizeof modes / sizeof *modes; m++) {
            char binary[4096], script[4096], *a[MAX_ARGS], *b[MAX_ARGS];
            cost ours, llvm;
            int n = 0, k;
            snprintf(binary, sizeof binary, "--binary=%s", argv[3]);
            snprintf(script, sizeof script, "--perfscript=%s", argv[i]);
            a[n] = argv[2], b[n++] = (char *)"llvm-profgen-19";
            a[n] = (char *)"profgen", b[n++] = binary;
            a[n] = binary, b[n++] = script;
            a[n] = script, b[n++] = (char *)"--output=/dev/null";
            a[n] = (char *)"--output=/dev/null", b[n] = (char *)"--profile-density-threshold=0";
            n++;
            if (kernel) a[n] = b[n] = argv[4], n++;
            a[n] = (char *)"--quiet", b[n] = NULL;
            n++;
            a[n] = NULL;
            for (k = 1; k < 6 && modes[m][k] != NULL; k++) {
                b[n - 1 + k - 1] = a[n + k - 1] = (char *)modes[m][k];
                a[n + k] = NULL;
                b[n - 1 + k] = NULL;
            }
            memset(&ours, 0, sizeof ours);
            memset(&llvm, 0, sizeof llvm);
            for (r = 0; r < runs; r++) {
                measure(a, r, &ours);
                measure(b, r, &llvm);
            }
            printf(" %s\n", modes[m][0]);
            row("csspgo", &ours, runs, bytes, samples, entries);
            row("llvm-profgen-19", &llvm, runs, bytes, samples, entries);
            printf("  ratio: %.1f times as fast, %.2f of the memory\n", median(&llvm, runs) / median(&ours, runs),
                   ours.peak_mib / llvm.peak_mib);
        }
    }
    return 0;
}
