#!/bin/sh
# Options that are given twice: all values count, or the second one is an error that names the option; for every option of
# every command, as the help lists them. Run in tests/.
B=$(pwd)/build/repeated
rm -rf $B
mkdir -p $B/build
. ./t.sh
T=$(pwd)/build/plain/csspgo D=$(pwd)/../examples/data L=$(pwd)/data/views/lib
make -s $T || { fail "the tool does not build"; finish; }
cd $B || exit 1

# ----- the tables: "COMMAND OPTION ARGUMENT REPEATED ALIAS..." a line, "-" for none
$T help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v -x -e help -e version -e inputs >commands
[ "$(wc -l <commands)" -ge 13 ] && pass || fail "commands: $(cat commands)"
while read -r c; do
    $T help $c | awk -v c=$c '
        function flush() {
            if (name != "") print c, name, (argument != "" ? argument : "-"), (text ~ /\(may +be +repeated\)/ ? "yes" : "no"), aliases
            name = ""
        }
        /^  -/ {
            flush(); name = $1; argument = ""; text = ""; aliases = ""
            sub(/,$/, "", name)
            if (name ~ /=/) { argument = name; sub(/^[^=]*=/, "", argument); sub(/\]$/, "", argument); sub(/\[?=.*/, "", name) }
            for (i = 2; i <= NF && $i ~ /^-/ && $(i - 1) ~ /^-|,$/; i++) { a = $i; sub(/,$/, "", a); sub(/=.*/, "", a); aliases = aliases " " a; if ($(i + 1) ~ /^[A-Z]+,?$/ && length(a) == 2) i++ }
        }
        /^    / || /^  -/ { text = text " " $0 }
        /^Taken as/ { flush(); taken = 1 }
        /^Refused/ || /^Exit/ { flush(); taken = 0 }
        taken { n = split($0, w, /[ ,]+/); for (i = 1; i <= n; i++) if (w[i] ~ /^--/) print c, w[i], "1", "no" }
        END { flush() }'
done <commands >table
[ "$(wc -l <table)" -ge 300 ] && pass || fail "the table has $(wc -l <table) options"
only='may be given only once'
# says STATUS PATTERN ARGUMENT...
says() {
    status=$1 pattern=$2
    shift 2
    $T "$@" >out 2>err </dev/null
    [ $? -eq $status ] && finds "$pattern" err && pass || fail "$* does not say '$pattern': $(head -3 err)"
}
# silent TEXT\|TEXT ARGUMENT...: neither is said; it may fail for other reasons
silent() {
    pattern=$1
    shift
    $T "$@" >out 2>err </dev/null
    ! has_text "${pattern%\\|*}" err && ! has_text "${pattern#*\\|}" err && pass || fail "$*: $(head -3 err)"
}
# The first command's options in a quick run also with LLVM's rules; all are asked for without.
while read -r c name argument many aliases; do
    case $name in --help | --llvm-compat) continue ;; esac
    case $argument in
    -) one= two==0 ;;
    0\|1) one==1 two==0 ;;
    *\|*) one="=${argument%%|*}" two="=${argument##*|}" ;;
    *) one==1 two==2 ;;
    esac
    [ "$argument" != 1 ] || two==0
    case "$many $argument" in
    yes*) silent "$only" $c $name$one $name$two ;;
    no\ -)
        $T $c $name$two >out 2>err </dev/null
        if has_text 'takes no value' err; then silent "$only\|one of them only" $c $name $name     # --text of merge
        else
            says 2 "^csspgo: error: $name $only" $c $name $name=0
            silent "$only" $c $name $name
        fi ;;
    *) says 2 "^csspgo: error: $name $only" $c $name$one $name$two ;;
    esac
    for alias in $aliases; do
        case $alias in -?) second="$alias${two#=}" ; set -- "$alias" "${two#=}" ;; *) set -- "$alias$two" ;; esac
        [ $many = yes ] && silent "$only" $c $name$one "$@" || says 2 "error: $name $only" $c $name$one "$@"
    done
done <table
says 2 "^csspgo: error: --binary does not go with --text: one of them only" merge --text --binary x
says 2 "^csspgo: error: --json does not go with --format=pprof: one of them only" folded --format=pprof --json x
# LLVM 19's tools take the last value
grep -E '^(profgen|merge|show|overlap|order) ' table | while read -r c name argument many aliases; do
    case $argument in -) one= two==0 ;; 0\|1) one==1 two==0 ;; *\|*) one="=${argument%%|*}" two="=${argument##*|}" ;; *) one==1 two==2 ;; esac
    case $name in --help | --llvm-compat) continue ;; esac
    $T $c --llvm-compat $name$one $name$two >out 2>err </dev/null
    if has_text "$only" err || has_text 'one of them only' err; then echo "$c $name: $(cat err)"; fi
done >compat
[ ! -s compat ] && pass || fail "--llvm-compat refuses: $(head -5 compat)"

# ----- what may be repeated adds up. A program and its library, by line
if have clang-19 && [ "$(uname -m)" = x86_64 ] && [ "$(uname -s)" = Linux ]; then
    F="-O2 -g -fdebug-info-for-profiling -fno-omit-frame-pointer"
    printf 'int x;\nint foo(void) { return x + 1; }\n' >one.c
    printf 'int foo(void);\nint main(void) { long s = 0, i; for (i = 0; i < 20000; i++) s += foo(); return s & 1; }\n' >two.c
    built() { # PREFIX FLAG...
        p=$1
        shift
        mkdir -p $p && clang-19 $F "$@" -shared -fPIC -o $p/libone.so one.c && clang-19 $F "$@" -o $p/two two.c $p/libone.so -Wl,-rpath,$B/$p || fail "$p does not build"
        $T record --quiet --exact --period=53 --count=300 --stop -o $p/ps -- $p/two >/dev/null 2>&1
        $T profgen --quiet --binary=$p/two --binary=$p/libone.so --perfscript=$p/ps -o $p/prof --csspgo-preinliner=0 --gen-cs-nested-profile=0
    }
    built lines
    built probes -fpseudo-probe-for-profiling
    for p in lines probes; do
        two=--binary=$p/two one=--binary=$p/libone.so
        for both in "$two $one" "$one $two"; do
            $T check $both $p/prof >out 2>err
            grep -q '^samples that fit: 100.00%' out && pass || fail "check $both: $(cat out err)"
            $T match $both -p $p/prof --format=text -o got >out 2>err
            $T merge --text $p/prof -o want
            cmp -s got want && grep -q '^all .* 100.0%$' out && pass || fail "match $both: $(cat out err)"
            $T annotate $both --function=main --function=foo $p/prof >out 2>err
            grep -q '^main in two:' out && grep -q '^foo in libone.so:' out && pass || fail "annotate $both: $(cat err)"
            $T annotate --json $both --function=main --function=foo $p/prof >out 2>err
            grep -q '"function": "main"' out && grep -q '"function": "foo"' out && grep -qx '\[' out && pass || fail "annotate --json $both: $(cat err)"
            $T order $both --in-order --perfscript=$p/ps >out 2>err
            grep -qx main out && grep -qx foo out && pass || fail "order $both: $(cat out err)"
        done
        for alone in "$two" "$one"; do
            $T check $alone $p/prof >out 2>err
            ! grep -q '^samples that fit: 100.00%' out && pass || fail "check $alone: $(cat out err)"
        done
        $T annotate $two --function=foo $p/prof >out 2>err
        [ $? -eq 1 ] && finds 'has no code of' err && pass || fail "annotate, code of another file: $(cat err)"
        $T annotate --format=html $two $one --function=foo --function=main $p/prof >out 2>err
        [ "$(grep -c '<!DOCTYPE' out)" -eq 1 ] && [ "$(grep -c '</html>' out)" -eq 1 ] && [ "$(grep -c '<h1>' out)" -ge 1 ] && pass || fail "annotate, HTML: $(cat err)"
        # profiles add up
        $T merge --text $p/prof $p/prof -o twice
        $T match $two $one -p $p/prof --old-profile=$p/prof --format=text -o got >out 2>err
        check "match -p twice, $p" cmp got twice
        $T match $two $one -p $p/prof -p ../none -o got >out 2>err
        [ $? -eq 1 ] && pass || fail "match -p none: $(cat err)"
    done
    $T match --binary=lines/two -p lines/prof -p probes/prof -o got >out 2>err
    [ $? -eq 1 ] && finds 'probes/prof.*cannot be merged' err && pass || fail "profiles of two kinds: $(cat err)"
    $T match --fit --binary=probes/two --binary=probes/libone.so -p probes/prof --format=text -o got >out 2>err && grep -q foo got && grep -q main got && pass || fail "match --fit: $(cat err)"
    # a function of both, with another control flow in each: that of the profile counts
    printf 'static __attribute__((noinline)) long same(long x) { return FOR; }\nint NAME(int c, char **v) { long s = 0, i; for (i = 0; i < 20000; i++) s += same(i); return v == 0 || s == c; }\n' >shared.c
    clang-19 -O2 -fpseudo-probe-for-profiling -DFOR='x * x + 1' -DNAME=main -o shared.two shared.c
    clang-19 -O2 -fpseudo-probe-for-profiling -shared -fPIC -DFOR='x > 5 && x < 9 ? x * 3 : x + 7' -DNAME=other -o shared.so shared.c
    $T record --quiet --exact --period=53 --count=300 --stop -o shared.ps -- ./shared.two >/dev/null 2>&1
    $T profgen --quiet --binary=shared.two --perfscript=shared.ps -o shared.prof
    for both in "shared.two shared.so" "shared.so shared.two"; do
        set -- $both
        $T check --binary=$1 --binary=$2 shared.prof >out 2>err
        grep -q '^samples that fit: 100.00%' out && finds 'warning: functions that have several control flows in .*: 1;' err && pass || fail "a function of two programs, $both: $(cat out err)"
    done
    if have llvm-mca-19 && have llvm-mc-19 && have llvm-objdump-19; then
        $T bottleneck --binary=probes/libone.so --binary=probes/two --profile=probes/prof >out 2>err
        grep -q ' foo\b' out && grep -q ' main\b' out && pass || fail "bottleneck: $(head -20 out err)"
    fi
else
    skip "repeated: clang-19 is not installed, or the machine is another one"
fi
# names for GUIDs: what came first counts
$T merge --use-md5 $D/demo.prof -o md5.prof
printf 'nobody\n' >names1
$T merge --text $D/demo.prof | sed -n 's/^\([^ :]*\):.*/\1/p' >names2
$T folded --names=names2 md5.prof >want 2>err
for o in "--names=names1 --names=names2" "--names=names2 --names=names1"; do
    $T folded $o md5.prof 2>err | cmp -s - want && pass || fail "folded $o"
done
printf 'int nobody(void) { return 0; }\nint main(void) { return 0; }\n' >n.c && cc -o n n.c
$T folded --binary=$D/demo.elf md5.prof >want 2>err
for o in "--binary=n --binary=$D/demo.elf" "--binary=$D/demo.elf --profiled-binary=n"; do
    $T folded $o md5.prof 2>err | cmp -s - want && pass || fail "folded $o"
    $T flame --json $o md5.prof | grep -q pack_noise && pass || fail "flame $o"
done
# profiles in place of samples
$T profgen --quiet --binary=$D/demo.elf --perfscript=$D/demo.perfscript --csspgo-preinliner=0 --gen-cs-nested-profile=0 -o cs.prof
$T profgen --quiet --binary=$D/demo.elf --llvm-sample-profile=cs.prof --format=text -o once
$T merge cs.prof cs.prof -o cs2.prof
$T profgen --quiet --binary=$D/demo.elf --llvm-sample-profile=cs2.prof --format=text -o want
$T profgen --quiet --binary=$D/demo.elf --llvm-sample-profile=cs.prof --llvm-sample-profile=cs.prof --format=text -o got
check "--llvm-sample-profile twice" cmp got want
! cmp -s once want && pass || fail "a profile twice is no other one"
$T profgen --llvm-compat --binary=$D/demo.elf --llvm-sample-profile=cs2.prof --format=text -o want >/dev/null 2>&1
$T profgen --llvm-compat --binary=$D/demo.elf --llvm-sample-profile=none --llvm-sample-profile=cs2.prof --format=text -o got >/dev/null 2>&1
check "... LLVM takes the last one" cmp got want
says 1 'none: ' profgen --binary=$D/demo.elf --llvm-sample-profile=cs.prof --llvm-sample-profile=none -o got
finish
