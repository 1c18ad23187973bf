#!/bin/sh
# What profiles are worth: two programs built without one, with a line profile (AutoFDO's, by llvm-profgen-19), with
# llvm-profgen-19's context-sensitive one and with csspgo's, each of the same samples of one run, and with csspgo's of
# what `perf record -e cpu-clock -g` gives, without branch records. Instructions are callgrind's of another run, seconds the median of user times, text the size of .text, inlined calls clang's remarks.
# Run in bench/; needs x86-64 Linux, clang-19, llvm-19, valgrind, qemu-user, linux-perf, nlohmann-json3-dev, rapidjson-dev.
# Arguments: samples of a run (100000), runs of each program for the seconds (11).
SAMPLES=${1:-100000} RUNS=${2:-11}
B=build/endtoend
mkdir -p $B
CXX="clang++-19 -std=c++17 -fdelayed-template-parsing -w -O2"
PROBES="-fpseudo-probe-for-profiling"
RECORDED="-g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -no-pie"
make -s build/windows build/trace.so && make -s -C ../examples build/csspgo || exit 1

# traced NAME PROGRAM ARGUMENTS: samples of a run, from main on
traced() {
    [ -s $B/$1.ps ] && [ $B/$1.ps -nt $B/$1 ] && return
    qemu-x86_64 -plugin build/trace.so,out=$B/trace,start=0x$(nm $B/$1 | awk '$3 == "main" { print $1 }'),max=40000000 $B/$1 $(seq $2) >/dev/null
    build/windows $B/trace $B/$1 $SAMPLES >$B/$1.ps
    rm $B/trace
}
# build NAME SOURCE FLAGS: a program, and what was inlined
build() { $CXX -Rpass=inline $3 -o $B/$1 $2 2>$B/$1.remarks || { cat $B/$1.remarks; exit 1; }; }
seconds() {
    i=0
    while [ $i -lt $RUNS ]; do
        ( TIMEFORMAT=%U; bash -c 'TIMEFORMAT=%U; time "$0" "$@" >/dev/null' $B/$1 $(seq $2) ) 2>&1
        i=$((i + 1))
    done | sort -n | sed -n "$((RUNS / 2 + 1))p"
}
row() {
    instructions=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null $B/$1 $(seq $3) 2>&1 | sed -n 's/.*Collected : //p')
    text=$(size -A $B/$1 | awk '$1 == ".text" { print $2 }')
    [ -n "$base_i" ] || { base_i=$instructions; base_t=$text; }
    echo "| $2 | $(awk "BEGIN { printf \"%.1f | %+.2f %%\", $instructions / 1e6, 100 * ($instructions / $base_i - 1) }") | $(seconds $1 $4) | $text | $(awk "BEGIN { printf \"%+.1f %%\", 100 * ($text / $base_t - 1) }") | $(grep -c 'inlined into' $B/$1.remarks) |"
}
# program NAME SOURCE TRAIN INSTRUCTIONS SECONDS CLOCK: rounds of the runs
program() {
    n=$1 source=$2 base_i=
    build $n.probes $source "$PROBES $RECORDED"
    build $n.lines $source "-fdebug-info-for-profiling $RECORDED"
    traced $n.probes $3
    traced $n.lines $3
    ../examples/build/csspgo profgen --quiet --binary=$B/$n.probes --perfscript=$B/$n.probes.ps --output=$B/$n.ours.prof || exit 1
    llvm-profgen-19 --binary=$B/$n.probes --perfscript=$B/$n.probes.ps --output=$B/$n.llvm.prof >/dev/null 2>&1 || exit 1
    llvm-profgen-19 --binary=$B/$n.lines --perfscript=$B/$n.lines.ps --ignore-stack-samples --output=$B/$n.autofdo.prof >/dev/null 2>&1 || exit 1
    perf record -q -e cpu-clock -F 25000 -g -o $B/$n.clock.data -- $B/$n.probes $(seq $6) >/dev/null 2>&1 &&
        ../examples/build/csspgo profgen --binary=$B/$n.probes --perfdata=$B/$n.clock.data --output=$B/$n.clock.prof 2>$B/$n.clock.said || { echo "no recording of the clock: see $B/$n.clock.said"; exit 1; }
    build $n.none $source ""
    build $n.autofdo $source "-fdebug-info-for-profiling -fprofile-sample-use=$B/$n.autofdo.prof"
    build $n.llvm $source "$PROBES -fprofile-sample-use=$B/$n.llvm.prof"
    build $n.ours $source "$PROBES -fprofile-sample-use=$B/$n.ours.prof"
    build $n.clock $source "$PROBES -fprofile-sample-use=$B/$n.clock.prof"
    echo "| $n | M instructions | | user s | .text | | inlined calls |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    row $n.none "no profile" $4 $5
    row $n.autofdo "lines, llvm-profgen-19" $4 $5
    row $n.llvm "contexts, llvm-profgen-19" $4 $5
    row $n.ours "contexts, csspgo" $4 $5
    row $n.clock "the same without branch records, $(sed -n 's/.*estimates from \([0-9]*\) .*/\1/p' $B/$n.clock.said) samples" $4 $5
    echo
}
program json ../tests/programs/json.cpp 4000 200 2000 60000
program rapid ../tests/programs/rapid.cpp 4000 500 20000 100000
