#!/bin/sh
# The manual's quick starts and how-tos compile and run; every public function is in an example or in a how-to, and keeps
# the rules of the interface (interface.awk).
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/manual
rm -rf $B
mkdir -p $B
make -s build/plain/lib.o || exit 1
CC=${CC:-cc}

awk -f interface.awk ../csspgo.h >$B/rules
[ ! -s $B/rules ] && pass || fail "rules of the interface: $(cat $B/rules)"

# ----- each guarantee of HOSTILE INPUT names a test that is there
awk '/^ \* HOSTILE INPUT/ { on = 1; next } on && /^ \* [^ ]/ { exit } on' ../csspgo.h | tr '\n' ' ' |
    grep -oE '(fuzz_[a-z]+|[a-z_]+\.(sh|c|h))\b' | sort -u >$B/tests
[ "$(wc -l <$B/tests)" -ge 30 ] && pass || fail "the tests of HOSTILE INPUT are not found"
while read -r named; do
    [ -f $named ] || [ -f ../fuzz/$named ] || [ -f ../fuzz/$named.c ] && pass || fail "HOSTILE INPUT names a test that is not there: $named"
done <$B/tests
has_text 'is_told(' ../fuzz/fuzz.h && pass || fail "fuzz.h has no is_told"

# ----- the how-tos of the header and of the files to copy: from the first line that begins a declaration to the next headline
SHARE=$(ls ../examples/share/*.h)
awk '
FNR == 1 { over = task = code = 0 }
/The interface ends here/ || /^#ifndef CSSPGO_SHARE_/ { over = 1 }
over { next }
/^ \* HOW TO / { task = 1; code = 0; next }
/^ \* [^ ]/ || /^ \*\// { task = 0 }
task && !code && /^ \*     (static|typedef) / { code = 1; file = FILENAME; sub(".*/", "", file); printf "#line %d \"%s\"\n", FNR, file }
task && code { print substr($0, 8) }' ../csspgo.h $SHARE >$B/code.c
names=$(grep -oE '^static int how_to_[a-z_]*\(void\)' $B/code.c | sed 's/static int //; s/(void)//')
[ "$(echo "$names" | wc -w)" -eq "$(cat ../csspgo.h $SHARE | grep -c '^ \* HOW TO ')" ] && pass || fail "not every how-to has a function of its own: $names"
# the quick starts: what stands under a headline becomes the body of a function that has what it takes for granted
awk '
/The interface ends here/ { exit }
/^ \* [^ ]/ {
    if (start) print "    return 0;\n}"
    start = /^ \* QUICK START/
    if (start) n++
    if (start) printf "static int quick_start_%d(TAKES_%d)\n{\n", n, n
}
start && /^ \*     [^#]/ { printf "#line %d \"csspgo.h\"\n%s\n", NR, substr($0, 4) }' ../csspgo.h >$B/quick.c
[ "$(grep -c '^static int quick_start_' $B/quick.c)" -eq 3 ] && pass || fail "the quick starts are not found"
{
    printf '#include "../../../csspgo.h"\n#include <stdio.h>\n#include <string.h>\n'
    for f in $SHARE; do
        name=$(basename "$f" .h | tr a-z A-Z)
        printf '#define CSSPGO_%s_IMPLEMENTATION\n#include "../../%s"\n' "$name" "$f"
    done
    cat $B/code.c
    cat <<'END'
#define TAKES_1 void
#define TAKES_2 const csspgo_code_unit unit, const csspgo_sample sample, const csspgo_frame *frames, size_t n, \
    uint32_t cost, csspgo_runtime_decision why, uint64_t begin, uint64_t end, char *buffer, size_t cap, size_t size
#define TAKES_3 void
static csspgo_error e;
END
    cat $B/quick.c
    printf 'int main(void)\n{\n    int bad = quick_start_1() + quick_start_3();\n'
    printf '    (void)quick_start_2;\n'
    for n in $names; do printf '    if (%s() != 0) bad = 1, printf("%s failed\\n");\n' $n $n; done
    printf '    return bad;\n}\n'
} >$B/manual.c
# ... and with an allocation that fails, each in turn
{
    printf '#include <stdlib.h>\nvoid *__real_malloc(size_t size);\nvoid *__wrap_malloc(size_t size);\nstatic long left;\n'
    printf 'void *__wrap_malloc(size_t size) { return --left == 0 ? NULL : __real_malloc(size); }\n'
    sed '/^int main/,$d' $B/manual.c
    printf 'int main(void)\n{\n    int (*const how_to[])(void) = {'
    for n in $names; do printf ' %s,' $n; done
    printf ' NULL };\n    int i;\n    long nth;\n    for (i = 0; how_to[i] != NULL; i++)\n'
    printf '        for (nth = 1, left = 0; left <= 0; nth++) {\n            fprintf(stderr, "%%d: allocation %%ld\\n", i + 1, nth);\n'
    printf '            left = nth;\n            how_to[i]();\n        }\n    return 0;\n}\n'
} >$B/failing.c
LAYERS=-DCSSPGO_ALL
$CC -std=c99 -Wall -Wextra $LAYERS -DCSSPGO_IMPLEMENTATION_INCLUDED -o $B/manual $B/manual.c build/plain/lib.o $LIBZ >$B/said 2>&1 && [ ! -s $B/said ] &&
    pass || { fail "the how-tos do not compile"; head -20 $B/said; }
cat data/views/parse.txt - >$B/app.prof <<'END'
[main:5 @ parse]:20:2
 1: 2
 2: 18
 !CFGChecksum: 22
END
if (cd $B && ./manual >out 2>err) && [ ! -s $B/err ]; then pass; else fail "a how-to fails"; cat $B/err; grep failed $B/out; fi
$CC -std=c99 $LAYERS -DCSSPGO_IMPLEMENTATION_INCLUDED -Wl,--wrap=malloc -o $B/failing $B/failing.c build/plain/lib.o $LIBZ >$B/said 2>&1 &&
    (cd $B && ./failing >out.failing 2>err.failing) && pass ||
    { fail "a how-to crashes when memory is exhausted"; head -20 $B/said; grep ': allocation' $B/err.failing | tail -1; }
for line in 'main:2 @ parse: block 2 ran 870 times, 1 callees' '\[main:2 @ leaf\] was entered 1 times' '^100 times imul rax, rax: 303 cycles; register 51 is rax' 'REGISTER dependency:  rax' 'probe 3 was probe 2;' 'the call ran 12 times; 0 samples are lost' \
            'line 3 ran 200 times; the run from 0x1010 ends at 0x1020' "3 of the file's records are loaded" 'E_SYNTAX (.*) in line 2, column 6' \
            '2 functions in order, init first; 2 in the first trace' '5 samples in 0x10' '^init$' 'B 1010 1000 2 1' 'Whole program profile similarity: 100.000%' '^100.00%.* main$' '2 frames, called from 0x100d' '^callee 3' 'the call is probe 4; the last block runs as often as the first: 1' 'Data Dependencies' '^4 cycles, 2 instructions' '^1 sample taken'; do
    grep -q "$line" $B/out && pass || fail "the how-tos do not print: $line"
done
# each is short enough to be read at once
awk '/^#line/ { if (n > 60) print at, n; n = 0; at = $2 $3 } { n++ } END { if (n > 60) print at, n }' $B/code.c >$B/long
[ ! -s $B/long ] && pass || fail "how-tos of more than 60 lines (line, file, lines): $(cat $B/long)"

# ----- every public function is shown somewhere
cat ../examples/*.[ch] ../examples/*/*.[ch] ../examples/*/*/*.[ch] $B/code.c >$B/shown.c
awk '/The interface ends here/ { exit } /^CSSPGO_DEF / { on = 1 } on { text = text $0 } /;/ { if (on) print text; on = 0; text = "" }' ../csspgo.h |
    sed 's/(.*//; s/.*[ *]//' | grep '^csspgo_' | sort -u >$B/public
[ "$(wc -l <$B/public)" -gt 300 ] && pass || fail "public functions are not found"
grep -oE 'csspgo_[a-z0-9_]+' $B/shown.c | sort -u >$B/used
comm -23 $B/public $B/used >$B/unshown
[ ! -s $B/unshown ] && pass || fail "in no example and in no how-to: $(echo $(cat $B/unshown))"
finish
