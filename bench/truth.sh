#!/bin/sh
# The table of errors: what three programs did, branch by branch, against the profiles that samples of it give.
# Run in bench/; needs x86-64 Linux, clang-19, nlohmann-json3-dev, rapidjson-dev, libstb-dev. One argument: the most
# branches of a run (default 1000000).
B=build/truth
mkdir -p $B
MOST=${1:-1000000}
FLAGS="-O2 -g -w -fpseudo-probe-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fno-pie -no-pie"
make -s -C ../examples build/csspgo && ${CC:-cc} -std=gnu99 -O2 -w -o $B/truth truth.c || exit 1
clang-19 $FLAGS -o $B/image ../tests/programs/image.c -lm || exit 1
clang++-19 -std=c++17 $FLAGS -o $B/json ../tests/programs/json.cpp || exit 1
clang++-19 -std=c++17 -fdelayed-template-parsing $FLAGS -o $B/rapid ../tests/programs/rapid.cpp || exit 1
rounds_image=20000 rounds_json=10000 rounds_rapid=100000
status=0
for p in image json rapid; do
    [ -f $B/$p.$MOST.ps ] && [ $B/$p.$MOST.ps -nt $B/$p ] || ../examples/build/csspgo record --quiet --software --jitter=0 --period=31 --depth=32 \
        --frame-pointers --max-branches=$MOST -o $B/$p.$MOST.ps -- $B/$p >/dev/null || exit 1
    $B/truth $B/$p $B/$p.$MOST.ps || status=1
    # the CPU clock's samples of a longer run, against that
    perf record -q -e cpu-clock -F 25000 -g -o $B/$p.clock.data -- $B/$p $(seq $(eval echo \$rounds_$p)) >/dev/null 2>&1 || { echo; continue; }
    FLAT="--format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0"
    ../examples/build/csspgo profgen --quiet $FLAT --binary=$B/$p --perfscript=$B/$p.$MOST.ps -o $B/$p.lbr.prof &&
        ../examples/build/csspgo profgen $FLAT --binary=$B/$p --perfdata=$B/$p.clock.data -o $B/$p.clock.prof 2>$B/$p.said &&
        echo "\n$p, $(sed -n 's/.*estimates from \([0-9]*\) .*/\1/p' $B/$p.said) samples of cpu-clock: $($B/truth $B/$p -p $B/$p.lbr.prof $B/$p.clock.prof)"
    echo
done
exit $status
