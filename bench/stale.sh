#!/bin/sh
# stale.sh WORKDIR TOOL [BOOST_OLD BOOST_NEW]: what a profile of version 1 of a program is worth for version 2
#
# Profiles come from software LBR records of the program built with pseudo probes. Version 2 is then compiled with no profile, with
# its own one ("fresh"), with version 1's as it is, with version 1's matched by LLVM 19, and with what csspgo match made of it.
#   blocks    overlap of block counts with the fresh profile, contexts flattened: what the compiler starts from
#   instr.    instructions executed, by callgrind
#   regained  share of the gain (none - fresh) that "dropped" lost and this profile brings back
# The two last arguments are include folders of two releases of Boost; without them only tests/programs/stale.c is measured.
set -e
here=$(cd "$(dirname "$0")" && pwd)
W=$1 TOOL=$2 OLD=$3 NEW=$4
mkdir -p "$W"
cd "$W"
for t in clang++-19 opt-19 valgrind; do command -v $t >/dev/null 2>&1 || { echo "SKIPPED: $t is not installed"; exit 0; }; done
FRAMES="-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -no-pie"
: >empty.prof

# build PROGRAM VERSION OUT FLAGS...
build() {
    p=$1 v=$2 out=$3
    shift 3
    if [ $p = stale ]; then
        clang-19 -O2 -g -w -fpseudo-probe-for-profiling -DVERSION=$v "$@" -o $out "$here/../tests/programs/stale.c"
    else
        [ $v = 1 ] && inc=$OLD || inc=$NEW
        clang++-19 -std=c++17 -O2 -g -w -Wno-enum-constexpr-conversion -fpseudo-probe-for-profiling -isystem "$inc" "$@" -o $out "$here/stale_boost.cpp"
    fi
}

# applied LL PROFILE SALVAGE: the counts that opt gives to the blocks of each function, as a profile
applied() {
    opt-19 -passes=pseudo-probe,sample-profile -disable-sample-loader-inlining -salvage-stale-profile=$3 -sample-profile-file=$2 -disable-output \
        -pass-remarks-output=$1.yaml -pass-remarks-filter=sample-profile $1 2>/dev/null
    awk '/^Function:/ { f = $2; gsub(/\047/, "", f) }
         /NumSamples:/ { n = $3; gsub(/\047/, "", n) }
         /ProbeId:/ { id = $3; gsub(/\047/, "", id); if (!((f, id) in c)) { c[f, id] = n; ids[f] = ids[f] " " id; sum[f] += n } }
         END { for (f in ids) { k = split(ids[f], v, " "); print f ":" sum[f] ":0"; for (i = 1; i <= k; i++) print " " v[i] ": " c[f, v[i]] } }' $1.yaml |
    awk '/^[^ ]/ { if (n) flush(); name = $0; n = 0; next } { n++; id[n] = $1 + 0; row[n] = $0 }
         function flush(  i, j, t) { print name
             for (i = 2; i <= n; i++) for (j = i; j > 1 && id[j - 1] > id[j]; j--) { t = id[j]; id[j] = id[j - 1]; id[j - 1] = t; t = row[j]; row[j] = row[j - 1]; row[j - 1] = t }
             for (i = 1; i <= n; i++) print row[i] }
         END { if (n) flush() }'
}

# blocks PROFILE: only blocks of the new version, functions without contexts
flat() { "$TOOL" merge --sample --text --convert-sample-profile-layout=flat "$1" -o "$2"; }

cost() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/^==.*Collected : //p'; }

for p in stale ${NEW:+boost}; do
    [ $p = stale ] && short=6 args=60 || short=1 args=3
    for v in 1 2; do
        build $p $v $p.v$v $FRAMES
        "$TOOL" record --quiet --period=97 -o $p.v$v.script -- ./$p.v$v $short >/dev/null
        "$TOOL" profgen --quiet --binary=$p.v$v --perfscript=$p.v$v.script --format=text -o $p.v$v.prof
        flat $p.v$v.prof $p.v$v.flat
    done
    "$TOOL" match --old-profile=$p.v1.prof --binary=$p.v2 --format=text -o $p.ours.prof >$p.report
    "$TOOL" match --quiet --old-profile=$p.v1.flat --binary=$p.v2 --format=text -o $p.ours.flat
    build $p 2 $p.ll -fprofile-sample-use=empty.prof -Xclang -disable-llvm-passes -S -emit-llvm
    for k in fresh:v2:0 dropped:v1:0 llvm19:v1:1 ours:ours:0; do
        k=$(echo $k | tr : ' ')
        set -- $k
        applied $p.ll $p.$2.flat $3 >$p.$1.applied
    done
    echo "$p"
    printf '%-10s %8s %14s %9s\n' profile blocks instr. regained
    build $p 2 $p.none.exe
    none=$(cost ./$p.none.exe $args)
    printf '%-10s %8s %14s %9s\n' none - $none -
    for k in fresh:v2:1 dropped:v1:0 llvm19:v1:1 ours:ours:1; do
        k=$(echo $k | tr : ' ')
        set -- $k
        build $p 2 $p.$1.exe -fprofile-sample-use=$p.$2.prof -mllvm -salvage-stale-profile=$3
        n=$(cost ./$p.$1.exe $args)
        [ $1 = fresh ] && fresh=$n
        [ $1 = dropped ] && dropped=$n
        o=$("$TOOL" overlap --quality $p.fresh.applied $p.$1.applied | awk '/^blocks of functions/ { print $4 "%" }')
        r=$(awk "BEGIN { d = ${dropped:-0} - $fresh; if (d == 0 || \"$1\" == \"fresh\") print \"-\"; else printf \"%.1f%%\", 100 * ($dropped - $n) / d }")
        printf '%-10s %8s %14s %9s\n' $1 "$o" $n "$r"
    done
    echo "csspgo match:"
    sed 's/^/    /' $p.report
done
