#!/bin/sh
# JSON of every command: one valid document each, as examples/tool/schema.json has it. Run in tests/.
cd "$(dirname "$0")" || exit 1
. ./t.sh
make -s build/plain/csspgo || exit 1
T=$(pwd)/build/plain/csspgo B=build/json D=../examples/data V=data/views S=../examples/tool/schema.json
rm -rf $B
mkdir -p $B
demo="--binary=$D/demo.elf --perfscript=$D/demo.perfscript"

# ----- every command has it
for c in $($T help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | grep -v -e '^help$' -e '^version$' -e '^inputs$'); do
    $T help $c | grep -q -e '^  --json' && pass || fail "$c has no --json"
    grep -q "\"$c\": {" $S && pass || fail "the schema has no $c"
done

# ----- what each prints
# doc NAME ARGUMENTS...: standard output of the tool is a document of the definition NAME (up to a dot)
docs=
doc() {
    name=$1
    shift
    $T "$@" >$B/$name.json 2>$B/err </dev/null || fail "csspgo $*: status $?, $(head -2 $B/err)"
    docs="$docs $name=$B/$name.json"
}
# refused TEXT ARGUMENTS...: status 2, nothing on standard output
refused() {
    text=$1
    shift
    $T "$@" >$B/out 2>$B/err </dev/null
    [ $? -eq 2 ] && [ ! -s $B/out ] && finds "$text" $B/err && pass || fail "csspgo $*: $(head -2 $B/err)"
}
doc profgen profgen $demo -o $B/demo.prof --json
$T profgen --quiet $demo --report=$B/report -o $B/demo2.prof && cmp -s $B/report $B/profgen.json && pass || fail "--report is not what --json prints"
$T profgen --quiet $demo --skip-symbolization -o $B/raw
$T profgen --quiet $demo --format=preagg -o $B/lines
doc profgen_counts profgen --binary=$D/demo.elf --unsymbolized-profile=$B/raw --json -o $B/got
doc profgen_counts.preagg profgen --binary=$D/demo.elf --preagg=$B/lines --json -o $B/got
doc profgen_counts.lines profgen --binary=$D/demo.elf --preagg=$B/lines --format=preagg --json -o $B/got
doc profgen_counts.samples profgen $demo --format=preagg --json -o $B/got
doc profgen_counts.jit profgen --jitdump=data/jit/small.dump --perfdata=data/jit/small.data --json -o $B/got
doc profgen_counts.map profgen --perf-map=data/jit/perf-2000.map --perfdata=data/jit/small.data --json -o $B/got
doc profgen_counts.profile profgen --binary=$D/demo.elf --llvm-sample-profile=$B/demo.prof --json -o $B/got
# counted NAME LINE...: these are in the document
counted() {
    name=$1
    shift
    for line; do grep -q -x -e "$line" $B/profgen_counts$name.json && pass || fail "$name: no '$line': $(cat $B/profgen_counts$name.json)"; done
}
counted '' '  "input": "counters",' "  \"read\": { \"contexts\": $(grep -c '^\[' $B/raw), \"ranges\": $(grep -c '^ *[0-9a-f]*-[0-9a-f]' $B/raw), \"branches\": $(grep -c -e '->' $B/raw) },"
counted .preagg "  \"read\": { \"lines\": $(wc -l <$B/lines) }," '  "dropped": { "reversed": 0, "not_in_program": [1-9][0-9]*, "across_branches": 0 },'
counted .lines "  \"read\": { \"lines\": $(wc -l <$B/lines) }," '  "dropped": { "reversed": 0 }'
counted .samples "  \"read\": { \"samples\": 157, \"branches\": [1-9][0-9]* },"
counted .jit '  "read": { "samples": 12, "functions": 5 },' '  "dropped": { "lost": 0, "not_in_jit": 4, "ambiguous": 0 }'
counted .profile '  "read": { "functions": [1-9][0-9]*, "records": [1-9][0-9]*, "samples": [1-9][0-9]* },' '  "dropped": {}'
$T profgen --quiet --jitdump=data/jit/small.dump --perfdata=data/jit/small.data --report=$B/report -o $B/got && cmp -s $B/report $B/profgen_counts.jit.json && pass || fail "--report of a JIT's code"
$T profgen --quiet $demo --format=text --csspgo-preinliner=0 --gen-cs-nested-profile=0 --csprof-merge-cold-context=0 -o $B/contexts.prof
doc merge merge --json $V/cs.txt $V/cs.ext -o $B/sum.prof
doc merge.contextual merge --json data/contextual/app.v1.ctxp -o $B/sum.ctxprof
grep -q '"functions": 6' $B/merge.json && grep -q '"samples": 1000' $B/merge.json && pass || fail "$(cat $B/merge.json)"
doc show show --json $B/demo.prof
doc show.one show --json --function=foo $V/cs.txt
doc show.nested show --json $V/nested.txt
doc show.least show --json --function=less $V/nested.txt
doc show.both show --json --function=less --detailed-summary --hot-func-list $V/nested.txt
doc show.whole show --json --detailed-summary --hot-func-list $V/nested.txt
{ printf '{\n  "functions": '; sed '$s/]/],/' $B/show.least.json; sed -n '/^  "summary"/,$p' $B/show.whole.json; } >$B/want
check "one function and the summary of all" cmp $B/want $B/show.both.json
$T show --json --function=more --detailed-summary $V/nested.txt >$B/out 2>$B/err && fail "a function without a record" || pass
check "nothing is printed of a function without a record" test ! -s $B/out
doc show.all_only show --json --function=more --summary $V/nested.txt
doc show.hostile show --json $V/hostile.txt
doc show.all show --json --detailed-summary --hot-func-list --show-prof-sym-list $V/cs.ext
doc show.summary show --json --summary $V/cs.ext
doc show.top show --json --top=2 $V/cs.ext
doc show_contexts show --json --contexts $B/contexts.prof
doc show_contexts.all show --json --contexts=2 --topn=3 --detailed-summary --show-prof-sym-list $B/contexts.prof
doc show_sections show --json --show-sec-info-only $V/cs.ext
doc overlap overlap --json --value-cutoff=1 $V/cs.txt $V/cs.ext
printf '[a]:0:0\n !CFGChecksum: 1\n' >$B/empty.prof
doc overlap.empty overlap --json --allow-empty $V/cs.txt $B/empty.prof
doc overlap_quality overlap --json --quality $V/cs.txt $V/cs.ext
doc folded folded --json $V/cs.txt
doc folded.hostile folded --json --mark-inlined $V/hostile.txt
doc speedscope folded --format=speedscope $V/nested.txt
doc flame flame --json $V/cs.txt
doc flame.hostile flame --json $V/hostile.txt
doc match match --json --old-profile=$B/demo.prof --binary=$D/demo.elf
doc match.out match --json --old-profile=$B/demo.prof --binary=$D/demo.elf -o $B/matched.prof
sed 's/pack_noise/noise_pack/' $B/contexts.prof | $T merge - -o $B/other.prof
doc match.lost match --json --old-profile=$B/other.prof --binary=$D/demo.elf
doc check check --json --binary=$D/demo.elf $B/other.prof
doc order order --json data/temporal/basic.in.proftext
doc order.evaluate order --json --evaluate data/temporal/basic.in.proftext
doc ctxprof ctxprof show --json data/contextual/big.v4.ctxp
doc ctxprof.merge ctxprof merge --json data/contextual/app.v1.ctxp -o $B/merged.ctxprof
doc annotate annotate --json --binary=$D/demo.elf --function=pack_noise $B/contexts.prof
doc annotate.top annotate --json --top=2 --binary=$D/demo.elf $B/contexts.prof
doc record record --json --exact -o $B/true.perfscript -- /bin/echo what the program says
doc record.first record --json --first -o $B/first.trace -- /bin/echo what the program says
finds 'what the program says' $B/err && pass || fail "what the program prints is not on standard error"
if have llvm-mca-19 && have llvm-mc-19 && have llvm-objdump-19; then
    doc bottleneck bottleneck --json --binary=$D/demo.elf --profile=$B/contexts.prof --top=2
else skip "no llvm-mca-19: no JSON of bottleneck"; fi
refused 'says where the profile goes' merge --json $V/cs.txt
refused 'says where the profile goes' profgen $demo --json -o -
refused 'says where the profile goes' match --json --old-profile=$B/demo.prof --binary=$D/demo.elf -o -
refused 'says where the recording goes' record --json -- /bin/true
$T profgen --llvm-compat $demo --json -o $B/got >$B/out 2>$B/err
[ $? -eq 1 ] && [ ! -s $B/out ] && finds 'json does not go with --llvm-compat' $B/err && pass || fail "compat and JSON: $(cat $B/err)"
refused 'show-density prints to standard output, too' profgen $demo --show-density --json -o $B/got
# instead of functions, as text
$T show --top=2 $V/cs.txt >$B/out && [ "$(grep -c '^ [0-9]' $B/out)" -eq 2 ] && ! grep -q '^Function:' $B/out && pass || fail "show --top: $(cat $B/out)"
$T show --summary $V/cs.txt >$B/out && [ "$(head -1 $B/out)" = "Total functions: 6" ] && pass || fail "show --summary: $(cat $B/out)"

# ----- a validator of ours, and another one where there is one
if have perl && perl -MJSON::PP -MMath::BigInt -e 1 2>$B/err; then
    perl json_schema.pl $S $docs >$B/checks 2>$B/err || fail "json_schema.pl: $(head -3 $B/err)"
    [ "$(wc -l <$B/checks)" -eq "$(echo $docs | wc -w)" ] && pass || fail "not all were looked at"
    while read -r line; do
        case $line in ok*) pass ;; *) fail "$line" ;; esac
    done <$B/checks
    # it can fail: text behind the document, another member, one missing, another type, too small
    { cat $B/merge.json; echo text; } >$B/bad1
    sed 's/"inputs"/"input"/' $B/merge.json >$B/bad2
    grep -v '"inputs"' $B/merge.json >$B/bad3
    sed 's/"inputs": 2/"inputs": "2"/' $B/merge.json >$B/bad4
    sed 's/"inputs": 2/"inputs": -2/' $B/merge.json >$B/bad5
    perl json_schema.pl $S merge.1=$B/bad1 merge.2=$B/bad2 merge.3=$B/bad3 merge.4=$B/bad4 merge.5=$B/bad5 >$B/out
    [ "$(grep -c '^not ok' $B/out)" -eq 5 ] && pass || fail "what does not fit is taken: $(cat $B/out)"
else skip "perl has no JSON::PP: nothing looks at the documents"; fi
if have python3 && python3 -c 'import jsonschema' 2>$B/err; then
    cat >$B/validate.py <<'END'
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
for arg in sys.argv[2:]:
    name, path = arg.split('=', 1)
    part = {'definitions': schema['definitions'], 'allOf': [{'$ref': '#/definitions/' + name.split('.')[0]}]}
    jsonschema.Draft7Validator(part).validate(json.load(open(path)))
END
    check "python3's jsonschema" python3 $B/validate.py $S $docs
fi
# no definition that nothing was looked at for
for name in $(sed -n 's/^    "\([a-z_]*\)": {.*/\1/p' $S | grep -v -x -e count -e counts -e loss -e loss_unit -e function -e summary -e hot -e bottleneck); do
    case "$docs " in *" $name="*) pass ;; *) fail "no document of $name was looked at" ;; esac
done
finish
