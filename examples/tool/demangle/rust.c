/* rust.c - prints names of Rust as it reads them: the older scheme, and RFC 2603 ("_R..."), in the words of LLVM 19 */
#include "demangle.h"

typedef struct rust_name {
    demangler  *d;                /* p, end: what is left; out, size: what is made                   */
    const char *begin;            /* behind "_R": what back references count from                    */
    uint64_t    lifetimes;        /* bound by the binders around                                     */
    int         silent;           /* read, and not printed                                           */
} rust_name;

typedef struct rust_ident {
    const char *text;
    size_t      size;
    int         puny;             /* 1: in Punycode */
} rust_ident;

static int rust_path(rust_name *r, int in_type, int leave_open);
static void rust_type(rust_name *r);

/* ----- the older scheme ------------------------------------------------------------------------------------------- */

/* 1 if the last part of a nested name is the hash that rustc puts there: 17h and 16 digits. */
int dm_is_rust(const char *name, size_t size)
{
    size_t i;
    if (size < 25 || memcmp(name, "_ZN", 3) != 0 || name[size - 1] != 'E') return 0;
    if (memcmp(name + size - 20, "17h", 3) != 0) return 0;
    for (i = size - 17; i < size - 1; i++)
        if (!((name[i] >= '0' && name[i] <= '9') || (name[i] >= 'a' && name[i] <= 'f'))) return 0;
    return 1;
}

/* "$LT$" and the like. Returns how much of the text it is, 0: none; *c: the character. */
static size_t rust_escape(const char *p, const char *end, char *c)
{
    static const struct { const char *text; char c; } escapes[] = {
        { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' }, { "$GT$", '>' },
        { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' }
    };
    unsigned value = 0;
    size_t i;
    for (i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        const size_t n = strlen(escapes[i].text);
        if ((size_t)(end - p) >= n && memcmp(p, escapes[i].text, n) == 0) return *c = escapes[i].c, n;
    }
    if (end - p < 4 || p[1] != 'u') return 0;
    for (i = 2; i < (size_t)(end - p) && i < 6 && p[i] != '$'; i++) {
        const char x = p[i];
        if (!((x >= '0' && x <= '9') || (x >= 'a' && x <= 'f'))) return 0;
        value = value * 16 + (unsigned)(x <= '9' ? x - '0' : x - 'a' + 10);
    }
    if (i >= (size_t)(end - p) || p[i] != '$' || value < 0x20 || value > 0x7e) return 0;
    *c = (char)value;
    return i + 1;
}

static void rust_add(demangler *d, char c)
{
    if (d->size < d->cap) d->out[d->size++] = c;
    else d->failed = 1;
}

/* One part of a path. ".." stands for "::"; an underscore before an escape at the beginning is none of the name's. */
static void rust_part(demangler *d, const char *p, const char *end)
{
    if (end - p > 1 && p[0] == '_' && p[1] == '$') p++;
    while (p < end && !d->failed) {
        char c = *p;
        size_t n = *p == '$' ? rust_escape(p, end, &c) : 1;
        if (*p == '$' && n == 0) dm_fail(d);
        else if (end - p > 1 && p[0] == '.' && p[1] == '.') rust_add(d, ':'), rust_add(d, ':'), n = 2;
        else rust_add(d, c);
        p += n;
    }
}

void dm_rust_old(demangler *d)
{
    int parts = 0;
    while (!d->failed && dm_at(d, 0) != 'E') {
        const char *digits;
        size_t i, n = dm_number(d, &digits), size = 0;
        for (i = 0; i < n && size < 100000; i++) size = size * 10 + (size_t)(digits[i] - '0');
        if (n == 0 || size > (size_t)(d->end - d->p)) {
            dm_fail(d);
            return;
        }
        if (d->end - d->p - (ptrdiff_t)size > 1 || parts == 0) {   /* all but the last one, the hash */
            if (parts++ != 0) rust_add(d, ':'), rust_add(d, ':');
            rust_part(d, d->p, d->p + size);
        }
        d->p += size;
    }
}

/* ----- output ----------------------------------------------------------------------------------------------------- */

static void rust_byte(rust_name *r, char c)
{
    if (r->silent || r->d->failed) return;
    if (r->d->size < r->d->cap) r->d->out[r->d->size++] = c;
    else dm_fail(r->d);
}

static void rust_bytes(rust_name *r, const char *text, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) rust_byte(r, text[i]);
}

static void rust_say(rust_name *r, const char *text)
{
    rust_bytes(r, text, strlen(text));
}

static void rust_decimal(rust_name *r, uint64_t n)
{
    char digits[20];
    size_t k = sizeof digits;
    do digits[--k] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    rust_bytes(r, digits + k, sizeof digits - k);
}

/* ----- numbers and identifiers ------------------------------------------------------------------------------------ */

static uint64_t rust_base62(rust_name *r)
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

static uint64_t rust_tagged(rust_name *r, const char *tag)
{
    return dm_take(r->d, tag) ? rust_base62(r) + 1 : 0;
}

static rust_ident rust_identifier(rust_name *r)
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

static void rust_print_identifier(rust_name *r, const rust_ident *id)
{
    if (r->d->failed || r->silent) return;
    if (id->puny) rust_puny(r, id);
    else rust_bytes(r, id->text, id->size);
}

/* ----- what may stand anywhere ------------------------------------------------------------------------------------ */

/* Goes back to where a back reference points. Returns 0 if it is not to be followed; else *was is where to go on. */
static int rust_back(rust_name *r, const char **was)
{
    const char *const here = r->d->p - 1;
    const uint64_t n = rust_base62(r);
    if (r->d->failed || n >= (uint64_t)(here - r->begin)) return dm_fail(r->d), 0;
    if (r->silent) return 0;
    *was = r->d->p;
    r->d->p = r->begin + n;
    return 1;
}

static void rust_lifetime(rust_name *r, uint64_t index)
{
    char letter[3] = "'_";
    uint64_t depth;
    if (index > r->lifetimes) {
        dm_fail(r->d);
        return;
    }
    depth = r->lifetimes - index;
    if (index != 0) letter[1] = (char)(depth < 26 ? 'a' + (char)depth : 'z');
    rust_say(r, letter);
    if (index != 0 && depth >= 26) rust_decimal(r, depth - 25);
}

static void rust_binder(rust_name *r)
{
    uint64_t i, n = rust_tagged(r, "G");
    if (n == 0 || r->d->failed) return;
    if (n >= (uint64_t)(r->d->end - r->begin) - r->lifetimes) {
        dm_fail(r->d);
        return;
    }
    rust_say(r, "for<");
    for (i = 0; i < n; i++) {
        r->lifetimes++;
        rust_say(r, i != 0 ? ", " : "");
        rust_lifetime(r, 1);
    }
    rust_say(r, "> ");
}

/* One step into what may hold itself. 0: too deep, or too much work. */
static int rust_enter(rust_name *r)
{
    if (r->d->failed || ++r->d->steps > DM_STEPS) return dm_fail(r->d), 0;
    return dm_enter(r->d);
}

/* ----- constants -------------------------------------------------------------------------------------------------- */

/* Hexadecimal digits up to "_"; their value if there are at most 16. */
static uint64_t rust_hex(rust_name *r, const char **digits, size_t *size)
{
    demangler *const d = r->d;
    uint64_t n = 0;
    *digits = d->p;
    while (!d->failed && dm_at(d, 0) != '_') {
        const char c = dm_at(d, 0);
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) return dm_fail(d);
        n = n << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        d->p++;
    }
    *size = (size_t)(d->p - *digits);
    if (*size == 0 || (**digits == '0' && *size > 1) || !dm_take(d, "_")) return dm_fail(d);
    return n;
}

static void rust_constant_letter(rust_name *r, uint64_t c, const char *digits, size_t size)
{
    static const char from[] = "\t\r\n'\\", to[] = "trn'\\";
    const char *const escape = c != 0 && c < 0x80 ? strchr(from, (int)c) : NULL;
    rust_say(r, "'");
    if (escape != NULL) rust_byte(r, '\\'), rust_byte(r, to[escape - from]);
    else if (c >= 0x20 && c < 0x7f) rust_byte(r, (char)c);
    else rust_say(r, "\\u{"), rust_bytes(r, digits, size), rust_say(r, "}");
    rust_say(r, "'");
}

static void rust_constant(rust_name *r)
{
    demangler *const d = r->d;
    const char kind = dm_at(d, 0), *was, *digits = NULL;
    size_t size = 0;
    uint64_t n;
    if (!rust_enter(r)) return;
    if (kind != '\0') d->p++;
    if (kind == 'B') {
        if (rust_back(r, &was)) rust_constant(r), d->p = was;
    } else if (kind == 'p') rust_say(r, "_");
    else if (kind == '\0' || strchr("aslxnihtmyojbc", kind) == NULL) dm_fail(d);
    else {
        const int negative = strchr("bc", kind) == NULL && dm_take(d, "n");
        n = rust_hex(r, &digits, &size);
        if (negative) rust_say(r, "-");
        if (kind == 'b' && (n > 1 || size > 1)) dm_fail(d);
        else if (kind == 'b') rust_say(r, n != 0 ? "true" : "false");
        else if (kind == 'c' && size > 6) dm_fail(d);
        else if (kind == 'c') rust_constant_letter(r, n, digits, size);
        else if (size <= 16) rust_decimal(r, n);
        else rust_say(r, "0x"), rust_bytes(r, digits, size);
    }
    dm_leave(d, 0);
}

/* ----- types ------------------------------------------------------------------------------------------------------ */

/* The name of a type of one letter; NULL: it is none. */
static const char *rust_basic(char c)
{
    static const char names[] = "ai8 bbool cchar df64 estr ff32 hu8 iisize jusize li32 mu32 ni128 ou128 p_ si16 tu16 "
                                "u() v... xi64 yu64 z! ";
    const char *p;
    for (p = names; *p != '\0'; p += strcspn(p, " ") + 1)
        if (*p == c) return p + 1;
    return NULL;
}

static void rust_abi(rust_name *r)
{
    rust_ident id;
    size_t i;
    rust_say(r, "extern \"");
    if (dm_take(r->d, "C")) rust_say(r, "C");
    else {
        id = rust_identifier(r);
        if (id.puny) dm_fail(r->d);
        for (i = 0; i < id.size && !r->d->failed; i++) rust_byte(r, id.text[i] == '_' ? '-' : id.text[i]);
    }
    rust_say(r, "\" ");
}

static void rust_function(rust_name *r)
{
    const uint64_t lifetimes = r->lifetimes;
    int i;
    rust_binder(r);
    if (dm_take(r->d, "U")) rust_say(r, "unsafe ");
    if (dm_take(r->d, "K")) rust_abi(r);
    rust_say(r, "fn(");
    for (i = 0; !r->d->failed && !dm_take(r->d, "E"); i++) rust_say(r, i != 0 ? ", " : ""), rust_type(r);
    rust_say(r, ")");
    if (!dm_take(r->d, "u")) rust_say(r, " -> "), rust_type(r);
    r->lifetimes = lifetimes;
}

static void rust_dyn(rust_name *r)
{
    const uint64_t lifetimes = r->lifetimes;
    uint64_t lifetime;
    int i, open;
    rust_say(r, "dyn ");
    rust_binder(r);
    for (i = 0; !r->d->failed && !dm_take(r->d, "E"); i++) {
        rust_say(r, i != 0 ? " + " : "");
        for (open = rust_path(r, 1, 1); !r->d->failed && dm_take(r->d, "p"); open = 1) {
            rust_ident id;
            rust_say(r, open ? ", " : "<");
            id = rust_identifier(r);
            rust_print_identifier(r, &id);
            rust_say(r, " = ");
            rust_type(r);
        }
        if (open) rust_say(r, ">");
    }
    r->lifetimes = lifetimes;
    if (!dm_take(r->d, "L")) dm_fail(r->d);
    else if ((lifetime = rust_base62(r)) != 0) rust_say(r, " + "), rust_lifetime(r, lifetime);
}

static void rust_reference(rust_name *r, int is_mut)
{
    uint64_t lifetime = 0;
    rust_say(r, "&");
    if (dm_take(r->d, "L")) lifetime = rust_base62(r);
    if (lifetime != 0) rust_lifetime(r, lifetime), rust_say(r, " ");
    if (is_mut) rust_say(r, "mut ");
    rust_type(r);
}

static void rust_tuple(rust_name *r)
{
    int i;
    rust_say(r, "(");
    for (i = 0; !r->d->failed && !dm_take(r->d, "E"); i++) rust_say(r, i != 0 ? ", " : ""), rust_type(r);
    rust_say(r, i == 1 ? ",)" : ")");
}

static void rust_type(rust_name *r)
{
    demangler *const d = r->d;
    const char c = dm_at(d, 0), *basic = rust_basic(c), *was;
    if (!rust_enter(r)) return;
    if (c != '\0') d->p++;
    if (basic != NULL) rust_bytes(r, basic, strcspn(basic, " "));
    else if (c == 'A' || c == 'S') {
        rust_say(r, "["), rust_type(r);
        if (c == 'A') rust_say(r, "; "), rust_constant(r);
        rust_say(r, "]");
    } else if (c == 'P' || c == 'O') rust_say(r, c == 'P' ? "*const " : "*mut "), rust_type(r);
    else if (c == 'T') rust_tuple(r);
    else if (c == 'R' || c == 'Q') rust_reference(r, c == 'Q');
    else if (c == 'F') rust_function(r);
    else if (c == 'D') rust_dyn(r);
    else if (c == 'B') {
        if (rust_back(r, &was)) rust_type(r), d->p = was;
    } else if (c != '\0') d->p--, rust_path(r, 1, 0);
    else dm_fail(d);
    dm_leave(d, 0);
}

/* ----- paths ------------------------------------------------------------------------------------------------------ */

static void rust_nested(rust_name *r, int in_type)
{
    const char space = dm_at(r->d, 0);
    uint64_t number;
    rust_ident id;
    if (space != '\0') r->d->p++;
    if (!(space >= 'a' && space <= 'z') && !(space >= 'A' && space <= 'Z')) dm_fail(r->d);
    rust_path(r, in_type, 0);
    number = rust_tagged(r, "s");
    id = rust_identifier(r);
    if (space >= 'a') {
        if (id.size != 0) rust_say(r, "::"), rust_print_identifier(r, &id);
        return;
    }
    rust_say(r, "::{");
    if (space == 'C') rust_say(r, "closure");
    else if (space == 'S') rust_say(r, "shim");
    else rust_byte(r, space);
    if (id.size != 0) rust_say(r, ":"), rust_print_identifier(r, &id);
    rust_say(r, "#");
    rust_decimal(r, number);
    rust_say(r, "}");
}

/* <type>, or <type as trait>; the path of the implementation says nothing to people. */
static void rust_implementation(rust_name *r, char kind)
{
    const int silent = r->silent;
    if (kind != 'Y') {
        r->silent = 1;
        rust_tagged(r, "s");
        rust_path(r, 0, 0);
        r->silent = silent;
    }
    rust_say(r, "<");
    rust_type(r);
    if (kind != 'M') rust_say(r, " as "), rust_path(r, 1, 0);
    rust_say(r, ">");
}

static void rust_generic(rust_name *r, int in_type)
{
    int i;
    rust_path(r, in_type, 0);
    rust_say(r, in_type ? "<" : "::<");
    for (i = 0; !r->d->failed && !dm_take(r->d, "E"); i++) {
        rust_say(r, i != 0 ? ", " : "");
        if (dm_take(r->d, "L")) rust_lifetime(r, rust_base62(r));
        else if (dm_take(r->d, "K")) rust_constant(r);
        else rust_type(r);
    }
}

/* leave_open: generic arguments are not closed. Returns 1 if they are open. */
static int rust_path(rust_name *r, int in_type, int leave_open)
{
    demangler *const d = r->d;
    const char c = dm_at(d, 0), *was;
    rust_ident id;
    int open = 0;
    if (!rust_enter(r)) return 0;
    if (c != '\0') d->p++;
    if (c == 'C') {
        rust_tagged(r, "s");
        id = rust_identifier(r);
        rust_print_identifier(r, &id);
    } else if (c == 'M' || c == 'X' || c == 'Y') rust_implementation(r, c);
    else if (c == 'N') rust_nested(r, in_type);
    else if (c == 'I') {
        rust_generic(r, in_type);
        open = leave_open;
        if (!open) rust_say(r, ">");
    } else if (c == 'B') {
        if (rust_back(r, &was)) open = rust_path(r, in_type, leave_open), d->p = was;
    } else dm_fail(d);
    dm_leave(d, 0);
    return open;
}

void dm_rust(demangler *d)
{
    const char *const end = d->end, *const dot = (const char *)memchr(d->p, '.', (size_t)(end - d->p));
    rust_name r;
    memset(&r, 0, sizeof r);
    r.d = d;
    r.begin = d->p;
    if (dot != NULL) d->end = dot;
    rust_path(&r, 0, 0);
    r.silent = 1;
    if (!d->failed && d->p != d->end) rust_path(&r, 0, 0);   /* the crate that it was made for */
    r.silent = 0;
    if (d->p != d->end) dm_fail(d);
    if (dot == NULL) return;
    rust_say(&r, " (");
    rust_bytes(&r, dot, (size_t)(end - dot));
    rust_say(&r, ")");
}
