#!/bin/sh
# Random blocks of x86-64 and AArch64 for many CPUs: models that examples/mca/mca.h measures, our simulator and analysis on
# them, against llvm-mca-19 -bottleneck-analysis: the same cycles, the same reports. Blocks whose model says that it is
# an estimate are left out; a third of all are compared at least, in a full run more than 500 for each CPU.
#
#     tests/oracle_bottleneck.sh [COUNT [SEED]]
cd "$(dirname "$0")" || exit 1
. ./t.sh

if ! command -v llvm-mca-19 >/dev/null 2>&1 || ! command -v llvm-mc-19 >/dev/null 2>&1; then
    echo "SKIPPED: llvm-mca-19 or llvm-mc-19 is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
P=build/plain/oracle_bottleneck
if ! make -s $P; then
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
# blocks CPU TRIPLE COUNT [ALIAS]
blocks() {
    if $P $1 $2 $3 $seed ${4:-0} >build/bottleneck.said 2>&1; then pass; else
        fail "$1"
        head -90 build/bottleneck.said
    fi
}
# code CPU TRIPLE LIBRARY EVERY: of the library's blocks of 3 to 30 instructions, up to a jump or a call, every so many
code() {
    llvm-objdump-19 -d --no-show-raw-insn --no-leading-headers "$3" | awk -v every=$4 '
        function flush() {
            if (n > 2 && n < 31 && ++blocks % every == 0) printf "# LLVM-MCA-BEGIN\n%s# LLVM-MCA-END\n", text
            n = 0; text = ""
        }
        !/^ *[0-9a-f]+:/ { flush(); next }
        { sub(/^ *[0-9a-f]+:[ \t]*/, ""); sub(/ *<.*/, ""); sub(/ *(#|\/\/) .*/, ""); gsub(/\t/, " ") }
        /^(call|ret|ud2|hlt|int3|syscall|bl |blr |br |svc|udf|brk|nop|endbr64|mrs |msr |dc |sys |xchg|notrack|bnd|data16|cs |lock|rep)|\*|bad/ || $0 == "" {
            flush(); next
        }
        { if ($1 !~ /^j/) sub(/0x[0-9a-f]+$/, $1 ~ /^(b|cb|tb|adr)/ ? "." : "&"); text = text $0 "\n"; n++ }
        $1 ~ /^(j|b$|b\.|cb|tb)/ { flush() }' >build/bottleneck.s
    blocks $1 $2 build/bottleneck.s
}
seed=${2:-1}
if [ -z "$FULL$1" ]; then
    blocks skylake x86_64 40
    blocks btver2 x86_64 25 1
    blocks neoverse-n2 aarch64 40
    finish
fi
for cpu in btver2 haswell skylake icelake-server znver3 znver4; do blocks $cpu x86_64 ${1:-300}; done
for cpu in thunderx2t99 neoverse-n1 neoverse-n2 cortex-a57; do blocks $cpu aarch64 ${1:-280}; done
blocks skylake x86_64 $((${1:-300} / 4)) 1
blocks neoverse-n2 aarch64 $((${1:-280} / 4)) 1
X86=$(gcc -print-file-name=libstdc++.so.6 2>/dev/null) ARM=/usr/aarch64-linux-gnu/lib/libm.so.6
if [ "$(uname -m)" = x86_64 ] && [ -r "$X86" ] && have llvm-objdump-19; then
    for cpu in haswell skylake icelake-server alderlake btver2 znver2 znver3 znver4; do code $cpu x86_64 "$X86" 500; done
else skip "no libstdc++ for x86-64"; fi
if [ -r $ARM ] && have llvm-objdump-19; then
    for cpu in neoverse-n1 neoverse-v2 cortex-a72 exynos-m5; do code $cpu aarch64 $ARM 60; done
else skip "no libm for AArch64"; fi
finish
