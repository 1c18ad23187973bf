/* demangle_argument.c - mangled names: arguments of templates, literals */
#include "demangle.h"

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

/* The bytes of a number, as so many digits, the highest first. */
static uint32_t dm_float(demangler *d, size_t digits)
{
    const uint32_t n = dm_text(d, DM_FLOAT, d->p, digits);
    size_t i;
    for (i = 0; i < digits; i++, d->p++) {
        const char x = dm_at(d, 0);
        if (!((x >= '0' && x <= '9') || (x >= 'a' && x <= 'f'))) return dm_fail(d);
    }
    return dm_take(d, "E") ? n : dm_fail(d);
}

/* Literals of which only the type is known: strings and lambdas. */
static uint32_t dm_typed(demangler *d)
{
    const int lambda = dm_at(d, 0) == 'U';
    const uint32_t type = lambda ? dm_unnamed(d, NULL) : dm_type(d);
    const uint32_t n = dm_shaped(d, lambda ? DM_OP_LAMBDA : DM_OP_STRING, DM_P_PRIMARY, "", type, 0);
    return dm_take(d, "E") ? n : dm_fail(d);
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
    if (dm_take(d, "f")) return dm_float(d, 8);
    if (dm_take(d, "d")) return dm_float(d, 16);
    if (dm_at(d, 0) == 'e' || dm_at(d, 0) == 'T') return dm_fail(d);
    if (dm_at(d, 0) == 'A' || (dm_at(d, 0) == 'U' && dm_at(d, 1) == 'l')) return dm_typed(d);
    n = dm_type(d);
    return dm_integer(d, n, NULL);
}

uint32_t dm_template_arg(demangler *d)
{
    uint32_t list = 0, last = 0, n;
    if (!dm_enter(d)) return 0;
    if (dm_take(d, "L")) return dm_leave(d, dm_literal(d));
    if (dm_take(d, "J")) {
        while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, dm_template_arg(d));
        return dm_leave(d, dm_new(d, DM_PACK, list, 0));
    }
    if (dm_at_param(d)) {         /* which is not printed */
        dm_declared_param(d, 0);
        return dm_leave(d, dm_template_arg(d));
    }
    if (dm_take(d, "X")) {
        n = dm_expression(d);
        return dm_leave(d, dm_take(d, "E") ? n : dm_fail(d));
    }
    return dm_leave(d, dm_type(d));
}

/* tagged: T_ stands for these arguments from now on. */
uint32_t dm_template_args(demangler *d, int tagged)
{
    const int plain = d->plain;
    uint32_t list = 0, last = 0;
    if (!dm_take(d, "I")) return dm_fail(d);
    if (tagged) d->params = d->level[0] = 0, d->levels = 1;
    d->plain = 0;
    while (!d->failed && !dm_take(d, "E")) {
        uint32_t n;
        if (dm_take(d, "Q")) {    /* not printed either */
            dm_constraint(d);
            if (!dm_take(d, "E")) dm_fail(d);
            break;
        }
        n = dm_template_arg(d);
        last = dm_append(d, &list, last, n);
        if (!tagged || d->failed) continue;
        if (d->params == DM_PARAMS) return dm_fail(d);
        if (d->node[n].kind == DM_PACK) n = dm_new(d, DM_PARAM_PACK, d->node[n].a, 0);
        d->param[d->params++] = n;
    }
    d->plain = plain;
    return list;
}
