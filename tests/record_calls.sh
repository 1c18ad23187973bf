#!/bin/sh
# `csspgo record` under what programs do with signals, system calls and one another: output and exit status are those of
# an unrecorded run. And how recordings end: by Ctrl-C, by SIGKILL of the program or of the recorder. Run in tests/.
. ./t.sh
B=build/record_calls
mkdir -p $B
TOOL=${TOOL:-build/plain/csspgo}
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    skip "record_calls: needs x86-64 Linux"
    finish
fi
[ -x $TOOL ] || make -s $TOOL
for p in calls ignores; do
    ${CC:-cc} -O1 -w -fno-omit-frame-pointer -pie -fPIE -o $B/$p programs/record/$p.c -lpthread || fail "$p.c does not build"
    strip -o $B/$p.stripped $B/$p
done
rm -f $B/out
$TOOL record --quiet -o $B/out -- $B/ignores again >/dev/null 2>$B/err
[ -e $B/out ] || { skip "record_calls: nothing can be recorded here: $(head -1 $B/err)"; finish; }

# alone PROGRAM ARGUMENTS...: what it does unrecorded
alone() {
    ("$@") >$B/native 2>/dev/null
    status=$?
}
# recorded HOW PROGRAM ARGUMENTS...: that it does the same
recorded() {
    how="$1 -F 20000 --overhead=1000"
    shift
    as_alone "$@"
}
exact() { how="--exact --max-branches=2000000" as_alone "$@"; }
as_alone() {
    $TOOL record --quiet $how -o $B/out -- "$@" >$B/said 2>/dev/null
    got=$?
    if [ $got -eq $status ]; then pass; else fail "$* $how: status $got, alone $status"; fi
    if cmp -s $B/native $B/said; then pass; else fail "$* $how: output differs"; diff $B/native $B/said | head -4 | cut -c1-150; fi
}
# signals, stops, restarted calls, threads that end, code made at run time; a program that traces its child
alone $B/calls.stripped traces
recorded "" $B/calls.stripped traces
for what in "" filtered leader killed alone; do
    alone $B/calls.stripped $what
    recorded --follow-forks $B/calls.stripped $what
    case $what in
    filtered|killed) recorded --timer $B/calls.stripped $what ;;
    leader|alone) exact $B/calls.stripped $what ;;
    esac
done
# SIGTRAP ignored, blocked, pending, handled
alone $B/ignores
for how in "" --follow-forks --timer; do recorded "$how" $B/ignores; done
exact $B/ignores
(trap '' TRAP; exec $B/ignores again) >$B/native
status=$?
for how in "-F 20000 --overhead=1000" --exact; do
    (trap '' TRAP; exec $TOOL record --quiet $how -o $B/out -- $B/ignores again) >$B/said
    got=$?
    if [ $got -eq $status ] && cmp -s $B/native $B/said; then pass; else fail "SIGTRAP ignored from the beginning, $how"; fi
done

# rights that a traced program does not get
if [ "$(id -u)" -eq 0 ] && have setpriv; then
    mkdir -p $B/other
    dir=$(mktemp -d /tmp/record_calls.XXXXXX)
    chmod 755 $dir
    cp $TOOL $dir/tool
    cp $B/calls $dir/calls
    chmod 4755 $dir/calls
    (cd $dir && setpriv --reuid=65534 --regid=65534 --clear-groups ./tool record -o - -- ./calls >out 2>err)
    if [ $? -eq 1 ] && grep -q 'has rights of its own' $dir/err && [ ! -s $dir/out ]; then pass; else fail "set-user-ID"; cat $dir/err; fi
    rm -rf $dir
else
    skip "record_calls: set-user-ID: needs root and setpriv"
fi

# traced PID: by another process; waits for that, or with "not" for its end, a minute at most
tracer() { sed -n 's/^TracerPid:.//p' /proc/$1/status 2>/dev/null; }
children() { cat /proc/$1/task/$1/children 2>/dev/null | tr -d ' '; }
await() {
    for i in $(seq 6000); do
        t=$(tracer $1)
        if [ "$2" = not ]; then [ "${t:-0}" = 0 ] && return 0; else [ "${t:-0}" != 0 ] && return 0; fi
        sleep 0.01
    done
    return 1
}
# an attached recording ends by Ctrl-C and by SIGKILL; the program goes on
alone $B/calls leader
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/$$/status) in [13579bdf]) hangup= ;; *) hangup=HUP ;; esac   # nohup: it is ignored
for signal in INT TERM $hangup KILL; do
    rm -f $B/fifo $B/attached
    mkfifo $B/fifo
    (cat $B/fifo; $B/calls leader) >$B/said &
    shell=$!
    exec 8>$B/fifo
    $TOOL record --quiet --pid=$shell --follow-forks -F 5000 -o $B/attached 2>$B/err &
    recorder=$!
    if ! await $shell; then
        if grep -q 'cannot trace' $B/err; then skip "record_calls: attaching: $(cat $B/err)"; else fail "attaching"; fi
        exec 8>&-
        wait $shell $recorder
        break
    fi
    if [ $signal = INT ]; then
        $TOOL record --quiet --pid=$shell -o $B/twice 2>$B/err
        if [ $? -eq 1 ] && grep -q "process $shell: process [0-9]* does already" $B/err; then pass; else fail "traced twice"; cat $B/err; fi
    fi
    kill -$signal $recorder
    wait $recorder 2>/dev/null
    got=$?
    if [ $signal = KILL ] || [ $got -eq 0 ]; then pass; else fail "recorder, $signal: status $got"; fi
    if await $shell not; then pass; else fail "recorder, $signal: the program is not let go"; fi
    if [ $signal = KILL ] || [ -e $B/attached ]; then pass; else fail "recorder, $signal: nothing is kept"; fi
    exec 8>&-
    wait $shell
    got=$?
    if [ $got -eq $status ] && cmp -s $B/native $B/said; then pass; else fail "the program after $signal of the recorder: status $got"; fi
done
# one that was started goes on, too, and what was recorded is kept
for signal in INT KILL; do
    rm -f $B/out $B/said
    $TOOL record --quiet -o $B/out -- sh -c 'read line; echo $line; exit 3' <$B/fifo >$B/said &
    shell=$!
    exec 8>$B/fifo
    for i in $(seq 6000); do
        recorder=$(children $shell)
        child=$(children $recorder)
        [ -n "$child" ] && [ "$(tracer $child)" = $recorder ] && break
        sleep 0.01
    done
    kill -$signal $shell
    for i in $(seq 6000); do [ -e $B/out ] && break; sleep 0.01; done
    echo on >&8
    exec 8>&-
    wait $shell 2>/dev/null
    got=$?
    for i in $(seq 6000); do [ -s $B/said ] && break; sleep 0.01; done
    if [ $signal = KILL ] || [ $got -eq 3 ]; then pass; else fail "a program after $signal for the recorder: status $got"; fi
    if [ "$(cat $B/said)" = on ] && [ -e $B/out ]; then pass; else fail "a program after $signal for the recorder"; fi
done
rm -f $B/fifo
finish
