/* demangle_operand.c - prints expressions of mangled names, with as few parentheses as their operators allow */
#include "demangle.h"

#include <stdio.h>

void dm_open(demangler *d, const char *bracket)
{
    dm_say(d, bracket);
    d->open++;
}

void dm_close(demangler *d, const char *bracket)
{
    d->open--;
    dm_say(d, bracket);
}

void dm_put_operand(demangler *d, uint32_t n, unsigned precedence)
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

void dm_put_expression(demangler *d, const dm_node *x)
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
void dm_put_signature(demangler *d, const dm_node *x)
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

void dm_put_float(demangler *d, const dm_node *x)
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
