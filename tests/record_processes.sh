#!/bin/sh
# `csspgo record`: child processes are followed if asked for, else they run free; both as without a recorder.
# Run in tests/.
. ./t.sh
B=build/record_processes
mkdir -p $B
TOOL=${TOOL:-build/plain/csspgo}
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    skip "record_processes: needs x86-64 Linux"
    finish
fi
[ -x $TOOL ] || make -s $TOOL
p=family
${CC:-cc} -O1 -g1 -w -fno-omit-frame-pointer -o $B/$p programs/record/$p.c || fail "$p.c does not build"
$B/$p >$B/native 2>&1
status=$?
$TOOL record -F 20000 --overhead=1000 -o $B/try -- $B/$p >/dev/null 2>$B/err
[ -s $B/try ] || { skip "record_processes: nothing can be recorded here: $(head -1 $B/err)"; finish; }

# processes FILE: how many have samples
processes() { awk '/^ *[0-9]+\/[0-9]+ +[0-9]+\.[0-9]+: $/ { split($1, a, "/"); p[a[1]] } END { for (i in p) n++; print n + 0 }' $1; }
# An event stops every child that runs; a timer, on a busy machine, comes too late for some: ten runs must show one.
for how in "" --timer; do
    for follow in "" --follow-forks; do
        want=1
        if [ -n "$follow" ]; then
            want=5
            if [ -n "$how" ] || grep -q 'a timer takes the samples' $B/err; then want=2; fi
        fi
        n=0 try=0 same=1
        while [ $n -lt $want ] && [ $try -lt 10 ]; do
            try=$((try + 1))
            $TOOL record --quiet $how $follow -F 20000 --overhead=1000 -o $B/out -- $B/$p >$B/said 2>&1
            got=$?
            [ $got -eq $status ] && cmp -s $B/native $B/said && n=$(processes $B/out) && continue
            same=0
            break
        done
        if [ $same -eq 1 ]; then pass; else fail "$p $how $follow: status $got, alone $status"; diff $B/native $B/said | head -4; fi
        if [ $n -ge $want ] && [ $n -eq 1 -o -n "$follow" ]; then pass; else fail "$p $how $follow: $n processes have samples"; fi
    done
done

# The recorder binds a thread to its own CPU for a moment: afterwards, and what was made in that moment, may run anywhere.
p=places
${CC:-cc} -O1 -w -fno-omit-frame-pointer -o $B/$p programs/record/$p.c -lpthread || fail "$p.c does not build"
$B/$p >$B/native
# Where the recorder loses its CPU in that moment, as on a busy machine, a question shows it: one of three runs must not.
try=0
while [ $try -lt 3 ]; do
    try=$((try + 1))
    $TOOL record --quiet -F 100000 --overhead=1000 -o $B/out -- $B/$p >$B/said 2>$B/err
    cmp -s $B/native $B/said && break
done
if cmp -s $B/native $B/said; then pass; else fail "$p: threads say something else"; diff $B/native $B/said | head -4; fi
finish
