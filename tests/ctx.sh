# ctx.sh - programs with contextual instrumentation by LLVM 19, on our runtime; a script sources it behind t.sh
# ctx_tools: ends the script where there is no LLVM
ctx_tools() {
    for p in clang-19 opt-19 llc-19; do
        have $p || { skip "$p is not installed"; finish; }
    done
    if [ "$(uname -sm)" != "Linux x86_64" ]; then skip "programs for this machine"; finish; fi
    make -s build/plain/lib.o build/plain/ctx_profile build/plain/ctx_agree build/plain/csspgo || { fail "the library"; finish; }
}
# ctx_program DIR NAME ROOT COMPILER...: DIR/NAME.run from the last argument, a source; DIR/NAME.table says what it counts;
# DIR/NAME.plain is the same code without counters.
# Probes come first, so that a block has one; instrumentation next, before anything is inlined or merged. Functions that a
# library has too are emitted, or calls of them would leave the tree.
ctx_program() {
    ctx_o=$1/$2 ctx_root=$3
    shift 3
    "$@" -O1 -g1 -w -fno-optimize-sibling-calls -fpseudo-probe-for-profiling -Xclang -disable-llvm-passes -S -emit-llvm -o $ctx_o.ll &&
        sed -i 's/ available_externally / linkonce_odr /' $ctx_o.ll &&
        opt-19 -passes='pseudo-probe,pgo-instr-gen' -profile-context-root=$ctx_root -S -o $ctx_o.gen.ll $ctx_o.ll &&
        awk -f ctx_ir.awk $ctx_o.gen.ll $ctx_o.gen.ll >$ctx_o.table &&
        opt-19 -passes='ctx-instr-lower,function(mem2reg,instcombine,simplifycfg)' -profile-context-root=$ctx_root -o $ctx_o.bc $ctx_o.gen.ll &&
        llc-19 -O1 -filetype=obj -relocation-model=pic -o $ctx_o.o $ctx_o.bc &&
        opt-19 -passes='pseudo-probe,function(mem2reg)' -o $ctx_o.plain.bc $ctx_o.ll &&
        llc-19 -O1 -filetype=obj -relocation-model=static -o $ctx_o.plain.o $ctx_o.plain.bc &&
        clang-19 -no-pie -o $ctx_o.plain $ctx_o.plain.o -lm -lstdc++ &&
        clang-19 -std=gnu11 -O1 -w -DCSSPGO_IMPLEMENTATION_INCLUDED -o $ctx_o.run ctx_exit.c ctx_shim.c $ctx_o.o build/plain/lib.o $LIBZ -lm -lstdc++
}
# ctx_count DIR NAME ARGUMENT...: runs it, DIR/NAME.ctxp is what it counted
ctx_count() {
    ctx_o=$1/$2
    shift 2
    CTX_PROFILE=$ctx_o.ctxp $ctx_o.run "$@" >$ctx_o.out
}
# ctx_sample DIR NAME PROGRAM PERIOD: samples of DIR/PROGRAM with whole stacks, DIR/NAME.ps, and their profile, DIR/NAME.prof
ctx_sample() {
    env -i build/plain/csspgo record --quiet --software --max-stack=1000 --period=$4 -o $1/$2.ps -- $1/$3 >/dev/null && ctx_generate $1 $2 $3
}
ctx_generate() {
    build/plain/csspgo profgen --quiet --max-dropped=100 --format=text --csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0 \
        --binary=$1/$3 --perfscript=$1/$2.ps -o $1/$2.prof
}
# ctx_thin DIR NAME PROGRAM K: each Kth of the samples of DIR/NAME.ps: DIR/NAME.K.ps and its profile
ctx_thin() {
    awk -v k=$4 'BEGIN { RS = ""; ORS = "\n\n" } /PERF_RECORD/ { print; next } ++n % k == 0' $1/$2.ps >$1/$2.$4.ps && ctx_generate $1 $2.$4 $3
}
# ctx_samples FILE: how many
ctx_samples() { grep -c '^ *0x.*/0x' $1; }
