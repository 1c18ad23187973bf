/* calls.c - system calls that signals interrupt, signals that stop it, threads that end, a filter of system calls */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int *count;                                /* shared with children */
static void on(int s) { (void)s; ++*count; }
__attribute__((noinline)) long leaf(long s, int i) { return s + (i ^ (s >> 3)); }
__attribute__((noinline)) static long spin(int n) { volatile long s = 0; for (int i = 0; i < n; i++) s = leaf(s, i); return s; }
static void nap(void) { struct timespec t = { 0, 1000000 }; nanosleep(&t, NULL); }
static void handle(int s, int flags) { struct sigaction a; memset(&a, 0, sizeof a); a.sa_handler = on; a.sa_flags = flags; sigaction(s, &a, NULL); }
static void restarts(void)
{
    int two[2], status, before = *count;
    char byte = 0;
    ssize_t n;
    pipe(two);
    handle(SIGUSR1, SA_RESTART);
    if (fork() == 0) {
        for (int i = 0; i < 3; i++) { kill(getppid(), SIGUSR1); while (*count < before + i + 1) nap(); }
        write(two[1], "x", 1);
        _exit(0);
    }
    n = read(two[0], &byte, 1);
    wait(&status);
    printf("read %zd %c, %d signals\n", n, byte, *count - before);
    handle(SIGUSR1, 0);
    pid_t p = fork();
    if (p == 0) for (;;) { kill(getppid(), SIGUSR1); nap(); }
    n = read(two[0], &byte, 1);
    printf("read %zd, %s\n", n, strerror(errno));
    kill(p, SIGKILL);
    wait(&status);
    signal(SIGUSR1, SIG_IGN);
}
static void stops(void)
{
    int status, before = *count;
    handle(SIGCONT, SA_RESTART);
    pid_t p = fork();
    if (p == 0) {
        for (int i = 0; i < 5; i++) {
            kill(getppid(), SIGSTOP);
            nap();
            kill(getppid(), SIGCONT);
            for (int k = 1; *count < before + i + 1; k++) { nap(); if (k % 200 == 0) kill(getppid(), SIGCONT); }
        }
        _exit(0);
    }
    while (waitpid(p, &status, WNOHANG) == 0) spin(20000);
    printf("stopped and continued: %d\n", *count - before >= 5);
    signal(SIGCONT, SIG_DFL);
}
static void waits(void)                                    /* for a SIGCONT that is blocked, while it works */
{
    struct timespec none = { 0, 0 };
    sigset_t one;
    int n = 0;
    sigemptyset(&one);
    sigaddset(&one, SIGCONT);
    sigprocmask(SIG_BLOCK, &one, NULL);
    for (int i = 0; i < 40; i++) {
        kill(getpid(), SIGCONT);
        spin(200000);
        n += sigtimedwait(&one, NULL, &none) == SIGCONT;
        spin(20000);
    }
    printf("SIGCONT came %d times\n", n);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}
static void ignored(void)
{
    struct epoll_event e;
    const int fd = epoll_create1(0);
    int n, status;
    signal(SIGCHLD, SIG_DFL);
    if (fork() == 0) { spin(100000); _exit(0); }
    n = epoll_wait(fd, &e, 1, 100);
    printf("epoll_wait %d%s\n", n, n < 0 ? strerror(errno) : "");
    wait(&status);
}
static void *run(void *p) { return (void *)(spin((int)(long)p) & 0); }
static void threads(void)
{
    pthread_t t[4];
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < 4; k++) pthread_create(&t[k], NULL, run, (void *)(long)(k * 3000));
        for (int k = 0; k < 4; k++) pthread_join(t[k], NULL);
    }
    puts("160 threads");
}
static void code(void)                                     /* edi additions or subtractions */
{
    static const unsigned char add[] = { 0x31,0xc0, 0x85,0xff, 0x74,0x06, 0x01,0xf8, 0xff,0xcf, 0xeb,0xf6, 0xc3 };
    typedef int function(int);
    unsigned char *w = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *x = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long s = 0;
    for (int i = 0; i < 4000; i++) {
        memcpy(w, add, sizeof add);
        w[6] = i & 1 ? 0x29 : 0x01;
        s += ((function *)w)(200);
        mprotect(x, 4096, PROT_READ | PROT_WRITE);
        memcpy(x + i % 7, add, sizeof add);
        mprotect(x, 4096, PROT_READ | PROT_EXEC);
        s += ((function *)(x + i % 7))(200);
    }
    printf("code %ld\n", s);
}
static void traces(void)
{
    int status;
    pid_t p = fork();
    if (p == 0) { if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(9); raise(SIGSTOP); spin(10000); _exit(4); }
    waitpid(p, &status, 0);
    printf("traced: %s", WIFSTOPPED(status) ? "stopped" : "not stopped");
    while (WIFSTOPPED(status)) { ptrace(PTRACE_CONT, p, 0, 0); waitpid(p, &status, 0); }
    printf(", status %d\n", WEXITSTATUS(status));
}
static void filtered(void)
{
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_nanosleep, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof f / sizeof *f, f };
    struct timespec t = { 0, 200000 };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return;
    for (int i = 0; i < 40; i++) { spin(20000); syscall(SYS_nanosleep, &t, NULL); }
}
static void *ends_all(void *p) { spin(3000000); kill(getpid(), SIGKILL); return p; }
int main(int n, char **value)
{
    const char *what = n > 1 ? value[1] : "";
    setvbuf(stdout, NULL, _IONBF, 0);
    count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (strcmp(what, "killed") == 0) {
        pthread_t t;
        pthread_create(&t, NULL, ends_all, NULL);
        for (;;) spin(1000);
    }
    if (strcmp(what, "alone") == 0) {                      /* killed by another process, in its only thread */
        if (fork() == 0) { spin(3000000); kill(getppid(), SIGKILL); _exit(0); }
        for (;;) spin(1000);
    }
    if (strcmp(what, "filtered") == 0) { puts("filtered"); filtered(); write(1, "done\n", 5); _exit(6); }
    if (strcmp(what, "leader") == 0) { pthread_t t; pthread_create(&t, NULL, run, (void *)5000000L); pthread_exit(NULL); }
    restarts();
    stops();
    waits();
    ignored();
    threads();
    code();
    if (strcmp(what, "traces") == 0) traces();
    return 8;
}
