/* names.c - names, checksums and probes of functions by GUID */
#include "tool.h"

/* Appends to an array of elements of `size` bytes. Returns NULL when memory is exhausted. */
static void *names_room(void *old, size_t count, size_t more, size_t *cap, size_t size)
{
    size_t n = *cap;
    if (*cap >= more && count <= *cap - more) return old;
    while (n < more || count > n - more) {
        if (n > SIZE_MAX / 4 / size) return NULL;
        n = n != 0 ? 2 * n : 256;
    }
    old = realloc(old, n * size);
    if (old != NULL) *cap = n;
    return old;
}

void names_add(name_table *v, const char *name, size_t size, uint64_t checksum)
{
    char *text;
    name_entry *entry;
    if (size == 0 || v->failed) return;
    text = (char *)names_room(v->text, v->size, size, &v->cap, 1);
    if (text != NULL) v->text = text;
    entry = (name_entry *)names_room(v->entry, v->count, 1, &v->entry_cap, sizeof *entry);
    if (entry != NULL) v->entry = entry;
    v->failed = text == NULL || entry == NULL;
    if (v->failed) return;
    memset(&entry[v->count], 0, sizeof *entry);
    entry[v->count].guid = csspgo_guid(name, size);
    entry[v->count].checksum = checksum;
    entry[v->count].begin = v->size;
    entry[v->count++].size = size;
    memcpy(text + v->size, name, size);
    v->size += size;
}

static int names_order(const void *a, const void *b)
{
    const name_entry *x = (const name_entry *)a, *y = (const name_entry *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The name that came first stays, and the first checksum. */
int names_sort(const tool_context *tool, name_table *v)
{
    size_t i, n = 0;
    if (v->failed) return fail(tool, "out of memory"), 0;
    if (v->count != 0) qsort(v->entry, v->count, sizeof *v->entry, names_order);
    for (i = 0; i < v->count; i++) {
        if (n != 0 && v->entry[n - 1].guid == v->entry[i].guid) {
            if (v->entry[n - 1].checksum == 0) v->entry[n - 1].checksum = v->entry[i].checksum;
        } else v->entry[n++] = v->entry[i];
    }
    v->count = n;
    return 1;
}

name_entry *names_find(const name_table *v, uint64_t guid)
{
    size_t lo = 0, hi = v->count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (v->entry[mid].guid < guid) lo = mid + 1;
        else hi = mid;
    }
    return lo != v->count && v->entry[lo].guid == guid ? &v->entry[lo] : NULL;
}

void names_free(name_table *v)
{
    free(v->text);
    free(v->entry);
    free(v->probe);
    memset(v, 0, sizeof *v);
}

/* ----- where names come from -------------------------------------------------------------------------------------- */

int names_file(const tool_context *tool, name_table *v, const char *path)
{
    const char *p, *end, *q;
    file_bytes f;
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, file_why()), 0;
    if (!kind_is_lines(tool, path, f.data, f.size)) return file_close(&f), 0;
    for (p = (const char *)f.data, end = p + f.size; p < end; p = q + 1) {
        size_t n;
        q = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (q == NULL) q = end;
        n = (size_t)(q - p);
        if (n != 0 && p[n - 1] == '\r') n--;
        names_add(v, p, n, 0);
        if (q == end) break;
    }
    file_close(&f);
    return 1;
}

void names_profile(name_table *v, const csspgo_profile *p)
{
    csspgo_func f;
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) {
        size_t size = 0;
        const char *name = csspgo_func_name(p, f, &size);
        if (name != NULL) names_add(v, name, size, 0);
    }
}

static int names_probe_order(const void *a, const void *b)
{
    const name_probe *x = (const name_probe *)a, *y = (const name_probe *)b;
    if (x->entry != y->entry) return x->entry < y->entry ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->call < y->call ? -1 : x->call > y->call;
}

/* The probes that the code of a binary has of each function, its own and where it was inlined. */
static void names_probes(name_table *v, const csspgo_probe_tables *t)
{
    name_probe *probe = (name_probe *)malloc((t->probe_count + 1) * sizeof *probe);
    size_t i, n = 0, count = 0;
    v->failed |= probe == NULL;
    for (i = 0; i < t->probe_count && probe != NULL; i++) {
        const uint32_t node = t->probes[i].inline_node;
        const name_entry *e = node != 0 ? names_find(v, t->inlines[node - 1].guid) : NULL;
        if (e == NULL || e - v->entry > UINT32_MAX) continue;
        probe[n].entry = (uint32_t)(e - v->entry);
        probe[n].id = t->probes[i].id;
        probe[n++].call = t->probes[i].kind != CSSPGO_PROBE_BLOCK;
    }
    if (n != 0) qsort(probe, n, sizeof *probe, names_probe_order);
    for (i = 0; i < n; i++) {
        name_entry *e = &v->entry[probe[i].entry];
        if (i != 0 && probe[i].entry == probe[i - 1].entry && probe[i].id == probe[i - 1].id) continue;
        if (e->probes++ == 0) e->probe = count;
        probe[count++] = probe[i];
    }
    v->probe = probe;
}

/* What the probe sections say, if they can be read. Returns 0 after an error. */
static int names_sections(const tool_context *tool, name_table *v, loaded *l, int probes)
{
    csspgo_probe_set *set = csspgo_probe_set_new(seeded(), NULL);
    char why[256];
    csspgo_probe_tables t;
    csspgo_error e;
    elf_section s;
    size_t i;
    int ok = 1;
    if (set == NULL) return fail(tool, "out of memory"), 0;
    if (elf_section_named(load_from(l, LOAD_DESCRIPTORS), ".pseudo_probe_desc", &s) && s.contents != NULL &&
        !s.compressed &&
        csspgo_probe_set_decode_descriptors(set, s.contents, (size_t)s.size, &e) == CSSPGO_OK) {
        t = csspgo_probe_set_tables(set);
        for (i = 0; i < t.descriptor_count; i++)
            names_add(v, t.descriptors[i].name, t.descriptors[i].name_size, t.descriptors[i].checksum);
    }
    csspgo_probe_set_free(set);
    if (probes) {
        ok = names_sort(tool, v);
        ok = ok && (load_regions_of(l) != NULL || (fail(tool, "out of memory"), 0));
        set = ok ? load_sections(l, why, sizeof why) : NULL;
        if (set != NULL) t = csspgo_probe_set_tables(set), names_probes(v, &t);
        csspgo_probe_set_free(set);
    }
    return ok;
}

int names_binary(const tool_context *tool, name_table *v, const char *path, int probes)
{
    const elf_image *e;
    elf_symbol y;
    char why[PROGRAM_WHY];
    loaded l;
    uint32_t i;
    int ok;
    ok = program_open(tool, &l, path, why, sizeof why) || l.elf.type == ELF_REL;        /* names it has, too */
    if (!ok) kind_program_fail(tool, path, NULL, why);
    if (ok && load_lacks(&l) & 1u << LOAD_SYMBOLS)
        program_missing(tool, &l, path, "names are those of probe descriptors only");
    e = load_symbols(&l);
    ok = ok && names_sections(tool, v, &l, probes);
    for (i = 1; ok && i < e->symbol_count; i++) {
        if (!elf_symbol_at(e, i, &y) || (y.type != ELF_FUNC && y.type != ELF_NOTYPE)) continue;
        names_add(v, y.name, y.name_size, 0);
        names_add(v, y.name, load_strip(y.name, y.name_size, ".llvm."), 0);
    }
    load_free(&l);
    return ok;
}

int names_open(const tool_context *tool, name_table *v, const option *files, const option *binaries, int probes)
{
    size_t i;
    for (i = 0; i < files->count; i++)
        if (!names_file(tool, v, files->list[i])) return 0;
    for (i = 0; i < binaries->count; i++)
        if (!names_binary(tool, v, binaries->list[i], probes)) return 0;
    return names_sort(tool, v);
}
