#!/bin/sh
# Traces of branches as text, as of Intel PT and BTS (perf script --itrace=b, -F ip,addr) and of magic-trace: each range
# and each branch in the program counts as often as it ran, in any form, from a file, a pipe or compressed. Run in tests/.
cd "$(dirname "$0")" || exit 1
. ./t.sh
make -s build/plain/csspgo || exit 1
T=$(pwd)/build/plain/csspgo B=build/trace
rm -rf $B
mkdir -p $B
if ! have cc || ! have nm || ! have gzip || [ "$(uname -m)" != x86_64 ] || [ "$(uname -s)" != Linux ]; then
    skip "traces: no cc or nm for x86-64 Linux"
    finish
fi
cat >$B/demo.c <<'X'
__attribute__((noinline)) int leaf(int x) { return x % 7 == 0 ? x * 3 : x + 1; }
__attribute__((noinline)) int mid(int x) { int i, s = 0; for (i = 0; i < 20; i++) s += leaf(x + i); return s; }
int main(void) { int i, s = 0; for (i = 0; i < 30; i++) s += mid(i); return s == 42; }
X
cc -O1 -g -no-pie -o $B/demo $B/demo.c && $T record --quiet --exact --period=$(size 24 16) -o $B/demo.ps -- $B/demo >$B/out 2>&1 || fail "record: $(cat $B/out)"
base=400000
address() { nm $B/demo | sed -n "s/^0*\([0-9a-f]*\) [Tt] $1\$/\1/p"; }
first=$(printf '%s\n' $(address leaf) $(address mid) $(address main) | sort | head -1)
begin=$(printf %x $((0x$first - 0x$base)))
end=$(printf %x $((0x$begin + 0x100)))
# counts: of ranges and branches in these functions, of the raw counters in $B/raw
counts() { perl -ne "next unless /^([0-9a-f]+)(->|-)([0-9a-f]+):/; print if hex(\$1) >= 0x$begin && hex(\$1) < 0x$end && hex(\$3) >= 0x$begin && hex(\$3) < 0x$end" $B/raw | sort; }
for form in perf magic bare; do
    perl make_trace.pl $form $base $begin $end $B <$B/demo.ps || fail "make_trace.pl"
    sort $B/ranges >$B/want
    [ "$(wc -l <$B/want)" -ge 6 ] && [ "$(grep -c . $B/trace)" -gt 1000 ] && pass || fail "few ranges in the trace: $(cat $B/want)"
    gzip -c $B/trace >$B/trace.gz
    for from in trace trace.gz -; do
        f=$B/$from
        [ $from != - ] || f=-
        $T profgen --quiet --use-dwarf-correlation --skip-symbolization --binary=$B/demo --perfscript=$f -o $B/raw <$B/trace 2>$B/err || fail "$form, $from: $(cat $B/err)"
        # raw counters count from the first loadable segment that has code
        low=$(readelf -lW $B/demo | awk '$1 == "LOAD" && $7 $8 ~ /E/ { print $3; exit }')
        perl -pi -e "s/^([0-9a-f]+)(->|-)([0-9a-f]+):/sprintf '%x%s%x:', hex(\$1) + $low - 0x$base, \$2, hex(\$3) + $low - 0x$base/e" $B/raw
        counts >$B/got
        cmp -s $B/want $B/got && pass || fail "$form, $from: $(diff $B/want $B/got | head -6)"
    done
done
# a profile of it, and a picture
perl make_trace.pl perf $base $begin $end $B <$B/demo.ps
$T profgen --quiet --use-dwarf-correlation --binary=$B/demo --perfscript=$B/trace --format=text -o $B/demo.prof 2>$B/err
grep -q '^leaf:' $B/demo.prof && pass || fail "a profile of a trace: $(cat $B/err)"
$T folded $B/trace 2>$B/err | grep -q '^leaf [0-9]' && pass || fail "a picture of a trace: $(cat $B/err)"
finish
