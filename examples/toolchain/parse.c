/* parse.c - a subset of C becomes functions of blocks
 *
 * The subset: functions; int, unsigned, and pointers to int, unsigned, char and unsigned char; arrays of these; scalar
 * variables of the first kinds; all operators but sizeof and & of scalars; if, while, do, for, switch, break, continue,
 * return; enum constants. #include is skipped, and a function that is not declared is one of the C library that returns
 * int, so that other compilers compile the same source. Integers wrap (-fwrapv).
 */
#include "minic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { E_NUMBER, E_LOCAL, E_ARRAY, E_GLOBAL, E_INDEX, E_BINARY, E_COMPARE, E_NOT, E_AND, E_OR, E_CHOICE,
                    E_ASSIGN, E_CALL, E_COMMA } kind;

typedef struct expr {
    kind         kind;
    int          type, symbol;    /* symbol: register, global, function, bytes of the frame */
    int          op, cc, post;    /* of an assignment: NONE, or what it does; post: its value is the old one */
    place        place;
    int64_t      value;
    struct expr *a, *b, *c, *next;/* next: of a call's arguments, which begin at a */
    struct expr *made;            /* the one that was made before, for free() */
} expr;

typedef struct name {             /* of a local variable, or an enum constant (with function NONE) */
    const char *text;
    int         size;
    expr        is;
} name;

typedef struct choice { int64_t value; int block; } choice;   /* a case of a switch */

enum { TK_END, TK_NUMBER, TK_STRING, TK_NAME, TK_SIGN };

typedef struct parser {
    unit       *u;
    const char *at;
    int         line, kind, size; /* the next token */
    const char *text;
    int64_t     value;
    int         is_unsigned;      /* the number */
    int         f, now;           /* function, block */
    int         depth, constants, to_break, to_continue;   /* constants: enum's, the first names */
    name       *names;
    int         name_count, name_cap;
    int        *order;            /* blocks, as their code stands in the source */
    int         ordered, order_cap;
    choice     *cases;            /* of the switch */
    int         case_count, case_cap, otherwise;
    expr       *made;
} parser;

typedef struct operand { int reg; int64_t imm; } operand;     /* a register, or with NONE a number */

static operand generate(parser *p, const expr *e);
static expr *assignment(parser *p);
static void statement(parser *p);

/* ----- tokens ----- */

static void wrong(const parser *p, const char *what)
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

static void next(parser *p)
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
        p->at++;
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

static int is(const parser *p, const char *text)
{
    return (p->kind == TK_SIGN || p->kind == TK_NAME) && strlen(text) == (size_t)p->size &&
           memcmp(p->text, text, (size_t)p->size) == 0;
}

static int accept(parser *p, const char *text)
{
    if (!is(p, text)) return 0;
    next(p);
    return 1;
}

static void want(parser *p, const char *text)
{
    char what[40];
    snprintf(what, sizeof what, "%s is missing", text);
    if (!accept(p, text)) wrong(p, what);
}

/* ----- instructions and blocks ----- */

insn *append(block *b, op o)
{
    insn *n;
    int i;
    b->v = (insn *)room(b->v, b->n, &b->cap, sizeof *b->v);
    n = &b->v[b->n++];
    n->op = o;
    n->dst = NONE;
    for (i = 0; i < ARGUMENTS; i++) n->use[i] = NONE;
    return n;
}

int add_block(function *f)
{
    f->block = (block *)room(f->block, f->blocks, &f->block_cap, sizeof *f->block);
    return f->blocks++;
}

static function *here(const parser *p) { return &p->u->f[p->f]; }
static int fresh(parser *p) { return here(p)->registers++; }
static int new_block(parser *p) { return add_block(here(p)); }

static void start(parser *p, int b)
{
    p->now = b;
    here(p)->block[b].depth = p->depth;
    p->order = (int *)room(p->order, p->ordered, &p->order_cap, sizeof *p->order);
    p->order[p->ordered++] = b;
}

static int ended(const parser *p)
{
    const block *b = &here(p)->block[p->now];
    return b->n != 0 && b->v[b->n - 1].op >= OP_JUMP;
}

/* Code behind a return or a jump is in a block that nothing leads to. */
static insn *emit(parser *p, op o)
{
    if (ended(p)) start(p, new_block(p));
    return append(&here(p)->block[p->now], o);
}

static void jump(parser *p, int to)
{
    if (!ended(p)) emit(p, OP_JUMP)->to[0] = to;
}

static int in_register(parser *p, operand o)
{
    insn *n;
    if (o.reg != NONE) return o.reg;
    n = emit(p, OP_CONST);
    n->imm = o.imm;
    return n->dst = fresh(p);
}

static operand reg(int r)
{
    operand o = { NONE, 0 };
    o.reg = r;
    return o;
}

/* ----- expressions: trees ----- */

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
    return e;
}

static expr *number(parser *p, int64_t value, int type)
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

static int find_function(unit *u, const char *text, int size)
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

/* Reads a string into memory of its own, *size bytes with the 0 at its end. */
static unsigned char *string(parser *p, size_t *size)
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

static global *add_global(unit *u, const char *text, int size, int type)
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

static int find_global(const unit *u, const char *text, int size)
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
    if (accept(p, "(")) return call(p, text, size);
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

static int is_type(const parser *p)
{
    return is(p, "int") || is(p, "unsigned") || is(p, "char") || is(p, "void") || is(p, "static") || is(p, "const") ||
           is(p, "extern");
}

static int type_name(parser *p)
{
    int type = T_INT;
    while (is(p, "static") || is(p, "const") || is(p, "extern")) next(p);
    if (accept(p, "unsigned")) {
        type = accept(p, "char") ? T_BYTE : T_UNSIGNED;
        accept(p, "int");
    } else if (accept(p, "char")) type = T_CHAR;
    else if (accept(p, "void")) type = T_VOID;
    else want(p, "int");
    while (is(p, "const")) next(p);
    return type;
}

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
    if (accept(p, "-")) return binary(p, OP_SUB, number(p, 0, T_INT), unary(p));
    if (accept(p, "+")) return unary(p);
    if (accept(p, "~")) return binary(p, OP_XOR, unary(p), number(p, -1, T_INT));
    if (accept(p, "!")) return make(p, E_NOT, T_INT, unary(p), NULL);
    if (accept(p, "++")) return step(p, unary(p), OP_ADD, 0);
    if (accept(p, "--")) return step(p, unary(p), OP_SUB, 0);
    if (accept(p, "*")) return index_of(p, unary(p), number(p, 0, T_INT));
    if (accept(p, "&")) {
        e = unary(p);
        if (e->kind != E_INDEX) wrong(p, "only elements of arrays have an address");
        return binary(p, OP_ADD, e->a, e->b);
    }
    if (accept(p, "(")) {
        if (is_type(p)) {
            const int type = type_name(p);
            want(p, ")");
            e = unary(p);
            return cast(p, type, e);
        }
        for (e = assignment(p); accept(p, ",");) {
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
        if (accept(p, "[")) {
            e = index_of(p, e, assignment(p));
            want(p, "]");
        } else if (accept(p, "++")) e = step(p, e, OP_ADD, 1);
        else if (accept(p, "--")) e = step(p, e, OP_SUB, 1);
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

static expr *operation(parser *p, int binds)
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

static expr *assignment(parser *p)
{
    static const char *const sign[] = { "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=" };
    static const op does[] = { OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR, OP_AND, OP_XOR, OP_OR };
    expr *e = operation(p, 1), *c;
    int i;
    if (accept(p, "=")) return assign(p, NONE, e, assignment(p));
    for (i = 0; i < ASSIGNING; i++)
        if (accept(p, sign[i])) return assign(p, (int)does[i], e, assignment(p));
    if (!accept(p, "?")) return e;
    c = make(p, E_CHOICE, T_INT, e, assignment(p));
    want(p, ":");
    c->c = assignment(p);
    c->type = promoted(c->b, c->c);
    return c;
}

static expr *expression(parser *p)
{
    expr *e = assignment(p);
    while (accept(p, ",")) e = make(p, E_COMMA, T_INT, e, assignment(p));
    return e;
}

/* ----- expressions: code ----- */

static insn place_of(parser *p, const expr *e)
{
    insn n;
    operand o;
    int i;
    memset(&n, 0, sizeof n);
    for (i = 0; i < ARGUMENTS; i++) n.use[i] = NONE;
    n.type = e->type;
    n.place = IN_GLOBAL;
    n.symbol = e->symbol;
    if (e->kind == E_GLOBAL) return n;
    n.place = e->a->kind == E_ARRAY ? e->a->place : IN_REGISTER;
    n.symbol = e->a->symbol;
    if (n.place == IN_REGISTER) n.use[0] = in_register(p, generate(p, e->a));
    o = generate(p, e->b);
    n.use[1] = o.reg;
    if (o.reg == NONE) n.imm = o.imm * size_of(e->type);
    return n;
}

static insn *access_place(parser *p, op o, const insn *where)
{
    insn *n = emit(p, o);
    *n = *where;
    n->op = o;
    n->dst = NONE;
    return n;
}

static operand loaded(parser *p, const insn *where)
{
    insn *n = access_place(p, OP_LOAD, where);
    return reg(n->dst = fresh(p));
}

/* Which of its operands come from code that has been generated: old, and what a pointer moves by. */
static operand combine(parser *p, const expr *e, operand a, operand b)
{
    const int size = e->type & T_POINTER ? size_of(e->type & ~T_POINTER) : 1;
    const int left = in_register(p, a);
    insn *n;
    if (e->type & T_POINTER && b.reg == NONE) b.imm *= size;
    else if (e->type & T_POINTER) {
        n = emit(p, OP_EXTEND);
        n->use[0] = b.reg;
        b.reg = n->dst = fresh(p);
        if (size != 1) {
            n = emit(p, OP_MUL);
            n->wide = 1;
            n->use[0] = b.reg;
            n->imm = size;
            b.reg = n->dst = fresh(p);
        }
    }
    n = emit(p, (op)e->op);
    n->wide = e->type & T_POINTER ? 1 : 0;
    n->use[0] = left;
    n->use[1] = b.reg;
    n->imm = b.imm;
    return reg(n->dst = fresh(p));
}

static operand set_register(parser *p, int to, const expr *from, operand o)
{
    block *b = &here(p)->block[p->now];
    insn *n;
    if (b->n != 0 && o.reg != NONE && b->v[b->n - 1].dst == o.reg && from->kind >= E_GLOBAL && from->kind != E_ASSIGN &&
        from->kind != E_CHOICE && from->kind != E_COMMA) {
        b->v[b->n - 1].dst = to;
        return reg(to);
    }
    n = emit(p, o.reg == NONE ? OP_CONST : OP_COPY);
    n->dst = to;
    n->use[0] = o.reg;
    n->imm = o.imm;
    return reg(to);
}

static operand generate_assign(parser *p, const expr *e)
{
    const expr *const to = e->a;
    const int updates = e->b->kind == E_BINARY && e->b->a == to;    /* a op= b, where a is looked up once */
    insn where, *n;
    operand old = { NONE, 0 }, o;
    if (to->kind == E_LOCAL) {
        if (e->post) old = set_register(p, fresh(p), to, reg(to->symbol));
        o = set_register(p, to->symbol, e->b, generate(p, e->b));
        return e->post ? old : o;
    }
    where = place_of(p, to);
    if (updates) {
        old = loaded(p, &where);
        o = combine(p, e->b, old, generate(p, e->b->b));
    } else o = reg(in_register(p, generate(p, e->b)));
    n = access_place(p, OP_STORE, &where);
    n->use[2] = o.reg;
    if (e->post) return old;
    if (size_of(to->type) != 1) return o;
    return loaded(p, &where);                         /* the value is what fits */
}

static operand generate_call(parser *p, const expr *e)
{
    int use[ARGUMENTS], i = 0;
    const expr *a;
    insn *n;
    for (a = e->a; a != NULL; a = a->next) use[i++] = in_register(p, generate(p, a));
    n = emit(p, OP_CALL);
    while (i-- > 0) n->use[i] = use[i];
    n->symbol = e->symbol;
    return reg(n->dst = fresh(p));
}

/* Leads to one block or the other. */
static void branch(parser *p, const expr *e, int yes, int no)
{
    operand a, b = { NONE, 0 };
    insn *n;
    int middle;
    if (e->kind == E_NUMBER) {
        jump(p, e->value != 0 ? yes : no);
        return;
    }
    if (e->kind == E_NOT) {
        branch(p, e->a, no, yes);
        return;
    }
    if (e->kind == E_AND || e->kind == E_OR) {
        middle = new_block(p);
        branch(p, e->a, e->kind == E_AND ? middle : yes, e->kind == E_AND ? no : middle);
        start(p, middle);
        branch(p, e->b, yes, no);
        return;
    }
    a = generate(p, e->kind == E_COMPARE ? e->a : e);
    if (e->kind == E_COMPARE) b = generate(p, e->b);
    a.reg = in_register(p, a);
    n = emit(p, OP_BRANCH);
    n->cc = e->kind == E_COMPARE ? e->cc : CC_UNEQUAL;
    n->wide = (e->kind == E_COMPARE ? e->a : e)->type & T_POINTER ? 1 : 0;
    n->use[0] = a.reg;
    n->use[1] = b.reg;
    n->imm = b.imm;
    n->to[0] = yes;
    n->to[1] = no;
}

/* a ? b : c; without b, 1 and 0. */
static operand generate_choice(parser *p, const expr *e, const expr *b, const expr *c)
{
    const int yes = new_block(p), no = new_block(p), end = new_block(p), to = fresh(p);
    const operand one = { NONE, 1 }, zero = { NONE, 0 };
    branch(p, e, yes, no);
    start(p, yes);
    set_register(p, to, e, b != NULL ? generate(p, b) : one);
    jump(p, end);
    start(p, no);
    set_register(p, to, e, c != NULL ? generate(p, c) : zero);
    jump(p, end);
    start(p, end);
    return reg(to);
}

static operand generate(parser *p, const expr *e)
{
    operand a, b;
    insn where, *n;
    switch (e->kind) {
    case E_NUMBER:
        a.reg = NONE;
        a.imm = e->value;
        return a;
    case E_LOCAL: return reg(e->symbol);
    case E_ARRAY:
        n = emit(p, OP_ADDRESS);
        n->place = e->place;
        n->symbol = e->symbol;
        return reg(n->dst = fresh(p));
    case E_GLOBAL: case E_INDEX:
        where = place_of(p, e);
        return loaded(p, &where);
    case E_BINARY:
        a = generate(p, e->a);
        return combine(p, e, a, generate(p, e->b));
    case E_COMPARE:
        a = generate(p, e->a);
        b = generate(p, e->b);
        a.reg = in_register(p, a);
        n = emit(p, OP_SET);
        n->cc = e->cc;
        n->wide = e->a->type & T_POINTER ? 1 : 0;
        n->use[0] = a.reg;
        n->use[1] = b.reg;
        n->imm = b.imm;
        return reg(n->dst = fresh(p));
    case E_NOT: case E_AND: case E_OR: return generate_choice(p, e, NULL, NULL);
    case E_CHOICE: return generate_choice(p, e->a, e->b, e->c);
    case E_ASSIGN: return generate_assign(p, e);
    case E_CALL: return generate_call(p, e);
    default:
        generate(p, e->a);
        return generate(p, e->b);
    }
}

/* ----- statements ----- */

static name *add_name(parser *p, const char *text, int size)
{
    name *n;
    p->names = (name *)room(p->names, p->name_count, &p->name_cap, sizeof *p->names);
    n = &p->names[p->name_count++];
    memset(n, 0, sizeof *n);
    n->text = text;
    n->size = size;
    return n;
}

static int64_t constant(parser *p)
{
    const expr *e = operation(p, 1);
    if (e->kind != E_NUMBER) wrong(p, "no constant");
    return e->value;
}

static void local_variables(parser *p)
{
    const int is_static = is(p, "static"), base = type_name(p);
    if (is_static) wrong(p, "static variables are global");
    do {
        const int type = base | (accept(p, "*") ? T_POINTER : 0);
        name *const n = add_name(p, p->text, p->size);
        expr to;
        if (p->kind != TK_NAME) wrong(p, "a name is missing");
        n->is.type = type;
        next(p);
        if (accept(p, "[")) {
            n->is.kind = E_ARRAY;
            n->is.type |= T_POINTER;
            n->is.place = IN_FRAME;
            n->is.symbol = here(p)->frame;
            here(p)->frame += (int)(constant(p) * size_of(type) + 7) / 8 * 8;
            want(p, "]");
            continue;
        }
        if (type != T_INT && type != T_UNSIGNED && !(type & T_POINTER)) wrong(p, "only arrays have this type");
        n->is.kind = E_LOCAL;
        n->is.symbol = fresh(p);
        to = n->is;
        if (accept(p, "=")) {
            const expr *e = assignment(p);
            set_register(p, to.symbol, e, generate(p, e));
        } else emit(p, OP_CONST)->dst = to.symbol;
    } while (accept(p, ","));
    want(p, ";");
}

static void compound(parser *p)
{
    const int names = p->name_count;
    while (!accept(p, "}")) {
        if (p->kind == TK_END) wrong(p, "} is missing");
        statement(p);
    }
    p->name_count = names;
}

/* The test of a loop stands behind its body: one branch for each round. */
static void loop(parser *p, const expr *test, const expr *then, int test_first)
{
    const int body = new_block(p), again = new_block(p), end = new_block(p);
    const int check = then != NULL ? new_block(p) : again;
    const int to_break = p->to_break, to_continue = p->to_continue;
    jump(p, test_first ? check : body);
    p->depth++;
    p->to_break = end;
    p->to_continue = again;
    start(p, body);
    statement(p);
    jump(p, again);
    p->to_break = to_break;
    p->to_continue = to_continue;
    start(p, again);
    if (then != NULL) {
        generate(p, then);
        jump(p, check);
        start(p, check);
    }
    if (test == NULL) {                               /* do: the test comes now */
        want(p, "while");
        want(p, "(");
        test = expression(p);
        want(p, ")");
        want(p, ";");
    }
    branch(p, test, body, end);
    p->depth--;
    start(p, end);
}

static void for_loop(parser *p)
{
    const int names = p->name_count;
    const expr *test, *then;
    want(p, "(");
    if (is_type(p)) local_variables(p);
    else if (!accept(p, ";")) {
        generate(p, expression(p));
        want(p, ";");
    }
    test = is(p, ";") ? number(p, 1, T_INT) : expression(p);
    want(p, ";");
    then = is(p, ")") ? NULL : expression(p);
    want(p, ")");
    loop(p, test, then, 1);
    p->name_count = names;
}

static void if_else(parser *p)
{
    const int yes = new_block(p), no = new_block(p);
    const expr *e;
    int end = no;
    want(p, "(");
    e = expression(p);
    want(p, ")");
    branch(p, e, yes, no);
    start(p, yes);
    statement(p);
    if (is(p, "else")) {
        end = new_block(p);
        jump(p, end);
        start(p, no);
        next(p);
        statement(p);
    }
    jump(p, end);
    start(p, end);
}

/* Comparisons stand in front, but are made when all cases are known. */
static void switch_cases(parser *p)
{
    const int first = new_block(p), end = new_block(p), to_break = p->to_break, otherwise = p->otherwise;
    const int cases = p->case_count;
    int value, i;
    insn *n;
    want(p, "(");
    value = in_register(p, generate(p, expression(p)));
    want(p, ")");
    jump(p, first);
    start(p, first);
    p->to_break = p->otherwise = end;
    start(p, new_block(p));                           /* nothing leads to what is before the first case */
    statement(p);
    jump(p, end);
    p->now = first;
    for (i = cases; i < p->case_count; i++) {
        const int next_test = i + 1 < p->case_count ? new_block(p) : p->otherwise;
        n = append(&here(p)->block[p->now], OP_BRANCH);
        n->cc = CC_EQUAL;
        n->use[0] = value;
        n->imm = p->cases[i].value;
        n->to[0] = p->cases[i].block;
        n->to[1] = next_test;
        if (i + 1 < p->case_count) start(p, next_test);
    }
    if (cases == p->case_count) jump(p, p->otherwise);
    p->case_count = cases;
    p->to_break = to_break;
    p->otherwise = otherwise;
    start(p, end);
}

static void case_label(parser *p, int is_default)
{
    const int b = new_block(p);
    const int64_t value = is_default ? 0 : constant(p);
    want(p, ":");
    jump(p, b);
    start(p, b);
    if (is_default) {
        p->otherwise = b;
        return;
    }
    p->cases = (choice *)room(p->cases, p->case_count, &p->case_cap, sizeof *p->cases);
    p->cases[p->case_count].value = value;
    p->cases[p->case_count++].block = b;
}

static void statement(parser *p)
{
    const expr *e;
    if (accept(p, "{")) compound(p);
    else if (accept(p, ";")) return;
    else if (is_type(p)) local_variables(p);
    else if (accept(p, "if")) if_else(p);
    else if (accept(p, "for")) for_loop(p);
    else if (accept(p, "do")) loop(p, NULL, NULL, 0);
    else if (accept(p, "switch")) switch_cases(p);
    else if (accept(p, "case")) case_label(p, 0);
    else if (accept(p, "default")) case_label(p, 1);
    else if (accept(p, "while")) {
        want(p, "(");
        e = expression(p);
        want(p, ")");
        loop(p, e, NULL, 1);
    } else if (is(p, "break") || is(p, "continue")) {
        const int to = is(p, "break") ? p->to_break : p->to_continue;
        if (to == NONE) wrong(p, "no loop around");
        next(p);
        want(p, ";");
        jump(p, to);
    } else if (accept(p, "return")) {
        operand o = { NONE, 0 };
        if (!is(p, ";")) o = generate(p, expression(p));
        want(p, ";");
        o.reg = in_register(p, o);
        emit(p, OP_RETURN)->use[0] = o.reg;
    } else {
        generate(p, expression(p));
        want(p, ";");
    }
}

/* ----- functions and global variables ----- */

/* Blocks get the order of the source; those that nothing leads to go. */
static void put_in_order(parser *p)
{
    function *f = here(p);
    block *sorted = (block *)zeros((size_t)f->blocks, sizeof *sorted);
    int *now = (int *)zeros((size_t)f->blocks, sizeof *now), n = 0, i;
    mark_reached(f);
    for (i = 0; i < p->ordered; i++)
        if (f->block[p->order[i]].reached) {
            now[p->order[i]] = n;
            sorted[n++] = f->block[p->order[i]];
        }
    for (i = 0; i < f->blocks; i++)
        if (!f->block[i].reached) free(f->block[i].v);
    for (i = 0; i < n; i++) {
        insn *last = &sorted[i].v[sorted[i].n - 1];
        last->to[0] = now[last->to[0]];
        last->to[1] = now[last->to[1]];
    }
    free(f->block);
    free(now);
    f->block = sorted;
    f->block_cap = f->blocks + 1;
    f->blocks = n;
}

static void define(parser *p, const char *text, int size, int type, int is_local)
{
    const int line = p->line;
    function *f;
    p->f = find_function(p->u, text, size);
    f = here(p);
    f->type = type;
    f->is_local |= is_local;
    p->name_count = p->constants;                         /* constants stay */
    f->params = 0;
    if (!f->defined) f->registers = 0;
    if (is(p, "void")) next(p);
    while (!accept(p, ")")) {
        const int of = is(p, "...") ? T_INT : type_name(p);
        name *n;
        expr is;
        memset(&is, 0, sizeof is);
        is.kind = E_LOCAL;
        is.type = of | (accept(p, "*") ? T_POINTER : 0);
        is.symbol = f->params++;
        if (f->params > ARGUMENTS) wrong(p, "more than six parameters");
        if (p->kind == TK_NAME) {
            n = add_name(p, p->text, p->size);
            n->is = is;
            next(p);
            if (accept(p, "[")) {
                want(p, "]");
                n->is.type |= T_POINTER;
            }
            if (n->is.type == T_CHAR || n->is.type == T_BYTE) wrong(p, "only arrays have this type");
        } else accept(p, "...");
        if (!is_type(p) && !accept(p, ",") && p->kind != TK_SIGN) wrong(p, "a parameter is wrong");
    }
    if (accept(p, ";")) return;
    if (f->defined) fail(p->u->file, line, "a second definition", f->name);
    f->defined = 1;
    f->registers = f->params;
    want(p, "{");
    p->ordered = p->case_count = p->depth = 0;
    p->to_break = p->to_continue = NONE;
    start(p, new_block(p));
    compound(p);
    if (!ended(p)) {
        const operand zero = { NONE, 0 };
        const int r = in_register(p, zero);
        emit(p, OP_RETURN)->use[0] = r;
    }
    put_in_order(p);
}

static void initialise(parser *p, global *g, int is_array)
{
    const int line = p->line, size = size_of(g->type);
    size_t n = 0, cap = 0;
    const int list = accept(p, "{");
    if (p->kind == TK_STRING && is_array && !list) {
        g->init = string(p, &n);
        cap = n;
    } else do {
        if (list && is(p, "}")) break;
        if (n == cap) {
            cap = 2 * cap + 16;
            g->init = (unsigned char *)realloc(g->init, cap * 4);
            if (g->init == NULL) fail(p->u->file, line, "out of memory", "");
        }
        {
            const int64_t v = constant(p);
            int i;
            for (i = 0; i < size; i++) g->init[n * (size_t)size + (size_t)i] = (unsigned char)(v >> 8 * i & 255);
        }
        n++;
    } while (list && accept(p, ","));
    if (list) want(p, "}");
    if (g->size == 0) g->size = n * (size_t)size;
    if (n * (size_t)size > g->size) fail(p->u->file, line, "more values than elements", g->name);
    g->init = (unsigned char *)realloc(g->init, g->size + cap * 4);
    if (g->init == NULL) fail(p->u->file, line, "out of memory", "");
    memset(g->init + n * (size_t)size, 0, g->size - n * (size_t)size);
}

static void top_level(parser *p)
{
    const int is_local = is(p, "static");
    int base;
    if (accept(p, "enum")) {
        int64_t value = 0;
        if (p->kind == TK_NAME) next(p);
        want(p, "{");
        while (!accept(p, "}")) {
            name *const n = add_name(p, p->text, p->size);
            next(p);
            if (accept(p, "=")) value = constant(p);
            n->is.kind = E_NUMBER;
            n->is.type = T_INT;
            n->is.value = value++;
            if (!is(p, "}")) want(p, ",");
        }
        p->constants = p->name_count;
        want(p, ";");
        return;
    }
    base = type_name(p);
    do {
        const int type = base | (accept(p, "*") ? T_POINTER : 0), size = p->size;
        const char *const text = p->text;
        global *g;
        if (p->kind != TK_NAME) wrong(p, "a name is missing");
        next(p);
        if (accept(p, "(")) {
            if (type == T_CHAR || type == T_BYTE) wrong(p, "only arrays have this type");
            define(p, text, size, type, is_local);
            return;
        }
        if (type & T_POINTER) wrong(p, "pointers are local");
        if (find_global(p->u, text, size) != NONE) wrong(p, "a second definition");
        g = add_global(p->u, text, size, type);
        g->is_local = is_local;
        if (accept(p, "[")) {
            g->is_array = 1;
            g->size = is(p, "]") ? 0 : (size_t)constant(p) * (size_t)size_of(type);
            want(p, "]");
        }
        if (accept(p, "=")) initialise(p, g, g->is_array);
    } while (accept(p, ","));
    want(p, ";");
}

void parse(unit *u, const char *source)
{
    parser p;
    memset(&p, 0, sizeof p);
    p.u = u;
    p.at = source;
    p.line = 1;
    next(&p);
    while (p.kind != TK_END) top_level(&p);
    while (p.made != NULL) {
        expr *e = p.made;
        p.made = e->made;
        free(e);
    }
    free(p.names);
    free(p.order);
    free(p.cases);
}
