#!/bin/sh
# `csspgo record --first` and `csspgo order --trace`: which functions run first, against a program that says so itself
# (programs/record/firsts.c) and against clang's instrumented traces; in threads, libraries, children, stripped and
# static programs. Output and exit status are those of the program alone. Run in tests/.
. ./t.sh
B=build/first_run
rm -rf $B
mkdir -p $B/tmp
TMPDIR=$(pwd)/$B/tmp
export TMPDIR
TOOL=${TOOL:-build/plain/csspgo}
if [ "$(uname -sm)" != "Linux x86_64" ]; then skip "first_run: needs x86-64 Linux"; finish; fi
make -s $TOOL || { fail "the tool does not build"; finish; }
S=programs/record/firsts.c
I="-O1 -w -finstrument-functions -rdynamic"
CC=${CC:-cc}
$CC $I -o $B/firsts $S -lpthread -ldl && $CC -DLIB -O1 -w -finstrument-functions -shared -fPIC -o $B/lib.so $S ||
    { fail "firsts.c does not build"; finish; }
$TOOL record --first -o $B/try -- $B/firsts >/dev/null 2>$B/err
[ -s $B/try ] || { skip "first_run: nothing can be recorded here: $(head -1 $B/err)"; finish; }

# of_traces FILE: the functions w_... of each trace, one line each, as firsts.c writes them; an alias has the name of its function
of_traces() {
    awk -F, '/^# Weight/ { getline; getline; for (i = 1; i < NF; i++) if ($i ~ /^w_/) printf "%s,", $i; print "" }' $1 |
        sed 's/w_alias,/w_3,/g'
}
# alone PROGRAM ARGUMENTS...
alone() {
    rm -f $B/order
    (FIRSTS=$B/order; export FIRSTS; "$@" >$B/native 2>&1) 2>/dev/null
    status=$?
    sed -i 's/w_alias,/w_3,/g' $B/order 2>/dev/null
}
# recorded "OPTIONS" PROGRAM ARGUMENTS...: does the same as alone
recorded() {
    how=$1
    shift
    (unset FIRSTS; $TOOL record --quiet --first $how -o $B/trace -- "$@" >$B/said 2>&1) 2>/dev/null
    got=$?
    if [ $got -eq $status ]; then pass; else fail "$* $how: status $got, alone $status"; fi
    if cmp -s $B/native $B/said; then pass; else fail "$* $how: output differs"; diff $B/native $B/said | head -6; fi
}
# same NAME: the traces are what the program says, in any order of processes
same() {
    of_traces $B/trace | LC_ALL=C sort >$B/traced
    LC_ALL=C sort $B/order >$B/wanted
    if cmp -s $B/traced $B/wanted; then pass; else fail "$1: other functions or another order"; diff $B/traced $B/wanted | head -8; fi
}

# ----- what it says itself, by how it is linked
for link in -pie -no-pie -static -static-pie "-Wl,-z,now" "-Wl,--hash-style=sysv -Wl,-z,separate-code" "-Wl,-z,noseparate-code"; do
    $CC $I -fPIE $link -o $B/linked $S -lpthread -ldl 2>/dev/null || { skip "first_run: $link does not link"; continue; }
    for what in plain threads traps; do
        alone $B/firsts $what
        recorded "" $B/linked $what
        same "$link $what"
    done
done
for what in plain threads traps stays; do
    alone $B/firsts $what
    recorded "--follow-forks" $B/firsts $what
    same "$what"
done
if have musl-gcc && musl-gcc -O1 -w -o $B/musl programs/record/straight.c 2>/dev/null; then
    alone $B/musl
    recorded "" $B/musl
    [ -n "$(grep main $B/trace)" ] && pass || fail "musl: no main"
else skip "first_run: no musl-gcc"; fi

# ----- threads that meet one breakpoint at once: each function is there once, in any order
try=0
while [ $try -lt 5 ]; do
    try=$((try + 1))
    alone $B/firsts races
    recorded "" $B/firsts races
    of_traces $B/trace | tr , '\n' | LC_ALL=C sort >$B/traced
    tr , '\n' <$B/order | LC_ALL=C sort >$B/wanted
    cmp -s $B/traced $B/wanted && pass || { fail "races: not each function once"; diff $B/traced $B/wanted | head -5; }
done

# ----- a library: loaded, unloaded, loaded again
alone $B/firsts loads $B/lib.so
recorded "" $B/firsts loads $B/lib.so
same "a library"
recorded "--binary=$B/lib.so" $B/firsts loads $B/lib.so
sed -i 's/w_begin,//; s/w_1,//' $B/order
same "the library alone"
recorded "--binary=$B/firsts" $B/firsts loads $B/lib.so
of_traces $B/trace | grep -qx 'w_begin,w_1,' && pass || fail "the program alone: $(of_traces $B/trace)"
grep -q '[,:]dlopen\|malloc' $B/trace && fail "the program alone has functions of libc" || pass
for link in "-Wl,-z,noseparate-code" "-Wl,-z,separate-code -Wl,-z,now" "-Wl,-z,max-page-size=65536"; do
    $CC -DLIB -O1 -w -finstrument-functions -shared -fPIC $link -o $B/lib2.so $S || { skip "first_run: $link"; continue; }
    alone $B/firsts loads $B/lib2.so
    recorded "" $B/firsts loads $B/lib2.so
    same "a library linked by $link"
done
alone $B/firsts unlinks $B/lib.so
recorded "" $B/firsts unlinks $B/lib.so
# it cannot name what is not loaded at its end
echo w_begin,w_lib_begin,w_lib_2,w_lib_begin,w_lib_2,w_lib,w_lib_1,w_lib_end,w_lib_never,w_lib_end, >$B/order
same "a library that is deleted"

# ----- children
alone $B/firsts forks
recorded "--follow-forks" $B/firsts forks
sed 's/w_3,$/w_3,w_child,/' $B/order | grep 'w_parent' >$B/silent     # the child that says nothing
cat $B/silent >>$B/order
same "children"
[ "$(wc -l <$B/traced)" -eq 5 ] && pass || fail "children: $(wc -l <$B/traced) traces"
recorded "" $B/firsts forks
grep w_parent $B/order | grep -v w_child >$B/one
mv $B/one $B/order
same "children that are not followed"

# ----- the end: by a signal; before the program's, which runs on
cat >$B/threadexec.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *run(void *v) { execl("/bin/echo", "echo", "another program", (char *)0); return v; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pause(); return 1; }
C
$CC -O1 -w -o $B/threadexec $B/threadexec.c -lpthread
alone $B/threadexec
recorded "" $B/threadexec
[ $(of_traces $B/trace | wc -l) -eq 2 ] && pass || fail "exec by a thread: not two traces"
alone $B/firsts dies
recorded "" $B/firsts dies
same "killed"
alone $B/firsts stays
sed -i 's/w_2,$//' $B/order
recorded "--duration=1" $B/firsts stays
same "the recording ends first"
alone $B/firsts races
recorded "--duration=0.01" $B/firsts races
alone $B/firsts forks
recorded "--duration=0.02 --follow-forks" $B/firsts forks
# ... while processes are made: none keeps a breakpoint
bad=0
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    for how in "" --follow-forks; do
        $TOOL record --quiet --first $how --duration=0.0$((n % 9 + 1)) -o $B/trace -- sh -c 'for i in 1 2 3 4 5 6 7 8; do
            (ls / | sort >/dev/null) || echo bad; ls / >/dev/null || echo bad; done; echo done' >$B/said 2>&1
        [ "$(cat $B/said)" = done ] || { bad=$((bad + 1)); head -3 $B/said; }
    done
done
[ $bad -eq 0 ] && pass || fail "a recording that ends while processes are made: $bad of 30 runs were disturbed"
(unset FIRSTS; $TOOL record --first -o $B/trace -- $B/firsts stays >$B/said 2>$B/err) &
pid=$!
sleep 1
kill -INT $pid
wait $pid
[ $? -eq 2 ] && grep -q stays $B/said && grep -q 'stopped by a signal' $B/err && of_traces $B/trace | grep -qx 'w_begin,w_1,' && pass ||
    fail "SIGINT: $(cat $B/err)"

# ----- programs that were not made for it do what they do alone
for p in calls children coroutines family jit longjmp places pushf qsort straight threads tracer vectors; do
    $CC -O1 -w -fno-omit-frame-pointer -o $B/$p programs/record/$p.c -lpthread -lm 2>/dev/null || { skip "first_run: $p.c"; continue; }
    for how in "" --follow-forks; do
        alone $B/$p
        recorded "$how" $B/$p
        grep -q 'main,' $B/trace && pass || fail "$p $how: main did not run"
    done
done

# ----- stripped: by unwind information, or by the file with the symbols
strip -o $B/stripped $B/firsts
alone $B/stripped
recorded "--binary=$B/stripped" $B/stripped
n=$(awk -F, '/^# Weight/ { getline; getline; print NF - 1 }' $B/trace)
named=$(awk -F, '/^# Weight/ { getline; getline; for (i = 1; i < NF; i++) n += $i !~ /^stripped\+0x/; print n + 0 }' $B/trace)
[ $n -gt 15 ] && [ $named -lt $n ] && pass || fail "stripped: $n functions, $named with names"
objcopy --only-keep-debug $B/firsts $B/stripped.debug && objcopy --add-gnu-debuglink=$B/stripped.debug $B/stripped
alone $B/firsts plain
recorded "--binary=$B/stripped" $B/stripped
same "stripped, with its symbols beside it"

# ----- one breakpoint for each function, and no other byte is changed: a program that reads its code sees that
cat >$B/sum.c <<'C'
#include <stdio.h>
extern char __executable_start, etext;
__attribute__((noinline)) int table(void) { __asm__ volatile("jmp 1f; .balign 16; .globl data; .type data, @object; data: .quad 0x1122334455667788; .size data, 8; 1:"); return 0; }
extern unsigned char data[8];
__attribute__((noinline)) int bare(void);
__asm__(".text; .globl bare; .type bare, @function; bare: int3; ret; .size bare, .-bare");
int main(void) { int i; table(); for (i = 0; i < 8; i++) printf("%02x", data[i]); puts(""); return 0; }
C
if $CC -O1 -w -o $B/sum $B/sum.c 2>/dev/null; then
    alone $B/sum
    recorded "" $B/sum
fi

# ----- order --trace
gives() {
    got=$("$@" 2>$B/err </dev/null | grep '^w_' | sed 's/w_alias/w_3/' | tr '\n' ,)
    if [ "$got" = "$want" ]; then pass; else fail "$*: $got, not $want"; head -3 $B/err; fi
}
alone $B/firsts plain
want=$(sed 's/w_3,//' $B/order)
gone=w_3
$TOOL order --trace -o $B/o -- $B/firsts plain >$B/said 2>$B/err && cmp -s $B/said $B/native && pass || fail "order --trace: output of the program"
tr , '\n' <$B/order | grep . | LC_ALL=C sort >$B/wanted
sed 's/w_alias/w_3/' $B/o | grep '^w_' | LC_ALL=C sort | cmp -s - $B/wanted && pass || fail "order --trace: other functions"
grep -q 'ended with status 2' $B/err && pass || fail "order --trace: the status is not said: $(cat $B/err)"
$TOOL record --quiet --first -o $B/t1 -- $B/firsts plain >/dev/null
$TOOL record --quiet --first -o $B/t2 -- $B/firsts threads >/dev/null
$TOOL order --quiet --binary=$B/firsts $B/t1 $B/t2 >$B/two
$TOOL order --quiet --trace --write-traces=$B/both $B/t1 -- $B/firsts threads >$B/one 2>/dev/null
cmp -s $B/one $B/two && pass || { fail "traces of two runs do not add up"; diff $B/one $B/two | head -5; }
[ $(of_traces $B/both | wc -l) -eq 2 ] && pass || fail "--write-traces: not two traces"
(cd $B && PATH=$PATH:. && ../../$TOOL order --quiet --trace -- firsts plain >found 2>/dev/null) && grep -q '^w_1$' $B/found && pass || fail "a program in the PATH"
$TOOL order --trace --json -- $B/firsts plain 2>/dev/null | grep -q '"w_at_exit"' && pass || fail "--json"
$TOOL order --trace --evaluate -- $B/firsts plain 2>/dev/null | grep -q '^in this order' && pass || fail "--evaluate"
ls $TMPDIR/csspgo-* 2>/dev/null | grep -q . && fail "a temporary file is left" || pass
$TOOL record --quiet --first --json -o $B/trace -- $B/firsts plain 2>/dev/null >$B/j
grep -q '"traces": 1' $B/j && grep -q '"functions"' $B/j && pass || fail "record --first --json: $(cat $B/j)"

# ----- refused
refused() {
    want=$1 pattern=$2
    shift 2
    "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq $want ] && grep -q -e "$pattern" $B/err; then pass; else fail "$*: status $got: $(head -2 $B/err)"; fi
}
refused 2 'which program' $TOOL order --trace
refused 2 'which program' $TOOL order --trace --
refused 2 '--follow-forks: only with --trace' $TOOL order --follow-forks $B/t1
refused 2 '--binary: only with --first' $TOOL record --binary=$B/firsts -- $B/firsts
refused 2 'not with --exact' $TOOL record --first --exact -- $B/firsts
refused 2 'not with --pid' $TOOL record --first --pid=1
refused 2 '--frequency: not with --first' $TOOL record --first -F 100 -- $B/firsts
refused 2 '--depth: not with --first' $TOOL record --first --depth=8 -- $B/firsts
refused 2 'No such file' $TOOL record --first --binary=$B/none -- $B/firsts
refused 1 'No such file' $TOOL order --trace -o $B/none/x -- $B/firsts
refused 1 'No such file' $TOOL order --trace -- $B/none
printf '#!/bin/sh\nexit 0\n' >$B/script && chmod +x $B/script
refused 1 'no function ran of those' $TOOL order --trace -- $B/script

# ----- clang's traces
if have clang-19 && have llvm-profdata-19; then
    clang-19 -O1 -w -fprofile-generate -mllvm -pgo-temporal-instrumentation -mllvm -disable-vp -mllvm -disable-preinline \
        -rdynamic -o $B/instrumented $S -lpthread -ldl 2>$B/err && clang-19 -O1 -w -rdynamic -o $B/plain $S -lpthread -ldl ||
        fail "clang: $(head -3 $B/err)"
    for what in plain threads; do
        rm -f $B/*.profraw
        LLVM_PROFILE_FILE=$B/i.profraw $B/instrumented $what >/dev/null 2>&1
        llvm-profdata-19 merge -o $B/i.profdata $B/i.profraw
        $TOOL order --quiet --write-traces=$B/theirs $B/i.profraw >/dev/null
        $TOOL record --quiet --first --binary=$B/plain -o $B/trace -- $B/plain $what >/dev/null 2>&1
        of_traces $B/trace >$B/got
        of_traces $B/theirs | head -1 >$B/want             # which gives a local function the name of its file, too
        sed 's/w_static,//' $B/got | cmp -s - $B/want && pass || { fail "$what: not clang's trace"; diff $B/got $B/want; }
        llvm-profdata-19 merge -o $B/o.profdata $B/trace && llvm-profdata-19 order $B/o.profdata | grep -q '^main$' && pass ||
            fail "$what: llvm-profdata does not order the trace"
    done
else skip "first_run: no clang-19 or llvm-profdata-19: not compared with instrumented traces"; fi
finish
