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
status=0
for p in image json rapid; do
    [ -f $B/$p.$MOST.ps ] && [ $B/$p.$MOST.ps -nt $B/$p ] || ../examples/build/csspgo record --quiet --software --jitter=0 --period=31 --depth=32 \
        --frame-pointers --max-branches=$MOST -o $B/$p.$MOST.ps -- $B/$p >/dev/null || exit 1
    $B/truth $B/$p $B/$p.$MOST.ps || status=1
    echo
done
exit $status
