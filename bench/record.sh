#!/bin/sh
# What record costs, and how near its profiles come to exact ones, beside the CPU clock's samples.
# As many samples picked at random from all of the exact run show what chance alone leaves: the ideal.
# Last in a row of record: a function's share of the counts over its true share, the smallest and the largest, of all functions
# with over 1 % of the true counts. loops and loops4 are code of unlike cost, in one thread and in four.
# Run in bench/; needs x86-64 Linux, clang-19, perf, nlohmann-json3-dev, rapidjson-dev, and Debian's sources of zopfli,
# lua5.4 and bzip2 (with deb-src; those that cannot be fetched are left out). Arguments: the programs (default all), the
# samples per second (default "10 100 1000 8000"), the branches of the exact run (default 20000000).
B=build/truth
mkdir -p $B
PROGRAMS=${1:-json rapid loops loops4 zopfli lua bzip2}
RATES=${2:-10 100 1000 8000}
MOST=${3:-20000000}
FLAGS="-O2 -g -w -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fno-pie -no-pie"
TOOL=../examples/build/csspgo
make -s -C ../examples build/csspgo && ${CC:-cc} -std=gnu99 -O2 -w -o $B/truth truth.c || exit 1
FLAT="--quiet --format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0"
# each is given as many arguments as make it run for some ten seconds: rounds of the same work
ulimit -s unlimited
rounds_json=25000 rounds_rapid=200000 rounds_image=55000

# arguments PROGRAM: what it is run with
arguments() {
    case $1 in
    loops) echo 200000 ;;
    loops4) echo 200000 4 ;;
    zopfli) echo -c --i3 $(yes $B/zopfli.txt | head -n 900) ;;
    bzip2) echo -1 -c $(yes $B/bzip2.txt | head -n 900) ;;
    lua) echo record.lua 60000 ;;
    *) yes 1 | head -n $(eval echo \$rounds_$1) ;;
    esac
}
# build PROGRAM: into build/truth
build() {
    case $1 in
    loops | loops4) clang-19 $FLAGS -fpseudo-probe-for-profiling -o $B/$1 ../tests/programs/loops.c -lpthread ;;
    zopfli | lua | bzip2)
        package=$1; [ $1 != lua ] || package=lua5.4
        (cd $B && [ -d $package-* ] || apt-get source -q -y $package >/dev/null 2>&1)
        case $1 in
        zopfli) sources=$(ls $B/zopfli-*/src/zopfli/*.c); head -c 6000 ../README.md >$B/zopfli.txt ;;
        lua) sources=$(ls $B/lua5.4-*/src/*.c | grep -v luac.c); echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >$B/lua5.4-deb-multiarch.h ;;
        bzip2) sources=$(ls $B/bzip2-*/*.c | grep -E '/(blocksort|huffman|crctable|randtable|compress|decompress|bzlib|bzip2)\.c$'); head -c 60000 ../csspgo.h >$B/bzip2.txt ;;
        esac
        clang-19 $FLAGS -fpseudo-probe-for-profiling -DLUA_USE_POSIX -I$B -o $B/$1 $sources -lm ;;
    *) clang++-19 -std=c++17 -fdelayed-template-parsing $FLAGS -fpseudo-probe-for-profiling -o $B/$1 ../tests/programs/$1.cpp ;;
    esac
}
# worst TRUTH PROFILE
worst() {
    awk 'function leaf(s,  n, a) { gsub(/^\[|\].*$/, "", s); n = split(s, a, / @ /); sub(/:.*/, "", a[n]); return a[n] }
        /^\[/ { f = leaf($0); next }
        /^[^ \t]/ { f = $0; sub(/:.*/, "", f); next }
        /^ [0-9]+: [0-9]+/ { split($0, p, /[: ]+/); c[FILENAME, f] += p[3]; t[FILENAME] += p[3]; all[f] = 1 }
        END { low = 1e9
            for (f in all) {
                a = c[ARGV[1], f] / t[ARGV[1]]
                if (a <= 0.01) continue
                r = c[ARGV[2], f] / t[ARGV[2]] / a
                if (r < low) low = r
                if (r > high) high = r
            }
            printf "functions %.2f to %.2f", low, high }' $1 $2
}
# seconds COMMAND...: CPU time of it and of its children
seconds() {
    bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>build/truth/record.said' - "$@" 2>&1 | awk '{ print $1 + $2 }'
}
# pick FILE SAMPLES RUN: so many of all samples of a run, at random, as many in succession as RUN says
pick() {
    awk -v want=$2 -v run=$3 -v all=$((MOST / 31)) 'BEGIN { srand(7) }
        /^\t/ { stack = stack $0 "\n"; next }
        /0x.*\/0x/ { if (n++ % run == 0) on = rand() * all < want; if (on) print stack $0 "\n"; stack = ""; next }
        NF { print }' $1
}
for p in $PROGRAMS; do
    [ -x $B/$p ] || build $p || { echo "$p: not built, left out"; continue; }
    arguments=$(arguments $p)
    start=; case $p in loops*) start=--start=work_off ;; esac
    [ -s $B/$p.$MOST.prof ] || {
        $TOOL record --quiet --exact $start --jitter=0 --period=31 --max-branches=$MOST --stop -o $B/$p.$MOST.all.ps -- $B/$p $arguments 2>/dev/null &&
            $TOOL profgen --max-dropped=100 $FLAT --binary=$B/$p --perfscript=$B/$p.$MOST.all.ps -o $B/$p.$MOST.prof || exit 1
    }
    alone=$(seconds $B/$p $arguments)
    echo "$p: $alone s alone"
    for rate in $RATES; do
        took=$(seconds $TOOL record -F $rate -o $B/$p.rec.ps -- $B/$p $arguments)
        $TOOL profgen --max-dropped=100 $FLAT --binary=$B/$p --perfscript=$B/$p.rec.ps -o $B/$p.rec.prof
        echo "record -F $rate: $took s, $(sed -n 's/^csspgo: \([0-9]* samples.*\)/\1/p' $B/record.said): $($B/truth $B/$p -p $B/$p.$MOST.prof $B/$p.rec.prof), $(worst $B/$p.$MOST.prof $B/$p.rec.prof)"
        samples=$(sed -n 's/^csspgo: \([0-9]*\) samples.*/\1/p' $B/record.said)
        long=$((samples / 1000 < 4 ? 4 : samples / 1000 > 16 ? 16 : samples / 1000))   # as the last bursts
        for run in 1 $long; do
            pick $B/$p.$MOST.all.ps $samples $run >$B/$p.rec.ps
            $TOOL profgen --max-dropped=100 $FLAT --binary=$B/$p --perfscript=$B/$p.rec.ps -o $B/$p.rec.prof
            echo "  ideal, $samples samples in runs of $run: $($B/truth $B/$p -p $B/$p.$MOST.prof $B/$p.rec.prof)"
        done
        took=$(seconds perf record -q -e cpu-clock -F $rate -g -o $B/$p.rec.data -- $B/$p $arguments)
        $TOOL profgen --max-dropped=100 $FLAT --binary=$B/$p --perfdata=$B/$p.rec.data -o $B/$p.rec.prof 2>/dev/null &&
            echo "perf record -e cpu-clock -F $rate -g: $took s: $($B/truth $B/$p -p $B/$p.$MOST.prof $B/$p.rec.prof)"
    done
done
