# t.sh - what test scripts share: counts and checks; a script sources it in tests/ and ends with finish
passed=0 failed=0 skipped=0
have() { command -v "$1" >/dev/null 2>&1; }
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: $*"; skipped=$((skipped + 1)); }
finish() { [ ! -e build/check.$$ ] || rm -f build/check.$$; echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
# what is linked with a library of build/plain
LIBZ=
[ ! -f /usr/include/zlib.h ] || LIBZ=-lz
[ ! -f /usr/include/zstd.h ] || LIBZ="$LIBZ -lzstd"
[ ! -f /usr/include/lzma.h ] || LIBZ="$LIBZ -llzma"
# check NAME COMMAND...: one test, its output shown if it fails
check() {
    check_name=$1
    shift
    if "$@" >build/check.$$ 2>&1; then pass; else fail "$check_name"; head -30 build/check.$$; fi
}
# Of a short file, without a process: has_text TEXT FILE, a line has the text; finds TEXT FILE, or grep finds it as an
# expression; one_line FILE, it has one line.
has_text() {
    while IFS= read -r has_line || [ -n "$has_line" ]; do
        case $has_line in *"$1"*) return 0 ;; esac
    done <"$2"
    return 1
}
finds() {
    while IFS= read -r has_line || [ -n "$has_line" ]; do
        case $has_line in *"$1"* | "${1#^}"*) return 0 ;; esac
    done <"$2"
    grep -q -e "$1" "$2"
}
one_line() { { IFS= read -r has_line && ! IFS= read -r has_line; } <"$1"; }
# alike FILE FILE: the same bytes
alike() { [ ! -s "$1" ] && [ ! -s "$2" ] || cmp -s "$1" "$2"; }
# same_text FILE FILE: the same lines; for short files, without a process
same_text() {
    while :; do
        IFS= read -r one_text <&3
        one_ends=$?
        IFS= read -r other_text <&4
        [ $one_ends -eq $? ] && [ "$one_text" = "$other_text" ] || return 1
        [ $one_ends -eq 0 ] || return 0
    done 3<"$1" 4<"$2"
}
# without PATTERN... <FILE: its lines without those that one of the patterns (as of case) describes
without() {
    while IFS= read -r line; do
        for pattern; do case $line in $pattern) continue 2 ;; esac; done
        printf '%s\n' "$line"
    done
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
# compares: from now on cmp of two files asks one process (again.c) and starts none, unless it has a difference to tell.
# Not for scripts in which several processes compare at the same time.
compares() {
    [ "$(uname -s)" = Linux ] && make -s build/again >/dev/null 2>&1 && mkfifo build/asked.$$ build/said.$$ || return 0
    build/again --compare <build/asked.$$ >build/said.$$ &
    exec 8>build/asked.$$ 9<build/said.$$
    rm -f build/asked.$$ build/said.$$
    cmp() {
        silent=
        [ "$1" != -s ] || { silent=-s; shift; }
        if [ $# -eq 2 ] && [ "$1" != - ] && [ "$2" != - ]; then
            printf '%s\n%s\n%s\n' "$PWD" "$1" "$2" >&8 && read -r compared <&9 && [ "$compared" = 0 ] && return
            [ -z "$silent" ] || return 1
        fi
        command cmp $silent "$@"
    }
}
