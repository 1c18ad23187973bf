/* sampler.h - the game, as its files and the sampler see it */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdint.h>

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

#endif
