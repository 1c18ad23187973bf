/* safe.c - text for people, without what a terminal would obey */
#include "tool.h"

/*
 * Bytes of the UTF-8 character at s that shows as itself, and that XML can hold; 0: none. Terminals obey what is in
 * U+0080 to U+009F, too, and some characters turn the text behind them around.
 */
size_t visible_size(const unsigned char *s, size_t left)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    uint32_t c = n < 2 ? s[0] : s[0] & (0x7fu >> n);
    size_t i;
    if (n == 0 || n > left) return 0;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff))) return 0;
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000)) return 0;
    if ((c >= 0x200b && c < 0x2010) || (c >= 0x2028 && c < 0x202f) || (c >= 0x2060 && c < 0x2070) || c == 0x61c)
        return 0;                                     /* unseen, or turns the text around */
    return (c & 0xfffe) == 0xfffe || c == 0xfeff || (c >= 0xfdd0 && c < 0xfdf0) ? 0 : n;
}

/* For people, so what a terminal would obey is escaped, byte by byte. */
void put_safe(const char *name, size_t n, FILE *out)
{
    const unsigned char *const s = (const unsigned char *)name;
    size_t i, k;
    for (i = 0; i < n; i += k) {
        k = visible_size(s + i, n - i);
        if (k == 1) putc(s[i], out);
        else if (k != 0) fwrite(s + i, 1, k, out);
        else fprintf(out, "\\x%02x", s[i]), k = 1;
    }
}
