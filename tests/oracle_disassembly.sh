#!/bin/sh
# profgen --show-disassembly-only against llvm-profgen-19's: byte for byte with llvm-objdump in PATH, with probes, with source, by canonical
# name. Without it the lines of sections, symbols and probes, the addresses of all instructions, and where direct branches and calls go.
cd "$(dirname "$0")" || exit 1
. ./t.sh
have llvm-profgen-19 || { skip "llvm-profgen-19 is not installed"; finish; }
B=build/disassembly
T=build/plain/csspgo
rm -rf $B
mkdir -p $B
make -s $T || { fail "the tool does not build"; finish; }

# Of an instruction its address, and of a direct transfer its kind and target; all else as it is
cat >$B/norm.awk <<'END'
/^warning/ || /^$/ || /^<\$[xd]/ { next }               # AArch64's marks of code and data are no symbols here
/^ *[0-9a-f]+:\t/ {
    address = $1; kind = ""
    if ($0 ~ /<unknown>/) kind = " unknown"
    else if (match($0, /\t(call|call[qw]|bl)\t0x[0-9a-f]+$/)) kind = " call"
    else if (match($0, /\t(jmp|jmp[qw]|b)\t0x[0-9a-f]+$/)) kind = " jump"
    else if (match($0, /\t(j[a-z]+|loop[a-z]*|xbegin|b\.[a-z]+)\t0x[0-9a-f]+$/)) kind = " branch"
    else if (match($0, /\t(cbn?z\t[^,]*|tbn?z\t[^,]*, [^,]*), 0x[0-9a-f]+$/)) kind = " branch"
    else if (match($0, /\t(call|jump|branch) 0x[0-9a-f]+$/)) { kind = " " $(NF - 1) }
    print address kind (kind != "" && kind != " unknown" && targets ? " " $NF : ""); next
}
{ print }
END
# PATH without a disassembler
mkdir $B/bin
for p in cat sh; do ln -s "$(command -v $p)" $B/bin/$p; done
have llvm-objdump-19 && ln -s "$(command -v llvm-objdump-19)" $B/bin/llvm-objdump-19
bare=$B/none
mkdir $bare
# same NAME FILE; LLVM 19 prints targets of AArch64 as if they were counted from the next instruction, which they are not
same() {
    case $2 in *a64*) targets=0 ;; *) targets=1 ;; esac
    for o in "" --show-pseudo-probe --show-source-locations "--show-canonical-fname --show-source-locations" --show-canonical-fname; do
        llvm-profgen-19 --binary=$2 --show-disassembly-only $o --output=/dev/null 2>/dev/null >$B/llvm
        case $o in
        ""|--show-pseudo-probe)
            awk -v targets=$targets -f $B/norm.awk $B/llvm >$B/want
            PATH=$bare $T profgen --llvm-compat --binary=$2 --show-disassembly-only $o 2>$B/err >$B/said
            awk -v targets=$targets -f $B/norm.awk $B/said >$B/got
            if [ $(wc -l <$B/want) -gt 50 ] && cmp -s $B/want $B/got; then pass; else fail "$1 $o"; diff $B/want $B/got | head -6; fi
            check "$1 $o: that there is no disassembler is said" grep -q 'no llvm-objdump is in PATH' $B/err ;;
        esac
        [ $targets = 1 ] || continue
        have llvm-objdump-19 || { skip "names of instructions: llvm-objdump-19 is not installed"; continue; }
        for n in 19 ${FULL:+22}; do
            PATH=$B/bin $T profgen --llvm-compat=$n --binary=$2 --show-disassembly-only $o 2>$B/err >$B/got
            if cmp -s $B/llvm $B/got; then pass; else fail "$1 --llvm-compat=$n $o"; diff $B/llvm $B/got | head -6; fi
        done
    done
}
for p in data/probes/x01_basic/x01_basic.elf data/unwind/bin/demo.probe data/unwind/bin/ext.probe data/unwind/bin/demo.pie data/unwind/bin/a64.probe \
    data/lines/bin/grid.d5 data/lines/bin/clones.gcc data/lines/bin/crab.rust data/lines/bin/grid.bbs data/lines/bin/shapes.clang; do
    same $p $p
done
# by symbol; what has no symbol
if have llvm-objdump-19; then
    for names in main top,main work,no_such_function; do
        for o in "" --show-pseudo-probe; do
            o="--binary=data/probes/x01_basic/x01_basic.elf --show-disassembly-only --disassemble-functions=$names $o"
            llvm-profgen-19 $o --output=/dev/null 2>/dev/null >$B/llvm
            PATH=$B/bin $T profgen --llvm-compat $o 2>$B/err >$B/got
            check "$o" sh -c "[ \$(wc -l <$B/llvm) -gt 5 ] && cmp $B/llvm $B/got"
        done
    done
fi
$T profgen --binary=data/probes/x01_basic/x01_basic.elf --show-disassembly-only --disassemble-functions=no_such_function 2>$B/err >$B/got
check "no such function: sections alone" sh -c "grep -q 'Disassembly of section .text' $B/got && ! grep -q '^<' $B/got"
$T profgen --binary=data/probes/x01_basic/x01_basic.elf --show-disassembly-only --show-pseudo-probe --disassemble-functions=main,top 2>$B/err >$B/got
check "--disassemble-functions" sh -c "[ \"\$(grep '^<' $B/got | tr '\n' ' ')\" = '<top>: <main>: ' ] && grep -q 'FUNC: top Index: 1  Type: Block  Inlined: @ main:2' $B/got"
check "a program without symbols of its PLT" sh -c "$T profgen --binary=data/unwind/bin/ext.probe --show-disassembly-only | grep -A1 'section .plt' | grep -q plt &&
    [ \$($T profgen --binary=data/unwind/bin/ext.probe --show-disassembly-only | wc -l) -gt \$($T profgen --llvm-compat --binary=data/unwind/bin/ext.probe --show-disassembly-only | wc -l) ]"
$T profgen --binary=data/lines/bin/grid.d5 --show-disassembly-only --show-pseudo-probe >$B/got 2>$B/err
check "no probes: it is said" sh -c "grep -q 'has no probes to show' $B/err && grep -q '^<main>:' $B/got"
for bad in $B/norm.awk data/probes/x01_basic/desc.bin $B/none; do
    $T profgen --binary=$bad --show-disassembly-only >$B/got 2>$B/err
    check "no program: $bad: status $?" sh -c "[ $? -eq 1 ] && [ -s $B/err ]"
done
$T profgen --show-disassembly-only >$B/got 2>$B/err
check "no --binary: status $?" sh -c "[ $? -eq 2 ] && grep -q 'binary is missing' $B/err"

have clang-19 || { skip "programs: clang-19 is not installed"; finish; }
built() {
    name=$1
    shift
    if "$@" -fpseudo-probe-for-profiling -o $B/$name 2>$B/err; then same $name $B/$name
    elif has_text 'file not found' $B/err; then skip "$name: $(grep -m1 'file not found' $B/err)"
    else fail "$name does not build: $(head -1 $B/err)"; fi
}
D=data/probes/src
built basic clang-19 -O2 -g -no-pie $D/basic.c
built pie clang-19 -O3 -g -pie -fPIE $D/basic.c
built eh clang++-19 -std=c++17 -O2 -g -no-pie $D/eh.cpp
[ -n "$FULL" ] || finish
built o1 clang-19 -O1 -no-pie $D/basic.c
built coro clang++-19 -std=c++20 -O2 -g -no-pie $D/coro.cpp
built sections clang++-19 -std=c++17 -O2 -ffunction-sections -Wl,--gc-sections -fuse-ld=lld-19 $D/eh.cpp
built json clang++-19 -std=c++17 -O2 -w programs/json.cpp
same "the tool itself" $T
finish
