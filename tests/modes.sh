#!/bin/sh
# modes.sh header       the header as it is: no warnings in C and C++, linkage
# modes.sh compilers    no warnings of gcc and clang, with and without optimisation
# modes.sh many         test_edit with 3,500 random cases of each property
# modes.sh threads      test_threads and bench/endurance.c under ThreadSanitizer
# modes.sh beside       the header beside what else a file may include: windows.h, other programs' macros, newer C++
# modes.sh subsets      choices of chapters as a static copy: all is defined and used
# modes.sh libc         what the library calls is what the manual says; the header without a C library, for bare machines
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
impl=$B/$1.impl.c user=$B/$1.user.c o=$B/$1.o optin=-DCSSPGO_ALL
none="-DCSSPGO_NO_EXTBINARY -DCSSPGO_NO_MATCH -DCSSPGO_NO_MODULES -DCSSPGO_NO_PREINLINE -DCSSPGO_NO_PROBES -DCSSPGO_NO_RUNTIME"   # without the chapters that are on by default
quick=$CC                               # clang needs a third of gcc's time without optimisation
! have clang-19 || quick=clang-19

header() {
    silent "warnings in C" $CC $WC -c -o $o $impl
    check "every global has the prefix" \
        sh -c "nm -g --defined-only $o | awk '{ print \$NF }' | grep -v '^csspgo_' | grep -vx main >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    silent "the kernel alone" $quick $WC $none -c -o $B/kernel.o $impl
    check "chapters are absent that nobody asked for" sh -c "! nm $o | grep 'csspgo_tracker_decide\|csspgo_flatten\|csspgo_nest\|csspgo_trim_cold\|csspgo_rename\|_validate\|csspgo_dump\|layout\|bipartite\|csspgo__mt_\|csspgo_*ctx_\|bottleneck\|csspgo_*sim_\|_script\|_perfdata\|_lazy\|_decode_x86\|_gcc_read\|_preagg\|_unsym\|_line_profile\|csspgo_estimate_blocks\|_replay'"
    check "nor is the kernel with any" sh -c "! nm $B/kernel.o | grep 'csspgo_*match\|csspgo__bin_\|csspgo__ext_\|_runtime_\|csspgo_code_mmap\|preinline\|_size_table\|_probe_set\|csspgo_*shrink\|_flow_\|_cfg_classes'"
    check "no writable data" sh -c "nm $o | awk '\$2 ~ /^[BbDdCc]\$/ && \$3 !~ /^\\.L/' >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    check "no writable data in chapters, but the generic machine's names" \
        sh -c "nm build/plain/lib.o | awk '\$2 ~ /^[BbDdCc]\$/ && \$3 !~ /^\\.L|resource/' >$B/nm.out; test ! -s $B/nm.out || { cat $B/nm.out; false; }"
    silent "warnings for an includer in C" $CC $WC -c -o $B/user.o $user
    silent "one implementation and one includer link" $CC -o $B/two $o $B/user.o
    cat >$B/alone.c <<'END'
#define CSSPGO_STATIC
#define CSSPGO_NO_EXTBINARY
#define CSSPGO_NO_MATCH
#define CSSPGO_NO_RUNTIME
#define CSSPGO_IMPLEMENTATION
#include "../../../csspgo.h"
int main(void)
{
    static const char raw[] = "\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8\x53";
    static const char ext[] = "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67";
    char buf[64];
    size_t size;
    csspgo_options o;
    csspgo_error e;
    memset(&o, 0, sizeof o);
    csspgo_load(raw, sizeof raw - 1, NULL, &e);
    printf("%s: %s\n", csspgo_status_name(e.status), e.message);
    csspgo_load(ext, sizeof ext - 1, NULL, &e);
    printf("%s: %s\n", csspgo_status_name(e.status), e.message);
    csspgo_write(csspgo_profile_new(NULL, &e), CSSPGO_EXTBINARY, buf, sizeof buf, &size, &e);
    printf("%s: %s\n", csspgo_status_name(e.status), e.message);
    o.llvm = 19;
    csspgo_profile_new(&o, &e);
    printf("%s: %s\n", csspgo_status_name(e.status), e.message);
    return 0;
}
END
    check "what is in a chapter is refused by the chapter's name" sh -c "$quick -std=c99 -o $B/alone $B/alone.c && $B/alone >$B/alone.out &&
        grep -qx 'E_UNSUPPORTED: this form of a profile needs CSSPGO_WITH_LEGACY' $B/alone.out &&
        [ \$(grep -cx 'E_UNSUPPORTED: this form of a profile needs CSSPGO_WITH_EXTBINARY' $B/alone.out) -eq 2 ] &&
        grep -qx 'E_UNSUPPORTED: csspgo_profile_new: csspgo_options.llvm other than 0 needs CSSPGO_WITH_LLVM' $B/alone.out"
    if have g++; then
        silent "warnings in C++" g++ $WX $(size "$QUICKER" "") -fsyntax-only $impl
        silent "warnings for an includer in C++" g++ $WX -fsyntax-only $user
    else skip "g++ is not installed"; fi
    {   # the manual's example, without what stands to the right of the code
        printf '#define CSSPGO_IMPLEMENTATION\n#define CSSPGO_ALL\n#include <stdio.h>\n#include "../../../csspgo.h"\n'
        hot_loop() { sed -n '/^ \* QUICK START: what binds a hot loop/,/^ \* HOW TO/s/^ \*     \(.*\)/\1/p' ../csspgo.h; }
        hot_loop | grep '^#'
        printf 'int main(void)\n{\n    csspgo_error e;\n'
        hot_loop | sed 's/;  .*/;/; /^#/d'
        printf 'return 0;\n}\n'
    } >$B/manual.c
    check "the manual's example of a hot loop runs" \
        sh -c "$CC -std=c99 -Wall -Wextra -Werror -Wno-unused -I../examples/share -DCSSPGO_IMPLEMENTATION_INCLUDED -o $B/manual $B/manual.c build/plain/lib.o $LIBZ && $B/manual | grep -q 'Bound by the latency chain: 4 cycles every iteration'"
    # the files to copy: each alone behind the interface; all of them in one file with the library
    printf '#define CSSPGO_STATIC\n#define CSSPGO_IMPLEMENTATION\n#include "../../../csspgo.h"\n' >$B/share.c
    for f in ../examples/share/*.h; do
        name=$(basename "$f" .h | tr a-z A-Z)
        printf '#define CSSPGO_%s_IMPLEMENTATION\n#include "../../%s"\n#include "../../%s"\n' "$name" "$f" "$f" >$B/share.one
        cat $B/share.one >>$B/share.c
        { printf '#include "../../../csspgo.h"\n'; cat $B/share.one; } >$B/share.one.c
        silent "$f: warnings in C" $CC $WC $optin -c -o $B/share.o $B/share.one.c
        check "$f: every global has the prefix" sh -c "! nm -g --defined-only $B/share.o | awk '{ print \$NF }' | grep -v '^csspgo_'"
        ! have g++ || silent "$f: warnings in C++" g++ $WX $optin -fsyntax-only $B/share.one.c
    done
    silent "all files to copy beside a static library" $CC $WC $QUICKER $optin -fsyntax-only $B/share.c
    check "CSSPGO_MALLOC alone is refused" sh -c "! $CC -DCSSPGO_MALLOC=malloc -fsyntax-only $impl 2>/dev/null"
}

# gcc warns of more when it optimizes; clang's warnings are all of its front end, which sees that there is optimisation.
# What else is compiled without optimisation and without a warning is left out: in C by header(), in C++ as build/c++/lib.o.
compilers() {
    made="g++-O0"
    ! $CC --version | grep -q 'Free Software' || made="$made gcc-O0"
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

# Each macro alone is linked, and all chapters together. Pairs are, too, as far as it matters: of a static function
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
    printf '#define CSSPGO_IMPLEMENTATION\n#include "../../../csspgo.h"\n' >$B/alone.c
    printf '#include "../../../csspgo.h"\nint main(void) { csspgo_profile_free(csspgo_profile_new(NULL, NULL)); return 0; }\n' >$B/mixed.c
    silent "CSSPGO_VALIDATE in every file" sh -c "$CC $QUICKER -DCSSPGO_VALIDATE -c -o $B/alone.o $B/alone.c && $CC -DCSSPGO_VALIDATE -o $B/mixed $B/mixed.c $B/alone.o && $B/mixed"
    check "CSSPGO_VALIDATE in one file only does not link" sh -c "! $CC -o $B/mixed $B/mixed.c $B/alone.o 2>$B/mixed.out && grep csspgo_profile_new $B/mixed.out"
    printf 'static void f(void);\nint main(void) { f(); return 0; }\n' >$B/undefined.c
    check "the compiler tells of what is used but not defined" sh -c "$CC -fsyntax-only $B/undefined.c 2>&1 | grep -q 'never defined\|not defined\|undefined'"
    linker=$CC
    ! have clang-19 || linker=clang-19
    rest=$(grep '^# *\(el\)\?if' ../csspgo.h | grep -oE 'CSSPGO_((NO|WITH|USE)_[A-Z0-9_]*|ALL)' | sed 's/^CSSPGO_//' | sort -u)
    [ "$(echo $rest | wc -w)" -ge 12 ] || fail "the header's macros are not found: $rest"
    for l in zlib zstd; do
        [ ! -f /usr/include/$l.h ] || continue
        skip "$l.h is not installed"
        rest=$(echo "$rest" | grep -vix USE_$l)
    done
    rest=$(echo $rest)
    while [ -n "$rest" ]; do
        m=${rest%% *} rest=${rest#$m} rest=${rest# }
        silent "-DCSSPGO_$m builds without a warning" $CC $WC $QUICKER -DCSSPGO_$m -fsyntax-only $impl
        links $m
        for other in STATIC $rest; do
            case $m,$other in WITH_*,WITH_*) continue ;; esac    # subsets() has these
            uses STATIC $m $other
            silent "$m $other: all is defined" $CC $WC $QUICKER $defines -fsyntax-only $B/uses.c
        done
    done
}

# A program includes csspgo.h last and, as a library's header does, before all else.
beside() {
    printf '#include "../../macros.h"\n#include "../../../csspgo.h"\n' >$B/macros.user.c
    printf '#define CSSPGO_IMPLEMENTATION\n#include "../../macros.h"\n#include "../../../csspgo.h"\n' >$B/macros.impl.c
    printf '#include "../../../csspgo.h"\n#define CSSPGO_IMPLEMENTATION\n#include "../../macros.h"\n#include "../../../csspgo.h"\n' >$B/macros.later.c
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

# Each chapter alone, each pair, all but one: none leaves a function that is not used, and none needs more than it turns on.
subsets() {
    have clang-19 || { skip "clang-19 is not installed"; return; }
    chapters=$(grep -oE '^#ifdef CSSPGO_WITH_[A-Z]+' ../csspgo.h | sed 's/.*CSSPGO_//' | sort -u)
    [ "$(echo $chapters | wc -w)" -ge 15 ] || fail "the header's chapters are not found: $chapters"
    alone=$(echo $none | sed 's/-DCSSPGO_//g')
    {
        echo
        echo $alone
        echo ALL
        for c in $(size "WITH_PERF WITH_LINES WITH_CTXPROF" "$chapters"); do echo $alone $c; done
        if [ -n "$FULL" ]; then
            rest=$(echo $chapters)
            while [ -n "$rest" ]; do
                c=${rest%% *} rest=${rest#$c} rest=${rest# }
                for other in $rest; do echo $alone $c $other; done
                echo $(echo $chapters | tr ' ' '\n' | grep -vx $c)
            done
        fi
    } >$B/subsets
    while read set; do
        defines=
        for m in $set; do defines="$defines -DCSSPGO_$m"; done
        case $set in *WITH_*WITH_*) also= ;; *) also=$(size "" -DCSSPGO_NO_STDIO) ;; esac
        for extra in "" $also; do
            silent "static:$defines $extra" clang-19 -std=c99 -Wall -Wextra -Wunused-function -fsyntax-only -DCSSPGO_STATIC $defines $extra $impl
        done
    done <$B/subsets
    for extra in "-DCSSPGO_NO_STDIO" "-DCSSPGO_NO_STDIO -DCSSPGO_ALL"; do
        silent "static: $extra" clang-19 -std=c99 -Wall -Wextra -Wunused-function -fsyntax-only -DCSSPGO_STATIC $extra $impl
    done
}

# row TEXT: the functions in the manual's line that begins with TEXT, one a line; clang's bcmp is memcmp
row() {
    sed -n "/^ \\* WHAT IT CALLS/,/^ \\*     With/s/^ \\*     $1  *//p" ../csspgo.h | sed 's/, unless.*//' | tr ' ' '\n' | sort
}

# calls NAME "ROW|ROW..." MACRO...: an object of the library calls what these rows of the manual say, and no more
calls() {
    whose=$1
    oldifs=$IFS IFS='|'
    for r in $2; do row "$r"; done | sort -u >$B/calls.said
    IFS=$oldifs
    shift 2
    [ "$(wc -l <$B/calls.said)" -gt 3 ] || fail "$whose: the manual's rows are not found"
    silent "$whose compiles" $quick -std=c99 -w "$@" -c -o $B/calls.o $impl
    nm -u $B/calls.o | awk '{ print $NF }' | sed 's/^__errno_location$/errno/; s/^__assert_fail$/assert/; s/^bcmp$/memcmp/' |
        sort -u >$B/calls.made
    check "$whose: calls (>) or does not call (<) other functions than the manual says" diff $B/calls.said $B/calls.made
}

libc() {
    always='always' heap='unless CSSPGO_MALLOC is defined' stdio='unless CSSPGO_NO_STDIO is defined'
    assert='unless CSSPGO_ASSERT is defined' unix='with CSSPGO_WITH_CTXPROF, on Unix' own='with CSSPGO_NO_LIBC'
    inspect='with INSPECT and stdio'
    calls "the kernel" "$always|$heap|$stdio|$assert" $none
    calls "all chapters" "$always|$heap|$stdio|$inspect|$assert|$unix" -DCSSPGO_ALL
    calls "no stdio" "$always|$heap|$assert" -DCSSPGO_NO_STDIO $none
    calls "no C library" "$own" -DCSSPGO_ALL -DCSSPGO_NO_LIBC
    if [ -n "$FULL" ]; then
        calls "no stdio, all chapters" "$always|$heap|$assert|$unix" -DCSSPGO_NO_STDIO -DCSSPGO_ALL
        calls "a heap of one's own" "$always" -DCSSPGO_NO_STDIO '-DCSSPGO_ASSERT(x)=((void)0)' '-DCSSPGO_MALLOC(n)=((void)(n),(void*)0)' '-DCSSPGO_FREE(p)=((void)(p))'
        calls "misuse told" "$always|$heap|$stdio|$inspect|$assert|with CSSPGO_VALIDATE" -DCSSPGO_VALIDATE
        calls "no C library, optimized" "$own" -DCSSPGO_ALL -DCSSPGO_NO_LIBC -O2
        silent "no C library, own memcpy" $quick -std=c99 -w -O2 -ffreestanding -DCSSPGO_ALL -DCSSPGO_NO_LIBC -DCSSPGO_OWN_MEMCPY -c -o $B/calls.o $impl
        check "with CSSPGO_OWN_MEMCPY it calls nothing" sh -c "test -z \"\$(nm -u $B/calls.o | tee /dev/stderr)\""
    fi
    bare="-DCSSPGO_ALL -DCSSPGO_NO_LIBC -DCSSPGO_OWN_MEMCPY -ffreestanding $QUICKER"
    [ -z "$FULL" ] || silent "only the headers that come with the compiler" $CC $WC $bare -nostdinc -isystem $($CC -print-file-name=include) -fsyntax-only $impl
    have clang-19 || { skip "clang-19 is not installed"; return; }
    for target in armv7m-none-eabi $(size "" "riscv32 x86_64-unknown-none aarch64-none-elf i686-none-elf wasm32 wasm64 mips-none-elf powerpc-none-elf"); do
        silent "a bare $target" clang-19 --target=$target $WC $bare -nostdlibinc -fsyntax-only $impl
        [ -z "$FULL" ] || silent "a bare $target, C++" clang-19 --target=$target $WX $bare -nostdlibinc -fsyntax-only $impl
    done
    # objects without an allocator are refused, with a sentence; functions that need memory until they return, too
    cat >$B/heapless.c <<'END'
#define CSSPGO_STATIC
#define CSSPGO_NO_LIBC
#define CSSPGO_OWN_MEMCPY
#define CSSPGO_IMPLEMENTATION
#include "../../../csspgo.h"
#include <stdio.h>
#include <stdlib.h>
/* The four functions, at every alignment, overlapping both ways, against loops over bytes. */
static int memory_works(void)
{
    unsigned char a[96], b[96], old[96];
    size_t from, to, n, i;
    for (from = 0; from < 24; from++)
        for (to = 0; to < 24; to++)
            for (n = 0; n < 64; n++) {
                for (i = 0; i < 96; i++) a[i] = b[i] = old[i] = (unsigned char)(i * 7 + from);
                for (i = 0; i < n; i++) b[to + i] = old[from + i];
                if (memmove(a + to, a + from, n) != a + to || memcmp(a, b, 96) != 0) return 0;
                if (memcpy(a + to, old + from, n) != a + to || memcmp(a, b, 96) != 0) return 0;
                for (i = 0; i < n; i++) b[to + i] = 0xa5;
                if (memset(a + to, 0x7a5, n) != a + to || memcmp(a, b, 96) != 0) return 0;
                for (i = 0; i < 96; i++) if (a[i] != b[i]) return 0;
            }
    a[95] = 1, b[95] = 200;
    return memcmp(a, b, 95) == 0 && memcmp(a, b, 96) < 0 && memcmp(b, a, 96) > 0;
}
static void *give(void *ctx, size_t size) { return (void)ctx, malloc(size); }
static void take(void *ctx, void *p, size_t size) { (void)ctx, (void)size, free(p); }
int main(void)
{
    csspgo_options o = { { give, take, NULL }, { 0, 0, 0, 0, 0, 0 }, 0, 0 };
    csspgo_cfg_edge edge = { 0, 0, 0, 0 };
    csspgo_cfg cfg = { NULL, 1, &edge, 1 };
    uint32_t eq[1];
    csspgo_error e;
    csspgo_profile *p = csspgo_load("main:1:1\n 1: 1\n", 15, &o, &e);
    printf("%s %d %d\n", csspgo_status_name(e.status), p != NULL, memory_works());
    csspgo_profile_free(p);
    csspgo_profile_new(NULL, &e);
    printf("%s: %s\n", csspgo_status_name(e.status), e.message);
    csspgo_code_new(NULL, &e);
    printf("%s: %s\n", csspgo_status_name(e.status), e.message);
    csspgo_cfg_classes(&cfg, NULL, eq, &e);
    printf("%s: %s\n", csspgo_status_name(e.status), e.message);
    return 0;
}
END
    cat >$B/heapless.want <<'END'
OK 1 1
E_UNSUPPORTED: csspgo_profile_new: this build has no heap: csspgo_options need an allocator
E_UNSUPPORTED: csspgo_code_new: this build has no heap: csspgo_options need an allocator
E_UNSUPPORTED: this build has no heap: csspgo_options need an allocator
END
    silent "a program without a heap of the library's" $quick -std=c99 -o $B/heapless $B/heapless.c
    check "no heap: objects need an allocator" sh -c "$B/heapless >$B/heapless.out && diff $B/heapless.want $B/heapless.out"
}

many() {
    CSSPGO_CASES=3500 sh ./run.sh --program build/plain/test_edit
    exit
}

threads() {
    printf 'int main(void) { return 0; }\n' >$B/empty.c
    if ! $CC -fsanitize=thread -o $B/empty $B/empty.c >/dev/null 2>&1; then skip "$CC has no ThreadSanitizer"; finish; fi
    check "what the header promises about threads" sh ./run.sh --program build/tsan/test_threads
    check "a runtime of four threads" sh -c 'make -s build/tsan/endurance && build/tsan/endurance 60000 60 8'
}

group=$1
$1
finish
