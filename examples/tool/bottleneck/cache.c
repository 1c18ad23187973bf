/* cache.c - models of blocks that were measured before, in a file for each CPU
 *
 * The file is text: a first line that says what was measured, then for each block "block N", its N instructions, its
 * model (examples/share/sim_model.h), and an empty line. It is only a saving: what cannot be read or written is
 * measured again.
 */
#include "bottleneck.h"
#include <fcntl.h>
#include <sys/stat.h>

enum { CACHE_MOST = 16 << 20 };   /* bytes: a larger file is begun anew */

static int cache_text_put(char **text, size_t *size, size_t *cap, const char *more)
{
    const size_t n = strlen(more);
    if (*size + n + 1 > *cap) {
        const size_t room = 2 * (*size + n) + 4096;
        char *const v = (char *)realloc(*text, room);
        if (v == NULL) return 0;
        *text = v;
        *cap = room;
    }
    memcpy(*text + *size, more, n + 1);
    *size += n;
    return 1;
}

/* The directory: --models, or what XDG_CACHE_HOME or HOME say. Returns 0: models are not kept. */
static int cache_directory(const bottleneck_run *r, char *to, size_t size)
{
    static const char *const variables[] = { "XDG_CACHE_HOME", "HOME" }, *const below[] = { "/csspgo", "/.cache/csspgo" };
    const char *const given = r->o[B_MODELS].text;
    size_t i;
    if (given != NULL) return *given != '\0' && (size_t)snprintf(to, size, "%s", given) < size;
    for (i = 0; i < 2; i++) {
        const char *const value = getenv(variables[i]);
        if (value != NULL && *value == '/') return (size_t)snprintf(to, size, "%s%s", value, below[i]) < size;
    }
    return 0;
}

/* Makes a directory and those above it. */
static void cache_make_directory(char *path)
{
    char *p;
    for (p = path + 1; *p != '\0'; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(path, 0777);
        *p = '/';
    }
    mkdir(path, 0777);
}

const char *hot_triple(const bottleneck_run *r)
{
    return r->in.image.elf.machine == ELF_AARCH64 ? "aarch64" : "x86_64";
}

void hot_cache_open(const bottleneck_run *r, hot_cache *c)
{
    char directory[3000], first[300];
    file_bytes f;
    size_t i;
    memset(c, 0, sizeof *c);
    if (!cache_directory(r, directory, sizeof directory) || strlen(r->mcpu) > 60) return;
    c->kept = snprintf(c->path, sizeof c->path, "%s/%s-%s%s.models", directory, hot_triple(r), r->mcpu,
                       r->o[B_ALIAS].number ? "-alias" : "") < (int)sizeof c->path;
    for (i = strlen(directory) + 1; c->path[i] != '\0'; i++) if (c->path[i] == '/') c->kept = 0;
    snprintf(first, sizeof first, "csspgo models 1: llvm-mca-19, %s\n\n", r->mcpu);
    if (c->kept && file_open_named(c->path, &f)) {
        if (f.size <= CACHE_MOST && f.size >= strlen(first) && memcmp(f.data, first, strlen(first)) == 0 &&
            memchr(f.data, '\0', f.size) == NULL) {
            c->text = (char *)malloc(f.size + 1);
            if (c->text != NULL) {
                memcpy(c->text, f.data, f.size);
                c->text[f.size] = '\0';
                c->size = f.size;
                c->cap = f.size + 1;
            }
        }
        file_close(&f);
    }
    if (c->text == NULL) c->kept = c->kept && cache_text_put(&c->text, &c->size, &c->cap, first);
}

/* The lines that a path's model stands behind. NULL: out of memory. */
static char *cache_key(const hot_path *p)
{
    char *key = NULL, number[40];
    size_t size = 0, cap = 0, i;
    int ok;
    snprintf(number, sizeof number, "\nblock %u\n", (unsigned)p->insns);
    ok = cache_text_put(&key, &size, &cap, number);
    for (i = 0; ok && i < p->insns; i++)
        ok = cache_text_put(&key, &size, &cap, p->text[i]) && cache_text_put(&key, &size, &cap, "\n");
    if (!ok) return free(key), NULL;
    return key;
}

const char *hot_cache_find(const hot_cache *c, const hot_path *p, size_t *size)
{
    char *const key = cache_key(p);
    const char *at = c->text != NULL && key != NULL ? strstr(c->text, key) : NULL, *end;
    if (at != NULL) at += strlen(key);
    free(key);
    if (at == NULL || strncmp(at, "model ", 6) != 0 || (end = strstr(at, "\n\n")) == NULL) return NULL;
    *size = (size_t)(end + 1 - at);
    return at;
}

void hot_cache_forget(hot_cache *c)
{
    char *const end = c->text != NULL ? strstr(c->text, "\n\n") : NULL;
    if (end == NULL) return;
    end[2] = '\0';
    c->size = (size_t)(end + 2 - c->text);
}

void hot_cache_put(hot_cache *c, const hot_path *p, const char *model)
{
    char *const key = c->kept ? cache_key(p) : NULL;
    const size_t before = c->size;
    const int ok = key != NULL && strstr(model, "\n\n") == NULL &&
                   cache_text_put(&c->text, &c->size, &c->cap, key + 1) &&
                   cache_text_put(&c->text, &c->size, &c->cap, model) &&
                   cache_text_put(&c->text, &c->size, &c->cap, "\n");
    free(key);
    if (ok) c->more = 1;
    else c->size = before;
    if (c->text != NULL) c->text[c->size] = '\0';
}

/* Writes what is new beside the file and moves it there, so that others never see half of it. */
void hot_cache_close(hot_cache *c)
{
    char path[sizeof c->path + 30], *slash;
    FILE *f;
    int fd, ok;
    if (c->more) {
        snprintf(path, sizeof path, "%s", c->path);
        slash = strrchr(path, '/');
        if (slash != NULL && slash != path) {
            *slash = '\0';
            cache_make_directory(path);
        }
        snprintf(path, sizeof path, "%s.XXXXXX", c->path);
        fd = mkstemp(path);
        f = fd >= 0 ? fdopen(fd, "w") : NULL;
        ok = f != NULL && fwrite(c->text, 1, c->size, f) == c->size;
        if (f != NULL) ok = fclose(f) == 0 && ok;
        if (fd >= 0 && (!ok || rename(path, c->path) != 0)) unlink(path);
    }
    free(c->text);
    memset(c, 0, sizeof *c);
}
