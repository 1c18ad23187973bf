/* alloc_faults.c - runs a command once for each allocation that it makes, and lets that one fail, or it and all later ones
 *
 *   alloc_faults STRIDE PRELOAD COMMAND...
 *
 *   STRIDE    1: each allocation; n: every n-th
 *   PRELOAD   this file, compiled with -DPRELOAD -shared -fPIC
 *
 * A run must end with status 0, or with another status and a last message that says "out of memory"; no signal ends it.
 * Failed allocations do not set errno: not every allocator does. Prints what does not hold, then "N runs".
 * Exit status: 0 all holds; 1 it does not; 2 cannot be tried here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PRELOAD
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static long calls, nth = -1;
static int  once;

static int fails(void)
{
    if (nth == -1) {
        const char *n = getenv("ALLOC_NTH"), *mode = getenv("ALLOC_ONCE");
        nth = n != NULL ? atol(n) : 0;
        once = mode != NULL && mode[0] == '1';
    }
    ++calls;
    return nth > 0 && (once ? calls == nth : calls >= nth);
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails() ? NULL : __libc_realloc(p, size);
}

__attribute__((destructor)) static void end(void)
{
    const char *fd = getenv("ALLOC_COUNT");
    if (fd != NULL) dprintf(atoi(fd), "%ld\n", calls);
}
#else

typedef struct run {
    int  status;                       /* of waitpid                        */
    char text[65536];                  /* standard error, and in a run without faults the number of allocations last */
    size_t size;
} run;

/* Runs the command with its n-th allocation failing; 0: with none. Returns 0 if that cannot be done. */
static int run_once(run *r, const char *preload, char **command, long n, int once)
{
    char number[24];
    int fd[2];
    ssize_t got;
    pid_t pid;
    fflush(stdout);
    if (pipe(fd) != 0 || (pid = fork()) < 0) return 0;
    if (pid == 0) {
        sprintf(number, "%ld", n);
        setenv("ALLOC_NTH", number, 1);
        setenv("ALLOC_ONCE", once ? "1" : "0", 1);
        if (n == 0) setenv("ALLOC_COUNT", "2", 1);
        setenv("LD_PRELOAD", preload, 1);
        if (freopen("/dev/null", "w", stdout) == NULL) _exit(126);
        dup2(fd[1], 2);
        close(fd[0]);
        close(fd[1]);
        execv(command[0], command);
        _exit(126);
    }
    close(fd[1]);
    for (r->size = 0; (got = read(fd[0], r->text + r->size, sizeof r->text - 1 - r->size)) > 0;) r->size += (size_t)got;
    close(fd[0]);
    while (r->size != 0 && r->text[r->size - 1] == '\n') r->size--;
    r->text[r->size] = '\0';
    return waitpid(pid, &r->status, 0) == pid;
}

int main(int argc, char **argv)
{
    static run r;
    long stride = argc > 3 ? atol(argv[1]) : 0, n, count, runs = 0, bad = 0;
    const char *last;
    int once;
    if (stride <= 0 || !run_once(&r, argv[2], argv + 3, 0, 0) || r.status != 0) return 2;
    last = strrchr(r.text, '\n');
    count = atol(last != NULL ? last + 1 : r.text);
    for (once = 0; once < 2; once++)
        for (n = 1 + stride / 2 * once; n <= count; n += stride, runs++) {
            if (!run_once(&r, argv[2], argv + 3, n, once)) return 2;
            if (r.status == 0) continue;
            last = strrchr(r.text, '\n');
            last = last != NULL ? last + 1 : r.text;
            if (WIFEXITED(r.status) && strstr(last, "out of memory") != NULL) continue;
            if (bad++ < 5) printf("%s %s: allocation %ld of %ld, %s: status %d: %s\n", argv[3], argc > 4 ? argv[4] : "", n,
                                  count, once ? "once" : "and all later ones", r.status, last);
        }
    printf("%ld runs\n", runs);
    return bad != 0 || count == 0;
}
#endif
