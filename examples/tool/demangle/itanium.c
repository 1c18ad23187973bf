/* itanium.c - reads mangled names of C++ into a tree: the grammar of the Itanium ABI, as LLVM 19 knows it */
#include "demangle.h"

typedef struct dm_operator {
    char          code[3];
    unsigned char kind, precedence;
    char          text[17];
} dm_operator;

typedef struct dm_state {         /* of the name of a function */
    int           plain_return;   /* constructor, destructor or conversion: no return type */
    int           ends_with_args;
    unsigned char cv, ref;
} dm_state;

static void dm_push(demangler *d, uint32_t node);          /* a new substitution */
static uint32_t dm_name(demangler *d, dm_state *state);
static uint32_t dm_source_name(demangler *d);
static uint32_t dm_unscoped(demangler *d, dm_state *state, int *is_sub);
static int dm_sequence(demangler *d, size_t *value);       /* digits, capitals, "_"; 0: not there */
static uint32_t dm_unnamed(demangler *d, dm_state *state); /* "Ut", "Ul" */
static int dm_at_param(const demangler *d);                /* 1 if a parameter of a template is declared */
static uint32_t dm_declared_param(demangler *d, int keep); /* keep: T_ stands for it */
static uint32_t dm_template_param(demangler *d);           /* T_ */
static uint32_t dm_type(demangler *d);
static uint32_t dm_parameters(demangler *d);               /* types up to the end of a function; 0: none */
static uint32_t dm_template_args(demangler *d, int tagged);
static uint32_t dm_literal(demangler *d);                  /* behind its L */
static uint32_t dm_expression(demangler *d);
static uint32_t dm_constraint(demangler *d);               /* behind its Q */
static uint32_t dm_shaped(demangler *d, dm_shape shape, unsigned precedence, const char *text, uint32_t a, uint32_t b);

/* ----- what is left of the name, nodes ---------------------------------------------------------------------------- */

uint32_t dm_fail(demangler *d)
{
    d->failed = 1;
    return 0;
}

uint32_t dm_new(demangler *d, dm_kind kind, uint32_t a, uint32_t b)
{
    dm_node *n;
    if (d->failed || d->nodes == DM_NODES) return dm_fail(d);
    n = &d->node[d->nodes];
    memset(n, 0, sizeof *n);
    n->kind = (unsigned char)kind;
    n->a = a;
    n->b = b;
    return d->nodes++;
}

uint32_t dm_text(demangler *d, dm_kind kind, const char *text, size_t size)
{
    const uint32_t n = dm_new(d, kind, 0, 0);
    d->node[n].text = text;
    d->node[n].size = (uint32_t)size;
    return n;
}

static uint32_t dm_constant(demangler *d, const char *text)
{
    return dm_text(d, DM_NAME, text, strlen(text));
}

char dm_at(const demangler *d, size_t i)
{
    return i < (size_t)(d->end - d->p) ? d->p[i] : '\0';
}

int dm_take(demangler *d, const char *text)
{
    const size_t n = strlen(text);
    if ((size_t)(d->end - d->p) < n || memcmp(d->p, text, n) != 0) return 0;
    d->p += n;
    return 1;
}

int dm_enter(demangler *d)
{
    if (d->depth == DM_DEPTH) return dm_fail(d), 0;
    d->depth++;
    return 1;
}

uint32_t dm_leave(demangler *d, uint32_t node)
{
    d->depth--;
    return d->failed ? 0 : node;
}

size_t dm_number(demangler *d, const char **text)
{
    *text = d->p;
    while (dm_at(d, 0) >= '0' && dm_at(d, 0) <= '9') d->p++;
    return (size_t)(d->p - *text);
}

static void dm_push(demangler *d, uint32_t node)
{
    if (d->failed) return;
    if (d->subs == DM_SUBS) dm_fail(d);
    else d->sub[d->subs++] = node;
}

/* ----- operators, in names of functions and in expressions -------------------------------------------------------- */

/*
 * By code: the Itanium C++ ABI's <operator-name> and <expression>.
 * From DM_OP_CAST on, and ".", ".*": not in the name of a function.
 */
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
static const dm_operator *dm_take_operator(demangler *d)
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

static uint32_t dm_operator_name(demangler *d, dm_state *state)
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

/* ----- lists, qualifiers ------------------------------------------------------------------------------------------ */

static uint32_t dm_append(demangler *d, uint32_t *first, uint32_t last, uint32_t item)
{
    const uint32_t n = dm_new(d, DM_LIST, item, 0);
    if (d->failed) return 0;
    if (last != 0) d->node[last].b = n;
    else *first = n;
    return n;
}

static unsigned char dm_qualifiers(demangler *d)
{
    unsigned char cv = 0;
    if (dm_take(d, "r")) cv |= DM_RESTRICT;
    if (dm_take(d, "V")) cv |= DM_VOLATILE;
    if (dm_take(d, "K")) cv |= DM_CONST;
    return cv;
}

static uint32_t dm_parameters(demangler *d)
{
    uint32_t list = 0, last = 0;
    if (dm_take(d, "v")) return 0;
    do last = dm_append(d, &list, last, dm_type(d));
    while (!d->failed && d->p != d->end && *d->p != 'E' && *d->p != '.' && *d->p != '_' && *d->p != 'Q');
    return list;
}

/* ----- types ------------------------------------------------------------------------------------------------------ */

/* The name of a type that is never a substitution, <builtin-type> of the Itanium C++ ABI; 0: it is another one. */
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

static uint32_t dm_decltype(demangler *d)
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

static uint32_t dm_type(demangler *d)
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

/* ----- arguments of templates, literals --------------------------------------------------------------------------- */

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
static uint32_t dm_literal(demangler *d)
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

static uint32_t dm_template_arg(demangler *d)
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
static uint32_t dm_template_args(demangler *d, int tagged)
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

/* ----- parameters that lambdas' templates declare ----------------------------------------------------------------- */

static int dm_at_param(const demangler *d)
{
    const char x = dm_at(d, 1);
    return dm_at(d, 0) == 'T' && (x == 'y' || x == 'p' || x == 't' || x == 'n' || x == 'k');
}

/* A name for what has none: $T, $T0, $T1 ... */
static uint32_t made_name(demangler *d, unsigned kind, int keep)
{
    static const char *const letters[3] = { "$T", "$N", "$TT" };
    const uint32_t n = dm_text(d, DM_PARAMETER, letters[kind], strlen(letters[kind]));
    if (d->failed) return 0;
    d->node[n].cv = DM_PACK_PARAM + 1;
    d->node[n].c = d->made[kind]++;
    if (!keep) return n;
    if (d->params == DM_PARAMS) return dm_fail(d);
    d->param[d->params++] = n;
    return n;
}

static uint32_t parameter(demangler *d, unsigned kind, uint32_t a, uint32_t name, const char *text)
{
    const uint32_t n = dm_text(d, DM_PARAMETER, text, strlen(text));
    if (d->failed) return 0;
    d->node[n].cv = (unsigned char)kind;
    d->node[n].a = a;
    d->node[n].b = name;
    return n;
}

/* A new level of parameters. Returns 0 if there are too many. */
static int begin_level(demangler *d)
{
    if (d->levels == DM_LEVELS) return dm_fail(d), 0;
    d->level[d->levels++] = d->params;
    return 1;
}

static uint32_t template_template(demangler *d, int keep)
{
    const uint32_t name = made_name(d, DM_TEMPLATE_PARAM, keep), params = d->params, levels = d->levels;
    uint32_t list = 0, last = 0;
    if (!begin_level(d)) return 0;
    while (!d->failed && !dm_take(d, "E")) {
        if (dm_take(d, "Q")) {
            dm_constraint(d);
            if (!dm_take(d, "E")) dm_fail(d);
            break;
        }
        last = dm_append(d, &list, last, dm_declared_param(d, 1));
    }
    d->params = params;
    d->levels = levels;
    return parameter(d, DM_TEMPLATE_PARAM, list, name, "");
}

static uint32_t declared_here(demangler *d, int keep)
{
    uint32_t a, name;
    if (dm_take(d, "Ty")) return name = made_name(d, 0, keep), parameter(d, DM_TYPE_PARAM, 0, name, "typename ");
    if (dm_take(d, "Tk")) {
        a = dm_name(d, NULL);
        name = made_name(d, 0, keep);
        return parameter(d, DM_TYPE_PARAM, a, name, " ");
    }
    if (dm_take(d, "Tn")) {
        name = made_name(d, 1, keep);
        a = dm_type(d);
        return parameter(d, DM_VALUE_PARAM, a, name, "");
    }
    if (dm_take(d, "Tt")) return template_template(d, keep);
    if (dm_take(d, "Tp")) return a = dm_declared_param(d, keep), parameter(d, DM_PACK_PARAM, a, 0, "...");
    return dm_fail(d);
}

static uint32_t dm_declared_param(demangler *d, int keep)
{
    if (!dm_enter(d)) return 0;
    return dm_leave(d, declared_here(d, keep));
}

/* ----- lambdas ---------------------------------------------------------------------------------------------------- */

static uint32_t lambda_signature(demangler *d)
{
    uint32_t templates = 0, list = 0, last = 0, first = 0, second = 0, n;
    while (!d->failed && dm_at_param(d)) last = dm_append(d, &templates, last, dm_declared_param(d, 1));
    if (templates == 0) d->levels--;
    else if (dm_take(d, "Q")) first = dm_constraint(d);
    last = 0;
    if (!dm_take(d, "v"))
        do last = dm_append(d, &list, last, dm_type(d));
        while (!d->failed && dm_at(d, 0) != 'E' && dm_at(d, 0) != 'Q');
    if (dm_take(d, "Q")) second = dm_constraint(d);
    if (!dm_take(d, "E")) return dm_fail(d);
    n = dm_new(d, DM_LIST, first, second);
    first = n;
    n = dm_new(d, DM_SIGNATURE, templates, list);
    if (!d->failed) d->node[n].c = first;
    return n;
}

static uint32_t lambda(demangler *d)
{
    const int before = d->lambda;
    const uint32_t params = d->params, levels = d->levels;
    uint32_t n;
    d->lambda = 1 + (int)d->levels;
    if (!begin_level(d)) return 0;
    n = lambda_signature(d);
    d->lambda = before;
    d->params = params;
    d->levels = levels;
    return dm_new(d, DM_LAMBDA, n, 0);
}

static uint32_t dm_unnamed(demangler *d, dm_state *state)
{
    const char *digits;
    size_t size;
    uint32_t n;
    if (state != NULL) d->params = d->levels = 0;
    if (dm_take(d, "Ub")) {
        dm_number(d, &digits);
        return dm_take(d, "_") ? dm_constant(d, "'block-literal'") : dm_fail(d);
    }
    if (dm_take(d, "Ul")) n = lambda(d);
    else n = dm_take(d, "Ut") ? dm_new(d, DM_UNNAMED, 0, 0) : dm_fail(d);
    size = dm_number(d, &digits);
    if (d->failed || !dm_take(d, "_")) return dm_fail(d);
    d->node[n].text = digits;
    d->node[n].size = (uint32_t)size;
    return n;
}

/* ----- T_ --------------------------------------------------------------------------------------------------------- */

/* T_, T0_, TL0__ ...: an argument of the template; "auto" in the parameters of a generic lambda. */
static uint32_t dm_template_param(demangler *d)
{
    const char *const begin = d->p, *digits;
    size_t i, n, index = 0, level = 0, end;
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
    if (d->constraint) return dm_text(d, DM_NAME, begin, (size_t)(d->p - 1 - begin));
    if (d->forward && level == 0) {
        const uint32_t forward = dm_new(d, DM_FORWARD, 0, 0);
        if (!d->failed) d->node[forward].size = (uint32_t)index;
        return forward;
    }
    if (level < d->levels) {
        end = level + 1 < d->levels ? d->level[level + 1] : d->params;
        if (index < end - d->level[level]) return d->param[d->level[level] + index];
    }
    if (d->lambda == 0 || level + 1 != (size_t)d->lambda || level > d->levels) return dm_fail(d);
    if (level == d->levels) begin_level(d);
    return dm_constant(d, "auto");
}

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
static int dm_sequence(demangler *d, size_t *value)
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

static uint32_t dm_substitution(demangler *d)
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
    if (!dm_sequence(d, &value) || value >= d->subs) return dm_fail(d);
    return d->sub[value];
}

/* ----- the last part of a name ------------------------------------------------------------------------------------ */

static uint32_t dm_source_name(demangler *d)
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

/* A constructor or destructor of the class; that is spelt out if it is std::string or the like. */
static uint32_t dm_ctor(demangler *d, uint32_t *scope, dm_state *state)
{
    const int dtor = dm_at(d, 0) == 'D', inherited = !dtor && dm_at(d, 1) == 'I';
    const char x = dm_at(d, inherited ? 2 : 1);
    if (*scope == 0 || x < '0' || x > '5') return dm_fail(d);
    d->p += inherited ? 3 : 2;
    if (inherited) dm_name(d, state);
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

/* DC NAME* E: the variables that one declaration takes a value apart into. */
static uint32_t dm_bindings(demangler *d)
{
    uint32_t list = 0, last = 0, n;
    while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &list, last, dm_source_name(d));
    n = dm_text(d, DM_BEHIND, "[", 1);
    if (d->failed || list == 0) return dm_fail(d);
    d->node[n].b = list;
    d->node[n].cv = 1;
    return n;
}

static uint32_t dm_unqualified(demangler *d, dm_state *state, uint32_t scope)
{
    const int is_friend = scope != 0 && dm_take(d, "F");
    uint32_t n;
    char x;
    dm_take(d, "L");
    x = dm_at(d, 0);
    if (x >= '1' && x <= '9') n = dm_source_name(d);
    else if (x == 'U') n = dm_unnamed(d, state);
    else if (dm_take(d, "DC")) n = dm_bindings(d);
    else if (x == 'C' || x == 'D') n = dm_ctor(d, &scope, state);
    else n = dm_operator_name(d, state);
    n = dm_tags(d, n);
    if (is_friend) {
        const uint32_t before = dm_text(d, DM_PREFIXED, "friend ", 7);
        d->node[before].a = n;
        n = before;
    }
    return scope != 0 ? dm_new(d, DM_NESTED, scope, n) : d->failed ? 0 : n;
}

/* ----- names with scopes ------------------------------------------------------------------------------------------ */

static uint32_t dm_unscoped(demangler *d, dm_state *state, int *is_sub)
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
    if (x == 'D' && (dm_take(d, "DT") || dm_take(d, "Dt"))) return so_far == 0 ? dm_decltype(d) : dm_fail(d);
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

/* The name of something in a function, where parameters of templates around the function are out of sight. */
static uint32_t dm_entity(demangler *d, dm_state *state)
{
    uint32_t level[DM_LEVELS], n;
    const uint32_t levels = d->levels, params = d->params;
    if (state != NULL) return dm_name(d, state);
    memcpy(level, d->level, sizeof level);
    d->levels = 0;
    n = dm_name(d, NULL);
    memcpy(d->level, level, sizeof level);
    d->levels = levels;
    d->params = params;
    return n;
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
        n = dm_entity(d, state);
        dm_discriminator(d);
    }
    return dm_new(d, DM_NESTED, function, n);
}

static uint32_t dm_name(demangler *d, dm_state *state)
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
        if (!dm_sequence(d, &ignored)) return dm_fail(d);
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

/* Gives parameters that stood before the arguments their meaning. */
static void dm_resolve(demangler *d, uint32_t from)
{
    for (; from < d->nodes && !d->failed; from++) {
        const uint32_t index = d->node[from].size;
        if (d->node[from].kind != DM_FORWARD) continue;
        if (d->levels == 0 || index >= d->params) dm_fail(d);
        else d->node[from] = d->node[d->param[index]];
    }
}

/* Something behind a function, a list if it is one, up to a bracket. */
static uint32_t dm_behind(demangler *d, uint32_t n, const char *text, uint32_t what, int is_list)
{
    const uint32_t behind = dm_text(d, DM_BEHIND, text, strlen(text));
    if (d->failed) return 0;
    d->node[behind].a = n;
    d->node[behind].b = what;
    d->node[behind].cv = (unsigned char)is_list;
    return behind;
}

/* Behind the name: what a function returns, takes and requires. */
static uint32_t dm_declarator(demangler *d, uint32_t name, const dm_state *state)
{
    uint32_t n, result = 0, enabled = 0, last = 0;
    if (dm_take(d, "Ua9enable_ifI"))
        while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &enabled, last, dm_template_arg(d));
    if (state->ends_with_args && !state->plain_return) result = dm_type(d);
    n = dm_new(d, DM_ENCODING, name, 0);
    result = d->failed ? 0 : result;
    d->node[n].b = dm_parameters(d);
    d->node[n].c = result;
    d->node[n].cv = state->cv;
    d->node[n].ref = state->ref;
    if (enabled != 0) n = dm_behind(d, n, " [enable_if:", enabled, 1);
    if (dm_take(d, "Q")) n = dm_behind(d, n, " requires ", dm_constraint(d), 0);
    return n;
}

/* A name, with the types of its parameters if it is a function's. Parameters of templates outside are out of sight. */
uint32_t dm_encoding(demangler *d)
{
    uint32_t param[DM_PARAMS], level[DM_LEVELS];
    const uint32_t params = d->params, levels = d->levels, first = d->nodes;
    const int lambda = d->lambda, forward = d->forward, plain = d->plain;
    uint32_t n;
    dm_state state;
    if (!dm_enter(d)) return 0;
    if (dm_at(d, 0) == 'T' || dm_at(d, 0) == 'G') return dm_leave(d, dm_special(d));
    memcpy(param, d->param, params * sizeof *param);
    memcpy(level, d->level, sizeof level);
    d->params = d->levels = 0;
    d->forward = d->plain = 0;
    memset(&state, 0, sizeof state);
    n = dm_name(d, &state);
    dm_resolve(d, first);
    if (!d->failed && !at_end(d)) n = dm_declarator(d, n, &state);
    memcpy(d->param, param, params * sizeof *param);
    memcpy(d->level, level, sizeof level);
    d->params = params;
    d->levels = levels;
    d->lambda = lambda;
    d->forward = forward;
    d->plain = plain;
    return dm_leave(d, n);
}

/* ----- expressions ------------------------------------------------------------------------------------------------ */

static uint32_t dm_shaped(demangler *d, dm_shape shape, unsigned precedence, const char *text, uint32_t a, uint32_t b)
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

/* ----- operators and their operands ------------------------------------------------------------------------------- */

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

static uint32_t dm_expression(demangler *d)
{
    if (!dm_enter(d)) return 0;
    return dm_leave(d, expression_here(d));
}

static uint32_t dm_constraint(demangler *d)
{
    const int before = d->constraint;
    uint32_t n;
    d->constraint = 1;
    n = dm_expression(d);
    d->constraint = before;
    return n;
}
