#!/bin/sh
# What profiles are worth to gcc: two programs built without one, with an empty one (which turns on the same passes), with
# create_gcov's (Debian's autofdo 0.19) and with csspgo's of the same samples of one run, and with csspgo's of what
# `perf record -e cpu-clock` gives, without branch records. create_gcov reads no DWARF 5, and gcc 12 does not read what it
# writes: csspgo merge converts that. Instructions are callgrind's of another run, text is the size of .text.
# Run in bench/; needs x86-64 Linux, gcc 12, qemu-user, valgrind, nlohmann-json3-dev, rapidjson-dev; autofdo, linux-perf.
# Argument: samples of a run (14000; recordings of more than 16 MB are cut for create_gcov).
SAMPLES=${1:-14000}
B=build/gcc
mkdir -p $B
T=../examples/build/csspgo
CXX="g++ -std=c++17 -w -O2 -no-pie"
make -s build/windows build/trace.so && make -s -C ../examples build/csspgo && make -s -C ../tests build/plain/make_perfdata || exit 1

# row NAME WHAT ROUNDS [PROFILE]: builds a program with a profile and measures it
row() {
    what=$2
    if [ -n "$4" ] && ! $CXX -fauto-profile=$4 -o $B/$1 $source 2>$B/$1.said; then
        grep -q 'internal compiler error' $B/$1.said && $CXX -fauto-profile=$4 -fno-ipa-cp-clone -o $B/$1 $source || { cat $B/$1.said; return; }
        what="$what; gcc crashes, so -fno-ipa-cp-clone"
    fi
    instructions=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null $B/$1 $(seq $3) 2>&1 | sed -n 's/.*Collected : //p')
    text=$(size -A $B/$1 | awk '$1 == ".text" { print $2 }')
    [ -n "$base_i" ] || { base_i=$instructions; base_t=$text; }
    echo "| $what | $(awk "BEGIN { printf \"%.1f | %+.1f %%\", $instructions / 1e6, 100 * ($instructions / $base_i - 1) }") | $text | $(awk "BEGIN { printf \"%+.1f %%\", 100 * ($text / $base_t - 1) }") |"
}
# program NAME TRAIN ROUNDS CLOCK: rounds of the runs
program() {
    n=$1 source=../tests/programs/$1.cpp base_i=
    $CXX -g -gdwarf-4 -o $B/$n $source && $CXX -o $B/$n.none $source || exit 1
    qemu-x86_64 -plugin build/trace.so,out=$B/trace,start=0x$(nm $B/$n | awk '$3 == "main" { print $1 }'),max=40000000 $B/$n $(seq $2) >/dev/null
    build/windows $B/trace $B/$n $SAMPLES >$B/$n.ps
    rm $B/trace
    $T profgen --max-dropped=100 --quiet --binary=$B/$n --perfscript=$B/$n.ps --format=gcc -o $B/$n.afdo || exit 1
    printf 'nothing:1:1\n 1: 1\n' | $T merge --quiet --gcc - -o $B/$n.empty.afdo
    echo "| $n | M instructions | | .text | |"
    echo "| --- | --- | --- | --- | --- |"
    row $n.none "no profile" $3
    row $n.empty "an empty profile" $3 $B/$n.empty.afdo
    if command -v create_gcov >/dev/null; then
        ../tests/build/plain/make_perfdata file <$B/$n.ps >$B/$n.data
        create_gcov --binary=$B/$n --profile=$B/$n.data --gcov=$B/$n.their.1 --gcov_version=1 2>/dev/null
        $T merge --quiet --gcc $B/$n.their.1 -o $B/$n.their.afdo && row $n.their "create_gcov 0.19" $3 $B/$n.their.afdo
    fi
    row $n.ours csspgo $3 $B/$n.afdo
    perf record -q -e cpu-clock -F 25000 -o $B/$n.clock.data -- $B/$n $(seq $4) >/dev/null 2>&1 &&
        $T profgen --max-dropped=100 --binary=$B/$n --perfdata=$B/$n.clock.data --format=gcc -o $B/$n.clock.afdo 2>$B/$n.clock.said &&
        row $n.clock "csspgo, without branch records, $(sed -n 's/.*estimates from \([0-9]*\) .*/\1/p' $B/$n.clock.said) samples" $3 $B/$n.clock.afdo
    echo
}
program json 400 30 20000
program rapid 4000 500 100000
