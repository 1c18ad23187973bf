# table.awk - rows of stale_real.sh (name, seed, kind, instructions without a profile and with one, overlap of
# blocks and of blocks in contexts) as tables
function mean(p, k,  s, t) { for (s in seed) t += n[p, s, k]; return t / seeds }
function in_contexts(k) { return k != "off" && k != "llvm-u" }
function change(a, b) { return sprintf("%+.1f%%", 100 * (a / b - 1)) }
{
    none[$1] = $4; n[$1, $2, $3] = $5; o[$1, $2, $3] = $6; x[$1, $2, $3] = $7
    if (!($1 in seen)) { seen[$1]; name[++names] = $1 }
    if (!($3 in has)) { has[$3]; kind[++m] = $3 }
    if (!($2 in seed)) { seed[$2]; seeds++ }
}
END {
    printf "%-11s %9s |", "", "no prof."
    for (j = 1; j <= m; j++) printf " %8s", kind[j]
    printf " |"
    for (j = 2; j <= m; j++) printf " %6s", kind[j]
    printf " |"
    for (j = 2; j <= m; j++) if (kind[j] != "llvm-u") printf " %6s", kind[j]
    printf " |"
    for (j = 2; j <= m; j++) if (in_contexts(kind[j])) printf " %6s", kind[j]
    print ""
    for (i = 1; i <= names; i++) {
        p = name[i]
        printf "%-11s %8.2fM |", p, none[p] / 1e6
        for (j = 1; j <= m; j++) printf " %8s", change(mean(p, kind[j]), none[p])
        printf " |"
        gain = none[p] - mean(p, "fresh")
        counts = gain >= none[p] / 100
        gains += counts
        for (j = 2; j <= m; j++) {
            k = 100 * (none[p] - mean(p, kind[j])) / gain
            printf " %6s", counts ? sprintf("%.0f%%", k) : "-"
            if (counts) { all[kind[j]] += k; v[kind[j], gains] = share[kind[j], gains] = k }
            d = 100 * (mean(p, kind[j]) / mean(p, "off") - 1)
            worse[kind[j]] += d > 0.2
            if (d > worst[kind[j]]) worst[kind[j]] = d
            dl = mean(p, kind[j]) - mean(p, "llvm")
            beaten[kind[j]] += dl < 0
            for (s in seed) { e = 100 * (n[p, s, kind[j]] / n[p, s, "off"] - 1); bad[kind[j]] += e > 0.2 }
        }
        printf " |"
        for (j = 2; j <= m; j++) {
            if (kind[j] == "llvm-u") continue
            t = 0
            for (s in seed) t += o[p, s, kind[j]]
            blocks[kind[j]] += t / seeds
            printf " %5.1f%%", t / seeds
        }
        printf " |"
        for (j = 2; j <= m; j++) {
            if (!in_contexts(kind[j])) continue
            t = 0
            for (s in seed) t += x[p, s, kind[j]]
            contexts[kind[j]] += t / seeds
            printf " %5.1f%%", t / seeds
        }
        print ""
    }
    printf "\n%d pairs; of those where a fresh profile gains 1 %% or more (%d), kept; blocks: of all\n", names, gains
    for (j = 2; j <= m; j++) {
        k = kind[j]
        for (a = 1; a <= gains; a++) for (b = a; b > 1 && v[k, b - 1] > v[k, b]; b--) { t = v[k, b]; v[k, b] = v[k, b - 1]; v[k, b - 1] = t }
        capped = 0
        for (a = 1; a <= gains; a++) capped += v[k, a] < 100 ? v[k, a] : 100
        printf "%-7s kept: mean %.0f%% (each at most 100%%: %.0f%%), median %.0f%%, least %.0f%%; over 0.2%% more than off: %d (at most %.1f%%), of single recordings %d; fewer than llvm: %d",
               k, all[k] / gains, capped / gains, (v[k, int((gains + 1) / 2)] + v[k, int(gains / 2) + 1]) / 2, v[k, 1], worse[k], worst[k], bad[k], beaten[k]
        if (k != "llvm-u") printf "; blocks %.1f%%", blocks[k] / names
        if (in_contexts(k)) printf ", in contexts %.1f%%", contexts[k] / names
        print ""
    }
    for (a = 1; a <= gains; a++) {
        best = ""
        for (j = 2; j <= m; j++) {
            k = kind[j]
            if (k != "ours" && k !~ /^sure/) continue
            if (best == "" || all[k] - share[k, a] > all[best] - share[best, a]) best = k
            limits += a == 1
        }
        left_out += share[best, a]
        chosen = chosen " " best
    }
    if (limits > 1) printf "a limit for each pair that is best for the others:%s; kept: mean %.0f%%\n", chosen, left_out / gains
}
