/* fuzz_elf.c - any bytes as an ELF file: every section, segment and symbol that the reader gives lies in the file.
 * The same laws hold for an object file as linked, and for what becomes of a program of Windows. */
#include "../examples/pe.h"
#include "fuzz.h"

static int inside(const uint8_t *data, size_t size, const void *p, uint64_t n)
{
    const uint8_t *q = (const uint8_t *)p;
    return q >= data && q <= data + size && n <= (uint64_t)(data + size - q);
}

/* Names point into the file or at a constant of length 0. */
static int name_ok(const uint8_t *data, size_t size, const char *name, size_t n)
{
    return name != NULL && n <= ELF_NAME_LIMIT && (n == 0 || inside(data, size, name, n));
}

static int fuzz_elf(const uint8_t *data, size_t size)
{
    elf_image e, again;
    elf_section s, t;
    elf_segment g;
    elf_symbol y;
    char message[64];
    size_t id_size;
    const unsigned char *id;
    uint32_t i;
    message[0] = '\0';
    if (!elf_open(data, size, &e, message, sizeof message)) {
        REQUIRE(message[0] != '\0' && e.section_count == 0 && e.symbol_count == 0);
        REQUIRE(!elf_section_at(&e, 0, &s) && !elf_symbol_at(&e, 0, &y) && !elf_segment_at(&e, 0, &g));
        return 0;
    }
    REQUIRE(elf_open(data, size, &again, NULL, 0) && again.symbol_count == e.symbol_count &&
            again.symbols_at == e.symbols_at);
    REQUIRE((uint64_t)e.section_count * 64 <= size && (uint64_t)e.segment_count * 56 <= size &&
            (uint64_t)e.symbol_count * 24 <= size);
    for (i = 0; i < e.section_count; i++) {
        REQUIRE(elf_section_at(&e, i, &s) && s.index == i);
        REQUIRE(name_ok(data, size, s.name, s.name_size));
        REQUIRE(s.contents == NULL || inside(data, size, s.contents, s.size));
    }
    REQUIRE(!elf_section_at(&e, e.section_count, &s));
    for (i = 0; i < e.segment_count; i++) {
        REQUIRE(elf_segment_at(&e, i, &g));
        REQUIRE(g.contents == NULL || inside(data, size, g.contents, g.file_size));
    }
    for (i = 0; i < e.symbol_count; i++) {
        REQUIRE(elf_symbol_at(&e, i, &y));
        REQUIRE(name_ok(data, size, y.name, y.name_size));
    }
    REQUIRE(!elf_symbol_at(&e, e.symbol_count, &y));
    if (elf_section_named(&e, ".pseudo_probe", &s))
        REQUIRE(elf_section_at(&e, s.index, &t) && t.contents == s.contents);
    id = elf_build_id(&e, &id_size);
    REQUIRE(id == NULL || inside(data, size, id, id_size));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    elf_image e;
    char why[160] = "";
    unsigned char *linked;
    size_t n;
    fuzz_elf(data, size);
    if (pe_is(data, size)) {
        linked = pe_to_elf(data, size, &n, why, sizeof why);
        REQUIRE((linked != NULL) == (why[0] == '\0'));
        if (linked == NULL) return 0;
        REQUIRE(n <= 4 * size + 4096 && memcmp(linked + 64, data + 64, size - 64) == 0);
        fuzz_elf(linked, n);
        REQUIRE(elf_open(linked, n, &e, why, sizeof why) ? pe_was(&e) : strstr(why, "share names") != NULL);
        free(linked);
        return 0;
    }
    if (!elf_open(data, size, &e, NULL, 0) || e.type != ELF_REL) return 0;
    linked = elf_object_link(&e, &n, why, sizeof why);
    REQUIRE((linked != NULL) == (why[0] == '\0'));
    if (linked != NULL) fuzz_elf(linked, n);
    free(linked);
    return 0;
}
