/* tracer.c - ptrace in the program's own hands: asked for by itself, used on children, on threads, on its parent */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile long cell = 42;
static volatile int tell[2];
__attribute__((noinline)) long leaf(long s, int i) { return s + (i ^ (s >> 3)); }
__attribute__((noinline)) static long spin(int n) { volatile long s = 0; for (int i = 0; i < n; i++) s = leaf(s, i); return s; }
static void try(const char *what, long result) { printf("%s: %ld%s%s\n", what, result, result < 0 ? ", " : "", result < 0 ? strerror(errno) : ""); }
static void asks(void)                                     /* as protections against debuggers do */
{
    try("asks", ptrace(PTRACE_TRACEME, 0, 0, 0));
    spin(300000);
    try("asks again", ptrace(PTRACE_TRACEME, 0, 0, 0));
    try("itself", ptrace(PTRACE_ATTACH, getpid(), 0, 0));
}
static void shows(const char *what, int status)
{
    if (WIFSTOPPED(status)) printf("%s: stopped by %d\n", what, WSTOPSIG(status));
    else if (WIFEXITED(status)) printf("%s: status %d\n", what, WEXITSTATUS(status));
    else printf("%s: killed by %d\n", what, WTERMSIG(status));
}
/* Continues what is traced to its end. */
static void follows(pid_t p)
{
    int status = 0;
    while (waitpid(p, &status, 0) == p && WIFSTOPPED(status)) {
        shows("child", status);
        try("it has", ptrace(PTRACE_PEEKDATA, p, (void *)&cell, 0));
        spin(100000);
        ptrace(PTRACE_CONT, p, 0, 0);
    }
    shows("child", status);
}
static void debugs(char *self)                             /* children that ask for it, one with another program */
{
    pid_t p = fork();
    if (p == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(9);
        spin(200000);
        cell = 43;
        raise(SIGSTOP);
        spin(200000);
        raise(SIGUSR1);
        _exit(4);
    }
    follows(p);
    p = fork();
    if (p == 0) { if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(9); execl(self, self, "asks", (char *)0); _exit(8); }
    while (waitpid(p, (int *)tell, 0) == p && WIFSTOPPED(tell[0])) { shows("program", tell[0]); ptrace(PTRACE_CONT, p, 0, 0); }
    shows("program", tell[0]);
}
static void looks(const char *what, pid_t p, long change)
{
    int status = 0;
    try(what, ptrace(PTRACE_ATTACH, p, 0, 0));
    if (waitpid(p, &status, __WALL) != p) return;
    shows(what, status);
    try("it has", ptrace(PTRACE_PEEKDATA, p, (void *)&cell, 0));
    try("it gets", ptrace(PTRACE_POKEDATA, p, (void *)&cell, (void *)change));
    try("free", ptrace(PTRACE_DETACH, p, 0, 0));
}
static void *runs(void *p) { *(volatile pid_t *)p = (pid_t)syscall(SYS_gettid); while (cell == 42) spin(1000); return NULL; }
static void attaches(void)                                 /* to a child that runs, one that waits, a thread of one */
{
    volatile pid_t *tid;
    int status, pipes[2];
    char byte;
    pid_t p = fork();
    if (p == 0) { while (cell == 42) spin(1000); _exit((int)cell); }
    spin(300000);
    looks("attached", p, 44);
    waitpid(p, &status, 0);
    shows("child", status);
    pipe(pipes);
    p = fork();
    if (p == 0) { close(pipes[1]); spin(100000); _exit(read(pipes[0], &byte, 1) == 1 ? byte + (int)cell : 1); }
    spin(300000);
    looks("attached, it waits", p, 45);
    write(pipes[1], "\7", 1);
    waitpid(p, &status, 0);
    shows("child", status);
    pipe(pipes);
    p = fork();
    if (p == 0) {
        pthread_t t;
        pid_t *own = calloc(1, sizeof *own), none = 0;
        pthread_create(&t, NULL, runs, own);
        while (*(volatile pid_t *)own == none) spin(100);
        write(pipes[1], own, sizeof *own);
        pthread_join(t, NULL);
        _exit((int)cell);
    }
    tid = calloc(1, sizeof *tid);
    read(pipes[0], (void *)tid, sizeof *tid);
    try("thread", ptrace(PTRACE_SEIZE, *tid, 0, 0));
    try("stops", ptrace(PTRACE_INTERRUPT, *tid, 0, 0));
    if (waitpid(*tid, &status, __WALL) == *tid) shows("thread", status & 0xffff);
    try("it gets", ptrace(PTRACE_POKEDATA, *tid, (void *)&cell, (void *)46L));
    try("free", ptrace(PTRACE_DETACH, *tid, 0, 0));
    waitpid(p, &status, 0);
    shows("child", status);
}
static void attached(void)                                 /* by its child */
{
    const pid_t parent = getpid();
    int status;
    pid_t p = fork();
    if (p == 0) { looks("parent", parent, 47); fflush(stdout); _exit(5); }
    while (cell == 42) spin(1000);
    waitpid(p, &status, 0);
    shows("child", status);
    printf("cell %ld\n", cell);
}
static void later(const char *file, char *self)            /* when there is that file: the recording is over */
{
    const struct timespec t = { 0, 1000000 };
    while (access(file, F_OK) != 0) { spin(1000); nanosleep(&t, NULL); }
    debugs(self);
    asks();
}
int main(int n, char **value)
{
    const char *what = n > 1 ? value[1] : "";
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(what, "asks") == 0) asks();
    if (strcmp(what, "debugs") == 0) debugs(value[0]);
    if (strcmp(what, "attaches") == 0) attaches();
    if (strcmp(what, "attached") == 0) attached();
    if (strcmp(what, "later") == 0) later(value[2], value[0]);
    spin(300000);
    return 3;
}
