#!/bin/sh
# Programs whose symbols, debug information or probes are in other files: whatever was moved where, each command does what
# it does with the whole program, says where it found the rest, and names what it did not find. Run in tests/.
B=$(pwd)/build/separate
rm -rf $B
mkdir -p $B/build
. ./t.sh
compares
T=$(pwd)/build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
if ! have clang-19 || ! have llvm-objcopy-19 || ! have objcopy || ! have strip || [ "$(uname -m)" != x86_64 ] || [ "$(uname -s)" != Linux ]; then
    skip "separate files: clang-19, llvm-objcopy-19 or binutils are not installed, or the machine is another one"
    finish
fi
cd $B || exit 1
cat >lib.c <<'X'
__attribute__((noinline)) int leaf(int x) { return x % 7 == 0 ? x * 3 : x + 1; }
static int mid(int x) { int i, s = 0; for (i = 0; i < 20; i++) s += leaf(x + i); return s; }
__attribute__((noinline)) int work(int x) { return mid(x) + (x & 1 ? mid(x / 2) : 0); }
X
cat >main.c <<'X'
int work(int);
static __attribute__((noinline)) int local(int x) { return x & 2 ? work(x) : work(x + 1) * 2; }
int main(void) { int i, s = 0; for (i = 0; i < 3000; i++) s += local(i); return s == 42; }
X
build() { clang-19 -O2 -g -fdebug-info-for-profiling -fpseudo-probe-for-profiling "$@" 2>cc.err || { fail "clang-19 $*"; cat cc.err; finish; }; }
mkdir whole
build -Wl,--build-id=sha1 -o whole/prog lib.c main.c
build -Wl,--build-id=sha1 -no-pie -DX -o another lib.c main.c -Wl,--defsym=x=1
record() { $T record --quiet --exact --period=97 --count=$(size 200 800) -o "$@" >record.out 2>&1 || { fail "record: $(head -3 record.out)"; finish; }; }
record ps -- whole/prog
N="--csspgo-preinliner=0 --gen-cs-nested-profile=0"
# profile MODE OPTION...: into got, what is said into err
profile() {
    mode=$1
    shift
    [ $mode = probes ] || set -- "$@" --use-dwarf-correlation
    $T profgen --perfscript=$B/ps --format=text -o $B/got $N "$@" 2>$B/err
}
for mode in probes lines; do
    profile $mode --binary=whole/prog && mv got want.$mode || { fail "the whole program: $(cat err)"; finish; }
done
id=$(readelf -n whole/prog 2>/dev/null | sed -n 's/.*Build ID: //p')
other_id=$(readelf -n another 2>/dev/null | sed -n 's/.*Build ID: //p')
dir=$(echo $id | cut -c1-2) rest=$(echo $id | cut -c3-)

# ----- what is taken away, and the file that has it
quiet() { "$@" 2>/dev/null; }
mkdir parts
quiet objcopy --only-keep-debug whole/prog gnu.debug
quiet llvm-objcopy-19 --only-keep-debug whole/prog llvm.debug
quiet strip -s -o parts/all-but-probes whole/prog
quiet llvm-objcopy-19 --strip-all whole/prog parts/everything
quiet strip -g -o parts/lines whole/prog
quiet llvm-objcopy-19 -R .symtab -R .strtab whole/prog parts/symbols
quiet objcopy -R .pseudo_probe -R .pseudo_probe_desc whole/prog parts/probes
quiet objcopy -R .pseudo_probe whole/prog parts/only-probes
quiet objcopy -R .pseudo_probe_desc whole/prog parts/only-descriptors
quiet strip -x -o parts/local-symbols whole/prog
quiet objcopy -R .pseudo_probe -R .pseudo_probe_desc parts/lines parts/lines-and-probes
# linked PART FILE: prog in a directory of its own, whose .debug/other.name is FILE
linked() {
    rm -rf in && mkdir -p in/.debug
    cp $1 in/prog && cp $2 in/.debug/other.name && (cd in && quiet objcopy --add-gnu-debuglink=.debug/other.name prog)
}
for part in parts/*; do
    for from in $(size gnu.debug "gnu.debug llvm.debug whole/prog"); do
        linked $part $from
        for mode in probes lines; do
            profile $mode --binary=in/prog
            cmp -s got want.$mode && finds 'debug information is taken from in/.debug/other.name: ' err && pass || fail "$part, $from by link, $mode: $(cat err)"
        done
        rm -r in
        mkdir in
        cp $part in/prog
        for mode in probes lines; do
            profile $mode --binary=in/prog --debug-binary=$from
            cmp -s got want.$mode && ! has_text 'not found' err && ! has_text taken err && pass || fail "$part, --debug-binary=$from, $mode: $(cat err)"
        done
    done
done
# each of two files has a part
quiet llvm-objcopy-19 -R .symtab -R .strtab whole/prog has.lines
quiet strip -g -o has.symbols whole/prog
mkdir -p in; cp parts/everything in/prog
profile lines --binary=in/prog --debug-binary=has.lines --debug-binary=has.symbols
check "lines in one file, symbols in another" cmp got want.lines
profile probes --binary=in/prog --debug-binary=has.symbols
check "probes and symbols in a file without lines" cmp got want.probes

# ----- places
p=parts/everything
# found NAME WHERE OPTION...: of in/prog, which was stripped
found() {
    name=$1 where=$2
    shift 2
    profile probes --binary=in/prog "$@"
    cmp -s got want.probes && finds "debug information is taken from $where: symbols, lines, probes" err && pass || fail "$name: $(cat err)"
}
fresh() { rm -rf in root && mkdir -p in/.debug root/.build-id/$dir root$B/in; cp $p in/prog; }
link_to() { cp gnu.debug $1 && (cd in && quiet objcopy --add-gnu-debuglink=$B/$1 prog); }
fresh; link_to in/beside.dbg
found "beside the program" in/beside.dbg
fresh; link_to root$B/in/far.dbg
found "below a root" "root$B/in/far.dbg" --debug-file-directory=root
found "... the second root" "root$B/in/far.dbg" --debug-file-directory=none --debug-file-directory=root
fresh; cp gnu.debug root/.build-id/$dir/$rest.debug
found "by build id" "root/.build-id/$dir/$rest.debug" --debug-file-directory=root
for usual in in/prog.debug in/.debug/prog.debug in/.debug/prog root$B/in/prog.debug root$B/in/prog; do
    fresh; cp gnu.debug $usual
    found "a usual name, $usual" $usual --debug-file-directory=root
done
fresh; link_to in/beside.dbg; mkdir links; ln -s ../in/prog links/prog
profile probes --binary=links/prog
cmp -s got want.probes && finds "taken from $B/in/beside.dbg" err && pass || fail "through a link: $(cat err)"
fresh; link_to in/beside.dbg
(cd in && $T profgen --binary=prog --perfscript=../ps --format=text -o ../got $N 2>../err)
cmp -s got want.probes && finds "taken from beside.dbg" err && pass || fail "in the directory of the program: $(cat err)"

# ----- what is found and refused: it is named, and the search goes on
refused_then() { # NAME WHY WHERE OPTION...
    name=$1 why=$2 where=$3
    shift 3
    profile probes --binary=in/prog "$@"
    cmp -s got want.probes && finds "$why" err && finds "taken from $where" err && pass || fail "$name: $(cat err)"
}
fresh; link_to in/.debug/x.dbg; cp gnu.debug in/x.dbg; printf x >>in/x.dbg
refused_then "a wrong checksum" 'in/prog: debug information is not taken from in/x.dbg: its checksum' in/.debug/x.dbg
[ "$(grep -c "not taken" err)" -eq 1 ] && pass || fail "refused twice: $(cat err)"
mkfifo pipe; fresh; link_to in/.debug/x.dbg; mv pipe in/x.dbg
refused_then "a pipe" 'not taken from in/x.dbg: not a regular file' in/.debug/x.dbg
fresh; link_to in/x.dbg; cp another root/.build-id/$dir/$rest.debug
refused_then "a wrong build id" "not taken from root/.build-id/$dir/$rest.debug: .*$other_id.*$id" in/x.dbg --debug-file-directory=root
fresh; cp gnu.debug in/.debug/prog.debug; cp another in/prog.debug
refused_then "a usual name with a wrong build id" "not taken from in/prog.debug: .*$other_id.*$id" in/.debug/prog.debug
fresh; cp gnu.debug in/.debug/prog.debug; echo no ELF >in/prog.debug
refused_then "no ELF file" "not taken from in/prog.debug: not an ELF file" in/.debug/prog.debug
profile probes --binary=$p --debug-binary=another
[ $? -eq 1 ] && finds "another is not used: it is of another build: its build id is $other_id, that of the program $id" err && pass || fail "--debug-binary of another build: $(cat err)"
long=$(printf '%0200d' 7)
mkdir -p $long && cp another $long/another && profile probes --binary=$p --debug-binary=$long/another
[ $? -eq 1 ] && finds "another is not used: .*$other_id, that of the program $id" err && pass || fail "... in a long path: $(cat err)"
build -Wl,--build-id=none -o noid lib.c main.c
build -Wl,--build-id=none -O1 -o noid2 lib.c main.c
quiet llvm-objcopy-19 --strip-all noid noid.bare
quiet objcopy --only-keep-debug noid2 noid2.debug
mkdir noid3; mv noid.bare noid3/prog
profile lines --binary=noid3/prog --debug-binary=noid2.debug
[ $? -eq 1 ] && finds "noid2.debug is not used: it is of another build: its code is at other addresses" err && pass || fail "--debug-binary of another build, no ids: $(cat err)"
quiet objcopy --only-keep-debug noid noid.debug
profile lines --binary=noid3/prog --debug-binary=noid.debug
cmp -s got want.lines && pass || fail "--debug-binary, no ids: $(cat err)"

# ----- what is missing is named
fresh; link_to in/gone.dbg; rm in/gone.dbg
missing='gone.dbg, which its .gnu_debuglink names, was not found'
lacks() { # COMMAND...: status 1
    "$@" >out 2>err
    [ $? -eq 1 ] && finds "error: in/prog: .*$missing: --debug-binary=FILE" err && pass || fail "$*: $(cat err)"
}
$T profgen --quiet --binary=whole/prog --perfscript=ps -o probes.prof $N
$T profgen --quiet --binary=whole/prog --perfscript=ps -o lines.prof --use-dwarf-correlation
lacks $T profgen --binary=in/prog --perfscript=ps -o got
lacks $T profgen --quiet --binary=in/prog --perfscript=ps -o got
lacks $T order --in-order --binary=in/prog --perfscript=ps
lacks $T annotate --binary=in/prog --function=leaf probes.prof
lacks $T annotate --binary=in/prog --function=leaf lines.prof
lacks $T match --binary=in/prog -p lines.prof
lacks $T match --binary=in/prog -p probes.prof
lacks $T check --binary=in/prog lines.prof
lacks $T check --binary=in/prog probes.prof
lacks $T bottleneck --binary=in/prog --profile=probes.prof
p=parts/probes; fresh; link_to in/gone.dbg; rm in/gone.dbg; p=parts/everything
$T profgen --binary=in/prog --perfscript=ps --format=text -o got --ignore-stack-samples=0 $N 2>err
cmp -s got want.lines && finds "warning: in/prog: $missing: counts are by source line, even if it has probes" err && pass || fail "the probes may be in the missing file: $(cat err)"
profile lines --binary=in/prog
cmp -s got want.lines && ! finds "$missing" err && pass || fail "... but lines are asked for: $(cat err)"
for one in only-probes only-descriptors; do
    rm -rf in; mkdir in; cp parts/$one in/prog
    $T profgen --binary=in/prog --perfscript=ps --format=text -o got --ignore-stack-samples=0 $N 2>err
    cmp -s got want.lines && finds 'warning: .*: counts are by source line: of its probes .* is there and .* is not' err && pass || fail "half of the probes, $one: $(cat err)"
done
cp $p self && quiet objcopy --add-gnu-debuglink=self self self2 && mv self2 self
profile lines --binary=self
[ $? -eq 1 ] && finds 'error: self: ' err && pass || fail "a link to itself: $(cat err)"
rm -rf in; mkdir -p in/.debug; cp $p in/prog; cp gnu.debug in/.debug/prog; cp in/.debug/prog in/x; (cd in && mv prog p2 && mkdir t && cp .debug/prog t/prog && quiet objcopy --add-gnu-debuglink=t/prog p2 && mv p2 prog && rm -r t x)
profile probes --binary=in/prog
cmp -s got want.probes && finds 'taken from in/.debug/prog' err && ! finds 'not taken' err && pass || fail "a link of the program's own name: $(cat err)"

# ----- all commands
linked $p gnu.debug
mkdir bare; cp $p bare/prog
same_as() { # NAME COMMAND...: @ is the program; its output with the whole one, with the rest by link, and named
    name=$1
    shift
    for i in whole in bare; do
        line=$(echo "$*" | sed "s|@|$i/prog|g")
        [ $i != bare ] || line="$line --debug-binary=llvm.debug"
        sh -c "$line" 2>cmd.err </dev/null | sed "s|$i/prog|PROGRAM|g" >out.$i
    done
    [ -s out.whole ] && cmp -s out.whole out.in && cmp -s out.whole out.bare && pass || { fail "$name"; diff out.whole out.in | head -5; diff out.whole out.bare | head -5; cat cmd.err; }
}
same_as order $T order --in-order --binary=@ --perfscript=ps
for kind in probes lines; do
    same_as "match, $kind" $T match --binary=@ -p $kind.prof --format=text -o -
    same_as "check, $kind" $T check --binary=@ $kind.prof
    same_as "annotate, $kind" $T annotate --binary=@ --function=leaf $kind.prof
    same_as "annotate --source, $kind" $T annotate --source --binary=@ --function=leaf $kind.prof
    same_as "annotate, targets, $kind" $T annotate --binary=@ --function=work $kind.prof
done
if have llvm-mca-19 && have llvm-mc-19 && have llvm-objdump-19; then
    same_as bottleneck $T bottleneck --binary=@ --profile=probes.prof
else
    skip "bottleneck: llvm-mca-19 is not installed"
fi
$T profgen --quiet --binary=whole/prog --perfscript=ps -o md5.prof --use-md5 $N
names() { # NAME COMMAND...: with names of the file that the link names
    name=$1
    shift
    "$@" 2>err </dev/null | grep -q leaf && pass || fail "$name: $(cat err)"
}
names folded $T folded --binary=in/prog md5.prof
names flame $T flame --binary=in/prog md5.prof -o -
profile probes --binary=in/prog --report=report
grep -q '{ "program": "in/prog", "symbols": "in/.debug/other.name", "lines": "in/.debug/other.name", "probes": "in/.debug/other.name" }' report && pass || fail "--report: $(grep program report)"
cp parts/symbols bare/prog
profile probes --binary=bare/prog --debug-binary=gnu.debug --report=report
grep -q '{ "program": "bare/prog", "symbols": "gnu.debug", "lines": "gnu.debug", "probes": "bare/prog" }' report && pass || fail "--report, some: $(grep program report)"

$T record --exact --start=work --count=3 --stop -o start.ps -- in/prog >out 2>err
finds 'taken from .*in/.debug/other.name' err && grep -q '/' start.ps && pass || fail "record --start: $(cat err)"
$T record --exact --start=nobody --count=3 --stop -o start.ps -- in/prog >out 2>err
[ $? -eq 1 ] && finds 'no such function in the program: nobody' err && pass || fail "record --start, no such function: $(cat err)"

# ----- split debug information: .dwo and .dwp stay with the program
mkdir -p split/far && cd split
build -gsplit-dwarf -Wl,--build-id=sha1 -o prog ../lib.c ../main.c
record ../split.ps -- ./prog
$T profgen --use-dwarf-correlation --perfscript=../split.ps --format=text -o ../want.split $N --binary=prog 2>err
quiet objcopy --only-keep-debug prog far/split.dbg
quiet llvm-objcopy-19 --strip-all prog bare && (cd far && quiet objcopy --add-gnu-debuglink=split.dbg ../bare) && mv bare prog
$T profgen --use-dwarf-correlation --perfscript=../split.ps --format=text -o ../got $N --binary=prog --debug-binary=far/split.dbg 2>err
[ -s ../got ] && cmp -s ../got ../want.split && pass || fail "split debug information, by --debug-binary: $(cat err)"
if have llvm-dwp-19; then
    llvm-dwp-19 -e far/split.dbg -o prog.dwp 2>err || llvm-dwp-19 *.dwo -o prog.dwp 2>err
    rm -f *.dwo
    $T profgen --use-dwarf-correlation --perfscript=../split.ps --format=text -o ../got $N --binary=prog --debug-binary=far/split.dbg 2>err
    cmp -s ../got ../want.split && pass || fail "... packed: $(cat err)"
fi
cd ..

# ----- a program and its library, each with a file of its own
rm -rf two; mkdir two
build -Wl,--build-id=sha1 -shared -fPIC -o two/libone.so lib.c
build -Wl,--build-id=sha1 -o two/prog main.c two/libone.so -Wl,-rpath,$B/two
record two.ps -- two/prog
both() { $T profgen --perfscript=two.ps --format=text -o got $N "$@" 2>err; }
both --binary=two/prog --binary=two/libone.so && mv got want.both || fail "two files: $(cat err)"
for f in prog libone.so; do
    quiet objcopy --only-keep-debug two/$f two/$f.dbg
    quiet llvm-objcopy-19 --strip-all two/$f two/bare.$f
done
cp two/bare.prog bare/prog; cp two/bare.libone.so bare/libone.so
for order in "prog libone.so" "libone.so prog"; do
    set -- $order
    both --binary=bare/prog --binary=bare/libone.so --debug-binary=two/$1.dbg --debug-binary=two/$2.dbg
    check "--debug-binary of each, $order" cmp got want.both
done
cp two/*.dbg bare; (cd bare && quiet objcopy --add-gnu-debuglink=prog.dbg prog && quiet objcopy --add-gnu-debuglink=libone.so.dbg libone.so)
both --binary=bare/prog --binary=bare/libone.so
cmp -s got want.both && [ $(grep -c 'debug information is taken from bare/' err) -eq 2 ] && pass || fail "a link in each: $(cat err)"
both --binary=bare/prog --binary=bare/libone.so --debug-binary=another
[ $? -eq 1 ] && finds "another is not used: it is of another build: its build id is $other_id" err && pass || fail "--debug-binary of none of two programs: $(cat err)"

# ----- what debuginfod's clients have fetched: it is there, empty (asked for in vain), of another build
fresh
mkdir -p cache/$id home/.cache/debuginfod_client/$id
cp gnu.debug cache/$id/debuginfo
for how in DEBUGINFOD_CACHE_PATH=$B/cache XDG_CACHE_HOME=$B/xdg HOME=$B/home; do
    case $how in XDG*) mkdir -p xdg; ln -sfn ../cache xdg/debuginfod_client ;; HOME*) cp gnu.debug home/.cache/debuginfod_client/$id/debuginfo ;; esac
    env -u DEBUGINFOD_CACHE_PATH -u XDG_CACHE_HOME HOME=$B/none $how $T profgen --perfscript=ps --format=text -o got $N --binary=in/prog 2>err
    cmp -s got want.probes && finds "debug information is taken from $B/.*$id/debuginfo: symbols, lines, probes" err && pass || fail "debuginfod, $how: $(cat err)"
done
: >cache/$id/debuginfo
DEBUGINFOD_CACHE_PATH=$B/cache HOME=$B/none $T profgen --perfscript=ps --format=text -o got $N --binary=in/prog 2>err && fail "an empty file of debuginfod" || { has_text cache err && fail "debuginfod's empty file is named: $(cat err)" || pass; }

# ----- symbols in .gnu_debugdata
if have xz && [ -f /usr/include/lzma.h ]; then
    mkdir -p mini
    nm whole/prog --format=posix --defined-only | sed -n 's/ [Tt] .*//p' >mini/keep
    quiet objcopy -S --remove-section .comment --keep-symbols=mini/keep gnu.debug mini/symbols
    xz -kf mini/symbols
    quiet strip -s -R .debug_gdb_scripts -o mini/bare whole/prog
    quiet objcopy -R .pseudo_probe -R .pseudo_probe_desc mini/bare mini/prog && cp mini/prog mini/none &&
        quiet objcopy --add-section .gnu_debugdata=mini/symbols.xz mini/prog
    quiet objcopy -g -R .pseudo_probe -R .pseudo_probe_desc whole/prog mini/whole
    mkdir -p mini/a mini/b; mv mini/prog mini/a/prog; mv mini/whole mini/b/prog
    for f in a b; do $T folded --no-demangle --exclude-kernel --binary=mini/$f/prog ps >mini/$f.folded 2>mini/$f.err; done
    cmp -s mini/a.folded mini/b.folded && grep -q 'main;_ZL5local[^;]*;work' mini/a.folded && has_text 'symbols are taken from its .gnu_debugdata' mini/a.err && pass || fail ".gnu_debugdata: $(cat mini/a.err; diff mini/a.folded mini/b.folded | head -5)"
    for damage in cut junk bomb; do
        case $damage in
        cut) head -c 200 mini/symbols.xz >mini/bad ;;
        junk) printf 'no xz at all' >mini/bad ;;
        bomb) head -c 40000000 /dev/zero | xz -c >mini/bad ;;
        esac
        cp mini/none mini/a/prog && (cd mini/a && quiet objcopy --add-section .gnu_debugdata=../bad prog)
        $T folded --binary=mini/a/prog ps >mini/got 2>mini/err
        [ $? -eq 0 ] && finds 'its .gnu_debugdata ' mini/err && pass || fail ".gnu_debugdata, $damage: $(cat mini/err)"
    done
else skip ".gnu_debugdata: no xz or liblzma"; fi

# ----- what two programs share (dwz -m): the same profile as before
if have dwz; then
    mkdir -p shared/whole shared/two
    cc_share() { cc -O2 -g -gdwarf-$1 -fno-omit-frame-pointer -Wl,--build-id=sha1 "$2" "$3" -o shared/$4 lib.c main.c 2>cc.err || fail "cc: $(cat cc.err)"; }
    for version in $(size 4 "4 5"); do
        cc_share $version -DX -no-pie prog
        cc_share $version -DY -pie other
        record share.ps -- shared/prog
        share() { $T profgen --perfscript=share.ps --format=text -o got --binary=shared/prog "$@" 2>err; }
        share && mv got want.share || fail "before dwz: $(cat err)"
        $T folded --mark-inlined --binary=shared/prog share.ps >want.folded 2>/dev/null
        (cd shared && dwz -m common prog other) >dwz.said 2>&1 || fail "dwz: $(cat dwz.said)"
        readelf -SW shared/prog | grep -q gnu_debugaltlink || fail "dwz has shared nothing"
        share
        cmp -s got want.share && has_text 'debug information is taken from shared/common: what it shares' err && pass || fail "dwz -m, DWARF $version: $(cat err)"
        $T folded --mark-inlined --binary=shared/prog share.ps 2>/dev/null | cmp -s - want.folded && pass || fail "dwz -m, folded"
        alt=$(readelf -n shared/common 2>/dev/null | sed -n 's/.*Build ID: //p')
        mkdir -p cache/$alt root/.build-id/$(echo $alt | cut -c1-2)
        mv shared/common cache/$alt/debuginfo
        DEBUGINFOD_CACHE_PATH=$B/cache share
        cmp -s got want.share && pass || fail "dwz -m, by debuginfod: $(cat err)"
        mv cache/$alt/debuginfo root/.build-id/$(echo $alt | cut -c1-2)/$(echo $alt | cut -c3-).debug
        share --debug-file-directory=$B/root
        cmp -s got want.share && pass || fail "dwz -m, by build id: $(cat err)"
        cp gnu.debug shared/common
        share
        finds 'shared/prog: common, which its .gnu_debugaltlink names, was not found' err && pass || fail "dwz -m, of another build: $(cat err)"
    done
else skip "no dwz"; fi
finish
