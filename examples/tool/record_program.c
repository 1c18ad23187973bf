/* record_program.c - what both sources of samples share: the program, its mappings, the lines written */
#include "record.h"

#if defined(__linux__)

#include <sys/xattr.h>

static volatile sig_atomic_t rec_signal_came;         /* for the signal handler: the one thing that no struct has */

int rec_interrupted(void)
{
    return rec_signal_came;
}

void rec_on_interrupt(int signal)
{
    (void)signal;
    rec_signal_came = 1;
}

static volatile sig_atomic_t rec_recorder;            /* the process to which signals are passed on */
static volatile sig_atomic_t rec_apart;               /* the terminal's do not reach it */

/* The first signal ends the recording. A second one ends this process. */
static void rec_on_pass(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (rec_signal_came) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    rec_signal_came = 1;
    if (rec_apart || info->si_code != SI_KERNEL) kill((pid_t)rec_recorder, SIGTERM);
}

/* The handler that ends the recording of another process; `apart`: one that the terminal does not reach. */
void (*rec_pass_interrupt(pid_t recorder, int apart))(int, siginfo_t *, void *)
{
    rec_recorder = recorder;
    rec_apart = apart;
    return rec_on_pass;
}

double rec_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* "12 s", "3 min", "2 h" */
static void rec_duration(char *text, size_t size, double seconds)
{
    const char *unit = seconds < 60 ? "s" : seconds < 3600 ? "min" : "h";
    snprintf(text, size, "%.0f %s", seconds < 60 ? seconds : seconds < 3600 ? seconds / 60 : seconds / 3600, unit);
}

/*
 * "12000000 branches, 12000 samples, 0.6 M branches/s, 20 s"; with --count or --max-branches also how long it will take
 * at that rate, and the share that is done, by what is reached first: ", 25 %, 1 min left at most".
 */
void rec_progress_text(char *text, size_t size, const rec_options *o, uint64_t branches, uint64_t samples,
                              double seconds)
{
    const double rate = seconds >= 0.1 ? (double)branches / seconds : 0;
    double left = -1;
    char took[32];
    size_t n;
    rec_duration(took, sizeof took, seconds);
    snprintf(text, size, "%llu branches, %llu samples, %.1f M branches/s, %s", (unsigned long long)branches,
             (unsigned long long)samples, rate / 1e6, took);
    n = strlen(text);
    if (o->max_branches > branches && rate > 0) left = (double)(o->max_branches - branches) / rate;
    if (o->count > samples && samples != 0 && seconds >= 0.1) {
        const double by_count = (double)(o->count - samples) * seconds / (double)samples;
        if (left < 0 || by_count < left) left = by_count;
    }
    if (left < 0) return;
    rec_duration(took, sizeof took, left);
    snprintf(text + n, size - n, ", %.0f %%, %s left at most", 100 * seconds / (seconds + left), took);
}

void rec_progress(recorder *r)
{
    const double now = r->terminal ? rec_seconds() : 0;
    char text[200];
    if (!r->terminal || now - r->shown < 0.2) return;
    r->shown = now;
    rec_progress_text(text, sizeof text, &r->o, r->branches, r->samples, now - r->began);
    fprintf(stderr, "\r\033[K%s ", text);
}

/* Opens the ELF file that a process has mapped under this path. Returns its *size bytes, for munmap; NULL: none. */
void *rec_open_mapped(pid_t pid, const char *path, elf_image *image, size_t *size)
{
    char name[PATH_MAX + 32];
    struct stat info;
    void *data;
    int fd;
    if (path[0] != '/' || path[1] == '/') return NULL;
    snprintf(name, sizeof name, "/proc/%ld/root%s", (long)pid, path);
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return NULL;
    *size = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size : 0;
    data = *size != 0 ? mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED) return NULL;
    if (elf_open(data, *size, image, NULL, 0)) return data;
    munmap(data, *size);
    return NULL;
}

/* The build id of the file that a process has mapped under this path. */
void rec_find_build_id(pid_t pid, const char *path, rec_build_id *id)
{
    const unsigned char *bytes;
    elf_image image;
    size_t n = 0, size;
    void *data = rec_open_mapped(pid, path, &image, &size);
    memset(id, 0, sizeof *id);
    if (data == NULL) return;
    bytes = elf_build_id(&image, &n);
    if (bytes != NULL) {
        id->size = (uint32_t)(n < sizeof id->bytes ? n : sizeof id->bytes);
        memcpy(id->bytes, bytes, id->size);
    }
    munmap(data, size);
}

/* The program's file, as execvp finds it: in the PATH if its name has no slash. */
static void rec_program_file(const rec_options *o, char *file, size_t size)
{
    const char *name = o->program[0], *path = getenv("PATH");
    size_t n;
    snprintf(file, size, "%s", name);
    for (; strchr(name, '/') == NULL && path != NULL; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(file, size, "%.*s%s%s", (int)n, path, n != 0 ? "/" : "", name);
        if (access(file, X_OK) == 0 || path[n] == '\0') break;
    }
}

/* A line of /proc/PID/maps; the path is behind the first *path bytes. Returns 0 if it is none. */
int rec_parse_map(const char *line, rec_map *m, int *path)
{
    unsigned long begin, end, offset;
    memset(m, 0, sizeof *m);
    *path = 0;
    if (sscanf(line, "%lx-%lx %4s %lx %15s %lu %n", &begin, &end, m->access, &offset, m->device, &m->inode, path) < 6) {
        return 0;
    }
    m->begin = begin;
    m->end = end;
    m->offset = offset;
    return 1;
}

/* Refuses an output that is the program. */
int rec_spares_program(const tool_context *tool, const rec_options *o, const char *to)
{
    char file[PATH_MAX];
    if (o->pid == 0) rec_program_file(o, file, sizeof file);
    else snprintf(file, sizeof file, "/proc/%ld/exe", (long)o->pid);
    return output_spares(tool, to, file);
}

/* Whether a file gives who runs it rights that the kernel withholds from a program that is traced. */
static int rec_gives_rights(const char *file)
{
    struct stat info;
    if (geteuid() == 0 || stat(file, &info) != 0) return 0;
    return ((info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid()) ||
           ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && info.st_gid != getegid()) ||
           getxattr(file, "security.capability", NULL, 0) > 0;
}

/* Refuses a program that would not do, traced, what it does alone. */
int rec_has_rights(const recorder *r)
{
    char file[PATH_MAX];
    rec_program_file(&r->o, file, sizeof file);
    if (!rec_gives_rights(file)) return 1;
    fail(r->tool, "%s has rights of its own (set-user-ID or capabilities), which a traced program does not get: "
         "record it as root", file);
    return 0;
}

void rec_warn_of_rights(const recorder *r, pid_t pid)
{
    char file[64];
    snprintf(file, sizeof file, "/proc/%ld/exe", (long)pid);
    if (rec_gives_rights(file)) {
        warn(r->tool, "process %ld runs a program without the rights that its file gives (set-user-ID or "
             "capabilities), for it is traced", (long)pid);
    }
}

/* Starts the program, held before its exec until `go` is written to. Returns 1, or 0 with a message. */
int rec_spawn(recorder *r, int *go, int *failure)
{
    int hold[2], result[2];
    if (pipe2(hold, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0) {
        fail(r->tool, "cannot make a pipe: %s", strerror(errno));
        return 0;
    }
    fflush(NULL);
    r->pid = fork();
    if (r->pid < 0) {
        fail(r->tool, "cannot fork: %s", strerror(errno));
        return 0;
    }
    if (r->pid == 0) {
        char byte;
        int error;
        close(hold[1]);
        if (read(hold[0], &byte, 1) != 1) _exit(127);
        if (!r->o.aslr) personality(ADDR_NO_RANDOMIZE | (unsigned long)personality(0xffffffff));
        if (r->o.output == NULL || r->o.json) dup2(2, 1);
        sigaction(SIGINT, &r->interrupt, NULL);
        sigaction(SIGTERM, &r->terminate, NULL);
        execvp(r->o.program[0], r->o.program);
        error = errno;
        if (write(result[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    close(hold[0]);
    close(result[1]);
    *go = hold[1];
    *failure = result[0];
    return 1;
}

/* Why the exec failed, or 0; waits until it has happened. */
int rec_exec_error(int failure)
{
    int error = 0;
    ssize_t n;
    do { n = read(failure, &error, sizeof error); } while (n < 0 && errno == EINTR);
    close(failure);
    return n == (ssize_t)sizeof error ? error : 0;
}

/* The exit status a shell would show for how the program ended. */
int rec_exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 0;
}

/*
 * Waits for the end of a program that is not recorded any more; a second interrupt gets through to us or to
 * the process that waits for this one. Threads that
 * did not stop when recording ended are let go when they do.
 */
int rec_wait_for_end(recorder *r)
{
    pid_t tid;
    int status = 0;
    if (!r->guarded) {
        sigaction(SIGINT, &r->interrupt, NULL);
        sigaction(SIGTERM, &r->terminate, NULL);
    }
    if (r->o.stop) kill(r->pid, SIGKILL);
    for (;;) {
        tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno == EINTR) continue;
        if (tid < 0 || (tid == r->pid && !WIFSTOPPED(status))) break;
        if (WIFSTOPPED(status)) {
            const int quiet = status >> 16 != 0 || WSTOPSIG(status) == (SIGTRAP | 0x80);
            ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)(quiet ? 0 : WSTOPSIG(status)));
        }
    }
    r->status = status;
    return r->o.stop ? 0 : rec_exit_status(r->status);
}

void rec_summary(const recorder *r)
{
    char others[128] = "", released[64] = "";
    if (r->terminal) fputs("\r\033[K", stderr);
    if (r->threads + r->children != 0) {
        snprintf(others, sizeof others, "; not recorded: %llu other threads, %llu child processes%s",
                 (unsigned long long)r->threads, (unsigned long long)r->children,
                 r->children != 0 && !r->o.follow && !r->o.exact ? " (--follow-forks records them)" : "");
    }
    if (r->released != 0) {
        snprintf(released, sizeof released, "; let go for another tracer: %llu threads",
                 (unsigned long long)r->released);
    }
    note(r->tool, "%llu samples of %llu taken branches in %.1f s%s%s%s", (unsigned long long)r->samples,
         (unsigned long long)r->branches, rec_seconds() - r->began, others, released,
         rec_interrupted() ? "; stopped by a signal" : "");
}

#endif
