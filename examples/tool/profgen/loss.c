/* loss.c - profgen: counts what of the samples is in the profile, where the rest went, and in which functions */
#include "profgen.h"

/* ----- functions with probes or lines ----------------------------------------------------------------------------- */

/* How many ranges of code have probes, or lines. */
static size_t loss_places(const loss *x, size_t image)
{
    return x->lines != NULL ? x->lines[image].code.ranges : x->programs->v[image].loaded.ranges;
}

/* The number of the range that has a link-time address; loss_places: none has. */
static size_t loss_place_at(const loss *x, size_t image, uint64_t address)
{
    const line_work *const w = x->lines != NULL ? &x->lines[image] : NULL;
    const loaded *const l = &x->programs->v[image].loaded;
    size_t a = 0, b = l->ranges;
    if (w != NULL) {
        const debug_place *const r = debug_place_at(&w->code, address);
        return r != NULL ? (size_t)(r - w->code.range) : w->code.ranges;
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
    u->image = (loss_image *)calloc(l->images, sizeof *u->image);
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
    for (i = 0; u->image != NULL && i < l->images; i++) free(u->image[i].at);
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
    if (m->count != 0) qsort(m->at, m->count, sizeof *m->at, loss_at_cmp);
    for (i = 0; i < m->count; i++) {
        if (n != 0 && m->at[n - 1].address == m->at[i].address)
            m->at[n - 1].n = sum_of(m->at[n - 1].n, m->at[i].n);
        else m->at[n++] = m->at[i];
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
    v = (loss_at *)realloc(m->at, cap * sizeof *v);
    if (v == NULL) return 0;
    m->at = v;
    m->cap = cap;
    return 1;
}

/* Notes a link-time address of a program. Returns 0 without memory. */
static int loss_put(loss_image *m, uint64_t address, uint64_t n)
{
    if (m->count != 0 && m->at[m->count - 1].address == address) {
        m->at[m->count - 1].n = sum_of(m->at[m->count - 1].n, n);
        return 1;
    }
    if (m->count == m->cap && !loss_room(m)) return 0;
    m->at[m->count].address = address;
    m->at[m->count].where = LOSS_ELSEWHERE;
    m->at[m->count++].n = n;
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
    if (loss_place_at(l, image, address) == loss_places(l, image)) return loss_put(&u->image[image], address, n);
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
        return loss_put(&u->image[image], at, n);
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
        if (!loss_put(&l->runs.image[image], v[i].first, v[i].count)) s = CSSPGO_E_NOMEM;
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

enum {
    NESTED_MOST = 16,             /* symbols within symbols that are looked through */
    LOSS_FRAMES = 256             /* of a probe                                      */
};

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
        name.text = debug_info_ranges(w->functions, &n)[w->code.range[place].index].name;
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

/* ----- functions that are inlined where the code ran -------------------------------------------------------------- */

/*
 * A function whose own blocks did not run, only those of what is inlined into it, has no record in a profile with
 * contexts; the counts stand in the record of the inlinee.
 */

/* 1 if the profile has the function of some probe at an address of the code map. */
static int loss_has_probed(const loss *x, uint64_t address, const csspgo_profile *p)
{
    const csspgo_code *const code = x->programs->v->loaded.code;
    size_t i = csspgo_code_probe_count(code, address);
    while (i-- != 0) {
        csspgo_frame frame[LOSS_FRAMES];
        const size_t n = csspgo_code_probe_stack(code, address, i, frame, LOSS_FRAMES, NULL);
        csspgo_node node;
        if (n == 0 || n > LOSS_FRAMES) continue;
        node = csspgo_func_nodes(p, csspgo_func_find_guid(p, frame[n - 1].guid));
        while (node.id != 0 && !csspgo_has_record(p, node)) node = csspgo_node_next_same(p, node);
        if (node.id != 0) return 1;
    }
    return 0;
}

/* Keeps open addresses by the probes before them in their function, or else behind them. */
static int loss_inlined_probes(const loss *x, loss_image *m, size_t image, const csspgo_profile *p)
{
    const loaded *const l = &x->programs->v[image].loaded;
    const uint64_t away = image != 0 ? (uint64_t)image << IMAGE_BITS : x->programs->bias;
    uint64_t to = 0;
    size_t i;
    int kept = 0;
    for (i = 0; i < m->count; i++) {
        const load_range *r;
        const uint64_t address = m->at[i].address;
        if (m->at[i].where != LOSS_OPEN) continue;
        r = &l->range[loss_place_at(x, image, address)];
        if (to <= r->begin) {                      /* the first one of this function: from its begin on */
            for (to = r->begin; to < r->end && csspgo_code_probe_count(l->code, to + away) == 0;) to++;
            kept = to < r->end && loss_has_probed(x, to++ + away, p);
        }
        for (; to <= address; to++)
            if (csspgo_code_probe_count(l->code, to + away) != 0) kept = loss_has_probed(x, to + away, p);
        if (kept) m->at[i].where = LOSS_KEPT;
    }
    return 1;
}

/* Keeps open addresses by the rows of a unit. */
static void loss_by_rows(loss_image *m, const debug_lines *d, const csspgo_profile *p)
{
    size_t i, k = 0;
    for (i = 0; i < m->count; i++) {
        while (k + 1 < d->rows && d->row[k + 1].address <= m->at[i].address) k++;
        if (m->at[i].where != LOSS_OPEN || k >= d->rows || d->row[k].address > m->at[i].address) continue;
        if (d->row[k].inline_node != 0) {
            const csspgo_line_inline_node *const node = &d->node[d->row[k].inline_node - 1];
            loss_name name;
            memset(&name, 0, sizeof name);
            name.text = node->name;
            name.size = node->name_size;
            if (name.text != NULL && loss_is_kept(p, &name)) m->at[i].where = LOSS_KEPT;
        }
    }
}

/* Keeps open addresses by what the debug information says is inlined there. Returns 0 without memory. */
static int loss_inlined_lines(const loss *x, loss_image *m, size_t image, const csspgo_profile *p)
{
    debug_info *const d = x->lines[image].debug;
    const size_t units = debug_info_units(d);
    debug_area *const area = (debug_area *)malloc((m->count + 1) * sizeof *area);
    unsigned char *const unit = (unsigned char *)calloc(units + 1, 1);
    debug_areas in;
    size_t i;
    int ok = area != NULL && unit != NULL;
    in.v = area;
    in.n = 0;
    for (i = 0; ok && i < m->count; i++) {
        if (m->at[i].where != LOSS_OPEN) continue;
        area[in.n].begin = m->at[i].address;
        area[in.n++].end = m->at[i].address + 1;
    }
    if (ok) debug_info_units_in(d, &in, unit);
    for (i = 0; ok && i < units; i++) {
        debug_lines rows;
        if (!unit[i]) continue;
        ok = debug_info_lines(d, i, &in, &rows);
        if (ok) loss_by_rows(m, &rows, p);
    }
    free(area);
    free(unit);
    return ok;
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

/* Adds addresses that are lost; named: to the list, too. Returns 0 without memory. */
static int loss_add(loss *x, loss_unit *u, const loss_name *name, int named)
{
    u->lost[name->why] = sum_of(u->lost[name->why], name->n);
    return !named || loss_name_add(x, name);
}

/*
 * Marks what is kept of the addresses in functions with probes or lines: those whose function has a record, and those
 * of which a function that is inlined there has one. Returns 0 without memory.
 */
static int loss_mark(const loss *x, loss_image *m, size_t image, const csspgo_profile *p)
{
    const size_t places = loss_places(x, image);
    size_t i, last = places, open = 0;
    int kept = 0;
    for (i = 0; i < m->count; i++) {
        const size_t place = loss_place_at(x, image, m->at[i].address);
        if (place == places) continue;
        if (place != last) {
            const loss_name name = loss_place_name(x, image, place);
            kept = p == NULL || loss_is_kept(p, &name);
        }
        last = place;
        m->at[i].where = kept ? LOSS_KEPT : LOSS_OPEN;
        open += !kept;
    }
    return open == 0 || (x->lines != NULL ? loss_inlined_lines(x, m, image, p) : loss_inlined_probes(x, m, image, p));
}

/* Tells kept from lost of one program, and names the latter: by function, else by symbol, else by section. */
static int loss_resolve_image(loss *x, loss_unit *u, size_t image, const csspgo_profile *p, int named)
{
    loss_image *const m = &u->image[image];
    const loaded *const l = &x->programs->v[image].loaded;
    size_t i, n = 0;
    loss_symbol *v;
    int ok = 1;
    if (m->count == 0) return 1;
    loss_settle(m);
    if (!loss_mark(x, m, image, p)) return 0;
    v = loss_symbols(l, &n);
    for (i = 0; v != NULL && ok && i < m->count; i++) {
        const loss_symbol *y = NULL;
        loss_name name;
        elf_section s;
        if (m->at[i].where == LOSS_KEPT) {
            u->kept = sum_of(u->kept, m->at[i].n);
            continue;
        }
        if (m->at[i].where == LOSS_OPEN) {
            name = loss_place_name(x, image, loss_place_at(x, image, m->at[i].address));
            name.why = LOSS_NO_RECORD;
        } else {
            memset(&name, 0, sizeof name);
            if (loss_section(&l->elf, m->at[i].address, &s)) y = loss_symbol_of(v, n, &s, m->at[i].address);
            name.text = y != NULL ? y->name : s.name_size != 0 ? s.name : "?";
            name.size = y != NULL ? y->size : s.name_size != 0 ? s.name_size : 1;
            name.why = y != NULL ? LOSS_NO_PLACES : LOSS_NO_FUNCTION;
        }
        name.n = m->at[i].n;
        ok = loss_add(x, u, &name, named);
    }
    free(v);
    return ok && v != NULL;
}

/* Tells kept from lost, and lists the functions of the latter if they are to be named. */
static int loss_resolve(loss *x, loss_unit *u, const csspgo_profile *p, int named)
{
    size_t i;
    for (i = 0; i < x->images; i++)
        if (!loss_resolve_image(x, u, i, p, named)) return 0;
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
