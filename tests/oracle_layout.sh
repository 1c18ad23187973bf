#!/bin/sh
# Random temporal profiles through our reader, reservoir, writer and partitioning, and through our tool, and through
# llvm-profdata-19 merge and order: same bytes. What we write by our own rule it must read, and every trace keeps its
# names. What the tool says of bad profiles is what LLVM's says.
#
#     tests/oracle_layout.sh [COUNT (40; with FULL 200) [SEED]]
cd "$(dirname "$0")" || exit 1
CC=${CC:-cc}
B=build/layout
. ./t.sh
count=${1:-$(size 30 200)}
tool=llvm-profdata-19

if ! command -v $tool >/dev/null 2>&1; then
    echo "SKIPPED: $tool is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf $B
mkdir -p $B
T=build/plain/csspgo
if ! make -s build/plain/oracle_layout $T; then
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
again $tool
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

# ordered NAME [OPTION...] FILE: the tool's output, messages and exit status are LLVM's
ordered() {
    name=$1
    shift
    $tool order "$@" >$B/want 2>$B/want.said </dev/null
    want=$?
    $T order --llvm-compat "$@" >$B/got 2>$B/got.said </dev/null
    got=$?
    if [ $got -eq $want ] && cmp -s $B/want $B/got && same_text $B/want.said $B/got.said; then pass; else
        fail "order $name: status $got, LLVM's $want"; diff $B/want $B/got | head -3; diff $B/want.said $B/got.said | head -4
    fi
}
# what is written indexed is the same for LLVM, in as many bytes, with the same header and summary
i=0
while [ $i -lt "$count" ]; do
    $T merge --llvm-compat --temporal-profile-trace-reservoir-size=1000000 --temporal-profile-max-trace-length=1000000 \
        -o $B/$i.written $B/$i.merged >$B/out 2>&1 || fail "case $i: $(cat $B/out)"
    $tool merge --text --num-threads=1 --temporal-profile-trace-reservoir-size=1000000 \
        --temporal-profile-max-trace-length=1000000 -o $B/$i.again $B/$i.written >$B/out 2>&1
    $tool merge --text --num-threads=1 --temporal-profile-trace-reservoir-size=1000000 \
        --temporal-profile-max-trace-length=1000000 -o $B/$i.llvm $B/$i.indexed >$B/out 2>&1
    if cmp -s $B/$i.llvm $B/$i.again; then pass; else fail "case $i: written indexed"; diff $B/$i.llvm $B/$i.again | head -4; fi
    if [ $(wc -c <$B/$i.written) -eq $(wc -c <$B/$i.indexed) ] && cmp -s -n 520 $B/$i.written $B/$i.indexed; then pass; else fail "case $i: the header of an indexed profile"; fi
    i=$((i + 1))
done
i=0
while [ $i -lt "$count" ]; do
    read -r reservoir length tests _ <$B/$i.options
    ordered "case $i" --num-test-traces=$tests $B/$i.merged
    ordered "case $i, indexed" -num-test-traces $tests $B/$i.indexed
    i=$((i + 1))
done
D=data/temporal
for f in $D/*.profraw $D/*.profdata $D/*.proftext $D $D/none; do ordered $f $f; done
for k in 1 4 5 13 14; do ordered "o40, $k tests" --num-test-traces=$k $D/o40.proftext; ordered "o1000, $k tests" --num-test-traces=$k $D/o1000.proftext; done
ordered "no file"
ordered "a directory that is not there" -o $B/none/x $D/o40.proftext
cp $D/o40.proftext $B/same.proftext && ordered "its own output" -o $B/same.proftext $B/same.proftext
for ours in "" --llvm-compat; do
    : >$B/to
    $( [ -n "$ours" ] && echo $T || echo $tool ) order $ours -o $B/to $D/o40.proftext && cmp -s $B/to $D/o40.order19.h0.txt && pass || fail "order -o $ours"
done
# bad NAME BYTES: a profile of these, with printf's escapes
bad() {
    printf "$2" >$B/bad
    ordered "$1" $B/bad
}
bad "an empty profile" ''
bad "a count is missing" ':ir\n:temporal_prof_traces\n2\n'
bad "a count is none" ':ir\n:temporal_prof_traces\nx\n'
bad "a weight is negative" ':ir\n:temporal_prof_traces\n1\n1\n-1\nmain,\n'
bad "a trace is missing" ':ir\n:temporal_prof_traces\n2\n2\n1\nmain,\n'
bad "an unknown header" ':foo\n'
bad "blank lines" '\n\n\n'
bad "no text" '\001\002garbage garbage'
bad "a short binary" '\377lp'
bad "an indexed profile of 8 bytes" '\377lprofi\201'
bad "another indexed version" "\377lprofi\201\017\0\0\0\0\0\0\0$(printf '%0100d' 0)"
bad "another raw version" "\201rforpl\377\003\0\0\0\0\0\0\0$(printf '%0112d' 0)"
bad "another raw version, short" "\201rforpl\377\003\0\0\0\0\0\0\0$(printf '%0111d' 0)"
bad "a raw profile of 8 bytes" '\201rforpl\377'
for n in 1 8 20 80 100 500 900 952 960 970 1071; do head -c $n $D/basic.profdata >$B/bad; ordered "$n bytes of an indexed profile" $B/bad; done
for n in 1 8 20 100 300 560 600; do head -c $n $D/run_c_a.profraw >$B/bad; ordered "$n bytes of a raw profile" $B/bad; done
# raw profiles behind each other, also with value profiles in between
cat $D/run_c_a.profraw $D/run_b_a.profraw $D/run_c_a.profraw >$B/three.profraw && ordered "three raw profiles" $B/three.profraw
cat $D/run_b_a.profraw $D/run_blockcov.profraw >$B/mixed.profraw && ordered "a raw profile and one of coverage" $B/mixed.profraw
cat >$B/values.c <<'C'
static int a(int x) { return x + 1; }
static int b(int x) { return x * 3; }
int main(int n, char **v) { int (*f[2])(int) = { a, b }, i, s = n; for (i = 0; i < 9; i++) s = f[(i + (v != 0)) & 1](s); return s == 0; }
C
if clang-19 -O1 -w -fprofile-generate -mllvm -pgo-temporal-instrumentation -o $B/values $B/values.c >/dev/null 2>&1; then
    for i in 1 2 3; do LLVM_PROFILE_FILE=$B/values.$i $B/values || fail "values"; done
    cat $B/values.1 $B/values.2 $B/values.3 >$B/values.profraw
    for f in $B/values.1 $B/values.profraw; do ordered "a raw profile with values" $f; done
else skip "clang-19 has no profile runtime"; fi

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
