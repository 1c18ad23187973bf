# size.sh CC FOLDER: the bytes that two programs take of the library at -Os, without those of an empty program
cc=$1 folder=$2
echo 'int main(void) { return 0; }' >"$folder/empty.c"
"$cc" -Os -o "$folder/empty" "$folder/empty.c" || exit 1
# sections that size(1) counts as text: code and constants, and with them the unwind tables and what the linker adds
bytes() { size -A "$1" | awk '$1 ~ /^\.(text|rodata)/ { c += $2 } END { printf "%d ", c }'; size "$1" | awk 'NR == 2 { print $1 }'; }
read -r code text <<END
$(bytes "$folder/empty")
END
for program in reader jit; do
    "$cc" -std=c99 -Os -DNDEBUG -o "$folder/size_$program" "size_$program.c" || exit 1
    bytes "$folder/size_$program" | awk -v p=$program -v c="$code" -v t="$text" \
        '{ printf "size of a %-6s  %6.1f KB of code and constants, %6.1f KB of text in all\n", p, ($1 - c) / 1000, ($2 - t) / 1000 }'
done
