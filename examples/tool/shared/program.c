/* program.c - opens programs, each with the separate files that have what it was stripped of
 *
 * Who needs symbols, debug information or probes of a program takes them from load_from(): the one place that knows
 * in which file they are.
 */
#include "tool.h"

typedef struct search {
    const tool_context *tool;
    loaded     *l;
    const char *binary;
    unsigned    kinds;            /* that are looked for: bits 1 << LOAD_SYMBOLS ... */
    int         failed;           /* memory was exhausted */
} search;

/* CRC-32 as .gnu_debuglink has it (IEEE 802.3, reflected). */
static uint32_t crc32_of(const unsigned char *p, size_t size)
{
    uint32_t table[256], crc = 0xffffffff, i;
    int k;
    for (i = 0; i < 256; i++) {
        table[i] = i;
        for (k = 0; k < 8; k++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    for (; size != 0; size--) crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
    return ~crc;
}

/* "symbols, lines, probes" */
static void kinds_text(unsigned kinds, char *text, size_t size)
{
    static const char *const names[] = { "symbols", "lines", "probes", "names and checksums of probes" };
    const char *between = "";
    size_t n = 0;
    unsigned i;
    text[0] = '\0';
    for (i = 0; i < LOAD_KINDS; i++) {
        if (!(kinds & 1u << i) || (i == LOAD_DESCRIPTORS && kinds & 1u << LOAD_PROBES)) continue;
        n += (size_t)snprintf(text + n, size - n, "%s%s", between, names[i]);
        between = ", ";
    }
}

static int is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* ----- the search ------------------------------------------------------------------------------------------------- */

/* 1 if the file may be looked at: it is there, and neither the program nor a file that is in use. */
static int search_wants(search *s, const char *path)
{
    unsigned i;
    if (access(path, F_OK) != 0 || is_same_file(path, s->binary)) return 0;
    for (i = 0; i < s->l->others; i++)
        if (is_same_file(path, s->l->other[i].path)) return 0;
    return 1;
}

/* Takes what a file has, if it is there and of this build; crc: NULL, or its checksum. Says so if it is not used. */
static void search_file(search *s, const char *path, const uint32_t *crc)
{
    char why[200], text[100];
    load_other f;
    unsigned takes;
    int ok;
    if (!search_wants(s, path)) return;
    ok = load_open_other(&f, path, why, sizeof why);
    s->failed |= ok < 0;
    ok = ok > 0;
    if (ok && crc != NULL && crc32_of(f.file.data, f.file.size) != *crc)
        ok = load_fail(why, sizeof why, "its checksum is not the one in .gnu_debuglink");
    ok = ok && load_same_build(&s->l->elf, &f.elf, why, sizeof why);
    if (!ok) {
        if (!s->tool->compat) warn(s->tool, "%s: debug information is not taken from %s: %s", s->binary, path, why);
        load_close_other(&f);
        return;
    }
    takes = load_take(s->l, &f, s->kinds, 0);
    kinds_text(takes, text, sizeof text);
    if (takes != 0 && !s->tool->compat) note(s->tool, "debug information is taken from %s: %s", path, text);
}

/* The same of a file of this name in a directory, maybe one below it, and maybe all that below a root. */
static void search_place(search *s, const char *root, const char *directory, const char *below, const char *name,
                         const uint32_t *crc)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s%s%s%s", root, directory, below, name);
    if (n > 0 && (size_t)n < sizeof path) search_file(s, path, crc);
}

/* Where trees of debug files begin: number i; NULL behind the last one. */
static const char *search_root(search *s, size_t i)
{
    const option *const o = option_named(s->tool->o, "debug-file-directory", 20);
    if (o != NULL && o->count != 0) return i < o->count ? o->list[i] : NULL;
    return i == 0 ? "/usr/lib/debug" : NULL;
}

/* /.build-id/xx/yyyy.debug; room for ID_NAME bytes. Returns 0: there is no such id. */
enum { ID_MOST = 64, ID_NAME = 2 * ID_MOST + 30 };
static int id_name(const unsigned char *id, size_t n, char *name)
{
    size_t i, at = (size_t)sprintf(name, "/.build-id/");
    if (id == NULL || n < 2 || n > ID_MOST) return 0;
    for (i = 0; i < n; i++) at += (size_t)sprintf(name + at, i == 0 ? "%02x/" : "%02x", id[i]);
    strcpy(name + at, ".debug");
    return 1;
}

/*
 * A directory of debuginfod's clients: number i; 0 behind the last one. What they were told is not there is an empty
 * file. Nothing is asked for over the network.
 */
static int cache_root(size_t i, char *to, size_t size)
{
    static const char *const variables[] = { "DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME", "HOME" };
    static const char *const below[] = { "", "/debuginfod_client", "/.cache/debuginfod_client",
                                         "/.debuginfod_client_cache" };
    const char *const value = i < 4 ? getenv(variables[i]) : NULL;
    const int n = value != NULL && *value == '/' ? snprintf(to, size, "%s%s", value, below[i]) : 0;
    if (i >= 4) return 0;
    if (n <= 0 || (size_t)n >= size) *to = '\0';
    return 1;
}

/* What debuginfod's clients have of an id; to: room for 4096 bytes. Returns 0: nothing. */
static int cached_file(const unsigned char *id, size_t n, char *to)
{
    char root[4096];
    struct stat st;
    size_t i, k;
    if (id == NULL || n < 2 || n > ID_MOST) return 0;
    for (i = 0; cache_root(i, root, sizeof root - ID_NAME); i++) {
        size_t at = (size_t)sprintf(to, "%.3800s/", root);
        for (k = 0; k < n; k++) at += (size_t)sprintf(to + at, "%02x", id[k]);
        strcpy(to + at, "/debuginfo");
        if (*root != '\0' && stat(to, &st) == 0 && S_ISREG(st.st_mode) && st.st_size != 0) return 1;
    }
    return 0;
}

/* ROOT/.build-id/xx/yyyy.debug, and what debuginfod's clients have fetched. */
static void search_build_id(search *s)
{
    char name[ID_NAME], path[4096];
    size_t n, i;
    const unsigned char *const id = elf_build_id(&s->l->elf, &n);
    const char *root;
    if (!id_name(id, n, name)) return;
    for (i = 0; (root = search_root(s, i)) != NULL; i++) search_place(s, root, "", "", name, NULL);
    if (!s->tool->compat && load_lacks(s->l) & s->kinds && cached_file(id, n, path)) search_file(s, path, NULL);
}

/* The directory of a path, with the slash at its end; "./" if it names none. Returns 0 if it is too long. */
static int directory_of(const char *path, char *to, size_t size)
{
    const char *const slash = strrchr(path, '/');
    const int n = slash != NULL ? snprintf(to, size, "%.*s", (int)(slash - path) + 1, path) : snprintf(to, size, "./");
    return n > 0 && (size_t)n < size;
}

/*
 * Beside the program, in .debug there, and where its directory is below a root. If links lead to the program, also
 * where it really is.
 */
static void search_beside(search *s, const char *name, const uint32_t *crc)
{
    char *const real = realpath(s->binary, NULL);
    char own[4096], other[4096];
    const char *root;
    size_t i;
    if (directory_of(s->binary, own, sizeof own)) {
        const char *const from = strchr(s->binary, '/') != NULL ? own : "";
        search_place(s, "", from, "", name, crc);
        search_place(s, "", from, ".debug/", name, crc);
    }
    if (real != NULL && directory_of(real, other, sizeof other)) {
        if (!is_same_file(own, other)) search_place(s, "", other, "", name, crc);
        if (!is_same_file(own, other)) search_place(s, "", other, ".debug/", name, crc);
        for (i = 0; (root = search_root(s, i)) != NULL; i++) search_place(s, root, other, "", name, crc);
    }
    free(real);
}

/*
 * The file that .gnu_debuglink names, of which it has the checksum. It is taken even if the program has something of
 * each kind: strip may leave a part of the symbols. Returns 0 if none is named.
 */
static int search_link(search *s)
{
    const elf_image *const e = &s->l->elf;
    const char *name;
    elf_section link;
    size_t n;
    uint32_t crc;
    if (!elf_section_named(e, ".gnu_debuglink", &link) || link.contents == NULL || link.compressed || link.size < 8)
        return 0;
    name = (const char *)link.contents;
    n = strnlen(name, (size_t)link.size - 4);
    if (n == 0 || (n | 3) + 1 > link.size - 4 || memchr(name, '/', n) != NULL) return 0;
    crc = elf__32(link.contents + link.size - 4);
    search_beside(s, name, &crc);
    if (s->l->others != 0) return 1;
    s->l->missing = strdup(name);
    s->failed |= s->l->missing == NULL;
    return 1;
}

/* Without a link: names that are usual. The build id says whether it is the file. */
static void search_usual(search *s)
{
    const char *const slash = strrchr(s->binary, '/'), *const base = slash != NULL ? slash + 1 : s->binary;
    char name[1024];
    size_t n;
    if (elf_build_id(&s->l->elf, &n) == NULL || strlen(base) + sizeof ".debug" > sizeof name) return;
    sprintf(name, "%s.debug", base);
    search_beside(s, name, NULL);
    search_beside(s, base, NULL);
}

/* ----- what debug information shares with that of other programs (dwz -m) ------------------------------------------ */

/* 1 if a file is the one that .gnu_debugaltlink means, by its build id. */
static int is_alt(const char *path, const unsigned char *id, size_t size)
{
    const unsigned char *its;
    elf_image e;
    file_bytes f;
    size_t n;
    int ok;
    if (!file_open_named(path, &f)) return 0;
    its = elf_open(f.data, f.size, &e, NULL, 0) ? elf_build_id(&e, &n) : NULL;
    ok = its != NULL && n == size && memcmp(its, id, n) == 0;
    file_close(&f);
    return ok;
}

/* Looks in a place; the file that is meant is noted. Returns 1 if it is there. */
static int alt_take(search *s, const char *first, const char *second, const unsigned char *id, size_t size)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s%s", first, second);
    if (n <= 0 || (size_t)n >= sizeof path || !is_alt(path, id, size)) return 0;
    s->l->alt = strdup(path);
    s->failed |= s->l->alt == NULL;
    note(s->tool, "debug information is taken from %s: what it shares with other programs", path);
    return 1;
}

/* The file of .gnu_debugaltlink: as it is named, beside the file that names it, or by its build id. */
static void search_alt(search *s)
{
    const char *const from = load_from_path(s->l, LOAD_LINES, s->binary), *root, *name;
    char directory[4096], by_id[ID_NAME];
    const unsigned char *id;
    elf_section link;
    size_t n, size, i;
    if (!elf_section_named(load_from(s->l, LOAD_LINES), ".gnu_debugaltlink", &link) || link.contents == NULL) return;
    name = (const char *)link.contents;
    n = link.compressed ? 0 : strnlen(name, (size_t)link.size);
    if (n == 0 || n == link.size) return;
    id = link.contents + n + 1;
    size = (size_t)link.size - n - 1;
    if (*name == '/' && alt_take(s, "", name, id, size)) return;
    if (*name != '/' && directory_of(from, directory, sizeof directory) && alt_take(s, directory, name, id, size))
        return;
    if (id_name(id, size, by_id))
        for (i = 0; (root = search_root(s, i)) != NULL; i++)
            if (alt_take(s, root, by_id, id, size)) return;
    if (cached_file(id, size, directory) && alt_take(s, directory, "", id, size)) return;
    warn(s->tool, "%s: %s, which its .gnu_debugaltlink names, was not found: names and lines that it shares with other "
         "programs (dwz -m) are missing", from, name);
}

/* ----- the program ------------------------------------------------------------------------------------------------ */

/* 1 if a file is of the build of another program of the command line. */
static int is_of_another(const tool_context *tool, const char *path, const char *debug)
{
    const option *const o = option_named(tool->o, "binary", 6);
    char why[200];
    load_other f, p;
    size_t i;
    int found = 0;
    if (o == NULL || o->kind != OPT_LIST || load_open_other(&f, debug, why, sizeof why) != 1) return 0;
    for (i = 0; i < o->count && !found; i++) {
        if (strcmp(o->list[i], path) == 0 ||
            load_open_other(&p, o->list[i], why, sizeof why) != 1)
            continue;
        found = load_same_build(&p.elf, &f.elf, why, sizeof why);
        load_close_other(&p);
    }
    load_close_other(&f);
    return found;
}

/* The other files of a program that was opened. Returns 0 with a sentence in why. */
static int program_others(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size)
{
    const option *const debug = option_named(tool->o, "debug-binary", 12);
    search s;
    size_t i;
    if (l->elf.section_count <= 1 && !tool->compat)
        return load_fail(why, why_size, "its section headers were stripped: which bytes are code is not known");
    i = tool->compat && debug != NULL && debug->count != 0 ? debug->count - 1 : 0;       /* LLVM takes the last one */
    for (; debug != NULL && i < debug->count; i++)
        if (!load_debug(l, debug->list[i], why, why_size) && !is_of_another(tool, path, debug->list[i])) return 0;
    if (tool->compat && i != 0) return 1;
    s.tool = tool;
    s.l = l;
    s.binary = path;
    s.kinds = tool->compat ? 1u << LOAD_LINES : (1u << LOAD_KINDS) - 1;   /* LLVM's tool finds nothing else there */
    s.failed = 0;
    if (load_lacks(l) & s.kinds) search_build_id(&s);
    if (!search_link(&s) && load_lacks(l) & s.kinds && !tool->compat) search_usual(&s);
    if (!tool->compat && !(load_lacks(l) & 1u << LOAD_LINES)) search_alt(&s);
    if (!tool->compat) minidebug_take(tool, l, path);
    return !s.failed || load_fail(why, why_size, "out of memory");
}

int program_open(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size)
{
    return load_files(l, path, NULL, why, why_size) && program_others(tool, l, path, why, why_size);
}

int program_open_module(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size)
{
    return load_placed(l, path, why, why_size) && program_others(tool, l, path, why, why_size);
}

int program_lacks(const loaded *l, const char *what, char *why, size_t why_size)
{
    if (l->missing == NULL) snprintf(why, why_size, "no %s; name the file that has them: --debug-binary=FILE", what);
    else snprintf(why, why_size, "no %s; %s, which its .gnu_debuglink names, was not found: --debug-binary=FILE", what,
                  l->missing);
    return 0;
}

void program_missing(const tool_context *tool, const loaded *l, const char *path, const char *without)
{
    if (l->missing != NULL)
        warn(tool, "%s: %s, which its .gnu_debuglink names, was not found: %s", path, l->missing, without);
}
