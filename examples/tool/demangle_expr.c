/* demangle_expr.c - mangled names: expressions, in arguments of templates, decltype, array bounds, requires clauses */
#include "demangle.h"

uint32_t dm_shaped(demangler *d, dm_shape shape, unsigned precedence, const char *text, uint32_t a, uint32_t b)
{
    const uint32_t n = dm_new(d, DM_EXPRESSION, a, b);
    if (d->failed) return 0;
    d->node[n].cv = (unsigned char)shape;
    d->node[n].ref = (unsigned char)precedence;
    d->node[n].text = text;
    d->node[n].size = (uint32_t)strlen(text);
    return n;
}

static uint32_t with_third(demangler *d, uint32_t n, uint32_t c)
{
    if (d->failed) return 0;
    d->node[n].c = c;
    return n;
}

static int at_digit(const demangler *d)
{
    return dm_at(d, 0) >= '0' && dm_at(d, 0) <= '9';
}

/* ----- names in expressions --------------------------------------------------------------------------------------- */

/* Arguments of a template, where they follow n. */
static uint32_t with_args(demangler *d, uint32_t n)
{
    uint32_t args;
    if (dm_at(d, 0) != 'I') return n;
    args = dm_template_args(d, 0);
    return dm_new(d, DM_TEMPLATE, n, args);
}

static uint32_t simple_id(demangler *d)
{
    return with_args(d, dm_source_name(d));
}

/* T_, decltype or a substitution. */
static uint32_t unresolved_type(demangler *d)
{
    uint32_t n;
    if (dm_at(d, 0) == 'S') return dm_substitution(d);
    if (dm_at(d, 0) == 'T') n = dm_template_param(d);
    else n = dm_take(d, "DT") || dm_take(d, "Dt") ? dm_decltype(d) : dm_fail(d);
    dm_push(d, n);
    return n;
}

static uint32_t base_name(demangler *d)
{
    uint32_t n;
    if (at_digit(d)) return simple_id(d);
    if (dm_take(d, "dn")) {
        const uint32_t of = at_digit(d) ? simple_id(d) : unresolved_type(d);
        n = dm_text(d, DM_PREFIXED, "~", 1);
        d->node[n].a = of;
        return n;
    }
    dm_take(d, "on");
    return with_args(d, dm_operator_name(d, NULL));
}

static uint32_t global_name(demangler *d, int global, uint32_t name)
{
    uint32_t n;
    if (!global) return name;
    n = dm_text(d, DM_PREFIXED, "::", 2);
    d->node[n].a = name;
    return n;
}

static uint32_t joined(demangler *d, uint32_t scope, uint32_t name)
{
    return scope != 0 ? dm_new(d, DM_NESTED, scope, name) : d->failed ? 0 : name;
}

/* A name that depends on parameters of a template; its scopes begin with "sr". */
static uint32_t unresolved(demangler *d, int global)
{
    const int nested = dm_take(d, "srN");
    uint32_t n = 0;
    if (!nested && !dm_take(d, "sr")) return global_name(d, global, base_name(d));
    if (!nested && at_digit(d)) {
        do n = n != 0 ? joined(d, n, simple_id(d)) : global_name(d, global, simple_id(d));
        while (!d->failed && !dm_take(d, "E"));
    } else {
        n = with_args(d, unresolved_type(d));
        while (nested && !d->failed && !dm_take(d, "E")) n = joined(d, n, simple_id(d));
    }
    return joined(d, n, base_name(d));
}

/* ----- lists ------------------------------------------------------------------------------------------------------ */

/* Up to the end, which is read. */
static uint32_t expressions(demangler *d, const char *end)
{
    uint32_t list = 0, last = 0;
    while (!d->failed && !dm_take(d, end)) last = dm_append(d, &list, last, dm_expression(d));
    return list;
}

/* An element of {...}: di NAME, dx INDEX, dX FIRST LAST, each with what it is; or an expression. */
static uint32_t braced(demangler *d)
{
    uint32_t a, c = 0, n;
    int field;
    if (!dm_enter(d)) return 0;
    field = dm_take(d, "di");
    if (field) a = dm_source_name(d);
    else if (dm_take(d, "dx")) a = dm_expression(d);
    else if (dm_take(d, "dX")) a = dm_expression(d), c = dm_expression(d);
    else return dm_leave(d, dm_expression(d));
    n = braced(d);
    return dm_leave(d, with_third(d, dm_shaped(d, field ? DM_OP_FIELD : DM_OP_ELEMENT, DM_P_PRIMARY, "", a, n), c));
}

static uint32_t braces(demangler *d, uint32_t type)
{
    uint32_t list = 0, last = 0;
    while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, braced(d));
    return dm_shaped(d, DM_OP_BRACES, DM_P_PRIMARY, "", type, list);
}

/* ----- operators -------------------------------------------------------------------------------------------------- */

static uint32_t new_object(demangler *d, const dm_operator *op, int global)
{
    const char *text = op->code[1] == 'a' ? (global ? "::new[]" : "new[]") : global ? "::new" : "new";
    const uint32_t where = expressions(d, "_"), type = dm_type(d);
    uint32_t with = 0;
    if (dm_take(d, "pi")) with = expressions(d, "E");
    else if (!dm_take(d, "E")) return dm_fail(d);
    return with_third(d, dm_shaped(d, DM_OP_NEW, op->precedence, text, where, type), with);
}

/* cv TYPE EXPRESSION, cv TYPE _ EXPRESSION* E */
static uint32_t converted(demangler *d)
{
    const int plain = d->plain;
    uint32_t type, list = 0;
    d->plain = 1;
    type = dm_type(d);
    d->plain = plain;
    if (dm_take(d, "_")) list = expressions(d, "E");
    else dm_append(d, &list, 0, dm_expression(d));
    return dm_shaped(d, DM_OP_CONVERSION, DM_P_C_CAST, "", type, list);
}

static uint32_t applied(demangler *d, const dm_operator *op, int global)
{
    uint32_t a, b = 0, c = 0;
    unsigned kind = op->kind;
    const char *text = op->text + (op->text[0] == ' ');
    if (kind == DM_OP_NAME) return dm_fail(d);
    if (kind == DM_OP_NEW) return new_object(d, op, global);
    if (kind == DM_OP_DELETE && global) text = op->code[1] == 'a' ? "::delete[]" : "::delete";
    if (kind == DM_OP_POSTFIX && dm_take(d, "_")) kind = DM_OP_PREFIX;
    a = kind == DM_OP_CAST || kind == DM_OP_OF_TYPE ? dm_type(d) : dm_expression(d);
    if (kind == DM_OP_CALL) b = expressions(d, "E");
    else if (kind == DM_OP_BINARY || kind == DM_OP_MEMBER || kind == DM_OP_SUBSCRIPT || kind == DM_OP_CAST ||
             kind == DM_OP_CONDITIONAL) b = dm_expression(d);
    if (kind == DM_OP_CONDITIONAL) c = dm_expression(d);
    return with_third(d, dm_shaped(d, (dm_shape)kind, op->precedence, text, a, b), c);
}

/* ----- the others ------------------------------------------------------------------------------------------------- */

/* fp, fL: a parameter of the function. */
static uint32_t function_param(demangler *d)
{
    const char *digits;
    uint32_t n;
    size_t size;
    if (dm_take(d, "fpT")) return dm_constant(d, "this");
    if (!dm_take(d, "fp")) {
        dm_take(d, "fL");
        if (dm_number(d, &digits) == 0 || !dm_take(d, "p")) return dm_fail(d);
    }
    dm_qualifiers(d);
    size = dm_number(d, &digits);
    n = dm_text(d, DM_PREFIXED, "fp", 2);
    d->node[n].a = dm_text(d, DM_NAME, digits, size);
    return dm_take(d, "_") ? n : dm_fail(d);
}

/* fl, fr: of a pack; fL, fR: of a pack and what stands at its other end, in the order in which they are written. */
static uint32_t fold(demangler *d)
{
    const int two = dm_at(d, 1) == 'L' || dm_at(d, 1) == 'R', left = dm_at(d, 1) == 'l' || dm_at(d, 1) == 'L';
    const dm_operator *op;
    uint32_t a, b = 0;
    if (!left && dm_at(d, 1) != 'r' && dm_at(d, 1) != 'R') return dm_fail(d);
    d->p += 2;
    op = dm_take_operator(d);
    if (op == NULL || (op->kind != DM_OP_BINARY && (op->kind != DM_OP_MEMBER || op->text[1] != '*'))) return dm_fail(d);
    a = dm_expression(d);
    if (two) b = dm_expression(d);
    if (two && left) return dm_shaped(d, DM_OP_LEFT_FOLD, DM_P_PRIMARY, op->text, b, a);
    return dm_shaped(d, left ? DM_OP_LEFT_FOLD : DM_OP_RIGHT_FOLD, DM_P_PRIMARY, op->text, a, b);
}

/* sZ, sP: how many elements a pack has. */
static uint32_t count_of(demangler *d, int of_pack)
{
    uint32_t list = 0, last = 0;
    if (of_pack && dm_at(d, 0) == 'T')
        return dm_shaped(d, DM_OP_COUNT, DM_P_PRIMARY, "sizeof...", dm_template_param(d), 0);
    if (of_pack) {
        if (dm_at(d, 0) != 'f') return dm_fail(d);
        return dm_shaped(d, DM_OP_OF, DM_P_PRIMARY, "sizeof... ", function_param(d), 0);
    }
    while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, dm_template_arg(d));
    list = dm_new(d, DM_PACK, list, 0);
    return dm_shaped(d, DM_OP_OF, DM_P_PRIMARY, "sizeof... ", list, 0);
}

/* so TYPE EXPRESSION OFFSET _N* p E: a part of an object; mc TYPE EXPRESSION OFFSET E: a converted pointer to one. */
static uint32_t subobject(demangler *d, int pointer)
{
    const uint32_t type = dm_type(d), of = dm_expression(d);
    const char *digits, *offset = d->p;
    uint32_t n = 0, list = 0;
    size_t size;
    dm_take(d, "n");
    size = dm_number(d, &digits);
    if (digits != offset) size++;
    if (pointer) {
        dm_append(d, &list, 0, of);
        n = dm_shaped(d, DM_OP_CONVERSION, DM_P_UNARY, "", type, list);
        return dm_take(d, "E") ? n : dm_fail(d);
    }
    while (dm_take(d, "_")) dm_number(d, &digits);
    dm_take(d, "p");
    n = dm_shaped(d, DM_OP_SUBOBJECT, DM_P_PRIMARY, "", type, of);
    if (!dm_take(d, "E") || d->failed) return dm_fail(d);
    d->node[n].text = offset, d->node[n].size = (uint32_t)size;
    return n;
}

/* X EXPRESSION N R CONCEPT, T TYPE, Q EXPRESSION */
static uint32_t requirement(demangler *d)
{
    uint32_t a, b = 0;
    const char *text = "";
    if (dm_take(d, "T")) return a = dm_type(d), dm_shaped(d, DM_OP_REQUIREMENT, DM_P_PRIMARY, " typename ", a, 0);
    if (dm_take(d, "Q")) return a = dm_expression(d), dm_shaped(d, DM_OP_REQUIREMENT, DM_P_PRIMARY, " requires ", a, 0);
    if (!dm_take(d, "X")) return dm_fail(d);
    a = dm_expression(d);
    if (dm_take(d, "N")) text = "} noexcept";
    if (dm_take(d, "R")) b = dm_name(d, NULL);
    return dm_shaped(d, DM_OP_REQUIREMENT, DM_P_PRIMARY, text[0] == '\0' && b != 0 ? "}" : text, a, b);
}

static uint32_t requires_expression(demangler *d)
{
    uint32_t params = 0, list = 0, last = 0;
    if (dm_take(d, "rQ"))
        while (!d->failed && !dm_take(d, "_")) last = dm_append(d, &params, last, dm_type(d));
    else d->p += 2;
    last = 0;
    do last = dm_append(d, &list, last, requirement(d));
    while (!d->failed && !dm_take(d, "E"));
    return dm_shaped(d, DM_OP_REQUIRES, DM_P_PRIMARY, "", params, list);
}

/* uNAME ARGUMENT* E: a function of the compiler. */
static uint32_t vendors_call(demangler *d)
{
    uint32_t name = dm_source_name(d), list = 0, last = 0;
    while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, dm_template_arg(d));
    return dm_shaped(d, DM_OP_CALL, DM_P_POSTFIX, "", name, list);
}

static uint32_t expression_here(demangler *d)
{
    const int global = dm_take(d, "gs");
    const char x = dm_at(d, 0), y = dm_at(d, 1);
    const dm_operator *op;
    uint32_t a;
    if (dm_take(d, "cv")) return converted(d);
    op = dm_take_operator(d);
    if (op != NULL) return applied(d, op, global);
    if (x == 'L') return d->p++, dm_literal(d);
    if (x == 'T') return dm_template_param(d);
    if (x == 'f' && (y == 'p' || (y == 'L' && dm_at(d, 2) >= '0' && dm_at(d, 2) <= '9'))) return function_param(d);
    if (x == 'f') return fold(d);
    if (dm_take(d, "il")) return braces(d, 0);
    if (dm_take(d, "tl")) return a = dm_type(d), braces(d, a);
    if (dm_take(d, "nx")) return a = dm_expression(d), dm_shaped(d, DM_OP_OF, DM_P_UNARY, "noexcept ", a, 0);
    if (x == 'r' && (y == 'q' || y == 'Q')) return requires_expression(d);
    if (dm_take(d, "so")) return subobject(d, 0);
    if (dm_take(d, "mc")) return subobject(d, 1);
    if (dm_take(d, "sp")) return a = dm_expression(d), dm_new(d, DM_EXPANSION, a, 0);
    if (dm_take(d, "sZ")) return count_of(d, 1);
    if (dm_take(d, "sP")) return count_of(d, 0);
    if (dm_take(d, "tr")) return dm_constant(d, "throw");
    if (dm_take(d, "tw")) return a = dm_expression(d), dm_shaped(d, DM_OP_THROWN, DM_P_PRIMARY, "throw ", a, 0);
    if (dm_take(d, "u")) return vendors_call(d);
    return unresolved(d, global);
}

uint32_t dm_expression(demangler *d)
{
    if (!dm_enter(d)) return 0;
    return dm_leave(d, expression_here(d));
}

uint32_t dm_constraint(demangler *d)
{
    const int before = d->constraint;
    uint32_t n;
    d->constraint = 1;
    n = dm_expression(d);
    d->constraint = before;
    return n;
}
