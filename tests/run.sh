#!/bin/sh
# Runs the jobs of test groups (see the Makefile) and adds up what they report: run.sh GROUP...
#   unit      every test_*.c with address and undefined-behaviour sanitizers
#   corpus    every fuzz corpus through its harness, with sanitizers
#   modes     no warnings in C99 and C++11, linkage; with FULL gcc and clang, every configuration macro, the unit tests as
#             C++, with clang and its sanitizers, on i686 and on big-endian s390x
#   examples  the examples build and do what the README says; its code blocks compile
#   oracle    differential tests against LLVM's tools
# FULL=1: all sizes and modes. STRICT=1: a skip is a failure.
case $0 in */*) cd "${0%/*}" || exit 1 ;; esac
B=build
unset MAKEFLAGS MAKELEVEL MFLAGS
# strstr is not asked to read all of a long text each time; memory that was freed is used again after 8 MiB more
ASAN_OPTIONS=${ASAN_OPTIONS:-intercept_strstr=0:quarantine_size_mb=8}
export ASAN_OPTIONS

# --job NAME COMMAND...: a program that closes with "N passed, N failed, N skipped"; prints its last word and what was wrong
if [ "$1" = --job ]; then
    name=$2
    shift 2
    timeout --foreground -k 10 1500 "$@" >$B/jobs/$name.out 2>&1   # what hangs fails
    status=$?
    times >$B/jobs/$name.time
    awk -v name="$name" -v status=$status -v count=$B/jobs/$name.count '
        FNR == 1 { file++ }
        file == 1 { split($0, t, /[ms ]+/); seconds += t[1] * 60 + t[2] + t[3] * 60 + t[4]; next }
        /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { line = $0; next }
        said++ < 40
        END {
            if (line == "") line = "0 passed, 1 failed, 0 skipped (ended without a count, status " status ")"
            else if (status != 0 && sub(/ 0 failed, /, " 1 failed, ", line)) line = line " (status " status ")"
            print line >count
            printf "%s: %s, %.1f s CPU\n", name, line, seconds
        }' $B/jobs/$name.time $B/jobs/$name.out >$B/jobs/$name.said
    cat $B/jobs/$name.said
    exit 0
fi

# --program PROGRAM [COMMAND...]: builds and runs it, by the command (an emulator)
if [ "$1" = --program ]; then
    program=$2
    shift 2
    make -s "$program" && exec "$@" "$program"
    exit 1
fi

J=${JOBS:-$(($(nproc 2>/dev/null || echo 1) + 1))}   # one more than processors: some jobs wait
rm -rf $B/jobs $B/make.err
mkdir -p $B/jobs
built() { ls -lRn --full-time ../examples/build ../bench/build ../fuzz/build 2>&1 | cksum; }   # what users built
users=$(built)
# what jobs share, and a full run builds before them
shared() { ls -n --full-time $B/san/lib.o $B/san/csspgo $B/plain/lib.o $B/plain/csspgo $B/plain/make_perfdata 2>&1 | cksum; }
began=$(date +%s)
jobs=$(make -s --no-print-directory list ONLY="$*")
echo "$(echo $jobs | wc -w) jobs, $J at a time"
[ -z "$FULL" ] || make -s -k -j"$J" --no-print-directory first ONLY="$*" 2>$B/make.err
first=$(shared)
make -s -k -j"$J" --no-print-directory jobs ONLY="$*" 2>>$B/make.err
for name in $jobs; do
    [ -s $B/jobs/$name.count ] || { echo "FAILED: $name was not built (see tests/$B/make.err)"; echo "0 passed, 1 failed, 0 skipped" >$B/jobs/$name.count; }
done
[ "$(built)" = "$users" ] && said="1 passed, 0 failed, 0 skipped" || said="0 passed, 1 failed, 0 skipped"
echo "$said" >$B/jobs/built.count
echo "what users build, in examples, bench and fuzz, is as it was: $said" >$B/jobs/built.said
case "$FULL, $*" in
?*,*examples* | ?*,*oracle*)
    [ "$(shared)" = "$first" ] && said="1 passed, 0 failed, 0 skipped" || said="0 passed, 1 failed, 0 skipped"
    echo "$said" >$B/jobs/shared.count
    echo "no job built anew what others run: $said" >$B/jobs/shared.said ;;
esac
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
used=$(awk '{ split($0, t, /[ms ]+/); s += t[1] * 60 + t[2] + t[3] * 60 + t[4] } END { printf "%.1f", s }' $B/jobs/all.time) lasted=$(($(date +%s) - began))
echo "$used s CPU in $((lasted / 60)):$(printf %02d $((lasted % 60))) min"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
