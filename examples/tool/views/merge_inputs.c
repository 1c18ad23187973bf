/* merge_inputs.c - merge: which inputs */
#include "views.h"

#include <dirent.h>

static int merge_push(merge *m, const char *path, uint64_t weight)
{
    if (m->inputs == m->cap) {
        merge_input *more = (merge_input *)realloc(m->input, (2 * m->cap + 16) * sizeof *more);
        if (more == NULL) return fail(m->tool, "out of memory"), 0;
        m->input = more;
        m->cap = 2 * m->cap + 16;
    }
    memset(&m->input[m->inputs], 0, sizeof *m->input);
    m->input[m->inputs].weight = weight;
    m->input[m->inputs].path = strdup(path);
    return m->input[m->inputs++].path != NULL || (fail(m->tool, "out of memory"), 0);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const merge_input *)a)->path, ((const merge_input *)b)->path);
}

/* An input that cannot be opened. LLVM leaves an empty name out. */
static int fail_input(const tool_context *tool, const char *path)
{
    const char *why = file_why();
    return tool->compat && *path == '\0' ? fail(tool, "%s", why) : fail(tool, "%s: %s", path, why);
}

/* An input that is not there. Returns 1 if it may be left out. */
static int merge_missing(merge *m, const char *path)
{
    if (m->tool->compat || m->o[M_FAILURE].number == 0) return fail_input(m->tool, path), 0;
    warn(m->tool, "%s: %s", path, file_why());
    m->skipped++;
    return 1;
}

/* The directories on the way to one: a link that leads back to one of them is not followed. */
typedef struct merge_parents {
    const struct merge_parents *up;
    dev_t device;
    ino_t inode;
} merge_parents;

/* The paths of what is in a directory, in its order; `*error` is 0, or that of the first call that fails. */
static char **merge_paths(const char *path, size_t *count, int *error)
{
    const char *slash = *path != '\0' && path[strlen(path) - 1] == '/' ? "" : "/";
    const struct dirent *entry = NULL;
    char **v = NULL;
    DIR *d = opendir(path);
    *count = 0;
    while (d != NULL && (errno = 0, entry = readdir(d)) != NULL) {
        const size_t size = strlen(path) + strlen(entry->d_name) + 2;
        char **more;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (strncmp(entry->d_name, OUTPUT_TEMPORARY, strlen(OUTPUT_TEMPORARY)) == 0) continue;
        if ((*count & (*count + 1)) == 0) {
            more = (char **)realloc(v, (2 * *count + 2) * sizeof *v);
            if (more == NULL) break;
            v = more;
        }
        if ((v[*count] = (char *)malloc(size)) == NULL) break;
        snprintf(v[(*count)++], size, "%s%s%s", path, slash, entry->d_name);
    }
    *error = d != NULL && entry != NULL ? ENOMEM : errno;
    if (d != NULL) closedir(d);
    return v;
}

static int merge_add_below(merge *m, const char *path, const merge_parents *up, uint64_t weight);

/* What is in a directory: regular files are inputs, except temporary ones of an output being written. */
static int merge_add_entry(merge *m, const char *path, const merge_parents *up, uint64_t weight)
{
    const merge_parents *parent = up;
    merge_parents here;
    struct stat st;
    if (stat(path, &st) != 0) {
        const int error = errno, link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
        if (m->tool->compat || (link && (error == ENOENT || error == ELOOP))) return 1;    /* a link to nothing */
        errno = error;
        return merge_missing(m, path);
    }
    if (!S_ISDIR(st.st_mode)) return !S_ISREG(st.st_mode) || merge_push(m, path, weight);
    while (parent != NULL && (parent->device != st.st_dev || parent->inode != st.st_ino)) parent = parent->up;
    if (parent != NULL) return 1;
    here.up = up;
    here.device = st.st_dev;
    here.inode = st.st_ino;
    return merge_add_below(m, path, &here, weight);
}

/* As deep as a path is long at most, PATH_MAX / 2. */
static int merge_add_below(merge *m, const char *path, const merge_parents *up, uint64_t weight)
{
    size_t n, i;
    int error, ok = 1;
    char **v = merge_paths(path, &n, &error);
    if (error == ENOMEM) ok = (fail(m->tool, "out of memory"), 0);
    for (i = 0; i < n; i++) {
        ok = ok && merge_add_entry(m, v[i], up, weight);
        free(v[i]);
    }
    free(v);
    errno = error;
    return ok && (error == 0 || m->tool->compat || merge_missing(m, path));
}

/* All regular files below a directory, sorted by path. LLVM takes those that it can see, in the directory's order. */
static int merge_add_directory(merge *m, const char *path, uint64_t weight)
{
    const size_t first = m->inputs;
    const int ok = merge_add_entry(m, path, NULL, weight);
    if (!m->tool->compat && m->inputs != first) qsort(m->input + first, m->inputs - first, sizeof *m->input, by_path);
    return ok;
}

static int merge_add(merge *m, const char *path, uint64_t weight)
{
    struct stat st;
    if (strcmp(path, "-") == 0) return merge_push(m, path, weight);
    if (stat(path, &st) != 0) return merge_missing(m, path);
    if (S_ISDIR(st.st_mode)) return merge_add_directory(m, path, weight);
    if (!S_ISREG(st.st_mode) && m->tool->compat) return 1;     /* LLVM overlooks pipes */
    return merge_push(m, path, weight);
}

/* "WEIGHT,FILE" */
static int merge_add_weighted(merge *m, const char *text)
{
    const char *comma = strchr(text, ',');
    char number[24];
    uint64_t weight = 0;
    if (comma != NULL && (size_t)(comma - text) < sizeof number) {
        memcpy(number, text, (size_t)(comma - text));
        number[comma - text] = '\0';
        if (!is_number(number, &weight)) weight = 0;
    }
    if (weight == 0) {
        m->usage = usage(m->tool, "input weight must be a positive integer");
        return 0;
    }
    return merge_add(m, comma + 1, weight);
}

/* The next line of a list without blanks around it, as a copy; NULL at the end. */
char *list_next(const file_bytes *f, size_t *at)
{
    const char *text = (const char *)f->data;
    size_t begin = *at, end;
    if (begin >= f->size) return NULL;
    for (end = begin; end < f->size && text[end] != '\n';) end++;
    *at = end + 1;
    while (begin < end && strchr(" \t\v\f\r", text[begin]) != NULL && text[begin] != '\0') begin++;
    while (begin < end && strchr(" \t\v\f\r", text[end - 1]) != NULL && text[end - 1] != '\0') end--;
    return strndup(text + begin, end - begin);
}

static int merge_add_list(merge *m, const char *path)
{
    file_bytes f;
    size_t at = 0;
    char *line;
    int ok = 1;
    if (!file_open(path, &f)) return fail_input(m->tool, path), 0;
    ok = kind_is_lines(m->tool, path, f.data, f.size);
    while (ok && (line = list_next(&f, &at)) != NULL) {
        if (*line != '\0' && *line != '#')
            ok = strchr(line, ',') != NULL ? merge_add_weighted(m, line) : merge_add(m, line, 1);
        free(line);
    }
    file_close(&f);
    return ok;
}

/* Returns 0 after saying what is wrong. */
int merge_inputs(merge *m, int files, char **argv)
{
    int i;
    size_t k;
    for (i = 0; i < files; i++)
        if (!merge_add(m, argv[i], 1)) return 0;
    for (k = 0; k < m->o[M_WEIGHTED].count; k++)
        if (!merge_add_weighted(m, m->o[M_WEIGHTED].list[k])) return 0;
    return m->o[M_LIST].text == NULL || *m->o[M_LIST].text == '\0' || merge_add_list(m, m->o[M_LIST].text);
}

/* "OLD NEW", one pair a line. */
int merge_read_renames(merge *m, const char *path)
{
    const char *p, *end, *stop, *space;
    unsigned line = 0;
    if (!file_open(path, &m->remap)) return fail(m->tool, "%s: %s", path, file_why()), 0;
    if (!kind_is_lines(m->tool, path, m->remap.data, m->remap.size)) return 0;
    p = (const char *)m->remap.data;
    for (end = p + m->remap.size; p < end; p = stop + 1) {
        size_t n;
        stop = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (stop == NULL) stop = end;
        line++;
        n = (size_t)(stop - p);
        if (n != 0 && p[n - 1] == '\r') n--;
        if (n == 0 || *p == '#') continue;
        space = (const char *)memchr(p, ' ', n);
        if (space == NULL || space == p || space + 1 == p + n ||
            memchr(space + 1, ' ', n - (size_t)(space + 1 - p)) != NULL) {
            fail(m->tool, "%s:%u: unexpected line in remapping file", path, line);
            return fputs("note: expected 'old_symbol new_symbol'\n", stderr), 0;
        }
        if ((m->renames & (m->renames + 1)) == 0 || m->rename == NULL) {
            csspgo_rename *more = (csspgo_rename *)realloc(m->rename, (2 * m->renames + 2) * sizeof *more);
            if (more == NULL) return fail(m->tool, "out of memory"), 0;
            m->rename = more;
        }
        m->rename[m->renames].from = p;
        m->rename[m->renames].from_size = (size_t)(space - p);
        m->rename[m->renames].to = space + 1;
        m->rename[m->renames++].to_size = n - (size_t)(space + 1 - p);
    }
    return 1;
}
