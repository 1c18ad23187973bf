#!/bin/sh
# Files made to harm who reads them: small ones that stand for much, names that terminals obey, links in /tmp, names of
# files that are none of the program's business.
cd "$(dirname "$0")" || exit 1
. ./t.sh
HERE=$(pwd)
B=$HERE/build/hostile
T=$HERE/build/plain/csspgo
rm -rf $B
mkdir -p $B
[ -x $T ] || make -s build/plain/csspgo
have perl || { skip "hostile: perl is not installed"; finish; }

# ----- bombs: each ends within memory for 16 times its size and what the tool itself needs, and says what it is
cat >$B/bomb.pl <<'END'
# bomb.pl KIND N FILE: an ELF file, or text of perf script
use strict; use warnings;
my ($kind, $n, $out) = @ARGV;
my $at = 0x401000;
sub put { open my $f, '>:raw', $out or die; print $f @_; close $f or die }
if ($kind eq 'forks') {               # a process with many mappings forks often
    my @t = map { sprintf "PERF_RECORD_MMAP2 1/1: [0x%x(0x1000) \@ 0x1000 fe:00 1 0]: r-xp /x/demo.elf\n", 0x400000 + $_ * 0x2000 } 1 .. $n / 4;
    push @t, map { "PERF_RECORD_FORK($_:$_):(1:1)\n" } 2 .. $n;
    put(@t, "\n  401010\n 0x401fff/0x401000/P/-/-/0\n\n");
    exit;
}
my $text = "\x90" x 4096;
my $long = 'L' x (2 * $n);
my ($str, $sym) = ("\0main\0", "\0" x 24 . pack('VCCvQQ', 1, 0x12, 0, 1, $at, 4096));
my @add;
if ($kind eq 'symbols') {             # many symbols share the end of one name
    $str = "\0$long\0";
    $sym = "\0" x 24 . join '', map { pack 'VCCvQQ', 1 + $_ % $n, 0x12, 0, 1, $at + $_ % 4096, 1 } 1 .. $n;
} elsif ($kind eq 'zeros') {          # compressed debug information
    require Compress::Zlib;
    push @add, ['.debug_info', 1, 0x800, pack('VVQQ', 1, 0, $n << 13, 1) . Compress::Zlib::compress("\0" x ($n << 13), 9)],
        ['.debug_abbrev', 1, 0, "\0"], ['.debug_line', 1, 0, "\0"];
} else {                              # functions that share the end of one name, or a list of ranges, or their origins
    my $of = $kind eq 'ranges' ? "\x55\x17" : "\x11\x01\x12\x06";
    my $abbrev = "\x01\x11\x01\x11\x01\x12\x06\x10\x17\0\0\x02\x2e\0\x03\x0e\x3a\x0b$of\0\0\x03\x2e\0\x47\x13\x11\x01\x12\x06\0\0\0";
    my $b = "\x01" . pack('QVV', $at, 4096, 0);
    my $last = 11 + length $b;
    for my $i (0 .. $n - 1) {
        my $where = $kind eq 'ranges' ? pack('V', 0) : pack('QV', $at + $i % 4096, 1);
        my $now = 11 + length $b;
        if ($kind eq 'origins' && $i) { $b .= "\x03" . pack('V', $last) . $where; $last = $now; next }
        $b .= "\x02" . pack('V', $kind eq 'names' ? $i % $n : 2 * $n - 2) . "\x01$where";
    }
    my $info = pack('vVC', 4, 0, 8) . "$b\0";
    my $head = "\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1\0a.c\0\0\0\0\0";
    my $line = pack('vV', 4, length $head) . $head . "\0\x09\x02" . pack('Q', $at) . "\1\x02\x80\x20\0\1\1";
    push @add, ['.debug_info', 1, 0, pack('V', length $info) . $info], ['.debug_abbrev', 1, 0, $abbrev],
        ['.debug_str', 1, 0, "$long\0"], ['.debug_line', 1, 0, pack('V', length $line) . $line],
        ['.debug_ranges', 1, 0, join('', map { pack 'QQ', $_ * 16 % 4096, $_ * 16 % 4096 + 16 } 1 .. $n) . "\0" x 16];
}
my @s = (['.text', 1, 6, $text, 0, 0, $at], map { [@$_, 0, 0, 0] } @add);
push @s, ['.symtab', 2, 0, $sym, @s + 2, 24, 0], ['.strtab', 3, 0, $str, 0, 0, 0];
my ($names, $data, $headers) = ("\0", '', "\0" x 64);
for (@s, ['.shstrtab', 3, 0, undef, 0, 0, 0]) {
    my ($name, $type, $flags, $bytes, $link, $entry, $address) = @$_;
    my $k = length $names;
    $names .= "$name\0";
    $bytes //= $names;
    $headers .= pack 'VVQQQQVVQQ', $k, $type, $flags, $address, 0x1000 + length $data, length $bytes, $link, 1, 16, $entry;
    $data .= $bytes . "\0" x (-length($bytes) % 16);
}
put(pack('a4C3x9vvVQQQVvvvvvv', "\x7fELF", 2, 1, 1, 2, 62, 1, $at, 64, 0x1000 + length $data, 0, 64, 56, 1, 64, @s + 2, @s + 1),
    pack('VVQQQQQQ', 1, 5, 0x1000, $at, $at, 4096, 4096, 0x1000), "\0" x (0x1000 - 120), $data, $headers);
END
printf 'PERF_RECORD_MMAP2 1/1: [0x401000(0x1000) @ 0x1000 fe:00 1 0]: r-xp /x/bomb\n\n          401010\n 0x401fff/0x401000/P/-/-/0 0x401ffe/0x401000/P/-/-/0\n\n' >$B/script
printf 'main:10:10\n 1: 10\n' >$B/a.prof
N=$(size 3000 20000)
# bomb KIND STATUS SAYS COMMAND...: within 64 MB of addresses
bomb() {
    kind=$1 status=$2 says=$3
    shift 3
    [ -f $B/$kind/bomb ] || { mkdir -p $B/$kind && perl $B/bomb.pl $kind $N $B/$kind/bomb 2>$B/err || { skip "bomb: $kind: $(cat $B/err)"; return; }; }
    (cd $B/$kind && ulimit -v 65536 && timeout 60 $T "$@" -o $B/out) >$B/said 2>$B/err
    got=$?
    [ $got -eq $status ] && finds "$says" $B/err && pass || fail "$kind: $*: status $got: $(head -3 $B/err)"
}
for c in folded flame; do bomb symbols 1 'its symbols share names' $c --binary=bomb ../a.prof; done
P="profgen --format=text --perfscript=../script --binary=bomb"
bomb symbols 1 'its symbols share names' $P
bomb names 1 'names in its debug information are shared' $P
bomb ranges 1 'lists of ranges in its debug information are shared' $P
bomb origins 0 'warning' $P
[ ! -f /usr/include/zlib.h ] || bomb zeros 1 'its compressed sections are 16 times as large' $P
bomb forks 3 'the profile is empty' profgen --binary=../../../../examples/data/demo.elf --perfscript=bomb

# ----- a recording of many files, each mapped once: in a full run a search of all for each would take minutes
perl -e 'printf "PERF_RECORD_MMAP2 1/1: [0x%x(0x1000) @ 0x1000 fe:00 1 0]: r-xp /x/f%d\n", 0x400000 + $_ * 0x2000, $_ for 1 .. $ARGV[0]; print "\n  402010\n\n"' $(size 4000 200000) >$B/files
for c in "flame files" "profgen --binary=$HERE/../examples/data/demo.elf --perfscript=files --allow-empty"; do
    (cd $B && timeout 60 $T $c -o $B/out) >$B/said 2>$B/err
    got=$?
    [ $got -ne 124 ] && [ $got -lt 4 ] && pass || fail "many files: $c: status $got: $(head -3 $B/err)"
done

# ----- what a terminal obeys: bytes of control, C1 as UTF-8, text that is turned around, what is no UTF-8
printf 'a\033]0;x\007b\302\233m\342\200\256evil\177\001\200\377\302\205:10:10\n 1: 10\n 2: 5 g\302\23331m\342\200\256\177:5\n' >$B/raw.prof
printf 'a\033[1m\302\233m\342\200\256:x\n' >$B/bad.prof
printf 'PERF_RECORD_MMAP2 1/1: [0x401000(0x1000) @ 0x1000 fe:00 1 0]: r-xp /x/\033[1m\302\233m\342\200\256\177\n\n  401010\n 0x401fff/0x401000/P/-/-/0\n\n' >$B/raw.script
DEMO=$HERE/../examples/data/demo.elf
for c in "show raw.prof" "show --json raw.prof" "show --hot-func-list raw.prof" "folded raw.prof" "flame raw.prof" "flame --json raw.prof" "overlap raw.prof raw.prof" \
    "overlap --json raw.prof raw.prof" "show bad.prof" "merge bad.prof" "check --profile=raw.prof --binary=$DEMO" \
    "check --json --profile=raw.prof --binary=$DEMO" "match --old-profile=raw.prof --binary=$DEMO --report=-" \
    "annotate --function=main --binary=$DEMO raw.prof" "profgen --binary=$DEMO --perfscript=raw.script" "order raw.prof"; do
    (cd $B && $T $c -o $B/out) >$B/said 2>$B/err </dev/null
    got=$?
    [ -f $B/out ] || : >$B/out
    cat $B/said $B/err >>$B/out
    case $c in match*) : >$B/out && cat $B/said $B/err >$B/out ;; esac
    if perl -0777 -ne 'exit 1 if /[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xff/' $B/out && [ $got -lt 4 ]; then pass
    else fail "raw bytes: $c: status $got"; head -3 $B/out | cat -v; fi
    rm -f $B/out
done

# ----- links in a directory where everybody may write: only one's own and the directory's owner's are followed
if [ "$(id -u)" -eq 0 ] && have setpriv && setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
    W=$(mktemp -d) && chmod 1777 $W && echo precious >$B/precious
    setpriv --reuid=65534 --clear-groups ln -s $B/precious $W/theirs && ln -s $B/precious $W/ours
    $T merge --text $B/a.prof -o $W/theirs 2>$B/err
    [ $? -eq 1 ] && finds 'Permission denied' $B/err && [ "$(cat $B/precious)" = precious ] && pass || fail "another user's link is followed"
    (cd $W && $T merge --text $B/a.prof -o theirs) 2>$B/err
    [ $? -eq 1 ] && [ "$(cat $B/precious)" = precious ] && pass || fail "another user's link is followed from within its directory"
    ln -s $W/theirs $W/indirect
    $T merge --text $B/a.prof -o $W/indirect 2>$B/err
    [ $? -eq 1 ] && [ "$(cat $B/precious)" = precious ] && pass || fail "another user's link is followed through one's own"
    $T merge --text $B/a.prof -o $W/ours 2>$B/err && finds '^main' $B/precious && pass || fail "one's own link is not followed"
    chmod 755 $W && $T merge --text $B/a.prof -o $W/theirs 2>$B/err && pass || fail "a link in a directory that is not everybody's is not followed"
    rm -rf $W
else skip "links of another user: not root, or no setpriv"; fi

# ----- source: any file that the program names, or only what is below a directory
if [ "$(uname -m)" = x86_64 ] && have objdump; then
    mkdir -p $B/src/in $B/src/inside-out
    printf 'int\nwhat is shown\n' >$B/src/inside-out/secret
    cp $B/src/inside-out/secret $B/src/in/twice.c
    ln -s ../inside-out/secret $B/src/in/link.c
    printf 'twice:30:10\n 1: 10\n 2: 10\n' >$B/twice.prof
    # secret NAME SHOWN OPTION...: a program whose source is said to be NAME shows the file or does not
    secret() {
        name=$1 shown=$2
        shift 2
        printf '# 1 "%s"\n__attribute__((noinline)) int twice(int n)\n{ return n * 2; }\nint main(int c, char **v) { (void)v; return twice(c); }\n' "$name" >$B/source.c
        (cd $B && ${CC:-cc} -g -O1 -w -o program source.c) 2>$B/err || { fail "the program does not build"; return; }
        timeout 30 $T annotate --binary=$B/program --function=twice $B/twice.prof "$@" >$B/said 2>$B/err
        got=$?
        if grep -q 'what is shown' $B/said; then saw=yes; else saw=no; fi
        [ $saw = $shown ] && [ $got -ne 124 ] && pass || fail "$name: shown: $saw: $*: $(head -3 $B/err)"
    }
    secret $B/src/inside-out/secret yes
    secret $B/src/inside-out/secret no --source-dir=$B/src/in
    secret $B/src/in/../inside-out/secret no --source-dir=$B/src/in
    secret $B/src/in/link.c no --source-dir=$B/src/in
    secret $B/src/in/twice.c yes --source-dir=$B/src/in
    secret $B/src/in/twice.c yes --source-dir=$B/src/in/../in/
    secret $B/src/in/twice.c no --source-dir=$B/none
    secret $B/src/in/twice.c yes --source-dir=/
    secret /dev/zero no
    secret /dev/stdin no --source-dir=/dev
else skip "source files: no objdump, or another machine"; fi
finish
