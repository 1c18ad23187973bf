/* loss.c - profgen: counts what of the samples is in the profile, where the rest went, and in which functions */
#include "profgen.h"

/* ----- functions with probes or lines ----------------------------------------------------------------------------- */

/* How many ranges of code have probes, or lines. */
static size_t loss_places(const loss *x, size_t image)
{
    return x->lines != NULL ? x->lines[image].ranges : x->programs->v[image].loaded.ranges;
}

/* The number of the range that has a link-time address; loss_places: none has. */
static size_t loss_place_at(const loss *x, size_t image, uint64_t address)
{
    const line_work *const w = x->lines != NULL ? &x->lines[image] : NULL;
    const loaded *const l = &x->programs->v[image].loaded;
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

/* ----- all counts ------------------------------------------------------------------------------------------------- */

/* Room for the counts of a unit. Returns 0 without memory. */
static int loss_unit_make(const loss *l, loss_unit *u)
{
    size_t i;
    u->image = (loss_image *)calloc(l->images, sizeof *u->image);
    for (i = 0; u->image != NULL && i < l->images; i++) {
        u->image[i].places = loss_places(l, i);
        u->image[i].place = (uint64_t *)calloc(u->image[i].places + 1, sizeof(uint64_t));
        if (u->image[i].place == NULL) return 0;
    }
    return u->image != NULL;
}

loss *loss_new(const programs *p, const line_work *lines, tally *t)
{
    loss *const l = (loss *)calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    l->programs = p;
    l->lines = lines;
    l->tally = t;
    l->images = p->count;
    l->density = -1;
    if (loss_unit_make(l, &l->samples[0]) && loss_unit_make(l, &l->samples[1]) && loss_unit_make(l, &l->runs)) return l;
    loss_free(l);
    return NULL;
}

static void loss_unit_free(const loss *l, loss_unit *u)
{
    size_t i;
    for (i = 0; u->image != NULL && i < l->images; i++) {
        free(u->image[i].place);
        free(u->image[i].rest);
    }
    free(u->image);
}

void loss_free(loss *l)
{
    if (l == NULL) return;
    loss_unit_free(l, &l->samples[0]);
    loss_unit_free(l, &l->samples[1]);
    loss_unit_free(l, &l->runs);
    free(l->pid);
    free(l->name);
    free(l);
}

/* ----- processes -------------------------------------------------------------------------------------------------- */

static size_t loss_pid_at(const loss *l, uint32_t pid)
{
    size_t a = 0, b = l->pids;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (l->pid[mid] < pid) a = mid + 1;
        else b = mid;
    }
    return a;
}

static int loss_has_pid(const loss *l, uint32_t pid)
{
    const size_t i = loss_pid_at(l, pid);
    return i < l->pids && l->pid[i] == pid;
}

static int loss_add_pid(loss *l, uint32_t pid)
{
    const size_t i = loss_pid_at(l, pid);
    if (loss_has_pid(l, pid)) return 1;
    if (l->pids == l->pid_cap) {
        const size_t cap = l->pid_cap * 2 + 64;
        uint32_t *const v = (uint32_t *)realloc(l->pid, cap * sizeof *v);
        if (v == NULL) return 0;
        l->pid = v;
        l->pid_cap = cap;
    }
    memmove(l->pid + i + 1, l->pid + i, (l->pids++ - i) * sizeof *l->pid);
    l->pid[i] = pid;
    return 1;
}

/* Processes have other numbers in the next recording. */
void loss_next(loss *l)
{
    if (l != NULL) l->pids = 0;
}

/* Learns which processes have the program; mapped: the event is a mapping of it. Returns 0 without memory. */
int loss_event(loss *l, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int mapped)
{
    if (l == NULL) return 1;
    if (item == CSSPGO_ITEM_MMAP && mapped) return loss_add_pid(l, map->pid);
    if (item == CSSPGO_ITEM_FORK && loss_has_pid(l, map->pid)) return loss_add_pid(l, sample->pid);
    return 1;
}

/* 1 if a sample is of a process without the program; where processes are not told apart, all have it. */
static int loss_is_others(const loss *l, uint32_t pid)
{
    return pid != 0 && l->pids != 0 && l->pid[0] != 0 && !loss_has_pid(l, pid);
}

/* ----- samples ---------------------------------------------------------------------------------------------------- */

static int loss_at_cmp(const void *a, const void *b)
{
    const loss_at *x = (const loss_at *)a, *y = (const loss_at *)b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Sorts addresses, each once. */
static void loss_settle(loss_image *m)
{
    size_t i, n = 0;
    if (m->count != 0) qsort(m->rest, m->count, sizeof *m->rest, loss_at_cmp);
    for (i = 0; i < m->count; i++) {
        if (n != 0 && m->rest[n - 1].address == m->rest[i].address)
            m->rest[n - 1].n = sum_of(m->rest[n - 1].n, m->rest[i].n);
        else m->rest[n++] = m->rest[i];
    }
    m->count = n;
}

/* Room for one more in a list that is full: by joining what is there twice, or else by memory. Returns 0 without it. */
static int loss_room(loss_image *m)
{
    const size_t cap = m->cap * 2 + 1024;
    loss_at *v;
    loss_settle(m);
    if (m->count < m->cap / 2) return 1;
    v = (loss_at *)realloc(m->rest, cap * sizeof *v);
    if (v == NULL) return 0;
    m->rest = v;
    m->cap = cap;
    return 1;
}

/* Notes an address in no function with probes or lines. Returns 0 without memory. */
static int loss_put(loss_image *m, uint64_t address, uint64_t n)
{
    if (m->count != 0 && m->rest[m->count - 1].address == address) {
        m->rest[m->count - 1].n = sum_of(m->rest[m->count - 1].n, n);
        return 1;
    }
    if (m->count == m->cap && !loss_room(m)) return 0;
    m->rest[m->count].address = address;
    m->rest[m->count++].n = n;
    return 1;
}

/* Notes a link-time address of a program. Returns 0 without memory. */
static int loss_note(const loss *l, loss_unit *u, size_t image, uint64_t address, uint64_t n)
{
    loss_image *const m = &u->image[image];
    const size_t at = loss_place_at(l, image, address);
    if (at >= m->places) return loss_put(m, address, n);
    m->place[at] = sum_of(m->place[at], n);
    return 1;
}

/* Why the collector dropped the sample that came between two of its statistics; LOSS_REASONS: it did not. */
static int loss_dropped(const loss *l, const csspgo_collector_stats *before, const csspgo_collector_stats *now)
{
    if (now->prologue_leaves != before->prologue_leaves) return LOSS_PROLOGUE;
    if (now->late_stacks != before->late_stacks && !l->keep) return LOSS_LATE;
    return LOSS_REASONS;
}

/* Why a sample in other code is lost. */
static int loss_outside(const loss *l, uint64_t address, uint64_t n)
{
    tally *const x = l->tally;
    if (x == NULL || x->at == NULL || x->at == &x->nowhere) return address >> 63 != 0 ? LOSS_KERNEL : LOSS_NOWHERE;
    if (x->at == &x->kernel) return LOSS_KERNEL;
    if (x->at_given) return LOSS_NO_FUNCTION;
    x->at->lost = sum_of(x->at->lost, n);
    return LOSS_FILES;
}

/* Notes an address in a program, but at no instruction that is known. Returns 0 without memory. */
static int loss_stray(const loss *l, loss_unit *u, uint64_t address, uint64_t n)
{
    const size_t image = l->programs->spaces != NULL ? (size_t)(address >> IMAGE_BITS) : 0;
    if (image >= l->images) return 1;
    programs_at(l->programs, &address);
    if (loss_place_at(l, image, address) == u->image[image].places) return loss_put(&u->image[image], address, n);
    u->lost[LOSS_NO_BRANCHES] = sum_of(u->lost[LOSS_NO_BRANCHES], n);
    return 1;
}

/*
 * Notes a sample at link-time addresses that the collector has got; before: its statistics without it. Returns 0
 * without memory.
 */
int loss_sample(loss *l, const csspgo_sample *s, const csspgo_collector_stats *before,
                const csspgo_collector_stats *now)
{
    loss_unit *const u = &l->samples[s->branch_count == 0 || l->leading];
    const uint64_t n = s->count != 0 ? s->count : 1;
    uint64_t at = sampled_address(l->programs, s);
    const int here = is_code(l->programs, at);
    const size_t image = here && l->programs->spaces != NULL ? (size_t)(at >> IMAGE_BITS) : 0;
    const int unused = now->no_branches != before->no_branches;
    int why = loss_dropped(l, before, now);
    u->read = sum_of(u->read, n);
    if (!here && loss_is_others(l, s->pid)) {
        u->others = sum_of(u->others, n);
        return 1;
    }
    if (!here) {
        const int where = loss_outside(l, at, n);
        u->outside[where] = sum_of(u->outside[where], n);
        if (why == LOSS_REASONS && unused && where == LOSS_NO_FUNCTION) return loss_stray(l, u, at, n);
        if (why == LOSS_REASONS && unused) why = where;
    } else if (why == LOSS_REASONS && unused) why = LOSS_NO_BRANCHES;
    if (why == LOSS_REASONS && here && image < l->images) {
        programs_at(l->programs, &at);
        return loss_note(l, u, image, at, n);
    }
    if (why != LOSS_REASONS) u->lost[why] = sum_of(u->lost[why], n);
    else u->kept = sum_of(u->kept, n);            /* branches in the program count, or it is code of a JIT */
    return 1;
}

/* ----- what ran, and the profile ---------------------------------------------------------------------------------- */

enum { LOSS_RANGES = 1 << 14 };   /* that are asked for at first */

/* Notes what the counters say that ran in one program. */
static csspgo_status loss_runs_of(loss *l, csspgo_collector *c, size_t image)
{
    const csspgo_module m = l->programs->v[image].loaded.module;
    size_t n = LOSS_RANGES, i;
    csspgo_range_count *v = (csspgo_range_count *)malloc(n * sizeof *v);
    csspgo_status s = v != NULL ? csspgo_collector_range_counts(c, m, v, n, &n, NULL) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_E_SHORT) {
        free(v);
        v = (csspgo_range_count *)malloc(n * sizeof *v);
        s = v != NULL ? csspgo_collector_range_counts(c, m, v, n, &n, NULL) : CSSPGO_E_NOMEM;
    }
    for (i = 0; s == CSSPGO_OK && i < n; i++) {
        l->runs.read = sum_of(l->runs.read, v[i].count);
        if (!loss_note(l, &l->runs, image, v[i].first, v[i].count)) s = CSSPGO_E_NOMEM;
    }
    free(v);
    return s;
}

/*
 * Notes what ran, before it becomes a profile. Where samples decide about the status and nobody is told (quiet), that
 * costs time for nothing.
 */
csspgo_status loss_runs(loss *l, csspgo_collector *c, int quiet)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    if (l == NULL || (quiet && (l->samples[0].read != 0 || l->samples[1].read != 0))) return s;
    for (i = 0; s == CSSPGO_OK && i < l->images; i++) s = loss_runs_of(l, c, i);
    return s;
}

/* A step towards the profile that is written: what its counts lost or gained. */
void loss_step(loss *l, const csspgo_profile *p, int step)
{
    uint64_t now;
    if (l == NULL) return;
    now = csspgo_profile_get_stats(p).samples;
    if (now < l->now) l->step[step] += l->now - now;
    else l->copied += now - l->now;
    l->now = l->written = now;
}

void loss_made(loss *l, const csspgo_profile *p)
{
    if (l != NULL) l->made = l->now = l->written = csspgo_profile_get_stats(p).samples;
}

typedef struct loss_symbol { uint64_t begin, end; const char *name; size_t size; } loss_symbol;

enum { NESTED_MOST = 16 };         /* symbols within symbols that are looked through */

/* ----- names of functions with probes or lines -------------------------------------------------------------------- */

/* The name of the function that has a range. */
static loss_name loss_place_name(const loss *x, size_t image, size_t place)
{
    const line_work *const w = x->lines != NULL ? &x->lines[image] : NULL;
    const loaded *const l = &x->programs->v[image].loaded;
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
static int loss_resolve_places(loss *x, loss_unit *u, size_t image, const csspgo_profile *p, int named)
{
    const loss_image *const m = &u->image[image];
    size_t i;
    for (i = 0; i < m->places; i++) {
        loss_name name;
        if (m->place[i] == 0) continue;
        name = loss_place_name(x, image, i);
        name.why = LOSS_NO_RECORD;
        name.n = m->place[i];
        if (p == NULL || loss_is_kept(p, &name)) {
            u->kept = sum_of(u->kept, name.n);
            continue;
        }
        u->lost[name.why] = sum_of(u->lost[name.why], name.n);
        if (named && !loss_name_add(x, &name)) return 0;
    }
    return 1;
}

/* The rest, by symbols, or else by section. Returns 0 without memory. */
static int loss_resolve_rest(loss *x, loss_unit *u, size_t image, int named)
{
    loss_image *const m = &u->image[image];
    const loaded *const l = &x->programs->v[image].loaded;
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
        ok = !named || loss_name_add(x, &name);
    }
    free(v);
    return ok && v != NULL;
}

/* Tells kept from lost, and lists the functions of the latter if they are to be named. */
static int loss_resolve(loss *x, loss_unit *u, const csspgo_profile *p, int named)
{
    size_t i;
    for (i = 0; i < x->images; i++)
        if (!loss_resolve_places(x, u, i, p, named) || !loss_resolve_rest(x, u, i, named)) return 0;
    if (named) loss_names_sort(x);
    return 1;
}

/* ----- the end ---------------------------------------------------------------------------------------------------- */

/* Samples without branch records count only where no sample has some. */
static void loss_join(loss *l)
{
    loss_unit *const a = &l->samples[0], *const b = &l->samples[1], other = *b;
    uint64_t gone = other.read - other.others;
    size_t i;
    if (a->read == 0) {
        *b = *a;
        *a = other;
        return;
    }
    a->read = sum_of(a->read, other.read);
    a->others = sum_of(a->others, other.others);
    for (i = 0; i < LOSS_ADDRESS; i++) {
        a->outside[i] = sum_of(a->outside[i], other.outside[i]);
        a->lost[i] = sum_of(a->lost[i], other.lost[i]);
        gone -= other.lost[i] < gone ? other.lost[i] : gone;
    }
    a->lost[LOSS_ADDRESS] = gone;
}

int loss_end(loss *l, const csspgo_profile *p, double density)
{
    int by_samples;
    if (l == NULL || l->settled) return 1;
    l->settled = 1;
    loss_join(l);
    l->density = density;
    by_samples = l->samples[0].read != 0;
    return loss_resolve(l, &l->samples[0], p, by_samples) && loss_resolve(l, &l->runs, p, !by_samples);
}
