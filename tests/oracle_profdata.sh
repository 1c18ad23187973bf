#!/bin/sh
# Random profiles through `csspgo merge|overlap --llvm-compat` and llvm-profdata-19: same exit status, same output.
#
#     tests/oracle_profdata.sh [COUNT [OPERATION...]]     COUNT cases of each operation; 25, with FULL set 200
cd "$(dirname "$0")" || exit 1
CC=${CC:-cc}
B=build/oracle_profdata
. ./t.sh
count=${1:-$(size 25 200)}
[ $# -eq 0 ] || shift
tool=llvm-profdata-19

skip() {
    echo "SKIPPED: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
command -v $tool >/dev/null 2>&1 || skip "$tool is not installed"
[ -f /usr/include/zlib.h ] || skip "zlib.h is not installed"
rm -rf $B
mkdir -p $B
if ! make -s build/plain/csspgo build/san/oracle_profdata; then
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
again $tool
shards=$(nproc 2>/dev/null || echo 2) pids=
i=0
while [ $i -lt "$shards" ]; do
    build/san/oracle_profdata build/plain/csspgo $tool $B "$count" $i "$shards" "$@" >$B/shard.$i 2>&1 &
    pids="$pids $!"
    i=$((i + 1))
done
wait $pids
cat $B/shard.* | grep -v '^[0-9]* passed, '
cat $B/shard.* | awk -v shards="$shards" '
    /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p += $1; f += $3; s += $5; n++ }
    END {
        if (n != shards) { print "a part of the test ended without a count"; f++ }
        printf "%d passed, %d failed, %d skipped\n", p, f, s
        exit f != 0
    }'
