/* profgen_detail.c - profgen: which ranges ran; --show-detailed-warning: what makes no sense, address by address */
#include "profgen.h"

/*
 * The same few ranges run again and again: what was noted of late is added up here before it is put into the list, and
 * whether an address is code is looked up once. By hash of the addresses, what came last.
 */
typedef struct detail_cache {
    detail   range[4096];         /* count 0: none */
    uint64_t address[4096];       /* + 1; 0: none */
    uint64_t bias;                /* of the code that it is of */
    char     code[4096];
} detail_cache;

static int detail_order(const void *a, const void *b)
{
    const detail *x = (const detail *)a, *y = (const detail *)b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* Sorts, and adds up what is there twice. */
void details_settle(profgen *g)
{
    size_t i, n = 0;
    if (g->details != 0) qsort(g->detail, g->details, sizeof *g->detail, detail_order);
    for (i = 0; i < g->details; i++) {
        detail *const last = n != 0 ? &g->detail[n - 1] : NULL;
        if (last == NULL || detail_order(last, &g->detail[i]) != 0) g->detail[n++] = g->detail[i];
        else last->count += g->detail[i].count > UINT64_MAX - last->count ? UINT64_MAX - last->count
                                                                          : g->detail[i].count;
    }
    g->details = n;
}

/* Room for one more. Returns 0 after saying what is wrong. */
static int details_room(profgen *g)
{
    const size_t cap = g->detail_cap * 2 + 4096;
    detail *more;
    if (g->details < g->detail_cap) return 1;
    details_settle(g);
    if (g->details < g->detail_cap / 2) return 1;
    more = (detail *)realloc(g->detail, cap * sizeof *more);
    if (more == NULL) return fail(g->tool, "out of memory"), 0;
    g->detail = more;
    g->detail_cap = cap;
    return 1;
}

static size_t detail_slot(uint64_t a, uint64_t b)
{
    return (size_t)((a * 0x9e3779b97f4a7c15u ^ b) * 0x9e3779b97f4a7c15u >> 52);
}

/* Puts a range into the list. Returns 0 after saying what is wrong. */
static int details_put(profgen *g, const detail *d)
{
    if (!details_room(g)) return 0;
    g->detail[g->details++] = *d;
    return 1;
}

static int details_push(profgen *g, uint64_t start, uint64_t end, uint64_t count)
{
    detail *const d = &g->noted->range[detail_slot(start, end)];
    count = count != 0 ? count : 1;
    if (d->count != 0 && d->start == start && d->end == end) {
        d->count += count > UINT64_MAX - d->count ? UINT64_MAX - d->count : count;
        return 1;
    }
    if (d->count != 0 && !details_put(g, d)) return 0;
    d->start = start;
    d->end = end;
    d->count = count;
    return 1;
}

/* Puts all that was noted into the list. Returns 0 after saying what is wrong. */
int details_flush(profgen *g)
{
    size_t i;
    for (i = 0; g->noted != NULL && i < sizeof g->noted->range / sizeof *g->noted->range; i++) {
        detail *const d = &g->noted->range[i];
        if (d->count != 0 && !details_put(g, d)) return 0;
        d->count = 0;
    }
    return 1;
}

/* 1 if samples are to be noted. */
int details_wanted(const profgen *g)
{
    return g->o[O_DETAILS].number || (as_llvm(g) && !g->tool->quiet);
}

int is_code(const profgen *g, uint64_t address)
{
    return csspgo_code_runs_straight(g->image.code, address, address) == 1;
}

/* The same, kept for the next time; code of a JIT comes and goes. */
static int is_known_code(profgen *g, uint64_t address)
{
    detail_cache *const c = g->noted;
    const size_t i = detail_slot(address, 0);
    if (g->jit != NULL) return is_code(g, address);
    if (c->bias != g->bias) memset(c->address, 0, sizeof c->address);
    c->bias = g->bias;
    if (c->address[i] != address + 1) {
        c->address[i] = address + 1;
        c->code[i] = (char)is_code(g, address);
    }
    return c->code[i];
}

/* Notes a sample, in link-time addresses; 1 stands for other code. taken: by the collector. */
int details_add(profgen *g, const csspgo_sample *s, int taken)
{
    uint64_t end = 0;
    uint32_t i;
    if (g->noted == NULL) g->noted = (detail_cache *)calloc(1, sizeof *g->noted);
    if (g->noted == NULL) return fail(g->tool, "out of memory"), 0;
    g->external += s->stack_count != 0 && !is_known_code(g, s->stack[0]);
    for (i = 0; taken && i < s->branch_count; i++) {
        const int from = is_known_code(g, s->branches[i].from), to = is_known_code(g, s->branches[i].to);
        if (!from && !to) continue;
        if (end != 0 && !details_push(g, to ? s->branches[i].to - g->bias : 1, end, s->count)) return 0;
        end = from ? s->branches[i].from - g->bias : 1;
    }
    for (i = 1; i < s->stack_count; i++) {
        if (!is_known_code(g, s->stack[i]) || csspgo_code_call_before(g->image.code, s->stack[i]) != 0) continue;
        return details_push(g, UINT64_MAX, s->stack[i] - g->bias, s->count);
    }
    return 1;
}

/* The end of the function's code around an address, 0 if there is none. */
static uint64_t function_end(const profgen *g, uint64_t address)
{
    const load_range *r = g->image.range;
    size_t a = 0, b = g->image.ranges;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (r[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a != 0 && address < r[a - 1].end ? r[a - 1].end : 0;
}

static void detail_range(const profgen *g, const detail *d)
{
    const int start = d->start != 1, end = d->end != 1;
    const csspgo_code *code = g->image.code;
    const uint64_t stop = function_end(g, d->start);
    const char *what[4] = { NULL, NULL, NULL, NULL };
    size_t i;
    if (!start && !end) return;
    if (!start || !end || csspgo_code_kind(code, d->end + g->bias) == CSSPGO_NONE)
        what[0] = "does not lead from code of the program to a branch of it";
    if (stop == 0) what[1] = "begins in no function with probes";
    else if (d->end >= stop) what[2] = "leaves its function";
    if (stop != 0 && start && end && csspgo_code_runs_straight(code, d->start + g->bias, d->end + g->bias) != 1)
        what[3] = "cannot run straight";
    for (i = 0; i < 4; i++)
        if (what[i] != NULL)
            warn(g->tool, "[%8llx,%8llx] %s", (unsigned long long)d->start, (unsigned long long)d->end, what[i]);
}

void details_show(profgen *g)
{
    size_t i;
    if (!as_llvm(g)) details_settle(g);
    for (i = 0; !as_llvm(g) && i < g->details; i++)
        if (g->detail[i].start != UINT64_MAX) detail_range(g, &g->detail[i]);
        else warn(g->tool, "0x%llx is a return address without a call before it", (unsigned long long)g->detail[i].end);
}
