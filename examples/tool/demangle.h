/* demangle.h - names of C++ (Itanium ABI) and Rust (both schemes) as people write them
 *
 * Needs neither a C++ runtime nor csspgo.h. Depth, number of nodes, steps and output are bounded. Where an expression
 * would have to be printed, and whatever else is not known, leaves the name as it is.
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

enum { DM_NODES = 4096, DM_SUBS = 512, DM_PARAMS = 128, DM_DEPTH = 192, DM_STEPS = 200000 };
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
    DM_FUNCTION,                  /* returns a, takes the list b; cv, ref                     */
    DM_ARRAY,                     /* of a; text: how many                                     */
    DM_MEMBER,                    /* pointer to the member of type b of the class a           */
    DM_ENCODING,                  /* function a with the parameters b, returns c or 0; cv, ref */
    DM_CTOR, DM_DTOR,             /* of the class a                                           */
    DM_CONVERSION,                /* operator a                                               */
    DM_INTEGER,                   /* the value text; cv 1: negative; a: its type, 0: b is a suffix */
    DM_LAMBDA,                    /* text: its number; takes the list a                       */
    DM_UNNAMED,                   /* text: its number                                         */
    DM_PREFIXED,                  /* text, then a; b: then "-in-" b                           */
    DM_TAGGED,                    /* a[abi:text]                                              */
    DM_SUFFIXED,                  /* a (text)                                                 */
    DM_EXPRESSION                 /* one that cannot be printed                               */
} dm_kind;

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
    uint32_t    nodes, subs, params, levels;
    char       *out;
    size_t      size, cap;
    uint32_t    pack_at, pack_count;      /* the element that is printed, of how many; UINT32_MAX: of none yet */
    uint32_t    sub[DM_SUBS], param[DM_PARAMS];
    dm_node     node[DM_NODES];   /* [0]: none */
} demangler;

typedef struct dm_state {         /* of the name of a function */
    int           plain_return;   /* constructor, destructor or conversion: no return type */
    int           ends_with_args;
    unsigned char cv, ref;
} dm_state;

/* demangle.c */
uint32_t dm_new(demangler *d, dm_kind kind, uint32_t a, uint32_t b);
uint32_t dm_text(demangler *d, dm_kind kind, const char *text, size_t size);
uint32_t dm_constant(demangler *d, const char *text);
uint32_t dm_fail(demangler *d);
int dm_take(demangler *d, const char *text);
char dm_at(const demangler *d, size_t i);             /* the byte at p[i], 0 behind the end */
int dm_enter(demangler *d);                           /* 0: too deep; else dm_leave must follow */
uint32_t dm_leave(demangler *d, uint32_t node);
size_t dm_number(demangler *d, const char **text);    /* digits, as they stand; returns how many */
void dm_push(demangler *d, uint32_t node);            /* a new substitution */

/* demangle_name.c */
uint32_t dm_encoding(demangler *d);
uint32_t dm_name(demangler *d, dm_state *state);
uint32_t dm_substitution(demangler *d);
uint32_t dm_source_name(demangler *d);
uint32_t dm_unscoped(demangler *d, dm_state *state, int *is_sub);

/* demangle_type.c */
uint32_t dm_type(demangler *d);
uint32_t dm_template_args(demangler *d, int tagged);
uint32_t dm_template_param(demangler *d);
uint32_t dm_parameters(demangler *d);                 /* types up to the end of a function; 0 also if there are none */
uint32_t dm_append(demangler *d, uint32_t *first, uint32_t last, uint32_t item);
unsigned char dm_qualifiers(demangler *d);

uint32_t dm_literal(demangler *d);                    /* behind its L */

/* demangle_expr.c */
uint32_t dm_expression(demangler *d);

/* demangle_rust.c */
void dm_rust(demangler *d);                           /* behind its _R */

/* demangle_print.c */
void dm_print(demangler *d, uint32_t node);

#endif
