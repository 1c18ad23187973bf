/* demangle_print.c - prints the tree of a mangled name: what stands left of a declarator, and what stands right */
#include "demangle.h"

static void put_left(demangler *d, uint32_t n);
static void put_right(demangler *d, uint32_t n);

void dm_put(demangler *d, const char *text, size_t size)
{
    if (d->failed) return;
    if (size > d->cap - d->size) {
        dm_fail(d);
        return;
    }
    if (size != 0) memcpy(d->out + d->size, text, size);
    d->size += size;
}

void dm_say(demangler *d, const char *text)
{
    dm_put(d, text, strlen(text));
}

void dm_print(demangler *d, uint32_t n)
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
void dm_put_list(demangler *d, uint32_t list)
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

void dm_put_expansion(demangler *d, uint32_t n)
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

static void put_name(demangler *d, const dm_node *x)
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
    else put_name(d, &d->node[n]);
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
