/* game.c - the game: an ordinary C program that knows nothing of its sampler */
#include "sampler.h"

#include <stdlib.h>
#include <string.h>

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

void new_game(game *g)
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
