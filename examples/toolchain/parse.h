/* parse.h - what the files of the front end share: tokens, expressions, the function that is read */
#ifndef PARSE_H
#define PARSE_H

#include "minic.h"

typedef enum kind { E_NUMBER, E_LOCAL, E_ARRAY, E_GLOBAL, E_INDEX, E_BINARY, E_COMPARE, E_NOT, E_AND, E_OR, E_CHOICE,
                    E_ASSIGN, E_CALL, E_COMMA } kind;

typedef struct expr {
    kind         kind;
    int          height;          /* of the tree */
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

enum { MOST_NESTING = 250 };      /* bounds the stack */

enum { TK_END, TK_NUMBER, TK_STRING, TK_NAME, TK_SIGN };

typedef struct parser {
    unit       *u;
    const char *at;
    int         line, kind, size; /* the next token */
    const char *text;
    int64_t     value;
    int         is_unsigned;      /* the number */
    int         nesting;          /* of expressions and statements */
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

/* ----- expression.c: tokens; expressions become trees ----- */

void  wrong(const parser *p, const char *what);      /* an error at the next token; does not return */
void  next(parser *p);
int   is(const parser *p, const char *text);         /* the next token */
int   got(parser *p, const char *text);              /* 1 if it is; then goes on to the one behind it */
void  want(parser *p, const char *text);             /* it must be */
void  nest(parser *p);                               /* one level more; an error if there are too many */
int   is_type(const parser *p);
int   type_name(parser *p);
expr *number(parser *p, int64_t value, int type);
expr *operation(parser *p, int binds);               /* of operators that bind as closely, or closer */
expr *assignment(parser *p);
expr *expression(parser *p);                         /* the same, with commas */
unsigned char *string(parser *p, size_t *size);      /* into memory of its own, size bytes with the 0 at its end */
int   find_function(unit *u, const char *text, int size);
int   find_global(const unit *u, const char *text, int size);
global *add_global(unit *u, const char *text, int size, int type);

/* ----- generate.c: trees become instructions ----- */

function *here(const parser *p);
int     fresh(parser *p);                            /* a register */
int     new_block(parser *p);
void    start(parser *p, int b);                     /* from now on code goes into this block */
int     ended(const parser *p);                      /* 1: this block ends in a jump or a return */
insn   *emit(parser *p, op o);
void    jump(parser *p, int to);
void    branch(parser *p, const expr *e, int yes, int no);
operand generate(parser *p, const expr *e);
int     in_register(parser *p, operand o);
operand set_register(parser *p, int to, const expr *from, operand o);

#endif
