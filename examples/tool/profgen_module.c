/* profgen_module.c - profgen: where a kernel module was loaded */
#include "profgen.h"

/*
 * The name of a module by its file's path, "[name]" or ".../name.ko", compressed or not. Returns its size. *module: 1 if
 * the path is one of these.
 */
static size_t module_name(const char **path, size_t size, int *module)
{
    static const char *const ends[] = { ".debug", ".xz", ".gz", ".zst", ".ko", ".o" };
    const char *p = *path;
    size_t i, n;
    *module = 1;
    if (size > 2 && p[0] == '[' && p[size - 1] == ']') return *path = p + 1, size - 2;
    for (i = size; i != 0 && p[i - 1] != '/'; i--) {}
    *path = p += i;
    size -= i;
    for (i = *module = 0; i < sizeof ends / sizeof *ends && !*module; i++) {
        n = strlen(ends[i]);
        if (n >= size || memcmp(p + size - n, ends[i], n) != 0) continue;
        size -= n;
        *module = ends[i][n - 1] == 'o';
    }
    return size;
}

/* 1 if a mapping is of the module of that name. The kernel writes _ for the - of a file's name. */
static int module_same(const char *a, size_t as, const char *b, size_t bs)
{
    int named, mapped;
    size_t n = module_name(&a, as, &named), i;
    if (n != module_name(&b, bs, &mapped) || !mapped) return 0;
    for (i = 0; i < n && (a[i] == '-' ? '_' : a[i]) == (b[i] == '-' ? '_' : b[i]); i++) {}
    return i == n;
}

/*
 * Its mapping begins with its code, whatever offset the event has: perf's are 0. Those that perf makes up for modules
 * loaded before may come without the right to execute; in user space that is a program that reads the file.
 */
int module_map(profgen *g, const csspgo_mmap *map)
{
    const char *const name = g->o[O_PERF_BINARY].text != NULL ? g->o[O_PERF_BINARY].text : g->binary;
    size_t size;
    const unsigned char *const id = elf_build_id(&g->image.elf, &size);
    if (!(map->executable || map->address >> 63 != 0) ||
        !module_same(name, strlen(name), map->path, map->path_size))
        return 0;
    if (id != NULL && map->build_id_size != 0 &&
        (map->build_id_size != size || memcmp(id, map->build_id, size) != 0))
        return warn(g->tool, "%s: samples of a module of the same name and another build id do not count", g->path), 0;
    g->bias = map->address - csspgo_code_base(g->image.code, g->image.module);
    return csspgo_code_map(g->image.code, g->image.module, g->bias, NULL) == CSSPGO_OK ? 1 : -1;
}

int module_complain(const profgen *g, const char *path)
{
    return fail(g->tool, "%s: no mapping event is of the kernel module %s; if it is an object file of a program, give "
                "what it was linked into", path, g->binary), 0;
}
