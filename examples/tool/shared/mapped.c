/* mapped.c - the files that a recording has mapped, to name them when none is the program */
#include "recording.h"

enum { MAPPED_MOST = 256, MAPPED_SHOWN = 8, MAPPED_LINE = 2048 };

struct mapped_file {
    char  *path;                  /* owned, ends in NUL                     */
    char   id[41];                /* build id as digits, empty: not known   */
    int    mapped;                /* 0: only its build id was told          */
};

/* The entry of a path, a new one if there is none; NULL if there are too many, or no memory. */
static mapped_file *mapped_entry(reader *r, const char *path, size_t size)
{
    mapped_file *f;
    size_t i;
    for (i = 0; i < r->mappings; i++)
        if (strlen(r->mapping[i].path) == size && memcmp(r->mapping[i].path, path, size) == 0) return &r->mapping[i];
    if (r->mappings == MAPPED_MOST) return NULL;
    if (r->mapping == NULL) r->mapping = (mapped_file *)calloc(MAPPED_MOST, sizeof *r->mapping);
    if (r->mapping == NULL) return NULL;
    f = &r->mapping[r->mappings];
    f->path = (char *)malloc(size + 1);
    if (f->path == NULL) return NULL;
    memcpy(f->path, path, size);
    f->path[size] = '\0';
    r->mappings++;
    return f;
}

/* Remembers the file of a mapping event, or of a build id. Without memory for it the file is not named. */
void mapped_add(reader *r, csspgo_item item, const csspgo_mmap *map)
{
    const int of_file = map->path_size != 0 && map->path[0] == '/' && (map->path_size < 2 || map->path[1] != '/');
    mapped_file *f;
    if (r->mapped || !of_file || (item == CSSPGO_ITEM_MMAP && !map->executable)) return;
    f = mapped_entry(r, map->path, map->path_size);
    if (f == NULL) return;
    f->mapped |= item == CSSPGO_ITEM_MMAP;
    if (map->build_id_size != 0) build_text(map->build_id, map->build_id_size, f->id);
}

/* Control characters of a recording do not reach the terminal. */
size_t mapped_name(char *to, const char *path, size_t room)
{
    size_t n;
    for (n = 0; path[n] != '\0' && n < room; n++) to[n] = path[n] < ' ' || path[n] == 127 ? '?' : path[n];
    return n;
}

/* 1 if a program by this name starts others: a shell, an interpreter. */
static int starts_others(const char *path)
{
    static const char *const names[] = { "sh", "dash", "bash", "zsh", "ksh", "busybox", "env", "make", "time", "perl",
                                         "python", "python3", "ruby" };
    const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path;
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(name, names[i], n) == 0 && strspn(name + n, ".0123456789") == strlen(name + n)) return 1;
    }
    return 0;
}

/* The mapped file that is the program by its build id, or by its name if one of them has none; NULL: none is. */
static const mapped_file *mapped_same(const reader *r, const char *own)
{
    const char *const path = r->programs->v->path, *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    size_t i;
    for (i = 0; i < r->mappings; i++) {
        const mapped_file *const f = &r->mapping[i];
        if (f->mapped && (*own != '\0' && *f->id != '\0' ? strcmp(f->id, own) == 0
                                                         : strcmp(strrchr(f->path, '/') + 1, name) == 0))
            return f;
    }
    return NULL;
}

/* A file of the program's build id that was mapped where the program has no segment. */
static void mapped_otherwise(const reader *r, const mapped_file *f)
{
    static const char says[] = "%s: %s was mapped, which has the same %s, but not as %s is laid out: that is %s; give "
                               "the one that ran, and name one that has its symbols by --debug-binary=FILE";
    const char *const how = *f->id != '\0' ? "build id" : "name";
    const char *const what = *f->id != '\0' ? "another file of the same build, as a separate debug file is"
                                            : "another program, another build, or a separate debug file";
    char safe[256];
    safe[mapped_name(safe, f->path, sizeof safe - 1)] = '\0';
    if (r->how.several) warn(r->tool, says, r->path, safe, how, r->programs->v->path, what);
    else fail(r->tool, says, r->path, safe, how, r->programs->v->path, what);
}

/*
 * Says that none of the files mapped is the program. Returns 1 if that is an error: of several recordings one may be of
 * another program, and without any file mapped nothing is said.
 */
int mapped_complain(const reader *r)
{
    static const char says[] = "%s: %s (%s%s) is not among the mapped files, which are, with their build ids: %s; "
                               "--perf-binary=NAME says which it is, --image-base=ADDR where it was%s";
    static const char follow[] = "; record what these start, too (csspgo record --follow-forks)";
    static const char with[] = "build id ", without[] = "without build id";
    const char *const program = r->programs->v->path, *known;
    const mapped_file *same;
    char line[MAPPED_LINE], own[41];
    size_t i, n = 0, shown = 0, all = 0, size;
    int starts = 0;
    const unsigned char *id = elf_build_id(&r->programs->v->loaded.elf, &size);
    build_text(id, size, own);
    known = *own != '\0' ? with : without;
    if ((same = mapped_same(r, own)) != NULL) return mapped_otherwise(r, same), !r->how.several;
    for (i = 0; i < r->mappings; i++) {
        const mapped_file *f = &r->mapping[i];
        all += f->mapped != 0;
        starts |= f->mapped && starts_others(f->path);
        if (!f->mapped || shown == MAPPED_SHOWN) continue;
        n += (size_t)snprintf(line + n, sizeof line - n, "%s", shown++ != 0 ? ", " : "");
        n += mapped_name(line + n, f->path, 128);
        n += (size_t)snprintf(line + n, sizeof line - n, *f->id != '\0' ? " (%s)" : "%s", f->id);
    }
    if (all == 0) return 0;
    if (all > shown) snprintf(line + n, sizeof line - n, " and %zu more", all - shown);
    else line[n] = '\0';
    if (r->how.several) warn(r->tool, says, r->path, program, known, own, line, starts ? follow : "");
    else fail(r->tool, says, r->path, program, known, own, line, starts ? follow : "");
    return !r->how.several;
}

void mapped_forget(reader *r)
{
    size_t i;
    for (i = 0; i < r->mappings; i++) free(r->mapping[i].path);
    free(r->mapping);
    r->mapping = NULL;
    r->mappings = 0;
}
