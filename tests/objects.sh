#!/bin/sh
# profgen --data-access-perftrace: sampled data addresses that are in vtables count as types of objects, at the line that read them, also
# where it is inlined; mapped anywhere, of a PIE and of a program at a fixed address; what is no such sample does not count.
cd "$(dirname "$0")" || exit 1
. ./t.sh
have clang++-19 || { skip "clang++-19 is not installed"; finish; }
have llvm-nm-19 && have llvm-objdump-19 && have llvm-readelf-19 || { skip "llvm-nm-19, llvm-objdump-19, llvm-readelf-19"; finish; }
B=build/objects
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
rm -rf $B; mkdir -p $B
plus() { printf '%x' $((0x$1 + $2)); }
at() { llvm-nm-19 $B/$1 | sed -n "s/ [a-zA-Z] $2\$//p" | sed 's/^0*//'; }
# insn FILE N WHAT: the address of the N-th WHAT in run()
insn() { llvm-objdump-19 -d --no-show-raw-insn --disassemble-symbols=_Z3runi $B/$1 | grep -E "$3" | sed -n "$2s/^ *\([0-9a-f]*\):.*/\1/p"; }
# segments FILE BASE: a mapping of each, as the kernel makes it
segments() {
    llvm-readelf-19 -lW $B/$1 | sed -n 's/^ *LOAD *//p' | while read o v p n m f x; do
        d=$((v % 4096)) use=r--p
        case "$f$x" in *E*) use=r-xp ;; esac
        printf '0 0x10 [0x60]: PERF_RECORD_MMAP2 7/7: [0x%x(0x%x) @ %s 08:01 5 0]: %s %s\n' $(($2 + v - d)) $(((n + d + 4095) / 4096 * 4096)) \
            $([ $((o)) -gt $d ] && printf '0x%x' $((o - d)) || echo 0) $use $B/$1
    done
}
for kind in exec pie far; do
    how=-no-pie base=0
    [ $kind = exec ] || { how="-pie -fPIE"; base=$((0x55b978000000)); }
    clang++-19 -O2 -g -fdebug-info-for-profiling -fpseudo-probe-for-profiling $how data/objects/shapes.cpp -o $B/$kind 2>$B/err ||
        { fail "$kind does not build: $(head -1 $B/err)"; continue; }
    [ $kind != far ] || base=$((0x7fff00000000))
    square=$(plus $(at $kind _ZTV6square) $((base + 16))) circle=$(plus $(at $kind _ZTVN12_GLOBAL__N_16circleE) $((base + 16)))
    call=$(plus $(insn $kind 1 'callq.*\*\(') $base) delete=$(plus $(insn $kind 2 'callq.*\*.*\(') $base)
    loop=$(plus $(insn $kind 1 'jne') $base) making=$(plus $(insn $kind 1 'callq.*make') $base) make=$(plus $(at $kind _Z4makei) $base)
    begin=$(plus $(llvm-objdump-19 -d --no-show-raw-insn --disassemble-symbols=_Z3runi $B/$kind | sed -n 's/.*jne.*0x\([0-9a-f]*\) .*/\1/p' | head -1) $base)
    { segments $kind $base | sed -n 's/.*\(PERF_RECORD_MMAP2 .*r-xp.*\)/\1/p'
      for i in 1 2 3; do echo " $make 0x$making/0x$make/P/-/-/0 0x$loop/0x$begin/P/-/-/0"; done; } >$B/ps
    sample() { echo "128 0x86$3 [0x60]: PERF_RECORD_SAMPLE(IP, 0x4002): ${4:-7/7}: 0x$1 period: 1000003 addr: 0x$2"; }
    { echo "# a comment"; segments $kind $base
      for i in 1 2 3 4 5; do sample $call $square $i; done
      for i in 1 2; do sample $call $(plus $circle 8) $i; done
      sample $delete $(plus $circle 16) 9
      sample $call $(plus $square 4096) 1                   # no vtable
      sample $call 0 2
      sample $call $square 3 8/8                            # of another process
      echo "5 0x86 [0x60]: PERF_RECORD_SAMPLE(IP, 0x4002): 7/7: 0x$call period: 3"        # no data address
      echo "PERF_RECORD_SAMPLE"; printf 'PERF_RECORD_SAMPLE(IP, 1): 7/7: 0x%s period' $call; } >$B/trace
    P="$T profgen --binary=$B/$kind --perfscript=$B/ps --use-dwarf-correlation --ignore-stack-samples --data-access-perftrace=$B/trace --pid=7"
    for compat in "" --llvm-compat=22; do
        for format in text extbinary; do
            $P $compat --format=$format --extbinary-write-vtable-type-prof -o $B/prof 2>$B/err || fail "$kind $compat: $(cat $B/err)"
            $T merge --text -o $B/got $B/prof
            check "$kind $compat $format: inlined call" grep -q '^  0: vtables _ZTV6square:5 _ZTVN12_GLOBAL__N_16circleE:2 *$' $B/got
            check "$kind $compat $format: virtual destructor" grep -q '^ 6\.*[0-9]*: vtables _ZTVN12_GLOBAL__N_16circleE:1 *$' $B/got
            check "$kind $compat $format: nothing else" [ $(grep -c vtables $B/got) -eq 2 ]
        done
    done
done
# a program at its own address needs no mapping
for kind in exec pie; do
    call=$(insn $kind 1 'callq.*\*\(') square=$(plus $(at $kind _ZTV6square) 16)
    echo "1 0x8 [0x6]: PERF_RECORD_SAMPLE(IP, 1): 7/7: 0x$call period: 1 addr: 0x$square" >$B/unmapped
    { segments $kind $([ $kind = exec ] && echo 0 || echo $((0x55b978000000))) | sed -n 's/.*\(PERF_RECORD_MMAP2 .*r-xp.*\)/\1/p'
      echo " 1 0x1/0x1/P/-/-/0 0x1/0x1/P/-/-/0"; } >$B/other.ps
    $T profgen --llvm-compat=22 --binary=$B/$kind --perfscript=$B/other.ps --use-dwarf-correlation --ignore-stack-samples --data-access-perftrace=$B/unmapped \
        --format=text -o $B/got 2>$B/err
    check "$kind: unmapped addresses are the program's own" grep -q 'vtables _ZTV6square:1' $B/got
done
$P --data-access-perftrace=$B/ps -o $B/x >$B/out 2>$B/err
check "given twice" grep -q 'only once' $B/err
P="$T profgen --binary=$B/pie --perfscript=$B/ps"
$P --use-dwarf-correlation --ignore-stack-samples --data-access-perftrace=$B/ps -o $B/x --allow-empty 2>$B/err
check "no samples of data: it is said" grep -q 'no sampled data is in a vtable' $B/err
$P --data-access-perftrace=$B/none --use-dwarf-correlation --ignore-stack-samples -o $B/x 2>$B/err
check "no file: status $?" grep -q 'none: No such file' $B/err
$P --data-access-perftrace=$B/trace -o $B/x 2>$B/err
check "by probe: refused" grep -q 'by source line, without contexts' $B/err
for o in --use-dwarf-correlation=false "--use-dwarf-correlation --ignore-stack-samples=0"; do
    sed 's/^ \([0-9a-f]*\) 0x/\t\1\n\t'$call'\n 0x/' $B/ps >$B/stacks.ps
    $T profgen --llvm-compat=22 --binary=$B/far --perfscript=$B/stacks.ps $o --data-access-perftrace=$B/trace -o $B/x >$B/out 2>$B/err
    check "$o: as LLVM refuses it: status $?" sh -c "[ $? -eq 1 ] && grep -q '^error: Symbolizing vtables from data access profiles is not yet supported' $B/err"
done
finish
