#!/bin/sh
# steps.sh: no call of a runtime's path does more than a bounded number of steps, however much was collected: basic
# blocks that it enters, counted by the compiler's hook for fuzzers (steps.c). Run in tests/.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/steps
mkdir -p $B
CC=${CC:-cc}
echo 'unsigned long long blocks; void __sanitizer_cov_trace_pc(void) { blocks++; }' >$B/count.c
$CC -O1 -c -o $B/count.o $B/count.c
if ! $CC -std=gnu99 -O1 -w -fsanitize-coverage=trace-pc -o $B/steps steps.c $B/count.o $LIBZ -lm 2>$B/said; then
    skip "steps: the compiler does not count blocks: $(head -1 $B/said)"
    finish
fi
exec $B/steps
