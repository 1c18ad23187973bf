#!/bin/sh
# Pictures of recordings: flame, folded and show --top take perf.data, text of perf script, collapsed stacks and V8's
# profiles themselves, compressed or not; filters; what is refused. Stacks of names against a model (make_stacks.pl),
# addresses against one of their own (picture_model.pl). Run in tests/.
cd "$(dirname "$0")" || exit 1
. ./t.sh
compares
make -s build/plain/csspgo build/plain/make_perfdata || exit 1
T=$(pwd)/build/plain/csspgo B=build/picture D=../examples/data
rm -rf $B
mkdir -p $B
LC_ALL=C
export LC_ALL
# folds WANT ARGUMENTS...: folded makes WANT of it
folds() {
    want=$1
    shift
    $T folded --no-demangle "$@" >$B/got 2>$B/err
    got=$?
    if [ $got -eq 0 ] && cmp -s $want $B/got; then pass
    else fail "folded $*: status $got, $(tail -1 $B/err) $(diff $want $B/got | head -5)"; fi
}
# refuses TEXT ARGUMENTS...: status 1 and TEXT
refuses() {
    text=$1
    shift
    $T "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq 1 ] && has_text "$text" $B/err; then pass; else fail "$*: status $got, $(tail -2 $B/err)"; fi
}
packers=
for p in gzip zstd; do if have $p; then packers="$packers $p"; else skip "no $p"; fi; done

# ----- stacks of names
for seed in $(seq $(size 3 40)); do
    S=$B/$seed
    mkdir -p $S
    perl make_stacks.pl $seed $S || fail "make_stacks.pl"
    for form in folded script v8.cpuprofile want; do folds $S/want $S/$form; done
    folds $S/want - <$S/script
    for p in $packers; do
        $p -c $S/script >$S/packed
        folds $S/want $S/packed
        folds $S/want - <$S/packed
    done
    # filters: what is left is what awk leaves; what is kept and left out is all
    filter() {
        condition=$1
        shift
        awk -F'\t' "$condition { n[\$6]++ } END { for (s in n) print s, n[s] }" $S/rows | sort >$S/some
        folds $S/some "$@" $S/script
        awk -v all="$(wc -l <$S/rows)" 'match($0, /[0-9]+ samples count; left out: /) {
            split($0, part, " samples count; left out: "); n = part[1]; sub(/.* /, "", n); sum += n
            m = split(part[2], other, ", "); for (i = 1; i <= m; i++) sum += other[i] + 0; seen = 1
        } END { exit !(seen && sum == all) }' $B/err && pass || fail "folded $*: does not say what was left out: $(cat $B/err)"
    }
    filter '$2 == "worker 3"' --comm='worker 3'
    filter '$2 == "app" || $2 == "Web Content"' --comm=app --comm='Web Content'
    filter '$3 == 11' --tid=11
    filter '$4 == "cycles:u"' --event=cycles
    filter '$5 == 0' --exclude-kernel
    filter '$1 >= 1000100000000 && $1 <= 1000200000000 && $3 != 10' --time=1000.1,1000.2 --tid=11 --tid=12 --tid=13
done
S=$B/1
# several events: they are told, with their samples; --event takes one
awk -F'\t' '{ n[$4]++ } END { for (e in n) print e " (" n[e] ")" }' $S/rows | sort >$B/events
$T folded $S/script 2>$B/err >/dev/null
sed -n 's/.*several events add up: \(.*\); --event=NAME chooses/\1/p' $B/err | awk '{ gsub(/\), /, ")\n"); print }' | sort | cmp -s - $B/events && pass || fail "events of text with names: $(cat $B/err)"
$T folded --event=cycles $S/script 2>$B/err >/dev/null
! has_text 'several events' $B/err && pass || fail "--event: $(cat $B/err)"
$T folded $D/demo.perfscript 2>$B/err >/dev/null
! has_text 'several events' $B/err && pass || fail "one event: $(cat $B/err)"
$T folded --binary=data/reported/programs/pl data/reported/programs/events/ev.data 2>$B/err >/dev/null
has_text 'samples of several events add up: br_inst_retired.near_taken' $B/err && pass || fail "events of perf.data: $(cat $B/err)"
$T folded --no-demangle --mark-inlined $S/want >$B/marked 2>/dev/null && cmp -s $B/marked $S/want && pass || fail "collapsed stacks have no inlined frames"
printf 'a;b_[i] 2\na 1\n' >$B/in
printf 'a 1\na;b_[i] 2\n' >$B/inlined
folds $B/inlined --mark-inlined $B/in
$T flame --title=x $S/script -o $B/a.svg 2>/dev/null && $T flame --title=x $S/v8.cpuprofile -o $B/b.svg 2>/dev/null && cmp -s $B/a.svg $B/b.svg && pass || fail "flame of text and of V8's profile differ"
# show --top: samples of functions themselves
awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); own[$0] += n } END { for (f in own) print own[f], f }' $S/want | sort -k1,1nr -k2 >$B/top
$T show --no-demangle --top=100 $S/script 2>/dev/null | sed -n '4,$p' | sed 's/^ \([0-9]*\) ([^)]*) *[0-9]* *[0-9]* */\1 /' | sort -k1,1nr -k2 >$B/got
cmp -s $B/top $B/got && pass || fail "show --top: $(diff $B/top $B/got | head -5)"

# ----- addresses: a program with symbols, kernel frames on top of some stacks, no other file
awk '/PERF_RECORD/ && !/demo\.elf/ { next }
     /^$/ && ++n % 3 == 0 { k = 1 } /^\t/ && k { print "\tffffffff81000123\n\tffffffff81000456"; k = 0 } { print }' $D/demo.perfscript >$B/demo.ps
have nm && have readelf && have objcopy || { skip "no binutils"; finish; }
mkdir -p $B/symbols.only && objcopy -R .pseudo_probe -R .pseudo_probe_desc $D/demo.elf $B/symbols.only/demo.elf 2>/dev/null
P=$B/symbols.only/demo.elf
{ nm -n --defined-only $D/demo.elf
  readelf -SW $D/demo.elf | sed -n 's/.*\] *\.plt[.a-z]* *PROGBITS *\([0-9a-f]*\) .*/\1 t demo.elf@plt/p'; } | sort >$B/symbols
perl picture_model.pl $B/symbols <$B/demo.ps >$B/demo.want
folds $B/demo.want --binary=$P $B/demo.ps
build/plain/make_perfdata file <$B/demo.ps >$B/demo.data
folds $B/demo.want --binary=$P $B/demo.data
folds $B/demo.want --binary=$P - <$B/demo.data
for p in $packers; do
    $p -c $B/demo.data >$B/demo.packed
    folds $B/demo.want --binary=$P $B/demo.packed
    # profgen and order read these, too
    $T profgen --quiet --binary=$D/demo.elf --perfdata=$B/demo.data -o $B/whole.prof --format=text 2>/dev/null
    $T profgen --quiet --binary=$D/demo.elf --perfdata=$B/demo.packed -o $B/packed.prof --format=text 2>/dev/null
    cmp -s $B/whole.prof $B/packed.prof && [ -s $B/whole.prof ] && pass || fail "profgen of perf.data by $p"
    $p -c $D/demo.perfscript | $T profgen --quiet --binary=$D/demo.elf --perfscript=- -o $B/packed.prof --format=text 2>/dev/null
    $T profgen --quiet --binary=$D/demo.elf --perfscript=$D/demo.perfscript -o $B/whole.prof --format=text 2>/dev/null
    cmp -s $B/whole.prof $B/packed.prof && [ -s $B/whole.prof ] && pass || fail "profgen of text by $p"
done
awk '!/\[kernel\]/' $B/demo.want >$B/user.want
folds $B/user.want --exclude-kernel --binary=$P $B/demo.data
# without the program: its file and places, and one warning that says so
$T folded $B/demo.data >$B/got 2>$B/err
grep -q 'demo.elf+0x' $B/got && ! grep -q main $B/got && has_text 'no profile for a compiler' $B/err && pass || fail "a program that is not there: $(cat $B/err)"
awk '{ s += $NF } END { print s }' $B/got >$B/sum
awk '{ s += $NF } END { print s }' $B/demo.want | cmp -s - $B/sum && pass || fail "samples of a program that is not there"

# ----- CPU profiles of gperftools, words of 4 and 8 bytes in both orders; other profiles of theirs are named
seed=0
for word in 4 8; do
    for order in '<' '>'; do
        for i in $(seq $(size 1 10)); do
            seed=$((seed + 1))
            perl make_gperf.pl $seed $word "$order" $B <$D/demo.perfscript
            $T folded --quiet --binary=$D/demo.elf $B/gperf.ps >$B/want 2>/dev/null
            folds $B/want --binary=$D/demo.elf $B/gperf
            for kind in pprof perfscript; do
                f=$B/gperf
                [ $kind = pprof ] || f=$B/gperf.ps
                $T profgen --quiet --allow-empty --max-dropped=100 --binary=$D/demo.elf --$kind=$f --format=text -o $B/$kind.prof 2>$B/err || fail "profgen --$kind: $(cat $B/err)"
            done
            cmp -s $B/pprof.prof $B/perfscript.prof && [ -s $B/pprof.prof ] && pass || fail "profgen --pprof of gperftools' profile $seed"
        done
    done
done
for n in 30 200 600; do head -c $n $B/gperf >$B/cut; refuses 'cut: ' profgen --binary=$D/demo.elf --pprof=$B/cut -o $B/none.prof; done
named() { printf -- "$1" >$B/other; refuses "$2" folded $B/other; refuses "$2" profgen --binary=$D/demo.elf --pprof=$B/other -o $B/none.prof; }
named 'heap profile: 1: 2 [ 3: 4] @ heapprofile\n' 'this is a heap profile'
named 'heap profile: 1: 2 [ 3: 4] @ growthz\n' 'this is a growth profile'
named '--- contentionz 1 ---\n' 'this is a contention profile'
named '--- mutex:\n' 'this is a mutex profile'
named 'goroutine profile: total 3\n' 'this is a list of goroutines'
named '--- symbol\nbinary=/x\n' 'this is a profile of gperftools with its symbols'

# ----- inlined functions, by debug information
if have cc && [ "$(uname -m)" = x86_64 ] && [ "$(uname -s)" = Linux ]; then
    cat >$B/in.c <<'X'
static volatile int sink;
static inline __attribute__((always_inline)) void inner(int n) { int i; for (i = 0; i < n; i++) sink += i; }
static __attribute__((noinline)) void outer(int n) { int i; for (i = 0; i < 50; i++) inner(n); }
int main(void) { outer(200); outer(300); return 0; }
X
    cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $B/in.elf $B/in.c &&
        $T record --quiet --exact --period=200 -o $B/in.ps -- $B/in.elf >$B/out 2>&1 || fail "record: $(cat $B/out)"
    $T folded --mark-inlined $B/in.ps >$B/got 2>$B/err
    grep -q 'main;outer[^;]*;inner_\[i\] [0-9]*$' $B/got && pass || fail "inlined functions: $(tail -5 $B/got; tail -3 $B/err)"
    strip -g -o $B/bare.elf $B/in.elf && mkdir -p $B/bare && mv $B/bare.elf $B/bare/in.elf
    $T folded --binary=$B/bare/in.elf $B/in.ps 2>/dev/null | grep -q 'main;outer[^;]* [0-9]*$' && pass || fail "symbols alone"
    # by probes the same as by lines, but for what stands behind an inlined function
    if have clang-19; then
        mkdir -p $B/probes
        clang-19 -O2 -g -fpseudo-probe-for-profiling -fno-omit-frame-pointer -o $B/probed.elf $B/in.c &&
            strip -g -o $B/probes/probed.elf $B/probed.elf &&
            $T record --quiet --exact --period=100 -o $B/probed.ps -- $B/probed.elf >$B/out 2>&1 || fail "record: $(cat $B/out)"
        $T folded --exclude-kernel $B/probed.ps >$B/lines.folded 2>/dev/null
        $T folded --exclude-kernel --mark-inlined --binary=$B/probes/probed.elf $B/probed.ps >$B/probes.folded 2>/dev/null
        grep -q 'main;outer[^;]*;inner[^;]*_\[i\] [0-9]*$' $B/probes.folded && pass || fail "inlined functions by probes: $(tail -3 $B/probes.folded)"
        sed -i 's/_\[i\]//g' $B/probes.folded
        awk '{ n = $NF; sub(/ [0-9]+$/, ""); if (NR == FNR) { a[$0] = n; all += n } else same += n < a[$0] ? n : a[$0] }
             END { exit !(same >= .9 * all) }' $B/lines.folded $B/probes.folded && pass || fail "by probes and by lines: $(diff $B/lines.folded $B/probes.folded | head -6)"
    else skip "inlined functions by probes: no clang-19"; fi
else skip "inlined functions: no cc for x86-64 Linux"; fi

# ----- annotate: as of the profile that profgen makes of it
if [ -f $B/in.ps ]; then
    $T profgen --quiet --binary=$B/in.elf --perfscript=$B/in.ps --format=text -o $B/in.prof --csspgo-preinliner=0 --csprof-merge-cold-context=0 \
        --trim-cold-profile=0 --gen-cs-nested-profile=0 --max-dropped=100 2>/dev/null
    $T annotate --quiet --binary=$B/in.elf --function=outer --source $B/in.prof >$B/want 2>&1
    $T annotate --quiet --binary=$B/in.elf --function=outer --source $B/in.ps >$B/got 2>&1 && cmp -s $B/want $B/got && [ -s $B/got ] && pass || fail "annotate: $(head -3 $B/got)"
    gzip -c $B/in.ps >$B/in.ps.gz
    $T annotate --quiet --binary=$B/in.elf --function=outer --source $B/in.ps.gz >$B/got 2>&1 && cmp -s $B/want $B/got && pass || fail "annotate of gzip: $(head -3 $B/got)"
    refuses 'it has names only, and no addresses' annotate --binary=$B/in.elf --function=outer $B/inlined
fi

# ----- refusals
head -c 3000 $B/demo.packed >$B/cut
refuses 'its compressed data ends too soon' folded --binary=$D/demo.elf $B/cut
refuses 'cut: its compressed data ends too soon' profgen --binary=$D/demo.elf --perfdata=$B/cut -o $B/none.prof
printf 'PERFFILE\150\0\0\0' >$B/v1
refuses 'this is perf.data of version 1' folded $B/v1
refuses 'this is perf.data of version 1' profgen --binary=$D/demo.elf --perfdata=$B/v1 -o $B/none.prof
printf 'words\n' | gzip -c >$B/words.gz
refuses 'words.gz: ' folded $B/words.gz
refuses 'show has --top=N and --contexts of it' show $B/demo.data
refuses '--time: samples have no times' folded --time=1,2 $B/in
refuses '--comm: it does not say which command a thread is' folded --comm=x $B/in
refuses '--event: samples do not name their event' folded --event=x $B/in
for bad in 1 1,2,3 x,2 2,1 -1,2; do
    $T folded --time=$bad $S/script >$B/out 2>$B/err && fail "--time=$bad" || { has_text "--time: '" $B/err && pass || fail "--time=$bad: $(cat $B/err)"; }
done
# ----- unknown frames in a row are one, whatever is around them
printf '%s\n' '[unknown];[unknown];a;[unknown];b 3' '[unknown];a;[unknown];[unknown];[unknown];b 4' 'a;a 2' '[unknown];[unknown] 1' >$B/unknown.folded
$T folded $B/unknown.folded -o $B/out 2>/dev/null
check "unknown frames in a row" sh -c "printf '%s\n' '[unknown] 1' '[unknown];a;[unknown];b 7' 'a;a 2' | cmp - $B/out"

# ----- --demangler: a program that answers each line with a line gives names, in every command; one process
printf '$s4main3fooyS2iF:100:1\n 1: 100 $s4main3baryS2iF:5\n_D3foo3barFiZi:50:1\n 1: 50\n_Z3addii:10:1\n 1: 10\n' >$B/swift.prof
cat >$B/swift.sh <<'END'
echo started >&2
while read -r name; do echo "$name" >&2; case $name in '$s'*) echo "<<$name>>";; _D*) printf '%s\r\n' "foo.bar(int)";; *) echo "$name";; esac; done
END
for c in "show" "show --top=9" "show --contexts" "folded -o -" "flame -o -" "overlap $B/swift.prof --function=add"; do
    $T $c $B/swift.prof --demangler="sh $B/swift.sh 2>$B/asked" >$B/out 2>$B/err
    case $c in overlap*) said=add;; *) said='s4main3foo.*S2iF\(>>\|&gt;\)';; esac
    check "--demangler: $c" grep -q "$said" $B/out
    check "--demangler: $c: each name is asked for once, of one process" sh -c "[ -s $B/asked ] && LC_ALL=C sort $B/asked | uniq -d | cmp - /dev/null"
done
$T folded $B/swift.prof --demangler="sh $B/swift.sh" 2>/dev/null >$B/out
check "--demangler: else csspgo's own names" grep -q '^add(int, int) 10$' $B/out
check "--demangler: ends of lines of Windows" grep -q '^foo.bar(int) 50$' $B/out
$T show "--function=<<\$s4main3fooyS2iF>>" $B/swift.prof --demangler="sh $B/swift.sh 2>/dev/null" >$B/out 2>$B/err
check "--demangler: functions are found by its names" grep -q '^Function: .*: 100, 1,' $B/out
for c in false 'read -r x; echo "$x"' /nowhere/at/all "head -c 3"; do
    $T folded $B/swift.prof --demangler="$c" >$B/out 2>$B/err
    check "--demangler=$c: the rest without it, and a warning" sh -c "[ \$(wc -l <$B/out) -eq 3 ] && grep -q 'demangler: .* has ended' $B/err"
done
for o in --no-demangle --llvm-compat; do
    $T show $B/swift.prof $o --demangler=cat >$B/out 2>$B/err
    check "--demangler with $o" grep -q "no effect with $o" $B/err
done
if [ -n "$FULL" ]; then
    $T folded $B/swift.prof --demangler='cat >/dev/null; echo late' >$B/out 2>$B/err
    check "--demangler: one that keeps silent" grep -q 'did not answer a line' $B/err
fi

# ----- control groups: 10 samples in /a, 20 in /a/b, 3 in /ab, 1 in one that no record names
mkdir -p $B/groups
groups() { $T folded --no-demangle "$@" 2>$B/err | awk '{ n += $NF } END { print n + 0 }'; }
for kind in plain big pages fields big,fields,pages; do
    perl make_cgroups.pl $kind >$B/groups/$kind.data
    for g in /a:30 /a/:30 /a/b:20 /ab:3 /:33; do
        check "$kind: --cgroup=${g%:*}" [ "$(groups --cgroup=${g%:*} $B/groups/$kind.data)" = ${g#*:} ]
        check "... and the rest is counted" grep -q "${g#*:} samples count; left out: $((34 - ${g#*:})) of other control groups" $B/err
    done
    check "$kind: two groups" [ "$(groups --cgroup=/ab --cgroup=/a/b $B/groups/$kind.data)" = 23 ]
    check "$kind: no such group" [ "$(groups --cgroup=/b $B/groups/$kind.data)" = 0 ]
    check "... which is no error of the recording" sh -c "! grep -q 'do not say' $B/err"
done
for kind in none aux,pages; do
    perl make_cgroups.pl $kind >$B/groups/$kind.data
    $T folded --cgroup=/a $B/groups/$kind.data >$B/out 2>$B/err
    check "$kind: the reason" grep -q 'samples do not say their control group: perf record --all-cgroups, without --aux-sample' $B/err
done
head -c 400 $B/groups/plain.data >$B/groups/short.data
$T folded --cgroup=/a $B/groups/short.data >$B/out 2>$B/err
check "a recording that ends in a name: status $?" [ $? -ne 139 ]
printf 'p       1/1       1000.000001:          1 cycles:u: \n\t          401010 f+0x0 (/bin/p)\n\n' >$B/groups/text.ps
$T folded --cgroup=/a $B/groups/text.ps >$B/out 2>$B/err
check "text has no control groups" grep -q 'control groups are read of perf.data, not of perf script' $B/err
if have gcc; then
    cat >$B/groups/p.c <<'EOF'
volatile int sink;
__attribute__((noinline)) void p1(void) { sink++; }
__attribute__((noinline)) void p2(void) { sink += 2; }
__attribute__((noinline)) void p3(void) { sink += 3; }
int main(void) { p1(); p2(); p3(); return 0; }
EOF
    gcc -O1 -g -no-pie -o $B/groups/p $B/groups/p.c
    at=$(nm $B/groups/p | awk '$3 ~ /^p[123]$/ { print $3, $1 }' | sort | awk '{ print $2 }')
    perl make_cgroups.pl pages $B/groups/p $at >$B/groups/p.data
    G="--cgroup=/a/b --binary=$B/groups/p"
    $T profgen --quiet $G --perfdata=$B/groups/p.data --format=text --allow-empty --report=$B/report -o $B/p.prof 2>$B/err
    check "profgen --cgroup" sh -c "grep -q '^p2:' $B/p.prof && ! grep -q '^p1:' $B/p.prof && grep -q '\"cgroups\": 14' $B/report"
    $T order $G --perfdata=$B/groups/p.data -o $B/p.order 2>$B/err
    check "order --cgroup" sh -c "grep -q '^p2' $B/p.order && ! grep -q '^p1' $B/p.order"
    $T flame $G $B/groups/p.data -o $B/p.svg 2>$B/err
    check "flame --cgroup" sh -c "grep -q '>p2<' $B/p.svg && ! grep -q '>p1<' $B/p.svg"
    $T show $G --top=9 $B/groups/p.data >$B/out 2>$B/err
    check "show --cgroup" sh -c "grep -q p2 $B/out && ! grep -q p1 $B/out"
    $T annotate $G --function=p2 --profile=$B/groups/p.data >$B/out 2>$B/err
    check "annotate --cgroup" sh -c "grep -q '20 samples count; left out: 14 of other control groups' $B/err && [ -s $B/out ]"
fi
if have c++filt; then
    perl -e 'for (1 .. 20000) { printf "_Z%df%07dv:%d:1\n 1: %d\n", 8, $_, $_, $_ }' >$B/many.prof
    $T folded $B/many.prof --demangler=c++filt >$B/out 2>$B/err
    $T folded $B/many.prof 2>/dev/null | cmp -s - $B/out && pass || fail "--demangler=c++filt: 20,000 names"
    $T folded $B/swift.prof --demangler='c++filt -s dlang' >$B/out 2>$B/err
    check "a name of D" grep -q '^foo.bar(int) 50$' $B/out
else skip "--demangler=c++filt"; fi
finish
