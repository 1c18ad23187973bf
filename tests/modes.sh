#!/bin/sh
# modes.sh header       the header as it is: no warnings in C and C++, linkage
# modes.sh compilers    no warnings of gcc and clang, with and without optimisation
# modes.sh many         test_edit with 3,500 random cases of each property
# modes.sh threads      test_threads under ThreadSanitizer
# modes.sh beside       the header beside what else a file may include: windows.h, other programs' macros, newer C++
# modes.sh subsets      every choice of layers as a static copy: all is defined and used
# modes.sh macros       every configuration macro; with each and with each pair, what the interface declares links
cd "$(dirname "$0")" || exit 1
. ./t.sh
CC=${CC:-cc}
B=build/modes
mkdir -p $B
# silent NAME COMMAND...: must succeed without a word
silent() {
    name=$1
    shift
    if "$@" >$B/$group.out 2>&1 && [ ! -s $B/$group.out ]; then pass; else fail "$name"; head -30 $B/$group.out; fi
}
printf '#define CSSPGO_IMPLEMENTATION\n#include "../../../csspgo.h"\n#include "../../../csspgo.h"\nint main(void) { return 0; }\n' >$B/$1.impl.c
printf '#include "../../../csspgo.h"\nint user(void);\nint user(void) { return csspgo_version() == 0; }\n' >$B/$1.user.c
impl=$B/$1.impl.c user=$B/$1.user.c o=$B/$1.o

header() {
    silent "warnings in C" $CC $WC -c -o $o $impl
    check "every global has the prefix" \
        sh -c "nm -g --defined-only $o | awk '{ print \$NF }' | grep -v '^csspgo_' | grep -vx main >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    check "opt-in layers are absent" sh -c "! nm $o | grep 'layout\|bipartite\|csspgo__mt_\|csspgo_*ctx_\|bottleneck\|csspgo_*sim_'"
    check "no writable data" sh -c "nm $o | awk '\$2 ~ /^[BbDdCc]\$/ && \$3 !~ /^\\.L/' >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    check "no writable data in opt-in layers, but the generic machine's names" \
        sh -c "nm build/plain/lib.o | awk '\$2 ~ /^[BbDdCc]\$/ && \$3 !~ /^\\.L|resource/' >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    silent "warnings for an includer in C" $CC $WC -c -o $B/user.o $user
    silent "one implementation and one includer link" $CC -o $B/two $o $B/user.o
    if have g++; then
        silent "warnings in C++" g++ $WX $(size "$QUICKER" "") -fsyntax-only $impl
        silent "warnings for an includer in C++" g++ $WX -fsyntax-only $user
    else skip "g++ is not installed"; fi
    {   # the manual's example, without what stands to the right of the code
        printf '#define CSSPGO_IMPLEMENTATION\n#define CSSPGO_WITH_BOTTLENECK\n#include <stdio.h>\n#include "../../../csspgo.h"\nint main(void)\n{\n    csspgo_error e;\n'
        sed -n '/^ \* QUICK START: what binds a hot loop/,/^ \* CONCEPTS/s/^ \*     \(.*\)/\1/p' ../csspgo.h | sed 's/;  .*/;/'
        printf 'return 0;\n}\n'
    } >$B/manual.c
    check "the manual's example of a hot loop runs" \
        sh -c "$CC -std=c99 -Wall -Wextra -Werror -Wno-unused -DCSSPGO_IMPLEMENTATION_INCLUDED -o $B/manual $B/manual.c build/plain/lib.o $LIBZ && $B/manual | grep -q 'Bound by the latency chain: 4 cycles every iteration'"
    check "CSSPGO_MALLOC alone is refused" sh -c "! $CC -DCSSPGO_MALLOC=malloc -fsyntax-only $impl 2>/dev/null"
}

# gcc warns of more when it optimizes; clang's warnings are all of its front end, which sees that there is optimisation.
# What else is compiled without optimisation and without a warning is left out: in C by header(), in C++ as build/c++/lib.o.
compilers() {
    made="g++-O0"
    ! $CC --version | grep -q 'Free Software' || made="$made gcc-O0"
    optin='-DCSSPGO_WITH_LAYOUT -DCSSPGO_WITH_CTXPROF -DCSSPGO_WITH_BOTTLENECK'
    for level in -O0 -O2; do
        for c in gcc clang-19 g++ clang++-19; do
            have $c || { skip "$c is not installed"; continue; }
            language=C flags=$WC as="-c -o $o"
            case $c in *++*) language=C++ flags=$WX ;; esac
            case $c in clang*) as=-fsyntax-only ;; esac
            case " $made " in *" $c$level "*) ;; *)
                silent "$c $level: warnings in $language" $c $flags $QUICKER -Wnull-dereference $level $optin $as $impl ;;
            esac
            silent "$c $level: warnings for an includer in $language" $c $flags $level -c -o $o $user
        done
    done
    for p in i686-linux-gnu-gcc qemu-i386 s390x-linux-gnu-gcc qemu-s390x; do
        have $p || skip "tests for another machine: $p is not installed"
    done
}

# uses MACRO...: a program that uses all that the interface declares with these macros, in $B/uses.c; $defines, $libs
uses() {
    defines= libs=
    for define; do
        defines="$defines -DCSSPGO_$define"
        case $define in USE_ZLIB) libs="$libs -lz" ;; USE_ZSTD) libs="$libs -lzstd" ;; esac
    done
    {
        printf '#define CSSPGO_IMPLEMENTATION\n#include "../../../csspgo.h"\ntypedef void (*any)(void);\nextern any all[];\nany all[] = {\n'
        printf '#include "../../../csspgo.h"\n' | $CC -E -P -I$B $defines -x c - -o - 2>/dev/null | tr '\n' ' ' | tr ';' '\n' |
            sed -n 's/^ *\(extern\|static __attribute__((unused))\) [^(]*[ *]\(csspgo_[a-z0-9_]*\)(.*/    (any)\2,/p'
        printf '    (any)0\n};\nint main(void) { return all[0] == (any)0; }\n'
    } >$B/uses.c
    [ "$(grep -c '(any)csspgo_' $B/uses.c)" -gt 40 ] || fail "$*: functions declared are not found"
}

# links MACRO...
links() {
    uses "$@"
    silent "$* links" $linker -std=c99 $defines -o $B/uses $B/uses.c $libs
}

# Each macro alone is linked, and all opt-in layers together. Pairs are, too, as far as it matters: of a static function
# that is used but not defined the compiler tells, which is much faster. So is clang as a linker of what is compiled
# without optimisation. The macros are those that the header asks for.
macros() {
    silent "CSSPGO_DEF is the linkage" $CC $WC "-DCSSPGO_DEF=__attribute__((visibility(\"hidden\"))) extern" $QUICKER -fsyntax-only $impl
    cat >$B/heap.c <<'END'
#include <stddef.h>
static void *m(size_t n) { (void)n; return 0; }
static void f(void *p) { (void)p; }
#define CSSPGO_MALLOC m
#define CSSPGO_FREE f
#define CSSPGO_IMPLEMENTATION
#include "../../../csspgo.h"
int main(void) { return csspgo_profile_new(NULL, NULL) != NULL; }
END
    silent "CSSPGO_MALLOC and CSSPGO_FREE replace the heap" sh -c "$CC $WC $QUICKER -o $B/heap $B/heap.c && $B/heap"
    silent "CSSPGO_VALIDATE builds without a warning" $CC $WC $QUICKER -DCSSPGO_VALIDATE -fsyntax-only $impl
    silent "CSSPGO_VALIDATE_LOG, without stdio" $CC $WC $QUICKER -DCSSPGO_VALIDATE -DCSSPGO_NO_STDIO '-DCSSPGO_VALIDATE_LOG(f,t)=((void)(f),(void)(t))' -fsyntax-only $impl
    cat >$B/validate.c <<'END'
#define CSSPGO_VALIDATE
#define CSSPGO_IMPLEMENTATION
#include "../../../csspgo.h"
int main(void) { return csspgo_code_remove(csspgo_code_new(NULL, NULL), 2, 1, NULL) == CSSPGO_OK; }
END
    check "CSSPGO_VALIDATE says what is wrong and aborts" sh -c "$CC $QUICKER -o $B/validate $B/validate.c && ! $B/validate 2>$B/validate.out; grep 'csspgo_code_remove: nothing to remove' $B/validate.out"
    printf 'static void f(void);\nint main(void) { f(); return 0; }\n' >$B/undefined.c
    check "the compiler tells of what is used but not defined" sh -c "$CC -fsyntax-only $B/undefined.c 2>&1 | grep -q 'never defined\|not defined\|undefined'"
    linker=$CC
    ! have clang-19 || linker=clang-19
    rest=$(grep '^# *\(el\)\?if' ../csspgo.h | grep -oE 'CSSPGO_(NO|WITH|USE)_[A-Z0-9_]*' | sed 's/^CSSPGO_//' | sort -u)
    [ "$(echo $rest | wc -w)" -ge 12 ] || fail "the header's macros are not found: $rest"
    for l in zlib zstd; do
        [ ! -f /usr/include/$l.h ] || continue
        skip "$l.h is not installed"
        rest=$(echo "$rest" | grep -vix USE_$l)
    done
    with=$(echo "$rest" | grep '^WITH_')
    rest=$(echo $rest)
    while [ -n "$rest" ]; do
        m=${rest%% *} rest=${rest#$m} rest=${rest# }
        silent "-DCSSPGO_$m builds without a warning" $CC $WC $QUICKER -DCSSPGO_$m -fsyntax-only $impl
        links $m
        for other in STATIC $rest; do
            uses STATIC $m $other
            silent "$m $other: all is defined" $CC $WC $QUICKER $defines -fsyntax-only $B/uses.c
        done
    done
    [ "$(echo $with | wc -w)" -lt 2 ] || links $with
}

# A program includes csspgo.h last and, as a library's header does, before all else.
beside() {
    optin='-DCSSPGO_WITH_LAYOUT -DCSSPGO_WITH_CTXPROF -DCSSPGO_WITH_BOTTLENECK'
    printf '#include "../../macros.h"\n#include "../../../csspgo.h"\n' >$B/macros.user.c
    printf '#define CSSPGO_IMPLEMENTATION\n#include "../../macros.h"\n#include "../../../csspgo.h"\n' >$B/macros.impl.c
    printf '#include "../../../csspgo.h"\n#define CSSPGO_IMPLEMENTATION\n#include "../../macros.h"\n#include "../../../csspgo.h"\n' >$B/macros.later.c
    quick=$CC
    ! have clang-19 || quick=clang-19
    for f in user impl $(size "" later); do
        silent "no name is a common macro ($f)" $(size $quick $CC) -std=gnu99 $optin $ZLIB -DCSSPGO_VALIDATE -fsyntax-only $B/macros.$f.c
    done
    check "a name that is a macro is noticed" sh -c "printf '#include \"../../macros.h\"\nint near;\n' >$B/macros.bad.c && ! $CC -fsyntax-only $B/macros.bad.c 2>/dev/null"
    windows='#include <windows.h>\n#include <rpc.h>\n#include <rpcndr.h>\n'
    printf "$windows"'#define CSSPGO_IMPLEMENTATION\n#include "../../../csspgo.h"\n' >$B/windows.c
    printf '#include "../../../csspgo.h"\n'"$windows"'#define CSSPGO_IMPLEMENTATION\n#include "../../../csspgo.h"\n' >$B/windows.later.c
    for c in gcc g++; do
        [ $c = gcc ] || [ -n "$FULL" ] || continue
        have x86_64-w64-mingw32-$c || { skip "x86_64-w64-mingw32-$c is not installed"; continue; }
        language="-std=c99 -Wall -Wextra"
        [ $c = gcc ] || language="-x c++ -std=c++11 -Wall -Wextra"
        for f in windows $(size "" windows.later); do
            for lean in "" $(size "" "-DWIN32_LEAN_AND_MEAN -DNOMINMAX"); do
                silent "$f.c: $c $lean" x86_64-w64-mingw32-$c $language $optin $lean $QUICKER -fsyntax-only $B/$f.c
            done
        done
    done
    cat >$B/forms.cc <<'END'
#include "../../../csspgo.h"
unsigned forms() { return CSSPGO_TEXT | CSSPGO_SPLIT; }
unsigned flags() { return CSSPGO_IS_CS | CSSPGO_IS_PROBE; }
END
    for std in $(size c++26 "c++17 c++20 c++23 c++26"); do
        for c in clang++-19 $(size "" g++); do
            have $c || { [ $std != c++26 ] || skip "$c is not installed"; continue; }
            [ $c$std != g++c++26 ] || continue
            silent "$c -std=$std" $c -x c++ -std=$std -Wall -Wextra -Wdeprecated $QUICKER $optin -fsyntax-only $impl
            silent "$c -std=$std, an includer" $c -x c++ -std=$std -Wall -Wextra -Wdeprecated $optin -fsyntax-only $B/forms.cc
        done
    done
}

# Layers that can be left out, one after another as bits of a number; what cannot stand without another goes with it.
subsets() {
    have clang-19 || { skip "clang-19 is not installed"; return; }
    layers="FORMAT EDIT CODE SAMPLE UNWIND FLOW GENERATE TRACK MATCH"
    chosen="64 80 88 92 510 511"
    [ -z "$FULL" ] || chosen=$(seq 0 511)
    for set in $chosen; do
        defines= bit=1
        for l in $layers; do
            [ $((set & bit)) = 0 ] || defines="$defines -DCSSPGO_NO_$l"
            bit=$((bit * 2))
        done
        # without code there are no samples, without these no unwinder, without that no generation
        [ $((set & 4)) != 4 -o $((set & 88)) = 88 ] && [ $((set & 8)) != 8 -o $((set & 80)) = 80 ] &&
            [ $((set & 16)) != 16 -o $((set & 64)) = 64 ] || continue
        for extra in "" -DCSSPGO_NO_STDIO "-DCSSPGO_WITH_LAYOUT -DCSSPGO_WITH_CTXPROF -DCSSPGO_WITH_BOTTLENECK"; do
            silent "static:$defines $extra" clang-19 -std=c99 -Wall -Wextra -Wunused-function -fsyntax-only -DCSSPGO_STATIC $defines $extra $impl
        done
    done
}

many() {
    CSSPGO_CASES=3500 sh ./run.sh --program build/plain/test_edit
    exit
}

threads() {
    printf 'int main(void) { return 0; }\n' >$B/empty.c
    if ! $CC -fsanitize=thread -o $B/empty $B/empty.c >/dev/null 2>&1; then skip "$CC has no ThreadSanitizer"; finish; fi
    sh ./run.sh --program build/tsan/test_threads
    exit
}

group=$1
$1
finish
