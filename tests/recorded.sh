#!/bin/sh
# From samples to the finished profile by probe: what llvm-profgen-19 made of the recordings in data/unwind.
B=build/recorded
mkdir -p $B
passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: recorded: $*"; failed=$((failed + 1)); }
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
D=data/unwind

# profile WANT BINARY SCRIPT OPTIONS...
profile() {
    want=$D/$1.prof binary=$D/bin/$2 script=$D/$3.ps
    shift 3
    $T profgen --llvm-compat --quiet --binary=$binary --perfscript=$script --format=text -o $B/out "$@" >$B/err 2>&1
    if [ $? -eq 0 ] && cmp -s $B/out $want; then pass; else fail "$want"; head -3 $B/err; diff $B/out $want | head -6; fi
}
CASES="--gen-cs-nested-profile=0 --csprof-merge-cold-context=0"
for n in 01-calls 02-returns 03-recursion 04-tailcall; do profile cases/$n demo.probe cases/$n $CASES; done
for n in 05-extpair 06-in-callback 06b-after-callback 33-tail-infer; do profile cases/$n ext.probe cases/$n $CASES; done
profile cases/33-tail-infer.noinfer ext.probe cases/33-tail-infer $CASES --infer-missing-frames=0
profile cases/25-a64 a64.probe cases/25-a64 $CASES
for n in demo.probe ext.probe; do profile traces/$n $n traces/$n; done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
