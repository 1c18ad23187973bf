# misuse.awk - calls of every public function for misuse.c, from what the preprocessor leaves of the interface, a
# declaration a line. For each function: a C function that calls it, and a row of a table: its name, that function, and a
# letter for each parameter (o object, s structs, p other pointer, t text, e error, n node, f function, - anything else).
function trim(s) { gsub(/^ +| +$/, "", s); return s }

# Of each struct a function that sets all its numbers to 1 and leaves its pointers NULL.
function field(text, type, part, n, i, name) {
    text = trim(text)
    if (text == "" || text ~ /\*|\(|\[/) return
    n = split(text, part, ",")
    type = trim(part[1])
    sub(/ [a-z_0-9A-Z]+$/, "", type)
    part[1] = substr(trim(part[1]), length(type) + 2)
    for (i = 1; i <= n; i++) {
        name = trim(part[i])
        if (name ~ /^\*|:/) continue
        if (type in filled) fill = fill "    fill_" type "(&s->" name ");\n"
        else if (type ~ /^(u?int[0-9]*_t|size_t|int|unsigned)$/) fill = fill "    s->" name " = 1;\n"
    }
}

/typedef struct csspgo_[a-z_0-9]+ \{/ {
    match($0, /csspgo_[a-z_0-9]+ \{/)
    struct = substr($0, RSTART, RLENGTH - 2)
    fill = ""
    field(substr($0, RSTART + RLENGTH))
    next
}
struct != "" && /\}/ {
    printf "static void fill_%s(void *p)\n{\n    %s *s = (%s *)p;\n    (void)s;\n%s}\n", struct, struct, struct, fill
    filled[struct] = 1
    struct = ""
    next
}
struct != "" { field($0); next }
/^ *typedef struct csspgo_[a-z_0-9]+ csspgo_[a-z_0-9]+ *$/ { opaque[$3] = 1; next }
/^ *static inline / || !/^ *extern csspgo_|^ *extern (const )?[a-z_0-9]+ / { next }
{
    text = trim($0)
    if (!match(text, /csspgo_[a-z0-9_A-Z]+ *\(/)) next
    name = substr(text, RSTART, RLENGTH - 1)
    inside = substr(text, RSTART + RLENGTH)
    sub(/\)[^)]*$/, "", inside)
    n = split(inside, part, ",")
    if (n == 1 && trim(part[1]) == "void") n = 0
    kinds = arguments = parameters = ""
    for (i = 1; i <= n; i++) {
        type = trim(part[i])
        word = type
        sub(/\[.*/, "", word)
        sub(/.*[ *]/, "", word)
        parameters = parameters (i > 1 ? "," : "") word
        if (type ~ /\[/) { sub(/\[.*/, "", type); sub(/ [a-z_0-9]+$/, " *", type) }
        else sub(/[a-z_0-9]+$/, "", type)
        type = trim(type)
        plain = type
        gsub(/const |struct |[ *]/, "", plain)
        if (type ~ /\* *\*/) { kind = "p"; value = "(" type ")(void *)buffer(" i - 1 ")" }
        else if (type !~ /\*/) {
            if (plain == "csspgo_node") { kind = "n"; value = "node(" i - 1 ")" }
            else if (plain == "csspgo_func") { kind = "f"; value = "func(" i - 1 ")" }
            else if (plain ~ /^(u?int[0-9]*_t|size_t|int|unsigned)$/) { kind = "-"; value = "(" type ")number(" i - 1 ")" }
            else { kind = "-"; value = "*(" type " *)zeros" }
        }
        else if (plain == "csspgo_error") { kind = "e"; value = "&error" }
        else if (plain ~ /_fn$/) { kind = "p"; value = "(" type ")callback(" i - 1 ")" }
        else if (plain == "csspgo_options") { kind = "-"; value = "NULL" }
        else if (plain in opaque && plain !~ /_(generation|ctx_cell|ctx_shard)$/) {
            kind = plain == "csspgo_ctx_root" ? "p" : "o"      # a root is its runtime's
            value = "(" plain " *)object(" i - 1 ", OF_" plain ")"
            seen[plain] = 1
        }
        else if (plain == "char") { kind = "t"; value = type ~ /const/ ? "text(" i - 1 ")" : "(char *)buffer(" i - 1 ")" }
        else if (plain in filled) { kind = "s"; value = "(" type ")structs(" i - 1 ", fill_" plain ")" }
        else { kind = "p"; value = "(" type ")buffer(" i - 1 ")" }
        kinds = kinds kind
        arguments = arguments (i > 1 ? ", " : "") value
    }
    printf "static void call_%d(void)\n{\n    %s(%s);\n}\n", ++count, name, arguments
    row = row sprintf("    { \"%s\", call_%d, \"%s\", \"%s\" },\n", name, count, kinds, parameters)
}
END {
    printf "static const struct row rows[] = {\n%s};\n", row
}
