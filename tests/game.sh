#!/bin/sh
# bench/game: the sampler that its patch puts into Doom, here in the game of examples/sampler. It stays within its memory,
# its profile has the game's contexts and nothing of the sampler, and clang rebuilds the game with it.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/game
T=build/plain/csspgo
P=../bench/game/doom.patch
make -s $T || { fail "the tool does not build"; finish; }
rm -rf $B; mkdir -p $B
[ "$(grep -c '^+' $P)" -le 42 ] && pass || fail "the patch adds more than 40 lines"     # and two that begin with +++
[ "$(uname -sm)" = 'Linux x86_64' ] || { skip "the sampler of bench/game: x86-64 Linux only"; finish; }
have clang-19 || { skip "the sampler of bench/game: needs clang-19"; finish; }

# its file as it is, over what it needs of SDL and Doom
awk '/^\+\+\+ b\/src\/profiler.c/ { on = 1; next } on && sub(/^\+/, "")' $P >$B/profiler.c
cat >$B/SDL.h <<'END'
#include <pthread.h>
typedef int (*sdl_function)(void *);
static void *sdl_run(void *f) { ((sdl_function)f)(0); return 0; }
static void *SDL_CreateThread(sdl_function f, const char *name, void *data)
{
    static pthread_t thread;
    sigset_t all, old;
    int failed;
    (void)name, (void)data;
    sigfillset(&all);                /* as SDL, whose threads take no signals */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    failed = pthread_create(&thread, 0, sdl_run, (void *)f);
    pthread_sigmask(SIG_SETMASK, &old, 0);
    return failed ? 0 : &thread;
}
static void SDL_Delay(unsigned ms) { usleep(ms * 1000); }
END
cat >$B/i_system.h <<'END'
#include <stdarg.h>
#include <stdbool.h>
static void (*at_exit)(void);
static void I_AtExit(void (*f)(void), int always) { (void)always; at_exit = f; }
static void I_Error(const char *text, ...)
{
    va_list v;
    va_start(v, text);
    vprintf(text, v);
    va_end(v);
    exit(1);
}
END
# main.c: frames for a number of CPU seconds at least; then what the runtime has to say
cat >$B/main.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "profiler.c"
#include "sampler.h"
int main(int argc, char **argv)
{
    static game world;
    const clock_t begun = clock();
    const double most = argc > 1 ? atof(argv[1]) : 1;
    uint32_t sum = 0, i;
    csspgo_runtime_stats s;
    profiler_start((char *)__builtin_frame_address(0) + 64);
    new_game(&world);
    for (i = 0; i < 200 || (double)(clock() - begun) < most * CLOCKS_PER_SEC; i++) {
        const uint32_t one = play_frame(&world);
        if (i < 200) sum = sum * 31 + one;
    }
    at_exit();
    s = csspgo_runtime_get_stats(profiler);
    printf("checksum %08x\n", (unsigned)sum);
    printf("counted %d, most %d, code %d\n", s.counted > 100, s.most_bytes <= 4 << 20, s.code_bytes < 1 << 18);
    return 0;
}
END
PROBES="-fpseudo-probe-for-profiling"
RECORDED="$PROBES -g1 -mllvm -enable-shrink-wrap=false -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls"
I="-I$B -I../examples/sampler"
check "the sampler builds" clang-19 -O1 -w -c -o $B/main.o $I $B/main.c
built() { clang-19 -O2 -w $2 -c -o $B/$1.o $I ../examples/sampler/game.c && clang-19 -o $B/$1 $B/main.o $B/$1.o -lpthread; }
check "the game builds" built played "$RECORDED"
(cd $B && ./played 1 >played.out 2>&1) && pass || { fail "the game"; cat $B/played.out; }
check "samples, memory" grep -q '^counted 1, most 1, code 1$' $B/played.out
check "a profile" $T merge --text $B/doom.prof -o $B/doom.txt
for f in collide draw_floor draw_shadow; do check "$f has contexts" grep -q "play_frame:[0-9]* @ $f\]" $B/doom.txt; done
grep -q -E 'csspgo|load_|source_|profiler' $B/doom.txt && fail "the sampler is in the profile" || pass
check "the game builds with its profile" built used "$PROBES -fprofile-sample-use=$B/doom.prof"
# a program without probes says so and does not play
check "the game builds without probes" built bare ""
(cd $B && ./bare 0 >bare.out 2>&1) && fail "a program without probes is sampled" || pass
check "why" grep -q 'profiler: has no probe sections' $B/bare.out
# too little memory for the code: an error
sed 's/5 << 19/32 << 10/' $B/profiler.c >$B/small.c && mv $B/small.c $B/profiler.c
check "the sampler builds again" clang-19 -O0 -w -c -o $B/main.o $I $B/main.c
check "the game builds again" built played "$RECORDED"
(cd $B && ./played 0 >small.out 2>&1) && fail "a map of 32 KB holds the game" || pass
check "why not" grep -q 'profiler: out of memory' $B/small.out
finish
