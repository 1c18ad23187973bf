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
finish
