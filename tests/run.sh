#!/bin/sh
# Runs the tests and adds up what they report. Arguments: the groups to run (all without one).
#   unit      every test_*.c with address and undefined-behaviour sanitizers
#   modes     no warnings in C99 and C++11, gcc and clang; every configuration macro; C++, clang (with its sanitizers),
#             i686, big-endian s390x
#   corpus    every fuzz corpus through its harness, with sanitizers
#   examples  the examples build and do what the README says; its code blocks compile
#   oracle    differential tests against LLVM's tools
# STRICT=1: a skip is a failure.
cd "$(dirname "$0")" || exit 1
CC=${CC:-cc}
B=build
mkdir -p $B
passed=0 failed=0 skipped=0
W="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wvla -Wundef"
WC="-std=c99 $W -Wstrict-prototypes -Wmissing-prototypes"
WX="-x c++ -std=c++11 $W"

J=$(nproc 2>/dev/null || echo 1)

have() { command -v "$1" >/dev/null 2>&1; }
skip() { echo "SKIPPED: $*"; skipped=$((skipped + 1)); }
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: $*"; failed=$((failed + 1)); }
# check NAME COMMAND...: one test, its output shown if it fails
check() {
    name=$1
    shift
    if "$@" >$B/check.out 2>&1; then pass; else fail "$name"; head -30 $B/check.out; fi
}
# silent NAME COMMAND...: must succeed without a word
silent() {
    name=$1
    shift
    if "$@" >$B/check.out 2>&1 && [ ! -s $B/check.out ]; then pass; else fail "$name"; head -30 $B/check.out; fi
}
# counted NAME COMMAND...: a program that closes with "N passed, N failed, N skipped"
counted() {
    name=$1
    shift
    "$@" >$B/counted.out 2>&1
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' $B/counted.out | tail -n 1)
    grep -v -x -F -e "$line" $B/counted.out | head -40
    if [ -z "$line" ]; then fail "$name ended without a count (status $status)"; return; fi
    set -- $line
    passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
    [ $status -eq 0 ] || [ "$3" -ne 0 ] || fail "$name: status $status"
    echo "$name: $line"
}

# one LABEL TEST RUNNER COMPILER...: builds and runs one test program; what it says goes to files
one() {
    label=$1 t=$2 runner=$3
    shift 3
    rm -f $B/$t.$label.out
    "$@" -o $B/$t.$label $t.c >$B/$t.$label.build 2>&1 && $runner $B/$t.$label >$B/$t.$label.out 2>&1
    echo "status $?" >>$B/$t.$label.out
}

# build_as LABEL RUNNER COMPILER...: builds and runs every unit test in one way, as many at a time as there are processors
build_as() {
    label=$1 runner=$2
    shift 2
    ls test_*.c | sed 's/\.c$//' | xargs -P $J -I TEST sh ./run.sh --one "$label" TEST "$runner" "$@"
    for t in test_*.c; do
        t=${t%.c}
        if [ ! -s $B/$t.$label.build ]; then pass; else fail "$t as $label: the compiler complains"; head -20 $B/$t.$label.build; fi
        counted "$t ($label)" sh -c "sed '/^status /d' $B/$t.$label.out; exit \$(sed -n 's/^status //p' $B/$t.$label.out)"
    done
}

unit() {
    build_as unit "" $CC $WC -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
    if ! $CC -g -O1 -fsanitize=thread -o $B/tsan -x c - >/dev/null 2>&1 <<-'END'
	int main(void) { return 0; }
	END
    then skip "$CC has no ThreadSanitizer"
    elif $CC $WC -g -O1 -fsanitize=thread -o $B/test_threads.tsan test_threads.c >$B/check.out 2>&1; then
        counted "test_threads (ThreadSanitizer)" $B/test_threads.tsan
    else fail "test_threads with ThreadSanitizer"; head -20 $B/check.out; fi
}

modes() {
    printf '#define CSSPGO_IMPLEMENTATION\n#include "../../csspgo.h"\n#include "../../csspgo.h"\nint main(void) { return 0; }\n' >$B/impl.c
    printf '#include "../../csspgo.h"\nint main(void) { return (int)csspgo_version() == 0; }\n' >$B/user.c
    for o in -O0 -O2; do
        for c in gcc clang-19; do
            have $c || { skip "$c is not installed"; continue; }
            silent "$c $o: warnings in C" $c $WC -Wnull-dereference $o -c -o $B/impl.o $B/impl.c
            silent "$c $o: warnings for an includer in C" $c $WC $o -c -o $B/user.o $B/user.c
        done
        for c in g++ clang++-19; do
            have $c || { skip "$c is not installed"; continue; }
            silent "$c $o: warnings in C++" $c $WX -Wnull-dereference $o -c -o $B/implx.o $B/impl.c
            silent "$c $o: warnings for an includer in C++" $c $WX $o -c -o $B/userx.o $B/user.c
        done
    done
    silent "one implementation and one includer link" $CC -o $B/two $B/impl.c -DX -x c /dev/null
    for m in CSSPGO_NO_FORMAT CSSPGO_NO_EDIT CSSPGO_NO_CODE CSSPGO_NO_SAMPLE CSSPGO_NO_UNWIND CSSPGO_NO_FLOW CSSPGO_NO_GENERATE CSSPGO_NO_TRACK \
             CSSPGO_NO_MATCH CSSPGO_NO_STDIO "CSSPGO_NO_FORMAT -DCSSPGO_NO_CODE" "CSSPGO_NO_CODE -DCSSPGO_NO_STDIO"; do
        silent "-D$m builds without a warning" $CC $WC -D$m -c -o $B/macro.o $B/impl.c
    done
    if [ -f /usr/include/zlib.h ]; then
        silent "CSSPGO_USE_ZLIB builds without a warning" $CC $WC -DCSSPGO_USE_ZLIB -c -o $B/macro.o $B/impl.c
        if $CC $WC -DCSSPGO_USE_ZLIB -g -O1 -fsanitize=address,undefined -o $B/test_binary.zlib test_binary.c -lz >$B/check.out 2>&1; then
            counted "test_binary (zlib)" $B/test_binary.zlib
        else fail "test_binary with zlib"; head -20 $B/check.out; fi
    else skip "zlib.h is not installed"; fi
    if $CC -std=c99 -O2 -o $B/test_edit.many test_edit.c >$B/check.out 2>&1; then
        counted "test_edit (10,000 random cases of each property)" env CSSPGO_CASES=10000 $B/test_edit.many
    else fail "test_edit at -O2"; head -20 $B/check.out; fi
    silent "CSSPGO_STATIC builds without a warning" $CC $WC -DCSSPGO_STATIC -c -o $B/macro.o $B/impl.c
    silent "CSSPGO_DEF is the linkage" $CC $WC "-DCSSPGO_DEF=__attribute__((visibility(\"hidden\"))) extern" -c -o $B/macro.o $B/impl.c
    silent "CSSPGO_MALLOC and CSSPGO_FREE replace the heap" \
        sh -c "printf '#include <stddef.h>\nstatic void *m(size_t n) { (void)n; return 0; }\nstatic void f(void *p) { (void)p; }\n#define CSSPGO_MALLOC m\n#define CSSPGO_FREE f\n#define CSSPGO_IMPLEMENTATION\n#include \"../../csspgo.h\"\nint main(void) { return csspgo_profile_new(NULL) != NULL; }\n' >$B/heap.c && $CC $WC -o $B/heap $B/heap.c && $B/heap"
    check "CSSPGO_MALLOC alone is refused" sh -c "! $CC -DCSSPGO_MALLOC=malloc -c -o $B/macro.o $B/impl.c 2>/dev/null"
    $CC -std=c99 -c -o $B/nm.o $B/impl.c
    check "every global has the prefix" \
        sh -c "nm -g --defined-only $B/nm.o | awk '{ print \$NF }' | grep -v '^csspgo_' | grep -vx main >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    check "no writable data" sh -c "nm $B/nm.o | awk '\$2 ~ /^[BbDdCc]\$/ && \$3 !~ /^\\.L/' >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    if have g++; then build_as c++ "" g++ $WX -O1 -fsanitize=undefined -fno-sanitize-recover=all; else skip "g++ is not installed"; fi
    if have clang-19; then build_as clang "" clang-19 -std=c99 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all; else skip "clang-19 is not installed"; fi
    if have i686-linux-gnu-gcc && have qemu-i386; then
        build_as i686 "qemu-i386" i686-linux-gnu-gcc -std=c99 -O1 -static
    else skip "i686: needs i686-linux-gnu-gcc and qemu-i386"; fi
    if have s390x-linux-gnu-gcc && have qemu-s390x; then
        build_as s390x "qemu-s390x" s390x-linux-gnu-gcc -std=c99 -O1 -static
    else skip "s390x (big-endian): needs s390x-linux-gnu-gcc and qemu-s390x"; fi
}

# harness SOURCE: builds a fuzz harness that replays a corpus
harness() {
    n=$(basename $1 .c)
    $CC -std=c99 -Wall -Wextra -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -o $B/$n $1 ../fuzz/main.c >$B/$n.build 2>&1
}

corpus() {
    rm -f $B/fuzz_*
    ls ../fuzz/fuzz_*.c | xargs -P $J -I SOURCE sh ./run.sh --harness SOURCE
    for f in ../fuzz/fuzz_*.c; do
        n=$(basename $f .c); n=${n#fuzz_}
        if [ -x $B/fuzz_$n ]; then check "corpus of fuzz_$n" $B/fuzz_$n ../fuzz/corpus/$n/*
        else
            fail "fuzz_$n does not build"; head -20 $B/fuzz_$n.build
        fi
    done
}

examples() {
    counted examples sh ./examples.sh
    counted recorded sh ./recorded.sh
    counted tool_profdata sh ./tool_profdata.sh
    counted views sh ./views.sh
    counted jit sh ./jit.sh
    counted record sh ./record.sh
    counted match sh ./match.sh
}

oracle() {
    for s in oracle_*.sh; do
        [ -f "$s" ] || continue
        counted ${s%.sh} sh ./$s
    done
}

case $1 in
--one) shift; one "$@"; exit 0 ;;
--harness) harness "$2"; exit 0 ;;
esac
for group in ${*:-unit modes corpus examples oracle}; do
    $group
done
if [ -n "$STRICT" ] && [ $skipped -ne 0 ]; then
    echo "STRICT: $skipped skipped tests count as failed"
    failed=$((failed + skipped))
fi
[ $skipped -eq 0 ] || echo "$skipped tests were skipped"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
