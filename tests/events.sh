#!/bin/sh
# Recordings of several events: whose samples count, and what is said of it; branch records of all filters; guests. Run
# in tests/.
B=build/events
rm -rf $B
mkdir -p $B
. ./t.sh
compares
T=build/plain/csspgo
make -s $T build/plain/make_perfdata || { fail "it does not build"; finish; }
P=data/unwind/bin/demo.probe
cat data/unwind/traces/demo.probe.ps >$B/all.ps

# made KIND EVENT...: $B/data
made() { build/plain/make_perfdata "$@" <$B/all.ps >$B/data; }
# counters OPTIONS...: raw counters in $out, a new file; what is said in $B/said
counters() { out=$B/out.$((runs = runs + 1)); $T profgen --binary=$P --skip-symbolization -o $out "$@" 2>$B/said; }
runs=0
# once TEXT: in one line of what is said
once() {
    n=0
    while IFS= read -r line; do
        case $line in *"$1"*) n=$((n + 1)) ;; esac
    done <$B/said
    [ $n -eq 1 ]
}
# share N WHICH...: the counters of samples number WHICH of each N, from 1 on
share() {
    n=$1
    shift
    awk -v n=$n -v which=" $* " '/PERF_RECORD/ { print; next }
        /^ 0x/ { if (index(which, " " i++ % n + 1 " ")) printf "%s%s\n\n", stack, $0; stack = ""; next } NF { stack = stack $0 "\n" }' $B/all.ps >$B/share.ps
    $T profgen --quiet --binary=$P --skip-symbolization -o $B/want --perfscript=$B/share.ps
}
# is NAME SENTENCE OPTIONS...: the counters are those wanted, and one line of what is said has the sentence; "": none
is() {
    name=$1 sentence=$2
    shift 2
    if counters "$@" && cmp -s $B/want $out; then pass; else fail "$name"; diff $B/want $out | head -4; cat $B/said; fi
    if [ -z "$sentence" ] && ! has_text event $B/said && ! has_text guest $B/said; then pass
    elif [ -n "$sentence" ] && once "$sentence"; then pass
    else fail "$name says"; cat $B/said; fi
}
# refused NAME SENTENCE OPTIONS...
refused() {
    name=$1 sentence=$2
    shift 2
    if counters "$@" || [ -e $out ]; then fail "$name is read"; elif has_text "$sentence" $B/said; then pass; else fail "$name says"; cat $B/said; fi
}

taken=4,20c4,8,br_inst_retired.near_taken:upp cycles=0,0,8,cycles:u
for kind in file pipe; do
    # the event that counts taken branches, if there is one; others are named
    made $kind $taken $cycles
    share 2 1
    is "$kind: taken branches" "of the event br_inst_retired.near_taken:upp (" --perfdata=$B/data
    is "$kind: taken branches, the others" "left out: cycles:u (" --perfdata=$B/data
    for name in br_inst_retired.near_taken:upp br_inst_retired.near_taken:ppu BR_INST_RETIRED.NEAR_TAKEN r20c4 R20C4 cpu/event=0xc4,umask=0x20/ \
        "cpu/event=0xc4,umask=0x20,name='taken'/upp" cpu/umask=0x20,event=0xc4,period=1000003/upp cpu/br_inst_retired.near_taken/ cpu/config=0x20c4/; do
        is "$kind: $name" "left out: cycles:u (" --perfdata=$B/data --perf-event=$name
    done
    share 2 2
    is "$kind: cycles" "of the event cycles:u (" --perfdata=$B/data --perf-event=cycles
    is "$kind: a list" "left out: br_inst_retired" --perfdata=$B/data --perf-events=instructions,cycles:u
    is "$kind: a list, too" "left out: br_inst_retired" --perfdata=$B/data --perf-event=instructions,cycles:u
    is "$kind: cpu-cycles" "left out: br_inst_retired" --perfdata=$B/data --perf-event=cpu-cycles:u
    share 2 1 2
    is "$kind: both" "several events add up: br_inst_retired.near_taken:upp (" --perfdata=$B/data --perf-event=cycles:u --perf-event=r20c4
    is "$kind: a group" "several events add up: br_inst_retired.near_taken:upp (" --perfdata=$B/data "--perf-event={cycles,r20c4}"
    is "$kind: a list with commas in names" "several events add up" --perfdata=$B/data --perf-events=cpu/event=0xc4,umask=0x20/,cycles
    for name in cycles:k cycle cycles:uu: r20c r120c4 instructions cpu_core/cycles/ cpu/event=0xc4/ cpu/event=0xc4,umask=0x20,cmask=1/ ""; do
        refused "$kind: '$name'" "no event is the one of --perf-event; there are br_inst_retired.near_taken:upp (" --perfdata=$B/data "--perf-event=$name"
    done

    # no such event: all, named
    made $kind $cycles 0,1,8,instructions:u 1,9,0,dummy:HG
    share 3 1 2 3
    is "$kind: all" "several events add up: cycles:u (" --perfdata=$B/data
    is "$kind: all, to choose from" "dummy:HG (5); --perf-event=NAME chooses" --perfdata=$B/data
    made $kind 4,20c5,8,br_misp_retired.near_taken 4,1c4,8,br_inst_retired.cond_taken
    share 2 1 2
    is "$kind: not all taken branches" "several events add up: br_misp_retired.near_taken (" --perfdata=$B/data
    for name in br_inst_retired.near_taken:pp cpu_core/br_inst_retired.near_taken/u BR_INST_RETIRED.ALL_TAKEN_BRANCHES ex_ret_brn_tkn:u branch-brs cpu/event=0xc4,umask=0x20/ \
        br_inst_retired.taken; do
        made $kind $cycles 4,1234,8,$name
        share 2 2
        is "$kind: $name counts taken branches" "left out: cycles:u (" --perfdata=$B/data
    done

    # the same event twice; events of a machine of two kinds of cores; an exact name goes before those with more
    made $kind $cycles $cycles
    share 2 1 2
    is "$kind: the same twice" "" --perfdata=$B/data
    is "$kind: the same twice, by name" "" --perfdata=$B/data --perf-event=cycles:u
    made $kind 0,0,8,cpu_core/cycles/u 0,0,8,cpu_atom/cycles/u
    is "$kind: two kinds of cores" "several events add up: cpu_core/cycles/u (" --perfdata=$B/data --perf-event=cycles
    share 2 2
    is "$kind: one kind of cores" "left out: cpu_core/cycles/u (" --perfdata=$B/data --perf-event=cpu_atom/cycles/
    made $kind 0,0,8,cycles 0,0,8,cycles:u
    is "$kind: an exact name" "left out: cycles (" --perfdata=$B/data --perf-event=cycles:u
    share 2 1
    is "$kind: an exact name without modifiers" "left out: cycles:u (" --perfdata=$B/data --perf-event=cycles

    # without names: after their attributes
    made $kind 0,0,8 4,20c4,8 1,1,8
    share 3 2
    is "$kind: no names" "left out: cycles (6), task-clock (5)" --perfdata=$B/data
    share 3 3
    is "$kind: no names, chosen" "left out: cycles (6), r20c4 (6)" --perfdata=$B/data --perf-event=task-clock

    # samples of no event, and of guests
    made $kind $cycles unknown guest 0,1,8,cycles:u
    share 4 1 4
    is "$kind: unknown ids" "4 samples are of events that it does not describe" --perfdata=$B/data
    is "$kind: guests" "4 samples are of guests (virtual machines): they do not count" --perfdata=$B/data

    # filters of branch records: no kind at all is perf inject --itrace
    share 1 1
    for filter in 0 1 7 8 f 9 c008 14009 10009 c000 380 388 ff; do
        made $kind 0,0,$filter,cycles
        case $filter in 380) refused "$kind: filter $filter" "of some kinds only" --perfdata=$B/data ;; *) is "$kind: filter $filter" "" --perfdata=$B/data ;; esac
    done
    for filter in 10 20 40 80 400 1000 2000 11 4401 800 808; do
        made $kind 0,0,$filter,cycles
        refused "$kind: filter $filter" "no trace" --perfdata=$B/data
    done
    for filter in 108 208; do
        made $kind 0,0,$filter,cycles
        refused "$kind: filter $filter" "transactions only are no trace" --perfdata=$B/data
    done
    # ... of an event that does not count they do not matter
    made $kind $cycles 0,1,10,instructions
    refused "$kind: one event is filtered" "no trace" --perfdata=$B/data
    share 2 1
    is "$kind: one event is filtered, and left out" "left out: instructions (" --perfdata=$B/data --perf-event=cycles
    made $kind 0,1,10,instructions $taken
    share 2 2
    is "$kind: one event is filtered, and left out by default" "left out: instructions (" --perfdata=$B/data
done
cat $B/data | $T profgen --quiet --binary=$P --skip-symbolization -o $B/out --perfdata=- && cmp -s $B/want $B/out && pass || fail "through a pipe"
made file $cycles $taken
share 2 2
cat $B/data | $T profgen --quiet --binary=$P --skip-symbolization -o $B/out --perfdata=- --perf-event=r20c4 && cmp -s $B/want $B/out && pass || fail "a file through a pipe"

# text: the events of its header lines
# text EVENT...: header lines in front of the samples of $B/all.ps, of one event after the other
text() { awk -v events="$*" 'BEGIN { n = split(events, e, " ") } /PERF_RECORD/ { print; next }
    NF && !begun { print "demo  1000  2.5:     1000 " e[i++ % n + 1] ": "; begun = 1 } { print } /^ 0x/ { begun = 0 }' $B/all.ps >$B/text.ps; }
text br_inst_retired.near_taken:upp cycles:u
share 2 1
is "text: taken branches" "left out: cycles:u (" --perfscript=$B/text.ps
is "text: raw" "left out: cycles:u (" --perfscript=$B/text.ps --perf-event=br_inst_retired.near_taken
share 2 2
is "text: cycles" "left out: br_inst_retired.near_taken:upp (" --perfscript=$B/text.ps --perf-event=cycles
$T profgen --quiet --binary=$P --skip-symbolization -o $B/out --perfscript=- --perf-event=cycles <$B/text.ps && cmp -s $B/want $B/out && pass || fail "text through a pipe"
text cycles:u cpu/event=0xc4,umask=0x20/upp
cat $B/text.ps | $T profgen --quiet --binary=$P --skip-symbolization -o $B/out --perfscript=- && cmp -s $B/want $B/out && pass || fail "text through a pipe, taken branches"
text taken cycles:u
share 2 1
is "text: an event that was given a name" "left out: cycles:u (" --perfscript=$B/text.ps "--perf-event=cpu/event=0xc4,umask=0x20,name='taken'/upp"
text cycles:u instructions:u
share 1 1
is "text: all" "several events add up: cycles:u (" --perfscript=$B/text.ps
refused "text: none" "there are cycles:u (" --perfscript=$B/text.ps --perf-event=branches
refused "text without events" "samples do not name their event: use -F +event" --perfscript=$B/all.ps --perf-event=cycles
is "text without events, all" "" --perfscript=$B/all.ps
# ... without call stacks, too
awk -F'\t' '/PERF_RECORD/ { print; next } /^ 0x/ { i++; print (i % 2 ? " cycles:u: " : " branches:u: ") "  401150 " $0 }' $B/all.ps >$B/flat.ps
sed -n '/PERF_RECORD/p; / cycles:u:/p' $B/flat.ps >$B/half.ps
$T profgen --quiet --binary=$P --skip-symbolization -o $B/want --perfscript=$B/half.ps
is "text without stacks" "left out: branches:u (" --perfscript=$B/flat.ps --perf-event=cycles
$T profgen --quiet --binary=$P --skip-symbolization -o $B/want --perfscript=$B/half.ps --leading-ip-only
is "sampled addresses of an event" "left out: branches:u (" --perfscript=$B/flat.ps --perf-event=cycles --leading-ip-only

# several recordings: one may be without the event, not all
made file $cycles 0,1,8,instructions
text branches
share 2 1
is "one recording has no such event" "text.ps: no event is the one of --perf-event; there are branches (" --perfdata=$B/data --perfscript=$B/text.ps --perf-event=cycles
refused "no recording has it" "text.ps: no event is the one of --perf-event; there are branches (" --perfdata=$B/data --perfscript=$B/text.ps --perf-event=faults

# the report
counters --perfdata=$B/data --perf-event=cycles --report=$B/json
for says in '{ "name": "cycles:u", "samples": 9, "used": true }' '{ "name": "instructions", "samples": 8, "used": false }' '"of_guests": 0'; do
    if grep -q -F "$says" $B/json; then pass; else fail "the report: $says"; cat $B/json; fi
done
finish
