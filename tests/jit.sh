#!/bin/sh
# The JIT example with sanitizers, without perf events, on another CPU, and on programs from files. Nothing here depends
# on how long anything takes. (That `jit` passes its own check as it is built is in examples.sh, in full runs.)
. ./t.sh
B=build/jit
mkdir -p $B
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: jit: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: jit: $*"; skipped=$((skipped + 1)); }
CC=${CC:-cc}
JIT="../examples/jit/*.c"
# check NAME PATTERN COMMAND...: succeeds and prints the pattern
check() {
    name=$1 pattern=$2
    shift 2
    if "$@" >$B/out 2>&1 && grep -q -- "$pattern" $B/out; then pass; else fail "$name"; tail -20 $B/out; fi
}
# wrong STATUS PATTERN COMMAND...: fails so and says why on stderr
wrong() {
    want=$1 pattern=$2
    shift 2
    "$@" >$B/out 2>$B/err
    got=$?
    if [ $got -eq "$want" ] && cat $B/out $B/err | grep -q -- "$pattern"; then pass; else fail "status $got, not $want: $*"; cat $B/out $B/err; fi
}

if make -s build/san/jit >$B/make.out 2>&1; then
    check "its check, with sanitizers" "^all is as it should be" build/san/jit check $(size quick "")
else fail "does not build with sanitizers"; head -20 $B/make.out; fi
# a full run measures, too, without sanitizers and shared libraries
static=0
ln -sf ../san/jit $B/jit
if [ -n "$FULL" ]; then
    LINKED="-std=gnu99 -O1 -DCSSPGO_IMPLEMENTATION_INCLUDED $JIT build/plain/lib.o $LIBZ"
    make -s build/plain/lib.o
    rm -f $B/jit
    if $CC -static -o $B/jit $LINKED >$B/make.out 2>&1; then static=1
    elif ! $CC -o $B/jit $LINKED >$B/make.out 2>&1; then fail "does not build"; head -20 $B/make.out; fi
fi

if [ -n "$FULL" ] && [ "$(uname -sm)" = "Linux x86_64" ]; then
    for s in lbr clock timer trap; do
        check "bench --source=$s prints a table" "^| fold |" $B/jit bench fold --source=$s --seconds=0.05 --runs=1
    done
    check "bench says what binds the hottest loop" "^    xor r1 r1 r4 .* cycle, to the next iteration" $B/jit bench loop --source=timer --seconds=0.05 --runs=1
    check "bench --instrument prints a table" "^| fold |.*[0-9], 32, [0-9]" $B/jit bench fold --instrument --seconds=0.02 --runs=1
    # perf_event_open needs a file descriptor; a static program does without any. So it fails as where it is not permitted.
    if [ $static -eq 1 ]; then
        check "falls back aloud without perf events" 'samples come from "timer"' sh -c "ulimit -n 3; exec $B/jit bench fold --runs=1"
    else skip "without perf events: no static C library"; fi
fi

cat >$B/power.jit <<'END'
; 3 to the power of r0, modulo 2^64
func times 2
    mul r0 r0 r1
    ret r0
func main 1
    const r1 1
    const r2 3
    const r3 0
next:
    call r1 times r1 r2
    sub r0 r0 1
    jlt r3 r0 next
    ret r1
END
check "runs a program from a file" "^main(20) = 3486784401" $B/jit run $B/power.jit 20 --seconds=0.05 --runs=1
printf 'func main 1\n    const r1 99999\n    load r0 r1\n    ret r0\n' >$B/trap.jit
check "a program that traps says so" "^main(1000) traps" $B/jit run $B/trap.jit
printf 'func main 1\n    ret r7\n' >$B/bad.jit
wrong 1 "nothing wrote" $B/jit run $B/bad.jit
wrong 1 "No such file" $B/jit run /nonexistent
wrong 2 "usage" $B/jit nonsense
wrong 2 "usage" $B/jit run
wrong 2 "nonsense" $B/jit bench nonsense
wrong 2 "nonsense" $B/jit bench --source=nonsense

if [ -z "$FULL" ]; then :
elif command -v s390x-linux-gnu-gcc >/dev/null 2>&1 && command -v qemu-s390x >/dev/null 2>&1; then
    if s390x-linux-gnu-gcc -std=c99 -Wall -Wextra -Werror -O0 -static -o $B/jit.s390x $JIT >$B/make.out 2>&1; then
        check "says that it interprets on other CPUs" "programs are interpreted here" qemu-s390x $B/jit.s390x
        check "on other CPUs too: runs a program from a file" "^main(20) = 3486784401" qemu-s390x $B/jit.s390x run $B/power.jit 20
    else fail "does not build for s390x"; head -20 $B/make.out; fi
else skip "another CPU: needs s390x-linux-gnu-gcc and qemu-s390x"; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
