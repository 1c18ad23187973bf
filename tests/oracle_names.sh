#!/bin/sh
# Compares the tool's names of C++ with llvm-cxxfilt-19's: symbols of libstdc++; with FULL=1 of every library of this machine.
cd "$(dirname "$0")" || exit 1
. ./t.sh
if ! have llvm-cxxfilt-19 || ! have nm; then skip "no llvm-cxxfilt-19, no nm"; finish; fi
B=build/oracle_names
rm -rf $B
mkdir -p $B
${CC:-cc} -O1 -std=c99 -o $B/names demangle_lines.c ../examples/tool/demangle/*.c || { fail "demangle.c"; finish; }
for f in /usr/lib/*-linux-gnu/$(size libstdc++.so.6 '*.so*') $(size '' '/usr/lib/llvm-*/lib/*.so* /usr/lib/chromium/*.so'); do
    [ ! -f "$f" ] || readlink -f "$f"
done | sort -u | while read -r f; do nm -D "$f" 2>/dev/null; done | grep -oE '_Z[^ @]*' | sort -u >$B/symbols
if [ ! -s $B/symbols ]; then skip "no library of C++"; finish; fi
$B/names <$B/symbols >$B/ours && llvm-cxxfilt-19 <$B/symbols >$B/llvm || fail "a demangler fails"
# one name in 10,000 may differ: a library of another machine may hold what is new; names of more than 8 KB stay as they are
paste -d'\n' $B/symbols $B/ours $B/llvm | awk -v file=$B/differ '
NR % 3 == 1 { name = $0; n++ }
NR % 3 == 2 { ours = $0 }
NR % 3 == 0 && ours != $0 && $0 != name && length($0) < 8192 { differ++; print name "\n  " ours "\n  " $0 >file }
END { printf "%d names, %d differ\n", n, differ; exit differ * 10000 > n }' >$B/said && pass || fail "$(cat $B/said): $(head -3 $B/differ)"
cat $B/said
finish
