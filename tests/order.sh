#!/bin/sh
# csspgo order: orders from profiles and from ordinary samples, the forms of linkers, the table of --evaluate, what is
# refused. What LLVM's order does too is in oracle_layout.sh. Run in tests/.
B=build/order
rm -rf $B
mkdir -p $B
. ./t.sh
D=data/temporal
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
# gives NAME WANT COMMAND...: standard output, without comments
gives() {
    name=$1 want=$2
    shift 2
    got=$("$@" 2>$B/err </dev/null | grep -v '^#' | tr '\n' ' ')
    if [ "$got" = "$want" ]; then pass; else fail "$name: $got"; head -3 $B/err; fi
}
# refused STATUS PATTERN ARGUMENT...: nothing on standard output
refused() {
    want=$1 pattern=$2
    shift 2
    $T order "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq $want ] && [ ! -s $B/out ] && finds "$pattern" $B/err; then pass; else fail "order $*: status $got"; head -3 $B/out $B/err; fi
}

# ----- profiles
gives "a raw profile" "main c a " $T order $D/run_c_a.profraw
gives "two raw profiles add up" "main c b a " $T order $D/run_c_a.profraw $D/run_b_a.profraw
gives "standard input" "main c a " sh -c "$T order - <$D/run_c_a.profraw"
$T order $D/o1000.proftext | grep -v '^#' | cmp -s - $D/o1000.order20.h0.txt && pass || fail "not LLVM 21's order"
$T order --num-test-traces=4 $D/o1000.proftext -o $B/o && grep -v '^#' $B/o | cmp -s - $D/o1000.order20.h4.txt && pass || fail "not LLVM 21's order with test traces"
grep -q '^# Total area under the page fault curve: 5.1853' $B/o && pass || fail "the area of test traces"
gives "form gold" ".text.main .text.c .text.a " $T order --format=gold $D/run_c_a.profraw
gives "form macho" "_main _c _a " $T order --format=macho $D/run_c_a.profraw
gives "form msvc" "; Ordered 3 functions main c a " $T order --format=msvc $D/run_c_a.profraw
gives "form gnuld" "/* Ordered 3 functions */ *(.text.main) *(.text.c) *(.text.a) " $T order --format=gnuld $D/run_c_a.profraw
$T order --write-traces=$B/traces -o $B/o $D/run_c_a.profraw $D/run_b_a.profraw && $T order $B/traces | cmp -s - $B/o && pass || fail "--write-traces"
$T order --write-traces=$B/one --temporal-profile-trace-reservoir-size=1 -o $B/o $B/traces && grep -A1 'Num Temporal' $B/one | grep -qx 1 && pass || fail "a reservoir of 1"
$T order --write-traces=$B/two --temporal-profile-max-trace-length=2 -o $B/o $B/traces && grep -qx main,c, $B/two && pass || fail "traces of 2 functions"
printf ':ir\n:temporal_prof_traces\n3\n3\n1\na,b,c,d,\n1\nc,d,a,b,\n9\nd,b,a,c,\n' >$B/weights
sed 's/^9$/0/' $B/weights >$B/weightless
for f in weights weightless; do $T order --use-weights $B/$f >$B/$f.order || fail "--use-weights"; done
$T order $B/weights >$B/plain.order && ! cmp -s $B/weights.order $B/weightless.order && pass || fail "--use-weights makes no difference"

# ----- weights in LLVM's main branch: 10 orders like ten copies, 0 not at all; LLVM 19 to 22 do not look at them
functions=':ir\nA\n1\n1\n1\nB\n2\n1\n1\nC\n3\n1\n1\nD\n4\n1\n1\nE\n5\n1\n1\nF\n6\n1\n1\n'
printf ':ir\n:temporal_prof_traces\n2\n11\n10\nA,B,C,D,E,F,\n1\nA,D,B,C,E,F,\n' >$B/heavy
printf ':ir\n:temporal_prof_traces\n1\n1\n1\nA,B,C,D,E,F,\n' >$B/once
printf ':ir\n:temporal_prof_traces\n1\n1\n1\nA,D,B,C,E,F,\n' >$B/other
printf "$functions" >$B/functions
for n in 19 20 21 22 23; do
    m="$T merge --llvm-compat=$n"
    $m -o $B/heavy.profdata $B/heavy $B/functions
    $m -o $B/ten.profdata $B/once $B/once $B/once $B/once $B/once $B/once $B/once $B/once $B/once $B/once $B/other $B/functions
    $m -o $B/one.profdata $B/once $B/other $B/functions
    for f in heavy ten one; do $T order --llvm-compat=$n -o $B/$f.order $B/$f.profdata || fail "LLVM $n: $f"; done
    cmp -s $B/heavy.order $B/ten.order; ten=$?
    cmp -s $B/heavy.order $B/one.order; one=$?
    case $n,$ten,$one in
    23,0,1 | 19,1,0 | 20,1,0 | 21,1,0 | 22,1,0) pass ;;
    *) fail "weights in LLVM $n: $ten, $one" ;;
    esac
done
printf ':ir\n:temporal_prof_traces\n2\n2\n1\nA,B,\n18446744073709551615\nA,B,\n' | cat - $B/functions | sed '7,$s/^:ir$//' >$B/huge
for n in 19 22 23; do
    $T order --llvm-compat=$n --num-test-traces=1 -o $B/o $B/huge
    case $n in 23) want=1.844674e+19 ;; *) want=2.000000e+00 ;; esac
    grep -qx "# Total area under the page fault curve: $want" $B/o && pass || fail "the area of a weight in LLVM $n: $(head -2 $B/o)"
done

# ----- indexed profiles are written, and comments before the header do not hide what a file is
{ yes '# a long comment before the header of a profile' | head -1000; cat $D/o40.proftext; } >$B/commented
for f in $D/o40.proftext $B/commented $D/basic.profdata $D/run_c_a.profraw; do
    check "an indexed profile of $f" $T merge -o $B/x.profdata $f
    check "it is one" sh -c "head -c 8 $B/x.profdata | od -An -tx1 | grep -q 'ff 6c 70 72 6f 66 69 81'"
    for i in x.profdata x.text; do [ $i = x.profdata ] || $T merge --text -o $B/x.text $f; $T show --temporal-profile-traces $B/$i >$B/$i.traces; done
    check "its traces" cmp $B/x.profdata.traces $B/x.text.traces
    $T merge --text -o $B/y.text $B/x.profdata
    check "text of it" cmp $B/x.text $B/y.text
    check "again" sh -c "$T merge -o $B/y.profdata $B/x.profdata && cmp $B/x.profdata $B/y.profdata"
    check "twice" sh -c "$T merge -o $B/y.profdata $B/x.profdata $f && $T show --temporal-profile-traces $B/y.profdata | grep -q \"seen=\$((2 * \$(sed -n 's/.*seen=\([0-9]*\)).*/\1/p' $B/x.text.traces)))\""
done
$T merge --gcc -o $B/x $D/o40.proftext 2>$B/err
check "no form of GCC" grep -q 'there is no GCC form' $B/err
$T merge --llvm-compat --gcc -o $B/x $D/o40.proftext 2>$B/err
check "no form of GCC, in LLVM's words" grep -qx 'error: unknown format is specified' $B/err

# ----- the table
# table NAME: the columns of its last line
table() { awk -v name="$1" 'index($0, name) == 1 { print substr($0, length(name) + 1) }' $B/table | tr -s ' '; }
$T order --evaluate --num-test-traces=4 $D/o1000.proftext >$B/table && pass || fail "--evaluate"
[ "$(table 'in this order')" = " 13 73 119 51853 32" ] && pass || fail "--evaluate: $(cat $B/table)"
[ "$(table 'first seen first' | cut -d' ' -f5)" = 61332 ] && pass || fail "--evaluate, first seen: $(cat $B/table)"
$T order --evaluate -o $B/o $D/o1000.proftext >$B/table && grep -q '^# Ordered 1000 functions' $B/o && ! grep -q Ordered $B/table && pass || fail "--evaluate and --output"

# ----- a binary: sizes, symbols with suffixes, what is not there
if have cc && echo 'int main(void) { return 0; }' | cc -x c -o $B/try - 2>/dev/null; then
    cat >$B/p.c <<'C'
#define F(n) __attribute__((noinline)) int n(int x); int n(int x) { __asm__ volatile(".skip 5000, 0"); return x; }
F(a) F(b) F(c) F(gone)
static __attribute__((noinline, used)) int hidden(int x) { return x + 1; }
int main(int n, char **v) { (void)v; return a(n) + b(n) + c(n) + gone(n) + hidden(n); }
C
    cc -O1 -o $B/p $B/p.c && objcopy --redefine-sym b=b.llvm.123 --redefine-sym gone=other $B/p $B/q || fail "p.c does not build"
    printf ':ir\n:temporal_prof_traces\n2\n2\n1\nmain,a,b,\n1\nmain,gone,p.c;hidden,\n' >$B/p.traces
    $T order --binary=$B/q $B/p.traces >$B/o 2>$B/err && pass || fail "--binary: $(cat $B/err)"
    grep -qx b.llvm.123 $B/o && grep -qx hidden $B/o && ! grep -q gone $B/o && pass || fail "--binary: $(cat $B/o)"
    finds '1 of 5 functions of the traces are not in .*/q (0 of them are known by number only)' $B/err && pass || fail "what is not in the binary: $(cat $B/err)"
    $T order --quiet --binary=$B/q $B/p.traces 2>&1 >/dev/null | grep -q . && fail "--quiet" || pass
    $T order --evaluate --binary=$B/p $B/p.traces >$B/table && grep -q 'of 5 functions of the traces 5 are there, 0 with another suffix, 0 are not' $B/table && pass || fail "the resolution"
    small=$(table 'as it is linked' | cut -d' ' -f4)
    $T order --evaluate --page-size=1048576 --binary=$B/p $B/p.traces >$B/table
    [ "$small" -gt 2 ] && [ "$(table 'as it is linked' | cut -d' ' -f4)" -eq 2 ] && pass || fail "--page-size: $small pages; $(cat $B/table)"
    $T order --use-sizes --binary=$B/q $B/p.traces -o $B/o 2>/dev/null && ! grep -q gone $B/o && pass || fail "--use-sizes"
    strip -o $B/stripped $B/q && refused 1 'no symbols; name the file that has them: --debug-binary' --binary=$B/stripped $B/p.traces
    $T order --quiet --binary=$B/stripped --debug-binary=$B/q $B/p.traces | grep -qx b.llvm.123 && pass || fail "--debug-binary"
else skip "no compiler"; fi

# ----- samples
demo="--binary=../examples/data/demo.elf"
refused 1 'a sample has no time: .*, or --in-order' $demo --perfscript=../examples/data/demo.perfscript
$T order $demo --perfscript=../examples/data/demo.perfscript --in-order --write-traces=$B/demo -o $B/o && pass || fail "csspgo record's samples"
grep -q '^main,make_orders,' $B/demo && pass || fail "the trace of csspgo record: $(grep , $B/demo)"
R=data/recordings
$T order --binary=$R/w --perfdata=$R/mp.data --write-traces=$B/data -o $B/o || fail "mp.data"
$T order --quiet --binary=$R/w --perfscript=$R/mp.default-fields.ps --write-traces=$B/script -o $B/o || fail "mp.default-fields.ps"
# four processes; main came before what it calls
[ "$(grep -c ,leaf, $B/data)" -eq 4 ] && [ "$(grep -c ^main, $B/data)" -eq 4 ] && cmp -s $B/data $B/script && pass || fail "traces of mp: $(diff $B/data $B/script | head -5)"
$T order --binary=$R/w --perfdata=$R/mp.data --perfdata=$R/mp.data --write-traces=$B/twice -o $B/o
[ "$(grep -c ^main, $B/twice)" -eq 8 ] && pass || fail "recordings add up"
$T order --binary=$R/w --perfdata=$R/mp.data --join-equal --write-traces=$B/joined -o $B/o
[ "$(grep -A1 '^# Weight' $B/joined | grep -x '[0-9]*' | awk '{ n += $1 } END { print n }')" -eq 4 ] && pass || fail "--join-equal"
$T order --binary=$R/w --perfdata=$R/mp.data --min-samples=1000 2>$B/err
[ $? -eq 3 ] && finds 'nothing to order' $B/err && pass || fail "--min-samples"
$T order --binary=$R/w --perfdata=$R/mp.data --start-up=0.0001 --write-traces=$B/early -o $B/o
[ "$(grep , $B/early | wc -c)" -le "$(grep , $B/data | wc -c)" ] && pass || fail "--start-up"

# ----- a recording made here
if have perf && have cc && perf record -q -e cpu-clock:u -o $B/try.data -- true >$B/out 2>&1; then
    cat >$B/ev.c <<'C'
static volatile unsigned long s;
#define F(n) __attribute__((noinline)) void f##n(int k); void f##n(int k) { int i; for (i = 0; i < k; i++) s += (unsigned long)i * n; }
F(1) F(2) F(3) F(4) F(5) F(6)
int main(int c, char **v) { (void)v; if (c > 1) { f6(20000000); f3(20000000); } else { f2(20000000); f5(20000000); } f1(10000000); return 0; }
C
    cc -O1 -g -fno-omit-frame-pointer -o $B/ev $B/ev.c && perf record -q -g -e cpu-clock:u -o $B/ev.data -- sh -c "$B/ev; $B/ev x" 2>/dev/null
    $T order --binary=$B/ev --perfdata=$B/ev.data --write-traces=$B/ev.traces -o $B/o && pass || fail "a recording made here"
    # a sample may also be in what runs before main
    [ "$(awk -F, '/,/ { t = ""; for (i = 1; i <= NF; i++) if ($i ~ /^f[1-6]$/) t = t $i ","; if (t != "") print t }' $B/ev.traces | head -2 | tr '\n' ' ')" = "f2,f5,f1, f6,f3,f1, " ] && pass || fail "its traces: $(grep , $B/ev.traces)"
    for fields in pid,tid,time,ip comm,tid,time,event,ip,sym,dso; do
        perf script -i $B/ev.data --show-mmap-events --show-task-events -F $fields >$B/ev.ps 2>/dev/null
        $T order --quiet --binary=$B/ev --perfscript=$B/ev.ps --write-traces=$B/ev.text -o $B/o2 && cmp -s $B/ev.traces $B/ev.text && pass || fail "as text, -F $fields"
    done
    perf script -i $B/ev.data --show-mmap-events -F ip >$B/ev.ps 2>/dev/null
    refused 1 'has no time' --quiet --binary=$B/ev --perfscript=$B/ev.ps
else skip "perf cannot record here"; fi

# ----- what is refused
refused 2 'which profile'
refused 2 'perfdata needs --binary' --perfdata=x
refused 2 'perfscript needs --binary' --perfscript=x
refused 2 'use-sizes needs --binary' --use-sizes $D/o40.proftext
refused 2 'page-size: 0 is out of range' --page-size=0 $D/o40.proftext
refused 2 'num-test-traces: 4294967296 is out' --num-test-traces=4294967296 $D/o40.proftext
refused 2 "start-up: 'soon' is not a number" --start-up=soon $D/o40.proftext
refused 2 "'elf' is none of lld" --format=elf $D/o40.proftext
refused 2 "did you mean '--evaluate'" --evalute $D/o40.proftext
refused 1 'one profile and no recording' --llvm-compat $D/o40.proftext $D/o300.proftext
refused 1 'must be smaller than the total number of traces: expected: < 5, actual: 5' --num-test-traces=5 $D/o40.proftext
refused 1 'No such file' $D/none
refused 1 'No such file' --binary=$D/none $D/o40.proftext
refused 1 'order.sh:[0-9]*:1: a number' order.sh
refused 1 'basic.profdata' --binary=$D/basic.profdata $D/o40.proftext
printf ':ir\n' >$B/none
$T order $B/none >$B/out 2>$B/err
[ $? -eq 3 ] && finds 'nothing to order' $B/err && pass || fail "nothing to order"
cp $D/o40.proftext $B/in
for option in output write-traces; do
    refused 2 'is the same file as input' --$option=$B/in $B/in
    cmp -s $B/in $D/o40.proftext && pass || fail "--$option overwrites its input"
done

# ----- merge and show of instrumentation profiles with traces: as llvm-profdata-19
$T show --temporal-profile-traces $D/basic.profdata >$B/got
check "show --temporal-profile-traces" sh -c "sed -n '/^Temporal/,\$p' $D/basic.show19.txt | cmp - $B/got"
$T show --temporal-profile-traces $D/basic.in.proftext | cmp -s - $B/got && pass || fail "show --temporal-profile-traces: text"
$T merge --text $D/run_c_a.profraw $D/run_b_a.profraw -o $B/traces.proftext && $T show --temporal-profile-traces $B/traces.proftext >$B/got
grep -q 'samples=2 seen=2' $B/got && [ $(grep -c '^    main$' $B/got) = 2 ] && pass || fail "merge of raw profiles"
$T merge --text --temporal-profile-trace-reservoir-size=1 --temporal-profile-max-trace-length=2 $D/run_c_a.profraw $D/run_b_a.profraw |
    grep -A8 '^:temp' | tr '\n' ' ' | grep -q '^:temporal_prof_traces [^:]*: 1 # [^:]*: 2 # Weight: 1 main,[bc], ' && pass || fail "merge with limits of traces"
for args in "--weighted-input=2,$D/basic.profdata" "--text --weighted-input=2,$D/basic.profdata" "--text --json $D/basic.profdata"; do
    $T merge $args -o $B/untaken 2>$B/err >$B/out && fail "merge $args" || { [ ! -e $B/untaken ] && pass || fail "merge $args wrote"; }
done
cat $D/basic.in.proftext | $T merge --text /dev/stdin -o $B/untaken 2>$B/err && fail "merge of a pipe" || pass
$T order --llvm-compat=21 $D/o300.proftext | grep -v '^#' >$B/got; $T order --llvm-compat=20 $D/o300.proftext | grep -v '^#' >$B/old
cmp -s $B/got $D/o300.order20.h0.txt && grep -v '^#' $D/o300.order19.h0.txt | cmp -s - $B/old && pass || fail "--llvm-compat=20 and 21 of order"
if have llvm-profdata-19; then
    for set in "basic.in.proftext o40.proftext" "run_c_a.profraw run_b_a.profraw" "o300.proftext o40.proftext basic.profdata"; do
        for o in "" "--temporal-profile-trace-reservoir-size=3 --temporal-profile-max-trace-length=4"; do
            (cd $D && llvm-profdata-19 merge --num-threads=1 --text $o $set) >$B/want
            (cd $D && $OLDPWD/$T merge --llvm-compat --text $o $set) >$B/got
            check "merge $o $set" cmp $B/want $B/got
            llvm-profdata-19 show --temporal-profile-traces $B/want | sed -n '/^Temporal/,$p' >$B/want.show
            $T show --temporal-profile-traces $B/got | cmp -s - $B/want.show && pass || fail "show of $set $o"
        done
    done
else skip "order: no llvm-profdata-19"; fi
finish
