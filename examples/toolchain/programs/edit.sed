# What somebody changed after the profile was made: renamed functions, statements in front of hot calls, new checks.
# queue.c
s/\bless(/comes_before(/g
/^    int first = v\[0\]/s/$/\n    if (n <= 0) return -1;/
/sum = sum \* 31 + pop/s/^/        if (sum == 12345) printf("what a sum\\n");\n/
/^    while (n > 0) {/s/^/    if (x < 0) x = 0;\n/
# vm.c
s/\bcheck(/in_range(/g
/^static int step/,/^}/s/^    switch/    if (op > TRAP) return fault(5, pc);\n&/
/^static int get/,/^}/s/^    if/    if (r == 99) return fault(6, pc);\n&/
/^static void put/,/^}/s/^    if/    if (value == 12345) faults += 0;\n&/
# lz.c
s/\bhash(/slot_of(/g
/^static int pack/,/^}/s/^    while (i + 3 < size) {/    if (size < 4) return flush(0, 0, size);\n&/
/^static int length_of/,/^}/s/^    while/    if (a >= b) return 0;\n&/
/^static int flush/,/^}/s/^        n = to/        if (at < 0) errors++;\n&/
