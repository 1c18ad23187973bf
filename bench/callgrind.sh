#!/bin/sh
# callgrind.sh [update], called by the Makefile: instructions (callgrind) of ten commands of the tool on inputs that are
# in the repository or made here, beside those of instructions.tsv; says what has grown by more than 3 %, and does not
# fail on it. update: they become the table. Counts depend on compiler and C library, which the table names.
set -e
cd "$(dirname "$0")"
B=$PWD/build/callgrind D=$PWD/../tests/data
TABLE=$PWD/instructions.tsv
mkdir -p $B
command -v valgrind >/dev/null 2>&1 || { echo "valgrind is not installed"; exit 1; }
[ -n "$TOOL" ] || { TOOL=$B/csspgo; ${CC:-cc} -std=c99 -O2 -g1 -w -o $TOOL ../examples/tool/*/*.c -lpthread; }
with="$(${CC:-cc} -dumpfullversion 2>/dev/null || ${CC:-cc} -dumpversion) $(uname -m) $(getconf GNU_LIBC_VERSION 2>/dev/null)"
for k in cs nested; do
    [ -s $B/$k.text ] || build/gen_profile $k 4000000 1 >$B/$k.text
    [ -s $B/$k.ext ] || $TOOL merge $B/$k.text -o $B/$k.ext
done
samples() { # MOST DISTINCT: samples of demo.probe, of which so many are distinct
    echo "PERF_RECORD_MMAP2 1000/1000: [0x401000(0x1000) @ 0x1000 00:1d 1001 1]: r-xp /x/demo.probe"
    awk -v most=$1 -v distinct=$2 'BEGIN { for (i = 0; i < most; i++) {
        n = i * 7919 % distinct
        printf "\t          %x\n\t          4011c4\n\t          40124d\n", 4198736 + n % 29
        for (k = 0; k < 16; k++) printf " 0x%x/0x401150/P/-/-/%d ", 4198736 + n * (k + 7) % 311, (n + k) % 97
        print "\n" } }'
}
[ -s $B/distinct.ps ] || samples 20000 20000 >$B/distinct.ps
[ -s $B/again.ps ] || samples 60000 500 >$B/again.ps
[ -s $B/data ] || { make -s -C ../tests build/plain/make_perfdata && ../tests/build/plain/make_perfdata file <$B/distinct.ps >$B/data; }

# row NAME ARGUMENT...: millions, now and in the table
row() {
    name=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file=$B/out $TOOL "$@" >/dev/null 2>&1 || true
    now=$(awk '/^(summary|totals):/ { printf "%.1f\n", $2 / 1e6; exit }' $B/out)
    printf '%s\t%s\n' "$name" "$now" >>$B/now.tsv
    was=$(awk -F '\t' -v name="$name" '$1 == name { print $2 }' $TABLE 2>/dev/null || true)
    echo "$was $now" | awk -v name="$name" 'NF == 2 { d = 100 * ($2 / $1 - 1)
        printf("| %s | %.1f | %.1f | %+.1f %%%s |\n", name, $1, $2, d, (d > 3 ? ", more than 3 %" : "")) }
        NF == 1 { printf "| %s | | %.1f | new |\n", name, $1 }'
}
printf 'made with\t%s\n' "$with" >$B/now.tsv
was=$(awk -F '\t' '$1 == "made with" { print $2 }' $TABLE 2>/dev/null || true)
[ -z "$was" ] || [ "$was" = "$with" ] || echo "the table is of another compiler or C library ($was; here $with): differences may be theirs"
printf '| M instructions | table | now | |\n| --- | --- | --- | --- |\n'
made="profgen -j 1 --quiet --max-dropped=100 --binary=$D/unwind/bin/demo.probe -o $B/result"
row "samples, distinct" $made --perfscript=$B/distinct.ps
row "samples, again and again" $made --perfscript=$B/again.ps
row "samples, no contexts" $made --perfscript=$B/distinct.ps --ignore-stack-samples
row "samples to raw counters" $made --perfscript=$B/distinct.ps --skip-symbolization
row "samples of perf.data" $made --perfdata=$B/data
row "text with contexts to ExtBinary" merge $B/cs.text -o $B/result
row "nested text to ExtBinary" merge $B/nested.text -o $B/result
row "ExtBinary to text" merge --text $B/cs.ext -o $B/result
row "merge of 2, nested" merge -j 1 $B/nested.ext $B/nested.ext -o $B/result
row "nest" merge --convert-sample-profile-layout=nest $B/cs.ext -o $B/result
[ "$1" != update ] || cp $B/now.tsv $TABLE
