#!/bin/sh
# instructions.sh [COMMIT], called by the Makefile, which makes its inputs: instructions (callgrind) of the tool on fixed
# inputs, of this tree and of COMMIT, and their ratio. Times vary by 5 % on a busy machine; these counts do not.
set -e
cd "$(dirname "$0")"
B=$PWD/build/instructions
mkdir -p $B
command -v valgrind >/dev/null 2>&1 || { echo "valgrind is not installed"; exit 1; }
# tool TREE OUTPUT
tool() {
    set -- $1 $2 $(find $1/examples/tool $1/examples/csspgo.c -name '*.c' 2>/dev/null)
    to=$2
    shift 2
    ${CC:-cc} -std=c99 -O2 -g1 -o $to "$@"
}
tool .. $B/new
if [ -n "$1" ]; then
    rm -rf $B/tree
    mkdir $B/tree
    git -C .. archive "$1" csspgo.h examples | tar -x -C $B/tree
    tool $B/tree $B/old
fi
[ -s $B/cs.text ] || build/gen_profile cs 4000000 1 >$B/cs.text
[ -s $B/nested.text ] || build/gen_profile nested 4000000 1 >$B/nested.text
[ -s $B/20k.ps ] || build/windows build/json.trace build/json 20000 >$B/20k.ps
for k in cs nested; do [ -s $B/$k.ext ] || $B/new merge --sample --extbinary $B/$k.text -o $B/$k.ext; done
# count WHICH ARGUMENT...: in millions
count() {
    which=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file=$B/out $B/$which "$@" >/dev/null 2>$B/said || true
    awk '/^(summary|totals):/ { printf "%.1f\n", $2 / 1e6; exit }' $B/out
}
# row NAME ARGUMENT...
row() {
    name=$1
    shift
    new=$(count new "$@")
    if [ -x $B/old ]; then
        old=$(count old "$@")
        echo "| $name | $old | $new | $(echo "$old $new" | awk '{ printf "%+.1f %%", 100 * ($2 / $1 - 1) }') |"
    else echo "| $name | $new |"; fi
}
if [ -n "$1" ]; then printf '| M instructions | %s | now | |\n| --- | --- | --- | --- |\n' "$1"; else printf '| work | M instructions |\n| --- | --- |\n'; fi
for k in cs nested; do
    row "read text, $k" show --sample --llvm-compat --function=none $B/$k.text      # the tool says that there is none
    row "read ExtBinary, $k" show --sample --llvm-compat --function=none $B/$k.ext
    row "text to ExtBinary, $k" merge --sample --extbinary $B/$k.text -o $B/result
    row "ExtBinary to text, $k" merge --sample --text $B/$k.ext -o $B/result
    row "merge of 2 ExtBinary, $k" merge --sample --extbinary $B/$k.ext $B/$k.ext -o $B/result
    row "overlap, $k" overlap --sample $B/$k.ext $B/$k.ext
done
row "flatten" merge --sample --text --convert-sample-profile-layout=flat $B/cs.ext -o $B/result
row "nest" merge --sample --text --convert-sample-profile-layout=nest $B/cs.ext -o $B/result
generate="profgen --quiet --binary=build/json --perfscript=$B/20k.ps --output=$B/result"
row "samples to contexts" $generate --csspgo-preinliner=0 --gen-cs-nested-profile=0
row "samples to contexts, pre-inliner" $generate
row "samples, no contexts" $generate --ignore-stack-samples
row "samples to raw counters" $generate --skip-symbolization
