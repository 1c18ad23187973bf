/* ignores.c - SIGTRAP ignored, blocked, pending, handled: asked for again after each stretch of work */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
__attribute__((noinline)) long leaf(long s, int i) { return s + (i ^ (s >> 3)); }
__attribute__((noinline)) void spin(void)
{
    const double end = cpu() + 0.015;
    volatile long s = 0;
    while (cpu() < end) for (int i = 0; i < 2000; i++) s = leaf(s, i);
}
static volatile int seen, other;
static void on_trap(int s, siginfo_t *i, void *c) { (void)s; (void)c; seen++; other = i->si_value.sival_int; }
static void say(const char *when)
{
    struct sigaction a;
    sigset_t blocked, pending;
    sigaction(SIGTRAP, NULL, &a);
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    sigpending(&pending);
    printf("%s: %s, flags %x, blocked %d, pending %d, seen %d %d\n", when,
           a.sa_handler == SIG_IGN ? "ignored" : a.sa_handler == SIG_DFL ? "default" : "handled",
           (unsigned)a.sa_flags & 0xf0000000u & ~0x04000000u, sigismember(&blocked, SIGTRAP), sigismember(&pending, SIGTRAP), seen, other);
    fflush(stdout);
}
int main(int count, char **value)
{
    struct sigaction a;
    union sigval v;
    sigset_t one;
    int status;
    if (count > 1) { say("after exec"); spin(); say("after exec and work"); return 3; }
    memset(&a, 0, sizeof a);
    sigemptyset(&one);
    sigaddset(&one, SIGTRAP);
    a.sa_handler = SIG_IGN;
    a.sa_flags = SA_NODEFER;
    sigaction(SIGTRAP, &a, NULL);
    spin();
    say("ignored");
    raise(SIGTRAP);
    spin();
    if (fork() == 0) { say("child"); spin(); say("child, after work"); fflush(stdout); _exit(2); }
    wait(&status);
    printf("status %x\n", status);
    sigprocmask(SIG_BLOCK, &one, NULL);
    spin();
    say("ignored and blocked");
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    if (system("kill -TRAP $$; exit 5") >> 8 != 5) puts("a shell does not inherit it");
    a.sa_flags = SA_SIGINFO;
    a.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &a, NULL);
    spin();
    say("handled");
    v.sival_int = 77;
    sigqueue(getpid(), SIGTRAP, v);
    spin();
    sigprocmask(SIG_BLOCK, &one, NULL);
    v.sival_int = 78;
    sigqueue(getpid(), SIGTRAP, v);
    spin();
    say("blocked and pending");
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    spin();
    say("unblocked");
    signal(SIGTRAP, SIG_IGN);
    spin();
    execl("/proc/self/exe", value[0], "again", (char *)0);
    return 1;
}
