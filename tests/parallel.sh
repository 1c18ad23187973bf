#!/bin/sh
# --num-threads changes nothing: profile, report, messages and status are those of one thread, whatever is read. The
# inputs are larger than what a thread hands over at once; mappings, events, other forms and bad lines are anywhere in
# them. Run in tests/.
. ./t.sh
B=build/parallel
rm -rf $B
mkdir -p $B
TOOL=build/plain/csspgo
make -s $TOOL build/plain/make_perfdata || { fail "the tool does not build"; finish; }
R=data/recordings
THREADS=$(size 3 "2 3 4 5 6 7 8")

# same NAME ARGUMENT...: of each number of threads; OUT stands for the output. Of a good input the output is not empty.
same() {
    name=$1
    shift
    for j in 1 $THREADS; do
        $TOOL "$@" -j $j -o $B/$name.out >$B/$name.$j.said 2>&1
        echo "status $?" >>$B/$name.$j.said
        [ ! -e $B/$name.out ] || mv $B/$name.out $B/$name.$j
        [ $j = 1 ] && continue
        if alike $B/$name.1 $B/$name.$j && alike $B/$name.1.said $B/$name.$j.said; then pass
        else fail "$name: $j threads"; diff $B/$name.1.said $B/$name.$j.said | head -5; fi
    done
}
good() { if [ -s $B/$1.1 ] && grep -q '^status [03]$' $B/$1.1.said; then pass; else fail "$1 has no output"; head -5 $B/$1.1.said; fi; }

# times N FILE...
times_of() {
    n=$1
    shift
    for i in $(seq $n); do cat "$@"; done
}
N=$(size 20 40)
probe="profgen --binary=data/unwind/bin/demo.probe --format=text --json --show-detailed-warning"
pie="profgen --binary=data/unwind/bin/demo.pie --format=text --json"
forms="$R/plain.ps $R/default-fields.ps $R/sym.ps $R/brstack-dso.ps $R/srcline.ps $R/event.ps $R/brstack-type.ps"

# the same samples again and again; many forms; mappings of several processes in the middle, and bad lines
times_of $(size 140 300) $R/plain.ps >$B/again.ps
times_of $N $forms >$B/forms.ps
times_of $N $R/multi-all.ps $R/multi-single.ps $R/pid-tid-cpu-time.ps >$B/processes.ps
times_of $N $R/plain.ps $R/mixed.ps | awk 'NR % 977 == 0 { print "0x40/0xzz/P junk"; print "PERF_RECORD_MMAP2 1/1: [0x" } NR % 501 == 0 { print "7"; print "" } 1' >$B/bad.ps
# every sample is another one: the sampled address and one source vary
awk 'BEGIN { print "PERF_RECORD_MMAP2 1000/1000: [0x401000(0x1000) @ 0x1000 00:1d 1001 1]: r-xp /x/demo.probe"
    for (i = 0; i < '$(size 2500 40000)'; i++) { printf "\t          %x\n\t          4011c4\n\t          40124d\n", 4198736 + i % 29
        for (k = 0; k < 12; k++) printf " 0x%x/0x401150/P/-/-/%d ", 4198736 + (i * (k + 7)) % 311, k
        print "\n" } }' >$B/distinct.ps
for form in again forms bad distinct; do same $form $probe --perfscript=$B/$form.ps; good $form; done
same processes $pie --perfscript=$B/processes.ps
good processes
same several $pie --perfscript=$B/processes.ps --perfscript=$B/distinct.ps --perfscript=$R/multi-all.ps --perfdata=$R/multi-all.data
good several
same filtered $pie --perfscript=$B/processes.ps --pid=1001
same event $probe --perfscript=$B/forms.ps --perf-event=cycles:u
same raw profgen --binary=data/unwind/bin/demo.probe --perfscript=$B/forms.ps --skip-symbolization
good raw
same addresses profgen --binary=data/unwind/bin/demo.probe --perfscript=$B/forms.ps --leading-ip-only
same compat profgen --llvm-compat --binary=data/unwind/bin/demo.probe --perfscript=$B/again.ps

# unpacked meanwhile
gzip -c $B/distinct.ps >$B/packed.gz
same packed $probe --perfscript=$B/packed.gz
good packed

# ends within a sample; a form that is refused, far behind; no sample at all
head -c $(($(wc -c <$B/distinct.ps) - 100)) $B/distinct.ps >$B/cut.ps
{ cat $B/again.ps; printf '\t          401150\n'; } >$B/open.ps
{ awk 'BEGIN { for (i = 0; i < 90000; i++) print "# nothing" }'; echo 'a 1 2.0: cycles: 401150 main+0x1/main+0x2/P/-/-/0'; } >$B/refused.ps
awk 'BEGIN { for (i = 0; i < 90000; i++) print "# nothing" }' >$B/none.ps
printf '' >$B/empty.ps
for form in cut open refused none empty; do same $form $probe --perfscript=$B/$form.ps; done
for form in open refused none empty; do check "$form is an error" grep -q '^status 1$' $B/$form.1.said; done
same broken $probe --perfscript=$B/again.ps --perfscript=$B/open.ps --perfscript=$B/forms.ps

# merge: good and bad inputs in any place, of several kinds and forms, weights, directories, contextual ones
P=$B/profiles
mkdir -p $P
i=0
for f in data/formats/text/*.txt data/formats/malformed/*/*.* data/formats/hand/*.* data/contextual/*.txt data/contextual/*.ctxp; do
    [ ! -f "$f" ] || { i=$((i + 1)); cp "$f" $P/$i.${f##*.}; }
done
printf '' >$P/nothing.prof
for mode in all warn; do same skip.$mode merge --failure-mode=$mode --text $P; done
same merge merge --text $P
good=$(for f in $(size "" "data/formats/text/*.txt"); do $TOOL merge --failure-mode=any $B/again.1 $f -o $B/out >/dev/null 2>&1 && echo $f; done)
same merge.good merge --json $B/again.1 $good $good $B/forms.1
good merge.good
same merge.weighted merge --text --weighted-input=3,$B/again.1 --weighted-input=2,$B/forms.1 $B/distinct.1 $B/bad.1 $B/processes.1 $B/again.1
good merge.weighted
same merge.missing merge $B/again.1 $B/not.there $B/forms.1 --failure-mode=warn
for o in "" --failure-mode=all; do same merge.empty merge --text $o $P/nothing.prof $B/again.1 $P/nothing.prof $B/forms.1; done
same merge.compat merge --llvm-compat --text $B/again.1 $B/forms.1 $B/bad.1
printf '%s\n' $B/again.1 $B/forms.1 $B/bad.1 $B/distinct.1 >$B/list
same merge.list merge --input-files=$B/list --use-md5
check "merge: standard input" sh -c "$TOOL merge -j 3 - $B/bad.1 --text -o $B/stdin <$B/again.1 && $TOOL merge -j 1 $B/again.1 $B/bad.1 --text -o $B/stdin.1 && cmp $B/stdin $B/stdin.1"

# where there are no threads
if [ -n "$FULL" ]; then
    for c in shared/parsing shared/threads views/merge_ahead; do
        check "$c without threads" ${CC:-cc} -std=c99 -Wall -Wextra -Werror -DTOOL_WITHOUT_THREADS -fsyntax-only ../examples/tool/$c.c
    done
fi
finish
