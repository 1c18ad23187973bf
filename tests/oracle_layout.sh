#!/bin/sh
# Random temporal profiles through our reader, reservoir, writer and partitioning and through llvm-profdata-19 merge and
# order: same bytes. What we write by our own rule it must read, and every trace keeps its names.
#
#     tests/oracle_layout.sh [COUNT (40; with FULL 360) [SEED]]
cd "$(dirname "$0")" || exit 1
CC=${CC:-cc}
B=build/layout
. ./t.sh
count=${1:-$(size 40 360)}
tool=llvm-profdata-19

if ! command -v $tool >/dev/null 2>&1; then
    echo "SKIPPED: $tool is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf $B
mkdir -p $B
if ! make -s build/plain/oracle_layout; then
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
build/plain/oracle_layout generate $B "${2:-1}" "$count" || exit 1
i=0
while [ $i -lt "$count" ]; do
    read -r reservoir length tests _ <$B/$i.options
    $tool merge --text --num-threads=1 --temporal-profile-trace-reservoir-size=$reservoir \
        --temporal-profile-max-trace-length=$length -o $B/$i.merged $B/$i.*.in >/dev/null 2>&1
    # as it is: a reservoir of any size, and traces of any length
    $tool merge --num-threads=1 --temporal-profile-trace-reservoir-size=1000000 \
        --temporal-profile-max-trace-length=1000000 -o $B/$i.indexed $B/$i.merged >/dev/null 2>&1
    : >$B/$i.order
    $tool order --num-test-traces=$tests -o $B/$i.order $B/$i.merged >/dev/null 2>&1
    echo $? >$B/$i.status
    i=$((i + 1))
done
build/plain/oracle_layout write $B "$count" || fail "our own rule"
i=0
while [ $i -lt "$count" ]; do
    $tool merge -o $B/$i.ours.profdata $B/$i.ours >$B/out 2>&1 || fail "case $i: LLVM does not read what we write: $(cat $B/out)"
    if grep -q temporal_prof_traces $B/$i.ours; then
        $tool show --temporal-profile-traces $B/$i.ours.profdata >$B/out
        if grep -q '^ *$' $B/out; then fail "case $i: a name is lost"; else pass; fi
    fi
    i=$((i + 1))
done
build/plain/oracle_layout compare $B "$count" >$B/result
status=$?
read -r p _ f _ s _ <$B/result
passed=$((passed + p)) failed=$((failed + f))
[ $status -eq 0 ] || [ "$f" != 0 ] || fail "compare ended with $status"
finish
