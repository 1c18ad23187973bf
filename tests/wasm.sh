#!/bin/sh
# The library as WebAssembly, without a C library, gives the same bytes as for the machine: profiles of data/formats in
# and out, samples with probes, a profile of them, stale matching (wasm.c). FULL: more profiles, optimized.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/wasm
mkdir -p $B
for tool in clang-19 wasm-ld-19 node; do have $tool || { skip "$tool is not installed"; finish; }; done
level=$(size -O0 -O2)
wasm="clang-19 --target=wasm32 -std=c99 -ffreestanding -nostdlib -DCSSPGO_NO_LIBC -DCSSPGO_OWN_MEMCPY -Wall -Wextra"
check "it builds as WebAssembly" $wasm $level -Wl,--no-entry -Wl,-z,stack-size=65536 -o $B/wasm.wasm wasm.c
check "it builds for the machine" clang-19 -std=c99 $level -Wall -Wextra -DNATIVE -o $B/native wasm.c
cat >$B/run.js <<'END'
// node run.js MODULE PROFILE OUT [PROFILE OUT ...]; a module with imports does not start
const fs = require('fs');
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
for (let i = 3; i + 1 < process.argv.length; i += 2) {
    const { wasm_input, wasm_run, wasm_output, memory } = new WebAssembly.Instance(module_, {}).exports;
    const text = fs.readFileSync(process.argv[i]);
    new Uint8Array(memory.buffer).set(text, wasm_input(text.length));
    const size = wasm_run(text.length), at = wasm_output();
    fs.writeFileSync(process.argv[i + 1], new Uint8Array(memory.buffer, at, size));
}
END
profiles="data/formats/text/15-cs-probe.txt data/formats/text/02-basic.txt data/formats/text/11-probe-nested.txt"
[ -z "$FULL" ] || profiles="data/formats/text/15-cs-probe.txt $(ls data/formats/text/*.txt data/generate/out/demo*.txt data/formats/compat/* data/formats/malformed/* 2>/dev/null)"
set --
n=0
for f in $profiles; do
    [ -f "$f" ] || continue
    n=$((n + 1))
    $B/native <"$f" >$B/$n.native
    set -- "$@" "$f" $B/$n.wasm
done
check "it runs, and imports nothing" node $B/run.js $B/wasm.wasm "$@"
k=0
for f in $profiles; do
    [ -f "$f" ] || continue
    k=$((k + 1))
    check "$f: WebAssembly and the machine give the same bytes" cmp $B/$k.native $B/$k.wasm
done
[ $k -gt 2 ] && pass || fail "no profiles were found"
check "the output has what it should" sh -c "grep -aq '^.main:4 @ f:4 @ g.:' $B/1.native && grep -aqx ' !CFGChecksum: 99' $B/1.native"
check "no call failed" sh -c "! grep -aE '^(function|transfers|probes|code|add|collector|profile|module|apply|preinline|flatten|write): E_' $B/1.native"
finish
