#!/bin/sh
# What profiles are worth: two programs built without one, with profiles by source line (without contexts, as AutoFDO's,
# and with them) and with context-sensitive ones by probes: llvm-profgen-19's and csspgo's of the same samples of one
# run each. csspgo's also of what `perf record -e cpu-clock -g` gives, without branch records, and with the pre-inliner's
# sizes of code from debug information instead of probes. Instructions are callgrind's of another run, seconds the median
# of user times, text the size of .text, inlined calls clang's remarks.
# Run in bench/; needs x86-64 Linux, clang-19, llvm-19, valgrind, qemu-user, linux-perf, nlohmann-json3-dev, rapidjson-dev.
# Arguments: samples of a run (100000), runs of each program for the seconds (11; 0: no seconds, no clock), programs.
SAMPLES=${1:-100000} RUNS=${2:-11} PROGRAMS=${3:-json rapid}
B=build/endtoend
mkdir -p $B
CXX="clang++-19 -std=c++17 -fdelayed-template-parsing -w -O2"
PROBES="-fpseudo-probe-for-profiling"
LINES="-fdebug-info-for-profiling"
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
    [ $RUNS != 0 ] || return
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
# used NAME FLAGS COMMAND...: the program built with the profile that a command makes
used() {
    name=$n.$1 flags=$2
    shift 2
    "$@" --output=$B/$name.prof >/dev/null 2>$B/$name.said || { cat $B/$name.said; exit 1; }
    build $name $source "$flags -fprofile-sample-use=$B/$name.prof"
}
# program NAME SOURCE TRAIN INSTRUCTIONS SECONDS CLOCK: rounds of the runs
program() {
    n=$1 source=$2 base_i=
    build $n.probes $source "$PROBES $RECORDED"
    build $n.lines $source "$LINES $RECORDED"
    traced $n.probes $3
    traced $n.lines $3
    OURS="../examples/build/csspgo profgen --max-dropped=100 --quiet" LLVMS="llvm-profgen-19"
    by_probe="--binary=$B/$n.probes --perfscript=$B/$n.probes.ps"
    by_line="--binary=$B/$n.lines --perfscript=$B/$n.lines.ps"
    build $n.none $source ""
    used ours "$PROBES" $OURS $by_probe
    used debug "$PROBES" $OURS $by_probe --debug-sizes
    used llvm "$PROBES" $LLVMS $by_probe
    used autofdo "$LINES" $LLVMS $by_line --ignore-stack-samples
    used autofdo.ours "$LINES" $OURS $by_line
    used lines.llvm "$LINES" $LLVMS $by_line
    used lines.ours "$LINES" $OURS $by_line --ignore-stack-samples=0
    if [ $RUNS != 0 ]; then
        perf record -q -e cpu-clock -F 25000 -g -o $B/$n.clock.data -- $B/$n.probes $(seq $6) >/dev/null 2>&1 || { echo "no recording of the clock"; exit 1; }
        used clock "$PROBES" ../examples/build/csspgo profgen --max-dropped=100 --binary=$B/$n.probes --perfdata=$B/$n.clock.data
    fi
    echo "| $n | M instructions | | user s | .text | | inlined calls |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    row $n.none "no profile" $4 $5
    row $n.autofdo "lines, llvm-profgen-19" $4 $5
    row $n.autofdo.ours "lines, csspgo" $4 $5
    row $n.lines.llvm "lines in contexts, llvm-profgen-19" $4 $5
    row $n.lines.ours "lines in contexts, csspgo" $4 $5
    row $n.llvm "contexts, llvm-profgen-19" $4 $5
    row $n.ours "contexts, csspgo" $4 $5
    row $n.debug "contexts, csspgo, sizes from debug information" $4 $5
    [ $RUNS = 0 ] || row $n.clock "contexts, csspgo, without branch records, $(sed -n 's/.*estimates from \([0-9]*\) .*/\1/p' $B/$n.clock.said) samples" $4 $5
    echo
}
for p in $PROGRAMS; do
    case $p in
    json) program json ../tests/programs/json.cpp 4000 200 2000 60000 ;;
    rapid) program rapid ../tests/programs/rapid.cpp 4000 500 20000 100000 ;;
    esac
done
