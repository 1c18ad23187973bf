#!/bin/sh
# CSSPGO_VALIDATE tells of mistakes in calls of every public function: objects that are NULL or were freed, handles of another
# profile, arrays and other pointers that are NULL, also those in structs. misuse.awk makes the calls, misuse.c runs them.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/misuse
mkdir -p $B
CC=${CC:-cc}
! have clang-19 || CC=clang-19
printf '#include "../csspgo.h"\n' | $CC -E -P -DCSSPGO_ALL -DCSSPGO_VALIDATE -x c - | tr '\n' ' ' | tr ';' '\n' |
    awk -f misuse.awk >$B/calls.inc
[ "$(grep -c '^static void call_' $B/calls.inc)" -gt 300 ] && pass || fail "the public functions are not found"
check "it compiles" $CC -std=gnu99 -w -O0 -g1 -o $B/misuse misuse.c
ran=$(cd $B && ./misuse 2>dumps | tee out | tail -1)      # it writes a file, x
grep '^FAILED' $B/out
case $ran in
*" passed, "*) passed=$((passed + ${ran%% *})) rest=${ran#* passed, } failed=$((failed + ${rest%% *})) ;;
*) fail "misuse ends: $ran" ;;
esac
finish
