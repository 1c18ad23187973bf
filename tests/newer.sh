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
refused "a list of GUIDs as names" 'md5-prof-sym-list' $T merge -o $B/x $D/newer/indexed.prof
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
finish
