/* luajit.c - a profile by calling context of a Lua script, from LuaJIT's own profiler, while the script runs
 *
 *     cc -I/usr/include/luajit-2.1 -o luajit luajit.c -lluajit-5.1
 *     ./luajit SCRIPT.lua PROFILE [MILLISECONDS]       then csspgo flame PROFILE -o x.svg, csspgo show --top=20 PROFILE
 *
 * LuaJIT is unchanged: it calls back at a timer's tick, in compiled traces too, with the stack as text. Each frame
 * becomes a node of the profile, each line that a sample fell on a body. Every five seconds the hottest contexts so far
 * are printed. Locations are lines of the file, counts are samples.
 */
#ifndef CSSPGO_IMPLEMENTATION_INCLUDED
#  define CSSPGO_IMPLEMENTATION
#endif
#include "../csspgo.h"

#include <lua.h>
#include <lualib.h>
#include <lauxlib.h>
#include <luajit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 100, TOP = 5, SECONDS = 5 };

typedef struct sampler {
    csspgo_profile *profile;
    uint64_t        samples, lost;    /* lost: without a stack, or out of memory */
    time_t          shown;
} sampler;

/* The next frame of a stack, "FUNCTION@FILE:LINE;": its function and its line. Returns what follows, NULL: nothing. */
static const char *next_frame(csspgo_profile *p, const char *text, const char *end, csspgo_func *f, uint32_t *line)
{
    const char *stop = (const char *)memchr(text, ';', (size_t)(end - text)), *at = text;
    if (stop == NULL || (at = (const char *)memchr(text, '@', (size_t)(stop - text))) == NULL) return NULL;
    *f = csspgo_func_add(p, text, (size_t)(at - text));
    while (stop[-1] >= '0' && stop[-1] <= '9' && stop > at) stop--;
    *line = (uint32_t)strtoul(stop, NULL, 10);            /* a function of C, which has none: 0 */
    return (const char *)memchr(stop, ';', (size_t)(end - stop)) + 1;
}

static void print_top(const csspgo_profile *p, uint64_t samples)
{
    csspgo_node n = csspgo_root(p), top[TOP];
    uint64_t total[TOP] = { 0 }, t;
    char context[1000];
    int i, k;
    while ((n = csspgo_node_next(p, csspgo_root(p), n)).id != 0) {
        for (t = csspgo_total(p, n), i = 0; i < TOP && total[i] >= t; i++) continue;
        if (i == TOP) continue;
        for (k = TOP - 1; k > i; k--) top[k] = top[k - 1], total[k] = total[k - 1];
        top[i] = n;
        total[i] = t;
    }
    for (i = 0; i < TOP && total[i] != 0; i++) {
        csspgo_context_text(p, top[i], context, sizeof context);
        fprintf(stderr, "%5.1f %%  %s\n", 100.0 * (double)total[i] / (double)samples, context);
    }
}

/* Outermost frame first. A sample is in the body of the innermost function, at its line. */
static void on_tick(void *data, lua_State *L, int samples, int state)
{
    sampler *s = (sampler *)data;
    csspgo_profile *p = s->profile;
    csspgo_node node = csspgo_root(p);
    csspgo_func f = { 0 };
    uint32_t line = 0, caller = 0;
    size_t size;
    const char *text = luaJIT_profile_dumpstack(L, "F@l;", -FRAMES, &size), *const end = text + size;
    (void)state;
    while ((text = next_frame(p, text, end, &f, &line)) != NULL) {
        node = csspgo_node_add(p, node, csspgo_loc_at(caller, 0), CSSPGO_CONTEXT, f);
        caller = line;
    }
    s->samples += (uint64_t)samples;
    if (node.id == csspgo_root(p).id || node.id == 0 ||
        csspgo_add_body(p, node, csspgo_loc_at(line, 0), (uint64_t)samples) != CSSPGO_OK ||
        csspgo_add_total(p, node, (uint64_t)samples) != CSSPGO_OK) s->lost += (uint64_t)samples;
    if (time(NULL) < s->shown + SECONDS) return;
    print_top(p, s->samples);
    s->shown = time(NULL);
}

int main(int argc, char **argv)
{
    csspgo_error e;
    sampler s;
    char mode[16];
    lua_State *L = luaL_newstate();
    memset(&s, 0, sizeof s);
    s.profile = csspgo_profile_new(NULL, &e);
    s.shown = time(NULL);
    if (argc < 3 || L == NULL || s.profile == NULL) return fprintf(stderr, "luajit SCRIPT PROFILE [MILLISECONDS]\n"), 2;
    csspgo_profile_set_flags(s.profile, CSSPGO_IS_CS);
    luaL_openlibs(L);
    snprintf(mode, sizeof mode, "li%d", argc > 3 ? atoi(argv[3]) : 1);
    luaJIT_profile_start(L, mode, on_tick, &s);
    if (luaL_dofile(L, argv[1])) return fprintf(stderr, "%s\n", lua_tostring(L, -1)), 1;
    luaJIT_profile_stop(L);
    print_top(s.profile, s.samples);
    fprintf(stderr, "%llu samples, %llu lost\n", (unsigned long long)s.samples, (unsigned long long)s.lost);
    if (csspgo_write_file(s.profile, argv[2], CSSPGO_EXTBINARY, &e) != CSSPGO_OK) {
        fprintf(stderr, "%s: %s\n", argv[2], e.message);
        return 1;
    }
    csspgo_profile_free(s.profile);
    lua_close(L);
    return 0;
}
