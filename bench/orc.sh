#!/bin/sh
# examples/orc on four programs of Debian's sources: an interpreter (lua5.4), a compressor (lz4), an XML parser (expat), and
# all three in turn. Instructions of ten rounds (callgrind): each tier's objects, linked as they stood in the JIT, beside the same
# bitcode compiled ahead of time at -O2 without and with an instrumented profile. Training input and measured input differ.
# Run in bench/; needs llvm-19-dev, clang-19, libclang-rt-19-dev, llvm-19, valgrind. SECONDS_EACH: of a run [10]
B=build/orc
S=${SECONDS_EACH:-10}
PROGRAMS=${*:-lua lz4 expat mix}
[ -f /usr/include/llvm-c-19/llvm-c/LLJIT.h ] || { echo "orc: skipped: needs llvm-19-dev"; exit 0; }
mkdir -p $B/parts $B/apt/parts $B/apt/lists/partial
make -s -C ../examples orc || exit 1
JIT=../examples/build/orc

# sources: those of the packages' first version in this release, by apt's own list with deb-src for deb
fetch() {
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
        [ ! -f $f ] || sed 's/^Types: deb$/Types: deb-src/; s/^deb /deb-src /' $f >$B/apt/parts/${f##*/}
    done
    [ ! -f $B/apt/parts/sources.list ] || mv $B/apt/parts/sources.list $B/apt/parts/main.list
    set -- -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$PWD/$B/apt/parts/ -o Dir::State::lists=$PWD/$B/apt/lists
    apt-get "$@" update >$B/apt/said 2>&1
    for p in lua5.4 lz4 expat; do
        (cd $B && apt-get "$@" --download-only source $p >>apt/said 2>&1)
        mkdir -p $B/$p
        tar xf $(ls $B/${p}_*.orig.tar.* | head -1) --strip-components=1 -C $B/$p || exit 1
    done
}
[ -d $B/expat ] || fetch
sources() {
    case $1 in
    lua) ls $B/lua5.4/src/*.c | grep -v '/luac\?\.c$' ;;
    lz4) echo $B/lz4/lib/lz4.c $B/lz4/lib/lz4hc.c ;;
    expat) E=$B/expat; [ ! -d $E/expat ] || E=$E/expat; echo $E/lib/xmlparse.c $E/lib/xmlrole.c $E/lib/xmltok.c ;;
    mix) sources lua; sources lz4; sources expat ;;
    esac
}
printf '#define %s 1\n' XML_GE XML_DTD XML_NS HAVE_GETRANDOM HAVE_MEMMOVE >$B/expat_config.h
printf '#define XML_CONTEXT_BYTES 1024\n#define BYTEORDER 1234\n' >>$B/expat_config.h
FLAGS="-O2 -g1 -w -fPIC -fpseudo-probe-for-profiling -funique-internal-linkage-names -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
       -Xclang -disable-llvm-passes -emit-llvm -c -DLUA_USE_POSIX -DHAVE_EXPAT_CONFIG_H -I$B -I$B/lua5.4/src -I$B/lz4/lib
       -I$B/expat/lib -I$B/expat/expat/lib"
build() {      # build PROGRAM: bitcode, and what clang makes of it ahead of time
    with=; for w in LUA LZ4 EXPAT; do case $w,$1 in LUA,lua | LZ4,lz4 | EXPAT,expat | *,mix) with="$with -DWITH_$w" ;; esac; done
    clang-19 $FLAGS $with -o $B/$1.driver.bc orc/driver.c || exit 1
    parts=$B/$1.driver.bc
    for f in $(sources $1); do
        o=$B/parts/$(basename $f .c).bc
        [ -f $o ] || clang-19 $FLAGS '-Dluai_makeseed(L)=1' -o $o $f || exit 1
        parts="$parts $o"
    done
    llvm-link-19 -o $B/$1.bc $parts || exit 1
    clang-19 -O2 -w -s -o $B/$1.plain $B/$1.bc -lm
    clang-19 -O2 -w -fprofile-generate -o $B/$1.gen $B/$1.bc -lm
    LLVM_PROFILE_FILE=$B/$1.raw $B/$1.gen 3 0 >/dev/null 2>&1
    llvm-profdata-19 merge -o $B/$1.profdata $B/$1.raw
    clang-19 -O2 -w -s -fprofile-use=$B/$1.profdata -o $B/$1.pgo $B/$1.bc -lm
}
instructions() {   # instructions PROGRAM: million, of ten rounds
    for n in 3 13; do valgrind --tool=callgrind --callgrind-out-file=/dev/null $1 1000 1 $n 2>&1 >/dev/null | sed -n 's/.*refs: *//p' | tr -d ,; done |
        awk 'NR == 1 { a = $1 } NR == 2 { printf "%.1f", ($1 - a) / 1e6 }'
}
link() {           # link NAME TIER: a program of the code as it stood when that tier came
    o=$B/$1.1.o; [ $2 = 1 ] || o="$o $B/$1.$2.o"
    [ -f $B/$1.$2.s ] && cc -s -o $B/$1.$2 $o $B/$1.$2.s -lm
}
run() {            # run PROGRAM NAME OPTION...
    p=$1 name=$2; shift 2
    rm -f $B/$name.[0-9]*
    $JIT --report --keep=$B/$name "$@" $B/$p.bc $S 0 >$B/$name.rounds 2>$B/$name.said || cat $B/$name.said
    for t in 1 2 3; do link $name $t; done
}
cpu() { awk '{ t[NR] = $1; v[NR] = $2 } END { for (i = int(NR * 3 / 4) + 1; i <= NR; i++) print v[i] }' $1 | sort -n | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }'; }

echo "machine:  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $(uname -sr), load $(cut -d' ' -f1 /proc/loadavg)"
echo "compiler: $(clang-19 --version | head -1), -O2; runs of $S s"
echo "million instructions of ten rounds; share: of the gain of PGO ahead of time, tier 3 beside no profile, with LLVM's and with csspgo's inliner"
echo
echo "| program | tier 1 | no profile | tier 2 | tier 3 | tier 3, csspgo's inliner | warm start | ahead: -O2 | ahead: PGO | share | tier 2, 3 at s | look at stack, longest us | CPU ms a round: no profile, tier 3 |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for p in $PROGRAMS; do
    build $p
    run $p $p.none --no-profile
    run $p $p.own --inline
    run $p $p.prof --save=$B/$p.prof.saved
    run $p $p.warm --tier1 --load=$B/$p.prof.saved
    last() { if [ -f $B/$1.3 ]; then echo $B/$1.3; else echo $B/$1.2; fi; }
    one=$(instructions $B/$p.prof.1) none=$(instructions $(last $p.none)) two=$(instructions $B/$p.prof.2) three=$(instructions $(last $p.prof))
    own=$(instructions $(last $p.own)) warm=$(instructions $B/$p.warm.1) plain=$(instructions $B/$p.plain) pgo=$(instructions $B/$p.pgo)
    share=$(echo $none $three $own $plain $pgo | awk '{ g = (1 - $5 / $4) / 100; printf "%.0f, %.0f %%", (1 - $2 / $1) / g, (1 - $3 / $1) / g }')
    at=$(sed -n 's/^orc: tier [23] at \([0-9.]*\) s.*/\1/p' $B/$p.prof.said | paste -sd' ')
    look=$(sed -n 's/.*look at the stack \([0-9.]*\) us.*/\1/p' $B/$p.prof.said)
    echo "| $p | $one | $none | $two | $three | $own | $warm | $plain | $pgo | $share | $at | $look | $(cpu $B/$p.none.rounds), $(cpu $B/$p.prof.rounds) |"
done
