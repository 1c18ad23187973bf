#!/bin/sh
# `csspgo record`: the program is not disturbed, and breakpoints at branches give the records of a single-stepped run.
# Run in tests/; each program prints what it saw and has an exit status of its own.
. ./t.sh
B=build/record
mkdir -p $B
passed=0 failed=0 skipped=0
TOOL=${TOOL:-build/plain/csspgo}
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: record: $*"; failed=$((failed + 1)); }
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "SKIPPED: record: needs x86-64 Linux"
    echo "$passed passed, $failed failed, 1 skipped"
    exit 0
fi
[ -x $TOOL ] || make -s $TOOL

# threads make what comes behind them depend on time: those are compared in what the program does only
programs=$([ -n "$FULL" ] && echo signals longjmp coroutines jit children pushf straight vectors qsort threads || echo signals jit qsort threads)
for p in $programs; do
    for link in -pie $([ -n "$FULL" ] && echo -no-pie); do
        ${CC:-cc} -O2 -w -DELEMENTS=$(size 15 60) -DROUNDS=$(size 10 30) $link $([ $link = -pie ] && echo -fPIE || echo -fno-pie) -fno-omit-frame-pointer -o $B/$p programs/record/$p.c -lpthread || { fail "$p does not build"; continue; }
        (exec $B/$p) >$B/native 2>&1
        status=$?
        for mode in --software --step; do
            $TOOL record --quiet $mode --period=200 -o $B/$p$mode -- $B/$p >$B/traced 2>&1
            got=$?
            if [ $got -eq $status ]; then pass; else fail "$p $link $mode: status $got, alone $status"; fi
            if cmp -s $B/native $B/traced; then pass; else fail "$p $link $mode: output differs"; diff $B/native $B/traced | head -4; fi
            # mappings are looked at when they matter, so their lines stand elsewhere
            { grep -v MMAP2 $B/$p$mode; sed -n 's|MMAP2 [0-9]*/[0-9]*|MMAP2|p' $B/$p$mode | sort -u; } >$B/$p$mode.plain
        done
        [ $p = threads ] && continue
        if [ -s $B/$p--step.plain ] && cmp -s $B/$p--software.plain $B/$p--step.plain; then pass; else fail "$p $link: the records differ"; fi
    done
done

# bursts: wherever they fall, the program does what it does alone
for p in $programs; do
    (exec $B/$p) >$B/native 2>&1
    status=$?
    for mode in --overhead=1000 --timer; do
        $TOOL record --quiet $mode -F 20000 -o $B/$p.bursts -- $B/$p >$B/traced 2>&1
        got=$?
        if [ $got -eq $status ]; then pass; else fail "$p, bursts, $mode: status $got, alone $status"; fi
        if cmp -s $B/native $B/traced; then pass; else fail "$p, bursts, $mode: output differs"; diff $B/native $B/traced | head -4; fi
    done
done

# what cannot be computed, behind a branch that is not taken where the thread was stopped: the burst goes on behind it
if ${CC:-cc} -O2 -w -o $B/stuck programs/record/stuck.c; then
    (exec $B/stuck) >$B/native
    timeout 100 $TOOL record --quiet -o $B/stuck.ps -- $B/stuck >$B/traced
    got=$?
    if [ $got -eq 5 ] && cmp -s $B/native $B/traced; then pass; else fail "stuck: status $got, alone 5"; fi
fi

# a process that runs: it is taken hold of, and let go as it was
rm -f $B/fifo
mkfifo $B/fifo
cat $B/fifo >$B/traced &
reader=$!
if $TOOL record --quiet --pid=$reader --duration=0.05 -o $B/attached 2>$B/out; then
    if grep -q 'TracerPid:.0$' /proc/$reader/status; then pass; else fail "--pid: not let go"; fi
    echo read >$B/fifo
    if wait $reader && [ "$(cat $B/traced)" = read ]; then pass; else fail "--pid: the process was disturbed"; fi
else
    if grep -q 'cannot trace' $B/out; then pass; else fail "--pid: $(cat $B/out)"; fi   # where that is not allowed
    echo read >$B/fifo
    wait $reader
fi
rm -f $B/fifo
$TOOL record --quiet --pid=$$ --exact -o $B/attached 2>/dev/null
if [ $? -eq 2 ]; then pass; else fail "--pid --exact"; fi

# what is computed ahead is what happens: the branches of each burst are some that stand together in the whole run
if ${CC:-cc} -O2 -w -DELEMENTS=600 -static -fno-omit-frame-pointer -o $B/whole programs/record/qsort.c 2>/dev/null; then
    $TOOL record --quiet --exact --start=_start --jitter=0 --period=15 --depth=16 -o $B/whole.ps -- $B/whole >/dev/null 2>&1
    $TOOL record --quiet -F 20000 --overhead=1000 --depth=16 -o $B/part.ps -- $B/whole >/dev/null 2>&1
    # records of a sample, oldest first; of the whole run each but the first
    for n in whole part; do awk '/0x.*\/0x/ { s = ""; for (i = NF; i > 0; i--) { split($i, f, "/"); s = s f[1] "/" f[2] " " } print s }' $B/$n.ps >$B/$n.seq; done
    # its last branches, fewer than a period, are in no sample: a burst may go on behind those that are
    if awk 'NR == FNR { sub(/^[^ ]* /, ""); all = all $0; next }
            index(all, $0) == 0 {
                for (s = $0; n++ < 14 && sub(/[^ ]+ $/, "", s); ) if (s != "" && substr(all, length(all) - length(s) + 1) == s) { n = 0; next }
                print "not in the whole run: " $0; bad++
            } END { exit bad != 0 }' $B/whole.seq $B/part.seq >$B/out; then pass; else fail "bursts of branches that did not happen"; head -2 $B/out | cut -c1-200; fi
else
    echo "SKIPPED: record: no static libc"; skipped=$((skipped + 1))
fi

# a burst that begins where there are no frame pointers finds the callers when it returns to them
${CC:-cc} -O1 -w -no-pie -fno-pie -fno-omit-frame-pointer -o $B/bare programs/record/bare.c || fail "bare.c does not build"
$TOOL record --quiet -F 20000 --overhead=1000 -o $B/bare.ps -- $B/bare 1000000 >/dev/null 2>&1
nm -S $B/bare | awk '$4 == "bare" || $4 == "caller" || $4 == "main" { print $4, $1, $2 }' >$B/bare.nm
if awk 'function number(h,  i, v) { for (i = 1; i <= length(h); i++) v = 16 * v + index("0123456789abcdef", substr(h, i, 1)) - 1; return v }
        FNR == NR { from[$1] = number($2); to[$1] = from[$1] + number($3); next }
        /^\t/ { if (n++ == 0) leaf = number($1); for (f in from) if (number($1) > from[f] && number($1) < to[f]) seen[f] = n }
        /0x.*\/0x/ { if (leaf >= from["bare"] && leaf < to["bare"] && !("caller" in seen && "main" in seen)) bad++; n = 0; delete seen }
        END { exit bad != 0 }' $B/bare.nm $B/bare.ps; then pass; else fail "callers of code without frame pointers"; fi

# the counts of bursts beside those of every branch
if [ -n "$FULL" ] && have clang-19; then
    clang-19 -O2 -w -fno-omit-frame-pointer -fpseudo-probe-for-profiling -o $B/busy programs/record/busy.c
    $TOOL record --quiet --exact --jitter=0 --period=31 --max-branches=200000 -o $B/exact.ps -- $B/busy 100000 >/dev/null
    $TOOL record --quiet -F 300 -o $B/bursts.ps -- $B/busy 100000000 >/dev/null
    for n in exact bursts; do
        $TOOL profgen --quiet --ignore-stack-samples --format=text --binary=$B/busy --perfscript=$B/$n.ps -o $B/$n.prof
    done
    same=$($TOOL overlap $B/exact.prof $B/bursts.prof | sed -n 's/.*profile similarity: \([0-9]*\)\..*/\1/p')
    if [ "${same:-0}" -ge 75 ]; then pass; else fail "bursts: the profile is the exact one to $same %"; fi
fi

# code of unlike cost, in one thread and in four: bursts count what ran, not how long it took (by time, 0.63 and 0.65)
if [ -n "$FULL" ] && have clang-19; then
    clang-19 -O2 -w -fno-omit-frame-pointer -fpseudo-probe-for-profiling -o $B/loops programs/loops.c -lpthread
    $TOOL record --quiet --exact --start=work_off --jitter=0 --period=31 --max-branches=2000000 --stop -o $B/exact.ps -- $B/loops 1000 >/dev/null 2>&1
    for n in exact 1 4; do
        [ $n = exact ] || $TOOL record --quiet -o $B/$n.ps -- $B/loops 60000 $n >/dev/null
        $TOOL profgen --quiet --ignore-stack-samples --format=text --binary=$B/loops --perfscript=$B/$n.ps -o $B/$n.prof
        [ $n != exact ] || continue
        same=$($TOOL overlap --quality $B/exact.prof $B/$n.prof | sed -n 's/^blocks of the program *\([0-9]*\)\..*/\1/p')
        if [ "${same:-0}" -ge 80 ]; then pass; else fail "loops, $n threads: the counts are the exact ones to $same %"; fi
    done
fi

# as many samples are written as it says, whatever each burst counts
${CC:-cc} -O2 -w -o $B/plain programs/record/busy.c
said=$($TOOL record --quiet --json -F 20000 --overhead=1000 -o $B/told.ps -- $B/plain 3000000 2>/dev/null | sed -n 's/.*"samples": *\([0-9]*\).*/\1/p')
if [ "${said:-0}" -gt 0 ] && [ "$said" -eq "$(grep -c '0x.*/0x' $B/told.ps)" ]; then pass; else fail "it says '$said' samples"; fi

# bursts get on in code that touches more pages than they copy: some 2,000 samples, where it was 5
if [ -n "$FULL" ] && ${CC:-cc} -O2 -w -o $B/scattered programs/record/scattered.c; then
    (exec $B/scattered) >$B/native
    $TOOL record --quiet -o $B/scattered.ps -- $B/scattered >$B/traced
    got=$?
    if [ $got -eq 0 ] && cmp -s $B/native $B/traced; then pass; else fail "scattered: status $got"; fi
    if [ "$(grep -c '0x.*/0x' $B/scattered.ps)" -ge 100 ]; then pass; else fail "scattered: $(grep -c '0x.*/0x' $B/scattered.ps) samples"; fi
fi

# options
$TOOL record --quiet --software --count=3 --period=50 --depth=4 -o $B/count -- $B/qsort >/dev/null 2>&1
if [ "$(grep -c 0x.*/0x $B/count)" -eq 3 ]; then pass; else fail "--count=3 gave $(grep -c 0x.*/0x $B/count)"; fi
if awk '/0x.*\/0x/ && NF != 4 { bad = 1 } END { exit bad }' $B/count; then pass; else fail "--depth=4"; fi
$TOOL record --quiet --software --start=cmp_down --count=1 --period=5 -o $B/start -- $B/qsort >/dev/null 2>&1
if [ "$(grep -c 0x.*/0x $B/start)" -eq 1 ]; then pass; else fail "--start"; fi
$TOOL record --quiet --software --start=no_such_function -o $B/start -- $B/qsort >/dev/null 2>&1
if [ $? -eq 1 ]; then pass; else fail "--start of nothing"; fi
$TOOL record --quiet --software --period=100 -o $B/seed1 -- $B/qsort >/dev/null 2>&1
$TOOL record --quiet --software --period=100 --seed=2 -o $B/seed2 -- $B/qsort >/dev/null 2>&1
if cmp -s $B/seed1 $B/seed2; then fail "--seed changes nothing"; else pass; fi

# progress: the line's text; on a terminal only
if ${CC:-cc} -std=gnu99 -O1 -w -o $B/progress tool_progress.c build/plain/tool/shared/progress.o build/plain/tool/shared/output.o build/plain/tool/shared/messages.o build/plain/tool/shared/safe.o build/plain/tool/shared/path.o build/plain/tool/record/program.o && $B/progress >$B/out; then pass; else fail "the text of progress"; cat $B/out; fi
D=../examples/data
if script -qec true /dev/null >/dev/null 2>&1; then
    whole=$B/whole; [ -x $whole ] || whole=$B/qsort        # without a static C library
    script -qec "$TOOL record --software --count=200 --period=50 --stop -o $B/seen.ps -- $whole" /dev/null </dev/null >$B/out 2>&1
    if grep -q 'branches, .* samples, .* M branches/s' $B/out; then pass; else fail "record shows no progress on a terminal"; cat $B/out; fi
    script -qec "$TOOL profgen --binary=$D/demo.elf --perfscript=$D/demo.perfscript -o /dev/null" /dev/null </dev/null >$B/out 2>&1
    if grep -q '100%, [0-9]* samples' $B/out; then pass; else fail "profgen shows no progress on a terminal"; cat $B/out; fi
else
    echo "record: no terminal is to be had here: progress on one was not looked at, its text was"
fi
$TOOL profgen --binary=$D/demo.elf --perfscript=$D/demo.perfscript -o /dev/null 2>$B/out
if grep -q '100%' $B/out; then fail "progress without a terminal"; else pass; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
