/* follow.c - profgen: the code map follows mapping events: in compat mode, for the kernel and its modules
 *
 * Else address spaces move samples to where the code map has the programs. Also --image-base, of recordings without
 * mapping events.
 */
#include "profgen.h"

/* --image-base: where the first byte of the program is unless mapping events say otherwise. */
int follow_base(const tool_context *tool, const option *o, programs *p)
{
    const loaded *const l = &p->v->loaded;
    elf_segment s;
    uint32_t i;
    if (o[O_IMAGE_BASE].text == NULL) return 1;
    memset(&s, 0, sizeof s);
    for (i = 0; i < l->elf.segment_count; i++)
        if (elf_segment_at(&l->elf, i, &s) && s.type == ELF_LOAD) break;
    p->bias = (uint64_t)o[O_IMAGE_BASE].number - (s.address & ~(uint64_t)4095);
    return csspgo_code_set_bias(l->code, l->module, p->bias, NULL) == CSSPGO_OK ||
           (fail(tool, "out of memory"), 0);
}

/* ----- a module of the kernel ------------------------------------------------------------------------------------- */

/*
 * The name of a module by its file's path, "[name]" or ".../name.ko", compressed or not. Returns its size. *module: 1
 * if the path is one of these.
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
static int module_map(const reader *r, const csspgo_mmap *map)
{
    programs *const p = r->programs;
    const loaded *const l = &p->v->loaded;
    const char *const name = r->how.perf_binary != NULL ? r->how.perf_binary : p->v->path;
    size_t size;
    const unsigned char *const id = elf_build_id(&l->elf, &size);
    if (!(map->executable || map->address >> 63 != 0) ||
        !module_same(name, strlen(name), map->path, map->path_size))
        return 0;
    if (id != NULL && map->build_id_size != 0 &&
        (map->build_id_size != size || memcmp(id, map->build_id, size) != 0))
        return warn(r->tool, "%s: samples of a module of the same name and another build id do not count", r->path),
               0;
    p->bias = map->address - csspgo_code_base(l->code, l->module);
    return csspgo_code_set_bias(l->code, l->module, p->bias, NULL) == CSSPGO_OK ? 1 : -1;
}

/* ----- a program, and the kernel ---------------------------------------------------------------------------------- */

/* Run-time - link-time addresses after a mapping; old: if it is not of the first executable segment. */
static uint64_t bias_after(const loaded *l, const csspgo_mmap *map, uint64_t old)
{
    const uint64_t base = csspgo_code_base(l->code, l->module);
    elf_segment s;
    uint32_t i;
    for (i = 0; i < l->elf.segment_count; i++)
        if (elf_segment_at(&l->elf, i, &s) && s.type == ELF_LOAD && s.flags & ELF_FLAG_X)
            return (s.offset & ~(uint64_t)4095) == map->file_offset ? map->address - base : old;
    return old;
}

/*
 * Run-time - link-time addresses of the kernel. Its mapping begins at the symbol that the event is named after, and its
 * offset is that symbol's address, too. LLVM, and a program without the symbol: at the first executable segment.
 */
static uint64_t kernel_bias(const loaded *l, const csspgo_mmap *map, const char *symbol, int llvm)
{
    const elf_image *const e = load_symbols(l);
    const size_t n = strlen(symbol);
    uint32_t i;
    for (i = 1; !llvm && n != 0 && i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED) continue;
        if (y.name_size == n && memcmp(y.name, symbol, n) == 0)
            return (map->file_offset != 0 ? map->file_offset : map->address) - y.value;
    }
    return map->address - csspgo_code_base(l->code, l->module);
}

/* A mapping for --kernel. Returns 1: it is the kernel's; 0: another one; -1: it cannot be there. */
static int map_kernel(const reader *r, const csspgo_mmap *map)
{
    programs *const p = r->programs;
    const loaded *const l = &p->v->loaded;
    static const char name[] = "[kernel.kallsyms]", *const symbols[] = { "", "_stext", "_text" };
    const size_t n = sizeof name - 1;
    size_t i;
    if (map->path_size < n || memcmp(map->path, name, n) != 0) return 0;
    for (i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (strlen(symbols[i]) != map->path_size - n) continue;
        if (memcmp(map->path + n, symbols[i], map->path_size - n) != 0) continue;
        p->bias = kernel_bias(l, map, symbols[i], r->tool->compat);
        return csspgo_code_set_bias(l->code, l->module, p->bias, NULL) == CSSPGO_OK ? 1 : -1;
    }
    return 0;
}

/* LLVM's main branch says that the last mapping counts, of whichever process. */
static void tell_reload(reader *r, const csspgo_mmap *map)
{
    if (r->tool->compat >= 22 && r->mapped && map->pid != r->mapped_pid && map->address != r->mapped_at)
        warn(r->tool, "Binary previously loaded in process ID %" PRIu32 " at 0x%" PRIx64 " was reloaded in process ID %"
             PRIu32 " at 0x%" PRIx64 ". If profiling multiple processes running concurrently, use "
             "--multi-process-profile to prevent loss of samples.", r->mapped_pid, r->mapped_at, map->pid,
             map->address);
    r->mapped_pid = map->pid;
    r->mapped_at = map->address;
}

/* --page-size of LLVM's main branch: a mapping on larger pages. 1: it is of a segment of code, which moves; -1: not. */
static int map_pages(const reader *r, const csspgo_mmap *map)
{
    programs *const p = r->programs;
    const loaded *const l = &p->v->loaded;
    elf_segment s;
    uint32_t i;
    for (i = 0; r->tool->compat >= 22 && r->how.page > 4096 && i < l->elf.segment_count; i++) {
        if (!elf_segment_at(&l->elf, i, &s) || s.type != ELF_LOAD || !(s.flags & ELF_FLAG_X)) continue;
        if ((s.offset & ~(r->how.page - 1)) != map->file_offset) continue;
        p->bias = map->address - (s.address & ~(r->how.page - 1));
        return csspgo_code_set_bias(l->code, l->module, p->bias, NULL) == CSSPGO_OK ? 1 : -1;
    }
    return -1;
}

/* The code map follows the last mapping event. */
int follow_map(reader *r, const csspgo_mmap *map)
{
    programs *const p = r->programs;
    const loaded *const l = &p->v->loaded;
    const csspgo_mmap named = windows_map(p, CSSPGO_ITEM_MMAP, map);
    csspgo_mmap meant = *map;
    csspgo_error e;
    csspgo_status s = CSSPGO_OK;
    int hit, paged = 0;
    if (l->object) hit = module_map(r, map);
    else if (r->how.kernel) hit = map_kernel(r, map);
    else {
        if (map->path_size != 0 && memchr(map->path, '\\', map->path_size) != NULL) {
            meant = named;
            meant.file_offset &= ~(uint64_t)4095;
        }
        s = csspgo_code_mmap(l->code, &meant, &hit, &e);
        paged = s == CSSPGO_OK && hit != 0 && map_pages(r, map) > 0;
        if (paged) hit = 1;
    }
    if (s != CSSPGO_OK) return fail(r->tool, "%s", plain(&e)), 0;
    if (hit < 0)
        warn(r->tool, "a mapping of %s at 0x%llx fits none of its segments", p->v->path,
             (unsigned long long)map->address);
    if (hit > 0) tell_reload(r, map);
    if (hit > 0 && !r->how.kernel && !paged) p->bias = bias_after(l, &meant, p->bias);
    r->mapped |= hit > 0;
    return 1;
}
