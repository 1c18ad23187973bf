/* cost.h - what a command costs: processor time and peak memory of whole processes, medians of several runs. */
#ifndef COST_H
#define COST_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_RUNS = 25 };

typedef struct cost { double cpu[MAX_RUNS], peak_mib; int ok; } cost;

/* Runs argv with its output thrown away, or into `out`. */
static int run_once(char *const *argv, const char *out, double *cpu, double *peak_mib)
{
    struct rusage u;
    int status;
    const pid_t pid = fork();
    if (pid < 0) return 0;
    if (pid == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(out != NULL ? open(out, O_WRONLY | O_CREAT | O_TRUNC, 0644) : null, 1);
        dup2(null, 2);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (wait4(pid, &status, 0, &u) != pid) return 0;
    *cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    *peak_mib = (double)u.ru_maxrss / 1024;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void measure(char *const *argv, int run, cost *c)
{
    double peak = 0;
    c->ok = run_once(argv, NULL, &c->cpu[run], &peak) && (run == 0 || c->ok);
    if (run == 0 || peak > c->peak_mib) c->peak_mib = peak;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the runs; the median. */
static double median(cost *c, int runs)
{
    qsort(c->cpu, (size_t)runs, sizeof *c->cpu, by_value);
    return c->cpu[runs / 2];
}

#endif
