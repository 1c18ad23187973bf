# ctx_ir.awk - LLVM IR after pseudo-probe and pgo-instr-gen -> a table that ctx_table.h reads: for each function
#     function NAME COUNTERS CHECKSUM IDENTIFIER      the MD5 of the last one is the GUID: file;name where it is local
#     block COUNTER PROBE     in order; -: none. A block of an edge that was split has no probe
#     edge FROM TO            numbers of blocks, from 0
#     site PROBE TARGET       in order of call sites; probe as a discriminator; -: an indirect call
# It reads the file twice: call probes stand in debug locations, behind the functions.
function field(s, before, after,    i) {          # what stands between two strings
    i = index(s, before)
    if (i == 0) return ""
    s = substr(s, i + length(before))
    i = after == "" ? 0 : index(s, after)
    return i == 0 ? s : substr(s, 1, i - 1)
}
function number_of(s) {                           # "12, ..." is !12
    sub(/[^0-9].*/, "", s)
    return "!" s
}
function labels(s,    i) {                        # edges to all blocks that a line names
    while ((i = index(s, "label %")) != 0) {
        s = substr(s, i + 7)
        match(s, /^("[^"]*"|[-a-zA-Z$._0-9]+)/)
        to[++edges] = substr(s, 1, RLENGTH)
        from[edges] = blocks
    }
}
function block(name) {
    number[name] = ++blocks
    counter[blocks] = probe[blocks] = "-"
}
/^source_filename = / { file = field($0, "\"", "\"") }
NR == FNR {
    if (/^!.*discriminator: /) at[$1] = field($0, "discriminator: ", ")")
    if (/^!.*DILocation\(/) scope[$1] = number_of(field($0, "scope: !", ""))
    if (/^![0-9]+ = !\{i64 -?[0-9]+, i64 -?[0-9]+, !"/) checksum[field($0, "!\"", "\"")] = field($0, ", i64 ", ",")
    next
}
/^define / {
    name = $0
    is_local = $0 ~ /^define (internal|private) /
    sub(/^[^@]*@"?/, "", name)
    sub(/"?\(.*/, "", name)
    inside = 1
    blocks = edges = sites = counters = 0
    split("", number)
    block("entry of " name)
    next
}
!inside { next }
/^}/ {
    if (counters != 0) {
        print "function", name, counters, checksum[name], (is_local ? file ";" : "") name
        for (i = 1; i <= blocks; i++) print "block", counter[i], probe[i]
        for (i = 1; i <= edges; i++) print "edge", from[i] - 1, number[to[i]] - 1
        for (i = 0; i < sites; i++) print "site", site[i], target[i]
    }
    inside = 0
    next
}
/^("[^"]*"|[-a-zA-Z$._0-9]+):/ {
    label = $0
    match(label, /^("[^"]*"|[-a-zA-Z$._0-9]+)/)
    block(substr(label, 1, RLENGTH))
    next
}
/@llvm\.pseudoprobe\(/ { if (probe[blocks] == "-") probe[blocks] = field($0, ", i64 ", ","); next }
/@llvm\.instrprof\.increment\(/ {
    split(field($0, "(", ")"), part, /, i(64|32) /)
    counter[blocks] = part[4]
    counters = part[3]
    next
}
/@llvm\.instrprof\.callsite\(/ {
    split(field($0, "(", ")"), part, /, (i64|i32|ptr) /)
    next_site = part[4]
    sites = next_site + 1
    target[next_site] = part[5] ~ /^@/ ? substr(part[5], 2) : "-"
    gsub(/"/, "", target[next_site])
    site[next_site] = "-"
    waiting = 1
    next
}
waiting && / (call|invoke) / { waiting = 0; open = next_site; in_call = 1 }
in_call && /!dbg / {
    d = number_of(field($0, "!dbg !", ""))
    if (scope[d] in at) site[open] = at[scope[d]]
    in_call = 0
}
/^  (br|switch|indirectbr|callbr) / || /^    i[0-9]+ .*, label %/ || / unwind label %/ || /^ +to label %/ { labels($0) }
