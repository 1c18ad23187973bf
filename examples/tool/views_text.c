/* views_text.c - text that grows */
#include "views.h"

static int views_room(views_text *t, size_t n)
{
    size_t cap = t->cap != 0 ? t->cap : 256;
    char *data;
    if (t->failed) return 0;
    if (n <= t->cap - t->size) return 1;
    while (cap - t->size < n && cap <= SIZE_MAX / 2) cap *= 2;
    data = cap - t->size >= n ? (char *)realloc(t->data, cap) : NULL;
    if (data == NULL) {
        t->failed = 1;
        return 0;
    }
    t->data = data;
    t->cap = cap;
    return 1;
}

void views_add(views_text *t, const char *bytes, size_t n)
{
    if (n == 0 || !views_room(t, n)) return;
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
}

void views_say(views_text *t, const char *s)
{
    views_add(t, s, strlen(s));
}

/* A number in decimal, in groups of three if there is a separator. */
void views_number(views_text *t, uint64_t n, char separator)
{
    char digits[32];
    size_t at = sizeof digits, k = 0;
    do {
        if (separator != '\0' && k != 0 && k % 3 == 0) digits[--at] = separator;
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
        k++;
    } while (n != 0);
    views_add(t, digits + at, sizeof digits - at);
}

void views_hex(views_text *t, uint64_t n)
{
    char digits[24];
    snprintf(digits, sizeof digits, "0x%016llx", (unsigned long long)n);
    views_say(t, digits);
}

/* part * scale / whole for part <= whole, without overflow; scale < 2^20. 0 of 0 is 0. */
uint64_t views_scaled(uint64_t part, uint64_t whole, uint64_t scale)
{
    while (whole >= (uint64_t)1 << 44) {
        part >>= 1;
        whole >>= 1;
    }
    return whole == 0 ? 0 : part * scale / whole;
}

/* "12.34 %" */
void views_percent(views_text *t, uint64_t part, uint64_t whole)
{
    const uint64_t p = (views_scaled(part, whole, 100000) + 5) / 10;
    char digits[32];
    snprintf(digits, sizeof digits, "%u.%02u %%", (unsigned)(p / 100), (unsigned)(p % 100));
    views_say(t, digits);
}

uint64_t views_plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Bytes of the UTF-8 character at s that XML can hold and that shows as itself; 0: none. */
static size_t views_character(const unsigned char *s, size_t left)
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
    if ((c >= 0x200b && c < 0x2010) || (c >= 0x2028 && c < 0x202f) || (c >= 0x2060 && c < 0x2070))
        return 0;                                     /* unseen, or turns the text around */
    return (c & 0xfffe) == 0xfffe || c == 0xfeff || (c >= 0xfdd0 && c < 0xfdf0) ? 0 : n;
}

/* Bytes as text: what is no visible character is written \xHH. */
void views_clean(views_text *t, const char *bytes, size_t size)
{
    size_t i, n;
    for (i = 0; i < size; i += n) {
        char escape[8];
        n = views_character((const unsigned char *)bytes + i, size - i);
        if (n != 0) {
            views_add(t, bytes + i, n);
            continue;
        }
        snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
        views_say(t, escape);
        n = 1;
    }
}
