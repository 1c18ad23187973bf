#!/bin/bash
# jitdump.sh CC BUILD RUNS FUNCTIONS: code of a JIT from its dump, beside perf inject --jit, which writes a file per function
CC=$1 B=$2 RUNS=$3 FUNCTIONS=$4 D=$(cd $2 && pwd)/jit
$CC -O2 -o $B/make_jitdump ../tests/make_jitdump.c || exit 1
TIMEFORMAT='%R s, CPU: %U s user, %S s system'
for of in 10000:$((FUNCTIONS / 50)) 200000:$((FUNCTIONS / 50)) 200000:$FUNCTIONS; do
    rm -rf $D
    mkdir -p $D
    $B/make_jitdump large $FUNCTIONS ${of%:*} ${of#*:} $D
    echo "$FUNCTIONS functions ($(stat -c %s $D/jit-2000.dump) bytes), ${of%:*} samples in ${of#*:} of them"
    for i in $(seq $RUNS); do
        echo "  csspgo profgen --jitdump: $( { time $B/csspgo profgen --quiet --jitdump=$D/jit-2000.dump --perfdata=$D/perf.data -o $D/out; } 2>&1)"
    done
    command -v perf >/dev/null || continue
    echo "  perf inject --jit: $( { time perf inject --jit -i $D/perf.data -o $D/injected 2>/dev/null; } 2>&1), $(ls $D | grep -c '[.]so$') files"
done
rm -rf $D
