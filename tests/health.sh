#!/bin/sh
# csspgo profgen --report: what became of the samples, and what should be recorded or built otherwise. Run in tests/.
B=build/health
rm -rf $B
mkdir -p $B
. ./t.sh
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
R=data/recordings D=../examples/data
demo="--binary=$D/demo.elf"
# a sum that holds: what was read is kept or lost for one reason, in samples and in what ran; and so with the counts
adds_up() {
    awk '
        function numbers(s) { gsub(/[^0-9]+/, " ", s); return split(s, v, " ") }
        function holds(unit, s, n, i) {
            if (!match(loss, "\"" unit "\": [{] \"read\": [0-9]*, \"of_other_processes\": [0-9]*, \"kept\": [0-9]*, \"in_other_code\": [{][^}]*[}], \"reasons\": [{][^}]*[}]")) return 0
            s = substr(loss, RSTART, RLENGTH)
            sub(/"in_other_code": [{][^}]*[}]/, "", s)
            if (numbers(s) != 14) return 0
            n = v[2]
            for (i = 3; i <= 14; i++) n += v[i]
            return n == v[1]
        }
        /"loss": [{]/ { loss = substr($0, index($0, "\"loss\": {")); units = holds("samples") + holds("runs") }
        match($0, /"counts": [{].*[}], "functions"/) { counts = numbers(substr($0, RSTART, RLENGTH)) == 6 && v[1] + v[2] == v[3] + v[4] + v[5] + v[6]; counted = 1 }
        END { exit !(units == 2 && (counts || !counted)) }' $B/json
}
# report OPTION...: profgen writes $B/json, whose numbers add up
report() {
    $T profgen --quiet -o $B/prof --report=$B/json "$@" 2>$B/err
    report_status=$?
    adds_up && pass || fail "profgen $*: the numbers of the loss do not add up: $(grep loss $B/json)"
    return $report_status
}
# says PATTERN: in the report
says() { if grep -q -e "$1" $B/json; then pass; else fail "no '$1' in the report"; cat $B/json; fi; }
# said NAME: a number of the report
said() { sed -n "/\"$1\": /{s/.*\"$1\": \([0-9]*\).*/\1/p;q;}" $B/json; }

check "four processes" report --binary=$R/w --perfdata=$R/mp.data
says '"read": 11, "used": 11, "in_program": 11, "in_functions_with_probes": 11, "lost": 0, "of_guests": 0 }'
[ "$(grep -c '"pid": ' $B/json)" -eq 4 ] && pass || fail "processes: $(grep pid $B/json)"
says '"fit": [1-9][0-9]*, "other": 0, "first_other": ""'
said_once=$(said fit)
says '"use": "perf record -b, or csspgo record"'
says '"pid": 23322, "samples": 3, "used": 3, "in_program": 3, "dropped": { .*"late_stacks": 0 }, "repaired_or_cut": { '
says '"path": "/tmp/rec/w", "given": true, "samples": 11, "used": 11, "in_program": 11, '
sed 's/"[^"]*":/\n&\n/g' $B/json | sed -n 's/^"\(.*\)":$/\1/p' | sort -u >$B/keys
awk 'NR == FNR { if (/^\| /) text = text $0; next } { print index(text, "`" $0 "`") ? "yes" : "no", $0 }' README.md $B/keys >$B/described
while read -r described key; do
    [ $described = yes ] && pass || fail "README.md does not say what $key is"
done <$B/described
if have python3; then check "it is JSON" python3 -m json.tool $B/json; else skip "no python3"; fi

check "branches and stacks" report $demo --perfscript=$D/demo.perfscript
says '"advice": \[\]'
[ "$(said read)" -gt "$(said in_program)" ] && [ "$(said in_program)" -ge "$(said in_functions_with_probes)" ] && pass || fail "samples: $(head -2 $B/json)"
says '"path": "/demo.elf", "given": true, '
says '"path": "/usr/lib/x86_64-linux-gnu/libc.so.6", "given": false, "samples": [0-9]*, "used": [0-9]*, "in_program": 0, '
# what a column adds up to in the processes and in the files
sum_of() { sed -n "/\"$1\": \[/,/^  ]/s/.*\"$2\": \([0-9]*\).*/\1/p" $B/json | awk '{ n += $1 } END { print n + 0 }'; }
for column in samples:read used:used in_program:in_program not_in_program:not_in_program bad_return_addresses:bad_return_addresses; do
    all=$(said ${column#*:})
    [ "$(sum_of processes ${column%:*})" -eq "$all" ] && [ "$(sum_of images ${column%:*})" -eq "$all" ] && pass ||
        fail "$column: $all in all, $(sum_of processes ${column%:*}) in processes, $(sum_of images ${column%:*}) in files"
done
awk '/^ 0x/ || /PERF_RECORD/ { print; if (/^ 0x/) print "" }' $D/demo.perfscript >$B/flat.ps
cp $B/prof $B/reported
$T profgen --quiet -o $B/prof $demo --perfscript=$D/demo.perfscript 2>$B/err
check "the same profile with a report and without" cmp $B/reported $B/prof
check "branches without stacks" report $demo --perfscript=$B/flat.ps
says '"use": "perf record -g"'
awk 'BEGIN { RS = ""; FS = "\n" } /PERF_RECORD/ { print $0 "\n"; next } { print $1; print $NF "\n" }' $D/demo.perfscript >$B/bare.ps
check "stacks of one frame" report $demo --perfscript=$B/bare.ps
says '"use": "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"'
says '"of_one_frame": [1-9][0-9]*, "most_frames": 1, '
all=$(said missing_callers_found)
[ "$all" -gt 0 ] && [ "$(sum_of processes missing_callers_found)" -eq "$all" ] && [ "$(sum_of images missing_callers_found)" -eq "$all" ] &&
    pass || fail "missing callers: $all in all, $(sum_of processes missing_callers_found), $(sum_of images missing_callers_found)"
# stacks of 127 frames, the most that the kernel takes
awk 'BEGIN { RS = ""; FS = "\n" } /PERF_RECORD/ { print $0 "\n"; next }
    { print $1; for (i = 0; i < 126; i++) print $2; print $NF "\n" }' $D/demo.perfscript >$B/deep.ps
report $demo --perfscript=$B/deep.ps
says '"most_frames": 127, '
says '"use": "sysctl kernel.perf_event_max_stack=1024"'

# call stacks as bytes, as of perf record --call-graph dwarf: PERFILE2, one event, a mapping and two samples of one address
le() { # SIZE NUMBER...: little-endian
    size=$1
    shift
    for v; do
        i=$size
        while [ $i -gt 0 ]; do
            bytes="$bytes\\0$((v >> 6 & 3))$((v >> 3 & 7))$((v & 7))" v=$((v >> 8)) i=$((i - 1))
        done
    done
}
at=$(awk '/^[ \t]*5555/ { print $1; exit }' $D/demo.perfscript)
bytes=PERFILE2
le 8 104 144 104 144 248 168 0 0 0 0 0 0 $((128 << 32 | 1)) 0 1000 $((1 | 2 | 0x20 | 0x1000 | 0x2000)) 0 0 0 0 0 0 0 0 0 0 0 0 0 0
le 4 1 $((56 << 16 | 2)) 7 7
le 8 $((0x555555555000)) 4096 4096
bytes="$bytes/demo.elf\\0000\\0000\\0000\\0000\\0000\\0000\\0000"
for i in 1 2; do
    le 4 9 $((56 << 16 | 2))
    le 8 $((0x$at))
    le 4 7 7
    le 8 0 0 0 0
done
printf '%b' "$bytes" >$B/copies.data
# a plain profgen says it, too
warns() {
    want=$1 pattern=$2
    shift 2
    $T profgen -o $B/prof "$@" >$B/out 2>&1
    [ "$(grep -c "$pattern" $B/out)" -eq "$want" ] && pass || fail "profgen $*: $(cat $B/out)"
}
warns 1 'there are no call stacks: .*perf record -b --call-graph fp' $demo --perfscript=$B/flat.ps
warns 0 'call stacks' $demo --perfscript=$B/flat.ps --ignore-stack-samples
warns 0 'call stacks' $demo --perfscript=$D/demo.perfscript
warns 1 'call stacks are copies of memory (--call-graph dwarf).*--call-graph fp' $demo --perfdata=$B/copies.data
check "copies of stacks" report $demo --perfdata=$B/copies.data
says '"read": 2, "used": 2, "in_program": 2, '
says '"copies_of_memory": true'
says '"use": "perf record --call-graph fp, or --perfscript with what perf script prints of the recording"'
grep -q omit-frame-pointer $B/json && fail "no frame pointers, as if stacks were walked" || pass
sed 's/0x\([0-9a-f]\)/0x1\1/g; s/^\( *\)\([0-9a-f]\)/\17\2/' $D/demo.perfscript | grep -v PERF_RECORD >$B/elsewhere.ps
report $demo --perfscript=$B/elsewhere.ps
says 'few samples are in this program'
says '"path": null, "given": false, "samples": [1-9][0-9]*, "used": 0, '
says '"not_in_program": [1-9]'
cp $D/demo.perfscript $D/demo.elf $B
for to in $B/demo.perfscript $B/demo.elf $B/prof; do
    cp $to $B/kept
    $T profgen --binary=$B/demo.elf --perfscript=$B/demo.perfscript -o $B/prof --report=$to >$B/out 2>&1
    [ $? -eq 2 ] && cmp -s $to $B/kept && pass || fail "the report takes the place of $to"
done
check "offsets in files" report --binary=$R/w --perfscript=$R/mp.default-fields.ps
says '"use": "--perfdata=perf.data"'
[ "$(grep -c '"path": .*/w"' $B/json)" -eq 1 ] && pass || fail "the program stands twice: $(grep path $B/json)"
# two recordings: build ids of both
check "two recordings" report --binary=$R/w --perfdata=$R/mp.data --perfdata=$R/mp.data
says '"read": 22, "used": 22, '
[ "$(said fit)" -gt 2 ] && [ $((said_once * 2)) -eq "$(said fit)" ] && pass || fail "build ids: $said_once in one, $(said fit) in two"
# the program linked again, its text 3 bytes further on, and recordings without build ids: branches with stacks, branches,
# stacks, stacks of offsets with and without the file behind them, addresses
{ head -c 4224 $D/demo.elf; printf '\220\220\220'; tail -c +4225 $D/demo.elf | head -c 2486; tail -c +6714 $D/demo.elf; } >$B/moved
mkdir -p $B/moved.d && mv $B/moved $B/moved.d/demo.elf
grep -v '0x.*/0x' $D/demo.perfscript >$B/stacks.ps
sed 's/^\([ \t]*\)555555555\(...\)$/\11\2/' $B/stacks.ps >$B/offsets.ps
sed 's/^\([ \t]*\)555555555\(...\)$/\11\2 (\/x\/demo.elf)/; s/^\([ \t]*\)7ffff\(.......\)$/\1\2 (\/x\/libc.so.6)/' $B/stacks.ps >$B/named.ps
awk 'BEGIN { RS = ""; FS = "\n" } /PERF_RECORD/ { print $0 "\n"; next } { print $1 "\n" }' $B/stacks.ps >$B/leaves.ps
for it in "$D/demo.perfscript,branches come from no branch" "$B/flat.ps,branches come from no branch" "$B/stacks.ps,sampled addresses are at no instruction" "$B/leaves.ps,sampled addresses are at no instruction" "$B/named.ps,sampled addresses are at no instruction" "$B/offsets.ps,call stacks have no caller"; do
    script=${it%%,*} what=${it#*,}
    check "$script fits" report $demo --perfscript=$script
    says '"fits": true'
    report --binary=$B/moved.d/demo.elf --perfscript=$script
    [ $? -eq 3 ] && finds "error: $script: [0-9]* of [0-9]* $what .*demo.elf: another build of it was recorded" $B/err && pass || fail "$script, another build: $(cat $B/err)"
    says '"fits": false'
    says 'samples do not fit the program: another build of it was recorded'
done
report --binary=$B/moved.d/demo.elf --perfscript=$D/demo.perfscript
check "what does not fit is written all the same" [ -s $B/prof ]
check "LLVM's way asks no such thing" $T profgen --llvm-compat --quiet -o $B/prof --binary=$B/moved.d/demo.elf --perfscript=$D/demo.perfscript
# ----- what is lost
# loses STATUS PATTERN OPTION...: the exit status, and a warning
loses() {
    want=$1 pattern=$2
    shift 2
    report "$@"
    [ $? -eq "$want" ] && pass || fail "profgen $*: status $report_status: $(cat $B/err)"
    $T profgen -o $B/prof "$@" >$B/out 2>&1
    { [ "$pattern" = none ] && ! grep -q 'of the samples' $B/out || grep -q -e "$pattern" $B/out; } && pass || fail "profgen $*: not '$pattern': $(cat $B/out)"
}
mixed="--binary=$R/mixed --perfscript=$R/mixed.ps"
# functions of units that were compiled without -g: the profile is written, and what is not in it is said
loses 3 '9[0-9].[0-9]*% ([0-9]*/226) of the samples, 9[0-9].[0-9]*% of the code that ran, are in functions without line information: _Z2tal [0-9.]*%, .* (build them with -g1 -fdebug-info-for-profiling)' $mixed
grep -q '97.35% of 226 samples are not in the profile; --max-dropped=100 allows that' $B/out && pass || fail "mixed: $(cat $B/out)"
says '"no_probes_or_lines": 209, "no_record": 0 }, "share": 0.973'
says '{ "function": "_Z2tal", "reason": "no_probes_or_lines", "count": 60 }'
says 'many samples are in functions without line information'
cp $B/prof $B/mixed
loses 0 'in functions without line information' $mixed --max-dropped=97.4
check "the same profile" cmp $B/prof $B/mixed
loses 3 'more than --max-dropped=97$' $mixed --max-dropped=97
$T profgen --llvm-compat $mixed -o $B/prof >$B/out 2>&1
[ $? -eq 0 ] && ! grep -q 'of the samples' $B/out && pass || fail "LLVM's way: $(cat $B/out)"
# by counters, from raw ones and aggregated text; the output is raw counters
$T profgen --quiet $mixed --skip-symbolization -o $B/mixed.raw 2>$B/err && fail "raw counters of mixed: status 0" || pass
loses 3 '9[0-9].[0-9]*% ([0-9]*/[0-9]*) of the code that ran is in functions without line information: ' --binary=$R/mixed --unsymbolized-profile=$B/mixed.raw
$T profgen --quiet $mixed --format=preagg -o $B/mixed.preagg
loses 3 'of the code that ran is in functions without line information: ' --binary=$R/mixed --preagg=$B/mixed.preagg
grep -v '0x.*/0x' $R/mixed.ps >$B/mixed.stacks
loses 3 'in functions without line information: ' --binary=$R/mixed --perfscript=$B/mixed.stacks
awk '/^ 0x/ || /PERF_RECORD/ { print; if (/^ 0x/) print "" }' $R/mixed.ps >$B/mixed.flat
loses 3 'in functions without line information: ' --binary=$R/mixed --perfscript=$B/mixed.flat
# samples in a library, the kernel, a JIT's code, nowhere; as many with branch records as without
in_code() { # ADDRESS
    i=0
    while [ $i -lt "$2" ]; do
        printf '\t%s\n 0x%s/0x%s/P/-/-/0  0x%s/0x%s/P/-/-/0 \n\n' $1 $1 $1 $1 $1
        i=$((i + 1))
    done
}
base=$D/demo.perfscript
for it in "7fffe0000100,/x/lib foo.so,in files that are not given: --binary=/x/lib foo.so 5[0-9].[0-9]*%" "7fffe0000100,//anon,in files that are not given: --jitdump or --perf-map 5[0-9]" "ffffffff81000100,,in the kernel (a run with --kernel --binary=vmlinux makes its profile)" "7fffd0000100,,in no file that was mapped"; do
    address=${it%%,*} rest=${it#*,}
    { [ -z "${rest%%,*}" ] || echo " PERF_RECORD_MMAP2 1/1: [0x7fffe0000000(0x1000) @ 0 00:00 0 0]: r-xp ${rest%%,*}"; cat $base; in_code $address 200; } >$B/outside.ps
    loses 3 "${rest#*,}" $demo --perfscript=$B/outside.ps
    loses 0 "${rest#*,}" $demo --perfscript=$B/outside.ps --max-dropped=100
    grep -v '0x.*/0x' $B/outside.ps >$B/outside.stacks
    loses 3 "${rest#*,}" $demo --perfscript=$B/outside.stacks
done
says '"unmapped": 20[0-9] }, "reasons"'
# ... but not of processes that do not have the program
awk '/PERF_RECORD/ { if (pid == "") { pid = $2; sub(/\/.*/, "", pid) } print; next } /^\t/ && !body { print pid "/" pid }
     { print; body = !/^$/ }' $base >$B/own.ps
awk -v n=300 'BEGIN { print "PERF_RECORD_MMAP2 99999/99999: [0x7fffe0000000(0x1000) @ 0 00:00 0 0]: r-xp /x/other"
    while (n-- > 0) print "99999/99999\n\t7fffe0000100\n 0x7fffe0000100/0x7fffe0000100/P/-/-/0 \n" }' >$B/others.ps
cat $B/own.ps $B/others.ps >$B/wide.ps
loses 0 none $demo --perfscript=$B/wide.ps
says '"of_other_processes": 300, "kept": '
# what is trimmed, where the threshold is too high; functions without a record
loses 0 '[0-9.]*% ([0-9]*/[0-9]*) of the counts are trimmed as cold' $demo --perfscript=$base --trim-cold-profile --profile-summary-hot-count=100000000
says '"trimmed": [1-9]'
loses 3 '100.00% ([0-9]*/[0-9]*) of the counts are trimmed as cold' $demo --perfscript=$base --ignore-stack-samples --trim-cold-profile --profile-summary-cold-count=100000000
$T profgen $demo --perfscript=$base --trim-cold-profile -o $B/prof 2>&1 | grep -q trimmed && fail "what is trimmed is said without need" || pass
says '"reason": "no_record", "count": [1-9]'
# other inputs whose numbers add up
for how in --csspgo-preinliner=0 --gen-cs-nested-profile=0 --generate-merged-base-profiles --ignore-stack-samples --bogus-stacks=records --leading-ip-only --skip-symbolization --fill-zero-for-all-funcs; do
    report $demo --perfscript=$base $how
done
report $demo --perfscript=$base --perfscript=$B/stacks.ps
says '"no_branch_records": [1-9]'
report $demo --perfscript=$B/outside.ps --perfscript=$base

# ----- advice
# perf record -b without -g: no call stacks, and nobody speaks of frame pointers
bytes=PERFILE2
le 8 104 144 104 144 248 320 0 0 0 0 0 0 $((128 << 32 | 1)) 0 1000 $((1 | 2 | 0x800)) 0 0 0 0 0 8 0 0 0 0 0 0 0 0
le 4 1 $((56 << 16 | 2)) 7 7
le 8 $((0x555555555000)) 4096 4096
bytes="$bytes/demo.elf\\0000\\0000\\0000\\0000\\0000\\0000\\0000"
set -- $(sed -n 's/^ \(0x5555[0-9a-f]*\)\/\(0x5555[0-9a-f]*\)\/.*  \(0x5555[0-9a-f]*\)\/\(0x5555[0-9a-f]*\)\/[^ ]* *$/\1 \2 \3 \4/p' $base | head -1)
for i in 1 2; do
    le 4 9 $((80 << 16 | 2))
    le 8 $((0x$at))
    le 4 7 7
    le 8 2 $(($1)) $(($2)) 0 $(($3)) $(($4)) 0
done
printf '%b' "$bytes" >$B/leaves.data
report $demo --perfdata=$B/leaves.data
says '"use": "perf record -g"'
says '"stacks": { "all": 0, '
grep -q omit-frame-pointer $B/json && fail "no frame pointers, though no stack was recorded" || pass
warns 1 'there are no call stacks' $demo --perfdata=$B/leaves.data
# density
report $demo --perfscript=$base
says '^  "density": [0-9.]*$'
# code that is in no function, such as that of a procedure linkage table, does not make it another build
awk '{ print } /^\t *555555555030$/ { on = 1 } on { more = more $0 "\n" } /^ 0x/ && on { for (i = 0; i < 40; i++) print "\n" more; exit }' $base >$B/linkage.ps
report $demo --perfscript=$B/linkage.ps
grep -q 'was another build recorded' $B/json && fail "code in no function is another build" || pass
# a program that ended before the first sample
grep PERF_RECORD $base >$B/short.ps
[ -s $B/short.ps ] || echo "PERF_RECORD_MMAP2 1/1: [0x401000(0x1000) @ 0x1000 00:00 0 0]: r-xp /x/demo.elf" >$B/short.ps
warns 1 'the profile is empty: there are no samples' $demo --perfscript=$B/short.ps
# a kernel without --kernel; a script that starts the program; a file of the same build that is laid out otherwise
warns 1 'has the addresses of a kernel: give --kernel' --binary=data/lines/bin/grid.high --perfscript=data/lines/in/grid.high.perfscript
{ printf 'PERF_RECORD_MMAP2 1/1: [0x555555555000(0x1000) @ 0 00:00 0 0]: r-xp /bin/dash\n'; grep -v PERF_RECORD $base; } >$B/shell.ps
warns 1 'is not among the mapped files, .*; record what these start, too (csspgo record --follow-forks)' $demo --perfscript=$B/shell.ps
{ printf 'PERF_RECORD_MMAP2 1/1: [0x555555555000(0x1000) @ 0x7000 00:00 0 0]: r-xp /bin/demo.elf\n'; grep -v PERF_RECORD $base; } >$B/layout.ps
warns 1 '/bin/demo.elf was mapped, which has the same name, but not as .*demo.elf is laid out: ' $demo --perfscript=$B/layout.ps
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$T profgen --binary=$R/w --perfdata=$R/mp.data -o $B/prof" /dev/null </dev/null >$B/out 2>&1
    [ "$(grep -c '^health: ' $B/out)" -le 10 ] && grep -q '^health: 11 of 11 samples used' $B/out && grep -q '^health: and 1 more' $B/out && pass || fail "on a terminal: $(cat $B/out)"
else
    echo "health: no terminal is to be had here: the report on one was not looked at"
fi
$T profgen --binary=$R/w --perfdata=$R/mp.data -o $B/prof 2>&1 | grep -q health && fail "the report comes without a terminal" || pass
# ----- what filters left out: read samples and these are all; the same numbers for a filter and its opposite
report --binary=$R/w --perfdata=$R/mp.data
all=$(said read)
for how in --pid=$(said pid) --tid=$(said pid) --comm=w --time=0,1 --exclude-kernel; do
    $T profgen --quiet -o $B/prof --report=$B/json --binary=$R/w --perfdata=$R/mp.data --allow-empty --max-dropped=100 $how 2>$B/err
    left=$(sed -n 's/.*"filters": {\([^}]*\)}.*/\1/p' $B/json | tr -cd '0-9,' | tr ',' '+')
    if [ $(($left + $(said read))) -eq "$all" ]; then pass; else fail "$how: $all samples, left out $left, read $(said read)"; cat $B/err; fi
done
# ----- functions whose loops are those of inlined functions: the counts stand in the records of these
if have clang-19 && [ "$(uname -sm)" = "Linux x86_64" ]; then
    for kind in -fpseudo-probe-for-profiling -fdebug-info-for-profiling; do
        clang-19 -O2 -fno-unroll-loops -g $kind -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer programs/whole.c -o $B/whole
        env -i $T record --quiet --exact --period=31 --jitter=0 --max-branches=800000 -o $B/whole.all -- $B/whole >/dev/null 2>$B/err ||
            { skip "whole.c cannot be recorded: $(head -1 $B/err)"; continue; }
        # of the samples those that have seen nothing but the loop
        awk '/PERF_RECORD/ { print; next } { sample = sample $0 "\n" }
            / 0x/ { for (i = 2; i < NF && $i == $1; i++); if (i == NF && $i == $1) printf "%s\n", sample; sample = "" }' $B/whole.all >$B/whole.ps
        for how in "" --csspgo-preinliner=0 --csspgo-preinliner=1 --gen-cs-nested-profile=0 --ignore-stack-samples; do
            check "inlined loops $kind $how" report --binary=$B/whole --perfscript=$B/whole.ps $how
            for key in no_record no_probes_or_lines; do
                [ "$(said $key)" -lt 100 ] && pass || fail "inlined loops $kind $how: $key of $(said $key)"
            done
        done
    done
else skip "no clang-19 on x86-64 Linux: inlined loops are not recorded"; fi
finish
