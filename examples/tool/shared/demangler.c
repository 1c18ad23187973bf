/* demangler.c - names as people write them: by the program's own reader, or by another program that the user names */
#include "tool.h"

#include "../demangle/demangle.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { ANSWERS = 4096, ANSWER_WAIT = 5000 };   /* answers that are kept; milliseconds until there is one */

typedef struct answer {           /* by name: the last of those whose GUIDs have the same place; text NULL: none      */
    char  *name, *text;
    size_t name_size, size;
} answer;

struct demangler_command {        /* a process that writes a line for each line, with a socket as input and output    */
    const char *command;
    pid_t       pid;
    int         fd;               /* -1: it is not asked any more                                                     */
    size_t      from, to;         /* of `in`: read but not taken                                                      */
    char        in[DEMANGLE_MOST];
    answer      kept[ANSWERS];
};

demangler_command *demangler_start(const tool_context *tool, const char *command)
{
    demangler_command *d = (demangler_command *)calloc(1, sizeof *d);
    int pair[2];
    if (d == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        fail(tool, "--demangler: %s", d == NULL ? "out of memory" : file_why());
        free(d);
        return NULL;
    }
    d->command = command;
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    d->pid = fork();
    if (d->pid == 0) {
        dup2(pair[1], 0);
        dup2(pair[1], 1);
        if (pair[1] > 1) close(pair[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(pair[1]);
    d->fd = pair[0];
    if (d->pid > 0) return d;
    fail(tool, "--demangler: %s", file_why());
    close(d->fd);
    free(d);
    return NULL;
}

void demangler_end(demangler_command *d)
{
    size_t i;
    if (d == NULL) return;
    if (d->fd >= 0) close(d->fd);
    while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR) continue;
    for (i = 0; i < ANSWERS; i++) {
        free(d->kept[i].name);
        free(d->kept[i].text);
    }
    free(d);
}

/* From now on names are those of the tool's own reader. Returns 0. */
static size_t demangler_give_up(const tool_context *tool, const char *why)
{
    demangler_command *d = tool->demangler;
    warn(tool, "--demangler: '%s' %s; csspgo's own names from here on", d->command, why);
    kill(d->pid, SIGTERM);
    close(d->fd);
    d->fd = -1;
    return 0;
}

/* 1 if the process can be read from (POLLIN) or written to (POLLOUT) before it has been waited for too long. */
static int demangler_ready(const demangler_command *d, short what)
{
    struct pollfd p = { d->fd, what, 0 };
    int n;
    do n = poll(&p, 1, ANSWER_WAIT);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

static int demangler_send(demangler_command *d, const char *text, size_t size)
{
    while (size != 0) {
        const ssize_t n = demangler_ready(d, POLLOUT) ? send(d->fd, text, size, MSG_NOSIGNAL) : -1;
        if (n < 0) return 0;
        text += n;
        size -= (size_t)n;
    }
    return 1;
}

/* Reads a line, cut at cap, without its end. Returns 0 after saying what is wrong, else 1. */
static int demangler_line(const tool_context *tool, char *out, size_t cap, size_t *size)
{
    demangler_command *d = tool->demangler;
    *size = 0;
    for (;;) {
        ssize_t n;
        while (d->from < d->to) {
            const char c = d->in[d->from++];
            if (c == '\n') return 1;
            if (*size < cap) out[(*size)++] = c;
        }
        if (!demangler_ready(d, POLLIN))
            return (int)demangler_give_up(tool, "did not answer a line with a line (if it keeps its output back: "
                                                "stdbuf -oL COMMAND)");
        n = recv(d->fd, d->in, sizeof d->in, 0);
        if (n <= 0) return (int)demangler_give_up(tool, "has ended");
        d->from = 0;
        d->to = (size_t)n;
    }
}

static size_t demangler_ask(const tool_context *tool, const char *name, size_t size, char *out, size_t cap)
{
    demangler_command *d = tool->demangler;
    answer *const a = &d->kept[csspgo_guid(name, size) % ANSWERS];
    size_t n;
    if (a->text != NULL && a->name_size == size && memcmp(a->name, name, size) == 0) {
        memcpy(out, a->text, n = a->size < cap ? a->size : cap);
        return n;
    }
    if (!demangler_send(d, name, size) || !demangler_send(d, "\n", 1)) return demangler_give_up(tool, "has ended");
    if (!demangler_line(tool, out, cap, &n)) return 0;
    if (n != 0 && out[n - 1] == '\r') n--;
    free(a->name);
    free(a->text);
    a->name = (char *)malloc(size + 1);
    a->text = (char *)malloc(n + 1);
    if (a->name == NULL || a->text == NULL) {
        free(a->text);
        a->text = NULL;
        return n;
    }
    memcpy(a->name, name, a->name_size = size);
    memcpy(a->text, out, a->size = n);
    return n;
}

/* The size of "FILE;" in FILE;NAME, a mangled NAME; 0: it is no such name. */
static size_t file_before(const char *name, size_t size)
{
    size_t n = size;
    while (n != 0 && name[n - 1] != ';') n--;
    return n != size && size - n > 2 && name[n] == '_' && (name[n + 1] == 'Z' || name[n + 1] == 'R') ? n : 0;
}

size_t shown_name(const tool_context *tool, const char *name, size_t size, char *out, size_t cap)
{
    size_t n = 0;
    const size_t file = file_before(name, size);
    if (!tool->demangle || size == 0 || size > cap) return 0;
    if (file != 0) {
        n = shown_name(tool, name + file, size - file, out + file, cap - file);
        memcpy(out, name, file);
        return n != 0 ? file + n : 0;
    }
    if (tool->demangler != NULL && tool->demangler->fd >= 0 && memchr(name, '\n', size) == NULL)
        n = demangler_ask(tool, name, size, out, cap);
    if (n != 0 && (n != size || memcmp(out, name, n) != 0)) return n;
    return demangle_clean(name, size, out, cap);
}
