#!/bin/sh
# Text profiles, whole and damaged, through our reader and writer and llvm-profdata-19: same verdicts, same bytes.
#
#     tests/oracle_text.sh [COUNT (60; with FULL 300) [SEED]]
cd "$(dirname "$0")" || exit 1
CC=${CC:-cc}
B=build/text
. ./t.sh
count=${1:-$(size 60 300)}
tool=llvm-profdata-19

if ! command -v $tool >/dev/null 2>&1; then
    echo "SKIPPED: $tool is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf $B
mkdir -p $B
if ! make -s build/san/oracle_text; then
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
again $tool
build/san/oracle_text generate $B "${2:-1}" "$count" || exit 1
i=0
while [ $i -lt "$count" ]; do
    : >$B/$i.out
    $tool merge --sample --text -o $B/$i.out $B/$i.in >/dev/null 2>&1
    echo $? >$B/$i.status
    i=$((i + 1))
done
build/san/oracle_text compare $B "$count"
