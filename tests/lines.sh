#!/bin/sh
# csspgo profgen by source line: recorded programs of clang, gcc and Rust against the profiles that llvm-profgen-19 made of
# them (data/lines), separate debug files, damaged debug information. Run in tests/.
HERE=$(pwd)
B=$HERE/build/lines
rm -rf $B
mkdir -p $B
. ./t.sh
compares
T=$HERE/build/plain/csspgo
make -s build/plain/csspgo || { fail "the tool does not build"; finish; }
D=data/lines
# profgen OPTION...: text from the folder of the programs, as split debug information has to be found from there
out=$B/out
profgen() { (cd $D/bin && exec $T profgen --format=text -o $out "$@") >$B/said 2>$B/err; }
# into FILE OPTION...: the same, there
into() { out=$1; shift; profgen "$@"; out=$B/out; }

# ----- every mode, byte for byte, and what is said. Left out: without functions in the debug information LLVM 19 inlines by sizes that it
#       reads from memory it never wrote (grid.strip.cs)
mkdir $B/warned $B/outs
# WARNINGS.txt has "FILE: " before each line, is without the line about mappings and with the name of LLVM's tool before an error
awk -v dir=$B/warned '{ at = index($0, ": "); line = substr($0, at + 2); sub(/^llvm-profgen: /, "", line)
    if (line !~ /^exit status/) print line >(dir "/" substr($0, 1, at - 1)) }' $D/out/WARNINGS.txt
while read -r want options; do
    [ $want != grid.strip.cs.txt ] || continue
    out=$B/outs/$want
    profgen --llvm-compat $options
    got=$?
    if [ -f $out ]; then cmp -s $D/out/$want $out; else [ $got -eq 1 ] && [ ! -s $D/out/$want ]; fi
    if [ $? -eq 0 ]; then pass; else fail "$want: status $got"; head -3 $B/err; fi
    without 'warning: No relevant mmap event is matched for *' <$B/err >$B/said
    [ -e $B/warned/$want ] || : >$B/warned/$want
    check "$want: messages" same_text $B/warned/$want $B/said
done <$D/out/COMMANDS.tsv
out=$B/out

# ----- --show-detailed-warning: all that LLVM says of a recording of which one address in thirty is a little off, sorted:
#       it takes ranges out of a hash map. Left out: for grid.nodebug calls that match no stack, which LLVM goes on counting
#       after a return to nowhere
if have llvm-profgen-19 && have perl; then
    for of in grid.d5:grid grid.fold:grid.fold shapes.g:shapes.g grid.nodebug:grid grid.split:grid; do
        for seed in 1 2; do
            perl -e 'srand(shift); while (<STDIN>) { s/401([0-9a-f]{3})/rand() < 0.03 ? sprintf("401%03x", hex($1) + int(rand(9)) - 4 & 0xfff) : "401$1"/ge; print }' \
                $seed <$D/in/${of#*:}.perfscript >$B/off.ps
            for o in --ignore-stack-samples --csspgo-preinliner=0; do
                unlike='no such message'
                [ $of != grid.nodebug:grid ] || unlike="branches'source"
                (cd $D/bin && llvm-profgen-19 --binary=${of%:*} --perfscript=$B/off.ps --show-detailed-warning $o -o $B/llvm 2>&1) |
                    grep -v "$unlike" | sort >$B/want
                profgen --llvm-compat --binary=${of%:*} --perfscript=$B/off.ps --show-detailed-warning $o
                grep -v "$unlike" $B/err | sort >$B/said
                check "${of%:*} $seed $o: details" diff $B/want $B/said
            done
        done
    done
else
    skip "lines: llvm-profgen-19 or perl is not installed"
fi

# ----- by default: the same counts where LLVM's are right
flat() { profgen --ignore-stack-samples --perfscript=../in/grid.perfscript "$@"; }
flat --binary=grid.strip
check "debug information of a separate file" finds 'debug information is taken from .*grid.strip.debug' $B/err
mv $B/out $B/linked
flat --binary=grid.d5
check "... gives the same profile" cmp $B/linked $B/out
flat --binary=grid.strip --debug-binary=grid.strip.debug
check "... and so does --debug-binary" cmp $B/linked $B/out
profgen --perfscript=../in/grid.perfscript --binary=grid.d5
check "no contexts unless an option asks for them" cmp $B/linked $B/out
check "... and nothing is said of stacks" sh -c "! grep -q stacks $B/err"
profgen --perfscript=../in/grid.perfscript --binary=grid.d5 --ignore-stack-samples=0
mv $B/out $B/got
check "... contexts asked for" sh -c "! cmp -s $B/linked $B/got"
profgen --perfscript=../in/grid.perfscript --binary=grid.d5 --csspgo-preinliner=1
check "... by another option" cmp $B/got $B/out
profgen --perfscript=../in/grid.perfscript --binary=grid.d5 --skip-symbolization
check "... raw counters keep them" grep -q '^\[' $B/out
rm $B/out
cp $D/bin/grid.nodebug $B/alone
flat --binary=$B/alone
check "no debug information: status $?" sh -c "[ $? -eq 1 ] && [ ! -f $B/out ] && grep -q 'neither probe sections nor debug information' $B/err"
profgen --ignore-stack-samples --binary=clones.gcc --perfscript=../in/clones.perfscript
check "calls of gcc's clones count" grep -q ' scale[a-z_]*:[0-9]' $B/out

# ----- split debug information in one .dwp file, with the index of DWARF 5 and with that of before
mkdir -p $B/packed
cp $D/bin/grid.split $D/bin/grid.split.dwp $B/packed
packed() { (cd $B/packed && $T profgen --quiet --format=text --ignore-stack-samples --perfscript=$HERE/$D/in/grid.perfscript --binary=grid.split -o $B/out "$@") 2>$B/err; }
flat --binary=grid.split
mv $B/out $B/split
packed
check "a .dwp file beside the program" cmp $B/split $B/out
mv $B/packed/grid.split.dwp $B/packed/other
rm $B/out
packed
check "... without it nothing is found" sh -c "[ $? -eq 3 ] && [ ! -s $B/out ]"
packed --dwp=other
check "... with another name" cmp $B/split $B/out
if have clang-19 && have llvm-dwp-19 && have llvm-profgen-19; then
    echo 'volatile int z; static int g(int x) { return x + z; } int main(int n, char **v) { int s = 0; while (n--) s += g(n); return s; }' >$B/packed/p.c
    (cd $B/packed && clang-19 -O2 -gdwarf-4 -gsplit-dwarf -fdebug-info-for-profiling -c p.c && clang-19 -no-pie -o p p.o && llvm-dwp-19 -e p -o p.dwp && rm p.dwo)
    perl -e 'printf "1\n %x-%x:7\n0\n", map { hex($_) - 0x401000 } @ARGV' $(llvm-nm-19 $B/packed/p | awk '$3 == "main" { print $1, $1 }') >$B/packed/p.unsym
    (cd $B/packed && llvm-profgen-19 --binary=p --unsymbolized-profile=p.unsym --fill-zero-for-all-funcs --format=text -o want >/dev/null 2>&1
     $T profgen --llvm-compat --quiet --binary=p --unsymbolized-profile=p.unsym --fill-zero-for-all-funcs --format=text -o got 2>$B/err)
    check "a .dwp file of DWARF 4" cmp $B/packed/want $B/packed/got
    check "... with an inlined function" grep -q ': g:' $B/packed/got
else
    skip "lines: clang-19, llvm-dwp-19 or llvm-profgen-19 is not installed"
fi

# ----- sections compressed by zstd, and one that says that it is larger than it can be
if have llvm-objcopy-19 && have perl && $T version | grep -q 'zstd: yes' &&
    llvm-objcopy-19 --compress-debug-sections=zstd $D/bin/grid.d5 $B/zstd 2>$B/err; then
    flat --llvm-compat --binary=$B/zstd
    check "sections compressed by zstd" cmp $D/out/grid.d5.nocs.txt $B/out
    rm $B/out
    perl -0777 -pe 's/(\x02\0{7}).{8}(.{8}\x28\xb5\x2f\xfd)/$1\xff\xff\xff\xff\0\0\0\0$2/s' $B/zstd >$B/bomb
    flat --binary=$B/bomb
    check "... larger than it can be: status $?" sh -c "[ $? -eq 1 ] && [ ! -f $B/out ] && grep -q 'larger than it can be' $B/err"
    perl -0777 -pe 's/(\x02\0{7}.{16}\x28\xb5\x2f\xfd.{40})../$1\xff\xff/s' $B/zstd >$B/bomb
    flat --binary=$B/bomb
    check "... damaged: status $?" sh -c "[ $? -eq 1 ] && [ ! -f $B/out ] && grep -q 'compressed section is damaged' $B/err"
else
    skip "lines: llvm-objcopy-19, perl or zstd is missing"
fi

# ----- a kernel: linked at ffffffff81001000, moved at start-up, called by users, whose frames end the stacks; as text and perf.data
make -s build/plain/make_perfdata || fail "make_perfdata.c does not build"
# kernel_script TEXT SHIFT EVENT: the addresses moved on, with an event's text
kernel_script() {
    awk -v shift=$2 -v event="$3" 'BEGIN { print "PERF_RECORD_MMAP 77/77: [0x401000(0x2000) @ 0x1000]: x /bin/user"; print "PERF_RECORD_MMAP -1/0: " event }
        /PERF_RECORD/ { next }
        /^ 0x/ { print "\t          00401234"; print "\t          7f0012345678" }
        { gsub("ffffffff93", "ffffffff" shift); print }' $1
}
for at in 93:'[0xffffffff93001000(0x1000) @ 0xffffffff93001000]: x [kernel.kallsyms]_text' \
    a7:'[0xffffffffa7001000(0x1000) @ 0xffffffff81001000]: x [kernel.kallsyms]_stext' \
    81:'[0xffffffff81001000(0x1000) @ 0]: x [kernel.kallsyms]'; do
    kernel_script $D/in/grid.high.perfscript ${at%%:*} "${at#*:}" >$B/kernel.ps
    build/plain/make_perfdata file <$B/kernel.ps >$B/kernel.data
    for o in --ignore-stack-samples --csspgo-preinliner=0; do
        for from in --perfscript=$B/kernel.ps --perfdata=$B/kernel.data; do
            profgen --llvm-compat --kernel --binary=grid.high $from $o
            [ $o = --ignore-stack-samples ] && check "kernel at ${at%%:*}, ${from%%=*}" cmp $D/out/grid.high.nocs.txt $B/out
            if have llvm-profgen-19; then
                (cd $D/bin && llvm-profgen-19 --kernel --binary=grid.high --perfscript=$B/kernel.ps $o --format=text -o $B/llvm >$B/said 2>&1)
                check "kernel at ${at%%:*}, ${from%%=*} $o: as LLVM" cmp $B/llvm $B/out
            fi
            profgen --kernel --binary=grid.high $from $o
            mv $B/out $B/got
            profgen --kernel --binary=grid.high --perfscript=../in/grid.high.perfscript $o
            check "kernel at ${at%%:*}, ${from%%=*} $o" cmp $B/out $B/got
        done
    done
done
# the event is named after a symbol that is not where the code begins: LLVM takes every address for one 64 bytes before
if have llvm-objcopy-19; then
    llvm-objcopy-19 --add-symbol _stext=.text:0x40,global $D/bin/grid.high $B/vmlinux
    sed 's/.*kernel.kallsyms.*/PERF_RECORD_MMAP -1\/0: [0xffffffff93001040(0xfc0) @ 0xffffffff93001040]: x [kernel.kallsyms]_stext/' $D/in/grid.high.perfscript >$B/kernel.ps
    profgen --kernel --binary=$B/vmlinux --perfscript=$B/kernel.ps --csspgo-preinliner=0
    check "a kernel that begins before _stext" cmp $B/out $B/got
else
    skip "lines: llvm-objcopy-19 is not installed"
fi

# calls and jumps that the kernel removes when it starts do not end a range; in LLVM mode they do
cat >$B/patched.s <<'END'
    .globl _start
    .type _start, @function
_start: call f
    jmp _start
    .type f, @function
f:  call __fentry__
1:  jmp 2f
    nop
2:  ret
    .type __fentry__, @function
__fentry__: ret
    .data
    .globl __start_mcount_loc, __stop_mcount_loc, __start___jump_table, __stop___jump_table
__start_mcount_loc: .quad f
__stop_mcount_loc:
__start___jump_table: .long 1b - ., 2b - .
    .quad 0
__stop___jump_table:
END
if have clang-19 && clang-19 -g -nostdlib -static -Wl,-Ttext=0x401000 -o $B/patched $B/patched.s 2>$B/err; then
    printf 'PERF_RECORD_MMAP -1/0: [0x401000(0x1000) @ 0x401000]: x [kernel.kallsyms]_text\n\t  401005\n 0x401012/0x401005/P/-/-/0 0x401000/0x40100a/P/-/-/0\n\n' >$B/kernel.ps
    profgen --kernel --binary=$B/patched --perfscript=$B/kernel.ps --skip-symbolization
    check "code as the kernel patches it" grep -q 'a-12:1$' $B/out
    profgen --llvm-compat --kernel --binary=$B/patched --perfscript=$B/kernel.ps --skip-symbolization
    check "... as LLVM" sh -c "! grep -q a-12:1 $B/out"
else
    skip "lines: clang-19 does not link"
fi

# ----- a function that calls itself through another one: in LLVM mode the third g is lost when they merge
cat >$B/recursive.prof <<'END'
[f]:1000:10
 1: 1000
[f:2 @ g]:200:20
 1: 200
[f:2 @ g:3 @ f]:400:40
 1: 400
[f:2 @ g:3 @ f:2 @ g]:80:8
 1: 80
[f:2 @ g:3 @ f:2 @ g:3 @ f]:160:16
 1: 160
[f:2 @ g:3 @ f:2 @ g:3 @ f:2 @ g]:32:3
 1: 32
END
printf '[f]:1560:66\n 1: 1560\n[g]:312:31\n 1: 312\n' >$B/kept
printf '[f]:1560:66\n 1: 1560\n[g]:280:28\n 1: 280\n' >$B/lost
profgen --binary=grid.d5 --llvm-sample-profile=$B/recursive.prof --gen-cs-nested-profile=0
check "recursion through another function" cmp $B/kept $B/out
profgen --llvm-compat --binary=grid.d5 --llvm-sample-profile=$B/recursive.prof --gen-cs-nested-profile=0
check "... as LLVM" cmp $B/lost $B/out
if have llvm-profgen-19; then
    llvm-profgen-19 --binary=$D/bin/grid.d5 --llvm-sample-profile=$B/recursive.prof --gen-cs-nested-profile=0 --format=text --output=$B/llvm 2>$B/said
    check "... what LLVM says" cmp $B/lost $B/llvm
fi

# ----- sizes for the pre-inliner: a profile that is given has those that its samples would have. LLVM is the reference
#       where it does not crash
for of in grid.d5:grid grid.fs:grid grid.gcc:grid.gcc clones.gcc:clones crab.rust:crab shapes.clang:shapes.clang; do
    binary=${of%:*} script=../in/${of#*:}.perfscript
    into $B/given.prof --binary=$binary --perfscript=$script --csspgo-preinliner=0 --gen-cs-nested-profile=0 --csprof-merge-cold-context=0
    ! have llvm-profgen-19 || (cd $D/bin && llvm-profgen-19 --binary=$binary --perfscript=$script --csspgo-preinliner=0 \
        --gen-cs-nested-profile=0 --format=text -o $B/given.llvm) >$B/said 2>&1 || fail "$binary: LLVM's profile to be given"
    for o in "" "--sample-profile-hot-inline-threshold=30" "--use-context-cost-for-preinliner=0" \
        "--sample-profile-hot-inline-threshold=200 --sample-profile-inline-limit-min=2 --sample-profile-inline-limit-max=50"; do
        into $B/want --binary=$binary --perfscript=$script --gen-cs-nested-profile=0 $o
        profgen --binary=$binary --llvm-sample-profile=$B/given.prof --gen-cs-nested-profile=0 $o
        check "sizes of a given profile, $binary $o" cmp $B/want $B/out
        have llvm-profgen-19 || continue
        (cd $D/bin && llvm-profgen-19 --binary=$binary --llvm-sample-profile=$B/given.llvm --format=text -o $B/want $o) >$B/said 2>&1
        profgen --llvm-compat --binary=$binary --llvm-sample-profile=$B/given.llvm $o
        check "... as LLVM" cmp $B/want $B/out
    done
done

# ----- --leading-ip-only: a line has the sum of its addresses' samples. Scripts with a sampled address in front of the branches
flat_script() {
    awk '/PERF_RECORD/ { print; next } /^ 0x/ { n++; if (n % 11 == 0) print n % 5; if (ip != "") print " " ip " " $0; ip = ""; next }
        NF == 1 && ip == "" { ip = $1 } NF == 0 { ip = "" }' $D/in/$1.perfscript
}
for of in grid.d5:grid grid.fs:grid grid.gcc:grid.gcc crab.rust:crab shapes.g:shapes.g; do
    binary=${of%:*}
    flat_script ${of#*:} >$B/flat.ps
    profgen --llvm-compat --binary=$binary --perfscript=$B/flat.ps --leading-ip-only --skip-symbolization
    awk -F: 'NF == 2 { n += $2 } END { print n + 0 }' $B/out >$B/want
    profgen --llvm-compat --binary=$binary --perfscript=$B/flat.ps --leading-ip-only --update-total-samples
    awk -F: '/^ *[0-9.]+: [0-9]+( |$)/ { n += $2 } END { print n + 0 }' $B/out >$B/said
    check "$binary: lines have all sampled addresses" test "$(cat $B/said)" -le "$(cat $B/want)" -a "$(cat $B/said)" -gt $(($(cat $B/want) * 9 / 10))
    have llvm-profgen-19 || continue
    for in in $B/flat.ps ../in/${of#*:}.perfscript; do
        for o in "" --ignore-stack-samples --sample-period=77 --fill-zero-for-all-funcs "--csspgo-preinliner=0 --gen-cs-nested-profile=0"; do
            (cd $D/bin && llvm-profgen-19 --binary=$binary --perfscript=$in --leading-ip-only --format=text -o $B/want $o) >$B/said 2>&1
            profgen --llvm-compat --binary=$binary --perfscript=$in --leading-ip-only $o
            check "$binary ${in##*/}: sampled addresses $o" cmp $B/want $B/out
        done
    done
done

# ----- --fill-zero-for-all-funcs: also without any sample; by default by probe and with contexts, too
printf '0\n0\n' >$B/none.raw
for of in grid.d5 grid.fs grid.gcc crab.rust shapes.clang; do
    profgen --binary=$of --unsymbolized-profile=$B/none.raw --fill-zero-for-all-funcs
    check "$of: functions without samples" test $? -eq 0 -a "$(grep -c '^[^ ].*:0:0$' $B/out)" -ge 2
    check "... all counts are 0" test -z "$(grep -v ': *0$\|:0:0$' $B/out)"
    check "... which is said" finds 'there are no counters: all counts are 0' $B/err
    have llvm-profgen-19 || continue
    for o in --format=text "--format=text --update-total-samples" --format=extbinary "--format=extbinary --use-md5"; do
        (cd $D/bin && llvm-profgen-19 --binary=$of --unsymbolized-profile=$B/none.raw --fill-zero-for-all-funcs -o $B/want $o) >$B/said 2>&1
        (cd $D/bin && $T profgen --llvm-compat --binary=$of --unsymbolized-profile=$B/none.raw --fill-zero-for-all-funcs -o $B/out $o) >$B/said 2>&1
        check "... as LLVM, $o" cmp $B/want $B/out
    done
done
for of in ../../unwind/bin/demo.probe:../../unwind/cases/01-calls.ps grid.d5:../in/grid.perfscript; do
    for o in --ignore-stack-samples "--csspgo-preinliner=0 --gen-cs-nested-profile=0"; do
        into $B/want --binary=${of%:*} --perfscript=${of#*:} $o
        profgen --binary=${of%:*} --perfscript=${of#*:} $o --fill-zero-for-all-funcs
        check "${of%:*}: functions without samples $o" test "$(grep -c '^[^ ]' $B/out)" -gt "$(grep -c '^[^ ]' $B/want)"
        check "... nothing else changes" test -z "$(diff $B/want $B/out | grep '^[<>]' | grep -v '^> .*: *0$\|^> .*\]*:0:0$\|^> .*CFGChecksum')"
        profgen --binary=${of%:*} --perfscript=${of#*:} $o --fill-zero-for-all-funcs
        check "... no function is there twice" test -z "$(grep '^[^ ]' $B/out | sed 's/:[0-9]*:[0-9]*$//' | sort | uniq -d)"
    done
done

# ... in LLVM mode f moves into a map that LLVM walks, and comes up with it; else it stays below the second g
cat >$B/recursive.prof <<'END'
[g]:100:10
 3: 100
[g:1 @ g]:50:5
 3: 50
[g:1 @ g:1 @ g:2 @ f]:2000:200
 1: 2000
END
printf '[f]:2000:200\n 1: 2000\n[g]:150:15\n 3: 150\n' >$B/kept
printf '[g:2 @ f]:2000:200\n 1: 2000\n !Attributes: 2\n[g]:150:15\n 3: 150\n' >$B/moved
of="--llvm-sample-profile=$B/recursive.prof --gen-cs-nested-profile=0 --use-context-cost-for-preinliner=0"
profgen --binary=grid.d5 $of
check "what is below recursion" cmp $B/kept $B/out
profgen --llvm-compat --binary=grid.d5 $of
check "... as LLVM" cmp $B/moved $B/out
if have llvm-profgen-19; then
    llvm-profgen-19 --binary=$D/bin/grid.d5 $of --format=text --output=$B/llvm 2>$B/said
    check "... what LLVM says" cmp $B/moved $B/llvm
fi

# ----- a linker that drops functions leaves their debug information at 0: LLVM looks up unknown code at the address 1
cat >$B/kept.c <<'END'
volatile int z;
static inline __attribute__((always_inline)) int within(int x) { return x + z; }
int dropped(int x) { return within(x) + within(x * 2); }
__attribute__((noinline)) int kept(int x) { return x * z; }
int _start(void) { return kept(z); }
END
sed 's/dropped/longer/; s/^volatile/static &/; /kept/d; s/within(x) +/& within(x + 5) * z +/' $B/kept.c >$B/other.c
if have clang-19 && have ld.lld-19 && have llvm-nm-19 && have llvm-profgen-19 && have perl &&
    (cd $B && clang-19 -O2 -g -fdebug-info-for-profiling -ffunction-sections -nostdlib -static -fuse-ld=lld-19 -Wl,--gc-sections,-z,norelro \
        other.c kept.c -o dropped) 2>$B/err; then
    llvm-nm-19 -S $B/dropped | perl -ne 'printf "\t  %1\$x\n 0x%2\$x/0x7f0012345678/P/-/-/0 0x7f0012345678/0x%3\$x/P/-/-/0\n\n", hex($1) + 4, hex($1) + hex($2) - 1, hex($1)
        if /^(\w+) (\w+) T kept$/' >$B/dropped.ps
    for o in "" --fill-zero-for-all-funcs; do
        (cd $B && llvm-profgen-19 --binary=dropped --perfscript=dropped.ps --ignore-stack-samples $o --format=text -o want >$B/said 2>&1)
        profgen --llvm-compat --binary=$B/dropped --perfscript=$B/dropped.ps --ignore-stack-samples $o
        check "calls from where dropped functions are $o" cmp $B/want $B/out
        check "... which are in it" grep -q 'kept:1$' $B/out
        profgen --binary=$B/dropped --perfscript=$B/dropped.ps --ignore-stack-samples $o
        check "... and not by default" sh -c "grep -q kept $B/out && ! grep -q 'kept:1$' $B/out"
    done
else
    skip "lines: clang-19, lld-19 or llvm-profgen-19 is not installed"
fi

# ----- bytes that are no instruction: LLVM counts what lies between two that are, or symbols
cat >$B/bytes.s <<'END'
    .globl _start
    .type _start, @function
_start: nop
    .byte 0x06, 0x07, 0x0e
    jmp _start
    .byte 0x16
inner:
    .byte 0x17, 0x1e
    ret
    .rept 50        # more than LLVM's hash table holds at first
    .byte 0x06
    nop
    .endr
    .byte 0x07
    .section .more, "ax"
more:
    .byte 0x06
    ret
    .data
    .quad 1
END
if have clang-19 && have llvm-profgen-19 && clang-19 -g -nostdlib -static -Wl,-Ttext=0x401000 -o $B/bytes $B/bytes.s 2>$B/err; then
    printf '\t  401009\n 0x401004/0x401000/P/-/-/0 0x401004/0x401000/P/-/-/0\n\n' >$B/bytes.ps
    llvm-profgen-19 --binary=$B/bytes --perfscript=$B/bytes.ps --ignore-stack-samples --format=text -o $B/llvm --show-detailed-warning 2>&1 | grep -i 'invalid inst' >$B/want
    profgen --llvm-compat --binary=$B/bytes --perfscript=$B/bytes.ps --ignore-stack-samples --show-detailed-warning
    grep -i 'invalid inst' $B/err >$B/got
    check "bytes that are no instruction" sh -c "[ $(wc -l <$B/want) -eq 56 ] && cmp $B/want $B/got"
else
    skip "lines: clang-19 or llvm-profgen-19 is not installed"
fi

# ----- functions at one address, and a program without symbols: its code is none for LLVM, whatever --debug-binary has
if have clang-19 && have llvm-profgen-19 && have llvm-strip-19; then
    mkdir -p $B/bare
    echo 'int a(int x) { return x + 1; } int b(int x) { return x + 2; } int c(int x) { return x + 3; } int main(void) { return a(1); }' |
        clang-19 -O1 -gdwarf-5 -S -o - -x c - | sed 's/\.quad\(.\)\.Lfunc_begin[12]/.quad\1.Lfunc_begin0/' >$B/names.s
    clang-19 -no-pie -o $B/names $B/names.s && llvm-strip-19 -o $B/bare/grid.d5 $D/bin/grid.d5 || fail "no programs for names"
    # as_llvm NAME OPTION...: profile and messages
    as_llvm() {
        name=$1
        shift
        (cd $D/bin && llvm-profgen-19 --format=text -o $B/llvm "$@" 2>&1) >$B/want
        rm -f $B/out
        profgen --llvm-compat "$@"
        check "$name" sh -c "cmp $B/llvm $B/out && diff $B/want $B/err"
    }
    for o in "" --show-detailed-warning; do
        as_llvm "functions at one address $o" --binary=$B/names --perfscript=../in/grid.perfscript --ignore-stack-samples $o
        check "... are found" grep -q 'Found 1 start addresses' $B/want
    done
    for o in "" --ignore-stack-samples --skip-symbolization; do
        as_llvm "a program without symbols $o" --binary=$B/bare/grid.d5 --debug-binary=grid.d5 --perfscript=../in/grid.perfscript $o
    done
    flat --binary=grid.d5 && mv $B/out $B/got
    profgen --quiet --binary=$B/bare/grid.d5 --debug-binary=grid.d5 --perfscript=../in/grid.perfscript
    check "... by default has those of --debug-binary" cmp $B/got $B/out
else
    skip "lines: clang-19, llvm-profgen-19 or llvm-strip-19 is not installed"
fi

# ----- names of gcc: static functions of C++ have none but the plain one, which is not what their symbols say
profgen --ignore-stack-samples --llvm-compat --binary=shapes.g --perfscript=../in/shapes.g.perfscript
check "LLVM's name of two functions" grep -q '^apply<real_main()::<lambda(int)> >:[0-9]*:0$' $B/out
check "... is read again" $T merge --text $B/out -o $B/again
profgen --ignore-stack-samples --binary=shapes.g --perfscript=../in/shapes.g.perfscript
for f in _ZN12_GLOBAL__N_15applyIZ9real_mainEUliE_EElT_i _ZN12_GLOBAL__N_15applyIZ9real_mainEUliE0_EElT_i _ZL7measureRKN3geo5ShapeEl; do
    check "$f has its symbol's name and was entered" grep -q "^$f:[0-9]*:[1-9]" $B/out
    check "$f is called by it" grep -q "^ [0-9.]*: [0-9]* $f:[1-9]" $B/out
done
check "no function has the plain name" sh -c "! grep -q '^apply\|^measure' $B/out"

# ----- debug information that makes a reader keep or wait for more than there is: an entry per line, as an assembler has it
# hostile NAME ABBREVIATION... : the abbreviations and entries behind those of the unit are standard input
hostile() {
    cat >$B/hostile.s - <<END
    .section .debug_abbrev
    .uleb128 1, 0x11
    .byte 1
    .uleb128 0x11, 1, 0x12, 6, $2
    .byte 0, 0
    .uleb128 2, 0x2e
    .byte 0
    .uleb128 3, 8, 0x55, 0x17
    .byte 0, 0, 0
    .section .debug_ranges
    .set at, 0
    .rept 4000
    .quad at & 0xfff, (at & 0xfff) + 16
    .set at, at + 16
    .endr
    .quad 0, 0
    .section .debug_info
    .long 2f - 1f
1:  .short 4
    .long 0
    .byte 8
    .uleb128 1
    .quad begin
    .long 4096
    entries
    .byte 0
2:
    .text
    .globl _start
_start:
begin:
    .rept 4096
    nop
    .endr
END
    ${CC:-cc} -nostdlib -static -no-pie -o $B/hostile $B/hostile.s 2>$B/err || return 1
    (ulimit -v 250000 && timeout 20 $T profgen --format=text --binary=$B/hostile --perfscript=$B/hostile.ps -o $B/out) >$B/said 2>$B/err
    got=$?
}
if [ "$(uname -m)" = x86_64 ]; then
    printf '.macro entries\n.rept 4000\n.uleb128 2\n.asciz "f"\n.long 0\n.endr\n.endm\n' >$B/many
    printf ' 0 [unknown] 0\n' >$B/hostile.ps
    hostile ranges "0x10ff, 0x19" <$B/many && check "functions that share a list of ranges: status $got" \
        sh -c "[ $got -eq 1 ] && grep -q 'lists of ranges in its debug information are shared' $B/err"
    mkfifo $B/fifo
    for special in /dev/zero $B/fifo $B; do
        printf '.macro entries\n.asciz "%s"\n.quad 7\n.endm\n' $special >$B/split
        hostile split "0x2130, 8, 0x2131, 7" <$B/split && check "a .dwo file that is $special: status $got" \
            sh -c "[ $got -ne 124 ] && grep -q '1 of 1 units have their debug information in .dwo files that are missing' $B/err"
    done
fi

# ----- damaged files give an error or a profile, never a crash
[ -z "$FULL" ] || { make -s build/san/csspgo && T=$HERE/build/san/csspgo; }
have perl || { skip "lines: perl is not installed"; finish; }
mkdir $B/mutants
perl -e '
    my ($bin, $to, $n) = @ARGV;
    srand(1);
    for my $i (0 .. $n - 1) {
        my $from = $i % 8 == 6 ? "grid.split.dwp" : ("grid.d5", "grid.gcc", "grid.d4", "shapes.g")[$i % 4];
        open(my $f, "<:raw", "$bin/$from") or die; local $/; my $b = <$f>; my $size = length($b);
        if ($i % 5 == 0) { substr($b, int(rand($size))) = "" }
        else { substr($b, int($size / 4) + int(rand($size * 3 / 4)), 1) = chr(int(rand(256))) for 1 .. 4 }
        open(my $o, ">:raw", "$to/$i") or die; print $o $b; close($o) or die;
    }' $D/bin $B/mutants $(size 60 500) || fail "no damaged files"
ulimit -S -t 20             # what hangs fails
i=0 bad=0
while [ $i -lt $(size 60 500) ]; do
    of=$B/mutants/$i
    if [ $((i % 8)) = 6 ]; then
        mv $of $B/packed/grid.split.dwp
        of=$B/packed/grid.split
    fi
    form=
    [ $((i % 3)) != 0 ] || form="--format=gcc --gcov-version=3"         # with names of files
    $T profgen --quiet --binary=$of --unsymbolized-profile=$D/in/grid.d5_factor.unsym --fill-zero-for-all-funcs $form \
        -o $B/out >$B/said 2>$B/err
    got=$?
    [ $got -le 3 ] && ! has_text Sanitizer $B/err && ! has_text 'runtime error' $B/err || { bad=$((bad + 1)); echo "damaged file $i: status $got"; head -5 $B/err; }
    i=$((i + 1))
done
if [ $bad -eq 0 ]; then pass; else fail "$bad of $i damaged programs: crash"; fi

# ----- functions of one name: those that differ in the source are told, copies of one from a header and clones are not
mkdir $B/namesakes
# namesakes NAME TOLD COMPILER: a, b and main as units; a and b each have a function `work`, which ran
namesakes() {
    name=$1 told=$2
    shift 2
    (cd $B/namesakes && "$@" -g -O1 -pie -fPIE -o linked a.$lang b.$lang main.$lang) || { fail "$name: does not build"; return; }
    nm $B/namesakes/linked | awk '/work/ { at[n++] = $1 } END { print n; for (i = 0; i < n; i++) print at[i] "-" at[i] ":10"; print 0 }' >$B/namesakes/raw
    $T profgen --binary=$B/namesakes/linked --unsymbolized-profile=$B/namesakes/raw --use-offset=0 --format=text -o $B/namesakes/prof >$B/said 2>$B/err
    if [ "$(sed -n 1p $B/namesakes/raw)" -ge 2 ] && [ "$(grep -c 'different functions of one name are added up' $B/err)" -eq $told ]; then pass
    else fail "$name: is it told? $told"; cat $B/err; fi
}
work='static __attribute__((noinline)) int work(int n)'
for lang in c cpp; do
    compiler=${CC:-gcc}
    [ $lang = c ] || compiler=g++
    have $compiler || { skip "namesakes: needs $compiler"; continue; }
    (cd $B/namesakes && echo 'int a(int), b(int); int main(int n, char **v) { return a(n) + b(n) + (v == 0); }' >main.$lang
     echo "$work { return n * 5 + 1; }" >work.h
     printf '%s\n' '#include "work.h"' 'int a(int n); int a(int n) { return work(n) + work(n + 3); }' >a.$lang
     sed 's/ a(/ b(/g' a.$lang >b.$lang)
    namesakes "a header in two files, $lang" 0 $compiler
    printf '%s\n' '#include <stddef.h>' "$work { return n * n; }" 'int b(int n); int b(int n) { return work(n) + work(n + 3); }' >$B/namesakes/b.$lang
    namesakes "two files, $lang" 1 $compiler
    namesakes "two files, $lang, DWARF 4" 1 $compiler -gdwarf-4
    printf '%s\n' "$work { return n % 7; }" 'int b(int n); int b(int n) { return work(5) + work(5); }' >$B/namesakes/b.$lang
    sed -i.old 's/work(n/work(9/' $B/namesakes/a.$lang
    namesakes "the same line of two files is not known to differ, $lang" 0 $compiler
done
finish
