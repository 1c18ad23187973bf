/* first.c - order: --trace, which runs the program to get its trace
 *
 * The recorder of first executions is a part of the command record (record --first). This command calls that one in a
 * process of its own, because record divides in two processes, and reads the file that it has written: so there is one
 * recorder, and `record --first` makes the same traces for other machines and other runs.
 */
#include "order.h"

#include <sys/wait.h>

/* The file that execvp runs becomes the only binary, unless --binary names others. Returns 0 after an error. */
static int order_take_program(order_run *r, char **program)
{
    option *const o = &r->o[R_BINARY];
    if (o->count != 0) return 1;
    r->file = (char *)malloc(PATH_MAX);
    if (r->file == NULL) return fail(r->tool, "out of memory"), 0;
    program_file(program[0], r->file, PATH_MAX);
    o->list[o->count++] = r->file;
    o->text = r->file;
    return 1;
}

/* The process of the recorder: becomes `csspgo record --first`. */
static int order_record(order_run *r, const char *to, int count, char **program)
{
    static char record[] = "--first", file[] = "--output", binary[] = "--binary", follow[] = "--follow-forks",
                quiet[] = "--quiet", end[] = "--";
    const option *const o = &r->o[R_BINARY];
    char **const v = (char **)calloc(2 * o->count + (size_t)count + 8, sizeof *v);
    tool_context tool = *r->tool;
    size_t i;
    int n = 0, status;
    if (v == NULL) return fail(r->tool, "out of memory");
    v[n++] = record;
    v[n++] = file;
    v[n++] = (char *)(uintptr_t)to;
    for (i = 0; i < o->count; i++) {
        v[n++] = binary;
        v[n++] = (char *)(uintptr_t)o->list[i];
    }
    if (r->o[R_FOLLOW].number) v[n++] = follow;
    if (r->tool->quiet) v[n++] = quiet;
    v[n++] = end;
    memcpy(v + n, program, (size_t)count * sizeof *v);
    status = command_run(&tool, "record", n + count, v);
    free(v);
    return status;
}

/* Runs the recorder and waits. A key of the terminal ends the program or the recording, not this process. */
static int order_run_recorder(order_run *r, const char *to, int count, char **program, int *status)
{
    struct sigaction ignored, interrupt;
    pid_t child, got;
    memset(&ignored, 0, sizeof ignored);
    ignored.sa_handler = SIG_IGN;
    fflush(NULL);
    sigaction(SIGINT, &ignored, &interrupt);
    child = fork();
    if (child == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        if (r->o[R_OUTPUT].text == NULL || r->o[R_JSON].number || r->o[R_EVALUATE].number) dup2(2, 1);
        exit(order_record(r, to, count, program));
    }
    do { got = waitpid(child, status, 0); } while (child > 0 && got < 0 && errno == EINTR);
    sigaction(SIGINT, &interrupt, NULL);
    return (child > 0 && got == child) || (fail(r->tool, "cannot run the recorder: %s", strerror(errno)), 0);
}

int order_trace(order_run *r, int count, char **program)
{
    const char *const directory = getenv("TMPDIR");
    struct stat st;
    int status = 0, fd;
    if (!order_take_program(r, program) || !output_ready(r->tool, r->o[R_OUTPUT].text)) return 0;
    r->trace = (char *)malloc(PATH_MAX);
    if (r->trace == NULL) return fail(r->tool, "out of memory"), 0;
    snprintf(r->trace, PATH_MAX, "%s/csspgo-XXXXXX", directory != NULL && *directory != '\0' ? directory : "/tmp");
    fd = mkstemp(r->trace);
    if (fd < 0) return fail(r->tool, "%s: %s", r->trace, strerror(errno)), 0;
    close(fd);
    if (!order_run_recorder(r, r->trace, count, program, &status)) return 0;
    if (stat(r->trace, &st) != 0 || st.st_size == 0) return 0;             /* the recorder has said why */
    if (status != 0)
        warn(r->tool, "%s ended with status %d", program[0], WIFEXITED(status) ? WEXITSTATUS(status)
                                                                              : 128 + WTERMSIG(status));
    return 1;
}

void order_trace_free(order_run *r)
{
    if (r->trace != NULL) unlink(r->trace);
    free(r->trace);
    free(r->file);
}
