#!/bin/sh
# csspgo merge, show and overlap: every vector of data/formats with the options that made it, what is ours alone, the
# exit statuses, and side by side with llvm-profdata-19 where that is installed.
B=build/profdata
rm -rf $B
mkdir -p $B
. ./t.sh
compares
fail() { echo "FAILED: profdata: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: profdata: $*"; skipped=$((skipped + 1)); }
HERE=$(pwd)
ulimit -S -t 60             # what hangs fails
T=${TOOL:-$HERE/build/$(size plain san)/csspgo}
ZLIB=
[ -f /usr/include/zlib.h ] && ZLIB=yes
[ -n "$TOOL" ] || make -s build/$(size plain san)/csspgo >$B/make.out 2>&1 || { fail "the tool does not build"; head -20 $B/make.out; finish; }
! command -v llvm-profdata-19 >/dev/null 2>&1 || again llvm-profdata-19
# some: a third of the lines, in a full run all
some() { awk -v every=$(size 3 1) 'NR % every == 0'; }
cp -r data/formats $B/f        # commands run here; G has what they should make
G=$HERE/data/formats
cd $B/f || exit 1

# ----- the vectors: COMMANDS.tsv has output file, exit status, command, first line of what is said

# loose FORM: what LLVM's output does not decide: the order of metadata, compressed bytes, attributes of flattened nests
loose() {
    case $1 in
    *.ext | *.md5 | *.extz | *.md5z)
        [ "$($T show --sample --show-sec-info-only "$1" | sed 's/ - Offset.*Flags/ Flags/; /Size: /d')" = \
          "$($T show --sample --show-sec-info-only "$G/$1" | sed 's/ - Offset.*Flags/ Flags/; /Size: /d')" ] &&
            $T merge --text --llvm-compat "$1" -o ../one && $T merge --text --llvm-compat "$G/$1" -o ../two && cmp -s ../one ../two ;;
    *flat-of-probe-nested.text) [ "$(grep -v Attributes "$1")" = "$(grep -v Attributes "$G/$1")" ] ;;
    */cs.txt) [ "$(sort "$1")" = "$(sort "$G/$1")" ] ;;
    *) false ;;
    esac
}

tab=$(printf '\t')
grep -v llvm-profdata-14 "$G/COMMANDS.tsv" | some >../commands
while IFS="$tab" read -r file status command message; do
    command=${command#llvm-profdata-19 }
    verb=${command%% *}
    rest=${command#* }
    case $rest in *-compress-all-sections* | *z.ext*) [ -n "$ZLIB$TOOL" ] || { skip "$file: built without zlib"; continue; } ;; esac
    rm -f "$file"
    eval "$T $verb --llvm-compat $rest" 2>../said </dev/null
    got=$? same= said=
    IFS= read -r said <../said
    if [ $got -ne "$status" ]; then
        fail "$file: exit status $got, not $status: $verb $rest"; head -3 ../said
    elif [ "$said" != "$message" ] && ! grep -qxF -e "$message" ../said; then
        fail "$file: says '$said', not '$message'"
    elif [ "$status" -ne 0 ]; then
        pass
    elif cmp -s "$file" "$G/$file"; then
        same=1
        pass
    elif [ ! -f "$G/$file" ] && [ ! -s "$file" ] && [ -n "$message" ]; then
        pass                    # a message is all that there is
    elif [ ! -f "$G/$file" ] && cmp -s "$file" "$G/${file%.*}"; then
        pass                    # no file of its own: no different from an earlier form
    elif [ ! -f "$G/$file" ] && cmp -s "$file" "$(echo "$G/$file" | sed 's/\.\(ext\|bin\|md5\|ext14\)\.text$/.text/; s|/compat/\([^/]*\)$|/conv/\1|')"; then
        pass
    elif [ -f "$G/$file" ] && loose "$file"; then
        pass
    else
        fail "$file differs: $verb $rest"; diff "$file" "$G/$file" 2>&1 | head -5
    fi
    [ -n "$same" ] || [ ! -f "$G/$file" ] || cp "$G/$file" "$file"
done <../commands

# section tables: "[FILE]", then what is printed
: >../sections
grep '^\[' show/SECTIONS.txt | tr -d '[]' >../list
while read -r file; do
    echo "[$file]" >>../sections
    $T show --llvm-compat --sample --show-sec-info-only "$file" >>../sections 2>&1 || fail "sections of $file"
done <../list
if cmp -s ../sections show/SECTIONS.txt; then pass; else fail "section tables"; diff ../sections show/SECTIONS.txt | head -5; fi

# placed FILE SAID: an error names FILE and a place in it, or what it is that text cannot hold
digits() { case $1 in "" | *[!0-9]*) return 1 ;; esac; }
placed() {
    while IFS= read -r error; do
        case $error in
        "csspgo: error: $1: "* | "csspgo: error: -: text cannot carry this "*) return 0 ;;
        "csspgo: error: $1:"*:*:*)
            error=${error#"csspgo: error: $1:"}
            at=${error#*:}
            digits "${error%%:*}" && digits "${at%%:*}" && return 0 ;;
        esac
    done <"$2"
    return 1
}
# results DIRECTORY: RESULTS.txt has "== FILE : exit STATUS [: message]", indented the text that LLVM makes of it
results() {
    mkdir -p ../wanted
    awk '/^== / { close(out); out = "../wanted/" $2; printf "" >out } /^    / { print substr($0, 5) >out }' "$1/RESULTS.txt"
    grep '^== ' "$1/RESULTS.txt" | some >../list
    while IFS= read -r line; do
        file=${line#== }
        file=${file%% :*} want=../wanted/${file%% :*}
        case $file in raw-name-count-huge.prof) continue ;; esac     # LLVM: as the machine has memory
        status=${line#"== $file : exit "}
        status=${status%%[: ]*}
        $T merge --llvm-compat --sample --text "$1/$file" >../text 2>../said </dev/null
        got=$? said=
        IFS= read -r said <../said
        message=${line#"== $file : exit 1 : "}
        case $message in "$line") message= ;; *~*) message=$(printf '%s\n' "$message" | tr '~' '\r') ;; esac
        case $file:$status in
        ext-md5-fixed-flag2-only.prof:0) [ $got -eq 0 ] && cmp -s ../text $want ;;
        # accepted by LLVM although bytes are missing or contradict each other: refused
        ext-compress-usize-too-big.prof:0 | ext-trunc-data.prof:0 | ext-cs-empty-context.prof:0 | raw-discriminator-33bit.prof:0)
            [ $got -le 1 ] ;;
        *:0) [ $got -eq 0 ] && cmp -s ../text $want ;;
        # the same verdict in other words
        gcov-trunc-header.afdo:1 | gcov-trunc.afdo:1 | raw-nrecs-33bit.prof:1 | raw-nrecs-huge.prof:1)
            [ $got -eq 1 ] && [ -s ../said ] ;;
        *:1) [ $got -eq 1 ] && { [ "$message" = "$said" ] && one_line ../said || [ "$(cat ../said)" = "$message" ]; } ;;
        *) [ $got -eq 1 ] && [ -s ../said ] ;;                       # LLVM crashes
        esac && pass || { fail "$1/$file: exit status $got, LLVM's $status: $(head -1 ../said)"; diff ../text $want | head -3; }
        # ours, by default: whatever is refused names the place
        $T merge --text "$1/$file" >/dev/null 2>../said </dev/null
        case $? in
        0) pass ;;
        3) if finds ': the profile is empty$' ../said; then pass; else fail "$1/$file: $(head -1 ../said)"; fi ;;
        1) if placed $1/$file ../said; then pass; else fail "$1/$file: $(head -1 ../said)"; fi ;;
        *) fail "$1/$file: status $?" ;;
        esac
    done <../list
}
results hand
results quirks
results malformed/text
results malformed/bin

# ----- exit statuses: 2 for the command line, 1 for files; with --llvm-compat always 1. Nothing on standard output.
expect() {
    want=$1
    shift
    $T "$@" >../out 2>../err </dev/null
    got=$?
    if [ $got -eq "$want" ] && [ ! -s ../out ] && [ -s ../err ]; then pass; else fail "status $got, not $want: $*"; head -3 ../out ../err; fi
}
for verb in merge show overlap; do
    expect 2 $verb
    expect 1 $verb --llvm-compat
    expect 2 $verb text/02-basic.txt text/02-basic.txt --no-such-option
    expect 1 $verb text/02-basic.txt text/02-basic.txt --no-such-option --llvm-compat
    expect 2 $verb text/02-basic.txt text/02-basic.txt --output
    expect 2 $verb text/02-basic.txt text/02-basic.txt --instr
    expect 2 $verb text/02-basic.txt text/02-basic.txt --fs-discriminator-pass=Pass9
    expect 2 $verb text/02-basic.txt text/02-basic.txt --profile-summary-contextless=0
    expect 2 $verb text/02-basic.txt text/02-basic.txt --profile-summary-hot-count=-1
done
expect 1 merge nonexistent
expect 1 merge text/02-basic.txt -o /nonexistent/x
expect 2 merge text/02-basic.txt --weighted-input=0,text/02-basic.txt
expect 2 merge text/02-basic.txt --weighted-input=2
expect 1 merge --weighted-input=2,nonexistent
expect 2 merge text/02-basic.txt --failure-mode=maybe
expect 2 merge text/02-basic.txt --text=1
expect 2 merge text/02-basic.txt --compbinary
expect 2 merge text/02-basic.txt --output-form=text
expect 2 merge text/02-basic.txt --convert-sample-profile-layout=round
expect 2 merge text/02-basic.txt --supplement-instr-with-sample=x
expect 2 merge text/02-basic.txt --gcov-version=4
expect 2 merge text/15-cs-probe.txt --sample-merge-cold-context --sample-frame-depth-for-cold-context=0
expect 1 merge text/02-basic.txt --function='('
expect 1 merge text/02-basic.txt --input-files=nonexistent
expect 1 merge text/02-basic.txt --prof-sym-list=nonexistent
expect 1 merge text/02-basic.txt --remapping-file=nonexistent
expect 1 merge text/02-basic.txt --remapping-file=text/02-basic.txt
expect 1 merge text/02-basic.txt --text --output-size-limit=1
expect 1 merge text/02-basic.txt text/15-cs-probe.txt
expect 1 merge text/14-cs-line.txt --binary
expect 1 merge text/14-cs-line.txt --gcc
expect 1 merge text/14-cs-line.txt --split-layout
expect 3 merge malformed/text/empty.txt --failure-mode=warn -o /dev/null
expect 1 merge text/02-basic.txt malformed/bin/raw-trunc-body.prof
expect 1 show nonexistent
expect 2 show text/02-basic.txt text/02-basic.txt
expect 2 show text/02-basic.txt --show-format=yaml
expect 2 show text/02-basic.txt --show-format=xml
expect 2 show text/02-basic.txt --topn=x
expect 2 show text/02-basic.txt --debug-info=x
expect 2 show text/02-basic.txt --memory
expect 2 show text/02-basic.txt --output=text/02-basic.txt
expect 1 show text/02-basic.txt --function=absent
expect 1 show text/02-basic.txt --output=/nonexistent/x
expect 2 overlap text/02-basic.txt
expect 2 overlap text/02-basic.txt text/02-basic.txt text/02-basic.txt
expect 1 overlap text/02-basic.txt nonexistent
expect 1 overlap text/14-cs-line.txt text/02-basic.txt
expect 1 overlap text/14-cs-line.txt text/15-cs-probe.txt
expect 1 overlap text/02-basic.txt text/02-basic.txt --output=/nonexistent/x
expect 2 nonsense
expect 2 show text/02-basic.txt --no-such-option
# meant PATTERN COMMAND...: status 2 and one line (of record two) that names what may have been meant
meant() {
    pattern=$1
    shift
    expect 2 "$@"
    if [ "$(grep -c . ../err)" -le 2 ] && head -1 ../err | grep -Eq -e "$pattern"; then pass; else fail "what is meant by $*"; head -3 ../err; fi
}
meant "^csspgo: error: unknown command 'mreg'; did you mean 'merge'\?\$" mreg
meant "did you mean 'profgen'" progfen
meant "did you mean 'version'" --versoin
meant "^csspgo: error: unknown command 'nonsense'; 'csspgo help' lists all\$" nonsense
meant "which command" </dev/null
meant "unknown option '--hot-function-list'; did you mean '--hot-func-list'\?\$" show --hot-function-list text/02-basic.txt
meant "unknown option '-jsn'; did you mean '-json'\?\$" show -jsn text/02-basic.txt
meant "unknown option '--outptu=x'; did you mean '--output'\?\$" merge --outptu=x text/02-basic.txt
meant "unknown option '--detailed'; did you mean '--detailed-summary'\?\$" show --detailed text/02-basic.txt
meant "unknown option '--zzz'\$" merge --zzz text/02-basic.txt
meant "unknown option '-q'\$" overlap -q text/02-basic.txt
meant "did you mean '--icicle'" flame --icycle text/02-basic.txt
meant "did you mean '--perfscript'" profgen --perfscirpt=x --binary=x
meant "did you mean '--period'" record --perod=5 true
for word in version --version; do
    if $T $word >../out 2>../err && grep -Eqx 'csspgo [0-9]+\.[0-9]+\.[0-9]+, zlib: (yes|no), zstd: (yes|no), xz: (yes|no)' ../out && [ ! -s ../err ]; then pass; else fail "$word"; fi
done
for verb in merge show overlap profgen record; do
    if $T $verb --help >../out 2>../err && grep -q "^csspgo $verb:" ../out && [ "$(grep -c '^csspgo [a-z]*:' ../out)" -eq 1 ] && [ ! -s ../err ]; then pass; else fail "$verb --help"; fi
done

# ----- ours: what differs from LLVM by default, and what it does not have. same WHAT EXPECTED COMMAND...: standard output
same() {
    what=$1 want=$2
    shift 2
    got=$("$@" 2>../err </dev/null)
    if [ "$got" = "$want" ]; then pass; else fail "$what"; echo "$got" >../got; echo "$want" | diff ../got - | head -5; head -3 ../err; fi
}
# says WHAT PATTERN COMMAND...: succeeds, and standard error matches
says() {
    what=$1 want=$2
    shift 2
    if "$@" >../out 2>../err </dev/null && grep -Eq -e "$want" ../err; then pass; else fail "$what"; head -3 ../err; fi
}
a=ops/in/a.txt b=ops/in/b.txt
same "--sample may be left out" "$(cat ops/out/merge-1-1.text)" $T merge --text $a $b
{ echo behind && $T merge --text --output=- $a && echo before; } >../out 2>../err
if [ "$(cat ../out)" = "$(echo behind; $T merge --text $a; echo before)" ]; then pass; else fail "standard output is not where it stood"; fi
printf 'f:9:5\n 2.1: 3\n 2.257: 4\n 2.1: vtables A:3 \n 2.257: vtables A:4 B:1 \n' >../vtables.txt
same "vtable counts are cut to a pass's discriminators too" "$(printf 'f:9:5\n 2.1: 7\n 2.1: vtables A:7 B:1 ')" \
    $T merge --text --profile-isfs --fs-discriminator-pass=Base ../vtables.txt
same "the order of inputs does not matter" "$($T merge --quiet --text ops/in/hash7.txt ops/in/hash5.txt)" $T merge --text ops/in/hash5.txt ops/in/hash7.txt
same "nor with attributes" "$($T merge --text ops/in/attr1.txt ops/in/attr2.txt)" $T merge --text ops/in/attr2.txt ops/in/attr1.txt
says "what is lost is said" 'csspgo: warning: .*1 records with another checksum' $T merge --text ops/in/hash7.txt ops/in/hash5.txt
says "counts that clamp are said" 'csspgo: warning: .*counts of 2 functions' $T merge --text --weighted-input=18446744073709551615,$a
same "--quiet" "" sh -c "$T merge --quiet ops/in/hash7.txt ops/in/hash5.txt -o /dev/null 2>&1"
same "standard input" "$(cat conv/02-basic.text)" sh -c "cat conv/02-basic.ext | $T merge --text -"
same "a pipe" "$(cat conv/02-basic.text)" sh -c "cat conv/02-basic.ext | $T merge --text /dev/stdin"
same "a list on standard input" "$(cat ops/out/merge-list.text)" sh -c "$T merge --text --input-files=- <ops/in/inputs.list"
same "show of standard input" "$(cat show/function.show)" sh -c "$T show --function=foo - <$a"
same "LLVM takes the last form" "$(cat ops/out/merge-1-1.text)" $T merge --llvm-compat --extbinary -binary -text $a $b
expect 2 merge --extbinary -text $a $b
mkdir -p ../tree/deep
cp $a ../tree/2 && cp $b ../tree/deep/1
same "a directory is its files, sorted" "$(printf '1,../tree/2\n1,../tree/deep/1\n7,text/02-basic.txt\n')" \
    $T merge ../tree --weighted-input=7,text/02-basic.txt --dump-input-file-list
same "a directory is added up" "$(cat ops/out/merge-1-1.text)" $T merge --text ../tree
ln -sf .. ../tree/deep/up && ln -sf . ../tree/same && ln -sf 2 ../tree/3 && ln -sf nothing ../tree/4 && ln -sf 5 ../tree/5
mkfifo ../tree/pipe && cp $a ../tree/deep/.csspgo-tmp.1 && mkdir ../tree/empty
same "links are followed, not in circles" "$(printf '1,../tree/2\n1,../tree/3\n1,../tree/deep/1\n')" $T merge ../tree/ --dump-input-file-list
same "a bad input is a warning" "$(cat conv/02-basic.text)" $T merge --text --failure-mode=all malformed/text/body-tab.txt text/02-basic.txt
says "... that is said" 'csspgo: warning: malformed/text/body-tab.txt:2:' $T merge --failure-mode=warn malformed/text/body-tab.txt text/02-basic.txt -o /dev/null
same "errors have a place" "csspgo: error: malformed/text/second-head-bad.txt:3:5: expected NAME:TOTAL:HEAD: 'x:1'" \
    sh -c "$T merge malformed/text/second-head-bad.txt 2>&1"
same "GUIDs stay GUIDs" "$($T show --show-sec-info-only conv/02-basic.md5)" sh -c "$T merge conv/02-basic.md5 | $T show --show-sec-info-only -"
same "attributes stay in ExtBinary" "$($T merge --text text/13-attr-only.txt)" sh -c "$T merge text/13-attr-only.txt | $T merge --text -"
printf 'foo:10:1\n 1: 9\n !Attributes: 2\n' >../pre.txt
printf 'bar:9:1\n 1: 8\n' >../none.txt
same "marks are those of all inputs" "preInlined,fs-discriminator" sh -c "$T merge --profile-isfs ../none.txt -o ../none.fs
    $T merge ../none.fs ../pre.txt ../none.txt | $T show --show-sec-info-only - | grep -o 'preInlined,fs-discriminator'"
printf 'foo:10:1\n 1: in:5\n  1: 5\n  !CFGChecksum: 7\n' >../in7.txt
printf 'foo:10:1\n 1: in:5\n  1: 5\n  !CFGChecksum: 9\n' >../in9.txt
for form in --text --extbinary --use-md5; do
    $T merge --quiet $form ../in7.txt -o ../in7.$form
    $T merge --quiet $form ../in7.$form ../in9.txt -o ../in79.$form
    same "checksums of inlinees alone: the same through $form" "$($T merge --quiet --use-md5 ../in7.txt ../in9.txt | cksum)" \
        sh -c "$T merge --quiet --use-md5 ../in79.$form | cksum"
done
printf 'foo:10:1\n 1: 9\n !CFGChecksum: 7\nbar:5:1\n 1: 5\n !CFGChecksum: 0\n' >../probes.txt
$T merge --text --function=bar ../probes.txt -o ../zero.txt 2>/dev/null
same "a profile of probes whose checksums are 0 stays one as text" "$(printf 'bar:10:2\n 1: 10\n !CFGChecksum: 0\nfoo:10:1\n 1: 9\n !CFGChecksum: 7')" \
    $T merge --text ../zero.txt ../probes.txt
cs=text/15-cs-probe.txt
for g in $a ../probes.txt text/14-cs-line.txt $cs; do $T merge $g >../whole.${g##*/}; done
for f in $a ../probes.txt text/14-cs-line.txt $cs; do
    $T merge --function=zzz $f -o ../empty.${f##*/} 2>../err
    for g in $a ../probes.txt text/14-cs-line.txt $cs; do
        $T merge ../empty.${f##*/} $g 2>../err | cmp -s - ../whole.${g##*/} && pass || fail "an empty profile is neutral: ${f##*/} in front of ${g##*/}"
        $T merge $g ../empty.${f##*/} 2>../err | cmp -s - ../whole.${g##*/} && pass || fail "an empty profile is neutral: ${f##*/} after ${g##*/}"
    done
done
same "empty profiles keep the mark of their kind" "$(printf 'context\nprobe')" \
    sh -c "$T merge ../empty.${a##*/} ../empty.probes.txt ../empty.14-cs-line.txt ../empty.${a##*/} | $T show --show-sec-info-only - | grep -o -e probe -e context"
# mixed OPTIONS STATUS PATTERN FILES: what is said of a mixture, and that only the first file counts if it is no error
mixed() {
    mode=$1 want=$2 pattern=$3
    shift 3
    $T merge $mode --text "$@" >../out 2>../err </dev/null
    got=$?
    if [ $got -eq "$want" ] && grep -Eq -e "$pattern" ../err && [ "$(wc -l <../err)" -eq 1 ] &&
       { [ "$want" -ne 0 ] || [ "$(cat ../out)" = "$($T merge --text $1)" ]; }; then pass; else fail "mixture: $mode $*: $got"; cat ../err; fi
}
mixed --failure-mode=any 1 "^csspgo: error: ../probes.txt cannot be merged with $a: one is by probes, the other by source lines\$" $a ../probes.txt
mixed --failure-mode=any 1 "^csspgo: error: $a cannot be merged with ../probes.txt: one is by source lines, the other by probes\$" \
    ../empty.${a##*/} ../probes.txt $a
mixed --failure-mode=any 1 "^csspgo: error: $cs cannot be merged with ../probes.txt: only the former has contexts" ../probes.txt $cs
mixed --failure-mode=any 1 "^csspgo: error: $a cannot be merged with text/14-cs-line.txt: only the latter has contexts" text/14-cs-line.txt $a
mixed --failure-mode=warn 0 "^csspgo: warning: ../probes.txt cannot be merged with $a and is left out: one is by probes" $a ../probes.txt
mixed "--failure-mode=all --max-skipped=1" 0 "^csspgo: warning: $cs cannot be merged with ../probes.txt and is left out: only the former" ../probes.txt $cs
says "what text has no place for is said" '^csspgo: warning: text does not carry that discriminators are flow-sensitive$' \
    $T merge --text --profile-isfs $a
says "... the partial mark and GUIDs" 'text does not carry that the profile is partial, that names are GUIDs$' \
    sh -c "$T merge --gen-partial-profile --use-md5 ../none.txt | $T merge --text -"
says "... the mark of a pre-inliner that inlined nothing" "raw binary does not carry the pre-inliner's mark\$" \
    sh -c "printf 'f:1:1\n 1: 1\ng:1:1\n 1: 1\n !Attributes: 2\n' | $T merge --function=f - | $T merge --binary -"
same "... and nothing if all is there" "" sh -c "$T merge --text text/15-cs-probe.txt 2>&1 >/dev/null"
: >../empty.remap
same "an empty list renames nothing" "$($T merge --text text/15-cs-probe.txt)" $T merge --text -r ../empty.remap text/15-cs-probe.txt
same "renaming keeps contexts" "$(sed 's/foo/renamed/g' conv/14-cs-line.text)" sh -c "echo foo renamed >../renames; $T merge --text -r ../renames text/14-cs-line.txt"
same "the partial mark" "partial" sh -c "$T merge --gen-partial-profile $a | $T show --show-sec-info-only - | grep -o partial"
same "the split layout" "$($T show --show-sec-info-only hand/ext-ctxsplit.prof)" sh -c "$T merge --split-layout hand/ext.prof | $T show --show-sec-info-only -"
same "GCC's form" "$(cat conv/02-basic.text | sed 1d)" sh -c "$T merge --gcc text/02-basic.txt | $T merge --text - | sed 1d"
for v in llvm 1 2; do
    same "GCC's form, version $v" "$($T merge --gcc text/02-basic.txt | $T merge --text -)" sh -c "$T merge --gcc --gcov-version=$v text/02-basic.txt | $T merge --text -"
done
same "... and the one after" "3 $($T merge --gcc text/02-basic.txt | $T merge --text - | cksum)" \
    sh -c "$T merge --gcc --gcov-version=3 text/02-basic.txt -o ../gcc3; od -An -tu1 -j4 -N1 ../gcc3 | tr -d '\\n '; echo ' '\$($T merge --text ../gcc3 | cksum)"
same "the split layout of text" "$(printf 'foo:10:1\n 1: 9\n 2: in:3\n  1: 3\nbar:5:1\n 1: 5\n !Flat')" \
    sh -c "printf 'foo:10:1\n 1: 9\n 2: in:3\n  1: 3\nbar:5:1\n 1: 5\n' | $T merge --text --split-layout - 2>&1"
expect 1 merge --text --split-layout text/14-cs-line.txt
same "recursion is folded" "[a:1 @ a]:2:0
 1: 1
[a:1 @ b]:2:1
 1: 1
[a]:1:1
 1: 1" sh -c "printf '[a]:1:1\n 1: 1\n[a:1 @ a]:2:0\n 1: 1\n[a:1 @ a:1 @ a:1 @ b]:2:1\n 1: 1\n' | $T merge --text --compress-recursion=-1 -"
printf 'foo:1000:3\n 1: 900\nbar:2:1\n 1: 2\n !Attributes: 2\n' >../cold.txt
hot="$(printf 'foo:1000:3\n 1: 900')"
same "cold functions are trimmed without contexts too" "$hot" $T merge --text --sample-trim-cold-context --profile-summary-cold-count=500 ../cold.txt
same "... when contexts, of which there are none, are merged as well" "$hot" \
    $T merge --text --sample-merge-cold-context --sample-trim-cold-context --profile-summary-cold-count=500 ../cold.txt
same "merging contexts where there are none changes nothing" "$(cat ../cold.txt)" \
    $T merge --text --sample-merge-cold-context --profile-summary-cold-count=500 ../cold.txt
same "a size limit takes as many functions as fit" "$($T merge --text ops/in/many.txt | head -c 494)" $T merge --text --output-size-limit=500 ops/in/many.txt
same "... from none, none" "" $T merge --text --output-size-limit=500 --function=zzz $a
says "options of ExtBinary alone are said to be ignored" 'csspgo: warning: -use-md5 is ignored' $T merge --text --use-md5 $a
says "symbols are said to be lost" 'csspgo: warning: Profile Symbol list' $T merge --text ops/out/symlist.ext
same "no symbol list is an empty one" "======== Dump profile symbol list ========" sh -c "$T show --show-prof-sym-list $a | tail -1"
same "--function of a profile with contexts: all of them" "Function: main:3 @ foo
Function: foo" sh -c "$T show --function=foo text/14-cs-line.txt | grep -o '^Function: [^,]*foo'"
same "--function of what is only inlined: the copies" "Function: main:9 @ _Z4leafi: 1200, 0, 2 sampled lines
Samples collected in the function's body {
  1: 800
  2.1: 400
}
No inlined callsites in this function" $T show --no-demangle --function=_Z4leafi text/02-basic.txt
same "--function finds a GUID by name" "$($T show --function=15822663052811949562 conv/02-basic.md5)" $T show --function=main conv/02-basic.md5
same "0 of 0 is 0" "0 out of 0 functions with profile (0.00%) are considered hot functions (max sample >= 0)." \
    sh -c "$T show --hot-func-list hand/raw-no-functions.prof | head -1"
same "0 of 0 is 0 in overlap" "  Hot-block overlap: 0.000%" sh -c "$T overlap --profile-summary-hot-count=99999999 $a $b | grep 'Hot-block overlap'"
same "... and LLVM's nan" "  Hot-block overlap: -nan%" sh -c "$T overlap --llvm-compat --profile-summary-hot-count=99999999 $a $b | grep 'Hot-block overlap'"
same "--contexts" "text; cs probe preinlined; 3 functions, 5 contexts, depth at most 3, 1.80 on average, 54.77% of 241 samples deeper than 1
         total    share    cum.           head  isd  context     (i inlined, s should be, d duplicated into base)
           100   41.49%   96.27%            3  i--  main
            70   29.05%   49.79%           20  is-    3 @ foo
            50   20.75%   20.75%           40  -s-      2 @ bar
            12    4.98%    4.98%           10  ---    7 @ bar
             9    3.73%    3.73%            2  ---  foo" $T show --contexts text/15-cs-probe.txt
same "--contexts=1" "$($T show --contexts text/15-cs-probe.txt | grep -v ' @ ')" $T show --contexts=1 text/15-cs-probe.txt
same "--quality of a profile and itself" "blocks of functions      100.000%   0.0000" sh -c "$T overlap --quality $a $a | grep functions"
same "no temporary difference: twice the same bytes" "$($T merge text/17-cs-order.txt | cksum)" sh -c "$T merge text/17-cs-order.txt | cksum"

# whatever is asked for besides, --json prints one JSON value; without more, LLVM's array
if command -v python3 >/dev/null 2>&1; then
    printf 'a"b\\\\c\tx:1:1\n 1: 1 q"r\\\\:1\n 2: "in":2\n  1: 2\n' >../odd.txt
    $T merge --prof-sym-list=ops/in/syms.list ../odd.txt -o ../odd.ext
    rm -rf ../json && mkdir ../json && n=0        # one Python for all of them
    for f in ../odd.txt ../odd.ext ops/out/symlist.ext text/15-cs-probe.txt conv/15-cs-probe.md5 text/03-nested-deep.txt hand/raw-no-functions.prof; do
        for o in "" --detailed-summary --hot-func-list --topn=1 --show-prof-sym-list --contexts --contexts=1 "--all-functions --topn=2" \
            "--detailed-summary --hot-func-list --show-prof-sym-list"; do
            n=$((n + 1))
            if $T show --json $o $f >../json/$n 2>../err; then pass; else fail "no JSON: $o $f"; head -2 ../err; fi
        done
    done
    python3 -c 'import json, sys
for f in sys.argv[1:]: json.load(open(f))' ../json/* 2>../err && pass || fail "$n documents: no JSON: $(tail -1 ../err)"
    same "JSON has what the text has" "cs,probe,preinlined 5 241 main,foo,bar,bar,foo 1,2,3,2,1 100,70,50,12,9" sh -c "$T show --show-format=json --contexts text/15-cs-probe.txt |
        python3 -c 'import json, sys
j = json.load(sys.stdin)
c = j[\"contexts\"]
print(\",\".join(j[\"flags\"]), j[\"records\"], j[\"samples\"], *[\",\".join(str(r[k]) for r in c) for k in (\"function\", \"depth\", \"total\")])'"
    same "... its summary, hot functions, symbols" "True True True" sh -c "$T show --json --detailed-summary --topn=1 --show-prof-sym-list ops/out/symlist.ext |
        python3 -c 'import json, sys
j = json.load(sys.stdin)
print(j[\"summary\"][\"functions\"] == j[\"hot\"][\"functions\"] == len(j[\"functions\"]), len(j[\"hot\"][\"list\"]) == 1, len(j[\"symbols\"]) > 1)'"
else
    skip "python3 is not installed: JSON is not checked"
fi

# profgen writes every form: what can be read back from it is the text
demo=$HERE/../examples/data/demo
profgen() {
    $T profgen --quiet --binary=${stripped:-$demo.elf} --perfscript=$demo.perfscript --output=- --csspgo-preinliner=0 --csprof-merge-cold-context=0 \
        --trim-cold-profile=0 --gen-cs-nested-profile=0 "$@"
}
profgen --format=text >../profgen.text
if grep -q '^\[main:' ../profgen.text; then pass; else fail "profgen --format=text"; fi
reread() { profgen "$@" | $T merge --quiet --text -; }
sections() { profgen "$@" | $T show --show-sec-info-only -; }
same "profgen writes ExtBinary by default" "$(cat ../profgen.text)" reread
same "profgen --format=extbinary" "$(cat ../profgen.text)" reread --format=extbinary
same "profgen --use-md5" "$($T merge --use-md5 ../profgen.text | $T merge --quiet --text -)" reread --use-md5
same "profgen --gen-partial-profile" "$($T merge --gen-partial-profile ../profgen.text | $T show --show-sec-info-only -)" sections --gen-partial-profile
same "profgen without contexts, split" "$(profgen --ignore-stack-samples --format=text)" reread --ignore-stack-samples --split-layout
[ -z "$ZLIB$TOOL" ] || same "profgen --compress-all-sections" "$(cat ../profgen.text)" reread --compress-all-sections
says "profgen says what is ignored" 'csspgo: warning: --use-md5 is ignored' $T profgen --binary=$demo.elf --perfscript=$demo.perfscript \
    --format=text --use-md5 -o /dev/null
expect 1 profgen --binary=$demo.elf --perfscript=$demo.perfscript --format=binary --quiet -o ../refused
expect 2 profgen --binary=$demo.elf --perfscript=$demo.perfscript --format=compbinary -o ../refused
expect 1 profgen --binary=$demo.elf --perfscript=$demo.perfscript --format=gcc --quiet -o ../refused

# ----- status 3: all is done, and nobody can use the result. useless PATTERN COMMAND...: says so in one line, errors come last
useless() {
    pattern=$1
    shift
    $T "$@" >../out 2>../err </dev/null
    got=$?
    if [ $got -eq 3 ] && tail -1 ../err | grep -Eq -e "^csspgo: error: $pattern" && [ "$(grep -c empty ../err)" -le 1 ]; then pass; else fail "status $got, not 3: $*"; tail -3 ../err; fi
}
# compat PATTERN COMMAND...: with --llvm-compat it is no failure
compat() {
    if $T "$@" --llvm-compat >../out 2>../err </dev/null; then pass; else fail "status $?, not 0: $* --llvm-compat"; fi
}
sed 's| fe:00 [0-9]* 0]: r-xp /demo\.elf| <0123456789abcdef>]: r-xp /another|' $demo.perfscript >../another.ps     # no mapping of it
sed '/PERF_RECORD/!s/5555555\(5[0-9a-f][0-9a-f][0-9a-f][0-9a-f]\)/3333333\1/g' $demo.perfscript >../elsewhere.ps    # no sample in it
for o in "" --quiet --ignore-stack-samples --fill-zero-for-all-funcs; do
    useless "the profile is empty: no sample of [0-9]+ hit a probe of .*demo.elf\$" profgen --binary=$demo.elf --perfscript=../elsewhere.ps -o ../useless $o
    [ -s ../useless ] && pass || fail "an empty profile is not written"
    compat profgen --binary=$demo.elf --perfscript=../another.ps -o ../useless $o
done
useless "the profile is empty: no sample of" profgen --binary=$demo.elf --perfscript=../elsewhere.ps --skip-symbolization -o ../useless
if $T profgen --binary=$demo.elf --perfscript=../another.ps -o ../none >../out 2>../err || [ $? -ne 1 ] || [ -e ../none ] || ! grep -q 'not among the mapped files' ../err; then fail "no file of the recording is the program: $(cat ../err)"; else pass; fi
printf '0\n0\n' >../no.raw
useless "../no.raw: no counter is of a probe of" profgen --binary=$demo.elf --unsymbolized-profile=../no.raw -o ../useless
$T merge --function=zzz $cs -o ../empty.ext 2>/dev/null
useless "../empty.ext: the profile is empty" profgen --binary=$demo.elf --llvm-sample-profile=../empty.ext -o ../useless
useless "../useless: the profile is empty" merge ../empty.ext ../empty.ext -o ../useless
compat merge ../empty.ext ../empty.ext -o ../useless
useless "-: the profile is empty" merge --no-function=. $a
printf 'someone:10:1\n 1: 10\n !CFGChecksum: 5\n' >../stranger.txt
useless "nothing of ../stranger.txt was kept: is it a profile of .*demo.elf\?\$" match --old-profile=../stranger.txt --binary=$demo.elf -o ../useless
useless "../empty.ext: the profile is empty" match --old-profile=../empty.ext --binary=$demo.elf -o ../useless --quiet
if $T match --quiet --old-profile=../profgen.text --binary=$demo.elf -o ../useful; then pass; else fail "status $? of a match that keeps all"; fi

# recordings of one program add up, each with its own mappings; what is not there is an error wherever it stands
sed 's/5555555\(5[0-9a-f][0-9a-f][0-9a-f][0-9a-f]\)/5777777\1/g' $demo.perfscript >../moved.ps
add() { $T profgen --quiet --binary=$demo.elf --format=text --output=- --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0 "$@"; }
thrice=$($T merge --quiet --text --weighted-input=3,../profgen.text)
if ! cmp -s ../moved.ps $demo.perfscript && [ "$(add --perfscript=../moved.ps)" = "$(cat ../profgen.text)" ]; then pass; else fail "the moved recording is another one"; fi
same "three scripts" "$thrice" add --perfscript=$demo.perfscript --ps=../moved.ps --perfscript=$demo.perfscript
same "one of them is of another program" "$(add --perfscript=$demo.perfscript --ps=../moved.ps)" \
    add --perfscript=$demo.perfscript --perfscript=../another.ps --perfscript=../moved.ps
add --perfscript=$demo.perfscript --skip-symbolization >../demo.raw
same "three files of counters" "$thrice" add --up=../demo.raw --up=../demo.raw --unsymbolized-profile=../demo.raw
same "one through a pipe" "$thrice" sh -c "$T profgen --quiet --binary=$demo.elf --format=text -o - --csspgo-preinliner=0 --csprof-merge-cold-context=0 \
    --gen-cs-nested-profile=0 --ps=../moved.ps --ps=- --ps=../moved.ps <$demo.perfscript"
for o in ps up pd; do
    expect 1 profgen --binary=$demo.elf --$o=../none --$o=$demo.perfscript -o ../useless
    expect 1 profgen --binary=$demo.elf --$o=$demo.perfscript --$o=../none -o ../useless
done
expect 2 profgen --binary=$demo.elf --perfscript=- --perfscript=- -o ../useless
expect 2 profgen --binary=$demo.elf --perfscript=../moved.ps --perfscript=$demo.perfscript -o ../moved.ps
expect 2 profgen --binary=$demo.elf --perfscript=$demo.perfscript --perfscript=$demo.perfscript --sample-period=3 -o ../useless
expect 1 profgen --binary=$demo.elf --perfscript=$demo.perfscript --perfscript=$demo.perfscript --perf-event=cycles -o ../useless
same "LLVM takes the last one" "$(add --llvm-compat --ps=$demo.perfscript)" add --llvm-compat --ps=../none --ps=$demo.perfscript

# a stripped program: its probes say whose code is where
if command -v strip >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
    mkdir -p ../stripped
    strip -o ../stripped/demo.elf $demo.elf
    stripped=../stripped/demo.elf
    same "a stripped program" "$(cat ../profgen.text)" profgen --format=text
    stripped=
    compat profgen --binary=../stripped/demo.elf --perfscript=$demo.perfscript -o ../stripped/out
    stripped=../stripped/demo.elf
    same "... with its symbols" "$(cat ../profgen.text)" profgen --format=text --debug-binary=$demo.elf
    stripped=
else
    skip "strip is not installed, or is for another machine"
fi

# ----- LLVM's tool on the same command lines
if ! command -v llvm-profdata-19 >/dev/null 2>&1; then
    skip "llvm-profdata-19 is not installed"
    finish
fi
same_lines() { alike $1 $2 || [ "$(sort $1)" = "$(sort $2)" ]; }
# llvm COMMAND OPTIONS...: the same bytes, status and messages. What is said and the rows of equal weight may come in any order.
llvm() {
    verb=$1
    shift
    llvm-profdata-19 $verb --sample "$@" >../llvm.out 2>../llvm.err </dev/null
    want=$?
    $T $verb --sample --llvm-compat "$@" >../out 2>../err </dev/null
    got=$?
    if [ $got -eq $want ] && { same_text ../err ../llvm.err || same_lines ../err ../llvm.err; } &&
       { alike ../out ../llvm.out || { [ -n "$any_order" ] && same_lines ../out ../llvm.out; }; }; then
        pass
    else
        fail "unlike LLVM (status $got, $want): $verb $*"
        diff ../out ../llvm.out | head -4
        diff ../err ../llvm.err | head -4
    fi
}
any_order=
for f in $(ls text/*.txt | some) conv/02-basic.bin conv/15-cs-probe.md5 conv/02-basic.ext hand/gcov.afdo compat/create_gcov.afdo $(ls quirks/*.txt | some); do
    llvm show $f
    llvm show --show-format=json $f
    llvm show --json --detailed-summary $f
    llvm show --function=main --detailed-summary $f
    llvm merge --text $f
    any_order=yes
    llvm show --hot-func-list --detailed-summary $f
    any_order=
done
any_order=yes
for f in text/0*.txt text/10-uniq.txt text/19-zero.txt; do
    for g in text/02-basic.txt text/08-huge.txt text/21-summary.txt; do llvm overlap --value-cutoff=0 $f $g; done
done
for f in text/1[4-7]*.txt; do llvm overlap --value-cutoff=0 $f $f; done
llvm overlap --profile-summary-hot-count=50 --value-cutoff=0 text/02-basic.txt text/03-nested-deep.txt
llvm overlap --profile-summary-cutoff-hot=500000 --value-cutoff=0 text/02-basic.txt text/03-nested-deep.txt
llvm overlap --profile-summary-hot-count=18446744073709551615 text/02-basic.txt text/03-nested-deep.txt
llvm overlap --similarity-cutoff=1000000 text/02-basic.txt ops/out/remap.text
llvm overlap ops/in/zero.txt ops/in/zero.txt
any_order=
llvm merge
llvm merge nonexistent
llvm merge /dev/null
llvm merge text/14-cs-line.txt text/01-minimal.txt
llvm merge text/01-minimal.txt text/12-probe-flat.txt
for f in text/01-minimal.txt text/12-probe-flat.txt text/14-cs-line.txt text/15-cs-probe.txt; do
    llvm-profdata-19 merge --sample --function=zzz $f -o ../nothing 2>/dev/null
    for g in text/01-minimal.txt text/12-probe-flat.txt text/14-cs-line.txt text/15-cs-probe.txt; do
        form=--extbinary
        case $g in text/14*) form=--text ;; esac      # the order of metadata is not decided
        llvm merge $form --failure-mode=warn $g ../nothing
        llvm merge $form ../nothing $g
    done
done
llvm merge --text --failure-mode=warn malformed/text/empty.txt text/02-basic.txt
llvm merge --text --failure-mode=all malformed/text/empty.txt malformed/bin/ext-compress-garbage.prof text/02-basic.txt
llvm merge --text --failure-mode=all malformed/text/empty.txt malformed/text/body-column0.txt text/02-basic.txt
llvm merge --text --failure-mode=all malformed/text/empty.txt
llvm merge --failure-mode=all malformed/text/dup-body-overflow.txt
for re in '(' '[' '*a' 'a{2' 'a{2,1}' '[b-a]' 'a\' '[[:x:]]'; do llvm merge --text "--function=$re" text/01-minimal.txt; done
for re in '?m' '?mangled@ms(' 'f[a' 'main$' '^' '.' 'a|b' '\(' '[[:digit:]]'; do
    llvm merge --text "--function=$re" text/09-names.txt
    llvm merge --text "--no-function=$re" text/15-cs-probe.txt
done
llvm merge --text --use-md5 --compress-all-sections --gen-partial-profile --prof-sym-list=ops/in/syms.list text/01-minimal.txt
llvm merge --text --prof-sym-list=nonexistent text/01-minimal.txt
llvm merge --text --input-files=nonexistent text/01-minimal.txt
llvm merge --text --input-files=ops/in/inputs.list --dump-input-file-list text ops/in/a.txt --weighted-input=7,ops/in/b.txt
llvm merge --text -r nonexistent text/01-minimal.txt
llvm merge --text -r text/01-minimal.txt text/01-minimal.txt
echo '# no more' >../comment.remap
for f in empty comment; do
    llvm merge --text -r ../$f.remap text/13-attr-only.txt
    llvm merge --text -r ../$f.remap text/15-cs-probe.txt
    llvm merge -r ../$f.remap ../pre.txt
done
llvm merge --text -r= text/13-attr-only.txt
llvm merge --text --output-size-limit=1 text/02-basic.txt
llvm merge --text --function=zzz --output-size-limit=100000 text/02-basic.txt
llvm merge --function=zzz --output-size-limit=1000 text/02-basic.txt
llvm merge --text --sample-trim-cold-context --profile-summary-cold-count=500 ../cold.txt
llvm merge --text --sample-trim-cold-context text/02-basic.txt
llvm merge --text --weighted-input=x text/02-basic.txt
llvm merge --text --weighted-input=0x2,text/02-basic.txt
llvm merge --text --weighted-input=2,nonexistent
llvm merge --text --weighted-input=2,
llvm merge --text --input-files= text/02-basic.txt
llvm merge --text ''
llvm merge --text -o /nonexistent/x text/01-minimal.txt
llvm merge --text -o /tmp text/01-minimal.txt
llvm merge -gcc text/01-minimal.txt
# raw binary cannot hold contexts or checksums: LLVM says so before it warns of anything else
$T merge --prof-sym-list=ops/in/syms.list text/15-cs-probe.txt -o ../listed-cs.ext
$T merge --prof-sym-list=ops/in/syms.list text/14-cs-line.txt -o ../listed-line.ext
$T merge --prof-sym-list=ops/in/syms.list text/12-probe-flat.txt -o ../listed-probe.ext
$T merge --prof-sym-list=ops/in/syms.list text/02-basic.txt -o ../listed.ext
for f in text/15-cs-probe.txt ../listed-cs.ext ../listed-line.ext ../listed-probe.ext ../listed.ext; do
    for o in "" --use-md5 --compress-all-sections --gen-partial-profile "--use-md5 --gen-partial-profile --compress-all-sections"; do
        llvm merge -binary $o $f
    done
done
llvm merge --text ops/in text/02-basic.txt
llvm merge --text text/02-basic.txt text/02-basic.txt text/03-nested-deep.txt conv/04-unsorted-dups.ext
llvm merge text/02-basic.txt --weighted-input=3,text/03-nested-deep.txt conv/04-unsorted-dups.ext ops/out/symlist.ext
printf 'foo:1000:3\n 1: 900\n !Attributes: 2\n' >../pre.txt
printf 'bar:100:3\n 1: 90\n 1.257: 9\n !Attributes: 1\n' >../plain.txt
printf 'baz:10:3\n 1: 9\n' >../none.txt
for f in pre plain none; do $T merge ../$f.txt -o ../$f.ext; $T merge --profile-isfs ../$f.txt -o ../$f.fs; done
$T merge --binary ../none.txt -o ../none.bin
for f in "pre.txt ../plain.txt" "plain.txt ../pre.txt" "plain.txt ../pre.ext" "pre.fs ../plain.txt" "none.fs ../none.bin" "none.fs ../none.ext" \
    "none.txt ../none.fs" "none.txt --profile-isfs" "none.bin --profile-isfs" "none.ext --profile-isfs" "none.bin ../none.fs --profile-isfs" \
    "plain.ext --profile-isfs --fs-discriminator-pass=Base" "plain.fs --profile-isfs --fs-discriminator-pass=Base"; do
    llvm merge ../$f
done
llvm merge --use-md5 text/02-basic.txt text/09-names.txt -j 4 --sparse --binary --extbinary
for limit in 400 600 900 1500 3000; do llvm merge --output-size-limit=$limit ops/in/many.txt; llvm merge --text --output-size-limit=$limit ops/in/many.txt; done
llvm show
llvm show nonexistent
llvm show - -o -
llvm show --json --function=foo $a
llvm show --all-functions --function=foo $a
llvm show --show-format=yaml $a
llvm show --show-sec-info-only $a
llvm show --show-sec-info-only conv/02-basic.bin
llvm show --show-prof-sym-list ops/out/symlist-merged.ext
llvm show --json --detailed-summary --show-prof-sym-list ops/out/symlist-merged.ext
llvm show --hot-func-list --detailed-summary hand/raw-no-functions.prof
llvm show --topn=0x2 --showcs --counts --covered --ic-targets --text ops/in/flat.txt
llvm show --profile-isfs --fs-discriminator-pass=Pass1 text/18-fs.txt
llvm show malformed/text/target-bad-count.txt
llvm overlap malformed/text/target-bad-count.txt $a
# what we write in GCC's form LLVM reads
$T merge --gcc --gcov-version=llvm text/02-basic.txt -o ../gcov
llvm merge --text ../gcov
finish
