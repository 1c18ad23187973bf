/* sampler.c - a game that profiles itself while it runs
 *
 *     make build/sampler && build/sampler                  5000 frames
 *     build/sampler FRAMES [lbr|clock|timer|off]           so many, with that source of samples only
 *
 * The game (its first part) is an ordinary C program: a loop of frames. The sampler (the second part) is what one would
 * add to it: nothing is written to disk, no other process is involved, and after hours the memory is what it was after
 * a minute.
 *
 *   start    csspgo's code map is filled from the program's own file (load.h): code, functions, probes. Only clang
 *            makes probes (-fpseudo-probe-for-profiling; the Makefile takes clang-19 if it is there). Without them
 *            blocks have no names that survive a new build: the program says so, and plays without sampling.
 *   samples  the best source that there is, in this order; what is used is said.
 *              lbr    the CPU's last branch records, by perf_event_open: exact counts of blocks and calls
 *              clock  the kernel's CPU clock, by perf_event_open: where time goes, in which calling context
 *              timer  the same by setitimer and a signal handler that follows the frame pointers, where
 *                     perf_event_open is not permitted (containers, kernel.perf_event_paranoid above 2)
 *   frame    after each frame the records in the ring buffer are handed to csspgo where they lie. Nothing is copied but
 *            the odd record that wraps around the ring's end.
 *   memory   every now and then the collector's counters go into the profile, which takes some milliseconds (most of
 *            the code map is csspgo itself here): a game would do it where a late frame is not seen. A collector that
 *            has become large is replaced by a new one, as it keeps its memory for the next samples; in a profile that
 *            has, the coldest contexts are merged into shorter ones.
 *
 * The profile is that of csspgo_collector_profile: it could be written for the next build (csspgo_write_file), or asked
 * right away. Here the hottest contexts are printed. LBR machines were not at hand: that source is written after the
 * kernel's documentation, and its decoder, csspgo_ring_next, is tested on synthetic pages.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----- the game --------------------------------------------------------------------------------------------------- */

enum { MAP = 64, ACTORS = 1000, WIDTH = 512, HEIGHT = 512, TILE = 8, CLEAR = 255 };

typedef struct actor {
    int x, y, dx, dy;             /* in 1/16 tile */
    int kind, seen;               /* kind 0 hunts the player (actor 0) when it sees him, others wander */
} actor;

typedef struct game {
    unsigned char wall[MAP][MAP];
    actor         actors[ACTORS];
    uint32_t      screen[HEIGHT][WIDTH], random, frame;
} game;

#define NOINLINE __attribute__((noinline))

uint32_t roll(game *g)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 17;
    g->random ^= g->random << 5;
    return g->random;
}

int is_wall(const game *g, int x, int y)
{
    return g->wall[(y >> 4) & (MAP - 1)][(x >> 4) & (MAP - 1)];
}

/* The shade of n pixels. From the floor it is opaque all the time, from shadows never. */
NOINLINE void blend(uint32_t *to, int n, uint32_t colour, uint32_t alpha)
{
    int i;
    if (alpha == CLEAR) {
        for (i = 0; i < n; i++) to[i] = colour;
        return;
    }
    for (i = 0; i < n; i++) {
        const uint32_t rb = to[i] & 0xff00ff, green = to[i] & 0xff00;
        to[i] = ((rb + (((colour & 0xff00ff) - rb) * alpha >> 8)) & 0xff00ff) |
                ((green + (((colour & 0xff00) - green) * alpha >> 8)) & 0xff00);
    }
}

NOINLINE void draw_floor(game *g)
{
    int x, y;
    for (y = 0; y < HEIGHT; y++)
        for (x = 0; x < WIDTH; x += TILE)
            blend(&g->screen[y][x], TILE, g->wall[y / TILE][x / TILE] ? 0x404040 : 0x206020, CLEAR);
}

NOINLINE void draw_shadow(game *g, const actor *a)
{
    const int x = (a->x * TILE / 16) & (WIDTH - 16), y = (a->y * TILE / 16) & (HEIGHT - 16);
    int row;
    for (row = 0; row < 14; row++) blend(&g->screen[y + row][x], 14, a->seen ? 0x800000 : 0, 96);
}

/* Steps along a line; 1 if no wall is between. */
NOINLINE int sees(const game *g, const actor *from, const actor *to)
{
    const int steps = 40;
    int i;
    for (i = 1; i < steps; i++)
        if (is_wall(g, from->x + (to->x - from->x) * i / steps, from->y + (to->y - from->y) * i / steps)) return 0;
    return 1;
}

NOINLINE void walk(game *g, actor *a)
{
    if (is_wall(g, a->x + a->dx, a->y)) a->dx = -a->dx;
    if (is_wall(g, a->x, a->y + a->dy)) a->dy = -a->dy;
    a->x = (a->x + a->dx) & (MAP * 16 - 1);
    a->y = (a->y + a->dy) & (MAP * 16 - 1);
}

NOINLINE void hunt(game *g, actor *a)
{
    const actor *player = &g->actors[0];
    a->seen = sees(g, a, player);
    if (!a->seen) return;
    a->dx = player->x > a->x ? 3 : -3;
    a->dy = player->y > a->y ? 3 : -3;
}

NOINLINE void wander(game *g, actor *a)
{
    if (roll(g) % 16 != 0) return;
    a->dx = (int)(roll(g) % 7) - 3;
    a->dy = (int)(roll(g) % 7) - 3;
}

NOINLINE void think(game *g)
{
    int i;
    for (i = 0; i < ACTORS; i++) {
        actor *a = &g->actors[i];
        if (a->kind == 0) hunt(g, a);
        else wander(g, a);
        walk(g, a);
    }
}

/* Those that meet turn around. */
NOINLINE void collide(game *g)
{
    int i, k;
    for (i = 0; i < ACTORS; i++)
        for (k = i + 1; k < ACTORS; k++) {
            actor *a = &g->actors[i], *b = &g->actors[k];
            if (abs(a->x - b->x) > 8 || abs(a->y - b->y) > 8) continue;
            a->dx = -a->dx;
            b->dy = -b->dy;
            if (sees(g, a, b)) walk(g, b);
        }
}

NOINLINE uint32_t play_frame(game *g)
{
    uint32_t sum = g->frame++;
    int i, x, y;
    think(g);
    collide(g);
    draw_floor(g);
    for (i = 0; i < ACTORS; i++) draw_shadow(g, &g->actors[i]);
    for (y = 0; y < HEIGHT; y += 16)
        for (x = 0; x < WIDTH; x++) sum = sum * 31 + g->screen[y][x];
    return sum;
}

static void new_game(game *g)
{
    int i, k;
    memset(g, 0, sizeof *g);
    g->random = 2463534242u;
    for (i = 0; i < MAP; i++)
        for (k = 0; k < MAP; k++) g->wall[i][k] = roll(g) % 8 == 0;
    for (i = 0; i < ACTORS; i++) {
        g->actors[i].x = (int)(roll(g) % (MAP * 16));
        g->actors[i].y = (int)(roll(g) % (MAP * 16));
        g->actors[i].dx = g->actors[i].dy = 1;
        g->actors[i].kind = i % 4;
    }
}

/* ----- the sampler ------------------------------------------------------------------------------------------------ */

#if !defined(__linux__)
int main(void)
{
    game *g = (game *)malloc(sizeof *g);
    uint32_t sum = 0, i;
    if (g == NULL) return 1;
    new_game(g);
    for (i = 0; i < 100; i++) sum += play_frame(g);
    printf("no samples: they need Linux\nthe game's checksum: %08x\n", (unsigned)sum);
    return 0;
}
#else

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "load.h"

enum {
    RING_PAGES = 64,              /* of the ring buffer: what an unprivileged user may lock is 128 */
    COLLECTOR_BYTES = 4 << 20,    /* beyond that the collector is replaced */
    PROFILE_BYTES = 8 << 20,      /* beyond that the profile's cold contexts are merged */
    FOLD_FRAMES = 256,            /* sampled frames between two additions to the profile */
    BLOCK = 32,                   /* frames with sampling, then as many without it: for the comparison */
    KEPT = 4096,                  /* latest times of each sort that are kept */
    RATE = 1999,                  /* samples a second of the clock and the timer */
    BRANCHES = 200003,            /* taken branches between two samples of the LBR */
    SLOTS = 256, FRAMES = 64      /* of the timer's own ring */
};

typedef enum { BY_LBR, BY_CLOCK, BY_TIMER, BY_NOTHING } source;

typedef struct slot {             /* what the signal handler leaves: a stack as csspgo_sample has it */
    uint64_t stack[FRAMES];
    uint32_t count;
} slot;

/* The handler's: it may interrupt anything, so its ring is static. Written by it, read up by the loop. */
static slot                  timer_slot[SLOTS];
static volatile sig_atomic_t timer_head, timer_tail, timer_lost;
static uintptr_t             timer_stack_top;

typedef struct sampler {
    source            from;
    int               fd;
    struct perf_event_mmap_page *page;
    csspgo_ring       ring;
    loaded            own;        /* this program's code map */
    csspgo_collector *collector;
    csspgo_profile   *profile;
    uint64_t          taken, copied, handed;          /* samples; handed: of collectors that are gone */
    uint64_t          folds, trims, replaced;
    uint64_t          most_collector, most_profile, half_time;   /* bytes, at ends of frames; half_time: profile */
    int               failed;
} sampler;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Return addresses along the frame pointers, all of which must lie in this thread's stack, upwards. */
static void on_timer(int number, siginfo_t *info, void *context)
{
    const ucontext_t *u = (const ucontext_t *)context;
    const int head = timer_head;
    slot *s = &timer_slot[head];
    uintptr_t pc, fp, sp;
    (void)number;
    (void)info;
#if defined(__x86_64__)
    pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    fp = (uintptr_t)u->uc_mcontext.gregs[REG_RBP];
    sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    pc = (uintptr_t)u->uc_mcontext.pc;
    fp = (uintptr_t)u->uc_mcontext.regs[29];
    sp = (uintptr_t)u->uc_mcontext.sp;
#else
    pc = fp = sp = 0;
    (void)u;
#endif
    if ((head + 1) % SLOTS == timer_tail) {
        timer_lost = timer_lost + 1;
        return;
    }
    s->stack[0] = pc;
    s->count = 1;
    while (s->count < FRAMES && fp >= sp && fp % sizeof fp == 0 && fp < timer_stack_top - 2 * sizeof fp) {
        const uintptr_t *frame = (const uintptr_t *)fp;
        s->stack[s->count++] = frame[1];
        if (frame[0] <= fp) break;
        fp = frame[0];
    }
    timer_head = (head + 1) % SLOTS;
}

static void timer_set(long microseconds)
{
    struct itimerval v;
    memset(&v, 0, sizeof v);
    v.it_interval.tv_usec = v.it_value.tv_usec = microseconds;
    setitimer(ITIMER_REAL, &v, NULL);
}

static int open_timer(void)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_timer;
    a.sa_flags = SA_SIGINFO | SA_RESTART;
    return sigaction(SIGALRM, &a, NULL) == 0;
}

/* Opens the event for this thread, and maps its ring buffer. */
static int open_event(sampler *s, source from)
{
    const size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_attr a;
    void *base;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
    a.disabled = a.exclude_kernel = a.exclude_hv = a.exclude_callchain_kernel = 1;
    if (from == BY_LBR) {
        a.type = PERF_TYPE_HARDWARE;
        a.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
        a.sample_period = BRANCHES;
        a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
        a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    } else {
        a.type = PERF_TYPE_SOFTWARE;
        a.config = PERF_COUNT_SW_CPU_CLOCK;
        a.freq = 1;
        a.sample_freq = RATE;
    }
    s->fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (s->fd < 0) return 0;
    base = mmap(NULL, (1 + RING_PAGES) * unit, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    s->ring.bounce_size = 65536;
    s->ring.bounce = malloc(s->ring.bounce_size);
    if (base == MAP_FAILED || s->ring.bounce == NULL) {
        close(s->fd);
        return 0;
    }
    s->page = (struct perf_event_mmap_page *)base;
    s->ring.data = (const char *)base + unit;
    s->ring.size = RING_PAGES * unit;
    s->ring.event.sample_type = a.sample_type;
    s->ring.event.branch_sample_type = a.branch_sample_type;
    return 1;
}

static void sampling(sampler *s, int on)
{
    if (s->from == BY_TIMER) timer_set(on ? 1000000 / RATE : 0);
    else if (s->from != BY_NOTHING) ioctl(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static void failed(sampler *s, csspgo_status why)
{
    if (!s->failed) fprintf(stderr, "sampler: %s\n", csspgo_status_text(why));
    s->failed = 1;
}

static csspgo_collector *new_collector(sampler *s)
{
    csspgo_collector_options how;
    csspgo_options o;
    memset(&how, 0, sizeof how);
    memset(&o, 0, sizeof o);
    how.cache_bytes = COLLECTOR_BYTES / 8;
    o.limits.max_bytes = 8 * COLLECTOR_BYTES;         /* not reached: profiles are made in the collector's memory too */
    return csspgo_collector_new(s->own.code, &how, &o, NULL);
}

/* Counters become part of the profile; collector and profile are brought back below their limits. */
static void fold(sampler *s)
{
    csspgo_cold_options cold;
    csspgo_error e;
    if (csspgo_collector_profile(s->collector, s->profile, NULL, NULL, &e) != CSSPGO_OK) failed(s, e.status);
    s->folds++;
    if (csspgo_collector_memory(s->collector) > COLLECTOR_BYTES) {
        s->handed += csspgo_collector_get_stats(s->collector).samples;
        csspgo_collector_free(s->collector);
        s->collector = new_collector(s);
        if (s->collector == NULL) exit(1);
        s->replaced++;
    }
    memset(&cold, 0, sizeof cold);
    cold.merge = 1;
    for (cold.threshold = 64; csspgo_profile_memory(s->profile) > PROFILE_BYTES; cold.threshold *= 4) {
        if (csspgo_trim_cold(s->profile, &cold, NULL) != CSSPGO_OK || cold.threshold > UINT64_MAX / 8) break;
        s->trims++;
        cold.trim = cold.threshold > 1 << 20;
    }
}

static void take(sampler *s, const csspgo_sample *sample)
{
    const csspgo_status status = csspgo_collector_add(s->collector, sample, 1, NULL);
    s->taken++;
    if (status != CSSPGO_OK) failed(s, status);
}

/* At the end of a frame: all samples since the last one, from where they lie. */
static void feed(sampler *s)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    if (s->from == BY_TIMER) {
        memset(&sample, 0, sizeof sample);
        for (sample.count = 1; timer_tail != timer_head; timer_tail = (timer_tail + 1) % SLOTS) {
            sample.stack = timer_slot[timer_tail].stack;
            sample.stack_count = timer_slot[timer_tail].count;
            take(s, &sample);
        }
    } else if (s->from != BY_NOTHING) {
        s->ring.head = __atomic_load_n(&s->page->data_head, __ATOMIC_ACQUIRE);
        while ((item = csspgo_ring_next(&s->ring, &sample, &map, NULL)) != CSSPGO_ITEM_NONE) {
            const char *stack = (const char *)sample.stack, *ring = (const char *)s->ring.data;
            if (item != CSSPGO_ITEM_SAMPLE) continue;
            s->copied += stack < ring || stack >= ring + s->ring.size;
            take(s, &sample);
        }
        __atomic_store_n(&s->page->data_tail, s->ring.tail, __ATOMIC_RELEASE);
    }
}

/* The code map of this very process: the file says where code was linked, the process where its entry is. */
static int load_own(sampler *s, char *why, size_t size)
{
    extern void _start(void);
    uint64_t entry;
    if (!load_image(&s->own, "/proc/self/exe", NULL, why, size)) return 0;
    memcpy(&entry, s->own.elf.data + 24, sizeof entry);   /* e_entry of a 64-bit ELF header */
    return csspgo_code_map(s->own.code, s->own.module, (uint64_t)(uintptr_t)_start - entry, NULL) == CSSPGO_OK;
}

static void start(sampler *s, const char *only)
{
    static const char *const names[] = { "lbr", "clock", "timer" };
    static const char *const what[] = { "the CPU's last branch records, by perf_event_open",
                                        "the kernel's CPU clock and call chains, by perf_event_open",
                                        "a timer signal and frame pointers" };
    char why[200];
    int from;
    memset(s, 0, sizeof *s);
    s->from = BY_NOTHING;
    if (only != NULL && strcmp(only, "off") == 0) return;
    if (!load_own(s, why, sizeof why)) {
        printf("no samples: this program %s\n", why);
        return;
    }
    s->profile = csspgo_profile_new(NULL, NULL);
    s->collector = new_collector(s);
    if (s->profile == NULL || s->collector == NULL) return failed(s, CSSPGO_E_NOMEM);
    for (from = BY_LBR; from < BY_NOTHING; from++) {
        if (only != NULL && strcmp(only, names[from]) != 0) continue;
        if (from == BY_TIMER ? open_timer() : open_event(s, (source)from)) break;
        printf("not %s: %s\n", what[from], strerror(errno));
    }
    s->from = (source)from;
    if (from != BY_NOTHING) printf("samples from %s\n", what[from]);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double median_ms(uint64_t *v, uint64_t count)
{
    const size_t n = count < KEPT ? (size_t)count : KEPT;
    qsort(v, n, sizeof *v, by_time);
    return n != 0 ? (double)v[n / 2] / 1e6 : 0;
}

static void print_context(const csspgo_profile *p, csspgo_node node)
{
    csspgo_node path[64];
    size_t n = 0, size, i;
    for (; n < 64 && csspgo_node_parent(p, node).id != 0; node = csspgo_node_parent(p, node)) path[n++] = node;
    while (n-- > 0) {
        const char *name = csspgo_func_name(p, csspgo_node_func(p, path[n]), &size);
        for (i = 0; i < size && name[i] != '.'; i++) {}   /* static functions have a .__uniq.N */
        printf("%.*s", (int)i, name != NULL ? name : "");
        if (n != 0) printf(":%u @ ", (unsigned)csspgo_node_loc(p, path[n - 1]).line);
    }
}

static void report(sampler *s)
{
    csspgo_node *order;
    uint32_t i, records;
    fold(s);
    printf("%llu samples, %llu of them copied (wrapped around the ring), %llu lost\n", (unsigned long long)s->taken,
           (unsigned long long)s->copied, (unsigned long long)(s->ring.lost + (uint64_t)timer_lost));
    printf("memory: collector %llu KiB at most, profile %llu KiB (%llu half-way)\n",
           (unsigned long long)s->most_collector >> 10, (unsigned long long)s->most_profile >> 10,
           (unsigned long long)s->half_time >> 10);
    printf("counters put into the profile %llu times; collector replaced %llu times, profile trimmed %llu times\n",
           (unsigned long long)s->folds, (unsigned long long)s->replaced, (unsigned long long)s->trims);
    records = csspgo_record_count(s->profile);
    order = (csspgo_node *)malloc((records + 1) * sizeof *order);
    if (order == NULL || csspgo_order(s->profile, order, NULL) != CSSPGO_OK) return failed(s, CSSPGO_E_NOMEM);
    printf("hottest of %u contexts:\n", (unsigned)records);
    for (i = 0; i < records && i < 10; i++) {
        printf("%12llu  ", (unsigned long long)csspgo_total(s->profile, order[i]));
        print_context(s->profile, order[i]);
        printf("\n");
    }
    free(order);
}

/* What is to be seen at the end of a frame. */
static void note_memory(sampler *s)
{
    uint64_t n;
    if (s->collector == NULL) return;
    n = csspgo_collector_memory(s->collector);
    if (n > s->most_collector) s->most_collector = n;
    n = csspgo_profile_memory(s->profile);
    if (n > s->most_profile) s->most_profile = n;
}

int main(int argc, char **argv)
{
    static uint64_t time[2][KEPT], fed[KEPT];         /* of frames without and with sampling; of feeding */
    static game world;
    const unsigned long frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
    uint64_t count[2] = { 0, 0 }, most_fed = 0, a, b, c;
    uint32_t sum = 0;
    unsigned long i;
    sampler s;
    timer_stack_top = (uintptr_t)__builtin_frame_address(0) + 4 * sizeof(void *);
    start(&s, argc > 2 ? argv[2] : NULL);
    new_game(&world);
    for (i = 0; i < frames; i++) {
        const int on = i / BLOCK % 2 == 1 && s.from != BY_NOTHING;
        if (i % BLOCK == 0) sampling(&s, on);
        a = now_ns();
        sum = sum * 31 + play_frame(&world);
        b = now_ns();
        if (on) feed(&s);
        if (on && ((count[1] + 1) % FOLD_FRAMES == 0 || csspgo_collector_memory(s.collector) > COLLECTOR_BYTES)) {
            sampling(&s, 0);
            fold(&s);
            sampling(&s, 1);
        }
        c = now_ns();
        time[on][count[on] % KEPT] = c - a;
        if (on) fed[count[on] % KEPT] = c - b;
        if (on && c - b > most_fed) most_fed = c - b;
        count[on]++;
        note_memory(&s);
        if (i == frames / 2) s.half_time = s.most_profile;
    }
    sampling(&s, 0);
    feed(&s);
    printf("%lu frames, the game's checksum: %08x\n", i, (unsigned)sum);
    printf("frame, median: %.3f ms without sampling", median_ms(time[0], count[0]));
    if (s.from != BY_NOTHING)
        printf(", %.3f ms with it; feeding: %.4f ms, at most %.3f ms", median_ms(time[1], count[1]),
               median_ms(fed, count[1]), (double)most_fed / 1e6);
    printf("\n");
    if (s.from != BY_NOTHING) {
        report(&s);
        if (s.handed + csspgo_collector_get_stats(s.collector).samples != s.taken) failed(&s, CSSPGO_E_ARGUMENT);
        if (s.most_collector > COLLECTOR_BYTES || s.most_profile > PROFILE_BYTES) failed(&s, CSSPGO_E_LIMIT);
    }
    csspgo_collector_free(s.collector);
    csspgo_profile_free(s.profile);
    free(s.ring.bounce);
    load_free(&s.own);
    return s.failed;
}
#endif
