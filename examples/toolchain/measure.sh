#!/bin/sh
# measure.sh - the tables of README.md: sh measure.sh MINIC CSSPGO FOLDER
#
# A program is recorded for four times the rounds and with another seed than it is measured. Instructions are
# callgrind's, of a twentieth of the rounds; times are the least user time of nine runs; bytes are of code.
set -e
minic=$1 csspgo=$2 folder=$3 here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
variant() {     # variant PROGRAM DIVISOR SEED
    awk -v divisor=$2 -v seed=$3 '{
        if (match($0, /ROUNDS = [0-9]+/))
            sub(/ROUNDS = [0-9]+/, "ROUNDS = " int(substr($0, RSTART + 9, RLENGTH - 9) / divisor))
        sub(/seed = [0-9]+;/, "seed = " seed ";")
        print
    }' "$here/programs/$1.c"
}
build() {       # build NAME SOURCE OPTION...: NAME and NAME-short
    name=$1 source=$2
    shift 2
    "$minic" "$@" -o $name.o $source.c && cc -no-pie -o $name $name.o
    "$minic" "$@" -o $name.o $source-short.c && cc -no-pie -o $name-short $name.o
}
row() {         # row NAME TEXT: instructions, time, bytes
    for i in 1 2 3 4 5 6 7 8 9; do bash -c "TIMEFORMAT=%U; time ./$1 >/dev/null" 2>&1; done | sort -n | head -1 >time
    valgrind --tool=callgrind --callgrind-out-file=/dev/null ./$1-short 2>&1 | sed -n 's/.*Collected : //p' >count
    [ -n "$base" ] || base=$(cat count)
    size -A $1.o | awk -v text="$2" -v n="$(cat count)" -v base="$base" -v t="$(cat time)" '
        /^\.text/ { size += $2 }
        END { printf "| %s | %.1f M | %+.1f %% | %.3f s | %d |\n", text, n / 1e6, 100 * (n / base - 1), t, size }'
}
for p in vm lz queue; do
    variant $p 0.25 5 >train.c
    variant $p 1 77 >$p.c
    variant $p 20 77 >$p-short.c
    sed -f "$here/programs/edit.sed" $p.c >new$p.c
    sed -f "$here/programs/edit.sed" $p-short.c >new$p-short.c
    "$minic" -o train.o train.c && cc -no-pie -o train train.o
    "$csspgo" record -o train.perf -- ./train >/dev/null 2>&1
    "$csspgo" profgen --binary=train --perfscript=train.perf --gen-cs-nested-profile=0 --csspgo-preinliner=0 \
        -o $p.prof 2>/dev/null
    base=
    build plain $p
    build flat $p --profile=$p.prof --flat
    build contexts $p --profile=$p.prof
    for o in plain flat contexts; do ./$o; done | uniq | awk 'END { if (NR != 1) print "outputs differ" }'
    row plain "\`$p.c\`, no profile"
    row flat "profile, contexts added up"
    row contexts "profile with contexts"
    gcc -O2 -w -fwrapv -c -o gcc.o $p.c && gcc -o gcc gcc.o && gcc -O2 -w -fwrapv -o gcc-short $p-short.c
    row gcc "gcc -O2"
    base=
    build plain new$p
    build unmatched new$p --profile=$p.prof --no-match
    build matched new$p --profile=$p.prof
    row plain "\`$p.c\`, edited, no profile"
    row unmatched "old profile, without matching"
    row matched "old profile, matched"
done
