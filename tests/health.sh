#!/bin/sh
# csspgo profgen --report: what became of the samples, and what should be recorded or built otherwise. Run in tests/.
B=build/health
rm -rf $B
mkdir -p $B
. ./t.sh
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
R=data/recordings D=../examples/data
demo="--binary=$D/demo.elf"
# report OPTION...: profgen writes $B/json
report() { $T profgen --quiet -o $B/prof --report=$B/json "$@" 2>$B/err; }
# says PATTERN: in the report
says() { if grep -q -e "$1" $B/json; then pass; else fail "no '$1' in the report"; cat $B/json; fi; }
# said NAME: a number of the report
said() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" $B/json | head -n 1; }

check "four processes" report --binary=$R/w --perfdata=$R/mp.data
says '"read": 11, "used": 11, "in_program": 11, "in_functions_with_probes": 11, "lost": 0, "of_guests": 0 }'
[ "$(grep -c '"pid": ' $B/json)" -eq 4 ] && pass || fail "processes: $(grep pid $B/json)"
says '"fit": [1-9][0-9]*, "other": 0, "first_other": ""'
said_once=$(said fit)
says '"use": "perf record -b, or csspgo record"'
says '"pid": 23322, "samples": 3, "used": 3, "in_program": 3, "dropped": { .*"late_stacks": 0 }, "repaired_or_cut": { '
says '"path": "/tmp/rec/w", "given": true, "samples": 11, "used": 11, "in_program": 11, '
for key in $(sed 's/"[^"]*":/\n&\n/g' $B/json | sed -n 's/^"\(.*\)":$/\1/p' | sort -u); do
    grep -q "^| .*\`$key\`" README.md && pass || fail "README.md does not say what $key is"
done
if have python3; then check "it is JSON" python3 -m json.tool $B/json; else skip "no python3"; fi

check "branches and stacks" report $demo --perfscript=$D/demo.perfscript
says '"advice": \[\]'
[ "$(said read)" -gt "$(said in_program)" ] && [ "$(said in_program)" -ge "$(said in_functions_with_probes)" ] && pass || fail "samples: $(head -2 $B/json)"
says '"path": "/demo.elf", "given": true, '
says '"path": "/usr/lib/x86_64-linux-gnu/libc.so.6", "given": false, "samples": [0-9]*, "used": [0-9]*, "in_program": 0, '
# what a column adds up to in the processes and in the files
sum_of() { sed -n "/\"$1\": \[/,/^  ]/s/.*\"$2\": \([0-9]*\).*/\1/p" $B/json | awk '{ n += $1 } END { print n + 0 }'; }
for column in samples:read used:used in_program:in_program not_in_program:not_in_program bad_return_addresses:bad_return_addresses; do
    all=$(said ${column#*:})
    [ "$(sum_of processes ${column%:*})" -eq "$all" ] && [ "$(sum_of images ${column%:*})" -eq "$all" ] && pass ||
        fail "$column: $all in all, $(sum_of processes ${column%:*}) in processes, $(sum_of images ${column%:*}) in files"
done
awk '/^ 0x/ || /PERF_RECORD/ { print; if (/^ 0x/) print "" }' $D/demo.perfscript >$B/flat.ps
cp $B/prof $B/reported
$T profgen --quiet -o $B/prof $demo --perfscript=$D/demo.perfscript 2>$B/err
check "the same profile with a report and without" cmp $B/reported $B/prof
check "branches without stacks" report $demo --perfscript=$B/flat.ps
says '"use": "perf record -g"'
awk 'BEGIN { RS = ""; FS = "\n" } /PERF_RECORD/ { print $0 "\n"; next } { print $1; print $NF "\n" }' $D/demo.perfscript >$B/bare.ps
check "stacks of one frame" report $demo --perfscript=$B/bare.ps
says '"use": "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"'
says '"of_one_frame": [1-9][0-9]*, "most_frames": 1, '
all=$(said missing_callers_found)
[ "$all" -gt 0 ] && [ "$(sum_of processes missing_callers_found)" -eq "$all" ] && [ "$(sum_of images missing_callers_found)" -eq "$all" ] &&
    pass || fail "missing callers: $all in all, $(sum_of processes missing_callers_found), $(sum_of images missing_callers_found)"
# stacks of 127 frames, the most that the kernel takes
awk 'BEGIN { RS = ""; FS = "\n" } /PERF_RECORD/ { print $0 "\n"; next }
    { print $1; for (i = 0; i < 126; i++) print $2; print $NF "\n" }' $D/demo.perfscript >$B/deep.ps
report $demo --perfscript=$B/deep.ps
says '"most_frames": 127, '
says '"use": "sysctl kernel.perf_event_max_stack=1024"'

# call stacks as bytes, as of perf record --call-graph dwarf: PERFILE2, one event, a mapping and two samples of one address
le() { # SIZE NUMBER...: little-endian
    size=$1
    shift
    for v; do
        i=$size
        while [ $i -gt 0 ]; do
            bytes="$bytes\\0$((v >> 6 & 3))$((v >> 3 & 7))$((v & 7))" v=$((v >> 8)) i=$((i - 1))
        done
    done
}
at=$(awk '/^[ \t]*5555/ { print $1; exit }' $D/demo.perfscript)
bytes=PERFILE2
le 8 104 144 104 144 248 168 0 0 0 0 0 0 $((128 << 32 | 1)) 0 1000 $((1 | 2 | 0x20 | 0x1000 | 0x2000)) 0 0 0 0 0 0 0 0 0 0 0 0 0 0
le 4 1 $((56 << 16 | 2)) 7 7
le 8 $((0x555555555000)) 4096 4096
bytes="$bytes/demo.elf\\0000\\0000\\0000\\0000\\0000\\0000\\0000"
for i in 1 2; do
    le 4 9 $((56 << 16 | 2))
    le 8 $((0x$at))
    le 4 7 7
    le 8 0 0 0 0
done
printf '%b' "$bytes" >$B/copies.data
# a plain profgen says it, too
warns() {
    want=$1 pattern=$2
    shift 2
    $T profgen -o $B/prof "$@" >$B/out 2>&1
    [ "$(grep -c "$pattern" $B/out)" -eq "$want" ] && pass || fail "profgen $*: $(cat $B/out)"
}
warns 1 'there are no call stacks: .*perf record -b --call-graph fp' $demo --perfscript=$B/flat.ps
warns 0 'call stacks' $demo --perfscript=$B/flat.ps --ignore-stack-samples
warns 0 'call stacks' $demo --perfscript=$D/demo.perfscript
warns 1 'call stacks are copies of memory (--call-graph dwarf).*--call-graph fp' $demo --perfdata=$B/copies.data
check "copies of stacks" report $demo --perfdata=$B/copies.data
says '"read": 2, "used": 2, "in_program": 2, '
says '"copies_of_memory": true'
says '"use": "perf record --call-graph fp, or --perfscript with what perf script prints of the recording"'
grep -q omit-frame-pointer $B/json && fail "no frame pointers, as if stacks were walked" || pass
sed 's/0x\([0-9a-f]\)/0x1\1/g; s/^\( *\)\([0-9a-f]\)/\17\2/' $D/demo.perfscript | grep -v PERF_RECORD >$B/elsewhere.ps
report $demo --perfscript=$B/elsewhere.ps
says 'few samples are in this program'
says '"path": null, "given": false, "samples": [1-9][0-9]*, "used": 0, '
says '"not_in_program": [1-9]'
cp $D/demo.perfscript $D/demo.elf $B
for to in $B/demo.perfscript $B/demo.elf $B/prof; do
    cp $to $B/kept
    $T profgen --binary=$B/demo.elf --perfscript=$B/demo.perfscript -o $B/prof --report=$to >$B/out 2>&1
    [ $? -eq 2 ] && cmp -s $to $B/kept && pass || fail "the report takes the place of $to"
done
check "offsets in files" report --binary=$R/w --perfscript=$R/mp.default-fields.ps
says '"use": "--perfdata=perf.data"'
[ "$(grep -c '"path": .*/w"' $B/json)" -eq 1 ] && pass || fail "the program stands twice: $(grep path $B/json)"
# two recordings: build ids of both
check "two recordings" report --binary=$R/w --perfdata=$R/mp.data --perfdata=$R/mp.data
says '"read": 22, "used": 22, '
[ "$(said fit)" -gt 2 ] && [ $((said_once * 2)) -eq "$(said fit)" ] && pass || fail "build ids: $said_once in one, $(said fit) in two"
# the program linked again, its text 3 bytes further on, and recordings without build ids: branches with stacks, branches,
# stacks, stacks of offsets with and without the file behind them, addresses
{ head -c 4224 $D/demo.elf; printf '\220\220\220'; tail -c +4225 $D/demo.elf | head -c 2486; tail -c +6714 $D/demo.elf; } >$B/moved
mkdir -p $B/moved.d && mv $B/moved $B/moved.d/demo.elf
grep -v '0x.*/0x' $D/demo.perfscript >$B/stacks.ps
sed 's/^\([ \t]*\)555555555\(...\)$/\11\2/' $B/stacks.ps >$B/offsets.ps
sed 's/^\([ \t]*\)555555555\(...\)$/\11\2 (\/x\/demo.elf)/; s/^\([ \t]*\)7ffff\(.......\)$/\1\2 (\/x\/libc.so.6)/' $B/stacks.ps >$B/named.ps
awk 'BEGIN { RS = ""; FS = "\n" } /PERF_RECORD/ { print $0 "\n"; next } { print $1 "\n" }' $B/stacks.ps >$B/leaves.ps
for it in "$D/demo.perfscript,branches come from no branch" "$B/flat.ps,branches come from no branch" "$B/stacks.ps,sampled addresses are at no instruction" "$B/leaves.ps,sampled addresses are at no instruction" "$B/named.ps,sampled addresses are at no instruction" "$B/offsets.ps,call stacks have no caller"; do
    script=${it%%,*} what=${it#*,}
    check "$script fits" report $demo --perfscript=$script
    says '"fits": true'
    report --binary=$B/moved.d/demo.elf --perfscript=$script
    [ $? -eq 3 ] && grep -q "error: $script: [0-9]* of [0-9]* $what .*demo.elf: another build of it was recorded" $B/err && pass || fail "$script, another build: $(cat $B/err)"
    says '"fits": false'
    says 'samples do not fit the program: another build of it was recorded'
done
report --binary=$B/moved.d/demo.elf --perfscript=$D/demo.perfscript
check "what does not fit is written all the same" [ -s $B/prof ]
check "LLVM's way asks no such thing" $T profgen --llvm-compat --quiet -o $B/prof --binary=$B/moved.d/demo.elf --perfscript=$D/demo.perfscript
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$T profgen --binary=$R/w --perfdata=$R/mp.data -o $B/prof" /dev/null </dev/null >$B/out 2>&1
    [ "$(grep -c '^health: ' $B/out)" -le 10 ] && grep -q '^health: 11 of 11 samples used' $B/out && grep -q '^health: and 1 more' $B/out && pass || fail "on a terminal: $(cat $B/out)"
else
    echo "health: no terminal is to be had here: the report on one was not looked at"
fi
$T profgen --binary=$R/w --perfdata=$R/mp.data -o $B/prof 2>&1 | grep -q health && fail "the report comes without a terminal" || pass
finish
