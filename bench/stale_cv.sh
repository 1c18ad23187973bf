#!/bin/sh
# stale_cv.sh WORKDIR: are ALIGN's constants tuned to a corpus? Leaves out one group of corpora at a time, takes the constants
# that give the others the best mean overlap (with and without classes), and shows the group that was left out with these.
here=$(cd "$(dirname "$0")" && pwd)
W=$1
mkdir -p "$W" && cd "$W" || exit 1
cc -std=c99 -O2 -o gen_stale "$here/gen_stale.c" || exit 1
for i in 1 2 3; do ./gen_stale $i 600 >own$i.txt; done
D=$here/../tests/data/stale
for margin in 32 64 128; do
    for rename in 20 40 80; do
        for hole in 5 10; do
        for calls in 0 32 64; do
            sed "s/CSSPGO__MARGIN = 64/CSSPGO__MARGIN = $margin/; s/CSSPGO__SCORE_RENAME = 40/CSSPGO__SCORE_RENAME = $rename/; s/CSSPGO__SCORE_BLOCK_HOLE = 10/CSSPGO__SCORE_BLOCK_HOLE = $hole/; s/CSSPGO__COST_CALLS = 32/CSSPGO__COST_CALLS = $calls/" "$here/../csspgo.h" >csspgo.h
            mkdir -p b && cp "$here/bench_match.c" b/ && cc -std=gnu99 -O2 -w -o bench_match b/bench_match.c -lm || exit 1
            for g in "corpus $D/bench/corpus.txt" "real $(echo $D/real/*.txt)" "boost $(echo $here/stale/*.txt)" "own own1.txt own2.txt own3.txt"; do
                set -- $g
                name=$1
                shift
                ./bench_match -s "$@" | awk -v g=$name -v p=$margin,$rename,$hole,$calls '$1 ~ /^align-/ { s += $4; n++ } END { printf "%s %s %.4f\n", p, g, s / n }'
            done
        done
        done
    done
done >scores
awk '{ v[$1, $2] = $3; p[$1]; g[$2] }
     END { printf "%-8s %-12s %10s %10s %10s\n", "left out", "chosen", "with it", "as shipped", "own best"
           for (out in g) { best = -1
               for (k in p) { s = 0; for (h in g) if (h != out) s += v[k, h]
                   if (s > best + 1e-9 || (s > best - 1e-9 && k == "64,40,10,32")) { best = s; c = k } }
               top = 0; for (k in p) if (v[k, out] > top) top = v[k, out]
               printf "%-8s %-12s %10.2f %10.2f %10.2f\n", out, c, v[c, out], v["64,40,10,32", out], top } }' scores
