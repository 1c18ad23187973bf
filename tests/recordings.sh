#!/bin/sh
# What `csspgo profgen` makes of recordings as users have them: text of any fields of perf script, several processes,
# build ids. Recordings of data/recordings and, where perf may record, others made here; run in tests/.
B=build/recordings
rm -rf $B
mkdir -p $B/other $B/renamed
. ./t.sh
compares
fail() { echo "FAILED: recordings: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: recordings: $*"; skipped=$((skipped + 1)); finish; }
D=data/recordings
TOOL=build/plain/csspgo
make -s $TOOL || { fail "the tool does not build"; finish; }

# profile OUTPUT BINARY OPTIONS...: without what is said of density and estimates
profile() {
    out=$1 binary=$2
    shift 2
    $TOOL profgen --binary=$binary "$@" -o $B/$out --format=text 2>$B/err
    status=$?
    without '*would make a better profile*' '*counts are estimates*' '*samples dropped: *' '*external leaf*' <$B/err >$B/said
    return $status
}
# equal NAME WANT GOT
equal() { if [ -s $2 ] && cmp -s $2 $3; then pass; else fail "$1"; diff $2 $3 | head -4; fi; }
# says NAME SENTENCE [FILE]: one line was said, with that sentence; none without one
says() {
    file=${3:-$B/said}
    if [ -z "$2" ] && [ ! -s $file ]; then pass
    elif [ -n "$2" ] && one_line $file && finds "$2" $file; then pass
    else fail "$1: it says"; cat $file; fi
}

# text in every form
demo=data/unwind/bin/demo.probe
for form in plain brstack-dso brstack-slash brstack-type cxx-names default-fields dso-brackets dso-space event pid-tid-cpu-time srcline sym symoff-dso perf61-offsets; do
    profile $form $demo --perfscript=$D/$form.ps || fail "$form: status $?"
    equal "$form" $B/plain $B/$form
    case $form in perf61-offsets) says $form 'perf61-offsets.ps: 4 call stacks are of offsets in files' ;; *) says $form "" ;; esac
    cat $D/$form.ps | $TOOL profgen --quiet --binary=$demo --perfscript=- -o $B/piped --format=text || fail "$form through a pipe"
    equal "$form through a pipe" $B/plain $B/piped
done

# what is no text of branch records with addresses is refused, with advice
refused() {
    rm -f $B/out
    if profile out $demo --perfscript=$B/$1.ps || [ -e $B/out ]; then fail "$1 is read"; else says $1 "$2"; fi
}
sed 's,0x[0-9a-f]*/0x[0-9a-f]*/P,leaf+0x1/main/P,g' $D/plain.ps >$B/brstacksym.ps
refused brstacksym 'brstacksym.ps:8:0: branch records without addresses (brstacksym): use -F brstack'
sed 's,^ 0x.*,\t0000000000401150\tinsn: 55,' $D/plain.ps >$B/brstackinsn.ps
refused brstackinsn 'a listing of instructions (brstackinsn): use -F brstack'
sed '/PERF/!s,0x40,0x,g' $D/plain.ps >$B/brstackoff.ps
refused brstackoff 'branch records are offsets in files (brstackoff): use -F brstack'

for form in ' 100/100 1.000001:                            1   branches:uH:   call                     %s leaf+0xa (/x/demo) =>           %s main+0x0 (/x/demo)' \
    '           %s =>           %s ' '           %s f (/x y) =>                0 [unknown] ([unknown]) %s'; do
    { head -1 $D/plain.ps; for i in 1 2; do printf "$form\n" 40116c 401150; done; } >$B/trace.ps
    case $form in *unknown*) want='1 16c-16c:2 0' ;; *) want='2 150-16c:1 16c-16c:1 1 16c->150:2' ;; esac
    profile trace $demo --perfscript=$B/trace.ps --skip-symbolization || fail "a trace: status $?"
    if [ "$(echo $(cat $B/trace))" = "$want" ]; then pass; else fail "a trace of '$form': $(cat $B/trace)"; fi
done

# sampled addresses alone, as default fields print them and as -F pid,ip,time does
for form in ' w 1000  2.5: 100 cycles:u:           %s leaf+0x1 (/x/demo.probe)' ' 1000  2.5:           %s '; do
    { head -1 $D/plain.ps; for a in 401159 401150 401159; do printf "$form\n" $a; done; } >$B/addresses.ps
    profile out $demo --perfscript=$B/addresses.ps --skip-symbolization || fail "addresses: status $?"
    if [ "$(echo $(cat $B/out))" = "[] 2 150-150:1 159-159:2 0" ]; then pass; else fail "addresses"; cat $B/out; fi
done

# a file that was replaced while it ran; files of other names
sed '1s/$/ (deleted)/' $D/plain.ps >$B/deleted.ps
profile out $demo --perfscript=$B/deleted.ps || fail "deleted: status $?"
equal "a file that was deleted" $B/plain $B/out
says "a file that was deleted" ""
sed '1s, 00:1d 1001 1]: r-xp /x/demo.probe, <3c4d>]: r-xp /x/one,' $D/plain.ps >$B/another.ps
sed '1s, 00:1d 1001 1]: r-xp /x/demo.probe, <1a2b>]: r-xp /lib/two,p;d' $D/plain.ps >>$B/another.ps
refused another 'demo.probe (build id 3915[0-9a-f]*) is not among the mapped files, which are, .*: /x/one (3c4d), /lib/two (1a2b); --perf-binary=NAME says'

# text that goes on in memory without a file: all of it, parts; in text and in perf.data. A library there hides it
over() { sed "1{p;s,\[0x401000(0x1000) @ 0x1000 .*,[$1 @ 0 00:00 0 0]: rwxp $2,}" $D/pid-tid-cpu-time.ps >$B/over.ps; }
make -s build/plain/make_perfdata || fail "make_perfdata does not build"
for name in //anon '/anon_hugepage (deleted)' '/memfd:text (deleted)' /dev/zero; do
    for at in '0x401000(0x1000)' '0x401150(0x10)' '0x400000(0x200000)'; do
        over "$at" "$name"
        build/plain/make_perfdata file <$B/over.ps >$B/over.data
        for from in perfscript=$B/over.ps perfdata=$B/over.data; do
            profile out $demo --$from --show-images || fail "$name at $at, $from: status $?"
            equal "$name at $at, $from" $B/plain $B/out
            without '* 4 samples in /x/demo.probe' <$B/said >$B/rest
            says "$name at $at, $from" "" $B/rest
        done
    done
done
# ... whose frames name it, or with offsets in files
for name in //anon '/memfd:my text (deleted)' '/dev/shm/x (deleted)' /x/demo.probe+0x1150; do
    sed "1s,.*,&\n&,;s,(/x/demo.probe),($name)," $D/symoff-dso.ps | sed '2s,: r-xp .*,: rwxp /memfd:my text (deleted),' >$B/over.ps
    profile out $demo --perfscript=$B/over.ps || fail "frames in $name: status $?"
    equal "frames in $name" $B/plain $B/out
done
over '0x401000(0x1000)' /x/another
if profile out $demo --perfscript=$B/over.ps; then fail "a library over the program"; else pass; fi

# raw OPTIONS...: the raw counters of $B/made.ps in one line
raw() {
    $TOOL profgen --binary=$demo --perfscript=$B/made.ps --skip-symbolization -o $B/out "$@" 2>$B/said
    echo $(cat $B/out)
}
same() { if [ "$2" = "$3" ]; then pass; else fail "$1: $3"; fi; }

# the directory of perf record --threads: what to do, also if its file without samples is given: no data, no features
mkdir $B/threads
head -c $(od -An -tu8 -j40 -N8 $D/mp.data | tr -d ' ') $D/mp.data >$B/threads/data
for at in 48,8 72,32; do dd if=/dev/zero of=$B/threads/data bs=1 seek=${at%,*} count=${at#*,} conv=notrunc 2>$B/said; done
for i in 0 1 2; do : >$B/threads/data.$i; done
for given in threads threads/data; do
    if $TOOL profgen --binary=$demo --perfdata=$B/$given -o $B/out 2>$B/said; then fail "$given is read"; else pass; fi
    says "$given" 'threads: a directory of perf record --threads, with a recording in its files data and data.0 to data.2: record'
done

# Arm SPE: one branch a sample, taken or not, perhaps with the target of the one before
{ head -1 $D/plain.ps
  printf ' 1000  0x401171/0x401159/P/-/-/17/COND/- \n 1000  0x401171/0x401159/M/-/-/17/COND/- \n'
  printf ' 1000  0x401163/0x401165/PN/-/-/2/COND/- \n 1000  0x40116c/0x40116e/PN/-/-/2/COND/-  0x0/0x401165/-/-/-/0//- \n'
  printf ' 1000  0x7f0000001000/0x401130/-/-/-/0/CALL/- \n 1000  0x4011ad/0x7f0000001000/-/-/-/0/RET/- \n'; } >$B/made.ps
same "SPE" "4 130-13b:1 159-163:2 165-16c:2 16e-171:1 2 ffffffffffbff001->130:1 171->159:2" "$(raw --spe-branch-profile)"
says "SPE" '1/6) samples dropped: no branch in this program'
grep -v 0x0/ $B/made.ps >$B/x && mv $B/x $B/made.ps
raw >/dev/null
if finds 'if Arm SPE made them, give --spe-branch-profile' $B/said; then pass; else fail "SPE is not noticed"; fi
# ... and where the words are not those of Arm SPE
printf '%s\n 0x401171/0x40115a/P\n 0x401171/0x401159/PN\n 0x401163/0x401165/PN\n' "$(head -1 $D/plain.ps)" >$B/made.ps
raw --spe-branch-profile >/dev/null
sort $B/said >$B/x
same "what makes no sense for SPE" "csspgo: warning: 33.33% (1/3) branches dropped: no instruction begins at their target csspgo: warning: 33.33% (1/3) samples dropped: no branch in this program csspgo: warning: 50.00% (1/2) branches not taken are no conditional branches" "$(echo $(cat $B/x))"

# AMD: a branch of a wrong path in the middle; Intel's SEP: no mappings, CR LF, an event before the address
{ head -1 $D/plain.ps
  echo ' 0x401171/0x401159/P/-/-/0/COND/-  0x401144/0x401165/P/-/-/0/COND/SPEC_WRONG_PATH  0x401171/0x401159/P/-/-/0/COND/NON_SPEC_CORRECT_PATH  0x40116c/0x401150/P/-/-/0/COND/- '; } >$B/made.ps
same "wrong path" "1 150-171:1 1 171->159:2" "$(raw | sed 's/ 1 150-16c:1//')"
if finds '(1/[45]) branch records dropped: speculated on a wrong path' $B/said; then pass; else fail "wrong path is not told"; cat $B/said; fi
demo=data/unwind/bin/demo.pie
for i in 1 2 3; do printf 'BR_INST_RETIRED.NEAR_TAKEN:pdir:    7ff70a1b118c 0x7ff70a1b118c/0x7ff70a1b1170/P/-/A/0 0x7ff70a1b118c/0x7ff70a1b1170/P/-/A/0\r\n'; done >$B/made.ps
same "SEP" "1 170-18c:3 1 18c->170:3" "$(raw --image-base=0x7ff70a1b0000)"
says "SEP" "there are no call stacks"
raw >/dev/null
if finds 'only 0 of 3 samples are there: give perf.data.*--image-base=ADDR' $B/said; then pass; else fail "SEP without a base"; cat $B/said; fi
demo=data/unwind/bin/demo.probe

# stacks that are later than their records: the innermost frame is in another function
sed '2s/401150/401180/' $D/plain.ps >$B/made.ps
all=$(grep -c '^ 0x' $B/made.ps)
raw >$B/x
if finds "(1/$all) samples dropped: leaf and newest branch target disagree" $B/said; then pass; else fail "a late stack"; cat $B/said; fi
sed '2,8d' $D/plain.ps >$B/others.ps && mv $B/made.ps $B/late.ps && mv $B/others.ps $B/made.ps
same "a late stack" "$(cat $B/x)" "$(raw)"
mv $B/late.ps $B/made.ps
raw --bogus-stacks=records >$B/x
if finds "(1/$all) call stacks dropped: leaf and newest" $B/said && grep -q '^\[\] ' $B/x; then pass; else fail "records of a late stack"; cat $B/said; fi

# several processes
demo=data/unwind/bin/demo.pie
profile single $demo --perfscript=$D/multi-single.ps || fail "single: status $?"
profile all-data $demo --perfdata=$D/multi-all.data || fail "multi-all.data: status $?"
equal "several processes, perf.data" $B/single $B/all-data
says "several processes, perf.data" ""
profile all $demo --perfscript=$D/multi-all.ps || fail "multi-all.ps: status $?"
equal "several processes, text with pids" $B/single $B/all
says "several processes, text with pids" ""
profile nopid $demo --perfscript=$D/multi-nopid.ps || fail "multi-nopid.ps: status $?"
equal "several processes, text without pids" $B/single $B/nopid
says "several processes, text without pids" 'is mapped at 3 addresses, and samples do not say of which process'
profile twice $demo --perfscript=$D/multi-single.ps --perfscript=$D/multi-single.ps || fail "a recording twice: status $?"
profile mixed $demo --perfscript=$D/multi-all.ps --perfdata=$D/multi-all.data || fail "a recording as data and as text: status $?"
equal "recordings of both kinds add up" $B/twice $B/mixed
if cmp -s $B/single $B/mixed; then fail "recordings of both kinds do not add up"; else pass; fi
profile mp $D/w --perfdata=$D/mp.data || fail "mp.data: status $?"
if finds 'from 11 sampled addresses' $B/err; then pass; else fail "mp.data: not all samples"; cat $B/err; fi
profile mp-text $D/w --perfscript=$D/mp.default-fields.ps || fail "mp.default-fields.ps: status $?"
equal "default fields of real processes" $B/mp $B/mp-text

# LLVM mode does as llvm-profgen
if command -v llvm-profgen-19 >/dev/null 2>&1; then
    for form in plain sym dso-brackets perf61-offsets multi-nopid multi-all; do
        case $form in multi-*) binary=data/unwind/bin/demo.pie ;; *) binary=data/unwind/bin/demo.probe ;; esac
        rm -f $B/llvm $B/ours
        llvm-profgen-19 --binary=$binary --perfscript=$D/$form.ps --skip-symbolization -o $B/llvm >/dev/null 2>&1
        $TOOL profgen --llvm-compat --binary=$binary --perfscript=$D/$form.ps --skip-symbolization -o $B/ours >/dev/null 2>&1
        if [ ! -e $B/llvm ] && [ ! -e $B/ours ]; then pass; else equal "--llvm-compat of $form" $B/llvm $B/ours; fi
    done
else
    echo "SKIPPED: recordings: --llvm-compat needs llvm-profgen-19"; skipped=$((skipped + 1))
fi

# a program and its library: as the same program linked statically, but for the first call, which the loader binds
if command -v clang-19 >/dev/null 2>&1 && [ "$(uname -sm)" = "Linux x86_64" ]; then
    cat >$B/lib.c <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) static void leaf(int n) { int i; for (i = 0; i < n; i++) sum += (unsigned long)i; }
void work(int n); void work(int n) { leaf(n); if (n & 1) sum++; leaf(n / 2); }
int apply(int (*f)(int), int n); int apply(int (*f)(int), int n) { sum += 3; n = f(n) + 1; sum++; return n; }
C
    cat >$B/app.c <<'C'
void work(int n); int apply(int (*f)(int), int n);
static volatile int v;
__attribute__((noinline)) static int twice(int n) { v += n; work(n / 3); v++; return 2 * n; }
__attribute__((noinline)) static void first(int n) { work(n); v++; }
__attribute__((noinline)) static void second(int n) { work(2 * n); v += apply(twice, n); }
int main(void) { int i; for (i = 0; i < 400; i++) { first(10); second(7); } return 0; }
C
    F="-O1 -g -w -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fpseudo-probe-for-profiling -fno-optimize-sibling-calls"
    { clang-19 $F -fPIC -shared -o $B/libwork.so $B/lib.c && clang-19 $F -o $B/app $B/app.c $B/libwork.so -Wl,-rpath,'$ORIGIN' &&
        clang-19 $F -o $B/whole $B/app.c $B/lib.c; } || fail "a program with a library does not build"
    for p in app whole; do env -i $TOOL record --quiet --software --period=41 -o $B/$p.ps -- $B/$p || fail "record $p"; done
    both="--binary=$B/libwork.so --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0"
    for by in "" --use-dwarf-correlation; do
        profile app.prof $B/app $both $by --perfscript=$B/app.ps || fail "two images $by: status $?"
        $TOOL profgen --quiet --binary=$B/whole ${both#* } $by --perfscript=$B/whole.ps --format=text -o $B/whole.prof || fail "the whole $by"
        for p in app whole; do sed -n 's/^\(\[main.*\]\):[0-9]*:[0-9]*$/\1/p' $B/$p.prof | sort >$B/$p.contexts; done
        equal "contexts through a library $by" $B/whole.contexts $B/app.contexts
        if [ $(wc -l <$B/app.contexts) -ge 11 ] && grep -q 'apply.*twice.*work.*leaf' $B/app.contexts; then pass; else fail "contexts through a library $by: $(wc -l <$B/app.contexts)"; fi
    done
    if grep -q '^ .* apply:[0-9]' $B/app.prof; then pass; else fail "call targets in a library"; fi
    if grep -Eq '^csspgo: +[67][0-9]\.[0-9]*% +[0-9]+ samples in .*/libwork.so$' $B/err && finds 'in .*/ld-linux.*, which is not given' $B/err; then pass; else fail "the table of images"; cat $B/err; fi
    profile out $B/app --show-images --perfscript=$B/app.ps
    if finds 'samples in .*/libwork.so, which is not given$' $B/err && finds 'samples in .*/app$' $B/err; then pass; else fail "--show-images"; cat $B/err; fi
    cp $B/libwork.so $B/libwork.copy
    if $TOOL profgen --binary=$B/app --binary=$B/libwork.so --perfscript=$B/app.ps -o $B/libwork.so 2>$B/err; then fail "a library is overwritten"; elif cmp -s $B/libwork.so $B/libwork.copy; then pass; else fail "a library is destroyed"; fi
    if $TOOL profgen --binary=$B/app --binary=$B/libwork.so --skip-symbolization --perfscript=$B/app.ps -o $B/out 2>$B/err; then fail "--skip-symbolization of two images"; elif finds 'takes one --binary' $B/err; then pass; else fail "--skip-symbolization of two images"; cat $B/err; fi
    if $TOOL profgen --binary=$B/app --binary=$B/none --perfscript=$B/app.ps -o $B/out 2>$B/err; then fail "a missing library"; elif finds "$B/none: No such file" $B/err; then pass; else fail "a missing library"; cat $B/err; fi
else
    echo "SKIPPED: recordings: several images need clang-19 on x86-64 Linux"; skipped=$((skipped + 1))
fi

# recordings made here
command -v perf >/dev/null 2>&1 || skip "perf is not installed (package linux-perf)"
command -v clang-19 >/dev/null 2>&1 || skip "clang-19 is not installed"
perf record -q -e cpu-clock:u -o $B/try -- true >$B/out 2>&1 || skip "perf cannot record here: $(tail -1 $B/out)"
cat >$B/busy.c <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) static void leaf(int n) { int i; for (i = 0; i < n; i++) sum += (unsigned long)i; }
__attribute__((noinline)) static void middle(int n) { leaf(n); leaf(n / 2); sum++; }
int main(void) { int i; for (i = 0; i < 60000; i++) middle(MORE); return 0; }
C
F="-O1 -g -w -fno-omit-frame-pointer -fpseudo-probe-for-profiling -Wl,--build-id"
for link in -pie -no-pie; do
    pie=$([ $link = -pie ] && echo -fPIE || echo -fno-pie)
    clang-19 $F $link $pie -DMORE=1000 -o $B/busy $B/busy.c && clang-19 $F $link $pie -DMORE=1001 -o $B/other/busy $B/busy.c || { fail "busy.c does not build"; finish; }
    cp $B/busy $B/renamed/program
    perf record -q -e cpu-clock:u -g -o $B/busy.data -- sh -c "$B/busy & $B/busy & wait" 2>/dev/null
    profile data $B/busy --perfdata=$B/busy.data || fail "$link: status $?"
    says "$link" ""
    count=$(sed -n 's/.*from \([0-9]*\) sampled addresses/\1/p' $B/err)
    if [ "${count:-0}" -gt 100 ]; then pass; else fail "$link: $count samples"; fi
    for fields in pid,ip pid,ip,brstack comm,pid,tid,time,event,ip,sym,symoff,dso tid,ip,sym pid,ip,sym,srcline; do
        perf script -i $B/busy.data -F $fields --show-mmap-events --show-task-events >$B/busy.ps 2>/dev/null
        profile text $B/busy --perfscript=$B/busy.ps || fail "$link -F $fields: status $?"
        equal "$link -F $fields" $B/data $B/text
        without '*call stacks are of offsets in files*' <$B/said >$B/rest      # perf 5.16 to 6.3
        says "$link -F $fields" "" $B/rest
    done
    perf script -i $B/busy.data --show-mmap-events >$B/busy.ps 2>/dev/null
    profile text $B/busy --perfscript=$B/busy.ps || fail "$link default fields: status $?"
    equal "$link default fields" $B/data $B/text

    # build ids: of the table behind the data, in mapping events, in text
    profile again $B/renamed/program --perfdata=$B/busy.data || fail "$link renamed: status $?"
    equal "$link: a renamed program" $B/data $B/again
    says "$link: a renamed program" ""
    own=$(readelf -n $B/busy | sed -n 's/.*Build ID: //p') another=$(readelf -n $B/other/busy | sed -n 's/.*Build ID: //p')
    perf record -q --buildid-mmap -e cpu-clock:u -g -o $B/ids.data -- $B/busy 2>/dev/null
    perf script -i $B/ids.data -F pid,ip --show-mmap-events >$B/ids.ps 2>/dev/null
    for from in perfdata=$B/busy.data perfdata=$B/ids.data perfscript=$B/ids.ps; do
        rm -f $B/out
        if profile out $B/other/busy --$from; then fail "$link: another program of the same name: status 0"; else pass; fi
        says "$link: another program of the same name" "the recorded program has build id $own, .*other/busy has $another"
        if [ -e $B/out ]; then fail "$link: a profile of another program"; else pass; fi
        if $TOOL profgen --llvm-compat --binary=$B/other/busy --$from -o $B/out >$B/err 2>&1 || ! finds 'build id' $B/err; then pass; else fail "$link: build ids in LLVM mode"; fi
    done
    cat $B/busy.data | $TOOL profgen --binary=$B/other/busy --perfdata=- -o $B/out 2>$B/said
    if [ $? -eq 1 ] && finds "has build id $own" $B/said; then pass; else fail "$link: another program, through a pipe"; cat $B/said; fi
    perf script -i $B/ids.data -F pid,ip,sym,dso --show-mmap-events >$B/ids.ps 2>/dev/null
    profile data $B/busy --perfscript=$B/ids.ps || fail "$link: text with build ids: status $?"
    profile text $B/renamed/program --perfscript=$B/ids.ps || fail "$link: text with build ids, renamed: status $?"
    equal "$link: text with build ids, renamed" $B/data $B/text

    # a compressed recording, to a file and into a pipe
    [ -f /usr/include/zstd.h ] || { echo "SKIPPED: recordings: zstd.h is not installed"; skipped=$((skipped + 1)); continue; }
    perf record -q -z -e cpu-clock:u -g -o $B/packed.data -- $B/busy >$B/out 2>&1 || continue
    perf script -i $B/packed.data -F pid,ip --show-mmap-events >$B/packed.ps 2>/dev/null
    profile text $B/busy --perfscript=$B/packed.ps || fail "$link: a compressed recording as text: status $?"
    profile data $B/busy --perfdata=$B/packed.data || fail "$link: a compressed recording: status $?"
    equal "$link: a compressed recording" $B/text $B/data
    says "$link: a compressed recording" ""
    perf record -q -z -e cpu-clock:u -g -o - -- $B/busy 2>/dev/null >$B/packed.pipe
    profile data $B/busy --perfdata=- <$B/packed.pipe || fail "$link: a compressed pipe: status $?"
    if grep -q leaf $B/data; then pass; else fail "$link: a compressed pipe"; fi
done

# a program and its library through perf script, whatever it prints for frames, as from perf.data: 2 % may differ where
# no file is printed behind the frames
if [ -f $B/lib.c ]; then
    sed 's/i < 400/i < 30000/; s/first(10)/first(1000)/; s/second(7)/second(700)/' $B/app.c >$B/long.c
    F="-O1 -g -w -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fpseudo-probe-for-profiling -fno-optimize-sibling-calls"
    clang-19 $F -fPIC -shared -o $B/libwork.so $B/lib.c || fail "a library does not build"
    flat="--csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0"
    # counts PROFILE: its contexts and their counts
    counts() { sed -n 's/^\(\[.*\]\):\([0-9]*\):[0-9]*$/\2 \1/p' $1; }
    for link in -pie -no-pie; do
        pie=$([ $link = -pie ] && echo -fPIE || echo -fno-pie)
        clang-19 $F $link $pie -o $B/long $B/long.c $B/libwork.so -Wl,-rpath,'$ORIGIN' || fail "$link: a program with a library does not build"
        perf record -q -e cpu-clock:u -g -o $B/long.data -- $B/long 2>/dev/null
        profile data $B/long --binary=$B/libwork.so $flat --perfdata=$B/long.data || fail "$link, a library: status $?"
        counts $B/data >$B/data.counts
        if grep -q 'apply.*twice.*work.*leaf' $B/data.counts; then pass; else fail "$link, a library: contexts"; fi
        for fields in ip pid,ip comm,pid,tid,time,event,ip,sym,dso; do
            perf script -i $B/long.data -F $fields --show-mmap-events >$B/long.ps 2>/dev/null
            profile text $B/long --binary=$B/libwork.so $flat --perfscript=$B/long.ps || fail "$link -F $fields, a library: status $?"
            counts $B/text | cat $B/data.counts - | awk -v n="$(wc -l <$B/data.counts)" '
                { k = $0; sub(/^[0-9]* /, "", k); d[k] += NR <= n ? $1 : -$1; if (NR <= n) all += $1 }
                END { for (k in d) off += d[k] < 0 ? -d[k] : d[k]; exit !(all > 0 && off <= all / 50) }'
            if [ $? -eq 0 ]; then pass; else fail "$link -F $fields, a library"; counts $B/text | diff $B/data.counts - | head; fi
        done
    done
fi
finish
