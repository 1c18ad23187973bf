#!/bin/sh
# Profiles that we wrote, in every form, are taken by compilers and tools, and the counts arrive: clang-19 makes the
# same code of each form as of the text it was made from, gcc's dumps show the counts, llvm-profdata-14 reads the same.
#
#     tests/oracle_accept.sh
cd "$(dirname "$0")" || exit 1
CC=${CC:-cc}
B=build/accept
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: $*"; skipped=$((skipped + 1)); }
have() { command -v "$1" >/dev/null 2>&1; }
# check NAME COMMAND...: one test, its output shown if it fails
check() {
    name=$1
    shift
    if "$@" >$B/check.out 2>&1; then pass; else fail "$name"; head -10 $B/check.out; fi
}

rm -rf $B
mkdir -p $B
zlib=
[ -f /usr/include/zlib.h ] && zlib="-DCSSPGO_USE_ZLIB"
if ! make -s build/san/oracle_accept; then
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
forms="text binary extbinary md5 split gcov"
if [ -n "$zlib" ]; then forms="$forms compressed md5-compressed"; else skip "compressed: zlib.h is not installed"; fi

cat >$B/p.c <<'END'
int printf(const char *format, ...);
static volatile unsigned sink;
unsigned mix(unsigned x);
unsigned mix(unsigned x)
{
    x ^= x << 13;
    if (x & 1)
        x += 7;
    return x;
}

__attribute__((noinline)) unsigned work(unsigned n)
{
    unsigned s = 0, i;
    for (i = 0; i < n; i++) {
        if (i % 4 == 0)
            s += mix(i);
        else
            s ^= i;
    }
    return s;
}

int main(void)
{
    unsigned i;
    for (i = 0; i < 1000; i++)
        sink += work(i);
    printf("%u\n", sink);
    return 0;
}
END

# Lines, nested. Totals are what the GCC form, which has none, makes them.
cat >$B/line.in <<'END'
work:40750:1000
 2: 1000
 3: 10000
 4: 10000
 5: 2500
 7: 7500
 9: 1000
 5: mix:8750
  2: 2500
  3: 2500
  4: 1250
  5: 2500
main:2004:1
 1: 1
 2: 1001
 3: 1000 work:1000
 4: 1
 5: 1
END
for f in $forms gcc; do check "line.in as $f is written" build/san/oracle_accept $f $B/line.in $B/line.$f; done

# Probes and contexts: the checksums are the compiler's.
probes() {
    clang-19 -O2 -fpseudo-probe-for-profiling -S -emit-llvm -o $B/probe.ll $B/p.c || return
    sum() { sed -n "s/.*i64 \(-*[0-9]*\), !\"$1\"}\$/\1/p" $B/probe.ll; }
    cat >$B/context.in <<END
[main:4 @ work]:32000:1000
 1: 1000
 2: 10000
 3: 10000
 4: 2500
 6: 7500
 9: 1000
 !CFGChecksum: $(sum work)
[main:4 @ work:5 @ mix]:6250:2500
 1: 2500
 2: 1250
 3: 2500
 !CFGChecksum: $(sum mix)
 !Attributes: 2
[main]:3003:1
 1: 1
 2: 1001
 3: 1000
 4: 1000 work:1000
 6: 1
 !CFGChecksum: $(sum main)
END
    for f in $forms; do
        case $f in binary | gcov | split) continue ;; esac
        check "context.in as $f is written" build/san/oracle_accept $f $B/context.in $B/context.$f
    done
}

# use KIND FORM FLAGS: IR and remarks of a compilation with that profile, in KIND.FORM.ll and .remarks
use() {
    clang-19 -O2 -g1 $3 -fprofile-sample-use=$B/$1.$2 -Rpass=sample-profile-inline -S -emit-llvm -o $B/$1.$2.ll \
        $B/p.c 2>$B/$1.$2.remarks
}
clang() {
    use $1 in "$2" || { fail "clang-19 does not take $1.in"; return; }
    check "$1: the test is one, counts arrive" grep -q '"function_entry_count", i64 100[01]}' $B/$1.in.ll
    check "$1: mix is inlined because of the profile" \
        grep -q "'mix' inlined into '[a-z]*' to match profiling context" $B/$1.in.remarks
    for f in $forms; do
        [ -f $B/$1.$f ] || continue
        check "clang-19 takes $1.$f" use $1 $f "$2"
        check "clang-19 makes the same of $1.$f as of the text" cmp $B/$1.in.ll $B/$1.$f.ll
        check "clang-19 says the same of $1.$f" cmp $B/$1.in.remarks $B/$1.$f.remarks
    done
}
if have clang-19; then
    probes
    clang line ""
    clang context "-fpseudo-probe-for-profiling"
else
    skip "clang-19 is not installed"
fi

# gcc says "(auto FDO)" behind a count that is a profile's; exit status alone proves nothing.
if have gcc && [ "$(gcc -dumpversion)" -ge 12 ] 2>/dev/null; then
    mkdir -p $B/dump
    check "gcc takes line.gcc" gcc -O2 -g -fauto-profile=$B/line.gcc -fdump-tree-optimized-details-blocks \
        -fdump-ipa-inline -dumpdir $B/dump/ -c -o $B/dump/p.o $B/p.c
    for count in 1 1000 1250 2500 7500; do
        check "gcc's dumps show the count $count" sh -c "grep -q 'count $count (auto FDO)' $B/dump/*"
    done
    check "gcc knows what main calls" sh -c "grep -q 'work/[0-9]* (1000 (auto FDO)' $B/dump/*"
else
    skip "gcc 12 or newer is not installed"
fi

# An older release: all forms that it knows.
if have llvm-profdata-14; then
    read14() { llvm-profdata-14 merge --sample --text -o $B/$1.$2.14 $B/$1.$2; }
    for k in line context; do
        [ -f $B/$k.text ] || continue
        for f in $forms; do
            [ -f $B/$k.$f ] || continue
            check "llvm-profdata-14 reads $k.$f" read14 $k $f
            want=$B/$k.text
            case $f in md5*)                          # names come back as numbers, as they do of its own file
                want=$B/$k.md5.want
                read14 $k text
                llvm-profdata-14 merge --sample --extbinary --use-md5 -o $B/$k.md5.by14 $B/$k.text
                llvm-profdata-14 merge --sample --text -o $want $B/$k.md5.by14 ;;
            esac
            check "llvm-profdata-14 finds the same in $k.$f" cmp $want $B/$k.$f.14
        done
    done
else
    skip "llvm-profdata-14 is not installed"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
