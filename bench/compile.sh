# compile.sh CC FOLDER [SOURCE...], called by the Makefile: what compiling costs of the library and of other sources:
# seconds of the compiler (user, the least of RUNS), lines that the preprocessor leaves, bytes of the object (text of
# size(1)). Lines are those that are not empty, without system headers.
cc=$1 folder=$2
shift 2
# lines FILE FLAGS
lines() {
    "$cc" $2 -E "$1" | awk '/^# / { of_system = / 3( |$)/; next } !of_system && NF { n++ } END { print n + 0 }'
}
# seconds COMMAND...: the least of the runs
seconds() {
    for run in $(seq "${RUNS:-3}"); do
        sh -c '"$@" && times' sh "$@" | awk 'NR == 2 { split($1, t, /[ms]/); printf "%.2f\n", 60 * t[1] + t[2] }'
    done | sort -n | head -1
}
# row NAME SOURCE FLAGS
row() {
    object=$folder/compiled.o
    rm -f "$object"
    s=$(seconds "$cc" -O2 -w $3 -c -o "$object" "$2")
    [ -s "$object" ] || { echo "$2 does not compile" >&2; exit 1; }
    printf '| %s | %s s | %s | %s |\n' "$1" "$s" "$(lines "$2" "$3")" "$(size "$object" | awk 'NR == 2 { print $1 }')"
}
# unit NAME LINES: a source that includes the header
unit() { printf '%s\n#include "%s"\n' "$2" "$PWD/../csspgo.h" >"$folder/$1.c"; }
unit includer ''
unit includer_all '#define CSSPGO_ALL'
unit kernel '#define CSSPGO_IMPLEMENTATION'
unit all '#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL'
none='#define CSSPGO_NO_EXTBINARY
#define CSSPGO_NO_MATCH
#define CSSPGO_NO_MODULES
#define CSSPGO_NO_PREINLINE
#define CSSPGO_NO_PROBES
#define CSSPGO_NO_RUNTIME'
unit includer_none "$none"
unit kernel_none "#define CSSPGO_IMPLEMENTATION
$none"
echo "| | gcc -O2 | lines | bytes of text |"
echo "| --- | --- | --- | --- |"
row 'an includer, plain' "$folder/includer.c" -std=c99
row 'an includer of the kernel alone' "$folder/includer_none.c" -std=c99
row 'an includer of all' "$folder/includer_all.c" -std=c99
row 'a reader (`size_reader.c`)' size_reader.c -std=c99
row 'a JIT (`size_jit.c`)' size_jit.c -std=c99
row 'the kernel and the chapters that are on' "$folder/kernel.c" -std=c99
row 'the kernel alone' "$folder/kernel_none.c" -std=c99
row 'all' "$folder/all.c" -std=c99
for other; do row "${other##*/}" "$other"; done
