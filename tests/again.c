/* again.c - runs a program many times without loading it many times
 *
 * LLVM's tools need 20 ms to load and 1 ms to work. With what this file is as a shared object (-DSERVER) in LD_PRELOAD,
 * a tool does not begin: it waits at a socket for requests, and for each it forks, so that its main() runs as in a new
 * process. As a program under the tool's name, this file is what stands in the PATH: it sends its arguments, directory,
 * and standard input, output and error to the socket and ends as the tool does. Where there is no such socket, it
 * executes the tool. `again` in t.sh prepares all that. Only for Linux; elsewhere scripts run the tools themselves.
 *
 *     AGAIN_DIR     where the programs under the tools' names and the sockets are: DIR/TOOL, DIR/TOOL.socket
 *     AGAIN_OF      the process whose end is the server's
 *     AGAIN_PATH    the PATH without DIR
 *
 * `again --compare` is cmp without a start each time: it reads requests of three lines, a directory and two files, and
 * answers each with a line: 0, these have the same bytes; 1, they have not, or one cannot be read.
 *
 * A request is its size in bytes (4 bytes, with the three descriptors), the directory and the arguments, each with its
 * terminating zero; the answer is 4 bytes as of waitpid().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 3, MOST = 1 << 20 };      /* bytes of a request */

/* Room for the three descriptors, aligned as their header. */
typedef union descriptors {
    struct cmsghdr header;
    char           bytes[CMSG_SPACE(STREAMS * sizeof(int))];
} descriptors;

static int address_of(const char *tool, struct sockaddr_un *a)
{
    const char *dir = getenv("AGAIN_DIR");
    const char *name = strrchr(tool, '/') != NULL ? strrchr(tool, '/') + 1 : tool;
    memset(a, 0, sizeof *a);
    a->sun_family = AF_UNIX;
    return dir != NULL &&
           snprintf(a->sun_path, sizeof a->sun_path, "%s/%s.socket", dir, name) < (int)sizeof a->sun_path;
}

static int transfer(int fd, char *p, size_t size, int writing)
{
    ssize_t n;
    for (; size != 0; p += n, size -= (size_t)n) {
        n = writing ? write(fd, p, size) : read(fd, p, size);
        if (n < 0 && errno == EINTR) n = 0;
        else if (n <= 0) return 0;
    }
    return 1;
}

static void message(struct msghdr *m, struct iovec *v, uint32_t *size, descriptors *d)
{
    memset(m, 0, sizeof *m);
    memset(d, 0, sizeof *d);
    v->iov_base = size;
    v->iov_len = sizeof *size;
    m->msg_iov = v;
    m->msg_iovlen = 1;
    m->msg_control = d->bytes;
    m->msg_controllen = sizeof d->bytes;
}

#ifdef SERVER

typedef int main_fn(int, char **, char **);
static main_fn *tool_main;

/* The request's bytes, for free(), and its size; NULL if it is none. */
static char *receive(int c, int fd[STREAMS], uint32_t *size)
{
    struct msghdr m;
    struct iovec v;
    descriptors d;
    char *p;
    message(&m, &v, size, &d);
    if (recvmsg(c, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *size || CMSG_FIRSTHDR(&m) == NULL) return NULL;
    if (*size > MOST) return NULL;
    memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), STREAMS * sizeof *fd);
    p = (char *)malloc(*size + 1u);
    if (p != NULL && transfer(c, p, *size, 0)) return p;
    free(p);
    return NULL;
}

/* In the fork: what a new process would have done. */
static int run(char *request, uint32_t size, const int fd[STREAMS], char **environment)
{
    char **argv = (char **)calloc(size + 1u, sizeof *argv), *p;
    int argc = 0, i;
    if (argv == NULL || chdir(request) != 0) return 127;
    for (i = 0; i < STREAMS; i++) dup2(fd[i], i);
    for (p = request + strlen(request) + 1; p < request + size; p += strlen(p) + 1) argv[argc++] = p;
    return tool_main(argc, argv, environment);
}

static int serve(int argc, char **argv, char **environment)
{
    const pid_t of = (pid_t)atoi(getenv("AGAIN_OF") != NULL ? getenv("AGAIN_OF") : "0");
    struct sockaddr_un a;
    struct pollfd listening;
    (void)argc;
    listening.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    listening.events = POLLIN;
    unsetenv("LD_PRELOAD");
    if (of <= 0 || !address_of(argv[0], &a) || bind(listening.fd, (struct sockaddr *)&a, sizeof a) != 0) return 1;
    if (listen(listening.fd, 16) != 0) return 1;
    while (kill(of, 0) == 0) {
        int c, status, fd[STREAMS], i;
        uint32_t size;
        char *request;
        pid_t pid;
        if (poll(&listening, 1, 500) <= 0) continue;
        c = accept4(listening.fd, NULL, NULL, SOCK_CLOEXEC);
        request = c >= 0 ? receive(c, fd, &size) : NULL;
        if (request == NULL) return 1;
        pid = fork();
        if (pid == 0) return run(request, size, fd, environment);
        for (i = 0; i < STREAMS; i++) close(fd[i]);
        free(request);
        if (pid < 0 || waitpid(pid, &status, 0) != pid || !transfer(c, (char *)&status, sizeof status, 1)) return 1;
        close(c);
    }
    return 0;
}

/* The C library's function that calls main. */
typedef void hook(void);
int __libc_start_main(main_fn *main, int argc, char **argv, hook *init, hook *fini, hook *unload, void *stack);
int __libc_start_main(main_fn *main, int argc, char **argv, hook *init, hook *fini, hook *unload, void *stack)
{
    int (*next)(main_fn *, int, char **, hook *, hook *, hook *, void *);
    void *symbol = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&next, &symbol, sizeof next);
    tool_main = main;
    return next(serve, argc, argv, init, fini, unload, stack);
}

#else

/* The answer, or -1 if the request was not taken. */
static int ask(int argc, char **argv)
{
    static char request[MOST];
    static const int streams[STREAMS] = {0, 1, 2};
    struct sockaddr_un a;
    struct msghdr m;
    struct iovec v;
    descriptors d;
    struct cmsghdr *h;
    uint32_t size;
    int i, status, s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (s < 0 || !address_of(argv[0], &a) || connect(s, (struct sockaddr *)&a, sizeof a) != 0) return -1;
    if (getcwd(request, sizeof request) == NULL) return -1;
    size = (uint32_t)strlen(request) + 1;
    for (i = 0; i < argc; i++) {
        const size_t n = strlen(argv[i]) + 1;
        if (n > MOST - size) return -1;
        memcpy(request + size, argv[i], n);
        size += (uint32_t)n;
    }
    message(&m, &v, &size, &d);
    h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof streams);
    memcpy(CMSG_DATA(h), streams, sizeof streams);
    if (sendmsg(s, &m, MSG_NOSIGNAL) != (ssize_t)sizeof size) return -1;
    if (transfer(s, request, size, 1) && transfer(s, (char *)&status, sizeof status, 0)) return status;
    fprintf(stderr, "again: %s was lost\n", argv[0]);
    exit(126);
}

/* 1: the same bytes, of files that can be read. */
static int alike(FILE *f, FILE *g)
{
    static char a[1 << 16], b[sizeof a];
    size_t n = sizeof a, m = n;
    int same = f != NULL && g != NULL;
    while (same && n == sizeof a) {
        n = fread(a, 1, sizeof a, f);
        m = fread(b, 1, sizeof b, g);
        same = n == m && memcmp(a, b, n) == 0 && !ferror(f) && !ferror(g);
    }
    return same;
}

/* A line without its end; 0: there is none. */
static int line(char *to, int size)
{
    if (fgets(to, size, stdin) == NULL) return 0;
    to[strcspn(to, "\n")] = 0;
    return 1;
}

static int compare(void)
{
    static char directory[4096], name[2][4096];
    while (line(directory, sizeof directory) && line(name[0], sizeof name[0]) && line(name[1], sizeof name[1])) {
        const int there = chdir(directory) == 0;
        FILE *f = there ? fopen(name[0], "rb") : NULL, *g = there ? fopen(name[1], "rb") : NULL;
        puts(alike(f, g) ? "0" : "1");
        fflush(stdout);
        if (f != NULL) fclose(f);
        if (g != NULL) fclose(g);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *path = getenv("AGAIN_PATH");
    int status;
    if (argc == 2 && strcmp(argv[1], "--compare") == 0) return compare();
    status = ask(argc, argv);
    if (status >= 0 && WIFEXITED(status)) return WEXITSTATUS(status);
    if (status >= 0) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    if (path != NULL) setenv("PATH", path, 1);
    argv[0] = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
    execvp(argv[0], argv);
    perror(argv[0]);
    return 127;
}

#endif
