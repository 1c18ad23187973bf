/* bench_quick.c - what users wait for, at a small size, beside LLVM's tools: one table, and how costs grow with the input
 *
 *     bench_quick RUNS TOOL DIR
 *
 * The Makefile makes the files in DIR. A row is whole processes on files in the page cache, the two tools in turn: cpu
 * seconds (user + system) as the median of RUNS runs with the lowest and the highest, and peak resident memory. A tool
 * that is not there, or fails, has no figures.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "cost.h"

enum { MOST = 24, LINE = 4096, STEPS = 3 };

static const char *tool, *dir;

/* Splits a command at its blanks; '@' stands for DIR/. */
static void words_of(const char *command, char *text, char **argv)
{
    size_t n = 0;
    int words = 0;
    for (; *command != '\0' && n + strlen(dir) + 2 < LINE; command++) {
        if (*command == '@') n += (size_t)snprintf(text + n, LINE - n, "%s/", dir);
        else text[n++] = *command;
    }
    text[n] = '\0';
    for (text = strtok(text, " "); text != NULL && words < MOST; text = strtok(NULL, " ")) argv[words++] = text;
    argv[words] = NULL;
}

static void cell(cost *c, int runs)
{
    const double t = median(c, runs);
    if (c->ok) printf(" %.3f (%.3f to %.3f) | %.0f |", t, c->cpu[0], c->cpu[runs - 1], c->peak_mib);
    else printf(" | |");
}

/* command: of the tool, and "" or what LLVM's tool is called with its own arguments. */
static void row(const char *name, const char *command, const char *peer, int runs)
{
    char a[LINE], b[LINE], ours[LINE], *argv[MOST + 1], *others[MOST + 1];
    cost x, y;
    int r;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    snprintf(ours, sizeof ours, "%s %s", tool, command);
    words_of(ours, a, argv);
    words_of(peer, b, others);
    for (r = 0; r < runs; r++) {
        measure(argv, r, &x);
        if (*peer != '\0') measure(others, r, &y);
    }
    printf("| %s |", name);
    cell(&x, runs);
    cell(&y, runs);
    if (x.ok && y.ok) printf(" %.1f |\n", median(&y, runs) / median(&x, runs));
    else printf(" |\n");
    fflush(stdout);
}

#define MADE "profgen -j 1 --quiet --max-dropped=100 --output=/dev/null --binary=@json "
#define LLVM "llvm-profgen-19 --profile-density-threshold=0 --output=/dev/null --binary=@json "
#define CONTEXTS " --format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0"
#define READ(k) "show --sample --llvm-compat --function=none @" k ".text", "llvm-profdata-19 show --sample --function=none @" k ".text"
#define PACK(k) "merge --extbinary --compress-all-sections @" k ".ext -o @out", \
                "llvm-profdata-19 merge --sample --extbinary --compress-all-sections @" k ".ext -o @out"
#define EIGHT(k) "@" k "1.ext @" k "2.ext @" k "1.ext @" k "2.ext @" k "1.ext @" k "2.ext @" k "1.ext @" k "2.ext -o @out"
#define MERGE(k) "merge -j 1 " EIGHT(k), "llvm-profdata-19 merge --sample " EIGHT(k)

static const struct { const char *name, *ours, *llvm; } rows[] = {
    { "script, 1,000 samples again and again", MADE "--perfscript=@again.ps", LLVM "--perfscript=@again.ps" },
    { "script that repeats in part, contexts", MADE CONTEXTS " --perfscript=@part.ps", LLVM CONTEXTS " --perfscript=@part.ps" },
    { "... the profile that a compiler gets", MADE "--perfscript=@part.ps", LLVM "--perfscript=@part.ps" },
    { "... no contexts", MADE "--ignore-stack-samples --perfscript=@part.ps", LLVM "--ignore-stack-samples --perfscript=@part.ps" },
    { "... raw counters", MADE "--skip-symbolization --perfscript=@part.ps", LLVM "--skip-symbolization --perfscript=@part.ps" },
    { "script, no two texts are equal", MADE "--perfscript=@distinct.ps", LLVM "--perfscript=@distinct.ps" },
    { "perf.data (LLVM: by perf script)", MADE "--perfdata=@part.data", LLVM "--perfdata=@part.data" },
    { "read text with contexts", READ("cs") },
    { "read nested text", READ("nested") },
    { "ExtBinary with contexts to compressed", PACK("cs") },
    { "nested ExtBinary to compressed", PACK("nested") },
    { "merge of 8, with contexts", MERGE("cs") },
    { "merge of 8, nested", MERGE("nested") },
    { "--version", "--version", "llvm-profgen-19 --version" },
};

/* ----- what a unit costs as the input grows: each step has ten times (or less) the units of the one before --------- */

static const struct { const char *name, *unit, *command; double units[STEPS]; } growths[] = {
    { "samples, no two texts equal", "us a sample", MADE "--perfscript=@distinct%d.ps", { 3e3, 12e3, 48e3 } },
    { "samples that repeat in part, no contexts", "us a sample", MADE "--ignore-stack-samples --perfscript=@part%d.ps", { 3e3, 12e3, 48e3 } },
    { "text with contexts, read", "us a KB", "show --sample --llvm-compat --function=none @cs%d.text", { 1e3, 4e3, 16e3 } },
    { "text with contexts, to ExtBinary", "us a KB", "merge --extbinary @cs%d.text -o @out", { 1e3, 4e3, 16e3 } },
};

/* Processor time of a step, less that of the same command on nothing but what every step has. */
static double growth_step(const char *command, int step, int runs)
{
    char line[LINE], text[LINE], *argv[MOST + 1];
    const char *at = strstr(command, "%d");
    cost c;
    int r;
    memset(&c, 0, sizeof c);
    snprintf(line, sizeof line, "%s %.*s%d%s", tool, (int)(at - command), command, step, at + 2);
    words_of(line, text, argv);
    for (r = 0; r < runs; r++) measure(argv, r, &c);
    return c.ok ? median(&c, runs) : 0;
}

static void growth(size_t i, int runs)
{
    double seconds[STEPS], unit[STEPS - 1];
    int k;
    for (k = 0; k < STEPS; k++) seconds[k] = growth_step(growths[i].command, k, runs);
    printf("| %s |", growths[i].name);
    for (k = 1; k < STEPS; k++) {
        unit[k - 1] = 1e6 * (seconds[k] - seconds[k - 1]) / (growths[i].units[k] - growths[i].units[k - 1]);
        printf(" %.2f |", unit[k - 1]);
    }
    printf(" %s | %.2f |\n", growths[i].unit, unit[1] / unit[0]);
    fflush(stdout);
}

/* ----- threads: time that passes, which other work on the machine makes longer -------------------------------------- */

static double passes(const char *command, int runs)
{
    char line[LINE], text[LINE], *argv[MOST + 1];
    struct timespec t;
    double began, cpu, peak;
    cost c;
    int r;
    snprintf(line, sizeof line, "%s %s", tool, command);
    words_of(line, text, argv);
    for (r = 0; r < runs; r++) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        began = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
        run_once(argv, NULL, &cpu, &peak);
        clock_gettime(CLOCK_MONOTONIC, &t);
        c.cpu[r] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - began;
    }
    return median(&c, runs);
}

static void threads(const char *name, const char *one, const char *two, int runs)
{
    const double a = passes(one, runs), b = passes(two, runs);
    printf("| %s | %.3f | %.3f | %.2f |\n", name, a, b, a / b);
    fflush(stdout);
}

#define SCRIPT(j, f) "profgen -j " j " --quiet --max-dropped=100 --output=/dev/null --binary=@json --perfscript=@" f ".ps"

int main(int argc, char **argv)
{
    int runs;
    size_t i;
    if (argc != 4) {
        fprintf(stderr, "usage: bench_quick RUNS TOOL DIR\n");
        return 2;
    }
    runs = atoi(argv[1]);
    if (runs < 1 || runs > MAX_RUNS) runs = 3;
    tool = argv[2];
    dir = argv[3];
    printf("| work | csspgo, cpu s | MiB | LLVM 19, cpu s | MiB | times as fast |\n| --- | --- | --- | --- | --- | --- |\n");
    for (i = 0; i < sizeof rows / sizeof *rows; i++) row(rows[i].name, rows[i].ours, rows[i].llvm, runs);
    printf("\n| as the input grows, each step 4 times the one before | second step | third step | | ratio |\n"
           "| --- | --- | --- | --- | --- |\n");
    for (i = 0; i < sizeof growths / sizeof *growths; i++) growth(i, runs);
    printf("\n| time that passes, s | 1 thread | 2 | ratio |\n| --- | --- | --- | --- |\n");
    threads("script that repeats in part", SCRIPT("1", "part"), SCRIPT("2", "part"), runs);
    threads("script, no two texts are equal", SCRIPT("1", "distinct"), SCRIPT("2", "distinct"), runs);
    threads("merge of 8, with contexts", "merge -j 1 " EIGHT("cs"), "merge -j 2 " EIGHT("cs"), runs);
    threads("merge of 8, nested", "merge -j 1 " EIGHT("nested"), "merge -j 2 " EIGHT("nested"), runs);
    return 0;
}
