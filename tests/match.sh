#!/bin/sh
# `csspgo match`: a profile of version 1 of a program becomes one of version 2.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/match samples=$(size 350 1000) period=$(size 97 199)
T=build/$(size plain san)/csspgo R=build/plain/csspgo      # R records, and measures what T does
mkdir -p $B
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: match: $*"; failed=$((failed + 1)); }
# check NAME COMMAND...
check() {
    name=$1
    shift
    if "$@" >$B/check.out 2>&1; then pass; else fail "$name"; head -20 $B/check.out; fi
}
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }

# the algorithms on pairs of functions: what must hold is in bench_match.c
make -s build/plain/bench_match || fail "bench_match does not build"
${CC:-cc} -std=c99 -O2 -Wall -Wextra -o $B/gen_stale ../bench/gen_stale.c || fail "gen_stale does not build"
for i in $(size 1 "1 2"); do $B/gen_stale $i $(size 120 400) >$B/own$i.txt; done
D=data/stale
build/plain/bench_match -a $(size 1000 8000) $D/bench/scores.tsv $D/bench/corpus.txt $D/real/*.txt ../bench/stale/*.txt $B/own*.txt >$B/accept.out 2>&1
grep -E '^FAILED' $B/accept.out
line=$(tail -n 1 $B/accept.out)
set -- $line
passed=$((passed + ${1:-0})) failed=$((failed + ${3:-1}))

# the tool
make -s build/plain/csspgo $T || { fail "the tool does not build"; finish; }
for a in "" "--old-profile=x" "--binary=x" "x --old-profile=x --binary=x" "--mode=best --old-profile=x --binary=x"; do
    $T match $a >$B/usage.out 2>&1
    [ $? -eq 2 ] && pass || fail "match $a: not a usage error"
done
printf 'main:3:1\n 1: 1\n' >$B/lines.prof
$T match --fit --old-profile=$B/lines.prof --binary=$T >$B/lines.out 2>&1
[ $? -eq 1 ] && grep -q 'by source lines' $B/lines.out && pass || fail "--fit of a profile by lines is not refused"
printf 'main:3:1\n 1: 1\n !CFGChecksum: 5\n' >$B/probes.prof
for f in $B/none $T lines.prof; do
    $T match --old-profile=$B/probes.prof --binary=$f >$B/bad.out 2>&1
    [ $? -eq 1 ] && pass || fail "$f is taken for a program with probes"
done
# a failed write leaves what was there; what is no regular file stays
printf 'main:10:1\n 1: 1\n 2: 3\n 3: foo:5\n  1: 5\n  !CFGChecksum: 7\n !CFGChecksum: 5\n' >$B/inlinee.prof
$T merge --use-md5 $B/inlinee.prof -o $B/inlinee.md5
rm -rf $B/half.*; echo old >$B/half.old && mkfifo $B/half.pipe
cat $B/half.pipe >/dev/null &
for f in new old; do
    $T merge --text $B/inlinee.md5 -o $B/half.$f >$B/half.out 2>&1
    [ $? -eq 1 ] && [ "$(cat $B/half.$f 2>/dev/null)" = "${f#new}" ] && pass || fail "a failed write of half.$f"
done
$T merge --text $B/inlinee.md5 -o $B/half.pipe >$B/half.out 2>&1
[ $? -eq 1 ] && [ -p $B/half.pipe ] && pass || fail "a failed write takes a pipe away"
mkdir -p $B/half.dir
$T merge --text $B/inlinee.prof -o $B/half.dir >$B/half.out 2>&1
[ $? -eq 1 ] && [ -d $B/half.dir ] && pass || fail "a failed write takes a directory away"
# the help of one command is complete, and its alone
$T match --help >$B/help.out
grep -q '^usage: csspgo match ' $B/help.out && [ "$(grep -c '^csspgo [a-z]*:' $B/help.out)" -eq 1 ] && pass || fail "match --help is not that of match"
for what in -p -o --old-profile --binary --debug-binary --output --mode --rename --fit --min-confidence --format --use-md5 --top --quiet 'Exit status' 'default 10'; do
    grep -q -e "$what" $B/help.out && pass || fail "match --help does not name $what"
done
if ! command -v clang-19 >/dev/null 2>&1 || [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "SKIPPED: match: the programs need clang-19 on x86-64 Linux"
    skipped=$((skipped + 1))
    finish
fi
for v in 1 2; do
    clang-19 -O2 -g -w -fpseudo-probe-for-profiling -DVERSION=$v -o $B/v$v programs/stale.c || fail "version $v does not build"
done
# a profile of version 1 as its code tells: every probe that is left has some count
env -i $R record --quiet --period=$period --count=$samples --stop -o $B/v1.script -- $B/v1 2 >/dev/null 2>&1
$T profgen --quiet --max-dropped=100 --binary=$B/v1 --perfscript=$B/v1.script --format=text -o $B/v1.prof
env -i $R record --quiet --period=$period --count=$samples --stop -o $B/v2.script -- $B/v2 2 >/dev/null 2>&1
$R profgen --quiet --max-dropped=100 --binary=$B/v2 --perfscript=$B/v2.script --format=text -o $B/v2.prof
check "matching with the program it comes from" $T match --old-profile=$B/v1.prof --binary=$B/v1 --format=text -o $B/same.prof
check "a profile of the same program stays as it is" cmp $B/v1.prof $B/same.prof
cp $B/check.out $B/same.cmp
$T profgen --quiet --max-dropped=100 --binary=$B/v1 --perfscript=$B/v1.script --csspgo-preinliner=0 --gen-cs-nested-profile=0 \
    --format=text -o $B/v1.contexts
check "matching contexts with the program they come from" $T match --old-profile=$B/v1.contexts --binary=$B/v1 --format=text -o $B/same.contexts
grep -q '^stale  *0 ' $B/check.out && cmp $B/v1.contexts $B/same.contexts && pass || fail "contexts of the same program do not stay as they are"
check "counts made to fit the control flow" $T match --fit --old-profile=$B/v1.prof --binary=$B/v2 --format=text -o $B/fit.prof
check "counts that fit are made to fit" $T match --fit --old-profile=$B/fit.prof --binary=$B/v2 --format=text -o $B/fit2.prof
check "counts that fit stay as they are" cmp $B/fit.prof $B/fit2.prof
for mode in align lexical llvm19 llvm-main; do
    check "matching with version 2, $mode" $T match --mode=$mode --old-profile=$B/v1.prof --binary=$B/v2 --format=text -o $B/$mode.prof
    cp $B/check.out $B/$mode.report
    check "the result is a profile, $mode" $T merge --sample --text $B/$mode.prof -o $B/again.prof
    check "a report is printed, $mode" grep -q '^all ' $B/$mode.report
done
check "counts made to fit are other counts" test "$(cksum <$B/align.prof)" != "$(cksum <$B/fit.prof)"
sums() { sed -n 's/^.*CFGChecksum: //p' $1 | sort -u; }
sums $B/v2.prof >$B/v2.sums
sums $B/align.prof >$B/align.sums
sums $B/v1.prof >$B/v1.sums
known=$(comm -12 $B/v2.sums $B/align.sums | wc -l)
before=$(comm -12 $B/v2.sums $B/v1.sums | wc -l)
[ $known -gt $before ] && pass || fail "no more checksums of version 2 ($known) than before ($before)"
overlap() { $R overlap --quality $B/v2.prof $1 | awk '/^blocks of functions/ { print int($4 * 1000) }'; }
for mode in lexical llvm19 llvm-main; do
    [ $(overlap $B/align.prof) -ge $(overlap $B/$mode.prof) ] && pass || fail "align: $(overlap $B/align.prof), $mode: $(overlap $B/$mode.prof)"
done
$T match --quiet --old-profile=$B/v1.prof --binary=$B/v2 --format=text -o - >$B/stdout.prof 2>$B/stdout.err
cmp -s $B/stdout.prof $B/align.prof && [ ! -s $B/stdout.err ] && pass || fail "-o - is not the profile alone"
$T match --old-profile=$B/v1.prof --binary=$B/v2 -o $B/align.ext >/dev/null && $T merge --sample --text $B/align.ext -o $B/ext.text &&
    $T merge --sample --text $B/align.prof -o $B/text.text && cmp -s $B/ext.text $B/text.text && pass || fail "ExtBinary and text differ"
if $T match --quiet --old-profile=$B/v1.prof --binary=$B/v2 --use-md5 -o $B/align.md5; then pass; else fail "--use-md5"; fi
# a shared library, matched with its own profile: calls through stubs are known. Tail calls through them, which lose a
# frame in the recording, are the 2 or 3 call sites that do not agree.
echo 'int stale_main(int, char **); int main(int c, char **v) { return stale_main(c, v); }' >$B/driver.c
for how in "" -fno-plt "-fcf-protection -Wl,-z,ibtplt" -fuse-ld=lld; do
    [ -z "$how" ] || [ -n "$FULL" ] || continue
    clang-19 -O2 -g -w -fPIC -shared $how -fpseudo-probe-for-profiling -DVERSION=1 -Dstatic= -Dmain=stale_main -o $B/stale.so programs/stale.c &&
        clang-19 -O2 -o $B/driver $B/driver.c $B/stale.so -Wl,-rpath,"$PWD/$B" || fail "the library does not build: $how"
    env -i $R record --quiet --period=$period --count=$((samples / 2)) --stop -o $B/so.script -- $B/driver 2 >/dev/null 2>&1
    $R profgen --quiet --max-dropped=100 --binary=$B/stale.so --perfscript=$B/so.script --format=text -o $B/so.prof
    $T match --old-profile=$B/so.prof --binary=$B/stale.so >$B/so.report
    moved=$(sed -n 's/^call sites: \([0-9]*\) of [0-9]* had.*/\1/p' $B/so.report)
    [ "${moved:-99}" -le 3 ] && pass || fail "the call sites of a library with its own profile, $how: $(grep '^call sites' $B/so.report)"
done
# an object file has no addresses
clang-19 -O2 -g -w -fpseudo-probe-for-profiling -DVERSION=2 -c -o $B/v2.o programs/stale.c
$T match --old-profile=$B/v1.prof --binary=$B/v2.o >$B/object.out 2>&1
[ $? -eq 1 ] && grep -q 'an object file' $B/object.out && pass || fail "match takes an object file for a program"
$T profgen --binary=$B/v2.o --perfscript=$B/v2.script -o $B/object.prof >$B/object.out 2>&1
[ $? -eq 1 ] && grep -q 'an object file of a program, give what it was linked into' $B/object.out && pass || fail "profgen takes an object file for a program"
# the report says only what is known
$T match --rename=0 --old-profile=$B/v1.prof --binary=$B/v2 >$B/why.out
grep -q 'no such function in the new program; renamed ones were not looked for' $B/why.out && pass || fail "--rename=0: renamed functions were not looked for"
$T match --mode=lexical --rename=1 --old-profile=$B/v1.prof --binary=$B/v2 --top=99 >$B/why.out
grep -q 'none was found' $B/why.out && fail "lexical: nothing was looked for"
grep -q 'renamed ones were not looked for' $B/why.out && pass || fail "lexical: renamed functions were not looked for"
# two functions of the new program that look like one of the old: it counts once
if [ -n "$FULL" ]; then
clang++-19 -O1 -g -fpseudo-probe-for-profiling -DVERSION=1 -o $B/claims1 programs/claims.cpp &&
    clang++-19 -O1 -g -fpseudo-probe-for-profiling -DVERSION=2 -o $B/claims2 programs/claims.cpp &&
    clang++-19 -O1 -g -fpseudo-probe-for-profiling -DVERSION=2 -DODD -o $B/claims3 programs/claims.cpp || fail "claims.cpp does not build"
env -i $R record --quiet --period=99 --count=600 --stop -o $B/claims.script -- $B/claims1 >/dev/null 2>&1
$R profgen --quiet --max-dropped=100 --binary=$B/claims1 --perfscript=$B/claims.script --format=text -o $B/claims.prof
total() { awk '/^all / { print $2, $3 }' $1; }
for v in 1 2 3; do $T match --old-profile=$B/claims.prof --binary=$B/claims$v >$B/claims$v.out; done
grep -q '^renamed: work(int) is now work(' $B/claims2.out && pass || fail "claims.cpp: no renamed function"
[ "$(total $B/claims1.out)" = "$(total $B/claims2.out)" ] && pass || fail "a profile that two functions claim counts twice: $(total $B/claims2.out), not $(total $B/claims1.out)"
grep -q 'is now wo\\x1b\[31mrk$' $B/claims3.out && pass || fail "a new name is printed raw, or not at all"
fi
# without symbols: the code of functions is found by its shape, or the symbols come from another file
clang-19 -O2 -g -w -fpseudo-probe-for-profiling -DVERSION=2 -Wl,-s -Wl,--build-id=none -o $B/v2s programs/stale.c || fail "version 2 does not build without symbols"
$T match --old-profile=$B/v1.prof --binary=$B/v2s --format=text -o $B/stripped.prof >$B/stripped.report 2>$B/stripped.err || fail "no symbols"
[ "$(wc -l <$B/stripped.err)" -eq 1 ] && grep -q 'warning: .*have no symbol' $B/stripped.err && pass || fail "symbols are missing, and that is not said once"
contexts() { $R overlap --quality $B/v2.prof $1 | awk '/^blocks of contexts/ { print int($4 * 1000) }'; }
[ $(overlap $B/stripped.prof) -ge $(($(overlap $B/align.prof) - 2000)) ] && pass || fail "no symbols: $(overlap $B/stripped.prof), with them $(overlap $B/align.prof)"
[ $(contexts $B/stripped.prof) -ge $(($(contexts $B/align.prof) - 5000)) ] && pass || fail "no symbols: contexts $(contexts $B/stripped.prof), with them $(contexts $B/align.prof)"
! grep -q 'has no probes of it' $B/stripped.report && pass || fail "code without symbol is taken for no code"
clang-19 -O2 -g -w -fpseudo-probe-for-profiling -DVERSION=2 -Wl,--build-id=none -o $B/v2d programs/stale.c
$T match --old-profile=$B/v1.prof --binary=$B/v2s --debug-binary=$B/v2d --format=text -o $B/debug.prof >/dev/null 2>$B/debug.err
cmp -s $B/debug.prof $B/align.prof && [ ! -s $B/debug.err ] && pass || fail "--debug-binary does not bring the symbols back"
$T match --old-profile=$B/v1.prof --binary=$B/v2s --debug-binary=$B/v2s >$B/debug.out 2>&1
[ $? -eq 1 ] && grep -q 'no symbols' $B/debug.out && pass || fail "a debug binary without symbols is taken"
# what fits as it is
$T check --min-fit=100 --binary=$B/v1 $B/v1.prof >$B/check.text 2>&1
[ $? -eq 0 ] && grep -q '^samples that fit: 100.00%' $B/check.text && pass || fail "a profile fits its own program: $(cat $B/check.text)"
$T check --top=1000 --min-fit=90 --binary=$B/v2 $B/v1.prof >$B/check.text 2>$B/check.err
[ $? -eq 3 ] && grep -q 'less than --min-fit=90' $B/check.err && grep -q '  main: its control flow has changed$' $B/check.text && pass || fail "--min-fit: $(cat $B/check.err)"
lost=$(sed -n 's/^samples that fit: .*%, \([0-9]*\) of \([0-9]*\)$/\2 - \1/p' $B/check.text)
[ "$(awk '/^ +[0-9]+ +[0-9]+  / { n += $1 } END { print n + 0 }' $B/check.text)" -eq $((${lost:-1})) ] && pass || fail "the functions that lost samples are not those that were lost: $lost"
$T check --json --binary=$B/v2 -o $B/check.json $B/v1.prof && grep -q '"changed": [1-9][0-9]*, "gone": [1-9][0-9]* }' $B/check.json && pass || fail "check --json: $(cat $B/check.json)"
$T check --binary=../examples/data/demo.elf $B/v1.prof >/dev/null 2>$B/check.err
[ $? -eq 3 ] && grep -q 'nothing of .* fits: is it a profile of' $B/check.err && pass || fail "a profile of another program: $(cat $B/check.err)"
for a in "" "x" "x y --binary=z" "x --binary=z --min-fit=most" "$B/v1.prof --binary=$B/v1 -o $B/v1"; do
    $T check $a >$B/usage.out 2>&1
    [ $? -eq 2 ] && pass || fail "check $a: not a usage error"
done
# by source line. The preprocessor takes away what the other version has, so that lines move
for v in 1 2; do
    clang-19 -E -P -DVERSION=$v programs/stale.c >$B/lines$v.c
    clang-19 -O2 -g -w -fdebug-info-for-profiling -o $B/l$v $B/lines$v.c || fail "version $v does not build by line"
    env -i $R record --quiet --period=$period --count=$samples --stop -o $B/l$v.script -- $B/l$v 2 >/dev/null 2>&1
    $R profgen --quiet --max-dropped=100 --binary=$B/l$v --perfscript=$B/l$v.script --format=text -o $B/l$v.prof
done
check "lines of the program it comes from" $T match --old-profile=$B/l1.prof --binary=$B/l1 --format=text -o $B/l.same
check "a profile by line of the same program stays as it is" cmp $B/l1.prof $B/l.same
check "and fits it" $T check --min-fit=100 --binary=$B/l1 $B/l1.prof
by_line() { $R overlap --quality $B/l2.prof $1 | awk '/^blocks of functions/ { print int($4 * 1000) }'; }
for mode in align llvm19 llvm-main; do
    check "by line, $mode" $T match --mode=$mode --old-profile=$B/l1.prof --binary=$B/l2 --format=text -o $B/l.$mode
    [ $(by_line $B/l.$mode) -gt $(by_line $B/l1.prof) ] && pass || fail "by line, $mode: $(by_line $B/l.$mode), as it was: $(by_line $B/l1.prof)"
done
# what was inlined stands where the new code calls it: clang inlines it there
D=$D/lines
clang-19 -O0 -g -fdebug-info-for-profiling -o $B/inlinees programs/inlinees.c || fail "inlinees.c does not build"
for mode in align lexical llvm19 llvm-main; do
    check "inlinees by line, $mode" $T match --mode=$mode --old-profile=$D/inlinees.prof --binary=$B/inlinees --format=text -o $B/in.prof
    [ "$(grep -c -e '^ 5: work:' -e '^ 7: work:' $B/in.prof)-$(grep -c '^ [0-9.]*: work:' $B/in.prof)" = 2-2 ] && pass || fail "inlinees by line, $mode: $(grep work: $B/in.prof)"
    clang-19 -O2 -g -fdebug-info-for-profiling -fprofile-sample-use=$B/in.prof -Rpass=sample-profile-inline -c -o $B/in.o programs/inlinees.c 2>$B/in.err
    [ "$(grep -c "'work' inlined into 'main'" $B/in.err)" -eq 2 ] && pass || fail "inlinees by line, $mode: clang does not inline both"
done
check "quality of the same profile by line" test "$($T overlap --quality $B/l1.prof $B/l1.prof | awk '/^blocks of functions/ { print $4 }')" = 100.000%
if command -v llvm-profdata-19 >/dev/null 2>&1; then
    check "LLVM reads the result" llvm-profdata-19 show --sample $B/align.ext
fi
finish
