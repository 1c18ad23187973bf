#!/bin/sh
# Pre-aggregated text of BOLT: what perf2bolt makes of ours is what it makes of the recording itself, and it refuses the
# lines that we refuse.
. ./t.sh
B=build/oracle_preagg
rm -rf $B
mkdir -p $B
D=data/preagg
BOLT=
for f in /usr/lib/llvm-19/bin/perf2bolt $(command -v perf2bolt); do [ -n "$BOLT" ] || [ ! -x $f ] || BOLT=$f; done   # Debian's
[ -n "$BOLT" ] || { skip "oracle_preagg: perf2bolt is not installed (package bolt-19)"; finish; }               # perf2bolt-19 is llvm-bolt
make -s build/plain/csspgo build/plain/make_perfdata || { fail "oracle_preagg: the tool does not build"; finish; }
T="build/plain/csspgo profgen --quiet"

# fdata BINARY OUTPUT OPTIONS...: what perf2bolt says of a recording or of text (with --pa), in order
fdata() {
    binary=$1 out=$2
    shift 2
    $BOLT $binary -o $B/fdata "$@" >$B/bolt 2>&1 || { tail -3 $B/bolt; return 1; }
    sort $B/fdata >$out
}
# equal NAME WANT GOT
equal() { if [ -s $2 ] && cmp -s $2 $3; then pass; else fail "oracle_preagg: $1"; diff $2 $3 | head -4; fi; }

# round NAME BINARY SCRIPT [WANT]: script -> perf.data with and without stacks -> ours -> perf2bolt; without stacks perf2bolt
# reads perf.data itself
round() {
    build/plain/make_perfdata branches <$3 >$B/flat.data
    build/plain/make_perfdata file <$3 >$B/stacks.data
    $T --binary=$2 --perfdata=$B/flat.data --format=preagg -o $B/flat.preagg || fail "oracle_preagg: $1: perf.data"
    $T --binary=$2 --perfdata=$B/stacks.data --format=preagg -o $B/stacks.preagg || fail "oracle_preagg: $1: with stacks"
    equal "$1: stacks are not looked at" $B/flat.preagg $B/stacks.preagg
    check "oracle_preagg: $1: perf2bolt reads ours" fdata $2 $B/ours.fdata -p $B/flat.preagg --pa
    [ -z "$4" ] || {                                  # of which nothing was mispredicted
        sort $4 >$B/want
        sed 's/ [0-9]* \([0-9]*\)$/ 0 \1/' $B/ours.fdata | sort >$B/got
        equal "$1: the known result" $B/want $B/got
    }
    if ! have perf; then skip "oracle_preagg: $1: perf2bolt needs perf (package linux-perf) for perf.data"
    else
        check "oracle_preagg: $1: perf2bolt reads perf.data" fdata $2 $B/perf.fdata -p $B/flat.data
        equal "$1: the result of perf.data" $B/perf.fdata $B/ours.fdata
    fi
    $T --binary=$2 --preagg=$B/flat.preagg --format=preagg -o $B/again.preagg || fail "oracle_preagg: $1: again"
    equal "$1: what is read is written" $B/flat.preagg $B/again.preagg
    $T --binary=$2 --perfdata=$B/flat.data --format=preagg-traces -o $B/traces.preagg || fail "oracle_preagg: $1: traces"
    $T --binary=$2 --preagg=$B/traces.preagg --format=preagg -o $B/again.preagg || fail "oracle_preagg: $1: traces again"
    sed 's/ [0-9]*$//' $B/flat.preagg >$B/want       # traces have no mispredictions
    sed 's/ [0-9]*$//' $B/again.preagg >$B/got
    equal "$1: traces hold the same" $B/want $B/got
}

# raw NAME BINARY SCRIPT: script -> raw counters, with contexts and without -> ours -> perf2bolt gives what it gives for the samples
# themselves, less the oldest branch of each sample, which raw counters do not have: no range leads to it
raw() {
    samples=$(grep -c '0x.*0x' $3)
    sed 's/ [0-9]* \([0-9]*\)$/ 0 \1/; / \[unknown\] /d; /^0/d' $B/ours.fdata >$B/want
    for how in "" --ignore-stack-samples; do
        $T --binary=$2 --perfscript=$3 $how --skip-symbolization -o $B/raw || fail "oracle_preagg: $1: raw counters"
        $T --binary=$2 --unsymbolized-profile=$B/raw --format=preagg -o $B/raw.preagg || fail "oracle_preagg: $1: text of raw counters"
        check "oracle_preagg: $1: perf2bolt reads ours of raw counters" fdata $2 $B/raw.fdata -p $B/raw.preagg --pa
        # keys are all but the count; the way from one block into the next has no branch, so nothing of it is lost
        said=$(awk -v samples=$samples '{ count = $NF; $NF = ""; key = $0 }
            NR == FNR { want[key] = count; next }
            /^0/ || / \[unknown\] / { next }
            !(key in want) || count > want[key] { print "too many: " key count; next }
            { lost += want[key] - count; same += want[key] == count; seen++ }
            END { for (k in want) n++
                if (seen != n || same * 2 < n || lost > samples) print seen " of " n " seen, " lost " lost" }' $B/want $B/raw.fdata)
        if [ -z "$said" ]; then pass; else fail "oracle_preagg: $1: raw counters${how:+, $how}: $said"; fi
    done
}
round demo data/unwind/bin/demo.probe data/unwind/traces/demo.probe.ps $D/demo.fdata
raw demo data/unwind/bin/demo.probe data/unwind/traces/demo.probe.ps
round pie data/unwind/bin/demo.pie data/recordings/multi-single.ps
raw pie data/unwind/bin/demo.pie data/recordings/multi-single.ps
[ -z "$FULL" ] || round ext data/unwind/bin/ext.probe data/unwind/traces/ext.probe.ps

# single lines: compat mode takes what BOLT 19 takes, but counts below 0
tail -n +2 $D/lines.tsv | while IFS="$(printf '\t')" read -r line llvm19 rest; do
    case $line in *-3*) continue ;; esac
    printf '%s\n' "$line" >$B/line
    if [ -n "$FULL" ]; then $BOLT data/unwind/bin/demo.probe -p $B/line --pa -o $B/fdata >$B/bolt 2>&1 && said=accepted || said=error
    else said=${llvm19%%[,:]*}; fi
    $T --llvm-compat --binary=data/unwind/bin/demo.probe --preagg="$B/line" -o $B/out --format=preagg >$B/said 2>&1
    if [ $? -eq 1 ]; then ours=error; else ours=accepted; fi
    [ $ours = $said ] || echo "'$line': $ours, BOLT: $said"
done >$B/lines
if [ ! -s $B/lines ]; then pass; else fail "oracle_preagg: lines"; cat $B/lines; fi
finish
