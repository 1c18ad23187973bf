/* detail.c - profgen: which ranges ran; --show-detailed-warning: what makes no sense, address by address */
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
void details_settle(details *d)
{
    size_t i, n = 0;
    if (d->count != 0) qsort(d->v, d->count, sizeof *d->v, detail_order);
    for (i = 0; i < d->count; i++) {
        detail *const last = n != 0 ? &d->v[n - 1] : NULL;
        if (last == NULL || detail_order(last, &d->v[i]) != 0) d->v[n++] = d->v[i];
        else last->count = sum_of(last->count, d->v[i].count);
    }
    d->count = n;
}

/* Room for one more. Returns 0 without memory. */
static int details_room(details *d)
{
    const size_t cap = d->cap * 2 + 4096;
    detail *more;
    if (d->count < d->cap) return 1;
    details_settle(d);
    if (d->count < d->cap / 2) return 1;
    more = (detail *)realloc(d->v, cap * sizeof *more);
    if (more == NULL) return 0;
    d->v = more;
    d->cap = cap;
    return 1;
}

static size_t detail_slot(uint64_t a, uint64_t b)
{
    return (size_t)((a * 0x9e3779b97f4a7c15u ^ b) * 0x9e3779b97f4a7c15u >> 52);
}

/* Puts a range into the list. Returns 0 without memory. */
static int details_put(details *d, const detail *range)
{
    if (!details_room(d)) return 0;
    d->v[d->count++] = *range;
    return 1;
}

static int details_push(details *d, uint64_t start, uint64_t end, uint64_t count)
{
    detail *const at = &d->cache->range[detail_slot(start, end)];
    count = count != 0 ? count : 1;
    if (at->count != 0 && at->start == start && at->end == end) {
        at->count = sum_of(at->count, count);
        return 1;
    }
    if (at->count != 0 && !details_put(d, at)) return 0;
    at->start = start;
    at->end = end;
    at->count = count;
    return 1;
}

/* Puts all that was noted into the list. */
int details_flush(details *d)
{
    size_t i;
    for (i = 0; d->cache != NULL && i < sizeof d->cache->range / sizeof *d->cache->range; i++) {
        detail *const at = &d->cache->range[i];
        if (at->count != 0 && !details_put(d, at)) return 0;
        at->count = 0;
    }
    return 1;
}

void details_free(details *d)
{
    free(d->v);
    free(d->cache);
}

/* As is_code, kept for the next time; changes: code comes and goes, as that of a JIT. */
static int is_known_code(details *d, const programs *p, uint64_t address, int changes)
{
    detail_cache *const c = d->cache;
    const size_t i = detail_slot(address, 0);
    if (changes) return is_code(p, address);
    if (c->bias != p->bias) memset(c->address, 0, sizeof c->address);
    c->bias = p->bias;
    if (c->address[i] != address + 1) {
        c->address[i] = address + 1;
        c->code[i] = (char)is_code(p, address);
    }
    return c->code[i];
}

/* Notes a sample, in link-time addresses; 1 stands for other code. taken: by the collector. */
int details_add(details *d, const programs *p, const csspgo_sample *s, int taken, int changes)
{
    const csspgo_code *const code = p->v->loaded.code;
    uint64_t end = 0;
    uint32_t i;
    if (d->cache == NULL) d->cache = (detail_cache *)calloc(1, sizeof *d->cache);
    if (d->cache == NULL) return 0;
    if (s->stack_count != 0 && !is_known_code(d, p, s->stack[0], changes)) d->external += repeats_of(s);
    for (i = 0; taken && i < s->branch_count; i++) {
        const csspgo_branch *const b = &s->branches[i];
        const int from = is_known_code(d, p, b->from, changes), to = is_known_code(d, p, b->to, changes);
        if (!from && !to) continue;
        if (end != 0 && !details_push(d, to ? b->to - p->bias : 1, end, s->count)) return 0;
        end = from ? b->from - p->bias : 1;
    }
    for (i = 1; i < s->stack_count; i++) {
        if (!is_known_code(d, p, s->stack[i], changes) || csspgo_code_call_before(code, s->stack[i]) != 0) continue;
        return details_push(d, UINT64_MAX, s->stack[i] - p->bias, s->count);
    }
    return 1;
}

/* The end of the function's code around an address, 0 if there is none. */
static uint64_t function_end(const loaded *l, uint64_t address)
{
    const load_range *r = l->range;
    size_t a = 0, b = l->ranges;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (r[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a != 0 && address < r[a - 1].end ? r[a - 1].end : 0;
}

static void detail_range(const tool_context *tool, const programs *p, const detail *d)
{
    const int start = d->start != 1, end = d->end != 1;
    const csspgo_code *code = p->v->loaded.code;
    const uint64_t stop = function_end(&p->v->loaded, d->start);
    const char *what[4] = { NULL, NULL, NULL, NULL };
    size_t i;
    if (!start && !end) return;
    if (!start || !end || csspgo_code_transfer_kind(code, d->end + p->bias) == CSSPGO_NONE)
        what[0] = "does not lead from code of the program to a branch of it";
    if (stop == 0) what[1] = "begins in no function with probes";
    else if (d->end >= stop) what[2] = "leaves its function";
    if (stop != 0 && start && end && csspgo_code_runs_straight(code, d->start + p->bias, d->end + p->bias) != 1)
        what[3] = "cannot run straight";
    for (i = 0; i < 4; i++)
        if (what[i] != NULL)
            warn(tool, "[%8llx,%8llx] %s", (unsigned long long)d->start, (unsigned long long)d->end, what[i]);
}

void details_show(const tool_context *tool, details *d, const programs *p)
{
    size_t i;
    details_settle(d);
    for (i = 0; i < d->count; i++)
        if (d->v[i].start != UINT64_MAX) detail_range(tool, p, &d->v[i]);
        else warn(tool, "0x%llx is a return address without a call before it", (unsigned long long)d->v[i].end);
}
