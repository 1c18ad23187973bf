# t.sh - what test scripts share: counts and checks; a script sources it in tests/ and ends with finish
passed=0 failed=0 skipped=0
have() { command -v "$1" >/dev/null 2>&1; }
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: $*"; skipped=$((skipped + 1)); }
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
# what is linked with a library of build/plain
LIBZ="$([ ! -f /usr/include/zlib.h ] || echo -lz) $([ ! -f /usr/include/zstd.h ] || echo -lzstd)"
# check NAME COMMAND...: one test, its output shown if it fails
check() {
    name=$1
    shift
    if "$@" >build/check.$$ 2>&1; then pass; else fail "$name"; head -30 build/check.$$; fi
    rm -f build/check.$$
}
# size SMALL LARGE: how many cases; LARGE in the full run
size() { if [ -n "$FULL" ]; then echo "$2"; else echo "$1"; fi; }
# again TOOL...: from now on each TOOL in the PATH runs in forks of one process that has loaded it (again.c)
again() {
    [ "$(uname -s)" = Linux ] && make -s build/again build/again.so >/dev/null 2>&1 || return 0
    AGAIN_OF=$$ AGAIN_PATH=$PATH AGAIN_DIR=$(pwd)/build/again.$$ servers=
    export AGAIN_OF AGAIN_PATH AGAIN_DIR
    mkdir -p $AGAIN_DIR
    for tool; do
        LD_PRELOAD=$(pwd)/build/again.so $tool </dev/null >/dev/null 2>&1 &
        servers="$servers $!"
        ln -sf ../again $AGAIN_DIR/$tool
    done
    trap '{ kill $servers; wait $servers; rm -rf "$AGAIN_DIR"; } 2>/dev/null' EXIT
    PATH=$AGAIN_DIR:$PATH
}
