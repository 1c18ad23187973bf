#!/bin/sh
# Traces of first executions without an instrumented build (csspgo record --first) beside clang's instrumented ones: pages
# of code that a start touches with functions in the orders of both, and the CPU time of a traced start (perf). Three programs:
# that of startup.sh, and nasm and git, whose sources are fetched from Debian. make -C bench startup calls this behind
# startup.sh. Needs what that needs, and apt-get source. Argument: runs of each (5).
RUNS=${1:-5}
B=build/startup
T=${TOOL:-build/csspgo}
UNITS="$(cat $B/units)"
[ "$(id -u)" = 0 ] || { echo "startup_first: skipped: needs root, for a disk of its own"; exit 0; }
TRACED="-fprofile-generate -mllvm -pgo-temporal-instrumentation -mllvm -disable-vp -mllvm -disable-preinline"
PLAIN="-ffunction-sections"
mkdir -p $B/debian
D=$(cd $B && pwd)
ordered() { echo "-fuse-ld=lld-19 -Wl,--no-warn-symbol-ordering ${1:+-Wl,--symbol-ordering-file=$D/$1}"; }

# ----- a program: fetched NAME; linked_NAME HOW [ORDER]; traced_NAME; ways_NAME, the last one untrained; run_NAME PROGRAM WAY

fetched() {
    [ -d $B/debian/$1 ] && return 0
    (cd $B/debian && apt-get source -q -y $1 >/dev/null 2>&1 && mv $1-*/ $1 && cp -r $1 $1.traced) || return 1
}

linked_app() { clang++-19 $(ordered $2) -o $B/app.$1 $(for u in $UNITS; do echo $B/$u.o; done) -lm; }
traced_app() { clang++-19 -fuse-ld=lld-19 -fprofile-generate -o $B/app.traced $(for u in $UNITS; do echo $B/$u.traced.o; done) -lm; }
ways_app="server editor report gallery console"
run_app() { command=$1 way=$2; shift 2; "$@" $command $B/data $way ${DAY:-9}; }

nasm() {                          # nasm DIRECTORY CFLAGS
    (cd $B/debian/$1 && { [ -x configure ] || sh autogen.sh; } && { [ -f Makefile ] ||
        ./configure -q CC=clang-19 CFLAGS="-O2 -w $2"; } && rm -f nasm && make -s nasm LDFLAGS="$3") >$B/nasm.log 2>&1
}
linked_nasm() { nasm nasm "$PLAIN" "$(ordered $2)" && cp $B/debian/nasm/nasm $B/nasm.$1; }
traced_nasm() { nasm nasm.traced "$TRACED" "-fuse-ld=lld-19 -fprofile-generate" && cp $B/debian/nasm.traced/nasm $B/nasm.traced; }
ways_nasm="elf64 bin listing version"
run_nasm() {
    command=$1 way=$2
    shift 2
    case $way in
        elf64) "$@" $command -f elf64 -o $B/out $B/start.asm ;;
        bin) "$@" $command -f bin -o $B/out $B/start.asm ;;
        listing) "$@" $command -f elf64 -g -l $B/list -o $B/out $B/start.asm ;;
        version) "$@" $command -v ;;
    esac
}

git_make() {                      # git_make DIRECTORY CFLAGS LDFLAGS
    (cd $B/debian/$1 && make -s CC=clang-19 NO_CURL=1 NO_OPENSSL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_PERL=1 NO_PYTHON=1 NO_TCLTK=1 NO_REGEX=NeedsStartEnd \
        CFLAGS="-O2 -w $2" LDFLAGS="$3" git) >$B/git.log 2>&1
}
linked_git() { git_make git "$PLAIN" "$(ordered $2)" && cp $B/debian/git/git $B/git.$1; }
traced_git() { git_make git.traced "$TRACED" "-fuse-ld=lld-19 -fprofile-generate" && cp $B/debian/git.traced/git $B/git.traced; }
ways_git="status log diff grep"
run_git() {
    command=$1 way=$2
    shift 2
    case $way in
        status) "$@" $command -C $B/repository status ;;
        log) "$@" $command -C $B/repository log --stat ;;
        diff) "$@" $command -C $B/repository diff HEAD~1 ;;
        grep) "$@" $command -C $B/repository grep -n one ;;
    esac
}

cat >$B/start.asm <<'ASM'
%macro twice 1
    add rax, %1
    add rax, %1
%endmacro
    bits 64
start: mov rax, 1
%rep 20
    twice rbx
    lea rcx, [rax + 4 * rbx + 16]
%endrep
    jmp start
    db "text", 10
    dq 1.5, 0x1234
ASM
rm -rf $B/repository
mkdir $B/repository
repository() { git -C $B/repository -c user.name=x -c user.email=x@x "$@" >/dev/null 2>&1; }
repository init && for n in one two three; do
    for f in 1 2 3 4 5 6 7 8 9; do echo "$n $f" >>$B/repository/$f; done
    repository add -A
    repository commit -m $n
done

trained() { echo $1 | sed 's/ [^ ]*$//'; }
# orders PROGRAM: traces of both kinds, and the orders of them
orders() {
    p=$1
    eval "ways=\$ways_$p"
    linked_$p none && traced_$p || return 1
    rm -f $B/$p.*.profraw $B/$p.*.first
    for way in $(trained "$ways"); do
        for DAY in 1 2 3; do
            LLVM_PROFILE_FILE=$D/$p.$way.$DAY.profraw run_$p $D/$p.traced $way >/dev/null 2>&1
            run_$p $D/$p.none $way $T record --quiet --first --binary=$B/$p.none -o $B/$p.$way.$DAY.first -- >/dev/null 2>&1
        done
    done
    unset DAY
    for k in profraw first; do
        llvm-profdata-19 merge --num-threads=1 --temporal-profile-max-trace-length=100000 -o $B/$p.$k.profdata $B/$p.*.$k 2>/dev/null &&
            llvm-profdata-19 order $B/$p.$k.profdata -o $B/$p.llvm_$k.order &&
            $T order --quiet --binary=$B/$p.none $B/$p.*.$k -o $B/$p.ours_$k.order || return 1
    done
    for o in $ORDERS; do [ $o = none ] || linked_$p $o $p.$o.order || return 1; done
}
ORDERS="none llvm_profraw ours_profraw llvm_first ours_first"

mounted=
trap 'status=$?; [ -z "$mounted" ] || umount $B/disk; rm -f $B/disk.img; exit $status' EXIT INT TERM
rm -f $B/disk.img
truncate -s 300M $B/disk.img && mkfs.ext4 -q -F -O ^has_journal $B/disk.img && mkdir -p $B/disk && mount -o loop $B/disk.img $B/disk ||
    { echo "startup_first: skipped: cannot mount a file"; exit 0; }
mounted=1
echo 0 >/sys/block/$(basename $(findmnt -no SOURCE $B/disk))/queue/read_ahead_kb

# pages PROGRAM ORDER: page faults of all ways, median of the runs
pages() {
    eval "ways=\$ways_$1"
    rm -f $B/cold.$1.*
    for run in $(seq $RUNS); do
        for way in $ways; do
            dd if=$B/disk/$1.$2 iflag=nocache count=0 status=none
            COLD=$D/cold.$1.$way run_$1 $D/disk/$1.$2 $way env LD_PRELOAD=$D/cold.so >/dev/null 2>&1
        done
    done
    awk '{ s[FNR] += $1 } END { for (i in s) print s[i] }' $B/cold.$1.* | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# took COMMAND...: CPU time of the command and of what it runs, the lowest of the runs, in ms; other load does not change it much
took() {
    for run in $(seq $((3 * RUNS))); do
        perf stat -x, -e task-clock -o $B/took "$@" >/dev/null 2>&1 && sed -n 's/^\([0-9.]*\),.*task-clock.*/\1/p' $B/took
    done | sort -n | awk 'NR == 1 { printf "%.1f", $1 } END { if (NR == 0) printf "-" }'
}
echo "machine:  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $(uname -sr); load $(cut -d' ' -f1 /proc/loadavg)"
echo "| program | .text, KB | functions ordered: instrumented, --first | as linked | llvm-profdata-19 order, instrumented | csspgo order, instrumented | llvm-profdata-19 order, --first | csspgo order, --first | start, ms of CPU | with record --first |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for p in app nasm git; do
    [ $p = app ] || fetched $p || { echo "startup_first: $p: skipped: apt-get source fetches nothing"; continue; }
    orders $p || { echo "startup_first: $p does not build: see $B/$p.log"; continue; }
    for o in $ORDERS; do cp $B/$p.$o $B/disk/ || exit 1; done
    sync
    row="$p | $(size -A $B/$p.none | awk '$1 == ".text" { printf "%d", $2 / 1024 }') | $(for k in profraw first; do grep -vc '^#' $B/$p.ours_$k.order; done | paste -sd, | sed 's/,/, /')"
    for o in $ORDERS; do row="$row | $(pages $p $o)"; rm -f $B/disk/$p.$o; done
    eval "ways=\$ways_$p"
    way=${ways%% *}
    alone=$(run_$p $B/$p.none $way took)
    traced=$(run_$p $B/$p.none $way took $T record --quiet --first --binary=$B/$p.none -o $B/timed --)
    echo "| $row | $alone | $traced |"
done
