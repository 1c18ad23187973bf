#!/bin/sh
# stale.sh WORKDIR TOOL [BOOST_OLD BOOST_NEW]: what a profile of version 1 of a program is worth for version 2
#
# Profiles come from software LBR records of the program built with pseudo probes. Version 2 is then compiled with no profile, with
# its own one ("fresh"), with version 1's as it is, with version 1's matched by LLVM 19, and with what csspgo match made of it.
#   blocks    overlap of block counts with the fresh profile, contexts flattened: what the compiler starts from
#   instr.    instructions executed, by callgrind
#   regained  share of the gain (none - fresh) that "dropped" lost and this profile brings back
# Programs: tests/programs/stale.c; twelve of gen_stale (SEEDS), as on one program a few branches decide; a driver over
# Boost if the two last arguments, include folders of two releases, are given. ONLY="stale gen1": these only.
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
    case $p in
    stale) clang-19 -O2 -g -w -fpseudo-probe-for-profiling -DVERSION=$v "$@" -o $out "$here/../tests/programs/stale.c" ;;
    gen*)
        ./gen_stale -c ${p#gen} $v >gen.c               # one name for both: names of static functions contain a hash of it
        clang-19 -O2 -g -w -fpseudo-probe-for-profiling "$@" -o $out gen.c ;;
    *)
        [ $v = 1 ] && inc=$OLD || inc=$NEW
        clang++-19 -std=c++17 -O2 -g -w -Wno-enum-constexpr-conversion -fpseudo-probe-for-profiling -isystem "$inc" "$@" -o $out "$here/stale_boost.cpp" ;;
    esac
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

# flat PROFILE OUT: functions without contexts
flat() { "$TOOL" merge --quiet --sample --text --convert-sample-profile-layout=flat "$1" -o "$2"; }

cost() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/^==.*Collected : //p'; }

[ -z "$NEW" ] || boost=boost
cc -std=c99 -O2 -o gen_stale "$here/gen_stale.c"
: >all.rows
for p in ${ONLY:-stale $(seq -f gen%g ${SEEDS:-12}) $boost}; do
    case $p in stale) short=6 args=60 ;; gen*) short=3 args=10 ;; *) short=1 args=3 ;; esac
    for v in 1 2; do
        build $p $v $p.v$v $FRAMES
        "$TOOL" record --quiet --period=97 -o $p.v$v.script -- ./$p.v$v $short >/dev/null
        "$TOOL" profgen --max-dropped=100 --quiet --binary=$p.v$v --perfscript=$p.v$v.script --format=text -o $p.v$v.prof
        flat $p.v$v.prof $p.v$v.flat
    done
    "$TOOL" match --old-profile=$p.v1.prof --binary=$p.v2 --format=text -o $p.ours.prof >$p.report
    "$TOOL" match --quiet --old-profile=$p.v1.flat --binary=$p.v2 --format=text -o $p.ours.flat
    build $p 2 $p.ll -fprofile-sample-use=empty.prof -Xclang -disable-llvm-passes -S -emit-llvm
    build $p 2 $p.none.exe
    none=$(cost ./$p.none.exe $args)
    for k in fresh:v2:1 dropped:v1:0 llvm19:v1:1 ours:ours:1; do
        k=$(echo $k | tr : ' ')
        set -- $k
        applied $p.ll $p.$2.flat $3 >$p.$1.applied
        build $p 2 $p.$1.exe -fprofile-sample-use=$p.$2.prof -mllvm -salvage-stale-profile=$3
        n=$(cost ./$p.$1.exe $args)
        o=$("$TOOL" overlap --quality $p.fresh.applied $p.$1.applied | awk '/^blocks of functions/ { print $4 + 0 }')
        echo $p $none $1 $n $o >>all.rows
    done
done
awk '{ none[$1] = $2; n[$1, $3] = $4; o[$1, $3] = $5; if (!($1 in seen)) { seen[$1]; order[++count] = $1 } }
     function back(p, k,  d) {
         d = n[p, "dropped"] - n[p, "fresh"]
         return d != 0 ? 100 * (n[p, "dropped"] - n[p, k]) / d : 0
     }
     function keep(kind, x,  i) {                       # sorted
         for (i = ++m[kind]; i > 1 && v[kind, i - 1] > x; i--) v[kind, i] = v[kind, i - 1]
         v[kind, i] = x
     }
     function median(kind) { return (v[kind, int((m[kind] + 1) / 2)] + v[kind, int(m[kind] / 2) + 1]) / 2 }
     END {
         h = "%-8s %11s %11s %11s %11s %11s | %8s %8s | %7s %7s %7s\n"
         printf h, "", "instr.:", "", "", "", "", "regained", "", "blocks:", "", ""
         printf h, "", "none", "fresh", "dropped", "llvm19", "ours", "llvm19", "ours", "dropped", "llvm19", "ours"
         for (i = 1; i <= count; i++) {
             p = order[i]
             printf "%-8s %11d %11d %11d %11d %11d | %7.1f%% %7.1f%% | %6.1f%% %6.1f%% %6.1f%%\n", p, none[p], n[p, "fresh"],
                    n[p, "dropped"], n[p, "llvm19"], n[p, "ours"], back(p, "llvm19"), back(p, "ours"), o[p, "dropped"],
                    o[p, "llvm19"], o[p, "ours"]
             if (p !~ /^gen/) continue
             keep("l", back(p, "llvm19")); keep("o", back(p, "ours"))
             keep("bd", o[p, "dropped"]); keep("bl", o[p, "llvm19"]); keep("bo", o[p, "ours"])
             better += n[p, "ours"] < n[p, "llvm19"]
             lost += n[p, "dropped"] - n[p, "fresh"]; l += n[p, "dropped"] - n[p, "llvm19"]; u += n[p, "dropped"] - n[p, "ours"]
             rl += back(p, "llvm19"); ro += back(p, "ours")
         }
         if (!m["l"]) exit
         printf "of %d generated: regained, llvm19 / ours: median %.1f%% / %.1f%%, mean %.1f%% / %.1f%%, least %.1f%% / %.1f%%;", m["l"],
                median("l"), median("o"), rl / m["l"], ro / m["l"], v["l", 1], v["o", 1]
         printf " fewer instructions with ours: %d\n", better
         printf "blocks, median: dropped %.1f%%, llvm19 %.1f%%, ours %.1f%%\n", median("bd"), median("bl"), median("bo")
     }' all.rows
