#!/bin/sh
# A real run, every branch of it recorded: cut into windows that leave nothing out, its profile counts every probe of
# every context exactly; cut at random, it is within 10 % of what an ideal unwinder makes of the same windows. Run in
# tests/; see bench/truth.c.
. ./t.sh
B=build/truth
mkdir -p $B
passed=0 failed=0 skipped=0
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
skip() { echo "SKIPPED: truth: $*"; skipped=1; finish; }
fail() { echo "FAILED: truth: $*"; failed=$((failed + 1)); }
TOOL=${TOOL:-build/plain/csspgo}
[ "$(uname -sm)" = "Linux x86_64" ] || skip "needs x86-64 Linux"
command -v clang++-19 >/dev/null 2>&1 || skip "clang++-19 is not installed"
[ -f /usr/include/rapidjson/reader.h ] || skip "rapidjson is not installed (package rapidjson-dev)"
[ -x $TOOL ] || make -s $TOOL
make -s build/plain/truth || { fail "truth.c does not build"; finish; }
clang++-19 -std=c++17 -fdelayed-template-parsing -O2 -g -w -fpseudo-probe-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
    -fno-optimize-sibling-calls -fno-pie -no-pie -o $B/rapid programs/rapid.cpp || { fail "rapid.cpp does not build"; finish; }
env -i $TOOL record --quiet --software --jitter=0 --period=31 --depth=32 --frame-pointers --max-branches=$(size 10000 60000) -o $B/rapid.ps -- $B/rapid >/dev/null || { fail "record"; finish; }
# the script is not a script without gaps any more: that must be seen
grep -v '^[[:space:]]*$' $B/rapid.ps | awk '/0x.*\/0x/ && ++n == 100 { next } { print }' >$B/gap.ps
build/plain/truth $B/rapid $B/gap.ps >/dev/null 2>&1 && fail "a recording with a gap is taken" || passed=$((passed + 1))
if build/plain/truth $B/rapid $B/rapid.ps >$B/table; then
    passed=$((passed + $(grep -c '^| rapid' $B/table)))
else
    fail "counts are not true"
    cat $B/table
fi
# the tool on call stacks alone: a profile, and it says what it is
sed 's/^ 0x.*//' $B/rapid.ps >$B/stacks.ps
if $TOOL profgen --binary=$B/rapid --perfscript=$B/stacks.ps --output=$B/stacks.prof 2>$B/said && finds 'no branch records: counts are estimates' $B/said &&
    [ "$($TOOL show --sample $B/stacks.prof 2>/dev/null | grep -c '^Function')" -gt 5 ]; then passed=$((passed + 1)); else fail "call stacks alone"; cat $B/said; fi
$TOOL profgen --llvm-compat --binary=$B/rapid --perfscript=$B/stacks.ps --output=$B/stacks.prof >/dev/null 2>&1 && fail "compat mode takes call stacks alone" || passed=$((passed + 1))
$TOOL profgen --binary=$B/rapid --perfscript=/dev/null --output=$B/stacks.prof >/dev/null 2>&1 && fail "an empty script is taken" || passed=$((passed + 1))
# the pre-inliner's sizes: from probes, or from debug information as LLVM's
sizes() { $TOOL profgen --quiet --format=text --binary=$B/rapid --perfscript=$B/rapid.ps "$@"; }
for o in "" --llvm-compat; do sizes $o -o $B/sizes$o && sizes $o --debug-sizes -o $B/debug$o || fail "sizes $o"; done
! cmp -s $B/sizes $B/debug && cmp -s $B/sizes--llvm-compat $B/debug--llvm-compat && passed=$((passed + 1)) || fail "--debug-sizes"
# the same by source line, with contexts and without
LINES="-O2 -g -w -fdebug-info-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fno-pie -no-pie"
if clang-19 $LINES -o $B/image programs/image.c -lm &&
    env -i $TOOL record --quiet --software --jitter=0 --period=31 --depth=32 --frame-pointers --max-branches=$(size 8000 60000) -o $B/image.ps -- $B/image >/dev/null; then
    for m in -l $(size "" -f); do
        if build/plain/truth $m $B/image $B/image.ps >$B/lines$m 2>&1; then passed=$((passed + $(grep -c '^| image' $B/lines$m)))
        else fail "lines $m are not true"; cat $B/lines$m; fi
        # exact by line, and LLVM's rules are not
        awk -F'|' '/^\| image/ && NF == 11 && $4 !~ /recorded/ { rows++; wrong += $6; llvm += $8 } END { exit rows != 6 || wrong != 0 || llvm == 0 }' $B/lines$m && passed=$((passed + 1)) || { fail "lines $m: not exact, or so are LLVM's"; cat $B/lines$m; }
    done
else fail "image.c does not build or run"; fi
# what LLVM's rules lose shows: the measure can tell
awk -F'|' '/^\| rapid/ && NF == 11 && $8 + 0 == 0 { bad = 1 } END { exit bad }' $B/table && passed=$((passed + 1)) || fail "no error of LLVM's rules is seen"
finish
