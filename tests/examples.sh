#!/bin/sh
# The examples build without a warning and do what the README says; the README's C blocks compile.
B=build/examples
mkdir -p $B
. ./t.sh
fail() { echo "FAILED: examples: $*"; failed=$((failed + 1)); }
CC=${CC:-cc}

# the Makefile builds the examples and runs the demo
make -s build/made/made
if [ "$(cat build/made/made)" = 0 ] && ! grep -q warning: build/examples.said; then pass; else fail "make -C examples all demo"; tail -20 build/examples.said build/demo.said; fi
if grep -q '^\[main:' build/demo.said; then pass; else fail "the demo prints no contexts"; tail -5 build/demo.said; fi
if command -v clang-19 >/dev/null 2>&1; then
    if sh ../examples/demo.sh $B/demo.s && cmp -s $B/demo.s ../examples/data/demo.s; then pass; else fail "examples/data/demo.s is not what demo.sh makes"; fi
else
    echo "SKIPPED: examples: clang-19 is not installed"; skipped=$((skipped + 1))
fi
# (a quick run leaves this to jit.sh, which has the check run with sanitizers)
if [ -z "$FULL" ] || build/made/jit >$B/jit.out 2>&1; then pass; else fail "jit"; tail -20 $B/jit.out; fi

# recorded level loads lay code out such that a load touches fewer than half of the pages (else status 1)
if build/made/level $B/level.order >$B/level.out 2>&1 && [ "$(wc -l <$B/level.order)" -gt 1000 ]; then pass; else fail "level"; tail -5 $B/level.out; fi

# sampling changes nothing in the game; with probes, every sample is in a profile of bounded size (else status 1)
S=build/made/sampler frames=2000
[ -n "$FULL" ] || frames=600
for how in off timer ""; do
    if $S $frames $how >$B/sampler.out 2>&1; then pass; else fail "sampler $how"; tail -5 $B/sampler.out; fi
    sed -n 's/.*the game/the game/p' $B/sampler.out >$B/sampler.$how
    if [ -s $B/sampler.off ] && cmp -s $B/sampler.off $B/sampler.$how; then pass; else fail "sampler $how: the checksum"; fi
    case $how in off) continue ;; esac
    command -v clang-19 >/dev/null 2>&1 || { grep -q 'no probe sections' $B/sampler.out && pass; continue; }
    if grep -q ' main:[0-9]* @ play_frame' $B/sampler.out; then pass; else fail "sampler $how shows no contexts"; fi
done

# the programs of one file do what their first lines say
E=build/made D=../examples/data
cp data/views/parse.txt $B/app.prof
shown() {   # shown TEXT PROGRAM ARGUMENTS...: it succeeds and prints a line with this text
    text=$1
    shift
    "$@" >$B/out 2>$B/err && grep -q -e "$text" $B/out && pass || { fail "$*: no '$text'"; head -5 $B/out $B/err; }
}
shown '1810 samples, 3 functions, 3 contexts' $E/ask $B/app.prof
shown '  2: 870, calls next 870' $E/ask $B/app.prof 'main:2 @ parse'
$E/ask $B/app.prof -o $B/app.ext && $E/ask $B/app.ext -t $B/app.text && cmp -s $B/app.prof $B/app.text && pass || fail "ask: there and back"
shown '2 calls inlined, 0 kept; 0 records merged, 0 samples lost' $E/inliner $B/app.prof
shown '    inline main:2 @ parse:2 @ next: entered 870 times' $E/inliner $B/app.prof
shown 'call in apply in report: inline cube: \([1-9][0-9]*\) of \1 calls' $E/runtime
! grep -q 'lost\|wait\|advice\|across' $B/out && grep -q '^call in apply in main: inline square: \([1-9][0-9]*\) of \1 ' $B/out && pass || fail "runtime"
shown '20000 samples, [1-9][0-9]* folds, [1-9][0-9]* times shrunk' $E/bounded 20000
$E/arena && pass || fail "arena"
[ ! -x $E/user ] || shown '^ *1740  main:2 @ parse:2 @ next$' $E/user $B/app.prof $B/app.ext
if make -s build/plain/make_perfdata && build/plain/make_perfdata file <$D/demo.perfscript >$B/demo.data; then
    shown '^[1-9][0-9]* records' $E/toolchain $D/demo.elf $B/demo.data $B/toolchain.prof
    grep -q '^157 samples' $B/err && ! grep -q advice $B/err && pass || fail "toolchain: $(head -3 $B/err)"
    build/made/csspgo show $B/toolchain.prof >$B/out 2>&1 && grep -q 'less_customer' $B/out && pass || fail "toolchain: $(head -3 $B/out)"
    shown '^0 of [0-9]* functions have changed' $E/stale $B/toolchain.prof $D/demo.elf $B/new.prof
    shown '^0 of [1-9][0-9]* samples are lost' $E/stale $B/toolchain.prof $D/demo.elf $B/new.prof
    $E/ask $B/toolchain.prof -t $B/old.text && sed 's/^ !CFGChecksum: \([0-9]*\)$/ !CFGChecksum: 7\1/' $B/old.text >$B/old.prof
    shown '^[1-9][0-9]* of [0-9]* functions have changed' $E/stale $B/old.prof $D/demo.elf $B/new.prof
else fail "make_perfdata.c does not build"; fi
# any order and grouping of a fleet's profiles gives the same bytes
sed 's/main/other/g; s/870/123/g' $B/app.prof >$B/b.prof
sed 's/parse/lex/g' $B/app.prof >$B/c.prof
$E/fleet -o $B/ab $B/app.prof $B/b.prof >$B/out && $E/fleet -o $B/ab_c $B/ab $B/c.prof >$B/out && $E/fleet -o $B/bc $B/c.prof $B/b.prof >$B/out &&
    $E/fleet -o $B/bc_a $B/bc $B/app.prof >$B/out && cmp -s $B/ab_c $B/bc_a && pass || { fail "fleet: groupings differ"; cat $B/out; }
shown '2 profiles merged, 1 unreadable, 0 of another kind; 3 contexts' $E/fleet -o $B/x $B/app.prof $B/demo.data $B/app.ext
grep -q 'demo.data' $B/err && pass || fail "fleet names no unreadable file"

# usage errors are 2, bad input is 1, both on stderr only
T=build/made/csspgo
expect() {
    want=$1
    shift
    "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq "$want" ] && [ ! -s $B/out ] && [ -s $B/err ]; then pass; else fail "status $got, not $want: $*"; head -3 $B/out $B/err; fi
}
expect 2 $T
expect 2 $T nonsense
expect 2 $T profgen
expect 2 $T profgen --binary=x --output=y
expect 2 $T profgen --binary=x --perfscript=y --output=z --no-such-option
expect 2 $T profgen --binary=x --perfscript=y --output=z --unsymbolized-profile=q
expect 2 $T profgen --binary=x --perfscript=y --output=z --format=compbinary
expect 2 $T profgen --binary=x --perfscript=y --output=z --compress-recursion=-2
expect 1 $T profgen --binary=/nonexistent --perfscript=y --output=/dev/null
expect 1 $T profgen --binary=examples.sh --perfscript=y --output=/dev/null
expect 2 $T record
expect 1 $T record /nonexistent/program

# a recording cut short, a file and what came through a pipe: what is there, and which byte the rest is missing from
FLAT="--format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0"
total() { awk -F: '/^\[/ { n += $(NF - 1) } END { print n + 0 }' $1; }
if make -s build/plain/make_perfdata >$B/make.out 2>&1; then pass; else fail "make_perfdata.c does not build"; cat $B/make.out; fi
$T profgen --quiet $FLAT --binary=$D/demo.elf --perfscript=$D/demo.perfscript -o $B/whole
for form in file pipe; do
    build/plain/make_perfdata $form <$D/demo.perfscript >$B/$form.data
    $T profgen --quiet $FLAT --binary=$D/demo.elf --perfdata=$B/$form.data -o $B/$form.prof
    if [ -s $B/whole ] && cmp -s $B/whole $B/$form.prof; then pass; else fail "perf.data, $form: not the script's profile"; fi
    $T profgen --quiet $FLAT --binary=$D/demo.elf --perfdata=$B/$form.data --perfdata=$B/$form.data -o $B/twice.prof
    $T merge --quiet --text --weighted-input=2,$B/whole -o $B/twice
    $T merge --quiet --text $B/twice.prof | cmp -s - $B/twice && pass || fail "perf.data, $form: twice is not twice"
    for part in 3 2; do
        head -c $(($(wc -c <$B/$form.data) / 4 * part + 13)) $B/$form.data >$B/cut.data
        $T profgen $FLAT --binary=$D/demo.elf --perfdata=$B/cut.data -o $B/cut.$part 2>$B/err
        got=$?
        if [ $got -eq 0 ] && grep -q 'warning: .*cut.data: byte [0-9]*: .*: the profile is of the [0-9]* samples before' $B/err; then pass; else fail "$form, $part quarters: status $got"; cat $B/err; fi
    done
    if [ "$(total $B/cut.2)" -gt 0 ] && [ "$(total $B/cut.2)" -lt "$(total $B/cut.3)" ] && [ "$(total $B/cut.3)" -lt "$(total $B/whole)" ]; then pass; else fail "$form: parts are not parts"; fi
    head -c 300 $B/$form.data >$B/cut.data
    rm -f $B/none
    expect 1 $T profgen --binary=$D/demo.elf --perfdata=$B/cut.data -o $B/none
    if [ -f $B/none ]; then fail "$form: a recording without samples gives a file"; else pass; fi
done

# SIGINT: while input is read it ends the input; afterwards it is told that nothing is missing. Status 130.
# (timeout lets what runs in the background get the signal. It is sent to the program itself: timeout hands a signal
# on twice, to the process and to its group, and the second one would end the program.)
$T profgen --quiet --skip-symbolization --binary=$D/demo.elf --perfscript=$D/demo.perfscript -o $B/whole.raw
rm -f $B/in $B/to
mkfifo $B/in $B/to
sleeps() { # sleeps PID: a process does, says /proc
    while read -r key value; do
        case $key$value in State:*[SD]*) return 0 ;; esac
    done </proc/$1/status
    return 1
} 2>/dev/null
waits() {  # waits PID: what `timeout`, the process PID, runs is idle four times in a row: it waits for input or output
    child=      # that process
    seen=0 looks=0
    while [ $looks -lt 100 ]; do
        looks=$((looks + 1))
        sleep 0.1
        child=
        { read -r child </proc/$1/task/$1/children; } 2>/dev/null
        if sleeps ${child%% *}; then seen=$((seen + 1)); else seen=0; fi
        [ $seen -lt 4 ] || return 0
    done
}
late() {   # late NAME WANTED OPTION...: all input is read, and the output waits for who reads it
    name=$1 want=$2
    shift 2
    timeout 60 $T profgen --binary=$D/demo.elf -o $B/to "$@" 2>$B/err &
    pid=$!
    waits $pid
    kill -INT ${child%% *}
    timeout 20 cat $B/to >$B/got
    wait $pid
    got=$?
    if [ $got -eq 130 ] && grep -q 'interrupted when all input was read: .* is complete' $B/err && cmp -s $want $B/got; then pass; else fail "SIGINT after $name: status $got"; cat $B/err; fi
}
late "a script" $B/whole $FLAT --perfscript=$D/demo.perfscript
late "a script, to raw counters" $B/whole.raw --skip-symbolization --perfscript=$D/demo.perfscript
late "raw counters" $B/whole $FLAT --unsymbolized-profile=$B/whole.raw
$T profgen --quiet $FLAT --binary=$D/demo.elf --llvm-sample-profile=$B/whole -o $B/again
late "a profile" $B/again $FLAT --llvm-sample-profile=$B/whole
early() {  # early NAME BYTES FILE TOLD OPTION: the input gives so many bytes of a file and does not end
    echo precious >$B/kept
    timeout 60 $T profgen $FLAT --binary=$D/demo.elf "$5=$B/in" -o $B/kept >$B/out 2>$B/err &
    pid=$!
    exec 3>$B/in
    head -c $2 $3 >&3
    waits $pid
    kill -INT ${child%% *}
    wait $pid
    got=$?
    exec 3>&-
    if [ $got -eq 130 ] && { [ -z "$4" ] || grep -q "$4" $B/err; }; then pass; else fail "SIGINT in $1: status $got"; cat $B/err; fi
}
early "a script" 60000 $D/demo.perfscript 'interrupted after 60000 bytes: the profile is of what came before' --perfscript
if [ "$(total $B/kept)" -gt 0 ] && [ "$(total $B/kept)" -lt "$(total $B/whole)" ]; then pass; else fail "SIGINT in a script: not a part"; fi
early "a script's beginning" 0 $D/demo.perfscript 'interrupted before the first sample: .* is not written' --perfscript
if [ "$(cat $B/kept)" = precious ]; then pass; else fail "SIGINT in a script's beginning: the output is touched"; fi
early "raw counters" 200 $B/whole.raw 'Interrupted system call' --unsymbolized-profile
if [ "$(cat $B/kept)" = precious ]; then pass; else fail "SIGINT in raw counters: the output is touched"; fi
early "a profile" 200 $B/whole '' --llvm-sample-profile
if [ "$(cat $B/kept)" = precious ]; then pass; else fail "SIGINT in a profile: the output is touched"; fi

# the README's picture is what the tool makes
$T flame --width=900 --title='examples/demo.c: calling contexts, width = samples' $D/demo.prof -o $B/flame.svg
if cmp -s $B/flame.svg ../examples/flame.svg; then pass; else fail "examples/flame.svg is not what csspgo flame makes of examples/data/demo.prof"; fi

head -c 60000 $D/demo.perfscript >$B/beginning.ps
$T profgen --quiet --binary=$D/demo.elf --perfscript=$B/beginning.ps --csspgo-preinliner=0 --gen-cs-nested-profile=0 --format=text -o $B/beginning.prof
$T flame --width=900 --title="examples/demo.c: the whole run beside its beginning" --diff=$B/beginning.prof $D/demo.prof -o $B/diff.svg
if cmp -s $B/diff.svg ../examples/diff.svg; then pass; else fail "examples/diff.svg is not what csspgo flame makes"; fi
if have llvm-objdump-19; then
    $T annotate --binary=$D/demo.elf --function=less_customer -o $B/annotate.svg $D/demo.prof 2>$B/err
    if cmp -s $B/annotate.svg ../examples/annotate.svg; then pass; else fail "examples/annotate.svg is not what csspgo annotate makes: $(head -1 $B/err)"; fi
fi

# options that have no effect are told by name, others are not
idle() {   # idle "OPTION..." WHY ALL...: each is told with its reason, nothing else is
    options=$1 why=$2
    shift 2
    $T profgen --binary=$D/demo.elf -o $B/out "$@" 2>$B/err
    got=$?
    for o in $options; do
        if [ $got -eq 0 ] && finds "warning: --$o has no effect $why" $B/err; then pass; else fail "$* does not tell $o: status $got"; cat $B/err; fi
    done
    n=$(grep -c 'has no effect' $B/err)
    if [ "$n" -eq "$(echo $options | wc -w)" ]; then pass; else fail "$*: $n options are told"; cat $B/err; fi
    $T profgen --llvm-compat --binary=$D/demo.elf -o $B/out "$@" 2>$B/err
    if [ $? -eq 0 ] && ! has_text 'has no effect' $B/err; then pass; else fail "$* in compat mode"; cat $B/err; fi
}
S=--perfscript=$D/demo.perfscript
idle "" "" $S
idle "" "" $S --ignore-stack-samples --csspgo-preinliner=0 --update-total-samples --fill-zero-for-all-funcs
idle "" "" $S --csspgo-preinliner=0 --gen-cs-nested-profile=0 --format=text --csprof-merge-cold-context=0 --compress-recursion=1
idle "csspgo-replay-preinline compress-recursion" "without contexts" $S --ignore-stack-samples --csspgo-replay-preinline --compress-recursion=0
idle "sample-profile-hot-inline-threshold" "without the pre-inliner" $S --csspgo-preinliner=0 --sample-profile-hot-inline-threshold=3
idle "update-total-samples" "with contexts" $S --update-total-samples --fill-zero-for-all-funcs
idle "generate-merged-base-profiles" "with --gen-cs-nested-profile=0" $S --gen-cs-nested-profile=0 --generate-merged-base-profiles
idle "populate-profile-symbol-list" "without --format=extbinary" $S --populate-profile-symbol-list --format=text
idle "populate-profile-symbol-list-from-probes" "without --format=extbinary" $S --populate-profile-symbol-list-from-probes --format=text
idle "trim-cold-profile format show-density" "with --skip-symbolization" $S --skip-symbolization --trim-cold-profile --format=text --show-density
idle "sample-period" "with call stacks" $S --sample-period=3
idle "perf-event" "with --unsymbolized-profile" --unsymbolized-profile=$B/whole.raw --perf-event=cycles
idle "pid ignore-stack-samples" "with --unsymbolized-profile" --unsymbolized-profile=$B/whole.raw --pid=3 --ignore-stack-samples
idle "infer-missing-frames" "with --llvm-sample-profile" --llvm-sample-profile=$B/whole --infer-missing-frames
idle "profile-summary-hot-count" "as no hot" $S --profile-summary-hot-count=5 --profile-summary-cold-count=5
idle "profile-summary-cutoff-cold" "with --profile-summary-cold-count" $S --profile-summary-cutoff-cold=500000 --profile-summary-cold-count=5
idle "profile-summary-cold-count" "as nothing cold" $S --ignore-stack-samples --profile-summary-cold-count=5
idle "" "" $S --ignore-stack-samples --profile-summary-cold-count=5 --trim-cold-profile
if $T profgen --quiet --show-density --binary=$D/demo.elf $S -o $B/out 2>&1 | grep -q 'account for'; then pass; else fail "--quiet --show-density"; fi
sed 's/^ 0x.*//' $D/demo.perfscript >$B/stacks.ps
$T profgen --binary=$D/demo.elf --perfscript=$B/stacks.ps -o $B/out 2>$B/err
if grep -q 'counts are estimates' $B/err && ! grep -q 'no branch in this' $B/err; then pass; else fail "stacks alone: told wrongly"; cat $B/err; fi

# the README's C blocks: each is a program, or statements of one
awk '/^```c$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > ("'$B'/readme" n ".c") }' ../README.md
# (a quick run links them with the library that the tests have)
LINKED="-include stdio.h -include stdlib.h -include string.h -DCSSPGO_IMPLEMENTATION_INCLUDED build/plain/lib.o $([ -f /usr/include/zlib.h ] && echo -lz) $([ -f /usr/include/zstd.h ] && echo -lzstd)"
[ -z "$FULL" ] || LINKED=
for f in $B/readme*.c; do
    [ -f "$f" ] || { fail "the README has no C blocks"; continue; }
    if $CC -std=c99 -D_GNU_SOURCE -Wall -Wextra -Werror -I.. -o $B/readme $f $LINKED >$B/readme.out 2>&1; then pass; else fail "$f does not compile"; head -10 $B/readme.out; fi
done
# names that the documents mention are names of the interface, or of examples/share
# of the table of changes the second column
awk -F'|' '/^## Changes since/ { old = 1 } { print (old && NF > 3 ? $3 : $0) }' README.md |
    cat ../README.md ../bench/README.md - | grep -ohE '\bcsspgo_[a-z0-9_]*[a-z0-9]\b' | sort -u >$B/named
grep -ohE '\bcsspgo_[a-z0-9_]*' ../csspgo.h ../examples/share/*.h | sort -u | awk 'NR == FNR { name[$1]; next }
    { for (n in name) if (index($1, n) == 1) delete name[n] } END { for (n in name) print n }' $B/named - >$B/strange
[ -s $B/named ] && [ ! -s $B/strange ] && pass || fail "READMEs name what is not in csspgo.h: $(cat $B/strange)"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
