/* frames.c - CPU time of a game's frames
 *
 * Linked into the game with -Wl,--wrap=SDL_RenderPresent, which leaves its source as it is. At exit a line goes to the
 * file that FRAMES names: the number of frames; their median, the one that 1 in 1,000 exceeds, and the longest, in ms;
 * the CPU time of the process's other threads, in ms; the most memory that it had resident, in KB. Time is CPU time of
 * the game's thread, page faults and interrupts included: what other processes do does not belong to the game.
 *
 * With FRAMES_BLOCK=n, n frames in turn are sampled and not sampled (perf events of the thread are off), and the first
 * three times are followed by those of frames without sampling: both meet the same load of the machine.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST = 1 << 20, FIRST = 50 };      /* frames kept; the first ones load the level and melt the screen */

static uint32_t time_of[2][MOST];         /* ns */
static size_t   count[2], frames, block;
static uint64_t last;
static int      off;

void __real_SDL_RenderPresent(void *renderer);

static uint64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void print(FILE *f, uint32_t *v, size_t n)
{
    if (n == 0) {
        fprintf(f, " - - -");
        return;
    }
    qsort(v, n, sizeof *v, by_size);
    fprintf(f, " %.3f %.3f %.3f", v[n / 2] / 1e6, v[n - 1 - n / 1000] / 1e6, v[n - 1] / 1e6);
}

static void report(void)
{
    const char *path = getenv("FRAMES");
    const uint64_t others = now(CLOCK_PROCESS_CPUTIME_ID) - now(CLOCK_THREAD_CPUTIME_ID);
    struct rusage use;
    FILE *f = path != NULL ? fopen(path, "w") : NULL;
    if (f == NULL) return;
    getrusage(RUSAGE_SELF, &use);
    fprintf(f, "%zu", frames);
    print(f, time_of[0], count[0]);
    print(f, time_of[1], count[1]);
    fprintf(f, " %.0f %ld\n", (double)others / 1e6, use.ru_maxrss);
    fclose(f);
}

void __wrap_SDL_RenderPresent(void *renderer)
{
    uint64_t t;
    __real_SDL_RenderPresent(renderer);
    t = now(CLOCK_THREAD_CPUTIME_ID);
    if (last == 0) {
        const char *const n = getenv("FRAMES_BLOCK");
        block = n != NULL ? strtoul(n, NULL, 10) : 0;
        atexit(report);
    } else if (++frames > FIRST && count[off] < MOST) time_of[off][count[off]++] = (uint32_t)(t - last);
    if (block != 0 && frames % block == 0) {
        off = frames / block % 2 == 1;
        prctl(off ? PR_TASK_PERF_EVENTS_DISABLE : PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
    }
    last = now(CLOCK_THREAD_CPUTIME_ID);
}
