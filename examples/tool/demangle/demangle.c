/* demangle.c - whole mangled names; prints the tree of a name of C++ */
#include "demangle.h"

#include <stdio.h>

static void dm_put_list(demangler *d, uint32_t list);      /* with commas */
static void dm_put_expansion(demangler *d, uint32_t node); /* node, once for each element of its packs */
static void dm_put_expression(demangler *d, const dm_node *x);
static void dm_put_operand(demangler *d, uint32_t node, unsigned precedence); /* in parentheses if binding no closer */
static void dm_put_signature(demangler *d, const dm_node *x);
static void dm_put_float(demangler *d, const dm_node *x);
static void dm_open(demangler *d, const char *bracket);
static void dm_close(demangler *d, const char *bracket);
static void put_left(demangler *d, uint32_t n);
static void put_right(demangler *d, uint32_t n);

/* ----- the tree: what stands left of a declarator, and what stands right ------------------------------------------ */

static void dm_put(demangler *d, const char *text, size_t size)
{
    if (d->failed) return;
    if (size > d->cap - d->size) {
        dm_fail(d);
        return;
    }
    if (size != 0) memcpy(d->out + d->size, text, size);
    d->size += size;
}

static void dm_say(demangler *d, const char *text)
{
    dm_put(d, text, strlen(text));
}

static void dm_print(demangler *d, uint32_t n)
{
    if (!dm_enter(d)) return;
    put_left(d, n);
    put_right(d, n);
    dm_leave(d, 0);
}

/* The element of a pack that is being printed; n itself if it is no pack. */
static uint32_t element(demangler *d, uint32_t n)
{
    const dm_node *x = &d->node[n];
    uint32_t at, i = 0, count = 0;
    if (x->kind != DM_PARAM_PACK) return n;
    for (at = x->a; at != 0; at = d->node[at].b) count++;
    if (d->pack_count == UINT32_MAX) d->pack_count = count, d->pack_at = 0;
    for (at = x->a; at != 0 && i < d->pack_at; at = d->node[at].b) i++;
    return at != 0 ? d->node[at].a : 0;
}

/* Items with commas between those that print something. */
static void dm_put_list(demangler *d, uint32_t list)
{
    int first = 1;
    for (; list != 0 && !d->failed; list = d->node[list].b) {
        const size_t before = d->size;
        size_t begin;
        if (!first) dm_say(d, ", ");
        begin = d->size;
        dm_put_operand(d, d->node[list].a, DM_P_COMMA);
        if (d->size == begin) d->size = before;
        else first = 0;
    }
}

/* 1 if the type has parts on the right of what is declared; of which kind. */
static dm_kind shape(demangler *d, uint32_t n)
{
    unsigned i;
    for (i = 0; i < DM_DEPTH; i++) {
        n = element(d, n);
        if (d->node[n].kind != DM_QUALIFIED) break;
        n = d->node[n].a;
    }
    return (dm_kind)d->node[n].kind;
}

static int has_right(demangler *d, uint32_t n)
{
    unsigned i;
    for (i = 0; i < DM_DEPTH; i++) {
        n = element(d, n);
        switch (d->node[n].kind) {
        case DM_FUNCTION: case DM_ARRAY: case DM_ENCODING: return 1;
        case DM_POINTER: case DM_REFERENCE: case DM_QUALIFIED: n = d->node[n].a; break;
        case DM_MEMBER: n = d->node[n].b; break;
        default: return 0;
        }
    }
    return 0;
}

static void put_cv(demangler *d, const dm_node *n)
{
    if (n->cv & DM_CONST) dm_say(d, " const");
    if (n->cv & DM_VOLATILE) dm_say(d, " volatile");
    if (n->cv & DM_RESTRICT) dm_say(d, " restrict");
}

static void put_ref(demangler *d, const dm_node *n)
{
    if (n->ref != 0) dm_say(d, n->ref == DM_LVALUE ? " &" : " &&");
    if (n->cv & DM_NOEXCEPT) dm_say(d, " noexcept");
}

/* What a reference to references is one to; *ref becomes that of the whole. */
static uint32_t collapsed(demangler *d, uint32_t n, unsigned *ref)
{
    unsigned i;
    for (i = 0; i < DM_DEPTH; i++) {
        n = element(d, n);
        if (d->node[n].kind != DM_REFERENCE) break;
        if (d->node[n].ref == DM_LVALUE) *ref = DM_LVALUE;
        n = d->node[n].a;
    }
    return n;
}

static void put_pointer_left(demangler *d, uint32_t n, const char *mark)
{
    const dm_kind k = shape(d, n);
    put_left(d, n);
    if (k == DM_ARRAY) dm_say(d, " ");
    if (k == DM_ARRAY || k == DM_FUNCTION) dm_say(d, "(");
    dm_say(d, mark);
}

static void put_pointer_right(demangler *d, uint32_t n)
{
    const dm_kind k = shape(d, n);
    if (k == DM_ARRAY || k == DM_FUNCTION) dm_say(d, ")");
    put_right(d, n);
}

/* The last part of a class's name, without template arguments: what its constructors are called. */
static void put_base(demangler *d, uint32_t n)
{
    unsigned i;
    for (i = 0; i < DM_DEPTH; i++) {
        const dm_node *x = &d->node[n];
        if (x->kind == DM_NESTED) n = x->b;
        else if (x->kind == DM_TEMPLATE || x->kind == DM_TAGGED) n = x->a;
        else if (x->kind == DM_SPECIAL_SUB) n = x->c;
        else break;
    }
    if (d->node[n].kind != DM_LAMBDA && d->node[n].kind != DM_UNNAMED) dm_print(d, n);
}

static void dm_put_expansion(demangler *d, uint32_t n)
{
    const uint32_t at = d->pack_at, count = d->pack_count;
    const size_t begin = d->size;
    uint32_t i;
    d->pack_count = UINT32_MAX;
    dm_print(d, n);
    if (d->pack_count == UINT32_MAX) dm_say(d, "...");
    else if (d->pack_count == 0 && !d->failed) d->size = begin;
    else
        for (i = 1; i < d->pack_count && !d->failed; i++) {
            dm_say(d, ", ");
            d->pack_at = i;
            dm_print(d, n);
        }
    d->pack_at = at;
    d->pack_count = count;
}

static void put_integer(demangler *d, const dm_node *x)
{
    if (x->a != 0) dm_open(d, "("), dm_print(d, x->a), dm_close(d, ")");
    if (x->cv) dm_say(d, "-");
    dm_put(d, x->text, x->size);
    if (x->b != 0) dm_print(d, x->b);
}

static void put_encoding_left(demangler *d, const dm_node *x)
{
    if (x->c != 0) {
        put_left(d, x->c);
        if (!has_right(d, x->c)) dm_say(d, " ");
    }
    dm_print(d, x->a);
}

static void put_member_left(demangler *d, const dm_node *x)
{
    put_left(d, x->b);
    dm_say(d, shape(d, x->b) == DM_FUNCTION ? "(" : " ");
    dm_print(d, x->a);
    dm_say(d, "::*");
}

static void put_args(demangler *d, const char *before, uint32_t list, const char *after)
{
    const unsigned open = d->open;
    d->open = 0;
    dm_say(d, before);
    dm_put_list(d, list);
    dm_say(d, after);
    d->open = open;
}

/* A parameter of a lambda's template, up to its name; a name that was made. */
static void put_param_left(demangler *d, const dm_node *x)
{
    char digits[12];
    size_t n = sizeof digits;
    uint32_t number = x->c;
    if (x->cv == DM_TEMPLATE_PARAM) put_args(d, "template<", x->a, "> typename ");
    else put_left(d, x->a);
    dm_put(d, x->text, x->size);
    if (x->cv == DM_VALUE_PARAM && !has_right(d, x->a)) dm_say(d, " ");
    if (x->cv != DM_PACK_PARAM + 1 || number == 0) return;
    for (number--; n == sizeof digits || number != 0; number /= 10) digits[--n] = (char)('0' + number % 10);
    dm_put(d, digits + n, sizeof digits - n);
}

/* The kinds that have something on their left that is not just a prefix of their name. */
static void put_type_left(demangler *d, const dm_node *x)
{
    unsigned ref = x->ref;
    uint32_t to;
    switch (x->kind) {
    case DM_POINTER: put_pointer_left(d, x->a, "*"); break;
    case DM_REFERENCE:
        to = collapsed(d, x->a, &ref);
        put_pointer_left(d, to, ref == DM_LVALUE ? "&" : "&&");
        break;
    case DM_QUALIFIED: put_left(d, x->a), put_cv(d, x); break;
    case DM_FUNCTION: put_left(d, x->a), dm_say(d, " "); break;
    case DM_ARRAY: put_left(d, x->a); break;
    case DM_MEMBER: put_member_left(d, x); break;
    case DM_PARAMETER: put_param_left(d, x); break;
    default: put_encoding_left(d, x); break;
    }
}

static void put_word(demangler *d, const char *before, const dm_node *x, const char *after)
{
    dm_say(d, before);
    dm_put(d, x->text, x->size);
    dm_say(d, after);
}

static void put_plain_name(demangler *d, const dm_node *x)
{
    switch (x->kind) {
    case DM_NAME: case DM_SPECIAL_SUB: dm_put(d, x->text, x->size); break;
    case DM_NESTED: dm_print(d, x->a), dm_say(d, "::"), dm_print(d, x->b); break;
    case DM_TEMPLATE: dm_print(d, x->a), put_args(d, "<", x->b, ">"); break;
    case DM_LIST: case DM_FORWARD: break;
    case DM_EXPRESSION: dm_put_expression(d, x); break;
    case DM_FLOAT: dm_put_float(d, x); break;
    case DM_PACK: dm_put_list(d, x->a); break;
    case DM_EXPANSION: dm_put_expansion(d, x->a); break;
    case DM_CTOR: put_base(d, x->a); break;
    case DM_DTOR: dm_say(d, "~"), put_base(d, x->a); break;
    case DM_CONVERSION: dm_say(d, "operator "), dm_print(d, x->a); break;
    case DM_INTEGER: put_integer(d, x); break;
    case DM_LAMBDA: put_word(d, "'lambda", x, "'"), dm_print(d, x->a); break;
    case DM_SIGNATURE: dm_put_signature(d, x); break;
    case DM_UNNAMED: put_word(d, "'unnamed", x, "'"); break;
    case DM_PREFIXED:
        dm_put(d, x->text, x->size), dm_print(d, x->a);
        if (x->b != 0) dm_say(d, "-in-"), dm_print(d, x->b);
        break;
    case DM_TAGGED: dm_print(d, x->a), put_word(d, "[abi:", x, "]"); break;
    case DM_BEHIND:
        dm_print(d, x->a), dm_put(d, x->text, x->size);
        if (x->cv) dm_put_list(d, x->b), dm_say(d, "]");
        else dm_print(d, x->b);
        break;
    case DM_VECTOR:
        dm_print(d, x->a), put_word(d, " vector[", x, "");
        dm_print(d, x->b), dm_say(d, "]");
        break;
    case DM_WORDED: dm_print(d, x->a), dm_say(d, x->cv ? " " : ""), dm_print(d, x->b); break;
    case DM_SUFFIXED: dm_print(d, x->a), put_word(d, " (", x, ")"); break;
    default: put_type_left(d, x); break;
    }
}

static void put_left(demangler *d, uint32_t n)
{
    if (d->failed || n == 0 || ++d->steps > DM_STEPS) {
        if (d->steps > DM_STEPS) dm_fail(d);
        return;
    }
    if (!dm_enter(d)) return;
    if (d->node[n].kind == DM_PARAM_PACK) put_left(d, element(d, n));
    else put_plain_name(d, &d->node[n]);
    dm_leave(d, 0);
}

static void put_parameters(demangler *d, const dm_node *x, uint32_t result)
{
    dm_open(d, "(");
    dm_put_list(d, x->b);
    dm_close(d, ")");
    if (result != 0) put_right(d, result);
    put_cv(d, x);
    put_ref(d, x);
    if (x->kind == DM_FUNCTION && x->c != 0) dm_say(d, " "), dm_print(d, x->c);
}

static void put_type_right(demangler *d, const dm_node *x)
{
    unsigned ref = x->ref;
    switch (x->kind) {
    case DM_PARAM_PACK: put_right(d, element(d, (uint32_t)(x - d->node))); break;
    case DM_POINTER: put_pointer_right(d, x->a); break;
    case DM_REFERENCE: put_pointer_right(d, collapsed(d, x->a, &ref)); break;
    case DM_QUALIFIED: put_right(d, x->a); break;
    case DM_FUNCTION: put_parameters(d, x, x->a); break;
    case DM_ENCODING: put_parameters(d, x, x->c); break;
    case DM_ARRAY:
        if (d->size != 0 && d->out[d->size - 1] != ']') dm_say(d, " ");
        put_word(d, "[", x, "");
        dm_print(d, x->b), dm_say(d, "]");
        put_right(d, x->a);
        break;
    case DM_PARAMETER:
        if (x->cv == DM_PACK_PARAM) put_right(d, x->a);
        else dm_print(d, x->b);
        if (x->cv == DM_VALUE_PARAM) put_right(d, x->a);
        break;
    case DM_MEMBER:
        if (shape(d, x->b) == DM_FUNCTION) dm_say(d, ")");
        put_right(d, x->b);
        break;
    default: break;
    }
}

static void put_right(demangler *d, uint32_t n)
{
    if (d->failed || n == 0 || ++d->steps > DM_STEPS) {
        if (d->steps > DM_STEPS) dm_fail(d);
        return;
    }
    if (!dm_enter(d)) return;
    put_type_right(d, &d->node[n]);
    dm_leave(d, 0);
}

/* ----- expressions, with as few parentheses as their operators allow ---------------------------------------------- */

static void dm_open(demangler *d, const char *bracket)
{
    dm_say(d, bracket);
    d->open++;
}

static void dm_close(demangler *d, const char *bracket)
{
    d->open--;
    dm_say(d, bracket);
}

static void dm_put_operand(demangler *d, uint32_t n, unsigned precedence)
{
    const int closed = d->node[n].kind == DM_EXPRESSION && d->node[n].ref >= precedence;
    if (closed) dm_open(d, "(");
    dm_print(d, n);
    if (closed) dm_close(d, ")");
}

static void put_closed(demangler *d, uint32_t n)
{
    dm_open(d, "(");
    dm_put_operand(d, n, DM_P_ANY);
    dm_close(d, ")");
}

static void put_closed_list(demangler *d, uint32_t list)
{
    dm_open(d, "(");
    dm_put_list(d, list);
    dm_close(d, ")");
}

/* ">" ends arguments of a template unless it is in parentheses; "=" takes what stands right of it first. */
static void put_binary(demangler *d, const dm_node *x)
{
    const int closed = d->open == 0 && x->text[0] == '>' && (x->size == 1 || (x->size == 2 && x->text[1] == '>'));
    const int assigns = x->ref == DM_P_ASSIGN;
    if (closed) dm_open(d, "(");
    dm_put_operand(d, x->a, assigns ? DM_P_OR_IF : x->ref + 1u);
    if (x->text[0] != ',') dm_say(d, " ");
    dm_put(d, x->text, x->size);
    dm_say(d, " ");
    dm_put_operand(d, x->b, assigns ? x->ref + 1u : x->ref);
    if (closed) dm_close(d, ")");
}

static void put_new(demangler *d, const dm_node *x)
{
    dm_put(d, x->text, x->size);
    if (x->a != 0) put_closed_list(d, x->a);
    dm_say(d, " ");
    dm_print(d, x->b);
    if (x->c != 0) put_closed_list(d, x->c);
}

static void put_cast(demangler *d, const dm_node *x)
{
    const unsigned open = d->open;
    dm_put(d, x->text, x->size);
    d->open = 0;
    dm_say(d, "<");
    dm_print(d, x->a);
    dm_say(d, ">");
    d->open = open;
    put_closed(d, x->b);
}

/* An end of a fold: the pack, or what stands at the other end. Returns 0 if there is nothing there. */
static int put_fold_end(demangler *d, const dm_node *x, int pack)
{
    if (pack) dm_open(d, "("), dm_put_expansion(d, x->a), dm_close(d, ")");
    else if (x->b != 0) dm_put_operand(d, x->b, DM_P_C_CAST + 1u);
    return pack || x->b != 0;
}

static void put_fold(demangler *d, const dm_node *x)
{
    const int left = x->cv == DM_OP_LEFT_FOLD;
    dm_open(d, "(");
    if (put_fold_end(d, x, !left)) dm_say(d, " "), dm_put(d, x->text, x->size), dm_say(d, " ");
    dm_say(d, "...");
    if (left || x->b != 0) dm_say(d, " "), dm_put(d, x->text, x->size), dm_say(d, " ");
    put_fold_end(d, x, left);
    dm_close(d, ")");
}

/* .a = b, [a] = b, [a ... c] = b */
static void put_initialised(demangler *d, const dm_node *x)
{
    const dm_node *of = &d->node[x->b];
    dm_say(d, x->cv == DM_OP_FIELD ? "." : "[");
    dm_print(d, x->a);
    if (x->c != 0) dm_say(d, " ... "), dm_print(d, x->c);
    if (x->cv != DM_OP_FIELD) dm_say(d, "]");
    if (of->kind != DM_EXPRESSION || (of->cv != DM_OP_FIELD && of->cv != DM_OP_ELEMENT)) dm_say(d, " = ");
    dm_print(d, x->b);
}

static void put_subobject(demangler *d, const dm_node *x)
{
    const int negative = x->size != 0 && x->text[0] == 'n';
    dm_print(d, x->b);
    dm_say(d, ".<");
    dm_print(d, x->a);
    dm_say(d, negative ? " at offset -" : " at offset ");
    dm_put(d, x->size != 0 ? x->text + negative : "0", x->size != 0 ? x->size - (size_t)negative : 1);
    dm_say(d, ">");
}

static void put_requires(demangler *d, const dm_node *x)
{
    uint32_t at;
    dm_say(d, "requires");
    if (x->a != 0) dm_say(d, " "), put_closed_list(d, x->a);
    dm_say(d, " ");
    dm_open(d, "{");
    for (at = x->b; at != 0 && !d->failed; at = d->node[at].b) dm_print(d, d->node[at].a);
    dm_say(d, " ");
    dm_close(d, "}");
}

static void put_requirement(demangler *d, const dm_node *x)
{
    const int closed = x->size != 0 && x->text[0] == '}';
    if (x->size != 0 && !closed) dm_put(d, x->text, x->size);
    else dm_say(d, closed ? " {" : " ");
    dm_print(d, x->a);
    if (closed) dm_put(d, x->text, x->size);
    if (x->b != 0) dm_say(d, " -> "), dm_print(d, x->b);
    dm_say(d, ";");
}

static void put_conditional(demangler *d, const dm_node *x)
{
    dm_put_operand(d, x->a, x->ref);
    dm_say(d, " ? ");
    dm_put_operand(d, x->b, DM_P_ANY);
    dm_say(d, " : ");
    dm_put_operand(d, x->c, DM_P_ASSIGN + 1u);
}

static void put_subscript(demangler *d, const dm_node *x)
{
    dm_put_operand(d, x->a, x->ref);
    dm_open(d, "[");
    dm_put_operand(d, x->b, DM_P_ANY);
    dm_close(d, "]");
}

static void put_braces(demangler *d, const dm_node *x)
{
    dm_print(d, x->a);
    dm_say(d, "{");
    dm_put_list(d, x->b);
    dm_say(d, "}");
}

static void dm_put_expression(demangler *d, const dm_node *x)
{
    switch ((dm_shape)x->cv) {
    case DM_OP_BINARY: put_binary(d, x); break;
    case DM_OP_MEMBER:
        dm_put_operand(d, x->a, x->ref + 1u), dm_put(d, x->text, x->size), dm_put_operand(d, x->b, x->ref);
        break;
    case DM_OP_PREFIX: dm_put(d, x->text, x->size), dm_put_operand(d, x->a, x->ref); break;
    case DM_OP_POSTFIX: dm_put_operand(d, x->a, x->ref + 1u), dm_put(d, x->text, x->size); break;
    case DM_OP_SUBSCRIPT: put_subscript(d, x); break;
    case DM_OP_CALL: dm_print(d, x->a), put_closed_list(d, x->b); break;
    case DM_OP_CONDITIONAL: put_conditional(d, x); break;
    case DM_OP_NEW: put_new(d, x); break;
    case DM_OP_DELETE: dm_put(d, x->text, x->size), dm_say(d, " "), dm_print(d, x->a); break;
    case DM_OP_CAST: put_cast(d, x); break;
    case DM_OP_OF: case DM_OP_OF_TYPE: dm_put(d, x->text, x->size), put_closed(d, x->a); break;
    case DM_OP_CONVERSION: put_closed(d, x->a), put_closed_list(d, x->b); break;
    case DM_OP_BRACES: put_braces(d, x); break;
    case DM_OP_FIELD: case DM_OP_ELEMENT: put_initialised(d, x); break;
    case DM_OP_LEFT_FOLD: case DM_OP_RIGHT_FOLD: put_fold(d, x); break;
    case DM_OP_COUNT: dm_put(d, x->text, x->size), dm_open(d, "("), dm_put_expansion(d, x->a), dm_close(d, ")"); break;
    case DM_OP_STRING: dm_say(d, "\"<"), dm_print(d, x->a), dm_say(d, ">\""); break;
    case DM_OP_LAMBDA: dm_say(d, "[]"), dm_print(d, d->node[x->a].a), dm_say(d, "{...}"); break;
    case DM_OP_SUBOBJECT: put_subobject(d, x); break;
    case DM_OP_THROWN: dm_put(d, x->text, x->size), dm_print(d, x->a); break;
    case DM_OP_REQUIRES: put_requires(d, x); break;
    case DM_OP_REQUIREMENT: put_requirement(d, x); break;
    case DM_OP_NAME: dm_fail(d); break;
    }
}

/* What a lambda takes, and what it asks of it. */
static void dm_put_signature(demangler *d, const dm_node *x)
{
    const dm_node *requires_ = &d->node[x->c];
    const unsigned open = d->open;
    if (x->a != 0) {
        d->open = 0;
        dm_say(d, "<"), dm_put_list(d, x->a), dm_say(d, ">");
        d->open = open;
    }
    if (requires_->a != 0) dm_say(d, " requires "), dm_print(d, requires_->a), dm_say(d, " ");
    put_closed_list(d, x->b);
    if (requires_->b != 0) dm_say(d, " requires "), dm_print(d, requires_->b);
}

static void dm_put_float(demangler *d, const dm_node *x)
{
    char text[40];
    uint64_t bits = 0;
    double value;
    size_t i;
    for (i = 0; i < x->size; i++)
        bits = bits << 4 | (uint64_t)(x->text[i] <= '9' ? x->text[i] - '0' : x->text[i] - 'a' + 10);
    if (x->size == 8) {
        const uint32_t narrow = (uint32_t)bits;
        float f;
        memcpy(&f, &narrow, sizeof f);
        snprintf(text, sizeof text, "%af", (double)f);
    } else {
        memcpy(&value, &bits, sizeof value);
        snprintf(text, sizeof text, "%a", value);
    }
    dm_say(d, text);
}

/* ----- whole names ------------------------------------------------------------------------------------------------ */

static void dm_run(demangler *d, const char *name, size_t size)
{
    uint32_t top;
    if (dm_is_rust(name, size)) {
        d->p = name + 3;
        dm_rust_old(d);
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

/* It is written into a block of its own: what is taken back again, as a comma before nothing, needs room, too. */
size_t demangle(const char *name, size_t size, char *out, size_t cap)
{
    demangler *d;
    size_t n;
    if (size < 3 || size > DEMANGLE_MOST || name[0] != '_' || (name[1] != 'Z' && name[1] != 'R')) return 0;
    d = (demangler *)malloc(sizeof *d + DEMANGLE_MOST);
    if (d == NULL) return 0;
    memset(d, 0, offsetof(demangler, sub));
    memset(&d->node[0], 0, sizeof d->node[0]);
    d->nodes = 1;
    d->end = name + size;
    d->out = (char *)(d + 1);
    d->cap = DEMANGLE_MOST;
    d->pack_count = UINT32_MAX;
    d->open = 1;
    dm_run(d, name, size);
    n = d->failed || d->size > cap ? 0 : d->size;
    if (n != 0) memcpy(out, d->out, n);
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
