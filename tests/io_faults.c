/* io_faults.c - runs a command once for each system call that it makes on its files, and lets that call go wrong
 *
 *   io_faults HOW DIRECTORY TARGET OLD NEW COMMAND...
 *
 *   HOW        fail    the n-th call fails with EIO (a write: ENOSPC)
 *              full    every write from the n-th on fails with ENOSPC
 *              short   the n-th read or write transfers half of what was asked for
 *              N       signal N arrives in the n-th call
 *   DIRECTORY  absolute; calls count that name a file below it or use a descriptor of one
 *   TARGET     the command's output, absolute, alone in a directory below DIRECTORY; standard output goes to
 *              DIRECTORY/stdout
 *   OLD        a file whose bytes TARGET has before each run; "-": there is no TARGET
 *   NEW        a file whose bytes TARGET has after a run without faults; "-": any, but if it is not OLD's, status 0
 *
 * The calls of the command's first child count too, not those of what it starts: record records in such a process.
 *
 * n goes from 1 until the command makes fewer calls. After each run these must hold:
 *   - TARGET has the bytes of OLD or of NEW; those of NEW if the exit status is 0;
 *   - nothing else is in TARGET's directory;
 *   - a status that is not 0 comes with a message; no signal but the one sent ended the command;
 *   - the status is not 0 if an open, write, fsync, rename of the output, or its close after a write failed.
 * Prints what does not hold, then "N runs". Exit status: 0 all holds; 1 it does not; 2 cannot be tried here.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(__x86_64__)
int main(void) { return 2; }
#else
#include <sys/user.h>

enum { FAIL, FULL, SHORT, SEND };
enum { TRACE = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC };
enum { BY_FD = 1, BY_PATH = 2, AT = 4, OUTPUT = 8, DATA = 16 };   /* OUTPUT: counts when the output is concerned */

static const struct call { long number; int kind; const char *name; } calls[] = {
    { SYS_open, BY_PATH | OUTPUT, "open" },       { SYS_openat, BY_PATH | AT | OUTPUT, "openat" },
    { SYS_read, BY_FD | DATA, "read" },           { SYS_pread64, BY_FD | DATA, "pread" },
    { SYS_readv, BY_FD, "readv" },                { SYS_mmap, BY_FD, "mmap" },
    { SYS_write, BY_FD | OUTPUT | DATA, "write" }, { SYS_writev, BY_FD | OUTPUT, "writev" },
    { SYS_pwrite64, BY_FD | OUTPUT | DATA, "pwrite" }, { SYS_fsync, BY_FD | OUTPUT, "fsync" },
    { SYS_fdatasync, BY_FD | OUTPUT, "fdatasync" }, { SYS_close, BY_FD | OUTPUT, "close" },
    { SYS_rename, BY_PATH | OUTPUT, "rename" },   { SYS_renameat, BY_PATH | AT | OUTPUT, "renameat" },
    { SYS_renameat2, BY_PATH | AT | OUTPUT, "renameat2" }, { SYS_stat, BY_PATH, "stat" },
    { SYS_lstat, BY_PATH, "lstat" },              { SYS_fstat, BY_FD, "fstat" },
    { SYS_newfstatat, BY_PATH | AT, "newfstatat" }, { SYS_statx, BY_PATH | AT, "statx" },
    { SYS_access, BY_PATH, "access" },            { SYS_faccessat, BY_PATH | AT, "faccessat" },
    { SYS_readlink, BY_PATH, "readlink" },        { SYS_readlinkat, BY_PATH | AT, "readlinkat" },
    { SYS_lseek, BY_FD, "lseek" },                { SYS_getdents64, BY_FD, "getdents" },
    { SYS_fchmod, BY_FD, "fchmod" },              { SYS_fchown, BY_FD, "fchown" },
};

static struct job {
    int how, signal;
    const char *directory, *target, *old, *new_;
    char *outputs;                     /* TARGET's directory */
    char **command;
    char message[4200];                /* the file for standard error, beside DIRECTORY */
} job;

struct process {
    pid_t pid;                         /* -1: has ended                                                */
    int   inside;                      /* a call                                                       */
    long  result;                      /* what that shall return instead of being made; 0: it is made  */
    int   written[64];                 /* per descriptor: since it was opened                          */
};

static struct run {                    /* what the n-th run met */
    struct process process[2];         /* the command, its child          */
    pid_t pid;                         /* of the one that makes a call     */
    long  n, seen;
    const struct call *hit;            /* the call that went wrong; NULL: there was none */
    int   output;                      /* it concerned the output, so that it must be told */
    char  path[4200];
    int   status;                      /* of waitpid, of the command */
} run;

static void give_up(const char *what)
{
    fprintf(stderr, "io_faults: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ----- files ------------------------------------------------------------------------------------------------------ */

/* A whole file for free(), *size -1 if it cannot be opened. */
static char *contents(const char *path, long *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    *size = -1;
    if (f == NULL) return NULL;
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    bytes = (char *)malloc((size_t)*size + 1);
    if (bytes == NULL || fread(bytes, 1, (size_t)*size, f) != (size_t)*size) give_up(path);
    fclose(f);
    return bytes;
}

/* 1 if both files have the same bytes; "-" is a file that does not exist. */
static int same(const char *a, const char *b)
{
    long m, n;
    char *x = contents(a, &m), *y = contents(b, &n);
    const int equal = m == n && (m < 0 || memcmp(x, y, (size_t)m) == 0);
    free(x);
    free(y);
    return equal;
}

/* A link stays, what it leads to changes. */
static void put_old(void)
{
    long size;
    char *bytes = contents(job.old, &size);
    FILE *f;
    if (size < 0) {
        unlink(job.target);
        return;
    }
    f = fopen(job.target, "wb");
    if (f == NULL || fwrite(bytes, 1, (size_t)size, f) != (size_t)size || fclose(f) != 0) give_up(job.target);
    free(bytes);
}

/* The name of a file beside TARGET, or NULL. */
static const char *stray(void)
{
    static char name[300];
    const char *own = strrchr(job.target, '/') + 1;
    DIR *d = opendir(job.outputs);
    struct dirent *e;
    *name = '\0';
    while (d != NULL && (e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, own) != 0)
            snprintf(name, sizeof name, "%s", e->d_name);
    if (d != NULL) closedir(d);
    if (*name == '\0') return NULL;
    return name;
}

/* ----- the command's calls ---------------------------------------------------------------------------------------- */

/* Reads a string of the command, which may end with a page. */
static void read_path(uint64_t address, char *to, size_t size)
{
    size_t n, i;
    memset(to, 0, size);
    for (i = 0; i + 1 < size; i += n) {
        struct iovec local = { to + i, 0 }, remote = { (void *)(uintptr_t)(address + i), 0 };
        n = 256 - (address + i) % 256;
        local.iov_len = remote.iov_len = n = n < size - i - 1 ? n : size - i - 1;
        if (process_vm_readv(run.pid, &local, 1, &remote, 1, 0) != (ssize_t)n || memchr(to + i, 0, n) != NULL) break;
    }
}

static void fd_path(int fd, char *to, size_t size)
{
    char link[64];
    ssize_t n;
    snprintf(link, sizeof link, "/proc/%ld/fd/%d", (long)run.pid, fd);
    n = readlink(link, to, size - 1);
    to[n < 0 ? 0 : n] = '\0';
}

static int below(const char *path, const char *directory)
{
    const size_t n = strlen(directory);
    return strncmp(path, directory, n) == 0 && path[n] == '/';
}

/* The call that the command is about to make if it counts, else NULL. path: of its file. */
static const struct call *counted(struct process *p, const struct user_regs_struct *r, int *output, char *path,
                                  size_t size)
{
    size_t i;
    for (i = 0; i < sizeof calls / sizeof *calls && calls[i].number != (long)r->orig_rax; i++) { }
    if (i == sizeof calls / sizeof *calls) return NULL;
    if (job.how == FULL && strstr(calls[i].name, "write") == NULL) return NULL;
    if (job.how == SHORT && !(calls[i].kind & DATA)) return NULL;
    if (calls[i].kind & BY_PATH) read_path(calls[i].kind & AT ? r->rsi : r->rdi, path, size);
    else fd_path((int)(calls[i].number == SYS_mmap ? r->r8 : r->rdi), path, size);
    if (*path == '\0' && calls[i].kind & AT) fd_path((int)r->rdi, path, size);
    if (!below(path, job.directory)) return NULL;
    *output = calls[i].kind & OUTPUT && below(path, job.outputs);
    if (calls[i].number == SYS_write && strcmp(strrchr(path, '/'), "/stdout") == 0) *output = 1;
    if (calls[i].number == SYS_write || calls[i].number == SYS_close) {
        int *written = &p->written[r->rdi % (sizeof p->written / sizeof *p->written)];
        if (calls[i].number == SYS_close) *output &= *written;
        *written = calls[i].number == SYS_write;
    }
    return &calls[i];
}

/* At the entry of a call. Returns what it shall return instead of being made; 0: it is made. */
static long before(struct process *p, struct user_regs_struct *r)
{
    int output = 0;
    char path[sizeof run.path] = "";
    const struct call *c = counted(p, r, &output, path, sizeof path);
    if (c == NULL || ++run.seen < run.n || (run.seen > run.n && job.how != FULL)) return 0;
    memcpy(run.path, path, sizeof path);
    run.hit = c;
    run.output |= output && job.how < SHORT;
    if (job.how == SEND) kill(run.pid, job.signal);
    if (job.how == SHORT && r->rdx > 1) {
        r->rdx /= 2;
        ptrace(PTRACE_SETREGS, run.pid, NULL, r);
    }
    return job.how >= SHORT ? 0 : strstr(c->name, "write") != NULL ? -ENOSPC : -EIO;
}

static void start(void)
{
    char out[4200];
    int fd;
    snprintf(out, sizeof out, "%s/stdout", job.directory);
    lseek(0, 0, SEEK_SET);
    run.pid = fork();
    if (run.pid < 0) give_up("fork");
    if (run.pid == 0) {
        fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd < 0 || dup2(fd, 1) < 0 || close(fd) != 0) _exit(99);
        fd = open(job.message, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd < 0 || dup2(fd, 2) < 0 || close(fd) != 0) _exit(99);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(98);
        raise(SIGSTOP);
        execv(job.command[0], job.command);
        _exit(99);
    }
    if (waitpid(run.pid, &run.status, 0) != run.pid) give_up("waitpid");
    if (!WIFSTOPPED(run.status)) give_up("ptrace");
    run.process[0].pid = run.pid;
    ptrace(PTRACE_SETOPTIONS, run.pid, NULL, (void *)(TRACE | PTRACE_O_TRACEFORK));
    ptrace(PTRACE_SYSCALL, run.pid, NULL, NULL);
}

/* The process of the next stop or end; NULL: the command has ended. A child's first stop is told by its pid. */
static struct process *next(int *status)
{
    struct process *const p = run.process;
    const pid_t pid = waitpid(-1, status, __WALL);
    if (pid < 0) give_up("waitpid");
    if (pid != p->pid && p[1].pid == 0) {
        p[1].pid = pid;
        ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)TRACE);
        *status = 0x7f;                /* a stop without a signal */
    }
    if (WIFSTOPPED(*status)) return &p[pid != p->pid];
    if (pid != p->pid) return p[1].pid = -1, &p[1];
    run.status = *status;
    return NULL;
}

/* A call begins or ends. */
static void at_call(struct process *p)
{
    struct user_regs_struct r;
    run.pid = p->pid;
    p->inside = !p->inside;
    if (ptrace(PTRACE_GETREGS, p->pid, NULL, &r) != 0) return;
    if (p->inside) {
        p->result = before(p, &r);
        if (p->result != 0) r.orig_rax = (unsigned long long)-1;
    } else if (p->result != 0) {
        r.rax = (unsigned long long)p->result;
    }
    if (p->result != 0) ptrace(PTRACE_SETREGS, p->pid, NULL, &r);
}

static void run_once(void)
{
    struct process *p;
    int status = 0;
    start();
    while ((p = next(&status)) != NULL) {
        long deliver = 0;
        if (!WIFSTOPPED(status)) continue;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) at_call(p);
        else if (status >> 16 == 0) deliver = WSTOPSIG(status);
        if (ptrace(PTRACE_SYSCALL, p->pid, NULL, (void *)deliver) != 0 && errno != ESRCH) give_up("ptrace");
    }
    if (run.process[1].pid <= 0) return;
    kill(run.process[1].pid, SIGKILL);
    waitpid(run.process[1].pid, &status, __WALL);
}

/* ----- what must hold --------------------------------------------------------------------------------------------- */

static int wrong(const char *what)
{
    long size;
    char *said = contents(job.message, &size);
    printf("call %ld, %s of %s: %s (status 0x%x, said: %.*s)\n", run.n, run.hit->name, run.path, what,
           (unsigned)run.status, size < 0 ? 0 : (int)size, said != NULL ? said : "");
    free(said);
    return 0;
}

static int holds(void)
{
    const int ended = WIFEXITED(run.status), status = ended ? WEXITSTATUS(run.status) : -1;
    const int any = strcmp(job.new_, "-") == 0, is_old = same(job.target, job.old);
    const int is_new = any ? !is_old && status == 0 : same(job.target, job.new_);
    int ok = 1;
    struct stat st;
    if (!ended && (job.how != SEND || WTERMSIG(run.status) != job.signal)) ok = wrong("killed");
    if (!is_old && !is_new) ok = wrong("the output is neither the old one nor the new one");
    if (status == 0 && !is_new) ok = wrong("status 0 without the new output");
    if (status == 0 && run.output) ok = wrong("a fault of the output is not told");
    if (status != 0 && job.how == SHORT) ok = wrong("half a transfer is a failure");
    if (status > 0 && job.how != SEND && (stat(job.message, &st) != 0 || st.st_size == 0)) ok = wrong("no message");
    if (stray() != NULL) ok = wrong(stray());
    return ok;
}

int main(int argc, char **argv)
{
    int ok = 1;
    if (argc < 7) give_up("usage: io_faults HOW DIRECTORY TARGET OLD NEW COMMAND...");
    job.how = strcmp(argv[1], "fail") == 0 ? FAIL : strcmp(argv[1], "full") == 0 ? FULL
              : strcmp(argv[1], "short") == 0 ? SHORT : SEND;
    job.signal = atoi(argv[1]);
    job.directory = argv[2];
    job.target = argv[3];
    job.old = argv[4];
    job.new_ = argv[5];
    job.command = argv + 6;
    job.outputs = dirname(strdup(job.target));
    snprintf(job.message, sizeof job.message, "%s.said", job.directory);
    do {
        const long n = run.n + 1;
        memset(&run, 0, sizeof run);
        run.n = n;
        put_old();
        run_once();
        if (run.hit != NULL) ok &= holds();
        while (stray() != NULL) {
            char path[4600];
            snprintf(path, sizeof path, "%s/%s", job.outputs, stray());
            unlink(path);
        }
    } while (run.hit != NULL);
    if (!WIFEXITED(run.status) || WEXITSTATUS(run.status) != 0) ok = printf("fails without a fault\n") < 0;
    if (strcmp(job.new_, "-") != 0 && !same(job.target, job.new_)) ok = printf("a run without faults differs\n") < 0;
    printf("%ld runs\n", run.n - 1);
    return !ok;
}
#endif
