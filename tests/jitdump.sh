#!/bin/sh
# Code of JITs: csspgo profgen --jitdump and --perf-map against what perf inject --jit says of the same samples, and against
# the rules of jit_code.c where perf differs. Recordings of data/jit; run in tests/.
B=build/jitdump
rm -rf $B
mkdir -p $B/x/yy
. ./t.sh
TOOL=$(pwd)/build/plain/csspgo
make -s build/plain/csspgo || { fail "the tool does not build"; finish; }
D=data/jit
profgen() { $TOOL profgen -o $B/out "$@" >$B/said 2>$B/err; }
# samples NAME WANT: what --show-jit-samples printed, without the last column
samples() { cut -f1-4 $B/said >$B/got; check "$1" diff $2 $B/got; }
says() { if finds "$2" $B/err; then pass; else fail "$1: it says"; cat $B/err; fi; }

# ----- every sample has the function that perf names; node writes lines with damaged file names
tail -n +2 $D/node.expect.tsv >$B/node.want
check "node: status" profgen --jitdump=$D/node.dump --perfdata=$D/node.data --show-jit-samples
samples "node: functions of samples" $B/node.want
says "node: what was hit" '46 of 64 samples are in 2 functions of JITs'
$TOOL folded $B/out -o $B/got 2>$B/err
printf 'JS:* /tmp/rec/b.js:1:1 18\nJS:*fib /tmp/rec/b.js:1:13 28\n' >$B/want
check "node: folded stacks" diff $B/want $B/got
$TOOL show $B/out >$B/got 2>$B/err
if grep -q '^  0.38: 4$' $B/got && grep -q '^  5.64: 1$' $B/got; then pass; else fail "node: lines and columns"; cat $B/got; fi

# ----- loads, moves, replacements, overlaps; both byte orders
awk -F'\t' 'NR > 1 { sub(/^caller#.*/, "JS:*caller a.js:9", $3); sub(/^hot$/, "JS:~hot a.js:3", $3)
    sub(/^other$/, "JS:*other a.js:20", $3); print $1 "\t2000\t" $2 "\t" $3 }' $D/small.expect.tsv >$B/small.want
cat >$B/small.text <<'END'
[JS%3a~hot a.js%3a3]:4:0
 1.1: 4
[JS%3a*caller a.js%3a9]:2:0
 0: 2
[JS%3a*other a.js%3a20]:1:0
 0: 1
[inside]:1:0
 0: 1
END
for of in small small-be; do
    check "$of: status" profgen --jitdump=$D/$of.dump --perfdata=$D/small.data --show-jit-samples --format=text
    samples "$of: functions of samples" $B/small.want
    check "$of: profile" diff $B/small.text $B/out
done
cp $B/said $B/all.said
if [ "$(grep 'caller' $B/said | cut -f5 | tr '\n' ' ')" = '2 4 ' ]; then pass; else fail "small: a function replaces another one of its name"; fi
cat $D/small.data | $TOOL profgen --jitdump=$D/small.dump --perfdata=- -o $B/piped --format=text 2>$B/err
check "small: through a pipe" cmp $B/small.text $B/piped

# ----- the dump is found by its mapping
(cd $B && LC_ALL=C sed 's|/tmp/jit-2000|x/yy/jit-2000|' ../../$D/small.data >found.data
cp ../../$D/small.dump x/yy/jit-2000.dump
$TOOL profgen --jitdump=auto --perfdata=found.data --format=text -o found 2>err)
check "a dump found by its mapping" diff $B/small.text $B/found
rm $B/x/yy/jit-2000.dump
(cd $B && $TOOL profgen --jitdump=auto --perfdata=found.data --format=text -o found 2>err)
if [ $? -eq 3 ]; then pass; else fail "status without the dump"; fi
says "without the dump" 'x/yy/jit-2000.dump: No such file or directory: its code does not count'

# ----- times that cannot be compared: code counts where no other code ever was. The clock is in byte 104 + 92
cp $D/small.data $B/clock.data
printf '\000' | dd of=$B/clock.data bs=1 seek=196 conv=notrunc 2>$B/err
check "no clock: status" profgen --jitdump=$D/small.dump --perfdata=$B/clock.data --show-jit-samples
awk -F'\t' '$3 ~ /^7f000000[12]/ && $3 !~ /(1006|2006)$/ { $4 = "-" } { print $1 "\t" $2 "\t" $3 "\t" $4 }' $B/all.said |
    sed 's/\(1006\t\).*/\1JS:*other a.js:20/; s/\(2006\t\).*/\1JS:*caller a.js:9/' >$B/want
samples "no clock: functions of samples" $B/want
says "no clock" 'clock.data: samples have no times of the monotonic clock'
says "no clock: what does not count" '7 samples do not count: different code was at their addresses'
(cd $B && $TOOL profgen --jitdump=auto --perfdata=clock.data -o out 2>err)
says "no clock, no dump" 'give --jitdump=FILE'

# ----- a perf map, with bad lines: later lines replace earlier ones
check "map: status" profgen --perf-map=$D/perf-2000.map --perfdata=$D/small.data --format=text
cat >$B/want <<'END'
[JS%3a*other a.js%3a20]:5:0
 0: 5
[JS%3a*caller a.js%3a9]:4:0
 0: 4
[with 0x]:2:0
 0: 2
END
check "map: profile" diff $B/want $B/out
says "map: bad lines" 'perf-2000.map: 2 lines make no sense'
# ... and of an earlier line stays what they do not cover; a name with a line and a column makes no profile of it
map() { printf '%b' "$1" >$B/perf-2000.map; profgen --perf-map=$B/perf-2000.map --perfdata=$D/small.data --show-jit-samples --format=text; }
check "map: one line" map '7f0000000000 10000 run a.js:12:5\n'
cp $B/said $B/whole
cut -f1-4 $B/whole | sed 's/run a.js:12:5/tail/; s/\(7f0000001[0-9a-f]*.\)tail/\1head/' >$B/want
if grep -q head $B/want && grep -q tail $B/want; then pass; else fail "map: one line"; cat $B/want; fi
for order in '7f0000000000 10000 tail\n7f0000001000 1000 head\n' '7f0000000000 1800 tail\n7f0000001800 f000 tail\n7f0000001000 1000 head\n' \
    '7f0000000000 3000 tail\n7f0000001000 1000 x\n7f0000002000 e000 tail\n7f0000001000 1000 head\n'; do
    check "map: $order" map "$order"
    samples "map: what is left, $order" $B/want
done

# ----- processes that fork, exec and exit; code that is loaded, moved, replaced, unmapped: as the model of make_jitdump.c has it
if ${CC:-cc} -O1 -o $B/make_jitdump make_jitdump.c 2>$B/err; then pass; else fail "make_jitdump.c does not build"; cat $B/err; fi
for seed in $(seq $(size 2 40)); do
    mkdir -p $B/random
    $B/make_jitdump random $seed $B/random
    how=--jitdump=auto
    [ $((seed % 2)) -eq 0 ] || how=$(for f in $B/random/jit-*.dump; do printf -- '--jitdump=%s ' $f; done)
    profgen $how --perfdata=$B/random/perf.data --show-jit-samples
    samples "random $seed" $B/random/want.tsv
    rm -rf $B/random
done

# ----- contexts; two processes have different code at the same addresses
mkdir $B/contexts $B/branches
$B/make_jitdump contexts $B/contexts
check "contexts: status" profgen --jitdump=auto --perfdata=$B/contexts/perf.data --format=text
cat >$B/want <<'END'
[caller1:0 @ callee1]:2:0
 0: 2
[caller0:0 @ callee0]:1:0
 0: 1
END
check "contexts: profile" diff $B/want $B/out
$TOOL folded $B/out -o $B/got 2>$B/err
printf 'caller0;callee0 1\ncaller1;callee1 2\n' >$B/want
check "contexts: folded stacks are the samples" diff $B/want $B/got
$B/make_jitdump branches $B/branches
check "branches: status" profgen --jitdump=auto --perfdata=$B/branches/perf.data --format=text
if grep -q '^.caller1:0 @ callee1.:6:0$' $B/out; then pass; else fail "branches: all of the callee ran twice"; cat $B/out; fi

# ----- a program and JIT code that call each other
mkdir $B/program
$B/make_jitdump program $B/program
w="--binary=data/recordings/w --perfdata=$B/program/perf.data"
check "program: status" profgen $w --use-dwarf-correlation --jitdump=auto --format=text --report=$B/json --show-jit-samples
printf '1020\t2000\t20001\tcallee\n1030\t2000\t5556190\t-\n1040\t2000\t5556190\t-\n' >$B/want
head -3 $B/said | cut -f1-4 >$B/got
check "program: samples" diff $B/want $B/got
printf '[phase:0.7 @ caller:0 @ callee]\n[phase:0.7 @ caller:0 @ leaf]\n[phase:0.7 @ caller]\n[phase:0.7 @ mid:0.2 @ leaf]\n' >$B/want
sed -n 's/^\(\[.*\]\):[0-9]*:[0-9]*$/\1/p' $B/out | LC_ALL=C sort >$B/got
check "program: contexts" diff $B/want $B/got
says "program: what was hit" '2 of 6 samples are in 2 functions of JITs'
if grep -q '"path": "/x/w", "given": true, "samples": 4, ' $B/json && grep -q '"path": "\[jit\]", "given": true, "samples": 2, ' $B/json; then pass; else fail "program: files of the samples"; cat $B/json; fi
profgen --binary=data/recordings/w --use-dwarf-correlation --jitdump=$D/small.dump --perfdata=data/recordings/mp.data
check "program: build ids behind the data start no clock" test "$(grep -c 'no times of the monotonic clock' $B/err)" -eq 1
profgen $w --jitdump=auto
says "program: probes" "data/recordings/w: JITs' code has no probes: give --use-dwarf-correlation"
profgen $w --use-dwarf-correlation --perf-map=$D/perf-2000.map
says "program: a perf map" '--perf-map does not go with --binary'

# ----- no input is overwritten, nor a dump that the recording names
cp $D/small.dump $B/kept.dump
cp $D/perf-2000.map $B/kept.map
cp $B/program/jit-2000.dump $B/kept.auto
spared() { # FILE OPTION...: the output would be the file
    cp $1 $B/before
    of=$1
    shift
    if $TOOL profgen "$@" -o $of >$B/said 2>$B/err; then fail "$of is overwritten"; else pass; fi
    check "$of is as it was" cmp $B/before $of
    says "$of" "output '$of' is the same file as input"
}
spared $B/kept.dump --jitdump=$B/kept.dump --perfdata=$D/small.data
spared $B/kept.map --perf-map=$B/kept.map --perfdata=$D/small.data
spared $B/program/jit-2000.dump --jitdump=auto --perfdata=$B/program/perf.data
spared $B/kept.auto --binary=data/recordings/w --use-dwarf-correlation --dwp=$B/kept.auto --perfdata=$D/small.data

# ----- errors say where; any part of a dump gives what is in it
profgen --jitdump=$D/small.data --perfdata=$D/small.data
says "no dump" 'small.data: this is a recording of perf (perf.data), which profgen --perfdata takes'
for n in 3 39 56 200 500 700; do
    head -c $n $D/small.dump >$B/cut.dump
    profgen --jitdump=$B/cut.dump --perfdata=$D/small.data
    status=$?
    if [ $n -lt 40 ] && [ $status -eq 1 ] && finds "cut.dump: byte $n: " $B/err; then pass
    elif [ $n -gt 40 ] && [ $status -ne 1 ] && finds 'cut.dump: byte [0-9]*: it ends inside a record' $B/err; then pass
    else fail "a dump of $n bytes: status $status"; cat $B/err; fi
done
finish
