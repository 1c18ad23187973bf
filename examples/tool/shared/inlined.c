/* inlined.c - lines of inlined functions in the call stacks of a script
 *
 * The library folds them (csspgo_script_drop_repeats). The debug information, which is asked for each address once,
 * tells what is inlined where; by probe the probes of calls do where that is enough. As long as nothing has told
 * whether the text has such lines, samples that depend on it wait.
 */
#include "recording.h"

enum {
    FOLD_PROBED = 64,             /* samples without repeats whose frames are looked up, to learn what the text has */
    FOLD_ALONE = 256,             /* ... that the library sees                                                      */
    HELD_MOST = 1024
};

typedef struct held_sample held_sample;
typedef struct inlined_at { uint64_t address; csspgo_inline_depth n; int known; } inlined_at;

struct held_sample {              /* its arrays are behind it */
    held_sample  *next;
    csspgo_sample sample;
    uint64_t      mark;           /* of the caller */
};

struct inlined_work {
    inlined_at     *place;        /* hash table of `places`, a power of 2 */
    size_t          places, count;
    csspgo_inline_depth *of;      /* of the frames of a sample            */
    debug_area     *area;         /* ... whose addresses are new          */
    size_t          cap;
    uint64_t        probed, alone;
    debug_info    **lines;        /* by probe: of the programs, or NULL   */
    size_t          opened;       /* ... how many were looked for         */
    held_sample    *held, *last;  /* samples that wait, in their order    */
    held_sample    *given;        /* the one of these that is the caller's now */
    size_t          waiting;
    int             releases;     /* those that wait are ready            */
    int             ready;        /* ... and then the next one: 2 after folding it again */
    csspgo_sample   next, placed; /* folded, and as it came               */
    uint64_t        mark;
};

void inlined_free(inlined_work *w)
{
    if (w == NULL) return;
    while (w->opened != 0) debug_info_close(w->lines[--w->opened]);
    free(w->lines);
    while (w->held != NULL) {
        held_sample *const next = w->held->next;
        free(w->held);
        w->held = next;
    }
    free(w->given);
    free(w->place);
    free(w->of);
    free(w->area);
    free(w);
}

/* The place of an address of the code map, taken or free; there is a free one. */
static inlined_at *inlined_place(const inlined_work *w, uint64_t address)
{
    size_t i = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (w->places - 1);
    while (w->place[i].known && w->place[i].address != address) i = (i + 1) & (w->places - 1);
    return &w->place[i];
}

/* Room for n more addresses. Returns 0 without memory. */
static int inlined_room(inlined_work *w, size_t n)
{
    const inlined_work old = *w;
    size_t i;
    if ((w->count + n) * 2 <= w->places) return 1;
    for (w->places = w->places != 0 ? w->places : 1024; (w->count + n) * 2 > w->places;) w->places *= 2;
    w->place = (inlined_at *)calloc(w->places, sizeof *w->place);
    if (w->place == NULL) {
        *w = old;
        return 0;
    }
    for (i = 0; i < old.places; i++)
        if (old.place[i].known) *inlined_place(w, old.place[i].address) = old.place[i];
    free(old.place);
    return 1;
}

/* The functions that are inlined where a row is of. */
static csspgo_inline_depth inlined_in(const debug_lines *l, uint32_t node)
{
    csspgo_inline_depth n = { 0, 0 };
    uint32_t top = node, i;
    if (node == 0) return n;
    while (l->node[top - 1].parent != 0) top = l->node[top - 1].parent;
    for (i = node; i != top; i = l->node[i - 1].parent) {
        const csspgo_line_inline_node *a = &l->node[i - 1], *b = &l->node[top - 1];
        n.all++;
        n.same += a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
    }
    return n;
}

/* Notes what a unit says of addresses; away: from these to those of the code map. */
static void inlined_note(const inlined_work *w, const debug_lines *l, const debug_areas *in, uint64_t away)
{
    size_t i, k = 0;
    for (i = 0; i < in->n; i++) {
        while (k + 1 < l->rows && l->row[k + 1].address <= in->v[i].begin) k++;
        if (k < l->rows && l->row[k].address <= in->v[i].begin && l->row[k].inline_node != 0)
            inlined_place(w, in->v[i].begin + away)->n = inlined_in(l, l->row[k].inline_node);
    }
}

/* Asks one program's debug information. Returns 0 without memory. */
static int inlined_ask(const inlined_work *w, debug_info *d, const debug_areas *in, uint64_t away)
{
    const size_t units = debug_info_units(d);
    unsigned char *unit = (unsigned char *)calloc(units + 1, 1);
    debug_lines l;
    size_t i;
    int ok = unit != NULL;
    if (ok) debug_info_units_in(d, in, unit);
    for (i = 0; ok && i < units; i++) {
        if (!unit[i]) continue;
        ok = debug_info_lines(d, i, in, &l);
        if (ok) inlined_note(w, &l, in, away);
    }
    free(unit);
    return ok;
}

static int inlined_area_cmp(const void *a, const void *b)
{
    const debug_area *x = (const debug_area *)a, *y = (const debug_area *)b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/*
 * The address of a frame that perf has looked up: that of the call where it has unwound the stack by DWARF, or else the
 * frame's.
 */
static uint64_t inlined_address(const reader *r, const csspgo_sample *s, uint32_t i)
{
    const csspgo_processes *const spaces = r->programs->spaces;
    return s->stack[i] - (i != 0 && spaces != NULL && csspgo_processes_get_stats(spaces).call_addresses != 0);
}

/* Looks up the frames of a sample that are new, of each program in its debug information. Returns 0 without memory. */
static int inlined_look_up(const reader *r, inlined_work *w, const csspgo_sample *s)
{
    debug_areas in;
    uint32_t i;
    for (i = 0; i < s->stack_count; i++) {
        inlined_at *const p = inlined_place(w, inlined_address(r, s, i));
        w->area[i].begin = p->known ? UINT64_MAX : inlined_address(r, s, i);
        w->count += !p->known;
        p->address = inlined_address(r, s, i);
        p->known = 1;
    }
    qsort(w->area, s->stack_count, sizeof *w->area, inlined_area_cmp);
    in.v = w->area;
    for (i = 0; i < s->stack_count && w->area[i].begin != UINT64_MAX; i += (uint32_t)in.n, in.v += in.n) {
        const size_t image = programs_number(r->programs, w->area[i].begin);
        debug_info *const lines = w->opened != 0 ? w->lines[image] : r->programs->v[image].lines;
        const uint64_t away = image != 0 ? (uint64_t)image << IMAGE_BITS : r->programs->bias;
        for (in.n = 0; i + in.n < s->stack_count && w->area[i + in.n].begin != UINT64_MAX; in.n++) {
            debug_area *const a = &w->area[i + in.n];
            if (in.n != 0 && programs_number(r->programs, a->begin) != image) break;
            a->begin -= away;
            a->end = a->begin + 1;
        }
        if (lines != NULL && !inlined_ask(w, lines, &in, away)) return 0;
    }
    return 1;
}

/* What is inlined at each frame of a sample; NULL without memory. */
static const csspgo_inline_depth *inlined_of(const reader *r, inlined_work *w, const csspgo_sample *s)
{
    uint32_t i;
    if (w->cap < s->stack_count) {
        const size_t cap = (size_t)s->stack_count * 2;
        free(w->of);
        free(w->area);
        w->of = (csspgo_inline_depth *)malloc(cap * sizeof *w->of);
        w->area = (debug_area *)malloc(cap * sizeof *w->area);
        w->cap = w->of != NULL && w->area != NULL ? cap : 0;
    }
    if (w->cap == 0 || !inlined_room(w, s->stack_count) || !inlined_look_up(r, w, s)) return NULL;
    for (i = 0; i < s->stack_count; i++) w->of[i] = inlined_place(w, inlined_address(r, s, i))->n;
    return w->of;
}

/* 1 if two neighbours of a stack are equal. */
static int has_repeats(const csspgo_sample *s)
{
    uint32_t i;
    for (i = 1; i < s->stack_count; i++)
        if (s->stack[i] == s->stack[i - 1]) return 1;
    return 0;
}

/* The debug information of a program that has probes, for debug_info_close; NULL: it has none. */
static debug_info *open_lines(const program_image *m, const char *packed)
{
    char why[256];
    debug_options how;
    debug_info *d;
    memset(&how, 0, sizeof how);
    how.first = csspgo_code_base(m->loaded.code, m->loaded.module);
    how.symbols = load_symbols(&m->loaded);
    how.packed = packed;
    how.program = m->path;
    how.alt = m->loaded.alt;
    d = debug_info_open(load_from_path(&m->loaded, LOAD_LINES, m->path), &how, why, sizeof why);
    if (d == NULL || debug_info_units(d) != 0) return d;
    debug_info_close(d);
    return NULL;
}

/*
 * 1 if the debug information is to be asked what is inlined at the frames of a sample. By probe that is only where it
 * matters, in text that has lines of inlined functions which do not say so: the probes of calls say what is inlined
 * there, but perf prints what is at the return address. Returns -1 without memory.
 */
static int asks_debug(const reader *r, inlined_work *w, const csspgo_sample *s)
{
    const csspgo_script_stats had = csspgo_script_get_stats(r->script);
    if (r->programs->v->lines != NULL) return has_repeats(s) || w->probed++ < FOLD_PROBED;
    if (!has_repeats(s) || had.inlined != 0 || had.with_lines == 0) return 0;
    if (w->opened != 0) return w->lines[0] != NULL;
    w->lines = (debug_info **)calloc(r->programs->count, sizeof *w->lines);
    if (w->lines == NULL) return -1;
    for (; w->opened < r->programs->count; w->opened++)
        w->lines[w->opened] = open_lines(&r->programs->v[w->opened], r->how.packed);
    return w->lines[0] != NULL;
}

/* Folds a sample. Returns 0 without memory. */
static int inlined_fold(const reader *r, csspgo_sample *s)
{
    const int asks = asks_debug(r, r->inlined, s);
    const csspgo_inline_depth *const inlined = asks > 0 ? inlined_of(r, r->inlined, s) : NULL;
    if (asks < 0 || (asks > 0 && inlined == NULL)) return 0;
    return csspgo_script_drop_repeats(r->script, inlined, s, NULL) == CSSPGO_OK;
}

/* ----- samples that wait for others to tell what the text has ----------------------------------------------------- */

/* Returns 0 without memory. */
static int hold(inlined_work *w, const csspgo_sample *s, uint64_t mark)
{
    const size_t stack = s->stack_count * sizeof *s->stack, branches = s->branch_count * sizeof *s->branches;
    held_sample *const h = (held_sample *)malloc(sizeof *h + stack + branches);
    if (h == NULL) return 0;
    h->next = NULL;
    h->mark = mark;
    h->sample = *s;
    h->sample.stack = (const uint64_t *)(h + 1);
    h->sample.branches = (const csspgo_branch *)((const char *)(h + 1) + stack);
    if (stack != 0) memcpy(h + 1, s->stack, stack);
    if (branches != 0) memcpy((char *)(h + 1) + stack, s->branches, branches);
    *(w->held != NULL ? &w->last->next : &w->held) = h;
    w->last = h;
    w->waiting++;
    return 1;
}

/* 1 once something has told whether the text has lines of inlined functions. */
static int is_learnt(const reader *r)
{
    const csspgo_script_stats s = csspgo_script_get_stats(r->script);
    return s.inlined != 0 || s.with_lines != 0 || s.without_lines != 0;
}

/* 1 if the stack of a sample may have such lines. */
static int may_fold(const reader *r, const csspgo_sample *s)
{
    return r->script != NULL && !r->tool->compat && s->stack_count != 0 && !r->how.no_stacks;
}

int reader_fold(reader *r, const csspgo_sample *placed, uint64_t mark)
{
    inlined_work *w;
    uint64_t had;
    int knew;
    if (r->inlined == NULL) r->inlined = (inlined_work *)calloc(1, sizeof *r->inlined);
    if ((w = r->inlined) == NULL) return fail(r->tool, "out of memory"), 0;
    w->next = *placed;
    w->mark = mark;
    w->ready = 1;
    if (!may_fold(r, placed) || (!has_repeats(placed) && w->alone++ >= FOLD_ALONE)) return 1;
    knew = is_learnt(r);
    had = csspgo_script_get_stats(r->script).with_lines;
    if (!inlined_fold(r, &w->next)) return fail(r->tool, "out of memory"), 0;
    if (w->next.stack_count != placed->stack_count && !is_learnt(r) && w->waiting < HELD_MOST && !r->how.in_turn) {
        w->ready = 0;
        return hold(w, placed, mark) || (fail(r->tool, "out of memory"), 0);
    }
    w->releases = (!knew && is_learnt(r)) || (had == 0 && csspgo_script_get_stats(r->script).with_lines != 0);
    if (!w->releases) return 1;
    w->placed = *placed;
    w->ready = 2;
    return 1;
}

/* The first of those that wait. Returns -1 after saying what is wrong. */
static int take_held(reader *r, csspgo_sample *sample, uint64_t *mark)
{
    inlined_work *const w = r->inlined;
    held_sample *const h = w->given = w->held;
    w->held = h->next;
    w->waiting--;
    *sample = h->sample;
    *mark = h->mark;
    return inlined_fold(r, sample) ? 1 : (fail(r->tool, "out of memory"), -1);
}

int reader_folded(reader *r, csspgo_sample *sample, uint64_t *mark)
{
    inlined_work *const w = r->inlined;
    if (w == NULL) return 0;
    free(w->given);
    w->given = NULL;
    if (w->releases && w->held != NULL) return take_held(r, sample, mark);
    w->releases = 0;
    if (!w->ready) return 0;
    if (w->ready == 2) {
        w->next = w->placed;
        if (!inlined_fold(r, &w->next)) return fail(r->tool, "out of memory"), -1;
    }
    w->ready = 0;
    *sample = w->next;
    *mark = w->mark;
    return 1;
}

void reader_release(reader *r)
{
    if (r->inlined != NULL) r->inlined->releases = 1;
}
