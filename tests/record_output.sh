#!/bin/sh
# What `csspgo record` writes: perf.data says what the text says, and perf reads both. Run in tests/.
. ./t.sh
B=build/record_output
mkdir -p $B
TOOL=${TOOL:-build/plain/csspgo}
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    skip "record_output: needs x86-64 Linux"
    finish
fi
[ -x $TOOL ] || make -s $TOOL
[ -z "$FULL" ] || { make -s build/san/csspgo && TOOL=build/san/csspgo; }
D=../examples/data

# the same run, as both
${CC:-cc} -O2 -g1 -w -DELEMENTS=30 -fno-omit-frame-pointer -o $B/qsort programs/record/qsort.c || fail "qsort.c does not build"
rm -f $B/run.*
$TOOL record --quiet --exact --count=60 --period=50 --depth=16 -o $B/run.ps -- $B/qsort >/dev/null 2>$B/err
if [ ! -s $B/run.ps ]; then
    skip "record_output: nothing can be recorded here: $(head -1 $B/err)"
    finish
fi
$TOOL record --quiet --exact --count=60 --period=50 --depth=16 -o $B/run.data -- $B/qsort >/dev/null 2>&1
check "perf.data is written" [ -s $B/run.data ]
# the ranges and branches of all samples, in a form that needs neither probes nor debug information
for n in ps data; do
    $TOOL profgen --quiet --skip-symbolization --binary=$B/qsort --$([ $n = ps ] && echo perfscript || echo perfdata)=$B/run.$n -o $B/$n.raw >$B/err 2>&1 || { fail "profgen takes no $n"; head -3 $B/err; }
done
check "text and perf.data: the same ranges and branches" cmp $B/ps.raw $B/data.raw
check "they are some" [ $(wc -l <$B/ps.raw) -gt 3 ]
# it is a map of the file only once it is finished: what cannot be rewound is refused, and nothing stays behind
mkfifo $B/pipe.data 2>/dev/null
cat $B/pipe.data >/dev/null &
$TOOL record --quiet --exact --count=1 -o $B/pipe.data -- $B/qsort >/dev/null 2>$B/err
if [ $? -eq 1 ] && finds 'goes to a file' $B/err; then pass; else fail "a pipe as perf.data"; cat $B/err; fi
wait
rm -f $B/pipe.data

have perf || { skip "record_output: perf"; finish; }
perf script -i $B/run.data -F ip,brstack --show-mmap-events >$B/script.ps 2>$B/err || { fail "perf script takes it not"; head -3 $B/err; }
# without the stacks, which perf 6.1 prints as offsets in files
for n in run script; do
    $TOOL profgen --quiet --skip-symbolization --ignore-stack-samples --binary=$B/qsort --perfscript=$B/$n.ps -o $B/$n.flat >$B/err 2>&1
done
check "as perf script prints it" cmp $B/run.flat $B/script.flat
check "as many samples" [ $(grep -c '0x.*/0x' $B/script.ps) -eq 60 ]
maps() { sed -n 's/.*\(PERF_RECORD_MMAP2\) [0-9]*\/[0-9]*: \(.*[^ ]\) *$/\1 \2/p' $1 | grep -v '\[vdso\]' | sort; }
maps $B/run.ps >$B/run.maps
maps $B/script.ps >$B/script.maps
check "mappings as perf script prints them, with build ids" diff $B/run.maps $B/script.maps
check "the build id of the program" grep -q '<[0-9a-f]\{40\}>]: r-xp .*/qsort$' $B/run.maps
perf script -i $B/run.data -F comm,pid,tid,time,period,event,ip >$B/fields 2>$B/err
check "name, threads, times, periods" [ $(grep -c '^qsort  *\([0-9]*\)/\1  *[0-9]*\.[0-9]*:  *50 branches:u:' $B/fields) -eq 60 ]
perf report --stdio --no-branch-history -i $B/run.data >$B/report 2>$B/err
check "perf report" grep -q 'qsort .*\[\.\] ' $B/report
perf script --header-only -i $B/run.data >$B/header 2>$B/err
check "the command" grep -q 'cmdline : .*record .*qsort' $B/header
check "the time of the samples" grep -q 'time of last sample' $B/header
finish
