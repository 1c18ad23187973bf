#!/bin/sh
# The rooms of the tool, examples/tool/*/: a command's room includes and calls its own files and those of shared, debug
# and demangle; shared uses debug and demangle, which use no other room. main.c stands above all: it ties the commands
# together. library.h and library.c are the library, below all. Calls are those of the objects, so macros and tables of
# functions are seen, too. Also said: how many files of a room call each other in circles; some rooms have no circle, and
# keep it so. No two files use one name for different things, the library's included: all is one file for the compiler,
# which is how platforms.sh builds each room. Run in tests/.
. ./t.sh
if ! have nm; then skip "no nm: nobody looks who calls whom"; finish; fi
B=build/rooms S=../examples/tool
make -s build/plain/csspgo
rm -rf $B
mkdir -p $B
MAY='function room(file) { sub("/.*", "", file); return file }
function low(r) { return r == "debug" || r == "demangle" }
function may(from, to) { return from == to || (!low(from) && (low(to) || to == "shared")) }'
rooms=$(cd $S && echo */ | tr -d /)
# judge WHAT: the lines "FILE NAME FILE" of WHAT, each of which says that the first file uses the second one
judge() {
    awk "$MAY"'NF != 3 { print room($1), "is odd:", $0 } !may(room($1), room($3)) { print room($1), $0 }' $B/$1 >$B/bad
    [ "$(wc -l <$B/$1)" -gt 150 ] && pass || fail "few $1: $(wc -l <$B/$1)"
    for r in $rooms; do
        sed -n "s/^$r //p" $B/bad >$B/of
        [ ! -s $B/of ] && pass || fail "$1 of $r: $(head -20 $B/of)"
    done
}

(cd $S && grep '#include "' */*.[ch]) | sed 's/:[^"]*"/ /; s/".*//' |
    awk '{ n = split($2, part, "/"); here = $1; sub("/.*", "", here) }
         n == 1 { print $1, $2, here "/" $2 }
         n == 3 && part[2] != ".." { print $1, $2, part[2] "/" part[3] }' >$B/includes
judge includes

# one FILE: csspgo.h, load.h and all rooms as one file compile without a warning
one() { ${CC:-cc} -std=gnu99 -Werror -fsyntax-only "$1"; }
{ echo shared/library.c; cd $S && ls */*.c | grep -v '^shared/library\.c'; } |
    sed "s|.*|#include \"../../$S/&\"|" >$B/one.c
check "each name is used once" one $B/one.c
sed '$a static int area_cmp(void) { return 1; }' $B/one.c >$B/twice.c
if one $B/twice.c 2>/dev/null; then fail "a name used twice is not found"; else pass; fi

(cd $S && ls */*.c) | sed 's|^|build/plain/tool/|; s|c$|o|' | xargs nm -A |
    sed -n 's|^build/plain/tool/\([^:]*\)\.o:.* \([TDRBCU]\) \([^ ]*\)$|\2 \1.c \3|p' >$B/names
awk '$1 != "U" { of[$3] = $2 } $1 == "U" { n++; from[n] = $2; name[n] = $3 }
     END { for (i = 1; i <= n; i++) if (name[i] in of) print from[i], name[i], of[name[i]] }' $B/names |
    grep -v -e '^shared/main\.c ' -e ' shared/library\.c$' >$B/calls
judge calls

awk "$MAY"'room($1) == room($3) { calls[$1, $3] = 1; file[$1] = file[$3] = 1 }
END {
    for (k in file) for (i in file) if ((i, k) in calls) for (j in file) if ((k, j) in calls) calls[i, j] = 1
    for (i in file) if ((i, i) in calls) n[room(i)]++
    for (r in n) print r ": " n[r] " files call each other in circles"
}' $B/calls | sort >$B/circles
cat $B/circles
for r in bottleneck ctxprof debug demangle match order profgen record shared views; do
    if grep -q "^$r: " $B/circles; then fail "a circle in $r"; else pass; fi
done
# the README's one command has no -lm
sed -e '/^ \* /d' -e 's,/\*.*,,' $S/*/*.c ../examples/*.h ../examples/share/*.h ../examples/mca/*.h ../csspgo.h |
    grep -E '\b(floor|ceil|round|sqrt|pow|log|log2|exp)\(' | grep -v 'Math\.' >$B/libm
check "no function of libm" [ ! -s $B/libm ]
finish
