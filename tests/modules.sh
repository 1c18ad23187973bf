#!/bin/sh
# Kernel modules, which are object files: placed by the mapping of the module, they have the profile that the same objects
# have when a linker put them at that address. Run in tests/.
B=$(pwd)/build/modules
rm -rf $B
mkdir -p $B
. ./t.sh
T=$(pwd)/build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
if ! have clang-19 || ! have ld.lld-19 || ! have llvm-nm-19 || ! have ld || [ "$(uname -m)" != x86_64 ] || [ "$(uname -s)" != Linux ]; then
    skip "modules: clang-19, lld-19 or binutils are not installed, or the machine is another one"
    finish
fi
cd $B || exit 1
cat >lib.c <<'X1'
#ifdef __clang__
#define INIT __attribute__((section(".init.text"), noinline))
#endif
int kernel_mix(int);
extern int kernel_count;
__attribute__((noinline)) int leaf(int x) { return x % 7 == 0 ? x * 3 : x % 5 == 0 ? kernel_mix(x) : x + 1; }
static int mid(int x) { int i, s = 0; for (i = 0; i < 20; i++) s += leaf(x + i); return s + kernel_count; }
__attribute__((noinline)) int work(int x) { return mid(x) + (x & 1 ? mid(x / 2) : 0); }
INIT int module_start(int x) { return work(x) + leaf(x); }
X1
cat >main.c <<'X1'
int work(int);
int leaf(int);
__attribute__((noinline, cold)) static int rare(int x) { int i, s = 0; for (i = 0; i < x % 9; i++) s += leaf(i); return s; }
static __attribute__((noinline)) int local(int x) { return x % 11 == 0 ? rare(x) : x & 2 ? work(x) : work(x + 1) * 2; }
int module_run(int n) { int i, s = 0; for (i = 0; i < n; i++) s += local(i); return s; }
X1
cat >driver.c <<'X1'
int module_run(int);
int kernel_count = 3;
__attribute__((noinline)) int kernel_mix(int x) { return x * 7 + kernel_count; }
void _start(void)
{
    long r = module_run(2000) == 42;
    __asm__ volatile("syscall" : : "a"(60L), "D"(r));
}
X1
F="-O2 -g -fdebug-info-for-profiling -fpseudo-probe-for-profiling -fno-pic -fno-asynchronous-unwind-tables -mcmodel=kernel"
LOW=0x400000 HIGH=0xffffffffc0400000
N="--csspgo-preinliner=0 --gen-cs-nested-profile=0"
# a linker's script: code in the order of the object file, as the kernel's loader places it
linker() {
    echo "SECTIONS { .text $1 : { *(.text .text.*) } .init.text $1 + 0x100000 : { *(.init.text) }"
    echo "    .data $1 + 0x200000 : { *(.rodata* .data* .bss* COMMON) } }"
}
must() { "$@" >must.out 2>&1 || { fail "$*: $(head -3 must.out)"; finish; }; }
# blocks PROGRAM: samples in which blocks of its code run, any after any; a call that a function begins with ends none
blocks() {
    llvm-objdump-19 -d --no-show-raw-insn $1 >code
    perl -ne 'if (/^[0-9a-f]+ </) { $new = $first = 1 } next unless /^([0-9a-f]+):\s+(\S+)/;
        ($at, $name) = ($1, $2); $begin = $at if $new;
        $new = $name =~ /^(j|call|ret|b$|bl$|b\.|cbn?z|tbn?z)/ && !($first && $name =~ /^call/); $first = 0;
        push @b, [$begin, $at] if $new;
        END { srand 5; for (1 .. 60) { my @x = map { $b[rand @b] } 0 .. 8; printf "\t%s\n", $x[0][0];
            print " 0x$x[$_][1]/0x$x[$_ - 1][0]/P/-/-/0 " for 1 .. 8; print "\n\n" } }' code
}
# same WHAT MODULE LINKED SCRIPT MAPPING [OPTION...]: equal profiles by probe and by line
same() {
    what=$1 module=$2 linked=$3 script=$4 mapping=$5
    shift 5
    { echo "PERF_RECORD_MMAP -1/0: [$HIGH(0x4000) @ $HIGH]: x [kernel.kallsyms]_text"; cat $script; } >linked.ps
    { echo "PERF_RECORD_MMAP -1/0: [0xffffffffc0200000(0x100000) @ 0]: x [other]"
      echo "PERF_RECORD_MMAP -1/0: [$HIGH(0x4000) @ 0]: x $mapping"; cat $script; } >module.ps
    for mode in "" --use-dwarf-correlation; do
        $T profgen --kernel --binary=$linked --perfscript=linked.ps --format=text -o want $N $mode --max-dropped=100 >err 2>&1 || fail "$what $mode: linked: $(head -3 err)"
        $T profgen --binary=$module --perfscript=module.ps --format=text -o got $N $mode --max-dropped=100 "$@" >err 2>&1 || fail "$what $mode: $(head -3 err)"
        [ $(grep -c "^ *[0-9]" want) -gt 9 ] && cmp -s want got && pass || { fail "$what $mode: not as linked"; diff want got | head -20; }
    done
}

# ----- code that ran: each way to make one object of several units
for how in "" -ffunction-sections "-gdwarf-4 -fno-inline"; do
    must clang-19 $F $how -c lib.c
    must clang-19 $F $how -c main.c
    must clang-19 -O2 -fno-pic -c driver.c
    for ld in ld "ld.lld-19"; do
        must $ld -r -o my-mod.ko lib.o main.o
        linker $LOW >low.ld && must ld -T low.ld -e _start -o user my-mod.ko driver.o
        linker $HIGH >high.ld && must ld -T high.ld --unresolved-symbols=ignore-all -e 0 -o linked my-mod.ko
        must $T record --quiet --exact --period=97 --count=$(size 100 800) -o user.ps -- ./user
        grep -v PERF_RECORD user.ps | sed 's/\([x \t]\)\(40[0-9a-f]\{4\}\)\>/\1ffffffffc0\2/g' >moved.ps
        same "$ld -r $how" my-mod.ko linked moved.ps "[my_mod]"
    done
done

# ----- the module's name, as perf writes it: the file's path, compressed or not; another offset; a separate debug file
for name in /lib/modules/6.1.0/extra/my-mod.ko /lib/modules/6.1.0/updates/my-mod.ko.xz "[my-mod]"; do
    same "$name" my-mod.ko linked moved.ps "$name"
done
cp my-mod.ko other_name.ko
same --perf-binary other_name.ko linked moved.ps "[my_mod]" --perf-binary=my-mod
objcopy --only-keep-debug my-mod.ko my-mod.ko.debug
objcopy -g my-mod.ko stripped.ko
same "a separate debug file" stripped.ko linked moved.ps "[stripped]" --debug-binary=my-mod.ko.debug

# ----- one object of a compiler, with a section of code and probes for each function, in C++ also of groups: any of its
# blocks run. Other machines' too
cat >many.cc <<'X1'
template <int N> __attribute__((noinline)) int part(int x) { int i, s = 0; for (i = 0; i < x % N; i++) s += i ^ x; return s; }
extern "C" int kernel_mix(int);
static inline int both(int x) { return part<3>(x) + (x > 4 ? kernel_mix(x) : part<5>(x)); }
__attribute__((noinline)) int first(int x) { return both(x) + part<7>(x + 1); }
__attribute__((cold)) int second(int x) { return both(x + 1) - first(x); }
X1
for cpu in x86_64 aarch64; do
    [ $cpu = x86_64 ] && code=kernel || code=small
    for how in "" "-ffunction-sections -gdwarf-4" "-ffunction-sections -fdebug-types-section -gsplit-dwarf=single"; do
        must clang-19 --target=$cpu-linux-gnu -O2 -g -fno-exceptions -fdebug-info-for-profiling -fpseudo-probe-for-profiling -fno-pic -mcmodel=$code $how -c many.cc
        linker $HIGH >high.ld
        must ld.lld-19 -T high.ld -e 0 --unresolved-symbols=ignore-all --no-dynamic-linker -o linked many.o
        blocks linked >many.ps
        same "$cpu $how" many.o linked many.ps "[many]"
    done
done

# ----- calls of __fentry__ that functions begin with, which the kernel removes: code runs on behind them
if have gcc; then
    must gcc -O2 -g -pg -mfentry -mrecord-mcount -fno-pic -mcmodel=kernel -fcf-protection=none -fno-asynchronous-unwind-tables -c many.cc
    for table in __mcount_loc none; do
        objcopy --rename-section __mcount_loc=$table many.o
        echo "SECTIONS { .text $HIGH : { *(.text .text.*) } .data $HIGH + 0x200000 : { __start_mcount_loc = .; *($table) __stop_mcount_loc = .; *(.data*) } }" >high.ld
        [ $table != none ] || sed -i 's/__st[a-z]*_mcount_loc = .;//g' high.ld
        must ld -T high.ld -e 0 --unresolved-symbols=ignore-all -o linked many.o
        blocks linked >many.ps
        same "gcc, $table" many.o linked many.ps "[many]"
        cp want want.$table
    done
    cmp -s want.__mcount_loc want.none && fail "calls of __fentry__ count"
fi

# ----- what cannot be done is said
refused() { # refused WHAT TEXT COMMAND...
    what=$1 text=$2
    shift 2
    "$@" >out 2>&1
    [ $? -eq 1 ] && grep -q "$text" out && pass || fail "$what: $(head -3 out)"
}
refused "no mapping" 'no mapping event is of the kernel module my-mod.ko' $T profgen --binary=my-mod.ko --perfscript=moved.ps -o got
echo "PERF_RECORD_MMAP -1/0: [$HIGH(0x4000) @ 0]: x [my_mod2]" | cat - moved.ps >else.ps
refused "another module" 'no mapping event is of the kernel module my-mod.ko' $T profgen --binary=my-mod.ko --perfscript=else.ps -o got
sed "s/\[my_mod2\]/\/bin\/my-mod/" else.ps >program.ps
refused "a program of that name" 'no mapping event is of the kernel module my-mod.ko' $T profgen --binary=my-mod.ko --perfscript=program.ps -o got
must ld -r --build-id=sha1 -o my-mod.id.ko my-mod.ko
id=$(readelf -n my-mod.id.ko 2>/dev/null | sed -n 's/.*Build ID: //p')
for of in $id $(echo $id | tr 0-9a-f 1-9a-f0); do
    printf "PERF_RECORD_MMAP2 -1/0: [$HIGH(0x4000) @ 0 <$of>]: r--p [my_mod]\n" | cat - moved.ps >id.ps
    [ $of != $id ] || { $T profgen --quiet --binary=my-mod.id.ko --perf-binary=my-mod --perfscript=id.ps -o got >out 2>&1 && pass || fail "its build id: $(head -3 out)"; }
done
refused "another build id" 'another build id' $T profgen --binary=my-mod.id.ko --perf-binary=my-mod --perfscript=id.ps -o got
refused "two programs" 'one --binary' $T profgen --binary=my-mod.ko --binary=user --perfscript=module.ps -o got
refused "as LLVM" 'an object file' $T profgen --llvm-compat --binary=my-mod.ko --perfscript=module.ps -o got
refused "annotate" 'an object file' $T annotate --binary=my-mod.ko --function=_Z5firsti want
objcopy --compress-debug-sections=zlib my-mod.ko packed.ko
refused "compressed" 'decompress-debug-sections' $T profgen --binary=packed.ko --perfscript=module.ps -o got
printf 'PERF_RECORD_MMAP -1/0: [0x1000(0x4000) @ 0]: x [my_mod]\n' | cat - moved.ps >module.ps
perl -e 'local $/; open F, "my-mod.ko"; binmode F; my $all = <F>; srand 7; my $t = shift;
    for my $i (1 .. shift) { my $s = $all; my $from = rand() < .6 ? unpack("Q<", substr($s, 40, 8)) : 0;
        substr($s, $from + int(rand(length($s) - $from)), 1) = chr(rand() < .5 ? 255 : rand 256) for 0 .. rand 6;
        open O, ">bad.ko"; binmode O; print O $s; close O;
        system("timeout 20 $t profgen --quiet --binary=bad.ko --perf-binary=my-mod --perfscript=module.ps --format=text -o bad.prof >bad.out 2>&1");
        my $e = $? >> 8; if ($? & 127 || $e > 3 || `cat bad.out` =~ /Sanitizer|runtime error/) { print "$i: $?\n"; exit 1 } }' $(size ../plain/csspgo ../san/csspgo) $(size 20 600) && pass || fail "a damaged module"
finish
