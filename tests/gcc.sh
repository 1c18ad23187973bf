#!/bin/sh
# csspgo profgen --format=gcc: a recorded program's profile reaches gcc's blocks through -fauto-profile, names have no
# suffixes of clones, inlinees count for their functions. FULL=1: C++ programs run fewer instructions. Run in tests/.
HERE=$(pwd)
B=$HERE/build/gcc
rm -rf $B
mkdir -p $B
. ./t.sh
T=$HERE/build/plain/csspgo
make -s build/plain/csspgo || { fail "the tool does not build"; finish; }
D=data/lines
lines() { (cd $D/bin && exec $T profgen --quiet --format=gcc "$@") 2>$B/err; }
lines --binary=clones.gcc --perfscript=../in/clones.perfscript -o $B/clones

# ----- the form
text() { $T merge --quiet --text $1; }
version() { od -An -tu1 -j4 -N1 $1 | tr -d ' '; }
check "version 2, for GCC 12 and later" [ "$(version $B/clones)" = 2 ]
for v in llvm:42 1:1 2:2 3:3; do
    lines --binary=clones.gcc --perfscript=../in/clones.perfscript --gcov-version=${v%:*} -o $B/other
    check "--gcov-version=${v%:*}" [ "$(version $B/other)" = ${v#*:} ]
done
# GCC 12 takes the last position of a line, whatever its discriminator: that is the one with the largest count
printf 'f:10:1\n 2: 99\n 3: 5\n 3.1: 9\n 3.2: 7\n 4: 50\n' >$B/lines.txt
for v in 1 2; do
    $T merge --quiet --gcc --gcov-version=$v $B/lines.txt -o $B/lines.afdo
    check "version $v: the largest count of a line is its last" sh -c "od -An -v -tx1 $B/lines.afdo | tr -d ' \\n' |
        grep -q '000003000000000005000000000000000200030000000000070000000000000001000300000000000900'"
done
# version 3, for GCC 16: files of functions keep static ones of one name apart, times of first samples
mkdir -p $B/made && perl make_gcov3.pl $B/made
check "the vectors of version 3 are what make_gcov3.pl makes" diff -r $B/made data/formats/gcov3
G=data/formats/gcov3/two-files.afdo
for o in --gcov-version=3 "--gcov-version=3 -j 3 $G"; do
    $T merge --quiet --gcc $o $G -o $B/two.3
    $T show $B/two.3 2>/dev/null | grep -o '^Function: [^:]*' | sort >$B/names
    check "merge $o keeps files" sh -c "printf 'Function: %s\n' 'a.c;foo' 'dir/b.c;foo' main | cmp - $B/names"
done
$T merge --quiet --gcc --gcov-version=3 $G -o $B/two.3
check "... and times" cmp $G $B/two.3
# FILE;NAME, mangled
printf '_ZN1a1fEi:5:1\n 1: 5\n' >$B/named.txt
$T merge --quiet --gcc --gcov-version=3 $B/named.txt -o $B/named.afdo
perl -0777 -pi -e 's/\x00\x00\x00\xaa(....)\x00\x00\x00\x00(.*_ZN1a1fEi\x00)\xff\xff\xff\xff/\x00\x00\x00\xaa$1\x01\x00\x00\x00\x05\x00\x00\x00f.cc\x00$2\x00\x00\x00\x00/s' $B/named.afdo
check "names behind files are demangled" [ "$($T show $B/named.afdo 2>/dev/null | grep -o '^Function: f.cc;a::f')" = 'Function: f.cc;a::f' ]
# sums_up NAME COMMAND...: without files the two functions are one
sums_up() {
    name=$1
    shift
    "$@" >$B/out 2>$B/err
    check "$name: no files" sh -c "[ -s $B/out ] && ! grep -q ';foo' $B/out && grep -q foo $B/out"
}
sums_up "merge --text" $T merge --quiet --text $G
check "... and their counts are added up" grep -q '^foo:40:10$' $B/out
for v in llvm 1 2; do
    $T merge --quiet --gcc --gcov-version=$v $G -o $B/two.$v
    sums_up "--gcov-version=$v" $T show $B/two.$v
done
sums_up flame $T flame $G
sums_up overlap $T overlap --function=foo $G $B/two.2
$T profgen --quiet --llvm-sample-profile=$G --binary=$D/bin/clones.gcc --format=text -o $B/given.txt 2>$B/err
sums_up "profgen --llvm-sample-profile" cat $B/given.txt

(cd $D/bin && $T profgen --quiet --format=gcov --binary=clones.gcc --perfscript=../in/clones.perfscript -o $B/other)
check "gcov is gcc" cmp $B/clones $B/other
lines --binary=shapes.g --perfscript=../in/shapes.g.perfscript -o $B/shapes
for p in clones shapes; do
    text $B/$p >$B/$p.txt
    check "$p: names without suffixes" sh -c "[ -s $B/$p.txt ] && ! grep -q '^ *\([0-9.]*: \)\{0,1\}[A-Za-z_0-9]*[.][^:]*:[0-9]*\(:[0-9]*\)\{0,1\}$' $B/$p.txt"
    check "$p: what ran was entered" sh -c "! grep -q '^[^ ].*:[1-9][0-9]*:0$' $B/$p.txt"
done

# ----- files and times of a program
mkdir -p $B/two/src
cat >$B/two/src/a.c <<'EOF'
static volatile int sink;
static __attribute__((noinline)) int work(int n) { int s = 0; while (n--) s += n ^ sink; return s; }
static int both(int n) { return n * 3 + sink; }
int a(int n) { return work(n) + both(n); }
EOF
cat >$B/two/b.c <<'EOF'
static volatile int sink;

static __attribute__((noinline)) int work(int n) { int s = 1; while (n--) s ^= n * 3 + sink; return s; }
int a(int);
static int both(int n) { return n * 5 + sink; }
int main(void) { return a(10) + both(2) == work(3); }
EOF
# built NAME COMMAND...: the two files by a compiler, with samples at both functions `work`, at 3, 2, 7 and 5 seconds
built() {
    name=$1
    shift
    if ! have $1; then
        skip "gcc: $1 is not installed"
        return
    fi
    if ! (cd $B/two && "$@" -O2 -no-pie -o $name src/a.c b.c) 2>$B/err; then
        skip "gcc: $* does not build: $(tail -1 $B/err)"
        return
    fi
    nm $B/two/$name | awk '$3 ~ /^work/ { print $1 }' >$B/at
    awk 'BEGIN { t[1] = "3.000000 2.000000"; t[2] = "7.000001 5.000002" }
        { n = split(t[NR], v, " "); for (i = 1; i <= n; i++) printf "two 1/1 %s: \n\t%s\n\n", v[i], $1 }' $B/at >$B/two/$name.ps
    (cd $B/two && $T profgen --quiet --binary=$name --perfscript=$name.ps --format=gcc --gcov-version=3 -o $name.3 &&
        $T profgen --quiet --binary=$name --perfscript=$name.ps --format=gcc -o $name.2) 2>$B/err
    $T show $B/two/$name.3 2>/dev/null | grep -o '^Function: [^:]*' | sort >$B/names
    check "$name: each function has its file" sh -c "printf 'Function: %s\n' 'b.c;work' 'src/a.c;work' | cmp - $B/names"
    od -An -v -tx1 $B/two/$name.3 | tr -d ' \n' >$B/hex
    check "$name: the first sample of each" sh -c "grep -q 0094357700000000 $B/hex && grep -q d0f9052a01000000 $B/hex"
    check "$name: version 2 adds them up" [ "$($T show $B/two/$name.2 2>/dev/null | grep -c '^Function: work:')" = 1 ]
}
for v in 4 5; do
    built gcc-dwarf$v gcc -g -gdwarf-$v
    built clang-dwarf$v clang-19 -g -gdwarf-$v -fdebug-info-for-profiling
done
# of perf.data, whose times begin at 1000; the first sample of the second function is the third of all
if [ -s $B/two/gcc-dwarf5 ]; then
    perl make_cgroups.pl plain $B/two/gcc-dwarf5 $(nm $B/two/gcc-dwarf5 | awk '$3 ~ /^work/ { print $1; last = $1 } END { print last }') >$B/two/times.data
    (cd $B/two && $T profgen --quiet --binary=gcc-dwarf5 --perfdata=times.data --format=gcc --gcov-version=3 -o times.3) 2>$B/err
    od -An -v -tx1 $B/two/times.3 | tr -d ' \n' >$B/hex
    check "times of perf.data" sh -c "grep -q e803000000000000 $B/hex && grep -q ea03000000000000 $B/hex"
fi
built gcc-lto gcc -g -flto
built gcc-path gcc -g -fdebug-prefix-map=$B=/build
built gcc-compressed gcc -g -gz

# ----- gcc takes it
if ! [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || ! gcc --version 2>/dev/null | grep -q 'Free Software' ||
    ! gcc --help=common 2>/dev/null | grep -q -e '-fauto-profile'; then
    skip "gcc: not x86-64 Linux with a gcc that has -fauto-profile"
    finish
fi
RELEASE=$(gcc -dumpversion | sed 's/[.].*//')
VERSION=2
[ $RELEASE -ge 12 ] || VERSION=1
[ $RELEASE -lt 16 ] || VERSION=3
gcc -O2 -g -no-pie -o $B/hot programs/hot.c && $T record --quiet --software --period=50 -o $B/hot.ps $B/hot $(size 300 3000) >/dev/null 2>$B/err
if ! [ -s $B/hot.ps ]; then
    skip "gcc: cannot record here: $(tail -1 $B/err)"
    finish
fi
# used NAME PROFILE: hot.c built with a profile, and what gcc knows of its blocks: function, largest and smallest count
used() {
    rm -f $B/$1*.afdo
    gcc -O2 -no-pie -fauto-profile=$2 -fdump-ipa-afdo -dumpdir $B/$1. -o $B/$1 programs/hot.c 2>$B/$1.said
    cat $B/$1*.afdo | awk '/^[a-z].*\)$/ { f = $0; sub(/ *\(.*/, "", f); sub(/.* /, "", f); most[f] = least[f] = "?" }
        /<bb [0-9]*> \[count: [0-9]+\]/ { n = $NF; sub(/\]:/, "", n); n += 0
            if (most[f] == "?" || n > most[f]) most[f] = n
            if (least[f] == "?" || n < least[f]) least[f] = n }
        END { for (f in most) print f, most[f], least[f] }' | sort
}
$T profgen --quiet --binary=$B/hot --perfscript=$B/hot.ps --format=gcc --gcov-version=$VERSION -o $B/hot.afdo
used with $B/hot.afdo >$B/blocks
check "gcc reads it without a word" [ ! -s $B/with.said ]
blocks() { awk -v f=$1 "\$1 == f && $2 { ok = 1 } END { exit !ok }" $B/blocks; }
check "the loop of main is known to run" blocks main '$2 > 100'
check "the loop of large is hot" blocks large '$2 > 2000'
check "... and its error path is not" blocks large '$3 == 0'
check "an inlined function has its counts" blocks add '$2 > 100'
check "the program does what it did" [ "$($B/hot 50)" = "$($B/with 50)" ]

# ----- fewer instructions
instructions() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'; }
# fewer NAME BEFORE AFTER ARGUMENTS...
fewer() {
    name=$1 before=$2 after=$3
    shift 3
    n=$(instructions $before "$@") m=$(instructions $after "$@")
    if [ -n "$n" ] && [ -n "$m" ] && [ $m -lt $n ]; then pass; else fail "$name: $n instructions, $m with the profile"; fi
}
[ -n "$FULL" ] || finish
if ! have valgrind; then
    skip "gcc: valgrind is not installed"
    finish
fi
fewer "hot.c" $B/hot $B/with 20000
for p in json:nlohmann/json.hpp rapid:rapidjson/document.h; do
    n=${p%:*}
    if ! printf '#include <%s>\n' ${p#*:} | g++ -x c++ -fsyntax-only - 2>/dev/null; then
        skip "gcc: ${p#*:} is not installed"
        continue
    fi
    CXX="g++ -std=c++17 -O2 -no-pie -w"
    $CXX -g -o $B/$n programs/$n.cpp && $T record --quiet --software --period=40 --max-branches=250000 -o $B/$n.ps $B/$n $(seq 100) >/dev/null 2>&1
    $T profgen --quiet --binary=$B/$n --perfscript=$B/$n.ps --format=gcc --gcov-version=$VERSION -o $B/$n.afdo
    check "$n: gcc builds it" $CXX -fauto-profile=$B/$n.afdo -o $B/$n.with programs/$n.cpp
    fewer $n $B/$n $B/$n.with $(seq 30)
done
finish
