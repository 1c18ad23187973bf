#!/bin/sh
# Outputs of the tool: no input is overwritten, and whatever goes wrong, the old file or the new one is there, whole.
. ./t.sh
compares
B=$(pwd)/build/io
D=$B/d
rm -rf $B
mkdir -p $D/in $D/out $D/links
T=$(pwd)/build/plain/csspgo
DEMO=$(pwd)/../examples/data/demo
fail() { echo "FAILED: io_errors: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: io_errors: $*"; skipped=$((skipped + 1)); }
[ -x $T ] || make -s build/plain/csspgo
make -s build/plain/make_perfdata || fail "make_perfdata.c does not build"

cd $D || exit 1
cp $DEMO.elf in/demo.elf && chmod +x in/demo.elf
awk '{ print } NR > 300 && /0x.*\/0x/ { print ""; exit }' $DEMO.perfscript >in/script
printf 'main:10:1\n 1: 1\n 2: 3 foo:3\nfoo:5:3\n 1: 5\n' >in/a.text
sed -n 1,3p in/a.text >in/b.text
printf 'main\nfoo\n' >in/names
printf 'foo bar\n' >in/remap
$T merge in/a.text -o in/a.ext
$T profgen --quiet --binary=in/demo.elf --perfscript=in/script -o in/prof && $T profgen --quiet --skip-symbolization --binary=in/demo.elf --perfscript=in/script -o in/raw ||
    fail "profgen makes no inputs"
printf '# inputs\n%s\n' $D/in/a.text >in/list
mkdir in/dir && cp in/a.text in/b.text in/dir
../../plain/make_perfdata file <in/script >in/data || fail "no perf.data"
cp -r in kept

# ----- an output that is an input: by its own name, a hard link, a symbolic link
# refused INPUT COMMAND...: OUT in the command becomes each of those names
refused() {
    input=$1
    shift
    command=$*
    ln -f $input links/hard && ln -sf ../$input links/soft || fail "no links"
    for name in $input ./$input links/hard links/soft; do
        $T ${command%%OUT*}$name${command#*OUT} >$B/out 2>$B/err
        got=$?
        if [ $got -eq 2 ] && has_text "output '$name' is the same file as input" $B/err && cmp -s $input kept/${input#in/}; then pass
        else fail "$* with -o $name: status $got"; cat $B/err; cp kept/${input#in/} $input; fi
    done
}
refused in/a.text merge in/b.text in/a.text -o OUT
refused in/a.text merge in/b.text --weighted-input=3,in/a.text -o OUT
refused in/list merge in/b.text --input-files=in/list -o OUT
refused in/a.text merge --input-files=in/list -o OUT
refused in/dir/b.text merge in/dir -o OUT
refused in/names merge in/b.text --prof-sym-list=in/names -o OUT
refused in/remap merge in/b.text --remapping-file=in/remap -o OUT
refused in/a.text show in/a.text -o OUT
refused in/a.text overlap in/b.text in/a.text -o OUT
refused in/a.text overlap in/a.text in/b.text -o OUT
refused in/a.text folded in/a.text -o OUT
refused in/names folded in/a.text --names=in/names -o OUT
refused in/demo.elf flame in/a.text --binary=in/demo.elf -o OUT
refused in/a.text flame in/a.text -o OUT
refused in/prof match --old-profile=in/prof --binary=in/demo.elf -o OUT
refused in/demo.elf match --old-profile=in/prof --binary=in/demo.elf -o OUT
refused in/raw match --old-profile=in/prof --binary=in/demo.elf --debug-binary=in/raw -o OUT
for form in "" --skip-symbolization; do
    refused in/script profgen $form --binary=in/demo.elf --perfscript=in/script -o OUT
    refused in/demo.elf profgen $form --binary=in/demo.elf --perfscript=in/script -o OUT
    refused in/raw profgen $form --binary=in/demo.elf --debug-binary=in/raw --perfscript=in/script -o OUT
done
refused in/data profgen --binary=in/demo.elf --perfdata=in/data -o OUT
refused in/raw profgen --binary=in/demo.elf --unsymbolized-profile=in/raw -o OUT
refused in/prof profgen --binary=in/demo.elf --llvm-sample-profile=in/prof -o OUT
if [ "$(uname -s)" = Linux ]; then
    refused in/demo.elf record -o OUT -- in/demo.elf
    (PATH=$D/in:$PATH && refused in/demo.elf record -o OUT -- demo.elf && [ $failed -eq 0 ]) && pass || fail "record: a program in the PATH"
fi
# through standard input and output
cp in/a.text in/c.text
$T merge - -o in/c.text <in/c.text 2>$B/err
[ $? -eq 2 ] && cmp -s in/a.text in/c.text && pass || fail "standard input is the output"
$T show in/c.text >>in/c.text 2>$B/err
[ $? -eq 2 ] && cmp -s in/a.text in/c.text && pass || fail "standard output is an input"
$T show /dev/null -o /dev/null 2>$B/err
finds 'same file' $B/err && fail "a device is refused" || pass
# as LLVM: show refuses in its words, merge has read its inputs before it writes
$T show --llvm-compat in/c.text -o ./in/c.text 2>$B/err
[ $? -eq 1 ] && finds 'cannot be the same as the output' $B/err && cmp -s in/a.text in/c.text && pass || fail "show --llvm-compat"
$T overlap --llvm-compat in/b.text in/c.text -o in/c.text 2>$B/err
[ $? -eq 1 ] && cmp -s in/a.text in/c.text && pass || fail "overlap --llvm-compat"
$T merge --llvm-compat --text in/c.text in/b.text -o in/c.text && $T merge --text in/a.text in/b.text | cmp -s - in/c.text && pass ||
    fail "merge --llvm-compat into an input"

# ----- names, modes, special files
$T merge --text in/a.text -o $B/whole
# is NAME FILE: FILE has what merge wrote
is() { if cmp -s $B/whole $2; then pass; else fail "$1"; fi; }
mode() { ls -ld $1 | cut -c1-10; }
(umask 027 && $T merge --text in/a.text -o out/new)
is "a new file" out/new
[ "$(mode out/new)" = -rw-r----- ] && pass || fail "a new file's mode: $(mode out/new)"
echo old >out/old && chmod 604 out/old && $T merge --text in/a.text -o out/old
is "an old file" out/old
[ "$(mode out/old)" = -rw----r-- ] && pass || fail "an old file's mode: $(mode out/old)"
ln -sf ../out/old links/one && ln -sf one links/two && echo old >out/old && $T merge --text in/a.text -o links/two
is "through links" out/old
[ -h links/one ] && [ -h links/two ] && pass || fail "a link is replaced"
ln -sf ../out/dangling links/three && $T merge --text in/a.text -o links/three
is "through a dangling link" out/dangling
ln -sf loop links/loop && $T merge --text in/a.text -o links/loop 2>$B/err
[ $? -eq 1 ] && finds 'loop' $B/err && pass || fail "a loop of links"
long=$(printf '%0250d' 7)
(cd out && $T merge --text ../in/a.text -o $long)
is "a name of 250 bytes, without a directory" out/$long
rm -f out/* out/.[!.]*
for bad in out out/none/x "" out/new/; do
    $T merge in/a.text -o "$bad" 2>$B/err
    [ $? -eq 1 ] && [ -s $B/err ] && [ -z "$(ls -A out)" ] && pass || fail "-o '$bad'"
done
mkfifo out/pipe
for c in "merge --text in/a.text" "show in/a.text" "folded in/a.text" "profgen --quiet --binary=in/demo.elf --perfscript=in/script"; do
    $T $c 2>/dev/null -o - >$B/want
    timeout 20 cat out/pipe >$B/got &
    $T $c -o out/pipe 2>$B/err
    wait $!
    [ -p out/pipe ] && cmp -s $B/want $B/got && [ -s $B/got ] && pass || fail "$c to a pipe"
    echo before >$B/got
    $T $c -o /dev/stdout 2>/dev/null >>$B/got
    { echo before; cat $B/want; } | cmp -s - $B/got && pass || fail "$c to /dev/stdout"
    $T $c -o /dev/null 2>$B/err && [ -c /dev/null ] && pass || fail "$c to /dev/null"
    [ -w /dev/full ] || continue
    $T $c -o /dev/full 2>$B/err
    [ $? -eq 1 ] && finds '/dev/full: No space' $B/err && pass || fail "$c to /dev/full"
    $T $c -o - 2>$B/err >/dev/full
    [ $? -eq 1 ] && finds 'No space' $B/err && pass || fail "$c to a full standard output"
done
if [ -w /dev/full ]; then
    for c in help "help show" "merge --help" "merge --dump-input-file-list in/a.text" "match --old-profile=in/prof --binary=in/demo.elf"; do
        $T $c 2>$B/err >/dev/full
        [ $? -eq 1 ] && finds 'standard output: No space' $B/err && pass || fail "$c to a full standard output"
    done
else skip "no /dev/full"; fi
cat in/data >out/pipe &
$T profgen --quiet --binary=in/demo.elf --perfdata=out/pipe -o $B/got && $T profgen --quiet --binary=in/demo.elf --perfdata=in/data -o $B/want &&
    cmp -s $B/want $B/got && pass || fail "perf.data from a pipe that has a name"
rm -f out/pipe
# input without an end
for c in "show /dev/zero" "merge --text /dev/zero" "ctxprof show /dev/zero" "folded /dev/zero" "profgen --binary=in/demo.elf --perfscript=/dev/zero" \
    "profgen --binary=in/demo.elf --preagg=/dev/zero" "profgen --binary=/dev/zero --perfscript=in/script" "match --old-profile=/dev/zero --binary=in/demo.elf"; do
    (ulimit -v 500000 && timeout 60 $T $c -o $B/got) >/dev/null 2>$B/err
    [ $? -eq 1 ] && finds '/dev/zero: ' $B/err && pass || fail "$c: $(cat $B/err)"
done
# a file that may not be written is not replaced either
other=
[ "$(id -u)" -ne 0 ] || { setpriv --reuid=65534 --clear-groups true 2>/dev/null && other="setpriv --reuid=65534 --clear-groups"; }
if [ "$(id -u)" -ne 0 ] || [ -n "$other" ]; then
    where=$(mktemp -d) && chmod 777 $where && echo precious >$where/f && chmod 444 $where/f
    if cp $T $where/tool && chmod 755 $where/tool && cp in/a.text $where && $other $where/tool help >/dev/null 2>&1; then
        $other $where/tool merge $where/a.text -o $where/f 2>$B/err
        [ $? -eq 1 ] && finds 'Permission denied' $B/err && [ "$(cat $where/f)" = precious ] && pass || fail "a read-only file is replaced"
    else skip "no other user to be"; fi
    rm -rf $where
else skip "no other user to be"; fi

# ----- a full disk: as a limit for files, as a file system of 8 kB
# full NAME WRAPPER...: out/ holds an old file, and not what the commands write
cp $DEMO.perfscript in/large
$T profgen --quiet --binary=in/demo.elf --perfscript=in/large --skip-symbolization -o in/large.raw
$T profgen --quiet --binary=in/demo.elf --unsymbolized-profile=in/large.raw --format=text --gen-cs-nested-profile=0 --csspgo-preinliner=0 --csprof-merge-cold-context=0 -o in/large.text
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "f%0300d:10:1\n 1: 5\n", i }' >in/wide.text
full() {
    name=$1
    shift
    for c in "merge --text in/large.text" "show in/large.text" "flame in/large.text" "profgen --quiet --skip-symbolization --binary=in/demo.elf --perfscript=in/large"; do
        echo old >out/x
        "$@" $T $c -o out/x 2>$B/err
        got=$?
        if [ $got -eq 1 ] && [ -s $B/err ] && [ "$(cat out/x)" = old ] && [ "$(ls -A out)" = x ]; then pass
        else fail "$name: $c: status $got: $(ls -lA out)"; cat $B/err; fi
        rm -f out/* out/.[!.]*
    done
}
full "a limit" sh -c 'ulimit -f 8; exec "$@"' sh
cat >$B/small.sh <<'END'
cd $1 && mount -t tmpfs -o size=8k tmpfs out && shift && cp in/b.text out/x && "$@" && exit 77
got=$?
[ "$(ls -A out)" = x ] && cmp in/b.text out/x && exit $got
END
if unshare -Urm sh -c "mount -t tmpfs -o size=8k tmpfs $D/out" 2>/dev/null; then
    full "a small disk" unshare -Urm sh $B/small.sh $D
else skip "no file system to fill: mount is not permitted"; fi

# ----- every call on a file goes wrong once
if ! ${CC:-cc} -std=c99 -Wall -Wextra -O1 -o $B/faults ../../../io_faults.c 2>$B/err; then
    fail "io_faults.c does not build"; head $B/err
fi
# faults "HOW..." OLD OUTPUT COMMAND...: OLD is what OUTPUT was, or -
faults() {
    hows=$1 old=$2 input=$3 new=$B/want
    shift 3
    [ "$2" != record ] || new=-
    for how in $hows; do
        $B/faults $how $D $D/out/x $old $new "$@" <$input >$B/out 2>$B/err
        case $? in
        0) [ "$(sed -n 's/ runs$//p' $B/out)" -gt 0 ] && pass || fail "$how: no calls: $*" ;;
        2) skip "$how: $*: system calls cannot be traced here: $(cat $B/err)"; return 1 ;;
        *) fail "$how: $*"; head -5 $B/out ;;
        esac
    done
}
# each COMMAND ARGUMENT...: over an old file; a quick run does one command of four, in two ways
asked=0
each() {
    asked=$((asked + 1)) command=$1
    [ -n "$FULL" ] || [ $((asked % 4)) -eq 3 ] || return 0
    shift
    rm -rf out links && mkdir out links && ln -s ../out/x links/x
    $T $command -o out/x "$@" <in/a.text >/dev/null 2>&1 || fail "$command $*"
    mv out/x $B/want
    if [ -n "$FULL" ]; then hows="fail full short 15"
    elif [ $((asked % 8)) -eq 3 ]; then hows="fail short"
    else hows="full 15"; fi
    faults "$hows" $D/in/b.text in/a.text $T $command -o $D/out/x "$@"
}
each merge $D/in/a.ext --weighted-input=2,$D/in/a.text
each merge --text - --input-files=$D/in/list --prof-sym-list=$D/in/names --remapping-file=$D/in/remap
each merge --text $D/in/dir
each merge --text --output-size-limit=30 $D/in/a.text
each show --show-sec-info-only $D/in/a.ext
each overlap $D/in/a.text $D/in/b.text
each folded $D/in/a.ext --names=$D/in/names
each flame $D/in/large.text
each match --quiet --old-profile=$D/in/prof --binary=$D/in/demo.elf
each profgen --quiet --binary=$D/in/demo.elf --perfscript=$D/in/script
each profgen --quiet --binary=$D/in/demo.elf --perfdata=$D/in/data
each profgen --quiet --binary=$D/in/demo.elf --unsymbolized-profile=$D/in/raw
each profgen --quiet --binary=$D/in/demo.elf --perfscript=$D/in/script --skip-symbolization
each profgen --quiet --binary=$D/in/demo.elf --llvm-sample-profile=$D/in/prof
each merge --text $D/in/a.text $D/in/b.text
# other signals; a new file, through a link; what needs several windows of text to be read
faults "$([ -z "$FULL" ] || echo 1 3 7) 2 13" $D/in/b.text in/a.text $T merge --text $D/in/a.text $D/in/b.text -o $D/out/x
faults "fail full 15" - in/a.text $T merge --text $D/in/a.text $D/in/b.text -o $D/links/x
$T merge $D/in/wide.text -o $B/want && faults fail $D/in/b.text in/a.text $T merge $D/in/wide.text -o $D/out/x
# every allocation fails once, and all from it on
if ${CC:-cc} -O1 -o $B/alloc_faults ../../../alloc_faults.c && ${CC:-cc} -O1 -DPRELOAD -shared -fPIC -o $B/alloc_faults.so ../../../alloc_faults.c; then
    printf -- '- Guid: 1\n  Counters: [ 1, 2 ]\n' >in/ctx.yaml
    allocations() {
        PATH=${BARE:-$PATH} $B/alloc_faults $1 $B/alloc_faults.so $T $2 >$B/got 2>&1
        case $? in
        0) pass ;;
        2) skip "allocations of $2 cannot fail here" ;;
        *) fail "$2"; cat $B/got ;;
        esac
    }
    for c in "show in/a.text" "merge in/a.text -o $B/x" "merge --text in/a.text -o -" "overlap in/a.text in/b.text" "flame in/a.text -o $B/x" \
        "folded in/a.ext -o $B/x" "ctxprof show in/ctx.yaml" "ctxprof merge in/ctx.yaml -o $B/x" "show --show-sec-info-only in/a.ext" \
        "folded in/ctx.yaml -o $B/x" "flame in/ctx.yaml --names=in/names -o $B/x"; do
        allocations $([ -n "$FULL" ] && echo 1 || echo 3) "$c"
    done
    allocations $([ -n "$FULL" ] && echo 1 || echo 29) "profgen --quiet --binary=in/demo.elf --perfscript=in/script -o $B/x"
    allocations $([ -n "$FULL" ] && echo 1 || echo 29) "profgen --quiet --binary=in/demo.elf --perfdata=in/data -o $B/x"
    allocations $([ -n "$FULL" ] && echo 1 || echo 29) "match --quiet --old-profile=in/prof --binary=in/demo.elf -o $B/x"
    # annotate by itself: nobody disassembles
    printf '{"cpu": "x", "paths": [{"function": "pack", "loop": true, "not_modelled": null, "inexact": "a", "blocks": [{"begin": 1, "end": 9}],
        "instructions": ["ab", "cd"], "bounds": {"units": "u"}, "chain": [{"instruction": 1, "on": "r"}], "single_pass": [], "contexts": [{"verdict": "ports"}]}]}' >in/chain.json
    mkdir -p bare
    BARE=$PWD/bare
    allocations $([ -n "$FULL" ] && echo 1 || echo 29) "annotate --quiet --top=2 --format=html --bottleneck=in/chain.json --binary=in/demo.elf in/prof -o $B/x"
    BARE=
else fail "alloc_faults.c does not build"; fi
# a recording has the process's id in it: the new file is any that is not the old one
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    ${CC:-cc} -O1 -w -o $B/program ../../../programs/record/straight.c || fail "the program to record does not build"
    each record --quiet --software --count=20 --period=50 -- $B/program
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
