/* profgen_loss_names.c - profgen: the functions whose samples are not in the profile */
#include "profgen_loss.h"
#include "profgen_lines.h"

typedef struct loss_symbol { uint64_t begin, end; const char *name; size_t size; } loss_symbol;

enum { NESTED_MOST = 16 };         /* symbols within symbols that are looked through */

static const loaded *loss_loaded(const profgen *g, size_t image)
{
    return image == 0 ? &g->image : &g->images->v[image - 1].loaded;
}

static const line_work *loss_lines(const profgen *g, size_t image)
{
    return image == 0 ? g->lines : g->images->v[image - 1].lines;
}

/* ----- functions with probes or lines ----------------------------------------------------------------------------- */

/* How many ranges of code have probes, or lines. */
size_t loss_places(const profgen *g, size_t image)
{
    const line_work *const w = loss_lines(g, image);
    return w != NULL ? w->ranges : loss_loaded(g, image)->ranges;
}

/* The number of the range that has a link-time address; loss_places: none has. */
size_t loss_place_at(const profgen *g, size_t image, uint64_t address)
{
    const line_work *const w = loss_lines(g, image);
    const loaded *const l = loss_loaded(g, image);
    size_t a = 0, b = l->ranges;
    if (w != NULL) {
        const line_range *const r = range_at(w, address);
        return r != NULL ? (size_t)(r - w->range) : w->ranges;
    }
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (l->range[mid].end <= address) a = mid + 1;
        else b = mid;
    }
    return a < l->ranges && l->range[a].begin <= address ? a : l->ranges;
}

/* The name of the function that has a range. */
static loss_name loss_place_name(const profgen *g, size_t image, size_t place)
{
    const line_work *const w = loss_lines(g, image);
    const loaded *const l = loss_loaded(g, image);
    loss_name name;
    size_t n;
    memset(&name, 0, sizeof name);
    if (w != NULL) {
        name.text = debug_info_ranges(w->functions, &n)[w->range[place].index].name;
        name.size = strlen(name.text);
    } else if (l->range[place].name != NULL) {
        name.text = l->range[place].name;
        name.size = l->range[place].name_size;
    }
    return name;
}

static int loss_has_record(const csspgo_profile *p, const char *name, size_t size)
{
    csspgo_node node = csspgo_func_nodes(p, csspgo_func_find(p, name, size));
    while (node.id != 0 && !csspgo_has_record(p, node)) node = csspgo_node_next_same(p, node);
    return node.id != 0;
}

/* 1 if the profile has a function, under its name or the one without what compilers append. */
static int loss_is_kept(const csspgo_profile *p, const loss_name *name)
{
    return name->text == NULL || loss_has_record(p, name->text, name->size) ||
           loss_has_record(p, name->text, csspgo_canonical_size(name->text, name->size, 1));
}

/* ----- names of other code ---------------------------------------------------------------------------------------- */

static int loss_symbol_cmp(const void *a, const void *b)
{
    const loss_symbol *x = (const loss_symbol *)a, *y = (const loss_symbol *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

/* The symbols of an image's code, by address; NULL without memory. */
static loss_symbol *loss_symbols(const loaded *l, size_t *count)
{
    const elf_image *const e = load_symbols(l);
    loss_symbol *const v = (loss_symbol *)malloc((e->symbol_count + (size_t)1) * sizeof *v);
    elf_section s;
    elf_symbol y;
    uint32_t i;
    *count = 0;
    for (i = 1; v != NULL && i < e->symbol_count; i++) {
        if (!elf_symbol_at(e, i, &y) || y.name_size == 0 || y.name[0] == '$') continue;      /* $x: data or code */
        if (y.type != ELF_NOTYPE && y.type != ELF_FUNC && y.type != ELF_IFUNC) continue;
        if (!elf_section_at(e, y.section, &s) || !(s.flags & ELF_SECTION_EXEC)) continue;
        v[*count].begin = y.value;
        v[*count].end = y.value + y.size;
        v[*count].name = y.name;
        v[(*count)++].size = y.name_size;
    }
    if (v != NULL && *count != 0) qsort(v, *count, sizeof *v, loss_symbol_cmp);
    return v;
}

/* The section of an image that has an address. Returns 0 if none has. */
static int loss_section(const elf_image *e, uint64_t address, elf_section *s)
{
    uint32_t i;
    for (i = 1; elf_section_at(e, i, s); i++)
        if (s->flags & ELF_SECTION_EXEC && address - s->address < s->size) return 1;
    return 0;
}

/* The symbol whose code has an address; else one without a size (of an assembler) before it in its section; or NULL. */
static const loss_symbol *loss_symbol_of(const loss_symbol *v, size_t n, const elf_section *s, uint64_t address)
{
    size_t a = 0, b = n, i;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (v[mid].begin <= address) a = mid + 1;
        else b = mid;
    }
    for (i = a; i != 0 && a - i < NESTED_MOST; i--)
        if (address < v[i - 1].end) return &v[i - 1];
    if (a != 0 && v[a - 1].begin == v[a - 1].end && v[a - 1].begin >= s->address) return &v[a - 1];
    return NULL;
}

/* ----- the list --------------------------------------------------------------------------------------------------- */

/* Adds to a name of the list, which is the last one, or new. Returns 0 without memory. */
static int loss_name_add(loss *l, const loss_name *name)
{
    loss_name *const last = l->names != 0 ? &l->name[l->names - 1] : NULL;
    if (last != NULL && last->text == name->text && last->why == name->why) {
        last->n = sum_of(last->n, name->n);
        return 1;
    }
    if (l->names == l->name_cap) {
        const size_t cap = l->name_cap * 2 + 64;
        loss_name *const v = (loss_name *)realloc(l->name, cap * sizeof *v);
        if (v == NULL) return 0;
        l->name = v;
        l->name_cap = cap;
    }
    l->name[l->names++] = *name;
    return 1;
}

/* By name, so that parts of a function join. */
static int loss_text_cmp(const void *a, const void *b)
{
    const loss_name *x = (const loss_name *)a, *y = (const loss_name *)b;
    const size_t n = x->size < y->size ? x->size : y->size;
    const int c = x->why != y->why ? x->why - y->why : n != 0 ? memcmp(x->text, y->text, n) : 0;
    return c != 0 ? c : x->size < y->size ? -1 : x->size > y->size;
}

/* By reason, then those with most first. */
static int loss_name_cmp(const void *a, const void *b)
{
    const loss_name *x = (const loss_name *)a, *y = (const loss_name *)b;
    if (x->why == y->why && x->n != y->n) return x->n > y->n ? -1 : 1;
    return loss_text_cmp(a, b);
}

static void loss_names_sort(loss *l)
{
    size_t i, n = 0;
    if (l->names == 0) return;
    qsort(l->name, l->names, sizeof *l->name, loss_text_cmp);
    for (i = 0; i < l->names; i++) {
        if (n != 0 && loss_text_cmp(&l->name[n - 1], &l->name[i]) == 0)
            l->name[n - 1].n = sum_of(l->name[n - 1].n, l->name[i].n);
        else l->name[n++] = l->name[i];
    }
    l->names = n;
    qsort(l->name, n, sizeof *l->name, loss_name_cmp);
}

/* What is in functions with probes or lines: kept if the profile has the function. Returns 0 without memory. */
static int loss_resolve_places(profgen *g, loss_unit *u, size_t image, const csspgo_profile *p, int named)
{
    const loss_image *const m = &u->image[image];
    size_t i;
    for (i = 0; i < m->places; i++) {
        loss_name name;
        if (m->place[i] == 0) continue;
        name = loss_place_name(g, image, i);
        name.why = LOSS_NO_RECORD;
        name.n = m->place[i];
        if (p == NULL || loss_is_kept(p, &name)) {
            u->kept = sum_of(u->kept, name.n);
            continue;
        }
        u->lost[name.why] = sum_of(u->lost[name.why], name.n);
        if (named && !loss_name_add(g->loss, &name)) return 0;
    }
    return 1;
}

/* The rest, by symbols, or else by section. Returns 0 without memory. */
static int loss_resolve_rest(profgen *g, loss_unit *u, size_t image, int named)
{
    loss_image *const m = &u->image[image];
    const loaded *const l = loss_loaded(g, image);
    size_t i, n = 0;
    loss_symbol *v;
    int ok = 1;
    if (m->count == 0) return 1;
    loss_settle(m);
    v = loss_symbols(l, &n);
    for (i = 0; v != NULL && ok && i < m->count; i++) {
        const loss_symbol *y = NULL;
        loss_name name;
        elf_section s;
        memset(&name, 0, sizeof name);
        if (loss_section(&l->elf, m->rest[i].address, &s)) y = loss_symbol_of(v, n, &s, m->rest[i].address);
        name.text = y != NULL ? y->name : s.name_size != 0 ? s.name : "?";
        name.size = y != NULL ? y->size : s.name_size != 0 ? s.name_size : 1;
        name.why = y != NULL ? LOSS_NO_PLACES : LOSS_NO_FUNCTION;
        name.n = m->rest[i].n;
        u->lost[name.why] = sum_of(u->lost[name.why], name.n);
        ok = !named || loss_name_add(g->loss, &name);
    }
    free(v);
    return ok && v != NULL;
}

/* Tells kept from lost, and lists the functions of the latter if they are to be named. */
int loss_resolve(profgen *g, loss_unit *u, const csspgo_profile *p, int named)
{
    size_t i;
    for (i = 0; i < g->loss->images; i++)
        if (!loss_resolve_places(g, u, i, p, named) || !loss_resolve_rest(g, u, i, named)) return 0;
    if (named) loss_names_sort(g->loss);
    return 1;
}
