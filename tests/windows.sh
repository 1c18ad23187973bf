#!/bin/sh
# Programs of Windows: as gcc and clang make them for it, by line and by probe, mapped in each way; with FULL recorded
# under wine.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/windows
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
rm -rf $B; mkdir -p $B/made
if have perl; then
    perl make_pe.pl $B/made
    for f in $B/made/*; do check "$f is what make_pe.pl makes" cmp $f ../fuzz/corpus/elf/${f##*/}; done
    perl -e 'print pack("V4", $_, 7, 3, 2), "\0" x 4000' 0 >$B/none
    for magic in 0xfeedfacf 0xbebafeca; do
        perl -e 'print pack("V4", hex $ARGV[0], 7, 3, 2), "\0" x 4000' $magic >$B/macho
        printf '%s\n' ' PERF_RECORD_MMAP2 7/7: [0x1000(0x1000) @ 0 0:0 0 0]: r-xp /x/macho' >$B/none.ps
        $T profgen --binary=$B/macho --perfscript=$B/none.ps -o $B/x >$B/out 2>&1
        check "Mach-O $magic is refused by name" grep -q 'a Mach-O file, of macOS' $B/out
    done
    for case in "pe-i386 neither x86-64 nor AArch64" "pe-dos a program of DOS" "pe-short symbol table runs over"; do
        $T profgen --binary=../fuzz/corpus/elf/${case%% *} --perfscript=$B/none.ps -o $B/x >$B/out 2>&1
        check "$case" grep -q "${case#* }" $B/out
    done
else skip "make_pe.pl: needs perl"; fi
for tool in perl x86_64-w64-mingw32-gcc x86_64-w64-mingw32-objdump clang-19 ld.lld-19; do
    have $tool || { skip "programs of Windows: need $tool"; finish; }
done

# recorded FILE EXE BASE MAPPING...: samples of the way from fill's entry to its call of hash, the program at another base
cat >$B/recorded.pl <<'END'
my ($exe, $base, @mappings) = @ARGV;
my (%call, $in);
for (`x86_64-w64-mingw32-objdump -d --no-show-raw-insn $exe`) {
    $in = $1 if /^[0-9a-f]+ <(\w+)>:/;
    $call{"$in $3"} //= [hex $1, hex $2] if /^\s*([0-9a-f]+):\s+call\s+([0-9a-f]+) <(\w+)>/;
}
my ($outer, $inner) = ($call{'main fill'}, $call{'fill hash'});
$outer && $inner or die "no calls\n";
my $shift = hex($base) - (5 << 30);
print " PERF_RECORD_MMAP2 7/7: $_\n" for @mappings;
my @at = map { sprintf '0x%x', $_ + $shift } @$inner, @$outer;
print "\t", substr($at[1], 2), "\n $at[0]/$at[1]/P/-/-/0  $at[2]/$at[3]/P/-/-/0 \n\n" for 1 .. 100;
END
sections() { x86_64-w64-mingw32-objdump -h $1 | awk '$2 == ".text" { print $3, $4, $6 }'; }   # size, address, offset
profile() {   # EXE PERFSCRIPT OUT OPTIONS...
    exe=$1 ps=$2 to=$3
    shift 3
    $T profgen --binary=$exe --perfscript=$ps --format=text -o $to "$@" 2>$B/err
}
built() {   # NAME COMPILER...: the profile is the same wherever and however the program is mapped
    name=$1 exe=$B/$1.exe
    shift
    "$@" -o $exe programs/windows.c 2>$B/err || { fail "$name does not build"; head -3 $B/err; return; }
    set -- $(sections $exe)
    size=$(printf '0x%x' $(((0x$1 + 4095) / 4096 * 4096)))
    perl $B/recorded.pl $exe 140000000 "[0x$2($size) @ 0 00:00 0 0]: r-xp //anon" >$B/ps
    profile $exe $B/ps $B/want
    check "$name: calls" grep -q '^ [0-9.]*: 100 hash:100$' $B/want
    check "$name: nothing is lost" sh -c "! grep -q dropped $B/err"
    perl $B/recorded.pl $exe 7ff6a0000000 "[0x7ff6a0001000($size) @ 0 00:00 0 0]: r-xp //anon" >$B/ps
    profile $exe $B/ps $B/got
    check "$name: moved" cmp $B/want $B/got
    # pictures find the names, also where another program lies in memory without a file
    perl $B/recorded.pl $exe 7ff6a0000000 "[0x7ff6a0001000($size) @ 0 00:00 0 0]: r-xp //anon" \
        "[0x7fff00000000(0x5000) @ 0 00:00 0 0]: r-xp //anon" >$B/ps
    $T folded --binary=$exe $B/ps >$B/out 2>$B/err
    check "$name: folded" grep -q '^hash 100$' $B/out
    $T folded --binary=$B/other/${exe##*/} --binary=$exe $B/ps >$B/out 2>$B/err
    check "$name: folded, and another file of its name that is not there" grep -q '^hash 100$' $B/out
    $T flame --binary=$exe $B/ps -o $B/svg 2>$B/err
    check "$name: flame" grep -q '>hash<' $B/svg
    $T show --top=3 --binary=$exe $B/ps >$B/out 2>$B/err
    check "$name: show --top" grep -q hash $B/out
    $T annotate --function=hash --binary=$exe --profile=$B/ps >$B/out 2>$B/err
    check "$name: annotate" grep -q 'hash' $B/out
    $T folded $B/ps >$B/out 2>$B/err
    check "$name: without --binary it has no name" grep -q '^\[unknown\] 100$' $B/out
    perl $B/recorded.pl $exe 7ff6a0000000 >$B/ps
    profile $exe $B/ps $B/got --image-base=0x7ff6a0000000
    check "$name: --image-base" cmp $B/want $B/got
    # as profilers of Windows name it: by its path there, at where the code begins or the whole program does
    path=$(printf '%s' "c:\\Users\\x\\${exe##*/}" | tr a-z A-Z) rva=$(printf '0x%x' $((0x$2 - 0x140000000)))
    for map in "[0x7ff6a0000000(0x640000) @ $rva" "[0x7ff6a0000000(0x640000) @ 0" "[0x7ff6a0001000($size) @ $rva" "[0x7ff6a0001000($size) @ 0"; do
        for name in "$path" "D:\\${exe##*/}"; do
            perl $B/recorded.pl $exe 7ff6a0000000 "$map 00:00 0 0]: r-xp $name" >$B/ps
            profile $exe $B/ps $B/got
            check "$name: $map" cmp $B/want $B/got
            sed -i '/^\t/d' $B/ps                           # LLVM drops samples of a function's first instructions
            profile $exe $B/ps $B/compat.got --llvm-compat=22
            check "--llvm-compat=22, $name: $map" grep -q 'hash:100$' $B/compat.got
        done
    done
    perl $B/recorded.pl $exe 7ff6a0000000 "[0x7ff6a0000000(0x640000) @ $rva 00:00 0 0]: r-xp c:\\x\\${exe##*/}" | sed '/^\t/d' >$B/ps
    profile $exe $B/ps $B/compat.got --llvm-compat=22
    if have llvm-profgen-19; then
        llvm-profgen-19 --binary=$exe --perfscript=$B/ps --format=text -o $B/compat.want 2>$B/err
        check "${exe##*/}: by its path, as llvm-profgen-19" cmp $B/compat.want $B/compat.got
    fi
    perl $B/recorded.pl $exe 7ff6a0000000 "[0x7ff6a0000000(0x640000) @ $rva 00:00 0 0]: r-xp c:\\x\\not${exe##*/}" >$B/ps
    profile $exe $B/ps $B/got
    check "${exe##*/}: another program's path" sh -c "[ $? -ne 0 ]"
    perl $B/recorded.pl $exe 7ff6a0008000 "[0x7ff6a0009000($size) @ 0 00:00 0 0]: r-xp //anon" >$B/ps
    profile $exe $B/ps $B/got
    check "$name: Windows never puts it there" sh -c "[ $? -ne 0 ]"
    perl $B/recorded.pl $exe 7ff6a0000000 "[0x7ff6a0001000(0x100000) @ 0 00:00 0 0]: r-xp //anon" >$B/ps
    profile $exe $B/ps $B/got
    check "$name: memory of another size" sh -c "[ $? -ne 0 ]"
}
GCC="x86_64-w64-mingw32-gcc -g -fno-omit-frame-pointer"
CLANG="clang-19 --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -fdebug-info-for-profiling -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"
built gcc $GCC -O2
built clang $CLANG -O2 -g
if [ -n "$FULL" ]; then
    built gcc4 $GCC -O1 -gdwarf-4
    built clang4 $CLANG -O2 -gdwarf-4
    built sections $CLANG -O2 -g -ffunction-sections -Wl,--gc-sections
fi

# by probe: both linkers, with and without inlinees
probed() {   # NAME SOURCE LINKER...
    name=$1 source=$2
    shift 2
    $CLANG -O2 -g -fpseudo-probe-for-profiling -S -o $B/$name.s $source 2>$B/err
    $CLANG -O2 -g -fpseudo-probe-for-profiling -S -emit-llvm -o $B/$name.ll $source 2>$B/err
    perl coff_probes.pl $B/$name.s $B/$name.ll >$B/$name.probed.s
    clang-19 --target=x86_64-w64-mingw32 -c -o $B/$name.o $B/$name.probed.s 2>>$B/err
    "$@" -o $B/$name.exe $B/$name.o 2>>$B/err || { fail "$name does not build"; head -3 $B/err; return; }
    $T profgen --binary=$B/$name.exe --show-disassembly-only --show-pseudo-probe >$B/out 2>$B/err
    check "$name: each probe is read" [ "$(grep -c '\[Probe\]' $B/out)" = "$(grep -c pseudoprobe $B/$name.s)" ]
    perl $B/recorded.pl $B/$name.exe 140000000 >$B/ps 2>$B/err || return
    profile $B/$name.exe $B/ps $B/got --image-base=0x140000000 --max-dropped=100
    check "$name: a call by probe" grep -q '^ 4: 100 hash:100$' $B/got
    want=$(sed -n 's/^!.*, i64 \([0-9]*\), !"fill"}$/\1/p' $B/$name.ll)
    check "$name: the checksum of clang" grep -q "^ !CFGChecksum: $want\$" $B/got
    check "$name: clang takes it" clang-19 --target=x86_64-w64-mingw32 -O2 -fpseudo-probe-for-profiling \
        -fprofile-sample-use=$B/got -c -o $B/x.o $source
}
CLANG_LINKS="clang-19 --target=x86_64-w64-mingw32 -fuse-ld=lld-19"
sed 's/^__attribute__((noinline)) int hash/static int hash/' programs/windows.c >$B/inlined.c
probed probes programs/windows.c $CLANG_LINKS
probed probes_ld programs/windows.c x86_64-w64-mingw32-gcc
probed inlined $B/inlined.c $CLANG_LINKS
check "inlinees by probe" grep -q 'FUNC: _ZL4hashi.* Inlined: @ fill:4' $B/out

# sections on pages are mapped from the file
$GCC -O2 -Wl,--file-alignment=4096 -o $B/paged.exe programs/windows.c
set -- $(sections $B/paged.exe)
size=$(printf '0x%x' $(((0x$1 + 4095) / 4096 * 4096)))
perl $B/recorded.pl $B/paged.exe 140000000 "[0x$2($size) @ 0x$3 08:01 77 0]: r-xp C:/x/paged.exe" >$B/ps
profile $B/paged.exe $B/ps $B/got
check "mapped from the file" grep -q '^ [0-9.]*: 100 hash:100$' $B/got
# the profile is for whoever compiles it
check "clang takes it" clang-19 --target=x86_64-w64-mingw32 -O2 -g -fdebug-info-for-profiling -fprofile-sample-use=$B/got -c -o $B/x.o programs/windows.c
$T profgen --binary=$B/paged.exe --perfscript=$B/ps --format=gcc -o $B/x.afdo 2>$B/err
check "gcc takes it" $GCC -O2 -fauto-profile=$B/x.afdo -c -o $B/x.o programs/windows.c
$T annotate --binary=$B/paged.exe --function=fill $B/got >$B/out 2>$B/err
check "annotate" grep -q '^ *100 .* call .*hash' $B/out
# without symbols and lines; with these in another file
x86_64-w64-mingw32-strip -o $B/stripped.exe $B/gcc.exe
perl $B/recorded.pl $B/gcc.exe 140000000 >$B/ps
profile $B/gcc.exe $B/ps $B/want --image-base=0x140000000
profile $B/stripped.exe $B/ps $B/got --image-base=0x140000000 --debug-binary=$B/gcc.exe
check "stripped, with --debug-binary" cmp $B/want $B/got
profile $B/stripped.exe $B/ps $B/got --image-base=0x140000000
check "stripped: it is said" grep -q 'neither probe sections nor debug information' $B/err
# two programs that could be what is mapped: neither is
cp $B/gcc.exe $B/copy.exe
set -- $(sections $B/gcc.exe)
size=$(printf '0x%x' $(((0x$1 + 4095) / 4096 * 4096)))
perl $B/recorded.pl $B/gcc.exe 150000000 "[0x150001000($size) @ 0 00:00 0 0]: r-xp //anon" >$B/ps
$T profgen --binary=$B/gcc.exe --binary=$B/copy.exe --perfscript=$B/ps -o $B/x 2>$B/err
check "two that could be" sh -c "[ $? -ne 0 ]"

# ----- a real recording
if [ -n "$FULL" ]; then
    wine=$(command -v wine64 || ls /usr/lib/wine/wine64 2>/dev/null)
    if [ -z "$wine" ]; then skip "a recording under wine"; finish; fi
    WINEPREFIX=$PWD/$B/wine WINEDEBUG=-all
    export WINEPREFIX WINEDEBUG
    for exe in gcc clang paged probes; do
        timeout 200 $wine $B/$exe.exe >$B/out 2>&1
        timeout 200 $T record --quiet -o $B/$exe.ps -- $wine $B/$exe.exe >$B/out 2>$B/err
        [ -s $B/$exe.ps ] || { skip "$exe under wine: $(head -1 $B/err)"; continue; }
        $T folded --binary=$B/$exe.exe $B/$exe.ps >$B/out 2>$B/err
        check "$exe: a picture has the stacks of the program" grep -q 'fill;hash' $B/out
        profile $B/$exe.exe $B/$exe.ps $B/got --ignore-stack-samples
        check "$exe: few samples are lost" sh -c "[ -s $B/got ] && ! grep -q 'not in the profile' $B/err"
        # hash runs once for each turn of fill's loop
        check "$exe: fill's loop and hash run equally often" awk -F'[: ]' '
            /^hash/ { head = $3 } /^fill/ { in_fill = 1 } /^[a-eg-z]/ { in_fill = 0 } in_fill && / hash:/ { calls = $NF }
            END { print head, calls; exit !(head > 1000 && calls > .9 * head && calls < 1.1 * head) }' $B/got
    done
fi
finish
