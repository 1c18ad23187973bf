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
$TOOL record --quiet -F 20000 --overhead=1000 -o $B/try -- $B/$p >/dev/null 2>$B/err
[ -s $B/try ] || { skip "record_processes: nothing can be recorded here: $(head -1 $B/err)"; finish; }

# processes FILE: how many have samples
processes() { awk '/^ *[0-9]+\/[0-9]+ +[0-9]+\.[0-9]+: $/ { split($1, a, "/"); p[a[1]] } END { for (i in p) n++; print n + 0 }' $1; }
for how in "" --timer; do
    for follow in "" --follow-forks; do
        $TOOL record --quiet $how $follow -F 20000 --overhead=1000 -o $B/out -- $B/$p >$B/said 2>&1
        got=$?
        if [ $got -eq $status ]; then pass; else fail "$p $how $follow: status $got, alone $status"; fi
        if cmp -s $B/native $B/said; then pass; else fail "$p $how $follow: output differs"; diff $B/native $B/said | head -4; fi
        n=$(processes $B/out)
        if [ -z "$follow" ] && [ $n -eq 1 ]; then pass
        elif [ -n "$follow" ] && [ $n -ge 5 ]; then pass
        else fail "$p $how $follow: $n processes have samples"; fi
    done
done
finish
