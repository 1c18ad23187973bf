# interface.awk - rules that the public functions of csspgo.h keep (manual, CONVENTIONS); prints those that do not
#
#     order    object, inputs, how, options, outputs, err
#     number   at most 8 parameters
#     yes, no  a parameter that is 1 or 0 is uint32_t, not int
#     table    every function on a profile is in the manual's table FUNCTIONS ON A PROFILE, which names no other

# where a parameter stands; err is the last
function rank(p, i, name, after_output)
{
    if (p ~ /csspgo_error *\*/) return 5
    if (p ~ /^const csspgo_options *\*/) return 3
    if (p ~ /^const csspgo_[a-z_]*(_options|_costs) *\*/ || name ~ /^(form|flags|style)$/) return 2
    if (i == 1) return 0
    if (p ~ /\*/ && p !~ /^const / && p !~ inputs) return 4
    return after_output && name ~ /^(n|cap|count)$/ ? 4 : 1      # the length of an output
}

function check(text, part, n, i, name, last, r, was, word)
{
    gsub(/[ \t\n]+/, " ", text)
    if (!match(text, /csspgo_[a-z0-9_]+ *\(/)) return
    name = substr(text, RSTART, RLENGTH - 1)
    sub(/ *$/, "", name)
    text = substr(text, RSTART + RLENGTH)
    sub(/\) *(CSSPGO_[A-Z_]*)? *$/, "", text)
    functions++
    n = split(text, part, / *, */)
    if (n > 8) print name ": " n " parameters"
    was = 0
    for (i = 1; i <= n; i++) {
        word = part[i]
        sub(/.*[ *]/, "", word)
        sub(/\[.*/, "", word)
        if (part[i] ~ /^int [^*]/) print name ": " part[i] " is an int"
        r = rank(part[i], i, word, was == 4)
        if (r < was) print name ": " word " is not in order"
        was = r
    }
    if (part[1] ~ /^(const )?csspgo_profile *\*/ && !(name in table)) print name ": not in the table of the manual"
    made[name] = 1
}

BEGIN { inputs = "^csspgo_(line_table|ctx_runtime|code) *\\*" }      # objects that a call works with: sorted, registered

/^ \*     .* by purpose:$/ { listing = 1; next }
listing && /^ \* [^ ]/ { listing = 0 }
listing {
    line = $0
    while (match(line, /csspgo_[a-z_]+|, _[a-z]+/)) {
        word = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (word ~ /^,/) word = stem substr(word, 3)
        else {
            stem = word
            sub(/_[a-z]+$/, "", stem)
        }
        table[word] = 1
    }
    next
}
/^#if defined\(CSSPGO_IMPLEMENTATION\)/ { exit }
/^CSSPGO_DEF / { declaration = ""; inside = 1 }
inside {
    declaration = declaration " " $0
    if ($0 ~ /;/) {
        inside = 0
        sub(/;.*/, "", declaration)
        check(declaration)
    }
}
END {
    for (name in table) if (!(name in made)) print name ": is in the table of the manual only"
    if (functions < 200) print "only " functions " functions were found"
}
