#!/bin/sh
# What a newcomer types: help, mistakes, files of the wrong kind, names, exit statuses.
cd "$(dirname "$0")" || exit 1
. ./t.sh
compares
make -s build/plain/csspgo || exit 1
T=$(pwd)/build/plain/csspgo B=build/first
rm -rf $B
mkdir -p $B
# says STATUS TEXT ARGUMENTS...: the tool ends with this status and says TEXT in one line on standard error
says() {
    want=$1 text=$2
    shift 2
    $T "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq "$want" ] && one_line $B/err && finds "$text" $B/err; then pass
    else fail "csspgo $*: status $got, $(head -3 $B/err)"; fi
}

# ----- version, mistakes
header=$(awk '/^#define CSSPGO_VERSION_M|^#define CSSPGO_VERSION_P/ { v = v (v == "" ? "" : ".") $3 } END { print v }' ../csspgo.h)
for how in version --version -version; do
    [ "$($T $how | cut -d, -f1)" = "csspgo $header" ] && pass || fail "csspgo $how is not that of the header, $header"
done
says 2 "unknown command 'mrge'; did you mean 'merge'?" mrge
says 2 "unknown command 'frobnicate'; 'csspgo help' lists all" frobnicate
says 2 "unknown command 'shwo'; did you mean 'show'?" help shwo
says 2 "which command?"
says 2 "unknown option '--outptu=x'; did you mean '--output'?" merge --outptu=x
says 2 "unknown option '-txt'; did you mean '-text'?" merge -txt
says 2 "unknown option '--xyzzyxyzzy'" show --xyzzyxyzzy
says 2 "unknown option '--mann'; help has" help --mann
says 2 "'alin' is none of align|" match --mode=alin

# ----- help, manual page and completion: every option of every table, from the table
commands=$($T help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | grep -v -e '^help$' -e '^version$' -e '^inputs$')
[ "$(echo "$commands" | wc -l)" -ge 12 ] && pass || fail "csspgo help lists few commands: $commands"
$T help --man >$B/csspgo.1
$T help --bash >$B/csspgo.bash
for c in $commands; do
    $T help $c >$B/help && $T $c --help >$B/help2 && cmp -s $B/help $B/help2 && pass || fail "help $c is not $c --help"
    awk '/^  --.*, --/ { next } length($0) > 80 { bad = 1 } END { exit bad }' $B/help && pass || fail "help $c has long lines"
    # what the tables say, in all of them
    sed -n "/^static const option ${c}_options\[\]/,/OPTIONS_END/p; /^const option ${c}_options\[\]/,/OPTIONS_END/p" ../examples/tool/*/*.c |
        sed -n 's/.*OPTION("\([^"]*\)", \(OPT_[A-Z]*\),.*/\1 \2/p' | grep -v -e '^output-form ' -e ' OPT_ELSEWHERE$' >$B/table
    [ -s $B/table ] || fail "$c has no table"
    $T help --man $c >$B/csspgo-$c.1
    sed 's/\\f[BIR]//g; s/\\-/-/g' $B/csspgo-$c.1 >$B/man
    # two examples come first, each of this command, with options that it has, and its meaning; then options in groups, each option in one
    awk -v c="csspgo $c" '
        FNR == 1 { if (index($0, c ": ") != 1) exit; ok = 1 }
        FNR == 3 && $0 != "Examples:" { ok = 0 }
        (FNR == 4 || FNR == 6) && index($0, "    " c " ") != 1 { ok = 0 }
        (FNR == 5 || FNR == 7) && $0 !~ /^        [a-z]/ { ok = 0 }
        FNR == 4 || FNR == 6 { for (i = 2; i <= NF; i++) if ($i ~ /^--[a-z]/) { sub(/=.*/, "", $i); used[$i] } }
        FNR == 9 && index($0, "usage: " c) != 1 { ok = 0 }
        /^  --/ { if (group == "" || $1 in seen) ok = 0; seen[$1] = 1; name = $1; sub(/[=[,].*/, "", name); named[name] }
        /^[A-Z].*:$/ { group = $0 }
        /^Other:$/ { ok = 0 }
        END { for (o in used) if (!(o in named)) ok = 0; exit !ok }' $B/help && pass || fail "help $c: its examples, or groups of its options"
    [ "$(awk '/^\.SH EXAMPLES/ { on = 1; next } /^\.SH/ { on = 0 } on && /^csspgo/' $B/man | wc -l)" -eq 2 ] &&
        has_text ".BR csspgo\-$c (1)" $B/csspgo.1 && pass || fail "the page of $c: $(head -5 $B/man)"
    missing=$(awk '
        FILENAME != table { text[FILENAME] = text[FILENAME] "\n" $0; next }
        text[help] !~ "-" $1 "([^a-z-]|$|\n)" { printf " %s", $1 }
        text[man] !~ "-" $1 "([^a-z-]|$|\n)" { printf " %s(man)", $1 }
        ' help=$B/help man=$B/man table=$B/table $B/help $B/man $B/table)
    [ -z "$missing" ] && pass || fail "help of $c lacks$missing"
done
[ "$(sed -n 's/^\.SH //p' $B/csspgo.1 | tr '\n' ,)" = 'NAME,SYNOPSIS,EXAMPLES,WHICH COMMAND WHEN,COMMANDS,FILES,ENVIRONMENT,SECURITY,BUGS,EXIT STATUS,SEE ALSO,' ] && pass ||
    fail "the manual page has other sections: $(grep '^\.SH' $B/csspgo.1)"
# texts of options stand alone: no "..." that goes on from another one's, no order of options
for c in $commands; do $T help $c | grep -n -e '^  --.*  \.\.\. ' -e '^ *\.\.\. ' -e '[:;,] \.\.\. ' -e 'This and the next' && fail "help $c goes on from one option to the next" || pass; done
says 2 "unknown command 'mrge'; did you mean 'merge'?" help --man mrge
# csspgo inputs: each command of it is there
$T inputs >$B/inputs && [ "$(grep -c '^    csspgo ' $B/inputs)" -ge 20 ] && pass || fail "csspgo inputs: $(head -3 $B/inputs)"
for c in profgen flame folded show annotate merge order ctxprof record; do grep -q "[ ;]$c\([ ,;]\|\$\)" $B/inputs && pass || fail "csspgo inputs lacks $c"; done
says 2 "inputs takes no arguments, not 'x'" inputs x
{ $T help; cat $B/inputs; } | awk 'length($0) > 80 { bad = 1 } END { exit bad }' && pass || fail "help or inputs has long lines"
# nobody's option is left without a word
[ "$($T help merge | grep -c 'output-form')" -eq 0 ] && pass || fail "help of merge names an option that there is not"
if have groff; then
    groff -man -ww -z $B/csspgo*.1 >$B/groff 2>&1 && [ ! -s $B/groff ] && pass || fail "the manual pages: $(head -2 $B/groff)"
else skip "no groff: nothing reads the manual page"; fi
if have bash; then
    # completes WANT WORDS...: of the words typed, the last one not ended
    completes() {
        want=$1
        shift
        got=$(bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _csspgo; echo "${COMPREPLY[@]}"' $B/csspgo.bash "$@")
        [ "$got" = "$want" ] && pass || fail "completion of $*: $got"
    }
    completes merge csspgo mer
    completes "bottleneck" csspgo bo
    completes "align" csspgo match --mode = al
    completes "any all warn" csspgo merge --failure-mode =
    completes "--failure-mode=" csspgo merge --fail
    completes "to-yaml" csspgo ctxprof to
    completes "--man" csspgo help --m
    completes "" csspgo merge prof
else skip "no bash: nothing reads the completion"; fi

# ----- installation, as a packager does it
dest=$(pwd)/$B/dest made=$(pwd)/$B/made
mkdir -p $B/made && cp $T $B/made/         # others run the tool meanwhile: nothing may link it here
if MAKEFLAGS='' make -s -C ../examples install B="$made" PREFIX=/pkg DESTDIR="$dest" >$B/out 2>&1; then pass
else fail "make install: $(head -5 $B/out)"; fi
(cd $B/dest && find . -type f | sort) >$B/files
{ printf '%s\n' bin/csspgo include/csspgo.h share/bash-completion/completions/csspgo share/man/man1/csspgo.1
    for c in $commands; do echo share/man/man1/csspgo-$c.1; done; } | sed 's|^|./pkg/|' | sort | cmp -s - $B/files &&
    pass || fail "make install put: $(cat $B/files)"
for c in $commands; do cmp -s $B/csspgo-$c.1 $B/dest/pkg/share/man/man1/csspgo-$c.1 && pass || fail "make install: the page of $c"; done
cmp -s ../csspgo.h $B/dest/pkg/include/csspgo.h && cmp -s $B/csspgo.1 $B/dest/pkg/share/man/man1/csspgo.1 &&
    cmp -s $B/csspgo.bash $B/dest/pkg/share/bash-completion/completions/csspgo &&
    [ "$($B/dest/pkg/bin/csspgo --version)" = "$($T --version)" ] && pass || fail "what make install put there is something else"
MAKEFLAGS='' make -s -C ../examples uninstall B="$made" PREFIX=/pkg DESTDIR="$dest" >$B/out 2>&1
[ -z "$(find $B/dest -type f)" ] && pass || fail "make uninstall leaves: $(find $B/dest -type f)"

# ----- exit status for scripts: 3 with a sentence if the result is of no use or not as good as asked for
printf 'a:30:1\n 1: 30\nb:70:2\n 1: 70\n' >$B/a.prof
printf 'a:30:1\n 1: 30\nc:70:2\n 1: 70\n' >$B/other.prof
printf '[main:3 @ f]:3:1\n 1: 3\n' >$B/cs.prof
printf 'p:5:1\n 1: 5\n !CFGChecksum: 5\n' >$B/p5.prof
printf 'p:15:1\n 1: 15\n !CFGChecksum: 6\n' >$B/p6.prof
printf '\0\0\0\0garbage' >$B/garbage
: >$B/zero
$T merge --no-function=. --text $B/a.prof -o $B/none.prof >$B/out 2>$B/err
[ $? -eq 3 ] && finds 'none.prof: the profile is empty' $B/err && pass || fail "merge makes an empty profile"
# ends STATUS TEXT ARGUMENTS...: a line of standard error has TEXT; none: nothing is said
ends() {
    want=$1 text=$2
    shift 2
    $T "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq "$want" ] && { [ "$text" = none ] && [ ! -s $B/err ] || finds "$text" $B/err; }; then pass
    else fail "csspgo $*: status $got, $(head -3 $B/err)"; fi
}
ends 0 'warning: .*: the profile is empty' merge --no-function=. --allow-empty $B/a.prof -o $B/none.ext
ends 3 'got: the profile is empty' merge $B/none.prof -o $B/got
ends 3 'none.ext: the profile is empty' folded $B/none.ext
ends 3 'none.ext: the profile is empty' flame $B/none.ext
ends 0 'none.ext: the profile is empty' flame --allow-empty $B/none.ext
printf 'a:0:0\n' >$B/cold.prof
ends 3 'cold.prof: the profile is empty' flame --diff=$B/a.prof $B/cold.prof
ends 3 'got: the profile is empty' merge $B/cold.prof -o $B/got
ends 3 'is empty' overlap $B/a.prof $B/none.ext
ends 0 'is empty' overlap --allow-empty $B/a.prof $B/none.ext
ends 0 none overlap --min-overlap=17 $B/a.prof $B/other.prof
ends 3 'the overlap is 17.647% of normalized counts, less than --min-overlap=18' overlap --min-overlap=18 $B/a.prof $B/other.prof
# the same profile of ten times the samples overlaps, though LLVM's figure is 10 %; counts near 2^64
printf 'a:100:10\n 1: 10\n 2: 90 b:40\nb:50:5\n 1: 50\n' >$B/scale1.prof
printf 'a:1000:100\n 1: 100\n 2: 900 b:400\nb:500:50\n 1: 500\n' >$B/scale10.prof
printf '[main:3 @ foo]:18446744073709551615:18446744073709551615\n 1: 18446744073709551615\n 2: 18446744073709551614 bar:18446744073709551615\n[main]:18446744073709551615:1\n 3: 4 foo:18446744073709551615\n' >$B/max.prof
for both in "$B/scale1.prof $B/scale10.prof" "$B/scale10.prof $B/scale1.prof" "$B/max.prof $B/max.prof"; do
    for how in "" --quality; do ends 0 none overlap $how --min-overlap=100 $both; done
done
$T overlap $B/scale1.prof $B/scale10.prof >$B/out
grep -q 'sample overlap: 10.000%$' $B/out && grep -q '^    normalized: 100.000%$' $B/out && pass || fail "overlap of ten times the samples: $(cat $B/out)"
$T overlap $B/max.prof $B/max.prof | grep -q 'similarity: 100.000%$' && pass || fail "similarity of max.prof with itself"
ends 0 none overlap --quality --min-overlap=30% $B/a.prof $B/other.prof
ends 3 'less than --min-overlap=31%' overlap --quality --min-overlap=31% $B/a.prof $B/other.prof
printf 'a:18446744073709551615:5\n 1: 18446744073709551615\n 2: 18446744073709551615\nb:18446744073709551615:5\n 1: 18446744073709551615\nc:3:1\n 1: 3\n' >$B/max3.prof
for how in --contexts --hot-func-list --top=3 --detailed-summary; do
    $T show $how $B/max3.prof >$B/out 2>&1
    grep -E '(^|[^0-9])([2-9][0-9]{2}|1[1-9][0-9]|10[1-9]|[0-9]{4,})\.[0-9]+ ?%|100\.00 ?%.* [ab]$' $B/out && fail "show $how: a share above 100 %, or two of 100 %" || pass
done
grep -q '^Total count: 18446744073709551615$' $B/out && grep -q '^3 blocks with count >= 18446744073709551615 account for 99 ' $B/out && pass || fail "the summary of max3.prof: $(tail -18 $B/out)"
for bad in 101 -1 x 5x '' nan; do says 2 "'$bad' is not a percentage" overlap --min-overlap="$bad" $B/a.prof $B/other.prof; done
ends 0 'records with another checksum' merge --max-dropped=25 $B/p6.prof $B/p5.prof -o $B/got
ends 3 '25.00% of the samples are lost as checksums differ' merge --max-dropped=24.9 $B/p6.prof $B/p5.prof -o $B/got

# ----- one bad file among many
ends 1 'garbage' merge $B/a.prof $B/garbage -o $B/got
ends 3 '1 input was left out' merge --failure-mode=all $B/a.prof $B/garbage -o $B/got
ends 0 'warning: .*garbage' merge --failure-mode=warn $B/a.prof $B/garbage -o $B/got
ends 0 'warning: .*garbage' merge --failure-mode=all --max-skipped=1 $B/a.prof $B/garbage -o $B/got
ends 3 '2 inputs were left out' merge --failure-mode=warn --max-skipped=1 $B/a.prof $B/garbage $B/nowhere -o $B/got
ends 0 'warning: .*nowhere: No such file' merge --failure-mode=warn --text $B/nowhere $B/a.prof -o $B/got
cmp -s $B/a.prof $B/got || [ "$($T overlap $B/a.prof $B/got | grep -c 'similarity: 100.000%')" -eq 1 ] && pass || fail "what a missing input leaves"
ends 1 'nowhere: No such file' merge $B/nowhere $B/a.prof -o $B/got
ends 1 'no profile could be read' merge --failure-mode=warn $B/nowhere -o $B/got
ends 3 'cs.prof cannot be merged with .*a.prof and is left out: only the former has contexts' merge --failure-mode=all $B/a.prof $B/cs.prof -o $B/got
ends 1 'cs.prof cannot be merged with .*a.prof: only the former has contexts' merge $B/a.prof $B/cs.prof -o $B/got
# an empty profile changes nothing, wherever it stands, and keeps the mark of its kind
$T merge --allow-empty --no-function=. $B/cs.prof -o $B/cs.none >$B/out 2>&1
$T merge --allow-empty --no-function=. $B/p5.prof -o $B/p.none >$B/out 2>&1
$T merge $B/a.prof -o $B/want
for none in zero none.prof none.ext cs.none p.none; do
    for order in "$none a.prof" "a.prof $none" "$none $none a.prof $none"; do
        $T merge $(for f in $order; do echo $B/$f; done) -o $B/got 2>$B/err && cmp -s $B/want $B/got && pass || fail "merge $order: $(cat $B/err)"
    done
done
$T merge $B/zero $B/cs.none $B/zero -o $B/got 2>$B/err
[ $? -eq 3 ] && $T show --show-sec-info-only $B/got | grep -q '^ProfileSummary.*{context}' && pass || fail "an empty profile loses its mark"
printf '# nothing\n\n' >$B/comment
ends 0 'comment is empty' merge $B/comment $B/a.prof -o $B/got

# ----- thresholds of profgen and match
D=../examples/data
demo="--quiet --binary=$D/demo.elf --perfscript=$B/demo.ps"
cp $D/demo.perfscript $B/demo.ps
for i in 1 2 3; do
    printf '\n\t7f0000001000\n\t7f0000002000\n 0x7f0000001000/0x7f0000002000/P/-/-/0 0x7f0000001000/0x7f0000002000/P/-/-/0\n'
done >>$B/demo.ps
ends 0 none profgen $demo -o $B/demo.prof --max-dropped=2 --min-density=14
ends 3 '1.88% of 160 samples were dropped, more than --max-dropped=1.5%' profgen $demo -o $B/demo.prof --max-dropped=1.5%
ends 3 'there are 15.0 samples per location, less than --min-density=16' profgen $demo -o $B/demo.prof --min-density=16
{ sed -n '/^ PERF_RECORD/p' $D/demo.perfscript; tail -n 12 $B/demo.ps; } >$B/none.ps
ends 3 'the profile is empty: no sample of 3 hit a probe' profgen --binary=$D/demo.elf --perfscript=$B/none.ps -o $B/none.demo
ends 0 'the profile is empty' profgen --allow-empty --binary=$D/demo.elf --perfscript=$B/none.ps -o $B/none.demo
$T profgen $demo --format=text --gen-cs-nested-profile=0 -o $B/demo.text --ignore-stack-samples 2>$B/err
printf 'gone:10000:1\n 1: 10000\n !CFGChecksum: 77\n' | cat $B/demo.text - >$B/stale.prof
ends 0 none match --quiet --old-profile=$B/stale.prof --binary=$D/demo.elf -o $B/got --min-kept=50
ends 3 'of the samples of .* are kept, less than --min-kept=90' match --quiet --old-profile=$B/stale.prof --binary=$D/demo.elf -o $B/got --min-kept=90
printf 'gone:10000:1\n 1: 10000\n !CFGChecksum: 77\n' >$B/gone.prof
ends 3 'nothing of .* was kept' match --quiet --old-profile=$B/gone.prof --binary=$D/demo.elf -o $B/got
ends 0 'nothing of .* was kept' match --allow-empty --old-profile=$B/gone.prof --binary=$D/demo.elf -o $B/got

# ----- files of another kind are named, with the option that takes them
printf '\037\213\010\0\0\0' >$B/x.gz
printf 'PERFILE2\150\0\0\0' >$B/x.data
printf '<?xml version="1.0"?>\n<svg>\n' >$B/x.svg
printf '{\n  "samples": 1\n}\n' >$B/x.json
printf '\377lprofi\201\014\0\0\0' >$B/x.profdata
printf 'DTiJ\001\0\0\0' >$B/x.dump
for c in "merge -o $B/got" show "overlap $B/a.prof" folded "flame -o $B/got" "check --binary=$D/demo.elf"; do
    set -- $c
    command=$1
    shift
    says 1 'demo.elf: this is a program (ELF), which profgen --binary takes' $command "$@" $D/demo.elf
    case $command in                 # these make a picture of a recording (picture.sh)
    folded | flame) says 1 'x.data: byte 12: ' $command "$@" $B/x.data
        says 1 'x.gz: its compressed data ends too soon' $command "$@" $B/x.gz ;;
    show) says 1 'demo.perfscript: this is a recording: show has --top=N' $command "$@" $D/demo.perfscript
        says 1 'x.gz: this is a recording' $command "$@" $B/x.gz ;;
    *) says 1 'x.data: this is a recording of perf (perf.data), which profgen --perfdata takes' $command "$@" $B/x.data
        says 1 'demo.perfscript: this is text of perf script, which profgen --perfscript takes' $command "$@" $D/demo.perfscript
        says 1 'x.gz: this is compressed (gzip)' $command "$@" $B/x.gz ;;
    esac
    says 1 'x.svg: this is .*(SVG)' $command "$@" $B/x.svg
    says 1 'x.json: this is JSON' $command "$@" $B/x.json
done
says 1 'x.profdata: this is an instrumentation profile: its traces are what order takes' show $B/x.profdata
ends 0 'warning: .*demo.elf: this is a program (ELF)' merge --failure-mode=warn $B/a.prof $D/demo.elf -o $B/got
says 1 'x.data: this is a recording of perf' profgen --binary=$D/demo.elf --perfscript=$B/x.data -o $B/got
says 1 'demo.perfscript: this is text of perf script' profgen --binary=$D/demo.elf --perfdata=$D/demo.perfscript -o $B/got
says 1 'a.prof: this is a sample profile' profgen --binary=$D/demo.elf --perfscript=$B/a.prof -o $B/got
says 1 'demo.prof: this is a sample profile' profgen --binary=$B/demo.prof --perfscript=$D/demo.perfscript -o $B/got
says 1 'demo.elf: this is a program' profgen --binary=$D/demo.elf --perfscript=$D/demo.elf -o $B/got
says 1 'demo.elf: this is a program' profgen --binary=$D/demo.elf --pprof=$D/demo.elf -o $B/got
says 1 'x.gz: this is compressed' profgen --binary=$B/x.gz --perfscript=$D/demo.perfscript -o $B/got
says 1 'x.dump: this is a dump of JIT code' profgen --binary=$D/demo.elf --perfdata=$B/x.dump -o $B/got
says 1 'demo.prof: this is a sample profile' match --old-profile=$B/demo.prof --binary=$B/demo.prof
says 1 'demo.elf: this is a program' match --old-profile=$D/demo.elf --binary=$D/demo.elf
says 1 'a.prof: this is a sample profile' order $B/a.prof
# ... but only when they cannot be read: what begins like another kind may be the right one
for name in 'BZhash' '{"closure"}' '<svg>' '<?xml' '!<arch>' 'PERF_RECORD_of' '7zXZ'; do
    printf '%s:100:10\n 1: 100\n' "$name" >$B/odd.prof
    for c in "merge -o $B/got" show "overlap $B/odd.prof" "flame -o $B/got"; do
        set -- $c
        ends 0 none "$@" $B/odd.prof
    done
    ends 0 '100 samples in 1 stacks' folded $B/odd.prof
done
for line in 'BZh 1000  1.5:  1 cycles: ' '{"x 1000  1.5:  1 cycles: ' '<svg 1000  1.5:  1 cycles: ' '# cmdline : perf record -e a:12:5' '!<arch> 1000 1.5: 1 cycles: ' '[
'; do
    { sed -n '/^ PERF_RECORD/p' $D/demo.perfscript; sed '/^ PERF_RECORD/d' $D/demo.perfscript; } >$B/rest.ps
    { printf '%s\n' "$line"; cat $B/rest.ps; } >$B/odd.ps
    ends 0 none profgen --quiet --binary=$D/demo.elf --perfscript=$B/odd.ps -o $B/got
done
printf 'E event:12:5\nS 401150 5\n' >$B/odd.preagg
ends 0 none profgen --quiet --allow-empty --binary=$D/demo.elf --preagg=$B/odd.preagg -o $B/got
says 1 'demo.prof: this is a sample profile' profgen --binary=$D/demo.elf --preagg=$B/demo.prof -o $B/got
says 1 'a.prof: this is a sample profile' profgen --binary=$D/demo.elf --unsymbolized-profile=$B/a.prof -o $B/got
says 1 'a.prof: this is a sample profile' profgen --binary=$D/demo.elf --pprof=$B/a.prof -o $B/got
says 1 'a.prof: this is a sample profile' profgen --jitdump=$B/a.prof --perfdata=data/jit/small.data -o $B/got
says 1 'a.prof: this is a sample profile' profgen --perf-map=$B/a.prof --perfdata=data/jit/small.data -o $B/got
says 1 'demo.elf: this is a program' profgen --perf-map=$D/demo.elf --perfdata=data/jit/small.data -o $B/got
says 1 'x.data: this is a recording' profgen --binary=$D/demo.elf --llvm-sample-profile=$B/x.data -o $B/got
says 1 'a.prof: this is a sample profile' profgen --binary=$D/demo.elf --debug-binary=$B/a.prof --perfscript=$B/demo.ps -o $B/got
says 1 'a.prof: this is a sample profile' profgen --binary=$D/demo.elf --binary=$B/a.prof --perfscript=$B/demo.ps -o $B/got
printf 'some words\n' >$B/words
says 1 'words: no line is one of a perf map' profgen --perf-map=$B/words --perfdata=data/jit/small.data -o $B/got
if have strip && strip -o $B/stripped $D/demo.elf 2>$B/err; then
    says 1 'stripped: no symbols.*--debug-binary=FILE' order --binary=$B/stripped --perfscript=$D/demo.perfscript
    mkdir -p $B/bare && mv $B/stripped $B/bare/demo.elf
    ends 0 none profgen --quiet --binary=$B/bare/demo.elf --debug-binary=$D/demo.elf --perfscript=$B/demo.ps -o $B/got
    ends 0 none profgen --quiet --binary=$B/bare/demo.elf --perfscript=$B/demo.ps -o $B/bare/got
    cmp -s $B/got $B/bare/got && pass || fail "a stripped program has another profile"
else skip "no strip for this program"; fi
# ----- files of no kind, empty files, directories: the same words in every command
printf 'some words here\nmore\n' >$B/words
printf '# a comment\n\n\nsome words here\n' >$B/words4
printf '\001\002\003\377\0\0' >$B/bytes
mkdir -p $B/nothing
for c in show "merge -o $B/got" "overlap $B/a.prof" folded "flame -o $B/got" "check --binary=$D/demo.elf" \
    "match --binary=$D/demo.elf --old-profile" "annotate --function=a --binary=$D/demo.elf" "bottleneck --binary=$D/demo.elf --profile" \
    "profgen --binary=$D/demo.elf -o $B/got --llvm-sample-profile"; do
    says 1 'words: no profile of a known form (text needs NAME:TOTAL:HEAD at 1:16)' $c $B/words
    says 1 'words4: no profile of a known form (text needs NAME:TOTAL:HEAD at 4:16)' $c $B/words4
    says 1 'bytes: no profile of a known form (text has no NUL byte, as there is at 1:5)' $c $B/bytes
    case $c in merge*) ends 3 'zero is empty' $c $B/zero; says 2 'nothing: the directory has no files' $c $B/nothing ;;
    *) says 1 'zero: the file is empty' $c $B/zero; says 1 'nothing: Is a directory' $c $B/nothing ;; esac
done
for c in order "ctxprof show" "profgen --binary=$D/demo.elf -o $B/got --perfscript" "profgen --binary=$D/demo.elf -o $B/got --perfdata" \
    "profgen --perfscript=$D/demo.perfscript -o $B/got --binary" "profgen --binary=$D/demo.elf -o $B/got --pprof"; do
    says 1 'zero: the file is empty' $c $B/zero
    says 1 'nothing: Is a directory' $c $B/nothing
done
# nothing is as empty as an empty file; a socket is none; lists are text, names of programs are those of programs
for c in show folded order "profgen --binary=$D/demo.elf -o $B/got --perfscript" "profgen --binary=$D/demo.elf -o $B/got --perfdata" \
    "ctxprof show" "match --old-profile=$B/demo.prof --binary" "profgen --perfscript=$D/demo.perfscript -o $B/got --binary"; do
    says 1 '/dev/null: the file is empty' $c /dev/null
done
says 1 'nowhere: No such file' profgen --binary=$D/demo.elf -o $B/got --llvm-sample-profile $B/nowhere
if have perl && perl -MIO::Socket::UNIX -e 'unlink $ARGV[0]; IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or exit 1' $B/socket 2>$B/err; then
    for c in show "merge -o $B/got" "flame -o $B/got" order "check --binary=$D/demo.elf" "profgen --binary=$D/demo.elf -o $B/got --llvm-sample-profile"; do
        says 1 'socket: a socket, or a device that is not there' $c $B/socket
    done
else skip "no perl, or no sockets in files here"; fi
# what is compressed is looked into: a profile of samples, a program or words in it are no profile of pprof
if have gzip; then
    for f in $B/a.prof $B/words $D/demo.elf; do
        gzip -c $f >$B/packed.gz
        for c in show "show --top=3" folded "flame -o $B/got" "annotate --binary=$D/demo.elf --function=a" "merge -o $B/got"; do
            says 1 'packed.gz: this is compressed (gzip); .* all else must be decompressed' $c $B/packed.gz
        done
    done
else skip "no gzip"; fi
for c in "folded --names=" "merge -o $B/got --input-files=" "merge -o $B/got --remapping-file="; do
    says 1 'demo.elf: this is a program' $c$D/demo.elf $B/a.prof
    says 1 'bytes: this is no text: line 1 has a NUL byte' $c$B/bytes $B/a.prof
done
says 1 'a.prof: this is a sample profile' folded --binary=$B/a.prof $B/a.prof
says 1 'zero: the file is empty' folded --binary=$B/zero $B/a.prof
says 3 'zero: the file is empty' profgen --binary=$D/demo.elf -o $B/got --preagg $B/zero
says 3 'zero: the file is empty' profgen --binary=$D/demo.elf -o $B/got --unsymbolized-profile $B/zero
says 1 'nothing: Is a directory' profgen --binary=$D/demo.elf -o $B/got --preagg $B/nothing
says 1 'words: no contextual profile: .* at 1:1' ctxprof show $B/words
says 1 'words4: no contextual profile: .* at 4:1' ctxprof show $B/words4
says 1 'bytes: no contextual profile: ' ctxprof show $B/bytes
says 1 'words: no profile of pprof: ' profgen --binary=$D/demo.elf -o $B/got --pprof $B/words
says 1 'bytes: no profile of pprof: ' profgen --binary=$D/demo.elf -o $B/got --pprof $B/bytes
says 1 'words: no raw counters: expected a number at 1:1' profgen --binary=$D/demo.elf -o $B/got --unsymbolized-profile $B/words
says 1 'words: no profile of a known form' overlap $B/words $B/a.prof
# a profile with a mistake further on is one
printf 'a:30:1\n 1: 30\nsome words\n' >$B/mistake
says 1 'mistake:3:' show $B/mistake
! finds 'known form' $B/err && pass || fail "show: $(cat $B/err)"
# LLVM's words with --llvm-compat
says 1 'words: Unrecognized sample profile encoding format' show --llvm-compat $B/words

# ----- options that contradict each other, or ask for nothing
says 2 '--top: 0 functions are nothing to show' show --top=0 $B/a.prof
for two in "--summary --contexts" "--top=3 --summary" "--contexts --show-sec-info-only" "--top=1 --contexts=2"; do
    set -- $two
    says 2 "both: each is shown alone" show $1 $2 $B/a.prof
    says 2 "both: each is shown alone" show $2 $1 --json $B/a.prof
done
says 2 '--json or --show-format=text, not both' show --json --show-format=text $B/a.prof
says 2 '--format or --json, not both' annotate --json --format=html --binary=$D/demo.elf --function=main $B/demo.prof
for two in "--text --binary" "--binary --text" "--gcc --extbinary" "--ctxprof --text"; do
    set -- $two
    says 2 "$2 does not go with $1: one of them only" merge $two $B/a.prof -o $B/got
    ends 0 none merge --text --text $B/a.prof -o $B/got
done
ends 0 none show --summary --contexts=1 --llvm-compat $B/a.prof
ends 0 none show --summary --show-sec-info-only=0 $B/a.prof

ends 0 '--width has no effect with --json' flame --json --width=500 $B/a.prof
ends 0 '--icicle has no effect with --json' flame --json --icicle $B/a.prof
ends 0 none flame --json --diff=$B/a.prof $B/a.prof
ends 0 '--function has no effect with --all-functions' show --all-functions --function=a $B/a.prof
ends 0 'argument ignored: showing all functions' show --llvm-compat --all-functions --function=a $B/a.prof
says 2 '--compress-recursion: the number is -1, 0 or larger' profgen --compress-recursion=-2 $demo -o $B/got
says 1 'Value of --compress-recursion should >= -1' profgen --llvm-compat --compress-recursion=-2 $demo -o $B/got
# percentages have no space before the sign; in pictures they have (views/text.c)
grep -n '[dfu] %%' ../examples/tool/*/*.c | grep -v '/views/text\.c:' >$B/percent
[ ! -s $B/percent ] && pass || fail "percentages in two forms: $(cat $B/percent)"

# ----- what people of perf type
case $(uname -s) in Linux)
    says 2 '-b is an option of perf: branch records are always taken' record -b -- ./demo
    says 2 '-g is an option of perf: call stacks are always taken' record -g ./demo
    says 2 '--call-graph is an option of perf: call stacks are always taken' record --call-graph=fp ./demo
    says 2 '-a is an option of perf: .*--pid=PID' record -a
    says 2 '-e is an option of perf: the event cannot be chosen' record -e cycles:u ./demo
    says 2 '-c is an option of perf: --period=N' record -c 1000 ./demo
    for o in -i --no-inherit "-C 0" "-t 7" --tid=7 --per-thread "-u root" "-G group" "-m 16" "-D 100" -z -q --all-user --all-kernel -d -s -v -n -N -B -P -R -T -W "-k mono" "-r 1"; do
        says 2 "${o%%[ =]*} is an option of perf: " record $o -- ./demo
    done
    for o in --frequency=99 --overhead=5 --timer; do
        says 2 "--[a-z]*: not with --exact or an option that implies it" record --exact $o -- ./demo
        says 2 "--[a-z]*: not with --exact or an option that implies it" record $o --count=3 -- ./demo
    done
    $T record -h >$B/out 2>$B/err && $T record --help | cmp -s - $B/out && pass || fail "record -h: $(cat $B/err)"
    # a program of this directory, without the ./
    cp $D/demo.elf $B/no-such-command
    (cd $B && $T record no-such-command >out 2>err)
    [ $? -eq 1 ] && has_text "no-such-command: not in the PATH; did you mean './no-such-command'?" $B/err && pass || fail "record in this directory: $(cat $B/err)"
    (cd $B && $T record no-such-program >out 2>err)
    [ $? -eq 1 ] && has_text "no-such-program: not in the PATH" $B/err && ! finds 'did you mean' $B/err && pass || fail "record of nothing: $(cat $B/err)"
esac
# bytes are for files
if script -qec true /dev/null >/dev/null 2>&1; then
    for c in "merge $B/a.prof" "merge --binary $B/a.prof" "match --quiet --old-profile=$B/demo.prof --binary=$D/demo.elf -o -" "folded --format=pprof $B/a.prof" "profgen --quiet --binary=$D/demo.elf --perfscript=$D/demo.perfscript -o -"; do
        script -qec "$T $c" /dev/null </dev/null >$B/out 2>&1
        [ $? -eq 1 ] && has_text 'binary output is not written to a terminal' $B/out && pass || fail "$c on a terminal: $(head -c 300 $B/out)"
        script -qec "$T $c >$B/got" /dev/null </dev/null >$B/err 2>&1
        [ -s $B/got ] && ! has_text 'terminal' $B/err && pass || fail "$c to no terminal: $(cat $B/err)"
    done
    script -qec "$T merge --text --split-layout $B/a.prof" /dev/null </dev/null >$B/out 2>&1 && has_text 'a:30:1' $B/out && pass || fail "text on a terminal: $(cat $B/out)"
else skip "script makes no terminal"; fi

# as many samples as are wanted, or 4 % fewer, is enough
for least in 15 16 17; do
    $T profgen --binary=$D/demo.elf --perfscript=$D/demo.perfscript --profile-density-threshold=$least -o $B/got 2>$B/err
    ! finds '1\.0 times as many' $B/err && pass || fail "$(grep times $B/err)"
done

# ----- names as people write them
N=data/names
if ${CC:-cc} -O0 -std=c99 -Wall -Wextra -o $B/names demangle_lines.c ../examples/tool/demangle/*.c >$B/out 2>&1 && [ ! -s $B/out ]; then
    $B/names <$N/itanium.txt >$B/names.out
    diff $N/itanium.want $B/names.out >$B/out && pass || fail "names differ: $(head -4 $B/out)"
    $B/names <$N/rust.txt | diff $N/rust.want - >$B/out && pass || fail "names of Rust differ: $(cat $B/out)"
    $B/names <$N/rust_v0.txt | diff $N/rust_v0.want - >$B/out && pass || fail "names of Rust's newer scheme differ: $(head -4 $B/out)"
    # every beginning of a name ends well
    awk 'NR % 40 == 0 { for (i = 1; i <= length($0); i++) print substr($0, 1, i) }' $N/itanium.txt $N/rust_v0.txt | $B/names >$B/out && pass || fail "beginnings of names"
else fail "demangle.c: $(head -3 $B/out)"; fi
if have llvm-cxxfilt-19; then
    cat $N/itanium.want $N/rust_v0.want >$B/names.want
    cat $N/itanium.txt $N/rust_v0.txt | llvm-cxxfilt-19 | diff - $B/names.want >$B/out && pass || fail "what is wanted is not what LLVM says: $(head -4 $B/out)"
else skip "no llvm-cxxfilt-19 to check the wanted names"; fi
cat >$B/cxx.prof <<'END'
_ZN3app6Parser5parseEPKc:900:9
 1: 500
 2: 400 _ZL4helpi.__uniq.123456:300
 3: _ZL4helpi.__uniq.123456:300
  1: 300
_ZN3app6WriterI3FooE5parseEv:50:2
 1: 50
plain_c.__uniq.77:40:1
 1: 40
END
# shows TEXT ARGUMENTS...: what is printed has the text
shows() {
    text=$1
    shift
    $T "$@" >$B/out 2>$B/err
    has_text "$text" $B/out && pass || fail "csspgo $*: no $text"
}
shows 'app::Parser::parse(char const*);help(int) 300' folded $B/cxx.prof
shows '_ZN3app6Parser5parseEPKc;_ZL4helpi.__uniq.123456 300' folded --no-demangle $B/cxx.prof
shows 'plain_c 40' folded $B/cxx.prof
shows 'app::Parser::parse(char const*)' flame $B/cxx.prof
shows '_ZN3app6Parser5parseEPKc' flame --no-demangle $B/cxx.prof
shows 'Function: app::Parser::parse(char const*): 900, 9' show $B/cxx.prof
shows 'Function: _ZN3app6Parser5parseEPKc: 900, 9' show --no-demangle $B/cxx.prof
shows 'Function: _ZN3app6Parser5parseEPKc: 900, 9' show --llvm-compat $B/cxx.prof
shows 'calls: help(int):300' show $B/cxx.prof
shows 'app::Parser::parse(char const*)' show --hot-func-list $B/cxx.prof
shows 'app::Parser::parse(char const*)' show --contexts $B/cxx.prof
shows '_ZN3app6Parser5parseEPKc:900:9' merge --text $B/cxx.prof
# --function takes what people call a function
shows 'Function: app::Parser::parse(char const*): 900' show --function=Parser::parse $B/cxx.prof
shows 'Function: app::Parser::parse(char const*): 900' show --function=app::Parser::parse $B/cxx.prof
shows 'Function: app::Parser::parse(char const*): 900' show --function='app::Parser::parse(char const*)' $B/cxx.prof
shows 'Function: app::Parser::parse(char const*): 900' show --function=_ZN3app6Parser5parseEPKc $B/cxx.prof
shows 'app::Parser::parse(char const*):3 @ help(int): 300' show --function=help $B/cxx.prof
shows 'Function: plain_c: 40' show --function=plain_c $B/cxx.prof
says 1 "2 functions are called 'parse', give the whole name of one: app::Parser::parse(char const\*), app::Writer<Foo>::parse()" show --function=parse $B/cxx.prof
says 1 "the profile has no function 'plian_c'; did you mean 'plain_c'?" show --function=plian_c $B/cxx.prof
says 1 "the profile has no function 'xyzzyxyzzy'" show --function=xyzzyxyzzy $B/cxx.prof
finish
