/* pace.c - bursts: what each counts
 *
 * A burst begins at a place with a probability in proportion to the time spent there (burst.c), so what runs slowly is
 * in too many. But bursts also tell where execution goes: if they began at branches chosen uniformly, the places in them
 * would be distributed as the places where they begin. So the true share of a place is the stationary distribution of
 * the chain "what begins in s is then in e": no time is in it, and no model of what the chain is made of.
 *
 * Observations. A place is a region, REC_REGION bytes of code; its share is measured in mean branches (half for the
 * branch, half for the code before it), as is the length of a burst. A burst is one observation: where its first branch
 * is, and which part of it was where. Where a burst ends, computing goes on for a while without samples, in pieces of
 * REC_PIECE, each another observation. Which burst is continued for how long does not depend on where it is.
 *
 * A piece that cannot be computed to its end (system calls), and one in REC_PULL pieces of all, as if it were so, goes
 * on at a place picked by time: where few transitions were seen, shares are drawn towards those of time. So phases that
 * last much longer than all pieces together keep the share of their time, and the weight 1.
 *
 * Weights. Each burst counts the mean of factors of its regions, which are chosen such that all bursts together have
 * the shares found. That is rarely whole. So samples are kept until then, and each is written as often as it counts,
 * rounded so that the sum of all before it is right: any reader of the recording has the right counts.
 *
 * Tried instead, and left out: to measure how fast code runs, by computing the next thousands of branches, letting the
 * thread run for 40 microseconds, and looking up the registers it stops with. Computing takes the caches away from the
 * thread, so what lives in a cache of the second level seems many times too slow.
 */
#include "record.h"

#include <math.h>

#if defined(REC_SOFTWARE)

enum { REC_REGION = 16, REC_STEPS = 150, REC_TURNS = 30, REC_FLUSH = 64 << 20, REC_MOST_PARTS = 1 << 22 };
#define REC_PIECE 250.0           /* mean branches */
#define REC_PULL 30.0             /* pieces, of all */

/* ----- regions ---------------------------------------------------------------------------------------------------- */

static void *rec_grow(const recorder *r, void *v, size_t count, size_t *room, size_t size)
{
    if (count < *room) return v;
    *room = *room != 0 ? 2 * *room : 1024;
    v = realloc(v, *room * size);
    if (v == NULL) rec_die(r->tool, "out of memory");
    return v;
}

static void rec_place_region(rec_pace *p, uint32_t region)
{
    size_t i = (size_t)(p->region[region].key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (p->slots - 1);
    while (p->slot[i] != 0) i = (i + 1) & (p->slots - 1);
    p->slot[i] = region + 1;
}

/* The region that has the code at address. */
static uint32_t rec_region_of(const recorder *r, rec_pace *p, uint64_t address)
{
    const uint64_t key = address / REC_REGION ^ (uint64_t)(r->process != 0 ? r->process : r->pid) << 44;
    size_t i;
    if (2 * (p->regions + 1) > p->slots) {
        p->slots = p->slots != 0 ? 2 * p->slots : 4096;
        free(p->slot);
        p->slot = (uint32_t *)calloc(p->slots, sizeof *p->slot);
        if (p->slot == NULL) rec_die(r->tool, "out of memory");
        for (i = 0; i < p->regions; i++) rec_place_region(p, (uint32_t)i);
    }
    i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (p->slots - 1);
    for (; p->slot[i] != 0; i = (i + 1) & (p->slots - 1)) {
        if (p->region[p->slot[i] - 1].key == key) return p->slot[i] - 1;
    }
    p->region = (rec_region *)rec_grow(r, p->region, p->regions, &p->region_room, sizeof *p->region);
    memset(&p->region[p->regions], 0, sizeof *p->region);
    p->region[p->regions].key = key;
    rec_place_region(p, (uint32_t)p->regions);
    return (uint32_t)p->regions++;
}

/* Adds to the piece whose parts begin at `first`: so much ran in that region. */
static void rec_add_part(const recorder *r, rec_pace *p, size_t first, uint32_t region, double size)
{
    rec_region *g = &p->region[region];
    if (g->part < first || g->part >= p->parts || p->part[g->part].region != region) {
        p->part = (rec_part *)rec_grow(r, p->part, p->parts, &p->part_room, sizeof *p->part);
        g->part = p->parts++;
        p->part[g->part].region = region;
        p->part[g->part].size = 0;
    }
    p->part[g->part].size += (float)size;
}

/* ----- pieces ----------------------------------------------------------------------------------------------------- */

static void rec_begin_piece(rec_pace *p)
{
    p->piece_first = p->parts;
    p->piece_size = 0;
}

/* The piece has ended; wanted: how long it was to be. */
static void rec_end_piece(const recorder *r, rec_pace *p, double wanted, int burst)
{
    rec_piece *piece;
    if (p->parts == p->piece_first) return;
    p->piece = (rec_piece *)rec_grow(r, p->piece, p->pieces, &p->piece_room, sizeof *p->piece);
    piece = &p->piece[p->pieces++];
    piece->first = p->piece_first;
    piece->end = p->parts;
    piece->size = p->piece_size;
    piece->whole = p->piece_size < wanted ? p->piece_size / wanted : 1;
    piece->burst = burst;
}

static void rec_add_branch(const recorder *r, rec_pace *p, uint64_t from, double size)
{
    rec_add_part(r, p, p->piece_first, rec_region_of(r, p, from), size);
    p->piece_size += size;
}

/* A branch was computed behind a burst. */
void rec_pace_branch(recorder *r, uint64_t from)
{
    rec_pace *p = &r->pace;
    rec_add_branch(r, p, from, rec_branch_size(r, p->last, from));
    p->last = r->regs.rip;
    if (p->piece_size < REC_PIECE) return;
    rec_end_piece(r, p, REC_PIECE, 0);
    rec_begin_piece(p);
    p->looking--;
}

/* A burst ends where the computed state is: whether computing goes on. */
int rec_pace_goes_on(recorder *r)
{
    rec_pace *p = &r->pace;
    if (!p->on || p->more == 0 || r->burst.left > 0) return 0;
    p->looking = p->more;
    p->more = 0;
    p->last = r->regs.rip;
    p->continued = 1;
    p->began = rec_cpu_seconds();
    rec_end_piece(r, p, 0, 1);
    rec_begin_piece(p);
    return 1;
}

void rec_pace_stops(recorder *r)
{
    rec_pace *p = &r->pace;
    if (p->looking != 0) rec_end_piece(r, p, REC_PIECE, 0);
    else p->parts = p->piece_first;
    p->looking = 0;
    p->spent += rec_cpu_seconds() - p->began;
}

void rec_pace_burst_begins(recorder *r)
{
    rec_pace *p = &r->pace;
    const double left = p->allowed - p->spent;
    if (!p->on) return;
    rec_begin_piece(p);
    p->length = r->burst.left;
    p->continued = 0;
    p->burst_piece = p->pieces;
    p->more = left > 0 && p->parts < REC_MOST_PARTS ? 1 + (int)(rec_next_random(r) % 60) : 0;
}

void rec_pace_burst_branch(recorder *r, uint64_t from, double size)
{
    if (r->pace.on) rec_add_branch(r, &r->pace, from, size);
}

/* A burst is over and its samples are written, if it has any. */
void rec_pace_burst_ends(recorder *r)
{
    rec_pace *p = &r->pace;
    if (!p->on) return;
    if (!p->continued) rec_end_piece(r, p, p->length, 1);
    p->bursts++;
    if (ftello(r->out) > REC_FLUSH) rec_pace_flush(r);
}

/* ----- shares ----------------------------------------------------------------------------------------------------- */

/* The shares by time: where bursts begin. And how many pieces begin in each region. */
static void rec_share_by_time(rec_pace *p)
{
    size_t i, k, bursts = 0;
    for (i = 0; i < p->regions; i++) {
        p->region[i].began = p->region[i].seen = 0;
        p->region[i].by_time = 0;
    }
    for (i = 0; i < p->pieces; i++) {
        const rec_piece *piece = &p->piece[i];
        rec_region *g = &p->region[p->part[piece->first].region];
        g->began++;
        bursts += (size_t)piece->burst;
        if (piece->burst) g->by_time++;
        for (k = piece->first; k < piece->end; k++) p->region[p->part[k].region].seen++;
    }
    for (i = 0; i < p->regions; i++) {
        p->region[i].by_time /= (double)bursts;
        p->region[i].share = p->region[i].by_time;
    }
}

/* One step of the chain: from the shares of places to those of what begins there. */
static void rec_step_shares(rec_pace *p)
{
    const double pull = REC_PULL / (REC_PULL + (double)p->pieces);
    double anywhere = 0;
    size_t i, k;
    for (i = 0; i < p->regions; i++) p->region[i].next = 0;
    for (i = 0; i < p->pieces; i++) {
        const rec_piece *piece = &p->piece[i];
        const rec_region *from = &p->region[p->part[piece->first].region];
        const double flow = from->share / from->began, goes = flow * piece->whole * (1 - pull);
        for (k = piece->first; k < piece->end; k++) {
            p->region[p->part[k].region].next += goes * p->part[k].size / piece->size;
        }
        anywhere += flow - goes;
    }
    for (i = 0; i < p->regions; i++) {
        rec_region *g = &p->region[i];
        if (g->began == 0) anywhere += g->share;           /* what comes here is not known to go on */
        g->share = g->next;
    }
    for (i = 0; i < p->regions; i++) p->region[i].share += anywhere * p->region[i].by_time;
}

/* ----- weights ---------------------------------------------------------------------------------------------------- */

/* Adds up what ran in each region, by what each burst counts: region.has. */
static double rec_have(rec_pace *p)
{
    double all = 0;
    size_t i, k;
    for (i = 0; i < p->regions; i++) p->region[i].has = 0;
    for (i = 0; i < p->pieces; i++) {
        const rec_piece *piece = &p->piece[i];
        if (!piece->burst || piece->counts <= 0) continue;
        for (k = piece->first; k < piece->end; k++) p->region[p->part[k].region].has += p->part[k].size * piece->counts;
        all += piece->size * piece->counts;
    }
    return all;
}

/* What each burst counts: see above. Without a whole number of turns in it, so little is made of what is noise. */
static void rec_weigh(rec_pace *p)
{
    size_t i, k;
    int turn;
    for (i = 0; i < p->pieces; i++) p->piece[i].counts = 1;
    if (p->pieces == 0) return;
    rec_share_by_time(p);
    for (turn = 0; turn < REC_STEPS; turn++) rec_step_shares(p);
    for (turn = 0; turn < REC_TURNS; turn++) {
        const double all = rec_have(p);
        for (i = 0; i < p->pieces; i++) {
            rec_piece *piece = &p->piece[i];
            double times = 0;
            if (!piece->burst || piece->counts <= 0) continue;
            for (k = piece->first; k < piece->end; k++) {
                const rec_region *g = &p->region[p->part[k].region];
                times += p->part[k].size * g->share * all / g->has;
            }
            piece->counts *= times / piece->size;
        }
    }
    if (getenv("DBG")) for (i = 0; i < p->regions; i++) fprintf(stderr, "region %llx share %g has %g time %g began %g seen %g\n", (unsigned long long)(p->region[i].key & 0xffffffff) * 64, p->region[i].share, p->region[i].has/rec_have(p), p->region[i].by_time, p->region[i].began, p->region[i].seen);
}

/* The piece of each burst, in their order, and the sum of what the samples count. */
static double rec_find_bursts(recorder *r, rec_pace *p)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < p->items; i++) {
        rec_item *m = &p->item[i];
        m->counts = m->piece < p->pieces ? p->piece[m->piece].counts : 1;
        sum += m->counts;
    }
    (void)r;
    return sum;
}

/* Writes what is kept, each sample as often as it counts. */
void rec_pace_flush(recorder *r)
{
    rec_pace *p = &r->pace;
    size_t at = 0, i, end;
    double scale;
    if (!p->on) return;
    fflush(r->out);
    end = (size_t)ftello(r->out);
    if (!getenv("OFF")) rec_weigh(p);
    else for (i = 0; i < p->pieces; i++) p->piece[i].counts = 1;
    scale = (double)p->items / rec_find_bursts(r, p);
    if (getenv("DBG")) fprintf(stderr, "pieces %zu, bursts %zu, regions %zu, parts %zu samples %zu spent %g allowed %g\n", p->pieces, p->bursts, p->regions, p->parts, p->items, p->spent, p->allowed);
    for (i = 0; i < p->items; i++) {
        const rec_item *m = &p->item[i];
        fwrite(p->kept + at, 1, m->begin - at, p->file);
        for (p->owed += scale * m->counts; p->owed >= 0.5; p->owed--) {
            fwrite(p->kept + m->begin, 1, m->end - m->begin, p->file);
            p->written++;
        }
        at = m->end;
    }
    fwrite(p->kept + at, 1, end - at, p->file);
    fseeko(r->out, 0, SEEK_SET);
    p->items = p->bursts = p->pieces = p->parts = 0;
    for (i = 0; i < p->regions; i++) p->region[i].part = 0;
}

/* From here on samples are kept. Without memory for it they are written as they come. */
void rec_pace_begin(recorder *r)
{
    FILE *kept = open_memstream(&r->pace.kept, &r->pace.kept_size);
    if (kept == NULL) return;
    r->pace.file = r->out;
    r->out = kept;
    r->pace.on = 1;
}

void rec_pace_end(recorder *r)
{
    rec_pace *p = &r->pace;
    if (!p->on) return;
    rec_pace_flush(r);
    fclose(r->out);
    r->out = p->file;
    r->samples = p->written;
    p->on = 0;
    free(p->kept);
    free(p->item);
    free(p->piece);
    free(p->part);
    free(p->region);
    free(p->slot);
}

/* A sample of the burst at hand was written to r->out, from `begin` on. */
void rec_pace_sample(recorder *r, size_t begin)
{
    rec_pace *p = &r->pace;
    p->item = (rec_item *)rec_grow(r, p->item, p->items, &p->item_room, sizeof *p->item);
    p->item[p->items].begin = begin;
    p->item[p->items].end = (size_t)ftello(r->out);
    p->item[p->items++].piece = p->burst_piece;
}

#endif
