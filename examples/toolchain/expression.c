/* expression.c - tokens, and expressions as trees */
#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----- tokens ----- */

void wrong(const parser *p, const char *what)
{
    char near[40];
    snprintf(near, sizeof near, "%.*s", p->size, p->text);
    fail(p->u->file, p->line, what, near);
}

static int letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int digit(int c) { return c >= '0' && c <= '9'; }

static int escaped(parser *p)     /* a character of a string */
{
    static const char from[] = "nrt0\\'\"", to[] = "\n\r\t\0\\'\"";
    int c = *p->at++;
    const char *k;
    if (c == '\\') {
        k = *p->at != 0 ? strchr(from, *p->at++) : NULL;
        if (k == NULL) wrong(p, "unknown escape");
        else c = to[k - from];
    }
    return c;
}

void next(parser *p)
{
    static const char *const signs[] = { "...", "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
                                         "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=" };
    char *end;
    size_t i;
    for (;; p->at++) {
        if (*p->at == '\n') p->line++;
        if (p->at[0] == '/' && p->at[1] == '*') {
            for (p->at += 2; *p->at != 0 && (p->at[0] != '*' || p->at[1] != '/'); p->at++) p->line += *p->at == '\n';
            if (*p->at == 0) wrong(p, "comment without end");
            p->at++;
        } else if ((p->at[0] == '/' && p->at[1] == '/') || *p->at == '#') {
            p->size = 8;
            p->text = p->at;
            if (*p->at == '#' && strncmp(p->at, "#include <", 10) != 0) wrong(p, "there is no preprocessor");
            while (p->at[1] != '\n' && p->at[1] != 0) p->at++;
        } else if (*p->at == 0 || strchr(" \t\r\n", *p->at) == NULL) break;
    }
    p->text = p->at;
    if (*p->at == 0) p->kind = TK_END;
    else if (digit(*p->at)) {
        p->kind = TK_NUMBER;
        p->value = (int64_t)strtoull(p->at, &end, 0);
        p->is_unsigned = *end == 'u' || *end == 'U' || (p->at[0] == '0' && p->value > INT32_MAX);
        p->size = (int)(end - p->at);
        if (p->value < 0 || p->value > (p->is_unsigned ? (int64_t)UINT32_MAX : INT32_MAX))
            wrong(p, "too large a number");
        p->at = end + (*end == 'u' || *end == 'U');
    } else if (letter(*p->at)) {
        p->kind = TK_NAME;
        while (letter(*p->at) || digit(*p->at)) p->at++;
    } else if (*p->at == '"') {
        p->kind = TK_STRING;
        for (p->at++; *p->at != '"'; p->at += p->at[0] == '\\' && p->at[1] != 0 ? 2 : 1)
            if (*p->at == 0 || *p->at == '\n') wrong(p, "string without end");
        p->at++;
    } else if (*p->at == '\'') {
        p->kind = TK_NUMBER;
        if (*++p->at == 0) wrong(p, "character without end");
        p->value = (signed char)escaped(p);
        p->is_unsigned = 0;
        if (*p->at++ != '\'') wrong(p, "character without end");
    } else {
        p->kind = TK_SIGN;
        for (i = 0; i < sizeof signs / sizeof *signs && strncmp(p->at, signs[i], strlen(signs[i])) != 0; i++) {}
        p->at += i < sizeof signs / sizeof *signs ? strlen(signs[i]) : 1;
    }
    p->size = (int)(p->at - p->text);
}

int is(const parser *p, const char *text)
{
    return (p->kind == TK_SIGN || p->kind == TK_NAME) && strlen(text) == (size_t)p->size &&
           memcmp(p->text, text, (size_t)p->size) == 0;
}

int got(parser *p, const char *text)
{
    if (!is(p, text)) return 0;
    next(p);
    return 1;
}

void want(parser *p, const char *text)
{
    char what[40];
    snprintf(what, sizeof what, "%s is missing", text);
    if (!got(p, text)) wrong(p, what);
}

/* ----- expressions: trees ----- */

void nest(parser *p)
{
    if (++p->nesting > MOST_NESTING) wrong(p, "nested too deeply");
}

static expr *make(parser *p, kind k, int type, expr *a, expr *b)
{
    expr *e = (expr *)zeros(1, sizeof *e);
    e->made = p->made;
    p->made = e;
    e->kind = k;
    e->type = type;
    e->op = NONE;
    e->a = a;
    e->b = b;
    e->height = 1 + (a != NULL ? a->height : 0);
    if (b != NULL && b->height >= e->height) e->height = b->height + 1;
    if (e->height > MOST_NESTING) wrong(p, "nested too deeply");
    return e;
}

expr *number(parser *p, int64_t value, int type)
{
    expr *e = make(p, E_NUMBER, type, NULL, NULL);
    e->value = (int32_t)value;
    return e;
}

int size_of(int type) { return type & T_POINTER ? 8 : type == T_CHAR || type == T_BYTE ? 1 : 4; }

static int promoted(const expr *a, const expr *b)
{
    if (a->type & T_POINTER || b->type & T_POINTER) return a->type & T_POINTER ? a->type : b->type;
    return a->type == T_UNSIGNED || b->type == T_UNSIGNED ? T_UNSIGNED : T_INT;
}

static expr *binary(parser *p, op o, expr *a, expr *b)
{
    const int shift = o == OP_SHL || o == OP_SHR;
    int type = shift ? (a->type == T_UNSIGNED ? T_UNSIGNED : T_INT) : promoted(a, b);
    int64_t value;
    expr *e;
    if (o == OP_SHR && type != T_UNSIGNED) o = OP_SAR;
    if (type == T_UNSIGNED && o == OP_DIV) o = OP_UDIV;
    if (type == T_UNSIGNED && o == OP_MOD) o = OP_UMOD;
    if (type & T_POINTER && (o != OP_ADD || a->type & b->type & T_POINTER) && (o != OP_SUB || b->type & T_POINTER))
        wrong(p, "pointers can only be moved");
    if (o == OP_ADD && b->type & T_POINTER) return binary(p, o, b, a);
    if (a->kind == E_NUMBER && b->kind == E_NUMBER && fold(o, 0, a->value, b->value, &value))
        return number(p, value, type);
    e = make(p, E_BINARY, type, a, b);
    e->op = (int)o;
    return e;
}

static expr *compare(parser *p, int cc, expr *a, expr *b)
{
    expr *e = make(p, E_COMPARE, T_INT, a, b);
    if (cc >= CC_LESS && promoted(a, b) != T_INT) {
        static const int below[4] = { CC_BELOW, CC_BELOW + 1, 6, 7 };
        cc = below[cc - CC_LESS];
    }
    e->cc = cc;
    return e;
}

static expr *assign(parser *p, int o, expr *a, expr *b)
{
    expr *e = make(p, E_ASSIGN, a->type == T_CHAR || a->type == T_BYTE ? T_INT : a->type, a, b);
    if (a->kind != E_LOCAL && a->kind != E_GLOBAL && a->kind != E_INDEX) wrong(p, "this has no place");
    if (o != NONE) e->b = binary(p, (op)o, a, b);
    return e;
}

static expr *index_of(parser *p, expr *a, expr *b)
{
    if (!(a->type & T_POINTER) || b->type & T_POINTER) wrong(p, "no array");
    return make(p, E_INDEX, a->type & ~T_POINTER, a, b);
}

static expr *step(parser *p, expr *a, op o, int post)       /* ++ and -- */
{
    expr *e = assign(p, (int)o, a, number(p, 1, T_INT));
    e->post = post;
    return e;
}

static int same(const char *name, const char *text, int size)
{
    return name != NULL && strlen(name) == (size_t)size && memcmp(name, text, (size_t)size) == 0;
}

int find_function(unit *u, const char *text, int size)
{
    int i;
    for (i = 0; i < u->functions; i++)
        if (same(u->f[i].name, text, size)) return i;
    u->f = (function *)room(u->f, u->functions, &u->function_cap, sizeof *u->f);
    u->f[i].name = (char *)zeros((size_t)size, 1);
    memcpy(u->f[i].name, text, (size_t)size);
    u->f[i].guid = csspgo_guid(text, (size_t)size);
    u->f[i].type = T_INT;
    u->functions++;
    return i;
}

static expr *call(parser *p, const char *text, int size)
{
    expr *e = make(p, E_CALL, T_INT, NULL, NULL), **last = &e->a;
    int n = 0;
    e->symbol = find_function(p->u, text, size);
    e->type = p->u->f[e->symbol].type;
    while (!is(p, ")")) {
        *last = assignment(p);
        last = &(*last)->next;
        if (++n > ARGUMENTS) wrong(p, "more than six arguments");
        if (!is(p, ")")) want(p, ",");
    }
    next(p);
    return e;
}

unsigned char *string(parser *p, size_t *size)
{
    unsigned char *s = (unsigned char *)zeros((size_t)p->size, 1);
    const char *const end = p->at;
    size_t n = 0;
    p->at = p->text + 1;
    while (p->at < end - 1) s[n++] = (unsigned char)escaped(p);
    p->at = end;
    next(p);
    *size = n + 1;
    return s;
}

global *add_global(unit *u, const char *text, int size, int type)
{
    global *g;
    u->global = (global *)room(u->global, u->globals, &u->global_cap, sizeof *u->global);
    g = &u->global[u->globals++];
    g->type = type;
    g->size = (size_t)size_of(type);
    if (text == NULL) return g;
    g->name = (char *)zeros((size_t)size, 1);
    memcpy(g->name, text, (size_t)size);
    return g;
}

int find_global(const unit *u, const char *text, int size)
{
    int i = u->globals;
    while (i-- > 0 && !same(u->global[i].name, text, size)) {}
    return i;
}

static expr *array(parser *p, int type, place where, int symbol)
{
    expr *e = make(p, E_ARRAY, type | T_POINTER, NULL, NULL);
    e->place = where;
    e->symbol = symbol;
    return e;
}

static expr *named(parser *p)
{
    const char *text = p->text;
    const int size = p->size;
    expr *e;
    int i;
    next(p);
    if (got(p, "(")) return call(p, text, size);
    for (i = p->name_count; i-- > 0;)
        if (p->names[i].size == size && memcmp(p->names[i].text, text, (size_t)size) == 0) {
            e = make(p, p->names[i].is.kind, p->names[i].is.type, NULL, NULL);
            e->symbol = p->names[i].is.symbol;
            e->place = p->names[i].is.place;
            e->value = p->names[i].is.value;
            return e;
        }
    i = find_global(p->u, text, size);
    if (i != NONE && p->u->global[i].is_array) return array(p, p->u->global[i].type, IN_GLOBAL, i);
    if (i != NONE) {
        e = make(p, E_GLOBAL, p->u->global[i].type, NULL, NULL);
        e->symbol = i;
        return e;
    }
    p->text = text;
    p->size = size;
    wrong(p, "unknown name");
    return NULL;
}

int is_type(const parser *p)
{
    return is(p, "int") || is(p, "unsigned") || is(p, "char") || is(p, "void") || is(p, "static") || is(p, "const") ||
           is(p, "extern");
}

int type_name(parser *p)
{
    int type = T_INT;
    while (is(p, "static") || is(p, "const") || is(p, "extern")) next(p);
    if (got(p, "unsigned")) {
        type = got(p, "char") ? T_BYTE : T_UNSIGNED;
        got(p, "int");
    } else if (got(p, "char")) type = T_CHAR;
    else if (got(p, "void")) type = T_VOID;
    else want(p, "int");
    while (is(p, "const")) next(p);
    return type;
}

static expr *prefixed(parser *p);

static expr *cast(parser *p, int type, expr *e)
{
    e = binary(p, OP_ADD, e, number(p, 0, T_INT));    /* an expression of its own, whose type can change */
    if (type == T_BYTE) e = binary(p, OP_AND, e, number(p, 255, T_INT));
    e->type = type == T_UNSIGNED ? T_UNSIGNED : T_INT;
    if (type != T_CHAR) return e;
    return binary(p, OP_SHR, binary(p, OP_SHL, e, number(p, 24, T_INT)), number(p, 24, T_INT));
}

static expr *unary(parser *p)
{
    expr *e;
    nest(p);
    e = prefixed(p);
    p->nesting--;
    return e;
}

static expr *prefixed(parser *p)
{
    expr *e;
    if (got(p, "-")) return binary(p, OP_SUB, number(p, 0, T_INT), unary(p));
    if (got(p, "+")) return unary(p);
    if (got(p, "~")) return binary(p, OP_XOR, unary(p), number(p, -1, T_INT));
    if (got(p, "!")) return make(p, E_NOT, T_INT, unary(p), NULL);
    if (got(p, "++")) return step(p, unary(p), OP_ADD, 0);
    if (got(p, "--")) return step(p, unary(p), OP_SUB, 0);
    if (got(p, "*")) return index_of(p, unary(p), number(p, 0, T_INT));
    if (got(p, "&")) {
        e = unary(p);
        if (e->kind != E_INDEX) wrong(p, "only elements of arrays have an address");
        return binary(p, OP_ADD, e->a, e->b);
    }
    if (got(p, "(")) {
        if (is_type(p)) {
            const int type = type_name(p);
            want(p, ")");
            e = unary(p);
            return cast(p, type, e);
        }
        for (e = assignment(p); got(p, ",");) {
            e = make(p, E_COMMA, T_INT, e, assignment(p));
            e->type = e->b->type;
        }
        want(p, ")");
    } else if (p->kind == TK_NUMBER) {
        e = number(p, p->value, p->is_unsigned ? T_UNSIGNED : T_INT);
        next(p);
    } else if (p->kind == TK_STRING) {
        size_t size;
        unsigned char *s = string(p, &size);
        global *g = add_global(p->u, NULL, 0, T_CHAR);
        g->is_array = 1;
        g->size = size;
        g->init = s;
        e = array(p, T_CHAR, IN_GLOBAL, p->u->globals - 1);
    } else {
        if (p->kind != TK_NAME) wrong(p, "an expression is missing");
        e = named(p);
    }
    for (;;) {
        if (got(p, "[")) {
            e = index_of(p, e, assignment(p));
            want(p, "]");
        } else if (got(p, "++")) e = step(p, e, OP_ADD, 1);
        else if (got(p, "--")) e = step(p, e, OP_SUB, 1);
        else return e;
    }
}

/* Binary operators, and how closely they bind. Those with a condition compare. */
static const struct { const char *text; int binds; op o; int cc; } operators[] = {
    { "*", 10, OP_MUL, NONE }, { "/", 10, OP_DIV, NONE }, { "%", 10, OP_MOD, NONE }, { "+", 9, OP_ADD, NONE },
    { "-", 9, OP_SUB, NONE }, { "<<", 8, OP_SHL, NONE }, { ">>", 8, OP_SHR, NONE }, { "<", 7, OP_SET, CC_LESS },
    { ">=", 7, OP_SET, CC_LESS + 1 }, { "<=", 7, OP_SET, CC_LESS + 2 }, { ">", 7, OP_SET, CC_LESS + 3 },
    { "==", 6, OP_SET, CC_EQUAL }, { "!=", 6, OP_SET, CC_UNEQUAL }, { "&", 5, OP_AND, NONE }, { "^", 4, OP_XOR, NONE },
    { "|", 3, OP_OR, NONE }, { "&&", 2, OP_SET, NONE }, { "||", 1, OP_SET, NONE } };
enum { OPERATORS = sizeof operators / sizeof *operators, ASSIGNING = 10 };

expr *operation(parser *p, int binds)
{
    expr *e = unary(p), *right;
    int i;
    for (;;) {
        for (i = 0; i < OPERATORS && !(is(p, operators[i].text) && operators[i].binds >= binds); i++) {}
        if (i == OPERATORS) return e;
        next(p);
        right = operation(p, operators[i].binds + 1);
        if (operators[i].cc != NONE) e = compare(p, operators[i].cc, e, right);
        else if (operators[i].binds <= 2) e = make(p, operators[i].binds == 2 ? E_AND : E_OR, T_INT, e, right);
        else e = binary(p, operators[i].o, e, right);
    }
}

expr *assignment(parser *p)
{
    static const char *const sign[] = { "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=" };
    static const op does[] = { OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR, OP_AND, OP_XOR, OP_OR };
    expr *e, *c;
    int i;
    nest(p);
    e = operation(p, 1);
    for (i = 0; i < ASSIGNING && !is(p, sign[i]); i++) {}
    if (i < ASSIGNING) {
        next(p);
        e = assign(p, (int)does[i], e, assignment(p));
    } else if (got(p, "=")) e = assign(p, NONE, e, assignment(p));
    else if (got(p, "?")) {
        c = make(p, E_CHOICE, T_INT, e, assignment(p));
        want(p, ":");
        c->c = assignment(p);
        c->type = promoted(c->b, c->c);
        e = c;
    }
    p->nesting--;
    return e;
}

expr *expression(parser *p)
{
    expr *e = assignment(p);
    while (got(p, ",")) e = make(p, E_COMMA, T_INT, e, assignment(p));
    return e;
}
