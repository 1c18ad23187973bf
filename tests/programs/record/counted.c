/* counted.c - a program that looks at itself while windows of counting patch its code: whether signals, children and
 * threads find what they would without the recorder, and whether its text is that of its file at the end */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile unsigned long sink;
static unsigned table[1 << 12];

__attribute__((noinline)) static unsigned long tight(unsigned long x, int n)
{
    do { x = x * 25214903917UL + 11; } while (--n != 0);
    return x;
}
__attribute__((noinline)) static unsigned long look_up(unsigned long x, int n)
{
    while (n-- > 0) x += table[x % 4096] ^ (x >> 3);
    return x;
}
__attribute__((noinline)) static unsigned long add_up(unsigned long x, int n)
{
    int i;
    for (i = 0; i < n; i++) if ((table[i & 4095] & 3) != 0) x += table[i & 4095];
    return x;
}
__attribute__((noinline)) static double halves(double x, int n)
{
    while (n-- > 0) x = x * 0.5 + 1.25;
    return x;
}
static unsigned long work(unsigned long x)
{
    x = tight(x, 3000);
    x = look_up(x, 1500);
    x = add_up(x, 2500);
    return x + (unsigned long)halves((double)(x & 1023), 1000);
}

/* Code of files, as it is mapped, against the files: how many bytes differ. */
static int look(struct dl_phdr_info *d, size_t size, void *to)
{
    const char *name = d->dlpi_name[0] != '\0' ? d->dlpi_name : "/proc/self/exe";
    const int f = open(name, O_RDONLY);
    int i;
    (void)size;
    for (i = 0; f >= 0 && i < d->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &d->dlpi_phdr[i];
        const char *memory = (const char *)(d->dlpi_addr + p->p_vaddr);
        char *file;
        size_t k;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        file = malloc(p->p_filesz);
        if (pread(f, file, p->p_filesz, (off_t)p->p_offset) != (ssize_t)p->p_filesz) *(long *)to += 1000000;
        for (k = 0; k < p->p_filesz; k++) *(long *)to += file[k] != memory[k];
        free(file);
    }
    if (f >= 0) close(f);
    return 0;
}
static long differs(void)
{
    long n = 0;
    dl_iterate_phdr(look, &n);
    return n;
}

/* The code of files and of the vdso, by address. */
static uintptr_t begins[256], ends[256];
static int codes;
static int list(struct dl_phdr_info *d, size_t size, void *to)
{
    int i;
    (void)size;
    (void)to;
    for (i = 0; i < d->dlpi_phnum && codes < 255; i++) {
        const ElfW(Phdr) *p = &d->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        begins[codes] = (uintptr_t)(d->dlpi_addr + p->p_vaddr);
        ends[codes++] = (uintptr_t)(d->dlpi_addr + p->p_vaddr + p->p_memsz);
    }
    return 0;
}

static volatile sig_atomic_t signals, strange;
static sigjmp_buf back;
static int jumps;
static void on_signal(int signal, siginfo_t *info, void *context)
{
    const uintptr_t pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    int i = 0;
    signals++;
    while (i < codes && (pc < begins[i] || pc >= ends[i])) i++;
    strange += i == codes;                                 /* code that nobody loaded */
    if (signal == SIGFPE) {
        strange += (uintptr_t)info->si_addr != pc;
        siglongjmp(back, 1);
    }
    if (jumps && (signals & 7) == 0) siglongjmp(back, 1);
}

static int volatile zero;
__attribute__((noinline)) static int divide(int a, volatile int *b) { return a / b[100]; }
static void with_signals(void)
{
    struct sigaction a;
    struct itimerval t = { { 0, 300 }, { 0, 300 } };
    volatile int i;
    static volatile int zeros[200];
    dl_iterate_phdr(list, NULL);
    begins[codes] = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
    ends[codes] = begins[codes] + 16384;
    codes++;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_signal;
    a.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGALRM, &a, NULL);
    sigaction(SIGFPE, &a, NULL);
    setitimer(ITIMER_REAL, &t, NULL);
    jumps = 1;
    for (i = 0; i < 6000; i++) {
        if (sigsetjmp(back, 1) == 0) sink += work((unsigned long)i);
        if (sigsetjmp(back, 1) == 0) sink += (unsigned long)divide(i, zeros);
    }
    jumps = 0;
    memset(&t, 0, sizeof t);
    setitimer(ITIMER_REAL, &t, NULL);
    printf("signals: %s, strange %d\n", signals >= 6000 ? "many" : "few", (int)strange);
}

static void with_children(char *self)
{
    int i, bad = 0, status;
    unsigned long sum = 0;
    for (i = 0; i < 60; i++) {
        pid_t p;
        int k;
        for (k = 0; k < 40; k++) sum += work((unsigned long)(i * 40 + k));
        p = i % 3 == 2 ? vfork() : fork();
        if (p == 0 && i % 3 == 2) {
            execl(self, self, "child", (char *)NULL);
            _exit(9);
        }
        if (p == 0) {
            if (i % 3 == 1) sum += work(sum);
            _exit(differs() != 0 ? 3 : 0);
        }
        while (waitpid(p, &status, 0) < 0) { }
        bad += status != 0;
    }
    printf("children: %lx, bad %d\n", sum, bad);
}

static void *thread(void *to)
{
    int i;
    for (i = 0; i < 100; i++) *(unsigned long *)to += work((unsigned long)i);
    return NULL;
}
static void with_threads(void)
{
    unsigned long sum = 0, part[3];
    int i, k;
    for (i = 0; i < 20; i++) {
        pthread_t t[3];
        for (k = 0; k < 100; k++) sum += work((unsigned long)k);
        memset(part, 0, sizeof part);
        for (k = 0; k < 3; k++) pthread_create(&t[k], NULL, thread, &part[k]);
        for (k = 0; k < 3; k++) pthread_join(t[k], NULL), sum += part[k];
    }
    printf("threads: %lx\n", sum);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    unsigned i;
    unsigned long sum = 0;
    for (i = 0; i < 4096; i++) table[i] = i * 2654435761u >> 7;
    if (strcmp(what, "child") == 0) return differs() != 0;
    if (strcmp(what, "exec") == 0) {
        for (i = 0; i < 8000; i++) sum += work(i);
        printf("before exec: %lx\n", sum);
        fflush(stdout);
        execl("/proc/self/exe", argv[0], "work", (char *)NULL);
        return 9;
    }
    if (strcmp(what, "wait") == 0) {                       /* until a file is there: the recorder is gone then             */
        const time_t end = time(NULL) + 60;
        while (access(argv[2], F_OK) != 0 && time(NULL) < end) for (i = 0; i < 50; i++) sink += work(i);
        printf("differs: %ld\n", differs());
        return 0;
    }
    for (i = 0; i < 10000; i++) sum += work(i);
    printf("work: %lx\n", sum);
    if (strcmp(what, "signals") == 0) with_signals();
    if (strcmp(what, "children") == 0) with_children(argv[0]);
    if (strcmp(what, "threads") == 0) with_threads();
    return 0;
}
