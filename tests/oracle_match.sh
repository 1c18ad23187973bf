#!/bin/sh
# oracle_match.sh [CASES (5; with FULL 20)]: random functions, changed at random, with a profile of the old one: opt-19 against mode LLVM19.
# Ends with "N passed, N failed, N skipped".
cd "$(dirname "$0")" || exit 1
. ./t.sh
cases=${1:-$(size 5 20)}
B=build/oracle_match
mkdir -p $B
for t in clang-19 opt-19; do
    command -v $t >/dev/null 2>&1 || { echo "SKIPPED: $t is not installed"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
done
make -s build/plain/oracle_match || exit 1
again opt-19
: >$B/empty.prof

# program SEED CHANGES: statements are the same for the same seed; CHANGES 1 inserts, drops and renames some of them
program() {
    awk -v seed="$1" -v changes="$2" 'function rnd(n) { state = (state * 16807) % 2147483647; return state % n }
    function other(n) { more = (more * 48271) % 2147483647; return more % n }
    BEGIN {
        state = seed * 7919 + 1; more = seed * 104729 + 3
        for (i = 0; i < 9; i++) printf "int f%d(int);\n", i
        print "int test(int x, int y) {\n int r = 0;"
        n = 4 + rnd(14)
        for (i = 0; i < n; i++) {
            k = rnd(4); c = rnd(7); m = 1 + rnd(255)
            if (changes && other(8) == 0) continue
            if (changes && other(6) == 0) printf " if (y & %d)\n  r += %d;\n", 1 + other(255), other(90)
            if (changes && other(9) == 0) printf " r += f%d(r);\n", other(9)
            if (k == 0) printf " r += f%d(x);\n", c
            if (k == 1) printf " if (x & %d)\n  r += f%d(y);\n", m, c
            if (k == 2) printf " if (y & %d)\n  r ^= %d;\n", m, m
            if (k == 3) printf " while (x > %d) {\n  x -= f%d(r) + 1;\n }\n", m, c
        }
        print " return r;\n}"
    }'
}

# probes LL: "checksum N", then "id block" or "id callee" ascending
probes() {
    awk '/^!llvm.pseudo_probe_desc/ { desc = $0 }
    /call void @llvm.pseudoprobe/ { split($0, a, /i64 /); sub(/,.*/, "", a[3]); print a[3], "block" }
    / call i32 @f[0-9]/ { name = $0; sub(/.*@/, "", name); sub(/\(.*/, "", name); d = $0; sub(/.*!dbg !/, "", d); sub(/[^0-9].*/, "", d)
                          callee[++calls] = name; at[calls] = d }
    /^![0-9]+ = !DILocation\(/ { id = substr($1, 2); s = $0; sub(/.*scope: !/, "", s); sub(/[^0-9].*/, "", s); scope[id] = s }
    /^![0-9]+ = (distinct )?!DILexicalBlockFile\(.*discriminator:/ { id = substr($1, 2); s = $0; sub(/.*discriminator: /, "", s)
                          sub(/[^0-9].*/, "", s); disc[id] = s }
    /^![0-9]+ = !\{i64 [-0-9]+, i64 [0-9]+, !"test"\}/ { s = $0; sub(/.*i64 /, "", s); sub(/,.*/, "", s); sum = s }
    END { print "checksum", sum
          for (i = 1; i <= calls; i++) print int(disc[scope[at[i]]] / 8) % 65536, callee[i] }' "$1" | sort -n
}

passed=0 failed=0 i=0
while [ $i -lt "$cases" ]; do
    i=$((i + 1))
    for v in 0 1; do
        program $i $v >$B/v$v.c
        clang-19 -O2 -g -fpseudo-probe-for-profiling -fprofile-sample-use=$B/empty.prof -Xclang -disable-llvm-passes -S -emit-llvm \
            $B/v$v.c -o $B/v$v.ll 2>/dev/null && opt-19 -passes=pseudo-probe -S $B/v$v.ll -o $B/p$v.ll && probes $B/p$v.ll >$B/v$v.probes
    done
    { echo "test:100000:1001"
      awk '$1 != "checksum" { if ($2 == "block") print " " $1 ": " 1000 + $1; else print " " $1 ": " 1000 + $1, $2 ":" 1000 + $1 }' $B/v0.probes
      awk '$1 == "checksum" { print " !CFGChecksum: " $2 }' $B/v0.probes; } >$B/v0.prof
    opt-19 -passes=pseudo-probe,sample-profile -report-profile-staleness -sample-profile-file=$B/v0.prof -S $B/v1.ll -o /dev/null \
        -pass-remarks=sample-profile -pass-remarks-analysis=sample-profile 2>$B/opt.$i.txt
    line=$(build/plain/oracle_match $B/v1.probes $B/v0.prof $B/opt.$i.txt)
    set -- $line
    passed=$((passed + ${1:-0})) failed=$((failed + ${3:-1}))
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
