/* demangle_operator.c - mangled names: operators, in names of functions and in expressions */
#include "demangle.h"

/* By code. From DM_OP_CAST on, and ".", ".*": not in the name of a function. */
static const dm_operator operators[] = {
    { "aN", DM_OP_BINARY, DM_P_ASSIGN, "&=" }, { "aS", DM_OP_BINARY, DM_P_ASSIGN, "=" },
    { "aa", DM_OP_BINARY, DM_P_AND_IF, "&&" }, { "ad", DM_OP_PREFIX, DM_P_UNARY, "&" },
    { "an", DM_OP_BINARY, DM_P_AND, "&" }, { "at", DM_OP_OF_TYPE, DM_P_UNARY, "alignof " },
    { "aw", DM_OP_NAME, DM_P_PRIMARY, " co_await" }, { "az", DM_OP_OF, DM_P_UNARY, "alignof " },
    { "cc", DM_OP_CAST, DM_P_POSTFIX, "const_cast" }, { "cl", DM_OP_CALL, DM_P_POSTFIX, "()" },
    { "cm", DM_OP_BINARY, DM_P_COMMA, "," }, { "co", DM_OP_PREFIX, DM_P_UNARY, "~" },
    { "dV", DM_OP_BINARY, DM_P_ASSIGN, "/=" }, { "da", DM_OP_DELETE, DM_P_UNARY, " delete[]" },
    { "dc", DM_OP_CAST, DM_P_POSTFIX, "dynamic_cast" }, { "de", DM_OP_PREFIX, DM_P_UNARY, "*" },
    { "dl", DM_OP_DELETE, DM_P_UNARY, " delete" }, { "ds", DM_OP_MEMBER, DM_P_POINTER, ".*" },
    { "dt", DM_OP_MEMBER, DM_P_POSTFIX, "." }, { "dv", DM_OP_BINARY, DM_P_PRODUCT, "/" },
    { "eO", DM_OP_BINARY, DM_P_ASSIGN, "^=" }, { "eo", DM_OP_BINARY, DM_P_XOR, "^" },
    { "eq", DM_OP_BINARY, DM_P_EQUAL, "==" }, { "ge", DM_OP_BINARY, DM_P_LESS, ">=" },
    { "gt", DM_OP_BINARY, DM_P_LESS, ">" }, { "ix", DM_OP_SUBSCRIPT, DM_P_POSTFIX, "[]" },
    { "lS", DM_OP_BINARY, DM_P_ASSIGN, "<<=" }, { "le", DM_OP_BINARY, DM_P_LESS, "<=" },
    { "ls", DM_OP_BINARY, DM_P_SHIFT, "<<" }, { "lt", DM_OP_BINARY, DM_P_LESS, "<" },
    { "mI", DM_OP_BINARY, DM_P_ASSIGN, "-=" }, { "mL", DM_OP_BINARY, DM_P_ASSIGN, "*=" },
    { "mi", DM_OP_BINARY, DM_P_SUM, "-" }, { "ml", DM_OP_BINARY, DM_P_PRODUCT, "*" },
    { "mm", DM_OP_POSTFIX, DM_P_POSTFIX, "--" }, { "na", DM_OP_NEW, DM_P_UNARY, " new[]" },
    { "ne", DM_OP_BINARY, DM_P_EQUAL, "!=" }, { "ng", DM_OP_PREFIX, DM_P_UNARY, "-" },
    { "nt", DM_OP_PREFIX, DM_P_UNARY, "!" }, { "nw", DM_OP_NEW, DM_P_UNARY, " new" },
    { "oR", DM_OP_BINARY, DM_P_ASSIGN, "|=" }, { "oo", DM_OP_BINARY, DM_P_OR_IF, "||" },
    { "or", DM_OP_BINARY, DM_P_OR, "|" }, { "pL", DM_OP_BINARY, DM_P_ASSIGN, "+=" },
    { "pl", DM_OP_BINARY, DM_P_SUM, "+" }, { "pm", DM_OP_MEMBER, DM_P_POINTER, "->*" },
    { "pp", DM_OP_POSTFIX, DM_P_POSTFIX, "++" }, { "ps", DM_OP_PREFIX, DM_P_UNARY, "+" },
    { "pt", DM_OP_MEMBER, DM_P_POSTFIX, "->" }, { "qu", DM_OP_CONDITIONAL, DM_P_CONDITIONAL, "?" },
    { "rM", DM_OP_BINARY, DM_P_ASSIGN, "%=" }, { "rS", DM_OP_BINARY, DM_P_ASSIGN, ">>=" },
    { "rc", DM_OP_CAST, DM_P_POSTFIX, "reinterpret_cast" }, { "rm", DM_OP_BINARY, DM_P_PRODUCT, "%" },
    { "rs", DM_OP_BINARY, DM_P_SHIFT, ">>" }, { "sc", DM_OP_CAST, DM_P_POSTFIX, "static_cast" },
    { "ss", DM_OP_BINARY, DM_P_SPACESHIP, "<=>" }, { "st", DM_OP_OF_TYPE, DM_P_UNARY, "sizeof " },
    { "sz", DM_OP_OF, DM_P_UNARY, "sizeof " }, { "te", DM_OP_OF, DM_P_POSTFIX, "typeid " },
    { "ti", DM_OP_OF_TYPE, DM_P_POSTFIX, "typeid " }
};

/* The operator that comes next, which is then read; NULL: none does. */
const dm_operator *dm_take_operator(demangler *d)
{
    size_t i;
    for (i = 0; i < sizeof operators / sizeof *operators; i++)
        if (dm_take(d, operators[i].code)) return &operators[i];
    return NULL;
}

/* cv TYPE. Parameters in it may be those of arguments that follow. */
static uint32_t conversion(demangler *d, dm_state *state)
{
    const int forward = d->forward, plain = d->plain;
    uint32_t n;
    if (state != NULL) d->forward = 1;
    d->plain = 1;
    n = dm_type(d);
    d->forward = forward;
    d->plain = plain;
    if (state != NULL) state->plain_return = 1;
    return dm_new(d, DM_CONVERSION, n, 0);
}

static uint32_t prefixed(demangler *d, const char *before, const char *text, size_t size)
{
    const uint32_t n = dm_text(d, DM_PREFIXED, before, strlen(before));
    d->node[n].a = dm_text(d, DM_NAME, text, size);
    return d->failed ? 0 : n;
}

uint32_t dm_operator_name(demangler *d, dm_state *state)
{
    const dm_operator *op;
    uint32_t n;
    if (dm_take(d, "cv")) return conversion(d, state);
    if (dm_take(d, "li")) {
        n = dm_source_name(d);
        return prefixed(d, "operator\"\" ", d->node[n].text, d->node[n].size);
    }
    if (dm_at(d, 0) == 'v' && dm_at(d, 1) >= '0' && dm_at(d, 1) <= '9') {
        d->p += 2;
        n = dm_source_name(d);
        return dm_new(d, DM_CONVERSION, n, 0);
    }
    op = dm_take_operator(d);
    if (op == NULL || op->kind >= DM_OP_CAST || op->text[0] == '.') return dm_fail(d);
    return prefixed(d, "operator", op->text, strlen(op->text));
}
