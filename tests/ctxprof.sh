#!/bin/sh
# csspgo ctxprof: contextual profiles between bitstreams, YAML and dumps; merging; tables; what is
# refused; contextual profiles as inputs of other commands. Run in tests/.
B=build/ctxprof_tool
rm -rf $B
mkdir -p $B
. ./t.sh
D=data/contextual
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
# same WHAT FILE COMMAND...: the command's standard output is the file
same() {
    name=$1 want=$2
    shift 2
    if "$@" 2>$B/err </dev/null | cmp -s - $want && [ ! -s $B/err ]; then pass; else fail "$name"; head -3 $B/err; fi
}
# refused STATUS PATTERN ARGUMENT...: nothing on standard output
refused() {
    want=$1 pattern=$2
    shift 2
    $T ctxprof "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq $want ] && [ ! -s $B/out ] && finds "$pattern" $B/err; then pass; else fail "ctxprof $*: status $got"; head -3 $B/out $B/err; fi
}
# shows LINE ARGUMENT...
shows() {
    line=$1
    shift
    if $T ctxprof show "$@" | tr -s ' ' | grep -qx -e "$line"; then pass; else fail "ctxprof show $*: no '$line'"; fi
}

# ----- forms
same "YAML of version 4" $D/big.v4.yaml $T ctxprof to-yaml $D/big.v4.ctxp
check "version 4 of YAML" sh -c "$T ctxprof from-yaml $D/big.v4.yaml -o $B/big && [ \$(head -c 4 $B/big) = CTXP ]"
same "version 4 of YAML and back" $D/big.v4.yaml $T ctxprof to-yaml $B/big
same "version 1 stays as it is" $D/big.v1.ctxp $T ctxprof from-yaml --format=v1 $D/big.v1.ctxp
check "into files" sh -c "$T ctxprof to-yaml $D/app.v1.ctxp -o $B/app.yaml && $T ctxprof from-yaml $B/app.yaml --output=$B/app.ctxp"
same "a file and back" $B/app.yaml $T ctxprof to-yaml $B/app.ctxp
same "a pipe" $B/app.yaml sh -c "cat $B/app.ctxp | $T ctxprof to-yaml /dev/stdin"
cat >$B/order.yaml <<'END'

Contexts:
  - Guid:            1000
    TotalRootEntryCount: 5
    Counters:        [ 1, 2, 3 ]
    Callsites:
      - [  ]
      - - Guid:            2000
          Counters:        [ 4, 5 ]
        - Guid:            18446744073709551613
          Counters:        [ 6, 7, 8 ]
      - - Guid:            3000
          Counters:        [ 40, 50 ]
  - Guid:            18446744073709551612
    TotalRootEntryCount: 45
    Counters:        [ 5, 9, 10 ]
    Unhandled:
      - Guid:            555
        Counters:        [ 1, 2, 3 ]
      - Guid:            2000
        Counters:        [ 1, 2 ]
FlatProfiles:
  - Guid:            1234
    Counters:        [ 5, 6, 7 ]
  - Guid:            5555
    Counters:        [ 1 ]
END
check "the spelling of llvm-ctxprof-util" $T ctxprof fromYAML -input $B/order.yaml -output $B/order.ctxp
same "YAML as llvm-ctxprof-util prints it" $B/order.yaml $T ctxprof toYAML --input=$B/order.ctxp
refused 2 'one input only' toYAML --input=$B/order.ctxp $B/order.ctxp
# as llvm-ctxprof-util is called, its messages, wherever an input is wrong
util() {   # PATTERN ARGUMENT...
    pattern=$1
    shift
    for how in "$* -output $B/x" "$* --output=$B/x --llvm-compat=21"; do
        if $T ctxprof $how >$B/out 2>&1; then fail "$how: not refused"; else finds "$pattern" $B/out && pass || { fail "$how"; head -3 $B/out; }; fi
    done
}
printf -- '- f\n' >$B/list.yaml; printf 'Guid: 1\n' >$B/key.yaml; printf -- '- Guid: 1\n' >$B/old.yaml
printf 'Contexts:\n  - Guid: 5\n    Counters: [ 1 ]\n' >$B/entries.yaml
printf 'Contexts:\n  - Guid: 5\n    TotalRootEntryCount: 1\n' >$B/counters.yaml
printf 'Contexts:\n  - Guid: 5\n    TotalRootEntryCount: 1\n    Counters: [ 1 ]\n    Callsites:\n      - Guid: 6\n' >$B/site.yaml
printf 'FlatProfiles:\n  - Guid: 5\n' >$B/flat.yaml
util "Unknown subcommand 'x.yaml'" x.yaml
util "Unknown subcommand 'invert'" invert --input x.yaml
util "Unknown command line argument 'x.yaml'" fromYAML x.yaml
util "'$B/none.yaml': No such file or directory" fromYAML --input $B/none.yaml
util '^YAML:1:1: error: not a mapping' fromYAML --input $B/list.yaml
util "^YAML:1:1: error: unknown key 'Guid'" from-yaml --input $B/key.yaml
util '^YAML:1:1: error: not a mapping' fromYAML --input $B/old.yaml
util "^YAML:2:5: error: missing required key 'TotalRootEntryCount'" fromYAML --input $B/entries.yaml
util "^YAML:2:5: error: missing required key 'Counters'" fromYAML --input $B/counters.yaml
util '^YAML:6:9: error: not a sequence' fromYAML --input $B/site.yaml
util "^YAML:2:5: error: missing required key 'Counters'" fromYAML --input $B/flat.yaml
$T ctxprof fromYAML --input $B/order.yaml --output $B/nowhere/x >$B/out 2>&1
check "an output that cannot be" finds 'failed to open output' $B/out
check "our own spelling takes YAML of any release" $T ctxprof from-yaml $B/entries.yaml -o $B/x
printf -- '- Guid: 5\n  Counters: [ 1, 7 ]\n' >$B/old.yaml
for n in 19 20 21 22 23; do
    $T ctxprof fromYAML --llvm-compat=$n --input $B/old.yaml --output $B/x.$n 2>$B/out; status=$?
    case $n,$status in 19,0 | 20,0 | 2[123],1) pass ;; *) fail "YAML of LLVM 20 in $n: $status" ;; esac
done
$T ctxprof from-yaml --format=v20 $B/old.yaml -o $B/want; check "LLVM 20 writes its form" cmp $B/want $B/x.20
$T ctxprof from-yaml --format=v1 $B/old.yaml -o $B/want; check "LLVM 19 writes its form" cmp $B/want $B/x.19
for text in '' '\n# a comment\n' '%s\n...\n'; do
    printf "$text" --- >$B/blank.yaml
    check "a blank text" $T ctxprof from-yaml $B/blank.yaml -o $B/blank.ctxp
    [ "$($T ctxprof to-yaml $B/blank.ctxp)" = '{}' ] && pass || fail "a blank text: not empty"
done
refused 1 'the file is empty' to-yaml /dev/null
refused 1 'expected a version record' to-yaml -
$T ctxprof from-yaml --format=v20 $B/order.yaml -o $B/order.v20
sed -e 's/EntryCount: 5$/EntryCount: 1/' -e 's/EntryCount: 45/EntryCount: 5/' -e '/Unhandled/,$d' $B/order.yaml >$B/want.yaml
same "LLVM 20's form" $B/want.yaml $T ctxprof to-yaml $B/order.v20
if have llvm-bcanalyzer-19; then                      # the number of words of the blocks is from LLVM's own tests
    llvm-bcanalyzer-19 --dump $B/order.v20 >$B/dump
    [ "$(sed -n 's/.*<\([A-Z][a-z]*\) NumWords=\([0-9]*\).*/\1 \2/p' $B/dump | tr '\n' ',')" = \
      "Metadata 30,Context 20,Context 5,Context 3,Context 3,Context 4," ] && pass || { fail "words of LLVM 20"; cat $B/dump; }
    grep op0=-3 -A3 $B/dump | grep -q 'op0=6 op1=7' && pass || fail "order of callees"
    llvm-bcanalyzer-19 --dump $B/order.ctxp >$B/dump
    [ "$(sed -n 's/.*<GUID op0=\([-0-9]*\).*/\1/p' $B/dump | tr '\n' ,)" = 1000,-3,2000,3000,-4,2000,555,1234,5555, ] &&
        pass || { fail "order of version 4"; cat $B/dump; }
else skip "ctxprof: no llvm-bcanalyzer-19"; fi
check "a dump" sh -c "$T ctxprof to-yaml ../fuzz/corpus/ctxprof/shards.dump | grep -q 'TotalRootEntryCount: 7'"
check "a dump: trees of one root add up" sh -c "$T ctxprof to-yaml ../fuzz/corpus/ctxprof/shards.dump | grep -q 'Counters:        \[ 18 \]'"

# ----- merging, tables
check "merge" $T ctxprof merge $D/big.v4.ctxp $D/app.v1.ctxp -o $B/both.ctxp
check "merge the other way round" $T ctxprof merge $D/app.v1.ctxp $D/big.v4.ctxp -o $B/other.ctxp
same "the order of inputs does not matter" $B/both.ctxp cat $B/other.ctxp
check "merge with itself" $T ctxprof merge $B/app.ctxp $B/app.ctxp --format=yaml -o $B/twice.yaml
shows "roots: 1" $B/app.ctxp
shows "largest counter: $($T ctxprof show $B/app.ctxp | awk '/^largest counter/ { print 2 * $3 }')" $B/twice.yaml
shows "contexts: $($T ctxprof show $D/big.v4.ctxp $D/app.v1.ctxp | awk '/^contexts/ { print $2 }')" $B/both.ctxp

# ----- refused
refused 2 "to-yaml, from-yaml, merge or show" 
refused 2 "did you mean 'to-yaml'" to-yam $B/app.ctxp
refused 2 "no input" to-yaml
refused 2 "one input only" to-yaml $B/app.ctxp $B/app.yaml
refused 2 "none of v4" from-yaml --format=v5 $B/app.yaml
refused 2 "is the same file as input" from-yaml $B/app.yaml -o $B/app.yaml
refused 1 "No such file" show $B/none
refused 1 "stands twice" to-yaml $D/e_dupcallee.ctxp
check "duplicates are merged on request" sh -c "$T ctxprof to-yaml --merge-duplicates $D/e_dupcallee.ctxp >$B/out"
printf 'Contexts:\n  - Guid: 1\n    Counters: [ x ]\n' >$B/bad.yaml
refused 1 "bad.yaml:3:17: " from-yaml $B/bad.yaml
cp $B/app.ctxp $B/kept
refused 1 "bad.yaml:3" from-yaml $B/bad.yaml -o $B/kept
check "a failure leaves the output as it was" cmp $B/kept $B/app.ctxp
check "no temporary file is left" sh -c "! ls -a $B | grep -q '^\.csspgo-'"

# ----- as inputs of other commands
grep -v '^#' $D/names.txt | awk '{ print $2 }' >$B/names
N=--names=$B/names
same "merge: into a profile of samples" $D/app.cs.prof $T merge --text $N $D/app.v1.ctxp
$T show $D/app.cs.prof >$B/shown
same "show: the same as of that profile" $B/shown $T show $N $D/app.v1.ctxp
check "GUIDs are names where none is known" sh -c "$T show $D/app.v1.ctxp | grep -q '^Function: 8657661246551306189: 46, 1, 6 sampled lines'"
for c in folded "flame --title=app"; do
    $T $c $D/app.cs.prof >$B/want 2>$B/err
    check "$c: the same" sh -c "$T $c $N $D/app.v1.ctxp 2>/dev/null | cmp - $B/want"
done
check "folded: GUIDs, a pipe" sh -c "cat $D/app.v1.ctxp | $T folded - 2>/dev/null | grep -qx '0x78263108925b2fcd;0x3cfe43d709473822 42'"
# without conversion: what is made of the nodes and counters is what is made of the profile that they become
cat >$B/kinds.yaml <<'END'
Contexts: [ { Guid: 1, TotalRootEntryCount: 3, Counters: [ 2, 7 ], Unhandled: [ { Guid: 2, Counters: [ 5 ] }, { Guid: 1, Counters: [ 4, 1 ] } ],
      Callsites: [ [ ], [ { Guid: 3, Counters: [ 0 ] }, { Guid: 2, Counters: [ 6 ] } ] ] },
    { Guid: 4, TotalRootEntryCount: 18446744073709551615, Counters: [ 18446744073709551615, 3 ], Unhandled: [ { Guid: 2, Counters: [ 1 ] } ] } ]
FlatProfiles: [ { Guid: 2, Counters: [ 8 ] }, { Guid: 5, Counters: [ 0, 0 ] }, { Guid: 4, Counters: [ 1, 1 ] } ]
END
for f in $D/app.v1.ctxp $D/big.v1.ctxp $D/big.v4.yaml ../fuzz/corpus/ctxprof/shards.dump ../fuzz/corpus/ctxprof/others.dump $B/kinds.yaml; do
    mkdir -p $B/converted
    as=$B/converted/${f##*/}
    $T merge --extbinary --quiet -o $as $N $f || fail "$f as a profile"
    for c in "folded" "folded --json" "flame --json" "flame"; do
        $T $c $N $as >$B/want 2>$B/want.err
        check "$c of $f" sh -c "$T $c $N $f 2>$B/err | cmp - $B/want && cmp $B/err $B/want.err"
    done
done
awk 'BEGIN { printf "Contexts: [ "; for (i = 1; i < 3000; i++) printf "{ Guid: %d, Counters: [ 1 ], Callsites: [ [ ", i
             printf "{ Guid: 3000, Counters: [ 5 ] }"; for (i = 1; i < 3000; i++) printf " ] ] }"; print " ]" }' >$B/deep.yaml
check "deeper than a profile may be" sh -c "$T folded $B/deep.yaml 2>/dev/null | grep -q ';0x0000000000000bb8 5\$'"
for f in big.v1.ctxp big.v4.ctxp big.v4.yaml; do
    check "show takes $f" sh -c "$T show $N --contexts $D/$f | grep -q ' 4 @ dispatch\$'"
done
check "show takes a dump" sh -c "$T show ../fuzz/corpus/ctxprof/shards.dump | grep -q '^Function: .*: [0-9]*, 18,'"
# overlap: that of the profiles that both become, with all rows; those with equal counts are ordered by names or GUIDs
pair() {
    base=$1 test=$2
    shift 2
    $T overlap $N "$@" $base $test 2>$B/pair.err | sort | sed '/base_profile\|"base":\|"test":/d'
}
for both in "app.v1.ctxp app.v1.ctxp" "big.v4.yaml big.v1.ctxp" "big.v4.yaml kinds.yaml" "kinds.yaml shards.dump"; do
    set -- $both
    for how in --value-cutoff=0 --json --quality; do
        a=$D/$1 b=$D/$2
        [ -e $a ] || a=$B/$1
        [ -e $b ] || b=$B/$2
        [ -e $b ] || b=../fuzz/corpus/ctxprof/$2
        pair $B/converted/$1 $B/converted/$2 $how >$B/want
        pair $a $b $how >$B/out
        check "overlap $how: $both" sh -c "test -s $B/want && cmp $B/out $B/want"
    done
done
check "overlap of a profile and itself" sh -c "$T overlap $D/big.v1.ctxp $D/big.v4.yaml | grep -q 'profile similarity: 9'"
# names come from the other input, whichever of the two is contextual; counters of a text look like source lines
for pair in "$D/app.v1.ctxp $D/app.cs.prof" "$D/app.cs.prof $D/app.v1.ctxp"; do
    $T overlap $pair >$B/out 2>$B/err
    check "overlap: $pair" sh -c "grep -q 'similarity: 100.000%' $B/out && grep -q 'sample overlap: 100.000%' $B/out && grep -q 'warning.* by source lines' $B/err"
    check "merge --mix=add: $pair" sh -c "$T merge --mix=add --text $pair 2>$B/err | grep -qx '\[theRoot:4 @ mid:3 @ leaf\]:30:20' && grep -q 'warning.*by counters' $B/err"
    check "merge: exact counts in place of samples: $pair" sh -c "$T merge --text $pair 2>$B/err | cmp - $D/app.cs.prof && grep -q 'worth 1 exact .*both: 9' $B/err"
done
check "merge: weights" sh -c "$T merge --text $N --weighted-input=3,$D/app.v1.ctxp $D/app.v1.ctxp | grep -qx '\[theRoot\]:184:4'"
check "merge: names of several" sh -c "$T merge $N --text $D/app.v1.ctxp $D/big.v1.ctxp >$B/out && grep -q '^\[theRoot\]:46:1' $B/out && grep -q '^\[render\]:' $B/out"

# contextual outputs: by name or on request
check "merge into *.ctxprof" sh -c "$T merge $D/big.v4.ctxp $D/app.v1.ctxp -o $B/by_name.ctxprof && cmp $B/by_name.ctxprof $B/both.ctxp"
same "merge --ctxprof" $B/both.ctxp $T merge --ctxprof $D/app.v1.ctxp $D/big.v4.ctxp
check "a form that is asked for counts" sh -c "$T merge --text $N $D/app.v1.ctxp -o $B/text.ctxprof && cmp $B/text.ctxprof $D/app.cs.prof"
echo 'theRoot leaf' >$B/renames
printf 'theRoot:5:1\n 1: 5\n' >$B/flat.prof
# mismerged STATUS PATTERN ARGUMENT...: merge fails so
mismerged() {
    want=$1 pattern=$2
    shift 2
    $T merge "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq $want ] && [ ! -s $B/out ] && finds "$pattern" $B/err; then pass; else fail "merge $*: status $got"; head -3 $B/out $B/err; fi
}
mismerged 2 "a weight of a contextual profile needs --mix=add" --weighted-input=2,$D/app.v1.ctxp $D/app.cs.prof
mismerged 2 "remapping-file beside contextual profiles needs" --remapping-file=$B/renames $D/app.v1.ctxp $D/app.cs.prof
mismerged 1 "no context has exact and sampled counts.*see --mix=add" $D/big.v1.ctxp $D/app.cs.prof
mismerged 1 "cannot be merged with .*flat.prof: only the former has" $D/app.v1.ctxp $B/flat.prof
mismerged 1 "app.cs.prof is no contextual profile" --ctxprof $D/app.v1.ctxp $D/app.cs.prof
check "or left out" sh -c "$T ctxprof merge $D/app.v1.ctxp >$B/alone && $T merge --failure-mode=all --ctxprof $D/app.v1.ctxp $D/app.cs.prof 2>$B/err | cmp - $B/alone && grep -q 'left out' $B/err"
mismerged 2 "function does not go with a contextual output" --ctxprof --function=leaf $D/app.v1.ctxp
mismerged 2 "a weight does not go with" --ctxprof --weighted-input=2,$D/app.v1.ctxp
mismerged 1 "e_dupcallee.ctxp: byte .*stands twice" --ctxprof $D/e_dupcallee.ctxp
mismerged 1 "e_dupcallee.ctxp: byte .*stands twice" --text $D/e_dupcallee.ctxp
mismerged 1 "bad.yaml:3:17: " --text $B/bad.yaml
mismerged 3 "the profile is empty" --ctxprof -o $B/empty.ctxprof $D/e_empty.ctxp
mismerged 1 "No such file" --names=$B/none $D/app.v1.ctxp
mismerged 1 "not an ELF\|ELF" --profiled-binary=$D/names.txt $D/app.v1.ctxp

# A program with probes tells checksums, and which numbers blocks and calls have, if there is a counter for each block.
# The last function has not.
E=../examples/data/demo.elf
guid() { printf %s $1 | md5sum | cut -c1-16 | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/0x\8\7\6\5\4\3\2\1/'; }
if have md5sum; then
cat >$B/demo.yaml <<DEMO
Contexts:
  - Guid: $(guid main)
    Counters: [ 2, 10, 9, 1, 1 ]
    Callsites:
      - - Guid: $(guid price_orders)
          Counters: [ 10, 100, 90, 10, 10 ]
          Callsites:
            - - Guid: 77
                Counters: [ 90 ]
      - [ ]
      - - Guid: $(guid pack_text)
          Counters: [ 10, 20 ]
DEMO
cat >$B/demo.want <<'DEMO'
[main:4 @ price_orders]:310:10
 1: 10
 2: 100
 3: 90
 4: 90 77:90
 5: 10
 6: 10
 !CFGChecksum: 281561395676419
[main:4 @ price_orders:4 @ 77]:90:90
 1: 90
 !CFGChecksum: 0
[main]:43:2
 1: 2
 2: 10
 3: 9
 4: 10 price_orders:10
 6: 10 pack_text:10
 10: 1
 11: 1
 !CFGChecksum: 1970412237346369
[main:6 @ pack_text]:30:10
 1: 10
 2: 20
 !CFGChecksum: 0
DEMO
$T merge --text --profiled-binary=$E $B/demo.yaml >$B/demo.prof 2>$B/err
check "a program with probes" cmp $B/demo.prof $B/demo.want
check "counters that are not its blocks'" finds "warning: .*one for each block of the binary: 1;" $B/err
cat >$B/sampled.prof <<'DEMO'
[main:5 @ pack_noise]:2:1
 1: 1
 2: 1
 !CFGChecksum: 7
[main:4 @ price_orders]:3:1
 1: 1
 2: 2
 !CFGChecksum: 281561395676419
DEMO
check "samples by probes added to it" sh -c "$T merge --mix=add --text --quiet --profiled-binary=$E $B/demo.yaml $B/sampled.prof | grep -qx '\[main:4 @ price_orders\]:313:11'"
$T merge --text --profiled-binary=$E $B/sampled.prof $B/demo.yaml >$B/out 2>$B/err
check "samples by probes beside it" sh -c "grep -qx '\[main:4 @ price_orders\]:310:10' $B/out && grep -qx '\[main:5 @ pack_noise\]:[0-9]*:[0-9]*' $B/out"
check "what became of them" finds 'exact counts: 4, with samples: 1; a sample is worth 36.67 exact counts, by contexts that had both: 1$' $B/err
mismerged 1 "one is by counters, the other by probes; see --profiled-binary" --text $B/demo.yaml $B/sampled.prof
check "overlap with them" sh -c "$T overlap --quality --profiled-binary=$E $B/demo.yaml $B/sampled.prof 2>/dev/null | grep -q 'blocks of contexts'"
check "overlap without the program" sh -c "! $T overlap $B/demo.yaml $B/sampled.prof 2>$B/err && grep -q 'by counters with one by probes' $B/err"
# annotate: what it makes of the counters is what it makes of the profile that they become
for f in main price_orders; do
    $T annotate --json --binary=$E --function=$f $B/demo.prof >$B/want 2>$B/want.err
    want=$?
    $T annotate --json --quiet --binary=$E --function=$f $B/demo.yaml >$B/out 2>$B/err
    [ $? -eq $want ] && check "annotate: $f" cmp $B/out $B/want || fail "annotate: $f: $(head -2 $B/err)"
done
check "annotate counts the blocks" sh -c "$T annotate --json --quiet --binary=$E --function=price_orders $B/demo.yaml | grep -q '\[ *90, *90 *\]'"
# unmapped STATUS PATTERN ARGUMENT...: annotate does not know where the counters are, and says why
unmapped() {
    want=$1 pattern=$2
    shift 2
    $T annotate --quiet "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq $want ] && [ ! -s $B/out ] && finds "$pattern" $B/err; then pass; else fail "annotate $*: status $got"; head -3 $B/out $B/err; fi
}
unmapped 1 "'pack_text' has other counters than one for each block.*csspgo flame" --binary=$E --function=pack_text $B/demo.yaml
unmapped 1 "no function 'theRoot'" --binary=$E --function=theRoot $B/demo.yaml
echo 'int main(void) { return 0; }' >$B/bare.c
if ${CC:-cc} -g -o $B/bare $B/bare.c 2>$B/err; then
    unmapped 1 "a program with pseudo probes, and a counter for each of its blocks" --binary=$B/bare --function=main $B/demo.yaml
else fail "$(cat $B/err)"; fi
unmapped 1 "e_dupcallee.ctxp: byte .*stands twice" --binary=$E --function=main $D/e_dupcallee.ctxp
unmapped 1 "not an ELF\|ELF" --binary=$D/names.txt --function=main $B/demo.yaml
check "folded: names of the program" sh -c "$T folded --binary=$E $B/demo.yaml 2>/dev/null | grep -qx 'main;price_orders;0x000000000000004d 90'"
else skip "a program with probes: no md5sum"; fi

# ----- as LLVM 19's tool: it knows no such file
if have llvm-profdata-19; then
    for f in app.v1.ctxp big.v4.ctxp big.v4.yaml; do
        for c in show "merge -o -" "overlap $D/app.cs.prof"; do
            $T $c --llvm-compat $D/$f >$B/out 2>$B/err
            got=$?
            llvm-profdata-19 ${c%% *} --sample $(echo "$c" | sed 's/^[a-z]*//') $D/$f >$B/want 2>$B/want.err
            want=$?
            if [ $got -eq $want ] && cmp -s $B/out $B/want && cmp -s $B/err $B/want.err; then pass; else fail "--llvm-compat $c $f: $got, not $want"; head -3 $B/err $B/want.err; fi
        done
    done
else skip "LLVM's tool on contextual profiles: no llvm-profdata-19"; fi
finish
