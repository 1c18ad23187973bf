#!/bin/sh
# Lines of inlined functions in call stacks, as perf script prints them for programs with debug information: frames are
# those of the text without them. Text of data/recordings and, where clang builds and a program can be stepped, of
# recursive functions with inlined callees, whose lines llvm-symbolizer tells; run in tests/.
. ./t.sh
compares
B=build/inlined
rm -rf $B
mkdir -p $B
TOOL=build/plain/csspgo
make -s $TOOL || { fail "the tool does not build"; finish; }
FLAT="--csspgo-preinliner=0 --gen-cs-nested-profile=0 --csprof-merge-cold-context=0 --compress-recursion=0 --format=text --quiet"
# equal NAME WANT GOT
equal() { if [ -s $2 ] && cmp -s $2 $3; then pass; else fail "$1"; diff $2 $3 | cut -c1-200 | head -4; fi; }

# ----- forms of text: FORM SCRIPT prints a script whose frames have a line of an inlined function each
D=data/recordings
demo=data/unwind/bin/demo.probe
frames() { awk -v form="$1" '
    !/^\t/ { print; next }
    { a = $1; rest = $0; sub(/^\t *[0-9a-f]+/, "", rest) }
    form == "names" { printf "\t%16s f(int) (inlined)\n\t%16s g<(inlined)>(char)+0x12 (inlined)\n\t%16s main+0x4 (/x/demo.probe)\n", a, a, a }
    form == "ip" { printf "\t%16s (inlined)\n\t%16s\n", a, a }
    form == "blanks" { printf "  %16s f (inlined)\n  %16s\n", a, a }
    form == "srcline" { printf "\t%16s f\n  a.c:5 (inlined)\n\t%16s g\n  a.c:6 (inlined)\n\t%16s main\n  a.c:7\n", a, a, a }
    form == "own" { printf "\t%16s f (inlined)\n%s\n", a, $0 }
    form == "crlf" { printf "\t%16s f (inlined)\r\n\t%16s main\r\n", a, a }' $2; }
for more in "" --ignore-stack-samples --use-dwarf-correlation; do
    $TOOL profgen --binary=$demo --perfscript=$D/plain.ps $FLAT $more -o $B/want 2>/dev/null
    for form in names ip blanks srcline own crlf; do
        frames $form $D/plain.ps >$B/form.ps
        $TOOL profgen --binary=$demo --perfscript=$B/form.ps $FLAT $more -o $B/got || fail "$form $more: status $?"
        if [ -s $B/want ]; then equal "$form $more" $B/want $B/got; fi
    done
done
grep -v '^ 0x' $D/plain.ps >$B/stacks.ps
$TOOL profgen --binary=$demo --perfscript=$B/stacks.ps $FLAT -o $B/want
for form in names ip srcline; do
    frames $form $B/stacks.ps >$B/form.ps
    $TOOL profgen --binary=$demo --perfscript=$B/form.ps $FLAT -o $B/got || fail "$form, stacks alone: status $?"
    equal "$form, stacks alone" $B/want $B/got
done
for form in perf61-offsets symoff-dso cxx-names default-fields; do
    $TOOL profgen --binary=$demo --perfscript=$D/$form.ps $FLAT -o $B/want
    frames own $D/$form.ps >$B/form.ps
    $TOOL profgen --binary=$demo --perfscript=$B/form.ps $FLAT -o $B/got || fail "$form: status $?"
    equal "$form" $B/want $B/got
done
if have llvm-profgen-19; then
    for form in names ip srcline own; do
        frames $form $D/plain.ps >$B/form.ps
        rm -f $B/llvm $B/got
        llvm-profgen-19 --binary=$demo --perfscript=$B/form.ps --format=text -o $B/llvm >/dev/null 2>&1
        $TOOL profgen --llvm-compat --binary=$demo --perfscript=$B/form.ps --format=text -o $B/got >/dev/null 2>&1
        if [ ! -e $B/llvm ] && [ ! -e $B/got ]; then pass; else equal "--llvm-compat, $form" $B/llvm $B/got; fi
    done
else
    skip "inlined: --llvm-compat needs llvm-profgen-19"
fi

# ----- recursion, direct, mutual, by pointer, by tail call, with inlined callees
have clang-19 && have llvm-symbolizer-19 && [ "$(uname -sm)" = "Linux x86_64" ] || { skip "inlined: needs clang-19, llvm-symbolizer-19 on x86-64 Linux"; finish; }
cat >$B/p.c <<'C'
#define NI __attribute__((noinline))
#define AI static inline __attribute__((always_inline))
static volatile unsigned sink;
NI unsigned leaf(unsigned x) { int i; for (i = 0; i < 8; i++) x = (x >> 1) ^ (x & 1 ? 0xedb88320u : 7u * i); return x; }
AI unsigned step(unsigned x, unsigned n);
NI unsigned rec(unsigned x, unsigned n) { if (n == 0) return leaf(x); return step(x, n) + leaf(x + n); }
AI unsigned step(unsigned x, unsigned n) { unsigned a = rec(x * 3, n - 1); sink += a; return a ^ leaf(a); }
unsigned fib(unsigned n) { if (n < 2) return n + leaf(n); return fib(n - 1) + fib(n - 2); }
NI unsigned odd(unsigned n);
NI unsigned even(unsigned n);
AI unsigned toodd(unsigned n) { unsigned r = odd(n - 1); sink += r; return r + 1; }
AI unsigned toeven(unsigned n) { unsigned r = even(n - 1); sink ^= r; return r * 3; }
NI unsigned even(unsigned n) { unsigned r; if (n == 0) return leaf(n); r = toodd(n); sink += leaf(r); return r; }
NI unsigned odd(unsigned n) { unsigned r; if (n == 0) return leaf(n); r = toeven(n); sink += leaf(r + 1); return r; }
typedef unsigned fn(unsigned);
static fn byptr;
static fn *volatile ptr = byptr;
AI unsigned callptr(unsigned n) { unsigned r = ptr(n - 1); sink += r; return r ^ 5; }
NI static unsigned byptr(unsigned n) { unsigned r; if (n == 0) return leaf(n); r = callptr(n); return r + leaf(r); }
NI unsigned tail(unsigned n);
NI unsigned totail(unsigned n) { sink += n; if (n & 1) return tail(n - 1); return tail(n - 2 < n ? n - 2 : 0); }
NI unsigned tail(unsigned n) { unsigned r; if (n < 2) return leaf(n); r = totail(n); sink += r; return r + leaf(r); }
int main(void)
{
    unsigned i, s = 0;
    for (i = 0; i < 400; i++) s += rec(i, i % 7) + fib(i % 9) + even(i % 6) + odd(i % 5) + byptr(i % 5) + tail(i % 8);
    return s == 0;
}
C
clang-19 -O2 -g -w -fdebug-info-for-profiling -fpseudo-probe-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
    -no-pie -fno-pie -o $B/p $B/p.c || { fail "p.c does not build"; finish; }
$TOOL record --quiet --software --period=61 -o $B/plain.ps -- $B/p || { fail "record"; finish; }
# lines FORM LESS: the script with all lines; LESS 1: callers are one less, as where perf unwinds by DWARF
grep -o '^	 *[0-9a-f]*' $B/plain.ps | tr -d '\t ' | sort -u >$B/at
awk '{ print "0x" $1 }' $B/at | llvm-symbolizer-19 --obj=$B/p --no-demangle --functions=linkage >$B/exact
# an address less one: the last digits by hand, as awk's numbers are too short for addresses of libraries
sed 'y/abcdef/ABCDEF/' $B/at | awk '
    { h = "0123456789ABCDEF"; s = $1; t = ""; for (i = length(s); i > 0; i--) { d = index(h, substr(s, i, 1)) - 1
      t = substr(h, (d + 15) % 16 + 1, 1) t; if (d > 0) { t = substr(s, 1, i - 1) t; break } } print tolower(t) }' >$B/at.less
awk '{ print "0x" $1 }' $B/at.less | llvm-symbolizer-19 --obj=$B/p --no-demangle --functions=linkage >$B/less
lines() { awk -v form=$1 -v less=$2 -v at=$B/at -v at_less=$B/at.less -v exact=$B/exact -v named_less=$B/less '
    function names(list, file, of,   a, line, n) {
        while ((getline a <list) > 0) {
            n = 0
            while ((getline line <file) > 0 && line != "") { of[a, n++] = line; getline line <file }
            of[a, "n"] = n
        }
        close(list); close(file)
    }
    BEGIN { names(at, exact, here); names(at, named_less, before); while ((getline a <at_less) > 0) { getline b <at; minus[b] = a } }
    !/^\t/ { print; caller = 0; next }
    {
        a = $1; behind = less && caller; caller = 1
        n = behind ? before[a, "n"] : here[a, "n"]
        base = behind ? before[a, n - 1] : here[a, n - 1]
        for (i = 0; i < n; i++) {
            name = behind ? before[a, i] : here[a, i]
            mark = name != base ? " (inlined)" : ""
            if (form == "off" && i < n - 1) continue
            printf "\t%16s", behind ? minus[a] : a
            if (form == "ip") print mark
            else if (form == "names") print " " name "+0x1" mark
            else if (form == "srcline") printf " %s\n  p.c:5%s\n", name, mark
            else print ""
        }
    }' $3; }
grep -v '^ 0x' $B/plain.ps >$B/stacks.ps
for more in "" --use-dwarf-correlation; do
    for script in plain stacks; do
        lines off 0 $B/$script.ps >$B/form.ps
        cmp -s $B/form.ps $B/$script.ps || fail "$script: the script does not come through"
        $TOOL profgen --binary=$B/p --perfscript=$B/$script.ps $FLAT $more -o $B/want
        for less in 0 1; do
            for form in off bare ip names srcline; do
                lines $form $less $B/$script.ps >$B/form.ps
                $TOOL profgen --binary=$B/p --perfscript=$B/form.ps $FLAT $more -o $B/got || fail "$script $form $less $more: status $?"
                equal "$script: $form, callers less $less $more" $B/want $B/got
            done
        done
    done
done
for want in 'rec:5 @ _ZL4stepjj[^ ]*:2 @ rec:5 @ _ZL4stepjj[^ ]*:2 @ rec' 'fib:5 @ fib:5 @ fib' 'byptrj.*byptrj.*byptrj'; do
    $TOOL profgen --binary=$B/p --perfscript=$B/plain.ps $FLAT -o $B/want
    if grep -q "^\[main.*$want" $B/want; then pass; else fail "no context $want"; fi
done
finish
