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
says '"read": 11, "used": 11, "in_program": 11, "in_functions_with_probes": 11 }'
[ "$(grep -c '"pid": ' $B/json)" -eq 4 ] && pass || fail "processes: $(grep pid $B/json)"
says '"fit": [1-9][0-9]*, "other": 0, "first_other": ""'
says '"use": "perf record -b, or csspgo record"'
if have python3; then check "it is JSON" python3 -m json.tool $B/json; else skip "no python3"; fi

check "branches and stacks" report $demo --perfscript=$D/demo.perfscript
says '"advice": \[\]'
[ "$(said read)" -gt "$(said in_program)" ] && [ "$(said in_program)" -ge "$(said in_functions_with_probes)" ] && pass || fail "samples: $(head -2 $B/json)"
awk '/^ 0x/ || /PERF_RECORD/ { print; if (/^ 0x/) print "" }' $D/demo.perfscript >$B/flat.ps
check "branches without stacks" report $demo --perfscript=$B/flat.ps
says '"use": "perf record -g"'
awk 'BEGIN { RS = ""; FS = "\n" } /PERF_RECORD/ { print $0 "\n"; next } { print $1; print $NF "\n" }' $D/demo.perfscript >$B/bare.ps
check "stacks of one frame" report $demo --perfscript=$B/bare.ps
says '"use": "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"'
sed 's/0x\([0-9a-f]\)/0x1\1/g; s/^\( *\)\([0-9a-f]\)/\17\2/' $D/demo.perfscript | grep -v PERF_RECORD >$B/elsewhere.ps
report $demo --perfscript=$B/elsewhere.ps
says 'few samples are in this program'
says '"not_in_program": [1-9]'
cp $D/demo.perfscript $D/demo.elf $B
for to in $B/demo.perfscript $B/demo.elf $B/prof; do
    cp $to $B/kept
    $T profgen --binary=$B/demo.elf --perfscript=$B/demo.perfscript -o $B/prof --report=$to >$B/out 2>&1
    [ $? -eq 2 ] && cmp -s $to $B/kept && pass || fail "the report takes the place of $to"
done
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$T profgen --binary=$R/w --perfdata=$R/mp.data -o $B/prof" /dev/null </dev/null >$B/out 2>&1
    [ "$(grep -c '^health: ' $B/out)" -le 10 ] && grep -q '^health: 11 of 11 samples used' $B/out && grep -q '^health: and 1 more' $B/out && pass || fail "on a terminal: $(cat $B/out)"
else
    echo "health: no terminal is to be had here: the report on one was not looked at"
fi
$T profgen --binary=$R/w --perfdata=$R/mp.data -o $B/prof 2>&1 | grep -q health && fail "the report comes without a terminal" || pass
finish
