# t.sh - what test scripts share: counts and checks; a script sources it in tests/ and ends with finish
passed=0 failed=0 skipped=0
have() { command -v "$1" >/dev/null 2>&1; }
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: $*"; skipped=$((skipped + 1)); }
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
# check NAME COMMAND...: one test, its output shown if it fails
check() {
    name=$1
    shift
    if "$@" >build/check.$$ 2>&1; then pass; else fail "$name"; head -30 build/check.$$; fi
    rm -f build/check.$$
}
# size SMALL LARGE: how many cases; LARGE in the full run
size() { if [ -n "$FULL" ]; then echo "$2"; else echo "$1"; fi; }
