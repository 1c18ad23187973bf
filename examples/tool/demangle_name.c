/* demangle_name.c - mangled names: functions, scopes, operators, special names */
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
static int sequence(demangler *d, size_t *value)
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
    if (!sequence(d, &value) || value >= d->subs) return dm_fail(d);
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

static uint32_t dm_operator(demangler *d, dm_state *state)
{
    static const char table[][14] = {
        "aN&=", "aS=", "aa&&", "ad&", "an&", "cl()", "cm,", "co~", "dV/=", "da delete[]", "de*", "dl delete", "dv/",
        "eO^=", "eo^", "eq==", "ge>=", "gt>", "ix[]", "lS<<=", "le<=", "ls<<", "lt<", "mI-=", "mL*=", "mi-", "ml*",
        "mm--", "na new[]", "ne!=", "ng-", "nt!", "nw new", "oR|=", "oo||", "or|", "pL+=", "pl+", "pm->*", "pp++",
        "ps+", "pt->", "qu?", "rM%=", "rS>>=", "rm%", "rs>>", "ss<=>", "aw co_await"
    };
    const char x = dm_at(d, 0), y = dm_at(d, 1);
    uint32_t n;
    size_t i;
    if (dm_take(d, "cv")) {
        if (state != NULL) state->plain_return = 1;
        n = dm_type(d);
        return dm_new(d, DM_CONVERSION, n, 0);
    }
    if (dm_take(d, "li")) {
        n = dm_source_name(d);
        d->node[n].kind = DM_PREFIXED;
        i = dm_new(d, DM_NAME, 0, 0);
        d->node[i].text = d->node[n].text, d->node[i].size = d->node[n].size;
        n = dm_text(d, DM_PREFIXED, "operator\"\" ", 11);
        d->node[n].a = (uint32_t)i;
        return n;
    }
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        if (x != table[i][0] || y != table[i][1]) continue;
        d->p += 2;
        n = dm_text(d, DM_PREFIXED, "operator", 8);
        d->node[n].a = dm_constant(d, table[i] + 2);
        return n;
    }
    return dm_fail(d);
}

/* "Ut", "Ul": a type, or a lambda, that has no name. */
static uint32_t dm_unnamed(demangler *d)
{
    const int lambda = d->lambda;
    const char *digits;
    size_t size;
    uint32_t n, list = 0;
    if (dm_take(d, "Ul")) {
        uint32_t last = 0;
        d->lambda = 1 + (int)d->levels;
        if (!dm_take(d, "v"))
            do last = dm_append(d, &list, last, dm_type(d));
            while (!d->failed && dm_at(d, 0) != 'E');
        d->lambda = lambda;
        if (!dm_take(d, "E")) return dm_fail(d);
        n = dm_new(d, DM_LAMBDA, list, 0);
    } else if (dm_take(d, "Ut")) n = dm_new(d, DM_UNNAMED, 0, 0);
    else return dm_fail(d);
    size = dm_number(d, &digits);
    d->node[n].text = digits;
    d->node[n].size = (uint32_t)size;
    return dm_take(d, "_") ? n : dm_fail(d);
}

/* A constructor or destructor of the class; that is spelt out if it is std::string or the like. */
static uint32_t dm_ctor(demangler *d, uint32_t *scope, dm_state *state)
{
    const int dtor = dm_at(d, 0) == 'D';
    const char x = dm_at(d, 1);
    if (*scope == 0 || x < '0' || x > '5') return dm_fail(d);
    d->p += 2;
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

static uint32_t dm_unqualified(demangler *d, dm_state *state, uint32_t scope)
{
    uint32_t n;
    char x;
    dm_take(d, "L");
    x = dm_at(d, 0);
    if (x >= '1' && x <= '9') n = dm_source_name(d);
    else if (x == 'U') n = dm_unnamed(d);
    else if (x == 'C' || (x == 'D' && dm_at(d, 1) != 'C')) n = dm_ctor(d, &scope, state);
    else n = dm_operator(d, state);
    n = dm_tags(d, n);
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
        n = dm_name(d, state);
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

/* ----- functions and special names -------------------------------------------------------------------------------- */

static void dm_call_offset(demangler *d)
{
    const char *digits;
    const int is_virtual = dm_take(d, "v");
    if (!is_virtual && !dm_take(d, "h")) dm_fail(d);
    dm_take(d, "n");
    dm_number(d, &digits);
    if (is_virtual) {
        if (!dm_take(d, "_")) dm_fail(d);
        dm_take(d, "n");
        dm_number(d, &digits);
    }
    if (!dm_take(d, "_")) dm_fail(d);
}

static uint32_t dm_prefixed(demangler *d, const char *text, uint32_t of)
{
    const uint32_t n = dm_text(d, DM_PREFIXED, text, strlen(text));
    d->node[n].a = of;
    return n;
}

static uint32_t dm_special(demangler *d)
{
    uint32_t a, b;
    size_t ignored;
    const char *digits;
    if (dm_take(d, "TV")) return dm_prefixed(d, "vtable for ", dm_type(d));
    if (dm_take(d, "TT")) return dm_prefixed(d, "VTT for ", dm_type(d));
    if (dm_take(d, "TI")) return dm_prefixed(d, "typeinfo for ", dm_type(d));
    if (dm_take(d, "TS")) return dm_prefixed(d, "typeinfo name for ", dm_type(d));
    if (dm_take(d, "TW")) return dm_prefixed(d, "thread-local wrapper routine for ", dm_name(d, NULL));
    if (dm_take(d, "TH")) return dm_prefixed(d, "thread-local initialization routine for ", dm_name(d, NULL));
    if (dm_take(d, "GV")) return dm_prefixed(d, "guard variable for ", dm_name(d, NULL));
    if (dm_take(d, "Tc")) {
        dm_call_offset(d), dm_call_offset(d);
        return dm_prefixed(d, "covariant return thunk to ", dm_encoding(d));
    }
    if (dm_take(d, "TC")) {
        b = dm_type(d);
        dm_number(d, &digits);
        if (!dm_take(d, "_")) return dm_fail(d);
        a = dm_prefixed(d, "construction vtable for ", dm_type(d));
        d->node[a].b = b;
        return a;
    }
    if (dm_take(d, "GR")) {
        a = dm_name(d, NULL);
        if (!sequence(d, &ignored)) return dm_fail(d);
        return dm_prefixed(d, "reference temporary for ", a);
    }
    if (!dm_take(d, "T")) return dm_fail(d);
    b = dm_at(d, 0) == 'v';
    dm_call_offset(d);
    return dm_prefixed(d, b ? "virtual thunk to " : "non-virtual thunk to ", dm_encoding(d));
}

static int at_end(const demangler *d)
{
    return d->p == d->end || *d->p == 'E' || *d->p == '.' || *d->p == '_';
}

/* A name, with the types of its parameters if it is a function's. Parameters of templates outside are out of sight. */
uint32_t dm_encoding(demangler *d)
{
    uint32_t param[DM_PARAMS];
    const uint32_t params = d->params, levels = d->levels;
    uint32_t n, name, result = 0;
    dm_state state;
    if (!dm_enter(d)) return 0;
    if (dm_at(d, 0) == 'T' || dm_at(d, 0) == 'G') return dm_leave(d, dm_special(d));
    memcpy(param, d->param, params * sizeof *param);
    d->params = d->levels = 0;
    memset(&state, 0, sizeof state);
    name = n = dm_name(d, &state);
    if (!d->failed && !at_end(d)) {
        if (state.ends_with_args && !state.plain_return) result = dm_type(d);
        n = dm_new(d, DM_ENCODING, name, 0);
        result = d->failed ? 0 : result;
        d->node[n].b = dm_parameters(d);
        d->node[n].c = result;
        d->node[n].cv = state.cv;
        d->node[n].ref = state.ref;
    }
    memcpy(d->param, param, params * sizeof *param);
    d->params = params;
    d->levels = levels;
    return dm_leave(d, n);
}
