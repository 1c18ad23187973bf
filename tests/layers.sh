#!/bin/sh
# layers.sh: no layer of csspgo.h takes a function, a type, a macro or a constant from one that it must not know, and one
# function drops records (layers.pl, whose table says who may use whom); layers.pl finds a mistake of each kind.
. ./t.sh
B=build/layers
mkdir -p $B
have perl || { skip "layers: perl is not installed"; finish; }
H=../csspgo.h
if perl layers.pl $H >$B/said; then pass; else fail "layers"; cat $B/said; fi
set -- $(tail -1 $B/said)
if [ "$1" -gt 3000 ] && [ "$3" -gt 5000 ]; then pass; else fail "layers.pl finds only $1 names and $3 references"; fi

# seeded MESSAGE LAYER TEXT...: a header with these lines in the implementation of a layer gets that message
cp $H $B/seeded.h
: >$B/messages
seeded() {
    echo "$1" >>$B/messages
    layer=$2
    shift 2
    printf '%s\n' "$@" >$B/lines
    awk -v mark="/* ===== >>$layer " -v lines=$B/lines '{ print }
        index($0, mark) == 1 && !after && seen { while ((getline line <lines) > 0) print line; after = 1 }
        /The interface ends here/ { seen = 1 }' $B/seeded.h >$B/next.h
    mv $B/next.h $B/seeded.h
}
seeded 'tree uses function csspgo_tracker_free of track, in or behind csspgo__seed_call' tree \
    'static void csspgo__seed_call(csspgo_profile *p)' '{' '    csspgo_tracker_free(p);' '}'
seeded 'base uses type csspgo_node of tree' base 'typedef struct csspgo__seed {' '    csspgo_node node;' '} csspgo__seed;'
seeded 'graph uses macro CSSPGO__NODE_EXPECTED of tree' graph '#define CSSPGO__SEED(p, n) CSSPGO__NODE_EXPECTED(p, n)'
seeded 'edit uses constant CSSPGO__AREAS of code' edit 'enum { CSSPGO__SEED_CONSTANT = CSSPGO__AREAS };'
seeded 'match uses function csspgo_ctx_free of ctxprof' match \
    'static void csspgo__seed_chapter(void *c)' '{' '    csspgo_ctx_free(c);' '}'
seeded 'type csspgo__ordered stands in two layers: base .*, match' match 'struct csspgo__ordered {' '    int x;' '};'
seeded 'csspgo__seed_drop takes a record away from a node' edit \
    'static void csspgo__seed_drop(csspgo__tree_node *n)' '{' '    n->record = 0;' '}'
seeded 'csspgo__seed_count counts dropped records' tree \
    'static void csspgo__seed_count(csspgo_profile *p)' '{' '    p->dead += 2;' '}'
seeded 'layer seed is not in the table' code '/* ===== >>seed ===== */' '/* ===== >>code ===== */'
if perl layers.pl $B/seeded.h >$B/said; then fail "layers.pl finds no mistake"; else pass; fi
while read -r message; do
    if grep -q "$message" $B/said; then pass; else fail "layers.pl does not find: $message"; fi
done <$B/messages
if [ "$(wc -l <$B/said)" -eq $(($(wc -l <$B/messages) + 1)) ]; then pass; else fail "layers.pl finds more"; cat $B/said; fi
finish
