#!/bin/sh
# The vectors of LLVM's main branch are what make_newer.pl makes of the description; the tool reads and writes the forms.
. ./t.sh
B=build/newer
T=build/plain/csspgo
D=data/formats
make -s $T || { fail "the tool does not build"; finish; }
rm -rf $B; mkdir -p $B/made
if have perl; then
    perl make_newer.pl $B/made
    check "the vectors are what make_newer.pl makes" diff -r $B/made $D/newer
else skip "the vectors: needs perl"; fi

# what is written in the newer forms reads back as the same profile
for p in 02-basic 03-nested-deep 11-probe-nested 15-cs-probe; do
    $T merge --text -o $B/want $D/conv/$p.ext
    for how in --sample-profile-format-version=104 --sample-profile-format-version=105 --extbinary-composite-prof; do
        $T merge $how -o $B/new.prof $D/conv/$p.ext && $T merge --text -o $B/got $B/new.prof
        check "$p $how" cmp $B/want $B/got
    done
done
$T merge --md5-indexed-tables --split-layout -o $B/new.prof $D/conv/03-nested-deep.ext
$T merge --use-md5 --split-layout -o $B/old.prof $D/conv/03-nested-deep.ext
$T show $B/new.prof >$B/got; $T show $B/old.prof >$B/want
check "GUIDs, indexed and not" cmp $B/want $B/got
$T show --show-sec-info-only $B/new.prof >$B/got
for flags in '{eytzinger,fixlenmd5}' '{flat,eytzinger}'; do check "sections: $flags" grep -qF "$flags" $B/got; done
$T show --show-sec-info-only $D/newer/composite.prof >$B/got
check "sections of a composite profile" grep -q '^CompositeProfileSection - Offset: 178, Size: 54' $B/got

# what cannot be is refused, with the reason
refused() {   # NAME WORDS COMMAND...
    name=$1 words=$2
    shift 2
    if "$@" >$B/out 2>&1; then fail "$name: not refused"; else check "$name" grep -q -- "$words" $B/out; fi
}
refused "contexts in indexed tables" 'cannot carry contexts' $T merge --md5-indexed-tables -o $B/x $D/conv/15-cs-probe.ext
$T merge -o $B/x $D/newer/indexed.prof
check "a list of GUIDs stays one" sh -c "$T show --show-sec-info-only $B/x | grep -q '^ProfileSymbolListSection .*{md5}'"
refused "in text it is lost" 'Profile Symbol list' sh -c "$T merge --text -o $B/x $D/newer/indexed.prof; exit 1"
refused "LLVM 19 has none of this" 'unsupported' $T merge --llvm-compat --md5-indexed-tables -o $B/x $D/conv/02-basic.ext
$T merge --text -o $B/x $D/newer/composite.prof 2>$B/out
check "blocks of unknown types are counted" grep -q 'not be preserved: 2' $B/out
for how in --sample-profile-format-version=105 --extbinary-composite-prof; do
    $T merge $how -o $B/x $D/newer/blocks-contexts.prof 2>$B/out
    check "$how keeps blocks of unknown types" test ! -s $B/out
    check "$how writes them" grep -qa 'main.*foo.*bar' $B/x
    $T merge $how -o $B/x $D/newer/blocks.prof $D/newer/blocks-written.prof 2>$B/out
    check "$how: the sum of unknown blocks is not known" grep -q 'not be preserved: 15' $B/out
done

# ----- blocks of composite profiles, in the words of LLVM's main branch
cat >$B/want <<'END'
Function: main
  Profile blocks: 2
  Type: 9 (unknown), Payload size: 3
  Type: 0 (LBR), Payload size: 13
Nested function: foo
  Profile blocks: 2
  Type: 0 (LBR), Payload size: 6
  Type: 300 (unknown), Payload size: 0
Function: bar
  Profile blocks: 0
Function: foo
  Profile blocks: 1
  Type: 0 (LBR), Payload size: 7
END
for how in "" --llvm-compat=22 --llvm-compat=23; do
    $T show $how --show-composite-info-only $D/newer/composite.prof >$B/got
    check "blocks $how" cmp $B/want $B/got
done
printf 'a:0:7\nb:5:1\n 2: c:5\n  1: 5\n 3: d:0\n' >$B/heads.text      # only a head; no block; a block without a body
for how in "" --compress-all-sections --use-md5 "--split-layout --use-md5 --md5-indexed-tables"; do
    $T merge --llvm-compat=22 --extbinary-composite-prof $how -o $B/heads.prof $B/heads.text
    check "counts of composite records $how" sh -c "$T show --show-composite-info-only $B/heads.prof |
        sed -n 's/.*blocks: //p;s/.*size: /=/p' | tr -d '\\n' | grep -qx '1=31=601=3'"
    $T merge --llvm-compat=22 --text -o $B/got $B/heads.prof
    case $how in *md5*) check "they read back $how" test "$(sed 's/[0-9]\{10,\}/x/' $B/got | tr '\n' ' ')" = "x:5:1  2: x:5   1: 5  3: x:0 x:0:7 " ;;
    *) check "they read back $how" test "$(tr '\n' ' ' <$B/got)" = "b:5:1  2: c:5   1: 5  3: d:0 a:0:7 " ;;
    esac
done
$T show --llvm-compat=22 --show-composite-info-only $D/conv/02-basic.ext >$B/got 2>$B/out
check "no composite profile: nothing on standard output" test ! -s $B/got
check "no composite profile: it is said" grep -qx 'warning: no composite profile section; nothing to show' $B/out
refused "an error behind blocks" 'Type: 0 (LBR), Payload size: 50' $T show --show-composite-info-only $D/newer/bad-block-past-end.prof
# errors in LLVM's words
while read -r file words; do
    refused "$file" "$words" $T merge --llvm-compat=22 -o $B/x $D/newer/$file.prof
done <<'END'
bad-two-blocks error: .*: Duplicate profile type ID: 0
bad-block-past-end error: .*: Profile type ID 0 declares payload size 50, but only [0-9]* bytes remain
bad-block-past-end error: .*: Truncated profile data
bad-block-rest error: .*: Profile type ID 0 did not consume its complete payload; unread bytes: 1
bad-block-rest error: .*: Malformed sample profile data
bad-block-short error: .*: Truncated profile data
bad-composite-104 error: .*: Unsupported sample profile format version
bad-offsets-103 error: .*: Unsupported sample profile format version
END
refused "both of two tables" '-show-sec-info-only and -show-composite-info-only cannot be used together' \
    $T show --llvm-compat=22 --show-sec-info-only --show-composite-info-only $D/newer/composite.prof
refused "contexts in indexed tables, LLVM 22" 'error: .*Profile encoding format unsupported for writing operations' \
    $T merge --llvm-compat=22 --use-md5 --md5-indexed-tables -o $B/x $D/conv/15-cs-probe.ext
for n in 19 20 21; do
    refused "LLVM $n knows no version 105" 'Unsupported sample profile format version' $T show --llvm-compat=$n $D/newer/composite.prof
done

# ----- every option of LLVM 20 to 23 for sample profiles works, or is refused by name with the reason
taken() {   # COMMAND... OPTION: the option is taken
    "$@" >$B/out 2>$B/err </dev/null
    status=$?
    if [ $status -eq 0 ] || { [ $status -eq 3 ] && ! grep -q option $B/err; }; then pass; else fail "$*: status $status"; head -3 $B/err; fi
}
not_done() {   # COMMAND... OPTION: refused, with a reason behind its name
    "$@" >$B/out 2>$B/err </dev/null
    status=$?
    for last; do :; done
    if [ $status -eq 2 ] && grep -q -e "${last%%=*} is not implemented: ...\|${last%%=*}: only" $B/err; then pass; else fail "$*: status $status"; head -3 $B/err; fi
}
P="$T profgen --binary=data/unwind/bin/demo.probe --perfscript=data/unwind/cases/01-calls.ps --format=text -o $B/x"
for o in --mark-all-context-preinlined --csprof-max-unsymbolized-context-depth=2 --csprof-max-unsymbolized-context-depth=-1 \
    --page-size=65536 --warn-not-symbolized --load-function-from-symbol --extbinary-write-vtable-type-prof \
    --sample-profile-format-version=104 --extbinary-composite-prof --show-pseudo-probe --perf-binary=demo.probe --show-source-locations --show-canonical-fname; do
    taken $P $o
done
for o in --time-profgen --etm=FILE --etm-trace-id=1 --itm-trace-id=17 --target-triple=x86_64 \
    --infer-callsite-samples --basic-events --filter-build-id=aabb1122 --memprof-dap --debug-only=cs-preinliner --load-function-from-symbol=0; do
    not_done $P $o
done
$P --mark-all-context-preinlined >$B/out 2>&1
check "all records are marked" sh -c "[ \$(grep -c '^ *[^! 0-9].*:[0-9]*:[0-9]*\$\|^ *[0-9.]*: [^ 0-9].*:[0-9]*\$' $B/x) = \$(grep -c '!Attributes: [2367]\$' $B/x) ]"
# the list of symbols from probes: every function that the program has a descriptor of, by name or GUID
E="$T profgen --binary=data/unwind/bin/demo.probe --perfscript=data/unwind/cases/01-calls.ps -o $B/listed.prof"
symbols() { $T show --no-demangle --show-prof-sym-list $B/listed.prof | sed '1,/Dump profile symbol list/d' | LC_ALL=C sort; }
$E --show-pseudo-probe | sed -n 's/^GUID: \([0-9]*\) Name: \(.*\)/\1 \2/p' >$B/descriptors
$E --populate-profile-symbol-list 2>$B/err; symbols >$B/code
$E --populate-profile-symbol-list-from-probes 2>$B/err; symbols >$B/got
check "all functions with descriptors are listed" sh -c "cut -d' ' -f2 $B/descriptors | LC_ALL=C sort | cmp - $B/got"
check "all functions with code are" sh -c "[ -s $B/code ] && LC_ALL=C comm -23 $B/code $B/got | cmp - /dev/null"
$E --populate-profile-symbol-list-from-probes --md5-prof-sym-list 2>$B/err
$T merge --md5-prof-sym-list -o $B/again.prof $B/listed.prof
check "GUIDs survive a merge" sh -c "$T show --show-prof-sym-list $B/listed.prof >$B/got; $T show --show-prof-sym-list $B/again.prof | cmp - $B/got"
check "each GUID is there" perl -e 'local $/; open F, $ARGV[0]; $p = <F>; open G, $ARGV[1]; for (split /\n/, <G>) { index($p, pack "Q<", /(\d+)/) >= 0 or die $_ }' \
    $B/listed.prof $B/descriptors
$T profgen --binary=data/lines/bin/grid.d5 --perfscript=data/lines/in/grid.perfscript -o $B/x --allow-empty --max-dropped=100 \
    --populate-profile-symbol-list-from-probes >$B/out 2>&1
check "a program without probes has none: it is said" grep -q 'no list of symbols from probes: ' $B/out
R="$T profgen --binary=data/unwind/bin/demo.probe --perfscript=data/unwind/cases/03-recursion.ps --compress-recursion=0 --skip-symbolization"
$R --csprof-max-context-depth=2 -o $B/want 2>$B/err
for o in --csprof-max-unsymbolized-context-depth=2 "--csprof-max-unsymbolized-context-depth=2 --csprof-max-context-depth=5" \
    "--csprof-max-unsymbolized-context-depth=5 --csprof-max-context-depth=2"; do
    $R $o -o $B/got 2>$B/err
    check "$o" cmp $B/want $B/got
done
$R -o $B/got 2>$B/err
check "depth makes a difference" sh -c "! cmp -s $B/want $B/got"
refused "a page" 'power of two' $P --page-size=5000
for o in --split-layout --sample-profile-format-version=105 --extbinary-composite-prof --extbinary-write-vtable-type-prof \
    --extbinary-write-vtable-type-prof=0 --md5-indexed-tables --eytzinger-tables --md5-prof-sym-list \
    --sample-profile-write-eytzinger-name-tables --memprof-random-hotness --memprof-random-hotness-seed=1 --random-seed=1 \
    --write-prev-version --debuginfod --correlate=binary --keep-vtable-symbols --drop-profile-symbol-list --no-function=none; do
    taken $T merge --sample -o $B/x $D/conv/02-basic.ext $o
done
taken $T show --sample $D/conv/02-basic.ext --show-format=json
taken $T show --sample $D/newer/composite.prof --show-composite-info-only
taken $T merge --sample -o $B/x $D/conv/02-basic.ext --extbinary-profile-type-buffer-limit=1
for c in merge show overlap; do
    refused "$c of LLVM 18" "'18' is none of 19|20|21|22" $T $c --llvm-compat=18 $D/conv/02-basic.ext
done

# ----- rules of llvm-profgen's main branch, which no release has: compat mode does as the releases, up to 22; tests/README.md
# says what csspgo does by default
raw() { binary=$1 script=$2; shift 2; $T profgen --binary=$binary --perfscript=$script --skip-symbolization -o $B/raw "$@" >$B/said 2>&1; cat $B/raw; rm -f $B/raw; }
S=data/recordings
sed '2s/401150/401180/' $S/plain.ps >$B/late.ps            # the stack is of another function than the newest branch's target
for case in "a late stack:data/unwind/bin/demo.probe:$B/late.ps" \
    "a return address behind no call:data/unwind/bin/demo.probe:data/unwind/cases/13-bad-return-address.ps" \
    "several processes:data/unwind/bin/demo.pie:$S/multi-all.ps" "processes without pids:data/unwind/bin/demo.pie:$S/multi-nopid.ps" \
    "a program at another name:data/unwind/bin/demo.pie:$S/multi-single.ps"; do
    name=${case%%:*} rest=${case#*:}
    binary=${rest%%:*} script=${rest#*:}
    raw $binary $script --llvm-compat=19 >$B/want
    for n in 20 21 22; do
        raw $binary $script --llvm-compat=$n >$B/got
        check "$name: --llvm-compat=$n is LLVM 19" cmp $B/want $B/got
    done
    if have llvm-profgen-19; then
        rm -f $B/llvm
        llvm-profgen-19 --binary=$binary --perfscript=$script --skip-symbolization -o $B/llvm >$B/said 2>&1
        [ -e $B/llvm ] || : >$B/llvm
        check "$name: as llvm-profgen-19" cmp $B/llvm $B/want
    else skip "$name: needs llvm-profgen-19"; fi
done
raw data/unwind/bin/demo.probe $B/late.ps --llvm-compat=22 >$B/want
raw data/unwind/bin/demo.probe $B/late.ps >$B/got
check "a late stack: dropped by default, kept in compat mode" sh -c "[ -s $B/want ] && ! cmp -s $B/want $B/got"
raw data/unwind/bin/demo.pie $S/multi-all.ps --llvm-compat=22 >$B/want
raw data/unwind/bin/demo.pie $S/multi-all.ps >$B/got
raw data/unwind/bin/demo.pie $S/multi-single.ps >$B/single
check "several processes: all count by default, one address in compat mode" sh -c "! cmp -s $B/want $B/got && cmp $B/single $B/got"
# ... where each process has its own mappings if that is asked for; of some processes by their numbers
raw data/unwind/bin/demo.pie $S/multi-single.ps --llvm-compat=22 >$B/want
raw data/unwind/bin/demo.pie $S/multi-all.ps --llvm-compat=22 --multi-process-profile >$B/got
check "--multi-process-profile: all processes count" cmp $B/want $B/got
raw data/unwind/bin/demo.pie $S/multi-all.ps --llvm-compat=22 >$B/got
check "without it the reload is said" sh -c "[ \$(grep -c '^warning: Binary previously loaded in process ID .* use --multi-process-profile to prevent' $B/said) -ge 1 ]"
raw data/unwind/bin/demo.pie $S/multi-all.ps --llvm-compat=21 >$B/got
check "not by LLVM 21" sh -c "! grep -q 'previously loaded' $B/said"
list=$(sed -n 's/^ \([0-9][0-9]*\) .*/\1/p' $S/multi-all.ps | sort -u | tr '\n' , | sed 's/,$//')
raw data/unwind/bin/demo.pie $S/multi-all.ps --llvm-compat=22 --multi-process-profile --pid=$list >$B/got
check "--pid=$list" cmp $B/want $B/got
raw data/unwind/bin/demo.pie $S/multi-all.ps --llvm-compat=22 --multi-process-profile --pid=${list%%,*} >$B/got
check "--pid=${list%%,*}: less" sh -c "[ -s $B/got ] && ! cmp -s $B/want $B/got"
for bad in x 1,x 1, ,1 '' 1.5 99999999999; do refused "--pid=$bad" 'no process' $P --pid=$bad; done
# what stands in brackets behind a frame
sed 's/^\(\t *[0-9a-f]*\)$/\1 [unknown]/' data/unwind/cases/01-calls.ps >$B/bracket.ps
sed 's/^\(\t *[0-9a-f]*\)$/\1 [libc.so.6]/' data/unwind/cases/01-calls.ps >$B/library.ps
raw data/unwind/bin/demo.probe data/unwind/cases/01-calls.ps --llvm-compat=22 >$B/want
for f in bracket library; do
    cmp -s $B/$f.ps data/unwind/cases/01-calls.ps && fail "$f.ps: no frame line was found"
    raw data/unwind/bin/demo.probe $B/$f.ps --llvm-compat=22 >$B/got
    check "frames with brackets: $f" cmp $B/want $B/got
    raw data/unwind/bin/demo.probe $B/$f.ps --llvm-compat=19 >$B/got
    check "not of LLVM 19: $f" sh -c "! cmp -s $B/want $B/got"
done
# inputs that are not there, in LLVM's words
L="$T profgen --llvm-compat=22 --binary=data/unwind/bin/demo.probe -o $B/x"
for o in --perfscript --perfdata --unsymbolized-profile --llvm-sample-profile; do
    refused "no such input: $o" "^error: Input perf file($B/nothing) doesn't exist.\$" $L $o=$B/nothing
done
refused "no such program" "^error: Input binary($B/nothing) doesn't exist.\$" $L --perfscript=$B/late.ps --binary=$B/nothing
refused "no input" '^error: Perf input file is missing, please use one of `--perfscript`, `--perfdata` and `--unsymbolized-profile`' $L
refused "two inputs" '^error: `--perfscript`, `--perfdata` and `--unsymbolized-profile` cannot be used together.$' $L --perfscript=$B/late.ps --perfdata=$B/late.ps
refused "a page of compat mode" 'Number in -page-size=<num> must be positive power of two' $P --llvm-compat=22 --page-size=3

# ... with --llvm-compat=22 a mapping of pages of that size is the program's: as if the code had been mapped on small pages
grep -v '^PERF_RECORD_MMAP' $S/plain.ps >$B/none.ps
{ echo 'PERF_RECORD_MMAP2 7/7: [0x7f0000400000(0x10000) @ 0 00:00 0 0]: r-xp /x/demo.probe'; sed 's/\([ \t/x]\)40\([0-9a-f]\{4\}\)/\17f000040\2/g' $B/none.ps; } >$B/large.ps
{ echo 'PERF_RECORD_MMAP2 7/7: [0x401000(0x1000) @ 0x1000 00:00 0 0]: r-xp /x/demo.probe'; cat $B/none.ps; } >$B/small.ps
raw data/unwind/bin/demo.probe $B/small.ps --llvm-compat=22 >$B/want
raw data/unwind/bin/demo.probe $B/large.ps --llvm-compat=22 --page-size=65536 >$B/got
check "64 KiB pages" sh -c "grep -q ':' $B/want && cmp $B/want $B/got"
raw data/unwind/bin/demo.probe $B/small.ps --llvm-compat=22 --page-size=65536 >$B/got
check "64 KiB pages, a mapping of small ones" cmp $B/want $B/got
raw data/unwind/bin/demo.pie $S/multi-all.ps >$B/want
raw data/unwind/bin/demo.pie $S/multi-all.ps >$B/got
for o in --warn-not-symbolized --page-size=65536 --page-size=16384; do
    raw data/unwind/bin/demo.pie $S/multi-all.ps $o >$B/want
    check "$o changes nothing" cmp $B/want $B/got
done

# contexts of names in raw counters: LLVM takes them as they are, whatever the options for contexts say
R="--binary=data/unwind/bin/demo.probe --use-dwarf-correlation"
$T profgen --llvm-compat=22 $R --perfscript=data/unwind/cases/03-recursion.ps --compress-recursion=0 --skip-symbolization -o $B/deep.raw 2>$B/err
check "some are cycles" grep -q 'rec:4 @ rec:4 @ rec' $B/deep.raw
for o in "" --compress-recursion=0 --compress-recursion=1 --csprof-max-context-depth=1 --csspgo-preinliner=1; do
    O="$R --unsymbolized-profile=$B/deep.raw --csspgo-preinliner=0 --gen-cs-nested-profile=0 --format=text $o"
    for n in 19 22; do
        $T profgen --llvm-compat=$n $O -o $B/got 2>$B/err
        if have llvm-profgen-19; then
            llvm-profgen-19 $O -o $B/want 2>$B/err
            check "contexts of names $o: --llvm-compat=$n" cmp $B/want $B/got
        elif [ "$o" != --csspgo-preinliner=1 ]; then check "contexts of names $o: --llvm-compat=$n" grep -q 'rec:4 @ rec:4 @ rec' $B/got; fi
    done
done

# functions for initialisation, which every file has under the same names, are left out of profiles that are given
cat >$B/start.prof <<'END'
main:1000:10
 1: 10
 2: foo:700
  1: 300
  2: __tls_init:100
   1: 50
   3: bar:50
    1: 50
   4: 3 bar:3
   !CFGChecksum: 7
  3: x__tls_init:4
   1: 4
   !CFGChecksum: 9
  !CFGChecksum: 5
  !Attributes: 2
 !CFGChecksum: 4
foo:33:2
 1: 33
 2: 4 __tls_init:4
 !CFGChecksum: 5
__cxx_global_var_init.7:9:1
 1: 9
 !CFGChecksum: 5
END
cat >$B/start.want <<'END'
main:1000:10
 1: 10
 2: foo:700
  1: 300
  3: x__tls_init:4
   1: 4
   !CFGChecksum: 9
  !CFGChecksum: 5
  !Attributes: 2
 !CFGChecksum: 4
foo:33:2
 1: 33
 2: 4 __tls_init:4
 !CFGChecksum: 5
END
cat >$B/contexts.prof <<'END'
[main:1 @ __cxx_global_var_init.2:3 @ foo]:500:100
 1: 100
 2: 400
[main]:50:10
 1: 10
 3: 5 __cxx_global_var_init.2:5
[main:3 @ __cxx_global_var_init.2]:9:5
 1: 9
[main:3 @ __cxx_global_var_init.2:4 @ bar]:30:5
 1: 30
[__tls_init]:3:1
 1: 3
END
sed '/^\[main:3 @ [^:]*\]/,/^ /d; /^\[__tls/,$d' $B/contexts.prof >$B/contexts.want
O="--binary=data/unwind/bin/demo.probe --format=text --csspgo-preinliner=0 --gen-cs-nested-profile=0 --csprof-merge-cold-context=0"
for p in start contexts; do
    for c in "" --llvm-compat=19 --llvm-compat=22; do
        $T profgen $c $O --llvm-sample-profile=$B/$p.prof -o $B/got 2>$B/err
        check "initialisation, $p $c" cmp $B/$p.want $B/got
    done
    have llvm-profgen-19 || { skip "initialisation: llvm-profgen-19"; continue; }
    for o in "" --csspgo-preinliner=1 "--csspgo-preinliner=1 --gen-cs-nested-profile=1" --gen-cs-nested-profile=1 --trim-cold-profile --profile-summary-hot-count=20; do
        llvm-profgen-19 $O $o --llvm-sample-profile=$B/$p.prof -o $B/want 2>$B/err
        $T profgen --llvm-compat=22 $O $o --llvm-sample-profile=$B/$p.prof -o $B/got 2>$B/err
        check "initialisation, $p $o: as llvm-profgen-19" cmp $B/want $B/got
    done
done

# raw counters of sampled addresses: those of --basic-events and ours are the same
{ head -1 $S/plain.ps; for a in 401159 401150 401159 401180; do printf ' 1000  2.5:           %s \n' $a; done; } >$B/addresses.ps
raw data/unwind/bin/demo.probe $B/addresses.ps | sed '/^\[\]$/d; s/^ *//' >$B/ours.raw
{ echo '# llvm-profgen-content: basic-event'; sed -n 's/^ *\([0-9]*\)$/\1/p;s/^ *\([0-9a-f]*\)-\1:/\1:/p' $B/ours.raw | sed '$d'; } >$B/basic.raw
check "there is something in it" grep -q '^159:2$' $B/basic.raw
for how in "" --use-dwarf-correlation "--use-dwarf-correlation --format=gcc"; do
    for form in ours basic; do
        $T profgen --quiet --binary=data/unwind/bin/demo.probe --unsymbolized-profile=$B/$form.raw --format=text $how -o $B/$form.prof >$B/said 2>&1
    done
    check "a raw form of addresses $how" cmp $B/ours.prof $B/basic.prof
done
for bad in 's/159:2/15x:2/' 's/159:2/159:/' 's/^3$/4/' 's/159:2/159:99999999999999999999999/'; do
    sed "$bad" $B/basic.raw >$B/bad.raw
    $T profgen --binary=data/unwind/bin/demo.probe --unsymbolized-profile=$B/bad.raw -o $B/x >$B/said 2>&1
    check "a damaged one, $bad: status $?" sh -c "[ $? -eq 1 ] && grep -q 'bad.raw:[0-9]*:[0-9]*: ' $B/said"
done

# ----- counts of object types are left out for those who cannot read them
printf 'main:60:9\n 1: 40\n 1: vtables bar:2 foo:4 \n 2: 20\n' >$B/types.text
$T merge -o $B/types.prof $B/types.text && $T merge --text -o $B/got $B/types.prof
check "counts of object types" cmp $B/types.text $B/got
for how in --extbinary-write-vtable-type-prof=0 --llvm-compat=22; do
    $T merge $how -o $B/none.prof $B/types.text && $T merge --text -o $B/got $B/none.prof
    check "$how: no counts of object types" sh -c "grep -v vtables $B/types.text | cmp - $B/got"
    check "$how: nor their names" sh -c "! grep -aq foo $B/none.prof"
done
$T merge --llvm-compat=22 --extbinary-write-vtable-type-prof -o $B/got $B/types.text
check "counts of object types on request" cmp $B/types.prof $B/got

# object types are shown: of a location behind its body, of a call site behind its inlinees
printf 'main:66:9\n 1: 40 f:2\n 1: vtables ty:1 ta:3 \n 2: 20\n 3: in:5\n  1: 5\n  1: vtables tx:4 \n 3: jn:1\n 3: vtables tz:6 \n 4: kn:0\n 5: vtables lost:1 \n' >$B/shown.text
cat >$B/want <<'END'
Function: main: 66, 9, 2 sampled lines
Samples collected in the function's body {
  1: 40, calls: f:2
  1: vtables: ta:3 ty:1 
  2: 20
}
Samples collected in inlined callsites {
  3: inlined callee: in: 5, 0, 1 sampled lines
    Samples collected in the function's body {
      1: 5
      1: vtables: tx:4 
    }
    No inlined callsites in this function
  3: inlined callee: jn: 1, 0, 0 sampled lines
    No samples collected in the function's body
    No inlined callsites in this function
  3: vtables: tz:6 
  4: inlined callee: kn: 0, 0, 0 sampled lines
    No samples collected in the function's body
    No inlined callsites in this function
}
END
for how in "" --llvm-compat=22; do
    $T show $how --sample $B/shown.text >$B/got
    check "object types are shown $how" cmp $B/want $B/got
done
$T show --llvm-compat=21 --sample $B/types.text >$B/out 2>&1
check "LLVM 21 knows no object types" sh -c "! grep -q 'vtables: ' $B/out"
# lines that cannot be parsed, in the words of 22
while IFS='|' read -r line words; do
    printf 'f:1:1\n 1: 2\n%s\n' "$line" >$B/odd.text
    refused "22 on '$line'" "odd.text:3: $words$line" $T show --llvm-compat=22 $B/odd.text
    refused "21 on '$line'" "odd.text:3: Expected 'NUM\[.NUM\]: NUM\[ mangled_name:NUM\]\*', found $line" $T show --llvm-compat=21 $B/odd.text
done <<'END'
 !CFGChecksum: x|Cannot parse metadata: 
 !Attributes: -1|Cannot parse metadata: 
 !Other: 1|Cannot parse metadata: 
 1: vtables a:b|Expected 'vtables \[mangled_vtable:NUM\]+', found 
 1.2: vtables a|Expected 'vtables \[mangled_vtable:NUM\]+', found 
END

# ----- what is refused by name
printf 'f:1:0\n 1: 1\n[DataAccessProfiles]\nv:42\n' >$B/data.text
refused "data access profiles, which main has" 'data.text:3:1: data access profiles are not implemented' $T show $B/data.text
refused "data access profiles, by --llvm-compat=23" 'data access profiles are not implemented' $T show --llvm-compat=23 $B/data.text
refused "data access profiles, in LLVM 22" "Expected 'mangled_name:NUM:NUM', found \[Data" $T show --llvm-compat=22 $B/data.text

# ----- where LLVM's text is refused, the message says that there is another way
printf 'main:10:0\n 1: bar:10\n  1:100\n' >$B/odd.text
refused "a line that LLVM guesses at" 'odd.text:3:5: .*; with --llvm-compat it is read as LLVM does' $T show $B/odd.text
$T merge --text --llvm-compat -o $B/got $B/odd.text
check "it does" cmp $B/got - <<'END'
main:10:0
 1: bar:10
  1: 0
END
printf 'main:10:0\n 1: 10 \n' >$B/odd.text            # neither takes this
$T show $B/odd.text >$B/out 2>&1
check "a line that LLVM refuses" sh -c "! grep -q compat $B/out"

# ----- releases differ: --llvm-compat=N
printf 'main:60:9\n 1: 40\n 2: 20\n 3: foo:7\n  1: 7\n!Flat\n' | sed '$d' >$B/plain.text
$T show --llvm-compat --sample --detailed-summary --function=main $B/plain.text >$B/want
for n in 1 true 19; do
    $T show --llvm-compat=$n --sample --detailed-summary --function=main $B/plain.text >$B/got
    check "--llvm-compat=$n is LLVM 19" cmp $B/want $B/got
done
for n in 20 21 22 23; do
    $T show --llvm-compat=$n --sample --detailed-summary --function=main $B/plain.text >$B/got
    check "summary of LLVM $n" grep -qx 'Maximum internal block count: 0' $B/got
    check "shares of LLVM $n" grep -qx '1 blocks (33.33%) with count >= 40 account for 50% of the total counts\.' $B/got
done
printf 'leaf:10:0\n 1: 10\n !Flat\n' >$B/flat.text
for n in 19 20 21 22 23; do
    $T merge --llvm-compat=$n --text -o $B/got $B/flat.text >$B/out 2>&1; flat=$?
    $T merge --llvm-compat=$n --text -o $B/got $B/types.text >$B/out 2>&1
    types=$(grep -c 'vtables bar:2 foo:4' $B/got)
    case $n,$flat,$types in
    19,1,0 | 20,0,0 | 21,0,0 | 22,0,1 | 23,0,1) pass ;;
    *) fail "!Flat and vtables in LLVM $n: $flat, $types" ;;
    esac
done
# raw binary with a line above 65535
have perl || { skip "a line above 65535: needs perl"; finish; }
perl -e 'sub u { my $v = shift; my $s = ""; do { my $b = $v & 127; $v >>= 7; $s .= chr($b | ($v ? 128 : 0)) } while $v; $s }
    print "\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8\x53", u(103), u(5), u(5), u(0), u(1), u(1), u(0), u(1), "main\0", u(0), u(0), u(5), u(1), u(70000), u(0), u(5), u(0), u(0)' >$B/line.prof
for n in 20 21 22; do
    $T show --llvm-compat=$n --sample $B/line.prof >$B/out 2>&1
    [ $n = 20 ] || check "a line above 65535 in LLVM $n" grep -q 'Illegal line offset in sample profile data' $B/out
    [ $n != 20 ] || check "a line above 65535 in LLVM $n" grep -q 'Truncated' $B/out
done
# functions of a program with probes whose debug information is elsewhere: symbols tell of them from LLVM 22 on, unless that is switched off
if have clang-19 && have llvm-nm-19; then
    printf 'int twice(int x) { return 2 * x; }\nint main(int argc, char **argv) { return twice(argc) - 2; }\n' >$B/apart.c
    (cd $B && clang-19 -O0 -g -gsplit-dwarf -fpseudo-probe-for-profiling -no-pie apart.c -o apart && rm -f *.dwo)
    address() { llvm-nm-19 --print-size $B/apart | sed -n "s/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) . $1\$/\1 \2/p"; }
    set -- $(address main)
    printf '1\n%s-%x:5\n0\n' $1 $((0x$1 + 0x$2 - 1)) >$B/apart.raw
    A="$T profgen --binary=$B/apart --unsymbolized-profile=$B/apart.raw --use-offset=0 --format=text -o $B/got"
    for n in 19 20 21 22; do
        for o in "" --load-function-from-symbol=1 --load-function-from-symbol=0; do
            rm -f $B/got
            $A --llvm-compat=$n $o 2>$B/err
            status=$?
            if [ $n -lt 22 ] && [ "$o" = --load-function-from-symbol=0 ]; then
                check "LLVM $n $o: status $status" sh -c "[ $status -eq 1 ] && grep -q 'only with --llvm-compat=22' $B/err"
            elif [ $n -lt 22 ] || [ "$o" = --load-function-from-symbol=0 ]; then
                check "LLVM $n $o: no functions: status $status" sh -c "[ $status -eq 0 ] && [ ! -s $B/got ] &&
                    grep -q '^warning: Loading of DWARF info completed, but no binary functions have been retrieved.' $B/err"
            else check "LLVM $n $o: functions of symbols: status $status" sh -c "[ $status -eq 0 ] && grep -q '^main:' $B/got && ! grep -q DWARF $B/err"; fi
        done
    done
    $A 2>$B/err
    check "symbols tell by default" grep -q '^main:' $B/got
else skip "functions of symbols: needs clang-19"; fi
# the first loadable segment of a PIE begins at 0: up to LLVM 21 that is taken for none
for c in "" --llvm-compat=22; do
    raw data/unwind/bin/demo.pie data/recordings/multi-single.ps $c --use-offset=0 >$B/want
    raw data/unwind/bin/demo.pie data/recordings/multi-single.ps $c --use-offset=1 --use-first-loadable-segment-as-base=1 >$B/got
    check "a base of 0 $c" sh -c "[ -s $B/got ] && cmp $B/want $B/got"
done
raw data/unwind/bin/demo.pie data/recordings/multi-single.ps --llvm-compat=21 --use-offset=1 --use-first-loadable-segment-as-base=1 >$B/got
check "LLVM 21 takes another" sh -c "[ -s $B/got ] && ! cmp -s $B/want $B/got"
# functions that units have with different descriptors
if have clang++-19; then
    for v in 1 2; do
        printf '%s\n' '__attribute__((noinline)) inline int differs(int x) { if (x & V) return x + 1; if (V > 1 && x > 7) x--; return x; }' \
            '__attribute__((noinline)) inline int same(int x) { return x * 3; }' 'int NAME(int x) { return differs(x) + same(x); }' >$B/unit.cpp
        clang++-19 -O1 -g -fpseudo-probe-for-profiling -DV=$v -DNAME=use$v -c $B/unit.cpp -o $B/unit$v.o
    done
    printf 'int use1(int), use2(int);\nint main(int argc, char **argv) { return use1(argc) + use2(argc); }\n' >$B/main.cpp
    clang++-19 -O1 -g -fpseudo-probe-for-profiling $B/main.cpp $B/unit1.o $B/unit2.o -o $B/units
    U="$T profgen --binary=$B/units --show-disassembly-only"
    $U --llvm-compat=22 2>$B/err >$B/out
    check "unequal descriptors" sh -c "[ \"\$(grep -c descriptors $B/err)\" = 1 ] &&
        grep -q '^warning: 1 functions have mismatching pseudo probe descriptors across translation units.' $B/err"
    $U --llvm-compat=22 --show-detailed-warning 2>$B/err >$B/out
    check "which they are" grep -q '^warning: pseudo probe descriptor for _Z7differsi has mismatching hash across TUs: 0x[0-9a-f]* vs 0x[0-9a-f]*$' $B/err
    $U --llvm-compat=21 2>$B/err >$B/out
    check "LLVM 21 does not look" sh -c "! grep -q descriptor $B/err"
else skip "unequal descriptors: needs clang++-19"; fi
finish
