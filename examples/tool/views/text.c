/* text.c - text that grows */
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

/* Bytes as text: what is no visible character is written \xHH. */
void views_clean(views_text *t, const char *bytes, size_t size)
{
    size_t i, n;
    for (i = 0; i < size; i += n) {
        char escape[8];
        n = visible_size((const unsigned char *)bytes + i, size - i);
        if (n != 0) {
            views_add(t, bytes + i, n);
            continue;
        }
        snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
        views_say(t, escape);
        n = 1;
    }
}
