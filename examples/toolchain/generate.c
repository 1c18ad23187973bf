/* generate.c - expressions become instructions, conditions become branches */
#include "parse.h"

#include <string.h>

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

function *here(const parser *p) { return &p->u->f[p->f]; }
int fresh(parser *p) { return here(p)->registers++; }
int new_block(parser *p) { return add_block(here(p)); }

void start(parser *p, int b)
{
    p->now = b;
    here(p)->block[b].depth = p->depth;
    p->order = (int *)room(p->order, p->ordered, &p->order_cap, sizeof *p->order);
    p->order[p->ordered++] = b;
}

int ended(const parser *p)
{
    const block *b = &here(p)->block[p->now];
    return b->n != 0 && b->v[b->n - 1].op >= OP_JUMP;
}

/* Code behind a return or a jump is in a block that nothing leads to. */
insn *emit(parser *p, op o)
{
    if (ended(p)) start(p, new_block(p));
    return append(&here(p)->block[p->now], o);
}

void jump(parser *p, int to)
{
    if (!ended(p)) emit(p, OP_JUMP)->to[0] = to;
}

int in_register(parser *p, operand o)
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

/* ----- expressions: code ----- */

/* Where a variable or an element is: an instruction whose operands say so. */
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

/* a op b; what a pointer moves by is multiplied by the size of its elements. */
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

/* A register gets a value: if the last instruction has made it for nobody else, that one sets the register itself. */
operand set_register(parser *p, int to, const expr *from, operand o)
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
void branch(parser *p, const expr *e, int yes, int no)
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
    if (b != NULL) set_register(p, to, b, generate(p, b));
    else set_register(p, to, e, one);
    jump(p, end);
    start(p, no);
    if (c != NULL) set_register(p, to, c, generate(p, c));
    else set_register(p, to, e, zero);
    jump(p, end);
    start(p, end);
    return reg(to);
}

operand generate(parser *p, const expr *e)
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
