#!/bin/sh
# measure.sh - the tables of README.md: sh measure.sh MINIC CSSPGO FOLDER
#
# A program is recorded with one seed and measured with another. Instructions are callgrind's, of a twentieth of the
# rounds; times are the least of nine runs' user time; bytes are of code.
set -e
minic=$1 csspgo=$2 folder=$3 here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
rounds() { sed "s/ROUNDS = $2/ROUNDS = $3/; s/seed = [0-9]*;/seed = $4;/" "$1"; }
build() {       # build NAME SOURCE OPTION...: NAME and NAME-short
    name=$1 source=$2; shift 2
    "$minic" "$@" -o $name.o $source.c && cc -no-pie -o $name $name.o
    "$minic" "$@" -o $name.o $source-short.c && cc -no-pie -o $name-short $name.o
}
row() {         # row NAME TEXT: time, instructions, bytes
    i=0
    while [ $i -lt 9 ]; do /usr/bin/env bash -c "TIMEFORMAT=%U; time ./$1 >/dev/null" 2>&1; i=$((i + 1)); done | sort -n | head -1 >time
    valgrind --tool=callgrind --callgrind-out-file=/dev/null ./$1-short 2>&1 | sed -n 's/.*Collected : //p' >count
    [ -n "$base" ] || base=$(cat count)
    awk -v text="$2" -v n="$(cat count)" -v base="$base" -v t="$(cat time)" -v size="$(objdump -h $1.o | awk '$2 == ".text" { print $3 }')" \
        'BEGIN { printf "| %s | %.2f M | %+.1f %% | %.3f s | 0x%s |\n", text, n / 1e6, 100 * (n / base - 1), t, size }'
}
for p in vm lz queue; do
    old=$(sed -n 's/.*ROUNDS = \([0-9]*\).*/\1/p' "$here/programs/$p.c")
    rounds "$here/programs/$p.c" $old $old 5 >train.c
    rounds "$here/programs/$p.c" $old $old 77 >$p.c
    rounds "$here/programs/$p.c" $old $((old / 20)) 77 >$p-short.c
    sed -f "$here/programs/edit.sed" $p.c >new$p.c
    sed -f "$here/programs/edit.sed" $p-short.c >new$p-short.c
    "$minic" -o train.o train.c && cc -no-pie -o train train.o
    "$csspgo" record -o train.perf -- ./train >/dev/null 2>&1
    "$csspgo" profgen --binary=train --perfscript=train.perf --gen-cs-nested-profile=0 --csspgo-preinliner=0 -o $p.prof 2>/dev/null
    echo "$p.c"
    base=
    build plain $p;                                     row plain "no profile"
    build flat $p --profile=$p.prof --flat;             row flat "profile without contexts"
    build contexts $p --profile=$p.prof;                row contexts "profile with contexts"
    for o in plain-short flat-short contexts-short; do ./$o; done | uniq | awk 'END { if (NR != 1) print "outputs differ" }'
    gcc -O2 -w -fwrapv -c -o gcc.o $p.c; gcc -o gcc gcc.o; gcc -O2 -w -fwrapv -o gcc-short $p-short.c
    row gcc "gcc -O2"
    echo "$p.c, edited"
    base=
    build plain new$p;                                  row plain "no profile"
    build unmatched new$p --profile=$p.prof --no-match; row unmatched "old profile, not matched"
    build matched new$p --profile=$p.prof;              row matched "old profile, matched"
done
