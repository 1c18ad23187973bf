/* demangle.h - names of C++ (Itanium ABI) and Rust (both schemes) as people write them
 *
 * itanium.c reads a name of C++ into a tree, demangle.c prints that tree, and rust.c prints names of Rust as it reads
 * them. demangle.c has the two functions that other rooms call; it calls both readers, which know nothing of printing.
 *
 * Needs neither a C++ runtime nor csspgo.h. Depth, number of nodes, steps and output are bounded. Leaves a name that it
 * does not know as it is. Names are those that llvm-cxxfilt-19 prints.
 */
#ifndef CSSPGO_TOOL_DEMANGLE_H
#define CSSPGO_TOOL_DEMANGLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEMANGLE_MOST = 8192 };        /* bytes of the longest name that is made */

/*
 * Writes the name at out, which has room for cap bytes; it is not terminated. Returns its size, or 0: it is no mangled
 * name, or one that is not known, or there is no room or no memory.
 */
size_t demangle(const char *name, size_t size, char *out, size_t cap);

/* The same, and else the name itself; ".__uniq.N" is left out of both. Returns 0 only for an empty name or cap. */
size_t demangle_clean(const char *name, size_t size, char *out, size_t cap);

/* ----- inside ----------------------------------------------------------------------------------------------------- */

enum { DM_NODES = 4096, DM_SUBS = 512, DM_PARAMS = 128, DM_LEVELS = 8, DM_DEPTH = 192, DM_STEPS = 200000 };
enum { DM_CONST = 1, DM_VOLATILE = 2, DM_RESTRICT = 4, DM_NOEXCEPT = 8 };   /* dm_node.cv */
enum { DM_LVALUE = 1, DM_RVALUE = 2 };                                    /* dm_node.ref */

typedef enum dm_kind {
    DM_NAME,                      /* text                                                     */
    DM_SPECIAL_SUB,               /* text: std::string ...; b: the same spelt out; c: basic_string as a constructor */
    DM_NESTED,                    /* a::b                                                     */
    DM_TEMPLATE,                  /* a<b>, b: a list                                          */
    DM_LIST,                      /* a, then the list b                                       */
    DM_PACK,                      /* a template argument that is the list a                   */
    DM_PARAM_PACK,                /* the same, where a parameter stands for it                */
    DM_EXPANSION,                 /* a, once for each element of the packs in it              */
    DM_POINTER, DM_REFERENCE,     /* to a; ref                                                */
    DM_QUALIFIED,                 /* a with cv                                                */
    DM_FUNCTION,                  /* returns a, takes the list b; cv, ref; c: what it may throw, 0: not said */
    DM_ARRAY,                     /* of a; text, or the expression b: how many                */
    DM_VECTOR,                    /* the same of a vector                                     */
    DM_WORDED,                    /* a b, with a blank between if cv                          */
    DM_MEMBER,                    /* pointer to the member of type b of the class a           */
    DM_ENCODING,                  /* function a with the parameters b, returns c or 0; cv, ref */
    DM_CTOR, DM_DTOR,             /* of the class a                                           */
    DM_CONVERSION,                /* operator a                                               */
    DM_INTEGER,                   /* the value text; cv 1: negative; a: its type, 0: b is a suffix */
    DM_FLOAT,                     /* the value text, in hexadecimal                           */
    DM_FORWARD,                   /* parameter size of the template, whose arguments follow   */
    DM_LAMBDA,                    /* text: its number; a: DM_SIGNATURE                        */
    DM_SIGNATURE,                 /* of a lambda: lists of parameters, a: templates'; c: two constraints */
    DM_PARAMETER,                 /* of a lambda's template: text, a; b: its name; cv: dm_parameter */
    DM_UNNAMED,                   /* text: its number                                         */
    DM_PREFIXED,                  /* text, then a; b: then "-in-" b                           */
    DM_TAGGED,                    /* a[abi:text]                                              */
    DM_SUFFIXED,                  /* a (text)                                                 */
    DM_BEHIND,                    /* function a, then text and b or, if cv, the list b and "]" */
    DM_EXPRESSION                 /* text, a, b, c; cv: dm_shape; ref: dm_precedence           */
} dm_kind;

/* DM_EXPRESSION's cv. The operators up to DM_OP_DELETE can be names of functions, too. */
typedef enum dm_shape {
    DM_OP_NAME,                   /* co_await                                                 */
    DM_OP_BINARY, DM_OP_MEMBER,   /* a text b                                                 */
    DM_OP_PREFIX,                 /* text a                                                   */
    DM_OP_POSTFIX,                /* a text                                                   */
    DM_OP_SUBSCRIPT,              /* a[b]                                                     */
    DM_OP_CALL,                   /* a(the list b)                                            */
    DM_OP_CONDITIONAL,            /* a ? b : c                                                */
    DM_OP_NEW,                    /* text (the list a) b (the list c)                         */
    DM_OP_DELETE,                 /* text a                                                   */
    DM_OP_CAST,                   /* text<a>(b)                                               */
    DM_OP_OF,                     /* text(a)                                                  */
    DM_OP_OF_TYPE,                /* the same; a is a type                                    */
    DM_OP_CONVERSION,             /* (a)(the list b)                                          */
    DM_OP_BRACES,                 /* a{the list b}                                            */
    DM_OP_FIELD,                  /* .a = b                                                   */
    DM_OP_ELEMENT,                /* [a] = b, [a ... c] = b                                   */
    DM_OP_LEFT_FOLD, DM_OP_RIGHT_FOLD,   /* of the pack a, from b, by text                    */
    DM_OP_COUNT,                  /* text(a, expanded)                                        */
    DM_OP_STRING,                 /* "<a>"                                                    */
    DM_OP_LAMBDA,                 /* []a{...}                                                 */
    DM_OP_SUBOBJECT,              /* b.<a at offset text>                                     */
    DM_OP_THROWN,                 /* text a, with no parentheses                              */
    DM_OP_REQUIRES,               /* requires (the list a) { the list b }                     */
    DM_OP_REQUIREMENT             /* text a; or {a} text -> b;                                */
} dm_shape;

/* DM_EXPRESSION's ref: what binds closest comes first. */
enum {
    DM_P_PRIMARY, DM_P_POSTFIX, DM_P_UNARY, DM_P_C_CAST, DM_P_POINTER, DM_P_PRODUCT, DM_P_SUM, DM_P_SHIFT,
    DM_P_SPACESHIP, DM_P_LESS, DM_P_EQUAL, DM_P_AND, DM_P_XOR, DM_P_OR, DM_P_AND_IF, DM_P_OR_IF, DM_P_CONDITIONAL,
    DM_P_ASSIGN, DM_P_COMMA, DM_P_ANY
};

enum { DM_TYPE_PARAM, DM_VALUE_PARAM, DM_TEMPLATE_PARAM, DM_PACK_PARAM };   /* DM_PARAMETER's cv */

typedef struct dm_node {
    unsigned char kind, cv, ref;
    uint32_t      a, b, c, size;
    const char   *text;
} dm_node;

typedef struct demangler {
    const char *p, *end;
    unsigned    depth, steps;
    int         failed;
    int         lambda;           /* in the parameters of a lambda: 1 + levels of template arguments around it */
    int         plain;            /* a template's parameter or a substitution takes no arguments here */
    int         forward;          /* parameters may be those of arguments that follow */
    int         constraint;       /* in a requires clause: parameters stay as they are written */
    unsigned    made[3];          /* names of parameters of lambdas' templates, by DM_TYPE_PARAM ... */
    unsigned    open;             /* while printing: ">" ends no template arguments as so many brackets are open */
    uint32_t    nodes, subs, params, levels, level[DM_LEVELS];   /* level: where the parameters of each begin */
    char       *out;
    size_t      size, cap;
    uint32_t    pack_at, pack_count;      /* the element that is printed, of how many; UINT32_MAX: of none yet */
    uint32_t    sub[DM_SUBS], param[DM_PARAMS];
    dm_node     node[DM_NODES];   /* [0]: none */
} demangler;

/* itanium.c: what is left of a mangled name, bounds and nodes. What fails stays failed: callers look at the end. */
uint32_t dm_new(demangler *d, dm_kind kind, uint32_t a, uint32_t b);
uint32_t dm_text(demangler *d, dm_kind kind, const char *text, size_t size);
uint32_t dm_fail(demangler *d);
int dm_take(demangler *d, const char *text);
char dm_at(const demangler *d, size_t i);             /* the byte at p[i], 0 behind the end */
int dm_enter(demangler *d);                           /* 0: too deep; else dm_leave must follow */
uint32_t dm_leave(demangler *d, uint32_t node);
size_t dm_number(demangler *d, const char **text);    /* digits, as they stand; returns how many */

uint32_t dm_encoding(demangler *d);                   /* itanium.c: behind _Z, the tree of the name */

/* rust.c: print as they read */
int dm_is_rust(const char *name, size_t size);        /* 1: an older name of Rust, "_ZN...17h<hash>E" */
void dm_rust_old(demangler *d);                       /* behind its _ZN */
void dm_rust(demangler *d);                           /* behind _R */

#endif
