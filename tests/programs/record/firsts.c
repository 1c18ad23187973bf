/* firsts.c - says in which order its functions ran first, one line for each process: for record --first
 *
 * Compiled with -finstrument-functions -rdynamic. Functions whose names begin with w_ are counted, others are not
 * instrumented. The lines are added to the file that FIRSTS names. With -DLIB it is a library that the program loads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define QUIET __attribute__((no_instrument_function))
#define W(n) __attribute__((noinline)) int n(int x); int n(int x) { __asm__ volatile(""); return x + 1; }
#ifdef LIB
W(w_lib_1) W(w_lib_2) W(w_lib_never)
__attribute__((constructor)) void w_lib_begin(void) { w_lib_2(0); }
__attribute__((destructor)) void w_lib_end(void) { __asm__ volatile(""); }
int w_lib(int x) { return x > 1000 ? w_lib_never(x) : w_lib_1(x) + w_lib_2(x); }
#else
extern char **environ;
static void *seen[4096];
static unsigned count;
static volatile int lock;
__attribute__((noinline)) static int w_static(int x) { __asm__ volatile(""); return x - 1; }
#ifdef __GNUC__
QUIET void __cyg_profile_func_enter(void *f, void *from);
QUIET void __cyg_profile_func_exit(void *f, void *from);
QUIET void __cyg_profile_func_exit(void *f, void *from) { (void)f; (void)from; }
QUIET void __cyg_profile_func_enter(void *f, void *from)
{
    unsigned i;
    (void)from;
    while (__sync_lock_test_and_set(&lock, 1)) { }
    for (i = 0; i < count && seen[i] != f; i++) { }
    if (i == count && count < 4096) seen[count++] = f;
    __sync_lock_release(&lock);
}
#endif
/* The last destructor of all. */
QUIET __attribute__((destructor(101))) static void say(void)
{
    static char line[65536];
    const char *const to = getenv("FIRSTS");
    size_t n = 0;
    unsigned i;
    int fd = to != NULL ? open(to, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    for (i = 0; i < count; i++) {
        Dl_info d;
        const char *name = seen[i] == (void *)w_static ? "w_static"
                         : dladdr(seen[i], &d) != 0 && d.dli_sname != NULL ? d.dli_sname : "?";
        n += (size_t)snprintf(line + n, sizeof line - n, "%s,", name);
    }
    line[n++] = '\n';
    if (fd >= 0 && write(fd, line, n) < 0) _exit(9);
    if (fd >= 0) close(fd);
}
W(w_1) W(w_2) W(w_3) W(w_never) W(w_thread_1) W(w_thread_2) W(w_child) W(w_parent) W(w_masked) W(w_after)
int w_alias(int x) __attribute__((alias("w_3")));
__attribute__((noinline)) int w_deep(int n) { return n > 0 ? w_deep(n - 1) + 1 : w_2(n); }
int w_cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void w_handler(int s) { (void)s; w_masked(1); }
void w_trap(int s) { (void)s; __asm__ volatile(""); }
void w_at_exit(void) { w_after(1); }
__attribute__((constructor)) void w_begin(void) { __asm__ volatile(""); }
QUIET static void plain(void)
{
    int v[4] = { 3, 1, 2, 0 };
    struct sigaction a;
    atexit(w_at_exit);
    w_1(w_static(1));
    w_deep(3);
    qsort(v, 4, sizeof *v, w_cmp);
    memset(&a, 0, sizeof a);
    sigfillset(&a.sa_mask);
    a.sa_handler = w_handler;
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    w_3(1);
    w_alias(1);
    if (v[0] != 0) w_never(1);
}
QUIET static void traps(void)
{
    signal(SIGTRAP, w_trap);
    raise(SIGTRAP);
    __asm__ volatile("int3");
    w_1(1);
    raise(SIGTRAP);
    __asm__ volatile("int3");
}
static pthread_barrier_t barrier;
QUIET static void *in_turn(void *v) { return v == NULL ? w_thread_1(1) : w_thread_2(1), v; }
#define TEN(n) W(n##0) W(n##1) W(n##2) W(n##3) W(n##4) W(n##5) W(n##6) W(n##7) W(n##8) W(n##9)
TEN(w_r0) TEN(w_r1) TEN(w_r2) TEN(w_r3)
#define CALL(n) n##0(1); n##1(1); n##2(1); n##3(1); n##4(1); n##5(1); n##6(1); n##7(1); n##8(1); n##9(1);
QUIET static void *race(void *v)
{
    pthread_barrier_wait(&barrier);
    CALL(w_r0) CALL(w_r1) CALL(w_r2) CALL(w_r3)
    return v;
}
QUIET static void threads(void)
{
    pthread_t t;
    pthread_create(&t, NULL, in_turn, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, in_turn, &t);
    pthread_join(t, NULL);
    w_1(1);
}
QUIET static void races(void)
{
    pthread_t t[8];
    int i;
    pthread_barrier_init(&barrier, NULL, 8);
    for (i = 0; i < 8; i++) pthread_create(&t[i], NULL, race, NULL);
    for (i = 0; i < 8; i++) pthread_join(t[i], NULL);
}
QUIET static void loads(const char *path)
{
    int i;
    for (i = 0; i < 3; i++) {
        void *const lib = dlopen(path, RTLD_NOW);
        int (*const f)(int) = lib != NULL ? (int (*)(int))dlsym(lib, "w_lib") : NULL;
        if (f == NULL) { printf("no library: %s\n", dlerror()); exit(5); }
        printf("%d\n", f(i));
        if (i == 0) w_1(1);
        if (i < 2) dlclose(lib);
    }
}
/* A library that is deleted when it is loaded, and code that runs when others came and went. */
QUIET static void unlinks(const char *path)
{
    char command[4096];
    void *lib, *other;
    snprintf(command, sizeof command, "cp %s %s.gone && cp %s %s.other", path, path, path, path);
    if (system(command) != 0) exit(5);
    snprintf(command, sizeof command, "%s.gone", path);
    lib = dlopen(command, RTLD_NOW);
    unlink(command);
    snprintf(command, sizeof command, "%s.other", path);
    other = dlopen(command, RTLD_NOW);
    if (lib == NULL || other == NULL) exit(6);
    printf("%d\n", ((int (*)(int))dlsym(lib, "w_lib"))(1));
    dlclose(other);
    printf("%d\n", ((int (*)(int))dlsym(lib, "w_lib"))(1001));
}
QUIET static void forks(char **v)
{
    char *args[3];
    pid_t child;
    int status;
    w_1(1);
    child = fork();
    if (child == 0) { w_child(1); exit(3); }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    w_parent(1);
    args[0] = v[0];
    args[1] = (char *)"plain";
    args[2] = NULL;
    if (posix_spawn(&child, v[0], NULL, NULL, args, environ) != 0) exit(6);
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    child = vfork();
    if (child == 0) { w_2(1); execv(v[0], args); _exit(7); }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    w_3(1);
    child = fork();
    if (child == 0) { w_child(2); _exit(4); }              /* says nothing */
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
}
QUIET int main(int n, char **v)
{
    const char *const what = n > 1 ? v[1] : "plain";
    if (strcmp(what, "plain") == 0) plain();
    else if (strcmp(what, "traps") == 0) traps();
    else if (strcmp(what, "threads") == 0) threads();
    else if (strcmp(what, "races") == 0) races();
    else if (strcmp(what, "loads") == 0) loads(v[2]);
    else if (strcmp(what, "unlinks") == 0) unlinks(v[2]);
    else if (strcmp(what, "forks") == 0) forks(v);
    else if (strcmp(what, "dies") == 0) { w_1(1); say(); raise(SIGKILL); }
    else if (strcmp(what, "stays") == 0) {
        w_1(1);
        fflush(stdout);
        sleep(2);
        w_2(1);
    }
    printf("%s\n", what);
    return 2;
}
#endif
