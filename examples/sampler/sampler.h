/* sampler.h - what the files of the sampler share: the game, and where samples come from */
#ifndef SAMPLER_H
#define SAMPLER_H

#define CSSPGO_WITH_DECODE
#define CSSPGO_WITH_LLVM
#define CSSPGO_WITH_ESTIMATE
#include "../../csspgo.h"

/* ----- game.c: the game ----- */

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

void new_game(game *g);
uint32_t play_frame(game *g);     /* returns a checksum of the frame */

/* ----- source.c: where samples come from ----- */

#if defined(__linux__)
typedef enum { BY_LBR, BY_CLOCK, BY_TIMER, BY_NOTHING } source_kind;

typedef struct source {
    source_kind kind;
    int         fd, reading;                      /* reading: samples are being taken out       */
    struct perf_event_mmap_page *page;
    csspgo_ring ring;
} source;

/*
 * Opens the best source, or the one called `only`, for this thread; says on stdout which, and why not the others. The
 * timer's handler gives its samples to profiler itself.
 */
void source_open(source *s, const char *only, const void *stack_top, csspgo_runtime *profiler);

/* Starts or stops sampling. */
void source_enable(source *s, int on);

/* The next sample of the ring, where it lies until the next call. Call it until it returns 0: there is no other. */
int source_next(source *s, csspgo_sample *sample);

/* Samples that the kernel lost because nobody took others out in time. */
uint64_t source_lost(const source *s);
void source_close(source *s);
#endif

#endif
