#!/bin/sh
# Contextual profiles: programs that LLVM 19 instruments run on our runtime and on LLVM's, and make the same trees; where
# LLVM's hangs, ours does not. LLVM's tools read the files that we write.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/ctxprof D=data/contextual
mkdir -p $B
for p in clang-19 opt-19 llc-19 llvm-bcanalyzer-19; do
    have $p || { skip "$p is not installed"; finish; }
done
if [ "$(uname -m)" != x86_64 ]; then skip "programs for this machine"; finish; fi
rt=$(clang-19 -print-resource-dir)/lib/linux/libclang_rt.ctx_profile-x86_64.a

# instrument NAME ROOT...: $B/NAME.o from $D/NAME.c. clang's own pipeline crashes with contextual instrumentation in 19
instrument() {
    name=$1
    shift
    roots=
    for r; do roots="$roots -profile-context-root=$r"; done
    clang-19 -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o $B/$name.ll $D/$name.c &&
        opt-19 -passes='function(mem2reg,instcombine,simplifycfg),pgo-instr-gen,ctx-instr-lower' $roots -S -o $B/$name.ctx.ll $B/$name.ll &&
        llc-19 -filetype=obj -relocation-model=pic -o $B/$name.o $B/$name.ctx.ll
}

# both NAME MACRO: $B/NAME.ours, and $B/NAME.llvm where LLVM's runtime is installed
make -s build/plain/lib.o || { fail "the library"; finish; }
both() {
    clang-19 -std=gnu11 -O1 -w -D$2 -DSHIM -DCSSPGO_IMPLEMENTATION_INCLUDED -o $B/$1.ours ctx_driver.c ctx_shim.c $B/$1.o build/plain/lib.o $LIBZ -lpthread || return 1
    [ ! -f $rt ] || clang-19 -std=gnu11 -O1 -w -D$2 -o $B/$1.llvm ctx_driver.c $B/$1.o $rt -lstdc++ -lpthread
}

check "app is instrumented" instrument app theRoot
check "big is instrumented" instrument big render update
check "nest is instrumented" instrument nest outer inner
check "app is linked" both app APP
check "big is linked" both big BIG
check "nest is linked" both nest NEST
check "app runs on our runtime" sh -c "$B/app.ours $B/app >$B/app.tree"
check "big runs on our runtime" sh -c "$B/big.ours $B/big >$B/big.tree"
check "the profile of app is that of LLVM" cmp $B/app.v1 $D/app.v1.ctxp
if [ -f $rt ]; then
    for prog in app big; do
        check "$prog runs on LLVM's runtime" sh -c "timeout 20 $B/$prog.llvm >$B/$prog.want"
        check "$prog: the same trees" diff $B/$prog.want $B/$prog.tree
    done
else skip "LLVM's runtime is not installed (libclang-rt-19-dev)"; fi

# roots inside roots: LLVM 19's runtime waits for ever for trees that nobody has
check "nest ends on our runtime" sh -c "timeout 20 $B/nest.ours >$B/nest.tree"
check "nest: every call is counted" diff $D/nest.tree.txt $B/nest.tree

# four threads under the same roots: every entry is counted, and no tree is left locked
check "big runs in four threads" sh -c "timeout 60 $B/big.ours threads >$B/big.threads"
check "big in four threads: entries" sh -c "[ \"\$(awk '{ print \$2 }' $B/big.threads | tr '\n' ' ')\" = '4800 2000 ' ]"
check "nest runs in four threads" sh -c "timeout 60 $B/nest.ours threads >/dev/null"

# what LLVM 21 calls Unhandled: the comparator that qsort calls; version 4 and dumps have it
make -s build/plain/csspgo || { fail "the tool"; finish; }
check "the comparator is unhandled" sh -c "build/plain/csspgo ctxprof to-yaml $B/big.v4 | grep -A2 Unhandled: | grep -q 'Guid: *$(printf %u 0x$(grep -w cmp $D/names.txt | cut -d' ' -f1))'"
check "dump and version 4 are the same profile" sh -c "build/plain/csspgo ctxprof to-yaml $B/big.v4 >$B/v4.yaml && build/plain/csspgo ctxprof to-yaml $B/big.dump | cmp - $B/v4.yaml"

# llvm-bcanalyzer wants a magic number, which version 1 lacks
llvm-bcanalyzer-19 --dump $D/big.v4.ctxp >$B/vector.dump
check "llvm-bcanalyzer reads a vector of version 4 with names" sh -c "head -n 224 $B/vector.dump | cmp - $D/big.v4.bcdump.txt"
check "version 4 written from YAML has the same blocks" \
    sh -c "build/plain/csspgo ctxprof from-yaml $D/big.v4.yaml -o $B/anew.v4 && llvm-bcanalyzer-19 --dump $B/anew.v4 | head -n 224 | sort >$B/anew.dump && sort $D/big.v4.bcdump.txt | cmp - $B/anew.dump"
check "llvm-bcanalyzer reads version 4 of the runtime" sh -c "llvm-bcanalyzer-19 --dump $B/big.v4 >$B/v4.dump"
check "llvm-bcanalyzer finds every context by name" sh -c "[ \$(grep -c '<Context ' $B/v4.dump) -eq 38 ] && [ \$(grep -c '<Root ' $B/v4.dump) -eq 2 ]"
check "llvm-bcanalyzer finds the unhandled function" sh -c "[ \$(grep -c '<Flat ' $B/v4.dump) -eq 1 ]"
printf 'CTXP' | cat - $B/big.v1 >$B/big.magic
check "llvm-bcanalyzer reads version 1" sh -c "llvm-bcanalyzer-19 --dump $B/big.magic >$B/big.dump"
check "llvm-bcanalyzer finds every context" sh -c "[ \$(grep -c '<UnknownCode4' $B/big.dump) -eq 40 ]"
check "llvm-profdata takes the profile with contexts" \
    sh -c "llvm-profdata-19 merge --sample --text $D/app.cs.prof | cmp - $D/app.cs.prof"
finish
