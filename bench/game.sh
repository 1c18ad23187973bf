#!/bin/sh
# Chocolate Doom samples itself by csspgo.h's front door and is rebuilt with the profile of its own play. Debian's source
# package is built with clang 19 and pseudo probes; game/doom.patch puts the sampler in (examples/sampler/source.c, 4 MB).
#   frames        CPU time of frames of a timed demo, sampled and not sampled in turn: medians of three runs
#   play          the demo that trains, at its own speed: 79 s; the profile is written at exit
#   instructions  callgrind's, of two other demos, in what a frame does: G_Ticker and R_RenderPlayerView
# Run in bench/; needs x86-64 Linux, xvfb, freedoom, libsdl2-dev, pkg-config, clang-19, llvm-19, lld-19, valgrind and a
# deb-src line; 15 minutes. SMALL=1: trains by a timed demo of a few seconds and counts one short demo.
B=build/game
WAD=/usr/share/games/doom/freedoom1.wad
for t in Xvfb pkg-config clang-19 ld.lld-19 llvm-profdata-19 valgrind patch; do
    command -v $t >/dev/null || { echo "SKIPPED: game needs $t"; exit 0; }
done
[ -f $WAD ] || { echo "SKIPPED: game needs the package freedoom"; exit 0; }
pkg-config --exists sdl2 || { echo "SKIPPED: game needs the package libsdl2-dev"; exit 0; }
mkdir -p $B/home
T=../examples/build/csspgo
make -s -C ../examples build/csspgo || exit 1
(cd $B && ls -d chocolate-doom-*/ >/dev/null 2>&1 || apt-get source -q -y chocolate-doom >/dev/null 2>&1)
S=$(ls -d $B/chocolate-doom-*/ 2>/dev/null | head -1)
[ -n "$S" ] || { echo "SKIPPED: the source of chocolate-doom cannot be fetched"; exit 0; }
S=${S%/}
rm -rf $B/patched && cp -r $S $B/patched && patch -s -d $B/patched -p1 <game/doom.patch || exit 1
echo 'show_endoom 0' >$B/quit.cfg      # or it waits for a key at exit
for n in NAME TARNAME; do echo "#define PACKAGE_$n \"chocolate-doom\""; done >$B/config.h
cat >>$B/config.h <<END
#define PACKAGE_VERSION "3.0.0"
#define PACKAGE_STRING "Chocolate Doom 3.0.0"
#define PROGRAM_PREFIX "chocolate-"
#define HAVE_DECL_STRCASECMP 1
#define HAVE_DECL_STRNCASECMP 1
#define HAVE_DIRENT_H 1
END
PROBES=-fpseudo-probe-for-profiling
RECORDED="$PROBES -g1 -mllvm -enable-shrink-wrap=false -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls"
SDL="$(pkg-config --cflags sdl2) -DDISABLE_SDL2MIXER=1 -DDISABLE_SDL2NET=1"
clang-19 -O2 -c -o $B/frames.o game/frames.c || exit 1

# built NAME SOURCES FLAGS [OBJECT]: $B/NAME
built() {
    rm -rf $B/$1.o && mkdir -p $B/$1.o
    ls $2/src/*.c $2/src/doom/*.c $2/opl/*.c $2/pcsound/*.c $2/textscreen/*.c | grep -v -E '/(d_dedicated|z_native|profiler)\.c$' |
        xargs -P 2 -n 1 sh -c 'clang-19 -O2 -w -c $1 -o $2/$(basename $3 .c).o $3 || exit 255' - \
            "$3 $SDL -I$B -I$2/src -I$2/src/doom -I$2/opl -I$2/pcsound -I$2/textscreen" $B/$1.o || exit 1
    clang-19 -fuse-ld=lld-19 $(echo "$3" | grep -o -- -fprofile-generate) -Wl,--gc-sections -Wl,--wrap=SDL_RenderPresent -o $B/$1 $B/$1.o/*.o $4 $B/frames.o $(pkg-config --libs sdl2) -lm || exit 1
}
# play NAME OPTION...; $VG may be a command before it
play() {
    p=$PWD/$B/$1
    shift
    (cd $B && HOME=$PWD/home SDL_RENDER_DRIVER=software SDL_FRAMEBUFFER_ACCELERATION=0 SDL_AUDIODRIVER=dummy LLVM_PROFILE_FILE=doom.raw \
        $VG $p -iwad $WAD -nosound -nogui -extraconfig quit.cfg "$@" >said 2>&1)
}
# counted NAME: million instructions of what is measured
counted() {
    for d in $MEASURED; do
        VG="valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=G_Ticker --toggle-collect=R_RenderPlayerView"
        play $1 -timedemo $d -noblit
        VG=
        sed -n 's/.*Collected : //p' $B/said
    done | awk '{ if ($1 > n) n = $1; sum += $1 } END { printf "%.1f", sum / 1e6 }'
}
gain() { awk -v a=$1 -v b=$base 'BEGIN { printf "%.1f (%+.1f %%)", a, 100 * (a / b - 1) }'; }

if [ -n "$SMALL" ]; then MEASURED=demo3 TRAIN="-timedemo demo2" LONG=demo3 RUNS=1; else MEASURED="demo1 demo3" TRAIN="-playdemo demo2" LONG=demo2 RUNS=3; fi
echo "machine:  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $(uname -sr), load $(cut -d' ' -f1 /proc/loadavg)"
echo "compiler: $(clang-19 --version | head -1), -O2"
echo "game:     ${S##*/}, $(ls $S/src/*.c $S/src/doom/*.c | xargs cat | wc -l) lines; game/doom.patch adds $(grep -c '^+[^+]\|^+$' game/doom.patch)"
clang-19 -O2 -w -ffunction-sections -c -o $B/profiler.o -I../examples/sampler -I$B/patched/src -I$B $SDL $B/patched/src/profiler.c || exit 1
built plain $S "" && built sampled $B/patched "$RECORDED" $B/profiler.o
built plain $S "" && built sampled $B/patched "$RECORDED" $B/profiler.o
Xvfb -displayfd 1 -screen 0 640x480x24 >$B/display 2>/dev/null &
trap "kill $!" EXIT
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s $B/display ] || sleep 0.5; done
DISPLAY=:$(cat $B/display)
export DISPLAY

rm -f $B/doom.prof $B/*.frames
for i in $(seq $RUNS); do
    FRAMES=plain.$i.frames play plain -timedemo $LONG
    FRAMES=mixed.$i.frames FRAMES_BLOCK=32 play sampled -timedemo $LONG
done
[ -n "$SMALL" ] || FRAMES=unsampled.frames play plain $TRAIN
FRAMES=sampled.frames play sampled $TRAIN
grep -a '^samples from' $B/said
[ -s $B/doom.prof ] || { echo "no profile:"; tail -3 $B/said; exit 1; }
echo
echo "| | frames | median, ms | 99.9 % | longest | other threads, ms | resident, MB |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
# medians FILE...: of each column
medians() { awk '{ for (i = 1; i <= NF; i++) v[i, NR] = $i } END { for (i = 1; i <= NF; i++) { for (n = 1; n <= NR; n++) { less = 0; for (k = 1; k <= NR; k++) less += v[i, k] < v[i, n] || (v[i, k] == v[i, n] && k < n); if (less == int(NR / 2)) printf "%s ", v[i, n] } } print "" }' "$@"; }
medians $B/plain.*.frames | awk '{ print "| built at -O2, no sampler | " $1 " | " $2 " | " $3 " | " $4 " | " $8 " | " int($9 / 1024) " |" }'
medians $B/mixed.*.frames | awk '{ print "| sampler, off for 32 frames | " $1 / 2 " | " $5 " | " $6 " | " $7 " | | |"
       print "| sampler, on for 32 frames | " $1 / 2 " | " $2 " | " $3 " | " $4 " | " $8 " | " int($9 / 1024) " |" }'
for f in unsampled sampled; do
    [ ! -f $B/$f.frames ] || awk -v how="$TRAIN, $f" '{ print "| " how " | " $1 " | " $2 " | " $3 " | " $4 " | " $8 " | " int($9 / 1024) " |" }' $B/$f.frames
done

echo
echo "| $MEASURED | M instructions |"
echo "| --- | --- |"
base=$(counted plain)
echo "| -O2 | $base |"
used() {
    built used $S "$PROBES -fprofile-sample-use=$PWD/$B/$2"
    echo "| $1 | $(gain $(counted used)) |"
}
$T merge --quiet --convert-sample-profile-layout=flat $B/doom.prof -o $B/flat.prof
used "-O2, the profile of $TRAIN, contexts" doom.prof
used "-O2, the same without contexts" flat.prof
if [ -z "$SMALL" ]; then
    built generate $S "-fprofile-generate"
    rm -f $B/doom.raw; play generate -timedemo demo2
    llvm-profdata-19 merge -o $B/doom.profdata $B/doom.raw
    built used $S "-fprofile-use=$PWD/$B/doom.profdata"
    echo "| -O2, instrumented PGO of the same demo | $(gain $(counted used)) |"
fi
