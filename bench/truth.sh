#!/bin/sh
# The table of errors: what three programs did, branch by branch, against the profiles that samples of it give.
# By probes, and by source line, with contexts and without; of the recordings' own samples also what llvm-profgen-19
# makes, if it is there.
# Run in bench/; needs x86-64 Linux, clang-19, nlohmann-json3-dev, rapidjson-dev, libstb-dev. Arguments: the most
# branches of a run (default 1000000), the programs (default "image json rapid").
B=build/truth
mkdir -p $B
MOST=${1:-1000000}
PROGRAMS=${2:-image json rapid}
FLAGS="-O2 -g -w -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fno-pie -no-pie"
make -s -C ../examples build/csspgo && ${CC:-cc} -std=gnu99 -O2 -w -o $B/truth truth.c || exit 1
# build NAME PROGRAM FLAG
build() {
    case $2 in
    image) clang-19 $FLAGS $3 -o $B/$1 ../tests/programs/image.c -lm ;;
    *) clang++-19 -std=c++17 -fdelayed-template-parsing $FLAGS $3 -o $B/$1 ../tests/programs/$2.cpp ;;
    esac || exit 1
}
# recorded NAME: its run, every branch of it
recorded() {
    [ -f $B/$1.$MOST.ps ] && [ $B/$1.$MOST.ps -nt $B/$1 ] || ../examples/build/csspgo record --quiet --software --jitter=0 --period=31 --depth=32 \
        --frame-pointers --max-branches=$MOST -o $B/$1.$MOST.ps -- $B/$1 >/dev/null || exit 1
}
# by_line MODE OPTION...: errors by source line of samples of the run; those of the tools' profiles of the recording
by_line() {
    mode=$1
    shift
    $B/truth $mode $B/$p.lines $B/$p.lines.$MOST.ps || status=1
    from="--format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0 --binary=$B/$p.lines --perfscript=$B/$p.lines.$MOST.ps"
    ../examples/build/csspgo profgen --max-dropped=100 --quiet $from "$@" -o $B/csspgo
    llvm-profgen-19 $from "$@" -o $B/llvm-profgen-19 >/dev/null 2>&1 || return
    echo "\nthe recording's samples"
    $B/truth $mode $B/$p.lines -t $B/$p.lines.$MOST.ps $B/csspgo $B/llvm-profgen-19
    echo
}
rounds_image=20000 rounds_json=10000 rounds_rapid=100000
status=0
for p in $PROGRAMS; do
    build $p.lines $p -fdebug-info-for-profiling
    recorded $p.lines
    by_line -l
    by_line -f --ignore-stack-samples
    build $p $p -fpseudo-probe-for-profiling
    recorded $p
    $B/truth $B/$p $B/$p.$MOST.ps || status=1
    # the CPU clock's samples of a longer run, against that
    perf record -q -e cpu-clock -F 25000 -g -o $B/$p.clock.data -- $B/$p $(seq $(eval echo \$rounds_$p)) >/dev/null 2>&1 || { echo; continue; }
    FLAT="--format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0"
    ../examples/build/csspgo profgen --max-dropped=100 --quiet $FLAT --binary=$B/$p --perfscript=$B/$p.$MOST.ps -o $B/$p.lbr.prof &&
        ../examples/build/csspgo profgen --max-dropped=100 $FLAT --binary=$B/$p --perfdata=$B/$p.clock.data -o $B/$p.clock.prof 2>$B/$p.said &&
        echo "\n$p, $(sed -n 's/.*estimates from \([0-9]*\) .*/\1/p' $B/$p.said) samples of cpu-clock: $($B/truth $B/$p -p $B/$p.lbr.prof $B/$p.clock.prof)"
    echo
done
exit $status
