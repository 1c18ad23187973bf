# size.sh CC FOLDER: the bytes that programs take of the library at -Os, without those of an empty program
cc=$1 folder=$2
echo 'int main(void) { return 0; }' >"$folder/empty.c"
# bytes FLAGS SOURCE: code and constants; and with them all else that size(1) counts as text: unwind tables, linker's parts
bytes() {
    "$cc" -std=c99 -Os -DNDEBUG $1 -o "$folder/size" "$2" || exit 1
    size -A "$folder/size" | awk '$1 ~ /^\.(text|rodata)/ { c += $2 } END { printf "%d ", c }'
    size "$folder/size" | awk 'NR == 2 { print $1 }'
}
# row NAME SOURCE FLAGS
row() {
    for tables in '' '-fno-asynchronous-unwind-tables -fno-unwind-tables'; do
        { bytes "$tables" "$folder/empty.c"; bytes "$3 $tables" "$2"; } | awk -v name="$1" -v tables="$tables" '
            { code = $1 - code; text = $2 - text }
            END { printf "size of %-28s  %5.1f KB of code and constants, %5.1f KB of text in all %s unwind tables\n",
                         name, code / 1000, text / 1000, tables != "" ? "without" : "with" }'
    done
}
row 'a reader' size_reader.c
row 'a JIT' size_jit.c
row 'a JIT with csspgo_estimate_blocks' size_jit.c -DESTIMATE
