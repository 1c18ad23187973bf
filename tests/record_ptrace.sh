#!/bin/sh
# `csspgo record` of programs that use ptrace themselves: output and exit status are those of an unrecorded run.
# Run in tests/.
. ./t.sh
B=build/record_ptrace
mkdir -p $B
TOOL=${TOOL:-build/plain/csspgo}
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    skip "record_ptrace: needs x86-64 Linux"
    finish
fi
[ -x $TOOL ] || make -s $TOOL
${CC:-cc} -O1 -w -fno-omit-frame-pointer -pie -fPIE -o $B/symbols programs/record/tracer.c -lpthread || fail "tracer.c does not build"
strip -o $B/tracer $B/symbols
${CC:-cc} -O1 -w -fno-omit-frame-pointer -static -o $B/static programs/record/tracer.c -lpthread || fail "tracer.c does not link"
$TOOL record -F 20000 --overhead=1000 -o $B/try -- $B/tracer >/dev/null 2>$B/err
[ -s $B/try ] || { skip "record_ptrace: nothing can be recorded here: $(head -1 $B/err)"; finish; }

# alone PROGRAM ARGUMENTS...: what it does unrecorded
alone() {
    ("$@") >$B/native 2>&1
    status=$?
}
# recorded "OPTIONS" PROGRAM ARGUMENTS...: that it does the same
recorded() {
    how=$1
    shift
    $TOOL record $how -o $B/out -- "$@" >$B/said 2>$B/err
    got=$?
    if [ $got -eq $status ]; then pass; else fail "$* $how: status $got, alone $status"; fi
    if cmp -s $B/native $B/said; then pass; else fail "$* $how: output differs"; diff $B/native $B/said | head -6; fi
}
# let_go N WHAT: as many threads have another tracer
let_go() {
    gone=$(sed -n 's/.*let go for another tracer: \([0-9]*\) threads.*/\1/p' $B/err)
    if [ ${gone:-0} -eq $1 ]; then pass; else fail "$2: ${gone:-0} threads are let go, not $1"; fi
}
fast="-F 20000 --overhead=1000"
for what in asks debugs attaches attached; do
    case $what in asks) n=0 ;; debugs) n=2 ;; attaches) n=3 ;; attached) n=1 ;; esac
    for p in tracer static; do
        alone $B/$p $what
        recorded "--follow-forks $fast" $B/$p $what
        let_go $n "$p $what"
    done
    alone $B/tracer $what
    recorded "$fast" $B/tracer $what
    recorded "--follow-forks --timer $fast" $B/tracer $what
done
for what in asks debugs; do
    alone $B/tracer $what
    recorded "--exact --max-branches=10000000" $B/tracer $what
done
# after the end of a recording
: >$B/over
alone $B/tracer later $B/over
rm -f $B/out
recorded "--duration=0.05 --follow-forks $fast" $B/tracer later $B/out
finish
