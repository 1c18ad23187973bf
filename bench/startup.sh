#!/bin/sh
# Page faults of a large program's start-up, with its functions in other orders; see startup/. make -C bench startup
# compiles the program and calls this. Needs root (mounts a file as a disk whose read-ahead it sets), LLVM 19, lld-19.
# Argument: runs of each program in each way (15).
RUNS=${1:-15}
B=build/startup
TRAINED="server editor report gallery" OTHER=console
DAYS="1 2 3" TEST_DAY=9
UNITS="$(cat $B/units)"
[ "$(id -u)" = 0 ] || { echo "startup: skipped: needs root, for a disk of its own"; exit 0; }

# linked NAME [ORDER]: the program with the functions in this order
linked() {
    clang++-19 -fuse-ld=lld-19 -Wl,--no-warn-symbol-ordering ${2:+-Wl,--symbol-ordering-file=$2} -o $B/app.$1 \
        $(for u in $UNITS; do echo $B/$u.o; done) -lm || exit 1
}
functions() { llvm-nm-19 --defined-only $1 | awk '$2 ~ /[tTwW]/ { print $3 }'; }

# the traces: each way of starting on three days
clang++-19 -fuse-ld=lld-19 -fprofile-generate -o $B/app.traced $(for u in $UNITS; do echo $B/$u.traced.o; done) -lm || exit 1
mkdir -p $B/data
LLVM_PROFILE_FILE=/dev/null $B/app.traced $B/data make || exit 1
rm -f $B/*.profraw
for way in $TRAINED; do
    for day in $DAYS; do LLVM_PROFILE_FILE=$B/$way.$day.profraw $B/app.traced $B/data $way $day >/dev/null || exit 1; done
done
llvm-profdata-19 merge --num-threads=1 --temporal-profile-max-trace-length=100000 -o $B/all.profdata $B/*.profraw || exit 1
llvm-profdata-19 merge --temporal-profile-max-trace-length=100000 -o $B/one.profdata $B/server.1.profraw || exit 1

# the orders
linked none
functions $B/app.none | LC_ALL=C sort -u >$B/alphabetical.order
llvm-profdata-19 show --temporal-profile-traces $B/one.profdata | sed -n 's/^    //p' | sed 's/^[^;]*;//' >$B/seen.order
llvm-profdata-19 order $B/all.profdata -o $B/llvm.order || exit 1
build/csspgo order --quiet --binary=$B/app.none $B/all.profdata -o $B/ours.order || exit 1
ORDERS="none alphabetical seen llvm ours"
for order in ${ORDERS#none }; do linked $order $B/$order.order; done

# a disk of its own
mounted=
trap 'status=$?; [ -z "$mounted" ] || umount $B/disk; rm -f $B/disk.img; exit $status' EXIT INT TERM
rm -f $B/disk.img
truncate -s 300M $B/disk.img && mkfs.ext4 -q -F -O ^has_journal $B/disk.img && mkdir -p $B/disk && mount -o loop $B/disk.img $B/disk ||
    { echo "startup: skipped: cannot mount a file"; exit 0; }
mounted=1
AHEAD=/sys/block/$(basename $(findmnt -no SOURCE $B/disk))/queue/read_ahead_kb

# measured AHEAD: all programs in all ways, one after the other, RUNS times
measured() {
    rm -rf $B/cold.$1 && mkdir $B/cold.$1 && echo $1 >$AHEAD || exit 1
    run=0
    while [ $run -lt $RUNS ]; do
        for order in $ORDERS; do
            for way in $TRAINED $OTHER; do
                dd if=$B/disk/app.$order iflag=nocache count=0 status=none
                COLD=$B/cold.$1/$order.$way LD_PRELOAD=$B/cold.so $B/disk/app.$order $B/data $way $TEST_DAY >/dev/null || exit 1
            done
        done
        run=$((run + 1))
    done
}
# spread FILES...: page faults of each run, added up over these files: "median (lowest to highest)", one number if all are equal
spread() {
    awk '{ s[FNR] += $1 } END { for (i in s) print s[i] }' "$@" | sort -n |
        awk '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; print v[1] == v[NR] ? m : m " (" v[1] " to " v[NR] ")" }'
}
row() {
    printf '| %s | %s |' "$2" "$([ -f $B/$1.order ] && LC_ALL=C sort -u $B/$1.order | LC_ALL=C comm -12 - $B/alphabetical.order | wc -l)"
    for way in $TRAINED $OTHER; do printf ' %s |' "$(spread $B/cold.0/$1.$way)"; done
    all=$(spread $B/cold.0/$1.*)
    ahead=$(spread $B/cold.128/$1.*)
    [ $1 != none ] || { none=${all%% *} none_ahead=${ahead%% *}; }
    printf ' %s | %s | %s | %s |\n' "$all" "$(percent ${all%% *} $none)" "$ahead" "$(percent ${ahead%% *} $none_ahead)"
}
percent() { awk "BEGIN { printf \"%+.0f %%\", 100 * ($1 / $2 - 1) }"; }

for order in $ORDERS; do cp $B/app.$order $B/disk/ || exit 1; done
sync
measured 0
measured 128
echo "machine:  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $(uname -sr)"
echo "compiler: $(clang-19 --version | head -1), -O1 -ffunction-sections; $(ld.lld-19 --version)"
echo "program:  $(size -A $B/app.none | awk '$1 == ".text" { print $2 }') bytes of .text, $(functions $B/app.none | wc -l) functions;" \
    "traces: $(llvm-profdata-19 show --temporal-profile-traces $B/all.profdata | awk '/count=/ { sub(/.*count=/, ""); print $1 + 0 }' | sort -n |
        awk '{ v[NR] = $1 } END { print NR " of " v[1] " to " v[NR] " functions" }')"
echo "| order | functions | $(echo $TRAINED | sed 's/ / | /g') | $OTHER | all five | | all, 128 KB read ahead | |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
row none "as linked"
row alphabetical "alphabetical"
row seen "as first seen in one trace"
row llvm "llvm-profdata-19 order"
row ours "csspgo order"
