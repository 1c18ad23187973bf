/* debug_find.c - the separate file that has a program's debug information */
#include "debug_info.h"

/* CRC-32 as .gnu_debuglink has it (IEEE 802.3, reflected). */
static uint32_t crc32_of(const unsigned char *p, size_t size)
{
    uint32_t table[256], crc = 0xffffffff, i;
    int k;
    for (i = 0; i < 256; i++) {
        table[i] = i;
        for (k = 0; k < 8; k++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    for (; size != 0; size--) crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
    return ~crc;
}

static int crc_fits(const char *path, uint32_t crc)
{
    file_bytes f;
    int ok;
    if (!file_open_named(path, &f)) return 0;
    ok = crc32_of(f.data, f.size) == crc;
    file_close(&f);
    return ok;
}

static int by_build_id(const elf_image *e, char *path, size_t size)
{
    static const char place[] = "/usr/lib/debug/.build-id/";
    size_t n, i, at = sizeof place - 1;
    const unsigned char *id = elf_build_id(e, &n);
    if (id == NULL || n < 2 || at + 2 * n + sizeof "/.debug" > size) return 0;
    memcpy(path, place, sizeof place);
    for (i = 0; i < n; i++) at += (size_t)sprintf(path + at, i == 0 ? "%02x/" : "%02x", id[i]);
    strcpy(path + at, ".debug");
    return access(path, R_OK) == 0;
}

/* A link names a file and its checksum. It lies beside the program, in .debug there, or below /usr/lib/debug. */
static int by_link(const elf_image *e, const char *binary, char *path, size_t size)
{
    static const char *const places[] = { "%.*s%s", "%.*s.debug/%s", "/usr/lib/debug%.*s%s" };
    const char *const slash = strrchr(binary, '/'), *name;
    char *real = NULL;
    elf_section s;
    size_t n, i;
    uint32_t crc;
    int found = 0;
    if (!elf_section_named(e, ".gnu_debuglink", &s) || s.contents == NULL || s.compressed || s.size < 8) return 0;
    name = (const char *)s.contents;
    n = strnlen(name, (size_t)s.size - 4);
    if (n == 0 || (n | 3) + 1 > s.size - 4 || memchr(name, '/', n) != NULL) return 0;
    crc = elf__32(s.contents + s.size - 4);
    for (i = 0; !found && i < sizeof places / sizeof *places; i++) {
        const char *directory = slash != NULL ? binary : "";
        int length = slash != NULL ? (int)(slash - binary) + 1 : 0;
        if (i == 2) {
            real = realpath(binary, NULL);
            if (real == NULL) break;
            directory = real;
            length = (int)(strrchr(real, '/') - real) + 1;
        }
        found = (size_t)snprintf(path, size, places[i], length, directory, name) < size && crc_fits(path, crc);
    }
    free(real);
    return found;
}

int debug_info_find(const elf_image *e, const char *binary, char *path, size_t size)
{
    return by_build_id(e, path, size) || by_link(e, binary, path, size);
}
