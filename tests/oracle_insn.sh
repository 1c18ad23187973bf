#!/bin/sh
# Compares the instruction decoders with llvm-objdump-19 over random code and over installed programs and libraries.
#
#     [VERBOSE=1] tests/oracle_insn.sh [INSTRUCTIONS | all]
#
# INSTRUCTIONS of installed x86-64 code are compared (a quarter of a million by default, 2.5 million with FULL set), spread over
# many files; all: every file to its end. Random code and what there is of AArch64 libraries (libc6-arm64-cross) come on top of that.
objdump=${OBJDUMP:-llvm-objdump-19}
objcopy=${OBJCOPY:-llvm-objcopy-19}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/t.sh"
limit=${1:-$(size 250000 5000000)} random=$(size 250000 1500000)
passed=0 failed=0 skipped=0 total=0 undecodable=0 transfers=0 differences=0

finish() {
    rm -rf "$tmp"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! command -v "$objdump" >/dev/null || ! command -v "$objcopy" >/dev/null; then
    echo "oracle_insn.sh: SKIPPED: no $objdump, $objcopy" >&2
    skipped=1
    finish
fi
make -s -C "$here" build/plain/oracle_insn || { failed=1; finish; }

# compare NAME ARCHITECTURE LIMIT FILE SECTION-OPTIONS...: what llvm-objdump says of a file
compare() {
    name=$1 arch=$2 most=$3 file=$4
    shift 4
    [ "$arch" = aarch64 ] && set -- "$@" --mattr=+all
    # a separate debug file would replace the code by nothing
    set -- $("$objdump" -D -z --debug-file-directory=/nonexistent "$@" "$file" 2>/dev/null |
             "$here/build/plain/oracle_insn" "$arch" "$most")
    [ $# -eq 4 ] || set -- 0 0 0 1
    total=$((total + $1)) undecodable=$((undecodable + $2))
    transfers=$((transfers + $3)) differences=$((differences + $4))
    if [ "$4" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    if [ "$4" -ne 0 ] || [ "$arch" != x86_64 ] || [ -n "$VERBOSE" ]; then
        echo "$name: $1 instructions, $2 undecodable, $3 transfers, $4 differences"
    fi
}

# report WHAT LEAST: fewer than LEAST instructions compared is a failure
report() {
    [ "$total" -ge "$2" ] || failed=$((failed + 1))
    echo "$1: $total instructions, $undecodable undecodable, $transfers transfers, $differences differences"
    total=0 undecodable=0 transfers=0 differences=0
}

for seed in 1 2; do
    "$here/build/plain/oracle_insn" random $seed $random >"$tmp/x86.bin"
    "$objcopy" -I binary -O elf64-x86-64 "$tmp/x86.bin" "$tmp/x86.o"
    compare "random x86-64, seed $seed" x86_64 100000000 "$tmp/x86.o" -j .data
done
report "random x86-64" $((random / 2))
"$here/build/plain/oracle_insn" random-aarch64 1 $((random / 2)) >"$tmp/a64.bin"
"$objcopy" -I binary -O elf64-littleaarch64 "$tmp/a64.bin" "$tmp/a64.o"
compare "random AArch64" aarch64 100000000 "$tmp/a64.o" -j .data
for f in /usr/aarch64-linux-gnu/lib/lib*.so.*; do
    [ -n "$FULL" ] && [ -f "$f" ] && [ ! -h "$f" ] && compare "$f" aarch64 100000000 "$f" -j .text
done
report "AArch64" $((random / 8))

# Hand-written assembly first, then by size.
find /usr/bin /usr/sbin /usr/lib/x86_64-linux-gnu /usr/lib/gcc /usr/lib/llvm-19/bin /usr/lib/llvm-19/lib \
    -xdev -type f -size +32k ! -name '*.a' ! -name '*.o' -printf '%s %p\n' 2>/dev/null | LC_ALL=C sort -rn |
    sed 's/^[0-9]* //' >"$tmp/by_size"
{
    grep -E '/(libcrypto|libgmp|libc|libm|libgcrypt|libnettle|libstdc\+\+)[-.0-9]*\.so' "$tmp/by_size"
    cat "$tmp/by_size"
} | awk '!seen[$0]++' >"$tmp/files"
most=$((100 * 1000 * 1000)) wanted=$((1000 * 1000 * 1000 * 1000))
[ "$limit" != all ] && wanted=$limit most=$((limit / 24))
while read -r f; do
    [ "$total" -ge "$wanted" ] && break
    case $(od -An -tx1 -N20 "$f" 2>/dev/null | tr -d ' \n') in
    7f454c4602*3e00) compare "$f" x86_64 "$most" "$f" -j .text -j .init -j .fini -j .plt -j .plt.sec -j .plt.got ;;
    esac
done <"$tmp/files"
if [ "$limit" != all ] && [ "$total" -lt "$limit" ]; then
    echo "oracle_insn.sh: SKIPPED: less than $limit instructions are installed" >&2
    skipped=1
fi
report "installed x86-64" 1
finish
