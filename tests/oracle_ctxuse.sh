#!/bin/sh
# A profile of exact counts is one that clang 19 takes: with the probes of the same source its branch weights are the counts
# themselves, and each caller has its own. Run in tests/.
. ./t.sh
. ./ctx.sh
B=build/ctxuse
mkdir -p $B
ctx_tools
# use NAME SOURCE: clang with the profile of NAME; $B/NAME.said is its module right behind the loader of the profile
use() {
    clang-19 -O2 -g1 -w -fpseudo-probe-for-profiling -fprofile-sample-use=$B/$1.prof -Rpass=sample-profile-inline \
        -mllvm -print-after=sample-profile -S -emit-llvm -o $B/$1.opt.ll $2 2>$B/$1.said
}
# weights NAME FUNCTION: its entries and the weights of its branches, in order
weights() {
    awk -v f=$2 '/^define/ { in_f = index($0, "@" f "(") != 0 }
        in_f && match($0, /!prof ![0-9]+/) { list[++n] = substr($0, RSTART + 6, RLENGTH - 6) }
        /^![0-9]+ = !\{!"(branch_weights|function_entry_count|VP)"/ { s = $0; sub(/^[^"]*"[^"]*", /, "", s); gsub(/i(32|64) |}/, "", s); value[$1] = s }
        END { for (i = 1; i <= n; i++) printf "%s%s", value[list[i]], i < n ? "; " : "\n" }' $B/$1.said
}
# expect NAME FUNCTION WEIGHTS
expect() {
    got=$(weights $1 $2)
    if [ "$got" = "$3" ]; then pass; else fail "$1, $2: $got, not $3"; fi
}
# inlined NAME CALLEE CALLER COUNT: so many remarks
inlined() {
    got=$(grep -c "remark: '$2' inlined into '$3'" $B/$1.said)
    if [ $got -eq $4 ]; then pass; else fail "$1: '$2' was inlined into '$3' $got times, not $4"; fi
}

check "modes is instrumented" ctx_program $B modes run clang-19 programs/modes.c
check "modes runs" ctx_count $B modes
check "its counts become a profile" build/plain/ctx_profile $B/modes.table $B/modes.ctxp $B/modes.prof
if have llvm-profdata-19; then
    check "llvm-profdata reads and writes the same" sh -c "llvm-profdata-19 merge --sample --text $B/modes.prof | cmp - $B/modes.prof"
fi
check "clang takes it" use modes programs/modes.c
# run: its loop; adds and work in it, whose branch always goes one way and is gone; flips and work in it: 400 of 4000; every
# 50th time twice; the indirect call: once 300, twice 100
expect modes run "1; 400, 1; 8000, 400; 4000, 400; 400, 3600; 8, 392; 8; 0, 400, -7092890297092870174, 300, -4929062420463572052, 100"
expect modes twice "108; 8, 100"
expect modes once "300"
inlined modes adds run 1
inlined modes flips run 1
inlined modes work run 2
inlined modes work twice 1
# the same counts without contexts: the branch of work is a coin's
check "a flat profile" sh -c "sed -e 's/^\[\([^]:]*\)\]/[\1]/' -e 's/^\[.* @ \([a-z]*\)\]/[\1]/' $B/modes.prof | llvm-profdata-19 merge --sample --text - -o $B/coin.prof"
check "clang takes that" use coin programs/modes.c
expect coin work "12108; 8408, 3700"
# LLVM 19's loader loses samples of recursive contexts, and crashes on some: recursion is compressed first
check "mix is instrumented" ctx_program $B mix main clang-19 programs/mix.c
check "mix runs" ctx_count $B mix
check "its recursion is compressed" build/plain/ctx_profile --compress $B/mix.table $B/mix.ctxp $B/mix.prof
check "clang takes it, too" use mix programs/mix.c
expect mix roll "3500"
finish
