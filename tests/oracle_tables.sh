#!/bin/sh
# The header's tables of x86-64 opcodes are those that make_x86_tables.pl makes by asking llvm-mc-19: one opcode in 32;
# with FULL=1 all of them, and byte for byte. LLVM_MC and HEADER: another disassembler, another file.
cd "$(dirname "$0")" || exit 1
. ./t.sh
LLVM_MC=${LLVM_MC:-llvm-mc-19}
export LLVM_MC
if ! have "$LLVM_MC" || ! have perl; then skip "no $LLVM_MC, no perl"; finish; fi
mkdir -p build
header=${HEADER:-../csspgo.h} wrong=build/oracle_tables.h
check "tables of opcodes" perl make_x86_tables.pl check "$header" $(size '32 3' '1 0')
check "units of displacements" perl make_x86_tables.pl units ../examples/tool/record/ahead_insn.c
# the comparison sees a wrong class, a wrong group and a wrong row of opcode 8f
sed 's/^\(    "BZ\.Bmmmmmmmmgk\)gg"/\1gm"/; s/{0x18f, 0x01, 0x01, /{0x18f, 0x01, 0x03, /; s/0x8e8f010b/0x8e8f020b/' \
    "$header" >$wrong
perl make_x86_tables.pl check $wrong 256 $((0x8f + 8)) >$wrong.said
for what in "8f of map 1: class 'm'" "8f of map 1: prefixes 1, memory 3," "8f of XOP map 8: prefixes 2,"; do
    if grep -q "^opcode $what.*: not so in " $wrong.said; then pass; else fail "not seen: opcode $what"; fi
done
rm -f $wrong $wrong.said
finish
