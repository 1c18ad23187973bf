#!/bin/sh
# Faults that users of tools of this kind reported, as they were reported: data/reported/ has the input of each row, and
# the answer here is what is right. What holds the whole kind of each is another test, which a row's comment names.
cd "$(dirname "$0")" || exit 1
. ./t.sh
HERE=$(pwd) R=$(pwd)/data/reported B=$(pwd)/build/reported T=$(pwd)/build/plain/csspgo
[ -x $T ] || make -s build/plain/csspgo || exit 1
rm -rf $B
mkdir -p $B
cd $R || exit 1
# gives NAME WANT COMMAND...: a profile as text with the line WANT, on standard output
gives() {
    name=$1 want=$2
    shift 2
    if "$@" >$B/got 2>$B/err && grep -q -x -e "$want" $B/got; then pass; else fail "$name: no line '$want'"; head -5 $B/got $B/err; fi
}
# says NAME TEXT: standard error of the last command has it
says() { if finds "$2" $B/err; then pass; else fail "$1: no '$2'"; head -5 $B/err; fi; }
# has_lines NAME NUMBER: so many lines in the last profile
has_lines() { [ "$(wc -l <$B/got)" -eq $2 ] && pass || fail "$1: $(wc -l <$B/got) lines, not $2"; }
# equals NAME FILE: the last profile is the file
equals() { if cmp -s $B/got $2; then pass; else fail "$1: another profile"; diff $B/got $2 | head -5; fi; }
profile() { $T profgen --format=text -o - "$@"; }

# ----- programs: how compilers, linkers and distributions make them
cd programs || exit 1
suffix() { profile --binary=suffix/spec --perfscript=suffix/spec.ps --ignore-stack-samples; }                   # symbols.sh
gives "a clone with a suffix" '_ZL5applyPFllEl.__uniq.201838599916126973666974837316855687781:14779:245' suffix
gives "a clone with a suffix, its caller" 'main:606:0' suffix
if profile --binary=mixed/x --perfscript=mixed/x.ps >$B/got 2>$B/err; then fail "most samples lost, and status 0"; else                 # health.sh
    [ $? -eq 3 ] && pass || fail "most samples lost: not status 3"; fi
says "most samples lost" '96.42% of the code that ran, are in functions without line information: _Z2tal 26.55%'
gives "most samples lost, allowed" 'main:3434:0' profile --binary=mixed/x --perfscript=mixed/x.ps --max-dropped=100
for program in s1 s1b; do                                                                                        # test_match, match.sh
    gives "two functions of one name, $program" '_Z3fooi:318:14' $T match --old-profile=rename2/m1.prof --binary=rename2/$program --format=text -o -
    grep -q '_Z6driverl:69:' $B/got && grep -q ' _Z3fooi:14' $B/got && ! grep -q BarElf $B/got && pass || fail "$program: counts of a function that never runs"
done
gives "a recorded program" 'mix:25580:57' profile --binary=pl --perfscript=pl.ps
has_lines "a recorded program" 32
cp $B/got $B/pl
gives "text remapped over memory without a file" 'mix:25580:57' profile --binary=pl --perfdata=anon/a4.data        # recordings.sh
equals "text remapped over memory without a file" $B/pl
gives "the same as text" 'mix:25580:57' profile --binary=pl --perfscript=anon/p4.ps
event=br_inst_retired.near_taken:upp                                                                             # events.sh
gives "two events" 'mix:12851:26' profile --binary=pl --perfdata=events/ev.data
says "two events" "samples count of the event $event (35); left out: br_misp_retired.all_branches:upp (35)"
cp $B/got $B/events
gives "one of two events" 'mix:12851:26' profile --binary=pl --perfdata=events/ev.data --perf-event=$event
equals "one of two events" $B/events
for file in simple two; do                                                                                       # aggregated.sh
    gives "simpleperf, $file.txt" 'mix:25580:57' profile --binary=pl --unsymbolized-profile=simpleperf/$file.txt
    equals "simpleperf, $file.txt" $B/pl
done
profile --binary=ko/prog.ko --perfscript=pl.ps >$B/got 2>$B/err && fail "a module that is not mapped" || pass              # modules.sh
says "a module that is not mapped" 'no mapping event is of the kernel module ko/prog.ko'
gives "under another name" 'mix:25674:59' profile --binary=renamed/server --perfscript=renamed/pln.ps                # renamed.sh
says "under another name" 'pln is taken for renamed/server: 2467 of 2467'
cd debuglink || exit 1                                                                                           # separate.sh
gives "a separate file of debug information" 'mix:25580:57' profile --binary=pl --perfscript=../pl.ps
equals "a separate file of debug information" $B/pl

# ----- recordings: perf, JITs
cd $R/recordings || exit 1
contexts() { profile --binary=appp --csspgo-preinliner=0 --gen-cs-nested-profile=0 "$@"; }
contexts --perfscript=inlined-off.perfscript >$B/off 2>$B/err                                                    # inlined.sh
for form in on ip; do
    gives "frames of inlined functions, $form" '.*:[0-9]*:[0-9]*' contexts --perfscript=inlined-$form.perfscript
    equals "frames of inlined functions, $form" $B/off
done
uniq=__uniq.301758009724225694656491394330553626889
gives "text remapped, contexts" "\[main:10 @ _ZL3oddj.$uniq:5 @ _ZL3mixj.$uniq\]:792:22" contexts --perfscript=remapped-text.perfscript   # recordings.sh
contexts --perfdata=itrace-control.data >$B/control 2>$B/err                                                       # events.sh
gives "a trace that perf inject made" '.*:[0-9]*:[0-9]*' contexts --perfdata=itrace.data
equals "a trace that perf inject made" $B/control
for map in perf-77 perf-77-control; do                                                                           # jitdump.sh
    gives "a perf map, $map" '\[LazyCompile%3a~run /srv/app/a.js%3a12%3a5\]:10:0' profile --perf-map=$map.map --perfdata=jit77.data
    says "a perf map, $map" '10 of 10 samples are in 1 functions'
done
gives "stripped" '_ZN2ns3BoxIjLi8EE4spinEj:6900:47' profile --binary=stripped --perfscript=stripped.perfscript        # separate.sh
cp $B/got $B/stripped
gives "stripped, its file named" '_ZN2ns3BoxIjLi8EE4spinEj:6900:47' profile --binary=stripped --debug-binary=stripped.debug --perfscript=stripped.perfscript
equals "stripped, its file named" $B/stripped
# Rows that are C programs are in the tests of their kinds: phases, reuse in test_codemap; longrun in steps.sh and
# test_endurance; game in test_endurance; misuse in misuse.sh and test_misuse; static_subset in modes.sh subsets; win and
# cxx26 in modes.sh beside; fold in test_ctxrun; forkloss in test_threads; fail in io_errors.sh; line0 in annotate.sh
# (programs/blank.cpp) and tab there, too; loops in record.sh.

# ----- from tests of other tools
cd $R/llvm || exit 1
gives "ExtBinary 104" '.*2: 20, calls: foo:20' $T show version104.extbinary                                       # test_newer
$T merge --text version104.extbinary -o $B/got 2>$B/err
equals "ExtBinary 104" version104.prof
D=$HERE/../examples/data
gives "a trace of branches" '53a->320:1' profile --binary=$D/demo.elf --perfscript=branch-trace.perfscript --skip-symbolization   # trace.sh
if have clang-19; then
    clang-19 -O0 -g -fdebug-info-for-profiling -o $B/new $HERE/programs/inlinees.c
    for mode in llvm19 llvm-main lexical; do                                                                     # match.sh, oracle_match.sh
        gives "match by line, $mode" ' 5: work:.*' $T match --mode=$mode --old-profile=match-lines-old.prof --binary=$B/new --format=text -o -
        grep -q -x ' 7: work:.*' $B/got && pass || fail "match by line, $mode: the second inlinee"
    done
    clang-19 -O1 -no-pie -g -fdebug-info-for-profiling -o $B/l iponly.c                                         # oracle_parity.sh
    gives "a line's addresses add up" ' 0: 2' profile --llvm-compat --leading-ip-only --perfscript=iponly.perfscript --binary=$B/l
    for compat in --llvm-compat ""; do
        gives "functions without samples $compat" 'bar:0:0' profile $compat --unsymbolized-profile=fill-zero.raw --binary=$B/l --fill-zero-for-all-funcs --allow-empty
    done
    profile --binary=$B/l --perfdata=itrace-like.perf.data >$B/got 2>$B/err && fail "another program's trace" || pass
    says "another program's trace is read" '(build id ddbab55\|is not among the mapped files'
else skip "no clang-19: what is matched by line"; fi

# ----- files made to harm
cd $R/hostile || exit 1
$T overlap max.prof max.prof >$B/got 2>$B/err                                                                    # test_overlap
finds 'similarity: 100.000%' $B/got && pass || fail "counts of 2^64: $(head -3 $B/got)"
# limited NAME WANT COMMAND...: ends by itself, with an error that says so, in 64 MiB
limited() {
    name=$1 want=$2
    shift 2
    if (ulimit -v 65536; exec timeout 60 "$@") >$B/got 2>$B/err; then fail "$name: taken"; return; fi
    says "$name" "$want"
}
if have python3; then                                                                                            # hostile.sh
    python3 dwbomb.py ranges 2000 $B/bomb
    limited "shared ranges" 'lists of ranges in its debug information are shared' $T profgen --binary=$B/bomb --perfscript=dw.script --output=$B/o
    python3 dwbomb.py dwoname 1 $B/bomb /dev/zero
    limited "a .dwo that never ends" '1 of 1 units have their debug information in .dwo files that are missing' $T profgen --binary=$B/bomb --perfscript=dw.script --output=$B/o
else skip "no python3: bombs of debug information"; fi
limited "a pprof that inflates" 'bomb.pb.gz: ' $T profgen --binary=$D/demo.elf --pprof=bomb.pb.gz --output=$B/o
if have clang-19; then                                                                                           # annotate.sh
    clang-19 -O1 -g -fpseudo-probe-for-profiling annotate_devzero.c -o $B/devzero 2>$B/err
    printf '<img src=x onerror=alert(1)>:10:1\n 1: 1\n' >$B/evil.prof
    timeout 20 $T annotate --source --binary=$B/devzero "--function=<img src=x onerror=alert(1)>" $B/evil.prof >$B/got 2>$B/err
    [ $? -lt 100 ] && pass || fail "a source that never ends"
    says "a source that never ends" '/dev/zero'
fi
cd "$HERE" || exit 1
if make -s build/plain/lib.o 2>$B/err && ${CC:-cc} -Wno-misleading-indentation -I.. -o $B/merge $R/hostile/limmerge.c build/plain/lib.o $LIBZ -lm 2>$B/err; then   # test_short
    check "a merge in little memory" $B/merge $R/hostile/oommerge.yaml
else fail "limmerge.c: $(head -3 $B/err)"; fi

# ----- what people look at: a library's profile in one check with its program's, either first
if have clang-19; then                                                                                           # repeated.sh
    cd $R/views/lib || exit 1
    flags="-O2 -g -fdebug-info-for-profiling -fno-omit-frame-pointer"
    clang-19 $flags -fPIC -shared one.c -o $B/libone.so && clang-19 $flags two.c -o $B/two $B/libone.so
    for order in "--binary=$B/two --binary=$B/libone.so" "--binary=$B/libone.so --binary=$B/two"; do
        $T check $order two2.prof.txt >$B/got 2>$B/err
        finds '100.0*%' $B/got && pass || fail "check $order: $(head -5 $B/got $B/err)"
    done
    cd $R/recordings || exit 1                                                                                   # record.sh, recordings.sh
    clang-19 -O2 -g -fdebug-info-for-profiling -fno-omit-frame-pointer remap.c -o $B/remap
    for run in $(size 1 "1 2 3 4 5"); do
        $T record --quiet -o $B/remap.data -- $B/remap 12000000 x >$B/out 2>$B/err || { skip "remap.c cannot be recorded: $(head -1 $B/err)"; continue; }
        $T profgen --binary=$B/remap --perfdata=$B/remap.data --format=text -o $B/got --report=$B/report 2>$B/err
        lost=$(sed -n 's/.*warning: \([0-9]*\)[.0-9]*% ([0-9]*\/[0-9]*) samples dropped.*/\1/p' $B/err)
        [ -s $B/got ] && [ "${lost:-0}" -le 2 ] && pass || fail "remap.c: ${lost:-none}% of the samples are lost"
    done
fi
finish
