/* demangle_name.c - mangled names: substitutions, scopes, constructors */
#include "demangle.h"

/* ----- substitutions ---------------------------------------------------------------------------------------------- */

static const struct special { char letter; const char *text, *spelt, *base; } specials[] = {
    { 'a', "std::allocator", "std::allocator", "allocator" },
    { 'b', "std::basic_string", "std::basic_string", "basic_string" },
    { 's', "std::string", "std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "basic_string" },
    { 'i', "std::istream", "std::basic_istream<char, std::char_traits<char>>", "basic_istream" },
    { 'o', "std::ostream", "std::basic_ostream<char, std::char_traits<char>>", "basic_ostream" },
    { 'd', "std::iostream", "std::basic_iostream<char, std::char_traits<char>>", "basic_iostream" }
};

/* Digits and capitals, a number to base 36, and "_"; *value is one more, 0 for nothing. Returns 0: it is not there. */
int dm_sequence(demangler *d, size_t *value)
{
    size_t v = 0;
    int any = 0;
    for (; dm_at(d, 0) != '_'; d->p++, any = 1) {
        const char c = dm_at(d, 0);
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')) || v > 100000) return 0;
        v = v * 36 + (size_t)(c <= '9' ? c - '0' : c - 'A' + 10);
    }
    d->p++;
    *value = any ? v + 1 : 0;
    return 1;
}

static uint32_t dm_tags(demangler *d, uint32_t n)
{
    while (dm_take(d, "B") && !d->failed) {
        const uint32_t name = dm_source_name(d), tagged = dm_text(d, DM_TAGGED, d->node[name].text, d->node[name].size);
        d->node[tagged].a = n;
        n = tagged;
    }
    return n;
}

uint32_t dm_substitution(demangler *d)
{
    size_t i, value;
    if (!dm_take(d, "S")) return dm_fail(d);
    for (i = 0; i < sizeof specials / sizeof *specials; i++) {
        uint32_t n, tagged;
        if (dm_at(d, 0) != specials[i].letter) continue;
        d->p++;
        n = dm_text(d, DM_SPECIAL_SUB, specials[i].text, strlen(specials[i].text));
        d->node[n].b = dm_constant(d, specials[i].spelt);
        d->node[n].c = dm_constant(d, specials[i].base);
        tagged = dm_tags(d, n);
        if (tagged != n) dm_push(d, tagged);
        return tagged;
    }
    if (!dm_sequence(d, &value) || value >= d->subs) return dm_fail(d);
    return d->sub[value];
}

/* ----- the last part of a name ------------------------------------------------------------------------------------ */

uint32_t dm_source_name(demangler *d)
{
    const char *digits, *text;
    size_t i, size = 0;
    const size_t n = dm_number(d, &digits);
    for (i = 0; i < n && size < 100000; i++) size = size * 10 + (size_t)(digits[i] - '0');
    if (size == 0 || size > (size_t)(d->end - d->p)) return dm_fail(d);
    text = d->p;
    d->p += size;
    if (size >= 10 && memcmp(text, "_GLOBAL__N", 10) == 0) return dm_constant(d, "(anonymous namespace)");
    return dm_text(d, DM_NAME, text, size);
}

/* A constructor or destructor of the class; that is spelt out if it is std::string or the like. */
static uint32_t dm_ctor(demangler *d, uint32_t *scope, dm_state *state)
{
    const int dtor = dm_at(d, 0) == 'D', inherited = !dtor && dm_at(d, 1) == 'I';
    const char x = dm_at(d, inherited ? 2 : 1);
    if (*scope == 0 || x < '0' || x > '5') return dm_fail(d);
    d->p += inherited ? 3 : 2;
    if (inherited) dm_name(d, state);
    if (state != NULL) state->plain_return = 1;
    if (d->node[*scope].kind == DM_SPECIAL_SUB) {
        const uint32_t n = dm_new(d, DM_SPECIAL_SUB, 0, 0);
        const dm_node *spelt = &d->node[d->node[*scope].b];
        d->node[n].text = spelt->text, d->node[n].size = spelt->size;
        d->node[n].b = d->node[*scope].b, d->node[n].c = d->node[*scope].c;
        *scope = n;
    }
    return dm_new(d, dtor ? DM_DTOR : DM_CTOR, *scope, 0);
}

/* DC NAME* E: the variables that one declaration takes a value apart into. */
static uint32_t dm_bindings(demangler *d)
{
    uint32_t list = 0, last = 0, n;
    while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, dm_source_name(d));
    n = dm_text(d, DM_BEHIND, "[", 1);
    if (d->failed || list == 0) return dm_fail(d);
    d->node[n].b = list;
    d->node[n].cv = 1;
    return n;
}

static uint32_t dm_unqualified(demangler *d, dm_state *state, uint32_t scope)
{
    const int is_friend = scope != 0 && dm_take(d, "F");
    uint32_t n;
    char x;
    dm_take(d, "L");
    x = dm_at(d, 0);
    if (x >= '1' && x <= '9') n = dm_source_name(d);
    else if (x == 'U') n = dm_unnamed(d, state);
    else if (dm_take(d, "DC")) n = dm_bindings(d);
    else if (x == 'C' || x == 'D') n = dm_ctor(d, &scope, state);
    else n = dm_operator_name(d, state);
    n = dm_tags(d, n);
    if (is_friend) {
        const uint32_t before = dm_text(d, DM_PREFIXED, "friend ", 7);
        d->node[before].a = n;
        n = before;
    }
    return scope != 0 ? dm_new(d, DM_NESTED, scope, n) : d->failed ? 0 : n;
}

/* ----- names with scopes ------------------------------------------------------------------------------------------ */

uint32_t dm_unscoped(demangler *d, dm_state *state, int *is_sub)
{
    uint32_t scope = 0;
    if (dm_take(d, "St")) scope = dm_constant(d, "std");
    else if (dm_at(d, 0) == 'S') return *is_sub = 1, dm_substitution(d);
    return dm_unqualified(d, state, scope);
}

/* One part of N...E behind what is there so far; *pushed: it is no new substitution. */
static uint32_t dm_nested_part(demangler *d, dm_state *state, uint32_t so_far, int *known)
{
    const char x = dm_at(d, 0);
    uint32_t args;
    if (state != NULL) state->ends_with_args = 0;
    if (x == 'T') return so_far == 0 ? dm_template_param(d) : dm_fail(d);
    if (x == 'D' && (dm_take(d, "DT") || dm_take(d, "Dt"))) return so_far == 0 ? dm_decltype(d) : dm_fail(d);
    if (x == 'I') {
        if (so_far == 0 || d->node[so_far].kind == DM_TEMPLATE) return dm_fail(d);
        args = dm_template_args(d, state != NULL);
        if (state != NULL) state->ends_with_args = 1;
        return dm_new(d, DM_TEMPLATE, so_far, args);
    }
    if (x == 'S') {
        if (so_far != 0) return dm_fail(d);
        *known = 1;
        return dm_take(d, "St") ? dm_constant(d, "std") : dm_substitution(d);
    }
    return dm_unqualified(d, state, so_far);
}

static uint32_t dm_nested(demangler *d, dm_state *state)
{
    uint32_t so_far = 0, before = d->subs;
    unsigned char cv = dm_qualifiers(d), ref = 0;
    int known = 0;
    if (dm_take(d, "O")) ref = DM_RVALUE;
    else if (dm_take(d, "R")) ref = DM_LVALUE;
    if (state != NULL) state->cv = cv, state->ref = ref;
    while (!d->failed && !dm_take(d, "E")) {
        known = 0;
        so_far = dm_nested_part(d, state, so_far, &known);
        if (!known) dm_push(d, so_far);
        dm_take(d, "M");
    }
    if (d->failed || so_far == 0 || known || d->subs == before) return dm_fail(d);
    d->subs--;                    /* the whole name is pushed by whoever may be one */
    return so_far;
}

static void dm_discriminator(demangler *d)
{
    const char *digits;
    if (dm_take(d, "__")) {
        if (dm_number(d, &digits) == 0 || !dm_take(d, "_")) dm_fail(d);
    } else if (dm_at(d, 0) == '_' && dm_at(d, 1) >= '0' && dm_at(d, 1) <= '9') d->p += 2;
}

/* The name of something in a function, where parameters of templates around the function are out of sight. */
static uint32_t dm_entity(demangler *d, dm_state *state)
{
    uint32_t level[DM_LEVELS], n;
    const uint32_t levels = d->levels, params = d->params;
    if (state != NULL) return dm_name(d, state);
    memcpy(level, d->level, sizeof level);
    d->levels = 0;
    n = dm_name(d, NULL);
    memcpy(d->level, level, sizeof level);
    d->levels = levels;
    d->params = params;
    return n;
}

/* Z FUNCTION E NAME: something in a function. */
static uint32_t dm_local(demangler *d, dm_state *state)
{
    const uint32_t function = dm_encoding(d);
    const char *digits;
    uint32_t n;
    if (!dm_take(d, "E")) return dm_fail(d);
    if (dm_take(d, "s")) {
        dm_discriminator(d);
        n = dm_constant(d, "string literal");
    } else {
        if (dm_take(d, "d")) {    /* in a default argument */
            dm_number(d, &digits);
            if (!dm_take(d, "_")) return dm_fail(d);
        }
        n = dm_entity(d, state);
        dm_discriminator(d);
    }
    return dm_new(d, DM_NESTED, function, n);
}

uint32_t dm_name(demangler *d, dm_state *state)
{
    uint32_t n, args;
    int is_sub = 0;
    if (!dm_enter(d)) return 0;
    if (dm_take(d, "N")) return dm_leave(d, dm_nested(d, state));
    if (dm_take(d, "Z")) return dm_leave(d, dm_local(d, state));
    n = dm_unscoped(d, state, &is_sub);
    if (dm_at(d, 0) == 'I') {
        if (!is_sub) dm_push(d, n);
        args = dm_template_args(d, state != NULL);
        if (state != NULL) state->ends_with_args = 1;
        n = dm_new(d, DM_TEMPLATE, n, args);
    } else if (is_sub) dm_fail(d);
    return dm_leave(d, n);
}
