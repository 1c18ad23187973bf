#!/bin/sh
# `csspgo record` has the program count in windows: its code is that of its files afterwards and in its children; signals,
# threads, exec find what they would without the recorder. What is counted makes shares right that the time makes wrong.
# Run in tests/.
. ./t.sh
B=build/record_counting
mkdir -p $B
TOOL=${TOOL:-build/plain/csspgo}
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    skip "record_counting: needs x86-64 Linux"
    finish
fi
[ -x $TOOL ] || make -s $TOOL
OFTEN="-F 100000 --overhead=1000"
# number NAME FILE: of the JSON
number() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" $2; }
# counted NAME FILE: most bursts were counted, in windows
counted() {
    if [ "$(number counting_windows $2)" -ge 5 ] && [ "$(number bursts_counted $2)" -gt "$(number bursts_not_counted $2)" ]; then pass
    else fail "$1: $(number counting_windows $2) windows, $(number bursts_counted $2) bursts counted, $(number bursts_not_counted $2) not"; fi
}
p=programs/record/counted.c
${CC:-cc} -O2 -w -fno-omit-frame-pointer -o $B/pie $p -lpthread || fail "counted.c does not build"
$TOOL record --quiet --json $OFTEN -o $B/try -- $B/pie work >$B/json 2>$B/err
[ -s $B/try ] || { skip "record_counting: nothing can be recorded here: $(head -1 $B/err)"; finish; }
if ! has_text '"counting_windows": 0' $B/json; then pass
elif [ -e /proc/sys/kernel/perf_event_paranoid ] && $TOOL record --timer $OFTEN -o $B/try -- $B/pie work 2>&1 | grep -q 'a timer takes'; then
    skip "record_counting: there are no cpu-clock events here"
    finish
else fail "no windows"; fi
builds=pie
if [ -n "$FULL" ]; then
    ${CC:-cc} -O2 -w -fno-omit-frame-pointer -no-pie -o $B/fixed $p -lpthread && builds="$builds fixed"
    if have clang-19; then
        clang-19 -O3 -w -o $B/clang $p -lpthread && builds="$builds clang"
        clang-19 -O1 -w -static -o $B/static $p -lpthread 2>/dev/null && builds="$builds static"
    fi
fi
for b in $builds; do
    for what in work signals children threads exec; do
        timeout 60 $B/$b $what >$B/native
        for how in "" "--aslr --follow-forks"; do
            [ -n "$FULL$how" ] || [ $what != children ] || continue
            [ -n "$FULL" ] || [ -z "$how" ] || [ $what = children ] || continue
            timeout 120 $TOOL record --quiet --json $how $OFTEN -o $B/out -- $B/$b $what >$B/json 2>$B/said
            got=$?
            if [ $got -eq 0 ] && cmp -s $B/native $B/said; then pass; else fail "$b $what $how: status $got"; diff $B/native $B/said | head -4; fi
            counted "$b $what $how" $B/json
        done
    done
    # recording ends before the program does, which then compares its code
    rm -f $B/ends
    $B/$b wait $B/ends >$B/said &
    pid=$!
    for seconds in 1 2 4 8; do            # on a busy machine a second may see few bursts
        timeout 60 $TOOL record --quiet --json $OFTEN --duration=$seconds -p $pid -o $B/out >$B/json 2>$B/err || break
        [ "$(number counting_windows $B/json)" -lt 5 ] || break
    done
    : >$B/ends
    wait $pid
    if has_text 'differs: 0' $B/said; then pass; else fail "$b attached: $(cat $B/said)"; fi
    has_text 'cannot trace' $B/err || counted "$b attached" $B/json
    for ends in INT KILL; do
        rm -f $B/ends
        $TOOL record --quiet $OFTEN -o $B/out -- $B/$b wait $B/ends >$B/said 2>/dev/null &
        pid=$!
        sleep 1
        kill -$ends $pid
        sleep 0.5
        : >$B/ends
        n=0
        while [ $n -lt 50 ] && ! has_text 'differs:' $B/said; do sleep 0.1; n=$((n + 1)); done
        # a recorder that was killed leaves jumps to trampolines in the code: the program must run on, no more
        if has_text 'differs: 0' $B/said || { [ $ends = KILL ] && has_text 'differs:' $B/said; }; then pass; else fail "$b SIG$ends: $(cat $B/said)"; fi
        wait $pid
    done
done
$TOOL record --quiet --json --no-counting $OFTEN -o $B/out -- $B/pie work >$B/json 2>/dev/null
if has_text '"counting_windows": 0' $B/json; then pass; else fail "--no-counting counts"; fi

# A loop that takes long for each turn and one that does not, each of seconds: no burst sees both. Their shares by time
# are 0.9 to 0.1.
if have clang-19; then
    clang-19 -O2 -w -fno-omit-frame-pointer -fpseudo-probe-for-profiling -o $B/phases programs/record/phases.c
    for how in "" ${FULL:+--no-counting}; do
        $TOOL record --quiet $how -o $B/out.ps -- $B/phases >$B/said 2>&1
        $TOOL profgen --quiet --ignore-stack-samples --format=text --binary=$B/phases --perfscript=$B/out.ps -o $B/out.prof
        share=$(sed -n 's/^\(slow\|quick\):\([0-9]*\):.*/\1 \2/p' $B/out.prof | awk '{ n[$1] = $2 } END { printf "%d", 100 * n["slow"] / (n["slow"] + n["quick"] + 1) }')
        if [ -n "$how" ]; then
            if [ $share -ge 70 ]; then pass; else fail "phases, by time: the slow one has $share % (the test tells nothing)"; fi
        elif [ $share -ge 40 ] && [ $share -le 60 ]; then pass; else fail "phases: the slow one has $share %, not 50"; fi
    done
fi
finish
