/* demangle_rust.c - names of Rust's newer scheme, "_R...": RFC 2603, in the words of LLVM 19 */
#include "demangle_rust.h"

static int rust_path(rust_name *r, int in_type, int leave_open);
static void rust_type(rust_name *r);

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
