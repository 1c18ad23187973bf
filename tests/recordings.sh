#!/bin/sh
# What `csspgo profgen` makes of recordings as users have them: text of any fields of perf script, several processes,
# build ids. Recordings of data/recordings and, where perf may record, others made here; run in tests/.
B=build/recordings
rm -rf $B
mkdir -p $B/other $B/renamed
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: recordings: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: recordings: $*"; skipped=$((skipped + 1)); finish; }
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
D=data/recordings
TOOL=build/plain/csspgo
make -s $TOOL || { fail "the tool does not build"; finish; }

# profile OUTPUT BINARY OPTIONS...: without what is said of density and estimates
profile() {
    out=$1 binary=$2
    shift 2
    $TOOL profgen --binary=$binary "$@" -o $B/$out --format=text 2>$B/err
    status=$?
    grep -v 'would make a better profile\|counts are estimates\|samples dropped: \|external leaf' $B/err >$B/said
    return $status
}
# equal NAME WANT GOT
equal() { if [ -s $2 ] && cmp -s $2 $3; then pass; else fail "$1"; diff $2 $3 | head -4; fi; }
# says NAME SENTENCE: one line was said, with that sentence; none without one
says() {
    if [ -z "$2" ] && [ ! -s $B/said ]; then pass
    elif [ -n "$2" ] && [ $(wc -l <$B/said) -eq 1 ] && grep -q -- "$2" $B/said; then pass
    else fail "$1: it says"; cat $B/said; fi
}

# text in every form
demo=data/unwind/bin/demo.probe
for form in plain brstack-dso brstack-slash brstack-type cxx-names default-fields dso-brackets dso-space event pid-tid-cpu-time srcline sym symoff-dso perf61-offsets; do
    profile $form $demo --perfscript=$D/$form.ps || fail "$form: status $?"
    equal "$form" $B/plain $B/$form
    case $form in perf61-offsets) says $form 'perf61-offsets.ps: 4 call stacks are of offsets in files' ;; *) says $form "" ;; esac
    cat $D/$form.ps | $TOOL profgen --quiet --binary=$demo --perfscript=- -o $B/piped --format=text || fail "$form through a pipe"
    equal "$form through a pipe" $B/plain $B/piped
done

# several processes
demo=data/unwind/bin/demo.pie
profile single $demo --perfscript=$D/multi-single.ps || fail "single: status $?"
profile all-data $demo --perfdata=$D/multi-all.data || fail "multi-all.data: status $?"
equal "several processes, perf.data" $B/single $B/all-data
says "several processes, perf.data" ""
profile all $demo --perfscript=$D/multi-all.ps || fail "multi-all.ps: status $?"
equal "several processes, text with pids" $B/single $B/all
says "several processes, text with pids" ""
profile nopid $demo --perfscript=$D/multi-nopid.ps || fail "multi-nopid.ps: status $?"
equal "several processes, text without pids" $B/single $B/nopid
says "several processes, text without pids" 'is mapped at 3 addresses, and samples do not say of which process'
profile mp $D/w --perfdata=$D/mp.data || fail "mp.data: status $?"
if grep -q 'from 11 sampled addresses' $B/err; then pass; else fail "mp.data: not all samples"; cat $B/err; fi
profile mp-text $D/w --perfscript=$D/mp.default-fields.ps || fail "mp.default-fields.ps: status $?"
equal "default fields of real processes" $B/mp $B/mp-text

# LLVM mode does as llvm-profgen
if command -v llvm-profgen-19 >/dev/null 2>&1; then
    for form in plain sym dso-brackets perf61-offsets multi-nopid multi-all; do
        case $form in multi-*) binary=data/unwind/bin/demo.pie ;; *) binary=data/unwind/bin/demo.probe ;; esac
        rm -f $B/llvm $B/ours
        llvm-profgen-19 --binary=$binary --perfscript=$D/$form.ps --skip-symbolization -o $B/llvm >/dev/null 2>&1
        $TOOL profgen --llvm-compat --binary=$binary --perfscript=$D/$form.ps --skip-symbolization -o $B/ours >/dev/null 2>&1
        if [ ! -e $B/llvm ] && [ ! -e $B/ours ]; then pass; else equal "--llvm-compat of $form" $B/llvm $B/ours; fi
    done
else
    echo "SKIPPED: recordings: --llvm-compat needs llvm-profgen-19"; skipped=$((skipped + 1))
fi

# recordings made here
command -v perf >/dev/null 2>&1 || skip "perf is not installed (package linux-perf)"
command -v clang-19 >/dev/null 2>&1 || skip "clang-19 is not installed"
perf record -q -e cpu-clock:u -o $B/try -- true >$B/out 2>&1 || skip "perf cannot record here: $(tail -1 $B/out)"
cat >$B/busy.c <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) static void leaf(int n) { int i; for (i = 0; i < n; i++) sum += (unsigned long)i; }
__attribute__((noinline)) static void middle(int n) { leaf(n); leaf(n / 2); sum++; }
int main(void) { int i; for (i = 0; i < 60000; i++) middle(MORE); return 0; }
C
F="-O1 -g -w -fno-omit-frame-pointer -fpseudo-probe-for-profiling -Wl,--build-id"
for link in -pie -no-pie; do
    pie=$([ $link = -pie ] && echo -fPIE || echo -fno-pie)
    clang-19 $F $link $pie -DMORE=1000 -o $B/busy $B/busy.c && clang-19 $F $link $pie -DMORE=1001 -o $B/other/busy $B/busy.c || { fail "busy.c does not build"; finish; }
    cp $B/busy $B/renamed/program
    perf record -q -e cpu-clock:u -g -o $B/busy.data -- sh -c "$B/busy & $B/busy & wait" 2>/dev/null
    profile data $B/busy --perfdata=$B/busy.data || fail "$link: status $?"
    says "$link" ""
    count=$(sed -n 's/.*from \([0-9]*\) sampled addresses/\1/p' $B/err)
    if [ "${count:-0}" -gt 100 ]; then pass; else fail "$link: $count samples"; fi
    for fields in pid,ip pid,ip,brstack comm,pid,tid,time,event,ip,sym,symoff,dso tid,ip,sym pid,ip,sym,srcline; do
        perf script -i $B/busy.data -F $fields --show-mmap-events --show-task-events >$B/busy.ps 2>/dev/null
        profile text $B/busy --perfscript=$B/busy.ps || fail "$link -F $fields: status $?"
        equal "$link -F $fields" $B/data $B/text
        grep -v 'call stacks are of offsets in files' $B/said >$B/rest; mv $B/rest $B/said      # perf 5.16 to 6.3
        says "$link -F $fields" ""
    done
    perf script -i $B/busy.data --show-mmap-events >$B/busy.ps 2>/dev/null
    profile text $B/busy --perfscript=$B/busy.ps || fail "$link default fields: status $?"
    equal "$link default fields" $B/data $B/text

    # build ids: of the table behind the data, in mapping events, in text
    profile again $B/renamed/program --perfdata=$B/busy.data || fail "$link renamed: status $?"
    equal "$link: a renamed program" $B/data $B/again
    says "$link: a renamed program" ""
    own=$(readelf -n $B/busy | sed -n 's/.*Build ID: //p') another=$(readelf -n $B/other/busy | sed -n 's/.*Build ID: //p')
    perf record -q --buildid-mmap -e cpu-clock:u -g -o $B/ids.data -- $B/busy 2>/dev/null
    perf script -i $B/ids.data -F pid,ip --show-mmap-events >$B/ids.ps 2>/dev/null
    for from in perfdata=$B/busy.data perfdata=$B/ids.data perfscript=$B/ids.ps; do
        rm -f $B/out
        if profile out $B/other/busy --$from; then fail "$link: another program of the same name: status 0"; else pass; fi
        says "$link: another program of the same name" "the recorded program has build id $own, .*other/busy has $another"
        if [ -e $B/out ]; then fail "$link: a profile of another program"; else pass; fi
        if $TOOL profgen --llvm-compat --binary=$B/other/busy --$from -o $B/out >$B/err 2>&1 || ! grep -q 'build id' $B/err; then pass; else fail "$link: build ids in LLVM mode"; fi
    done
    cat $B/busy.data | $TOOL profgen --binary=$B/other/busy --perfdata=- -o $B/out 2>$B/said
    if [ $? -eq 1 ] && grep -q "has build id $own" $B/said; then pass; else fail "$link: another program, through a pipe"; cat $B/said; fi
    perf script -i $B/ids.data -F pid,ip,sym,dso --show-mmap-events >$B/ids.ps 2>/dev/null
    profile data $B/busy --perfscript=$B/ids.ps || fail "$link: text with build ids: status $?"
    profile text $B/renamed/program --perfscript=$B/ids.ps || fail "$link: text with build ids, renamed: status $?"
    equal "$link: text with build ids, renamed" $B/data $B/text

    # a compressed recording: the advice that is given works
    perf record -q -z -e cpu-clock:u -g -o $B/packed.data -- $B/busy >$B/out 2>&1 || continue
    profile out $B/busy --perfdata=$B/packed.data && fail "a compressed recording is read"
    advice=$(sed -n "s/.*'\(perf script[^']*\)'.*/\1/p" $B/err)
    ${advice:-false} -i $B/packed.data >$B/packed.ps 2>/dev/null || fail "the advice for compressed recordings: $(cat $B/err)"
    profile out $B/busy --perfscript=$B/packed.ps || fail "$link: a compressed recording as text: status $?"
    if grep -q 'leaf' $B/out; then pass; else fail "the advice for compressed recordings gives no profile"; fi
done
finish
