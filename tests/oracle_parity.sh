#!/bin/sh
# Parity with llvm-profgen-19 on real programs: builds them, records each with `csspgo record`, and compares what
# `csspgo profgen` and llvm-profgen-19 make of the recording, byte for byte, in every mode that both have.
# Then clang-19 compiles a program with our profile and must use it.
. ./t.sh
B=build/parity
mkdir -p $B
passed=0 failed=0 skipped=0
TOOL=build/plain/csspgo
have() { command -v "$1" >/dev/null 2>&1; }
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
skip() { echo "SKIPPED: parity: $*"; skipped=$((skipped + 1)); }
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: parity: $*"; failed=$((failed + 1)); }

for t in clang-19 clang++-19 ld.lld-19 llvm-profgen-19 llvm-profdata-19 llvm-nm-19 llvm-objcopy-19; do have $t || { skip "$t is not installed"; finish; }; done
[ "$(uname -m)" = x86_64 ] || { skip "needs an x86-64 machine"; finish; }
make -s $TOOL || { fail "the tool does not build"; finish; }
again llvm-profgen-19 llvm-profdata-19

P="-O2 -g -fpseudo-probe-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls"
L="-O2 -g -fdebug-info-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls"
OFF="--csspgo-preinliner=0 --csprof-merge-cold-context=0 --trim-cold-profile=0 --gen-cs-nested-profile=0"

# same NAME MODE OPTIONS...: both tools on the recording of NAME
same() {
    name=$1 mode=$2
    shift 2
    llvm-profgen-19 --binary=$B/$name --perfscript=$B/$name.ps --output=$B/$name.$mode.llvm "$@" >$B/llvm.out 2>&1 ||
        { fail "$name $mode: llvm-profgen-19 refuses"; cat $B/llvm.out; return; }
    $TOOL profgen --llvm-compat --quiet --binary=$B/$name --perfscript=$B/$name.ps --output=$B/$name.$mode.ours "$@" >$B/ours.out 2>&1 ||
        { fail "$name $mode: csspgo refuses"; cat $B/ours.out; return; }
    if [ ! -s $B/$name.$mode.llvm ]; then fail "$name $mode: llvm-profgen-19 wrote nothing"; return; fi
    if cmp -s $B/$name.$mode.llvm $B/$name.$mode.ours; then pass; else
        fail "$name $mode: $(diff $B/$name.$mode.llvm $B/$name.$mode.ours | grep -c '^[<>]') lines differ of $(wc -l <$B/$name.$mode.llvm)"
        diff $B/$name.$mode.llvm $B/$name.$mode.ours | head -6
    fi
}

# as_text NAME MODE OPTIONS...: the same for binary output, in which LLVM orders some records by hash: compared as text
as_text() {
    name=$1 mode=$2
    shift 2
    llvm-profgen-19 --binary=$B/$name --perfscript=$B/$name.ps --output=$B/llvm.prof "$@" >$B/llvm.out 2>&1 &&
        $TOOL profgen --llvm-compat --quiet --binary=$B/$name --perfscript=$B/$name.ps --output=$B/ours.prof "$@" >$B/ours.out 2>&1 ||
        { fail "$name $mode: one of the tools refuses"; cat $B/llvm.out $B/ours.out; return; }
    for who in llvm ours; do llvm-profdata-19 merge --sample --text $B/$who.prof -o $B/$who.text 2>/dev/null || return; done
    if [ "$(wc -c <$B/llvm.prof)" -eq "$(wc -c <$B/ours.prof)" ] && cmp -s $B/llvm.text $B/ours.text; then pass; else
        fail "$name $mode: differs as text, or in size"
    fi
}

# listed NAME: the symbol lists of what as_text compared last
listed() {
    for who in llvm ours; do
        llvm-profdata-19 show --sample --show-prof-sym-list $B/$who.prof | sed '1,/Dump profile symbol list/d' >$B/$who.list
    done
    if [ -s $B/llvm.list ] && cmp -s $B/llvm.list $B/ours.list; then pass; else fail "$1: symbol lists differ"; fi
}

# counted NAME: every mode of counting, and a whole run
counted() {
    same $1 raw-flat --skip-symbolization --ignore-stack-samples
    same $1 raw --skip-symbolization
    same $1 raw-plain --skip-symbolization --use-offset=0
    same $1 raw-depth3 --skip-symbolization --csprof-max-context-depth=3
    same $1 raw-nocompress --skip-symbolization --compress-recursion=0
    same $1 cs --format=text $OFF
    same $1 cs-noinfer --format=text $OFF --infer-missing-frames=0
    same $1 cs-nocompress --format=text $OFF --compress-recursion=0
    same $1 cs-compress1 --format=text $OFF --compress-recursion=1
    same $1 cs-depth2 --format=text $OFF --csprof-max-context-depth=2
    # (inlined recursion: cycles and depth are of names)
    [ -z "$by_line" ] || same $1 cs-compress1-depth3 --format=text $OFF --compress-recursion=1 --csprof-max-context-depth=3
    same $1 flat --format=text --ignore-stack-samples
    same $1 flat-fill --format=text --ignore-stack-samples --fill-zero-for-all-funcs
    same $1 default --format=text
}

# all NAME: that, and what comes after counting
all() {
    counted $1
    same $1 flat-cs --format=text --gen-cs-nested-profile=0
    same $1 no-preinliner --format=text --csspgo-preinliner=0
    same $1 merged --format=text --csspgo-preinliner=0 --gen-cs-nested-profile=0
    same $1 merged-depth3 --format=text --csspgo-preinliner=0 --csprof-max-cold-context-depth=3
    same $1 nested --format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0
    same $1 trimmed --format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --trim-cold-profile
    same $1 trimmed-merged --format=text --csspgo-preinliner=0 --gen-cs-nested-profile=0 --trim-cold-profile
    same $1 with-bases --format=text --csspgo-preinliner=0 --generate-merged-base-profiles
    same $1 growth2 --format=text --sample-profile-inline-growth-limit=2
    same $1 hot1 --format=text --sample-profile-hot-inline-threshold=1
    same $1 replay --format=text --csspgo-replay-preinline
    same $1 unsorted --format=text --sort-profiled-scc-member=0
    same $1 preinlined-merged --format=text --csprof-merge-cold-context=1 --trim-cold-profile
    same $1 cold20 --format=text --profile-summary-cold-count=100 --sample-profile-cold-inline-threshold=20
    same $1 hot-count --format=text --profile-summary-hot-count=500 --trim-cold-profile
    same $1 flat-trimmed --format=text --ignore-stack-samples --trim-cold-profile --profile-summary-cold-count=50
    as_text $1 ext --format=extbinary
    as_text $1 ext-cs --format=extbinary --gen-cs-nested-profile=0
    as_text $1 ext-md5 --format=extbinary --use-md5
    same $1 flat-totals --format=text --ignore-stack-samples --update-total-samples
    as_text $1 ext-symbols --format=extbinary --populate-profile-symbol-list
    listed $1
}

# placed NAME: what depends on where code is
placed() {
    same $1 flat --format=text --ignore-stack-samples
    same $1 flat-fill --format=text --ignore-stack-samples --fill-zero-for-all-funcs
    same $1 default --format=text
    same $1 cs --format=text $OFF
    [ -n "$by_line" ] || same $1 by-line --format=text --use-dwarf-correlation --ignore-stack-samples
    as_text $1 ext-symbols --format=extbinary --populate-profile-symbol-list
    listed $1
}

# sized NAME: what depends on how large functions are
sized() {
    same $1 default --format=text
    for n in 10 20 30 40 50 70 100; do same $1 hot$n --format=text --sample-profile-hot-inline-threshold=$n; done
}

# program NAME SAMPLES SOURCE COMPILER...: builds, records, compares in the modes of $modes: what comes after counting does
# not know how the program was linked. $run: what is run, if not that
modes=all run=
program() {
    name=$1 samples=$2 source=$3
    shift 3
    if ! "$@" -w -o $B/$name programs/$source -lm >$B/cc.out 2>&1; then fail "$name does not build"; head -5 $B/cc.out; return; fi
    if ! env -i $TOOL record --software --period=61 --seed=7 --count=$samples --stop -o $B/$name.ps -- ${run:-$B/$name} >$B/record.out 2>&1; then
        : # --stop ends the program before it is done
    fi
    if [ "$(grep -c '^ 0x' $B/$name.ps)" -lt $((samples / 2)) ]; then fail "$name: the recording is too short"; cat $B/record.out; return; fi
    $modes $name
}

have_package() { for h in $1; do [ -f /usr/include/$h ] && return 0; done; skip "/usr/include/$1 is not installed"; return 1; }
program mix $(size 500 1500) mix.c clang-19 $P -no-pie
modes=placed
APART="apart_a.cpp clang++-19 programs/apart_b.cpp -fuse-ld=lld-19 -no-pie -ffunction-sections"
BLOCKS="-fbasic-block-sections=all -Wl,--shuffle-sections=.text*=5"
program apart-blocks 300 $APART $P $BLOCKS
# parts of a function have other names, too; LLVM does not look at them
llvm-nm-19 $B/apart-blocks | awk '$3 ~ /__part\.[12]$/ {
    s = $3; sub(/.$/, "", s); sub(/\.__part\.$/, $3 ~ /1$/ ? ".eh" : ".llvm.77.cold", s); print $3, s }' >$B/syms
sed 's#/apart-blocks$#/apart-renamed#' $B/apart-blocks.ps >$B/apart-renamed.ps
if llvm-objcopy-19 --redefine-syms=$B/syms $B/apart-blocks $B/apart-renamed; then
    same apart-renamed flat-fill --format=text --ignore-stack-samples --fill-zero-for-all-funcs
    same apart-renamed cs --format=text $OFF
else fail "llvm-objcopy-19 renames no symbols"; fi
# How much debug information says of functions: LLVM knows no others. -g1 leaves out those with nothing inlined, and
# linkage names; one object may have none, or no probes.
F="-O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -no-pie" PROBES=-fpseudo-probe-for-profiling
program mix-g1 $(size 300 800) mix.c clang-19 $F $PROBES -g1
for level in "mixed -g $PROBES" "bare -g" ${FULL:+"nodebug $PROBES" "g1 -g1 $PROBES" "named -g1 $PROBES -fdebug-info-for-profiling" "split -gsplit-dwarf $PROBES" "old -gdwarf-3 $PROBES"}; do
    set -- $level
    kind=$1
    shift
    clang++-19 $F "$@" -w -c programs/apart_b.cpp -o $B/apart-b.o || { fail "apart_b.cpp does not compile: $*"; continue; }
    debug=-g
    [ $kind != mixed ] || debug=-g0
    program apart-$kind 300 apart_a.cpp clang++-19 $F $debug $PROBES $B/apart-b.o
done
env -i $TOOL record --quiet --software --period=61 --count=300 --stop -o $B/mix-g0.ps -- $B/mix-g1 >/dev/null 2>&1
llvm-objcopy-19 --strip-debug $B/mix-g1 $B/mix-g0
sed -i 's#/mix-g1$#/mix-g0#' $B/mix-g0.ps
for how in "" --ignore-stack-samples --skip-symbolization; do
    llvm-profgen-19 --binary=$B/mix-g0 --perfscript=$B/mix-g0.ps --format=text --output=$B/llvm.prof $how >$B/llvm.out 2>&1
    $TOOL profgen --llvm-compat --quiet --binary=$B/mix-g0 --perfscript=$B/mix-g0.ps --format=text --output=$B/ours.prof $how >$B/ours.out 2>&1
    alike $B/llvm.prof $B/ours.prof && pass || fail "without debug information, $how"
done
$TOOL profgen --llvm-compat=22 --quiet --binary=$B/mix-g0 --perfscript=$B/mix-g0.ps --format=text --output=$B/ours.prof 2>$B/ours.out
[ -s $B/ours.prof ] && pass || fail "without debug information, LLVM 22 takes symbols: $(head -2 $B/ours.out)"
modes=all
if [ -n "$FULL" ]; then
modes=counted
program mix-pie 800 mix.c clang-19 $P -fPIE -pie
modes=all
program mix-tail 1500 mix.c clang-19 -O2 -g -fpseudo-probe-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -no-pie
have_package nlohmann/json.hpp && program json 1500 json.cpp clang++-19 -std=c++17 $P -no-pie
modes=counted
have_package rapidjson/reader.h && program rapid-pie 1500 rapid.cpp clang++-19 -std=c++17 -fdelayed-template-parsing $P -fPIE -pie
modes=all
have_package stb/stb_image.h && program image 1500 image.c clang-19 $P -no-pie
program apart-thin 1500 $APART $P -flto=thin
program apart-lto 1500 $APART $P -flto
# a library and a program that is nothing else but its user
SHARED="programs/apart_b.cpp $P -fPIC -shared -Dmain=lib_main"
echo 'int lib_main(int, char **); int main(int n, char **v) { return lib_main(n, v); }' >$B/user.cpp
if clang++-19 programs/apart_a.cpp $SHARED -w -o $B/libapart.so && clang++-19 $B/user.cpp -L$B -lapart -Wl,-rpath,$B -o $B/user; then
    run=$B/user
    program libapart.so 1500 apart_a.cpp clang++-19 $SHARED
    run=
else fail "the user of a library does not build"; fi
if have_package nlohmann/json.hpp; then
    program json-sections 1500 json.cpp clang++-19 -std=c++17 $P -no-pie -ffunction-sections -Wl,--gc-sections
    program json-blocks 1500 json.cpp clang++-19 -std=c++17 $P -no-pie -fuse-ld=lld-19 -ffunction-sections $BLOCKS
fi
fi

# The same by source line.
by_line=1
program mix-lines $(size 300 1500) mix.c clang-19 $L -no-pie
modes=placed
program apart-thin-blocks 300 $APART $L -funique-internal-linkage-names -flto=thin -Wl,--lto-basic-block-sections=all
modes=all
[ -z "$FULL" ] || program apart-thin-lines 1500 $APART $L -flto=thin
program mix-gcc $(size 300 800) mix.c gcc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -no-pie
# the range of a function's hot part reaches over its cold part, and LLVM counts that twice
modes=sized
G="-fno-omit-frame-pointer -no-pie -fno-reorder-functions"
have g++ && program apart-reach $(size 800 1500) apart_a.cpp g++ programs/apart_b.cpp -O2 -g $G || skip "g++ is not installed"
[ -z "$FULL" ] || program mix-reach 800 mix.c gcc -O3 -gdwarf-4 $G
modes=all
if [ -n "$FULL" ]; then
modes=counted
program mix-lines4 800 mix.c clang-19 $L -gdwarf-4 -fPIE -pie
have_package nlohmann/json.hpp && program json-lines 1500 json.cpp clang++-19 -std=c++17 $L -no-pie
have_package rapidjson/reader.h && program rapid-lines 1500 rapid.cpp clang++-19 -std=c++17 -fdelayed-template-parsing $L -fPIE -pie
modes=all
have_package stb/stb_image.h && program image-lines 1500 image.c clang-19 $L -no-pie
fi

# The compiler takes what we wrote: entry counts of functions that ran appear in the IR.
if clang-19 -O2 -S -emit-llvm -fpseudo-probe-for-profiling -fprofile-sample-use=$B/mix.cs.ours -w -o $B/used.ll programs/mix.c 2>$B/used.out; then
    pass
    if [ "$(grep -c '^!.*"function_entry_count", i64 [1-9]' $B/used.ll)" -ge 5 ]; then pass; else fail "clang-19 annotates fewer than 5 functions"; fi
    if grep -q 'branch_weights' $B/used.ll; then pass; else fail "clang-19 annotates no branches"; fi
    if [ -s $B/used.out ]; then fail "clang-19 complains about the profile"; head -5 $B/used.out; else pass; fi
else
    fail "clang-19 refuses the profile"; head -5 $B/used.out
fi
finish
