#!/bin/sh
# Programs that were recorded under another name, and other files of their name. Run in tests/.
B=build/renamed
rm -rf $B
mkdir -p $B/a $B/b
. ./t.sh
T=build/plain/csspgo
make -s $T build/plain/make_perfdata || { fail "it does not build"; finish; }
D=data/recordings U=data/unwind/bin

counters() { rm -f $B/out; $T profgen --skip-symbolization --max-dropped=100 -o $B/out "$@" 2>$B/said; }
# taken NAME SENTENCE OPTIONS...: the counters wanted, and one line of what is said has the sentence; "": no file is named
taken() {
    name=$1 sentence=$2
    shift 2
    if counters "$@" && cmp -s $B/want $B/out; then pass; else fail "$name"; diff $B/want $B/out | head -4; cat $B/said; fi
    if [ -z "$sentence" ] && ! grep -q -e ' taken for ' -e ' of its name' $B/said; then pass
    elif [ -n "$sentence" ] && [ $(grep -c -e "$sentence" $B/said) -eq 1 ]; then pass
    else fail "$name says"; cat $B/said; fi
}
refused() {
    name=$1 sentence=$2
    shift 2
    if counters "$@" || [ -e $B/out ]; then fail "$name is taken"; cat $B/said; elif finds "$sentence" $B/said; then pass; else fail "$name says"; cat $B/said; fi
}

for kind in probe pie; do
    ps=$([ $kind = pie ] && echo $D/multi-single.ps || echo data/unwind/traces/demo.probe.ps)
    recorded=$(sed -n 's/.*PERF_RECORD_MMAP2.*r-xp \(.*\)/\1/p' $ps | grep demo | sort -u)
    [ $(echo "$recorded" | wc -l) -eq 1 ] || fail "$kind: recorded is $recorded"
    $T profgen --quiet --skip-symbolization --binary=$U/demo.$kind --perfscript=$ps -o $B/want
    cp $U/demo.$kind $B/server
    cp $U/demo.$kind $B/bare
    if have objcopy; then objcopy --remove-section=.note.gnu.build-id $B/bare; fi
    build/plain/make_perfdata file <$ps >$B/data
    for program in server bare; do
        taken "$kind: $program" "$recorded is taken for $B/$program: .* addresses recorded there are branches and calls" --binary=$B/$program --perfscript=$ps
        $T profgen --quiet --skip-symbolization --binary=$B/$program --perfscript=- -o $B/out <$ps && cmp -s $B/want $B/out && pass || fail "$kind: $program through a pipe"
        taken "$kind: $program, named" "" --binary=$B/$program --perfscript=$ps --perf-binary=${recorded##*/}
        taken "$kind: $program, named by its path" "" --binary=$B/$program --perfscript=$ps --perf-binary=$recorded
        taken "$kind: $program, named by the end of its path" "" --binary=$B/$program --perfscript=$ps --perf-binary=$(echo "$recorded" | sed 's,^.*/\([^/]*/[^/]*\)$,\1,')
        taken "$kind: $program, a name that is not there" "no file of the name of --perf-binary=nobody is mapped" --binary=$B/$program --perfscript=$ps --perf-binary=nobody
        taken "$kind: $program, another name" "is taken for" --binary=$B/$program --perfscript=$ps --perf-binary=/none/${recorded##*/}
    done
    [ $kind = pie ] || taken "$kind: perf.data" "is taken for" --binary=$B/server --perfdata=$B/data
    # without a single fitting branch nothing is taken, and the message names the ways out
    sed 's,/0x\([0-9a-f]*\)/P,/0x\1/P,; s,0x\([0-9a-f]*\)\([0-9a-f]\)/0x,0x\13/0x,g; s,^\(\t *[0-9a-f]*\)[0-9a-f]$,\13,' $ps >$B/unfit.ps
    refused "$kind: another program" "is not among the mapped files, .* --perf-binary=NAME says which it is, --image-base=ADDR" --binary=$B/server --perfscript=$B/unfit.ps
done

# build ids decide: another one is not taken, by whatever name; the same always
id=$(readelf -n $U/demo.probe 2>/dev/null | sed -n 's/.*Build ID: //p')
ps=data/unwind/traces/demo.probe.ps
if [ -n "$id" ]; then
    $T profgen --quiet --skip-symbolization --binary=$U/demo.probe --perfscript=$ps -o $B/want
    cp $U/demo.probe $B/server
    with_id() { sed "/PERF_RECORD_MMAP2.*demo/s, 00:[0-9a-f]* [0-9]* [0-9]*]:, <$1>]:,; /PERF_RECORD_MMAP2.*demo/s, fe:[0-9a-f]* [0-9]* [0-9]*]:, <$1>]:," $ps >$B/id.ps; grep -q "<$1>" $B/id.ps || fail "no id in $B/id.ps"; }
    with_id $id
    taken "the same build id" "" --binary=$B/server --perfscript=$B/id.ps
    with_id 0000000000000000000000000000000000000000
    taken "a build id that was not read" "is taken for" --binary=$B/server --perfscript=$B/id.ps
    taken "a build id that was not read, named" "" --binary=$B/server --perfscript=$B/id.ps --perf-binary=$(sed -n 's,.*/\(demo[^/]*\)$,\1,p' $B/id.ps | head -1)
    with_id 00112233445566778899
    refused "another build id" "is not among the mapped files" --binary=$B/server --perfscript=$B/id.ps
    refused "another build id, named" "the recorded program has build id 00112233445566778899, .*server has $id" --binary=$B/server --perfscript=$B/id.ps --perf-binary=$(sed -n 's,.*/\(demo[^/]*\)$,\1,p' $B/id.ps | head -1)
fi

# two files of one name in one recording, each of another process
{ sed -n '/PERF_RECORD_MMAP2.*demo/s/.*/&/p' $ps | head -1 | sed 's, [0-9]*/[0-9]*: , 11/11: ,; s,r-xp .*,r-xp /a/server,'
  sed -n '/PERF_RECORD_MMAP2.*demo/s/.*/&/p' $ps | head -1 | sed 's, [0-9]*/[0-9]*: , 12/12: ,; s,r-xp .*,r-xp /b/server,'
  awk '/PERF_RECORD/ { next } NF && !begun { print "   11 "; begun = 1 } { print } /^ 0x/ { begun = 0 }' $ps
  awk '/PERF_RECORD/ { next } NF && !begun { print "   12 "; begun = 1 } { print } /^ 0x/ { begun = 0 }' $ps |
      sed 's,0x[0-9a-f]*/0x[0-9a-f]*/P,0x401152/0x401152/P,g; s,^\t *40[0-9a-f]*$,\t 401152,'; } >$B/two.ps
$T profgen --quiet --skip-symbolization --binary=$U/demo.probe --perfscript=$ps -o $B/want
cp $U/demo.probe $B/server
taken "two files of one name" "/b/server is not .*/server, but another file of its name" --binary=$B/server --perfscript=$B/two.ps

# two programs of one name: each has what was recorded in it, whichever is given, or both
# of PID NAME: the script on standard input as that of a process and of a file
of() { awk -v pid=$1 -v name=$2 '/PERF_RECORD/ { if (!/demo/) next; sub(/[0-9]+\/[0-9]+:/, pid "/" pid ":"); sub(/r-xp .*/, "r-xp " name); print; next }
    /^ *[0-9]+(\/[0-9]+)?  *.*$/ && !/0x/ { next } NF && !begun { print "   " pid " "; begun = 1 } { print } /^ 0x/ { begun = 0; print "" }'; }
of 21 /one/prog <$ps >$B/one.ps
of 22 /two/prog <$D/multi-single.ps >$B/two.ps
cp $U/demo.probe $B/a/prog
cp $U/demo.pie $B/b/prog
cp $U/demo.pie $B/moved
for order in "one two" "two one"; do
    for i in $order; do grep PERF $B/$i.ps; done >$B/both.ps
    for i in $order; do grep -v PERF $B/$i.ps; done >>$B/both.ps
    for i in "a one two" "b two one"; do
        set -- $i
        counters --binary=$B/$1/prog --perfscript=$B/$2.ps; cp $B/out $B/want
        taken "$order: $1" "/$3/prog is not $B/$1/prog, but another file of its name" --binary=$B/$1/prog --perfscript=$B/both.ps
    done
    taken "$order: a name" "/one/prog is not $B/moved, but another" --binary=$B/moved --perfscript=$B/both.ps --perf-binary=prog
    taken "$order: a path" "" --binary=$B/moved --perfscript=$B/both.ps --perf-binary=two/prog
    for program in "a b" "b a"; do
        set -- $program
        $T profgen --binary=$B/$1/prog --binary=$B/$2/prog --perfscript=$B/both.ps --show-images -o $B/out 2>$B/said
        if [ $(grep -c ' samples in /[ot][nw][eo]/prog$' $B/said) -eq 2 ] && ! finds 'is not given' $B/said; then pass; else fail "$order: programs $program"; cat $B/said; fi
    done
done

# what csspgo record writes has build ids: a renamed, stripped or moved copy is known by its own
if [ "$(uname -sm)" = "Linux x86_64" ] && have clang-19; then
    cat >$B/busy.c <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) static void leaf(int n) { int i; for (i = 0; i < n; i++) sum += (unsigned long)i; }
int main(void) { int i; for (i = 0; i < 300; i++) leaf(20 + i % 7); return 0; }
C
    for link in -pie -no-pie; do
        clang-19 -O1 -g -w $link -Wl,--build-id -o $B/busy $B/busy.c || fail "busy.c"
        $T record --quiet --exact --count=40 -o $B/busy.ps -- $B/busy >/dev/null 2>$B/err
        [ -s $B/busy.ps ] || { skip "nothing can be recorded here: $(head -1 $B/err)"; break; }
        own=$(readelf -n $B/busy | sed -n 's/.*Build ID: //p')
        if grep -q "PERF_RECORD_MMAP2 .* @ 0x[0-9a-f]* <$own>]: r-xp .*/busy$" $B/busy.ps; then pass; else fail "$link: no build id"; grep MMAP $B/busy.ps; fi
        $T profgen --quiet --skip-symbolization --binary=$B/busy --perfscript=$B/busy.ps -o $B/want || fail "$link: the program"
        cp $B/busy $B/moved
        taken "$link: a renamed copy" "" --binary=$B/moved --perfscript=$B/busy.ps
        clang-19 -O2 -g -w $link -Wl,--build-id -o $B/a/busy $B/busy.c
        refused "$link: another build of its name" "the recorded program has build id $own" --binary=$B/a/busy --perfscript=$B/busy.ps
    done
else skip "recordings of renamed programs need clang-19 on x86-64 Linux"; fi
finish
