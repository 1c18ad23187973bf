#!/bin/sh
# Runs the jobs of test groups (see the Makefile) and adds up what they report: run.sh GROUP...
#   unit      every test_*.c with address and undefined-behaviour sanitizers
#   corpus    every fuzz corpus through its harness, with sanitizers
#   modes     no warnings in C99 and C++11, linkage; with FULL gcc and clang, every configuration macro, the unit tests as
#             C++, with clang and its sanitizers, on i686 and on big-endian s390x
#   examples  the examples build and do what the README says; its code blocks compile
#   oracle    differential tests against LLVM's tools
# FULL=1: all sizes and modes. STRICT=1: a skip is a failure.
cd "$(dirname "$0")" || exit 1
B=build
J=${JOBS:-$(($(nproc 2>/dev/null || echo 1) + 1))}   # one more than processors: some jobs wait
unset MAKEFLAGS MAKELEVEL MFLAGS
# strstr is not asked to read all of a long text each time; memory that was freed is used again after 8 MiB more
ASAN_OPTIONS=${ASAN_OPTIONS:-intercept_strstr=0:quarantine_size_mb=8}
export ASAN_OPTIONS

# cpu_seconds FILE: the sum of what `times` wrote, for the shell and for what it ran
cpu_seconds() { tr 'ms' '  ' <$1 | awk '{ s += $1 * 60 + $2 + $3 * 60 + $4 } END { printf "%.1f", s }'; }

# --job NAME COMMAND...: a program that closes with "N passed, N failed, N skipped"; prints its last word and what was wrong
if [ "$1" = --job ]; then
    name=$2
    shift 2
    [ ! -s $B/jobs/$name.count ] || exit 0   # it was among the first
    timeout --foreground -k 10 1500 "$@" >$B/jobs/$name.out 2>&1   # what hangs fails
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' $B/jobs/$name.out | tail -n 1)
    case $line in
    "") line="0 passed, 1 failed, 0 skipped (ended without a count, status $status)" ;;
    *" 0 failed, "*) [ $status -eq 0 ] || line="${line%% *} passed, 1 failed, ${line##*failed, } (status $status)" ;;
    esac
    times >$B/jobs/$name.time
    seconds=$(cpu_seconds $B/jobs/$name.time)
    { grep -v -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' $B/jobs/$name.out | head -40; echo "$name: $line, $seconds s CPU"; } >$B/jobs/$name.said
    cat $B/jobs/$name.said
    echo "$line" >$B/jobs/$name.count
    exit 0
fi

# --program PROGRAM [EMULATOR]: builds and runs it
if [ "$1" = --program ]; then
    make -s "$2" && exec $3 "$2"
    exit 1
fi

rm -rf $B/jobs $B/make.err
mkdir -p $B/jobs
began=$(date +%s)
jobs=$(make -s --no-print-directory list ONLY="$*")
echo "$(echo $jobs | wc -w) jobs, $J at a time"
[ -z "$FULL" ] || make -s -k -j"$J" --no-print-directory first ONLY="$*" 2>$B/make.err
make -s -k -j"$J" --no-print-directory jobs ONLY="$*" 2>>$B/make.err
for name in $jobs; do
    [ -s $B/jobs/$name.count ] || { echo "FAILED: $name was not built (see tests/$B/make.err)"; echo "0 passed, 1 failed, 0 skipped" >$B/jobs/$name.count; }
done
set -- $(cat $B/jobs/*.count | awk '{ p += $1; f += $3; s += $5 } END { printf "%.0f %.0f %.0f\n", p, f, s }')
passed=$1 failed=$2 skipped=$3
if [ $failed -ne 0 ]; then # once more, where it is not above the screen
    echo "what failed:"
    grep -L ' 0 failed, ' $B/jobs/*.count | while read -r count; do
        grep -s -E -i -A8 '^FAILED|(warning|error|ERROR|assertion)[: ]' ${count%.count}.said | head -40
        tail -n 1 ${count%.count}.said
    done
fi
if [ -n "$STRICT" ] && [ $skipped -ne 0 ]; then
    echo "STRICT: $skipped skipped tests count as failed"
    failed=$((failed + skipped))
fi
[ $skipped -eq 0 ] || echo "$skipped tests were skipped"
times >$B/jobs/all.time
used=$(cpu_seconds $B/jobs/all.time) lasted=$(($(date +%s) - began))
echo "$used s CPU in $((lasted / 60)):$(printf %02d $((lasted % 60))) min"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
