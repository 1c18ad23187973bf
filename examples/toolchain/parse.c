/* parse.c - a subset of C becomes functions of blocks: statements and definitions
 *
 * The subset: functions; int, unsigned, and pointers to int, unsigned, char and unsigned char; arrays of these; scalar
 * variables of the first kinds; all operators but sizeof and & of scalars; if, while, do, for, switch, break, continue,
 * return; enum constants. #include is skipped, and a function that is not declared is one of the C library that returns
 * int, so that other compilers compile the same source. Integers wrap (-fwrapv).
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 24 };

static void statement(parser *p);

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

static size_t array_size(parser *p, int type)
{
    const int64_t n = constant(p);
    if (n < 1 || n > MOST_ELEMENTS) wrong(p, "an array cannot have this size");
    want(p, "]");
    return (size_t)n * (size_t)size_of(type);
}

static void local_variables(parser *p)
{
    const int is_static = is(p, "static"), base = type_name(p);
    if (is_static) wrong(p, "static variables are global");
    do {
        const int type = base | (got(p, "*") ? T_POINTER : 0);
        name *const n = add_name(p, p->text, p->size);
        expr to;
        if (p->kind != TK_NAME) wrong(p, "a name is missing");
        n->is.type = type;
        next(p);
        if (got(p, "[")) {
            n->is.kind = E_ARRAY;
            n->is.type |= T_POINTER;
            n->is.place = IN_FRAME;
            n->is.symbol = here(p)->frame;
            here(p)->frame += (int)(array_size(p, type) + 7) / 8 * 8;
            if (here(p)->frame > MOST_FRAME) wrong(p, "too many local arrays");
            continue;
        }
        if (type != T_INT && type != T_UNSIGNED && !(type & T_POINTER)) wrong(p, "only arrays have this type");
        n->is.kind = E_LOCAL;
        n->is.symbol = fresh(p);
        to = n->is;
        if (got(p, "=")) {
            const expr *e = assignment(p);
            set_register(p, to.symbol, e, generate(p, e));
        } else emit(p, OP_CONST)->dst = to.symbol;
    } while (got(p, ","));
    want(p, ";");
}

static void compound(parser *p)
{
    const int names = p->name_count;
    while (!got(p, "}")) {
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
    else if (!got(p, ";")) {
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
    nest(p);
    if (got(p, "{")) compound(p);
    else if (got(p, ";")) {}
    else if (is_type(p)) local_variables(p);
    else if (got(p, "if")) if_else(p);
    else if (got(p, "for")) for_loop(p);
    else if (got(p, "do")) loop(p, NULL, NULL, 0);
    else if (got(p, "switch")) switch_cases(p);
    else if (got(p, "case")) case_label(p, 0);
    else if (got(p, "default")) case_label(p, 1);
    else if (got(p, "while")) {
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
    } else if (got(p, "return")) {
        operand o = { NONE, 0 };
        if (!is(p, ";")) o = generate(p, expression(p));
        want(p, ";");
        o.reg = in_register(p, o);
        emit(p, OP_RETURN)->use[0] = o.reg;
    } else {
        generate(p, expression(p));
        want(p, ";");
    }
    p->nesting--;
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
    while (!got(p, ")")) {
        const int of = is(p, "...") ? T_INT : type_name(p);
        name *n;
        expr is;
        memset(&is, 0, sizeof is);
        is.kind = E_LOCAL;
        is.type = of | (got(p, "*") ? T_POINTER : 0);
        is.symbol = f->params++;
        if (f->params > ARGUMENTS) wrong(p, "more than six parameters");
        if (p->kind == TK_NAME) {
            n = add_name(p, p->text, p->size);
            n->is = is;
            next(p);
            if (got(p, "[")) {
                want(p, "]");
                n->is.type |= T_POINTER;
            }
            if (n->is.type == T_CHAR || n->is.type == T_BYTE) wrong(p, "only arrays have this type");
        } else got(p, "...");
        if (!is_type(p) && !got(p, ",") && p->kind != TK_SIGN) wrong(p, "a parameter is wrong");
    }
    if (got(p, ";")) return;
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
    const int list = got(p, "{");
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
    } while (list && got(p, ","));
    if (list) want(p, "}");
    if (g->size == 0) g->size = n * (size_t)size;
    if (n * (size_t)size > g->size) fail(p->u->file, line, "more values than elements", g->name);
    g->init = (unsigned char *)realloc(g->init, g->size + cap * 4);
    if (g->init == NULL) fail(p->u->file, line, "out of memory", "");
    memset(g->init + n * (size_t)size, 0, g->size - n * (size_t)size);
}

static void top_level(parser *p)
{
    const int is_local = is(p, "static"), is_extern = is(p, "extern");
    int base;
    if (got(p, "enum")) {
        int64_t value = 0;
        if (p->kind == TK_NAME) next(p);
        want(p, "{");
        while (!got(p, "}")) {
            name *const n = add_name(p, p->text, p->size);
            next(p);
            if (got(p, "=")) value = constant(p);
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
        const int type = base | (got(p, "*") ? T_POINTER : 0), size = p->size;
        const char *const text = p->text;
        global *g;
        if (p->kind != TK_NAME) wrong(p, "a name is missing");
        next(p);
        if (got(p, "(")) {
            if (type == T_CHAR || type == T_BYTE) wrong(p, "only arrays have this type");
            define(p, text, size, type, is_local);
            return;
        }
        if (type & T_POINTER) wrong(p, "pointers are local");
        if (is_extern) wrong(p, "variables are of one file");
        if (find_global(p->u, text, size) != NONE) {
            p->text = text;
            p->size = size;
            wrong(p, "a second definition");
        }
        g = add_global(p->u, text, size, type);
        g->is_local = is_local;
        if (got(p, "[")) {
            g->is_array = 1;
            if (got(p, "]")) g->size = 0;
            else g->size = array_size(p, type);
        }
        if (got(p, "=")) initialise(p, g, g->is_array);
    } while (got(p, ","));
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
