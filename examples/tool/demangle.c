/* demangle.c - mangled names: what all parts share, whole names, names of Rust */
#include "demangle.h"

uint32_t dm_fail(demangler *d)
{
    d->failed = 1;
    return 0;
}

uint32_t dm_new(demangler *d, dm_kind kind, uint32_t a, uint32_t b)
{
    dm_node *n;
    if (d->failed || d->nodes == DM_NODES) return dm_fail(d);
    n = &d->node[d->nodes];
    memset(n, 0, sizeof *n);
    n->kind = (unsigned char)kind;
    n->a = a;
    n->b = b;
    return d->nodes++;
}

uint32_t dm_text(demangler *d, dm_kind kind, const char *text, size_t size)
{
    const uint32_t n = dm_new(d, kind, 0, 0);
    d->node[n].text = text;
    d->node[n].size = (uint32_t)size;
    return n;
}

uint32_t dm_constant(demangler *d, const char *text)
{
    return dm_text(d, DM_NAME, text, strlen(text));
}

char dm_at(const demangler *d, size_t i)
{
    return i < (size_t)(d->end - d->p) ? d->p[i] : '\0';
}

int dm_take(demangler *d, const char *text)
{
    const size_t n = strlen(text);
    if ((size_t)(d->end - d->p) < n || memcmp(d->p, text, n) != 0) return 0;
    d->p += n;
    return 1;
}

int dm_enter(demangler *d)
{
    if (d->depth == DM_DEPTH) return dm_fail(d), 0;
    d->depth++;
    return 1;
}

uint32_t dm_leave(demangler *d, uint32_t node)
{
    d->depth--;
    return d->failed ? 0 : node;
}

size_t dm_number(demangler *d, const char **text)
{
    *text = d->p;
    while (dm_at(d, 0) >= '0' && dm_at(d, 0) <= '9') d->p++;
    return (size_t)(d->p - *text);
}

void dm_push(demangler *d, uint32_t node)
{
    if (d->failed) return;
    if (d->subs == DM_SUBS) dm_fail(d);
    else d->sub[d->subs++] = node;
}

/* ----- Rust ------------------------------------------------------------------------------------------------------- */

/* 1 if the last part of a nested name is the hash that rustc puts there: 17h and 16 digits. */
static int is_rust(const char *name, size_t size)
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

static void rust_old_path(demangler *d)
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

/* ----- whole names ------------------------------------------------------------------------------------------------ */

static void dm_run(demangler *d, const char *name, size_t size)
{
    uint32_t top;
    if (is_rust(name, size)) {
        d->p = name + 3;
        rust_old_path(d);
        return;
    }
    d->p = name + 2;
    if (name[1] == 'R') {
        dm_rust(d);
        return;
    }
    top = dm_encoding(d);
    if (dm_at(d, 0) == '.') {
        const uint32_t n = dm_text(d, DM_SUFFIXED, d->p, (size_t)(d->end - d->p));
        d->node[n].a = top;
        d->p = d->end;
        top = n;
    }
    if (d->p != d->end) dm_fail(d);
    if (!d->failed) dm_print(d, top);
}

size_t demangle(const char *name, size_t size, char *out, size_t cap)
{
    demangler *d;
    size_t n;
    if (size < 3 || size > DEMANGLE_MOST || name[0] != '_' || (name[1] != 'Z' && name[1] != 'R')) return 0;
    d = (demangler *)malloc(sizeof *d);
    if (d == NULL) return 0;
    memset(d, 0, offsetof(demangler, sub));
    memset(&d->node[0], 0, sizeof d->node[0]);
    d->nodes = 1;
    d->end = name + size;
    d->out = out;
    d->cap = cap < DEMANGLE_MOST ? cap : DEMANGLE_MOST;
    d->pack_count = UINT32_MAX;
    d->open = 1;
    dm_run(d, name, size);
    n = d->failed ? 0 : d->size;
    free(d);
    return n;
}

/* Takes ".__uniq.N" out of a name. Returns its size. */
static size_t without_uniq(const char *name, size_t size, char *out)
{
    size_t i, n = 0;
    for (i = 0; i < size; i++) {
        if (size - i > 8 && memcmp(name + i, ".__uniq.", 8) == 0 && name[i + 8] >= '0' && name[i + 8] <= '9') {
            for (i += 8; i < size && name[i] >= '0' && name[i] <= '9'; i++) continue;
            i--;
        } else out[n++] = name[i];
    }
    return n;
}

size_t demangle_clean(const char *name, size_t size, char *out, size_t cap)
{
    char *plain = (char *)malloc(size + 1);
    size_t n, used = 0;
    if (plain == NULL || cap == 0) return free(plain), 0;
    n = without_uniq(name, size, plain);
    used = demangle(plain, n, out, cap);
    if (used == 0) {
        used = n < cap ? n : cap;
        memcpy(out, plain, used);
    }
    free(plain);
    return used;
}
