#!/bin/sh
# Options of profgen about where code, symbols and kernels are, and what is shown, against llvm-profgen-19.
. ./t.sh
compares
B=build/options
mkdir -p $B
passed=0 failed=0 skipped=0
TOOL=build/plain/csspgo
D=data/unwind
have() { command -v "$1" >/dev/null 2>&1; }
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
skip() { echo "SKIPPED: options: $*"; skipped=$((skipped + 1)); }
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: options: $*"; failed=$((failed + 1)); }
make -s $TOOL || { fail "the tool does not build"; finish; }

# refused WORD OPTION...: by name and with a reason
refused() {
    word=$1
    shift
    $TOOL profgen --binary=$D/bin/demo.probe --perfscript=$D/cases/01-calls.ps -o $B/out "$@" 2>$B/err
    if [ $? -eq 2 ] && finds "${1%%=*} .*$word" $B/err; then pass; else fail "$* is not refused"; cat $B/err; fi
}

# both NAME BINARY SCRIPT OPTIONS...: the same profile and the same on standard output, or both fail
both() {
    name=$1 binary=$2 script=$3
    shift 3
    rm -f $B/llvm $B/ours
    llvm-profgen-19 --binary=$binary --perfscript=$script -o $B/llvm "$@" >$B/llvm.out 2>$B/llvm.err
    llvm=$?
    $TOOL profgen --llvm-compat --binary=$binary --perfscript=$script -o $B/ours "$@" >$B/ours.out 2>$B/ours.err
    ours=$?
    if [ $llvm -eq $ours ] && alike $B/llvm.out $B/ours.out && { [ $llvm -ne 0 ] || cmp -s $B/llvm $B/ours; }; then pass; else
        fail "$name: status $llvm and $ours"
        diff $B/llvm $B/ours | head -6
        head -3 $B/ours.err
    fi
}
have llvm-profgen-19 || { skip "llvm-profgen-19 is not installed"; finish; }
again llvm-profgen-19
S="--format=text --use-context-cost-for-preinliner=0"

# --kernel: the demo as if it were a kernel at ffffffff81000000, called from a kernel that is not it
kernel() {
    sed -e 's/\([ /x]\)401\([0-9a-f][0-9a-f][0-9a-f]\)/\1ffffffff81000\2/g' -e "s#^ PERF_RECORD_MMAP.*#PERF_RECORD_MMAP -1/0: [$2 @ $3]: x $4#" $1 >$B/kernel.ps
}
for n in 01-calls 02-returns 03-recursion 04-tailcall 09-bogus-range 14-missing-caller 18-lbr-only 21-kernel-leaf; do
    kernel $D/cases/$n.ps '0xffffffff81000000(0x2000)' 0xffffffff81000000 '[kernel.kallsyms]_text'
    both "$n in a kernel" $D/bin/demo.probe $B/kernel.ps --kernel --skip-symbolization
    if cmp -s $B/ours $D/cases/$n.raw; then pass; else fail "$n in a kernel: not its counters"; fi
    both "$n in a kernel, profile" $D/bin/demo.probe $B/kernel.ps --kernel $S
done
for name in '[kernel.kallsyms]' '[kernel.kallsyms]_stext'; do
    kernel $D/cases/01-calls.ps '0xffffffff81000000(0x2000)' 0 "$name"
    both "$name" $D/bin/demo.probe $B/kernel.ps --kernel --skip-symbolization
    if [ -s $B/ours ]; then pass; else fail "$name: no counters"; fi
done
kernel $D/cases/01-calls.ps '0xffffffff81000000(0x2000)' 0 '[kernel.kallsyms]_other'
both "no kernel" $D/bin/demo.probe $B/kernel.ps --kernel --skip-symbolization
both "a user program is no kernel" $D/bin/demo.probe $D/cases/01-calls.ps --kernel --skip-symbolization
if [ $ours -eq 1 ] && grep -q kernel $B/ours.err; then pass; else fail "a user program as kernel: status $ours"; fi

# --show-pseudo-probe: the descriptors, when there are probes to map to
both "descriptors" $D/bin/demo.probe $D/cases/01-calls.ps --show-pseudo-probe $S
if [ "$(grep -c ^GUID $B/ours.out)" -eq 7 ]; then pass; else fail "not 7 descriptors"; fi
both "descriptors, context-less" $D/bin/ext.probe $D/cases/05-extpair.ps --show-pseudo-probe $S --ignore-stack-samples
both "no descriptors" $D/bin/demo.probe $D/cases/01-calls.ps --show-pseudo-probe --skip-symbolization

# --show-mmap-events: all of them, whatever they map
both "mappings" $D/bin/demo.pie $D/cases/24-pie.ps --show-mmap-events --skip-symbolization
if [ -s $B/ours.out ]; then pass; else fail "no mappings"; fi
both "mappings of other programs" $D/bin/ext.probe $D/cases/01-calls.ps --show-mmap-events --skip-symbolization
if [ -s $B/ours.out ]; then pass; else fail "no mappings of other programs"; fi

# what raw addresses count from: the first loadable segment, of a position-independent program the first not at 0
for b in demo.pie:24-pie demo.probe:01-calls ext.probe:05-extpair; do
    for o in "" --use-offset=0; do
        both "addresses of ${b%:*} $o" $D/bin/${b%:*} $D/cases/${b#*:}.ps --skip-symbolization --use-first-loadable-segment-as-base $o
    done
done

# --update-total-samples: of whatever has no contexts, also without --ignore-stack-samples
both "totals of branches alone" $D/bin/demo.probe $D/cases/18-lbr-only.ps --format=text --update-total-samples
llvm-profgen-19 --binary=$D/bin/demo.probe --perfscript=$D/traces/demo.probe.ps --skip-symbolization --ignore-stack-samples -o $B/flat.raw >$B/llvm.err 2>&1
for t in llvm-profgen-19 "$TOOL profgen --llvm-compat"; do
    $t --binary=$D/bin/demo.probe --unsymbolized-profile=$B/flat.raw --format=text --update-total-samples -o $B/totals.${t%%[-/]*} >$B/err 2>&1
done
if [ -s $B/totals.llvm ] && cmp -s $B/totals.llvm $B/totals.build; then pass; else fail "totals of raw counters"; fi
$TOOL profgen --llvm-compat --binary=$D/bin/demo.probe --unsymbolized-profile=$B/flat.raw --format=text -o $B/ours >$B/err 2>&1
if cmp -s $B/totals.build $B/ours; then fail "totals of raw counters: are what they were"; else pass; fi

# --leading-ip-only, --perf-event(s), --sample-period: of scripts without call stacks
# flat SCRIPT: with the sampled address, an event and sometimes a count in front of the branch records
flat() {
    awk '/PERF_RECORD/ { print; next } /^ 0x/ { n++; if (n % 11 == 0) print n % 5; e = n % 3 == 0 ? "branches:u" : n % 3 == 1 ? "cycles" : "cycles:u"
        if (ip != "") print (n % 7 == 0 ? "" : " " e ": ") " " ip " " $0; ip = ""; next } NF == 1 && ip == "" { ip = $1 } NF == 0 { ip = "" }' $1
}
# of_19 NAME BINARY SCRIPT
of_19() {
    flat $3 >$B/flat.ps
    for o in --leading-ip-only --perf-event=cycles --perf-event=cycles,cycles:u --perf-events=cycles,branches:u "--perf-event=cycles:u --perf-event=branches:u" \
        --perf-event=none --sample-period=1009 "--sample-period=97 --leading-ip-only --perf-events=cycles,cycles:u" "--sample-period=77 --perf-event=branches:u"; do
        both "$1: $o" $2 $B/flat.ps --skip-symbolization $o
        raw=$(wc -l <$B/ours)
        if [ $raw -gt 2 ] || [ "$o" = --perf-event=none ]; then pass; else fail "$1: $o: no counters"; fi
        both "$1: $o, profile" $2 $B/flat.ps --format=text $o
        both "$1: $o, with stacks" $2 $3 --skip-symbolization $o
        both "$1: $o, without stacks" $2 $3 --format=text --ignore-stack-samples $o
    done
    # by default a sampled address is an estimate of what ran; written as counters it is the same, but for counts of 0
    sed 's/^0$/1/' $B/flat.ps >$B/none0.ps
    llvm-profgen-19 --binary=$2 --perfscript=$B/none0.ps --skip-symbolization --leading-ip-only -o $B/llvm >$B/llvm.err 2>&1
    $TOOL profgen --binary=$2 --perfscript=- --skip-symbolization --leading-ip-only -o $B/ours <$B/none0.ps 2>$B/err
    if cmp -s $B/llvm $B/ours; then pass; else fail "$1: --leading-ip-only by default"; fi
    $TOOL profgen --binary=$2 --perfscript=$3 --format=text --leading-ip-only -o $B/ours 2>$B/err
    if finds 'counts are estimates' $B/err && [ -s $B/ours ]; then pass; else fail "$1: --leading-ip-only with stacks"; cat $B/err; fi
}
of_19 demo $D/bin/demo.probe $D/traces/demo.probe.ps
[ -z "$FULL" ] || of_19 ext $D/bin/ext.probe $D/traces/ext.probe.ps

# --show-detailed-warning: the same ranges and return addresses, in our words
in_our_words() {
    sed -n -e 's/^[a-z: ]*warning: //' -e 's/^Truncated stack sample due to invalid return address at \(0x[0-9a-f]*\),.*/\1 is a return address without a call before it/' \
        -e 's/\]: Range is not on instruction boundary.*/] does not lead from code of the program to a branch of it/' \
        -e 's/\]: Range does not belong to any functions.*/] begins in no function with probes/' -e 's/\]: Fall through range should not cross.*/] leaves its function/' \
        -e 's/\]: Range start is after.*/] cannot run straight/' -e '/^\[/p' -e '/^0x.* is a return address/p' | sort
}
# details NAME LEAST BINARY SCRIPT
details() {
    llvm-profgen-19 --binary=$3 --perfscript=$4 -o $B/llvm --skip-symbolization --show-detailed-warning 2>&1 | in_our_words >$B/llvm.out
    $TOOL profgen --llvm-compat --binary=$3 --perfscript=$4 -o $B/ours --skip-symbolization --show-detailed-warning 2>&1 | in_our_words >$B/ours.out
    if [ "$(wc -l <$B/llvm.out)" -ge $2 ] && cmp -s $B/llvm.out $B/ours.out; then pass; else
        fail "details of $1: $(wc -l <$B/llvm.out) lines of LLVM"
        diff $B/llvm.out $B/ours.out | head -6
    fi
}
for n in 01-calls 07-interrupt-pair 08-interrupt-half 09-bogus-range 10-backward-range 13-bad-return-address 18b-lbr-only-bad; do
    details $n "$(test $n = 01-calls; echo $?)" $D/bin/demo.probe $D/cases/$n.ps
done
details 24-pie 0 $D/bin/demo.pie $D/cases/24-pie.ps
for n in demo ext; do
    details "the trace of $n" 3 $D/bin/$n.probe $D/traces/$n.probe.ps
    have perl || { skip "perl is not installed"; continue; }
    for seed in 1 2 3; do                             # one address in thirty a little off
        perl -e 'srand(shift); while (<STDIN>) { s/401([0-9a-f]{3})/rand() < 0.03 ? sprintf("401%03x", hex($1) + int(rand(9)) - 4 & 0xfff) : "401$1"/ge; print }' $seed \
            <$D/traces/$n.probe.ps >$B/off.ps
        details "a trace of $n that is off, $seed" 10 $D/bin/$n.probe $B/off.ps
    done
done
$TOOL profgen --llvm-compat --binary=$D/bin/demo.probe --perfscript=$D/cases/09-bogus-range.ps -o $B/ours --skip-symbolization 2>$B/err
if finds 'of samples are from ranges that do cross function boundaries' $B/err && ! finds '\[' $B/err; then pass; else fail "what unwinding found is not summed up"; cat $B/err; fi

# --debug-binary: what strip took away comes from another file
have llvm-strip-19 && have llvm-objcopy-19 && have clang-19 || { skip "llvm-strip-19, llvm-objcopy-19 and clang-19 are not all installed"; finish; }
[ "$(uname -m)" = x86_64 ] || { skip "needs an x86-64 machine"; finish; }
if clang-19 -O2 -g -fpseudo-probe-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -no-pie -Wl,--build-id -w -o $B/mix programs/mix.c -lm; then pass; else
    fail "mix does not build"; finish
fi
env -i $TOOL record --software --period=61 --seed=7 --count=500 --stop -o $B/mix.ps -- $B/mix >$B/record.out 2>&1
[ -z "$FULL" ] || of_19 mix $B/mix $B/mix.ps

# flow-sensitive discriminators: the image says so, and ExtBinary then has the flag
if clang-19 -O2 -g -fpseudo-probe-for-profiling -mllvm -enable-fs-discriminator=true -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -no-pie -w -o $B/fs programs/mix.c -lm; then pass; else
    fail "mix with flow-sensitive discriminators does not build"; finish
fi
env -i $TOOL record --software --period=61 --seed=7 --count=500 --stop -o $B/fs.ps -- $B/fs >$B/record.out 2>&1
for o in "" --ignore-stack-samples "--csspgo-preinliner=0 --gen-cs-nested-profile=0" --use-md5; do
    both "flow-sensitive, $o, text" $B/fs $B/fs.ps $S $o
    # ExtBinary: all bytes but the metadata, which LLVM writes in the order of a hash map, and its size and flags
    for tool in llvm-profgen-19 "$TOOL profgen --llvm-compat --quiet"; do
        $tool --binary=$B/fs --perfscript=$B/fs.ps -o $B/fs.prof --use-context-cost-for-preinliner=0 $o >/dev/null 2>&1
        $TOOL show --show-sec-info-only $B/fs.prof >$B/fs.table
        size=$(sed -n 's/^FunctionMetadata - Offset: \([0-9]*\),.*/\1/p' $B/fs.table)
        { grep -q 'ProfileSummary.*fs-discriminator' $B/fs.table && cat $B/fs.table && head -c "${size:-0}" $B/fs.prof; } | cksum
    done >$B/fs.sums
    if [ "$(sort -u $B/fs.sums | wc -l)" -eq 1 ]; then pass; else fail "flow-sensitive, $o: ExtBinary"; cat $B/fs.table; fi
done
$TOOL profgen --quiet --binary=$B/fs --perfscript=$B/fs.ps -o $B/fs.prof
if $TOOL show --show-sec-info-only $B/fs.prof | grep -q fs-discriminator; then pass; else fail "flow-sensitive by default"; fi
mkdir -p $B/whole $B/nodebug $B/stripped
mv $B/mix $B/whole/mix
llvm-strip-19 --strip-debug -o $B/nodebug/mix $B/whole/mix
llvm-strip-19 --strip-all --keep-section=.pseudo_probe --keep-section=.pseudo_probe_desc -o $B/stripped/mix $B/whole/mix
llvm-objcopy-19 --only-keep-debug $B/whole/mix $B/mix.debug
for debug in $B/whole/mix $B/mix.debug; do
    both "without debug information, $debug" $B/nodebug/mix $B/mix.ps --debug-binary=$debug $S
    both "without debug information, $debug, counters" $B/nodebug/mix $B/mix.ps --debug-binary=$debug --skip-symbolization
    # LLVM disassembles nothing without symbols in the binary itself
    $TOOL profgen --llvm-compat --quiet --binary=$B/whole/mix --perfscript=$B/mix.ps -o $B/want --populate-profile-symbol-list
    $TOOL profgen --llvm-compat --quiet --binary=$B/stripped/mix --debug-binary=$debug --perfscript=$B/mix.ps -o $B/ours --populate-profile-symbol-list
    if [ -s $B/want ] && cmp -s $B/want $B/ours; then pass; else fail "without symbols, $debug"; fi
done
$TOOL profgen --binary=$B/stripped/mix --debug-binary=$D/bin/demo.probe --perfscript=$B/mix.ps -o $B/ours 2>$B/err
if [ $? -eq 1 ] && finds 'another build' $B/err; then pass; else fail "the debug binary of another program is taken"; cat $B/err; fi
$TOOL profgen --binary=$B/stripped/mix --debug-binary=$B/stripped/mix --perfscript=$B/mix.ps -o $B/ours 2>$B/err
if [ $? -eq 1 ] && finds 'no symbols' $B/err; then pass; else fail "a debug binary without symbols is taken"; cat $B/err; fi
# what is said of programs with probes: all of it, in the same words
for n in 01-calls 02-returns 03-recursion 04-tailcall 09-bogus-range 13-bad-return-address 14-missing-caller 18-lbr-only 21-kernel-leaf; do
    for o in "" --ignore-stack-samples --skip-symbolization --show-detailed-warning --use-dwarf-correlation "--pid=7 --format=text" --format=binary; do
        o="--binary=$D/bin/demo.probe --perfscript=$D/cases/$n.ps $o"
        llvm-profgen-19 $o -o $B/said.prof 2>&1 >/dev/null | sed 's/^llvm-profgen[-0-9]*: //' | LC_ALL=C sort >$B/want
        $TOOL profgen --llvm-compat $o -o $B/said.prof 2>&1 >/dev/null | LC_ALL=C sort >$B/got      # LLVM: in hash order
        check "what is said: $o" cmp $B/want $B/got
    done
done
finish
