#!/bin/sh
# corpus.sh NAME [CONFIG]: a fuzz corpus through its harness, as one of the Makefile's configurations builds it; a full run
# also changes these inputs, by a seed, for two seconds. What fails is in build/CONFIG/fuzz_NAME.found.
cd "$(dirname "$0")" || exit 1
program=build/${2:-san}/fuzz_$1
changed=
[ -z "$FULL" ] || [ -n "$2" ] || changed="-seconds=2 -seed=${SEED:-1}"
if said=$(make -s $program 2>&1 && ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=4 $program $changed ../fuzz/corpus/$1/* 2>&1); then
    echo "1 passed, 0 failed, 0 skipped"
else
    echo "$said"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
