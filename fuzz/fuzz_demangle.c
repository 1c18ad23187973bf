/* fuzz_demangle.c - mangled names: bounded output, the same every time, and only for what begins with _Z; a base name
 * is a part of the name */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "fuzz.h"
#include "../examples/tool/demangle/demangle.c"
#include "../examples/tool/demangle/itanium.c"
#include "../examples/tool/demangle/rust.c"

/* The base name of a name lies in it. */
static void has_base_name(const char *name, size_t size)
{
    size_t base = 77;
    const char *at = csspgo_base_name(name, size, &base);
    if (at != NULL) REQUIRE(at >= name && base != 0 && at + base <= name + size);
    else REQUIRE(base == 0);
}

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
    has_base_name(name, size + 2);
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
