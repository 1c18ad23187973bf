/* profgen_detail.c - profgen: which ranges ran; --show-detailed-warning: what makes no sense, address by address */
#include "profgen.h"

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

static int details_push(profgen *g, uint64_t start, uint64_t end, uint64_t count)
{
    detail *d;
    if (!details_room(g)) return 0;
    d = &g->detail[g->details++];
    d->start = start;
    d->end = end;
    d->count = count != 0 ? count : 1;
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

/* Notes a sample, in link-time addresses; 1 stands for other code. taken: by the collector. */
int details_add(profgen *g, const csspgo_sample *s, int taken)
{
    uint64_t end = 0;
    uint32_t i;
    g->external += s->stack_count != 0 && !is_code(g, s->stack[0]);
    for (i = 0; taken && i < s->branch_count; i++) {
        const int from = is_code(g, s->branches[i].from), to = is_code(g, s->branches[i].to);
        if (!from && !to) continue;
        if (end != 0 && !details_push(g, to ? s->branches[i].to - g->bias : 1, end, s->count)) return 0;
        end = from ? s->branches[i].from - g->bias : 1;
    }
    for (i = 1; i < s->stack_count; i++) {
        if (!is_code(g, s->stack[i]) || csspgo_code_call_before(g->image.code, s->stack[i]) != 0) continue;
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
