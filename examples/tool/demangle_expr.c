/* demangle_expr.c - mangled names: expressions. They are read, as what follows depends on it, and cannot be printed:
 * compilers put most of them where nothing of them is to be seen. */
#include "demangle.h"

static uint32_t unprintable(demangler *d)
{
    return dm_new(d, DM_EXPRESSION, 0, 0);
}

/* A name, with arguments of a template perhaps. */
static void simple_id(demangler *d)
{
    dm_source_name(d);
    if (dm_at(d, 0) == 'I') dm_template_args(d, 0);
}

static int at_digit(const demangler *d)
{
    return dm_at(d, 0) >= '0' && dm_at(d, 0) <= '9';
}

/* A scope, from "sr" on, and a name in it. */
static void unresolved(demangler *d)
{
    const int nested = dm_take(d, "N");
    if (!nested && at_digit(d)) {
        do simple_id(d);
        while (!d->failed && !dm_take(d, "E"));
    } else {
        if (dm_at(d, 0) == 'T') dm_push(d, dm_template_param(d));
        else dm_substitution(d);
        if (dm_at(d, 0) == 'I') dm_template_args(d, 0);
        while (nested && !d->failed && !dm_take(d, "E")) simple_id(d);
    }
    if (at_digit(d)) simple_id(d);
    else dm_fail(d);
}

static void expressions(demangler *d)
{
    while (!d->failed && !dm_take(d, "E")) dm_expression(d);
}

/* A code of two letters with so many operands behind it. */
static int operands_of(const demangler *d)
{
    static const char one[] = "nt ng ps ad de co sp sz nx ", three[] = "qu ";
    static const char two[] = "aa an aN aS cm ds dv dV eo eO eq ge gt ix le ls lS lt mi mI ml mL ne oo or oR pl pL pm "
                              "rm rM rs rS ss ";
    char code[4];
    code[0] = dm_at(d, 0), code[1] = dm_at(d, 1), code[2] = ' ', code[3] = '\0';
    if (code[0] == '\0' || code[1] == '\0') return 0;
    return strstr(one, code) != NULL ? 1 : strstr(two, code) != NULL ? 2 : strstr(three, code) != NULL ? 3 : 0;
}

static uint32_t expression_here(demangler *d)
{
    int n = operands_of(d);
    const char *digits;
    if (dm_at(d, 0) == 'L') return d->p++, dm_literal(d);
    if (dm_at(d, 0) == 'T') return dm_template_param(d);
    if (n != 0) {
        for (d->p += 2; n != 0; n--) dm_expression(d);
    } else if (dm_take(d, "sr")) unresolved(d);
    else if (dm_take(d, "cl") || dm_take(d, "il")) expressions(d);
    else if (dm_take(d, "tl")) dm_type(d), expressions(d);
    else if (dm_take(d, "st") || dm_take(d, "sZT")) {
        if (d->p[-1] == 'T') d->p--;
        dm_type(d);
    } else if (dm_take(d, "fp")) {
        dm_qualifiers(d);
        dm_number(d, &digits);
        if (!dm_take(d, "_")) return dm_fail(d);
    } else if (dm_take(d, "cv")) {
        dm_type(d);
        if (dm_take(d, "_")) expressions(d);
        else dm_expression(d);
    } else if (dm_take(d, "dt") || dm_take(d, "pt")) {
        dm_expression(d);
        if (dm_take(d, "sr")) unresolved(d);
        else simple_id(d);
    } else if (at_digit(d)) simple_id(d);
    else return dm_fail(d);
    return unprintable(d);
}

uint32_t dm_expression(demangler *d)
{
    if (!dm_enter(d)) return 0;
    return dm_leave(d, expression_here(d));
}
