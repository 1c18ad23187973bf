#!/bin/sh
# Whose code an address is: symbols that are renamed, share names or are missing change no profile, whatever their names
# end in. Run in tests/.
cd "$(dirname "$0")" || exit 1
. ./t.sh
compares
T=$(pwd)/build/plain/csspgo B=build/symbols D=../examples/data
make -s build/plain/csspgo || exit 1
rm -rf $B
mkdir -p $B/copy
if [ "$(uname -sm)" != "Linux x86_64" ] || ! have clang-19 || ! have ld.lld-19 || ! have llvm-objcopy-19 || ! have llvm-nm-19; then
    skip "clang-19, lld-19, llvm-objcopy-19 and llvm-nm-19 on x86-64 Linux are needed"
    finish
fi
again llvm-objcopy-19

# built NAME FLAGS...: owners_a.c and owners_b.c, and a recording of them
built() {
    name=$1
    shift
    clang-19 -O2 -g -fpseudo-probe-for-profiling -fdebug-info-for-profiling -fuse-ld=lld-19 "$@" programs/owners_a.c programs/owners_b.c \
        -o $B/$name 2>$B/err || { fail "$name does not build: $(head -3 $B/err)"; return 1; }
    env -i $T record --quiet --exact --max-branches=20000 -o $B/$name.data -- $B/$name >/dev/null 2>$B/err
    [ -s $B/$name.data ]
}
# made NAME FILE OPTIONS...: the profiles of the recording of NAME for FILE
made() {
    name=$1 file=$2
    shift 2
    for how in "" --ignore-stack-samples; do
        $T profgen --binary=$file --perfdata=$B/$name.data --format=text --output=- $how "$@" 2>$B/err || cat $B/err
    done
}
# functions FILE: its own, by symbols that are there once
functions() {
    llvm-nm-19 --defined-only --format=posix $1 |
        awk '$2 ~ /^[tTiI]$/ && $1 !~ /^_(start|init|fini)$|tm_clones|dtors|frame_dummy|_dl_reloc/ { print $1 }' | sort | uniq -u
}
# copied NAME TO OPTIONS...: a copy by llvm-objcopy-19
copied() {
    from=$1 to=$2
    shift 2
    llvm-objcopy-19 "$@" $from $to 2>$B/err || fail "objcopy $*: $(head -2 $B/err)"
}
# same WHAT NAME OPTIONS...: the copy of NAME gives the profiles that NAME gives
same() {
    what=$1 name=$2
    shift 2
    made $name $B/copy/$name "$@" >$B/got
    if cmp -s $B/got $B/$name.want; then pass; else fail "$name, $what"; grep -h -e 'error:' -e 'not found' $B/err $B/got; diff $B/got $B/$name.want | head -5; fi
}
# renamed WHAT NAME SUFFIX: each function NAME becomes NAME.SUFFIX, or z1, z2, ... without a suffix
renamed() {
    name=$2 suffix=$3 n=0
    [ -e $B/$name.functions ] || functions $B/$name >$B/$name.functions
    set --
    while read -r function; do
        n=$((n + 1))
        [ -n "$suffix" ] && new=$function$suffix || new=z$n
        set -- "$@" --redefine-sym "$function=$new"
    done <$B/$name.functions
    copied $B/$name $B/copy/$name "$@"
}

SUFFIXES=".specialized.7 .memprof.2 .argprom .content.123456 .part.0 .constprop.1 .isra.0 .warm .1 .__uniq.12.llvm.345 .cloned.in.2042 .a.b.c.d.e"
PARTIAL="-mllvm -enable-partial-inlining -mllvm -inline-threshold=1 -mllvm -skip-partial-inlining-cost-analysis"
for program in "fixed -no-pie" "pie -fPIE -pie -fno-omit-frame-pointer" "partial -no-pie $PARTIAL" "names -no-pie -fno-unique-internal-linkage-names" \
    $([ -z "$FULL" ] || echo "o3:-no-pie:-O3 o1:-no-pie:-O1 thin:-no-pie:-flto=thin order:-no-pie:-ffunction-sections:-Wl,--icf=all"); do
    set -- $(echo "$program" | tr ':' ' ')
    name=$1
    built "$@" || { skip "csspgo record does not work here"; finish; }
    made $name $B/$name >$B/$name.want
    [ "$(grep -c '^[^ ]' $B/$name.want)" -gt 14 ] && pass || fail "$name: too few functions"
    # any suffix, also one of tomorrow; with and without debug information
    for suffix in $SUFFIXES; do
        case $name in fixed) ;; *) [ -n "$FULL" ] || case $suffix in .part* | .cloned*) ;; *) continue ;; esac ;; esac
        renamed "" $name $suffix
        same "$suffix" $name
        llvm-objcopy-19 --strip-debug $B/copy/$name
        same "$suffix without debug information" $name
    done
    # other names, or none: debug information knows them
    renamed "" $name ""
    same "renamed" $name
    strip -s --keep-section='.debug*' -o $B/copy/$name $B/$name && same "without symbols" $name || fail "strip"
    # symbols of single functions are gone: what is left is theirs
    for f in $(functions $B/$name | awk -v every=$(size 5 1) 'NR % every == 0'); do
        copied $B/$name $B/copy/$name --strip-debug --strip-symbol=$f
        same "without the symbol $f" $name
    done
    # the same by source line
    made $name $B/$name --use-dwarf-correlation >$B/$name.want
    for suffix in .specialized.7 .cloned.in.2042 ""; do
        renamed "" $name $suffix
        same "by line, suffix '$suffix'" $name --use-dwarf-correlation
    done
    strip -s --keep-section='.debug*' -o $B/copy/$name $B/$name && same "by line, without symbols" $name --use-dwarf-correlation || fail "strip"
done

# Nothing but code and probes is left.
for name in fixed pie partial names; do
    made $name $B/$name >$B/$name.want
    for how in "strip -s" "strip --strip-unneeded" "llvm-objcopy-19 --strip-unneeded" "llvm-objcopy-19 -x"; do
        cp $B/$name $B/copy/$name
        $how $B/copy/$name
        same "$how" $name
        [ -n "$FULL" ] || [ $name = fixed ] || break
    done
done
# the order of functions tells equal ones apart: in files, in sections of their own, in link-time optimisation
for program in "ordered -O1 -fno-pie -no-pie" $([ -z "$FULL" ] || echo small:-Os) "optimised -O2 -flto -fPIE -pie" "sections -O1 -ffunction-sections -fPIE -pie"; do
    set -- $(echo "$program" | tr ':' ' ')
    name=$1
    shift
    clang++-19 -fpseudo-probe-for-profiling -fno-rtti -fno-exceptions -fuse-ld=lld-19 "$@" programs/owners_c.cc -o $B/$name 2>$B/err ||
        { fail "$name does not build: $(head -3 $B/err)"; continue; }
    env -i $T record --quiet --exact --max-branches=20000 -o $B/$name.data -- $B/$name >/dev/null 2>$B/err
    made $name $B/$name >$B/$name.want
    [ "$(grep -c 'times\|first\|second\|area\|grow\|edges\|add\|take' $B/$name.want)" -ge 20 ] && pass || fail "$name: too few functions"
    strip -s -o $B/copy/$name $B/$name
    same "strip -s" $name
    copied $B/$name $B/copy/$name --redefine-sym main=_Z5firstPKll
    same "main has the name of another function" $name
done
# what cannot be told is said: beside code without probes, a function of one instruction may be in two places
cat >$B/one.c <<'END'
volatile long sink;
__attribute__((noinline)) void one(void) { sink = 1; }
__attribute__((noinline)) long many(long n) { long s = 0; while (n-- > 0) { one(); s += n & 3 ? sink : n; } return s; }
END
cat >$B/two.c <<'END'
extern volatile long sink;
long many(long n);
void one(void);
__attribute__((noinline)) void other(void) { sink = 2; }
int main(void) { for (int i = 0; i < 400; i++) { one(); other(); many(i & 15); } return 0; }
END
if clang-19 -O2 -fpseudo-probe-for-profiling -c -o $B/one.o $B/one.c && clang-19 -O2 -c -o $B/two.o $B/two.c && clang-19 -no-pie -o $B/two $B/two.o $B/one.o; then
    env -i $T record --quiet --exact -o $B/two.data -- $B/two >/dev/null 2>$B/err
    strip -s -o $B/copy/two $B/two
    $T profgen --binary=$B/two --perfdata=$B/two.data --ignore-stack-samples --format=text -o $B/want 2>$B/err || fail "two"
    $T profgen --binary=$B/copy/two --perfdata=$B/two.data --ignore-stack-samples --format=text -o $B/got 2>$B/err
    grep -q '^many:' $B/got && pass || fail "many: $(cat $B/err)"
    grep -q '^one:' $B/got || finds 'the code of 1 probe records was not found.*and 1 probes have no counts' $B/err && pass || fail "one: $(cat $B/err)"
    grep '^one:\|^many:' $B/got | while read -r line; do grep -qxF "$line" $B/want || echo "$line"; done >$B/wrong
    [ ! -s $B/wrong ] && pass || fail "not so: $(cat $B/wrong)"
else fail "one.c and two.c do not build"; fi

# two functions of one name: each has its own counts
heads() { $T profgen --quiet --binary=$B/$1 --perfdata=$B/$1.data --ignore-stack-samples --format=text -o - | awk -F: '/^[^ ]*helper/ { total += $2; head += $3 } END { print total, head }'; }
[ "$(heads names)" = "$(heads fixed)" ] && [ "$(heads names)" != "0 0" ] && pass || fail "two helpers: $(heads names), of unique names $(heads fixed)"

# LLVM takes names out of debug information, so it knows clones that the compiler made, too
if have llvm-profgen-19; then
    $T record --quiet --exact --max-branches=20000 -o $B/fixed.script -- $B/fixed >/dev/null 2>$B/err
    for how in "" --ignore-stack-samples; do
        llvm-profgen-19 --binary=$B/fixed --perfscript=$B/fixed.script --format=text --output=$B/llvm $how >$B/err 2>&1 || fail "llvm-profgen-19: $(head -2 $B/err)"
        $T profgen --llvm-compat --quiet --binary=$B/fixed --perfscript=$B/fixed.script --format=text -o $B/got $how || fail "--llvm-compat"
        grep -q apply $B/llvm && cmp -s $B/got $B/llvm && pass || { fail "--llvm-compat $how"; diff $B/got $B/llvm | head -5; }
    done
else skip "llvm-profgen-19 is not installed"; fi

# the other commands: what is renamed or stripped has the same instructions with the same counts
$T profgen --quiet --binary=$B/partial --perfdata=$B/partial.data --format=text -o $B/partial.prof --csspgo-preinliner=0 \
    --gen-cs-nested-profile=0 || fail "profgen of partial"
renamed "" partial ".tomorrow.9"
strip -s -o $B/copy/bare $B/partial
counts() { $T annotate --json --quiet --binary=$1 --function=$2 $B/partial.prof 2>$B/err | tr '}' '\n' | sed -n 's/.*"address": *\([0-9]*\).*"counts": *\(\[[^]]*\]\).*/\1 \2/p'; }
for f in apply part helper hidden main in_own; do
    name=$(grep -o "_ZL[0-9]*${f}[a-zA-Z]*\.__uniq\.[0-9]*" $B/partial.prof | head -1)
    counts $B/partial ${name:-$f} >$B/want
    [ -s $B/want ] && pass || fail "annotate $f: $(cat $B/err)"
    for copy in partial bare; do
        counts $B/copy/$copy ${name:-$f} | cmp -s - $B/want && pass || { fail "annotate $f of copy/$copy"; head -3 $B/err; }
    done
done
for copy in partial bare; do
    $T check --quiet --binary=$B/copy/$copy $B/partial.prof >$B/out 2>$B/err
    grep -q '^samples that fit: 100.00%' $B/out && pass || { fail "check of copy/$copy"; cat $B/out; }
    $T match --binary=$B/copy/$copy --old-profile=$B/partial.prof --format=text -o $B/matched >$B/out 2>$B/err
    cmp -s $B/matched $B/partial.prof && pass || { fail "match to copy/$copy"; diff $B/matched $B/partial.prof | head -5; }
done
finish
