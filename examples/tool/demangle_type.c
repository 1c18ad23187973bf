/* demangle_type.c - mangled names: types and arguments of templates */
#include "demangle.h"

uint32_t dm_append(demangler *d, uint32_t *first, uint32_t last, uint32_t item)
{
    const uint32_t n = dm_new(d, DM_LIST, item, 0);
    if (d->failed) return 0;
    if (last != 0) d->node[last].b = n;
    else *first = n;
    return n;
}

unsigned char dm_qualifiers(demangler *d)
{
    unsigned char cv = 0;
    if (dm_take(d, "r")) cv |= DM_RESTRICT;
    if (dm_take(d, "V")) cv |= DM_VOLATILE;
    if (dm_take(d, "K")) cv |= DM_CONST;
    return cv;
}

uint32_t dm_parameters(demangler *d)
{
    uint32_t list = 0, last = 0;
    if (dm_take(d, "v")) return 0;
    do last = dm_append(d, &list, last, dm_type(d));
    while (!d->failed && d->p != d->end && *d->p != 'E' && *d->p != '.' && *d->p != '_');
    return list;
}

/* T_, T0_ ...: an argument of the template; "auto" in the parameters of a generic lambda. */
uint32_t dm_template_param(demangler *d)
{
    const char *digits;
    size_t i, n, index = 0, level = 0;
    if (!dm_take(d, "T")) return dm_fail(d);
    if (dm_take(d, "L")) {
        n = dm_number(d, &digits);
        for (i = 0; i < n && level < 100; i++) level = level * 10 + (size_t)(digits[i] - '0');
        level++;
        if (n == 0 || !dm_take(d, "_")) return dm_fail(d);
    }
    n = dm_number(d, &digits);
    for (i = 0; i < n && index < 100000; i++) index = index * 10 + (size_t)(digits[i] - '0');
    if (n != 0) index++;
    if (!dm_take(d, "_")) return dm_fail(d);
    if (d->lambda != 0 && level + 1 == (size_t)d->lambda) return dm_constant(d, "auto");
    if (level != 0 || index >= d->params) return dm_fail(d);
    return d->param[index];
}

/* ----- arguments of templates ------------------------------------------------------------------------------------- */

static uint32_t dm_integer(demangler *d, uint32_t type, const char *suffix)
{
    const int negative = dm_take(d, "n");
    const char *digits;
    const size_t size = dm_number(d, &digits);
    const uint32_t n = dm_text(d, DM_INTEGER, digits, size), behind = suffix != NULL ? dm_constant(d, suffix) : 0;
    if (size == 0 || !dm_take(d, "E")) return dm_fail(d);
    d->node[n].cv = (unsigned char)negative;
    d->node[n].a = type;
    d->node[n].b = behind;
    return n;
}

/* L TYPE VALUE E */
uint32_t dm_literal(demangler *d)
{
    static const struct { char letter; const char *type, *suffix; } kinds[] = {
        { 'i', NULL, NULL }, { 'j', NULL, "u" }, { 'l', NULL, "l" }, { 'm', NULL, "ul" }, { 'x', NULL, "ll" },
        { 'y', NULL, "ull" }, { 'c', "char", NULL }, { 'a', "signed char", NULL }, { 'h', "unsigned char", NULL },
        { 'w', "wchar_t", NULL }, { 's', "short", NULL }, { 't', "unsigned short", NULL }, { 'n', "__int128", NULL },
        { 'o', "unsigned __int128", NULL }
    };
    uint32_t n;
    size_t i;
    if (dm_take(d, "b0E")) return dm_constant(d, "false");
    if (dm_take(d, "b1E")) return dm_constant(d, "true");
    if (dm_take(d, "DnE") || dm_take(d, "Dn0E")) return dm_constant(d, "nullptr");
    if (dm_take(d, "_Z") || dm_take(d, "Z")) {
        n = dm_encoding(d);
        return dm_take(d, "E") ? n : dm_fail(d);
    }
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (dm_at(d, 0) == kinds[i].letter) {
            d->p++;
            return dm_integer(d, kinds[i].type != NULL ? dm_constant(d, kinds[i].type) : 0, kinds[i].suffix);
        }
    if (dm_at(d, 0) == 'f' || dm_at(d, 0) == 'd' || dm_at(d, 0) == 'e' || dm_at(d, 0) == 'A') return dm_fail(d);
    n = dm_type(d);
    return dm_integer(d, n, NULL);
}

static uint32_t dm_template_arg(demangler *d)
{
    uint32_t list = 0, last = 0, n;
    if (!dm_enter(d)) return 0;
    if (dm_take(d, "L")) return dm_leave(d, dm_literal(d));
    if (dm_take(d, "J")) {
        while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, dm_template_arg(d));
        return dm_leave(d, dm_new(d, DM_PACK, list, 0));
    }
    if (dm_take(d, "Tn")) {       /* the type of the parameter, which is not printed */
        dm_type(d);
        return dm_leave(d, dm_template_arg(d));
    }
    if (dm_take(d, "Ty")) return dm_leave(d, dm_template_arg(d));
    if (dm_take(d, "X")) {
        n = dm_expression(d);
        return dm_leave(d, dm_take(d, "E") ? n : dm_fail(d));
    }
    return dm_leave(d, dm_type(d));
}

/* tagged: T_ stands for these arguments from now on. */
uint32_t dm_template_args(demangler *d, int tagged)
{
    uint32_t list = 0, last = 0;
    if (!dm_take(d, "I")) return dm_fail(d);
    if (tagged) d->params = 0, d->levels = 1;
    while (!d->failed && !dm_take(d, "E")) {
        uint32_t n = dm_template_arg(d);
        last = dm_append(d, &list, last, n);
        if (!tagged || d->failed) continue;
        if (d->params == DM_PARAMS) return dm_fail(d);
        if (d->node[n].kind == DM_PACK) n = dm_new(d, DM_PARAM_PACK, d->node[n].a, 0);
        d->param[d->params++] = n;
    }
    return list;
}

/* ----- types ------------------------------------------------------------------------------------------------------ */

/* The name of a type that is never a substitution; 0: it is another one. */
static const char *builtin(demangler *d)
{
    static const struct { char code[3]; const char *name; } names[] = {
        { "v", "void" }, { "w", "wchar_t" }, { "b", "bool" }, { "c", "char" }, { "a", "signed char" },
        { "h", "unsigned char" }, { "s", "short" }, { "t", "unsigned short" }, { "i", "int" }, { "j", "unsigned int" },
        { "l", "long" }, { "m", "unsigned long" }, { "x", "long long" }, { "y", "unsigned long long" },
        { "n", "__int128" }, { "o", "unsigned __int128" }, { "f", "float" }, { "d", "double" }, { "e", "long double" },
        { "g", "__float128" }, { "z", "..." }, { "Di", "char32_t" }, { "Ds", "char16_t" }, { "Du", "char8_t" },
        { "Da", "auto" }, { "Dc", "decltype(auto)" }, { "Dn", "std::nullptr_t" }, { "Dh", "half" },
        { "De", "decimal128" }, { "Dd", "decimal64" }, { "Df", "decimal32" }
    };
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (dm_take(d, names[i].code)) return names[i].name;
    return NULL;
}

/* F RESULT PARAMETERS E, or with what is before it. */
static uint32_t dm_function(demangler *d)
{
    unsigned char cv = dm_qualifiers(d), ref = 0;
    uint32_t n, result, list = 0, last = 0;
    if (dm_take(d, "Do")) cv |= DM_NOEXCEPT;
    dm_take(d, "Dx");
    if (!dm_take(d, "F")) return dm_fail(d);
    dm_take(d, "Y");
    result = dm_type(d);
    while (!d->failed && !dm_take(d, "E")) {
        if (dm_take(d, "v")) continue;
        if (dm_take(d, "RE")) ref = DM_LVALUE;
        else if (dm_take(d, "OE")) ref = DM_RVALUE;
        if (ref != 0) break;
        last = dm_append(d, &list, last, dm_type(d));
    }
    n = dm_new(d, DM_FUNCTION, result, list);
    d->node[n].cv = cv;
    d->node[n].ref = ref;
    return n;
}

static uint32_t dm_array(demangler *d)
{
    const char *digits;
    const size_t size = dm_number(d, &digits);
    uint32_t n;
    if (!dm_take(d, "_")) return dm_fail(d);
    n = dm_text(d, DM_ARRAY, digits, size);
    d->node[n].a = dm_type(d);
    return n;
}

static uint32_t dm_reference(demangler *d, unsigned char ref)
{
    const uint32_t to = dm_type(d), n = dm_new(d, DM_REFERENCE, to, 0);
    d->node[n].ref = ref;
    return n;
}

static uint32_t dm_qualified(demangler *d)
{
    const char *const begin = d->p;
    const unsigned char cv = dm_qualifiers(d);
    uint32_t to, n;
    if (dm_at(d, 0) == 'F' || (dm_at(d, 0) == 'D' && (dm_at(d, 1) == 'o' || dm_at(d, 1) == 'x')))
        return d->p = begin, dm_function(d);
    to = dm_type(d);
    n = dm_new(d, DM_QUALIFIED, to, 0);
    d->node[n].cv = cv;
    return n;
}

/* A parameter of the template, which may be a template itself. */
static uint32_t dm_param_type(demangler *d)
{
    uint32_t n, args;
    if (dm_take(d, "Ts") || dm_take(d, "Tu") || dm_take(d, "Te")) return dm_name(d, NULL);
    n = dm_template_param(d);
    if (dm_at(d, 0) != 'I') return n;
    dm_push(d, n);
    args = dm_template_args(d, 0);
    return dm_new(d, DM_TEMPLATE, n, args);
}

/* A type that begins with S; *known: it is no new substitution. */
static uint32_t dm_sub_type(demangler *d, int *known)
{
    uint32_t n, args;
    int is_sub = 0;
    if (dm_at(d, 1) == 't') return dm_name(d, NULL);
    n = dm_unscoped(d, NULL, &is_sub);
    if (dm_at(d, 0) != 'I') return *known = is_sub, n;
    if (!is_sub) dm_push(d, n);
    args = dm_template_args(d, 0);
    return dm_new(d, DM_TEMPLATE, n, args);
}

static uint32_t dm_type_here(demangler *d, int *known)
{
    uint32_t a, b;
    switch (dm_at(d, 0)) {
    case 'r': case 'V': case 'K': return dm_qualified(d);
    case 'F': return dm_function(d);
    case 'A': return d->p++, dm_array(d);
    case 'M': d->p++, a = dm_type(d), b = dm_type(d); return dm_new(d, DM_MEMBER, a, b);
    case 'T': return dm_param_type(d);
    case 'P': d->p++, a = dm_type(d); return dm_new(d, DM_POINTER, a, 0);
    case 'R': return d->p++, dm_reference(d, DM_LVALUE);
    case 'O': return d->p++, dm_reference(d, DM_RVALUE);
    case 'u': return d->p++, dm_source_name(d);
    case 'S': return dm_sub_type(d, known);
    case 'D':
        if (dm_take(d, "Dp")) return a = dm_type(d), dm_new(d, DM_EXPANSION, a, 0);
        if (dm_at(d, 1) == 'o' || dm_at(d, 1) == 'x') return dm_function(d);
        if (!dm_take(d, "DT") && !dm_take(d, "Dt")) return dm_fail(d);
        a = dm_expression(d);
        b = dm_new(d, DM_EXPRESSION, a, 0);
        return dm_take(d, "E") ? b : dm_fail(d);
    default: return dm_name(d, NULL);
    }
}

uint32_t dm_type(demangler *d)
{
    const char *name;
    uint32_t n;
    int known = 0;
    if (!dm_enter(d)) return 0;
    name = builtin(d);
    if (name != NULL) return dm_leave(d, dm_constant(d, name));
    n = dm_type_here(d, &known);
    if (!known) dm_push(d, n);
    return dm_leave(d, n);
}
