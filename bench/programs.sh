#!/bin/sh
# What profiles are worth on programs that other people wrote: Debian's sources of zopfli, bzip2, lz4, Lua, duktape, mawk
# and pugixml, built by clang 19 at -O2 without a profile, with those of `csspgo record` by line and by probe, with those
# that csspgo and llvm-profgen-19 make of an exact run, and with instrumented PGO, alone and with its context-sensitive
# second pass. What is recorded and what is measured are different inputs. Instructions are callgrind's.
# Run in bench/; needs x86-64 Linux, clang-19, llvm-19, lld-19, valgrind, qemu-user and deb-src lines (a program that cannot
# be fetched is left out). Arguments: recordings of each kind by `record` (3), programs. COMPILERS: one or more of
# clang (-O2, the table above), thinlto (clang -O3 -flto=thin) and gcc (-O2, -fauto-profile beside -fprofile-use).
RECORDINGS=${1:-3} PROGRAMS=${2:-zopfli bzip2 lz4 lua duktape mawk pugixml}
COMPILERS=${COMPILERS:-clang} OPT=-O2
B=build/programs
mkdir -p $B
T=../examples/build/csspgo
make -s build/windows build/trace.so && make -s -C ../examples build/csspgo || exit 1
RECORDED="-g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -no-pie -fuse-ld=lld"
PROBES=-fpseudo-probe-for-profiling LINES=-fdebug-info-for-profiling

# fetched PROGRAM: its sources into $S
fetched() {
    package=$1
    [ $1 != lua ] || package=lua5.4
    (cd $B && ls -d $package-*/ >/dev/null 2>&1 || apt-get source -q -y $package >/dev/null 2>&1)
    S=$(ls -d $B/$package-*/ 2>/dev/null | head -1)
    [ -n "$S" ] || { echo "SKIPPED: $1 cannot be fetched"; return 1; }
    S=${S%/}
}
# part FILE FROM BYTES: of the header, as text that has nothing to do with the programs
part() { [ -s $1 ] || tail -c +$2 ../csspgo.h | head -c $3 >$1; }
# A run of half a second or more is recorded: 4,000 samples.
# inputs PROGRAM: what is compiled ($sources, $more), what is trained, what is measured
inputs() {
    part $B/train.txt 1 1200000
    [ -s $B/long.txt ] || for i in 1 2 3; do cat $B/train.txt ../README.md $B/train.txt ../bench/README.md $B/train.txt ../tests/README.md; done >$B/long.txt
    part $B/other.txt 1500000 300000
    more= cxx=clang-19
    case $1 in
    zopfli) sources=$(ls $S/src/zopfli/*.c) train="-c --i1 $B/small.train" measured="-c --i1 $B/small.other"
        part $B/small.train 1 600000; part $B/small.other 1500000 600 ;;
    bzip2) sources=$(ls $S/*.c | grep -E '/(blocksort|huffman|crctable|randtable|compress|decompress|bzlib|bzip2)\.c$') train="-c $B/long.txt" measured="-c $B/other.txt" ;;
    lz4) sources="$S/lib/*.c $S/programs/*.c" more="-I$S/lib -DXXH_NAMESPACE=LZ4_" train="-9 -q -c $B/long.txt" measured="-9 -q -c $B/other.txt" ;;
    lua) sources=$(ls $S/src/*.c | grep -v luac.c) more="-DLUA_USE_POSIX -I$B" train="programs/train.lua 25000" measured="programs/other.lua 3"
        echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >$B/lua5.4-deb-multiarch.h ;;
    duktape) sources="$S/src/duktape.c $S/examples/cmdline/duk_cmdline.c $S/extras/print-alert/duk_print_alert.c $S/extras/console/duk_console.c $S/extras/logging/duk_logging.c $S/extras/module-duktape/duk_module_duktape.c"
        more="-I$S/src -I$S/examples/cmdline -I$S/extras/print-alert -I$S/extras/console -I$S/extras/logging -I$S/extras/module-duktape -DDUK_CMDLINE_PRINTALERT_SUPPORT -DDUK_CMDLINE_CONSOLE_SUPPORT"
        train="programs/train.js" measured="programs/other.js" ;;
    mawk) [ -s $S/config.h ] || (cd $S && CC=clang-19 ./configure && make CFLAGS='-O1 -w') >/dev/null 2>&1
        sources=$(sed 's/ [^ ]*$//; s/.* //' /dev/null; for o in $S/*.o; do [ $o = $S/makescan.o ] || echo ${o%.o}.c; done) more="-DHAVE_CONFIG_H -I$S"
        train="-f programs/train.awk $B/long.txt" measured="-f programs/other.awk $B/other.txt" ;;
    pugixml) sources="$S/src/pugixml.cpp programs/pugi.cpp" more="-I$S/src" cxx=clang++-19 train="8000 1" measured="6 2" ;;
    esac
}
# built NAME FLAGS: the program of $sources
built() { $cxx $OPT -w -o $B/$1 $2 $more $sources -lm 2>$B/said || { head -5 $B/said; return 1; }; }
# counted NAME: instructions on what is measured
counted() { valgrind --tool=callgrind --callgrind-out-file=/dev/null $B/$1 $measured 2>&1 >/dev/null | sed -n 's/.*Collected : //p'; }
# change NAME: its instructions, in percent of those without a profile; gain NAME FLAGS: those of a build with one
change() { awk -v a=$(counted $1) -v b=$base 'BEGIN { printf "%+.1f\n", 100 * (a / b - 1) }'; }
gain() { built $1 "$2" && change $1 || echo "?"; }
# spread GAIN...: the mean, and the worst if there are several
spread() { echo $* | awk '{ worst = $1; for (i = 1; i <= NF; i++) { sum += $i; if ($i > worst) worst = $i } if (NF > 1) printf "%+.1f (%+.1f)", sum / NF, worst; else printf "%+.1f", sum }'; }
# recorded NAME KIND: gains of RECORDINGS recordings by bursts
recorded() {
    for i in $(seq $RECORDINGS); do
        $T record --quiet -o $B/$1.data -- $B/$1.$2 $train >/dev/null 2>$B/said && $T profgen --quiet --binary=$B/$1.$2 --perfdata=$B/$1.data -o $B/$1.prof --max-dropped=100 2>$B/said || { echo "?"; return; }
        gain $1.used "$3 -fprofile-sample-use=$B/$1.prof"
    done
}
# exact NAME TOOL...: the gain by a profile of the exact run
exact() {
    n=$1
    shift
    "$@" --binary=$B/$n.probes --perfscript=$B/$n.ps --output=$B/$n.prof >/dev/null 2>$B/said || { echo "?"; return; }
    gain $n.used "$PROBES -fprofile-sample-use=$B/$n.prof"
}
# instrumented NAME: the gains of instrumented PGO, and with a second, context-sensitive pass
instrumented() {
    built $1.gen -fprofile-generate=$B/$1.raw && rm -rf $B/$1.raw && $B/$1.gen $train >/dev/null 2>&1
    llvm-profdata-19 merge -o $B/$1.profdata $B/$1.raw 2>$B/said || { echo "? ?"; return; }
    first=$(gain $1.used -fprofile-use=$B/$1.profdata)
    built $1.gen "-fprofile-use=$B/$1.profdata -fcs-profile-generate=$B/$1.csraw" && rm -rf $B/$1.csraw && $B/$1.gen $train >/dev/null 2>&1
    llvm-profdata-19 merge -o $B/$1.csprofdata $B/$1.csraw $B/$1.profdata 2>$B/said || { echo "$first ?"; return; }
    echo "$first $(gain $1.used -fprofile-use=$B/$1.csprofdata)"
}
program() {
    fetched $1 && inputs $1 && built $1.none "" && built $1.probes "$PROBES $RECORDED" && built $1.lines "$LINES $RECORDED" || return
    base=$(counted $1.none)
    traced $1 $1.probes
    lines=$(spread $(recorded $1 lines "$LINES")) probes=$(spread $(recorded $1 probes "$PROBES"))
    ours=$(exact $1 $T profgen --quiet --max-dropped=100) llvms=$(exact $1 llvm-profgen-19)
    set -- $1 $(instrumented $1)
    echo "| $1 | $(awk "BEGIN { printf \"%.1f\", $base / 1e6 }") | $lines | $probes | $ours | $llvms | $2 | $3 |"
}
# traced NAME PROGRAM: samples of an exact run
traced() {
    qemu-x86_64 -plugin build/trace.so,out=$B/trace,start=0x$(nm $B/$2 | awk '$3 == "main" { print $1 }'),max=40000000 $B/$2 $train >/dev/null 2>&1
    build/windows $B/trace $B/$2 100000 >$B/$1.ps
    rm -f $B/trace
}
thinlto_program() {
    fetched $1 && inputs $1 && built $1.none "" && built $1.probes "$PROBES $RECORDED" || return
    base=$(counted $1.none)
    traced $1 $1.probes
    probes=$(spread $(recorded $1 probes "$PROBES"))
    ours=$(exact $1 $T profgen --quiet --max-dropped=100) llvms=$(exact $1 llvm-profgen-19)
    set -- $1 $(instrumented $1)
    echo "| $1 | $(awk "BEGIN { printf \"%.1f\", $base / 1e6 }") | $probes | $ours | $llvms | $2 | $3 |"
}
# auto NAME: the gain by gcc's form of a profile; where a pass of gcc 12 crashes (internal compiler error), without that pass
auto() {
    for without in "" -fno-ipa-cp-clone -fno-tree-vectorize; do
        built $1.used "-fauto-profile=$B/$1.afdo $without" >/dev/null && { change $1.used; return; }
    done
    echo "?"
}
gcc_recorded() {
    for i in $(seq $RECORDINGS); do
        $T record --quiet -o $B/$1.data -- $B/$1.lines $train >/dev/null 2>$B/said && $T profgen --quiet --binary=$B/$1.lines --perfdata=$B/$1.data --format=gcc -o $B/$1.afdo --max-dropped=100 2>$B/said || { echo "?"; return; }
        auto $1
    done
}
# gcc names counters after the program: it is built under one name twice
gcc_instrumented() {
    rm -f $B/$1.pgo-*.gcda
    built $1.pgo -fprofile-generate && $B/$1.pgo $train >/dev/null 2>&1 && gain $1.pgo -fprofile-use || echo "?"
}
gcc_program() {
    fetched $1 && inputs $1 || return
    case $cxx in clang++*) cxx=g++ ;; *) cxx=gcc ;; esac
    built $1.none "" && built $1.lines "-g -fno-omit-frame-pointer -no-pie" || return
    base=$(counted $1.none)
    traced $1 $1.lines
    lines=$(spread $(gcc_recorded $1))
    $T profgen --quiet --max-dropped=100 --binary=$B/$1.lines --perfscript=$B/$1.ps --format=gcc -o $B/$1.afdo 2>$B/said
    echo "| $1 | $(awk "BEGIN { printf \"%.1f\", $base / 1e6 }") | $lines | $(auto $1) | $(gcc_instrumented $1) |"
}
for c in $COMPILERS; do
    case $c in
    clang) echo "| clang -O2 | M instructions | record, by line | record, by probe | exact, csspgo | exact, llvm-profgen-19 | instrumented | and context-sensitive |"
        echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
        for p in $PROGRAMS; do program $p; done ;;
    thinlto) OPT="-O3 -flto=thin -fuse-ld=lld"
        echo "| clang -O3, ThinLTO | M instructions | record, by probe | exact, csspgo | exact, llvm-profgen-19 | instrumented | and context-sensitive |"
        echo "| --- | --- | --- | --- | --- | --- | --- |"
        for p in $PROGRAMS; do thinlto_program $p; done ;;
    gcc) OPT=-O2
        echo "| gcc -O2 | M instructions | record | exact, csspgo | instrumented |"
        echo "| --- | --- | --- | --- | --- |"
        for p in $PROGRAMS; do gcc_program $p; done ;;
    esac
    echo
done
