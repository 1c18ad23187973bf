/* family.c - children by fork, vfork, clone and clone with the same memory; each takes CPU time and ends with a status */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
__attribute__((noinline)) long leaf(long s, int i) { return s + (i ^ (s >> 3)); }
__attribute__((noinline)) int spin(void)
{
    const double end = cpu() + 0.02;
    volatile long s = 0;
    while (cpu() < end) for (int i = 0; i < 2000; i++) s = leaf(s, i);
    return 0;
}
static char stack[1 << 16] __attribute__((aligned(64)));
static int shared(void *p) { *(volatile int *)p += 5; spin(); return 6; }
int main(int count, char **value)
{
    int status, cell = 1, sum = 0;
    pid_t p;
    if (count > 1) return spin(), 4;
    spin();
    if ((p = fork()) == 0) { spin(); _exit(2); }
    waitpid(p, &status, 0);
    printf("fork %d\n", WEXITSTATUS(status));
    if ((p = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0) { spin(); _exit(3); }
    waitpid(p, &status, 0);
    printf("clone %d\n", WEXITSTATUS(status));
    if ((p = vfork()) == 0) { execl("/proc/self/exe", value[0], "again", (char *)0); _exit(99); }
    waitpid(p, &status, 0);
    printf("vfork %d\n", WEXITSTATUS(status));
    p = clone(shared, stack + sizeof stack, CLONE_VM | SIGCHLD, &cell);
    spin();                                                /* both at once */
    waitpid(p, &status, 0);
    printf("shared %d, it wrote %d\n", WEXITSTATUS(status), cell);
    for (int i = 0; i < 40; i++) {
        if ((p = fork()) == 0) _exit(i);
        waitpid(p, &status, 0);
        sum += WEXITSTATUS(status);
    }
    printf("forty %d\n", sum);
    return 7;
}
