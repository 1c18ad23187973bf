/* names.c - names of functions: gcc gives static C++ functions no linkage name, their symbols have it */
#include "private.h"

static int symbol_order(const void *a, const void *b)
{
    const debug_symbol *x = (const debug_symbol *)a, *y = (const debug_symbol *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/*
 * The mangled names of functions by address, without what gcc appends to the names of clones and parts. Returns 0: out
 * of memory.
 */
int debug_symbols_read(debug_info *d, const elf_image *e)
{
    uint32_t i;
    for (i = 1; e != NULL && i < e->symbol_count; i++) {
        elf_symbol y;
        debug_symbol *s;
        const char *dot;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED || y.type != ELF_FUNC) continue;
        if (y.name_size < 3 || memcmp(y.name, "_Z", 2) != 0) continue;
        if (!debug_room(&d->symbol, d->symbols, &d->symbol_cap, sizeof *d->symbol)) return 0;
        s = &d->symbol[d->symbols++];
        memset(s, 0, sizeof *s);
        dot = (const char *)memchr(y.name, '.', y.name_size);
        s->address = y.value;
        s->index = i;
        s->name = y.name;
        s->size = dot != NULL ? (size_t)(dot - y.name) : y.name_size;
    }
    if (d->symbols != 0) qsort(d->symbol, d->symbols, sizeof *d->symbol, symbol_order);
    return 1;
}

/* The first symbol at an address, or NULL. */
static debug_symbol *symbol_at(const debug_info *d, uint64_t address)
{
    size_t a = 0, b = d->symbols;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (d->symbol[m].address < address) a = m + 1;
        else b = m;
    }
    return a < d->symbols && d->symbol[a].address == address ? &d->symbol[a] : NULL;
}

/*
 * The name of a function with code of its own: the linkage name, or the mangled one of the symbol where its code
 * begins, or the plain one. LLVM takes the plain one before that; then several functions are one, that no compiler
 * finds. n: what debug_name found. Lives as long as d. NULL: it has none, or memory is exhausted.
 */
const char *debug_function_name(debug_info *d, const debug_source *s, const debug_entry *e, const debug_named *n,
                                int *linkage)
{
    debug_span r = debug_span_of(s, e);
    debug_symbol *at;
    *linkage = n->linkage != NULL;
    if (n->linkage != NULL || n->plain == NULL || d->symbols == 0 || !debug_span_next(&r))
        return n->linkage != NULL ? n->linkage : n->plain;
    at = symbol_at(d, r.begin);
    if (at == NULL) return n->plain;
    *linkage = 1;
    if (at->copy == NULL) at->copy = strndup(at->name, at->size);
    d->no_memory |= at->copy == NULL;
    return at->copy;
}

void debug_symbols_free(debug_info *d)
{
    size_t i;
    for (i = 0; i < d->symbols; i++) free(d->symbol[i].copy);
    free(d->symbol);
}

