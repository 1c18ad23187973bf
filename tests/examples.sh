#!/bin/sh
# The examples build without a warning and do what the README says; the README's C blocks compile.
B=build/examples
mkdir -p $B
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: examples: $*"; failed=$((failed + 1)); }
CC=${CC:-cc}

make -C ../examples clean >/dev/null
if make -C ../examples all CC="$CC" >$B/make.out 2>&1 && ! grep -q warning $B/make.out; then pass; else fail "make -C examples"; tail -20 $B/make.out; fi
if make -C ../examples demo CC="$CC" >$B/demo.out 2>&1; then pass; else fail "make -C examples demo"; tail -20 $B/demo.out; fi
if grep -q '^\[main:' $B/demo.out; then pass; else fail "the demo prints no contexts"; tail -5 $B/demo.out; fi
if command -v clang-19 >/dev/null 2>&1; then
    if sh ../examples/demo.sh $B/demo.s && cmp -s $B/demo.s ../examples/data/demo.s; then pass; else fail "examples/data/demo.s is not what demo.sh makes"; fi
else
    echo "SKIPPED: examples: clang-19 is not installed"; skipped=$((skipped + 1))
fi
if ../examples/build/jit >$B/jit.out 2>&1; then pass; else fail "jit"; tail -20 $B/jit.out; fi

# sampling changes nothing in the game; with probes, every sample is in a profile of bounded size (else status 1)
S=../examples/build/sampler
for how in off timer ""; do
    if $S 2000 $how >$B/sampler.out 2>&1; then pass; else fail "sampler $how"; tail -5 $B/sampler.out; fi
    sed -n 's/.*the game/the game/p' $B/sampler.out >$B/sampler.$how
    if [ -s $B/sampler.off ] && cmp -s $B/sampler.off $B/sampler.$how; then pass; else fail "sampler $how: the checksum"; fi
    case $how in off) continue ;; esac
    command -v clang-19 >/dev/null 2>&1 || { grep -q 'no probe sections' $B/sampler.out && pass; continue; }
    if grep -q ' main:[0-9]* @ play_frame' $B/sampler.out; then pass; else fail "sampler $how shows no contexts"; fi
done

# usage errors are 2, bad input is 1, both on stderr only
T=../examples/build/csspgo
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
expect 2 $T profgen --binary=x --perfscript=y --output=z --perfdata=q
expect 2 $T profgen --binary=x --perfscript=y --output=z --format=compbinary
expect 2 $T profgen --binary=x --perfscript=y --output=z --compress-recursion=-2
expect 1 $T profgen --binary=/nonexistent --perfscript=y --output=/dev/null
expect 1 $T profgen --binary=examples.sh --perfscript=y --output=/dev/null
expect 2 $T record
expect 1 $T record /nonexistent/program

# the README's C blocks: each is a program, or statements of one
awk '/^```c$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > ("'$B'/readme" n ".c") }' ../README.md
for f in $B/readme*.c; do
    [ -f "$f" ] || { fail "the README has no C blocks"; continue; }
    if $CC -std=c99 -D_GNU_SOURCE -Wall -Wextra -Werror -I.. -o $B/readme $f >$B/readme.out 2>&1; then pass; else fail "$f does not compile"; head -10 $B/readme.out; fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
