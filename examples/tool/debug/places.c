/* places.c - which code is of which function, as the debug information has it */
#include "debug.h"

static const debug_range *sorted_names;       /* qsort has no argument for the order */

static int place_name_cmp(const void *a, const void *b)
{
    const debug_place *x = (const debug_place *)a, *y = (const debug_place *)b;
    const int c = strcmp(sorted_names[x->index].name, sorted_names[y->index].name);
    if (c != 0) return c;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int place_begin_cmp(const void *a, const void *b)
{
    const debug_place *x = (const debug_place *)a, *y = (const debug_place *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

int debug_places_make(debug_places *p, const debug_info *d)
{
    size_t n, i, k, first;
    const debug_range *r = debug_info_ranges(d, &n);
    debug_place *v = p->range = (debug_place *)calloc(n + 1, sizeof *v);
    p->twin = (debug_place *)calloc(n + 1, sizeof *v);
    p->over = (debug_place *)calloc(n + 1, sizeof *v);
    if (v == NULL || p->twin == NULL || p->over == NULL) return 0;
    for (i = 0; i < n; i++) {
        v[i].begin = r[i].begin;
        v[i].end = r[i].end;
        v[i].index = i;
    }
    sorted_names = r;
    qsort(v, n, sizeof *v, place_name_cmp);
    for (i = 0; i < n;) {
        for (k = i + 1; k < n && strcmp(r[v[i].index].name, r[v[k].index].name) == 0; k++) {}
        for (first = i; i < k; i++) {
            v[i].of_name = (uint32_t)(k - first);
            v[i].function = (uint32_t)p->names;
        }
        p->names++;
    }
    qsort(v, n, sizeof *v, place_begin_cmp);
    for (i = 0; i < n; i++) {
        debug_place *const last = p->ranges != 0 ? &v[p->ranges - 1] : NULL;
        if (last != NULL && last->begin == v[i].begin) {
            p->twin[p->twins++] = v[i];
            continue;
        }
        if (last != NULL && last->end > v[i].begin) {
            debug_place *const over = &p->over[p->overs++];
            *over = *last;
            over->begin = last->end = v[i].begin;
            over->reach = p->overs > 1 && over[-1].reach > over->end ? over[-1].reach : over->end;
        }
        v[p->ranges++] = v[i];
    }
    return 1;
}

size_t debug_places_before(const debug_places *p, uint64_t address)
{
    size_t a = 0, b = p->ranges;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (p->range[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a;
}

debug_place *debug_place_at(const debug_places *p, uint64_t address)
{
    const size_t n = debug_places_before(p, address);
    return n != 0 && address < p->range[n - 1].end ? &p->range[n - 1] : NULL;
}

void debug_places_enter_llvm(const debug_places *p, const debug_info *d, const elf_image *e)
{
    size_t count;
    const debug_range *r = debug_info_ranges(d, &count);
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++) {
        elf_symbol y;
        debug_place *at;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED) continue;
        at = debug_place_at(p, y.value);
        if (at == NULL || at->entry) continue;
        if (at->of_name != 1) {
            const char *const name = r[at->index].name;
            const size_t size = csspgo_canonical_size(y.name, y.name_size, 1);
            if (size != strlen(name) || memcmp(y.name, name, size) != 0) continue;
        }
        at->entry = 1;
    }
}

void debug_places_free(debug_places *p)
{
    free(p->range);
    free(p->twin);
    free(p->over);
}
