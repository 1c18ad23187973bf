#!/bin/sh
# kernel.sh BUILD RUNS [VMLINUX]: profiles by source line of a real kernel, beside llvm-profgen-19. The recording is
# synthesised (kernel.c), at addresses as after KASLR. In LLVM mode the files must be equal.
# Without VMLINUX: that of Debian's smallest kernel, whose package is fetched and deleted (280 MB; the file has 590 MB).
B=$(cd $1 && pwd) RUNS=$2 K=$B/kernel.d
mkdir -p $K
V=${3:-$K/vmlinux}
if [ ! -s $V ]; then
    package=$(apt-cache depends linux-image-cloud-amd64-dbg | sed -n 's/.*Depends: //p' | head -1)
    (cd $K && apt-get -q download $package) || exit 1
    name=$(dpkg --contents $K/*.deb | sed -n 's/^-.* \(.*\/vmlinux[^ ]*\)$/\1/p' | head -1)
    dpkg --fsys-tarfile $K/*.deb | tar xO $name >$V || { rm $V; exit 1; }
    rm $K/*.deb
    echo "kernel:   $package"
fi
echo "vmlinux:  $(stat -c %s $V) bytes; llvm-profgen-19 $(llvm-profgen-19 --version | sed -n 's/.*LLVM version //p')"
failed=0
equal() {
    name=$1
    shift
    set -- --kernel --binary=$V --perfscript=$K/short.ps "$@"
    rm -f $K/llvm $K/ours
    llvm-profgen-19 "$@" --output=$K/llvm 2>$K/said
    $B/csspgo profgen --llvm-compat --quiet "$@" --output=$K/ours
    if cmp $K/llvm $K/ours; then echo "  equal: $name, $(stat -c %s $K/ours) bytes"; else echo "  DIFFERS: $name"; failed=1; fi
}
$B/kernel $V 5000 >$K/short.ps
$B/kernel $V 20000 >$K/k.ps
echo "in LLVM mode, 5,000 samples:"
equal "raw counters" --skip-symbolization
equal "defaults (contexts, pre-inliner)" --format=text
equal "contexts" --format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0
equal "no contexts" --format=text --ignore-stack-samples
equal "ExtBinary, symbols, all functions" --format=extbinary --ignore-stack-samples --populate-profile-symbol-list --fill-zero-for-all-funcs
$B/bench_profgen $RUNS $B/csspgo $V --kernel $K/k.ps
exit $failed
