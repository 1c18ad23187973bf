/* pace.c - bursts: what each counts
 *
 * A burst begins at a place with a probability in proportion to the time spent there (burst.c), so code that is slow is
 * in too many bursts. But bursts also tell where execution goes. If they began at branches chosen uniformly, what is in
 * them would be distributed as the places where they begin. So the true share of a place is the stationary distribution
 * of the chain "a burst that begins in s is then in e". No time is in it, and no model of how code behaves.
 *
 * Observations. A place is a region, REC_REGION bytes of code. Shares are measured in mean branches (half for the
 * branch, half for the code before it), as is the length of a burst. An observation is where a piece of execution
 * begins, and which part of it was in which region. Each burst is one. Behind some of them computing goes on without
 * samples, in pieces of REC_PIECE, each another observation. How many is chosen before the burst: a choice that
 * depended on the place would change the chain.
 *
 * Noise. Pieces that end early (at system calls, for example), and as many more as rec_find_pull says, go on at a place
 * picked by time. That draws shares towards those of time, the more the fewer transitions were seen: phases that last
 * longer than all pieces together keep the share of their time. Where two halves of the pieces do not show more than
 * chance, bursts count one each.
 *
 * Weights. Each burst counts so much that all together have the shares found. That is rarely whole. So samples are kept
 * until then, and each is written as often as it counts, rounded so that the sum of all before it is right: any reader
 * of the recording has these counts. Each REC_FLUSH bytes of samples are weighed apart.
 *
 * Tried and left out: measuring how fast code runs, by computing the next thousands of branches, letting the thread run
 * for 40 microseconds, and looking up the registers it stops with. Computing takes the caches from the thread, so a
 * loop over 256 KB seemed up to 40 times slower than it is; json went from 0.96 to 0.92.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

enum {
    REC_REGION = 16, REC_MOST_PARTS = 1 << 22, REC_FLUSH = 64 << 20,
    REC_WORK = 5000000, REC_LEAST_STEPS = 20, REC_MOST_STEPS = 300, /* of the chain: so many parts in all */
    REC_TURNS = 20
};
#define REC_PIECE 250.0           /* mean branches */

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

/* ----- the length of execution ------------------------------------------------------------------------------------ */

enum { REC_FAR = 400, REC_BRANCH_BYTES = 4, REC_USUAL = 20, REC_FIRST = 1000 };

static double rec_bytes(uint64_t last, uint64_t branch)
{
    return branch - last < REC_FAR ? (double)(branch - last + REC_BRANCH_BYTES) : REC_USUAL;
}

/* What a branch counts, where the one before it led to `last`: half for itself, half for the code in between. */
static double rec_branch_size(const recorder *r, uint64_t last, uint64_t branch)
{
    const double mean = (r->burst.bytes + REC_FIRST * REC_USUAL) / (r->burst.passed + REC_FIRST);
    return 0.5 + 0.5 * rec_bytes(last, branch) / mean;
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
    piece->half = (int)(p->bursts & 1);
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

/* So many seconds of CPU time have passed: more may be computed. */
void rec_pace_allow(recorder *r, double seconds)
{
    const double by_rate = 0.02 + 0.13 * (double)r->o.rate / 8000, most = (double)r->o.overhead / 400;
    r->pace.allowed += seconds * (by_rate < most ? by_rate : most);
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

/* A branch of the burst at hand; returns its length. */
double rec_pace_burst_branch(recorder *r, uint64_t last, uint64_t from)
{
    double size;
    r->burst.passed++;
    r->burst.bytes += rec_bytes(last, from);
    size = rec_branch_size(r, last, from);
    if (r->pace.on) rec_add_branch(r, &r->pace, from, size);
    if (r->pace.on) rec_window_ran(r, last, from);
    return size;
}

/* A burst is over and its samples are written, if it has any. */
void rec_pace_burst_ends(recorder *r)
{
    rec_pace *p = &r->pace;
    if (!p->on) return;
    if (!p->continued) rec_end_piece(r, p, p->length, 1);
    if (p->pieces > p->burst_piece) rec_window_saw(r, p->burst_piece);
    p->bursts++;
    if (ftello(r->out) > REC_FLUSH) rec_pace_flush(r);
}

/* ----- shares ----------------------------------------------------------------------------------------------------- */

enum { REC_ALL = 2 };             /* both halves */
#define REC_BY_TIME 1e12          /* a pull: every piece goes on at a place picked by time */
#define REC_CHANCE 2.0           /* how many times the least disagreement of two halves may be chance */

static int rec_is_in(const rec_piece *piece, int half)
{
    return half == REC_ALL || piece->half == half;
}

/* The shares by time: where bursts begin. */
static void rec_share_by_time(rec_pace *p)
{
    size_t i, bursts = 0;
    for (i = 0; i < p->regions; i++) p->region[i].by_time = 0;
    for (i = 0; i < p->pieces; i++) bursts += (size_t)p->piece[i].burst;
    for (i = 0; i < p->pieces; i++) {
        if (p->piece[i].burst) p->region[p->part[p->piece[i].first].region].by_time += 1 / (double)bursts;
    }
}

/* One step of the chain: from the shares of places to those of what begins there. */
static void rec_step_shares(rec_pace *p, int half, double pull)
{
    double anywhere = 0;
    size_t i, k;
    for (i = 0; i < p->regions; i++) p->region[i].next = 0;
    for (i = 0; i < p->pieces; i++) {
        const rec_piece *piece = &p->piece[i];
        const rec_region *from = &p->region[p->part[piece->first].region];
        const double flow = from->began > 0 ? from->share / from->began : 0, goes = flow * piece->whole * (1 - pull);
        if (!rec_is_in(piece, half)) continue;
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

/* The stationary shares, by the pieces of one half or all, where so many go on at a place picked by time. */
static void rec_find_shares(rec_pace *p, int half, double pull)
{
    const size_t most = REC_WORK / (p->parts + 1);
    const size_t steps = pull == REC_BY_TIME ? 1 : most < REC_LEAST_STEPS ? REC_LEAST_STEPS
                                                 : most > REC_MOST_STEPS ? REC_MOST_STEPS : most;
    double all = 0;
    size_t i, n = 0;
    for (i = 0; i < p->regions; i++) {
        p->region[i].began = 0;
        p->region[i].share = p->region[i].by_time;
    }
    for (i = 0; i < p->pieces; i++) {
        if (!rec_is_in(&p->piece[i], half)) continue;
        p->region[p->part[p->piece[i].first].region].began++;
        n++;
    }
    for (i = 0; i < steps; i++) rec_step_shares(p, half, pull / (pull + (double)n));
    for (i = 0; i < p->regions; i++) all += p->region[i].next;
    for (i = 0; i < p->regions; i++) p->region[i].share = all > 0 ? p->region[i].next / all : 0;
}

/*
 * How far shares are to be drawn towards those of time: as far as those of one half agree nearly as well with what the
 * other one says, undrawn, as the best do. So it is little only where slow and fast code differ by more than chance.
 */
static double rec_find_pull(rec_pace *p)
{
    static const double ladder[] = { 30, 120, 500, 2000, REC_BY_TIME };
    enum { STEPS = sizeof ladder / sizeof *ladder };
    double apart[STEPS] = { 0 };
    double least;
    size_t i;
    int half, step;
    for (half = 0; half < 2; half++) {
        rec_find_shares(p, 1 - half, ladder[0]);
        for (i = 0; i < p->regions; i++) p->region[i].other = p->region[i].share;
        for (step = 0; step < STEPS; step++) {
            rec_find_shares(p, half, ladder[step]);
            for (i = 0; i < p->regions; i++) {
                const rec_region *g = &p->region[i];
                apart[step] += (g->share - g->other) * (g->share - g->other);
            }
        }
    }
    for (least = apart[0], step = 1; step < STEPS; step++) if (apart[step] < least) least = apart[step];
    for (step = STEPS - 1; step > 0 && apart[step] > REC_CHANCE * least; step--) { }
    return ladder[step];
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
        for (k = piece->first; k < piece->end; k++) {
            p->region[p->part[k].region].has += p->part[k].size * piece->counts;
        }
        all += piece->size * piece->counts;
    }
    return all;
}

/* The share of each region becomes what all pieces have found. Returns 0 where bursts are best left as they are. */
static int rec_find_all_shares(rec_pace *p)
{
    double pull;
    if (p->pieces == 0) return 0;
    rec_share_by_time(p);
    pull = rec_find_pull(p);
    if (pull == REC_BY_TIME) return 0;
    rec_find_shares(p, REC_ALL, pull);
    return 1;
}

/*
 * What each burst counts: the mixture of bursts that has these shares, by expectation maximisation. It ends early: from
 * equal weights, the first turns give what many bursts agree on, later ones the noise of single regions.
 */
static void rec_weigh(rec_pace *p)
{
    size_t i, k;
    int turn;
    for (i = 0; i < p->pieces; i++) p->piece[i].counts = 1;
    if (!rec_find_all_shares(p)) return;
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
}

/* What each sample counts: what its burst does, and all together as many as they are. */
static void rec_weigh_samples(rec_pace *p)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < p->items; i++) {
        rec_item *m = &p->item[i];
        m->counts = m->piece < p->pieces ? p->piece[m->piece].counts : 1;
        sum += m->counts;
    }
    for (i = 0; i < p->items; i++) p->item[i].counts = sum > 0 ? p->item[i].counts * (double)p->items / sum : 1;
}

/* Writes what is kept, each sample as often as it counts. */
void rec_pace_flush(recorder *r)
{
    rec_pace *p = &r->pace;
    size_t at = 0, i, end;
    if (!p->on) return;
    fflush(r->out);
    end = (size_t)ftello(r->out);
    rec_weigh(p);
    rec_window_weigh(r);
    rec_weigh_samples(p);
    for (i = 0; i < p->items; i++) {
        const rec_item *m = &p->item[i];
        fwrite(p->kept + at, 1, m->begin - at, p->file);
        for (p->owed += m->counts; p->owed >= 0.5; p->owed--) {
            fwrite(p->kept + m->begin, 1, m->end - m->begin, p->file);
            p->written++;
        }
        at = m->end;
    }
    fwrite(p->kept + at, 1, end - at, p->file);
    fseeko(r->out, 0, SEEK_SET);
    p->items = p->bursts = p->pieces = p->parts = 0;
    for (i = 0; i < p->regions; i++) p->region[i].part = 0;
    rec_window_flush(r);
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
void rec_pace_sample(recorder *r, off_t begin)
{
    rec_pace *p = &r->pace;
    if (!p->on) return;
    p->item = (rec_item *)rec_grow(r, p->item, p->items, &p->item_room, sizeof *p->item);
    p->item[p->items].begin = (size_t)begin;
    p->item[p->items].end = (size_t)ftello(r->out);
    p->item[p->items++].piece = p->burst_piece;
}

#endif
