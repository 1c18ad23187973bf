#!/bin/sh
# What `csspgo profgen` makes of recordings in which some samples have a call stack and others have none: the same in any
# order and spread over any files. Without any stack there are no contexts. Run in tests/.
. ./t.sh
B=build/mixed
rm -rf $B
mkdir -p $B
TOOL=build/plain/csspgo
make -s $TOOL || { fail "the tool does not build"; finish; }
BINARY=data/unwind/bin/demo.probe
head -1 data/recordings/plain.ps >$B/map

# stacks N, bare N: N samples with a call stack, and without
stacks() { for i in $(seq $1); do printf '\t          401159\n\t          40118e\n 0x401171/0x401159/P/-/-/0  0x40116c/0x401150/P/-/-/0 \n\n'; done; }
bare() { for i in $(seq $1); do printf ' 0x401171/0x401159/P/-/-/0  0x40116c/0x401150/P/-/-/0 \n\n'; done; }
script() { cat $B/map - >$B/$1.ps; }
{ stacks 5; } | script stacks
{ bare 4; } | script bare
{ bare 4; stacks 5; } | script first
{ stacks 5; bare 4; } | script last
{ stacks 2; bare 4; stacks 3; } | script middle
{ bare 1; stacks 1; bare 1; stacks 4; bare 2; } | script both

# profile OUTPUT OPTIONS...
profile() {
    out=$B/$1
    shift
    $TOOL profgen --binary=$BINARY --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0 "$@" -o $out --format=text 2>$out.err
}
equal() { if [ -s $2 ] && cmp -s $2 $3; then pass; else fail "$1"; diff $2 $3 | head -4; fi; }

# any order is the same profile, with contexts; the report says how many samples have none
for order in first last middle both; do
    profile $order --perfscript=$B/$order.ps --report=$B/$order.json || fail "$order: status $?"
    equal "order: $order" $B/first $B/$order
    check "$order: contexts" grep -q '^\[.* @ ' $B/$order
    check "$order: contextless" grep -q '^\[leaf\]' $B/$order
    check "$order: said" grep -q '44.44% (4/9) samples have no call stack: they count without a context' $B/$order.err
    check "$order: report" grep -q '"no_stack": 4' $B/$order.json
    check "$order: used" grep -q '"read": 9, "used": 9' $B/$order.json
done

# also spread over files, and out of raw counters of each
profile two --perfscript=$B/bare.ps --perfscript=$B/stacks.ps || fail "two files: status $?"
equal "two files" $B/first $B/two
profile turned --perfscript=$B/stacks.ps --perfscript=$B/bare.ps || fail "two files, turned: status $?"
equal "two files, turned" $B/first $B/turned
for part in bare stacks; do profile $part.raw --perfscript=$B/$part.ps --skip-symbolization || fail "raw $part"; done
cat $B/bare.raw $B/stacks.raw >$B/both.raw
cat $B/stacks.raw $B/bare.raw >$B/turned.raw
for raw in both turned; do
    profile $raw.unsym --unsymbolized-profile=$B/$raw.raw || fail "raw counters: $raw"
    equal "raw counters: $raw" $B/first $B/$raw.unsym
done

# no stack at all: no contexts, as with --ignore-stack-samples; LLVM's form
profile bare --perfscript=$B/bare.ps || fail "bare: status $?"
check "bare: no contexts" sh -c "! grep -q '^\[' $B/bare"
check "bare: said" grep -q 'there are no call stacks: the profile is without contexts' $B/bare.err
profile ignored --perfscript=$B/bare.ps --ignore-stack-samples || fail "ignored: status $?"
equal "ignored" $B/bare $B/ignored
profile none --perfscript=$B/both.ps --ignore-stack-samples || fail "ignored among stacks: status $?"
check "ignored among stacks: no contexts" sh -c "! grep -q '^\[' $B/none"

# compat mode: the bytes of llvm-profgen, which goes by the first sample of a file
if have llvm-profgen-19; then
    for part in bare stacks first last middle both; do
        llvm-profgen-19 --binary=$BINARY --perfscript=$B/$part.ps --format=text -o $B/$part.llvm >/dev/null 2>&1
        want=$?
        $TOOL profgen --llvm-compat --binary=$BINARY --perfscript=$B/$part.ps --format=text -o $B/$part.compat >/dev/null 2>&1
        got=$?
        if [ $want -eq $got ]; then pass; else fail "compat, $part: status $got, not $want"; fi
        [ $want -ne 0 ] || equal "compat, $part" $B/$part.llvm $B/$part.compat
    done
else
    skip "mixed: llvm-profgen-19 is not installed"
fi
finish
