/* output.c - output files that appear whole or not at all
 *
 * A file is written under a temporary name beside its target and renamed when all of it is written. Until then, and
 * after any error or signal, the target is what it was, and no temporary file stays. Symbolic links are followed first
 * and stay; a new file has the mode that the umask gives, a replaced one keeps its own. What is no regular file
 * (terminals, pipes, devices) is written directly, and so is a descriptor: "-", /dev/stdout, /dev/fd/N.
 *
 *     output o;
 *     if (!output_begin(&o, path) || output_stream(&o) == NULL) ...
 *     fprintf(o.file, ...);
 *     if (!output_end(&o, all_is_well)) ...
 *
 * Functions that fail return 0, or NULL, with errno set. One output at a time. Part of csspgo, same licence.
 */
#include "tool.h"

/* ----- the temporary file, which a signal or an exit removes ------------------------------------------------------ */

static char *volatile output_pending;   /* its name, or NULL */

static void output_remove_pending(void)
{
    if (output_pending != NULL) unlink(output_pending);
}

/* Removes the file and passes the signal on. A file that grows too large (SIGXFSZ) is an error of the write instead. */
static void output_on_signal(int signal)
{
    if (signal == SIGXFSZ) return;
    output_remove_pending();
    raise(signal);
}

/* Catches what would end the program, but for signals that are caught or ignored already. */
static void output_catch_signals(void)
{
    static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU,
                                   SIGXFSZ, SIGABRT, SIGBUS,  SIGSEGV, SIGFPE,  SIGILL };
    struct sigaction a, old;
    size_t i;
    memset(&a, 0, sizeof a);
    a.sa_handler = output_on_signal;
    for (i = 0; i < sizeof signals / sizeof *signals; i++) {
        a.sa_flags = signals[i] == SIGXFSZ ? SA_RESTART : (int)SA_RESETHAND;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(signals[i], &a, NULL);
    }
}

/* Makes the temporary file beside the target. No signal comes between its creation and the note of its name. */
static int output_make_temporary(output *o)
{
    static int at_exit;
    const char *slash = strrchr(o->target, '/');
    const int dir = slash != NULL ? (int)(slash - o->target) + 1 : 0;
    const mode_t mode = o->replaces ? (o->old.st_mode & 0777) | S_IWUSR : 0666;
    const size_t size = (size_t)dir + sizeof OUTPUT_TEMPORARY + 48;
    sigset_t all, before;
    int i, why;
    if (!at_exit && atexit(output_remove_pending) != 0) return errno = ENOMEM, 0;
    at_exit = 1;
    output_catch_signals();
    if ((o->temporary = (char *)malloc(size)) == NULL) return errno = ENOMEM, 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    for (i = 0, errno = EEXIST; o->fd < 0 && errno == EEXIST && i < 100; i++) {
        snprintf(o->temporary, size, "%.*s%s%ld-%d", dir, o->target, OUTPUT_TEMPORARY, (long)getpid(), i);
        o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    why = errno;
    if (o->fd >= 0) output_pending = o->temporary;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return o->fd >= 0;
}

/* ----- what a path names ------------------------------------------------------------------------------------------ */

/* The descriptor that a path stands for, or -1. */
static int output_descriptor(const char *path)
{
    static const char *const prefix[] = { "/dev/fd/", "/proc/self/fd/" };
    char *end;
    size_t i;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return 1;
    for (i = 0; i < sizeof prefix / sizeof *prefix; i++) {
        const size_t n = strlen(prefix[i]);
        const long fd = strncmp(path, prefix[i], n) == 0 && path[n] != '\0' ? strtol(path + n, &end, 10) : -1;
        if (fd >= 0 && fd <= INT_MAX && *end == '\0') return (int)fd;
    }
    return -1;
}

/*
 * 1 if a link may be followed: as the kernel's protected_symlinks has it, one in a directory that everybody may write
 * to, such as /tmp, must be the user's own or the owner's of the directory. What follows links here is no system call,
 * so that the kernel does not see it.
 *
 *   dir   bytes of the directory's name at the begin of the link's
 */
static int output_may_follow(const char *link, size_t dir)
{
    char *const where = dir == 0 ? strdup(".") : strndup(link, dir);
    struct stat l, d;
    int ok = where != NULL && lstat(link, &l) == 0 && stat(where, &d) == 0;
    if (!ok) errno = where == NULL ? ENOMEM : errno;
    else if ((d.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && l.st_uid != geteuid() && l.st_uid != d.st_uid)
        errno = EACCES, ok = 0;
    free(where);
    return ok;
}

/* Follows the links from o->target to the file that is meant, which need not exist, or to a descriptor. */
static int output_resolve(output *o)
{
    char link[PATH_MAX];
    int hops;
    for (hops = 0; o->target != NULL && hops < 40; hops++) {
        const char *slash = strrchr(o->target, '/');
        const size_t dir = slash != NULL ? (size_t)(slash - o->target) + 1 : 0;
        char *next;
        ssize_t n;
        o->fd = output_descriptor(o->target);
        if (o->fd >= 0 || strncmp(o->target, "/proc/", 6) == 0) return 1;
        n = readlink(o->target, link, sizeof link);
        if (n < 0) return errno == EINVAL || errno == ENOENT;     /* no link; nothing yet */
        if ((size_t)n == sizeof link) return errno = ENAMETOOLONG, 0;
        if (!output_may_follow(o->target, dir)) return 0;
        next = (char *)malloc(dir + (size_t)n + 1);
        if (next != NULL) {
            memcpy(next, o->target, dir);
            memcpy(next + (link[0] == '/' ? 0 : dir), link, (size_t)n);
            next[(link[0] == '/' ? 0 : dir) + (size_t)n] = '\0';
        }
        free(o->target);
        o->target = next;
    }
    errno = o->target == NULL ? ENOMEM : ELOOP;
    return 0;
}

static int output_stat(const char *path, int standard, struct stat *st)
{
    const int fd = strcmp(path, "-") == 0 ? standard : -1;
    return fd >= 0 ? fstat(fd, st) : stat(path, st);
}

/* 1 if both paths name the same file, which the output would replace; "-" are standard input and output. */
int output_is_input(const char *path, const char *input)
{
    struct stat a, b;
    return output_stat(path, 1, &a) == 0 && output_stat(input, 0, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino && (S_ISREG(a.st_mode) || S_ISBLK(a.st_mode));
}

/* ----- begin, write, end ------------------------------------------------------------------------------------------ */

/* Frees what belongs to the output, after what happened to its file. */
static int output_close(output *o, int ok)
{
    const int why = errno;
    if (o->temporary != NULL) {
        if (o->fd >= 0) close(o->fd);
        if (!ok) output_remove_pending();
        output_pending = NULL;
        free(o->temporary);
    }
    free(o->target);
    memset(o, 0, sizeof *o);
    errno = why;
    return ok;
}

/* Looks at the target: a regular file that may be written is replaced, what is no regular file is written directly. */
static int output_look(output *o)
{
    const size_t n = strlen(o->target);
    int fd;
    o->name = o->target;
    if (stat(o->target, &o->old) != 0) {
        if (n == 0 || errno != ENOENT) return 0;
        return o->target[n - 1] != '/' ? output_make_temporary(o) : (errno = EISDIR, 0);
    }
    if (!S_ISREG(o->old.st_mode) || strncmp(o->target, "/proc/", 6) == 0) return 1;
    fd = open(o->target, O_WRONLY | O_CLOEXEC);            /* what opening it for writing would say */
    if (fd < 0) return 0;
    close(fd);
    o->replaces = 1;
    return output_make_temporary(o);
}

int output_begin(output *o, const char *path)
{
    memset(o, 0, sizeof *o);
    o->fd = -1;
    errno = ENOMEM;                                        /* not every allocator sets it */
    o->target = strdup(path);
    if (o->target == NULL || !output_resolve(o)) return output_close(o, 0);
    if (o->fd >= 0) return 1;
    if (!output_look(o)) return output_close(o, 0);
    if (o->temporary != NULL) o->name = o->temporary;
    return 1;
}

/* What to write to. Standard output is written from where it stands. */
FILE *output_stream(output *o)
{
    int fd;
    errno = ENOMEM;                                        /* unless a system call fails */
    if (o->name != NULL) o->file = fopen(o->name, "wbe");
    else if (o->fd == 1) o->file = stdout;
    else if ((fd = dup(o->fd)) >= 0 && (o->file = fdopen(fd, "wb")) == NULL) close(fd);
    return o->file;
}

/* Gives the temporary file, all of which is written, the owner and mode of the one that it replaces, and its name. */
static int output_rename(output *o)
{
    struct stat st;
    int closed;
    if (o->replaces) {
        if (fstat(o->fd, &st) != 0) return 0;
        if ((st.st_uid != o->old.st_uid || st.st_gid != o->old.st_gid) &&
            fchown(o->fd, o->old.st_uid, o->old.st_gid) != 0 && fchown(o->fd, (uid_t)-1, o->old.st_gid) != 0)
            errno = 0;                                     /* it becomes the user's own, as far as it must */
        if (((st.st_mode ^ o->old.st_mode) & 0777) != 0 && fchmod(o->fd, o->old.st_mode & 0777) != 0) return 0;
        if (fsync(o->fd) != 0 && errno != EINVAL && errno != ENOTSUP) return 0;
    }
    closed = close(o->fd);
    o->fd = -1;
    return closed == 0 && rename(o->temporary, o->target) == 0;
}

/* Ends the output: with ok the target becomes what was written, else it stays what it was. 1 if all that was done. */
int output_end(output *o, int ok)
{
    if (o->file != NULL) {
        const int bad = ferror(o->file) != 0, why = errno;
        int flushed = fflush(o->file) == 0;
        if (o->file != stdout && fclose(o->file) != 0) flushed = 0;
        if (bad && flushed) errno = why;
        ok = ok && flushed && !bad;
    }
    return output_close(o, ok && (o->temporary == NULL || output_rename(o)));
}

/* ----- with messages ---------------------------------------------------------------------------------------------- */

/* Returns 0 after refusing an output that is the same file as an input; either may be NULL. */
int output_spares(const tool_context *tool, const char *path, const char *input)
{
    if (path == NULL || input == NULL || (tool->compat && strcmp(path, "-") == 0) || !output_is_input(path, input))
        return 1;
    usage(tool, "output '%s' is the same file as input '%s': choose another output", path, input);
    return 0;
}

/* The same of all values of an option. */
int output_spares_all(const tool_context *tool, const char *path, const option *o)
{
    size_t i;
    if (o->kind != OPT_LIST) return output_spares(tool, path, o->text);
    for (i = 0; i < o->count; i++)
        if (!output_spares(tool, path, o->list[i])) return 0;
    return 1;
}

/* Returns 0 after saying why the output cannot be written: tried before the work, which takes long. LLVM tries last. */
int output_ready(const tool_context *tool, const char *path)
{
    output o;
    if (path == NULL || tool->compat || (output_begin(&o, path) && !output_end(&o, 0))) return 1;
    fail(tool, "%s: %s", path, file_why());
    return 0;
}

/* An output to print to. NULL after saying why there is none. */
FILE *stream_begin(const tool_context *tool, output *o, const char *path)
{
    if (output_begin(o, path)) {
        if (output_stream(o) != NULL) return o->file;
        output_end(o, 0);
    }
    fail(tool, "%s: %s", path, file_why());
    return NULL;
}

/* Ends it; ok: the command did its work, else what it printed is void. Returns the exit status. */
int stream_end(const tool_context *tool, output *o, const char *path, int ok)
{
    if (output_end(o, ok)) return 0;
    return ok ? fail(tool, "%s: %s", path, file_why()) : 1;
}

int stream_made(const tool_context *tool, const char *path, int (*make_fn)(void *what, FILE *out), void *what)
{
    output o;
    FILE *const out = stream_begin(tool, &o, path);
    return out != NULL ? stream_end(tool, &o, path, make_fn(what, out)) : 1;
}
