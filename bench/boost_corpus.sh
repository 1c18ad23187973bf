#!/bin/sh
# boost_corpus.sh WORKDIR [OLD_INCLUDE NEW_INCLUDE]: remakes stale/boost-1.74-1.81.txt
#
# The driver stale_boost.cpp is compiled with the headers of two releases of Boost (without folders: Debian 12's packages
# libboost1.74-dev and libboost1.81-dev, which apt-get fetches and dpkg unpacks into WORKDIR) and run with a counter in
# every block that has a probe. Pairs are the functions that ran in both and differ. Ends with whether the result equals
# what is committed. Needs clang++-19, opt-19, c++filt, python3; 1 GB of disk and some minutes.
set -e
here=$(cd "$(dirname "$0")" && pwd)
W=${1:?usage: boost_corpus.sh WORKDIR [OLD_INCLUDE NEW_INCLUDE]} OLD=$2 NEW=$3
for t in clang++-19 opt-19 c++filt python3; do
    command -v $t >/dev/null 2>&1 || { echo "SKIPPED: $t is not installed"; exit 0; }
done
mkdir -p "$W"
cd "$W"
if [ -z "$NEW" ]; then
    for v in 1.74 1.81; do
        [ -d $v ] || { apt-get download libboost$v-dev && dpkg -x libboost$v-dev_*.deb $v; }
    done
    OLD=1.74/usr/include NEW=1.81/usr/include
fi
: >empty.prof
cat >dump.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
extern uint64_t csspgo_counts[], csspgo_counts_size;
__attribute__((destructor)) static void dump(void)
{
    FILE *f = getenv("COUNTS") ? fopen(getenv("COUNTS"), "w") : NULL;
    uint64_t i;
    for (i = 0; f != NULL && i < csspgo_counts_size; i++) fprintf(f, "%llu\n", (unsigned long long)csspgo_counts[i]);
    if (f != NULL) fclose(f);
}
C
# version NAME INCLUDE: what the code has, to NAME.table; how often each block ran, to NAME.counts
version() {
    clang++-19 -std=c++17 -O2 -g -w -Wno-enum-constexpr-conversion -fpseudo-probe-for-profiling \
        -fprofile-sample-use=empty.prof -Xclang -disable-llvm-passes -isystem "$2" -S -emit-llvm \
        "$here/stale_boost.cpp" -o $1.ll
    opt-19 -passes=pseudo-probe -S $1.ll -o $1.probes.ll
    python3 "$here/stale_corpus.py" count $1.probes.ll $1.counted.ll $1.table
    clang++-19 -O1 -w -o $1.exe $1.counted.ll dump.c
    COUNTS=$1.counts ./$1.exe 3 >$1.out
    rm $1.ll $1.probes.ll $1.counted.ll
}
version old "$OLD"
version new "$NEW"
python3 "$here/stale_corpus.py" pairs old.table old.counts new.table new.counts boost >boost-1.74-1.81.txt
echo "$(grep -c '^F' boost-1.74-1.81.txt) pairs in $W/boost-1.74-1.81.txt"
cmp boost-1.74-1.81.txt "$here/stale/boost-1.74-1.81.txt" && echo "the same as what is committed"
