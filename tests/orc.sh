#!/bin/sh
# examples/orc: LLVM's JIT compiles a program anew while it runs. Its output stays, hot functions get new code, their counts
# are plausible, replaced code leaves the code map.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/orc
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
[ -f /usr/include/llvm-c-19/llvm-c/LLJIT.h ] || { skip "examples/orc: needs llvm-19-dev"; finish; }
have clang-19 || { skip "examples/orc: needs clang-19"; finish; }
[ "$(uname -m)" = x86_64 ] || { skip "examples/orc: x86-64 only"; finish; }
rm -rf $B; mkdir -p $B
${CC:-cc} -std=c99 -O1 -Wall -Wextra -Werror -isystem /usr/include/llvm-c-19 -isystem /usr/lib/llvm-19/include -DCSSPGO_IMPLEMENTATION_INCLUDED \
    -o $B/orc ../examples/orc/*.c build/plain/lib.o $LIBZ -L/usr/lib/llvm-19/lib -Wl,--no-as-needed -lLLVM-19 -lm -lpthread 2>$B/err ||
    { fail "orc does not build"; head -5 $B/err; finish; }
bitcode() { clang-19 -O2 -g1 -fPIC -fpseudo-probe-for-profiling -funique-internal-linkage-names -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
    -Xclang -disable-llvm-passes -emit-llvm -c -o $B/$1.bc $B/$1.c; }

# hot.c: a static variable, a constant and a function by their addresses, labels, calls in two ways; it runs until the code of a
# function that is called in each round has changed twice, or for 60 seconds
cat >$B/hot.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static unsigned rounds_of[4];
static const char key = 'k';
static const char *const names[] = { "add", "mul", "sub", "end" };
__attribute__((noinline)) static unsigned leaf(unsigned n, unsigned x)
{
    unsigned i;
    for (i = 0; i < n; i++) x = x * 33 + (i ^ x >> 5);
    return x;
}
__attribute__((noinline)) static unsigned often(unsigned x) { return leaf(300, x) + 1; }
__attribute__((noinline)) static unsigned seldom(unsigned x) { return leaf(30, x) + 2; }
typedef unsigned (*action)(unsigned);
static const action table[] = { often, seldom, often };
__attribute__((noinline)) unsigned interpret(const unsigned char *code, unsigned x)
{
    static const void *const label[] = { &&add, &&mul, &&sub, &&end };
#define NEXT goto *label[*code++]
    NEXT;
add: x += table[*code++ % 3](x); rounds_of[0]++; NEXT;
mul: x *= 3; rounds_of[1]++; NEXT;
sub: x -= *code++; rounds_of[2]++; NEXT;
end: rounds_of[3]++;
    return x;
}
__attribute__((noinline)) int same(const char *a, action b) { return a == &key && b == table[0]; }
int main(int argc, char **argv)
{
    static const unsigned char code[] = { 0, 0, 1, 0, 1, 2, 7, 0, 2, 3 };
    const time_t begun = time(NULL);
    const long rounds = argc > 1 ? atol(argv[1]) : 10;
    unsigned x = 1, wrong = 0;
    long i;
    for (i = 0; i < rounds && time(NULL) < begun + 60; i++) {
        x = interpret(code, x);
        wrong += (unsigned)!same(&key, often);
    }
    printf("%u %s %u wrong %u %u\n", x, names[x % 4], wrong, rounds_of[0] % 1000, rounds_of[3]);
    return (int)(x % 3);
}
END
bitcode hot || { fail "hot.c does not compile"; finish; }
clang-19 -O1 -w -o $B/hot $B/hot.bc
R=$(size 2000000 4000000)
$B/hot $R >$B/want; status=$?
ran() {     # ran NAME OPTION...: the program does the same as without the JIT
    name=$1; shift
    timeout 120 $B/orc --report --after=150 "$@" $B/hot.bc $R >$B/$name.out 2>$B/$name.err
    check "$name: exit status" [ $? -eq $status ]
    check "$name: output" cmp $B/want $B/$name.out
}
number() { sed -n "s/.* \([0-9]*\) $1.*/\1/p" $B/$2.err | head -1; }
ran all --save=$B/all.prof
check "a second tier while it runs" grep -q '^orc: tier 2 at [0-9.]* s' $B/all.err
check "and a third" grep -q '^orc: tier 3 at [0-9.]* s' $B/all.err
check "replaced code leaves the code map" [ "$(number 'replaced and gone' all)" -ge 4 ]
check "what is left is what main holds" [ "$(number 'replaced and still running' all)" -le 3 ]
check "a replaced tier is freed" grep -q '[1-9] tiers freed' $B/all.err
check "all functions are in the code map" awk '/ functions, / { exit $2 != $4 }' $B/all.err
check "no sample is lost" grep -q ' samples, 0 lost' $B/all.err
check "a profile of contexts" $T show $B/all.prof
$T folded $B/all.prof -o $B/folded 2>$B/err
check "leaf's contexts, and their shares" awk '/often.*;.*leaf/ { often += $NF } /seldom.*;.*leaf/ { seldom += $NF }
    END { print often, seldom; exit !(seldom > 0 && often > 4 * seldom) }' $B/folded
ran plain --no-profile
ran inline --inline
ran warm --load=$B/all.prof
ran one --tier1
check "one tier only" [ "$(grep -c '^orc: tier' $B/one.err)" = 1 ]

# what is not a program
echo nothing >$B/bad.bc
check "no bitcode" sh -c "$B/orc $B/bad.bc 2>$B/err; [ \$? -eq 1 ] && grep -q '^orc: ' $B/err"
check "no file" sh -c "$B/orc $B/none.bc 2>$B/err; [ \$? -eq 1 ] && grep -q '^orc: ' $B/err"
check "a bad profile" sh -c "$B/orc --load=$B/hot.c $B/hot.bc 2>$B/err; [ \$? -eq 1 ] && grep -q '^orc: ' $B/err"
check "no program" sh -c "$B/orc --report 2>$B/err; [ \$? -eq 2 ]"
echo 'int f(void) { return 1; }' >$B/empty.c
bitcode empty
check "no main" sh -c "$B/orc $B/empty.bc 2>$B/err; [ \$? -eq 1 ] && grep -q 'no main' $B/err"
finish
