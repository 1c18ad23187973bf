/* demangle_type.c - mangled names: types */
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
    while (!d->failed && d->p != d->end && *d->p != 'E' && *d->p != '.' && *d->p != '_' && *d->p != 'Q');
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

/* DO EXPRESSION E, Dw TYPE* E; 0: there is none. */
static uint32_t dm_thrown(demangler *d)
{
    uint32_t n, list = 0, last = 0;
    if (dm_take(d, "DO")) {
        n = dm_shaped(d, DM_OP_OF, DM_P_PRIMARY, "noexcept", dm_expression(d), 0);
        return dm_take(d, "E") ? n : dm_fail(d);
    }
    if (!dm_take(d, "Dw")) return 0;
    while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, dm_type(d));
    n = dm_new(d, DM_PACK, list, 0);
    return dm_shaped(d, DM_OP_OF, DM_P_PRIMARY, "throw", n, 0);
}

/* F RESULT PARAMETERS E, or with what is before it. */
static uint32_t dm_function(demangler *d)
{
    unsigned char cv = dm_qualifiers(d), ref = 0;
    uint32_t n, result, thrown, list = 0, last = 0;
    if (dm_take(d, "Do")) cv |= DM_NOEXCEPT;
    thrown = dm_thrown(d);
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
    if (d->failed) return 0;
    d->node[n].c = thrown;
    d->node[n].cv = cv;
    d->node[n].ref = ref;
    return n;
}

static uint32_t dm_array(demangler *d)
{
    const char *digits;
    const size_t size = dm_number(d, &digits);
    uint32_t n, of, count = 0;
    if (size == 0 && dm_at(d, 0) != '_') count = dm_expression(d);
    if (!dm_take(d, "_")) return dm_fail(d);
    of = dm_type(d);
    n = dm_text(d, DM_ARRAY, digits, size);
    if (d->failed) return 0;
    d->node[n].a = of;
    d->node[n].b = count;
    return n;
}

/* Dv NUMBER _ TYPE, Dv _ EXPRESSION _ TYPE; p: of pixels */
static uint32_t dm_vector(demangler *d)
{
    const char *digits;
    const size_t size = dm_number(d, &digits);
    uint32_t n, of, count = 0;
    if (size == 0 && (!dm_take(d, "_") || dm_at(d, 0) == '_')) return dm_fail(d);
    if (size == 0) count = dm_expression(d);
    if (!dm_take(d, "_")) return dm_fail(d);
    of = size != 0 && dm_take(d, "p") ? dm_constant(d, "pixel") : dm_type(d);
    n = dm_text(d, DM_VECTOR, digits, size);
    if (d->failed) return 0;
    d->node[n].a = of;
    d->node[n].b = count;
    return n;
}

uint32_t dm_decltype(demangler *d)
{
    const uint32_t a = dm_expression(d), n = dm_shaped(d, DM_OP_OF, DM_P_PRIMARY, "decltype", a, 0);
    return dm_take(d, "E") ? n : dm_fail(d);
}

/* A type and a word behind it. */
static uint32_t dm_worded(demangler *d, const char *word)
{
    const uint32_t of = dm_type(d), n = dm_new(d, DM_WORDED, of, 0);
    if (d->failed) return 0;
    d->node[n].b = dm_constant(d, word);
    return n;
}

/* NAME(TYPE): what a trait of the compiler makes of a type. */
static uint32_t dm_transformed(demangler *d, uint32_t name)
{
    const uint32_t of = dm_type(d), n = dm_shaped(d, DM_OP_OF_TYPE, DM_P_PRIMARY, "", of, 0);
    if (d->failed || !dm_take(d, "E")) return dm_fail(d);
    d->node[n].text = d->node[name].text, d->node[n].size = d->node[name].size;
    return n;
}

/* U NAME ARGUMENTS TYPE: a qualifier that a compiler adds. */
static uint32_t dm_vendors(demangler *d)
{
    uint32_t name = dm_source_name(d), args = 0, n, of;
    if (dm_at(d, 0) == 'I') {
        args = dm_template_args(d, 0);
        name = dm_new(d, DM_TEMPLATE, name, args);
    }
    of = dm_type(d);
    n = dm_new(d, DM_WORDED, of, name);
    if (d->failed) return 0;
    d->node[n].cv = 1;
    return n;
}

/* DF NUMBER _, DB NUMBER _, DU NUMBER _, the last two with an expression instead, too. */
static uint32_t dm_sized(demangler *d)
{
    const char kind = dm_at(d, 1), *digits;
    const char *const text = kind == 'F' ? "_Float" : kind == 'B' ? "_BitInt" : "unsigned _BitInt";
    uint32_t n, size;
    d->p += 2;
    n = (uint32_t)dm_number(d, &digits);
    size = n != 0 ? dm_text(d, DM_NAME, digits, n) : kind != 'F' ? dm_expression(d) : dm_fail(d);
    if (!dm_take(d, "_")) return dm_fail(d);
    if (kind != 'F') return dm_shaped(d, DM_OP_OF, DM_P_PRIMARY, text, size, 0);
    n = dm_text(d, DM_PREFIXED, text, strlen(text));
    d->node[n].a = size;
    return n;
}

static uint32_t dm_reference(demangler *d, unsigned char ref)
{
    const uint32_t to = dm_type(d), n = dm_new(d, DM_REFERENCE, to, 0);
    d->node[n].ref = ref;
    return n;
}

static int at_function(const demangler *d)
{
    const char x = dm_at(d, 1);
    return dm_at(d, 0) == 'F' || (dm_at(d, 0) == 'D' && (x == 'o' || x == 'x' || x == 'O' || x == 'w'));
}

static uint32_t dm_qualified(demangler *d)
{
    const char *const begin = d->p;
    const unsigned char cv = dm_qualifiers(d);
    uint32_t to, n;
    if (at_function(d)) return d->p = begin, dm_function(d);
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
    if (d->plain || dm_at(d, 0) != 'I') return n;
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
    if ((is_sub && d->plain) || dm_at(d, 0) != 'I') return *known = is_sub, n;
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
    case 'u':
        d->p++;
        a = dm_source_name(d);
        return dm_take(d, "I") ? dm_transformed(d, a) : a;
    case 'U':
        if (dm_at(d, 1) < '0' || dm_at(d, 1) > '9') return dm_name(d, NULL);
        return d->p++, dm_vendors(d);
    case 'C': return d->p++, dm_worded(d, " complex");
    case 'G': return d->p++, dm_worded(d, " imaginary");
    case 'S': return dm_sub_type(d, known);
    case 'D':
        if (dm_take(d, "Dp")) return a = dm_type(d), dm_new(d, DM_EXPANSION, a, 0);
        if (at_function(d)) return dm_function(d);
        if (dm_take(d, "Dv")) return dm_vector(d);
        return dm_take(d, "DT") || dm_take(d, "Dt") ? dm_decltype(d) : dm_name(d, NULL);
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
    if (dm_at(d, 0) == 'D' && (dm_at(d, 1) == 'F' || dm_at(d, 1) == 'B' || dm_at(d, 1) == 'U'))
        return dm_leave(d, dm_sized(d));
    n = dm_type_here(d, &known);
    if (!known) dm_push(d, n);
    return dm_leave(d, n);
}
