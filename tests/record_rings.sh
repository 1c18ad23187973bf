#!/bin/sh
# The CPU's branch records (Intel LBR, AMD LbrExtV2, Arm BRBE), as ring buffers made here hold them: what record writes of
# them, as text and as perf.data. No such machine is needed. Run in tests/.
. ./t.sh
B=build/record_rings
mkdir -p $B
TOOL=${TOOL:-build/plain/csspgo}
if [ "$(uname -s)" != Linux ]; then
    skip "record_rings: needs Linux"
    finish
fi
make -s $TOOL build/plain/lib.o
[ -z "$FULL" ] || SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
D=../examples/data
T=../examples/tool
${CC:-cc} -std=gnu99 -O1 -w $SANITIZE -o $B/rings record_rings.c $T/record/hardware.c $T/record/output.c $T/record/proc.c $T/record/program.c $T/shared/output.c $T/shared/messages.c $T/shared/path.c $T/shared/safe.c $T/shared/progress.c build/plain/lib.o $LIBZ || { fail "record_rings.c does not build"; finish; }
raw() { $TOOL profgen --quiet --skip-symbolization --binary=$D/demo.elf "$@"; }
samples=$(grep -c '0x.*/0x' $D/demo.perfscript)
for maker in intel amd arm; do
    for form in ps data; do
        $B/rings $maker $D/demo.perfscript $B/$maker.$form >$B/said || fail "$maker, $form: status $?"
        if [ "$(cat $B/said)" = "$samples samples, 3 lost, 0 left" ]; then pass; else fail "$maker, $form: $(cat $B/said)"; fi
    done
    raw --perfscript=$B/$maker.ps -o $B/$maker.text
    raw --perfdata=$B/$maker.data -o $B/$maker.binary
    check "$maker: text and perf.data" cmp $B/$maker.text $B/$maker.binary
    check "$maker: in the order of their times" sh -c "sed -n 's,^4200001/4200001 *\([0-9.]*\): $,\1,p' $B/$maker.ps | sort -c"
    $B/rings $maker $D/demo.perfscript $B/children.ps follow >$B/said
    if [ $(grep -c '^4200002/4200002 ' $B/children.ps) -eq $(((samples + 49) / 50)) ]; then pass; else fail "$maker: children"; fi
    if grep -q 4200002 $B/$maker.ps; then fail "$maker: a child is in it"; else pass; fi
done
# what is particular: 16 records of which one was never run, half a record
awk '/^ 0x/ { for (i = 16; i <= NF; i++) $i = ""; print " " $0 " "; next } { print }' $D/demo.perfscript | sed '/^ *0x/s/  */  /g' >$B/short.ps
raw --perfscript=$B/short.ps -o $B/short.text
check "amd: the records are as they were" cmp $B/amd.text $B/short.text
check "amd: a wrong path is said to be one" [ $(grep -c '/P/-/-/0//SPEC_WRONG_PATH ' $B/amd.ps) -eq $samples ]
check "arm: half a record" [ $(grep -c ' 0x0/0x[0-9a-f]*/-/-/-/0 $' $B/arm.ps) -eq $samples ]
awk '/^ 0x/ { for (i = 32; i <= NF; i++) $i = ""; print " " $0 " "; next } { print }' $D/demo.perfscript | sed '/^ *0x/s/  */  /g' >$B/long.ps
raw --perfscript=$B/long.ps -o $B/long.text
check "intel: the records are as they were" cmp $B/intel.text $B/long.text
check "intel: cycles and mispredictions" grep -q '/M/-/-/17 ' $B/intel.ps
if have perf; then
    perf script -i $B/amd.data -F brstack >$B/perf.ps 2>$B/err
    check "perf reads it" [ $(grep -c '0x.*/0x' $B/perf.ps) -eq $samples ]
fi
# here, there may be such records or not: without them a sentence says so, and bursts are taken
$TOOL record -o $B/out -- true 2>$B/said
if [ -s $B/said ] && ! finds "the CPU's branch records" $B/said && ! finds 'no branch records of the CPU here (' $B/said && ! finds 'cannot' $B/said; then fail "nothing is said"; cat $B/said; else pass; fi
finish
