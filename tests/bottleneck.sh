#!/bin/sh
# csspgo bottleneck: what binds the hottest blocks of a sampled program, and that contexts in which a loop has few
# iterations get another verdict than those in which it has many. Needs llvm-mca-19. Run in tests/.
B=build/bottleneck
rm -rf $B
mkdir -p $B
. ./t.sh
export XDG_CACHE_HOME="$PWD/$B/cache"
T=${TOOL:-build/plain/csspgo}
[ -x $T ] && [ -n "$TOOL" ] || make -s $T || { fail "the tool does not build"; finish; }
D=../examples/data
# refused STATUS PATTERN ARGUMENT...: nothing on standard output
refused() {
    want=$1 pattern=$2
    shift 2
    $T bottleneck "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq $want ] && [ ! -s $B/out ] && finds "$pattern" $B/err; then pass; else fail "bottleneck $*: status $got"; head -3 $B/out $B/err; fi
}
# says PATTERN: a line of the report
says() { if grep -q -e "$1" $B/out; then pass; else fail "no line '$1'"; head -20 $B/out; fi; }

$T profgen --quiet --binary=$D/demo.elf --perfscript=$D/demo.perfscript --format=text --csspgo-preinliner=0 \
    --gen-cs-nested-profile=0 --csprof-merge-cold-context=0 --output=$B/demo.prof || fail "profgen"

# ----- what is refused
sed -n '/^.main:9 @ pack_noise/,/CFG/p' $B/demo.prof >$B/counts
sed 's/CFGChecksum: .*/CFGChecksum: 1/' $B/counts >$B/stale
printf 'main:10:1\n 1: 10\n' >$B/lines
printf '[nobody]:10:1\n 1: 10\n !CFGChecksum: 1\n' >$B/others
refused 2 'which program'
refused 2 'which profile' --binary=$D/demo.elf
refused 2 'top: 0 is out of range' --binary=$D/demo.elf --profile=$B/counts --top=0
refused 2 'named by options' --binary=$D/demo.elf --profile=$B/counts x
refused 2 'is the same file as input' --binary=$D/demo.elf --profile=$B/counts -o $B/counts
refused 1 'No such file' --binary=$D/demo.elf --profile=$B/none
refused 1 'No such file' --binary=$B/none --profile=$B/counts
refused 1 'a profile by lines' --binary=$D/demo.elf --profile=$B/lines
refused 3 'contexts left out, because their functions have another control flow' --binary=$D/demo.elf --profile=$B/stale
refused 3 'no block of .* has a count' --binary=$D/demo.elf --profile=$B/others
PATH=$B $T bottleneck --binary=$D/demo.elf --profile=$B/counts >$B/out 2>$B/err
[ $? -eq 1 ] && [ ! -s $B/out ] && finds "llvm-objdump-19 is not in PATH: .* LLVM 19's" $B/err && pass || fail "without LLVM's tools: $(cat $B/err)"

for tool in llvm-mca-19 llvm-mc-19 llvm-objdump-19; do have $tool || { skip "$tool is not installed"; finish; }; done
refused 1 'CPU tape' --binary=$D/demo.elf --profile=$B/counts --mcpu=tape

# ----- the committed recording
$T bottleneck --binary=$D/demo.elf --profile=$B/demo.prof --mcpu=skylake --top=6 --contexts=3 >$B/out || fail "demo"
says 'an estimate: caches, branches and the front end are not modelled'
says '^1\. pack, '
says '^[0-9]\. pack_noise, loop at 0x17c0: 1 block, 26 instructions'
says 'Bounds: latency chain 18.00, ports 6.00 (SKLPort0, SKLPort1, SKLPort5, SKLPort6), issue 4.33'
says 'latency chain, [89][0-9]% of its cycles .*main:9 @ pack_noise$'
says '19\. xorl %edx, %ecx .* 1 cycle, %ecx, to the next iteration'
says '[0-9] other contexts$'
says 'The critical sequence of a single pass'
if have python3; then
    $T bottleneck --json --binary=$D/demo.elf --profile=$B/counts -o $B/json && python3 -m json.tool $B/json >$B/out && pass || fail "--json, -o"
    says '"verdict": "latency"'
    says '"estimate": "caches, branches'
else skip "no python3"; fi

# ----- models are kept: the next time llvm-mca is not needed, and a file that is damaged is not believed
demo() { $T bottleneck --quiet --binary=$D/demo.elf --profile=$B/demo.prof --mcpu=skylake --top=3 "$@"; }
mkdir -p $B/bin
ln -sf "$(command -v llvm-objdump-19)" $B/bin/llvm-objdump-19
demo --models=$B/kept >$B/first || fail "--models"
[ -s $B/kept/x86_64-skylake.models ] && pass || fail "no file of models"
PATH=$B/bin:/bin demo --models=$B/kept >$B/second 2>$B/err && cmp -s $B/first $B/second && pass || { fail "kept models"; cat $B/err; }
if command -v llvm-mca-19 | grep -q '^/bin/'; then skip "llvm-mca-19 is in /bin"; else
    PATH=$B/bin:/nowhere $T bottleneck --binary=$D/demo.elf --profile=$B/demo.prof --models= >$B/out 2>$B/err
    finds 'new code is measured' $B/err
fi
for damage in 's/lat [0-9]*/lat x/' 's/^block 26/block 25/' 's/^csspgo models 1/csspgo models 0/' '3,$d'; do
    demo --models=$B/kept >/dev/null
    sed "$damage" $B/kept/x86_64-skylake.models >$B/damaged && mv $B/damaged $B/kept/x86_64-skylake.models
    demo --models=$B/kept >$B/third 2>$B/err
    if cmp -s $B/first $B/third; then pass; else fail "kept models after $damage"; fi
    rm -r $B/kept
done

# ----- a loop in two contexts: 100 iterations and 2
if [ "$(uname -sm)" != "Linux x86_64" ] || ! have clang-19; then skip "clang-19 on x86-64 Linux is needed for trip counts"; finish; fi
clang-19 -O2 -g1 -fpseudo-probe-for-profiling -fno-optimize-sibling-calls -o $B/trips programs/trips.c || fail "trips.c"
if env -i $T record --quiet --software --period=150 -o $B/trips.script -- $B/trips 2>$B/err; [ -s $B/trips.script ]; then
    $T profgen --quiet --binary=$B/trips --perfscript=$B/trips.script --csspgo-preinliner=0 --gen-cs-nested-profile=0 \
        --csprof-merge-cold-context=0 --format=text --output=$B/trips.prof || fail "profgen of trips"
    $T bottleneck --binary=$B/trips --profile=$B/trips.prof --mcpu=skylake --top=1 >$B/out || fail "trips"
    says '^1\. walk, loop at .*: 1 block, 6 instructions, .*trips.c:1[0-9]$'
    says 'latency chain, 9[0-9]% of its cycles .*long_lists:[0-9]* @ walk$'
    says '  2\.[0-9] .* a single pass: too few iterations, .*short_lists:[0-9]* @ walk$'
    says '2\. addq .* 6 cycles'           # a product is forwarded to the addition, behind its load
    # the same counts on another machine: probes have the same numbers there
    if clang-19 --target=aarch64-linux-gnu -O2 -g1 -nostdlib -fuse-ld=lld -Wl,-e,main -fpseudo-probe-for-profiling \
        -fno-optimize-sibling-calls -o $B/arm programs/trips.c 2>$B/err; then
        $T bottleneck --binary=$B/arm --profile=$B/trips.prof --mcpu=neoverse-n2 --top=1 >$B/out || fail "AArch64"
        says '^1\. walk, loop at .*: 1 block, 4 instructions'
        says 'latency chain, 9[0-9]% of its cycles .*long_lists:[0-9]* @ walk$'
        says ' a single pass: too few iterations, .*short_lists:[0-9]* @ walk$'
    else skip "no linker for AArch64"; fi
    strip -o $B/stripped $B/trips
    $T bottleneck --binary=$B/stripped --profile=$B/trips.prof --top=1 >$B/out || fail "stripped"
    says '^1\. walk, loop'
    $T bottleneck --binary=$B/stripped --debug-binary=$B/trips --profile=$B/trips.prof --top=1 >$B/out || fail "--debug-binary"
    says '^1\. walk, loop'
    # what cannot be assembled (bytes that are no instruction) has no model, and all others have theirs
    sed 's/s += k;/s += k; __asm__(".byte 0x06" : "+r"(s));/' programs/trips.c >$B/bad.c
    clang-19 -O2 -fpseudo-probe-for-profiling -fno-optimize-sibling-calls -o $B/bad $B/bad.c || fail "bad.c"
    grep -v CFGChecksum $B/trips.prof >$B/bad.prof
    printf '[other]:1:1\n 1: 1\n !CFGChecksum: 1\n' >>$B/bad.prof
    $T bottleneck --quiet --binary=$B/bad --profile=$B/bad.prof --top=2 >$B/out || fail "a path without model"
    says '   Not modelled: '
    says '^   Bounds: '
else skip "csspgo record does not work here"; fi
finish
