#!/bin/sh
# demo.sh - makes data/demo.s: the demo program as assembly that GNU as takes, pseudo probes included
#
#   sh demo.sh [OUTPUT]               standard output if there is none; CLANG=clang-19 chooses the compiler
#
# clang prints a pseudo probe as a directive that only LLVM's assembler knows:
#
#   .pseudoprobe GUID ID TYPE ATTRIBUTES [DISCRIMINATOR] [@ GUID:SITE]... SYMBOL
#
# The list behind "@" is the inline stack, outermost first: the function a call stands in, and the call's probe id.
# The script puts a local label in its place and writes the section .pseudo_probe: per function symbol the probes as a
# tree of inlined functions, children in order of GUID and site, each probe's address as the distance to the label
# before it (the symbol itself for the first one), which the assembler computes. The section stands before the program:
# distances of labels that it has already seen GNU as 2.40 can write as numbers of more than 64 bits.
# GUIDs are 64-bit numbers, too long for awk's arithmetic: they are kept, compared and sorted as strings.
#
# The result depends on nothing but the source and the compiler's version: names of files and tools are left out.
set -eu
[ $# -eq 0 ] || exec > "$1"
cd "$(dirname "$0")"

${CLANG:-clang-19} --target=x86_64-linux-gnu -O2 -g1 -fdebug-info-for-profiling -fpseudo-probe-for-profiling \
    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls \
    -fPIE -fcf-protection=none -fno-stack-protector -fdebug-compilation-dir=. -Wall -Wextra -S -o - demo.c |
LC_ALL=C awk '
function fail(text) { print "demo.sh: line " NR ": " text > "/dev/stderr"; failed = 1; exit 1 }

# A decimal number of up to 20 digits so that strings compare like numbers.
function padded(number) { return substr("00000000000000000000", 1, 20 - length(number)) number }

# 2^64 - number, digit by digit: .quad prints large GUIDs as negative numbers.
function complement(number,    i, d, borrow, out) {
    number = padded(number)
    borrow = 0
    out = ""
    for (i = 20; i >= 1; i--) {
        d = substr("18446744073709551616", i, 1) - substr(number, i, 1) - borrow
        borrow = d < 0
        if (borrow) d += 10
        out = d out
    }
    sub(/^0+/, "", out)
    return out
}

# The node of that name below a parent: its children are listed in kids[parent] and counted in nkids[parent].
function child(parent, key,    node) {
    node = parent "/" key
    if (!(node in known)) {
        known[node] = 1
        kids[parent, ++nkids[parent]] = key
    }
    return node
}

# Writes one node and what is below it.
function emit(parent, key,    node, parts, foreign, i, k, t, order, n) {
    node = parent "/" key
    n = nkids[node] + 0
    for (i = 1; i <= n; i++) {                  # insertion sort: GUID, then site
        t = kids[node, i]
        for (k = i; k > 1 && order[k - 1] > t; k--) order[k] = order[k - 1]
        order[k] = t
    }
    split(key, parts, ":")                      # GUID:SITE, both padded; top-level nodes have no site
    sub(/^0+/, "", parts[1])
    if (parts[2] != "") print "\t.uleb128 " parts[2] + 0
    foreign = parts[2] == "" && guid_of[symbol] != parts[1]
    print "\t.quad\t" parts[1]
    print "\t.uleb128 " nprobes[node] + foreign "\n\t.uleb128 " n
    if (foreign) {
        if (!(symbol in guid_of)) fail("no descriptor for symbol " symbol)
        print "\t.byte\t0, 0x20\n\t.quad\t" guid_of[symbol]
    }
    for (i = 1; i <= nprobes[node]; i++) {
        print "\t.uleb128 " id[node, i] "\n\t.byte\t" tag[node, i]
        print "\t.sleb128 " label[node, i] "-" last
        if (discriminator[node, i] != 0) print "\t.uleb128 " discriminator[node, i]
        last = label[node, i]
    }
    for (i = 1; i <= n; i++) emit(node, order[i])
}

function finish(    s, i, k, t, n, order) {
    print "\t.section\t.pseudo_probe,\"\",@progbits"
    for (s = 1; s <= nsymbols; s++) {
        symbol = symbols[s]
        n = nkids[symbol] + 0
        for (i = 1; i <= n; i++) {
            t = kids[symbol, i]
            for (k = i; k > 1 && order[k - 1] > t; k--) order[k] = order[k - 1]
            order[k] = t
        }
        for (i = 1; i <= n; i++) {
            last = begin[symbol]                # every top-level record starts at its symbol
            emit(symbol, order[i])
        }
    }
}

# What says who compiled it and where, and what only LLVM reads.
/^[ \t]*\.(ident|addrsig|addrsig_sym)([ \t]|$)/ { next }
/^[ \t]*\.file[ \t]+[0-9]+/ { sub(/[ \t]+md5 0x[0-9a-f]+/, "") }
/^[ \t]*\.asciz[ \t].*clang version/ { sub(/".*"/, "\"clang\"") }

# Comments; the program has no string with this character.
{ sub(/[ \t]*#.*/, "") }
/^[ \t]*$/ { next }

/^[ \t]*\.section[ \t]/ { in_descriptors = $2 ~ /^\.pseudo_probe_desc/ }
in_descriptors && $1 == ".quad" { guid = hash; hash = $2 }      # GUID, then CFG checksum
in_descriptors && $1 == ".ascii" {
    name = $2
    gsub(/"/, "", name)
    guid_of[name] = guid ~ /^-/ ? complement(substr(guid, 2)) : guid
}

# A function symbol: a label of our own behind it, so that no distance is taken to a global symbol.
/^[A-Za-z_][A-Za-z0-9_.$]*:/ {
    name = $1
    sub(/:.*/, "", name)
    line[++nlines] = name ":"
    line[++nlines] = ".Lprobe_base" ++nbases ":"
    begin[name] = ".Lprobe_base" nbases
    next
}

$1 == ".pseudoprobe" {
    name = $NF
    if (!(name in begin)) fail("probe before its symbol " name)
    if (!(name in seen)) { seen[name] = 1; symbols[++nsymbols] = name }
    node = name
    site = ""
    for (i = 6; i < NF && $i != "@"; i++) { }   # $6 may be a discriminator
    value = $6 ~ /^[0-9]+$/ && i > 6 && NF > 6 ? $6 : 0
    for (; i < NF; i++) {
        if ($i == "@") continue
        if (split($i, frame, ":") != 2) fail("bad inline frame " $i)
        node = child(node, padded(frame[1]) (site == "" ? "" : ":" padded(site)))
        site = frame[2]
    }
    node = child(node, padded($2) (site == "" ? "" : ":" padded(site)))
    k = ++nprobes[node]
    id[node, k] = $3
    tag[node, k] = 128 + $4 + 16 * $5 + (value != 0 && int($5 / 4) % 2 == 0 ? 64 : 0)
    discriminator[node, k] = value
    label[node, k] = ".Lprobe" ++nlabels
    line[++nlines] = label[node, k] ":"
    next
}

{ line[++nlines] = $0 }
END {
    if (failed) exit 1
    print "# made by demo.sh from demo.c; do not edit"
    finish()
    for (i = 1; i <= nlines; i++) print line[i]
}
'
