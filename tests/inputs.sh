#!/bin/sh
# INPUTS.md is what inputs.pl makes of inputs.tsv, and each of its rows is true as far as a script can tell: the test is there, has
# the words, and the words of refusals are in the sources. What is no input is told what it is. Run in tests/.
. ./t.sh
B=build/inputs
rm -rf $B
mkdir -p $B
T=build/plain/csspgo
make -s $T || { fail "the tool does not build"; finish; }
if have perl; then
    perl inputs.pl $B/faults >$B/INPUTS.md
    check "INPUTS.md is made of inputs.tsv: perl inputs.pl >INPUTS.md" cmp INPUTS.md $B/INPUTS.md
    check "its rows are true: $(head -3 $B/faults)" [ -f $B/faults -a ! -s $B/faults ]
    # a row that is not true is found
    mkdir $B/wrong
    for change in 's/\ttest_sample.c\t/\ttest_simple.c\t/' 's/\trecordings_into_pipes_read_the_same\t/\tno_such_test\t/' \
        's/`a program of DOS`/`a program for DOS`/' 's,hand/raw.prof,hand/rare.prof,' '30,$d'; do
        sed "$change" inputs.tsv >$B/wrong/inputs.tsv
        perl -e 'open my $f, "<", "inputs.pl"; local $/; $_ = <$f>; s/(open my \$in, .<., .)inputs.tsv/$1$ARGV[0]/; open my $o, ">", $ARGV[1]; print $o $_' \
            $B/wrong/inputs.tsv $B/wrong/inputs.pl
        perl $B/wrong/inputs.pl $B/wrong/faults >$B/wrong/md
        check "a row that is not true: $change" [ -s $B/wrong/faults ]
    done
else skip "inputs.pl: needs perl"; fi

# told BYTES SENTENCE [BYTE]: which byte goes on behind them
told() {
    { printf "$1"; [ -z "$1" ] || head -c 600 /dev/zero | tr '\0' "${3:-x}"; } >$B/it
    $T ${command:-merge} $B/it -o $B/out >$B/err 2>&1
    [ $? -eq 1 ] && grep -q "$2" $B/err && pass || fail "$1: $(cat $B/err)"
}
told '\177ELF\002\001\001' 'this is a program (ELF)'
told 'PERFILE2h' 'this is a recording of perf (perf.data)'
told 'PERFFILEh' 'this is perf.data of version 1'
told 'PERF_RECORD_MMAP2 1/1: [0x1000(0x1000) @ 0]: r-xp /x\n' 'this is text of perf script'
told 'DTiJ\001\000' 'this is a dump of JIT code (jitdump)'
command=flame
told '\377lprofi\201' 'this is an instrumentation profile'
told '\201rforpl\377' 'this is a raw instrumentation profile'
command=merge
told '\3757zXZ\000' 'this is compressed (xz)'
told 'BZh91AY' 'this is compressed (bzip2)'
told '\037\213\010' 'this is compressed (gzip)'
told '\050\265\057\375' 'this is compressed (zstd)'
told 'BC\300\336' 'this is LLVM bitcode'
told '!<arch>\n' 'this is an archive of object files'
told '<!DOCTYPE html>\n' 'this is HTML'
told '<svg>\n' 'this is a picture (SVG)'
told '<?xml version="1.0"?>\n' 'this is XML or a picture (SVG)'
told '{"a": 1}\n' 'this is JSON'
told '\001\002\003\000' 'no profile of a known form' '\0'
command=flame
told '' 'the file is empty'
finish
