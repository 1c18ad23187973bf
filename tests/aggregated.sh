#!/bin/sh
# csspgo profgen with profiles of pprof and with pre-aggregated text of BOLT: profiles, what is said, what is refused.
. ./t.sh
B=build/aggregated
rm -rf $B
mkdir -p $B
T="build/plain/csspgo profgen"
make -s build/plain/csspgo || { fail "aggregated: the tool does not build"; finish; }
PIE=data/unwind/bin/demo.pie DEMO=data/unwind/bin/demo.probe

# equal NAME WANT GOT
equal() { if [ -s $2 ] && cmp -s $2 $3; then pass; else fail "aggregated: $1"; diff $2 $3 | head -4; fi; }
# ends NAME STATUS TEXT COMMAND...: its exit status, and a text on standard error
ends() {
    name=$1 want=$2 text=$3
    shift 3
    "$@" >/dev/null 2>$B/err
    got=$?
    if [ $got -eq $want ] && finds "$text" $B/err; then pass; else fail "aggregated: $name: status $got"; head -3 $B/err; fi
}

# pprof: the profile of the same stacks as text. Its build id is given the beginning of the program's
$T --quiet --binary=$PIE --perfscript=data/pprof/demo.stacks.ps --format=text -o $B/want || fail "aggregated: stacks"
for f in demo.pb unknown-fields.pb; do
    LC_ALL=C sed 's/05a9/56e5/' data/pprof/$f >$B/$f
    check "aggregated: $f" $T --quiet --binary=$PIE --pprof=$B/$f --format=text -o $B/got
    equal $f $B/want $B/got
done
gzip -c $B/demo.pb >$B/demo.pb.gz
$T --quiet --binary=$PIE --pprof=$B/demo.pb.gz --format=text -o $B/got 2>$B/err
if finds 'gunzip it' $B/err; then skip "aggregated: gzip needs zlib"; else equal demo.pb.gz $B/want $B/got; fi
# ... of a program that was called otherwise, without a build id
LC_ALL=C sed 's/05a9/zzzz/; s/demo\.pie/otherxyz/g' data/pprof/demo.pb >$B/renamed.pb
$T --binary=$PIE --pprof=$B/renamed.pb --format=text -o $B/got 2>&1 | grep -q ' is taken for ' && cmp -s $B/want $B/got && pass || fail "aggregated: another name"
check "aggregated: a pipe" sh -c "$T --quiet --binary=$PIE --pprof=- --format=text -o $B/got <$B/demo.pb"
equal "a pipe" $B/want $B/got
$T --quiet --binary=$PIE --pprof=$B/demo.pb --pprof-type=cpu --format=text -o $B/got
equal "another type that is divided by the period" $B/want $B/got
$T --quiet --binary=$PIE --pprof=$B/demo.pb --pprof=$B/demo.pb --skip-symbolization -o $B/twice.raw
$T --quiet --binary=$PIE --pprof=$B/demo.pb --skip-symbolization -o $B/once.raw
awk -F: '/:/ { $0 = $1 ":" 2 * $2 } { print }' $B/once.raw >$B/want.raw
equal "two profiles add up" $B/want.raw $B/twice.raw
ends "another program" 1 'the recorded program has build id 05a9' $T --binary=$PIE --pprof=data/pprof/demo.pb -o $B/out
ends "no such type" 1 "no sample type 'wall'" $T --binary=$PIE --pprof=$B/demo.pb --pprof-type=wall -o $B/out
head -c 150 $B/demo.pb >$B/cut.pb
ends "a cut profile" 1 'longer than what it stands in' $T --binary=$PIE --pprof=$B/cut.pb -o $B/out
ends "names only" 1 'no addresses, only names' $T --binary=$PIE --pprof=../fuzz/corpus/pprof/names_only -o $B/out

# pre-aggregated text: both of its forms give one profile, and other counts of branches than samples have do not differ
for f in demo demo.traces; do
    check "aggregated: $f.preagg" $T --binary=$DEMO --preagg=data/preagg/$f.preagg --format=text -o $B/$f
    check "aggregated: $f.preagg, raw" $T --quiet --binary=$DEMO --preagg=data/preagg/$f.preagg --skip-symbolization -o $B/$f.raw
done
equal "traces" $B/demo $B/demo.traces
equal "traces, raw" $B/demo.raw $B/demo.traces.raw
$T --quiet --binary=$DEMO --perfscript=data/unwind/traces/demo.probe.ps --ignore-stack-samples --skip-symbolization -o $B/samples.raw
grep -- - $B/samples.raw | grep -v -- '->' >$B/want
grep -- - $B/demo.raw | grep -v -- '->' >$B/got
equal "ranges of the same samples" $B/want $B/got
$T --quiet --binary=$DEMO --perfscript=data/unwind/traces/demo.probe.ps --format=preagg -o $B/out.preagg
equal "the known text" data/preagg/demo.preagg $B/out.preagg
# ... of raw counters: what begins behind a call was entered by a return unless its own function jumped there
printf '2\n4011c4-4011d2:5\n4011b0-4011bf:4\n1\n401176->4011c4:7\n' >$B/one.raw
printf '1\n4011c4-4011d2:4\n1\n4011d2->4011c4:2\n' >$B/two.raw
$T --quiet --binary=$DEMO --use-offset=0 --unsymbolized-profile=$B/one.raw --format=preagg -o $B/got
printf 'F 4011b0 4011bf 4\nf 4011c4 4011d2 5\nB 401176 4011c4 7 0\n' >$B/want
equal "raw counters" $B/want $B/got
$T --quiet --binary=$DEMO --use-offset=0 --unsymbolized-profile=$B/one.raw --unsymbolized-profile=$B/two.raw --format=preagg -o $B/got
printf 'F 4011b0 4011bf 4\nF 4011c4 4011d2 2\nf 4011c4 4011d2 7\nB 401176 4011c4 7 0\nB 4011d2 4011c4 2 0\n' >$B/want
equal "raw counters twice" $B/want $B/got
$T --quiet --binary=$DEMO --unsymbolized-profile=$B/samples.raw --format=preagg -o $B/got
awk '{ print $2, $3 }' $B/got | sort -u >$B/got.places
awk '{ print $2, $3 }' $B/out.preagg | sort -u >$B/want.places
if [ $(wc -l <$B/got.places) -ge 40 ] && [ -z "$(comm -23 $B/got.places $B/want.places)" ]; then pass; else fail "raw counters of samples"; fi
printf 'F 401144 401130 3\nF 401130 401144 3\nB X:0 401130 1 0\nB 401130 X:0 1 0\nF 401130 401175 1\n' >$B/odd.preagg
ends "a reversed range" 0 'odd.preagg:1: 1 ranges end before they begin' $T --binary=$DEMO --preagg=$B/odd.preagg -o $B/out
ends "a line elsewhere" 0 '1 lines do not count: their addresses' $T --binary=$DEMO --preagg=$B/odd.preagg -o $B/out
ends "a range across a jump" 0 '1 lines do not count: their ranges' $T --binary=$DEMO --preagg=$B/odd.preagg -o $B/out
printf 'F 401130 401144 3\nF 401130 40114x 3\n' >$B/bad.preagg
ends "a bad line" 1 'bad.preagg:2:.*expected hexadecimal number' $T --binary=$DEMO --preagg=$B/bad.preagg -o $B/out
for x in '' 0x; do printf "F ${x}391584b1cc3cce984f7ed32e52ddb91f74432b38:401130 ${x}391584b1cc3cce984f7ed32e52ddb91f74432b38:401144 3\n" >$B/id$x.preagg; done
for x in '' 0x; do $T --quiet --binary=$DEMO --preagg=$B/id$x.preagg --format=text -o $B/id$x.prof 2>$B/err; done
[ -s $B/id.prof ] && cmp -s $B/id.prof $B/id0x.prof && pass || fail "aggregated: 0x before a build id: $(cat $B/err)"
printf 'B 1 2 3 0\n' >$B/none.preagg
ends "nothing of the program" 3 'no counter is of a probe' $T --binary=$DEMO --preagg=$B/none.preagg -o $B/out
ends "nothing to write" 3 'the output is empty' $T --binary=$DEMO --preagg=$B/none.preagg --format=preagg -o $B/out
ends "two outputs" 2 'is made of' $T --binary=$DEMO --preagg=$B/bad.preagg --format=preagg --skip-symbolization -o $B/out
ends "two inputs" 2 'give one of' $T --binary=$DEMO --preagg=$B/bad.preagg --pprof=$B/demo.pb -o $B/out

# the text of simpleperf inject --output autofdo: ranges, sampled addresses and branches of each file
$T --quiet --binary=$DEMO --perfscript=data/unwind/traces/demo.probe.ps --ignore-stack-samples --skip-symbolization -o $B/flat.raw
$T --quiet --binary=$DEMO --unsymbolized-profile=$B/flat.raw --format=text -o $B/want
# simple ID PATH: that text
simple() { awk -v id="$1" -v path="$2" 'NF == 1 && $1 !~ /[-:]/ { if (++lists == 2) print "2\n150:7\n159:1" } { print }
    END { if (id != "") print "// build_id: 0x" id; print "// " path "\n" }' $B/flat.raw; }
id=$(readelf -n $DEMO | sed -n 's/.*Build ID: //p')
printf '1\n10-20:5\n1\n18:2\n1\n20->10:4\n// build_id: 0xabababababababababababababababababababab\n// /system/lib64/demo.probe\n\n' >$B/others.txt
simple $id /data/local/tmp/any | cat - $B/others.txt >$B/first.txt
simple $id /data/local/tmp/any | cat $B/others.txt - >$B/last.txt
simple "" /data/local/tmp/demo.probe >$B/named.txt
simple "" "[kernel.kallsyms]" | sed '$d' | cat - $B/first.txt >$B/kernel.txt
for f in first last named kernel; do
    rm -f $B/got
    $T --quiet --binary=$DEMO --unsymbolized-profile=$B/$f.txt --format=text -o $B/got
    equal "simpleperf: $f" $B/want $B/got
done
ends "simpleperf: another file" 1 'others.txt: it has counts of other files' $T --binary=$DEMO --unsymbolized-profile=$B/others.txt -o $B/out
sed 's/^150-/15x-/' $B/last.txt >$B/bad.txt
ends "simpleperf: a bad line" 1 "bad.txt:$(grep -n '^15x-' $B/bad.txt | head -1 | cut -d: -f1):" $T --binary=$DEMO --unsymbolized-profile=$B/bad.txt -o $B/out
head -c 300 $B/named.txt >$B/cut.txt
ends "simpleperf: a text that is cut" 1 'cut.txt' $T --binary=$DEMO --unsymbolized-profile=$B/cut.txt -o $B/out
finish
