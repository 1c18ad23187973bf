#!/bin/sh
# examples/toolchain: a compiler that is not LLVM. Its programs do what gcc's do, with a profile or without; llvm-profgen-19
# reads their probes; calls are inlined by context; a profile of older source is carried over.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/toolchain
T=$(pwd)/build/plain/csspgo
make -s build/plain/csspgo build/san/lib.o || { fail "the tool does not build"; finish; }
[ "$(uname -sm)" = "Linux x86_64" ] || { skip "examples/toolchain: x86-64 Linux only"; finish; }
rm -rf $B; mkdir -p $B
CC=${CC:-cc}
$CC -std=c99 -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wconversion -Wsign-conversion -Werror \
    -DCSSPGO_IMPLEMENTATION_INCLUDED -o $B/minic ../examples/toolchain/*.c build/san/lib.o $LIBZ -lm 2>$B/err ||
    { fail "minic does not build"; head -5 $B/err; finish; }
P=$(pwd)/../examples/toolchain/programs D=$(pwd)/data/toolchain
S=$(pwd)/make_toolchain.pl
cd $B || exit 1
mkdir -p build            # of t.sh
minic() { ./minic "$@" && $CC -no-pie -o "${2%.o}" "$2"; }     # minic -o NAME.o ...: NAME
theirs() { $CC -O0 -w -fwrapv -o theirs "$1" && ./theirs; }
record() { "$T" record --exact --max-branches=${2:-300000} -o $1.x -- ./$1 >/dev/null 2>&1; }
profile() {     # profile NAME: NAME.prof, with all contexts; the same by llvm-profgen-19 and by the tool in compat mode
    "$T" profgen --binary=$1 --perfscript=$1.x --gen-cs-nested-profile=0 --csspgo-preinliner=0 --format=text -o $1.prof 2>/dev/null
    have llvm-profgen-19 || { skip "toolchain: needs llvm-profgen-19"; return; }
    llvm-profgen-19 --binary=$1 --perfscript=$1.x --format=text --output=theirs.prof >/dev/null 2>&1
    "$T" profgen --llvm-compat --binary=$1 --perfscript=$1.x --format=text --output=ours.prof 2>/dev/null
    check "$1: llvm-profgen-19's profile has contents" [ -s theirs.prof ]
    check "$1: the tool's profile is llvm-profgen-19's" cmp theirs.prof ours.prof
}
count() { valgrind --tool=callgrind --callgrind-out-file=/dev/null ./$1 2>&1 | sed -n 's/.*Collected : //p'; }

# ----- the subset of C is C: the same output as from the other compiler
for p in hashes sorts puzzles; do
    check "$p" minic -o $p.o $D/$p.c
    theirs $D/$p.c >want; ./$p >got
    check "$p: output" cmp want got
done
check "$p: nothing that readelf warns of" sh -c "readelf -aW $p.o >/dev/null 2>err && [ ! -s err ]"

# random programs; every second one also with a profile of itself, and of a changed self
n=$(size 8 80) seed=1
while [ $seed -le $n ]; do
    perl "$S" $seed >r.c
    check "seed $seed" minic -o r.o r.c
    theirs r.c >want; ./r >got
    check "seed $seed: output" cmp want got
    if [ $((seed % 2)) = 0 ]; then
        record r 20000
        profile r
        for how in --growth=300 --flat --no-match; do
            check "seed $seed $how" minic -o s.o --profile=r.prof $how r.c
            ./s >got
            check "seed $seed $how: output" cmp want got
        done
        sed 's/ 7\b/ 8/; s/^g0 /u0 += 1; g0 /; s/\bf1\b/another/g' r.c >changed.c
        check "seed $seed, changed" minic -o s.o --profile=r.prof changed.c
        theirs changed.c >want; ./s >got
        check "seed $seed, changed: output" cmp want got
    fi
    seed=$((seed + 1))
done

# ----- a profile makes programs faster, by contexts more than without them
for p in queue vm lz; do
    case $p in queue) rounds=400 ;; *) rounds=10 ;; esac
    sed "s/ROUNDS = [0-9]*/ROUNDS = $rounds/; s/SIZE = 30000/SIZE = 4000/" $P/$p.c >$p.c
    sed -f $P/edit.sed $p.c >new$p.c
    check "$p" minic -o $p.o $p.c
    theirs $p.c >want; ./$p >got
    check "$p: output" cmp want got
    check "$p: record" record $p 1000000
    profile $p
    while read -r how source option; do
        check "$p: $how" minic -o $how.o --profile=$p.prof $option --report $source.c
        ./minic -o $how.o --profile=$p.prof $option --report $source.c >$p.$how
        ./$how >got
        check "$p: output of $how" cmp want got
    done <<END
contexts $p
flat $p --flat
matched new$p
unmatched new$p --no-match
END
    check "$p: a new profile of old source has lost nothing" grep -q '^profile: 0 of .* 0 of [1-9][0-9]* samples lost$' $p.contexts
    check "$p: functions have changed, some have another name" grep -q '^profile: [1-9].* have changed, [1-9].* renamed; ' $p.matched
    minic -o newplain.o new$p.c
    "$T" match --old-profile=$p.prof --binary=newplain -o new.prof >/dev/null 2>&1
    check "$p: with the tool's match" minic -o tool.o --profile=new.prof --no-match new$p.c
    check "$p: the tool matches by the program as the compiler does by the source" cmp matched.o tool.o
    have valgrind || { skip "toolchain: needs valgrind"; continue; }
    plain=$(count $p) flat=$(count flat) contexts=$(count contexts)
    new=$(count newplain) matched=$(count matched) unmatched=$(count unmatched)
    echo "$p: $plain instructions, flat $flat, contexts $contexts; edited $new, unmatched $unmatched, matched $matched"
    check "$p: contexts help" [ $((plain - contexts)) -gt $((plain / 20)) ]
    check "$p: contexts help no less than a flat profile" [ $contexts -le $((flat + flat / 100)) ]
    check "$p: with matching, three quarters of the gain are left" [ $((4 * (new - matched))) -ge $((3 * (plain - contexts))) ]
    check "$p: without matching, less than a third" [ $((3 * (new - unmatched))) -lt $((plain - contexts)) ]
    [ $p != queue ] || check "queue: contexts beat the flat profile by a tenth" [ $contexts -lt $((flat - flat / 10)) ]
done
# each user of the queue asks less() for another order; only the context tells, however much code may grow
./minic -o x.o --profile=queue.prof --growth=1000 --report queue.c >many.contexts
./minic -o x.o --profile=queue.prof --growth=1000 --flat --report queue.c >many.flat
check "events: less is inlined" grep -q '^events: inlines less in pop' many.contexts
check "events: compare_names and weight are not" sh -c '! grep -q "^events: inlines \(compare_names\|weight\)" many.contexts'
check "events: they are where contexts do not count" grep -q '^events: inlines compare_names in less in p' many.flat
check "people: compare_names is" grep -q '^\(people\|pop\|push\): inlines compare_names in less' many.contexts

# code that was inlined has probes as well: the optimised program can be profiled in turn
minic -o again.o --profile=queue.prof queue.c
./queue >want
record again
profile again
check "again: contexts through inlined code" grep -q '^\[.*events:[0-9]* @ pop:[0-9]* @ less\]' again.prof
check "again" minic -o twice.o --profile=again.prof queue.c
./twice >got
check "again: output" cmp want got

# two objects: each is compiled alone, with the profile of both
sed -n '/^static int weight/,/^}/p; /^static int compare_names/,/^}/p' queue.c | sed 's/^static //' >part2.c
{ echo 'int weight(int x);'; echo 'int compare_names(int x, int y);'; sed '/^static int weight/,/^}/d; /^static int compare_names/,/^}/d' queue.c; } >part1.c
both() { ./minic -o part1.o "$@" part1.c && ./minic -o part2.o "$@" part2.c && $CC -no-pie -o part part1.o part2.o; }
check "two objects" both
record part
profile part
check "two objects, with a profile" both --profile=part.prof
./queue >want; ./part >got
check "two objects: output" cmp want got
check "two objects: with cc's" sh -c "$CC -O1 -w -fwrapv -fno-pie -c -o part2.o part2.c && $CC -no-pie -o part part1.o part2.o && ./part | cmp - want"

# ----- what is wrong is said, with its place
wrong() {       # wrong MESSAGE TEXT: the source has this fault
    printf "$2" >wrong.c
    check "$1" sh -c "./minic -o wrong.o wrong.c >err 2>&1; [ \$? = 1 ] && grep -q \"\$1\" err" sh "$1"
}
wrong 'wrong.c:2: unknown name: y$' 'int main(void) {\nreturn y; }\n'
wrong 'wrong.c:1: ; is missing: }$' 'int main(void) { return 1 }\n'
wrong 'wrong.c:1: there is no preprocessor' '#define N 3\nint main(void) { return 0; }\n'
wrong 'wrong.c:3: } is missing' 'int main(void) {\nreturn 1;\n'
wrong 'wrong.c:1: static variables are global' 'int f(void) { static int x; return x++; }'
wrong 'wrong.c:1: a second definition: f' 'int f(void) { return 1; } int f(void) { return 2; }'
wrong 'wrong.c:1: too large a number' 'int f(void) { return 4294967296; }'
wrong 'wrong.c:1: more than six arguments' 'int f(void) { return g(1, 2, 3, 4, 5, 6, 7); }'
wrong 'wrong.c:1: only arrays have this type' 'int f(void) { char c; return c; }'
wrong 'wrong.c:1: an array cannot have this size' 'int a[-1];'
wrong 'wrong.c:1: an array cannot have this size' 'int f(void) { int a[99999999]; return 0; }'
wrong 'wrong.c:2: a second definition: abc$' 'int abc;\nint abc = 3;\n'
wrong 'wrong.c:1: variables are of one file' 'extern int x;'
wrong 'wrong.c:1: no loop around' 'int f(void) { break; }'
wrong 'wrong.c:1: string without end' 'int f(void) { return puts("x); }'
wrong "wrong.c:1: character without end" "int f(void) { return '"
deep() {        # deep BEFORE REPEATED BEHIND: does not overflow the stack
    perl -e 'print "int f(int x) { ", $ARGV[0], $ARGV[1] x 100000, $ARGV[2], " }\n"' "$@" >wrong.c
    check "deep: $2" sh -c './minic -o wrong.o wrong.c >err 2>&1; [ $? = 1 ] && grep -q "nested too deeply" err'
}
deep 'return ' '(' '1'
deep 'return ' '-' 'x;'
deep 'return x' ' + x' ';'
deep 'return x' ' ? 1 : x' ';'
deep '' 'x = ' '1;'
deep 'return ' 'f(' 'x'
deep 'return ' 'f(x) && ' 'x;'
deep '' 'if (x) ' 'x = 1;'
deep '' '{' ''
deep '' 'while (x) ' 'x = 1;'
check "no source" sh -c './minic -o x.o none.c 2>err; [ $? = 1 ] && grep -q "none.c" err'
check "no profile" sh -c './minic -o x.o --profile=none.prof queue.c 2>err; [ $? = 1 ] && grep -q "none.prof" err'
check "no profile, but source" sh -c './minic -o x.o --profile=queue.c queue.c 2>err; [ $? = 1 ] && grep -q "minic: queue.c:[0-9]" err'
check "no folder" sh -c './minic -o none/x.o queue.c 2>err; [ $? = 1 ] && grep -q "none/x.o" err'
check "usage" sh -c './minic --what queue.c 2>err; [ $? = 2 ] && grep -q "^usage: minic" err'
echo 'f:10:1
 1: 1' >plain.prof
check "a profile without contexts" sh -c './minic -o x.o --profile=plain.prof queue.c 2>err; [ $? = 1 ] && grep -q "contexts" err'
finish
