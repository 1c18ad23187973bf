/* fuzz_demangle.c - mangled names: bounded output, the same every time, and only for what begins with _Z */
#include "fuzz.h"
#include "../examples/tool/demangle.c"
#include "../examples/tool/demangle_name.c"
#include "../examples/tool/demangle_function.c"
#include "../examples/tool/demangle_operator.c"
#include "../examples/tool/demangle_lambda.c"
#include "../examples/tool/demangle_argument.c"
#include "../examples/tool/demangle_type.c"
#include "../examples/tool/demangle_expr.c"
#include "../examples/tool/demangle_operand.c"
#include "../examples/tool/demangle_print.c"
#include "../examples/tool/demangle_rust.c"
#include "../examples/tool/demangle_rust_name.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first[DEMANGLE_MOST + 1], again[DEMANGLE_MOST + 1];
    char *name = (char *)malloc(size + 3);
    size_t n, k;
    if (name == NULL) return 0;
    name[0] = '_';
    name[1] = 'Z';
    if (size != 0) memcpy(name + 2, data, size);
    first[DEMANGLE_MOST] = 1;
    n = demangle(name, size + 2, first, DEMANGLE_MOST);
    REQUIRE(n <= DEMANGLE_MOST && first[DEMANGLE_MOST] == 1);
    k = demangle(name, size + 2, again, DEMANGLE_MOST);
    REQUIRE(k == n && memcmp(first, again, n) == 0);
    if (n > 1) REQUIRE(demangle(name, size + 2, again, n - 1) == 0 && demangle(name, size + 2, again, n) == n);
    k = demangle_clean(name, size + 2, again, DEMANGLE_MOST);
    REQUIRE(k != 0 && k <= DEMANGLE_MOST);
    REQUIRE(demangle(name + 1, size + 1, again, DEMANGLE_MOST) == 0);
    free(name);
    return 0;
}
