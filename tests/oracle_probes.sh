#!/bin/sh
# Probe sections against LLVM 19: what we decode is what llvm-profgen prints, and it reads what we encode.
cd "$(dirname "$0")" || exit 1
CC=${CC:-cc}
D=data/probes
B=build/probes
passed=0 failed=0 skipped=0
mkdir -p $B

end() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
    exit
}
for tool in clang-19 clang++-19 ld.lld-19 llvm-profgen-19 llvm-objcopy-19 llvm-nm-19; do
    command -v $tool >/dev/null 2>&1 && continue
    echo "SKIPPED: $tool is not installed"
    skipped=1
    end
done
if ! make -s build/plain/test_probes; then failed=1; end; fi

# listing FILE: the disassembly with probes of llvm-profgen, without the name of the file
listing() {
    llvm-profgen-19 --binary="$1" --show-disassembly-only --show-pseudo-probe --output=/dev/null 2>&1 | grep -v "^Disassembly of "
}

# symbols FILE: its symbol table in the format of data/probes/*/symbols.txt
symbols() {
    llvm-nm-19 --defined-only --no-sort --format=posix "$1" | awk '{ print $3, 0, "FUNC", "GLOBAL", 1, $1 }'
}

# decodes NAME FILE: our probes are those of the listing, in its order
decodes() {
    symbols "$2" >$B/symbols.txt
    llvm-objcopy-19 --dump-section=.pseudo_probe=$B/probe.bin --dump-section=.pseudo_probe_desc=$B/desc.bin "$2" $B/copy
    build/plain/test_probes lines $B/symbols.txt $B/probe.bin $B/desc.bin >$B/ours.txt
    listing "$2" | awk '
        /^ \[Probe\]:/ { line[n++] = $0; next }
        /^ *[0-9a-f]+:\t/ { address = $1; sub(":", "", address); for (i = 0; i < n; i++) print address line[i]; n = 0 }
    ' >$B/theirs.txt
    if [ -s $B/theirs.txt ] && cmp -s $B/ours.txt $B/theirs.txt; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1 is not decoded as by llvm-profgen-19"
        diff $B/ours.txt $B/theirs.txt | head -5
    fi
}

# program NAME COMPILER ARGUMENTS...
program() {
    name=$1
    shift
    if "$@" -fpseudo-probe-for-profiling -o $B/$name 2>$B/error; then decodes $name $B/$name
    else failed=$((failed + 1)); echo "FAILED: $name does not build"; head -5 $B/error; fi
}

program basic clang-19 -O2 -g -no-pie $D/src/basic.c
program basic_o1 clang-19 -O1 -g -no-pie $D/src/basic.c
program basic_pie clang-19 -O3 -g -pie -fPIE $D/src/basic.c
program basic_nodebug clang-19 -O2 -no-pie $D/src/basic.c
program basic_fs clang-19 -O2 -g -no-pie -fdebug-info-for-profiling -mllvm -enable-fs-discriminator=true $D/src/basic.c
program eh clang++-19 -std=c++17 -O2 -g -no-pie $D/src/eh.cpp
program coro clang++-19 -std=c++20 -O2 -g -no-pie $D/src/coro.cpp
program thinlto clang-19 -O2 -g -no-pie -flto=thin -fuse-ld=lld-19 $D/src/thin_a.c $D/src/thin_b.c
program sections clang++-19 -std=c++17 -O2 -g -no-pie -ffunction-sections -Wl,--gc-sections -fuse-ld=lld-19 $D/src/eh.cpp

# Our encoder in every style, put in the place of the compiler's section: llvm-profgen prints the same.
sample=$D/x01_basic
listing $sample/x01_basic.elf >$B/original.txt
for style in 0 1 2 3 4; do
    cp $sample/x01_basic.elf $B/converted
    chmod u+w $B/converted
    build/plain/test_probes convert $style $sample/symbols.txt $sample/probe.bin $B/converted.bin &&
        llvm-objcopy-19 --update-section=.pseudo_probe=$B/converted.bin $B/converted
    listing $B/converted >$B/converted.txt
    if [ "$(grep -c Probe $B/converted.txt)" -gt 60 ] && cmp -s $B/original.txt $B/converted.txt; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: llvm-profgen-19 reads style $style differently"
        diff $B/original.txt $B/converted.txt | head -5
    fi
done
end
