/* views_names.c - names for GUIDs */
#include "views.h"

static void views_names_add(views_names *v, const char *name, size_t size)
{
    if (size == 0 || v->text.failed) return;
    if (v->count == v->cap) {
        const size_t cap = v->cap != 0 ? 2 * v->cap : 256;
        views_name *names =
            cap <= SIZE_MAX / sizeof *names ? (views_name *)realloc(v->names, cap * sizeof *names) : NULL;
        if (names == NULL) {
            v->text.failed = 1;
            return;
        }
        v->names = names;
        v->cap = cap;
    }
    v->names[v->count].guid = csspgo_guid(name, size);
    v->names[v->count].begin = v->text.size;
    v->names[v->count++].size = size;
    views_add(&v->text, name, size);
}

int views_name_order(const void *a, const void *b)
{
    const views_name *x = (const views_name *)a, *y = (const views_name *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* One name a line. */
int views_names_file(const tool_context *tool, views_names *v, const char *path)
{
    const char *p, *end, *q;
    file_bytes f;
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, strerror(errno)), 0;
    for (p = (const char *)f.data, end = p + f.size; p < end; p = q + 1) {
        size_t n;
        q = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (q == NULL) q = end;
        n = (size_t)(q - p);
        if (n != 0 && p[n - 1] == '\r') n--;
        views_names_add(v, p, n);
        if (q == end) break;
    }
    file_close(&f);
    return 1;
}

/* The probe descriptors' names and the symbols', these also without the suffix that ThinLTO appends. */
int views_names_elf(const tool_context *tool, views_names *v, const char *path)
{
    csspgo_probe_set *probes = csspgo_probe_set_new(seeded(), NULL);
    char why[256];
    elf_image elf;
    elf_section s;
    elf_symbol y;
    file_bytes f;
    csspgo_error e;
    uint32_t i;
    size_t k;
    int ok;
    if (probes == NULL) return fail(tool, "out of memory"), 0;
    if (!file_open(path, &f)) return csspgo_probe_set_free(probes), fail(tool, "%s: %s", path, strerror(errno)), 0;
    ok = elf_open(f.data, f.size, &elf, why, sizeof why);
    if (!ok) fail(tool, "%s: %s", path, why);
    if (ok && elf_section_named(&elf, ".pseudo_probe_desc", &s) && s.contents != NULL && !s.compressed &&
        csspgo_probe_set_decode_descriptors(probes, s.contents, (size_t)s.size, &e) == CSSPGO_OK) {
        const csspgo_probe_tables t = csspgo_probe_set_tables(probes);
        for (k = 0; k < t.descriptor_count; k++) views_names_add(v, t.descriptors[k].name, t.descriptors[k].name_size);
    }
    for (i = 1; ok && i < elf.symbol_count; i++) {
        if (!elf_symbol_at(&elf, i, &y) || (y.type != ELF_FUNC && y.type != ELF_NOTYPE)) continue;
        views_names_add(v, y.name, y.name_size);
        views_names_add(v, y.name, load_strip(y.name, y.name_size, ".llvm."));
    }
    csspgo_probe_set_free(probes);
    file_close(&f);
    return ok;
}

/* The first name with this GUID, or NULL. */
const char *views_names_find(const views_names *v, uint64_t guid, size_t *size)
{
    size_t lo = 0, hi = v->count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (v->names[mid].guid < guid) lo = mid + 1;
        else hi = mid;
    }
    if (lo == v->count || v->names[lo].guid != guid) return NULL;
    *size = v->names[lo].size;
    return v->text.data + v->names[lo].begin;
}

/* A name of digits only stands for a GUID in text profiles with MD5 names. */
int views_is_guid(const char *name, size_t size, uint64_t *guid)
{
    size_t i;
    *guid = 0;
    if (size == 0 || size > 20) return 0;
    for (i = 0; i < size; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)name[i] - '0';
        if (digit > 9 || *guid > (UINT64_MAX - digit) / 10) return 0;
        *guid = *guid * 10 + digit;
    }
    return 1;
}
