#!/bin/sh
# platforms.sh NAME    The library, harnesses of fuzz/ and the tool, built for another machine, by another compiler or with
#                      another C library, as one program (platforms.c): the harnesses hold over their corpora, and 500
#                      commands of the tool put out the same bytes as here. `commands` below lists them.
# platforms.sh native  what is compared with
# Without zlib and zstd everywhere. FULL only; the names are in the Makefile.
cd "$(dirname "$0")" || exit 1
. ./t.sh
platform=${1:-native} P=build/platforms
B=$P/$platform
CORPORA="binary bottleneck ctxprof front generate insn layout match perfdata probes processes script text unwind"
profgen="profgen --format=text -o out"

# commands: a line each; the folders are those of data/formats, and data and examples
commands() {
    # llvm-profdata's work: every vector of data/formats that names no other program
    grep -v llvm-profdata-14 data/formats/COMMANDS.tsv | cut -f3 |
        sed -n 's/ *>.*//; s/ -o [^ ]*/ -o out/; s/^llvm-profdata-19 //p' | grep -v "[\"'\`|;*]\|compress-all\|[a-z0-9]z\.ext"
    for f in data/formats/text/*.txt; do
        f=text/${f##*/}
        echo "merge --json $f -o out"
        echo "folded $f"
        echo "flame $f"
        echo "show --detailed-summary --hot-func-list $f"
        echo "show --json --contexts $f"
    done
    for f in data/formats/malformed/*/*.* data/formats/quirks/*.txt data/formats/hand/*.* data/formats/compat/*.*; do
        case $f in *RESULTS* | *.c | *ext-compress*) ;; *) echo "merge --text -o out ${f#data/formats/}" ;; esac
    done
    # samples: by probe, by source line, of a JIT, of other makers
    sed 's/^\([^	]*\)	--binary=\([^ ]*\)/\2/; s|=\.\./in/|=data/lines/in/|g; s/debug-binary=/&data\/lines\/bin\//; s/dwp=/&data\/lines\/bin\//' data/lines/out/COMMANDS.tsv |
        awk 'NR % 2' | grep -v '^grid.z \|^shapes.*z ' | sed "s|^|$profgen --llvm-compat --binary=data/lines/bin/|"
    for n in 01-calls 02-returns 03-recursion 04-tailcall 09-bogus-range 14-missing-caller 18-lbr-only; do
        u="--binary=data/unwind/bin/demo.probe --perfscript=data/unwind/cases/$n.ps"
        echo "$profgen --llvm-compat $u"
        echo "$profgen $u"
        echo "profgen --skip-symbolization -o out $u"
        echo "profgen --json --report=- -o out $u"
    done
    for n in demo ext; do
        u="--binary=data/unwind/bin/$n.probe --perfscript=data/unwind/traces/$n.probe.ps"
        echo "$profgen --llvm-compat $u"
        echo "$profgen --show-detailed-warning $u"
        echo "profgen --format=preagg -o out $u"
        echo "profgen --format=extbinary -o out $u"
        echo "profgen --format=gcc -o out $u"
    done
    echo "$profgen --binary=data/unwind/bin/a64.probe --perfscript=data/unwind/cases/25-a64.ps"
    demo="--binary=examples/data/demo.elf --perfscript=examples/data/demo.perfscript"
    for o in "" --json --format=binary --format=preagg --csspgo-preinliner=0 --gen-cs-nested-profile=0 --ignore-stack-samples \
        --use-dwarf-correlation --show-detailed-warning; do
        echo "profgen $demo $o -o out"
    done
    for f in data/recordings/*.ps; do
        case $f in *multi* | */mp*) n=demo.pie ;; *) n=demo.probe ;; esac
        echo "$profgen --binary=data/unwind/bin/$n --perfscript=$f"
    done
    for f in data/recordings/mp.data data/recordings/multi-all.data data/recordings/pipe.data data/perf/*.data; do
        echo "profgen --skip-symbolization --binary=data/recordings/w --perfdata=$f -o out"
        echo "$profgen --use-dwarf-correlation --binary=data/recordings/w --perfdata=$f"
    done
    echo "$profgen --binary=data/unwind/bin/demo.pie --pprof=data/pprof/demo.pb"
    echo "$profgen --binary=data/unwind/bin/demo.probe --preagg=data/preagg/demo.preagg"
    echo "$profgen --binary=data/unwind/bin/demo.probe --preagg=data/preagg/demo.fdata"
    for f in small small-be node; do
        case $f in node) n=node ;; *) n=small ;; esac
        echo "$profgen --jitdump=data/jit/$f.dump --perfdata=data/jit/$n.data"
        echo "profgen --jitdump=data/jit/$f.dump --perfdata=data/jit/$n.data --json -o out"
    done
    echo "$profgen --perf-map=data/jit/perf-2000.map --perfdata=data/jit/small.data"
    # the other commands
    for f in data/temporal/*.proftext data/temporal/*.profdata data/temporal/*.profraw; do
        for o in "" --evaluate --json --format=gold; do echo "order $o $f"; done
    done
    for f in data/contextual/*.ctxp; do
        echo "ctxprof show $f"
        echo "ctxprof to-yaml $f"
        echo "merge $f -o out"
    done
    for f in cs nested hostile; do
        echo "folded --mark-inlined data/views/$f.txt"
        echo "flame --icicle --width=600 data/views/$f.txt"
        echo "overlap --json data/views/$f.txt data/views/cs.ext"
    done
    echo "match --old-profile=examples/data/demo.prof --binary=examples/data/demo.elf --json -o out"
    for f in examples/data/demo.prof data/unwind/traces/demo.probe.prof; do
        echo "check $f --binary=examples/data/demo.elf"
        echo "match --old-profile=$f --binary=data/unwind/bin/demo.probe -o out"
        echo "annotate --binary=examples/data/demo.elf $f"
        echo "annotate --binary=data/unwind/bin/demo.probe --json $f"
        echo "show --json $f"
        echo "merge --extbinary --use-md5 $f -o out"
    done
    for w in "" --man --bash profgen merge show overlap folded flame match check order ctxprof bottleneck annotate; do echo "help $w"; done
}

# what the platform's program consists of: the tool, a room at a time, and the harnesses
sources() {
    mkdir -p $P/src
    for r in ../examples/tool/*/; do
        r=$(basename $r)
        (cd $P && ls ../../../examples/tool/$r/*.c) | sed 's|.*|#include "../&"|; /library\.c/d' >$P/src/$r.c
    done
    echo '#include "../../../../examples/tool/shared/library.c"' >$P/src/library.c
}

# builds: $cc makes $B/platforms
builds() {
    mkdir -p $B
    for f in $P/src/*.c; do
        [ -z "$only" ] || break
        $cc -std=gnu99 -w -DCSSPGO_IMPLEMENTATION_INCLUDED -Dmain=csspgo_main -c -o $B/tool_$(basename $f .c).o $f || return
    done
    harnesses=
    for c in $CORPORA; do
        $cc -std=gnu99 -w -DCSSPGO_IMPLEMENTATION_INCLUDED -DLLVMFuzzerTestOneInput=corpus_$c -c -o $B/corpus_$c.o ../fuzz/fuzz_$c.c || return
        harnesses="$harnesses X($c)"
    done
    if [ -n "$lib" ]; then make -s $lib || return; else lib=$B/lib.o; $cc -std=c99 -Wall -Wextra -c -o $lib lib.c || return; fi
    $cc -std=gnu99 -Wall -Wextra "-DHARNESSES=$harnesses" $only -c -o $B/main.o platforms.c || return
    # several harnesses have the same code of examples/share
    ${link:-$cc} -Wl,--allow-multiple-definition -o $B/platforms$exe $B/main.o $B/*_*.o $lib $more -lm
}

export WINEPREFIX="$(pwd)/$P/wine" WINEDEBUG=-all
lib= exe= run= only= tests= link= more=
case $platform in
native)  cc="${CC:-cc} -O0" CORPORA=text ;;
msan)    cc="clang-19 -O0 -g1 -fsanitize=memory -fno-sanitize-recover=all" ;;
aarch64 | riscv64) cc="$platform-linux-gnu-gcc -O0 -static" run=qemu-$platform ;;
powerpc64) cc="powerpc64-linux-gnu-gcc -O0 -static" run=qemu-ppc64 ;;
musl)    cc="musl-gcc -O0 -static -isystem $P/musl/kernel" tests="tree format" ;;     # the kernel's headers, which musl does not bring
tcc)     cc=tcc link="${CC:-cc} -no-pie -Wl,-z,noexecstack" more=$(tcc -print-search-dirs 2>/dev/null | grep 'libtcc1\.a$' | tr -d ' ') tests="tree format" ;;
mingw)   cc="x86_64-w64-mingw32-gcc -O0" run=wine only=-DONLY_CORPUS exe=.exe ;;     # the tool needs POSIX
*)       fail "no such platform: $platform"; finish ;;
esac
for tool in ${cc%% *} $run; do
    [ $tool != wine ] || { for run in wine64 /usr/lib/wine/wine64 wine; do ! have $run || break; done; tool=$run; }
    have $tool || { skip "$platform: $tool is not installed"; finish; }
done
rm -rf $B
mkdir -p $B
for f in data/formats/*/; do ln -s ../../../$f $B/; done
ln -s ../../../data ../../../../examples ../../../../fuzz $B/
mkdir $B/kernel
ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(${CC:-cc} -dumpmachine)/asm" $B/kernel/
{
    # emulators and sanitizers get a quarter of each corpus
    for c in $CORPORA; do echo corpus $c $(cd .. && ls fuzz/corpus/$c/* | awk -v n=$([ "$run$platform" = "$platform" ] && [ $platform != msan ] && echo 1 || echo 4) 'NR % n == 0'); done
    [ -n "$only" ] || commands
} >$B/list
sources
check "$platform: it builds" builds
[ -f $B/platforms$exe ] || finish
(cd $B && exec timeout 600 $run ./platforms$exe list) >$B/said 2>&1 || fail "$platform: status $?"
lines=$(grep -c . $B/list) commanded=$(grep -vc '^corpus' $B/list)
# a harness that does not hold says so and aborts
if [ "$(grep -c ' [0-9][0-9]* [0-9a-f]\{16\}$' $B/sums)" -eq $lines ]; then pass; else
    fail "$platform: ended in: $(tail -n 1 $B/sums)"
    cat $B/said.err
fi
if awk '$1 == "corpus" && $(NF - 1) != 0 { bad = 1 } END { exit bad }' $B/sums; then pass; else fail "$platform: a corpus was not read"; fi
if [ -z "$only" ]; then
    grep -v '^corpus ' $B/sums >$B/ours
    [ $commanded -ge 500 ] && pass || fail "only $commanded commands"
    if [ $platform != native ]; then
        grep -v '^corpus ' $P/native/sums >$B/here
        if cmp -s $B/here $B/ours; then pass; else
            diff $B/here $B/ours | sed -n 's/^> \(.*\) [0-9]* [0-9a-f]*$/\1/p' >$B/differ
            head -n 1 $B/differ >$B/one
            fail "$platform: $(grep -c . $B/differ) of $commanded commands differ, first: $(cat $B/one)"
            cp $B/one $P/native/one
            (cd $P/native && ./platforms -v one)
            (cd $B && $run ./platforms -v one)
            diff -a $P/native/shown $B/shown | head -20
        fi
    fi
fi
# tests of the library, too, with another C library and by a small compiler
for t in $tests; do
    check "$platform: test_$t builds" $cc -std=gnu99 -w -DCSSPGO_IMPLEMENTATION_INCLUDED "-DT_DIR=\"$B\"" -o $B/test_$t test_$t.c $lib -lm
    check "$platform: test_$t" $B/test_$t
done
[ -n "$only" ] || echo "$platform: $commanded commands, hash $(cksum <$B/ours)"
finish
