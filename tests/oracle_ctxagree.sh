#!/bin/sh
# An inliner that asks exact counts and samples of the same run through the same tracker decides the same about most calls;
# exact counts for a part of the program bring its decisions nearer. PRINT=1 prints the table, for bench/. Run in tests/.
. ./t.sh
. ./ctx.sh
B=build/ctxagree
mkdir -p $B
ctx_tools
# agree NAME LEAST ROOT COMPILER...: rows for 1/100, 1/10 and all of the samples of a run, one every 100 branches.
# LEAST percent of the calls are decided alike. 0: many calls of the program have equal counts, so the place of a sample
# decides which of them comes first; then as many calls must be inlined as with exact counts.
agree() {
    prog=$1 least=$2 root=$3
    shift 3
    check "$prog is instrumented" ctx_program $B $prog main "$@"
    check "$prog runs" ctx_count $B $prog
    check "$prog is sampled" ctx_sample $B $prog $prog.plain 100
    for k in 10 100; do check "$prog: fewer samples" ctx_thin $B $prog $prog.plain $k; done
    set --
    for k in .100 .10 ''; do set -- "$@" $B/$prog$k.prof "$(ctx_samples $B/$prog$k.ps) samples"; done
    set -- "$@" --root $root $B/$prog.10.prof "$(ctx_samples $B/$prog.10.ps) and exact counts in a part"
    check "$prog: equal decisions" sh -c 'build/plain/ctx_agree "$@" >'$B/$prog.agree' 2>'$B/$prog.said sh $prog $B/$prog.table $B/$prog.ctxp "$@"
    [ -z "$PRINT" ] || cat $B/$prog.agree
    # of all samples, and of a tenth with exact counts in a part
    if awk -F'|' -v least=$least '{ split($7, share, "/") } least == 0 && NR > 1 && NR < 5 && share[2] + 1 < share[1] + 0 { fewer = 1 }
        NR == 3 { all = $9 + 0 } NR == 4 { part = $9 + 0 } NR == 2 { tenth = $9 + 0 }
        END { exit fewer || all < least || (least > 0 && part < tenth - 1) }' $B/$prog.agree; then pass
    else fail "$prog: decisions differ"; cat $B/$prog.agree; fi
}
[ -z "$PRINT" ] || echo "| program | counts | contexts | of these | overlap | inlined: exact / these | equal by contexts | by calls |
| --- | --- | --- | --- | --- | --- | --- | --- |"
agree mix 0 even clang-19 programs/mix.c
if [ -n "$FULL" ] && [ -d /usr/include/stb ]; then agree image 95 stbi_write_png_to_mem clang-19 programs/image.c; fi
if [ -n "$FULL" ] && [ -d /usr/include/rapidjson ]; then
    agree rapid 90 _ZN9rapidjson15GenericDocumentINS_4UTF8IcEENS_19MemoryPoolAllocatorINS_12CrtAllocatorEEES4_E5ParseEPKc \
        clang++-19 -std=c++17 -fdelayed-template-parsing programs/rapid.cpp
fi
finish
