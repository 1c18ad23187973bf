#!/bin/sh
# corpus.sh NAME: a fuzz corpus through its harness
cd "$(dirname "$0")" || exit 1
if said=$(make -s build/san/fuzz_$1 2>&1 && build/san/fuzz_$1 ../fuzz/corpus/$1/* 2>&1); then echo "1 passed, 0 failed, 0 skipped"; else
    echo "$said"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
