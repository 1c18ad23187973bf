/* demangle_rust_name.c - output, numbers and identifiers of Rust's newer scheme */
#include "demangle_rust.h"

void rust_byte(rust_name *r, char c)
{
    if (r->silent || r->d->failed) return;
    if (r->d->size < r->d->cap) r->d->out[r->d->size++] = c;
    else dm_fail(r->d);
}

void rust_bytes(rust_name *r, const char *text, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) rust_byte(r, text[i]);
}

void rust_say(rust_name *r, const char *text)
{
    rust_bytes(r, text, strlen(text));
}

void rust_decimal(rust_name *r, uint64_t n)
{
    char digits[20];
    size_t k = sizeof digits;
    do digits[--k] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    rust_bytes(r, digits + k, sizeof digits - k);
}

/* ----- numbers and identifiers ------------------------------------------------------------------------------------ */

uint64_t rust_base62(rust_name *r)
{
    demangler *const d = r->d;
    uint64_t n = 0;
    if (dm_take(d, "_")) return 0;
    while (!d->failed && !dm_take(d, "_")) {
        const char c = dm_at(d, 0);
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10
                               : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 36
                                                      : 62;
        if (digit == 62 || n > (UINT64_MAX - 62) / 62) return dm_fail(d);
        n = n * 62 + digit;
        d->p++;
    }
    return n + 1;
}

uint64_t rust_tagged(rust_name *r, const char *tag)
{
    return dm_take(r->d, tag) ? rust_base62(r) + 1 : 0;
}

rust_ident rust_identifier(rust_name *r)
{
    demangler *const d = r->d;
    rust_ident id;
    const char *digits;
    size_t n, i;
    id.size = 0;
    id.puny = dm_take(d, "u");
    n = dm_at(d, 0) == '0' ? (digits = d->p++, (size_t)1) : dm_number(d, &digits);
    for (i = 0; i < n && id.size <= DEMANGLE_MOST; i++) id.size = id.size * 10 + (size_t)(digits[i] - '0');
    dm_take(d, "_");
    id.text = d->p;
    if (n == 0 || id.size > (size_t)(d->end - d->p)) id.size = 0, dm_fail(d);
    for (i = 0; i < id.size; i++) {
        const char c = id.text[i];
        if (c != '_' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')) dm_fail(d);
    }
    d->p += id.size;
    return id;
}

static void rust_character(rust_name *r, uint32_t c)
{
    if (c < 0x80) rust_byte(r, (char)c);
    else if (c < 0x800) rust_byte(r, (char)(0xc0 | c >> 6)), rust_byte(r, (char)(0x80 | (c & 63)));
    else if (c < 0x10000) {
        rust_byte(r, (char)(0xe0 | c >> 12)), rust_byte(r, (char)(0x80 | (c >> 6 & 63)));
        rust_byte(r, (char)(0x80 | (c & 63)));
    } else {
        rust_byte(r, (char)(0xf0 | c >> 18)), rust_byte(r, (char)(0x80 | (c >> 12 & 63)));
        rust_byte(r, (char)(0x80 | (c >> 6 & 63))), rust_byte(r, (char)(0x80 | (c & 63)));
    }
}

/* The distance to the next insertion: a number whose digits have weights of their own (RFC 3492). 0: it ends early. */
static int puny_distance(const rust_ident *id, size_t *at, uint32_t bias, uint32_t *distance)
{
    uint32_t weight = 1, k;
    *distance = 0;
    for (k = 36; *at < id->size; k += 36) {
        const char c = id->text[(*at)++];
        const uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') + 26 : (uint32_t)(c - 'a');
        const uint32_t least = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (digit > 35 || (digit != 0 && weight > (UINT32_MAX / 2 - *distance) / digit)) return 0;
        *distance += digit * weight;
        if (digit < least) return 1;
        if (weight > UINT32_MAX / 2 / (36 - least)) return 0;
        weight *= 36 - least;
    }
    return 0;
}

static uint32_t puny_bias(uint32_t distance, uint32_t count, int first)
{
    uint32_t k = 0;
    distance = first ? distance / 700 : distance / 2;
    for (distance += distance / count; distance > 455; k += 36) distance /= 35;
    return k + 36 * distance / (distance + 38);
}

/* Other letters than ASCII's: those of ASCII, "_", and where the others are to be inserted. */
static void rust_puny(rust_name *r, const rust_ident *id)
{
    enum { MOST = 256 };
    uint32_t text[MOST], letter = 128, at = 0, bias = 72, distance, n = 0;
    size_t plain = id->size, k = 0;
    while (plain > 0 && id->text[plain - 1] != '_') plain--;
    if (plain > MOST || id->size > MOST) {
        dm_fail(r->d);
        return;
    }
    for (; n + 1 < plain; n++) text[n] = (unsigned char)id->text[n];
    for (k = plain; k < id->size; at++) {
        const int first = k == plain;
        if (!puny_distance(id, &k, bias, &distance)) {
            dm_fail(r->d);
            return;
        }
        bias = puny_bias(distance, n + 1, first);
        at += distance;
        letter += at / (n + 1);
        at %= n + 1;
        if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000)) {
            dm_fail(r->d);
            return;
        }
        memmove(text + at + 1, text + at, (n - at) * sizeof *text);
        text[at] = letter;
        n++;
    }
    for (at = 0; at < n; at++) rust_character(r, text[at]);
}

void rust_print_identifier(rust_name *r, const rust_ident *id)
{
    if (r->d->failed || r->silent) return;
    if (id->puny) rust_puny(r, id);
    else rust_bytes(r, id->text, id->size);
}
